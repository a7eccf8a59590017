/*
 * The list of layouts: a new one is a folder, and a line here.
 *
 * Nothing else is in this file, so that a program can be linked with a longer list.
 */
#include "layout/registry.h"

#ifndef STOA_MORE_LAYOUTS
#define STOA_MORE_LAYOUTS
#endif

extern const stoa_layout stoa_layout_hep001, stoa_layout_pytables, stoa_layout_h5tb,
    stoa_layout_pandas_table, stoa_layout_pandas_fixed, stoa_layout_anndata, stoa_layout_lh5,
    stoa_layout_arkouda;

const stoa_layout *const stoa_layouts[] = {
    &stoa_layout_hep001,       &stoa_layout_pytables,     &stoa_layout_h5tb,
    &stoa_layout_pandas_table, &stoa_layout_pandas_fixed, &stoa_layout_anndata,
    &stoa_layout_lh5,          &stoa_layout_arkouda,      STOA_MORE_LAYOUTS NULL,
};
