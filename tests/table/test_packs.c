/* How often chunks are packed on their way into a table: once per append, edit or copy, however
 * many batches or runs of rows it comes in (src/hdf/chunk/chunk_writer.h). */
#include <stdlib.h>

#include "column/column.h"
#include "table/edited.h"
#include "table/kit.h"

#include "support/packs.h"

enum { CHUNK = 4096 };

static int64_t value_of(int64_t row)
{
    return row * 7919 % 1000;
}

/* Rows [first, first + n) of two columns of integers. */
static batch rows_of(int64_t first, int64_t n)
{
    batch b = batch_begin(2, n);
    int64_t *values = malloc((size_t)n * sizeof *values);

    CHECK(values != NULL);
    for (int64_t i = 0; i < n; i++) {
        values[i] = value_of(first + i);
    }
    batch_integers(&b, 0, "a", "l", values, NULL);
    for (int64_t i = 0; i < n; i++) {
        values[i] = first + i;
    }
    batch_integers(&b, 1, "b", "i", values, NULL);
    free(values);
    return b;
}

static stoa_table *table_of(hid_t file, int64_t n_rows)
{
    const stoa_column_options storage = {.codec = "deflate", .chunk_rows = CHUNK};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = rows_of(0, n_rows);

    options.columns = &storage;
    options.n_columns = 1;
    write_batches(file, "/t", &b, 1, &options);
    return open_table(file, "/t");
}

/* What `packs` counted since the last time; `n` where nothing can be counted. */
static uint64_t n_packs_or(uint64_t n)
{
    const uint64_t found = check_counts_packs() ? check_n_packs() : n;

    check_forget_packs();
    return found;
}

static void expect_rows(stoa_table *table, const char *name, int64_t (*rule)(int64_t row))
{
    stoa_error err = STOA_ERROR_INIT;
    void *elements = NULL;
    stoa_column *column = stoa_table_find(table, name);
    const uint64_t n = stoa_table_n_rows(table);

    CHECK_OK(stoa_column_read_elements(column, 0, n, &elements, &err), &err);
    for (uint64_t i = 0; i < n; i++) {
        const int64_t found = column->element.size == 8 ? ((const int64_t *)elements)[i]
                                                        : ((const int32_t *)elements)[i];
        CHECK_I64(found, rule((int64_t)i));
    }
    free(elements);
}

static int64_t row_itself(int64_t row)
{
    return row;
}

static void an_append_of_many_batches_packs_each_chunk_once(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of(file, 1000);
    stoa_error err = STOA_ERROR_INIT;
    batch batches[10];

    (void)n_packs_or(0);
    for (int64_t i = 0; i < 10; i++) { /* all in the chunk that was begun */
        batches[i] = rows_of(1000 + 10 * i, 10);
    }
    CHECK_OK(append_all(table, batches, 10, &err), &err);
    CHECK_U64(n_packs_or(2), 2);
    for (int64_t i = 0; i < 10; i++) { /* to its end, two whole ones, and 1,000 rows more */
        batches[i] = rows_of(1100 + 1219 * i, i < 9 ? 1219 : 1217);
    }
    CHECK_OK(append_all(table, batches, 10, &err), &err);
    CHECK_U64(stoa_table_n_rows(table), 3 * CHUNK + 1000);
    CHECK_U64(n_packs_or(8), 8);
    expect_rows(table, "a", value_of);
    expect_rows(table, "b", row_itself);
    close_table(table, file);
}

static void batches_that_are_longer_than_chunks_pack_each_once(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of(file, 1000);
    stoa_error err = STOA_ERROR_INIT;
    batch batches[2] = {rows_of(1000, 10000), rows_of(11000, 10000)};

    (void)n_packs_or(0);
    CHECK_OK(append_all(table, batches, 2, &err), &err);
    CHECK_U64(n_packs_or(12), 12); /* 21,000 rows: five whole chunks and a part, twice */
    expect_rows(table, "a", value_of);
    expect_rows(table, "b", row_itself);
    close_table(table, file);
}

static int64_t every_second(int64_t row)
{
    return row % 2 == 0 ? -row : row;
}

static int64_t every_thousandth(int64_t row)
{
    return row % 1000 == 0 ? -row : row;
}

static void an_update_packs_each_touched_chunk_once(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of(file, 5 * CHUNK + 100);

    (void)n_packs_or(0);
    CHECK_U64(update(table, "b % 2 = 0", "b", "-b"), (5 * CHUNK + 100) / 2);
    CHECK_U64(n_packs_or(6), 6);
    expect_rows(table, "b", every_second);
    CHECK_U64(update(table, "b % 2 = 0", "b", "-b"), (5 * CHUNK + 100) / 2);
    (void)n_packs_or(0);
    CHECK_U64(update(table, "b % 1000 = 0", "b", "-b"), 21); /* several runs in a chunk */
    CHECK_U64(n_packs_or(5), 5);                             /* none in the last */
    expect_rows(table, "b", every_thousandth);
    expect_rows(table, "a", value_of);
    close_table(table, file);
}

static int64_t without_thousandths(int64_t row)
{
    return row + row / 999 + 1;
}

static void a_deletion_packs_each_chunk_behind_it_once(void)
{
    const hid_t file = new_file();
    stoa_table *table = table_of(file, 3 * CHUNK);

    (void)n_packs_or(0);
    CHECK_U64(delete_rows(table, "b % 1000 = 0"), 13);
    CHECK_U64(n_packs_or(6), 6);
    expect_rows(table, "b", without_thousandths);
    close_table(table, file);
}

static int64_t two_thirds_rows(int64_t row)
{
    return row % 3 > 0 && row > 5000 ? row : value_of(row);
}

static int64_t without_late_thousandths(int64_t row)
{
    return row < 3000 ? row : row + (row - 3000) / 999 + 1;
}

/* More than half of a column of more than a megabyte. */
static void a_column_that_is_written_anew_is_packed_once(void)
{
    enum { N = 200000, N_CHUNKS = (N + CHUNK - 1) / CHUNK };
    const hid_t file = new_file();
    stoa_table *table = table_of(file, N);
    const H5O_token_t before = token_of(file, "/t/a");

    (void)n_packs_or(0);
    CHECK_U64(update(table, "b % 3 > 0 and b > 5000", "a", "b"), 129999);
    CHECK_U64(n_packs_or(N_CHUNKS), N_CHUNKS);
    const H5O_token_t updated = token_of(file, "/t/a");
    CHECK_OTHER_OBJECT(before, updated);
    expect_rows(table, "a", two_thirds_rows);
    CHECK_U64(delete_rows(table, "b % 1000 = 0 and b > 2000"), 197);
    CHECK_U64(n_packs_or(2 * N_CHUNKS), 2 * N_CHUNKS);
    const H5O_token_t moved = token_of(file, "/t/a");
    CHECK_OTHER_OBJECT(updated, moved);
    expect_rows(table, "b", without_late_thousandths);
    close_table(table, file);
}

TEST_MAIN(TEST(an_append_of_many_batches_packs_each_chunk_once),
          TEST(batches_that_are_longer_than_chunks_pack_each_once),
          TEST(an_update_packs_each_touched_chunk_once),
          TEST(a_deletion_packs_each_chunk_behind_it_once),
          TEST(a_column_that_is_written_anew_is_packed_once))
