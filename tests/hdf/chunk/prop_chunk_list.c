/* Chunks under every index that libhdf5 keeps, over random shapes that may grow in any dimension,
 * are listed where they are; for src/hdf/chunk/chunk_list.c. */
#include "hdf/chunk/chunk_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/memory_file.h"

enum { MAX_RANK = 4, MAX_CHUNKS = 4 * 4 * 4 * 4, ELEMENTS = 16, MAX_BYTES = 256, N_INDEXES = 6 };

typedef struct grid {
    int rank;
    hsize_t extent[MAX_RANK];
    hsize_t most[MAX_RANK];
    hsize_t chunk[MAX_RANK];
    hsize_t n_chunks[MAX_RANK];
    uint64_t n; /* chunks inside of the extent */
    bool is_stored[MAX_CHUNKS];
    hsize_t n_bytes[MAX_CHUNKS]; /* as listed, and where */
    haddr_t address[MAX_CHUNKS];
    hid_t dataset;
    const char *path;
} grid;

static bool maybe(uint64_t one_in)
{
    return check_random_below(one_in) == 0;
}

static void any_shape(grid *g)
{
    const bool is_fixed = maybe(4);

    g->rank = 1 + (int)check_random_below(MAX_RANK);
    g->n = 1;
    for (int i = 0; i < g->rank; i++) {
        g->chunk[i] = 1 + check_random_below(2);
        g->extent[i] = g->chunk[i] + check_random_below(3 * g->chunk[i] + 1);
        g->most[i] = is_fixed || maybe(3) ? g->extent[i]
                     : maybe(2)           ? H5S_UNLIMITED
                                          : g->extent[i] + check_random_below(9);
        g->n_chunks[i] = (g->extent[i] - 1) / g->chunk[i] + 1;
        g->n *= g->n_chunks[i];
    }
}

static hid_t any_file(const char *path)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_libver_bounds(fapl, maybe(3) ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V110,
                                  H5F_LIBVER_LATEST));
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

static void any_dataset(grid *g, hid_t file, unsigned *seen)
{
    const hid_t space = CHECK_H5(H5Screate_simple(g->rank, g->extent, g->most));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;

    CHECK_H5(H5Pset_chunk(dcpl, g->rank, g->chunk));
    if (maybe(3)) {
        CHECK_H5(H5Pset_deflate(dcpl, 1));
    } else if (maybe(3)) {
        CHECK_H5(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
        memset(g->is_stored, true, sizeof g->is_stored);
    }
    g->dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_U32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dget_chunk_index_type(g->dataset, &index));
    *seen |= 1U << index;
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

static void offset_of(const grid *g, uint64_t number, hsize_t *offset)
{
    for (int i = g->rank; i-- > 0;) {
        offset[i] = number % g->n_chunks[i] * g->chunk[i];
        number /= g->n_chunks[i];
    }
}

/* Elements of a chunk, as many as lie inside of the extent, are its number. */
static void write_chunk(grid *g, uint64_t number)
{
    uint32_t values[ELEMENTS];
    hsize_t offset[MAX_RANK];
    hsize_t count[MAX_RANK];

    for (size_t i = 0; i < ELEMENTS; i++) {
        values[i] = (uint32_t)number + 1;
    }
    offset_of(g, number, offset);
    for (int i = 0; i < g->rank; i++) {
        const hsize_t left = g->extent[i] - offset[i];
        count[i] = left < g->chunk[i] ? left : g->chunk[i];
    }
    const hid_t space = CHECK_H5(H5Dget_space(g->dataset));
    const hid_t memory = CHECK_H5(H5Screate_simple(g->rank, count, NULL));
    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, NULL, count, NULL));
    CHECK_H5(H5Dwrite(g->dataset, H5T_NATIVE_UINT32, memory, space, H5P_DEFAULT, values));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    g->is_stored[number] = true;
}

static int see_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n_bytes,
                     void *context)
{
    grid *g = context;
    uint64_t number = 0;

    (void)mask;
    for (int i = 0; i < g->rank; i++) {
        CHECK_U64(offset[i] % g->chunk[i], 0);
        CHECK(offset[i] < g->extent[i]);
        number = number * g->n_chunks[i] + offset[i] / g->chunk[i];
    }
    CHECK_U64(g->n_bytes[number], 0);
    g->n_bytes[number] = n_bytes;
    g->address[number] = address;
    return H5_ITER_CONT;
}

/* What lies at the address is what libhdf5 finds by the coordinates. */
static void check_chunk(const grid *g, uint64_t number)
{
    uint8_t listed[MAX_BYTES];
    uint8_t found[MAX_BYTES];
    hsize_t offset[MAX_RANK];
    hsize_t n_bytes = 1;
    uint32_t mask = 0;
    stoa_error err = STOA_ERROR_INIT;

    offset_of(g, number, offset);
    CHECK_OK(stoa_chunk_stored_bytes(g->dataset, offset, &n_bytes, &err), &err);
    CHECK_U64(n_bytes, g->n_bytes[number]);
    CHECK((n_bytes > 0) == g->is_stored[number]);
    if (n_bytes > 0) {
        CHECK(n_bytes <= sizeof listed);
        FILE *file = fopen(g->path, "rb");
        CHECK(file != NULL && fseek(file, (long)g->address[number], SEEK_SET) == 0);
        CHECK_U64(fread(listed, 1, (size_t)n_bytes, file), n_bytes);
        (void)fclose(file);
        CHECK_H5(stoa_raw_chunk_read(g->dataset, offset, (size_t)n_bytes, found, &mask));
        CHECK_MEM(listed, found, (size_t)n_bytes);
    }
}

static void chunks_are_listed_where_they_are(void)
{
    const unsigned every = (1U << N_INDEXES) - 1; /* index of libhdf5's */
    unsigned seen = 0;

    for (uint64_t c = check_n_cases(400); c > 0 || seen != every; c -= c > 0) {
        static grid g;
        stoa_error err = STOA_ERROR_INIT;

        memset(&g, 0, sizeof g);
        g.path = check_path("chunks.h5");
        any_shape(&g);
        const hid_t file = any_file(g.path);
        any_dataset(&g, file, &seen);
        const uint64_t one_in = 1 + check_random_below(8);
        for (uint64_t i = 0; i < g.n; i++) {
            if (maybe(one_in)) {
                write_chunk(&g, i);
            }
        }
        if (maybe(2)) { /* else some are in libhdf5's cache alone */
            CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
        } else if (g.n > 0) {
            hsize_t offset[MAX_RANK];
            hsize_t n_bytes = 0;
            const uint64_t number = check_random_below(g.n);
            offset_of(&g, number, offset);
            CHECK_OK(stoa_chunk_stored_bytes(g.dataset, offset, &n_bytes, &err), &err);
            CHECK((n_bytes > 0) == g.is_stored[number]);
        }
        CHECK_OK(stoa_chunks_list(g.dataset, see_chunk, &g, &err), &err);
        CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
        for (uint64_t i = 0; i < g.n; i++) {
            check_chunk(&g, i);
        }
        CHECK_H5(H5Dclose(g.dataset));
        CHECK_H5(H5Fclose(file));
    }
}

/* No chunk can be there, and a damaged file may say that one is. */
static void a_dimension_without_room_turns_nothing(void)
{
    const hsize_t unlimited = H5S_UNLIMITED;
    stoa_error err = STOA_ERROR_INIT;
    stoa_chunk_turn turn = {.visit = NULL};

    for (hsize_t most = 0; most < 3; most++) {
        const hid_t space =
            CHECK_H5(H5Screate_simple(2, (hsize_t[]){0, 0}, (const hsize_t[]){most, unlimited}));
        const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        CHECK_H5(H5Pset_chunk(dcpl, 2, (const hsize_t[]){1, 1}));
        turn.unlimited = -1;
        CHECK_OK(stoa_chunk_turn_find(space, dcpl, H5D_CHUNK_IDX_EARRAY, &turn, &err), &err);
        CHECK(turn.unlimited == 0 || (turn.unlimited == 1 && most > 0));
        CHECK(turn.unlimited == 0 || turn.n_chunks[0] == most);
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Sclose(space));
    }
}

/* A list of all would write what libhdf5's cache alone has: too dear for one that is not there. */
static void that_a_chunk_is_absent_is_told_without_a_list(void)
{
    enum { BYTES = 1 << 16 };
    static uint8_t bytes[BYTES];
    const hid_t file = memory_file("absent.h5", false);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){2 * BYTES}, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    hsize_t before = 0;
    hsize_t after = 0;
    hsize_t n_bytes = 1;
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < BYTES; i++) {
        bytes[i] = (uint8_t)check_random();
    }
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){BYTES}));
    CHECK_H5(H5Pset_deflate(dcpl, 1)); /* its place is looked for when it has been packed */
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){0}, NULL, &(hsize_t){BYTES}, NULL));
    const hid_t memory = CHECK_H5(H5Screate_simple(1, &(hsize_t){BYTES}, NULL));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, bytes));
    CHECK_H5(H5Fget_filesize(file, &before));
    CHECK_OK(stoa_chunk_stored_bytes(dataset, &(hsize_t){BYTES}, &n_bytes, &err), &err);
    CHECK_U64(n_bytes, 0);
    CHECK_H5(H5Fget_filesize(file, &after));
    CHECK_U64(after, before);
    CHECK_OK(stoa_chunk_stored_bytes(dataset, &(hsize_t){0}, &n_bytes, &err), &err);
    CHECK(n_bytes >= BYTES);
    CHECK_H5(H5Fget_filesize(file, &after));
    CHECK(after >= before + BYTES);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(chunks_are_listed_where_they_are), TEST(a_dimension_without_room_turns_nothing),
          TEST(that_a_chunk_is_absent_is_told_without_a_list))
