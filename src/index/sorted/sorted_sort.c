/* Reading and sorting a column within a memory limit. */
#include "index/sorted/sorted_sort.h"

#include <stdlib.h>

#include "column/read/block.h"
#include "core/progress.h"

enum {
    MIN_MEMORY = 1 << 16,
    BLOCK_ROWS = 1 << 16,    /* read together */
    BLOCK_STRINGS = 1 << 13, /* of variable length */
    LIST_ROWS = 4096         /* buffered before they go to the file */
};

static uint64_t choose_memory(uint64_t memory)
{
    memory = memory == 0 ? stoa_sort_memory() : memory;
    return memory > MIN_MEMORY ? memory : MIN_MEMORY;
}

/* --- Rows without a value -------------------------------------------------------------------- */

static stoa_status add_row(stoa_row_list *list, uint64_t row, stoa_error *err)
{
    if (list->recent == NULL) {
        list->recent = stoa_alloc(LIST_ROWS, sizeof *list->recent);
        STOA_RETURN_NO_MEMORY(err, list->recent);
    }
    if (list->n_recent == LIST_ROWS) {
        STOA_RETURN_NOT_OK(
            stoa_spill_append(&list->spill, list->recent, sizeof *list->recent * LIST_ROWS, err));
        list->n_recent = 0;
    }
    list->recent[list->n_recent++] = row;
    list->count++;
    return STOA_OK;
}

stoa_status stoa_row_list_read(const stoa_row_list *list, uint64_t first, uint64_t count,
                               uint64_t *rows, stoa_error *err)
{
    const uint64_t n_spilled = list->count - list->n_recent;
    const uint64_t from_file =
        first < n_spilled ? (n_spilled - first < count ? n_spilled - first : count) : 0;

    if (from_file > 0) {
        STOA_RETURN_NOT_OK(stoa_spill_read(&list->spill, first * sizeof *rows, rows,
                                           (size_t)from_file * sizeof *rows, err));
    }
    if (from_file < count) {
        memcpy(rows + from_file, list->recent + (first + from_file - n_spilled),
               (size_t)(count - from_file) * sizeof *rows);
    }
    return STOA_OK;
}

static void clear_list(stoa_row_list *list)
{
    stoa_spill_close(&list->spill);
    free(list->recent);
    list->recent = NULL;
}

/* --- Reading --------------------------------------------------------------------------------- */

static stoa_status spill_batch(stoa_row_sorter *sorter, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_sort_batch_sort(&sorter->batch, sorter->column->workers, err));
    STOA_RETURN_NOT_OK(stoa_sort_runs_add(&sorter->runs, &sorter->batch, err));
    stoa_sort_batch_reset(&sorter->batch);
    return STOA_OK;
}

static stoa_status add_numbers(stoa_row_sorter *sorter, const stoa_block *block,
                               const uint64_t *keys, uint64_t first, stoa_error *err)
{
    const bool is_float = stoa_kind_is_float(sorter->column->element.kind);

    for (uint64_t i = 0; i < block->count; i++) {
        const uint64_t key = keys[i];
        if (is_float && key == STOA_KEY_NAN) {
            STOA_RETURN_NOT_OK(add_row(&sorter->nan, first + i, err));
        } else if (block->missing != NULL && stoa_bit_get(block->missing, i)) {
            STOA_RETURN_NOT_OK(add_row(&sorter->missing, first + i, err));
        } else {
            if (stoa_sort_batch_is_full(&sorter->batch, 0)) {
                STOA_RETURN_NOT_OK(spill_batch(sorter, err));
            }
            stoa_sort_batch_add(&sorter->batch, key, first + i);
            sorter->n_ordered++;
        }
    }
    return STOA_OK;
}

static stoa_status add_bytes(stoa_row_sorter *sorter, const stoa_block *block, uint64_t first,
                             stoa_error *err)
{
    const size_t size = sorter->column->element.size;

    for (uint64_t i = 0; i < block->count; i++) {
        stoa_sort_record record = {.row = first + i};
        if (block->missing != NULL && stoa_bit_get(block->missing, i)) {
            STOA_RETURN_NOT_OK(add_row(&sorter->missing, first + i, err));
            continue;
        }
        (void)stoa_record_of(sorter->column, block->elements + i * size, &record);
        if (stoa_sort_batch_is_full(&sorter->batch, record.length)) {
            STOA_RETURN_NOT_OK(spill_batch(sorter, err));
        }
        STOA_RETURN_NOT_OK(stoa_sort_batch_add_bytes(&sorter->batch, &record, err));
        sorter->n_ordered++;
    }
    return STOA_OK;
}

/* Rows per block: whole chunks if they fit, so that each is decoded once. */
static uint64_t block_rows(const stoa_row_sorter *sorter, unsigned n_together)
{
    const stoa_column *column = sorter->column;
    const uint64_t usual = stoa_element_is_variable(&column->element) ? BLOCK_STRINGS : BLOCK_ROWS;
    const uint64_t fitting =
        sorter->memory / 4 / n_together / (column->element.size + sizeof(uint64_t));
    const uint64_t chunk = column->chunk_rows;
    uint64_t rows = usual;

    if (chunk != 0 && !stoa_element_is_variable(&column->element)) {
        rows = chunk > usual ? chunk : usual / chunk * chunk;
    }
    if (rows > fitting) {
        rows = chunk != 0 && fitting >= chunk ? fitting / chunk * chunk : fitting;
    }
    return rows > 0 ? rows : 1;
}

/* Blocks that are read in parallel. */
typedef struct reading {
    stoa_row_sorter *sorter;
    stoa_block_readers readers;
    uint64_t rows;  /* per block */
    uint64_t first; /* first row of the first block */
    uint64_t end;
    stoa_block *blocks; /* one per reader */
    uint64_t *keys;     /* `rows` per block, for numbers */
} reading;

/* Blocks end at multiples of `rows`. */
static uint64_t end_of_block(const reading *r, uint64_t first)
{
    const uint64_t to_border = r->rows - first % r->rows;

    return r->end - first < to_border ? r->end : first + to_border;
}

static stoa_status read_block(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const reading *r = context;
    const stoa_column *column = r->sorter->column;
    stoa_block *block = &r->blocks[part];
    const uint64_t first = part == 0 ? r->first : r->first - r->first % r->rows + part * r->rows;

    STOA_RETURN_NOT_OK(stoa_block_reader_read(&r->readers.each[worker], first,
                                              end_of_block(r, first) - first, block, err));
    if (!r->sorter->batch.is_bytes) {
        stoa_keys_of(&column->element, block->elements, block->count, r->keys + part * r->rows);
    }
    return STOA_OK;
}

/* Read the next blocks in parallel, then add them in order. */
static stoa_status read_some(reading *r, stoa_error *err)
{
    stoa_row_sorter *sorter = r->sorter;
    const uint64_t left = (r->end - 1) / r->rows - r->first / r->rows + 1;
    const uint64_t n = left < r->readers.n ? left : r->readers.n;

    STOA_RETURN_NOT_OK(stoa_workers_run(r->readers.workers, n, read_block, r, err));
    for (uint64_t i = 0; i < n; i++) {
        stoa_block *block = &r->blocks[i];
        STOA_RETURN_NOT_OK(sorter->batch.is_bytes
                               ? add_bytes(sorter, block, r->first, err)
                               : add_numbers(sorter, block, r->keys + i * r->rows, r->first, err));
        r->first += block->count;
        stoa_block_clear(&sorter->column->element, block);
    }
    return STOA_OK;
}

static stoa_status read_all(stoa_row_sorter *sorter, uint64_t first, uint64_t end, stoa_error *err)
{
    stoa_status status = STOA_OK;
    reading r = {.sorter = sorter, .first = first, .end = end};

    STOA_TRY(stoa_block_readers_open(&r.readers, sorter->column, err));
    r.rows = block_rows(sorter, r.readers.n);
    r.blocks = stoa_alloc_zero(r.readers.n, sizeof *r.blocks);
    r.keys = stoa_alloc((size_t)(r.readers.n * r.rows), sizeof *r.keys);
    STOA_TRY(r.blocks != NULL && r.keys != NULL ? STOA_OK : stoa_fail_memory(err));
    while (r.first < end) {
        STOA_TRY(stoa_report_progress(sorter->listener,
                                      &(stoa_progress){.stage = "reading",
                                                       .rows = r.first - first,
                                                       .total_rows = end - first},
                                      err));
        STOA_TRY(read_some(&r, err));
    }

done:
    for (unsigned i = 0; r.blocks != NULL && i < r.readers.n; i++) {
        stoa_block_clear(&sorter->column->element, &r.blocks[i]);
    }
    stoa_block_readers_close(&r.readers);
    free(r.blocks);
    free(r.keys);
    return status;
}

stoa_status stoa_row_sorter_run(stoa_row_sorter *sorter, stoa_column *column, uint64_t first,
                                uint64_t end, uint64_t memory, const stoa_listener *listener,
                                stoa_error *err)
{
    const bool is_bytes = stoa_key_is_bytes(&column->element);

    *sorter =
        (stoa_row_sorter){.column = column, .listener = listener, .memory = choose_memory(memory)};
    stoa_sort_runs_make(&sorter->runs, is_bytes, sorter->memory);
    STOA_RETURN_NOT_OK(
        stoa_sort_batch_make(&sorter->batch, is_bytes, sorter->memory, end - first, err));
    STOA_RETURN_NOT_OK(read_all(sorter, first, end, err));
    STOA_RETURN_NOT_OK(stoa_report_progress(
        listener, &(stoa_progress){.stage = "sorting", .total_rows = end - first}, err));
    if (stoa_sort_runs_count(&sorter->runs) == 0) {
        STOA_RETURN_NOT_OK(stoa_sort_batch_sort(&sorter->batch, sorter->column->workers, err));
    } else {
        STOA_RETURN_NOT_OK(spill_batch(sorter, err));
        stoa_sort_batch_clear(&sorter->batch); /* the merge may use the memory now */
    }
    return STOA_OK;
}

void stoa_row_sorter_clear(stoa_row_sorter *sorter)
{
    stoa_sort_batch_clear(&sorter->batch);
    stoa_sort_runs_clear(&sorter->runs);
    clear_list(&sorter->missing);
    clear_list(&sorter->nan);
}

bool stoa_row_sorter_is_in_memory(const stoa_row_sorter *sorter)
{
    return stoa_sort_runs_count(&sorter->runs) == 0;
}

stoa_status stoa_row_sorter_visit(stoa_row_sorter *sorter, stoa_sort_visit visit, void *context,
                                  stoa_error *err)
{
    if (!stoa_row_sorter_is_in_memory(sorter)) {
        return stoa_sort_runs_merge(&sorter->runs, sorter->listener, sorter->n_ordered, visit,
                                    context, err);
    }
    for (size_t i = 0; i < sorter->batch.count; i++) {
        const stoa_sort_record record = stoa_sort_batch_get(&sorter->batch, i);
        if (i % BLOCK_ROWS == 0) {
            STOA_RETURN_NOT_OK(stoa_report_progress(
                sorter->listener,
                &(stoa_progress){.stage = "writing", .rows = i, .total_rows = sorter->n_ordered},
                err));
        }
        STOA_RETURN_NOT_OK(visit(context, &record, err));
    }
    return STOA_OK;
}
