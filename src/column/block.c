/* Rows of a column in memory: read, tested for missing ones, decoded. */
#include "column/block.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Rows are missing where the mask says so, too. */
static stoa_status add_masked(const stoa_column *column, uint64_t first, uint64_t count,
                              stoa_block *block, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *mask = NULL;

    STOA_TRY(stoa_column_read_elements(column->mask, first, count, &mask, err));
    if (block->missing == NULL) {
        block->missing = stoa_alloc_zero(stoa_bit_bytes(count) + 1, 1);
        STOA_TRY(block->missing != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    for (uint64_t i = 0; i < count; i++) {
        if (((const uint8_t *)mask)[i] != 0) {
            stoa_bit_set(block->missing, i);
        }
    }
    block->n_missing = stoa_bit_count(block->missing, 0, count);
    if (block->n_missing == 0) {
        free(block->missing);
        block->missing = NULL;
    }

done:
    free(mask);
    return status;
}

stoa_status stoa_block_read(stoa_column *column, uint64_t first, uint64_t count, stoa_block *block,
                            stoa_error *err)
{
    void *elements = NULL;

    block->count = count;
    STOA_RETURN_NOT_OK(stoa_column_read_elements(column, first, count, &elements, err));
    if (stoa_element_is_variable(&column->element)) {
        block->reclaimed = elements;
        elements = stoa_alloc((size_t)count, column->element.size);
        if (elements == NULL) {
            return stoa_fail_memory(err);
        }
        memcpy(elements, block->reclaimed, (size_t)count * column->element.size);
    }
    block->elements = elements;
    STOA_RETURN_NOT_OK(
        stoa_column_missing(column, elements, count, &block->missing, &block->n_missing, err));
    if (column->mask != NULL) {
        STOA_RETURN_NOT_OK(add_masked(column, first, count, block, err));
    }
    return STOA_OK;
}

stoa_status stoa_block_decode(const stoa_element *element, stoa_block *block,
                              struct ArrowArray *out, stoa_error *err)
{
    void *elements = block->elements;
    uint8_t *missing = block->missing;

    block->elements = NULL;
    block->missing = NULL;
    return stoa_element_decode(element, elements, (int64_t)block->count, missing, out, err);
}

void stoa_block_clear(const stoa_element *element, stoa_block *block)
{
    stoa_element_reclaim(element, block->reclaimed, (size_t)block->count);
    free(block->reclaimed);
    free(block->elements);
    free(block->missing);
    *block = (stoa_block){.elements = NULL};
}
