/*
 * Updating a SORTED_ROWS index when its table changes (HEP001 §11.2 step 4, §11.4).
 *
 * New rows are sorted separately and merged in place from the back. Writes thus stay behind
 * everything still to be read. Once the last new row has its rank, all lower ranks are unchanged.
 *
 * If most ranks of a long index would change, a new index is written instead and replaces the old
 * one when it is complete. That is cheaper because a transaction writes in-place changes twice
 * (docs/crash-safety.md).
 *
 * A truncation removes rows from the front to the back, in place.
 */
#include <stdlib.h>

#include "hdf/metadata/references.h"
#include "index/common/auxiliary.h"
#include "index/sorted/sorted.h"
#include "index/sorted/sorted_merge.h"
#include "index/sorted/sorted_write.h"

/* An index is rewritten if at least ANEW_RANKS ranks, and at least one in ANEW_SHARE, would move.
 * It also needs at least one new row per NEW_SHARE old ones, since the old index leaves unused
 * space. */
enum { ANEW_RANKS = 1 << 16, ANEW_SHARE = 8, NEW_SHARE = 32 };

/* A block of ranks of the old index. */
typedef struct old_ranks {
    const stoa_sorted_store *store;
    uint64_t n_old; /* rows of the old index */
    uint64_t capacity;
    uint64_t first;
    uint64_t count;
    uint64_t *rows;
    uint8_t *values; /* NULL if the index is bare */
    uint64_t n_values;
} old_ranks;

static stoa_status begin_old(old_ranks *old, const stoa_sorted_store *store, uint64_t n_old,
                             stoa_error *err)
{
    *old =
        (old_ranks){.store = store, .n_old = n_old, .capacity = stoa_sorted_block(store->column)};
    old->rows = stoa_alloc_zero((size_t)old->capacity, sizeof *old->rows);
    STOA_RETURN_NO_MEMORY(err, old->rows);
    if (stoa_sorted_is_covered(store)) {
        old->values = stoa_alloc_zero((size_t)old->capacity, store->column->element.size);
        STOA_RETURN_NO_MEMORY(err, old->values);
    }
    return STOA_OK;
}

static void forget_old(old_ranks *old)
{
    if (old->n_values > 0) {
        stoa_element_reclaim(&old->store->column->element, old->values, (size_t)old->n_values);
    }
    old->n_values = 0;
    old->count = 0;
}

static void end_old(old_ranks *old)
{
    forget_old(old);
    free(old->rows);
    free(old->values);
}

/* Read rows of old ranks and check that the old index can contain them. */
static stoa_status read_old_rows(const stoa_sorted_store *store, uint64_t n_old, uint64_t first,
                                 uint64_t count, uint64_t *rows, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_sorted_read_rows(store, first, count, rows, err));
    for (uint64_t i = 0; i < count; i++) {
        if (rows[i] >= n_old) {
            return stoa_fail(err, STOA_EDATA, "rank %llu is row %llu of %llu (HEP001 §10.5)",
                             (unsigned long long)(first + i), (unsigned long long)rows[i],
                             (unsigned long long)n_old);
        }
    }
    return STOA_OK;
}

static stoa_status old_record(const old_ranks *old, uint64_t slot, stoa_sort_record *record,
                              stoa_error *err)
{
    const stoa_column *column = old->store->column;

    *record = (stoa_sort_record){.row = old->rows[slot]};
    return old->values == NULL ||
                   stoa_record_of(column, old->values + slot * column->element.size, record)
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "a NaN lies among the sorted values (HEP001 §10.5)");
}

/* Read ranks [first, first + count) and check that they are in order, which merging requires. */
static stoa_status load_old(old_ranks *old, uint64_t first, uint64_t count, stoa_error *err)
{
    stoa_sort_record before = {0};
    stoa_sort_record record;

    forget_old(old);
    STOA_RETURN_NOT_OK(read_old_rows(old->store, old->n_old, first, count, old->rows, err));
    if (old->values != NULL) {
        STOA_RETURN_NOT_OK(stoa_sorted_read_values(old->store, old->store->values, first, count,
                                                   old->values, err));
        old->n_values = count;
    }
    for (uint64_t i = 0; i < count; i++) {
        STOA_RETURN_NOT_OK(old_record(old, i, &record, err));
        if (i > 0 && old->values != NULL && stoa_record_compare(&before, &record) > 0) {
            return stoa_fail(err, STOA_EDATA,
                             "the sorted values are out of order at rank %llu (HEP001 "
                             "§10.5)",
                             (unsigned long long)(first + i));
        }
        before = record;
    }
    old->first = first;
    old->count = count;
    return STOA_OK;
}

/* Get the record at a rank. Ranks are visited backwards, so a block ends with the requested
 * rank. */
static stoa_status get_old(old_ranks *old, uint64_t rank, stoa_sort_record *record, stoa_error *err)
{
    if (rank < old->first || rank - old->first >= old->count) {
        const uint64_t first = rank / old->capacity * old->capacity;
        STOA_RETURN_NOT_OK(load_old(old, first, rank - first + 1, err));
    }
    return old_record(old, rank - old->first, record, err);
}

/* --- More rows ------------------------------------------------------------------------------- */

/* Move `count` ranks of a tail from `from` up to `to`, the last ones first. */
static stoa_status move_up(const stoa_sorted_store *store, uint64_t n_old, uint64_t from,
                           uint64_t to, uint64_t count, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t block = stoa_sorted_block(store->column);
    uint64_t *rows = NULL;

    if (from == to || count == 0) {
        return STOA_OK;
    }
    rows = stoa_alloc((size_t)block, sizeof *rows);
    STOA_TRY(rows != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t left = count; left > 0;) {
        const uint64_t n = left < block ? left : block;
        left -= n;
        STOA_TRY(read_old_rows(store, n_old, from + left, n, rows, err));
        STOA_TRY(stoa_sorted_write_rows(store, to + left, n, rows, err));
    }

done:
    free(rows);
    return status;
}

/* Merge n_old ordered ranks with the sorted batch. Of equal values, new rows come last. */
static stoa_status merge_ordered(const stoa_sorted_store *store, old_ranks *old, uint64_t n_old,
                                 const stoa_sort_batch *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_rank_block block = {.capacity = 0};
    uint64_t i = n_old;
    size_t j = batch->count;
    uint64_t high = i + j;

    STOA_TRY(stoa_rank_block_make(&block, store, err));
    for (uint64_t rank = high; j > 0;) {
        stoa_sort_record before = {0};
        stoa_sort_record record = stoa_sort_batch_get(batch, j - 1);
        if (rank == high) {
            stoa_rank_block_begin(&block, rank - 1);
        }
        if (i > 0) {
            STOA_TRY(get_old(old, i - 1, &before, err));
        }
        if (i > 0 && stoa_record_compare(&record, &before) < 0) {
            record = before;
            i--;
        } else {
            j--;
        }
        STOA_TRY(stoa_rank_block_set(&block, --rank, &record, err));
        if (rank == block.first || j == 0) {
            STOA_TRY(stoa_rank_block_write(&block, rank, high, err));
            high = rank;
        }
    }

done:
    stoa_rank_block_clear(&block);
    return status;
}

/* Merge sorted new rows. First the tails are moved up, the last one first. */
static stoa_status merge_rows(stoa_sorted_store *store, uint64_t n_rows,
                              const stoa_row_sorter *added, stoa_error *err)
{
    stoa_status status = STOA_OK;
    old_ranks old = {.rows = NULL};
    const uint64_t n_old = store->n_rows;
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);
    const uint64_t n_missing = store->n_missing;
    const uint64_t n_nan = store->n_nan;
    const uint64_t more = added->n_ordered;

    STOA_TRY(stoa_sorted_resize(store, n_rows, n_missing + added->missing.count,
                                n_nan + added->nan.count, err));
    STOA_TRY(begin_old(&old, store, n_old, err));
    STOA_TRY(stoa_sorted_write_list(store, &added->nan, n_rows - added->nan.count, err));
    STOA_TRY(move_up(store, n_old, n_ordered + n_missing,
                     n_ordered + more + n_missing + added->missing.count, n_nan, err));
    STOA_TRY(stoa_sorted_write_list(store, &added->missing, n_ordered + more + n_missing, err));
    STOA_TRY(move_up(store, n_old, n_ordered, n_ordered + more, n_missing, err));
    STOA_TRY(merge_ordered(store, &old, n_ordered, &added->batch, err));

done:
    end_old(&old);
    return status;
}

static stoa_status sort_again(stoa_sorted_store *store, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_row_sorter sorter = {.column = NULL};

    STOA_TRY(stoa_row_sorter_run(&sorter, store->column, 0, n_rows, 0, NULL, err));
    STOA_TRY(stoa_sorted_fill(store, n_rows, &sorter, err));

done:
    stoa_row_sorter_clear(&sorter);
    return status;
}

/* Find a lower bound for the rank of a value, from the fences. */
static stoa_status guess_rank(const stoa_sorted_store *store, const stoa_sort_record *record,
                              uint64_t *rank, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &store->column->element;
    uint64_t low = 0;
    uint64_t high = stoa_sorted_n_fences(stoa_sorted_n_ordered(store));
    void *fence = stoa_alloc_zero(1, element->size);

    STOA_TRY(fence != NULL ? STOA_OK : stoa_fail_memory(err));
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        stoa_sort_record found = {0};
        STOA_TRY(stoa_sorted_read_values(store, store->fences, middle, 1, fence, err));
        if (stoa_record_of(store->column, fence, &found) &&
            stoa_record_compare(&found, record) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *rank = low > 0 ? (low - 1) * STOA_FENCE_RANKS : 0;

done:
    free(fence);
    return status;
}

/* Whether so many ranks would move that the index should be rewritten. */
static stoa_status moves_most(const stoa_sorted_store *store, const stoa_row_sorter *added,
                              bool *moves, stoa_error *err)
{
    uint64_t rank = stoa_sorted_n_ordered(store);

    *moves = false;
    const uint64_t n_new = added->batch.count + added->missing.count + added->nan.count;
    if (store->n_rows < ANEW_RANKS || n_new < store->n_rows / NEW_SHARE ||
        stoa_key_is_bytes(&store->column->element)) {
        return STOA_OK;
    }
    if (added->batch.count > 0) {
        const stoa_sort_record lowest = stoa_sort_batch_get(&added->batch, 0);
        STOA_RETURN_NOT_OK(guess_rank(store, &lowest, &rank, err));
    }
    const uint64_t n_moved = store->n_rows - rank;
    *moves = n_moved >= ANEW_RANKS && n_moved >= store->n_rows / ANEW_SHARE;
    return STOA_OK;
}

/* Replace the old index by the new one under its name. Until then, the new datasets exist only
 * because they are open. */
static stoa_status replace_index(const stoa_sorted_store *made, const stoa_sorted_store *old,
                                 hid_t indexes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const column = old->column;
    char *name = NULL;

    STOA_TRY(stoa_link_name(indexes, old->rows, &name, err));
    if (name == NULL) {
        STOA_FAIL(err, STOA_EDATA, "a sorted index is not in the group SEARCH_INDEXES");
    }
    STOA_TRY(stoa_tokens_copy(old->rows, made->rows, err));
    STOA_TRY(stoa_index_delete(indexes, column, old->rows, err));
    STOA_TRY(stoa_sorted_name(made, indexes, name, err));
    status = stoa_index_link_add(column, made->rows, err);
    if (status != STOA_OK) {
        (void)stoa_index_delete(indexes, NULL, made->rows, NULL);
    }

done:
    free(name);
    return status;
}

static stoa_status write_anew(const stoa_sorted_store *store, uint64_t n_rows,
                              const stoa_row_sorter *added, hid_t indexes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sorted_store made;

    STOA_TRY(stoa_sorted_create(&made, store->column, indexes, n_rows, false, err));
    STOA_TRY(stoa_sorted_merge(store, added, &made, n_rows, err));
    STOA_TRY(stoa_sorted_describe(&made, added->memory, err));
    STOA_TRY(replace_index(&made, store, indexes, err));

done:
    return stoa_sorted_close(&made, status, err);
}

/* Add rows. Without sorted values, or with more new rows than fit into memory, all rows are sorted
 * again. */
static stoa_status add_rows(stoa_sorted_store *store, uint64_t n_rows, hid_t indexes,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_row_sorter added = {.column = NULL};
    bool is_merged = false;
    bool is_anew = false;

    if (stoa_sorted_is_covered(store)) {
        STOA_TRY(stoa_row_sorter_run(&added, store->column, store->n_rows, n_rows, 0, NULL, err));
        is_merged = stoa_row_sorter_is_in_memory(&added);
    }
    if (is_merged && indexes >= 0) {
        STOA_TRY(moves_most(store, &added, &is_anew, err));
    }
    if (is_anew) {
        STOA_TRY(write_anew(store, n_rows, &added, indexes, err));
    } else {
        STOA_TRY(is_merged ? merge_rows(store, n_rows, &added, err)
                           : sort_again(store, n_rows, err));
    }

done:
    stoa_row_sorter_clear(&added);
    return status;
}

/* --- Fewer rows ------------------------------------------------------------------------------ */

/* Remove rows from n_rows on from ranks [0, n_ordered). *kept ranks remain. */
static stoa_status keep_ordered(const stoa_sorted_store *store, uint64_t n_rows, uint64_t *kept,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);
    old_ranks old = {.rows = NULL};
    stoa_rank_block block = {.capacity = 0};
    uint64_t rank = 0;

    STOA_TRY(begin_old(&old, store, store->n_rows, err));
    STOA_TRY(stoa_rank_block_make(&block, store, err));
    for (uint64_t at = 0; at < n_ordered; at += old.count) {
        const uint64_t left = n_ordered - at;
        STOA_TRY(load_old(&old, at, left < old.capacity ? left : old.capacity, err));
        for (uint64_t i = 0; i < old.count; i++) {
            stoa_sort_record record;
            if (old.rows[i] >= n_rows) {
                continue;
            }
            STOA_TRY(old_record(&old, i, &record, err));
            STOA_TRY(stoa_rank_block_set(&block, rank++, &record, err));
            if (rank - block.first == block.capacity) {
                STOA_TRY(stoa_rank_block_write(&block, block.first, rank, err));
                stoa_rank_block_begin(&block, rank);
            }
        }
    }
    STOA_TRY(stoa_rank_block_write(&block, block.first, rank, err));
    *kept = rank;

done:
    stoa_rank_block_clear(&block);
    end_old(&old);
    return status;
}

/* The same for `count` ranks of a tail, which move from `from` down to `to`. */
static stoa_status keep_tail(const stoa_sorted_store *store, uint64_t n_rows, uint64_t from,
                             uint64_t count, uint64_t to, uint64_t *kept, stoa_error *err)
{
    uint64_t rows[512];

    *kept = 0;
    for (uint64_t at = 0; at < count; at += 512) {
        const uint64_t n = count - at < 512 ? count - at : 512;
        uint64_t n_kept = 0;
        STOA_RETURN_NOT_OK(read_old_rows(store, store->n_rows, from + at, n, rows, err));
        for (uint64_t i = 0; i < n; i++) {
            if (rows[i] < n_rows) {
                rows[n_kept++] = rows[i];
            }
        }
        STOA_RETURN_NOT_OK(stoa_sorted_write_rows(store, to + *kept, n_kept, rows, err));
        *kept += n_kept;
    }
    return STOA_OK;
}

static stoa_status cut_rows(stoa_sorted_store *store, uint64_t n_rows, stoa_error *err)
{
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);
    uint64_t ordered = 0;
    uint64_t missing = 0;
    uint64_t nan = 0;

    STOA_RETURN_NOT_OK(keep_ordered(store, n_rows, &ordered, err));
    STOA_RETURN_NOT_OK(
        keep_tail(store, n_rows, n_ordered, store->n_missing, ordered, &missing, err));
    STOA_RETURN_NOT_OK(keep_tail(store, n_rows, n_ordered + store->n_missing, store->n_nan,
                                 ordered + missing, &nan, err));
    if (ordered + missing + nan != n_rows) {
        return stoa_fail(err, STOA_EDATA,
                         "a sorted index names %llu of the first %llu rows (HEP001 §10.5)",
                         (unsigned long long)(ordered + missing + nan), (unsigned long long)n_rows);
    }
    return stoa_sorted_resize(store, n_rows, missing, nan, err);
}

stoa_status stoa_sorted_extend(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                               hid_t indexes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sorted_store store;
    char flaw[256];

    STOA_TRY(stoa_sorted_open(&store, column, dataset, n_old, flaw, err));
    if (flaw[0] != '\0') {
        STOA_FAIL(err, STOA_EDATA, "%s", flaw);
    }
    if (store.has_residue) {
        /* Left by an uncommitted append, or the dataset is shared with another index. */
        STOA_FAIL(err, STOA_EDATA, "a sorted index has more ranks than its table had rows");
    }
    STOA_TRY(n_rows < n_old ? cut_rows(&store, n_rows, err)
                            : add_rows(&store, n_rows, indexes, err));
    STOA_TRY(stoa_sorted_flush(&store, err));

done:
    return stoa_sorted_close(&store, status, err);
}

stoa_status stoa_sorted_append(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                               stoa_error *err)
{
    return stoa_sorted_extend(column, dataset, n_old, n_rows, H5I_INVALID_HID, err);
}
