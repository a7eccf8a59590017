/* SQL by DuckDB, for src/sql/session.c and duckdb.c. */
#include "sql/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "sql/duckdb_kit.h"
#include "support/check.h"

static void forty_two_is_selected(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    stoa_sql sql = {0};

    sql_kit_open(&sql);
    CHECK_OK(stoa_sql_run(&sql, "select 42 as answer", &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    CHECK_I64(schema.n_children, 1);
    CHECK_STR(schema.children[0]->name, "answer");
    CHECK_STR(schema.children[0]->format, "i");
    CHECK_OK(stoa_stream_next(&stream, &batch, &err), &err);
    CHECK_I64(batch.length, 1);
    CHECK_I64(((const int32_t *)batch.children[0]->buffers[1])[0], 42);
    stoa_array_release(&batch);
    CHECK_OK(stoa_stream_next(&stream, &batch, &err), &err);
    CHECK(batch.release == NULL);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_sql_close(&sql);
}

static int64_t rows_of(stoa_sql *sql, const char *statement)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    int64_t n = 0;

    CHECK_OK(stoa_sql_run(sql, statement, &stream, &err), &err);
    do {
        stoa_array_release(&batch);
        CHECK_OK(stoa_stream_next(&stream, &batch, &err), &err);
        n += batch.release != NULL ? batch.length : 0;
    } while (batch.release != NULL);
    stoa_stream_release(&stream);
    return n;
}

static void a_result_of_many_chunks_comes_whole(void)
{
    stoa_sql sql = {0};

    sql_kit_open(&sql);
    CHECK_I64(rows_of(&sql, "select range from range(1000000)"), 1000000);
    stoa_sql_close(&sql);
}

static void tables_stay_from_statement_to_statement(void)
{
    stoa_sql sql = {0};

    sql_kit_open(&sql);
    CHECK_I64(rows_of(&sql, "create table t(a integer)"), 0);
    CHECK_I64(rows_of(&sql, "insert into t values (1), (2), (3);"), 1); /* the number of rows */
    CHECK_I64(rows_of(&sql, "select * from t where a > 1"), 2);
    stoa_sql_close(&sql);
}

static void the_last_of_several_statements_gives_the_result(void)
{
    stoa_sql sql = {0};

    sql_kit_open(&sql);
    CHECK_I64(rows_of(&sql, "create table t as select * from range(5); select * from t; from t "
                            "where range > 2"),
              2);
    CHECK_I64(rows_of(&sql, "pivot t on range using count(*)"), 1); /* two statements of DuckDB */
    stoa_sql_close(&sql);
}

static void check_refused(stoa_sql *sql, const char *statement, stoa_status status,
                          const char *message)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream = {0};

    CHECK_STATUS(status, stoa_sql_run(sql, statement, &stream, &err));
    CHECK(stream.release == NULL);
    CHECK_CONTAINS(err.message, message);
    CHECK(strchr(err.message, '\n') == NULL);
}

static void a_mistake_is_quoted_in_one_line(void)
{
    stoa_sql sql = {0};

    sql_kit_open(&sql);
    check_refused(&sql, "select 1 form t", STOA_ESYNTAX, "\"t\"");
    check_refused(&sql, "select a from nowhere", STOA_ENOTFOUND, "nowhere");
    check_refused(&sql, " -- nothing", STOA_EINVAL, "no statement");
    stoa_sql_close(&sql);
}

static void a_failure_while_rows_are_read_ends_the_stream(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    stoa_sql sql = {0};
    stoa_status status;

    sql_kit_open(&sql);
    status =
        stoa_sql_run(&sql, "select error('row ' || range) from range(1000000) where range > 900000",
                     &stream, &err);
    while (status == STOA_OK) {
        stoa_array_release(&batch);
        status = stoa_stream_next(&stream, &batch, &err);
        CHECK(status != STOA_OK || batch.release != NULL);
    }
    CHECK_CONTAINS(err.message, "row 90");
    stoa_array_release(&batch);
    stoa_stream_release(&stream);
    stoa_sql_close(&sql);
}

TEST_MAIN(TEST(forty_two_is_selected), TEST(a_result_of_many_chunks_comes_whole),
          TEST(tables_stay_from_statement_to_statement),
          TEST(the_last_of_several_statements_gives_the_result),
          TEST(a_mistake_is_quoted_in_one_line),
          TEST(a_failure_while_rows_are_read_ends_the_stream))
