/*
 * Two threads of a program, each with a handle of its own and one worker, against one:
 *
 *     bench_threads FILE PATH COLUMN
 *
 * Each asks for the sum of COLUMN over the rows where it is above a constant, which varies. One
 * thread and two take turns, a second each, ten times. The last line on stdout is how many times as
 * many questions two threads have answered.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <stoa/stoa.h>

enum { N_TURNS = 10 };

typedef struct asker {
    const char *file;
    const char *path;
    const char *column;
    stoa_file *open;
    stoa_table *table;
    double until;
    unsigned n;
} asker;

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fail(const char *what, const stoa_error *err)
{
    fprintf(stderr, "bench_threads: %s: %s\n", what, err->message);
    exit(EXIT_FAILURE);
}

static void open_table(asker *a)
{
    stoa_error err = STOA_ERROR_INIT;

    if (stoa_file_open(a->file, STOA_FILE_READ, &a->open, &err) != STOA_OK ||
        stoa_table_open(stoa_file_id(a->open), a->path, &a->table, &err) != STOA_OK) {
        fail(a->file, &err);
    }
}

static void ask(asker *a)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;
    char where[128];
    char sum[128];

    (void)snprintf(where, sizeof where, "%.80s > %u", a->column, a->n % 100);
    (void)snprintf(sum, sizeof sum, "sum(%.80s)", a->column);
    options.where = where;
    options.aggregates = sum;
    options.threads = 1;
    if (stoa_query_open(a->table, &options, &query, &err) != STOA_OK ||
        stoa_query_run(query, &stream, &err) != STOA_OK) {
        fail(where, &err);
    }
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
        batch.release(&batch);
    }
    stream.release(&stream);
    stoa_query_close(query);
    a->n++;
}

static void *work(void *context)
{
    asker *const a = context;

    while (now() < a->until) {
        ask(a);
    }
    return NULL;
}

/* How many questions so many threads answer in a second. */
static unsigned run(asker *askers, unsigned n)
{
    pthread_t threads[2];
    unsigned before = askers[0].n + askers[1].n;
    const double until = now() + 1;

    for (unsigned i = 0; i < n; i++) {
        askers[i].until = until;
        if (pthread_create(&threads[i], NULL, work, &askers[i]) != 0) {
            exit(EXIT_FAILURE);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    return askers[0].n + askers[1].n - before;
}

int main(int argc, char **argv)
{
    asker askers[2] = {{.n = 0}};
    unsigned n[2] = {0, 0};

    if (argc != 4) {
        fprintf(stderr, "usage: bench_threads FILE PATH COLUMN\n");
        return 2;
    }
    for (unsigned i = 0; i < 2; i++) {
        askers[i] = (asker){.file = argv[1], .path = argv[2], .column = argv[3]};
        open_table(&askers[i]);
        ask(&askers[i]);
    }
    for (unsigned i = 0; i < N_TURNS; i++) {
        n[0] += run(askers, 1);
        n[1] += run(askers, 2);
    }
    for (unsigned i = 0; i < 2; i++) {
        stoa_table_close(askers[i].table);
        stoa_file_close(askers[i].open);
    }
    printf("%u %u\n%.2f\n", n[0], n[1], (double)n[1] / n[0]);
    return 0;
}
