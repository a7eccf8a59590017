/* The loops of the missing-value test, for src/column/read/marks_*.c: every instruction set against
 * the words of HEP001 §8.5, element by element. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "column/read/validity.h"
#include "core/memory.h"
#include "support/check.h"

enum { MOST = 300 };

static const size_t sizes[] = {1, 2, 4, 8};

/* The tables that this processor can run. */
static size_t tables(const stoa_validity_kernels *out[STOA_N_SIMD])
{
    const stoa_simd simd = stoa_simd_of_cpu();

    for (int i = 0; i <= (int)simd; i++) {
        out[i] = stoa_validity_kernels_of((stoa_simd)i);
    }
    return (size_t)simd + 1;
}

static uint64_t element_at(const uint8_t *elements, size_t size, uint64_t i)
{
    uint8_t bytes[8] = {0};

    for (size_t k = 0; k < size; k++) {
        bytes[k] = elements[i * size + k];
    }
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

static bool nan_at(const uint8_t *elements, size_t size, uint64_t i)
{
    const uint64_t bits = element_at(elements, size, i);
    double d;
    float f;
    const uint32_t low = (uint32_t)bits;

    if (size == 2) { /* no type of C: five bits of exponent, all set, and a fraction */
        return (bits >> 10 & 31) == 31 && (bits & 1023) != 0;
    }
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    return size == 4 ? isnan(f) : isnan(d);
}

/* Few different values, the wanted one and NaNs of every sign among them. */
static void fill_randomly(uint8_t *elements, size_t size, uint64_t n, uint64_t wanted)
{
    static const uint64_t nans[] = {0, 0x7c01, 0x7f800001, 0x7ff0000000000001};
    static const uint64_t infinities[] = {0, 0x7c00, 0x7f800000, 0x7ff0000000000000};
    const size_t place = (size_t)stoa_validity_place(size);
    const uint64_t sign = UINT64_C(1) << (size * 8 - 1);

    for (uint64_t i = 0; i < n; i++) {
        const int kind = rand() % 6;
        uint64_t value = kind == 0   ? wanted
                         : kind == 1 ? nans[place]
                         : kind == 2 ? nans[place] | sign
                         : kind == 3 ? infinities[place]
                                     : wanted ^ (uint64_t)1 << (rand() % 64);
        for (size_t k = 0; k < size; k++, value >>= 8) {
            elements[i * size + k] = (uint8_t)value;
        }
    }
}

/* One call against the words of the rule; the byte behind the bits stays as it was. */
static void check_marks(const stoa_validity_kernels *marks, const uint8_t *elements, size_t size,
                        uint64_t n, uint64_t wanted, bool nans)
{
    uint8_t bits[MOST / 8 + 2];
    const int place = stoa_validity_place(size);
    const uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
    uint64_t expected = 0;

    memset(bits, 0xa5, sizeof bits);
    const uint64_t found = nans ? marks->numbers[place](elements, n, bits)
                                : marks->unequal[place](elements, n, wanted, bits);
    for (uint64_t i = 0; i < n; i++) {
        const bool is =
            nans ? nan_at(elements, size, i) : element_at(elements, size, i) == (wanted & mask);
        expected += is;
        CHECK(stoa_bit_get(bits, i) == !is);
    }
    CHECK_U64(found, expected);
    for (uint64_t i = n; i < stoa_bit_bytes(n) * 8; i++) {
        CHECK(!stoa_bit_get(bits, i));
    }
    CHECK_U64(bits[stoa_bit_bytes(n)], 0xa5);
}

static void every_set_marks_what_the_rule_says(void)
{
    const stoa_validity_kernels *all[STOA_N_SIMD];
    const size_t n_tables = tables(all);

    srand(1);
    for (uint64_t n = 0; n <= MOST; n += n < 140 ? 1 : 37) {
        for (size_t s = 0; s < 4; s++) {
            /* Exactly as long as it must be, so that a sanitizer sees what is read past it. */
            const uint64_t skip = n % 4; /* elements: no vector is aligned */
            uint8_t *block = malloc((size_t)(n + skip + (n == 0)) * sizes[s]);
            uint8_t *elements = block + skip * sizes[s];
            const uint64_t wanted = (uint64_t)rand() << 33 ^ (uint64_t)rand();
            CHECK(block != NULL);
            fill_randomly(elements, sizes[s], n, wanted);
            for (size_t t = 0; t < n_tables; t++) {
                check_marks(all[t], elements, sizes[s], n, wanted, false);
                if (sizes[s] > 1) {
                    check_marks(all[t], elements, sizes[s], n, wanted, true);
                }
            }
            free(block);
        }
    }
}

static void codes_are_below_a_limit_or_not(void)
{
    const stoa_validity_kernels *all[STOA_N_SIMD];
    const size_t n_tables = tables(all);

    for (size_t t = 0; t < n_tables; t++) {
        for (size_t s = 0; s < 4; s++) {
            for (uint64_t n = 1; n <= 140; n++) {
                uint8_t elements[140 * 8] = {0};
                const uint64_t odd = n * 7 / 10; /* where the one large code stands */
                stoa_all_below *below = all[t]->below[s];
                CHECK(below(elements, n, 1));
                elements[odd * sizes[s]] = 200;
                CHECK(below(elements, n, 201));
                CHECK(!below(elements, n, 200));
                memset(elements + odd * sizes[s], 0xff, sizes[s]); /* a negative one */
                CHECK(!below(elements, n, 100));
            }
            CHECK(all[t]->below[s](NULL, 0, 0));
        }
    }
}

TEST_MAIN(TEST(every_set_marks_what_the_rule_says), TEST(codes_are_below_a_limit_or_not))
