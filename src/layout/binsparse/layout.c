/* Binsparse 0.1 as a layout: sparse matrices and vectors. Its dense formats are plain datasets. */
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/binsparse/descriptor.h"
#include "layout/layout.h"

static const char *const parts[] = {"values",        "indices_0",  "indices_1", "pointers_to_0",
                                    "pointers_to_1", "fill_value", NULL};

/* A damaged one is listed, too. */
static bool identify_array(hid_t object, stoa_array_object *shown)
{
    stoa_binsparse_descriptor d;
    stoa_error ignored = STOA_ERROR_INIT;

    if (H5Iget_type(object) != H5I_GROUP || !stoa_attribute_exists(object, STOA_BINSPARSE)) {
        return false;
    }
    const bool is_sound = stoa_binsparse_describe(object, &d, &ignored) == STOA_OK;
    if (d.format != NULL && d.format->kind == NULL) {
        return false;
    }
    shown->layout = STOA_BINSPARSE;
    shown->kind = d.format != NULL ? d.format->kind : "array";
    shown->rank = is_sound ? d.rank : 0;
    memcpy(shown->extent, d.shape, sizeof d.shape);
    for (size_t i = 0; parts[i] != NULL; i++) {
        hid_t part = stoa_object_open(object, parts[i]);
        if (part >= 0 && H5Iget_type(part) == H5I_DATASET) {
            shown->n_bytes += H5Dget_storage_size(part);
        }
        (void)stoa_hdf_close(&part, STOA_OK, NULL);
    }
    return true;
}

/* The group of a matrix may be the root. */
static const char *const *parts_of_array(hid_t object)
{
    stoa_array_object unused = {.path = NULL};

    return identify_array(object, &unused) ? parts : NULL;
}

static bool is_own_attribute(const char *name)
{
    return strcmp(name, STOA_BINSPARSE) == 0;
}

static const stoa_layout_writer writer = {.write = stoa_binsparse_write};

const stoa_layout stoa_layout_binsparse = {.name = STOA_BINSPARSE,
                                           .title = STOA_BINSPARSE,
                                           .identify_array = identify_array,
                                           .parts_of_array = parts_of_array,
                                           .open_entries = stoa_binsparse_open_entries,
                                           .writer = &writer,
                                           .is_own_attribute = is_own_attribute};
