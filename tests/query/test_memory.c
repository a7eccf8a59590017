/*
 * Memory that runs out while a table is read past libhdf5: chunks and cells that are kept, batches
 * that are chosen by bits, groups added up by kernels. What is not kept for want of memory is read
 * again, and the answers are the same.
 */
#include <stdlib.h>

#include "support/sweep.h"
#include "tables.h"

/* Row i has t = i, v = i % 7, x = i / 2 and one of three labels. */
enum { N = 8192, CHUNK = 2048 };

static hid_t file = H5I_INVALID_HID;

static void make_file(const char *codec)
{
    static const char *const words[] = {"ada", "grace", "emmy"};
    static const stoa_column_index index = {"t", "sorted"};
    const stoa_column_options all = {NULL, codec, CHUNK};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    static int64_t t[N], v[N];
    static double x[N];
    static const char *k[N];
    batch b = batch_begin(4, N);

    for (int64_t i = 0; i < N; i++) {
        t[i] = i;
        v[i] = i % 7;
        x[i] = (double)i / 2;
        k[i] = words[i % 3];
    }
    batch_integers(&b, 0, "t", "l", t, NULL);
    batch_integers(&b, 1, "v", "i", v, NULL);
    batch_floats(&b, 2, "x", "f", x, NULL);
    batch_categories(&b, 3, "k", k);
    options.columns = &all;
    options.n_columns = 1;
    options.indexes = &index;
    options.n_indexes = 1;
    file = CHECK_H5(H5Fcreate(check_path("t.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5(H5Fopen(check_path("t.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
}

/* Rows "t, x" must be those of the table, and so many; groups "key, count(), ..." must count so
 * many. */
static int64_t rows_of(const struct ArrowSchema *schema, const struct ArrowArray *array,
                       bool has_groups)
{
    stoa_view first, second;
    int64_t n = 0;

    CHECK_OK(stoa_view_of(schema->children[0], array->children[0], &first, NULL));
    CHECK_OK(stoa_view_of(schema->children[1], array->children[1], &second, NULL));
    for (int64_t i = 0; i < array->length; i++) {
        if (has_groups) {
            n += ((const int64_t *)second.values)[second.offset + i];
        } else {
            const int64_t t = ((const int64_t *)first.values)[first.offset + i];
            CHECK_F64(((const float *)second.values)[second.offset + i], (double)t / 2);
            n++;
        }
    }
    return n;
}

static stoa_status run(stoa_table *table, const stoa_query_options *options, int64_t wanted,
                       stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    int64_t n = 0;

    STOA_TRY(stoa_query_open(table, options, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(&stream, &array, err));
        if (array.release == NULL) {
            break;
        }
        n += rows_of(&schema, &array, options->aggregates != NULL);
        stoa_array_release(&array);
    }
    CHECK_I64(n, wanted);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static const stoa_query_options *asked;
static int64_t asked_rows;

/* What is asked for a second time is kept, and found there the third time. */
static stoa_status ask_again_and_again(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    STOA_TRY(stoa_hep001_open(file, "/t", &table, err));
    for (int i = 0; i < 3; i++) {
        STOA_TRY(run(table, asked, asked_rows, err));
    }

done:
    stoa_table_close(table);
    return status;
}

static void sweep(const stoa_query_options *options, int64_t n_rows)
{
    asked = options;
    asked_rows = n_rows;
    CHECK(sweep_memory_throughout(ask_again_and_again) > 50);
}

static void check_codec(const char *codec)
{
    make_file(codec);
    /* of 8192 = 1170 * 7 + 2 rows, four of seven */
    sweep(OPTIONS(.where = "v >= 3", .columns = "t, x, k", .limit = -1), INT64_C(1170) * 4);
    sweep(OPTIONS(.where = "t in (5, 2047, 2048, 7001)", .columns = "t, x", .use_indexes = true,
                  .limit = -1),
          4);
    sweep(OPTIONS(.where = "v != 1", .by = "k", .aggregates = "count(), sum(v), mean(x), count(x)",
                  .limit = -1),
          N - 1171);
    CHECK_H5(H5Fclose(file));
}

static void packed_chunks_are_read_with_as_little_memory_as_there_is(void)
{
    check_codec("auto");
}

static void deflated_chunks_are_read_with_as_little_memory_as_there_is(void)
{
    check_codec("deflate:1");
}

TEST_MAIN(TEST(packed_chunks_are_read_with_as_little_memory_as_there_is),
          TEST(deflated_chunks_are_read_with_as_little_memory_as_there_is))
