/* A scan allocates nothing for a chunk: how many allocations a question makes does not depend on
 * how many chunks there are. */
#include <stdlib.h>

#include "core/memory.h"
#include "tables.h"

enum { CHUNK = 1000, MANY = 1000000 };

/* Row i has x = i % 1000 and y = i / 4; deflated, so that each chunk must be unpacked. */
static home make(const char *file, const char *codec, int64_t n)
{
    const char *name = check_path(file);
    const stoa_column_options all = {NULL, codec, CHUNK};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    int64_t *x = malloc((size_t)n * sizeof *x);
    double *y = malloc((size_t)n * sizeof *y);
    batch b = batch_begin(2, n);

    CHECK(x != NULL && y != NULL);
    for (int64_t i = 0; i < n; i++) {
        x[i] = i % 1000;
        y[i] = (double)i / 4;
    }
    batch_integers(&b, 0, "x", "l", x, NULL);
    batch_floats(&b, 1, "y", "g", y, NULL);
    free(x);
    free(y);
    options.columns = &all;
    options.n_columns = 1;
    const hid_t made = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(made, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(made));
    home h = {.file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT))};
    CHECK_OK(stoa_table_open(h.file, "/t", &h.table, &err), &err);
    return h;
}

static uint64_t allocations_of(home *h)
{
    uint64_t left = 0;

    stoa_memory_fail_after(MANY);
    (void)ASK(h, .where = "x >= 500", .aggregates = "count(), sum(y)", .threads = 1);
    for (void *block = stoa_alloc(1, 1); block != NULL; block = stoa_alloc(1, 1)) {
        free(block);
        left++;
    }
    stoa_memory_fail_after(UINT64_MAX);
    CHECK(left < MANY);
    return MANY - left;
}

/*
 * 540 chunks more, of 65 of which a scan makes a unit: a few allocations for each of nine units.
 * The first question unpacks every chunk into buffers that are used again; the second one keeps
 * them, each in memory of its own; those after it find them there.
 */
static void chunks_cost_no_allocations(void)
{
    enum { FEW = 60, MORE = 540, FOR_UNITS = 36 };

    for (const char *const *codec = (const char *const[]){"deflate:1", "zstd", "scaleoffset", NULL};
         *codec != NULL; codec++) {
        home few = make("few.h5", *codec, FEW * CHUNK);
        home many = make("many.h5", *codec, (FEW + MORE) * CHUNK);

        for (int i = 0; i < 4; i++) {
            const uint64_t of_few = allocations_of(&few);
            const uint64_t of_many = allocations_of(&many);
            CHECK(i == 1 || of_many <= of_few + FOR_UNITS);
        }
        home_leave(&few);
        home_leave(&many);
    }
}

TEST_MAIN(TEST(chunks_cost_no_allocations))
