/* What columns say of themselves to programs that know netCDF's conventions
 * (column/type/cf_attributes.h), and what edits make of it. */
#include <stdio.h>
#include <string.h>

#include "table/kit.h"

/* --- `_FillValue` and `calendar` ---------------------------------------------------------------
 */

static hid_t open_column(hid_t file, const char *name)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/t/%s", name);
    return CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
}

static bool has_attribute(hid_t file, const char *column, const char *name)
{
    const hid_t dataset = open_column(file, column);
    const bool has = CHECK_H5(H5Aexists(dataset, name)) > 0;

    CHECK_H5(H5Dclose(dataset));
    return has;
}

/* If the column has `_FillValue`, it is one element of the column's type, equal to its fill. */
static void check_fill(hid_t file, const char *name, bool is_there)
{
    const hid_t dataset = open_column(file, name);
    uint8_t fill[64] = {0};
    uint8_t said[64] = {0};

    if (CHECK_H5(H5Aexists(dataset, "_FillValue")) != is_there) {
        FAIL("column '%s' has %s_FillValue", name, is_there ? "no " : "");
    }
    if (is_there) {
        const hid_t type = CHECK_H5(H5Dget_type(dataset));
        const hid_t dcpl = CHECK_H5(H5Dget_create_plist(dataset));
        const hid_t attribute = CHECK_H5(H5Aopen(dataset, "_FillValue", H5P_DEFAULT));
        const hid_t attribute_type = CHECK_H5(H5Aget_type(attribute));
        const hid_t space = CHECK_H5(H5Aget_space(attribute));
        hsize_t n = 0;
        CHECK(H5Tequal(type, attribute_type) > 0);
        CHECK_I64(H5Sget_simple_extent_ndims(space), 1);
        CHECK_H5(H5Sget_simple_extent_dims(space, &n, NULL));
        CHECK_U64(n, 1);
        CHECK_H5(H5Pget_fill_value(dcpl, type, fill));
        CHECK_H5(H5Aread(attribute, type, said));
        CHECK_MEM(said, fill, H5Tget_size(type));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Tclose(attribute_type));
        CHECK_H5(H5Aclose(attribute));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Tclose(type));
    }
    CHECK_H5(H5Dclose(dataset));
}

/* Columns named after their Arrow formats. */
static const char *const narrow[] = {"c", "s", "i", "C", "S", "I", "b", "tdD", "tsm:UTC", "tsn:"};
static const char *const wide[] = {"l", "L", "tDm"};
enum { N_NARROW = sizeof narrow / sizeof *narrow, N_WIDE = sizeof wide / sizeof *wide };

static batch of_every_type(bool is_valid)
{
    batch b = batch_begin(N_NARROW + N_WIDE + 4, 2);
    int64_t i = 0;

    for (size_t k = 0; k < N_NARROW; k++) {
        batch_integers(&b, i++, narrow[k], narrow[k], (int64_t[]){1, 0}, (bool[]){true, is_valid});
    }
    for (size_t k = 0; k < N_WIDE; k++) {
        batch_integers(&b, i++, wide[k], wide[k], (int64_t[]){1, 0}, (bool[]){true, is_valid});
    }
    batch_floats(&b, i++, "f", "f", (double[]){1, 0}, (bool[]){true, is_valid});
    batch_floats(&b, i++, "g", "g", (double[]){1, 0}, (bool[]){true, is_valid});
    batch_categories(&b, i++, "label", (const char *[]){"x", is_valid ? "y" : NULL});
    batch_strings(&b, i++, "u", (const char *[]){"x", is_valid ? "y" : NULL});
    return b;
}

static void check_fills(hid_t file, bool has_missing)
{
    for (size_t k = 0; k < N_NARROW; k++) {
        check_fill(file, narrow[k], true);
        CHECK(has_attribute(file, narrow[k], "calendar") == (k >= 7));
    }
    for (size_t k = 0; k < N_WIDE; k++) {
        check_fill(file, wide[k], has_missing);
        CHECK(!has_attribute(file, wide[k], "calendar"));
    }
    check_fill(file, "f", true);
    check_fill(file, "g", true);
    check_fill(file, "label", true);
    check_fill(file, "u", false);
}

static void wide_integers_have_it_once_a_value_is_missing_and_others_always(void)
{
    for (int has_missing = 0; has_missing < 2; has_missing++) {
        const hid_t file = new_file();
        batch b = of_every_type(has_missing == 0);
        write_batches(file, "/t", &b, 1, NULL);
        check_fills(file, has_missing != 0);
        check_conformant(file, "/t");
        CHECK_H5(H5Fclose(file));
    }
}

static void a_first_missing_value_brings_it(void)
{
    const hid_t file = new_file();
    batch batches[] = {of_every_type(true), of_every_type(true), of_every_type(false)};
    stoa_error err = STOA_ERROR_INIT;

    write_batches(file, "/t", batches, 2, NULL);
    check_fills(file, false);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(append(table, &batches[2], &err), &err);
    stoa_table_close(table);
    check_fills(file, true);
    CHECK_H5(H5Fclose(file));
}

static void an_update_to_missing_brings_it(void)
{
    const hid_t file = new_file();
    batch b = of_every_type(true);
    stoa_error err = STOA_ERROR_INIT;

    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_table_update(table, NULL, &(stoa_assignment){"l", "l + 1"}, 1, NULL, NULL, &err),
             &err);
    check_fill(file, "l", false);
    CHECK_OK(
        stoa_table_update(table, "l > 1", &(stoa_assignment){"l", "null"}, 1, NULL, NULL, &err),
        &err);
    check_fill(file, "l", true);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* The recommended fill of int8 is -127. */
static void it_changes_with_the_fill(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 2);
    batch more = batch_begin(1, 1);
    batch most = batch_begin(1, 1);
    stoa_error err = STOA_ERROR_INIT;

    batch_integers(&b, 0, "c", "c", (int64_t[]){1, 0}, (bool[]){true, false});
    batch_integers(&more, 0, "c", "c", (int64_t[]){-127}, NULL);
    batch_integers(&most, 0, "c", "l", (int64_t[]){INT64_C(1) << 40}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(append(table, &more, &err), &err);
    check_fill(file, "c", true);
    EXPECT(table, "c", "1", "null", "-127");
    CHECK_OK(append(table, &most, &err), &err);
    check_fill(file, "c", true);
    EXPECT(table, "c", "1", "null", "-127", "1099511627776");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void a_column_that_becomes_wide_loses_it_unless_a_value_is_missing(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 1);
    batch more = batch_begin(1, 1);
    stoa_error err = STOA_ERROR_INIT;

    batch_integers(&b, 0, "c", "c", (int64_t[]){1}, NULL);
    batch_integers(&more, 0, "c", "l", (int64_t[]){INT64_C(1) << 40}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    check_fill(file, "c", true);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(append(table, &more, &err), &err);
    stoa_table_close(table);
    check_fill(file, "c", false);
    CHECK_H5(H5Fclose(file));
}

static void units_of_time_bring_a_calendar(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 2);
    stoa_error err = STOA_ERROR_INIT;

    batch_integers(&b, 0, "t", "l", (int64_t[]){1, 2}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK(!has_attribute(file, "t", "calendar"));
    CHECK_OK(stoa_table_annotate(table, "t", "units", "days since 1970-01-01", &err), &err);
    CHECK(has_attribute(file, "t", "calendar"));
    check_fill(file, "t", true);
    CHECK_OK(stoa_table_annotate(table, "t", "units", NULL, &err), &err);
    CHECK(!has_attribute(file, "t", "calendar"));
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* --- categories ------------------------------------------------------------------------------- */

/* A text attribute; "" if there is none. */
static const char *text_of(hid_t file, const char *column, const char *name)
{
    static char text[64];
    const hid_t dataset = open_column(file, column);

    memset(text, 0, sizeof text);
    if (CHECK_H5(H5Aexists(dataset, name)) > 0) {
        const hid_t attribute = CHECK_H5(H5Aopen(dataset, name, H5P_DEFAULT));
        const hid_t type = CHECK_H5(H5Aget_type(attribute));
        CHECK(H5Tget_size(type) < sizeof text);
        CHECK_H5(H5Aread(attribute, type, text));
        CHECK_H5(H5Tclose(type));
        CHECK_H5(H5Aclose(attribute));
    }
    CHECK_H5(H5Dclose(dataset));
    return text;
}

/* The path leads to what CATEGORIES refers to, and the flags are its labels: `words`, or none. */
static void check_categories(hid_t file, const char *column, const char *words)
{
    const hid_t table = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));
    const hid_t dataset = open_column(file, column);
    const char *const path = text_of(file, column, "stoa_categories_path");
    H5O_info2_t by_path;
    H5O_info2_t by_reference;
    int order = 1;
    H5R_ref_t reference;

    CHECK(path[0] != '\0');
    CHECK_H5(H5Oget_info_by_name3(table, path, &by_path, H5O_INFO_BASIC, H5P_DEFAULT));
    const hid_t attribute = CHECK_H5(H5Aopen(dataset, "CATEGORIES", H5P_DEFAULT));
    CHECK_H5(H5Aread(attribute, H5T_STD_REF, &reference));
    const hid_t target = CHECK_H5(H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Oget_info3(target, &by_reference, H5O_INFO_BASIC));
    CHECK_H5(H5Otoken_cmp(file, &by_path.token, &by_reference.token, &order));
    CHECK_I64(order, 0);
    CHECK_STR(text_of(file, column, "flag_meanings"), words);
    CHECK(has_attribute(file, column, "flag_values") == (words[0] != '\0'));
    if (words[0] != '\0') {
        int codes[64] = {0};
        const hid_t flags = CHECK_H5(H5Aopen(dataset, "flag_values", H5P_DEFAULT));
        const hid_t type = CHECK_H5(H5Aget_type(flags));
        const hid_t own = CHECK_H5(H5Dget_type(dataset));
        const hid_t space = CHECK_H5(H5Aget_space(flags));
        int n = 1;
        for (const char *c = words; *c != '\0'; c++) {
            n += *c == ' ';
        }
        CHECK(H5Tequal(type, own) > 0);
        CHECK_I64(H5Sget_simple_extent_npoints(space), n);
        CHECK_H5(H5Aread(flags, H5T_NATIVE_INT, codes));
        for (int i = 0; i < n; i++) {
            CHECK_I64(codes[i], i);
        }
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Tclose(own));
        CHECK_H5(H5Tclose(type));
        CHECK_H5(H5Aclose(flags));
    }
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Oclose(target));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Gclose(table));
}

static batch labels_of(const char *const *labels, int64_t n)
{
    batch b = batch_begin(2, n);

    batch_categories(&b, 0, "c", labels);
    batch_categories(&b, 1, "d", labels);
    return b;
}

static stoa_table *categories_table(hid_t file)
{
    batch b = labels_of((const char *[]){"x", "y"}, 2);

    write_batches(file, "/t", &b, 1, NULL);
    check_categories(file, "c", "x y");
    return open_table(file, "/t");
}

static void new_labels_join_the_flags(void)
{
    const hid_t file = new_file();
    stoa_table *table = categories_table(file);
    stoa_error err = STOA_ERROR_INIT;
    batch b = labels_of((const char *[]){"z"}, 1);

    CHECK_OK(append(table, &b, &err), &err);
    check_categories(file, "c", "x y z");
    b = labels_of((const char *[]){"longer"}, 1); /* than the dataset's strings: a new dataset */
    CHECK_OK(append(table, &b, &err), &err);
    check_categories(file, "c", "x y z longer");
    CHECK_OK(
        stoa_table_update(table, "d = 'x'", &(stoa_assignment){"d", "'w'"}, 1, NULL, NULL, &err),
        &err);
    check_categories(file, "d", "x y z longer w");
    check_categories(file, "c", "x y z longer");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void labels_that_are_no_words_are_no_flags(void)
{
    static const char *const others[] = {"two words", "", "tab\tstop", "\x7f"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const hid_t file = new_file();
        stoa_table *table = categories_table(file);
        stoa_error err = STOA_ERROR_INIT;
        batch b = labels_of(&others[i], 1);
        CHECK_OK(append(table, &b, &err), &err);
        check_categories(file, "c", "");
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

static void more_than_256_labels_are_no_flags(void)
{
    for (int n = 256; n <= 257; n++) {
        const hid_t file = new_file();
        char labels[257][16];
        const char *pointers[257];
        batch b;
        for (int i = 0; i < n; i++) {
            (void)snprintf(labels[i], sizeof labels[i], "w%d", i);
            pointers[i] = labels[i];
        }
        b = labels_of(pointers, n);
        write_batches(file, "/t", &b, 1, NULL);
        CHECK(has_attribute(file, "c", "flag_values") == (n <= 256));
        CHECK(has_attribute(file, "c", "flag_meanings") == (n <= 256));
        CHECK(has_attribute(file, "c", "stoa_categories_path"));
        CHECK_H5(H5Fclose(file));
    }
}

/* An attribute of an object in the earliest format must have less than 64 KiB. */
static void labels_of_more_than_32_kib_are_no_flags(void)
{
    static char label[40 << 10];
    const hid_t file = new_file();
    batch b;

    memset(label, 'x', sizeof label - 1);
    b = labels_of((const char *[]){label}, 1);
    write_batches(file, "/t", &b, 1, NULL);
    check_categories(file, "c", "");
    CHECK_H5(H5Fclose(file));
}

static void edits_of_categories_keep_the_path_and_the_flags(void)
{
    const hid_t file = new_file();
    stoa_table *table = categories_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_column_relabel(table, "c", (const char *[]){"y", "x", "v"}, 3, true, NULL, &err),
             &err);
    check_categories(file, "c", "y x v");
    CHECK_OK(stoa_column_rename(table, "c", "e", &err), &err);
    check_categories(file, "e", "y x v");
    CHECK_OK(stoa_column_share(table, "d", "e", NULL, &err), &err);
    check_categories(file, "d", "y x v");
    CHECK_STR(text_of(file, "d", "stoa_categories_path"), "CATEGORIES/c__CATEGORIES");
    CHECK_OK(stoa_column_categorize(table, "d", false, NULL, &err), &err);
    for (size_t i = 0; i < 4; i++) {
        static const char *const names[] = {"stoa_categories_path", "flag_values", "flag_meanings",
                                            "_FillValue"};
        CHECK(!has_attribute(file, "d", names[i]));
    }
    CHECK_OK(stoa_column_rename(table, "d", "c", &err), &err); /* its name is taken in CATEGORIES */
    CHECK_OK(stoa_column_categorize(table, "c", true, NULL, &err), &err);
    check_categories(file, "c", "x y");
    check_fill(file, "c", true);
    stoa_table_close(table);
    check_conformant(file, "/t");
    CHECK_H5(H5Fclose(file));
}

static void a_column_whose_categories_are_named_otherwise_says_so(void)
{
    const hid_t file = new_file();
    stoa_table *table = categories_table(file);
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 2);

    CHECK_OK(stoa_column_rename(table, "c", "e", &err), &err);
    batch_categories(&b, 0, "c", (const char *[]){"p", "q"});
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_column_add(table, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    check_categories(file, "c", "p q");
    check_categories(file, "e", "x y");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(wide_integers_have_it_once_a_value_is_missing_and_others_always),
          TEST(a_first_missing_value_brings_it), TEST(an_update_to_missing_brings_it),
          TEST(it_changes_with_the_fill),
          TEST(a_column_that_becomes_wide_loses_it_unless_a_value_is_missing),
          TEST(units_of_time_bring_a_calendar), TEST(new_labels_join_the_flags),
          TEST(labels_that_are_no_words_are_no_flags), TEST(more_than_256_labels_are_no_flags),
          TEST(labels_of_more_than_32_kib_are_no_flags),
          TEST(edits_of_categories_keep_the_path_and_the_flags),
          TEST(a_column_whose_categories_are_named_otherwise_says_so))
