/* What the files of the public calls share (<stoa/sparse.h>). */
#ifndef STOA_SPARSE_ARRAY_H
#define STOA_SPARSE_ARRAY_H

#include <stoa/sparse.h>

#include "core/threads.h"
#include "sparse/points.h"
#include "sparse/store.h"

struct stoa_sparse {
    hid_t dataset;
    bool is_borrowed; /* the dataset's id */
    bool is_read_only;
    bool is_apart; /* its blocks overlap nowhere: it was looked at, or made */
    hid_t type;    /* of elements in the file */
    hid_t native;
    bool is_shared; /* the store is the connector's */
    stoa_store *store;
    stoa_workers *workers;
};

/* STOA_EIO where the file was opened for reading alone. */
stoa_status stoa_sparse_must_write(stoa_sparse *array, stoa_error *err);

/* STOA_EEXISTS where there is something at `path`. */
stoa_status stoa_sparse_path_is_free(hid_t loc, const char *path, stoa_error *err);

/* Filters by the text of a codec, for one section. STOA_EINVAL where there is no such. */
stoa_status stoa_section_codec(const char *codec, bool shuffles, stoa_section_filters *filters,
                               stoa_error *err);

/* The caller's options, or the defaults; STOA_EINVAL where they were not initialised. */
stoa_status stoa_sparse_own_options(const stoa_sparse_options *options, stoa_sparse_options *own,
                                    stoa_error *err);

/* What STOA_FILE_NATIVE stands for, or the type itself. */
hid_t stoa_memory_type(const stoa_sparse *array, hid_t type);

/* start NULL: the whole array; it need not lie inside of the extent. */
stoa_box stoa_sparse_box(const stoa_sparse *array, const uint64_t *start, const uint64_t *count);

/* Values of a type in memory as those of the file: the caller's own where they are that already,
 * else a copy in `room`, to be free()d after a failure, too. */
stoa_status stoa_elements_to_file(const stoa_sparse *array, uint64_t n, const void *values,
                                  hid_t type, uint8_t **room, const uint8_t **out, stoa_error *err);

/* The coordinates of the defined elements of a box, row-major; of arrays of any type. */
stoa_status stoa_array_find(stoa_sparse *array, const stoa_box *box, stoa_sparse_points *points,
                            stoa_error *err);
/* Elements of variable length, what they hold by malloc(): the defined ones of a box, and all `n`
 * of it. */
stoa_status stoa_array_read_variable(stoa_sparse *array, const stoa_box *box, hid_t to,
                                     stoa_sparse_points *points, stoa_error *err);
stoa_status stoa_array_read_dense_variable(stoa_sparse *array, const stoa_box *box, uint64_t n,
                                           hid_t to, void *values, uint8_t *defined,
                                           stoa_error *err);
/* STOA_ERANGE where one is outside of the extent. */
stoa_status stoa_array_places_are_inside(const stoa_sparse *array, uint64_t n,
                                         const uint64_t *coordinates, stoa_error *err);
/* Undefine such elements. */
stoa_status stoa_array_erase_variable(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                                      stoa_error *err);
/* stoa_sparse_visit() of such elements, in the chunks of these numbers (uint64_t). */
stoa_status stoa_array_each_variable(stoa_sparse *array, const stoa_box *box, hid_t type,
                                     const stoa_buffer *numbers, stoa_sparse_visitor visit,
                                     void *context, stoa_error *err);

/* Elements of variable length as the sections have them, zero-initialised. */
typedef struct stoa_variable_values {
    stoa_buffer values; /* of section 1 */
    stoa_buffer ends;   /* uint64_t: where in `heap` the data of each end; empty: no section 2 */
    stoa_buffer heap;
} stoa_variable_values;

void stoa_variable_values_clear(stoa_variable_values *v);
/* Of the caller's, converted; where the array's data are in the file's global heap, they are there
 * then. STOA_ETYPE. */
stoa_status stoa_variable_values_of(const stoa_sparse *array, uint64_t n, const void *given,
                                    hid_t type, stoa_variable_values *v, stoa_error *err);
/* Define elements, all of them inside of the extent; of two at one place the later one wins. */
stoa_status stoa_variable_values_put(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                                     const stoa_variable_values *v, stoa_error *err);
/* Both; nothing is written where the former fails. */
stoa_status stoa_array_write_variable(stoa_sparse *array, uint64_t n, const uint64_t *coordinates,
                                      const void *values, hid_t type, stoa_error *err);

/* STOA_ETYPE where libhdf5 has no way from one type to another. */
stoa_status stoa_elements_must_convert(hid_t from, hid_t to, stoa_error *err);
/*
 * Elements from one type to another.
 *
 * @param values  n elements of `from`, as they are to be replaced by those of `to`; allocated anew
 *                where these are longer; stays the caller's to free() after a failure, too
 * @return STOA_ETYPE where libhdf5 has no way
 */
stoa_status stoa_elements_convert(hid_t from, hid_t to, uint64_t n, uint8_t **values,
                                  stoa_error *err);

#endif
