/* The public calls for sparse arrays: what is refused, what is promised, what is left behind; for
 * src/sparse/array/array*.c and section_codec.c. */
#include <hdf5.h>
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>

#include "support/check.h"
#include "support/damage.h"
#include "support/sweep.h"

static const uint64_t extent[] = {10, 10};

static hid_t new_file(void)
{
    return CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

static stoa_sparse *new_array(hid_t file, const char *path, hid_t type)
{
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_create(file, path, type, 2, extent, NULL, NULL, &array, &err), &err);
    return array;
}

/* Five points, two of them at one place, in no order. */
static const uint64_t places[] = {9, 9, 0, 3, 4, 4, 0, 3, 2, 1};
static const int values[] = {1, 2, 3, 4, 0};

static void the_later_of_two_values_wins_and_an_explicit_fill_value_is_defined(void)
{
    const hid_t file = new_file();
    stoa_sparse *array = new_array(file, "/deep/down/x", H5T_STD_I32LE);
    stoa_sparse_points points;
    const uint64_t expected_places[] = {0, 3, 2, 1, 4, 4, 9, 9};
    const int expected[] = {4, 0, 3, 1};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_write(array, 5, places, values, H5T_NATIVE_INT, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_OK(stoa_sparse_open(file, "deep/down/x", NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_read(array, NULL, NULL, STOA_FILE_NATIVE, &points, &err), &err);
    CHECK_U64(points.n, 4);
    CHECK_MEM(points.coordinates, expected_places, sizeof expected_places);
    CHECK_MEM(points.values, expected, sizeof expected);
    stoa_sparse_points_clear(&points);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

/* Positions have more bits than two passes of the sort look at. */
static void points_of_a_chunk_of_millions_of_elements_are_put_in_order(void)
{
    static const uint64_t size = 8 << 20;
    static const uint64_t at[] = {5000000, 7, 8000000, 4194304, 5000000, 2048};
    static const uint64_t expected_places[] = {7, 2048, 4194304, 5000000, 8000000};
    static const int written[] = {1, 2, 3, 4, 5, 6};
    static const int expected[] = {2, 6, 4, 5, 3};
    const hid_t file = new_file();
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_sparse_points points;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = &size;
    CHECK_OK(stoa_sparse_create(file, "x", H5T_STD_I32LE, 1, &size, &options, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_sparse_write(array, 6, at, written, H5T_NATIVE_INT, &err), &err);
    CHECK_OK(stoa_sparse_read(array, NULL, NULL, STOA_FILE_NATIVE, &points, &err), &err);
    CHECK_U64(points.n, 5);
    CHECK_MEM(points.coordinates, expected_places, sizeof expected_places);
    CHECK_MEM(points.values, expected, sizeof expected);
    stoa_sparse_points_clear(&points);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

static void nothing_is_written_where_one_point_is_outside(void)
{
    const uint64_t outside[] = {1, 1, 10, 0};
    const hid_t file = new_file();
    stoa_sparse *array = new_array(file, "x", H5T_STD_I32LE);
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ERANGE, stoa_sparse_write(array, 2, outside, values, STOA_FILE_NATIVE, &err));
    CHECK_CONTAINS(err.message, "point 1 is at 10 in dimension 0");
    CHECK_STATUS(STOA_ERANGE,
                 stoa_sparse_append(array, 1, 2, outside, values, STOA_FILE_NATIVE, NULL));
    CHECK_OK(stoa_sparse_describe(array, &info, NULL));
    CHECK_U64(info.n_defined, 0);
    CHECK_U64(info.extent[0], 10);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
}

static void what_cannot_be_made_is_refused(void)
{
    const hid_t file = new_file();
    const uint64_t much[] = {UINT64_MAX / 2, 4};
    const uint64_t none[] = {0, 4};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;

    CHECK_STATUS(STOA_EINVAL,
                 stoa_sparse_create(file, "x", H5T_STD_I32LE, 0, extent, NULL, NULL, &array, NULL));
    CHECK_STATUS(STOA_ERANGE,
                 stoa_sparse_create(file, "x", H5T_STD_I32LE, 2, much, NULL, NULL, &array, NULL));
    options.chunk = none;
    CHECK_STATUS(STOA_EINVAL, stoa_sparse_create(file, "x", H5T_STD_I32LE, 2, extent, &options,
                                                 NULL, &array, NULL));
    options.chunk = NULL;
    options.values = "zstd:20";
    CHECK_STATUS(STOA_EINVAL, stoa_sparse_create(file, "x", H5T_STD_I32LE, 2, extent, &options,
                                                 NULL, &array, NULL));
    options.values = "gzip";
    CHECK_STATUS(STOA_EINVAL, stoa_sparse_create(file, "x", H5T_STD_I32LE, 2, extent, &options,
                                                 NULL, &array, NULL));
    CHECK(array == NULL);
    CHECK_U64(H5Lexists(file, "x", H5P_DEFAULT) > 0, 0);
    CHECK_OK(stoa_sparse_commit(new_array(file, "x", H5T_STD_I32LE), NULL));
    CHECK_STATUS(STOA_EEXISTS,
                 stoa_sparse_create(file, "x", H5T_STD_I32LE, 2, extent, NULL, NULL, &array, NULL));
    CHECK_H5(H5Fclose(file));
}

static void other_objects_are_no_sparse_arrays(void)
{
    const hid_t file = new_file();
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));
    const hid_t dataset = CHECK_H5(
        H5Dcreate2(file, "dense", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    stoa_sparse *array = NULL;

    CHECK_STATUS(STOA_ENOTFOUND, stoa_sparse_open(file, "none", NULL, &array, NULL));
    CHECK_STATUS(STOA_ELAYOUT, stoa_sparse_open(file, "/", NULL, &array, NULL));
    CHECK_STATUS(STOA_ELAYOUT, stoa_sparse_open(file, "dense", NULL, &array, NULL));
    CHECK_STATUS(STOA_ELAYOUT, stoa_sparse_open_dataset(dataset, NULL, &array, NULL));
    CHECK(array == NULL);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void types_that_do_not_convert_are_refused(void)
{
    const hid_t file = new_file();
    stoa_sparse *array = new_array(file, "x", H5T_STD_I32LE);
    const hid_t opaque = CHECK_H5(H5Tcreate(H5T_OPAQUE, 4));
    stoa_sparse_points points;

    CHECK_STATUS(STOA_ETYPE, stoa_sparse_write(array, 5, places, values, opaque, NULL));
    CHECK_OK(stoa_sparse_write(array, 5, places, values, H5T_NATIVE_INT, NULL));
    CHECK_STATUS(STOA_ETYPE, stoa_sparse_read(array, NULL, NULL, opaque, &points, NULL));
    CHECK(points.coordinates == NULL && points.values == NULL);
    CHECK_H5(H5Tclose(opaque));
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
}

static void a_compound_is_read_member_by_member(void)
{
    typedef struct wide {
        double b;
        int64_t a;
    } wide;
    const hid_t stored = CHECK_H5(H5Tcreate(H5T_COMPOUND, 5));
    const hid_t memory = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(wide)));
    const wide pairs[] = {{0.5, -3}, {2.0, 99}};
    const uint64_t at[] = {7, 7, 3, 3};
    const hid_t file = new_file();
    stoa_sparse_points points;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Tinsert(stored, "a", 0, H5T_STD_I8LE));
    CHECK_H5(H5Tinsert(stored, "b", 1, H5T_IEEE_F32BE));
    CHECK_H5(H5Tinsert(memory, "a", offsetof(wide, a), H5T_NATIVE_INT64));
    CHECK_H5(H5Tinsert(memory, "b", offsetof(wide, b), H5T_NATIVE_DOUBLE));
    stoa_sparse *array = new_array(file, "x", stored);
    CHECK_OK(stoa_sparse_write(array, 2, at, pairs, memory, &err), &err);
    CHECK_OK(stoa_sparse_read(array, NULL, NULL, memory, &points, &err), &err);
    CHECK_U64(points.n, 2);
    const wide *found = points.values;
    CHECK_I64(found[0].a, 99);
    CHECK_F64(found[0].b, 2.0);
    CHECK_I64(found[1].a, -3);
    CHECK_F64(found[1].b, 0.5);
    stoa_sparse_points_clear(&points);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Tclose(stored));
    CHECK_H5(H5Tclose(memory));
    CHECK_H5(H5Fclose(file));
}

static void chunks_are_chosen_within_the_extent(void)
{
    const uint64_t fixed[] = {3, 5000000};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = new_file();

    options.max_extent = fixed;
    CHECK_OK(stoa_sparse_create(file, "x", H5T_IEEE_F64LE, 2, fixed, &options, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_sparse_describe(array, &info, &err), &err);
    CHECK_U64(info.chunk[0], 3);
    CHECK_U64(info.chunk[1], 1 << 18);
    CHECK_STATUS(STOA_EHDF5, stoa_sparse_set_extent(array, (uint64_t[]){4, 4}, NULL));
    CHECK_OK(stoa_sparse_describe(array, &info, &err), &err);
    CHECK_U64(info.extent[0], 3); /* as it was */
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

static void an_array_of_a_file_that_cannot_be_written_is_read(void)
{
    hid_t file = new_file();
    stoa_sparse *array = new_array(file, "x", H5T_STD_I32LE);
    stoa_sparse_points points;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_write(array, 5, places, values, H5T_NATIVE_INT, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_OK(stoa_sparse_open(file, "x", NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_defined(array, NULL, NULL, &points, &err), &err);
    CHECK_U64(points.n, 4);
    stoa_sparse_points_clear(&points);
    CHECK_STATUS(STOA_EIO, stoa_sparse_write(array, 5, places, values, H5T_NATIVE_INT, NULL));
    CHECK_STATUS(STOA_EIO, stoa_sparse_erase(array, 5, places, NULL));
    CHECK_STATUS(STOA_EIO, stoa_sparse_erase_box(array, NULL, NULL, NULL));
    CHECK_STATUS(STOA_EIO, stoa_sparse_set_extent(array, extent, NULL));
    CHECK_STATUS(STOA_EIO, stoa_sparse_append(array, 1, 0, NULL, NULL, H5T_NATIVE_INT, NULL));
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

static bool stop(void *context, const stoa_sparse_part *part)
{
    (void)part;
    *(int *)context += 1;
    return false;
}

static void a_visit_may_be_stopped(void)
{
    const hid_t file = new_file();
    stoa_sparse *array = new_array(file, "x", H5T_STD_I32LE);
    int n = 0;

    CHECK_OK(stoa_sparse_write(array, 5, places, values, H5T_NATIVE_INT, NULL));
    CHECK_STATUS(STOA_ECANCELLED,
                 stoa_sparse_visit(array, NULL, NULL, STOA_FILE_NATIVE, stop, &n, NULL));
    CHECK_I64(n, 1);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
}

/* --- memory that runs out -------------------------------------------------------------------- */

static stoa_status write_and_read(stoa_error *err)
{
    const hid_t file = new_file();
    const double doubles[] = {1, 2, 3, 4, 5};
    const uint64_t chunk[] = {3, 4};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    stoa_sparse_points points = {0, NULL, NULL};
    double dense[100];
    stoa_sparse *array = NULL;
    stoa_status status = STOA_OK;

    options.chunk = chunk;
    access.threads = 1;
    access.cache_bytes = 1;
    STOA_TRY(
        stoa_sparse_create(file, "x", H5T_STD_I16LE, 2, extent, &options, &access, &array, err));
    STOA_TRY(stoa_sparse_write(array, 5, places, doubles, H5T_NATIVE_DOUBLE, err));
    STOA_TRY(stoa_sparse_write(array, 5, places, doubles, H5T_NATIVE_DOUBLE, err));
    STOA_TRY(stoa_sparse_read(array, NULL, NULL, H5T_NATIVE_DOUBLE, &points, err));
    STOA_TRY(stoa_sparse_read_dense(array, NULL, NULL, H5T_NATIVE_DOUBLE, dense, NULL, err));
    STOA_TRY(stoa_sparse_erase(array, 2, places, err));
    STOA_TRY(stoa_sparse_append(array, 1, 0, NULL, NULL, H5T_NATIVE_DOUBLE, err));

done:
    stoa_sparse_points_clear(&points);
    if (status == STOA_OK) {
        status = stoa_sparse_commit(array, err);
    } else {
        stoa_sparse_close(array);
    }
    CHECK_H5(H5Fclose(file));
    return status;
}

static void memory_may_run_out_anywhere(void)
{
    CHECK(sweep_memory(write_and_read) > 50);
}

static int keep_address(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                        void *context)
{
    uint64_t *const addresses = context;

    (void)mask;
    (void)size;
    addresses[offset[0] != 0] = address;
    return H5_ITER_CONT;
}

/* libhdf5 would give back the bytes of both. */
static void an_array_whose_chunks_overlap_is_not_edited(void)
{
    static const uint64_t at[] = {0, 0, 9, 9};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    const uint64_t chunk[] = {5, 10};
    hid_t file = damage_new_file();
    stoa_sparse *array = NULL;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    uint64_t addresses[2] = {0, 0};
    uint8_t *bytes = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    CHECK_OK(stoa_sparse_create(file, "x", H5T_STD_I32LE, 2, extent, &options, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_sparse_write(array, 2, at, values, H5T_NATIVE_INT, &err), &err);
    CHECK_OK(stoa_sparse_describe(array, &info, &err), &err);
    CHECK_H5(H5Dchunk_iter(info.dataset, H5P_DEFAULT, keep_address, addresses));
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    const size_t n = damage_take_image(file, &bytes);
    size_t n_moved = 0;
    for (size_t i = 0; i + 8 <= n; i++) {
        if (memcmp(bytes + i, &addresses[1], 8) == 0) {
            memcpy(bytes + i, &addresses[0], 8);
            n_moved++;
        }
    }
    CHECK_U64(n_moved, 1);
    file = damage_open(bytes, n, H5F_ACC_RDWR);
    CHECK(file >= 0);
    CHECK_OK(stoa_sparse_open(file, "x", NULL, &array, &err), &err);
    CHECK_STATUS(STOA_EDATA, stoa_sparse_write(array, 1, at, values, H5T_NATIVE_INT, &err), &err);
    CHECK_CONTAINS(err.message, "overlap");
    CHECK_STATUS(STOA_EDATA, stoa_sparse_set_extent(array, chunk, NULL), NULL);
    CHECK_STATUS(STOA_EDATA, stoa_sparse_erase(array, 1, at, NULL), NULL);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    damage_close(file);
    free(bytes);
}

TEST_MAIN(TEST(an_array_whose_chunks_overlap_is_not_edited),
          TEST(the_later_of_two_values_wins_and_an_explicit_fill_value_is_defined),
          TEST(points_of_a_chunk_of_millions_of_elements_are_put_in_order),
          TEST(nothing_is_written_where_one_point_is_outside), TEST(what_cannot_be_made_is_refused),
          TEST(other_objects_are_no_sparse_arrays), TEST(types_that_do_not_convert_are_refused),
          TEST(a_compound_is_read_member_by_member), TEST(chunks_are_chosen_within_the_extent),
          TEST(an_array_of_a_file_that_cannot_be_written_is_read), TEST(a_visit_may_be_stopped),
          TEST(memory_may_run_out_anywhere))
