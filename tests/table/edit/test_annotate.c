/* Descriptive attributes and declared ranges, set by hand (HEP001 §7.4, §8.5, §8.6, §13). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "column/column.h"
#include "table/columns_kit.h"
#include "table/open/table.h"

static stoa_status set(stoa_table *table, const char *column, const char *name, const char *value,
                       stoa_error *err)
{
    if (err != NULL) {
        *err = (stoa_error)STOA_ERROR_INIT;
    }
    return stoa_table_annotate(table, column, name, value, err);
}

/* Whether a bound is a scalar of the column's very datatype, as §8.5 says; its value as a double.
 */
static double bound_of(hid_t file, const char *path, const char *name)
{
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t attr = H5Aopen(dataset, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attr);
    const hid_t stored = H5Dget_type(dataset);
    const hid_t space = H5Aget_space(attr);
    double value = NAN;

    CHECK(H5Tequal(type, stored) > 0);
    CHECK(H5Sget_simple_extent_type(space) == H5S_SCALAR);
    CHECK_H5(H5Aread(attr, H5T_NATIVE_DOUBLE, &value));
    H5Sclose(space);
    H5Tclose(stored);
    H5Tclose(type);
    H5Aclose(attr);
    H5Dclose(dataset);
    return value;
}

static bool has(hid_t file, const char *path, const char *name)
{
    return H5Aexists_by_name(file, path, name, H5P_DEFAULT) > 0;
}

static void texts_are_set_replaced_and_removed(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(set(table, NULL, "TITLE", "Läufe", &err), &err);
    CHECK_STR(stoa_table_title(table), "Läufe");
    CHECK_STR(text_of(file, "/t", "TITLE"), "Läufe");
    CHECK_OK(set(table, NULL, "TITLE", "", &err), &err);
    CHECK_STR(stoa_table_title(table), "");
    CHECK_OK(set(table, NULL, "TITLE", NULL, &err), &err);
    CHECK(!has(file, "/t", "TITLE"));
    CHECK(stoa_table_title(table) == NULL);
    CHECK_OK(set(table, NULL, "description", "all of it", &err), &err);
    CHECK_STR(stoa_table_description(table), "all of it");

    CHECK_OK(set(table, "x", "units", "MeV", &err), &err);
    CHECK_OK(set(table, "x", "description", "energy", &err), &err);
    CHECK_OK(set(table, "x", "quality of it", "a user's own", &err), &err);
    CHECK_STR(stoa_table_find(table, "x")->units, "MeV");
    CHECK_STR(text_of(file, "/t/x", "description"), "energy");
    CHECK_STR(text_of(file, "/t/x", "quality of it"), "a user's own");
    CHECK_OK(set(table, "x", "units", NULL, &err), &err);
    CHECK(stoa_table_find(table, "x")->units == NULL);
    CHECK_STATUS(STOA_ENOTFOUND, set(table, "x", "units", NULL, &err), &err);
    CHECK_CONTAINS(err.message, "'units'");
    CHECK_STATUS(STOA_ENOTFOUND, set(table, "nope", "units", "m", &err));
    CHECK_OK(set(table, NULL, "encoding-type", "dataframe", &err), &err);
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_column_has_its_own_vocabulary_or_the_tables(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);

    CHECK_STR(stoa_table_find(table, "x")->units_vocabulary, "UDUNITS-2");
    CHECK_OK(set(table, "x", "units_vocabulary", "QUDT", NULL));
    CHECK_STR(stoa_table_find(table, "x")->units_vocabulary, "QUDT");
    CHECK_STR(stoa_table_find(table, "i")->units_vocabulary, "UDUNITS-2");
    CHECK_OK(set(table, NULL, "units_vocabulary", "SI", NULL));
    CHECK_STR(stoa_table_find(table, "x")->units_vocabulary, "QUDT");
    CHECK_STR(stoa_table_find(table, "i")->units_vocabulary, "SI");
    CHECK_OK(set(table, "x", "units_vocabulary", NULL, NULL));
    CHECK_STR(stoa_table_find(table, "x")->units_vocabulary, "SI");
    CHECK_OK(set(table, NULL, "units_vocabulary", NULL, NULL));
    CHECK(stoa_table_find(table, "x")->units_vocabulary == NULL);
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void names_that_mean_something_are_refused_with_the_reason(void)
{
    static const struct {
        const char *column;
        const char *name;
        const char *words;
    } cases[] = {
        {NULL, "CLASS", "§7.1"},
        {NULL, "VERSION", "§7.2"},
        {NULL, "NROWS", "§7.3"},
        {NULL, "INDEX_COLUMNS", "§9"},
        {NULL, "_index", "§9"},
        {NULL, "column-order", "§7.4"},
        {"i", "SEARCH_INDEX_LIST", "§10.2"},
        {"c", "CATEGORIES", "§8.7"},
        {"c", "ordered", "§8.7"},
        {"i", "TITLE", "§7.4"},
        {NULL, "valid_min", "§8.5"},
        {"i", "KIND", "§13.2"},
        {NULL, "VALUES", "§13.2"},
        {"i", "SORTED_ROWS", "§13.2"},
        {"i", "NROWS", "§7.3"},
        {"i", "", "UTF-8"},
        {NULL, "\xff", "UTF-8"},
    };
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int turn = 0; turn < 2; turn++) {
            CHECK_STATUS(STOA_EINVAL,
                         set(table, cases[k].column, cases[k].name, turn == 0 ? "1" : NULL, &err),
                         &err);
            CHECK_CONTAINS(err.message, cases[k].words);
        }
    }
    CHECK_STATUS(STOA_EINVAL, set(table, "i", "units", "\xff", &err));
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_range_is_of_the_columns_type_and_true_of_its_values(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    /* i: 1 to 5 and a missing one, fill -127. */
    CHECK_STATUS(STOA_ERANGE, set(table, "i", "valid_min", "2", &err), &err);
    CHECK_CONTAINS(err.message, "holds 1");
    CHECK_STATUS(STOA_ERANGE, set(table, "i", "valid_max", "4", &err), &err);
    CHECK_CONTAINS(err.message, "holds 5");
    CHECK_OK(set(table, "i", "valid_min", "1", &err), &err);
    CHECK_OK(set(table, "i", "valid_max", "5", &err), &err);
    CHECK_F64(bound_of(file, "/t/i", "valid_min"), 1);
    CHECK_F64(bound_of(file, "/t/i", "valid_max"), 5);
    CHECK_OK(set(table, "i", "valid_max", "127", &err), &err);
    CHECK_STATUS(STOA_ERANGE, set(table, "i", "valid_max", "128", &err));
    CHECK_STATUS(STOA_ERANGE, set(table, "i", "valid_max", "18446744073709551615", &err));
    CHECK_STATUS(STOA_ERANGE, set(table, "i", "valid_min", "-127", &err), &err);
    CHECK_CONTAINS(err.message, "fill");
    CHECK_STATUS(STOA_ERANGE, set(table, "i", "valid_min", "-128", &err), &err);
    CHECK_CONTAINS(err.message, "fill"); /* the least integer of the type is one of it */
    CHECK_OK(set(table, "i", "valid_min", "-126", &err), &err);
    CHECK_STATUS(STOA_EINVAL, set(table, "i", "valid_min", "1.5", &err), &err);
    CHECK_CONTAINS(err.message, "integer");
    CHECK_STATUS(STOA_EINVAL, set(table, "i", "valid_min", "", &err));
    CHECK_F64(bound_of(file, "/t/i", "valid_min"), -126);

    /* x: -1.5 to 4 and a NaN that is data, which no range excludes. */
    CHECK_STATUS(STOA_ERANGE, set(table, "x", "valid_min", "-1", &err), &err);
    CHECK_CONTAINS(err.message, "holds -1.5");
    CHECK_OK(set(table, "x", "valid_min", "-1.6", &err), &err);
    CHECK_OK(set(table, "x", "valid_max", "4", &err), &err);
    CHECK_F64(bound_of(file, "/t/x", "valid_min"), (double)-1.6f);
    CHECK_STATUS(STOA_ERANGE, set(table, "x", "valid_max", "1e37", &err), &err);
    CHECK_CONTAINS(err.message, "fill");
    CHECK_STATUS(STOA_ERANGE, set(table, "x", "valid_max", "1e300", &err), &err);
    CHECK_CONTAINS(err.message, "float32");
    CHECK_STATUS(STOA_ERANGE, set(table, "x", "valid_min", "5", &err), &err);
    CHECK_CONTAINS(err.message, "above its valid_max");
    CHECK_STATUS(STOA_EINVAL, set(table, "x", "valid_min", "nan", &err));

    /* t: 1970-01-01T00:00:00Z and the five minutes after it. */
    CHECK_STATUS(STOA_ERANGE, set(table, "t", "valid_min", "'1970-01-01T00:01:00Z'", &err), &err);
    CHECK_CONTAINS(err.message, "holds 1970-01-01T00:00:00Z");
    CHECK_OK(set(table, "t", "valid_min", "'1970-01-01'", &err), &err);
    CHECK_OK(set(table, "t", "valid_max", "1970-01-01T00:05:00Z", &err), &err);
    CHECK_F64(bound_of(file, "/t/t", "valid_max"), 300);
    CHECK_STATUS(STOA_ERANGE, set(table, "t", "valid_max", "1980-01-01T00:00:00.5Z", &err));
    CHECK_STATUS(STOA_EINVAL, set(table, "t", "valid_max", "300", &err));

    CHECK_STATUS(STOA_ETYPE, set(table, "s", "valid_min", "'a'", &err), &err);
    CHECK_STATUS(STOA_ETYPE, set(table, "c", "valid_min", "0", &err), &err);
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static batch one_row(int64_t i)
{
    batch b = batch_begin(6, 1);

    batch_integers(&b, 0, "i", "s", &i, NULL);
    batch_floats(&b, 1, "x", "f", (double[]){1}, NULL);
    batch_strings(&b, 2, "s", (const char *[]){"b"});
    batch_categories(&b, 3, "c", (const char *[]){"u"});
    batch_categories(&b, 4, "d", (const char *[]){"v"});
    batch_integers(&b, 5, "t", "tss:UTC", (int64_t[]){60}, NULL);
    return b;
}

static void later_rows_do_not_make_a_range_a_lie(void)
{
    /* One bound alone is kept true as well. */
    for (int turn = 0; turn < 3; turn++) {
        const hid_t file = new_file();
        stoa_table *table = edited_table(file);
        stoa_error err = STOA_ERROR_INIT;

        if (turn != 1) {
            CHECK_OK(set(table, "i", "valid_min", "0", &err), &err);
        }
        if (turn != 0) {
            CHECK_OK(set(table, "i", "valid_max", "100", &err), &err);
        }
        batch b = one_row(50);
        CHECK_OK(append(table, &b, &err), &err);
        CHECK_U64(has(file, "/t/i", "valid_min"), turn != 1);
        CHECK_U64(has(file, "/t/i", "valid_max"), turn != 0);
        b = one_row(turn == 0 ? -5 : 101);
        CHECK_OK(append(table, &b, &err), &err);
        CHECK(!has(file, "/t/i", "valid_min") && !has(file, "/t/i", "valid_max"));
        EXPECT(table, "i", "5", "1", "null", "3", "2", "4", "50", turn == 0 ? "-5" : "101");
        check_conformant(file, "/t");
        stoa_table_close(table);
        H5Fclose(file);
    }
}

static void a_bound_stays_true_and_alone_when_the_column_is_widened(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(set(table, "i", "valid_min", "0", &err), &err);
    batch b = one_row(1000);
    CHECK_OK(append(table, &b, &err), &err);
    CHECK_F64(bound_of(file, "/t/i", "valid_min"), 0);
    CHECK(!has(file, "/t/i", "valid_max"));
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_range_that_must_be_declared_cannot_go(void)
{
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(5, 2);

    /* -127 and -32767 are the recommended fills of int8 and int16, 9.96921e36 that of floats: all
     * are data here. */
    batch_integers(&b, 0, "i", "c", (int64_t[]){-127, 1}, NULL);
    batch_floats(&b, 1, "x", "g", (double[]){9.9692099683868690e+36, 1}, NULL);
    batch_integers(&b, 2, "b", "b", (int64_t[]){0, 1}, NULL);
    batch_integers(&b, 3, "n", "c", (int64_t[]){0, 1}, NULL);
    batch_integers(&b, 4, "h", "s", (int64_t[]){-32767, 1}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_STATUS(STOA_ERANGE, set(table, "i", "valid_min", NULL, &err), &err);
    CHECK_CONTAINS(err.message, "declared");
    CHECK_STATUS(STOA_ERANGE, set(table, "h", "valid_min", NULL, &err));
    CHECK_STATUS(STOA_ERANGE, set(table, "x", "valid_max", NULL, &err));
    CHECK_STATUS(STOA_ETYPE, set(table, "b", "valid_max", NULL, &err), &err);
    CHECK_CONTAINS(err.message, "booleans");
    CHECK_STATUS(STOA_ETYPE, set(table, "b", "valid_max", "3", &err));
    CHECK_OK(set(table, "n", "valid_min", "0", &err), &err);
    CHECK_OK(set(table, "n", "valid_min", NULL, &err), &err);
    check_conformant(file, "/t");
    EXPECT(table, "b", "0", "1");
    stoa_table_close(table);
    H5Fclose(file);
}

/* Every integer type, at both of its ends. */
static void bounds_reach_the_ends_of_every_integer_type(void)
{
    static const char *const formats[] = {"c", "s", "i", "l", "C", "S", "I", "L"};
    static const char *const lows[] = {"-126", "-32766", "-2147483646", "-9223372036854775806",
                                       "0",    "0",      "0",           "0"};
    static const char *const highs[] = {"127", "32767", "2147483647", "9223372036854775807",
                                        "254", "65534", "4294967294", "18446744073709551614"};
    static const char *const beyond[] = {"128", "32768", "2147483648", "9223372036854775808",
                                         "256", "65536", "4294967296", "18446744073709551616"};
    const hid_t file = new_file();
    batch b = batch_begin(8, 2);
    stoa_error err = STOA_ERROR_INIT;

    for (int64_t i = 0; i < 8; i++) {
        batch_integers(&b, i, formats[i], formats[i], (int64_t[]){0, 7}, NULL);
    }
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    for (int i = 0; i < 8; i++) {
        const char path[] = {'/', 't', '/', formats[i][0], '\0'};
        CHECK_OK(set(table, formats[i], "valid_min", lows[i], &err), &err);
        CHECK_OK(set(table, formats[i], "valid_max", highs[i], &err), &err);
        CHECK(bound_of(file, path, "valid_min") <= 0);
        CHECK_STATUS(i == 7 ? STOA_EINVAL : STOA_ERANGE,
                     set(table, formats[i], "valid_max", beyond[i], &err));
        if (i >= 4) {
            CHECK_STATUS(STOA_ERANGE, set(table, formats[i], "valid_min", "-1", &err));
        }
    }
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void an_attribute_of_another_type_is_removed_or_replaced(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    const hid_t space = H5Screate_simple(1, &(hsize_t){3}, NULL);
    const hid_t dataset = H5Dopen2(file, "/t/i", H5P_DEFAULT);
    stoa_error err = STOA_ERROR_INIT;

    for (int turn = 0; turn < 2; turn++) {
        const hid_t attr =
            H5Acreate2(dataset, "own", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT);
        CHECK_H5(H5Awrite(attr, H5T_NATIVE_INT, (int[]){1, 2, 3}));
        H5Aclose(attr);
        CHECK_OK(set(table, "i", "own", turn == 0 ? "text" : NULL, &err), &err);
        CHECK_STR(text_of(file, "/t/i", "own"), turn == 0 ? "text" : "");
        if (turn == 0) {
            CHECK_H5(H5Adelete(dataset, "own"));
        }
    }
    H5Dclose(dataset);
    H5Sclose(space);
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

/* What a visitor has seen, as "name=value " of each; a number or a type has "~" for "=". */
typedef struct seen {
    char text[512];
    size_t n_left; /* attributes to see before the visitor stops */
} seen;

static bool look(void *context, const stoa_attribute *attribute)
{
    seen *const s = context;
    const size_t length = strlen(s->text);

    (void)snprintf(s->text + length, sizeof s->text - length, "%s%s%s ", attribute->name,
                   attribute->is_text ? "=" : "~", attribute->value);
    return --s->n_left > 0;
}

static void visited(const stoa_table *table, const char *column, size_t n, const char *expected)
{
    stoa_error err = STOA_ERROR_INIT;
    seen s = {"", n};

    CHECK_OK(stoa_attribute_visit(table, column, look, &s, &err), &err);
    CHECK_STR(s.text, expected);
}

static void attributes_are_visited_as_texts_by_name(void)
{
    static const double numbers[] = {1.5, 2.5, 3.5};
    const hsize_t three = 3;
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(set(table, "x", "units", "MeV", NULL));
    CHECK_OK(set(table, "x", "a note", "of mine", NULL));
    CHECK_OK(set(table, "i", "valid_min", "-100", NULL));
    CHECK_OK(set(table, NULL, "TITLE", "Runs", NULL));
    CHECK_OK(set(table, NULL, "units_vocabulary", NULL, NULL));
    const hid_t object = H5Dopen2(file, "/t/x", H5P_DEFAULT);
    const hid_t one = H5Screate(H5S_SCALAR);
    const hid_t several = H5Screate_simple(1, &three, NULL);
    hid_t attr = H5Acreate2(object, "gain", H5T_IEEE_F64LE, one, H5P_DEFAULT, H5P_DEFAULT);
    CHECK_H5(H5Awrite(attr, H5T_NATIVE_DOUBLE, numbers));
    H5Aclose(attr);
    attr = H5Acreate2(object, "poles", H5T_IEEE_F64LE, several, H5P_DEFAULT, H5P_DEFAULT);
    CHECK_H5(H5Awrite(attr, H5T_NATIVE_DOUBLE, numbers));
    H5Aclose(attr);
    H5Sclose(several);
    H5Sclose(one);
    H5Dclose(object);

    visited(table, NULL, SIZE_MAX, "TITLE=Runs ");
    visited(table, "x", SIZE_MAX, "a note=of mine gain~1.5 poles~(3 of float64) units=MeV ");
    visited(table, "x", 2, "a note=of mine gain~1.5 ");
    visited(table, "i", SIZE_MAX, "valid_min~-100 ");
    CHECK_STATUS(STOA_ENOTFOUND, stoa_attribute_visit(table, "nope", look, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "'nope'");
    stoa_table_close(table);
    H5Fclose(file);
}

static void what_another_layout_says_is_visited_first(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);

    table->frame = strdup("of its own");
    table->frame_name = "frame";
    visited(table, NULL, SIZE_MAX, "frame=of its own units_vocabulary=UDUNITS-2 ");
    visited(table, NULL, 1, "frame=of its own ");
    visited(table, "x", SIZE_MAX, "");
    stoa_table_close(table);
    H5Fclose(file);
}

static stoa_status set_units(stoa_table *table, stoa_error *err)
{
    return stoa_table_annotate(table, "x", "units", "m", err);
}

static stoa_status set_minimum(stoa_table *table, stoa_error *err)
{
    return stoa_table_annotate(table, "i", "valid_min", "0", err);
}

static void attributes_are_written_or_memory_ran_out(void)
{
    sweep_edit(set_units);
    sweep_edit(set_minimum);
}

TEST_MAIN(TEST(texts_are_set_replaced_and_removed),
          TEST(a_column_has_its_own_vocabulary_or_the_tables),
          TEST(names_that_mean_something_are_refused_with_the_reason),
          TEST(a_range_is_of_the_columns_type_and_true_of_its_values),
          TEST(later_rows_do_not_make_a_range_a_lie),
          TEST(a_bound_stays_true_and_alone_when_the_column_is_widened),
          TEST(a_range_that_must_be_declared_cannot_go),
          TEST(bounds_reach_the_ends_of_every_integer_type),
          TEST(an_attribute_of_another_type_is_removed_or_replaced),
          TEST(attributes_are_visited_as_texts_by_name),
          TEST(what_another_layout_says_is_visited_first),
          TEST(attributes_are_written_or_memory_ran_out))
