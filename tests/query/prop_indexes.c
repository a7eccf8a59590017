/*
 * Whatever indexes a table has, its answers are the same (HEP001 §10): random tables (every type,
 * missing values, NaNs, ties, no row, one row, borders of chunks), random predicates, every subset
 * of the kinds of indexes that there are. What passes is judged row by row by plain C; counts,
 * groups and sorted heads are held against the same query without indexes.
 *
 * 1,000 tables are STOA_EFFORT=40.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "index/common/kind.h"
#include "oracle.h"
#include "tables.h"

enum { N_PREDICATES = 20, N_FORMS = 7, MAX_KINDS = 8 };

static const char *const columns[ORACLE_COLUMNS] = {"i", "u", "f", "t", "d", "s", "c", "b"};

/* One predicate, and what is asked with it; the answers without indexes. */
typedef struct question {
    char where[8192];
    char order[16];
    int64_t limit;
    char *answers[N_FORMS];
} question;

static size_t n_kinds(void)
{
    size_t n = 0;

    while (stoa_index_kind_at(n) != NULL) {
        n++;
    }
    CHECK(n <= MAX_KINDS);
    return n;
}

/* Columns whose type the kind is not defined for, or whose values it is not made for, stay without
 * it. */
static void add_kind(home *h, const char *kind)
{
    for (int c = 0; c < ORACLE_COLUMNS; c++) {
        stoa_error err = STOA_ERROR_INIT;
        const stoa_status status = stoa_index_add(h->table, columns[c], kind, NULL, &err);
        if (status != STOA_ETYPE && status != STOA_ERANGE) {
            CHECK_OK(status, &err);
        }
    }
}

static void drop_kind(home *h, const char *kind)
{
    for (int c = 0; c < ORACLE_COLUMNS; c++) {
        stoa_error err = STOA_ERROR_INIT;
        CHECK_OK(stoa_index_drop(h->table, columns[c], kind, &err), &err);
    }
}

/* The answer to one form of the question. Sorts have ties: their columns say who came first. */
static const char *answer(home *h, const question *q, int form, bool use_indexes)
{
    const char *const where = q->where[0] != '\0' ? q->where : NULL;

    switch (form) {
    case 0:
        return ASK(h, .where = where, .row_numbers = true, .use_indexes = use_indexes);
    case 1:
        return ASK(h, .where = where, .aggregates = "count()", .use_indexes = use_indexes);
    case 2:
        return ASK_FIRST(q->limit, h, .where = where, .sort = q->order, .row_numbers = true,
                         .use_indexes = use_indexes);
    case 3:
        return ASK_FIRST(q->limit, h, .sort = q->order, .row_numbers = true,
                         .use_indexes = use_indexes);
    case 4:
        return ASK(h, .where = where, .by = "c", .sort = "c", .use_indexes = use_indexes,
                   .aggregates = "count(), sum(i), max(f), distinct(s), first(t)");
    case 5:
        return ASK_FIRST(q->limit, h, .where = where, .columns = "d, s, c, b, f",
                         .use_indexes = use_indexes);
    default:
        return ASK(h, .where = where, .aggregates = "count(), count(u), last(i)",
                   .use_indexes = use_indexes);
    }
}

static void judge(const oracle_rows *rows, const oracle_node *predicate, char *out, size_t size)
{
    size_t at = 0;

    out[0] = '\0';
    for (int64_t i = 0; i < rows->n; i++) {
        if (oracle_judge(predicate, &rows->rows[i]) == '1') {
            at +=
                (size_t)snprintf(out + at, size - at, "%s%lld", at > 0 ? " | " : "", (long long)i);
        }
    }
}

static void make_question(home *h, const oracle_rows *rows, question *q)
{
    oracle_node *predicate = oracle_make((int)check_random_below(3), q->where, sizeof q->where);
    char expected[8192];

    snprintf(q->order, sizeof q->order, "%s%s", columns[check_random_below(ORACLE_COLUMNS)],
             check_random_below(2) == 0 ? ":desc" : "");
    q->limit = (int64_t)check_random_below((uint64_t)rows->n / 12 + 3);
    for (int form = 0; form < N_FORMS; form++) {
        q->answers[form] = strdup(answer(h, q, form, false));
        CHECK(q->answers[form] != NULL);
    }
    judge(rows, predicate, expected, sizeof expected);
    CHECK_STR(q->answers[0], expected);
    oracle_free(predicate);
}

/* Every third form, another third for the next subset. */
static void check_question(home *h, const question *q, unsigned kinds, int turn)
{
    for (int form = turn % 3; form < N_FORMS; form += 3) {
        const char *found = answer(h, q, form, true);
        if (strcmp(found, q->answers[form]) != 0) {
            FAIL("kinds %x, form %d, order %s, limit %lld, where\n  %s\nfound    %.2000s\n"
                 "expected %.2000s\n%s",
                 kinds, form, q->order, (long long)q->limit, q->where, found, q->answers[form],
                 EXPLAIN(h, .where = q->where, .row_numbers = true, .use_indexes = true));
        }
    }
}

/* Every subset of the kinds, each one index kind away from the one before. */
static void check_subsets(home *h, const question *questions)
{
    const unsigned n_subsets = 1u << n_kinds();
    unsigned kinds = 0;

    for (unsigned i = 0; i < n_subsets; i++) {
        const unsigned next = i ^ i >> 1;
        for (size_t k = 0; next != kinds && k < n_kinds(); k++) {
            if (((next ^ kinds) >> k & 1u) != 0) {
                const char *name = stoa_index_kind_at(k)->name;
                (next >> k & 1u) != 0 ? add_kind(h, name) : drop_kind(h, name);
            }
        }
        kinds = next;
        for (int q = 0; q < N_PREDICATES; q++) {
            check_question(h, &questions[q], kinds, (int)i + q);
        }
    }
}

static void no_subset_of_indexes_changes_an_answer(void)
{
    static oracle_rows rows;
    static question questions[N_PREDICATES];

    for (uint64_t k = check_n_cases(25); k > 0; k--) {
        const uint64_t chunk_rows = 1 + check_random_below(24);
        const uint64_t few = check_random_below(8);
        oracle_make_rows(&rows,
                         few < 2 ? (int64_t)few : (int64_t)check_random_below(ORACLE_MAX_ROWS) + 1,
                         (int)check_random_below(3));
        batch b = oracle_batch(&rows);
        home h = home_of(&b, chunk_rows, NULL, 0);
        for (int q = 0; q < N_PREDICATES; q++) {
            make_question(&h, &rows, &questions[q]);
        }
        check_subsets(&h, questions);
        for (int q = 0; q < N_PREDICATES; q++) {
            for (int form = 0; form < N_FORMS; form++) {
                free(questions[q].answers[form]);
            }
        }
        home_leave(&h);
    }
}

TEST_MAIN(TEST(no_subset_of_indexes_changes_an_answer))
