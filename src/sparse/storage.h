/* How a structured dataset lies in its file: what tools tell of it (sparse RFC §4). */
#ifndef STOA_SPARSE_STORAGE_H
#define STOA_SPARSE_STORAGE_H

#include "sparse/format.h"
#include "sparse/shape.h"

typedef struct stoa_section_bytes {
    uint64_t n_stored;   /* in the file */
    uint64_t n_original; /* before the section's filters */
} stoa_section_bytes;

typedef struct stoa_sparse_storage {
    stoa_sparse_format format;
    stoa_shape shape;
    uint64_t n_chunks;
    uint64_t n_bytes; /* of all chunks, their headers too */
    stoa_section_bytes sections[STOA_MAX_SECTIONS];
} stoa_sparse_storage;

/* Whether a dataset passes the filter of structured chunks; whether one of this creation list does.
 */
bool stoa_is_structured(hid_t dataset);
bool stoa_list_is_structured(hid_t dcpl);

/*
 * Reads every chunk; unpacks none. One that the filter had refused, and which is dense therefore,
 * counts as values.
 *
 * @return STOA_ELAYOUT where it is not a dataset of structured chunks; STOA_EDATA where it is
 *         damaged
 */
stoa_status stoa_sparse_storage_of(hid_t dataset, stoa_sparse_storage *storage, stoa_error *err);

/* The section as the RFC calls it: "H5Z_FLAG_SPARSE_SELECTION" (§2.3.1). */
const char *stoa_section_name(stoa_section section);

#endif
