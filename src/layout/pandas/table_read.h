/* Shared by the files that read pandas' table format (table.c). */
#ifndef STOA_LAYOUT_PANDAS_TABLE_READ_H
#define STOA_LAYOUT_PANDAS_TABLE_READ_H

#include "core/string_set.h"
#include "hdf/read/compound_rows.h"
#include "layout/pandas/frame.h"

/* A column of the frame, before it is opened. */
typedef struct stoa_pandas_found {
    stoa_pandas_label_text label;
    char *member;      /* the member whose attributes describe it */
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
    stoa_pickle *info;      /* NULL if there is none */
    stoa_string_set labels; /* of the columns, in order */
    stoa_buffer left;       /* uint64_t for each label: its columns that have not been found yet */
    stoa_string_set levels; /* of a MultiIndex, by name, in order */
    bool is_multi;
    /* The rows are the labels of a categorical. Nested categoricals are refused. */
    bool is_of_labels;
    char *nan_rep; /* NULL: each column of strings has its own, or no missing strings */
    stoa_pandas_found *columns;
    size_t n_columns;
    stoa_pandas_metadata notes;
    /* Opens the labels of a categorical: stoa_pandas_open_table(), called by table_values.c. */
    stoa_status (*open)(hid_t group, const char *path, const char *file, bool is_of_labels,
                        stoa_table **table, stoa_error *err);
} stoa_pandas_opening;

/*
 * Find the columns of a frame, in their order, without opening them. Takes ownership of `group`,
 * also on failure. The caller clears the opening, also on failure.
 */
stoa_status stoa_pandas_opening_begin(hid_t group, const char *path, const char *file,
                                      bool is_of_labels, stoa_pandas_opening *f, stoa_error *err);
void stoa_pandas_opening_clear(stoa_pandas_opening *f);

/*
 * Open a table of rows as the frame that it represents. Takes ownership of `group`, also on
 * failure.
 *
 * @param is_of_labels  it is the series of a categorical's labels
 */
stoa_status stoa_pandas_open_table(hid_t group, const char *path, const char *file,
                                   bool is_of_labels, stoa_table **table, stoa_error *err);
/* Read an attribute of a member as text. *text is NULL if there is none. The caller frees it. */
stoa_status stoa_pandas_text_of(hid_t object, const char *member, const char *suffix, char **text,
                                stoa_error *err);
/* The text of missing strings, which the member or the whole table has. *text is NULL if none is
 * missing. The caller frees it. */
stoa_status stoa_pandas_nan_rep_of(const stoa_pandas_opening *f, const char *member, bool is_index,
                                   char **text, stoa_error *err);
/* Present a column with its dtype, and note what its values do not show (table_values.c). */
stoa_status stoa_pandas_present(stoa_pandas_opening *f, const stoa_pandas_found *is,
                                stoa_column **shown, stoa_error *err);

#endif
