/* For tests of the scale-offset filter: datasets written by libhdf5, and blocks that end at an
 * inaccessible page. */
#ifndef STOA_TESTS_CODEC_SO_KIT_H
#define STOA_TESTS_CODEC_SO_KIT_H

#include <hdf5.h>
#include <string.h>

#include "codec/kernels/scaleoffset.h"
#include "support/check.h"

enum { SO_HEADER = 21 };

/* The dataset to test, which has one chunk. */
typedef struct so_variety {
    unsigned size;
    unsigned bits; /* passed to the filter; 0: the filter determines them */
    bool is_signed;
    bool is_big_endian;
    bool has_fill;
    uint64_t fill; /* the lowest 8 * size bits are used */
} so_variety;

/* Memory before an inaccessible page. Reading or writing past its end kills the test. */
typedef struct so_block {
    uint8_t *map;
    size_t size; /* without the inaccessible page */
} so_block;

so_block so_block_make(size_t size);
/* The last `n` bytes of the block. At least 64 bytes of 0xc5 precede them. */
uint8_t *so_block_end(const so_block *block, size_t n);
/* Whether the 64 bytes before the last `n` are unchanged. */
bool so_block_is_whole(const so_block *block, size_t n);
void so_block_free(so_block *block);

/* Create a file in memory. */
hid_t so_file(void);
/* Create a dataset of `n` values in one chunk with the filter. */
hid_t so_dataset(hid_t file, const so_variety *variety, size_t n);
hid_t so_type(const so_variety *variety);
/* The filter parameters that libhdf5 wrote to the dataset's creation properties. */
stoa_filter so_filter(hid_t dataset);
void so_write(hid_t dataset, const so_variety *variety, const uint8_t *values);
void so_read(hid_t dataset, const so_variety *variety, uint8_t *values);
/* Read the chunk as stored; returns its number of bytes. */
size_t so_stored(hid_t dataset, uint8_t *stored, size_t size);
/* Replace the stored chunk. */
void so_store(hid_t dataset, const uint8_t *stored, size_t n_stored);

/* The parameters that libhdf5 computes for a variety, computed here. */
stoa_scaleoffset so_of(const so_variety *variety, size_t n, stoa_simd simd);

/* Write or read a value in the file's byte order. */
void so_put(const so_variety *variety, uint8_t *values, size_t i, uint64_t value);
uint64_t so_get(const so_variety *variety, const uint8_t *values, size_t i);
/* Make random values that span 2 to the `width` or less. Some are the fill value, if there is
 * one. */
void so_random_values(const so_variety *variety, unsigned width, size_t n, uint8_t *values);

#endif
