/* A table of one column, written with plain HDF5 calls as the specification says. The tests of the
 * index folder thus do not depend on Stoa's own writer. */
#ifndef STOA_TESTS_ONE_COLUMN_H
#define STOA_TESTS_ONE_COLUMN_H

#include "index/common/kind.h"
#include "support/check.h"
#include "table/open/table.h"

typedef struct one_column {
    hid_t file;  /* in memory only */
    hid_t group; /* "/t" */
    stoa_table *table;
    stoa_column *column; /* "x", borrowed from the table */
} one_column;

/* The column to make. Values and fill have `mem_type`, which is the file type by default. */
typedef struct one_column_spec {
    hid_t file_type;
    hid_t mem_type;     /* 0: file_type */
    const void *fill;   /* NULL: no fill value is set */
    const void *values; /* `extent` values */
    uint64_t extent;
    uint64_t n_rows;     /* NROWS */
    uint64_t chunk_rows; /* 0: contiguous */
} one_column_spec;

one_column one_column_make(const one_column_spec *spec);
/* Close the table and open it again, with another NROWS. */
void one_column_reopen(one_column *made, uint64_t n_rows);
void one_column_free(one_column *made);

/* The only index dataset that the column's SEARCH_INDEX_LIST refers to. The caller closes it. */
hid_t one_column_index(const one_column *made);
/* Turn the sorted index into one of older Stoa, which has its values and every 4096th of them in
 * datasets beside it, and no fences. */
void one_column_cover(const one_column *made);

#endif
