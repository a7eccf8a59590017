/* Where statements end, for src/sql/split.c. */
#include "sql/split.h"

#include <string.h>

#include "support/check.h"

static void check_first(const char *first, const char *rest)
{
    char text[256];

    CHECK(strlen(first) + strlen(rest) < sizeof text);
    strcpy(text, first);
    strcat(text, rest);
    CHECK_U64(stoa_sql_first(text), strlen(first));
}

static void a_semicolon_ends_a_statement(void)
{
    check_first("select 1;", " select 2;");
    check_first(";", "");
    CHECK_U64(stoa_sql_first("select 1"), 0);
    CHECK_U64(stoa_sql_first(""), 0);
}

static void one_in_quotes_or_comments_does_not(void)
{
    check_first("select ';', ';''';", "x");
    check_first("select \";\"\";\";", "x");
    check_first("select 1 -- ; '\n;", "x");
    check_first("select /* ; /* ; */ ; */ 1;", "x");
    check_first("select e'\\';' ;", "x");
    check_first("select me'\\';", "");
    check_first("select $$;$$, $a$ ; $$ ; $a$;", "x");
    check_first("select $1;", "x$1;");
    check_first("select a$b$;", "x$b$");
}

static void what_does_not_end_has_no_statement(void)
{
    static const char *const all[] = {"select ';",  "select \";", "-- ;", "/* ; ",
                                      "/* /* */ ;", "$$ ; $",     "e'\\"};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK_U64(stoa_sql_first(all[i]), 0);
    }
}

static void comments_alone_are_blank(void)
{
    CHECK(stoa_sql_is_blank(""));
    CHECK(stoa_sql_is_blank(" \n;; -- x"));
    CHECK(stoa_sql_is_blank("/* x */ -- y\n ;"));
    CHECK(stoa_sql_is_blank("/* x "));
    CHECK(!stoa_sql_is_blank("-- x\n select"));
    CHECK(!stoa_sql_is_blank("-"));
}

TEST_MAIN(TEST(a_semicolon_ends_a_statement), TEST(one_in_quotes_or_comments_does_not),
          TEST(what_does_not_end_has_no_statement), TEST(comments_alone_are_blank))
