#include "column/read/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "column/write/categories.h"
#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/read/checked_reader.h"

stoa_status stoa_column_of_member(const char *name, stoa_rows *rows, unsigned index, size_t item,
                                  stoa_column **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    *out = NULL;
    STOA_TRY(stoa_column_note(H5I_INVALID_HID, name, stoa_rows_extent(rows), NULL, &column, err));
    column->is_loaded = true;
    column->is_foreign = true;
    STOA_TRY(stoa_row_member_open(rows, index, item, &column->element, &column->member, err));
    STOA_HDF(err, H5Iinc_ref(stoa_rows_dataset(rows)), "hold the table");
    column->dataset = stoa_rows_dataset(rows);
    column->extent = stoa_rows_extent(rows);
    column->chunk_rows = stoa_rows_chunk_rows(rows);
    stoa_column_resolve_type(column);
    *out = column;
    column = NULL;

done:
    stoa_column_close(column);
    return stoa_at(err, status, "%s", name);
}

void stoa_column_as_bools(stoa_column *column)
{
    column->type = (stoa_type){.kind = STOA_KIND_BOOL};
}

void stoa_column_as_times(stoa_column *column, const stoa_time_units *units)
{
    column->time = *units;
    stoa_column_resolve_time(column);
}

void stoa_column_as_durations(stoa_column *column, stoa_time_unit unit)
{
    stoa_column_resolve_duration(column, unit);
}

stoa_status stoa_column_set_missing(stoa_column *column, const void *fill, stoa_error *err)
{
    uint8_t *own = stoa_alloc(1, column->element.size);

    STOA_RETURN_NO_MEMORY(err, own);
    memcpy(own, fill, column->element.size);
    free(column->fill);
    column->fill = own;
    column->fill_is_nan = stoa_element_is_nan(&column->element, own);
    return STOA_OK;
}

void stoa_column_as_codes(stoa_column *column, struct ArrowSchema *schema,
                          struct ArrowArray *labels, bool is_ordered)
{
    column->type = (stoa_type){.kind = STOA_KIND_DICTIONARY, .index = column->element.kind};
    column->dictionary = *labels;
    column->dictionary_schema = *schema;
    column->has_labels = true;
    column->is_ordered = is_ordered;
    labels->release = NULL;
    schema->release = NULL;
}

stoa_status stoa_column_read_labels(stoa_column *labels, struct ArrowSchema *schema,
                                    struct ArrowArray *values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n = labels->n_rows;

    /* The number of rows is untrusted: a few bytes of a file can claim any. */
    if (n > STOA_CATEGORIES_MAX_LABELS || n > STOA_CATEGORIES_MAX_BYTES / labels->element.size) {
        STOA_FAIL(err, STOA_EDATA, "'%s' has %llu labels of %zu bytes", labels->name,
                  (unsigned long long)n, labels->element.size);
    }
    STOA_TRY(stoa_column_schema(labels, schema, err));
    STOA_TRY(stoa_column_read(labels, 0, n, values, err));

done:
    if (status != STOA_OK) {
        stoa_schema_release(schema);
    }
    return status;
}

stoa_status stoa_column_as_codes_of(stoa_column *column, stoa_column *labels, bool is_ordered,
                                    stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray values = {.release = NULL};
    const stoa_status status = stoa_column_read_labels(labels, &schema, &values, err);

    if (status == STOA_OK) {
        stoa_column_as_codes(column, &schema, &values, is_ordered);
    }
    return status;
}

/* --- sources --------------------------------------------------------------------------------- */

/* Create a column with only its name and number of rows. The source is closed on failure. */
static stoa_status begin(const char *name, uint64_t n_rows, const stoa_column_source *source,
                         stoa_column **column, stoa_error *err)
{
    const stoa_status status = stoa_column_note(H5I_INVALID_HID, name, n_rows, NULL, column, err);

    if (status != STOA_OK) {
        source->close(source->context);
        return status;
    }
    (*column)->source = *source;
    (*column)->is_loaded = true;
    (*column)->is_foreign = true;
    (*column)->extent = n_rows;
    return STOA_OK;
}

stoa_status stoa_column_of_elements(const char *name, stoa_element *element, uint64_t n_rows,
                                    const stoa_column_source *source, stoa_column **column,
                                    stoa_error *err)
{
    const stoa_status status = begin(name, n_rows, source, column, err);

    if (status != STOA_OK) {
        stoa_element_clear(element);
        return status;
    }
    (*column)->element = *element;
    *element = (stoa_element){.mem_type = H5I_INVALID_HID};
    stoa_column_resolve_type(*column);
    return STOA_OK;
}

stoa_status stoa_column_of_source(struct ArrowSchema *schema, uint64_t n_rows,
                                  const stoa_column_source *source, stoa_column **out,
                                  stoa_error *err)
{
    stoa_column *column = NULL;
    stoa_status status = begin(schema->name, n_rows, source, &column, err);

    *out = NULL;
    if (status != STOA_OK) {
        stoa_schema_release(schema);
        return status;
    }
    column->source_schema = *schema;
    schema->release = NULL;
    column->element.class = STOA_ELEMENT_OPAQUE; /* only the size is used */
    column->element.size = 1;
    (void)strcpy(column->element.text, "made by its layout");
    STOA_TRY(stoa_type_of(&column->source_schema, &column->type, err));
    *out = column;
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

/* --- codes ----------------------------------------------------------------------------------- */

static stoa_status make_labels(const stoa_string_set *labels, struct ArrowSchema *schema,
                               struct ArrowArray *array, stoa_error *err)
{
    const uint32_t n = labels->count;
    const bool is_large = labels->bytes.size > INT32_MAX;
    int64_t *const offsets = stoa_alloc((size_t)n + 1, sizeof *offsets);
    int32_t *const short_offsets = (int32_t *)(void *)offsets;
    uint8_t *const bytes = stoa_alloc(labels->bytes.size > 0 ? labels->bytes.size : 1, 1);

    if (offsets == NULL || bytes == NULL) {
        free(offsets);
        free(bytes);
        return stoa_fail_memory(err);
    }
    size_t at = 0;
    for (uint32_t i = 0; i <= n; i++) {
        size_t length = 0;
        const char *const text = i < n ? stoa_string_set_get(labels, i, &length) : "";
        memcpy(bytes + at, text, length);
        if (is_large) {
            offsets[i] = (int64_t)at;
        } else {
            short_offsets[i] = (int32_t)at;
        }
        at += length;
    }
    void *const buffers[] = {NULL, offsets, bytes};
    STOA_RETURN_NOT_OK(stoa_array_make(array, n, 0, 3, buffers, err));
    const stoa_status status = stoa_schema_make(schema, "", is_large ? "U" : "u", err);
    if (status != STOA_OK) {
        stoa_array_release(array);
    }
    return status;
}

stoa_status stoa_column_of_codes(const char *name, const stoa_string_set *labels, bool is_ordered,
                                 uint64_t n_rows, const stoa_column_source *source,
                                 stoa_column **out, stoa_error *err)
{
    const int32_t missing = -1;
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_element element = {.mem_type = H5I_INVALID_HID};

    *out = NULL;
    status = stoa_element_of(H5T_NATIVE_INT32, &element, err);
    if (status != STOA_OK) {
        source->close(source->context);
        return status;
    }
    STOA_TRY(stoa_column_of_elements(name, &element, n_rows, source, &column, err));
    STOA_TRY(stoa_column_set_missing(column, &missing, err));
    STOA_TRY(make_labels(labels, &schema, &array, err));
    stoa_column_as_codes(column, &schema, &array, is_ordered);
    *out = column;
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

/* --- rows in memory -------------------------------------------------------------------------- */

static stoa_status read_kept(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    struct ArrowArray *const kept = context;
    const stoa_status status = stoa_array_share(kept, out, err);

    if (status == STOA_OK) {
        out->offset += (int64_t)first;
        out->length = (int64_t)count;
        out->null_count = kept->null_count == 0 ? 0 : -1;
    }
    return status;
}

static void free_kept(void *context)
{
    struct ArrowArray *const kept = context;

    stoa_array_release(kept);
    free(kept);
}

stoa_status stoa_column_of_array(struct ArrowSchema *schema, struct ArrowArray *array,
                                 stoa_column **column, stoa_error *err)
{
    struct ArrowArray *kept = stoa_alloc(1, sizeof *kept);

    *column = NULL;
    if (kept == NULL) {
        stoa_schema_release(schema);
        stoa_array_release(array);
        return stoa_fail_memory(err);
    }
    const stoa_column_source source = {
        .read_array = read_kept, .close = free_kept, .context = kept};
    const uint64_t n_rows = (uint64_t)array->length;
    stoa_array_move(array, kept);
    return stoa_column_of_source(schema, n_rows, &source, column, err);
}

/* --- datasets -------------------------------------------------------------------------------- */

static stoa_status read_slab(void *context, uint64_t first, uint64_t count, void *out,
                             stoa_error *err)
{
    return stoa_slab_read(context, first, count, out, err);
}

static void free_slab(void *context)
{
    stoa_slab_close(context);
    free(context);
}

static stoa_status of_slab(const char *name, hid_t dataset, int axis, hsize_t at,
                           stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_slab *slab = stoa_alloc(1, sizeof *slab);
    stoa_element element = {.mem_type = H5I_INVALID_HID};

    if (slab == NULL) {
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
        return stoa_fail_memory(err);
    }
    status = stoa_slab_open(dataset, axis, at, &element, slab, err);
    if (status != STOA_OK) {
        free(slab);
        return status;
    }
    const stoa_column_source source = {
        .read_elements = read_slab, .close = free_slab, .context = slab};
    return stoa_column_of_elements(name, &element, stoa_slab_rows(slab), &source, column, err);
}

/* Whether the dataset has one dimension and fixed-size elements. Then it is read like a HEP001
 * column: without libhdf5 if possible, by many threads. */
static stoa_status look(hid_t dataset, bool *is_plain, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    *is_plain = H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
                H5Sget_simple_extent_ndims(space) == 1 && stoa_type_is_flat(type) &&
                H5Tget_class(type) != H5T_TIME;

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

static stoa_status describe_plain(stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(stoa_chunks_check(column->dataset, err));
    STOA_HDF(err, type = H5Dget_type(column->dataset), "get the datatype");
    STOA_TRY(stoa_element_of(type, &column->element, err));
    STOA_TRY(stoa_column_read_shape(column, &dcpl, err));
    column->n_rows = column->extent;
    stoa_column_resolve_type(column);

done:
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&type, status, err);
}

static stoa_status of_plain(const char *name, hid_t dataset, stoa_column **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    STOA_TRY(stoa_column_note(dataset, name, 0, NULL, &column, err));
    column->is_loaded = true;
    column->is_foreign = true;
    STOA_TRY(describe_plain(column, err));
    *out = column;
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

stoa_status stoa_column_of_dataset(const char *name, hid_t dataset, int axis, hsize_t at,
                                   stoa_column **column, stoa_error *err)
{
    bool is_plain = false;
    stoa_status status =
        axis == 0 && at == STOA_WHOLE_ROWS ? look(dataset, &is_plain, err) : STOA_OK;

    *column = NULL;
    if (status != STOA_OK) {
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    } else {
        status = is_plain ? of_plain(name, dataset, column, err)
                          : of_slab(name, dataset, axis, at, column, err);
    }
    return stoa_at(err, status, "%s", name);
}

/* --- columns that are opened when they are needed -------------------------------------------- */

stoa_status stoa_column_note_foreign(const char *name, uint64_t n_rows,
                                     const stoa_column_opener *opener, stoa_column **column,
                                     stoa_error *err)
{
    const stoa_status status = stoa_column_note(H5I_INVALID_HID, name, n_rows, NULL, column, err);

    if (status != STOA_OK) {
        opener->close(opener->context);
        return status;
    }
    (*column)->is_foreign = true;
    (*column)->opener = *opener;
    return STOA_OK;
}
