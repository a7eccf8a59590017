/* Plans: what is asked of which index, what is not looked at for it, and in what pieces the rest is
 * read. Kinds that a build lacks are skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/common/kind.h"
#include "query/run/query.h"
#include "query/tables.h"
#include "support/sweep.h"

enum { N_MANY = 200000 };

static void add(home *h, const char *column, const char *kind)
{
    stoa_error err = STOA_ERROR_INIT;

    if (stoa_index_kind_find(kind) == NULL) {
        home_leave(h);
        SKIP("this build lacks the kind of index");
    }
    CHECK_OK(stoa_index_add(h->table, column, kind, NULL, &err), &err);
}

/* 100 rows in chunks of 10: x counts them and has min/max, y counts them too; row 7 of each fifty
 * misses z. */
static home small_table(void)
{
    static const char *const indexed[] = {"x", "z"};
    int64_t values[100];
    bool known[100];
    batch b = batch_begin(3, 100);

    for (int i = 0; i < 100; i++) {
        values[i] = i;
        known[i] = i % 50 != 7;
    }
    batch_integers(&b, 0, "x", "s", values, NULL);
    batch_integers(&b, 1, "y", "s", values, NULL);
    batch_integers(&b, 2, "z", "s", values, known);
    return home_of(&b, 10, indexed, 2);
}

/* N_MANY rows: x counts them, k is x scattered (a bijection), g is one of 20, in runs. */
static home large_table(uint64_t chunk_rows)
{
    int64_t *x = calloc(N_MANY, sizeof *x);
    int64_t *k = calloc(N_MANY, sizeof *k);
    int64_t *g = calloc(N_MANY, sizeof *g);
    batch b = batch_begin(3, N_MANY);

    CHECK(x != NULL && k != NULL && g != NULL);
    for (int64_t i = 0; i < N_MANY; i++) {
        x[i] = i;
        k[i] = i * 77773 % N_MANY;
        g[i] = i / 100 % 20;
    }
    batch_integers(&b, 0, "x", "l", x, NULL);
    batch_integers(&b, 1, "k", "l", k, NULL);
    batch_integers(&b, 2, "g", "l", g, NULL);
    free(x);
    free(k);
    free(g);
    return home_of(&b, chunk_rows, NULL, 0);
}

/* Certain rows ------------------------------------------------------------------------------ */

static void rows_that_an_index_is_certain_of_are_counted_without_a_look(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .where = "x >= 85", .aggregates = "count()", .use_indexes = true), "15");
    const char *plan =
        EXPLAIN(&h, .where = "x >= 85", .aggregates = "count()", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 10 rows in 1 chunks");
    CHECK_CONTAINS(plan, "10 rows counted without a look");
    plan = EXPLAIN(&h, .where = "x >= 80 or x < 10", .aggregates = "count()", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 0 rows in 0 chunks");
    CHECK_CONTAINS(plan, "30 rows counted without a look");
    CHECK_CONTAINS(plan, "read  nothing");
    /* The chunk with the missing value is looked at. */
    plan = EXPLAIN(&h, .where = "z < 20", .aggregates = "count()", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 10 rows");
    CHECK_STR(ASK(&h, .where = "z < 20", .aggregates = "count()", .use_indexes = true), "19");
    /* What no index knows makes nothing certain. */
    plan = EXPLAIN(&h, .where = "x >= 80 and y > 0", .aggregates = "count()", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 20 rows");
    /* But in an `or`, what is certain needs no more. */
    plan = EXPLAIN(&h, .where = "x >= 80 or y < 5", .aggregates = "count()", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 80 rows");
    CHECK_CONTAINS(plan, "20 rows counted");
    CHECK_STR(ASK(&h, .where = "x >= 80 or y < 5", .aggregates = "count()", .use_indexes = true),
              "25");
    home_leave(&h);
}

static void rows_that_an_index_is_certain_of_are_not_tested(void)
{
    home h = small_table();

    CHECK_STR(ASK(&h, .where = "x > 97", .columns = "y", .use_indexes = true), "98 | 99");
    CHECK_CONTAINS(EXPLAIN(&h, .where = "x >= 90", .columns = "y", .use_indexes = true),
                   "10 of them certain and not tested");
    CHECK_CONTAINS(EXPLAIN(&h, .where = "x >= 90", .columns = "y, x", .use_indexes = true),
                   "10 of them certain and not tested");
    CHECK_STR(ASK_FIRST(2, &h, .where = "x >= 90", .columns = "y, x", .use_indexes = true),
              "90 90 | 91 91");
    CHECK(strstr(EXPLAIN(&h, .where = "x >= 91", .columns = "y", .use_indexes = true),
                 "not tested") == NULL);
    home_leave(&h);
}

/* A list too long to ask is asked as the range it lies in, which is more. */
static void a_test_that_is_wider_than_the_question_makes_nothing_certain(void)
{
    enum { N = 5000, N_LISTED = 1200 };
    static const char *const indexed[] = {"x"};
    static char where[N_LISTED * 8];
    int64_t values[N];
    batch b = batch_begin(1, N);
    int at = snprintf(where, sizeof where, "x in (0");

    for (int i = 0; i < N; i++) {
        values[i] = i;
    }
    for (int i = 1; i < N_LISTED; i++) {
        at += snprintf(where + at, sizeof where - (size_t)at, ",%d", 2 * i);
    }
    snprintf(where + at, sizeof where - (size_t)at, ")");
    batch_integers(&b, 0, "x", "s", values, NULL);
    home h = home_of(&b, 10, indexed, 1);
    CHECK_STR(ASK(&h, .where = where, .aggregates = "count()", .use_indexes = true), "1200");
    CHECK_CONTAINS(EXPLAIN(&h, .where = where, .aggregates = "count()", .use_indexes = true),
                   "looked at 2400 rows");
    home_leave(&h);
}

static void patterns_that_are_a_beginning_are_certain_and_others_are_not(void)
{
    static const struct {
        const char *where;
        const char *count;
        const char *looked_at;
    } cases[] = {
        {"s like 'ab%'", "4", "looked at 0 rows"},
        {"s like 'ab%%'", "4", "looked at 0 rows"},
        {"s like 'abc'", "2", "looked at 0 rows"},
        {"s like 'ab%c'", "2", "looked at 4 rows"},
        {"s like 'ab_'", "4", "looked at 4 rows"},
        {"not (s like 'ab%')", "4", "looked at 0 rows"},
        {"s like 'ab!%' escape '!'", "0", "looked at"},
        {"not (s like 'abc')", "6", "looked at 0 rows"},
    };
    static const char *const indexed[] = {"s"};
    static const char *const texts[] = {"aa", "aa", "abc", "abc", "abd", "abd", "b", "b"};
    batch b = batch_begin(1, 8);

    batch_strings(&b, 0, "s", texts);
    home h = home_of(&b, 2, indexed, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_STR(ASK(&h, .where = cases[i].where, .aggregates = "count()", .use_indexes = true),
                  cases[i].count);
        CHECK_CONTAINS(
            EXPLAIN(&h, .where = cases[i].where, .aggregates = "count()", .use_indexes = true),
            cases[i].looked_at);
    }
    home_leave(&h);
}

/* Asking ------------------------------------------------------------------------------------ */

static size_t n_times(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static void tests_of_one_column_that_must_all_hold_are_asked_as_one(void)
{
    home h = small_table();
    const char *plan =
        EXPLAIN(&h, .where = "x > 20 and (y > 3 and x < 25) and not (x = 22)", .use_indexes = true);

    CHECK_U64(n_times(plan, "index  x"), 1);
    CHECK_CONTAINS(plan, "1 of 10 chunks, 10 of 100 rows");
    plan = EXPLAIN(&h, .where = "x > 90 and x < 9", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 0 rows");
    home_leave(&h);
}

static void the_part_that_leaves_the_fewest_rows_is_asked_first_and_none_after_nothing_is_left(void)
{
    home h = small_table();
    const char *plan = EXPLAIN(&h, .where = "x < 50 and z > 95", .use_indexes = true);

    CHECK(strstr(plan, "index  z") < strstr(plan, "index  x"));
    CHECK_CONTAINS(plan, "looked at 0 rows");
    plan = EXPLAIN(&h, .where = "x < 50 and z > 1000", .use_indexes = true);
    CHECK_U64(n_times(plan, "index  x"), 0);
    home_leave(&h);
}

static void many_parts_fill_no_screen(void)
{
    char where[4096];
    int at = snprintf(where, sizeof where, "x = 0");
    home h = small_table();

    for (int i = 1; i < 60; i++) {
        at += snprintf(where + at, sizeof where - (size_t)at, " or x = %d", i);
    }
    const char *plan = EXPLAIN(&h, .where = where, .aggregates = "count()", .use_indexes = true);
    CHECK_U64(n_times(plan, "index  x"), 32);
    CHECK_CONTAINS(plan, "28 more");
    CHECK_CONTAINS(plan, "60 of 100 rows");
    home_leave(&h);
}

/* Reading ----------------------------------------------------------------------------------- */

/* 524,288 bytes a chunk and column. */
static void a_point_is_read_from_its_chunks_and_no_others(void)
{
    home h = large_table(65536);

    CHECK_OK(stoa_index_add(h.table, "x", "minmax", NULL, NULL));
    CHECK_STR(ASK(&h, .where = "x = 70000", .use_indexes = true), "70000 110000 0");
    CHECK_CONTAINS(
        EXPLAIN(&h, .where = "x = 70000", .columns = "k", .use_indexes = true),
        "looked at 65536 rows in 1 chunks, 3 chunks skipped, 1 rows passed, 1.0 MB read");
    home_leave(&h);
}

/* The stream's batches, and the numbers of its rows against those that the remainder of x tells. */
static uint64_t count_batches(home *h, const char *where, int64_t every, int64_t rest)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray array = {0};
    uint64_t n_batches = 0;
    int64_t row = rest;
    const stoa_query_options options = {.size = sizeof options,
                                        .where = where,
                                        .columns = "x, k, g",
                                        .limit = -1,
                                        .use_indexes = true};

    CHECK_OK(stoa_query_open(h->table, &options, &query, &err), &err);
    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    for (;; n_batches++) {
        CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
        if (array.release == NULL) {
            break;
        }
        for (int64_t i = 0; i < array.length; i++, row += every) {
            CHECK_I64(((const int64_t *)array.children[0]->buffers[1])[i], row);
            CHECK_I64(((const int64_t *)array.children[1]->buffers[1])[i], row * 77773 % N_MANY);
            CHECK_I64(((const int64_t *)array.children[2]->buffers[1])[i], row / 100 % 20);
        }
        stoa_array_release(&array);
    }
    CHECK(row >= N_MANY && row < N_MANY + every);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return n_batches;
}

static void survivors_of_many_units_come_in_few_batches(void)
{
    static const uint64_t chunks[] = {1000, 7, 50000, 300000};

    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
        home h = large_table(chunks[i]);
        CHECK_U64(count_batches(&h, "x % 20000 = 19999", 20000, 19999), 1);
        CHECK(count_batches(&h, "x % 1000 = 17", 1000, 17) == 1);
        CHECK(count_batches(&h, "x % 3 = 2", 3, 2) <= 5);
        home_leave(&h);
    }
}

/* Rows that an index lists one by one, far apart, in chunks that are read for them alone. */
static void scattered_rows_are_read_each_from_its_chunk(void)
{
    home h = large_table(1000);
    char expected[4096] = "";

    add(&h, "k", "sorted");
    for (int64_t i = 0, n = 0; i < N_MANY; i++) {
        if (i * 77773 % N_MANY < 50) {
            n += snprintf(expected + n, sizeof expected - (size_t)n, "%s%lld %lld",
                          n > 0 ? " | " : "", (long long)i, (long long)(i / 100 % 20));
        }
    }
    CHECK_STR(ASK(&h, .where = "k < 50", .columns = "x, g", .use_indexes = true), expected);
    const char *plan = EXPLAIN(&h, .where = "k < 50", .columns = "x, g", .use_indexes = true);
    CHECK_CONTAINS(plan, "SORTED_ROWS: 50 rows, about 50 expected; 50 of them certain");
    CHECK_CONTAINS(plan, "looked at 50 rows");
    CHECK_CONTAINS(plan, "50 of them certain and not tested");
    plan = EXPLAIN(&h, .where = "k < 50", .aggregates = "count()", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 0 rows");
    home_leave(&h);
}

static void an_index_whose_list_would_be_long_is_passed_over(void)
{
    home h = large_table(1000);

    add(&h, "k", "sorted");
    const char *plan =
        EXPLAIN(&h, .where = "k < 100000", .use_indexes = true, .aggregates = "sum(g)");
    CHECK_CONTAINS(plan, "index  k  SORTED_ROWS: passed over");
    CHECK_CONTAINS(plan, "looked at 200000 rows");
    /* Ten rows are looked at sooner than a list of 10000 is made. */
    CHECK_OK(stoa_index_add(h.table, "x", "sorted", NULL, NULL));
    plan = EXPLAIN(&h, .where = "x < 10 and k < 10000", .use_indexes = true);
    CHECK_CONTAINS(plan, "index  x  SORTED_ROWS: 10 rows");
    CHECK_CONTAINS(plan, "index  k  SORTED_ROWS: passed over");
    CHECK_CONTAINS(plan, "looked at 10 rows");
    home_leave(&h);
}

/* A scan of 200,000 rows is done sooner than a list of 4097 of them, one by one. */
static void a_short_list_of_rows_is_asked_for_and_a_longer_one_is_not(void)
{
    home h = large_table(1000);

    add(&h, "k", "sorted");
    const char *plan =
        EXPLAIN(&h, .where = "k < 4000", .use_indexes = true, .aggregates = "sum(g)");
    CHECK_CONTAINS(plan, "index  k  SORTED_ROWS: 4000 rows");
    plan = EXPLAIN(&h, .where = "k < 4500", .use_indexes = true, .aggregates = "sum(g)");
    CHECK_CONTAINS(plan, "index  k  SORTED_ROWS: passed over");
    /* To count them none is looked at. */
    plan = EXPLAIN(&h, .where = "k < 4500", .use_indexes = true, .aggregates = "count()");
    CHECK_CONTAINS(plan, "index  k  SORTED_ROWS: 4500 rows");
    home_leave(&h);
}

/* 20,000 rows by the hundred are 200 ranges; 10,000 rows apart are as many. */
static void a_bitmap_is_asked_where_its_rows_are_few_ranges(void)
{
    int64_t *v = calloc(N_MANY, sizeof *v);
    int64_t *w = calloc(N_MANY, sizeof *w);
    batch b = batch_begin(2, N_MANY);

    CHECK(v != NULL && w != NULL);
    for (int64_t i = 0; i < N_MANY; i++) {
        v[i] = i % 2 == 0 ? 0 : i % 20 / 2;
        w[i] = i / 100 % 10;
    }
    batch_integers(&b, 0, "v", "c", v, NULL);
    batch_integers(&b, 1, "w", "c", w, NULL);
    free(v);
    free(w);
    home h = home_of(&b, 1000, NULL, 0);
    add(&h, "v", "bitmap");
    add(&h, "w", "bitmap");
    const char *plan = EXPLAIN(&h, .where = "w = 3", .use_indexes = true, .aggregates = "sum(v)");
    CHECK_CONTAINS(plan, "index  w  BITMAP: 20000 rows");
    plan = EXPLAIN(&h, .where = "v = 3", .use_indexes = true, .aggregates = "sum(w)");
    CHECK_CONTAINS(plan, "index  v  BITMAP: passed over, about 200000 rows expected");
    CHECK_STR(ASK(&h, .where = "v = 3", .use_indexes = true, .aggregates = "count(), sum(w)"),
              "10000 45000");
    /* To count them none is looked at. */
    plan = EXPLAIN(&h, .where = "v = 3", .use_indexes = true, .aggregates = "count()");
    CHECK_CONTAINS(plan, "index  v  BITMAP: 10000 rows");
    home_leave(&h);
}

/* Order ------------------------------------------------------------------------------------- */

static void the_first_rows_of_an_order_are_the_only_ones_read(void)
{
    home h = large_table(1000);

    add(&h, "k", "sorted");
    char *const sorted = strdup(ASK_FIRST(5, &h, .sort = "k", .columns = "k, x"));
    CHECK(sorted != NULL);
    CHECK_STR(ASK_FIRST(5, &h, .sort = "k", .columns = "k, x", .use_indexes = true), sorted);
    free(sorted);
    CHECK_STR(ASK_FIRST(3, &h, .sort = "k desc", .columns = "k", .use_indexes = true),
              "199999 | 199998 | 199997");
    const char *plan = EXPLAIN_FIRST(10, &h, .sort = "k", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 10 rows");
    CHECK_CONTAINS(plan, "the first 10 places of the order by index");
    plan = EXPLAIN_FIRST(10, &h, .sort = "k desc", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 10 rows");
    /* Half of the rows pass: four times the places hold enough. */
    plan = EXPLAIN_FIRST(10, &h, .sort = "k", .where = "x % 2 = 0", .use_indexes = true);
    CHECK_CONTAINS(plan, "looked at 40 rows");
    CHECK_CONTAINS(plan, "the first 40 places of the order by index");
    CHECK_STR(ASK_FIRST(2, &h, .sort = "k", .columns = "k", .where = "k > 300 and x % 2 = 0",
                        .use_indexes = true),
              "302 | 304");
    home_leave(&h);
}

static void an_order_is_given_up_for_a_sort_where_few_rows_pass(void)
{
    home h = large_table(1000);

    add(&h, "k", "sorted");
    CHECK_STR(ASK_FIRST(2, &h, .sort = "k desc", .columns = "k", .where = "x = 7 or x = 5",
                        .use_indexes = true),
              "188865 | 144411");
    CHECK_CONTAINS(
        EXPLAIN_FIRST(2, &h, .sort = "k", .where = "x = 7 or x = 5", .use_indexes = true),
        "given up for a sort");
    home_leave(&h);
}

/* 100 rows tie for each value of g, 10000 in all. From the top down the first of them come first.
 */
static void rows_that_tie_come_in_their_order_in_either_direction(void)
{
    home h = large_table(1000);

    add(&h, "g", "sorted");
    CHECK_STR(ASK_FIRST(3, &h, .sort = "g", .columns = "g, x", .use_indexes = true),
              "0 0 | 0 1 | 0 2");
    CHECK_STR(ASK_FIRST(3, &h, .sort = "g desc", .columns = "g, x", .use_indexes = true),
              "19 1900 | 19 1901 | 19 1902");
    CHECK_CONTAINS(EXPLAIN_FIRST(3, &h, .sort = "g desc", .columns = "g, x", .use_indexes = true),
                   "looked at 10000 rows");
    home_leave(&h);
}

static void an_order_that_would_help_is_mentioned(void)
{
    home h = large_table(1000);
    stoa_query *query = NULL;
    stoa_query_options options = {.size = sizeof options, .sort = "k", .limit = 10};

    add(&h, "k", "sorted");
    CHECK_OK(stoa_query_open(h.table, &options, &query, NULL));
    CHECK_CONTAINS(stoa_query_hint(query), "indexes of 'k' are not used");
    stoa_query_close(query);
    options.limit = -1;
    CHECK_OK(stoa_query_open(h.table, &options, &query, NULL));
    CHECK_STR(stoa_query_hint(query), "");
    stoa_query_close(query);
    home_leave(&h);
}

/* A kind that knows points is not mentioned where a range is asked. */
static void an_index_that_could_not_help_is_not_mentioned(void)
{
    size_t n = 0;

    for (size_t k = 0; stoa_index_kind_at(k) != NULL; k++) {
        const stoa_index_kind *kind = stoa_index_kind_at(k);
        home h = large_table(1000);
        stoa_query *query = NULL;
        stoa_query_options options = {.size = sizeof options, .where = "g > 3", .limit = -1};
        CHECK_OK(stoa_index_add(h.table, "g", kind->name, NULL, NULL));
        CHECK_OK(stoa_query_open(h.table, &options, &query, NULL));
        CHECK((stoa_query_hint(query)[0] == '\0') == kind->only_points);
        stoa_query_close(query);
        options.where = "g >= 3 and not (g > 3)";
        CHECK_OK(stoa_query_open(h.table, &options, &query, NULL));
        CHECK_CONTAINS(stoa_query_hint(query), "indexes of 'g' are not used");
        stoa_query_close(query);
        home_leave(&h);
        n++;
    }
    CHECK(n > 0);
}

/* Note the candidates as "[first, end) ". */
static bool note_rows(void *context, uint64_t first, uint64_t count)
{
    char *const text = context;
    const size_t length = strlen(text);

    (void)snprintf(text + length, 100 - length, "[%d, %d) ", (int)first, (int)(first + count));
    return true;
}

/* The candidates of x >= 25, from a row on, and whether an index was asked for them. */
static const char *rows_like(stoa_table *table, const stoa_query *like, uint64_t first_row,
                             bool *was_asked)
{
    static char text[100];
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_query *query = NULL;
    char *plan = NULL;

    options.where = "x >= 25";
    options.use_indexes = true;
    options.first_row = first_row;
    CHECK_OK(stoa_query_open_like(table, &options, like, &query, NULL));
    text[0] = '\0';
    CHECK_OK(stoa_query_visit_candidates(query, note_rows, text, NULL));
    CHECK_OK(stoa_query_explain(query, &plan, NULL));
    *was_asked = strstr(plan, "index  x") != NULL;
    stoa_free(plan);
    stoa_query_close(query);
    return text;
}

static void what_the_indexes_said_is_taken_by_a_query_of_the_same_table(void)
{
    home h = small_table();
    home other = large_table(10000);
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_query *asked = NULL;
    stoa_query *of_other = NULL;
    bool was_asked = false;

    options.where = "x >= 25";
    options.use_indexes = true;
    CHECK_OK(stoa_query_open(h.table, &options, &asked, NULL));
    CHECK_OK(stoa_query_open(other.table, &options, &of_other, NULL));
    CHECK_STR(rows_like(h.table, NULL, 0, &was_asked), "[20, 100) ");
    CHECK(was_asked);
    CHECK_STR(rows_like(h.table, asked, 0, &was_asked), "[20, 100) ");
    CHECK(!was_asked);
    CHECK_STR(rows_like(h.table, asked, 50, &was_asked), "[50, 100) ");
    CHECK(!was_asked);
    CHECK_STR(rows_like(h.table, of_other, 0, &was_asked), "[20, 100) "); /* of other rows */
    CHECK(was_asked);
    stoa_query_close(of_other);
    stoa_query_close(asked);
    home_leave(&other);
    home_leave(&h);
}

static void an_index_of_few_values_counts_and_lists_its_rows(void)
{
    home h = large_table(1000);

    add(&h, "g", "bitmap");
    CHECK_STR(ASK(&h, .where = "g = 3", .aggregates = "count()", .use_indexes = true), "10000");
    CHECK_CONTAINS(
        EXPLAIN(&h, .where = "g in (3, 5)", .aggregates = "count()", .use_indexes = true),
        "20000 rows counted without a look");
    const char *plan =
        EXPLAIN(&h, .where = "g = 3 and x < 2000", .columns = "x", .use_indexes = true);
    CHECK_CONTAINS(plan, "BITMAP: 10000 rows, about ");
    CHECK_CONTAINS(plan, "looked at 10000 rows");
    home_leave(&h);
}

/* Memory ------------------------------------------------------------------------------------ */

static home *swept;
static const stoa_query_options *swept_options;

static stoa_status swept_query(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray array = {0};

    STOA_TRY(stoa_query_open(swept->table, swept_options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    do {
        stoa_array_release(&array);
        STOA_TRY(stoa_stream_next(&stream, &array, err));
    } while (array.release != NULL);

done:
    stoa_array_release(&array);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static void memory_that_runs_out_is_reported_wherever_it_does(void)
{
    static const stoa_query_options queries[] = {
        {.where = "x >= 15 and x < 88 and (z < 20 or z in (55, 57, 91)) and not (y = 3)",
         .limit = -1},
        {.where = "x >= 15 or z is null", .aggregates = "count()", .limit = -1},
        {.where = "x > 90 or y = 2", .columns = "x, y", .sort = "z desc", .limit = 3},
        {.columns = "x, y", .sort = "y desc", .limit = 3},
        {.where = "x % 2 = 0", .sort = "y", .limit = 1},
    };
    home h = small_table();

    if (stoa_index_kind_find("sorted") != NULL) {
        CHECK_OK(stoa_index_add(h.table, "y", "sorted", NULL, NULL));
    }
    swept = &h;
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        stoa_query_options options = queries[i];
        options.size = sizeof options;
        options.use_indexes = true;
        swept_options = &options;
        CHECK(sweep_memory(swept_query) > 20);
    }
    home_leave(&h);
}

TEST_MAIN(TEST(rows_that_an_index_is_certain_of_are_counted_without_a_look),
          TEST(rows_that_an_index_is_certain_of_are_not_tested),
          TEST(a_test_that_is_wider_than_the_question_makes_nothing_certain),
          TEST(patterns_that_are_a_beginning_are_certain_and_others_are_not),
          TEST(tests_of_one_column_that_must_all_hold_are_asked_as_one),
          TEST(the_part_that_leaves_the_fewest_rows_is_asked_first_and_none_after_nothing_is_left),
          TEST(many_parts_fill_no_screen), TEST(a_point_is_read_from_its_chunks_and_no_others),
          TEST(survivors_of_many_units_come_in_few_batches),
          TEST(scattered_rows_are_read_each_from_its_chunk),
          TEST(an_index_whose_list_would_be_long_is_passed_over),
          TEST(a_short_list_of_rows_is_asked_for_and_a_longer_one_is_not),
          TEST(a_bitmap_is_asked_where_its_rows_are_few_ranges),
          TEST(the_first_rows_of_an_order_are_the_only_ones_read),
          TEST(an_order_is_given_up_for_a_sort_where_few_rows_pass),
          TEST(rows_that_tie_come_in_their_order_in_either_direction),
          TEST(an_order_that_would_help_is_mentioned),
          TEST(an_index_that_could_not_help_is_not_mentioned),
          TEST(what_the_indexes_said_is_taken_by_a_query_of_the_same_table),
          TEST(an_index_of_few_values_counts_and_lists_its_rows),
          TEST(memory_that_runs_out_is_reported_wherever_it_does))
