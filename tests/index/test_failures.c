/*
 * Every kind of index when something fails: memory at any allocation, the user at any question, the
 * temporary directory. What is left is a whole index, or none, or one that the next try removes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "one_column.h"
#include "support/sweep.h"

static const char *const kinds[] = {"minmax", "sorted", "bitmap", "bloom"};
enum { N_KINDS = sizeof kinds / sizeof kinds[0], N_ROWS = 12 };

static one_column made;

static void make_numbers(uint64_t n_rows)
{
    static const double fill = -9.0;
    static const double rows[N_ROWS] = {5, -9, 2, -0.0, 8, 2, -9, 1, 0.0, 5, 7, 3};

    made = one_column_make(&(one_column_spec){.file_type = H5T_IEEE_F64BE,
                                              .mem_type = H5T_NATIVE_DOUBLE,
                                              .fill = &fill,
                                              .values = rows,
                                              .extent = N_ROWS,
                                              .n_rows = n_rows,
                                              .chunk_rows = 4});
}

static void make_strings(uint64_t n_rows)
{
    static const char *const fill = "";
    static const char *const rows[N_ROWS] = {"owl",   "", "heron", "wren", "owl", "a",
                                             "heron", "", "b",     "c",    "d",   "wren"};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    made = one_column_make(&(one_column_spec){.file_type = text,
                                              .fill = &fill,
                                              .values = rows,
                                              .extent = N_ROWS,
                                              .n_rows = n_rows,
                                              .chunk_rows = 4});
    CHECK_H5(H5Tclose(text));
}

static void (*const columns[])(uint64_t n_rows) = {make_numbers, make_strings};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static bool has_list(void)
{
    return H5Aexists(made.column->dataset, "SEARCH_INDEX_LIST") > 0;
}

/* Links in SEARCH_INDEXES. */
static uint64_t n_links(void)
{
    H5G_info_t info = {.nlinks = 0};

    if (CHECK_H5(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT)) > 0) {
        CHECK_H5(H5Gget_info_by_name(made.group, "SEARCH_INDEXES", &info, H5P_DEFAULT));
        CHECK(info.nlinks > 0); /* the group goes with its last dataset */
    }
    return info.nlinks;
}

/* An index that describes its column, with its company and nothing else; or nothing at all. */
static void check_whole_or_gone(const char *kind, uint64_t n_whole)
{
    stoa_error err = STOA_ERROR_INIT;
    bool same = false;

    CHECK_U64(n_links(), has_list() ? n_whole : 0);
    if (has_list()) {
        CHECK_OK(stoa_index_verify(made.table, "x", kind, &same, &err), &err);
        CHECK(same);
    }
}

/* What one kind is done to. */
typedef stoa_status (*deed)(const char *kind, stoa_error *err);

static stoa_status add(const char *kind, stoa_error *err)
{
    return stoa_index_add(made.table, "x", kind, NULL, err);
}

static stoa_status drop(const char *kind, stoa_error *err)
{
    return stoa_index_drop(made.table, "x", kind, err);
}

static stoa_status append(const char *kind, stoa_error *err)
{
    (void)kind;
    return stoa_index_extend_all(made.group, made.column, 7, N_ROWS, err);
}

static stoa_status truncate(const char *kind, stoa_error *err)
{
    (void)kind;
    return stoa_index_extend_all(made.group, made.column, N_ROWS, 5, err);
}

static stoa_status rebuild(const char *kind, stoa_error *err)
{
    (void)kind;
    return stoa_index_rebuild_all(made.group, made.column, N_ROWS, err);
}

static stoa_status verify(const char *kind, stoa_error *err)
{
    bool same = false;
    const stoa_status status = stoa_index_verify(made.table, "x", kind, &same, err);

    CHECK(status != STOA_OK || same);
    return status;
}

/* Whether no allocation has failed of those that the fuse was set for; takes it out. */
static bool all_allocated(uint64_t n)
{
    bool has_failed = true;

    for (uint64_t i = 0; i <= n && has_failed; i++) {
        void *block = stoa_alloc(1, 1);
        has_failed = block != NULL;
        free(block);
    }
    stoa_memory_fail_after(UINT64_MAX);
    return !has_failed;
}

/* A table with an index (unless it is to be added), then the deed with its n-th allocation failing.
 * Returns whether none failed. */
static bool try(deed what, const char *kind, size_t column, uint64_t n)
{
    const uint64_t n_before = what == append ? 7 : N_ROWS;
    const uint64_t n_after = what == truncate ? 5 : N_ROWS;
    stoa_error err = STOA_ERROR_INIT;

    columns[column](n_before);
    CHECK_OK(add(kind, &err), &err);
    const uint64_t n_whole = n_links();
    if (what == add) {
        CHECK_OK(drop(kind, &err), &err);
    }
    one_column_reopen(&made, n_after);
    stoa_memory_fail_after(n);
    const stoa_status status = what(kind, &err);
    const bool all = all_allocated(n);
    CHECK(status == STOA_OK || (status == STOA_ENOMEM && err.status == STOA_ENOMEM));
    CHECK(status == STOA_OK || !all);
    if (status != STOA_OK && (what == append || what == truncate || what == rebuild)) {
        /* It may be half done: whoever called takes the rows back, and the indexes with them. */
        CHECK_OK(stoa_index_rebuild_all(made.group, made.column, n_after, &err), &err);
    }
    check_whole_or_gone(kind, n_whole);
    if (has_list()) {
        CHECK_OK(drop(kind, &err), &err);
    }
    CHECK_U64(n_links(), 0);
    one_column_free(&made);
    return all;
}

static void sweep(deed what)
{
    for (size_t k = 0; k < N_KINDS; k++) {
        for (size_t column = 0; column < N_COLUMNS; column++) {
            uint64_t n = 0;
            while (!try(what, kinds[k], column, n)) {
                n++;
                CHECK(n < 2000);
            }
            CHECK(n > 3);
        }
    }
}

static void an_index_is_added_whole_or_memory_ran_out(void)
{
    sweep(add);
}

static void an_index_is_dropped_whole_or_memory_ran_out(void)
{
    sweep(drop);
}

static void an_index_is_verified_or_memory_ran_out(void)
{
    sweep(verify);
}

static void an_index_follows_an_append_or_goes(void)
{
    sweep(append);
}

static void an_index_follows_a_truncation_or_goes(void)
{
    sweep(truncate);
}

static void an_index_is_built_again_or_goes(void)
{
    sweep(rebuild);
}

static bool stop(void *context, const stoa_progress *progress)
{
    (void)progress;
    return --*(int *)context > 0;
}

static void a_build_stops_at_every_question(void)
{
    for (size_t k = 0; k < N_KINDS; k++) {
        stoa_status status = STOA_ECANCELLED;
        int allowed = 0;

        make_numbers(N_ROWS);
        while (status == STOA_ECANCELLED) {
            int left = ++allowed;
            stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
            options.listener = (stoa_listener){stop, &left};
            status = stoa_index_add(made.table, "x", kinds[k], &options, NULL);
            if (status == STOA_ECANCELLED) {
                CHECK(!has_list());
                CHECK_U64(n_links(), 0);
            }
            CHECK(allowed < 100);
        }
        CHECK_OK(status);
        CHECK(allowed > 1);
        one_column_free(&made);
    }
}

/* And says the same of the index as one that nobody listens to. */
static void verifying_stops_at_every_question(void)
{
    for (size_t k = 0; k < N_KINDS; k++) {
        stoa_status status = STOA_ECANCELLED;
        int allowed = 0;
        bool same = false;

        make_numbers(N_ROWS);
        CHECK_OK(stoa_index_add(made.table, "x", kinds[k], NULL, NULL));
        while (status == STOA_ECANCELLED) {
            int left = ++allowed;
            stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
            options.listener = (stoa_listener){stop, &left};
            status = stoa_index_verify_with(made.table, "x", kinds[k], &options, &same, NULL);
            CHECK(allowed < 100);
        }
        CHECK_OK(status);
        CHECK(same);
        CHECK(allowed > 1);
        one_column_free(&made);
    }
}

/* So many rows that a sort in the least memory needs its temporary file. */
static void without_a_temporary_directory_nothing_is_left(void)
{
    enum { MANY = 20000 };
    static int32_t rows[MANY];
    static const int32_t fill = -1;
    const char *const before = getenv("TMPDIR");
    char *const kept = before != NULL ? strdup(before) : NULL;
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    for (int32_t i = 0; i < MANY; i++) {
        rows[i] = i * 7919 % MANY;
    }
    made = one_column_make(&(one_column_spec){.file_type = H5T_NATIVE_INT32,
                                              .fill = &fill,
                                              .values = rows,
                                              .extent = MANY,
                                              .n_rows = MANY,
                                              .chunk_rows = 1000});
    options.memory = 1;
    CHECK(setenv("TMPDIR", "/nowhere/at/all", 1) == 0);
    CHECK(stoa_index_add(made.table, "x", "sorted", &options, &err) != STOA_OK);
    CHECK_CONTAINS(err.message, "/nowhere/at/all");
    CHECK_CONTAINS(err.message, "TMPDIR");
    CHECK(!has_list());
    CHECK_U64(n_links(), 0);
    CHECK((kept != NULL ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR")) == 0);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_OK(stoa_index_add(made.table, "x", "sorted", &options, &err), &err);
    CHECK_OK(verify("sorted", &err), &err);
    one_column_free(&made);
    free(kept);
}

TEST_MAIN(TEST(an_index_is_added_whole_or_memory_ran_out),
          TEST(an_index_is_dropped_whole_or_memory_ran_out),
          TEST(an_index_is_verified_or_memory_ran_out), TEST(an_index_follows_an_append_or_goes),
          TEST(an_index_follows_a_truncation_or_goes), TEST(an_index_is_built_again_or_goes),
          TEST(a_build_stops_at_every_question), TEST(verifying_stops_at_every_question),
          TEST(without_a_temporary_directory_nothing_is_left))
