/* What several columns or indexes share against HEP001 §10.2 and notes D6, D9: nothing that happens
 * to one of them makes the other wrong. */
#include <stdio.h>
#include <string.h>

#include "one_column.h"
#include "support/check.h"

enum { N_ROWS = 13, N_OLD = 8 };

static const int32_t fill = -1;
/* Equal up to N_OLD. */
static const int32_t x_rows[N_ROWS] = {2, 1, 2, 1, 2, 1, 2, 1, 3, 3, 1, 2, 3};
static const int32_t y_rows[N_ROWS] = {2, 1, 2, 1, 2, 1, 2, 1, 9, 8, 9, 1, 2};

/* Columns x and y, of which an index of `kind` is to be added by the caller; N_OLD rows. */
static one_column make_two(void)
{
    const one_column_spec spec = {.file_type = H5T_STD_I32LE,
                                  .mem_type = H5T_NATIVE_INT32,
                                  .fill = &fill,
                                  .values = x_rows,
                                  .extent = N_ROWS,
                                  .n_rows = N_OLD,
                                  .chunk_rows = 2};
    one_column made = one_column_make(&spec);

    CHECK_H5(H5Ocopy(made.group, "x", made.group, "y", H5P_DEFAULT, H5P_DEFAULT));
    const hid_t y = CHECK_H5(H5Dopen2(made.group, "y", H5P_DEFAULT));
    CHECK_H5(H5Dwrite(y, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, y_rows));
    CHECK_H5(H5Dclose(y));
    one_column_reopen(&made, N_OLD);
    return made;
}

static void add(const one_column *made, const char *column, const char *kind)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_add(made->table, column, kind, NULL, &err), &err);
}

/* `attribute` of `object` leads to these, by plain HDF5 calls. */
static void refer(const one_column *made, const char *object, const char *attribute,
                  const char *target, bool scalar)
{
    const hid_t from = CHECK_H5(H5Oopen(made->group, object, H5P_DEFAULT));
    const hid_t space =
        CHECK_H5(scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &(hsize_t){1}, NULL));
    H5R_ref_t reference;

    if (H5Aexists(from, attribute) > 0) {
        CHECK_H5(H5Adelete(from, attribute));
    }
    const hid_t attr =
        CHECK_H5(H5Acreate2(from, attribute, H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Rcreate_object(made->group, target, H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, &reference));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Oclose(from));
}

static bool has_list(const one_column *made, const char *column)
{
    return CHECK_H5(H5Aexists_by_name(made->group, column, "SEARCH_INDEX_LIST", H5P_DEFAULT)) > 0;
}

/* Bring both columns to n_rows as an edit of the table does. */
static void follow(one_column *made, uint64_t n_old, uint64_t n_rows)
{
    const char *const names[] = {"x", "y"};
    stoa_error err = STOA_ERROR_INIT;

    one_column_reopen(made, n_rows);
    stoa_column *columns[] = {stoa_table_find(made->table, "x"), stoa_table_find(made->table, "y")};
    CHECK_OK(stoa_index_links_settle(columns, 2, &err), &err);
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(stoa_index_extend_all(made->group, columns[i], n_old, n_rows, &err), &err);
    }
    for (size_t i = 0; i < 2; i++) {
        bool same = false;
        if (has_list(made, names[i])) {
            CHECK_OK(stoa_index_verify(made->table, names[i], NULL, &same, &err), &err);
            CHECK(same);
        }
    }
}

static const char *const paths[][2] = {{"minmax", "SEARCH_INDEXES/x__chunk_minmax"},
                                       {"sorted", "SEARCH_INDEXES/x__sorted_rows"},
                                       {"bitmap", "SEARCH_INDEXES/x__bitmap"},
                                       {"bloom", "SEARCH_INDEXES/x__chunk_bloom"}};

static void an_index_of_two_columns_is_left_to_the_first(void)
{
    for (size_t k = 0; k < 4; k++) {
        one_column made = make_two();

        add(&made, "x", paths[k][0]);
        refer(&made, "y", "SEARCH_INDEX_LIST", paths[k][1], false);
        follow(&made, N_OLD, N_ROWS);
        CHECK(has_list(&made, "x"));
        CHECK(!has_list(&made, "y"));
        one_column_free(&made);
    }
}

/* A reference that dangles leads to whatever is stored in its place next. */
static void a_dropped_index_is_nobodys_any_more(void)
{
    one_column made = make_two();
    stoa_error err = STOA_ERROR_INIT;

    add(&made, "x", "minmax");
    refer(&made, "y", "SEARCH_INDEX_LIST", paths[0][1], false);
    CHECK_OK(stoa_index_drop(made.table, "x", NULL, &err), &err);
    CHECK(!has_list(&made, "y"));
    one_column_free(&made);
}

static void the_second_column_can_let_go_or_have_its_own(void)
{
    one_column made = make_two();
    stoa_error err = STOA_ERROR_INIT;

    add(&made, "x", "minmax");
    refer(&made, "y", "SEARCH_INDEX_LIST", paths[0][1], false);
    CHECK_OK(stoa_index_drop(made.table, "y", NULL, &err), &err);
    CHECK(has_list(&made, "x"));
    CHECK(!has_list(&made, "y"));
    refer(&made, "y", "SEARCH_INDEX_LIST", paths[0][1], false);
    add(&made, "y", "minmax");
    CHECK(has_list(&made, "x"));
    follow(&made, N_OLD, N_ROWS);
    CHECK(has_list(&made, "y"));
    one_column_free(&made);
}

/* One dataset under two names is one column. */
static void two_names_of_a_column_share_its_index(void)
{
    one_column made = make_two();

    CHECK_H5(H5Ldelete(made.group, "y", H5P_DEFAULT));
    CHECK_H5(H5Lcreate_hard(made.group, "x", made.group, "y", H5P_DEFAULT, H5P_DEFAULT));
    one_column_reopen(&made, N_OLD);
    add(&made, "x", "sorted");
    follow(&made, N_OLD, N_ROWS);
    CHECK(has_list(&made, "x"));
    one_column_free(&made);
}

static void write_all(const one_column *made, const char *path, hid_t type, const void *values)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(made->group, path, H5P_DEFAULT));

    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(dataset));
}

static void remove_mark(const one_column *made, const char *path)
{
    CHECK_H5(H5Adelete_by_name(made->group, path, "stoa_complete", H5P_DEFAULT));
    CHECK_H5(H5Adelete_by_name(made->group, path, "ordered", H5P_DEFAULT));
}

/* Notes D6: two bitmaps may share a values dataset, in any order and with values that no row of the
 * one holds; here 7 is y's alone, and 3 comes to both. */
static void bitmaps_that_share_their_values_stay_right(void)
{
    const int32_t y_of_three[N_ROWS] = {2, 7, 2, 1, 2, 1, 2, 1, 3, 3, 1, 2, 3};
    const int32_t values[2][3] = {{1, 2, 7}, {7, 2, 1}};
    const uint8_t x_bits[2][3] = {{0xaa, 0x55, 0x00}, {0x00, 0x55, 0xaa}};
    const uint8_t y_bits[2][3] = {{0xa8, 0x55, 0x02}, {0x02, 0x55, 0xa8}};

    for (unsigned order = 0; order < 2; order++) {
        one_column made = make_two();
        stoa_error err = STOA_ERROR_INIT;
        bool same = false;

        write_all(&made, "x", H5T_NATIVE_INT32, y_of_three); /* so that 7 has a place, too */
        write_all(&made, "y", H5T_NATIVE_INT32, y_of_three);
        add(&made, "x", "bitmap");
        add(&made, "y", "bitmap");
        write_all(&made, "x", H5T_NATIVE_INT32, x_rows);
        write_all(&made, "SEARCH_INDEXES/x__bitmap_values", H5T_NATIVE_INT32, values[order]);
        write_all(&made, "SEARCH_INDEXES/x__bitmap", H5T_NATIVE_UINT8, x_bits[order]);
        write_all(&made, "SEARCH_INDEXES/y__bitmap", H5T_NATIVE_UINT8, y_bits[order]);
        refer(&made, "SEARCH_INDEXES/y__bitmap", "VALUES", "SEARCH_INDEXES/x__bitmap_values", true);
        CHECK_H5(H5Ldelete(made.group, "SEARCH_INDEXES/y__bitmap_values", H5P_DEFAULT));
        remove_mark(&made, "SEARCH_INDEXES/x__bitmap");
        remove_mark(&made, "SEARCH_INDEXES/y__bitmap");
        for (const char *column = "x"; *column <= 'y'; column = *column == 'x' ? "y" : "z") {
            CHECK_OK(stoa_index_verify(made.table, column, "bitmap", &same, &err), &err);
            CHECK(same);
        }
        follow(&made, N_OLD, N_ROWS);
        CHECK(has_list(&made, "x"));
        CHECK(has_list(&made, "y"));
        one_column_free(&made);
    }
}

static void sorted_indexes_that_share_their_cover_stay_right(void)
{
    one_column made = make_two();

    add(&made, "x", "sorted");
    one_column_cover(&made); /* as older Stoa did */
    add(&made, "y", "sorted");
    refer(&made, "SEARCH_INDEXES/y__sorted_rows", "sorted_values",
          "SEARCH_INDEXES/x__sorted_rows__sorted_values", true);
    refer(&made, "SEARCH_INDEXES/y__sorted_rows", "fence_keys",
          "SEARCH_INDEXES/x__sorted_rows__fence_keys", true);
    follow(&made, N_OLD, N_ROWS);
    CHECK(has_list(&made, "x"));
    CHECK(has_list(&made, "y"));
    one_column_free(&made);
}

TEST_MAIN(TEST(an_index_of_two_columns_is_left_to_the_first),
          TEST(a_dropped_index_is_nobodys_any_more),
          TEST(the_second_column_can_let_go_or_have_its_own),
          TEST(two_names_of_a_column_share_its_index),
          TEST(bitmaps_that_share_their_values_stay_right),
          TEST(sorted_indexes_that_share_their_cover_stay_right))
