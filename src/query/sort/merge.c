/* Writes blocks of rows to the file and reads them, and merges the rows of several runs. */
#include "query/sort/merge.h"

#include <stdlib.h>
#include <string.h>

#include "core/min_of.h"
#include "core/progress.h"
#include "query/sort/sort_block.h"

enum {
    MIN_BLOCK_BYTES = 1 << 12,
    MAX_BLOCK_BYTES = 1 << 18,
    BLOCKS = 64,         /* target number that fits into memory */
    BLOCKS_A_RUN = 4,    /* the current one, packed and unpacked, and one with rows just picked */
    BLOCKS_TOGETHER = 8, /* packed by all threads before they are written */
    MAX_FAN = 512,
    MAX_BLOCK_ROWS = 65536
};

/* Bytes [first, end) of the file. */
typedef struct run_span {
    uint64_t first;
    uint64_t end;
} run_span;

static size_t n_runs(const stoa_runs *runs)
{
    return runs->spans.size / sizeof(run_span);
}

static uint64_t block_bytes(const stoa_runs *runs)
{
    const uint64_t share = runs->memory / BLOCKS;

    return share < MIN_BLOCK_BYTES   ? MIN_BLOCK_BYTES
           : share > MAX_BLOCK_BYTES ? MAX_BLOCK_BYTES
                                     : share;
}

/* The rows of a block of this size, if n_rows of them use n_bytes. */
static int64_t block_rows(uint64_t bytes, uint64_t n_rows, uint64_t n_bytes)
{
    const double rows = (double)bytes * (double)n_rows / ((double)n_bytes + 1);

    return rows < 1 ? 1 : rows > MAX_BLOCK_ROWS ? MAX_BLOCK_ROWS : (int64_t)rows;
}

static stoa_status tell(const stoa_runs *runs, const char *stage, uint64_t n_done, stoa_error *err)
{
    const stoa_progress progress = {.stage = stage, .rows = n_done, .total_rows = runs->n_rows};

    return stoa_report_progress(runs->listener, &progress, err);
}

/* Runs -------------------------------------------------------------------------------------- */

void stoa_runs_make(stoa_runs *runs, const stoa_sort_rows *rows, uint64_t memory,
                    stoa_workers *workers, const stoa_listener *listener)
{
    *runs = (stoa_runs){.schema = rows->schema,
                        .keys = rows->keys,
                        .workers = workers,
                        .listener = listener,
                        .memory = memory};
}

void stoa_runs_clear(stoa_runs *runs)
{
    stoa_spill_close(&runs->spill);
    stoa_buffer_clear(&runs->spans);
    stoa_array_release(&runs->frame);
    *runs = (stoa_runs){.n_rows = 0};
}

/* Pack a block as it is in the file: its size, then its bytes. */
static stoa_status pack_block(const stoa_runs *runs, const struct ArrowArray *block,
                              stoa_buffer *packed, stoa_error *err)
{
    uint64_t size = 0;

    packed->size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_append(packed, &size, sizeof size, err));
    STOA_RETURN_NOT_OK(stoa_array_pack(runs->schema, block, packed, err));
    size = packed->size - sizeof size;
    memcpy(packed->data, &size, sizeof size);
    return STOA_OK;
}

/* Append a block to the file. */
static stoa_status write_block(stoa_runs *runs, const struct ArrowArray *block, stoa_buffer *packed,
                               stoa_error *err)
{
    STOA_RETURN_NOT_OK(pack_block(runs, block, packed, err));
    return stoa_spill_append(&runs->spill, packed->data, packed->size, err);
}

static stoa_status end_run(stoa_runs *runs, uint64_t first, stoa_error *err)
{
    const run_span span = {first, runs->spill.size};

    return stoa_buffer_append(&runs->spans, &span, sizeof span, err);
}

/* Blocks of a run that are packed together, one by each part. */
typedef struct packing {
    const stoa_runs *runs;
    const stoa_sort_rows *rows;
    const stoa_sort_entry *entries;
    uint64_t n;    /* entries left */
    uint64_t most; /* in a block */
    stoa_buffer packed[BLOCKS_TOGETHER];
} packing;

static stoa_status pack_part(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    stoa_status status = STOA_OK;
    packing *p = context;
    struct ArrowArray block = {0};
    const uint64_t from = number * p->most;

    (void)worker;
    STOA_TRY(stoa_sort_rows_take(p->rows, p->entries + from, stoa_min_of(p->most, p->n - from),
                                 (size_t)p->rows->schema->n_children, &block, err));
    STOA_TRY(pack_block(p->runs, &block, &p->packed[number], err));

done:
    stoa_array_release(&block);
    return status;
}

stoa_status stoa_runs_add(stoa_runs *runs, const stoa_sort_rows *rows,
                          const stoa_sort_entry *entries, uint64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t first = runs->spill.size;
    packing p = {.runs = runs, .rows = rows, .entries = entries, .n = n};

    p.most = (uint64_t)block_rows(block_bytes(runs), rows->n_held, rows->n_bytes);
    if (runs->frame.release == NULL) {
        STOA_TRY(stoa_sort_rows_take(rows, entries, 0, (size_t)rows->schema->n_children,
                                     &runs->frame, err));
    }
    while (p.n > 0) {
        const uint64_t n_blocks = stoa_min_of(BLOCKS_TOGETHER, (p.n + p.most - 1) / p.most);
        const uint64_t here = stoa_min_of(n_blocks * p.most, p.n);
        STOA_TRY(stoa_workers_run(runs->workers, n_blocks, pack_part, &p, err));
        for (uint64_t i = 0; i < n_blocks; i++) {
            STOA_TRY(stoa_spill_append(&runs->spill, p.packed[i].data, p.packed[i].size, err));
        }
        p.entries += here;
        p.n -= here;
        STOA_TRY(tell(runs, "sorting", runs->n_rows + n - p.n, err));
    }
    STOA_TRY(end_run(runs, first, err));
    runs->n_rows += n;

done:
    for (size_t i = 0; i < BLOCKS_TOGETHER; i++) {
        stoa_buffer_clear(&p.packed[i]);
    }
    return status;
}

/* Reading ----------------------------------------------------------------------------------- */

#define SOURCES(merge) ((stoa_sort_source *)(void *)(merge)->sources.data)
#define CELLS(merge) ((stoa_sort_cell **)(void *)(merge)->cells.data)

static size_t n_sources(const stoa_merge *merge)
{
    return merge->sources.size / sizeof(stoa_sort_source);
}

/* Read the block at the reader's position as an array. */
static stoa_status read_block(stoa_merge *merge, stoa_run_reader *reader, struct ArrowArray *out,
                              stoa_error *err)
{
    const stoa_runs *runs = merge->runs;
    struct ArrowArray frame = runs->frame; /* only its dictionaries are shared */
    uint64_t size;

    *out = (struct ArrowArray){0};
    STOA_RETURN_NOT_OK(stoa_spill_read(&runs->spill, reader->at, &size, sizeof size, err));
    merge->packed.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&merge->packed, (size_t)size, err));
    STOA_RETURN_NOT_OK(stoa_spill_read(&runs->spill, reader->at + sizeof size, merge->packed.data,
                                       (size_t)size, err));
    reader->at += sizeof size + size;
    const uint8_t *from = merge->packed.data;
    return stoa_array_unpack(runs->schema, &frame, &from, out, err);
}

/* Make the reader's next block the last source. */
static stoa_status next_block(stoa_merge *merge, stoa_run_reader *reader, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sort_keys *keys = merge->runs->keys;
    struct ArrowArray block = {0};
    stoa_sort_source source = {.views = NULL};
    stoa_sort_cell *cells = NULL;

    reader->is_over = reader->at == reader->end;
    if (reader->is_over) {
        return STOA_OK;
    }
    STOA_TRY(read_block(merge, reader, &block, err));
    STOA_TRY(stoa_sort_source_open(&source, merge->runs->schema, &block, err));
    reader->source = (uint32_t)n_sources(merge);
    reader->row = 0;
    reader->n_rows = source.array.length;
    cells = stoa_alloc((size_t)reader->n_rows * keys->n, sizeof *cells);
    STOA_TRY(cells != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_sort_keys_fill(keys, source.views, 0, reader->n_rows, cells, err));
    STOA_TRY(stoa_buffer_reserve(&merge->cells, sizeof cells, err));
    STOA_TRY(stoa_buffer_append(&merge->sources, &source, sizeof source, err));
    source = (stoa_sort_source){0};
    STOA_TRY(
        stoa_buffer_append(&merge->cells, &cells, sizeof(stoa_sort_cell *), err)); /* reserved */
    cells = NULL;

done:
    free(cells);
    stoa_sort_source_clear(&source);
    stoa_array_release(&block);
    return status;
}

static void drop_source(stoa_merge *merge, size_t number)
{
    stoa_sort_source_clear(&SOURCES(merge)[number]);
    free(CELLS(merge)[number]);
}

/* After picked rows were copied, release all blocks but the current ones. */
static void drop_read_blocks(stoa_merge *merge)
{
    size_t kept = 0;

    for (size_t s = 0; s < n_sources(merge); s++) {
        stoa_run_reader *owner = NULL;
        for (size_t i = 0; i < merge->n && owner == NULL; i++) {
            stoa_run_reader *reader = &merge->readers[i];
            owner = !reader->is_over && reader->source == s ? reader : NULL;
        }
        if (owner == NULL) {
            drop_source(merge, s);
            continue;
        }
        owner->source = (uint32_t)kept;
        SOURCES(merge)[kept] = SOURCES(merge)[s];
        CELLS(merge)[kept++] = CELLS(merge)[s];
    }
    merge->sources.size = kept * sizeof(stoa_sort_source);
    merge->cells.size = kept * sizeof(stoa_sort_cell *);
    merge->picks.size = 0;
}

void stoa_merge_clear(stoa_merge *merge)
{
    for (size_t s = 0; s < n_sources(merge); s++) {
        drop_source(merge, s);
    }
    stoa_buffer_clear(&merge->sources);
    stoa_buffer_clear(&merge->cells);
    stoa_buffer_clear(&merge->picks);
    stoa_buffer_clear(&merge->packed);
    stoa_loser_tree_clear(&merge->tree);
    free(merge->readers);
    *merge = (stoa_merge){.n = 0};
}

/* Merging ----------------------------------------------------------------------------------- */

static stoa_sort_row row_of(const stoa_merge *merge, const stoa_run_reader *reader)
{
    return (stoa_sort_row){CELLS(merge)[reader->source] +
                               (size_t)reader->row * merge->runs->keys->n,
                           SOURCES(merge)[reader->source].views, reader->row};
}

static bool comes_first(const void *context, size_t a, size_t b)
{
    const stoa_merge *merge = context;
    const stoa_run_reader *x = &merge->readers[a];
    const stoa_run_reader *y = &merge->readers[b];

    if (x->is_over || y->is_over) {
        return !x->is_over;
    }
    const stoa_sort_row x_row = row_of(merge, x);
    const stoa_sort_row y_row = row_of(merge, y);
    const int order = stoa_sort_compare(merge->runs->keys, 0, &x_row, &y_row);
    return order != 0 ? order < 0 : a < b;
}

/* Start to merge runs [first, first + n). */
static stoa_status begin(stoa_merge *merge, const stoa_runs *runs, size_t first, size_t n,
                         stoa_error *err)
{
    const run_span *spans = (const run_span *)(const void *)runs->spans.data;

    *merge = (stoa_merge){.runs = runs, .n = n};
    merge->readers = stoa_alloc_zero(n, sizeof *merge->readers);
    STOA_RETURN_NO_MEMORY(err, merge->readers);
    STOA_RETURN_NOT_OK(stoa_loser_tree_open(&merge->tree, n, err));
    for (size_t i = 0; i < n; i++) {
        merge->readers[i] =
            (stoa_run_reader){.at = spans[first + i].first, .end = spans[first + i].end};
        STOA_RETURN_NOT_OK(next_block(merge, &merge->readers[i], err));
    }
    stoa_loser_tree_play(&merge->tree, comes_first, merge);
    return STOA_OK;
}

/* Pick the next rows, at most n_rows of them. Their blocks are kept until the rows are copied. */
static stoa_status pick_rows(stoa_merge *merge, int64_t n_rows, stoa_error *err)
{
    STOA_RETURN_NOT_OK(tell(merge->runs, "merging", merge->n_done, err));
    STOA_RETURN_NOT_OK(
        stoa_buffer_reserve(&merge->picks, (size_t)n_rows * sizeof(stoa_row_source), err));
    for (int64_t i = 0; i < n_rows; i++) {
        stoa_run_reader *reader = &merge->readers[merge->tree.winner];
        if (reader->is_over) {
            break;
        }
        const stoa_row_source pick = {reader->row, reader->source};
        STOA_RETURN_NOT_OK(
            stoa_buffer_append(&merge->picks, &pick, sizeof pick, err)); /* reserved */
        if (++reader->row == reader->n_rows) {
            STOA_RETURN_NOT_OK(next_block(merge, reader, err));
        }
        stoa_loser_tree_replay(&merge->tree, comes_first, merge);
        merge->n_done++;
    }
    return STOA_OK;
}

static stoa_status next_rows(stoa_merge *merge, size_t n_columns, int64_t n_rows,
                             struct ArrowArray *out, stoa_error *err)
{
    *out = (struct ArrowArray){0};
    STOA_RETURN_NOT_OK(pick_rows(merge, n_rows, err));
    const size_t n = merge->picks.size / sizeof(stoa_row_source);
    if (n > 0) {
        STOA_RETURN_NOT_OK(stoa_sort_take(SOURCES(merge), n_sources(merge), n_columns,
                                          (const stoa_row_source *)(const void *)merge->picks.data,
                                          (int64_t)n, out, err));
    }
    drop_read_blocks(merge);
    return STOA_OK;
}

/* The number of the runs' rows that use about this many bytes. */
static int64_t rows_in(const stoa_runs *runs, uint64_t bytes)
{
    return block_rows(bytes, runs->n_rows, runs->spill.size);
}

/* Merge runs [first, first + n) into one run of another file. */
static stoa_status make_longer_run(const stoa_runs *runs, size_t first, size_t n, stoa_runs *longer,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_merge merge = {.n = 0};
    struct ArrowArray block = {0};
    stoa_buffer packed = {0};
    const uint64_t start = longer->spill.size;
    const int64_t most = rows_in(runs, block_bytes(runs));

    STOA_TRY(begin(&merge, runs, first, n, err));
    for (;;) {
        STOA_TRY(next_rows(&merge, (size_t)runs->schema->n_children, most, &block, err));
        if (block.release == NULL) {
            break;
        }
        longer->n_rows += (uint64_t)block.length;
        STOA_TRY(write_block(longer, &block, &packed, err));
        stoa_array_release(&block);
    }
    STOA_TRY(end_run(longer, start, err));

done:
    stoa_merge_clear(&merge);
    stoa_buffer_clear(&packed);
    stoa_array_release(&block);
    return status;
}

/* Merge neighbouring runs, `fan` at a time, into runs of another file, which replaces this one. */
static stoa_status make_longer_runs(stoa_runs *runs, size_t fan, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = n_runs(runs);
    stoa_runs longer = {.schema = runs->schema,
                        .keys = runs->keys,
                        .workers = runs->workers,
                        .listener = runs->listener,
                        .memory = runs->memory};

    for (size_t i = 0; i < n; i += fan) {
        STOA_TRY(make_longer_run(runs, i, n - i < fan ? n - i : fan, &longer, err));
    }
    stoa_array_move(&runs->frame, &longer.frame);
    const stoa_runs shorter = *runs;
    *runs = longer;
    longer = shorter;

done:
    stoa_runs_clear(&longer);
    return status;
}

stoa_status stoa_merge_open(stoa_merge *merge, stoa_runs *runs, stoa_error *err)
{
    const uint64_t affordable = runs->memory / (BLOCKS_A_RUN * block_bytes(runs));
    const size_t fan = affordable < 2 ? 2 : affordable > MAX_FAN ? MAX_FAN : (size_t)affordable;

    while (n_runs(runs) > fan) {
        STOA_RETURN_NOT_OK(make_longer_runs(runs, fan, err));
    }
    return begin(merge, runs, 0, n_runs(runs), err);
}

stoa_status stoa_merge_next(stoa_merge *merge, size_t n_columns, int64_t n_rows,
                            struct ArrowArray *out, stoa_error *err)
{
    const int64_t fitting = rows_in(merge->runs, merge->runs->memory / 16);

    return next_rows(merge, n_columns, n_rows < fitting ? n_rows : fitting, out, err);
}
