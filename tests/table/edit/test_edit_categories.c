/* Categories made, relabelled, shared, given up (HEP001 §8.7, §12). */
#include <stdio.h>
#include <string.h>

#include "column/column.h"
#include "hdf/metadata/references.h"
#include "table/columns_kit.h"

/* --- Categories ------------------------------------------------------------------------------- */

/* Codes as they lie in the file; the fill as -1. */
static const char *codes_text(hid_t file, const char *path)
{
    static char text[128];
    int64_t codes[32];
    int64_t fill = 0;
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t dcpl = H5Dget_create_plist(dataset);

    CHECK_H5(H5Pget_fill_value(dcpl, H5T_NATIVE_INT64, &fill));
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, codes));
    text[0] = '\0';
    for (int i = 0; i < N_ROWS; i++) {
        const size_t length = strlen(text);
        (void)snprintf(text + length, sizeof text - length, "%s%d", i > 0 ? " " : "",
                       codes[i] == fill ? -1 : (int)codes[i]);
    }
    H5Pclose(dcpl);
    H5Dclose(dataset);
    return text;
}

/* Labels of a column in the order of their codes. */
static const char *labels_text(stoa_table *table, const char *name)
{
    static char text[256];
    const stoa_column *column = stoa_table_find(table, name);
    stoa_view labels;

    CHECK_OK(stoa_view_of(&column->dictionary_schema, &column->dictionary, &labels, NULL));
    text[0] = '\0';
    for (int64_t i = 0; i < labels.length; i++) {
        (void)strcat(strcat(text, i > 0 ? " " : ""), value_text(&labels, i));
    }
    return text;
}

static void strings_become_categories_in_order_of_appearance_and_back(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_annotate(table, "s", "units", "m", &err), &err);
    CHECK_OK(stoa_column_categorize(table, "s", true, NULL, &err), &err);
    CHECK_STR(labels_text(table, "s"), "'b' 'a' '' 'c'");
    CHECK_STR(codes_text(file, "/t/s"), "0 1 -1 0 2 3");
    CHECK_STR(text_of(file, "/t/s", "units"), "m");
    CHECK_CONTAINS(layout_text(file, "/t/s"), "chunk 4,");
    CHECK(H5Aexists_by_name(file, "/t/s", "units_vocabulary", H5P_DEFAULT) == 0);
    expect_verified(table, "s");
    expect_unchanged(table, file);
    CHECK_OK(stoa_column_categorize(table, "s", true, NULL, &err), &err); /* it is */

    CHECK_OK(stoa_column_categorize(table, "s", false, NULL, &err), &err);
    CHECK(!stoa_column_is_categorical(stoa_table_find(table, "s")));
    CHECK(H5Aexists_by_name(file, "/t/s", "CATEGORIES", H5P_DEFAULT) == 0);
    CHECK_U64(n_links(file, "/t/CATEGORIES"), 2);
    CHECK_STR(text_of(file, "/t/s", "units"), "m");
    expect_verified(table, "s");
    expect_unchanged(table, file);

    CHECK_OK(stoa_column_categorize(table, "c", false, NULL, &err), &err);
    CHECK_OK(stoa_column_categorize(table, "d", false, NULL, &err), &err);
    CHECK(H5Lexists(file, "/t/CATEGORIES", H5P_DEFAULT) == 0);
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void labels_are_reordered_added_and_taken_away(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    const char *const labels[] = {"w", "new", "u", "v"};

    CHECK_STR(codes_text(file, "/t/c"), "0 1 -1 0 2 1");
    CHECK_OK(stoa_column_relabel(table, "c", labels, 4, true, NULL, &err), &err);
    CHECK_STR(labels_text(table, "c"), "'w' 'new' 'u' 'v'");
    CHECK_STR(codes_text(file, "/t/c"), "2 3 -1 2 0 3");
    CHECK(stoa_table_find(table, "c")->is_ordered);
    expect_verified(table, "c");
    expect_unchanged(table, file);

    /* An unused label goes. */
    CHECK_OK(stoa_column_relabel(table, "c", (const char *[]){"u", "v", "w"}, 3, false, NULL, &err),
             &err);
    CHECK_STR(labels_text(table, "c"), "'u' 'v' 'w'");
    CHECK(!stoa_table_find(table, "c")->is_ordered);
    expect_unchanged(table, file);

    /* Labels behind the others change no code, and no column. */
    H5O_info2_t before;
    H5O_info2_t after;
    int order = 1;
    CHECK_H5(H5Oget_info_by_name3(file, "/t/c", &before, H5O_INFO_BASIC, H5P_DEFAULT));
    CHECK_OK(
        stoa_column_relabel(table, "c", (const char *[]){"u", "v", "w", "ä"}, 4, false, NULL, &err),
        &err);
    CHECK_H5(H5Oget_info_by_name3(file, "/t/c", &after, H5O_INFO_BASIC, H5P_DEFAULT));
    CHECK_H5(H5Otoken_cmp(file, &before.token, &after.token, &order));
    CHECK_I64(order, 0);
    CHECK_STR(labels_text(table, "c"), "'u' 'v' 'w' 'ä'");
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void labels_that_rows_use_cannot_go_and_none_stands_twice(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    const char *const labels[] = {"u", "w", "u"};

    CHECK_STATUS(STOA_ELOSS, stoa_column_relabel(table, "c", labels, 2, false, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "'v'");
    CHECK_CONTAINS(err.message, "'c'");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EINVAL, stoa_column_relabel(table, "c", labels, 3, false, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "'u' stands twice");
    CHECK_STATUS(STOA_EINVAL,
                 stoa_column_relabel(table, "c", (const char *[]){"\xff"}, 1, false, NULL, NULL));
    CHECK_STATUS(STOA_ETYPE, stoa_column_relabel(table, "s", labels, 2, false, NULL, &err));
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_shared_code_book_stays_shared(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STR(labels_text(table, "d"), "'v' 'y' 'u'");
    CHECK_OK(stoa_column_share(table, "d", "c", NULL, &err), &err);
    CHECK_STR(labels_text(table, "c"), "'u' 'v' 'w' 'y'");
    CHECK_STR(labels_text(table, "d"), "'u' 'v' 'w' 'y'");
    CHECK_STR(codes_text(file, "/t/c"), "0 1 -1 0 2 1");
    CHECK_STR(codes_text(file, "/t/d"), "1 3 3 0 0 0");
    CHECK_U64(n_links(file, "/t/CATEGORIES"), 1);
    CHECK_STR(targets_text(file, "/t/d", "CATEGORIES"), "c__CATEGORIES");
    expect_unchanged(table, file);
    CHECK_OK(stoa_column_share(table, "d", "c", NULL, &err), &err); /* they do */

    CHECK_OK(
        stoa_column_relabel(table, "d", (const char *[]){"y", "w", "v", "u"}, 4, true, NULL, &err),
        &err);
    CHECK_STR(codes_text(file, "/t/c"), "3 2 -1 3 1 2");
    CHECK_STR(codes_text(file, "/t/d"), "2 0 0 3 3 3");
    CHECK(stoa_same_object(stoa_table_find(table, "c")->categories,
                           stoa_table_find(table, "d")->categories));
    expect_verified(table, "c");
    expect_unchanged(table, file);
    /* A label that only the other one uses cannot go either. */
    CHECK_STATUS(STOA_ELOSS, stoa_column_relabel(table, "d", (const char *[]){"y", "u", "v"}, 3,
                                                 false, NULL, &err));
    CHECK_CONTAINS(err.message, "'w'");

    /* Made apart again: the other keeps the book. */
    CHECK_OK(stoa_column_categorize(table, "d", false, NULL, NULL));
    CHECK_U64(n_links(file, "/t/CATEGORIES"), 1);
    CHECK_OK(stoa_column_categorize(table, "d", true, NULL, NULL));
    CHECK_U64(n_links(file, "/t/CATEGORIES"), 2);
    /* c's categories are ordered, and have all of d's labels: nothing is lost. */
    CHECK_OK(stoa_column_share(table, "d", "c", NULL, NULL));
    CHECK(stoa_table_find(table, "d")->is_ordered);
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void an_ordered_code_book_takes_no_labels_in_by_itself(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_column_relabel(table, "c", (const char *[]){"w", "v", "u"}, 3, true, NULL, &err),
             &err);
    CHECK_STATUS(STOA_ELOSS, stoa_column_share(table, "d", "c", NULL, &err), &err);
    CHECK_CONTAINS(err.message, "'y'");
    CHECK_STATUS(STOA_ETYPE, stoa_column_share(table, "s", "c", NULL, NULL));
    CHECK_STATUS(STOA_ENOTFOUND, stoa_column_share(table, "d", "nope", NULL, NULL));
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void rows_bring_no_label_into_an_ordered_code_book(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    const stoa_assignment fresh = {"c", "'new'"};
    const stoa_assignment known = {"c", "c"};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;

    CHECK_OK(stoa_column_relabel(table, "c", (const char *[]){"w", "v", "u"}, 3, true, NULL, &err),
             &err);
    CHECK_STATUS(STOA_ELOSS, stoa_table_update(table, NULL, &fresh, 1, NULL, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "'new'");
    CHECK_CONTAINS(err.message, "ordered");
    expect_unchanged(table, file);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_OK(stoa_table_update(table, NULL, &known, 1, NULL, &n, &err), &err);
    CHECK_U64(n, stoa_table_n_rows(table));
    CHECK(stoa_table_find(table, "c")->is_ordered);
    /* Rows of which some have 'u' and 'v'. */
    const stoa_assignment one = {"c", "'w'"};
    batch b = six_columns();
    CHECK_OK(stoa_table_update(table, NULL, &one, 1, NULL, NULL, &err), &err);
    CHECK_OK(stoa_column_relabel(table, "c", (const char *[]){"w"}, 1, true, NULL, &err), &err);
    CHECK_STATUS(STOA_ELOSS, append(table, &b, &err), &err);
    CHECK_CONTAINS(err.message, "'u'");
    CHECK_U64(stoa_table_n_rows(table), 6);
    EXPECT(table, "c", "'w'", "'w'", "'w'", "'w'", "'w'", "'w'");
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void of_a_long_label_a_message_has_the_first_200_bytes(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    char label[301] = "";
    char shown[256];

    memset(label, 'x', 300);
    (void)snprintf(shown, sizeof shown, "'%.200s'", label);
    CHECK_OK(stoa_column_relabel(table, "c", (const char *[]){"w", "v", "u"}, 3, true, NULL, &err),
             &err);
    batch b = six_columns();
    batch one = batch_begin(1, N_ROWS);
    batch_categories(&one, 0, "c", (const char *[]){label, "u", "u", "u", "u", "u"});
    b.schema.children[3]->release(b.schema.children[3]);
    b.array.children[3]->release(b.array.children[3]);
    stoa_schema_move(one.schema.children[0], b.schema.children[3]);
    stoa_array_move(one.array.children[0], b.array.children[3]);
    batch_end(&one);
    CHECK_STATUS(STOA_ELOSS, append(table, &b, &err), &err);
    CHECK_CONTAINS(err.message, shown);
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void codes_are_widened_when_labels_do_not_fit(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    static char texts[40000][16];
    static const char *labels[40000];

    for (int i = 0; i < 40000; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "l%d", i);
        labels[i] = texts[i];
    }
    labels[0] = "u";
    labels[1] = "v";
    labels[2] = "w";
    CHECK_OK(stoa_column_share(table, "d", "c", NULL, NULL));
    labels[3] = "y";
    for (int turn = 0; turn < 3; turn++) {
        /* int8 holds 128 codes and has a fill below 0 besides. */
        static const size_t counts[] = {128, 129, 40000};
        static const size_t sizes[] = {1, 2, 4};
        CHECK_OK(stoa_column_relabel(table, "c", labels, counts[turn], false, NULL, &err), &err);
        CHECK_U64(stoa_table_find(table, "c")->element.size, sizes[turn]);
        CHECK_U64(stoa_table_find(table, "d")->element.size, sizes[turn]);
        expect_verified(table, "c");
        expect_unchanged(table, file);
    }
    stoa_table_close(table);
    H5Fclose(file);
}

/* A categorical column whose labels are numbers: codes uint8, fill 255. */
static void add_numeric_categories(hid_t file, uint8_t code)
{
    const hsize_t n = 10;
    const hid_t space = H5Screate_simple(1, &n, NULL);
    const hid_t three = H5Screate_simple(1, &(hsize_t){3}, NULL);
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const uint8_t codes[10] = {0, 1, 255, 2, code, 0, 0, 0, 0, 0};
    const double values[] = {10.5, 20.5, 30.5};
    H5R_ref_t reference;

    const hid_t labels = H5Dcreate2(file, "/t/CATEGORIES/numbers", H5T_IEEE_F64BE, three,
                                    H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK_H5(H5Dwrite(labels, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_UINT8, &(uint8_t){255}));
    const hid_t dataset =
        H5Dcreate2(file, "/t/q", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, codes));
    const hid_t attr =
        H5Acreate2(dataset, "CATEGORIES", H5T_STD_REF, scalar, H5P_DEFAULT, H5P_DEFAULT);
    CHECK_H5(H5Rcreate_object(file, "/t/CATEGORIES/numbers", H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, &reference));
    H5Rdestroy(&reference);
    H5Aclose(attr);
    H5Dclose(dataset);
    H5Dclose(labels);
    H5Pclose(dcpl);
    H5Sclose(scalar);
    H5Sclose(three);
    H5Sclose(space);
    CHECK_H5(H5Adelete_by_name(file, "/t", "column-order", H5P_DEFAULT));
}

static void code_books_of_numbers_are_left_as_they_are(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    stoa_table_close(table);
    add_numeric_categories(file, 1);
    table = open_table(file, "/t");
    EXPECT(table, "q", "10.5", "20.5", "null", "30.5", "20.5", "10.5");
    CHECK_STATUS(STOA_ETYPE,
                 stoa_column_relabel(table, "q", (const char *[]){"10.5"}, 1, false, NULL, &err),
                 &err);
    CHECK_CONTAINS(err.message, "strings");
    CHECK_STATUS(STOA_ETYPE, stoa_column_share(table, "q", "c", NULL, NULL));
    CHECK_STATUS(STOA_ETYPE, stoa_column_share(table, "c", "q", NULL, NULL));
    EXPECT(table, "q", "10.5", "20.5", "null", "30.5", "20.5", "10.5");
    CHECK_OK(stoa_column_set_storage(table, &(stoa_column_options){"q", "deflate", 4}, NULL, NULL));
    CHECK_OK(stoa_column_rename(table, "q", "r", NULL));
    EXPECT(table, "r", "10.5", "20.5", "null", "30.5", "20.5", "10.5");
    check_conformant(file, "/t");
    CHECK_OK(stoa_column_categorize(table, "r", false, NULL, NULL));
    EXPECT(table, "r", "10.5", "20.5", "null", "30.5", "20.5", "10.5");
    check_conformant(file, "/t");
    CHECK_OK(stoa_column_drop(table, "r", NULL));
    CHECK_U64(n_links(file, "/t/CATEGORIES"), 2);
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_code_without_a_label_is_damage_that_an_edit_names(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    const int8_t wrong = 99;

    const hid_t dataset = H5Dopen2(file, "/t/c", H5P_DEFAULT);
    const hid_t all = H5Dget_space(dataset);
    const hid_t one = H5Screate_simple(1, &(hsize_t){1}, NULL);
    CHECK_H5(H5Sselect_hyperslab(all, H5S_SELECT_SET, &(hsize_t){4}, NULL, &(hsize_t){1}, NULL));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT8, one, all, H5P_DEFAULT, &wrong));
    H5Sclose(one);
    H5Sclose(all);
    H5Dclose(dataset);
    CHECK_STATUS(
        STOA_EDATA,
        stoa_column_relabel(table, "c", (const char *[]){"w", "v", "u"}, 3, false, NULL, &err),
        &err);
    CHECK_CONTAINS(err.message, "row 4 of 'c'");
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_damaged_label_is_told_with_the_name_of_its_column(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 2);
    stoa_error err = STOA_ERROR_INIT;
    const int64_t wrong[] = {1, INT64_MAX};

    batch_integers(&b, 0, "b", "tdD", (int64_t[]){20, 21}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_column_categorize(table, "b", true, NULL, &err), &err);
    stoa_table_close(table);
    const hid_t labels = H5Dopen2(file, "/t/CATEGORIES/b__CATEGORIES", H5P_DEFAULT);
    const hid_t type = H5Dget_type(labels);
    CHECK_H5(H5Dwrite(labels, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, wrong));
    H5Tclose(type);
    H5Dclose(labels);
    table = open_table(file, "/t");
    CHECK_STATUS(STOA_ERANGE, stoa_column_load(stoa_table_find(table, "b"), &err), &err);
    CHECK_CONTAINS(err.message, "'b' holds 9223372036854775807 days");
    stoa_table_close(table);
    H5Fclose(file);
}

static void one_dataset_under_two_names_is_not_rewritten(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    stoa_table_close(table);
    CHECK_H5(H5Lcreate_hard(file, "/t/c", file, "/t/twin", H5P_DEFAULT, H5P_DEFAULT));
    table = open_table(file, "/t");
    CHECK_STATUS(STOA_EDATA, restore(table, "c", "none", 8, &err), &err);
    CHECK_CONTAINS(err.message, "'twin'");
    CHECK_STATUS(STOA_EDATA, stoa_column_categorize(table, "twin", false, NULL, NULL));
    CHECK_STATUS(STOA_EDATA, stoa_column_relabel(table, "c", (const char *[]){"w", "v", "u"}, 3,
                                                 false, NULL, NULL));
    CHECK_OK(stoa_column_drop(table, "twin", NULL));
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static stoa_status categorize_s(stoa_table *table, stoa_error *err)
{
    return stoa_column_categorize(table, "s", true, NULL, err);
}

static stoa_status make_c_plain(stoa_table *table, stoa_error *err)
{
    return stoa_column_categorize(table, "c", false, NULL, err);
}

static stoa_status relabel_c(stoa_table *table, stoa_error *err)
{
    return stoa_column_relabel(table, "c", (const char *[]){"w", "v", "u", "z"}, 4, true, NULL,
                               err);
}

static stoa_status share_c(stoa_table *table, stoa_error *err)
{
    return stoa_column_share(table, "c", "d", NULL, err);
}

static void categories_change_or_memory_ran_out(void)
{
    sweep_edit(categorize_s);
    sweep_edit(make_c_plain);
    sweep_edit(relabel_c);
    sweep_edit(share_c);
}

TEST_MAIN(TEST(strings_become_categories_in_order_of_appearance_and_back),
          TEST(labels_are_reordered_added_and_taken_away),
          TEST(labels_that_rows_use_cannot_go_and_none_stands_twice),
          TEST(a_shared_code_book_stays_shared),
          TEST(an_ordered_code_book_takes_no_labels_in_by_itself),
          TEST(rows_bring_no_label_into_an_ordered_code_book),
          TEST(of_a_long_label_a_message_has_the_first_200_bytes),
          TEST(codes_are_widened_when_labels_do_not_fit),
          TEST(code_books_of_numbers_are_left_as_they_are),
          TEST(a_code_without_a_label_is_damage_that_an_edit_names),
          TEST(a_damaged_label_is_told_with_the_name_of_its_column),
          TEST(one_dataset_under_two_names_is_not_rewritten),
          TEST(categories_change_or_memory_ran_out))
