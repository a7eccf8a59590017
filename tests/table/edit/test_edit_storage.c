/* Columns in another codec or chunk length (HEP001 §8.4), to the last bit as they were. */
#include <stdio.h>
#include <stdlib.h>

#include "column/column.h"
#include "hdf/metadata/references.h"
#include "table/columns_kit.h"

/* The column has the other one's index in its list, which HEP001 §10.2 forbids. */
static void share_index(hid_t file, const char *of, const char *with)
{
    const hid_t from = (hid_t)CHECK_H5(H5Dopen2(file, of, H5P_DEFAULT));
    const hid_t to = (hid_t)CHECK_H5(H5Dopen2(file, with, H5P_DEFAULT));
    hid_t *targets = NULL;
    size_t n = 0;

    CHECK_OK(stoa_references_read(from, "SEARCH_INDEX_LIST", &targets, &n, NULL));
    CHECK_U64(n, 1);
    CHECK_OK(stoa_references_write(to, "SEARCH_INDEX_LIST", targets, n, false, false, NULL));
    H5Dclose(targets[0]);
    free(targets);
    H5Dclose(to);
    H5Dclose(from);
}

static void an_index_of_two_columns_stays_the_first_ones_when_the_second_moves(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    share_index(file, "/t/i", "/t/x");
    CHECK_OK(restore(table, "x", "deflate:9", 2, &err), &err);
    expect_verified(table, "i");
    CHECK(H5Aexists_by_name(file, "/t/x", "SEARCH_INDEX_LIST", H5P_DEFAULT) == 0);
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

/* What the only reference of a column's list leads to. */
static H5O_token_t index_token(hid_t file, const char *path)
{
    const hid_t column = (hid_t)CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    hid_t *targets = NULL;
    size_t n = 0;
    H5O_info2_t info;

    CHECK_OK(stoa_references_read(column, "SEARCH_INDEX_LIST", &targets, &n, NULL));
    CHECK_U64(n, 1);
    CHECK_H5(H5Oget_info3(targets[0], &info, H5O_INFO_BASIC));
    H5Dclose(targets[0]);
    free(targets);
    H5Dclose(column);
    return info.token;
}

static void an_index_that_knows_of_no_chunks_stays_as_it_is_when_they_change(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_add(table, "t", "sorted", NULL, &err), &err);
    const H5O_token_t before = index_token(file, "/t/t");
    CHECK_OK(restore(table, "t", "none", 2, &err), &err);
    const H5O_token_t after = index_token(file, "/t/t");
    CHECK_MEM(&after, &before, sizeof before);
    expect_verified(table, "t");
    stoa_table_close(table);
    H5Fclose(file);
}

/* It may have an entry for each chunk, or not. */
static void an_index_of_unknown_kind_goes_when_chunks_change(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    const char novelty[] = "SORTED_NOVELTY";

    CHECK_OK(stoa_index_add(table, "t", "sorted", NULL, &err), &err);
    stoa_table_close(table);
    const hid_t index =
        (hid_t)CHECK_H5(H5Dopen2(file, "/t/SEARCH_INDEXES/t__sorted_rows", H5P_DEFAULT));
    const hid_t text = H5Tcopy(H5T_C_S1);
    const hid_t space = H5Screate(H5S_SCALAR);
    CHECK_H5(H5Tset_size(text, sizeof novelty));
    CHECK_H5(H5Adelete(index, "KIND"));
    const hid_t kind =
        (hid_t)CHECK_H5(H5Acreate2(index, "KIND", text, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(kind, text, novelty));
    H5Aclose(kind);
    H5Sclose(space);
    H5Tclose(text);
    H5Dclose(index);
    table = open_table(file, "/t");
    CHECK_OK(restore(table, "t", "none", 4, &err), &err); /* the chunks are the same */
    CHECK(H5Aexists_by_name(file, "/t/t", "SEARCH_INDEX_LIST", H5P_DEFAULT) > 0);
    CHECK_OK(restore(table, "t", "none", 2, &err), &err);
    CHECK(H5Aexists_by_name(file, "/t/t", "SEARCH_INDEX_LIST", H5P_DEFAULT) == 0);
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

/* --- Storage ---------------------------------------------------------------------------------- */

static void a_column_moves_into_another_storage_and_back(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_annotate(table, "i", "note", "kept", &err), &err);
    CHECK_OK(restore(table, "i", "deflate:9", 2, &err), &err);
    CHECK_STR(layout_text(file, "/t/i"), "chunk 2, 1 filters");
    CHECK_STR(text_of(file, "/t/i", "note"), "kept");
    CHECK_STR(targets_text(file, "/t", "INDEX_COLUMNS"), "i t x");
    expect_verified(table, "i");
    expect_unchanged(table, file);

    CHECK_OK(restore(table, "i", NULL, 5, &err), &err); /* the filters stay */
    CHECK_STR(layout_text(file, "/t/i"), "chunk 5, 1 filters");
    CHECK_OK(restore(table, "i", "none", 0, &err), &err); /* the chunks stay */
    CHECK_STR(layout_text(file, "/t/i"), "chunk 5, 0 filters");
    CHECK_OK(restore(table, "i", NULL, STOA_CONTIGUOUS, &err), &err);
    CHECK_STR(layout_text(file, "/t/i"), "chunk 0, 0 filters");
    expect_verified(table, "i");
    expect_unchanged(table, file);
    CHECK_OK(restore(table, "i", "small", 0, &err), &err); /* packing takes chunks */
    CHECK_STR(layout_text(file, "/t/i"), "chunk 1024, 1 filters");
    for (size_t k = 0; k < 6; k++) {
        static const char *const names[] = {"i", "x", "s", "c", "d", "t"};
        CHECK_OK(restore(table, names[k], "auto", 3, &err), &err);
    }
    expect_unchanged(table, file);
    CHECK_U64(stoa_table_find(table, "c")->extent, 10);
    batch b = six_columns();
    CHECK_OK(append(table, &b, &err), &err);
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void storage_that_cannot_be_is_refused(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    stoa_error huge = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EINVAL, restore(table, "i", "deflate", STOA_CONTIGUOUS, &err), &err);
    CHECK_CONTAINS(err.message, "contiguous");
    CHECK_STATUS(STOA_EINVAL, restore(table, "i", "nope", 0, NULL));
    CHECK_STATUS(STOA_EINVAL, restore(table, NULL, "none", 0, NULL));
    CHECK_STATUS(STOA_ENOTFOUND, restore(table, "nope", "none", 0, NULL));
    CHECK_STATUS(STOA_EINVAL, restore(table, "i", "none", UINT64_C(1) << 32, &huge));
    CHECK_CONTAINS(huge.message, "fewer than 2^32");
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void every_bit_survives_another_storage(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    /* Signalling and negative NaN, a payload, a denormal, -0, infinity. */
    const uint32_t bits[] = {0x7f800001, 0xffc12345, 0x7fc00000, 1, 0x80000000, 0x7f800000};
    uint32_t found[6] = {0};

    hid_t dataset = H5Dopen2(file, "/t/x", H5P_DEFAULT);
    const hid_t all = H5Dget_space(dataset);
    const hid_t six = H5Screate_simple(1, &(hsize_t){6}, NULL);
    CHECK_H5(H5Sselect_hyperslab(all, H5S_SELECT_SET, &(hsize_t){0}, NULL, &(hsize_t){6}, NULL));
    CHECK_H5(H5Dwrite(dataset, H5T_IEEE_F32LE, six, all, H5P_DEFAULT, bits));
    H5Dclose(dataset);
    CHECK_OK(restore(table, "x", "deflate", 4, &err), &err);
    dataset = H5Dopen2(file, "/t/x", H5P_DEFAULT);
    CHECK_H5(H5Dread(dataset, H5T_IEEE_F32LE, six, all, H5P_DEFAULT, found));
    CHECK_MEM(found, bits, sizeof bits);
    H5Dclose(dataset);
    H5Sclose(six);
    H5Sclose(all);
    stoa_table_close(table);
    H5Fclose(file);
}

/* A column of variable-length strings, with a fill that is one, and one of an enumeration. */
static void add_foreign_columns(hid_t file)
{
    const hid_t text = H5Tcopy(H5T_C_S1);
    const hid_t color = H5Tenum_create(H5T_STD_U8BE);
    const hsize_t n = 10;
    const hid_t space = H5Screate_simple(1, &n, NULL);
    const char *const none = "-";
    const char *texts[10] = {"", "two", "-", "four", NULL, "six", "", "", "", ""};
    const uint8_t colors[10] = {1, 2, 7, 1, 1, 2, 7, 7, 7, 7};
    hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    CHECK_H5(H5Tenum_insert(color, "RED", &(uint8_t){1}));
    CHECK_H5(H5Tenum_insert(color, "BLUE", &(uint8_t){2}));
    CHECK_H5(H5Tenum_insert(color, "MISSING", &(uint8_t){7}));
    CHECK_H5(H5Pset_fill_value(dcpl, text, &none));
    hid_t dataset = H5Dcreate2(file, "/t/v", text, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    CHECK_H5(H5Dwrite(dataset, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts));
    H5Dclose(dataset);
    H5Pclose(dcpl);
    dcpl = H5Pcreate(H5P_DATASET_CREATE);
    CHECK_H5(H5Pset_fill_value(dcpl, color, &(uint8_t){7}));
    dataset = H5Dcreate2(file, "/t/e", color, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    CHECK_H5(H5Dwrite(dataset, color, H5S_ALL, H5S_ALL, H5P_DEFAULT, colors));
    H5Dclose(dataset);
    H5Pclose(dcpl);
    H5Sclose(space);
    H5Tclose(color);
    H5Tclose(text);
    CHECK_H5(H5Adelete_by_name(file, "/t", "column-order", H5P_DEFAULT));
}

static void strings_and_enumerations_of_others_survive_too(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    stoa_table_close(table);
    add_foreign_columns(file);
    table = open_table(file, "/t");
    EXPECT(table, "v", "''", "'two'", "null", "'four'", "''", "'six'");
    CHECK_OK(restore(table, "v", "none", 4, &err), &err);
    CHECK_OK(restore(table, "e", "deflate", 4, &err), &err);
    EXPECT(table, "v", "''", "'two'", "null", "'four'", "''", "'six'");
    EXPECT(table, "e", "'RED'", "'BLUE'", "null", "'RED'", "'RED'", "'BLUE'");
    check_conformant(file, "/t");

    CHECK_OK(stoa_column_categorize(table, "v", true, NULL, &err), &err);
    EXPECT(table, "v", "''", "'two'", "null", "'four'", "''", "'six'");
    CHECK_STATUS(STOA_ETYPE, stoa_column_categorize(table, "e", true, NULL, NULL));
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void indexes_are_dropped_where_the_caller_says_so(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    const stoa_column_options storage = {"i", "none", 4};

    options.drop_indexes = true;
    CHECK_OK(stoa_column_set_storage(table, &storage, &options, NULL));
    CHECK(H5Aexists_by_name(file, "/t/i", "SEARCH_INDEX_LIST", H5P_DEFAULT) == 0);
    CHECK_OK(stoa_column_categorize(table, "s", true, &options, NULL));
    CHECK_OK(
        stoa_column_relabel(table, "c", (const char *[]){"w", "v", "u"}, 3, false, &options, NULL));
    CHECK(H5Lexists(file, "/t/SEARCH_INDEXES", H5P_DEFAULT) == 0);
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static stoa_status store_i(stoa_table *table, stoa_error *err)
{
    return restore(table, "i", "deflate", 3, err);
}

static void storage_changes_or_memory_ran_out(void)
{
    sweep_edit(store_i);
}

TEST_MAIN(TEST(an_index_of_two_columns_stays_the_first_ones_when_the_second_moves),
          TEST(an_index_that_knows_of_no_chunks_stays_as_it_is_when_they_change),
          TEST(an_index_of_unknown_kind_goes_when_chunks_change),
          TEST(a_column_moves_into_another_storage_and_back),
          TEST(storage_that_cannot_be_is_refused), TEST(every_bit_survives_another_storage),
          TEST(strings_and_enumerations_of_others_survive_too),
          TEST(indexes_are_dropped_where_the_caller_says_so),
          TEST(storage_changes_or_memory_ran_out))
