/* Lists that say to be longer than their file, for src/hdf/lengths.c. */
#include "hdf/lengths.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

enum { ROWS = 10, CHUNK = 4, STORED = 16 };

static hid_t make_file(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 14, false));
    const hid_t file = CHECK_H5(H5Fcreate("lengths.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

/* Chunks of rows of a type, none of them written, and room for 64 KiB in the file. */
static hid_t make_dataset(hid_t type, unsigned deflate)
{
    const hid_t file = make_file();
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ROWS}, NULL));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){CHUNK}));
    if (deflate > 0) {
        CHECK_H5(H5Pset_deflate(dcpl, deflate));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file)); /* the dataset keeps it */
    return dataset;
}

/* The second chunk: lists of no items, but for its third row, row 6 of all. */
static void say(hid_t dataset, uint32_t length)
{
    uint8_t chunk[CHUNK * STORED] = {0};

    for (unsigned i = 0; i < 4; i++) {
        chunk[2 * STORED + i] = (uint8_t)(length >> 8 * i);
    }
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 1, &(hsize_t){CHUNK}, sizeof chunk, chunk));
}

static uint32_t file_size(hid_t dataset)
{
    hsize_t size = 0;
    const hid_t file = CHECK_H5(H5Iget_file_id(dataset));

    CHECK_H5(H5Fget_filesize(file, &size));
    CHECK_H5(H5Fclose(file));
    return (uint32_t)size;
}

static void lists_longer_than_the_file_are_told_of(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));
    const hid_t dataset = make_dataset(type, 0);

    say(dataset, 0);
    const uint32_t most = file_size(dataset) / 4;
    say(dataset, most);
    CHECK_OK(stoa_lengths_check(dataset, 0, ROWS, &err), &err);
    say(dataset, most + 1);
    CHECK_STATUS(STOA_EDATA, stoa_lengths_check(dataset, 0, ROWS, &err));
    CHECK_CONTAINS(err.message, "row 6 is damaged");
    CHECK_STATUS(STOA_EDATA, stoa_lengths_check(dataset, 6, 1, &err));
    CHECK_OK(stoa_lengths_check(dataset, 0, 6, &err), &err);
    CHECK_OK(stoa_lengths_check(dataset, 7, 3, &err), &err);
    CHECK_OK(stoa_lengths_check(dataset, 6, 0, &err), &err);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
}

/* Lengths are those of the unpacked chunk, not what lies packed in the file. */
static void chunks_are_unpacked(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));
    const hid_t dataset = make_dataset(type, 4);
    int32_t items[] = {1, 2, 3};
    hvl_t rows[ROWS];

    for (int i = 0; i < ROWS; i++) {
        rows[i] = (hvl_t){3, items};
    }
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_OK(stoa_lengths_check(dataset, 0, ROWS, &err), &err);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
}

static void texts_are_lists_of_bytes_and_numbers_are_none(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    hid_t dataset = make_dataset(text, 0);
    say(dataset, 0);
    say(dataset, file_size(dataset));
    CHECK_OK(stoa_lengths_check(dataset, 0, ROWS, &err), &err);
    say(dataset, UINT32_MAX);
    CHECK_STATUS(STOA_EDATA, stoa_lengths_check(dataset, 0, ROWS, &err));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Tclose(text));
    dataset = make_dataset(H5T_NATIVE_INT32, 0);
    CHECK_OK(stoa_lengths_check(dataset, 0, ROWS, &err), &err);
    CHECK_H5(H5Dclose(dataset));
}

static hid_t swept;

static stoa_status check_all(stoa_error *err)
{
    return stoa_lengths_check(swept, 0, ROWS, err);
}

static void memory_may_run_out(void)
{
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));

    swept = make_dataset(type, 0);
    say(swept, 0);
    CHECK(sweep_memory(check_all) > 1);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(swept));
}

TEST_MAIN(TEST(lists_longer_than_the_file_are_told_of), TEST(chunks_are_unpacked),
          TEST(texts_are_lists_of_bytes_and_numbers_are_none), TEST(memory_may_run_out))
