/*
 * Sequences of any length, in chunks of any shape, under every lower bound of the file's versions:
 * what was written is there after the file was closed, longer than before or shorter. What no chunk
 * can hold is refused when it is written, and all that was there stays. For long_chunk.c.
 */
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <stoa/sparse.h>
#include <string.h>

#include "codec/bytes.h"
#include "sparse/format/long_chunk.h"
#include "sparse/store/store.h"
#include "support/check.h"

enum { ROWS = 9, COLUMNS = 5, MAX_ITEMS = 60000, ROUNDS = 8 };

static const H5F_libver_t lows[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110,
                                    H5F_LIBVER_LATEST};

/* How many items an element has, less one; 0: it is not defined. Items follow from the number of
 * the element and of the write. */
typedef struct model {
    uint64_t n[ROWS][COLUMNS];
    int seed[ROWS][COLUMNS];
} model;

static int item(int seed, uint64_t i)
{
    return (int)((uint64_t)seed * 2654435761U + i * i % 9973);
}

/* Most are short. */
static uint64_t random_length(void)
{
    switch (check_random_below(4)) {
    case 0:
        return check_random_below(MAX_ITEMS);
    case 1:
        return 4000 + check_random_below(14000); /* about 64 KiB for the chunk */
    default:
        return check_random_below(30);
    }
}

static hid_t file_list(H5F_libver_t low)
{
    const hid_t fapl = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_libver_bounds(fapl, low, H5F_LIBVER_LATEST));
    return fapl;
}

static hid_t random_list(bool may_compress)
{
    const hsize_t chunk[2] = {1 + check_random_below(4), 1 + check_random_below(COLUMNS)};
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const unsigned level = 1;

    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK));
    if (may_compress && check_random_below(2) == 0) {
        CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_VL, H5Z_FILTER_DEFLATE, 0, 1, &level));
    }
    return dcpl;
}

/* Dimensions that may grow or not: other indexes. */
static hid_t random_space(void)
{
    const hsize_t extent[2] = {ROWS, COLUMNS};
    const hsize_t most[2] = {check_random_below(2) == 0 ? H5S_UNLIMITED : ROWS,
                             check_random_below(2) == 0 ? H5S_UNLIMITED : COLUMNS};

    return (hid_t)CHECK_H5(H5Screate_simple(2, extent, most));
}

/* A row's piece, written in one call. */
static void write_some(hid_t dset, hid_t type, model *m)
{
    const hsize_t first[2] = {check_random_below(ROWS), check_random_below(COLUMNS)};
    const hsize_t count[2] = {1, 1 + check_random_below(COLUMNS - first[1])};
    const hid_t space = (hid_t)CHECK_H5(H5Dget_space(dset));
    hvl_t values[COLUMNS];
    uint64_t n[COLUMNS];
    int seeds[COLUMNS];

    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL));
    for (hsize_t k = 0; k < count[1]; k++) {
        n[k] = random_length();
        seeds[k] = (int)check_random_below(1000);
        int *items = malloc((n[k] + 1) * sizeof *items);
        CHECK(items != NULL);
        for (uint64_t i = 0; i < n[k]; i++) {
            items[i] = item(seeds[k], i);
        }
        values[k] = (hvl_t){.len = n[k], .p = items};
    }
    CHECK_H5(H5Dwrite(dset, type, H5S_BLOCK, space, H5P_DEFAULT, values));
    for (hsize_t k = 0; k < count[1]; k++) {
        m->n[first[0]][first[1] + k] = n[k] + 1;
        m->seed[first[0]][first[1] + k] = seeds[k];
        free(values[k].p);
    }
    CHECK_H5(H5Sclose(space));
}

static void erase_some(hid_t dset, model *m)
{
    const hsize_t first[2] = {check_random_below(ROWS), check_random_below(COLUMNS)};
    const hsize_t count[2] = {1, 1};
    const hid_t space = (hid_t)CHECK_H5(H5Dget_space(dset));

    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL));
    CHECK_H5(H5Derase(dset, space, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    m->n[first[0]][first[1]] = 0;
}

static void all_is_there(hid_t dset, hid_t type, const model *m)
{
    const hid_t space = (hid_t)CHECK_H5(H5Dget_space(dset));
    const hid_t defined = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
    hvl_t found[ROWS][COLUMNS];
    uint64_t n_defined = 0;

    CHECK_H5(H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            const uint64_t n = m->n[row][column] > 0 ? m->n[row][column] - 1 : 0;
            const int *items = found[row][column].p;
            n_defined += m->n[row][column] > 0;
            CHECK_U64(found[row][column].len, n);
            for (uint64_t i = 0; i < n; i++) {
                CHECK(items[i] == item(m->seed[row][column], i));
            }
        }
    }
    CHECK_U64((uint64_t)H5Sget_select_npoints(defined), n_defined);
    CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, found));
    CHECK_H5(H5Sclose(defined));
    CHECK_H5(H5Sclose(space));
}

static hid_t reopen(const char *path, H5F_libver_t low, hid_t *file)
{
    const hid_t fapl = file_list(low);

    CHECK_H5(H5Fclose(*file));
    *file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, fapl));
    CHECK_H5(H5Pclose(fapl));
    return (hid_t)CHECK_H5(H5Dopen2(*file, "d", H5P_DEFAULT));
}

static void values_of_any_length_are_there_when_the_file_is_opened_again(void)
{
    const char *path = check_path("long.h5");
    const hid_t type = (hid_t)CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT));

    for (unsigned i = 0; i < 4; i++) {
        for (uint64_t k = 0; k < check_n_cases(3); k++) {
            model m = {.n = {{0}}};
            const hid_t fapl = file_list(lows[i]);
            const hid_t dcpl = random_list(true);
            const hid_t space = random_space();
            hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
            hid_t dset =
                (hid_t)CHECK_H5(H5Dcreate(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
            for (int round = 0; round < ROUNDS; round++) {
                write_some(dset, type, &m);
                if (check_random_below(3) == 0) {
                    erase_some(dset, &m);
                }
                if (check_random_below(3) == 0) {
                    CHECK_H5(H5Dclose(dset));
                    dset = reopen(path, lows[check_random_below(4)], &file);
                }
            }
            all_is_there(dset, type, &m);
            CHECK_H5(H5Dclose(dset));
            dset = reopen(path, lows[0], &file);
            all_is_there(dset, type, &m);
            CHECK_H5(H5Dclose(dset));
            CHECK_H5(H5Fclose(file));
            CHECK_H5(H5Sclose(space));
            CHECK_H5(H5Pclose(dcpl));
            CHECK_H5(H5Pclose(fapl));
        }
    }
    CHECK_H5(H5Tclose(type));
}

/* --- a bound --------------------------------------------------------------------------------- */

/* Chunks in memory, and what they have in a heap, of which nothing may be left over. */
enum { N_CHUNKS = 4, IN_CHUNK = 3, MAX_BLOBS = 100 };
enum { BOUND = 3000 };

typedef struct bytes {
    uint8_t *bytes;
    size_t n;
} bytes;

static bytes chunks[N_CHUNKS], blobs[MAX_BLOBS];
static bool is_full; /* the next chunk cannot be written */

static stoa_status read_one(void *context, const hsize_t *offset, stoa_buffer *out, uint32_t *mask,
                            stoa_error *err)
{
    const bytes *chunk = &chunks[offset[0] / IN_CHUNK];

    (void)context;
    out->size = 0;
    *mask = 0;
    return stoa_buffer_append(out, chunk->bytes, chunk->n, err);
}

static stoa_status write_one(void *context, const hsize_t *offset, const void *from, size_t n,
                             stoa_error *err)
{
    bytes *chunk = &chunks[offset[0] / IN_CHUNK];

    (void)context;
    if (is_full) {
        return stoa_fail(err, STOA_EIO, "the disk is full");
    }
    free(chunk->bytes);
    *chunk = (bytes){.bytes = malloc(n), .n = n};
    memcpy(chunk->bytes, from, n);
    return STOA_OK;
}

static stoa_status iterate(void *context, stoa_chunk_visit visit, void *visitor, stoa_error *err)
{
    (void)context;
    for (hsize_t i = 0; i < N_CHUNKS; i++) {
        const hsize_t offset = i * IN_CHUNK;
        const stoa_stored_chunk chunk = {.offset = &offset, .n_bytes = chunks[i].n};
        if (chunk.n_bytes > 0) {
            CHECK_OK(visit(visitor, &chunk, err), err);
        }
    }
    return STOA_OK;
}

static stoa_status put_blob(void *context, const void *from, size_t n, uint8_t *id, stoa_error *err)
{
    (void)context;
    (void)err;
    for (uint8_t i = 0; i < MAX_BLOBS; i++) {
        if (blobs[i].bytes == NULL) {
            blobs[i] = (bytes){.bytes = malloc(n), .n = n};
            memcpy(blobs[i].bytes, from, n);
            memset(id, i, 12);
            return STOA_OK;
        }
    }
    FAIL("blobs are left over");
}

static stoa_status get_blob(void *context, const uint8_t *id, void *to, size_t n, stoa_error *err)
{
    (void)context;
    if (id[0] >= MAX_BLOBS || blobs[id[0]].n != n) {
        return stoa_fail(err, STOA_EHDF5, "no such blob");
    }
    memcpy(to, blobs[id[0]].bytes, n);
    return STOA_OK;
}

static void drop_blob(void *context, uint8_t *id)
{
    (void)context;
    CHECK(blobs[id[0]].bytes != NULL);
    free(blobs[id[0]].bytes);
    blobs[id[0]] = (bytes){.bytes = NULL};
}

/* A value is its length, its data are so many bytes of that number. */
static stoa_status measure(const void *context, const uint8_t *value, const uint8_t *heap,
                           size_t n_heap, size_t *n_bytes, stoa_error *err)
{
    (void)context;
    (void)heap;
    (void)err;
    *n_bytes = stoa_get_le32(value);
    return *n_bytes <= n_heap ? STOA_OK : STOA_EDATA;
}

static stoa_store *open_bound(uint64_t most)
{
    static const stoa_sparse_format format = {.is_sparse = true,
                                              .has_heap = true,
                                              .is_bound = true,
                                              .n_elements = IN_CHUNK,
                                              .element_size = 16,
                                              .n_slots = 1,
                                              .slot_size = 16};
    const uint64_t extent = (uint64_t)IN_CHUNK * N_CHUNKS;
    const uint64_t chunk = IN_CHUNK;
    stoa_store_setup setup = {.io = {.read = read_one,
                                     .write = write_one,
                                     .iterate = iterate,
                                     .put_blob = put_blob,
                                     .get_blob = get_blob,
                                     .drop_blob = drop_blob},
                              .format = &format,
                              .most_bytes = most,
                              .heap = {.measure = measure}};
    stoa_store *store = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_shape_make(1, &extent, &chunk, &setup.shape, &err), &err);
    CHECK_OK(stoa_store_open(&setup, &store, &err), &err);
    return store;
}

static stoa_status put(stoa_store *store, uint64_t at, uint32_t n, stoa_error *err)
{
    uint8_t value[4];
    uint8_t *data = malloc(n + 1);
    const uint64_t length = n;
    const stoa_heap_run heap = {.lengths = &length, .bytes = data};

    stoa_put_le32(value, n);
    memset(data, (int)(n % 251), n + 1);
    const stoa_status status = stoa_store_write(store, &at, 1, value, &heap, err);
    free(data);
    return status;
}

static void is(stoa_store *store, const int64_t *expected)
{
    for (uint64_t at = 0; at < (uint64_t)IN_CHUNK * N_CHUNKS; at++) {
        uint8_t value[4];
        uint8_t defined = 0;
        uint64_t length = 0;
        stoa_buffer data = {NULL, 0, 0};
        const stoa_heap_sink sink = {.lengths = &length, .bytes = &data};
        stoa_error err = STOA_ERROR_INIT;
        CHECK_OK(stoa_store_read(store, &at, 1, value, &defined, &sink, &err), &err);
        CHECK_U64(defined, expected[at] >= 0);
        CHECK_U64(length, expected[at] > 0 ? (uint64_t)expected[at] : 0);
        for (size_t i = 0; i < data.size; i++) {
            CHECK(data.data[i] == expected[at] % 251);
        }
        stoa_buffer_clear(&data);
    }
}

static void nothing_is_left_over(void)
{
    for (size_t i = 0; i < N_CHUNKS; i++) {
        free(chunks[i].bytes);
        chunks[i] = (bytes){.bytes = NULL};
    }
    for (size_t i = 0; i < MAX_BLOBS; i++) {
        free(blobs[i].bytes);
        blobs[i] = (bytes){.bytes = NULL};
    }
}

static size_t n_blobs(void)
{
    size_t n = 0;

    for (size_t i = 0; i < MAX_BLOBS; i++) {
        n += blobs[i].bytes != NULL;
    }
    return n;
}

static void what_no_chunk_can_hold_is_refused_when_it_is_written(void)
{
    uint64_t n_refused = 0;

    for (uint64_t k = 0; k < check_n_cases(30); k++) {
        int64_t expected[IN_CHUNK * N_CHUNKS];
        stoa_store *store = open_bound(BOUND);
        stoa_error err = STOA_ERROR_INIT;
        memset(expected, 0xff, sizeof expected);
        for (int round = 0; round < 40; round++) {
            const uint64_t at = check_random_below((uint64_t)IN_CHUNK * N_CHUNKS);
            const uint32_t n =
                (uint32_t)check_random_below(check_random_below(3) == 0 ? 4000 : 900);
            const stoa_status status = put(store, at, n, &err);
            CHECK(status == STOA_OK || status == STOA_ERANGE);
            expected[at] = status == STOA_OK ? (int64_t)n : expected[at];
            n_refused += status != STOA_OK;
            if (check_random_below(5) == 0) {
                CHECK_OK(stoa_store_flush(store, &err), &err);
                stoa_store_close(store);
                store = open_bound(BOUND);
            }
        }
        is(store, expected);
        CHECK_OK(stoa_store_flush(store, &err), &err);
        stoa_store_close(store);
        store = open_bound(BOUND);
        is(store, expected);
        stoa_store_close(store);
        nothing_is_left_over();
    }
    CHECK(n_refused > 0);
}

static void what_a_long_chunk_had_in_the_heap_is_given_back(void)
{
    stoa_store *store = open_bound(0);
    int64_t expected[IN_CHUNK * N_CHUNKS];
    stoa_error err = STOA_ERROR_INIT;

    memset(expected, 0xff, sizeof expected);
    for (uint32_t k = 0; k < 6; k++) { /* longer, short, longer in a store that has not read it */
        expected[1] = k % 2 == 0 ? 70000 + k : 7;
        CHECK_OK(put(store, 1, (uint32_t)expected[1], &err), &err);
        CHECK_OK(stoa_store_flush(store, &err), &err);
        CHECK_U64(n_blobs(), k % 2 == 0);
        CHECK(chunks[0].n < 100);
        is(store, expected);
        stoa_store_close(store);
        store = open_bound(0);
    }
    CHECK_OK(put(store, 1, 80000, &err), &err);
    is_full = true;
    CHECK_STATUS(STOA_EIO, stoa_store_flush(store, &err), &err);
    CHECK_U64(n_blobs(), 0);
    is_full = false;
    CHECK_OK(stoa_store_flush(store, &err), &err);
    CHECK_U64(n_blobs(), 1);
    stoa_store_close(store);
    nothing_is_left_over();
}

static void damage_to_a_long_chunk_is_told_of(void)
{
    stoa_store *store = open_bound(0);
    stoa_error err = STOA_ERROR_INIT;
    const uint64_t at = 0;
    uint64_t length = 0;
    uint8_t value[4];
    stoa_buffer data = {NULL, 0, 0};
    const stoa_heap_sink sink = {.lengths = &length, .bytes = &data};

    CHECK_OK(put(store, 0, 70000, &err), &err);
    CHECK_OK(stoa_store_flush(store, &err), &err);
    stoa_store_close(store);
    for (int k = 0; k < 3; k++) {
        blobs[0].bytes[5] ^= k == 0;
        blobs[0].n -= k == 1;
        chunks[0].bytes[chunks[0].n - 1] ^= k == 2; /* of the checksum */
        store = open_bound(0);
        CHECK(stoa_store_read(store, &at, 1, value, NULL, &sink, &err) ==
              (k == 1 ? STOA_EHDF5 : STOA_EDATA));
        stoa_store_close(store);
        blobs[0].bytes[5] ^= k == 0;
        blobs[0].n += k == 1;
        chunks[0].bytes[chunks[0].n - 1] ^= k == 2;
    }
    stoa_buffer_clear(&data);
    nothing_is_left_over();
}

static void where_nothing_can_lie_apart_a_long_chunk_is_refused(void)
{
    static const uint8_t chunk[8] = {0};
    const stoa_sparse_format format = {.is_sparse = true,
                                       .has_heap = true,
                                       .n_elements = 20,
                                       .element_size = 16,
                                       .n_slots = 1,
                                       .slot_size = 16};
    const stoa_chunk_io io = {.put_blob = NULL};
    stoa_buffer out = {NULL, 0, 0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ERANGE,
                 stoa_long_chunk_shorten(&format, &io, chunk, sizeof chunk, &out, &err));
    CHECK_CONTAINS(err.message, "8 bytes is too long for HDF5");
    stoa_buffer_clear(&out);
}

TEST_MAIN(TEST(values_of_any_length_are_there_when_the_file_is_opened_again),
          TEST(what_no_chunk_can_hold_is_refused_when_it_is_written),
          TEST(what_a_long_chunk_had_in_the_heap_is_given_back),
          TEST(damage_to_a_long_chunk_is_told_of),
          TEST(where_nothing_can_lie_apart_a_long_chunk_is_refused))
