/* Which type a column of texts gets (docs/csv.md), for src/layout/csv/inference.c and csv/columns.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "layout/csv_kit.h"
#include "support/check.h"

#define CHECK_SCHEMA(literal, expected) CHECK_STR(kit_schema(KIT_CSV(literal), NULL), expected)
#define CHECK_CSV(literal, expected)                                                               \
    CHECK_STR(kit_text(KIT_CSV(literal), NULL, STOA_TEXT_CSV), expected)

static void integers_get_the_narrowest_width_that_holds_them(void)
{
    CHECK_SCHEMA("a,b,c,d\n127,128,32768,2147483648\n-128,-129,-32769,-2147483649\n",
                 "a:c b:s c:i d:l");
    CHECK_SCHEMA("a,b\n9223372036854775807,9223372036854775808\n0,0\n", "a:l b:L");
    CHECK_SCHEMA("a\n18446744073709551615\n1\n", "a:L");
}

/* HEP001 §8.5: a fill value outside the values. int8 recommends -127. */
static void a_full_integer_type_leaves_room_for_a_fill_value(void)
{
    CHECK_SCHEMA("a\n127\n-128\n", "a:c"); /* -127 is free */
    CHECK_SCHEMA("a\n-127\n127\n", "a:c"); /* -128 is free, below them all */
    CHECK_SCHEMA("a\n127\n-127\n-128\n", "a:s");
    CHECK_SCHEMA("a\n32767\n-32767\n-32768\n", "a:i");
    CHECK_SCHEMA("a\n2147483647\n-2147483647\n-2147483648\n", "a:l");
    CHECK_SCHEMA("a\n9223372036854775807\n-9223372036854775807\n-9223372036854775808\n", "a:u");
    CHECK_SCHEMA("a\n18446744073709551615\n0\n", "a:u");
}

static void a_full_float_column_leaves_room_for_a_fill_value(void)
{
    CHECK_SCHEMA("a,b\nnan,nan\ninf,inf\n9.969209968386869e+36,9.969209968386869e+36\n1.5,-inf\n",
                 "a:g b:u");
}

static void integers_that_fit_no_type_are_strings(void)
{
    CHECK_SCHEMA("a,b\n18446744073709551616,18446744073709551615\n1,-1\n", "a:u b:u");
    CHECK_CSV("a\n18446744073709551616\n1\n", "a\n18446744073709551616\n1\n");
}

static void identifiers_keep_their_zeros_and_plus_signs(void)
{
    CHECK_SCHEMA("zip,phone,code\n00123,+4989123456,1\n99999,+1555,01\n", "zip:u phone:u code:u");
    CHECK_SCHEMA("a,b,c\n0,-0.5,+1.5\n-1,00.5,2.5\n", "a:c b:u c:g");
    CHECK_CSV("a\n007\n8\n", "a\n007\n8\n");
}

static void a_negative_zero_is_a_float(void)
{
    CHECK_SCHEMA("a\n-0\n1\n", "a:g");
    CHECK_CSV("a\n-0\n1\n", "a\n-0.0\n1.0\n");
}

static void decimals_are_floats(void)
{
    CHECK_SCHEMA("a,b,c,d,e\n1.5,1e3,.5,5.,nan\n2,-1E-5,1.,1,-Infinity\n", "a:g b:g c:g d:g e:g");
    CHECK_CSV("a\n1e3\n2.50\nNaN\n-INF\n", "a\n1000.0\n2.5\nnan\n-inf\n");
}

static void floats_lose_no_integer_and_no_magnitude(void)
{
    CHECK_SCHEMA("a,b\n9007199254740992,9007199254740993\n0.5,0.5\n", "a:g b:u");
    CHECK_SCHEMA("a,b\n-9007199254740992,-9007199254740993\n0.5,0.5\n", "a:g b:u");
    CHECK_SCHEMA("a,b,c,d\n1e308,1e309,1e-323,1e-324\n", "a:g b:u c:g d:u");
    CHECK_SCHEMA("a\n0e-999\n", "a:g");
}

static void bools_are_words_in_any_case(void)
{
    CHECK_SCHEMA("a,b,c\ntrue,0,true\nFALSE,1,yes\n", "a:b b:c c:u");
    CHECK_CSV("a,b\nTRUE,x\n,x\nFalse,x\n", "a,b\ntrue,x\n,x\nfalse,x\n");
}

static void times_get_the_coarsest_unit_that_holds_them(void)
{
    CHECK_SCHEMA("a,b,c,d,e\n"
                 "2001-01-01,2001-01-01T00:00,2001-01-01T00:00:00.5,2001-01-01T00:00:00.000001,"
                 "2001-01-01T00:00:00.000000001\n"
                 "1969-12-31,2001-01-01 00:00:01,2001-01-01T00:00:00,2001-01-01,2001-01-01\n",
                 "a:tdD b:tss: c:tsm: d:tsu: e:tsn:");
}

static void zoned_times_become_utc(void)
{
    CHECK_SCHEMA("a\n2001-01-01T00:00:00Z\n2001-01-01T02:00:00+01:00\n", "a:tss:UTC");
    CHECK_CSV("a\n2001-01-01T00:00:00Z\n2001-01-01T02:00:00+01:00\n",
              "a\n2001-01-01T00:00:00Z\n2001-01-01T01:00:00Z\n");
}

static void times_with_and_without_a_zone_do_not_mix(void)
{
    CHECK_SCHEMA("a,b\n2001-01-01T00:00:00Z,2001-01-01\n2001-01-01T00:00:00,2001-01-01T00:00Z\n",
                 "a:u b:u");
}

static void times_out_of_range_are_strings(void)
{
    CHECK_SCHEMA("a,b\n9999-01-01T00:00:00.000000,9999-01-01T00:00:00.000000001\n", "a:tsu: b:u");
    CHECK_SCHEMA("a\n2001-02-29\n", "a:u");
    CHECK_SCHEMA("a,b\n+5881580-07-11,+5881580-07-12\n", "a:tdD b:u"); /* int32 days end there */
}

static void durations_get_the_coarsest_unit_that_holds_them(void)
{
    CHECK_SCHEMA("a,b,c,d\nPT5S,P1DT2H3M4.5S,-PT0.000001S,PT0.000000001S\n-P2W,PT1M,PT1S,PT1S\n",
                 "a:tDs b:tDm c:tDu d:tDn");
    CHECK_CSV("a,b\nPT90S,PT0.5S\n,P2W\n-P1DT0.000S,-PT2H\n",
              "a,b\nPT1M30.000S,PT0.500S\n,P14DT0.000S\n-P1DT0.000S,-PT2H0.000S\n");
}

static void what_is_no_duration_of_iso_8601_is_none(void)
{
    CHECK_SCHEMA("a,b,c,d,e\n5s,PT5S,PT5S,P1M,P\n6s,5,2001-01-01,P1M,PT\n", "a:u b:u c:u d:u e:u");
    CHECK_SCHEMA("a\nPT99999999999.000000001S\n", "a:u"); /* beyond 64 bits of nanoseconds */
}

static void a_column_without_values_is_a_string_column(void)
{
    CHECK_SCHEMA("a,b\n,1\n,2\n", "a:u b:c");
}

static void one_value_of_another_kind_makes_strings_of_all(void)
{
    CHECK_SCHEMA("a,b,c,d\n1,1.5,true,2001-01-01\n2,2.5,false,2001-01-02\nx,x,x,x\n",
                 "a:u b:u c:u d:u");
    CHECK_SCHEMA("a,b\n1,x\n\"\",y\n", "a:u b:u"); /* an empty string is a value, and no number */
}

static void the_type_is_that_of_all_values_not_of_the_first(void)
{
    const char *path = check_path("t.csv");
    FILE *file = fopen(path, "wb");

    CHECK(file != NULL);
    (void)fputs("a,b\n", file);
    for (int i = 0; i < 200000; i++) {
        (void)fprintf(file, "%d,%d\n", i % 100, i % 100);
    }
    (void)fputs("1000,1.5\n", file);
    CHECK(fclose(file) == 0);
    CHECK_STR(kit_schema(path, NULL), "a:s b:g");
}

/* Categories ------------------------------------------------------------------------------- */

/* A column of `n_values`, `n_labels` of them distinct. */
static const char *labelled(int n_values, int n_labels)
{
    const char *path = check_path("t.csv");
    FILE *file = fopen(path, "wb");

    CHECK(file != NULL);
    (void)fputs("a,b\n", file);
    for (int i = 0; i < n_values; i++) {
        (void)fprintf(file, "v%d,x\n", i % n_labels);
    }
    CHECK(fclose(file) == 0);
    return path;
}

static void labels_that_repeat_four_times_make_a_category(void)
{
    CHECK_STR(kit_schema(labelled(8, 2), NULL), "a:c/u b:c/u");
    CHECK_STR(kit_schema(labelled(7, 2), NULL), "a:u b:c/u");
    CHECK_STR(kit_schema(labelled(3, 3), NULL), "a:u b:u");
}

static void codes_are_as_wide_as_their_number_needs(void)
{
    CHECK_STR(kit_schema(labelled(512, 128), NULL), "a:c/u b:c/u");
    CHECK_STR(kit_schema(labelled(516, 129), NULL), "a:s/u b:c/u");
    CHECK_STR(kit_schema(labelled(4 * 32769, 32769), NULL), "a:i/u b:c/u");
}

static void too_many_labels_are_no_category(void)
{
    CHECK_STR(kit_schema(labelled(4 * 262144, 262144), NULL), "a:i/u b:c/u");
    CHECK_STR(kit_schema(labelled(4 * 262145, 262145), NULL), "a:u b:c/u");
}

static void the_caller_has_the_last_word_on_categories(void)
{
    const char *yes[] = {"a"};
    const char *all[] = {"*"};
    const stoa_csv_options wanted = {sizeof wanted, .category = yes, .n_category = 1};
    const stoa_csv_options unwanted = {sizeof unwanted, .no_category = all, .n_no_category = 1};
    const stoa_csv_options one = {sizeof one, .category = yes, .n_category = 1, .no_category = all,
                                  .n_no_category = 1};
    const stoa_csv_options both = {sizeof both, .category = yes, .n_category = 1,
                                   .no_category = yes, .n_no_category = 1};

    CHECK_STR(kit_schema(labelled(3, 3), &wanted), "a:c/u b:u");
    CHECK_STR(kit_schema(labelled(80, 2), &unwanted), "a:u b:u");
    CHECK_STR(kit_schema(labelled(80, 2), &one), "a:c/u b:u");
    CHECK_STR(kit_schema(KIT_CSV("a,b\n1,1\n01,2\n"), &wanted), "a:c/u b:c");
    CHECK_CONTAINS(kit_failure(labelled(3, 3), &both, STOA_EINVAL), "contradict");
}

static void labels_are_sorted_bytewise_and_shared_by_all_batches(void)
{
    const stoa_csv_options options = {sizeof options, .batch_rows = 4};
    const char *path =
        KIT_CSV("a\nz\n\"\"\n\xc3\xa4\nB\n\na\nz\n\"\"\nB\nz\nz\nz\na\na\na\nB\nB\n\"\"\n\"\"\n"
                "\xc3\xa4\n\xc3\xa4\n\xc3\xa4\n");
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray first;
    struct ArrowArray second;
    stoa_csv *csv;

    CHECK_OK(stoa_csv_open(path, &options, &csv, &err), &err);
    CHECK_OK(stoa_csv_stream(csv, &stream, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &first, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &second, &err), &err);
    CHECK_I64(first.length, 4);
    CHECK_I64(second.children[0]->null_count, 1);

    const int8_t *codes = first.children[0]->buffers[1];
    CHECK_I64(codes[0], 3); /* "", "B", "a", "z", "ä": bytes, not letters */
    CHECK_I64(codes[1], 0);
    CHECK_I64(codes[2], 4);
    CHECK_I64(codes[3], 1);
    const struct ArrowArray *labels = first.children[0]->dictionary;
    CHECK_I64(labels->length, 5);
    CHECK_MEM(labels->buffers[2], "Baz\xc3\xa4", 5);
    CHECK(labels->buffers[2] == second.children[0]->dictionary->buffers[2]);

    /* A batch outlives its stream and reader. */
    stoa_array_release(&first);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
    CHECK_MEM(second.children[0]->dictionary->buffers[2], "Baz\xc3\xa4", 5);
    stoa_array_release(&second);
}

/* In blocks -------------------------------------------------------------------------------- */

/* Read in blocks of a row or two, many to a wave. */
static const char *schema_in_blocks(const char *path)
{
    const stoa_csv_options options = {sizeof options, .block_bytes = 1, .threads = 2};

    return kit_schema(path, &options);
}

/* Each half of what decides lies in a block of its own. */
static void what_decides_a_type_may_lie_in_two_blocks(void)
{
    CHECK_STR(schema_in_blocks(KIT_CSV("a\n127\n-127\n-128\n")), "a:s");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\n18446744073709551615\n-1\n")), "a:u");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\n18446744073709551615\n0\n")), "a:u");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\n9007199254740993\n0.5\n")), "a:u");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\n9007199254740992\n0.5\n")), "a:g");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\nnan\ninf\n-inf\n9.969209968386869e+36\n")), "a:u");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\n2001-01-01T00:00Z\n2001-01-01T00:00\n")), "a:u");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\n2001-01-01\n2001-01-01T00:00:00.5\n")), "a:tsm:");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\n2262-04-12\n2001-01-01T00:00:00.123456789\n")), "a:u");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\ntrue\n1\n")), "a:u");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\nx\nx\ny\nx\ny\ny\ny\nx\n")), "a:c/u");
    CHECK_STR(schema_in_blocks(KIT_CSV("a\nx\nx\ny\nx\ny\ny\ny\n")), "a:u");
}

/* `n_values` numbers below `n_labels`, then a word. */
static const char *numbers_and_a_word(int n_values, int n_labels)
{
    const char *path = check_path("t.csv");
    FILE *file = fopen(path, "wb");

    CHECK(file != NULL);
    (void)fputs("a,b\n", file);
    for (int i = 0; i < n_values; i++) {
        (void)fprintf(file, "%d,%d.5\n", i % n_labels, i);
    }
    (void)fputs("x,1\n", file);
    CHECK(fclose(file) == 0);
    return path;
}

/* After some rows the labels of numbers are gathered no more: this column needs them after all. */
static void a_word_behind_many_numbers_makes_a_category_of_them(void)
{
    const stoa_csv_options options = {sizeof options, .block_bytes = 64, .threads = 2};

    CHECK_STR(kit_schema(numbers_and_a_word(3000, 20), &options), "a:c/u b:g");
    const char *text = kit_text(numbers_and_a_word(3000, 20), &options, STOA_TEXT_CSV);
    CHECK_CONTAINS(text, "\n19,2999.5\nx,1.0\n");
    CHECK_STR(kit_schema(numbers_and_a_word(3000, 751), &options), "a:u b:g");
    CHECK_STR(kit_schema(numbers_and_a_word(3000, 749), &options), "a:s/u b:g");
}

/* What the caller says -------------------------------------------------------------------- */

static const char *schema_as(const char *path, const char *column, const char *type)
{
    const stoa_csv_pair pair = {column, type};
    const stoa_csv_options options = {sizeof options, .types = &pair, .n_types = 1};

    return kit_schema(path, &options);
}

static const char *text_as(const char *path, const char *column, const char *type)
{
    const stoa_csv_pair pair = {column, type};
    const stoa_csv_options options = {sizeof options, .types = &pair, .n_types = 1};

    return kit_text(path, &options, STOA_TEXT_JSONL);
}

static void a_type_can_be_said(void)
{
    static const char *const pairs[][2] = {
        {"int8", "a:c"},    {"int16", "a:s"},   {"int32", "a:i"},  {"int64", "a:l"},
        {"uint8", "a:C"},   {"uint16", "a:S"},  {"uint32", "a:I"}, {"uint64", "a:L"},
        {"float32", "a:f"}, {"float64", "a:g"}, {"string", "a:u"}, {"category", "a:c/u"},
        {"bool", "a:b"},
    };
    const char *path = KIT_CSV("a\n1\n0\n");

    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        CHECK_STR(schema_as(path, "a", pairs[k][0]), pairs[k][1]);
    }
    CHECK_STR(schema_as(KIT_CSV("a\n2001-01-01\n"), "a", "timestamp"), "a:tss:");
    CHECK_STR(schema_as(KIT_CSV("a\n2001-01-01T00:00:00.5Z\n"), "a", "timestamp"), "a:tsm:UTC");
    CHECK_STR(schema_as(KIT_CSV("a\n\n"), "a", "timestamp"), "a:tss:");
    CHECK_STR(schema_as(KIT_CSV("a\n2001-01-01\n"), "a", "date"), "a:tdD");
    CHECK_STR(schema_as(KIT_CSV("a\nPT5S\n"), "a", "duration"), "a:tDs");
    CHECK_STR(schema_as(KIT_CSV("a\n\n"), "a", "duration"), "a:tDs");
}

static void a_said_type_reads_what_inference_would_not(void)
{
    CHECK_STR(text_as(KIT_CSV("a\n007\n+5\n-0\n"), "a", "int8"),
              "{\"a\":7}\n{\"a\":5}\n{\"a\":0}\n");
    CHECK_STR(text_as(KIT_CSV("a\n1\nfalse\n"), "a", "bool"), "{\"a\":true}\n{\"a\":false}\n");
    CHECK_STR(text_as(KIT_CSV("a\n0.1\n"), "a", "float32"), "{\"a\":0.1}\n");
    CHECK_STR(text_as(KIT_CSV("a\n90s\n-1.5 ms\nPT1H\n"), "a", "duration"),
              "{\"a\":\"PT1M30.000000S\"}\n{\"a\":\"-PT0.001500S\"}\n{\"a\":\"PT1H0.000000S\"}\n");
    CHECK_STR(text_as(KIT_CSV("a\n1.50\n"), "a", "string"), "{\"a\":\"1.50\"}\n");
}

static void a_said_type_refuses_what_it_cannot_hold(void)
{
    static const struct {
        const char *type;
        const char *value;
    } bad[] = {
        {"int8", "128"},
        {"int8", "-129"},
        {"uint8", "256"},
        {"uint8", "-1"},
        {"int64", "1.5"},
        {"uint64", "-1"},
        {"float32", "1e39"},
        {"float64", "1e309"},
        {"float64", "x"},
        {"bool", "yes"},
        {"date", "2001-01-01T00:00"},
        {"int32", "\"\""},
        {"timestamp", "12:00"},
        {"duration", "12:00"},
        {"duration", "5"},
        {"duration", "P1M"},
        {"bool", "2"},
    };

    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char text[64];
        const stoa_csv_pair pair = {"b", bad[k].type};
        const stoa_csv_options options = {sizeof options, .types = &pair, .n_types = 1};
        const int n = snprintf(text, sizeof text, "a,b\n1,\n2,%s\n", bad[k].value);
        const char *failure =
            kit_failure(kit_file("t.csv", text, (size_t)n), &options, STOA_ESYNTAX);
        CHECK_CONTAINS(failure, "t.csv: line 3, column 'b': '");
        CHECK_CONTAINS(failure, "' is no ");
        CHECK_CONTAINS(failure, bad[k].type);
    }
}

static void options_about_no_column_are_refused(void)
{
    const stoa_csv_pair pair = {"x", "int8"};
    const stoa_csv_pair wrong = {"a", "int9"};
    const char *name = "x";
    const char *path = KIT_CSV("a,b\n1,2\n");
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;

    options.types = &pair;
    options.n_types = 1;
    CHECK_STR(kit_failure(path, &options, STOA_EINVAL),
              "t.csv: there is no column 'x', for which a type is given");
    options.types = &wrong;
    CHECK_CONTAINS(kit_failure(path, &options, STOA_EINVAL), "there is no type 'int9'");
    options.n_types = 0;
    options.units = &pair;
    options.n_units = 1;
    CHECK_CONTAINS(kit_failure(path, &options, STOA_EINVAL), "no column 'x'");
    options.n_units = 0;
    options.category = &name;
    options.n_category = 1;
    CHECK_CONTAINS(kit_failure(path, &options, STOA_EINVAL), "no column 'x'");
    options.n_category = 0;
    options.no_category = &name;
    options.n_no_category = 1;
    CHECK_CONTAINS(kit_failure(path, &options, STOA_EINVAL), "no column 'x'");
}

static void fields_carry_units_and_the_length_of_strings(void)
{
    const stoa_csv_pair units = {"a", "km/h"};
    const stoa_csv_options options = {sizeof options, .units = &units, .n_units = 1};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    stoa_csv *csv;
    char *text;

    CHECK_OK(stoa_csv_open(KIT_CSV("a,b\n1,one\n2,\n3,seventeen bytes..\n"), &options, &csv, &err),
             &err);
    CHECK_OK(stoa_csv_stream(csv, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    CHECK_OK(stoa_schema_get_text(schema.children[0], "units", &text, &err), &err);
    CHECK_STR(text, "km/h");
    free(text);
    CHECK_OK(stoa_schema_get_text(schema.children[1], "stoa.max_bytes", &text, &err), &err);
    CHECK_STR(text, "17");
    free(text);
    CHECK_OK(stoa_schema_get_text(schema.children[1], "stoa.mean_bytes", &text, &err), &err);
    CHECK_STR(text, "10");
    free(text);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
}

TEST_MAIN(TEST(integers_get_the_narrowest_width_that_holds_them),
          TEST(a_full_integer_type_leaves_room_for_a_fill_value),
          TEST(a_full_float_column_leaves_room_for_a_fill_value),
          TEST(integers_that_fit_no_type_are_strings),
          TEST(identifiers_keep_their_zeros_and_plus_signs), TEST(a_negative_zero_is_a_float),
          TEST(decimals_are_floats), TEST(floats_lose_no_integer_and_no_magnitude),
          TEST(bools_are_words_in_any_case), TEST(times_get_the_coarsest_unit_that_holds_them),
          TEST(zoned_times_become_utc), TEST(times_with_and_without_a_zone_do_not_mix),
          TEST(times_out_of_range_are_strings),
          TEST(durations_get_the_coarsest_unit_that_holds_them),
          TEST(what_is_no_duration_of_iso_8601_is_none),
          TEST(a_column_without_values_is_a_string_column),
          TEST(one_value_of_another_kind_makes_strings_of_all),
          TEST(the_type_is_that_of_all_values_not_of_the_first),
          TEST(labels_that_repeat_four_times_make_a_category),
          TEST(codes_are_as_wide_as_their_number_needs), TEST(too_many_labels_are_no_category),
          TEST(the_caller_has_the_last_word_on_categories),
          TEST(labels_are_sorted_bytewise_and_shared_by_all_batches),
          TEST(what_decides_a_type_may_lie_in_two_blocks),
          TEST(a_word_behind_many_numbers_makes_a_category_of_them), TEST(a_type_can_be_said),
          TEST(a_said_type_reads_what_inference_would_not),
          TEST(a_said_type_refuses_what_it_cannot_hold), TEST(options_about_no_column_are_refused),
          TEST(fields_carry_units_and_the_length_of_strings))
