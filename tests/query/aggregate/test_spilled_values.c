/* Aggregates that need more than the memory they may take: median, quantile and distinct go to
 * temporary files, for src/query/aggregate/spilled_values.c and aggregate_distinct.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/aggregate/spilled_values.h"
#include "query/tables.h"
#include "support/sweep.h"

enum { N = 30000, N_GROUPS = 4 };

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return isnan(x) || isnan(y) ? !!isnan(x) - !!isnan(y) : (x > y) - (x < y);
}

/* Values whose upper bits are alike, values that are equal, both zeros, infinities and NaN. */
static double draw(void)
{
    switch (check_random_below(8)) {
    case 0:
        return 7;
    case 1:
        return check_random_below(2) == 0 ? -0.0 : 0.0;
    case 2:
        return check_random_below(2) == 0 ? INFINITY : -INFINITY;
    case 3:
        return NAN;
    case 4:
        return -1e300 * (double)check_random_below(1000);
    default:
        return 1 + 1e-12 * (double)check_random_below(100000);
    }
}

/* Each place of each group, found in room for `n_room` values, is that of a sorted array. */
static void a_place_is_found_whatever_the_room(void)
{
    static const size_t n_room[] = {1, 10, 2000, N};
    static double values[N_GROUPS][N];
    size_t n[N_GROUPS] = {0};
    stoa_spilled spilled = {0};
    double *room = malloc(N * sizeof *room);
    stoa_error err = STOA_ERROR_INIT;

    CHECK(room != NULL);
    for (size_t at = 0; at < N;) {
        double part[3000];
        uint32_t owners[3000];
        const size_t length = 1 + check_random_below(N - at < 3000 ? N - at : 3000);
        for (size_t i = 0; i < length; i++) {
            owners[i] = at == 0 ? 0 : (uint32_t)check_random_below(N_GROUPS);
            part[i] = draw();
            values[owners[i]][n[owners[i]]++] = part[i];
        }
        /* The first ones have no groups yet. */
        CHECK_OK(stoa_spilled_append(&spilled, part, at == 0 ? NULL : owners, length, &err), &err);
        at += length;
    }
    CHECK_U64(spilled.n, N);
    for (uint32_t group = 0; group < N_GROUPS; group++) {
        qsort(values[group], n[group], sizeof(double), order);
        for (int i = 0; i < 12; i++) {
            const uint64_t place = i == 0   ? 0
                                   : i == 1 ? n[group] - 1
                                            : check_random_below(n[group]);
            double found = -1;
            CHECK_OK(
                stoa_spilled_value_at(&spilled, group, place, room, n_room[i % 4], &found, &err),
                &err);
            CHECK_F64(found, values[group][place]);
        }
    }
    stoa_spilled_clear(&spilled);
    free(room);
}

static void those_of_some_groups_are_gathered_in_order(void)
{
    const double values[] = {1, 2, 3, 4, 5, 6, 7};
    const uint32_t owners[] = {2, 0, 1, 2, 3, 1, 2};
    uint64_t places[] = {0, 2};
    double out[5] = {0};
    stoa_spilled spilled = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_spilled_append(&spilled, values, owners, 7, &err), &err);
    CHECK_OK(stoa_spilled_gather(&spilled, 1, 2, places, out, &err), &err);
    CHECK_F64(out[0], 3);
    CHECK_F64(out[1], 6);
    CHECK_F64(out[2], 1);
    CHECK_F64(out[3], 4);
    CHECK_F64(out[4], 7);
    CHECK_U64(places[0], 2);
    CHECK_U64(places[1], 5);
    stoa_spilled_clear(&spilled);
}

/* Row i has g = i % 3, x = i * 7919 % N (each once, since N and 7919 have no common factor), v = x
 * / 10, a text of v, and f, which is missing where x is below 10. */
static home make(void)
{
    static int64_t g[N], x[N], v[N];
    static double f[N];
    static bool valid[N];
    static char texts[N][12];
    static const char *t[N];
    batch b = batch_begin(5, N);

    for (int64_t i = 0; i < N; i++) {
        g[i] = i % 3;
        x[i] = i * 7919 % N;
        v[i] = x[i] / 10;
        f[i] = (double)x[i] / 4;
        valid[i] = x[i] >= 10;
        (void)snprintf(texts[i], sizeof texts[i], "t%d", (int)v[i]);
        t[i] = texts[i];
    }
    batch_integers(&b, 0, "g", "i", g, NULL);
    batch_integers(&b, 1, "x", "l", x, NULL);
    batch_integers(&b, 2, "v", "l", v, NULL);
    batch_floats(&b, 3, "f", "g", f, valid);
    batch_strings(&b, 4, "t", t);
    return home_of(&b, 1000, NULL, 0);
}

#define ALL "median(x), quantile(f, 0.25), distinct(v), distinct(t), count()"

/* By hand: x is 0 to 29999, whose median is 14999.5; f is 10/4 to 29999/4, whose first quartile
 * lies a quarter of the way from the first to the last; there are 3000 v and texts. */
static void little_memory_gives_the_same_answers(void)
{
    static const char *const all = "14999.5 1876.8125 3000 3000 30000";
    home h = make();
    char wanted[4096];

    for (unsigned threads = 1; threads < 4; threads++) {
        CHECK_STR(ASK(&h, .aggregates = ALL, .threads = threads), all);
        CHECK_STR(ASK(&h, .aggregates = ALL, .threads = threads, .memory = 1), all);
        CHECK_STR(ASK(&h, .aggregates = ALL, .threads = threads, .memory = 300000), all);
        CHECK_STR(ASK(&h, .aggregates = ALL, .where = "x < 0", .memory = 1), "null null 0 0 0");
    }
    for (const char *const *by = (const char *const[]){"g", "v", NULL}; *by != NULL; by++) {
        const char *const where = (*by)[0] == 'v' ? "v < 40" : NULL;
        (void)snprintf(wanted, sizeof wanted, "%s",
                       ASK(&h, .aggregates = ALL, .by = *by, .where = where, .sort = *by));
        CHECK_STR(ASK(&h, .aggregates = ALL, .by = *by, .where = where, .sort = *by, .memory = 1),
                  wanted);
        CHECK_STR(ASK(&h, .aggregates = ALL, .by = *by, .where = where, .sort = *by,
                      .memory = 100000, .threads = 3),
                  wanted);
    }
    home_leave(&h);
}

static home swept;

static stoa_status ask_in_little_memory(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray rows = {0};

    options.aggregates = "median(x)";
    options.by = "g";
    options.memory = 1;
    options.threads = 1;
    STOA_TRY(stoa_query_open(swept.table, &options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_next(&stream, &rows, err));
    CHECK_I64(rows.length, 3);

done:
    stoa_array_release(&rows);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static void memory_may_run_out_at_any_allocation(void)
{
    swept = make();
    CHECK(sweep_memory(ask_in_little_memory) > 10);
    home_leave(&swept);
}

static void a_directory_that_is_not_there_is_told(void)
{
    home h = make();
    char usual[4096];

    (void)snprintf(usual, sizeof usual, "%s", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
    CHECK(setenv("TMPDIR", check_path("nowhere"), 1) == 0);
    CHECK_CONTAINS(ASK(&h, .aggregates = "median(x)", .memory = 1), "temporary file");
    CHECK_CONTAINS(ASK(&h, .aggregates = "distinct(x)", .memory = 1), "temporary file");
    CHECK(setenv("TMPDIR", usual, 1) == 0);
    home_leave(&h);
}

TEST_MAIN(TEST(a_place_is_found_whatever_the_room),
          TEST(those_of_some_groups_are_gathered_in_order),
          TEST(little_memory_gives_the_same_answers), TEST(memory_may_run_out_at_any_allocation),
          TEST(a_directory_that_is_not_there_is_told))
