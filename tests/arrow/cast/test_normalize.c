/* Types that tables have no place for, as others and back: src/arrow/cast. */
#include "arrow/cast/normalize.h"

#include <stdlib.h>
#include <stoa/arrays.h>
#include <string.h>

#include "support/batches.h"
#include "support/sweep.h"

#define INTEGERS(...) ((const int64_t[]){__VA_ARGS__})
#define TRUTHS(...) ((const bool[]){__VA_ARGS__})

static void name_type(batch *b, int64_t i, const char *name, const char *format)
{
    stoa_schema_release(b->schema.children[i]);
    CHECK_OK(stoa_schema_make(b->schema.children[i], name, format, NULL));
}

/* A column of values of any width, given in bytes; `bits` are those of the validity. */
static void put_values(batch *b, int64_t i, const char *name, const char *format, size_t width,
                       const void *values, uint8_t bits)
{
    const size_t n = (size_t)b->array.length;
    uint8_t *const valid = malloc(1);
    uint8_t *const copy = malloc(n * width);

    CHECK_OK(stoa_schema_make(b->schema.children[i], name, format, NULL));
    *valid = bits;
    memcpy(copy, values, n * width);
    CHECK_OK(stoa_array_make(b->array.children[i], (int64_t)n, -1, 2, (void *const[]){valid, copy},
                             NULL));
}

/* One column of a struct, whose only child it is. */
static void put_column(batch *b, batch *whole)
{
    *whole = batch_begin(1, b->array.length);
    stoa_schema_move(&b->schema, whole->schema.children[0]);
    stoa_array_move(&b->array, whole->array.children[0]);
}

/* The first batch as tables get it, and as it comes back if `is_back`. */
static stoa_status pass(batch *b, bool is_back, batch *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArrayStream stream;
    struct ArrowArrayStream normal = {.release = NULL};
    struct ArrowSchema rows;

    *out = (batch){.schema = {.release = NULL}, .array = {.release = NULL}};
    CHECK_OK(stoa_schema_copy(&b->schema, &rows, NULL));
    stream_of(b, 1, &stream);
    STOA_TRY(stoa_stream_normalize(&stream, &rows, false, &normal, err));
    STOA_TRY(is_back ? stoa_stream_cast(&normal, NULL, err) : STOA_OK);
    STOA_TRY(stoa_stream_schema(&normal, &out->schema, err));
    STOA_TRY(stoa_stream_next(&normal, &out->array, err));

done:
    stoa_schema_release(&rows);
    stoa_stream_release(&normal);
    stoa_stream_release(&stream);
    if (status != STOA_OK) {
        stoa_schema_release(&out->schema);
        stoa_array_release(&out->array);
    }
    return status;
}

static void release(batch *b)
{
    stoa_schema_release(&b->schema);
    stoa_array_release(&b->array);
}

static stoa_view column_of(const batch *b)
{
    stoa_view view;

    CHECK_OK(stoa_view_of(b->schema.children[0], b->array.children[0], &view, NULL));
    return view;
}

static const int64_t decimals[] = {110, 0, -325, -1, 0, 0, 999999999999999, 0};

static void decimals_of_15_digits_are_floats_and_come_back(void)
{
    batch b = batch_begin(1, 4);
    batch out;

    put_values(&b, 0, "d", "d:17,2", 16, decimals, 0xb);
    CHECK_OK(pass(&b, false, &out, NULL));
    const stoa_view view = column_of(&out);
    CHECK_STR(view.schema->format, "g");
    CHECK_F64(stoa_view_f64(&view, 0), 1.1);
    CHECK_F64(stoa_view_f64(&view, 1), -3.25);
    CHECK(stoa_view_is_null(&view, 2));
    CHECK_F64(stoa_view_f64(&view, 3), 9999999999999.99);
    release(&out);
    b = batch_begin(1, 4);
    put_values(&b, 0, "d", "d:17,2", 16, decimals, 0xb);
    CHECK_OK(pass(&b, true, &out, NULL));
    CHECK_STR(out.schema.children[0]->format, "d:17,2");
    CHECK_MEM(out.array.children[0]->buffers[1], decimals, sizeof decimals);
    release(&out);
}

static void decimals_of_every_width_come_back(void)
{
    const int32_t d32[] = {-999999999, 15};
    const int64_t d64[] = {-150, 999999999999999};
    const int64_t d256[] = {-10000000000, -1, -1, -1, 0x1bcecceda1000000, 0xd3c2, 0, 0};
    const int64_t whole[] = {INT64_MIN, -1, INT64_MAX, 0};
    const struct {
        const char *format;
        const char *stored;
        size_t width;
        const void *values;
    } all[] = {{"d:9,3,32", "g", 4, d32},
               {"d:18,9,64", "g", 8, d64},
               {"d:60,10,256", "g", 32, d256},
               {"d:38,0", "l", 16, whole}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (int is_back = 0; is_back < 2; is_back++) {
            batch b = batch_begin(1, 2);
            batch out;

            put_values(&b, 0, "d", all[i].format, all[i].width, all[i].values, 3);
            CHECK_OK(pass(&b, is_back != 0, &out, NULL));
            CHECK_STR(out.schema.children[0]->format, is_back ? all[i].format : all[i].stored);
            if (is_back) {
                CHECK_MEM(out.array.children[0]->buffers[1], all[i].values, 2 * all[i].width);
            }
            release(&out);
        }
    }
}

static void a_decimal_that_no_number_holds_is_refused_by_name(void)
{
    const int64_t digits[] = {1234567890123457, 0};
    const int64_t large[] = {0, 1};
    batch b = batch_begin(1, 1);
    batch out;
    stoa_error err = STOA_ERROR_INIT;

    put_values(&b, 0, "price", "d:18,2", 16, digits, 1);
    CHECK_STATUS(STOA_ELOSS, pass(&b, false, &out, &err));
    CHECK_CONTAINS(err.message, "more digits than a float64");
    CHECK_CONTAINS(err.where, "column 'price', row 0");
    err = (stoa_error)STOA_ERROR_INIT;
    b = batch_begin(1, 1);
    put_values(&b, 0, "n", "d:38,0", 16, large, 1);
    CHECK_STATUS(STOA_ELOSS, pass(&b, false, &out, &err));
    CHECK_CONTAINS(err.message, "64 bits of an integer");
    err = (stoa_error)STOA_ERROR_INIT;
    b = batch_begin(1, 1);
    put_values(&b, 0, "n", "d:3,-30", 16, INTEGERS(5, 0), 1);
    CHECK_STATUS(STOA_ELOSS, pass(&b, false, &out, &err));
}

static void times_of_day_are_durations_and_come_back(void)
{
    static const char *const formats[] = {"tts", "ttm", "ttu", "ttn"};
    static const char *const stored[] = {"tDs", "tDm", "tDu", "tDn"};
    const int32_t narrow[] = {5, 86399};

    for (size_t i = 0; i < 4; i++) {
        for (int is_back = 0; is_back < 2; is_back++) {
            batch b = batch_begin(1, 2);
            batch out;

            put_values(&b, 0, "t", formats[i], i < 2 ? 4 : 8,
                       i < 2 ? (const void *)narrow : INTEGERS(5, 86399), 3);
            CHECK_OK(pass(&b, is_back != 0, &out, NULL));
            CHECK_STR(out.schema.children[0]->format, is_back ? formats[i] : stored[i]);
            if (!is_back) {
                const stoa_view view = column_of(&out);
                CHECK_I64(stoa_view_i64(&view, 0), 5);
                CHECK_I64(stoa_view_i64(&view, 1), 86399);
            } else {
                CHECK_MEM(out.array.children[0]->buffers[1],
                          i < 2 ? (const void *)narrow : INTEGERS(5, 86399), i < 2 ? 8 : 16);
            }
            release(&out);
        }
    }
}

static void days_in_milliseconds_are_whole_days(void)
{
    batch b = batch_begin(1, 2);
    batch out;
    stoa_error err = STOA_ERROR_INIT;

    put_values(&b, 0, "d", "tdm", 8, INTEGERS(86400000, -172800000), 3);
    CHECK_OK(pass(&b, false, &out, NULL));
    const stoa_view view = column_of(&out);
    CHECK_STR(view.schema->format, "tdD");
    CHECK_I64(stoa_view_i64(&view, 0), 1);
    CHECK_I64(stoa_view_i64(&view, 1), -2);
    release(&out);
    b = batch_begin(1, 1);
    put_values(&b, 0, "d", "tdm", 8, INTEGERS(86400001), 1);
    CHECK_STATUS(STOA_ERANGE, pass(&b, false, &out, &err));
    CHECK_CONTAINS(err.message, "make a timestamp of it");
}

static void nulls_are_strings_or_stay(void)
{
    struct ArrowArrayStream stream;
    struct ArrowArrayStream normal;
    struct ArrowSchema rows;
    struct ArrowArray got;
    batch b = batch_begin(1, 3);
    batch out;

    CHECK_OK(stoa_schema_make(b.schema.children[0], "n", "n", NULL));
    CHECK_OK(stoa_array_make(b.array.children[0], 3, 3, 0, NULL, NULL));
    CHECK_OK(pass(&b, false, &out, NULL));
    CHECK_STR(out.schema.children[0]->format, "U");
    CHECK_I64(column_of(&out).null_count, 3);
    release(&out);

    b = batch_begin(1, 3);
    CHECK_OK(stoa_schema_make(b.schema.children[0], "n", "n", NULL));
    CHECK_OK(stoa_array_make(b.array.children[0], 3, 3, 0, NULL, NULL));
    CHECK_OK(stoa_schema_copy(&b.schema, &rows, NULL));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_stream_normalize(&stream, &rows, true, &normal, NULL));
    stoa_schema_release(&rows);
    CHECK_OK(stoa_stream_schema(&normal, &rows, NULL));
    CHECK_OK(stoa_stream_next(&normal, &got, NULL));
    CHECK_STR(rows.children[0]->format, "n");
    CHECK_I64(got.children[0]->length, 3);
    stoa_array_release(&got);
    stoa_schema_release(&rows);
    stoa_stream_release(&normal);
    stoa_stream_release(&stream);
}

/* Rows [first, first + n) of runs that end at 2, 3 and 7, with the values 5, missing and 6. */
static void put_runs(batch *b, int64_t first, int64_t n)
{
    batch runs = batch_begin(2, 3);

    batch_integers(&runs, 0, "run_ends", "s", INTEGERS(2, 3, 7), NULL);
    batch_integers(&runs, 1, "values", "i", INTEGERS(5, 0, 6), TRUTHS(1, 0, 1));
    CHECK_OK(stoa_schema_make(b->schema.children[0], "r", "+r", NULL));
    CHECK_OK(stoa_schema_children(b->schema.children[0], 2, NULL));
    CHECK_OK(stoa_array_make(b->array.children[0], n, 0, 0, NULL, NULL));
    CHECK_OK(stoa_array_children(b->array.children[0], 2, NULL));
    for (int64_t i = 0; i < 2; i++) {
        stoa_schema_move(runs.schema.children[i], b->schema.children[0]->children[i]);
        stoa_array_move(runs.array.children[i], b->array.children[0]->children[i]);
    }
    b->array.children[0]->offset = first;
    release(&runs);
}

static void runs_are_the_values_repeated(void)
{
    batch b = batch_begin(1, 4);
    batch out;
    stoa_error err = STOA_ERROR_INIT;

    put_runs(&b, 1, 4);
    CHECK_OK(pass(&b, false, &out, NULL));
    const stoa_view view = column_of(&out);
    CHECK_STR(view.schema->format, "i");
    CHECK_STR(view.schema->name, "r");
    CHECK_I64(stoa_view_i64(&view, 0), 5);
    CHECK(stoa_view_is_null(&view, 1));
    CHECK_I64(stoa_view_i64(&view, 2), 6);
    CHECK_I64(stoa_view_i64(&view, 3), 6);
    release(&out);
    b = batch_begin(1, 4);
    put_runs(&b, 4, 4);
    CHECK_STATUS(STOA_EDATA, pass(&b, false, &out, &err));
    CHECK_CONTAINS(err.message, "row 3 of an Arrow array has no run");
}

static void put_list_views(batch *b, const int32_t *offsets, const int32_t *sizes, size_t n)
{
    batch items = batch_begin(1, 4);
    const char *const texts[] = {"a", NULL, "c", "d"};
    uint8_t *const valid = malloc(1);
    int32_t *const begin = malloc(n * sizeof *begin);
    int32_t *const count = malloc(n * sizeof *count);

    batch_strings(&items, 0, "item", texts);
    memcpy(begin, offsets, n * sizeof *begin);
    memcpy(count, sizes, n * sizeof *count);
    *valid = 0xfd;
    CHECK_OK(stoa_schema_make(b->schema.children[0], "v", "+vl", NULL));
    CHECK_OK(stoa_schema_children(b->schema.children[0], 1, NULL));
    stoa_schema_move(items.schema.children[0], b->schema.children[0]->children[0]);
    CHECK_OK(stoa_array_list(b->array.children[0], (int64_t)n, -1, 3,
                             (void *const[]){valid, begin, count}, items.array.children[0], NULL));
    release(&items);
}

static void views_of_lists_may_share_items(void)
{
    batch b = batch_begin(1, 3);
    batch out;
    stoa_view items;
    stoa_error err = STOA_ERROR_INIT;

    put_list_views(&b, (const int32_t[]){2, 99, 1}, (const int32_t[]){2, 99, 2}, 3);
    CHECK_OK(pass(&b, false, &out, NULL));
    const stoa_view view = column_of(&out);
    CHECK_STR(view.schema->format, "+L");
    CHECK(stoa_view_is_null(&view, 1));
    CHECK_I64(stoa_view_offset(&view, 3), 4);
    CHECK_OK(stoa_view_child(&view, 0, &items, NULL));
    CHECK_STR(value_text(&items, 0), "'c'");
    CHECK_STR(value_text(&items, 1), "'d'");
    CHECK_STR(value_text(&items, 2), "null");
    CHECK_STR(value_text(&items, 3), "'c'");
    release(&out);
    b = batch_begin(1, 1);
    put_list_views(&b, (const int32_t[]){3}, (const int32_t[]){2}, 1);
    CHECK_STATUS(STOA_EDATA, pass(&b, false, &out, &err));
    CHECK_CONTAINS(err.message, "beyond its items");
}

static void dictionaries_without_labels_are_their_values(void)
{
    const char *const texts[] = {"ab", "c"};
    batch labels = batch_begin(1, 2);
    batch b = batch_begin(1, 3);
    batch out;
    size_t length = 0;

    batch_strings(&labels, 0, "", texts);
    batch_labelled(&b, 0, "x", &labels, INTEGERS(1, -1, 0));
    stoa_schema_release(b.schema.children[0]->dictionary);
    CHECK_OK(stoa_schema_make(b.schema.children[0]->dictionary, "", "z", NULL));
    CHECK_OK(pass(&b, false, &out, NULL));
    const stoa_view view = column_of(&out);
    CHECK_STR(view.schema->format, "z");
    CHECK_MEM(stoa_view_bytes(&view, 0, &length), "c", 1);
    CHECK_U64(length, 1);
    CHECK(stoa_view_is_null(&view, 1));
    CHECK_MEM(stoa_view_bytes(&view, 2, &length), "ab", 2);
    release(&out);
}

static void bytes_and_durations_within_structs_are_noted(void)
{
    batch parts = batch_begin(2, 2);
    batch whole;
    batch out;
    const char *const texts[] = {"\x01\xff", NULL};

    batch_strings(&parts, 0, "b", texts);
    name_type(&parts, 0, "b", "z");
    batch_integers(&parts, 1, "t", "tDm", INTEGERS(7, -7), NULL);
    CHECK_OK(stoa_schema_rename(&parts.schema, "s", NULL));
    put_column(&parts, &whole);
    CHECK(!stoa_schema_is_normal(&whole.schema));
    CHECK_OK(pass(&whole, false, &out, NULL));
    const char *note = NULL;
    size_t length = 0;
    CHECK(stoa_schema_get(out.schema.children[0], "ARROW:extension:metadata", &note, &length));
    CHECK_U64(length, strlen("+s(z|tDm)"));
    CHECK_MEM(note, "+s(z|tDm)", length);
    release(&out);
}

/* Make a column of the type `format` that has this note, and cast it. */
static void cast_noted(const char *format, const char *note, const char *requested,
                       const char *wanted, stoa_status expected)
{
    batch b = batch_begin(1, 2);
    struct ArrowArrayStream stream;
    struct ArrowSchema rows;
    struct ArrowSchema asked;
    struct ArrowArray got = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;

    batch_integers(&b, 0, "x", format, INTEGERS(300, -5), NULL);
    CHECK_OK(stoa_schema_set(b.schema.children[0], "ARROW:extension:name", "stoa.original", NULL));
    CHECK_OK(stoa_schema_set(b.schema.children[0], "ARROW:extension:metadata", note, NULL));
    CHECK_OK(stoa_schema_make(&asked, "", "+s", NULL));
    CHECK_OK(stoa_schema_children(&asked, 1, NULL));
    CHECK_OK(stoa_schema_make(asked.children[0], "x", requested, NULL));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_stream_cast(&stream, &asked, &err));
    CHECK_OK(stoa_stream_schema(&stream, &rows, NULL));
    CHECK_STR(rows.children[0]->format, wanted);
    CHECK_STATUS(expected, stoa_stream_next(&stream, &got, &err));
    if (expected != STOA_OK) {
        CHECK_CONTAINS(err.message, "does not fit");
    }
    stoa_array_release(&got);
    stoa_schema_release(&rows);
    stoa_schema_release(&asked);
    stoa_stream_release(&stream);
}

static void what_is_requested_is_cast_where_it_can_be(void)
{
    cast_noted("l", "", "s", "s", STOA_OK);
    cast_noted("l", "", "c", "c", STOA_ELOSS);
    cast_noted("l", "", "S", "S", STOA_ELOSS);
    cast_noted("l", "", "d:5,2", "d:5,2", STOA_OK);
    cast_noted("l", "", "d:4,2", "d:4,2", STOA_ELOSS);
    cast_noted("l", "tDs", "g", "tDs", STOA_OK);
    cast_noted("l", "tts", "g", "tts", STOA_ELOSS);
    cast_noted("tsm:", "", "tsn:", "tsn:", STOA_OK);
    cast_noted("tsm:", "", "tss:", "tss:", STOA_ELOSS);
    cast_noted("tsm:", "", "tsm:UTC", "tsm:", STOA_OK);
    cast_noted("tsm:UTC", "", "tsu:Europe/Berlin", "tsu:Europe/Berlin", STOA_OK);
    cast_noted("tDm", "", "tDu", "tDu", STOA_OK);
}

static void a_note_for_another_type_is_ignored(void)
{
    static const char *const notes[] = {"z",   "+s(tts)", "+L(z",    "+L)", "tt",
                                        "d:x", "tts)",    "+s(|||)", "("};

    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        cast_noted("l", notes[i], "u", "l", STOA_OK);
    }
}

static void what_hep001_cannot_hold_is_refused_by_name(void)
{
    static const char *const formats[] = {"tiM", "tiD", "+ud:0", "+us:0"};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        batch b = batch_begin(1, 1);
        batch out;
        stoa_error err = STOA_ERROR_INIT;

        put_values(&b, 0, "odd", formats[i], 8, INTEGERS(1), 1);
        CHECK(!stoa_schema_is_normal(&b.schema));
        CHECK_STATUS(STOA_ETYPE, pass(&b, false, &out, &err));
        CHECK_CONTAINS(err.message, "column 'odd'");
        CHECK_CONTAINS(err.message, "HEP001 cannot hold; make");
    }
}

typedef struct interval {
    int32_t months;
    int32_t days;
    int64_t nanoseconds;
} interval;

static void intervals_without_months_are_durations(void)
{
    const interval values[] = {{0, 1, 1000}, {7, 0, 1}, {0, -2, 86400000000000}};
    const interval odd[] = {{1, 0, 0}, {0, 0, 1}, {0, INT32_MAX, INT64_MAX / 1000 * 1000}};
    batch b = batch_begin(1, 3);
    batch out;

    put_values(&b, 0, "i", "tin", sizeof *values, values, 5); /* the second is missing */
    CHECK_OK(pass(&b, false, &out, NULL));
    const stoa_view view = column_of(&out);
    CHECK_STR(view.schema->format, "tDu");
    CHECK_I64(stoa_view_i64(&view, 0), INT64_C(86400000001));
    CHECK(stoa_view_is_null(&view, 1));
    CHECK_I64(stoa_view_i64(&view, 2), INT64_C(-86400000000));
    release(&out);
    for (int i = 0; i < 2; i++) {
        stoa_error err = STOA_ERROR_INIT;

        b = batch_begin(1, 1);
        put_values(&b, 0, "i", "tin", sizeof *odd, &odd[i], 1);
        CHECK_STATUS(STOA_ELOSS, pass(&b, false, &out, &err));
        CHECK_CONTAINS(err.message, "an interval of");
    }
}

static void maps_are_lists_of_structs(void)
{
    batch b = batch_begin(1, 2);
    batch out;
    batch items = batch_begin(2, 3);
    int32_t *const offsets = malloc(3 * sizeof *offsets);

    batch_integers(&items, 0, "key", "i", INTEGERS(1, 2, 3), NULL);
    batch_integers(&items, 1, "value", "l", INTEGERS(10, 20, 30), NULL);
    memcpy(offsets, (const int32_t[]){0, 1, 3}, 3 * sizeof *offsets);
    CHECK_OK(stoa_schema_make(b.schema.children[0], "m", "+m", NULL));
    CHECK_OK(stoa_schema_children(b.schema.children[0], 1, NULL));
    stoa_schema_move(&items.schema, b.schema.children[0]->children[0]);
    CHECK_OK(stoa_array_list(b.array.children[0], 2, 0, 2, (void *const[]){NULL, offsets},
                             &items.array, NULL));
    CHECK_OK(pass(&b, false, &out, NULL));
    const stoa_view view = column_of(&out);
    CHECK_STR(view.schema->format, "+l");
    CHECK_STR(view.schema->children[0]->format, "+s");
    CHECK_STR(view.schema->children[0]->children[0]->name, "key");
    CHECK_I64(((const int64_t *)view.array->children[0]->children[1]->buffers[1])[2], 30);
    release(&out);
}

static batch shown; /* what the stream below gives, again and again */

static stoa_status show_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    (void)self;
    return stoa_schema_copy(&shown.schema, out, err);
}

static stoa_status show_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    (void)self;
    return stoa_array_share(&shown.array, out, err);
}

static stoa_status pass_shown(stoa_error *err)
{
    static const stoa_producer producer = {show_schema, show_batch, NULL};
    stoa_status status = STOA_OK;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArrayStream normal = {.release = NULL};
    struct ArrowArray got = {.release = NULL};

    STOA_TRY(stoa_stream_make(&stream, &producer, NULL, err));
    STOA_TRY(stoa_stream_normalize(&stream, &shown.schema, false, &normal, err));
    STOA_TRY(stoa_stream_cast(&normal, NULL, err));
    STOA_TRY(stoa_stream_next(&normal, &got, err));

done:
    stoa_array_release(&got);
    stoa_stream_release(&normal);
    stoa_stream_release(&stream);
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    shown = batch_begin(1, 4);
    put_values(&shown, 0, "d", "d:17,2", 16, decimals, 0xb);
    CHECK(sweep_memory(pass_shown) > 20);
    release(&shown);
    shown = batch_begin(1, 4);
    put_runs(&shown, 1, 4);
    CHECK(sweep_memory(pass_shown) > 20);
    release(&shown);
    shown = batch_begin(1, 3);
    put_list_views(&shown, (const int32_t[]){2, 99, 1}, (const int32_t[]){2, 99, 2}, 3);
    CHECK(sweep_memory(pass_shown) > 20);
    release(&shown);
}

TEST_MAIN(TEST(decimals_of_15_digits_are_floats_and_come_back),
          TEST(decimals_of_every_width_come_back),
          TEST(a_decimal_that_no_number_holds_is_refused_by_name),
          TEST(times_of_day_are_durations_and_come_back), TEST(days_in_milliseconds_are_whole_days),
          TEST(nulls_are_strings_or_stay), TEST(runs_are_the_values_repeated),
          TEST(views_of_lists_may_share_items), TEST(dictionaries_without_labels_are_their_values),
          TEST(bytes_and_durations_within_structs_are_noted),
          TEST(what_is_requested_is_cast_where_it_can_be), TEST(a_note_for_another_type_is_ignored),
          TEST(intervals_without_months_are_durations), TEST(maps_are_lists_of_structs),
          TEST(what_hep001_cannot_hold_is_refused_by_name),
          TEST(no_allocation_is_taken_for_granted))
