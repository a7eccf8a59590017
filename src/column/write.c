/* Appending values to one column; the column is rewritten when a value does not fit (HEP001 §8.5).
 */
#include "column/write.h"

#include <stdlib.h>
#include <string.h>

#include "column/encode.h"
#include "core/memory.h"

/* Rows copied at once when a column is rewritten. */
#define COPY_ROWS UINT64_C(65536)

stoa_status stoa_column_reload(stoa_column *column, uint64_t n_rows, const char *vocabulary,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *fresh = NULL;

    STOA_HDF(err, H5Iinc_ref(column->dataset), "hold column '%s'", column->name);
    STOA_TRY(stoa_column_open(column->dataset, column->name, n_rows, vocabulary, &fresh, err));
    /* Others hold the pointer: the new insides move in, the old ones go. */
    const stoa_column old = *column;
    *column = *fresh;
    *fresh = old;
    stoa_column_close(fresh);

done:
    return status;
}

/* Codes of an enumeration in the stored type itself: libhdf5 converts no integer to an enumeration.
 */
static stoa_status to_stored_codes(const stoa_column *column, uint64_t count, const void *elements,
                                   void **codes, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;

    STOA_HDF(err, *type = H5Dget_type(column->dataset), "get the datatype");
    STOA_HDF(err, base = H5Tget_super(*type), "get the base type");
    const size_t size = H5Tget_size(base);
    *codes = stoa_alloc((size_t)count, size > column->element.size ? size : column->element.size);
    if (*codes == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    memcpy(*codes, elements, (size_t)count * column->element.size);
    STOA_HDF(err,
             H5Tconvert(column->element.mem_type, base, (size_t)count, *codes, NULL, H5P_DEFAULT),
             "convert codes");

done:
    return stoa_hdf_close(&base, status, err);
}

static stoa_status write_elements(const stoa_column *column, uint64_t first, uint64_t count,
                                  const void *elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t file_space = H5I_INVALID_HID;
    hid_t mem_space = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    void *codes = NULL;

    if (count == 0) {
        return STOA_OK;
    }
    if (column->element.class == STOA_ELEMENT_ENUM) {
        STOA_TRY(to_stored_codes(column, count, elements, &codes, &type, err));
    }
    STOA_HDF(err, file_space = H5Dget_space(column->dataset), "get the shape");
    STOA_HDF(err,
             H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &(hsize_t){first}, NULL,
                                 &(hsize_t){count}, NULL),
             "select rows");
    STOA_HDF(err, mem_space = H5Screate_simple(1, &(hsize_t){count}, NULL), "make a dataspace");
    STOA_HDF(err,
             H5Dwrite(column->dataset, type >= 0 ? type : column->element.mem_type, mem_space,
                      file_space, H5P_DEFAULT, codes != NULL ? codes : elements),
             "write rows %llu to %llu", (unsigned long long)first,
             (unsigned long long)(first + count));

done:
    free(codes);
    status = stoa_hdf_close(&type, status, err);
    status = stoa_hdf_close(&mem_space, status, err);
    return stoa_hdf_close(&file_space, status, err);
}

/* A block of stored rows as an Arrow array of the stored element, missing ones as nulls. */
static stoa_status read_stored(stoa_column *column, uint64_t first, uint64_t count,
                               struct ArrowSchema *schema, struct ArrowArray *array,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *elements = NULL;
    void *reclaimed = NULL;
    uint8_t *missing = NULL;
    uint64_t n_missing = 0;

    STOA_TRY(stoa_element_schema(&column->element, column->name, schema, err));
    STOA_TRY(stoa_column_read_elements(column, first, count, &elements, err));
    STOA_TRY(stoa_column_missing(column, elements, count, &missing, &n_missing, err));
    if (stoa_element_is_variable(&column->element)) {
        reclaimed = elements;
        elements = stoa_alloc((size_t)count, column->element.size);
        if (elements == NULL) {
            STOA_TRY(stoa_fail_memory(err));
        }
        memcpy(elements, reclaimed, (size_t)count * column->element.size);
    }
    void *block = elements;
    uint8_t *bits = missing;
    elements = NULL;
    missing = NULL;
    STOA_TRY(stoa_element_decode(&column->element, block, (int64_t)count, bits, array, err));

done:
    stoa_element_reclaim(&column->element, reclaimed, (size_t)count);
    free(reclaimed);
    free(elements);
    free(missing);
    return status;
}

/* Call for each block of the rows written so far. */
typedef stoa_status (*block_visitor)(void *context, uint64_t first, const stoa_view *view,
                                     stoa_error *err);

static stoa_status visit_blocks(stoa_column *column, uint64_t n_rows, block_visitor visit,
                                void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    for (uint64_t first = 0; first < n_rows; first += COPY_ROWS) {
        const uint64_t count = n_rows - first < COPY_ROWS ? n_rows - first : COPY_ROWS;
        stoa_view view;
        STOA_TRY(read_stored(column, first, count, &schema, &array, err));
        STOA_TRY(stoa_view_of(&schema, &array, &view, err));
        STOA_TRY(visit(context, first, &view, err));
        stoa_array_release(&array);
        stoa_schema_release(&schema);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

static stoa_status add_to_domain(void *context, uint64_t first, const stoa_view *view,
                                 stoa_error *err)
{
    (void)first;
    return stoa_domain_add(context, view, err);
}

static stoa_status copy_block(void *context, uint64_t first, const stoa_view *view, stoa_error *err)
{
    const stoa_column *to = context;
    void *elements = NULL;
    stoa_status status = stoa_column_encode_stored(to, view, &elements, err);

    if (status == STOA_OK) {
        status = write_elements(to, first, (uint64_t)view->length, elements, err);
    }
    stoa_element_reclaim(&to->element, elements, (size_t)view->length);
    free(elements);
    return status;
}

/* What two domains span together. */
static void merge(stoa_domain *into, const stoa_domain *other)
{
    if (other->n_values == 0) {
        return;
    }
    if (into->n_values == 0) {
        *into = *other;
        return;
    }
    into->low = into->low < other->low ? into->low : other->low;
    into->high = into->high > other->high ? into->high : other->high;
    into->has_negative |= other->has_negative;
    into->has_positive |= other->has_positive;
    into->sentinels |= other->sentinels;
    if (other->has_number) {
        into->low_f = !into->has_number || other->low_f < into->low_f ? other->low_f : into->low_f;
        into->high_f =
            !into->has_number || other->high_f > into->high_f ? other->high_f : into->high_f;
    }
    into->has_number |= other->has_number;
    into->has_nan |= other->has_nan;
    into->has_float_fill |= other->has_float_fill;
    into->is_float16 &= other->is_float16;
    into->is_float32 &= other->is_float32;
    into->is_float64 &= other->is_float64;
    into->longest = into->longest > other->longest ? into->longest : other->longest;
    into->has_empty |= other->has_empty;
    into->has_nul |= other->has_nul;
    into->has_last_nul |= other->has_last_nul;
    into->controls |= other->controls;
    into->n_values += other->n_values;
    into->n_bytes += other->n_bytes;
}

/* Give the new dataset the old one's name. */
static stoa_status swap_link(const stoa_column_writer *writer, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *name = writer->column->name;

    STOA_HDF(err, H5Ldelete(writer->group, name, H5P_DEFAULT), "unlink column '%s'", name);
    STOA_HDF(err, H5Olink(dataset, writer->group, name, H5P_DEFAULT, H5P_DEFAULT),
             "link column '%s'", name);

done:
    return status;
}

stoa_status stoa_column_rewrite(stoa_column_writer *writer, const stoa_domain *extra,
                                const stoa_storage *storage, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = writer->column;
    stoa_column *fresh = NULL;
    stoa_domain domain = {0};
    hid_t dataset = H5I_INVALID_HID;
    const uint64_t n_labels = writer->book != NULL ? writer->book->labels.count : 0;
    const uint64_t extent = storage != NULL ? storage->extent : column->extent;

    STOA_TRY(visit_blocks(column, writer->n_rows, add_to_domain, &domain, err));
    if (extra != NULL) {
        merge(&domain, extra);
    }
    STOA_TRY(stoa_column_recreate(column, &domain, n_labels, extent, storage, &dataset, err));
    STOA_HDF(err, H5Iinc_ref(dataset), "hold column '%s'", column->name);
    STOA_TRY(stoa_column_open(dataset, column->name, 0, column->units_vocabulary, &fresh, err));
    STOA_TRY(visit_blocks(column, writer->n_rows, copy_block, fresh, err));
    STOA_TRY(swap_link(writer, dataset, err));
    fresh->n_rows = column->n_rows;
    const stoa_column old = *column;
    *column = *fresh;
    *fresh = old;
    writer->was_replaced = true;

done:
    stoa_column_close(fresh);
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_at(err, status, "%s", column->name);
}

stoa_status stoa_column_resize(stoa_column_writer *writer, uint64_t extent, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = writer->column;

    if (extent == column->extent) {
        return STOA_OK;
    }
    if (column->chunk_rows == 0) {
        STOA_TRY(stoa_column_rewrite(
            writer, NULL,
            &(stoa_storage){.extent = extent, .chunk_rows = STOA_CHUNK_ROWS, .codec = "none"},
            err));
        goto done;
    }
    STOA_HDF(err, H5Dset_extent(column->dataset, &(hsize_t){extent}),
             "extend column '%s' to %llu rows", column->name, (unsigned long long)extent);
    column->extent = extent;

done:
    return status;
}

/* Codes of the view's labels, new ones added to the book. */
static stoa_status find_codes(stoa_column_writer *writer, const stoa_view *view, int64_t **codes,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels = *view;

    if (view->type.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(stoa_view_dictionary(view, &labels, err));
    }
    *codes = stoa_alloc((size_t)labels.length, sizeof **codes);
    if (*codes == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(stoa_codebook_codes(writer->book, &labels, *codes, err));

done:
    return status;
}

/* Whether the codes' type holds every code and its fill is none of them (§12). */
static bool holds_codes(const stoa_column *column, uint64_t n_labels)
{
    int64_t fill = -1;

    if (n_labels != 0 && n_labels - 1 > stoa_kind_max(column->element.kind)) {
        return false;
    }
    if (column->fill != NULL) {
        struct ArrowSchema schema = {.release = NULL};
        stoa_view view = {.type = {.kind = column->element.kind},
                          .length = 1,
                          .values = column->fill,
                          .schema = &schema};
        fill = stoa_view_i64(&view, 0);
    }
    return fill < 0 || (uint64_t)fill >= n_labels;
}

/* Encode; *collides if a value that is not null came out as the fill. */
static stoa_status encode(const stoa_column *column, const stoa_view *view, const int64_t *codes,
                          uint64_t n_nulls, void **elements, bool *collides, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *missing = NULL;
    uint64_t n_missing = 0;

    STOA_TRY(stoa_column_encode(column, view, codes, elements, err));
    STOA_TRY(
        stoa_column_missing(column, *elements, (uint64_t)view->length, &missing, &n_missing, err));
    *collides = n_missing > n_nulls;

done:
    free(missing);
    return status;
}

static void reclaim(const stoa_column *column, void **elements, int64_t n)
{
    stoa_element_reclaim(&column->element, *elements, *elements != NULL ? (size_t)n : 0);
    free(*elements);
    *elements = NULL;
}

/* Nulls of the view, null labels included. */
static uint64_t count_nulls(const stoa_view *view, const int64_t *codes)
{
    uint64_t n = (uint64_t)view->null_count;

    if (view->type.kind == STOA_KIND_DICTIONARY && codes != NULL) {
        for (int64_t i = 0; i < view->length; i++) {
            n += !stoa_view_is_null(view, i) && codes[stoa_view_i64(view, i)] < 0;
        }
    }
    return n;
}

stoa_status stoa_column_write(stoa_column_writer *writer, const stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = writer->column;
    stoa_domain domain = {0};
    int64_t *codes = NULL;
    void *elements = NULL;
    bool collides = false;
    const uint64_t end = writer->n_rows + (uint64_t)view->length;

    if (view->length == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_column_accepts(column, view, err));
    if (writer->book != NULL && view->null_count < view->length) {
        STOA_TRY(find_codes(writer, view, &codes, err));
        if (!holds_codes(column, writer->book->labels.count)) {
            STOA_TRY(stoa_column_rewrite(writer, NULL, NULL, err));
        }
    } else if (view->null_count < view->length) {
        STOA_TRY(stoa_domain_add(&domain, view, err));
        if (!stoa_column_holds(column, &domain)) {
            STOA_TRY(stoa_column_rewrite(writer, &domain, NULL, err));
        }
    }
    if (column->fill == NULL && view->null_count > 0) {
        STOA_TRY(stoa_column_rewrite(writer, &domain, NULL, err));
    }
    const uint64_t n_nulls = count_nulls(view, codes);
    STOA_TRY(encode(column, view, codes, n_nulls, &elements, &collides, err));
    if (collides && column->element.class == STOA_ELEMENT_ENUM) {
        STOA_FAIL(err, STOA_ELOSS,
                  "'%s': the member that stands for missing values was given as a value "
                  "(HEP001 §8.5)",
                  column->name);
    }
    if (collides) {
        reclaim(column, &elements, view->length);
        STOA_TRY(stoa_column_rewrite(writer, &domain, NULL, err));
        STOA_TRY(encode(column, view, codes, n_nulls, &elements, &collides, err));
        if (collides) {
            STOA_FAIL(err, STOA_ELOSS,
                      "a value of '%s' equals its fill value, and %s has no other (HEP001 §8.5)",
                      column->name, column->element.text);
        }
    }
    if (end > column->extent) {
        STOA_TRY(stoa_column_resize(writer, end, err));
    }
    STOA_TRY(write_elements(column, writer->n_rows, (uint64_t)view->length, elements, err));
    writer->n_rows = end;

done:
    reclaim(column, &elements, view->length);
    free(codes);
    return stoa_at(err, status, "%s", column->name);
}
