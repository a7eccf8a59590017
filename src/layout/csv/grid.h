/*
 * A block of CSV text as a grid of fields: the fast path, for blocks without any irregularity.
 *
 * Every row has as many fields as there are columns. Quotes are in valid places, the text is UTF-8
 * without NUL, and no field is too long. stoa_csv_rows reads all other blocks.
 */
#ifndef STOA_LAYOUT_CSV_GRID_H
#define STOA_LAYOUT_CSV_GRID_H

#include <string.h>

#include "core/string_set.h"
#include "layout/csv/text.h"

/* Fields that mean "missing", besides the empty one. */
typedef struct stoa_csv_nulls {
    stoa_string_set texts;
    uint64_t lengths; /* bit n: a text of n bytes exists; the last bit: one of 63 or more bytes */
} stoa_csv_nulls;

static inline bool stoa_csv_is_null(const stoa_csv_nulls *nulls, const char *text, size_t length)
{
    return (nulls->lengths >> (length < 63 ? length : 63) & 1) != 0 &&
           stoa_string_set_find(&nulls->texts, text, length, &(uint32_t){0});
}

/* Zero-initialise; free by stoa_csv_grid_end(). Its memory is reused for each block. */
typedef struct stoa_csv_grid {
    const char *text;
    const uint32_t *at; /* field k lies between separators at[k] and at[k + 1] */
    size_t n_rows;
    size_t n_columns;
    bool has_quotes;
    bool has_cr;
    const stoa_csv_nulls *nulls;
    stoa_buffer marks;   /* `at`, preceded by a separator before the text */
    stoa_buffer scratch; /* a field without its doubled quotes */
} stoa_csv_grid;

/* Make the grid. `is_sound` is false if the block is irregular, or so large that the grid does not
 * pay. */
stoa_status stoa_csv_grid_make(stoa_csv_grid *grid, const stoa_csv_scan *scan,
                               const stoa_csv_block *block, char delimiter, size_t n_columns,
                               size_t max_field_bytes, const stoa_csv_nulls *nulls, bool *is_sound,
                               stoa_error *err);
void stoa_csv_grid_end(stoa_csv_grid *grid);

/* One field. Eight bytes past its text are readable. */
typedef struct stoa_csv_cell {
    const char *text;
    size_t length;
    bool is_missing;
} stoa_csv_cell;

/* The content of a quoted field. If it contains quotes, it is in the scratch buffer until the next
 * cell is read. */
stoa_csv_cell stoa_csv_grid_quoted(const stoa_csv_grid *grid, size_t from, size_t to);

/* Whether the text of the cell is in the scratch buffer. */
static inline bool stoa_csv_grid_is_scratch(const stoa_csv_grid *grid, const stoa_csv_cell *cell)
{
    return grid->has_quotes && cell->text == (const char *)grid->scratch.data;
}

static inline stoa_csv_cell stoa_csv_grid_cell(const stoa_csv_grid *grid, size_t row, size_t column)
{
    const uint32_t *at = grid->at + row * grid->n_columns + column;
    size_t from = (uint32_t)(at[0] + 1);
    const size_t to = at[1];

    if (grid->has_cr && column == 0 && row > 0) {
        from += grid->text[from - 1] == '\r' && grid->text[from] == '\n';
    }
    const char *text = grid->text + from;
    const size_t length = to - from;
    if (grid->has_quotes && length != 0 && text[0] == '"') {
        return stoa_csv_grid_quoted(grid, from, to);
    }
    return (stoa_csv_cell){
        text, length,
        length == 0 || (grid->nulls->lengths != 0 && stoa_csv_is_null(grid->nulls, text, length))};
}

#endif
