/* Cells of rows, byte by byte, for src/layout/common/pack.c. */
#include "layout/common/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "layout/common/column_stats.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"

enum { ROWS = 3 };

static const stoa_pack_rules rules = {.layout = "theirs", .has_times = true};

/* Rows [first, first + n) of the batch, packed; `out` has room for them. */
static stoa_status pack_rows(batch *b, int64_t first, int64_t n, uint8_t *out, size_t *size,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_stats *stats = NULL;
    stoa_pack pack = {.stored = H5I_INVALID_HID};
    stoa_view view;

    STOA_TRY(stoa_column_stats_make(&b->schema, &stats, err));
    STOA_TRY(stoa_column_stats_add(stats, &b->schema, &b->array, NULL, err));
    STOA_TRY(stoa_pack_make(&b->schema, stats, &rules, &pack, err));
    STOA_TRY(stoa_view_of(&b->schema, &b->array, &view, err));
    *size = pack.size;
    memset(out, 0, (size_t)n * pack.size);
    STOA_TRY(stoa_pack_number_labels(&pack, &view, err));
    STOA_TRY(stoa_pack_rows(&pack, &view, first, n, out, err));

done:
    stoa_pack_clear(&pack);
    if (stats != NULL) {
        stoa_column_stats_free(stats, (size_t)b->schema.n_children);
    }
    return status;
}

static void check_rows(batch *b, int64_t first, int64_t n, const void *expected, size_t row_size)
{
    stoa_error err = STOA_ERROR_INIT;
    uint8_t out[256];
    size_t size = 0;

    CHECK_OK(pack_rows(b, first, n, out, &size, &err), &err);
    CHECK_U64(size, row_size);
    CHECK_MEM(out, expected, (size_t)n * row_size);
    batch_end(b);
}

static void cells_follow_each_other_without_gaps(void)
{
    static const bool valid[ROWS] = {true, true, true};
    batch b = batch_begin(4, ROWS);

    batch_integers(&b, 0, "a", "c", (int64_t[]){1, -1, 2}, valid);
    batch_integers(&b, 1, "b", "i", (int64_t[]){0x01020304, -2, 7}, valid);
    batch_strings(&b, 2, "s", (const char *[]){"xyz", "", "q"});
    batch_integers(&b, 3, "t", "b", (int64_t[]){1, 0, 1}, valid);
    check_rows(&b, 0, ROWS, (uint8_t[]){1,    4,    3,    2,    1,    'x', 'y', 'z', 1, /**/
                                        0xff, 0xfe, 0xff, 0xff, 0xff, 0,   0,   0,   0, /**/
                                        2,    7,    0,    0,    0,    'q', 0,   0,   1},
               9);
}

static void some_rows_are_packed(void)
{
    static const bool valid[ROWS] = {true, true, true};
    batch b = batch_begin(2, ROWS);

    batch_integers(&b, 0, "a", "s", (int64_t[]){1, 2, 3}, valid);
    batch_strings(&b, 1, "s", (const char *[]){"a", "b", "c"});
    check_rows(&b, 1, 2, (uint8_t[]){2, 0, 'b', 3, 0, 'c'}, 3);
}

static void missing_floats_are_nan(void)
{
    stoa_error err = STOA_ERROR_INIT;
    static const bool valid[ROWS] = {true, false, true};
    batch b = batch_begin(2, ROWS);
    uint8_t out[64];
    size_t size = 0;

    batch_floats(&b, 0, "f", "f", (double[]){1.5, 0, -2}, valid);
    batch_floats(&b, 1, "g", "g", (double[]){0.25, 9, 4}, valid);
    CHECK_OK(pack_rows(&b, 0, ROWS, out, &size, &err), &err);
    CHECK_U64(size, 12);
    for (size_t i = 0; i < ROWS; i++) {
        float f = 0;
        double g = 0;
        memcpy(&f, out + i * size, sizeof f);
        memcpy(&g, out + i * size + 4, sizeof g);
        CHECK_F64((double)f, i == 0 ? 1.5 : i == 1 ? (double)NAN : -2.0);
        CHECK_F64(g, i == 0 ? 0.25 : i == 1 ? (double)NAN : 4.0);
    }
    batch_end(&b);
}

/* Microseconds first, then seconds; both have the sign of the time (PyTables notes §4). */
static void times_are_seconds_and_microseconds(void)
{
    static const bool valid[ROWS] = {true, true, true};
    batch b = batch_begin(3, ROWS);
    const int32_t expected[ROWS][5] = {
        {2, 500000, 1, 1000, 3},
        {-2, -500000, -1, -1000, -3},
        {0, 0, 7, 0, 0},
    };

    batch_integers(&b, 0, "s", "tss:UTC", (int64_t[]){2, -2, 0}, valid);
    batch_integers(&b, 1, "m", "tsm:UTC", (int64_t[]){1500, -1500, 7000}, valid);
    batch_integers(&b, 2, "n", "tsn:UTC", (int64_t[]){3001000000, -3001000000, 0}, valid);
    check_rows(&b, 0, ROWS, expected, 20);
}

static void labels_are_their_numbers(void)
{
    batch b = batch_begin(1, ROWS);

    batch_categories(&b, 0, "c", (const char *[]){"red", "blue", "red"});
    check_rows(&b, 0, ROWS, (uint8_t[]){0, 1, 0}, 1);
}

/* A name that begins so is none that PyTables' enumerations can have. */
static void labels_that_are_no_members_are_texts(void)
{
    batch b = batch_begin(1, ROWS);

    batch_categories(&b, 0, "c", (const char *[]){"_r", "b", "_r"});
    check_rows(&b, 0, ROWS, "_rb\0_r", 2);
}

/* So that its cell would have no room for it. */
static void a_label_that_no_row_has_may_be_long(void)
{
    batch b = batch_begin(1, ROWS);
    batch labels = batch_begin(1, ROWS);

    batch_strings(&labels, 0, "c", (const char *[]){"much longer than a cell", "_r", "b"});
    batch_labelled(&b, 0, "c", &labels, (int64_t[]){1, 2, 1});
    check_rows(&b, 0, ROWS, "_rb\0_r", 2);
}

/* As texts, and as members of an enumeration. */
static void each_batch_may_have_its_own_labels(void)
{
    static const char *const texts[][2][ROWS] = {{{"_r", "b", "_r"}, {"b", "_r", "b"}},
                                                 {{"red", "blue", "red"}, {"blue", "red", "blue"}}};
    static const uint8_t cells[][2][6] = {{"_rb\0_r", "b\0_rb"}, {{0, 1, 0}, {1, 0, 1}}};

    for (size_t k = 0; k < 2; k++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_column_stats *stats = NULL;
        stoa_pack pack = {.stored = H5I_INVALID_HID};
        batch batches[] = {batch_begin(1, ROWS), batch_begin(1, ROWS)};
        batch_categories(&batches[0], 0, "c", texts[k][0]);
        batch_categories(&batches[1], 0, "c", texts[k][1]);
        CHECK_OK(stoa_column_stats_make(&batches[0].schema, &stats, &err), &err);
        for (size_t i = 0; i < 2; i++) {
            CHECK_OK(
                stoa_column_stats_add(stats, &batches[i].schema, &batches[i].array, NULL, &err),
                &err);
        }
        CHECK_OK(stoa_pack_make(&batches[0].schema, stats, &rules, &pack, &err), &err);
        for (size_t i = 0; i < 4; i++) { /* each twice */
            uint8_t out[ROWS * 2] = {0};
            stoa_view view;
            CHECK_OK(stoa_view_of(&batches[i / 2].schema, &batches[i / 2].array, &view, &err),
                     &err);
            CHECK_OK(stoa_pack_number_labels(&pack, &view, &err), &err);
            CHECK_OK(stoa_pack_rows(&pack, &view, 0, ROWS, out, &err), &err);
            CHECK_MEM(out, cells[k][i / 2], ROWS * pack.size);
        }
        stoa_pack_clear(&pack);
        stoa_column_stats_free(stats, 1);
        batch_end(&batches[0]);
        batch_end(&batches[1]);
    }
}

static batch swept;

static stoa_status pack_swept(stoa_error *err)
{
    uint8_t out[64];
    size_t size = 0;

    return pack_rows(&swept, 0, ROWS, out, &size, err);
}

static void memory_may_run_out(void)
{
    static const bool valid[ROWS] = {true, true, true};

    swept = batch_begin(2, ROWS);
    batch_integers(&swept, 0, "a", "s", (int64_t[]){1, 2, 3}, valid);
    batch_categories(&swept, 1, "c", (const char *[]){"red", "blue", "red"});
    CHECK(sweep_memory_throughout(pack_swept) > 3);
    batch_end(&swept);
}

TEST_MAIN(TEST(cells_follow_each_other_without_gaps), TEST(some_rows_are_packed),
          TEST(missing_floats_are_nan), TEST(times_are_seconds_and_microseconds),
          TEST(labels_are_their_numbers), TEST(labels_that_are_no_members_are_texts),
          TEST(a_label_that_no_row_has_may_be_long), TEST(each_batch_may_have_its_own_labels),
          TEST(memory_may_run_out))
