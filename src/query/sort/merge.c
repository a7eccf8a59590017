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
    BLOCKS = 64,          /* target number that fits into memory */
    BLOCKS_A_RUN = 4,     /* the current one, packed and unpacked, and one with rows just picked */
    BLOCKS_TOGETHER = 8,  /* packed by all threads before they are written */
    RANGE_BLOCKS = 8,     /* fewest of a range that one thread merges, */
    RANGE_RUN_BLOCKS = 4, /* and fewest of each run: a range reads one more of each */
    RANGES_A_THREAD = 4,
    MAX_FAN = 512,
    MAX_BLOCK_ROWS = 65536
};

/* Rows in the file. */
typedef struct run_block {
    stoa_sort_cell first; /* of the first row's first key */
    uint64_t at;          /* its first byte */
} run_block;

/* Blocks [first, end). */
typedef struct run_span {
    size_t first;
    size_t end;
} run_span;

#define BLOCKS_OF(runs) ((const run_block *)(const void *)(runs)->blocks.data)

static size_t n_blocks(const stoa_runs *runs)
{
    return runs->blocks.size / sizeof(run_block);
}

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
    stoa_buffer_clear(&runs->blocks);
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

/* Append a packed block to the file. */
static stoa_status write_block(stoa_runs *runs, const stoa_sort_cell *first,
                               const stoa_buffer *packed, stoa_error *err)
{
    const run_block block = {*first, runs->spill.size};

    STOA_RETURN_NOT_OK(stoa_buffer_append(&runs->blocks, &block, sizeof block, err));
    return stoa_spill_append(&runs->spill, packed->data, packed->size, err);
}

/* End a run that began with this block. */
static stoa_status end_run(stoa_runs *runs, size_t first, stoa_error *err)
{
    const run_span span = {first, n_blocks(runs)};

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
    const size_t first = n_blocks(runs);
    packing p = {.runs = runs, .rows = rows, .entries = entries, .n = n};

    p.most = (uint64_t)block_rows(block_bytes(runs), rows->n_held, rows->n_bytes);
    if (runs->frame.release == NULL) {
        STOA_TRY(stoa_sort_rows_take(rows, entries, 0, (size_t)rows->schema->n_children,
                                     &runs->frame, err));
    }
    while (p.n > 0) {
        const uint64_t n_packed = stoa_min_of(BLOCKS_TOGETHER, (p.n + p.most - 1) / p.most);
        const uint64_t here = stoa_min_of(n_packed * p.most, p.n);
        STOA_TRY(stoa_workers_run(runs->workers, n_packed, pack_part, &p, err));
        for (uint64_t i = 0; i < n_packed; i++) {
            const stoa_sort_row row = stoa_sort_rows_get(rows, p.entries[i * p.most].row);
            const stoa_sort_cell cell = stoa_sort_cell_of(runs->keys, 0, &row);
            STOA_TRY(write_block(runs, &cell, &p.packed[i], err));
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

static size_t n_sources(const stoa_merger *merge)
{
    return merge->sources.size / sizeof(stoa_sort_source);
}

/* Read a block as an array. */
static stoa_status read_block(stoa_merger *merge, size_t number, struct ArrowArray *out,
                              stoa_error *err)
{
    const stoa_runs *runs = merge->runs;
    const uint64_t at = BLOCKS_OF(runs)[number].at;
    struct ArrowArray frame = runs->frame; /* only its dictionaries are shared */
    uint64_t size;

    *out = (struct ArrowArray){0};
    STOA_RETURN_NOT_OK(stoa_spill_read(&runs->spill, at, &size, sizeof size, err));
    merge->packed.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&merge->packed, (size_t)size, err));
    STOA_RETURN_NOT_OK(
        stoa_spill_read(&runs->spill, at + sizeof size, merge->packed.data, (size_t)size, err));
    const uint8_t *from = merge->packed.data;
    return stoa_array_unpack(runs->schema, &frame, &from, out, err);
}

static bool is_before(const stoa_sort_cell *a, const stoa_sort_cell *b)
{
    return stoa_sort_cell_order(a, b) < 0;
}

/* How many rows, with n_keys cells each, are before the bound. */
static int64_t rows_before(const stoa_sort_cell *cells, size_t n_keys, int64_t n,
                           const stoa_sort_cell *bound)
{
    int64_t low = 0;

    for (int64_t high = n; low < high;) {
        const int64_t middle = low + (high - low) / 2;
        if (is_before(&cells[(size_t)middle * n_keys], bound)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Make the reader's next block the last source. It may have no row within the bounds. */
static stoa_status read_next_block(stoa_merger *merge, stoa_run_reader *reader, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sort_keys *keys = merge->runs->keys;
    struct ArrowArray block = {0};
    stoa_sort_source source = {.views = NULL};
    stoa_sort_cell *cells = NULL;

    STOA_TRY(read_block(merge, reader->next++, &block, err));
    STOA_TRY(stoa_sort_source_open(&source, merge->runs->schema, &block, err));
    const int64_t n_rows = source.array.length;
    cells = stoa_alloc((size_t)n_rows * keys->n, sizeof *cells);
    STOA_TRY(cells != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_sort_keys_fill(keys, source.views, 0, n_rows, cells, err));
    reader->source = (uint32_t)n_sources(merge);
    reader->row = merge->low != NULL ? rows_before(cells, keys->n, n_rows, merge->low) : 0;
    reader->n_rows =
        merge->high != NULL ? rows_before(cells, keys->n, n_rows, merge->high) : n_rows;
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

/* Read blocks until there is a row. */
static stoa_status next_block(stoa_merger *merge, stoa_run_reader *reader, stoa_error *err)
{
    do {
        reader->is_over = reader->next == reader->end;
        if (reader->is_over) {
            return STOA_OK;
        }
        STOA_RETURN_NOT_OK(read_next_block(merge, reader, err));
    } while (reader->row >= reader->n_rows);
    return STOA_OK;
}

static void drop_source(stoa_merger *merge, size_t number)
{
    stoa_sort_source_clear(&SOURCES(merge)[number]);
    free(CELLS(merge)[number]);
}

/* After picked rows were copied, release all blocks but the current ones. */
static void drop_read_blocks(stoa_merger *merge)
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

static void clear_merger(stoa_merger *merge)
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
    *merge = (stoa_merger){.n = 0};
}

/* Merging ----------------------------------------------------------------------------------- */

static stoa_sort_row row_of(const stoa_merger *merge, const stoa_run_reader *reader)
{
    return (stoa_sort_row){CELLS(merge)[reader->source] +
                               (size_t)reader->row * merge->runs->keys->n,
                           SOURCES(merge)[reader->source].views, reader->row};
}

static bool comes_first(const void *context, size_t a, size_t b)
{
    const stoa_merger *merge = context;
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

/* The reader of a run: all blocks that may have rows within the bounds. */
static stoa_run_reader reader_of(const stoa_merger *merge, const run_span *span)
{
    const run_block *blocks = BLOCKS_OF(merge->runs);
    stoa_run_reader reader = {.next = span->first, .end = span->end};

    while (merge->low != NULL && reader.next + 1 < reader.end &&
           is_before(&blocks[reader.next + 1].first, merge->low)) {
        reader.next++;
    }
    while (merge->high != NULL && reader.end > reader.next &&
           !is_before(&blocks[reader.end - 1].first, merge->high)) {
        reader.end--;
    }
    return reader;
}

/* Start to merge runs [first, first + n). The bounds are set. */
static stoa_status begin(stoa_merger *merge, const stoa_runs *runs, size_t first, size_t n,
                         stoa_error *err)
{
    const run_span *spans = (const run_span *)(const void *)runs->spans.data;

    merge->runs = runs;
    merge->n = n;
    merge->readers = stoa_alloc_zero(n, sizeof *merge->readers);
    STOA_RETURN_NO_MEMORY(err, merge->readers);
    STOA_RETURN_NOT_OK(stoa_loser_tree_open(&merge->tree, n, err));
    for (size_t i = 0; i < n; i++) {
        merge->readers[i] = reader_of(merge, &spans[first + i]);
        STOA_RETURN_NOT_OK(next_block(merge, &merge->readers[i], err));
    }
    stoa_loser_tree_play(&merge->tree, comes_first, merge);
    return STOA_OK;
}

/* Pick the next rows, at most n_rows of them. Their blocks are kept until the rows are copied. */
static stoa_status pick_rows(stoa_merger *merge, int64_t n_rows, stoa_error *err)
{
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
    }
    return STOA_OK;
}

static stoa_status next_rows(stoa_merger *merge, size_t n_columns, int64_t n_rows,
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
    stoa_merger merger = {.n = 0};
    struct ArrowArray block = {0};
    stoa_buffer packed = {0};
    const size_t start = n_blocks(longer);
    const int64_t most = rows_in(runs, block_bytes(runs));

    STOA_TRY(begin(&merger, runs, first, n, err));
    for (;;) {
        const stoa_run_reader *next = &merger.readers[merger.tree.winner];
        STOA_TRY(tell(runs, "merging", longer->n_rows, err));
        if (next->is_over) {
            break;
        }
        const stoa_sort_cell first_cell = row_of(&merger, next).cells[0];
        STOA_TRY(next_rows(&merger, (size_t)runs->schema->n_children, most, &block, err));
        longer->n_rows += (uint64_t)block.length;
        STOA_TRY(pack_block(runs, &block, &packed, err));
        STOA_TRY(write_block(longer, &first_cell, &packed, err));
        stoa_array_release(&block);
    }
    STOA_TRY(end_run(longer, start, err));

done:
    clear_merger(&merger);
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

/* Ranges ------------------------------------------------------------------------------------ */

static int order_cells(const void *a, const void *b)
{
    return stoa_sort_cell_order(a, b);
}

/* Choose bounds among the first cells of the blocks, so that a range has about `most` blocks. Rows
 * with equal cells are in one range. */
static stoa_status choose_bounds(stoa_merge *merge, size_t most, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = n_blocks(merge->runs);
    stoa_sort_cell *cells = stoa_alloc(n, sizeof *cells);
    const stoa_sort_cell *last = NULL;

    STOA_TRY(cells != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        cells[i] = BLOCKS_OF(merge->runs)[i].first;
    }
    qsort(cells, n, sizeof *cells, order_cells);
    for (size_t i = most; i < n; i += most) {
        if (last == NULL || is_before(last, &cells[i])) {
            STOA_TRY(stoa_buffer_append(&merge->bounds, &cells[i], sizeof *cells, err));
            last = &cells[i];
        }
    }
    merge->n_ranges = merge->bounds.size / sizeof *cells + 1;

done:
    free(cells);
    return status;
}

/* Choose ranges if threads can merge several of them in half of the memory: the blocks that are
 * read, and the rows that are made. */
static stoa_status choose_ranges(stoa_merge *merge, stoa_error *err)
{
    const stoa_runs *runs = merge->runs;
    const uint64_t fitting = runs->memory / 2 / block_bytes(runs);
    const uint64_t n_read = BLOCKS_A_RUN * n_runs(runs);
    const uint64_t n_made = n_runs(runs) * RANGE_RUN_BLOCKS > RANGE_BLOCKS
                                ? n_runs(runs) * RANGE_RUN_BLOCKS
                                : RANGE_BLOCKS;
    const uint64_t n_workers = stoa_workers_count(runs->workers);
    const uint64_t n_threads = stoa_min_of(n_workers, fitting / (n_read + n_made));

    if (n_threads < 2 || n_blocks(runs) <= n_made) {
        return begin(&merge->all, runs, 0, n_runs(runs), err);
    }
    merge->n_together =
        n_threads < n_workers
            ? n_threads
            : stoa_min_of(n_threads * RANGES_A_THREAD, (fitting - n_threads * n_read) / n_made);
    merge->made = stoa_alloc_zero(merge->n_together, sizeof *merge->made);
    STOA_RETURN_NO_MEMORY(err, merge->made);
    return choose_bounds(merge, n_made, err);
}

/* What is asked of the ranges that are merged together. */
typedef struct making {
    stoa_merge *merge;
    size_t n_columns;
    int64_t n_rows; /* of an array */
} making;

static stoa_status merge_range(void *context, unsigned worker, uint64_t number, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const making *m = context;
    const stoa_merge *merge = m->merge;
    const stoa_runs *runs = merge->runs;
    const stoa_sort_cell *bounds = (const stoa_sort_cell *)(const void *)merge->bounds.data;
    const size_t range = merge->next_range + number;
    stoa_merger merger = {.low = range > 0 ? &bounds[range - 1] : NULL,
                          .high = range + 1 < merge->n_ranges ? &bounds[range] : NULL};
    stoa_buffer *made = &merge->made[number];
    struct ArrowArray array = {0};

    STOA_TRY(begin(&merger, runs, 0, n_runs(runs), err));
    for (;;) {
        if (worker == 0) { /* the calling thread */
            STOA_TRY(tell(runs, "merging", merge->n_done, err));
        }
        STOA_TRY(stoa_buffer_reserve(made, sizeof array, err));
        STOA_TRY(next_rows(&merger, m->n_columns, m->n_rows, &array, err));
        if (array.release == NULL) {
            break;
        }
        STOA_TRY(stoa_buffer_append(made, &array, sizeof array, err)); /* reserved */
    }

done:
    clear_merger(&merger);
    return status;
}

static stoa_status look(void *context, stoa_error *err)
{
    const stoa_merge *merge = context;

    return tell(merge->runs, "merging", merge->n_done, err);
}

/* The next array of the ranges that were merged. *out is not changed if there is none. */
static void next_made(stoa_merge *merge, struct ArrowArray *out)
{
    for (; merge->made_at < merge->n_made; merge->made_at++, merge->next_array = 0) {
        stoa_buffer *made = &merge->made[merge->made_at];
        struct ArrowArray *arrays = (struct ArrowArray *)(void *)made->data;
        if (merge->next_array < made->size / sizeof *arrays) {
            stoa_array_move(&arrays[merge->next_array++], out);
            return;
        }
        made->size = 0;
    }
}

/* All ----------------------------------------------------------------------------------------- */

stoa_status stoa_merge_open(stoa_merge *merge, stoa_runs *runs, stoa_error *err)
{
    const uint64_t affordable = runs->memory / (BLOCKS_A_RUN * block_bytes(runs));
    const size_t fan = affordable < 2 ? 2 : affordable > MAX_FAN ? MAX_FAN : (size_t)affordable;

    *merge = (stoa_merge){.runs = runs};
    while (n_runs(runs) > fan) {
        STOA_RETURN_NOT_OK(make_longer_runs(runs, fan, err));
    }
    return choose_ranges(merge, err);
}

stoa_status stoa_merge_next(stoa_merge *merge, size_t n_columns, int64_t n_rows,
                            struct ArrowArray *out, stoa_error *err)
{
    stoa_workers *workers = merge->runs->workers;
    const int64_t fitting = rows_in(merge->runs, merge->runs->memory / 16);
    making m = {merge, n_columns, n_rows < fitting ? n_rows : fitting};

    *out = (struct ArrowArray){0};
    STOA_RETURN_NOT_OK(tell(merge->runs, "merging", merge->n_done, err));
    if (merge->n_ranges == 0) {
        STOA_RETURN_NOT_OK(next_rows(&merge->all, n_columns, m.n_rows, out, err));
    }
    next_made(merge, out);
    while (out->release == NULL && merge->next_range < merge->n_ranges) {
        const size_t n =
            (size_t)stoa_min_of(merge->n_together, merge->n_ranges - merge->next_range);
        merge->made_at = 0;
        merge->n_made = n;
        stoa_workers_set_look(workers, look, merge);
        const stoa_status status = stoa_workers_run(workers, n, merge_range, &m, err);
        stoa_workers_set_look(workers, NULL, NULL);
        STOA_RETURN_NOT_OK(status);
        merge->next_range += n;
        next_made(merge, out);
    }
    merge->n_done += (uint64_t)out->length;
    return STOA_OK;
}

void stoa_merge_clear(stoa_merge *merge)
{
    struct ArrowArray array = {0};

    clear_merger(&merge->all);
    for (next_made(merge, &array); array.release != NULL; next_made(merge, &array)) {
        stoa_array_release(&array);
    }
    for (size_t i = 0; merge->made != NULL && i < merge->n_together; i++) {
        stoa_buffer_clear(&merge->made[i]);
    }
    free(merge->made);
    stoa_buffer_clear(&merge->bounds);
    *merge = (stoa_merge){.n_ranges = 0};
}
