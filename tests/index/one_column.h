/*
 * A table of one column, written by plain HDF5 calls straight from the specification's text, so
 * that what the index room reads does not come from Stoa's own writer.
 */
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

/* What the column is. Values, fill: in `mem_type`, by default the file type itself. */
typedef struct one_column_spec {
    hid_t file_type;
    hid_t mem_type;     /* 0: file_type */
    const void *fill;   /* NULL: none is set */
    const void *values; /* `extent` of them */
    uint64_t extent;
    uint64_t n_rows;     /* NROWS */
    uint64_t chunk_rows; /* 0: contiguous */
} one_column_spec;

one_column one_column_make(const one_column_spec *spec);
/* Close and open the table again, with another NROWS. */
void one_column_reopen(one_column *made, uint64_t n_rows);
void one_column_free(one_column *made);

/* The only index dataset the column's SEARCH_INDEX_LIST refers to; to be closed. */
hid_t one_column_index(const one_column *made);

#endif
