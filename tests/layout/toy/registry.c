/* The registry with one layout more. */
#define STOA_MORE_LAYOUTS(X) X(toy)
#include "layout/registry.c"
