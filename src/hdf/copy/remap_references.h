/* Makes references in copied objects refer to the copies. */
#ifndef STOA_HDF_REMAP_REFERENCES_H
#define STOA_HDF_REMAP_REFERENCES_H

#include <stdbool.h>

#include "core/memory.h"
#include "core/string_set.h"
#include "hdf/ids.h"

/* Maps the objects of the source to their copies. Zero-initialise; free with
 * stoa_object_map_clear(). */
typedef struct stoa_object_map {
    hid_t from; /* an object of the source file; borrowed */
    hid_t to;   /* an object of the target file; borrowed */
    bool is_same_file;
    stoa_string_set tokens; /* of source objects, numbered in the order in which they were added */
    stoa_buffer copies;     /* H5O_token_t: the copy of each object */
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
 * Remap references in n elements of `type`, which were read from the source and are `stride` bytes
 * apart. References to copied objects then refer to the copies. All three reference types are
 * supported, also within compounds, arrays and variable-length sequences.
 *
 * In the same file, references to other objects are kept. In another file they cannot be:
 * STOA_ELOSS. References without a target become null there.
 */
stoa_status stoa_remap_elements(const stoa_object_map *map, hid_t type, void *elements, size_t n,
                                size_t stride, stoa_error *err);

#endif
