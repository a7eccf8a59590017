/*
 * Datasets read past libhdf5: it says where chunks lie, once; their bytes are read with pread(), or
 * from a map of the file where the read context has one, and unpacked by src/codec, on any thread.
 *
 * Possible for one-dimensional datasets of plain elements (numbers, enums, opaque, fixed strings)
 * whose layout is contiguous or chunked, whose filters src/codec knows, in a file that nobody can
 * write to through this handle (opened read-only) and whose bytes lie in one file of the system
 * (drivers sec2, stdio, and Stoa's own). Everything else is read by libhdf5: packed.h.
 * STOA_SLOW=1 in the environment turns it off.
 */
#ifndef STOA_HDF_DIRECT_H
#define STOA_HDF_DIRECT_H

#include "codec/pipeline.h"
#include "hdf/ids.h"
#include "hdf/read/read_context.h"

/* Rows that stand for a chunk where a dataset is contiguous. */
#define STOA_DIRECT_ROWS 65536

/* Whether STOA_SLOW says so. */
bool stoa_direct_is_off(void);

/* Immutable once open, so that any thread may read; holds no libhdf5 id. */
typedef struct stoa_direct stoa_direct;

/*
 * Look at a dataset, one of several that share what the read context has: chunk addresses
 * (H5Dchunk_iter), filters, datatype, fill value; nothing of it is believed before it was checked
 * against the file's size and the chunk's.
 *
 * @param mem_type     elements as they are wanted: the stored type, or the same in native byte
 * order
 * @param[out] direct  the caller's, to be closed before the read context; NULL if libhdf5 must read
 * the dataset
 * @return STOA_EDATA where it is damaged (see hdf/chunk/chunk_checks.h)
 */
stoa_status stoa_direct_open(stoa_read_context *read_context, hid_t dataset, hid_t mem_type,
                             stoa_direct **direct, stoa_error *err);
void stoa_direct_close(stoa_direct *direct);
/* Whether stored elements of a type become those in memory by copying or swapping their bytes. */
bool stoa_direct_converts(hid_t stored, hid_t wanted, bool *swaps);
/* Several readers go through the dataset at the same time: stoa_direct_hold() keeps a chunk when it
 * is asked for first. To be said before it is used. */
void stoa_direct_share(stoa_direct *direct);

uint64_t stoa_direct_extent(const stoa_direct *direct);
/* Rows of a chunk, or of what stands for one. */
uint64_t stoa_direct_chunk_rows(const stoa_direct *direct);
size_t stoa_direct_element_size(const stoa_direct *direct);
/* Whether its chunks have passed filters, as a rule. */
bool stoa_direct_is_packed(const stoa_direct *direct);

/*
 * Rows [first, first + count) in memory form where they lie in the map of the file, good as long as
 * the read context; NULL where they have to be read: there is no map (stoa_read_context_map), they
 * are packed, swapped, not aligned, in chunks that are no neighbours, or too few (descriptor.h,
 * which also says when they may be looked at).
 */
const void *stoa_direct_mapped(const stoa_direct *direct, uint64_t first, uint64_t count);
/* The same, good as long as the map is held, which is the caller's: stoa_file_map_release(). */
const void *stoa_direct_lend(const stoa_direct *direct, uint64_t first, uint64_t count,
                             stoa_file_map **map);
/*
 * All rows of a chunk in memory form, those past the extent included.
 *
 * @param[out] elements  good until the scratch is used again; never written chunks: the fill value
 * @return STOA_EDATA naming the chunk where it is damaged; STOA_EIO
 */
stoa_status stoa_direct_chunk(const stoa_direct *direct, uint64_t chunk, stoa_scratch *scratch,
                              const void **elements, stoa_error *err);
/*
 * The same where the chunk may be wanted again: one that is asked for a second time is kept in the
 * read context's cache, and is not read or unpacked any more.
 *
 * @param[out] held  what the elements are in, to be given to stoa_direct_release(); NULL: they are
 *                   in the scratch
 */
stoa_status stoa_direct_hold(const stoa_direct *direct, uint64_t chunk, stoa_scratch *scratch,
                             const void **elements, stoa_held_chunk **held, stoa_error *err);
/* Rows of any number of such chunks, copied. */
stoa_status stoa_direct_read_again(const stoa_direct *direct, uint64_t first, uint64_t count,
                                   stoa_scratch *scratch, void *out, stoa_error *err);
void stoa_direct_release(const stoa_direct *direct, stoa_held_chunk *held);
/* Rows [first, first + count) in memory form into `out`. Few rows of a chunk that can be picked out
 * of it (stoa_pipeline_pick) are; other chunks are unpacked, whole ones straight into `out`. */
stoa_status stoa_direct_read(const stoa_direct *direct, uint64_t first, uint64_t count,
                             stoa_scratch *scratch, void *out, stoa_error *err);
/* The same for few rows here and there: chunks that have to be unpacked are kept in the read
 * context's cache, and of others those rows with their neighbours. */
stoa_status stoa_direct_look_up(const stoa_direct *direct, uint64_t first, uint64_t count,
                                stoa_scratch *scratch, void *out, stoa_error *err);
/* Whether the system has a chunk's bytes in memory, by its last one; true of a chunk that was never
 * written, false where the system cannot tell. Reads nothing from the disk for an answer. */
bool stoa_direct_is_at_hand(const stoa_direct *direct, uint64_t chunk);
/*
 * The chosen ones of rows [first, first + count) of one chunk in memory form into `out`, if its
 * rows can be unpacked a part at a time: no chunk is unpacked as a whole for it.
 *
 * @param bits        of an Arrow bitmap whose bit 0 is row `first`
 * @param n           how many of these are set
 * @param[out] found  false where the chunk must be unpacked
 */
stoa_status stoa_direct_choose(const stoa_direct *direct, uint64_t first, uint64_t count,
                               const uint8_t *bits, uint64_t n, stoa_scratch *scratch, void *out,
                               bool *found, stoa_error *err);
/* Tell the system that chunks [first, first + n) will be wanted soon; neighbouring ones as one
 * request. */
void stoa_direct_announce(const stoa_direct *direct, uint64_t first, uint64_t n);

#endif
