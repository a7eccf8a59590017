/*
 * Point look-ups in a table that stays open, through the public API:
 *
 *     bench_lookup FILE PATH KEYS
 *
 * KEYS is a file of integers, one a line. For each of them the column `row` of the rows whose `id`
 * is that integer goes to stdout, one a line. The last line on stderr is the seconds that all
 * look-ups took, the table being open.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <stoa/stoa.h>

#include "kit.h"

/* An integer of any width, as a batch of one column has it. */
static int64_t integer(const char *format, const struct ArrowArray *values, int64_t i)
{
    const void *data = values->buffers[1];

    i += values->offset;
    switch (format[0]) {
    case 'c':
        return ((const int8_t *)data)[i];
    case 's':
        return ((const int16_t *)data)[i];
    case 'i':
        return ((const int32_t *)data)[i];
    case 'l':
        return ((const int64_t *)data)[i];
    default:
        fprintf(stderr, "bench_lookup: column 'row' has format '%s'\n", format);
        exit(EXIT_FAILURE);
    }
}

static void print_rows(struct ArrowArrayStream *stream)
{
    struct ArrowSchema schema;
    struct ArrowArray batch;

    if (stream->get_schema(stream, &schema) != 0) {
        exit(EXIT_FAILURE);
    }
    while (stream->get_next(stream, &batch) == 0 && batch.release != NULL) {
        for (int64_t i = 0; i < batch.length; i++) {
            printf("%" PRId64 "\n", integer(schema.children[0]->format, batch.children[0], i));
        }
        batch.release(&batch);
    }
    schema.release(&schema);
}

static void look_up(stoa_table *table, const char *key)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;
    char where[64];

    (void)snprintf(where, sizeof where, "id = %.40s", key);
    options.where = where;
    options.columns = "row";
    options.use_indexes = true;
    if (stoa_query_open(table, &options, &query, &err) != STOA_OK ||
        stoa_query_run(query, &stream, &err) != STOA_OK) {
        fail(where, err.message);
    }
    print_rows(&stream);
    stream.release(&stream);
    stoa_query_close(query);
}

int main(int argc, char **argv)
{
    stoa_file *file = NULL;
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;
    char line[64];
    FILE *keys = argc == 4 ? fopen(argv[3], "r") : NULL;

    if (keys == NULL) {
        fprintf(stderr, "usage: bench_lookup FILE PATH KEYS\n");
        return 2;
    }
    if (stoa_file_open(argv[1], STOA_FILE_READ, &file, &err) != STOA_OK ||
        stoa_hep001_open(stoa_file_id(file), argv[2], &table, &err) != STOA_OK) {
        fail(argv[1], err.message);
    }
    const double began = now();
    while (fgets(line, sizeof line, keys) != NULL) {
        look_up(table, line);
    }
    fprintf(stderr, "%.9f\n", now() - began);
    (void)fclose(keys);
    stoa_table_close(table);
    stoa_file_close(file);
    return 0;
}
