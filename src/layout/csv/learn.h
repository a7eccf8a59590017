/* A column of a grid, looked at for its type. */
#ifndef STOA_LAYOUT_CSV_LEARN_H
#define STOA_LAYOUT_CSV_LEARN_H

#include "layout/csv/columns.h"
#include "layout/csv/grid.h"
#include "layout/csv/kept.h"

/* Add column k of the grid to `guess`. False in `is_sound`: a value is not of the type that the
 * caller has said; the guess is then worth nothing. `numbers` are those of its rows' labels, if
 * they are gathered. */
stoa_status stoa_csv_learn(const stoa_csv_grid *grid, size_t k, const stoa_csv_column *column,
                           stoa_csv_guess *guess, stoa_csv_numbers *numbers, bool *is_sound,
                           stoa_error *err);

#endif
