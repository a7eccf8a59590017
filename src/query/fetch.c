/* Pieces of a column, read and joined. */
#include "query/fetch.h"

#include <stdlib.h>

#include "query/take.h"

/* Rows between two others that are read through, if they are in a chunk that is read anyway. */
enum { READ_THROUGH = 4096 };

stoa_status stoa_fetch_open(stoa_fetch *fetch, stoa_column *column,
                            const struct ArrowSchema *schema, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_storage storage;

    *fetch = (stoa_fetch){.column = column, .schema = schema};
    STOA_TRY(stoa_column_storage_of(column, &storage, err));
    const uint64_t chunk = storage.chunk_rows != 0 ? storage.chunk_rows : 1;
    fetch->chunk_rows = storage.chunk_rows;
    if (storage.extent != 0) { /* the last chunk is stored whole */
        const double n_chunks = (double)((storage.extent - 1) / chunk + 1);
        fetch->bytes_per_row = (double)storage.n_stored_bytes / n_chunks / (double)chunk;
    }

done:
    return status;
}

/* Does a new piece begin at `row`, which follows `last` in a piece from `first` on? */
static bool is_apart(const stoa_fetch *fetch, uint64_t first, uint64_t last, uint64_t row)
{
    const uint64_t gap = row - last;

    if (row - first >= STOA_FETCH_MAX_ROWS) {
        return true;
    }
    if (fetch->chunk_rows == 0 || gap <= fetch->chunk_rows) {
        return gap > READ_THROUGH &&
               (fetch->chunk_rows == 0 || row / fetch->chunk_rows != last / fetch->chunk_rows);
    }
    return gap > READ_THROUGH || row / fetch->chunk_rows > last / fetch->chunk_rows + 1;
}

/* Bytes of the chunks that rows [first, end) lie in. Rows are read in ascending order, so that
 * those counted before are the first of them. */
static void count_bytes(stoa_fetch *fetch, uint64_t first, uint64_t end)
{
    const uint64_t chunk = fetch->chunk_rows != 0 ? fetch->chunk_rows : 1;
    const uint64_t low = first / chunk * chunk;
    const uint64_t past = end - 1 - (end - 1) % chunk;
    const uint64_t high = past <= UINT64_MAX - chunk ? past + chunk : UINT64_MAX;
    const uint64_t from = low > fetch->counted_to ? low : fetch->counted_to;

    if (high > from) {
        fetch->bytes += fetch->bytes_per_row * (double)(high - from);
        fetch->counted_to = high;
    }
}

static stoa_status read_run(stoa_fetch *fetch, uint64_t first, uint64_t n, struct ArrowArray *out,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_column_read(fetch->column, first, n, out, err));
    if (out->length != (int64_t)n) {
        STOA_FAIL(err, STOA_EDATA, "column '%s' gave %lld rows instead of %llu",
                  stoa_column_name(fetch->column), (long long)out->length, (unsigned long long)n);
    }
    count_bytes(fetch, first, first + n);

done:
    return status;
}

/* Rows of one piece: the run they lie in, without the others. */
static stoa_status read_piece(stoa_fetch *fetch, const uint64_t *rows, uint64_t n,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray run = {0};
    stoa_pick *picks = NULL;
    stoa_view view;
    const stoa_view *const source = &view;
    const uint64_t length = rows[n - 1] - rows[0] + 1;

    if (length == n) {
        return read_run(fetch, rows[0], n, out, err);
    }
    picks = stoa_alloc(n, sizeof *picks);
    STOA_TRY(picks != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_run(fetch, rows[0], length, &run, err));
    STOA_TRY(stoa_view_of(fetch->schema, &run, &view, err));
    for (uint64_t i = 0; i < n; i++) {
        picks[i] = (stoa_pick){(int64_t)(rows[i] - rows[0]), 0};
    }
    STOA_TRY(stoa_take(&source, 1, picks, (int64_t)n, out, err));

done:
    free(picks);
    stoa_array_release(&run);
    return status;
}

stoa_status stoa_fetch_join(const stoa_fetch *fetch, struct ArrowArray *parts, size_t n_parts,
                            struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view *views = NULL;
    const stoa_view **sources = NULL;
    stoa_pick *picks = NULL;
    size_t n = 0;

    if (n_parts == 1) {
        stoa_array_move(&parts[0], out);
        return STOA_OK;
    }
    for (size_t p = 0; p < n_parts; p++) {
        n += (size_t)parts[p].length;
    }
    views = stoa_alloc(n_parts, sizeof *views);
    sources = stoa_alloc(n_parts, sizeof *sources);
    picks = stoa_alloc(n, sizeof *picks);
    if (views == NULL || sources == NULL || picks == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    n = 0;
    for (size_t p = 0; p < n_parts; p++) {
        STOA_TRY(stoa_view_of(fetch->schema, &parts[p], &views[p], err));
        sources[p] = &views[p];
        for (int64_t row = 0; row < parts[p].length; row++) {
            picks[n++] = (stoa_pick){row, (uint32_t)p};
        }
    }
    STOA_TRY(stoa_take(sources, n_parts, picks, (int64_t)n, out, err));

done:
    free(views);
    free(sources);
    free(picks);
    return status;
}

stoa_status stoa_fetch_rows(stoa_fetch *fetch, const uint64_t *rows, uint64_t first, uint64_t n,
                            struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer parts = {0};

    *out = (struct ArrowArray){0};
    if (rows == NULL) {
        return read_run(fetch, first, n, out, err);
    }
    for (uint64_t start = 0, end; start < n; start = end) {
        struct ArrowArray part = {0};
        for (end = start + 1; end < n && !is_apart(fetch, rows[start], rows[end - 1], rows[end]);) {
            end++;
        }
        STOA_TRY(stoa_buffer_reserve(&parts, sizeof part, err));
        STOA_TRY(read_piece(fetch, rows + start, end - start, &part, err));
        STOA_TRY(stoa_buffer_append(&parts, &part, sizeof part, err)); /* there is room */
    }
    STOA_TRY(stoa_fetch_join(fetch, (struct ArrowArray *)(void *)parts.data,
                             parts.size / sizeof(struct ArrowArray), out, err));

done:
    for (size_t p = 0; p < parts.size / sizeof(struct ArrowArray); p++) {
        stoa_array_release(&((struct ArrowArray *)(void *)parts.data)[p]);
    }
    stoa_buffer_clear(&parts);
    return status;
}
