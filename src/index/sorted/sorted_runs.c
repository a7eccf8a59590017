/*
 * Runs of sorted records in a temporary file, and their merge with a loser tree.
 *
 * A number is stored as key and row, a byte string as key, row, length and bytes. The file is
 * private, so its contents are trusted.
 */
#include "index/sorted/sorted_runs.h"

#include <stdlib.h>

#include "core/loser_tree.h"
#include "core/progress.h"

enum {
    WRITE_BYTES = 1 << 16,    /* collected before a write */
    MIN_READ_BYTES = 1 << 12, /* read ahead per run */
    MAX_READ_BYTES = 1 << 20,
    FAN_BYTES = 1 << 14, /* memory per merged run */
    MAX_FAN = 512,
    TELL_RECORDS = 1 << 16
};

/* The fixed part of a stored record. Numbers only have the first two members. */
typedef struct header {
    uint64_t key;
    uint64_t row;
    uint64_t length;
} header;

static size_t header_size(bool is_bytes)
{
    return is_bytes ? sizeof(header) : sizeof(stoa_sort_pair);
}

void stoa_sort_runs_make(stoa_sort_runs *runs, bool is_bytes, uint64_t memory)
{
    *runs = (stoa_sort_runs){.is_bytes = is_bytes, .memory = memory};
}

void stoa_sort_runs_clear(stoa_sort_runs *runs)
{
    stoa_spill_close(&runs->spill);
    stoa_buffer_clear(&runs->runs);
}

size_t stoa_sort_runs_count(const stoa_sort_runs *runs)
{
    return runs->runs.size / sizeof(stoa_sort_run);
}

/* --- Writing --------------------------------------------------------------------------------- */

typedef struct run_writer {
    stoa_sort_runs *runs;
    uint64_t first;
    stoa_buffer pending;
} run_writer;

static stoa_status write_pending(run_writer *writer, stoa_error *err)
{
    const stoa_status status =
        stoa_spill_append(&writer->runs->spill, writer->pending.data, writer->pending.size, err);

    writer->pending.size = 0;
    return status;
}

static stoa_status write_record(void *context, const stoa_sort_record *record, stoa_error *err)
{
    run_writer *writer = context;
    const header head = {record->key, record->row, record->length};

    STOA_RETURN_NOT_OK(
        stoa_buffer_append(&writer->pending, &head, header_size(writer->runs->is_bytes), err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(&writer->pending, record->bytes, record->length, err));
    if (writer->pending.size >= WRITE_BYTES) {
        STOA_RETURN_NOT_OK(write_pending(writer, err));
    }
    return STOA_OK;
}

static stoa_status end_run(run_writer *writer, stoa_error *err)
{
    STOA_RETURN_NOT_OK(write_pending(writer, err));
    const stoa_sort_run run = {writer->first, writer->runs->spill.size};
    return stoa_buffer_append(&writer->runs->runs, &run, sizeof run, err);
}

stoa_status stoa_sort_runs_add(stoa_sort_runs *runs, const stoa_sort_batch *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    run_writer writer = {.runs = runs, .first = runs->spill.size};

    if (!runs->is_bytes) {
        STOA_TRY(stoa_spill_append(&runs->spill, batch->pairs, batch->count * sizeof *batch->pairs,
                                   err));
    }
    for (size_t i = 0; runs->is_bytes && i < batch->count; i++) {
        const stoa_sort_record record = stoa_sort_batch_get(batch, i);
        STOA_TRY(write_record(&writer, &record, err));
    }
    STOA_TRY(end_run(&writer, err));

done:
    stoa_buffer_clear(&writer.pending);
    return status;
}

/* --- Reading --------------------------------------------------------------------------------- */

typedef struct run_reader {
    uint64_t at; /* the unread part of the run in the file */
    uint64_t end;
    stoa_buffer ahead; /* bytes already read */
    size_t used;
    stoa_sort_record record;
    bool is_over;
} run_reader;

/* Runs being merged. */
typedef struct run_merge {
    const stoa_sort_runs *runs;
    run_reader *readers;
    size_t n;
    stoa_loser_tree tree;
} run_merge;

/* Make at least `needed` bytes available, and discard used ones. */
static stoa_status read_ahead(const run_merge *merge, run_reader *reader, size_t needed,
                              stoa_error *err)
{
    stoa_buffer *const ahead = &reader->ahead;

    if (ahead->size - reader->used >= needed) {
        return STOA_OK;
    }
    memmove(ahead->data, ahead->data + reader->used, ahead->size - reader->used);
    ahead->size -= reader->used;
    reader->used = 0;
    if (needed > ahead->capacity) {
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(ahead, needed - ahead->size, err));
    }
    const uint64_t left = reader->end - reader->at;
    const size_t room = ahead->capacity - ahead->size;
    const size_t n = left < room ? (size_t)left : room;
    STOA_RETURN_NOT_OK(
        stoa_spill_read(&merge->runs->spill, reader->at, ahead->data + ahead->size, n, err));
    reader->at += n;
    ahead->size += n;
    return STOA_OK;
}

static stoa_status next_record(const run_merge *merge, run_reader *reader, stoa_error *err)
{
    const size_t head_size = header_size(merge->runs->is_bytes);
    header head = {0};

    if (reader->at == reader->end && reader->used == reader->ahead.size) {
        reader->is_over = true;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(read_ahead(merge, reader, head_size, err));
    memcpy(&head, reader->ahead.data + reader->used, head_size);
    STOA_RETURN_NOT_OK(read_ahead(merge, reader, head_size + (size_t)head.length, err));
    const char *const bytes = (const char *)reader->ahead.data + reader->used + head_size;
    reader->record = (stoa_sort_record){.key = head.key,
                                        .row = head.row,
                                        .bytes = merge->runs->is_bytes ? bytes : NULL,
                                        .length = (size_t)head.length};
    reader->used += head_size + (size_t)head.length;
    return STOA_OK;
}

static bool comes_first(const void *context, size_t a, size_t b)
{
    const run_merge *merge = context;
    const run_reader *x = &merge->readers[a];
    const run_reader *y = &merge->readers[b];

    if (x->is_over || y->is_over) {
        return !x->is_over;
    }
    const int order = stoa_record_compare(&x->record, &y->record);
    return order != 0 ? order < 0 : a < b;
}

static void end_merge(run_merge *merge)
{
    for (size_t i = 0; merge->readers != NULL && i < merge->n; i++) {
        stoa_buffer_clear(&merge->readers[i].ahead);
    }
    free(merge->readers);
    stoa_loser_tree_clear(&merge->tree);
}

/* Set up a merge of n > 0 runs. Release it with end_merge(), also after a failure. */
static stoa_status begin_merge(run_merge *merge, const stoa_sort_runs *runs,
                               const stoa_sort_run *first, size_t n, stoa_error *err)
{
    const uint64_t share = runs->memory / n;
    const size_t ahead = share > MAX_READ_BYTES   ? MAX_READ_BYTES
                         : share > MIN_READ_BYTES ? (size_t)share
                                                  : MIN_READ_BYTES;

    *merge = (run_merge){.runs = runs, .n = n};
    merge->readers = stoa_alloc_zero(n, sizeof *merge->readers);
    STOA_RETURN_NO_MEMORY(err, merge->readers);
    STOA_RETURN_NOT_OK(stoa_loser_tree_open(&merge->tree, n, err));
    for (size_t i = 0; i < n; i++) {
        run_reader *reader = &merge->readers[i];
        reader->at = first[i].first;
        reader->end = first[i].end;
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&reader->ahead, ahead, err));
        STOA_RETURN_NOT_OK(next_record(merge, reader, err));
    }
    stoa_loser_tree_play(&merge->tree, comes_first, merge);
    return STOA_OK;
}

/* Progress of the merge, for the listener. */
typedef struct merge_progress {
    const stoa_listener *listener;
    uint64_t n_done;
    uint64_t n_total;
} merge_progress;

static stoa_status merge_some(const stoa_sort_runs *runs, size_t first, size_t n,
                              merge_progress *progress, stoa_sort_visit visit, void *context,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    run_merge merge = {0};
    const stoa_sort_run *all = (const stoa_sort_run *)(const void *)runs->runs.data;

    STOA_TRY(begin_merge(&merge, runs, all + first, n, err));
    for (; !merge.readers[merge.tree.winner].is_over;
         stoa_loser_tree_replay(&merge.tree, comes_first, &merge)) {
        run_reader *reader = &merge.readers[merge.tree.winner];
        if (progress->n_done++ % TELL_RECORDS == 0) {
            STOA_TRY(stoa_report_progress(progress->listener,
                                          &(stoa_progress){.stage = "merging",
                                                           .rows = progress->n_done - 1,
                                                           .total_rows = progress->n_total},
                                          err));
        }
        STOA_TRY(visit(context, &reader->record, err));
        STOA_TRY(next_record(&merge, reader, err));
    }

done:
    end_merge(&merge);
    return status;
}

/* Merge adjacent runs, `fan` at a time, into a new file that replaces the present one. */
static stoa_status make_longer_runs(stoa_sort_runs *runs, size_t fan, merge_progress *progress,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sort_runs longer;
    run_writer writer = {.runs = &longer};
    const size_t n = stoa_sort_runs_count(runs);

    stoa_sort_runs_make(&longer, runs->is_bytes, runs->memory);
    progress->n_done = 0;
    for (size_t i = 0; i < n; i += fan) {
        writer.first = longer.spill.size;
        STOA_TRY(
            merge_some(runs, i, n - i < fan ? n - i : fan, progress, write_record, &writer, err));
        STOA_TRY(end_run(&writer, err));
    }
    const stoa_sort_runs shorter = *runs;
    *runs = longer;
    longer = shorter;

done:
    stoa_buffer_clear(&writer.pending);
    stoa_sort_runs_clear(&longer);
    return status;
}

stoa_status stoa_sort_runs_merge(stoa_sort_runs *runs, const stoa_listener *listener,
                                 uint64_t n_records, stoa_sort_visit visit, void *context,
                                 stoa_error *err)
{
    merge_progress progress = {listener, 0, n_records};
    const uint64_t affordable = runs->memory / FAN_BYTES;
    const size_t fan = affordable < 2 ? 2 : affordable > MAX_FAN ? MAX_FAN : (size_t)affordable;

    while (stoa_sort_runs_count(runs) > fan) {
        STOA_RETURN_NOT_OK(make_longer_runs(runs, fan, &progress, err));
    }
    progress.n_done = 0;
    if (stoa_sort_runs_count(runs) > 0) {
        STOA_RETURN_NOT_OK(
            merge_some(runs, 0, stoa_sort_runs_count(runs), &progress, visit, context, err));
    }
    return STOA_OK;
}
