/* Arkouda objects as tables, whether they have one column or several. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "layout/arkouda/read/column.h"

/* An object that is being added to a table. */
typedef struct filling {
    stoa_table *table;
    stoa_arkouda_set *set;
    const char *path;
    stoa_status status; /* of a visit of links */
    stoa_error *err;
} filling;

stoa_status stoa_arkouda_table_add(stoa_table *table, stoa_column *column, stoa_error *err)
{
    const stoa_column *const first = stoa_foreign_first(table);

    if (first == NULL) {
        table->n_rows = column->n_rows;
    }
    if (column->n_rows != table->n_rows) {
        const stoa_status status = stoa_fail(err, STOA_EDATA, "'%s' has %llu rows, and '%s' %llu",
                                             column->name, (unsigned long long)column->n_rows,
                                             first->name, (unsigned long long)table->n_rows);
        stoa_column_close(column);
        return status;
    }
    return stoa_foreign_add(table, column, err);
}

/* Add a child as the next column. */
static stoa_status add_child(const filling *f, const char *child, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arkouda_class sort;
    stoa_column *column = NULL;
    char *path = stoa_format("%s/%s", f->path, child);

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_class_in_set(f->set, path, true, &sort, err));
    if (!stoa_arkouda_is_column(&sort)) {
        STOA_FAIL(err, STOA_EDATA, "is a %s, which is no column", stoa_arkouda_class_name(&sort));
    }
    STOA_TRY(stoa_arkouda_column_open(f->set, path, &sort, child, &column, err));
    STOA_TRY(stoa_arkouda_table_add(f->table, column, err));

done:
    status = path != NULL ? stoa_arkouda_set_at(f->set, 0, path, status, err) : status;
    free(path);
    return status;
}

/* Add KEY_0, KEY_1 ... by number, whatever the order in the group. */
static stoa_status add_numbered(const filling *f, const char *prefix, uint64_t n, stoa_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s%llu", prefix, (unsigned long long)i);
        STOA_RETURN_NOT_OK(add_child(f, name, err));
    }
    return STOA_OK;
}

/* --- GroupBy --------------------------------------------------------------------------------- */

/* Add a column with one row per group, padded to the rows of the table. */
static stoa_status add_padded(const filling *f, const char *child, stoa_error *err)
{
    static const stoa_arkouda_requirements integers = {.is_int64 = true};
    stoa_status status = STOA_OK;
    stoa_arkouda_node *node = NULL;
    stoa_arkouda_node *padded = NULL;
    stoa_column *column = NULL;
    char *path = stoa_format("%s/%s", f->path, child);

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_numbers_open(f->set, path, &integers, &node, err));
    if (stoa_arkouda_rows(node) > f->table->n_rows) {
        STOA_FAIL(err, STOA_EDATA, "says %llu groups, of %llu rows",
                  (unsigned long long)stoa_arkouda_rows(node),
                  (unsigned long long)f->table->n_rows);
    }
    const stoa_status made = stoa_arkouda_padded_open(f->set, node, f->table->n_rows, &padded, err);
    node = NULL;
    STOA_TRY(made);
    STOA_TRY(stoa_arkouda_column_of(padded, child, &column, err));
    STOA_TRY(stoa_arkouda_table_add(f->table, column, err));

done:
    stoa_arkouda_node_close(node);
    status = path != NULL ? stoa_arkouda_set_at(f->set, 0, path, status, err) : status;
    free(path);
    return status;
}

static stoa_status count_keys(const filling *f, uint64_t *n_keys, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = stoa_arkouda_set_object(f->set, 0, f->path);
    const int64_t n = stoa_arkouda_number(group, STOA_ARKOUDA_NUM_KEYS, -1);
    char next[32];

    if (n < 1 || n > STOA_ARKOUDA_MAX_PARTS) {
        STOA_FAIL(err, STOA_EDATA, "is a groupby without a NumKeys that makes sense");
    }
    (void)snprintf(next, sizeof next, "%s%lld", STOA_ARKOUDA_KEY, (long long)n);
    if (stoa_object_exists(group, next)) {
        STOA_FAIL(err, STOA_EDATA, "has NumKeys %lld, but a key '%s' as well", (long long)n, next);
    }
    *n_keys = (uint64_t)n;

done:
    (void)stoa_arkouda_set_at(f->set, 0, f->path, status, err);
    return stoa_hdf_close(&group, status, err);
}

static stoa_status fill_groupby(const filling *f, stoa_error *err)
{
    uint64_t n_keys = 0;

    STOA_RETURN_NOT_OK(count_keys(f, &n_keys, err));
    STOA_RETURN_NOT_OK(add_numbered(f, STOA_ARKOUDA_KEY, n_keys, err));
    STOA_RETURN_NOT_OK(add_child(f, STOA_ARKOUDA_PERMUTATION, err));
    STOA_RETURN_NOT_OK(add_padded(f, STOA_ARKOUDA_SEGMENTS, err));
    return add_padded(f, STOA_ARKOUDA_UNIQUE_KEY, err);
}

/* --- Index and MultiIndex -------------------------------------------------------------------- */

/* Arkouda never reads NumIdx (§J.4). The levels are those that exist. */
static stoa_status fill_index(const filling *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = stoa_arkouda_set_object(f->set, 0, f->path);
    uint64_t n = 0;
    char name[32] = STOA_ARKOUDA_LEVEL "0";

    while (n < STOA_ARKOUDA_MAX_PARTS && stoa_object_exists(group, name)) {
        (void)snprintf(name, sizeof name, "%s%llu", STOA_ARKOUDA_LEVEL, (unsigned long long)++n);
    }
    if (n == 0) {
        status = stoa_fail(err, STOA_EDATA, "is an index without '%s'", name);
        STOA_TRY(stoa_arkouda_set_at(f->set, 0, f->path, status, err));
    }
    STOA_TRY(add_numbered(f, STOA_ARKOUDA_LEVEL, n, err));

done:
    return stoa_hdf_close(&group, status, err);
}

/* --- DataFrame ------------------------------------------------------------------------------- */

static herr_t see_column(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    filling *const f = context;
    stoa_error why = STOA_ERROR_INIT;

    (void)group;
    (void)info;
    if (strcmp(name, STOA_ARKOUDA_FRAME_INDEX) != 0 && add_child(f, name, &why) != STOA_OK) {
        f->status = stoa_foreign_add_damaged(f->table, name, &why, f->err);
    }
    return f->status == STOA_OK ? 0 : 1;
}

/* The index labels the rows. The order of the other columns is not stored (§I.2). */
static stoa_status fill_frame(filling *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = stoa_arkouda_set_object(f->set, 0, f->path);

    STOA_TRY(add_child(f, STOA_ARKOUDA_FRAME_INDEX, err));
    STOA_TRY(stoa_foreign_label_rows(f->table, 0, err));
    f->err = err;
    STOA_TRY(stoa_links_visit_as_made(group, see_column, f, err));
    status = f->status;

done:
    return stoa_hdf_close(&group, status, err);
}

/* --- any object ------------------------------------------------------------------------------ */

static stoa_status fill_column(const filling *f, const stoa_arkouda_class *sort, stoa_error *err)
{
    stoa_column *column = NULL;
    const char *const slash = strrchr(f->path, '/');

    STOA_RETURN_NOT_OK(stoa_arkouda_column_open(f->set, f->path, sort,
                                                slash != NULL ? slash + 1 : f->path, &column, err));
    return stoa_arkouda_table_add(f->table, column, err);
}

stoa_status stoa_arkouda_table_fill(stoa_table *table, stoa_arkouda_set *set, const char *path,
                                    const stoa_arkouda_class *sort, stoa_error *err)
{
    filling f = {.table = table, .set = set, .path = path};

    switch (sort->kind) {
    case STOA_ARKOUDA_GROUPBY:
        return fill_groupby(&f, err);
    case STOA_ARKOUDA_INDEX:
    case STOA_ARKOUDA_MULTIINDEX:
        return fill_index(&f, err);
    case STOA_ARKOUDA_DATAFRAME:
        return fill_frame(&f, err);
    default:
        return fill_column(&f, sort, err);
    }
}

/* --- as one column --------------------------------------------------------------------------- */

static stoa_status make_schema(stoa_table *fields, const char *name, struct ArrowSchema *out,
                               stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(out, name, "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, (int64_t)fields->n_columns, err));
    for (size_t i = 0; i < fields->n_columns; i++) {
        STOA_RETURN_NOT_OK(stoa_column_schema(fields->columns[i], out->children[i], err));
    }
    return STOA_OK;
}

static stoa_status read_rows(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_table *const fields = context;

    out->release = NULL;
    STOA_TRY(stoa_array_struct(out, (int64_t)count, (int64_t)fields->n_columns, err));
    for (size_t i = 0; i < fields->n_columns; i++) {
        STOA_TRY(stoa_column_read(fields->columns[i], first, count, out->children[i], err));
    }

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static void close_fields(void *context)
{
    stoa_table_close(context);
}

stoa_status stoa_arkouda_struct_open(stoa_arkouda_set *set, const char *path,
                                     const stoa_arkouda_class *sort, const char *name,
                                     stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *fields = NULL;
    struct ArrowSchema schema = {.release = NULL};
    const hid_t object = stoa_arkouda_set_object(set, 0, path);

    *column = NULL;
    STOA_TRY(stoa_foreign_begin(object, path, set->names[0], "arkouda", 0, &fields, err));
    STOA_TRY(stoa_arkouda_table_fill(fields, set, path, sort, err));
    STOA_TRY(make_schema(fields, name, &schema, err));
    const stoa_column_source source = {
        .read_array = read_rows, .close = close_fields, .context = fields};
    const uint64_t n_rows = fields->n_rows;
    fields = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));

done:
    stoa_table_close(fields);
    stoa_schema_release(&schema);
    return status;
}
