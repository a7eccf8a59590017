/* Fill values (HEP001 §8.5): those that are chosen, and the search for one that is no value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "table/kit.h"

/* --- chosen ------------------------------------------------------------------------------------
 */

static stoa_status write_with(hid_t file, batch *b, size_t n, const char *column, const char *value,
                              stoa_error *err)
{
    const stoa_missing_value fills[] = {{column, value}};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;

    options.fills = fills;
    options.n_fills = 1;
    stream_of(b, n, &stream);
    const stoa_status status = stoa_table_write(file, "/t", &stream, &options, NULL, err);
    stoa_stream_release(&stream);
    return status;
}

static batch integers(const char *format, const int64_t *values, const bool *valid, int64_t n)
{
    batch b = batch_begin(1, n);

    batch_integers(&b, 0, "x", format, values, valid);
    return b;
}

/* The fill value of column "x", and whether a range is declared. */
static int64_t fill_of(hid_t file, bool *has_range)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/x", H5P_DEFAULT));
    const hid_t dcpl = CHECK_H5(H5Dget_create_plist(dataset));
    int64_t fill = 0;

    CHECK_H5(H5Pget_fill_value(dcpl, H5T_NATIVE_INT64, &fill));
    *has_range = CHECK_H5(H5Aexists(dataset, "valid_min")) > 0;
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Dclose(dataset));
    return fill;
}

static void a_chosen_fill_stands_for_missing_values(void)
{
    const hid_t file = new_file();
    batch b = integers("s", (int64_t[]){1, 0, -3}, (bool[]){true, false, true}, 3);
    stoa_error err = STOA_ERROR_INIT;
    bool has_range = true;

    CHECK_OK(write_with(file, &b, 1, "x", "-999", &err), &err);
    CHECK_I64(fill_of(file, &has_range), -999);
    CHECK(!has_range); /* values below it are values */
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "x", "1", "null", "-3");
    stoa_table_close(table);
    check_conformant(file, "/t");
    CHECK_H5(H5Fclose(file));
}

static void a_value_that_equals_it_is_refused(void)
{
    const hid_t file = new_file();
    batch batches[] = {integers("s", (int64_t[]){1}, NULL, 1),
                       integers("s", (int64_t[]){-999}, NULL, 1)};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ELOSS, write_with(file, batches, 2, "x", "-999", &err), &err);
    CHECK_CONTAINS(err.message, "'x' holds the fill value that was chosen");
    CHECK(CHECK_H5(H5Lexists(file, "/t", H5P_DEFAULT)) == 0);
    CHECK_H5(H5Fclose(file));
}

static void nan_can_be_chosen_for_floats(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 2);
    stoa_error err = STOA_ERROR_INIT;

    batch_floats(&b, 0, "x", "f", (double[]){1.5, 0}, (bool[]){true, false});
    CHECK_OK(write_with(file, &b, 1, "x", "nan", &err), &err);
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "x", "1.5", "null");
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/x", H5P_DEFAULT));
    float stored[2] = {0, 0};
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored));
    CHECK(isnan(stored[1]));
    CHECK_H5(H5Dclose(dataset));
    stoa_table_close(table);
    check_conformant(file, "/t");
    CHECK_H5(H5Ldelete(file, "/t", H5P_DEFAULT));

    b = batch_begin(1, 2);
    batch_floats(&b, 0, "x", "f", (double[]){1.5, (double)NAN}, NULL);
    CHECK_STATUS(STOA_ELOSS, write_with(file, &b, 1, "x", "nan", &err), &err);
    CHECK_H5(H5Fclose(file));
}

static void it_stays_when_the_type_widens(void)
{
    const hid_t file = new_file();
    batch batches[] = {integers("c", (int64_t[]){1, 0}, (bool[]){true, false}, 2),
                       integers("c", (int64_t[]){-127}, NULL, 1)};
    batch more = integers("l", (int64_t[]){INT64_C(1) << 40}, NULL, 1);
    stoa_error err = STOA_ERROR_INIT;
    bool has_range = false;

    CHECK_OK(write_with(file, batches, 2, "x", "99", &err), &err);
    CHECK_I64(fill_of(file, &has_range), 99);
    CHECK(has_range); /* the recommended fill is a value, so the range must be declared */
    check_conformant(file, "/t");
    CHECK_H5(H5Ldelete(file, "/t", H5P_DEFAULT));

    batch b = integers("c", (int64_t[]){1, 0}, (bool[]){true, false}, 2);
    CHECK_OK(write_with(file, &b, 1, "x", "99", &err), &err);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(append(table, &more, &err), &err);
    CHECK_I64(fill_of(file, &has_range), 99);
    EXPECT(table, "x", "1", "null", "1099511627776");
    stoa_table_close(table);
    check_conformant(file, "/t");
    CHECK_H5(H5Fclose(file));
}

static void a_later_value_that_equals_it_gets_the_column_another(void)
{
    const hid_t file = new_file();
    batch b = integers("s", (int64_t[]){1, 0}, (bool[]){true, false}, 2);
    batch more = integers("s", (int64_t[]){7}, NULL, 1);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(write_with(file, &b, 1, "x", "7", &err), &err);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(append(table, &more, &err), &err);
    EXPECT(table, "x", "1", "null", "7");
    stoa_table_close(table);
    check_conformant(file, "/t");
    CHECK_H5(H5Fclose(file));
}

static void strings_keep_a_chosen_fill_while_they_grow(void)
{
    const hid_t file = new_file();
    batch batches[] = {batch_begin(1, 2), batch_begin(1, 1)};
    batch more = batch_begin(1, 2);
    stoa_error err = STOA_ERROR_INIT;
    char fill[32] = "";

    batch_strings(&batches[0], 0, "x", (const char *[]){"", NULL});
    batch_strings(&batches[1], 0, "x", (const char *[]){"longer"});
    batch_strings(&more, 0, "x", (const char *[]){"longer than that", NULL});
    CHECK_OK(write_with(file, batches, 2, "x", "N/A", &err), &err);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(append(table, &more, &err), &err);
    EXPECT(table, "x", "''", "null", "'longer'", "'longer than that'", "null");
    stoa_table_close(table);
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/x", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    const hid_t dcpl = CHECK_H5(H5Dget_create_plist(dataset));
    CHECK(H5Tget_size(type) < sizeof fill);
    CHECK_H5(H5Pget_fill_value(dcpl, type, fill));
    CHECK_STR(fill, "N/A");
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void booleans_codes_and_times_have_fills_of_their_own(void)
{
    const hid_t file = new_file();
    batch b = integers("b", (int64_t[]){1, 0}, (bool[]){true, false}, 2);
    stoa_error err = STOA_ERROR_INIT;
    bool has_range = false;

    CHECK_OK(write_with(file, &b, 1, "x", "2", &err), &err);
    CHECK_I64(fill_of(file, &has_range), 2);
    CHECK(has_range);
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "x", "1", "null");
    stoa_table_close(table);
    CHECK_H5(H5Ldelete(file, "/t", H5P_DEFAULT));

    b = batch_begin(1, 2);
    batch_categories(&b, 0, "x", (const char *[]){"p", NULL});
    CHECK_OK(write_with(file, &b, 1, "x", "-1", &err), &err);
    CHECK_I64(fill_of(file, &has_range), -1);
    table = open_table(file, "/t");
    EXPECT(table, "x", "'p'", "null");
    stoa_table_close(table);
    CHECK_H5(H5Ldelete(file, "/t", H5P_DEFAULT));

    b = integers("tsm:UTC", (int64_t[]){1, 0}, (bool[]){true, false}, 2);
    CHECK_OK(write_with(file, &b, 1, "x", "1970-01-01T00:00:02Z", &err), &err);
    CHECK_I64(fill_of(file, &has_range), 2000);
    CHECK_H5(H5Fclose(file));
}

static void what_is_no_fill_value_is_refused(void)
{
    const struct {
        const char *format;
        const char *column;
        const char *value;
        stoa_status status;
    } cases[] = {{"c", "x", "nan", STOA_EINVAL},    {"c", "x", "128", STOA_ERANGE},
                 {"C", "x", "-1", STOA_ERANGE},     {"b", "x", "1", STOA_EINVAL},
                 {"b", "x", "256", STOA_ERANGE},    {"c", "y", "1", STOA_ENOTFOUND},
                 {"tdD", "x", "soon", STOA_EINVAL}, {"c", NULL, "1", STOA_EINVAL}};
    const hid_t file = new_file();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        batch b = integers(cases[i].format, (int64_t[]){1}, NULL, 1);
        stoa_error err = STOA_ERROR_INIT;
        CHECK_STATUS(cases[i].status,
                     write_with(file, &b, 1, cases[i].column, cases[i].value, &err), &err);
        CHECK(CHECK_H5(H5Lexists(file, "/t", H5P_DEFAULT)) == 0);
    }
    CHECK_H5(H5Fclose(file));
}

/* --- searched ----------------------------------------------------------------------------------
 */

/* Both ends of the type, the recommended fill and its neighbours. */
enum { N_CANDIDATES = 40 };

static void integers_of_64_bits_with_every_usual_fill_are_written(void)
{
    for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++) {
        const hid_t file = new_file();
        int64_t values[N_CANDIDATES];
        bool valid[N_CANDIDATES];
        stoa_error err = STOA_ERROR_INIT;
        for (int i = 0; i < N_CANDIDATES; i++) {
            values[i] = is_unsigned ? -1 - i : i == 0 ? INT64_MAX : INT64_MIN + i - 1;
            valid[i] = i != 20;
        }
        values[N_CANDIDATES - 1] = is_unsigned ? 0 : values[N_CANDIDATES - 1];
        batch batches[] = {integers(is_unsigned ? "L" : "l", values, valid, N_CANDIDATES),
                           integers(is_unsigned ? "L" : "l", values, NULL, N_CANDIDATES)};
        write_batches(file, "/t", batches, 2, NULL);
        stoa_table *table = open_table(file, "/t");
        struct ArrowSchema schema;
        struct ArrowArray array;
        stoa_view view;
        stoa_column *column = stoa_table_find(table, "x");
        CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
        CHECK_OK(stoa_column_read(column, 0, (uint64_t)2 * N_CANDIDATES, &array, &err), &err);
        CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
        CHECK_I64(view.null_count, 1);
        for (int i = 0; i < 2 * N_CANDIDATES; i++) {
            CHECK(stoa_view_is_null(&view, i) == (i == 20));
            CHECK(i == 20 || stoa_view_i64(&view, i) == values[i % N_CANDIDATES]);
        }
        stoa_array_release(&array);
        stoa_schema_release(&schema);
        stoa_table_close(table);
        check_conformant(file, "/t");
        CHECK_H5(H5Fclose(file));
    }
}

static void floats_with_every_usual_fill_are_written(void)
{
    const hid_t file = new_file();
    const double values[] = {9.9692099683868690e+36,
                             0x1.fffffffffffffp+1023,
                             -0x1.fffffffffffffp+1023,
                             (double)INFINITY,
                             -(double)INFINITY,
                             (double)NAN,
                             0,
                             0};
    batch b = batch_begin(1, 8);

    batch_floats(&b, 0, "x", "g", values,
                 (bool[]){true, true, true, true, true, true, true, false});
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "x", "9.969209968386869e+36", "1.7976931348623157e+308",
           "-1.7976931348623157e+308", "inf", "-inf", "nan", "0.0", "null");
    stoa_table_close(table);
    check_conformant(file, "/t");
    CHECK_H5(H5Fclose(file));
}

/* Lists of three int32 of the recommended fill, as the fill of the column would be. */
static void arrays_that_hold_the_usual_fill_are_written(void)
{
    const hid_t file = new_file();
    const int64_t usual = -INT32_MAX;
    batch items = batch_begin(1, 12);
    batch b = batch_begin(1, 4);
    stoa_error err = STOA_ERROR_INIT;

    batch_integers(
        &items, 0, "item", "i",
        (int64_t[]){1, 2, 3, usual, usual, usual, 0, 0, 0, 0x01010101, 0x01010101, 0x01010101},
        NULL);
    batch_lists(&b, 0, "x", "+w:3", &items, (int64_t[]){3, 3, 3, 3},
                (bool[]){true, true, false, true});
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
    CHECK_OK(stoa_column_schema(stoa_table_find(table, "x"), &schema, &err), &err);
    CHECK_OK(stoa_column_read(stoa_table_find(table, "x"), 0, 4, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    for (int64_t i = 0; i < 4; i++) {
        CHECK(stoa_view_is_null(&view, i) == (i == 2));
    }
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* A column of one-byte values can be full. */
static void only_a_type_without_a_free_value_is_refused(void)
{
    const hid_t file = new_file();
    batch b;
    int64_t bytes[256];
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    for (int n = 255; n <= 256; n++) {
        int64_t lengths[256];
        for (int i = 0; i < n; i++) {
            bytes[i] = 255 - i;
            lengths[i] = 1;
        }
        batch items = batch_begin(1, n);
        batch_integers(&items, 0, "item", "C", bytes, NULL);
        b = batch_begin(1, n);
        batch_lists(&b, 0, "x", "+w:1", &items, lengths, NULL);
        stream_of(&b, 1, &stream);
        const stoa_status status =
            stoa_table_write(file, n == 255 ? "/one" : "/none", &stream, NULL, NULL, &err);
        stoa_stream_release(&stream);
        CHECK_STATUS(n == 255 ? STOA_OK : STOA_ELOSS, status, &err);
    }
    CHECK_CONTAINS(err.message, "has no value left");
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(a_chosen_fill_stands_for_missing_values), TEST(a_value_that_equals_it_is_refused),
          TEST(nan_can_be_chosen_for_floats), TEST(it_stays_when_the_type_widens),
          TEST(a_later_value_that_equals_it_gets_the_column_another),
          TEST(strings_keep_a_chosen_fill_while_they_grow),
          TEST(booleans_codes_and_times_have_fills_of_their_own),
          TEST(what_is_no_fill_value_is_refused),
          TEST(integers_of_64_bits_with_every_usual_fill_are_written),
          TEST(floats_with_every_usual_fill_are_written),
          TEST(arrays_that_hold_the_usual_fill_are_written),
          TEST(only_a_type_without_a_free_value_is_refused))
