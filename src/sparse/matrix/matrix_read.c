/*
 * Convert sparse arrays to matrices in memory (<stoa/sparse_matrix.h>).
 *
 * CSR and CSC take two passes over the chunks. These are unpacked only once if they fit into
 * memory. The first pass counts the entries of each row (or column) from positions alone. The
 * second writes each entry to its place. The chunks of a band come in order, and so do the entries
 * of a row in each chunk, so nothing is sorted.
 *
 * CSR of chunks with known counts needs no first pass (matrix_rows.c). COO is CSR with explicit
 * rows, unless there are so many rows that their counters would be much larger than the entries.
 */
#include <stdlib.h>
#include <string.h>

#include "sparse/matrix/matrix.h"

#define MAX_ROWS (UINT64_C(1) << 20) /* limit up to which COO goes through CSR */
/* With more pointers or coordinates than this, a nearly empty array is refused. Nearly empty means
 * less than one stored byte for 2^20 of them. */
#define EMPTY_LINES (UINT64_C(1) << 30)

void stoa_matrix_clear(stoa_matrix *matrix)
{
    free(matrix->pointers);
    free(matrix->rows);
    free(matrix->columns);
    free(matrix->values);
    *matrix = (stoa_matrix){.n = 0};
}

/* --- by line --------------------------------------------------------------------------------- */

/*
 * A line is a row of CSR or a column of CSC. During counting, starts[i + 2] is the number of
 * entries of line i. After summation, starts[i + 1] is where its next entry goes. In the end that
 * is the end of the line, so starts[0] .. starts[n_lines] are the pointers.
 */
typedef struct gathering {
    const stoa_shape *shape;
    bool by_columns;
    size_t size; /* of a value */
    unsigned index_size;
    uint64_t n_lines;
    uint64_t *starts; /* shape (n_lines + 2,) */
    uint64_t n;
    void *indices;
    uint8_t *values;
} gathering;

static stoa_status count_chunk(void *context, unsigned worker, uint64_t band,
                               const uint64_t *offset, const stoa_sparse_chunk *chunk,
                               stoa_error *err)
{
    const gathering *g = context;
    const uint64_t width = g->shape->chunk[1];

    (void)worker;
    (void)band;
    (void)err;
    for (size_t i = 0; i < chunk->n;) {
        const stoa_chunk_row r = stoa_chunk_row_at(chunk, i, offset, width);
        if (!g->by_columns) {
            g->starts[r.row + 2] += r.n;
        }
        for (size_t k = 0; g->by_columns && k < r.n; k++) {
            g->starts[chunk->positions[i + k] + r.shift + 2]++;
        }
        i += r.n;
    }
    return STOA_OK;
}

static inline void put_index(const gathering *g, uint64_t to, uint64_t index)
{
    if (g->index_size == 4) {
        ((int32_t *)g->indices)[to] = (int32_t)index;
    } else {
        ((int64_t *)g->indices)[to] = (int64_t)index;
    }
}

static void put_row(const gathering *g, const stoa_sparse_chunk *chunk, const stoa_chunk_row *r,
                    uint64_t to)
{
    const uint32_t *positions = chunk->positions + r->first;

    if (g->index_size == 4) {
        int32_t *out = (int32_t *)g->indices + to;
        for (size_t k = 0; k < r->n; k++) {
            out[k] = (int32_t)(positions[k] + r->shift);
        }
    } else {
        int64_t *out = (int64_t *)g->indices + to;
        for (size_t k = 0; k < r->n; k++) {
            out[k] = (int64_t)(positions[k] + r->shift);
        }
    }
    memcpy(g->values + to * g->size, chunk->values + r->first * g->size, r->n * g->size);
}

/* Write the entries of a row of the chunk to their columns; false if there is no space. */
static bool put_across(const gathering *g, const stoa_sparse_chunk *chunk, const stoa_chunk_row *r)
{
    for (size_t k = r->first; k < r->first + r->n; k++) {
        const uint64_t to = g->starts[chunk->positions[k] + r->shift + 1]++;
        if (to >= g->n) {
            return false;
        }
        put_index(g, to, r->row);
        stoa_value_copy(g->values + to * g->size, chunk->values + k * g->size, g->size);
    }
    return true;
}

static stoa_status put_chunk(void *context, unsigned worker, uint64_t band, const uint64_t *offset,
                             const stoa_sparse_chunk *chunk, stoa_error *err)
{
    const gathering *g = context;
    const uint64_t width = g->shape->chunk[1];
    bool has_room = true;

    (void)worker;
    (void)band;
    for (size_t i = 0; has_room && i < chunk->n;) {
        const stoa_chunk_row r = stoa_chunk_row_at(chunk, i, offset, width);
        if (g->by_columns) {
            has_room = put_across(g, chunk, &r);
        } else {
            const uint64_t to = g->starts[r.row + 1];
            has_room = r.n <= g->n && to <= g->n - r.n;
            if (has_room) {
                put_row(g, chunk, &r, to);
                g->starts[r.row + 1] = to + r.n;
            }
        }
        i += r.n;
    }
    return has_room ? STOA_OK
                    : stoa_fail(err, STOA_EDATA, "the file was changed while it was being read");
}

static void sum_up(gathering *g)
{
    for (uint64_t i = 1; i < g->n_lines + 2; i++) {
        g->starts[i] += g->starts[i - 1];
    }
    g->n = g->starts[g->n_lines + 1];
}

static stoa_status must_fit(uint64_t n, unsigned index_size, const char *what, stoa_error *err)
{
    const uint64_t most = index_size == 4 ? INT32_MAX : INT64_MAX;

    return n <= most
               ? STOA_OK
               : stoa_fail(err, STOA_ERANGE, "%llu %s are more than an index of %u bytes counts",
                           (unsigned long long)n, what, index_size);
}

/* Convert starts[] to pointers of the index size. It is freed or handed over. */
static stoa_status make_pointers(gathering *g, void **pointers, stoa_error *err)
{
    if (g->index_size == sizeof(int64_t)) {
        *pointers = g->starts;
        g->starts = NULL;
        return STOA_OK;
    }
    int32_t *narrow = stoa_alloc((size_t)g->n_lines + 1, sizeof *narrow);
    STOA_RETURN_NO_MEMORY(err, narrow);
    for (uint64_t i = 0; i <= g->n_lines; i++) {
        narrow[i] = (int32_t)g->starts[i];
    }
    *pointers = narrow;
    return STOA_OK;
}

/* The line of each entry. */
static stoa_status make_lines(const gathering *g, void **lines, stoa_error *err)
{
    *lines = stoa_alloc_large((size_t)g->n, g->index_size);
    STOA_RETURN_NO_MEMORY(err, *lines);
    for (uint64_t i = 0; i < g->n_lines; i++) {
        for (uint64_t k = g->starts[i]; g->index_size == 4 && k < g->starts[i + 1]; k++) {
            ((int32_t *)*lines)[k] = (int32_t)i;
        }
        for (uint64_t k = g->starts[i]; g->index_size == 8 && k < g->starts[i + 1]; k++) {
            ((int64_t *)*lines)[k] = (int64_t)i;
        }
    }
    return STOA_OK;
}

static stoa_status make_room(gathering *g, stoa_error *err)
{
    STOA_RETURN_NOT_OK(must_fit(g->n, g->index_size, "entries", err));
    g->indices = stoa_alloc_large((size_t)g->n, g->index_size);
    g->values = stoa_alloc_large((size_t)g->n, g->size);
    STOA_RETURN_NO_MEMORY(err, g->indices != NULL && g->values != NULL);
    return STOA_OK;
}

static stoa_status gather_counted_rows(gathering *g, const stoa_bands *bands, stoa_error *err)
{
    STOA_RETURN_NOT_OK(make_room(g, err));
    const stoa_rows_out out = {.form = g->index_size == 4 ? STOA_PLACE_INT32 : STOA_PLACE_INT64,
                               .size = g->size,
                               .places = g->indices,
                               .values = g->values};
    return stoa_bands_merge(bands, &out, g->starts, err);
}

/* Whether rows can be written directly, without counting them first. */
static stoa_status look_ahead(gathering *g, stoa_bands *bands, bool *merges, stoa_error *err)
{
    *merges = false;
    if (!g->by_columns && stoa_bands_are_narrow(bands)) {
        STOA_RETURN_NOT_OK(stoa_bands_count(bands, &g->n, err));
        *merges = g->n != STOA_UNKNOWN && g->n / g->shape->chunk[0] >= bands->firsts[bands->n];
    }
    return STOA_OK;
}

static stoa_status gather(stoa_sparse *array, gathering *g, stoa_error *err)
{
    stoa_bands bands = {.n = 0};
    bool merges = false;
    stoa_status status = STOA_OK;

    if (g->n_lines > SIZE_MAX / sizeof *g->starts - 2) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(stoa_bands_open(array, g->by_columns, &bands, err));
    STOA_TRY(stoa_bands_keep(&bands, err));
    g->starts = stoa_alloc_zero((size_t)g->n_lines + 2, sizeof *g->starts);
    STOA_TRY(g->starts != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(look_ahead(g, &bands, &merges, err));
    if (merges) {
        STOA_TRY(gather_counted_rows(g, &bands, err));
        goto done;
    }
    STOA_TRY(stoa_bands_run(&bands, false, count_chunk, g, err));
    sum_up(g);
    STOA_TRY(make_room(g, err));
    STOA_TRY(stoa_bands_run(&bands, true, put_chunk, g, err));

done:
    stoa_bands_clear(&bands);
    return status;
}

static stoa_status read_lines(stoa_sparse *array, hid_t type, stoa_matrix *m, stoa_error *err)
{
    gathering g = {.shape = stoa_store_shape(array->store),
                   .by_columns = m->form == STOA_MATRIX_CSC,
                   .size = H5Tget_size(array->type),
                   .index_size = m->index_size,
                   .n_lines = m->form == STOA_MATRIX_CSC ? m->n_columns : m->n_rows};
    stoa_status status = STOA_OK;

    if (g.n_lines > EMPTY_LINES && H5Dget_storage_size(array->dataset) < g.n_lines >> 20) {
        STOA_FAIL(err, STOA_ERANGE,
                  "a place for each of %llu %s would be made, and hardly any has an element",
                  (unsigned long long)g.n_lines, g.by_columns ? "columns" : "rows");
    }
    STOA_TRY(gather(array, &g, err));
    STOA_TRY(m->form == STOA_MATRIX_COO ? make_lines(&g, &m->rows, err)
                                        : make_pointers(&g, &m->pointers, err));
    STOA_TRY(stoa_elements_convert(array->type, type, g.n, &g.values, err));
    m->n = g.n;
    m->values = g.values;
    *(g.by_columns ? &m->rows : &m->columns) = g.indices;
    g.values = NULL;
    g.indices = NULL;

done:
    free(g.starts);
    free(g.values);
    free(g.indices);
    return status;
}

/* --- COO with very many rows ----------------------------------------------------------------- */

static void *one_of_two(const uint64_t *coordinates, uint64_t n, unsigned which, unsigned size)
{
    void *indices = stoa_alloc((size_t)n, size);

    for (uint64_t i = 0; indices != NULL && i < n; i++) {
        if (size == 4) {
            ((int32_t *)indices)[i] = (int32_t)coordinates[2 * i + which];
        } else {
            ((int64_t *)indices)[i] = (int64_t)coordinates[2 * i + which];
        }
    }
    return indices;
}

static stoa_status read_coordinates(stoa_sparse *array, hid_t type, stoa_matrix *m, stoa_error *err)
{
    stoa_sparse_points points = {.n = 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_read(array, NULL, NULL, type, &points, err));
    STOA_TRY(must_fit(points.n, m->index_size, "entries", err));
    m->n = points.n;
    m->rows = one_of_two(points.coordinates, points.n, 0, m->index_size);
    m->columns = one_of_two(points.coordinates, points.n, 1, m->index_size);
    STOA_TRY(m->rows != NULL && m->columns != NULL ? STOA_OK : stoa_fail_memory(err));
    m->values = points.values;
    points.values = NULL;

done:
    stoa_sparse_points_clear(&points);
    return status;
}

stoa_status stoa_matrix_read(stoa_sparse *array, stoa_matrix_form form, unsigned index_size,
                             hid_t type, stoa_matrix *matrix, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    const hid_t to = stoa_memory_type(array, type);
    stoa_status status = STOA_OK;

    *matrix = (stoa_matrix){.form = form, .index_size = index_size};
    STOA_TRY(stoa_matrix_must_be_one(array, err));
    if ((index_size != 4 && index_size != 8) || (unsigned)form > STOA_MATRIX_CSC) {
        STOA_FAIL(err, STOA_EINVAL, "there is no such form of a matrix");
    }
    matrix->n_rows = shape->extent[0];
    matrix->n_columns = shape->extent[1];
    STOA_TRY(must_fit(matrix->n_rows, index_size, "rows", err));
    STOA_TRY(must_fit(matrix->n_columns, index_size, "columns", err));
    STOA_TRY(form == STOA_MATRIX_COO && matrix->n_rows > MAX_ROWS
                 ? read_coordinates(array, to, matrix, err)
                 : read_lines(array, to, matrix, err));

done:
    if (status != STOA_OK) {
        stoa_matrix_clear(matrix);
    }
    return status;
}
