/* Integers as floats, for src/core/float_bits.h: C's conversion is the judge. */
#include "core/float_bits.h"

#include "support/check.h"

static void check_f64_of(uint64_t bits)
{
    CHECK_U64(stoa_bits_of_f64(stoa_f64_of_u64(bits)), stoa_bits_of_f64((double)bits));
    CHECK_U64(stoa_bits_of_f64(stoa_f64_of_i64((int64_t)bits)),
              stoa_bits_of_f64((double)(int64_t)bits));
}

/* From 2^53 on, they are rounded to the nearest, ties to even. */
static void integers_become_the_nearest_floats(void)
{
    for (unsigned shift = 0; shift < 64; shift++) {
        for (uint64_t k = 0; k < 5; k++) {
            check_f64_of((UINT64_C(1) << shift) + k - 2);
            check_f64_of(UINT64_MAX - (UINT64_C(1) << shift) + k - 2);
        }
        for (uint64_t i = check_n_cases(2000); i > 0; i--) {
            check_f64_of(check_random() >> shift);
            check_f64_of(~(check_random() >> shift));
        }
    }
}

TEST_MAIN(TEST(integers_become_the_nearest_floats))
