/*
 * A table over several files, whose rows follow one another.
 *
 * All files are opened once, one after the other, to check that they fit together. They are opened
 * again when their rows are read, and a few stay open. Each file has its own codes of categories
 * and enumerations, so those are shown as strings.
 */
#include <stdlib.h>
#include <stoa/file.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "arrow/take.h"
#include "core/memory.h"
#include "hdf/metadata/other_files.h"
#include "layout/common/categories_as_text.h"
#include "layout/layout.h"

enum { N_OPEN = 8 }; /* files that stay open, beside the first one */

typedef struct member {
    char *file;
    uint64_t first; /* first row of the file in the combined table */
    uint64_t n_rows;
} member;

typedef struct opened {
    size_t member;
    stoa_file *file;
    stoa_table *table; /* NULL if the slot is free */
    uint64_t used;     /* time of the last use */
} opened;

/* Shared by the columns, and closed with the last of them. Used only where libhdf5 may be
 * called. */
typedef struct chain {
    size_t n_holders;
    char *path;
    size_t n;
    member *members;
    stoa_table *first;           /* of the caller's open file */
    stoa_file_patience patience; /* how long opening a locked file waits */
    bool maps;                   /* files are read from memory maps */
    opened open[N_OPEN];
    uint64_t clock;
} chain;

static void close_one(opened *place)
{
    stoa_table_close(place->table);
    stoa_file_close(place->file);
    *place = (opened){.table = NULL};
}

static void release(chain *c)
{
    if (c == NULL || --c->n_holders > 0) {
        return;
    }
    for (size_t i = 0; i < N_OPEN; i++) {
        close_one(&c->open[i]);
    }
    stoa_table_close(c->first);
    for (size_t i = 0; i < c->n; i++) {
        free(c->members[i].file);
    }
    free(c->members);
    free(c->path);
    free(c);
}

/* The table of member k, borrowed until the next call. */
static stoa_status table_of(chain *c, size_t k, stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    opened *place = &c->open[0];
    stoa_file_options how = STOA_FILE_OPTIONS_INIT;

    *table = c->first;
    if (k == 0) {
        return STOA_OK;
    }
    for (size_t i = 0; i < N_OPEN; i++) {
        if (c->open[i].table != NULL && c->open[i].member == k) {
            c->open[i].used = ++c->clock;
            *table = c->open[i].table;
            return STOA_OK;
        }
        place = c->open[i].used < place->used ? &c->open[i] : place;
    }
    close_one(place);
    how.patience = &c->patience;
    how.map = c->maps;
    STOA_TRY(stoa_file_open_with(c->members[k].file, STOA_FILE_READ, &how, &place->file, err));
    STOA_TRY(stoa_table_open(stoa_file_id(place->file), c->path, &place->table, err));
    place->member = k;
    place->used = ++c->clock;
    *table = place->table;

done:
    if (status != STOA_OK) {
        close_one(place);
    }
    return stoa_at(err, status, "%s", c->members[k].file);
}

/* Rows -------------------------------------------------------------------------------------- */

/* A column of the combined table. */
typedef struct chained {
    chain *chain;
    char *name;
    struct ArrowSchema schema;
} chained;

static void close_chained(void *context)
{
    chained *const l = context;

    release(l->chain);
    stoa_schema_release(&l->schema);
    free(l->name);
    free(l);
}

static size_t member_of(const chain *c, uint64_t row)
{
    size_t low = 0;
    size_t high = c->n;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (c->members[middle].first <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Read the requested rows from each member, one array per member. */
static stoa_status read_parts(const chained *l, uint64_t first, uint64_t count, stoa_buffer *parts,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const chain *const c = l->chain;

    for (size_t k = member_of(c, first); count > 0; k++) {
        const member *const m = &c->members[k];
        const uint64_t at = first - m->first;
        const uint64_t n = count < m->n_rows - at ? count : m->n_rows - at;
        struct ArrowArray part = {0};
        stoa_table *table = NULL;
        if (n == 0) {
            continue;
        }
        STOA_RETURN_NOT_OK(table_of(l->chain, k, &table, err));
        STOA_RETURN_NOT_OK(
            stoa_categories_as_text_read(stoa_table_find(table, l->name), at, n, &part, err));
        status = stoa_buffer_append(parts, &part, sizeof part, err);
        if (status != STOA_OK) {
            stoa_array_release(&part);
            return status;
        }
        first += n;
        count -= n;
    }
    return status;
}

/* Join the parts into one array. */
static stoa_status join(const struct ArrowSchema *schema, struct ArrowArray *parts, size_t n_parts,
                        uint64_t count, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view *views = stoa_alloc_zero(n_parts, sizeof *views);
    const stoa_view **sources = stoa_alloc_zero(n_parts, sizeof(stoa_view *));
    stoa_row_source *picks = stoa_alloc((size_t)count, sizeof *picks);
    size_t n = 0;

    STOA_TRY(views != NULL && sources != NULL && picks != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n_parts; i++) {
        STOA_TRY(stoa_view_of(schema, &parts[i], &views[i], err));
        sources[i] = &views[i];
        for (int64_t row = 0; row < parts[i].length; row++) {
            picks[n++] = (stoa_row_source){row, (uint32_t)i};
        }
    }
    STOA_TRY(stoa_take(sources, n_parts, picks, (int64_t)n, out, err));

done:
    free(views);
    free(sources);
    free(picks);
    return status;
}

static stoa_status read_rows(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const chained *const l = context;
    stoa_buffer parts = {0};

    STOA_TRY(count > 0 ? read_parts(l, first, count, &parts, err)
                       : stoa_categories_as_text_read(stoa_table_find(l->chain->first, l->name), 0,
                                                      0, out, err));
    struct ArrowArray *const arrays = (struct ArrowArray *)(void *)parts.data;
    const size_t n_parts = parts.size / sizeof *arrays;
    if (n_parts == 1) {
        stoa_array_move(&arrays[0], out);
    } else if (n_parts > 1) {
        STOA_TRY(join(&l->schema, arrays, n_parts, count, out, err));
    }

done:
    for (size_t i = 0; i < parts.size / sizeof(struct ArrowArray); i++) {
        stoa_array_release((struct ArrowArray *)(void *)parts.data + i);
    }
    stoa_buffer_clear(&parts);
    return status;
}

/* Opening ----------------------------------------------------------------------------------- */

static bool is_same_type(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    bool same = strcmp(a->format, b->format) == 0 && a->n_children == b->n_children;

    for (int64_t i = 0; same && i < a->n_children; i++) {
        same = is_same_type(a->children[i], b->children[i]) &&
               (a->format[1] != 's' || strcmp(a->children[i]->name, b->children[i]->name) == 0);
    }
    return same;
}

/* Check that another file has a column of the first file, with the same type. */
static stoa_status check_column(const stoa_column *first, const stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const name = stoa_column_name(first);
    const stoa_column *const column = stoa_table_find(table, name);
    struct ArrowSchema a = {0};
    struct ArrowSchema b = {0};

    if (column == NULL) {
        STOA_FAIL(err, STOA_EDATA, "has no column '%s', which the first file has", name);
    }
    STOA_TRY(stoa_categories_as_text_schema(first, &a, err));
    STOA_TRY(stoa_categories_as_text_schema(column, &b, err));
    if (!is_same_type(&a, &b)) {
        STOA_FAIL(err, STOA_EDATA,
                  "its column '%s' is of another type than in the first file (Arrow's %s, not %s)",
                  name, b.format, a.format);
    }

done:
    stoa_schema_release(&a);
    stoa_schema_release(&b);
    return status;
}

static stoa_status check_member(const chain *c, const stoa_table *table, stoa_error *err)
{
    for (size_t i = 0; i < stoa_table_n_columns(c->first); i++) {
        STOA_RETURN_NOT_OK(check_column(stoa_table_column(c->first, i), table, err));
    }
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const char *const name = stoa_column_name(stoa_table_column(table, i));
        if (stoa_table_find(c->first, name) == NULL) {
            return stoa_fail(err, STOA_EDATA, "has a column '%s', which the first file has not",
                             name);
        }
    }
    return STOA_OK;
}

/* Open every file once. */
static stoa_status open_all(chain *c, uint64_t *n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *n_rows = 0;
    for (size_t k = 0; k < c->n; k++) {
        stoa_table *table = NULL;
        STOA_RETURN_NOT_OK(table_of(c, k, &table, err));
        status = k > 0 ? check_member(c, table, err) : STOA_OK;
        STOA_RETURN_NOT_OK(stoa_at(err, status, "%s:%s", c->members[k].file, c->path));
        c->members[k].first = *n_rows;
        c->members[k].n_rows = stoa_table_n_rows(table);
        *n_rows += c->members[k].n_rows;
    }
    return status;
}

static stoa_status add_column(chain *c, const stoa_column *first, stoa_table *table,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {0};
    stoa_column *column = NULL;
    chained *l = stoa_alloc_zero(1, sizeof *l);

    STOA_TRY(l != NULL ? STOA_OK : stoa_fail_memory(err));
    l->chain = c;
    c->n_holders++;
    l->name = stoa_strdup(stoa_column_name(first));
    STOA_TRY(l->name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_categories_as_text_schema(first, &l->schema, err));
    STOA_TRY(stoa_schema_copy(&l->schema, &schema, err));
    const stoa_column_source source = {
        .read_array = read_rows, .close = close_chained, .context = l};
    l = NULL;
    STOA_TRY(stoa_column_of_source(&schema, table->n_rows, &source, &column, err));
    STOA_TRY(stoa_foreign_add(table, column, err));

done:
    if (l != NULL) {
        close_chained(l);
    }
    return status;
}

static stoa_status add_columns(chain *c, stoa_table *table, stoa_error *err)
{
    for (size_t i = 0; i < c->first->n_columns; i++) {
        STOA_RETURN_NOT_OK(add_column(c, c->first->columns[i], table, err));
    }
    for (size_t j = 0; j < c->first->n_index_columns; j++) {
        size_t i = 0;
        while (c->first->columns[i] != c->first->index_columns[j]) {
            i++;
        }
        STOA_RETURN_NOT_OK(stoa_foreign_label_rows(table, i, err));
    }
    return STOA_OK;
}

static stoa_status make(hid_t first, const char *const *files, size_t n, const char *path, chain *c,
                        stoa_error *err)
{
    c->members = stoa_alloc_zero(n, sizeof *c->members);
    c->path = stoa_strdup(path);
    STOA_RETURN_NO_MEMORY(err, c->members != NULL && c->path != NULL);
    for (c->n = 0; c->n < n; c->n++) {
        c->members[c->n].file = stoa_strdup(files[c->n]);
        STOA_RETURN_NO_MEMORY(err, c->members[c->n].file);
    }
    return stoa_table_open(first, path, &c->first, err);
}

stoa_status stoa_table_open_files(hid_t first, const char *const *files, size_t n, const char *path,
                                  stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;
    uint64_t n_rows = 0;
    chain *c = stoa_alloc_zero(1, sizeof *c);

    *table = NULL;
    STOA_TRY(c != NULL ? STOA_OK : stoa_fail_memory(err));
    c->n_holders = 1;
    c->patience = stoa_patience_of(first);
    c->maps = stoa_is_in_mapped_file(first);
    STOA_TRY(make(first, files, n, path, c, err));
    STOA_TRY(open_all(c, &n_rows, err));
    STOA_HDF(err, object = stoa_open_here(first, stoa_table_path(c->first)), "open it");
    const hid_t taken = object;
    object = H5I_INVALID_HID;
    STOA_TRY(stoa_foreign_begin(taken, stoa_table_path(c->first), files[0], "files", n_rows, table,
                                err));
    STOA_TRY(stoa_foreign_set_metadata(*table, c->first, err));
    STOA_TRY(add_columns(c, *table, err));

done:
    if (status != STOA_OK) {
        stoa_table_close(*table);
        *table = NULL;
    }
    release(c);
    return stoa_hdf_close(&object, status, err);
}
