/* The values of a copied object: attributes, and datasets that hold references. */
#ifndef STOA_HDF_CLONE_VALUES_H
#define STOA_HDF_CLONE_VALUES_H

#include "hdf/remap.h"

/* The type of a copied dataset or attribute: `type` itself, or the copy of the committed one that
 * it is. *copy is the caller's. */
typedef stoa_status (*stoa_type_copier)(void *context, hid_t type, hid_t *copy, stoa_error *err);

/* Every attribute of `source`, in its order, for `copy`, which has none of these. */
stoa_status stoa_clone_attributes(const stoa_object_map *map, hid_t source, hid_t copy,
                                  stoa_type_copier copy_type, void *context, stoa_error *err);

/* Every element of `source` that is in the file, into `copy`, references remade. */
stoa_status stoa_clone_elements(const stoa_object_map *map, hid_t source, hid_t copy,
                                stoa_error *err);

/* Every chunk of `source` as it lies in the file, its filter mask too, into `copy`, which passes
 * the same filters: none of them is run. */
stoa_status stoa_clone_chunks(hid_t source, hid_t copy, stoa_error *err);

#endif
