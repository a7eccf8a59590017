/*
 * Datasets that are read without libhdf5. It is asked once where the chunks are. Their bytes are
 * then read with pread(), or from a map of the file if the read context has one, and decoded by
 * src/codec, on any thread.
 *
 * A dataset is supported if all of this holds:
 * - It has one dimension and fixed-size elements: numbers, enums, opaque data, fixed-length
 *   strings.
 * - Its layout is contiguous or chunked, and src/codec implements all of its filters.
 * - Its file is open read-only.
 * - The file's bytes are in one file of the system (the drivers sec2, stdio and Stoa's own).
 *
 * libhdf5 reads all other datasets (checked_reader.h). STOA_SLOW=1 in the environment disables this
 * path.
 */
#ifndef STOA_HDF_DIRECT_H
#define STOA_HDF_DIRECT_H

#include "codec/pipeline.h"
#include "hdf/ids.h"
#include "hdf/read/read_context.h"

/* A contiguous dataset is read in blocks of this many rows, as if they were chunks. So are chunks
 * of twice as many rows and more, if their filter can decode parts of them. */
#define STOA_DIRECT_ROWS 65536

/* Whether STOA_SLOW disables this path. */
bool stoa_direct_is_off(void);

/* Immutable once open, so any thread may read it. Holds no libhdf5 identifier. */
typedef struct stoa_direct stoa_direct;

/*
 * Open a dataset: get its chunk addresses (H5Dchunk_iter), filters, datatype and fill value. The
 * input is untrusted: addresses and sizes are checked against the size of the file and of a chunk.
 *
 * @param mem_type  the elements to return: the stored type, or the same in native byte order
 * @param[out] direct  NULL if libhdf5 must read the dataset. The caller closes it before the read
 *                     context.
 * @return STOA_EDATA if the dataset is damaged (hdf/chunk/chunk_checks.h)
 */
stoa_status stoa_direct_open(stoa_read_context *read_context, hid_t dataset, hid_t mem_type,
                             stoa_direct **direct, stoa_error *err);
void stoa_direct_close(stoa_direct *direct);
/* Whether elements are converted from the stored type by copying or swapping their bytes. */
bool stoa_direct_converts(hid_t stored, hid_t wanted, bool *swaps);
/* Tell that several readers read the dataset at the same time. stoa_direct_hold() then caches a
 * chunk at its first request. Call it before reading. */
void stoa_direct_share(stoa_direct *direct);

uint64_t stoa_direct_extent(const stoa_direct *direct);
/* Rows per chunk, or per block of a contiguous dataset or of large chunks. "Chunk" is either below.
 */
uint64_t stoa_direct_chunk_rows(const stoa_direct *direct);
size_t stoa_direct_element_size(const stoa_direct *direct);
/* Whether the dataset has filters. Single chunks may have skipped them. */
bool stoa_direct_is_packed(const stoa_direct *direct);
/* Whether few rows of a chunk are read without the rest of it. */
bool stoa_direct_picks(const stoa_direct *direct);

/*
 * Rows [first, first + count) in memory form, as a pointer into the map of the file. It is valid as
 * long as the read context. descriptor.h says when the bytes may be accessed.
 *
 * NULL if the rows must be read: there is no map (stoa_read_context_map), or they are compressed,
 * byte-swapped, not aligned, not contiguous in the file, or too few.
 */
const void *stoa_direct_mapped(const stoa_direct *direct, uint64_t first, uint64_t count);
/* The same, valid as long as the map is held. The caller releases it with stoa_file_map_release().
 */
const void *stoa_direct_lend(const stoa_direct *direct, uint64_t first, uint64_t count,
                             stoa_file_map **map);
/*
 * All rows of a chunk in memory form, including those past the extent.
 *
 * @param[out] elements  valid until the scratch is used again. For a chunk that was never written:
 *                       the fill value.
 * @return STOA_EDATA, naming the chunk, if it is damaged; STOA_EIO
 */
stoa_status stoa_direct_chunk(const stoa_direct *direct, uint64_t chunk, stoa_scratch *scratch,
                              const void **elements, stoa_error *err);
/*
 * The same for a chunk that may be requested again. At its second request it is stored in the read
 * context's cache, and is not read or decoded any more.
 *
 * @param[out] held  the cached chunk that has the elements; release it with stoa_direct_release().
 *                   NULL if they are in the scratch.
 */
stoa_status stoa_direct_hold(const stoa_direct *direct, uint64_t chunk, stoa_scratch *scratch,
                             const void **elements, stoa_held_chunk **held, stoa_error *err);
/* Copy rows of any number of chunks, each obtained by stoa_direct_hold(). */
stoa_status stoa_direct_read_again(const stoa_direct *direct, uint64_t first, uint64_t count,
                                   stoa_scratch *scratch, void *out, stoa_error *err);
void stoa_direct_release(const stoa_direct *direct, stoa_held_chunk *held);
/* Read rows [first, first + count) in memory form into `out`. Few rows of a chunk are decoded alone
 * if its filter allows that (stoa_pipeline_decode_range). Other chunks are decoded, whole ones
 * directly into `out`. */
stoa_status stoa_direct_read(const stoa_direct *direct, uint64_t first, uint64_t count,
                             stoa_scratch *scratch, void *out, stoa_error *err);
/* The same for scattered rows. Decoded chunks go into the read context's cache. From other chunks,
 * the rows and their neighbours do. */
stoa_status stoa_direct_look_up(const stoa_direct *direct, uint64_t first, uint64_t count,
                                stoa_scratch *scratch, void *out, stoa_error *err);
/* Whether the last byte of a chunk is in the system's page cache. True for a chunk that was never
 * written, false if the system cannot tell. Does not read from the disk. */
bool stoa_direct_is_at_hand(const stoa_direct *direct, uint64_t chunk);
/*
 * Read the selected ones of rows [first, first + count) of one chunk in memory form into `out`, if
 * the chunk can be decoded a part at a time. It is never decoded as a whole.
 *
 * @param bits  an Arrow bitmap whose bit 0 is row `first`
 * @param n  the number of bits that are set
 * @param[out] found  false if the whole chunk must be decoded
 */
stoa_status stoa_direct_choose(const stoa_direct *direct, uint64_t first, uint64_t count,
                               const uint8_t *bits, uint64_t n, stoa_scratch *scratch, void *out,
                               bool *found, stoa_error *err);
/* Tell the system that chunks [first, first + n) will be read soon. Neighbouring ones are one
 * request. */
void stoa_direct_announce(const stoa_direct *direct, uint64_t first, uint64_t n);

#endif
