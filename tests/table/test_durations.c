/* Durations in HEP001 tables: int64 with units and an attribute of Stoa's own (docs/hep001.md). */
#include <stdio.h>
#include <stdlib.h>

#include "column/column.h"
#include "hdf/metadata/attributes.h"
#include "table/kit.h"
#include "table/open/table.h"

static const char *const formats[] = {"tDs", "tDm", "tDu", "tDn"};
static const char *const units[] = {"s", "ms", "us", "ns"};
static const char *const names[] = {"a", "b", "c", "d"};

/* A column of each unit; row 1 is missing. The ends of int64 are values, too. */
static batch lasting(void)
{
    const int64_t ticks[] = {1500, 0, -7, INT64_MAX, INT64_MIN, 0};
    const bool valid[] = {1, 0, 1, 1, 1, 1};
    batch b = batch_begin(4, 6);

    for (int64_t i = 0; i < 4; i++) {
        batch_integers(&b, i, names[i], formats[i], ticks, valid);
    }
    return b;
}

static stoa_table *sample(hid_t file)
{
    batch b = lasting();

    write_batches(file, "/t", &b, 1, NULL);
    return open_table(file, "/t");
}

static void check_format(stoa_table *table, const char *name, const char *format)
{
    struct ArrowSchema schema = {.release = NULL};

    CHECK_OK(stoa_column_schema(stoa_table_find(table, name), &schema, NULL));
    CHECK_STR(schema.format, format);
    stoa_schema_release(&schema);
}

static void every_unit_comes_back(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample(file);

    for (int i = 0; i < 4; i++) {
        check_format(table, names[i], formats[i]);
        EXPECT(table, names[i], "1500", "null", "-7", "9223372036854775807", "-9223372036854775808",
               "0");
    }
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void others_see_integers_with_units(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample(file);

    for (int i = 0; i < 4; i++) {
        const hid_t dataset = stoa_table_find(table, names[i])->dataset;
        const hid_t type = CHECK_H5(H5Dget_type(dataset));
        CHECK(H5Tequal(type, H5T_STD_I64LE) > 0);
        CHECK_H5(H5Tclose(type));
        CHECK(stoa_attribute_is(dataset, "units", units[i]));
        CHECK(stoa_attribute_is(dataset, "stoa_arrow_type", "duration"));
    }
    stoa_table_close(table);
    H5Fclose(file);
}

/* A length in ns may be the time of flight of each row; only who says so has durations. */
static void integers_with_units_are_integers(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(2, 2);

    batch_integers(&b, 0, "plain", "l", (int64_t[]){1, 2}, NULL);
    batch_integers(&b, 1, "said", "tDn", (int64_t[]){1, 2}, NULL);
    CHECK_OK(stoa_schema_set(b.schema.children[0], "units", "ns", NULL));
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    check_format(table, "plain", "l");
    check_format(table, "said", "tDn");
    stoa_table_close(table);

    static const struct {
        const char *units;
        const char *type;
        const char *format;
    } cases[] = {
        {"ms", "duration", "tDm"}, {"seconds", "duration", "tDs"},
        {"MeV", "duration", "l"},  {"", "duration", "l"},
        {"min", "duration", "l"},  {"d", "duration", "l"},
        {"ns", "Duration", "l"},   {"ns", "utf8", "l"},
        {"ns", "", "l"},           {"ns since 1970-01-01", "duration", "tsn:"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/said", H5P_DEFAULT));
        CHECK_H5(H5Adelete(dataset, "units"));
        CHECK_H5(H5Adelete(dataset, "stoa_arrow_type"));
        CHECK_OK(stoa_attribute_write_utf8(dataset, "units", cases[k].units, NULL));
        CHECK_OK(stoa_attribute_write_utf8(dataset, "stoa_arrow_type", cases[k].type, NULL));
        CHECK_H5(H5Dclose(dataset));
        table = open_table(file, "/t");
        check_format(table, "said", cases[k].format);
        EXPECT(table, "said", "1", "2");
        stoa_table_close(table);
    }
    H5Fclose(file);
}

/* Whoever writes the attribute on other things is not believed. */
static void only_integers_are_durations(void)
{
    static const char *const others[] = {"g", "L", "b"};
    const hid_t file = new_file();

    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        batch b = batch_begin(1, 2);
        char path[8];
        if (others[k][0] == 'g') {
            batch_floats(&b, 0, "x", others[k], (double[]){0, 1}, NULL);
        } else {
            batch_integers(&b, 0, "x", others[k], (int64_t[]){0, 1}, NULL);
        }
        (void)snprintf(path, sizeof path, "/t%zu", k);
        CHECK_OK(stoa_schema_set(b.schema.children[0], "units", "s", NULL));
        write_batches(file, path, &b, 1, NULL);
        stoa_table *table = open_table(file, path);
        const hid_t dataset = stoa_table_find(table, "x")->dataset;
        CHECK_OK(stoa_attribute_write_utf8(dataset, "stoa_arrow_type", "duration", NULL));
        stoa_table_close(table);
        table = open_table(file, path);
        check_format(table, "x", others[k]);
        stoa_table_close(table);
    }
    H5Fclose(file);
}

/* 32 bits that somebody else wrote are shown as 64. */
static void narrow_integers_may_be_durations(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 3);

    batch_integers(&b, 0, "x", "s", (int64_t[]){5, 0, -300}, (bool[]){1, 0, 1});
    CHECK_OK(stoa_schema_set(b.schema.children[0], "units", "ms", NULL));
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_attribute_write_utf8(stoa_table_find(table, "x")->dataset, "stoa_arrow_type",
                                       "duration", NULL));
    stoa_table_close(table);
    table = open_table(file, "/t");
    check_format(table, "x", "tDm");
    EXPECT(table, "x", "5", "null", "-300");
    stoa_table_close(table);
    H5Fclose(file);
}

static void appended_durations_are_brought_to_the_unit(void)
{
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 1);

    batch_integers(&b, 0, "x", "tDm", (int64_t[]){1}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    b = batch_begin(1, 2);
    batch_integers(&b, 0, "x", "tDs", (int64_t[]){2, 0}, (bool[]){1, 0});
    CHECK_OK(append(table, &b, &err), &err);
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "tDu", (int64_t[]){-3000}, NULL);
    CHECK_OK(append(table, &b, &err), &err);
    EXPECT(table, "x", "1", "2000", "null", "-3");
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "tDu", (int64_t[]){1}, NULL);
    CHECK_STATUS(STOA_ELOSS, append(table, &b, &err), &err);
    for (size_t k = 0; k < 3; k++) {
        static const char *const others[] = {"l", "tsm:", "tdD"};
        err = (stoa_error)STOA_ERROR_INIT;
        b = batch_begin(1, 1);
        batch_integers(&b, 0, "x", others[k], (int64_t[]){1}, NULL);
        CHECK_STATUS(STOA_ETYPE, append(table, &b, &err), &err);
        CHECK_CONTAINS(err.message, "is duration[ms]");
    }
    EXPECT(table, "x", "1", "2000", "null", "-3");
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void updates_set_durations_from_texts(void)
{
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    stoa_assignment assignment = {"b", "'1min 0.5s'"};
    stoa_table *table = sample(file);

    CHECK_OK(stoa_table_update(table, "b < '0s'", &assignment, 1, NULL, NULL, &err), &err);
    EXPECT(table, "b", "1500", "null", "60500", "9223372036854775807", "60500", "0");
    assignment.value = "'1us'";
    CHECK_STATUS(STOA_ELOSS, stoa_table_update(table, "b = '0s'", &assignment, 1, NULL, NULL, &err),
                 &err);
    CHECK_CONTAINS(err.message, "finer than the durations of 'b'");
    assignment.value = "'soon'";
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ETYPE, stoa_table_update(table, "b = '0s'", &assignment, 1, NULL, NULL, &err),
                 &err);
    CHECK_CONTAINS(err.message, "'soon' is no duration, and 'b' is one");
    assignment.value = "5";
    CHECK_STATUS(STOA_ETYPE, stoa_table_update(table, "b = '0s'", &assignment, 1, NULL, NULL, &err),
                 &err);
    check_format(table, "b", "tDm");
    stoa_table_close(table);
    H5Fclose(file);
}

TEST_MAIN(TEST(every_unit_comes_back), TEST(others_see_integers_with_units),
          TEST(integers_with_units_are_integers), TEST(only_integers_are_durations),
          TEST(narrow_integers_may_be_durations), TEST(appended_durations_are_brought_to_the_unit),
          TEST(updates_set_durations_from_texts))
