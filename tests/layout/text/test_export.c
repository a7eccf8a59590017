/* Arrow streams as CSV and JSON (RFC 4180, RFC 8259, docs/csv.md), for src/layout/text/export.c and
 * text_*.c */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "layout/csv_kit.h"
#include "support/check.h"

/* A stream of one batch, given once. */
typedef struct one_batch {
    struct ArrowSchema schema;
    struct ArrowArray batch;
} one_batch;

static stoa_status one_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((one_batch *)self)->schema, out, err);
}

static stoa_status one_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    (void)err;
    stoa_array_move(&((one_batch *)self)->batch, out);
    return STOA_OK;
}

static void one_release(void *self)
{
    one_batch *one = self;

    stoa_schema_release(&one->schema);
    stoa_array_release(&one->batch);
    free(one);
}

static void *copy(const void *bytes, size_t n)
{
    void *block = stoa_alloc(n, 1);

    CHECK(block != NULL);
    return n != 0 ? memcpy(block, bytes, n) : block;
}

/* A table of `n_columns`, to be filled by add_*(). */
static one_batch *table(int64_t n_columns, int64_t n_rows)
{
    stoa_error err = STOA_ERROR_INIT;
    one_batch *one = calloc(1, sizeof *one);

    CHECK(one != NULL);
    CHECK_OK(stoa_schema_make(&one->schema, "", "+s", &err), &err);
    CHECK_OK(stoa_schema_children(&one->schema, n_columns, &err), &err);
    CHECK_OK(stoa_array_make(&one->batch, n_rows, 0, 1, (void *[]){NULL}, &err), &err);
    CHECK_OK(stoa_array_children(&one->batch, n_columns, &err), &err);
    return one;
}

/* Fixed-width values; `valid` is a bitmap of up to 8 rows. */
static void fill(struct ArrowSchema *schema, struct ArrowArray *array, const char *name,
                 const char *format, const void *values, size_t n_bytes, int64_t n_rows,
                 uint8_t valid)
{
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t all = (uint8_t)((1u << n_rows) - 1);
    void *buffers[] = {valid == all ? NULL : copy(&valid, 1), copy(values, n_bytes)};

    CHECK_OK(stoa_schema_make(schema, name, format, &err), &err);
    CHECK_OK(stoa_array_make(array, n_rows, valid == all ? 0 : -1, 2, buffers, &err), &err);
}

static void fill_strings(struct ArrowSchema *schema, struct ArrowArray *array, const char *name,
                         const char *format, const char *const *texts, int64_t n_rows)
{
    stoa_error err = STOA_ERROR_INIT;
    int32_t offsets[9] = {0};
    char bytes[512];
    uint8_t valid = 0;

    for (int64_t i = 0; i < n_rows; i++) {
        const size_t n = texts[i] != NULL ? strlen(texts[i]) : 0;
        memcpy(bytes + offsets[i], texts[i] != NULL ? texts[i] : "", n);
        offsets[i + 1] = offsets[i] + (int32_t)n;
        valid = (uint8_t)(valid | (texts[i] != NULL) << i);
    }
    void *buffers[] = {copy(&valid, 1), copy(offsets, sizeof offsets),
                       copy(bytes, (size_t)offsets[n_rows])};
    CHECK_OK(stoa_schema_make(schema, name, format, &err), &err);
    CHECK_OK(stoa_array_make(array, n_rows, -1, 3, buffers, &err), &err);
}

static const char *text(one_batch *one, stoa_text_format format)
{
    static const stoa_producer producer = {one_schema, one_next, one_release};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;

    CHECK_OK(stoa_stream_make(&stream, &producer, one, &err), &err);
    return kit_stream_text(&stream, format);
}

static one_batch *one_column(const char *format, const void *values, size_t n_bytes, int64_t n_rows,
                             uint8_t valid)
{
    one_batch *one = table(1, n_rows);

    fill(one->schema.children[0], one->batch.children[0], "x", format, values, n_bytes, n_rows,
         valid);
    return one;
}

#define CHECK_COLUMN(format, values, n_rows, valid, csv, jsonl)                                    \
    do {                                                                                           \
        CHECK_STR(text(one_column(format, values, sizeof(values), n_rows, valid), STOA_TEXT_CSV),  \
                  csv);                                                                            \
        CHECK_STR(                                                                                 \
            text(one_column(format, values, sizeof(values), n_rows, valid), STOA_TEXT_JSONL),      \
            jsonl);                                                                                \
    } while (0)

static void numbers_are_written_to_their_limits(void)
{
    CHECK_COLUMN("c", ((const int8_t[]){-128, 127}), 2, 3, "x\n-128\n127\n",
                 "{\"x\":-128}\n{\"x\":127}\n");
    CHECK_COLUMN("C", ((const uint8_t[]){0, 255}), 2, 3, "x\n0\n255\n", "{\"x\":0}\n{\"x\":255}\n");
    CHECK_COLUMN("l", ((const int64_t[]){INT64_MIN, INT64_MAX}), 2, 3,
                 "x\n-9223372036854775808\n9223372036854775807\n",
                 "{\"x\":-9223372036854775808}\n{\"x\":9223372036854775807}\n");
    CHECK_COLUMN("L", ((const uint64_t[]){0, UINT64_MAX}), 2, 3, "x\n0\n18446744073709551615\n",
                 "{\"x\":0}\n{\"x\":18446744073709551615}\n");
}

static void floats_are_written_in_their_own_precision(void)
{
    CHECK_COLUMN("g", ((const double[]){0.1, -0.0, 1e16}), 3, 7, "x\n0.1\n-0.0\n1e+16\n",
                 "{\"x\":0.1}\n{\"x\":-0.0}\n{\"x\":1e+16}\n");
    CHECK_COLUMN("f", ((const float[]){0.1f}), 1, 1, "x\n0.1\n", "{\"x\":0.1}\n");
    CHECK_COLUMN("e", ((const uint16_t[]){0x3c00, 0xc000}), 2, 3, "x\n1.0\n-2.0\n",
                 "{\"x\":1.0}\n{\"x\":-2.0}\n");
    CHECK_COLUMN("g", ((const double[]){(double)NAN, (double)INFINITY, -(double)INFINITY}), 3, 7,
                 "x\nnan\ninf\n-inf\n",
                 "{\"x\":\"NaN\"}\n{\"x\":\"Infinity\"}\n{\"x\":\"-Infinity\"}\n");
}

static void missing_is_a_blank_line_in_csv_and_null_in_json(void)
{
    CHECK_COLUMN("i", ((const int32_t[]){1, 2, 3}), 3, 5, "x\n1\n\n3\n",
                 "{\"x\":1}\n{\"x\":null}\n{\"x\":3}\n");
}

static void bools_are_words(void)
{
    CHECK_COLUMN("b", ((const uint8_t[]){2}), 3, 3, "x\nfalse\ntrue\n\n",
                 "{\"x\":false}\n{\"x\":true}\n{\"x\":null}\n");
}

static void times_are_iso_8601(void)
{
    CHECK_COLUMN("tdD", ((const int32_t[]){11323}), 1, 1, "x\n2001-01-01\n",
                 "{\"x\":\"2001-01-01\"}\n");
    CHECK_COLUMN("tss:", ((const int64_t[]){978307440}), 1, 1, "x\n2001-01-01T00:04:00\n",
                 "{\"x\":\"2001-01-01T00:04:00\"}\n");
    CHECK_COLUMN("tsm:UTC", ((const int64_t[]){-1}), 1, 1, "x\n1969-12-31T23:59:59.999Z\n",
                 "{\"x\":\"1969-12-31T23:59:59.999Z\"}\n");
}

static void opaque_bytes_are_hex(void)
{
    CHECK_COLUMN("w:2", ((const uint8_t[]){0x00, 0xff, 0x0a, 0xb0}), 2, 3, "x\n00ff\n0ab0\n",
                 "{\"x\":\"00ff\"}\n{\"x\":\"0ab0\"}\n");
}

static void empty_bytes_are_not_missing(void)
{
    one_batch *one = table(1, 2);

    fill_strings(one->schema.children[0], one->batch.children[0], "x", "z",
                 (const char *[]){"", NULL}, 2);
    CHECK_STR(text(one, STOA_TEXT_CSV), "x\n\"\"\n\n");
}

static one_batch *string_table(const char *const *texts, int64_t n_rows)
{
    one_batch *one = table(2, n_rows);
    const int8_t zeros[8] = {0};

    fill_strings(one->schema.children[0], one->batch.children[0], "a,\"b\"", "u", texts, n_rows);
    fill(one->schema.children[1], one->batch.children[1], "n", "c", zeros, 8, n_rows, 0);
    return one;
}

static void csv_quotes_what_needs_it_and_nothing_else(void)
{
    const char *texts[] = {"plain", "a,b", "a\"b", "a\nb", "a\rb", "", NULL, " a\tb'"};

    CHECK_STR(text(string_table(texts, 8), STOA_TEXT_CSV),
              "\"a,\"\"b\"\"\",n\nplain,\n\"a,b\",\n\"a\"\"b\",\n\"a\nb\",\n\"a\rb\",\n\"\",\n,\n"
              " a\tb',\n");
}

static void tsv_quotes_tabs_and_not_commas(void)
{
    const char *texts[] = {"a,b", "a\tb"};

    CHECK_STR(text(string_table(texts, 2), STOA_TEXT_TSV),
              "\"a,\"\"b\"\"\"\tn\na,b\t\n\"a\tb\"\t\n");
}

/* RFC 8259 §7. */
static void json_escapes_what_it_must(void)
{
    const char *texts[] = {"\"\\/", "\b\f\n\r\t\x01\x1f\x7f",
                           "\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82"};

    CHECK_STR(text(string_table(texts, 3), STOA_TEXT_JSONL),
              "{\"a,\\\"b\\\"\":\"\\\"\\\\/\",\"n\":null}\n"
              "{\"a,\\\"b\\\"\":\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\",\"n\":null}\n"
              "{\"a,\\\"b\\\"\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82\",\"n\":null}\n");
}

static void json_replaces_bytes_that_are_no_utf8(void)
{
    const char *texts[] = {("a\xff"
                            "b"),
                           "\xc3", "\xe2\x82", "\xc3\xa4\x80"};

    CHECK_STR(text(string_table(texts, 4), STOA_TEXT_JSONL),
              "{\"a,\\\"b\\\"\":\"a\xef\xbf\xbd"
              "b\",\"n\":null}\n"
              "{\"a,\\\"b\\\"\":\"\xef\xbf\xbd\",\"n\":null}\n"
              "{\"a,\\\"b\\\"\":\"\xef\xbf\xbd\xef\xbf\xbd\",\"n\":null}\n"
              "{\"a,\\\"b\\\"\":\"\xc3\xa4\xef\xbf\xbd\",\"n\":null}\n");
}

static void json_is_one_array(void)
{
    const int8_t values[] = {1, 2};

    CHECK_STR(text(one_column("c", values, 2, 2, 3), STOA_TEXT_JSON),
              "[\n{\"x\":1},\n{\"x\":2}\n]\n");
    CHECK_STR(text(one_column("c", values, 2, 0, 0), STOA_TEXT_JSON), "[]\n");
    CHECK_STR(text(one_column("c", values, 2, 0, 0), STOA_TEXT_JSONL), "");
    CHECK_STR(text(one_column("c", values, 2, 0, 0), STOA_TEXT_CSV), "x\n");
}

static void dictionary_values_are_written_as_their_labels(void)
{
    stoa_error err = STOA_ERROR_INIT;
    one_batch *one = table(1, 4);
    struct ArrowSchema label_schema;
    struct ArrowArray labels;

    fill(one->schema.children[0], one->batch.children[0], "x", "c", (const int8_t[]){1, 0, 1, 2}, 4,
         4, 13);
    fill_strings(&label_schema, &labels, "", "u", (const char *[]){"no", "a,b", NULL}, 3);
    stoa_schema_release(&label_schema);
    CHECK_OK(stoa_schema_dictionary(one->schema.children[0], "u", &err), &err);
    CHECK_OK(stoa_array_dictionary(one->batch.children[0], &labels, &err), &err);
    CHECK_STR(text(one, STOA_TEXT_CSV), "x\n\"a,b\"\n\n\"a,b\"\n\n");
}

/* {"p": {"d": "t", "l": [1, null]}}, a struct of a string and a list, in row 0; missing in row 1.
 */
static one_batch *nested_table(void)
{
    stoa_error err = STOA_ERROR_INIT;
    one_batch *one = table(1, 3);
    struct ArrowSchema *schema = one->schema.children[0];
    struct ArrowArray *array = one->batch.children[0];

    CHECK_OK(stoa_schema_make(schema, "p", "+s", &err), &err);
    CHECK_OK(stoa_schema_children(schema, 2, &err), &err);
    CHECK_OK(stoa_array_make(array, 3, -1, 1, (void *[]){copy(&(uint8_t){5}, 1)}, &err), &err);
    CHECK_OK(stoa_array_children(array, 2, &err), &err);
    fill_strings(schema->children[0], array->children[0], "d", "u",
                 (const char *[]){"t\"", "hidden", NULL}, 3);

    struct ArrowSchema *list = schema->children[1];
    struct ArrowArray *lists = array->children[1];
    const int32_t offsets[] = {0, 2, 2, 3};
    CHECK_OK(stoa_schema_make(list, "l", "+l", &err), &err);
    CHECK_OK(stoa_schema_children(list, 1, &err), &err);
    CHECK_OK(stoa_array_make(lists, 3, 0, 2, (void *[]){NULL, copy(offsets, sizeof offsets)}, &err),
             &err);
    CHECK_OK(stoa_array_children(lists, 1, &err), &err);
    fill(list->children[0], lists->children[0], "item", "g", (const double[]){1.5, 0, (double)NAN},
         3 * sizeof(double), 3, 5);
    return one;
}

static void nested_values_are_json_in_every_format(void)
{
    CHECK_STR(text(nested_table(), STOA_TEXT_JSONL),
              "{\"p\":{\"d\":\"t\\\"\",\"l\":[1.5,null]}}\n{\"p\":null}\n"
              "{\"p\":{\"d\":null,\"l\":[\"NaN\"]}}\n");
    CHECK_STR(text(nested_table(), STOA_TEXT_CSV),
              "p\n\"{\"\"d\"\":\"\"t\\\"\"\"\",\"\"l\"\":[1.5,null]}\"\n\n"
              "\"{\"\"d\"\":null,\"\"l\"\":[\"\"NaN\"\"]}\"\n");
}

static void fixed_lists_are_written_item_by_item(void)
{
    stoa_error err = STOA_ERROR_INIT;
    one_batch *one = table(1, 2);
    struct ArrowSchema *schema = one->schema.children[0];
    struct ArrowArray *array = one->batch.children[0];

    CHECK_OK(stoa_schema_make(schema, "v", "+w:2", &err), &err);
    CHECK_OK(stoa_schema_children(schema, 1, &err), &err);
    CHECK_OK(stoa_array_make(array, 2, 0, 1, (void *[]){NULL}, &err), &err);
    CHECK_OK(stoa_array_children(array, 1, &err), &err);
    fill(schema->children[0], array->children[0], "item", "s", (const int16_t[]){1, 2, 3, 4}, 8, 4,
         15);
    CHECK_STR(text(one, STOA_TEXT_JSONL), "{\"v\":[1,2]}\n{\"v\":[3,4]}\n");
}

/* Errors ----------------------------------------------------------------------------------- */

static stoa_status write_to(one_batch *one, FILE *out, const stoa_listener *listener,
                            uint64_t *n_rows, stoa_error *err)
{
    static const stoa_producer producer = {one_schema, one_next, one_release};
    struct ArrowArrayStream stream;
    stoa_status status = stoa_stream_make(&stream, &producer, one, err);

    if (status == STOA_OK) {
        status = stoa_text_write(&stream, STOA_TEXT_CSV, out, listener, n_rows, err);
        stoa_stream_release(&stream);
    }
    return status;
}

static void a_full_disk_is_told(void)
{
    stoa_error err = STOA_ERROR_INIT;
    FILE *full = fopen("/dev/full", "w");

    if (full == NULL) {
        SKIP("there is no /dev/full");
    }
    CHECK_STATUS(STOA_EIO,
                 write_to(one_column("c", (const int8_t[]){1}, 1, 1, 1), full, NULL, NULL, &err));
    CHECK_STR(err.message, "cannot write the output: No space left on device");
    (void)fclose(full);
}

static void a_type_without_a_text_form_is_refused_by_name(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const int64_t value = 1;

    CHECK_STATUS(STOA_ETYPE,
                 write_to(one_column("ttu", &value, 8, 1, 1), stdout, NULL, NULL, &err));
    CHECK_CONTAINS(err.message, "column 'x'");
}

static bool refuse(void *context, const stoa_progress *progress)
{
    *(uint64_t *)context = progress->rows;
    return false;
}

static void the_listener_can_stop_the_writing(void)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t heard = 0;
    uint64_t n_rows = 0;
    const stoa_listener listener = {refuse, &heard};
    FILE *out = tmpfile();

    CHECK(out != NULL);
    CHECK_STATUS(STOA_ECANCELLED, write_to(one_column("c", (const int8_t[]){1, 2}, 2, 2, 3), out,
                                           &listener, &n_rows, &err));
    CHECK_U64(heard, 2);
    CHECK_U64(n_rows, 2);
    (void)fclose(out);
}

/* The stream is made before memory runs out: only the writing is on trial. */
static void running_out_of_memory_while_writing_is_just_an_error(void)
{
    for (uint64_t n = 0;; n++) {
        stoa_error err = STOA_ERROR_INIT;
        one_batch *one = nested_table();
        FILE *out = tmpfile();

        CHECK(out != NULL);
        stoa_memory_fail_after(n);
        const stoa_status status = write_to(one, out, NULL, NULL, &err);
        stoa_memory_fail_after(UINT64_MAX);
        (void)fclose(out);
        if (status == STOA_OK) {
            CHECK(n > 5);
            return;
        }
        CHECK_U64(status, STOA_ENOMEM);
        CHECK_U64(err.status, STOA_ENOMEM);
    }
}

static void a_text_longer_than_the_buffer_comes_out_whole(void)
{
    const size_t n = 1000000;
    char *bytes = stoa_alloc(n, 1);
    stoa_error err = STOA_ERROR_INIT;
    one_batch *one = table(1, 1);
    const int32_t offsets[] = {0, (int32_t)n};

    CHECK(bytes != NULL);
    memset(bytes, '"', n);
    CHECK_OK(stoa_schema_make(one->schema.children[0], "x", "u", &err), &err);
    CHECK_OK(stoa_array_make(one->batch.children[0], 1, 0, 3,
                             (void *[]){NULL, copy(offsets, sizeof offsets), bytes}, &err),
             &err);
    const char *csv = text(one, STOA_TEXT_CSV);
    CHECK_U64(strlen(csv), 2 * n + 5);
    CHECK_U64(strspn(csv + 2, "\""), 2 * n + 2);
}

TEST_MAIN(TEST(numbers_are_written_to_their_limits),
          TEST(floats_are_written_in_their_own_precision),
          TEST(missing_is_a_blank_line_in_csv_and_null_in_json), TEST(bools_are_words),
          TEST(times_are_iso_8601), TEST(opaque_bytes_are_hex), TEST(empty_bytes_are_not_missing),
          TEST(csv_quotes_what_needs_it_and_nothing_else), TEST(tsv_quotes_tabs_and_not_commas),
          TEST(json_escapes_what_it_must), TEST(json_replaces_bytes_that_are_no_utf8),
          TEST(json_is_one_array), TEST(dictionary_values_are_written_as_their_labels),
          TEST(nested_values_are_json_in_every_format), TEST(fixed_lists_are_written_item_by_item),
          TEST(a_full_disk_is_told), TEST(a_type_without_a_text_form_is_refused_by_name),
          TEST(the_listener_can_stop_the_writing),
          TEST(running_out_of_memory_while_writing_is_just_an_error),
          TEST(a_text_longer_than_the_buffer_comes_out_whole))
