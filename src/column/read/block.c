/* Reads blocks of rows and finds the missing ones. */
#include "column/read/block.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* --- elements -------------------------------------------------------------------------------- */

static stoa_status read_rows(stoa_column *column, uint64_t first, uint64_t count, void *block,
                             stoa_error *err)
{
    if (column->source.read_elements != NULL) {
        return column->source.read_elements(column->source.context, first, count, block, err);
    }
    return column->member.rows != NULL
               ? stoa_row_member_read(&column->member, first, count, block, err)
               : stoa_checked_reader_read(&column->reader, first, count, NULL, NULL, block, err);
}

/* Open and check the dataset before it is read for the first time. */
static stoa_status guard(stoa_column *column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_load(column, err));
    if (!column->is_guarded && stoa_column_is_dataset(column)) {
        stoa_checked_reader_close(&column->reader); /* left by an attempt that failed */
        STOA_RETURN_NOT_OK(stoa_column_reach(column, err));
        STOA_RETURN_NOT_OK(stoa_checked_reader_open(
            &column->reader, column->dataset, column->element.mem_type, column->read_context, err));
        column->is_guarded = true;
        stoa_column_let_go(column);
    }
    return STOA_OK;
}

stoa_status stoa_column_direct(stoa_column *column, const stoa_direct **direct, stoa_error *err)
{
    const stoa_status status = guard(column, err);

    *direct = column->mask == NULL ? column->reader.direct : NULL;
    return stoa_column_at(column, status, err);
}

/* Whether reading writes every byte of the elements, or fails. Then the buffer need not be zeroed:
 * no pointers are freed, and no uninitialised memory is exposed. */
static bool is_all_written(const stoa_column *column)
{
    const bool is_number = column->element.class == STOA_ELEMENT_INTEGER ||
                           column->element.class == STOA_ELEMENT_FLOAT;

    return is_number && (column->source.read_elements != NULL || column->reader.direct != NULL);
}

static stoa_status check_extent(const stoa_column *column, uint64_t first, uint64_t count,
                                stoa_error *err)
{
    if (first > column->extent || count > column->extent - first) {
        return stoa_fail(err, STOA_ERANGE, "rows %llu to %llu pass the extent %llu",
                         (unsigned long long)first, (unsigned long long)(first + count),
                         (unsigned long long)column->extent);
    }
    return STOA_OK;
}

stoa_status stoa_column_read_into(stoa_column *column, uint64_t first, uint64_t count, void *block,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(check_extent(column, first, count, err));
    STOA_TRY(guard(column, err));
    if (!is_all_written(column)) {
        memset(block, 0, (size_t)count * column->element.size);
    }
    STOA_TRY(read_rows(column, first, count, block, err));

done:
    return stoa_column_at(column, status, err);
}

stoa_status stoa_column_read_elements(stoa_column *column, uint64_t first, uint64_t count,
                                      void **elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    void *block = NULL;

    *elements = NULL;
    STOA_TRY(check_extent(column, first, count, err));
    STOA_TRY(guard(column, err));
    block = is_all_written(column) ? stoa_alloc((size_t)count, column->element.size)
                                   : stoa_alloc_zero((size_t)count, column->element.size);
    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_rows(column, first, count, block, err));
    *elements = block;
    block = NULL;

done:
    free(block);
    return stoa_column_at(column, status, err);
}

/* --- readers --------------------------------------------------------------------------------- */

/* Elements must not point into memory of libhdf5. There must be no mask, which is a column of its
 * own. */
bool stoa_column_can_share(const stoa_column *column)
{
    return stoa_column_is_dataset(column) && column->mask == NULL &&
           !stoa_element_is_variable(&column->element);
}

stoa_status stoa_block_readers_open(stoa_block_readers *readers, stoa_column *column,
                                    stoa_error *err)
{
    const stoa_direct *direct = NULL;

    STOA_RETURN_NOT_OK(
        stoa_column_direct(column, &direct, err)); /* checks the dataset, for all of them */
    readers->workers = stoa_column_can_share(column) ? column->workers : NULL;
    const unsigned n = stoa_workers_count(readers->workers);
    readers->each = stoa_alloc_zero(n, sizeof *readers->each);
    STOA_RETURN_NO_MEMORY(err, readers->each);
    readers->n = n;
    for (unsigned i = 0; i < n; i++) {
        readers->each[i].column = column;
        readers->each[i].workers = readers->workers;
        readers->each[i].scratch = stoa_read_context_borrow(column->read_context);
    }
    return STOA_OK;
}

void stoa_block_readers_close(stoa_block_readers *readers)
{
    for (unsigned i = 0; i < readers->n; i++) {
        stoa_read_context_return(readers->each[i].column->read_context, &readers->each[i].scratch);
    }
    free(readers->each);
    *readers = (stoa_block_readers){.n = 0};
}

stoa_status stoa_block_reader_elements(stoa_block_reader *reader, uint64_t first, uint64_t count,
                                       void **elements, stoa_error *err)
{
    stoa_column *const column = reader->column;

    if (reader->workers == NULL || check_extent(column, first, count, NULL) != STOA_OK) {
        return stoa_column_read_elements(column, first, count, elements, err);
    }
    *elements = (column->reader.direct != NULL || column->reader.is_ours /* fills all */
                     ? stoa_alloc
                     : stoa_alloc_zero)((size_t)count, column->element.size);
    STOA_RETURN_NO_MEMORY(err, *elements);
    const stoa_status status = stoa_checked_reader_read(
        &column->reader, first, count, &reader->scratch, reader->workers, *elements, err);
    if (status != STOA_OK) {
        free(*elements);
        *elements = NULL;
    }
    return stoa_column_at(column, status, err);
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* Add the rows that the mask marks as missing. */
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

stoa_status stoa_block_reader_read(stoa_block_reader *reader, uint64_t first, uint64_t count,
                                   stoa_block *block, stoa_error *err)
{
    stoa_column *const column = reader->column;
    void *elements = NULL;

    block->count = count;
    STOA_RETURN_NOT_OK(stoa_block_reader_elements(reader, first, count, &elements, err));
    if (stoa_element_is_variable(&column->element)) {
        block->reclaimed = elements;
        elements = stoa_alloc((size_t)count, column->element.size);
        STOA_RETURN_NO_MEMORY(err, elements);
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

stoa_status stoa_block_read(stoa_column *column, uint64_t first, uint64_t count, stoa_block *block,
                            stoa_error *err)
{
    stoa_block_reader reader = {.column = column};

    return stoa_block_reader_read(&reader, first, count, block, err);
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

/* --- block by block -------------------------------------------------------------------------- */

/* Rows per block. */
#define VISIT_ROWS UINT64_C(65536)

/* Read a block of stored rows as an Arrow array of the stored element. Missing rows are nulls. */
static stoa_status read_stored(stoa_column *column, uint64_t first, uint64_t count,
                               struct ArrowSchema *schema, struct ArrowArray *array,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_block block = {.elements = NULL};

    STOA_TRY(stoa_element_schema(&column->element, column->name, schema, err));
    STOA_TRY(stoa_block_read(column, first, count, &block, err));
    STOA_TRY(stoa_block_decode(&column->element, &block, array, err));

done:
    stoa_block_clear(&column->element, &block);
    return status;
}

stoa_status stoa_column_visit(stoa_column *column, uint64_t from, uint64_t end,
                              stoa_block_visitor visit, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    uint64_t count = 0;

    for (uint64_t first = from; first < end; first += count) {
        stoa_view view;
        count = end - first < VISIT_ROWS ? end - first : VISIT_ROWS;
        STOA_TRY(read_stored(column, first, count, &schema, &array, err));
        STOA_TRY(stoa_view_of(&schema, &array, &view, err));
        STOA_TRY(visit(context, first, &view, err));
        stoa_array_release(&array);
        stoa_schema_release(&schema);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}
