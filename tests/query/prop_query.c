/* For random tables and predicates, the rows found with indexes, the rows found without, and the
 * rows that a judge lets pass one by one are the same (HEP001 §10: indexes never change an answer).
 */
#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "tables.h"

static void expect_rows(home *h, const char *where, bool use_indexes, const char *expected)
{
    const char *found = ASK(h, .where = where, .row_numbers = true, .use_indexes = use_indexes);

    if (strcmp(found, expected) != 0) {
        FAIL("%s indexes, rows where\n  %s\nfound    %.2000s\nexpected %.2000s\n%s",
             use_indexes ? "with" : "without", where, found, expected,
             EXPLAIN(h, .where = where, .row_numbers = true, .use_indexes = use_indexes));
    }
}

static void indexes_never_change_an_answer(void)
{
    static const char *const indexed[] = {"i", "u", "f", "t", "d", "s", "c", "b"};
    static oracle_rows rows;
    uint64_t n_narrowed = 0;

    for (uint64_t k = check_n_cases(60); k > 0; k--) {
        const uint64_t chunk_rows = 1 + check_random_below(24);
        oracle_make_rows(&rows, (int64_t)check_random_below(ORACLE_MAX_ROWS) + 1,
                         (int)check_random_below(3));
        batch b = oracle_batch(&rows);
        home h = home_of(&b, chunk_rows, indexed, 8);
        for (int q = 0; q < 30; q++) {
            char where[8192];
            char expected[8192] = "";
            size_t at = 0;
            oracle_node *predicate = oracle_make((int)check_random_below(3), where, sizeof where);
            for (int64_t i = 0; i < rows.n; i++) {
                if (oracle_judge(predicate, &rows.rows[i]) == '1') {
                    at += (size_t)snprintf(expected + at, sizeof expected - at, "%s%lld",
                                           at > 0 ? " | " : "", (long long)i);
                }
            }
            expect_rows(&h, where, false, expected);
            expect_rows(&h, where, true, expected);
            n_narrowed += strstr(EXPLAIN(&h, .where = where, .use_indexes = true),
                                 " 0 chunks skipped") == NULL;
            oracle_free(predicate);
        }
        home_leave(&h);
    }
    CHECK(n_narrowed > 0);
}

typedef struct visited {
    uint64_t n;
    uint64_t at; /* behind the last range */
    bool in[ORACLE_MAX_ROWS];
} visited;

static bool note_range(void *context, uint64_t first, uint64_t count)
{
    visited *v = context;

    CHECK(count > 0 && (v->n == 0 || first > v->at) && first + count <= ORACLE_MAX_ROWS);
    memset(v->in + first, 1, (size_t)count * sizeof *v->in);
    v->at = first + count;
    return ++v->n < 1000;
}

static bool stop(void *context, uint64_t first, uint64_t count)
{
    (void)context;
    (void)first;
    (void)count;
    return false;
}

/* Every row that passes is a candidate, and no candidate is outside of the range. */
static void expect_candidates(home *h, const stoa_query_options *options, const bool *passes,
                              uint64_t first, uint64_t end)
{
    stoa_query *query = NULL;
    visited v = {.n = 0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_query_open(h->table, options, &query, &err), &err);
    CHECK_OK(stoa_query_visit_candidates(query, note_range, &v, &err), &err);
    for (uint64_t i = 0; i < ORACLE_MAX_ROWS; i++) {
        CHECK(v.in[i] || !passes[i]);
        CHECK(!v.in[i] || (i >= first && i < end));
    }
    if (v.n > 0) {
        CHECK_STATUS(STOA_ECANCELLED, stoa_query_visit_candidates(query, stop, NULL, &err));
    }
    stoa_query_close(query);
}

/* What is found in a range is what the judge lets pass there, by every kind of query. */
static void a_range_of_rows_is_asked_alone(void)
{
    static const char *const indexed[] = {"i", "u", "f", "t", "d", "s", "c", "b"};
    static oracle_rows rows;

    for (uint64_t k = check_n_cases(40); k > 0; k--) {
        oracle_make_rows(&rows, (int64_t)check_random_below(ORACLE_MAX_ROWS) + 1,
                         (int)check_random_below(3));
        batch b = oracle_batch(&rows);
        home h = home_of(&b, 1 + check_random_below(24), indexed, 8);
        for (int q = 0; q < 20; q++) {
            const uint64_t first = check_random_below(ORACLE_MAX_ROWS + 5);
            const uint64_t n = check_random_below(100);
            const uint64_t end =
                n == 0 || first + n > (uint64_t)rows.n ? (uint64_t)rows.n : first + n;
            const bool uses = check_random_below(2) == 0;
            bool passes[ORACLE_MAX_ROWS] = {false};
            char where[8192], expected[8192] = "", count[32];
            size_t at = 0;
            uint64_t n_found = 0;
            oracle_node *predicate = oracle_make((int)check_random_below(3), where, sizeof where);
            for (uint64_t i = first; i < end; i++) {
                passes[i] = oracle_judge(predicate, &rows.rows[i]) == '1';
                if (passes[i]) {
                    at += (size_t)snprintf(expected + at, sizeof expected - at, "%s%llu",
                                           n_found > 0 ? " | " : "", (unsigned long long)i);
                    n_found++;
                }
            }
            (void)snprintf(count, sizeof count, "%llu", (unsigned long long)n_found);
            CHECK_STR(ASK(&h, .where = where, .row_numbers = true, .use_indexes = uses,
                          .first_row = first, .n_rows = n),
                      expected);
            CHECK_STR(ASK(&h, .where = where, .aggregates = "count()", .use_indexes = uses,
                          .first_row = first, .n_rows = n),
                      count);
            char plain[8192];
            (void)snprintf(plain, sizeof plain, "%s",
                           ASK_FIRST(3, &h, .where = where, .sort = "i:desc", .columns = "i",
                                     .first_row = first, .n_rows = n));
            CHECK_STR(ASK_FIRST(3, &h, .where = where, .sort = "i:desc", .columns = "i",
                                .use_indexes = true, .first_row = first, .n_rows = n),
                      plain);
            expect_candidates(&h,
                              OPTIONS(.where = where, .use_indexes = uses, .first_row = first,
                                      .n_rows = n, .limit = -1),
                              passes, first, end);
            oracle_free(predicate);
        }
        CHECK_CONTAINS(EXPLAIN(&h, .first_row = 1, .n_rows = 2), "from 1 on");
        home_leave(&h);
    }
}

static void candidates_of_aggregates_are_refused(void)
{
    batch b = batch_begin(1, 3);
    batch_integers(&b, 0, "x", "s", (int64_t[]){1, 2, 3}, NULL);
    home h = home_of(&b, 2, NULL, 0);
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_query_open(h.table, OPTIONS(.aggregates = "count()", .limit = -1), &query, &err),
             &err);
    CHECK_STATUS(STOA_EINVAL, stoa_query_visit_candidates(query, stop, NULL, &err));
    stoa_query_close(query);
    home_leave(&h);
}

/* A row that pruning keeps without need is only slow; one test sees that it is not all of them. */
static void an_index_on_a_sorted_column_leaves_only_the_chunks_that_can_match(void)
{
    enum { N = 250 };
    int64_t values[N];
    bool known[N];
    static const char *const indexed[] = {"x", "c"};
    static const char *const labels[] = {"a", "b", "c", NULL, "d"};
    const char *texts[N];
    static const struct {
        const char *where;
        const char *left;
    } cases[] = {
        {"x = 100", "1 of 25 chunks, 10 of 250 rows"},
        {"x > 239", "1 of 25 chunks, 10 of 250 rows"},
        {"x >= 239", "2 of 25 chunks, 20 of 250 rows"},
        {"x > 238.5", "2 of 25 chunks, 20 of 250 rows"},
        {"not (x < 240)", "1 of 25 chunks, 10 of 250 rows"},
        {"x < 10 or x in (100, 101, 205)", "3 of 25 chunks, 30 of 250 rows"},
        {"x between 95 and 105", "2 of 25 chunks, 20 of 250 rows"},
        {"not (x >= 10 and x <= 239)", "2 of 25 chunks, 20 of 250 rows"},
        {"x is null", "5 of 25 chunks, 50 of 250 rows"},
        {"x < 10 and y > 3", "1 of 25 chunks, 10 of 250 rows"},
        {"x > 1e9", "0 of 25 chunks, 0 of 250 rows"},
        {"x != 1e9", "25 of 25 chunks, 250 of 250 rows"},
        {"x not in (1, null)", "0 of 25 chunks, 0 of 250 rows"},
        {"c = 'b'", "5 of 25 chunks, 50 of 250 rows"},
        {"c > 'b'", "10 of 25 chunks, 100 of 250 rows"},
        {"c like '%a' or length(c) > 9", "5 of 25 chunks, 50 of 250 rows"},
        {"c is null", "5 of 25 chunks, 50 of 250 rows"},
        {"not (c in ('a', 'b', 'c'))", "5 of 25 chunks, 50 of 250 rows"},
        {"c = 'nowhere'", "0 of 25 chunks, 0 of 250 rows"},
        {"x < 10 or y > 3", "index  x: not asked"},
        {"not (x < 10 or x in (100, 101, 205)) and x < 20", "1 of 25 chunks, 10 of 250 rows"},
        {"c like 'b%'", "5 of 25 chunks, 50 of 250 rows"},
    };
    batch b = batch_begin(3, N);

    for (int i = 0; i < N; i++) {
        texts[i] = labels[i / 50];
        values[i] = i;
        known[i] = i % 50 != 7;
    }
    batch_integers(&b, 0, "x", "s", values, known);
    batch_integers(&b, 1, "y", "s", values, NULL);
    batch_categories(&b, 2, "c", texts);
    home h = home_of(&b, 10, indexed, 2);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_CONTAINS(EXPLAIN(&h, .where = cases[i].where, .use_indexes = true), cases[i].left);
    }
    home_leave(&h);
}

TEST_MAIN(TEST(indexes_never_change_an_answer), TEST(a_range_of_rows_is_asked_alone),
          TEST(candidates_of_aggregates_are_refused),
          TEST(an_index_on_a_sorted_column_leaves_only_the_chunks_that_can_match))
