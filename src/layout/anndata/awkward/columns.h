/* Columns made of other columns: what the nodes of an awkward array do with their contents. */
#ifndef STOA_LAYOUT_ANNDATA_AWKWARD_COLUMNS_H
#define STOA_LAYOUT_ANNDATA_AWKWARD_COLUMNS_H

#include "column/column.h"
#include "layout/anndata/awkward/form.h"

/* The first column has the values, but for RECORDS, whose columns are the fields. The others have
 * the integers of the node: index, mask, or starts and stops. */
typedef struct stoa_awkward_parts {
    stoa_awkward_class class;
    stoa_column **columns; /* from stoa_alloc() */
    size_t n_columns;
    uint64_t size;   /* as in the form */
    bool valid_when; /* as in the form */
    bool lsb_order;  /* as in the form */
} stoa_awkward_parts;

/* Close the columns, and free their list. */
void stoa_awkward_parts_clear(stoa_awkward_parts *parts);

/*
 * Make the column of a node of any class but NUMBERS, EMPTY, LISTS and UNMASKED. The parts are
 * consumed in every case.
 *
 * @param n_rows  of which the parts have enough: of values for FIXED, BYTE_MASKED, BIT_MASKED and
 *                RECORDS, and of integers. What an index points to is checked as it is read
 */
stoa_status stoa_awkward_combine(const char *name, stoa_awkward_parts *parts, uint64_t n_rows,
                                 stoa_column **column, stoa_error *err);

#endif
