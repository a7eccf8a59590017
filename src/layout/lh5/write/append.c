/* Append rows to LH5 tables, arrays and vectors. Lengths continue the stored sums, and packed
 * columns keep their codec and shift (LH5 notes §5.2). After a failure every dataset has the rows
 * it had before. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/other_files.h"
#include "hdf/read/checked_reader.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/append.h"
#include "layout/lh5/write/writer.h"

/* --- existing datasets ------------------------------------------------------------------------ */

static stoa_status open_rows(hid_t parent, const char *name, stoa_lh5_rows *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hsize_t most[H5S_MAX_RANK];

    if (name == NULL) {
        STOA_HDF(err, H5Iinc_ref(parent), "hold the dataset");
        rows->dataset = parent;
    } else {
        STOA_HDF(err, rows->dataset = stoa_open_here(parent, name), "open '%s'", name);
    }
    STOA_TRY(stoa_values_may_be_written(rows->dataset, err));
    STOA_HDF(err, space = H5Dget_space(rows->dataset), "get the shape");
    STOA_HDF(err, rows->rank = H5Sget_simple_extent_dims(space, rows->extent, most),
             "get the shape");
    if (rows->rank < 1 || most[0] != H5S_UNLIMITED) {
        STOA_FAIL(err, STOA_ELAYOUT, "its datasets are of fixed size: nothing can be appended");
    }
    rows->n_before = rows->extent[0];

done:
    return stoa_hdf_close(&space, status, err);
}

/* Read the end of the last vector; 0 if there are no vectors. */
static stoa_status read_end(const stoa_lh5_rows *rows, uint64_t *end, stoa_error *err)
{
    const hsize_t one = 1;
    const hsize_t last = rows->extent[0] - 1;

    *end = 0;
    if (rows->extent[0] > 0) {
        STOA_RETURN_NOT_OK(stoa_chunks_read(rows->dataset, false, H5T_NATIVE_UINT64, &last, &one,
                                            H5P_DEFAULT, end, err));
    }
    return STOA_OK;
}

static stoa_status check_end(uint64_t end, uint64_t n_items, const char *path, stoa_error *err)
{
    return end == n_items ? STOA_OK
                          : stoa_fail(err, STOA_EDATA,
                                      "column '%s' has %llu items, but its lengths count %llu",
                                      path, (unsigned long long)n_items, (unsigned long long)end);
}

/* --- checks of values ------------------------------------------------------------------------- */

/* Check that numbers fit. `there` is the column's kind in the file. */
static stoa_status check_numbers(const char *path, stoa_kind ours, stoa_kind there,
                                 const stoa_domain *domain, stoa_error *err)
{
    const bool is_integer = stoa_kind_is_integer(ours) && stoa_kind_is_integer(there);
    const bool is_float = stoa_kind_is_float(ours) && stoa_kind_is_float(there);

    if (is_integer ? !stoa_domain_fits(domain, there)
                   : is_float && ((there == STOA_KIND_FLOAT32 && ours == STOA_KIND_FLOAT64 &&
                                   !domain->is_float32 && domain->has_number) ||
                                  (there == STOA_KIND_FLOAT16 && ours != STOA_KIND_FLOAT16 &&
                                   !domain->is_float16 && domain->has_number))) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' has values that its %s there do not hold",
                         path, is_integer ? "integers" : "floats");
    }
    return is_integer || is_float || ours == there
               ? STOA_OK
               : stoa_fail(err, STOA_ETYPE, "column '%s' is of another kind there", path);
}

/* Check that the chosen items fit the dataset's type. */
static stoa_status check_items(const stoa_lh5_items *items, hid_t dataset, const char *path,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t stored = H5I_INVALID_HID;

    STOA_HDF(err, stored = H5Dget_type(dataset), "get the type");
    const H5T_class_t class = H5Tget_class(stored);
    bool is_same = class == H5Tget_class(items->stored);
    if (is_same && class == H5T_STRING) {
        is_same = H5Tis_variable_str(stored) == H5Tis_variable_str(items->stored) &&
                  H5Tget_size(stored) >= H5Tget_size(items->stored);
    } else if (is_same && class != H5T_INTEGER && class != H5T_FLOAT) {
        is_same = H5Tequal(stored, items->stored) > 0;
    }
    if (!is_same) {
        STOA_FAIL(err, STOA_ETYPE,
                  class == H5T_STRING ? "column '%s' has strings that those there do not hold"
                                      : "column '%s' is of another kind there",
                  path);
    }

done:
    return stoa_hdf_close(&stored, status, err);
}

/* --- existing objects ------------------------------------------------------------------------- */

static stoa_status open_sink(hid_t parent, const char *name, const char *path,
                             const struct ArrowSchema *field, const struct ArrowSchema *there,
                             const stoa_column_stats *stats, stoa_lh5_sink *sink, stoa_error *err);

static stoa_status open_array(hid_t parent, const char *name, const char *path,
                              const struct ArrowSchema *there, const stoa_column_stats *stats,
                              stoa_lh5_sink *sink, stoa_error *err)
{
    const struct ArrowSchema *ours = sink->field;
    const struct ArrowSchema *notes = there;
    stoa_type type;
    stoa_type stored;

    STOA_RETURN_NOT_OK(stoa_type_of(ours, &type, err));
    STOA_RETURN_NOT_OK(stoa_type_of(there, &stored, err));
    if (type.kind == STOA_KIND_FIXED_LIST && stored.kind == STOA_KIND_FIXED_LIST) {
        if (type.width != stored.width) {
            return stoa_fail(err, STOA_ETYPE, "column '%s' has lists of %d items, not of %d", path,
                             (int)type.width, (int)stored.width);
        }
        ours = ours->children[0];
        notes = there->children[0];
        stats = stats->fields;
        STOA_RETURN_NOT_OK(stoa_type_of(ours, &type, err));
        STOA_RETURN_NOT_OK(stoa_type_of(notes, &stored, err));
    }
    if (!stoa_lh5_is_item(ours)) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' is of another kind there", path);
    }
    STOA_RETURN_NOT_OK(open_rows(parent, name, &sink->rows, err));
    STOA_RETURN_NOT_OK(
        stoa_lh5_items_choose(ours, there, path, stats, &sink->said, &sink->items, err));
    STOA_RETURN_NOT_OK(check_items(&sink->items, sink->rows.dataset, path, err));
    if (sink->items.how == STOA_LH5_NUMBERS) {
        STOA_RETURN_NOT_OK(check_numbers(path, type.kind, stored.kind, &stats->domain, err));
    } else if (type.kind == STOA_KIND_BOOL && stored.kind != STOA_KIND_BOOL) {
        return stoa_fail(err, STOA_ETYPE, "column '%s' has no bools there", path);
    }
    return STOA_OK;
}

static stoa_status open_vectors(const char *path, const struct ArrowSchema *there,
                                const stoa_column_stats *stats, stoa_lh5_sink *sink,
                                stoa_error *err)
{
    stoa_lh5_sink *items = NULL;

    if (sink->field->n_children != 1 || there->n_children != 1 || there->format[0] != '+') {
        return stoa_fail(err, STOA_ETYPE, "column '%s' is of another kind there", path);
    }
    STOA_RETURN_NOT_OK(stoa_lh5_sink_parts(sink, 1, err));
    items = sink->parts;
    STOA_RETURN_NOT_OK(open_sink(sink->group, STOA_LH5_ITEMS, path, sink->field->children[0],
                                 there->children[0], stats->fields, items, err));
    STOA_RETURN_NOT_OK(open_rows(sink->group, STOA_LH5_LENGTHS, &sink->rows, err));
    STOA_RETURN_NOT_OK(read_end(&sink->rows, &sink->n_items, err));
    return check_end(sink->n_items, items->rows.extent[0], path, err);
}

/* If all stored rows have one number of samples, check that the new rows have it, too. */
static stoa_status check_size(const stoa_lh5_sink *sink, const struct ArrowSchema *there,
                              const char *path, stoa_error *err)
{
    stoa_type ours;
    stoa_type theirs;

    STOA_RETURN_NOT_OK(stoa_type_of(sink->field, &ours, err));
    STOA_RETURN_NOT_OK(stoa_type_of(there, &theirs, err));
    if (theirs.kind == STOA_KIND_FIXED_LIST &&
        (ours.kind != STOA_KIND_FIXED_LIST || ours.width != theirs.width)) {
        return stoa_fail(
            err, STOA_ETYPE,
            "column '%s' has rows that are not of %d samples, which decoded_size says of all", path,
            (int)theirs.width);
    }
    return STOA_OK;
}

static stoa_status open_packed(const char *path, const struct ArrowSchema *there,
                               const stoa_column_stats *stats, stoa_lh5_sink *sink, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t data = H5I_INVALID_HID;
    stoa_type item = {.kind = STOA_KIND_OTHER};

    if (sink->field->n_children == 1) {
        STOA_TRY(stoa_type_of(sink->field->children[0], &item, err));
    }
    if (!stoa_kind_is_integer(item.kind)) {
        STOA_FAIL(err, STOA_ETYPE, "column '%s' has lists of integers there", path);
    }
    STOA_TRY(check_size(sink, there, path, err));
    STOA_HDF(err, data = stoa_open_here(sink->group, STOA_LH5_ENCODED), "open '%s'",
             STOA_LH5_ENCODED);
    STOA_TRY(open_rows(data, STOA_LH5_LENGTHS, &sink->rows, err));
    STOA_TRY(open_rows(data, STOA_LH5_ITEMS, &sink->bytes, err));
    STOA_TRY(read_end(&sink->rows, &sink->n_items, err));
    STOA_TRY(check_end(sink->n_items, sink->bytes.extent[0], path, err));
    if (strncmp(there->format, "+w", 2) != 0) {
        STOA_TRY(open_rows(sink->group, STOA_LH5_DECODED_SIZE, &sink->sizes, err));
    }
    (void)stats;

done:
    return stoa_hdf_close(&data, status, err);
}

static stoa_status open_sink(hid_t parent, const char *name, const char *path,
                             const struct ArrowSchema *field, const struct ArrowSchema *there,
                             const stoa_column_stats *stats, stoa_lh5_sink *sink, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;

    sink->field = field;
    if (stats->n_missing > 0) {
        STOA_TRY(stoa_layout_refuse_missing(path, stats->n_missing, "LH5", STOA_LH5_MISSING, err));
    }
    STOA_TRY(stoa_lh5_sink_parse_type(sink, there, err));
    STOA_HDF(err, object = stoa_open_here(parent, name), "open '%s'", name);
    if (H5Iget_type(object) != H5I_GROUP) {
        STOA_TRY(open_array(object, NULL, path, there, stats, sink, err));
        goto done;
    }
    sink->group = object;
    object = H5I_INVALID_HID;
    if (stoa_object_exists(sink->group, STOA_LH5_ENCODED) && field->n_children == 1) {
        STOA_TRY(stoa_lh5_packing_of(NULL, path, there, stats, &sink->packing, err));
        STOA_TRY(open_packed(path, there, stats, sink, err));
    } else {
        STOA_TRY(open_vectors(path, there, stats, sink, err));
    }

done:
    return stoa_hdf_close(&object, status, err);
}

/* --- tables ----------------------------------------------------------------------------------- */

typedef struct appending {
    const stoa_layout_source *source;
    stoa_lh5_target target;
    struct ArrowSchema *there; /* field of each column, as in the table */
    size_t *of;                /* for each column, the index of its source column */
    stoa_lh5_sink *columns;
    size_t n_columns;
} appending;

static stoa_status find_source(const stoa_layout_source *source, const char *name, size_t *i,
                               stoa_error *err)
{
    for (*i = 0; *i < (size_t)source->schema->n_children; ++*i) {
        if (strcmp(source->schema->children[*i]->name, name) == 0) {
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_ETYPE, "there is no column '%s' among the new ones", name);
}

static stoa_status open_column(appending *a, const stoa_table *table, size_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *const column = table->columns[i];
    const char *what = NULL;
    size_t length = 0;
    char *path = stoa_lh5_path_of(table->group, column->name, strlen(column->name));

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_schema(column, &a->there[i], err));
    const bool is_loose = stoa_schema_get(&a->there[i], "lh5.object", &what, &length);
    if (stoa_lh5_says(&a->there[i], "lh5.object", "scalar") ||
        stoa_lh5_says(&a->there[i], "lh5.object", "histogram")) {
        STOA_FAIL(err, STOA_ELAYOUT, "nothing can be appended to a %.*s", (int)length, what);
    }
    if (!is_loose) { /* the source of a single object may have another name */
        STOA_TRY(find_source(a->source, column->name, &a->of[i], err));
    }
    a->columns[i].target = &a->target;
    STOA_TRY(open_sink(table->group, is_loose ? "." : path, column->name,
                       a->source->schema->children[a->of[i]], &a->there[i],
                       &a->source->columns[a->of[i]], &a->columns[i], err));

done:
    free(path);
    return status;
}

static stoa_status put_batch(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    appending *const a = context;

    (void)first;
    return stoa_lh5_sinks_put(a->columns, a->n_columns, a->of, rows, err);
}

static void cut(const stoa_lh5_rows *rows)
{
    hsize_t extent[H5S_MAX_RANK];
    const stoa_error_stack errors = stoa_error_stack_begin();

    memcpy(extent, rows->extent, sizeof extent);
    extent[0] = rows->n_before;
    if (rows->dataset >= 0) {
        (void)stoa_dataset_resize(rows->dataset, extent, NULL);
    }
    stoa_error_stack_end(&errors);
}

/* Restore the number of rows of every dataset. */
static void undo(const stoa_lh5_sink *sink)
{
    cut(&sink->rows);
    cut(&sink->bytes);
    cut(&sink->sizes);
    for (size_t i = 0; i < sink->n_parts; i++) {
        undo(&sink->parts[i]);
    }
}

static stoa_status begin(appending *a, const stoa_table *table, stoa_error *err)
{
    const size_t n = table->n_columns;

    a->there = stoa_alloc_zero(n, sizeof *a->there);
    a->of = stoa_alloc_zero(n, sizeof *a->of);
    a->columns = stoa_lh5_sinks(n);
    STOA_RETURN_NO_MEMORY(err, a->there != NULL && a->of != NULL && a->columns != NULL);
    a->n_columns = n;
    if ((size_t)a->source->schema->n_children != n) {
        return stoa_fail(err, STOA_ETYPE, "there are %lld new columns for a table of %zu",
                         (long long)a->source->schema->n_children, n);
    }
    STOA_RETURN_NOT_OK(stoa_workers_open(a->source->options->threads, &a->target.workers, err));
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(open_column(a, table, i, err));
    }
    return STOA_OK;
}

stoa_status stoa_lh5_append(const stoa_layout_source *source, stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    appending a = {.source = source};

    STOA_TRY(begin(&a, table, err));
    status = stoa_layout_each_batch(source, put_batch, &a, err);
    for (size_t i = 0; status != STOA_OK && i < a.n_columns; i++) {
        undo(&a.columns[i]);
    }

done:
    for (size_t i = 0; i < a.n_columns; i++) {
        status = stoa_lh5_sink_close(&a.columns[i], status, err);
        stoa_schema_release(&a.there[i]);
    }
    free(a.there);
    free(a.of);
    free(a.columns);
    stoa_workers_close(a.target.workers);
    return status;
}
