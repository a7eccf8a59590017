/* The columns of a CSV file: names from the header, what the options say of each, types once known.
 */
#ifndef STOA_LAYOUT_CSV_COLUMNS_H
#define STOA_LAYOUT_CSV_COLUMNS_H

#include <stoa/csv.h>

#include "layout/csv/guess.h"
#include "layout/csv/rows.h"
#include "layout/csv/value.h"

typedef struct stoa_csv_column {
    char *name;
    char *units;   /* NULL: none */
    bool is_typed; /* the caller has said the type */
    /* What values are read as. In the first pass: what the caller said (the unit of a timestamp or
     * a duration is DAY, "not settled yet"), else string. After stoa_csv_columns_settle(): the
     * type. */
    stoa_type type;
    stoa_csv_guess guess;
    bool is_deferred;    /* its labels are not gathered, since it looks like numbers or times */
    stoa_strings labels; /* of a category, as they were met */
    uint32_t *codes;     /* of each of them: its place in bytewise order */
    struct ArrowArray dictionary; /* the labels in that order, shared by all batches */
    stoa_csv_builder builder;
} stoa_csv_column;

/* Have its values a say in its type, or in the length of its strings? */
static inline bool stoa_csv_column_is_open(const stoa_csv_column *column)
{
    return !column->is_typed || column->type.kind == STOA_KIND_STRING ||
           column->type.kind == STOA_KIND_TIMESTAMP || column->type.kind == STOA_KIND_DURATION;
}

typedef struct stoa_csv_columns {
    stoa_csv_column *items;
    size_t n;
    stoa_strings names; /* theirs, by which the options find them */
} stoa_csv_columns;

/* From the header row; STOA_EINVAL for an option about a column that is not there. */
stoa_status stoa_csv_columns_make(stoa_csv_columns *columns, const stoa_csv_row *header,
                                  const stoa_csv_options *options, stoa_error *err);
/* Give up distinct sets until all of them fit into the memory set aside for them. */
void stoa_csv_columns_limit(stoa_csv_columns *columns);
/* Stop gathering the labels of columns that are typed so far: few of these turn out to be strings.
 */
void stoa_csv_columns_defer(stoa_csv_columns *columns);
/* After a pass that deferred labels: did one of these turn out to need them after all? Then all
 * columns have forgotten what was learned, and another pass will gather those. */
bool stoa_csv_columns_need_again(stoa_csv_columns *columns);
/* After the first pass: types, and the dictionaries of categories. */
stoa_status stoa_csv_columns_settle(stoa_csv_columns *columns, stoa_error *err);
/* A struct of them; metadata "units", and for strings "stoa.max_bytes" and "stoa.mean_bytes". */
stoa_status stoa_csv_columns_schema(const stoa_csv_columns *columns, struct ArrowSchema *schema,
                                    stoa_error *err);
/* The rows gathered in the builders as a struct array. */
stoa_status stoa_csv_columns_batch(stoa_csv_columns *columns, int64_t n_rows,
                                   struct ArrowArray *batch, stoa_error *err);
/* Forget rows gathered and not handed out. */
void stoa_csv_columns_discard(stoa_csv_columns *columns);
void stoa_csv_columns_clear(stoa_csv_columns *columns);

/* The numbers of n labels in bytewise order. */
stoa_status stoa_csv_order_labels(const stoa_strings *labels, uint32_t *order, stoa_error *err);

#endif
