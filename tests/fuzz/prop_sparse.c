/* Structured chunks in every form of positions, with every bit flipped and every length, and
 * damaged at random under true checksums, are read as what they are or refused (fuzz_sparse.c). */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "hdf/ids.h"
#include "support/check.h"

enum { ROOM = 200000, N_PATTERNS = 6 };

static uint8_t values[FUZZ_SPARSE_MAX * FUZZ_SPARSE_SIZE];
static uint8_t found[FUZZ_SPARSE_MAX * FUZZ_SPARSE_SIZE];
static uint8_t defined[FUZZ_SPARSE_MAX];
static uint8_t found_defined[FUZZ_SPARSE_MAX];
static uint8_t bytes[ROOM];
static uint8_t damaged[ROOM];

/* Small integers, 6 x 9 in a chunk of 6 x 10. */
static size_t small_chunk(unsigned pattern, uint8_t positions, uint8_t filters, bool is_big)
{
    const uint8_t head[FUZZ_SPARSE_HEAD] = {is_big ? 5 : 0, 5,       9, 4,
                                            positions,      filters, 1, (uint8_t)pattern};

    memcpy(bytes, head, sizeof head);
    const size_t n = fuzz_sparse_input(bytes, ROOM);
    CHECK(n > sizeof head);
    CHECK(fuzz_sparse_read(bytes, n, false, values, defined));
    return n;
}

/* Without elements the dataset has its fill value everywhere. */
static void no_bit_and_no_length_misleads(void)
{
    const stoa_error_stack errors = stoa_error_stack_begin();

    for (unsigned i = 0; i < N_PATTERNS * 2; i++) {
        const unsigned pattern = i % N_PATTERNS;
        const bool is_filtered = i >= N_PATTERNS;
        const size_t n = small_chunk(pattern, is_filtered ? 1 : 0, is_filtered ? 7 : 0, false);
        for (size_t bit = 8 * FUZZ_SPARSE_HEAD; bit < 8 * n; bit += is_filtered ? 3 : 1) {
            memcpy(damaged, bytes, n);
            damaged[bit / 8] ^= (uint8_t)(1U << bit % 8);
            CHECK(!fuzz_sparse_read(damaged, n, false, found, found_defined));
            (void)fuzz_sparse_read(damaged, n, true, found, found_defined);
        }
        for (size_t length = FUZZ_SPARSE_HEAD + 1; length < n; length++) {
            CHECK(!fuzz_sparse_read(bytes, length, false, found, found_defined));
            CHECK(!fuzz_sparse_read(bytes, length, true, found, found_defined));
        }
    }
    stoa_error_stack_end(&errors);
}

static void damage(size_t n)
{
    for (uint64_t hits = 1 + check_random_below(3); hits > 0; hits--) {
        const size_t span =
            check_random_below(2) == 0 && n > FUZZ_SPARSE_HEAD + 24 ? 24 : n - FUZZ_SPARSE_HEAD;
        const size_t at = FUZZ_SPARSE_HEAD + (size_t)check_random_below(span);
        damaged[at] = check_random_below(2) == 0
                          ? (uint8_t)check_random()
                          : (uint8_t)(damaged[at] ^ 1U << check_random_below(8));
    }
}

static void damage_under_true_checksums_is_survived(void)
{
    const stoa_error_stack errors = stoa_error_stack_begin();

    for (uint64_t i = check_n_cases(150); i > 0; i--) {
        for (size_t k = 0; k < FUZZ_SPARSE_HEAD; k++) {
            bytes[k] = (uint8_t)check_random();
        }
        const size_t n = fuzz_sparse_input(bytes, ROOM);
        CHECK(n > 0 && fuzz_sparse_read(bytes, n, false, values, defined));
        for (unsigned k = 0; k < 6; k++) {
            memcpy(damaged, bytes, n);
            damage(n);
            fuzz_sparse(damaged, n);
        }
    }
    stoa_error_stack_end(&errors);
}

TEST_MAIN(TEST(no_bit_and_no_length_misleads), TEST(damage_under_true_checksums_is_survived))
