/* JSON as RFC 8259 defines it, for src/core/json.c */
#include "core/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

/* A value as text: scalars by their first letter and text, brackets around what they hold. */
static stoa_status show(stoa_json *json, FILE *out, stoa_error *err)
{
    stoa_json_kind kind;
    bool has_item = true;

    STOA_RETURN_NOT_OK(stoa_json_value(json, &kind, err));
    if (kind != STOA_JSON_ARRAY && kind != STOA_JSON_OBJECT) {
        (void)fprintf(out, "%c:", "NBDS"[kind]);
        (void)fwrite(json->text, 1, json->length, out);
        return STOA_OK;
    }
    const bool is_object = kind == STOA_JSON_OBJECT;

    (void)fputc(is_object ? '{' : '[', out);
    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(
            stoa_json_has_item(json, is_first, is_object ? '}' : ']', &has_item, err));
        if (!has_item) {
            break;
        }
        (void)fputc(' ', out);
        if (is_object) {
            STOA_RETURN_NOT_OK(stoa_json_key(json, err));
            (void)fwrite(json->text, 1, json->length, out);
            (void)fputc('=', out);
        }
        STOA_RETURN_NOT_OK(show(json, out, err));
    }
    (void)fputc(is_object ? '}' : ']', out);
    return STOA_OK;
}

/* The text of all of a value, or its error. The copy has no byte behind its end, so that a
 * sanitizer sees what is read beyond. */
static const char *parsed(const char *text, size_t length)
{
    static char shown[1024];
    stoa_error err = STOA_ERROR_INIT;
    stoa_json json = {0};
    char *const copy = stoa_alloc(length, 1);
    FILE *const out = fmemopen(shown, sizeof shown, "w");

    CHECK(copy != NULL && out != NULL);
    memcpy(copy, text, length);
    stoa_json_begin(&json, copy, length, 7);
    stoa_status status = show(&json, out, &err);
    status = status == STOA_OK ? stoa_json_end(&json, &err) : status;
    CHECK(fclose(out) == 0);
    if (status != STOA_OK) {
        CHECK_U64(status, STOA_ESYNTAX);
        (void)snprintf(shown, sizeof shown, "%s", err.message);
    }
    stoa_json_clear(&json);
    free(copy);
    return shown;
}

#define CHECK_JSON(literal, expected) CHECK_STR(parsed(literal, sizeof(literal) - 1), expected)

static void values_are_what_they_say(void)
{
    CHECK_JSON("null", "N:null");
    CHECK_JSON(" true ", "B:true");
    CHECK_JSON("\t{\"a\" : [ 1,-2.5e+3 , \"x\" ] ,\"b\":{}, \"c\":[]}\r\n",
               "{ a=[ D:1 D:-2.5e+3 S:x] b={} c=[]}");
    CHECK_JSON("[0,-0,0.5,1E5,10,NaN,Infinity,-Infinity]",
               "[ D:0 D:-0 D:0.5 D:1E5 D:10 D:NaN D:Infinity D:-Infinity]");
}

static void strings_lose_their_escapes(void)
{
    CHECK_JSON("\"\"", "S:");
    CHECK_JSON("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "S:\"\\/\b\f\n\r\t");
    CHECK_JSON("\"a\\u00e9\\u20AC\\ud83c\\udfdbz\"", "S:a\xc3\xa9\xe2\x82\xac\xf0\x9f\x8f\x9bz");
    CHECK_JSON("\"\xc3\xa9\"", "S:\xc3\xa9");
}

static void what_is_no_string_of_json_is_refused(void)
{
    CHECK_JSON("\"a", "line 7, byte 3: the line ends within a string");
    CHECK_JSON("\"a\\", "line 7, byte 4: the line ends where the letter of an escape must be");
    CHECK_JSON("\"\\x\"", "line 7, byte 3: the letter of an escape must be here, not 'x'");
    CHECK_JSON("\"\\u12g4\"", "line 7, byte 6: a hexadecimal digit must be here, not 'g'");
    CHECK_JSON("\"\\u12", "line 7, byte 6: the line ends where a hexadecimal digit must be");
    CHECK_JSON("\"\\ud800\"", "line 7, byte 8: half of a UTF-16 pair is no character");
    CHECK_JSON("\"\\udc00\\ud800\"", "line 7, byte 8: half of a UTF-16 pair is no character");
    CHECK_JSON("\"\\ud800\\u0041\"", "line 7, byte 14: half of a UTF-16 pair is no character");
    CHECK_JSON("\"a\tb\"", "line 7, byte 3: a control character must be escaped within a string");
    CHECK_JSON("\"a\0b\"", "line 7, byte 3: a NUL byte; is this a text file?");
    CHECK_JSON("\"ab\xc3(\"", "line 7, byte 4: the text is not UTF-8");
    CHECK_JSON("\"\xed\xa0\x80\"", "line 7, byte 2: the text is not UTF-8");
    CHECK_JSON("'a'", "line 7, byte 1: a value must be here, not '''");
}

static void what_is_no_number_of_json_is_refused(void)
{
    CHECK_JSON("01", "line 7, byte 1: a number of JSON begins with no 0; write it as a string");
    CHECK_JSON("-", "line 7, byte 2: the line ends where a digit must be");
    CHECK_JSON("1.", "line 7, byte 3: the line ends where a digit must be");
    CHECK_JSON("1.e5", "line 7, byte 3: a digit must be here, not 'e'");
    CHECK_JSON("1e", "line 7, byte 3: the line ends where a digit must be");
    CHECK_JSON("1e+", "line 7, byte 4: the line ends where a digit must be");
    CHECK_JSON(".5", "line 7, byte 1: a value must be here, not '.'");
    CHECK_JSON("+1", "line 7, byte 1: a value must be here, not '+'");
    CHECK_JSON("0x1", "line 7, byte 2: the end of the line must be here, not 'x'");
    CHECK_JSON("-Inf", "line 7, byte 2: a digit must be here, not 'I'");
}

static void brackets_and_commas_must_be_in_place(void)
{
    CHECK_JSON("", "line 7, byte 1: the line ends where a value must be");
    CHECK_JSON("[1", "line 7, byte 3: the line ends where a comma or ']' must be");
    CHECK_JSON("[1,]", "line 7, byte 4: a value must be here, not ']'");
    CHECK_JSON("[,1]", "line 7, byte 2: a value must be here, not ','");
    CHECK_JSON("[1 2]", "line 7, byte 4: a comma or ']' must be here, not '2'");
    CHECK_JSON("[1}", "line 7, byte 3: a comma or ']' must be here, not '}'");
    CHECK_JSON("{\"a\":1,}", "line 7, byte 8: a key in quotes must be here, not '}'");
    CHECK_JSON("{a:1}", "line 7, byte 2: a key in quotes must be here, not 'a'");
    CHECK_JSON("{\"a\" 1}", "line 7, byte 6: a colon must be here, not '1'");
    CHECK_JSON("{\"a\":}", "line 7, byte 6: a value must be here, not '}'");
    CHECK_JSON("{\"a\":1", "line 7, byte 7: the line ends where a comma or '}' must be");
    CHECK_JSON("{} {}", "line 7, byte 4: the end of the line must be here, not '{'");
    CHECK_JSON("nul", "line 7, byte 1: a value must be here, not 'n'");
    CHECK_JSON("\0", "line 7, byte 1: a value must be here, not the byte 0x00");
    CHECK_JSON("\xff", "line 7, byte 1: a value must be here, not the byte 0xff");
}

/* RFC 8259 §7: quotes, backslashes and control characters must be escaped. */
static void a_quoted_string_is_read_back(void)
{
    static const char text[] = "a\"b\\c\n\x01\x7f\xc3\xa9";
    stoa_buffer out = {0};
    stoa_json json = {0};
    stoa_json_kind kind;

    CHECK_OK(stoa_json_quote(&out, text, sizeof text, NULL), NULL); /* with its NUL */
    CHECK_STR((const char *)out.data, "\"a\\\"b\\\\c\\u000a\\u0001\\u007f\xc3\xa9\\u0000\"");
    stoa_json_begin(&json, (const char *)out.data, strlen((const char *)out.data), 1);
    CHECK_OK(stoa_json_value(&json, &kind, NULL), NULL);
    CHECK_I64(kind, STOA_JSON_STRING);
    CHECK_I64(json.length, sizeof text);
    CHECK(memcmp(json.text, text, sizeof text) == 0);
    stoa_json_clear(&json);
    stoa_buffer_clear(&out);
}

static void sizes_are_read_and_other_items_are_none(void)
{
    static const struct {
        const char *text;
        size_t n;
    } texts[] = {
        {"[3, 4]", 2},      {"[]", 0},      {"[1, -2]", 0}, {"[1, \"2\"]", 0},
        {"[1, [2, 3]]", 0}, {"[1,2,3]", 0}, {"[1.5]", 0},   {"[0,18446744073709551615]", 2}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t sizes[2] = {0, 0};
        stoa_json json = {0};
        stoa_json_kind kind;
        size_t n = 9;
        stoa_json_begin(&json, texts[i].text, strlen(texts[i].text), 1);
        CHECK_OK(stoa_json_value(&json, &kind, NULL), NULL);
        CHECK_OK(stoa_json_sizes(&json, sizes, 2, &n, NULL), NULL);
        CHECK_U64(n, texts[i].n);
        CHECK(stoa_json_is_blank(&json));
        CHECK(n == 0 || sizes[1] == (i == 0 ? 4 : UINT64_MAX));
        stoa_json_clear(&json);
    }
}

static void what_is_skipped_ends_where_it_ends(void)
{
    static const char text[] = "{\"a\": [1, {\"b\": \"]}\"}], \"c\": {}} 7";
    char deep[201] = {0};
    stoa_json json = {0};
    stoa_json_kind kind;

    stoa_json_begin(&json, text, sizeof text - 1, 1);
    CHECK_OK(stoa_json_value(&json, &kind, NULL), NULL);
    CHECK_OK(stoa_json_skip(&json, kind, NULL), NULL);
    CHECK_OK(stoa_json_value(&json, &kind, NULL), NULL);
    CHECK_I64(kind, STOA_JSON_NUMBER);
    memset(deep, '[', sizeof deep - 1);
    stoa_json_begin(&json, deep, sizeof deep - 1, 1);
    CHECK_OK(stoa_json_value(&json, &kind, NULL), NULL);
    CHECK_STATUS(STOA_ESYNTAX, stoa_json_skip(&json, kind, NULL));
    stoa_json_clear(&json);
}

TEST_MAIN(TEST(sizes_are_read_and_other_items_are_none), TEST(what_is_skipped_ends_where_it_ends),
          TEST(values_are_what_they_say), TEST(strings_lose_their_escapes),
          TEST(what_is_no_string_of_json_is_refused), TEST(what_is_no_number_of_json_is_refused),
          TEST(brackets_and_commas_must_be_in_place), TEST(a_quoted_string_is_read_back))
