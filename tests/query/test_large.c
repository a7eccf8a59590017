/* Tables larger than the memory a query may take: what it takes does not grow with the rows. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <stoa/stoa.h>

#include "support/batches.h"

/* More than a gigabyte of values, of which memory holds a small part at a time. */
enum { N_ROWS = 60000000, N_WRITTEN = 100000, RAW_BYTES = N_ROWS * (8 + 8 + 2) };
enum { BOUND_KIB = 100 * 1024 };

/* 1080 MB of rows of which all but the first were never written: they are missing, and take no room
 * in the file. */
static hid_t large_file(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    batch b = batch_begin(3, N_WRITTEN);
    int64_t *values = calloc(N_WRITTEN, sizeof *values);
    double *floats = calloc(N_WRITTEN, sizeof *floats);
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    const hid_t file = CHECK_H5(H5Fcreate(check_path("l.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    CHECK(values != NULL && floats != NULL);
    for (int i = 0; i < N_WRITTEN; i++) {
        values[i] = INT64_C(1000000007) * i % N_WRITTEN;
        floats[i] = i;
    }
    batch_integers(&b, 0, "x", "l", values, NULL);
    batch_floats(&b, 1, "y", "g", floats, NULL);
    for (int i = 0; i < N_WRITTEN; i++) {
        values[i] = i % 1000;
    }
    batch_integers(&b, 2, "g", "s", values, NULL);
    free(values);
    free(floats);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    for (const char *const *name = (const char *const[]){"x", "y", "g", NULL}; *name != NULL;
         name++) {
        char path[16];
        (void)snprintf(path, sizeof path, "/t/%s", *name);
        const hid_t dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
        CHECK_H5(H5Dset_extent(dataset, &(hsize_t){N_ROWS}));
        CHECK_H5(H5Dclose(dataset));
    }
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));
    const hid_t attr = CHECK_H5(H5Aopen(group, "NROWS", H5P_DEFAULT));
    CHECK_H5(H5Awrite(attr, H5T_NATIVE_UINT64, &(uint64_t){N_ROWS}));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fflush(file, H5F_SCOPE_LOCAL));
    return file;
}

static long peak_kib(void)
{
    struct rusage usage;

    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss;
}

/* Rows of the answer. */
static uint64_t run(hid_t file, const stoa_query_options *options)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    uint64_t n = 0;

    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    CHECK_OK(stoa_query_open(table, options, &query, &err), &err);
    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    for (bool at_end = false; !at_end;) {
        struct ArrowArray rows = {0};
        CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
        at_end = rows.release == NULL;
        n += at_end ? 0 : (uint64_t)rows.length;
        stoa_array_release(&rows);
    }
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    return n;
}

static void a_query_takes_little_memory(void)
{
    static const struct {
        stoa_query_options options;
        uint64_t n_rows;
    } cases[] = {
        {{.where = "x > 5 and y < 90000", .aggregates = "count()", .limit = -1}, 1},
        {{.aggregates = "count(), mean(y)", .by = "g", .limit = -1}, 1001},
        {{.aggregates = "sum(x), sum(y), min(x), max(y)", .limit = -1}, 1},
        {{.columns = "x, g", .limit = 1000}, 1000},
        {{.columns = "x, y, g", .limit = -1}, N_ROWS},
        {{.columns = "x, y", .sort = "x", .limit = 10}, 10},
        {{.where = "x is null", .row_numbers = true, .limit = -1}, N_ROWS - N_WRITTEN},
    };
    if (getenv("STOA_SANITIZE") != NULL && getenv("STOA_SANITIZE")[0] != '\0') {
        SKIP("a sanitizer takes memory of its own");
    }
    const hid_t file = large_file();
    const long before = peak_kib();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_query_options options = cases[i].options;
        options.size = sizeof options;
        CHECK_U64(run(file, &options), cases[i].n_rows);
        if (peak_kib() - before > BOUND_KIB) {
            FAIL("query %zu of a table of %d MB took %ld MiB", i, RAW_BYTES / 1000000,
                 (peak_kib() - before) / 1024);
        }
    }
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(a_query_takes_little_memory))
