/* A column of a grid, read as values of its type. */
#ifndef STOA_LAYOUT_CSV_LOAD_H
#define STOA_LAYOUT_CSV_LOAD_H

#include "layout/csv/columns.h"
#include "layout/csv/grid.h"
#include "layout/csv/kept.h"

/* Fill `builder`, which is empty, with column k of the grid. False in `is_sound`: a value is not of
 * the column's type; the builder then holds nothing of use. */
stoa_status stoa_csv_load(const stoa_csv_grid *grid, size_t k, const stoa_csv_column *column,
                          stoa_csv_builder *builder, bool *is_sound, stoa_error *err);
/* The same from what was kept of the block, which stoa_csv_kept_has(). */
stoa_status stoa_csv_load_kept(const stoa_csv_kept_block *block, size_t k,
                               const stoa_csv_column *column, stoa_csv_builder *builder,
                               stoa_error *err);

#endif
