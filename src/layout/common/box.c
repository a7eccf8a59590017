#include "layout/common/box.h"

#include <string.h>

#include "core/text.h"

/* Parse a position within a dimension; negative ones count from the end. */
static bool parse_position(const char *text, size_t length, int64_t *position)
{
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    return length > 0 && stoa_parse_i64(text, length, position);
}

static bool is_blank(const char *text, size_t length)
{
    size_t i = 0;

    while (i < length && text[i] == ' ') {
        i++;
    }
    return i == length;
}

static uint64_t within(int64_t position, uint64_t extent)
{
    const uint64_t back = position < 0 ? (uint64_t)0 - (uint64_t)position : 0;

    return position < 0                  ? (back < extent ? extent - back : 0)
           : (uint64_t)position > extent ? extent
                                         : (uint64_t)position;
}

/* One dimension: "a:b", or "a" alone. */
static stoa_status parse_one(const char *text, size_t length, uint64_t extent, uint64_t *start,
                             uint64_t *count, stoa_error *err)
{
    const char *const colon = memchr(text, ':', length);
    int64_t first = 0;
    int64_t end = extent < INT64_MAX ? (int64_t)extent : INT64_MAX;

    if (colon == NULL) {
        if (!parse_position(text, length, &first)) {
            return stoa_fail(err, STOA_EINVAL, "'%.*s' is neither a position nor a range as 10:20",
                             (int)length, text);
        }
        *start = within(first, extent);
        *count = 1;
        if (*start >= extent || (first < 0 && (uint64_t)0 - (uint64_t)first > extent)) {
            return stoa_fail(err, STOA_ERANGE, "there is no position %lld, of %llu",
                             (long long)first, (unsigned long long)extent);
        }
        return STOA_OK;
    }
    const size_t n_first = (size_t)(colon - text);
    const size_t n_end = length - n_first - 1;
    if ((!is_blank(text, n_first) && !parse_position(text, n_first, &first)) ||
        (!is_blank(colon + 1, n_end) && !parse_position(colon + 1, n_end, &end))) {
        return stoa_fail(err, STOA_EINVAL, "'%.*s' is no range as 10:20; steps are not taken",
                         (int)length, text);
    }
    *start = within(first, extent);
    const uint64_t stop = within(end, extent);
    *count = stop > *start ? stop - *start : 0;
    return STOA_OK;
}

stoa_status stoa_array_box_parse(const char *text, stoa_array_box *box, stoa_error *err)
{
    memset(box->start, 0, sizeof box->start);
    memcpy(box->count, box->extent, sizeof box->count);
    for (unsigned i = 0; text != NULL; i++) {
        const size_t length = strcspn(text, ",");
        if (i == box->rank) {
            return stoa_fail(err, STOA_EINVAL, "the array has %u dimensions, and the box more",
                             box->rank);
        }
        STOA_RETURN_NOT_OK(
            parse_one(text, length, box->extent[i], &box->start[i], &box->count[i], err));
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return STOA_OK;
}
