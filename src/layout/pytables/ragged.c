/* Writes tables with columns of lists (ragged.h). */
#include "layout/pytables/ragged.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/pytables/row_writer.h"
#include "layout/pytables/vlarray.h"
#include "table/write/target.h"

/* The part of a source that goes to one object of the group. All is borrowed from the source, but
 * for the arrays of pointers. */
typedef struct part {
    size_t *at; /* its columns in the source */
    size_t n;
    stoa_layout_source source;
    struct ArrowSchema schema;
    struct ArrowSchema **fields;
    struct ArrowArray **arrays; /* of the current batch */
    stoa_column_stats *stats;
} part;

typedef struct writing {
    const stoa_layout_source *source;
    part plain; /* what goes into the Table */
    stoa_pack rows;
    hid_t table;
    stoa_row_writer table_writer;
    size_t *lists; /* columns of the source that are VLArrays */
    stoa_vlarray *vlarrays;
    size_t n_lists;
} writing;

/* --- names ----------------------------------------------------------------------------------- */

/* PyTables refuses these names or hides what has them. */
static stoa_status check_name(const char *name, stoa_error *err)
{
    const bool is_reserved =
        name[0] == '_' && name[1] != '\0' && strchr("cfgvip", name[1]) != NULL && name[2] == '_';

    if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0 || is_reserved ||
        strcmp(name, "__members__") == 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "no VLArray of PyTables can be called '%s', as a column of lists would "
                         "be; rename the column",
                         name);
    }
    return STOA_OK;
}

/* The name of the Table: "table", with underscores as long as a VLArray has that name. The caller
 * frees it. */
static stoa_status name_table(const writing *w, char **name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer made = {0};
    bool is_taken = true;

    STOA_TRY(stoa_buffer_print(&made, err, STOA_RAGGED_TABLE));
    while (is_taken) {
        is_taken = false;
        for (size_t i = 0; i < w->n_lists && !is_taken; i++) {
            const char *const list = w->source->schema->children[w->lists[i]]->name;
            is_taken = strlen(list) == made.size && memcmp(list, made.data, made.size) == 0;
        }
        STOA_TRY(is_taken ? stoa_buffer_print(&made, err, "_") : STOA_OK);
    }
    *name = stoa_buffer_detach(&made); /* which ends with a NUL */

done:
    stoa_buffer_clear(&made);
    return status;
}

/* --- the Table ------------------------------------------------------------------------------- */

/* Make the part of the columns at `at`. */
static stoa_status make_part(part *p, const stoa_layout_source *source, stoa_error *err)
{
    p->fields = stoa_alloc(p->n, sizeof *p->fields);
    p->arrays = stoa_alloc(p->n, sizeof *p->arrays);
    p->stats = stoa_alloc(p->n, sizeof *p->stats);
    if (p->fields == NULL || p->arrays == NULL || p->stats == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t i = 0; i < p->n; i++) {
        p->fields[i] = source->schema->children[p->at[i]];
        p->stats[i] = source->columns[p->at[i]];
    }
    p->schema = *source->schema;
    p->schema.n_children = (int64_t)p->n;
    p->schema.children = p->fields;
    p->source = *source;
    p->source.schema = &p->schema;
    p->source.columns = p->stats;
    p->source.title = NULL;
    return STOA_OK;
}

static stoa_status begin_table(writing *w, hid_t file, stoa_error *err)
{
    if (w->plain.n == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(make_part(&w->plain, w->source, err));
    STOA_RETURN_NOT_OK(stoa_pytables_begin(&w->plain.source, file, &w->rows, &w->table, err));
    return stoa_row_writer_open(&w->table_writer, &w->rows, w->table, w->rows.stored, 0,
                                w->source->options->threads, err);
}

static stoa_status put_rows(writing *w, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    struct ArrowArray some = *rows->array;
    stoa_view plain;

    if (w->plain.n == 0) {
        return STOA_OK;
    }
    for (size_t i = 0; i < w->plain.n; i++) {
        w->plain.arrays[i] = rows->array->children[w->plain.at[i]];
    }
    some.n_children = (int64_t)w->plain.n;
    some.children = w->plain.arrays;
    STOA_RETURN_NOT_OK(stoa_view_of_sound(&w->plain.schema, &some, &plain, err));
    return stoa_row_writer_put(&w->table_writer, &plain, first, err);
}

/* --- all columns ----------------------------------------------------------------------------- */

/* Tell the columns of lists from the others. */
static stoa_status sort_columns(writing *w, stoa_error *err)
{
    const struct ArrowSchema *const schema = w->source->schema;
    const size_t n = (size_t)schema->n_children;

    w->lists = stoa_alloc(n, sizeof *w->lists);
    w->plain.at = stoa_alloc(n, sizeof *w->plain.at);
    w->vlarrays = stoa_alloc(n, sizeof *w->vlarrays);
    if (w->lists == NULL || w->plain.at == NULL || w->vlarrays == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        if (stoa_vlarray_form_of(schema->children[i], n == 1) == STOA_VLARRAY_NONE) {
            w->plain.at[w->plain.n++] = i;
        } else {
            w->vlarrays[w->n_lists] = (stoa_vlarray)STOA_VLARRAY_INIT;
            w->lists[w->n_lists++] = i;
        }
    }
    return STOA_OK;
}

static stoa_status put_batch(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    writing *const w = context;

    STOA_RETURN_NOT_OK(put_rows(w, rows, first, err));
    for (size_t i = 0; i < w->n_lists; i++) {
        stoa_view column;
        STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)w->lists[i], &column, err));
        status = stoa_vlarray_put(&w->vlarrays[i], &column, first, err);
        STOA_RETURN_NOT_OK(
            stoa_at(err, status, "%s", w->source->schema->children[w->lists[i]]->name));
    }
    return STOA_OK;
}

/* Write all rows. The objects have no names yet. */
static stoa_status write_objects(writing *w, hid_t file, stoa_error *err)
{
    const bool is_alone = w->plain.n == 0 && w->n_lists == 1;
    const char *const title = is_alone && w->source->title != NULL ? w->source->title : "";

    STOA_RETURN_NOT_OK(begin_table(w, file, err));
    for (size_t i = 0; i < w->n_lists; i++) {
        STOA_RETURN_NOT_OK(
            stoa_vlarray_open(&w->vlarrays[i], w->source, w->lists[i], file, title, err));
    }
    STOA_RETURN_NOT_OK(stoa_layout_each_batch(w->source, put_batch, w, err));
    return w->plain.n > 0 ? stoa_chunk_writer_flush(&w->table_writer.writer, err) : STOA_OK;
}

static stoa_status link_objects(const writing *w, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t list = H5I_INVALID_HID;
    char *name = NULL;

    STOA_TRY(stoa_table_link_list(&list, err));
    for (size_t i = 0; i < w->n_lists; i++) {
        const char *const column = w->source->schema->children[w->lists[i]]->name;
        STOA_HDF(err, stoa_link_nameless(w->vlarrays[i].dataset, group, column, list), "link '%s'",
                 column);
    }
    if (w->plain.n > 0) {
        STOA_TRY(name_table(w, &name, err));
        STOA_HDF(err, stoa_link_nameless(w->table, group, name, list), "link '%s'", name);
    }

done:
    free(name);
    return stoa_hdf_close(&list, status, err);
}

static stoa_status write_group(writing *w, hid_t file, hid_t *object, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;

    for (size_t i = 0; i < w->n_lists; i++) {
        STOA_TRY(check_name(w->source->schema->children[w->lists[i]]->name, err));
    }
    STOA_TRY(write_objects(w, file, err));
    STOA_HDF(err, group = H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT), "make a group");
    STOA_TRY(stoa_pytables_write_text(group, "TITLE",
                                      w->source->title != NULL ? w->source->title : "", err));
    STOA_TRY(stoa_pytables_mark_group(group, err));
    STOA_TRY(stoa_pytables_write_names(group, w->source->schema, stoa_pytables_write_text, err));
    STOA_TRY(link_objects(w, group, err));
    *object = group;
    group = H5I_INVALID_HID;

done:
    return stoa_hdf_close(&group, status, err);
}

/* The column's name is that of the VLArray, which the caller gives; so it is an attribute. */
static stoa_status write_vlarray(writing *w, hid_t file, hid_t *object, stoa_error *err)
{
    hid_t *const dataset = &w->vlarrays[0].dataset;

    STOA_RETURN_NOT_OK(write_objects(w, file, err));
    STOA_RETURN_NOT_OK(
        stoa_pytables_write_names(*dataset, w->source->schema, stoa_pytables_write_text, err));
    *object = *dataset;
    *dataset = H5I_INVALID_HID;
    return STOA_OK;
}

static stoa_status end(writing *w, stoa_status status, stoa_error *err)
{
    for (size_t i = 0; i < w->n_lists; i++) {
        status = stoa_vlarray_close(&w->vlarrays[i], status, err);
    }
    stoa_row_writer_close(&w->table_writer);
    stoa_pack_clear(&w->rows);
    free(w->plain.at);
    free(w->plain.fields);
    free(w->plain.arrays);
    free(w->plain.stats);
    free(w->lists);
    free(w->vlarrays);
    return stoa_hdf_close(&w->table, status, err);
}

stoa_status stoa_ragged_write(const stoa_layout_source *source, hid_t file, hid_t *object,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    writing w = {.source = source,
                 .rows = {.stored = H5I_INVALID_HID},
                 .table = H5I_INVALID_HID,
                 .table_writer = {.writer = STOA_CHUNK_WRITER_INIT}};

    *object = H5I_INVALID_HID;
    STOA_TRY(sort_columns(&w, err));
    STOA_TRY(w.n_lists == 0                    ? stoa_pytables_write(source, file, object, err)
             : source->schema->n_children == 1 ? write_vlarray(&w, file, object, err)
                                               : write_group(&w, file, object, err));

done:
    return end(&w, status, err);
}
