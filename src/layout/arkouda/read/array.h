/* A numeric array over the files of a set: one dataset in each file, read as a whole (Arkouda notes
 * §E.1, §K). */
#ifndef STOA_LAYOUT_ARKOUDA_ARRAY_H
#define STOA_LAYOUT_ARKOUDA_ARRAY_H

#include "hdf/metadata/types.h"
#include "hdf/read/checked_reader.h"
#include "layout/arkouda/read/file_set.h"
#include "layout/arkouda/read/offsets_simd.h"

typedef struct stoa_arkouda_piece {
    hid_t dataset; /* if not open, the piece is `n` zeros */
    uint64_t n;
    stoa_checked_reader reader;
} stoa_arkouda_piece;

typedef struct stoa_arkouda_array {
    stoa_arkouda_set *set; /* a counted reference */
    char *path;
    stoa_arkouda_piece *pieces; /* one for each file */
    uint64_t *starts;     /* where each piece starts in the whole; the last entry is the end */
    stoa_element element; /* INTEGER or FLOAT */
    bool is_bool;         /* bytes; all but 0 are true */
    bool is_free;         /* can be read without libhdf5, on any thread */
    const stoa_arkouda_offsets_simd *turn;
} stoa_arkouda_array;

/* Requirements on an array. */
typedef struct stoa_arkouda_requirements {
    bool is_int64; /* integers, read as int64 */
    bool is_bool;  /* bytes that are read as booleans, whatever their attributes say */
    bool is_bytes; /* unsigned 8-bit integers */
    bool may_lack; /* files without such a dataset are skipped, or read as zeros if `like` is set */
    const stoa_arkouda_array *like; /* gives the lengths of the pieces; NULL for any length */
} stoa_arkouda_requirements;

/*
 * Open the dataset at an absolute path in each file. All non-empty ones must have the same type. An
 * empty one may have any type, and a group in its place counts as empty (§F.2, §F.3).
 *
 * @param wish      NULL for any numbers
 * @param[out] out  the caller releases it by stoa_arkouda_array_close()
 * @return STOA_EDATA, naming the file where it is missing or has another type
 */
stoa_status stoa_arkouda_array_open(stoa_arkouda_set *set, const char *path,
                                    const stoa_arkouda_requirements *wish, stoa_arkouda_array **out,
                                    stoa_error *err);
static inline uint64_t stoa_arkouda_array_length(const stoa_arkouda_array *array)
{
    return array->starts[array->set->n];
}
/* Read elements [first, first + count) in memory form. Booleans stay bytes. */
stoa_status stoa_arkouda_array_read(const stoa_arkouda_array *array, uint64_t first, uint64_t count,
                                    void *out, stoa_error *err);
/* Accepts NULL. */
void stoa_arkouda_array_close(stoa_arkouda_array *array);

/* The file that holds element `at`, given the start of each file's part. */
size_t stoa_arkouda_file_of(const uint64_t *starts, size_t n_files, uint64_t at);
/* A numeric attribute (§C); `otherwise` if it is missing or not a number. */
int64_t stoa_arkouda_number(hid_t object, const char *name, int64_t otherwise);

#endif
