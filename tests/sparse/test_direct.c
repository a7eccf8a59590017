/* Arrays in files that nobody can write to, which are read past libhdf5: what it refuses is refused
 * alike, and so are files that end before their time. For src/sparse/points/chunk_task.c, and
 * matrix_run.c, which believes heads of chunks for a while. */
#include <hdf5.h>
#include <stdlib.h>
#include <stoa/sparse_matrix.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/sweep.h"

/* Chunks of some KiB; of the first HEAD bytes each is of a head, or of positions. */
enum { SIDE = 160, CHUNK = 64, MOST = SIDE * SIDE, HEAD = 200 };

static bool is_there(uint64_t row, uint64_t column)
{
    return (row * 7 + column * column) % 4 == 0;
}

static int32_t value_at(uint64_t row, uint64_t column)
{
    return (int32_t)(row * 1000 + column);
}

/* Chunks that are whole, and some that the extent cuts through. */
static const char *make_file(const char *codec)
{
    const char *name = check_path("direct.h5");
    const uint64_t extent[] = {SIDE, SIDE};
    const uint64_t chunk[] = {CHUNK, CHUNK};
    static uint64_t coordinates[2 * MOST];
    static int32_t values[MOST];
    uint64_t n = 0;
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t i = 0; i < MOST; i++) {
        if (is_there(i / SIDE, i % SIDE)) {
            coordinates[2 * n] = i / SIDE;
            coordinates[2 * n + 1] = i % SIDE;
            values[n++] = value_at(i / SIDE, i % SIDE);
        }
    }
    options.chunk = chunk;
    options.values = codec;
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_OK(stoa_sparse_create(file, "x", H5T_STD_I32LE, 2, extent, &options, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_sparse_write(array, n, coordinates, values, H5T_NATIVE_INT32, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
    return name;
}

static stoa_status read_both(hid_t file, unsigned threads, stoa_matrix *matrix,
                             stoa_sparse_points *points, stoa_error *err)
{
    const uint64_t start[] = {3, 5};
    const uint64_t count[] = {130, 131};
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    stoa_sparse *array = NULL;
    stoa_status status = STOA_OK;

    access.threads = threads;
    *matrix = (stoa_matrix){.n = 0};
    *points = (stoa_sparse_points){.n = 0};
    STOA_TRY(stoa_sparse_open(file, "x", &access, &array, err));
    STOA_TRY(stoa_matrix_read(array, STOA_MATRIX_CSR, 4, H5T_NATIVE_INT32, matrix, err));
    STOA_TRY(stoa_sparse_read(array, start, count, H5T_NATIVE_INT32, points, err));

done:
    stoa_sparse_close(array);
    return status;
}

static void clear_both(stoa_matrix *matrix, stoa_sparse_points *points)
{
    stoa_matrix_clear(matrix);
    stoa_sparse_points_clear(points);
}

static void check_both(const stoa_matrix *matrix, const stoa_sparse_points *points)
{
    uint64_t n = 0;
    uint64_t n_in_box = 0;

    for (uint64_t i = 0; i < MOST; i++) {
        const uint64_t at[] = {i / SIDE, i % SIDE};
        CHECK(i % SIDE != 0 || ((const int32_t *)matrix->pointers)[at[0]] == (int32_t)n);
        if (!is_there(at[0], at[1])) {
            continue;
        }
        CHECK_I64(((const int32_t *)matrix->columns)[n], (int64_t)at[1]);
        CHECK_I64(((const int32_t *)matrix->values)[n], value_at(at[0], at[1]));
        n++;
        if (at[0] >= 3 && at[0] < 133 && at[1] >= 5 && at[1] < 136) {
            CHECK_MEM(points->coordinates + 2 * n_in_box, at, sizeof at);
            CHECK_I64(((const int32_t *)points->values)[n_in_box], value_at(at[0], at[1]));
            n_in_box++;
        }
    }
    CHECK_U64(matrix->n, n);
    CHECK_U64(points->n, n_in_box);
}

static stoa_status try_file(const char *name, unsigned threads)
{
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_matrix matrix;
    stoa_sparse_points points;
    stoa_error err = STOA_ERROR_INIT;
    const stoa_status status = read_both(file, threads, &matrix, &points, &err);

    if (status == STOA_OK) {
        check_both(&matrix, &points);
    } else {
        CHECK_CONTAINS(err.where, "chunk (0,0)");
    }
    clear_both(&matrix, &points);
    CHECK_H5(H5Fclose(file));
    return status;
}

static void what_is_read_is_what_was_written(void)
{
    const char *const codecs[] = {"none", "deflate:1", "zstd:1"};

    for (int i = 0; i < 3; i++) {
        const char *name = make_file(codecs[i]);
        for (unsigned threads = 1; threads < 4; threads++) {
            CHECK_OK(try_file(name, threads));
        }
    }
}

/* Bytes of the first chunk in a file. */
static uint64_t find_chunk(const char *name, uint64_t *n_bytes)
{
    const hsize_t offset[] = {0, 0};
    haddr_t address = 0;
    hsize_t size = 0;
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "x", H5P_DEFAULT));

    CHECK_H5(H5Dget_chunk_info_by_coord(dataset, offset, NULL, &address, &size));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    *n_bytes = size;
    return address;
}

static void turn_bit(const char *name, uint64_t address, unsigned bit)
{
    FILE *file = fopen(name, "r+b");
    uint8_t byte = 0;

    CHECK(file != NULL && fseek(file, (long)address, SEEK_SET) == 0);
    CHECK(fread(&byte, 1, 1, file) == 1);
    byte = (uint8_t)(byte ^ 1u << bit);
    CHECK(fseek(file, (long)address, SEEK_SET) == 0 && fwrite(&byte, 1, 1, file) == 1);
    CHECK(fclose(file) == 0);
}

/* All of the head and the positions is under a checksum. */
static void a_head_that_is_wrong_is_refused(void)
{
    const char *const codecs[] = {"none", "zstd:1"};

    for (int i = 0; i < 2; i++) {
        const char *name = make_file(codecs[i]);
        uint64_t n_bytes = 0;
        const uint64_t address = find_chunk(name, &n_bytes);
        CHECK(n_bytes > HEAD);
        for (unsigned bit = 0; bit < 8 * HEAD; bit += 1 + (unsigned)check_random_below(30)) {
            turn_bit(name, address + bit / 8, bit % 8);
            CHECK_STATUS(STOA_EDATA, try_file(name, 1 + bit % 2));
            turn_bit(name, address + bit / 8, bit % 8);
        }
        CHECK_OK(try_file(name, 1));
    }
}

static void a_file_that_is_cut_off_while_it_is_read_is_refused(void)
{
    const char *name = make_file("none");
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const uint64_t start[] = {0, 0};
    const uint64_t count[] = {1, 1};
    stoa_sparse *array = NULL;
    stoa_matrix matrix;
    stoa_sparse_points points;
    uint64_t n_bytes = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_error other = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_open(file, "x", NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_read(array, start, count, H5T_NATIVE_INT32, &points, &err), &err);
    stoa_sparse_points_clear(&points);
    const uint64_t address = find_chunk(name, &n_bytes);
    CHECK(truncate(name, (off_t)(address + n_bytes / 2)) == 0);
    CHECK_STATUS(STOA_EIO,
                 stoa_matrix_read(array, STOA_MATRIX_CSR, 8, H5T_NATIVE_INT32, &matrix, &err));
    CHECK_CONTAINS(err.message, "cut off");
    CHECK_STATUS(STOA_EIO, stoa_sparse_read(array, NULL, NULL, H5T_NATIVE_INT32, &points, &other));
    CHECK_CONTAINS(other.where, "chunk (");
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
}

static hid_t swept;

static stoa_status read_once(stoa_error *err)
{
    stoa_matrix matrix;
    stoa_sparse_points points;
    const stoa_status status = read_both(swept, 1, &matrix, &points, err);

    if (status == STOA_OK) {
        check_both(&matrix, &points);
    }
    clear_both(&matrix, &points);
    return status;
}

static void nothing_is_lost_where_memory_runs_out(void)
{
    swept = CHECK_H5(H5Fopen(make_file("zstd:1"), H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK(sweep_memory_throughout(read_once) > 20);
    CHECK_H5(H5Fclose(swept));
}

TEST_MAIN(TEST(what_is_read_is_what_was_written), TEST(a_head_that_is_wrong_is_refused),
          TEST(a_file_that_is_cut_off_while_it_is_read_is_refused),
          TEST(nothing_is_lost_where_memory_runs_out))
