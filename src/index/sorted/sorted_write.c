#include "index/sorted/sorted_write.h"

#include <stdlib.h>

#include "index/common/equality_key.h"

stoa_status stoa_rank_block_make(stoa_rank_block *block, const stoa_sorted_store *store,
                                 stoa_error *err)
{
    const stoa_element *element = &store->column->element;
    const size_t capacity = (size_t)stoa_sorted_block(store->column);

    *block = (stoa_rank_block){.store = store, .capacity = capacity};
    block->rows = stoa_alloc_zero(capacity, sizeof *block->rows);
    STOA_RETURN_NO_MEMORY(err, block->rows);
    if (!stoa_sorted_is_covered(store)) {
        return STOA_OK;
    }
    block->values = stoa_alloc_zero(capacity, element->size);
    block->offsets = stoa_alloc_zero(element->class == STOA_ELEMENT_STRING ? capacity : 1,
                                     sizeof *block->offsets);
    STOA_RETURN_NO_MEMORY(err, block->values != NULL && block->offsets != NULL);
    return STOA_OK;
}

void stoa_rank_block_clear(stoa_rank_block *block)
{
    free(block->rows);
    free(block->values);
    free(block->offsets);
    stoa_buffer_clear(&block->text);
    *block = (stoa_rank_block){.capacity = 0};
}

void stoa_rank_block_begin(stoa_rank_block *block, uint64_t rank)
{
    block->first = rank / block->capacity * block->capacity;
    block->text.size = 0;
}

stoa_status stoa_rank_block_set(stoa_rank_block *block, uint64_t rank,
                                const stoa_sort_record *record, stoa_error *err)
{
    const stoa_element *element = &block->store->column->element;
    const size_t slot = (size_t)(rank - block->first);

    block->rows[slot] = record->row;
    if (block->values == NULL) {
        return STOA_OK;
    }
    if (record->bytes == NULL) {
        stoa_key_restore(element, record->key, block->values + slot * element->size);
    } else if (element->class != STOA_ELEMENT_STRING) {
        stoa_key_element(block->store->column, record->bytes, record->length,
                         block->values + slot * element->size);
    } else {
        block->offsets[slot] = block->text.size;
        STOA_RETURN_NOT_OK(stoa_buffer_append(&block->text, record->bytes, record->length, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&block->text, "", 1, err));
    }
    return STOA_OK;
}

/* Set the string pointers once all strings are in `text`, which may have moved before. */
static void point_to_text(stoa_rank_block *block, size_t low, size_t high)
{
    for (size_t slot = low; slot < high; slot++) {
        const uint8_t *text = block->text.data + block->offsets[slot];
        memcpy(block->values + slot * sizeof text, &text, sizeof text);
    }
}

/* Write the fences among ranks [low, high) with values. */
static stoa_status write_fences(const stoa_rank_block *block, uint64_t low, uint64_t high,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = block->store->column->element.size;
    const uint64_t first = stoa_sorted_n_fences(low);
    const uint64_t end = stoa_sorted_n_fences(high);
    uint8_t *fences = NULL;

    if (first >= end) {
        return STOA_OK;
    }
    fences = stoa_alloc((size_t)(end - first), size);
    STOA_TRY(fences != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = first; i < end; i++) {
        memcpy(fences + (i - first) * size,
               block->values + (i * STOA_FENCE_RANKS - block->first) * size, size);
    }
    STOA_TRY(stoa_sorted_write_values(block->store, block->store->fences, first, end - first,
                                      fences, err));

done:
    free(fences);
    return status;
}

stoa_status stoa_rank_block_write(stoa_rank_block *block, uint64_t low, uint64_t high,
                                  stoa_error *err)
{
    const stoa_sorted_store *store = block->store;
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);
    const uint64_t end = high < n_ordered ? high : n_ordered;
    const size_t slot = (size_t)(low - block->first);
    const size_t size = store->column->element.size;

    STOA_RETURN_NOT_OK(stoa_sorted_write_rows(store, low, high - low, block->rows + slot, err));
    if (block->values == NULL || low >= end) {
        return STOA_OK;
    }
    if (store->column->element.class == STOA_ELEMENT_STRING) {
        point_to_text(block, slot, (size_t)(end - block->first));
    }
    STOA_RETURN_NOT_OK(stoa_sorted_write_values(store, store->values, low, end - low,
                                                block->values + slot * size, err));
    return write_fences(block, low, end, err);
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
} rank_writer;

/* Go to the next rank, and write the block if it is full. */
static stoa_status advance(rank_writer *writer, stoa_error *err)
{
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

    STOA_RETURN_NOT_OK(stoa_rank_block_set(&writer->block, writer->rank, record, err));
    return advance(writer, err);
}

static stoa_status put_list(rank_writer *writer, const stoa_row_list *list, stoa_error *err)
{
    uint64_t rows[512];

    for (uint64_t at = 0; at < list->count; at += 512) {
        const uint64_t count = list->count - at < 512 ? list->count - at : 512;
        STOA_RETURN_NOT_OK(stoa_row_list_read(list, at, count, rows, err));
        for (uint64_t i = 0; i < count; i++) {
            stoa_rank_block_set_row(&writer->block, writer->rank, rows[i]);
            STOA_RETURN_NOT_OK(advance(writer, err));
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
    STOA_TRY(stoa_row_sorter_visit(sorter, put_record, &writer, err));
    STOA_TRY(put_list(&writer, &sorter->missing, err));
    STOA_TRY(put_list(&writer, &sorter->nan, err));
    STOA_TRY(stoa_rank_block_write(&writer.block, writer.block.first, writer.rank, err));
    STOA_TRY(stoa_sorted_flush(store, err));

done:
    stoa_rank_block_clear(&writer.block);
    return status;
}
