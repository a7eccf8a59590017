/*
 * Ask a table, and take the answer as Arrow batches.
 *
 *     query_stream FILE        FILE as write_table makes it
 *
 * The batches could as well go to pyarrow, DuckDB, Polars, R or Julia: the structs are theirs too.
 */
#include <stdio.h>
#include <stoa/stoa.h>
#include <string.h>

/* Print the rows of one batch: an int64 column and a float64 column. */
static void print_batch(const struct ArrowArray *batch)
{
    const struct ArrowArray *const numbers = batch->children[0];
    const struct ArrowArray *const energies = batch->children[1];
    const int64_t *const number = numbers->buffers[1];
    const double *const energy = energies->buffers[1];
    const uint8_t *const valid = energies->buffers[0]; /* NULL: no row is missing */

    for (int64_t row = batch->offset; row < batch->offset + batch->length; row++) {
        const int64_t i = row + energies->offset;

        printf("%lld ", (long long)number[row + numbers->offset]);
        if (valid != NULL && !(valid[i / 8] >> (i % 8) & 1)) {
            printf("(missing)\n");
        } else {
            printf("%g\n", energy[i]);
        }
    }
}

/* Pull batches until there are no more. The stream's own errors are text. */
static int print_all(struct ArrowArrayStream *stream)
{
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    int failed = stream->get_schema(stream, &schema);

    if (!failed && (schema.n_children != 2 || strcmp(schema.children[0]->format, "l") != 0 ||
                    strcmp(schema.children[1]->format, "g") != 0)) {
        fprintf(stderr, "query_stream: the columns are not an int64 and a float64\n");
        schema.release(&schema);
        return 1;
    }
    while (!failed) {
        failed = stream->get_next(stream, &batch);
        if (failed || batch.release == NULL) {
            break;
        }
        print_batch(&batch);
        batch.release(&batch);
    }
    if (failed) {
        const char *const why = stream->get_last_error(stream);

        fprintf(stderr, "query_stream: %s\n", why != NULL ? why : strerror(failed));
    }
    if (schema.release != NULL) {
        schema.release(&schema);
    }
    return failed != 0;
}

int main(int argc, char **argv)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    const stoa_parameter energy = {.kind = STOA_VALUE_FLOAT64, .as.float64 = 100};
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    int failed = 1;

    if (argc != 2) {
        fprintf(stderr, "usage: query_stream FILE\n");
        return 2;
    }
    options.where = "energy > ? or energy is null";
    options.parameters = &energy;
    options.n_parameters = 1;
    options.columns = "number, energy";

    /* Each of these leaves a reason in `err` and its result NULL if it fails. */
    if (stoa_file_open(argv[1], STOA_FILE_READ, &file, &err) == STOA_OK &&
        stoa_table_open(stoa_file_id(file), "/events", &table, &err) == STOA_OK &&
        stoa_query_open(table, &options, &query, &err) == STOA_OK &&
        stoa_query_run(query, &stream, &err) == STOA_OK) {
        failed = print_all(&stream);
        stream.release(&stream); /* before the query it borrows from */
    } else {
        fprintf(stderr, "query_stream: %s: %s\n", err.where, err.message);
    }
    stoa_query_close(query); /* closing NULL does nothing */
    stoa_table_close(table);
    stoa_file_close(file);
    return failed;
}
