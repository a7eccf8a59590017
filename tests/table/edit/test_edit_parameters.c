/* Edits of rows whose texts have parameters, for src/query/edit/update.c and delete.c */
#include "support/parameters.h"
#include "table/edited.h"

#define EDIT(...)                                                                                  \
    (&(const stoa_edit_options){.size = sizeof(stoa_edit_options), GIVEN(__VA_ARGS__)})

static uint64_t set(stoa_table *table, const char *where, const stoa_assignment *assignments,
                    size_t n, const stoa_edit_options *options)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n_changed = 99;

    CHECK_OK(stoa_table_update(table, where, assignments, n, options, &n_changed, &err), &err);
    return n_changed;
}

static void refuse(stoa_table *table, const char *where, stoa_assignment assignment,
                   const stoa_edit_options *options, stoa_status expected, const char *message)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(expected, stoa_table_update(table, where, &assignment, 1, options, NULL, &err),
                 &err);
    CHECK_STR(err.message, message);
}

static void assignments_and_filters_count_their_parameters_together(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const stoa_assignment values[] = {{"s", "?"}, {"x", "x + ?"}};
    const stoa_assignment named[] = {{"i", ":i"}};

    CHECK_U64(set(table, "i = ? or i = ?", values, 2,
                  EDIT(INT_VALUE(5), INT_VALUE(1), TEXT_VALUE("it's"), FLOAT_VALUE(0.25))),
              2);
    EXPECT(table, "s", "'it's'", "'it's'", "null", "'b'", "''", "'c'");
    EXPECT(table, "x", "0.75", "1.25", "null", "2.0", "3.0", "4.0");
    CHECK_U64(set(table, "s = :s", named, 1,
                  EDIT({.name = "i", .kind = STOA_VALUE_UINT64, .as.uint64 = 70000},
                       {.name = "s", .kind = STOA_VALUE_TEXT, .length = 1, .as.text = "c"})),
              1);
    EXPECT(table, "i", "5", "1", "null", "3", "2", "70000");
    close_table(table, file);
}

static void values_of_every_type_go_into_their_columns(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const stoa_assignment all[] = {{"i", "?"}, {"x", "?"}, {"s", "?"},
                                   {"c", "?"}, {"b", "?"}, {"t", "?"}};

    CHECK_U64(set(table, "i is null", all, 6,
                  EDIT(INT_VALUE(-7), FLOAT_VALUE(1.5), TEXT_VALUE("new"), TEXT_VALUE("label"),
                       BOOL_VALUE(true), TIME_VALUE(90000, STOA_TIME_MILLI))),
              1);
    CHECK_U64(set(table, "i = 5", all, 6,
                  EDIT(NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE)),
              1);
    EXPECT(table, "i", "null", "1", "-7", "3", "2", "4");
    EXPECT(table, "x", "null", "1.0", "1.5", "2.0", "3.0", "4.0");
    EXPECT(table, "s", "null", "'a'", "'new'", "'b'", "''", "'c'");
    EXPECT(table, "c", "null", "'v'", "'label'", "'u'", "'w'", "'v'");
    EXPECT(table, "b", "null", "0", "1", "1", "0", "1");
    EXPECT(table, "t", "null", "60", "90", "180", "240", "300");
    CHECK_U64(set(table, "i = 4", &all[5], 1, EDIT(TIME_VALUE(1, STOA_TIME_DAY))), 1);
    CHECK_U64(set(table, "i = 2", &all[5], 1, EDIT(TEXT_VALUE("1970-01-03"))), 1);
    EXPECT(table, "t", "null", "60", "90", "180", "172800", "86400");
    close_table(table, file);
}

static void durations_take_the_unit_of_their_column(void)
{
    const hid_t file = new_file();
    const stoa_assignment d = {"d", "?"};
    batch b = batch_begin(1, 2);

    batch_integers(&b, 0, "d", "tDm", (int64_t[]){1, 2}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_U64(set(table, "d = ?", &d, 1,
                  EDIT(DURATION_VALUE(2000, STOA_TIME_MICRO), DURATION_VALUE(3, STOA_TIME_SECOND))),
              1);
    EXPECT(table, "d", "1", "3000");
    refuse(table, NULL, d, EDIT(DURATION_VALUE(1, STOA_TIME_NANO)), STOA_ELOSS,
           "value of d, column 1: ? is finer than the durations of 'd', or out of their range");
    refuse(table, NULL, d, EDIT(TIME_VALUE(1, STOA_TIME_SECOND)), STOA_ETYPE,
           "value of d, column 1: ? is time, which does not go into column 'd' of duration[ms]");
    close_table(table, file);
}

static void rows_are_deleted_by_bound_values(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;

    CHECK_OK(
        stoa_table_delete(table, "s in (?, ?)", EDIT(TEXT_VALUE("a"), TEXT_VALUE("b")), &n, &err),
        &err);
    CHECK_U64(n, 3);
    EXPECT(table, "i", "null", "2", "4");
    CHECK_STATUS(STOA_ENOTFOUND, stoa_table_delete(table, "s = ?", NULL, &n, &err), &err);
    CHECK_STR(err.message, "where, column 5: there is no value for parameter 1; values given: 0");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EINVAL, stoa_table_delete(table, "i = 2", EDIT(INT_VALUE(2)), &n, &err),
                 &err);
    CHECK_STR(err.message, "the value of parameter 1 is used by no text");
    CHECK_U64(stoa_table_n_rows(table), 3);
    close_table(table, file);
}

static void a_wrong_value_leaves_the_table_as_it_was(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);

    refuse(table, "i = ?", (stoa_assignment){"s", "?"}, EDIT(INT_VALUE(5)), STOA_ENOTFOUND,
           "value of s, column 1: there is no value for parameter 2; values given: 1");
    refuse(table, NULL, (stoa_assignment){"s", ":s"}, EDIT(INT_VALUE(5)), STOA_ENOTFOUND,
           "value of s, column 1: there is no value for the parameter ':s'");
    refuse(table, NULL, (stoa_assignment){"s", "?"}, EDIT(TEXT_VALUE("x"), INT_VALUE(5)),
           STOA_EINVAL, "the value of parameter 2 is used by no text");
    refuse(table, NULL, (stoa_assignment){"i", "?"}, EDIT(TEXT_VALUE("x")), STOA_ETYPE,
           "value of i, column 1: ? is text, which does not go into column 'i' of int8");
    refuse(table, NULL, (stoa_assignment){"t", "?"}, EDIT(TIME_VALUE(1, STOA_TIME_MILLI)),
           STOA_ELOSS,
           "value of t, column 1: ? is finer than the times of 't', or out of their range");
    refuse(table, NULL, (stoa_assignment){"s", "?"}, EDIT(TEXT_VALUE("\xff")), STOA_EINVAL,
           "the value of parameter 1 is not valid UTF-8");
    expect_as_made(table);
    close_table(table, file);
}

TEST_MAIN(TEST(assignments_and_filters_count_their_parameters_together),
          TEST(values_of_every_type_go_into_their_columns),
          TEST(durations_take_the_unit_of_their_column), TEST(rows_are_deleted_by_bound_values),
          TEST(a_wrong_value_leaves_the_table_as_it_was))
