/* Aggregates of one column that share cells say what each of them says alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grouped.h"

enum { MAX_SHARED = 6 };

/* Several aggregates of the same groups. */
typedef struct several {
    stoa_key *keys;
    size_t n_keys;
    stoa_groups groups;
    stoa_aggregate aggregates[MAX_SHARED];
    uint32_t n_groups;
} several;

static void several_open(several *s, const question *q, const stoa_aggregate *of, size_t n)
{
    *s = (several){.n_keys = q->n_keys, .n_groups = q->n_keys == 0};
    open_groups(q, &s->groups, &s->keys);
    for (size_t i = 0; i < n; i++) {
        CHECK_OK(stoa_aggregate_clone(&of[i], &s->aggregates[i], NULL));
    }
}

static void several_clear(several *s)
{
    stoa_groups_clear(&s->groups);
    stoa_keys_close(s->keys, s->n_keys);
    for (int i = 0; i < MAX_SHARED; i++) {
        stoa_aggregate_clear(&s->aggregates[i]);
    }
}

static void take_several(several *s, const question *q, size_t n, stoa_evaluation *ev,
                         const rows *r, int64_t first, int64_t end)
{
    static taken t;

    take_rows(&t, q, &s->groups, ev, r, first, end);
    s->n_groups = q->n_keys > 0 ? s->groups.n_groups : s->n_groups;
    for (size_t i = 0; i < n; i++) {
        CHECK_OK(stoa_aggregate_update(&s->aggregates[i], ev, r->all ? NULL : t.selected,
                                       t.n_selected, q->n_keys > 0 ? &t.groups : NULL, NULL));
    }
}

static void merge_several(several *into, const several *from, const question *q, size_t n)
{
    uint32_t *ids = stoa_alloc((size_t)from->n_groups, sizeof *ids);

    CHECK(ids != NULL);
    if (q->n_keys > 0) {
        CHECK_OK(
            stoa_groups_merge(&into->groups, &from->groups, 0, from->groups.n_groups, ids, NULL));
        into->n_groups = into->groups.n_groups;
    }
    for (size_t i = 0; i < n; i++) {
        CHECK_OK(stoa_aggregate_merge(&into->aggregates[i], &from->aggregates[i],
                                      q->n_keys > 0 ? ids : NULL, into->n_groups, NULL));
    }
    free(ids);
}

/* Results as columns, which live as long as the pool and the aggregates. */
static void answer_several(stoa_aggregate *aggregates, const question *q, size_t n, const rows *r,
                           const cuts *c, stoa_arena *arena, shown *out, uint32_t *n_groups)
{
    stoa_evaluation ev;
    several all;
    several part;
    int64_t first = 0;

    CHECK_OK(stoa_evaluation_open(&ev, &q->scope, NULL));
    several_open(&all, q, aggregates, n);
    several_open(&part, q, aggregates, n);
    for (size_t i = 0; i < c->n; i++) {
        take_several(&part, q, n, &ev, r, first, c->windows[i]);
        first = c->windows[i];
        if (c->ends_part[i] || i + 1 == c->n) {
            merge_several(&all, &part, q, n);
            several_clear(&part);
            several_open(&part, q, aggregates, n);
        }
    }
    *n_groups = all.n_groups;
    for (size_t i = 0; i < n; i++) { /* as in a query: what was bound has the rows */
        aggregates[i] = all.aggregates[i];
    }
    for (size_t i = 0; i < n; i++) {
        stoa_vector values;
        CHECK_OK(stoa_aggregate_result(&aggregates[i], 0, all.n_groups, arena, &values, NULL));
        column_of(&out[i], &values, &aggregates[i].type);
    }
    stoa_groups_clear(&all.groups);
    stoa_keys_close(all.keys, all.n_keys);
    several_clear(&part);
    stoa_evaluation_clear(&ev);
}

static void bind_several(question *q, stoa_arena *arena, const char *const *texts, size_t n,
                         stoa_aggregate *out)
{
    stoa_error err = STOA_ERROR_INIT;
    const stoa_binder binder = {&q->scope, arena};

    for (size_t i = 0; i < n; i++) {
        const stoa_syntax *tree = NULL;
        CHECK_OK(stoa_parse("aggregates", texts[i], NULL, arena, &tree, &err), &err);
        CHECK_OK(stoa_aggregate_bind(&binder, tree, &out[i], &err), &err);
    }
}

static void check_same(const shown *found, const shown *expected, uint32_t n_groups)
{
    for (uint32_t i = 0; i < n_groups; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "%s", value_text(&expected->view, i));
        CHECK_STR(value_text(&found->view, i), text);
    }
}

static void aggregates_that_share_cells_say_what_each_says_alone(void)
{
    static const char *const some[] = {"count", "sum", "mean", "min", "max", "stddev", "first"};
    static rows r;
    static cuts c;

    for (uint64_t k = check_n_cases(600); k > 0; k--) {
        const size_t n = 2 + (size_t)check_random_below(MAX_SHARED - 1);
        const int columns[] = {(int)check_random_below(15), (int)check_random_below(13)};
        stoa_aggregate aggregates[2][MAX_SHARED];
        const char *texts[MAX_SHARED];
        shown results[2][MAX_SHARED];
        uint32_t n_groups[2];
        stoa_arena arena = {0};
        question q;
        make_rows(&r);
        ask_of(&q, &r, "count", 0);
        for (size_t i = 0; i < n; i++) {
            char text[64];
            const int column = columns[check_random_below(4) == 0];
            const char *function = some[check_random_below(7)];
            (void)snprintf(text, sizeof text, "%s(%s)", takes(function, column) ? function : "max",
                           column_names[column]);
            texts[i] = stoa_arena_text(&arena, text, strlen(text));
        }
        cut(&c, r.n, check_random_below(4) == 0);
        for (int shared = 0; shared < 2; shared++) {
            bind_several(&q, &arena, texts, n, aggregates[shared]);
            if (shared) {
                CHECK_OK(stoa_aggregates_share(aggregates[1], n, NULL), NULL);
            }
            answer_several(aggregates[shared], &q, n, &r, &c, &arena, results[shared],
                           &n_groups[shared]);
        }
        CHECK_U64(n_groups[1], n_groups[0]);
        for (size_t i = 0; i < n; i++) {
            check_same(&results[1][i], &results[0][i], n_groups[0]);
        }
        for (size_t i = 0; i < 2 * n; i++) {
            column_clear(&results[i / n][i % n]);
            stoa_aggregate_clear(&aggregates[i / n][i % n]);
        }
        stoa_arena_clear(&arena);
        question_clear(&q);
        batch_end(&r.b);
    }
}

static void what_one_state_answers_is_made_once(void)
{
    static const char *const texts[] = {"count(i32)", "mean(i32)",   "max(i32)",
                                        "min(i32)",   "stddev(i32)", "mean(f32)"};
    static rows r;
    stoa_aggregate aggregates[6];
    stoa_arena arena = {0};
    question q;

    make_rows(&r);
    ask_of(&q, &r, "count", 0);
    bind_several(&q, &arena, texts, 6, aggregates);
    CHECK_OK(stoa_aggregates_share(aggregates, 6, NULL), NULL);
    CHECK(aggregates[0].holder == &aggregates[1]);
    CHECK(aggregates[1].holder == NULL);
    CHECK(aggregates[2].holder == &aggregates[3]);
    CHECK(aggregates[3].has_both);
    CHECK(aggregates[4].holder == NULL); /* its moments are no sums */
    CHECK(aggregates[5].holder == NULL); /* another column */
    stoa_arena_clear(&arena);
    question_clear(&q);
    batch_end(&r.b);
}

TEST_MAIN(TEST(aggregates_that_share_cells_say_what_each_says_alone),
          TEST(what_one_state_answers_is_made_once))
