/*
 * Two threads of a program, each with a handle of its own and one worker, against one:
 *
 *     bench_threads FILE PATH COLUMN
 *
 * Each asks for the sum of COLUMN over the rows where it is above a constant, which varies. One
 * thread and two take turns, a second each, ten times. Of one and of two there is a line: how many
 * questions they answered, how many in a second of processor time, and how often a thread gave up
 * its processor of itself, as one does that waits for another. The last line on stdout is how many
 * times as many questions two threads have answered; where other programs run, the lines before
 * tell more.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <stoa/stoa.h>

#include "kit.h"

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

static void open_table(asker *a)
{
    stoa_error err = STOA_ERROR_INIT;

    if (stoa_file_open(a->file, STOA_FILE_READ, &a->open, &err) != STOA_OK ||
        stoa_table_open(stoa_file_id(a->open), a->path, &a->table, &err) != STOA_OK) {
        fail(a->file, err.message);
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
        fail(where, err.message);
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

/* What so many threads did. */
typedef struct work_done {
    unsigned n_questions;
    double processor; /* seconds */
    long n_waits;
} work_done;

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* For a second. */
static void run(asker *askers, unsigned n, work_done *done)
{
    pthread_t threads[2];
    struct rusage before;
    struct rusage after;
    const unsigned n_before = askers[0].n + askers[1].n;
    const double until = now() + 1;

    (void)getrusage(RUSAGE_SELF, &before);
    for (unsigned i = 0; i < n; i++) {
        askers[i].until = until;
        if (pthread_create(&threads[i], NULL, work, &askers[i]) != 0) {
            exit(EXIT_FAILURE);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)getrusage(RUSAGE_SELF, &after);
    done->n_questions += askers[0].n + askers[1].n - n_before;
    done->processor += seconds(after.ru_utime) + seconds(after.ru_stime) -
                       seconds(before.ru_utime) - seconds(before.ru_stime);
    done->n_waits += after.ru_nvcsw - before.ru_nvcsw; /* at most n for the joins */
}

int main(int argc, char **argv)
{
    asker askers[2] = {{.n = 0}};
    work_done done[2] = {{.n_questions = 0}};

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
        run(askers, 1, &done[0]);
        run(askers, 2, &done[1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        stoa_table_close(askers[i].table);
        stoa_file_close(askers[i].open);
    }
    for (unsigned i = 0; i < 2; i++) {
        printf("%u questions, %.1f in a second of processor time, %ld waits\n", done[i].n_questions,
               done[i].n_questions / done[i].processor, done[i].n_waits);
    }
    printf("%.2f\n", (double)done[1].n_questions / done[0].n_questions);
    return 0;
}
