/*
 * A block of CSV text as a grid of fields: the fast way, for blocks in which nothing is wrong.
 *
 * Every row has as many fields as there are columns, quotes are where they belong, the text is
 * UTF-8 without NUL, and no field is too long. What else there is, stoa_csv_rows reads.
 */
#ifndef STOA_LAYOUT_CSV_GRID_H
#define STOA_LAYOUT_CSV_GRID_H

#include <string.h>

#include "core/strings.h"
#include "layout/csv/text.h"

/* Fields that mean "missing", besides the empty one. */
typedef struct stoa_csv_nulls {
    stoa_strings texts;
    uint64_t lengths; /* bit n: one of n bytes is among them; the last bit: of 63 or more */
} stoa_csv_nulls;

static inline bool stoa_csv_is_null(const stoa_csv_nulls *nulls, const char *text, size_t length)
{
    return (nulls->lengths >> (length < 63 ? length : 63) & 1) != 0 &&
           stoa_strings_find(&nulls->texts, text, length, &(uint32_t){0});
}

/* Zero-initialise; free with stoa_csv_grid_end(). Made again and again, it keeps its memory. */
typedef struct stoa_csv_grid {
    const char *text;
    const uint32_t *at; /* field k of the text lies between separators at[k] and at[k + 1] */
    size_t n_rows;
    size_t n_columns;
    bool has_quotes;
    bool has_cr;
    const stoa_csv_nulls *nulls;
    stoa_buffer marks;   /* `at`; before it, a separator before the text */
    stoa_buffer scratch; /* a field whose doubled quotes are gone */
} stoa_csv_grid;

/* False in `is_sound` if the block is none of these, or too large to be worth it. */
stoa_status stoa_csv_grid_make(stoa_csv_grid *grid, const stoa_csv_scan *scan,
                               const stoa_csv_block *block, char delimiter, size_t n_columns,
                               size_t max_field_bytes, const stoa_csv_nulls *nulls, bool *is_sound,
                               stoa_error *err);
void stoa_csv_grid_end(stoa_csv_grid *grid);

/* One field; eight bytes behind its text can be read. */
typedef struct stoa_csv_cell {
    const char *text;
    size_t length;
    bool is_missing;
} stoa_csv_cell;

/* What is between the quotes; in the scratch if it has quotes itself, until the next cell. */
stoa_csv_cell stoa_csv_grid_quoted(const stoa_csv_grid *grid, size_t from, size_t to);

/* Whether the cell's text is in the scratch. */
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
