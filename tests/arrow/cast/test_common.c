/* The type that takes the values of two others, and integers as floats: src/arrow/cast/common.c. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/cast/cast.h"
#include "arrow/read.h"
#include "support/check.h"

/* The format of the common type; "" if there is none. */
static const char *common(const char *a, const char *b)
{
    static char format[32];
    struct ArrowSchema x;
    struct ArrowSchema y;
    struct ArrowSchema out;

    CHECK_OK(stoa_schema_make(&x, "a", a, NULL), NULL);
    CHECK_OK(stoa_schema_make(&y, "b", b, NULL), NULL);
    CHECK_OK(stoa_cast_common(&x, &y, &out, NULL), NULL);
    format[0] = '\0';
    if (out.release != NULL) {
        CHECK_STR(out.name, "a");
        (void)strncpy(format, out.format, sizeof format - 1);
        CHECK(stoa_cast_is_known(&x, &out));
        CHECK(stoa_cast_is_known(&y, &out));
        stoa_schema_release(&out);
    }
    stoa_schema_release(&x);
    stoa_schema_release(&y);
    return format;
}

static void integers_become_the_narrowest_that_holds_both(void)
{
    static const char *const cases[][3] = {
        {"c", "c", "c"}, {"c", "s", "s"}, {"C", "c", "s"}, {"C", "S", "S"},
        {"S", "c", "i"}, {"S", "i", "i"}, {"I", "s", "l"}, {"I", "l", "l"},
        {"L", "C", "L"}, {"L", "c", ""},  {"L", "l", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_STR(common(cases[i][0], cases[i][1]), cases[i][2]);
        CHECK_STR(common(cases[i][1], cases[i][0]), cases[i][2]);
    }
}

static void floats_are_as_wide_as_the_integers_need(void)
{
    static const char *const cases[][3] = {
        {"e", "f", "f"}, {"f", "g", "g"}, {"e", "c", "e"}, {"e", "C", "e"}, {"e", "s", "f"},
        {"f", "S", "f"}, {"f", "i", "g"}, {"f", "I", "g"}, {"g", "l", "g"}, {"e", "L", "g"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_STR(common(cases[i][0], cases[i][1]), cases[i][2]);
        CHECK_STR(common(cases[i][1], cases[i][0]), cases[i][2]);
    }
}

static void other_types_meet_only_their_like(void)
{
    CHECK_STR(common("tsm:UTC", "tsu:UTC"), "tsu:UTC");
    CHECK_STR(common("tsm:UTC", "tsm:"), "");
    CHECK_STR(common("tDs", "tDn"), "tDn");
    CHECK_STR(common("tdD", "tss:"), "");
    CHECK_STR(common("u", "U"), "U");
    CHECK_STR(common("z", "Z"), "Z");
    CHECK_STR(common("u", "z"), "");
    CHECK_STR(common("b", "c"), "");
    CHECK_STR(common("u", "g"), "");
    CHECK_STR(common("w:3", "w:4"), "");
}

/* Casts one integer to a float; NaN if the cast refuses it. */
static double as_float(const char *format, int64_t value)
{
    struct ArrowSchema from;
    struct ArrowSchema to;
    struct ArrowArray array;
    int64_t *const values = malloc(sizeof *values);
    double out = -0.5;
    stoa_view view;

    *values = value;
    CHECK_OK(stoa_schema_make(&from, "n", "l", NULL), NULL);
    CHECK_OK(stoa_schema_make(&to, "n", format, NULL), NULL);
    CHECK_OK(stoa_array_make(&array, 1, 0, 2, (void *const[]){NULL, values}, NULL), NULL);
    const stoa_status status = stoa_array_cast(&from, &to, &array, NULL);
    if (status == STOA_OK) {
        CHECK_OK(stoa_view_of(&to, &array, &view, NULL), NULL);
        out = stoa_view_f64(&view, 0);
    } else {
        CHECK_STATUS(STOA_ELOSS, status);
    }
    stoa_array_release(&array);
    stoa_schema_release(&from);
    stoa_schema_release(&to);
    return out;
}

static void an_integer_between_two_floats_is_refused(void)
{
    CHECK_F64(as_float("e", 2048), 2048);
    CHECK_F64(as_float("e", 2049), -0.5);
    CHECK_F64(as_float("e", -65504), -65504);
    CHECK_F64(as_float("e", 65536), -0.5);
    CHECK_F64(as_float("f", 16777216), 16777216);
    CHECK_F64(as_float("f", -16777217), -0.5);
    CHECK_F64(as_float("f", INT64_MIN), -9223372036854775808.0);
    CHECK_F64(as_float("g", 9007199254740993), -0.5);
    CHECK_F64(as_float("g", 9007199254740994), 9007199254740994);
    CHECK_F64(as_float("g", INT64_MAX), -0.5);
    CHECK_F64(as_float("g", 0), 0);
}

TEST_MAIN(TEST(integers_become_the_narrowest_that_holds_both),
          TEST(floats_are_as_wide_as_the_integers_need), TEST(other_types_meet_only_their_like),
          TEST(an_integer_between_two_floats_is_refused))
