/*
 * Strings through the public calls for sparse arrays: whatever is written, erased, appended, merged
 * and read, in chunks of any shape and a cache for none, it is as with a table in memory; in
 * section 2 and in the global heap, with libhdf5 alone and under the connector. For
 * src/sparse/array/array_vlen*.c.
 */
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <stoa/sparse.h>
#include <string.h>

#include "support/check.h"

enum { MAX_ROWS = 24, COLUMNS = 7, MAX_AT_ONCE = 30, N_WORDS = 6 };

/* As they are written; which of them a cell has, one more, 0: it is not defined. */
static const char *const words[N_WORDS] = {NULL, "", "a", "walk", "of columns", "stoa"};

typedef struct model {
    uint64_t rows;
    int cells[MAX_ROWS][COLUMNS];
} model;

typedef struct subject {
    hid_t file;
    hid_t type;
    bool is_connected;
    stoa_sparse *array;
    stoa_sparse *other; /* to be merged: it has the extent that the array began with */
    uint64_t rows;
    model m;
    model n;
} subject;

static stoa_sparse *make(const subject *s, const char *path)
{
    const uint64_t extent[2] = {s->rows, COLUMNS};
    const uint64_t chunk[2] = {1 + check_random_below(6), 1 + check_random_below(COLUMNS)};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    options.in_global_heap = check_random_below(2) == 0;
    options.heap = check_random_below(2) == 0 ? "deflate:1" : NULL;
    options.values = check_random_below(2) == 0 ? "zstd" : NULL;
    access.cache_bytes = check_random_below(2);
    access.threads = 1;
    CHECK_OK(stoa_sparse_create(s->file, path, s->type, 2, extent, &options, &access, &array, &err),
             &err);
    return array;
}

/* Some cells of the rows from `first` on, and words for them. */
static uint64_t choose(uint64_t first, uint64_t rows, uint64_t *at, const char **values, model *m)
{
    const uint64_t n = rows > 0 ? check_random_below(MAX_AT_ONCE) : 0;

    for (uint64_t i = 0; i < n; i++) {
        const int word = (int)check_random_below(N_WORDS);
        at[2 * i] = check_random_below(rows);
        at[2 * i + 1] = check_random_below(COLUMNS);
        values[i] = words[word];
        m->cells[first + at[2 * i]][at[2 * i + 1]] = word + 1;
    }
    return n;
}

static void is_word(const char *found, int cell)
{
    const char *expected = cell > 0 ? words[cell - 1] : NULL; /* the fill value is NULL, too */

    CHECK((found == NULL) == (expected == NULL));
    CHECK(found == NULL || strcmp(found, expected) == 0);
}

static void box_is_as_in_the_table(stoa_sparse *array, hid_t type, const model *m)
{
    uint64_t start[2] = {check_random_below(m->rows + 1), check_random_below(COLUMNS)};
    uint64_t count[2] = {check_random_below(m->rows - start[0] + 1),
                         check_random_below(COLUMNS - start[1] + 1)};
    const uint64_t n = count[0] * count[1];
    char *dense[MAX_ROWS * COLUMNS];
    uint8_t defined[MAX_ROWS * COLUMNS];
    stoa_sparse_points points;
    uint64_t k = 0;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_read(array, start, count, type, &points, &err), &err);
    CHECK_OK(stoa_sparse_read_dense(array, start, count, type, dense, defined, &err), &err);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t row = start[0] + i / count[1];
        const uint64_t column = start[1] + i % count[1];
        const int cell = m->cells[row][column];
        CHECK_U64(defined[i], cell > 0);
        is_word(dense[i], cell);
        if (cell > 0) {
            CHECK(k < points.n);
            CHECK_U64(points.coordinates[2 * k], row);
            CHECK_U64(points.coordinates[2 * k + 1], column);
            is_word(((char **)points.values)[k++], cell);
        }
    }
    CHECK_U64(points.n, k);
    CHECK_OK(stoa_sparse_reclaim(array, type, points.n, points.values, &err), &err);
    CHECK_OK(stoa_sparse_reclaim(array, type, n, dense, &err), &err);
    stoa_sparse_points_clear(&points);
}

static void erase_some(subject *s)
{
    uint64_t start[2] = {check_random_below(s->m.rows + 1), check_random_below(COLUMNS)};
    uint64_t count[2] = {check_random_below(s->m.rows - start[0] + 1),
                         check_random_below(COLUMNS - start[1] + 1)};
    uint64_t at[2 * MAX_ROWS * COLUMNS];
    uint64_t n = 0;
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t i = start[0]; i < start[0] + count[0]; i++) {
        for (uint64_t k = start[1]; k < start[1] + count[1]; k++, n++) {
            at[2 * n] = i;
            at[2 * n + 1] = k;
            s->m.cells[i][k] = 0;
        }
    }
    CHECK_OK(check_random_below(2) == 0 ? stoa_sparse_erase(s->array, n, at, &err)
                                        : stoa_sparse_erase_box(s->array, start, count, &err),
             &err);
}

static void append_some(subject *s)
{
    const uint64_t more = check_random_below(4);
    uint64_t at[2 * MAX_AT_ONCE];
    const char *values[MAX_AT_ONCE];
    stoa_error err = STOA_ERROR_INIT;

    if (s->m.rows + more > MAX_ROWS) {
        return;
    }
    const uint64_t n = choose(s->m.rows, more, at, values, &s->m);
    CHECK_OK(stoa_sparse_append(s->array, more, n, at, values, s->type, &err), &err);
    s->m.rows += more;
}

static void merge_all(subject *s)
{
    stoa_error err = STOA_ERROR_INIT;

    if (s->m.rows != s->n.rows) {
        CHECK_STATUS(STOA_ERANGE, stoa_sparse_merge(s->array, s->other, NULL));
        return;
    }
    CHECK_OK(stoa_sparse_merge(s->array, s->other, &err), &err);
    for (uint64_t i = 0; i < s->n.rows; i++) {
        for (int k = 0; k < COLUMNS; k++) {
            s->m.cells[i][k] = s->n.cells[i][k] > 0 ? s->n.cells[i][k] : s->m.cells[i][k];
        }
    }
}

static void do_something(subject *s)
{
    uint64_t at[2 * MAX_AT_ONCE];
    const char *values[MAX_AT_ONCE];
    const bool is_other = check_random_below(3) == 0;
    stoa_error err = STOA_ERROR_INIT;

    switch (check_random_below(7)) {
    case 0:
        erase_some(s);
        break;
    case 1:
        append_some(s);
        break;
    case 2:
        merge_all(s);
        break;
    case 3:
        CHECK_OK(stoa_sparse_flush(s->array, &err), &err);
        break;
    case 4:
        CHECK_OK(stoa_sparse_commit(s->array, &err), &err);
        CHECK_OK(stoa_sparse_open(s->file, "x", NULL, &s->array, &err), &err);
        break;
    default: {
        model *m = is_other ? &s->n : &s->m;
        const uint64_t n = choose(0, m->rows, at, values, m);
        CHECK_OK(stoa_sparse_write(is_other ? s->other : s->array, n, at, values, s->type, &err),
                 &err);
    }
    }
}

static void one_case(bool is_connected)
{
    const char *path = check_path("p.h5");
    subject s = {.type = CHECK_H5(H5Tcopy(H5T_C_S1)), .is_connected = is_connected};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Tset_size(s.type, H5T_VARIABLE));
    s.file = CHECK_H5(is_connected ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                   : (H5Fcreate)(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    s.rows = s.m.rows = s.n.rows = check_random_below(MAX_ROWS);
    s.array = make(&s, "x");
    s.other = make(&s, "y");
    for (int i = 0; i < 12; i++) {
        do_something(&s);
        if (check_random_below(3) == 0) {
            box_is_as_in_the_table(s.array, s.type, &s.m);
        }
    }
    box_is_as_in_the_table(s.other, s.type, &s.n);
    CHECK_OK(stoa_sparse_commit(s.other, &err), &err);
    CHECK_OK(stoa_sparse_commit(s.array, &err), &err);
    CHECK_H5(H5Fclose(s.file));
    s.file = CHECK_H5((H5Fopen)(path, H5F_ACC_RDONLY, H5P_DEFAULT)); /* whoever wrote it */
    CHECK_OK(stoa_sparse_open(s.file, "x", NULL, &s.array, &err), &err);
    box_is_as_in_the_table(s.array, s.type, &s.m);
    CHECK_OK(stoa_sparse_commit(s.array, &err), &err);
    CHECK_H5(H5Fclose(s.file));
    CHECK_H5(H5Tclose(s.type));
}

static void an_array_of_strings_is_what_was_written_into_it(void)
{
    for (uint64_t i = 0, n = check_n_cases(200); i < n; i++) {
        one_case(i % 2 == 0);
    }
}

TEST_MAIN(TEST(an_array_of_strings_is_what_was_written_into_it))
