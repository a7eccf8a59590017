/*
 * Queries with aggregates. Rows are aggregated in place. Each morsel has its own groups and
 * aggregates, which are merged into the query's in the order of the morsels. So the number of
 * threads does not affect any bit of the answer, including first and last values and float sums.
 */
#include <pthread.h>
#include <stdlib.h>

#include "query/run/group_outputs.h"

/* Most morsels of a job; one job runs after another. The listener is told after so many groups were
 * merged. */
enum { JOB_MORSELS = 1024, MERGED_GROUPS = 4096 };

/* The groups and aggregates of one morsel. */
typedef struct fold {
    stoa_morsel morsel;
    bool is_done;
    stoa_groups groups;
    stoa_aggregate *aggregates; /* NULL: not started */
    stoa_scan_counts counts;
} fold;

/* What a thread keeps from morsel to morsel. */
typedef struct folder {
    uint32_t *numbers; /* group numbers of a window's rows */
    stoa_batcher batcher;
    stoa_evaluation evaluation; /* used for batches */
} folder;

typedef struct folding {
    stoa_query *query;
    const stoa_expr **keys;
    bool needs_batches;
    folder *folders; /* per worker */
    fold *folds;     /* the job's morsels */
    uint64_t n;
    pthread_mutex_t mutex;  /* protects what follows, and is_done of the morsels */
    pthread_cond_t changed; /* is_merging is false again */
    bool is_merging;        /* one thread merges, without the mutex */
    uint64_t n_merged;
} folding;

/* Whether a row may make the expression fail, or be expensive. Such expressions are evaluated
 * only on rows that pass. Expressions evaluated on labels do not depend on rows. */
static bool is_touchy(const stoa_expr *expr)
{
    switch (expr->op) {
    case STOA_OP_FUNCTION:
    case STOA_OP_LIST:
    case STOA_OP_SLICE:
        return true;
    case STOA_OP_NEGATE:
    case STOA_OP_ADD:
    case STOA_OP_SUBTRACT:
    case STOA_OP_MULTIPLY:
    case STOA_OP_CAST:
        if (expr->type.domain != STOA_DOMAIN_F64 && expr->type.domain != STOA_DOMAIN_BOOL) {
            return true;
        }
        break;
    case STOA_OP_DICTIONARY:
        return false;
    default:
        break;
    }
    for (size_t i = 0; i < expr->n_args; i++) {
        if (is_touchy(expr->args[i])) {
            return true;
        }
    }
    return false;
}

static bool needs_batches(const stoa_query *query)
{
    bool needs = false;

    for (size_t i = 0; i < query->n_by; i++) {
        needs = needs || is_touchy(query->outputs[i].expr);
    }
    for (size_t i = 0; i < query->n_aggregates; i++) {
        const stoa_aggregate *const aggregate = &query->aggregates[i];
        needs = needs || (aggregate->arg != NULL && is_touchy(aggregate->arg)) ||
                (aggregate->by != NULL && is_touchy(aggregate->by));
    }
    return needs && query->where != NULL;
}

/* One morsel -------------------------------------------------------------------------------- */

static void fold_clear(fold *f, size_t n_aggregates)
{
    for (size_t i = 0; f->aggregates != NULL && i < n_aggregates; i++) {
        stoa_aggregate_clear(&f->aggregates[i]);
    }
    free(f->aggregates);
    stoa_groups_clear(&f->groups);
    f->aggregates = NULL;
}

static stoa_status fold_open(const folding *all, fold *f, stoa_error *err)
{
    const stoa_query *query = all->query;

    f->aggregates = stoa_alloc_zero(query->n_aggregates, sizeof *f->aggregates);
    STOA_RETURN_NO_MEMORY(err, f->aggregates);
    for (size_t i = 0; i < query->n_aggregates; i++) {
        STOA_RETURN_NOT_OK(stoa_aggregate_clone(&query->aggregates[i], &f->aggregates[i], err));
    }
    if (query->n_by > 0) {
        STOA_RETURN_NOT_OK(stoa_groups_open(&f->groups, all->keys, query->n_by, err));
    }
    return STOA_OK;
}

/* Aggregate rows of the evaluation's window. */
static stoa_status fold_window(const stoa_query *query, fold *f, stoa_evaluation *ev,
                               const uint8_t *selected, int64_t n_selected, uint32_t *numbers,
                               stoa_error *err)
{
    stoa_group_rows rows = {.n_numbers = 0};

    rows.numbers = numbers;
    if (query->n_by > 0) {
        STOA_RETURN_NOT_OK(stoa_groups_assign(&f->groups, ev, selected, n_selected, &rows, err));
    }
    for (size_t i = 0; i < query->n_aggregates; i++) {
        STOA_RETURN_NOT_OK(stoa_aggregate_update(&f->aggregates[i], ev, selected, n_selected,
                                                 query->n_by > 0 ? &rows : NULL, err));
    }
    return STOA_OK;
}

static stoa_status fold_unit(const stoa_query *query, fold *f, stoa_scan_worker *scan_worker,
                             uint32_t *numbers, stoa_error *err)
{
    uint64_t n = 0;
    uint64_t n_selected;

    for (uint64_t at = 0; at < scan_worker->n; at += n) {
        STOA_RETURN_NOT_OK(at > 0 ? stoa_scan_worker_look(scan_worker, err) : STOA_OK);
        STOA_RETURN_NOT_OK(stoa_scan_worker_window(scan_worker, at, &n, &n_selected, err));
        scan_worker->counts.passed += n_selected;
        if (n_selected > 0) {
            STOA_RETURN_NOT_OK(fold_window(query, f, &scan_worker->evaluation,
                                           n_selected < n ? scan_worker->selected + at / 8 : NULL,
                                           (int64_t)n_selected, numbers, err));
        }
    }
    return STOA_OK;
}

static stoa_status fold_units(const stoa_query *query, fold *f, stoa_scan_worker *scan_worker,
                              uint32_t *numbers, stoa_error *err)
{
    for (;;) {
        STOA_RETURN_NOT_OK(stoa_scan_worker_next(scan_worker, UINT64_MAX, err));
        if (scan_worker->n == 0) {
            break;
        }
        STOA_RETURN_NOT_OK(fold_unit(query, f, scan_worker, numbers, err));
    }
    stoa_scan_worker_end(scan_worker);
    return STOA_OK;
}

/* The same for rows that are gathered first. */
static stoa_status fold_batches(const stoa_query *query, fold *f, folder *own, stoa_error *err)
{
    stoa_batch *batch = NULL;

    stoa_batcher_begin(&own->batcher);
    for (;;) {
        STOA_RETURN_NOT_OK(stoa_batcher_next(&own->batcher, &batch, err));
        if (batch == NULL) {
            break;
        }
        for (int64_t at = 0; at < batch->n; at += STOA_WINDOW_ROWS) {
            const int64_t n = batch->n - at < STOA_WINDOW_ROWS ? batch->n - at : STOA_WINDOW_ROWS;
            stoa_evaluation_move(&own->evaluation, batch->views, at, n);
            STOA_RETURN_NOT_OK(fold_window(query, f, &own->evaluation, NULL, n, own->numbers, err));
        }
    }
    return STOA_OK;
}

/* All morsels ------------------------------------------------------------------------------- */

static stoa_status merge_groups(folding *all, const fold *f, const stoa_listener *listener,
                                uint32_t *ids, stoa_error *err)
{
    stoa_query *query = all->query;
    uint32_t n = 0;

    query->groups.listener = listener;
    for (uint32_t first = 0; first < f->groups.n_groups; first += n) {
        n = f->groups.n_groups - first;
        n = n < MERGED_GROUPS ? n : MERGED_GROUPS;
        STOA_RETURN_NOT_OK(stoa_groups_merge(&query->groups, &f->groups, first, n, ids, err));
        STOA_RETURN_NOT_OK(stoa_report_progress(listener, NULL, err));
    }
    query->n_groups = query->groups.n_groups;
    return STOA_OK;
}

static stoa_status merge(folding *all, fold *f, stoa_scan_worker *scan_worker, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = all->query;
    uint32_t *ids = NULL;

    if (query->n_by > 0) {
        ids = stoa_alloc(f->groups.n_groups, sizeof *ids);
        STOA_TRY(ids != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(merge_groups(all, f, &scan_worker->listener, ids, err));
    }
    for (size_t i = 0; i < query->n_aggregates; i++) {
        query->aggregates[i].listener = &scan_worker->listener;
        STOA_TRY(stoa_aggregate_merge(&query->aggregates[i], &f->aggregates[i], ids,
                                      query->n_groups, err));
    }
    stoa_scan_count(&query->scan, &f->counts);

done:
    free(ids);
    fold_clear(f, query->n_aggregates);
    return status;
}

/* Wait until no thread merges, or the listener ends the query. */
static stoa_status wait_for_merge(folding *all, stoa_scan_worker *scan_worker, stoa_error *err)
{
    while (all->is_merging) {
        stoa_wait_shortly(&all->changed, &all->mutex);
        (void)pthread_mutex_unlock(&all->mutex);
        const stoa_status status = stoa_scan_worker_look(scan_worker, err);
        (void)pthread_mutex_lock(&all->mutex);
        STOA_RETURN_NOT_OK(status);
    }
    return STOA_OK;
}

/* Finish a morsel: merge all morsels that are done without a gap before them. Other threads that
 * finish wait, which limits the number of unmerged morsels. */
static stoa_status merge_done(folding *all, fold *f, stoa_scan_worker *scan_worker, stoa_error *err)
{
    (void)pthread_mutex_lock(&all->mutex);
    f->is_done = true;
    stoa_status status = wait_for_merge(all, scan_worker, err);
    if (status == STOA_OK) {
        all->is_merging = true;
        while (status == STOA_OK && all->n_merged < all->n && all->folds[all->n_merged].is_done) {
            fold *const next = &all->folds[all->n_merged];

            (void)pthread_mutex_unlock(&all->mutex);
            status = merge(all, next, scan_worker, err);
            (void)pthread_mutex_lock(&all->mutex);
            all->n_merged = status == STOA_OK ? all->n_merged + 1 : all->n; /* or stop */
        }
        all->is_merging = false;
        (void)pthread_cond_broadcast(&all->changed);
    }
    (void)pthread_mutex_unlock(&all->mutex);
    return status;
}

static stoa_status folder_open(const folding *all, stoa_scan_worker *scan_worker, folder *own,
                               stoa_error *err)
{
    if (own->numbers == NULL) {
        own->numbers = stoa_alloc_zero(STOA_WINDOW_ROWS, sizeof *own->numbers);
        STOA_RETURN_NO_MEMORY(err, own->numbers);
        if (all->needs_batches) {
            STOA_RETURN_NOT_OK(stoa_batcher_open(&own->batcher, scan_worker, err));
            own->batcher.leaves_rows = true;
            STOA_RETURN_NOT_OK(stoa_evaluation_open(&own->evaluation, &all->query->scope, err));
        }
    }
    return STOA_OK;
}

static stoa_status do_morsel(void *context, stoa_scan_worker *scan_worker, uint64_t number,
                             stoa_error *err)
{
    folding *all = context;
    fold *f = &all->folds[number];
    folder *own = &all->folders[scan_worker->worker];

    STOA_RETURN_NOT_OK(folder_open(all, scan_worker, own, err));
    STOA_RETURN_NOT_OK(fold_open(all, f, err));
    stoa_scan_worker_begin(scan_worker, &f->morsel);
    STOA_RETURN_NOT_OK(all->needs_batches
                           ? fold_batches(all->query, f, own, err)
                           : fold_units(all->query, f, scan_worker, own->numbers, err));
    f->counts = scan_worker->counts;
    return merge_done(all, f, scan_worker, err);
}

/* Cut the morsels of the next job; n is 0 at the end. */
static stoa_status cut_job(folding *all, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer folds = {0};
    fold f = {.is_done = false};

    for (size_t n = 0; n < JOB_MORSELS && stoa_scan_cut(&all->query->scan, &f.morsel); n++) {
        STOA_TRY(stoa_buffer_append(&folds, &f, sizeof f, err));
    }
    all->n = folds.size / sizeof f;
    all->folds = stoa_buffer_detach(&folds);
    all->n_merged = 0;

done:
    stoa_buffer_clear(&folds);
    return status;
}

static void job_clear(folding *all)
{
    for (uint64_t i = 0; i < all->n; i++) {
        fold_clear(&all->folds[i], all->query->n_aggregates);
    }
    free(all->folds);
    all->folds = NULL;
    all->n = 0;
}

static stoa_status folding_open(folding *all, stoa_error *err)
{
    const stoa_query *query = all->query;

    all->needs_batches = needs_batches(query);
    all->folders = stoa_alloc_zero(query->scan.n_testers, sizeof *all->folders);
    all->keys = stoa_alloc_zero(query->n_by, sizeof *all->keys);
    STOA_RETURN_NO_MEMORY(err, all->folders != NULL && all->keys != NULL);
    for (size_t i = 0; i < query->n_by; i++) {
        all->keys[i] = query->outputs[i].expr;
    }
    return STOA_OK;
}

static void folding_clear(folding *all)
{
    job_clear(all);
    for (unsigned i = 0; all->folders != NULL && i < all->query->scan.n_testers; i++) {
        stoa_batcher_clear(&all->folders[i].batcher);
        stoa_evaluation_clear(&all->folders[i].evaluation);
        free(all->folders[i].numbers);
    }
    free(all->folders);
    free(all->keys);
    (void)pthread_mutex_destroy(&all->mutex);
    (void)pthread_cond_destroy(&all->changed);
}

/* Aggregate every row that passes. */
static stoa_status group_rows(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    folding all = {
        .query = query, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

    STOA_TRY(folding_open(&all, err));
    STOA_TRY(query->n_by > 0 ? stoa_groups_open(&query->groups, all.keys, query->n_by, err)
                             : STOA_OK);
    for (;;) {
        STOA_TRY(cut_job(&all, err));
        if (all.n == 0) {
            break;
        }
        STOA_TRY(stoa_scan_run(&query->scan, all.n, do_morsel, &all, err));
        job_clear(&all);
    }

done:
    folding_clear(&all);
    return status;
}

/* Output ------------------------------------------------------------------------------------ */

/* The keys and aggregates of the next n groups. */
static stoa_status make_groups(stoa_query *query, uint32_t n, struct ArrowArray *out,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arena arena = {0};
    const uint32_t first = query->next_group;
    stoa_vector values;

    STOA_TRY(stoa_struct_of(n, query->n_by + query->n_aggregates, out, err));
    for (size_t i = 0; i < query->n_by; i++) {
        STOA_TRY(stoa_groups_key(&query->groups, i, first, n, &arena, &values, err));
        STOA_TRY(stoa_emit(&values, &query->outputs[i].type, out->children[i], err));
    }
    for (size_t i = 0; i < query->n_aggregates; i++) {
        stoa_aggregate *const aggregate = &query->aggregates[i];
        aggregate->listener = &query->options.listener;
        STOA_TRY(stoa_aggregate_array(aggregate, first, n, out->children[query->n_by + i], err));
    }
    query->next_group += n;

done:
    stoa_arena_clear(&arena);
    return status;
}

stoa_status stoa_query_next_groups(stoa_query *query, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray groups = {0};

    if (!query->grouped) {
        STOA_TRY(group_rows(query, err));
        query->grouped = true;
    }
    while (query->next_group < query->n_groups && (out->release == NULL || out->length == 0)) {
        const uint32_t left = query->n_groups - query->next_group;
        STOA_TRY(query->next_group > 0 ? stoa_scan_tell(&query->scan, err) : STOA_OK);
        stoa_array_release(out);
        STOA_TRY(
            make_groups(query, left < STOA_OUTPUT_ROWS ? left : STOA_OUTPUT_ROWS, &groups, err));
        STOA_TRY(stoa_group_outputs_make(query, &groups, out, err));
    }
    if (out->release != NULL && out->length == 0) {
        stoa_array_release(out); /* no group is left that passes */
        *out = (struct ArrowArray){0};
    }
    for (size_t i = 0; out->release != NULL && i < query->n_orders; i++) {
        const stoa_order *const order = &query->orders[i];
        STOA_TRY(order->of_group == NULL
                     ? stoa_array_share(out->children[order->output],
                                        out->children[query->n_outputs + i], err)
                     : STOA_OK);
    }

done:
    stoa_array_release(&groups);
    return status;
}
