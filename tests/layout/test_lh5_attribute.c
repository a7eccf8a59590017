/* Attributes of LH5 as texts, and back (src/layout/lh5/attribute_text.h). */
#include "layout/lh5/attribute_text.h"

#include <string.h>

#include "hdf/attributes.h"
#include "support/memory_file.h"
#include "support/sweep.h"

static hid_t file = H5I_INVALID_HID;

static void begin(void)
{
    file = memory_file("lh5-attribute", false);
}

static void end(void)
{
    CHECK_H5(H5Fclose(file));
}

/* What it is printed as once it is there; "" where it is not, or nothing is printed. */
static stoa_status say_and_print(const char *text, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    out->size = 0;
    STOA_TRY(stoa_attribute_exists(file, "a") ? stoa_attribute_delete(file, "a", err) : STOA_OK);
    STOA_TRY(stoa_lh5_attribute_say(file, "a", text, err));
    if (stoa_attribute_exists(file, "a")) {
        STOA_TRY(stoa_lh5_attribute_print(file, "a", out, err));
    }
    STOA_TRY(stoa_buffer_append(out, "", 1, err));

done:
    return status;
}

static const char *const spelt[] = {
    "string uid // 7",
    "string ",
    "string[2] \"a \\\"b\\\"\" \"\\\\\"",
    "string[null]",
    "string(3,nullpad,ascii) \"abc\"",
    "string(3,spacepad,utf8)[2] \"a\" \"\"",
    "int8 -128",
    "uint64[1] 18446744073709551615",
    "int16 big-endian[2] 1 -2",
    "float32 big-endian 1.5",
    "float64[2,2] 1.0 0.0 0.0 1e+300",
    "float64[0]",
    "float64[null]",
    "bool true",
    "bool[2] true false",
    "opaque(2,\"a tag\") 0x00ff",
    "enum(int16,\"on\"=1,\"stand by\"=-2)[2] -2 1",
    "{\"x\":int32,\"y\":float64}[2] {1 2.5} {-1 nan}",
    "{\"x\":int32}[null]",
    "{\"reference\":int32} {7}",
    "{\"a\"@4:int8,\"b\"@8:int32}16 {1 2}",
    "{\"t\":string,\"f\":string(2,nullterm,ascii),\"p\":{\"q\":bool}} {\"a ) }\" \"b\" {true}}",
    "array(2,3,int8) (1 2 3 4 5 6)",
    "list(int32)[2] (1 -2) ()",
    "list(list(string)) ((\"a\" \")\") () (\"\"))",
};

static void what_is_spelt_comes_back_as_it_was(void)
{
    stoa_buffer out = {0};
    stoa_error err = STOA_ERROR_INIT;

    begin();
    for (size_t i = 0; i < sizeof spelt / sizeof *spelt; i++) {
        CHECK_OK(say_and_print(spelt[i], &out, &err), &err);
        CHECK_STR((const char *)out.data, spelt[i]);
    }
    stoa_buffer_clear(&out);
    end();
}

/* Anybody's words. */
static void what_is_none_is_let_be(void)
{
    static const char *const lies[] = {
        "",
        "{",
        "{}",
        "{\"x\":int8",
        "{\"x\":int8} 1",
        "{\"x\":int8} {1",
        "{\"x\":int8} {1 2}",
        "{\"x\":int8} {1} ",
        "{\"x\":int8,\"x\":int8} {1 1}",
        "{\"x\"@65530:int64} {1}",
        "{\"x\"@99999999999999999999:int8} {1}",
        "{\"x\":int8,\"y\"@0:int8} {1 1}",
        "{\"x\":int32}2 {1}",
        "{x:int8} {1}",
        "string(0,nullpad,ascii) \"\"",
        "string(99999999999,nullpad,ascii) \"\"",
        "string(3,none,ascii) \"\"",
        "string(60000,nullpad,ascii)[30000]",
        "opaque(2,\"\") 0x00",
        "opaque(2,\"\") 0x00f",
        "opaque(0,\"\") 0x",
        "enum(int8,\"a\"=1,\"a\"=2) 1",
        "enum(float64,\"a\"=1) 1",
        "enum(int8,\"a\"=) 1",
        "array(int8) (1)",
        "array(0,int8) ()",
        "array(60000,60000,int8) (1)",
        "array(2,int8) (1)",
        "array(2,int8) (1 2 3)",
        "list(3,int8) (1)",
        "list(int8) (1",
        "list(int8) 1",
        "list(int8)",
        "list(string(60000,nullpad,ascii)) (\"\" \"\" \"\")",
        "list(list(list(list(list(list(list(list(list(int8))))))))) ()",
        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":int8}}}}}}}}} "
        "{{{{{{{{{1}}}}}}}}}",
        "int8[null] 1",
        "int8[null",
        "int8[4294967296,4294967296] 1",
        "int8[0,18446744073709551615]",
        "{\"x\":int8}99999999999 {1}",
        "string[1] \"a",
        "string[1] \"a\\",
        "bool maybe",
        "int8 1.5",
        "int8 -",
        "enum(int8,\"a\"=300) 1",
    };
    stoa_buffer out = {0};
    stoa_error err = STOA_ERROR_INIT;

    begin();
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        CHECK_OK(say_and_print(lies[i], &out, &err), &err);
        if (out.data[0] != '\0') {
            fprintf(stderr, "'%s' became '%s'\n", lies[i], (const char *)out.data);
        }
        CHECK_U64(out.data[0], '\0');
    }
    stoa_buffer_clear(&out);
    end();
}

/* libhdf5 would make another value of it. */
static void what_its_type_does_not_hold_is_refused(void)
{
    static const struct {
        const char *text;
        const char *value;
        const char *type;
    } misfits[] = {
        {"int8 300", "300", "int8"},
        {"int8 -129", "-129", "int8"},
        {"uint8 -1", "-1", "uint8"},
        {"uint16 big-endian[2] 65535 65536", "65536", "uint16 big-endian"},
        {"int64 9223372036854775808", "9223372036854775808", "int64"},
        {"uint64 18446744073709551616", "18446744073709551616", "uint64"},
        {"float32 1e300", "1e300", "float32"},
        {"float32 -1e39", "-1e39", "float32"},
        {"float16 65520", "65520", "float16"},
        {"enum(int8,\"a\"=1) 128", "128", "int8"},
        {"{\"x\":int32,\"y\":uint8} {1 256}", "256", "uint8"},
        {"list(int8)[2] (1) (1 128)", "128", "int8"},
        {"array(2,int8) (1 128)", "128", "int8"},
        {"string(3,nullpad,ascii) \"abcd\"", "\"abcd\"", "string(3,nullpad,ascii)"},
    };
    static const char *const fit[][2] = {{"int8 +127", "int8 127"},
                                         {"float32 0.1", "float32 0.10000000149011612"},
                                         {"float32 1e-300", "float32 0.0"},
                                         {"float32 -inf", "float32 -inf"},
                                         {"float16 65504", "float16 65504.0"}};
    stoa_buffer out = {0};

    begin();
    for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++) {
        stoa_error err = STOA_ERROR_INIT;
        char said[200];
        (void)snprintf(said, sizeof said, "attribute 'a' is to be %s, which its type, %s, does not",
                       misfits[i].value, misfits[i].type);
        CHECK_STATUS(STOA_EINVAL, say_and_print(misfits[i].text, &out, &err));
        CHECK_CONTAINS(err.message, said);
        CHECK(!stoa_attribute_exists(file, "a"));
    }
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++) {
        stoa_error err = STOA_ERROR_INIT;
        CHECK_OK(say_and_print(fit[i][0], &out, &err), &err);
        CHECK_STR((const char *)out.data, fit[i][1]);
    }
    stoa_buffer_clear(&out);
    end();
}

static void references_wait_until_there_is_what_they_are_to(void)
{
    stoa_buffer out = {0};
    stoa_error err = STOA_ERROR_INIT;
    char *lost = NULL;
    static const char text[] =
        "{\"to\":reference,\"std\":reference(std),\"n\":int8}[2] {\"/g\" \"/g\" 1} {\"\" \"\" 2}";

    begin();
    CHECK_OK(stoa_lh5_attribute_say(file, "a", text, &err), &err);
    CHECK(!stoa_attribute_exists(file, "a"));
    CHECK_OK(stoa_lh5_attribute_point(file, "a", &lost, &err), &err);
    CHECK_STR(lost, "/g");
    free(lost);
    CHECK(stoa_attribute_exists(file, "stoa_lh5_reference.a"));
    CHECK_H5(H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    CHECK_OK(stoa_lh5_attribute_point(file, "a", &lost, &err), &err);
    CHECK(lost == NULL);
    CHECK(!stoa_attribute_exists(file, "stoa_lh5_reference.a"));
    CHECK(stoa_lh5_attribute_refers(file, "a"));
    CHECK_OK(stoa_lh5_attribute_print(file, "a", &out, &err), &err);
    CHECK_STR((const char *)out.data, text);
    stoa_buffer_clear(&out);
    end();
}

static stoa_status everything(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer out = {0};
    char *lost = NULL;

    STOA_TRY(say_and_print(spelt[21], &out, err));
    STOA_TRY(say_and_print(spelt[16], &out, err));
    STOA_TRY(say_and_print(spelt[15], &out, err));
    STOA_TRY(say_and_print(spelt[24], &out, err));
    STOA_TRY(stoa_lh5_attribute_say(file, "r", "reference(std)[2] \"/\" \"/x\"", err));
    STOA_TRY(stoa_lh5_attribute_point(file, "r", &lost, err));

done:
    free(lost);
    stoa_buffer_clear(&out);
    return status;
}

static void memory_that_runs_out_is_told(void)
{
    begin();
    CHECK(sweep_memory(everything) > 20);
    end();
}

TEST_MAIN(TEST(what_is_spelt_comes_back_as_it_was), TEST(what_is_none_is_let_be),
          TEST(what_its_type_does_not_hold_is_refused),
          TEST(references_wait_until_there_is_what_they_are_to), TEST(memory_that_runs_out_is_told))
