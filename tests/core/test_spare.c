/* A block that is kept for the next who needs one, src/core/spare.c. */
#include "core/spare.h"

#include <stdint.h>
#include <string.h>

#include "support/check.h"

static void what_was_given_back_is_taken_again(void)
{
    stoa_spare spare = {NULL};
    void *const first = stoa_spare_take(&spare, 1000);

    CHECK(first != NULL);
    memset(first, 7, 1000);
    stoa_spare_give(&spare, first);
    CHECK(stoa_spare_take(&spare, 10) == first);
    stoa_spare_give(&spare, first);
    stoa_spare_clear(&spare);
    stoa_spare_give(&spare, NULL);
    stoa_spare_clear(&spare);
}

static void two_at_once_have_a_block_each(void)
{
    stoa_spare spare = {NULL};
    void *const one = stoa_spare_take(&spare, 64);
    void *const other = stoa_spare_take(&spare, 4096);

    CHECK(one != NULL && other != NULL && one != other);
    memset(one, 1, 64);
    memset(other, 2, 4096);
    stoa_spare_give(&spare, one);
    stoa_spare_give(&spare, other);
    void *const large = stoa_spare_take(&spare, 4096);
    CHECK(large == other);
    stoa_spare_give(&spare, large);
    void *const larger = stoa_spare_take(&spare, 16 << 20);
    CHECK(larger != NULL);
    memset(larger, 3, 16 << 20);
    stoa_spare_give(&spare, larger); /* too large to be kept */
    stoa_spare_clear(&spare);
}

static void what_no_memory_has_is_refused(void)
{
    stoa_spare spare = {NULL};

    CHECK(stoa_spare_take(&spare, SIZE_MAX) == NULL);
    CHECK(stoa_spare_take(&spare, SIZE_MAX / 2) == NULL);
    stoa_spare_clear(&spare);
}

TEST_MAIN(TEST(what_was_given_back_is_taken_again), TEST(two_at_once_have_a_block_each),
          TEST(what_no_memory_has_is_refused))
