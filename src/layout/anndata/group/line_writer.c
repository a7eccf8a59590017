/*
 * Lines of groups, gathered into a new one (line_writer.h).
 *
 * What is announced is kept as runs of adjacent entries of one group. As soon as the runs fill
 * chunks of the result, threads read, renumber and encode these, each chunk on its own. If entries
 * are dropped, runs are short and their entries are counted first, so that the place of each run is
 * known. Entries of a chunk that is not full yet are put into memory before their group is closed.
 */
#include "layout/anndata/group/line_writer.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/threads.h"
#include "hdf/chunk/chunk_writer.h"
#include "layout/common/extent.h"
#include "layout/subset/lines.h"

enum {
    MAX_THREADS = 8,
    MAX_RUNS = 1 << 15,    /* announced before complete chunks are written */
    MAX_ENTS = 1 << 13,    /* ends that are written at a time */
    RUN_ENTRIES = 1 << 16, /* if some are dropped */
    MAX_CHUNK = 1 << 20,
    CHUNK_ENTRIES = 1 << 16 /* if the datasets differ in their chunks, or have none */
};

/* Adjacent entries of a group, which become adjacent entries of the result. */
typedef struct run {
    const stoa_line_source *from;
    uint64_t first;
    uint64_t n;
    uint64_t to; /* its first entry in the result */
    uint64_t n_kept;
} run;

/* What a thread needs. */
typedef struct worker {
    stoa_scratch in;
    stoa_scratch out;
    uint8_t *indices; /* a chunk of the result */
    uint8_t *values;
    uint8_t *more_indices; /* a run of which some are dropped */
    uint8_t *more_values;
    stoa_buffer packed;
} worker;

struct stoa_line_writer {
    bool is_writing;
    stoa_chunk_writer writers[STOA_LINE_PARTS];
    hid_t values; /* borrowed */
    unsigned index_size;
    size_t size;    /* of a value */
    uint64_t chunk; /* entries that are written at once */
    stoa_workers *workers;
    worker each[MAX_THREADS];
    stoa_buffer runs;   /* run */
    uint64_t extent;    /* of the datasets */
    uint64_t n_entries; /* announced */
    uint64_t n_written; /* whole chunks */
    uint64_t n_held;    /* behind these, in the buffers of the first worker */
    uint64_t n_lines;
    size_t n_ends; /* in `ends` */
    int64_t ends[MAX_ENTS];
};

/* --- opening --------------------------------------------------------------------------------- */

stoa_status stoa_line_writer_workers(unsigned n, unsigned most, stoa_workers **workers,
                                     stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_workers_open(n, workers, err));
    if (stoa_workers_count(*workers) > most) {
        stoa_workers_close(*workers);
        *workers = NULL;
        return stoa_workers_open(most, workers, err);
    }
    return STOA_OK;
}

static stoa_status open_writers(stoa_line_writer *g, const hid_t *datasets, stoa_error *err)
{
    const hid_t types[] = {H5T_NATIVE_INT64,
                           g->index_size == 4 ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64, g->values};
    hsize_t extents[H5S_MAX_RANK] = {0};
    uint64_t extent = 0;
    int rank = 0;

    for (int i = 0; i < STOA_LINE_PARTS; i++) {
        g->writers[i].is_new = i != STOA_LINE_ENDS;
        STOA_RETURN_NOT_OK(stoa_chunk_writer_open(&g->writers[i], datasets[i], types[i], err));
        STOA_RETURN_NOT_OK(g->writers[i].is_ours
                               ? stoa_chunk_writer_begin(&g->writers[i], &extent, err)
                               : STOA_OK);
    }
    STOA_RETURN_NOT_OK(stoa_extent_read(datasets[STOA_LINE_VALUES], &rank, extents, err));
    g->extent = extents[0];
    const uint64_t rows = g->writers[STOA_LINE_VALUES].chunk_rows;
    const bool are_alike =
        rows > 0 && rows <= MAX_CHUNK && rows == g->writers[STOA_LINE_INDICES].chunk_rows;
    g->chunk = are_alike ? rows : CHUNK_ENTRIES;
    return stoa_chunk_writer_write(&g->writers[STOA_LINE_ENDS], 0, 1, &(int64_t){0}, err);
}

stoa_status stoa_line_writer_open(const hid_t *datasets, hid_t values, unsigned index_size,
                                  unsigned threads, stoa_line_writer **writer, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_line_writer *const g = stoa_alloc_zero(1, sizeof *g);

    *writer = NULL;
    STOA_RETURN_NO_MEMORY(err, g);
    for (int i = 0; i < STOA_LINE_PARTS; i++) {
        g->writers[i] = (stoa_chunk_writer)STOA_CHUNK_WRITER_INIT;
    }
    g->is_writing = datasets != NULL;
    g->values = values;
    g->index_size = index_size;
    g->size = H5Tget_size(values);
    STOA_TRY(stoa_line_writer_workers(threads, MAX_THREADS, &g->workers, err));
    STOA_TRY(datasets != NULL ? open_writers(g, datasets, err) : STOA_OK);
    *writer = g;
    return STOA_OK;

done:
    stoa_line_writer_close(g);
    return status;
}

void stoa_line_writer_close(stoa_line_writer *g)
{
    if (g == NULL) {
        return;
    }
    for (int i = 0; i < STOA_LINE_PARTS; i++) {
        stoa_chunk_writer_close(&g->writers[i]);
    }
    for (int i = 0; i < MAX_THREADS; i++) {
        worker *const w = &g->each[i];
        stoa_scratch_clear(&w->in);
        stoa_scratch_clear(&w->out);
        stoa_buffer_clear(&w->packed);
        free(w->indices);
        free(w->values);
        free(w->more_indices);
        free(w->more_values);
    }
    stoa_buffer_clear(&g->runs);
    stoa_workers_close(g->workers);
    free(g);
}

uint64_t stoa_line_writer_n_entries(const stoa_line_writer *g)
{
    return g->n_entries;
}

/* --- entries --------------------------------------------------------------------------------- */

static stoa_status say_where(const stoa_line_source *from, stoa_status status, stoa_error *err)
{
    return from->file != NULL ? stoa_within(err, status, "%s:%s", from->file, from->path) : status;
}

static stoa_status refuse(const stoa_line_source *from, int64_t index, stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA, "'indices' has %lld; there are %llu %s", (long long)index,
                     (unsigned long long)from->n_across, from->group->is_csr ? "columns" : "rows");
}

static stoa_status read_part(const stoa_line_writer *g, stoa_anndata_group_part *part,
                             const char *name, uint64_t first, uint64_t n, worker *w, void *out,
                             stoa_error *err)
{
    return stoa_at(err,
                   stoa_checked_reader_read(&part->reader, first, n, &w->in, g->workers, out, err),
                   "%s", name);
}

/* The first of n indices that is not below `end`, as an unsigned number; n if all are. */
static uint64_t find_beyond(const uint8_t *indices, unsigned size, uint64_t n, uint64_t end)
{
    uint64_t largest = 0;

    if (size == sizeof(int32_t)) {
        const uint32_t *const narrow = (const uint32_t *)(const void *)indices;
        uint32_t most = 0;
        for (uint64_t i = 0; i < n; i++) {
            most = narrow[i] > most ? narrow[i] : most;
        }
        largest = most;
    } else {
        const uint64_t *const wide = (const uint64_t *)(const void *)indices;
        for (uint64_t i = 0; i < n; i++) {
            largest = wide[i] > largest ? wide[i] : largest;
        }
    }
    if (n == 0 || largest < end) {
        return n;
    }
    uint64_t i = 0;
    while ((uint64_t)stoa_anndata_index(indices, size, i) < end) {
        i++;
    }
    return i;
}

static stoa_status read_indices(const stoa_line_writer *g, const stoa_line_source *from,
                                uint64_t first, uint64_t n, worker *w, uint8_t *out,
                                stoa_error *err)
{
    const unsigned size = from->group->index_size;

    STOA_RETURN_NOT_OK(read_part(g, &from->group->indices, "indices", first, n, w, out, err));
    const uint64_t bad = find_beyond(out, size, n, from->n_across);
    return bad == n ? STOA_OK : refuse(from, stoa_anndata_index(out, size, bad), err);
}

static stoa_status need(uint8_t **block, uint64_t n, size_t size, stoa_error *err)
{
    if (*block == NULL) {
        *block = stoa_alloc_aligned(64, (size_t)n * size);
    }
    return *block != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Buffers for a run of which some entries are dropped, or whose indices get another width. */
static stoa_status need_more(const stoa_line_writer *g, worker *w, stoa_error *err)
{
    STOA_RETURN_NOT_OK(need(&w->more_indices, RUN_ENTRIES, sizeof(int64_t), err));
    return g->is_writing ? need(&w->more_values, RUN_ENTRIES, g->size, err) : STOA_OK;
}

/* Copy the indices of entries [first, first + n), all of which are kept. */
static stoa_status copy_indices(const stoa_line_writer *g, const stoa_line_source *from,
                                uint64_t first, uint64_t n, worker *w, uint8_t *indices,
                                stoa_error *err)
{
    const unsigned size = from->group->index_size;
    uint8_t *const read = size == g->index_size ? indices : w->more_indices;

    STOA_RETURN_NOT_OK(read_indices(g, from, first, n, w, read, err));
    if (from->places != NULL) {
        for (uint64_t i = 0; i < n; i++) {
            const int64_t index = stoa_anndata_index(read, size, i);
            stoa_anndata_put_index(indices, g->index_size, i, from->places[index]);
        }
    } else if (size != g->index_size || from->more != 0) {
        for (uint64_t i = 0; i < n; i++) {
            const int64_t index = stoa_anndata_index(read, size, i);
            stoa_anndata_put_index(indices, g->index_size, i, index + (int64_t)from->more);
        }
    }
    return STOA_OK;
}

/* Copy n entries of a run, all of which are kept, from its entry `skip` on. */
static stoa_status copy_all(const stoa_line_writer *g, const run *r, uint64_t skip, uint64_t n,
                            worker *w, uint8_t *indices, uint8_t *values, stoa_error *err)
{
    STOA_RETURN_NOT_OK(need_more(g, w, err));
    for (uint64_t at = 0; at < n; at += RUN_ENTRIES) {
        const uint64_t some = n - at < RUN_ENTRIES ? n - at : RUN_ENTRIES;
        STOA_RETURN_NOT_OK(copy_indices(g, r->from, r->first + skip + at, some, w,
                                        indices + at * g->index_size, err));
    }
    return read_part(g, &r->from->group->values, "data", r->first + skip, n, w, values, err);
}

/* Copy n kept entries, from entry `at` on. */
static void keep_any(const stoa_line_writer *g, const run *r, uint64_t at, uint64_t n,
                     const worker *w, uint8_t *indices, uint8_t *values)
{
    const unsigned size = r->from->group->index_size;
    const size_t width = g->size;

    for (uint64_t to = 0; to < n; at++) {
        const uint32_t place = r->from->places[stoa_anndata_index(w->more_indices, size, at)];
        if (place != STOA_LINE_DROPPED) {
            stoa_anndata_put_index(indices, g->index_size, to, place);
            memcpy(values + to++ * width, w->more_values + at * width, width);
        }
    }
}

/* The same for indices and values of 4 bytes, without branches. */
static void keep_words(const run *r, uint64_t at, uint64_t n, const worker *w, uint32_t *indices,
                       uint32_t *values)
{
    const uint32_t *const from = (const uint32_t *)(const void *)w->more_indices;
    const uint32_t *const value = (const uint32_t *)(const void *)w->more_values;
    const uint32_t *const places = r->from->places;

    for (uint64_t to = 0; to < n; at++) {
        const uint32_t place = places[from[at]];
        indices[to] = place;
        values[to] = value[at];
        to += place != STOA_LINE_DROPPED;
    }
}

/* Copy n kept entries of a run, from its kept entry `skip` on. */
static stoa_status copy_kept(const stoa_line_writer *g, const run *r, uint64_t skip, uint64_t n,
                             worker *w, uint8_t *indices, uint8_t *values, stoa_error *err)
{
    const stoa_line_source *const from = r->from;
    const unsigned size = from->group->index_size;
    uint64_t at = 0;

    STOA_RETURN_NOT_OK(need_more(g, w, err));
    STOA_RETURN_NOT_OK(read_indices(g, from, r->first, r->n, w, w->more_indices, err));
    STOA_RETURN_NOT_OK(
        read_part(g, &from->group->values, "data", r->first, r->n, w, w->more_values, err));
    for (uint64_t kept = 0; kept < skip; at++) {
        kept += from->places[stoa_anndata_index(w->more_indices, size, at)] != STOA_LINE_DROPPED;
    }
    if (size == 4 && g->index_size == 4 && g->size == 4) {
        keep_words(r, at, n, w, (uint32_t *)(void *)indices, (uint32_t *)(void *)values);
    } else {
        keep_any(g, r, at, n, w, indices, values);
    }
    return STOA_OK;
}

static const run *runs_of(const stoa_line_writer *g, size_t *n)
{
    *n = g->runs.size / sizeof(run);
    return (const run *)(const void *)g->runs.data;
}

/* The run that has an entry of the result; the one behind the last one if there is none. */
static size_t find_run(const stoa_line_writer *g, uint64_t entry)
{
    size_t low = 0;
    size_t high = 0;
    const run *const runs = runs_of(g, &high);

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (runs[middle].to + runs[middle].n_kept <= entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Put entries [first, first + n) of the result, which runs have, into memory. */
static stoa_status fill(const stoa_line_writer *g, uint64_t first, uint64_t n, worker *w,
                        uint8_t *indices, uint8_t *values, stoa_error *err)
{
    size_t n_runs = 0;
    const run *const runs = runs_of(g, &n_runs);

    for (size_t i = find_run(g, first); n > 0 && i < n_runs; i++) {
        const run *const r = &runs[i];
        const uint64_t skip = first - r->to;
        const uint64_t some = r->n_kept - skip < n ? r->n_kept - skip : n;
        if (some > 0) {
            const stoa_status status =
                (r->from->drops ? copy_kept : copy_all)(g, r, skip, some, w, indices, values, err);
            STOA_RETURN_NOT_OK(say_where(r->from, status, err));
        }
        first += some;
        n -= some;
        indices += some * g->index_size;
        values += some * g->size;
    }
    return STOA_OK;
}

/* --- chunks ---------------------------------------------------------------------------------- */

/* Write n entries of one dataset; a whole chunk, or the last one. */
static stoa_status put(stoa_line_writer *g, stoa_chunk_writer *writer, uint64_t first, uint64_t n,
                       const uint8_t *elements, worker *w, stoa_error *err)
{
    stoa_packed_chunk packed = {.number = writer->chunk_rows > 0 ? first / writer->chunk_rows : 0,
                                .n_bytes = writer->pipeline.chunk_bytes};
    const uint8_t *bytes = elements;
    stoa_status status = STOA_OK;

    if (!stoa_chunk_writer_packs(writer) || writer->chunk_rows != g->chunk) {
        stoa_workers_lock(g->workers);
        status = stoa_chunk_writer_write(writer, first, n, elements, err);
        stoa_workers_unlock(g->workers);
        return status;
    }
    if (writer->pipeline.n_filters > 0 || n < g->chunk) {
        w->packed.size = 0;
        STOA_RETURN_NOT_OK(stoa_chunk_pack(writer, elements, n, &w->out, &packed, &w->packed, err));
        bytes = w->packed.data;
    }
    stoa_workers_lock(g->workers);
    status = stoa_chunk_put(writer, &packed, bytes, err);
    stoa_workers_unlock(g->workers);
    return status;
}

static stoa_status put_both(stoa_line_writer *g, uint64_t first, uint64_t n, worker *w,
                            stoa_error *err)
{
    STOA_RETURN_NOT_OK(put(g, &g->writers[STOA_LINE_INDICES], first, n, w->indices, w, err));
    return put(g, &g->writers[STOA_LINE_VALUES], first, n, w->values, w, err);
}

static stoa_status need_chunk(const stoa_line_writer *g, worker *w, stoa_error *err)
{
    STOA_RETURN_NOT_OK(need(&w->indices, g->chunk, g->index_size, err));
    return need(&w->values, g->chunk, g->size, err);
}

/* A stoa_part. */
static stoa_status write_chunk(void *context, unsigned number, uint64_t part, stoa_error *err)
{
    stoa_line_writer *const g = context;
    worker *const w = &g->each[number];
    const uint64_t first = g->n_written + part * g->chunk;

    STOA_RETURN_NOT_OK(need_chunk(g, w, err));
    STOA_RETURN_NOT_OK(fill(g, first, g->chunk, w, w->indices, w->values, err));
    return put_both(g, first, g->chunk, w, err);
}

/* Forget the runs whose entries were written, or are held. */
static void forget_runs(stoa_line_writer *g)
{
    const size_t n = find_run(g, g->n_written + g->n_held) * sizeof(run);

    if (n > 0) { /* else there may be no runs, and no buffer */
        memmove(g->runs.data, g->runs.data + n, g->runs.size - n);
        g->runs.size -= n;
    }
}

/* Hold entries of the chunk that is not full, as many as there are. */
static stoa_status hold(stoa_line_writer *g, stoa_error *err)
{
    worker *const w = &g->each[0];
    const uint64_t first = g->n_written + g->n_held;
    const uint64_t left = g->chunk - g->n_held;
    const uint64_t n = g->n_entries - first < left ? g->n_entries - first : left;

    STOA_RETURN_NOT_OK(need_chunk(g, w, err));
    STOA_RETURN_NOT_OK(fill(g, first, n, w, w->indices + g->n_held * g->index_size,
                            w->values + g->n_held * g->size, err));
    g->n_held += n;
    if (g->n_held == g->chunk) {
        STOA_RETURN_NOT_OK(put_both(g, g->n_written, g->chunk, w, err));
        g->n_written += g->chunk;
        g->n_held = 0;
    }
    return STOA_OK;
}

/* Write all chunks that are complete. */
static stoa_status write_chunks(stoa_line_writer *g, stoa_error *err)
{
    if (!g->is_writing) {
        return STOA_OK;
    }
    if (g->n_entries - g->n_written >= g->chunk) {
        STOA_RETURN_NOT_OK(g->n_held > 0 ? hold(g, err) : STOA_OK);
        const uint64_t n = (g->n_entries - g->n_written) / g->chunk;
        STOA_RETURN_NOT_OK(stoa_workers_run(g->workers, n, write_chunk, g, err));
        g->n_written += n * g->chunk;
    }
    forget_runs(g);
    return STOA_OK;
}

stoa_status stoa_line_writer_settle(stoa_line_writer *g, stoa_error *err)
{
    if (g->is_writing) {
        STOA_RETURN_NOT_OK(write_chunks(g, err));
        STOA_RETURN_NOT_OK(g->n_entries > g->n_written + g->n_held ? hold(g, err) : STOA_OK);
        forget_runs(g);
    }
    for (int i = 0; i < MAX_THREADS; i++) { /* a decoded chunk of a group that is closed next */
        g->each[i].in.kept = NULL;
    }
    return STOA_OK;
}

/* --- lines ----------------------------------------------------------------------------------- */

static stoa_status write_ends(stoa_line_writer *g, stoa_error *err)
{
    if (g->is_writing && g->n_ends > 0) {
        STOA_RETURN_NOT_OK(stoa_chunk_writer_write(
            &g->writers[STOA_LINE_ENDS], g->n_lines - g->n_ends + 1, g->n_ends, g->ends, err));
    }
    g->n_ends = 0;
    return STOA_OK;
}

static stoa_status end_line_at(stoa_line_writer *g, uint64_t entry, stoa_error *err)
{
    g->n_lines++;
    g->ends[g->n_ends++] = (int64_t)entry;
    return g->n_ends == MAX_ENTS ? write_ends(g, err) : STOA_OK;
}

stoa_status stoa_line_writer_end_line(stoa_line_writer *g, stoa_error *err)
{
    return end_line_at(g, g->n_entries, err);
}

static stoa_status check_end(const stoa_line_source *from, int64_t end, stoa_error *err)
{
    if ((uint64_t)end <= from->group->values.n) {
        return STOA_OK;
    }
    const stoa_status status =
        stoa_fail(err, STOA_EDATA, "'indptr' has %lld; there are %llu entries", (long long)end,
                  (unsigned long long)from->group->values.n);
    return say_where(from, status, err);
}

static stoa_status add_run(stoa_line_writer *g, const stoa_line_source *from, uint64_t first,
                           uint64_t n, stoa_error *err)
{
    const run added = {from, first, n, g->n_entries, n};

    if (g->runs.size > 0) {
        run *const last = (run *)(void *)(g->runs.data + g->runs.size - sizeof(run));
        if (last->from == from && last->first + last->n == first) {
            last->n = last->n_kept += n;
            return STOA_OK;
        }
    }
    return n > 0 ? stoa_buffer_append(&g->runs, &added, sizeof added, err) : STOA_OK;
}

stoa_status stoa_line_writer_entries(stoa_line_writer *g, const stoa_line_source *from,
                                     int64_t begin, int64_t end, stoa_error *err)
{
    STOA_RETURN_NOT_OK(check_end(from, end, err));
    STOA_RETURN_NOT_OK(add_run(g, from, (uint64_t)begin, (uint64_t)(end - begin), err));
    g->n_entries += (uint64_t)(end - begin);
    return g->runs.size >= MAX_RUNS * sizeof(run) ? write_chunks(g, err) : STOA_OK;
}

/* Lines of which some entries are dropped. */
typedef struct counting {
    stoa_line_writer *g;
    const stoa_line_source *from;
    const int64_t *at;
    uint64_t n;
    run *runs;
    uint64_t *n_kept; /* of each line, which several runs may share */
} counting;

/* Count what a run keeps of each line. A stoa_part. */
static stoa_status count_run(void *context, unsigned number, uint64_t part, stoa_error *err)
{
    const counting *const c = context;
    run *const r = &c->runs[part];
    worker *const w = &c->g->each[number];
    const unsigned size = c->from->group->index_size;
    uint64_t line = 0;
    uint64_t n = 0;

    STOA_RETURN_NOT_OK(need_more(c->g, w, err));
    STOA_RETURN_NOT_OK(say_where(
        c->from, read_indices(c->g, c->from, r->first, r->n, w, w->more_indices, err), err));
    for (uint64_t high = c->n; line < high;) { /* the line of the first entry */
        const uint64_t middle = line + (high - line) / 2;
        if ((uint64_t)c->at[middle + 1] <= r->first) {
            line = middle + 1;
        } else {
            high = middle;
        }
    }
    for (uint64_t i = 0; i < r->n; line++) {
        const uint64_t end = (uint64_t)c->at[line + 1] - r->first;
        const uint64_t before = n;
        for (; i < end && i < r->n; i++) {
            n += c->from->places[stoa_anndata_index(w->more_indices, size, i)] != STOA_LINE_DROPPED;
        }
        __atomic_fetch_add(&c->n_kept[line], n - before, __ATOMIC_RELAXED);
    }
    r->n_kept = n;
    return STOA_OK;
}

static stoa_status take_some(stoa_line_writer *g, const stoa_line_source *from, const int64_t *at,
                             uint64_t n, stoa_error *err)
{
    const uint64_t n_all = (uint64_t)(at[n] - at[0]);
    const uint64_t n_runs = (n_all + RUN_ENTRIES - 1) / RUN_ENTRIES;
    counting c = {g,
                  from,
                  at,
                  n,
                  stoa_alloc((size_t)n_runs + 1, sizeof *c.runs),
                  stoa_alloc_zero((size_t)n + 1, sizeof *c.n_kept)};
    uint64_t end = g->n_entries;
    stoa_status status = STOA_OK;

    STOA_TRY(c.runs != NULL && c.n_kept != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < n_runs; i++) {
        const uint64_t skip = i * RUN_ENTRIES;
        c.runs[i] = (run){.from = from,
                          .first = (uint64_t)at[0] + skip,
                          .n = n_all - skip < RUN_ENTRIES ? n_all - skip : RUN_ENTRIES};
    }
    STOA_TRY(stoa_workers_run(g->workers, n_runs, count_run, &c, err));
    for (uint64_t i = 0; i < n_runs; i++) {
        c.runs[i].to = g->n_entries;
        g->n_entries += c.runs[i].n_kept;
    }
    STOA_TRY(g->is_writing ? stoa_buffer_append(&g->runs, c.runs, n_runs * sizeof(run), err)
                           : STOA_OK);
    for (uint64_t i = 0; i < n; i++) {
        end += c.n_kept[i];
        STOA_TRY(end_line_at(g, end, err));
    }

done:
    free(c.runs);
    free(c.n_kept);
    return status;
}

stoa_status stoa_line_writer_lines(stoa_line_writer *g, const stoa_line_source *from,
                                   const int64_t *at, uint64_t n, stoa_error *err)
{
    const uint64_t before = g->n_entries;

    STOA_RETURN_NOT_OK(check_end(from, at[n], err));
    if (from->drops) {
        STOA_RETURN_NOT_OK(take_some(g, from, at, n, err));
        return write_chunks(g, err);
    }
    STOA_RETURN_NOT_OK(stoa_line_writer_entries(g, from, at[0], at[n], err));
    for (uint64_t i = 1; i <= n; i++) {
        STOA_RETURN_NOT_OK(end_line_at(g, before + (uint64_t)(at[i] - at[0]), err));
    }
    return write_chunks(g, err);
}

/* --- the end --------------------------------------------------------------------------------- */

stoa_status stoa_line_writer_finish(stoa_line_writer *g, stoa_error *err)
{
    worker *const w = &g->each[0];

    STOA_RETURN_NOT_OK(stoa_line_writer_settle(g, err));
    STOA_RETURN_NOT_OK(write_ends(g, err));
    STOA_RETURN_NOT_OK(g->n_held > 0 ? put_both(g, g->n_written, g->n_held, w, err) : STOA_OK);
    for (int i = 0; g->is_writing && i < STOA_LINE_PARTS; i++) {
        stoa_chunk_writer *const writer = &g->writers[i];
        STOA_RETURN_NOT_OK(stoa_chunk_writer_flush(writer, err));
        STOA_RETURN_NOT_OK(stoa_chunk_writer_settle(writer, err));
        if (i != STOA_LINE_ENDS && g->n_entries < g->extent) {
            STOA_RETURN_NOT_OK(stoa_chunk_writer_resize(writer, g->n_entries, err));
        }
    }
    return STOA_OK;
}
