/*
 * A column of a table, through the public API by one thread:
 *
 *     bench_lh5 FILE TABLE COLUMN [WHERE [pread]]
 *
 * Reads it twice as Arrow's batches, from a map of the file in memory unless `pread` is said. The
 * first time its numbers are counted and summed, those of lists too, and the answer goes to stdout;
 * the seconds of the second go to stderr: there, one number of each page is looked at, since what
 * lies in the map was not copied.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "kit.h"

typedef struct answer {
    int64_t n;
    double sum; /* exact for integers below 2^53 */
} answer;

static volatile unsigned seen; /* so that no compiler leaves out to look */

static void add(answer *a, const char *format, const void *values, int64_t begin, int64_t end)
{
    a->n += end - begin;
    for (int64_t i = begin; i < end; i++) {
        switch (format[0]) {
        case 'i':
            a->sum += ((const int32_t *)values)[i];
            break;
        case 'f':
            a->sum += (double)((const float *)values)[i];
            break;
        case 'g':
            a->sum += ((const double *)values)[i];
            break;
        default:
            fail(format, "a column of another type than int32, float32, float64");
        }
    }
}

/* Add up an array's elements [begin, end), counted from its buffers' start. */
static void add_array(answer *a, const struct ArrowSchema *schema, const struct ArrowArray *array,
                      int64_t begin, int64_t end)
{
    const char *const format = schema->format;

    if (strcmp(format, "+l") == 0) {
        const int32_t *const ends = array->buffers[1];
        add_array(a, schema->children[0], array->children[0], ends[begin], ends[end]);
    } else if (strcmp(format, "+L") == 0) {
        const int64_t *const ends = array->buffers[1];
        add_array(a, schema->children[0], array->children[0], ends[begin], ends[end]);
    } else if (strncmp(format, "+w:", 3) == 0) {
        const int64_t width = strtoll(format + 3, NULL, 10);
        add_array(a, schema->children[0], array->children[0], begin * width, end * width);
    } else {
        add(a, format, array->buffers[1], begin + array->offset, end + array->offset);
    }
}

/* One byte of each page of an array's values, whatever they are. */
static unsigned look_at(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    const bool is_list = schema->n_children > 0;
    const struct ArrowArray *const items = is_list ? array->children[0] : array;
    const char format = (is_list ? schema->children[0] : schema)->format[0];
    const uint8_t *const bytes = items->buffers[1];
    const size_t n_bytes = (size_t)items->length * (format == 'g' ? 8 : 4);
    unsigned sum = 0;

    for (size_t i = 0; i < n_bytes; i += 4096) {
        sum += bytes[i];
    }
    return sum;
}

/* Seconds from the question to its last batch; what the column holds, where `a` is given. */
static double read_column(stoa_table *table, const char *column, const char *where, answer *a)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowSchema schema;
    struct ArrowArray batch;
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.columns = column;
    options.where = where;
    options.threads = 1;
    const double began = now();
    if (stoa_query_open(table, &options, &query, &err) != STOA_OK ||
        stoa_query_run(query, &stream, &err) != STOA_OK) {
        fail(column, err.message);
    }
    if (stream.get_schema(&stream, &schema) != 0) {
        fail(column, stream.get_last_error(&stream));
    }
    for (;;) {
        if (stream.get_next(&stream, &batch) != 0) {
            fail(column, stream.get_last_error(&stream));
        }
        if (batch.release == NULL) {
            break;
        }
        if (a != NULL) {
            add_array(a, schema.children[0], batch.children[0], batch.offset,
                      batch.offset + batch.length);
        } else {
            seen = look_at(schema.children[0], batch.children[0]);
        }
        batch.release(&batch);
    }
    schema.release(&schema);
    stream.release(&stream);
    stoa_query_close(query);
    return now() - began;
}

int main(int argc, char **argv)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    stoa_table *table = NULL;
    answer a = {0, 0};
    stoa_open_options options = STOA_OPEN_OPTIONS_INIT;
    const char *const where = argc > 4 && argv[4][0] != '\0' ? argv[4] : NULL;

    if (argc < 4) {
        fprintf(stderr, "usage: bench_lh5 FILE TABLE COLUMN [WHERE [pread]]\n");
        return 2;
    }
    options.map = argc <= 5;
    if (stoa_file_open(argv[1], STOA_FILE_READ, &file, &err) != STOA_OK ||
        stoa_table_open_with(stoa_file_id(file), argv[2], &options, &table, &err) != STOA_OK) {
        fail(argv[2], err.message);
    }
    (void)read_column(table, argv[3], where, &a);
    printf("%" PRId64 " %.17g\n", a.n, a.sum);
    fprintf(stderr, "%.9f\n", read_column(table, argv[3], where, NULL));
    stoa_table_close(table);
    stoa_file_close(file);
    return EXIT_SUCCESS;
}
