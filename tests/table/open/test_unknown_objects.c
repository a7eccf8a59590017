/* What a table's group holds beside the table: src/table/open/unknown_objects.c. */
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "table/kit.h"
#include "table/open/unknown_objects.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

/* A column of three rows, an index on it, categories. */
static stoa_table *table_of_two(hid_t file)
{
    static const stoa_column_index indexed[] = {{.column = "i"}};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = batch_begin(2, 3);

    batch_integers(&b, 0, "i", "l", (int64_t[]){1, 2, 3}, NULL);
    batch_categories(&b, 1, "c", (const char *[]){"u", "v", "u"});
    options.indexes = indexed;
    options.n_indexes = 1;
    write_batches(file, "/t", &b, 1, &options);
    return open_table(file, "/t");
}

static void put_group(hid_t file, const char *path, const char *class)
{
    hid_t group = (hid_t)CHECK_H5(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    if (class != NULL) {
        CHECK_OK(stoa_attribute_write_ascii(group, "CLASS", class, NULL));
    }
    H5Gclose(group);
}

static void put_dataset(hid_t file, const char *path, int rank)
{
    const hsize_t extent[] = {3, 2};
    hid_t space = rank < 0
                      ? H5Screate(H5S_NULL)
                      : (rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent, NULL));
    hid_t dataset = (hid_t)CHECK_H5(
        H5Dcreate2(file, path, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    H5Dclose(dataset);
    H5Sclose(space);
}

static stoa_table *reopened(stoa_table *table, hid_t file)
{
    stoa_table_close(table);
    return open_table(file, "/t");
}

static void expect_left_out(const stoa_table *table, size_t i, const char *name, const char *kind)
{
    CHECK_STR(stoa_table_left_out(table, i)->name, name);
    CHECK_STR(stoa_table_left_out(table, i)->kind, kind);
}

static bool is_refused(stoa_status status, const stoa_error *err)
{
    return status == STOA_ELAYOUT && strstr(err->message, "'hits' (group)") != NULL;
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void a_table_of_columns_indexes_and_categories_leaves_nothing_out(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of_two(file);

    CHECK_U64(stoa_table_n_left_out(table), 0);
    CHECK(stoa_table_left_out(table, 0) == NULL);
    stoa_table_close(table);
    H5Fclose(file);
}

static bool keep_left_out(void *context, const stoa_object *object)
{
    (void)snprintf(context, 100, "%s", object->left_out != NULL ? object->left_out : "");
    return true;
}

static void one_object_that_is_left_out_is_told_with_the_table(void)
{
    const hid_t file = new_file();
    char text[100] = "";

    stoa_table_close(table_of_two(file));
    CHECK_OK(stoa_place_visit(file, keep_left_out, text, NULL));
    CHECK_STR(text, "");
    put_group(file, "/t/hits", NULL);
    CHECK_OK(stoa_place_visit(file, keep_left_out, text, NULL));
    CHECK_CONTAINS(text, "'hits' (group)");
    H5Fclose(file);
}

static void whatever_is_no_part_of_the_table_is_listed_with_its_kind(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of_two(file);

    put_group(file, "/t/list", "LISTS");
    put_group(file, "/t/group", NULL);
    put_dataset(file, "/t/matrix", 2);
    put_dataset(file, "/t/one", 0);
    put_dataset(file, "/t/none", -1);
    CHECK_H5(H5Lcreate_soft("/t/i", file, "/t/soft", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external("x.h5", "/x", file, "/t/far", H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = H5Tcopy(H5T_NATIVE_INT);
    CHECK_H5(H5Tcommit2(file, "/t/type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(type);
    table = reopened(table, file);

    CHECK_U64(stoa_table_n_left_out(table), 8);
    expect_left_out(table, 0, "far", "external link");
    expect_left_out(table, 1, "group", "group");
    expect_left_out(table, 2, "list", "group");
    expect_left_out(table, 3, "matrix", "dataset of more than one dimension");
    expect_left_out(table, 4, "none", "dataset without elements");
    expect_left_out(table, 5, "one", "scalar dataset");
    expect_left_out(table, 6, "soft", "soft link");
    expect_left_out(table, 7, "type", "named datatype");
    CHECK(stoa_table_left_out(table, 8) == NULL);
    CHECK_U64(stoa_table_n_columns(table), 2);
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_table_inside_and_a_link_back_to_itself_are_not_left_out(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of_two(file);

    put_group(file, "/t/inner", "COLUMN_TABLE");
    CHECK_H5(H5Lcreate_hard(file, "/t", file, "/t/again", H5P_DEFAULT, H5P_DEFAULT));
    table = reopened(table, file);
    CHECK_U64(stoa_table_n_left_out(table), 0);
    CHECK_OK(stoa_table_truncate(table, 2, NULL, NULL));
    stoa_table_close(table);
    CHECK_H5(H5Ldelete(file, "/t/again", H5P_DEFAULT));
    H5Fclose(file);
}

static void every_edit_of_a_table_that_holds_more_is_refused(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of_two(file);
    stoa_error err = STOA_ERROR_INIT;
    const stoa_assignment set = {"i", "7"};
    const stoa_column_options storage = {.column = "i", .codec = "none"};
    uint64_t n = 0;
    batch b = batch_begin(2, 1);

    put_group(file, "/t/hits", NULL);
    table = reopened(table, file);
    batch_integers(&b, 0, "i", "l", (int64_t[]){4}, NULL);
    batch_categories(&b, 1, "c", (const char *[]){"v"});
    CHECK(is_refused(append(table, &b, &err), &err));
    CHECK(is_refused(stoa_table_truncate(table, 1, NULL, &err), &err));
    CHECK(is_refused(stoa_table_preallocate(table, 100, NULL, &err), &err));
    CHECK(is_refused(stoa_table_update(table, NULL, &set, 1, NULL, &n, &err), &err));
    CHECK(is_refused(stoa_table_delete(table, "i = 1", NULL, &n, &err), &err));
    CHECK(is_refused(stoa_column_drop(table, "c", &err), &err));
    CHECK(is_refused(stoa_column_rename(table, "c", "d", &err), &err));
    CHECK(is_refused(stoa_column_reorder(table, (const char *[]){"c"}, 1, &err), &err));
    CHECK(is_refused(stoa_column_set_storage(table, &storage, NULL, &err), &err));
    CHECK(is_refused(stoa_column_categorize(table, "c", false, NULL, &err), &err));
    CHECK(is_refused(stoa_table_annotate(table, NULL, "TITLE", "x", &err), &err));
    CHECK(is_refused(stoa_table_repack(table, NULL, &err), &err));
    CHECK(is_refused(stoa_index_add(table, "c", "bitmap", NULL, &err), &err));
    CHECK(is_refused(stoa_index_drop(table, "i", NULL, &err), &err));

    CHECK_U64(stoa_table_n_rows(table), 3);
    EXPECT(table, "i", "1", "2", "3");
    EXPECT(table, "c", "'u'", "'v'", "'u'");
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_table_that_holds_more_is_moved_and_copied_as_a_whole(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of_two(file);

    put_group(file, "/t/hits", NULL);
    put_dataset(file, "/t/hits/VALUES", 1);
    table = reopened(table, file);
    CHECK_OK(stoa_table_copy(table, file, "/copy", NULL, NULL));
    CHECK_OK(stoa_table_move(table, "/moved", NULL));
    stoa_table_close(table);
    CHECK(H5Oexists_by_name(file, "/copy/hits/VALUES", H5P_DEFAULT) > 0);
    CHECK(H5Oexists_by_name(file, "/moved/hits/VALUES", H5P_DEFAULT) > 0);
    table = open_table(file, "/copy");
    CHECK_U64(stoa_table_n_left_out(table), 1);
    stoa_table_close(table);
    H5Fclose(file);
}

static bool note_text(void *context, const stoa_object *object)
{
    char **text = context;

    free(*text);
    *text = object->left_out != NULL ? strdup(object->left_out) : NULL;
    return true;
}

static void a_listing_names_the_first_few_of_many(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of_two(file);
    char *text = NULL;

    for (char name[] = "/t/g0"; name[4] <= '9'; name[4]++) {
        put_group(file, name, NULL);
    }
    CHECK_OK(stoa_place_visit(file, note_text, &text, NULL));
    CHECK(text != NULL && strstr(text, "'g0' (group), 'g1' (group)") == text);
    CHECK(text != NULL && strstr(text, "'g7' (group) and 2 more") != NULL);
    free(text);
    text = NULL;
    CHECK_OK(stoa_layout_visit(file, note_text, &text, NULL));
    CHECK(text != NULL && strstr(text, "'g7' (group) and 2 more") != NULL);
    free(text);
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_listing_of_eight_names_them_all_and_no_more(void)
{
    static const stoa_left_out items[8] = {{"a", "group"}, {"b", "group"}, {"c", "group"},
                                           {"d", "group"}, {"e", "group"}, {"f", "group"},
                                           {"g", "group"}, {"h", "link"}};
    stoa_unknown_objects list = {.items = (stoa_left_out *)(uintptr_t)items, .n = 1};

    char *text = stoa_unknown_objects_text(&list);
    CHECK_STR(text, "'a' (group)");
    free(text);
    list.n = 8;
    text = stoa_unknown_objects_text(&list);
    CHECK_CONTAINS(text, "'a' (group), 'b' (group), ");
    CHECK_CONTAINS(text, "'h' (link)");
    CHECK(strstr(text, "more") == NULL);
    free(text);
    list.n = 0;
    text = stoa_unknown_objects_text(&list);
    CHECK_STR(text, "");
    free(text);
}

TEST_MAIN(TEST(a_table_of_columns_indexes_and_categories_leaves_nothing_out),
          TEST(one_object_that_is_left_out_is_told_with_the_table),
          TEST(whatever_is_no_part_of_the_table_is_listed_with_its_kind),
          TEST(a_table_inside_and_a_link_back_to_itself_are_not_left_out),
          TEST(every_edit_of_a_table_that_holds_more_is_refused),
          TEST(a_table_that_holds_more_is_moved_and_copied_as_a_whole),
          TEST(a_listing_names_the_first_few_of_many),
          TEST(a_listing_of_eight_names_them_all_and_no_more))
