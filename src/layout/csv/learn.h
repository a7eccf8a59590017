/* A column of a grid, looked at for its type. */
#ifndef STOA_LAYOUT_CSV_LEARN_H
#define STOA_LAYOUT_CSV_LEARN_H

#include "layout/csv/columns.h"
#include "layout/csv/grid.h"
#include "layout/csv/kept.h"

/* Where goes what is learned of a column of a block. */
typedef struct stoa_csv_learning {
    stoa_csv_guess *guess;
    stoa_csv_found *found; /* in use meanwhile */
    bool keeps;            /* then the rows' values, as far as they can be kept, go */
    stoa_csv_kept_column *kept;
    stoa_buffer *bytes; /* of all columns */
} stoa_csv_learning;

/* Add column k of the grid to a guess. False in `is_sound`: a value is not of the type that the
 * caller has said; what is learned is then worth nothing. */
stoa_status stoa_csv_learn(const stoa_csv_grid *grid, size_t k, const stoa_csv_column *column,
                           stoa_csv_learning *learning, bool *is_sound, stoa_error *err);

#endif
