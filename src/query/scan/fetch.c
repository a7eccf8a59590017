/* Reads pieces of a column one by one, and gathers their rows. */
#include "query/scan/fetch.h"

#include "column/list/reader.h"

/* A gap of up to READ_THROUGH rows within chunks that are read anyway does not end a piece. */
enum { READ_THROUGH = 4096, MANY = 64 };
/* Rows within a smaller part of a chunk are read as single elements, see column/read/reader.c. */
enum { CLOSE_PART = 64 };

/* Read lists without items, if the column can. */
static stoa_status make_bare(stoa_source *source, stoa_error *err)
{
    const stoa_column_source *const rows = &source->column->source;

    source->is_bare = rows->read_bare != NULL;
    if (!source->is_bare) {
        return STOA_OK;
    }
    source->schema = rows->bare_schema;
    return stoa_type_of(source->schema, &source->type, err);
}

static uint64_t stored_bytes(const stoa_source *source)
{
    return source->is_bare ? stoa_list_bare_bytes(source->column)
                           : stoa_column_stored_bytes(source->column);
}

stoa_status stoa_source_open(stoa_source *source, stoa_column *column,
                             const stoa_scope_column *known, bool is_bare, bool are_few,
                             stoa_error *err)
{
    *source = (stoa_source){.column = column,
                            .schema = known->schema,
                            .type = known->type,
                            .learned_dictionary = known->learned_dictionary};
    STOA_RETURN_NOT_OK(stoa_column_load(column, err));
    STOA_RETURN_NOT_OK(is_bare ? make_bare(source, err) : STOA_OK);
    STOA_RETURN_NOT_OK(stoa_column_complete(column, &source->complete, err));
    const uint64_t chunk = column->chunk_rows != 0 ? column->chunk_rows : 1;
    source->chunk_rows = column->chunk_rows;
    if (are_few) {
        source->bytes_per_row = (double)column->element.size;
    } else if (column->extent != 0) { /* the last chunk is stored in full */
        const uint64_t n_chunks = (column->extent - 1) / chunk + 1;
        source->bytes_per_row = (double)stored_bytes(source) / (double)n_chunks / (double)chunk;
    }
    return STOA_OK;
}

stoa_status stoa_fetch_open(stoa_fetch *fetch, const stoa_source *source, stoa_workers *workers,
                            stoa_error *err)
{
    *fetch = (stoa_fetch){.source = source};
    stoa_workers_lock(workers);
    const stoa_status status = stoa_column_reader_open(
        &fetch->reader, source->column, source->learned_dictionary, source->is_bare, workers, err);
    stoa_workers_unlock(workers);
    fetch->reader.complete = source->complete;
    fetch->reader.keeps = source->keeps;
    fetch->reader.learns = source->learns;
    fetch->reader.keeps_codes = source->keeps_codes;
    if (status != STOA_OK) {
        stoa_fetch_close(fetch);
    }
    return status;
}

void stoa_fetch_close(stoa_fetch *fetch)
{
    stoa_column_reader_close(&fetch->reader);
    stoa_array_release(&fetch->picked);
    stoa_buffer_clear(&fetch->picks);
    *fetch = (stoa_fetch){.source = NULL};
}

void stoa_fetch_recount(stoa_fetch *fetch)
{
    fetch->counted_to = 0;
    fetch->bytes = 0;
}

/* Rows within this distance of each other always belong to one piece. */
static uint64_t near_enough(const stoa_source *source)
{
    const uint64_t chunk = source->chunk_rows;

    return chunk == 0 || chunk > READ_THROUGH ? READ_THROUGH : chunk;
}

/* Whether a new piece begins at `row`, which follows `last` in a piece that begins at `first`. */
static bool is_apart(const stoa_source *source, uint64_t first, uint64_t last, uint64_t row)
{
    const uint64_t gap = row - last;
    const uint64_t chunk = source->chunk_rows;

    if (row - first >= STOA_FETCH_MAX_ROWS) {
        return true;
    }
    if (chunk == 0 || gap <= chunk) {
        return gap > READ_THROUGH && (chunk == 0 || row / chunk != last / chunk);
    }
    return gap > READ_THROUGH || row / chunk > last / chunk + 1;
}

/* The end of the piece that begins with rows[start]. MANY rows within a short distance are
 * accepted at once. */
static uint64_t end_of_piece(const stoa_source *source, const uint64_t *rows, uint64_t start,
                             uint64_t n)
{
    const uint64_t first = rows[start];
    uint64_t end = start + 1;

    while (end < n) {
        const uint64_t last = rows[end - 1];
        if (n - end >= MANY && rows[end + MANY - 1] - last <= near_enough(source) &&
            rows[end + MANY - 1] - first < STOA_FETCH_MAX_ROWS) {
            end += MANY;
        } else if (!is_apart(source, first, last, rows[end])) {
            end++;
        } else {
            break;
        }
    }
    return end;
}

/* Count the bytes of the chunks that hold rows [first, end). Rows are read in ascending order,
 * so chunks counted before are the first of them. */
static void count_bytes(stoa_fetch *fetch, uint64_t first, uint64_t end)
{
    const uint64_t chunk = fetch->source->chunk_rows != 0 ? fetch->source->chunk_rows : 1;
    const uint64_t low = first / chunk * chunk;
    const uint64_t past = end - 1 - (end - 1) % chunk;
    const uint64_t high = past <= UINT64_MAX - chunk ? past + chunk : UINT64_MAX;
    const uint64_t from = low > fetch->counted_to ? low : fetch->counted_to;

    if (high > from) {
        fetch->bytes += fetch->source->bytes_per_row * (double)(high - from);
        fetch->counted_to = high;
    }
}

static stoa_status read_run(stoa_fetch *fetch, uint64_t first, uint64_t n, stoa_view *view,
                            stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_reader_rows(&fetch->reader, first, n, view, err));
    if (view->length != (int64_t)n) {
        return stoa_fail(err, STOA_EDATA, "column '%s' gave %lld rows instead of %llu",
                         stoa_column_name(fetch->source->column), (long long)view->length,
                         (unsigned long long)n);
    }
    count_bytes(fetch, first, first + n);
    return STOA_OK;
}

/* Read the rows of one piece: all rows between the first and the last, then pick. */
static stoa_status read_piece(stoa_fetch *fetch, const uint64_t *rows, uint64_t n,
                              stoa_gather *gather, stoa_error *err)
{
    const uint64_t length = rows[n - 1] - rows[0] + 1;
    uint32_t *picks = NULL;
    stoa_view view;

    if (length != n) {
        fetch->picks.size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&fetch->picks, (size_t)n * sizeof *picks, err));
        picks = (uint32_t *)(void *)fetch->picks.data;
        for (uint64_t i = 0; i < n; i++) {
            picks[i] = (uint32_t)(rows[i] - rows[0]);
        }
    }
    STOA_RETURN_NOT_OK(read_run(fetch, rows[0], length, &view, err));
    return stoa_gather_add(gather, &view, picks, (int64_t)n, err);
}

/* Read the rows of [first, first + count) whose bit is set, n of them, from one chunk. */
static stoa_status add_chosen(stoa_fetch *fetch, uint64_t first, uint64_t count,
                              const uint8_t *bits, uint64_t n, stoa_gather *gather, stoa_error *err)
{
    stoa_column_reader *reader = &fetch->reader;
    void *room = stoa_gather_room(gather, stoa_column_reader_width(reader), (int64_t)n);
    stoa_view view;

    STOA_RETURN_NOT_OK(stoa_column_reader_chosen(reader, first, count, bits, n, room, &view, err));
    count_bytes(fetch, first, first + count);
    return stoa_gather_add(gather, &view, NULL, (int64_t)n, err);
}

/* The end of the rows that lie in the same chunk as rows[start]. */
static uint64_t end_of_chunk(const stoa_source *source, const uint64_t *rows, uint64_t start,
                             uint64_t n)
{
    const uint64_t first = rows[start];
    const uint64_t left = source->chunk_rows - first % source->chunk_rows;
    const uint64_t reach = left < STOA_FETCH_MAX_ROWS ? left : STOA_FETCH_MAX_ROWS;
    uint64_t end = start + 1;

    while (end < n && rows[end] - first < reach) {
        end++;
    }
    return end;
}

/* Read rows of one chunk. If they are spread over it, they are selected by bitmap, and other
 * rows are not decoded if that can be avoided. Rows close together are read as single elements. */
static stoa_status read_spread(stoa_fetch *fetch, const uint64_t *rows, uint64_t n,
                               stoa_gather *gather, stoa_error *err)
{
    const uint64_t first = rows[0];
    const uint64_t count = rows[n - 1] - first + 1;

    if (count == n || count < fetch->source->chunk_rows / CLOSE_PART) {
        return read_piece(fetch, rows, n, gather, err);
    }
    fetch->picks.size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_grow(&fetch->picks, (size_t)stoa_bit_bytes(count), err));
    for (uint64_t i = 0; i < n; i++) {
        stoa_bit_set(fetch->picks.data, rows[i] - first);
    }
    return add_chosen(fetch, first, count, fetch->picks.data, n, gather, err);
}

/* Free the reader's buffers after the last row of a chunk, which saves memory with many columns. */
static void pause_at_end(stoa_fetch *fetch, uint64_t end)
{
    const uint64_t rows = fetch->source->chunk_rows;

    if (end >= fetch->source->column->n_rows || (rows != 0 && end % rows == 0)) {
        stoa_column_reader_pause(&fetch->reader);
    }
}

stoa_status stoa_fetch_rows(stoa_fetch *fetch, const uint64_t *rows, uint64_t first, uint64_t n,
                            struct ArrowArray *out, stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_gather gather = {.n = 0};
    stoa_view run;

    *out = (struct ArrowArray){0};
    STOA_TRY(
        stoa_gather_open(&gather, fetch->source->schema, &fetch->source->type, (int64_t)n, err));
    if (rows == NULL) {
        STOA_TRY(read_run(fetch, first, n, &run, err));
        if (stoa_column_reader_detach(&fetch->reader, n, out)) {
            *view = run;
            view->schema = fetch->source->schema;
            view->array = out;
            goto done;
        }
        STOA_TRY(stoa_gather_add(&gather, &run, NULL, (int64_t)n, err));
    }
    const bool by_chunk =
        fetch->source->chunk_rows != 0 && stoa_column_reader_can_choose(&fetch->reader);
    for (uint64_t start = 0, end; rows != NULL && start < n; start = end) {
        end = by_chunk ? end_of_chunk(fetch->source, rows, start, n)
                       : end_of_piece(fetch->source, rows, start, n);
        STOA_TRY(
            (by_chunk ? read_spread : read_piece)(fetch, rows + start, end - start, &gather, err));
    }
    STOA_TRY(stoa_gather_finish(&gather, out, view, err));
    if (fetch->source->column->is_one_of_many) {
        pause_at_end(fetch, rows != NULL ? rows[n - 1] + 1 : first + n);
    }

done:
    stoa_gather_clear(&gather);
    return status;
}

stoa_status stoa_fetch_view(stoa_fetch *fetch, const uint64_t *rows, uint64_t first, uint64_t n,
                            stoa_view *view, stoa_error *err)
{
    if (rows == NULL) {
        return read_run(fetch, first, n, view, err);
    }
    stoa_array_release(&fetch->picked);
    return stoa_fetch_rows(fetch, rows, first, n, &fetch->picked, view, err);
}

stoa_status stoa_fetch_peek(stoa_fetch *fetch, uint64_t first, uint64_t n, stoa_view *view,
                            stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_reader_peek(&fetch->reader, first, n, view, err));
    if (view->length > 0) {
        count_bytes(fetch, first, first + n);
    }
    return STOA_OK;
}

/* Rows selected by a bitmap ----------------------------------------------------------------- */

bool stoa_fetch_can_choose(const stoa_fetch *fetch, uint64_t first, uint64_t count)
{
    const uint64_t chunk = fetch->source->chunk_rows;

    /* a bitmap of a chunk's rows must begin at a byte */
    return chunk != 0 && stoa_column_reader_can_choose(&fetch->reader) &&
           (count <= chunk - first % chunk || (chunk % 8 == 0 && first % 8 == 0));
}

stoa_status stoa_fetch_chosen(stoa_fetch *fetch, uint64_t first, uint64_t count,
                              const uint8_t *bits, uint64_t n, struct ArrowArray *out,
                              stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_source *source = fetch->source;
    stoa_gather gather = {.n = 0};

    *out = (struct ArrowArray){0};
    STOA_TRY(stoa_gather_open(&gather, source->schema, &source->type, (int64_t)n, err));
    for (uint64_t at = 0, length; at < count; at += length) {
        const uint64_t left = source->chunk_rows - (first + at) % source->chunk_rows;
        length = left < count - at ? left : count - at;
        const uint64_t n_here = length == count ? n : stoa_bit_count(bits, at, length);
        if (n_here != 0) { /* otherwise the chunk is not read */
            STOA_TRY(add_chosen(fetch, first + at, length, bits + at / 8, n_here, &gather, err));
        }
    }
    STOA_TRY(stoa_gather_finish(&gather, out, view, err));

done:
    stoa_gather_clear(&gather);
    return status;
}
