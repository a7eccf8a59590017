/* Which rows are shown, and their values: src/cli/view/picks.c, rows.c, cells.c. What is expected
 * is computed from the arrays that were written. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/view/cells.h"
#include "cli/view/rows.h"
#include "support/check.h"
#include "support/memory_file.h"

enum { N = 200000 };

static int32_t values[N];
static hid_t file;

/* A dataset of N numbers in no order, and one of 4 x 3. */
static stoa_table *open_table(const char *path)
{
    const hsize_t extent = N;
    const hsize_t small[] = {4, 3};
    const double grid[] = {0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    for (int32_t i = 0; i < N; i++) {
        values[i] = (int32_t)((int64_t)i * 7919 % 10007);
    }
    file = memory_file("rows.h5", false);
    hid_t space = CHECK_H5(H5Screate_simple(1, &extent, NULL));
    hid_t dataset = CHECK_H5(
        H5Dcreate2(file, "x", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    space = CHECK_H5(H5Screate_simple(2, small, NULL));
    dataset = CHECK_H5(
        H5Dcreate2(file, "grid", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, grid));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_OK(stoa_table_open(file, path, &table, &err), &err);
    return table;
}

static void close_table(stoa_table *table)
{
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void picks_know_their_places(void)
{
    const uint64_t rows[] = {0, 1, 63, 64, 65535, 65536, 300000, 300001, 5000000000};
    cli_picks picks = {.n = 0};

    CHECK_U64(cli_picks_before(&picks, 7), 0);
    CHECK(!cli_picks_has(&picks, 0));
    for (size_t i = 0; i < 9; i++) {
        cli_picks_add(&picks, rows[i]);
    }
    for (size_t i = 0; i < 9; i++) {
        CHECK_U64(cli_picks_at(&picks, i), rows[i]);
        CHECK_U64(cli_picks_before(&picks, rows[i]), i);
        CHECK_U64(cli_picks_before(&picks, rows[i] + 1), i + 1);
        CHECK(cli_picks_has(&picks, rows[i]));
        CHECK(!cli_picks_has(&picks, rows[i] + 2));
    }
    CHECK_U64(cli_picks_before(&picks, 100000), 6);
    CHECK_U64(cli_picks_before(&picks, UINT64_MAX), 9);
    cli_picks_clear(&picks);
}

static void a_filter_finds_rows_step_by_step(void)
{
    stoa_table *const table = open_table("/x");
    cli_rows rows = {.table = table};
    stoa_error err = STOA_ERROR_INIT;
    size_t n_steps = 0;

    CHECK_U64(cli_rows_count(&rows), N);
    CHECK(!cli_rows_is_searching(&rows));
    CHECK_OK(cli_rows_filter(&rows, "x < 100", &err), &err);
    CHECK_U64(cli_rows_count(&rows), 0);
    for (; cli_rows_is_searching(&rows); n_steps++) {
        CHECK_OK(cli_rows_step(&rows, NULL, &err), &err);
    }
    CHECK(n_steps > 1);
    uint64_t n = 0;
    for (uint64_t i = 0; i < N; i++) {
        if (values[i] < 100) {
            CHECK_U64(cli_rows_at(&rows, n), i);
            CHECK_U64(cli_rows_find(&rows, i), n++);
        } else if (i % 1000 == 0) {
            CHECK_U64(cli_rows_find(&rows, i), n); /* the next one that passes */
        }
    }
    CHECK_U64(cli_rows_count(&rows), n);
    CHECK_STATUS(STOA_ENOTFOUND, cli_rows_filter(&rows, "y > 1", &err));
    CHECK_CONTAINS(err.message, "column 'y'");
    CHECK_STR(rows.where, "x < 100"); /* a mistake changes nothing */
    CHECK_U64(cli_rows_count(&rows), n);
    CHECK_OK(cli_rows_filter(&rows, "  ", &err), &err);
    CHECK_U64(cli_rows_count(&rows), N);
    cli_rows_clear(&rows);
    close_table(table);
}

static bool refuse(void *context, const stoa_progress *progress)
{
    (void)progress;
    ++*(int *)context;
    return false;
}

static void a_key_ends_jobs_and_loses_nothing(void)
{
    stoa_table *const table = open_table("/x");
    cli_rows rows = {.table = table};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t position = 0;
    int n_calls = 0;
    const stoa_listener listener = {refuse, &n_calls};

    CHECK_OK(cli_rows_filter(&rows, "x < 100", &err), &err);
    const uint64_t step = rows.step;
    CHECK_OK(cli_rows_step(&rows, &listener, &err), &err);
    CHECK(n_calls > 0);
    CHECK_U64(rows.n_scanned, 0);
    CHECK(rows.step < step);
    CHECK_STATUS(STOA_ECANCELLED, cli_rows_sort(&rows, "x", &listener, &err));
    CHECK(rows.sort == NULL);
    CHECK_OK(cli_rows_filter(&rows, NULL, &err), &err);
    CHECK_STATUS(STOA_ECANCELLED,
                 cli_rows_search(&rows, "x = -1", 0, false, &listener, &position, &err));
    CHECK_U64(position, UINT64_MAX);
    cli_rows_clear(&rows);
    close_table(table);
}

static void sorted_rows_are_in_order(void)
{
    stoa_table *const table = open_table("/x");
    cli_rows rows = {.table = table};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t position = 0;

    CHECK_OK(cli_rows_filter(&rows, "x % 2 = 0", &err), &err);
    CHECK_OK(cli_rows_sort(&rows, "x:desc", NULL, &err), &err);
    CHECK(!cli_rows_is_searching(&rows)); /* the order has all that pass */
    const uint64_t n = cli_rows_count(&rows);
    uint64_t n_even = 0;
    for (size_t i = 0; i < N; i++) {
        n_even += values[i] % 2 == 0;
    }
    CHECK_U64(n, n_even);
    for (uint64_t i = 1; i < n; i++) {
        CHECK(values[cli_rows_at(&rows, i)] <= values[cli_rows_at(&rows, i - 1)]);
    }
    CHECK_U64(cli_rows_find(&rows, cli_rows_at(&rows, 77)), 77);
    CHECK_OK(cli_rows_search(&rows, "x = 5000", 0, false, NULL, &position, &err), &err);
    CHECK_I64(values[cli_rows_at(&rows, position)], 5000);
    CHECK(values[cli_rows_at(&rows, position - 1)] > 5000);
    CHECK_OK(cli_rows_search(&rows, "x = 5000", 0, true, NULL, &position, &err), &err);
    CHECK(values[cli_rows_at(&rows, position + 1)] < 5000); /* round the end */
    CHECK_OK(cli_rows_search(&rows, "x = 5001", 0, true, NULL, &position, &err), &err);
    CHECK_U64(position, UINT64_MAX);
    CHECK_OK(cli_rows_sort(&rows, NULL, NULL, &err), &err);
    CHECK(cli_rows_is_searching(&rows));
    cli_rows_clear(&rows);
    close_table(table);
}

/* The next row with a value, from `from` on, round the end. */
static uint64_t next_row(uint64_t from, bool is_backward, int32_t value)
{
    for (uint64_t i = 1; i <= N; i++) {
        const uint64_t at = (from + (is_backward ? N - i : i)) % N;
        if (values[at] == value) {
            return at;
        }
    }
    return UINT64_MAX;
}

static void a_search_goes_both_ways_and_round_the_end(void)
{
    stoa_table *const table = open_table("/x");
    cli_rows rows = {.table = table};
    stoa_error err = STOA_ERROR_INIT;
    const uint64_t from[] = {0, 1, 100000, N - 1};

    for (size_t i = 0; i < 4; i++) {
        for (int backward = 0; backward < 2; backward++) {
            uint64_t position = 0;
            CHECK_OK(cli_rows_search(&rows, "x = 1234", from[i], backward, NULL, &position, &err),
                     &err);
            CHECK_U64(position, next_row(from[i], backward, 1234));
        }
    }
    uint64_t position = 0;
    CHECK_OK(cli_rows_filter(&rows, "x < 2000", &err), &err);
    CHECK_OK(cli_rows_step(&rows, NULL, &err), &err);
    CHECK_OK(cli_rows_search(&rows, "x = 1234", 0, true, NULL, &position, &err), &err);
    CHECK_U64(cli_rows_at(&rows, position), next_row(0, true, 1234)); /* the last one */
    CHECK_STATUS(STOA_ENOTFOUND, cli_rows_search(&rows, "z", 0, true, NULL, &position, &err));
    cli_rows_clear(&rows);
    close_table(table);
}

static bool never(void)
{
    return false;
}

static bool always(void)
{
    return true;
}

static void only_what_comes_into_sight_is_read(void)
{
    const uint64_t window[] = {5, 6, 7, 199999};
    const uint64_t moved[] = {6, 7, 8, 199998};
    stoa_table *const table = open_table("/x");
    cli_columns columns = {.all = NULL};
    cli_cells cells = {.rows = NULL};
    stoa_error err = STOA_ERROR_INIT;
    char *text = NULL;
    char expected[16];

    CHECK_OK(cli_columns_load(&columns, table, &err), &err);
    CHECK(cli_cells_load(&cells, &columns, 0, 1, window, 4, never));
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(expected, sizeof expected, "%d", values[window[i]]);
        CHECK_STR(cli_cells_at(&cells, i, 0), expected);
    }
    CHECK(!cli_cells_load(&cells, &columns, 0, 1, moved, 4, always));
    (void)snprintf(expected, sizeof expected, "%d", values[6]);
    CHECK_STR(cli_cells_at(&cells, 0, 0), expected); /* was there before */
    CHECK_STR(cli_cells_at(&cells, 2, 0), "");
    CHECK_STR(cli_cells_at(&cells, 9, 9), "");
    CHECK_STR(columns.all[0].type, "int32");
    CHECK_OK(cli_cells_whole(&columns.all[0], 6, &text, &err), &err);
    CHECK_STR(text, expected);
    free(text);
    CHECK_STATUS(STOA_ERANGE, cli_cells_whole(&columns.all[0], N, &text, &err));
    cli_cells_clear(&cells);
    cli_columns_clear(&columns);
    close_table(table);
}

static void arrays_are_shown_as_grids(void)
{
    const uint64_t window[] = {3, 0};
    stoa_table *const table = open_table("/grid");
    cli_columns columns = {.all = NULL};
    cli_cells cells = {.rows = NULL};
    stoa_error err = STOA_ERROR_INIT;
    char *text = NULL;

    CHECK_OK(cli_columns_load(&columns, table, &err), &err);
    CHECK_U64(columns.n, 3);
    CHECK_STR(columns.all[2].name, "2");
    CHECK(cli_cells_load(&cells, &columns, 0, 3, window, 2, never));
    CHECK_STR(cli_cells_at(&cells, 0, 2), "11.0");
    CHECK_STR(cli_cells_at(&cells, 1, 0), "0.5");
    CHECK_OK(cli_cells_whole(&columns.all[1], 2, &text, &err), &err);
    CHECK_STR(text, "7.0");
    free(text);
    cli_cells_clear(&cells);
    cli_columns_clear(&columns);
    close_table(table);
}

TEST_MAIN(TEST(picks_know_their_places), TEST(a_filter_finds_rows_step_by_step),
          TEST(a_key_ends_jobs_and_loses_nothing), TEST(sorted_rows_are_in_order),
          TEST(a_search_goes_both_ways_and_round_the_end), TEST(only_what_comes_into_sight_is_read),
          TEST(arrays_are_shown_as_grids))
