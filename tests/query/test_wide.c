/* Rows that are wide come in batches of few: memory for a batch is bounded, not its rows alone. */
#include <stdlib.h>

#include <stoa/stoa.h>

#include "support/batches.h"

enum { N_ROWS = 3200, N_ITEMS = 700 };

static const int64_t most_bytes = INT64_C(1) << 24;

static void write_lists(hid_t file)
{
    const size_t n = (size_t)N_ROWS * N_ITEMS;
    int64_t *items = calloc(n, sizeof *items);
    int64_t *lengths = calloc(N_ROWS, sizeof *lengths);
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(2, N_ROWS);
    batch inner = batch_begin(1, (int64_t)n);

    CHECK(items != NULL && lengths != NULL);
    for (size_t i = 0; i < n; i++) {
        items[i] = (int64_t)i;
    }
    for (int i = 0; i < N_ROWS; i++) {
        lengths[i] = N_ITEMS;
    }
    batch_integers(&inner, 0, "item", "l", items, NULL);
    batch_lists(&b, 0, "wide", "+w:700", &inner, lengths, NULL);
    batch_integers(&b, 1, "narrow", "l", items, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    free(items);
    free(lengths);
}

/* Rows of the longest batch; that all rows come, in order. */
static int64_t longest(stoa_table *table, const char *columns)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray part;
    stoa_query *query = NULL;
    int64_t most = 0;
    int64_t n = 0;

    options.columns = columns;
    CHECK_OK(stoa_query_open(table, &options, &query, NULL));
    CHECK_OK(stoa_query_run(query, &stream, NULL));
    while (stream.get_next(&stream, &part) == 0 && part.release != NULL) {
        const struct ArrowArray *column = part.children[0];
        const bool is_wide = column->n_children == 1;
        const struct ArrowArray *values = is_wide ? column->children[0] : column;
        const int64_t width = is_wide ? N_ITEMS : 1;
        CHECK_I64(((const int64_t *)values->buffers[1])[column->offset * width + values->offset],
                  n * width);
        most = part.length > most ? part.length : most;
        n += part.length;
        part.release(&part);
    }
    CHECK_I64(n, N_ROWS);
    stream.release(&stream);
    stoa_query_close(query);
    return most;
}

static void batches_of_wide_rows_have_few(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    const hid_t file = CHECK_H5(H5Fcreate(check_path("w.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    write_lists(file);
    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    const int64_t wide = longest(table, "wide");
    CHECK(wide > 1 && wide < N_ROWS && wide * N_ITEMS * (int64_t)sizeof(int64_t) <= most_bytes);
    CHECK_I64(longest(table, "narrow"), N_ROWS);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(batches_of_wide_rows_have_few))
