/*
 * Tables that stay open and lock their file only while they are used: other processes append to it,
 * change it by HDF5 alone, or replace it, and the next use sees that (docs/crash-safety.md).
 */
#include <stoa/stoa.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/batches.h"
#include "support/check.h"

/* Nobody waits for anybody here. */
static const stoa_file_patience none = {.size = sizeof none, .seconds = 0};

static void make_rows(int64_t first, int64_t n, struct ArrowArrayStream *stream)
{
    int64_t values[64];
    batch b = batch_begin(1, n);

    for (int64_t i = 0; i < n; i++) {
        values[i] = first + i;
    }
    batch_integers(&b, 0, "i", "l", values, NULL);
    stream_of(&b, 1, stream);
}

/* Rows 0 to n - 1 as /t. */
static void make_file(const char *path, int64_t n)
{
    struct ArrowArrayStream stream;
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    make_rows(0, n, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(file));
}

static stoa_table *open_idle(const char *path)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    options.patience = &none;
    CHECK_OK(stoa_table_open_file(path, "/t", &options, &table, &err), &err);
    return table;
}

/* --- the other process ----------------------------------------------------------------------- */

/* Four more rows, in place or on a copy. */
static stoa_status append_rows(const char *path, stoa_file_mode mode, int64_t first)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_table *table = NULL;
    stoa_file *file = NULL;
    stoa_status status = STOA_OK;

    options.patience = &none;
    make_rows(first, 4, &stream);
    STOA_TRY(stoa_file_open_with(path, mode, &options, &file, NULL));
    STOA_TRY(stoa_hep001_open(stoa_file_id(file), "/t", &table, NULL));
    STOA_TRY(stoa_table_append(table, &stream, NULL, NULL, NULL));
    stoa_table_close(table);
    table = NULL;
    stoa_file *const whole = file;
    file = NULL;
    STOA_TRY(stoa_file_commit(whole, NULL));

done:
    stoa_table_close(table);
    stoa_file_close(file);
    stoa_stream_release(&stream);
    return status;
}

/* A program of HDF5 that makes every row another number. */
static int overwrite_by_hdf5(const char *path, int64_t value)
{
    H5E_auto2_t print;
    void *context;
    int64_t rows[64];
    int result = 1;

    (void)H5Eget_auto2(H5E_DEFAULT, &print, &context);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file >= 0) {
        const hid_t dataset = H5Dopen2(file, "/t/i", H5P_DEFAULT);
        for (int i = 0; i < 64; i++) {
            rows[i] = value;
        }
        result = H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) < 0;
        (void)H5Dclose(dataset);
        (void)H5Fclose(file);
    }
    (void)H5Eset_auto2(H5E_DEFAULT, print, context);
    return result;
}

typedef enum deed { APPEND, APPEND_SAFELY, OVERWRITE } deed;

/* What it comes to in a process of its own: 0, done; 1, the file was not to be had. */
static int elsewhere(const char *path, deed what, int64_t number)
{
    int how = -1;

    (void)fflush(stdout); /* or the child may say it again */
    const pid_t child = fork();
    if (child == 0) {
        _exit(what == OVERWRITE
                  ? overwrite_by_hdf5(path, number)
                  : append_rows(path, what == APPEND ? STOA_FILE_EDIT : STOA_FILE_SAFE, number) !=
                        STOA_OK);
    }
    CHECK(waitpid(child, &how, 0) == child);
    CHECK(WIFEXITED(how));
    return WEXITSTATUS(how);
}

/* --- this one -------------------------------------------------------------------------------- */

static stoa_query *open_query(stoa_table *table)
{
    static const char *const asked = "count(), sum(i)";
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_query *query = NULL;

    options.aggregates = asked;
    CHECK_OK(stoa_query_open(table, &options, &query, &err), &err);
    return query;
}

/* "count sum" of the rows, by a query. */
static const char *ask(stoa_table *table)
{
    static char text[64];
    stoa_query *query = open_query(table);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    CHECK_I64(stream.get_schema(&stream, &schema), 0);
    CHECK_I64(stream.get_next(&stream, &array), 0);
    CHECK_I64(array.length, 1);
    (void)snprintf(text, sizeof text, "%lld %lld",
                   (long long)((const int64_t *)array.children[0]->buffers[1])[0],
                   (long long)((const int64_t *)array.children[1]->buffers[1])[0]);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return text;
}

static void a_query_sees_what_was_appended_since_the_last_one(void)
{
    const char *path = check_path("a.h5");

    make_file(path, 4);
    stoa_table *table = open_idle(path);
    CHECK_STR(ask(table), "4 6");
    CHECK_STR(ask(table), "4 6");
    for (int64_t k = 1; k < 6; k++) {
        char expected[64];
        CHECK_I64(elsewhere(path, k % 2 == 0 ? APPEND_SAFELY : APPEND, k * 4), 0);
        const int64_t n = k * 4 + 4;
        (void)snprintf(expected, sizeof expected, "%lld %lld", (long long)n,
                       (long long)(n * (n - 1) / 2));
        CHECK_STR(ask(table), expected);
        CHECK_U64(stoa_table_n_rows(table), (uint64_t)n);
    }
    stoa_table_close(table);
}

static void a_program_of_hdf5_writes_while_a_table_is_idle_and_the_next_query_sees_it(void)
{
    const char *path = check_path("a.h5");

    make_file(path, 4);
    stoa_table *table = open_idle(path);
    CHECK_STR(ask(table), "4 6");
    CHECK_I64(elsewhere(path, OVERWRITE, 100), 0);
    CHECK_STR(ask(table), "4 400");
    CHECK_I64(elsewhere(path, OVERWRITE, 7), 0);
    CHECK_STR(ask(table), "4 28");
    stoa_table_close(table);
}

static void an_open_query_keeps_writers_away_until_it_is_closed(void)
{
    const char *path = check_path("a.h5");

    make_file(path, 4);
    stoa_table *table = open_idle(path);
    stoa_query *query = open_query(table);
    CHECK_I64(elsewhere(path, OVERWRITE, 100), 1);
    CHECK_I64(elsewhere(path, APPEND, 4), 1);
    CHECK_I64(elsewhere(path, APPEND_SAFELY, 4), 0); /* which waits for no reader */
    stoa_query_close(query);
    CHECK_STR(ask(table), "8 28");
    CHECK_I64(elsewhere(path, OVERWRITE, 100), 0);
    stoa_table_close(table);
}

static void a_column_from_before_a_change_is_refused_not_read(void)
{
    const char *path = check_path("a.h5");
    struct ArrowArray rows;
    stoa_error err = STOA_ERROR_INIT;
    bool changed = true;

    make_file(path, 4);
    stoa_table *table = open_idle(path);
    stoa_column *column = stoa_table_column(table, 0);
    CHECK_OK(stoa_column_read(column, 0, 4, &rows, &err), &err);
    stoa_array_release(&rows);
    CHECK_I64(elsewhere(path, OVERWRITE, 100), 0);
    CHECK_STATUS(STOA_EIO, stoa_column_read(column, 0, 4, &rows, &err), &err);
    CHECK_CONTAINS(err.message, "stoa_table_use()");
    err = (stoa_error)STOA_ERROR_INIT;

    CHECK_OK(stoa_table_use(table, &changed, &err), &err);
    CHECK(changed);
    column = stoa_table_column(table, 0);
    CHECK_OK(stoa_column_read(column, 0, 4, &rows, &err), &err);
    CHECK_I64(((const int64_t *)rows.buffers[1])[3], 100);
    stoa_array_release(&rows);
    CHECK_I64(elsewhere(path, OVERWRITE, 1), 1); /* it is in use */
    CHECK_OK(stoa_table_use(table, &changed, &err), &err);
    CHECK(!changed);
    stoa_table_release(table);
    CHECK_I64(elsewhere(path, OVERWRITE, 1), 1);
    stoa_table_release(table);
    CHECK_I64(elsewhere(path, OVERWRITE, 1), 0);
    stoa_table_close(table);
}

static void a_table_that_was_gone_for_a_while_is_found_again(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;

    make_file(path, 4);
    stoa_table *table = open_idle(path);
    CHECK_I64(unlink(path), 0);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_table_use(table, NULL, &err), &err);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ENOTFOUND, stoa_table_use(table, NULL, &err), &err);
    CHECK_U64(stoa_table_n_columns(table), 0);
    make_file(path, 6);
    CHECK_STR(ask(table), "6 15");

    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Fclose(file));
    for (int i = 0; i < 2; i++) { /* the file, but no table in it */
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_STATUS(STOA_ENOTFOUND, stoa_table_use(table, NULL, &err), &err);
    }
    make_file(path, 3);
    CHECK_STR(ask(table), "3 3");
    stoa_table_close(table);
}

/* What goes past the calls of Stoa is not read from a file that others may have changed. */
static void nothing_is_read_of_a_file_at_rest(void)
{
    const char *path = check_path("a.h5");
    int64_t rows[4];

    make_file(path, 4);
    stoa_table *table = open_idle(path);
    H5E_BEGIN_TRY
    {
        const hid_t dataset = H5Dopen2(stoa_table_id(table), "i", H5P_DEFAULT);
        CHECK(dataset < 0 ||
              H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) < 0);
        (void)(dataset >= 0 && H5Dclose(dataset) >= 0);
    }
    H5E_END_TRY
    CHECK_STR(ask(table), "4 6");
    stoa_table_close(table);
}

TEST_MAIN(TEST(a_query_sees_what_was_appended_since_the_last_one),
          TEST(a_program_of_hdf5_writes_while_a_table_is_idle_and_the_next_query_sees_it),
          TEST(an_open_query_keeps_writers_away_until_it_is_closed),
          TEST(a_column_from_before_a_change_is_refused_not_read),
          TEST(a_table_that_was_gone_for_a_while_is_found_again),
          TEST(nothing_is_read_of_a_file_at_rest))
