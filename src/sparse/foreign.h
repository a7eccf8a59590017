/*
 * Filters that src/codec does not have, run by libhdf5 over a section of a structured chunk.
 *
 * libhdf5 has no call that runs a pipeline over a buffer; a dataset of one chunk in a file that
 * exists in memory alone serves as one. Its filters see the datatype and the number of elements of
 * the section, so that those with a set_local callback (scale-offset, n-bit, szip) work. Calls
 * libhdf5: one thread at a time. May be used from within a filter's callback.
 */
#ifndef STOA_SPARSE_FOREIGN_H
#define STOA_SPARSE_FOREIGN_H

#include "sparse/format.h"

typedef struct stoa_foreign stoa_foreign;

stoa_status stoa_foreign_open(stoa_foreign **foreign, stoa_error *err);
void stoa_foreign_close(stoa_foreign *foreign);

/* Elements of a section, as filters are told of them. */
typedef struct stoa_elements {
    size_t size;
    stoa_number_class number;
    bool is_big_endian;
} stoa_elements;

/*
 * What comes out was read back before it is believed: libhdf5 1.14's scale-offset makes chunks that
 * it cannot read (HDFGroup/hdf5 5861). Such a section stays as it is.
 *
 * @param[out] stored  good until the next call, or `bytes`
 * @param[out] mask    filters that had to be left out
 */
stoa_status stoa_foreign_apply(stoa_foreign *foreign, const stoa_section_filters *filters,
                               const stoa_elements *elements, const uint8_t *bytes, size_t n_bytes,
                               const uint8_t **stored, size_t *n_stored, uint32_t *mask,
                               stoa_error *err);
/* Exactly n_out bytes, or STOA_EDATA. */
stoa_status stoa_foreign_undo(stoa_foreign *foreign, const stoa_section_filters *filters,
                              const stoa_elements *elements, uint32_t mask, const uint8_t *stored,
                              size_t n_stored, uint8_t *out, size_t n_out, stoa_error *err);

/*
 * Whether libhdf5 has a filter, in itself or on its plugin path; szip it may have for reading
 * alone.
 *
 * @return STOA_EHDF5, saying which it has not
 */
stoa_status stoa_foreign_must_have(uint32_t filter, bool encodes, stoa_error *err);

#endif
