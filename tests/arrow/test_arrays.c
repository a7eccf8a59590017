/* Streams over plain C arrays, for src/arrow/arrays.c */
#include <stdio.h>
#include <stoa/arrays.h>
#include <string.h>

#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"

/* The stream's only batch, or next one; the caller releases both. */
static void pull(struct ArrowArrayStream *stream, struct ArrowSchema *schema,
                 struct ArrowArray *rows)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_stream_schema(stream, schema, &err), &err);
    CHECK_OK(stoa_stream_next(stream, rows, &err), &err);
}

/* One column of three rows comes out as these three texts. */
static void check_column(const stoa_column_array *column, const char *const *texts)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray rows;
    stoa_view table;
    stoa_view view;

    CHECK_OK(stoa_stream_of_arrays(column, 1, &stream, &err), &err);
    pull(&stream, &schema, &rows);
    CHECK_OK(stoa_view_of(&schema, &rows, &table, &err), &err);
    CHECK_STR(schema.children[0]->name, column->name);
    CHECK_STR(schema.children[0]->format, column->format);
    CHECK_OK(stoa_view_child(&table, 0, &view, &err), &err);
    CHECK_I64(view.length, 3);
    for (int64_t i = 0; i < 3; i++) {
        CHECK_STR(value_text(&view, i), texts[i]);
    }
    stoa_array_release(&rows);
    CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
    CHECK(rows.release == NULL);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
}

#define CHECK_ARRAY(format_, values_, ...)                                                         \
    check_column(                                                                                  \
        &(stoa_column_array){.name = "x", .format = (format_), .values = (values_), .n_rows = 3},  \
        (const char *const[]){__VA_ARGS__})

static void every_plain_type_arrives_as_it_was(void)
{
    CHECK_ARRAY("c", ((const int8_t[]){-128, 0, 127}), "-128", "0", "127");
    CHECK_ARRAY("s", ((const int16_t[]){INT16_MIN, 0, 1}), "-32768", "0", "1");
    CHECK_ARRAY("i", ((const int32_t[]){INT32_MIN, 0, 1}), "-2147483648", "0", "1");
    CHECK_ARRAY("l", ((const int64_t[]){INT64_MIN, 0, INT64_MAX}), "-9223372036854775808", "0",
                "9223372036854775807");
    CHECK_ARRAY("C", ((const uint8_t[]){255, 0, 1}), "255", "0", "1");
    CHECK_ARRAY("S", ((const uint16_t[]){65535, 0, 1}), "65535", "0", "1");
    CHECK_ARRAY("I", ((const uint32_t[]){UINT32_MAX, 0, 1}), "4294967295", "0", "1");
    CHECK_ARRAY("L", ((const uint64_t[]){UINT64_MAX, 0, 1}), "18446744073709551615", "0", "1");
    CHECK_ARRAY("f", ((const float[]){0.5F, -1, 3}), "0.5", "-1.0", "3.0");
    CHECK_ARRAY("g", ((const double[]){0.1, -1, 1e300}), "0.1", "-1.0", "1e+300");
    CHECK_ARRAY("e", ((const uint16_t[]){0x3c00, 0xc000, 0}), "1.0", "-2.0", "0.0");
    CHECK_ARRAY("u", ((const char *const[]){"a", "", "\xc3\xbc"}), "'a'", "''", "'\xc3\xbc'");
    CHECK_ARRAY("U", ((const char *const[]){"a", "", "bc"}), "'a'", "''", "'bc'");
    CHECK_ARRAY("tdD", ((const int32_t[]){-1, 0, 1}), "-1", "0", "1");
    CHECK_ARRAY("tsm:UTC", ((const int64_t[]){-1, 0, 1}), "-1", "0", "1");
    CHECK_ARRAY("tsn:", ((const int64_t[]){-1, 0, 1}), "-1", "0", "1");
    CHECK_ARRAY("tDu", ((const int64_t[]){-1, 0, 1}), "-1", "0", "1");
}

static void bytes_of_a_width_are_lent(void)
{
    static const char bytes[] = "abcdef";
    const stoa_column_array column = {.name = "x", .format = "w:2", .values = bytes, .n_rows = 3};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray rows;

    CHECK_OK(stoa_stream_of_arrays(&column, 1, &stream, &err), &err);
    pull(&stream, &schema, &rows);
    CHECK_STR(schema.children[0]->format, "w:2");
    CHECK(rows.children[0]->buffers[1] == bytes);
    CHECK_I64(rows.children[0]->length, 3);
    stoa_array_release(&rows);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
}

static const char *many_strings[65536];

/* Offsets of "u" have 32 bits. */
static void strings_of_more_than_2_gib_want_the_larger_format(void)
{
    static char text[1 << 15 | 1];
    const stoa_column_array column = {
        .name = "x", .format = "u", .values = many_strings, .n_rows = 65536};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray rows;

    memset(text, 'a', sizeof text - 1);
    for (int i = 0; i < 65536; i++) {
        many_strings[i] = text;
    }
    CHECK_OK(stoa_stream_of_arrays(&column, 1, &stream, &err), &err);
    CHECK_STATUS(STOA_ERANGE, stoa_stream_next(&stream, &rows, &err));
    CHECK_STR(err.message, "column 'x': 65536 strings in a row pass 2 GiB; give it the format 'U'");
    CHECK(rows.release == NULL);
    stoa_stream_release(&stream);
}

/* Bytes beyond 1 stand for the bools of a language that has no type for them. */
static void a_bool_is_any_byte_but_zero(void)
{
    static const uint8_t bytes[] = {0, 1, 2};

    CHECK_ARRAY("b", bytes, "0", "1", "1");
}

static void rows_that_are_not_valid_are_missing(void)
{
    static const bool valid[] = {true, false, true};
    static const double numbers[] = {1, 2, 3};
    static const bool bools[] = {true, true, false};
    static const char *const strings[] = {"a", "b", NULL};

    check_column(
        &(stoa_column_array){
            .name = "x", .format = "g", .values = numbers, .n_rows = 3, .valid = valid},
        (const char *const[]){"1.0", "null", "3.0"});
    check_column(
        &(stoa_column_array){
            .name = "x", .format = "b", .values = bools, .n_rows = 3, .valid = valid},
        (const char *const[]){"1", "null", "0"});
    check_column(
        &(stoa_column_array){
            .name = "x", .format = "u", .values = strings, .n_rows = 3, .valid = valid},
        (const char *const[]){"'a'", "null", "null"});
    CHECK_ARRAY("u", strings, "'a'", "'b'", "null");
    CHECK_ARRAY("U", ((const char *const[]){NULL, NULL, NULL}), "null", "null", "null");
}

enum { N_LONG = 65536 + 3 };

static int64_t long_numbers[N_LONG];
static const char *long_strings[N_LONG];
static bool long_valid[N_LONG];

static void fill_long_arrays(void)
{
    for (int i = 0; i < N_LONG; i++) {
        long_numbers[i] = i;
        long_strings[i] = i % 2 == 0 ? "even" : "odd";
        long_valid[i] = i % 3 != 0;
    }
}

static void numbers_are_lent_and_not_copied(void)
{
    const stoa_column_array columns[] = {
        {.name = "n", .format = "l", .values = long_numbers, .n_rows = N_LONG},
        {.name = "m", .format = "l", .values = long_numbers, .n_rows = N_LONG, .valid = long_valid},
    };
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray first;
    struct ArrowArray second;

    fill_long_arrays();
    CHECK_OK(stoa_stream_of_arrays(columns, 2, &stream, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &first, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &second, &err), &err);
    stoa_stream_release(&stream); /* batches live on */
    for (int i = 0; i < 2; i++) {
        CHECK(first.children[i]->buffers[1] == long_numbers);
        CHECK(second.children[i]->buffers[1] == long_numbers + first.length);
    }
    CHECK_I64(first.length + second.length, N_LONG);
    stoa_array_release(&first);
    stoa_array_release(&second);
}

static void later_batches_go_on_where_earlier_ones_end(void)
{
    const stoa_column_array columns[] = {
        {.name = "n", .format = "l", .values = long_numbers, .n_rows = N_LONG, .valid = long_valid},
        {.name = "s", .format = "u", .values = long_strings, .n_rows = N_LONG},
        {.name = "b", .format = "b", .values = long_valid, .n_rows = N_LONG},
    };
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray rows;
    int64_t row = 0;

    fill_long_arrays();
    CHECK_OK(stoa_stream_of_arrays(columns, 3, &stream, &err), &err);
    for (pull(&stream, &schema, &rows); rows.release != NULL;) {
        stoa_view table;
        stoa_view views[3];

        CHECK_OK(stoa_view_of(&schema, &rows, &table, &err), &err);
        for (int i = 0; i < 3; i++) {
            CHECK_OK(stoa_view_child(&table, i, &views[i], &err), &err);
        }
        for (int64_t i = 0; i < rows.length; i++, row++) {
            CHECK(stoa_view_is_null(&views[0], i) == !long_valid[row]);
            CHECK(row % 3 == 0 || stoa_view_i64(&views[0], i) == row);
            CHECK_STR(value_text(&views[1], i), row % 2 == 0 ? "'even'" : "'odd'");
            CHECK(stoa_view_i64(&views[2], i) == long_valid[row]);
        }
        stoa_array_release(&rows);
        CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
    }
    CHECK_I64(row, N_LONG);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
}

static void columns_and_their_texts_may_go_at_once(void)
{
    static const double numbers[] = {1};
    char name[] = "energy";
    char units[] = "keV";
    char description[] = "of the event";
    stoa_column_array column = {.name = name,
                                .format = "g",
                                .values = numbers,
                                .n_rows = 1,
                                .units = units,
                                .description = description};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    const char *value = NULL;
    size_t length = 0;

    CHECK_OK(stoa_stream_of_arrays(&column, 1, &stream, &err), &err);
    memset(name, 'x', sizeof name - 1);
    memset(units, 'x', sizeof units - 1);
    memset(description, 'x', sizeof description - 1);
    column = (stoa_column_array){0};
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    CHECK_STR(schema.children[0]->name, "energy");
    CHECK(stoa_schema_get(schema.children[0], "units", &value, &length));
    CHECK_U64(length, 3);
    CHECK_MEM(value, "keV", 3);
    CHECK(stoa_schema_get(schema.children[0], "description", &value, &length));
    CHECK_U64(length, 12);
    CHECK_MEM(value, "of the event", 12);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
}

static void no_rows_are_a_schema_without_batches(void)
{
    const stoa_column_array columns[] = {{.name = "n", .format = "l"},
                                         {.name = "s", .format = "u"}};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray rows;

    CHECK_OK(stoa_stream_of_arrays(columns, 2, &stream, &err), &err);
    pull(&stream, &schema, &rows);
    CHECK_I64(schema.n_children, 2);
    CHECK(rows.release == NULL);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
}

static void check_refused(const stoa_column_array *columns, size_t n, stoa_status status,
                          const char *message)
{
    struct ArrowArrayStream stream = {.release = stoa_stream_release};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(status, stoa_stream_of_arrays(columns, n, &stream, &err));
    CHECK_STR(err.message, message);
    CHECK(stream.release == NULL);
}

static void what_is_no_table_is_refused(void)
{
    static const int64_t values[] = {1, 2};
    const stoa_column_array good = {.name = "a", .format = "l", .values = values, .n_rows = 2};
    stoa_column_array two[] = {good, good};

    check_refused(NULL, 1, STOA_EINVAL, "a table of arrays has one column or more");
    check_refused(&good, 0, STOA_EINVAL, "a table of arrays has one column or more");
    check_refused(two, 2, STOA_EINVAL, "two columns have the name 'a'");
    two[1].name = "b";
    two[1].n_rows = 1;
    check_refused(two, 2, STOA_EINVAL, "column 'b' has 1 rows, and 'a' has 2");
    two[1].n_rows = 2;
    two[1].values = NULL;
    check_refused(two, 2, STOA_EINVAL, "column 'b' has no values");
    two[1].values = values;
    two[1].name = "";
    check_refused(two, 2, STOA_EINVAL, "column 2 of the arrays has no name");
    two[1].name = NULL;
    check_refused(two, 2, STOA_EINVAL, "column 2 of the arrays has no name");
    two[1].name = "b";
    two[1].format = NULL;
    check_refused(two, 2, STOA_EINVAL, "column 2 of the arrays has no format");
    two[1].format = "int64";
    check_refused(two, 2, STOA_ETYPE, "field 'b' has the malformed Arrow format 'int64'");
}

static void formats_without_a_plain_array_are_refused(void)
{
    static const char *const formats[] = {"n", "z", "Z", "+l", "+s", "+w:2", "tdm", "ttn", "d:9,2"};
    static const char bytes[64];

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const stoa_column_array column = {
            .name = "x", .format = formats[i], .values = bytes, .n_rows = 1};
        char message[128];

        (void)snprintf(message, sizeof message,
                       "column 'x' has the Arrow format '%s', which no plain array has; see "
                       "stoa/arrays.h",
                       formats[i]);
        check_refused(&column, 1, STOA_ETYPE, message);
    }
}

static stoa_status pull_all(stoa_error *err)
{
    static const int64_t numbers[] = {1, 2};
    static const char *const strings[] = {"a", NULL};
    static const bool bools[] = {true, false};
    const stoa_column_array columns[] = {
        {.name = "n", .format = "l", .values = numbers, .n_rows = 2, .valid = bools, .units = "m"},
        {.name = "s", .format = "u", .values = strings, .n_rows = 2, .description = "text"},
        {.name = "b", .format = "b", .values = bools, .n_rows = 2},
    };
    stoa_status status = STOA_OK;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray rows = {0};

    STOA_TRY(stoa_stream_of_arrays(columns, 3, &stream, err));
    STOA_TRY(stoa_stream_next(&stream, &rows, err));
    CHECK_I64(rows.length, 2);

done:
    stoa_array_release(&rows);
    stoa_stream_release(&stream);
    return status;
}

static void memory_may_run_out_anywhere(void)
{
    CHECK(sweep_memory(pull_all) > 10);
}

TEST_MAIN(TEST(every_plain_type_arrives_as_it_was), TEST(bytes_of_a_width_are_lent),
          TEST(strings_of_more_than_2_gib_want_the_larger_format),
          TEST(a_bool_is_any_byte_but_zero), TEST(rows_that_are_not_valid_are_missing),
          TEST(numbers_are_lent_and_not_copied), TEST(later_batches_go_on_where_earlier_ones_end),
          TEST(columns_and_their_texts_may_go_at_once), TEST(no_rows_are_a_schema_without_batches),
          TEST(what_is_no_table_is_refused), TEST(formats_without_a_plain_array_are_refused),
          TEST(memory_may_run_out_anywhere))
