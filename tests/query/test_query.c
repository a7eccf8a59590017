/* Whole queries over tables: columns, aggregates, groups, order, limits, plans. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/memory.h>
#include <string.h>

#include "query/eval/eval.h"
#include "support/sweep.h"
#include "tables.h"

/* Six rows of every kind of column; row 4 misses everything. */
static home small_table(void)
{
    const int64_t n[] = {3, 1, 2, 3, 0, -5};
    const double x[] = {0.5, NAN, -0.0, 0.0, 0, 2.5};
    const char *const s[] = {"b", "a", "a", "c", NULL, ""};
    const int64_t t[] = {100, 90, 80, 70, 0, 60};
    const int64_t flag[] = {1, 0, 1, 0, 0, 1};
    const bool has[] = {1, 1, 1, 1, 0, 1};
    batch b = batch_begin(6, 6);

    batch_integers(&b, 0, "n", "s", n, has);
    batch_floats(&b, 1, "x", "f", x, has);
    batch_strings(&b, 2, "s", s);
    batch_categories(&b, 3, "c", s);
    batch_integers(&b, 4, "t", "tss:", t, has);
    batch_integers(&b, 5, "flag", "b", flag, has);
    CHECK_OK(stoa_schema_set(b.schema.children[1], "units", "GeV", NULL));
    return home_of(&b, 4, NULL, 0);
}

/* Columns ----------------------------------------------------------------------------------- */

static void columns_come_in_the_order_asked_and_may_be_expressions(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .where = "n = 3"), "3 0.5 'b' 'b' 100 1 | 3 0.0 'c' 'c' 70 0");
    CHECK_STR(ASK(&h, .columns = "s, n"), "'b' 3 | 'a' 1 | 'a' 2 | 'c' 3 | null null | '' -5");
    CHECK_STR(ASK(&h, .columns = "n * 2 as twice, n, n", .where = "n > 2"), "6 3 3 | 6 3 3");
    CHECK_STR(
        ASK(&h, .columns = "upper(c), x + 1, n > 1, null", .where = "t = '1970-01-01T00:01:40'"),
        "'B' 1.5 1 null");
    CHECK_STR(ASK(&h, .where = "n > 100"), "");
    home_leave(&h);
}

static void row_numbers_count_from_zero(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .row_numbers = true, .where = "s = 'a' or n is null"), "1 | 2 | 4");
    CHECK_STR(ASK_FIRST(2, &h, .row_numbers = true, .sort = "t"), "5 | 3");
    CHECK_STR(ASK(&h, .row_numbers = true), "0 | 1 | 2 | 3 | 4 | 5");
    home_leave(&h);
}

static void a_column_keeps_its_type_and_units_and_takes_its_new_name(void)
{
    home h = small_table();
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    const char *units;
    size_t length;
    const stoa_query_options options = {
        .size = sizeof options, .columns = "x as energy, x, 2 * x", .limit = -1};

    CHECK_OK(stoa_query_open(h.table, &options, &query, NULL));
    CHECK_OK(stoa_query_run(query, &stream, NULL));
    CHECK_OK(stoa_stream_schema(&stream, &schema, NULL));
    CHECK_I64(schema.n_children, 3);
    CHECK_STR(schema.children[0]->name, "energy");
    CHECK_STR(schema.children[0]->format, "f");
    CHECK(stoa_schema_get(schema.children[0], "units", &units, &length));
    CHECK_MEM(units, "GeV", 3);
    CHECK_STR(schema.children[2]->name, "2 * x");
    CHECK_STR(schema.children[2]->format, "g");
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    home_leave(&h);
}

static void a_limit_cuts_and_ends_the_scan(void)
{
    home h = small_table();

    CHECK_STR(ASK_FIRST(2, &h, .columns = "n"), "3 | 1");
    CHECK_STR(ASK_FIRST(0, &h, .columns = "n"), "");
    CHECK_STR(ASK_FIRST(1, &h, .columns = "n", .where = "n = 3"), "3");
    CHECK_STR(ASK_FIRST(100, &h, .columns = "n"), "3 | 1 | 2 | 3 | null | -5");
    CHECK_CONTAINS(EXPLAIN_FIRST(2, &h, .columns = "n"), "looked at 2 rows in 1 chunks");
    home_leave(&h);
}

/* Aggregates -------------------------------------------------------------------------------- */

static void aggregates_leave_missing_values_out(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .aggregates = "count(), count(n), sum(n), mean(n), min(n), max(n)"),
              "6 5 4 0.8 -5 3");
    CHECK_STR(ASK(&h, .aggregates = "first(n), last(n), distinct(n), median(n)"), "3 -5 4 2.0");
    CHECK_STR(ASK(&h, .aggregates = "min(s), max(s), first(c), last(c), distinct(c), count(s)"),
              "'' 'c' 'b' '' 4 5");
    CHECK_STR(ASK(&h, .aggregates = "min(t), max(t), first(t), last(t)"), "60 100 100 60");
    CHECK_STR(ASK(&h, .aggregates = "sum(flag), mean(flag), min(flag), max(flag), count(flag)"),
              "3 0.6 0 1 5");
    CHECK_STR(ASK(&h, .aggregates = "sum(n > 1), count(n > 1)"), "3 5");
    home_leave(&h);
}

static void aggregates_of_nothing_are_missing_and_counts_are_zero(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .where = "n > 100",
                  .aggregates = "count(), count(n), sum(n), mean(n), min(s), max(x), stddev(x), "
                                "median(n), quantile(n, 0.1), distinct(s), first(n), last(s)"),
              "0 0 null null null null null null null 0 null null");
    CHECK_STR(ASK(&h, .where = "n > 100", .aggregates = "count()", .by = "s"), "");
    CHECK_STR(ASK(&h, .where = "n is null", .aggregates = "count(), sum(n), sum(null), min(null)"),
              "1 null null null");
    home_leave(&h);
}

static void nan_is_a_value_but_no_extreme(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .aggregates = "count(x), min(x), max(x), distinct(x), sum(x), median(x)"),
              "5 -0.0 2.5 4 nan 0.5");
    CHECK_STR(ASK(&h, .where = "isnan(x)", .aggregates = "min(x), max(x), mean(x)"), "nan nan nan");
    home_leave(&h);
}

/* One column of doubles as a table. */
static home floats_table(const double *values, int64_t n)
{
    batch b = batch_begin(1, n);

    batch_floats(&b, 0, "x", "g", values, NULL);
    return home_of(&b, 1000, NULL, 0);
}

static void standard_deviations_and_quantiles_are_the_textbooks(void)
{
    /* NIST's definition of the sample standard deviation: sqrt(32 / 7) for these. */
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    home h = floats_table(values, 8);

    CHECK_F64_NEAR(atof(ASK(&h, .aggregates = "stddev(x)")), sqrt(32.0 / 7.0), 1e-15);
    CHECK_STR(ASK(&h, .aggregates = "median(x), quantile(x, 0), quantile(x, 1), quantile(x, 0.25)"),
              "4.5 2.0 9.0 4.0");
    CHECK_STR(ASK(&h, .where = "x > 4", .aggregates = "quantile(x, 0.25), quantile(x, 0.5)"),
              "5.0 6.0");
    CHECK_STR(ASK(&h, .where = "x = 9", .aggregates = "stddev(x), median(x)"), "null 9.0");
    home_leave(&h);
}

static void sums_of_floats_keep_what_rounding_loses(void)
{
    const double values[] = {1e100, 1.0, -1e100, 1.0};
    const double infinite[] = {INFINITY, 1.0, 2.0};
    home h = floats_table(values, 4);

    CHECK_STR(ASK(&h, .aggregates = "sum(x), mean(x)"), "2.0 0.5");
    home_leave(&h);
    h = floats_table(infinite, 3);
    CHECK_STR(ASK(&h, .aggregates = "sum(x)"), "inf");
    home_leave(&h);
}

static void sums_of_integers_are_exact_or_refused(void)
{
    const int64_t values[] = {INT64_MAX - 1, INT64_MAX - 1, -INT64_MAX, -5};
    batch b = batch_begin(2, 4);

    batch_integers(&b, 0, "x", "l", values, NULL);
    batch_integers(&b, 1, "k", "l", (const int64_t[]){1, 1, 1, 2}, NULL);
    home h = home_of(&b, 1000, NULL, 0);
    /* Two of them pass int64 on the way; the end result does not. */
    CHECK_STR(ASK(&h, .aggregates = "sum(x)", .where = "k = 1"), "9223372036854775805");
    CHECK_CONTAINS(ASK(&h, .aggregates = "sum(x)", .where = "x > 0"), "the sum does not fit int64");
    CHECK_STR(ASK(&h, .aggregates = "mean(x)", .where = "x > 0"), "9.223372036854776e+18");
    CHECK_STR(ASK(&h, .aggregates = "sum(1.0 * x)", .where = "x > 0"), "1.8446744073709552e+19");
    home_leave(&h);
}

static void groups_are_the_distinct_keys_and_missing_is_one_of_them(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .aggregates = "count(), sum(n)", .by = "s", .sort = "s"),
              "'' 1 -5 | 'a' 2 3 | 'b' 1 3 | 'c' 1 3 | null 1 null");
    CHECK_STR(ASK(&h, .aggregates = "count()", .by = "c", .sort = "count() desc, c:desc"),
              "'a' 2 | 'c' 1 | 'b' 1 | '' 1 | null 1");
    /* -0 and 0 are one group, NaN is one of its own. */
    CHECK_STR(ASK(&h, .aggregates = "count()", .by = "x", .sort = "x"),
              "0.0 2 | 0.5 1 | 2.5 1 | nan 1 | null 1");
    CHECK_STR(ASK(&h, .aggregates = "count()", .by = "flag, n > 1", .sort = "flag, \"n > 1\""),
              "0 0 1 | 0 1 1 | 1 0 1 | 1 1 2 | null null 1");
    CHECK_STR(ASK_FIRST(2, &h, .aggregates = "max(t) as late", .by = "s, c", .sort = "late:desc"),
              "'b' 'b' 100 | 'a' 'a' 90");
    CHECK_STR(
        ASK(&h, .aggregates = "quantile(n, 0.5), count()", .by = "flag", .sort = "quantile(n,0.5)"),
        "1 2.0 3 | 0 2.0 2 | null null 1");
    home_leave(&h);
}

static void many_groups_come_in_several_batches(void)
{
    enum { N = 150000 };
    int64_t *values = calloc(N, sizeof *values);
    CHECK(values != NULL);
    for (int i = 0; i < N; i++) {
        values[i] = i / 2 * 7;
    }
    batch b = batch_begin(1, N);
    batch_integers(&b, 0, "x", "l", values, NULL);
    home h = home_of(&b, 65536, NULL, 0);
    CHECK_STR(ASK_FIRST(2, &h, .aggregates = "count(), median(x), distinct(x)", .by = "x",
                        .sort = "x desc"),
              "524993 2 524993.0 1 | 524986 2 524986.0 1");
    CHECK_STR(ASK(&h, .aggregates = "count(), distinct(x), sum(x)"), "150000 75000 39374475000");
    home_leave(&h);
    free(values);
}

/* Order ------------------------------------------------------------------------------------- */

static void missing_is_last_and_nan_before_it_in_either_direction(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .columns = "x", .sort = "x"), "-0.0 | 0.0 | 0.5 | 2.5 | nan | null");
    CHECK_STR(ASK(&h, .columns = "x", .sort = "x:desc"), "2.5 | 0.5 | -0.0 | 0.0 | nan | null");
    CHECK_STR(ASK(&h, .columns = "s", .sort = "s"), "'' | 'a' | 'a' | 'b' | 'c' | null");
    CHECK_STR(ASK(&h, .columns = "c", .sort = "c desc"), "'c' | 'b' | 'a' | 'a' | '' | null");
    home_leave(&h);
}

static void equal_rows_keep_their_order_and_later_keys_break_ties(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .columns = "t", .sort = "n"), "60 | 90 | 80 | 100 | 70 | null");
    CHECK_STR(ASK(&h, .columns = "t", .sort = "n, t"), "60 | 90 | 80 | 70 | 100 | null");
    CHECK_STR(ASK(&h, .columns = "n as k", .sort = "k desc, t"), "3 | 3 | 2 | 1 | -5 | null");
    CHECK_STR(ASK(&h, .columns = "n", .sort = "abs(n - 1), s desc"), "1 | 2 | 3 | 3 | -5 | null");
    home_leave(&h);
}

static void texts_that_begin_alike_are_told_apart(void)
{
    const char *const texts[] = {"aaaaaaaab", "aaaaaaaa", "aaaaaaaaa", "aaaaaaaa\x01", "\xff"};
    batch b = batch_begin(1, 5);

    batch_strings(&b, 0, "s", texts);
    home h = home_of(&b, 1000, NULL, 0);
    CHECK_STR(ASK(&h, .sort = "s"),
              "'aaaaaaaa' | 'aaaaaaaa\x01' | 'aaaaaaaaa' | 'aaaaaaaab' | '\xff'");
    home_leave(&h);
}

/* More rows than a sort with a limit holds at a time, so that they are cut on the way. */
static void a_limited_sort_of_many_rows_is_the_head_of_the_whole_sort(void)
{
    enum { N = 700000, K = 1000 };
    int64_t *keys = calloc(N, sizeof *keys);
    int64_t *rows = calloc(N, sizeof *rows);
    CHECK(keys != NULL && rows != NULL);
    for (int64_t i = 0; i < N; i++) {
        keys[i] = (int64_t)check_random_below(3000);
        rows[i] = i;
    }
    batch b = batch_begin(2, N);
    batch_integers(&b, 0, "k", "s", keys, NULL);
    batch_integers(&b, 1, "row", "i", rows, NULL);
    home h = home_of(&b, 65536, NULL, 0);
    char *limited = strdup(ASK_FIRST(K, &h, .sort = "k desc"));
    CHECK(limited != NULL);

    /* Counting sort, from the largest key down. */
    char expected[32];
    const char *at = limited;
    int64_t n = 0;
    for (int64_t key = 2999; n < K; key--) {
        for (int64_t i = 0; i < N && n < K; i++) {
            if (keys[i] == key) {
                const int length = snprintf(expected, sizeof expected, "%s%lld %lld",
                                            n > 0 ? " | " : "", (long long)key, (long long)i);
                CHECK(strncmp(at, expected, (size_t)length) == 0);
                at += length;
                n++;
            }
        }
    }
    CHECK_STR(at, "");
    free(limited);
    free(keys);
    free(rows);
    home_leave(&h);
}

/* Refusals ---------------------------------------------------------------------------------- */

static void questions_without_sense_are_refused(void)
{
    static const struct {
        stoa_query_options options;
        const char *message;
    } cases[] = {
        {{.columns = "n", .aggregates = "count()"}, "columns and aggregates exclude each other"},
        {{.by = "s"}, "need aggregates"},
        {{.row_numbers = true, .columns = "n"}, "row numbers come alone"},
        {{.aggregates = "n"}, "aggregates, column 1: the groups have no column 'n'"},
        {{.aggregates = "sqrt(n)"}, "column 6: the groups have no column 'n'"},
        {{.aggregates = "men(n)"}, "men() is no aggregate and no function"},
        {{.aggregates = "mean(s)"}, "aggregates, column 6: mean takes a number, and 's' is text"},
        {{.aggregates = "sum()"}, "sum takes one value, not 0 arguments"},
        {{.aggregates = "count(n, n)"}, "count takes nothing or one value"},
        {{.aggregates = "quantile(n)"}, "a value and a number"},
        {{.aggregates = "quantile(n, 2)"}, "a number from 0 to 1"},
        {{.aggregates = "quantile(n, n)"}, "a number from 0 to 1"},
        {{.aggregates = "median(t)"}, "median takes a number, and 't' is timestamp"},
        {{.aggregates = "count()", .sort = "n"}, "the groups have no column 'n'"},
        {{.sort = "m"}, "sort, column 1: there is no column 'm'"},
        {{.columns = "n, nn"}, "columns, column 4: there is no column 'nn'; did you mean 'n'?"},
        {{.aggregates = "count()", .by = "z"}, "by, column 1: there is no column 'z'"},
        {{.where = "n >"}, "where, column 4: the text ends"},
    };
    home h = small_table();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_query_options options = cases[i].options;
        options.size = sizeof options;
        CHECK_CONTAINS(ask(&h, &options, -1), cases[i].message);
    }
    CHECK_CONTAINS(ask(&h, &(stoa_query_options){.where = NULL}, -1), "STOA_QUERY_OPTIONS_INIT");
    home_leave(&h);
}

static void an_overflow_in_some_row_fails_the_query_by_name(void)
{
    home h = small_table();

    CHECK_CONTAINS(ASK(&h, .where = "n * 9000000000000000000 > 0"),
                   "where, column 1: * of n * 9000000000000000000 overflows int64");
    home_leave(&h);
}

static void a_query_runs_once(void)
{
    home h = small_table();
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArrayStream again = {0};

    CHECK_OK(stoa_query_open(h.table, NULL, &query, NULL));
    CHECK_OK(stoa_query_run(query, &stream, NULL));
    CHECK_STATUS(STOA_EINVAL, stoa_query_run(query, &again, NULL));
    CHECK(again.release == NULL);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    home_leave(&h);
}

/* Plans ------------------------------------------------------------------------------------- */

/* 100 rows in chunks of 10, sorted by x, which is indexed. */
static home indexed_table(void)
{
    static const char *const indexed[] = {"x"};
    int64_t values[100];
    batch b = batch_begin(3, 100);

    for (int i = 0; i < 100; i++) {
        values[i] = i;
    }
    batch_integers(&b, 0, "x", "s", values, NULL);
    batch_integers(&b, 1, "y", "s", values, NULL);
    batch_integers(&b, 2, "z", "s", values, NULL);
    return home_of(&b, 10, indexed, 1);
}

static void explain_tells_the_plan_and_what_was_done(void)
{
    home h = indexed_table();

    CHECK_STR(
        EXPLAIN(&h, .where = "x >= 85 and y > 1", .columns = "z", .use_indexes = true),
        "scan  /t  100 rows, 3 columns\n"
        "filter  x >= 85 and y > 1\n"
        "index  x  CHUNK_MINMAX: 20 rows, about 20 expected; 10 of them certain\n"
        "rows  2 of 10 chunks, 20 of 100 rows\n"
        "read  x, y first; z for survivors\n"
        "done  looked at 20 rows in 2 chunks, 8 chunks skipped, 15 rows passed, 0.0 MB read\n");
    CHECK_STR(EXPLAIN_FIRST(3, &h, .aggregates = "count()", .by = "y", .sort = "count()"),
              "scan  /t  100 rows, 3 columns\n"
              "read  y\n"
              "aggregate  count() by y\n"
              "sort  count()\n"
              "limit  3 rows\n"
              "done  looked at 100 rows in 10 chunks, 0 chunks skipped, 100 rows passed, 0.0 MB "
              "read\n");
    home_leave(&h);
}

static void rows_of_an_offset_are_read_only_to_test_them(void)
{
    home h = indexed_table();

    CHECK_STR(ASK_FIRST(3, &h, .columns = "z", .offset = 85), "85 | 86 | 87");
    CHECK_CONTAINS(EXPLAIN_FIRST(3, &h, .columns = "z", .offset = 85),
                   "in 1 chunks, 9 chunks skipped, 3 rows passed");
    CHECK_STR(ASK(&h, .columns = "z", .offset = 98), "98 | 99");
    CHECK_STR(ASK(&h, .columns = "z", .offset = 100), "");
    CHECK_STR(ASK(&h, .columns = "z", .offset = UINT64_MAX), "");

    const stoa_query_options known = {.where = "x >= 20 and (x < 40 or x >= 60)",
                                      .columns = "z",
                                      .offset = 25,
                                      .use_indexes = true,
                                      .size = sizeof known};
    CHECK_STR(ask(&h, &known, 3), "65 | 66 | 67");
    CHECK_CONTAINS(explain(&h, &known, 3), "looked at 35 rows in 4 chunks"); /* 65 to 99 */

    CHECK_STR(ASK_FIRST(2, &h, .where = "y % 10 = 7", .columns = "z", .offset = 4), "47 | 57");
    CHECK_STR(ASK_FIRST(2, &h, .sort = "z:desc", .columns = "z", .offset = 4), "95 | 94");
    CHECK_STR(ASK_FIRST(2, &h, .aggregates = "sum(y)", .by = "z", .offset = 4), "4 4 | 5 5");
    home_leave(&h);
}

static void a_count_of_everything_reads_nothing(void)
{
    home h = indexed_table();

    CHECK_STR(ASK(&h, .aggregates = "count()"), "100");
    CHECK_CONTAINS(EXPLAIN(&h, .aggregates = "count()"), "columns\naggregate");
    CHECK_CONTAINS(EXPLAIN(&h, .aggregates = "count()"), "looked at 0 rows");
    home_leave(&h);
}

static void missing_rows_are_counted_by_an_index_without_reading_the_column(void)
{
    static const char *const indexed[] = {"x", "n"};
    double x[100];
    int64_t n[100];
    bool has[100];
    batch b = batch_begin(2, 100);

    for (int i = 0; i < 100; i++) { /* 20 are missing, 8 of the others NaN */
        has[i] = i % 5 != 3;
        x[i] = i % 10 == 0 && i >= 20 ? NAN : i;
        n[i] = i;
    }
    batch_floats(&b, 0, "x", "f", x, has);
    batch_integers(&b, 1, "n", "s", n, has);
    home h = home_of(&b, 10, indexed, 2);
    static const struct {
        const char *where, *count;
        bool is_counted;
    } cases[] = {
        {"x is null", "20", true},
        {"n is null", "20", true},
        {"x is not null", "80", true},
        {"not n is null", "80", true},
        {"x is null and n > 3", "0", false},
        {"x is null or n is null", "20", false},
        {"x is null or x > 95", "23", false}, /* 96, 97, 99 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_STR(ASK(&h, .where = cases[i].where, .aggregates = "count()", .use_indexes = true),
                  cases[i].count);
        CHECK_STR(ASK(&h, .where = cases[i].where, .aggregates = "count()"), cases[i].count);
        const char *plan =
            EXPLAIN(&h, .where = cases[i].where, .aggregates = "count()", .use_indexes = true);
        CHECK_U64(strstr(plan, " rows counted\n") != NULL, cases[i].is_counted);
        CHECK(!cases[i].is_counted || strstr(plan, "looked at 0 rows") != NULL);
    }
    /* Only their number is known: whoever wants the rows themselves looks at them. */
    CHECK_STR(ASK_FIRST(2, &h, .where = "x is null", .columns = "n", .use_indexes = true),
              "null | null");
    CHECK_STR(ASK_FIRST(2, &h, .where = "x is null", .row_numbers = true, .use_indexes = true),
              "3 | 8");
    CHECK_STR(ASK(&h, .where = "x is null", .aggregates = "count(), max(n)", .use_indexes = true),
              "20 null");
    home_leave(&h);
}

static void a_damaged_column_stops_only_those_who_name_it(void)
{
    home h = indexed_table();
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;
    const stoa_query_options all = {.size = sizeof all, .limit = -1};
    const stoa_query_options named = {.size = sizeof named, .where = "y > 3", .limit = -1};

    stoa_table_close(h.table);
    const hid_t y = CHECK_H5(H5Dopen2(h.file, "/t/y", H5P_DEFAULT));
    CHECK_H5(H5Dset_extent(y, &(hsize_t){7}));
    CHECK_H5(H5Dclose(y));
    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    CHECK_STR(ASK(&h, .aggregates = "count()"), "100");
    CHECK_STR(ASK(&h, .where = "x = 42", .columns = "z"), "42");
    CHECK_STATUS(STOA_EDATA, stoa_query_open(h.table, &named, &query, &err));
    CHECK_CONTAINS(err.where, "/t/y");
    CHECK_CONTAINS(err.message, "extent 7 is below NROWS 100");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EDATA, stoa_query_open(h.table, &all, &query, &err));
    CHECK_CONTAINS(err.where, "/t/y");
    home_leave(&h);
}

static void indexes_left_out_are_mentioned_only_where_they_would_help(void)
{
    static const struct {
        const char *where;
        bool use_indexes;
        const char *hint;
    } cases[] = {
        {"x > 3", false, "indexes of 'x' are not used"},
        {"x > 3", true, ""},
        {"y > 3", false, ""},
        {"x > 3 or y > 3", false, ""},
        {"x > 3 and y > 3", false, "indexes of 'x' are not used"},
    };
    home h = indexed_table();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_query *query = NULL;
        const stoa_query_options options = {.size = sizeof options,
                                            .where = cases[i].where,
                                            .limit = -1,
                                            .use_indexes = cases[i].use_indexes};
        CHECK_OK(stoa_query_open(h.table, &options, &query, NULL));
        if (cases[i].hint[0] == '\0') {
            CHECK_STR(stoa_query_hint(query), "");
        } else {
            CHECK_CONTAINS(stoa_query_hint(query), cases[i].hint);
        }
        stoa_query_close(query);
    }
    home_leave(&h);
}

static void an_index_that_is_gone_or_damaged_changes_no_answer(void)
{
    home h = indexed_table();

    CHECK_H5(H5Ldelete(h.file, "/t/SEARCH_INDEXES", H5P_DEFAULT));
    /* Where it was, its bytes might still be read: others take the place. */
    for (int i = 0; i < 64; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "other%d", i);
        CHECK_H5(H5Gclose(H5Gcreate2(h.file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    }
    CHECK_H5(H5Fflush(h.file, H5F_SCOPE_LOCAL));
    CHECK_STR(ASK(&h, .where = "x > 97", .columns = "x", .use_indexes = true), "98 | 99");
    CHECK_CONTAINS(EXPLAIN(&h, .where = "x > 97", .use_indexes = true), "note  ");
    CHECK_CONTAINS(EXPLAIN(&h, .where = "x > 97", .use_indexes = true), "looked at 100 rows");
    home_leave(&h);
}

typedef struct listening {
    uint64_t n_calls;
    uint64_t stop_at;
    uint64_t rows;
} listening;

static bool listen_in(void *context, const stoa_progress *progress)
{
    listening *l = context;

    l->rows = progress->rows;
    CHECK_STR(progress->stage, "scanning");
    return ++l->n_calls != l->stop_at;
}

static void a_listener_hears_of_every_window_and_can_stop_the_query(void)
{
    enum { N = 200000, N_WINDOWS = N / STOA_WINDOW_ROWS + 1 };
    int64_t *values = calloc(N, sizeof *values);
    CHECK(values != NULL);
    batch b = batch_begin(1, N);
    batch_integers(&b, 0, "x", "c", values, NULL);
    home h = home_of(&b, 65536, NULL, 0);
    listening l = {0};

    CHECK_STR(ASK(&h, .aggregates = "sum(x)", .listener = {listen_in, &l}), "0");
    CHECK_U64(l.n_calls, N_WINDOWS);
    CHECK_U64(l.rows, N);
    l = (listening){.stop_at = 2};
    CHECK_STR(ASK(&h, .aggregates = "sum(x)", .listener = {listen_in, &l}), "interrupted");
    CHECK_U64(l.n_calls, 2);
    home_leave(&h);
    free(values);
}

/* Work is counted, not time: 16384 groups are merged at most before the listener is told again. */
static void a_listener_hears_of_groups_as_they_are_merged_and_returned(void)
{
    enum { N = 200000, N_TOLD = 4 + N / 16384 + N / 65536 };
    int64_t *values = calloc(N, sizeof *values);
    CHECK(values != NULL);
    for (int64_t i = 0; i < N; i++) {
        values[i] = i * 7919 % N;
    }
    batch b = batch_begin(1, N);
    batch_integers(&b, 0, "x", "l", values, NULL);
    home h = home_of(&b, 65536, NULL, 0);
    for (uint64_t stop_at = 0; stop_at < 30; stop_at += 7) {
        listening l = {.stop_at = stop_at};
        stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
        options.aggregates = "count()";
        options.by = "x * 3";
        options.threads = 1;
        options.listener = (stoa_listener){listen_in, &l};
        stoa_query *query = NULL;
        struct ArrowArrayStream stream;
        struct ArrowArray array = {.release = NULL};
        uint64_t n_groups = 0;
        stoa_status status;

        CHECK_OK(stoa_query_open(h.table, &options, &query, NULL));
        CHECK_OK(stoa_query_run(query, &stream, NULL));
        do {
            n_groups += array.release != NULL ? (uint64_t)array.length : 0;
            stoa_array_release(&array);
            status = stoa_stream_next(&stream, &array, NULL);
        } while (status == STOA_OK && array.release != NULL);
        if (stop_at == 0) {
            CHECK_OK(status);
            CHECK_U64(n_groups, N);
            CHECK(l.n_calls >= N_TOLD);
        } else if (stop_at < N_TOLD) {
            CHECK_STATUS(STOA_ECANCELLED, status);
            CHECK_U64(l.n_calls, stop_at);
        }
        stoa_stream_release(&stream);
        stoa_query_close(query);
    }
    home_leave(&h);
    free(values);
}

/* Memory ------------------------------------------------------------------------------------ */

static home *swept;
static const stoa_query_options *swept_options;

static stoa_status swept_query(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = NULL;
    char *plan = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray array = {0};

    STOA_TRY(stoa_query_open(swept->table, swept_options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    do {
        stoa_array_release(&array);
        STOA_TRY(stoa_stream_next(&stream, &array, err));
    } while (array.release != NULL);
    STOA_TRY(stoa_query_explain(query, &plan, err));

done:
    stoa_free(plan);
    stoa_array_release(&array);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static void memory_that_runs_out_is_reported_wherever_it_does(void)
{
    static const stoa_query_options queries[] = {
        {.where = "n > 0 and (s like 'a%' or c in ('b', 'c')) and x between -1 and 3",
         .columns = "s, c, upper(s), n * 2 as m",
         .sort = "c desc, x",
         .limit = 3},
        {.aggregates = "count(), sum(x), median(n), distinct(s), min(c), last(s), stddev(n)",
         .by = "c, flag",
         .sort = "sum(x)",
         .limit = -1},
        {.aggregates =
             "corr(x, n), mode(s), histogram(c), arg_max(s, c), string_agg(s, '-' order by "
             "c), sum(distinct n)",
         .by = "flag",
         .limit = -1},
        {.where = "t > '1970-01-01T00:01:00' and n is not null", .row_numbers = true, .limit = -1},
    };
    home h = small_table();

    swept = &h;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        stoa_query_options options = queries[i];
        options.size = sizeof options;
        swept_options = &options;
        CHECK(sweep_memory(swept_query) > 20);
    }
    home_leave(&h);
    h = indexed_table();
    const stoa_query_options options = {
        .size = sizeof options, .where = "x > 95 or x in (1, 2)", .limit = -1, .use_indexes = true};
    swept_options = &options;
    CHECK(sweep_memory(swept_query) > 20);
    const stoa_query_options first = {.size = sizeof first, .sort = "x desc", .limit = 2};
    swept_options = &first; /* found by their keys */
    CHECK(sweep_memory(swept_query) > 20);
    home_leave(&h);
}

/* Several morsels at once: rows so wide that a morsel is one unit, and groups of more than one
 * morsel. */
static void memory_that_runs_out_on_another_thread_is_reported_too(void)
{
    enum { N = 270000, WIDE = 20 };
    static const stoa_query_options queries[] = {
        {.where = "x0 = 3 or x1 = 70", .limit = -1, .threads = 3},
        {.where = "x0 > 3",
         .aggregates = "count(), sum(x1), last(x2), distinct(x3)",
         .by = "x0",
         .limit = -1,
         .threads = 3},
        {.where = "x0 = 3", .aggregates = "sum(x1 * 2)", .limit = -1, .threads = 3},
        {.where = "x0 = 3", .sort = "x1 desc", .limit = 3, .threads = 3},
    };
    int64_t *values = calloc(N, sizeof *values);
    batch b = batch_begin(WIDE, N);
    char name[16];

    CHECK(values != NULL);
    for (int c = 0; c < WIDE; c++) {
        for (int i = 0; i < N; i++) {
            values[i] = (i / 1000 + c) % 90;
        }
        (void)snprintf(name, sizeof name, "x%d", c);
        batch_integers(&b, c, name, "l", values, NULL);
    }
    free(values);
    home h = home_of(&b, 65536, NULL, 0);
    swept = &h;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        stoa_query_options options = queries[i];
        options.size = sizeof options;
        swept_options = &options;
        CHECK(sweep_memory(swept_query) > 20);
    }
    home_leave(&h);
}

TEST_MAIN(
    TEST(columns_come_in_the_order_asked_and_may_be_expressions), TEST(row_numbers_count_from_zero),
    TEST(a_column_keeps_its_type_and_units_and_takes_its_new_name),
    TEST(a_limit_cuts_and_ends_the_scan), TEST(aggregates_leave_missing_values_out),
    TEST(aggregates_of_nothing_are_missing_and_counts_are_zero),
    TEST(nan_is_a_value_but_no_extreme), TEST(standard_deviations_and_quantiles_are_the_textbooks),
    TEST(sums_of_floats_keep_what_rounding_loses), TEST(sums_of_integers_are_exact_or_refused),
    TEST(groups_are_the_distinct_keys_and_missing_is_one_of_them),
    TEST(many_groups_come_in_several_batches),
    TEST(missing_is_last_and_nan_before_it_in_either_direction),
    TEST(equal_rows_keep_their_order_and_later_keys_break_ties),
    TEST(texts_that_begin_alike_are_told_apart),
    TEST(a_limited_sort_of_many_rows_is_the_head_of_the_whole_sort),
    TEST(questions_without_sense_are_refused),
    TEST(an_overflow_in_some_row_fails_the_query_by_name), TEST(a_query_runs_once),
    TEST(explain_tells_the_plan_and_what_was_done),
    TEST(rows_of_an_offset_are_read_only_to_test_them), TEST(a_count_of_everything_reads_nothing),
    TEST(missing_rows_are_counted_by_an_index_without_reading_the_column),
    TEST(a_damaged_column_stops_only_those_who_name_it),
    TEST(indexes_left_out_are_mentioned_only_where_they_would_help),
    TEST(an_index_that_is_gone_or_damaged_changes_no_answer),
    TEST(a_listener_hears_of_every_window_and_can_stop_the_query),
    TEST(a_listener_hears_of_groups_as_they_are_merged_and_returned),
    TEST(memory_that_runs_out_is_reported_wherever_it_does),
    TEST(memory_that_runs_out_on_another_thread_is_reported_too))
