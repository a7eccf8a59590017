/* What the files that write pandas' fixed format have in common; see fixed_write.c. */
#ifndef STOA_LAYOUT_PANDAS_FIXED_WRITE_H
#define STOA_LAYOUT_PANDAS_FIXED_WRITE_H

#include "core/memory.h"
#include "core/strings.h"
#include "layout/pandas/label.h"
#include "layout/pandas/shape.h"
#include "layout/pickle/pickle.h"

/* A column under way. */
typedef struct stoa_pandas_putting {
    stoa_pandas_shape shape;
    bool is_index;
    bool is_level;     /* one of several that are the index */
    const char *dtype; /* of texts that are no objects; NULL: they are, or no texts */
    size_t number;     /* of the block, or of the level */
    hid_t dataset;     /* of plain values; of a level its codes */
    stoa_buffer pickle;
    stoa_strings distinct; /* of a level: the bytes of its values */
    bool has_freq;         /* of the index: a frequency that is true if its values go on so */
    stoa_pandas_freq freq;
    int64_t step; /* ticks between two of them; 0: they differ */
    stoa_pandas_run run;
} stoa_pandas_putting;

/* How labels are stored. */
typedef enum stoa_pandas_stored {
    STOA_PANDAS_TEXTS,
    STOA_PANDAS_INTEGERS,
    STOA_PANDAS_FLOATS,
    STOA_PANDAS_TRUTHS,
    STOA_PANDAS_TIMES, /* all alike: of any kind of time */
    STOA_PANDAS_OBJECTS
} stoa_pandas_stored;

/* One level of the labels of all columns. */
typedef struct stoa_pandas_level {
    stoa_pandas_stored as;
    bool is_known;         /* `as` is that of a label, not yet of none */
    stoa_pandas_time like; /* TIMES: all but the ticks */
    stoa_kind kind;        /* INTEGERS, FLOATS: those of 64 bits, if it is 0 */
} stoa_pandas_level;

typedef struct stoa_pandas_fixed {
    const stoa_layout_source *source;
    hid_t group;
    bool is_series;
    const char *rows;          /* the axis that labels them */
    bool has_labels;           /* columns are called by labels, not by their names */
    stoa_pandas_level *levels; /* of these: one, unless it is a MultiIndex */
    size_t n_levels;
    stoa_pandas_putting *columns;
    size_t n_columns;
} stoa_pandas_fixed;

/* --- nodes (fixed_nodes.c) -------------------------------------------------------------------- */

stoa_status stoa_pandas_say_count(hid_t object, const char *name, int64_t value, stoa_error *err);
/* "<axis>_variety" = "regular". */
stoa_status stoa_pandas_say_regular(const stoa_pandas_fixed *f, const char *axis, stoa_error *err);
/* The same of a MultiIndex, and how many levels it has. */
stoa_status stoa_pandas_say_multi(const stoa_pandas_fixed *f, const char *axis, size_t n_levels,
                                  stoa_error *err);
/* As PyTables marks an array. */
stoa_status stoa_pandas_mark_array(hid_t dataset, const char *class, const char *version,
                                   stoa_error *err);
/* An array of n plain values, to be put; `is_column`: of shape (n, 1). */
stoa_status stoa_pandas_fixed_make(const stoa_pandas_fixed *f, const char *name, stoa_kind kind,
                                   const char *dtype, uint64_t n, bool is_column, hid_t *dataset,
                                   stoa_error *err);
stoa_status stoa_pandas_fixed_put(hid_t dataset, stoa_kind kind, uint64_t first, uint64_t n,
                                  const void *values, stoa_error *err);
/* The array of a column of complex numbers. */
stoa_status stoa_pandas_fixed_make_complex(const stoa_pandas_fixed *f, const char *name,
                                           stoa_pandas_putting *column, stoa_error *err);
/* The type of complex numbers, of two of `part`; the caller's. */
stoa_status stoa_pandas_complex_type(hid_t part, hid_t *type, stoa_error *err);
/* A VLArray of one row, the pickle. */
stoa_status stoa_pandas_fixed_objects(const stoa_pandas_fixed *f, const char *name,
                                      const stoa_buffer *pickle, hid_t *dataset, stoa_error *err);

/* --- the index (fixed_index.c) ---------------------------------------------------------------- */

/* What the labels of rows are, and what they are called. */
stoa_status stoa_pandas_fixed_say_labels(const stoa_pandas_fixed *f,
                                         const stoa_pandas_putting *column, hid_t dataset,
                                         stoa_error *err);
/* Of several levels their number; of no labels 0, 1 ... */
stoa_status stoa_pandas_fixed_say_index(const stoa_pandas_fixed *f, stoa_error *err);
/* Whether a frequency is said of a column; it is true if its values turn out to go on so: pandas
 * believes it. */
void stoa_pandas_fixed_expect_freq(const stoa_pandas_fixed *f, stoa_pandas_putting *column);
stoa_status stoa_pandas_fixed_say_true_freq(const stoa_pandas_fixed *f,
                                            const stoa_pandas_putting *column, stoa_error *err);

/* --- labels of columns (fixed_labels.c) ------------------------------------------------------- */

/* A label, or of a MultiIndex one level of it. */
typedef struct stoa_pandas_label_part {
    const stoa_pickled *node; /* NULL: the text */
    const char *text;
} stoa_pandas_label_part;

stoa_pandas_label_part stoa_pandas_part_of(const stoa_pandas_fixed *f, const char *name,
                                           size_t level);
/* None, NaN, NaT: of a level no label, but the code -1. */
bool stoa_pandas_is_missing_part(const stoa_pandas_label_part *p);
/* How they are stored, before any of the calls below (fixed_plan.c). */
stoa_status stoa_pandas_fixed_plan_labels(stoa_pandas_fixed *f, stoa_error *err);
/* The axis of columns, and what each block holds. */
stoa_status stoa_pandas_fixed_labels(const stoa_pandas_fixed *f, stoa_error *err);
/* The attribute "freq". */
stoa_status stoa_pandas_say_freq(hid_t object, const stoa_pandas_freq *freq, stoa_error *err);
/* The attribute "name", of a label that may be no text. */
stoa_status stoa_pandas_say_label(hid_t object, const stoa_pickled *label, stoa_error *err);
stoa_status stoa_pandas_say_series_name(const stoa_pandas_fixed *f, stoa_error *err);

#endif
