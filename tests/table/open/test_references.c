/* Columns of references: shown as the paths that they point to, and never written (HEP001 §5,
 * §8.3). */
#include <string.h>

#include "table/kit.h"

enum { N_ROWS = 4 };

/* A table "/t" of "n" and of "x", which is replaced by a dataset of `type`. It is not written yet.
 */
static hid_t make_column(hid_t file, hid_t type)
{
    batch b = batch_begin(2, N_ROWS);
    const int64_t numbers[N_ROWS] = {0, 1, 2, 3};

    batch_integers(&b, 0, "n", "l", numbers, NULL);
    batch_integers(&b, 1, "x", "l", numbers, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));
    const hid_t old = CHECK_H5(H5Dopen2(group, "x", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(old));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){1024}));
    CHECK_H5(H5Ldelete(group, "x", H5P_DEFAULT));
    const hid_t made =
        CHECK_H5(H5Dcreate2(group, "x", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(old));
    CHECK_H5(H5Gclose(group));
    return made;
}

/* To the table, to its column, to nothing, to the table. */
static hid_t make_old(hid_t file)
{
    const hid_t column = make_column(file, H5T_STD_REF_OBJ);
    hobj_ref_t references[N_ROWS] = {0};

    CHECK_H5(H5Rcreate(&references[0], file, "/t", H5R_OBJECT, H5I_INVALID_HID));
    CHECK_H5(H5Rcreate(&references[1], file, "/t/n", H5R_OBJECT, H5I_INVALID_HID));
    CHECK_H5(H5Rcreate(&references[3], file, "/t", H5R_OBJECT, H5I_INVALID_HID));
    CHECK_H5(H5Dwrite(column, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references));
    return column;
}

static hid_t make_new(hid_t file)
{
    const hid_t column = make_column(file, H5T_STD_REF);
    H5R_ref_t references[N_ROWS];

    memset(references, 0, sizeof references);
    CHECK_H5(H5Rcreate_object(file, "/t", H5P_DEFAULT, &references[0]));
    CHECK_H5(H5Rcreate_object(file, "/t/n", H5P_DEFAULT, &references[1]));
    CHECK_H5(H5Rcreate_object(file, "/t", H5P_DEFAULT, &references[3]));
    CHECK_H5(H5Dwrite(column, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, references));
    for (int i = 0; i < N_ROWS; i++) {
        if (i != 2) {
            CHECK_H5(H5Rdestroy(&references[i]));
        }
    }
    return column;
}

static void references_are_shown_as_paths(void)
{
    for (int is_old = 0; is_old < 2; is_old++) {
        const hid_t file = new_file();

        CHECK_H5(H5Dclose(is_old ? make_old(file) : make_new(file)));
        stoa_table *table = open_table(file, "/t");
        EXPECT(table, "x", "'/t'", "'/t/n'", "null", "'/t'");
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

static void references_to_regions_are_shown_as_paths(void)
{
    const hid_t file = new_file();
    const hid_t column = make_column(file, H5T_STD_REF_DSETREG);
    const hid_t target = CHECK_H5(H5Dopen2(file, "/t/n", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(target));
    hdset_reg_ref_t references[N_ROWS];

    memset(references, 0, sizeof references);
    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){1}, NULL, &(hsize_t){2}, NULL));
    CHECK_H5(H5Rcreate(&references[0], file, "/t/n", H5R_DATASET_REGION, space));
    CHECK_H5(H5Rcreate(&references[3], file, "/t/n", H5R_DATASET_REGION, space));
    CHECK_H5(H5Dwrite(column, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, references));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(target));
    CHECK_H5(H5Dclose(column));
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "x", "'/t/n'", "null", "null", "'/t/n'");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Whatever would have to write them says so, with the column's name, and changes nothing. */
static void references_are_not_written(void)
{
    for (int is_old = 0; is_old < 2; is_old++) {
        const hid_t file = new_file();
        stoa_error err = STOA_ERROR_INIT;
        uint64_t n = 0;

        CHECK_H5(H5Dclose(is_old ? make_old(file) : make_new(file)));
        stoa_table *table = open_table(file, "/t");
        batch b = batch_begin(2, 1);
        batch_integers(&b, 0, "n", "l", (const int64_t[]){4}, NULL);
        batch_strings(&b, 1, "x", (const char *const[]){"/t"});
        CHECK_STATUS(STOA_ETYPE, append(table, &b, &err), &err);
        CHECK_CONTAINS(err.message, "column 'x' is of references");
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_STATUS(STOA_ETYPE,
                     stoa_table_update(table, "n = 1", (const stoa_assignment[]){{"x", "'/t'"}}, 1,
                                       NULL, &n, &err),
                     &err);
        CHECK_CONTAINS(err.message, "column 'x' of references");
        if (is_old) {
            err = (stoa_error)STOA_ERROR_INIT;
            CHECK_STATUS(STOA_ETYPE, stoa_table_delete(table, "n = 1", NULL, &n, &err), &err);
            CHECK_CONTAINS(err.message, "column 'x' is of references");
        }
        EXPECT(table, "x", "'/t'", "'/t/n'", "null", "'/t'");
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

TEST_MAIN(TEST(references_are_shown_as_paths), TEST(references_to_regions_are_shown_as_paths),
          TEST(references_are_not_written))
