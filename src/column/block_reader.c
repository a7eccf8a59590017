/* See block_reader.h. */
#include "column/block_reader.h"

#include <stdlib.h>

/* Elements without pointers into memory of libhdf5's, and no mask, which is a column of its own. */
static bool can_share(const stoa_column *column)
{
    return stoa_column_is_dataset(column) && column->mask == NULL &&
           !stoa_element_is_variable(&column->element);
}

stoa_status stoa_block_readers_open(stoa_block_readers *readers, stoa_column *column,
                                    stoa_error *err)
{
    const stoa_direct *direct = NULL;

    STOA_RETURN_NOT_OK(
        stoa_column_direct(column, &direct, err)); /* looks at the dataset, for all of them */
    readers->workers = can_share(column) ? column->workers : NULL;
    const unsigned n = stoa_workers_count(readers->workers);
    readers->each = stoa_alloc_zero(n, sizeof *readers->each);
    STOA_RETURN_NOT_OK(readers->each != NULL ? STOA_OK : stoa_fail_memory(err));
    readers->n = n;
    for (unsigned i = 0; i < n; i++) {
        readers->each[i].column = column;
        readers->each[i].workers = readers->workers;
    }
    return STOA_OK;
}

void stoa_block_readers_close(stoa_block_readers *readers)
{
    for (unsigned i = 0; i < readers->n; i++) {
        stoa_scratch_clear(&readers->each[i].scratch);
    }
    free(readers->each);
    *readers = (stoa_block_readers){.n = 0};
}

/* Chunks that Stoa unpacks are unpacked side by side, others one after the other by libhdf5. */
static stoa_status read_unpacked(stoa_block_reader *reader, uint64_t first, uint64_t count,
                                 void *out, stoa_error *err)
{
    stoa_column *const column = reader->column;
    stoa_packed *const packed = &column->packed;
    const stoa_status status =
        packed->direct != NULL
            ? stoa_direct_read(packed->direct, first, count, &reader->scratch, out, err)
            : stoa_packed_read_box(packed, column->element.mem_type, &(hsize_t){first},
                                   &(hsize_t){count}, &reader->scratch, reader->workers, out, err);

    return stoa_column_at(column, status, err);
}

static stoa_status read_elements(stoa_block_reader *reader, uint64_t first, uint64_t count,
                                 void **elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const column = reader->column;
    const stoa_packed *const packed = &column->packed;
    const bool is_there = first <= column->extent && count <= column->extent - first;
    void *out = NULL;

    if (!is_there || (packed->direct == NULL && (!packed->is_ours || packed->rank != 1))) {
        stoa_workers_lock(reader->workers);
        status = stoa_column_read_elements(column, first, count, elements, err);
        stoa_workers_unlock(reader->workers);
        return status;
    }
    out = stoa_alloc((size_t)count, column->element.size);
    STOA_TRY(out != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_unpacked(reader, first, count, out, err));
    *elements = out;
    out = NULL;

done:
    free(out);
    return status;
}

stoa_status stoa_block_reader_read(stoa_block_reader *reader, uint64_t first, uint64_t count,
                                   stoa_block *block, stoa_error *err)
{
    void *elements = NULL;

    if (reader->workers == NULL) {
        return stoa_block_read(reader->column, first, count, block, err);
    }
    STOA_RETURN_NOT_OK(read_elements(reader, first, count, &elements, err));
    block->count = count;
    block->elements = elements;
    return stoa_column_missing(reader->column, elements, count, &block->missing, &block->n_missing,
                               err);
}
