/* References of copied objects, made to lead to the copies. */
#ifndef STOA_HDF_REMAP_H
#define STOA_HDF_REMAP_H

#include <stdbool.h>

#include "core/memory.h"
#include "core/strings.h"
#include "hdf/ids.h"

/* Which object of the target is the copy of which object of the source. Zero-initialise; free with
 * stoa_object_map_clear(). */
typedef struct stoa_object_map {
    hid_t from; /* an object of the source file; borrowed */
    hid_t to;   /* an object of the target file; borrowed */
    bool is_same_file;
    stoa_strings tokens; /* of the source's objects, numbered as they came */
    stoa_buffer copies;  /* H5O_token_t of each one's copy */
} stoa_object_map;

stoa_status stoa_object_map_begin(stoa_object_map *map, hid_t from, hid_t to, stoa_error *err);
stoa_status stoa_object_map_add(stoa_object_map *map, const H5O_token_t *source,
                                const H5O_token_t *copy, stoa_error *err);
bool stoa_object_map_find(const stoa_object_map *map, const H5O_token_t *source, H5O_token_t *copy);
/* The i-th pair; false after the last. */
bool stoa_object_map_at(const stoa_object_map *map, size_t i, H5O_token_t *source,
                        H5O_token_t *copy);
void stoa_object_map_clear(stoa_object_map *map);

/*
 * In n elements of `type`, read from the source and `stride` bytes apart, make every reference to a
 * copied object one to its copy: of all three reference types, also inside compounds, arrays and
 * variable-length sequences.
 *
 * References to other objects stay in the same file. In another file they cannot: STOA_ELOSS; but
 * those that led nowhere become null.
 */
stoa_status stoa_remap_elements(const stoa_object_map *map, hid_t type, void *elements, size_t n,
                                size_t stride, stoa_error *err);

#endif
