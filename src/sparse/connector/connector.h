/*
 * A pass-through VOL connector, usually over HDF5's native one. It handles operations on sparse
 * datasets itself and passes everything else through (sparse fact sheet §4).
 *
 * Each object that libhdf5 holds is a stoa_link. It refers to the object below, the connector of
 * that object, and the file.
 */
#ifndef STOA_SPARSE_CONNECTOR_H
#define STOA_SPARSE_CONNECTOR_H

#include "core/error.h"
#include "hdf/hdf5.h"

/* In the range of external connectors. */
#define STOA_CONNECTOR_VALUE ((H5VL_class_value_t)53131)
#define STOA_CONNECTOR_NAME "stoa"

extern const H5VL_class_t stoa_connector_class;

typedef struct stoa_linked_file stoa_linked_file;

/* An object of this connector. */
typedef struct stoa_link {
    hid_t below;            /* the connector below; reference counted */
    void *object;           /* its object; owned by that connector */
    stoa_linked_file *file; /* NULL for requests, and while a file is being opened */
    size_t n_users;         /* libhdf5, and contexts in which it wraps objects */
    size_t n_contexts;
    void *below_context; /* wrap context of the connector below; NULL without contexts */
    bool has_failed_to_close;
    struct stoa_linked_dataset *dataset; /* NULL if the dataset is not sparse */
    struct stoa_link *next;              /* next link of the same dataset */
} stoa_link;

/* Connector info in a file access property list. */
typedef struct stoa_connector_info {
    hid_t below;      /* reference counted */
    void *below_info; /* info of the connector below; may be NULL */
} stoa_connector_info;

/* The id of the connector, registered in this process if needed. Also registers the filter. The
 * caller closes the id with H5VLclose(). */
stoa_status stoa_connector_register(hid_t *connector, stoa_error *err);

#endif
