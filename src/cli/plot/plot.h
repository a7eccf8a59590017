/* Charts of a table's rows. The query engine reads them, filters them and computes columns. Each
 * pass over the rows takes constant memory. */
#ifndef STOA_CLI_PLOT_H
#define STOA_CLI_PLOT_H

#include "cli/common/place.h"
#include "cli/plot/chart.h"
#include "cli/plot/spread.h"

typedef enum cli_plot_kind {
    CLI_PLOT_LINE,
    CLI_PLOT_SCATTER,
    CLI_PLOT_HIST,
    CLI_PLOT_HIST2D,
    CLI_PLOT_BARS,
    CLI_PLOT_BOX,
    CLI_PLOT_IMAGE,
    CLI_PLOT_AUTO = -1
} cli_plot_kind;

extern const char *const cli_plot_kinds[];

/* What is drawn; NULL and zero: as usual. */
typedef struct cli_plot {
    const char *columns; /* columns or expressions, as -c of a query takes them */
    const char *x;
    const char *by;
    const char *weights;
    const char *where;
    int kind;              /* cli_plot_kind */
    bool is_log[3];        /* x, y, and the scale of a map */
    uint64_t n_bins[2];    /* of x and y */
    const char *ranges[2]; /* "A:B" of x and y */
    stoa_listener listener;
    unsigned n_threads;
    bool use_indexes;
} cli_plot;

/*
 * Draw columns of a table. Without a kind, numbers are a histogram, labels are bars, and columns
 * over another one a line if that rises, else points, or a map of many rows.
 *
 * @param columns are set
 * @return STOA_ETYPE for columns that cannot be drawn so
 */
stoa_status cli_plot_rows(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                          stoa_error *err);

#endif
