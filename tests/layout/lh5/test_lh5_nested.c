/* Vectors within vectors of LH5, read by the threads of a query; src/column/list/reader.c. */
#include <stdlib.h>
#include <stoa/layout.h>
#include <stoa/query.h>

#include "arrow/build.h"
#include "column/column.h"
#include "hdf/read/read_context.h"
#include "layout/lh5_kit.h"
#include "support/check.h"

enum { ROWS = 150000, INNER = ROWS - ROWS % 3, ITEMS = INNER / 4 * 6 + 6, MOST = 64 };

/* Row i has i % 3 vectors; vector k of all has k % 4 numbers, which count on through the file. */
static void write_nested(const char *name)
{
    int32_t *const outer = calloc(ROWS, sizeof *outer);
    uint16_t *const numbers = calloc(ITEMS, sizeof *numbers);
    int64_t *const inner = calloc(INNER, sizeof *inner);
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    int64_t n_items = 0;
    int32_t n_inner = 0;

    CHECK(outer != NULL && inner != NULL && numbers != NULL);
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < i % 3; k++) {
            n_items += n_inner % 4;
            inner[n_inner++] = n_items;
        }
        outer[i] = n_inner;
    }
    CHECK(n_inner <= INNER && n_items <= ITEMS);
    for (int64_t i = 0; i < n_items; i++) {
        numbers[i] = (uint16_t)i;
    }
    lh5_group(file, "t", "table{v}");
    lh5_group(file, "t/v", "array<1>{array<1>{array<1>{real}}}");
    lh5_group(file, "t/v/flattened_data", "array<1>{array<1>{real}}");
    lh5_put(file, "t/v/cumulative_length", "array<1>{real}", H5T_NATIVE_INT32, ROWS, outer);
    lh5_put(file, "t/v/flattened_data/cumulative_length", "array<1>{real}", H5T_NATIVE_INT64,
            (hsize_t)n_inner, inner);
    lh5_put(file, "t/v/flattened_data/flattened_data", "array<1>{real}", H5T_NATIVE_UINT16,
            (hsize_t)n_items, numbers);
    free(outer);
    free(inner);
    free(numbers);
    CHECK_H5(H5Fclose(file));
}

/* Where the rows of a batch are in what was written: vectors and numbers before them. */
typedef struct place {
    int64_t row, vector, number;
} place;

static bool has_rows(const struct ArrowArray *rows, place *at)
{
    const struct ArrowArray *const vectors = rows->children[0];
    const int32_t *const of_rows = rows->buffers[1];
    const int32_t *const of_vectors = vectors->buffers[1];
    const uint16_t *const numbers = vectors->children[0]->buffers[1];
    bool has = true;

    for (int64_t i = rows->offset; i < rows->offset + rows->length; i++, at->row++) {
        has = has && of_rows[i + 1] - of_rows[i] == at->row % 3;
        for (int32_t k = of_rows[i]; has && k < of_rows[i + 1]; k++, at->vector++) {
            has = of_vectors[k + 1] - of_vectors[k] == at->vector % 4;
            for (int32_t n = of_vectors[k]; has && n < of_vectors[k + 1]; n++, at->number++) {
                has = numbers[n] == (uint16_t)at->number;
            }
        }
    }
    return has;
}

static void ask(stoa_table *table, unsigned threads)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray batches[MOST];
    stoa_query *query = NULL;
    place at = {0, 0, 0};
    size_t n = 0;

    options.threads = threads;
    CHECK_OK(stoa_query_open(table, &options, &query, &err), &err);
    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    do {
        CHECK(n < MOST);
        CHECK_OK(stoa_stream_next(&stream, &batches[n], &err), &err);
    } while (batches[n++].release != NULL);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    CHECK(n > 2);
    for (size_t i = 0; i + 1 < n; i++) {
        CHECK(has_rows(batches[i].children[0], &at));
        batches[i].release(&batches[i]);
    }
    CHECK_I64(at.row, ROWS);
}

static void vectors_within_vectors_are_read_past_libhdf5_by_all_threads(void)
{
    const char *const name = check_path("nested.lh5");

    write_nested(name);
    for (int turn = 0; turn < 4; turn++) {
        const bool is_free = turn < 3; /* else the file may be written to */
        stoa_open_options options = STOA_OPEN_OPTIONS_INIT;
        stoa_error err = STOA_ERROR_INIT;
        stoa_table *table = NULL;
        stoa_read_context *read_context = NULL;
        bool found = !is_free;
        const hid_t file =
            CHECK_H5(H5Fopen(name, is_free ? H5F_ACC_RDONLY : H5F_ACC_RDWR, H5P_DEFAULT));
        options.map = turn == 1;
        CHECK_OK(stoa_table_open_with(file, "/t", &options, &table, &err), &err);
        ask(table, turn == 2 ? 1 : 3);
        stoa_table_close(table);
        CHECK_OK(stoa_table_open(file, "/t", &table, &err), &err);
        const stoa_column_source *const source = &stoa_table_column(table, 0)->source;
        CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
        CHECK_OK(source->prepare(source->context, read_context, &found, &err), &err);
        CHECK(found == is_free);
        stoa_table_close(table);
        stoa_read_context_close(read_context);
        CHECK_H5(H5Fclose(file));
    }
}

/* The inner ones first descend, then they go beyond their numbers. */
static void inner_vectors_that_lie_are_refused(void)
{
    const char *const name = check_path("nested.lh5");
    const int64_t lies[] = {-1, INT64_C(1) << 40};
    const char *const says[] = {"descends, or is negative", "goes beyond the end of the data"};

    for (int i = 0; i < 2; i++) {
        stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArrayStream stream;
        struct ArrowArray batch = {.release = NULL};
        stoa_table *table = NULL;
        stoa_query *query = NULL;
        write_nested(name);
        hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT));
        const hid_t set = CHECK_H5(H5Dopen2(file, "t/v/flattened_data/cumulative_length", 0));
        const hid_t space = CHECK_H5(H5Dget_space(set));
        const hssize_t n = CHECK_H5(H5Sget_simple_extent_npoints(space));
        const hid_t one = CHECK_H5(H5Screate_simple(1, &(hsize_t){1}, NULL));
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){(hsize_t)n - 1}, NULL,
                                     &(hsize_t){1}, NULL));
        CHECK_H5(H5Dwrite(set, H5T_NATIVE_INT64, one, space, H5P_DEFAULT, &lies[i]));
        CHECK_H5(H5Sclose(one));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(set));
        CHECK_H5(H5Fclose(file));
        file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
        CHECK_OK(stoa_table_open(file, "/t", &table, &err), &err);
        options.threads = 3;
        CHECK_OK(stoa_query_open(table, &options, &query, &err), &err);
        CHECK_OK(stoa_query_run(query, &stream, &err), &err);
        stoa_status status = stoa_stream_next(&stream, &batch, &err);
        while (status == STOA_OK && batch.release != NULL) {
            batch.release(&batch);
            status = stoa_stream_next(&stream, &batch, &err);
        }
        CHECK_U64(status, STOA_EDATA);
        CHECK_CONTAINS(err.message, says[i]);
        stoa_stream_release(&stream);
        stoa_query_close(query);
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

TEST_MAIN(TEST(vectors_within_vectors_are_read_past_libhdf5_by_all_threads),
          TEST(inner_vectors_that_lie_are_refused))
