/*
 * The dataset of a SORTED_ROWS index (HEP001 §10.5).
 *
 * Older Stoa attached two auxiliary datasets by scalar references, so that look-ups need not read
 * the column. `sorted_values` has the values in the order of the permutation, without its tails.
 * `fence_keys` has every STOA_FENCE_RANKS-th of them. Both have the column's datatype. They are
 * used as long as the index does not change. §10.1 does not name them, so an index that has them is
 * built anew when it must change.
 */
#ifndef STOA_INDEX_SORTED_STORE_H
#define STOA_INDEX_SORTED_STORE_H

#include "index/common/kind.h"
#include "index/sorted/sorted_fences.h"

#define STOA_SORTED_KIND "SORTED_ROWS"

/* The attributes that refer to them. */
#define STOA_SORTED_VALUES "sorted_values"
#define STOA_SORTED_FENCES "fence_keys"

/* Ranks per fence. */
#define STOA_FENCE_RANKS UINT64_C(4096)

/* An index of n_rows rows: first those with a value, then the missing ones, then NaN. */
typedef struct stoa_sorted_store {
    stoa_column *column; /* borrowed */
    uint64_t n_rows;
    uint64_t n_missing; /* fill_tail_length */
    uint64_t n_nan;     /* nan_tail_length */
    uint64_t max_row;   /* the largest row number that its datatype can hold */
    bool has_residue;   /* a dataset is longer than n_rows require (notes A2) */
    hid_t rows;
    bool is_bare; /* it shall have no attribute but those of §10.5 (sorted_fences.h) */
    hid_t values; /* both invalid if there are no covering datasets, or unusable ones */
    hid_t fences;
    hid_t value_type;                  /* the column's datatype in the file */
    struct stoa_sorted_access *access; /* NULL until the first read or write */
} stoa_sorted_store;

static inline uint64_t stoa_sorted_n_ordered(const stoa_sorted_store *store)
{
    return store->n_rows - store->n_missing - store->n_nan;
}
static inline uint64_t stoa_sorted_n_fences(uint64_t n_ordered)
{
    return n_ordered == 0 ? 0 : (n_ordered - 1) / STOA_FENCE_RANKS + 1;
}
static inline bool stoa_sorted_is_covered(const stoa_sorted_store *store)
{
    return store->values >= 0;
}

/* Ranks per block: they are written together and fit into memory, their values too. */
uint64_t stoa_sorted_block(const stoa_column *column);
/* Ranks per chunk in an index of n_rows rows. */
uint64_t stoa_sorted_chunk(uint64_t n_rows);

/* Create an empty, unlinked dataset, so that a failure leaves nothing behind. Close with
 * stoa_sorted_close(), also after a failure. */
stoa_status stoa_sorted_create(stoa_sorted_store *store, stoa_column *column, hid_t indexes,
                               uint64_t n_rows, bool bare, stoa_error *err);
/* Write KIND and description. */
stoa_status stoa_sorted_describe(const stoa_sorted_store *store, uint64_t memory, stoa_error *err);
/* Link the dataset into SEARCH_INDEXES, as `name` or a name made of it. */
stoa_status stoa_sorted_name(const stoa_sorted_store *store, hid_t indexes, const char *name,
                             stoa_error *err);

/* Whether an index has, or had, covering datasets. */
bool stoa_sorted_is_old(hid_t dataset);
/* STOA_ETYPE if the column's values have no order. */
stoa_status stoa_sorted_accepts(const stoa_column *column, stoa_error *err);
/*
 * Open the datasets of an index on n_rows rows. The caller keeps `dataset` and may close it before
 * the store. Close with stoa_sorted_close(), also after a failure.
 *
 * Invalid covering datasets are ignored; `flaw` (256 bytes, may be NULL) then has the reason, else
 * "".
 *
 * @return STOA_ETYPE if the column's values have no order; STOA_EDATA if the permutation violates
 *         §10.5
 */
stoa_status stoa_sorted_open(stoa_sorted_store *store, stoa_column *column, hid_t dataset,
                             uint64_t n_rows, char *flaw, stoa_error *err);
stoa_status stoa_sorted_close(stoa_sorted_store *store, stoa_status status, stoa_error *err);

/* Change the number of indexed rows: extent and tail lengths. */
stoa_status stoa_sorted_resize(stoa_sorted_store *store, uint64_t n_rows, uint64_t n_missing,
                               uint64_t n_nan, stoa_error *err);

/* Write the fences, unless the index shall be bare. */
stoa_status stoa_sorted_fence(const stoa_sorted_store *store, const stoa_fences *fences,
                              stoa_error *err);

/* Prepare and discard the state that reads and writes share. Internal to the store. */
stoa_status stoa_sorted_remember(stoa_sorted_store *store, stoa_error *err);
void stoa_sorted_forget(stoa_sorted_store *store);

/* Rows at ranks [first, first + count); STOA_EDATA if one is not below n_rows. */
stoa_status stoa_sorted_read_rows(const stoa_sorted_store *store, uint64_t first, uint64_t count,
                                  uint64_t *rows, stoa_error *err);
/* Written rows are in the file after stoa_sorted_flush(). hdf/chunk/chunk_writer.h tells what may
 * be read before. */
stoa_status stoa_sorted_write_rows(const stoa_sorted_store *store, uint64_t first, uint64_t count,
                                   const uint64_t *rows, stoa_error *err);
/* Values of a covering dataset as elements in memory form; `values` must be zeroed. Release
 * variable-length values with stoa_element_reclaim(). */
stoa_status stoa_sorted_read_values(const stoa_sorted_store *store, hid_t dataset, uint64_t first,
                                    uint64_t count, void *values, stoa_error *err);
stoa_status stoa_sorted_flush(const stoa_sorted_store *store, stoa_error *err);

/* The writer of the dataset's chunks, owned by the store. Rows must have the form that
 * stoa_sorted_pack_rows() converts them to in place. */
stoa_status stoa_sorted_writer(const stoa_sorted_store *store, stoa_chunk_writer **writer,
                               stoa_error *err);
const void *stoa_sorted_pack_rows(const stoa_sorted_store *store, uint64_t *rows, uint64_t n);

#endif
