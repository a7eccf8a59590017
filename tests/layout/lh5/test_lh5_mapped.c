/* LH5 that is read from a map of its file: stoa_table_open_with(), src/column/list/reader.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/layout.h>
#include <stoa/query.h>
#include <string.h>
#include <unistd.h>

#include "arrow/build.h"
#include "layout/lh5_kit.h"
#include "support/check.h"

enum { ROWS = 5000, LENGTH = 3, ITEMS = ROWS * LENGTH };

/* Row i of the vectors is 3 i, 3 i + 1, 3 i + 2, as numbers of two kinds; of `x` it is i / 2, and
 * `ok` where i is a multiple of 3. */
static void write_table(const char *name, const int64_t *ends)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    static float floats[ITEMS];
    static int32_t integers[ITEMS];
    static double x[ROWS];
    static uint8_t ok[ROWS];

    CHECK_H5(H5Pset_alignment(fapl, 1024, 64)); /* else they may lie where they have to be copied */
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    for (int i = 0; i < ITEMS; i++) {
        floats[i] = (float)i;
        integers[i] = i;
    }
    for (int i = 0; i < ROWS; i++) {
        x[i] = i / 2.0;
        ok[i] = i % 3 == 0;
    }
    lh5_group(file, "t", "table{f,n,x,ok}");
    lh5_group(file, "t/f", "array<1>{array<1>{real}}");
    lh5_group(file, "t/n", "array<1>{array<1>{real}}");
    lh5_put(file, "t/f/cumulative_length", "array<1>{real}", H5T_NATIVE_INT64, ROWS, ends);
    lh5_put(file, "t/f/flattened_data", "array<1>{real}", H5T_NATIVE_FLOAT, ITEMS, floats);
    lh5_put(file, "t/n/cumulative_length", "array<1>{real}", H5T_NATIVE_INT64, ROWS, ends);
    lh5_put(file, "t/n/flattened_data", "array<1>{real}", H5T_NATIVE_INT32, ITEMS, integers);
    lh5_put(file, "t/x", "array<1>{real}", H5T_NATIVE_DOUBLE, ROWS, x);
    lh5_put(file, "t/ok", "array<1>{bool}", H5T_NATIVE_UINT8, ROWS, ok);
    lh5_say(file, "rows that follow", "so that the last of them are not at the file's end");
    CHECK_H5(H5Pclose(fapl));
    CHECK_H5(H5Fclose(file));
}

static int64_t *good_ends(void)
{
    static int64_t ends[ROWS];

    for (int64_t i = 0; i < ROWS; i++) {
        ends[i] = (i + 1) * LENGTH;
    }
    return ends;
}

/* A table of the file, which is closed already: it stays open as long as the table. */
static stoa_table *open_table(const char *name, bool maps)
{
    stoa_open_options options = STOA_OPEN_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));

    options.map = maps;
    CHECK_OK(stoa_table_open_with(file, "/t", &options, &table, &err), &err);
    CHECK_H5(H5Fclose(file));
    return table;
}

/* The answer to a question, which has one batch; what it failed with, else. */
static stoa_status ask(stoa_table *table, const char *columns, const char *where,
                       struct ArrowArray *batch, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray end = {.release = NULL};
    stoa_query *query = NULL;

    options.columns = columns;
    options.where = where;
    options.threads = 1;
    batch->release = NULL;
    stoa_status status = stoa_query_open(table, &options, &query, err);
    status = status == STOA_OK ? stoa_query_run(query, &stream, err) : status;
    status = status == STOA_OK ? stoa_stream_next(&stream, batch, err) : status;
    if (status == STOA_OK) {
        CHECK_OK(stoa_stream_next(&stream, &end, err), err);
        CHECK(end.release == NULL);
    }
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static const struct ArrowArray *lists_of(const struct ArrowArray *batch)
{
    const struct ArrowArray *const lists = batch->children[0];
    const int32_t *const offsets = lists->buffers[1];

    CHECK_I64(lists->length, ROWS);
    for (int32_t i = 0; i <= ROWS; i++) {
        CHECK_I64(offsets[lists->offset + i], i * LENGTH);
    }
    return lists->children[0];
}

static bool is_mapped(const char *name)
{
    FILE *const maps = fopen("/proc/self/maps", "r");
    char line[8192];
    bool is = false;

    if (maps == NULL) {
        SKIP("the system does not say what is mapped");
    }
    while (fgets(line, sizeof line, maps) != NULL) {
        is = is || strstr(line, name) != NULL;
    }
    CHECK_I64(fclose(maps), 0);
    return is;
}

/* One of the two batches is released before the table is closed, and the other one after. */
static void lists_of_floats_are_handed_out_in_the_map_which_stays_as_long_as_they(void)
{
    const char *const name = check_path("handed-out.lh5");
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray batch;
    struct ArrowArray another;

    write_table(name, good_ends());
    stoa_table *const table = open_table(name, true);
    CHECK_OK(ask(table, "f", NULL, &batch, &err), &err);
    CHECK_OK(ask(table, "f", NULL, &another, &err), &err);
    CHECK(lists_of(&batch)->buffers[1] == lists_of(&another)->buffers[1]);
    another.release(&another);
    stoa_table_close(table);
    CHECK(is_mapped(name));
    const float *const items = lists_of(&batch)->buffers[1];
    for (int i = 0; i < ITEMS; i++) {
        CHECK_F64(items[i], i);
    }
    batch.release(&batch);
    CHECK(!is_mapped(name));
}

/* What was taken of others is the taker's: nothing of it lies in the file. */
static void lists_of_integers_are_copied_out_of_the_map(void)
{
    const char *const name = check_path("copied.lh5");
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray batch;

    write_table(name, good_ends());
    stoa_table *const table = open_table(name, true);
    CHECK_OK(ask(table, "n", NULL, &batch, &err), &err);
    CHECK(is_mapped(name));
    stoa_table_close(table);
    CHECK(!is_mapped(name));
    const int32_t *const items = lists_of(&batch)->buffers[1];
    for (int i = 0; i < ITEMS; i++) {
        CHECK_I64(items[i], i);
    }
    batch.release(&batch);
}

/* Multiples of 3 of which the half is more than 2000, of 5000 rows: 4002, 4005 ... 4998. */
static void rows_are_chosen_by_what_is_in_the_map(void)
{
    const char *const name = check_path("chosen.lh5");
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray batch;

    write_table(name, good_ends());
    for (int maps = 0; maps < 2; maps++) {
        stoa_table *const table = open_table(name, maps == 1);
        CHECK_OK(ask(table, "x,f", "x > 2000 and ok and f[1] != 12004", &batch, &err), &err);
        CHECK(is_mapped(name) == (maps == 1));
        CHECK_I64(batch.length, (4998 - 4002) / 3 + 1);
        const double *const x = batch.children[0]->buffers[1];
        for (int64_t i = 0; i < batch.length; i++) {
            CHECK_F64(x[i], (double)(4002 + 3 * i) / 2);
        }
        batch.release(&batch);
        CHECK_OK(ask(table, "x", "f[0] = 12003 or ok and sum(f) = 30", &batch, &err), &err);
        CHECK_I64(batch.length, 2); /* rows 4001 and 3: 9 + 10 + 11 */
        batch.release(&batch);
        stoa_table_close(table);
    }
}

static void a_file_cut_short_is_an_error_and_no_signal(void)
{
    const char *const name = check_path("cut.lh5");
    struct ArrowArray batch;

    write_table(name, good_ends());
    stoa_table *const table = open_table(name, true);
    const char *const columns[] = {"f", "n", "x", "ok"};
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
            stoa_error err = STOA_ERROR_INIT;
            CHECK_STATUS(is_cut ? STOA_EIO : STOA_OK, ask(table, columns[i], NULL, &batch, &err),
                         &err);
            CHECK(!is_cut || strstr(err.message, "cut off while it was read") != NULL);
            stoa_array_release(&batch);
        }
        CHECK_I64(truncate(name, 3000), 0);
    }
    stoa_table_close(table);
}

static void ends_that_lie_are_refused(void)
{
    const struct {
        int row;
        int64_t end;
        const char *says;
    } lies[] = {{4000, 5, "cumulative_length descends, or is negative"},
                {0, -1, "cumulative_length descends, or is negative"},
                {256, INT64_C(3) << 32, "cumulative_length descends, or is negative"},
                {ROWS - 1, ITEMS + 1, "cumulative_length goes beyond the end of the data"},
                {ROWS - 1, INT64_C(1) << 32, "cumulative_length goes beyond the end of the data"}};
    const char *const name = check_path("lies.lh5");
    struct ArrowArray batch;

    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        int64_t *const ends = good_ends();
        stoa_error err = STOA_ERROR_INIT;
        ends[lies[i].row] = lies[i].end;
        write_table(name, ends);
        stoa_table *const table = open_table(name, true);
        CHECK_STATUS(STOA_EDATA, ask(table, "f", NULL, &batch, &err), &err);
        CHECK_CONTAINS(err.message, lies[i].says);
        stoa_table_close(table);
    }
}

/* Rows of records, whose file is met when the table is opened. */
static void records_are_read_from_the_map_too(void)
{
    typedef struct record {
        double x;
        int32_t n;
    } record;
    static record records[ROWS];
    const char *const name = check_path("records.h5");
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray batch;
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(record)));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ROWS}, NULL));

    for (int i = 0; i < ROWS; i++) {
        records[i] = (record){i / 4.0, i};
    }
    CHECK_H5(H5Tinsert(type, "x", offsetof(record, x), H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(type, "n", offsetof(record, n), H5T_NATIVE_INT32));
    const hid_t set =
        CHECK_H5(H5Dcreate2(file, "t", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, records));
    CHECK_H5(H5Dclose(set));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
    stoa_table *const table = open_table(name, true);
    CHECK_OK(ask(table, "x", "n >= 4000", &batch, &err), &err);
    CHECK(is_mapped(name));
    CHECK_I64(batch.length, 1000);
    CHECK_F64(((const double *)batch.children[0]->buffers[1])[999], 4999 / 4.0);
    batch.release(&batch);
    stoa_table_close(table);
}

static void options_without_a_size_are_refused(void)
{
    const char *const name = check_path("none.lh5");
    const stoa_open_options none = {0};
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    write_table(name, good_ends());
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_STATUS(STOA_EINVAL, stoa_table_open_with(file, "/t", &none, &table, &err), &err);
    CHECK_CONTAINS(err.message, "STOA_OPEN_OPTIONS_INIT");
    CHECK(table == NULL);
    CHECK_OK(stoa_table_open_with(file, "/t", NULL, &table, &err), &err);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(lists_of_floats_are_handed_out_in_the_map_which_stays_as_long_as_they),
          TEST(lists_of_integers_are_copied_out_of_the_map),
          TEST(rows_are_chosen_by_what_is_in_the_map),
          TEST(a_file_cut_short_is_an_error_and_no_signal), TEST(ends_that_lie_are_refused),
          TEST(records_are_read_from_the_map_too), TEST(options_without_a_size_are_refused))
