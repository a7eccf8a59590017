/*
 * The list of layouts. A new layout is a folder and a line here.
 *
 * The list is the only content of this file, so that a program can be linked with a longer list.
 */
#include "layout/registry.h"

/* stoa_layout_<name>, in the order in which they are listed and asked. */
#define LAYOUTS(X)                                                                                 \
    X(hep001)                                                                                      \
    X(pytables)                                                                                    \
    X(h5tb)                                                                                        \
    X(pandas_table)                                                                                \
    X(pandas_fixed)                                                                                \
    X(binsparse)                                                                                   \
    X(anndata)                                                                                     \
    X(lh5)                                                                                         \
    X(arkouda)                                                                                     \
    X(matrix)                                                                                      \
    X(numpy)                                                                                       \
    X(plain)

#ifndef STOA_MORE_LAYOUTS
#define STOA_MORE_LAYOUTS(X)
#endif

#define DECLARED(name) extern const stoa_layout stoa_layout_##name;
#define LISTED(name) &stoa_layout_##name,

LAYOUTS(DECLARED)
STOA_MORE_LAYOUTS(DECLARED)

const stoa_layout *const stoa_layouts[] = {LAYOUTS(LISTED) STOA_MORE_LAYOUTS(LISTED) NULL};
