/* Fills cells from Arrow arrays, column by column (pack.h). */
#include "layout/common/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/decode_dictionary.h"
#include "core/memory.h"
#include "hdf/metadata/types.h"

/* --- values ---------------------------------------------------------------------------------- */

/* Write NaN to every float of a cell. A cell that may be missing has no other parts. */
static void put_missing(const stoa_pack *pack, uint8_t *out)
{
    static const uint16_t half = 0x7e00;
    const float single = NAN;
    const double full = NAN;

    switch (pack->how) {
    case STOA_PACK_FLOAT:
        memcpy(out,
               pack->size == 2   ? (const void *)&half
               : pack->size == 4 ? (const void *)&single
                                 : (const void *)&full,
               pack->size);
        break;
    case STOA_PACK_ITEMS:
        for (size_t i = 0; i < pack->n; i++) {
            put_missing(&pack->parts[0], out + i * pack->parts[0].size);
        }
        break;
    case STOA_PACK_FIELDS:
        for (size_t i = 0; i < pack->n_parts; i++) {
            put_missing(&pack->parts[i], out + pack->parts[i].offset);
        }
        break;
    case STOA_PACK_LABEL:
        put_missing(&pack->parts[0], out);
        break;
    default:
        break; /* refused earlier */
    }
}

#define DEFINE_SPREAD(n_bytes)                                                                     \
    static void spread_##n_bytes(const uint8_t *from, int64_t n, uint8_t *out, size_t stride)      \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            memcpy(out + (size_t)i * stride, from + (size_t)i * (n_bytes), n_bytes);               \
        }                                                                                          \
    }

DEFINE_SPREAD(1)
DEFINE_SPREAD(2)
DEFINE_SPREAD(4)
DEFINE_SPREAD(8)

static void put_bytes(const stoa_pack *pack, const stoa_view *view, int64_t first, int64_t n,
                      uint8_t *out, size_t stride)
{
    const size_t size = pack->size;
    const uint8_t *from = (const uint8_t *)view->values + (size_t)(view->offset + first) * size;

    switch (size) {
    case 1:
        spread_1(from, n, out, stride);
        break;
    case 2:
        spread_2(from, n, out, stride);
        break;
    case 4:
        spread_4(from, n, out, stride);
        break;
    case 8:
        spread_8(from, n, out, stride);
        break;
    default:
        for (int64_t i = 0; i < n; i++) {
            memcpy(out + (size_t)i * stride, from + (size_t)i * size, size);
        }
    }
    for (int64_t i = 0; pack->how == STOA_PACK_FLOAT && view->null_count > 0 && i < n; i++) {
        if (stoa_view_is_null(view, first + i)) {
            put_missing(pack, out + (size_t)i * stride);
        }
    }
}

static void put_texts(const stoa_view *view, int64_t first, int64_t n, uint8_t *out, size_t stride)
{
    for (int64_t i = 0; i < n; i++) {
        size_t length;
        const char *text = stoa_view_bytes(view, first + i, &length);
        if (!stoa_view_is_null(view, first + i)) {
            memcpy(out + (size_t)i * stride, text, length);
        }
    }
}

static int64_t ticks_a_second(const stoa_view *view)
{
    return view->type.unit == STOA_TIME_NANO    ? 1000000000
           : view->type.unit == STOA_TIME_MICRO ? 1000000
           : view->type.unit == STOA_TIME_MILLI ? 1000
                                                : 1;
}

/* The fraction has the sign of the time, as the C remainder has. */
static void put_times(const stoa_pack *pack, const stoa_view *view, int64_t first, int64_t n,
                      uint8_t *out, size_t stride)
{
    const int64_t a_second = ticks_a_second(view);

    for (int64_t i = 0; i < n; i++) {
        const int64_t tick = stoa_view_i64(view, first + i);
        const int32_t seconds = (int32_t)(tick / a_second);
        if (pack->how == STOA_PACK_SECONDS) {
            memcpy(out + (size_t)i * stride, &seconds, sizeof seconds);
        } else {
            const int64_t rest = tick % a_second;
            const int32_t micros =
                (int32_t)(a_second > 1000000 ? rest / 1000 : rest * (1000000 / a_second));
            memcpy(out + (size_t)i * stride, &micros, sizeof micros);
            memcpy(out + (size_t)i * stride + sizeof micros, &seconds, sizeof seconds);
        }
    }
}

static stoa_status put(const stoa_pack *pack, const stoa_view *view, int64_t first, int64_t n,
                       uint8_t *out, size_t stride, stoa_error *err);

static stoa_status put_labels(const stoa_pack *pack, const stoa_view *view, int64_t first,
                              int64_t n, uint8_t *out, size_t stride, stoa_error *err)
{
    const size_t size = pack->size;
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    for (int64_t i = 0; i < n; i++) {
        uint8_t *const cell = out + (size_t)i * stride;
        if (stoa_view_is_null(view, first + i)) {
            put_missing(pack, cell);
            continue;
        }
        const int64_t code = stoa_view_i64(view, first + i);
        if (pack->cells == NULL) {
            STOA_RETURN_NOT_OK(put(&pack->parts[0], &labels, code, 1, cell, stride, err));
        } else if (size == 1) {
            *cell = pack->cells[code];
        } else {
            memcpy(cell, pack->cells + (size_t)code * size, size);
        }
    }
    return STOA_OK;
}

static stoa_status put_items(const stoa_pack *pack, const stoa_view *view, int64_t first, int64_t n,
                             uint8_t *out, size_t stride, stoa_error *err)
{
    const stoa_pack *const part = &pack->parts[0];
    const int64_t n_items = view->type.width;
    stoa_view items;

    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
    /* Nested lists are one array with more dimensions. The inner cells lie in their final place. */
    const size_t step = part->size;
    for (int64_t i = 0; i < n; i++) {
        int64_t at;
        int64_t count;
        stoa_view_range(view, first + i, &at, &count);
        if (stoa_view_is_null(view, first + i)) {
            put_missing(pack, out + (size_t)i * stride);
        } else {
            STOA_RETURN_NOT_OK(put(part, &items, at, n_items, out + (size_t)i * stride, step, err));
        }
    }
    return STOA_OK;
}

static stoa_status put_fields(const stoa_pack *pack, const stoa_view *view, int64_t first,
                              int64_t n, uint8_t *out, size_t stride, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t k = 0; k < pack->n_parts; k++) {
        stoa_view field;
        STOA_RETURN_NOT_OK(stoa_view_child(view, (int64_t)k, &field, err));
        status = put(&pack->parts[k], &field, first, n, out + pack->parts[k].offset, stride, err);
        STOA_RETURN_NOT_OK(stoa_at(err, status, "%s", pack->parts[k].field->name));
    }
    for (int64_t i = 0; view->null_count > 0 && i < n; i++) {
        if (stoa_view_is_null(view, first + i)) {
            put_missing(pack, out + (size_t)i * stride);
        }
    }
    return status;
}

static stoa_status put(const stoa_pack *pack, const stoa_view *view, int64_t first, int64_t n,
                       uint8_t *out, size_t stride, stoa_error *err)
{
    switch (pack->how) {
    case STOA_PACK_BYTES:
    case STOA_PACK_FLOAT:
        put_bytes(pack, view, first, n, out, stride);
        return STOA_OK;
    case STOA_PACK_BOOL:
        for (int64_t i = 0; i < n; i++) {
            out[(size_t)i * stride] = (uint8_t)stoa_view_i64(view, first + i);
        }
        return STOA_OK;
    case STOA_PACK_TEXT:
        put_texts(view, first, n, out, stride);
        return STOA_OK;
    case STOA_PACK_SECONDS:
    case STOA_PACK_SPLIT:
        put_times(pack, view, first, n, out, stride);
        return STOA_OK;
    case STOA_PACK_CODE:
    case STOA_PACK_LABEL:
        return put_labels(pack, view, first, n, out, stride, err);
    case STOA_PACK_ITEMS:
        return put_items(pack, view, first, n, out, stride, err);
    case STOA_PACK_FIELDS:
        return put_fields(pack, view, first, n, out, stride, err);
    }
    return STOA_OK;
}

/* --- labels ---------------------------------------------------------------------------------- */

/* Most bytes of cells that are made beforehand. Enumerations have fewer labels. */
#define MAX_CELLS ((size_t)16 << 20)

static stoa_status put_code(const stoa_pack *pack, const char *text, size_t length, uint8_t *cell,
                            stoa_error *err)
{
    uint32_t code = 0;

    if (!stoa_string_set_find(&pack->stats->labels, text, length, &code)) {
        return stoa_fail(err, STOA_EDATA, "a label turned up that was not there before");
    }
    memcpy(cell, pack->own_codes != NULL ? &pack->own_codes[code] : &code, pack->size);
    return STOA_OK;
}

/* Make the cell of a label. One that no row has may be longer than a cell. */
static stoa_status put_label(const stoa_pack *pack, const stoa_view *labels, int64_t i,
                             uint8_t *cell, stoa_error *err)
{
    const bool is_code = pack->how == STOA_PACK_CODE;
    const bool is_text = is_code || pack->parts[0].how == STOA_PACK_TEXT;
    size_t length = 0;
    const char *const text = is_text ? stoa_view_bytes(labels, i, &length) : NULL;

    if (is_code) {
        return stoa_view_is_null(labels, i) ? STOA_OK : put_code(pack, text, length, cell, err);
    }
    return length > pack->size ? STOA_OK
                               : put(&pack->parts[0], labels, i, 1, cell, pack->size, err);
}

static stoa_status number_labels(stoa_pack *pack, const stoa_view *rows, stoa_error *err)
{
    bool is_same = false;
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(rows, &labels, err));
    STOA_RETURN_NOT_OK(stoa_dictionary_keep(rows, &pack->dictionary, &is_same, err));
    if (is_same) {
        return STOA_OK;
    }
    if (pack->how == STOA_PACK_LABEL) {
        STOA_RETURN_NOT_OK(stoa_pack_number_labels(&pack->parts[0], &labels, err));
    }
    free(pack->cells);
    pack->cells = NULL;
    if ((size_t)labels.length <= MAX_CELLS / pack->size || pack->how == STOA_PACK_CODE) {
        pack->cells = stoa_alloc_zero((size_t)labels.length, pack->size);
        STOA_RETURN_NO_MEMORY(err, pack->cells);
    }
    for (int64_t i = 0; pack->cells != NULL && i < labels.length; i++) {
        STOA_RETURN_NOT_OK(put_label(pack, &labels, i, pack->cells + (size_t)i * pack->size, err));
    }
    return STOA_OK;
}

stoa_status stoa_pack_number_labels(stoa_pack *pack, const stoa_view *rows, stoa_error *err)
{
    if (pack->how == STOA_PACK_CODE || pack->how == STOA_PACK_LABEL) {
        return number_labels(pack, rows, err);
    }
    for (size_t k = 0; k < pack->n_parts; k++) {
        stoa_view part;
        STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)k, &part, err));
        const stoa_status status = stoa_pack_number_labels(&pack->parts[k], &part, err);
        STOA_RETURN_NOT_OK(pack->how == STOA_PACK_FIELDS
                               ? stoa_at(err, status, "%s", pack->parts[k].field->name)
                               : status);
    }
    return STOA_OK;
}

stoa_status stoa_pack_rows(const stoa_pack *pack, const stoa_view *rows, int64_t first, int64_t n,
                           uint8_t *out, stoa_error *err)
{
    return put(pack, rows, first, n, out, pack->size, err);
}

void stoa_pack_clear(stoa_pack *pack)
{
    for (size_t i = 0; i < pack->n_parts; i++) {
        stoa_pack_clear(&pack->parts[i]);
    }
    free(pack->parts);
    stoa_array_release(&pack->dictionary);
    free(pack->cells);
    free(pack->own_codes);
    if (pack->stored > 0) {
        (void)stoa_hdf_close(&pack->stored, STOA_OK, NULL);
    }
    *pack = (stoa_pack){.stored = H5I_INVALID_HID};
}
