/* The rows of a sort: batches, positions in them, and the cells of their keys. */
#include "query/sort/sort_rows.h"

#include <stdlib.h>
#include <string.h>

#include "query/sort/sort_block.h"

#define SOURCES(rows) ((stoa_sort_source *)(void *)(rows)->sources.data)
#define STARTS(rows) ((uint32_t *)(void *)(rows)->starts.data)
#define HINTS(rows) ((uint32_t *)(void *)(rows)->hints.data)
#define PLACES(rows) ((stoa_sort_place *)(void *)(rows)->places.data)
#define CELLS(rows) ((stoa_sort_cell *)(void *)(rows)->cells.data)

static size_t n_sources(const stoa_sort_rows *rows)
{
    return rows->sources.size / sizeof(stoa_sort_source);
}

/* Sources ----------------------------------------------------------------------------------- */

void stoa_sort_source_clear(stoa_sort_source *source)
{
    stoa_array_release(&source->array);
    free(source->views);
    *source = (stoa_sort_source){0};
}

stoa_status stoa_sort_source_open(stoa_sort_source *source, const struct ArrowSchema *schema,
                                  struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)schema->n_children;

    *source = (stoa_sort_source){.views = stoa_alloc_zero(n, sizeof *source->views)};
    stoa_array_move(batch, &source->array);
    STOA_TRY(source->views != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t c = 0; c < n; c++) {
        STOA_TRY(
            stoa_view_of(schema->children[c], source->array.children[c], &source->views[c], err));
    }

done:
    if (status != STOA_OK) {
        stoa_sort_source_clear(source);
    }
    return status;
}

stoa_status stoa_sort_take(const stoa_sort_source *sources, size_t n, size_t n_columns,
                           const stoa_row_source *picks, int64_t n_picks, struct ArrowArray *out,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_view **views = stoa_alloc(n, sizeof *views);

    *out = (struct ArrowArray){0};
    STOA_TRY(views != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_array_struct(out, n_picks, (int64_t)n_columns, err));
    for (size_t c = 0; c < n_columns; c++) {
        for (size_t s = 0; s < n; s++) {
            views[s] = &sources[s].views[c];
        }
        STOA_TRY(stoa_take(views, n, picks, n_picks, out->children[c], err));
    }

done:
    free(views);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

/* Rows -------------------------------------------------------------------------------------- */

void stoa_sort_rows_make(stoa_sort_rows *rows, const struct ArrowSchema *schema,
                         stoa_sort_keys *keys, bool is_whole)
{
    *rows = (stoa_sort_rows){.schema = schema, .keys = keys, .is_whole = is_whole};
}

void stoa_sort_rows_empty(stoa_sort_rows *rows)
{
    for (size_t i = 0; i < n_sources(rows); i++) {
        stoa_sort_source_clear(&SOURCES(rows)[i]);
    }
    rows->sources.size = 0;
    rows->starts.size = 0;
    rows->hints.size = 0;
    rows->places.size = 0;
    rows->cells.size = 0;
    rows->n_held = 0;
    rows->n_bytes = 0;
    rows->is_whole = false;
}

void stoa_sort_rows_clear(stoa_sort_rows *rows)
{
    stoa_sort_rows_empty(rows);
    stoa_buffer_clear(&rows->sources);
    stoa_buffer_clear(&rows->starts);
    stoa_buffer_clear(&rows->hints);
    stoa_buffer_clear(&rows->places);
    stoa_buffer_clear(&rows->cells);
}

uint64_t stoa_sort_rows_count(const stoa_sort_rows *rows)
{
    return rows->is_whole ? rows->n_held : rows->places.size / sizeof(stoa_sort_place);
}

uint64_t stoa_sort_rows_bytes(const stoa_sort_rows *rows)
{
    return rows->n_bytes + rows->places.capacity + rows->cells.capacity +
           stoa_sort_rows_count(rows) * STOA_SORT_ROW_BYTES;
}

/* Where a row is. If rows are whole, its source is that of the hint before it, or follows. */
static stoa_sort_place place_of(const stoa_sort_rows *rows, uint32_t row)
{
    const size_t hint = row >> STOA_SORT_HINT_BITS;
    const uint32_t *starts = STARTS(rows);

    if (!rows->is_whole) {
        return PLACES(rows)[row];
    }
    size_t low = HINTS(rows)[hint];
    size_t high = (hint + 1) * sizeof(uint32_t) < rows->hints.size ? HINTS(rows)[hint + 1]
                                                                   : n_sources(rows) - 1;
    while (low < high) {
        const size_t middle = (low + high + 1) / 2;
        if (starts[middle] <= row) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return (stoa_sort_place){(uint32_t)low, row - starts[low]};
}

stoa_sort_row stoa_sort_rows_get(const void *of, uint32_t row)
{
    const stoa_sort_rows *rows = of;
    const stoa_sort_place place = place_of(rows, row);

    return (stoa_sort_row){rows->is_whole ? NULL : CELLS(rows) + (size_t)row * rows->keys->n,
                           SOURCES(rows)[place.source].views, place.row};
}

/* Memory used by the columns. Keys that are also outputs share their buffers. */
static stoa_status count_bytes(const struct ArrowSchema *schema, stoa_sort_source *source,
                               stoa_error *err)
{
    const struct ArrowArray *batch = &source->array;
    uint64_t n_bytes = 0;

    for (int64_t c = 0; c < batch->n_children; c++) {
        const struct ArrowArray *child = batch->children[c];
        bool is_shared = false;
        for (int64_t d = 0; d < c && child->n_buffers > 1; d++) {
            const struct ArrowArray *other = batch->children[d];
            is_shared |= other->n_buffers > 1 && other->buffers[1] == child->buffers[1];
        }
        if (!is_shared) {
            STOA_RETURN_NOT_OK(stoa_array_bytes(schema->children[c], child, &n_bytes, err));
            source->n_bytes += n_bytes;
        }
    }
    return STOA_OK;
}

/* Number the rows of a source that comes next. */
static stoa_status number_rows(stoa_sort_rows *rows, const stoa_sort_source *source,
                               stoa_error *err)
{
    const uint32_t number = (uint32_t)n_sources(rows);
    const uint32_t start = (uint32_t)rows->n_held;
    const uint64_t end = rows->n_held + (uint64_t)source->array.length;

    STOA_RETURN_NOT_OK(stoa_sort_keys_rank(rows->keys, source->views, err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(&rows->starts, &start, sizeof start, err));
    while ((uint64_t)(rows->hints.size / sizeof number) << STOA_SORT_HINT_BITS < end) {
        STOA_RETURN_NOT_OK(stoa_buffer_append(&rows->hints, &number, sizeof number, err));
    }
    return STOA_OK;
}

stoa_status stoa_sort_rows_hold(stoa_sort_rows *rows, struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sort_source source = {.views = NULL};

    STOA_TRY(stoa_sort_source_open(&source, rows->schema, batch, err));
    STOA_TRY(count_bytes(rows->schema, &source, err));
    if (rows->is_whole) {
        STOA_TRY(number_rows(rows, &source, err));
    }
    STOA_TRY(stoa_buffer_append(&rows->sources, &source, sizeof source, err));
    rows->n_bytes += source.n_bytes;
    rows->n_held += (uint64_t)source.array.length;
    source = (stoa_sort_source){0};

done:
    stoa_sort_source_clear(&source);
    return status;
}

void stoa_sort_rows_unhold(stoa_sort_rows *rows)
{
    stoa_sort_source *source = &SOURCES(rows)[n_sources(rows) - 1];

    rows->n_held -= (uint64_t)source->array.length;
    rows->n_bytes -= source->n_bytes;
    stoa_sort_source_clear(source);
    rows->sources.size -= sizeof *source;
}

stoa_status stoa_sort_rows_add(stoa_sort_rows *rows, int64_t first, int64_t n, stoa_error *err)
{
    const size_t last = n_sources(rows) - 1;
    const size_t n_cells = (size_t)n * rows->keys->n;

    STOA_RETURN_NOT_OK(
        stoa_buffer_reserve(&rows->places, (size_t)n * sizeof(stoa_sort_place), err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&rows->cells, n_cells * sizeof(stoa_sort_cell), err));
    const uint64_t at = stoa_sort_rows_count(rows);
    STOA_RETURN_NOT_OK(stoa_sort_keys_fill(rows->keys, SOURCES(rows)[last].views, first, n,
                                           CELLS(rows) + at * rows->keys->n, err));
    for (int64_t i = 0; i < n; i++) {
        PLACES(rows)[at + (uint64_t)i] = (stoa_sort_place){(uint32_t)last, (uint32_t)(first + i)};
    }
    rows->places.size += (size_t)n * sizeof(stoa_sort_place);
    rows->cells.size += n_cells * sizeof(stoa_sort_cell);
    return STOA_OK;
}

static bool is_before(const stoa_sort_keys *keys, const stoa_sort_row *row,
                      const stoa_sort_row *bound)
{
    return bound == NULL || stoa_sort_compare(keys, 0, row, bound) < 0;
}

void stoa_sort_rows_drop(stoa_sort_rows *rows, uint64_t at, const stoa_sort_row *last,
                         const stoa_sort_row *bar)
{
    const size_t n_keys = rows->keys->n;
    const uint64_t n = stoa_sort_rows_count(rows);
    uint64_t kept = at;

    for (uint64_t i = at; i < n; i++) {
        const stoa_sort_row row = stoa_sort_rows_get(rows, (uint32_t)i);
        if (is_before(rows->keys, &row, last) && is_before(rows->keys, &row, bar)) {
            memmove(CELLS(rows) + kept * n_keys, row.cells, n_keys * sizeof *row.cells);
            PLACES(rows)[kept++] = PLACES(rows)[i];
        }
    }
    rows->places.size = kept * sizeof(stoa_sort_place);
    rows->cells.size = kept * n_keys * sizeof(stoa_sort_cell);
}

/* Rows in order ----------------------------------------------------------------------------- */

stoa_status stoa_sort_rows_keep(stoa_sort_rows *rows, const stoa_sort_entry *entries, uint64_t n,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t row_size = rows->keys->n * sizeof(stoa_sort_cell);
    stoa_buffer places = {0};
    stoa_buffer cells = {0};

    STOA_TRY(stoa_buffer_reserve(&places, (size_t)n * sizeof(stoa_sort_place), err));
    STOA_TRY(stoa_buffer_reserve(&cells, (size_t)n * row_size, err));
    for (uint64_t i = 0; i < n; i++) { /* space is reserved */
        const stoa_sort_place place = place_of(rows, entries[i].row);
        const stoa_sort_row row = stoa_sort_rows_get(rows, entries[i].row);
        STOA_TRY(stoa_buffer_append(&places, &place, sizeof place, err));
        for (size_t k = 0; k < rows->keys->n; k++) {
            const stoa_sort_cell cell = stoa_sort_cell_of(rows->keys, k, &row);
            STOA_TRY(stoa_buffer_append(&cells, &cell, sizeof cell, err));
        }
    }
    rows->is_whole = false;
    const stoa_buffer old_places = rows->places;
    const stoa_buffer old_cells = rows->cells;
    rows->places = places;
    rows->cells = cells;
    places = old_places;
    cells = old_cells;

done:
    stoa_buffer_clear(&places);
    stoa_buffer_clear(&cells);
    return status;
}

stoa_status stoa_sort_rows_take(const stoa_sort_rows *rows, const stoa_sort_entry *entries,
                                uint64_t n, size_t n_columns, struct ArrowArray *out,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_row_source *picks = stoa_alloc(n, sizeof *picks);

    *out = (struct ArrowArray){0};
    STOA_TRY(picks != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < n; i++) {
        const stoa_sort_place place = place_of(rows, entries[i].row);
        picks[i] = (stoa_row_source){place.row, place.source};
    }
    STOA_TRY(
        stoa_sort_take(SOURCES(rows), n_sources(rows), n_columns, picks, (int64_t)n, out, err));

done:
    free(picks);
    return status;
}
