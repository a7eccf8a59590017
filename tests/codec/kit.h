/* What the tests of filter pipelines share: chunks, pipelines, and the filters by their definition.
 */
#ifndef STOA_TESTS_CODEC_KIT_H
#define STOA_TESTS_CODEC_KIT_H

#include "codec/pipeline.h"
#include "support/check.h"

/* Bytes between two runs of others, which must stay as they are. */
typedef struct guarded {
    uint8_t *whole;
    uint8_t *bytes; /* aligned to 64 */
    size_t n;
} guarded;

guarded guarded_new(size_t n);
/* Fails where something was written beside the bytes; frees them. */
void guarded_end(guarded *g);

/* A copy in a block of its own and of its own length, so that a sanitizer sees its ends. */
uint8_t *exact_copy(const void *bytes, size_t n);

/* Bytes of a chunk of some kind: constant, random, small numbers, slowly rising, few values. */
void random_chunk(uint8_t *bytes, size_t n, size_t element_size);

stoa_pipeline pipeline_of(size_t chunk_bytes, size_t element_size, stoa_simd simd);
/* One more filter, with its client data: add_filter(&p, id, 2, (uint32_t[]){1, 2}). */
void add_filter(stoa_pipeline *pipeline, uint32_t id, uint32_t n_values, const uint32_t *values);

/* Stored bytes undone by the pipeline are the chunk; or are refused, naming the filter. */
void check_undone(const stoa_pipeline *p, const uint8_t *stored, size_t n_stored,
                  const uint8_t *expected);
void check_refused(const stoa_pipeline *p, const uint8_t *stored, size_t n_stored,
                   const char *filter);

/* The kernels of this processor: its best ones and all lesser ones. */
#define EACH_SIMD(simd)                                                                            \
    stoa_simd simd = STOA_SIMD_SCALAR;                                                             \
    simd <= stoa_simd_of_cpu();                                                                    \
    simd = (stoa_simd)(simd + 1)

/* By definition, one byte or bit after the other. */
void naive_shuffle(uint8_t *out, const uint8_t *in, size_t n, size_t size);
void naive_bit_rows(uint8_t *out, const uint8_t *in, size_t n, size_t size);
uint32_t naive_fletcher32(const uint8_t *bytes, size_t n);

#endif
