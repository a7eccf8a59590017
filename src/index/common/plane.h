/* Byte matrices: the two-dimensional uint8 datasets of BITMAP (HEP001 §10.6) and CHUNK_BLOOM
 * (§10.7). */
#ifndef STOA_INDEX_PLANE_H
#define STOA_INDEX_PLANE_H

#include "index/common/kind.h"

/* A rectangle of a byte matrix, or its extent (from 0, 0). */
typedef struct stoa_window {
    uint64_t row, byte;
    uint64_t n_rows, n_bytes;
} stoa_window;

/* Create a matrix of zeros, extensible in both dimensions, with chunks of `chunk_rows` times
 * `chunk_bytes`. */
stoa_status stoa_plane_create(hid_t indexes, const char *name, uint64_t chunk_rows,
                              uint64_t chunk_bytes, const char *codec, hid_t *dataset,
                              stoa_error *err);
/* Get the extent. STOA_EDATA, with the kind's name and section, if it is not a uint8 matrix. Its
 * chunks were checked when the link to it was read (stoa_index_links()). */
stoa_status stoa_plane_check(const char *name, const char *section, hid_t dataset, stoa_window *all,
                             stoa_error *err);
stoa_status stoa_plane_resize(hid_t dataset, uint64_t n_rows, uint64_t n_bytes, stoa_error *err);
stoa_status stoa_plane_read(hid_t dataset, const stoa_window *window, uint8_t *out,
                            stoa_error *err);
stoa_status stoa_plane_write(hid_t dataset, const stoa_window *window, const uint8_t *bytes,
                             stoa_error *err);

#endif
