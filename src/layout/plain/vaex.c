/*
 * Tables of vaex: a group with `type` = "table" and a group `columns`, in which each column is a
 * group.
 *
 * - Numbers are `data`, with `mask` (true: missing) or `null_bitmap` (Arrow's) beside it. The
 *   attribute `dtype` of `data` tells times and durations.
 * - Strings are `data` of single bytes, and `indices`, which has one offset more than rows.
 * - Categories (`type` = "dictionary_encoded") are groups `indices` and `dictionary` of these
 * kinds.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/foreign.h"
#include "column/read/rows.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/common/extent.h"
#include "layout/plain/plain.h"

/* --- null bitmaps and strings ---------------------------------------------------------------- */

/* A column of values, or of bytes with offsets, some of which are missing. */
typedef struct nullable {
    stoa_column *values;  /* NULL: strings */
    stoa_column *offsets; /* of strings: int32 or int64 */
    stoa_column *bytes;
    stoa_column *bitmap; /* of uint8; NULL: nothing is missing */
} nullable;

static void close_nullable(void *context)
{
    nullable *const n = context;

    if (n != NULL) {
        stoa_column_close(n->values);
        stoa_column_close(n->offsets);
        stoa_column_close(n->bytes);
        stoa_column_close(n->bitmap);
        free(n);
    }
}

/* The validity bits of rows [first, first + count). *bits is NULL if nothing is missing. */
static stoa_status read_bits(nullable *n, uint64_t first, uint64_t count, uint8_t **bits,
                             int64_t *n_missing, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t from = first / 8;
    const uint64_t n_bytes = stoa_bit_bytes(first + count) - from;
    uint8_t *stored = NULL;
    uint8_t *made = NULL;

    *bits = NULL;
    *n_missing = 0;
    if (n->bitmap == NULL || count == 0) {
        return STOA_OK;
    }
    stored = stoa_alloc((size_t)n_bytes, 1);
    made = stoa_alloc_zero((size_t)stoa_bit_bytes(count), 1);
    STOA_TRY(stored != NULL && made != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_read_into(n->bitmap, from, n_bytes, stored, err));
    for (uint64_t i = 0; i < count; i++) {
        if (stoa_bit_get(stored, first % 8 + i)) {
            stoa_bit_set(made, i);
        } else {
            ++*n_missing;
        }
    }
    *bits = made;
    made = NULL;

done:
    free(stored);
    free(made);
    return status;
}

/* Read count + 1 offsets, and check that they do not decrease nor leave the bytes. */
static stoa_status read_offsets(nullable *n, uint64_t first, uint64_t count, int64_t **offsets,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_rows rows = {.array.release = NULL};
    int64_t *made = stoa_alloc((size_t)count + 1, sizeof *made);

    STOA_TRY(made != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_rows_read(n->offsets, first, count + 1, &rows, err));
    for (uint64_t i = 0; i <= count; i++) {
        made[i] = stoa_view_i64(&rows.view, (int64_t)i);
        if (made[i] < (i > 0 ? made[i - 1] : 0) || (uint64_t)made[i] > n->bytes->n_rows) {
            STOA_FAIL(err, STOA_EDATA,
                      "offset %llu of its strings is out of order, or past their end",
                      (unsigned long long)(first + i));
        }
    }
    if (made[count] - made[0] > INT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "texts are over 2 GiB; read fewer rows at once");
    }
    *offsets = made;
    made = NULL;

done:
    free(made);
    stoa_column_rows_clear(&rows);
    return status;
}

static stoa_status read_strings(void *context, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    nullable *const n = context;
    int64_t *offsets = NULL;
    int32_t *own = NULL;
    uint8_t *text = NULL;
    uint8_t *bits = NULL;
    int64_t n_missing = 0;

    STOA_TRY(read_offsets(n, first, count, &offsets, err));
    const uint64_t n_bytes = (uint64_t)(offsets[count] - offsets[0]);
    own = stoa_alloc((size_t)count + 1, sizeof *own);
    text = stoa_alloc((size_t)n_bytes + 1, 1);
    STOA_TRY(own != NULL && text != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i <= count; i++) {
        own[i] = (int32_t)(offsets[i] - offsets[0]);
    }
    STOA_TRY(stoa_column_read_into(n->bytes, (uint64_t)offsets[0], n_bytes, text, err));
    STOA_TRY(read_bits(n, first, count, &bits, &n_missing, err));
    void *const buffers[] = {bits, own, text};
    bits = NULL;
    own = NULL;
    text = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)count, n_missing, 3, buffers, err));

done:
    free(offsets);
    free(own);
    free(text);
    free(bits);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status open_part(hid_t group, const char *name, stoa_column **column, stoa_error *err)
{
    hid_t part = stoa_object_open(group, name);

    *column = NULL;
    if (part < 0 || H5Iget_type(part) != H5I_DATASET) {
        (void)stoa_hdf_close(&part, STOA_OK, NULL);
        return stoa_fail(err, STOA_EDATA, "there is no dataset '%s' in it (vaex)", name);
    }
    return stoa_column_of_dataset(name, part, 0, STOA_WHOLE_ROWS, column, err);
}

static bool is_of(const stoa_column *column, stoa_element_class class, size_t size)
{
    return column->element.class == class && (size == 0 || column->element.size == size);
}

static stoa_status open_bitmap(hid_t group, uint64_t n_rows, stoa_column **bitmap, stoa_error *err)
{
    *bitmap = NULL;
    if (!stoa_object_exists(group, "null_bitmap")) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(open_part(group, "null_bitmap", bitmap, err));
    return is_of(*bitmap, STOA_ELEMENT_INTEGER, 1) && (*bitmap)->n_rows >= stoa_bit_bytes(n_rows)
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "its 'null_bitmap' has no bit for each row (vaex)");
}

static stoa_status open_strings(hid_t group, const char *name, stoa_column **column,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    nullable *n = stoa_alloc_zero(1, sizeof *n);

    STOA_TRY(n != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(open_part(group, "indices", &n->offsets, err));
    STOA_TRY(open_part(group, "data", &n->bytes, err));
    if (!is_of(n->offsets, STOA_ELEMENT_INTEGER, 0) || n->offsets->n_rows == 0 ||
        n->bytes->element.size != 1 || stoa_element_is_variable(&n->bytes->element)) {
        STOA_FAIL(err, STOA_EDATA, "its 'indices' and 'data' are no strings of vaex");
    }
    const uint64_t n_rows = n->offsets->n_rows - 1;
    STOA_TRY(open_bitmap(group, n_rows, &n->bitmap, err));
    STOA_TRY(stoa_schema_make(&schema, name, stoa_kind_format(STOA_KIND_STRING), err));
    const stoa_column_source source = {
        .read_array = read_strings, .close = close_nullable, .context = n};
    n = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));

done:
    close_nullable(n);
    stoa_schema_release(&schema);
    return status;
}

/* A bitmap as a column of bytes, of which 1 is missing. */
static stoa_status read_mask(void *context, uint64_t first, uint64_t count, void *out,
                             stoa_error *err)
{
    nullable *const n = context;
    uint8_t *const mask = out;
    uint8_t *bits = NULL;
    int64_t n_missing = 0;

    STOA_RETURN_NOT_OK(read_bits(n, first, count, &bits, &n_missing, err));
    for (uint64_t i = 0; i < count; i++) {
        mask[i] = bits != NULL && !stoa_bit_get(bits, i);
    }
    free(bits);
    return STOA_OK;
}

static stoa_status open_mask(hid_t group, uint64_t n_rows, stoa_column **mask, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    nullable *n = NULL;

    *mask = NULL;
    if (stoa_object_exists(group, "mask")) {
        STOA_TRY(open_part(group, "mask", mask, err));
        if ((*mask)->element.size != 1 || (*mask)->n_rows != n_rows) {
            STOA_FAIL(err, STOA_EDATA, "its 'mask' has no byte for each row (vaex)");
        }
    } else if (stoa_object_exists(group, "null_bitmap")) {
        n = stoa_alloc_zero(1, sizeof *n);
        STOA_TRY(n != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(open_bitmap(group, n_rows, &n->bitmap, err));
        STOA_TRY(stoa_element_of(H5T_NATIVE_UINT8, &element, err));
        const stoa_column_source source = {
            .read_elements = read_mask, .close = close_nullable, .context = n};
        n = NULL;
        STOA_TRY(stoa_column_of_elements("mask", &element, n_rows, &source, mask, err));
    }

done:
    close_nullable(n);
    if (status != STOA_OK) {
        stoa_column_close(*mask);
        *mask = NULL;
    }
    return status;
}

/* datetime64[ns] and timedelta64[ns], whose NaT is the least integer. */
static stoa_status present_times(stoa_column *column, const char *dtype, stoa_error *err)
{
    static const char *const kinds[] = {"datetime64[", "timedelta64["};
    const int64_t nat = INT64_MIN;
    stoa_time_unit unit;

    for (size_t i = 0; i < 2; i++) {
        const size_t n = strlen(kinds[i]);
        char text[8];
        if (strncmp(dtype, kinds[i], n) != 0 || strlen(dtype) - n > sizeof text ||
            !is_of(column, STOA_ELEMENT_INTEGER, sizeof nat)) {
            continue;
        }
        (void)strcpy(text, dtype + n);
        text[strcspn(text, "]")] = '\0';
        if (stoa_parse_duration_units(text, &unit)) {
            if (i == 0) {
                stoa_column_as_times(column, &(stoa_time_units){.unit = unit, .ticks_per = 1});
            } else {
                stoa_column_as_durations(column, unit);
            }
            return stoa_column_set_missing(column, &nat, err);
        }
    }
    return STOA_OK;
}

static stoa_status open_numbers(hid_t group, const char *name, stoa_column **column,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t data = stoa_object_open(group, "data");
    char *dtype = NULL;

    STOA_TRY(stoa_plain_open_column(data, name, 0, column, err));
    STOA_TRY(stoa_attribute_read_optional(data, "dtype", &dtype, err));
    if (dtype != NULL) {
        STOA_TRY(present_times(*column, dtype, err));
    }
    STOA_TRY(open_mask(group, (*column)->n_rows, &(*column)->mask, err));

done:
    free(dtype);
    return stoa_hdf_close(&data, status, NULL);
}

static stoa_status open_values(hid_t group, const char *name, stoa_column **column, stoa_error *err)
{
    hid_t data = stoa_object_open(group, "data");
    const bool is_there = data >= 0 && H5Iget_type(data) == H5I_DATASET;

    (void)stoa_hdf_close(&data, STOA_OK, NULL);
    if (!is_there) {
        return stoa_fail(err, STOA_EDATA, "there is no dataset 'data' in it (vaex)");
    }
    return (stoa_object_exists(group, "indices") ? open_strings : open_numbers)(group, name, column,
                                                                                err);
}

static stoa_status open_categories(hid_t group, const char *name, stoa_column **column,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t codes = stoa_object_open(group, "indices");
    hid_t dictionary = stoa_object_open(group, "dictionary");
    stoa_column *labels = NULL;

    if (codes < 0 || dictionary < 0) {
        STOA_FAIL(err, STOA_EDATA, "there are no 'indices' or no 'dictionary' in it (vaex)");
    }
    STOA_TRY(open_values(codes, name, column, err));
    if (!is_of(*column, STOA_ELEMENT_INTEGER, 0)) {
        STOA_FAIL(err, STOA_EDATA, "its 'indices' are no integers (vaex)");
    }
    STOA_TRY(open_values(dictionary, "labels", &labels, err));
    STOA_TRY(stoa_column_as_codes_of(*column, labels, false, err));

done:
    stoa_column_close(labels);
    (void)stoa_hdf_close(&dictionary, STOA_OK, NULL);
    return stoa_hdf_close(&codes, status, NULL);
}

static bool is_categories(hid_t group)
{
    return stoa_attribute_is(group, "type", "dictionary_encoded");
}

static stoa_status open_vaex(hid_t group, const char *name, uint64_t n_rows, stoa_column **column,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;

    (void)n_rows;
    *column = NULL;
    STOA_TRY((is_categories(group) ? open_categories : open_values)(group, name, column, err));
    if ((*column)->units == NULL) {
        STOA_TRY(stoa_attribute_read_optional(group, "unit", &(*column)->units, err));
    }
    if ((*column)->description == NULL) {
        STOA_TRY(stoa_attribute_read_optional(group, "description", &(*column)->description, err));
    }

done:
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return stoa_at(err, status, "%s", name);
}

/* --- columns --------------------------------------------------------------------------------- */

/* The rows of a column: those of its `data`, one less than its offsets, or those of its codes. */
static uint64_t rows_of(hid_t group)
{
    hid_t codes = stoa_object_open(group, is_categories(group) ? "indices" : ".");
    hid_t part = codes >= 0 ? stoa_object_open(codes, "indices") : H5I_INVALID_HID;
    const bool has_offsets = part >= 0;
    hsize_t extent[H5S_MAX_RANK] = {0};
    int rank = 0;

    part = part >= 0 ? part : codes >= 0 ? stoa_object_open(codes, "data") : part;
    if (part >= 0 && H5Iget_type(part) == H5I_DATASET) {
        (void)!stoa_extent_read(part, &rank, extent, NULL);
    }
    (void)stoa_hdf_close(&part, STOA_OK, NULL);
    (void)stoa_hdf_close(&codes, STOA_OK, NULL);
    return rank < 1 ? 0 : has_offsets && extent[0] > 0 ? extent[0] - 1 : extent[0];
}

typedef struct collector {
    stoa_plain_members *members;
    stoa_error *err;
    stoa_status status;
} collector;

static herr_t see_link(hid_t columns, const char *name, const H5L_info2_t *info, void *context)
{
    collector *const c = context;
    hid_t group = info->type == H5L_TYPE_HARD ? stoa_object_open(columns, name) : H5I_INVALID_HID;

    if (group >= 0 && H5Iget_type(group) == H5I_GROUP) {
        const stoa_plain_member member = {.name = stoa_strdup(name),
                                          .path = stoa_format("columns/%s", name),
                                          .n_rows = rows_of(group),
                                          .n_bytes = stoa_bytes_within(group, 2),
                                          .open = open_vaex};
        c->status = stoa_plain_add(c->members, &member, c->err);
    }
    (void)stoa_hdf_close(&group, STOA_OK, NULL);
    return c->status == STOA_OK ? 0 : 1;
}

/* In the order that vaex notes, if it does. */
static stoa_status arrange(hid_t columns, stoa_plain_members *members, stoa_error *err)
{
    char *order = NULL;
    size_t to = 0;

    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(columns, "column_order", &order, err));
    for (char *name = order, *next = NULL; name != NULL; name = next) {
        char *const comma = strchr(name, ',');
        next = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) {
            *comma = '\0';
        }
        stoa_plain_move(members, name, &to);
    }
    free(order);
    return STOA_OK;
}

stoa_status stoa_plain_find_vaex(hid_t group, bool *is_one, stoa_plain_members *members,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    collector c = {.members = members, .err = err};
    hid_t columns = stoa_attribute_is(group, "type", "table") ? stoa_object_open(group, "columns")
                                                              : H5I_INVALID_HID;

    *is_one = columns >= 0 && H5Iget_type(columns) == H5I_GROUP;
    if (!*is_one) {
        goto done;
    }
    members->is_closed = true;
    STOA_TRY(stoa_links_visit_as_made(columns, see_link, &c, err));
    STOA_TRY(c.status);
    STOA_TRY(arrange(columns, members, err));
    members->n_rows = members->n > 0 ? members->at[0].n_rows : 0;

done:
    return stoa_hdf_close(&columns, status, NULL);
}
