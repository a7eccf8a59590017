/*
 * Internals of the connector. connector_link.c has objects and files, connector_info.c infos and
 * wrapping, connector_file.c files and objects of any kind. connector_dataset.c has datasets, and
 * connector.c the class and all pure pass-through.
 *
 * libhdf5 calls all of it with its lock held.
 */
#ifndef STOA_SPARSE_CONNECTOR_PARTS_H
#define STOA_SPARSE_CONNECTOR_PARTS_H

#include "core/error.h"
#include "sparse/connector/connector.h"

/* --- links ----------------------------------------------------------------------------------- */

/* NULL if `object` is NULL, or if memory is exhausted. */
void *stoa_link_new(void *object, hid_t connector, stoa_linked_file *file);
/* Free a link whose object below is closed already. Preserves libhdf5's error stack. */
void stoa_link_free(stoa_link *link);
/* The object below of `object`, which may be NULL (H5L_SAME_LOC). */
void *stoa_link_below(void *object);
/* Wrap a request of the connector below in a link. */
void stoa_link_request(void **req, const stoa_link *link);
/* Wrap the result of a call below in a link to the same file. */
void *stoa_link_result(void *object, const stoa_link *of, void **req);
/* Finish a call below. */
herr_t stoa_link_pass(herr_t result, const stoa_link *link, void **req);
/* Finish a call below that closes the object. */
herr_t stoa_link_closed(herr_t result, stoa_link *link, void **req);
/* Push an error onto libhdf5's error stack. Returns -1. */
herr_t stoa_link_fail(const stoa_error *err);

/* --- files ----------------------------------------------------------------------------------- */

/* State that all connections to one file share. The first link creates it, and the last one frees
 * it. */
struct stoa_linked_file {
    unsigned long number; /* from H5Fget_fileno(): identifies the file, however often it is open */
    size_t n_links;
    bool can_write;
    size_t cache_bytes; /* cache size of each dataset; 0 means the default */
    struct stoa_linked_dataset
        *datasets; /* open sparse datasets; all handles of a dataset share one */
    stoa_linked_file *next;
};

/* Cache size in bytes that a file access property list requests; 0 if it requests none. */
#define STOA_CACHE_PROPERTY "stoa_cache_bytes" /* uint64_t */
size_t stoa_cache_of_list(hid_t fapl);

/* Find or create the file of a link to a file, and join it. */
herr_t stoa_linked_file_join(stoa_link *link);
/* Join any link to the file with this number. */
herr_t stoa_linked_file_move(stoa_link *link, unsigned long number, bool can_write);

/* --- callbacks of the class, by its members -------------------------------------------------- */

void *stoa_on_info_copy(const void *info);
herr_t stoa_on_info_cmp(int *order, const void *one, const void *other);
herr_t stoa_on_info_free(void *info);
herr_t stoa_on_info_to_str(const void *info, char **text);
herr_t stoa_on_info_from_str(const char *text, void **info);

void *stoa_on_get_object(const void *object);
herr_t stoa_on_get_wrap_context(const void *object, void **context);
void *stoa_on_wrap_object(void *object, H5I_type_t type, void *context);
void *stoa_on_unwrap_object(void *object);
herr_t stoa_on_free_wrap_context(void *context);

void *stoa_on_dataset_create(void *object, const H5VL_loc_params_t *where, const char *name,
                             hid_t lcpl, hid_t type, hid_t space, hid_t dcpl, hid_t dapl,
                             hid_t dxpl, void **req);
void *stoa_on_dataset_open(void *object, const H5VL_loc_params_t *where, const char *name,
                           hid_t dapl, hid_t dxpl, void **req);
herr_t stoa_on_dataset_read(size_t n, void *objects[], hid_t mem_types[], hid_t mem_spaces[],
                            hid_t file_spaces[], hid_t dxpl, void *bufs[], void **req);
herr_t stoa_on_dataset_write(size_t n, void *objects[], hid_t mem_types[], hid_t mem_spaces[],
                             hid_t file_spaces[], hid_t dxpl, const void *bufs[], void **req);
herr_t stoa_on_dataset_get(void *object, H5VL_dataset_get_args_t *args, hid_t dxpl, void **req);
herr_t stoa_on_dataset_specific(void *object, H5VL_dataset_specific_args_t *args, hid_t dxpl,
                                void **req);
herr_t stoa_on_dataset_optional(void *object, H5VL_optional_args_t *args, hid_t dxpl, void **req);
herr_t stoa_on_dataset_close(void *object, hid_t dxpl, void **req);

void *stoa_on_file_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl, hid_t dxpl,
                          void **req);
void *stoa_on_file_open(const char *name, unsigned flags, hid_t fapl, hid_t dxpl, void **req);
herr_t stoa_on_file_specific(void *object, H5VL_file_specific_args_t *args, hid_t dxpl, void **req);
herr_t stoa_on_file_optional(void *object, H5VL_optional_args_t *args, hid_t dxpl, void **req);
herr_t stoa_on_file_close(void *object, hid_t dxpl, void **req);

void *stoa_on_object_open(void *object, const H5VL_loc_params_t *where, H5I_type_t *type,
                          hid_t dxpl, void **req);
herr_t stoa_on_object_copy(void *from, const H5VL_loc_params_t *there, const char *name, void *to,
                           const H5VL_loc_params_t *here, const char *new_name, hid_t ocpypl,
                           hid_t lcpl, hid_t dxpl, void **req);
herr_t stoa_on_object_specific(void *object, const H5VL_loc_params_t *where,
                               H5VL_object_specific_args_t *args, hid_t dxpl, void **req);

#endif
