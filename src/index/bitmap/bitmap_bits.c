#include "index/bitmap/bitmap_bits.h"

#include <stdlib.h>
#include <string.h>

#include "index/common/block_scan.h"

/* Memory limit for the bits of a block. Blocks are narrower if there are very many values. */
static const uint64_t max_block_bytes = 64u << 20;

/* Blocks of consecutive rows being filled at the same time, and the callback that receives them. */
typedef struct filling {
    const stoa_column *column;
    const stoa_bitmap_values *values;
    uint64_t width; /* bytes per value of a full block */
    stoa_runs runs;
    stoa_bitmap_block *blocks;
    stoa_bitmap_use use;
    void *context;
} filling;

/* Start the block of a row: set its range and clear its bits. */
static void start_block(const filling *f, stoa_bitmap_block *block, uint64_t row)
{
    const uint64_t left = stoa_bit_bytes(f->runs.end) - row / 8;
    const uint64_t wanted = f->width - row / 8 % f->width; /* chunks are written whole */

    block->first_byte = row / 8;
    block->n_bytes = left < wanted ? left : wanted;
    block->n_unknown = 0;
    memset(block->bits, 0, (size_t)(block->n_values * block->n_bytes));
    memset(block->missing, 0, (size_t)block->n_bytes);
    memset(block->nans, 0, (size_t)block->n_bytes);
}

/* Mark a row. `recent` is NULL if its element may not be recalled. */
static void mark(const filling *f, stoa_bitmap_block *block, uint64_t row, const void *element,
                 bool is_missing, stoa_bitmap_recent *recent)
{
    const uint64_t bit = row - 8 * block->first_byte;
    const stoa_element *type = &f->column->element;
    struct stoa_bitmap_found *at = NULL;
    bool has = false;
    uint64_t k = 0;

    if (recent != NULL && !is_missing) {
        at = stoa_bitmap_recall_number(recent, element, type->size, &has);
        k = has ? at->row - 1 : 0;
    }
    if (!has && type->class == STOA_ELEMENT_FLOAT && stoa_element_is_nan(type, element)) {
        stoa_bit_set(block->nans, bit);
    } else if (has || (!is_missing && stoa_bitmap_values_find(f->values, f->column, element, &k))) {
        stoa_bit_set(block->bits + k * block->n_bytes, bit);
        if (at != NULL) {
            at->row = k + 1;
        }
    } else if (!is_missing && block->n_unknown++ == 0) {
        block->first_unknown = row;
    }
    if (is_missing) {
        stoa_bit_set(block->missing, bit);
    }
}

static stoa_status mark_slice(void *context, uint64_t place, uint64_t first,
                              const stoa_block *slice, stoa_error *err)
{
    const filling *f = context;
    const size_t size = f->column->element.size;
    stoa_bitmap_recent recent = {.found = {{0}}};
    stoa_bitmap_recent *const known = stoa_bitmap_may_recall(f->column) ? &recent : NULL;

    (void)err;
    for (uint64_t i = 0, end; i < slice->count; i = end) {
        stoa_bitmap_block *block = &f->blocks[stoa_runs_chunk(&f->runs, place, first + i)];
        const uint64_t left = 8 * f->width - (first + i) % (8 * f->width);
        end = left < slice->count - i ? i + left : slice->count;
        if (first + i == f->runs.first || (first + i) % (8 * f->width) == 0) {
            start_block(f, block, first + i);
        }
        for (; i < end; i++) {
            mark(f, block, first + i, slice->elements + i * size,
                 slice->missing != NULL && stoa_bit_get(slice->missing, i), known);
        }
    }
    return STOA_OK;
}

static stoa_status use_blocks(void *context, uint64_t n_runs, uint64_t first, uint64_t end,
                              stoa_error *err)
{
    const filling *f = context;
    const uint64_t chunk_rows = f->runs.chunk_rows;
    const stoa_bitmap_block *blocks = f->blocks + stoa_runs_chunk(&f->runs, 0, first);
    const uint64_t n = (end - 1) / chunk_rows - first / chunk_rows + 1;

    (void)n_runs;
    for (uint64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(f->use(f->context, &blocks[i], err));
    }
    return STOA_OK;
}

static stoa_status make_blocks(filling *f, stoa_error *err)
{
    const uint64_t n = f->runs.n_places * f->runs.run_chunks;

    f->blocks = stoa_alloc_zero((size_t)n, sizeof *f->blocks);
    STOA_RETURN_NO_MEMORY(err, f->blocks);
    for (uint64_t i = 0; i < n; i++) {
        stoa_bitmap_block *block = &f->blocks[i];
        block->n_values = f->values->n;
        block->bits = stoa_alloc((size_t)f->values->n, (size_t)f->width);
        block->missing = stoa_alloc((size_t)f->width, 1);
        block->nans = stoa_alloc((size_t)f->width, 1);
        STOA_RETURN_NO_MEMORY(err,
                              block->bits != NULL && block->missing != NULL && block->nans != NULL);
    }
    return STOA_OK;
}

static void free_blocks(filling *f)
{
    for (uint64_t i = 0; f->blocks != NULL && i < f->runs.n_places * f->runs.run_chunks; i++) {
        free(f->blocks[i].bits);
        free(f->blocks[i].missing);
        free(f->blocks[i].nans);
    }
    free(f->blocks);
}

stoa_status stoa_bitmap_compute(stoa_column *column, const stoa_bitmap_values *values,
                                uint64_t first, uint64_t n_rows, const stoa_listener *listener,
                                stoa_bitmap_use use, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t fitting = max_block_bytes / (values->n + 1) + 1;
    const uint64_t wanted =
        fitting < STOA_BITMAP_BLOCK_BYTES ? fitting : (uint64_t)STOA_BITMAP_BLOCK_BYTES;
    const uint64_t needed = stoa_bit_bytes(n_rows);
    filling f = {.column = column,
                 .values = values,
                 .width = wanted < needed ? wanted : needed,
                 .use = use,
                 .context = context};

    if (first >= n_rows) {
        return STOA_OK;
    }
    STOA_TRY(stoa_runs_open(&f.runs, column, 8 * f.width, (values->n + 2) * f.width, 0, first,
                            n_rows, err));
    STOA_TRY(make_blocks(&f, err));
    STOA_TRY(stoa_runs_visit(&f.runs, "indexing", listener, mark_slice, use_blocks, &f, err));

done:
    free_blocks(&f);
    stoa_runs_close(&f.runs);
    return status;
}
