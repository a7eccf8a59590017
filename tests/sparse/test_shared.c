/*
 * The fast calls on a file that is open under the connector: one store for both, so that each sees
 * what the other has written and not flushed; for open_store() of src/sparse/array/array.c.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>

#include "sparse/connector/connector.h"
#include "sparse/format/filter.h"
#include "sparse/store/dataset.h"
#include "support/check.h"

static hid_t access_list(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    hid_t connector = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_connector_register(&connector, &err), &err);
    CHECK_H5(H5Pset_vol(fapl, connector, NULL));
    CHECK_H5(H5VLclose(connector));
    return fapl;
}

static hid_t new_file(void)
{
    const hid_t fapl = access_list();
    const hid_t file = CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl));

    CHECK_H5(H5Pclose(fapl));
    return file;
}

static hid_t open_file(unsigned flags)
{
    const hid_t fapl = access_list();
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), flags, fapl));

    CHECK_H5(H5Pclose(fapl));
    return file;
}

/* Six by eight integers in chunks of 4 x 3. */
static const uint64_t extent[] = {6, 8};
static const uint64_t chunk[] = {4, 3};

static stoa_sparse *new_array(hid_t file)
{
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    CHECK_OK(stoa_sparse_create(file, "x", H5T_STD_I32LE, 2, extent, &options, NULL, &array, &err),
             &err);
    return array;
}

static stoa_sparse *array_of(hid_t dataset)
{
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_open_dataset(dataset, NULL, &array, &err), &err);
    return array;
}

static void put(stoa_sparse *array, uint64_t row, uint64_t column, int value)
{
    const uint64_t at[] = {row, column};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_write(array, 1, at, &value, H5T_NATIVE_INT, &err), &err);
}

/* The same by libhdf5. */
static void put_by_hdf5(hid_t dataset, uint64_t row, uint64_t column, int value)
{
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hid_t memory = CHECK_H5(H5Screate(H5S_SCALAR));
    const hsize_t at[] = {row, column};

    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, at));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, &value));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
}

static int get_by_hdf5(hid_t dataset, uint64_t row, uint64_t column)
{
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hid_t memory = CHECK_H5(H5Screate(H5S_SCALAR));
    const hsize_t at[] = {row, column};
    int value = -1;

    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, at));
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, &value));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    return value;
}

/* Exactly n elements are defined; coordinates and values alternate: row, column, value. */
static void check_points(stoa_sparse *array, uint64_t n, const int *triples)
{
    stoa_sparse_points points;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_read(array, NULL, NULL, H5T_NATIVE_INT, &points, &err), &err);
    CHECK_U64(points.n, n);
    for (uint64_t i = 0; i < n; i++) {
        CHECK_U64(points.coordinates[2 * i], (uint64_t)triples[3 * i]);
        CHECK_U64(points.coordinates[2 * i + 1], (uint64_t)triples[3 * i + 1]);
        CHECK_I64(((const int *)points.values)[i], triples[3 * i + 2]);
    }
    stoa_sparse_points_clear(&points);
}

static void what_hdf5_writes_is_read_before_it_is_flushed(void)
{
    const hid_t file = new_file();
    const int expected[] = {0, 0, 5, 1, 1, 0, 5, 7, 6};

    CHECK_OK(stoa_sparse_commit(new_array(file), NULL));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "x", H5P_DEFAULT));
    put_by_hdf5(dataset, 0, 0, 5);
    put_by_hdf5(dataset, 1, 1, 0); /* defined, and the fill value */
    stoa_sparse *array = array_of(dataset);
    put_by_hdf5(dataset, 5, 7, 6);
    check_points(array, 3, expected);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void what_is_written_is_read_by_hdf5_before_it_is_flushed(void)
{
    const hid_t file = new_file();

    CHECK_OK(stoa_sparse_commit(new_array(file), NULL));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "x", H5P_DEFAULT));
    stoa_sparse *array = array_of(dataset);
    CHECK_I64(get_by_hdf5(dataset, 2, 2), 0);
    put(array, 2, 2, 7);
    CHECK_I64(get_by_hdf5(dataset, 2, 2), 7);
    put_by_hdf5(dataset, 2, 2, 8);
    put(array, 2, 1, 9); /* the same chunk, from the other side */
    const int both[] = {2, 1, 9, 2, 2, 8};
    check_points(array, 2, both);
    const uint64_t at[] = {2, 2};
    CHECK_OK(stoa_sparse_erase(array, 1, at, NULL));
    CHECK_I64(get_by_hdf5(dataset, 2, 2), 0);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_I64(get_by_hdf5(dataset, 2, 1), 9);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void two_handles_share_edits_and_what_is_closed_last_writes_them(void)
{
    const hid_t file = new_file();
    stoa_sparse *first = new_array(file);
    stoa_sparse *second = NULL;
    stoa_error err = STOA_ERROR_INIT;
    const int expected[] = {0, 1, 1, 0, 2, 2, 5, 5, 3};

    CHECK_OK(stoa_sparse_open(file, "x", NULL, &second, &err), &err);
    put(first, 0, 1, 1);
    put(second, 0, 2, 2);
    check_points(first, 2, expected);
    CHECK_OK(stoa_sparse_commit(first, NULL));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "x", H5P_DEFAULT));
    put_by_hdf5(dataset, 5, 5, 3);
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Dclose(dataset));
    check_points(second, 3, expected);
    CHECK_OK(stoa_sparse_commit(second, NULL));

    /* By libhdf5 alone. */
    CHECK_OK(stoa_sparse_filter_register(NULL));
    const hid_t plain = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_OK(stoa_sparse_open(plain, "x", NULL, &first, &err), &err);
    check_points(first, 3, expected);
    CHECK_OK(stoa_sparse_commit(first, NULL));
    CHECK_H5(H5Fclose(plain));
}

/* Whatever call gave the id: the same store is behind all of them, filled by columns here. */
static void any_id_of_a_dataset_will_do(void)
{
    const hsize_t shape[] = {6, 8};
    const hsize_t of_chunk[] = {4, 3};
    const stoa_sparse_format format = {.is_sparse = true};
    const hid_t file = new_file();
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(2, shape, NULL));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_chunk(dcpl, 2, of_chunk));
    CHECK_OK(stoa_sparse_format_to_list(dcpl, &format, &err), &err);
    hid_t ids[4] = {
        CHECK_H5(H5Dcreate2(group, "x", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))};
    ids[1] = CHECK_H5(H5Dopen2(file, "g/x", H5P_DEFAULT));
    ids[2] = CHECK_H5(H5Oopen(group, "x", H5P_DEFAULT));
    ids[3] = CHECK_H5(H5Oopen_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    const hsize_t column[] = {0, 5};
    const hsize_t count[] = {6, 1};
    const int given[] = {1, 2, 3, 4, 5, 6};
    const hsize_t six = 6;
    const hid_t memory = CHECK_H5(H5Screate_simple(1, &six, NULL));
    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, column, NULL, count, NULL));
    CHECK_H5(H5Dwrite(ids[1], H5T_NATIVE_INT, memory, space, H5P_DEFAULT, given));
    for (int i = 0; i < 4; i++) {
        const int expected[] = {0, 5, 1, 1, 5, 2, 2, 5, 3 + i, 3, 5, 4, 4, 5, 5, 5, 5, 6};
        stoa_sparse *array = array_of(ids[i]);
        check_points(array, 6, expected);
        put(array, 2, 5, 4 + i); /* for the next one */
        CHECK_I64(get_by_hdf5(ids[3 - i], 2, 5), 4 + i);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
    }
    for (int i = 0; i < 4; i++) {
        CHECK_H5(H5Oclose(ids[i]));
    }
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
}

static void extents_change_on_either_side(void)
{
    const hsize_t larger[] = {9, 8};
    const uint64_t smaller[] = {3, 2};
    const hid_t file = new_file();
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    const int expected[] = {8, 7, 1};
    const int appended[] = {8, 7, 1, 9, 0, 4};
    const uint64_t at[] = {0, 0};
    const int value = 4;

    CHECK_OK(stoa_sparse_commit(new_array(file), NULL));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "x", H5P_DEFAULT));
    stoa_sparse *array = array_of(dataset);
    CHECK_H5(H5Dset_extent(dataset, larger));
    put(array, 8, 7, 1);
    check_points(array, 1, expected);
    CHECK_OK(stoa_sparse_append(array, 1, 1, at, &value, H5T_NATIVE_INT, NULL));
    CHECK_I64(get_by_hdf5(dataset, 9, 0), 4);
    CHECK_H5(H5Drefresh(dataset));
    check_points(array, 2, appended);
    CHECK_OK(stoa_sparse_set_extent(array, smaller, NULL));
    put_by_hdf5(dataset, 2, 1, 5);
    CHECK_OK(stoa_sparse_describe(array, &info, NULL));
    CHECK_U64(info.extent[0], 3);
    CHECK_U64(info.n_defined, 1);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

/* As H5Drefresh() makes the connector's store anew where it finds another extent in the file. */
static void a_store_that_becomes_another_goes_on_as_that(void)
{
    const hsize_t larger[] = {20, 30};
    const uint64_t old_end[] = {5, 7};
    const uint64_t new_end[] = {19, 29};
    const int32_t value = 4;
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const int expected[] = {19, 29, 4};
    stoa_store *store = NULL;
    stoa_store *other = NULL;
    stoa_error err = STOA_ERROR_INIT;

    stoa_sparse *array = new_array(file);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    hid_t dataset = CHECK_H5(H5Dopen2(file, "x", H5P_DEFAULT));
    CHECK_OK(stoa_store_of_dataset(dataset, 0, &store, &err), &err);
    CHECK_OK(stoa_store_write(store, old_end, 1, (const uint8_t *)&value, NULL, &err), &err);
    CHECK_H5(H5Dset_extent(dataset, larger));
    CHECK_OK(stoa_store_of_dataset(dataset, 0, &other, &err), &err);
    stoa_store_become(store, other);
    CHECK(!stoa_store_is_dirty(store));
    CHECK_OK(stoa_store_write(store, new_end, 1, (const uint8_t *)&value, NULL, &err), &err);
    CHECK_OK(stoa_store_flush(store, &err), &err);
    stoa_store_close(store);
    array = array_of(dataset);
    check_points(array, 1, expected);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void a_file_that_is_open_for_reading_stays_as_it_is(void)
{
    const uint64_t at[] = {0, 0};
    const int value = 1;
    hid_t file = new_file();
    stoa_sparse *array = new_array(file);
    stoa_error err = STOA_ERROR_INIT;

    put(array, 3, 3, 3);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
    file = open_file(H5F_ACC_RDONLY);
    CHECK_OK(stoa_sparse_open(file, "x", NULL, &array, &err), &err);
    CHECK_STATUS(STOA_EIO, stoa_sparse_write(array, 1, at, &value, H5T_NATIVE_INT, &err));
    const int expected[] = {3, 3, 3};
    check_points(array, 1, expected);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
}

static void what_is_not_sparse_is_refused(void)
{
    const hsize_t three = 3;
    const hid_t file = new_file();
    const hid_t space = CHECK_H5(H5Screate_simple(1, &three, NULL));
    const hid_t dataset = CHECK_H5(
        H5Dcreate2(file, "dense", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    stoa_sparse *array = NULL;

    CHECK_STATUS(STOA_ELAYOUT, stoa_sparse_open_dataset(dataset, NULL, &array, NULL));
    CHECK(array == NULL);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(what_hdf5_writes_is_read_before_it_is_flushed),
          TEST(what_is_written_is_read_by_hdf5_before_it_is_flushed),
          TEST(two_handles_share_edits_and_what_is_closed_last_writes_them),
          TEST(any_id_of_a_dataset_will_do), TEST(extents_change_on_either_side),
          TEST(a_store_that_becomes_another_goes_on_as_that),
          TEST(a_file_that_is_open_for_reading_stays_as_it_is), TEST(what_is_not_sparse_is_refused))
