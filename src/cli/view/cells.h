/* The values of the rows and columns in sight, as texts. */
#ifndef STOA_CLI_VIEW_CELLS_H
#define STOA_CLI_VIEW_CELLS_H

#include "cli/view/columns.h"

typedef struct cli_cell_value {
    char *text;    /* with controls escaped; owned; NULL: not read yet */
    double number; /* of a float, whose text depends on its column */
    bool is_float;
} cli_cell_value;

/* Zero-initialise. */
typedef struct cli_cells {
    uint64_t *rows; /* row numbers */
    size_t n_rows;
    size_t first; /* column of the first value of a row */
    size_t n_columns;
    cli_cell_value *values; /* row by row */
} cli_cells;

/* Whether reading must stop, because a key waits. */
typedef bool cli_cells_stop(void);

/*
 * Read the values of rows. Values that were there before are not read again, and neighbouring rows
 * are read together. Widths and styles of the columns grow with what is read.
 *
 * @param rows  n_rows row numbers, in any order; copied
 * @return whether all are there; false if it stopped
 */
bool cli_cells_load(cli_cells *cells, cli_columns *columns, size_t first, size_t n_columns,
                    const uint64_t *rows, size_t n_rows, cli_cells_stop *stops);
/* The text of a value; "" if it is not read yet. */
const char *cli_cells_at(const cli_cells *cells, size_t row, size_t column);
void cli_cells_clear(cli_cells *cells);

/* One value with all its items. The caller frees it. */
stoa_status cli_cells_whole(const cli_column *column, uint64_t row, char **text, stoa_error *err);

#endif
