/* See bitmap_bits.h. */
#include "index/bitmap_bits.h"

#include <stdlib.h>
#include <string.h>

#include "index/slices.h"

/* Memory for the bits of a block: blocks are narrower where there are very many values. */
static const uint64_t max_block_bytes = 64u << 20;

/* A walk over the rows: the block that is being filled, and who gets it. */
typedef struct walk {
    const stoa_column *column;
    const stoa_bitmap_values *values;
    uint64_t width; /* bytes of a full block */
    uint64_t end;   /* of the rows */
    stoa_bitmap_block block;
    stoa_bitmap_use use;
    void *context;
} walk;

static void start_block(walk *w, uint64_t first_byte)
{
    const uint64_t left = stoa_bit_bytes(w->end) - first_byte;
    const uint64_t wanted = w->width - first_byte % w->width; /* chunks are written whole */
    stoa_bitmap_block *block = &w->block;

    block->first_byte = first_byte;
    block->n_bytes = left < wanted ? left : wanted;
    block->n_unknown = 0;
    memset(block->bits, 0, (size_t)(block->n_values * block->n_bytes));
    memset(block->missing, 0, (size_t)block->n_bytes);
    memset(block->nans, 0, (size_t)block->n_bytes);
}

static void mark(walk *w, uint64_t row, const void *element, bool is_missing)
{
    stoa_bitmap_block *block = &w->block;
    const uint64_t bit = row - 8 * block->first_byte;
    const stoa_element *type = &w->column->element;
    uint64_t k = 0;

    if (type->class == STOA_ELEMENT_FLOAT && stoa_element_is_nan(type, element)) {
        stoa_bit_set(block->nans, bit);
    } else if (!is_missing && stoa_bitmap_values_find(w->values, w->column, element, &k)) {
        stoa_bit_set(block->bits + k * block->n_bytes, bit);
    } else if (!is_missing && block->n_unknown++ == 0) {
        block->first_unknown = row;
    }
    if (is_missing) {
        stoa_bit_set(block->missing, bit);
    }
}

static stoa_status mark_slice(void *context, uint64_t first, const stoa_block *slice,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    walk *w = context;
    const size_t size = w->column->element.size;

    for (uint64_t i = 0; i < slice->count; i++) {
        const bool is_missing = slice->missing != NULL && stoa_bit_get(slice->missing, i);
        if (first + i == 8 * (w->block.first_byte + w->block.n_bytes)) {
            STOA_TRY(w->use(w->context, &w->block, err));
            start_block(w, w->block.first_byte + w->block.n_bytes);
        }
        mark(w, first + i, slice->elements + i * size, is_missing);
    }

done:
    return status;
}

stoa_status stoa_bitmap_compute(stoa_column *column, const stoa_bitmap_values *values,
                                uint64_t first, uint64_t n_rows, const stoa_listener *listener,
                                stoa_bitmap_use use, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t fitting = max_block_bytes / (values->n + 1) + 1;
    const uint64_t wanted =
        fitting < STOA_BITMAP_BLOCK_BYTES ? fitting : (uint64_t)STOA_BITMAP_BLOCK_BYTES;
    const uint64_t needed = stoa_bit_bytes(n_rows) - first / 8;
    walk w = {.column = column,
              .values = values,
              .width = wanted < needed ? wanted : needed,
              .end = n_rows,
              .block = {.n_values = values->n},
              .use = use,
              .context = context};

    if (first >= n_rows) {
        return STOA_OK;
    }
    w.block.bits = stoa_alloc((size_t)values->n, (size_t)w.width);
    w.block.missing = stoa_alloc((size_t)w.width, 1);
    w.block.nans = stoa_alloc((size_t)w.width, 1);
    if (w.block.bits == NULL || w.block.missing == NULL || w.block.nans == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    start_block(&w, first / 8);
    STOA_TRY(stoa_slices(column, first, n_rows, "indexing", listener, mark_slice, &w, err));
    STOA_TRY(use(context, &w.block, err));

done:
    free(w.block.bits);
    free(w.block.missing);
    free(w.block.nans);
    return status;
}
