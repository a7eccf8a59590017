/*
 * How a SORTED_ROWS index lies in the file (HEP001 §10.5), with the datasets that cover it.
 *
 * Two accompanying datasets (§10.1) hang on the index by scalar references, so that a look-up need
 * not go to the column: `sorted_values` holds the values in the order of the permutation, without
 * those of its tails, and `fence_keys` every STOA_FENCE_RANKS-th of them. Both are of the column's
 * datatype, and a reader may do without.
 */
#ifndef STOA_INDEX_SORTED_STORE_H
#define STOA_INDEX_SORTED_STORE_H

#include "index/keys.h"
#include "index/kind.h"

#define STOA_SORTED_KIND "SORTED_ROWS"

/* The attributes that lead to them, and what their names are made of. */
#define STOA_SORTED_VALUES "sorted_values"
#define STOA_SORTED_FENCES "fence_keys"

/* Ranks from one fence to the next. */
#define STOA_FENCE_RANKS UINT64_C(4096)

/* An index of n_rows rows: first those with a value, then the missing ones, then NaN. */
typedef struct stoa_sorted_store {
    stoa_column *column; /* borrowed */
    uint64_t n_rows;
    uint64_t n_missing; /* fill_tail_length */
    uint64_t n_nan;     /* nan_tail_length */
    uint64_t max_row;   /* that its datatype can hold */
    bool has_residue;   /* one of the datasets is longer than n_rows need (notes A2) */
    hid_t rows;
    hid_t values; /* both invalid where the index is bare, or what covers it is of no use */
    hid_t fences;
    hid_t value_type;                  /* the column's datatype in the file */
    struct stoa_sorted_access *access; /* NULL: nothing has been read or written */
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

/* Values that lie together in a chunk, are written together, and fit into memory. */
uint64_t stoa_sorted_block(const stoa_column *column);
/* Ranks of a chunk of the values in an index of so many rows: whole fences where values are no
 * longer than numbers are. */
uint64_t stoa_sorted_chunk(const stoa_column *column, uint64_t n_rows);

/* Make empty datasets without a name: what fails leaves nothing behind. Closed by
 * stoa_sorted_close(), also after a failure. */
stoa_status stoa_sorted_create(stoa_sorted_store *store, stoa_column *column, hid_t indexes,
                               uint64_t n_rows, bool bare, stoa_error *err);
/* KIND and description. */
stoa_status stoa_sorted_describe(const stoa_sorted_store *store, uint64_t memory, stoa_error *err);
/* Give them names in SEARCH_INDEXES: `name` and names made of it. */
stoa_status stoa_sorted_name(const stoa_sorted_store *store, hid_t indexes, const char *name,
                             stoa_error *err);

/* STOA_ETYPE if the column's values have no order. */
stoa_status stoa_sorted_accepts(const stoa_column *column, stoa_error *err);
/*
 * Open the datasets of an index that describes n_rows rows. `dataset` stays the caller's, and may
 * be closed before the store. Closed by stoa_sorted_close(), also after a failure.
 *
 * STOA_ETYPE if the column's values have no order, STOA_EDATA if the permutation is not as §10.5
 * says. Datasets that cover it and are not as they should be are left out, and `flaw` (256 bytes,
 * may be NULL) says why; "" if nothing is wrong.
 */
stoa_status stoa_sorted_open(stoa_sorted_store *store, stoa_column *column, hid_t dataset,
                             uint64_t n_rows, char *flaw, stoa_error *err);
stoa_status stoa_sorted_close(stoa_sorted_store *store, stoa_status status, stoa_error *err);

/* Change how many rows it describes: extents and tail lengths. */
stoa_status stoa_sorted_resize(stoa_sorted_store *store, uint64_t n_rows, uint64_t n_missing,
                               uint64_t n_nan, stoa_error *err);

/* What reading and writing take, kept from one call to the next; the store's own business. */
stoa_status stoa_sorted_remember(stoa_sorted_store *store, stoa_error *err);
void stoa_sorted_forget(stoa_sorted_store *store);

/* Rows at ranks [first, first + count); STOA_EDATA if one is not below n_rows. */
stoa_status stoa_sorted_read_rows(const stoa_sorted_store *store, uint64_t first, uint64_t count,
                                  uint64_t *rows, stoa_error *err);
/* What is written is in the file after stoa_sorted_flush(); see hdf/chunk_writer.h for what may be
 * read before. */
stoa_status stoa_sorted_write_rows(const stoa_sorted_store *store, uint64_t first, uint64_t count,
                                   const uint64_t *rows, stoa_error *err);
/* Values of one of the other datasets, as elements in memory form; `values` is zeroed before. What
 * variable ones hold is given back by stoa_element_reclaim(). */
stoa_status stoa_sorted_read_values(const stoa_sorted_store *store, hid_t dataset, uint64_t first,
                                    uint64_t count, void *values, stoa_error *err);
stoa_status stoa_sorted_write_values(const stoa_sorted_store *store, hid_t dataset, uint64_t first,
                                     uint64_t count, const void *values, stoa_error *err);
stoa_status stoa_sorted_flush(const stoa_sorted_store *store, stoa_error *err);

/* How one of the datasets is written chunk by chunk; the store's. Rows go into it in the form that
 * stoa_sorted_pack_rows() gives them, in their place. */
stoa_status stoa_sorted_writer(const stoa_sorted_store *store, hid_t dataset,
                               stoa_chunk_writer **writer, stoa_error *err);
const void *stoa_sorted_pack_rows(const stoa_sorted_store *store, uint64_t *rows, uint64_t n);

#endif
