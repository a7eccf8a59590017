/* What expressions mean: three-valued logic, exact comparisons (HEP001 notes E1-E5), functions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "query/asking.h"

/* Logic ------------------------------------------------------------------------------------- */

/* p and q run through all nine pairs of true, false, missing. */
static batch truth_table(void)
{
    const int64_t p[] = {1, 1, 1, 0, 0, 0, 0, 0, 0};
    const bool p_known[] = {1, 1, 1, 1, 1, 1, 0, 0, 0};
    const int64_t q[] = {1, 0, 0, 1, 0, 0, 1, 0, 0};
    const bool q_known[] = {1, 1, 0, 1, 1, 0, 1, 1, 0};
    batch b = batch_begin(2, 9);

    batch_integers(&b, 0, "p", "b", p, p_known);
    batch_integers(&b, 1, "q", "b", q, q_known);
    return b;
}

static void and_or_and_not_are_those_of_sql(void)
{
    batch b = truth_table();

    CHECK_STR(verdicts(&b, "p"), "111000---");
    CHECK_STR(verdicts(&b, "p and q"), "10-000-0-");
    CHECK_STR(verdicts(&b, "p or q"), "11110-1--");
    CHECK_STR(verdicts(&b, "not p"), "000111---");
    CHECK_STR(verdicts(&b, "not (p and q)"), "01-111-1-");
    CHECK_STR(verdicts(&b, "p is null"), "000000111");
    CHECK_STR(verdicts(&b, "p is not missing and q"), "10-10-000");
    CHECK_STR(verdicts(&b, "p = q"), "10-01----");
    CHECK_STR(verdicts(&b, "p = 1"), "111000---");
    CHECK_STR(verdicts(&b, "p != true"), "000111---");
    CHECK_STR(verdicts(&b, "p = 2"), "000000---");
    CHECK_STR(verdicts(&b, "p in (1, 0)"), "111111---");
    CHECK_STR(verdicts(&b, "p and null"), "---000---");
    CHECK_STR(verdicts(&b, "p or null"), "111------");
    batch_end(&b);
}

static void only_what_is_true_is_selected(void)
{
    batch b = truth_table();

    CHECK_STR(selected(&b, "p"), "111000000");
    CHECK_STR(selected(&b, "not p"), "000111000");
    CHECK_STR(selected(&b, "p = q"), "100010000");
    CHECK_STR(selected(&b, "null"), "000000000");
    CHECK_STR(selected(&b, "true"), "111111111");
    batch_end(&b);
}

static void comparing_with_missing_is_missing_and_lists_keep_sqls_trap(void)
{
    const int64_t values[] = {1, 2, 3, 0};
    const bool known[] = {1, 1, 1, 0};
    batch b = batch_begin(1, 4);

    batch_integers(&b, 0, "x", "s", values, known);
    CHECK_STR(verdicts(&b, "x > 1"), "011-");
    CHECK_STR(verdicts(&b, "x = null"), "----");
    CHECK_STR(verdicts(&b, "x in (1, 3)"), "101-");
    CHECK_STR(verdicts(&b, "x not in (1, 3)"), "010-");
    CHECK_STR(verdicts(&b, "x in (1, null)"), "1---");
    CHECK_STR(verdicts(&b, "x not in (1, null)"), "0---");
    CHECK_STR(verdicts(&b, "x between 2 and null"), "0---");
    CHECK_STR(verdicts(&b, "x between 2 and 3"), "011-");
    CHECK_STR(verdicts(&b, "x not between 2 and 3"), "100-");
    CHECK_STR(verdicts(&b, "x + 1 between x and 3"), "110-");
    CHECK_STR(verdicts(&b, "x in (x, 7)"), "111-");
    CHECK_STR(verdicts(&b, "x * 2 in (2, x + 1)"), "100-");
    batch_end(&b);
}

static void nan_compares_as_ieee_754_says(void)
{
    const double values[] = {1.0, NAN, INFINITY, -0.0, 0.0};
    const bool known[] = {1, 1, 1, 1, 0};
    batch b = batch_begin(1, 5);

    batch_floats(&b, 0, "x", "g", values, known);
    CHECK_STR(verdicts(&b, "x > 0"), "1010-");
    CHECK_STR(verdicts(&b, "not (x > 0)"), "0101-");
    CHECK_STR(verdicts(&b, "x != 1"), "0111-");
    CHECK_STR(verdicts(&b, "x = x"), "1011-");
    CHECK_STR(verdicts(&b, "x = 0"), "0001-");
    CHECK_STR(verdicts(&b, "isnan(x)"), "0100-");
    CHECK_STR(verdicts(&b, "x is null"), "00001");
    CHECK_STR(verdicts(&b, "x in (1, 0)"), "1001-");
    CHECK_STR(verdicts(&b, "x not in (1, 0)"), "0110-");
    CHECK_STR(verdicts(&b, "x = 0.0/0"), "0000-");
    CHECK_STR(verdicts(&b, "x != 0.0/0"), "1111-");
    batch_end(&b);
}

/* Exact comparisons ------------------------------------------------------------------------- */

#define TWO53 INT64_C(9007199254740992)

static void integers_and_floats_compare_without_rounding(void)
{
    const int64_t i[] = {TWO53 + 1, TWO53, INT64_MAX, INT64_MIN, -3};
    const double f[] = {9007199254740992.0, 9007199254740992.0, 0x1p63, -0x1p63, -2.5};
    batch b = batch_begin(2, 5);

    batch_integers(&b, 0, "i", "l", i, NULL);
    batch_floats(&b, 1, "f", "g", f, NULL);
    CHECK_STR(verdicts(&b, "i = f"), "01010");
    CHECK_STR(verdicts(&b, "i > f"), "10000");
    CHECK_STR(verdicts(&b, "f > i"), "00101");
    CHECK_STR(verdicts(&b, "i = 9007199254740992.0"), "01000");
    CHECK_STR(verdicts(&b, "f = 9007199254740993"), "00000");
    CHECK_STR(verdicts(&b, "f < 9007199254740993"), "11011");
    CHECK_STR(verdicts(&b, "f >= 9007199254740993"), "00100");
    CHECK_STR(verdicts(&b, "f != 9007199254740993"), "11111");
    CHECK_STR(verdicts(&b, "f > 18014398509481983"), "00100"); /* 2^54 - 1 rounds to 2^54 */
    CHECK_STR(verdicts(&b, "i < 9223372036854775808"), "11111");
    CHECK_STR(verdicts(&b, "i >= -9223372036854775808"), "11111");
    batch_end(&b);
}

static void literals_outside_the_range_of_a_column_are_legal(void)
{
    const int64_t values[] = {-128, 0, 127, 0};
    const bool known[] = {1, 1, 1, 0};
    batch b = batch_begin(1, 4);

    batch_integers(&b, 0, "x", "c", values, known);
    CHECK_STR(verdicts(&b, "x < 1000"), "111-");
    CHECK_STR(verdicts(&b, "x > 1e30"), "000-");
    CHECK_STR(verdicts(&b, "x != 1e30"), "111-");
    CHECK_STR(verdicts(&b, "x > -1e30"), "111-");
    CHECK_STR(verdicts(&b, "x = 18446744073709551615"), "000-");
    CHECK_STR(verdicts(&b, "x < 99999999999999999999999"), "111-");
    CHECK_STR(verdicts(&b, "x > -0.5"), "011-");
    CHECK_STR(verdicts(&b, "x >= -0.5"), "011-");
    CHECK_STR(verdicts(&b, "x < 0.5"), "110-");
    CHECK_STR(verdicts(&b, "x = 0.5"), "000-");
    CHECK_STR(verdicts(&b, "x != 0.5"), "111-");
    CHECK_STR(verdicts(&b, "0.5 > x"), "110-");
    CHECK_STR(verdicts(&b, "x in (0.5, 127.0)"), "001-");
    batch_end(&b);
}

static void unsigned_and_signed_compare_by_value(void)
{
    const int64_t u[] = {0, -1 /* 2^64 - 1 */, INT64_MAX, 5};
    const int64_t s[] = {-1, -1, INT64_MAX, 6};
    batch b = batch_begin(2, 4);

    batch_integers(&b, 0, "u", "L", u, NULL);
    batch_integers(&b, 1, "s", "l", s, NULL);
    CHECK_STR(verdicts(&b, "u > s"), "1100");
    CHECK_STR(verdicts(&b, "s < u"), "1100");
    CHECK_STR(verdicts(&b, "u = s"), "0010");
    CHECK_STR(verdicts(&b, "u > -1"), "1111");
    CHECK_STR(verdicts(&b, "u = 18446744073709551615"), "0100");
    CHECK_STR(verdicts(&b, "u >= 1.8446744073709551616e19"), "0000");
    CHECK_STR(verdicts(&b, "u > 5.5"), "0110");
    CHECK_STR(values_of(&b, "u % 16"), "0 15 15 5");
    CHECK_STR(values_of(&b, "u - 0"), "0 18446744073709551615 9223372036854775807 5");
    batch_end(&b);
}

static void a_decimal_literal_is_a_double_and_float32_columns_widen(void)
{
    const double values[] = {0.1, 0.5};
    batch b = batch_begin(1, 2);

    batch_floats(&b, 0, "x", "f", values, NULL);
    CHECK_STR(verdicts(&b, "x = 0.5"), "01");
    CHECK_STR(verdicts(&b, "x = 0.1"), "00"); /* (double)0.1f is 0.100000001490116... */
    CHECK_STR(verdicts(&b, "x > 0.1"), "11");
    batch_end(&b);
}

/* Times ------------------------------------------------------------------------------------- */

static void times_compare_with_iso_8601_exactly_even_when_finer_than_the_column(void)
{
    const int64_t seconds[] = {-1, 0, 1, 0}; /* around 1970 */
    const int64_t days[] = {-1, 0, 1, 0};
    const bool known[] = {1, 1, 1, 0};
    batch b = batch_begin(2, 4);

    batch_integers(&b, 0, "t", "tss:", seconds, known);
    batch_integers(&b, 1, "d", "tdD", days, known);
    CHECK_STR(verdicts(&b, "t >= '1970-01-01'"), "011-");
    CHECK_STR(verdicts(&b, "t = '1970-01-01T00:00:01'"), "001-");
    CHECK_STR(verdicts(&b, "t > '1970-01-01T00:00:00.5'"), "001-");
    CHECK_STR(verdicts(&b, "t >= '1969-12-31T23:59:58.999999999'"), "111-");
    CHECK_STR(verdicts(&b, "t >= '1969-12-31T23:59:59.000000001'"), "011-");
    CHECK_STR(verdicts(&b, "t = '1970-01-01T00:00:00.5'"), "000-");
    CHECK_STR(verdicts(&b, "t != '1970-01-01T00:00:00.5'"), "111-");
    CHECK_STR(verdicts(&b, "t < '1970-01-01T01:00:00+01:00'"), "100-");
    CHECK_STR(verdicts(&b, "d > '1970-01-01T12:00:00'"), "001-");
    CHECK_STR(verdicts(&b, "d <= '1969-12-31T00:00:01'"), "100-");
    CHECK_STR(verdicts(&b, "d between '1969-12-31' and '1970-01-01'"), "110-");
    CHECK_STR(verdicts(&b, "d in ('1970-01-02', '1970-01-01T00:00:00')"), "011-");
    CHECK_STR(verdicts(&b, "t = d"), "010-");
    CHECK_STR(verdicts(&b, "t > d"), "100-");
    CHECK_STR(verdicts(&b, "d > t"), "001-");
    batch_end(&b);
}

static void times_beyond_a_columns_range_lie_beyond_all(void)
{
    const int64_t ticks[] = {INT64_MIN, 0, INT64_MAX};
    batch b = batch_begin(1, 3);

    batch_integers(&b, 0, "t", "tsn:UTC", ticks, NULL);
    CHECK_STR(verdicts(&b, "t < '9999-12-31'"), "111");
    CHECK_STR(verdicts(&b, "t > '0001-01-01'"), "111");
    CHECK_STR(verdicts(&b, "t = '9999-12-31'"), "000");
    /* The first and the last nanosecond that 64 bits can count. */
    CHECK_STR(verdicts(&b, "t <= '1677-09-21T00:12:43.145224192'"), "100");
    CHECK_STR(verdicts(&b, "t >= '2262-04-11T23:47:16.854775807'"), "001");
    batch_end(&b);
}

/* Texts ------------------------------------------------------------------------------------- */

static void texts_compare_by_bytes_and_categories_by_label(void)
{
    const char *const texts[] = {"b", "a", "", "\xc3\xa4", NULL, "ab"};
    batch b = batch_begin(2, 6);

    batch_strings(&b, 0, "s", texts);
    batch_categories(&b, 1, "c", texts);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "s" : "c";
        char where[100];
        snprintf(where, sizeof where, "%s > 'a'", name);
        CHECK_STR(verdicts(&b, where), "1001-1");
        snprintf(where, sizeof where, "%s = ''", name);
        CHECK_STR(verdicts(&b, where), "0010-0");
        snprintf(where, sizeof where, "%s in ('ab', 'b', 'zz')", name);
        CHECK_STR(verdicts(&b, where), "1000-1");
        snprintf(where, sizeof where, "upper(%s) >= 'AB'", name);
        CHECK_STR(verdicts(&b, where), "1001-1");
        snprintf(where, sizeof where, "%s like 'a%%' or %s is null", name, name);
        CHECK_STR(verdicts(&b, where), "010011");
        snprintf(where, sizeof where, "%s = 'a' or length(%s) = 0", name, name);
        CHECK_STR(verdicts(&b, where), "0110-0");
        snprintf(where, sizeof where, "length(%s)", name);
        CHECK_STR(values_of(&b, where), "1 1 0 1 null 2");
    }
    CHECK_STR(verdicts(&b, "s = c"), "1111-1");
    CHECK_STR(values_of(&b, "upper(c)"), "'B' 'A' '' '\xc3\x84' null 'AB'");
    CHECK_STR(values_of(&b, "c"), "'b' 'a' '' '\xc3\xa4' null 'ab'");
    batch_end(&b);
}

static void like_knows_percent_underscore_and_escape(void)
{
    static const struct {
        const char *text;
        const char *pattern;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"a", "", false},
        {"", "%", true},
        {"abc", "abc", true},
        {"abc", "ab", false},
        {"abc", "a%", true},
        {"abc", "%c", true},
        {"abc", "%b%", true},
        {"abc", "_b_", true},
        {"abc", "__", false},
        {"abc", "____", false},
        {"abc", "%%", true},
        {"abc", "a_%", true},
        {"abc", "abc%", true},
        {"abc", "ABC", false},
        {"aab", "%ab", true},
        {"abab", "%ab", true},
        {"mississippi", "%iss%pi", true},
        {"mississippi", "%iss%ix", false},
        {"\xc3\xa4x", "_x", true},
        {"\xe2\x82\xac", "_", true},
        {"\xf0\x9f\x98\x80", "__", false},
        {"a%b", "a!%b", true},
        {"axb", "a!%b", false},
        {"a_b", "a!_b", true},
        {"axb", "a!_b", false},
        {"a!b", "a!!b", true},
        {"100%", "%!%", true},
    };

    for (int64_t i = 0; i < LENGTH(cases); i++) {
        const bool found = stoa_like(cases[i].text, strlen(cases[i].text), cases[i].pattern,
                                     strlen(cases[i].pattern), '!');
        if (found != cases[i].matches) {
            FAIL("'%s' like '%s' is %d", cases[i].text, cases[i].pattern, found);
        }
    }
}

static void like_of_many_percents_takes_no_exponential_time(void)
{
    char text[4001];
    char pattern[401];

    memset(text, 'a', 4000);
    for (size_t i = 0; i < 400; i += 2) {
        memcpy(pattern + i, "%a", 2);
    }
    pattern[398] = 'b';
    CHECK(!stoa_like(text, 4000, pattern, 400, -1));
}

/* Numbers ----------------------------------------------------------------------------------- */

static void arithmetic_is_exact_on_integers_and_divides_as_floats(void)
{
    const int64_t a[] = {7, -7, 0, 5};
    const int64_t c[] = {2, 2, 0, 0};
    const bool known[] = {1, 1, 1, 0};
    batch b = batch_begin(2, 4);

    batch_integers(&b, 0, "a", "i", a, known);
    batch_integers(&b, 1, "c", "s", c, NULL);
    CHECK_STR(values_of(&b, "a + c * 10"), "27 13 0 null");
    CHECK_STR(values_of(&b, "-a - 1"), "-8 6 -1 null");
    CHECK_STR(values_of(&b, "a / c"), "3.5 -3.5 nan null");
    CHECK_STR(values_of(&b, "(a + 1) / 0"), "inf -inf inf null");
    CHECK_STR(values_of(&b, "a % c"), "1 -1 null null");
    CHECK_STR(values_of(&b, "a % 2.5"), "2.0 -2.0 0.0 null");
    CHECK_STR(values_of(&b, "a % -1"), "0 0 0 null");
    CHECK_STR(values_of(&b, "a + 0.5"), "7.5 -6.5 0.5 null");
    CHECK_STR(values_of(&b, "a + null"), "null null null null");
    CHECK_STR(values_of(&b, "2 * 3 + 1"), "7 7 7 7");
    batch_end(&b);
}

static void an_overflow_is_an_error_but_not_under_a_missing_value(void)
{
    const int64_t values[] = {1, INT64_MAX, INT64_MIN};
    const bool known[] = {1, 0, 0};
    batch b = batch_begin(2, 3);

    batch_integers(&b, 0, "x", "l", values, NULL);
    batch_integers(&b, 1, "y", "l", values, known);
    CHECK_CONTAINS(values_of(&b, "x + 1"), "where, column 1: + of x + 1 overflows int64");
    CHECK_CONTAINS(values_of(&b, "3 > x * 2"), "where, column 5: * of x * 2 overflows int64");
    CHECK_CONTAINS(values_of(&b, "-x"), "overflows int64");
    CHECK_CONTAINS(values_of(&b, "abs(x)"), "overflows int64");
    CHECK_CONTAINS(values_of(&b, "9223372036854775807 + 1 > x"), "overflows int64");
    CHECK_STR(values_of(&b, "y + 1"), "2 null null");
    CHECK_STR(values_of(&b, "y * 2 - 5"), "-3 null null");
    CHECK_STR(values_of(&b, "-y"), "-1 null null");
    CHECK_STR(values_of(&b, "abs(y)"), "1 null null");
    CHECK_STR(values_of(&b, "1.0 * x"), "1.0 9.223372036854776e+18 -9.223372036854776e+18");
    CHECK_STR(values_of(&b, "-9223372036854775808"),
              "-9223372036854775808 -9223372036854775808 -9223372036854775808");
    batch_end(&b);
}

static void functions_do_what_their_names_say(void)
{
    const int64_t i[] = {-3, 2, 0};
    const double f[] = {-2.5, 2.25, NAN};
    const bool known[] = {1, 1, 0};
    batch b = batch_begin(2, 3);

    batch_integers(&b, 0, "i", "c", i, known);
    batch_floats(&b, 1, "f", "g", f, NULL);
    CHECK_STR(values_of(&b, "abs(i)"), "3 2 null");
    CHECK_STR(values_of(&b, "ABS(f)"), "2.5 2.25 nan");
    CHECK_STR(values_of(&b, "floor(f)"), "-3.0 2.0 nan");
    CHECK_STR(values_of(&b, "ceil(f)"), "-2.0 3.0 nan");
    CHECK_STR(values_of(&b, "floor(i)"), "-3 2 null");
    CHECK_STR(values_of(&b, "sqrt(f)"), "nan 1.5 nan");
    CHECK_STR(values_of(&b, "sqrt(i + 2)"), "nan 2.0 null");
    CHECK_STR(verdicts(&b, "isnan(f)"), "001");
    CHECK_STR(verdicts(&b, "isnan(i)"), "00-");
    CHECK_STR(values_of(&b, "lower('\xc3\x84"
                            "B')"),
              "'\xc3\xa4"
              "b' '\xc3\xa4"
              "b' '\xc3\xa4"
              "b'");
    CHECK_STR(values_of(&b, "length('a\xe2\x82\xac')"), "2 2 2");
    batch_end(&b);
}

static void every_width_of_numbers_is_read(void)
{
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    const int64_t integers[] = {0, 1, 100, 0};
    const double floats[] = {0, -1.5, 2048, 0};
    const bool known[] = {1, 1, 1, 0};

    for (int64_t k = 0; k < LENGTH(formats); k++) {
        batch b = batch_begin(1, 4);
        batch_integers(&b, 0, "x", formats[k], integers, known);
        CHECK_STR(values_of(&b, "x + 1"), "1 2 101 null");
        batch_end(&b);
    }
    for (int k = 0; k < 3; k++) {
        batch b = batch_begin(1, 4);
        batch_floats(&b, 0, "x", &"e\0f\0g"[2 * k], floats, known);
        CHECK_STR(values_of(&b, "x * 2"), "0.0 -3.0 4096.0 null");
        batch_end(&b);
    }
}

/* Slices ------------------------------------------------------------------------------------ */

static void a_window_may_begin_in_the_middle_of_a_sliced_batch(void)
{
    enum { N = 200 };
    int64_t values[N];
    bool known[N];
    batch b = batch_begin(2, N);
    stoa_arena arena = {0};
    stoa_scope scope;
    const stoa_syntax *tree = NULL;
    stoa_expr *expr = NULL;
    stoa_evaluation ev = {0};
    stoa_view views[2];
    uint8_t bits[N / 8 + 1];
    int64_t n_selected = -1;

    for (int i = 0; i < N; i++) {
        values[i] = i % 3 == 0;
        known[i] = i % 5 != 0;
    }
    batch_integers(&b, 0, "p", "b", values, known);
    batch_integers(&b, 1, "x", "s", values, known);
    for (int c = 0; c < 2; c++) {
        b.array.children[c]->offset = 13;
        b.array.children[c]->length = N - 13;
        b.array.children[c]->null_count = -1;
        CHECK_OK(stoa_view_of(b.schema.children[c], b.array.children[c], &views[c], NULL));
    }
    CHECK_OK(stoa_scope_open(&b.schema, &arena, &scope, NULL));
    CHECK_OK(stoa_parse("where", "p and x = 1", NULL, &arena, &tree, NULL));
    CHECK_OK(stoa_bind(&(stoa_binder){&scope, &arena}, tree, &expr, NULL));
    CHECK_OK(stoa_evaluation_open(&ev, &scope, NULL));
    stoa_evaluation_move(&ev, views, 64, 101);
    CHECK_OK(stoa_eval_filter(&ev, expr, bits, &n_selected, NULL));
    CHECK_U64(stoa_bit_count(bits, 0, 101), (uint64_t)n_selected);
    for (int i = 0; i < 101; i++) {
        const int row = 13 + 64 + i;
        CHECK_U64(stoa_bit_get(bits, (uint64_t)i), row % 3 == 0 && row % 5 != 0);
    }
    stoa_evaluation_clear(&ev);
    stoa_arena_clear(&arena);
    batch_end(&b);
}

TEST_MAIN(TEST(and_or_and_not_are_those_of_sql), TEST(only_what_is_true_is_selected),
          TEST(comparing_with_missing_is_missing_and_lists_keep_sqls_trap),
          TEST(nan_compares_as_ieee_754_says), TEST(integers_and_floats_compare_without_rounding),
          TEST(literals_outside_the_range_of_a_column_are_legal),
          TEST(unsigned_and_signed_compare_by_value),
          TEST(a_decimal_literal_is_a_double_and_float32_columns_widen),
          TEST(times_compare_with_iso_8601_exactly_even_when_finer_than_the_column),
          TEST(times_beyond_a_columns_range_lie_beyond_all),
          TEST(texts_compare_by_bytes_and_categories_by_label),
          TEST(like_knows_percent_underscore_and_escape),
          TEST(like_of_many_percents_takes_no_exponential_time),
          TEST(arithmetic_is_exact_on_integers_and_divides_as_floats),
          TEST(an_overflow_is_an_error_but_not_under_a_missing_value),
          TEST(functions_do_what_their_names_say), TEST(every_width_of_numbers_is_read),
          TEST(a_window_may_begin_in_the_middle_of_a_sliced_batch))
