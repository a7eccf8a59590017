/* What the files that read pandas' table format have in common; see table.c. */
#ifndef STOA_LAYOUT_PANDAS_TABLE_READ_H
#define STOA_LAYOUT_PANDAS_TABLE_READ_H

#include "core/strings.h"
#include "hdf/rows.h"
#include "layout/pandas/frame.h"

/* A column of the frame, before it is opened. */
typedef struct stoa_pandas_found {
    stoa_pandas_label_text label;
    char *member;      /* whose attributes describe it */
    unsigned index;    /* of the member */
    size_t item;       /* of its array, or STOA_WHOLE_MEMBER */
    bool labels_rows;  /* it is part of the index */
    uint64_t position; /* in the frame */
} stoa_pandas_found;

typedef struct stoa_pandas_opening {
    hid_t group;
    hid_t dataset;
    stoa_rows *rows;
    stoa_table *table;
    stoa_pickle *info;   /* NULL where there is none */
    stoa_strings labels; /* of the columns, in order */
    stoa_buffer left;    /* uint64_t a label: columns called so that have not been met */
    stoa_strings levels; /* of a MultiIndex, by name, in order */
    bool is_multi;
    bool is_of_labels; /* they are a categorical's: what has such itself could be its own */
    char *nan_rep;
    stoa_pandas_found *columns;
    size_t n_columns;
    stoa_pandas_notes notes;
    /* Opens the series of a categorical's labels: stoa_pandas_open_table(), for table_values.c. */
    stoa_status (*open)(hid_t group, const char *path, const char *file, bool is_of_labels,
                        stoa_table **table, stoa_error *err);
} stoa_pandas_opening;

/* A table of rows and the frame that is made of them; `group` is taken over in every case.
 *
 * @param is_of_labels  it is the series of a categorical's */
stoa_status stoa_pandas_open_table(hid_t group, const char *path, const char *file,
                                   bool is_of_labels, stoa_table **table, stoa_error *err);
/* Show a column as what it is, and note what its values do not say (table_values.c). */
stoa_status stoa_pandas_present(stoa_pandas_opening *f, const stoa_pandas_found *is,
                                stoa_column **shown, stoa_error *err);

#endif
