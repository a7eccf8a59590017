/* What expressions are refused for, before anything is read. */
#include <string.h>

#include "query/asking.h"

static batch flights(void)
{
    const int64_t numbers[] = {1, 2};
    const double floats[] = {1, 2};
    const char *const texts[] = {"a", "b"};
    batch b = batch_begin(6, 2);

    batch_integers(&b, 0, "delay", "s", numbers, NULL);
    batch_integers(&b, 1, "date", "tss:", numbers, NULL);
    batch_strings(&b, 2, "origin", texts);
    batch_categories(&b, 3, "carrier", texts);
    batch_integers(&b, 4, "late", "b", numbers, NULL);
    batch_floats(&b, 5, "Cost Total $", "g", floats, NULL);
    return b;
}

static void types_that_do_not_fit_are_named_with_their_values(void)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"1 = 1 and delay > 'abc'",
         "where, column 11: 'delay' is int16 and cannot be compared with text 'abc'"},
        {"origin = 5", "where, column 1: 'origin' is text and cannot be compared with number 5"},
        {"carrier < 1.5", "'carrier' is text and cannot be compared with number 1.5"},
        {"delay = date", "'delay' is int16 and cannot be compared with timestamp"},
        {"date > 5", "'date' is timestamp"},
        {"date > 'soon'", "where, column 8: 'soon' is no time"},
        {"date = origin", "cannot be compared with text 'origin'"},
        {"delay = X'00'", "cannot be compared with opaque X'00'"},
        {"late > 'x'", "'late' is bool and cannot be compared with text 'x'"},
        {"delay in (1, 'a')", "'delay' is int16 and cannot be compared with text 'a'"},
        {"delay between 1 and 'z'", "cannot be compared with text 'z'"},
        {"origin + 1 = 2", "'origin' is text, where a number should be"},
        {"-origin = 'a'", "where, column 2: 'origin' is text, where a number should be"},
        {"late * 2 > 1", "'late' is bool, where a number should be"},
        {"date + 1 > '2001-01-01'",
         "where, column 8: 'date' is timestamp[s] and 1 is number, and '+' does not combine them"},
        {"delay and late", "'delay' is int16, where a condition should be"},
        {"not origin", "where, column 5: 'origin' is text, where a condition should be"},
        {"delay like 'a%'", "like looks at texts, and 'delay' is int16"},
        {"origin like carrier", "like takes a pattern in single quotes"},
        {"sqrt(origin) > 1", "sqrt() takes a number, and 'origin' is text"},
        {"lower(delay) = 'a'", "lower() takes a text, and 'delay' is int16"},
    };
    batch b = flights();
    stoa_error err;

    for (int64_t i = 0; i < LENGTH(cases); i++) {
        CHECK_STATUS(STOA_ETYPE, refusal(&b, cases[i].text, &err), &err);
        CHECK_CONTAINS(err.message, cases[i].message);
    }
    batch_end(&b);
}

static void unknown_names_suggest_the_nearest_one(void)
{
    batch b = flights();
    stoa_error err;

    CHECK_STATUS(STOA_ENOTFOUND, refusal(&b, "late and dely > 3", &err), &err);
    CHECK_STR(err.message, "where, column 10: there is no column 'dely'; did you mean 'delay'?");
    CHECK_STATUS(STOA_ENOTFOUND, refusal(&b, "Delay > 3", &err), &err);
    CHECK_CONTAINS(err.message, "did you mean 'delay'?");
    CHECK_STATUS(STOA_ENOTFOUND, refusal(&b, "\"cost total\" > 3", &err), &err);
    CHECK_CONTAINS(err.message, "did you mean 'Cost Total $'?");
    CHECK_STATUS(STOA_ENOTFOUND, refusal(&b, "temperature > 3", &err), &err);
    CHECK_STR(err.message, "where, column 1: there is no column 'temperature'");
    CHECK_STATUS(STOA_ENOTFOUND, refusal(&b, "carrier = \"Lufthansa\"", &err), &err);
    CHECK_STR(err.message, "where, column 11: there is no column 'Lufthansa'; a text stands in "
                           "single quotes");
    CHECK_STATUS(STOA_ENOTFOUND, refusal(&b, "carrier in ('LH', crrier)", &err), &err);
    CHECK_CONTAINS(err.message, "did you mean 'carrier'?");
    batch_end(&b);
}

static void unknown_functions_and_wrong_counts_are_syntax_errors(void)
{
    batch b = flights();
    stoa_error err;

    CHECK_STATUS(STOA_ESYNTAX, refusal(&b, "median_of(delay) > 3", &err), &err);
    CHECK_CONTAINS(err.message, "there is no function 'median_of'; stoa functions lists all");
    CHECK_STATUS(STOA_ESYNTAX, refusal(&b, "mean(delay) > 3", &err), &err);
    CHECK_CONTAINS(err.message, "mean is an aggregate");
    CHECK_STATUS(STOA_ESYNTAX, refusal(&b, "abs(delay, 1) > 3", &err), &err);
    CHECK_CONTAINS(err.message, "abs() does not take 2 arguments: abs(x)");
    CHECK_STATUS(STOA_ESYNTAX, refusal(&b, "origin like 'a' escape 'bc'", &err), &err);
    CHECK_CONTAINS(err.message, "escape takes one ASCII character");
    batch_end(&b);
}

static void a_filter_must_be_a_condition(void)
{
    batch b = flights();
    stoa_arena arena = {0};
    stoa_scope scope;
    const stoa_syntax *tree = NULL;
    stoa_expr *expr = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_scope_open(&b.schema, &arena, &scope, NULL));
    CHECK_OK(stoa_parse("where", "delay + 1", NULL, &arena, &tree, NULL));
    CHECK_STATUS(STOA_ETYPE, stoa_bind_predicate(&(stoa_binder){&scope, &arena}, tree, &expr, &err),
                 &err);
    CHECK_CONTAINS(err.message, "delay + 1 is int64, where a condition");
    stoa_arena_clear(&arena);
    batch_end(&b);
}

static void a_long_source_is_cut_between_characters(void)
{
    batch b = flights();
    stoa_error err;

    CHECK_STATUS(
        STOA_ETYPE,
        refusal(&b,
                "delay = '\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac'",
                &err),
        &err);
    CHECK_U64(stoa_utf8_valid(err.message, strlen(err.message)), strlen(err.message));
    CHECK_CONTAINS(err.message, "...");
    batch_end(&b);
}

TEST_MAIN(TEST(types_that_do_not_fit_are_named_with_their_values),
          TEST(unknown_names_suggest_the_nearest_one),
          TEST(unknown_functions_and_wrong_counts_are_syntax_errors),
          TEST(a_filter_must_be_a_condition), TEST(a_long_source_is_cut_between_characters))
