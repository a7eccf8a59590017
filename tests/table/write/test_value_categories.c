/* Categories whose labels are numbers, times or booleans (HEP001 §8.7). */
#include <stdlib.h>
#include <string.h>

#include "table/kit.h"

enum { N_ROWS = 8 };

static const int64_t codes[N_ROWS] = {0, 1, 2, -1, 2, 1, 0, 2};

/* A batch of one column of `format`, which becomes labels. */
static batch labels_of(const char *format, const int64_t *values, int64_t n)
{
    batch labels = batch_begin(1, n);

    batch_integers(&labels, 0, "labels", format, values, NULL);
    return labels;
}

/* Write column "c" of a dictionary of these labels. */
static stoa_table *write_labels(hid_t file, batch *labels)
{
    batch b = batch_begin(1, N_ROWS);

    batch_labelled(&b, 0, "c", labels, codes);
    write_batches(file, "/t", &b, 1, NULL);
    check_conformant(file, "/t");
    return open_table(file, "/t");
}

static void expect_format(const stoa_table *table, const char *format)
{
    struct ArrowSchema schema;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_column_schema(stoa_table_find(table, "c"), &schema, &err), &err);
    CHECK(schema.dictionary != NULL);
    CHECK_STR(schema.dictionary->format, format);
    stoa_schema_release(&schema);
}

static hid_t type_in(hid_t file, const char *path)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));

    CHECK_H5(H5Dclose(dataset));
    return type;
}

static void numbers_are_labels_of_their_own_type(void)
{
    static const struct {
        const char *format;
        hid_t *type;
    } kinds[] = {{"c", &H5T_STD_I8LE_g},  {"C", &H5T_STD_U8LE_g},  {"s", &H5T_STD_I16LE_g},
                 {"S", &H5T_STD_U16LE_g}, {"i", &H5T_STD_I32LE_g}, {"I", &H5T_STD_U32LE_g},
                 {"l", &H5T_STD_I64LE_g}, {"L", &H5T_STD_U64LE_g}};
    const int64_t values[] = {100, 7, 127};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const hid_t file = new_file();
        batch labels = labels_of(kinds[i].format, values, 3);
        stoa_table *table = write_labels(file, &labels);
        const hid_t type = type_in(file, "/t/CATEGORIES/c__CATEGORIES");
        const hid_t code = type_in(file, "/t/c");

        CHECK(H5Tequal(type, *kinds[i].type) > 0);
        CHECK(H5Tequal(code, H5T_STD_I8LE) > 0);
        expect_format(table, kinds[i].format);
        EXPECT(table, "c", "100", "7", "127", "null", "127", "7", "100", "127");
        stoa_table_close(table);
        CHECK_H5(H5Tclose(type));
        CHECK_H5(H5Tclose(code));
        CHECK_H5(H5Fclose(file));
    }
}

/* The ends of a type are labels, too: no value is set aside for missing ones. */
static void every_value_of_a_type_may_be_a_label(void)
{
    const int64_t values[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX};
    const hid_t file = new_file();
    batch labels = labels_of("l", values, 3);
    stoa_table *table = write_labels(file, &labels);

    EXPECT(table, "c", "-9223372036854775808", "-9223372036854775807", "9223372036854775807",
           "null", "9223372036854775807", "-9223372036854775807", "-9223372036854775808",
           "9223372036854775807");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void floats_are_labels(void)
{
    const double values[] = {0.5, -0.0, 1e30};
    const hid_t file = new_file();
    batch labels = batch_begin(1, 3);

    batch_floats(&labels, 0, "labels", "g", values, NULL);
    stoa_table *table = write_labels(file, &labels);
    expect_format(table, "g");
    EXPECT(table, "c", "0.5", "-0.0", "1e+30", "null", "1e+30", "-0.0", "0.5", "1e+30");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* They are counted by the units of the labels. Those of the codes would say that codes are times.
 */
static void times_are_labels_with_their_units(void)
{
    static const char *const formats[] = {"tdD", "tsm:", "tsn:UTC", "tsu:Europe/Berlin", "tDs"};
    const int64_t values[] = {0, -1, 20000};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const hid_t file = new_file();
        batch labels = labels_of(formats[i], values, 3);
        stoa_table *table = write_labels(file, &labels);
        const hid_t codes_there = CHECK_H5(H5Dopen2(file, "/t/c", H5P_DEFAULT));

        expect_format(table, formats[i]);
        EXPECT(table, "c", "0", "-1", "20000", "null", "20000", "-1", "0", "20000");
        CHECK(H5Aexists(codes_there, "units") == 0);
        CHECK(H5Aexists_by_name(file, "/t/CATEGORIES/c__CATEGORIES", "units", H5P_DEFAULT) > 0);
        stoa_table_close(table);
        CHECK_H5(H5Dclose(codes_there));
        CHECK_H5(H5Fclose(file));
    }
}

static void booleans_are_labels_as_hep001_stores_them(void)
{
    const int64_t values[] = {1, 0};
    const int64_t of_rows[N_ROWS] = {0, 1, 1, -1, 0, 0, 1, 0};
    const hid_t file = new_file();
    batch b = batch_begin(1, N_ROWS);
    batch labels = labels_of("b", values, 2);

    batch_labelled(&b, 0, "c", &labels, of_rows);
    write_batches(file, "/t", &b, 1, NULL);
    check_conformant(file, "/t");
    stoa_table *table = open_table(file, "/t");
    expect_format(table, "b");
    EXPECT(table, "c", "1", "0", "0", "null", "1", "1", "0", "1");
    stoa_table_close(table);
    const hid_t type = type_in(file, "/t/CATEGORIES/c__CATEGORIES");
    CHECK(H5Tget_class(type) == H5T_ENUM);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
}

/* Labels are numbered by their values, whatever order a batch gives them in. */
static void later_batches_may_have_other_labels(void)
{
    const int64_t first[] = {2023, 2024};
    const int64_t then[] = {2025, 2023, 2024};
    const int64_t of_first[] = {0, 1, -1};
    const int64_t of_then[] = {0, 1, 2, 0};
    const hid_t file = new_file();
    batch batches[2] = {batch_begin(1, 3), batch_begin(1, 4)};
    batch labels = labels_of("L", first, 2);

    batch_labelled(&batches[0], 0, "c", &labels, of_first);
    labels = labels_of("L", then, 3);
    batch_labelled(&batches[1], 0, "c", &labels, of_then);
    write_batches(file, "/t", batches, 2, NULL);
    check_conformant(file, "/t");
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "c", "2023", "2024", "null", "2025", "2023", "2024", "2025");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void appended_values_are_looked_up_among_the_labels(void)
{
    const int64_t values[] = {10, 20, 30};
    const int64_t more[] = {30, 300, 10};
    const bool valid[] = {true, true, false};
    const hid_t file = new_file();
    batch labels = labels_of("s", values, 3);
    stoa_table *table = write_labels(file, &labels);
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 3);

    batch_integers(&b, 0, "c", "l", more, valid); /* plain numbers of another width */
    CHECK_OK(append(table, &b, &err), &err);
    EXPECT(table, "c", "10", "20", "30", "null", "30", "20", "10", "30", "30", "300", "null");
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "c", "l", (const int64_t[]){70000}, NULL);
    CHECK_STATUS(STOA_ELOSS, append(table, &b, &err), &err);
    CHECK_CONTAINS(err.message, "70000");
    b = batch_begin(1, 1);
    batch_strings(&b, 0, "c", (const char *const[]){"10"});
    CHECK_STATUS(STOA_ETYPE, append(table, &b, &err), &err);
    CHECK_U64(stoa_table_n_rows(table), 11);
    stoa_table_close(table);
    check_conformant(file, "/t");
    CHECK_H5(H5Fclose(file));
}

/* A dataset of fixed size cannot grow: another one takes its place. */
static void labels_of_a_fixed_size_are_replaced_by_more(void)
{
    const int64_t values[] = {1, 2, 3};
    const hid_t file = new_file();
    batch labels = labels_of("i", values, 3);
    stoa_error err = STOA_ERROR_INIT;

    stoa_table_close(write_labels(file, &labels));
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t/CATEGORIES", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){3}, NULL));
    CHECK_H5(H5Ldelete(group, "c__CATEGORIES", H5P_DEFAULT));
    const hid_t fixed = CHECK_H5(H5Dcreate2(group, "c__CATEGORIES", H5T_STD_I32BE, space,
                                            H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(fixed, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    const hid_t column = CHECK_H5(H5Dopen2(file, "/t/c", H5P_DEFAULT));
    const hid_t attribute = CHECK_H5(H5Aopen(column, "CATEGORIES", H5P_DEFAULT));
    H5R_ref_t reference;
    CHECK_H5(H5Rcreate_object(fixed, ".", H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attribute, H5T_STD_REF, &reference));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Dclose(column));
    CHECK_H5(H5Dclose(fixed));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Gclose(group));

    stoa_table *table = open_table(file, "/t");
    batch b = batch_begin(1, 2);
    batch_integers(&b, 0, "c", "i", (const int64_t[]){4, 2}, NULL);
    CHECK_OK(append(table, &b, &err), &err);
    EXPECT(table, "c", "1", "2", "3", "null", "3", "2", "1", "3", "4", "2");
    stoa_table_close(table);
    check_conformant(file, "/t");
    const hid_t type = type_in(file, "/t/CATEGORIES/c__CATEGORIES");
    CHECK(H5Tequal(type, H5T_STD_I32BE) > 0);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
}

static void columns_of_numbers_become_categories_and_plain_again(void)
{
    static const char *const formats[] = {"i", "g", "tsm:UTC", "tDn"};
    const int64_t values[] = {5, 6, 5, 0, 6};
    const double numbers[] = {5, 6, 5, 0, 6};
    const bool valid[] = {true, true, true, false, true};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const bool is_float = formats[i][0] == 'g';
        const hid_t file = new_file();
        stoa_error err = STOA_ERROR_INIT;
        batch b = batch_begin(1, 5);

        if (is_float) {
            batch_floats(&b, 0, "c", formats[i], numbers, valid);
        } else {
            batch_integers(&b, 0, "c", formats[i], values, valid);
        }
        write_batches(file, "/t", &b, 1, NULL);
        stoa_table *table = open_table(file, "/t");
        for (int n = 0; n < 2; n++) {
            CHECK_OK(stoa_column_categorize(table, "c", n == 0, NULL, &err), &err);
            struct ArrowSchema schema;
            CHECK_OK(stoa_column_schema(stoa_table_find(table, "c"), &schema, &err), &err);
            CHECK((schema.dictionary != NULL) == (n == 0));
            CHECK_STR(n == 0 ? schema.dictionary->format : schema.format, formats[i]);
            stoa_schema_release(&schema);
            if (is_float) {
                EXPECT(table, "c", "5.0", "6.0", "5.0", "null", "6.0");
            } else {
                EXPECT(table, "c", "5", "6", "5", "null", "6");
            }
            check_conformant(file, "/t");
        }
        CHECK(H5Lexists(file, "/t/CATEGORIES", H5P_DEFAULT) == 0);
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

static void lists_cannot_be_labels(void)
{
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 2);
    batch items = labels_of("i", (int64_t[]){1, 2}, 2);

    batch_lists(&b, 0, "c", "+w:1", &items, (int64_t[]){1, 1}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_STATUS(STOA_ETYPE, stoa_column_categorize(table, "c", true, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "only strings, numbers, times and booleans");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Ordered ones have no place for a new label; the message shows it as a value. */
static void a_new_label_of_ordered_ones_is_named(void)
{
    const int64_t values[] = {18262, 18263};
    const int64_t of_rows[N_ROWS] = {0, 1, 0, 1, 0, 1, 0, 1};
    const hid_t file = new_file();
    batch b = batch_begin(1, N_ROWS);
    batch labels = labels_of("tdD", values, 2);
    stoa_error err = STOA_ERROR_INIT;

    batch_labelled(&b, 0, "c", &labels, of_rows);
    b.schema.children[0]->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "c", "tdD", (const int64_t[]){18264}, NULL);
    CHECK_STATUS(STOA_ELOSS, append(table, &b, &err), &err);
    CHECK_CONTAINS(err.message, "'2020-01-03'");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(numbers_are_labels_of_their_own_type), TEST(every_value_of_a_type_may_be_a_label),
          TEST(floats_are_labels), TEST(times_are_labels_with_their_units),
          TEST(booleans_are_labels_as_hep001_stores_them),
          TEST(later_batches_may_have_other_labels),
          TEST(appended_values_are_looked_up_among_the_labels),
          TEST(labels_of_a_fixed_size_are_replaced_by_more),
          TEST(columns_of_numbers_become_categories_and_plain_again), TEST(lists_cannot_be_labels),
          TEST(a_new_label_of_ordered_ones_is_named))
