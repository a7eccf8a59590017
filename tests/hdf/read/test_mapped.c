/* src/hdf/read/direct.c: rows in a map of the file; when they are shown there, and what becomes of
 * a file that changes its size. That they are the right ones: prop_direct.c. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf/read/direct.h"
#include "support/check.h"

enum { N = 100000, CHUNK = 2000 };

static int32_t value(uint64_t i)
{
    return (int32_t)(i * 7919 % 1000003);
}

/* N rows: `raw` in one piece and again in chunks, `be` in the other byte order, `deflated`;
 * `masked`, whose chunks but the first are stored as they are; and `apart`, whose chunks were
 * written from the last one on. */
static void write_kinds(const char *name)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    int32_t *rows = malloc(N * sizeof *rows);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));
    const struct {
        const char *name;
        hid_t type;
        hid_t dcpl;
    } kinds[] = {{"raw", H5T_STD_I32LE, H5Pcreate(H5P_DATASET_CREATE)},
                 {"chunked", H5T_STD_I32LE, H5Pcreate(H5P_DATASET_CREATE)},
                 {"be", H5T_STD_I32BE, H5Pcreate(H5P_DATASET_CREATE)},
                 {"deflated", H5T_STD_I32LE, H5Pcreate(H5P_DATASET_CREATE)},
                 {"masked", H5T_STD_I32LE, H5Pcreate(H5P_DATASET_CREATE)},
                 {"apart", H5T_STD_I32LE, H5Pcreate(H5P_DATASET_CREATE)}};

    CHECK(rows != NULL);
    CHECK_H5(H5Pset_alignment(fapl, 1024, 64));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    for (uint64_t i = 0; i < N; i++) {
        rows[i] = value(i);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (kinds[k].name[0] == 'c' || k > 2) {
            CHECK_H5(H5Pset_chunk(kinds[k].dcpl, 1, &(hsize_t){CHUNK}));
        }
        if (k == 3 || k == 4) {
            CHECK_H5(H5Pset_shuffle(kinds[k].dcpl));
            CHECK_H5(H5Pset_deflate(kinds[k].dcpl, 1));
        }
        const hid_t dataset = CHECK_H5(H5Dcreate2(file, kinds[k].name, kinds[k].type, space,
                                                  H5P_DEFAULT, kinds[k].dcpl, H5P_DEFAULT));
        for (hsize_t i = N; k == 5 && i > 0; i -= CHUNK) {
            CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){i - CHUNK},
                                    CHUNK * sizeof *rows, rows + i - CHUNK));
        }
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
        for (hsize_t i = CHUNK; k == 4 && i < N; i += CHUNK) {
            CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 3, &i, CHUNK * sizeof *rows, rows + i));
        }
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Pclose(kinds[k].dcpl));
    }
    free(rows);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(fapl));
    CHECK_H5(H5Fclose(file));
}

/* A dataset that is read from a map. */
typedef struct mapped {
    stoa_read_context *read_context;
    stoa_direct *direct;
} mapped;

static mapped open_mapped(const char *name, const char *dataset_name)
{
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, dataset_name, H5P_DEFAULT));
    mapped m = {.direct = NULL};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_read_context_open(&m.read_context, &err), &err);
    stoa_read_context_map(m.read_context);
    CHECK_OK(stoa_direct_open(m.read_context, dataset, H5T_NATIVE_INT32, &m.direct, &err), &err);
    CHECK(m.direct != NULL);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    return m;
}

static void close_mapped(mapped *m)
{
    stoa_direct_close(m->direct);
    stoa_read_context_close(m->read_context);
}

/* Whether rows are shown; if so, they are right. */
static bool shows(const char *dataset, uint64_t first, uint64_t n)
{
    mapped m = open_mapped(check_path("t.h5"), dataset);
    const int32_t *rows = stoa_direct_mapped(m.direct, first, n);

    for (uint64_t i = 0; rows != NULL && i < n; i++) {
        CHECK_I64(rows[i], value(first + i));
    }
    close_mapped(&m);
    return rows != NULL;
}

static void rows_that_lie_as_they_are_wanted_are_shown_in_the_map(void)
{
    write_kinds(check_path("t.h5"));
    CHECK(shows("raw", 0, N - CHUNK));
    CHECK(shows("raw", 65535, 2000));
    CHECK(shows("chunked", 0, CHUNK));
    CHECK(shows("chunked", CHUNK + 7, 1100));
    CHECK(shows("masked", CHUNK, CHUNK));
    CHECK(!shows("masked", 0, CHUNK));
    CHECK(shows("chunked", 1, N - CHUNK)); /* of chunks that are neighbours; */
    CHECK(shows("apart", CHUNK, CHUNK));   /* and of some that are not */
    CHECK(!shows("apart", CHUNK + 1, CHUNK));
    CHECK(!shows("masked", CHUNK / 2, CHUNK));
    CHECK(!shows("raw", 5, 10)); /* few */
    CHECK(!shows("raw", 5, N));  /* more than there are */
    CHECK(!shows("be", 0, 2000));
    CHECK(!shows("deflated", 0, CHUNK));
}

/* By whom they were lent: by the dataset, the read context, or somebody else who holds the map. */
static void rows_that_are_lent_stay_when_everything_is_closed(void)
{
    stoa_file_map *map = NULL;

    write_kinds(check_path("t.h5"));
    mapped m = open_mapped(check_path("t.h5"), "chunked");
    const int32_t *const rows = stoa_direct_lend(m.direct, 5, 3 * CHUNK, &map);
    CHECK(rows != NULL && map != NULL);
    CHECK(stoa_file_map_hold(map) == map);
    close_mapped(&m);
    stoa_file_map_release(map);
    for (uint64_t i = 0; i < 3 * CHUNK; i++) {
        CHECK_I64(rows[i], value(5 + i));
    }
    stoa_file_map_release(map);
    m = open_mapped(check_path("t.h5"), "deflated");
    CHECK(stoa_direct_lend(m.direct, 0, CHUNK, &map) == NULL);
    CHECK(map == NULL);
    close_mapped(&m);
}

/* Before the shelf was told to map. */
static void a_file_that_was_met_before_is_mapped_too(void)
{
    write_kinds(check_path("t.h5"));
    const hid_t file = CHECK_H5(H5Fopen(check_path("t.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "raw", H5P_DEFAULT));
    mapped m = {.direct = NULL};

    CHECK_OK(stoa_read_context_open(&m.read_context, NULL), NULL);
    CHECK_OK(stoa_direct_open(m.read_context, dataset, H5T_NATIVE_INT32, &m.direct, NULL), NULL);
    stoa_read_context_map(m.read_context);
    const int32_t *const rows = stoa_direct_mapped(m.direct, 7, 2000);
    CHECK(rows != NULL);
    CHECK_I64(rows[0], value(7));
    close_mapped(&m);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void without_a_map_nothing_is_shown(void)
{
    write_kinds(check_path("t.h5"));
    const hid_t file = CHECK_H5(H5Fopen(check_path("t.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "raw", H5P_DEFAULT));
    stoa_read_context *read_context = NULL;
    stoa_direct *direct = NULL;

    CHECK_OK(stoa_read_context_open(&read_context, NULL), NULL);
    CHECK_OK(stoa_direct_open(read_context, dataset, H5T_NATIVE_INT32, &direct, NULL), NULL);
    CHECK(stoa_direct_mapped(direct, 0, 2000) == NULL);
    stoa_direct_close(direct);
    stoa_read_context_close(read_context);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

/* A first chunk of an odd size moves the others. */
static void rows_at_odd_addresses_are_read(void)
{
    const char *name = check_path("t.h5");
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    stoa_scratch scratch = {.blocks = {NULL}};
    int32_t rows[CHUNK];

    CHECK_H5(H5Pset_alignment(fapl, 1, 1));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    CHECK_H5(H5Pset_meta_block_size(fapl, 0));
    CHECK_H5(H5Pset_small_data_block_size(fapl, 0));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){4 * CHUNK}, NULL));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){CHUNK}));
    CHECK_H5(H5Pset_fletcher32(dcpl));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    int32_t chunk[CHUNK];
    for (hsize_t i = 0; i < 3; i++) { /* the first one is damaged, of an odd size */
        for (uint64_t k = 0; k < CHUNK; k++) {
            chunk[k] = value(i * CHUNK + k);
        }
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, i == 0 ? 0 : 1, &(hsize_t){i * CHUNK},
                                i == 0 ? 4321 : sizeof chunk, chunk));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    mapped m = open_mapped(name, "d");
    CHECK(stoa_direct_mapped(m.direct, CHUNK, CHUNK) == NULL);
    CHECK_OK(stoa_direct_read(m.direct, 2 * CHUNK, CHUNK, &scratch, rows, NULL), NULL);
    for (uint64_t k = 0; k < CHUNK; k++) {
        CHECK_I64(rows[k], value(2 * CHUNK + k));
    }
    close_mapped(&m);
    stoa_scratch_clear(&scratch);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Pclose(fapl));
}

/* Cut off while it is mapped: an error, no signal; what is added to it changes nothing. */
static void a_mapped_file_that_becomes_shorter_is_noticed(void)
{
    const char *name = check_path("t.h5");
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const void *elements = NULL;
    struct stat about;
    int32_t *rows = malloc(N * sizeof *rows);

    CHECK(rows != NULL);
    write_kinds(name);
    mapped m = open_mapped(name, "raw");
    CHECK(stat(name, &about) == 0);
    CHECK(truncate(name, about.st_size + 100000) == 0);
    CHECK(stoa_direct_mapped(m.direct, 1000, 2000) != NULL);
    CHECK_OK(stoa_direct_read(m.direct, 0, N, &scratch, rows, &err), &err);
    CHECK_I64(rows[N - 1], value(N - 1));
    CHECK(truncate(name, 5000) == 0);
    CHECK(stoa_direct_mapped(m.direct, 1000, 2000) == NULL);
    CHECK_STATUS(STOA_EIO, stoa_direct_read(m.direct, 1000, 2000, &scratch, rows, &err));
    CHECK_CONTAINS(err.message, "cut off while it was read");
    CHECK_STATUS(STOA_EIO, stoa_direct_chunk(m.direct, 0, &scratch, &elements, &err));
    close_mapped(&m);
    stoa_scratch_clear(&scratch);
    free(rows);
}

TEST_MAIN(TEST(rows_that_lie_as_they_are_wanted_are_shown_in_the_map),
          TEST(rows_that_are_lent_stay_when_everything_is_closed),
          TEST(a_file_that_was_met_before_is_mapped_too), TEST(without_a_map_nothing_is_shown),
          TEST(rows_at_odd_addresses_are_read), TEST(a_mapped_file_that_becomes_shorter_is_noticed))
