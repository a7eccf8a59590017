/* Tables whose references are of H5T_STD_REF_OBJ: read, and edited without another type. */
#include <string.h>

#include "table/kit.h"

static batch rows(int64_t n, const char *label)
{
    batch b = batch_begin(3, n);
    int64_t numbers[8] = {0};
    const char *labels[8];

    for (int64_t i = 0; i < n; i++) {
        numbers[i] = 10 * n + i;
        labels[i] = label;
    }
    batch_integers(&b, 0, "i", "i", numbers, NULL);
    batch_categories(&b, 1, "c", labels);
    batch_integers(&b, 2, "k", "i", numbers, NULL);
    return b;
}

/* i and c have indexes, and label the rows. */
static hid_t old_file(void)
{
    static const char *const keys[] = {"c", "i"};
    static const stoa_column_index indexes[] = {{"i", "sorted"}, {"i", "minmax"}, {"c", "bitmap"}};
    const hid_t file = new_file();
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = rows(4, "x");

    options.object_references = true;
    options.index_columns = keys;
    options.n_index_columns = 2;
    options.indexes = indexes;
    options.n_indexes = 3;
    write_batches(file, "/t", &b, 1, &options);
    return file;
}

/* --- every reference of a file -----------------------------------------------------------------
 */

typedef struct count {
    int n_old;
    int n_new;
} count;

static herr_t count_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    count *const c = context;
    const hid_t attribute = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attribute));

    (void)info;
    c->n_old += H5Tequal(type, H5T_STD_REF_OBJ) > 0;
    c->n_new += H5Tequal(type, H5T_STD_REF) > 0;
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attribute));
    return 0;
}

static herr_t count_object(hid_t file, const char *name, const H5O_info2_t *info, void *context)
{
    const hid_t object = CHECK_H5(H5Oopen(file, name, H5P_DEFAULT));

    (void)info;
    CHECK_H5(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, count_attribute, context));
    CHECK_H5(H5Oclose(object));
    return 0;
}

static void check_types(hid_t file, int n_old)
{
    count c = {0, 0};

    CHECK_H5(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, count_object, &c, H5O_INFO_BASIC));
    CHECK_I64(c.n_new, 0);
    CHECK_I64(c.n_old, n_old);
}

static hsize_t n_indexes(hid_t file)
{
    H5G_info_t info = {.nlinks = 0};

    if (CHECK_H5(H5Lexists(file, "/t/SEARCH_INDEXES", H5P_DEFAULT)) > 0) {
        CHECK_H5(H5Gget_info_by_name(file, "/t/SEARCH_INDEXES", &info, H5P_DEFAULT));
    }
    return info.nlinks;
}

/* --- reading -----------------------------------------------------------------------------------
 */

static bool count_index(void *context, const stoa_index_info *info)
{
    (void)info;
    ++*(int *)context;
    return true;
}

static void they_are_followed(void)
{
    const hid_t file = old_file();
    int n = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(file, "/t");

    EXPECT(table, "c", "'x'", "'x'", "'x'", "'x'");
    CHECK_U64(stoa_table_n_index_columns(table), 2);
    CHECK_STR(stoa_column_name(stoa_table_index_column(table, 0)), "c");
    CHECK_OK(stoa_index_visit(table, count_index, &n, &err), &err);
    CHECK_I64(n, 3);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* --- edits -------------------------------------------------------------------------------------
 */

/* INDEX_COLUMNS, CATEGORIES, SEARCH_INDEX_LIST of i and c, and VALUES of the bitmap; the sorted
 * index may have more of its own. */
static int n_at_first(hid_t file)
{
    count c = {0, 0};

    CHECK_H5(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, count_object, &c, H5O_INFO_BASIC));
    CHECK(c.n_old >= 5);
    return c.n_old;
}

static void edits_add_no_other_type(void)
{
    const hid_t file = old_file();
    const int n = n_at_first(file);
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(file, "/t");
    batch b = rows(2, "a longer label");

    check_types(file, n);
    CHECK_OK(append(table, &b, &err), &err);
    check_types(file, n);
    CHECK_OK(stoa_index_add(table, "k", "bitmap", NULL, &err), &err);
    check_types(file, n + 2);
    CHECK_OK(stoa_column_relabel(table, "c", (const char *[]){"a longer label", "x"}, 2, false,
                                 NULL, &err),
             &err);
    CHECK_OK(stoa_table_label_rows(table, (const char *[]){"k"}, 1, &err), &err);
    CHECK_OK(stoa_table_update(table, "k > 20", &(stoa_assignment){"k", "3000000000"}, 1, NULL,
                               NULL, &err),
             &err);
    check_types(file, n + 2);
    struct ArrowArrayStream stream;
    b = batch_begin(1, 6);
    batch_categories(&b, 0, "e", (const char *[]){"p", "q", "p", "q", "p", "q"});
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_column_add(table, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    check_types(file, n + 3);
    EXPECT(table, "c", "'x'", "'x'", "'x'", "'x'", "'a longer label'", "'a longer label'");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Nothing of the table tells yet but its attribute. */
static void the_first_reference_is_of_the_type_too(void)
{
    const hid_t file = new_file();
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = batch_begin(1, 2);
    stoa_error err = STOA_ERROR_INIT;

    batch_integers(&b, 0, "i", "i", (int64_t[]){1, 2}, NULL);
    options.object_references = true;
    write_batches(file, "/t", &b, 1, &options);
    check_types(file, 0);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_index_add(table, "i", "minmax", NULL, &err), &err);
    check_types(file, 1);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* A table of another program tells by a reference that it has. */
static void a_reference_of_another_column_tells(void)
{
    const hid_t file = old_file();
    const int n = n_at_first(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Adelete_by_name(file, "/t", "stoa_references", H5P_DEFAULT));
    CHECK_H5(H5Adelete_by_name(file, "/t", "INDEX_COLUMNS", H5P_DEFAULT));
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_index_add(table, "k", "minmax", NULL, &err), &err);
    check_types(file, n);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void what_is_dropped_leaves_no_index_behind(void)
{
    const hid_t file = old_file();
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(file, "/t");

    CHECK(n_indexes(file) >= 4);
    CHECK_OK(stoa_index_drop(table, "i", "minmax", &err), &err);
    CHECK_OK(stoa_column_drop(table, "i", &err), &err);
    CHECK_U64(n_indexes(file), 2); /* of c, with its values */
    CHECK_OK(stoa_column_categorize(table, "c", false, NULL, &err), &err);
    CHECK_OK(stoa_column_drop(table, "c", &err), &err);
    CHECK_U64(n_indexes(file), 0);
    CHECK(CHECK_H5(H5Lexists(file, "/t/CATEGORIES", H5P_DEFAULT)) == 0);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void a_copy_has_the_type(void)
{
    const hid_t file = old_file();
    const int n = n_at_first(file);
    const hid_t other = other_file(file);
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(file, "/t");

    CHECK_OK(stoa_table_copy(table, other, "/t", NULL, &err), &err);
    stoa_table_close(table);
    check_types(other, n);
    table = open_table(other, "/t");
    EXPECT(table, "c", "'x'", "'x'", "'x'", "'x'");
    CHECK_OK(stoa_index_add(table, "k", "minmax", NULL, &err), &err);
    check_types(other, n + 1);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(they_are_followed), TEST(edits_add_no_other_type),
          TEST(the_first_reference_is_of_the_type_too), TEST(a_reference_of_another_column_tells),
          TEST(what_is_dropped_leaves_no_index_behind), TEST(a_copy_has_the_type))
