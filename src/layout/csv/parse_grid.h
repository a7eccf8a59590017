/* Parses a column of a grid into values of its type. */
#ifndef STOA_LAYOUT_CSV_PARSE_GRID_H
#define STOA_LAYOUT_CSV_PARSE_GRID_H

#include "layout/csv/columns.h"
#include "layout/csv/first_pass.h"
#include "layout/csv/grid.h"

/* Fill `builder`, which is empty, with column k of the grid. `is_sound` is false if a value is not
 * of the column's type. The builder's content is then invalid. */
stoa_status stoa_csv_parse_grid(const stoa_csv_grid *grid, size_t k, const stoa_csv_column *column,
                                stoa_csv_builder *builder, bool *is_sound, stoa_error *err);
/* The same from the kept values of a block. Requires stoa_csv_kept_has(). */
stoa_status stoa_csv_load_kept(const stoa_csv_kept_block *block, size_t k,
                               const stoa_csv_column *column, stoa_csv_builder *builder,
                               stoa_error *err);

#endif
