/* Thousands of columns: work grows with their number, not with its square. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "query/aggregate/aggregate.h"
#include "support/batches.h"
#include "table/open/table.h"

enum { N_COLUMNS = 2000, N_ASKED = 8000 };

enum { NAME_SIZE = 24, EACH = 7 };

static void name_of(size_t i, char name[NAME_SIZE])
{
    (void)snprintf(name, NAME_SIZE, "c%05zu", i);
}

/* Columns without rows; the last one is called as the one before if `is_twice`. */
static void stream_of_columns(int64_t n, bool is_twice, struct ArrowArrayStream *stream)
{
    batch b = batch_begin(n, 0);
    char name[NAME_SIZE];

    for (int64_t i = 0; i < n; i++) {
        name_of((size_t)(is_twice && i == n - 1 ? i - 1 : i), name);
        batch_integers(&b, i, name, "l", (int64_t[]){0}, NULL);
    }
    stream_of(&b, 1, stream);
}

static hid_t new_file(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    const hid_t file = CHECK_H5(H5Fcreate(check_path("m.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

static stoa_table *make_table(hid_t file)
{
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    stream_of_columns(N_COLUMNS, false, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    return table;
}

typedef struct question {
    stoa_table *table;
    const char *columns;
} question;

static void open_query(void *context)
{
    const question *const q = context;
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_query *query = NULL;

    options.columns = q->columns;
    CHECK_OK(stoa_query_open(q->table, &options, &query, &err), &err);
    stoa_query_close(query);
}

/* One name, many times, and what follows. */
static char *list_of(size_t column, const char *rest)
{
    char *const text = malloc((size_t)N_ASKED * EACH + strlen(rest) + 1);
    char name[NAME_SIZE];

    CHECK(text != NULL);
    name_of(column, name);
    for (size_t i = 0; i < N_ASKED; i++) {
        memcpy(text + i * EACH, name, EACH - 1);
        text[i * EACH + EACH - 1] = ',';
    }
    strcpy(text + (size_t)N_ASKED * EACH, rest);
    return text;
}

static void a_column_is_found_no_later_for_being_the_last(void)
{
    const hid_t file = new_file();
    stoa_table *const table = make_table(file);
    char *const first = list_of(0, "c00000");
    char *const last = list_of(N_COLUMNS - 1, "c00000");
    question of_first = {table, first};
    question of_last = {table, last};

    CHECK(check_cpu_seconds(open_query, &of_last) < 4 * check_cpu_seconds(open_query, &of_first));
    free(first);
    free(last);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void a_dot_in_a_question_is_not_looked_for_behind_every_column(void)
{
    const hid_t file = new_file();
    stoa_table *const table = make_table(file);
    char *const without = list_of(N_COLUMNS - 1, "c00000 + 1");
    char *const with = list_of(N_COLUMNS - 1, "c00000 + 1.5");
    question plain = {table, without};
    question with_dot = {table, with};

    CHECK(check_cpu_seconds(open_query, &with_dot) < 3 * check_cpu_seconds(open_query, &plain));
    free(without);
    free(with);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Two aggregates on each of so many columns. */
static void share(void *context)
{
    const size_t n = *(const size_t *)context;
    stoa_aggregate *const aggregates = calloc(2 * n, sizeof *aggregates);
    stoa_expr *const columns = calloc(n, sizeof *columns);

    CHECK(aggregates != NULL && columns != NULL);
    for (size_t i = 0; i < n; i++) {
        columns[i].op = STOA_OP_COLUMN;
        columns[i].type.domain = STOA_DOMAIN_I64;
        columns[i].column = i;
        aggregates[i].kind = &stoa_aggregate_min;
        aggregates[i].arg = &columns[i];
        aggregates[n + i].kind = &stoa_aggregate_max;
        aggregates[n + i].arg = &columns[i];
    }
    CHECK_OK(stoa_aggregates_share(aggregates, 2 * n, NULL));
    for (size_t i = 0; i < n; i++) {
        CHECK(aggregates[i].holder == &aggregates[n + i]);
        CHECK(aggregates[n + i].has_both);
    }
    free(columns);
    free(aggregates);
}

static void aggregates_look_only_at_those_of_their_column(void)
{
    size_t few = 1000;
    size_t many = 10000;

    CHECK(check_cpu_seconds(share, &many) < 40 * check_cpu_seconds(share, &few));
}

static void write_refused(void *context)
{
    const int64_t n = *(const int64_t *)context;
    const hid_t file = new_file();
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    stream_of_columns(n, true, &stream);
    CHECK_STATUS(STOA_EINVAL, stoa_table_write(file, "/t", &stream, NULL, NULL, &err));
    CHECK_CONTAINS(err.message, "two columns are called");
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(file));
}

static void names_are_not_compared_with_all_others(void)
{
    int64_t few = 2000;
    int64_t many = 20000;

    CHECK(check_cpu_seconds(write_refused, &many) < 30 * check_cpu_seconds(write_refused, &few));
}

TEST_MAIN(TEST(a_column_is_found_no_later_for_being_the_last),
          TEST(a_dot_in_a_question_is_not_looked_for_behind_every_column),
          TEST(aggregates_look_only_at_those_of_their_column),
          TEST(names_are_not_compared_with_all_others))
