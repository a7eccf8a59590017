/* LH5 fields and tables with dots in their own names, beside the dots that lead into tables
 * (stoa_lh5_path_of()). */
#include <stdlib.h>

#include <stoa/layout.h>

#include "hdf/metadata/attributes.h"
#include "layout/lh5_kit.h"
#include "support/batches.h"
#include "support/check.h"

enum { ROWS = 3 };

static const int64_t numbers[ROWS] = {1, 2, 3};
/* Columns of /t, and the paths of their objects. */
static const char *const columns[][2] = {{"n.a.b", "t/n/a.b"},
                                         {"n.c", "t/n/c"},
                                         {"p.q.d.e", "t/p.q/d.e"},
                                         {"x.y", "t/x.y"}};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static hid_t file = H5I_INVALID_HID;

/* A column that can grow, whose attribute `by` is its path. */
static void put_column(const char *path)
{
    const hsize_t n = ROWS;
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, (hsize_t[]){H5S_UNLIMITED}));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &n));
    const hid_t set =
        CHECK_H5(H5Dcreate2(file, path, H5T_STD_I64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
    lh5_say(set, "datatype", "array<1>{real}");
    lh5_say(set, "by", path);
    CHECK_H5(H5Dclose(set));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
}

static stoa_table *open_table(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    file = CHECK_H5(H5Fcreate(check_path("dots.lh5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    lh5_group(file, "t", "table{n,p.q,x.y}");
    lh5_group(file, "t/n", "table{a.b,c}");
    lh5_group(file, "t/p.q", "table{d.e}");
    for (size_t i = 0; i < N_COLUMNS; i++) {
        put_column(columns[i][1]);
    }
    CHECK_OK(stoa_table_open(file, "/t", &table, &err), &err);
    CHECK_U64(stoa_table_n_rows(table), ROWS);
    return table;
}

static void attributes_of_such_columns_are_saved_in_hep001(void)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *const table = open_table();

    options.layout = "hep001";
    CHECK_OK(stoa_layout_write_table(table, file, "/h", &options, NULL, &err), &err);
    stoa_table_close(table);
    const hid_t group = CHECK_H5(H5Gopen2(file, "h", H5P_DEFAULT));
    for (size_t i = 0; i < N_COLUMNS; i++) {
        char *by = NULL;
        const hid_t dataset = CHECK_H5(H5Dopen2(group, columns[i][0], H5P_DEFAULT));
        CHECK_OK(stoa_attribute_read_text(dataset, "by", &by, &err), &err);
        CHECK_STR(by, columns[i][1]);
        free(by);
        CHECK_H5(H5Dclose(dataset));
    }
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
}

static void such_columns_get_more_rows(void)
{
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch more = batch_begin(N_COLUMNS, ROWS);
    stoa_table *table = open_table();

    for (int64_t i = 0; i < N_COLUMNS; i++) {
        batch_integers(&more, i, columns[i][0], "l", numbers, NULL);
    }
    stream_of(&more, 1, &stream);
    CHECK_OK(stoa_layout_append(table, &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    stoa_table_close(table);
    CHECK_OK(stoa_table_open(file, "/t", &table, &err), &err);
    CHECK_U64(stoa_table_n_rows(table), 2 * ROWS);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(attributes_of_such_columns_are_saved_in_hep001), TEST(such_columns_get_more_rows))
