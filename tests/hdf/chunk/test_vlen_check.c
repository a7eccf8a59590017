/* Lists that say to be longer than their file, for src/hdf/chunk/vlen_check.c. */
#include "hdf/chunk/vlen_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/read/checked_reader.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/raw_chunk.h"
#include "support/sweep.h"

enum { ROWS = 10, CHUNK = 4, STORED = 16 };

/* Chunks of rows of a type, none of them written, and room for 64 KiB in the file. */
static hid_t make_dataset_in(const char *name, hid_t type, unsigned deflate)
{
    const hid_t file = memory_file(name, false);
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

static hid_t make_dataset(hid_t type, unsigned deflate)
{
    return make_dataset_in("lengths.h5", type, deflate);
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

static stoa_status check(hid_t dataset, uint64_t first, uint64_t count, stoa_error *err)
{
    stoa_vlen_check *lengths = NULL;
    stoa_status status = stoa_vlen_check_open(dataset, &lengths, err);

    status = status == STOA_OK ? stoa_vlen_check_rows(lengths, first, count, err) : status;
    stoa_vlen_check_close(lengths);
    return status;
}

static void lists_longer_than_the_file_are_told_of(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));
    const hid_t dataset = make_dataset(type, 0);

    say(dataset, 0);
    const uint32_t most = file_size(dataset) / 4;
    say(dataset, most);
    CHECK_OK(check(dataset, 0, ROWS, &err), &err);
    say(dataset, most + 1);
    CHECK_STATUS(STOA_EDATA, check(dataset, 0, ROWS, &err));
    CHECK_CONTAINS(err.message, "row 6 is damaged");
    CHECK_STATUS(STOA_EDATA, check(dataset, 6, 1, &err));
    CHECK_OK(check(dataset, 0, 6, &err), &err);
    CHECK_OK(check(dataset, 7, 3, &err), &err);
    CHECK_OK(check(dataset, 6, 0, &err), &err);
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
    CHECK_OK(check(dataset, 0, ROWS, &err), &err);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
}

/* The second chunk as deflate packs it, of lists that are all of a length. */
static void say_packed(hid_t dataset, uint32_t length)
{
    const hid_t pair = CHECK_H5(H5Tcreate(H5T_OPAQUE, STORED));
    const hid_t twin = make_dataset_in("twin.h5", pair, 4);
    uint8_t rows[ROWS * STORED] = {0};
    uint8_t packed[ROWS * STORED];
    hsize_t n = 0;
    uint32_t mask = 0;

    for (size_t i = 0; i < sizeof rows; i++) {
        rows[i] = i % STORED < 4 ? (uint8_t)(length >> 8 * (i % STORED)) : 0;
    }
    CHECK_H5(H5Dwrite(twin, pair, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Dflush(twin));
    n = raw_chunk(twin, &(hsize_t){CHUNK}, packed, sizeof packed, &mask);
    CHECK(n < CHUNK * STORED);
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, mask, &(hsize_t){CHUNK}, (size_t)n, packed));
    CHECK_H5(H5Dclose(twin));
    CHECK_H5(H5Tclose(pair));
}

static void lengths_in_packed_chunks_are_told_of(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));
    const hid_t dataset = make_dataset(type, 4);

    say_packed(dataset, 0);
    CHECK_OK(check(dataset, 0, ROWS, &err), &err);
    say_packed(dataset, UINT32_MAX);
    CHECK_STATUS(STOA_EDATA, check(dataset, 0, ROWS, &err));
    CHECK_CONTAINS(err.message, "row 4 is damaged");
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
}

/* In the file a list takes up as much as in memory, a text twice of that: what is behind it lies
 * further on. */
static void lists_in_compounds_and_arrays_are_told_of(void)
{
    enum { AT = 4 + 2 * STORED, SIZE = AT + STORED + 1 };
    stoa_error err = STOA_ERROR_INIT;
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    const hid_t pair = CHECK_H5(H5Tarray_create2(text, 1, &(hsize_t){2}));
    const hid_t list = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));
    const size_t list_at = 4 + H5Tget_size(pair);
    const hid_t row = CHECK_H5(H5Tcreate(H5T_COMPOUND, list_at + H5Tget_size(list) + 1));
    CHECK_H5(H5Tinsert(row, "number", 0, H5T_NATIVE_INT32));
    CHECK_H5(H5Tinsert(row, "texts", 4, pair));
    CHECK_H5(H5Tinsert(row, "list", list_at, list));
    CHECK_H5(H5Tinsert(row, "end", list_at + H5Tget_size(list), H5T_NATIVE_INT8));
    const hid_t dataset = make_dataset(row, 0);

    for (size_t place = 0; place < SIZE; place += place == 0 ? 4 : STORED) {
        uint8_t chunk[CHUNK * SIZE] = {0};
        const bool is_length = place >= 4 && place <= AT;
        memset(chunk + SIZE + place, 0x7f, place + 4 < SIZE ? 4 : 1);
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){0}, sizeof chunk, chunk));
        CHECK_STATUS(is_length ? STOA_EDATA : STOA_OK, check(dataset, 0, CHUNK, &err));
        err = (stoa_error)STOA_ERROR_INIT;
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Tclose(row));
    CHECK_H5(H5Tclose(list));
    CHECK_H5(H5Tclose(pair));
    CHECK_H5(H5Tclose(text));
}

static void texts_are_lists_of_bytes_and_numbers_are_none(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    hid_t dataset = make_dataset(text, 0);
    say(dataset, 0);
    say(dataset, file_size(dataset));
    CHECK_OK(check(dataset, 0, ROWS, &err), &err);
    say(dataset, UINT32_MAX);
    CHECK_STATUS(STOA_EDATA, check(dataset, 0, ROWS, &err));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Tclose(text));
    dataset = make_dataset(H5T_NATIVE_INT32, 0);
    CHECK_OK(check(dataset, 0, ROWS, &err), &err);
    CHECK_H5(H5Dclose(dataset));
}

/* Rows and columns of lists of int32, without chunks or in chunks of 2 x 2; the file is closed. */
static const char *make_grid(const char *name, bool is_chunked)
{
    const hsize_t shape[2] = {3, 5};
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));
    const hid_t space = CHECK_H5(H5Screate_simple(2, shape, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    int32_t items[] = {1, 2, 3};
    hvl_t cells[15];

    for (size_t i = 0; i < 15; i++) {
        cells[i] = (hvl_t){1 + i % 3, items};
    }
    if (is_chunked) {
        CHECK_H5(H5Pset_chunk(dcpl, 2, (const hsize_t[]){2, 2}));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
    return check_path(name);
}

/* Where the cell in row 1, column 3 lies. */
static uint64_t place_of_cell(hid_t dataset, bool is_chunked)
{
    unsigned mask = 0;
    haddr_t address = 0;
    hsize_t size = 0;

    if (!is_chunked) {
        return H5Dget_offset(dataset) + 8 * STORED;
    }
    CHECK_H5(H5Dget_chunk_info_by_coord(dataset, (const hsize_t[]){0, 2}, &mask, &address, &size));
    return address + 3 * STORED;
}

static void patch(const char *name, uint64_t at, uint32_t length)
{
    FILE *const file = fopen(name, "r+b");

    CHECK(file != NULL && fseek(file, (long)at, SEEK_SET) == 0);
    CHECK(fwrite(&length, sizeof length, 1, file) == 1 && fclose(file) == 0);
}

static stoa_status look(const char *name, bool is_chunked, const hsize_t *start,
                        const hsize_t *count, uint64_t *at, stoa_error *err)
{
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    stoa_checked_reader packed = STOA_CHECKED_READER_INIT;
    stoa_status status = stoa_checked_reader_open_checked(&packed, dataset, err);

    status = status == STOA_OK ? stoa_checked_reader_check(&packed, start, count, err) : status;
    stoa_checked_reader_close(&packed);

    *at = place_of_cell(dataset, is_chunked);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    return status;
}

static void cells_of_several_dimensions_are_told_of_in_chunks_and_without(void)
{
    const hsize_t origin[] = {0, 0};
    const hsize_t all[] = {3, 5};
    const hsize_t corner[] = {1, 2};
    const hsize_t none[] = {3, 0};
    const hsize_t last[] = {2, 4};
    const hsize_t one[] = {1, 1};

    for (int is_chunked = 0; is_chunked < 2; is_chunked++) {
        stoa_error err = STOA_ERROR_INIT;
        const char *const name = make_grid(is_chunked ? "chunks.h5" : "grid.h5", is_chunked != 0);
        uint64_t at = 0;
        CHECK_OK(look(name, is_chunked, origin, all, &at, &err), &err);
        patch(name, at, 4000000);
        CHECK_STATUS(STOA_EDATA, look(name, is_chunked, origin, all, &at, &err));
        CHECK_CONTAINS(err.message, "4000000 items are more than the file has");
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_OK(look(name, is_chunked, origin, none, &at, &err), &err);
        if (is_chunked) { /* others are not looked at */
            CHECK_OK(look(name, is_chunked, origin, corner, &at, &err), &err);
            CHECK_OK(look(name, is_chunked, last, one, &at, &err), &err);
        }
    }
}

static hid_t swept;

static stoa_status check_all(stoa_error *err)
{
    return check(swept, 0, ROWS, err);
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
          TEST(lengths_in_packed_chunks_are_told_of),
          TEST(lists_in_compounds_and_arrays_are_told_of),
          TEST(texts_are_lists_of_bytes_and_numbers_are_none),
          TEST(cells_of_several_dimensions_are_told_of_in_chunks_and_without),
          TEST(memory_may_run_out))
