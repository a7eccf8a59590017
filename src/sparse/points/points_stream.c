#include "sparse/points/points_stream.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "sparse/points/chunk_task.h"
#include "sparse/points/points_lookup.h"

enum {
    SLICE = STOA_POINTS_SLICE,
    UNDER_WAY = STOA_POINTS_AHEAD / SLICE, /* in slices */
    MAX_CHUNKS = 1 << 14,                  /* in memory */
    SHORT_RUN = 2,                         /* points; slices with shorter runs have no order */
    RECENT_BITS = 8 /* log2 of the number of recent chunks that are remembered */
};

/* A chunk that is in memory, or known not to exist. */
typedef struct kept_chunk {
    stoa_chunk_task piece;
    atomic_bool is_ready;
} kept_chunk;

/* A chunk in which the slice has points. */
typedef struct slice_chunk {
    uint64_t number;
    const kept_chunk *kept;
    stoa_chunk_cursor finger;
} slice_chunk;

/* Consecutive points in one chunk. */
typedef struct slice_run {
    uint32_t chunk; /* index in the slice's chunks */
    uint32_t n;
} slice_run;

typedef struct slice {
    uint32_t *places;
    stoa_buffer runs;   /* of slice_run */
    stoa_buffer chunks; /* of slice_chunk; may contain duplicates */
    bool is_left;       /* skipped by the stream */
    atomic_bool is_located;
    atomic_bool is_over;
} slice;

typedef enum task_kind { LOCATE, UNPACK, LOOK } task_kind;

typedef struct task {
    task_kind kind;
    uint32_t which; /* slice or chunk */
} task;

typedef struct stream {
    stoa_points_lookup *g;
    slice slices[UNDER_WAY]; /* slice i is at i % UNDER_WAY */
    uint64_t n_slices;
    stoa_point_groups numbered; /* the kept chunks, in the order of their first request */
    kept_chunk **kept;
    size_t n_kept;
    size_t most_kept;
    size_t n_bytes; /* memory that they use, or will use */
    bool is_full;
    stoa_job job;
    task *tasks; /* of the job; space for all tasks */
    uint64_t n_tasks;
    uint64_t n_offered;
    /* The next slice of each step: to fetch, to request chunks for, to look up, and to finish. */
    uint64_t to_fetch, to_open, to_look, to_end;
} stream;

static slice *slice_of(stream *s, uint64_t number)
{
    return &s->slices[number % UNDER_WAY];
}

static uint32_t points_in(const stream *s, uint64_t number)
{
    const uint64_t left = s->g->n - number * SLICE;

    return left < SLICE ? (uint32_t)left : SLICE;
}

/* --- tasks of workers ------------------------------------------------------------------------ */

/* Convert runs by chunk number to runs by index in the slice's chunks. */
static stoa_status note_runs(slice *of, const stoa_point_runs *found, stoa_error *err)
{
    uint32_t recent[1 << RECENT_BITS] = {0}; /* index + 1 */

    of->runs.size = 0;
    of->chunks.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&of->runs, found->n * sizeof(slice_run), err));
    slice_run *runs = (slice_run *)(void *)of->runs.data;
    of->runs.size = found->n * sizeof *runs;
    for (size_t i = 0; i < found->n; i++) {
        const uint64_t number = found->runs[i].number;
        uint32_t *place = &recent[number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - RECENT_BITS)];
        const slice_chunk *chunks = (const slice_chunk *)(const void *)of->chunks.data;
        if (*place == 0 || chunks[*place - 1].number != number) {
            const slice_chunk chunk = {.number = number};
            STOA_RETURN_NOT_OK(stoa_buffer_append(&of->chunks, &chunk, sizeof chunk, err));
            *place = (uint32_t)(of->chunks.size / sizeof chunk);
        }
        runs[i] = (slice_run){*place - 1, (uint32_t)found->runs[i].n};
    }
    return STOA_OK;
}

static stoa_status locate(stream *s, unsigned worker, uint64_t number, stoa_error *err)
{
    const stoa_point_source *source = s->g->source;
    stoa_point_groups *sorted = &s->g->sorted;
    slice *of = slice_of(s, number);
    const uint32_t n = points_in(s, number);
    const uint64_t first = s->g->start + number * SLICE;
    stoa_point_runs found = {.runs = stoa_point_groups_room(sorted, worker)};

    source->locate(source->context, &s->g->store->shape, first, first + n, &found, of->places);
    of->is_left = found.n > n / SHORT_RUN;
    if (of->is_left) {
        memcpy(sorted->places + number * SLICE, of->places, n * sizeof *of->places);
        STOA_RETURN_NOT_OK(stoa_buffer_append(&sorted->runs[number], found.runs,
                                              found.n * sizeof *found.runs, err));
    } else {
        STOA_RETURN_NOT_OK(note_runs(of, &found, err));
    }
    atomic_store(&of->is_located, true);
    return STOA_OK;
}

static stoa_status unpack(const stream *s, unsigned worker, size_t which, stoa_error *err)
{
    kept_chunk *kept = s->kept[which];
    const stoa_status status =
        stoa_chunk_task_unpack(s->g->store, s->g->size, &s->g->coders[worker], &kept->piece, err);

    if (status == STOA_OK) {
        atomic_store(&kept->is_ready, true);
    }
    return status;
}

static void look_up(stream *s, uint64_t number)
{
    static const stoa_sparse_chunk none = {.n = 0};
    const stoa_points_lookup *g = s->g;
    slice *of = slice_of(s, number);
    slice_chunk *chunks = (slice_chunk *)(void *)of->chunks.data;
    const slice_run *runs = (const slice_run *)(const void *)of->runs.data;
    const uint32_t *places = of->places;
    stoa_chunk_cursor_get *get = stoa_chunk_cursor_get_of(stoa_simd_of_cpu());
    uint8_t *to = g->values + number * SLICE * g->size;

    for (size_t i = 0; i < of->chunks.size / sizeof *chunks; i++) {
        const stoa_sparse_chunk *list = chunks[i].kept->piece.list;
        chunks[i].finger = (stoa_chunk_cursor){.list = list != NULL ? list : &none};
    }
    for (size_t i = 0; i < of->runs.size / sizeof *runs; i++) {
        get(&chunks[runs[i].chunk].finger, places, runs[i].n, g->size, g->store->fill_value, to);
        places += runs[i].n;
        to += runs[i].n * g->size;
    }
    atomic_store(&of->is_over, true);
}

static stoa_status do_task(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    stream *s = context;
    const task *t = &s->tasks[part];

    switch (t->kind) {
    case LOCATE:
        return locate(s, worker, t->which, err);
    case UNPACK:
        return unpack(s, worker, t->which, err);
    default:
        look_up(s, t->which);
        return STOA_OK;
    }
}

/* --- the caller's thread --------------------------------------------------------------------- */

/* Add a task without offering it. The caller offers several at once, because waking a thread is
 * slow. */
static void add_task(stream *s, task_kind kind, uint64_t which)
{
    s->tasks[s->n_tasks++] = (task){kind, (uint32_t)which};
}

static void offer(stream *s)
{
    if (s->n_offered < s->n_tasks) {
        s->n_offered = s->n_tasks;
        stoa_job_offer(&s->job, s->n_tasks);
    }
}

/* Read and keep a chunk that was not requested before. */
static stoa_status keep(stream *s, uint64_t number, stoa_error *err)
{
    stoa_store *store = s->g->store;
    const stoa_box all = stoa_shape_all(&store->shape);
    kept_chunk *kept = stoa_alloc_zero(1, sizeof *kept);

    STOA_RETURN_NO_MEMORY(err, kept);
    s->kept[s->n_kept] = kept;
    s->n_bytes += sizeof *kept;
    if (stoa_store_is_empty(stoa_directory_find(&store->directory, number))) {
        atomic_store(&kept->is_ready, true);
        s->n_kept++;
        return STOA_OK;
    }
    s->n_kept++;
    STOA_RETURN_NOT_OK(stoa_chunk_task_open(store, &all, number, &kept->piece, err));
    STOA_RETURN_NOT_OK(stoa_chunk_task_load(store, &kept->piece, err));
    const stoa_buffer *raw = &kept->piece.raw;
    if (raw->size > 0) {
        uint64_t n = 0;
        const bool is_known =
            stoa_sparse_chunk_claim(&store->format, raw->data, raw->size, raw->size, &n);
        s->n_bytes +=
            raw->size + (is_known ? n : store->format.n_elements) * (sizeof(uint32_t) + s->g->size);
    }
    if (store->coder.foreign != NULL) { /* libhdf5 runs filters on this thread only */
        STOA_RETURN_NOT_OK(unpack(s, 0, s->n_kept - 1, err));
    } else {
        add_task(s, UNPACK, s->n_kept - 1);
    }
    return STOA_OK;
}

/* Keep all chunks of a slice, if possible. *are_kept says whether all are kept. */
static stoa_status keep_all(stream *s, slice *of, bool *are_kept, stoa_error *err)
{
    slice_chunk *chunks = (slice_chunk *)(void *)of->chunks.data;

    *are_kept = true;
    for (size_t i = 0; *are_kept && i < of->chunks.size / sizeof *chunks; i++) {
        size_t id = 0;
        STOA_RETURN_NOT_OK(stoa_point_group_of(&s->numbered, chunks[i].number, &id, err));
        if (id == s->n_kept && !s->is_full) {
            STOA_RETURN_NOT_OK(keep(s, chunks[i].number, err));
            s->is_full = s->n_kept == s->most_kept || s->n_bytes > s->g->store->cache.bound;
        }
        *are_kept = id < s->n_kept;
        chunks[i].kept = *are_kept ? s->kept[id] : NULL;
    }
    return STOA_OK;
}

/* Skip a slice: pass its runs on to the sorted lookup. */
static stoa_status leave_out(stream *s, uint64_t number, stoa_error *err)
{
    stoa_point_groups *sorted = &s->g->sorted;
    slice *of = slice_of(s, number);
    const slice_chunk *chunks = (const slice_chunk *)(const void *)of->chunks.data;
    const slice_run *runs = (const slice_run *)(const void *)of->runs.data;
    const size_t n_runs = of->runs.size / sizeof *runs;

    of->is_left = true;
    memcpy(sorted->places + number * SLICE, of->places, points_in(s, number) * sizeof *of->places);
    for (size_t i = 0; i < n_runs; i++) {
        const stoa_point_run run = {chunks[runs[i].chunk].number, runs[i].n};
        STOA_RETURN_NOT_OK(stoa_buffer_append(&sorted->runs[number], &run, sizeof run, err));
    }
    return STOA_OK;
}

static bool are_ready(const slice *of)
{
    const slice_chunk *chunks = (const slice_chunk *)(const void *)of->chunks.data;

    for (size_t i = 0; i < of->chunks.size / sizeof *chunks; i++) {
        if (!atomic_load(&chunks[i].kept->is_ready)) {
            return false;
        }
    }
    return true;
}

/* Advance all slices as far as possible without waiting. */
static stoa_status go_on(stream *s, size_t *n_left, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (; s->to_open < s->to_fetch && atomic_load(&slice_of(s, s->to_open)->is_located);
         s->to_open++) {
        bool are_kept = true;
        slice *of = slice_of(s, s->to_open);
        if (!of->is_left) {
            STOA_TRY(keep_all(s, of, &are_kept, err));
        }
        if (!are_kept) {
            STOA_TRY(leave_out(s, s->to_open, err));
        }
        *n_left += of->is_left;
    }
    for (; s->to_look < s->to_open; s->to_look++) {
        slice *of = slice_of(s, s->to_look);
        if (of->is_left) {
            atomic_store(&of->is_over, true);
        } else if (are_ready(of)) {
            add_task(s, LOOK, s->to_look);
        } else {
            break;
        }
    }
    while (s->to_end < s->to_look && atomic_load(&slice_of(s, s->to_end)->is_over)) {
        s->to_end++;
    }

done:
    offer(s);
    return status;
}

/* Wait until the slices before `end` are done. Returns early if a worker has failed. */
static stoa_status wait_for(stream *s, uint64_t end, size_t *n_left, stoa_error *err)
{
    bool is_idle = false;

    while (s->to_end < end) {
        const uint64_t before = s->n_tasks + s->to_open + s->to_look + s->to_end;
        STOA_RETURN_NOT_OK(go_on(s, n_left, err));
        if (is_idle && before == s->n_tasks + s->to_open + s->to_look + s->to_end) {
            break;
        }
        is_idle = s->to_end < end && !stoa_job_help(&s->job);
    }
    return STOA_OK;
}

/* Fetch all slices. Stops after a worker's failure. */
static stoa_status fetch_all(stream *s, size_t *n_left, stoa_error *err)
{
    const stoa_point_source *source = s->g->source;

    for (; s->to_fetch < s->n_slices; s->to_fetch++) {
        const uint64_t end = s->to_fetch < UNDER_WAY ? 0 : s->to_fetch - UNDER_WAY + 1;
        STOA_RETURN_NOT_OK(wait_for(s, end, n_left, err));
        if (s->to_end < end) {
            return STOA_OK;
        }
        slice *of = slice_of(s, s->to_fetch);
        const uint64_t first = s->g->start + s->to_fetch * SLICE;
        atomic_store(&of->is_located, false);
        atomic_store(&of->is_over, false);
        if (source->fetch != NULL) {
            STOA_RETURN_NOT_OK(
                source->fetch(source->context, first, first + points_in(s, s->to_fetch), err));
        }
        add_task(s, LOCATE, s->to_fetch);
        offer(s);
        STOA_RETURN_NOT_OK(go_on(s, n_left, err));
    }
    return wait_for(s, s->n_slices, n_left, err);
}

/* --------------------------------------------------------------------------------------------- */

static stoa_status open_stream(stream *s, stoa_error *err)
{
    const stoa_points_lookup *g = s->g;
    const size_t a_slice = g->n < SLICE ? g->n : SLICE;

    s->n_slices = (g->n + SLICE - 1) / SLICE;
    s->most_kept = g->n < MAX_CHUNKS ? g->n : MAX_CHUNKS;
    s->kept = stoa_alloc(s->most_kept, sizeof(kept_chunk *));
    s->tasks = stoa_alloc(2 * (size_t)s->n_slices + s->most_kept, sizeof *s->tasks);
    STOA_RETURN_NO_MEMORY(err, s->kept != NULL && s->tasks != NULL);
    for (uint64_t i = 0; i < s->n_slices; i++) {
        g->sorted.runs[i].size = 0;
        if (i < UNDER_WAY) {
            s->slices[i].places = stoa_alloc(a_slice, sizeof(uint32_t));
            STOA_RETURN_NO_MEMORY(err, s->slices[i].places);
        }
    }
    return STOA_OK;
}

static void close_stream(stream *s)
{
    for (size_t i = 0; i < UNDER_WAY; i++) {
        free(s->slices[i].places);
        stoa_buffer_clear(&s->slices[i].runs);
        stoa_buffer_clear(&s->slices[i].chunks);
    }
    for (size_t i = 0; i < s->n_kept; i++) {
        stoa_chunk_task_clear(&s->kept[i]->piece);
        free(s->kept[i]);
    }
    free(s->kept);
    free(s->tasks);
    stoa_point_groups_clear(&s->numbered);
    free(s);
}

stoa_status stoa_points_stream(stoa_points_lookup *getting, size_t *n_left, stoa_error *err)
{
    stream *s = stoa_alloc_zero(1, sizeof *s);
    stoa_error own = STOA_ERROR_INIT; /* of this thread */
    stoa_status status = STOA_OK;

    *n_left = 0;
    STOA_RETURN_NO_MEMORY(err, s);
    s->g = getting;
    STOA_TRY(open_stream(s, err));
    stoa_job_begin(&s->job, getting->workers, 2 * s->n_slices, do_task, s);
    const stoa_status fetched = fetch_all(s, n_left, &own);
    status = stoa_job_end(&s->job, err);
    /* A worker's failure precedes that of this thread, so it is reported. */
    if (status == STOA_OK && fetched != STOA_OK) {
        status = fetched;
        if (err != NULL) {
            *err = own;
        }
    }

done:
    close_stream(s);
    return status;
}
