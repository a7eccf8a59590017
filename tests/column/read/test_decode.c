/* Bools as Arrow's bits, src/column/read/decode.c, against a loop over each byte (HEP001 §8.5). */
#include "column/read/decode.h"

#include <string.h>

#include "core/memory.h"
#include "support/check.h"

enum { MOST = 100 };

static char name[] = "b";

static stoa_column bools(bool is_foreign)
{
    stoa_column column = {.name = name, .is_foreign = is_foreign};

    column.type.kind = STOA_KIND_BOOL;
    column.element.kind = STOA_KIND_UINT8;
    column.element.class = STOA_ELEMENT_INTEGER;
    column.element.size = 1;
    return column;
}

/* Few bytes are neither 0 nor 1. */
static void fill(uint8_t *bytes, uint64_t n, uint64_t most)
{
    for (uint64_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)check_random_below(check_random_below(9) == 0 ? most + 1 : 2);
    }
}

static void every_byte_becomes_its_bit(void)
{
    uint8_t bytes[MOST];
    uint8_t valid[MOST / 8 + 1];
    uint8_t bits[MOST / 8 + 1];
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t k = check_n_cases(2000); k > 0; k--) {
        const uint64_t n = check_random_below(MOST);
        const bool has_missing = check_random_below(2) == 0;
        const bool is_foreign = check_random_below(2) == 0; /* all but 0 is true there */
        const stoa_column column = bools(is_foreign);
        fill(bytes, n, is_foreign ? 255 : 1);
        fill(valid, sizeof valid, 255);
        memset(bits, 0xff, sizeof bits);
        CHECK_OK(stoa_column_decode(&column, bytes, n, has_missing ? valid : NULL, bits, &err),
                 &err);
        for (uint64_t i = 0; i < n; i++) {
            const bool is_there = !has_missing || (valid[i / 8] >> i % 8 & 1) != 0;
            CHECK_U64(bits[i / 8] >> i % 8 & 1, is_there && bytes[i] != 0);
        }
    }
}

static void a_byte_that_is_no_bool_is_refused_wherever_it_stands(void)
{
    const stoa_column column = bools(false);
    uint8_t bytes[MOST];
    uint8_t bits[MOST / 8 + 1];
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t i = 0; i < MOST; i++) {
        fill(bytes, MOST, 1);
        bytes[i] = (uint8_t)(2 + check_random_below(254));
        CHECK_STATUS(STOA_EDATA, stoa_column_decode(&column, bytes, MOST, NULL, bits, &err), &err);
        CHECK_CONTAINS(err.message, "where valid_max says 1");
    }
}

TEST_MAIN(TEST(every_byte_becomes_its_bit),
          TEST(a_byte_that_is_no_bool_is_refused_wherever_it_stands))
