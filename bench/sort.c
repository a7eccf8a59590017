/*
 * How fast a sorted index is built, verified and asked, in how much memory:
 *
 *     cmake --build build --target bench_sort
 *     build/bench/bench_sort ROWS MEGABYTES FILE
 *
 * FILE is made, with one float64 column of ROWS random values, and left there. The index is sorted
 * in MEGABYTES of memory and temporary files in $TMPDIR. A FILE that exists is only asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stoa/stoa.h>

#include "kit.h"

enum { BATCH_ROWS = 1 << 20, N_LOOK_UPS = 200 };

/* What the processor has spent on us: it tells more than the clock where others run as well. */
static double spent(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double peak_megabytes(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* The value of a row: uniform in [0, 1), by the mixing function of splitmix64. */
static double value_of(uint64_t row)
{
    uint64_t z = (row + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* --- a stream of one column, made as it is asked for ----------------------------------------- */

typedef struct source {
    uint64_t next;
    uint64_t n_rows;
} source;

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    schema->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    (void)stream;
    *out = (struct ArrowSchema){.format = "+s", .name = "", .n_children = 1};
    out->release = release_schema;
    out->children = malloc(sizeof *out->children);
    out->children[0] = malloc(sizeof **out->children);
    *out->children[0] = (struct ArrowSchema){.format = "g", .name = "x"};
    out->children[0]->release = release_schema;
    return 0;
}

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL) {
            array->children[i]->release(array->children[i]);
        }
        free(array->children[i]);
    }
    if (array->n_buffers == 2) {
        free((void *)(uintptr_t)array->buffers[1]);
    }
    free(array->children);
    free((void *)array->buffers);
    array->release = NULL;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    source *from = stream->private_data;
    const uint64_t left = from->n_rows - from->next;
    const uint64_t n = left < BATCH_ROWS ? left : BATCH_ROWS;
    double *values = malloc((n + 1) * sizeof *values);

    *out = (struct ArrowArray){.release = NULL};
    if (n == 0) {
        free(values);
        return 0;
    }
    for (uint64_t i = 0; i < n; i++) {
        values[i] = value_of(from->next + i);
    }
    from->next += n;
    *out = (struct ArrowArray){.length = (int64_t)n, .n_buffers = 1, .n_children = 1};
    out->release = release_array;
    out->buffers = calloc(1, sizeof *out->buffers);
    out->children = malloc(sizeof *out->children);
    out->children[0] = malloc(sizeof **out->children);
    *out->children[0] = (struct ArrowArray){.length = (int64_t)n, .n_buffers = 2};
    out->children[0]->release = release_array;
    out->children[0]->buffers = calloc(2, sizeof *out->buffers);
    out->children[0]->buffers[1] = values;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

/* --- measured -------------------------------------------------------------------------------- */

static void must(stoa_status status, const stoa_error *err)
{
    if (status != STOA_OK) {
        (void)fprintf(stderr, "%s: %s\n", err->where, err->message);
        exit(1);
    }
}

/* When something began. */
typedef struct start {
    double clock;
    double processor;
} start;

static start begin(void)
{
    return (start){now(), spent()};
}

static void say(const char *what, uint64_t n_rows, start since)
{
    const double seconds = now() - since.clock;

    (void)printf("%-8s %8.2f s  %7.2f million rows/s  processor %7.2f s  peak memory %6.0f MiB\n",
                 what, seconds, (double)n_rows / seconds / 1e6, spent() - since.processor,
                 peak_megabytes());
    (void)fflush(stdout);
}

static void write_table(hid_t file, uint64_t n_rows)
{
    source from = {0, n_rows};
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, &from};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    const start since = begin();

    must(stoa_table_write(file, "/t", &stream, &options, NULL, &err), &err);
    say("write", n_rows, since);
}

/* Rows found by `x = value`, each in a query of its own. */
static void look_up(stoa_table *table, uint64_t n_rows)
{
    uint64_t n_found = 0;
    stoa_error err = STOA_ERROR_INIT;
    start since = {0, 0};

    for (int i = -1; i < N_LOOK_UPS; i++) {
        stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
        stoa_query *query = NULL;
        struct ArrowArrayStream answer;
        struct ArrowArray batch;
        char where[64];

        if (i == 0) {
            since = begin(); /* the first one warms up */
        }
        (void)snprintf(where, sizeof where, "x = %.17g",
                       value_of((uint64_t)(i + 1) * UINT64_C(7919) % n_rows));
        options.where = where;
        options.use_indexes = true;
        must(stoa_query_open(table, &options, &query, &err), &err);
        must(stoa_query_run(query, &answer, &err), &err);
        while (answer.get_next(&answer, &batch) == 0 && batch.release != NULL) {
            n_found += i >= 0 ? (uint64_t)batch.length : 0;
            batch.release(&batch);
        }
        answer.release(&answer);
        stoa_query_close(query);
    }
    (void)printf("look up  %8.3f ms a query, processor %.3f ms, %llu rows found by %d\n",
                 (now() - since.clock) * 1e3 / N_LOOK_UPS,
                 (spent() - since.processor) * 1e3 / N_LOOK_UPS, (unsigned long long)n_found,
                 N_LOOK_UPS);
}

static void build(stoa_table *table, const stoa_index_options *options, uint64_t n_rows)
{
    stoa_error err = STOA_ERROR_INIT;
    const start since = begin();

    must(stoa_index_add(table, "x", "sorted", options, &err), &err);
    say("build", n_rows, since);
}

static bool verify(stoa_table *table, uint64_t n_rows)
{
    stoa_error err = STOA_ERROR_INIT;
    bool same = false;
    const start since = begin();

    must(stoa_index_verify(table, "x", "sorted", &same, &err), &err);
    say("verify", n_rows, since);
    (void)printf("the index %s its column\n", same ? "describes" : "does not describe");
    return same;
}

int main(int argc, char **argv)
{
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    if (argc != 4) {
        (void)fprintf(stderr, "usage: bench_sort ROWS MEGABYTES FILE\n");
        return 2;
    }
    const bool exists = access(argv[3], F_OK) == 0;
    uint64_t n_rows = strtoull(argv[1], NULL, 10);
    options.memory = strtoull(argv[2], NULL, 10) << 20;
    const hid_t file = exists ? H5Fopen(argv[3], H5F_ACC_RDONLY, H5P_DEFAULT)
                              : H5Fcreate(argv[3], H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0 || n_rows == 0) {
        return 1;
    }
    if (!exists) {
        write_table(file, n_rows);
    }
    must(stoa_hep001_open(file, "/t", &table, &err), &err);
    n_rows = stoa_table_n_rows(table);
    if (!exists) {
        build(table, &options, n_rows);
    }
    look_up(table, n_rows);
    const bool same = exists || verify(table, n_rows);
    stoa_table_close(table);
    return H5Fclose(file) < 0 || !same;
}
