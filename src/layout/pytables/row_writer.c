/*
 * Writes rows of tables as records (row_writer.h).
 *
 * Threads pack the rows of whole chunks and encode them. The calling thread writes the chunks in
 * their order, so the file does not depend on the number of threads. Rows that need H5Tconvert(),
 * and those of a chunk that a batch leaves incomplete, are packed by the calling thread.
 */
#include "layout/pytables/row_writer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Bytes of rows that the calling thread packs at a time, so that they stay in the processor's
 * cache. */
#define ROWS_BYTES ((size_t)1 << 20)
/* Larger chunks would need too much memory for each thread. */
#define MAX_CHUNK_BYTES ((size_t)4 << 20)

struct stoa_row_worker {
    stoa_scratch scratch;
    uint8_t *rows; /* of one chunk; NULL until first needed */
};

/* A chunk that is being encoded, or waits to be written. */
struct stoa_row_chunk {
    stoa_packed_chunk packed;
    stoa_buffer bytes;
    atomic_bool is_whole;
};

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status open_workers(stoa_row_writer *w, unsigned threads, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_workers_open(threads, &w->workers, err));
    const size_t n = stoa_workers_count(w->workers);
    w->n_chunks = 2 * n;
    w->each = stoa_alloc_zero(n, sizeof *w->each);
    w->chunks = stoa_alloc_zero(w->n_chunks, sizeof *w->chunks);
    STOA_RETURN_NO_MEMORY(err, w->each != NULL && w->chunks != NULL);
    return STOA_OK;
}

stoa_status stoa_row_writer_open(stoa_row_writer *w, stoa_pack *rows, hid_t dataset, hid_t type,
                                 uint64_t first, unsigned threads, stoa_error *err)
{
    const bool is_converted = type != rows->stored;
    const size_t widest = rows->size > H5Tget_size(type) ? rows->size : H5Tget_size(type);

    *w = (stoa_row_writer){
        .rows = rows, .type = type, .first = first, .writer = STOA_CHUNK_WRITER_INIT};
    w->n_block = widest < ROWS_BYTES ? (int64_t)(ROWS_BYTES / widest) : 1;
    w->block = stoa_alloc((size_t)w->n_block, widest);
    STOA_RETURN_NO_MEMORY(err, w->block);
    w->background = is_converted ? stoa_alloc_zero((size_t)w->n_block, widest) : NULL;
    if (is_converted) {
        STOA_RETURN_NO_MEMORY(err, w->background);
    }
    STOA_RETURN_NOT_OK(stoa_chunk_writer_open(&w->writer, dataset, type, err));
    const bool encodes = !is_converted && stoa_chunk_writer_packs(&w->writer) &&
                         w->writer.pipeline.chunk_bytes <= MAX_CHUNK_BYTES;
    return encodes ? open_workers(w, threads, err) : STOA_OK;
}

void stoa_row_writer_close(stoa_row_writer *w)
{
    for (unsigned i = 0; w->each != NULL && i < stoa_workers_count(w->workers); i++) {
        stoa_scratch_clear(&w->each[i].scratch);
        free(w->each[i].rows);
    }
    for (size_t i = 0; w->chunks != NULL && i < w->n_chunks; i++) {
        stoa_buffer_clear(&w->chunks[i].bytes);
    }
    free(w->each);
    free(w->chunks);
    stoa_workers_close(w->workers);
    stoa_chunk_writer_close(&w->writer);
    free(w->background);
    free(w->block);
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Rows of a batch, on the calling thread. */
static stoa_status put_some(stoa_row_writer *w, const stoa_view *view, uint64_t first, int64_t from,
                            stoa_error *err)
{
    for (int64_t done = from; done < view->length; done += w->n_block) {
        const int64_t n = view->length - done < w->n_block ? view->length - done : w->n_block;
        memset(w->block, 0, (size_t)n * w->rows->size);
        STOA_RETURN_NOT_OK(stoa_pack_rows(w->rows, view, done, n, w->block, err));
        if (w->background != NULL) {
            STOA_RETURN_HDF_ERROR(err,
                                  H5Tconvert(w->rows->stored, w->type, (size_t)n, w->block,
                                             w->background, H5P_DEFAULT),
                                  "convert rows");
        }
        STOA_RETURN_NOT_OK(stoa_chunk_writer_write(&w->writer, first + (uint64_t)done, (uint64_t)n,
                                                   w->block, err));
    }
    return STOA_OK;
}

/* The chunks that a batch completes. The first may hold rows of earlier batches. */
typedef struct completed {
    stoa_row_writer *w;
    const stoa_view *view;
    uint64_t first;  /* row of the dataset, of the batch's first row */
    uint64_t n_head; /* rows of the batch that are in the first chunk */
    uint64_t n;      /* chunks */
} completed;

static stoa_status encode_chunk(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    const completed *c = context;
    stoa_row_writer *const w = c->w;
    stoa_row_worker *const own = &w->each[worker];
    stoa_row_chunk *const chunk = &w->chunks[number % w->n_chunks];
    const uint64_t chunk_rows = w->writer.chunk_rows;
    const uint64_t from = number == 0 ? 0 : c->n_head + (number - 1) * chunk_rows;
    uint64_t n = number == 0 ? c->n_head : chunk_rows;
    bool is_packed = false;

    own->rows =
        own->rows != NULL ? own->rows : stoa_alloc_aligned(64, w->writer.pipeline.chunk_bytes);
    STOA_RETURN_NO_MEMORY(err, own->rows);
    memset(own->rows, 0, (size_t)n * w->rows->size);
    STOA_RETURN_NOT_OK(stoa_pack_rows(w->rows, c->view, (int64_t)from, (int64_t)n, own->rows, err));
    if (n < chunk_rows) {
        STOA_RETURN_NOT_OK(stoa_chunk_complete(&w->writer, c->first, own->rows, n, false,
                                               &own->scratch, &chunk->packed, &chunk->bytes, &n,
                                               &is_packed, err));
    } else {
        chunk->packed.number = (c->first + from) / chunk_rows;
        STOA_RETURN_NOT_OK(stoa_chunk_pack(&w->writer, own->rows, n, &own->scratch, &chunk->packed,
                                           &chunk->bytes, err));
    }
    atomic_store(&chunk->is_whole, true);
    return STOA_OK;
}

/* Write the chunks, each when it is encoded. */
static stoa_status write_chunks(completed *c, stoa_job *job, stoa_error *err)
{
    stoa_row_writer *const w = c->w;

    for (uint64_t next = 0; next < c->n; next++) {
        stoa_row_chunk *const chunk = &w->chunks[next % w->n_chunks];
        stoa_job_offer(job, next + w->n_chunks < c->n ? next + w->n_chunks : c->n);
        while (!atomic_load(&chunk->is_whole) && stoa_job_help(job)) {
        }
        if (!atomic_load(&chunk->is_whole)) {
            return STOA_OK; /* stoa_job_end() says why */
        }
        STOA_RETURN_NOT_OK(stoa_chunk_put(&w->writer, &chunk->packed, chunk->bytes.data, err));
        chunk->bytes.size = 0;
        atomic_store(&chunk->is_whole, false);
    }
    return STOA_OK;
}

static stoa_status put_chunks(completed *c, stoa_error *err)
{
    stoa_row_writer *const w = c->w;
    uint64_t extent = 0;
    stoa_job job;

    STOA_RETURN_NOT_OK(stoa_chunk_writer_begin(&w->writer, &extent, err));
    STOA_RETURN_NOT_OK(c->n_head < w->writer.chunk_rows
                           ? stoa_chunk_writer_hold(&w->writer, c->first, err)
                           : STOA_OK);
    stoa_job_begin(&job, w->workers, c->n, encode_chunk, c);
    const stoa_status written = write_chunks(c, &job, err);
    const stoa_status encoded = stoa_job_end(&job, err);
    STOA_RETURN_NOT_OK(written != STOA_OK ? written : encoded);
    return stoa_chunk_writer_settle(&w->writer, err);
}

stoa_status stoa_row_writer_put(void *context, const stoa_view *view, uint64_t first,
                                stoa_error *err)
{
    stoa_row_writer *const w = context;
    completed c = {.w = w, .view = view, .first = w->first + first};
    uint64_t done = 0;

    STOA_RETURN_NOT_OK(stoa_pack_number_labels(w->rows, view, err));
    if (w->workers != NULL) {
        const uint64_t chunk_rows = w->writer.chunk_rows;
        const uint64_t n = (uint64_t)view->length;
        c.n_head = chunk_rows - c.first % chunk_rows;
        c.n = n < c.n_head ? 0 : 1 + (n - c.n_head) / chunk_rows;
        done = c.n > 0 ? c.n_head + (c.n - 1) * chunk_rows : 0;
    }
    if (c.n > 0) {
        STOA_RETURN_NOT_OK(put_chunks(&c, err));
    }
    return put_some(w, view, c.first, (int64_t)done, err);
}

stoa_status stoa_pytables_put_rows(const stoa_layout_source *source, stoa_pack *rows, hid_t dataset,
                                   hid_t type, uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_row_writer w;

    STOA_TRY(stoa_row_writer_open(&w, rows, dataset, type, first, source->options->threads, err));
    if (type != rows->stored) {
        STOA_TRY(stoa_chunk_writer_resize(&w.writer, first + source->n_rows, err));
    }
    STOA_TRY(stoa_layout_each_batch(source, stoa_row_writer_put, &w, err));
    STOA_TRY(stoa_chunk_writer_flush(&w.writer, err));

done:
    stoa_row_writer_close(&w);
    return status;
}
