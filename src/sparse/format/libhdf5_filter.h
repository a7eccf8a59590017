/*
 * Filters that src/codec lacks, run by libhdf5 over a section of a structured chunk.
 *
 * libhdf5 has no call that runs a pipeline over a buffer. A dataset of one chunk in a memory-only
 * file serves instead. Its filters see the section's datatype and number of elements, so filters
 * with a set_local callback (scale-offset, n-bit, szip) work. Only one thread at a time may call
 * it, because it calls libhdf5. A filter's callback may call it.
 */
#ifndef STOA_SPARSE_LIBHDF5_FILTER_H
#define STOA_SPARSE_LIBHDF5_FILTER_H

#include "sparse/format/format.h"

typedef struct stoa_libhdf5_filter stoa_libhdf5_filter;

stoa_status stoa_libhdf5_filter_open(stoa_libhdf5_filter **foreign, stoa_error *err);
void stoa_libhdf5_filter_close(stoa_libhdf5_filter *foreign);

/* Description of a section's elements, for its filters. */
typedef struct stoa_elements {
    size_t size;
    stoa_number_class number;
    bool is_big_endian;
} stoa_elements;

/*
 * Apply filters to a section and verify the result by decoding it. libhdf5 1.14's scale-offset
 * writes chunks that it cannot read (HDFGroup/hdf5 5861). Such a section is stored unfiltered.
 *
 * @param[out] stored  valid until the next call, or `bytes`
 * @param[out] mask    filters that were skipped
 */
stoa_status stoa_libhdf5_filter_apply(stoa_libhdf5_filter *foreign,
                                      const stoa_section_filters *filters,
                                      const stoa_elements *elements, const uint8_t *bytes,
                                      size_t n_bytes, const uint8_t **stored, size_t *n_stored,
                                      uint32_t *mask, stoa_error *err);
/* Reverse the filters. The result must have exactly n_out bytes, otherwise STOA_EDATA. */
stoa_status stoa_libhdf5_filter_undo(stoa_libhdf5_filter *foreign,
                                     const stoa_section_filters *filters,
                                     const stoa_elements *elements, uint32_t mask,
                                     const uint8_t *stored, size_t n_stored, uint8_t *out,
                                     size_t n_out, stoa_error *err);

/*
 * Check that libhdf5 has a filter, built in or on its plugin path. szip may be available for
 * decoding only.
 *
 * @return STOA_EHDF5, naming the missing filter
 */
stoa_status stoa_libhdf5_filter_must_have(uint32_t filter, bool encodes, stoa_error *err);

#endif
