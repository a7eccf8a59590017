/* Statements that write places, for src/sql/target.c. */
#include "sql/target.h"

#include "support/check.h"

static bool is_target(const char *statement, stoa_sql_target *target)
{
    stoa_error err = STOA_ERROR_INIT;
    bool is_one = false;

    stoa_sql_target_clear(target);
    CHECK_OK(stoa_sql_target_read(statement, target, &is_one, &err), &err);
    return is_one;
}

static void a_copy_has_a_query_a_name_and_options(void)
{
    stoa_sql_target t = {0};

    CHECK(
        is_target(" /* a */ Copy (select ')' as \"a)\", $x$)$x$ -- )\n from (values (1)))"
                  " TO 'it''s.h5:/t' (index 'a:minmax,b', CODEC zstd, overwrite, title \"T 1\") ; ",
                  &t));
    CHECK_I64(t.kind, STOA_SQL_COPY);
    CHECK_STR(t.query, "select ')' as \"a)\", $x$)$x$ -- )\n from (values (1))");
    CHECK_STR(t.name, "it's.h5:/t");
    CHECK(!t.is_of_name);
    CHECK_U64(t.n_options, 4);
    CHECK_STR(t.options[0].name, "index");
    CHECK_STR(t.options[0].value, "a:minmax,b");
    CHECK_STR(t.options[1].name, "codec");
    CHECK_STR(t.options[1].value, "zstd");
    CHECK_STR(t.options[2].name, "overwrite");
    CHECK_STR(t.options[2].value, "");
    CHECK_STR(t.options[3].value, "T 1");
    CHECK(is_target("copy (select 1) to ''''", &t));
    CHECK_STR(t.name, "'");
    stoa_sql_target_clear(&t);
}

static void a_name_is_copied_as_its_rows(void)
{
    stoa_sql_target t = {0};

    CHECK(is_target("copy 'a.h5:/t' to 'b.parquet' with (format parquet, row_groups (a, b))", &t));
    CHECK(t.is_of_name);
    CHECK_STR(t.query, "FROM 'a.h5:/t'");
    CHECK_STR(t.rest, "to 'b.parquet' with (format parquet, row_groups (a, b))");
    CHECK_STR(t.options[1].value, "(a, b)");
    CHECK(is_target("copy main.\"my t\" to 'a.h5:/t'", &t));
    CHECK(!t.is_of_name);
    CHECK_STR(t.query, "FROM main.\"my t\"");
    stoa_sql_target_clear(&t);
}

static void tables_are_created_replaced_and_filled(void)
{
    stoa_sql_target t = {0};

    CHECK(is_target("create table 'a.h5:/t' as select 1", &t));
    CHECK_I64(t.kind, STOA_SQL_CREATE);
    CHECK_STR(t.name, "a.h5:/t");
    CHECK_STR(t.query, "select 1");
    CHECK(is_target("create or replace table \"a.h5:/t\" as(select 1)", &t));
    CHECK_I64(t.kind, STOA_SQL_REPLACE);
    CHECK_STR(t.query, "(select 1)");
    CHECK(is_target("create table if not exists 'a.h5:/t' as from x", &t));
    CHECK(t.skips_existing);
    CHECK(is_target("insert into 'a.h5:/t' (b, \"c d\") values (1, 2);", &t));
    CHECK_I64(t.kind, STOA_SQL_INSERT);
    CHECK_U64(t.n_columns, 2);
    CHECK_STR(t.columns[1], "c d");
    CHECK_STR(t.query, "values (1, 2);");
    CHECK(!t.is_by_name);
    CHECK(is_target("insert into 'a.h5:/t' by name select 1 as a", &t));
    CHECK(t.is_by_name);
    stoa_sql_target_clear(&t);
}

static void other_statements_are_duckdbs(void)
{
    static const char *const others[] = {
        "",
        "copy",
        "select 1",
        "copyright",
        "copy (select 1",
        "copy (select 1) to",
        "copy (select 1) to 'a",
        "copy (select 1) to 'a' (",
        "copy (select 1) to 'a' (x,",
        "copy (select 1) to 'a' b",
        "copy t from 'a.csv'",
        "create temp table 'a' as select 1",
        "create table t as select 1",
        "create table 'a' (i int)",
        "create table 'a' as",
        "create or table 'a' as select 1",
        "create view 'a' as select 1",
        "insert into t select 1",
        "insert into 'a'",
        "insert into 'a' (",
        "insert into 'a' (b",
        "insert or replace into 'a' select 1",
        "insert into 'a' by chance select 1",
        "(copy (select 1) to 'a')",
        "'copy' (select 1) to 'a'",
        "copy /* (select 1) to 'a'",
    };
    stoa_sql_target t = {0};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (is_target(others[i], &t)) {
            FAIL("'%s' is taken for one", others[i]);
        }
    }
    stoa_sql_target_clear(&t);
}

TEST_MAIN(TEST(a_copy_has_a_query_a_name_and_options), TEST(a_name_is_copied_as_its_rows),
          TEST(tables_are_created_replaced_and_filled), TEST(other_statements_are_duckdbs))
