/* Rows along an axis of a dataset, for src/hdf/read/slab.c. */
#include "hdf/read/slab.h"

#include "support/check.h"
#include "support/memory_file.h"

enum { ROWS = 3, COLUMNS = 4 };

static hid_t make_dataset(hid_t type, int rank, const hsize_t *extent)
{
    const hid_t file = memory_file("slab.h5", false);
    const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file)); /* the dataset keeps it */
    return dataset;
}

/* Element (i, j) is 10 i + j. */
static hid_t make_box(int rank, const hsize_t *extent)
{
    int32_t values[64];
    const hid_t dataset = make_dataset(H5T_STD_I32BE, rank, extent);

    for (int32_t i = 0; i < 64; i++) {
        values[i] = rank == 1 ? i : i / (int32_t)extent[1] * 10 + i % (int32_t)extent[1];
    }
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    return dataset;
}

static const hsize_t box[] = {ROWS, COLUMNS};

static void a_line_of_either_axis_is_read(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_element element;
    stoa_slab slab;
    int32_t out[COLUMNS];

    CHECK_OK(stoa_slab_open(make_box(2, box), 0, 2, &element, &slab, &err), &err);
    CHECK_U64(stoa_slab_rows(&slab), ROWS);
    CHECK_OK(stoa_slab_read(&slab, 1, 2, out, &err), &err);
    CHECK_I64(out[0], 12);
    CHECK_I64(out[1], 22);
    CHECK_OK(stoa_slab_read(&slab, 3, 0, out, &err), &err);
    stoa_slab_close(&slab);
    stoa_element_clear(&element);
    CHECK_OK(stoa_slab_open(make_box(2, box), 1, 2, &element, &slab, &err), &err);
    CHECK_U64(stoa_slab_rows(&slab), COLUMNS);
    CHECK_OK(stoa_slab_read(&slab, 0, 4, out, &err), &err);
    for (int32_t j = 0; j < COLUMNS; j++) {
        CHECK_I64(out[j], 20 + j);
    }
    stoa_slab_close(&slab);
    stoa_element_clear(&element);
}

static void whole_rows_are_arrays(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_element element;
    stoa_slab slab;
    int32_t out[2][COLUMNS];

    CHECK_OK(stoa_slab_open(make_box(2, box), 0, STOA_WHOLE_ROWS, &element, &slab, &err), &err);
    CHECK_I64(element.class, STOA_ELEMENT_ARRAY);
    CHECK_U64(element.n_items, COLUMNS);
    CHECK_OK(stoa_slab_read(&slab, 1, 2, out, &err), &err);
    CHECK_I64(out[0][0], 10);
    CHECK_I64(out[1][3], 23);
    stoa_slab_close(&slab);
    stoa_element_clear(&element);
}

/* Element (i, j, k) of the cube is 12 i + 4 j + k. Row k has the items (j, i). */
static void rows_along_the_last_axis_are_turned(void)
{
    static const hsize_t cube[] = {2, 3, 4};
    static const int32_t rows[2][6] = {{1, 13, 5, 17, 9, 21}, {2, 14, 6, 18, 10, 22}};
    stoa_error err = STOA_ERROR_INIT;
    stoa_element element;
    stoa_slab slab;
    int32_t values[24];
    int32_t out[2][6];
    const hid_t dataset = make_dataset(H5T_STD_I32LE, 3, cube);

    for (int32_t i = 0; i < 24; i++) {
        values[i] = i;
    }
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_OK(stoa_slab_open(dataset, 2, STOA_WHOLE_ROWS, &element, &slab, &err), &err);
    CHECK_U64(stoa_slab_rows(&slab), 4);
    CHECK_OK(stoa_slab_read(&slab, 1, 2, out, &err), &err);
    CHECK_MEM(out, rows, sizeof rows);
    stoa_slab_close(&slab);
    stoa_element_clear(&element);
}

/* libhdf5 converts no times of the system, not even their order: they are written as bytes. */
static void times_are_integers_of_either_order(void)
{
    static const uint8_t bytes[2][8] = {{1, 2, 0, 0, 0xfe, 0xff, 0xff, 0xff},
                                        {0, 0, 2, 1, 0xff, 0xff, 0xff, 0xfe}};
    static const hsize_t extent[] = {2};
    const hid_t types[] = {H5T_UNIX_D32LE, H5T_UNIX_D32BE};

    for (size_t i = 0; i < 2; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_element element;
        stoa_slab slab;
        int32_t out[2];
        const hid_t dataset = make_dataset(types[i], 1, extent);
        CHECK_H5(H5Dwrite(dataset, types[i], H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes[i]));
        CHECK_OK(stoa_slab_open(dataset, 0, STOA_WHOLE_ROWS, &element, &slab, &err), &err);
        CHECK_I64(element.class, STOA_ELEMENT_INTEGER);
        CHECK_U64(element.size, 4);
        CHECK_STR(element.text, i == 0 ? "time32" : "time32 big-endian");
        CHECK_OK(stoa_slab_read(&slab, 0, 2, out, &err), &err);
        CHECK_I64(out[0], 0x201);
        CHECK_I64(out[1], -2);
        CHECK_OK(stoa_slab_read(&slab, 1, 1, out, &err), &err);
        CHECK_I64(out[0], -2);
        stoa_slab_close(&slab);
        stoa_element_clear(&element);
    }
}

static void rows_that_a_dataset_has_not_are_refused(void)
{
    static const struct {
        int rank;
        int axis;
        hsize_t at;
    } rows[] = {{2, 0, COLUMNS}, {2, 1, ROWS}, {2, 2, 0}, {3, 1, STOA_WHOLE_ROWS},
                {1, 0, 0},       {1, 1, 0},    {3, 0, 0}};
    static const hsize_t cube[] = {2, 3, 4};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_element element;
        stoa_slab slab;
        const hid_t dataset = make_box(rows[i].rank, rows[i].rank == 3 ? cube : box);
        CHECK_STATUS(STOA_EDATA,
                     stoa_slab_open(dataset, rows[i].axis, rows[i].at, &element, &slab, &err));
    }
}

/* Of no items, or of more than an array can have. */
static void rows_of_no_shape_are_refused(void)
{
    static const struct {
        hsize_t extent[3];
        const char *words;
    } cases[] = {{{3, 0, 2}, "has rows of 0 items"},
                 {{3, 2, 0}, "has rows of 0 items"},
                 {{3, 1, (hsize_t)UINT32_MAX + 1}, "has rows of 4294967296 items"},
                 {{3, (hsize_t)UINT32_MAX + 1, 1}, "has rows of 4294967296 items"},
                 {{3, UINT32_MAX, 1}, "an array type has too many items"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_element element;
        stoa_slab slab;
        CHECK_STATUS(STOA_EDATA,
                     stoa_slab_open(make_dataset(H5T_STD_I8LE, 3, cases[i].extent), 0,
                                    STOA_WHOLE_ROWS, &element, &slab, &err),
                     &err);
        CHECK_CONTAINS(err.message, cases[i].words);
    }
}

static void a_dataset_without_a_simple_shape_has_no_rows(void)
{
    for (int is_null = 0; is_null < 2; is_null++) {
        const hid_t file = memory_file("slab.h5", false);
        const hid_t space = CHECK_H5(H5Screate(is_null ? H5S_NULL : H5S_SCALAR));
        const hid_t dataset = CHECK_H5(
            H5Dcreate2(file, "d", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        stoa_error err = STOA_ERROR_INIT;
        stoa_element element;
        stoa_slab slab;
        CHECK_H5(H5Sclose(space));
        CHECK_H5(is_null ? H5Iinc_ref(dataset) : 0);
        CHECK_STATUS(STOA_EDATA, stoa_slab_open(dataset, 0, STOA_WHOLE_ROWS, &element, &slab, &err),
                     &err);
        CHECK_CONTAINS(err.message, "the dataset has 0 dimensions");
        if (is_null) { /* and no element */
            CHECK_STATUS(STOA_EDATA, stoa_slab_open(dataset, STOA_NO_AXIS, STOA_WHOLE_ROWS,
                                                    &element, &slab, NULL));
        }
        CHECK_H5(H5Fclose(file));
    }
}

static void the_element_of_a_dataset_without_dimensions_is_a_row(void)
{
    const hid_t dataset = make_dataset(H5T_STD_I32BE, 0, NULL);
    stoa_error err = STOA_ERROR_INIT;
    stoa_element element;
    stoa_slab slab;
    int32_t out[2] = {0, 5};

    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, &(int32_t){42}));
    CHECK_OK(stoa_slab_open(dataset, STOA_NO_AXIS, STOA_WHOLE_ROWS, &element, &slab, &err), &err);
    CHECK_U64(stoa_slab_rows(&slab), 1);
    CHECK_I64(element.class, STOA_ELEMENT_INTEGER);
    CHECK_OK(stoa_slab_read(&slab, 1, 0, out, &err), &err);
    CHECK_I64(out[0], 0);
    CHECK_OK(stoa_slab_read(&slab, 0, 1, out, &err), &err);
    CHECK(out[0] == 42 && out[1] == 5);
    stoa_slab_close(&slab);
    stoa_element_clear(&element);
    CHECK_STATUS(STOA_EDATA, stoa_slab_open(make_box(2, box), STOA_NO_AXIS, STOA_WHOLE_ROWS,
                                            &element, &slab, NULL));
}

/* A row of a cube is an array of all that it has. */
static void rows_of_three_dimensions_are_arrays(void)
{
    static const hsize_t cube[] = {3, 2, 4};
    stoa_error err = STOA_ERROR_INIT;
    stoa_element element;
    stoa_slab slab;
    int32_t out[16];
    int32_t values[24];
    const hid_t dataset = make_dataset(H5T_STD_I32BE, 3, cube);

    for (int32_t i = 0; i < 24; i++) {
        values[i] = i;
    }
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_OK(stoa_slab_open(dataset, 0, STOA_WHOLE_ROWS, &element, &slab, &err), &err);
    CHECK(element.class == STOA_ELEMENT_ARRAY);
    CHECK_U64(element.n_items, 8);
    CHECK_OK(stoa_slab_read(&slab, 1, 2, out, &err), &err);
    CHECK_MEM(out, values + 8, sizeof out);
    stoa_slab_close(&slab);
    stoa_element_clear(&element);
}

TEST_MAIN(TEST(rows_of_no_shape_are_refused), TEST(a_dataset_without_a_simple_shape_has_no_rows),
          TEST(the_element_of_a_dataset_without_dimensions_is_a_row),
          TEST(rows_of_three_dimensions_are_arrays), TEST(a_line_of_either_axis_is_read),
          TEST(whole_rows_are_arrays), TEST(rows_along_the_last_axis_are_turned),
          TEST(times_are_integers_of_either_order), TEST(rows_that_a_dataset_has_not_are_refused))
