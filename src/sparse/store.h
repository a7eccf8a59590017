/*
 * A structured dataset that is read and written element by element, through a cache of its chunks.
 *
 * Values are in the file's datatype, in the form of section 1 (docs/sparse-format.md §3); type
 * conversion is the caller's. Exactly what is written becomes defined. Nothing is in the file for
 * sure before stoa_store_flush(). One store a dataset: those of two handles do not see each other's
 * edits. One thread at a time.
 */
#ifndef STOA_SPARSE_STORE_H
#define STOA_SPARSE_STORE_H

#include "sparse/chunk_io.h"
#include "sparse/content.h"
#include "sparse/directory.h"
#include "sparse/shape.h"
#include "sparse/vlen.h"

#define STOA_STORE_CACHE ((size_t)64 << 20) /* bytes of chunks in memory, by default */

typedef struct stoa_store stoa_store;

/* What a store is of; all but `heap` is copied. */
typedef struct stoa_store_setup {
    stoa_chunk_io io;
    stoa_shape shape;
    const stoa_sparse_format *format; /* bound */
    const uint8_t *fill;    /* element_size bytes in the file's type; NULL: the format's */
    size_t cache_bytes;     /* 0: STOA_STORE_CACHE */
    uint64_t most_bytes;    /* of a chunk that is written; 0: less than 4 GiB */
    stoa_heap_measure heap; /* where the format has a heap and `vlen` does not tell */
    stoa_vlen_layout *vlen; /* of elements of variable length; taken over where all goes well */
    /* The fill value in the form of sections 1 and 2, where the format has a heap; NULL: `fill`
     * with slots of nothing. */
    const uint8_t *fill_value;
    const uint8_t *fill_heap;
    size_t n_fill_heap;
} stoa_store_setup;

/* Reads nothing yet. */
stoa_status stoa_store_open(const stoa_store_setup *setup, stoa_store **store, stoa_error *err);
/* Chunks of a dataset's file are read past libhdf5 from here on, where that is possible
 * (hdf/descriptor.h). */
stoa_status stoa_store_read_past(stoa_store *store, hid_t dataset, stoa_error *err);
/* Write what has changed. What failed stays, and is tried again by the next flush. */
stoa_status stoa_store_flush(stoa_store *store, stoa_error *err);
/* Forget what was read, as others may have changed it; flushes first. */
stoa_status stoa_store_refresh(stoa_store *store, stoa_error *err);
/* Become what `other` is, which is closed; what was not flushed is lost. Whoever uses the store
 * goes on with it. */
void stoa_store_become(stoa_store *store, stoa_store *other);
/* Does not flush: what was not is lost. NULL is fine. */
void stoa_store_close(stoa_store *store);

const stoa_shape *stoa_store_shape(const stoa_store *store);
const stoa_sparse_format *stoa_store_format(const stoa_store *store);
const uint8_t *stoa_store_fill(const stoa_store *store); /* element_size bytes */
const stoa_chunk_io *stoa_store_io(const stoa_store *store);
/* Of elements of variable length; NULL: they are of fixed size. */
const stoa_vlen_layout *stoa_store_vlen(const stoa_store *store);
bool stoa_store_is_dirty(const stoa_store *store);

/*
 * n elements along the last dimension, from `at` on.
 *
 * @param heap  NULL where the format has none
 * @return STOA_ERANGE where they leave the extent; STOA_EDATA where a chunk is damaged
 */
stoa_status stoa_store_write(stoa_store *store, const uint64_t *at, uint64_t n,
                             const uint8_t *values, const stoa_heap_run *heap, stoa_error *err);
/* n elements along dimension `along`, `every` so many-th, from `at` on; `step` bytes from one value
 * to the next. No heap. */
stoa_status stoa_store_write_line(stoa_store *store, const uint64_t *at, unsigned along,
                                  uint64_t every, uint64_t n, const uint8_t *values, ptrdiff_t step,
                                  stoa_error *err);
/* @param defined  a byte each, 0 or 1; values and defined may be NULL */
stoa_status stoa_store_read(stoa_store *store, const uint64_t *at, uint64_t n, uint8_t *values,
                            uint8_t *defined, const stoa_heap_sink *heap, stoa_error *err);
stoa_status stoa_store_erase(stoa_store *store, const uint64_t *at, uint64_t n, stoa_error *err);
stoa_status stoa_store_erase_box(stoa_store *store, const stoa_box *box, stoa_error *err);

/* --- by chunks ------------------------------------------------------------------------------- */

/* Numbers (uint64_t) of the chunks that meet a box, ascending, appended to `out`; they may turn out
 * to have no defined element. */
stoa_status stoa_store_chunks(stoa_store *store, const stoa_box *box, stoa_buffer *out,
                              stoa_error *err);
/* The defined elements of a chunk, inside of the extent; good until the next call. A chunk that is
 * not there has none. Positions alone where values are not asked for, as far as that saves work. */
stoa_status stoa_store_look(stoa_store *store, uint64_t number, bool wants_values,
                            const stoa_sparse_chunk **chunk, stoa_error *err);
/* Define elements of a chunk: ascending positions, none twice, inside of the extent. No heap. */
stoa_status stoa_store_merge(stoa_store *store, uint64_t number, const uint32_t *positions,
                             size_t n, const uint8_t *values, stoa_error *err);
/* Undefine elements of a chunk: ascending positions. */
stoa_status stoa_store_remove(stoa_store *store, uint64_t number, const uint32_t *positions,
                              size_t n, stoa_error *err);

/* Defined elements of the dataset; what was counted once is remembered. */
stoa_status stoa_store_count(stoa_store *store, uint64_t *n, stoa_error *err);

/* Chunks in the file and their bytes there, as it was flushed last. */
stoa_status stoa_store_stored(stoa_store *store, uint64_t *n_chunks, uint64_t *n_bytes,
                              stoa_error *err);

/*
 * A chunk as its bytes in the file, edits included; empty where it is not there.
 *
 * @param[out] bytes  replaced
 * @param[out] mask   not 0: a dense chunk, as the filter refused it
 */
stoa_status stoa_store_get_packed(stoa_store *store, uint64_t number, stoa_buffer *bytes,
                                  uint32_t *mask, stoa_error *err);
/* Whether a chunk's values account for all of its heap; fine where the format has none. */
stoa_status stoa_store_check(const stoa_store *store, const stoa_sparse_chunk *chunk,
                             stoa_error *err);
/*
 * Store bytes as a chunk, in the place of whatever it was; they must be of this format.
 *
 * @param n_defined  elements in it, where none is outside of the extent; STOA_UNKNOWN: not known
 */
stoa_status stoa_store_put_packed(stoa_store *store, uint64_t number, const uint8_t *bytes,
                                  size_t n_bytes, uint64_t n_defined, stoa_error *err);
/*
 * Another extent, of the dataset too (io.set_extent): what lies beyond is gone, what remains stays
 * as defined as it was, also explicit fill values in chunks that are cut through (sparse fact sheet
 * §2.7). Flushes.
 */
stoa_status stoa_store_set_extent(stoa_store *store, const uint64_t *extent, stoa_error *err);

#endif
