/* Values compared as HEP001 §10.5 has it: src/index/common/order.c. */
#include <math.h>
#include <string.h>

#include "index/common/order.h"
#include "support/check.h"

static stoa_scalar i64(int64_t value)
{
    return (stoa_scalar){.kind = STOA_SCALAR_I64, .as.i64 = value};
}

static stoa_scalar u64(uint64_t value)
{
    return (stoa_scalar){.kind = STOA_SCALAR_U64, .as.u64 = value};
}

static stoa_scalar f64(double value)
{
    return (stoa_scalar){.kind = STOA_SCALAR_F64, .as.f64 = value};
}

static stoa_scalar bytes(const char *text)
{
    return (stoa_scalar){.kind = STOA_SCALAR_BYTES, .as.bytes = {text, strlen(text)}};
}

/* -1, 0, 1; 2 where they have no order, either way round. */
static int order_of(stoa_scalar a, stoa_scalar b)
{
    int there = 0;
    int back = 0;
    const bool has_order = stoa_scalar_compare(&a, &b, &there);

    CHECK(stoa_scalar_compare(&b, &a, &back) == has_order);
    if (!has_order) {
        return 2;
    }
    CHECK_I64((there > 0) - (there < 0), (back < 0) - (back > 0));
    return (there > 0) - (there < 0);
}

static void integers_are_compared_by_value_signed_or_not(void)
{
    CHECK_I64(order_of(i64(-1), u64(0)), -1);
    CHECK_I64(order_of(i64(INT64_MIN), u64(UINT64_MAX)), -1);
    CHECK_I64(order_of(i64(-2), i64(-1)), -1);
    CHECK_I64(order_of(i64(-1), i64(-1)), 0);
    CHECK_I64(order_of(i64(5), u64(5)), 0);
    CHECK_I64(order_of(i64(5), u64(6)), -1);
    CHECK_I64(order_of(u64((uint64_t)INT64_MAX + 1), i64(INT64_MAX)), 1);
    CHECK_I64(order_of(u64(UINT64_MAX), u64(UINT64_MAX - 1)), 1);
}

static void floats_are_compared_and_a_nan_has_no_order(void)
{
    CHECK_I64(order_of(f64(-0.0), f64(0.0)), 0);
    CHECK_I64(order_of(f64(-INFINITY), f64(-1e300)), -1);
    CHECK_I64(order_of(f64(1.5), f64(1.25)), 1);
    CHECK_I64(order_of(f64(NAN), f64(1.0)), 2);
    CHECK_I64(order_of(f64(NAN), f64(NAN)), 2);
}

static void strings_are_compared_byte_by_byte(void)
{
    CHECK_I64(order_of(bytes("a"), bytes("b")), -1);
    CHECK_I64(order_of(bytes("a"), bytes("ab")), -1);
    CHECK_I64(order_of(bytes(""), bytes("")), 0);
    CHECK_I64(order_of(bytes("\xc3\xa9"), bytes("z")), 1);
}

static void values_of_different_kinds_have_no_order(void)
{
    CHECK_I64(order_of(i64(1), f64(1.0)), 2);
    CHECK_I64(order_of(u64(1), f64(2.0)), 2);
    CHECK_I64(order_of(f64(1.0), bytes("1")), 2);
    CHECK_I64(order_of(i64(1), bytes("1")), 2);
}

TEST_MAIN(TEST(integers_are_compared_by_value_signed_or_not),
          TEST(floats_are_compared_and_a_nan_has_no_order), TEST(strings_are_compared_byte_by_byte),
          TEST(values_of_different_kinds_have_no_order))
