#include "index/sorted/sorted_write.h"

#include <stdlib.h>

stoa_status stoa_rank_block_make(stoa_rank_block *block, const stoa_sorted_store *store,
                                 stoa_error *err)
{
    const size_t capacity = (size_t)stoa_sorted_block(store->column);

    *block = (stoa_rank_block){.store = store, .capacity = capacity};
    block->rows = stoa_alloc_zero(capacity, sizeof *block->rows);
    return block->rows != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_rank_block_clear(stoa_rank_block *block)
{
    free(block->rows);
    *block = (stoa_rank_block){.capacity = 0};
}

void stoa_rank_block_begin(stoa_rank_block *block, uint64_t rank)
{
    block->first = rank / block->capacity * block->capacity;
}

stoa_status stoa_rank_block_write(const stoa_rank_block *block, uint64_t low, uint64_t high,
                                  stoa_error *err)
{
    return stoa_sorted_write_rows(block->store, low, high - low, block->rows + (low - block->first),
                                  err);
}

stoa_status stoa_sorted_write_list(const stoa_sorted_store *store, const stoa_row_list *list,
                                   uint64_t rank, stoa_error *err)
{
    uint64_t rows[512];

    for (uint64_t at = 0; at < list->count; at += 512) {
        const uint64_t count = list->count - at < 512 ? list->count - at : 512;
        STOA_RETURN_NOT_OK(stoa_row_list_read(list, at, count, rows, err));
        STOA_RETURN_NOT_OK(stoa_sorted_write_rows(store, rank + at, count, rows, err));
    }
    return STOA_OK;
}

/* --- Writing a whole index ------------------------------------------------------------------- */

typedef struct rank_writer {
    stoa_rank_block block;
    uint64_t rank;
    stoa_fences fences;
} rank_writer;

/* Put a row at the next rank, and write the block if it is full. */
static stoa_status put_row(rank_writer *writer, uint64_t row, stoa_error *err)
{
    stoa_rank_block_set(&writer->block, writer->rank, row);
    writer->rank++;
    if (writer->rank - writer->block.first == writer->block.capacity) {
        STOA_RETURN_NOT_OK(
            stoa_rank_block_write(&writer->block, writer->block.first, writer->rank, err));
        stoa_rank_block_begin(&writer->block, writer->rank);
    }
    return STOA_OK;
}

static stoa_status put_record(void *context, const stoa_sort_record *record, stoa_error *err)
{
    rank_writer *writer = context;

    if (writer->rank % writer->fences.spacing == 0) {
        stoa_fences_add(&writer->fences, record->key, writer->rank);
    }
    return put_row(writer, record->row, err);
}

static stoa_status put_list(rank_writer *writer, const stoa_row_list *list, stoa_error *err)
{
    uint64_t rows[512];

    for (uint64_t at = 0; at < list->count; at += 512) {
        const uint64_t count = list->count - at < 512 ? list->count - at : 512;
        STOA_RETURN_NOT_OK(stoa_row_list_read(list, at, count, rows, err));
        for (uint64_t i = 0; i < count; i++) {
            STOA_RETURN_NOT_OK(put_row(writer, rows[i], err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_sorted_fill(stoa_sorted_store *store, uint64_t n_rows, stoa_row_sorter *sorter,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    rank_writer writer = {.rank = 0};

    STOA_TRY(stoa_sorted_resize(store, n_rows, sorter->missing.count, sorter->nan.count, err));
    STOA_TRY(stoa_rank_block_make(&writer.block, store, err));
    STOA_TRY(stoa_fences_make(&writer.fences, stoa_sorted_n_ordered(store), err));
    STOA_TRY(stoa_row_sorter_visit(sorter, put_record, &writer, err));
    STOA_TRY(put_list(&writer, &sorter->missing, err));
    STOA_TRY(put_list(&writer, &sorter->nan, err));
    STOA_TRY(stoa_rank_block_write(&writer.block, writer.block.first, writer.rank, err));
    STOA_TRY(stoa_sorted_flush(store, err));
    STOA_TRY(stoa_sorted_fence(store, &writer.fences, err));

done:
    stoa_fences_clear(&writer.fences);
    stoa_rank_block_clear(&writer.block);
    return status;
}
