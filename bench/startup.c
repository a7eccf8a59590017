/*
 * What it takes to begin: tables of many columns and of many chunks, opened through the public API,
 * and one query of two columns each.
 *
 *     bench_startup FILE [COLUMNS [CHUNKS]]
 *
 * FILE is made anew, with a table of 5,000 columns, one of 100,000 chunks and one of 3 columns and
 * 100 rows, for `bench/startup` to ask by a whole process. Each line is the least of seven times.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "arrow/build.h"
#include "kit.h"

enum { N_TIMES = 7 };

static void must(stoa_status status, const stoa_error *err)
{
    if (status != STOA_OK) {
        fprintf(stderr, "bench_startup: %s: %s\n", err->where, err->message);
        exit(EXIT_FAILURE);
    }
}

/* Rows 0, 1, 2, ... in every column c0, c1, ... */
typedef struct numbers {
    int64_t n_columns;
    int64_t n_rows;
    bool is_done;
} numbers;

static stoa_status schema_of(void *context, struct ArrowSchema *out, stoa_error *err)
{
    const numbers *n = context;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_schema_make(out, "", "+s", err));
    STOA_TRY(stoa_schema_children(out, n->n_columns, err));
    for (int64_t i = 0; i < n->n_columns; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "c%" PRId64, i);
        STOA_TRY(stoa_schema_make(out->children[i], name, "i", err));
    }

done:
    return status;
}

static stoa_status next_of(void *context, struct ArrowArray *out, stoa_error *err)
{
    numbers *n = context;
    stoa_status status = STOA_OK;

    *out = (struct ArrowArray){0};
    if (n->is_done) {
        return STOA_OK;
    }
    n->is_done = true;
    STOA_TRY(stoa_array_make(out, n->n_rows, 0, 1, (void *const[]){NULL}, err));
    STOA_TRY(stoa_array_children(out, n->n_columns, err));
    for (int64_t i = 0; i < n->n_columns; i++) {
        int32_t *values = malloc((size_t)n->n_rows * sizeof *values);
        for (int64_t k = 0; values != NULL && k < n->n_rows; k++) {
            values[k] = (int32_t)k;
        }
        STOA_TRY(
            stoa_array_make(out->children[i], n->n_rows, 0, 2, (void *const[]){NULL, values}, err));
    }

done:
    return status;
}

static void make(stoa_file *file, const char *path, int64_t n_columns, int64_t n_rows,
                 uint64_t chunk_rows)
{
    static const stoa_producer producer = {schema_of, next_of, NULL};
    numbers n = {n_columns, n_rows, false};
    const stoa_column_options storage = {.codec = "none", .chunk_rows = chunk_rows};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    options.columns = &storage;
    options.n_columns = 1;
    must(stoa_stream_make(&stream, &producer, &n, &err), &err);
    must(stoa_table_write(stoa_file_id(file), path, &stream, &options, NULL, &err), &err);
    stream.release(&stream);
}

/* Open the file and the table, put a query of `columns`; the time of each. */
static void once(const char *name, const char *path, const char *columns, double *opening,
                 double *asking)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray rows;
    stoa_file *file = NULL;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;
    const double began = now();

    must(stoa_file_open(name, STOA_FILE_READ, &file, &err), &err);
    must(stoa_hep001_open(stoa_file_id(file), path, &table, &err), &err);
    const double opened = now();
    options.columns = columns;
    options.limit = 3;
    must(stoa_query_open(table, &options, &query, &err), &err);
    must(stoa_query_run(query, &stream, &err), &err);
    while (stream.get_next(&stream, &rows) == 0 && rows.release != NULL) {
        rows.release(&rows);
    }
    *asking = 1e3 * (now() - opened);
    *opening = 1e3 * (opened - began);
    stream.release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    stoa_file_close(file);
}

static void show(const char *what, const char *name, const char *path, const char *columns)
{
    double opening = 1e9;
    double asking = 1e9;

    for (int i = 0; i < N_TIMES; i++) {
        double a;
        double b;
        once(name, path, columns, &a, &b);
        opening = a < opening ? a : opening;
        asking = b < asking ? b : asking;
    }
    printf("%-28s opened in %8.2f ms (aim 100), asked for %s in %.2f ms\n", what, opening, columns,
           asking);
}

int main(int argc, char **argv)
{
    const int64_t n_columns = argc > 2 ? atoll(argv[2]) : 5000;
    const int64_t n_chunks = argc > 3 ? atoll(argv[3]) : 100000;
    stoa_file *file = NULL;
    stoa_error err = STOA_ERROR_INIT;
    char what[64];

    if (argc < 2 || n_columns < 2 || n_chunks < 1) {
        fprintf(stderr, "usage: bench_startup FILE [COLUMNS [CHUNKS]]\n");
        return 2;
    }
    (void)remove(argv[1]);
    must(stoa_file_open(argv[1], STOA_FILE_CREATE, &file, &err), &err);
    make(file, "/wide", n_columns, 3, 0);
    make(file, "/long", 2, n_chunks * 2, 2);
    make(file, "/small", 3, 100, 0);
    must(stoa_file_commit(file, &err), &err);

    (void)snprintf(what, sizeof what, "%" PRId64 " columns", n_columns);
    show(what, argv[1], "/wide", "c1, c0");
    (void)snprintf(what, sizeof what, "2 columns, %" PRId64 " chunks each", n_chunks);
    show(what, argv[1], "/long", "c1, c0");
    show("3 columns, 100 rows", argv[1], "/small", "c1, c0");
    return 0;
}
