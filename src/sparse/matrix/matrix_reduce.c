/*
 * Arithmetic on sparse arrays (<stoa/sparse_matrix.h>): products, sums, extremes and counts, with
 * one chunk per thread in memory.
 *
 * The sum of a row, or column, is computed by the thread of its band, in the order of the array.
 * The sum of the whole array is computed band by band, then in the order of the bands.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/matrix/matrix.h"

/* State of a reduction, whose results may already have a value. */
typedef struct reckoning {
    const stoa_shape *shape;
    stoa_number_form form;
    stoa_matrix_axis axis;
    stoa_matrix_reduction reduction;
    const double *x;  /* NULL if it is not a product */
    double *out;      /* per row, column or band */
    uint8_t *has_one; /* one per result; NULL for sums */
    uint64_t *counts; /* one per result; NULL if not counted */
    stoa_room *rooms; /* doubles, one buffer per worker */
} reckoning;

static inline void reduce(const reckoning *r, uint64_t to, double value)
{
    if (r->has_one == NULL) {
        r->out[to] += value;
        return;
    }
    const bool is_next = r->reduction == STOA_MATRIX_MIN ? value < r->out[to] : value > r->out[to];
    if (!r->has_one[to] || is_next || isnan(value)) {
        r->out[to] = value;
        r->has_one[to] = 1;
    }
}

/* Reduce n > 0 values to one result, which stays in a register meanwhile. */
static void reduce_run(const reckoning *r, uint64_t to, const double *values, size_t n)
{
    double result = r->has_one == NULL || r->has_one[to] ? r->out[to] : values[0];

    for (size_t k = 0; r->has_one == NULL && k < n; k++) {
        result += values[k];
    }
    /* Comparisons with NaN are false, so that a NaN stays. */
    for (size_t k = 0; r->has_one != NULL && k < n; k++) {
        const double value = values[k];
        const bool is_next = r->reduction == STOA_MATRIX_MIN ? value < result : value > result;
        result = is_next || isnan(value) ? value : result;
    }
    r->out[to] = result;
    if (r->has_one != NULL) {
        r->has_one[to] = 1;
    }
}

static void reduce_row(const reckoning *r, uint64_t band, const uint32_t *positions,
                       const double *values, const stoa_chunk_row *row)
{
    const double x = r->x != NULL && r->axis == STOA_MATRIX_DOWN ? r->x[row->row] : 1.0;

    if (r->axis == STOA_MATRIX_DOWN) {
        for (size_t k = 0; k < row->n; k++) {
            reduce(r, positions[k] + row->shift, r->x != NULL ? values[k] * x : values[k]);
        }
    } else if (r->x != NULL) {
        double sum = r->out[row->row];
        for (size_t k = 0; k < row->n; k++) {
            sum += values[k] * r->x[positions[k] + row->shift];
        }
        r->out[row->row] = sum;
    } else {
        reduce_run(r, r->axis == STOA_MATRIX_ACROSS ? row->row : band, values, row->n);
    }
}

static stoa_status reduce_chunk(void *context, unsigned worker, uint64_t band,
                                const uint64_t *offset, const stoa_sparse_chunk *chunk,
                                stoa_error *err)
{
    const reckoning *r = context;
    stoa_room *room = &r->rooms[worker];

    STOA_RETURN_NOT_OK(stoa_room_for(room, chunk->n * sizeof(double), err));
    double *values = (double *)(void *)room->data;
    stoa_number_widen(&r->form, chunk->values, chunk->n, values);
    for (size_t i = 0; i < chunk->n;) {
        const stoa_chunk_row row = stoa_chunk_row_at(chunk, i, offset, r->shape->chunk[1]);
        reduce_row(r, band, chunk->positions + i, values + i, &row);
        i += row.n;
    }
    return STOA_OK;
}

static stoa_status count_chunk(void *context, unsigned worker, uint64_t band,
                               const uint64_t *offset, const stoa_sparse_chunk *chunk,
                               stoa_error *err)
{
    const reckoning *r = context;

    (void)worker;
    (void)band;
    (void)err;
    for (size_t i = 0; i < chunk->n;) {
        const stoa_chunk_row row = stoa_chunk_row_at(chunk, i, offset, r->shape->chunk[1]);
        if (r->axis == STOA_MATRIX_ACROSS) {
            r->counts[row.row] += row.n;
        }
        for (size_t k = i; r->axis == STOA_MATRIX_DOWN && k < i + row.n; k++) {
            r->counts[chunk->positions[k] + row.shift]++;
        }
        i += row.n;
    }
    return STOA_OK;
}

static uint64_t n_results(const stoa_sparse *array, stoa_matrix_axis axis)
{
    const stoa_shape *shape = stoa_store_shape(array->store);

    return axis == STOA_MATRIX_DOWN     ? shape->extent[1]
           : axis == STOA_MATRIX_ACROSS ? shape->extent[0]
                                        : 1;
}

static stoa_status run(stoa_sparse *array, const stoa_bands *bands, reckoning *r, stoa_error *err)
{
    const unsigned n_workers = stoa_workers_count(array->workers);
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_number_form_of(array->type, &r->form, err));
    if (r->form.lanes != 1) {
        STOA_FAIL(err, STOA_ETYPE, "elements are no real numbers");
    }
    r->shape = stoa_store_shape(array->store);
    r->rooms = stoa_alloc_zero(n_workers, sizeof *r->rooms);
    STOA_TRY(r->rooms != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_bands_run(bands, true, reduce_chunk, r, err));

done:
    for (unsigned i = 0; r->rooms != NULL && i < n_workers; i++) {
        free(r->rooms[i].data);
    }
    free(r->rooms);
    return status;
}

static stoa_status multiply(stoa_sparse *array, stoa_matrix_axis axis, const double *x, double *y,
                            stoa_error *err)
{
    reckoning r = {.axis = axis, .x = x, .out = y};
    stoa_bands bands = {.n = 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_bands_open(array, axis == STOA_MATRIX_DOWN, &bands, err));
    memset(y, 0, (size_t)n_results(array, axis) * sizeof *y);
    STOA_TRY(run(array, &bands, &r, err));

done:
    stoa_bands_clear(&bands);
    return status;
}

stoa_status stoa_matrix_multiply(stoa_sparse *array, const double *x, double *y, stoa_error *err)
{
    return multiply(array, STOA_MATRIX_ACROSS, x, y, err);
}

stoa_status stoa_matrix_multiply_transposed(stoa_sparse *array, const double *x, double *y,
                                            stoa_error *err)
{
    return multiply(array, STOA_MATRIX_DOWN, x, y, err);
}

/* Combine the results of the bands. */
static void join(reckoning *r, const reckoning *all, uint64_t n_bands)
{
    for (uint64_t i = 0; i < n_bands; i++) {
        if (all->has_one == NULL || all->has_one[i]) {
            reduce(r, 0, all->out[i]);
        }
    }
}

static stoa_status reduce_all(stoa_sparse *array, const stoa_bands *bands, reckoning *r,
                              stoa_error *err)
{
    reckoning all = *r;
    stoa_status status = STOA_OK;

    all.out = stoa_alloc_zero((size_t)bands->n, sizeof *all.out);
    all.has_one = r->has_one != NULL ? stoa_alloc_zero((size_t)bands->n, 1) : NULL;
    if (all.out == NULL || (r->has_one != NULL && all.has_one == NULL)) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(run(array, bands, &all, err));
    join(r, &all, bands->n);

done:
    free(all.out);
    free(all.has_one);
    return status;
}

stoa_status stoa_matrix_reduce(stoa_sparse *array, stoa_matrix_reduction reduction,
                               stoa_matrix_axis axis, double *out, stoa_error *err)
{
    reckoning r = {.axis = axis, .reduction = reduction, .out = out};
    stoa_bands bands = {.n = 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_bands_open(array, axis == STOA_MATRIX_DOWN, &bands, err));
    const uint64_t n = n_results(array, axis);
    memset(out, 0, (size_t)n * sizeof *out);
    if (reduction != STOA_MATRIX_TOTAL) {
        r.has_one = stoa_alloc_zero((size_t)n, 1);
        STOA_TRY(r.has_one != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    STOA_TRY(axis == STOA_MATRIX_ALL ? reduce_all(array, &bands, &r, err)
                                     : run(array, &bands, &r, err));
    for (uint64_t i = 0; r.has_one != NULL && i < n; i++) {
        out[i] = r.has_one[i] ? out[i] : (double)NAN;
    }

done:
    free(r.has_one);
    stoa_bands_clear(&bands);
    return status;
}

stoa_status stoa_matrix_count(stoa_sparse *array, stoa_matrix_axis axis, uint64_t *out,
                              stoa_error *err)
{
    reckoning r = {.shape = stoa_store_shape(array->store), .axis = axis, .counts = out};
    stoa_bands bands = {.n = 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_bands_open(array, axis == STOA_MATRIX_DOWN, &bands, err));
    if (axis == STOA_MATRIX_ALL) {
        STOA_TRY(stoa_store_count(array->store, out, err));
        goto done;
    }
    memset(out, 0, (size_t)n_results(array, axis) * sizeof *out);
    STOA_TRY(stoa_bands_run(&bands, false, count_chunk, &r, err));

done:
    stoa_bands_clear(&bands);
    return status;
}
