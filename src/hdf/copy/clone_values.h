/* Copies the values of a copied object: attributes, and datasets that hold references. */
#ifndef STOA_HDF_CLONE_VALUES_H
#define STOA_HDF_CLONE_VALUES_H

#include "hdf/copy/remap_references.h"

/* Chooses the type of a copied dataset or attribute: `type` itself, or the copy of the committed
 * datatype that it is. The caller closes *copy. */
typedef stoa_status (*stoa_type_copier)(void *context, hid_t type, hid_t *copy, stoa_error *err);

/* Copy all attributes of `source`, in their order, to `copy`, which has none of them. */
stoa_status stoa_clone_attributes(const stoa_object_map *map, hid_t source, hid_t copy,
                                  stoa_type_copier copy_type, void *context, stoa_error *err);

/* Copy all stored elements of `source` into `copy`, with references remapped. `copy` has the same
 * shape and element type, but strings may have another character set. */
stoa_status stoa_clone_elements(const stoa_object_map *map, hid_t source, hid_t copy,
                                stoa_error *err);

/* Copy the stored chunks of `source` and their filter masks unchanged into `copy`, which has the
 * same filters. No filter runs. */
stoa_status stoa_clone_chunks(hid_t source, hid_t copy, stoa_error *err);

#endif
