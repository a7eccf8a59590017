/* Which chunks of a dataset are looked at before libhdf5 believes them:
 * src/hdf/chunk/chunk_checks.c. */
#include "hdf/chunk/chunk_checks.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/check.h"
#include "support/memory_file.h"

/* Bytes in chunks of `chunk`, of which `n` are written; deflated, or with a filter that nobody
 * knows. Closes nothing. */
static hid_t make(hid_t file, const char *name, int rank, hsize_t chunk, hsize_t n, int filter)
{
    const hsize_t extent[] = {n * chunk, 4};
    const hsize_t chunks[] = {chunk, 4};
    const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, rank, chunks));
    if (filter == H5Z_FILTER_DEFLATE) {
        CHECK_H5(H5Pset_deflate(dcpl, 1));
    } else if (filter != 0) {
        CHECK_H5(H5Pset_filter(dcpl, filter, H5Z_FLAG_OPTIONAL, 0, NULL));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, name, H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    return dataset;
}

static void put(hid_t dataset, hsize_t row, uint32_t mask, const void *bytes, size_t n)
{
    const hsize_t offset[] = {row, 0};

    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, mask, offset, n, bytes));
}

static size_t deflate_zeros(uint8_t *out, size_t room, size_t n)
{
    uint8_t *zeros = calloc(1, n);
    uLongf size = room;

    CHECK(zeros != NULL);
    CHECK_I64(compress2(out, &size, zeros, n, 1), Z_OK);
    free(zeros);
    return size;
}

/* Up to a MiB of them; of more, each one when it is read. */
static void packed_chunks_are_unpacked_as_long_as_that_is_little_work(void)
{
    static const struct {
        hsize_t chunk, most;
    } sizes[] = {{1023, 1024}, {524287, 2}, {524288, 1}, {1048575, 1}, {1048576, 0}};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (hsize_t n = sizes[i].most == 0 ? 1 : sizes[i].most; n <= sizes[i].most + 2; n++) {
            const hid_t file = memory_file("chunks.h5", false);
            const hid_t dataset = make(file, "d", 1, sizes[i].chunk, n, H5Z_FILTER_DEFLATE);
            uint8_t packed[16384];
            size_t size = deflate_zeros(packed, sizeof packed, (size_t)sizes[i].chunk);
            stoa_error err = STOA_ERROR_INIT;

            for (hsize_t k = 0; k < n; k++) {
                put(dataset, k * sizes[i].chunk, 0, packed, size);
            }
            CHECK_OK(stoa_chunks_check(dataset, &err), &err);
            size = deflate_zeros(packed, sizeof packed, (size_t)sizes[i].chunk - 1);
            put(dataset, (n - 1) * sizes[i].chunk, 0, packed, size);
            const stoa_status status = stoa_chunks_check(dataset, &err);
            CHECK_STATUS(n <= sizes[i].most ? STOA_EDATA : STOA_OK, status, &err);
            if (status != STOA_OK) {
                CHECK_CONTAINS(err.message, "a chunk is shorter than its rows");
            }
            CHECK_H5(H5Dclose(dataset));
            CHECK_H5(H5Fclose(file));
        }
    }
}

/* The first, the last, or one between. */
static void a_chunk_that_passed_no_filter_has_all_of_its_rows(void)
{
    for (int rank = 1; rank <= 2; rank++) {
        const size_t size = rank == 1 ? 10 : 40;
        for (hsize_t which = 0; which < 3; which++) {
            for (size_t n = size - 1; n <= size + 1; n++) {
                uint8_t bytes[64] = {0};
                const hid_t file = memory_file("chunks.h5", false);
                const hid_t dataset = make(file, "d", rank, 10, 3, 700);
                for (hsize_t i = 0; i < 3; i++) {
                    put(dataset, 10 * i, 1, bytes, i == which ? n : size);
                }
                CHECK_STATUS(n == size ? STOA_OK : STOA_EDATA, stoa_chunks_check(dataset, NULL));
                CHECK_H5(H5Dclose(dataset));
                /* What a filter made is its business. */
                const hid_t packed = make(file, "p", rank, 10, 3, 700);
                for (hsize_t i = 0; i < 3; i++) {
                    put(packed, 10 * i, i != which, bytes, i == which ? 1 : size);
                }
                CHECK_OK(stoa_chunks_check(packed, NULL));
                CHECK_H5(H5Dclose(packed));
                CHECK_H5(H5Fclose(file));
            }
        }
    }
}

static void chunks_outgrow_their_rows_where_one_is_larger(void)
{
    for (int rank = 1; rank <= 2; rank++) {
        const size_t size = rank == 1 ? 10 : 40;
        for (hsize_t which = 0; which < 3; which++) {
            for (size_t n = size; n <= size + 1; n++) {
                uint8_t bytes[64] = {0};
                bool outgrow = n == size;
                const hid_t file = memory_file("chunks.h5", false);
                const hid_t dataset = make(file, "d", rank, 10, 3, 700);
                for (hsize_t i = 0; i < 3; i++) {
                    put(dataset, 10 * i, 0, bytes, i == which ? n : 5);
                }
                CHECK_OK(stoa_chunks_outgrow(dataset, &outgrow, NULL));
                CHECK(outgrow == (n > size));
                CHECK_H5(H5Dclose(dataset));
                CHECK_H5(H5Fclose(file));
            }
        }
    }
}

static void datasets_in_one_piece_have_no_chunks(void)
{
    const hid_t file = memory_file("chunks.h5", false);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){10}, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    bool outgrow = true;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_chunks_check(dataset, NULL));
    CHECK_OK(stoa_chunks_outgrow(dataset, &outgrow, NULL));
    CHECK(!outgrow);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pset_external(dcpl, check_path("outside"), 0, 10));
    const hid_t outside =
        CHECK_H5(H5Dcreate2(file, "e", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_STATUS(STOA_EIO, stoa_chunks_check(outside, &err), &err);
    CHECK_CONTAINS(err.message, "its values lie in another file");
    CHECK_H5(H5Dclose(outside));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
}

/* Extents are claims: what is cut off is looked for chunk by chunk, stored or not. */
static void an_extent_far_beyond_what_is_stored_is_not_cut(void)
{
    static const struct {
        hsize_t old[2], next[2];
        bool is_cut;
    } cases[] = {
        {{(hsize_t)1 << 24, 4}, {0, 4}, true},
        {{((hsize_t)1 << 24) + 1, 4}, {0, 4}, false},
        {{((hsize_t)1 << 24) + 1, 4}, {1, 4}, true},
        {{(hsize_t)1 << 60, 4}, {10, 4}, false},
        {{10, 4}, {(hsize_t)1 << 60, 4}, true},
        {{(hsize_t)1 << 12, (hsize_t)1 << 15}, {0, (hsize_t)1 << 15}, false},
    };
    const hid_t file = memory_file("chunks.h5", false);
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hsize_t chunk[] = {1, 4};
    const hsize_t most[] = {H5S_UNLIMITED, H5S_UNLIMITED};

    CHECK_H5(H5Pset_chunk(dcpl, 2, chunk));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_error err = STOA_ERROR_INIT;
        hsize_t now[2] = {0, 0};
        char name[] = {'d', (char)('0' + i), '\0'};
        hid_t space = CHECK_H5(H5Screate_simple(2, cases[i].old, most));
        const hid_t dataset =
            CHECK_H5(H5Dcreate2(file, name, H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

        CHECK_H5(H5Sclose(space));
        if (cases[i].is_cut) {
            CHECK_OK(stoa_dataset_resize(dataset, cases[i].next, &err), &err);
        } else {
            CHECK_STATUS(STOA_EDATA, stoa_dataset_resize(dataset, cases[i].next, &err), &err);
            CHECK_CONTAINS(err.message, name);
            CHECK_CONTAINS(err.message, "is far beyond what it stores");
        }
        space = CHECK_H5(H5Dget_space(dataset));
        CHECK_H5(H5Sget_simple_extent_dims(space, now, NULL));
        CHECK_U64(now[0], cases[i].is_cut ? cases[i].next[0] : cases[i].old[0]);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(dataset));
    }
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(an_extent_far_beyond_what_is_stored_is_not_cut),
          TEST(packed_chunks_are_unpacked_as_long_as_that_is_little_work),
          TEST(a_chunk_that_passed_no_filter_has_all_of_its_rows),
          TEST(chunks_outgrow_their_rows_where_one_is_larger),
          TEST(datasets_in_one_piece_have_no_chunks))
