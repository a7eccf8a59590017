/* Datatypes described and their elements shown, compared and copied, for src/hdf/metadata/types.c,
 * decode.c, elements.c and logical_type.c. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/types.h"
#include "support/check.h"
#include "support/sweep.h"

/* --- descriptions ----------------------------------------------------------------------------- */

/* Takes the type. */
static stoa_element described(hid_t type)
{
    stoa_element element;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(type);
    CHECK_OK(stoa_element_of(type, &element, &err), &err);
    CHECK_H5(H5Tclose(type));
    CHECK_U64(element.size, H5Tget_size(element.mem_type));
    return element;
}

static void check_described(hid_t type, stoa_element_class class, stoa_kind kind, size_t size,
                            const char *text)
{
    stoa_element element = described(type);

    CHECK_STR(element.text, text);
    CHECK_U64(element.class, class);
    CHECK_U64(element.kind, kind);
    CHECK_U64(element.size, size);
    stoa_element_clear(&element);
}

static hid_t integer_of(hid_t like, size_t n_bits, size_t n_bytes)
{
    const hid_t type = H5Tcopy(like);

    CHECK_H5(H5Tset_precision(type, 1));
    CHECK_H5(H5Tset_size(type, n_bytes));
    CHECK_H5(H5Tset_precision(type, n_bits));
    return type;
}

static void integers_are_read_into_the_least_that_hold_them(void)
{
    static const struct {
        size_t n_bits, n_bytes;
        stoa_kind kind;
    } widths[] = {{1, 1, STOA_KIND_INT8},   {8, 1, STOA_KIND_INT8},   {9, 2, STOA_KIND_INT16},
                  {16, 2, STOA_KIND_INT16}, {17, 4, STOA_KIND_INT32}, {32, 4, STOA_KIND_INT32},
                  {33, 8, STOA_KIND_INT64}, {64, 8, STOA_KIND_INT64}};

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const size_t bits = widths[i].n_bits;
        const stoa_kind kind = widths[i].kind;
        char text[64];
        stoa_element element;

        (void)snprintf(text, sizeof text, "int%zu big-endian", bits);
        check_described(integer_of(H5T_STD_I64BE, bits, 8), STOA_ELEMENT_INTEGER, kind,
                        widths[i].n_bytes, text);
        (void)snprintf(text, sizeof text, "uint%zu", bits);
        check_described(integer_of(H5T_STD_U64LE, bits, 16), STOA_ELEMENT_INTEGER,
                        (stoa_kind)(kind - STOA_KIND_INT8 + STOA_KIND_UINT8), widths[i].n_bytes,
                        text);
        (void)snprintf(text, sizeof text, "bitfield%zu", bits);
        element = described(integer_of(H5T_STD_B64LE, bits, 8));
        CHECK_STR(element.text, text);
        CHECK(element.is_bitfield && element.kind == kind - STOA_KIND_INT8 + STOA_KIND_UINT8);
        CHECK_U64(element.size, widths[i].n_bytes);
        CHECK(element.is_odd == (bits != 8 * widths[i].n_bytes));
        stoa_element_clear(&element);
    }
    check_described(H5Tcopy(H5T_STD_I8BE), STOA_ELEMENT_INTEGER, STOA_KIND_INT8, 1, "int8");
    check_described(integer_of(H5T_STD_I64LE, 65, 16), STOA_ELEMENT_OPAQUE, STOA_KIND_FIXED_BINARY,
                    16, "integer[16]");
    check_described(integer_of(H5T_STD_B64LE, 65, 16), STOA_ELEMENT_OPAQUE, STOA_KIND_FIXED_BINARY,
                    16, "bitfield[16]");
}

/* As h5py stores a bfloat16, and others that libhdf5 converts. */
static hid_t float_of(size_t n_bytes, size_t exponent_bits, size_t mantissa_bits)
{
    const hid_t type = H5Tcopy(H5T_IEEE_F64LE);

    CHECK_H5(H5Tset_fields(type, exponent_bits + mantissa_bits, mantissa_bits, exponent_bits, 0,
                           mantissa_bits));
    CHECK_H5(H5Tset_precision(type, exponent_bits + mantissa_bits + 1));
    CHECK_H5(H5Tset_size(type, n_bytes));
    CHECK_H5(H5Tset_ebias(type, ((size_t)1 << (exponent_bits - 1)) - 1));
    return type;
}

static void check_float(hid_t type, stoa_kind kind, bool is_odd, const char *text)
{
    stoa_element element = described(type);

    CHECK_STR(element.text, text);
    CHECK(element.class == STOA_ELEMENT_FLOAT && element.kind == kind);
    CHECK(element.is_odd == is_odd);
    stoa_element_clear(&element);
}

static void floats_are_read_into_the_least_that_hold_them(void)
{
    check_float(H5Tcopy(H5T_IEEE_F16LE), STOA_KIND_FLOAT16, false, "float16");
    check_float(H5Tcopy(H5T_IEEE_F16BE), STOA_KIND_FLOAT16, false, "float16 big-endian");
    check_float(H5Tcopy(H5T_IEEE_F32BE), STOA_KIND_FLOAT32, false, "float32 big-endian");
    check_float(H5Tcopy(H5T_IEEE_F64LE), STOA_KIND_FLOAT64, false, "float64");
    check_float(float_of(2, 8, 7), STOA_KIND_FLOAT64, true, "float16");
    check_float(float_of(2, 5, 9), STOA_KIND_FLOAT64, true, "float15");
    check_float(float_of(4, 5, 10), STOA_KIND_FLOAT16, true, "float16");
    check_float(float_of(4, 8, 22), STOA_KIND_FLOAT64, true, "float31");
    check_float(float_of(8, 11, 51), STOA_KIND_FLOAT64, true, "float63");
    check_float(float_of(8, 10, 52), STOA_KIND_FLOAT64, true, "float63");
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    CHECK_H5(H5Tset_ebias(type, 126));
    check_float(type, STOA_KIND_FLOAT32, true, "float32");
    type = H5Tcopy(H5T_IEEE_F32LE);
    CHECK_H5(H5Tset_norm(type, H5T_NORM_NONE));
    check_float(type, STOA_KIND_FLOAT32, true, "float32");
    check_described(float_of(8, 12, 51), STOA_ELEMENT_OPAQUE, STOA_KIND_FIXED_BINARY, 8,
                    "float[8]");
    check_described(float_of(8, 10, 53), STOA_ELEMENT_OPAQUE, STOA_KIND_FIXED_BINARY, 8,
                    "float[8]");
}

static hid_t string_of(size_t size, H5T_str_t padding, H5T_cset_t charset)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    CHECK_H5(H5Tset_size(type, size));
    CHECK_H5(H5Tset_strpad(type, padding));
    CHECK_H5(H5Tset_cset(type, charset));
    return type;
}

static hid_t opaque_of(size_t size, const char *tag)
{
    const hid_t type = H5Tcreate(H5T_OPAQUE, size);

    CHECK_H5(H5Tset_tag(type, tag));
    return type;
}

/* Takes the base. */
static hid_t array_of(hid_t base, unsigned rank, const hsize_t *dims)
{
    const hid_t type = H5Tarray_create2(base, rank, dims);

    CHECK_H5(H5Tclose(base));
    return type;
}

static hid_t vlen_of(hid_t base)
{
    const hid_t type = H5Tvlen_create(base);

    CHECK_H5(H5Tclose(base));
    return type;
}

static void other_types_are_described_in_words(void)
{
    check_described(string_of(12, H5T_STR_NULLPAD, H5T_CSET_UTF8), STOA_ELEMENT_FIXED_STRING,
                    STOA_KIND_STRING, 12, "string[12] utf8 nullpad");
    check_described(string_of(3, H5T_STR_SPACEPAD, H5T_CSET_ASCII), STOA_ELEMENT_FIXED_STRING,
                    STOA_KIND_STRING, 3, "string[3] ascii spacepad");
    check_described(string_of(1, H5T_STR_NULLTERM, H5T_CSET_ASCII), STOA_ELEMENT_FIXED_STRING,
                    STOA_KIND_STRING, 1, "string[1] ascii nullterm");
    check_described(string_of(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_UTF8), STOA_ELEMENT_STRING,
                    STOA_KIND_STRING, sizeof(char *), "vlen string utf8");
    check_described(opaque_of(5, ""), STOA_ELEMENT_OPAQUE, STOA_KIND_FIXED_BINARY, 5, "opaque[5]");
    check_described(opaque_of(5, "jpeg"), STOA_ELEMENT_OPAQUE, STOA_KIND_FIXED_BINARY, 5,
                    "opaque[5] 'jpeg'");
    check_described(array_of(H5Tcopy(H5T_STD_I16BE), 2, (hsize_t[]){2, 3}), STOA_ELEMENT_ARRAY,
                    STOA_KIND_FIXED_LIST, 12, "array[6] of int16 big-endian");
    check_described(vlen_of(H5Tcopy(H5T_IEEE_F32LE)), STOA_ELEMENT_VLEN, STOA_KIND_LIST,
                    sizeof(hvl_t), "vlen of float32");
    check_described(H5Tcopy(H5T_STD_REF_OBJ), STOA_ELEMENT_OPAQUE, STOA_KIND_STRING,
                    H5Tget_size(H5T_STD_REF), "reference[8]");
    check_described(H5Tcopy(H5T_STD_REF), STOA_ELEMENT_OPAQUE, STOA_KIND_STRING,
                    H5Tget_size(H5T_STD_REF), "reference[64]");
    check_described(H5Tcopy(H5T_UNIX_D64LE), STOA_ELEMENT_OPAQUE, STOA_KIND_FIXED_BINARY, 8,
                    "type[8]");
}

static void times_of_the_system_can_be_taken_for_integers(void)
{
    static const struct {
        const char *text;
        stoa_kind kind;
        size_t size;
    } expected[] = {{"time32", STOA_KIND_INT32, 4},
                    {"time32 big-endian", STOA_KIND_INT32, 4},
                    {"time64", STOA_KIND_INT64, 8},
                    {"time64 big-endian", STOA_KIND_INT64, 8},
                    {"int8", STOA_KIND_INT8, 1}};
    const hid_t types[] = {H5T_UNIX_D32LE, H5T_UNIX_D32BE, H5T_UNIX_D64LE, H5T_UNIX_D64BE,
                           H5T_STD_I8LE};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        stoa_element element;
        CHECK_OK(stoa_element_or_time_of(types[i], &element, NULL));
        CHECK_STR(element.text, expected[i].text);
        CHECK(element.class == STOA_ELEMENT_INTEGER && element.kind == expected[i].kind);
        CHECK_U64(element.size, expected[i].size);
        CHECK(i == 4 || H5Tequal(element.mem_type, types[i]) > 0); /* nothing is converted */
        stoa_element_clear(&element);
    }
}

static void check_refused(hid_t type, const char *part)
{
    stoa_element element;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EDATA, stoa_element_of(type, &element, &err));
    CHECK_CONTAINS(err.message, part);
    CHECK(element.names == NULL && element.items == NULL);
    CHECK_H5(H5Tclose(type));
}

static void types_that_no_honest_file_has_are_refused(void)
{
    const hsize_t most = (hsize_t)64 << 20;
    hid_t type = H5Tcopy(H5T_STD_I8LE);

    for (int i = 0; i < 32; i++) {
        type = vlen_of(type);
    }
    check_described(H5Tcopy(type), STOA_ELEMENT_VLEN, STOA_KIND_LIST, sizeof(hvl_t),
                    "vlen of vlen of vlen of vlen of vlen of vlen of ");
    check_refused(vlen_of(type), "deeper than 32 levels");
    check_described(array_of(H5Tcopy(H5T_STD_I8LE), 1, &most), STOA_ELEMENT_ARRAY,
                    STOA_KIND_FIXED_LIST, (size_t)most, "array[67108864] of int8");
    check_refused(array_of(H5Tcopy(H5T_STD_I8LE), 1, (hsize_t[]){most + 1}), "too many items");
    check_refused(array_of(H5Tcopy(H5T_STD_I8LE), 2, (hsize_t[]){2, most / 2 + 1}),
                  "too many items");
    check_refused(array_of(H5Tcopy(H5T_STD_I16LE), 1, &most), "elements of 134217728 bytes");
}

/* --- enumerations, compounds ------------------------------------------------------------------ */

static hid_t enum_of(hid_t base, size_t n, const char *const *names, const int64_t *codes)
{
    const hid_t type = H5Tenum_create(base);

    for (size_t i = 0; i < n; i++) {
        int64_t code = codes[i];
        CHECK_H5(H5Tconvert(H5T_NATIVE_INT64, base, 1, &code, NULL, H5P_DEFAULT));
        CHECK_H5(H5Tenum_insert(type, names[i], &code));
    }
    return type;
}

static void members_of_enumerations_have_the_codes_that_are_stored(void)
{
    static const char *const names[] = {"low", "high", "none"};
    static const int64_t codes[] = {-2, 100, 3};
    const hid_t bases[] = {H5T_STD_I8LE, H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE};
    static const char *const texts[] = {"enum int8 of 3", "enum int16 big-endian of 3",
                                        "enum int32 big-endian of 3", "enum int64 big-endian of 3"};

    for (size_t k = 0; k < sizeof bases / sizeof bases[0]; k++) {
        stoa_element element = described(enum_of(bases[k], 3, names, codes));
        CHECK_STR(element.text, texts[k]);
        CHECK_U64(element.n_members, 3);
        for (size_t i = 0; i < 3; i++) {
            CHECK_STR(element.names[i], names[i]);
            CHECK_I64(element.codes[i], codes[i]);
        }
        CHECK_U64(element.kind, STOA_KIND_INT8 + k);
        stoa_element_clear(&element);
    }
}

/* Of integers that Arrow has not they are bytes; of those that nobody has they are damage. */
static void enumerations_of_large_integers_are_not_looked_into(void)
{
    const hid_t base = H5Tcopy(H5T_STD_I64LE);
    const uint8_t zeros[65] = {0};
    stoa_element element;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Tset_size(base, 16));
    CHECK_H5(H5Tset_precision(base, 65));
    hid_t type = H5Tenum_create(base);
    CHECK_H5(H5Tenum_insert(type, "a", zeros));
    check_described(type, STOA_ELEMENT_OPAQUE, STOA_KIND_FIXED_BINARY, 16, "enum[16]");
    CHECK_H5(H5Tset_precision(base, 64));
    for (size_t size = 64; size <= 65; size++) {
        CHECK_H5(H5Tset_size(base, size));
        type = H5Tenum_create(base);
        CHECK_H5(H5Tenum_insert(type, "a", zeros));
        CHECK_STATUS(size == 64 ? STOA_OK : STOA_EDATA, stoa_element_of(type, &element, &err),
                     &err);
        if (size == 65) {
            CHECK_CONTAINS(err.message, "an enumeration has members of 65 bytes");
        }
        stoa_element_clear(&element);
        CHECK_H5(H5Tclose(type));
    }
    CHECK_H5(H5Tclose(base));
    CHECK_STATUS(STOA_EHDF5, stoa_element_of(H5I_INVALID_HID, &element, &err));
}

/* HEP001 §6: FALSE and TRUE over int8, and it is not a column's own type. */
static void a_boolean_is_one_within_another_type_alone(void)
{
    static const struct {
        const char *names[3];
        int64_t codes[3];
        size_t n;
        bool is;
    } enums[] = {{{"FALSE", "TRUE"}, {0, 1}, 2, true},
                 {{"TRUE", "FALSE"}, {1, 0}, 2, true},
                 {{"FALSE", "TRUE"}, {1, 0}, 2, false},
                 {{"FALSE", "TRUE"}, {0, 2}, 2, false},
                 {{"false", "true"}, {0, 1}, 2, false},
                 {{"FALSE"}, {0}, 1, false},
                 {{"TRUE"}, {1}, 1, false},
                 {{"FALSE", "TRUE", "MAYBE"}, {0, 1, 2}, 3, false}};

    for (size_t i = 0; i < sizeof enums / sizeof enums[0]; i++) {
        const hid_t type = enum_of(H5T_STD_I8LE, enums[i].n, enums[i].names, enums[i].codes);
        stoa_element element = described(vlen_of(H5Tcopy(type)));
        CHECK(element.items[0].is_truth == enums[i].is);
        stoa_element_clear(&element);
        element = described(type);
        CHECK(!element.is_truth);
        stoa_element_clear(&element);
    }
    stoa_element wide =
        described(vlen_of(enum_of(H5T_STD_I16LE, 2, enums[0].names, enums[0].codes)));
    CHECK(!wide.items[0].is_truth);
    stoa_element_clear(&wide);
}

typedef struct record {
    int64_t id;
    float weight;
    char *note;
    char code[4];
    hvl_t hits; /* of int16 */
    int8_t flag;
    uint8_t bytes[3];
    int32_t pair[2];
} record;

static const struct {
    const char *name;
    size_t offset;
} fields[] = {{"id", offsetof(record, id)},       {"weight", offsetof(record, weight)},
              {"note", offsetof(record, note)},   {"code", offsetof(record, code)},
              {"hits", offsetof(record, hits)},   {"flag", offsetof(record, flag)},
              {"bytes", offsetof(record, bytes)}, {"pair", offsetof(record, pair)}};

static hid_t record_type(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(record));
    const hid_t parts[] = {
        H5Tcopy(H5T_NATIVE_INT64),
        H5Tcopy(H5T_NATIVE_FLOAT),
        string_of(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_UTF8),
        string_of(4, H5T_STR_SPACEPAD, H5T_CSET_ASCII),
        vlen_of(H5Tcopy(H5T_NATIVE_INT16)),
        enum_of(H5T_STD_I8LE, 2, (const char *const[]){"FALSE", "TRUE"}, (int64_t[]){0, 1}),
        opaque_of(3, "raw"),
        array_of(H5Tcopy(H5T_NATIVE_INT32), 1, (hsize_t[]){2})};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        CHECK_H5(H5Tinsert(type, fields[i].name, fields[i].offset, parts[i]));
        CHECK_H5(H5Tclose(parts[i]));
    }
    return type;
}

/* Three records with their fields side by side, as H5Dread gives them. */
static uint8_t *make_records(stoa_element *element)
{
    static int16_t hits[] = {7, -8, 9};
    record records[3] = {
        {1, 0.5F, strdup("one"), {'a', 'b', ' ', ' '}, {2, NULL}, 1, {1, 2, 3}, {10, -10}},
        {-2, -1.5F, NULL, {' ', ' ', ' ', ' '}, {0, NULL}, 0, {4, 5, 6}, {0, 1}},
        {3, 0, strdup(""), {'w', 'x', 'y', 'z'}, {1, NULL}, 7, {0}, {2, 3}}};

    *element = described(record_type());
    uint8_t *made = stoa_alloc_zero(3, element->size);
    CHECK(made != NULL);
    for (size_t i = 0; i < 3; i++) {
        if (records[i].hits.len > 0) {
            records[i].hits.p = malloc(sizeof hits);
            memcpy(records[i].hits.p, hits + i, records[i].hits.len * sizeof *hits);
        }
        for (size_t k = 0; k < element->n_members; k++) {
            memcpy(made + i * element->size + element->offsets[k],
                   (const uint8_t *)&records[i] + fields[k].offset, element->items[k].size);
        }
    }
    return made;
}

static void fields_lie_side_by_side(void)
{
    stoa_element element = described(record_type());
    size_t at = 0;

    CHECK_STR(element.text, "compound of 8");
    CHECK(element.class == STOA_ELEMENT_COMPOUND && element.kind == STOA_KIND_STRUCT);
    CHECK_U64(element.n_members, 8);
    for (size_t i = 0; i < 8; i++) {
        CHECK_U64(element.offsets[i], at);
        CHECK_U64(H5Tget_member_offset(element.mem_type, (unsigned)i), at);
        at += element.items[i].size;
    }
    CHECK_U64(element.size, at);
    CHECK_STR(element.names[2], "note");
    CHECK(stoa_element_is_variable(&element));
    CHECK(!stoa_element_is_variable(&element.items[3]));
    CHECK(stoa_element_is_variable(&element.items[4]));
    CHECK(!stoa_element_is_variable(&element.items[7]));
    stoa_element_clear(&element);
    element = described(array_of(vlen_of(H5Tcopy(H5T_STD_I8LE)), 1, (hsize_t[]){2}));
    CHECK(stoa_element_is_variable(&element));
    stoa_element_clear(&element);
}

/* --- elements as Arrow values ----------------------------------------------------------------- */

typedef struct shown {
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
} shown;

/* n elements, copied; `missing`: a bit each, or NULL. */
static void show(shown *s, const stoa_element *element, const void *elements, int64_t n,
                 const uint8_t *missing)
{
    const size_t n_bits = (size_t)stoa_bit_bytes((uint64_t)n);
    stoa_error err = STOA_ERROR_INIT;
    uint8_t *copy = stoa_alloc((size_t)n, element->size);
    uint8_t *bits = missing != NULL ? stoa_alloc(n_bits, 1) : NULL;

    CHECK(copy != NULL && (bits != NULL || missing == NULL));
    memcpy(copy, elements, (size_t)n * element->size);
    if (missing != NULL) {
        memcpy(bits, missing, n_bits);
    }
    CHECK_OK(stoa_element_schema(element, "x", &s->schema, &err), &err);
    CHECK_OK(stoa_element_decode(element, copy, n, bits, &s->array, &err), &err);
    CHECK_OK(stoa_view_of(&s->schema, &s->array, &s->view, &err), &err);
    CHECK_STR(s->schema.name, "x");
    CHECK_I64(s->view.length, n);
    for (int64_t i = 0; i < n; i++) {
        CHECK(stoa_view_is_null(&s->view, i) ==
              (missing != NULL && stoa_bit_get(missing, (uint64_t)i)));
    }
}

static void end_show(shown *s)
{
    stoa_array_release(&s->array);
    stoa_schema_release(&s->schema);
}

static void check_text(const stoa_view *view, int64_t i, const char *expected)
{
    size_t length = 0;
    const char *found = stoa_view_bytes(view, i, &length);

    CHECK_U64(length, strlen(expected));
    CHECK_MEM(found, expected, length);
}

static void numbers_are_shown_as_they_are(void)
{
    static const int16_t numbers[] = {-5, 0, 32767};
    static const double doubles[] = {0.25, -1e300};
    stoa_element element = described(H5Tcopy(H5T_STD_I16BE));
    shown s;
    show(&s, &element, numbers, 3, &(uint8_t){2});

    CHECK_I64(stoa_view_i64(&s.view, 0), -5);
    CHECK_I64(stoa_view_i64(&s.view, 2), 32767);
    CHECK_I64(s.view.null_count, 1);
    end_show(&s);
    stoa_element_clear(&element);
    element = described(H5Tcopy(H5T_IEEE_F64BE));
    show(&s, &element, doubles, 2, NULL);
    CHECK_F64(stoa_view_f64(&s.view, 1), -1e300);
    end_show(&s);
    stoa_element_clear(&element);
}

static void texts_are_shown_without_their_padding(void)
{
    static const char fixed[] = "abc \0 \0\0 xyzz";
    static const char *const expected[3][3] = {
        {"abc ", "", " xyz"}, {"abc ", "\0 ", " xyz"}, {"abc", "", " xyz"}};
    static const char variable_0[] = "first";
    const char *const variable[] = {variable_0, NULL, "third one"};

    for (int padding = 0; padding < 3; padding++) {
        stoa_element element = described(string_of(4, (H5T_str_t)padding, H5T_CSET_UTF8));
        shown s;
        show(&s, &element, fixed, 3, NULL);
        check_text(&s.view, 0, expected[padding][0]);
        if (padding != H5T_STR_NULLPAD) {
            size_t length = 0;
            (void)stoa_view_bytes(&s.view, 1, &length);
            CHECK_U64(length, padding == H5T_STR_SPACEPAD ? 4 : 0); /* "\0 \0\0" */
        } else {
            size_t length = 0;
            CHECK_MEM(stoa_view_bytes(&s.view, 1, &length), "\0 ", 2);
            CHECK_U64(length, 2);
        }
        check_text(&s.view, 2, expected[padding][2]);
        end_show(&s);
        stoa_element_clear(&element);
    }
    stoa_element element = described(string_of(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_UTF8));
    shown s;
    show(&s, &element, variable, 3, &(uint8_t){1});
    check_text(&s.view, 0, "");
    check_text(&s.view, 1, "");
    check_text(&s.view, 2, "third one");
    end_show(&s);
    stoa_element_clear(&element);
}

/* Codes without a name are shown as numbers, behind the names. */
static void members_are_shown_by_name(void)
{
    static const char *const names[] = {"low", "high"};
    static const int64_t codes[] = {0, 5};
    const hid_t bases[] = {H5T_NATIVE_INT8,   H5T_NATIVE_UINT8, H5T_NATIVE_INT16,
                           H5T_NATIVE_UINT16, H5T_NATIVE_INT32, H5T_NATIVE_UINT32,
                           H5T_NATIVE_INT64,  H5T_NATIVE_UINT64};
    static const char *const strays[] = {"-2", "254",        "-2", "65534",
                                         "-2", "4294967294", "-2", "18446744073709551614"};

    for (size_t k = 0; k < sizeof bases / sizeof bases[0]; k++) {
        stoa_element element = described(enum_of(bases[k], 2, names, codes));
        static const int64_t values[] = {5, 5, -2, 0, 77, -2, 5};
        static const int expected[] = {1, 1, 2, 0, 0, 2, 1};
        uint8_t elements[7 * 8];
        stoa_view labels;

        for (size_t i = 0; i < 7; i++) {
            stoa_integer_put(elements + i * element.size, element.size, values[i]);
        }
        shown s;
        show(&s, &element, elements, 7, &(uint8_t){1 << 4});
        CHECK_OK(stoa_view_dictionary(&s.view, &labels, NULL));
        CHECK_I64(labels.length, 3);
        check_text(&labels, 0, "low");
        check_text(&labels, 1, "high");
        check_text(&labels, 2, strays[k]);
        for (int64_t i = 0; i < 7; i++) {
            CHECK(i == 4 || stoa_view_i64(&s.view, i) == expected[i]);
        }
        end_show(&s);
        stoa_element_clear(&element);
    }
}

/* Row 1 is missing: its fields are zeros, whatever is stored. */
static void compounds_are_shown_field_by_field(void)
{
    stoa_element element;
    uint8_t *records = make_records(&element);
    shown s;
    show(&s, &element, records, 3, &(uint8_t){2});
    stoa_view field;
    stoa_view items;
    int64_t first = 0;
    int64_t n = 0;
    size_t length = 0;

    CHECK_I64(s.schema.n_children, 8);
    CHECK_STR(s.schema.children[6]->name, "bytes");
    CHECK_STR(s.schema.children[6]->format, "w:3");
    CHECK_STR(s.schema.children[7]->format, "+w:2");
    CHECK_OK(stoa_view_child(&s.view, 0, &field, NULL));
    CHECK_I64(stoa_view_i64(&field, 1), 0);
    CHECK_I64(stoa_view_i64(&field, 2), 3);
    CHECK_OK(stoa_view_child(&s.view, 1, &field, NULL));
    CHECK_F64(stoa_view_f64(&field, 0), 0.5);
    CHECK_F64(stoa_view_f64(&field, 1), 0);
    CHECK_OK(stoa_view_child(&s.view, 2, &field, NULL));
    check_text(&field, 0, "one");
    check_text(&field, 1, "");
    CHECK_OK(stoa_view_child(&s.view, 3, &field, NULL));
    check_text(&field, 0, "ab");
    check_text(&field, 2, "wxyz");
    CHECK_OK(stoa_view_child(&s.view, 4, &field, NULL));
    CHECK_OK(stoa_view_child(&field, 0, &items, NULL));
    stoa_view_range(&field, 0, &first, &n);
    CHECK(first == 0 && n == 2);
    stoa_view_range(&field, 1, &first, &n);
    CHECK(first == 2 && n == 0);
    stoa_view_range(&field, 2, &first, &n);
    CHECK(first == 2 && n == 1);
    CHECK_I64(stoa_view_i64(&items, 1), -8);
    CHECK_I64(stoa_view_i64(&items, 2), 9);
    CHECK_OK(stoa_view_child(&s.view, 5, &field, NULL));
    CHECK_U64(field.type.kind, STOA_KIND_BOOL);
    CHECK_I64(stoa_view_i64(&field, 0), 1);
    CHECK_I64(stoa_view_i64(&field, 1), 0);
    CHECK_I64(stoa_view_i64(&field, 2), 0); /* a code that is not TRUE's */
    CHECK_OK(stoa_view_child(&s.view, 6, &field, NULL));
    CHECK_MEM(stoa_view_bytes(&field, 0, &length), "\1\2\3", 3);
    CHECK_U64(length, 3);
    CHECK_OK(stoa_view_child(&s.view, 7, &field, NULL));
    CHECK_OK(stoa_view_child(&field, 0, &items, NULL));
    CHECK_I64(items.length, 6);
    CHECK_I64(stoa_view_i64(&items, 1), -10);
    CHECK_I64(stoa_view_i64(&items, 5), 3);
    end_show(&s);
    stoa_element_reclaim(&element, records, 3);
    free(records);
    stoa_element_clear(&element);
}

/* What is missing has no items. */
static void sequences_are_shown_as_lists(void)
{
    static int32_t numbers[] = {1, 2, 3, 4};
    const hvl_t sequences[] = {
        {2, numbers}, {3, numbers + 1}, {0, NULL}, {5, NULL}, {1, numbers + 3}};
    stoa_element element = described(vlen_of(H5Tcopy(H5T_NATIVE_INT32)));
    shown s;
    show(&s, &element, sequences, 5, &(uint8_t){2});
    stoa_view items;

    CHECK_OK(stoa_view_child(&s.view, 0, &items, NULL));
    CHECK_I64(items.length, 3);
    CHECK_I64(stoa_view_i64(&items, 0), 1);
    CHECK_I64(stoa_view_i64(&items, 1), 2);
    CHECK_I64(stoa_view_i64(&items, 2), 4);
    end_show(&s);
    show(&s, &element, sequences + 2, 1, NULL);
    end_show(&s);
    stoa_element_clear(&element);
    const hvl_t absurd = {((size_t)1 << 31) + 1, numbers};
    element = described(vlen_of(H5Tcopy(H5T_NATIVE_INT32)));
    void *copy = stoa_alloc(1, sizeof absurd);
    struct ArrowArray array;
    stoa_error err = STOA_ERROR_INIT;
    CHECK(copy != NULL);
    memcpy(copy, &absurd, sizeof absurd);
    CHECK_STATUS(STOA_ERANGE, stoa_element_decode(&element, copy, 1, NULL, &array, &err));
    CHECK_CONTAINS(err.message, "over 2^31 items");
    stoa_element_clear(&element);
}

/* --- shown as truth values and times ---------------------------------------------------------- */

static void integers_within_others_may_be_truth_values_or_times(void)
{
    stoa_element element = described(H5Tcopy(H5T_NATIVE_INT8));
    element.logical = STOA_LOGICAL_BOOL;
    shown s;
    show(&s, &element, (int8_t[]){0, 1, -1, 7, 0, 0, 0, 0, 2}, 9, NULL);
    CHECK_U64(s.view.type.kind, STOA_KIND_BOOL);
    for (int64_t i = 0; i < 9; i++) {
        CHECK_I64(stoa_view_i64(&s.view, i), (i >= 1 && i <= 3) || i == 8);
    }
    end_show(&s);
    stoa_element_clear(&element);

    element = described(H5Tcopy(H5T_NATIVE_INT64));
    element.logical = STOA_LOGICAL_TIME;
    element.units = (stoa_time_units){.unit = STOA_TIME_MICRO, .utc = true};
    show(&s, &element, (int64_t[]){-1, INT64_MAX}, 2, NULL);
    CHECK(s.view.type.kind == STOA_KIND_TIMESTAMP && s.view.type.unit == STOA_TIME_MICRO);
    CHECK(s.view.type.utc);
    CHECK_I64(stoa_view_i64(&s.view, 0), -1);
    CHECK_I64(stoa_view_i64(&s.view, 1), INT64_MAX);
    end_show(&s);
    element.turns = true;
    show(&s, &element, "\0\0\0\0\0\0\1\2\xff\xff\xff\xff\xff\xff\xff\xfe", 2, NULL);
    CHECK_I64(stoa_view_i64(&s.view, 0), 258);
    CHECK_I64(stoa_view_i64(&s.view, 1), -2);
    end_show(&s);
    element.turns = false;
    element.units.is_split = true; /* PyTables' seconds and microseconds */
    show(&s, &element, (int64_t[]){INT64_C(5) << 32 | 250000}, 1, NULL);
    CHECK_I64(stoa_view_i64(&s.view, 0), 5250000);
    end_show(&s);
    stoa_element_clear(&element);

    element = described(H5Tcopy(H5T_NATIVE_INT32));
    element.logical = STOA_LOGICAL_TIME;
    element.units = (stoa_time_units){.unit = STOA_TIME_SECOND};
    show(&s, &element, (int32_t[]){-7, INT32_MAX}, 2, NULL);
    CHECK_I64(stoa_view_i64(&s.view, 0), -7);
    CHECK_I64(stoa_view_i64(&s.view, 1), INT32_MAX);
    end_show(&s);
    stoa_element_clear(&element);
}

static void days_that_arrow_cannot_count_are_refused(void)
{
    stoa_element element = described(H5Tcopy(H5T_NATIVE_INT64));
    struct ArrowArray array = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;

    element.logical = STOA_LOGICAL_TIME;
    element.units = (stoa_time_units){.unit = STOA_TIME_DAY};
    shown s;
    show(&s, &element, (int64_t[]){INT32_MIN, INT32_MAX}, 2, NULL);
    CHECK_U64(s.view.type.kind, STOA_KIND_DATE);
    CHECK_I64(stoa_view_i64(&s.view, 0), INT32_MIN);
    CHECK_I64(stoa_view_i64(&s.view, 1), INT32_MAX);
    end_show(&s);
    for (int64_t beyond = 0; beyond < 2; beyond++) {
        const int64_t day = beyond == 0 ? INT64_C(-2147483649) : INT64_C(2147483648);
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_STATUS(STOA_ERANGE,
                     stoa_element_decode_logical(&element, (const uint8_t *)&day, 1, &array, &err));
        CHECK_CONTAINS(err.message, "days are out of Arrow's range");
    }
    stoa_element_clear(&element);
}

/* --- elements compared, copied, put ----------------------------------------------------------- */

static void a_copy_is_equal_and_its_own(void)
{
    stoa_element element;
    uint8_t *records = make_records(&element);
    uint8_t *copies = stoa_alloc_zero(3, element.size);
    stoa_error err = STOA_ERROR_INIT;

    CHECK(copies != NULL);
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(stoa_element_copy(&element, records + i * element.size, copies + i * element.size,
                                   &err),
                 &err);
    }
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            CHECK(stoa_element_equal(&element, records + i * element.size,
                                     copies + k * element.size) == (i == k));
        }
    }
    stoa_element_reclaim(&element, records, 3);
    free(records);
    for (size_t i = 0; i < element.n_members; i++) { /* each field counts */
        uint8_t *again = stoa_alloc_zero(1, element.size);
        CHECK(again != NULL);
        CHECK_OK(stoa_element_copy(&element, copies, again, &err), &err);
        CHECK(stoa_element_equal(&element, copies, again));
        uint8_t kept[sizeof(record)];
        memcpy(kept, again + element.offsets[i], element.items[i].size);
        memcpy(again + element.offsets[i], copies + element.size + element.offsets[i],
               element.items[i].size);
        CHECK(!stoa_element_equal(&element, copies, again));
        memcpy(again + element.offsets[i], kept, element.items[i].size);
        stoa_element_reclaim(&element, again, 1);
        free(again);
    }
    stoa_element_reclaim(&element, copies, 3);
    free(copies);
    stoa_element_clear(&element);
}

/* By their bytes, so that a NaN is itself and zeros have signs. */
static void padding_does_not_count_and_bits_do(void)
{
    stoa_element element = described(string_of(4, H5T_STR_NULLTERM, H5T_CSET_ASCII));

    CHECK(stoa_element_equal(&element, "ab\0x", "ab\0y"));
    CHECK(!stoa_element_equal(&element, "ab\0x", "abc"));
    stoa_element_clear(&element);
    element = described(string_of(4, H5T_STR_SPACEPAD, H5T_CSET_ASCII));
    CHECK(stoa_element_equal(&element, "ab  ", "ab  "));
    CHECK(!stoa_element_equal(&element, "ab  ", "ab\0 "));
    stoa_element_clear(&element);
    element = described(H5Tcopy(H5T_NATIVE_DOUBLE));
    CHECK(stoa_element_equal(&element, &(double){(double)NAN}, &(double){(double)NAN}));
    CHECK(!stoa_element_equal(&element, &(double){0.0}, &(double){-0.0}));
    CHECK(stoa_element_is_nan(&element, &(double){(double)NAN}));
    CHECK(!stoa_element_is_nan(&element, &(double){(double)INFINITY}));
    stoa_element_clear(&element);
    element = described(H5Tcopy(H5T_NATIVE_FLOAT));
    CHECK(stoa_element_is_nan(&element, &(float){(float)NAN}));
    CHECK(!stoa_element_is_nan(&element, &(float){FLT_MAX}));
    stoa_element_clear(&element);
    element = described(H5Tcopy(H5T_IEEE_F16LE));
    CHECK(stoa_element_is_nan(&element, &(uint16_t){0x7c01}));
    CHECK(stoa_element_is_nan(&element, &(uint16_t){0xfe00}));
    CHECK(!stoa_element_is_nan(&element, &(uint16_t){0x7c00}));
    CHECK(!stoa_element_is_nan(&element, &(uint16_t){0xfc00}));
    stoa_element_clear(&element);
    element = described(H5Tcopy(H5T_NATIVE_INT64));
    CHECK(!stoa_element_is_nan(&element, &(double){(double)NAN}));
    stoa_element_clear(&element);
}

static void fixed_texts_end_where_their_padding_begins(void)
{
    CHECK_U64(stoa_fixed_string_length("ab\0c", 4, H5T_STR_NULLTERM), 2);
    CHECK_U64(stoa_fixed_string_length("abcd", 4, H5T_STR_NULLTERM), 4);
    CHECK_U64(stoa_fixed_string_length("ab\0c\0\0", 6, H5T_STR_NULLPAD), 4);
    CHECK_U64(stoa_fixed_string_length("\0\0", 2, H5T_STR_NULLPAD), 0);
    CHECK_U64(stoa_fixed_string_length(" a b  ", 6, H5T_STR_SPACEPAD), 4);
    CHECK_U64(stoa_fixed_string_length("ab\0\0", 4, H5T_STR_SPACEPAD), 4);
}

static void an_integer_is_put_as_its_low_bytes(void)
{
    for (size_t size = 1; size <= 8; size *= 2) {
        uint8_t bytes[9];
        const int64_t value = INT64_C(-0x0123456789abcdef);
        memset(bytes, 0x55, sizeof bytes);
        stoa_integer_put(bytes, size, value);
        CHECK_MEM(bytes, &value, size); /* the machine's order: little-endian where this runs */
        CHECK_U64(bytes[size], 0x55);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

static uint8_t *swept_records;
static stoa_element swept_element;

static stoa_status describe_and_show(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    const hid_t type = record_type();
    uint8_t *copy = NULL;
    uint8_t *one = NULL;
    uint8_t *missing = NULL;

    STOA_TRY(stoa_element_of(type, &element, err));
    STOA_TRY(stoa_element_schema(&element, "x", &schema, err));
    one = stoa_alloc_zero(1, element.size);
    STOA_TRY(one != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_element_copy(&element, swept_records, one, err));
    copy = stoa_alloc(3, element.size);
    missing = stoa_alloc_zero(1, 1);
    STOA_TRY(copy != NULL && missing != NULL ? STOA_OK : stoa_fail_memory(err));
    memcpy(copy, swept_records, 3 * element.size);
    status = stoa_element_decode(&element, copy, 3, missing, &array, err);
    copy = NULL;
    missing = NULL;

done:
    free(copy);
    free(missing);
    stoa_element_reclaim(&element, one, one != NULL ? 1 : 0);
    free(one);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_element_clear(&element);
    CHECK_H5(H5Tclose(type));
    return status;
}

static stoa_element given;

static stoa_status show_some_with_missing(stoa_error *err)
{
    uint8_t *const elements = stoa_alloc_zero(9, given.size);
    uint8_t *const missing = stoa_alloc_zero(2, 1);
    struct ArrowArray array = {.release = NULL};

    if (elements == NULL || missing == NULL) {
        free(elements);
        free(missing);
        return stoa_fail_memory(err);
    }
    missing[1] = 1;
    const stoa_status status = stoa_element_decode(&given, elements, 9, missing, &array, err);
    CHECK(status != STOA_OK || (array.length == 9 && array.null_count == 1));
    stoa_array_release(&array);
    return status;
}

/* What is handed over is not leaked, nor freed twice, whatever runs out (a sanitizer sees it). */
static void elements_and_missing_bits_are_taken_over_in_every_case(void)
{
    static const char *const names[] = {"FALSE", "TRUE"};
    static const int64_t codes[] = {0, 1};
    const hid_t types[] = {H5Tcopy(H5T_STD_I32LE),
                           H5Tcopy(H5T_IEEE_F64LE),
                           string_of(4, H5T_STR_NULLPAD, H5T_CSET_UTF8),
                           string_of(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_UTF8),
                           enum_of(H5T_STD_I16LE, 2, names, codes),
                           opaque_of(3, "x"),
                           record_type(),
                           array_of(H5Tcopy(H5T_STD_I8LE), 1, (hsize_t[]){3}),
                           vlen_of(H5Tcopy(H5T_STD_I8LE)),
                           H5Tcopy(H5T_STD_REF)};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        given = described(types[i]);
        if (!given.is_reference) {
            CHECK(sweep_memory(show_some_with_missing) >= 3);
        }
        stoa_element_clear(&given);
    }
    stoa_element truth = described(vlen_of(enum_of(H5T_STD_I8LE, 2, names, codes)));
    given = truth.items[0];
    CHECK(given.is_truth && sweep_memory(show_some_with_missing) >= 3);
    stoa_element_clear(&truth);
}

static void no_allocation_is_taken_for_granted(void)
{
    swept_records = make_records(&swept_element);
    CHECK(sweep_memory(describe_and_show) > 50);
    stoa_element_reclaim(&swept_element, swept_records, 3);
    free(swept_records);
    stoa_element_clear(&swept_element);
}

TEST_MAIN(TEST(integers_are_read_into_the_least_that_hold_them),
          TEST(floats_are_read_into_the_least_that_hold_them),
          TEST(other_types_are_described_in_words),
          TEST(times_of_the_system_can_be_taken_for_integers),
          TEST(types_that_no_honest_file_has_are_refused),
          TEST(members_of_enumerations_have_the_codes_that_are_stored),
          TEST(enumerations_of_large_integers_are_not_looked_into),
          TEST(a_boolean_is_one_within_another_type_alone), TEST(fields_lie_side_by_side),
          TEST(numbers_are_shown_as_they_are), TEST(texts_are_shown_without_their_padding),
          TEST(members_are_shown_by_name), TEST(compounds_are_shown_field_by_field),
          TEST(sequences_are_shown_as_lists),
          TEST(integers_within_others_may_be_truth_values_or_times),
          TEST(days_that_arrow_cannot_count_are_refused), TEST(a_copy_is_equal_and_its_own),
          TEST(padding_does_not_count_and_bits_do),
          TEST(fixed_texts_end_where_their_padding_begins),
          TEST(an_integer_is_put_as_its_low_bytes),
          TEST(elements_and_missing_bits_are_taken_over_in_every_case),
          TEST(no_allocation_is_taken_for_granted))
