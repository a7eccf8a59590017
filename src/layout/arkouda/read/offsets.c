/* Offsets of strings and lists, which start at 0 in each file (node.h). */
#include "layout/arkouda/read/node.h"

/* Report what is wrong with offsets into `n_items` items. */
static stoa_status blame(const int64_t *offsets, uint64_t n, uint64_t n_items, uint64_t from,
                         stoa_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        if (offsets[i] < 0 || (uint64_t)offsets[i] > n_items) {
            return stoa_fail(err, STOA_EDATA, "offset %llu is %lld, but there are %llu values",
                             (unsigned long long)(from + i), (long long)offsets[i],
                             (unsigned long long)n_items);
        }
        if (i > 0 && offsets[i] < offsets[i - 1]) {
            return stoa_fail(err, STOA_EDATA, "offset %llu is less than the one before it",
                             (unsigned long long)(from + i));
        }
    }
    return STOA_OK;
}

/* Make offsets of one file count in the whole, where its items are [base, high). */
static stoa_status rebase(const stoa_arkouda_array *segments, int64_t *offsets, uint64_t n,
                          uint64_t base, uint64_t high, uint64_t from, stoa_error *err)
{
    if (segments->turn->rebase(offsets, n, base) && (uint64_t)offsets[n - 1] <= high) {
        return STOA_OK;
    }
    for (uint64_t i = 0; i < n; i++) {
        offsets[i] = (int64_t)((uint64_t)offsets[i] - base);
    }
    return blame(offsets, n, high - base, from, err);
}

/* The offsets of `n` rows of one file, and the end of the last of them. */
static stoa_status read_file(const stoa_arkouda_array *segments, const uint64_t *items, size_t k,
                             uint64_t from, uint64_t n, int64_t *offsets, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_read = n + (from + n < segments->pieces[k].n);

    STOA_TRY(stoa_arkouda_array_read(segments, segments->starts[k] + from, n_read, offsets, err));
    STOA_TRY(rebase(segments, offsets, n_read, items[k], items[k + 1], from, err));
    if (n_read == n) {
        offsets[n] = (int64_t)items[k + 1];
    }

done:
    return stoa_arkouda_set_at(segments->set, k, segments->path, status, err);
}

/* Offsets that continue from file to file. Rows need not lie in the file of their items. */
static stoa_status read_global(const stoa_arkouda_array *segments, const uint64_t *items,
                               uint64_t first, uint64_t count, int64_t *offsets, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_items = items[segments->set->n];
    const uint64_t n_read = count + (first + count < stoa_arkouda_array_length(segments));

    STOA_TRY(stoa_arkouda_array_read(segments, first, n_read, offsets, err));
    STOA_TRY(rebase(segments, offsets, n_read, 0, n_items, first, err));
    if (n_read == count) {
        offsets[count] = (int64_t)n_items;
    }

done:
    return stoa_arkouda_set_at(segments->set, 0, segments->path, status, err);
}

stoa_status stoa_arkouda_offsets_read(const stoa_arkouda_array *segments, const uint64_t *items,
                                      bool is_global, uint64_t first, uint64_t count,
                                      int64_t *offsets, stoa_error *err)
{
    const size_t n_files = segments->set->n;
    uint64_t n_done = 0;

    offsets[0] = 0;
    if (count == 0) {
        return STOA_OK;
    }
    if (is_global) {
        return read_global(segments, items, first, count, offsets, err);
    }
    for (size_t k = stoa_arkouda_file_of(segments->starts, n_files, first); n_done < count; k++) {
        const uint64_t from = first + n_done - segments->starts[k];
        const uint64_t left = segments->pieces[k].n - from;
        const uint64_t n = left < count - n_done ? left : count - n_done;
        if (n > 0) {
            STOA_RETURN_NOT_OK(read_file(segments, items, k, from, n, offsets + n_done, err));
        }
        n_done += n;
    }
    return STOA_OK;
}

/* Check the first offset of `n_rows` rows from `first` on, which own `n_items`. */
static stoa_status check_start(const stoa_arkouda_array *segments, uint64_t first, uint64_t n_rows,
                               uint64_t n_items, stoa_error *err)
{
    int64_t start = 0;

    if (n_rows == 0 && n_items > 0) {
        return stoa_fail(err, STOA_EDATA, "has no offsets of the %llu values beside it",
                         (unsigned long long)n_items);
    }
    STOA_RETURN_NOT_OK(stoa_arkouda_array_read(segments, first, n_rows > 0, &start, err));
    if (start != 0) {
        return stoa_fail(err, STOA_EDATA, "begins with %lld and not with 0", (long long)start);
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_offsets_check(const stoa_arkouda_array *segments, const uint64_t *items,
                                       bool is_global, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = segments->set->n;

    if (is_global) {
        status = check_start(segments, 0, segments->starts[n], items[n], err);
        return stoa_arkouda_set_at(segments->set, 0, segments->path, status, err);
    }
    for (size_t k = 0; k < n && status == STOA_OK; k++) {
        status = check_start(segments, segments->starts[k], segments->pieces[k].n,
                             items[k + 1] - items[k], err);
        (void)stoa_arkouda_set_at(segments->set, k, segments->path, status, err);
    }
    return status;
}
