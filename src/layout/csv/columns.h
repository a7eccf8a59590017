/* The columns of a CSV file: names from the header, the options for each, and their types once
 * known. */
#ifndef STOA_LAYOUT_CSV_COLUMNS_H
#define STOA_LAYOUT_CSV_COLUMNS_H

#include <stoa/csv.h>

#include "layout/csv/inference.h"
#include "layout/csv/rows.h"
#include "layout/csv/value.h"

typedef struct stoa_csv_column {
    char *name;
    char *units;      /* NULL if none */
    bool is_typed;    /* the caller has given the type */
    bool is_optional; /* the options only say the type that it has if it is there */
    bool is_coded;    /* its values become labels, though they are no strings */
    /* The type that values are read as. In the first pass this is the caller's type, or string. A
     * timestamp or duration then has the unit DAY, which means "not known yet". After
     * stoa_csv_columns_settle() it is the column's type. */
    stoa_type type;
    stoa_csv_inference guess;
    bool is_deferred; /* labels are not collected, since the column looks like numbers or times */
    stoa_string_set labels;       /* of a category, in order of first occurrence */
    uint32_t *codes;              /* for each label, its position in bytewise order */
    struct ArrowArray dictionary; /* the labels in that order, shared by all batches */
    stoa_csv_builder builder;
} stoa_csv_column;

/* Whether the values determine the type of the column, or the length of its strings. */
static inline bool stoa_csv_column_is_open(const stoa_csv_column *column)
{
    return !column->is_typed || column->type.kind == STOA_KIND_STRING ||
           column->type.kind == STOA_KIND_TIMESTAMP || column->type.kind == STOA_KIND_DURATION;
}

typedef struct stoa_csv_columns {
    stoa_csv_column *items;
    size_t n;
    stoa_string_set names; /* column names, for lookups by the options */
    stoa_buffer renamed;   /* text: which names got a number; empty: none */
} stoa_csv_columns;

/* Make the columns from the header row. STOA_EINVAL for an option about a column that does not
 * exist. `spelling` is NULL if it is the usual one. */
stoa_status stoa_csv_columns_make(stoa_csv_columns *columns, const stoa_csv_row *header,
                                  const stoa_csv_options *options,
                                  const stoa_csv_spelling *spelling, stoa_error *err);
/* Drop label sets until the rest fit into the memory limit. */
void stoa_csv_columns_limit(stoa_csv_columns *columns);
/* Stop collecting labels of columns that look like numbers or times so far. Few of these turn out
 * to be strings. */
void stoa_csv_columns_defer(stoa_csv_columns *columns);
/* Call this after a pass that deferred labels. True if a deferred column turned out to need its
 * labels. All columns have then dropped what they learned, and another pass will collect them. */
bool stoa_csv_columns_need_again(stoa_csv_columns *columns);
/* After the first pass: choose the types, and make the dictionaries of categories. */
stoa_status stoa_csv_columns_settle(stoa_csv_columns *columns, stoa_error *err);
/* The schema: a struct of the columns with metadata "units", and for strings "stoa.max_bytes" and
 * "stoa.mean_bytes". */
stoa_status stoa_csv_columns_schema(const stoa_csv_columns *columns, struct ArrowSchema *schema,
                                    stoa_error *err);
/* The rows in the builders as a struct array. */
stoa_status stoa_csv_columns_batch(stoa_csv_columns *columns, int64_t n_rows,
                                   struct ArrowArray *batch, stoa_error *err);
/* Drop rows that have not been handed out. */
void stoa_csv_columns_discard(stoa_csv_columns *columns);
void stoa_csv_column_clear(stoa_csv_column *column);
void stoa_csv_columns_clear(stoa_csv_columns *columns);

/* The numbers of all labels in bytewise order. */
stoa_status stoa_csv_order_labels(const stoa_string_set *labels, uint32_t *order, stoa_error *err);

#endif
