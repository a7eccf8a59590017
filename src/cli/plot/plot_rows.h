/* One pass over the rows of a plot, and what its charts share. */
#ifndef STOA_CLI_PLOT_ROWS_H
#define STOA_CLI_PLOT_ROWS_H

#include "arrow/read.h"
#include "cli/plot/plot.h"

/* A column of a batch; of a dictionary `labels` are its values. */
typedef struct cli_plot_column {
    stoa_view view;
    stoa_view labels;
    bool has_labels;
} cli_plot_column;

/* The columns of a batch, which are borrowed; NULL where the plot has none. */
typedef struct cli_plot_batch {
    int64_t n;
    const cli_plot_column *x;
    const cli_plot_column *weights;
    const cli_plot_column *by;
    const cli_plot_column *columns;
    size_t n_columns;
} cli_plot_batch;

typedef stoa_status cli_plot_visit(void *context, const cli_plot_batch *batch, stoa_error *err);

/* Visit all rows that pass the filter, in order. `sample`: so many of them; 0: all. */
stoa_status cli_plot_each(stoa_table *table, const cli_plot *plot, uint64_t sample,
                          cli_plot_visit *visit, void *context, stoa_error *err);

/* The type, name and label of a column of the plot. */
typedef struct cli_plot_field {
    stoa_type type; /* of the values, and of the items of lists */
    bool is_list;
    char *name;  /* owned, as is: */
    char *label; /* "energy [keV]" */
} cli_plot_field;

typedef struct cli_plot_fields {
    cli_plot_field x;
    cli_plot_field weights;
    cli_plot_field by;
    cli_plot_field *columns;
    size_t n_columns;
} cli_plot_fields;

stoa_status cli_plot_fields_of(stoa_table *table, const cli_plot *plot, cli_plot_fields *fields,
                               stoa_error *err);
void cli_plot_fields_clear(cli_plot_fields *fields);

bool cli_plot_is_number(const stoa_type *type); /* or a time, or true and false */
bool cli_plot_is_label(const stoa_type *type);

/* Item i as a number; NaN if it is missing. Times count ticks. */
long double cli_plot_number(const cli_plot_column *column, int64_t i);
bool cli_plot_is_missing(const cli_plot_column *column, int64_t i);

/* How a value lies on an axis: times in seconds since 1970, durations in seconds. */
double cli_plot_place(const stoa_type *type, long double value);
/* Label an axis, and say whether it is one of times, or of powers of ten. */
void cli_plot_axis(cli_chart_axis *axis, const cli_plot_field *field, bool is_log);
/* Read "A:B" of numbers or times of that type. */
stoa_status cli_plot_range(const char *text, const stoa_type *type, bool is_log,
                           cli_bins_wanted *wanted, stoa_error *err);

/* Show a part of an axis, if `text` is one. */
stoa_status cli_plot_cut(cli_chart_axis *axis, const char *text, const stoa_type *type, bool is_log,
                         stoa_error *err);

/* Values that make groups: the most frequent ones. */
enum { CLI_PLOT_GROUPS = 10, CLI_PLOT_CATEGORIES = 20 };
typedef struct cli_plot_group {
    char *name; /* owned */
    bool is_missing;
    int64_t number; /* of an integer, a bool or a time; the bits of a float */
    char *bytes;    /* of a string; owned */
    size_t n_bytes;
    uint64_t n_rows;
    double total; /* the weights' sum, or the rows */
} cli_plot_group;

typedef struct cli_plot_groups {
    cli_plot_group *all;
    size_t n;
    uint64_t n_others; /* groups that are left out */
    double others;     /* their total */
} cli_plot_groups;

/* The groups of a column with the greatest totals, `most` at most. */
stoa_status cli_plot_groups_of(stoa_table *table, const cli_plot *plot, const char *by, size_t most,
                               cli_plot_groups *groups, stoa_error *err);
/* The group of row i; the number of groups if it is none of them. */
size_t cli_plot_groups_find(const cli_plot_groups *groups, const cli_plot_column *by, int64_t i);
void cli_plot_groups_clear(cli_plot_groups *groups);

/* The charts. */
stoa_status cli_plot_histogram(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                               const cli_plot_fields *fields, stoa_error *err);
stoa_status cli_plot_over(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                          const cli_plot_fields *fields, stoa_error *err);
stoa_status cli_plot_bars(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                          const cli_plot_fields *fields, stoa_error *err);
stoa_status cli_plot_boxes(cli_chart *chart, stoa_table *table, const cli_plot *plot,
                           const cli_plot_fields *fields, stoa_error *err);

#endif
