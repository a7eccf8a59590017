/* Shared by the tests of filter pipelines: chunks, pipelines, and filters by their definition. */
#ifndef STOA_TESTS_CODEC_KIT_H
#define STOA_TESTS_CODEC_KIT_H

#include "codec/pipeline.h"
#include "support/check.h"

/* Bytes between two guard areas, which must not change. */
typedef struct guarded {
    uint8_t *whole;
    uint8_t *bytes; /* aligned to 64 */
    size_t n;
} guarded;

guarded guarded_new(size_t n);
/* Fail if a guard area was written to. Frees the bytes. */
void guarded_end(guarded *g);

/* Copy to a block of exactly that size, so that a sanitizer detects access past its ends. */
uint8_t *exact_copy(const void *bytes, size_t n);

/* Fill a chunk with data of a random kind: constant, random, small numbers, slowly rising, few
 * values. */
void random_chunk(uint8_t *bytes, size_t n, size_t element_size);

stoa_pipeline pipeline_of(size_t chunk_bytes, size_t element_size, stoa_simd simd);
/* Add a filter with its client data: add_filter(&p, id, 2, (uint32_t[]){1, 2}). */
void add_filter(stoa_pipeline *pipeline, uint32_t id, uint32_t n_values, const uint32_t *values);

/* Check that the pipeline decodes stored bytes to the expected chunk, or refuses them naming the
 * filter. */
void check_undone(const stoa_pipeline *p, const uint8_t *stored, size_t n_stored,
                  const uint8_t *expected);
void check_refused(const stoa_pipeline *p, const uint8_t *stored, size_t n_stored,
                   const char *filter);

/* Loop over the instruction sets of this processor, from scalar to its best. */
#define EACH_SIMD(simd)                                                                            \
    stoa_simd simd = STOA_SIMD_SCALAR;                                                             \
    simd <= stoa_simd_of_cpu();                                                                    \
    simd = (stoa_simd)(simd + 1)

/* Filters by their definition, one byte or bit at a time. */
void naive_shuffle(uint8_t *out, const uint8_t *in, size_t n, size_t size);
void naive_bit_rows(uint8_t *out, const uint8_t *in, size_t n, size_t size);
uint32_t naive_fletcher32(const uint8_t *bytes, size_t n);

#endif
