/*
 * One array of numbers over the files of a set: a dataset in each, read as if they were one
 * (Arkouda notes §E.1, §K).
 */
#ifndef STOA_LAYOUT_ARKOUDA_ARRAY_H
#define STOA_LAYOUT_ARKOUDA_ARRAY_H

#include "hdf/packed.h"
#include "hdf/types.h"
#include "layout/arkouda/set.h"
#include "layout/arkouda/turn.h"

typedef struct stoa_arkouda_piece {
    hid_t dataset; /* not open: `n` zeros */
    uint64_t n;
    stoa_packed packed;
} stoa_arkouda_piece;

typedef struct stoa_arkouda_array {
    stoa_arkouda_set *set; /* held */
    char *path;
    stoa_arkouda_piece *pieces; /* one of each file */
    uint64_t *starts;           /* of each file's piece in the whole; the last is the end */
    stoa_element element;       /* INTEGER or FLOAT */
    bool is_bool;               /* bytes, of which all but 0 are true */
    bool is_free;               /* is read without libhdf5, on any thread */
    const stoa_arkouda_turn *turn;
} stoa_arkouda_array;

/* What an array has to be. */
typedef struct stoa_arkouda_wish {
    bool is_int64; /* integers, read as int64 */
    bool is_bool;  /* bytes that are bools, whatever they say */
    bool is_bytes; /* unsigned, of 8 bits */
    bool may_lack; /* files that hold no such dataset have no part in it, or zeros: */
    const stoa_arkouda_array *like; /* of whose lengths its pieces are; NULL: of any */
} stoa_arkouda_wish;

/*
 * The dataset at an absolute path in each file. All that hold elements have the same type; of an
 * empty one the type is no matter, and a group in its place is empty, too (§F.2, §F.3).
 *
 * @param wish        NULL: any numbers
 * @param[out] out    the caller's, released by stoa_arkouda_array_close()
 * @return STOA_EDATA naming the file where it is missing or of another type
 */
stoa_status stoa_arkouda_array_open(stoa_arkouda_set *set, const char *path,
                                    const stoa_arkouda_wish *wish, stoa_arkouda_array **out,
                                    stoa_error *err);
static inline uint64_t stoa_arkouda_array_length(const stoa_arkouda_array *array)
{
    return array->starts[array->set->n];
}
/* Elements [first, first + count) in memory form; bools as the bytes that they are. */
stoa_status stoa_arkouda_array_read(const stoa_arkouda_array *array, uint64_t first, uint64_t count,
                                    void *out, stoa_error *err);
/* NULL is fine. */
void stoa_arkouda_array_close(stoa_arkouda_array *array);

/* The file that element `at` of something lies in, given where each file's part starts. */
size_t stoa_arkouda_file_of(const uint64_t *starts, size_t n_files, uint64_t at);
/* An attribute that is a number (§C); `otherwise` where there is none, or another thing. */
int64_t stoa_arkouda_number(hid_t object, const char *name, int64_t otherwise);

#endif
