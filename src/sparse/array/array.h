/* The handle of a sparse array and the functions that the files behind <stoa/sparse.h> share. */
#ifndef STOA_SPARSE_ARRAY_H
#define STOA_SPARSE_ARRAY_H

#include <stoa/sparse.h>

#include "core/threads.h"
#include "sparse/points/points.h"
#include "sparse/store/store.h"

struct stoa_sparse {
    hid_t dataset;
    bool is_borrowed; /* the dataset's id belongs to the caller */
    bool is_read_only;
    bool is_apart; /* its storage is known not to overlap: checked, or just created */
    hid_t type;    /* of elements in the file */
    hid_t native;
    bool is_shared; /* the store belongs to the connector */
    stoa_store *store;
    stoa_workers *workers;
};

/* @return STOA_EIO if the file was opened read-only */
stoa_status stoa_sparse_must_write(stoa_sparse *array, stoa_error *err);

/* @return STOA_EEXISTS if an object exists at `path` */
stoa_status stoa_sparse_path_is_free(hid_t loc, const char *path, stoa_error *err);

/* Parse a codec's text into the filters of one section. STOA_EINVAL if the codec is unknown. */
stoa_status stoa_section_codec(const char *codec, bool shuffles, stoa_section_filters *filters,
                               stoa_error *err);

/* Copy the caller's options, or the defaults if NULL. STOA_EINVAL if they were not initialised. */
stoa_status stoa_sparse_own_options(const stoa_sparse_options *options, stoa_sparse_options *own,
                                    stoa_error *err);

/* Resolve STOA_FILE_NATIVE; any other type is returned unchanged. */
hid_t stoa_memory_type(const stoa_sparse *array, hid_t type);

/* `start` NULL selects the whole array. The box may leave the extent. */
stoa_box stoa_sparse_box(const stoa_sparse *array, const uint64_t *start, const uint64_t *count);

/* Convert values from a type in memory to the file's type. `*out` is the caller's buffer if no
 * conversion is needed, otherwise `*room`. The caller frees `*room`, also after a failure. */
stoa_status stoa_elements_to_file(const stoa_sparse *array, uint64_t n, const void *values,
                                  hid_t type, uint8_t **room, const uint8_t **out, stoa_error *err);

/* The coordinates of the defined elements of a box, row-major. Works for arrays of any type. */
stoa_status stoa_array_find(stoa_sparse *array, const stoa_box *box, stoa_sparse_points *points,
                            stoa_error *err);
/* Read variable-length elements: the defined ones of a box, or all `n` elements of it. Their data
 * are allocated with malloc(). */
stoa_status stoa_array_read_variable(stoa_sparse *array, const stoa_box *box, hid_t to,
                                     stoa_sparse_points *points, stoa_error *err);
stoa_status stoa_array_read_dense_variable(stoa_sparse *array, const stoa_box *box, uint64_t n,
                                           hid_t to, void *values, uint8_t *defined,
                                           stoa_error *err);
/* @return STOA_ERANGE if a coordinate is outside of the extent */
stoa_status stoa_array_places_are_inside(const stoa_sparse *array, uint64_t n,
                                         const uint64_t *coordinates, stoa_error *err);
/* Undefine variable-length elements. */
stoa_status stoa_array_erase_variable(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                                      stoa_error *err);
/* stoa_sparse_visit() for variable-length elements, in the chunks with these numbers (uint64_t). */
stoa_status stoa_array_each_variable(stoa_sparse *array, const stoa_box *box, hid_t type,
                                     const stoa_buffer *numbers, stoa_sparse_visitor visit,
                                     void *context, stoa_error *err);

/* Variable-length elements in the form of the sections. Zero-initialise. */
typedef struct stoa_variable_values {
    stoa_buffer values; /* of section 1 */
    stoa_buffer
        ends; /* uint64_t: end of each element's data in `heap`; empty if there is no section 2 */
    stoa_buffer heap;
} stoa_variable_values;

void stoa_variable_values_clear(stoa_variable_values *v);
/* Convert the caller's elements. If the array keeps its data in the file's global heap, this also
 * writes the data there. STOA_ETYPE if there is no conversion. */
stoa_status stoa_variable_values_of(const stoa_sparse *array, uint64_t n, const void *given,
                                    hid_t type, stoa_variable_values *v, stoa_error *err);
/* Define elements, all of them inside of the extent. If a coordinate occurs twice, the later
 * element wins. */
stoa_status stoa_variable_values_put(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                                     const stoa_variable_values *v, stoa_error *err);
/* Convert and define elements. If the conversion fails, nothing is written. */
stoa_status stoa_array_write_variable(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                                      const void *values, hid_t type, stoa_error *err);

/* @return STOA_ETYPE if libhdf5 cannot convert from one type to the other */
stoa_status stoa_elements_must_convert(hid_t from, hid_t to, stoa_error *err);
/*
 * Convert elements from one type to another.
 *
 * @param values  n elements of `from`, replaced by elements of `to`. The buffer is reallocated if
 *                those are longer. The caller frees it, also after a failure.
 * @return STOA_ETYPE if libhdf5 has no conversion
 */
stoa_status stoa_elements_convert(hid_t from, hid_t to, uint64_t n, uint8_t **values,
                                  stoa_error *err);

#endif
