/*
 * Queries with aggregates. Rows are aggregated in place. Each morsel has its own groups and
 * aggregates, which are merged into the query's in the order of the morsels. So the number of
 * threads does not affect any bit of the answer, including first and last values and float sums.
 *
 * If the first block has nearly as many groups as rows, or as many values to count, the rows are
 * staged instead. Partitions take them, also in the order of the morsels (partitions.h).
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "query/run/group_batches.h"
#include "query/run/group_labels.h"

/* Most morsels of a job; one job runs after another. If the scan may end before the last row,
 * the first one is short, and each is twice as long as the one before. So the number of threads
 * does not affect what is read. The listener is told after so many groups were merged. */
enum { JOB_MORSELS = 1024, FIRST_MORSELS = 1, MERGED_GROUPS = 4096 };
/* Rows are staged if the first block has at least so many, and more than 1/MANY_SHARE as many
 * groups or different values. */
enum { MANY_ROWS = 1024, MANY_SHARE = 4 };
/* Staged morsels for each thread that may wait for partitions. */
enum { WAITING_MORSELS = 2 };

/* The groups and aggregates of one morsel. */
typedef struct fold {
    stoa_morsel morsel;
    bool is_done;
    stoa_groups groups;
    stoa_aggregate *aggregates; /* NULL: not started */
    stoa_staged *staged;        /* NULL: rows are aggregated */
    uint32_t n_staged;          /* rows looked at, which are places of rows */
    unsigned n_taken;           /* partitions that took their rows */
    stoa_scan_counts counts;
} fold;

/* What a thread keeps from morsel to morsel. */
typedef struct folder {
    stoa_key *keys;
    stoa_aggregate *known; /* what is known of dictionaries; no rows are added to these */
    uint32_t *numbers;     /* group numbers of a window's rows */
    stoa_batcher batcher;
    stoa_evaluation evaluation; /* used for batches */
} folder;

/* What a partition has taken of the job. */
typedef struct taking {
    bool is_busy;
    uint64_t n_taken; /* morsels */
} taking;

typedef struct folding {
    stoa_query *query;
    bool needs_batches;
    bool can_stage;
    bool only_looks; /* for the best of all labels */
    folder *folders; /* per worker */
    fold *folds;     /* the job's morsels */
    uint64_t n;
    uint64_t most;          /* morsels of the next job */
    uint32_t n_before;      /* morsels of the jobs before */
    pthread_mutex_t mutex;  /* protects what follows, and is_done and n_taken of the morsels */
    pthread_cond_t changed; /* any of these */
    bool is_decided;        /* whether rows are staged: query->partitions */
    bool is_failed;         /* a morsel failed, so others need not wait */
    bool is_merging;        /* one thread merges, without the mutex */
    uint64_t n_merged;
    uint64_t n_waiting; /* staged morsels that some partition has not taken */
    stoa_buffer spare;  /* stoa_staged *: memory of morsels that all have taken */
    taking takings[STOA_PARTITIONS];
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
    stoa_staged_close(f->staged, n_aggregates);
    f->aggregates = NULL;
    f->staged = NULL;
}

/* Room for staged rows, of a morsel before if there is any. */
static stoa_status open_staged(folding *all, fold *f, stoa_error *err)
{
    (void)pthread_mutex_lock(&all->mutex);
    if (all->spare.size > 0) {
        all->spare.size -= sizeof(stoa_staged *);
        f->staged = ((stoa_staged **)(void *)all->spare.data)[all->spare.size / sizeof f->staged];
    }
    (void)pthread_mutex_unlock(&all->mutex);
    return f->staged != NULL ? STOA_OK
                             : stoa_staged_open(all->query->n_aggregates, &f->staged, err);
}

static stoa_status fold_open(folding *all, fold *f, folder *own, stoa_error *err)
{
    const stoa_query *const query = all->query;

    stoa_groups_open(&f->groups, own->keys, query->n_by);
    if (query->partitions != NULL) {
        return open_staged(all, f, err);
    }
    f->aggregates = stoa_alloc_zero(query->n_aggregates, sizeof *f->aggregates);
    STOA_RETURN_NO_MEMORY(err, f->aggregates);
    for (size_t i = 0; i < query->n_aggregates; i++) {
        STOA_RETURN_NOT_OK(stoa_aggregate_clone(&query->aggregates[i], &f->aggregates[i], err));
        stoa_aggregate_hand_on(&own->known[i], &f->aggregates[i], query->n_by > 0);
    }
    return STOA_OK;
}

/* Keep what is known of dictionaries for the thread's next morsel. */
static void fold_end(const stoa_query *query, fold *f, folder *own)
{
    for (size_t i = 0; f->aggregates != NULL && i < query->n_aggregates; i++) {
        stoa_aggregate_hand_on(&f->aggregates[i], &own->known[i], query->n_by > 0);
    }
}

/* Aggregate rows of the evaluation's window. */
static stoa_status fold_window(const stoa_query *query, fold *f, stoa_evaluation *ev,
                               const uint8_t *selected, int64_t n_selected, uint32_t *numbers,
                               stoa_error *err)
{
    stoa_group_rows rows = {.n_numbers = 0};

    if (f->staged != NULL) {
        STOA_RETURN_NOT_OK(stoa_staged_add(f->staged, &f->groups, query->aggregates,
                                           query->n_aggregates, ev, selected, n_selected,
                                           f->n_staged, err));
        f->n_staged += (uint32_t)ev->n;
        return STOA_OK;
    }
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
                             uint32_t *numbers, uint64_t *n_passed, stoa_error *err)
{
    uint64_t n = 0;
    uint64_t n_selected;

    *n_passed = 0;
    for (uint64_t at = 0; at < scan_worker->n; at += n) {
        STOA_RETURN_NOT_OK(at > 0 ? stoa_scan_worker_look(scan_worker, err) : STOA_OK);
        STOA_RETURN_NOT_OK(stoa_scan_worker_window(scan_worker, at, &n, &n_selected, err));
        *n_passed += n_selected;
        scan_worker->counts.passed += n_selected; /* before columns are read: see tell_unit() */
        if (n_selected > 0) {
            STOA_RETURN_NOT_OK(fold_window(query, f, &scan_worker->evaluation,
                                           n_selected < n ? scan_worker->selected + at / 8 : NULL,
                                           (int64_t)n_selected, numbers, err));
        }
    }
    return STOA_OK;
}

static void announce(folding *all)
{
    (void)pthread_mutex_lock(&all->mutex);
    all->is_decided = true;
    (void)pthread_mutex_unlock(&all->mutex);
    (void)pthread_cond_broadcast(&all->changed);
}

/* How many groups the morsel has so far; without keys, the most values that an aggregate counts. */
static uint64_t count_found(const stoa_query *query, const fold *f)
{
    uint64_t most = f->groups.n_groups;

    for (size_t i = 0; query->n_by == 0 && i < query->n_aggregates; i++) {
        const uint64_t n = (uint64_t)stoa_cells(&f->aggregates[i])->n;
        most = n > most ? n : most;
    }
    return most;
}

/* After the first block, which had n rows that passed: decide whether rows are staged. *again: it
 * must be staged, too. */
static stoa_status decide(folding *all, fold *f, folder *own, uint64_t n, bool *again,
                          stoa_error *err)
{
    stoa_query *const query = all->query;

    *again = false;
    if (all->is_decided) {
        return STOA_OK;
    }
    if (all->can_stage && n >= MANY_ROWS && count_found(query, f) > n / MANY_SHARE) {
        STOA_RETURN_NOT_OK(stoa_partitions_open(query->aggregates, query->n_aggregates, query->keys,
                                                query->n_by, &query->partitions, err));
        fold_end(query, f, own);
        fold_clear(f, query->n_aggregates);
        STOA_RETURN_NOT_OK(fold_open(all, f, own, err));
        *again = true;
    }
    announce(all);
    return STOA_OK;
}

static stoa_status fold_units(folding *all, fold *f, stoa_scan_worker *scan_worker, folder *own,
                              stoa_error *err)
{
    const stoa_query *const query = all->query;
    uint64_t n_passed = 0;
    bool again = false;

    for (;;) {
        STOA_RETURN_NOT_OK(stoa_scan_worker_next(scan_worker, UINT64_MAX, err));
        if (scan_worker->n == 0) {
            break;
        }
        STOA_RETURN_NOT_OK(fold_unit(query, f, scan_worker, own->numbers, &n_passed, err));
        STOA_RETURN_NOT_OK(decide(all, f, own, n_passed, &again, err));
        if (again) {
            scan_worker->counts.passed -= n_passed;
            STOA_RETURN_NOT_OK(fold_unit(query, f, scan_worker, own->numbers, &n_passed, err));
        }
    }
    stoa_scan_worker_end(scan_worker);
    return STOA_OK;
}

static stoa_status fold_batch(const stoa_query *query, fold *f, folder *own,
                              const stoa_batch *batch, stoa_error *err)
{
    for (int64_t at = 0; at < batch->n; at += STOA_WINDOW_ROWS) {
        const int64_t n = batch->n - at < STOA_WINDOW_ROWS ? batch->n - at : STOA_WINDOW_ROWS;
        stoa_evaluation_move(&own->evaluation, batch->views, at, n);
        STOA_RETURN_NOT_OK(fold_window(query, f, &own->evaluation, NULL, n, own->numbers, err));
    }
    return STOA_OK;
}

/* The same for rows that are gathered first. */
static stoa_status fold_batches(folding *all, fold *f, folder *own, stoa_error *err)
{
    stoa_batch *batch = NULL;
    bool again = false;

    stoa_batcher_begin(&own->batcher);
    for (;;) {
        STOA_RETURN_NOT_OK(stoa_batcher_next(&own->batcher, &batch, err));
        if (batch == NULL) {
            break;
        }
        STOA_RETURN_NOT_OK(fold_batch(all->query, f, own, batch, err));
        STOA_RETURN_NOT_OK(decide(all, f, own, (uint64_t)batch->n, &again, err));
        if (again) {
            STOA_RETURN_NOT_OK(fold_batch(all->query, f, own, batch, err));
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

/* Wait for another thread for a moment, with the mutex, unless the listener ends the query. */
static stoa_status wait_shortly(folding *all, stoa_scan_worker *scan_worker, stoa_error *err)
{
    stoa_wait_shortly(&all->changed, &all->mutex);
    (void)pthread_mutex_unlock(&all->mutex);
    const stoa_status status = stoa_scan_worker_look(scan_worker, err);
    (void)pthread_mutex_lock(&all->mutex);
    return status;
}

/* Whether the job fails, so that a morsel that others wait for may never be done. */
static bool has_failed(const folding *all)
{
    return all->is_failed || atomic_load(&all->query->scan.has_failed);
}

/* Wait until no thread merges, or the listener ends the query. */
static stoa_status wait_for_merge(folding *all, stoa_scan_worker *scan_worker, stoa_error *err)
{
    while (all->is_merging) {
        STOA_RETURN_NOT_OK(wait_shortly(all, scan_worker, err));
    }
    return STOA_OK;
}

/* Wait until the first morsel has decided whether rows are staged. *is_failed: it has failed. */
static stoa_status wait_for_decision(folding *all, stoa_scan_worker *scan_worker, bool *is_failed,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;

    (void)pthread_mutex_lock(&all->mutex);
    while (status == STOA_OK && !all->is_decided && !has_failed(all)) {
        status = wait_shortly(all, scan_worker, err);
    }
    *is_failed = has_failed(all);
    (void)pthread_mutex_unlock(&all->mutex);
    return status;
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

/* Partitions -------------------------------------------------------------------------------- */

/* A partition that no thread has, and whose next morsel is staged; STOA_PARTITIONS: none. Threads
 * begin to look at different ones. */
static size_t free_partition(const folding *all, unsigned worker)
{
    for (size_t i = 0; i < STOA_PARTITIONS; i++) {
        const size_t p = (i + worker * (STOA_PARTITIONS / 2 + 1)) % STOA_PARTITIONS;
        const taking *const t = &all->takings[p];
        if (!t->is_busy && t->n_taken < all->n && all->folds[t->n_taken].is_done) {
            return p;
        }
    }
    return STOA_PARTITIONS;
}

/* Let a partition take its next morsel, with the mutex, which is released meanwhile. */
static stoa_status take_next(folding *all, size_t p, stoa_scan_worker *scan_worker, stoa_error *err)
{
    stoa_query *const query = all->query;
    taking *const t = &all->takings[p];
    fold *const f = &all->folds[t->n_taken];

    t->is_busy = true;
    (void)pthread_mutex_unlock(&all->mutex);
    const stoa_status status =
        stoa_partition_take(&query->partitions[p], query->n_aggregates, &f->staged[p],
                            all->n_before + (uint32_t)t->n_taken, &scan_worker->listener, err);
    (void)pthread_mutex_lock(&all->mutex);
    t->is_busy = false;
    if (status == STOA_OK) {
        t->n_taken++;
        if (p == 0) {
            stoa_scan_count(&query->scan, &f->counts); /* in the order of the morsels */
        }
        if (++f->n_taken == STOA_PARTITIONS) {
            stoa_staged_reset(f->staged, query->n_aggregates);
            if (stoa_buffer_append(&all->spare, &f->staged, sizeof f->staged, NULL) == STOA_OK) {
                f->staged = NULL;
            }
            fold_clear(f, query->n_aggregates);
            all->n_waiting--;
        }
    }
    (void)pthread_cond_broadcast(&all->changed);
    return status;
}

/* Finish a staged morsel: let partitions take rows as long as there is one for this thread, and
 * until few morsels wait. */
static stoa_status take_done(folding *all, fold *f, stoa_scan_worker *scan_worker, stoa_error *err)
{
    const uint64_t most = (uint64_t)WAITING_MORSELS * all->query->scan.n_testers;
    stoa_status status = STOA_OK;

    (void)pthread_mutex_lock(&all->mutex);
    f->is_done = true;
    all->n_waiting++;
    while (status == STOA_OK && !has_failed(all)) {
        const size_t p = free_partition(all, scan_worker->worker);
        if (p < STOA_PARTITIONS) {
            status = take_next(all, p, scan_worker, err);
        } else if (all->n_waiting > most) {
            status = wait_shortly(all, scan_worker, err);
        } else {
            break;
        }
    }
    (void)pthread_mutex_unlock(&all->mutex);
    return status;
}

/* Morsels ----------------------------------------------------------------------------------- */

static stoa_status folder_open(const folding *all, stoa_scan_worker *scan_worker, folder *own,
                               stoa_error *err)
{
    const stoa_query *const query = all->query;

    if (own->numbers == NULL) {
        own->numbers = stoa_alloc_zero(STOA_WINDOW_ROWS, sizeof *own->numbers);
        STOA_RETURN_NO_MEMORY(err, own->numbers);
        STOA_RETURN_NOT_OK(stoa_keys_share(query->keys, query->n_by, &own->keys, err));
        own->known = stoa_alloc_zero(query->n_aggregates, sizeof *own->known);
        STOA_RETURN_NO_MEMORY(err, own->known);
        for (size_t i = 0; i < query->n_aggregates; i++) {
            STOA_RETURN_NOT_OK(stoa_aggregate_clone(&query->aggregates[i], &own->known[i], err));
        }
        if (all->needs_batches) {
            STOA_RETURN_NOT_OK(stoa_batcher_open(&own->batcher, scan_worker, err));
            own->batcher.leaves_rows = true;
            STOA_RETURN_NOT_OK(stoa_evaluation_open(&own->evaluation, &query->scope, err));
        }
    }
    return STOA_OK;
}

static stoa_status fold_morsel(folding *all, stoa_scan_worker *scan_worker, fold *f,
                               stoa_error *err)
{
    folder *own = &all->folders[scan_worker->worker];

    STOA_RETURN_NOT_OK(folder_open(all, scan_worker, own, err));
    STOA_RETURN_NOT_OK(fold_open(all, f, own, err));
    stoa_scan_worker_begin(scan_worker, &f->morsel);
    STOA_RETURN_NOT_OK(all->needs_batches ? fold_batches(all, f, own, err)
                                          : fold_units(all, f, scan_worker, own, err));
    fold_end(all->query, f, own);
    f->counts = scan_worker->counts;
    return f->staged != NULL ? take_done(all, f, scan_worker, err)
                             : merge_done(all, f, scan_worker, err);
}

static stoa_status do_morsel(void *context, stoa_scan_worker *scan_worker, uint64_t number,
                             stoa_error *err)
{
    folding *all = context;
    bool is_failed = false;
    stoa_status status = STOA_OK;

    if (number > 0) {
        status = wait_for_decision(all, scan_worker, &is_failed, err);
    }
    if (status == STOA_OK && !is_failed) {
        status = fold_morsel(all, scan_worker, &all->folds[number], err);
    }
    if (number == 0 && !all->is_decided) { /* no row passed */
        announce(all);
    }
    if (status != STOA_OK) {
        (void)pthread_mutex_lock(&all->mutex);
        all->is_failed = true;
        (void)pthread_mutex_unlock(&all->mutex);
        (void)pthread_cond_broadcast(&all->changed);
    }
    return status;
}

/* Cut the morsels of the next job; n is 0 at the end. */
static stoa_status cut_job(folding *all, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer folds = {0};
    fold f = {.is_done = false};

    for (size_t n = 0; n < all->most && stoa_scan_cut(&all->query->scan, &f.morsel); n++) {
        STOA_TRY(stoa_buffer_append(&folds, &f, sizeof f, err));
    }
    all->n = folds.size / sizeof f;
    all->most = all->most < JOB_MORSELS ? all->most * 2 : JOB_MORSELS;
    all->folds = stoa_buffer_detach(&folds);
    all->n_merged = 0;
    memset(all->takings, 0, sizeof all->takings);

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
    all->n_before += (uint32_t)all->n;
    all->folds = NULL;
    all->n = 0;
}

static void set_only_looks(folding *all, bool only_looks)
{
    all->only_looks = only_looks;
    for (size_t i = 0; i < all->query->n_aggregates; i++) {
        all->query->aggregates[i].only_looks = only_looks;
    }
}

/* Whether the aggregates of all rows may be known before the last one. Then rows are looked at for
 * nothing else first, unless a filter may well leave out what is looked for. */
static stoa_status open_ends(folding *all, stoa_error *err)
{
    stoa_query *const query = all->query;
    bool may_end = query->n_by == 0;

    STOA_RETURN_NOT_OK(may_end ? stoa_group_labels_ends(query, err) : STOA_OK);
    for (size_t i = 0; i < query->n_aggregates; i++) {
        may_end = may_end && query->aggregates[i].may_end;
    }
    all->most = may_end ? FIRST_MORSELS : JOB_MORSELS;
    set_only_looks(all, may_end && query->where == NULL);
    return STOA_OK;
}

/* What is looked for occurs in no row: begin again, and look at all labels. */
static void look_at_all(folding *all)
{
    stoa_scan *const scan = &all->query->scan;

    set_only_looks(all, false);
    stoa_scan_restart(scan, scan->is.candidates);
}

static bool has_ended(const stoa_query *query)
{
    bool has = query->n_by == 0;

    for (size_t i = 0; has && i < query->n_aggregates; i++) {
        has = query->aggregates[i].has_ended;
    }
    return has;
}

static stoa_status folding_open(folding *all, stoa_error *err)
{
    stoa_query *const query = all->query;
    const stoa_expr *keys[STOA_MAX_KEYS];

    all->needs_batches = needs_batches(query);
    all->can_stage = true;
    for (size_t i = 0; i < query->n_aggregates; i++) {
        query->aggregates[i].counts_words =
            query->n_by == 0 && query->aggregates[i].kind == &stoa_aggregate_distinct;
        all->can_stage =
            all->can_stage && stoa_can_stage(&query->aggregates[i], &query->scope, query->n_by);
    }
    all->is_decided = !all->can_stage;
    STOA_RETURN_NOT_OK(open_ends(all, err));
    all->folders = stoa_alloc_zero(query->scan.n_testers, sizeof *all->folders);
    STOA_RETURN_NO_MEMORY(err, all->folders);
    for (size_t i = 0; i < query->n_by; i++) {
        keys[i] = query->outputs[i].expr;
    }
    STOA_RETURN_NOT_OK(stoa_keys_open(keys, query->n_by, &query->keys, err));
    return stoa_group_labels_open(query, err);
}

static void folding_clear(folding *all)
{
    stoa_staged **const spare = (stoa_staged **)(void *)all->spare.data;

    job_clear(all);
    for (size_t i = 0; i < all->spare.size / sizeof(stoa_staged *); i++) {
        stoa_staged_close(spare[i], all->query->n_aggregates);
    }
    stoa_buffer_clear(&all->spare);
    for (unsigned i = 0; all->folders != NULL && i < all->query->scan.n_testers; i++) {
        stoa_batcher_clear(&all->folders[i].batcher);
        stoa_evaluation_clear(&all->folders[i].evaluation);
        stoa_keys_close(all->folders[i].keys, all->query->n_by);
        for (size_t k = 0; all->folders[i].known != NULL && k < all->query->n_aggregates; k++) {
            stoa_aggregate_clear(&all->folders[i].known[k]);
        }
        free(all->folders[i].known);
        free(all->folders[i].numbers);
    }
    free(all->folders);
    (void)pthread_mutex_destroy(&all->mutex);
    (void)pthread_cond_destroy(&all->changed);
}

static stoa_status settle(void *context, stoa_scan_worker *scan_worker, uint64_t number,
                          stoa_error *err)
{
    const stoa_query *const query = ((const folding *)context)->query;

    return stoa_partition_settle(&query->partitions[number], query->n_aggregates,
                                 query->scan.n_testers, &scan_worker->listener, err);
}

/* Add the different values of all partitions to the only group. */
static stoa_status add_up(folding *all, stoa_error *err)
{
    stoa_query *const query = all->query;

    STOA_RETURN_NOT_OK(stoa_scan_run(&query->scan, STOA_PARTITIONS, settle, all, err));
    STOA_RETURN_NOT_OK(
        stoa_partitions_add_up(query->partitions, query->aggregates, query->n_aggregates, err));
    stoa_partitions_close(query->partitions, query->n_aggregates);
    query->partitions = NULL;
    return STOA_OK;
}

stoa_status stoa_query_group(stoa_query *query, stoa_error *err)
{
    stoa_status status = STOA_OK;
    folding all = {
        .query = query, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

    STOA_TRY(folding_open(&all, err));
    stoa_groups_open(&query->groups, query->keys, query->n_by);
    for (;;) {
        STOA_TRY(cut_job(&all, err));
        if (all.n == 0 && all.only_looks) {
            look_at_all(&all);
            STOA_TRY(cut_job(&all, err));
        }
        if (all.n == 0) {
            break;
        }
        STOA_TRY(stoa_scan_run(&query->scan, all.n, do_morsel, &all, err));
        job_clear(&all);
        if (has_ended(query)) {
            break;
        }
    }
    STOA_TRY(stoa_group_labels_learn(query, err));
    if (query->partitions != NULL && query->n_by == 0) {
        STOA_TRY(add_up(&all, err));
    }
    for (size_t p = 0; query->partitions != NULL && p < STOA_PARTITIONS; p++) {
        query->n_groups += query->partitions[p].groups.n_groups;
    }

done:
    folding_clear(&all);
    return status;
}
