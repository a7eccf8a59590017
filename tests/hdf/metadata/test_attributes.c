/* Attributes written as HEP001 wants them and read with suspicion, those that are larger than the
 * earliest format's headers, and copies of them (src/hdf/metadata/attributes.c,
 * src/hdf/metadata/saved_attribute.c, src/hdf/metadata/attribute_print.c). */
#include "hdf/metadata/attributes.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/sweep.h"

enum { N = 10000 }; /* float64: 80000 bytes */

/* A file of format versions from `least` on, in memory. */
static hid_t make_file(const char *name, H5F_libver_t least)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 16, false));
    CHECK_H5(H5Pset_libver_bounds(fapl, least, H5F_LIBVER_LATEST));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

static stoa_status make_large(hid_t object, hsize_t n, stoa_error *err)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    hid_t attribute = H5I_INVALID_HID;
    const stoa_status status =
        stoa_attribute_make(object, "wave", H5T_IEEE_F64LE, space, &attribute, err);

    CHECK(status == STOA_OK ? attribute >= 0 : attribute < 0);
    if (attribute >= 0) {
        CHECK_H5(H5Aclose(attribute));
    }
    CHECK_H5(H5Sclose(space));
    return status;
}

static void one_that_the_earliest_format_has_no_room_for_is_refused_by_name(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t old = make_file("old.h5", H5F_LIBVER_EARLIEST);
    const hid_t group = CHECK_H5(H5Gcreate2(old, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_STATUS(STOA_ERANGE, make_large(group, N, &err));
    CHECK_CONTAINS(err.message, "attribute 'wave' of /run takes 80000 bytes");
    CHECK_CONTAINS(err.message, "less than 64 KiB");
    CHECK_CONTAINS(err.message, "libver='v108'");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_OK(make_large(group, 8000, &err), &err);
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(old));
}

static void objects_of_later_formats_have_room(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t new = make_file("new.h5", H5F_LIBVER_V18);

    CHECK_OK(make_large(new, N, &err), &err);
    CHECK_H5(H5Fclose(new));
}

static void a_copy_into_the_earliest_format_says_so_too(void)
{
    static const char *const none[] = {NULL};
    static const char *const wave[] = {"wave", NULL};
    stoa_error err = STOA_ERROR_INIT;
    const hid_t new = make_file("new.h5", H5F_LIBVER_V18);
    const hid_t old = make_file("old.h5", H5F_LIBVER_EARLIEST);

    CHECK_OK(make_large(new, N, &err), &err);
    CHECK_OK(stoa_attribute_write_utf8(new, "units", "keV", &err), &err);
    CHECK_OK(stoa_attributes_copy(new, old, wave, &err), &err);
    CHECK(stoa_attribute_is(old, "units", "keV"));
    CHECK_STATUS(STOA_ERANGE, stoa_attributes_copy(new, old, none, &err));
    CHECK_CONTAINS(err.message, "attribute 'wave' of / takes 80000 bytes");
    CHECK(!stoa_attribute_exists(old, "wave"));
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ERANGE, stoa_attributes_copy_readable(new, old, none, &err));
    CHECK_H5(H5Fclose(old));
    CHECK_H5(H5Fclose(new));
}

/* --- written ---------------------------------------------------------------------------------- */

/* The stored type of an attribute, and how many values; -1: of no extent. */
static hid_t type_of(hid_t object, const char *name, int64_t *n)
{
    const hid_t attribute = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Aget_space(attribute));
    const hid_t type = CHECK_H5(H5Aget_type(attribute));

    *n = H5Sget_simple_extent_ndims(space) == 0 ? -1 : H5Sget_simple_extent_npoints(space);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Aclose(attribute));
    return type;
}

static void check_string(hid_t object, const char *name, int64_t n_values, size_t size,
                         H5T_str_t padding, H5T_cset_t charset)
{
    int64_t n = 0;
    const hid_t type = type_of(object, name, &n);

    CHECK(H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0);
    CHECK_U64(H5Tget_size(type), size);
    CHECK(H5Tget_strpad(type) == padding && H5Tget_cset(type) == charset);
    CHECK_I64(n, n_values);
    CHECK_H5(H5Tclose(type));
}

static void texts_are_stored_as_hep001_says(void)
{
    static const char *const names[] = {"x", "energy", ""};
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    stoa_error err = STOA_ERROR_INIT;
    char **found = NULL;
    char *text = NULL;
    size_t n = 0;

    CHECK_OK(stoa_attribute_write_ascii(file, "CLASS", "TABLE", &err), &err);
    check_string(file, "CLASS", -1, 6, H5T_STR_NULLTERM, H5T_CSET_ASCII);
    CHECK_OK(stoa_attribute_write_utf8(file, "CLASS", "\xc3\xa9", &err), &err); /* replaced */
    check_string(file, "CLASS", -1, 3, H5T_STR_NULLTERM, H5T_CSET_UTF8);
    CHECK_OK(stoa_attribute_read_text(file, "CLASS", &text, &err), &err);
    CHECK_STR(text, "\xc3\xa9");
    free(text);
    CHECK(stoa_attribute_is(file, "CLASS", "\xc3\xa9"));
    CHECK(!stoa_attribute_is(file, "CLASS", "\xc3"));
    CHECK(!stoa_attribute_is(file, "OTHER", ""));
    CHECK_OK(stoa_attribute_write_utf8(file, "empty", "", &err), &err);
    CHECK(stoa_attribute_is(file, "empty", ""));

    CHECK_OK(stoa_attribute_write_names(file, "order", names, 3, &err), &err);
    check_string(file, "order", 3, 6, H5T_STR_NULLPAD, H5T_CSET_UTF8);
    CHECK_OK(stoa_attribute_read_names(file, "order", &found, &n, &err), &err);
    CHECK_U64(n, 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK_STR(found[i], names[i]);
    }
    free(found);
    CHECK_OK(stoa_attribute_write_names(file, "order", names, 0, &err), &err);
    check_string(file, "order", 0, 1, H5T_STR_NULLPAD, H5T_CSET_UTF8);
    CHECK_OK(stoa_attribute_read_names(file, "order", &found, &n, &err), &err);
    CHECK(n == 0 && found != NULL);
    free(found);
    CHECK_OK(stoa_attribute_read_names(file, "none", &found, &n, &err), &err);
    CHECK(n == 0 && found == NULL);
    CHECK_H5(H5Fclose(file));
}

static void counts_are_stored_as_u64_and_overwritten_in_place(void)
{
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    stoa_error err = STOA_ERROR_INIT;
    const hid_t types[] = {H5T_STD_U64LE, H5T_STD_U64BE, H5T_STD_I32LE};
    uint64_t value = 0;
    bool found = false;
    int64_t n = 0;

    CHECK_OK(stoa_attribute_read_u64(file, "NROWS", &value, &found, &err), &err);
    CHECK(!found);
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(
            stoa_attribute_write_scalar(file, "NROWS", types[i], H5T_NATIVE_INT, &(int){7}, &err),
            &err);
        CHECK_OK(stoa_attribute_write_u64(file, "NROWS", UINT64_MAX - i, &err), &err);
        CHECK_OK(stoa_attribute_read_u64(file, "NROWS", &value, &found, &err), &err);
        CHECK(found);
        CHECK_U64(value, UINT64_MAX - i);
        const hid_t type = type_of(file, "NROWS", &n);
        CHECK(H5Tequal(type, i == 1 ? H5T_STD_U64BE : H5T_STD_U64LE) > 0); /* as it was, if u64 */
        CHECK_I64(n, -1);
        CHECK_H5(H5Tclose(type));
    }
    CHECK_OK(stoa_attribute_delete(file, "NROWS", &err), &err);
    CHECK(!stoa_attribute_exists(file, "NROWS"));
    CHECK_OK(stoa_attribute_delete(file, "NROWS", &err), &err); /* there is none */
    CHECK_H5(H5Fclose(file));
}

static void booleans_are_stored_by_name(void)
{
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    stoa_error err = STOA_ERROR_INIT;
    bool value = true;
    char name[16];
    int64_t n = 0;

    CHECK_OK(stoa_attribute_read_bool(file, "SORTED", &value, &err), &err);
    CHECK(!value);
    CHECK_OK(stoa_attribute_write_bool(file, "SORTED", true, &err), &err);
    CHECK_OK(stoa_attribute_read_bool(file, "SORTED", &value, &err), &err);
    CHECK(value);
    const hid_t type = type_of(file, "SORTED", &n);
    CHECK(H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2);
    CHECK_H5(H5Tenum_nameof(type, &(int8_t){0}, name, sizeof name));
    CHECK_STR(name, "FALSE");
    CHECK_H5(H5Tenum_nameof(type, &(int8_t){1}, name, sizeof name));
    CHECK_STR(name, "TRUE");
    CHECK_OK(stoa_attribute_write_bool(file, "SORTED", false, &err), &err);
    CHECK_OK(stoa_attribute_read_bool(file, "SORTED", &value, &err), &err);
    CHECK(!value);
    CHECK_OK(stoa_attribute_write_scalar(file, "SORTED", type, type, &(int8_t){2}, &err), &err);
    CHECK_OK(stoa_attribute_read_bool(file, "SORTED", &value, &err), &err);
    CHECK(!value); /* neither */
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
}

/* --- read ------------------------------------------------------------------------------------- */

static void write_array(hid_t object, const char *name, hid_t type, int rank, const hsize_t *dims,
                        const void *values)
{
    const hid_t space =
        CHECK_H5(rank >= 0 ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_NULL));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));

    if (values != NULL) {
        CHECK_H5(H5Awrite(attribute, type, values));
    }
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

static void strings_of_every_kind_are_read(void)
{
    static const char *const texts[] = {"one", NULL, "three"};
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    const hid_t variable = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t spaced = CHECK_H5(H5Tcopy(H5T_C_S1));
    stoa_error err = STOA_ERROR_INIT;
    char **found = NULL;
    char *text = NULL;
    size_t n = 0;

    CHECK_H5(H5Tset_size(variable, H5T_VARIABLE));
    CHECK_H5(H5Tset_size(spaced, 4));
    CHECK_H5(H5Tset_strpad(spaced, H5T_STR_SPACEPAD));
    write_array(file, "variable", variable, 1, (hsize_t[]){3}, texts);
    CHECK_OK(stoa_attribute_read_names(file, "variable", &found, &n, &err), &err);
    CHECK_U64(n, 3);
    CHECK_STR(found[0], "one");
    CHECK_STR(found[1], "");
    CHECK_STR(found[2], "three");
    free(found);
    CHECK_STATUS(STOA_EDATA, stoa_attribute_read_text(file, "variable", &text, &err), &err);
    CHECK_CONTAINS(err.message, "attribute 'variable' has 3 values, not one");
    CHECK(text == NULL);
    write_array(file, "spaced", spaced, 1, (hsize_t[]){1}, "ab  ");
    CHECK(stoa_attribute_is(file, "spaced", "ab"));
    write_array(file, "null", spaced, -1, NULL, NULL);
    CHECK_OK(stoa_attribute_read_names(file, "null", &found, &n, NULL));
    CHECK_U64(n, 0);
    free(found);
    CHECK_H5(H5Tclose(spaced));
    CHECK_H5(H5Tclose(variable));
    CHECK_H5(H5Fclose(file));
}

static void what_is_no_text_is_refused_and_no_note(void)
{
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    const hid_t large = CHECK_H5(H5Tcopy(H5T_C_S1));
    static char bytes[1 << 20];
    stoa_error err = STOA_ERROR_INIT;
    char *text = NULL;

    CHECK_H5(H5Tset_size(large, sizeof bytes));
    write_array(file, "number", H5T_NATIVE_INT, 0, NULL, &(int){1});
    write_array(file, "square", large, 2, (hsize_t[]){1, 1}, bytes);
    CHECK_STATUS(STOA_EDATA, stoa_attribute_read_text(file, "number", &text, &err), &err);
    CHECK_CONTAINS(err.message, "attribute 'number' is no string");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EDATA, stoa_attribute_read_text(file, "square", &text, &err), &err);
    CHECK_CONTAINS(err.message, "more than one dimension");
    CHECK_OK(stoa_attribute_read_optional(file, "number", &text, NULL));
    CHECK(text == NULL);
    CHECK(stoa_attribute_optional(file, "number") == NULL);
    CHECK(stoa_attribute_optional(file, "none") == NULL);
    CHECK_H5(H5Tclose(large));
    CHECK_H5(H5Fclose(file));
}

static void texts_of_more_than_16_mib_are_refused(void)
{
    enum { MIB = 1 << 20 };
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    char *bytes = calloc(17, MIB);
    char **found = NULL;
    size_t n = 0;

    CHECK(bytes != NULL);
    CHECK_H5(H5Tset_size(type, MIB));
    for (hsize_t n_values = 16; n_values <= 17; n_values++) {
        stoa_error err = STOA_ERROR_INIT;
        write_array(file, n_values == 16 ? "some" : "many", type, 1, &n_values, bytes);
        CHECK_STATUS(
            n_values == 16 ? STOA_OK : STOA_EDATA,
            stoa_attribute_read_names(file, n_values == 16 ? "some" : "many", &found, &n, &err),
            &err);
        CHECK_U64(n, n_values == 16 ? 16 : 0);
        CHECK(n_values == 16 || strstr(err.message, "larger than 16 MiB") != NULL);
        free(found);
    }
    free(bytes);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
}

static void counts_that_are_none_are_refused(void)
{
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    static const char *const names[] = {"negative", "two", "float"};
    static const char *const parts[] = {"is negative", "no single integer", "no single integer"};
    uint64_t value = 77;
    bool found = false;

    write_array(file, "negative", H5T_NATIVE_INT, 0, NULL, &(int){-1});
    write_array(file, "two", H5T_NATIVE_INT, 1, (hsize_t[]){2}, (int[]){1, 2});
    write_array(file, "float", H5T_NATIVE_FLOAT, 0, NULL, &(float){1});
    write_array(file, "one", H5T_STD_I16BE, 1, (hsize_t[]){1}, "\1\2");
    for (size_t i = 0; i < 3; i++) {
        stoa_error err = STOA_ERROR_INIT;
        CHECK_STATUS(STOA_EDATA, stoa_attribute_read_u64(file, names[i], &value, &found, &err));
        CHECK(!found && value == 77);
        CHECK_CONTAINS(err.message, parts[i]);
    }
    CHECK_OK(stoa_attribute_read_u64(file, "one", &value, &found, NULL));
    CHECK(found && value == 258);
    CHECK_H5(H5Fclose(file));
}

static void scalars_are_read_as_the_class_that_is_asked_for(void)
{
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    stoa_error err = STOA_ERROR_INIT;
    double value = 0;
    bool found = false;

    write_array(file, "scale", H5T_NATIVE_FLOAT, 0, NULL, &(float){0.5F});
    write_array(file, "two", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){2}, (double[]){1, 2});
    CHECK_OK(stoa_attribute_read_scalar(file, "scale", H5T_NATIVE_DOUBLE, &value, &found, &err));
    CHECK(found);
    CHECK_F64(value, 0.5);
    CHECK_OK(stoa_attribute_read_scalar(file, "none", H5T_NATIVE_DOUBLE, &value, &found, &err));
    CHECK(!found);
    CHECK_STATUS(STOA_EDATA, stoa_attribute_read_scalar(file, "scale", H5T_NATIVE_INT, &(int){0},
                                                        &found, &err));
    CHECK_CONTAINS(err.message, "another class");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EDATA,
                 stoa_attribute_read_scalar(file, "two", H5T_NATIVE_DOUBLE, &value, &found, &err));
    CHECK_CONTAINS(err.message, "attribute 'two' has 2 values, not one");
    CHECK_H5(H5Fclose(file));
}

static void a_number_of_any_class_is_read_and_nothing_else(void)
{
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    const hid_t truth = CHECK_H5(H5Tenum_create(H5T_NATIVE_INT8));
    const hid_t wide = CHECK_H5(H5Tcopy(H5T_STD_I64LE));
    int64_t value = 0;
    bool found = false;

    CHECK_H5(H5Tenum_insert(truth, "YES", &(int8_t){3}));
    CHECK_H5(H5Tset_size(wide, 16));
    write_array(file, "int", H5T_NATIVE_INT, 0, NULL, &(int){-9});
    write_array(file, "float", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){1}, &(double){4.0});
    write_array(file, "enum", truth, 0, NULL, &(int8_t){3});
    write_array(file, "two", H5T_NATIVE_INT, 1, (hsize_t[]){2}, (int[]){1, 2});
    write_array(file, "text", H5T_C_S1, 0, NULL, "7");
    write_array(file, "wide", wide, 0, NULL, NULL);
    static const struct {
        const char *name;
        int64_t value;
    } expected[] = {{"int", -9}, {"float", 4}, {"enum", 3}};
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(stoa_attribute_read_number(file, expected[i].name, &value, &found, NULL));
        CHECK(found);
        CHECK_I64(value, expected[i].value);
    }
    static const char *const others[] = {"two", "text", "wide", "none"};
    for (size_t i = 0; i < 4; i++) {
        CHECK_OK(stoa_attribute_read_number(file, others[i], &value, &found, NULL));
        CHECK(!found);
    }
    CHECK_H5(H5Tclose(wide));
    CHECK_H5(H5Tclose(truth));
    CHECK_H5(H5Fclose(file));
}

/* --- memory ----------------------------------------------------------------------------------- */

static hid_t swept;

static stoa_status write_and_read(stoa_error *err)
{
    static const char *const names[] = {"a", "bc"};
    stoa_status status = STOA_OK;
    char **found = NULL;
    char *text = NULL;
    size_t n = 0;

    STOA_TRY(stoa_attribute_write_names(swept, "names", names, 2, err));
    STOA_TRY(stoa_attribute_read_names(swept, "names", &found, &n, err));
    STOA_TRY(stoa_attribute_read_text(swept, "text", &text, err));
    free(text);
    STOA_TRY(stoa_attribute_read_optional(swept, "text", &text, err));
    CHECK_STR(text, "variable");

done:
    free(found);
    free(text);
    return status;
}

/* Make a scalar, or one element of rank 1, of a type that holds 7. */
static void make_seven(hid_t object, const char *name, hid_t type, bool is_scalar)
{
    const hid_t space =
        CHECK_H5(is_scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &(hsize_t){1}, NULL));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_UINT64, &(uint64_t){7}));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

static void check_exact(hid_t object, const char *name, bool is_there, bool is_exact)
{
    uint64_t value = 1;
    bool exists = !is_there;
    bool exact = !is_exact;

    CHECK_OK(stoa_attribute_read_exact_u64(object, name, &exists, &exact, &value, NULL));
    CHECK(exists == is_there && exact == is_exact);
    CHECK_U64(value, is_exact ? 7 : 0);
}

/* Tokens are scalar uint64, and nothing else is one (HEP001-2026-07 §2.1, §12.2). */
static void an_exact_count_is_a_scalar_u64_of_either_byte_order(void)
{
    const hid_t file = make_file("a.h5", H5F_LIBVER_V18);
    const hid_t half = CHECK_H5(H5Tcopy(H5T_STD_U64LE));

    CHECK_H5(H5Tset_precision(half, 32));
    make_seven(file, "le", H5T_STD_U64LE, true);
    make_seven(file, "be", H5T_STD_U64BE, true);
    make_seven(file, "signed", H5T_STD_I64LE, true);
    make_seven(file, "narrow", H5T_STD_U32LE, true);
    make_seven(file, "half", half, true);
    make_seven(file, "float", H5T_IEEE_F64LE, true);
    make_seven(file, "rank 1", H5T_STD_U64LE, false);
    CHECK_OK(stoa_attribute_write_utf8(file, "text", "7", NULL));
    check_exact(file, "le", true, true);
    check_exact(file, "be", true, true);
    check_exact(file, "none", false, false);
    for (int i = 0; i < 6; i++) {
        check_exact(file,
                    (const char *[]){"signed", "narrow", "half", "float", "rank 1", "text"}[i],
                    true, false);
    }
    CHECK_H5(H5Tclose(half));
    CHECK_H5(H5Fclose(file));
}

/* Write n numbers, or a scalar if n is 0. */
static void write_numbers(hid_t object, const char *name, hid_t type, hsize_t n, hid_t mem_type,
                          const void *values)
{
    const hid_t space = CHECK_H5(n > 0 ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attribute, mem_type, values));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

static void check_printed(hid_t object, const char *name, size_t most, const char *expected)
{
    stoa_buffer out = {0};

    CHECK_OK(stoa_attribute_print(object, name, most, &out, NULL));
    CHECK_STR((const char *)out.data, expected);
    stoa_buffer_clear(&out);
}

static void a_few_numbers_are_printed_and_of_others_their_type(void)
{
    const hid_t file = make_file("new.h5", H5F_LIBVER_V18);
    const double floats[17] = {1, 2.5, -0.125};
    const int64_t negative = -7;
    const uint64_t largest = UINT64_MAX;
    const hid_t variable = CHECK_H5(H5Tcopy(H5T_C_S1));
    const char *const text = "a text";

    CHECK_H5(H5Tset_size(variable, H5T_VARIABLE));
    write_numbers(file, "three", H5T_IEEE_F32LE, 3, H5T_NATIVE_DOUBLE, floats);
    write_numbers(file, "many", H5T_IEEE_F64LE, 17, H5T_NATIVE_DOUBLE, floats);
    write_numbers(file, "narrow", H5T_STD_I8LE, 0, H5T_NATIVE_INT64, &negative);
    write_numbers(file, "largest", H5T_STD_U64BE, 0, H5T_NATIVE_UINT64, &largest);
    write_numbers(file, "text", variable, 0, variable, &text);
    check_printed(file, "three", 3, "1.0, 2.5, -0.125");
    check_printed(file, "three", 2, "(3 of float32)");
    check_printed(file, "many", SIZE_MAX, "(17 of float64)");
    check_printed(file, "narrow", 1, "-7");
    check_printed(file, "largest", 1, "18446744073709551615");
    check_printed(file, "text", 1, "(1 of vlen string ascii)");
    check_printed(file, "none", 1, "(cannot be read)");
    CHECK_H5(H5Tclose(variable));
    CHECK_H5(H5Fclose(file));
}

static void no_allocation_is_taken_for_granted(void)
{
    const hid_t variable = CHECK_H5(H5Tcopy(H5T_C_S1));
    const char *const text = "variable";

    swept = make_file("new.h5", H5F_LIBVER_V18);
    CHECK_H5(H5Tset_size(variable, H5T_VARIABLE));
    write_array(swept, "text", variable, 0, NULL, &text);
    CHECK(sweep_memory(write_and_read) >= 10);
    CHECK_H5(H5Tclose(variable));
    CHECK_H5(H5Fclose(swept));
}

TEST_MAIN(TEST(one_that_the_earliest_format_has_no_room_for_is_refused_by_name),
          TEST(objects_of_later_formats_have_room),
          TEST(a_copy_into_the_earliest_format_says_so_too), TEST(texts_are_stored_as_hep001_says),
          TEST(counts_are_stored_as_u64_and_overwritten_in_place),
          TEST(booleans_are_stored_by_name), TEST(strings_of_every_kind_are_read),
          TEST(what_is_no_text_is_refused_and_no_note), TEST(texts_of_more_than_16_mib_are_refused),
          TEST(counts_that_are_none_are_refused),
          TEST(scalars_are_read_as_the_class_that_is_asked_for),
          TEST(a_number_of_any_class_is_read_and_nothing_else),
          TEST(an_exact_count_is_a_scalar_u64_of_either_byte_order),
          TEST(a_few_numbers_are_printed_and_of_others_their_type),
          TEST(no_allocation_is_taken_for_granted))
