/* Sets of rows, for src/index/common/rowset.c; the property is checked against plain arrays of
 * flags. */
#include "index/common/rowset.h"

#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

static void touching_ranges_melt_together(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_rowset set = {0};

    CHECK_OK(stoa_rowset_push(&set, 10, 5, &err), &err);
    CHECK_OK(stoa_rowset_push(&set, 15, 5, &err), &err);
    CHECK_OK(stoa_rowset_push(&set, 18, 1, &err), &err);
    CHECK_OK(stoa_rowset_push(&set, 30, 0, &err), &err);
    CHECK_U64(set.n_ranges, 1);
    CHECK_U64(set.ranges[0].first, 10);
    CHECK_U64(set.ranges[0].count, 10);
    CHECK_OK(stoa_rowset_push(&set, 21, 1, &err), &err);
    CHECK_U64(set.n_ranges, 2);
    CHECK_U64(stoa_rowset_count(&set), 11);
    stoa_rowset_clear(&set);
    CHECK_U64(stoa_rowset_count(&set), 0);
}

static void rows_before_the_last_range_are_refused(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_rowset set = {0};

    CHECK_OK(stoa_rowset_push(&set, 10, 5, &err), &err);
    CHECK_STATUS(STOA_ERANGE, stoa_rowset_push(&set, 3, 1, &err));
    err.status = STOA_OK;
    CHECK_STATUS(STOA_ERANGE, stoa_rowset_push(&set, UINT64_MAX, 2, &err));
    stoa_rowset_clear(&set);
}

static void a_set_of_every_row_there_can_be_is_one_range(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_rowset set = {0};

    CHECK_OK(stoa_rowset_push(&set, 0, UINT64_MAX, &err), &err);
    CHECK_U64(stoa_rowset_count(&set), UINT64_MAX);
    stoa_rowset_clear(&set);
}

enum { UNIVERSE = 200 };

static void random_set(stoa_rowset *set, bool *flags)
{
    uint64_t at = check_random_below(20);

    while (at < UNIVERSE) {
        uint64_t count = check_random_below(12);
        count = at + count > UNIVERSE ? UNIVERSE - at : count;
        CHECK_OK(stoa_rowset_push(set, at, count, NULL));
        for (uint64_t i = 0; i < count; i++) {
            flags[at + i] = true;
        }
        at += count + check_random_below(15);
    }
}

/* Same members, and the shape the header promises: ascending, disjoint, not adjacent, not empty. */
static void check_set(const stoa_rowset *set, const bool *flags)
{
    bool found[UNIVERSE] = {false};

    for (size_t i = 0; i < set->n_ranges; i++) {
        const stoa_range range = set->ranges[i];
        CHECK(range.count > 0);
        CHECK(i == 0 || range.first > set->ranges[i - 1].first + set->ranges[i - 1].count);
        for (uint64_t k = 0; k < range.count; k++) {
            found[range.first + k] = true;
        }
    }
    CHECK_MEM(found, flags, sizeof found);
}

/* The same set as another one, an empty one, that of all rows, or any. */
static void related_set(const stoa_rowset *other, const bool *in_other, stoa_rowset *set,
                        bool *flags)
{
    switch (check_random_below(6)) {
    case 0:
        CHECK_OK(stoa_rowset_copy(other, set, NULL));
        memcpy(flags, in_other, UNIVERSE * sizeof *flags);
        break;
    case 1:
        break;
    case 2:
        CHECK_OK(stoa_rowset_push(set, 0, UNIVERSE, NULL));
        memset(flags, true, UNIVERSE * sizeof *flags);
        break;
    default:
        random_set(set, flags);
        break;
    }
}

/* In place, by a copy of each set. */
static void check_in_place(const stoa_rowset *a, const stoa_rowset *b, const bool *in_b, bool unite,
                           const bool *expected)
{
    stoa_rowset set = {0};
    stoa_rowset other = {0};

    CHECK_OK(stoa_rowset_copy(b, &other, NULL));
    CHECK_OK(stoa_rowset_copy(a, &set, NULL));
    CHECK_OK(stoa_rowset_combine(&set, &other, unite, NULL));
    check_set(&set, expected);
    check_set(&other, in_b);
    CHECK_OK(stoa_rowset_copy(a, &set, NULL));
    CHECK_OK(stoa_rowset_take(&set, &other, unite, NULL));
    check_set(&set, expected);
    stoa_rowset_clear(&set);
    stoa_rowset_clear(&other);
}

static void check_chunks(const stoa_rowset *set, const bool *flags)
{
    const uint64_t rows = 1 + check_random_below(30);
    uint64_t n = 0;

    for (uint64_t first = 0; first < UNIVERSE; first += rows) {
        bool any = false;
        for (uint64_t i = first; i < first + rows && i < UNIVERSE; i++) {
            any = any || flags[i];
        }
        n += any;
    }
    CHECK_U64(stoa_rowset_count_chunks(set, rows, UINT64_MAX), n);
}

/* The first n rows of a set leave it. */
static void check_drop(stoa_rowset *set, bool *flags)
{
    const uint64_t n = check_random_below(UNIVERSE + 1);

    for (uint64_t i = 0, dropped = 0; i < UNIVERSE && dropped < n; i++) {
        dropped += flags[i];
        flags[i] = false;
    }
    stoa_rowset_drop(set, n);
    check_set(set, flags);
}

static void sets_combine_as_their_members_do(void)
{
    const uint64_t n_cases = check_n_cases(2000);

    for (uint64_t n = 0; n < n_cases; n++) {
        stoa_rowset a = {0};
        stoa_rowset b = {0};
        stoa_rowset out = {0};
        bool in_a[UNIVERSE] = {false};
        bool in_b[UNIVERSE] = {false};
        bool expected[UNIVERSE];

        random_set(&a, in_a);
        related_set(&a, in_a, &b, in_b);
        check_chunks(&b, in_b);
        for (int i = 0; i < UNIVERSE; i++) {
            expected[i] = in_a[i] && in_b[i];
        }
        CHECK_OK(stoa_rowset_intersect(&a, &b, &out, NULL));
        check_set(&out, expected);
        check_in_place(&a, &b, in_b, false, expected);
        for (int i = 0; i < UNIVERSE; i++) {
            expected[i] = in_a[i] || in_b[i];
        }
        CHECK_OK(stoa_rowset_unite(&a, &b, &out, NULL));
        check_set(&out, expected);
        check_in_place(&a, &b, in_b, true, expected);
        for (int i = 0; i < UNIVERSE; i++) {
            expected[i] = in_a[i] && !in_b[i];
        }
        CHECK_OK(stoa_rowset_subtract(&a, &b, &out, NULL));
        check_set(&out, expected);
        check_drop(&b, in_b);
        stoa_rowset_clear(&a);
        stoa_rowset_clear(&b);
        stoa_rowset_clear(&out);
    }
}

static stoa_status grow_a_set(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_rowset set = {0};

    for (uint64_t i = 0; i < 100; i++) {
        STOA_TRY(stoa_rowset_push(&set, 3 * i, 1, err));
    }

done:
    stoa_rowset_clear(&set);
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    CHECK(sweep_memory(grow_a_set) >= 3);
}

TEST_MAIN(TEST(touching_ranges_melt_together), TEST(rows_before_the_last_range_are_refused),
          TEST(a_set_of_every_row_there_can_be_is_one_range),
          TEST(sets_combine_as_their_members_do), TEST(no_allocation_is_taken_for_granted))
