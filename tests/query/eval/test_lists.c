/* Functions of lists: what they say of empty, missing and nested ones, and what they refuse. */
#include <math.h>
#include <string.h>

#include "query/asking.h"

enum { N = 5 };

/* Rows: [3, 1, missing], [], missing, [-2], [7, 7]. */
static const int64_t lengths[N] = {3, 0, 1, 1, 2};
static const bool valid[N] = {1, 1, 0, 1, 1};

static void lists(batch *b, int64_t i, const char *name, const char *format, batch items)
{
    batch_lists(b, i, name, format, &items, lengths, valid);
}

static batch sample(void)
{
    const int64_t numbers[] = {3, 1, 0, 99, -2, 7, 7};
    const bool known[] = {1, 1, 0, 1, 1, 1, 1};
    const double floats[] = {0.5, NAN, -1, 99, NAN, 1e300, 1};
    const char *const texts[] = {"b", "a", NULL, "z", "", "xy", "x"};
    const int64_t truths[] = {1, 0, 0, 1, 0, 1, 1};
    const int64_t rows[] = {1, -1, 0, -3, 8};
    const char *const labels[] = {"a", "b", NULL, "", "x"};
    batch b = batch_begin(7, N);
    batch items = batch_begin(1, 7);

    batch_integers(&items, 0, "item", "i", numbers, known);
    lists(&b, 0, "v", "+l", items);
    items = batch_begin(1, 7);
    batch_floats(&items, 0, "item", "g", floats, NULL);
    lists(&b, 1, "f", "+L", items);
    items = batch_begin(1, 7);
    batch_strings(&items, 0, "item", texts);
    lists(&b, 2, "s", "+l", items);
    items = batch_begin(1, 7);
    batch_integers(&items, 0, "item", "b", truths, NULL);
    lists(&b, 3, "t", "+l", items);
    batch_integers(&b, 4, "x", "s", rows, NULL);
    batch_categories(&b, 5, "label", labels);
    items = batch_begin(1, 2 * N);
    batch_integers(&items, 0, "item", "C", (const int64_t[]){1, 2, 3, 4, 5, 6, 7, 8, 200, 100},
                   NULL);
    batch_lists(&b, 6, "pair", "+w:2", &items, (const int64_t[]){2, 2, 2, 2, 2}, valid);
    return b;
}

static void lists_have_lengths_sums_and_extremes(void)
{
    batch b = sample();

    CHECK_STR(values_of(&b, "length(v)"), "3 0 null 1 2");
    CHECK_STR(values_of(&b, "length(pair)"), "2 2 null 2 2");
    CHECK_STR(values_of(&b, "count(v)"), "2 0 null 1 2");
    CHECK_STR(values_of(&b, "sum(v)"), "4 null null -2 14");
    CHECK_STR(values_of(&b, "sum(pair)"), "3 7 null 15 300");
    CHECK_STR(values_of(&b, "mean(v)"), "2.0 null null -2.0 7.0");
    CHECK_STR(values_of(&b, "min(v)"), "1 null null -2 7");
    CHECK_STR(values_of(&b, "max(v) + x"), "4 null null -5 15");
    CHECK_STR(values_of(&b, "max(f)"), "0.5 null null nan 1e+300");
    CHECK_STR(values_of(&b, "min(s)"), "'a' null null '' 'x'");
    CHECK_STR(values_of(&b, "max(upper(s))"), "'B' null null '' 'XY'");
    CHECK_STR(values_of(&b, "sum(t)"), "1 null null 0 2");
    CHECK_STR(values_of(&b, "sum(v * v)"), "10 null null 4 98");
    batch_end(&b);
}

static void items_are_found_by_their_places_from_either_end(void)
{
    batch b = sample();

    CHECK_STR(values_of(&b, "v[0]"), "3 null null -2 7");
    CHECK_STR(values_of(&b, "v[-1]"), "null null null -2 7");
    CHECK_STR(values_of(&b, "v[1]"), "1 null null null 7");
    CHECK_STR(values_of(&b, "v[9]"), "null null null null null");
    CHECK_STR(values_of(&b, "pair[x]"), "2 4 null null null");
    CHECK_STR(values_of(&b, "s[0]"), "'b' null null '' 'xy'");
    CHECK_STR(verdicts(&b, "t[0]"), "1--01");
    CHECK_STR(verdicts(&b, "f[0] > 0.25 and v[0] < 7"), "1--00");
    batch_end(&b);
}

static void any_and_all_are_those_of_sql(void)
{
    batch b = sample();

    CHECK_STR(verdicts(&b, "any(v > 2)"), "10-01");
    CHECK_STR(verdicts(&b, "any(v > 3)"), "-0-01");
    CHECK_STR(verdicts(&b, "all(v > 0)"), "-1-01");
    CHECK_STR(verdicts(&b, "all(v > 1)"), "01-01");
    CHECK_STR(verdicts(&b, "any(t)"), "10-01");
    CHECK_STR(verdicts(&b, "all(not t)"), "01-10");
    CHECK_STR(verdicts(&b, "any(v = x)"), "10-00");
    CHECK_STR(verdicts(&b, "any(s = label)"), "10-11");
    CHECK_STR(verdicts(&b, "any(v < mean(v))"), "10-00");
    CHECK_STR(verdicts(&b, "any(v between 6 and x)"), "-0-01");
    CHECK_STR(verdicts(&b, "contains(v, 7)"), "00-01");
    CHECK_STR(verdicts(&b, "contains(s, 'xy')"), "00-01");
    CHECK_STR(verdicts(&b, "any(v is null)"), "10-00");
    CHECK_STR(verdicts(&b, "any(v > null)"), "-0---");
    CHECK_STR(verdicts(&b, "sum(v * null) > 1"), "-----");
    CHECK_STR(verdicts(&b, "any(isnan(f))"), "10-10");
    CHECK_STR(verdicts(&b, "any(s like 'x%') or length(v) = 0"), "-1-01");
    CHECK_STR(selected(&b, "any(v > 2) and length(v) > 2"), "10000");
    batch_end(&b);
}

static void mistakes_point_at_what_is_wrong(void)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"sum(s) > 1", "where, column 5: sum() takes numbers"},
        {"any(v)", "where, column 5: any() takes a condition on items"},
        {"any(v > 'a')", "cannot be compared"},
        {"x + v > 1", "where, column 5: 'v' is"},
        {"any(v > pair)", "where, column 9: 'pair' is a list"},
        {"any(x > 1)", "where, column 5: any() is about the items of a list"},
        {"x[0] = 1", "where, column 1: 'x' is int16, where a list should be"},
        {"v['a'] = 1", "where, column 3: 'a' is"},
        {"v[0.5] = 1", "the position of an item should be"},
        {"contains(v)", "contains() takes a list and a value"},
        {"sum(v, 1) = 1", "sum() takes one argument"},
        {"sum(x) > 1", "sum is an aggregate"},
    };
    batch b = sample();
    stoa_error err;

    for (int64_t i = 0; i < LENGTH(cases); i++) {
        CHECK(refusal(&b, cases[i].text, &err) != STOA_OK);
        CHECK_CONTAINS(err.message, cases[i].message);
    }
    batch_end(&b);
}

/* Rows of w: [[1, missing], []], [missing, [3], [5, 4]], missing; x: 0, 2, 0. */
static batch lists_of_lists(void)
{
    const bool has_lists[] = {1, 1, 0};
    const bool is_list[] = {1, 1, 0, 1, 1, 1};
    const bool known[] = {1, 0, 1, 1, 1, 1, 1};
    batch b = batch_begin(3, 3);
    batch outer = batch_begin(1, 6);
    batch items = batch_begin(1, 7);

    batch_integers(&items, 0, "item", "l", (const int64_t[]){1, 9, 99, 3, 5, 4, 77}, known);
    batch_lists(&outer, 0, "item", "+L", &items, (const int64_t[]){2, 0, 1, 1, 2, 1}, is_list);
    batch_lists(&b, 0, "w", "+l", &outer, (const int64_t[]){2, 3, 1}, has_lists);
    batch_integers(&b, 1, "x", "s", (const int64_t[]){0, 2, 0}, NULL);
    items = batch_begin(1, 12);
    outer = batch_begin(1, 6);
    batch_integers(&items, 0, "item", "C", (const int64_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                   NULL);
    batch_lists(&outer, 0, "item", "+w:2", &items, (const int64_t[]){2, 2, 2, 2, 2, 2}, NULL);
    batch_lists(&b, 2, "pairs", "+w:2", &outer, (const int64_t[]){2, 2, 2}, NULL);
    return b;
}

static void functions_of_lists_of_lists_are_of_all_values_in_them(void)
{
    batch b = lists_of_lists();

    CHECK_STR(values_of(&b, "length(w)"), "2 3 null");
    CHECK_STR(values_of(&b, "count(w)"), "1 3 null");
    CHECK_STR(values_of(&b, "sum(w)"), "1 12 null");
    CHECK_STR(values_of(&b, "sum(pairs)"), "10 26 42");
    CHECK_STR(values_of(&b, "max(w) - min(w)"), "0 2 null");
    CHECK_STR(values_of(&b, "mean(w + x)"), "1.0 6.0 null");
    CHECK_STR(verdicts(&b, "any(w > 4)"), "-1-");
    CHECK_STR(verdicts(&b, "all(w > 2)"), "01-");
    CHECK_STR(verdicts(&b, "contains(w, 5)"), "01-");
    batch_end(&b);
}

static void an_item_of_a_list_of_lists_is_a_list(void)
{
    batch b = lists_of_lists();

    CHECK_STR(values_of(&b, "w[0][0]"), "1 null null");
    CHECK_STR(values_of(&b, "w[-1][-1]"), "null 4 null");
    CHECK_STR(values_of(&b, "w[x][x - 2]"), "1 5 null");
    CHECK_STR(values_of(&b, "pairs[1][0]"), "3 7 11");
    CHECK_STR(values_of(&b, "length(w[1])"), "0 1 null");
    CHECK_STR(values_of(&b, "length(w[x])"), "2 2 null");
    CHECK_STR(values_of(&b, "sum(w[x])"), "1 9 null");
    CHECK_STR(values_of(&b, "sum(w[-1] * w[-1]) + x"), "null 43 null");
    CHECK_STR(values_of(&b, "count(w[0])"), "1 null null");
    CHECK_STR(verdicts(&b, "any(w[2] = w[1][0] + x)"), "-1-");
    CHECK_STR(verdicts(&b, "all(w[1] > 2)"), "11-");
    CHECK_STR(verdicts(&b, "w[0] is null"), "011");
    CHECK_STR(verdicts(&b, "any(w[1] > sum(w[0])) or any(w = 1)"), "1--");
    batch_end(&b);
}

static void mistakes_about_lists_of_lists_are_told(void)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"w[0] > 1", "where, column 1: w[0] is a list and cannot be compared"},
        {"w[0] + 1 > 1", "where, column 1: w[0] is a list, where a number should be"},
        {"w[0][0][0] = 1", "where, column 1: w[0][0] is int64, where a list should be"},
        {"any(w[0] > w[1])", "where, column 12: w[1] is a list or a struct, and the items of w[0]"},
        {"sum(w[0][0]) > 1", "sum is an aggregate"},
        {"length(w[0][0]) > 1", "where, column 8: length() takes a text, and w[0][0] is int64"},
        {"w['a'] is null", "where, column 3: 'a' is"},
    };
    batch b = lists_of_lists();
    stoa_error err;

    for (int64_t i = 0; i < LENGTH(cases); i++) {
        CHECK(refusal(&b, cases[i].text, &err) != STOA_OK);
        CHECK_CONTAINS(err.message, cases[i].message);
    }
    batch_end(&b);
}

static void a_sum_that_does_not_fit_is_an_error(void)
{
    batch b = batch_begin(1, 2);
    batch items = batch_begin(1, 4);

    batch_integers(&items, 0, "item", "l", (const int64_t[]){INT64_MAX, 1, INT64_MAX, -1}, NULL);
    batch_lists(&b, 0, "v", "+l", &items, (const int64_t[]){2, 2}, NULL);
    CHECK_CONTAINS(values_of(&b, "sum(v)"), "where, column 1: sum(v) overflows int64");
    CHECK_STR(values_of(&b, "sum(1.0 * v)"), "9.223372036854776e+18 9.223372036854776e+18");
    batch_end(&b);
}

TEST_MAIN(TEST(lists_have_lengths_sums_and_extremes),
          TEST(items_are_found_by_their_places_from_either_end), TEST(any_and_all_are_those_of_sql),
          TEST(mistakes_point_at_what_is_wrong),
          TEST(functions_of_lists_of_lists_are_of_all_values_in_them),
          TEST(an_item_of_a_list_of_lists_is_a_list), TEST(mistakes_about_lists_of_lists_are_told),
          TEST(a_sum_that_does_not_fit_is_an_error))
