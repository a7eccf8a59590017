/* Byte matrices: the two-dimensional uint8 datasets of BITMAP (HEP001 §10.6) and CHUNK_BLOOM
 * (§10.7). */
#ifndef STOA_INDEX_BYTE_MATRIX_H
#define STOA_INDEX_BYTE_MATRIX_H

#include "core/threads.h"
#include "index/common/kind.h"

/* A rectangle of a byte matrix, or its extent (from 0, 0). */
typedef struct stoa_byte_matrix_part {
    uint64_t row, byte;
    uint64_t n_rows, n_bytes;
} stoa_byte_matrix_part;

/* Create a matrix of zeros, extensible in both dimensions, with chunks of `chunk_rows` times
 * `chunk_bytes`. */
stoa_status stoa_byte_matrix_create(hid_t indexes, const char *name, uint64_t chunk_rows,
                                    uint64_t chunk_bytes, const char *codec, hid_t *dataset,
                                    stoa_error *err);
/* Get the extent. STOA_EDATA, with the kind's name and section, if it is not a uint8 matrix. Its
 * chunks were checked when the link to it was read (stoa_index_links()). */
stoa_status stoa_byte_matrix_check(const char *name, const char *section, hid_t dataset,
                                   stoa_byte_matrix_part *all, stoa_error *err);
stoa_status stoa_byte_matrix_resize(hid_t dataset, uint64_t n_rows, uint64_t n_bytes,
                                    stoa_error *err);
stoa_status stoa_byte_matrix_read(hid_t dataset, const stoa_byte_matrix_part *window, uint8_t *out,
                                  stoa_error *err);
stoa_status stoa_byte_matrix_write(hid_t dataset, const stoa_byte_matrix_part *window,
                                   const uint8_t *bytes, stoa_error *err);
/* Write a part of at most one chunk's width, all of whose bytes are zero so far. It begins in the
 * first row. Chunks of zeros stay absent. If the part has whole chunks, none of which is stored,
 * `workers`, which may be NULL, pack them. */
stoa_status stoa_byte_matrix_fill(hid_t dataset, const stoa_byte_matrix_part *window,
                                  const uint8_t *bytes, stoa_workers *workers, stoa_error *err);

#endif
