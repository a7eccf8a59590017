/* Conditions of SQL as filters, for src/sql/condition.c and tree.c. The statements are DuckDB's. */
#include "sql/condition.h"

#include <stdio.h>
#include <string.h>

#include "arrow/build.h"
#include "support/check.h"

static struct ArrowSchema column;

static const struct ArrowSchema *find(void *context, const stoa_tree *names)
{
    (void)context;
    return names != NULL && names->first != NULL && strcmp(names->first->text, "x") == 0 ? &column
                                                                                         : NULL;
}

#define REFERENCE "{\"class\":\"COLUMN_REF\",\"type\":\"COLUMN_REF\",\"column_names\":[\"x\"]}"
#define CONSTANT(type, value)                                                                      \
    "{\"class\":\"CONSTANT\",\"type\":\"VALUE_CONSTANT\",\"value\":{\"type\":{\"id\":\"" type      \
    "\"},\"is_null\":false,\"value\":" value "}}"

/* The filter of a comparison with a column of this format; NULL: it is not translated. */
static void check_comparison(const char *format, const char *type, const char *constant,
                             const char *expected)
{
    char json[1024];
    stoa_arena arena = {.first = NULL};
    stoa_buffer out = {.size = 0};
    stoa_truth of_nulls = STOA_TRUE;
    stoa_tree *tree = NULL;
    stoa_error err = STOA_ERROR_INIT;

    (void)snprintf(json, sizeof json,
                   "{\"class\":\"COMPARISON\",\"type\":\"%s\",\"left\":" REFERENCE ",\"right\":%s}",
                   type, constant);
    CHECK_OK(stoa_schema_make(&column, "x", format, &err), &err);
    CHECK_OK(stoa_tree_read(&arena, json, strlen(json), &tree, &err), &err);
    const bool is_done = stoa_condition_translate(tree, find, NULL, &out, &of_nulls);
    CHECK(is_done == (expected != NULL));
    if (is_done) {
        CHECK_OK(stoa_buffer_append(&out, "", 1, &err), &err);
        CHECK_STR((const char *)out.data, expected);
        CHECK(of_nulls == STOA_UNKNOWN);
    }
    stoa_schema_release(&column);
    stoa_buffer_clear(&out);
    stoa_arena_clear(&arena);
}

static void numbers_are_compared_where_both_mean_the_same(void)
{
    check_comparison("l", "COMPARE_LESSTHAN", CONSTANT("INTEGER", "5"), "\"x\" < 5");
    check_comparison("g", "COMPARE_GREATERTHAN", CONSTANT("DOUBLE", "0.5"), "not (\"x\" <= 0.5)");
    check_comparison("g", "COMPARE_GREATERTHANOREQUALTO", CONSTANT("INTEGER", "5"),
                     "not (\"x\" < 5)");
    check_comparison("f", "COMPARE_EQUAL", CONSTANT("DOUBLE", "0.5"), "\"x\" = 0.5");
    check_comparison("f", "COMPARE_EQUAL", CONSTANT("DOUBLE", "0.1"), NULL);
    check_comparison("l", "COMPARE_EQUAL", CONSTANT("BIGINT", "9007199254740993"), NULL);
    check_comparison("l", "COMPARE_EQUAL", CONSTANT("VARCHAR", "\"5\""), NULL);
}

static void texts_keep_their_quotes(void)
{
    check_comparison("u", "COMPARE_EQUAL", CONSTANT("VARCHAR", "\"it's\""), "\"x\" = 'it''s'");
    check_comparison("u", "COMPARE_EQUAL", CONSTANT("VARCHAR", "\"a\\u0000b\""), NULL);
    check_comparison("u", "COMPARE_EQUAL", CONSTANT("INTEGER", "5"), NULL);
}

static void times_are_compared_if_no_other_zone_can_be_meant(void)
{
    check_comparison("tsu:", "COMPARE_LESSTHAN", CONSTANT("VARCHAR", "\"2024-01-01\""),
                     "\"x\" < '2024-01-01'");
    check_comparison("tsu:UTC", "COMPARE_LESSTHAN", CONSTANT("VARCHAR", "\"2024-01-01\""), NULL);
    check_comparison("tsu:UTC", "COMPARE_LESSTHAN", CONSTANT("VARCHAR", "\"2024-01-01T02:03:04Z\""),
                     "\"x\" < '2024-01-01T02:03:04Z'");
    check_comparison("tsu:UTC", "COMPARE_EQUAL",
                     CONSTANT("VARCHAR", "\"2024-01-01 02:03:04-05:30\""),
                     "\"x\" = '2024-01-01 02:03:04-05:30'");
    check_comparison("tsu:", "COMPARE_LESSTHAN", CONSTANT("VARCHAR", "\"2024-01-01 02:03:04+01\""),
                     NULL);
    check_comparison("tsu:UTC", "COMPARE_LESSTHAN", CONSTANT("VARCHAR", "\"2024-13-01 02:03:04Z\""),
                     NULL);
    check_comparison("tsn:UTC", "COMPARE_EQUAL", CONSTANT("VARCHAR", "\"2024-01-01 02:03:04Z\""),
                     NULL);
    check_comparison("tsn:UTC", "COMPARE_GREATERTHANOREQUALTO",
                     CONSTANT("VARCHAR", "\"2024-01-01 02:03:04Z\""),
                     "\"x\" >= '2024-01-01 02:03:04Z'");
    check_comparison("tdD", "COMPARE_LESSTHAN", CONSTANT("VARCHAR", "\"yesterday\""), NULL);
}

static void a_tree_that_is_too_deep_is_refused(void)
{
    char json[2048];
    stoa_arena arena = {.first = NULL};
    stoa_tree *tree = NULL;
    stoa_error err = STOA_ERROR_INIT;

    memset(json, '[', sizeof json);
    CHECK_STATUS(STOA_ESYNTAX, stoa_tree_read(&arena, json, sizeof json, &tree, &err));
    CHECK_CONTAINS(err.message, "500 deep");
    stoa_arena_clear(&arena);
}

TEST_MAIN(TEST(numbers_are_compared_where_both_mean_the_same), TEST(texts_keep_their_quotes),
          TEST(times_are_compared_if_no_other_zone_can_be_meant),
          TEST(a_tree_that_is_too_deep_is_refused))
