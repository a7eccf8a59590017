/* What is learned of rows before they are written, for src/layout/common/column_stats.c. */
#include "layout/common/column_stats.h"

#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"

enum { ROWS = 4 };

static const bool valid[ROWS] = {true, false, true, true};

static batch make_rows(void)
{
    batch b = batch_begin(5, ROWS);

    batch_integers(&b, 0, "n", "s", (int64_t[]){-7, 0, 300, 2}, valid);
    batch_strings(&b, 1, "s", (const char *[]){"a", NULL, "abc", ""});
    batch_categories(&b, 2, "c", (const char *[]){"x", "y", NULL, "x"});
    batch_integers(&b, 3, "t", "tsn:UTC", (int64_t[]){2000, 1000000000, 0, 3}, valid);
    batch_integers(&b, 4, "m", "tsm:", (int64_t[]){1000, 1, 2000, -3000}, valid);
    return b;
}

static stoa_status learn(batch *b, stoa_column_stats **stats, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_column_stats_make(&b->schema, stats, err));
    status = stoa_column_stats_add(*stats, &b->schema, &b->array, NULL, err);
    if (status != STOA_OK) {
        stoa_column_stats_free(*stats, (size_t)b->schema.n_children);
    }

done:
    return status;
}

static void columns_are_measured(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_column_stats *stats = NULL;
    batch b = make_rows();
    size_t length = 0;

    CHECK_OK(learn(&b, &stats, &err), &err);
    CHECK_U64(stats[0].n_missing, 1);
    CHECK_I64(stats[0].domain.low, -7);
    CHECK_U64(stats[0].domain.high, 300);
    CHECK_U64(stats[1].domain.longest, 3);
    CHECK(stats[1].domain.has_empty);
    CHECK_U64(stats[2].n_missing, 1);
    CHECK_U64(stats[2].labels.count, 2);
    CHECK(stoa_string_set_get(&stats[2].labels, 1, &length)[0] == 'y' && length == 1);
    stoa_column_stats_free(stats, 5);
    batch_end(&b);
}

/* The row that has a rest is missing in both until the last one. */
static void times_with_a_rest_are_seen(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_column_stats *stats = NULL;
    batch b = make_rows();

    CHECK_OK(learn(&b, &stats, &err), &err);
    CHECK(stats[3].has_subsecond && stats[3].has_submicro);
    CHECK(!stats[4].has_subsecond && !stats[4].has_submicro);
    stoa_column_stats_free(stats, 5);
    batch_end(&b);
}

static void a_second_batch_adds_to_the_first(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_column_stats *stats = NULL;
    batch b = make_rows();
    batch more = batch_begin(5, 1);

    batch_integers(&more, 0, "n", "s", (int64_t[]){-9}, NULL);
    batch_strings(&more, 1, "s", (const char *[]){"abcdef"});
    batch_categories(&more, 2, "c", (const char *[]){"z"});
    batch_integers(&more, 3, "t", "tsn:UTC", (int64_t[]){0}, NULL);
    batch_integers(&more, 4, "m", "tsm:", (int64_t[]){1500}, NULL);
    CHECK_OK(learn(&b, &stats, &err), &err);
    CHECK_OK(stoa_column_stats_add(stats, &more.schema, &more.array, NULL, &err), &err);
    CHECK_I64(stats[0].domain.low, -9);
    CHECK_U64(stats[0].domain.high, 300);
    CHECK_U64(stats[1].domain.longest, 6);
    CHECK_U64(stats[2].labels.count, 3);
    CHECK(stats[4].has_subsecond && !stats[4].has_submicro);
    stoa_column_stats_free(stats, 5);
    batch_end(&more);
    batch_end(&b);
}

/* The first batch is gone by then, and memory of its size is free. */
static void labels_of_another_dictionary_are_added(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_column_stats *stats = NULL;
    batch b = batch_begin(1, 1);

    batch_categories(&b, 0, "c", (const char *[]){"x"});
    CHECK_OK(learn(&b, &stats, &err), &err);
    CHECK_OK(stoa_column_stats_add(stats, &b.schema, &b.array, NULL, &err), &err);
    CHECK_U64(stats[0].labels.count, 1);
    batch_end(&b);
    b = batch_begin(1, 1);
    batch_categories(&b, 0, "c", (const char *[]){"\xc3\xa4"});
    CHECK_OK(stoa_column_stats_add(stats, &b.schema, &b.array, NULL, &err), &err);
    CHECK_U64(stats[0].labels.count, 2);
    CHECK_U64(stats[0].domain.longest, 2);
    CHECK(stats[0].has_high_bytes);
    stoa_column_stats_free(stats, 1);
    batch_end(&b);
}

static stoa_status learn_and_forget(stoa_error *err)
{
    static batch b;
    static bool is_made;
    stoa_column_stats *stats = NULL;

    if (err == NULL) { /* once, before memory runs out; and once after */
        if (is_made) {
            batch_end(&b);
        } else {
            b = make_rows();
        }
        is_made = !is_made;
        return STOA_OK;
    }
    const stoa_status status = learn(&b, &stats, err);
    if (status == STOA_OK) {
        stoa_column_stats_free(stats, 5);
    }
    return status;
}

static void memory_may_run_out(void)
{
    CHECK_OK(learn_and_forget(NULL));
    CHECK(sweep_memory_throughout(learn_and_forget) > 3);
    CHECK_OK(learn_and_forget(NULL));
}

TEST_MAIN(TEST(columns_are_measured), TEST(times_with_a_rest_are_seen),
          TEST(a_second_batch_adds_to_the_first), TEST(labels_of_another_dictionary_are_added),
          TEST(memory_may_run_out))
