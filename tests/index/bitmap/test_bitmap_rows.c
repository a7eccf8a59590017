/* The rows of a BITMAP index as bits, united by several threads, for
 * src/index/bitmap/bitmap_rows.c. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/threads.h"
#include "hdf/metadata/attributes.h"
#include "index/one_column.h"

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

/* A filter that only libhdf5 knows, which sees how many threads are in it at once. */
static atomic_int n_inside;
static atomic_int most_inside;
static atomic_int n_undone;

static size_t watch(unsigned flags, size_t n_values, const unsigned *values, size_t n_bytes,
                    size_t *capacity, void **buffer)
{
    (void)n_values;
    (void)values;
    (void)capacity;
    (void)buffer;
    if ((flags & H5Z_FLAG_REVERSE) != 0) {
        const int n = atomic_fetch_add(&n_inside, 1) + 1;
        if (n > atomic_load(&most_inside)) {
            atomic_store(&most_inside, n);
        }
        atomic_fetch_add(&n_undone, 1);
        (void)nanosleep(&(struct timespec){0, 500000}, NULL);
        atomic_fetch_sub(&n_inside, 1);
    }
    return n_bytes;
}

enum { WATCH = 301 };

/* The same bits through that filter; without a name. */
static hid_t watched(const one_column *made, hid_t bitmap)
{
    const H5Z_class2_t filter = {.version = H5Z_CLASS_T_VERS,
                                 .id = WATCH,
                                 .encoder_present = 1,
                                 .decoder_present = 1,
                                 .name = "watch",
                                 .filter = watch};
    const hid_t space = CHECK_H5(H5Dget_space(bitmap));
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    stoa_error err = STOA_ERROR_INIT;
    hsize_t dims[2];

    CHECK_H5(H5Zregister(&filter));
    CHECK_H5(H5Sget_simple_extent_dims(space, dims, NULL));
    CHECK_H5(H5Pset_chunk(creation, 2, (hsize_t[]){1, 8192}));
    CHECK_H5(H5Pset_filter(creation, WATCH, H5Z_FLAG_MANDATORY, 0, NULL));
    const hid_t copy =
        CHECK_H5(H5Dcreate_anon(made->group, H5T_STD_U8LE, space, creation, H5P_DEFAULT));
    uint8_t *bits = malloc(dims[0] * dims[1]);
    CHECK(bits != NULL);
    CHECK_H5(H5Dread(bitmap, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits));
    CHECK_H5(H5Dwrite(copy, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits));
    free(bits);
    CHECK_OK(stoa_attributes_copy(bitmap, copy, (const char *const[]){NULL}, &err), &err);
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Sclose(space));
    return copy;
}

static void libhdf5_unpacks_for_one_thread_at_a_time(void)
{
    int32_t *rows = random_rows();
    one_column made = make_indexed(rows);
    const hid_t bitmap = one_column_index(&made);
    const hid_t copy = watched(&made, bitmap);
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_workers_open(4, &made.column->workers, &err), &err);
    CHECK_OK(stoa_index_bitmap.open(made.column, copy, N, &index, &err), &err);
    atomic_store(&n_undone, 0);
    stoa_row_bits *found = rows_of(index, 7, 7);
    CHECK(found != NULL);
    for (uint64_t i = 0; i < N; i++) {
        CHECK(stoa_bit_get(found->bits, i) == (rows[i] == 7));
    }
    CHECK(atomic_load(&n_undone) > 0);
    CHECK_I64(atomic_load(&most_inside), 1);
    stoa_row_bits_release(found);
    stoa_index_bitmap.close(index);
    stoa_workers_close(made.column->workers);
    made.column->workers = NULL;
    CHECK_H5(H5Dclose(copy));
    CHECK_H5(H5Zunregister(WATCH));
    CHECK_H5(H5Dclose(bitmap));
    one_column_free(&made);
    free(rows);
}

TEST_MAIN(TEST(any_number_of_threads_unites_the_same_bits), TEST(a_damaged_strip_is_an_error),
          TEST(libhdf5_unpacks_for_one_thread_at_a_time))
