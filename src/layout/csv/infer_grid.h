/* Type inference for a column of a grid. */
#ifndef STOA_LAYOUT_CSV_INFER_GRID_H
#define STOA_LAYOUT_CSV_INFER_GRID_H

#include "layout/csv/columns.h"
#include "layout/csv/first_pass.h"
#include "layout/csv/grid.h"

/* The results for a column of a block. */
typedef struct stoa_csv_grid_inference {
    stoa_csv_inference *guess;
    stoa_csv_parsed_column *found; /* a work area */
    bool keeps;                    /* keep the values where possible */
    stoa_csv_kept_column *kept;
    stoa_buffer *bytes; /* of all columns */
} stoa_csv_grid_inference;

/* Add column k of the grid to a guess. `is_sound` is false if a value is not of the caller's type.
 * The results are then invalid. */
stoa_status stoa_csv_infer_grid(const stoa_csv_grid *grid, size_t k, const stoa_csv_column *column,
                                stoa_csv_grid_inference *learning, bool *is_sound, stoa_error *err);

#endif
