#include "layout/common/slice.h"

#include <string.h>

#include "core/text.h"

/* Cut the text of the next part, without blanks around it. */
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && **text == ' ') {
        ++*text;
        --*length;
    }
    while (*length > 0 && (*text)[*length - 1] == ' ') {
        --*length;
    }
}

/* A number, or `otherwise` if there is none. */
static bool parse_bound(const char *text, size_t length, int64_t otherwise, int64_t *value)
{
    trim(&text, &length);
    *value = otherwise;
    return length == 0 || stoa_parse_i64(text, length, value);
}

static int64_t within(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* "first:end:step" of a dimension of n positions, as Python's slice.indices() has it. */
static bool parse_slice(const char *text, size_t length, int64_t n, stoa_slice *r)
{
    const char *const colon = memchr(text, ':', length);
    const size_t n_first = (size_t)(colon - text);
    const char *const rest = colon + 1;
    const size_t n_rest = length - n_first - 1;
    const char *const second = memchr(rest, ':', n_rest);
    const size_t n_end = second != NULL ? (size_t)(second - rest) : n_rest;
    int64_t end = 0;

    r->step = 1;
    if (second != NULL && !parse_bound(second + 1, n_rest - n_end - 1, 1, &r->step)) {
        return false;
    }
    const bool is_down = r->step < 0;
    const int64_t least = is_down ? -1 : 0;
    const int64_t most = is_down ? n - 1 : n;
    if (r->step == 0 || r->step == INT64_MIN || !parse_bound(text, n_first, INT64_MIN, &r->first) ||
        !parse_bound(rest, n_end, INT64_MIN, &end)) {
        return false;
    }
    r->first = r->first == INT64_MIN ? (is_down ? most : least)
                                     : within(r->first < 0 ? r->first + n : r->first, least, most);
    end =
        end == INT64_MIN ? (is_down ? least : most) : within(end < 0 ? end + n : end, least, most);
    const int64_t way = is_down ? r->first - end : end - r->first;
    const int64_t step = is_down ? -r->step : r->step;
    r->n = way > 0 ? (uint64_t)((way - 1) / step + 1) : 0;
    return true;
}

static stoa_status parse_part(const char *text, size_t length, int dimension, hsize_t extent,
                              stoa_slice *r, stoa_error *err)
{
    const int64_t n = (int64_t)extent;
    int64_t at = 0;

    trim(&text, &length);
    *r = (stoa_slice){.step = 1};
    if (memchr(text, ':', length) != NULL) {
        return parse_slice(text, length, n, r) ? STOA_OK
                                               : stoa_fail(err, STOA_EINVAL,
                                                           "'%.*s' is no slice: write first:end or "
                                                           "first:end:step, as 10:20",
                                                           (int)length, text);
    }
    if (!stoa_parse_i64(text, length, &at)) {
        return stoa_fail(err, STOA_EINVAL,
                         "'%.*s' is no position in an array: write a number, "
                         "10:20, : or ...",
                         (int)length, text);
    }
    if (at >= n || at < -n) {
        return stoa_fail(err, STOA_ERANGE,
                         "position %lld is outside of dimension %d, which has %lld", (long long)at,
                         dimension, (long long)n);
    }
    r->first = at < 0 ? at + n : at;
    r->n = 1;
    r->is_one = true;
    return STOA_OK;
}

static bool is_dots(const char *text, size_t length)
{
    trim(&text, &length);
    return length == 3 && memcmp(text, "...", 3) == 0;
}

static int count_parts(const char *text, size_t length)
{
    int n = 1;

    for (size_t i = 0; i < length; i++) {
        n += text[i] == ',';
    }
    return n;
}

stoa_status stoa_slices_parse(const char *text, size_t length, int rank, const hsize_t *extent,
                              stoa_slice *slices, stoa_error *err)
{
    const int n_parts = count_parts(text, length);
    bool has_dots = false;
    int dimension = 0;

    for (int i = 0; i < rank; i++) {
        slices[i] = (stoa_slice){.step = 1, .n = extent[i]};
    }
    for (const char *end = text + length; text <= end;) {
        const char *const comma = memchr(text, ',', (size_t)(end - text));
        const size_t n = comma != NULL ? (size_t)(comma - text) : (size_t)(end - text);
        if (is_dots(text, n) && !has_dots) {
            has_dots = true;
            dimension = rank - (n_parts - 1 - dimension);
            if (dimension < 0) {
                break;
            }
        } else {
            if (dimension >= rank) {
                break;
            }
            STOA_RETURN_NOT_OK(
                parse_part(text, n, dimension, extent[dimension], &slices[dimension], err));
            dimension++;
        }
        text += n + 1;
        if (comma == NULL) {
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_EINVAL, "the slice has %d parts, and the array %d %s", n_parts, rank,
                     rank == 1 ? "dimension" : "dimensions");
}

stoa_status stoa_array_box_parse(const char *text, stoa_array_box *box, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    stoa_slice slices[H5S_MAX_RANK];

    for (unsigned i = 0; i < box->rank; i++) {
        extent[i] = box->extent[i];
    }
    text = text != NULL ? text : "...";
    STOA_RETURN_NOT_OK(stoa_slices_parse(text, strlen(text), (int)box->rank, extent, slices, err));
    for (unsigned i = 0; i < box->rank; i++) {
        if (slices[i].step != 1) {
            return stoa_fail(err, STOA_EINVAL,
                             "'%s' has steps, which a box of coordinates does not take", text);
        }
        box->start[i] = (uint64_t)slices[i].first;
        box->count[i] = slices[i].n;
    }
    return STOA_OK;
}
