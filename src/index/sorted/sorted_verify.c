/* Verifying a SORTED_ROWS index (HEP001 §12). An index of numbers is proved right without sorting.
 * Of any other, and to say what is wrong, the column is sorted again in bounded memory and compared
 * rank by rank. The order is total, so only one permutation is correct. */
#include <stdio.h>
#include <stdlib.h>

#include "index/common/order.h"
#include "index/sorted/sorted.h"
#include "index/sorted/sorted_holds.h"
#include "index/sorted/sorted_sort.h"

/* State of the comparison. */
typedef struct comparison {
    const stoa_sorted_store *store;
    uint64_t rank;
    uint64_t capacity; /* ranks per block */
    uint64_t *rows;
    uint8_t *values; /* NULL if there are no covering datasets */
    uint64_t n_values;
    const stoa_fences *hints;
    size_t hint;    /* the next one */
    uint64_t below; /* the key before the rank */
    char *problem;
    bool *same;
} comparison;

/* Stop the iteration without an error, since the answer is known. */
static stoa_status differs(comparison *c)
{
    *c->same = false;
    return STOA_ECANCELLED;
}

static void forget_values(comparison *c)
{
    stoa_element_reclaim(&c->store->column->element, c->values, (size_t)c->n_values);
    c->n_values = 0;
}

/* Read the stored ranks of the block that starts here. The rows need no further check, since they
 * are compared. */
static stoa_status read_block(comparison *c, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_sorted_store *store = c->store;
    const uint64_t left = store->n_rows - c->rank;
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);
    stoa_error damage = STOA_ERROR_INIT;

    status = stoa_sorted_read_rows(store, c->rank, left < c->capacity ? left : c->capacity, c->rows,
                                   &damage);
    if (status == STOA_EDATA) {
        (void)snprintf(c->problem, 256, "%.255s", damage.message);
        return differs(c);
    }
    if (status != STOA_OK) {
        return stoa_fail(err, status, "%s", damage.message);
    }
    if (c->values != NULL && c->rank < n_ordered) {
        const uint64_t n_left = n_ordered - c->rank;
        forget_values(c);
        const uint64_t n = n_left < c->capacity ? n_left : c->capacity;
        STOA_RETURN_NOT_OK(
            stoa_sorted_read_values(store, store->values, c->rank, n, c->values, err));
        c->n_values = n;
    }
    return status;
}

static stoa_status compare_row(comparison *c, uint64_t row, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t slot = c->rank % c->capacity;

    if (slot == 0) {
        STOA_RETURN_NOT_OK(read_block(c, err));
    }
    if (c->rows[slot] != row) {
        (void)snprintf(c->problem, 256,
                       "rank %llu is row %llu, the column says %llu (HEP001 §10.5)",
                       (unsigned long long)c->rank, (unsigned long long)c->rows[slot],
                       (unsigned long long)row);
        status = differs(c);
    }
    return status;
}

/* Compare a stored value with that of the record. */
static stoa_status compare_value(comparison *c, const char *name, const void *stored,
                                 const stoa_sort_record *record)
{
    stoa_sort_record found = {0};

    if (stoa_record_of(c->store->column, stored, &found) &&
        stoa_record_compare(&found, record) == 0) {
        return STOA_OK;
    }
    (void)snprintf(c->problem, 256, "%s: rank %llu is not the value of row %llu (HEP001 §10.5)",
                   name, (unsigned long long)c->rank, (unsigned long long)record->row);
    return differs(c);
}

static stoa_status compare_fence(comparison *c, const stoa_sort_record *record, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &c->store->column->element;
    void *fence = stoa_alloc_zero(1, element->size);

    STOA_RETURN_NO_MEMORY(err, fence);
    STOA_TRY(stoa_sorted_read_values(c->store, c->store->fences, c->rank / STOA_FENCE_RANKS, 1,
                                     fence, err));
    STOA_TRY(compare_value(c, "fence_keys", fence, record));

done:
    stoa_element_reclaim(element, fence, 1);
    free(fence);
    return status;
}

/* Compare a fence with the keys before and at its rank. */
static stoa_status compare_hint(comparison *c, uint64_t key)
{
    if (c->hint < c->hints->n && c->hints->items[c->hint].rank == c->rank) {
        const uint64_t fence = c->hints->items[c->hint++].key;
        if (fence > key || (c->rank > 0 && fence < c->below)) {
            (void)snprintf(c->problem, 256,
                           STOA_SORTED_HINTS ": no value at rank %llu has the key %llu",
                           (unsigned long long)c->rank, (unsigned long long)fence);
            return differs(c);
        }
    }
    c->below = key;
    return STOA_OK;
}

static stoa_status compare_record(void *context, const stoa_sort_record *record, stoa_error *err)
{
    comparison *c = context;

    STOA_RETURN_NOT_OK(compare_row(c, record->row, err));
    STOA_RETURN_NOT_OK(compare_hint(c, record->key));
    if (c->values != NULL) {
        const uint64_t slot = c->rank % c->capacity;
        STOA_RETURN_NOT_OK(compare_value(
            c, "sorted_values", c->values + slot * c->store->column->element.size, record));
        if (c->rank % STOA_FENCE_RANKS == 0) {
            STOA_RETURN_NOT_OK(compare_fence(c, record, err));
        }
    }
    c->rank++;
    return STOA_OK;
}

static stoa_status compare_list(comparison *c, const stoa_row_list *list, stoa_error *err)
{
    uint64_t rows[512];

    for (uint64_t at = 0; at < list->count; at += 512) {
        const uint64_t count = list->count - at < 512 ? list->count - at : 512;
        STOA_RETURN_NOT_OK(stoa_row_list_read(list, at, count, rows, err));
        for (uint64_t i = 0; i < count; i++, c->rank++) {
            STOA_RETURN_NOT_OK(compare_row(c, rows[i], err));
        }
    }
    return STOA_OK;
}

static stoa_status compare_tail(comparison *c, const char *name, uint64_t stored, uint64_t right)
{
    if (stored == right) {
        return STOA_OK;
    }
    (void)snprintf(c->problem, 256, "%s is %llu, the column says %llu (HEP001 §10.5)", name,
                   (unsigned long long)stored, (unsigned long long)right);
    return differs(c);
}

static stoa_status compare_all(comparison *c, stoa_row_sorter *sorter, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_sorted_store *store = c->store;

    c->capacity = stoa_sorted_block(store->column);
    c->rows = stoa_alloc_zero((size_t)c->capacity, sizeof *c->rows);
    STOA_TRY(c->rows != NULL ? STOA_OK : stoa_fail_memory(err));
    if (stoa_sorted_is_covered(store)) {
        c->values = stoa_alloc_zero((size_t)c->capacity, store->column->element.size);
        STOA_TRY(c->values != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    STOA_TRY(compare_tail(c, "fill_tail_length", store->n_missing, sorter->missing.count));
    STOA_TRY(compare_tail(c, "nan_tail_length", store->n_nan, sorter->nan.count));
    STOA_TRY(stoa_row_sorter_visit(sorter, compare_record, c, err));
    STOA_TRY(compare_list(c, &sorter->missing, err));
    STOA_TRY(compare_list(c, &sorter->nan, err));

done:
    if (c->values != NULL) {
        forget_values(c);
    }
    free(c->values);
    free(c->rows);
    return status;
}

/* *holds is false where only sorting can tell. */
static stoa_status prove(const stoa_sorted_store *store, const stoa_fences *hints,
                         const stoa_listener *listener, bool *holds, stoa_error *err)
{
    stoa_error failure = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    *holds = false;
    if (!stoa_sorted_can_be_proved(store, stoa_machine_memory() / 4)) {
        return STOA_OK;
    }
    status = stoa_sorted_prove(store, hints, listener, holds, &failure);
    if (status != STOA_OK && status != STOA_EDATA && err != NULL) {
        *err = failure;
    }
    return status == STOA_EDATA ? STOA_OK : status;
}

stoa_status stoa_sorted_verify(stoa_column *column, hid_t dataset, uint64_t n_rows,
                               const stoa_listener *listener, bool *same, char *problem,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sorted_store store;
    stoa_row_sorter sorter = {.column = NULL};
    stoa_fences hints = {.n = 0};
    comparison c = {.store = &store, .hints = &hints, .problem = problem, .same = same};
    stoa_error damage = STOA_ERROR_INIT;
    char flaw[256] = "";
    bool holds = false;

    *same = true;
    problem[0] = '\0';
    status = stoa_sorted_open(&store, column, dataset, n_rows, flaw, &damage);
    if (status == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (status != STOA_OK) {
        (void)snprintf(problem, 256, "%.255s", damage.message);
        *same = false;
        status = STOA_OK;
        goto done;
    }
    STOA_TRY(stoa_fences_read(&hints, dataset, stoa_sorted_n_ordered(&store),
                              flaw[0] == '\0' ? flaw : NULL, err));
    STOA_TRY(prove(&store, &hints, listener, &holds, err));
    if (!holds) {
        STOA_TRY(stoa_row_sorter_run(&sorter, column, 0, n_rows, 0, listener, err));
        status = compare_all(&c, &sorter, err);
    }
    if (!*same) {
        status = STOA_OK;
    } else if (status == STOA_OK && flaw[0] != '\0') {
        (void)snprintf(problem, 256, "%.255s", flaw);
        *same = false;
    }

done:
    stoa_fences_clear(&hints);
    stoa_row_sorter_clear(&sorter);
    return stoa_sorted_close(&store, status, err);
}
