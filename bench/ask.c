/*
 * Questions to tables that stay open, through the public API:
 *
 *     bench_ask FILE QUESTIONS TIMES THREADS [pread|scan]
 *
 * QUESTIONS has a question a line: its name, the table's path, the filter, the columns, the
 * aggregates and the groups, with tabs between and empty where there is none. Each is asked TIMES
 * times; each time a line goes to stdout: name, seconds, answer. An answer is rows with `;` between
 * of cells with `,` between; where columns are asked for, it is the number of rows and the sum of
 * the first column. Tables are read from a map of the file in memory, unless `pread` is said, and
 * their indexes are used, unless `scan` is said.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "kit.h"

enum { N_FIELDS = 6, MAX_TABLES = 8, LINE = 8192 };

typedef struct tables {
    stoa_file *file;
    stoa_open_options options;
    stoa_table *open[MAX_TABLES];
    char *paths[MAX_TABLES];
    size_t n;
} tables;

static bool is_null(const struct ArrowArray *array, int64_t i)
{
    const uint8_t *validity = array->n_buffers > 0 ? array->buffers[0] : NULL;

    i += array->offset;
    return array->null_count != 0 && validity != NULL && (validity[i >> 3] >> (i & 7) & 1) == 0;
}

/* Integers of any width, by their Arrow format. */
static int64_t integer(char format, const void *values, int64_t at)
{
    switch (format) {
    case 'c':
        return ((const int8_t *)values)[at];
    case 'C':
        return ((const uint8_t *)values)[at];
    case 's':
        return ((const int16_t *)values)[at];
    case 'S':
        return ((const uint16_t *)values)[at];
    case 'i':
        return ((const int32_t *)values)[at];
    case 'I':
        return ((const uint32_t *)values)[at];
    case 'l':
        return ((const int64_t *)values)[at];
    default:
        fprintf(stderr, "bench_ask: an answer has the format '%c'\n", format);
        exit(EXIT_FAILURE);
    }
}

static void print_cell(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t i)
{
    const int64_t at = i + array->offset;
    const void *values = array->n_buffers > 1 ? array->buffers[1] : NULL;
    const char format = schema->format[0];

    if (is_null(array, i)) {
        return;
    }
    if (schema->dictionary != NULL) {
        print_cell(schema->dictionary, array->dictionary, integer(format, values, at));
    } else if (format == 'u') {
        const int32_t *offsets = values;
        const char *bytes = array->buffers[2];
        printf("%.*s", (int)(offsets[at + 1] - offsets[at]), bytes + offsets[at]);
    } else if (format == 'U') {
        const int64_t *offsets = values;
        const char *bytes = array->buffers[2];
        printf("%.*s", (int)(offsets[at + 1] - offsets[at]), bytes + offsets[at]);
    } else if (format == 'g') {
        printf("%.17g", ((const double *)values)[at]);
    } else if (format == 'f') {
        printf("%.9g", (double)((const float *)values)[at]);
    } else {
        printf("%" PRId64, integer(format, values, at));
    }
}

/* What one run gave: its rows, or (columns) how many and the sum of the first column. */
typedef struct answer {
    struct ArrowSchema schema;
    struct ArrowArray batches[64];
    size_t n_batches;
    int64_t n_rows;
    int64_t sum;
} answer;

/* Take every batch; columns are only summed up, as somebody would who uses them. */
static void take(struct ArrowArrayStream *stream, bool columns, answer *a)
{
    struct ArrowArray batch;

    if (stream->get_schema(stream, &a->schema) != 0) {
        exit(EXIT_FAILURE);
    }
    for (;;) {
        if (stream->get_next(stream, &batch) != 0) {
            fprintf(stderr, "bench_ask: %s\n", stream->get_last_error(stream));
            exit(EXIT_FAILURE);
        }
        if (batch.release == NULL) {
            return;
        }
        a->n_rows += batch.length;
        if (!columns) {
            a->batches[a->n_batches++] = batch;
            continue;
        }
        const int64_t *first = batch.children[0]->buffers[1];
        for (int64_t i = 0; i < batch.length; i++) {
            a->sum += first[batch.children[0]->offset + i];
        }
        batch.release(&batch);
    }
}

static void print_answer(answer *a, bool columns)
{
    if (columns) {
        printf("%" PRId64 ",%" PRId64, a->n_rows, a->sum);
    }
    for (size_t b = 0; b < a->n_batches; b++) {
        struct ArrowArray *batch = &a->batches[b];
        for (int64_t i = 0; i < batch->length; i++) {
            fputs(b + (size_t)i > 0 ? ";" : "", stdout);
            for (int64_t k = 0; k < batch->n_children; k++) {
                fputs(k > 0 ? "," : "", stdout);
                print_cell(a->schema.children[k], batch->children[k], i);
            }
        }
        batch->release(batch);
    }
    putchar('\n');
    a->schema.release(&a->schema);
}

static const char *given(const char *field)
{
    return field[0] != '\0' ? field : NULL;
}

/* One question, once: the time from its text to the last batch. */
static void ask(stoa_table *table, char *const fields[], unsigned threads, bool by_indexes)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;
    answer a = {.n_batches = 0};

    options.where = given(fields[2]);
    options.columns = given(fields[3]);
    options.aggregates = given(fields[4]);
    options.by = given(fields[5]);
    options.use_indexes = by_indexes;
    options.threads = threads;
    const double began = now();
    if (stoa_query_open(table, &options, &query, &err) != STOA_OK ||
        stoa_query_run(query, &stream, &err) != STOA_OK) {
        fail(fields[0], err.message);
    }
    take(&stream, options.columns != NULL, &a);
    stream.release(&stream);
    stoa_query_close(query);
    printf("%s\t%.9f\t", fields[0], now() - began);
    print_answer(&a, options.columns != NULL);
}

static stoa_table *table_of(tables *t, const char *path)
{
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < t->n; i++) {
        if (strcmp(t->paths[i], path) == 0) {
            return t->open[i];
        }
    }
    if (t->n == MAX_TABLES || stoa_hep001_open_with(stoa_file_id(t->file), path, &t->options,
                                                    &t->open[t->n], &err) != STOA_OK) {
        fail(path, err.message);
    }
    t->paths[t->n] = strdup(path);
    return t->open[t->n++];
}

/* Cut a line at its tabs. */
static bool split(char *line, char *fields[])
{
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < N_FIELDS; i++) {
        fields[i] = line;
        line += strcspn(line, "\t");
        if (i + 1 < N_FIELDS && *line == '\0') {
            return false;
        }
        *line++ = '\0';
    }
    return true;
}

int main(int argc, char **argv)
{
    tables t = {.options = STOA_OPEN_OPTIONS_INIT};
    stoa_error err = STOA_ERROR_INIT;
    static char line[LINE];
    char *fields[N_FIELDS];
    const char *const how = argc == 6 ? argv[5] : "";
    const bool by_pread = strcmp(how, "pread") == 0;
    const bool by_scan = strcmp(how, "scan") == 0;
    FILE *questions = argc == 5 || by_pread || by_scan ? fopen(argv[2], "r") : NULL;

    if (questions == NULL) {
        fprintf(stderr, "usage: bench_ask FILE QUESTIONS TIMES THREADS [pread|scan]\n");
        return 2;
    }
    t.options.map = !by_pread;
    if (stoa_file_open(argv[1], STOA_FILE_READ, &t.file, &err) != STOA_OK) {
        fail(argv[1], err.message);
    }
    while (fgets(line, sizeof line, questions) != NULL && split(line, fields)) {
        for (int i = 0; i < atoi(argv[3]); i++) {
            ask(table_of(&t, fields[1]), fields, (unsigned)atoi(argv[4]), !by_scan);
        }
    }
    (void)fclose(questions);
    for (size_t i = 0; i < t.n; i++) {
        stoa_table_close(t.open[i]);
        free(t.paths[i]);
    }
    stoa_file_close(t.file);
    return 0;
}
