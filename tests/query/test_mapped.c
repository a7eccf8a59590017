/* Tables that are read from a map of their file (stoa_open_options.map). */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tables.h"

enum { N = 150000, CHUNK = 65536 };

/* Row i of x is i / 2, of k it is i % 7. */
static home open_home(unsigned flags)
{
    const char *name = check_path("mapped.h5");
    const stoa_column_options all = {NULL, "none", CHUNK};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_open_options opening = STOA_OPEN_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    double *x = calloc(N, sizeof *x);
    int64_t *k = calloc(N, sizeof *k);
    batch b = batch_begin(2, N);
    home h;

    CHECK(x != NULL && k != NULL);
    for (int64_t i = 0; i < N; i++) {
        x[i] = (double)i / 2;
        k[i] = i % 7;
    }
    batch_floats(&b, 0, "x", "g", x, NULL);
    batch_integers(&b, 1, "k", "l", k, NULL);
    free(x);
    free(k);
    options.columns = &all;
    options.n_columns = 1;
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    CHECK_H5(H5Pset_alignment(fapl, 1024, 64)); /* else x may lie where it has to be copied */
    const hid_t made = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(made, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(made));
    opening.map = true;
    h.file = CHECK_H5(H5Fopen(name, flags, H5P_DEFAULT));
    CHECK_OK(stoa_hep001_open_with(h.file, "/t", &opening, &h.table, &err), &err);
    return h;
}

static const char *ask_for_sums(home *h, unsigned threads)
{
    return ASK(h, .where = "x >= 10", .aggregates = "count(), sum(x), sum(k)", .threads = threads);
}

/* 0 + 1/2 + ... + 149999/2 less the first twenty; 21428 times 21 and 0 + 1 + 2 + 3, less 57. */
static const char sums[] = "149980 5624962405.0 449937";

/* The map shows what the file holds, and an error is said of what it does not. */
static void a_file_cut_short_between_questions_is_an_error_and_no_signal(void)
{
    home h = open_home(H5F_ACC_RDONLY);

    CHECK_STR(ask_for_sums(&h, 1), sums);
    CHECK_STR(ask_for_sums(&h, 2), sums);
    CHECK(truncate(check_path("mapped.h5"), 20000) == 0);
    CHECK_CONTAINS(ask_for_sums(&h, 1), "cut off while it was read");
    CHECK_CONTAINS(ask_for_sums(&h, 2), "cut off while it was read");
    CHECK_CONTAINS(ASK(&h, .aggregates = "sum(x)"), "cut off while it was read");
    home_leave(&h);
}

static void a_file_that_grows_is_read_as_it_was(void)
{
    home h = open_home(H5F_ACC_RDONLY);
    struct stat about;

    CHECK(stat(check_path("mapped.h5"), &about) == 0);
    CHECK(truncate(check_path("mapped.h5"), about.st_size + 100000) == 0);
    CHECK_STR(ask_for_sums(&h, 2), sums);
    home_leave(&h);
}

/* Through libhdf5, as if nothing had been said. */
static void a_table_that_is_written_to_is_not_mapped(void)
{
    home h = open_home(H5F_ACC_RDWR);

    CHECK_STR(ask_for_sums(&h, 2), sums);
    home_leave(&h);
}

/* What was taken is the taker's: nothing of it lies in the file. */
static void batches_outlive_the_map(void)
{
    home h = open_home(H5F_ACC_RDONLY);
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray batches[64];
    stoa_query *query = NULL;
    size_t n = 0;
    int64_t row = 0;

    CHECK_OK(stoa_query_open(h.table, &options, &query, &err), &err);
    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    do {
        CHECK(n < 64);
        CHECK_OK(stoa_stream_next(&stream, &batches[n], &err), &err);
    } while (batches[n++].release != NULL);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    home_leave(&h);
    CHECK(truncate(check_path("mapped.h5"), 0) == 0);
    for (size_t b = 0; b + 1 < n; b++) {
        const struct ArrowArray *x = batches[b].children[0];
        const double *values = x->buffers[1];
        for (int64_t i = 0; i < x->length; i++, row++) {
            CHECK_F64(values[x->offset + i], (double)row / 2);
        }
        batches[b].release(&batches[b]);
    }
    CHECK_I64(row, N);
}

/* As a program has it that was compiled before there was the option, or forgot to say. */
static void options_without_a_size_are_refused(void)
{
    home h = open_home(H5F_ACC_RDONLY);
    const stoa_open_options none = {0};
    stoa_table *table = h.table;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EINVAL, stoa_hep001_open_with(h.file, "/t", &none, &table, &err), &err);
    CHECK_CONTAINS(err.message, "STOA_OPEN_OPTIONS_INIT");
    CHECK(table == NULL);
    CHECK_OK(stoa_hep001_open_with(h.file, "/t", NULL, &table, NULL), NULL);
    stoa_table_close(table);
    home_leave(&h);
}

TEST_MAIN(TEST(a_file_cut_short_between_questions_is_an_error_and_no_signal),
          TEST(a_file_that_grows_is_read_as_it_was), TEST(a_table_that_is_written_to_is_not_mapped),
          TEST(batches_outlive_the_map), TEST(options_without_a_size_are_refused))
