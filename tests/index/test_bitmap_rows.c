/* The rows of a BITMAP index as bits, united by several threads, for src/index/bitmap_rows.c. */
#include <stdlib.h>
#include <string.h>

#include "core/threads.h"
#include "one_column.h"

/* Three strips of bits, and some: each is a part of the work. */
enum { N = 3 * 8 * 65536 + 12345, N_VALUES = 40 };

static const int32_t no_value = -99;

static int32_t *random_rows(void)
{
    int32_t *rows = malloc(N * sizeof *rows);

    CHECK(rows != NULL);
    for (int32_t i = 0; i < N; i++) {
        const uint64_t drawn = check_random();
        rows[i] = drawn % 100 == 0 ? no_value : (int32_t)(drawn / 100 % N_VALUES);
    }
    return rows;
}

static one_column make_indexed(const int32_t *rows)
{
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_NATIVE_INT32,
                                                         .fill = &no_value,
                                                         .values = rows,
                                                         .extent = N,
                                                         .n_rows = N,
                                                         .chunk_rows = 65536});
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_add(made.table, "x", "bitmap", NULL, &err), &err);
    return made;
}

/* Rows of values from low to high; it is asked twice, since the first one who asks is told nothing.
 */
static stoa_row_bits *rows_of(const stoa_index *index, int64_t low, int64_t high)
{
    const stoa_interval interval = {.has_low = true,
                                    .has_high = true,
                                    .low = {.kind = STOA_SCALAR_I64, .as.i64 = low},
                                    .high = {.kind = STOA_SCALAR_I64, .as.i64 = high}};
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};
    stoa_row_bits *rows = NULL;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t estimate = 0;

    for (int i = 0; i < 2 && rows == NULL; i++) {
        CHECK_OK(stoa_index_bitmap.estimate(index, &test, &estimate, &err), &err);
        CHECK_OK(stoa_index_bitmap.rows(index, &test, &rows, &err), &err);
    }
    return rows;
}

static void any_number_of_threads_unites_the_same_bits(void)
{
    static const unsigned n_threads[] = {0, 1, 2, 5};
    int32_t *rows = random_rows();
    one_column made = make_indexed(rows);
    const hid_t bitmap = one_column_index(&made);
    stoa_error err = STOA_ERROR_INIT;

    for (size_t k = 0; k < sizeof n_threads / sizeof n_threads[0]; k++) {
        stoa_index *index = NULL;

        if (n_threads[k] != 0) {
            CHECK_OK(stoa_workers_open(n_threads[k], &made.column->workers, &err), &err);
        }
        CHECK_OK(stoa_index_bitmap.open(made.column, bitmap, N, &index, &err), &err);
        for (int32_t low = 0; low < 9; low += 4) {
            stoa_row_bits *found = rows_of(index, low, low + low / 4);
            CHECK(found != NULL);
            CHECK_U64(found->n_rows, N);
            for (uint64_t i = 0; i < N; i++) {
                CHECK(stoa_bit_get(found->bits, i) == (rows[i] >= low && rows[i] <= low + low / 4));
            }
            stoa_row_bits_release(found);
        }
        stoa_index_bitmap.close(index);
        stoa_workers_close(made.column->workers);
        made.column->workers = NULL;
    }
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
    free(rows);
}

/* The last of the chunks that the value 7 has. */
static void a_damaged_strip_is_an_error(void)
{
    int32_t *rows = random_rows();
    one_column made = make_indexed(rows);
    const hid_t bitmap = one_column_index(&made);
    const hsize_t offset[] = {7, (N / 8) / 8192 * 8192};
    const stoa_scalar seven = {.kind = STOA_SCALAR_I64, .as.i64 = 7};
    const stoa_interval interval = {.has_low = true, .has_high = true, .low = seven, .high = seven};
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};
    stoa_row_bits *found = NULL;
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t estimate = 0;

    CHECK_OK(stoa_workers_open(3, &made.column->workers, &err), &err);
    CHECK_OK(stoa_index_bitmap.open(made.column, bitmap, N, &index, &err), &err);
    CHECK_OK(stoa_index_bitmap.estimate(index, &test, &estimate, &err), &err);
    CHECK_OK(stoa_index_bitmap.rows(index, &test, &found, &err), &err);
    CHECK(found == NULL);
    CHECK_H5(H5Dwrite_chunk(bitmap, H5P_DEFAULT, 0, offset, 4, "junk"));
    CHECK_STATUS(STOA_EDATA, stoa_index_bitmap.rows(index, &test, &found, &err));
    CHECK(found == NULL);
    CHECK_CONTAINS(err.message, "chunk");
    stoa_index_bitmap.close(index);
    stoa_workers_close(made.column->workers);
    made.column->workers = NULL;
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
    free(rows);
}

TEST_MAIN(TEST(any_number_of_threads_unites_the_same_bits), TEST(a_damaged_strip_is_an_error))
