/*
 * Matrices in every form, into arrays of any chunks and types and back, with entries in any order
 * and twice, against dense matrices in memory; products and reductions against plain loops over
 * these. For src/sparse/matrix/matrix_*.c.
 */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <stoa/sparse_matrix.h>
#include <string.h>

#include "sparse/points/rows_put.h"
#include "support/any_simd.h"
#include "support/check.h"

enum { MOST = 70 }; /* rows, and columns */

/* Values are whole numbers, whose sums every type holds. */
typedef struct model {
    uint64_t n_rows;
    uint64_t n_columns;
    double values[MOST][MOST];
    bool defined[MOST][MOST];
} model;

/* Entries in the order they are given. */
typedef struct entries {
    uint64_t n;
    uint64_t rows[MOST * MOST];
    uint64_t columns[MOST * MOST];
    double values[MOST * MOST];
} entries;

static hid_t any_type(void)
{
    const hid_t types[] = {H5T_STD_I16BE,  H5T_STD_I32LE,  H5T_IEEE_F32LE,
                           H5T_IEEE_F64BE, H5T_IEEE_F64LE, H5T_STD_I64BE};

    return types[check_random_below(6)];
}

static stoa_sparse_access any_access(void)
{
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;

    access.threads = 1 + (unsigned)check_random_below(3);
    access.cache_bytes = check_random_below(2) == 0 ? 1 + check_random_below(3000) : 0;
    return access;
}

static stoa_sparse *any_array(hid_t file, const model *m, hid_t type)
{
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    const stoa_sparse_access access = any_access();
    const uint64_t extent[] = {m->n_rows, m->n_columns};
    const uint64_t chunk[] = {1 + check_random_below(40), 1 + check_random_below(40)};
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    options.values = check_random_below(2) == 0 ? "deflate:1" : NULL;
    CHECK_OK(stoa_sparse_create(file, "x", type, 2, extent, &options, &access, &array, &err), &err);
    return array;
}

static void any_entries(const model *m, entries *e)
{
    const uint64_t all = m->n_rows * m->n_columns;

    e->n = all > 0 ? check_random_below(all + 1) : 0;
    for (uint64_t i = 0; i < e->n; i++) {
        e->rows[i] = check_random_below(m->n_rows);
        e->columns[i] = check_random_below(m->n_columns);
        e->values[i] = (double)check_random_below(21) - 10.0;
    }
}

/* By lines, as CSR and CSC have them; within a line the order stays. */
static void sort_lines(entries *e, const uint64_t *lines, uint64_t n_lines, int64_t *pointers)
{
    entries *sorted = malloc(sizeof *sorted);

    sorted->n = 0;
    for (uint64_t line = 0; line < n_lines; line++) {
        pointers[line] = (int64_t)sorted->n;
        for (uint64_t i = 0; i < e->n; i++) {
            if (lines[i] == line) {
                sorted->rows[sorted->n] = e->rows[i];
                sorted->columns[sorted->n] = e->columns[i];
                sorted->values[sorted->n++] = e->values[i];
            }
        }
    }
    pointers[n_lines] = (int64_t)sorted->n;
    *e = *sorted;
    free(sorted);
}

static void *as_indices(const uint64_t *from, uint64_t n, unsigned size)
{
    void *to = malloc((n + 1) * size);

    for (uint64_t i = 0; i < n; i++) {
        if (size == 4) {
            ((int32_t *)to)[i] = (int32_t)from[i];
        } else {
            ((int64_t *)to)[i] = (int64_t)from[i];
        }
    }
    return to;
}

static void define(model *m, const entries *e, bool sums)
{
    bool is_new[MOST][MOST];

    memset(is_new, 1, sizeof is_new);
    for (uint64_t i = 0; i < e->n; i++) {
        const uint64_t row = e->rows[i], column = e->columns[i];
        const bool adds = sums && !is_new[row][column];
        m->values[row][column] = (adds ? m->values[row][column] : 0.0) + e->values[i];
        m->defined[row][column] = true;
        is_new[row][column] = false;
    }
}

static void write_some(stoa_sparse *array, model *m)
{
    const unsigned size = check_random_below(2) == 0 ? 4 : 8;
    const bool sums = check_random_below(2) == 0;
    stoa_matrix matrix = {.form = (stoa_matrix_form)check_random_below(3),
                          .index_size = size,
                          .n_rows = m->n_rows,
                          .n_columns = m->n_columns};
    entries *e = malloc(sizeof *e);
    int64_t pointers[MOST + 1];
    const bool is_csr = matrix.form == STOA_MATRIX_CSR;
    const uint64_t n_lines = is_csr ? m->n_rows : m->n_columns;
    stoa_error err = STOA_ERROR_INIT;

    any_entries(m, e);
    if (matrix.form != STOA_MATRIX_COO) {
        sort_lines(e, is_csr ? e->rows : e->columns, n_lines, pointers);
        matrix.pointers = as_indices((const uint64_t *)pointers, n_lines + 1, size);
    }
    matrix.n = e->n;
    matrix.rows = is_csr ? NULL : as_indices(e->rows, e->n, size);
    matrix.columns = matrix.form == STOA_MATRIX_CSC ? NULL : as_indices(e->columns, e->n, size);
    matrix.values = e->values;
    CHECK_OK(stoa_matrix_write(array, &matrix, H5T_NATIVE_DOUBLE,
                               sums ? STOA_MATRIX_SUM : STOA_MATRIX_LAST, &err),
             &err);
    define(m, e, sums);
    matrix.values = NULL;
    stoa_matrix_clear(&matrix);
    free(e);
}

/* --- what is seen ---------------------------------------------------------------------------- */

static uint64_t index_at(const void *indices, unsigned size, uint64_t i)
{
    return size == 4 ? (uint64_t)((const int32_t *)indices)[i]
                     : (uint64_t)((const int64_t *)indices)[i];
}

static void read_form(stoa_sparse *array, const model *m, stoa_matrix_form form, unsigned size)
{
    const bool by_columns = form == STOA_MATRIX_CSC;
    const uint64_t n_lines = by_columns ? m->n_columns : m->n_rows;
    const uint64_t n_across = by_columns ? m->n_rows : m->n_columns;
    stoa_matrix matrix;
    uint64_t n = 0;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_matrix_read(array, form, size, H5T_NATIVE_DOUBLE, &matrix, &err), &err);
    CHECK_U64(matrix.n_rows, m->n_rows);
    CHECK_U64(matrix.n_columns, m->n_columns);
    for (uint64_t line = 0; line < n_lines; line++) {
        CHECK(form == STOA_MATRIX_COO || index_at(matrix.pointers, size, line) == n);
        for (uint64_t across = 0; across < n_across; across++) {
            const uint64_t row = by_columns ? across : line;
            const uint64_t column = by_columns ? line : across;
            if (m->defined[row][column]) {
                CHECK(n < matrix.n);
                CHECK(form == STOA_MATRIX_CSR || index_at(matrix.rows, size, n) == row);
                CHECK(form == STOA_MATRIX_CSC || index_at(matrix.columns, size, n) == column);
                CHECK_F64(((const double *)matrix.values)[n], m->values[row][column]);
                n++;
            }
        }
    }
    CHECK(form == STOA_MATRIX_COO || index_at(matrix.pointers, size, n_lines) == n);
    CHECK_U64(matrix.n, n);
    stoa_matrix_clear(&matrix);
}

static void multiply(stoa_sparse *array, const model *m)
{
    double x[MOST], y[MOST];
    double expected[MOST] = {0.0};
    const bool is_transposed = check_random_below(2) == 0;
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < MOST; i++) {
        x[i] = (double)check_random_below(9) - 4.0;
    }
    for (uint64_t i = 0; i < m->n_rows; i++) {
        for (uint64_t j = 0; j < m->n_columns; j++) {
            const double value = m->defined[i][j] ? m->values[i][j] : 0.0;
            expected[is_transposed ? j : i] += value * x[is_transposed ? i : j];
        }
    }
    CHECK_OK(is_transposed ? stoa_matrix_multiply_transposed(array, x, y, &err)
                           : stoa_matrix_multiply(array, x, y, &err),
             &err);
    for (uint64_t i = 0; i < (is_transposed ? m->n_columns : m->n_rows); i++) {
        CHECK_F64(y[i], expected[i]);
    }
}

static void reduce(stoa_sparse *array, const model *m, stoa_matrix_axis axis)
{
    double total[MOST] = {0.0}, least[MOST], most[MOST], out[MOST];
    uint64_t counts[MOST] = {0}, n[MOST];
    const uint64_t n_out = axis == STOA_MATRIX_DOWN     ? m->n_columns
                           : axis == STOA_MATRIX_ACROSS ? m->n_rows
                                                        : 1;
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < MOST; i++) {
        least[i] = (double)NAN;
        most[i] = (double)NAN;
    }
    for (uint64_t i = 0; i < m->n_rows; i++) {
        for (uint64_t j = 0; j < m->n_columns; j++) {
            const uint64_t to = axis == STOA_MATRIX_DOWN ? j : axis == STOA_MATRIX_ACROSS ? i : 0;
            if (m->defined[i][j]) {
                total[to] += m->values[i][j];
                least[to] = fmin(least[to], m->values[i][j]);
                most[to] = fmax(most[to], m->values[i][j]);
                counts[to]++;
            }
        }
    }
    CHECK_OK(stoa_matrix_count(array, axis, n, &err), &err);
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_TOTAL, axis, out, &err), &err);
    for (uint64_t i = 0; i < n_out; i++) {
        CHECK_U64(n[i], counts[i]);
        CHECK_F64(out[i], total[i]);
    }
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_MIN, axis, out, &err), &err);
    for (uint64_t i = 0; i < n_out; i++) {
        CHECK_F64(out[i], least[i]);
    }
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_MAX, axis, out, &err), &err);
    for (uint64_t i = 0; i < n_out; i++) {
        CHECK_F64(out[i], most[i]);
    }
}

static void see_all(stoa_sparse *array, const model *m)
{
    for (unsigned form = 0; form < 3; form++) {
        read_form(array, m, (stoa_matrix_form)form, check_random_below(2) == 0 ? 4 : 8);
        reduce(array, m, (stoa_matrix_axis)form);
    }
    multiply(array, m);
}

/* As nobody can write to the file, it is read past libhdf5. */
static void see_again(const char *name, const model *m)
{
    const stoa_sparse_access access = any_access();
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_open(file, "x", &access, &array, &err), &err);
    see_all(array, m);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

static void a_matrix_is_what_was_written_into_it(void)
{
    const char *name = check_path("matrix.h5");

    for (uint64_t i = 0; i < check_n_cases(80); i++) {
        model *m = calloc(1, sizeof *m);
        const stoa_sparse_access access = any_access();
        stoa_error err = STOA_ERROR_INIT;

        m->n_rows = check_random_below(MOST);
        m->n_columns = check_random_below(MOST);
        const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        stoa_sparse *array = any_array(file, m, any_type());
        for (uint64_t n = check_random_below(3); n > 0; n--) {
            write_some(array, m);
        }
        see_all(array, m); /* some of it in the cache */
        write_some(array, m);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_OK(stoa_sparse_open(file, "x", &access, &array, &err), &err);
        see_all(array, m);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
        see_again(name, m);
        free(m);
    }
}

/* --- the number of threads ------------------------------------------------------------------- */

enum { N = 300, PER_ROW = 40 };

static stoa_sparse *open_with(hid_t file, unsigned threads)
{
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    access.threads = threads;
    CHECK_OK(stoa_sparse_open(file, "x", &access, &array, &err), &err);
    return array;
}

/* Sums of numbers whose order matters. */
static void reckon(hid_t file, unsigned threads, const double *x, double out[4 * N + 1])
{
    stoa_sparse *array = open_with(file, threads);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_matrix_multiply(array, x, out, &err), &err);
    CHECK_OK(stoa_matrix_multiply_transposed(array, x, out + N, &err), &err);
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_TOTAL, STOA_MATRIX_DOWN, out + 2 * N, &err),
             &err);
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_TOTAL, STOA_MATRIX_ACROSS, out + 3 * N, &err),
             &err);
    CHECK_OK(stoa_matrix_reduce(array, STOA_MATRIX_TOTAL, STOA_MATRIX_ALL, out + 4 * N, &err),
             &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
}

static void no_bit_depends_on_the_number_of_threads(void)
{
    const char *name = check_path("threads.h5");
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    static int32_t rows[N * PER_ROW], columns[N * PER_ROW];
    static double values[N * PER_ROW], x[N], one[4 * N + 1], many[4 * N + 1];
    stoa_matrix matrix = {.form = STOA_MATRIX_COO,
                          .index_size = 4,
                          .n_rows = N,
                          .n_columns = N,
                          .n = (uint64_t)N * PER_ROW,
                          .rows = rows,
                          .columns = columns,
                          .values = values};
    const uint64_t extent[] = {N, N}, chunk[] = {32, 16};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < (size_t)N * PER_ROW; i++) {
        rows[i] = (int32_t)check_random_below(N);
        columns[i] = (int32_t)check_random_below(N);
        values[i] = (double)check_random_below(1u << 30) / 7.0;
        x[i % N] = values[i] / 1e6;
    }
    options.chunk = chunk;
    CHECK_OK(stoa_sparse_create(file, "x", H5T_IEEE_F64LE, 2, extent, &options, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_matrix_write(array, &matrix, H5T_NATIVE_DOUBLE, STOA_MATRIX_SUM, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    reckon(file, 1, x, one);
    for (unsigned threads = 2; threads < 6; threads++) {
        reckon(file, threads, x, many);
        CHECK_MEM(many, one, sizeof one);
    }
    CHECK_H5(H5Fclose(file));
}

/* --- rows of chunks -------------------------------------------------------------------------- */

enum { BAND = 3, MAX_ENTRIES = 400 };

/* Chunks side by side, of `width` columns each. */
typedef struct band {
    uint32_t positions[BAND][MAX_ENTRIES];
    uint8_t values[BAND][MAX_ENTRIES * 8];
    size_t n[BAND];
    uint32_t width;
    uint32_t n_rows;
    uint64_t n_all;
} band;

static band *any_band(void)
{
    band *b = calloc(1, sizeof *b);
    const uint64_t farthest = 1 + check_random_below(40);

    b->width = 1 + (uint32_t)check_random_below(100);
    for (int i = 0; i < BAND; i++) {
        const size_t n = (size_t)check_random_below(MAX_ENTRIES + 1);
        uint32_t at = (uint32_t)check_random_below(farthest);
        for (size_t k = 0; k < n; k++) {
            b->positions[i][k] = at;
            b->n_rows = at / b->width >= b->n_rows ? at / b->width + 1 : b->n_rows;
            at += 1 + (uint32_t)check_random_below(farthest);
        }
        for (size_t k = 0; k < sizeof b->values[i]; k++) {
            b->values[i][k] = (uint8_t)check_random();
        }
        b->n[i] = n;
        b->n_all += n;
    }
    return b;
}

/* All of them, into memory that has no room for more. */
static void put_band(const band *b, stoa_put_row *put_row, const stoa_rows_out *out)
{
    stoa_row_cursor cursors[BAND];
    stoa_row_target row = {.out = out, .limit = b->n_all};

    for (uint32_t i = 0; i < BAND; i++) { /* copies of their own length */
        uint32_t *positions = malloc(b->n[i] * sizeof *positions + 1);
        uint8_t *values = malloc(b->n[i] * out->size + 1);
        memcpy(positions, b->positions[i], b->n[i] * sizeof *positions);
        memcpy(values, b->values[i], b->n[i] * out->size);
        cursors[i] = (stoa_row_cursor){.positions = positions,
                                       .end = positions + b->n[i],
                                       .values = values,
                                       .column = (uint64_t)i * b->width};
    }
    for (uint32_t r = 0; r < b->n_rows; r++) {
        row.row = r;
        row.begin = (uint64_t)r * b->width;
        row.end = (r + 1) * b->width;
        put_row(cursors, BAND, &row);
    }
    CHECK_U64(row.to, b->n_all);
    for (int i = 0; i < BAND; i++) {
        CHECK(cursors[i].positions == cursors[i].end);
        free((void *)(uintptr_t)(cursors[i].end - b->n[i]));
        free((void *)(uintptr_t)(cursors[i].values - b->n[i] * out->size));
    }
}

static void every_instruction_set_puts_rows_alike(void)
{
    const stoa_place_form forms[] = {STOA_PLACE_INT32, STOA_PLACE_INT64, STOA_PLACE_POINT};
    const size_t sizes[] = {4, 8, 3, 0};

    for (uint64_t i = 0; i < check_n_cases(600); i++) {
        band *b = any_band();
        stoa_rows_out out[2];
        for (int k = 0; k < 2; k++) {
            out[k] = (stoa_rows_out){.form = forms[i % 3], .size = sizes[i / 3 % 4]};
            out[k].places = malloc((size_t)b->n_all * out[k].form + 1);
            out[k].values = malloc((size_t)b->n_all * out[k].size + 1);
            put_band(b, k == 0 ? stoa_put_row_scalar : stoa_put_row_of(any_simd()), &out[k]);
        }
        CHECK_MEM(out[1].places, out[0].places, (size_t)b->n_all * out[0].form);
        CHECK_MEM(out[1].values, out[0].values, (size_t)b->n_all * out[0].size);
        for (int k = 0; k < 2; k++) {
            free(out[k].places);
            free(out[k].values);
        }
        free(b);
    }
}

TEST_MAIN(TEST(every_instruction_set_puts_rows_alike), TEST(a_matrix_is_what_was_written_into_it),
          TEST(no_bit_depends_on_the_number_of_threads))
