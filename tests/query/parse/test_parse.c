/* The grammar of expressions: docs/query.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/asking.h"

static void multiplication_binds_tighter_than_addition_than_comparison_than_not_than_and_than_or(
    void)
{
    CHECK_STR(tree_of("a + b * c"), "(+ a (* b c))");
    CHECK_STR(tree_of("(a + b) * c"), "(* (+ a b) c)");
    CHECK_STR(tree_of("a - b - c"), "(- (- a b) c)");
    CHECK_STR(tree_of("a / b % c"), "(% (/ a b) c)");
    CHECK_STR(tree_of("-a * b"), "(* (- a) b)");
    CHECK_STR(tree_of("a + 1 > b"), "(> (+ a 1) b)");
    CHECK_STR(tree_of("not a = b and c"), "(and (not (= a b)) c)");
    CHECK_STR(tree_of("a or b and not c"), "(or a (and b (not c)))");
}

static void ampersand_bar_and_tilde_bind_like_the_words(void)
{
    CHECK_STR(tree_of("a > 1 & b < 2"), "(and (> a 1) (< b 2))");
    CHECK_STR(tree_of("a > 1 | b < 2"), "(or (> a 1) (< b 2))");
    CHECK_STR(tree_of("~ a > 1"), "(not (> a 1))");
    CHECK_STR(tree_of("a | b & ~c"), "(or a (and b (not c)))");
}

static void chains_of_and_and_or_are_wide_not_deep(void)
{
    CHECK_STR(tree_of("a and b and c and d"), "(and a b c d)");
    CHECK_STR(tree_of("(a or b) or c"), "(or (or a b) c)");

    char *text = calloc(5000, 6);
    CHECK(text != NULL);
    strcat(text, "a");
    for (int i = 0; i < 4000; i++) {
        memcpy(text + 1 + (size_t)i * 5, " or a", 6);
    }
    stoa_arena arena = {0};
    const stoa_syntax *tree = NULL;
    CHECK_OK(stoa_parse("where", text, NULL, &arena, &tree, NULL));
    CHECK_U64(tree->n_args, 4001);
    CHECK_I64(tree->depth, 2);
    stoa_arena_clear(&arena);
    free(text);
}

static void tests_take_sums_and_may_be_negated(void)
{
    CHECK_STR(tree_of("a in (1, 'x', null)"), "(in a 1 'x' null)");
    CHECK_STR(tree_of("a not in (1)"), "(not (in a 1))");
    CHECK_STR(tree_of("a between 1 + 1 and 3 and b"), "(and (between a (+ 1 1) 3) b)");
    CHECK_STR(tree_of("a not between 1 and 2"), "(not (between a 1 2))");
    CHECK_STR(tree_of("a like 'x%' escape '!'"), "(like a 'x%' '!')");
    CHECK_STR(tree_of("a not like '_'"), "(not (like a '_'))");
    CHECK_STR(tree_of("a is null"), "(is-null a)");
    CHECK_STR(tree_of("a + 1 is not missing"), "(not (is-null (+ a 1)))");
}

static void keywords_have_no_case_and_names_do(void)
{
    CHECK_STR(tree_of("A AND a Or NOT B IS NULL"), "(or (and A a) (not (is-null B)))");
    CHECK_STR(tree_of("TRUE = False"), "(= true false)");
}

static void names_may_be_quoted_and_quotes_doubled(void)
{
    CHECK_STR(tree_of("\"Cost Total $\" > 0"), "(> Cost Total $ 0)");
    CHECK_STR(tree_of("\"a \"\"b\"\"\""), "a \"b\"");
    CHECK_STR(tree_of("\"and\" = 1"), "(= and 1)");
    CHECK_STR(tree_of("gr\xc3\xb6\xc3\x9f"
                      "e > 1"),
              "(> gr\xc3\xb6\xc3\x9f"
              "e 1)");
    CHECK_STR(tree_of("missing = 1 and escape = 2"), "(and (= missing 1) (= escape 2))");
}

static void names_have_dots_between_words_and_numbers_keep_theirs(void)
{
    CHECK_STR(tree_of("geds.energy > 1.5"), "(> geds.energy 1.5)");
    CHECK_STR(tree_of("a.b.c_2 + .5 + 2."), "(+ (+ a.b.c_2 .5) 2.)");
    CHECK_STR(tree_of("\"a.b\" = a.b"), "(= a.b a.b)");
    CHECK_STR(tree_of("a.and = 1 and not.b is null"), "(and (= a.and 1) (is-null not.b))");
    CHECK_STR(tree_of("abs(a.b)"), "(abs a.b)");
    CHECK_CONTAINS(tree_of("a..b"), "where, column 2: '.' has no meaning here");
    CHECK_CONTAINS(tree_of("a. b"), "where, column 2: '.' has no meaning here");
    CHECK_CONTAINS(tree_of("a.5"), "where, column 2: '.5' stands where");
}

static void brackets_hold_the_position_of_an_item(void)
{
    CHECK_STR(tree_of("v[0] > 1"), "(> (item v 0) 1)");
    CHECK_STR(tree_of("-a.v [ -1 + n ] * 2"), "(* (- (item a.v (+ (- 1) n))) 2)");
    CHECK_CONTAINS(tree_of("v[0"), "where, column 4: the text ends where ']' should be");
    CHECK_CONTAINS(tree_of("1[0]"), "where, column 2: '[' stands where");
    CHECK_STR(tree_of("v[0][n - 1]"), "(item (item v 0) (- n 1))");
    CHECK_CONTAINS(tree_of("f(v)[0]"), "where, column 5: '[' stands where");
}

static void texts_and_hex_and_numbers_are_what_they_look_like(void)
{
    CHECK_STR(tree_of("a = 'it''s'"), "(= a 'it's')");
    CHECK_STR(tree_of("a = ''"), "(= a '')");
    CHECK_STR(tree_of("a = X'00fF'"), "(= a hex:2)");
    CHECK_STR(tree_of("1 + .5 + 2. + 1e3 + 1.5E-3"), "(+ (+ (+ (+ 1 .5) 2.) 1e3) 1.5E-3)");
    CHECK_STR(tree_of("f(a, 1) + g()"), "(+ (f a 1) (g))");
    CHECK_STR(tree_of(" \t\n a\r\n"), "a");
}

static void a_mistake_is_shown_at_its_column(void)
{
    CHECK_STR(tree_of("a > "),
              "where, column 5: the text ends where a value, a column or '(' should be");
    CHECK_STR(tree_of("(a > 1"), "where, column 7: the text ends where ')' should be");
    CHECK_STR(tree_of("a > 1)"),
              "where, column 6: ')' stands where an operator or the end should be");
    CHECK_STR(tree_of("a = 'x"), "where, column 5: the text that opens here is not closed");
    CHECK_CONTAINS(tree_of("1 < a < 3"), "where, column 7: comparisons do not chain");
    CHECK_CONTAINS(tree_of("a $ b"), "where, column 3: '$' has no meaning here");
    CHECK_CONTAINS(tree_of("2nd = 1"), "where, column 1: '2nd' is no number");
    CHECK_CONTAINS(tree_of("a = X'0g'"), "hexadecimal");
    CHECK_CONTAINS(tree_of("a = X'0'"), "odd number of digits");
    CHECK_CONTAINS(tree_of(""), "where, column 1: the text ends");
}

static void columns_of_messages_count_characters_not_bytes(void)
{
    CHECK_CONTAINS(tree_of("'\xc3\xa4\xc3\xb6' = $"), "where, column 8:");
    CHECK_CONTAINS(tree_of("a = '\xff'"), "where, column 6: the text is not valid UTF-8");
}

/* n times `open`, a leaf, n times `close`. */
static const char *nested(const char *open, int n, const char *close)
{
    static char answer[1024];
    char *text = calloc(1, (size_t)n * (strlen(open) + strlen(close)) + 2);

    CHECK(text != NULL);
    for (int i = 0; i < n; i++) {
        memcpy(text + (size_t)i * strlen(open), open, strlen(open) + 1);
    }
    strcat(text, "a");
    size_t end = strlen(text);
    for (int i = 0; i < n; i++, end += strlen(close)) {
        memcpy(text + end, close, strlen(close) + 1);
    }
    snprintf(answer, sizeof answer, "%.900s", tree_of(text));
    free(text);
    return answer;
}

static void two_hundred_levels_are_allowed_and_no_more(void)
{
    CHECK_STR(nested("(", 200, ")"), "a");
    CHECK_STR(nested("(", 201, ")"),
              "where, column 201: the expression is nested deeper than 200 levels");
    CHECK_CONTAINS(nested("(", 10000, ")"), "column 201: the expression is nested deeper than 200");
    CHECK_CONTAINS(nested("not ", 10000, ""), "nested deeper than 200 levels");
    CHECK_CONTAINS(nested("-", 10000, ""), "nested deeper than 200 levels");
    CHECK_CONTAINS(nested("f(", 10000, ")"), "nested deeper than 200 levels");
    CHECK_CONTAINS(nested("", 10000, " + a"), "nested deeper than 200 levels");
}

/* Lists ------------------------------------------------------------------------------------- */

static bool is_odd_name(const void *context, const char *name, size_t length)
{
    (void)context;
    return length == 9 && memcmp(name, "2nd $ (x)", 9) == 0;
}

static void list_entries_have_names_and_orders(void)
{
    stoa_arena arena = {0};
    stoa_item *items = NULL;
    size_t n = 0;
    const stoa_names names = {is_odd_name, NULL, NULL};

    CHECK_OK(stoa_parse_list("sort",
                             "a, b:desc, \"c d\" ASC, a + 1 as e desc, 2nd $ (x) , f( a ,1)",
                             &names, &arena, &items, &n, NULL));
    CHECK_U64(n, 6);
    CHECK_STR(items[0].name, "a");
    CHECK(!items[0].descending);
    CHECK(items[1].descending);
    CHECK_STR(items[1].name, "b");
    CHECK_STR(items[2].name, "c d");
    CHECK(!items[2].descending);
    CHECK_STR(items[3].name, "e");
    CHECK(items[3].descending && items[3].has_alias);
    CHECK_STR(items[4].name, "2nd $ (x)");
    CHECK_STR(items[5].name, "f( a ,1)");
    stoa_arena_clear(&arena);
}

static void a_list_with_a_hole_is_refused(void)
{
    static const char *const texts[] = {"", "a,", ",a", "a b", "a:up", "a as", "a as 1"};

    for (int64_t i = 0; i < LENGTH(texts); i++) {
        stoa_arena arena = {0};
        stoa_item *items = NULL;
        size_t n = 0;
        CHECK_STATUS(STOA_ESYNTAX,
                     stoa_parse_list("columns", texts[i], NULL, &arena, &items, &n, NULL));
        stoa_arena_clear(&arena);
    }
}

TEST_MAIN(
    TEST(multiplication_binds_tighter_than_addition_than_comparison_than_not_than_and_than_or),
    TEST(ampersand_bar_and_tilde_bind_like_the_words), TEST(chains_of_and_and_or_are_wide_not_deep),
    TEST(tests_take_sums_and_may_be_negated), TEST(keywords_have_no_case_and_names_do),
    TEST(names_may_be_quoted_and_quotes_doubled), TEST(brackets_hold_the_position_of_an_item),
    TEST(names_have_dots_between_words_and_numbers_keep_theirs),
    TEST(texts_and_hex_and_numbers_are_what_they_look_like), TEST(a_mistake_is_shown_at_its_column),
    TEST(columns_of_messages_count_characters_not_bytes),
    TEST(two_hundred_levels_are_allowed_and_no_more), TEST(list_entries_have_names_and_orders),
    TEST(a_list_with_a_hole_is_refused))
