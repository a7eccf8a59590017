/* What a column spans and which fill is left (HEP001 §8.5, Table 1), for src/column/type/domain*.c.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "column/type/fill.h"
#include "support/batches.h"
#include "support/check.h"

static stoa_domain domain_of_integers(const char *format, const int64_t *values, int64_t n)
{
    stoa_domain domain = {0};
    stoa_view rows;
    stoa_view column;
    batch b = batch_begin(1, n);

    batch_integers(&b, 0, "x", format, values, NULL);
    CHECK_OK(stoa_view_of(&b.schema, &b.array, &rows, NULL));
    CHECK_OK(stoa_view_child(&rows, 0, &column, NULL));
    CHECK_OK(stoa_domain_add(&domain, &column, NULL));
    batch_end(&b);
    return domain;
}

static stoa_domain domain_of_floats(const char *format, const double *values, int64_t n)
{
    stoa_domain domain = {0};
    stoa_view rows;
    stoa_view column;
    batch b = batch_begin(1, n);

    batch_floats(&b, 0, "x", format, values, NULL);
    CHECK_OK(stoa_view_of(&b.schema, &b.array, &rows, NULL));
    CHECK_OK(stoa_view_child(&rows, 0, &column, NULL));
    CHECK_OK(stoa_domain_add(&domain, &column, NULL));
    batch_end(&b);
    return domain;
}

static int64_t as_i64(const uint8_t *bytes, stoa_kind kind)
{
    int64_t value = 0;
    const size_t width = (size_t)stoa_kind_width(kind);

    memcpy(&value, bytes, width);
    return stoa_kind_is_signed(kind) && width < 8
               ? (int64_t)((uint64_t)value << (64 - 8 * width)) >> (64 - 8 * width)
               : value;
}

static double as_f64(const uint8_t *bytes)
{
    double value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

/* What add_signed() and its kin say of one value after the other, said the slow way. */
static void check_span(const stoa_domain *domain, stoa_kind kind, const int64_t *values,
                       const bool *valid, int64_t n)
{
    uint64_t n_values = 0;
    uint8_t sentinels = 0;
    bool has_negative = false;
    bool has_positive = false;
    int64_t low = INT64_MAX; /* of those below 2^63 */
    uint64_t high = 0;

    for (int64_t i = 0; i < n; i++) {
        if (!valid[i]) {
            continue;
        }
        const bool is_huge = kind == STOA_KIND_UINT64 && values[i] < 0;
        const bool is_negative = !is_huge && values[i] < 0;
        n_values++;
        has_negative |= is_negative;
        has_positive |= !is_negative;
        low = !is_huge && values[i] < low ? values[i] : low;
        high = !is_negative && (uint64_t)values[i] > high ? (uint64_t)values[i] : high;
        for (int k = 0; k < 8; k++) {
            const stoa_kind other = (stoa_kind)(STOA_KIND_INT8 + k);
            const bool is_one =
                stoa_kind_sentinel(other) == values[i] && (other == STOA_KIND_UINT64) == is_huge;
            sentinels = (uint8_t)(sentinels | (unsigned)is_one << k);
        }
    }
    CHECK_U64(domain->n_values, n_values);
    CHECK_U64(domain->sentinels, sentinels);
    if (n_values != 0) {
        CHECK(domain->has_negative == has_negative && domain->has_positive == has_positive);
        CHECK_I64(domain->low, low);
        CHECK(!has_positive || domain->high == high);
    }
}

static void integers_of_every_kind_are_spanned_between_missing_ones_too(void)
{
    static const char *const formats[] = {"c", "s", "i", "l", "C", "S", "I", "L"};
    enum { MANY = 300 };
    int64_t values[MANY];
    bool valid[MANY];

    for (int round = 0; round < 400; round++) {
        const int k = round % 8;
        const stoa_kind kind = (stoa_kind)(STOA_KIND_INT8 + k);
        const int64_t n = 1 + (int64_t)check_random_below(MANY);
        const uint64_t holes = 1 + check_random_below(40); /* one row in so many is missing */
        const unsigned spare = 64 - 8 * (unsigned)stoa_kind_width(kind);
        const unsigned narrow = (unsigned)check_random_below(64 - spare);
        for (int64_t i = 0; i < n; i++) {
            const uint64_t bits = check_random() << spare;
            values[i] =
                k < 4 ? (int64_t)bits >> spare >> narrow : (int64_t)(bits >> spare >> narrow);
            if (check_random_below(100) == 0) {
                values[i] = stoa_kind_sentinel(kind);
            }
            valid[i] = check_random_below(holes + 1) != 0;
        }
        stoa_domain domain = {0};
        stoa_view rows;
        stoa_view column;
        batch b = batch_begin(1, n);
        batch_integers(&b, 0, "x", formats[k], values, valid);
        const int64_t skip = (int64_t)check_random_below((uint64_t)n);
        b.array.offset = skip; /* a slice */
        b.array.length = n - skip;
        CHECK_OK(stoa_view_of(&b.schema, &b.array, &rows, NULL));
        CHECK_OK(stoa_view_child(&rows, 0, &column, NULL));
        CHECK_OK(stoa_domain_add(&domain, &column, NULL));
        check_span(&domain, kind, values + skip, valid + skip, n - skip);
        batch_end(&b);
    }
}

static void floats_are_spanned_between_missing_ones_too(void)
{
    enum { MANY = 200 };
    double values[MANY];
    bool valid[MANY];

    for (int round = 0; round < 300; round++) {
        static const char *const formats[] = {"e", "f", "g"};
        const int64_t n = 1 + (int64_t)check_random_below(MANY);
        double low = (double)INFINITY;
        double high = (double)-INFINITY;
        bool has_nan = false;
        bool has_number = false;
        for (int64_t i = 0; i < n; i++) {
            values[i] = ((double)check_random_below(4000) - 2000) / 4; /* exact in all three */
            values[i] = check_random_below(30) == 0 ? (double)NAN : values[i];
            values[i] = check_random_below(90) == 0 ? (double)-INFINITY : values[i];
            valid[i] = check_random_below(10) != 0;
            has_nan |= valid[i] && isnan(values[i]);
            if (valid[i] && !isnan(values[i])) {
                has_number = true;
                low = fmin(low, values[i]);
                high = fmax(high, values[i]);
            }
        }
        stoa_domain domain = {0};
        stoa_view rows;
        stoa_view column;
        batch b = batch_begin(1, n);
        batch_floats(&b, 0, "x", formats[round % 3], values, valid);
        CHECK_OK(stoa_view_of(&b.schema, &b.array, &rows, NULL));
        CHECK_OK(stoa_view_child(&rows, 0, &column, NULL));
        CHECK_OK(stoa_domain_add(&domain, &column, NULL));
        CHECK(domain.has_nan == has_nan && domain.has_number == has_number);
        CHECK(domain.is_float16 && domain.is_float32);
        if (has_number) {
            CHECK_F64(domain.low_f, low);
            CHECK_F64(domain.high_f, high);
        }
        batch_end(&b);
    }
}

static void sentinels_are_those_of_table_1(void)
{
    CHECK_I64(stoa_kind_sentinel(STOA_KIND_INT8), -127);
    CHECK_I64(stoa_kind_sentinel(STOA_KIND_INT16), -32767);
    CHECK_I64(stoa_kind_sentinel(STOA_KIND_INT32), -2147483647);
    CHECK_I64(stoa_kind_sentinel(STOA_KIND_INT64), -9223372036854775807);
    CHECK_I64(stoa_kind_sentinel(STOA_KIND_UINT8), 255);
    CHECK_I64(stoa_kind_sentinel(STOA_KIND_UINT16), 65535);
    CHECK_I64(stoa_kind_sentinel(STOA_KIND_UINT32), 4294967295);
    CHECK_U64((uint64_t)stoa_kind_sentinel(STOA_KIND_UINT64), 18446744073709551615u);
}

static void the_fill_lies_outside_the_range_and_the_range_holds_every_value(void)
{
    static const struct {
        int64_t values[3];
        bool possible;
        bool has_range;
        int64_t fill;
    } cases[] = {
        {{1, 2, 3}, true, false, -127},      {{-127, 0, 5}, true, true, -128},
        {{-127, -128, 5}, true, true, 127},  {{-127, -128, 127}, false, false, 0},
        {{-128, 127, 0}, true, false, -127},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_fill fill;
        const stoa_domain domain = domain_of_integers("c", cases[i].values, 3);
        CHECK(stoa_fill_integer(&domain, STOA_KIND_INT8, &fill) == cases[i].possible);
        if (!cases[i].possible) {
            continue;
        }
        const int64_t chosen = as_i64(fill.value, STOA_KIND_INT8);
        CHECK_I64(chosen, cases[i].fill);
        CHECK(fill.has_range == cases[i].has_range);
        for (int k = 0; k < 3; k++) {
            const int64_t value = cases[i].values[k];
            CHECK(value != chosen);
            CHECK(!fill.has_range || (value >= as_i64(fill.valid_min, STOA_KIND_INT8) &&
                                      value <= as_i64(fill.valid_max, STOA_KIND_INT8)));
        }
        CHECK(!fill.has_range || chosen < as_i64(fill.valid_min, STOA_KIND_INT8) ||
              chosen > as_i64(fill.valid_max, STOA_KIND_INT8));
    }
}

static void unsigned_values_beyond_the_signed_range_are_spanned(void)
{
    const stoa_domain domain = domain_of_integers("L", (int64_t[]){INT64_MIN, 7, -2}, 3);
    stoa_fill fill;

    CHECK(!domain.has_negative);
    CHECK_U64(domain.high, UINT64_MAX - 1);
    CHECK_I64(domain.low, 7);
    CHECK(!stoa_domain_fits(&domain, STOA_KIND_INT64));
    CHECK(stoa_domain_fits(&domain, STOA_KIND_UINT64));
    CHECK(stoa_fill_integer(&domain, STOA_KIND_UINT64, &fill));
    CHECK(!fill.has_range);
}

static void values_at_both_ends_of_64_bits_leave_the_first_spare_fill_that_is_none(void)
{
    /* uint64 as the bits of int64: -1 is 2^64 - 1, the recommended fill. */
    static const struct {
        const char *format;
        stoa_kind kind;
        int64_t values[5];
        int64_t fill;
        int64_t low;
        int64_t high;
    } cases[] = {
        {"L", STOA_KIND_UINT64, {0, -1, 3, 4, 5}, -2, 0, -3},
        {"L", STOA_KIND_UINT64, {0, -1, -2, -4, 5}, -3, 0, -4},
        {"l",
         STOA_KIND_INT64,
         {INT64_MIN, INT64_MIN + 1, INT64_MAX, 0, 1},
         INT64_MIN + 2,
         INT64_MIN + 3,
         INT64_MAX},
        {"l",
         STOA_KIND_INT64,
         {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MIN + 2, INT64_MIN + 3},
         INT64_MIN + 4,
         INT64_MIN + 5,
         INT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_fill fill;
        const stoa_kind kind = cases[i].kind;
        const stoa_element element = {
            .class = STOA_ELEMENT_INTEGER, .kind = kind, .size = sizeof(int64_t)};
        const stoa_domain domain = domain_of_integers(cases[i].format, cases[i].values, 5);
        CHECK(stoa_fill_integer(&domain, kind, &fill));
        CHECK(fill.has_range);
        CHECK_I64(as_i64(fill.value, kind), cases[i].fill);
        CHECK_I64(as_i64(fill.valid_min, kind), cases[i].low);
        CHECK_I64(as_i64(fill.valid_max, kind), cases[i].high);
        CHECK(stoa_fill_is_apart(&element, fill.value, fill.valid_min, fill.valid_max));
        CHECK(!stoa_fill_is_apart(&element, fill.value, fill.value, fill.valid_max));
    }
}

static void a_signed_minus_one_is_not_the_sentinel_of_uint64(void)
{
    const stoa_domain domain = domain_of_integers("l", (int64_t[]){-1}, 1);

    CHECK_U64(domain.sentinels, 0);
}

static void a_float_fill_moves_as_far_as_it_must(void)
{
    const double sentinel = STOA_FLOAT_FILL;
    static const double inf = INFINITY;
    stoa_fill fill;
    stoa_domain domain = domain_of_floats("g", (double[]){1, NAN, inf}, 3);
    CHECK(stoa_fill_float(&domain, STOA_KIND_FLOAT64, &fill));
    CHECK_F64(as_f64(fill.value), sentinel);
    CHECK(!fill.has_range);

    domain = domain_of_floats("g", (double[]){1, sentinel}, 2);
    CHECK(stoa_fill_float(&domain, STOA_KIND_FLOAT64, &fill));
    CHECK_F64(as_f64(fill.value), DBL_MAX);
    CHECK(as_f64(fill.valid_max) < DBL_MAX && as_f64(fill.valid_min) == -inf);

    domain = domain_of_floats("g", (double[]){inf, sentinel}, 2);
    CHECK(stoa_fill_float(&domain, STOA_KIND_FLOAT64, &fill));
    CHECK_F64(as_f64(fill.value), -DBL_MAX);
    CHECK(as_f64(fill.valid_min) > -DBL_MAX && as_f64(fill.valid_max) == inf);

    domain = domain_of_floats("g", (double[]){inf, -inf, sentinel}, 3);
    CHECK(stoa_fill_float(&domain, STOA_KIND_FLOAT64, &fill));
    CHECK(isnan(as_f64(fill.value)));

    domain = domain_of_floats("g", (double[]){inf, -inf, sentinel, NAN}, 4);
    CHECK(!stoa_fill_float(&domain, STOA_KIND_FLOAT64, &fill));
}

static void float16_has_no_recommended_fill_and_always_a_range(void)
{
    const stoa_domain domain = domain_of_floats("e", (double[]){1, 2}, 2);
    stoa_fill fill;

    CHECK(stoa_fill_float(&domain, STOA_KIND_FLOAT16, &fill));
    CHECK(fill.has_range);
    CHECK_U64((uint64_t)as_i64(fill.value, STOA_KIND_UINT16), 0x7bff); /* 65504 */
}

static void floats_remember_the_narrowest_type_that_holds_them(void)
{
    stoa_domain domain = domain_of_floats("g", (double[]){0.5, 65504, NAN}, 3);
    CHECK(domain.is_float16 && domain.is_float32);
    domain = domain_of_floats("g", (double[]){0.5, 65505}, 2);
    CHECK(!domain.is_float16 && domain.is_float32);
    domain = domain_of_floats("g", (double[]){0.1}, 1);
    CHECK(!domain.is_float16 && !domain.is_float32);
    domain = domain_of_integers("l", (int64_t[]){(INT64_C(1) << 24) + 1}, 1);
    CHECK(!domain.is_float16 && !domain.is_float32);
}

static void a_string_fill_is_empty_unless_the_empty_string_is_a_value(void)
{
    stoa_domain domain = {.n_values = 1};
    char fill = 'x';

    CHECK(stoa_fill_string(&domain, &fill));
    CHECK_I64(fill, '\0');
    domain.has_empty = true;
    CHECK(stoa_fill_string(&domain, &fill));
    CHECK_I64(fill, 0x1a);
    domain.controls = UINT32_C(1) << 0x1a;
    CHECK(stoa_fill_string(&domain, &fill));
    CHECK(fill != 0x1a && fill > 0 && fill < 32);
    domain.controls = UINT32_MAX;
    CHECK(!stoa_fill_string(&domain, &fill));
}

TEST_MAIN(TEST(integers_of_every_kind_are_spanned_between_missing_ones_too),
          TEST(floats_are_spanned_between_missing_ones_too), TEST(sentinels_are_those_of_table_1),
          TEST(the_fill_lies_outside_the_range_and_the_range_holds_every_value),
          TEST(unsigned_values_beyond_the_signed_range_are_spanned),
          TEST(values_at_both_ends_of_64_bits_leave_the_first_spare_fill_that_is_none),
          TEST(a_signed_minus_one_is_not_the_sentinel_of_uint64),
          TEST(a_float_fill_moves_as_far_as_it_must),
          TEST(float16_has_no_recommended_fill_and_always_a_range),
          TEST(floats_remember_the_narrowest_type_that_holds_them),
          TEST(a_string_fill_is_empty_unless_the_empty_string_is_a_value))
