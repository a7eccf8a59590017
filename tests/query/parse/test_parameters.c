/* Parameters of texts, for src/query/parse/parameters.c and how they are parsed and bound. */
#include <math.h>
#include <string.h>

#include "query/tables.h"
#include "support/parameters.h"
#include "support/sweep.h"

/* Six rows; row 4 misses everything but its number. */
static home small_table(void)
{
    const int64_t n[] = {3, 1, 2, 3, 0, -5};
    const double x[] = {0.5, NAN, -0.0, 7.0, 0, 2.5};
    const char *const s[] = {"b", "it's", "a", "c", NULL, ""};
    const int64_t t[] = {100, 90, 80, 70, 0, -60};
    const int64_t day[] = {0, 1, 2, 3, 0, -1};
    const int64_t ms[] = {1500, -250, 90000, 0, 0, 1};
    const int64_t flag[] = {1, 0, 1, 0, 0, 1};
    const int64_t row[] = {0, 1, 2, 3, 4, 5};
    const bool has[] = {1, 1, 1, 1, 0, 1};
    batch b = batch_begin(9, 6);

    batch_integers(&b, 0, "n", "s", n, has);
    batch_floats(&b, 1, "x", "g", x, has);
    batch_strings(&b, 2, "s", s);
    batch_categories(&b, 3, "c", s);
    batch_integers(&b, 4, "t", "tss:", t, has);
    batch_integers(&b, 5, "day", "tdD", day, has);
    batch_integers(&b, 6, "ms", "tDm", ms, has);
    batch_integers(&b, 7, "flag", "b", flag, has);
    batch_integers(&b, 8, "row", "L", (const int64_t *)row, NULL);
    return home_of(&b, 4, (const char *const[]){"n", "x", "t"}, 3);
}

#define ROWS(h, text, ...) ASK(h, .row_numbers = true, .where = (text), GIVEN(__VA_ARGS__))

static void a_parameter_means_what_its_literal_would(void)
{
    home h = small_table();

    CHECK_STR(ROWS(&h, "n > ?", INT_VALUE(1)), "0 | 2 | 3");
    CHECK_STR(ROWS(&h, "? > n", INT_VALUE(1)), "5");
    CHECK_STR(ROWS(&h, "n >= ?", FLOAT_VALUE(1.5)), "0 | 2 | 3");
    CHECK_STR(ROWS(&h, "n <= ?", UINT_VALUE(UINT64_MAX)), "0 | 1 | 2 | 3 | 5");
    CHECK_STR(ROWS(&h, "n > ?", INT_VALUE(INT64_MIN)), "0 | 1 | 2 | 3 | 5");
    CHECK_STR(ROWS(&h, "row < ?", UINT_VALUE(2)), "0 | 1");
    CHECK_STR(ROWS(&h, "x != ?", FLOAT_VALUE(NAN)), "0 | 1 | 2 | 3 | 5");
    CHECK_STR(ROWS(&h, "x < ?", FLOAT_VALUE(INFINITY)), "0 | 2 | 3 | 5");
    CHECK_STR(ROWS(&h, "s = ?", TEXT_VALUE("it's")), "1");
    CHECK_STR(ROWS(&h, "c = ?", TEXT_VALUE("it's")), "1");
    CHECK_STR(ROWS(&h, "s = ?", TEXT_VALUE("")), "5");
    CHECK_STR(ROWS(&h, "s = ?", {.kind = STOA_VALUE_TEXT, .length = 1, .as.text = "bcd"}), "0");
    CHECK_STR(ROWS(&h, "flag = ?", BOOL_VALUE(true)), "0 | 2 | 5");
    CHECK_STR(ROWS(&h, "?", BOOL_VALUE(true)), "0 | 1 | 2 | 3 | 4 | 5");
    CHECK_STR(ROWS(&h, "n = ?", NO_VALUE), "");
    CHECK_STR(ROWS(&h, "? is null", NO_VALUE), "0 | 1 | 2 | 3 | 4 | 5");
    CHECK_STR(ASK(&h, .columns = "?", .where = "row = 0", GIVEN(INT_VALUE(1), BYTES_VALUE("x", 1))),
              "the value of parameter 2 is used by no text");
    CHECK_STR(ROWS(&h, "X'00ff' = ?", BYTES_VALUE("\0\xff", 2)), "0 | 1 | 2 | 3 | 4 | 5");
    CHECK_STR(ROWS(&h, "X'00fe' = ?", BYTES_VALUE("\0\xff", 2)), "");
    home_leave(&h);
}

static void parameters_stand_wherever_values_do(void)
{
    home h = small_table();

    CHECK_STR(ROWS(&h, "n in (?, ?, null)", INT_VALUE(1), INT_VALUE(-5)), "1 | 5");
    CHECK_STR(ROWS(&h, "s in (?, ?)", TEXT_VALUE("a"), TEXT_VALUE("it's")), "1 | 2");
    CHECK_STR(ROWS(&h, "n not between ? and ?", INT_VALUE(1), INT_VALUE(2)), "0 | 3 | 5");
    CHECK_STR(ROWS(&h, "s like ?", TEXT_VALUE("%t'_")), "1");
    CHECK_STR(ROWS(&h, "s like ? escape ?", TEXT_VALUE("!i%"), TEXT_VALUE("!")), "1");
    CHECK_STR(ROWS(&h, "n + ? = abs(?)", INT_VALUE(2), INT_VALUE(-3)), "1");
    CHECK_STR(ROWS(&h, "-? = n", INT_VALUE(5)), "5");
    CHECK_STR(ROWS(&h, "n > ? and (x < ? or s = ?)", INT_VALUE(1), INT_VALUE(0), TEXT_VALUE("c")),
              "3");
    CHECK_STR(ASK(&h, .columns = "n * ? as y, ? as z", .where = "row = 3",
                  GIVEN(INT_VALUE(2), TEXT_VALUE("q"))),
              "6 'q'");
    CHECK_STR(
        ASK(&h, .aggregates = "sum(n > ?), quantile(n, ?)", GIVEN(INT_VALUE(1), FLOAT_VALUE(0.5))),
        "3 2.0");
    CHECK_STR(
        ASK(&h, .aggregates = "count()", .by = "n > ? as big", .sort = "big", GIVEN(INT_VALUE(1))),
        "0 2 | 1 3 | null 1");
    CHECK_STR(ASK(&h, .row_numbers = true, .sort = "abs(n - ?), row", GIVEN(INT_VALUE(2))),
              "2 | 0 | 1 | 3 | 5 | 4");
    home_leave(&h);
}

static void parameters_stand_among_items_of_lists(void)
{
    const int64_t items[] = {1, 2, 3, 4, 5, 6};
    const int64_t lengths[] = {3, 1, 2};
    batch inner = batch_begin(1, 6);
    batch b = batch_begin(1, 3);

    batch_integers(&inner, 0, "item", "l", items, NULL);
    batch_lists(&b, 0, "v", "+l", &inner, lengths, NULL);
    home h = home_of(&b, 4, NULL, 0);
    CHECK_STR(ROWS(&h, "any(v > ?)", INT_VALUE(4)), "2");
    CHECK_STR(ROWS(&h, "contains(v, ?)", INT_VALUE(4)), "1");
    CHECK_STR(ROWS(&h, "v[?] = ?", INT_VALUE(-1), INT_VALUE(3)), "0");
    home_leave(&h);
}

/* `?` is the one after the largest so far, as in SQLite, through all texts. */
static void question_marks_count_on_through_the_texts(void)
{
    home h = small_table();

    CHECK_STR(ROWS(&h, "n > ?2 and row < ?1", INT_VALUE(3), INT_VALUE(1)), "0 | 2");
    CHECK_STR(ROWS(&h, "n = ?2 or n = ? or n = ?1", INT_VALUE(1), INT_VALUE(2), INT_VALUE(-5)),
              "1 | 2 | 5");
    CHECK_STR(ROWS(&h, "n = ?1 or n + ?1 = ?2", INT_VALUE(1), INT_VALUE(3)), "1 | 2");
    CHECK_STR(ASK(&h, .where = "row = ?", .columns = "n + ?, ?", .sort = "n * ?",
                  GIVEN(INT_VALUE(0), INT_VALUE(10), INT_VALUE(20), INT_VALUE(30))),
              "13 20");
    CHECK_STR(ASK(&h, .where = "row < ?", .aggregates = "sum(n * ?)", .by = "row % ?",
                  .sort = "\"row % ?\"", GIVEN(INT_VALUE(4), INT_VALUE(10), INT_VALUE(2))),
              "0 50 | 1 40");
    home_leave(&h);
}

static void parameters_may_have_names(void)
{
    home h = small_table();
    const stoa_parameter low = {.name = "low", .kind = STOA_VALUE_INT64, .as.int64 = 1};
    const stoa_parameter in = {.name = "in", .kind = STOA_VALUE_INT64, .as.int64 = 3};

    CHECK_STR(ROWS(&h, "n > :low and n < :in", low, in), "2");
    CHECK_STR(ROWS(&h, "n > :low and n < :in", in, low), "2");
    CHECK_STR(ROWS(&h, "n in (:low, :in) and n + :low < :in", in, low), "1");
    CHECK_STR(ROWS(&h, "n = :low or n = ?", low, INT_VALUE(2)), "1 | 2"); /* it has a number, too */
    CHECK_STR(ROWS(&h, "n = ?2 or n = ?1", low, in), "0 | 1 | 3");
    CHECK_STR(ASK(&h, .columns = "n", .sort = "row * :low:desc", GIVEN(low)),
              "-5 | null | 3 | 2 | 1 | 3");
    home_leave(&h);
}

static void times_and_durations_compare_exactly_in_any_unit(void)
{
    home h = small_table();

    CHECK_STR(ROWS(&h, "t >= ?", TIME_VALUE(80, STOA_TIME_SECOND)), "0 | 1 | 2");
    CHECK_STR(ROWS(&h, "t > ?", TIME_VALUE(79999, STOA_TIME_MILLI)), "0 | 1 | 2");
    CHECK_STR(ROWS(&h, "t = ?", TIME_VALUE(79999, STOA_TIME_MILLI)), "");
    CHECK_STR(ROWS(&h, "t < ?", TIME_VALUE(-59999999, STOA_TIME_MICRO)), "5");
    CHECK_STR(ROWS(&h, "t <= ?", TIME_VALUE(-60000000001, STOA_TIME_NANO)), "");
    CHECK_STR(ROWS(&h, "t < ?", TIME_VALUE(INT64_MAX, STOA_TIME_SECOND)), "0 | 1 | 2 | 3 | 5");
    CHECK_STR(ROWS(&h, "t > ?", TIME_VALUE(INT64_MIN, STOA_TIME_SECOND)), "0 | 1 | 2 | 3 | 5");
    CHECK_STR(ROWS(&h, "t > ?", TIME_VALUE(-1, STOA_TIME_DAY)), "0 | 1 | 2 | 3 | 5");
    CHECK_STR(ROWS(&h, "t >= ?", TEXT_VALUE("1970-01-01T00:01:20")), "0 | 1 | 2");
    CHECK_STR(ROWS(&h, "day = ?", TIME_VALUE(1, STOA_TIME_DAY)), "1");
    CHECK_STR(ROWS(&h, "day <= ?", TIME_VALUE(86400999, STOA_TIME_MILLI)), "0 | 1 | 5");
    CHECK_STR(ROWS(&h, "day in (?, ?)", TIME_VALUE(86400, STOA_TIME_SECOND),
                   TIME_VALUE(-1, STOA_TIME_DAY)),
              "1 | 5");
    CHECK_STR(ROWS(&h, "ms = ?", DURATION_VALUE(1500000, STOA_TIME_MICRO)), "0");
    CHECK_STR(ROWS(&h, "ms between ? and ?", DURATION_VALUE(-1, STOA_TIME_SECOND),
                   DURATION_VALUE(0, STOA_TIME_DAY)),
              "1 | 3");
    /* Where no column takes part. */
    CHECK_STR(ROWS(&h, "n = 1 and ? > '1970-01-01'", TIME_VALUE(1, STOA_TIME_NANO)), "1");
    CHECK_STR(ROWS(&h, "n = 1 and '1970-01-01' >= ?", TIME_VALUE(1, STOA_TIME_NANO)), "");
    CHECK_STR(ROWS(&h, "n = 1 and ? = ?", TIME_VALUE(1, STOA_TIME_DAY),
                   TIME_VALUE(86400000, STOA_TIME_MILLI)),
              "1");
    CHECK_STR(ASK(&h, .columns = "? as a, ? as b", .where = "n = 1",
                  GIVEN(TIME_VALUE(5, STOA_TIME_MILLI), DURATION_VALUE(7, STOA_TIME_NANO))),
              "5 7");
    home_leave(&h);
}

static void a_sort_entry_has_a_value_of_its_own(void)
{
    home h = small_table();

    /* It is the column's whole name, */
    CHECK_STR(
        ASK(&h, .columns = "n * ?", .where = "row < 3", .sort = "n * ?", GIVEN(INT_VALUE(-1))),
        "-3 | -2 | -1");
    /* and here an expression. */
    CHECK_STR(ASK(&h, .columns = "n * ?", .where = "row < 3", .sort = "n * ? asc",
                  GIVEN(INT_VALUE(-1), INT_VALUE(1))),
              "-1 | -2 | -3");
    home_leave(&h);
}

static void values_are_copied(void)
{
    home h = small_table();
    char text[] = "it's";
    char name[] = "s";
    stoa_parameter given[] = {{.name = name, .kind = STOA_VALUE_TEXT, .length = 4}};
    const stoa_query_options options = {.size = sizeof options,
                                        .where = "s like :s or s = :s",
                                        .aggregates = "count()",
                                        .limit = -1,
                                        .parameters = given,
                                        .n_parameters = 1};
    stoa_error err = STOA_ERROR_INIT;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray rows;

    given[0].as.text = text;
    CHECK_OK(stoa_query_open(h.table, &options, &query, &err), &err);
    memset(text, 'x', sizeof text - 1);
    memset(name, 'x', sizeof name - 1);
    memset(given, 0, sizeof given);
    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
    CHECK_I64(((const int64_t *)rows.children[0]->buffers[1])[0], 1);
    stoa_array_release(&rows);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    home_leave(&h);
}

/* As a program gives them that was compiled before there were parameters. */
static void older_options_have_no_parameters(void)
{
    home h = small_table();
    stoa_query_options options = {
        .size = offsetof(stoa_query_options, parameters), .where = "n > ?", GIVEN(INT_VALUE(1))};

    CHECK_STR(ask(&h, &options, -1),
              "where, column 5: there is no value for parameter 1; values given: 0");
    home_leave(&h);
}

static void a_missing_value_is_shown_at_its_place(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .where = "n > ?"),
              "where, column 5: there is no value for parameter 1; values given: 0");
    CHECK_STR(ROWS(&h, "n > ? and n < ?", INT_VALUE(1)),
              "where, column 15: there is no value for parameter 2; values given: 1");
    CHECK_STR(ROWS(&h, "n > ?99999999999999999999", INT_VALUE(1)),
              "where, column 5: there is no value for parameter 18446744073709551615; values "
              "given: 1");
    CHECK_STR(ROWS(&h, "n > :low", INT_VALUE(1)),
              "where, column 5: there is no value for the parameter ':low'");
    CHECK_STR(ASK(&h, .columns = "n, n + ?"),
              "columns, column 8: there is no value for parameter 1; values given: 0");
    CHECK_STR(ASK(&h, .aggregates = "sum(n + ?)"),
              "aggregates, column 9: there is no value for parameter 1; values given: 0");
    CHECK_STR(ASK(&h, .aggregates = "count()", .by = "n > :m"),
              "by, column 5: there is no value for the parameter ':m'");
    CHECK_STR(ASK(&h, .sort = "n + ?"),
              "sort, column 5: there is no value for parameter 1; values given: 0");
    CHECK_STR(ROWS(&h, "n > ?0", INT_VALUE(1)), "where, column 5: parameters are numbered from 1");
    CHECK_STR(ROWS(&h, "n > : low", INT_VALUE(1)),
              "where, column 7: 'low' stands where the name of a parameter should be");
    CHECK_STR(ROWS(&h, "n > :'low'", INT_VALUE(1)),
              "where, column 6: ''low'' stands where the name of a parameter should be");
    CHECK_STR(ROWS(&h, "n ? 1", INT_VALUE(1)),
              "where, column 3: '?' stands where an operator or the end should be");
    home_leave(&h);
}

static void a_value_that_no_text_uses_is_refused(void)
{
    home h = small_table();
    const stoa_parameter named = {.name = "low", .kind = STOA_VALUE_INT64};

    CHECK_STR(ROWS(&h, "n > ?", INT_VALUE(1), INT_VALUE(2)),
              "the value of parameter 2 is used by no text");
    CHECK_STR(ROWS(&h, "n > ?2", INT_VALUE(1), INT_VALUE(2)),
              "the value of parameter 1 is used by no text");
    CHECK_STR(ROWS(&h, "n > 1", named), "the value of parameter 1 (:low) is used by no text");
    CHECK_STR(ASK(&h, GIVEN(named)), "the value of parameter 1 (:low) is used by no text");
    home_leave(&h);
}

static void a_value_of_the_wrong_type_is_shown_at_its_place(void)
{
    home h = small_table();

    CHECK_STR(ROWS(&h, "n > ?", TEXT_VALUE("1")),
              "where, column 1: 'n' is int16 and cannot be compared with text ?");
    CHECK_STR(ROWS(&h, "s = :s", {.name = "s", .kind = STOA_VALUE_INT64}),
              "where, column 1: 's' is text and cannot be compared with number :s");
    CHECK_STR(ROWS(&h, "t > ?", INT_VALUE(5)),
              "where, column 1: 't' is timestamp[s] and cannot be compared with number ?");
    CHECK_STR(ROWS(&h, "t > ?", DURATION_VALUE(5, STOA_TIME_SECOND)),
              "where, column 1: 't' is timestamp[s] and cannot be compared with duration ?");
    CHECK_STR(ROWS(&h, "n > ?", TIME_VALUE(5, STOA_TIME_SECOND)),
              "where, column 1: 'n' is int16 and cannot be compared with time ?");
    CHECK_CONTAINS(ROWS(&h, "t > ?", TEXT_VALUE("noon")), "where, column 5: ? is no time, and 't'");
    CHECK_CONTAINS(ROWS(&h, "n = 1 and ?", INT_VALUE(1)), "where, column 11: ? is number, where");
    CHECK_CONTAINS(ROWS(&h, "? + n > 1", TIME_VALUE(5, STOA_TIME_SECOND)),
                   "where, column 5: ? is time and 'n' is int16, and '+' does not combine them");
    home_leave(&h);
}

static void what_is_no_value_is_refused(void)
{
    home h = small_table();

    CHECK_STR(ROWS(&h, "s = ?", {.kind = STOA_VALUE_TEXT, .length = 3, .as.text = "a\0b"}),
              "the value of parameter 1 is a text that holds a NUL");
    CHECK_STR(ROWS(&h, "s = ?", TEXT_VALUE("a\xff")),
              "the value of parameter 1 is not valid UTF-8");
    CHECK_STR(ROWS(&h, "s = ?", {.kind = STOA_VALUE_TEXT, .length = 3}),
              "the value of parameter 1 is a null pointer");
    CHECK_STR(ROWS(&h, "s = ?", {.kind = STOA_VALUE_TEXT, .length = SIZE_MAX}),
              "the value of parameter 1 is a null pointer");
    CHECK_STR(ROWS(&h, "X'' = ?", {.kind = STOA_VALUE_BYTES, .length = 1}),
              "the value of parameter 1 is a null pointer");
    CHECK_STR(ROWS(&h, "X'' = ? and row = 1", {.kind = STOA_VALUE_BYTES}), "1");
    CHECK_STR(ROWS(&h, "n = ?", {.kind = (stoa_value_kind)99}),
              "the value of parameter 1 is of an unknown kind");
    CHECK_STR(ROWS(&h, "t = ?", TIME_VALUE(1, (stoa_time_unit)99)),
              "the value of parameter 1 has an unknown unit of time");
    CHECK_STR(ROWS(&h, "t = ?", TIME_VALUE(INT64_MAX, STOA_TIME_DAY)),
              "the value of parameter 1 is too many days");
    CHECK_STR(ASK(&h, .where = "n = ?", .n_parameters = 1),
              "there are 1 parameters, but no values");
    home_leave(&h);
}

static home swept;

static stoa_status open_query(stoa_error *err)
{
    const stoa_query_options options = {
        .size = sizeof options,
        .where = "s = :s or X'00' = ? or t > ?",
        .limit = -1,
        GIVEN({.name = "s", .kind = STOA_VALUE_TEXT, .length = 1, .as.text = "a"},
              BYTES_VALUE("\1", 1), TIME_VALUE(1, STOA_TIME_DAY))};
    stoa_query *query = NULL;
    const stoa_status status = stoa_query_open(swept.table, &options, &query, err);

    stoa_query_close(query);
    return status;
}

static void memory_may_run_out_anywhere(void)
{
    swept = small_table();
    CHECK(sweep_memory(open_query) > 5);
    home_leave(&swept);
}

TEST_MAIN(TEST(a_parameter_means_what_its_literal_would), TEST(parameters_stand_wherever_values_do),
          TEST(parameters_stand_among_items_of_lists),
          TEST(question_marks_count_on_through_the_texts), TEST(parameters_may_have_names),
          TEST(times_and_durations_compare_exactly_in_any_unit),
          TEST(a_sort_entry_has_a_value_of_its_own), TEST(values_are_copied),
          TEST(older_options_have_no_parameters), TEST(a_missing_value_is_shown_at_its_place),
          TEST(a_value_that_no_text_uses_is_refused),
          TEST(a_value_of_the_wrong_type_is_shown_at_its_place), TEST(what_is_no_value_is_refused),
          TEST(memory_may_run_out_anywhere))
