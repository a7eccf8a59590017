/*
 * Text lists of elements: BLOCK and POINT as h5dump and `stoa dump --sparse-locations` print them.
 * The sparse RFC §4.6 reads them back.
 */
#ifndef STOA_SPARSE_REGIONS_H
#define STOA_SPARSE_REGIONS_H

#include "core/memory.h"

/* The elements of one dataset as boxes. Elements that are listed twice may occur twice. */
typedef struct stoa_region_list {
    char *name; /* from DATASET "..."; NULL if the text names none */
    unsigned rank;
    stoa_buffer corners; /* uint64_t: first and last element of each box, rank numbers each */
    uint64_t n;          /* number of boxes */
} stoa_region_list;

/* Zero-initialise; free with stoa_regions_clear(). */
typedef struct stoa_regions {
    stoa_region_list *lists;
    size_t n;
} stoa_regions;

/*
 * Understand a text:
 *
 *     BLOCK (2,2)-(4,7), (6,0)-(6,2) POINT (5,9), (11,1), (12,8)
 *
 * or all that `stoa dump --sparse-locations`, or --sparse, prints: of a DATASET { } block the
 * regions count, the values in DATA { } do not.
 *
 * @return STOA_EINVAL naming the line that cannot be understood
 */
stoa_status stoa_regions_parse(const char *text, size_t length, stoa_regions *regions,
                               stoa_error *err);
void stoa_regions_clear(stoa_regions *regions);

/* The list of the dataset at `path`: the list with that name, or the only one there is. NULL if
 * there is none. */
const stoa_region_list *stoa_regions_of(const stoa_regions *regions, const char *path);

/* @return STOA_ERANGE if an element is outside of the extent or has another rank */
stoa_status stoa_region_list_check(const stoa_region_list *list, unsigned rank,
                                   const uint64_t *extent, stoa_error *err);

#endif
