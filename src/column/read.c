/* Reading rows of a column as Arrow arrays, and saying what the column is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "core/memory.h"
#include "hdf/guard.h"

const char *stoa_column_name(const stoa_column *column)
{
    return column->name;
}

bool stoa_column_is_ordered(const stoa_column *column)
{
    switch (column->element.class) {
    case STOA_ELEMENT_INTEGER:
        return !column->element.is_bitfield;
    case STOA_ELEMENT_OPAQUE:
        return !column->element.is_raw;
    case STOA_ELEMENT_FLOAT:
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
    case STOA_ELEMENT_ENUM:
        return true;
    default:
        return false;
    }
}

int64_t stoa_column_code(const stoa_column *column, int64_t position)
{
    if (column->element.class == STOA_ELEMENT_ENUM && position >= 0 &&
        (size_t)position < column->element.n_members) {
        return column->element.codes[position];
    }
    return position;
}

/* A bound as text, for field metadata. */
static stoa_status set_bound(const stoa_column *column, const char *key, const uint8_t *bound,
                             struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray array = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    stoa_view view;
    char text[STOA_NUMBER_SIZE];

    if (bound == NULL || column->type.kind == STOA_KIND_BOOL ||
        (column->element.class != STOA_ELEMENT_INTEGER &&
         column->element.class != STOA_ELEMENT_FLOAT)) {
        return STOA_OK;
    }
    void *copy = stoa_alloc(1, column->element.size);
    if (copy == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    memcpy(copy, bound, column->element.size);
    STOA_TRY(stoa_element_decode(&column->element, copy, 1, NULL, &array, err));
    STOA_TRY(stoa_element_schema(&column->element, "bound", &schema, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    if (column->element.class == STOA_ELEMENT_FLOAT) {
        (void)(column->element.kind == STOA_KIND_FLOAT64
                   ? stoa_format_f64(stoa_view_f64(&view, 0), text)
                   : stoa_format_f32((float)stoa_view_f64(&view, 0), text));
    } else if (column->element.kind == STOA_KIND_UINT64) {
        (void)stoa_format_u64((uint64_t)stoa_view_i64(&view, 0), text);
    } else {
        (void)stoa_format_i64(stoa_view_i64(&view, 0), text);
    }
    STOA_TRY(stoa_schema_set(out, key, text, err));

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

static stoa_status set_text(struct ArrowSchema *out, const char *key, const char *text,
                            stoa_error *err)
{
    return text != NULL ? stoa_schema_set(out, key, text, err) : STOA_OK;
}

stoa_status stoa_column_schema(const stoa_column *column, struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    out->release = NULL;
    if (column->type.kind == column->element.kind || column->element.class == STOA_ELEMENT_ENUM) {
        STOA_TRY(stoa_element_schema(&column->element, column->name, out, err));
    } else {
        STOA_TRY(stoa_schema_make_type(out, column->name, &column->type, err));
    }
    if (stoa_column_is_categorical(column)) {
        STOA_TRY(stoa_schema_dictionary(out, column->dictionary_schema.format, err));
    }
    STOA_TRY(set_text(out, "units", column->units, err));
    STOA_TRY(set_text(out, "units_vocabulary", column->units_vocabulary, err));
    STOA_TRY(set_text(out, "description", column->description, err));
    STOA_TRY(set_bound(column, "valid_min", column->valid_min, out, err));
    STOA_TRY(set_bound(column, "valid_max", column->valid_max, out, err));
    STOA_TRY(set_text(out, "stoa.datatype", column->element.text, err));

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}

/* The walk over a dataset's chunks. */
typedef struct chunk_guard {
    hid_t dcpl;
    uint64_t chunk_bytes;
    bool is_sound;
} chunk_guard;

static int look_at_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                         void *context)
{
    chunk_guard *guard = context;

    (void)offset;
    (void)address;
    guard->is_sound = stoa_chunk_fits(guard->dcpl, mask, size, guard->chunk_bytes);
    return guard->is_sound ? H5_ITER_CONT : H5_ITER_STOP;
}

/* Once a column: libhdf5 1.14 reads past an unfiltered chunk that is too short. */
static stoa_status guard_chunks(stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    chunk_guard guard = {.dcpl = H5I_INVALID_HID, .is_sound = true};

    if (column->is_guarded || column->chunk_rows == 0) {
        return STOA_OK;
    }
    STOA_HDF(err, guard.dcpl = H5Dget_create_plist(column->dataset), "get the creation properties");
    STOA_HDF(err, type = H5Dget_type(column->dataset), "get the datatype");
    guard.chunk_bytes = column->chunk_rows * stoa_stored_size(type);
    STOA_HDF(err, H5Dchunk_iter(column->dataset, H5P_DEFAULT, look_at_chunk, &guard),
             "list the chunks");
    if (!guard.is_sound) {
        STOA_FAIL(err, STOA_EDATA, "a chunk is shorter than its rows: the file is damaged");
    }
    column->is_guarded = true;

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&guard.dcpl, status, err);
}

stoa_status stoa_column_read_elements(stoa_column *column, uint64_t first, uint64_t count,
                                      void **elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t file_space = H5I_INVALID_HID;
    hid_t mem_space = H5I_INVALID_HID;
    void *block = NULL;

    *elements = NULL;
    if (first > column->extent || count > column->extent - first) {
        STOA_FAIL(err, STOA_ERANGE, "rows %llu to %llu pass the extent %llu",
                  (unsigned long long)first, (unsigned long long)(first + count),
                  (unsigned long long)column->extent);
    }
    STOA_TRY(guard_chunks(column, err));
    block = stoa_alloc_zero((size_t)count, column->element.size);
    if (block == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (count > 0) {
        STOA_HDF(err, file_space = H5Dget_space(column->dataset), "get the shape");
        STOA_HDF(err,
                 H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &(hsize_t){first}, NULL,
                                     &(hsize_t){count}, NULL),
                 "select rows");
        STOA_HDF(err, mem_space = H5Screate_simple(1, &(hsize_t){count}, NULL), "make a dataspace");
        STOA_HDF(err,
                 H5Dread(column->dataset, column->element.mem_type, mem_space, file_space,
                         H5P_DEFAULT, block),
                 "read rows %llu to %llu", (unsigned long long)first,
                 (unsigned long long)(first + count));
    }
    *elements = block;
    block = NULL;

done:
    free(block);
    status = stoa_hdf_close(&mem_space, status, err);
    status = stoa_hdf_close(&file_space, status, err);
    return stoa_at(err, status, "%s", column->name);
}

/* Bytes 0 and 1 as Arrow's bits; another byte is no boolean (notes B6, C4). */
static stoa_status to_bits(const stoa_column *column, const uint8_t *elements, uint64_t n,
                           const uint8_t *missing, uint8_t **bits, stoa_error *err)
{
    *bits = stoa_alloc_zero(stoa_bit_bytes(n), 1);
    if (*bits == NULL) {
        return stoa_fail_memory(err);
    }
    for (uint64_t i = 0; i < n; i++) {
        if (missing != NULL && stoa_bit_get(missing, i)) {
            continue;
        }
        if (elements[i] > 1) {
            free(*bits);
            *bits = NULL;
            return stoa_fail(err, STOA_EDATA,
                             "'%s' holds %u where valid_max says 1 (HEP001 §8.5); see stoa check",
                             column->name, elements[i]);
        }
        if (elements[i] != 0) {
            stoa_bit_set(*bits, i);
        }
    }
    return STOA_OK;
}

static int64_t stored_value(const stoa_element *element, const uint8_t *value)
{
    switch (element->kind) {
    case STOA_KIND_INT8:
        return (int8_t)*value;
    case STOA_KIND_UINT8:
        return *value;
    case STOA_KIND_INT16:
        return *(const int16_t *)(const void *)value;
    case STOA_KIND_UINT16:
        return *(const uint16_t *)(const void *)value;
    case STOA_KIND_INT32:
        return *(const int32_t *)(const void *)value;
    case STOA_KIND_UINT32:
        return *(const uint32_t *)(const void *)value;
    default:
        return *(const int64_t *)(const void *)value;
    }
}

/* Stored counts as the ticks Arrow presents: 32-bit days or 64-bit seconds and finer. */
static stoa_status to_ticks(const stoa_column *column, const uint8_t *elements, uint64_t n,
                            const uint8_t *missing, void **ticks, stoa_error *err)
{
    const bool is_date = column->type.kind == STOA_KIND_DATE;
    void *block = stoa_alloc_zero((size_t)n, is_date ? sizeof(int32_t) : sizeof(int64_t));

    if (block == NULL) {
        return stoa_fail_memory(err);
    }
    for (uint64_t i = 0; i < n; i++) {
        if (missing != NULL && stoa_bit_get(missing, i)) {
            continue;
        }
        const int64_t stored = stored_value(&column->element, elements + i * column->element.size);
        int64_t tick;
        if (__builtin_mul_overflow(stored, column->time.ticks_per, &tick) ||
            __builtin_add_overflow(tick, column->time.epoch_ticks, &tick) ||
            (is_date && (tick < INT32_MIN || tick > INT32_MAX))) {
            free(block);
            return stoa_fail(err, STOA_ERANGE, "'%s' holds %lld %s, which is out of Arrow's range",
                             column->name, (long long)stored, column->units);
        }
        if (is_date) {
            ((int32_t *)block)[i] = (int32_t)tick;
        } else {
            ((int64_t *)block)[i] = tick;
        }
    }
    *ticks = block;
    return STOA_OK;
}

/* Codes with no label are damage (§8.7, notes C8): they must not index past the dictionary. */
static stoa_status check_codes(const stoa_column *column, uint8_t *elements, uint64_t n,
                               const uint8_t *missing, stoa_error *err)
{
    const int64_t n_labels = column->dictionary.length;
    const size_t size = column->element.size;

    for (uint64_t i = 0; i < n; i++) {
        if (missing != NULL && stoa_bit_get(missing, i)) {
            memset(elements + i * size, 0, size);
            continue;
        }
        const int64_t code = stored_value(&column->element, elements + i * size);
        if (code < 0 || code >= n_labels) {
            return stoa_fail(err, STOA_EDATA,
                             "'%s' holds code %lld, but there are %lld categories (HEP001 §8.7); "
                             "see stoa check",
                             column->name, (long long)code, (long long)n_labels);
        }
    }
    return STOA_OK;
}

/* Elements whose Arrow form is not their own: bools, times, category codes. */
static stoa_status present(stoa_column *column, uint8_t *elements, uint64_t n, uint8_t *missing,
                           uint64_t n_missing, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *values = NULL;
    struct ArrowArray labels = {.release = NULL};

    if (column->type.kind == STOA_KIND_BOOL) {
        uint8_t *bits = NULL;
        STOA_TRY(to_bits(column, elements, n, missing, &bits, err));
        values = bits;
    } else if (column->is_time) {
        STOA_TRY(to_ticks(column, elements, n, missing, &values, err));
    } else {
        STOA_TRY(check_codes(column, elements, n, missing, err));
        values = elements;
        elements = NULL;
    }
    for (uint64_t i = 0; missing != NULL && i < stoa_bit_bytes(n); i++) {
        missing[i] = (uint8_t)~missing[i];
    }
    void *const buffers[] = {missing, values};
    missing = NULL;
    values = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)n, (int64_t)n_missing, 2, buffers, err));
    if (column->type.kind == STOA_KIND_DICTIONARY) {
        STOA_TRY(stoa_array_share(&column->dictionary, &labels, err));
        STOA_TRY(stoa_array_dictionary(out, &labels, err));
    }

done:
    free(elements);
    free(missing);
    free(values);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

stoa_status stoa_column_read(stoa_column *column, uint64_t first, uint64_t count,
                             struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *elements = NULL;
    void *reclaimed = NULL;
    uint8_t *missing = NULL;
    uint64_t n_missing = 0;

    out->release = NULL;
    if (first > column->n_rows || count > column->n_rows - first) {
        STOA_FAIL(err, STOA_ERANGE, "'%s': rows %llu to %llu pass NROWS %llu (HEP001 §7.3)",
                  column->name, (unsigned long long)first, (unsigned long long)(first + count),
                  (unsigned long long)column->n_rows);
    }
    STOA_TRY(stoa_column_read_elements(column, first, count, &elements, err));
    if (stoa_element_is_variable(&column->element)) {
        reclaimed = elements;
        elements = stoa_alloc((size_t)count, column->element.size);
        if (elements == NULL) {
            STOA_TRY(stoa_fail_memory(err));
        }
        memcpy(elements, reclaimed, (size_t)count * column->element.size);
    }
    STOA_TRY(stoa_column_missing(column, elements, count, &missing, &n_missing, err));
    void *block = elements;
    uint8_t *bits = missing;
    elements = NULL;
    missing = NULL;
    if (column->type.kind == STOA_KIND_BOOL || column->is_time ||
        stoa_column_is_categorical(column)) {
        STOA_TRY(present(column, block, count, bits, n_missing, out, err));
    } else {
        STOA_TRY(stoa_element_decode(&column->element, block, (int64_t)count, bits, out, err));
    }

done:
    stoa_element_reclaim(&column->element, reclaimed, (size_t)count);
    free(reclaimed);
    free(elements);
    free(missing);
    return stoa_at(err, status, "%s", column->name);
}
