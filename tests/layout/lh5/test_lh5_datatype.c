/* The grammar of LH5's 'datatype', src/layout/lh5/common/datatype.c (LH5 notes §2.1). */
#include "layout/lh5/common/datatype.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static stoa_lh5_datatype parsed(const char *text)
{
    stoa_lh5_datatype type;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_lh5_datatype_parse(text, &type, &err), &err);
    return type;
}

static void check_type(const char *text, stoa_lh5_kind kind, stoa_lh5_element element,
                       unsigned rank, unsigned inner, unsigned depth)
{
    stoa_lh5_datatype type = parsed(text);

    CHECK_U64(type.kind, kind);
    CHECK_U64(type.element, element);
    CHECK_U64(type.rank, rank);
    CHECK_U64(type.inner, inner);
    CHECK_U64(type.depth, depth);
    stoa_lh5_datatype_clear(&type);
}

static void each_kind_is_told_from_the_others(void)
{
    check_type("real", STOA_LH5_SCALAR, STOA_LH5_REAL, 0, 0, 0);
    check_type("string", STOA_LH5_SCALAR, STOA_LH5_STRING, 0, 0, 0);
    check_type("array<1>{bool}", STOA_LH5_ARRAY, STOA_LH5_BOOL, 1, 0, 0);
    check_type("array<12>{complex}", STOA_LH5_ARRAY, STOA_LH5_COMPLEX, 12, 0, 0);
    check_type("array<1>{detectorid}", STOA_LH5_ARRAY, STOA_LH5_DETECTOR_ID, 1, 0, 0);
    check_type("fixedsize_array<2>{blob}", STOA_LH5_FIXED_ARRAY, STOA_LH5_BLOB, 2, 0, 0);
    check_type("array_of_equalsized_arrays<1,2>{real}", STOA_LH5_EQUAL_ARRAYS, STOA_LH5_REAL, 1, 2,
               0);
    check_type("array<1>{array<1>{symbol}}", STOA_LH5_VECTORS, STOA_LH5_SYMBOL, 1, 0, 2);
    check_type("array<1>{array<1>{array<1>{real}}}", STOA_LH5_VECTORS, STOA_LH5_REAL, 1, 0, 3);
    check_type("array<1>{encoded_array<1>{real}}", STOA_LH5_ENCODED_VECTORS, STOA_LH5_REAL, 1, 0,
               0);
    check_type("array_of_encoded_equalsized_arrays<1,1>{real}", STOA_LH5_ENCODED_ARRAYS,
               STOA_LH5_REAL, 1, 1, 0);
}

static void older_and_other_spellings_are_understood(void)
{
    check_type("array<1,1>{real}", STOA_LH5_EQUAL_ARRAYS, STOA_LH5_REAL, 1, 1, 0);
    check_type("array<2>{fixedsize_array<1>{real}}", STOA_LH5_EQUAL_ARRAYS, STOA_LH5_REAL, 2, 1, 0);
    check_type("array<1>{ntuple{real}}", STOA_LH5_EQUAL_ARRAYS, STOA_LH5_REAL, 1, 1, 0);
    check_type("ntuple{real}", STOA_LH5_FIXED_ARRAY, STOA_LH5_REAL, 1, 0, 0);
    check_type("array_of_encoded_arrays<1,1>{real}", STOA_LH5_ENCODED_VECTORS, STOA_LH5_REAL, 1, 1,
               0);
    check_type("encoded_array<1>{real}", STOA_LH5_ENCODED_ARRAY, STOA_LH5_REAL, 1, 0, 0);
    check_type("histogram<2>{real}", STOA_LH5_HISTOGRAM, STOA_LH5_REAL, 2, 0, 0);

    stoa_lh5_datatype type = parsed("measurement");
    CHECK_U64(type.kind, STOA_LH5_STRUCT);
    CHECK(stoa_lh5_datatype_has(&type, "val") && stoa_lh5_datatype_has(&type, "err"));
    stoa_lh5_datatype_clear(&type);
}

static void fields_are_names_up_to_the_last_brace(void)
{
    stoa_lh5_datatype type = parsed("table{t0,dt,a b-c:\xc3\xa9,x{y}");

    CHECK_U64(type.kind, STOA_LH5_TABLE);
    CHECK_U64(type.n_names, 4);
    CHECK_STR(type.names[0], "t0");
    CHECK_STR(type.names[2], "a b-c:\xc3\xa9");
    CHECK_STR(type.names[3], "x{y");
    CHECK(stoa_lh5_datatype_has(&type, "dt"));
    CHECK(!stoa_lh5_datatype_has(&type, "d"));
    stoa_lh5_datatype_clear(&type);

    type = parsed("struct{}");
    CHECK_U64(type.kind, STOA_LH5_STRUCT);
    CHECK_U64(type.n_names, 0);
    stoa_lh5_datatype_clear(&type);
}

static void enums_have_names_and_values(void)
{
    stoa_lh5_datatype type = parsed("array<1>{enum{evt_real=1,evt_pulser=-2,baseline=4}}");

    CHECK_U64(type.kind, STOA_LH5_ARRAY);
    CHECK_U64(type.element, STOA_LH5_ENUM);
    CHECK_U64(type.n_names, 3);
    CHECK_STR(type.names[1], "evt_pulser");
    CHECK_I64(type.values[1], -2);
    CHECK_I64(type.values[2], 4);
    CHECK(!stoa_lh5_datatype_has(&type, "baseline")); /* it is no field */
    stoa_lh5_datatype_clear(&type);
}

static void check_refused(const char *text, const char *why)
{
    stoa_lh5_datatype type;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EDATA, stoa_lh5_datatype_parse(text, &type, &err));
    CHECK_CONTAINS(err.message, why);
    CHECK(type.text == NULL && type.names == NULL);
}

static void what_is_no_type_is_refused_at_its_place(void)
{
    check_refused("", "a type of elements");
    check_refused("array<1>{rael}", "at character 10,");
    check_refused(" array<1>{real}", "at character 1,");
    check_refused("array<1>{real} ", "the end expected at character 15");
    check_refused("array<1>{real", "'}' expected at character 14");
    check_refused("array<0>{real}", "a number from 1 to 32 expected at character 7");
    check_refused("array<33>{real}", "at character 7,");
    check_refused("array<99999999999999999999>{real}", "at character 7,");
    check_refused("array<1,>{real}", "at character 9,");
    check_refused("array<2>{array<1>{real}}", "at character 10,");
    check_refused("array_of_equalsized_arrays<1>{real}", "',' expected at character 29");
    check_refused("table{a,b", "'}' expected at character 10");
    check_refused("table{a,,b}", "a name without '/' expected at character 9");
    check_refused("table{a,}", "a name");
    check_refused("table{,a}", "at character 7,");
    check_refused("table{a/b}", "without '/'");
    check_refused("struct{a,b,a}", "the name 'a' twice");
    check_refused("enum{a=1,b}", "'=' expected at character 11");
    check_refused("enum{a=x}", "an integer expected at character 8");
    check_refused("enum{}", "a name expected at character 6");
    check_refused("enum{a=1,a=2}", "the name 'a' twice");
    check_refused("struct{", "'}' expected");
}

static void ten_thousand_vectors_in_each_other_are_refused(void)
{
    enum { DEPTH = 10000, EACH = 9 };
    char *const text = malloc(DEPTH * (EACH + 1) + 5);
    char *at = text;

    CHECK(text != NULL);
    for (int i = 0; i < DEPTH; i++) {
        memcpy(at, "array<1>{", EACH);
        at += EACH;
    }
    memcpy(at, "real", 4);
    memset(at + 4, '}', DEPTH);
    at[4 + DEPTH] = '\0';
    check_refused(text, "more than 16 vectors");
    free(text);
}

static void check_composed(const char *text, const char *expected)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_lh5_datatype type = parsed(text);
    char *composed = NULL;

    CHECK_OK(stoa_lh5_datatype_compose(&type, &composed, &err), &err);
    CHECK_STR(composed, expected);
    free(composed);
    stoa_lh5_datatype_clear(&type);
}

static void types_are_spelt_as_the_python_writer_does(void)
{
    static const char *const as_they_are[] = {
        "real",
        "array<2>{bool}",
        "fixedsize_array<1>{real}",
        "array_of_equalsized_arrays<1,1>{real}",
        "array<1>{array<1>{array<1>{string}}}",
        "array<1>{encoded_array<1>{real}}",
        "array_of_encoded_equalsized_arrays<1,1>{real}",
        "histogram<3>{real}",
        "array<1>{enum{B=2,A=-1}}",
        "table{}",
    };

    for (size_t i = 0; i < sizeof as_they_are / sizeof *as_they_are; i++) {
        check_composed(as_they_are[i], as_they_are[i]);
    }
    check_composed("array<1,1>{real}", "array_of_equalsized_arrays<1,1>{real}");
    check_composed("struct{isdensity,weights,binning}", "struct{binning,isdensity,weights}");
    check_composed("table{b,a,Z}", "table{Z,a,b}");
}

TEST_MAIN(TEST(each_kind_is_told_from_the_others), TEST(older_and_other_spellings_are_understood),
          TEST(fields_are_names_up_to_the_last_brace), TEST(enums_have_names_and_values),
          TEST(what_is_no_type_is_refused_at_its_place),
          TEST(ten_thousand_vectors_in_each_other_are_refused),
          TEST(types_are_spelt_as_the_python_writer_does))
