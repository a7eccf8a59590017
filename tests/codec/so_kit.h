/* For tests of the scale-offset filter: datasets of libhdf5's, blocks that end where memory ends.
 */
#ifndef STOA_TESTS_CODEC_SO_KIT_H
#define STOA_TESTS_CODEC_SO_KIT_H

#include <hdf5.h>
#include <string.h>

#include "codec/kernels/scaleoffset.h"
#include "support/check.h"

enum { SO_HEADER = 21 };

/* What a dataset of one chunk is like. */
typedef struct so_variety {
    unsigned size;
    unsigned bits; /* given to the filter; 0: it finds them */
    bool is_signed;
    bool is_big_endian;
    bool has_fill;
    uint64_t fill; /* its lowest 8 * size bits */
} so_variety;

/* Memory behind which there is none: a read or a write beyond kills the test. */
typedef struct so_block {
    uint8_t *map;
    size_t size; /* without the page that may not be touched */
} so_block;

so_block so_block_make(size_t size);
/* The last `n` bytes of it, after 64 bytes or more of 0xc5. */
uint8_t *so_block_end(const so_block *block, size_t n);
/* Are the bytes before those still as they were? */
bool so_block_is_whole(const so_block *block, size_t n);
void so_block_free(so_block *block);

/* A file in memory. */
hid_t so_file(void);
/* A dataset of `n` values in one chunk that passes the filter. */
hid_t so_dataset(hid_t file, const so_variety *variety, size_t n);
hid_t so_type(const so_variety *variety);
/* What libhdf5 has written into the dataset's creation properties. */
stoa_filter so_filter(hid_t dataset);
void so_write(hid_t dataset, const so_variety *variety, const uint8_t *values);
void so_read(hid_t dataset, const so_variety *variety, uint8_t *values);
/* The dataset's chunk, as it is stored; how many bytes. */
size_t so_stored(hid_t dataset, uint8_t *stored, size_t size);
/* And instead of it: */
void so_store(hid_t dataset, const uint8_t *stored, size_t n_stored);

/* The same as libhdf5 makes of them, but made here. */
stoa_scaleoffset so_of(const so_variety *variety, size_t n, stoa_simd simd);

/* A value in the file's byte order. */
void so_put(const so_variety *variety, uint8_t *values, size_t i, uint64_t value);
uint64_t so_get(const so_variety *variety, const uint8_t *values, size_t i);
/* Random values that span 2 to the `width`, or somewhat less, among them fills if there is one. */
void so_random_values(const so_variety *variety, unsigned width, size_t n, uint8_t *values);

#endif
