/* Rows on their way into a table: everything before the commit (HEP001 §11.2, steps 1 to 4). */
#ifndef STOA_TABLE_APPEND_H
#define STOA_TABLE_APPEND_H

#include <stdatomic.h>

#include "column/write.h"
#include "core/threads.h"
#include "table/table.h"

/* A code book, the name of its dataset in CATEGORIES, and the columns that share it. */
typedef struct stoa_shared_book {
    stoa_codebook book; /* first: a writer's book is one of these */
    char *name;
    size_t first;
    size_t last;
} stoa_shared_book;

/* Zero-initialise; free with stoa_appender_clear(). */
typedef struct stoa_appender {
    stoa_table *table;           /* borrowed */
    stoa_column_writer *writers; /* one a column, in the table's order */
    stoa_shared_book *books;
    size_t n_books;
    stoa_strings book_keys;   /* of their datasets: number n is that of book n */
    size_t *next;             /* column that shares a column's book; SIZE_MAX: none */
    stoa_workers *workers;    /* encode and pack one column each */
    stoa_scratch *scratch;    /* one a worker */
    stoa_column_batch *batch; /* one a column, */
    atomic_bool *is_packed;   /* and whether it is ready to be written */
    int64_t *sources;         /* child of the stream's struct for each column */
    uint64_t n_rows;
    bool drop_indexes; /* rather than bring them along */
    bool has_indexed;  /* step 4 has begun: indexes may speak of rows beyond NROWS */
} stoa_appender;

/* Prepare: a writer for every column, one code book for each categories dataset. */
stoa_status stoa_appender_begin(stoa_table *table, stoa_appender *appender, stoa_error *err);
/* The same on so many threads (0: one a processor), with code books that are open already, of which
 * the appender takes those it needs. */
stoa_status stoa_appender_begin_with(stoa_table *table, unsigned threads, stoa_codebook *books,
                                     size_t n_books, stoa_appender *appender, stoa_error *err);
/* Match the stream's fields to the columns by name; STOA_ETYPE naming those missing or extra. */
stoa_status stoa_appender_match(stoa_appender *appender, const struct ArrowSchema *schema,
                                stoa_error *err);
/* Write one batch behind the rows written so far (step 3). */
stoa_status stoa_appender_add(stoa_appender *appender, const struct ArrowSchema *schema,
                              const struct ArrowArray *batch, stoa_error *err);
/* Labels that are new to an ordered code book: STOA_ELOSS, since nobody knows where they belong
 * (§8.7). */
stoa_status stoa_appender_check_order(const stoa_appender *appender, stoa_error *err);
/* Store new labels, bring all columns to one extent of at least `extent` rows (§12), rewrite
 * references to replaced datasets, update the indexes (step 4). What remains is
 * stoa_table_commit(). */
stoa_status stoa_appender_finish(stoa_appender *appender, uint64_t extent, stoa_error *err);
/* After a failure: columns back to one extent, references to the datasets that are there now,
 * indexes of the old rows; the table's rows are as they were. */
void stoa_appender_abort(stoa_appender *appender);
void stoa_appender_clear(stoa_appender *appender);

#endif
