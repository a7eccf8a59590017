#include "layout/subset/lines.h"

#include <stdlib.h>
#include <string.h>

stoa_status stoa_axis_lines_keep(stoa_axis_lines *lines, uint64_t first, uint64_t count,
                                 stoa_error *err)
{
    if (first > lines->n || count > lines->n - first) {
        return stoa_fail(err, STOA_EDATA, "has %llu lines; line %llu is needed",
                         (unsigned long long)lines->n, (unsigned long long)(first + count - 1));
    }
    if (count > 0) {
        STOA_RETURN_NOT_OK(stoa_rowset_push(&lines->kept, first, count, err));
        lines->n_kept += count;
    }
    return STOA_OK;
}

void stoa_axis_lines_clear(stoa_axis_lines *lines)
{
    stoa_rowset_clear(&lines->kept);
    lines->n_kept = 0;
}

stoa_status stoa_axis_lines_places(const stoa_axis_lines *lines, uint32_t **places, stoa_error *err)
{
    uint32_t place = 0;

    *places = NULL;
    if (lines->n >= STOA_LINE_DROPPED) {
        return stoa_fail(err, STOA_ERANGE, "%llu lines; at most %u can be told apart",
                         (unsigned long long)lines->n, STOA_LINE_DROPPED - 1);
    }
    uint32_t *const made = stoa_alloc((size_t)lines->n + 1, sizeof *made);
    STOA_RETURN_NO_MEMORY(err, made);
    memset(made, 0xff, ((size_t)lines->n + 1) * sizeof *made);
    for (size_t i = 0; i < lines->kept.n_ranges; i++) {
        const stoa_range range = lines->kept.ranges[i];
        for (uint64_t k = 0; k < range.count; k++) {
            made[range.first + k] = place++;
        }
    }
    *places = made;
    return STOA_OK;
}

/* A run of an axis whose lines are all kept. */
static bool next_of_all(stoa_line_cursor *cursor, uint64_t end, uint64_t most, stoa_range *run)
{
    if (cursor->in_range >= end || most == 0) {
        return false;
    }
    const uint64_t rest = end - cursor->in_range;
    *run = (stoa_range){cursor->in_range, rest < most ? rest : most};
    cursor->in_range += run->count;
    return true;
}

bool stoa_axis_lines_next(const stoa_axis_lines *lines, stoa_line_cursor *cursor, uint64_t end,
                          uint64_t most, stoa_range *run)
{
    if (lines == NULL) {
        return next_of_all(cursor, end, most, run);
    }
    if (cursor->range >= lines->kept.n_ranges || most == 0) {
        return false;
    }
    const stoa_range range = lines->kept.ranges[cursor->range];
    const uint64_t first = range.first + cursor->in_range;
    if (first >= end) {
        return false;
    }
    uint64_t count = range.count - cursor->in_range;
    count = count < most ? count : most;
    count = count < end - first ? count : end - first;
    *run = (stoa_range){first, count};
    cursor->in_range += count;
    if (cursor->in_range == range.count) {
        *cursor = (stoa_line_cursor){cursor->range + 1, 0};
    }
    return true;
}
