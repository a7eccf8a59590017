/* Datasets that declare no layout, for src/layout/plain: which are a table, and slices. What other
 * programs store is in tests/interop/test_plain.py. */
#include <stdio.h>
#include <stoa/layout.h>
#include <stoa/table.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/sweep.h"
#include "table/open/table.h"

/* Element i is i. */
static hid_t put(hid_t file, const char *path, int rank, const hsize_t *extent)
{
    const hid_t links = CHECK_H5(H5Pcreate(H5P_LINK_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, NULL));
    int32_t values[64];

    for (int32_t i = 0; i < 64; i++) {
        values[i] = i;
    }
    CHECK_H5(H5Pset_create_intermediate_group(links, 1));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, path, H5T_STD_I32LE, space, links, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(links));
    return dataset;
}

static void put_rows(hid_t file, const char *path, hsize_t n)
{
    CHECK_H5(H5Dclose(put(file, path, 1, &n)));
}

/* "a b: 3" of a table's columns and rows; the message if it is none. */
static void check_table(hid_t file, const char *path, const char *wanted)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    char text[256] = "";

    if (stoa_table_open(file, path, &table, &err) != STOA_OK) {
        CHECK_CONTAINS(err.message, wanted);
        return;
    }
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s ",
                       stoa_column_name(stoa_table_column(table, i)));
    }
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%llu",
                   (unsigned long long)stoa_table_n_rows(table));
    CHECK_STR(text, wanted);
    CHECK_STR(stoa_table_layout(table), "plain");
    stoa_table_close(table);
}

static hid_t make_file(void)
{
    const hid_t file = memory_file("plain.h5", false);

    put_rows(file, "/most/a", 3);
    put_rows(file, "/most/b", 3);
    put_rows(file, "/most/c", 3);
    put_rows(file, "/most/d", 9);
    put_rows(file, "/most/e", 9);
    put_rows(file, "/even/a", 3);
    put_rows(file, "/even/b", 3);
    put_rows(file, "/even/c", 4);
    put_rows(file, "/even/d", 4);
    put_rows(file, "/ones/a", 1);
    put_rows(file, "/ones/b", 1);
    put_rows(file, "/ones/c", 1);
    put_rows(file, "/ones/d", 2);
    put_rows(file, "/ones/e", 2);
    put_rows(file, "/single/a", 5);
    put_rows(file, "/single/b", 6);
    CHECK_H5(H5Dclose(put(file, "/img", 3, (const hsize_t[]){4, 3, 2})));
    return file;
}

static void the_most_common_length_makes_the_table(void)
{
    const hid_t file = make_file();

    check_table(file, "/most", "a b c 3");
    check_table(file, "/even", "c d 4");
    check_table(file, "/ones", "d e 2");
    check_table(file, "/single", "is no table");
    check_table(file, "/single/a", "a 5");
    check_table(file, "/most/e,d", "e d 9");
    check_table(file, "/most/a,d", "'d' has 9 rows, and 'a' 3");
    CHECK_H5(H5Fclose(file));
}

/* The values of a slice are compared with the positions that they are of. */
static void check_slice(hid_t file, const char *path, size_t n, const int32_t *wanted)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    struct ArrowArray array = {.release = NULL};

    CHECK_OK(stoa_table_open(file, path, &table, &err), &err);
    stoa_column *const column = stoa_table_column(table, 0);
    CHECK_OK(stoa_column_read(column, 0, stoa_table_n_rows(table), &array, &err), &err);
    const struct ArrowArray *const items = array.n_children > 0 ? array.children[0] : &array;
    CHECK_U64((uint64_t)items->length, n);
    CHECK_MEM(items->buffers[1], wanted, n * sizeof *wanted);
    array.release(&array);
    stoa_table_close(table);
}

static void slices_follow_the_rules_of_numpy(void)
{
    const hid_t file = make_file(); /* (i, j, k) is 6 i + 2 j + k */

    check_slice(file, "/img[1]", 6, (const int32_t[]){6, 7, 8, 9, 10, 11});
    check_slice(file, "/img[-1, 0]", 2, (const int32_t[]){18, 19});
    check_slice(file, "/img[..., 1, 0]", 4, (const int32_t[]){2, 8, 14, 20});
    check_slice(file, "/img[::-2, 2, :1]", 2, (const int32_t[]){22, 10});
    check_slice(file, "/img[3,2,1]", 1, (const int32_t[]){23});
    check_slice(file, "/img[ 1 : 3 , 1 , 1 ]", 2, (const int32_t[]){9, 15});
    check_table(file, "/img[9:]", "img 0");
    check_table(file, "/img[4]", "position 4 is outside of dimension 0, which has 4");
    check_table(file, "/img[..., ...]", "'...' is no position");
    check_table(file, "/img[]", "'' is no position");
    check_table(file, "/img[1:2:3:4]", "is no slice");
    check_table(file, "/img[:, 0:0]", "rows of 0 elements");
    CHECK_H5(H5Fclose(file));
}

static hid_t opened = H5I_INVALID_HID;

/* Opening a group of thousands of datasets must not open each of them. */
static void datasets_are_opened_when_their_columns_are_needed(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array = {.release = NULL};
    stoa_table *table = NULL;
    const hid_t file = make_file();

    CHECK_OK(stoa_table_open(file, "/most", &table, &err), &err);
    CHECK_U64((uint64_t)H5Fget_obj_count(file, H5F_OBJ_DATASET), 0);
    stoa_column *const column = stoa_table_find(table, "b");
    CHECK_OK(stoa_column_read(column, 0, 3, &array, &err), &err);
    CHECK_U64((uint64_t)H5Fget_obj_count(file, H5F_OBJ_DATASET), 1);
    CHECK_STR(stoa_column_name(column), "b");
    array.release(&array);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* It was found, and is gone when it is needed. */
static void a_column_that_cannot_be_opened_stays_damaged(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array = {.release = NULL};
    stoa_table *table = NULL;
    const hid_t file = make_file();

    CHECK_OK(stoa_table_open(file, "/most", &table, &err), &err);
    CHECK_H5(H5Ldelete(file, "/most/b", H5P_DEFAULT));
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(STOA_EDATA, stoa_column_read(stoa_table_find(table, "b"), 0, 3, &array, &err));
        CHECK_CONTAINS(err.message, "'b' cannot be opened");
    }
    CHECK_OK(stoa_column_read(stoa_table_find(table, "c"), 0, 3, &array, &err), &err);
    array.release(&array);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static stoa_status open_everything(stoa_error *err)
{
    static const char *const paths[] = {"/most", "/img"};
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < sizeof paths / sizeof *paths && status == STOA_OK; i++) {
        struct ArrowArray array = {.release = NULL};
        stoa_table *table = NULL;
        status = stoa_table_open(opened, paths[i], &table, err);
        if (status == STOA_OK) {
            status = stoa_column_read(stoa_table_column(table, 0), 0, 2, &array, err);
        }
        if (array.release != NULL) {
            array.release(&array);
        }
        stoa_table_close(table);
    }
    return status;
}

static void memory_may_run_out(void)
{
    opened = make_file();
    CHECK(sweep_memory_throughout(open_everything) > 50);
    CHECK_H5(H5Fclose(opened));
}

TEST_MAIN(TEST(the_most_common_length_makes_the_table), TEST(slices_follow_the_rules_of_numpy),
          TEST(datasets_are_opened_when_their_columns_are_needed),
          TEST(a_column_that_cannot_be_opened_stays_damaged), TEST(memory_may_run_out))
