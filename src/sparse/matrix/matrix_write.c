/*
 * Write matrices in memory to sparse arrays (<stoa/sparse_matrix.h>). Each form is a point source
 * (points.h), so CSR and CSC need no list of coordinates.
 */
#include <stdlib.h>

#include "sparse/array/array.h"
#include "sparse/matrix/matrix.h"

/* Index i of 4 or 8 bytes; negative values become huge. */
static inline uint64_t index_at(const void *indices, unsigned size, uint64_t i)
{
    return size == 4 ? (uint64_t)((const int32_t *)indices)[i]
                     : (uint64_t)((const int64_t *)indices)[i];
}

static stoa_status check_indices(const void *indices, unsigned size, uint64_t first, uint64_t end,
                                 uint64_t limit, const char *what, stoa_error *err)
{
    for (uint64_t i = first; indices != NULL && i < end; i++) {
        const uint64_t at = index_at(indices, size, i);
        if (at >= limit) {
            return stoa_fail(err, STOA_ERANGE, "entry %llu is in %s %lld, of which there are %llu",
                             (unsigned long long)i, what, (long long)at, (unsigned long long)limit);
        }
    }
    return STOA_OK;
}

static stoa_status check_entries(const void *context, const stoa_shape *shape, uint64_t first,
                                 uint64_t end, stoa_error *err)
{
    const stoa_matrix *m = context;

    (void)shape;
    STOA_RETURN_NOT_OK(check_indices(m->rows, m->index_size, first, end, m->n_rows, "row", err));
    return check_indices(m->columns, m->index_size, first, end, m->n_columns, "column", err);
}

/* Location of the previous entry. A division is only needed when another chunk begins. */
typedef struct place {
    const stoa_shape *shape;
    uint64_t offset[2];
    uint64_t number;
} place;

static inline void put(place *p, uint64_t row, uint64_t column, stoa_point_runs *runs, uint32_t *to)
{
    const stoa_shape *shape = p->shape;

    if (row - p->offset[0] >= shape->chunk[0]) {
        p->offset[0] = row - row % shape->chunk[0];
        p->number = UINT64_MAX;
    }
    if (column - p->offset[1] >= shape->chunk[1]) {
        p->offset[1] = column - column % shape->chunk[1];
        p->number = UINT64_MAX;
    }
    if (p->number == UINT64_MAX) {
        p->number =
            p->offset[0] / shape->chunk[0] * shape->grid[1] + p->offset[1] / shape->chunk[1];
    }
    stoa_point_runs_add(runs, p->number, 1);
    *to = (uint32_t)((row - p->offset[0]) * shape->chunk[1] + (column - p->offset[1]));
}

static void locate_coordinates(const void *context, const stoa_shape *shape, uint64_t first,
                               uint64_t end, stoa_point_runs *runs, uint32_t *places)
{
    const stoa_matrix *m = context;
    place p = {.shape = shape, .number = UINT64_MAX};

    for (uint64_t i = first; i < end; i++) {
        put(&p, index_at(m->rows, m->index_size, i), index_at(m->columns, m->index_size, i), runs,
            places++);
    }
}

/* The row (CSR) or column (CSC) of entry i: the last one that begins at or before it. */
static uint64_t line_of(const stoa_matrix *m, uint64_t n_lines, uint64_t i)
{
    uint64_t low = 0;
    uint64_t high = n_lines;

    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (index_at(m->pointers, m->index_size, middle) <= i) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void locate_lines(const void *context, const stoa_shape *shape, uint64_t first, uint64_t end,
                         stoa_point_runs *runs, uint32_t *places)
{
    const stoa_matrix *m = context;
    const bool is_csr = m->form == STOA_MATRIX_CSR;
    const void *across = is_csr ? m->columns : m->rows;
    uint64_t line = line_of(m, is_csr ? m->n_rows : m->n_columns, first);
    place p = {.shape = shape, .number = UINT64_MAX};

    for (uint64_t i = first; i < end; line++) {
        const uint64_t limit = index_at(m->pointers, m->index_size, line + 1);
        const uint64_t stop = limit < end ? limit : end;
        for (; i < stop; i++) {
            const uint64_t at = index_at(across, m->index_size, i);
            put(&p, is_csr ? line : at, is_csr ? at : line, runs, places++);
        }
    }
}

static stoa_status check_pointers(const stoa_matrix *m, stoa_error *err)
{
    const uint64_t n_lines = m->form == STOA_MATRIX_CSR ? m->n_rows : m->n_columns;
    uint64_t before = 0;

    if (index_at(m->pointers, m->index_size, 0) != 0 ||
        index_at(m->pointers, m->index_size, n_lines) != m->n) {
        return stoa_fail(err, STOA_ERANGE,
                         "pointers do not go from 0 to the %llu entries there are",
                         (unsigned long long)m->n);
    }
    for (uint64_t i = 0; i <= n_lines; i++) {
        const uint64_t at = index_at(m->pointers, m->index_size, i);
        if (at < before || at > m->n) {
            return stoa_fail(err, STOA_ERANGE, "pointer %llu does not ascend",
                             (unsigned long long)i);
        }
        before = at;
    }
    return STOA_OK;
}

static stoa_status check_matrix(const stoa_sparse *array, const stoa_matrix *m, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(array->store);
    const bool wants_rows = m->form != STOA_MATRIX_CSR;
    const bool wants_columns = m->form != STOA_MATRIX_CSC;

    STOA_RETURN_NOT_OK(stoa_matrix_must_be_one(array, err));
    if ((m->index_size != 4 && m->index_size != 8) || (unsigned)m->form > STOA_MATRIX_CSC ||
        (m->n > 0 && ((m->rows != NULL) != wants_rows || (m->columns != NULL) != wants_columns)) ||
        (m->pointers == NULL) != (m->form == STOA_MATRIX_COO)) {
        return stoa_fail(err, STOA_EINVAL, "the matrix has not the arrays of its form");
    }
    if (m->n_rows > shape->extent[0] || m->n_columns > shape->extent[1]) {
        return stoa_fail(err, STOA_ERANGE, "a matrix of %llu x %llu does not fit into %llu x %llu",
                         (unsigned long long)m->n_rows, (unsigned long long)m->n_columns,
                         (unsigned long long)shape->extent[0],
                         (unsigned long long)shape->extent[1]);
    }
    if (m->pointers != NULL) {
        STOA_RETURN_NOT_OK(check_pointers(m, err));
    }
    return STOA_OK;
}

stoa_status stoa_matrix_write(stoa_sparse *array, const stoa_matrix *matrix, hid_t type,
                              stoa_matrix_duplicates duplicates, stoa_error *err)
{
    const stoa_point_source source = {.context = matrix,
                                      .check = check_entries,
                                      .locate = matrix->form == STOA_MATRIX_COO ? locate_coordinates
                                                                                : locate_lines};
    stoa_number_form form;
    uint8_t *room = NULL;
    const uint8_t *stored = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_must_write(array, err));
    STOA_TRY(check_matrix(array, matrix, err));
    if (matrix->n == 0) {
        goto done;
    }
    if (duplicates == STOA_MATRIX_SUM) {
        STOA_TRY(stoa_number_form_of(array->type, &form, err));
    }
    STOA_TRY(stoa_elements_to_file(array, matrix->n, matrix->values, type, &room, &stored, err));
    STOA_TRY(stoa_points_write_from(array->store, array->workers, matrix->n, &source, stored,
                                    duplicates == STOA_MATRIX_SUM ? &form : NULL, err));

done:
    free(room);
    return status;
}
