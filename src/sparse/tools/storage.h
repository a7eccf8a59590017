/* Storage statistics of a structured dataset, for tools (sparse RFC §4). */
#ifndef STOA_SPARSE_STORAGE_H
#define STOA_SPARSE_STORAGE_H

#include "sparse/format/format.h"
#include "sparse/format/shape.h"
#include "sparse/store/dataset.h"

typedef struct stoa_section_bytes {
    uint64_t n_stored;   /* in the file */
    uint64_t n_original; /* before the section's filters */
} stoa_section_bytes;

typedef struct stoa_sparse_storage {
    stoa_sparse_format format;
    stoa_shape shape;
    uint64_t n_chunks;
    uint64_t n_bytes; /* of all chunks with their headers */
    stoa_section_bytes sections[STOA_MAX_SECTIONS];
} stoa_sparse_storage;

/*
 * Reads every chunk without unpacking any. A chunk that the filter refused is dense, and counts as
 * values.
 *
 * @return STOA_ELAYOUT if the dataset has no structured chunks; STOA_EDATA if it is damaged
 */
stoa_status stoa_sparse_storage_of(hid_t dataset, stoa_sparse_storage *storage, stoa_error *err);

/* The RFC's name of a section: "H5Z_FLAG_SPARSE_SELECTION" (§2.3.1). */
const char *stoa_section_name(stoa_section section);

#endif
