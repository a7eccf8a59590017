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

TEST_MAIN(TEST(indexes_never_change_an_answer),
          TEST(an_index_on_a_sorted_column_leaves_only_the_chunks_that_can_match))
