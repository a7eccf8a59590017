#include "layout/common/block_table.h"

#include <stdlib.h>

#include "arrow/build.h"
#include "arrow/metadata.h"
#include "arrow/read.h"
#include "arrow/take.h"
#include "core/memory.h"
#include "core/starts.h"

enum { N_KEPT = 4 }; /* blocks in memory */

typedef struct kept_block {
    size_t number;
    uint64_t used; /* the later, the greater; 0: empty */
    struct ArrowArray rows;
} kept_block;

/* Shared by the columns, and closed with the last of them. */
typedef struct shared_blocks {
    size_t n_holders;
    stoa_blocks blocks;
    kept_block kept[N_KEPT];
    uint64_t n_uses;
} shared_blocks;

typedef struct block_column {
    shared_blocks *shared;
    size_t number;
} block_column;

/* Room doubles whenever the number of starts reaches a power of two. */
stoa_status stoa_blocks_add(stoa_blocks *blocks, uint64_t n_rows, stoa_error *err)
{
    const size_t n_starts = blocks->starts == NULL ? 0 : blocks->n + 1;

    if ((n_starts & (n_starts - 1)) == 0) {
        const size_t n_room = n_starts < 2 ? 2 : 2 * n_starts;
        uint64_t *const longer = stoa_realloc(blocks->starts, n_room, sizeof *longer);
        STOA_RETURN_NO_MEMORY(err, longer);
        blocks->starts = longer;
    }
    if (n_starts == 0) {
        blocks->starts[0] = 0;
    }
    blocks->starts[blocks->n + 1] = blocks->starts[blocks->n] + n_rows;
    blocks->n++;
    return STOA_OK;
}

void stoa_blocks_clear(stoa_blocks *blocks)
{
    stoa_schema_release(&blocks->schema);
    free(blocks->starts);
    if (blocks->close != NULL) {
        blocks->close(blocks->context);
    }
    *blocks = (stoa_blocks){.n = 0};
}

static void release(shared_blocks *shared)
{
    if (--shared->n_holders == 0) {
        for (size_t i = 0; i < N_KEPT; i++) {
            stoa_array_release(&shared->kept[i].rows);
        }
        stoa_blocks_clear(&shared->blocks);
        free(shared);
    }
}

static void close_column(void *context)
{
    block_column *const column = context;

    release(column->shared);
    free(column);
}

/* --- rows ------------------------------------------------------------------------------------ */

/* A block in memory; valid until the next call but N_KEPT. */
static stoa_status load_block(shared_blocks *shared, size_t number, struct ArrowArray **rows,
                              stoa_error *err)
{
    kept_block *oldest = &shared->kept[0];

    for (size_t i = 0; i < N_KEPT; i++) {
        kept_block *const block = &shared->kept[i];
        if (block->used > 0 && block->number == number) {
            block->used = ++shared->n_uses;
            *rows = &block->rows;
            return STOA_OK;
        }
        oldest = block->used < oldest->used ? block : oldest;
    }
    stoa_array_release(&oldest->rows);
    oldest->used = 0;
    STOA_RETURN_NOT_OK(shared->blocks.read(shared->blocks.context, number, &oldest->rows, err));
    oldest->number = number;
    oldest->used = ++shared->n_uses;
    *rows = &oldest->rows;
    return STOA_OK;
}

/* Take rows of one block. */
static stoa_status take_rows(const block_column *column, const struct ArrowArray *block,
                             int64_t first, int64_t n, struct ArrowArray *out, stoa_error *err)
{
    const struct ArrowSchema *const field = column->shared->blocks.schema.children[column->number];
    struct ArrowArray rows = *block->children[column->number]; /* borrowed */

    rows.offset += first;
    rows.length = n;
    rows.null_count = rows.null_count == 0 ? 0 : -1;
    return stoa_take_all(field, &rows, 1, out, err);
}

static stoa_status read_rows(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    const block_column *const column = context;
    const stoa_blocks *const blocks = &column->shared->blocks;
    stoa_buffer parts = {0}; /* struct ArrowArray */
    struct ArrowArray part = {.release = NULL};
    struct ArrowArray *rows = NULL;
    stoa_status status = STOA_OK;

    if (count == 0) {
        return stoa_array_missing(blocks->schema.children[column->number], 0, out, err);
    }
    for (uint64_t at = first; at < first + count;) {
        const size_t i = stoa_starts_find(blocks->starts, sizeof *blocks->starts, blocks->n, at);
        const uint64_t end =
            first + count < blocks->starts[i + 1] ? first + count : blocks->starts[i + 1];
        STOA_TRY(load_block(column->shared, i, &rows, err));
        STOA_TRY(take_rows(column, rows, (int64_t)(at - blocks->starts[i]), (int64_t)(end - at),
                           &part, err));
        if (at == first && end == first + count) {
            stoa_array_move(&part, out);
            goto done;
        }
        STOA_TRY(stoa_buffer_append(&parts, &part, sizeof part, err));
        part.release = NULL;
        at = end;
    }
    STOA_TRY(stoa_take_all(blocks->schema.children[column->number],
                           (struct ArrowArray *)(void *)parts.data, parts.size / sizeof part, out,
                           err));

done:
    stoa_array_release(&part);
    for (size_t i = 0; i < parts.size / sizeof part; i++) {
        stoa_array_release((struct ArrowArray *)(void *)parts.data + i);
    }
    stoa_buffer_clear(&parts);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status add_column(shared_blocks *shared, size_t number, stoa_table *table,
                              stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    block_column *const own = stoa_alloc(1, sizeof *own);
    stoa_column *column = NULL;
    stoa_status status =
        own != NULL ? stoa_schema_copy(shared->blocks.schema.children[number], &schema, err)
                    : stoa_fail_memory(err);

    if (status != STOA_OK) {
        free(own);
        return status;
    }
    *own = (block_column){shared, number};
    shared->n_holders++;
    const stoa_column_source source = {
        .read_array = read_rows, .close = close_column, .context = own};
    STOA_RETURN_NOT_OK(stoa_column_of_source(&schema, table->n_rows, &source, &column, err));
    return stoa_foreign_add(table, column, err);
}

static stoa_status add_metadata(void *table, const char *key, const char *value, stoa_error *err)
{
    return stoa_foreign_add_metadata(table, key, value, err);
}

stoa_status stoa_block_table_open(hid_t object, const char *path, const char *file,
                                  const char *layout, stoa_blocks *blocks, stoa_table **table,
                                  stoa_error *err)
{
    shared_blocks *const shared = stoa_alloc_zero(1, sizeof *shared);
    stoa_status status = STOA_OK;

    *table = NULL;
    if (shared == NULL) {
        stoa_blocks_clear(blocks);
        return stoa_hdf_close(&object, stoa_fail_memory(err), err);
    }
    shared->n_holders = 1;
    shared->blocks = *blocks;
    *blocks = (stoa_blocks){.n = 0};
    const uint64_t n_rows = shared->blocks.n > 0 ? shared->blocks.starts[shared->blocks.n] : 0;
    STOA_TRY(stoa_foreign_begin(object, path, file, layout, n_rows, table, err));
    for (int64_t i = 0; i < shared->blocks.schema.n_children; i++) {
        STOA_TRY(add_column(shared, (size_t)i, *table, err));
    }
    STOA_TRY(stoa_metadata_visit(shared->blocks.schema.metadata, add_metadata, *table, err));

done:
    if (status != STOA_OK) {
        stoa_table_close(*table);
        *table = NULL;
    }
    release(shared);
    return status;
}
