/* stoa_file_repack with `portable`: filters and character sets of any dataset
 * (src/hdf/copy/portable.c). */
#include <stoa/edit.h>

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { ROWS = 40, COLUMNS = 30 };

static hid_t new_file(const char *name)
{
    return (hid_t)CHECK_H5(H5Fcreate(check_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

/* Repack a file that is closed here; the new one, open. */
static hid_t portable_of(hid_t file, const char *from, const char *to)
{
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    char *const source = strdup(check_path(from));

    CHECK_H5(H5Fclose(file));
    options.portable = true;
    CHECK_OK(stoa_file_repack(source, check_path(to), &options, &err), &err);
    free(source);
    return (hid_t)CHECK_H5(H5Fopen(check_path(to), H5F_ACC_RDONLY, H5P_DEFAULT));
}

static hid_t open_dataset(hid_t file, const char *name)
{
    return (hid_t)CHECK_H5(H5Dopen2(file, name, H5P_DEFAULT));
}

static void check_filters(hid_t dataset, const H5Z_filter_t *expected, int n)
{
    const hid_t creation = (hid_t)CHECK_H5(H5Dget_create_plist(dataset));

    CHECK_I64(H5Pget_nfilters(creation), n);
    for (int i = 0; i < n; i++) {
        unsigned flags = 0;
        size_t none = 0;
        CHECK_I64(H5Pget_filter2(creation, (unsigned)i, &flags, &none, NULL, 0, NULL, NULL),
                  expected[i]);
    }
    CHECK_H5(H5Pclose(creation));
}

static void check_charset(hid_t dataset, H5T_cset_t expected)
{
    const hid_t type = (hid_t)CHECK_H5(H5Dget_type(dataset));

    CHECK_I64(H5Tget_cset(type), expected);
    CHECK_H5(H5Tclose(type));
}

/* --- filters -----------------------------------------------------------------------------------
 */

static void datasets_of_two_dimensions_get_common_filters(void)
{
    const hsize_t extent[2] = {ROWS, COLUMNS};
    const H5Z_filter_t common[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE};
    const hid_t file = new_file("a.h5");
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, extent, NULL));
    const hid_t creation = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    int values[ROWS * COLUMNS];
    int found[ROWS * COLUMNS];

    for (int i = 0; i < ROWS * COLUMNS; i++) {
        values[i] = i * 7 % 1000 - 500;
    }
    CHECK_H5(H5Pset_chunk(creation, 2, (hsize_t[]){16, 16}));
    CHECK_H5(H5Pset_scaleoffset(creation, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT));
    const hid_t made = (hid_t)CHECK_H5(
        H5Dcreate2(file, "x", H5T_STD_I32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(made, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(made));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Sclose(space));

    const hid_t to = portable_of(file, "a.h5", "b.h5");
    const hid_t copy = open_dataset(to, "x");
    check_filters(copy, common, 2);
    CHECK_H5(H5Dread(copy, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK(memcmp(found, values, sizeof values) == 0);
    CHECK_H5(H5Dclose(copy));
    CHECK_H5(H5Fclose(to));
}

/* --- strings -----------------------------------------------------------------------------------
 */

static void put_texts(hid_t file, const char *name, int rank, const char *const *texts,
                      const char *fill)
{
    const hsize_t extent[2] = {2, 2};
    const hid_t space = rank == 0 ? (hid_t)CHECK_H5(H5Screate(H5S_SCALAR))
                                  : (hid_t)CHECK_H5(H5Screate_simple(rank, extent, NULL));
    const hid_t creation = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t type = (hid_t)CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    CHECK_H5(H5Tset_cset(type, H5T_CSET_UTF8));
    if (rank > 0) {
        CHECK_H5(H5Pset_chunk(creation, rank, extent));
        CHECK_H5(H5Pset_deflate(creation, 1)); /* 1.14 refuses filters that are not optional */
    }
    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(creation, type, &fill));
    }
    const hid_t dataset =
        (hid_t)CHECK_H5(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    if (texts != NULL) {
        CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Sclose(space));
}

static void check_texts(hid_t file, const char *name, const char *const *expected, int n)
{
    const hid_t dataset = open_dataset(file, name);
    const hid_t type = (hid_t)CHECK_H5(H5Dget_type(dataset));
    const hid_t space = (hid_t)CHECK_H5(H5Dget_space(dataset));
    char *found[4] = {NULL};

    CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (int i = 0; i < n; i++) {
        CHECK_STR(found[i], expected[i]);
    }
    CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, found));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
}

static void strings_of_variable_length_become_ascii_if_all_are(void)
{
    static const char *const plain[] = {"a", "", "two words", "d"};
    static const char *const other[] = {"a", "", "Z\xc3\xbcrich", "d"};
    static const struct {
        const char *name;
        int rank;
        const char *const *texts;
        const char *fill;
        H5T_cset_t expected;
    } cases[] = {
        {"scalar", 0, plain, NULL, H5T_CSET_ASCII},
        {"line", 1, plain, "MISSING", H5T_CSET_ASCII},
        {"square", 2, plain, NULL, H5T_CSET_ASCII},
        {"umlauts", 2, other, NULL, H5T_CSET_UTF8},
        {"fill", 1, plain, "\xc3\xbc", H5T_CSET_UTF8},
    };
    const hid_t file = new_file("a.h5");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_texts(file, cases[i].name, cases[i].rank, cases[i].texts, cases[i].fill);
    }
    put_texts(file, "unwritten", 1, NULL, "filled");
    const hid_t to = portable_of(file, "a.h5", "b.h5");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hid_t copy = open_dataset(to, cases[i].name);
        check_charset(copy, cases[i].expected);
        CHECK_H5(H5Dclose(copy));
        check_texts(to, cases[i].name, cases[i].texts, 1 << cases[i].rank);
    }
    check_texts(to, "unwritten", (const char *[]){"filled", "filled"}, 2);
    CHECK_H5(H5Fclose(to));
}

TEST_MAIN(TEST(datasets_of_two_dimensions_get_common_filters),
          TEST(strings_of_variable_length_become_ascii_if_all_are))
