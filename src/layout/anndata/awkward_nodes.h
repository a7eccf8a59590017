/* The nodes of an awkward array as columns. */
#ifndef STOA_LAYOUT_ANNDATA_AWKWARD_NODES_H
#define STOA_LAYOUT_ANNDATA_AWKWARD_NODES_H

#include "column/column.h"
#include "layout/anndata/awkward/form.h"

/*
 * Open a node, and what is below it.
 *
 * @param group        has the buffers
 * @param n            rows; UINT64_MAX: as many as there are
 * @param[out] column  the caller owns it until a table takes it over
 * @return STOA_EDATA if a buffer is not as the form says
 */
stoa_status stoa_awkward_open_node(hid_t group, const stoa_awkward_form *form, const char *name,
                                   uint64_t n, stoa_column **column, stoa_error *err);
/* Open field i of a node of records, under its name. */
stoa_status stoa_awkward_open_field(hid_t group, const stoa_awkward_form *form, size_t i,
                                    uint64_t n, stoa_column **column, stoa_error *err);

#endif
