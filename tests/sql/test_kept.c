/* Tables that stay open between statements, for src/sql/kept.c. */
#include "sql/kept.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "sql/duckdb_kit.h"
#include "support/batches.h"
#include "support/check.h"

/* Write a file with the table /t, whose column a has one value. Its name is static. */
static const char *write_file(const char *file, int64_t value)
{
    const char *const name = check_path(file);
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 1);
    const hid_t to = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    batch_integers(&b, 0, "a", "l", &value, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(to, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK(H5Fclose(to) >= 0);
    return name;
}

/* The value of `a`, as a statement reads it. */
static int64_t value_in(stoa_sql *sql, const char *name, const char *path)
{
    char text[4096];
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray rows = {0};
    struct ArrowArray end = {0};

    (void)snprintf(text, sizeof text, "select a from '%s%s' where a > 0", name, path);
    CHECK_OK(stoa_sql_run(sql, text, &stream, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &end, &err), &err);
    CHECK(end.release == NULL);
    const int64_t value =
        rows.release != NULL ? ((const int64_t *)rows.children[0]->buffers[1])[0] : -1;
    stoa_array_release(&rows);
    stoa_stream_release(&stream);
    return value;
}

static void a_table_stays_open_for_the_next_statement(void)
{
    char *const name = strdup(write_file("a.h5", 7));
    stoa_sql sql = {0};

    sql_kit_open(&sql);
    CHECK_I64(value_in(&sql, name, ":/t"), 7);
    CHECK_U64(sql.kept.n, 1);
    const stoa_table *const table = sql.kept.handles[0].table;
    CHECK_I64(value_in(&sql, name, ":/t"), 7);
    CHECK_U64(sql.kept.n, 1);
    CHECK(sql.kept.handles[0].table == table);
    /* another name for it is another table; the second time it is there */
    CHECK_I64(value_in(&sql, name, ""), 7);
    CHECK_U64(sql.kept.n, 2);
    CHECK_I64(value_in(&sql, name, ""), 7);
    CHECK_U64(sql.kept.n, 2);
    stoa_sql_forget(&sql);
    CHECK_U64(sql.kept.n, 0);
    CHECK_I64(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE), 0);
    CHECK_I64(value_in(&sql, name, ":/t"), 7);
    stoa_sql_close(&sql);
    free(name);
}

static void another_file_of_that_name_is_opened(void)
{
    char *const name = strdup(write_file("a.h5", 7));
    char *const other = strdup(write_file("b.h5", 8));
    stoa_sql sql = {0};

    sql_kit_open(&sql);
    CHECK_I64(value_in(&sql, name, ":/t"), 7);
    CHECK_I64(rename(other, name), 0);
    CHECK_I64(value_in(&sql, name, ":/t"), 8);
    CHECK_U64(sql.kept.n, 1);
    stoa_sql_close(&sql);
    free(other);
    free(name);
}

static void no_table_is_kept_for_more_than_a_second(void)
{
    char *const name = strdup(write_file("a.h5", 7));
    stoa_sql sql = {0};

    sql_kit_open(&sql);
    CHECK_I64(value_in(&sql, name, ":/t"), 7);
    sql.kept.handles[0].at.tv_sec -= 2;
    CHECK_I64(value_in(&sql, name, ":/t"), 7);
    sql.kept.handles[0].at.tv_sec -= 2;
    stoa_sql_kept_age(&sql.kept);
    CHECK_U64(sql.kept.n, 0);
    CHECK_I64(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE), 0);
    stoa_sql_close(&sql);
    free(name);
}

TEST_MAIN(TEST(a_table_stays_open_for_the_next_statement),
          TEST(another_file_of_that_name_is_opened), TEST(no_table_is_kept_for_more_than_a_second))
