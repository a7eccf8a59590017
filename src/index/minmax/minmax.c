/*
 * CHUNK_MINMAX (HEP001 §10.4): the bounds of every chunk, so that a scan can skip chunks.
 *
 * Only plausible entries are used. The `n` of an entry must match the rows of its chunk, its counts
 * must not exceed them, and its bounds must be in order. A chunk with an implausible entry is
 * scanned as if there were no index (notes A1). Other chunks can still be skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/attributes.h"
#include "index/minmax/minmax_entry.h"

/* A larger index is not worth its memory. */
static const uint64_t max_open_bytes = 256u << 20;

struct stoa_index {
    stoa_minmax_format format;
    uint64_t n_rows;
    uint64_t chunk_rows;
    uint64_t n_entries;
    uint8_t *entries;
    uint8_t *flags; /* flags of each entry, independent of the query */
};

/* The entry is plausible; it has bounds; some rows are missing; some are NaN but not missing. */
enum { IS_SANE = 1, HAS_BOUNDS = 2, HAS_MISSING = 4, HAS_NAN = 8 };

static stoa_status minmax_accepts(const stoa_column *column, stoa_error *err)
{
    return stoa_column_is_ordered(column)
               ? STOA_OK
               : stoa_fail(err, STOA_ETYPE,
                           "column '%s' of %s has no order, so it cannot have a min/max index "
                           "(HEP001 §10.5)",
                           column->name, column->element.text);
}

static stoa_status minmax_build(stoa_column *column, uint64_t n_rows, hid_t indexes,
                                const char *name, const stoa_index_options *options, hid_t *dataset,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_minmax_format format;
    hid_t made = H5I_INVALID_HID;

    *dataset = H5I_INVALID_HID;
    STOA_TRY(stoa_minmax_format_make(column, &format, err));
    STOA_TRY(stoa_index_dataset(indexes, name, format.file_type, stoa_minmax_block(&format), false,
                                &made, err));
    STOA_TRY(stoa_index_describe(made, stoa_index_minmax.kind, NULL, err));
    STOA_TRY(stoa_dataset_resize(made, &(hsize_t){stoa_index_n_chunks(column, n_rows)}, err));
    STOA_TRY(stoa_minmax_fill(&format, made, 0, n_rows, &options->listener, err));
    *dataset = made;
    made = H5I_INVALID_HID;

done:
    status = stoa_hdf_close(&made, status, err);
    return stoa_minmax_format_clear(&format, status, err);
}

/* The last chunk may have been partial, so its entry is recomputed (notes A8). n_rows may be
 * smaller (§11.4); surplus entries are removed. */
static stoa_status minmax_append(stoa_column *column, hid_t dataset, uint64_t n_old,
                                 uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_minmax_format format;
    const uint64_t n_kept = n_old < n_rows ? n_old : n_rows;
    const uint64_t n_whole = column->chunk_rows != 0 ? n_kept / column->chunk_rows : 0;

    STOA_TRY(stoa_minmax_format_make(column, &format, err));
    STOA_TRY(minmax_accepts(column, err));
    STOA_TRY(stoa_minmax_check(&format, dataset, stoa_index_n_chunks(column, n_old), err));
    STOA_TRY(stoa_dataset_resize(dataset, &(hsize_t){stoa_index_n_chunks(column, n_rows)}, err));
    STOA_TRY(stoa_minmax_fill(&format, dataset, n_whole, n_rows, NULL, err));

done:
    return stoa_minmax_format_clear(&format, status, err);
}

/* Whether two bounds are equal. Zeros of either sign are equal, and so are NaNs (notes D7). */
static bool same_bound(const stoa_scalar *a, const stoa_scalar *b)
{
    int order = 1;

    if (a->kind == STOA_SCALAR_F64 && a->as.f64 != a->as.f64) {
        return b->kind == STOA_SCALAR_F64 && b->as.f64 != b->as.f64;
    }
    return stoa_scalar_compare(a, b, &order) && order == 0;
}

static bool same_count(uint64_t chunk, const char *field, uint64_t stored, uint64_t right,
                       char *problem)
{
    if (stored != right) {
        (void)snprintf(problem, 256, "chunk %llu: %s is %llu, the column says %llu (HEP001 §10.4)",
                       (unsigned long long)chunk, field, (unsigned long long)stored,
                       (unsigned long long)right);
    }
    return stored == right;
}

static bool same_bounds(const stoa_column *column, uint64_t chunk, const char *field,
                        const stoa_scalar *stored, const stoa_scalar *right, char *problem)
{
    char stored_text[64];
    char right_text[64];

    if (same_bound(stored, right)) {
        return true;
    }
    stoa_scalar_text(column, stored, stored_text, sizeof stored_text);
    stoa_scalar_text(column, right, right_text, sizeof right_text);
    (void)snprintf(problem, 256, "chunk %llu: %s is %s, the column says %s (HEP001 §10.4)",
                   (unsigned long long)chunk, field, stored_text, right_text);
    return false;
}

static bool same_entry(const stoa_minmax_format *format, uint64_t chunk, const uint8_t *stored,
                       const uint8_t *right, char *problem)
{
    const stoa_minmax_counts a = stoa_minmax_counts_of(format, stored);
    const stoa_minmax_counts b = stoa_minmax_counts_of(format, right);
    const stoa_scalar a_min = stoa_minmax_min(format, stored);
    const stoa_scalar b_min = stoa_minmax_min(format, right);
    const stoa_scalar a_max = stoa_minmax_max(format, stored);
    const stoa_scalar b_max = stoa_minmax_max(format, right);

    return same_count(chunk, "n", a.n, b.n, problem) &&
           same_count(chunk, "fill_count", a.fill_count, b.fill_count, problem) &&
           same_count(chunk, "nan_count", a.nan_count, b.nan_count, problem) &&
           same_bounds(format->column, chunk, "min", &a_min, &b_min, problem) &&
           same_bounds(format->column, chunk, "max", &a_max, &b_max, problem);
}

static stoa_status minmax_verify(stoa_column *column, hid_t dataset, uint64_t n_rows,
                                 const stoa_listener *listener, bool *same, char *problem,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_minmax_format format;
    uint8_t *stored = NULL;
    uint8_t *right = NULL;
    stoa_block_readers readers = {.n = 0};
    stoa_error damage = STOA_ERROR_INIT;
    uint64_t block = 0;

    *same = true;
    problem[0] = '\0';
    STOA_TRY(stoa_minmax_format_make(column, &format, err));
    const uint64_t n_entries = stoa_index_n_chunks(column, n_rows);
    if (minmax_accepts(column, &damage) != STOA_OK ||
        stoa_minmax_check(&format, dataset, n_entries, &damage) != STOA_OK) {
        (void)snprintf(problem, 256, "%.255s", damage.message);
        *same = false;
        goto done;
    }
    block = stoa_minmax_block(&format);
    stored = stoa_alloc_zero((size_t)block, format.size);
    right = stoa_alloc_zero((size_t)block, format.size);
    STOA_TRY(stored != NULL && right != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_block_readers_open(&readers, column, err));
    for (uint64_t at = 0; *same && at < n_entries; at += block) {
        const uint64_t count = n_entries - at < block ? n_entries - at : block;
        STOA_TRY(stoa_minmax_read(&format, dataset, at, count, stored, err));
        STOA_TRY(
            stoa_minmax_compute_all(&format, &readers, at, count, n_rows, listener, right, err));
        for (uint64_t i = 0; *same && i < count; i++) {
            *same = same_entry(&format, at + i, stored + i * format.size, right + i * format.size,
                               problem);
        }
        stoa_minmax_forget(&format, right, count);
        stoa_minmax_forget(&format, stored, count);
    }

done:
    stoa_block_readers_close(&readers);
    stoa_minmax_forget(&format, right, block);
    stoa_minmax_forget(&format, stored, block);
    free(stored);
    free(right);
    return stoa_minmax_format_clear(&format, status, err);
}

static void minmax_close(stoa_index *index)
{
    if (index != NULL) {
        stoa_minmax_forget(&index->format, index->entries, index->n_entries);
        free(index->entries);
        free(index->flags);
        (void)stoa_minmax_format_clear(&index->format, STOA_OK, NULL);
        free(index);
    }
}

static uint64_t rows_of_chunk(const stoa_index *index, uint64_t chunk)
{
    const uint64_t start = chunk * index->chunk_rows;
    const uint64_t left = index->n_rows - start;

    return left < index->chunk_rows ? left : index->chunk_rows;
}

/* Whether the entry is plausible for its chunk. */
static bool is_sane(const stoa_index *index, uint64_t chunk, const uint8_t *entry)
{
    const stoa_column *column = index->format.column;
    const stoa_minmax_counts counts = stoa_minmax_counts_of(&index->format, entry);
    const stoa_scalar low = stoa_minmax_min(&index->format, entry);
    const stoa_scalar high = stoa_minmax_max(&index->format, entry);
    int order = 0;

    if (counts.n != rows_of_chunk(index, chunk) || counts.fill_count > counts.n) {
        return false;
    }
    if (column->element.class != STOA_ELEMENT_FLOAT && counts.nan_count != 0) {
        return false;
    }
    if (column->fill_is_nan ? counts.nan_count != counts.fill_count
                            : counts.nan_count > counts.n - counts.fill_count) {
        return false;
    }
    return stoa_minmax_is_empty(&index->format, entry) ||
           (stoa_scalar_compare(&low, &high, &order) && order <= 0);
}

static uint8_t flags_of(const stoa_index *index, uint64_t chunk)
{
    const stoa_minmax_format *format = &index->format;
    const uint8_t *entry = index->entries + chunk * format->size;
    const stoa_minmax_counts counts = stoa_minmax_counts_of(format, entry);
    /* With a NaN fill, every NaN is missing (§8.5). */
    const bool has_nan = counts.nan_count > 0 && !format->column->fill_is_nan;

    return (uint8_t)((is_sane(index, chunk, entry) ? IS_SANE : 0) |
                     (stoa_minmax_is_empty(format, entry) ? 0 : HAS_BOUNDS) |
                     (counts.fill_count > 0 ? HAS_MISSING : 0) | (has_nan ? HAS_NAN : 0));
}

static stoa_status minmax_open(stoa_column *column, hid_t dataset, uint64_t n_rows,
                               stoa_index **index, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index *opened = stoa_alloc_zero(1, sizeof *opened);

    *index = NULL;
    STOA_RETURN_NO_MEMORY(err, opened);
    STOA_TRY(stoa_minmax_format_make(column, &opened->format, err));
    STOA_TRY(minmax_accepts(column, err));
    const uint64_t n_entries = stoa_index_n_chunks(column, n_rows);
    STOA_TRY(stoa_minmax_check(&opened->format, dataset, n_entries, err));
    if (n_entries > max_open_bytes / opened->format.size) {
        STOA_FAIL(err, STOA_ERANGE, "a min/max index of %llu entries is too large to help",
                  (unsigned long long)n_entries);
    }
    opened->n_rows = n_rows;
    opened->chunk_rows = stoa_index_chunk_rows(column, n_rows);
    opened->entries = stoa_alloc_zero((size_t)n_entries, opened->format.size);
    opened->flags = stoa_alloc_zero((size_t)n_entries, 1);
    STOA_TRY(opened->entries != NULL && opened->flags != NULL ? STOA_OK : stoa_fail_memory(err));
    opened->n_entries = n_entries;
    STOA_TRY(stoa_minmax_read(&opened->format, dataset, 0, n_entries, opened->entries, err));
    for (uint64_t chunk = 0; chunk < n_entries; chunk++) {
        opened->flags[chunk] = flags_of(opened, chunk);
    }
    *index = opened;
    opened = NULL;

done:
    minmax_close(opened);
    return status;
}

/* Whether values in [low, high] may be in the interval. Incomparable values may. */
static bool may_overlap(const stoa_interval *interval, const stoa_scalar *low,
                        const stoa_scalar *high)
{
    int order;

    if (interval->has_low && stoa_scalar_compare(high, &interval->low, &order) &&
        (order < 0 || (order == 0 && interval->low_open))) {
        return false;
    }
    if (interval->has_high && stoa_scalar_compare(low, &interval->high, &order) &&
        (order > 0 || (order == 0 && interval->high_open))) {
        return false;
    }
    return true;
}

/* Whether all values in [low, high] are in the interval. Incomparable values are not. */
static bool lies_within(const stoa_interval *interval, const stoa_scalar *low,
                        const stoa_scalar *high)
{
    int order;

    if (interval->has_low && (!stoa_scalar_compare(low, &interval->low, &order) || order < 0 ||
                              (order == 0 && interval->low_open))) {
        return false;
    }
    return !interval->has_high || (stoa_scalar_compare(high, &interval->high, &order) &&
                                   (order < 0 || (order == 0 && !interval->high_open)));
}

/* What an entry tells about the rows of its chunk. */
typedef struct verdict {
    bool may;  /* some may pass the test */
    bool must; /* all pass the test */
} verdict;

/* Test the bounds of a chunk that has values. */
static verdict judge_values(const stoa_minmax_format *format, const uint8_t *entry,
                            const stoa_test *test)
{
    const stoa_scalar low = stoa_minmax_min(format, entry);
    const stoa_scalar high = stoa_minmax_max(format, entry);
    verdict all = {false, false};

    for (size_t i = 0; i < test->n_intervals && !all.must; i++) {
        all.may = all.may || may_overlap(&test->intervals[i], &low, &high);
        all.must = lies_within(&test->intervals[i], &low, &high);
    }
    return all;
}

static verdict judge_chunk(const stoa_index *index, uint64_t chunk, const stoa_test *test)
{
    const stoa_minmax_format *format = &index->format;
    const uint8_t *entry = index->entries + chunk * format->size;
    const unsigned flags = index->flags[chunk];
    const bool has_nan = (flags & HAS_NAN) != 0;
    const bool has_missing = (flags & HAS_MISSING) != 0;
    verdict all;

    if ((flags & IS_SANE) == 0) {
        return (verdict){true, false};
    }
    all = (flags & HAS_BOUNDS) == 0 ? (verdict){false, true} : judge_values(format, entry, test);
    all.may = all.may || (has_missing && test->missing) || (has_nan && test->nan);
    all.must = all.must && (!has_missing || test->missing) && (!has_nan || test->nan);
    return all;
}

static stoa_status minmax_estimate(const stoa_index *index, const stoa_test *test, uint64_t *n_rows,
                                   stoa_error *err)
{
    (void)err;
    *n_rows = 0;
    for (uint64_t chunk = 0; chunk < index->n_entries; chunk++) {
        *n_rows += judge_chunk(index, chunk, test).may ? rows_of_chunk(index, chunk) : 0;
    }
    return STOA_OK;
}

static stoa_status minmax_prune(const stoa_index *index, const stoa_test *test,
                                stoa_rowset *candidates, stoa_rowset *certain, stoa_error *err)
{
    candidates->n_ranges = 0;
    certain->n_ranges = 0;
    for (uint64_t chunk = 0; chunk < index->n_entries; chunk++) {
        const uint64_t first = chunk * index->chunk_rows;
        const uint64_t count = rows_of_chunk(index, chunk);
        const verdict rows = judge_chunk(index, chunk, test);
        if (rows.may) {
            STOA_RETURN_NOT_OK(stoa_rowset_push(candidates, first, count, err));
        }
        if (rows.must) {
            STOA_RETURN_NOT_OK(stoa_rowset_push(certain, first, count, err));
        }
    }
    return STOA_OK;
}

/* Ascending. Bounds of one column that are in order have an order among each other. */
static int compare_bounds(const void *a, const void *b)
{
    int order = 0;

    (void)stoa_scalar_compare(a, b, &order);
    return order;
}

/* The chunks that reach as far as the last of the `count` best bounds: these are as many values. */
static stoa_status minmax_first(const stoa_index *index, uint64_t count, bool descending,
                                stoa_rowset *candidates, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_minmax_format *format = &index->format;
    stoa_scalar *bounds = stoa_alloc(index->n_entries, sizeof *bounds);
    stoa_interval reached = {.has_low = descending, .has_high = !descending};
    const stoa_test test = {.intervals = &reached, .n_intervals = 1};
    stoa_rowset certain = {0};
    uint64_t n = 0;

    candidates->n_ranges = 0;
    STOA_TRY(bounds != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t chunk = 0; chunk < index->n_entries; chunk++) {
        const uint8_t *entry = index->entries + chunk * format->size;
        if ((index->flags[chunk] & (IS_SANE | HAS_BOUNDS)) == (IS_SANE | HAS_BOUNDS)) {
            bounds[n++] =
                descending ? stoa_minmax_max(format, entry) : stoa_minmax_min(format, entry);
        }
    }
    if (count == 0 || n < count) {
        STOA_TRY(index->n_rows > 0 ? stoa_rowset_push(candidates, 0, index->n_rows, err) : STOA_OK);
        goto done;
    }
    qsort(bounds, (size_t)n, sizeof *bounds, compare_bounds);
    reached.low = reached.high = bounds[descending ? n - count : count - 1];
    STOA_TRY(minmax_prune(index, &test, candidates, &certain, err));

done:
    stoa_rowset_clear(&certain);
    free(bounds);
    return status;
}

/* Codes are not ordered by label, so dictionaries have no range. */
static bool minmax_summary(const stoa_index *index, uint64_t *n_missing, char *low, char *high,
                           size_t size)
{
    const stoa_column *column = index->format.column;
    stoa_scalar lowest = {0};
    stoa_scalar highest = {0};
    bool has_bounds = false;

    *n_missing = 0;
    low[0] = high[0] = '\0';
    for (uint64_t chunk = 0; chunk < index->n_entries; chunk++) {
        const uint8_t *entry = index->entries + chunk * index->format.size;
        int order;
        if ((index->flags[chunk] & IS_SANE) == 0) {
            return false;
        }
        *n_missing += stoa_minmax_counts_of(&index->format, entry).fill_count;
        if ((index->flags[chunk] & HAS_BOUNDS) == 0) {
            continue;
        }
        const stoa_scalar min = stoa_minmax_min(&index->format, entry);
        const stoa_scalar max = stoa_minmax_max(&index->format, entry);
        if (!has_bounds || (stoa_scalar_compare(&min, &lowest, &order) && order < 0)) {
            lowest = min;
        }
        if (!has_bounds || (stoa_scalar_compare(&max, &highest, &order) && order > 0)) {
            highest = max;
        }
        has_bounds = true;
    }
    if (has_bounds && column->type.kind != STOA_KIND_DICTIONARY) {
        stoa_scalar_text(column, &lowest, low, size);
        stoa_scalar_text(column, &highest, high, size);
    }
    return true;
}

const stoa_index_kind stoa_index_minmax = {
    .name = "minmax",
    .kind = "CHUNK_MINMAX",
    .section = "HEP001 §10.4",
    .is_cheap = true,
    .accepts = minmax_accepts,
    .build = minmax_build,
    .append = minmax_append,
    .verify = minmax_verify,
    .open = minmax_open,
    .estimate = minmax_estimate,
    .prune = minmax_prune,
    .first = minmax_first,
    .summary = minmax_summary,
    .close = minmax_close,
};
