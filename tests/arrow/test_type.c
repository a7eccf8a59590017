/* Formats of the Arrow C data interface, for src/arrow/type.c. The expected meanings are those of
 * the tables in https://arrow.apache.org/docs/format/CDataInterface.html */
#include "arrow/type.h"
#include "support/check.h"

static stoa_status read_format(const char *format, stoa_type *type)
{
    const struct ArrowSchema schema = {.format = format, .name = "x"};

    return stoa_type_of(&schema, type, NULL);
}

static void formats_of_the_specification_give_their_kinds(void)
{
    static const struct {
        const char *format;
        stoa_kind kind;
        int32_t width;
    } rows[] = {
        {"n", STOA_KIND_NULL, 0},
        {"b", STOA_KIND_BOOL, 0},
        {"c", STOA_KIND_INT8, 1},
        {"C", STOA_KIND_UINT8, 1},
        {"s", STOA_KIND_INT16, 2},
        {"S", STOA_KIND_UINT16, 2},
        {"i", STOA_KIND_INT32, 4},
        {"I", STOA_KIND_UINT32, 4},
        {"l", STOA_KIND_INT64, 8},
        {"L", STOA_KIND_UINT64, 8},
        {"e", STOA_KIND_FLOAT16, 2},
        {"f", STOA_KIND_FLOAT32, 4},
        {"g", STOA_KIND_FLOAT64, 8},
        {"z", STOA_KIND_BINARY, 0},
        {"Z", STOA_KIND_LARGE_BINARY, 0},
        {"u", STOA_KIND_STRING, 0},
        {"U", STOA_KIND_LARGE_STRING, 0},
        {"w:42", STOA_KIND_FIXED_BINARY, 42},
        {"tdD", STOA_KIND_DATE, 4},
        {"tsm:", STOA_KIND_TIMESTAMP, 8},
        {"tDs", STOA_KIND_DURATION, 8},
        {"tDm", STOA_KIND_DURATION, 8},
        {"tDu", STOA_KIND_DURATION, 8},
        {"tDn", STOA_KIND_DURATION, 8},
        {"+l", STOA_KIND_LIST, 0},
        {"+L", STOA_KIND_LARGE_LIST, 0},
        {"+w:123", STOA_KIND_FIXED_LIST, 123},
        {"+s", STOA_KIND_STRUCT, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        stoa_type type;
        CHECK_STATUS(STOA_OK, read_format(rows[i].format, &type));
        CHECK_U64(type.kind, rows[i].kind);
        CHECK_I64(type.width, rows[i].width);
    }
}

static void times_and_durations_carry_unit_and_zone(void)
{
    static const struct {
        const char *format;
        stoa_time_unit unit;
        bool utc;
    } rows[] = {
        {"tss:", STOA_TIME_SECOND, false}, {"tsm:UTC", STOA_TIME_MILLI, true},
        {"tsu:", STOA_TIME_MICRO, false},  {"tsn:Europe/Athens", STOA_TIME_NANO, true},
        {"tDs", STOA_TIME_SECOND, false},  {"tDm", STOA_TIME_MILLI, false},
        {"tDu", STOA_TIME_MICRO, false},   {"tDn", STOA_TIME_NANO, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        stoa_type type;
        CHECK_STATUS(STOA_OK, read_format(rows[i].format, &type));
        CHECK_U64(type.unit, rows[i].unit);
        CHECK_U64(type.utc, rows[i].utc);
    }
}

static void other_arrow_types_are_known_but_of_no_use(void)
{
    static const char *const formats[] = {"tdm",         "tts", "tin", "tiM", "d:19,10",
                                          "d:19,10,256", "vu",  "vz",  "+m",  "+ud:0,1",
                                          "+us:4,5",     "+r",  "+vl"};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        stoa_type type;
        CHECK_STATUS(STOA_OK, read_format(formats[i], &type));
        CHECK_U64(type.kind, STOA_KIND_OTHER);
    }
}

static void malformed_formats_are_type_errors(void)
{
    static const char *const formats[] = {
        "",    "x", "ii", "w:", "w:-1", "w:3x", "w:99999999999", "ts",   "tsm", "tsx:",
        "+w:", "+", "t",  "td", "tD",   "tDx",  "tDD",           "tDm:", "tDmm"};
    stoa_type type;

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        CHECK_STATUS(STOA_ETYPE, read_format(formats[i], &type));
    }
    CHECK_STATUS(STOA_ETYPE, read_format(NULL, &type));
}

static void a_dictionary_needs_integer_codes(void)
{
    struct ArrowSchema values = {.format = "u"};
    struct ArrowSchema schema = {.format = "s", .name = "x", .dictionary = &values};
    stoa_error err = STOA_ERROR_INIT;
    stoa_type type;

    CHECK_OK(stoa_type_of(&schema, &type, &err), &err);
    CHECK_U64(type.kind, STOA_KIND_DICTIONARY);
    CHECK_U64(type.index, STOA_KIND_INT16);
    CHECK_I64(type.width, 2);

    schema.format = "g";
    CHECK_STATUS(STOA_ETYPE, stoa_type_of(&schema, &type, &err));
}

static void names_say_parameters(void)
{
    char out[64];
    stoa_type type;

    CHECK_STATUS(STOA_OK, read_format("s", &type));
    CHECK_STR(stoa_type_name(&type, out), "int16");
    CHECK_STATUS(STOA_OK, read_format("tsm:UTC", &type));
    CHECK_STR(stoa_type_name(&type, out), "timestamp[ms, UTC]");
    CHECK_STATUS(STOA_OK, read_format("tsn:", &type));
    CHECK_STR(stoa_type_name(&type, out), "timestamp[ns]");
    CHECK_STATUS(STOA_OK, read_format("w:12", &type));
    CHECK_STR(stoa_type_name(&type, out), "fixed_binary[12]");
}

static void kinds_with_a_constant_format_come_back_from_it(void)
{
    for (stoa_kind kind = STOA_KIND_NULL; kind < STOA_KIND_OTHER; kind++) {
        const char *format = stoa_kind_format(kind);
        stoa_type type;
        if (format == NULL) {
            CHECK(kind == STOA_KIND_FIXED_BINARY || kind == STOA_KIND_FIXED_LIST ||
                  kind == STOA_KIND_TIMESTAMP || kind == STOA_KIND_DURATION ||
                  kind == STOA_KIND_DICTIONARY);
            continue;
        }
        CHECK_STATUS(STOA_OK, read_format(format, &type));
        CHECK_U64(type.kind, kind);
        CHECK_I64(type.width, stoa_kind_width(kind));
    }
    CHECK_I64(stoa_kind_width(STOA_KIND_TIMESTAMP), 8);
    CHECK_I64(stoa_kind_width(STOA_KIND_DURATION), 8);
}

TEST_MAIN(TEST(formats_of_the_specification_give_their_kinds),
          TEST(times_and_durations_carry_unit_and_zone),
          TEST(other_arrow_types_are_known_but_of_no_use), TEST(malformed_formats_are_type_errors),
          TEST(a_dictionary_needs_integer_codes), TEST(names_say_parameters),
          TEST(kinds_with_a_constant_format_come_back_from_it))
