/* Tables of thousands of columns: what is open does not grow with them (src/column/column.h). */
#include <stdio.h>
#include <stdlib.h>

#include "column/column.h"
#include "table/kit.h"
#include "table/write/append.h"

enum { N_COLUMNS = 2 * STOA_MANY_COLUMNS + 3, N_ROWS = 3, FEW = 50 };

/* Three rows of integers and, at the end, of categories. */
static batch rows_of(int64_t first)
{
    static const char *const texts[] = {"red", "blue", "red"};
    batch b = batch_begin(N_COLUMNS, N_ROWS);
    char name[32];

    for (int64_t i = 0; i < N_COLUMNS; i++) {
        (void)snprintf(name, sizeof name, "c%05lld", (long long)i);
        if (i == N_COLUMNS - 1) {
            batch_categories(&b, i, name, texts);
        } else {
            batch_integers(&b, i, name, "i", (int64_t[]){first + i, first + i + 1, i}, NULL);
        }
    }
    return b;
}

static void make(hid_t file, int64_t n_batches)
{
    const stoa_column_options storage = {.codec = "deflate", .chunk_rows = 4};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch batches[3];

    options.columns = &storage;
    options.n_columns = 1;
    options.indexes = &(stoa_column_index){.column = "c00007", .kind = "minmax"};
    options.n_indexes = 1;
    for (int64_t i = 0; i < n_batches; i++) {
        batches[i] = rows_of(100 * i);
    }
    write_batches(file, "/t", batches, (size_t)n_batches, &options);
}

static void close_table(stoa_table *table, hid_t file)
{
    stoa_table_close(table);
    H5Fclose(file);
}

/* The same file for reading. */
static hid_t reopen(hid_t file)
{
    char name[4096];

    CHECK_H5(H5Fget_name(file, name, sizeof name));
    CHECK_H5(H5Fclose(file));
    return (hid_t)CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
}

static size_t n_datasets(hid_t file)
{
    return (size_t)CHECK_H5(H5Fget_obj_count(file, H5F_OBJ_DATASET));
}

static void read_all(stoa_table *table)
{
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < N_COLUMNS; i++) {
        struct ArrowArray rows = {.release = NULL};
        CHECK_OK(stoa_column_read(stoa_table_column(table, i), 0, N_ROWS, &rows, &err), &err);
        rows.release(&rows);
    }
}

static bool count_index(void *context, const stoa_index_info *info)
{
    (void)info;
    ++*(size_t *)context;
    return true;
}

static void columns_that_were_read_have_no_open_dataset(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_column_storage storage = STOA_COLUMN_STORAGE_INIT;
    size_t n_indexes = 0;
    hid_t file = new_file();

    make(file, 1);
    file = reopen(file);
    stoa_table *table = open_table(file, "/t");
    read_all(table);
    CHECK(n_datasets(file) < FEW);
    read_all(table);
    CHECK(n_datasets(file) < FEW);
    EXPECT(table, "c00007", "7", "8", "7");
    EXPECT(table, "c02002", "'red'", "'blue'", "'red'");
    CHECK_OK(stoa_column_storage_of(stoa_table_column(table, 7), &storage, &err), &err);
    CHECK_STR(storage.layout, "chunked");
    CHECK_U64(storage.chunk_rows, 4);
    CHECK(storage.n_stored_bytes > 0);
    CHECK_OK(stoa_index_visit(table, count_index, &n_indexes, &err), &err);
    CHECK_U64(n_indexes, 1);
    close_table(table, file);
}

/* A query opens indexes when it needs them, and may have read rows by then. */
static void an_index_is_opened_after_rows_were_read(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_index_set *set = NULL;
    stoa_index *index = NULL;
    struct ArrowArray rows = {.release = NULL};
    hid_t file = new_file();

    make(file, 1);
    file = reopen(file);
    stoa_table *table = open_table(file, "/t");
    stoa_column *column = stoa_table_find(table, "c00007");
    CHECK_OK(stoa_table_indexes_of(table, column, &set, &err), &err);
    CHECK_OK(stoa_column_read(column, 0, N_ROWS, &rows, &err), &err);
    rows.release(&rows);
    CHECK_OK(stoa_index_set_get(set, 0, N_ROWS, &index, &err), &err);
    CHECK(index != NULL);
    close_table(table, file);
}

/* Append to a table of many columns, which may hold that many bytes of chunks between batches. */
static void append_one(bool holds, uint64_t most_held)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_appender appender;
    const hid_t file = new_file();
    batch b = rows_of(200);

    make(file, 2);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_appender_begin(table, &appender, &err), &err);
    appender.most_held = most_held;
    CHECK_OK(stoa_appender_match(&appender, &b.schema, &err), &err);
    CHECK_OK(stoa_appender_add(&appender, &b.schema, &b.array, &err), &err);
    for (size_t i = 0; i < N_COLUMNS; i++) {
        CHECK((table->columns[i]->writer != NULL) == holds);
    }
    CHECK_OK(stoa_appender_finish(&appender, 0, &err), &err);
    CHECK_OK(stoa_table_commit(table, appender.n_rows, &err), &err);
    stoa_appender_clear(&appender);
    b.array.release(&b.array);
    b.schema.release(&b.schema);
    EXPECT(table, "c00000", "0", "1", "0", "100", "101", "0", "200", "201", "0");
    EXPECT(table, "c01000", "1000", "1001", "1000", "1100", "1101", "1000", "1200", "1201", "1000");
    EXPECT(table, "c02001", "2001", "2002", "2001", "2101", "2102", "2001", "2201", "2202", "2001");
    close_table(table, file);
}

static void an_append_holds_no_chunk_of_each_column_if_they_are_large(void)
{
    append_one(false, 0);
}

static void an_append_holds_the_chunks_of_all_columns_if_they_are_small(void)
{
    append_one(true, UINT64_C(1) << 28);
}

TEST_MAIN(TEST(columns_that_were_read_have_no_open_dataset),
          TEST(an_index_is_opened_after_rows_were_read),
          TEST(an_append_holds_no_chunk_of_each_column_if_they_are_large),
          TEST(an_append_holds_the_chunks_of_all_columns_if_they_are_small))
