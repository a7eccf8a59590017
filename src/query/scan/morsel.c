/* Cuts candidates: one walk over their ranges cuts morsels, another one within a morsel cuts
 * runs. */
#include "query/scan/morsel.h"

static uint64_t end_of(const stoa_range *range)
{
    return range->first + range->count;
}

/* The first row of the next cell of a grid. */
static uint64_t cell_end(uint64_t row, uint64_t cell_rows)
{
    const uint64_t left = cell_rows - row % cell_rows;

    return left <= UINT64_MAX - row ? row + left : UINT64_MAX;
}

/* Advance by `n` rows of the range at the cursor. */
static void advance(const stoa_rowset *rows, stoa_cursor *at, uint64_t n)
{
    at->done_in_range += n;
    if (at->done_in_range == rows->ranges[at->range].count) {
        at->range++;
        at->done_in_range = 0;
    }
}

/* Skip certain ranges that end at or before `row`. */
static void pass_certain(const stoa_rowset *certain, uint64_t row, stoa_cursor *at)
{
    while (at->certain_range < certain->n_ranges &&
           end_of(&certain->ranges[at->certain_range]) <= row) {
        at->certain_range++;
    }
}

/* Skip the candidates before `end`, at most `room`. Returns how many, and where the last one
 * ends. */
static uint64_t pass_rows(const stoa_rowset *rows, uint64_t end, uint64_t room, stoa_cursor *at,
                          uint64_t *last)
{
    uint64_t n = 0;

    while (room > n && at->range < rows->n_ranges) {
        const stoa_range *range = &rows->ranges[at->range];
        const uint64_t first = range->first + at->done_in_range;
        uint64_t count = range->count - at->done_in_range;
        if (first >= end) {
            break;
        }
        count = count < end - first ? count : end - first;
        count = count < room - n ? count : room - n;
        *last = first + count;
        n += count;
        advance(rows, at, count);
    }
    return n;
}

bool stoa_morsel_cut(const stoa_candidates *candidates, uint64_t morsel_rows, stoa_cursor *at,
                     stoa_morsel *out)
{
    const stoa_rowset *rows = candidates->rows;
    uint64_t last;

    if (at->range == rows->n_ranges) {
        return false;
    }
    const uint64_t first = rows->ranges[at->range].first + at->done_in_range;
    pass_certain(candidates->certain, first, at);
    *out = (stoa_morsel){.end = cell_end(first, morsel_rows), .limit = UINT64_MAX, .at = *at};
    out->n = pass_rows(rows, out->end, UINT64_MAX, at, &last);
    return true;
}

/* Whether every candidate of the run is certain. */
static bool is_certain(const stoa_candidates *candidates, const stoa_row_run *s)
{
    const stoa_rowset *certain = candidates->certain;
    stoa_cursor at = s->at;
    uint64_t n = s->n;

    while (n > 0) {
        const stoa_range *range = &candidates->rows->ranges[at.range];
        const uint64_t first = range->first + at.done_in_range;
        const uint64_t left = range->count - at.done_in_range;
        const uint64_t count = left < n ? left : n;
        pass_certain(certain, first, &at);
        if (at.certain_range == certain->n_ranges) {
            return false;
        }
        const stoa_range *sure = &certain->ranges[at.certain_range];
        if (first < sure->first || first + count > end_of(sure)) {
            return false;
        }
        n -= count;
        advance(candidates->rows, &at, count);
    }
    return true;
}

bool stoa_morsel_next(const stoa_candidates *candidates, stoa_morsel *morsel, uint64_t unit_rows,
                      uint64_t room, stoa_row_run *out)
{
    const stoa_rowset *rows = candidates->rows;

    if (room == 0 || morsel->at.range == rows->n_ranges) {
        return false;
    }
    const uint64_t first = rows->ranges[morsel->at.range].first + morsel->at.done_in_range;
    if (first >= morsel->end) {
        return false;
    }
    pass_certain(candidates->certain, first, &morsel->at);
    *out = (stoa_row_run){.first = first, .at = morsel->at};
    const uint64_t unit_end = cell_end(first, unit_rows);
    out->n = pass_rows(rows, unit_end, room, &morsel->at, &out->end);
    out->is_certain = is_certain(candidates, out);
    return true;
}

void stoa_row_run_rows(const stoa_candidates *candidates, const stoa_row_run *row_run,
                       uint64_t *rows)
{
    uint64_t done = row_run->at.done_in_range;
    uint64_t n = 0;

    for (size_t r = row_run->at.range; n < row_run->n; r++, done = 0) {
        const stoa_range *range = &candidates->rows->ranges[r];
        for (uint64_t i = done; i < range->count && n < row_run->n; i++) {
            rows[n++] = range->first + i;
        }
    }
}
