/* Reading a column and sorting it, in as much memory as is allowed. */
#include "index/sorted_sort.h"

#include <stdlib.h>
#include <unistd.h>

#include "column/block.h"
#include "core/progress.h"

enum {
    MIN_MEMORY = 1 << 16,
    BLOCK_ROWS = 1 << 16,    /* read together */
    BLOCK_STRINGS = 1 << 13, /* of variable length */
    LIST_ROWS = 4096         /* of a list, before they go to its file */
};

static uint64_t choose_memory(uint64_t memory)
{
    if (memory == 0) {
        const long pages = sysconf(_SC_PHYS_PAGES);
        const long page = sysconf(_SC_PAGESIZE);
        memory = pages > 0 && page > 0 ? (uint64_t)pages / 4 * (uint64_t)page : 256u << 20;
    }
    return memory > MIN_MEMORY ? memory : MIN_MEMORY;
}

/* --- rows without a value -------------------------------------------------------------------- */

static stoa_status add_row(stoa_row_list *list, uint64_t row, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (list->recent == NULL) {
        list->recent = stoa_alloc(LIST_ROWS, sizeof *list->recent);
        if (list->recent == NULL) {
            STOA_TRY(stoa_fail_memory(err));
        }
    }
    if (list->n_recent == LIST_ROWS) {
        STOA_TRY(
            stoa_spill_append(&list->spill, list->recent, sizeof *list->recent * LIST_ROWS, err));
        list->n_recent = 0;
    }
    list->recent[list->n_recent++] = row;
    list->count++;

done:
    return status;
}

stoa_status stoa_row_list_read(const stoa_row_list *list, uint64_t first, uint64_t count,
                               uint64_t *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_spilled = list->count - list->n_recent;
    const uint64_t from_file =
        first < n_spilled ? (n_spilled - first < count ? n_spilled - first : count) : 0;

    if (from_file > 0) {
        STOA_TRY(stoa_spill_read(&list->spill, first * sizeof *rows, rows,
                                 (size_t)from_file * sizeof *rows, err));
    }
    if (from_file < count) {
        memcpy(rows + from_file, list->recent + (first + from_file - n_spilled),
               (size_t)(count - from_file) * sizeof *rows);
    }

done:
    return status;
}

static void clear_list(stoa_row_list *list)
{
    stoa_spill_close(&list->spill);
    free(list->recent);
    list->recent = NULL;
}

/* --- reading --------------------------------------------------------------------------------- */

static stoa_status spill_batch(stoa_row_sorter *sorter, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sort_batch_sort(&sorter->batch, err));
    STOA_TRY(stoa_sort_runs_add(&sorter->runs, &sorter->batch, err));
    stoa_sort_batch_reset(&sorter->batch);

done:
    return status;
}

static stoa_status take_numbers(stoa_row_sorter *sorter, const stoa_block *block, uint64_t first,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &sorter->column->element;
    const bool is_float = stoa_kind_is_float(element->kind);

    stoa_keys_of(element, block->elements, block->count, sorter->keys);
    for (uint64_t i = 0; i < block->count; i++) {
        const uint64_t key = sorter->keys[i];
        if (is_float && key == STOA_KEY_NAN) {
            STOA_TRY(add_row(&sorter->nan, first + i, err));
        } else if (block->missing != NULL && stoa_bit_get(block->missing, i)) {
            STOA_TRY(add_row(&sorter->missing, first + i, err));
        } else {
            if (stoa_sort_batch_is_full(&sorter->batch, 0)) {
                STOA_TRY(spill_batch(sorter, err));
            }
            stoa_sort_batch_add(&sorter->batch, key, first + i);
            sorter->n_ordered++;
        }
    }

done:
    return status;
}

static stoa_status take_bytes(stoa_row_sorter *sorter, const stoa_block *block, uint64_t first,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = sorter->column->element.size;

    for (uint64_t i = 0; i < block->count; i++) {
        stoa_sort_record record = {.row = first + i};
        if (block->missing != NULL && stoa_bit_get(block->missing, i)) {
            STOA_TRY(add_row(&sorter->missing, first + i, err));
            continue;
        }
        (void)stoa_record_of(sorter->column, block->elements + i * size, &record);
        if (stoa_sort_batch_is_full(&sorter->batch, record.length)) {
            STOA_TRY(spill_batch(sorter, err));
        }
        STOA_TRY(stoa_sort_batch_add_bytes(&sorter->batch, &record, err));
        sorter->n_ordered++;
    }

done:
    return status;
}

/* Rows read together: whole chunks where they fit, so that each is decoded once. */
static uint64_t block_rows(const stoa_row_sorter *sorter)
{
    const stoa_column *column = sorter->column;
    const uint64_t usual = stoa_element_is_variable(&column->element) ? BLOCK_STRINGS : BLOCK_ROWS;
    const uint64_t fitting = sorter->memory / 4 / (column->element.size + sizeof *sorter->keys);
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

static stoa_status read_all(stoa_row_sorter *sorter, uint64_t first, uint64_t end, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t rows = block_rows(sorter);
    stoa_block block = {.elements = NULL};

    sorter->keys = stoa_alloc((size_t)rows, sizeof *sorter->keys);
    if (sorter->keys == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (uint64_t at = first; at < end; at += block.count) {
        const uint64_t to_border = rows - at % rows;
        const uint64_t count = end - at < to_border ? end - at : to_border;
        STOA_TRY(stoa_tell(
            sorter->listener,
            &(stoa_progress){.stage = "reading", .rows = at - first, .total_rows = end - first},
            err));
        stoa_block_clear(&sorter->column->element, &block);
        STOA_TRY(stoa_block_read(sorter->column, at, count, &block, err));
        STOA_TRY(sorter->batch.is_bytes ? take_bytes(sorter, &block, at, err)
                                        : take_numbers(sorter, &block, at, err));
    }

done:
    stoa_block_clear(&sorter->column->element, &block);
    free(sorter->keys);
    sorter->keys = NULL;
    return status;
}

stoa_status stoa_row_sorter_run(stoa_row_sorter *sorter, stoa_column *column, uint64_t first,
                                uint64_t end, uint64_t memory, const stoa_listener *listener,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_bytes = stoa_key_is_bytes(&column->element);

    *sorter =
        (stoa_row_sorter){.column = column, .listener = listener, .memory = choose_memory(memory)};
    stoa_sort_runs_make(&sorter->runs, is_bytes, sorter->memory);
    STOA_TRY(stoa_sort_batch_make(&sorter->batch, is_bytes, sorter->memory, end - first, err));
    STOA_TRY(read_all(sorter, first, end, err));
    STOA_TRY(
        stoa_tell(listener, &(stoa_progress){.stage = "sorting", .total_rows = end - first}, err));
    if (stoa_sort_runs_count(&sorter->runs) == 0) {
        STOA_TRY(stoa_sort_batch_sort(&sorter->batch, err));
    } else {
        STOA_TRY(spill_batch(sorter, err));
        stoa_sort_batch_clear(&sorter->batch); /* merging has the memory now */
    }

done:
    return status;
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
    stoa_status status = STOA_OK;

    if (!stoa_row_sorter_is_in_memory(sorter)) {
        return stoa_sort_runs_merge(&sorter->runs, sorter->listener, sorter->n_ordered, visit,
                                    context, err);
    }
    for (size_t i = 0; i < sorter->batch.count; i++) {
        const stoa_sort_record record = stoa_sort_batch_get(&sorter->batch, i);
        if (i % BLOCK_ROWS == 0) {
            STOA_TRY(stoa_tell(
                sorter->listener,
                &(stoa_progress){.stage = "writing", .rows = i, .total_rows = sorter->n_ordered},
                err));
        }
        STOA_TRY(visit(context, &record, err));
    }

done:
    return status;
}
