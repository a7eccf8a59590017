/* src/hdf/read/direct.c: when libhdf5 is passed by, and what is said of damaged files. */
#include "hdf/read/direct.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hdf/read/direct_parts.h"
#include "support/check.h"

enum { N = 100000, CHUNK = 1000 };

static int32_t value(uint64_t i)
{
    return (int32_t)(i * 7919 % 1000003);
}

static hid_t deflated(void)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){CHUNK}));
    CHECK_H5(H5Pset_shuffle(dcpl));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    return dcpl;
}

/* A file with `d`, N rows; the list is closed. */
static void write_file(const char *name, hid_t dcpl)
{
    int32_t *rows = malloc(N * sizeof *rows);
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK(rows != NULL);
    for (uint64_t i = 0; i < N; i++) {
        rows[i] = value(i);
    }
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    free(rows);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(dcpl));
}

static stoa_read_context *shelf_of_one; /* of what open_direct() gave */

static void close_direct(stoa_direct *direct)
{
    stoa_direct_close(direct);
    stoa_read_context_close(shelf_of_one);
    shelf_of_one = NULL;
}

/* NULL: there is nothing to be closed. */
static stoa_direct *open_direct(const char *name, unsigned flags, hid_t mem_type)
{
    const hid_t file = CHECK_H5(H5Fopen(name, flags, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    stoa_direct *direct = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_read_context_open(&shelf_of_one, NULL));
    CHECK_OK(stoa_direct_open(shelf_of_one, dataset, mem_type, &direct, &err), &err);
    if (direct == NULL) {
        close_direct(NULL);
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    return direct;
}

/* --- when ------------------------------------------------------------------------------------ */

static void it_reads_on_after_libhdf5_has_closed_the_file(void)
{
    const char *name = check_path("t.h5");
    stoa_scratch scratch = {.blocks = {NULL}};
    int32_t rows[3];

    write_file(name, deflated());
    stoa_direct *direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT32);
    CHECK(direct != NULL);
    CHECK_OK(stoa_direct_read(direct, 1999, 3, &scratch, rows, NULL), NULL);
    CHECK_I64(rows[2], value(2001));
    /* And holds no lock of libhdf5's. */
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT));
    CHECK_H5(H5Fclose(file));
    close_direct(direct);
    stoa_scratch_clear(&scratch);
}

static void files_that_may_change_and_types_that_differ_are_libhdf5s(void)
{
    const char *name = check_path("t.h5");

    write_file(name, deflated());
    CHECK(open_direct(name, H5F_ACC_RDWR, H5T_NATIVE_INT32) == NULL);
    CHECK(open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT64) == NULL);
    CHECK(open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_UINT32) == NULL);
    CHECK(open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_FLOAT) == NULL);
    CHECK(setenv("STOA_SLOW", "1", 1) == 0);
    stoa_direct *direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT32);
    CHECK(unsetenv("STOA_SLOW") == 0);
    CHECK(direct == NULL);
}

static void files_in_memory_and_compact_datasets_are_libhdf5s(void)
{
    const char *name = check_path("t.h5");
    const hid_t core = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    const hid_t compact = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    stoa_direct *direct = NULL;

    write_file(name, deflated());
    CHECK_H5(H5Pset_fapl_core(core, 1 << 20, 0));
    hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, core));
    hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK_OK(stoa_read_context_open(&shelf_of_one, NULL));
    CHECK_OK(stoa_direct_open(shelf_of_one, dataset, H5T_NATIVE_INT32, &direct, NULL), NULL);
    CHECK(direct == NULL);
    close_direct(NULL);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));

    CHECK_H5(H5Pset_layout(compact, H5D_COMPACT));
    file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){10}, NULL));
    CHECK_H5(
        H5Dclose(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, compact, H5P_DEFAULT)));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    CHECK(open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT32) == NULL);
    CHECK_H5(H5Pclose(compact));
    CHECK_H5(H5Pclose(core));
}

/* --- many chunks ----------------------------------------------------------------------------- */

static void a_million_chunks_are_found(void)
{
    enum { ROWS = 8 };
    const uint64_t n = UINT64_C(1200000) * ROWS;
    const char *name = check_path("t.h5");
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){n}, NULL));
    const hid_t one = CHECK_H5(H5Screate_simple(1, &(hsize_t){1}, NULL));
    const hsize_t at = n - 3;
    stoa_scratch scratch = {.blocks = {NULL}};
    int32_t rows[2] = {77, 77};

    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){ROWS}));
    CHECK_H5(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    CHECK_H5(H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, &at));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, one, space, H5P_DEFAULT, &(int32_t){-5}));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    stoa_direct *direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT32);
    CHECK(direct != NULL);
    CHECK_OK(stoa_direct_read(direct, at, 2, &scratch, rows, NULL), NULL);
    CHECK_I64(rows[0], -5);
    CHECK_I64(rows[1], 0);
    close_direct(direct);
    stoa_scratch_clear(&scratch);
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Pclose(fapl));
}

/* --- damage ---------------------------------------------------------------------------------- */

/* Rows as they are but for a chunk that the filter cannot have made; libhdf5 need not have it. */
static void write_damaged(const char *name, H5Z_filter_t filter, size_t n, const unsigned *values)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){3 * CHUNK}, NULL));
    int32_t rows[CHUNK] = {7};

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){CHUNK}));
    CHECK_H5(H5Pset_filter(dcpl, filter, H5Z_FLAG_OPTIONAL, n, values));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    for (hsize_t chunk = 0; chunk < 3; chunk++) {
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, chunk != 1, &(hsize_t){chunk * CHUNK},
                                chunk != 1 ? sizeof rows : 9,
                                chunk != 1 ? (const void *)rows : "no chunk!"));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(dcpl));
}

static void of_every_filter_the_damaged_chunk_is_named(void)
{
    static const struct {
        H5Z_filter_t filter;
        size_t n;
        unsigned values[8];
        bool is_always_known; /* others need a library that may not be there */
    } filters[] = {
        {STOA_FILTER_DEFLATE, 1, {4}, true},
        {STOA_FILTER_FLETCHER32, 0, {0}, true},
        {STOA_FILTER_ZSTD, 1, {3}, true},
        {STOA_FILTER_LZ4, 1, {0}, true},
        {STOA_FILTER_BITSHUFFLE, 5, {0, 3, 4, 0, 2}, true},
        {STOA_FILTER_LZF, 3, {4, 0x0105, 4 * CHUNK}, true},
        {STOA_FILTER_BLOSC2, 7, {1, 0, 4, 4 * CHUNK, 5, 1, 1}, true},
        {STOA_FILTER_BLOSC, 7, {2, 2, 4, 4 * CHUNK, 5, 1, 1}, false},
        {STOA_FILTER_BZIP2, 1, {9}, false},
        {STOA_FILTER_LZO, 3, {1, 0, 0}, false},
    };
    const char *name = check_path("t.h5");
    stoa_scratch scratch = {.blocks = {NULL}};
    int32_t rows[CHUNK];

    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        stoa_error err = STOA_ERROR_INIT;
        write_damaged(name, filters[i].filter, filters[i].n, filters[i].values);
        stoa_direct *direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT32);
        if (direct == NULL && !filters[i].is_always_known) {
            continue;
        }
        if (direct == NULL) {
            FAIL("filter %d is not known", (int)filters[i].filter);
        }
        CHECK_OK(stoa_direct_read(direct, 2 * CHUNK, CHUNK, &scratch, rows, &err), &err);
        CHECK_I64(rows[0], 7);
        if (stoa_direct_read(direct, CHUNK, CHUNK, &scratch, rows, &err) != STOA_EDATA) {
            FAIL("filter %d takes nonsense: %s", (int)filters[i].filter, err.message);
        }
        CHECK_CONTAINS(err.message, "chunk 1 (rows from 1000 on)");
        close_direct(direct);
    }
    stoa_scratch_clear(&scratch);
}

static void a_chunk_that_does_not_unpack_is_named(void)
{
    const char *name = check_path("t.h5");
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    int32_t rows[CHUNK];
    const void *chunk = NULL;

    write_file(name, deflated());
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK_H5(
        H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){(hsize_t)7 * CHUNK}, 9, "no zlib!"));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    stoa_direct *direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT32);
    CHECK(direct != NULL);
    CHECK_OK(stoa_direct_read(direct, 6 * CHUNK, CHUNK, &scratch, rows, NULL), NULL);
    CHECK_STATUS(STOA_EDATA, stoa_direct_read(direct, 6 * CHUNK, CHUNK + 1, &scratch, rows, &err));
    CHECK_CONTAINS(err.message, "chunk 7 (rows from 7000 on)");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EDATA, stoa_direct_chunk(direct, 7, &scratch, &chunk, &err));
    CHECK_CONTAINS(err.message, "chunk 7 (rows from 7000 on)");
    CHECK_OK(stoa_direct_chunk(direct, 8, &scratch, &chunk, NULL), NULL);
    CHECK_I64(((const int32_t *)chunk)[1], value(8001));
    close_direct(direct);
    stoa_scratch_clear(&scratch);
}

/* Cut off while it is open: an error each time, for chunks as for a dataset in one piece. */
/* One chunk, of `n` bytes. */
static void write_one_chunk(const char *name, hsize_t n, bool is_packed)
{
    static int8_t bytes[CHUNK];
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    bytes[0] = 42;
    CHECK_H5(H5Pset_chunk(dcpl, 1, &n));
    if (is_packed) {
        CHECK_H5(H5Pset_deflate(dcpl, 1));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
}

/* A chunk's length stands at the beginning of its key, 24 bytes into a node of its B-tree. */
static void set_length(const char *name, uint32_t n)
{
    static uint8_t bytes[1 << 16];
    FILE *stream = fopen(name, "r+b");
    size_t at = 0;

    CHECK(stream != NULL);
    const size_t n_bytes = fread(bytes, 1, sizeof bytes, stream);
    while (at + 28 <= n_bytes && memcmp(bytes + at, "TREE\1", 5) != 0) {
        at++;
    }
    CHECK(at + 28 <= n_bytes && fseek(stream, (long)at + 24, SEEK_SET) == 0);
    CHECK(fwrite((uint8_t[]){(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)},
                 1, 4, stream) == 4);
    CHECK(fclose(stream) == 0);
}

static void a_chunk_has_a_byte_at_least(void)
{
    const char *name = check_path("t.h5");
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    stoa_direct *direct = NULL;
    int8_t byte = 0;

    write_one_chunk(name, 1, false);
    direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT8);
    CHECK(direct != NULL);
    CHECK_OK(stoa_direct_read(direct, 0, 1, &scratch, &byte, &err), &err);
    CHECK_I64(byte, 42);
    close_direct(direct);
    stoa_scratch_clear(&scratch);
    set_length(name, 0);
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK_OK(stoa_read_context_open(&shelf_of_one, NULL));
    CHECK_STATUS(STOA_EDATA,
                 stoa_direct_open(shelf_of_one, dataset, H5T_NATIVE_INT8, &direct, &err), &err);
    close_direct(NULL);
    CHECK_STR(err.message, "chunk 0 has 0 bytes: the file is damaged");
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

/* As long as its four bytes can say: the chunk is looked for when it is read. */
static void a_chunk_of_the_greatest_length_is_refused_when_it_is_read(void)
{
    const char *name = check_path("t.h5");
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    int8_t byte = 0;

    write_one_chunk(name, CHUNK, true);
    set_length(name, UINT32_MAX);
    stoa_direct *direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT8);
    CHECK(direct != NULL);
    CHECK_STATUS(STOA_EDATA, stoa_direct_read(direct, 0, 1, &scratch, &byte, &err), &err);
    CHECK_CONTAINS(err.message, "its 4294967295 bytes are more than a filter makes of its rows");
    close_direct(direct);
    stoa_scratch_clear(&scratch);
}

static void a_file_that_becomes_shorter_is_noticed(void)
{
    for (int contiguous = 0; contiguous < 2; contiguous++) {
        const char *name = check_path("t.h5");
        stoa_scratch scratch = {.blocks = {NULL}};
        stoa_error err = STOA_ERROR_INIT;
        int32_t row = 0;

        write_file(name, contiguous ? CHECK_H5(H5Pcreate(H5P_DATASET_CREATE)) : deflated());
        stoa_direct *direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT32);
        CHECK(direct != NULL);
        CHECK(truncate(name, 3000) == 0);
        CHECK_STATUS(STOA_EIO, stoa_direct_read(direct, N - 1, 1, &scratch, &row, &err));
        CHECK_CONTAINS(err.message, contiguous ? "chunk 1 (rows from 65536 on)"
                                               : "chunk 99 (rows from 99000 on)");
        close_direct(direct);
        stoa_scratch_clear(&scratch);
    }
}

/* The file is gone by then: what is there comes from memory. */
static void rows_that_go_on_in_the_last_chunk_come_from_it(void)
{
    const char *name = check_path("t.h5");
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    int32_t rows[CHUNK];

    write_file(name, deflated());
    stoa_direct *direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT32);
    CHECK(direct != NULL);
    CHECK_OK(stoa_direct_read(direct, N - 1300, 700, &scratch, rows, NULL), NULL);
    CHECK(truncate(name, 3000) == 0);
    CHECK_OK(stoa_direct_read(direct, N - 600, 600, &scratch, rows, NULL), NULL);
    for (uint64_t i = 0; i < 600; i++) {
        CHECK_I64(rows[i], value(N - 600 + i));
    }
    CHECK_STATUS(STOA_EIO, stoa_direct_read(direct, N - 1300, 100, &scratch, rows, &err));
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EIO, stoa_direct_read(direct, N - 600, 100, &scratch, rows, &err));
    close_direct(direct);
    stoa_scratch_clear(&scratch);
}

static void chunks_that_share_bytes_are_refused(void)
{
    stoa_chunk_map map = {.n = 0};

    CHECK_OK(stoa_chunk_map_add(&map, 5, &(stoa_chunk_place){1000, 100, 0}, NULL), NULL);
    CHECK_OK(stoa_chunk_map_add(&map, 2, &(stoa_chunk_place){1100, 100, 0}, NULL), NULL);
    CHECK_OK(stoa_chunk_map_finish(&map, NULL), NULL);
    CHECK_U64(stoa_chunk_map_next(&map, 0), 2);
    CHECK_U64(stoa_chunk_map_next(&map, 3), 5);
    CHECK_U64(stoa_chunk_map_next(&map, 6), UINT64_MAX);
    CHECK_U64(stoa_chunk_map_find(&map, 2)->address, 1100);
    CHECK(stoa_chunk_map_find(&map, 4) == NULL);
    CHECK_OK(stoa_chunk_map_add(&map, 9, &(stoa_chunk_place){1050, 10, 0}, NULL), NULL);
    CHECK_STATUS(STOA_EDATA, stoa_chunk_map_finish(&map, NULL));
    stoa_chunk_map_clear(&map);
    CHECK_OK(stoa_chunk_map_add(&map, 5, &(stoa_chunk_place){1000, 100, 0}, NULL), NULL);
    CHECK_OK(stoa_chunk_map_add(&map, 5, &(stoa_chunk_place){1100, 100, 0}, NULL), NULL);
    CHECK_STATUS(STOA_EDATA, stoa_chunk_map_finish(&map, NULL));
    stoa_chunk_map_clear(&map);
}

/* --- threads --------------------------------------------------------------------------------- */

static void *read_much(void *context)
{
    const stoa_direct *direct = context;
    stoa_scratch scratch = {.blocks = {NULL}};
    bool is_right = true;

    for (uint64_t i = 0; i < 400; i++) {
        const uint64_t first = i * 251 * CHUNK / 4 % (N - 2 * CHUNK);
        const uint64_t count = i % 3 == 0 ? 1500 : 3;
        int32_t rows[1500];
        is_right = is_right && (i % 2 == 0 ? stoa_direct_read : stoa_direct_look_up)(
                                   direct, first, count, &scratch, rows, NULL) == STOA_OK;
        for (uint64_t k = 0; is_right && k < count; k++) {
            is_right = rows[k] == value(first + k);
        }
    }
    stoa_scratch_clear(&scratch);
    return is_right ? context : NULL;
}

static void check_threads(bool maps)
{
    const char *name = check_path("t.h5");
    pthread_t threads[4];
    stoa_read_context *read_context = NULL;
    stoa_direct *direct = NULL;

    write_file(name, deflated());
    CHECK_OK(stoa_read_context_open(&read_context, NULL), NULL);
    if (maps) {
        stoa_read_context_map(read_context);
    }
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK_OK(stoa_direct_open(read_context, dataset, H5T_NATIVE_INT32, &direct, NULL), NULL);
    CHECK(direct != NULL);
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_create(&threads[i], NULL, read_much, direct) == 0);
    }
    for (int i = 0; i < 4; i++) {
        void *is_right = NULL;
        CHECK(pthread_join(threads[i], &is_right) == 0);
        CHECK(is_right != NULL);
    }
    CHECK(stoa_chunk_cache_bytes(stoa_read_context_cache(read_context)) > 0);
    stoa_direct_close(direct);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    stoa_read_context_close(read_context);
}

static void any_number_of_threads_may_read(void)
{
    check_threads(false);
    check_threads(true);
}

static void a_chunk_that_is_asked_for_twice_is_held(void)
{
    const char *name = check_path("t.h5");
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_read_context *read_context = NULL;
    stoa_direct *direct = NULL;
    stoa_held_chunk *held = NULL;
    const void *elements = NULL;

    write_file(name, deflated());
    CHECK_OK(stoa_read_context_open(&read_context, NULL), NULL);
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK_OK(stoa_direct_open(read_context, dataset, H5T_NATIVE_INT32, &direct, NULL), NULL);
    CHECK_OK(stoa_direct_hold(direct, 3, &scratch, &elements, &held, NULL), NULL);
    CHECK(held == NULL);
    CHECK_I64(((const int32_t *)elements)[2], value(3 * CHUNK + 2));
    CHECK_U64(stoa_chunk_cache_bytes(stoa_read_context_cache(read_context)), 0);
    CHECK_OK(stoa_direct_hold(direct, 3, &scratch, &elements, &held, NULL), NULL);
    CHECK(held != NULL);
    CHECK_I64(((const int32_t *)elements)[2], value(3 * CHUNK + 2));
    stoa_direct_release(direct, held);
    CHECK(truncate(name, 0) == 0);
    CHECK_OK(stoa_direct_hold(direct, 3, &scratch, &elements, &held, NULL), NULL);
    CHECK_I64(((const int32_t *)elements)[CHUNK - 1], value(4 * CHUNK - 1));
    stoa_direct_release(direct, held);
    stoa_direct_close(direct);
    stoa_scratch_clear(&scratch);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    stoa_read_context_close(read_context);
}

static void buffers_that_were_left_are_used_again_up_to_a_bound(void)
{
    stoa_read_context *read_context = NULL;
    stoa_scratch none = stoa_read_context_borrow(NULL);
    stoa_scratch large = {.blocks = {NULL}};

    CHECK(none.blocks[0] == NULL);
    stoa_read_context_return(NULL, &none);
    CHECK_OK(stoa_read_context_open(&read_context, NULL), NULL);
    stoa_scratch first = stoa_read_context_borrow(read_context);
    const uint8_t *block = stoa_scratch_block(&first, 1, 1000);
    CHECK(block != NULL);
    stoa_read_context_return(read_context, &first);
    CHECK(first.blocks[1] == NULL);
    CHECK(stoa_scratch_block(&large, 0, (size_t)17 << 20) != NULL);
    stoa_read_context_return(read_context, &large); /* more than is kept */
    stoa_scratch second = stoa_read_context_borrow(read_context);
    CHECK(second.blocks[1] == block && second.blocks[0] == NULL);
    stoa_scratch third = stoa_read_context_borrow(read_context);
    CHECK(third.blocks[0] == NULL);
    stoa_read_context_return(read_context, &second);
    stoa_read_context_close(read_context);
}

/* --- bytes ----------------------------------------------------------------------------------- */

static void bytes_past_a_chunk_or_past_the_file_are_refused(void)
{
    const char *name = check_path("t.h5");
    stoa_error err = STOA_ERROR_INIT;
    stoa_chunk_place place;
    uint8_t bytes[CHUNK * sizeof(int32_t)];

    write_file(name, deflated());
    stoa_direct *direct = open_direct(name, H5F_ACC_RDONLY, H5T_NATIVE_INT32);
    CHECK(direct != NULL && stoa_direct_locate(direct, 0, &place));
    const uint32_t n = place.n_bytes;
    CHECK(n > 2 && n <= sizeof bytes);
    for (uint64_t skip = 0; skip <= n + 1; skip++) {
        const uint64_t left = skip <= n ? n - skip : 0;
        CHECK_U64(stoa_direct_load(direct, &place, skip, left, bytes, NULL),
                  skip <= n ? STOA_OK : STOA_EDATA);
        CHECK_STATUS(STOA_EDATA, stoa_direct_load(direct, &place, skip, left + 1, bytes, NULL));
    }
    CHECK_STATUS(STOA_EDATA, stoa_direct_load(direct, &place, 1, UINT64_MAX, bytes, NULL));
    place.address = direct->file->size - n;
    CHECK(stoa_descriptor_has(direct->file, place.address, n));
    CHECK_OK(stoa_direct_load(direct, &place, 0, n, bytes, &err), &err);
    place.address++;
    CHECK(!stoa_descriptor_has(direct->file, place.address, n));
    CHECK_STATUS(STOA_EDATA, stoa_direct_load(direct, &place, 0, 1, bytes, &err));
    CHECK_CONTAINS(err.message, "pass the end of the file at");
    place.address = UINT64_MAX;
    CHECK(!stoa_descriptor_has(direct->file, place.address, n));
    close_direct(direct);
}

TEST_MAIN(TEST(a_chunk_has_a_byte_at_least),
          TEST(a_chunk_of_the_greatest_length_is_refused_when_it_is_read),
          TEST(bytes_past_a_chunk_or_past_the_file_are_refused),
          TEST(a_chunk_that_is_asked_for_twice_is_held),
          TEST(buffers_that_were_left_are_used_again_up_to_a_bound),
          TEST(it_reads_on_after_libhdf5_has_closed_the_file),
          TEST(files_that_may_change_and_types_that_differ_are_libhdf5s),
          TEST(files_in_memory_and_compact_datasets_are_libhdf5s), TEST(a_million_chunks_are_found),
          TEST(a_chunk_that_does_not_unpack_is_named),
          TEST(of_every_filter_the_damaged_chunk_is_named),
          TEST(rows_that_go_on_in_the_last_chunk_come_from_it),
          TEST(a_file_that_becomes_shorter_is_noticed), TEST(chunks_that_share_bytes_are_refused),
          TEST(any_number_of_threads_may_read))
