#include "index/bitmap/bitmap_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/references.h"
#include "hdf/read/checked_reader.h"
#include "index/common/order.h"

/* Limit on the bytes of all values, which a query keeps in memory. */
static const size_t max_bytes = 64u << 20;
/* Bytes of values read or written at a time. */
static const size_t max_block_bytes = 1u << 20;

static uint64_t block_values(const stoa_column *column)
{
    return max_block_bytes / column->element.size + 1;
}

/* Collecting -------------------------------------------------------------------------------- */

static stoa_status add_key(stoa_bitmap_values *values, const stoa_column *column, const void *bytes,
                           size_t length, stoa_error *err)
{
    uint32_t number;

    STOA_RETURN_NOT_OK(stoa_string_set_add(&values->keys, bytes, length, &number, err));
    if (values->keys.count > STOA_BITMAP_MAX_VALUES) {
        return stoa_fail(
            err, STOA_ERANGE,
            "column '%s' has more than %d distinct values, too many for a bitmap index "
            "(HEP001 §10.6) to help; a sorted or bloom index may",
            column->name, STOA_BITMAP_MAX_VALUES);
    }
    if (values->keys.bytes.size > max_bytes) {
        return stoa_fail(
            err, STOA_ERANGE,
            "the distinct values of column '%s' take more than %zu MiB, too much for a "
            "bitmap index (HEP001 §10.6) to help; a bloom index may",
            column->name, max_bytes >> 20);
    }
    return STOA_OK;
}

bool stoa_bitmap_may_recall(const stoa_column *column)
{
    const stoa_element *const element = &column->element;

    return (element->class == STOA_ELEMENT_INTEGER || element->class == STOA_ELEMENT_FLOAT ||
            element->class == STOA_ELEMENT_ENUM) &&
           (element->size == 1 || element->size == 2 || element->size == 4 || element->size == 8);
}

stoa_status stoa_bitmap_values_add(stoa_bitmap_values *values, const stoa_column *column,
                                   const stoa_block *block, stoa_error *err)
{
    const size_t size = column->element.size;
    const bool may_recall = stoa_bitmap_may_recall(column);
    stoa_bitmap_recent recent = {.found = {{0}}};
    struct stoa_bitmap_found *at = NULL;
    stoa_key key;

    for (uint64_t i = 0; i < block->count; i++) {
        const uint8_t *const element = block->elements + i * size;
        bool has = false;
        if (block->missing != NULL && stoa_bit_get(block->missing, i)) {
            continue;
        }
        at = may_recall ? stoa_bitmap_recall_number(&recent, element, size, &has) : NULL;
        if (!has && stoa_key_of(column, element, &key)) {
            STOA_RETURN_NOT_OK(add_key(values, column, key.bytes, key.length, err));
            if (at != NULL) {
                at->row = 1;
            }
        }
    }
    return STOA_OK;
}

stoa_status stoa_bitmap_values_unite(stoa_bitmap_values *values, const stoa_column *column,
                                     const stoa_bitmap_values *others, uint32_t first,
                                     stoa_error *err)
{
    for (uint32_t i = first; i < others->keys.count; i++) {
        size_t length = 0;
        const char *bytes = stoa_string_set_get(&others->keys, i, &length);
        STOA_RETURN_NOT_OK(add_key(values, column, bytes, length, err));
    }
    return STOA_OK;
}

typedef struct ranked_key {
    stoa_scalar scalar;
    uint32_t number;
} ranked_key;

static int compare_ranked(const void *a, const void *b)
{
    int order = 0;

    (void)stoa_scalar_compare(&((const ranked_key *)a)->scalar, &((const ranked_key *)b)->scalar,
                              &order);
    return order;
}

stoa_status stoa_bitmap_values_settle(stoa_bitmap_values *values, const stoa_column *column,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint32_t n = values->keys.count;
    ranked_key *ranked = stoa_alloc(n, sizeof *ranked);

    values->n = n;
    values->is_ours = true;
    values->rows = stoa_alloc(n, sizeof *values->rows);
    values->items = stoa_alloc_zero(n, sizeof *values->items);
    STOA_TRY(ranked != NULL && values->rows != NULL && values->items != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    for (uint32_t i = 0; i < n; i++) {
        size_t length;
        const char *bytes = stoa_string_set_get(&values->keys, i, &length);
        ranked[i] = (ranked_key){stoa_key_scalar(column, bytes, length), i};
    }
    qsort(ranked, n, sizeof *ranked, compare_ranked);
    for (uint32_t row = 0; row < n; row++) {
        values->rows[ranked[row].number] = row;
        values->items[row].scalar = ranked[row].scalar;
    }

done:
    free(ranked);
    return status;
}

void stoa_bitmap_values_clear(stoa_bitmap_values *values)
{
    stoa_string_set_clear(&values->keys);
    free(values->rows);
    free(values->items);
    *values = (stoa_bitmap_values){.n = 0};
}

bool stoa_bitmap_values_find(const stoa_bitmap_values *values, const stoa_column *column,
                             const void *element, uint64_t *row)
{
    stoa_key key;
    uint32_t number;

    if (!stoa_key_of(column, element, &key) ||
        !stoa_string_set_find(&values->keys, key.bytes, key.length, &number)) {
        return false;
    }
    *row = values->rows[number];
    return true;
}

/* Storing ----------------------------------------------------------------------------------- */

stoa_status stoa_bitmap_values_create(const stoa_column *column, hid_t indexes, const char *name,
                                      char **made_name, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t stored = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    char *wanted = stoa_format("%s_values", name);
    char *free_one = NULL;
    const uint64_t block = block_values(column);

    STOA_TRY(wanted != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_index_free_name(indexes, wanted, &free_one, err));
    STOA_HDF(err, stored = H5Dget_type(column->dataset), "get the type of '%s'", column->name);
    /* A copy is transient even if the column has a named datatype. */
    STOA_HDF(err, type = H5Tcopy(stored), "copy the type of '%s'", column->name);
    STOA_TRY(stoa_index_dataset(indexes, free_one, type, block < 1024 ? block : 1024, false,
                                dataset, err));
    *made_name = free_one;
    free_one = NULL;

done:
    free(wanted);
    free(free_one);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&stored, status, err);
}

/* Determine the memory datatype for H5Dwrite. libhdf5 converts enums to integers, but not integers
 * to enums. Enum codes are therefore converted here and written unchanged. */
static stoa_status to_stored(const stoa_column *column, void *elements, size_t n, hid_t *type,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;

    if (!stoa_element_is_enum(&column->element)) {
        STOA_HDF(err, *type = H5Tcopy(column->element.mem_type), "copy a datatype");
        return STOA_OK;
    }
    STOA_HDF(err, *type = H5Dget_type(column->dataset), "get the type of '%s'", column->name);
    STOA_HDF(err, base = H5Tget_super(*type), "get the type of enum codes");
    STOA_HDF(err, H5Tconvert(column->element.mem_type, base, n, elements, NULL, H5P_DEFAULT),
             "convert enum codes");

done:
    return stoa_hdf_close(&base, status, err);
}

/* Make elements of n values in memory form. Strings are copied. */
static stoa_status make_elements(const stoa_bitmap_values *values, const stoa_column *column,
                                 const uint32_t *numbers, size_t n, uint8_t *elements,
                                 stoa_error *err)
{
    const size_t size = column->element.size;

    memset(elements, 0, n * size);
    for (size_t i = 0; i < n; i++) {
        size_t length;
        const char *bytes = stoa_string_set_get(&values->keys, numbers[i], &length);
        if (column->element.class != STOA_ELEMENT_STRING) {
            stoa_key_element(column, bytes, length, elements + i * size);
            continue;
        }
        char *text = stoa_strndup(bytes, length);
        STOA_RETURN_NO_MEMORY(err, text);
        memcpy(elements + i * size, &text, sizeof text);
    }
    return STOA_OK;
}

static void free_texts(const stoa_column *column, uint8_t *elements, size_t n)
{
    for (size_t i = 0; column->element.class == STOA_ELEMENT_STRING && i < n; i++) {
        char *text;
        memcpy(&text, elements + i * sizeof text, sizeof text);
        free(text);
    }
}

/* The key of each row: the inverse of `rows`. */
static uint32_t *numbers_of(const stoa_bitmap_values *values)
{
    uint32_t *numbers = stoa_alloc((size_t)values->n, sizeof *numbers);

    for (uint32_t i = 0; numbers != NULL && i < values->n; i++) {
        numbers[values->rows[i]] = i;
    }
    return numbers;
}

static stoa_status write_block(const stoa_bitmap_values *values, const stoa_column *column,
                               hid_t dataset, uint64_t first, const uint32_t *numbers, size_t n,
                               uint8_t *elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(make_elements(values, column, numbers, n, elements, err));
    STOA_TRY(to_stored(column, elements, n, &type, err));
    STOA_TRY(stoa_dataset_write(dataset, type, &(hsize_t){first}, &(hsize_t){n}, elements,
                                "the values of a bitmap index", err));

done:
    free_texts(column, elements, n);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_bitmap_values_write(const stoa_bitmap_values *values, const stoa_column *column,
                                     hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t block = block_values(column);
    /* Enum codes may be wider in the file than in memory. */
    const size_t room = column->element.size > 16 ? column->element.size : 16;
    uint32_t *numbers = numbers_of(values);
    uint8_t *elements = stoa_alloc_zero((size_t)(block < values->n ? block : values->n), room);

    STOA_TRY(numbers != NULL && elements != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_dataset_resize(dataset, &(hsize_t){values->n}, err));
    for (uint64_t at = 0; at < values->n; at += block) {
        const uint64_t n = values->n - at < block ? values->n - at : block;
        STOA_TRY(write_block(values, column, dataset, at, numbers + at, (size_t)n, elements, err));
    }

done:
    free(numbers);
    free(elements);
    return status;
}

/* Reading ----------------------------------------------------------------------------------- */

static stoa_status check_values(const stoa_column *column, hid_t dataset, uint64_t n,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t right = H5I_INVALID_HID;
    uint64_t length = 0;

    STOA_HDF(err, type = H5Dget_type(dataset), "get the type of a bitmap's values");
    STOA_HDF(err, right = H5Dget_type(column->dataset), "get the type of '%s'", column->name);
    if (H5Tequal(type, right) <= 0) {
        STOA_FAIL(err, STOA_EDATA,
                  "the values of a bitmap index have not the column's datatype "
                  "(HEP001 §10.6)");
    }
    STOA_TRY(stoa_index_length(dataset, "the values dataset of a bitmap index", "HEP001 §10.6",
                               &length, err));
    if (length != n) {
        STOA_FAIL(err, STOA_EDATA, "a bitmap index has %llu rows and %llu values (HEP001 §10.6)",
                  (unsigned long long)n, (unsigned long long)length);
    }
    STOA_TRY(stoa_chunks_check(dataset, err));

done:
    status = stoa_hdf_close(&right, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_bitmap_values_open(const stoa_column *column, hid_t bitmap, uint64_t n,
                                    hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t *targets = NULL;
    size_t n_targets = 0;

    *dataset = H5I_INVALID_HID;
    STOA_TRY(stoa_references_read(bitmap, "VALUES", &targets, &n_targets, err));
    if (n_targets != 1 || targets[0] < 0 || H5Iget_type(targets[0]) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "VALUES of a bitmap index leads to no dataset (HEP001 §10.6)");
    }
    STOA_TRY(check_values(column, targets[0], n, err));
    *dataset = targets[0];
    targets[0] = H5I_INVALID_HID;

done:
    for (size_t i = 0; i < n_targets; i++) {
        (void)stoa_hdf_close(&targets[i], STOA_OK, NULL);
    }
    free(targets);
    return status;
}

/* Add a stored value as row `row`. NaN has no key, and a duplicate keeps its first row. */
static stoa_status add_stored(stoa_bitmap_values *values, const stoa_column *column,
                              const void *element, uint32_t row, uint32_t *numbers, stoa_error *err)
{
    stoa_key key;
    stoa_key fill;

    numbers[row] = UINT32_MAX;
    if (!stoa_key_of(column, element, &key)) {
        values->items[row].is_nan = true;
        return STOA_OK;
    }
    const uint32_t n_before = values->keys.count;
    STOA_RETURN_NOT_OK(
        stoa_string_set_add(&values->keys, key.bytes, key.length, &numbers[row], err));
    if (values->keys.bytes.size > max_bytes) {
        return stoa_fail(err, STOA_ERANGE, "a bitmap index with more than %zu MiB of values",
                         max_bytes >> 20);
    }
    if (values->keys.count > n_before) {
        values->rows[numbers[row]] = row;
    } else {
        values->has_twins = true;
    }
    values->items[row].is_fill = column->fill != NULL && stoa_key_of(column, column->fill, &fill) &&
                                 fill.length == key.length &&
                                 memcmp(fill.bytes, key.bytes, key.length) == 0;
    return STOA_OK;
}

/* Set the scalars once all keys are known, and determine whether the values have the form that Stoa
 * writes. */
static void finish_reading(stoa_bitmap_values *values, const stoa_column *column,
                           const uint32_t *numbers)
{
    values->is_ours = !values->has_twins;
    for (uint64_t row = 0; row < values->n; row++) {
        stoa_bitmap_value *item = &values->items[row];
        int order = -1;
        if (item->is_nan) {
            item->scalar = (stoa_scalar){.kind = STOA_SCALAR_F64, .as.f64 = (double)NAN};
        } else {
            size_t length;
            const char *bytes = stoa_string_set_get(&values->keys, numbers[row], &length);
            item->scalar = stoa_key_scalar(column, bytes, length);
        }
        if (item->is_nan || item->is_fill ||
            (row > 0 &&
             !(stoa_scalar_compare(&item[-1].scalar, &item->scalar, &order) && order < 0))) {
            values->is_ours = false;
        }
    }
}

stoa_status stoa_bitmap_values_read(stoa_bitmap_values *values, const stoa_column *column,
                                    hid_t dataset, uint64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = column->element.size;
    const uint64_t block = block_values(column);
    uint32_t *numbers = NULL;
    uint8_t *elements = NULL;
    size_t n_read = 0;

    if (n > STOA_BITMAP_MAX_FOREIGN) {
        STOA_FAIL(err, STOA_ERANGE, "a bitmap index of %llu values is too large to help",
                  (unsigned long long)n);
    }
    numbers = stoa_alloc((size_t)n, sizeof *numbers);
    elements = stoa_alloc_zero((size_t)(block < n ? block : n), size);
    values->rows = stoa_alloc((size_t)n, sizeof *values->rows);
    values->items = stoa_alloc_zero((size_t)n, sizeof *values->items);
    STOA_TRY(numbers != NULL && elements != NULL && values->rows != NULL && values->items != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    values->n = n;
    for (uint64_t at = 0; at < n; at += block) {
        const uint64_t count = n - at < block ? n - at : block;
        n_read = (size_t)count;
        STOA_TRY(stoa_chunks_read(dataset, true, column->element.mem_type, &(hsize_t){at},
                                  &(hsize_t){count}, H5P_DEFAULT, elements, err));
        for (uint64_t i = 0; i < count; i++) {
            STOA_TRY(
                add_stored(values, column, elements + i * size, (uint32_t)(at + i), numbers, err));
        }
        stoa_element_reclaim(&column->element, elements, n_read);
        memset(elements, 0, n_read * size);
    }
    finish_reading(values, column, numbers);

done:
    if (elements != NULL) {
        stoa_element_reclaim(&column->element, elements, n_read);
    }
    free(numbers);
    free(elements);
    return status;
}
