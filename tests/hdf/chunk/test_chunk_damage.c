/* Chunks that libhdf5 reads while it writes, looked at before (src/hdf/chunk/chunk_writer.h); and
 * chunks that are no part of their dataset, which are not copied (src/hdf/copy/clone_chunks.c). */
#include "hdf/chunk/chunk_writer.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/unpack.h"
#include "hdf/copy/clone.h"
#include "support/check.h"
#include "support/damage.h"

enum { CHUNK = 16, N_CHUNKS = 4 };

/* Integers in chunks, of which none is written; n-bit is not one of src/codec. */
static hid_t make(hid_t file)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space =
        CHECK_H5(H5Screate_simple(1, &(hsize_t){CHUNK * N_CHUNKS}, &(hsize_t){H5S_UNLIMITED}));

    CHECK_H5(H5Pset_chunk(plist, 1, &(hsize_t){CHUNK}));
    CHECK_H5(H5Pset_nbit(plist));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(plist));
    return dataset;
}

static void a_chunk_that_is_too_short_is_not_written_in_part(void)
{
    const hid_t file = damage_new_file();
    const hid_t dataset = make(file);
    const int32_t rows[CHUNK * N_CHUNKS] = {0};
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;

    for (hsize_t row = CHUNK; row <= 2 * CHUNK; row += CHUNK) { /* a byte of them is missing */
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 1, &row, CHUNK * 4 - 1, rows));
    }
    CHECK_OK(stoa_chunk_writer_open(&writer, dataset, H5T_NATIVE_INT32, NULL));
    CHECK_I64(stoa_chunk_writer_write(&writer, CHUNK + 1, CHUNK - 1, rows, NULL), STOA_EDATA);
    CHECK_I64(stoa_chunk_writer_write(&writer, CHUNK, 1, rows, NULL), STOA_EDATA);
    CHECK_I64(stoa_chunk_writer_write(&writer, 3, 2 * CHUNK, rows, NULL), STOA_EDATA);
    CHECK_I64(stoa_chunk_writer_resize(&writer, 2 * CHUNK + 1, NULL), STOA_EDATA);
    CHECK_OK(stoa_chunk_writer_write(&writer, 3, 2, rows, NULL)); /* not there yet */
    CHECK_OK(stoa_chunk_writer_write(&writer, CHUNK, CHUNK, rows, NULL));
    CHECK_OK(stoa_chunk_writer_write(&writer, CHUNK, 1, rows, NULL));
    CHECK_OK(stoa_chunk_writer_resize(&writer, 2 * CHUNK, NULL));
    CHECK_OK(stoa_chunk_writer_resize(&writer, 2 * CHUNK - 1, NULL));
    CHECK_OK(stoa_chunk_writer_resize(&writer, 2 * CHUNK + 3, NULL));
    stoa_chunk_writer_close(&writer);
    CHECK_H5(H5Dclose(dataset));
    damage_close(file);
}

/* Whether a filter with these parameters is for chunks of 64 bytes, behind another one if there is
 * one. */
static bool fits(H5Z_filter_t first, H5Z_filter_t filter, const unsigned parameters[20])
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    if (first != H5Z_FILTER_NONE) {
        CHECK_H5(H5Pset_filter(plist, first, H5Z_FLAG_OPTIONAL, 1, &(unsigned){4}));
    }
    CHECK_H5(H5Pset_filter(plist, filter, H5Z_FLAG_OPTIONAL, 20, parameters));
    const bool does = stoa_filters_fit(plist, 64);
    CHECK_H5(H5Pclose(plist));
    return does;
}

static void filters_are_for_chunks_of_their_size(void)
{
    static const struct {
        H5Z_filter_t filter;
        bool fits;
        unsigned parameters[20];
    } cases[] = {{H5Z_FILTER_NBIT, true, {8, 0, 16, 1, 4, 0, 32, 0}},
                 {H5Z_FILTER_NBIT, false, {8, 0, 17, 1, 4, 0, 32, 0}},
                 {H5Z_FILTER_NBIT, false, {8, 0, 16, 1, 3, 0, 24, 0}},
                 {H5Z_FILTER_NBIT, true, {8, 1, 17, 1, 4, 0, 32, 0}}, /* it does nothing */
                 {H5Z_FILTER_SCALEOFFSET, true, {2, 0, 16, 0, 4}},
                 {H5Z_FILTER_SCALEOFFSET, false, {2, 0, 15, 0, 4}},
                 {H5Z_FILTER_SCALEOFFSET, false, {2, 0, 52683520, 0, 1}},
                 {H5Z_FILTER_SCALEOFFSET, true, {2, 32, 15, 0, 4}}, /* keeps all bits */
                 {H5Z_FILTER_SCALEOFFSET, false, {0, 32, 15, 1, 4}}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned *const p = cases[i].parameters;
        CHECK(fits(H5Z_FILTER_NONE, cases[i].filter, p) == cases[i].fits);
        CHECK(fits(H5Z_FILTER_SHUFFLE, cases[i].filter, p) == cases[i].fits);
    }
    CHECK(!fits(H5Z_FILTER_DEFLATE, H5Z_FILTER_NBIT, cases[0].parameters));
    CHECK(fits(H5Z_FILTER_DEFLATE, H5Z_FILTER_NBIT, cases[3].parameters));
}

/* libhdf5 writes to a dataset without chunks, too. */
static void a_dataset_without_chunks_is_written_to(void)
{
    const hid_t file = damage_new_file();
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){3}, NULL));
    const hid_t dataset = CHECK_H5(
        H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;
    int32_t rows[3] = {4, 5, 6};

    CHECK_OK(stoa_chunk_writer_open(&writer, dataset, H5T_NATIVE_INT32, NULL));
    CHECK_OK(stoa_chunk_writer_write(&writer, 1, 2, rows, NULL));
    stoa_chunk_writer_close(&writer);
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK(rows[0] == 0 && rows[1] == 4 && rows[2] == 5);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    damage_close(file);
}

/* The extent is in the file twice: what it is, and what it may become. */
static void a_chunk_outside_of_the_extent_is_not_copied(void)
{
    static const uint8_t large[CHUNK * 4 + 8] = {1, 2, 3}; /* a filter made it larger */
    const uint8_t extents[16] = {2 * CHUNK, [8] = 2 * CHUNK};
    hid_t file = damage_new_file();
    hid_t from = CHECK_H5(H5Gcreate2(file, "from", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){2 * CHUNK}, NULL));
    stoa_error err = STOA_ERROR_INIT;
    uint8_t *bytes = NULL;

    CHECK_H5(H5Pset_chunk(plist, 1, &(hsize_t){CHUNK}));
    CHECK_H5(H5Pset_fletcher32(plist));
    hid_t dataset =
        CHECK_H5(H5Dcreate2(from, "d", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    for (hsize_t row = 0; row < 2 * CHUNK; row += CHUNK) {
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &row, sizeof large, large));
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(plist));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Gclose(from));
    const size_t n = damage_take_image(file, &bytes);
    uint8_t *const at = memmem(bytes, n, extents, sizeof extents);
    CHECK(at != NULL);
    at[0] = at[8] = CHUNK;
    file = damage_open(bytes, n, H5F_ACC_RDWR);
    from = CHECK_H5(H5Gopen2(file, "from", H5P_DEFAULT));
    const hid_t to = CHECK_H5(H5Gcreate2(file, "to", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_OK(stoa_clone_group(from, to, NULL, NULL, 0, &err), &err);
    dataset = CHECK_H5(H5Dopen2(to, "d", H5P_DEFAULT));
    CHECK_U64(H5Dget_storage_size(dataset), sizeof large);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Gclose(to));
    CHECK_H5(H5Gclose(from));
    damage_close(file);
    free(bytes);
}

TEST_MAIN(TEST(a_chunk_that_is_too_short_is_not_written_in_part),
          TEST(a_chunk_outside_of_the_extent_is_not_copied),
          TEST(filters_are_for_chunks_of_their_size), TEST(a_dataset_without_chunks_is_written_to))
