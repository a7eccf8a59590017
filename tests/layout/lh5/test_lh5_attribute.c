/* Scalar attributes of LH5 as texts, and back (src/layout/lh5/common/attribute_text.h). */
#include "layout/lh5/common/attribute_text.h"

#include <string.h>

#include "hdf/metadata/attributes.h"
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
    STOA_TRY(stoa_lh5_attribute_write(file, "a", text, err));
    if (stoa_attribute_exists(file, "a")) {
        STOA_TRY(stoa_lh5_attribute_print(file, "a", out, err));
    }
    STOA_TRY(stoa_buffer_append(out, "", 1, err));

done:
    return status;
}

static const char *const spelt[] = {
    "string uid // 7",     "string ",
    "string int8 1",       "int8 -128",
    "int16 big-endian -2", "uint64 18446744073709551615",
    "float16 0.5",         "float32 big-endian 1.5",
    "float64 1e+300",      "float64 nan",
    "bool true",           "bool false",
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
        "",        "string",     "what 7",      "int8",       "int8 ",          "int8  1",
        "int8 1 ", "int8 1.5",   "int8 -",      "int8 1 2",   "int8[1] 1",      "int8[null]",
        "int7 1",  "int80 1",    "int8 big 1",  "float128 1", "int8big-endian", "float64 1.5x",
        "bool",    "bool maybe", "bool  true",  "bool true ", "bool[1] true",   "enum int8 1",
        " 1",      "int8 0x1",   "reference /", "list 1",     "int8 big-endian"};
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
        {"uint16 big-endian 65536", "65536", "uint16 big-endian"},
        {"int64 9223372036854775808", "9223372036854775808", "int64"},
        {"uint64 18446744073709551616", "18446744073709551616", "uint64"},
        {"float32 1e300", "1e300", "float32"},
        {"float32 -1e39", "-1e39", "float32"},
        {"float16 65520", "65520", "float16"},
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

/* What has one value of another kind, or several: it has no text. */
static void others_have_no_text(void)
{
    const hid_t scalar = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t null = CHECK_H5(H5Screate(H5S_NULL));
    const hid_t one = CHECK_H5(H5Screate_simple(1, &(hsize_t){1}, NULL));
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t pair = CHECK_H5(H5Tcreate(H5T_COMPOUND, 8));
    const hid_t items = CHECK_H5(H5Tarray_create2(H5T_STD_I32LE, 1, &(hsize_t){2}));
    const hid_t list = CHECK_H5(H5Tvlen_create(H5T_STD_I32LE));
    const hid_t bytes = CHECK_H5(H5Tcreate(H5T_OPAQUE, 2));
    const hid_t names = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));
    const hid_t odd = CHECK_H5(H5Tcopy(H5T_STD_I32LE));
    const struct {
        hid_t type;
        hid_t space;
    } others[] = {{H5T_STD_I32LE, one},
                  {text, one},
                  {H5T_STD_I32LE, null},
                  {pair, scalar},
                  {items, scalar},
                  {list, scalar},
                  {bytes, scalar},
                  {names, scalar},
                  {H5T_STD_B8LE, scalar},
                  {H5T_STD_REF_OBJ, scalar},
                  {odd, scalar},
                  {H5T_NATIVE_LDOUBLE, scalar},
                  {H5T_STD_REF_DSETREG, one}};
    const size_t n = sizeof others / sizeof *others;
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer out = {0};

    begin();
    CHECK_H5(H5Tinsert(pair, "x", 0, H5T_STD_I32LE));
    CHECK_H5(H5Tenum_insert(names, "on", &(int8_t){1}));
    CHECK_H5(H5Tset_precision(odd, 24));
    for (size_t i = 0; i < n; i++) {
        CHECK_H5(H5Aclose(
            H5Acreate2(file, "a", others[i].type, others[i].space, H5P_DEFAULT, H5P_DEFAULT)));
        CHECK_OK(stoa_lh5_attribute_print(file, "a", &out, &err), &err);
        CHECK_U64(out.size, 0);
        CHECK_H5(H5Adelete(file, "a"));
    }
    stoa_buffer_clear(&out);
    CHECK_H5(H5Tclose(odd));
    CHECK_H5(H5Tclose(names));
    CHECK_H5(H5Tclose(bytes));
    CHECK_H5(H5Tclose(list));
    CHECK_H5(H5Tclose(items));
    CHECK_H5(H5Tclose(pair));
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Sclose(null));
    CHECK_H5(H5Sclose(scalar));
    end();
}

/* LEGEND's software writes strings of varying length, and reads others. */
static void strings_of_any_storage_have_the_same_text(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_buffer out = {0};

    begin();
    CHECK_OK(stoa_attribute_write_utf8(file, "a", "uid // 7", &err), &err);
    CHECK_OK(stoa_lh5_attribute_print(file, "a", &out, &err), &err);
    CHECK_STR((const char *)out.data, "string uid // 7");
    stoa_buffer_clear(&out);
    end();
}

static stoa_status everything(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer out = {0};

    for (size_t i = 0; i < sizeof spelt / sizeof *spelt; i++) {
        STOA_TRY(say_and_print(spelt[i], &out, err));
    }

done:
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
          TEST(what_its_type_does_not_hold_is_refused), TEST(others_have_no_text),
          TEST(strings_of_any_storage_have_the_same_text), TEST(memory_that_runs_out_is_told))
