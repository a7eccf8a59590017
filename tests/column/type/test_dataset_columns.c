/* Datasets of other layouts as columns: which ones are read past libhdf5, and that they are read as
 * libhdf5 reads them. The files are made by plain libhdf5 calls. */
#include <hdf5.h>
#include <string.h>

#include "column/read/foreign.h"
#include "column/read/reader.h"
#include "support/check.h"

enum { N = 10, CHUNK = 4 };

static const int32_t values[N] = {5, -1, 70000, 0, 8, 9, -70000, 3, 2, 1};
static const uint8_t masked[N] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 7};

static void put(hid_t file, const char *name, hid_t type, hid_t mem_type, int rank,
                const hsize_t *extent, const void *elements)
{
    const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hsize_t chunk[] = {CHUNK, 1};

    CHECK_H5(H5Pset_chunk(dcpl, rank, chunk));
    CHECK_H5(H5Pset_shuffle(dcpl));
    CHECK_H5(H5Pset_deflate(dcpl, 4));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, mem_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

/* Opened to be read, as the chunks' way asks. */
static hid_t file_of_others(void)
{
    const hsize_t line[] = {N};
    const hsize_t square[] = {N / 2, 2};
    hid_t file =
        CHECK_H5(H5Fcreate(check_path("others.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    put(file, "line", H5T_STD_I32BE, H5T_NATIVE_INT32, 1, line, values);
    put(file, "mask", H5T_STD_U8LE, H5T_NATIVE_UINT8, 1, line, masked);
    put(file, "square", H5T_STD_I32LE, H5T_NATIVE_INT32, 2, square, values);
    CHECK_H5(H5Fclose(file));
    return CHECK_H5(H5Fopen(check_path("others.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
}

static stoa_column *column_of(hid_t file, const char *name)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_column *column = NULL;
    const hid_t dataset = CHECK_H5(H5Dopen2(file, name, H5P_DEFAULT));

    CHECK_OK(stoa_column_of_dataset(name, dataset, 0, STOA_WHOLE_ROWS, &column, &err), &err);
    return column;
}

static void lines_of_plain_elements_are_read_past_libhdf5(void)
{
    const hid_t file = file_of_others();
    stoa_column *line = column_of(file, "line");
    stoa_column *square = column_of(file, "square");
    stoa_column_reader reader = {.column = NULL};
    stoa_column_storage storage = STOA_COLUMN_STORAGE_INIT;
    const stoa_direct *direct = NULL;
    stoa_view view;

    CHECK_OK(stoa_column_direct(line, &direct, NULL));
    CHECK(direct != NULL);
    CHECK_OK(stoa_column_reader_open(&reader, line, NULL, false, NULL, NULL));
    CHECK_OK(stoa_column_reader_rows(&reader, 0, N, &view, NULL));
    CHECK_MEM(view.values, values, sizeof values);
    stoa_column_reader_close(&reader);
    CHECK_OK(stoa_column_storage_of(line, &storage, NULL));
    CHECK_STR(storage.layout, "chunked");
    CHECK_STR(storage.filters, "shuffle,deflate:4");
    CHECK_U64(storage.chunk_rows, CHUNK);
    CHECK_OK(stoa_column_direct(square, &direct, NULL));
    CHECK(direct == NULL);
    stoa_column_close(line);
    stoa_column_close(square);
    CHECK_H5(H5Fclose(file));
}

static void rows_that_a_mask_hides_are_missing_to_every_reader(void)
{
    const hid_t file = file_of_others();
    stoa_column *line = column_of(file, "line");
    stoa_column_reader reader = {.column = NULL};
    stoa_view view;

    line->mask = column_of(file, "mask");
    CHECK_OK(stoa_column_reader_open(&reader, line, NULL, false, NULL, NULL));
    CHECK_OK(stoa_column_reader_rows(&reader, 0, N, &view, NULL));
    CHECK_I64(view.null_count, 2);
    for (int64_t i = 0; i < N; i++) {
        CHECK(stoa_view_is_null(&view, i) == (masked[i] != 0));
        CHECK(masked[i] != 0 || stoa_view_i64(&view, i) == values[i]);
    }
    stoa_column_reader_close(&reader);
    stoa_column_close(line);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(lines_of_plain_elements_are_read_past_libhdf5),
          TEST(rows_that_a_mask_hides_are_missing_to_every_reader))
