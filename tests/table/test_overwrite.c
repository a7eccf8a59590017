/* Where the rows of an update go, in place or into a column written anew:
 * src/column/write/overwrite.c.
 */
#include "column/write/overwrite.h"

#include "table/edited.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

/* A column of `n` rows of a type, of which nothing is stored: however large, it takes no room. */
static stoa_column *unwritten(hid_t file, hid_t type, const void *fill, uint64_t n)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &(hsize_t){n}, &(hsize_t){H5S_UNLIMITED});
    stoa_error err = STOA_ERROR_INIT;
    stoa_column *column = NULL;

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){16}));
    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(dcpl, type, fill));
    }
    const hid_t dataset = (hid_t)CHECK_H5(H5Dcreate_anon(file, type, space, dcpl, H5P_DEFAULT));
    CHECK_OK(stoa_column_open(dataset, "x", n, NULL, &column, &err), &err);
    H5Sclose(space);
    H5Pclose(dcpl);
    return column;
}

/* Whether that many of the column's rows are overwritten where they are. */
static bool in_place(stoa_column *column, uint64_t n_touched)
{
    stoa_overwrite overwrite = {.column = column};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_overwrite_prepare(&overwrite, n_touched, NULL, &err), &err);
    const bool is_there = overwrite.fresh == NULL;
    stoa_overwrite_clear(&overwrite);
    return is_there;
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void what_an_update_keeps_in_memory_is_64_mib_at_most(void)
{
    const hid_t file = new_file();
    const hid_t text = H5Tcopy(H5T_C_S1);

    CHECK_H5(H5Tset_size(text, 1 << 20));
    stoa_column *column = unwritten(file, text, NULL, 140);
    CHECK(in_place(column, 64));
    CHECK(!in_place(column, 65));
    stoa_column_close(column);
    H5Tclose(text);
    H5Fclose(file);
}

/* Their bytes are elsewhere: 256 of each are reckoned with. */
static void texts_of_any_length_are_kept_up_to_64_mib_too(void)
{
    const hid_t file = new_file();
    const hid_t text = H5Tcopy(H5T_C_S1);

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    stoa_column *column = unwritten(file, text, NULL, 530000);
    CHECK(in_place(column, 262144));
    CHECK(!in_place(column, 262145));
    stoa_column_close(column);
    H5Tclose(text);
    H5Fclose(file);
}

static void most_of_a_column_is_written_anew_where_it_is_over_a_mebibyte(void)
{
    const hid_t file = new_file();
    const int64_t fill = -1;
    stoa_column *column = unwritten(file, H5T_STD_I64LE, &fill, 400000);

    CHECK(in_place(column, 200000));
    CHECK(!in_place(column, 200001));
    stoa_column_close(column);
    column = unwritten(file, H5T_STD_I64LE, &fill, 131073);
    CHECK(in_place(column, 131072));
    CHECK(!in_place(column, 131073));
    stoa_column_close(column);
    H5Fclose(file);
}

static void rows_near_each_other_are_written_at_once(void)
{
    CHECK_U64(stoa_overwrite_touches(NULL, 0), 0);
    CHECK_U64(stoa_overwrite_touches((uint64_t[]){7}, 1), 1);
    CHECK_U64(stoa_overwrite_touches((uint64_t[]){7, 8}, 2), 2);
    CHECK_U64(stoa_overwrite_touches((uint64_t[]){7, 519}, 2), 513);
    CHECK_U64(stoa_overwrite_touches((uint64_t[]){7, 520}, 2), 2);
    CHECK_U64(stoa_overwrite_touches((uint64_t[]){7, 100, 1000, 1001}, 4), 96);
}

/* No run has more rows than are read at a time. */
static void a_run_ends_at_65536_rows(void)
{
    static uint64_t rows[129];

    for (size_t i = 0; i < 128; i++) {
        rows[i] = i * 512;
    }
    rows[128] = 65535;
    CHECK_U64(stoa_overwrite_touches(rows, 129), 65536);
    rows[128] = 65536;
    CHECK_U64(stoa_overwrite_touches(rows, 129), 65025 + 1);
}

/* A table of a column of foreign make, without a fill value. */
static stoa_table *table_without_fill(hid_t file)
{
    batch b = batch_begin(1, 4);

    batch_integers(&b, 0, "i", "l", (int64_t[]){0, 1, 2, 3}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    CHECK_H5(H5Adelete_by_name(file, "/t", "column-order", H5P_DEFAULT));
    const hid_t space = H5Screate_simple(1, &(hsize_t){4}, NULL);
    const hid_t dataset = (hid_t)CHECK_H5(
        H5Dcreate2(file, "/t/x", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(
        H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, (int[]){0, 10, 20, 30}));
    H5Dclose(dataset);
    H5Sclose(space);
    return open_table(file, "/t");
}

static void one_missing_value_gives_a_column_without_a_fill_one(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_without_fill(file);
    const stoa_assignment set = {"x", "null"};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;

    CHECK_OK(stoa_table_update(table, "i = 2", &set, 1, NULL, &n, &err), &err);
    CHECK_U64(n, 1);
    EXPECT(table, "x", "0", "10", "null", "30");
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

static void a_column_without_a_fill_stays_where_it_is_while_no_value_is_missing(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_without_fill(file);
    const H5O_token_t before = token_of(file, "/t/x");

    CHECK_U64(update(table, "i = 2", "x", "5"), 1);
    const H5O_token_t after = token_of(file, "/t/x");
    CHECK_SAME_OBJECT(after, before);
    EXPECT(table, "x", "0", "10", "5", "30");
    stoa_table_close(table);
    H5Fclose(file);
}

TEST_MAIN(TEST(what_an_update_keeps_in_memory_is_64_mib_at_most),
          TEST(texts_of_any_length_are_kept_up_to_64_mib_too),
          TEST(most_of_a_column_is_written_anew_where_it_is_over_a_mebibyte),
          TEST(rows_near_each_other_are_written_at_once), TEST(a_run_ends_at_65536_rows),
          TEST(one_missing_value_gives_a_column_without_a_fill_one),
          TEST(a_column_without_a_fill_stays_where_it_is_while_no_value_is_missing))
