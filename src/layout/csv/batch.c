/* Batches: the rows are assigned in order, and then workers copy them column by column. */
#include "layout/csv/batch.h"

#define MAX_BATCH_BYTES ((uint64_t)64 * 1024 * 1024) /* a batch of wide rows ends here */

/* Rows of a block that belong to the current batch. */
typedef struct range {
    const stoa_csv_block_result *block;
    int64_t first;
    int64_t n;
} range;

/* The size of rows: eight bytes per value, and the bytes of strings. */
static uint64_t bytes_of(const stoa_csv_batches *batches, const range *rows)
{
    const stoa_csv_columns *columns = batches->columns;
    uint64_t n = columns->n * sizeof(int64_t) * (uint64_t)rows->n;

    for (size_t k = 0; k < columns->n; k++) {
        n += stoa_csv_builder_text(&rows->block->builders[k], &columns->items[k].type, rows->first,
                                   rows->n);
    }
    return n;
}

/* Shorten a range to the rows that fill the batch. */
static void fit(const stoa_csv_batches *batches, range *rows)
{
    const uint64_t room = batches->batch_rows - batches->n_rows;
    int64_t least = 1;

    rows->n = (uint64_t)rows->n > room ? (int64_t)room : rows->n;
    if (batches->n_bytes + bytes_of(batches, rows) < MAX_BATCH_BYTES) {
        return;
    }
    /* Binary search for the fewest rows that reach the limit. */
    for (int64_t most = rows->n; least < most;) {
        rows->n = least + (most - least) / 2;
        if (batches->n_bytes + bytes_of(batches, rows) >= MAX_BATCH_BYTES) {
            most = rows->n;
        } else {
            least = rows->n + 1;
        }
    }
    rows->n = least;
}

static stoa_status copy_column(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const stoa_csv_batches *batches = context;
    stoa_csv_column *column = &batches->columns->items[part];
    const range *ranges = (const range *)(const void *)batches->plan.data;

    (void)worker;
    for (size_t i = 0; i < batches->plan.size / sizeof *ranges; i++) {
        STOA_RETURN_NOT_OK(stoa_csv_builder_append(&column->builder, &column->type,
                                                   &ranges[i].block->builders[part],
                                                   ranges[i].first, ranges[i].n, err));
    }
    return STOA_OK;
}

stoa_status stoa_csv_batches_flush(stoa_csv_batches *batches, bool is_end, stoa_error *err)
{
    struct ArrowArray batch = {.release = NULL};

    if (batches->plan.size != 0) {
        STOA_RETURN_NOT_OK(
            stoa_workers_run(batches->workers, batches->columns->n, copy_column, batches, err));
        batches->plan.size = 0;
    }
    if (is_end && batches->n_rows != 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&batches->ready, sizeof batch, err));
        STOA_RETURN_NOT_OK(
            stoa_csv_columns_batch(batches->columns, (int64_t)batches->n_rows, &batch, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&batches->ready, &batch, sizeof batch, err));
        batches->n_rows = 0;
        batches->n_bytes = 0;
    }
    return STOA_OK;
}

stoa_status stoa_csv_batches_add(stoa_csv_batches *batches, const stoa_csv_block_result *block,
                                 stoa_error *err)
{
    for (uint64_t first = 0; first < block->n_rows;) {
        range rows = {block, (int64_t)first, (int64_t)(block->n_rows - first)};
        fit(batches, &rows);
        STOA_RETURN_NOT_OK(stoa_buffer_append(&batches->plan, &rows, sizeof rows, err));
        batches->n_rows += (uint64_t)rows.n;
        batches->n_bytes += bytes_of(batches, &rows);
        first += (uint64_t)rows.n;
        if (batches->n_rows == batches->batch_rows || batches->n_bytes >= MAX_BATCH_BYTES) {
            STOA_RETURN_NOT_OK(stoa_csv_batches_flush(batches, true, err));
        }
    }
    return STOA_OK;
}

bool stoa_csv_batches_next(stoa_csv_batches *batches, struct ArrowArray *out)
{
    struct ArrowArray *ready = (struct ArrowArray *)(void *)batches->ready.data;

    if (batches->n_taken == batches->ready.size / sizeof *ready) {
        batches->ready.size = 0;
        batches->n_taken = 0;
        return false;
    }
    stoa_array_move(&ready[batches->n_taken++], out);
    return true;
}

void stoa_csv_batches_end(stoa_csv_batches *batches)
{
    struct ArrowArray batch;

    while (stoa_csv_batches_next(batches, &batch)) {
        stoa_array_release(&batch);
    }
    stoa_buffer_clear(&batches->plan);
    stoa_buffer_clear(&batches->ready);
}
