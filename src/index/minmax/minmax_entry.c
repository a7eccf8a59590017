/* A CHUNK_MINMAX entry: its layout, and its computation from a chunk's elements (§10.4). */
#include "index/minmax/minmax_entry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of column data scanned at a time. Larger chunks are read in parts. */
static const uint64_t max_slice_bytes = 32u << 20;

static const char *const field_names[] = {"min", "max", "nan_count", "fill_count", "n"};
enum { N_FIELDS = 5, N_BOUNDS = 2 };

static size_t round_up_to_8(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* Make a compound of the five fields in the order of §10.4, with `bound` as the type of min and
 * max. */
static stoa_status make_compound(hid_t bound, size_t bound_size, size_t counts_at, hid_t count_type,
                                 hid_t *compound, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err,
                          *compound = H5Tcreate(H5T_COMPOUND, counts_at + 3 * sizeof(uint64_t)),
                          "make the type of a min/max entry");
    for (size_t i = 0; i < N_FIELDS; i++) {
        const bool is_bound = i < N_BOUNDS;
        const size_t at = is_bound ? i * bound_size : counts_at + (i - N_BOUNDS) * sizeof(uint64_t);
        STOA_RETURN_HDF_ERROR(
            err, H5Tinsert(*compound, field_names[i], at, is_bound ? bound : count_type),
            "make the type of a min/max entry");
    }
    return STOA_OK;
}

stoa_status stoa_minmax_format_make(stoa_column *column, stoa_minmax_format *format,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t stored = H5I_INVALID_HID;
    hid_t code = H5I_INVALID_HID;
    const size_t size = column->element.size;

    *format = (stoa_minmax_format){
        .column = column,
        .element_type = H5I_INVALID_HID,
        .file_type = H5I_INVALID_HID,
        .mem_type = H5I_INVALID_HID,
        .code_type = H5I_INVALID_HID,
        .counts_at = round_up_to_8(2 * size),
        .size = round_up_to_8(2 * size) + sizeof(stoa_minmax_counts),
    };
    STOA_HDF(err, stored = H5Dget_type(column->dataset), "get the type of column '%s'",
             column->name);
    /* A copy is transient even if the column has a named datatype. */
    STOA_HDF(err, format->element_type = H5Tcopy(stored), "copy the type of column '%s'",
             column->name);
    const size_t file_size = H5Tget_size(format->element_type);
    STOA_TRY(make_compound(format->element_type, file_size, 2 * file_size, H5T_STD_U64LE,
                           &format->file_type, err));
    STOA_TRY(make_compound(column->element.mem_type, size, format->counts_at, H5T_NATIVE_UINT64,
                           &format->mem_type, err));
    if (stoa_element_is_enum(&column->element)) {
        STOA_HDF(err, code = H5Tget_super(format->element_type), "get the type of enum codes");
        STOA_TRY(
            make_compound(code, file_size, 2 * file_size, H5T_STD_U64LE, &format->code_type, err));
    }

done:
    status = stoa_hdf_close(&code, status, err);
    return stoa_hdf_close(&stored, status, err);
}

stoa_status stoa_minmax_format_clear(stoa_minmax_format *format, stoa_status status,
                                     stoa_error *err)
{
    status = stoa_hdf_close(&format->code_type, status, err);
    status = stoa_hdf_close(&format->mem_type, status, err);
    status = stoa_hdf_close(&format->file_type, status, err);
    return stoa_hdf_close(&format->element_type, status, err);
}

stoa_minmax_counts stoa_minmax_counts_of(const stoa_minmax_format *format, const uint8_t *entry)
{
    stoa_minmax_counts counts;

    memcpy(&counts, entry + format->counts_at, sizeof counts);
    return counts;
}

stoa_scalar stoa_minmax_min(const stoa_minmax_format *format, const uint8_t *entry)
{
    return stoa_scalar_of(format->column, entry);
}

stoa_scalar stoa_minmax_max(const stoa_minmax_format *format, const uint8_t *entry)
{
    return stoa_scalar_of(format->column, entry + format->column->element.size);
}

bool stoa_minmax_is_empty(const stoa_minmax_format *format, const uint8_t *entry)
{
    const stoa_minmax_counts counts = stoa_minmax_counts_of(format, entry);

    if (format->column->fill_is_nan) {
        return counts.fill_count == counts.n;
    }
    return counts.fill_count <= counts.n && counts.nan_count == counts.n - counts.fill_count;
}

/* Result of scanning a part of a chunk: the positions of its extremes. */
typedef struct minmax_scan {
    bool has_bounds;
    uint64_t lowest; /* positions in the part */
    uint64_t highest;
    uint64_t nan_count;
} minmax_scan;

/* One loop per type. Missing rows are skipped. NaN is counted whether or not it is the fill. */
#define DEFINE_SCAN(name, type, is_nan)                                                            \
    static void name(const void *elements, uint64_t n, const uint8_t *missing, minmax_scan *scan)  \
    {                                                                                              \
        const type *values = elements;                                                             \
        type low = 0;                                                                              \
        type high = 0;                                                                             \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            const type value = values[i];                                                          \
            if (is_nan) {                                                                          \
                scan->nan_count++;                                                                 \
                continue;                                                                          \
            }                                                                                      \
            if (missing != NULL && stoa_bit_get(missing, i)) {                                     \
                continue;                                                                          \
            }                                                                                      \
            if (!scan->has_bounds || value < low) {                                                \
                low = value;                                                                       \
                scan->lowest = i;                                                                  \
            }                                                                                      \
            if (!scan->has_bounds || value > high) {                                               \
                high = value;                                                                      \
                scan->highest = i;                                                                 \
            }                                                                                      \
            scan->has_bounds = true;                                                               \
        }                                                                                          \
    }

DEFINE_SCAN(scan_i8, int8_t, false)
DEFINE_SCAN(scan_i16, int16_t, false)
DEFINE_SCAN(scan_i32, int32_t, false)
DEFINE_SCAN(scan_i64, int64_t, false)
DEFINE_SCAN(scan_u8, uint8_t, false)
DEFINE_SCAN(scan_u16, uint16_t, false)
DEFINE_SCAN(scan_u32, uint32_t, false)
DEFINE_SCAN(scan_u64, uint64_t, false)
DEFINE_SCAN(scan_f32, float, isnan(value))
DEFINE_SCAN(scan_f64, double, isnan(value))

/* Strings, opaque values and float16 are compared as scalars. */
static void scan_scalars(const stoa_column *column, const uint8_t *elements, uint64_t n,
                         const uint8_t *missing, minmax_scan *scan)
{
    const size_t size = column->element.size;
    stoa_scalar low = {0};
    stoa_scalar high = {0};

    for (uint64_t i = 0; i < n; i++) {
        const stoa_scalar value = stoa_scalar_of(column, elements + i * size);
        int order;
        if (!stoa_scalar_compare(&value, &value, &order)) {
            scan->nan_count++;
            continue;
        }
        if (missing != NULL && stoa_bit_get(missing, i)) {
            continue;
        }
        if (!scan->has_bounds || (stoa_scalar_compare(&value, &low, &order) && order < 0)) {
            low = value;
            scan->lowest = i;
        }
        if (!scan->has_bounds || (stoa_scalar_compare(&value, &high, &order) && order > 0)) {
            high = value;
            scan->highest = i;
        }
        scan->has_bounds = true;
    }
}

static minmax_scan scan_slice(const stoa_column *column, const void *elements, uint64_t n,
                              const uint8_t *missing)
{
    minmax_scan scan = {0};
    const stoa_element_class class = column->element.class;
    const bool is_number =
        class == STOA_ELEMENT_INTEGER || class == STOA_ELEMENT_ENUM || class == STOA_ELEMENT_FLOAT;

    switch (is_number ? column->element.kind : STOA_KIND_OTHER) {
    case STOA_KIND_INT8:
        scan_i8(elements, n, missing, &scan);
        break;
    case STOA_KIND_INT16:
        scan_i16(elements, n, missing, &scan);
        break;
    case STOA_KIND_INT32:
        scan_i32(elements, n, missing, &scan);
        break;
    case STOA_KIND_INT64:
        scan_i64(elements, n, missing, &scan);
        break;
    case STOA_KIND_UINT8:
        scan_u8(elements, n, missing, &scan);
        break;
    case STOA_KIND_UINT16:
        scan_u16(elements, n, missing, &scan);
        break;
    case STOA_KIND_UINT32:
        scan_u32(elements, n, missing, &scan);
        break;
    case STOA_KIND_UINT64:
        scan_u64(elements, n, missing, &scan);
        break;
    case STOA_KIND_FLOAT32:
        scan_f32(elements, n, missing, &scan);
        break;
    case STOA_KIND_FLOAT64:
        scan_f64(elements, n, missing, &scan);
        break;
    default:
        scan_scalars(column, elements, n, missing, &scan);
        break;
    }
    return scan;
}

/* Copy an element into a bound of the entry. A variable-length string is duplicated. */
static stoa_status set_bound(const stoa_column *column, uint8_t *bound, const void *element,
                             stoa_error *err)
{
    char *text = NULL;

    if (column->element.class != STOA_ELEMENT_STRING) {
        memcpy(bound, element, column->element.size);
        return STOA_OK;
    }
    const stoa_scalar value = stoa_scalar_of(column, element);
    char *copy = stoa_strndup(value.as.bytes.data, value.as.bytes.length);
    STOA_RETURN_NO_MEMORY(err, copy);
    memcpy(&text, bound, sizeof text);
    free(text);
    memcpy(bound, &copy, sizeof copy);
    return STOA_OK;
}

/* Extend the entry's bounds to include two elements. */
static stoa_status widen(const stoa_minmax_format *format, uint8_t *entry, bool has_bounds,
                         const void *low, const void *high, stoa_error *err)
{
    const stoa_column *column = format->column;
    const stoa_scalar new_low = stoa_scalar_of(column, low);
    const stoa_scalar new_high = stoa_scalar_of(column, high);
    int below = -1;
    int above = 1;

    if (has_bounds) {
        const stoa_scalar old_low = stoa_minmax_min(format, entry);
        const stoa_scalar old_high = stoa_minmax_max(format, entry);
        (void)stoa_scalar_compare(&new_low, &old_low, &below);
        (void)stoa_scalar_compare(&new_high, &old_high, &above);
    }
    if (below < 0) {
        STOA_RETURN_NOT_OK(set_bound(column, entry, low, err));
    }
    if (above > 0) {
        STOA_RETURN_NOT_OK(set_bound(column, entry + column->element.size, high, err));
    }
    return STOA_OK;
}

/* Read rows [first, first + count) of the column and add them to an entry. */
static stoa_status add_slice(const stoa_minmax_format *format, stoa_block_reader *reader,
                             uint64_t first, uint64_t count, uint8_t *entry, bool *has_bounds,
                             stoa_minmax_counts *counts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = format->column;
    const size_t size = column->element.size;
    stoa_block slice = {.elements = NULL};

    STOA_TRY(stoa_block_reader_read(reader, first, count, &slice, err));
    const minmax_scan scan = scan_slice(column, slice.elements, count, slice.missing);
    if (scan.has_bounds) {
        STOA_TRY(widen(format, entry, *has_bounds, slice.elements + scan.lowest * size,
                       slice.elements + scan.highest * size, err));
        *has_bounds = true;
    }
    counts->nan_count += scan.nan_count;
    counts->fill_count += slice.n_missing;
    counts->n += count;

done:
    stoa_block_clear(&column->element, &slice);
    return status;
}

stoa_status stoa_minmax_compute(const stoa_minmax_format *format, stoa_block_reader *reader,
                                uint64_t chunk, uint64_t n_rows, uint8_t *entry, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = format->column;
    const uint64_t chunk_rows = stoa_index_chunk_rows(column, n_rows);
    const uint64_t start = chunk * chunk_rows;
    const uint64_t end = n_rows - start > chunk_rows ? start + chunk_rows : n_rows;
    const uint64_t slice_rows = max_slice_bytes / column->element.size + 1;
    stoa_minmax_counts counts = {0};
    bool has_bounds = false;

    memset(entry, 0, format->size);
    for (uint64_t first = start; first < end; first += slice_rows) {
        const uint64_t count = end - first < slice_rows ? end - first : slice_rows;
        STOA_TRY(add_slice(format, reader, first, count, entry, &has_bounds, &counts, err));
    }
    /* §10.4: without values, both bounds are the fill. */
    if (!has_bounds && column->fill != NULL) {
        STOA_TRY(set_bound(column, entry, column->fill, err));
        STOA_TRY(set_bound(column, entry + column->element.size, column->fill, err));
    }
    memcpy(entry + format->counts_at, &counts, sizeof counts);

done:
    if (status != STOA_OK) {
        stoa_minmax_forget(format, entry, 1);
    }
    return stoa_column_at(column, status, err);
}

void stoa_minmax_forget(const stoa_minmax_format *format, uint8_t *entries, uint64_t n)
{
    for (uint64_t i = 0; entries != NULL && i < n; i++) {
        uint8_t *entry = entries + i * format->size;
        if (format->column->element.class == STOA_ELEMENT_STRING) {
            char *texts[N_BOUNDS];
            memcpy(texts, entry, sizeof texts);
            free(texts[0]);
            free(texts[1]);
        }
        memset(entry, 0, format->size);
    }
}

/* Check a field of a stored entry type: its name and datatype must be as specified. */
static stoa_status check_field(const stoa_minmax_format *format, hid_t stored, unsigned field,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    char *name = H5Tget_member_name(stored, field);

    if (name == NULL || strcmp(name, field_names[field]) != 0) {
        STOA_FAIL(err, STOA_EDATA, "field %u of a min/max entry is '%s', not '%s' (HEP001 §10.4)",
                  field, name != NULL ? name : "", field_names[field]);
    }
    STOA_HDF(err, type = H5Tget_member_type(stored, field), "get the type of field '%s'", name);
    if (field < N_BOUNDS ? H5Tequal(type, format->element_type) <= 0
                         : H5Tget_class(type) != H5T_INTEGER || H5Tget_size(type) != 8 ||
                               H5Tget_sign(type) != H5T_SGN_NONE) {
        STOA_FAIL(err, STOA_EDATA, "field '%s' of a min/max entry has not the %s (HEP001 §10.4)",
                  name, field < N_BOUNDS ? "column's datatype" : "datatype uint64");
    }

done:
    (void)H5free_memory(name);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_minmax_check(const stoa_minmax_format *format, hid_t dataset, uint64_t n_needed,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    uint64_t length = 0;

    STOA_HDF(err, type = H5Dget_type(dataset), "get the type of a min/max index");
    if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != N_FIELDS) {
        STOA_FAIL(err, STOA_EDATA,
                  "a min/max index is not a compound of five fields (HEP001 "
                  "§10.4)");
    }
    for (unsigned field = 0; field < N_FIELDS; field++) {
        STOA_TRY(check_field(format, type, field, err));
    }
    STOA_TRY(stoa_index_length(dataset, "a min/max index", "HEP001 §10.4", &length, err));
    if (length < n_needed) {
        STOA_FAIL(err, STOA_EDATA,
                  "a min/max index has %llu entries, the column %llu chunks with "
                  "rows (HEP001 §10.4)",
                  (unsigned long long)length, (unsigned long long)n_needed);
    }

done:
    return stoa_hdf_close(&type, status, err);
}
