/* A conversion: a table that is read as often as a writer needs it, after a first pass for
 * statistics. */
#ifndef STOA_LAYOUT_CONVERSION_H
#define STOA_LAYOUT_CONVERSION_H

#include <stoa/query.h>

#include "layout/common/categories_as_values.h"
#include "layout/common/missing.h"
#include "layout/common/restore_int_width.h"
#include "layout/common/writer.h"

/* Start from {.table = ..., .options = ...}. Call stoa_layout_conversion_end() at the end, also on
 * failure. */
typedef struct stoa_layout_conversion {
    stoa_table *table;                  /* borrowed */
    const stoa_layout_options *options; /* borrowed */
    /* metadata of fields, beside those of the table; NULL if none */
    const struct ArrowSchema *notes;
    char *where;                  /* condition of the rows that are read; NULL for all. Owned */
    stoa_categories_which *plain; /* categories to decode; NULL for none */
    stoa_query *query;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    stoa_column_stats *stats;
    stoa_stand_ins *stand_ins;
    bool is_narrow; /* the schema has narrower numbers than the table */
    uint64_t n_rows;
    size_t *index_columns;
    size_t n_index_columns;
} stoa_layout_conversion;

/* Read all rows once, and set schema, facts and n_rows. Results of an earlier pass are dropped. */
stoa_status stoa_layout_conversion_learn(stoa_layout_conversion *conversion, stoa_error *err);
/* Set index_columns: those that the options name, or the table's own. Needs the schema. */
stoa_status stoa_layout_conversion_labels(stoa_layout_conversion *conversion, stoa_error *err);
/* Leave out the rows with a missing value that the options drop, and collect the statistics again.
 * Needs the facts. */
stoa_status stoa_layout_conversion_drop(stoa_layout_conversion *conversion,
                                        const stoa_missing_rules *rules, stoa_error *err);
/* Apply the replacements that the options give for missing values. */
stoa_status stoa_layout_conversion_fill(stoa_layout_conversion *conversion,
                                        const stoa_missing_rules *rules, stoa_error *err);

/* Restore the width of numbers that HEP001 has widened, where the values still fit. Needs the
 * facts, and comes last of these. */
stoa_status stoa_layout_conversion_narrow(stoa_layout_conversion *conversion, stoa_error *err);

/* Start reading the rows from the first; and stop. */
stoa_status stoa_layout_conversion_read(stoa_layout_conversion *conversion, stoa_error *err);
void stoa_layout_conversion_stop(stoa_layout_conversion *conversion);
/* The writer's input, with the rows that are being read. Borrows from the job. */
stoa_layout_source stoa_layout_conversion_source(stoa_layout_conversion *conversion);

void stoa_layout_conversion_end(stoa_layout_conversion *conversion);

/* Write all rows of a stream to a table in a temporary file in $TMPDIR. The caller closes both. */
stoa_status stoa_layout_keep_rows(struct ArrowArrayStream *stream,
                                  const stoa_layout_options *options, hid_t *file,
                                  stoa_table **table, stoa_error *err);

#endif
