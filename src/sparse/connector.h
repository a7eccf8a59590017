/*
 * A VOL connector over another one, usually HDF5's own: everything passes through, but what is done
 * to sparse datasets (sparse fact sheet §4).
 *
 * Each object that libhdf5 holds is a stoa_link: the object below, the connector that it belongs
 * to, and the file it is in.
 */
#ifndef STOA_SPARSE_CONNECTOR_H
#define STOA_SPARSE_CONNECTOR_H

#include "core/error.h"
#include "hdf/hdf5.h"

/* From the range of external connectors. */
#define STOA_CONNECTOR_VALUE ((H5VL_class_value_t)53131)
#define STOA_CONNECTOR_NAME "stoa"

extern const H5VL_class_t stoa_connector_class;

typedef struct stoa_linked_file stoa_linked_file;

/* An object of this connector. */
typedef struct stoa_link {
    hid_t below;            /* the connector below; counted */
    void *object;           /* its object; owned by it */
    stoa_linked_file *file; /* NULL for requests and while a file is being opened */
    size_t n_users;         /* libhdf5, and contexts in which it wraps objects */
    size_t n_contexts;
    void *below_context; /* of the connector below, while there are any */
    bool has_failed_to_close;
    struct stoa_linked_dataset *dataset; /* a sparse one; NULL for all others */
    struct stoa_link *next;              /* of the same dataset */
} stoa_link;

/* The info of a file access list. */
typedef struct stoa_connector_info {
    hid_t below;      /* counted */
    void *below_info; /* that connector's own; may be NULL */
} stoa_connector_info;

/*
 * The connector's id, registered in this process where it was not yet; the caller closes it with
 * H5VLclose(). Registers the filter, too.
 */
stoa_status stoa_connector_register(hid_t *connector, stoa_error *err);

#endif
