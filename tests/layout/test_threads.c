/*
 * Eight threads, each with files and handles of its own (stoa/hdf5_lock.h), whatever libhdf5 is
 * linked. What libhdf5 says of a failure is said in the thread that it happened in.
 */
#include <pthread.h>
#include <stdio.h>
#include <stoa/stoa.h>
#include <string.h>

#include "support/check.h"

enum { N_THREADS = 8, N_ROWS = 3000, N_POINTS = 500 };

typedef struct worker {
    unsigned number;
    hid_t type; /* doubles: the macro of libhdf5 calls it */
    char text[256];
    char file[256];
    char arrays[256];
    char other[256];
    stoa_file *open; /* NULL: none */
    stoa_table *table;
    stoa_error err;
    char why[2048]; /* "": all is well */
} worker;

#define DO(w, call)                                                                                \
    do {                                                                                           \
        if ((call) != STOA_OK) {                                                                   \
            (void)snprintf((w)->why, sizeof(w)->why, "%.80s: %s: %s", #call, (w)->err.where,       \
                           (w)->err.message);                                                      \
            return;                                                                                \
        }                                                                                          \
    } while (0)
#define SEE(w, holds)                                                                              \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            (void)snprintf((w)->why, sizeof(w)->why, "not so: %s", #holds);                        \
            return;                                                                                \
        }                                                                                          \
    } while (0)

static void open_table(worker *w, const char *name, stoa_file_mode mode)
{
    DO(w, stoa_file_open(name, mode, &w->open, &w->err));
    DO(w, stoa_table_open(stoa_file_id(w->open), "/t", &w->table, &w->err));
}

static void commit(worker *w)
{
    stoa_table_close(w->table);
    w->table = NULL;
    stoa_file *const file = w->open;
    w->open = NULL;
    DO(w, stoa_file_commit(file, &w->err));
}

static void close_all(worker *w)
{
    stoa_table_close(w->table);
    stoa_file_close(w->open);
    w->table = NULL;
    w->open = NULL;
}

static void import(worker *w)
{
    stoa_csv *csv = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    uint64_t n = 0;

    DO(w, stoa_csv_open(w->text, NULL, &csv, &w->err));
    DO(w, stoa_csv_stream(csv, &stream, &w->err));
    DO(w, stoa_file_open(w->file, STOA_FILE_CREATE, &w->open, &w->err));
    DO(w, stoa_table_write(stoa_file_id(w->open), "/t", &stream, NULL, &n, &w->err));
    stream.release(&stream);
    stoa_csv_close(csv);
    SEE(w, n == N_ROWS);
    commit(w);
}

static void count(worker *w, const char *where, int64_t expected)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    int64_t n = 0;

    options.where = where;
    DO(w, stoa_query_open(w->table, &options, &query, &w->err));
    DO(w, stoa_query_run(query, &stream, &w->err));
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
        n += batch.length;
        batch.release(&batch);
    }
    stream.release(&stream);
    stoa_query_close(query);
    SEE(w, n == expected);
}

static void ask(worker *w)
{
    char where[64];

    open_table(w, w->file, STOA_FILE_READ);
    (void)snprintf(where, sizeof where, "a >= %u and b = 'x'", w->number * 100);
    count(w, where, (N_ROWS - (int64_t)w->number * 100) / 2);
    close_all(w);
}

static void edit(worker *w)
{
    const stoa_assignment assignment = {"c", "c + 1"};
    uint64_t n = 0;

    open_table(w, w->file, STOA_FILE_EDIT);
    DO(w, stoa_index_add(w->table, "a", "minmax", NULL, &w->err));
    DO(w, stoa_table_update(w->table, "a < 10", &assignment, 1, NULL, &n, &w->err));
    SEE(w, n == 10);
    commit(w);
    open_table(w, w->file, STOA_FILE_READ);
    count(w, "c = a / 2 + 1", 10);
    DO(w, stoa_check(stoa_file_id(w->open), "/t", NULL, NULL, NULL, &n, NULL, &w->err));
    SEE(w, n == 0);
    close_all(w);
}

static void convert(worker *w)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_file *to = NULL;
    uint64_t n = 0;

    options.layout = "pytables";
    open_table(w, w->file, STOA_FILE_READ);
    DO(w, stoa_file_open(w->other, STOA_FILE_CREATE, &to, &w->err));
    DO(w, stoa_layout_write_table(w->table, stoa_file_id(to), "/t", &options, &n, &w->err));
    DO(w, stoa_file_commit(to, &w->err));
    SEE(w, n == N_ROWS);
    close_all(w);
    open_table(w, w->other, STOA_FILE_READ);
    count(w, "a > 2989", 10);
    close_all(w);
}

static void use_arrays(worker *w)
{
    const uint64_t extent[] = {1000, 1000};
    static uint64_t places[N_THREADS][N_POINTS][2];
    static double values[N_THREADS][N_POINTS];
    uint64_t(*const at)[2] = places[w->number];
    double *const v = values[w->number];
    stoa_sparse *array = NULL;
    stoa_sparse_points points = {0};

    for (uint64_t i = 0; i < N_POINTS; i++) {
        at[i][0] = i;
        at[i][1] = (i * 7 + w->number) % 1000;
        v[i] = (double)i + w->number;
    }
    DO(w, stoa_sparse_file_open(w->arrays, STOA_FILE_CREATE, &w->open, &w->err));
    DO(w, stoa_sparse_create(stoa_file_id(w->open), "/m", w->type, 2, extent, NULL, NULL, &array,
                             &w->err));
    DO(w, stoa_sparse_write(array, N_POINTS, &at[0][0], v, w->type, &w->err));
    DO(w, stoa_sparse_read(array, NULL, NULL, w->type, &points, &w->err));
    SEE(w, points.n == N_POINTS && memcmp(points.coordinates, at, sizeof places[0]) == 0 &&
               memcmp(points.values, v, sizeof values[0]) == 0);
    stoa_sparse_points_clear(&points);
    DO(w, stoa_sparse_commit(array, &w->err));
    commit(w);
}

/* The message is of this thread's call, and of nobody else's. */
static void fail(worker *w)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/t/nowhere%u", w->number);
    DO(w, stoa_file_open(w->file, STOA_FILE_READ, &w->open, &w->err));
    for (int i = 0; i < 20; i++) {
        stoa_error err = STOA_ERROR_INIT;
        const stoa_status status = stoa_table_open(stoa_file_id(w->open), path, &w->table, &err);
        SEE(w, status == STOA_ENOTFOUND && strstr(err.where, path) != NULL);
    }
    close_all(w);
}

static void *work(void *context)
{
    static void (*const parts[])(worker *) = {import, ask, edit, convert, use_arrays, fail, ask};
    worker *const w = context;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && w->why[0] == '\0'; i++) {
        parts[i](w);
    }
    return NULL;
}

static void write_text(const char *name)
{
    FILE *const out = fopen(name, "w");

    CHECK(out != NULL && fputs("a,b,c\n", out) >= 0);
    for (int i = 0; i < N_ROWS; i++) {
        CHECK(fprintf(out, "%d,%s,%.1f\n", i, i % 2 == 0 ? "x" : "y", i / 2.0) > 0);
    }
    CHECK(fclose(out) == 0);
}

static void threads_with_files_of_their_own_work_side_by_side(void)
{
    static worker workers[N_THREADS];
    pthread_t threads[N_THREADS];
    char name[32];

    for (unsigned i = 0; i < N_THREADS; i++) {
        worker *const w = &workers[i];
        *w = (worker){.number = i, .type = H5T_NATIVE_DOUBLE, .err = STOA_ERROR_INIT};
        (void)snprintf(name, sizeof name, "%u.csv", i);
        (void)snprintf(w->text, sizeof w->text, "%s", check_path(name));
        write_text(w->text);
        (void)snprintf(name, sizeof name, "%u.h5", i);
        (void)snprintf(w->file, sizeof w->file, "%s", check_path(name));
        (void)snprintf(name, sizeof name, "arrays%u.h5", i);
        (void)snprintf(w->arrays, sizeof w->arrays, "%s", check_path(name));
        (void)snprintf(name, sizeof name, "other%u.h5", i);
        (void)snprintf(w->other, sizeof w->other, "%s", check_path(name));
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        CHECK_STR(workers[i].why, "");
    }
}

TEST_MAIN(TEST(threads_with_files_of_their_own_work_side_by_side))
