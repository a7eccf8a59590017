/*
 * What a frame of pandas says that names of columns cannot: labels that are no texts, or are not
 * unique, the names of its axes, and that it is a Series.
 *
 * It goes along as a text, in HEP001 an attribute of the table: the pickle (protocol 0, of plain
 * values alone) of a dict, with those of these keys that are needed:
 *
 *     "type"     "series": one column, no frame
 *     "columns"  {name: label}, of columns whose label is another one
 *     "index"    [label] of the index columns, where one is another one; None: it has no name
 *     "dtypes"   {name: dtype}, where the type of the values does not say it (shape.h)
 *     "freq"     [text, n, first, last]: the one index column has that frequency (freq.h)
 *     "axis"     {"dtype": "int32", "freq": "MS", "n": 3} of the labels of columns
 *     "names"    [name] of the axis of columns, several of a MultiIndex
 *     "categories"  {name: [ordered, label ...]}, of categoricals whose labels are no texts
 *     "strings"  {name: dtype}, "string" or "str", of texts that were no Python objects
 *
 * A frequency is true as long as there are n rows between these two ticks, or n columns.
 *
 * Labels that are times are said as label.h has it.
 */
#ifndef STOA_LAYOUT_PANDAS_FRAME_H
#define STOA_LAYOUT_PANDAS_FRAME_H

#include "core/memory.h"
#include "core/strings.h"
#include "layout/pandas/freq.h"
#include "layout/pandas/label.h"
#include "layout/pickle/pickle.h"
#include "layout/writer.h"
#include "table/table.h"

/* The attribute of a HEP001 table. */
#define STOA_PANDAS_FRAME "stoa_pandas_frame"

/* A label in words, and as opcodes of protocol 0; zero-initialise. */
typedef struct stoa_pandas_label_text {
    char *name;
    char *said;   /* NULL: what it was cannot be said, */
    bool is_text; /* unless it is a text, the name itself */
} stoa_pandas_label_text;

void stoa_pandas_label_clear(stoa_pandas_label_text *label);
/* Of any node, NULL included: what has no words is called `otherwise`. */
stoa_status stoa_pandas_label_make(const stoa_pickled *node, const char *otherwise,
                                   stoa_pandas_label_text *label, stoa_error *err);

/* --- while a frame is opened (frame_notes.c) ------------------------------------------------- */

/* Zero-initialise, clear in the end. */
typedef struct stoa_pandas_notes {
    bool is_series;
    stoa_buffer columns; /* opcodes */
    stoa_buffer index;
    bool says_index; /* what columns are called does not */
    stoa_buffer dtypes;
    stoa_buffer freq;
    stoa_buffer axis;
    stoa_buffer names;
    stoa_buffer categories;
    stoa_buffer strings;
    stoa_strings taken;   /* by columns of the table, */
    size_t n_seen;        /* of which so many have been looked at */
    stoa_buffer suffixes; /* uint64_t a taken name: that of the last column that wanted it */
} stoa_pandas_notes;

void stoa_pandas_notes_clear(stoa_pandas_notes *notes);
/* A column is about to be added: gives it a name that no column of the table has. */
stoa_status stoa_pandas_note_column(stoa_pandas_notes *notes, const stoa_table *table,
                                    stoa_pandas_label_text *label, stoa_error *err);
/* The same of the next index column; `otherwise` is what one without a name is called. */
stoa_status stoa_pandas_note_index(stoa_pandas_notes *notes, const stoa_table *table,
                                   stoa_pandas_label_text *label, const char *otherwise,
                                   stoa_error *err);
/* The dtype of a column, by the name that it has in the table. */
stoa_status stoa_pandas_note_dtype(stoa_pandas_notes *notes, const char *name, const char *dtype,
                                   stoa_error *err);
/* The frequency of the one index column, which is of times or durations. */
stoa_status stoa_pandas_note_freq(stoa_pandas_notes *notes, const stoa_pandas_freq *freq,
                                  stoa_column *index, stoa_error *err);
/* The dtype of the labels of columns, and the frequency of so many; NULL: nothing is said of it. */
stoa_status stoa_pandas_note_axis(stoa_pandas_notes *notes, const char *dtype,
                                  const stoa_pandas_freq *freq, size_t n, stoa_error *err);
/* One more name of the axis of columns. */
stoa_status stoa_pandas_note_name(stoa_pandas_notes *notes, const char *said, stoa_error *err);
/* The labels of a categorical, which lie in a column; texts, and too many, are not noted. */
stoa_status stoa_pandas_note_categories(stoa_pandas_notes *notes, const char *name, bool is_ordered,
                                        stoa_column *labels, stoa_error *err);
/* Whether texts of a dtype, NULL: none, are told from objects. */
bool stoa_pandas_is_string_dtype(const char *dtype);
/* The dtype of a column of texts, NULL: objects; others than those above are not noted. */
stoa_status stoa_pandas_note_strings(stoa_pandas_notes *notes, const char *name, const char *dtype,
                                     stoa_error *err);
/* All of it, as table->frame. */
stoa_status stoa_pandas_notes_end(stoa_pandas_notes *notes, stoa_table *table, stoa_error *err);

/* --- while one is written -------------------------------------------------------------------- */

/* The text of a table of any layout; *text is NULL where there is none. The caller's. */
stoa_status stoa_pandas_frame_text(const stoa_table *table, char **text, stoa_error *err);

/* The source as writers of pandas want it: with what a frame said beside it as `own`, where that is
 * to be read, so that it is another one than `source`. *frame, the caller's, holds that. */
stoa_status stoa_pandas_recall(const stoa_layout_source *source, stoa_layout_source *own,
                               stoa_pickle **frame, stoa_error *err);
/* Keep the text in a table of HEP001 that was made of one that has it. */
stoa_status stoa_pandas_keep_notes(const stoa_table *from, hid_t loc, const char *path, hid_t table,
                                   stoa_error *err);

/* Whether a text that somebody wrote says nothing but plain values. */
stoa_status stoa_pandas_frame_check(const stoa_pickle *frame, bool *is_plain, stoa_error *err);

/* A frame as a group without a name, in either format: table_write.c, fixed_write.c. */
stoa_status stoa_pandas_write_table(const stoa_layout_source *source, hid_t file, hid_t *object,
                                    stoa_error *err);
stoa_status stoa_pandas_write_fixed(const stoa_layout_source *source, hid_t file, hid_t *object,
                                    stoa_error *err);

bool stoa_pandas_is_series(const stoa_layout_source *source);
/* The label of a column where it is another one than its name; NULL else. */
const stoa_pickled *stoa_pandas_label_of(const stoa_layout_source *source, const char *name);
/* A column's label, whichever it is, as opcodes for pandas. */
stoa_status stoa_pandas_put_label(stoa_buffer *out, const stoa_layout_source *source,
                                  const char *name, stoa_error *err);
/* [ordered, label, label ...] of a column that was a categorical; NULL: it was none. */
const stoa_pickled *stoa_pandas_categories_of(const stoa_layout_source *source, const char *name);
/* The dtype of a column whose texts were no objects; NULL: they were. */
const char *stoa_pandas_strings_of(const stoa_layout_source *source, const char *name);
/* The names of the axis of columns, one a level; NULL: there is none. */
const stoa_pickled *stoa_pandas_names(const stoa_layout_source *source);
/* How many levels the labels of columns have: those that have names, where all labels do. */
size_t stoa_pandas_n_levels(const stoa_layout_source *source);
/* The names of so many levels, as an opcode list for pandas. */
stoa_status stoa_pandas_put_names(stoa_buffer *out, const stoa_layout_source *source,
                                  stoa_error *err);
/* The name of an index column as a node; NULL: nothing is said of it. */
const stoa_pickled *stoa_pandas_index_label(const stoa_layout_source *source, size_t level);
/* The dtype of a column, the caller's; NULL: nothing is said of it. */
stoa_status stoa_pandas_dtype_of(const stoa_layout_source *source, const char *name, char **dtype,
                                 stoa_error *err);
/* The frequency of the one index column, and the ticks that it is true between, of as many rows as
 * there are; false: none is said. */
bool stoa_pandas_freq_said(const stoa_layout_source *source, stoa_pandas_freq *freq, int64_t *first,
                           int64_t *last);
/* What is said of the labels of columns: "dtype", "freq", "n"; NULL: nothing. */
const stoa_pickled *stoa_pandas_axis_of(const stoa_layout_source *source, const char *what);

#endif
