/* Numbers of wider types that say what they were: src/arrow/cast/original.c, cast_values.c. */
#include "arrow/cast/original.h"

#include <math.h>
#include <stoa/arrays.h>
#include <string.h>

#include "arrow/metadata.h"
#include "support/batches.h"
#include "support/sweep.h"

#define INTEGERS(...) ((const int64_t[]){__VA_ARGS__})

static void say(struct ArrowSchema *field, const char *was)
{
    CHECK_OK(stoa_schema_set(field, "stoa_arrow_type", was, NULL));
    CHECK_OK(stoa_schema_set(field, "units", "m", NULL));
}

/* The batch as stoa_stream_cast() gives it. It is taken over. */
static stoa_status cast(batch *b, struct ArrowSchema *schema, struct ArrowArray *array,
                        stoa_error *err)
{
    struct ArrowArrayStream stream;

    stream_of(b, 1, &stream);
    CHECK_OK(stoa_stream_cast(&stream, NULL, NULL));
    CHECK_OK(stoa_stream_schema(&stream, schema, NULL));
    const stoa_status status = stoa_stream_next(&stream, array, err);
    stoa_stream_release(&stream);
    return status;
}

/* Cast two integers, and check the format and the first value, or the failure. */
static void check_integers(const char *format, int64_t value, const bool *valid, const char *was,
                           const char *wanted)
{
    batch b = batch_begin(1, 2);
    struct ArrowSchema schema;
    struct ArrowArray array = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;
    stoa_view rows;
    stoa_view cells;

    batch_integers(&b, 0, "x", format, INTEGERS(value, 1), valid);
    say(b.schema.children[0], was);
    const stoa_status status = cast(&b, &schema, &array, &err);
    if (wanted == NULL) {
        CHECK_STATUS(STOA_ELOSS, status);
        CHECK_CONTAINS(err.message, "does not fit");
    } else {
        CHECK_OK(status, &err);
        CHECK_STR(schema.children[0]->format, wanted);
        CHECK(stoa_schema_get(schema.children[0], "units", &(const char *){NULL}, &(size_t){0}));
        CHECK_OK(stoa_view_of(&schema, &array, &rows, NULL));
        CHECK_OK(stoa_view_child(&rows, 0, &cells, NULL));
        CHECK_I64(stoa_view_i64(&cells, 0), value);
        CHECK_STR(value_text(&cells, 1), valid != NULL ? "null" : "1");
    }
    stoa_array_release(&array);
    stoa_schema_release(&schema);
}

/* Every width into every narrower one: the ends of it, and the values beyond them. */
static void integers_are_of_the_type_that_they_were(void)
{
    static const char *const names[] = {"int8",  "int16",  "int32",  "int64",
                                        "uint8", "uint16", "uint32", "uint64"};
    static const char *const formats[] = {"c", "s", "i", "l", "C", "S", "I", "L"};
    static const bool valid[] = {true, false};

    for (size_t wide = 0; wide < 8; wide++) {
        for (size_t k = wide / 4 * 4; k < wide; k++) {
            const unsigned bits = 8u << (k % 4);
            const int64_t high = (INT64_C(1) << (k < 4 ? bits - 1 : bits)) - 1;
            const int64_t low = k < 4 ? -high - 1 : 0;
            for (int i = 0; i < 2; i++) {
                const bool *const has = i == 0 ? NULL : valid;
                check_integers(formats[wide], high, has, names[k], formats[k]);
                check_integers(formats[wide], low, has, names[k], formats[k]);
                check_integers(formats[wide], high + 1, has, names[k], NULL);
                if (k < 4) {
                    check_integers(formats[wide], low - 1, has, names[k], NULL);
                }
            }
        }
    }
}

static void what_says_nothing_of_numbers_is_ignored(void)
{
    check_integers("s", 300, NULL, "duration", "s");
    check_integers("s", 300, NULL, "float16", "s");
    check_integers("s", 300, NULL, "int32", "s");
    check_integers("s", 300, NULL, "", "s");
    check_integers("tDs", 300, NULL, "int8", "tDs");
    CHECK_U64(stoa_original_kind("uint16", STOA_KIND_INT32), STOA_KIND_UINT16);
    CHECK_U64(stoa_original_kind(NULL, STOA_KIND_INT32), STOA_KIND_INT32);
    CHECK_U64(stoa_original_kind("float32", STOA_KIND_FLOAT64), STOA_KIND_FLOAT32);
}

static void check_halves(const char *format, double value, const char *wanted)
{
    batch b = batch_begin(1, 2);
    struct ArrowSchema schema;
    struct ArrowArray array = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;
    stoa_view rows;
    stoa_view cells;

    batch_floats(&b, 0, "x", format, (const double[]){(double)NAN, value}, NULL);
    say(b.schema.children[0], "float16");
    const stoa_status status = cast(&b, &schema, &array, &err);
    CHECK_STR(schema.children[0]->format, "e");
    if (wanted == NULL) {
        CHECK_STATUS(STOA_ELOSS, status);
        CHECK_CONTAINS(err.message, "does not fit");
    } else {
        CHECK_OK(status, &err);
        CHECK_OK(stoa_view_of(&schema, &array, &rows, NULL));
        CHECK_OK(stoa_view_child(&rows, 0, &cells, NULL));
        CHECK_STR(value_text(&cells, 0), "nan");
        CHECK_STR(value_text(&cells, 1), wanted);
    }
    stoa_array_release(&array);
    stoa_schema_release(&schema);
}

static void floats_of_16_bits_are_so_again(void)
{
    for (int i = 0; i < 2; i++) {
        const char *const format = i == 0 ? "f" : "g";
        check_halves(format, 65504, "65504.0");
        check_halves(format, 0x1p-24, "5.960464477539063e-08");
        check_halves(format, -INFINITY, "-inf");
        check_halves(format, 65520, NULL); /* rounds to infinity */
        check_halves(format, 2049, NULL);
        check_halves(format, 0x1p-25, NULL);
    }
    check_halves("g", 1 + 0x1p-40, NULL); /* which float32 would make 1 */
}

/* The float32 that is asked for is made if it holds the value. */
static void narrower_floats_may_be_requested(void)
{
    for (int is_exact = 0; is_exact < 2; is_exact++) {
        batch b = batch_begin(1, 1);
        batch asked = batch_begin(1, 1);
        struct ArrowArrayStream stream;
        struct ArrowArray array = {.release = NULL};

        batch_floats(&b, 0, "x", "g", (const double[]){is_exact ? 0.5 : 0.1}, NULL);
        batch_floats(&asked, 0, "x", "f", (const double[]){0}, NULL);
        stream_of(&b, 1, &stream);
        CHECK_OK(stoa_stream_cast(&stream, &asked.schema, NULL));
        CHECK_STATUS(is_exact ? STOA_OK : STOA_ELOSS, stoa_stream_next(&stream, &array, NULL));
        stoa_array_release(&array);
        stoa_stream_release(&stream);
        batch_end(&asked);
    }
}

static batch lists_of_lists(void)
{
    batch numbers = batch_begin(1, 3);
    batch lists = batch_begin(1, 2);
    batch b = batch_begin(1, 1);

    batch_integers(&numbers, 0, "item", "i", INTEGERS(-128, 127, 0), NULL);
    say(numbers.schema.children[0], "int8");
    batch_lists(&lists, 0, "item", "+L", &numbers, INTEGERS(2, 1), NULL);
    batch_lists(&b, 0, "x", "+l", &lists, INTEGERS(2), NULL);
    return b;
}

static void items_of_lists_are_too(void)
{
    batch b = lists_of_lists();
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view at;

    CHECK_OK(cast(&b, &schema, &array, NULL));
    const struct ArrowSchema *const item = schema.children[0]->children[0]->children[0];
    CHECK_STR(schema.children[0]->format, "+l");
    CHECK_STR(item->format, "c");
    CHECK_STR(item->name, "item");
    CHECK(!stoa_schema_get(item, "stoa_arrow_type", &(const char *){NULL}, &(size_t){0}));
    CHECK_OK(stoa_view_of(&schema, &array, &at, NULL));
    for (int depth = 0; depth < 3; depth++) {
        const stoa_view outer = at;
        CHECK_OK(stoa_view_child(&outer, 0, &at, NULL));
    }
    CHECK_MEM(at.values, ((const int8_t[]){-128, 127, 0}), 3);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
}

static batch shown; /* whose type is asked for, again and again */

static stoa_status ask(stoa_error *err)
{
    struct ArrowSchema out = {.release = NULL};
    const stoa_status status = stoa_schema_cast(&shown.schema, NULL, &out, err);

    stoa_schema_release(&out);
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    shown = lists_of_lists();
    CHECK(sweep_memory(ask) > 10);
    batch_end(&shown);
}

TEST_MAIN(TEST(integers_are_of_the_type_that_they_were),
          TEST(what_says_nothing_of_numbers_is_ignored), TEST(floats_of_16_bits_are_so_again),
          TEST(narrower_floats_may_be_requested), TEST(items_of_lists_are_too),
          TEST(no_allocation_is_taken_for_granted))
