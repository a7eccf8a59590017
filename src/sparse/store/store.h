/*
 * Element access to a structured dataset through a cache of its chunks.
 *
 * Values are in the file's datatype, in the form of section 1 (docs/sparse-format.md §3). Type
 * conversion is up to the caller. Exactly the written elements become defined. Changes are
 * guaranteed to be in the file only after stoa_store_flush(). Use one store per dataset, because
 * two stores do not see each other's edits. Only one thread may use a store at a time.
 */
#ifndef STOA_SPARSE_STORE_H
#define STOA_SPARSE_STORE_H

#include "sparse/format/shape.h"
#include "sparse/format/vlen.h"
#include "sparse/store/chunk_io.h"
#include "sparse/store/content.h"
#include "sparse/store/directory.h"

#define STOA_STORE_CACHE ((size_t)64 << 20) /* default cache size in bytes */

typedef struct stoa_store stoa_store;

/* Parameters of a store. The context of `heap` is borrowed, and `vlen` changes owner. Everything
 * else is copied. */
typedef struct stoa_store_setup {
    stoa_chunk_io io;
    stoa_shape shape;
    const stoa_sparse_format *format; /* must be bound */
    const uint8_t *fill;    /* element_size bytes in the file's type; NULL uses the format's */
    size_t cache_bytes;     /* 0 means STOA_STORE_CACHE */
    uint64_t most_bytes;    /* of a written chunk; 0 means less than 4 GiB */
    stoa_heap_measure heap; /* needed if the format has a heap and `vlen` is NULL */
    stoa_vlen_layout *vlen; /* of variable-length elements; the store owns it on success */
    /* The fill value in the form of sections 1 and 2, if the format has a heap. NULL means `fill`
     * with empty slots. */
    const uint8_t *fill_value;
    const uint8_t *fill_heap;
    size_t n_fill_heap;
} stoa_store_setup;

/* Open a store. Reads nothing yet. */
stoa_status stoa_store_open(const stoa_store_setup *setup, stoa_store **store, stoa_error *err);
/* Read the chunks of a dataset's file without libhdf5 from now on, if possible
 * (hdf/file/descriptor.h). */
stoa_status stoa_store_read_past(stoa_store *store, hid_t dataset, stoa_error *err);
/* Write all changes. Chunks that fail stay modified, and the next flush retries them. */
stoa_status stoa_store_flush(stoa_store *store, stoa_error *err);
/* Flush, then drop everything that was read, because other programs may have changed it. */
stoa_status stoa_store_refresh(stoa_store *store, stoa_error *err);
/* Take over the state of `other` and close it. Unflushed changes of `store` are lost. Existing
 * pointers to `store` stay valid. */
void stoa_store_become(stoa_store *store, stoa_store *other);
/* Close without flushing: unflushed changes are lost. NULL is allowed. */
void stoa_store_close(stoa_store *store);

const stoa_shape *stoa_store_shape(const stoa_store *store);
const stoa_sparse_format *stoa_store_format(const stoa_store *store);
const uint8_t *stoa_store_fill(const stoa_store *store); /* element_size bytes */
const stoa_chunk_io *stoa_store_io(const stoa_store *store);
/* The context of an `io` that stoa_chunk_io_of() has made. */
const stoa_chunk_dataset *stoa_store_dataset(const stoa_store *store);
/* Layout of variable-length elements; NULL if the elements have fixed size. */
const stoa_vlen_layout *stoa_store_vlen(const stoa_store *store);
bool stoa_store_is_dirty(const stoa_store *store);

/*
 * Access n elements along the last dimension, from `at` on.
 *
 * @param heap  NULL if the format has no heap
 * @return STOA_ERANGE if they leave the extent; STOA_EDATA if a chunk is damaged
 */
stoa_status stoa_store_write(stoa_store *store, const uint64_t *at, uint64_t n,
                             const uint8_t *values, const stoa_heap_run *heap, stoa_error *err);
/* Write n elements along dimension `along` from `at` on, at a distance of `every` elements. `step`
 * is the distance of values in bytes. For formats without a heap. */
stoa_status stoa_store_write_line(stoa_store *store, const uint64_t *at, unsigned along,
                                  uint64_t every, uint64_t n, const uint8_t *values, ptrdiff_t step,
                                  stoa_error *err);
/* @param defined  one byte each, 0 or 1; `values` and `defined` may be NULL */
stoa_status stoa_store_read(stoa_store *store, const uint64_t *at, uint64_t n, uint8_t *values,
                            uint8_t *defined, const stoa_heap_sink *heap, stoa_error *err);
stoa_status stoa_store_erase(stoa_store *store, const uint64_t *at, uint64_t n, stoa_error *err);
stoa_status stoa_store_erase_box(stoa_store *store, const stoa_box *box, stoa_error *err);

/* --- by chunk -------------------------------------------------------------------------------- */

/* Append the numbers (uint64_t) of the chunks that meet a box to `out`, ascending. A chunk may turn
 * out to have no defined element. */
stoa_status stoa_store_chunks(stoa_store *store, const stoa_box *box, stoa_buffer *out,
                              stoa_error *err);
/* The defined elements of a chunk inside of the extent; valid until the next call. A chunk that is
 * not stored has none. If values are not requested, they may be missing. */
stoa_status stoa_store_read_chunk(stoa_store *store, uint64_t number, bool wants_values,
                                  const stoa_sparse_chunk **chunk, stoa_error *err);
/* Append the defined elements of a box to `out`, by row-major number in the extent (uint64_t),
 * ascending. */
stoa_status stoa_store_defined(stoa_store *store, const stoa_box *box, stoa_buffer *out,
                               stoa_error *err);
/* Define elements of a chunk at ascending positions, without duplicates, inside of the extent. For
 * formats without a heap. */
stoa_status stoa_store_merge(stoa_store *store, uint64_t number, const uint32_t *positions,
                             size_t n, const uint8_t *values, stoa_error *err);
/* Undefine elements of a chunk at ascending positions. */
stoa_status stoa_store_remove(stoa_store *store, uint64_t number, const uint32_t *positions,
                              size_t n, stoa_error *err);

/* Number of defined elements of the dataset. Counts are remembered per chunk. */
stoa_status stoa_store_count(stoa_store *store, uint64_t *n, stoa_error *err);

/* Number and total bytes of the chunks in the file, as of the last flush. */
stoa_status stoa_store_stored(stoa_store *store, uint64_t *n_chunks, uint64_t *n_bytes,
                              stoa_error *err);

/*
 * A chunk in its stored form, edits included; empty if it is not stored.
 *
 * @param[out] bytes  replaced
 * @param[out] mask   nonzero for a dense chunk that the filter refused
 */
stoa_status stoa_store_get_packed(stoa_store *store, uint64_t number, stoa_buffer *bytes,
                                  uint32_t *mask, stoa_error *err);
/* Check that a chunk's values account for all of its heap. Succeeds if the format has no heap. */
stoa_status stoa_store_check(const stoa_store *store, const stoa_sparse_chunk *chunk,
                             stoa_error *err);
/*
 * Store packed bytes of this format as a chunk, replacing the current one.
 *
 * @param n_defined  number of elements, if none is outside of the extent; otherwise STOA_UNKNOWN
 */
stoa_status stoa_store_put_packed(stoa_store *store, uint64_t number, const uint8_t *bytes,
                                  size_t n_bytes, uint64_t n_defined, stoa_error *err);
/*
 * Change the extent, also of the dataset (io.set_extent). Elements beyond it are removed. The
 * others stay as defined as they were, explicit fill values in cut chunks included (sparse fact
 * sheet §2.7). Flushes.
 */
stoa_status stoa_store_set_extent(stoa_store *store, const uint64_t *extent, stoa_error *err);

#endif
