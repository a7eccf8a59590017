/* Which types JSON lines get, and what is refused (docs/csv.md), for src/layout/jsonl/ */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/jsonl.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "layout/csv_kit.h"
#include "support/check.h"
#include "support/sweep.h"

#define FILE_OF(literal) kit_file("t.jsonl", literal, sizeof(literal) - 1)

static const stoa_csv_options none = STOA_CSV_OPTIONS_INIT;

static const char *text_of(const char *path, const stoa_csv_options *options)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;

    CHECK_OK(stoa_jsonl_open(path, options, &stream, &err), &err);
    return kit_stream_text(&stream, STOA_TEXT_JSONL);
}

static void show_field(FILE *out, const struct ArrowSchema *field)
{
    (void)fprintf(out, "%s:%s%s", field->name, field->format,
                  field->dictionary != NULL ? "/u" : "");
    for (int64_t k = 0; k < field->n_children; k++) {
        (void)fputc(k == 0 ? '(' : ' ', out);
        show_field(out, field->children[k]);
    }
    if (field->n_children > 0) {
        (void)fputc(')', out);
    }
}

/* "name:format(children) ..." */
static const char *schema_of(const char *path, const stoa_csv_options *options)
{
    static char shown[512];
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    FILE *const out = fmemopen(shown, sizeof shown, "w");

    CHECK(out != NULL);
    CHECK_OK(stoa_jsonl_open(path, options, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    for (int64_t k = 0; k < schema.n_children; k++) {
        (void)fputs(k > 0 ? " " : "", out);
        show_field(out, schema.children[k]);
    }
    CHECK(fclose(out) == 0);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    return shown;
}

static const char *failure_of(const char *path, const stoa_csv_options *options,
                              stoa_status expected)
{
    static char message[1024];
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;

    CHECK_STATUS(expected, stoa_jsonl_open(path, options, &stream, &err), &err);
    CHECK(stream.release == NULL);
    CHECK_STR(err.where, path);
    (void)snprintf(message, sizeof message, "%s", err.message);
    return message;
}

#define CHECK_SCHEMA(literal, expected) CHECK_STR(schema_of(FILE_OF(literal), &none), expected)
#define CHECK_TEXT(literal, expected) CHECK_STR(text_of(FILE_OF(literal), &none), expected)
#define CHECK_REFUSED(literal, status, expected)                                                   \
    CHECK_STR(failure_of(FILE_OF(literal), &none, status), expected)

static void numbers_get_the_types_that_csv_gives_them(void)
{
    CHECK_SCHEMA("{\"a\":1,\"b\":-129,\"c\":1.0,\"d\":1,\"e\":18446744073709551615}\n"
                 "{\"a\":2,\"b\":0,\"c\":2,\"d\":0.5,\"e\":1}\n",
                 "a:c b:s c:g d:g e:L");
    CHECK_SCHEMA("{\"a\":-9223372036854775808}\n{\"a\":9223372036854775807}\n", "a:l");
    CHECK_SCHEMA("{\"a\":true,\"b\":null}\n{\"a\":false}\n", "a:b b:u");
    CHECK_SCHEMA("{\"a\":-0}\n", "a:g");
    CHECK_TEXT("{\"a\":0.1}\n{\"a\":1e3}\n{\"a\":-0}\n",
               "{\"a\":0.1}\n{\"a\":1000.0}\n{\"a\":-0.0}\n");
}

/* CSV keeps such numbers as text, but here a text would be another thing. */
static void numbers_stay_numbers_if_any_type_holds_them(void)
{
    CHECK_SCHEMA("{\"a\":0}\n{\"a\":18446744073709551615}\n", "a:L");
    CHECK_SCHEMA("{\"a\":9223372036854775807}\n{\"a\":-9223372036854775807}\n"
                 "{\"a\":-9223372036854775808}\n",
                 "a:l");
    CHECK_SCHEMA(
        "{\"a\":NaN}\n{\"a\":Infinity}\n{\"a\":-Infinity}\n{\"a\":9.969209968386869e+36}\n", "a:g");
    CHECK_REFUSED("{\"a\":9007199254740993}\n{\"a\":0.5}\n", STOA_ETYPE,
                  "key 'a': no type holds all of its numbers exactly; --type 'a=float64' rounds "
                  "them, --type 'a=string' keeps their digits");
    (void)failure_of(FILE_OF("{\"a\":18446744073709551616}\n"), &none, STOA_ETYPE);
    (void)failure_of(FILE_OF("{\"a\":18446744073709551615}\n{\"a\":-1}\n"), &none, STOA_ETYPE);
    (void)failure_of(FILE_OF("{\"a\":1e309}\n"), &none, STOA_ETYPE);
}

static void strings_are_no_numbers_but_may_be_times_and_categories(void)
{
    CHECK_SCHEMA("{\"a\":\"12\",\"b\":\"true\",\"c\":\"\"}\n", "a:u b:u c:u");
    CHECK_SCHEMA("{\"a\":\"2001-01-01\",\"b\":\"2001-01-01T00:00:00Z\",\"c\":\"PT1.500S\"}\n",
                 "a:tdD b:tss:UTC c:tDm");
    CHECK_SCHEMA("{\"a\":\"x\"}\n{\"a\":\"x\"}\n{\"a\":\"x\"}\n{\"a\":\"x\"}\n", "a:c/u");
}

/* As `stoa export` writes them. */
static void the_words_for_nan_and_infinity_are_numbers_among_numbers(void)
{
    CHECK_SCHEMA("{\"a\":\"NaN\",\"b\":\"NaN\",\"c\":\"-Infinity\"}\n"
                 "{\"a\":1.5,\"b\":\"x\",\"c\":\"Infinity\"}\n",
                 "a:g b:u c:g");
    CHECK_TEXT("{\"a\":\"-Infinity\"}\n{\"a\":1}\n{\"a\":\"NaN\"}\n{\"a\":Infinity}\n",
               "{\"a\":\"-Infinity\"}\n{\"a\":1.0}\n{\"a\":\"NaN\"}\n{\"a\":\"Infinity\"}\n");
}

static void arrays_are_lists_of_any_depth(void)
{
    CHECK_SCHEMA(
        "{\"a\":[],\"b\":[[1,null],[]],\"c\":[\"x\"],\"d\":[]}\n{\"a\":[1.5],\"d\":null}\n",
        "a:+l(item:g) b:+l(item:+l(item:c)) c:+l(item:u) d:+l(item:g)");
    CHECK_TEXT("{\"a\":null}\n{\"a\":[[1],null,[]]}\n{}\n{\"a\":[]}\n{\"a\":[[2,3]]}\n",
               "{\"a\":null}\n{\"a\":[[1],null,[]]}\n{\"a\":null}\n{\"a\":[]}\n{\"a\":[[2,3]]}\n");
}

static void objects_are_structs(void)
{
    CHECK_SCHEMA("{\"p\":{\"x\":1,\"q\":{\"s\":\"a\"}},\"l\":[{\"y\":[1]}]}\n",
                 "p:+s(x:c q:+s(s:u)) l:+l(item:+s(y:+l(item:c)))");
    CHECK_SCHEMA(
        "{\"l\":[\"PT1S\"],\"p\":{\"d\":\"PT1S\",\"l\":[\"PT1S\"],\"t\":\"2001-01-01\"}}\n",
        "l:+l(item:tDs) p:+s(d:u l:+l(item:u) t:tdD)");
    CHECK_TEXT("{\"p\":{\"x\":1,\"y\":\"a\"}}\n{\"p\":null}\n{}\n{\"p\":{\"y\":\"b\",\"x\":2}}\n",
               "{\"p\":{\"x\":1,\"y\":\"a\"}}\n{\"p\":null}\n{\"p\":null}\n"
               "{\"p\":{\"x\":2,\"y\":\"b\"}}\n");
}

/* The names are those of pandas.json_normalize(). */
static void fields_are_columns_where_some_object_lacks_one(void)
{
    CHECK_SCHEMA("{\"p\":{\"x\":1,\"y\":\"a\"},\"q\":{\"z\":1}}\n{\"p\":{\"x\":2}}\n",
                 "p.x:c p.y:u q:+s(z:c)");
    CHECK_TEXT("{\"p\":{\"x\":1,\"y\":\"a\"}}\n{\"p\":{\"x\":2}}\n{\"p\":null}\n{}\n",
               "{\"p.x\":1,\"p.y\":\"a\"}\n{\"p.x\":2,\"p.y\":null}\n"
               "{\"p.x\":null,\"p.y\":null}\n{\"p.x\":null,\"p.y\":null}\n");
    CHECK_TEXT("{\"p\":{\"x\":1}}\n{\"p\":{\"x\":1,\"y\":2}}\n",
               "{\"p.x\":1,\"p.y\":null}\n{\"p.x\":1,\"p.y\":2}\n");
    CHECK_TEXT("{\"p\":{\"x\":1,\"y\":2}}\n\n{\"p\":{\"y\":null,\"x\":2}}\n",
               "{\"p.x\":1,\"p.y\":2}\n{\"p.x\":2,\"p.y\":null}\n");
    CHECK_TEXT("{\"p\":{\"q\":{\"x\":1}}}\n{\"p\":{\"q\":{}}}\n{\"p\":{}}\n",
               "{\"p.q.x\":1}\n{\"p.q.x\":null}\n{\"p.q.x\":null}\n");
    CHECK_REFUSED("{\"p\":{}}\n", STOA_ETYPE,
                  "key 'p' holds nothing but empty objects, which no type stands for");
}

static void fields_of_objects_in_lists_are_lists(void)
{
    CHECK_SCHEMA("{\"h\":[{\"x\":1},{\"y\":[true]}],\"i\":[[{\"z\":{\"a\":1}},{}]]}\n",
                 "h.x:+l(item:c) h.y:+l(item:+l(item:b)) i.z.a:+l(item:+l(item:c))");
    CHECK_TEXT("{\"h\":[{\"x\":1},{\"x\":2,\"y\":[7,8]}]}\n{\"h\":[]}\n{\"h\":null}\n"
               "{\"h\":[null,{\"y\":[]}]}\n",
               "{\"h.x\":[1,2],\"h.y\":[null,[7,8]]}\n{\"h.x\":[],\"h.y\":[]}\n"
               "{\"h.x\":null,\"h.y\":null}\n{\"h.x\":[null,null],\"h.y\":[null,[]]}\n");
    CHECK_TEXT("{\"s\":[{\"n\":\"b\"},null],\"t\":[1,null],\"u\":{\"l\":[1,null]}}\n",
               "{\"s.n\":[\"b\",null],\"t\":[1,null],\"u.l\":[1,null]}\n");
    CHECK_TEXT("{\"l\":[[{\"k\":5}]]}\n{\"l\":[[null,{\"k\":6,\"m\":true}],[]]}\n",
               "{\"l.k\":[[5]],\"l.m\":[[null]]}\n"
               "{\"l.k\":[[null,6],[]],\"l.m\":[[null,true],[]]}\n");
}

static void options_name_fields_that_are_columns(void)
{
    const stoa_csv_pair types[] = {{"p.x", "float32"}, {"l.x", "float32"}};
    const stoa_csv_pair units[] = {{"p.x", "keV"}, {"l.x", "mm"}};
    const char *const categories[] = {"p.y"};
    const char *const in_list[] = {"l.x"};
    stoa_csv_options options = {sizeof options, .types = types, .n_types = 2,
                                .units = units, .n_units = 2,   .category = categories,
                                .n_category = 1};
    const char *const path =
        FILE_OF("{\"p\":{\"x\":1},\"l\":[{\"x\":1}]}\n{\"p\":{\"y\":\"a\"},\"l\":[{}]}\n");
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    const char *text = NULL;
    size_t length = 0;

    CHECK_STR(schema_of(path, &options), "p.x:f p.y:c/u l.x:+l(item:f)");
    CHECK_OK(stoa_jsonl_open(path, &options, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    CHECK(stoa_schema_get(schema.children[0], "units", &text, &length));
    CHECK_U64(length, 3);
    CHECK_MEM(text, "keV", 3);
    CHECK(stoa_schema_get(schema.children[2], "units", &text, &length));
    CHECK_U64(length, 2);
    CHECK_MEM(text, "mm", 2);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);

    options = (stoa_csv_options){sizeof options, .category = in_list, .n_category = 1};
    CHECK_STR(failure_of(path, &options, STOA_EINVAL),
              "key 'l.x': values within lists and objects cannot be categories");
}

static void keys_are_united_over_the_rows(void)
{
    CHECK_TEXT("{\"a\":1}\n{\"b\":2,\"a\":3}\n{\"c\":[]}\n",
               "{\"a\":1,\"b\":null,\"c\":null}\n{\"a\":3,\"b\":2,\"c\":null}\n"
               "{\"a\":null,\"b\":null,\"c\":[]}\n");
}

static void a_key_holds_one_kind_of_value(void)
{
    CHECK_REFUSED("{\"a\":1}\n{\"a\":null}\n{\"a\":\"x\"}\n", STOA_ETYPE,
                  "line 3, key 'a': a string where line 1 has a number; --type 'a=string' keeps "
                  "both as text");
    CHECK_REFUSED("{\"a\":{\"b\":true}}\n{\"a\":{\"b\":0}}\n", STOA_ETYPE,
                  "line 2, key 'a.b': a number where line 1 has a boolean; --type 'a.b=string' "
                  "keeps both as text");
    CHECK_REFUSED("{\"a\":[1]}\n{\"a\":1}\n", STOA_ETYPE,
                  "line 2, key 'a': a number where line 1 has a list; a column holds one of them, "
                  "so give them different keys");
    CHECK_REFUSED("{\"a\":\"NaN\"}\n{\"a\":{}}\n", STOA_ETYPE,
                  "line 2, key 'a': an object where line 1 has a string; a column holds one of "
                  "them, so give them different keys");
    CHECK_REFUSED("{\"a\":[[1],2]}\n", STOA_ETYPE,
                  "line 1, key 'a': a number where line 1 has a list; a column holds one of them, "
                  "so give them different keys");
}

static void lines_may_be_blank_or_end_in_crlf_or_not_at_all(void)
{
    CHECK_TEXT("\xef\xbb\xbf{\"a\":1}\r\n\r\n  \n{\"a\":2}", "{\"a\":1}\n{\"a\":2}\n");
    CHECK_TEXT("{\"a\":1}\n\n\n", "{\"a\":1}\n");
}

static void what_is_no_row_is_refused_with_its_line(void)
{
    CHECK_REFUSED("{\"a\":1}\n[1]\n", STOA_ESYNTAX,
                  "line 2, byte 1: a row is an object, such as {\"x\": 1}");
    CHECK_REFUSED("3\n", STOA_ESYNTAX, "line 1, byte 1: a row is an object, such as {\"x\": 1}");
    CHECK_REFUSED("{\"a\":1} {\"a\":2}\n", STOA_ESYNTAX,
                  "line 1, byte 9: the end of the line must be here, not '{'");
    CHECK_REFUSED("{\"a\":1}\n{\"a\":", STOA_ESYNTAX,
                  "line 2, byte 6: the line ends where a value must be");
    CHECK_REFUSED("\xef\xbb\xbf{a\n", STOA_ESYNTAX,
                  "line 1, byte 5: a key in quotes must be here, not 'a'");
    CHECK_REFUSED("{\"a\":1,\"b\":2,\"a\":3}\n", STOA_ESYNTAX,
                  "line 1, byte 14: the key 'a' is there twice");
    CHECK_REFUSED("{\"p\":{\"x\":1,\"x\":1}}\n", STOA_ESYNTAX,
                  "line 1, byte 13: the key 'p.x' is there twice");
    CHECK_REFUSED("{\"a\\u0000\":1}\n", STOA_ESYNTAX,
                  "line 1, byte 2: a key with a NUL character cannot name a column");
    CHECK_REFUSED("\xff\xfe{\0", STOA_ESYNTAX, "line 1: this is UTF-16 text; convert it to UTF-8");
    CHECK_REFUSED("\n \n", STOA_EDATA,
                  "the file is empty: there is no row whose keys name columns");
    CHECK_REFUSED("{}\n", STOA_EDATA, "no row has a key that names a column");
}

/* As `stoa export` writes them to .json. */
static void the_rows_may_be_the_items_of_an_array(void)
{
    CHECK_TEXT("[\n{\"a\":1},\n{\"a\":2}\n]\n", "{\"a\":1}\n{\"a\":2}\n");
    CHECK_TEXT(" [{\"a\":[1]} , {\"a\":[]}\n\n,{\"a\":null}]",
               "{\"a\":[1]}\n{\"a\":[]}\n{\"a\":null}\n");
    CHECK_REFUSED("[]\n", STOA_EDATA, "the file is empty: there is no row whose keys name columns");
    CHECK_REFUSED("[{\"a\":1}", STOA_ESYNTAX, "line 2: the file ends within an array");
    CHECK_REFUSED("[{\"a\":1},\n", STOA_ESYNTAX, "line 2: the file ends within an array");
    CHECK_REFUSED("[{\"a\":1},]", STOA_ESYNTAX, "line 1, byte 10: a value must be here, not ']'");
    CHECK_REFUSED("[{\"a\":1}\n{\"a\":1}]", STOA_ESYNTAX,
                  "line 2, byte 1: a comma or ']' must be here, not '{'");
    CHECK_REFUSED("[{\"a\":1}]\n{\"a\":1}", STOA_ESYNTAX,
                  "line 2, byte 1: the end of the line must be here, not '{'");
    CHECK_REFUSED("[[1]]", STOA_ESYNTAX, "line 1, byte 2: a row is an object, such as {\"x\": 1}");
}

/* A file of one list that is so deep. */
static const char *deep_file(size_t depth)
{
    char text[256] = "{\"a\":";
    const size_t n = strlen(text);

    memset(text + n, '[', depth);
    memset(text + n + depth, ']', depth);
    text[n + 2 * depth] = '}';
    return kit_file("deep.jsonl", text, n + 2 * depth + 1);
}

static void nesting_has_a_limit(void)
{
    (void)text_of(deep_file(63), &none);
    CHECK_STR(failure_of(deep_file(64), &none, STOA_ESYNTAX),
              "line 1, byte 69: lists and objects are more than 64 deep");
}

static void options_say_what_a_key_holds(void)
{
    const stoa_csv_pair types[] = {
        {"a", "string"}, {"l", "float32"}, {"p.x", "int64"}, {"t", "timestamp"}, {"d", "string"}};
    const char *const nulls[] = {"-999"};
    const stoa_csv_options options = {sizeof options, .types = types, .n_types = 5,
                                      .null_texts = nulls, .n_null_texts = 1};
    const char *const path = FILE_OF(
        "{\"a\":1,\"l\":[1],\"p\":{\"x\":\"7\"},\"t\":\"2001-01-01\",\"d\":\"2001-01-01\"}\n"
        "{\"a\":true,\"l\":[-999,\"2.5\"],\"p\":{\"x\":8}}\n");

    CHECK_STR(schema_of(path, &options), "a:u l:+l(item:f) p:+s(x:l) t:tss: d:u");
    CHECK_STR(text_of(path, &options),
              "{\"a\":\"1\",\"l\":[1.0],\"p\":{\"x\":7},\"t\":\"2001-01-01T00:00:00\","
              "\"d\":\"2001-01-01\"}\n"
              "{\"a\":\"true\",\"l\":[null,2.5],\"p\":{\"x\":8},\"t\":null,\"d\":null}\n");
}

static void an_option_goes_to_the_first_key_of_its_path(void)
{
    const stoa_csv_pair type = {"a.b", "float32"};
    const stoa_csv_options options = {sizeof options, .types = &type, .n_types = 1};

    CHECK_STR(schema_of(FILE_OF("{\"a.b\":1,\"a\":{\"b\":2}}\n"), &options), "a.b:f a:+s(b:c)");
}

static void options_that_do_not_fit_are_refused(void)
{
    const char *const path = FILE_OF("{\"a\":\"xy\",\"l\":[1],\"p\":{\"x\":1}}\n");
    const char *column = "l";
    stoa_csv_pair type = {"a", "int8"};
    stoa_csv_options options = {sizeof options, .types = &type, .n_types = 1};

    CHECK_STR(failure_of(path, &options, STOA_ESYNTAX), "line 1, key 'a': 'xy' is no int8");
    type = (stoa_csv_pair){"b", "int8"};
    CHECK_STR(failure_of(path, &options, STOA_EINVAL),
              "there is no column 'b', for which an option is given");
    type = (stoa_csv_pair){"p", "int8"};
    CHECK_STR(failure_of(path, &options, STOA_EINVAL),
              "key 'p' holds objects, which have no type of their own; name a key of theirs: "
              "'p.x'");
    options = (stoa_csv_options){sizeof options, .category = &column, .n_category = 1};
    CHECK_STR(failure_of(path, &options, STOA_EINVAL),
              "key 'l': values within lists and objects cannot be categories");
}

static void categories_are_as_options_have_it(void)
{
    const char *const path =
        FILE_OF("{\"a\":\"x\",\"b\":\"y\",\"n\":1}\n{\"a\":\"w\",\"b\":\"y\"}\n"
                "{\"b\":\"y\"}\n{\"b\":\"y\"}\n");
    const char *const yes[] = {"a", "n"};
    const char *const no[] = {"*"};
    const stoa_csv_options options = {sizeof options, .category = yes, .n_category = 2,
                                      .no_category = no, .n_no_category = 1};

    CHECK_STR(schema_of(path, &options), "a:c/u b:u n:c/u");
    CHECK_STR(text_of(path, &options),
              "{\"a\":\"x\",\"b\":\"y\",\"n\":\"1\"}\n{\"a\":\"w\",\"b\":\"y\",\"n\":null}\n"
              "{\"a\":null,\"b\":\"y\",\"n\":null}\n{\"a\":null,\"b\":\"y\",\"n\":null}\n");
}

static void batches_are_as_long_as_asked(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;

    options.batch_rows = 2;
    CHECK_OK(stoa_jsonl_open(FILE_OF("{\"a\":[1]}\n{\"a\":null}\n{\"a\":[2,3]}\n\n"), &options,
                             &stream, &err),
             &err);
    for (int64_t n = 2; n > 0; n--) {
        CHECK_OK(stoa_stream_next(&stream, &batch, &err), &err);
        CHECK_I64(batch.length, n);
        CHECK_I64(batch.children[0]->children[0]->length, n == 2 ? 1 : 2);
        stoa_array_release(&batch);
    }
    CHECK_OK(stoa_stream_next(&stream, &batch, &err), &err);
    CHECK(batch.release == NULL);
    stoa_stream_release(&stream);
}

static void a_file_that_changes_between_the_passes_is_noticed(void)
{
    static const char *const later[] = {"{\"a\":1}\n", "{\"a\":1}\n{\"a\":300}\n",
                                        "{\"a\":1}\n{\"a\":[]}\n", "{\"a\":1}\n{\"b\":2}\n",
                                        "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"};

    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        const char *const path = FILE_OF("{\"a\":1}\n{\"a\":2}\n");
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArrayStream stream;
        struct ArrowArray batch = {.release = NULL};

        CHECK_OK(stoa_jsonl_open(path, &none, &stream, &err), &err);
        (void)kit_file("t.jsonl", later[i], strlen(later[i]));
        stoa_status status = stoa_stream_next(&stream, &batch, &err);
        if (batch.release != NULL) { /* it can be noticed at the end only */
            stoa_array_release(&batch);
            status = stoa_stream_next(&stream, &batch, &err);
        }
        CHECK_STATUS(STOA_EDATA, status, &err);
        CHECK_CONTAINS(err.message, "the file has changed since");
        stoa_stream_release(&stream);
    }
}

static bool stop(void *context, const stoa_progress *progress)
{
    return progress->rows < *(const uint64_t *)context;
}

static void the_listener_can_stop_the_job(void)
{
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    uint64_t limit = 0;

    options.listener = (stoa_listener){stop, &limit};
    CHECK_STATUS(STOA_ECANCELLED, stoa_jsonl_open(FILE_OF("{\"a\":1}\n"), &options, &stream, &err),
                 &err);
}

static stoa_status read_all(stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_csv_pair types[] = {{"l", "int16"}, {"p.x", "float64"}};
    const stoa_csv_pair units = {"l", "m"};
    const stoa_csv_options options = {sizeof options,  .types = types, .n_types = 2,
                                      .units = &units, .n_units = 1,   .batch_rows = 2};
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};

    STOA_TRY(stoa_jsonl_open(check_path("t.jsonl"), &options, &stream, err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, err));
    do {
        stoa_array_release(&batch);
        batch.release = NULL;
        STOA_TRY(stoa_stream_next(&stream, &batch, err));
    } while (batch.release != NULL);

done:
    stoa_array_release(&batch);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    return status;
}

static void running_out_of_memory_anywhere_is_just_an_error(void)
{
    (void)FILE_OF("{\"s\":\"a\\n\",\"l\":[[1],null],\"p\":{\"x\":1,\"n\":\"b\"},\"c\":\"x\"}\n"
                  "{\"s\":null,\"l\":null,\"p\":null,\"c\":\"x\",\"u\":[]}\n"
                  "{\"s\":\"b\",\"l\":[],\"p\":{\"x\":2,\"n\":\"\"},\"c\":\"x\",\"u\":[\"q\"]}\n"
                  "{\"c\":\"x\",\"f\":[{\"g\":[1]},{\"h\":2},null]}\n");
    CHECK(sweep_memory(read_all) > 60);
}

TEST_MAIN(TEST(numbers_get_the_types_that_csv_gives_them),
          TEST(numbers_stay_numbers_if_any_type_holds_them),
          TEST(strings_are_no_numbers_but_may_be_times_and_categories),
          TEST(the_words_for_nan_and_infinity_are_numbers_among_numbers),
          TEST(arrays_are_lists_of_any_depth), TEST(objects_are_structs),
          TEST(fields_are_columns_where_some_object_lacks_one),
          TEST(fields_of_objects_in_lists_are_lists), TEST(options_name_fields_that_are_columns),
          TEST(keys_are_united_over_the_rows), TEST(a_key_holds_one_kind_of_value),
          TEST(lines_may_be_blank_or_end_in_crlf_or_not_at_all),
          TEST(what_is_no_row_is_refused_with_its_line),
          TEST(the_rows_may_be_the_items_of_an_array), TEST(nesting_has_a_limit),
          TEST(options_say_what_a_key_holds), TEST(an_option_goes_to_the_first_key_of_its_path),
          TEST(options_that_do_not_fit_are_refused), TEST(categories_are_as_options_have_it),
          TEST(batches_are_as_long_as_asked),
          TEST(a_file_that_changes_between_the_passes_is_noticed),
          TEST(the_listener_can_stop_the_job),
          TEST(running_out_of_memory_anywhere_is_just_an_error))
