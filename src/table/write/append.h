/* Appending rows to a table: everything before the commit (HEP001 §11.2, steps 1 to 4). */
#ifndef STOA_TABLE_APPEND_H
#define STOA_TABLE_APPEND_H

#include <stdatomic.h>

#include "column/write/list_writer.h"
#include "core/threads.h"
#include "table/open/table.h"

/* Categories, the name of their dataset in CATEGORIES, and the columns that share them. */
typedef struct stoa_shared_categories {
    stoa_categories book; /* must be first: a writer's `book` points here */
    char *name;
    size_t first;
    size_t last;
} stoa_shared_categories;

/* Zero-initialise; free with stoa_appender_clear(). */
typedef struct stoa_appender {
    stoa_table *table;           /* borrowed */
    stoa_column_writer *writers; /* one per column, in the table's order */
    stoa_list_writer **lists;    /* one per list column, which writes in its place; else NULL */
    stoa_shared_categories *books;
    size_t n_books;
    stoa_string_set book_keys; /* keys of their datasets: string n belongs to books[n] */
    size_t *next;              /* next column with the same categories; SIZE_MAX if none */
    stoa_workers *workers;     /* each encodes and packs one column at a time */
    stoa_scratch *scratch;     /* one per worker */
    stoa_column_batch *batch;  /* one per column */
    atomic_bool *is_packed;    /* one per column: whether its batch is ready to be written */
    int64_t *sources;          /* for each column, its child in the stream's struct */
    uint64_t most_held;        /* most bytes of chunks that many columns hold between two batches */
    uint64_t n_rows;
    bool is_last;      /* no batch follows the one that is added */
    bool drop_indexes; /* drop the indexes instead of updating them */
    bool has_indexed;  /* step 4 has begun: indexes may describe rows beyond NROWS */
} stoa_appender;

/* Prepare a writer for every column, and open each categories dataset once. */
stoa_status stoa_appender_begin(stoa_table *table, stoa_appender *appender, stoa_error *err);
/* The same with `threads` threads (0: one per processor) and categories that are already open. The
 * appender takes over those that it needs. */
stoa_status stoa_appender_begin_with(stoa_table *table, unsigned threads, stoa_categories *books,
                                     size_t n_books, stoa_appender *appender, stoa_error *err);
/* Match the stream's fields to the columns by name. Returns STOA_ETYPE and names the missing or
 * extra fields. */
stoa_status stoa_appender_match(stoa_appender *appender, const struct ArrowSchema *schema,
                                stoa_error *err);
/* Write one batch after the rows written so far (step 3). */
stoa_status stoa_appender_add(stoa_appender *appender, const struct ArrowSchema *schema,
                              const struct ArrowArray *batch, stoa_error *err);
/* Return STOA_ELOSS if ordered categories have new labels, since their place in the order is
 * unknown (§8.7). */
stoa_status stoa_appender_check_order(const stoa_appender *appender, stoa_error *err);
/* Let column i refer to its categories. */
stoa_status stoa_appender_refer(const stoa_appender *appender, size_t i, stoa_error *err);
/* Write new labels into CATEGORIES. */
stoa_status stoa_appender_store_categories(stoa_appender *appender, stoa_error *err);
/* Store new labels and bring all columns to one extent of at least `extent` rows (§12). Rewrite
 * references to replaced datasets, and update the indexes (step 4). Only stoa_table_commit()
 * remains. */
stoa_status stoa_appender_finish(stoa_appender *appender, uint64_t extent, stoa_error *err);
/* Clean up after a failure. The columns get one extent again, references point to the present
 * datasets, and indexes describe the old rows. The table's rows are unchanged. */
void stoa_appender_abort(stoa_appender *appender);
void stoa_appender_clear(stoa_appender *appender);

#endif
