/* Numbers that are stored in a wider type to have room for a fill value (HEP001 §8.5), which stay
 * what they were: src/column/write/encode.c, rewrite_dataset.c, rewrite_list.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "table/edited.h"
#include "table/list_kit.h"

enum { ALL = 256 };

/* Column "x" of all values of int8, "l" of lists of one of them each, and "h" of float16 with both
 * infinities and NaN. */
static batch all_values(void)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0.5};
    batch b = batch_begin(3, ALL);
    batch items = batch_begin(1, ALL);
    int64_t values[ALL];
    int64_t ones[ALL];
    double floats[ALL];

    for (int i = 0; i < ALL; i++) {
        values[i] = i - 128;
        ones[i] = 1;
        floats[i] = specials[i % 4];
    }
    batch_integers(&b, 0, "x", "c", values, NULL);
    batch_integers(&items, 0, "item", "c", values, NULL);
    batch_lists(&b, 1, "l", "+l", &items, ones, NULL);
    batch_floats(&b, 2, "h", "e", floats, NULL);
    return b;
}

/* One row of wider types. */
static batch one_row(int64_t x, int64_t item, double h)
{
    batch b = batch_begin(3, 1);
    batch items = batch_begin(1, 1);

    batch_integers(&b, 0, "x", "i", &x, NULL);
    batch_integers(&items, 0, "item", "l", &item, NULL);
    batch_lists(&b, 1, "l", "+l", &items, &(int64_t){1}, NULL);
    batch_floats(&b, 2, "h", "g", &h, NULL);
    return b;
}

static stoa_table *new_table(hid_t *file)
{
    batch b = all_values();

    *file = new_file();
    write_batches(*file, "/t", &b, 1, NULL);
    return open_table(*file, "/t");
}

/* Check what a dataset is and what it says that it was, if that is another type. */
static void expect_type(hid_t file, const char *path, hid_t type, const char *was)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    const hid_t stored = CHECK_H5(H5Dget_type(dataset));
    char *said = NULL;

    CHECK(H5Tequal(stored, type) > 0);
    CHECK_OK(stoa_attribute_read_optional(dataset, "stoa_arrow_type", &said, NULL));
    CHECK_STR(said != NULL ? said : "", was);
    free(said);
    CHECK_H5(H5Tclose(stored));
    CHECK_H5(H5Dclose(dataset));
}

/* The Arrow format of the table's columns as stoa_stream_cast() gives them. */
static const char *formats(stoa_table *table)
{
    static char text[64];
    struct ArrowSchema rows;
    struct ArrowSchema cast;

    CHECK_OK(stoa_table_schema(table, &rows, NULL));
    CHECK_OK(stoa_schema_cast(&rows, NULL, &cast, NULL));
    text[0] = '\0';
    for (int64_t i = 0; i < cast.n_children; i++) {
        const struct ArrowSchema *const field = cast.children[i];
        const bool is_list = field->n_children != 0;
        (void)strcat(text, is_list ? "[" : "");
        (void)strcat(text, is_list ? field->children[0]->format : field->format);
    }
    stoa_schema_release(&cast);
    stoa_schema_release(&rows);
    return text;
}

static void they_say_what_they_were(void)
{
    hid_t file = H5I_INVALID_HID;
    stoa_table *const table = new_table(&file);

    expect_type(file, "/t/x", H5T_STD_I16LE, "int8");
    expect_type(file, "/t/l/VALUES", H5T_STD_I16LE, "int8");
    expect_type(file, "/t/h", H5T_IEEE_F32LE, "float16");
    CHECK_STR(formats(table), "c[ce");
    close_table(table, file);
}

static void appended_values_that_fit_leave_it_so(void)
{
    hid_t file = H5I_INVALID_HID;
    stoa_table *const table = new_table(&file);
    batch more[] = {one_row(-128, 127, 65504), one_row(5, -1, 1)};

    CHECK_OK(append_all(table, more, 2, NULL));
    CHECK_STR(formats(table), "c[ce");
    close_table(table, file);
}

static void other_appended_values_end_it(void)
{
    hid_t file = H5I_INVALID_HID;
    stoa_table *const table = new_table(&file);
    batch more = one_row(128, 1, 1);

    CHECK_OK(append(table, &more, NULL));
    expect_type(file, "/t/x", H5T_STD_I16LE, "");
    CHECK_STR(formats(table), "s[ce");
    more = one_row(1, -129, 1);
    CHECK_OK(append(table, &more, NULL));
    expect_type(file, "/t/l/VALUES", H5T_STD_I16LE, "");
    CHECK_STR(formats(table), "s[se");
    more = one_row(1, 1, 2049); /* is between two */
    CHECK_OK(append(table, &more, NULL));
    expect_type(file, "/t/h", H5T_IEEE_F32LE, "");
    CHECK_STR(formats(table), "s[sf");
    CHECK_STR(list_text(stoa_table_find(table, "l"), ALL, 3), "[1] [-129] [1]");
    close_table(table, file);
}

static void updates_leave_it_or_end_it_likewise(void)
{
    hid_t file = H5I_INVALID_HID;
    stoa_table *const table = new_table(&file);

    CHECK_U64(update(table, "x = 3", "x", "-128"), 1);
    CHECK_U64(update(table, "x = 4", "l", "[7, null]"), 1);
    CHECK_U64(update(table, "x = 5", "h", "1.5"), 1);
    CHECK_STR(formats(table), "c[ce");
    CHECK_U64(update(table, "x = 6", "l", "[1000]"), 1);
    CHECK_STR(formats(table), "c[se");
    CHECK_U64(update(table, "x = 6", "h", "0.1"), 1);
    CHECK_STR(formats(table), "c[sf");
    CHECK_U64(update(table, "x = 7", "x", "x * 100"), 1);
    CHECK_STR(formats(table), "s[sf");
    CHECK_STR(list_text(stoa_table_find(table, "l"), 131, 4), "[3] [7,null] [5] [1000]");
    close_table(table, file);
}

/* An append that leaves no fill value is where the type becomes wider. */
static void a_column_that_fills_up_later_says_it_too(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 2);
    batch more = batch_begin(1, 3);

    batch_integers(&b, 0, "x", "C", (int64_t[]){0, 7}, (bool[]){true, false});
    write_batches(file, "/t", &b, 1, NULL);
    expect_type(file, "/t/x", H5T_STD_U8LE, "");
    stoa_table *const table = open_table(file, "/t");
    batch_integers(&more, 0, "x", "C", (int64_t[]){255, 254, 1}, NULL);
    CHECK_OK(append(table, &more, NULL));
    expect_type(file, "/t/x", H5T_STD_U16LE, "uint8");
    CHECK_STR(formats(table), "C");
    EXPECT(table, "x", "0", "null", "255", "254", "1");
    close_table(table, file);
}

/* What a field of Arrow says may be of other values than these. */
static void what_a_field_says_is_written_if_it_is_true(void)
{
    static const char *const said[] = {"int8", "int8", "duration", "float64"};
    static const char *const wanted[] = {"int8", "", "", ""};
    const hid_t file = new_file();

    for (int i = 0; i < 4; i++) {
        batch batches[] = {batch_begin(1, 1), batch_begin(1, 1)};
        batch_integers(&batches[0], 0, "x", "s", (int64_t[]){-128}, NULL);
        batch_integers(&batches[1], 0, "x", "s", (int64_t[]){i == 1 ? 128 : 127}, NULL);
        for (int k = 0; k < 2; k++) {
            CHECK_OK(
                stoa_schema_set(batches[k].schema.children[0], "stoa_arrow_type", said[i], NULL));
        }
        write_batches(file, "/t", batches, 2, NULL);
        expect_type(file, "/t/x", H5T_STD_I16LE, wanted[i]);
        batch first = batch_begin(1, 1);
        batch_integers(&first, 0, "x", "s", (int64_t[]){i == 1 ? 128 : 127}, NULL);
        CHECK_OK(stoa_schema_set(first.schema.children[0], "stoa_arrow_type", said[i], NULL));
        write_batches(file, "/u", &first, 1, NULL);
        expect_type(file, "/u/x", H5T_STD_I16LE, wanted[i]);
        CHECK_H5(H5Ldelete(file, "/t", H5P_DEFAULT));
        CHECK_H5(H5Ldelete(file, "/u", H5P_DEFAULT));
    }
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(they_say_what_they_were), TEST(appended_values_that_fit_leave_it_so),
          TEST(other_appended_values_end_it), TEST(updates_leave_it_or_end_it_likewise),
          TEST(a_column_that_fills_up_later_says_it_too),
          TEST(what_a_field_says_is_written_if_it_is_true))
