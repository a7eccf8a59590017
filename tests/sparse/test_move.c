/* Sparse arrays moved and removed; for src/sparse/tools/copy.c. */
#include <hdf5.h>
#include <stoa/sparse.h>

#include "support/check.h"

static hid_t file;

static void make(const char *path)
{
    const uint64_t extent[] = {5};
    const uint64_t at[] = {1, 3};
    const int values[] = {7, 0};
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_create(file, path, H5T_STD_I32LE, 1, extent, NULL, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_sparse_write(array, 2, at, values, H5T_NATIVE_INT, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
}

static void is_whole(const char *path)
{
    stoa_sparse *array = NULL;
    stoa_sparse_points points = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_open(file, path, NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_read(array, NULL, NULL, H5T_NATIVE_INT, &points, &err), &err);
    CHECK_U64(points.n, 2);
    CHECK_I64(((const int *)points.values)[0], 7);
    CHECK_U64(points.coordinates[1], 3);
    stoa_sparse_points_clear(&points);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
}

static void open_file(void)
{
    file = CHECK_H5(H5Fcreate(check_path("m.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

static void an_array_is_at_its_new_place_alone(void)
{
    open_file();
    make("a");
    CHECK_OK(stoa_sparse_move(file, "a", "/g/h/b", NULL));
    CHECK(H5Lexists(file, "a", H5P_DEFAULT) == 0);
    is_whole("/g/h/b");
    CHECK_OK(stoa_sparse_remove(file, "g/h/b", NULL));
    CHECK(H5Lexists(file, "/g/h/b", H5P_DEFAULT) == 0);
    CHECK_H5(H5Fclose(file));
}

static void what_cannot_be_moved_stays(void)
{
    stoa_error err = STOA_ERROR_INIT;

    open_file();
    make("a");
    make("b");
    CHECK_H5(H5Lcreate_soft("a", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_STATUS(STOA_EEXISTS, stoa_sparse_move(file, "a", "b", &err), &err);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_sparse_move(file, "c", "d", &err), &err);
    CHECK_STATUS(STOA_ELAYOUT, stoa_sparse_move(file, "g", "d", &err), &err);
    CHECK_STATUS(STOA_EINVAL, stoa_sparse_move(file, "soft", "d", &err), &err);
    CHECK_STATUS(STOA_EINVAL, stoa_sparse_remove(file, "soft", &err), &err);
    CHECK_STATUS(STOA_ELAYOUT, stoa_sparse_remove(file, "g", &err), &err);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_sparse_remove(file, "c", &err), &err);
    is_whole("a");
    is_whole("b");
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(an_array_is_at_its_new_place_alone), TEST(what_cannot_be_moved_stays))
