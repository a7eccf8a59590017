/*
 * Updating a SORTED_ROWS index when its table changes (HEP001 §11.2 step 4, §11.4).
 *
 * New rows are sorted separately and merged in place from the back. Writes thus stay behind
 * everything still to be read. Once the last new row has its rank, all lower ranks are unchanged.
 * The values of old rows come from the column, of which only the parts that are needed are read.
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

/* With at least one new row per LOAD_SHARE old ones, most of the column is needed. */
enum { LOAD_SHARE = 1 << 20 };

/* A block of ranks of the old index. */
typedef struct old_ranks {
    const stoa_sorted_store *store;
    stoa_row_values values; /* of the old rows */
    uint64_t n_old;         /* rows of the old index */
    uint64_t capacity;
    uint64_t first;
    uint64_t count;
    uint64_t *rows;
} old_ranks;

static stoa_status begin_old(old_ranks *old, const stoa_sorted_store *store, stoa_error *err)
{
    *old = (old_ranks){
        .store = store, .n_old = store->n_rows, .capacity = stoa_sorted_block(store->column)};
    old->rows = stoa_alloc_zero((size_t)old->capacity, sizeof *old->rows);
    STOA_RETURN_NO_MEMORY(err, old->rows);
    return stoa_row_values_make(&old->values, store->column, store->n_rows, err);
}

static void end_old(old_ranks *old)
{
    stoa_row_values_clear(&old->values);
    free(old->rows);
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

/* Read the block that ends with a rank. */
static stoa_status load_old(old_ranks *old, uint64_t rank, stoa_error *err)
{
    const uint64_t first = rank / old->capacity * old->capacity;

    old->count = 0;
    STOA_RETURN_NOT_OK(
        read_old_rows(old->store, old->n_old, first, rank - first + 1, old->rows, err));
    old->first = first;
    old->count = rank - first + 1;
    return STOA_OK;
}

/* Whether the value at a rank of the block is above that of a record. */
static stoa_status is_above(old_ranks *old, uint64_t rank, const stoa_sort_record *record,
                            bool *above, stoa_error *err)
{
    stoa_sort_record found;

    STOA_RETURN_NOT_OK(
        stoa_row_values_get(&old->values, old->rows[rank - old->first], &found, err));
    *above = stoa_record_compare(&found, record) > 0;
    return STOA_OK;
}

/* Find the lowest rank of the block, or `end`, from which on up to `end` values are above that of a
 * record: back from `end` in ever longer steps. */
static stoa_status find_above(old_ranks *old, uint64_t end, const stoa_sort_record *record,
                              uint64_t *rank, stoa_error *err)
{
    uint64_t low = old->first; /* the result is in [low, high] */
    uint64_t high = end;
    bool above = true;

    for (uint64_t step = 1; above && low < high; step *= 2) {
        const uint64_t at = high - low > step ? high - step : low;
        STOA_RETURN_NOT_OK(is_above(old, at, record, &above, err));
        if (above) {
            high = at;
        } else {
            low = at + 1;
        }
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        STOA_RETURN_NOT_OK(is_above(old, middle, record, &above, err));
        if (above) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *rank = high;
    return STOA_OK;
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

/* Reverse the order of fences. */
static void reverse(stoa_fences *fences)
{
    for (size_t i = 0, j = fences->n; i + 1 < j; i++) {
        const stoa_fence fence = fences->items[i];
        fences->items[i] = fences->items[--j];
        fences->items[j] = fence;
    }
}

/* Rows that are written backwards. */
typedef struct back_writer {
    stoa_rank_block block;
    uint64_t rank; /* of the row that was put last */
    uint64_t high; /* ranks from here on are written */
} back_writer;

static stoa_status put_before(back_writer *writer, uint64_t row, stoa_error *err)
{
    if (writer->rank == writer->high) {
        stoa_rank_block_begin(&writer->block, writer->rank - 1);
    }
    stoa_rank_block_set(&writer->block, --writer->rank, row);
    if (writer->rank == writer->block.first) {
        STOA_RETURN_NOT_OK(stoa_rank_block_write(&writer->block, writer->rank, writer->high, err));
        writer->high = writer->rank;
    }
    return STOA_OK;
}

/* Merge n_old ordered ranks with the sorted batch. Of equal values, new rows come last. `fresh`
 * gets fences of new rows. */
static stoa_status merge_ordered(const stoa_sorted_store *store, old_ranks *old, uint64_t n_old,
                                 const stoa_sort_batch *batch, stoa_fences *fresh, stoa_error *err)
{
    stoa_status status = STOA_OK;
    back_writer writer = {.rank = n_old + batch->count, .high = n_old + batch->count};
    uint64_t i = n_old; /* old ranks from here on have moved */
    size_t j = batch->count;

    STOA_TRY(stoa_rank_block_make(&writer.block, store, err));
    while (j > 0) {
        const stoa_sort_record record = stoa_sort_batch_get(batch, j - 1);
        if (i > 0 && (i <= old->first || i - old->first > old->count)) {
            STOA_TRY(load_old(old, i - 1, err));
        }
        uint64_t end = i;
        if (i > 0) {
            STOA_TRY(find_above(old, i, &record, &i, err));
        }
        while (end > i) {
            STOA_TRY(put_before(&writer, old->rows[--end - old->first], err));
        }
        if (i > 0 && i == old->first) {
            continue; /* lower ranks may be above the record, too */
        }
        STOA_TRY(put_before(&writer, record.row, err));
        if (fresh->n == 0 || fresh->items[fresh->n - 1].rank - writer.rank >= fresh->spacing) {
            stoa_fences_put(fresh, record.key, writer.rank);
        }
        j--;
    }
    STOA_TRY(stoa_rank_block_write(&writer.block, writer.rank, writer.high, err));
    reverse(fresh);

done:
    stoa_rank_block_clear(&writer.block);
    return status;
}

/* Write fences for the merged ranks. */
static stoa_status merge_fences(const stoa_sorted_store *store, const stoa_fences *before,
                                const stoa_sort_batch *batch, const stoa_fences *fresh,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_fences fences = {.n = 0};

    STOA_TRY(stoa_fences_make(&fences, stoa_sorted_n_ordered(store), err));
    stoa_fences_merge(&fences, before, batch, fresh);
    STOA_TRY(stoa_sorted_fence(store, &fences, err));

done:
    stoa_fences_clear(&fences);
    return status;
}

/* Merge sorted new rows. First the tails are moved up, the last one first. */
static stoa_status merge_rows(stoa_sorted_store *store, uint64_t n_rows,
                              const stoa_row_sorter *added, old_ranks *old, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_fences before = {.n = 0};
    stoa_fences fresh = {.n = 0};
    const uint64_t n_old = store->n_rows;
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);
    const uint64_t n_missing = store->n_missing;
    const uint64_t n_nan = store->n_nan;
    const uint64_t more = added->n_ordered;

    STOA_TRY(stoa_fences_read(&before, store->rows, n_ordered, NULL, err));
    STOA_TRY(stoa_fences_make(&fresh, n_ordered + more, err));
    STOA_TRY(stoa_sorted_resize(store, n_rows, n_missing + added->missing.count,
                                n_nan + added->nan.count, err));
    STOA_TRY(stoa_sorted_write_list(store, &added->nan, n_rows - added->nan.count, err));
    STOA_TRY(move_up(store, n_old, n_ordered + n_missing,
                     n_ordered + more + n_missing + added->missing.count, n_nan, err));
    STOA_TRY(stoa_sorted_write_list(store, &added->missing, n_ordered + more + n_missing, err));
    STOA_TRY(move_up(store, n_old, n_ordered, n_ordered + more, n_missing, err));
    STOA_TRY(merge_ordered(store, old, n_ordered, &added->batch, &fresh, err));
    STOA_TRY(stoa_sorted_flush(store, err));
    STOA_TRY(merge_fences(store, &before, &added->batch, &fresh, err));

done:
    stoa_fences_clear(&fresh);
    stoa_fences_clear(&before);
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

/* Find a rank that is not above that of a new record, going back from the last one in ever longer
 * steps. Records that belong at the end are thus found by a few looks at the end. */
static stoa_status guess_rank(old_ranks *old, const stoa_sort_record *record, uint64_t *rank,
                              stoa_error *err)
{
    uint64_t step = 1;

    for (*rank = stoa_sorted_n_ordered(old->store); *rank > 0; step *= 2) {
        stoa_sort_record found;
        uint64_t row = 0;
        STOA_RETURN_NOT_OK(read_old_rows(old->store, old->n_old, *rank - 1, 1, &row, err));
        STOA_RETURN_NOT_OK(stoa_row_values_get(&old->values, row, &found, err));
        if (stoa_record_compare(&found, record) <= 0) {
            break;
        }
        *rank = *rank > step ? *rank - step : 0;
    }
    return STOA_OK;
}

/* How many ranks would move, and whether so many that the index should be written anew. */
static stoa_status count_moved(old_ranks *old, const stoa_row_sorter *added, uint64_t *n_moved,
                               bool *is_anew, stoa_error *err)
{
    const stoa_sorted_store *store = old->store;
    const uint64_t n_new = added->batch.count + added->missing.count + added->nan.count;
    uint64_t rank = stoa_sorted_n_ordered(store);

    if (added->batch.count > 0) {
        const stoa_sort_record lowest = stoa_sort_batch_get(&added->batch, 0);
        STOA_RETURN_NOT_OK(guess_rank(old, &lowest, &rank, err));
    }
    *n_moved = store->n_rows - rank;
    *is_anew = n_new >= store->n_rows / NEW_SHARE && *n_moved >= ANEW_RANKS &&
               *n_moved >= store->n_rows / ANEW_SHARE &&
               !stoa_key_is_bytes(&store->column->element);
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
                              const stoa_row_sorter *added, const stoa_row_values *values,
                              hid_t indexes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sorted_store made;

    STOA_TRY(stoa_sorted_create(&made, store->column, indexes, n_rows, store->is_bare, err));
    STOA_TRY(stoa_sorted_merge(store, values, added, &made, n_rows, err));
    STOA_TRY(stoa_sorted_describe(&made, added->memory, err));
    STOA_TRY(replace_index(&made, store, indexes, err));

done:
    return stoa_sorted_close(&made, status, err);
}

/* Merge new rows into the old ranks, or into a new index that replaces the old one. */
static stoa_status merge_added(stoa_sorted_store *store, uint64_t n_rows,
                               const stoa_row_sorter *added, old_ranks *old, hid_t indexes,
                               stoa_error *err)
{
    uint64_t n_moved = 0;
    bool is_anew = false;

    STOA_RETURN_NOT_OK(count_moved(old, added, &n_moved, &is_anew, err));
    is_anew = is_anew && indexes >= 0;
    if (is_anew || (n_moved >= ANEW_RANKS && n_moved >= store->n_rows / ANEW_SHARE &&
                    added->batch.count >= store->n_rows / LOAD_SHARE &&
                    !stoa_key_is_bytes(&store->column->element))) {
        STOA_RETURN_NOT_OK(stoa_row_values_load(&old->values, err));
    }
    return is_anew ? write_anew(store, n_rows, added, &old->values, indexes, err)
                   : merge_rows(store, n_rows, added, old, err);
}

/* Add rows. If the old values or the new rows do not fit into memory, all rows are sorted again. */
static stoa_status add_rows(stoa_sorted_store *store, uint64_t n_rows, hid_t indexes,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_row_sorter added = {.column = NULL};
    old_ranks old = {.rows = NULL};

    STOA_TRY(begin_old(&old, store, err));
    STOA_TRY(stoa_row_sorter_run(&added, store->column, store->n_rows, n_rows, 0, NULL, err));
    STOA_TRY(stoa_row_sorter_is_in_memory(&added) &&
                     stoa_row_values_fit(&old.values, stoa_machine_memory() / 4)
                 ? merge_added(store, n_rows, &added, &old, indexes, err)
                 : sort_again(store, n_rows, err));

done:
    stoa_row_sorter_clear(&added);
    end_old(&old);
    return status;
}

/* --- Fewer rows ------------------------------------------------------------------------------ */

/* Remove rows from n_rows on from `count` ranks, from `from` on, and move those that are kept down
 * to `to`. Fences of these ranks move along. */
static stoa_status keep_ranks(const stoa_sorted_store *store, uint64_t n_rows, uint64_t from,
                              uint64_t count, uint64_t to, stoa_fences *fences, uint64_t *kept,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_rank_block block = {.capacity = 0};
    size_t next = 0; /* fence */

    *kept = 0;
    STOA_TRY(stoa_rank_block_make(&block, store, err));
    for (uint64_t at = 0; at < count; at += block.capacity) {
        const uint64_t n = count - at < block.capacity ? count - at : block.capacity;
        uint64_t n_kept = 0;
        STOA_TRY(read_old_rows(store, store->n_rows, from + at, n, block.rows, err));
        for (uint64_t i = 0; i < n; i++) {
            if (fences != NULL && next < fences->n && fences->items[next].rank == at + i) {
                fences->items[next++].rank = *kept + n_kept;
            }
            if (block.rows[i] < n_rows) {
                block.rows[n_kept++] = block.rows[i];
            }
        }
        STOA_TRY(stoa_sorted_write_rows(store, to + *kept, n_kept, block.rows, err));
        *kept += n_kept;
    }

done:
    stoa_rank_block_clear(&block);
    return status;
}

static stoa_status cut_rows(stoa_sorted_store *store, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);
    stoa_fences before = {.n = 0};
    stoa_fences after = {.n = 0};
    uint64_t ordered = 0;
    uint64_t missing = 0;
    uint64_t nan = 0;

    STOA_TRY(stoa_fences_read(&before, store->rows, n_ordered, NULL, err));
    STOA_TRY(keep_ranks(store, n_rows, 0, n_ordered, 0, &before, &ordered, err));
    STOA_TRY(keep_ranks(store, n_rows, n_ordered, store->n_missing, ordered, NULL, &missing, err));
    STOA_TRY(keep_ranks(store, n_rows, n_ordered + store->n_missing, store->n_nan,
                        ordered + missing, NULL, &nan, err));
    if (ordered + missing + nan != n_rows) {
        STOA_FAIL(err, STOA_EDATA,
                  "a sorted index names %llu of the first %llu rows (HEP001 §10.5)",
                  (unsigned long long)(ordered + missing + nan), (unsigned long long)n_rows);
    }
    STOA_TRY(stoa_sorted_resize(store, n_rows, missing, nan, err));
    STOA_TRY(stoa_fences_make(&after, ordered, err));
    for (size_t i = 0; i < before.n && before.items[i].rank < ordered; i++) {
        stoa_fences_add(&after, before.items[i].key, before.items[i].rank);
    }
    STOA_TRY(stoa_sorted_fence(store, &after, err));

done:
    stoa_fences_clear(&after);
    stoa_fences_clear(&before);
    return status;
}

stoa_status stoa_sorted_extend(stoa_column *column, hid_t dataset, uint64_t n_old, uint64_t n_rows,
                               hid_t indexes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sorted_store store;

    STOA_TRY(stoa_sorted_open(&store, column, dataset, n_old, NULL, err));
    if (store.has_residue) {
        /* Left by an uncommitted append, or the dataset is shared with another index. */
        STOA_FAIL(err, STOA_EDATA, "a sorted index has more ranks than its table had rows");
    }
    if (stoa_sorted_is_old(dataset)) {
        STOA_FAIL(err, STOA_EDATA, "a sorted index of older Stoa is not brought along");
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
