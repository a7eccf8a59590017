/* The registry with one layout more. */
#include "layout/layout.h"

extern const stoa_layout stoa_layout_toy;
#define STOA_MORE_LAYOUTS &stoa_layout_toy,
#include "layout/registry.c"
