/* Fills cells from Arrow arrays, column by column (pack.h). */
#include "layout/common/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static stoa_status number_codes(stoa_pack *pack, const stoa_view *view, stoa_error *err)
{
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    if ((size_t)labels.length > pack->n_codes) {
        uint32_t *codes = stoa_realloc(pack->codes, (size_t)labels.length, sizeof *codes);
        STOA_RETURN_NO_MEMORY(err, codes);
        pack->codes = codes;
        pack->n_codes = (size_t)labels.length;
    }
    for (int64_t i = 0; i < labels.length; i++) {
        size_t length;
        const char *text = stoa_view_bytes(&labels, i, &length);
        pack->codes[i] = 0;
        if (!stoa_view_is_null(&labels, i) &&
            !stoa_string_set_find(&pack->stats->labels, text, length, &pack->codes[i])) {
            return stoa_fail(err, STOA_EDATA, "a label turned up that was not there before");
        }
        if (pack->own_codes != NULL) {
            pack->codes[i] = pack->own_codes[pack->codes[i]];
        }
    }
    return STOA_OK;
}

static void put_codes(const stoa_pack *pack, const stoa_view *view, int64_t first, int64_t n,
                      uint8_t *out, size_t stride)
{
    for (int64_t i = 0; i < n; i++) {
        if (!stoa_view_is_null(view, first + i)) {
            memcpy(out + (size_t)i * stride, &pack->codes[stoa_view_i64(view, first + i)],
                   pack->size);
        }
    }
}

static stoa_status put(const stoa_pack *pack, const stoa_view *view, int64_t first, int64_t n,
                       uint8_t *out, size_t stride, stoa_error *err);

static stoa_status put_labels(const stoa_pack *pack, const stoa_view *view, int64_t first,
                              int64_t n, uint8_t *out, size_t stride, stoa_error *err)
{
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    for (int64_t i = 0; i < n; i++) {
        uint8_t *const cell = out + (size_t)i * stride;
        if (stoa_view_is_null(view, first + i)) {
            put_missing(&pack->parts[0], cell);
        } else {
            STOA_RETURN_NOT_OK(put(&pack->parts[0], &labels, stoa_view_i64(view, first + i), 1,
                                   cell, stride, err));
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
        put_codes(pack, view, first, n, out, stride);
        return STOA_OK;
    case STOA_PACK_LABEL:
        return put_labels(pack, view, first, n, out, stride, err);
    case STOA_PACK_ITEMS:
        return put_items(pack, view, first, n, out, stride, err);
    case STOA_PACK_FIELDS:
        return put_fields(pack, view, first, n, out, stride, err);
    }
    return STOA_OK;
}

stoa_status stoa_pack_number_labels(stoa_pack *pack, const stoa_view *rows, stoa_error *err)
{
    if (pack->how == STOA_PACK_CODE) {
        return number_codes(pack, rows, err);
    }
    for (size_t k = 0; k < pack->n_parts; k++) {
        stoa_view part;
        STOA_RETURN_NOT_OK(pack->how == STOA_PACK_LABEL
                               ? stoa_view_dictionary(rows, &part, err)
                               : stoa_view_child(rows, (int64_t)k, &part, err));
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
    free(pack->codes);
    free(pack->own_codes);
    if (pack->stored > 0) {
        (void)stoa_hdf_close(&pack->stored, STOA_OK, NULL);
    }
    *pack = (stoa_pack){.stored = H5I_INVALID_HID};
}
