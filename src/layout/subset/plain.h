/* Groups and datasets of no layout that Stoa knows, of which a subset takes rows. */
#ifndef STOA_LAYOUT_SUBSET_PLAIN_H
#define STOA_LAYOUT_SUBSET_PLAIN_H

#include "layout/layout.h"

/* A dataset has as many rows as its first dimension. */
extern const stoa_layout_subset stoa_subset_plain;

#endif
