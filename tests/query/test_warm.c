/* What a table that is open remembers: rows that were asked for before touch no file. The file is
 * cut off to nothing behind the table's back, so that whatever is read of it fails. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table/open/table.h"
#include "tables.h"

/* Rows in chunks of 4000. Row i has the id i * 7919 % 20011, of which no other row has the same:
 * both are primes. */
enum { N = 20000, CHUNK = 4000 };

static home open_home(const char *codec, unsigned flags)
{
    static const stoa_column_index indexes[] = {{"id", "sorted"}, {"t", "minmax"}, {"v", "bitmap"}};
    const char *name = check_path("warm.h5");
    const stoa_column_options all = {NULL, codec, CHUNK};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    int64_t *values = calloc(3 * (size_t)N, sizeof *values);
    batch b = batch_begin(3, N);

    CHECK(values != NULL);
    for (int64_t i = 0; i < N; i++) {
        values[i] = i * 7919 % 20011;
        values[N + i] = i;
        values[2 * N + i] = i % 50;
    }
    batch_integers(&b, 0, "id", "l", values, NULL);
    batch_integers(&b, 1, "t", "l", values + N, NULL);
    batch_integers(&b, 2, "v", "i", values + 2 * (size_t)N, NULL);
    free(values);
    options.columns = &all;
    options.n_columns = 1;
    options.indexes = indexes;
    options.n_indexes = 3;
    const hid_t made = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(made, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(made));

    home h = {.file = CHECK_H5(H5Fopen(name, flags, H5P_DEFAULT))};
    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    return h;
}

/* Row 5 has the id 19584. */
static void ask_for_a_row(home *h)
{
    CHECK_STR(ASK(h, .where = "id = 19584", .aggregates = "max(v), max(t)", .use_indexes = true),
              "5 5");
}

/* Rows 17, 9017 and 19999, whose v are 17, 17 and 49; the last id is of no row. */
static void ask_for_some(home *h, unsigned threads)
{
    CHECK_STR(ASK(h, .where = "id in (14557, 6375, 5027, 12519)", .aggregates = "count(), sum(v)",
                  .use_indexes = true, .threads = threads),
              "3 83");
}

/* Rows 3900 to 4099, of two chunks: four times 0 + 1 + ... + 49. */
static void ask_for_a_range(home *h, unsigned threads)
{
    CHECK_STR(ASK(h, .where = "t >= 3900 and t < 4100", .aggregates = "count(), sum(v)",
                  .use_indexes = true, .threads = threads),
              "200 4900");
}

static void check_warm(const char *codec)
{
    home h = open_home(codec, H5F_ACC_RDONLY);

    for (int i = 0; i < 3; i++) {
        ask_for_a_row(&h);
        ask_for_some(&h, 1);
        ask_for_a_range(&h, 1);
    }
    CHECK(truncate(check_path("warm.h5"), 0) == 0);
    for (unsigned threads = 1; threads < 4; threads++) {
        ask_for_a_row(&h);
        ask_for_some(&h, threads);
        ask_for_a_range(&h, threads);
    }
    CHECK_CONTAINS(
        ASK(&h, .where = "t >= 15000 and t < 15100", .aggregates = "sum(v)", .use_indexes = true),
        "cut off");
    home_leave(&h);
}

/* Chunks of 32,000 and 16,000 bytes, of which half of the memory must have a fourth. */
static void a_table_keeps_as_much_as_it_was_told(void)
{
    enum { LITTLE = 100000 };
    home h = open_home("deflate", H5F_ACC_RDONLY);
    stoa_open_options options = STOA_OPEN_OPTIONS_INIT;

    for (int turn = 0; turn < 3; turn++) {
        options.memory = turn == 0 ? 0 : turn == 1 ? LITTLE : 1 << 20;
        stoa_table_close(h.table);
        CHECK_OK(stoa_table_open_with(h.file, "/t", &options, &h.table, NULL));
        for (int i = 0; i < 3; i++) {
            ask_for_a_range(&h, 1);
        }
        const size_t n_bytes =
            stoa_chunk_cache_bytes(stoa_read_context_cache(h.table->read_context));
        CHECK(turn == 1 ? n_bytes <= LITTLE / 2 : n_bytes > LITTLE / 2);
    }
    home_leave(&h);
}

static void packed_rows_that_were_asked_for_touch_no_file(void)
{
    check_warm("auto");
}

static void deflated_rows_that_were_asked_for_touch_no_file(void)
{
    check_warm("deflate:1");
}

static void raw_rows_that_were_asked_for_touch_no_file(void)
{
    check_warm("none");
}

/* Half of the rows, one here and one there, whose v are odd: 400 times 1 + 3 + ... + 49. */
#define ODD                                                                                        \
    "v in (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, "    \
    "45, 47, 49)"

static void ask_for_odd_ones(home *h, bool by_bits, unsigned threads)
{
    const char *plan =
        EXPLAIN(h, .where = ODD, .aggregates = "sum(t)", .use_indexes = true, .threads = threads);

    CHECK_CONTAINS(plan, "index  v  BITMAP: passed over, about 20000 rows expected");
    CHECK((strstr(plan, "index  v  BITMAP: rows are tested by its bits") != NULL) == by_bits);
    CHECK_STR(ASK(h, .where = ODD, .aggregates = "count(), sum(v)", .use_indexes = true,
                  .threads = threads),
              "10000 250000");
    CHECK_STR(ASK(h, .where = "not (" ODD ") or t < 2", .aggregates = "count()",
                  .use_indexes = true, .threads = threads),
              "10001");
}

/* A long list of rows is wanted again. */
static void rows_that_are_asked_for_again_are_tested_by_bits(void)
{
    home h = open_home("auto", H5F_ACC_RDONLY);

    ask_for_odd_ones(&h, false, 1);
    for (unsigned threads = 1; threads < 4; threads++) {
        ask_for_odd_ones(&h, true, threads);
    }
    home_leave(&h);
    h = open_home("auto", H5F_ACC_RDWR);
    for (int i = 0; i < 3; i++) {
        ask_for_odd_ones(&h, false, 2);
    }
    home_leave(&h);
}

/* Nothing is remembered of a table that can change. */
static void a_table_that_is_written_to_is_read_anew(void)
{
    home h = open_home("deflate:1", H5F_ACC_RDWR);
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch b = batch_begin(3, 1);

    for (int i = 0; i < 3; i++) {
        ask_for_a_row(&h);
        CHECK_STR(ASK(&h, .where = "id = 777777", .aggregates = "max(v)", .use_indexes = true),
                  "null");
        CHECK_STR(ASK(&h, .where = "t >= 19900", .aggregates = "count()", .use_indexes = true),
                  "100");
    }
    batch_integers(&b, 0, "id", "l", (int64_t[]){777777}, NULL);
    batch_integers(&b, 1, "t", "l", (int64_t[]){20000}, NULL);
    batch_integers(&b, 2, "v", "i", (int64_t[]){99}, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_append(h.table, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_STR(ASK(&h, .where = "id = 777777", .aggregates = "max(v)", .use_indexes = true), "99");
    CHECK_STR(ASK(&h, .where = "t >= 19900", .aggregates = "count()", .use_indexes = true), "101");
    home_leave(&h);
}

TEST_MAIN(TEST(a_table_keeps_as_much_as_it_was_told),
          TEST(packed_rows_that_were_asked_for_touch_no_file),
          TEST(deflated_rows_that_were_asked_for_touch_no_file),
          TEST(raw_rows_that_were_asked_for_touch_no_file),
          TEST(rows_that_are_asked_for_again_are_tested_by_bits),
          TEST(a_table_that_is_written_to_is_read_anew))
