#include "layout/csv/grid.h"

#include "core/text.h"

/* A block with a row of megabytes gains little from a grid, and its separators would need four
 * times its size. */
#define MAX_GRID_BYTES ((size_t)4 * 1024 * 1024)

/* Whether every n-th separator ends a line. If the counts also match, no other separator does. */
static bool is_rectangular(const stoa_csv_grid *grid, const stoa_csv_marks *marks)
{
    const size_t n = grid->n_columns;

    if (marks->n != marks->n_lines * n) {
        return false;
    }
    for (size_t row = 1; row <= marks->n_lines; row++) {
        const char c = grid->text[grid->at[row * n]];
        if (c != '\n' && c != '\r') {
            return false;
        }
    }
    return true;
}

stoa_status stoa_csv_grid_make(stoa_csv_grid *grid, const stoa_csv_scan *scan,
                               const stoa_csv_block *block, char delimiter, size_t n_columns,
                               size_t max_field_bytes, const stoa_csv_nulls *nulls, bool *is_sound,
                               stoa_error *err)
{
    const size_t n = block->length;
    stoa_csv_marks marks;

    *is_sound = false;
    if (n > MAX_GRID_BYTES || n > max_field_bytes) {
        return STOA_OK;
    }
    grid->marks.size = 0;
    STOA_RETURN_NOT_OK(
        stoa_buffer_reserve(&grid->marks, (1 + n + STOA_CSV_PAD) * sizeof(uint32_t), err));
    uint32_t *at = (uint32_t *)(void *)grid->marks.data;
    at[0] = UINT32_MAX; /* one before the first byte */
    scan->mark(block->text, n, delimiter, at + 1, &marks);
    grid->text = block->text;
    grid->at = at;
    grid->n_rows = marks.n_lines;
    grid->n_columns = n_columns;
    grid->has_quotes = marks.has_quotes;
    grid->has_cr = marks.has_cr;
    grid->nulls = nulls;
    *is_sound = !marks.is_broken && !marks.has_nul && is_rectangular(grid, &marks) &&
                (marks.is_ascii || stoa_utf8_valid(block->text, n) == n);
    if (*is_sound && grid->has_quotes) {
        grid->scratch.size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&grid->scratch, n + STOA_CSV_PAD, err));
    }
    return STOA_OK;
}

stoa_csv_cell stoa_csv_grid_quoted(const stoa_csv_grid *grid, size_t from, size_t to)
{
    const char *text = grid->text + from + 1;
    const size_t length = to - from - 2;
    const char *quote = memchr(text, '"', length);

    if (quote == NULL) {
        return (stoa_csv_cell){text, length, false};
    }
    char *out = (char *)grid->scratch.data;
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        out[n++] = text[i];
        i += text[i] == '"'; /* skip the second half of a doubled quote */
    }
    memset(out + n, 0, 8);
    return (stoa_csv_cell){out, n, false};
}

void stoa_csv_grid_end(stoa_csv_grid *grid)
{
    stoa_buffer_clear(&grid->marks);
    stoa_buffer_clear(&grid->scratch);
    *grid = (stoa_csv_grid){0};
}
