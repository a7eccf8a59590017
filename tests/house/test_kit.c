/* The kit itself: that its fixture sees what it promises to see. */
#include <hdf5.h>
#include <math.h>
#include <string.h>

#include "support/check.h"

static void ids_of_every_kind_are_counted_until_they_are_closed(void)
{
    const hsize_t dims[] = {3};

    const hid_t space = CHECK_H5(H5Screate_simple(1, dims, NULL));
    CHECK_U64(check_n_open_ids(), 1);
    const hid_t list = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_NATIVE_INT));
    CHECK_U64(check_n_open_ids(), 3);
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("kit.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "x", type, space, H5P_DEFAULT, list, H5P_DEFAULT));
    const hid_t of_dataset = CHECK_H5(H5Dget_space(dataset));
    CHECK_U64(check_n_open_ids(), 6);

    CHECK_H5(H5Idec_ref(of_dataset));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Pclose(list));
    CHECK_U64(check_n_open_ids(), 1);
    CHECK_H5(H5Sclose(space));
    CHECK_U64(check_n_open_ids(), 0);
}

static void a_second_reference_keeps_an_id_open(void)
{
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Iinc_ref(space));
    CHECK_H5(H5Sclose(space));
    CHECK_U64(check_n_open_ids(), 1);
    CHECK_H5(H5Sclose(space));
    CHECK_U64(check_n_open_ids(), 0);
}

static void paths_of_one_test_lie_in_one_directory(void)
{
    const char *a = check_path("a");
    const char *b = check_path("b");

    CHECK_U64((uint64_t)(strrchr(a, '/') - a), (uint64_t)(strrchr(b, '/') - b));
    CHECK_MEM(a, b, (size_t)(strrchr(a, '/') - a));
    CHECK_CONTAINS(b, "stoa-test-");
}

static void nan_is_the_same_as_nan(void)
{
    CHECK_F64(NAN, NAN);
    CHECK_F64_NEAR(1.0, 1.0 + 1e-12, 1e-9);
}

TEST_MAIN(TEST(ids_of_every_kind_are_counted_until_they_are_closed),
          TEST(a_second_reference_keeps_an_id_open), TEST(paths_of_one_test_lie_in_one_directory),
          TEST(nan_is_the_same_as_nan))
