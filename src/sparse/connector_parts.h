/*
 * What the files of the connector share. connector_link.c has objects and files, connector_info.c
 * infos and wrapping, connector_file.c files and objects of any kind, connector_dataset.c datasets,
 * connector.c everything that only passes through, and the class.
 *
 * libhdf5 calls all of it under its own lock.
 */
#ifndef STOA_SPARSE_CONNECTOR_PARTS_H
#define STOA_SPARSE_CONNECTOR_PARTS_H

#include "core/error.h"
#include "sparse/connector.h"

/* --- links ----------------------------------------------------------------------------------- */

/* NULL where `object` is, or memory runs out. */
void *stoa_link_new(void *object, hid_t connector, stoa_linked_file *file);
/* The link goes; the object below is closed already. Leaves libhdf5's error stack as it is. */
void stoa_link_free(stoa_link *link);
/* What is below an object that may be missing (H5L_SAME_LOC). */
void *stoa_link_below(void *object);
/* A request that the connector below made becomes one of ours. */
void stoa_link_request(void **req, const stoa_link *link);
/* What a call below gave, as an object of ours in the same file. */
void *stoa_link_result(void *object, const stoa_link *of, void **req);
/* After a call below. */
herr_t stoa_link_pass(herr_t result, const stoa_link *link, void **req);
/* After a call below that closes. */
herr_t stoa_link_closed(herr_t result, stoa_link *link, void **req);
/* A failure of ours into libhdf5's error stack: -1. */
herr_t stoa_link_fail(const stoa_error *err);

/* --- files ----------------------------------------------------------------------------------- */

/* What every connection to one file shares; made by the first, freed by the last link to it. */
struct stoa_linked_file {
    unsigned long number; /* as H5Fget_fileno() says: one file, however often it is open */
    size_t n_links;
    bool can_write;
    size_t cache_bytes;                   /* of each dataset; 0: as many as by default */
    struct stoa_linked_dataset *datasets; /* sparse ones that are open: two handles share one */
    stoa_linked_file *next;
};

/* Bytes of unpacked chunks that a file access list asks for; 0: it does not. */
#define STOA_CACHE_PROPERTY "stoa_cache_bytes" /* uint64_t */
size_t stoa_cache_of_list(hid_t fapl);

/* The file that a link to a file is of, which it joins. */
herr_t stoa_linked_file_join(stoa_link *link);
/* The same of any link, where the number is known. */
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
herr_t stoa_on_file_get(void *object, H5VL_file_get_args_t *args, hid_t dxpl, void **req);
herr_t stoa_on_file_specific(void *object, H5VL_file_specific_args_t *args, hid_t dxpl, void **req);
herr_t stoa_on_file_optional(void *object, H5VL_optional_args_t *args, hid_t dxpl, void **req);
herr_t stoa_on_file_close(void *object, hid_t dxpl, void **req);

void *stoa_on_object_open(void *object, const H5VL_loc_params_t *where, H5I_type_t *type,
                          hid_t dxpl, void **req);
herr_t stoa_on_object_copy(void *from, const H5VL_loc_params_t *there, const char *name, void *to,
                           const H5VL_loc_params_t *here, const char *new_name, hid_t ocpypl,
                           hid_t lcpl, hid_t dxpl, void **req);
herr_t stoa_on_object_get(void *object, const H5VL_loc_params_t *where,
                          H5VL_object_get_args_t *args, hid_t dxpl, void **req);
herr_t stoa_on_object_specific(void *object, const H5VL_loc_params_t *where,
                               H5VL_object_specific_args_t *args, hid_t dxpl, void **req);
herr_t stoa_on_object_optional(void *object, const H5VL_loc_params_t *where,
                               H5VL_optional_args_t *args, hid_t dxpl, void **req);

#endif
