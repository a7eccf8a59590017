/* Records that a sort holds in memory, for src/index/sorted/sorted_batch.c. */
#include "index/sorted/sorted_batch.h"

#include "support/check.h"

/* Two entries a record, one of them to sort into, and its bytes. */
static void byte_strings_fill_a_batch_up_to_its_memory(void)
{
    enum { MEMORY = 10000, LENGTH = 100 };
    const char bytes[LENGTH] = {7};
    const size_t n_fitting = MEMORY / (2 * sizeof(stoa_sort_entry) + LENGTH);
    stoa_sort_batch batch;
    stoa_error err = STOA_ERROR_INIT;
    size_t n = 0;

    CHECK_OK(stoa_sort_batch_make(&batch, true, MEMORY, 1000, &err), &err);
    for (; !stoa_sort_batch_is_full(&batch, LENGTH); n++) {
        const stoa_sort_record record = {.bytes = bytes, .length = LENGTH, .row = n};
        CHECK(n < n_fitting);
        CHECK_OK(stoa_sort_batch_add_bytes(&batch, &record, &err), &err);
    }
    CHECK_U64(n, n_fitting);
    stoa_sort_batch_reset(&batch);
    CHECK(!stoa_sort_batch_is_full(&batch, 2 * MEMORY)); /* an empty one takes any */
    stoa_sort_batch_clear(&batch);
}

TEST_MAIN(TEST(byte_strings_fill_a_batch_up_to_its_memory))
