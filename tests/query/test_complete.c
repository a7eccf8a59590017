/* src/column/read/complete.c beneath src/query/: chunks without missing values are tested once,
 * and the others each time. */
#include <stdio.h>
#include <stdlib.h>

#include "column/read/complete.h"
#include "table/open/table.h"
#include "tables.h"

/* Four chunks are a unit of a scan, and the last one is not full. */
enum { CHUNK = 16384, UNIT = 4 * CHUNK, ROWS = 11 * CHUNK + 1000, N_CHUNKS = 12 };

static bool is_there(int64_t row)
{
    return row / UNIT != 1 || row % 7 != 0;
}

/* `x` is the row's number, and `s` its parity. Both are missing in rows of the second unit. Returns
 * how many they have. */
static int64_t make_table(const char *codec, home *h)
{
    const stoa_column_options columns[] = {{"x", codec, CHUNK}, {"s", "deflate", CHUNK}};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    int64_t *numbers = malloc(ROWS * sizeof *numbers);
    bool *valid = malloc(ROWS * sizeof *valid);
    const char **texts = malloc(ROWS * sizeof *texts);
    batch b = batch_begin(2, ROWS);
    int64_t n = 0;

    CHECK(numbers != NULL && valid != NULL && texts != NULL);
    for (int64_t row = 0; row < ROWS; row++) {
        numbers[row] = row;
        valid[row] = is_there(row);
        texts[row] = !is_there(row) ? NULL : row % 2 == 0 ? "even" : "odd";
        n += valid[row];
    }
    batch_integers(&b, 0, "x", "l", numbers, valid);
    batch_strings(&b, 1, "s", texts);
    free(numbers);
    free(valid);
    free(texts);
    options.columns = columns;
    options.n_columns = 2;
    *h = home_on_disk("complete.h5", &b, &options);
    return n;
}

static void check_known(const home *h, size_t at)
{
    stoa_column *const column = stoa_table_column(h->table, at);

    CHECK(column->complete != NULL);
    for (uint64_t chunk = 0; chunk < N_CHUNKS; chunk++) {
        const uint64_t first = chunk * CHUNK;
        const uint64_t n = chunk + 1 < N_CHUNKS ? CHUNK : ROWS - first;
        CHECK_I64(stoa_complete_has(column->complete, first, n), first / UNIT != 1);
    }
    CHECK(!stoa_complete_has(column->complete, 0, ROWS));
    CHECK(!stoa_complete_has(NULL, 0, 1));
}

static void chunks_without_missing_values_are_known_after_the_second_scan(void)
{
    static const char *const codecs[] = {"deflate", "scaleoffset"};

    for (int c = 0; c < 2; c++) {
        home h = {.table = NULL};
        const int64_t n = make_table(codecs[c], &h);
        char expected[96];
        int64_t sum = 0;
        int64_t length = 0;
        for (int64_t row = 0; row < ROWS; row++) {
            sum += is_there(row) ? row : 0;
            length += is_there(row) ? 3 + (row % 2 == 0) : 0;
        }
        snprintf(expected, sizeof expected, "%lld %lld %lld %lld", (long long)n, (long long)sum,
                 (long long)n, (long long)length);
        for (int i = 0; i < 4; i++) {
            CHECK_STR(ASK(&h, .aggregates = "count(x), sum(abs(x)), count(s), sum(length(s))",
                          .threads = 2),
                      expected);
        }
        check_known(&h, 0);
        check_known(&h, 1);
        home_leave(&h);
    }
}

TEST_MAIN(TEST(chunks_without_missing_values_are_known_after_the_second_scan))
