/* Categories of numbers, times and booleans are asked by value, as plain columns are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/tables.h"

enum { N_ROWS = 5000, N_LABELS = 6 };

/* Column "c" is a category, "p" the same values as a plain column, "n" the number of the row. */
static home make(const char *format, const int64_t *values, const double *numbers)
{
    batch b = batch_begin(3, N_ROWS);
    batch labels = batch_begin(1, N_LABELS);
    int64_t codes[N_ROWS];
    int64_t plain[N_ROWS];
    double floats[N_ROWS];
    bool valid[N_ROWS];
    int64_t rows[N_ROWS];
    uint64_t random = 1;

    for (int64_t i = 0; i < N_ROWS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        codes[i] = (int64_t)((random >> 33) % (N_LABELS + 1)) - 1;
        valid[i] = codes[i] >= 0;
        rows[i] = i;
        plain[i] = valid[i] && values != NULL ? values[codes[i]] : 0;
        floats[i] = valid[i] && numbers != NULL ? numbers[codes[i]] : 0;
    }
    if (numbers != NULL) {
        batch_floats(&labels, 0, "labels", format, numbers, NULL);
        batch_floats(&b, 1, "p", format, floats, valid);
    } else {
        batch_integers(&labels, 0, "labels", format, values, NULL);
        batch_integers(&b, 1, "p", format, plain, valid);
    }
    batch_labelled(&b, 0, "c", &labels, codes);
    batch_integers(&b, 2, "n", "l", rows, NULL);
    return home_of(&b, 512, NULL, 0);
}

/* `%s` stands for the column. */
static void expect_same(home *h, const stoa_query_options *options, const char *where,
                        const char *columns, const char *aggregates, const char *by,
                        const char *sort)
{
    const char *const texts[] = {where, columns, aggregates, by, sort};
    char *answers[2];

    for (int k = 0; k < 2; k++) {
        char spelt[5][200];
        stoa_query_options asked = *options;
        const char *const name = k == 0 ? "p" : "c";
        for (size_t i = 0; i < 5; i++) {
            if (texts[i] != NULL) {
                (void)snprintf(spelt[i], sizeof spelt[i], texts[i], name, name, name);
            }
        }
        asked.where = where != NULL ? spelt[0] : NULL;
        asked.columns = columns != NULL ? spelt[1] : NULL;
        asked.aggregates = aggregates != NULL ? spelt[2] : NULL;
        asked.by = by != NULL ? spelt[3] : NULL;
        asked.sort = sort != NULL ? spelt[4] : NULL;
        answers[k] = strdup(ask(h, &asked, -1));
    }
    CHECK_STR(answers[1], answers[0]);
    free(answers[0]);
    free(answers[1]);
}

static void expect_same_rows(home *h, const char *where)
{
    static const char *const kinds[] = {"bitmap", "minmax", "sorted", "bloom"};
    stoa_error err = STOA_ERROR_INIT;
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;

    options.threads = 1;
    expect_same(h, &options, where, "n", NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        CHECK_OK(stoa_index_add(h->table, "c", kinds[i], NULL, &err), &err);
        options.use_indexes = true;
        expect_same(h, &options, where, "n", NULL, NULL, NULL);
        CHECK_OK(stoa_index_drop(h->table, "c", kinds[i], &err), &err);
    }
}

static void expect_same_answers(home *h, bool has_sums)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;

    for (options.threads = 1; options.threads <= 2; options.threads++) {
        expect_same(h, &options, NULL, NULL, "count(), count(%s), distinct(%s)", NULL, NULL);
        expect_same(h, &options, NULL, NULL, "count(), min(n)", "%s", "%s");
        expect_same(h, &options, NULL, NULL, "count(), min(n)", "%s", "%s desc");
        expect_same(h, &options, NULL, NULL, "count()", "%s, n %% 3", "count(), %s");
        expect_same(h, &options, NULL, "n", NULL, NULL, "%s, n desc");
        expect_same(h, &options, "%s is null", "n", NULL, NULL, NULL);
        expect_same(h, &options, "%s is not null and n %% 7 = 3", "n", NULL, NULL, NULL);
        if (has_sums) {
            expect_same(h, &options, NULL, NULL, "min(%s), max(%s), sum(%s)", NULL, NULL);
            expect_same(h, &options, "%s + n > 2500", "n, 2 * %s", NULL, NULL, NULL);
            expect_same(h, &options, NULL, NULL, "sum(%s), max(%s)", "n %% 5", NULL);
        }
    }
}

static void integers_are_asked_by_value(void)
{
    static const int64_t values[] = {2025, 2019, 2024, 2020, 2022, 2021};
    static const char *const predicates[] = {"%s = 2025",
                                             "%s <> 2025",
                                             "%s < 2022",
                                             "%s >= 2020.5",
                                             "%s = 1999",
                                             "%s in (2019, 2022, 2030)",
                                             "not (%s > 2020)",
                                             "%s between 2020 and 2022",
                                             "%s not in (2019, 2022)",
                                             "%s in (2019, null)",
                                             "%s is null",
                                             "%s is not null",
                                             "%s = 2020 or n < 10",
                                             "2021 = %s",
                                             "%s * 2 = 4040"};
    static const char *const formats[] = {"L", "i", "S", "l"};

    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        home h = make(formats[f], values, NULL);
        for (size_t i = 0; i < sizeof predicates / sizeof predicates[0]; i++) {
            expect_same_rows(&h, predicates[i]);
        }
        expect_same_answers(&h, true);
        home_leave(&h);
    }
}

static void floats_are_asked_by_value(void)
{
    static const double values[] = {0.5, -1.25, 1e10, 3, -0.0, 7};
    static const char *const predicates[] = {"%s = 0.5", "%s < 3",       "%s = 0",
                                             "%s > 7",   "%s in (3, 7)", "%s is null"};
    static const char *const formats[] = {"g", "f"};

    for (size_t f = 0; f < 2; f++) {
        home h = make(formats[f], NULL, values);
        for (size_t i = 0; i < sizeof predicates / sizeof predicates[0]; i++) {
            expect_same_rows(&h, predicates[i]);
        }
        expect_same_answers(&h, true);
        home_leave(&h);
    }
}

static void times_are_asked_by_value(void)
{
    static const int64_t days[] = {0, 18262, 18263, -1, 20000, 10000};
    static const char *const predicates[] = {"%s = '2020-01-01'", "%s < '2020-01-02'",
                                             "%s > '1970-01-01'",
                                             "%s in ('1970-01-01', '2020-01-02')"};
    home h = make("tdD", days, NULL);

    for (size_t i = 0; i < sizeof predicates / sizeof predicates[0]; i++) {
        expect_same_rows(&h, predicates[i]);
    }
    expect_same_answers(&h, false);
    home_leave(&h);
    h = make("tss:UTC", days, NULL);
    expect_same_rows(&h, "%s >= '1970-01-01T05:04:22Z'");
    expect_same_answers(&h, false);
    home_leave(&h);
    h = make("tDs", days, NULL);
    expect_same_rows(&h, "%s > '5h'");
    expect_same_answers(&h, false);
    home_leave(&h);
}

/* Two of them have each of the two values, as labels may stand twice. */
static void booleans_are_asked_by_value(void)
{
    static const int64_t values[] = {0, 1, 1, 0, 1, 0};
    static const char *const predicates[] = {
        "%s", "not %s", "%s = true", "%s = 0", "%s or n < 5", "%s and n %% 2 = 0", "%s is null"};
    home h = make("b", values, NULL);

    for (size_t i = 0; i < sizeof predicates / sizeof predicates[0]; i++) {
        expect_same_rows(&h, predicates[i]);
    }
    expect_same_answers(&h, false);
    home_leave(&h);
}

/* An index of codes answers a test of values. */
static void indexes_over_codes_are_used(void)
{
    static const int64_t values[] = {2025, 2019, 2024, 2020, 2022, 2021};
    home h = make("L", values, NULL);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_add(h.table, "c", "bitmap", NULL, &err), &err);
    CHECK_CONTAINS(EXPLAIN(&h, .where = "c = 2024", .columns = "n", .use_indexes = true),
                   "index  c  BITMAP");
    CHECK_CONTAINS(EXPLAIN(&h, .where = "c in (2019, 2021)", .columns = "n", .use_indexes = true),
                   "index  c  BITMAP");
    CHECK_STR(ASK(&h, .where = "c = 1999", .aggregates = "count()", .use_indexes = true), "0");
    home_leave(&h);
}

static void a_category_of_numbers_is_compared_with_numbers_only(void)
{
    static const int64_t values[] = {2025, 2019, 2024, 2020, 2022, 2021};
    home h = make("L", values, NULL);

    CHECK_CONTAINS(ASK(&h, .where = "c = 'north'"), "'c' is uint64 and cannot be compared with");
    CHECK_CONTAINS(ASK(&h, .where = "c like '2%'"), "uint64");
    home_leave(&h);
}

static void values_are_updated(void)
{
    static const int64_t values[] = {2025, 2019, 2024, 2020, 2022, 2021};
    home h = make("S", values, NULL);
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;

    CHECK_OK(stoa_table_update(h.table, "n < 2", (const stoa_assignment[]){{"c", "1999"}}, 1, NULL,
                               &n, &err),
             &err);
    CHECK_STR(ASK(&h, .where = "c = 1999", .columns = "n"), "0 | 1");
    CHECK_OK(stoa_table_update(h.table, "n < 3", (const stoa_assignment[]){{"p", "c"}}, 1, NULL, &n,
                               &err),
             &err);
    CHECK_STR(ASK(&h, .where = "p = c and n < 2", .columns = "n"), "0 | 1");
    CHECK_OK(stoa_table_update(h.table, "c = 2025", (const stoa_assignment[]){{"c", "null"}}, 1,
                               NULL, &n, &err),
             &err);
    CHECK_STR(ASK(&h, .where = "c = 2025", .aggregates = "count()"), "0");
    CHECK_STATUS(STOA_ETYPE,
                 stoa_table_update(h.table, "n < 2", (const stoa_assignment[]){{"c", "'x'"}}, 1,
                                   NULL, &n, &err),
                 &err);
    home_leave(&h);
}

TEST_MAIN(TEST(integers_are_asked_by_value), TEST(floats_are_asked_by_value),
          TEST(times_are_asked_by_value), TEST(booleans_are_asked_by_value),
          TEST(indexes_over_codes_are_used),
          TEST(a_category_of_numbers_is_compared_with_numbers_only), TEST(values_are_updated))
