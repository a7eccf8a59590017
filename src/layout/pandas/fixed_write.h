/* Shared by the files that write pandas' fixed format (fixed_write.c). */
#ifndef STOA_LAYOUT_PANDAS_FIXED_WRITE_H
#define STOA_LAYOUT_PANDAS_FIXED_WRITE_H

#include "core/memory.h"
#include "core/string_set.h"
#include "layout/pandas/label.h"
#include "layout/pandas/shape.h"
#include "layout/pickle/pickle.h"

/* A column that is being written. */
typedef struct stoa_pandas_column_writer {
    stoa_pandas_shape shape;
    bool is_index;
    bool is_level; /* one of several levels of the index */
    /* of strings with a string dtype; NULL if stored as objects, or not strings */
    const char *dtype;
    size_t number;            /* of the block or level */
    hid_t dataset;            /* of plain values; for a level, its codes */
    size_t text_width;        /* of labels that are stored as fixed strings; 0: they are objects */
    stoa_buffer pickle;       /* of objects; or those fixed strings */
    stoa_string_set distinct; /* of a level: the bytes of its distinct values */
    bool has_freq; /* of the index: a frequency to write if the values turn out to follow it */
    stoa_pandas_freq freq;
    int64_t step; /* ticks between two values; 0 if they vary */
    stoa_pandas_run run;
} stoa_pandas_column_writer;

/* How labels are stored. */
typedef enum stoa_pandas_stored {
    STOA_PANDAS_TEXTS,
    STOA_PANDAS_INTEGERS,
    STOA_PANDAS_FLOATS,
    STOA_PANDAS_TRUTHS,
    STOA_PANDAS_TIMES, /* times of any one kind */
    STOA_PANDAS_OBJECTS
} stoa_pandas_stored;

/* One level of the column labels. */
typedef struct stoa_pandas_level {
    stoa_pandas_stored as;
    bool is_known;         /* a label has determined `as` */
    stoa_pandas_time like; /* TIMES: kind, unit and zone of all labels */
    stoa_kind kind;        /* INTEGERS, FLOATS: the kind; 0 for the 64-bit kind */
} stoa_pandas_level;

typedef struct stoa_pandas_fixed {
    const stoa_layout_source *source;
    hid_t group;
    bool is_series;
    const char *rows;          /* the name of the row axis */
    bool has_labels;           /* columns are identified by labels, not by their names */
    stoa_pandas_level *levels; /* of the labels; one unless they are a MultiIndex */
    size_t n_levels;
    stoa_pandas_column_writer *columns;
    size_t n_columns;
} stoa_pandas_fixed;

/* --- nodes (fixed_nodes.c) ------------------------------------------------------------------- */

stoa_status stoa_pandas_write_count(hid_t object, const char *name, int64_t value, stoa_error *err);
/* "<axis>_variety": "regular", or for a MultiIndex "multi" with its number of levels. */
stoa_status stoa_pandas_write_levels(const stoa_pandas_fixed *f, const char *axis, size_t n_levels,
                                     stoa_error *err);
/* Write the attributes of a PyTables array. */
stoa_status stoa_pandas_mark_array(hid_t dataset, const char *class, const char *version,
                                   stoa_error *err);
/* Create an array of n plain values. With `is_column` its shape is (n, 1). */
stoa_status stoa_pandas_fixed_make(const stoa_pandas_fixed *f, const char *name, stoa_kind kind,
                                   const char *dtype, uint64_t n, bool is_column, hid_t *dataset,
                                   stoa_error *err);
stoa_status stoa_pandas_fixed_put(hid_t dataset, stoa_kind kind, uint64_t first, uint64_t n,
                                  const void *values, stoa_error *err);
/* Create the array of a column of complex numbers. */
stoa_status stoa_pandas_fixed_make_complex(const stoa_pandas_fixed *f, const char *name,
                                           stoa_pandas_column_writer *column, stoa_error *err);
/* Create an array of n texts, each `width` bytes, and write it. */
stoa_status stoa_pandas_fixed_texts(const stoa_pandas_fixed *f, const char *name, size_t width,
                                    const void *texts, uint64_t n, hid_t *dataset, stoa_error *err);
/* Create a VLArray with one row, which holds the pickle. */
stoa_status stoa_pandas_fixed_objects(const stoa_pandas_fixed *f, const char *name,
                                      const stoa_buffer *pickle, hid_t *dataset, stoa_error *err);

/* --- the index (fixed_index.c) --------------------------------------------------------------- */

/* Write the kind and name of row labels. */
stoa_status stoa_pandas_fixed_write_labels(const stoa_pandas_fixed *f,
                                           const stoa_pandas_column_writer *column, hid_t dataset,
                                           stoa_error *err);
/* Write the number of levels for a MultiIndex, or the index 0, 1 ... if there are no row labels. */
stoa_status stoa_pandas_fixed_write_index(const stoa_pandas_fixed *f, stoa_error *err);
/* Note the frequency of a column from the metadata. It is written only if the values turn out to
 * follow it, since pandas does not check it. */
void stoa_pandas_fixed_expect_freq(const stoa_pandas_fixed *f, stoa_pandas_column_writer *column);
stoa_status stoa_pandas_fixed_write_true_freq(const stoa_pandas_fixed *f,
                                              const stoa_pandas_column_writer *column,
                                              stoa_error *err);

/* --- labels of columns (fixed_labels.c) ------------------------------------------------------ */

/* A label, or one level of a MultiIndex label. */
typedef struct stoa_pandas_label_part {
    const stoa_pickled *node; /* NULL if `text` is the label */
    const char *text;
} stoa_pandas_label_part;

stoa_pandas_label_part stoa_pandas_part_of(const stoa_pandas_fixed *f, const char *name,
                                           size_t level);
/* None, NaN or NaT. In a level this is the code -1 and not a label. */
bool stoa_pandas_is_missing_part(const stoa_pandas_label_part *p);
/* Choose how labels are stored, before any of the calls below (fixed_plan.c). */
stoa_status stoa_pandas_fixed_plan_labels(stoa_pandas_fixed *f, stoa_error *err);
/* Write the column axis, and the labels of each block. */
stoa_status stoa_pandas_fixed_labels(const stoa_pandas_fixed *f, stoa_error *err);
/* Write the attribute "freq". */
stoa_status stoa_pandas_write_freq(hid_t object, const stoa_pandas_freq *freq, stoa_error *err);
/* Write the attribute "name", from a label that need not be a string. */
stoa_status stoa_pandas_write_label(hid_t object, const stoa_pickled *label, stoa_error *err);
stoa_status stoa_pandas_write_series_name(const stoa_pandas_fixed *f, stoa_error *err);

#endif
