/* Columns of durations: compared, added up, sorted, grouped, indexed. */
#include <stdio.h>

#include "support/check.h"
#include "tables.h"

/* Milliseconds beside seconds; row 3 misses both. */
static home lasting(void)
{
    const int64_t ms[] = {1500, -250, 90000, 0, 1500, 0};
    const int64_t s[] = {1, -1, 90, 0, 2, 0};
    const int64_t n[] = {0, 1, 2, 3, 4, 5};
    const bool has[] = {1, 1, 1, 0, 1, 1};
    batch b = batch_begin(3, 6);

    batch_integers(&b, 0, "ms", "tDm", ms, has);
    batch_integers(&b, 1, "s", "tDs", s, has);
    batch_integers(&b, 2, "n", "l", n, NULL);
    return home_of(&b, 4, NULL, 0);
}

#define ROWS(h, text) ASK(h, .row_numbers = true, .where = (text))

static void durations_compare_with_texts_exactly(void)
{
    home h = lasting();

    CHECK_STR(ROWS(&h, "ms > '1s'"), "0 | 2 | 4");
    CHECK_STR(ROWS(&h, "ms = '1.5 s'"), "0 | 4");
    CHECK_STR(ROWS(&h, "ms = 'PT1.5S'"), "0 | 4");
    CHECK_STR(ROWS(&h, "'1500ms' = ms"), "0 | 4");
    CHECK_STR(ROWS(&h, "ms >= '1.5001 s'"), "2");
    CHECK_STR(ROWS(&h, "ms = '1500001 us'"), "");
    CHECK_STR(ROWS(&h, "ms != '1500001 us'"), "0 | 1 | 2 | 4 | 5");
    CHECK_STR(ROWS(&h, "ms < '-0.2499s'"), "1");
    CHECK_STR(ROWS(&h, "ms < '10000000 weeks'"), "0 | 1 | 2 | 4 | 5");
    CHECK_STR(ROWS(&h, "s > '-10000000 weeks'"), "0 | 1 | 2 | 4 | 5");
    CHECK_STR(ROWS(&h, "ms in ('0s', '1min 30s')"), "2 | 5");
    CHECK_STR(ROWS(&h, "ms between '-1s' and 'PT0S'"), "1 | 5");
    CHECK_STR(ROWS(&h, "ms is null"), "3");
    home_leave(&h);
}

static void durations_of_two_units_compare_exactly(void)
{
    home h = lasting();

    CHECK_STR(ROWS(&h, "ms = s"), "2 | 5");
    CHECK_STR(ROWS(&h, "ms > s"), "0 | 1");
    CHECK_STR(ROWS(&h, "s > ms"), "4");
    home_leave(&h);
}

static void durations_add_up_to_durations(void)
{
    home h = lasting();

    CHECK_STR(ASK(&h, .aggregates = "sum(ms), min(ms), max(ms), count(ms), distinct(ms)"),
              "92750 -250 90000 5 4");
    /* 92750 / 5 = 18550; 92 / 5 = 18.4; of rows 0 and 4: 1.5, which is nearer to nothing */
    CHECK_STR(ASK(&h, .aggregates = "mean(ms), mean(s)"), "18550 18");
    CHECK_STR(ASK(&h, .aggregates = "mean(s)", .where = "n = 0 or n = 4"), "2");
    CHECK_STR(ASK(&h, .aggregates = "mean(s), sum(s)", .where = "n = 1 or n = 5"), "-1 -1");
    CHECK_STR(ASK(&h, .aggregates = "sum(ms), mean(ms)", .where = "n = 3"), "null null");
    CHECK_STR(ASK(&h, .aggregates = "first(ms), last(s)"), "1500 0");
    CHECK_STR(ASK(&h, .aggregates = "sum(s), count()", .by = "ms", .sort = "ms"),
              "-250 -1 1 | 0 0 1 | 1500 3 2 | 90000 90 1 | null null 1");
    CHECK_STR(ASK(&h, .columns = "n", .sort = "ms, n"), "1 | 5 | 0 | 4 | 2 | 3");
    CHECK_STR(ASK(&h, .columns = "n", .sort = "ms:desc, n"), "2 | 0 | 4 | 5 | 1 | 3");
    home_leave(&h);
}

static void answers_of_durations_are_durations(void)
{
    home h = lasting();
    const stoa_query_options options = {
        .size = sizeof options, .aggregates = "sum(ms), mean(ms), max(s), count(s)", .limit = -1};
    static const char *const formats[] = {"tDm", "tDm", "tDs", "l"};
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};

    CHECK_OK(stoa_query_open(h.table, &options, &query, NULL));
    CHECK_OK(stoa_query_run(query, &stream, NULL));
    CHECK_OK(stoa_stream_schema(&stream, &schema, NULL));
    CHECK_I64(schema.n_children, 4);
    for (int64_t i = 0; i < 4; i++) {
        CHECK_STR(schema.children[i]->format, formats[i]);
    }
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    home_leave(&h);
}

static void sums_that_are_too_long_are_errors(void)
{
    const int64_t ticks[] = {INT64_MAX - 1, 2, -5, INT64_MAX - 1};
    batch b = batch_begin(1, 4);

    batch_integers(&b, 0, "d", "tDn", ticks, NULL);
    home h = home_of(&b, 4, NULL, 0);
    CHECK_CONTAINS(ASK(&h, .aggregates = "sum(d)"), "longer than a duration");
    /* (2 (2^63 - 2) - 3) / 4 = 2^62 - 7/4, which is nearest to 2^62 - 2 */
    CHECK_STR(ASK(&h, .aggregates = "mean(d)"), "4611686018427387902");
    home_leave(&h);
}

static void what_does_not_fit_durations_is_said(void)
{
    home h = lasting();

    CHECK_CONTAINS(ROWS(&h, "ms > 5"), "'ms' is duration[ms] and cannot be compared with number 5");
    CHECK_CONTAINS(ROWS(&h, "ms > 'soon'"),
                   "column 6: 'soon' is no duration, and 'ms' is one; write it as '90s', '1.5 ms'");
    CHECK_CONTAINS(ROWS(&h, "ms > '2001-01-01'"), "is no duration");
    CHECK_CONTAINS(ROWS(&h, "ms + 1 > '1s'"), "'+' does not combine them");
    CHECK_CONTAINS(ASK(&h, .aggregates = "median(ms)"), "'ms' is duration[ms]");
    home_leave(&h);
}

static void indexes_on_durations_change_no_answer(void)
{
    static const char *const kinds[] = {"minmax", "sorted", "bitmap", "bloom"};
    static const char *const questions[] = {
        "ms > '1s'",     "ms = '1.5 s'",       "ms <= '-250ms'",
        "s >= '1500ms'", "s < '0.5s'",         "ms = '1500001 us'",
        "ms is null",    "s in ('2s', '-1s')", "ms < '1000 weeks'",
    };
    home plain = lasting();

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        home h = lasting();
        CHECK_OK(stoa_index_add(h.table, "ms", kinds[i], NULL, NULL));
        CHECK_OK(stoa_index_add(h.table, "s", kinds[i], NULL, NULL));
        for (size_t k = 0; k < sizeof questions / sizeof questions[0]; k++) {
            char expected[200];
            (void)snprintf(expected, sizeof expected, "%s", ROWS(&plain, questions[k]));
            CHECK_STR(ASK(&h, .row_numbers = true, .where = questions[k], .use_indexes = true),
                      expected);
        }
        home_leave(&h);
    }
    home_leave(&plain);
}

TEST_MAIN(TEST(durations_compare_with_texts_exactly), TEST(durations_of_two_units_compare_exactly),
          TEST(durations_add_up_to_durations), TEST(answers_of_durations_are_durations),
          TEST(sums_that_are_too_long_are_errors), TEST(what_does_not_fit_durations_is_said),
          TEST(indexes_on_durations_change_no_answer))
