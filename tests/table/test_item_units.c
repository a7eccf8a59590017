/* Times within lists: what they count, for src/column/type/item_units.c. */
#include "hdf/metadata/attributes.h"
#include "table/kit.h"

/* Rows of two times each, of one unit. */
static batch pairs(const char *format, const int64_t *values, int64_t n_rows)
{
    int64_t lengths[8];
    batch items = batch_begin(1, 2 * n_rows);
    batch b = batch_begin(1, n_rows);

    for (int64_t i = 0; i < n_rows; i++) {
        lengths[i] = 2;
    }
    batch_integers(&items, 0, "item", format, values, NULL);
    batch_lists(&b, 0, "t", "+w:2", &items, lengths, NULL);
    return b;
}

/* The items of the first rows: their Arrow format, and the sum of their ticks. */
static void expect_items(stoa_table *table, const char *format, int64_t sum)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_column *const column = stoa_table_column(table, 0);
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view lists;
    stoa_view items;
    int64_t found = 0;

    CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
    CHECK_OK(stoa_column_read(column, 0, stoa_table_n_rows(table), &array, &err), &err);
    CHECK_STR(schema.children[0]->format, format);
    CHECK_OK(stoa_view_of(&schema, &array, &lists, &err), &err);
    CHECK_OK(stoa_view_child(&lists, 0, &items, &err), &err);
    for (int64_t i = 0; i < items.length; i++) {
        found += stoa_view_i64(&items, i);
    }
    CHECK_I64(found, sum);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
}

static void items_are_times_again(void)
{
    static const char *const formats[] = {"tss:UTC", "tsm:", "tsu:UTC", "tsn:UTC", "tdD"};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const hid_t file = new_file();
        batch b = pairs(formats[i], (const int64_t[]){1, -20, 300, 4000}, 2);
        write_batches(file, "/t", &b, 1, NULL);
        stoa_table *const table = open_table(file, "/t");
        expect_items(table, formats[i], 4281);
        stoa_table_close(table);
        check_conformant(file, "/t");
        CHECK_H5(H5Fclose(file));
    }
}

static void what_is_appended_is_counted_in_the_units_of_the_column(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = new_file();
    batch b = pairs("tsm:UTC", (const int64_t[]){1, 2}, 1);

    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *const table = open_table(file, "/t");
    b = pairs("tss:UTC", (const int64_t[]){7, -1}, 1);
    CHECK_OK(append(table, &b, &err), &err);
    b = pairs("tsu:UTC", (const int64_t[]){5000, 0}, 1);
    CHECK_OK(append(table, &b, &err), &err);
    expect_items(table, "tsm:UTC", 1 + 2 + 7000 - 1000 + 5);
    b = pairs("tsu:UTC", (const int64_t[]){5001, 0}, 1); /* between two */
    CHECK_STATUS(STOA_ELOSS, append(table, &b, &err));
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Whatever the attribute says, the rows are read. */
static void units_that_do_not_suit_are_passed_over(void)
{
    static const char *const notes[] = {"",
                                        ";",
                                        "seconds since 1970-01-01T00:00:00Z;",
                                        "fortnights since 1970-01-01",
                                        "minutes since 1970-01-01",
                                        "seconds since 2000-01-01"};

    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        stoa_error err = STOA_ERROR_INIT;
        const hid_t file = new_file();
        batch b = pairs("tsm:UTC", (const int64_t[]){1, 2}, 1);
        write_batches(file, "/t", &b, 1, NULL);
        const hid_t column = CHECK_H5(H5Dopen2(file, "/t/t", H5P_DEFAULT));
        CHECK_H5(H5Adelete(column, "stoa_item_units"));
        CHECK_OK(stoa_attribute_write_utf8(column, "stoa_item_units", notes[i], &err), &err);
        CHECK_H5(H5Dclose(column));
        stoa_table *const table = open_table(file, "/t");
        expect_items(table, "l", 3);
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

TEST_MAIN(TEST(items_are_times_again), TEST(what_is_appended_is_counted_in_the_units_of_the_column),
          TEST(units_that_do_not_suit_are_passed_over))
