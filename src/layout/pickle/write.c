#include "layout/pickle/write.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* --- protocol 0 ------------------------------------------------------------------------------ */

stoa_status stoa_pickle_put(stoa_buffer *out, const char *opcodes, stoa_error *err)
{
    return stoa_buffer_append(out, opcodes, strlen(opcodes), err);
}

stoa_status stoa_pickle_put_int(stoa_buffer *out, int64_t value, stoa_error *err)
{
    return stoa_buffer_print(out, err, "I%lld\n", (long long)value);
}

stoa_status stoa_pickle_put_bool(stoa_buffer *out, bool value, stoa_error *err)
{
    return stoa_pickle_put(out, value ? "I01\n" : "I00\n", err);
}

/* Decode a code point of valid UTF-8, and return its length. */
static uint32_t point_of(const unsigned char *text, size_t *length)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};

    *length = text[0] < 0x80 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    uint32_t point = text[0] & masks[*length];
    for (size_t i = 1; i < *length && text[i] != 0; i++) {
        point = point << 6 | (text[i] & 0x3f);
    }
    return point;
}

stoa_status stoa_pickle_put_text(stoa_buffer *out, const char *text, stoa_error *err)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char *const end = at + strlen(text);

    STOA_RETURN_NOT_OK(stoa_pickle_put(out, "V", err));
    while (at < end) {
        size_t length;
        const uint32_t point = point_of(at, &length);
        if (point >= ' ' && point < 0x7f && point != '\\') {
            STOA_RETURN_NOT_OK(stoa_buffer_append(out, at, 1, err));
        } else {
            STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, point > 0xffff ? "\\U%08x" : "\\u%04x",
                                                 (unsigned)point));
        }
        at += length < (size_t)(end - at) ? length : (size_t)(end - at);
    }
    return stoa_pickle_put(out, "\n", err);
}

stoa_status stoa_pickle_put_texts(stoa_buffer *out, const char *const *texts, size_t n,
                                  stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pickle_put(out, "(l", err));
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(texts[i] != NULL ? stoa_pickle_put_text(out, texts[i], err)
                                            : stoa_pickle_put(out, "N", err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(out, "a", err));
    }
    return STOA_OK;
}

/* Limits, since lists may be shared: a few hundred bytes of a pickle can stand for any number of
 * items. */
enum { MAX_NODE_DEPTH = 16, MAX_NODE_LENGTH = 16384 };

static stoa_status put_node(stoa_buffer *out, const stoa_pickled *node, int depth, size_t end,
                            bool *is_plain, stoa_error *err);

static stoa_status put_items(stoa_buffer *out, const stoa_pickled *node, int depth, size_t end,
                             bool *is_plain, stoa_error *err)
{
    const bool is_list = node->kind == STOA_PICKLE_LIST;

    STOA_RETURN_NOT_OK(stoa_pickle_put(out, is_list ? "(l" : "(", err));
    for (size_t i = 0; *is_plain && i < node->as.items.n; i++) {
        STOA_RETURN_NOT_OK(put_node(out, node->as.items.at[i], depth + 1, end, is_plain, err));
        STOA_RETURN_NOT_OK(stoa_pickle_put(out, is_list ? "a" : "", err));
    }
    return stoa_pickle_put(out, is_list ? "" : "t", err);
}

static stoa_status put_text_node(stoa_buffer *out, const stoa_pickled *node, bool *is_plain,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    if (node->as.bytes.length > MAX_NODE_LENGTH ||
        memchr(node->as.bytes.data, '\0', node->as.bytes.length) != NULL) {
        *is_plain = false;
        return STOA_OK;
    }
    text = stoa_pickled_text(node);
    STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pickle_put_text(out, text, err));

done:
    free(text);
    return status;
}

/* Stops once the buffer has passed `end`. */
static stoa_status put_node(stoa_buffer *out, const stoa_pickled *node, int depth, size_t end,
                            bool *is_plain, stoa_error *err)
{
    char number[STOA_NUMBER_SIZE];

    switch (depth < MAX_NODE_DEPTH && out->size <= end ? node->kind : STOA_PICKLE_OBJECT) {
    case STOA_PICKLE_NONE:
        return stoa_pickle_put(out, "N", err);
    case STOA_PICKLE_BOOL:
        return stoa_pickle_put_bool(out, node->as.truth, err);
    case STOA_PICKLE_INT:
        return stoa_pickle_put_int(out, node->as.integer, err);
    case STOA_PICKLE_FLOAT:
        (void)stoa_format_f64(node->as.number, number);
        return stoa_buffer_print(out, err, "F%s\n", number);
    case STOA_PICKLE_TEXT:
        return put_text_node(out, node, is_plain, err);
    case STOA_PICKLE_LIST:
    case STOA_PICKLE_TUPLE:
        return put_items(out, node, depth, end, is_plain, err);
    default:
        *is_plain = false;
        return STOA_OK;
    }
}

stoa_status stoa_pickle_put_node(stoa_buffer *out, const stoa_pickled *node, bool *is_plain,
                                 stoa_error *err)
{
    return put_node(out, node, 0, out->size + MAX_NODE_LENGTH, is_plain, err);
}

/* Parse "UTC" or "+05:30" into seconds east of UTC. */
static bool is_offset(const char *zone, int *seconds)
{
    static const char form[] = "+00:00";
    int digits[sizeof form - 1] = {0};

    *seconds = 0;
    if (strcmp(zone, "UTC") == 0) {
        return true;
    }
    if (strlen(zone) != sizeof form - 1 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') {
        return false;
    }
    for (size_t i = 1; i < sizeof form - 1; i++) {
        digits[i] = zone[i] - '0';
        if (form[i] == '0' && (digits[i] < 0 || digits[i] > 9)) {
            return false;
        }
    }
    *seconds = (digits[1] * 10 + digits[2]) * 3600 + (digits[4] * 10 + digits[5]) * 60;
    *seconds = zone[0] == '-' ? -*seconds : *seconds;
    return *seconds > -86400 && *seconds < 86400;
}

/* timezone(timedelta(days, seconds, microseconds)), where only days may be negative. */
stoa_status stoa_pickle_put_zone(stoa_buffer *out, const char *zone, stoa_error *err)
{
    int seconds = 0;

    if (!is_offset(zone, &seconds)) {
        return stoa_pickle_put_text(out, zone, err);
    }
    return stoa_buffer_print(out, err,
                             "cdatetime\ntimezone\n(cdatetime\ntimedelta\n(I%d\nI%d\nI0\ntRtR",
                             seconds < 0 ? -1 : 0, seconds < 0 ? seconds + 86400 : seconds);
}

stoa_status stoa_pickle_put_zone_object(stoa_buffer *out, const char *zone, stoa_error *err)
{
    int seconds = 0;
    const bool is_named = !is_offset(zone, &seconds);

    STOA_RETURN_NOT_OK(
        is_named ? stoa_pickle_put(out, "cpandas._libs.tslibs.timezones\nmaybe_get_tz\n(", err)
                 : STOA_OK);
    STOA_RETURN_NOT_OK(stoa_pickle_put_zone(out, zone, err));
    return is_named ? stoa_pickle_put(out, "tR", err) : STOA_OK;
}

/* --- arrays of objects ----------------------------------------------------------------------- */

/*
 * _reconstruct(ndarray, (0,), b"b"), whose state is (1, shape, dtype("O8"), False, [items]).
 *
 * The old module name is used, which every numpy knows. NaN is memo entry 0. It is pushed and
 * dropped at the beginning, so that all NaNs are one object, as in pandas.
 */
static const char beginning[] = "\x80\x04G\x7f\xf8\x00\x00\x00\x00\x00\x00\x94"
                                "0cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85"
                                "C\x01"
                                "b\x87R(K\x01";
static const char type[] =
    "cnumpy\ndtype\n\x8c\x02O8\x89\x88\x87R(K\x03\x8c\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb"
    "\x89](";

static stoa_status put_count(stoa_buffer *out, uint64_t value, stoa_error *err)
{
    uint8_t bytes[] = {0x8a, 8, 0, 0, 0, 0, 0, 0, 0, 0}; /* LONG1 of eight bytes */

    for (size_t i = 0; i < 8; i++) {
        bytes[2 + i] = (uint8_t)(value >> 8 * i);
    }
    return stoa_buffer_append(out, bytes, sizeof bytes, err);
}

stoa_status stoa_pickle_begin_objects(stoa_buffer *out, uint64_t n, bool is_column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_append(out, beginning, sizeof beginning - 1, err));
    STOA_RETURN_NOT_OK(put_count(out, n, err));
    STOA_RETURN_NOT_OK(stoa_pickle_put(out, is_column ? "K\x01\x86" : "\x85", err));
    return stoa_buffer_append(out, type, sizeof type - 1, err);
}

stoa_status stoa_pickle_put_object(stoa_buffer *out, const char *text, size_t length,
                                   stoa_error *err)
{
    const uint8_t head[] = {'X', (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16),
                            (uint8_t)(length >> 24)};
    const uint8_t short_head[] = {0x8c, (uint8_t)length};

    if (length > UINT32_MAX) {
        return stoa_fail(err, STOA_ERANGE, "a text of over 4 GiB");
    }
    STOA_RETURN_NOT_OK(length < 256 ? stoa_buffer_append(out, short_head, sizeof short_head, err)
                                    : stoa_buffer_append(out, head, sizeof head, err));
    return stoa_buffer_append(out, text, length, err);
}

stoa_status stoa_pickle_put_nan(stoa_buffer *out, stoa_error *err)
{
    return stoa_buffer_append(out, "h\x00", 2, err);
}

stoa_status stoa_pickle_end_objects(stoa_buffer *out, stoa_error *err)
{
    return stoa_pickle_put(out, "etb.", err);
}
