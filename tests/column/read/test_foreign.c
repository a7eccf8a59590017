/* Columns as others write them (HEP001 §8.3-§8.7): every datatype, byte order and padding is read.
 * The files are made by plain libhdf5 calls, never by Stoa. */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "support/batches.h"
#include "support/check.h"

static hid_t file = H5I_INVALID_HID;
static hid_t group = H5I_INVALID_HID;

static void scalar_string(hid_t object, const char *name, const char *value)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hid_t space = H5Screate(H5S_SCALAR);

    CHECK_H5(H5Tset_size(type, strlen(value) + 1));
    const hid_t attr = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK_H5(H5Awrite(attr, type, value));
    H5Aclose(attr);
    H5Sclose(space);
    H5Tclose(type);
}

static void begin(const char *version, uint64_t n_rows)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    file = H5Fcreate(check_path("foreign.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK_H5(file);
    H5Pclose(fapl);
    group = H5Gcreate2(file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    scalar_string(group, "CLASS", "COLUMN_TABLE");
    scalar_string(group, "VERSION", version);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attr = H5Acreate2(group, "NROWS", H5T_STD_U64BE, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK_H5(H5Awrite(attr, H5T_NATIVE_UINT64, &n_rows));
    H5Aclose(attr);
    H5Sclose(space);
}

/* A contiguous column of `extent` elements given in `mem_type`. */
static hid_t column(const char *name, hid_t type, hid_t mem_type, const void *fill,
                    const void *values, hsize_t extent)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &extent, NULL);

    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(dcpl, mem_type, fill));
    }
    const hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    CHECK_H5(dataset);
    if (values != NULL) {
        CHECK_H5(H5Dwrite(dataset, mem_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    H5Sclose(space);
    H5Pclose(dcpl);
    return dataset;
}

static void end(void)
{
    H5Gclose(group);
    H5Fclose(file);
}

static stoa_table *open_table(void)
{
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    return table;
}

static void expect(stoa_table *table, const char *name, const char *format, size_t n,
                   const char *const *texts)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
    stoa_error err = STOA_ERROR_INIT;
    stoa_column *found = stoa_table_find(table, name);

    CHECK(found != NULL);
    CHECK_OK(stoa_column_schema(found, &schema, &err), &err);
    CHECK_STR(schema.format, format);
    CHECK_OK(stoa_column_read(found, 0, n, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    for (size_t i = 0; i < n; i++) {
        CHECK_STR(value_text(&view, (int64_t)i), texts[i]);
    }
    stoa_array_release(&array);
    stoa_schema_release(&schema);
}
#define EXPECT(table, name, format, ...)                                                           \
    do {                                                                                           \
        const char *const texts_[] = {__VA_ARGS__};                                                \
        expect((table), (name), (format), sizeof texts_ / sizeof texts_[0], texts_);               \
    } while (0)

static void integers_of_every_width_and_byte_order_are_read(void)
{
    static const char *const formats[] = {"c", "s", "i", "l", "C", "S", "I", "L"};
    const hid_t types[] = {
        H5T_STD_I8LE,  H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U8LE,  H5T_STD_U16LE,
        H5T_STD_U32LE, H5T_STD_U64LE, H5T_STD_I8BE,  H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE,
        H5T_STD_U8BE,  H5T_STD_U16BE, H5T_STD_U32BE, H5T_STD_U64BE,
    };
    const int64_t values[] = {1, 77, 100};
    const int64_t fill = 77;

    begin("1.0", 3);
    for (int i = 0; i < 16; i++) {
        char name[4] = {'c', (char)('a' + i), '\0'};
        H5Dclose(column(name, types[i], H5T_NATIVE_INT64, &fill, values, 3));
    }
    stoa_table *table = open_table();
    for (int i = 0; i < 16; i++) {
        char name[4] = {'c', (char)('a' + i), '\0'};
        EXPECT(table, name, formats[i % 8], "1", "null", "100");
    }
    stoa_table_close(table);
    end();
}

static void a_nan_fill_makes_every_nan_missing_and_another_fill_none(void)
{
    const double nan_fill = NAN;
    const double fill = -0.0;
    const double values[] = {NAN, -0.0, 0.0, 2.5};

    begin("1.0", 4);
    H5Dclose(column("n", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, &nan_fill, values, 4));
    H5Dclose(column("z", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, &fill, values, 4));
    H5Dclose(column("h", H5T_IEEE_F16BE, H5T_NATIVE_DOUBLE, &nan_fill, values, 4));
    H5Dclose(column("none", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, NULL, values, 4));
    stoa_table *table = open_table();
    EXPECT(table, "n", "g", "null", "-0.0", "0.0", "2.5");
    EXPECT(table, "z", "f", "nan", "null", "0.0", "2.5"); /* bit-equality, notes A5 */
    EXPECT(table, "h", "e", "null", "-0.0", "0.0", "2.5");
    EXPECT(table, "none", "g", "nan", "-0.0", "0.0", "2.5");
    stoa_table_close(table);
    end();
}

static void strings_of_every_storage_are_read_without_their_padding(void)
{
    static const H5T_str_t paddings[] = {H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD};
    static const char *const stored[] = {"ab\0x"
                                         "cd\0\0"
                                         "\0\0\0\0",
                                         "ab\0x"
                                         "cd\0\0"
                                         "\0\0\0\0",
                                         "ab  "
                                         "c d "
                                         "    "};
    static const char *const names[] = {"term", "pad", "space"};

    begin("1.0", 3);
    for (int i = 0; i < 3; i++) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        const char fill[4] = {i == 2 ? ' ' : 0, i == 2 ? ' ' : 0, i == 2 ? ' ' : 0,
                              i == 2 ? ' ' : 0};
        CHECK_H5(H5Tset_size(type, 4));
        CHECK_H5(H5Tset_strpad(type, paddings[i]));
        H5Dclose(column(names[i], type, type, fill, stored[i], 3));
        H5Tclose(type);
    }
    const hid_t vlen = H5Tcopy(H5T_C_S1);
    CHECK_H5(H5Tset_size(vlen, H5T_VARIABLE));
    const char *const texts[] = {"a longer text", "", "z"};
    const char *const fill = "";
    H5Dclose(column("vlen", vlen, vlen, &fill, texts, 3));
    H5Tclose(vlen);
    stoa_table *table = open_table();
    EXPECT(table, "term", "u", "'ab'", "'cd'", "null");
    EXPECT(table, "space", "u", "'ab'", "'c d'", "null");
    EXPECT(table, "vlen", "u", "'a longer text'", "null", "'z'");
    struct ArrowArray array;
    CHECK_OK(stoa_column_read(stoa_table_find(table, "pad"), 0, 1, &array, NULL));
    CHECK_MEM(array.buffers[2], "ab\0x", 4); /* only trailing NULs are padding there, notes C7 */
    stoa_array_release(&array);
    stoa_table_close(table);
    end();
}

static void enumerations_show_their_names_and_codes_without_one(void)
{
    begin("1.0", 4);
    for (int i = 0; i < 2; i++) {
        const hid_t type = H5Tenum_create(i == 0 ? H5T_STD_I16LE : H5T_STD_I16BE);
        int16_t members[] = {5, -3, 9};
        const char *const labels[] = {"five", "minus", "MISSING"};
        for (int k = 0; k < 3; k++) {
            int16_t member = members[k];
            if (i == 1) {
                member = (int16_t)(((uint16_t)member >> 8) | ((uint16_t)member << 8));
            }
            CHECK_H5(H5Tenum_insert(type, labels[k], &member));
        }
        int16_t values[] = {-3, 9, 5, 7};
        int16_t fill = 9;
        if (i == 1) {
            for (int k = 0; k < 4; k++) {
                values[k] = (int16_t)(((uint16_t)values[k] >> 8) | ((uint16_t)values[k] << 8));
            }
            fill = (int16_t)(9 << 8);
        }
        H5Dclose(column(i == 0 ? "le" : "be", type, type, &fill, values, 4));
        H5Tclose(type);
    }
    stoa_table *table = open_table();
    EXPECT(table, "le", "i", "'minus'", "null", "'five'", "'7'");
    EXPECT(table, "be", "i", "'minus'", "null", "'five'", "'7'");
    stoa_table_close(table);
    end();
}

static void labels_are_appended_to_an_enumeration_of_either_byte_order(void)
{
    static const char *const columns[] = {"le", "be"};

    begin("1.0", 1);
    for (int i = 0; i < 2; i++) {
        const hid_t type = H5Tenum_create(i == 0 ? H5T_STD_I16LE : H5T_STD_I16BE);
        const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
        const hid_t space = H5Screate_simple(1, &(hsize_t){1}, &(hsize_t){H5S_UNLIMITED});
        const uint16_t five = i == 0 ? 5 : 5 << 8;
        const uint16_t nine = i == 0 ? 9 : 9 << 8;
        CHECK_H5(H5Tenum_insert(type, "five", &five));
        CHECK_H5(H5Tenum_insert(type, "MISSING", &nine));
        CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){4}));
        CHECK_H5(H5Pset_fill_value(dcpl, type, &nine));
        const hid_t dataset =
            H5Dcreate2(group, columns[i], type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &five));
        H5Dclose(dataset);
        H5Sclose(space);
        H5Pclose(dcpl);
        H5Tclose(type);
    }
    stoa_table *table = open_table();
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    const char *const given[] = {NULL, "five"};
    batch b = batch_begin(2, 2);
    batch_strings(&b, 0, "le", given);
    batch_categories(&b, 1, "be", given);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_append(table, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    EXPECT(table, "le", "i", "'five'", "null", "'five'");
    EXPECT(table, "be", "i", "'five'", "null", "'five'");

    const char *const strangers[] = {"six"};
    b = batch_begin(2, 1);
    batch_strings(&b, 0, "le", strangers);
    batch_strings(&b, 1, "be", strangers);
    stream_of(&b, 1, &stream);
    CHECK_STATUS(STOA_ETYPE, stoa_table_append(table, &stream, NULL, NULL, &err));
    CHECK_CONTAINS(err.message, "'six'");
    stoa_stream_release(&stream);
    stoa_table_close(table);
    end();
}

static void opaque_values_come_as_their_bytes(void)
{
    begin("1.0", 2);
    const hid_t type = H5Tcreate(H5T_OPAQUE, 3);
    CHECK_H5(H5Tset_tag(type, "key"));
    H5Dclose(column("o", type, type, "\xff\xff\xff", "abc\xff\xff\xff", 2));
    H5Tclose(type);
    stoa_table *table = open_table();
    struct ArrowSchema schema;
    struct ArrowArray array;
    CHECK_OK(stoa_column_schema(stoa_table_find(table, "o"), &schema, NULL));
    CHECK_STR(schema.format, "w:3");
    CHECK_OK(stoa_column_read(stoa_table_find(table, "o"), 0, 2, &array, NULL));
    CHECK_MEM(array.buffers[1], "abc", 3);
    CHECK_I64(array.null_count, 1);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_table_close(table);
    end();
}

typedef struct point {
    double x;
    int16_t n;
} point;

static void compounds_arrays_and_ragged_values_become_nested_arrays(void)
{
    begin("1.0", 2);
    const hid_t compound = H5Tcreate(H5T_COMPOUND, sizeof(point));
    CHECK_H5(H5Tinsert(compound, "x", HOFFSET(point, x), H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(compound, "n", HOFFSET(point, n), H5T_NATIVE_INT16));
    point points[2];
    point fill;
    memset(points, 0xee, sizeof points); /* padding must not decide what is missing, notes C6 */
    memset(&fill, 0x11, sizeof fill);
    points[0].x = 1.5;
    points[0].n = 7;
    points[1].x = fill.x = -1;
    points[1].n = fill.n = -1;
    H5Dclose(column("p", compound, compound, &fill, points, 2));
    H5Tclose(compound);
    const hid_t array_type = H5Tarray_create2(H5T_NATIVE_INT32, 2, (hsize_t[]){2, 2});
    const int32_t cells[] = {1, 2, 3, 4, 0, 0, 0, 0};
    const int32_t zeros[4] = {0};
    H5Dclose(column("a", array_type, array_type, zeros, cells, 2));
    H5Tclose(array_type);
    const hid_t vlen = H5Tvlen_create(H5T_NATIVE_UINT16);
    uint16_t items[] = {10, 20, 30};
    const hvl_t ragged[] = {{3, items}, {0, NULL}};
    H5Dclose(column("v", vlen, vlen, NULL, ragged, 2));
    H5Tclose(vlen);

    stoa_table *table = open_table();
    struct ArrowSchema schema;
    struct ArrowArray array;
    CHECK_OK(stoa_table_schema(table, &schema, NULL));
    CHECK_STR(schema.children[0]->format, "+w:4");
    CHECK_STR(schema.children[1]->format, "+s");
    CHECK_STR(schema.children[1]->children[1]->name, "n");
    CHECK_STR(schema.children[2]->format, "+l");
    CHECK_OK(stoa_column_read(stoa_table_find(table, "p"), 0, 2, &array, NULL));
    CHECK_I64(array.null_count, 1);
    CHECK_F64(((const double *)array.children[0]->buffers[1])[0], 1.5);
    CHECK_I64(((const int16_t *)array.children[1]->buffers[1])[0], 7);
    stoa_array_release(&array);
    CHECK_OK(stoa_column_read(stoa_table_find(table, "a"), 0, 2, &array, NULL));
    CHECK_I64(array.null_count, 1);
    CHECK_I64(((const int32_t *)array.children[0]->buffers[1])[3], 4);
    stoa_array_release(&array);
    CHECK_OK(stoa_column_read(stoa_table_find(table, "v"), 0, 2, &array, NULL));
    CHECK_I64(((const int32_t *)array.buffers[1])[1], 3);
    CHECK_I64(((const int32_t *)array.buffers[1])[2], 3);
    CHECK_I64(((const uint16_t *)array.children[0]->buffers[1])[2], 30);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_table_close(table);
    end();
}

static void a_type_without_a_counterpart_is_shown_raw_not_left_out(void)
{
    begin("1.0", 2);
    const uint8_t bits[] = {0x5, 0xff};
    const uint8_t fill = 0xff;
    H5Dclose(column("bits", H5T_STD_B8LE, H5T_STD_B8LE, &fill, bits, 2));
    hobj_ref_t references[2];
    memset(references, 0, sizeof references);
    H5Dclose(column("ref", H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, NULL, references, 2));
    const long double wide[] = {1, 2};
    H5Dclose(column("wide", H5T_NATIVE_LDOUBLE, H5T_NATIVE_LDOUBLE, NULL, wide, 2));
    stoa_table *table = open_table();
    EXPECT(table, "bits", "C", "5", "null");
    struct ArrowSchema schema;
    CHECK_OK(stoa_column_schema(stoa_table_find(table, "ref"), &schema, NULL));
    CHECK_STR(schema.format, "u"); /* paths */
    stoa_schema_release(&schema);
    CHECK_OK(stoa_column_schema(stoa_table_find(table, "wide"), &schema, NULL));
    CHECK_STR(schema.format, "w:16");
    stoa_schema_release(&schema);
    stoa_table_close(table);
    end();
}

static void uint8_is_a_boolean_only_where_its_range_says_so(void)
{
    const uint8_t values[] = {1, 0, 2};
    const uint8_t fill = 2;
    const uint8_t bounds[] = {0, 1};

    begin("1.0", 3);
    const hid_t space = H5Screate(H5S_SCALAR);
    hid_t dataset = column("b", H5T_STD_U8LE, H5T_NATIVE_UINT8, &fill, values, 3);
    for (int i = 0; i < 2; i++) {
        const hid_t attr = H5Acreate2(dataset, i == 0 ? "valid_min" : "valid_max", H5T_STD_U8LE,
                                      space, H5P_DEFAULT, H5P_DEFAULT);
        CHECK_H5(H5Awrite(attr, H5T_NATIVE_UINT8, &bounds[i]));
        H5Aclose(attr);
    }
    H5Dclose(dataset);
    H5Sclose(space);
    H5Dclose(column("u", H5T_STD_U8LE, H5T_NATIVE_UINT8, &fill, values, 3));
    stoa_table *table = open_table();
    EXPECT(table, "b", "b", "1", "0", "null");
    EXPECT(table, "u", "C", "1", "0", "null");
    stoa_table_close(table);
    end();
}

static void times_of_any_unit_and_epoch_are_presented_since_1970(void)
{
    begin("1.0", 2);
    const int64_t values[] = {2, -9};
    const int64_t fill = -9;
    static const struct {
        const char *name, *units, *format, *text;
    } cases[] = {
        {"h", "hours since 2000-01-01", "tss:", "946692000"}, /* 10957 days * 86400 + 7200 */
        {"m", "minutes since 1970-01-01T00:00:00Z", "tss:UTC", "120"},
        {"ns", "nanoseconds since 1970-01-01T00:00:00Z", "tsn:UTC", "2"},
        {"d", "days since 1970-01-01", "tdD", "2"},
        {"x", "furlongs since 1970-01-01", "s", "2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hid_t dataset =
            column(cases[i].name, H5T_STD_I16BE, H5T_NATIVE_INT64, &fill, values, 2);
        scalar_string(dataset, "units", cases[i].units);
        H5Dclose(dataset);
    }
    stoa_table *table = open_table();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        EXPECT(table, cases[i].name, cases[i].format, cases[i].text, "null");
    }
    stoa_table_close(table);
    end();
}

static void rows_beyond_nrows_are_not_seen(void)
{
    const int64_t values[] = {1, 2, 99, 98};
    const int64_t fill = 0;

    begin("1.0", 2);
    H5Dclose(column("a", H5T_STD_I64LE, H5T_NATIVE_INT64, &fill, values, 4));
    stoa_table *table = open_table();
    struct ArrowArray array;
    CHECK_U64(stoa_table_n_rows(table), 2);
    CHECK_STATUS(STOA_ERANGE, stoa_column_read(stoa_table_find(table, "a"), 0, 3, &array, NULL));
    CHECK(array.release == NULL);
    EXPECT(table, "a", "l", "1", "2");
    stoa_table_close(table);
    end();
}

static void an_extent_below_nrows_is_refused(void)
{
    const int64_t values[] = {1};
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;

    begin("1.0", 2);
    H5Dclose(column("a", H5T_STD_I64LE, H5T_NATIVE_INT64, values, values, 1));
    table = open_table(); /* which says nothing of columns that nobody uses */
    CHECK_STATUS(STOA_EDATA, stoa_table_schema(table, &(struct ArrowSchema){0}, &err));
    CHECK_CONTAINS(err.where, "/t/a");
    CHECK_CONTAINS(err.message, "extent 1 is below NROWS 2");
    CHECK_STATUS(STOA_EDATA, stoa_column_read(stoa_table_find(table, "a"), 0, 1,
                                              &(struct ArrowArray){0}, NULL));
    stoa_table_close(table);
    end();
}

static void versions_are_compared_as_numbers(void)
{
    static const struct {
        const char *version;
        stoa_status status;
    } cases[] = {
        {"1.0", STOA_OK},        {"1.7", STOA_OK},    {"1.10", STOA_OK},
        {"1.0.0", STOA_OK},      {"0.9", STOA_OK},    {"2.0", STOA_EVERSION},
        {"10.0", STOA_EVERSION}, {"one", STOA_EDATA}, {"-1.0", STOA_EDATA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stoa_table *table = NULL;
        begin(cases[i].version, 0);
        CHECK_STATUS(cases[i].status, stoa_hep001_open(file, "/t", &table, NULL));
        stoa_table_close(table);
        end();
    }
}

static void a_code_without_a_label_is_an_error_not_a_crash(void)
{
    const int64_t codes[] = {0, 5};
    const int64_t fill = -127;
    stoa_error err = STOA_ERROR_INIT;

    begin("1.0", 2);
    const hid_t categories = H5Gcreate2(group, "CATEGORIES", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t vlen = H5Tcopy(H5T_C_S1);
    CHECK_H5(H5Tset_size(vlen, H5T_VARIABLE));
    const hid_t labels_space = H5Screate_simple(1, &(hsize_t){2}, NULL);
    const hid_t labels = H5Dcreate2(categories, "any name", vlen, labels_space, H5P_DEFAULT,
                                    H5P_DEFAULT, H5P_DEFAULT);
    const char *const texts[] = {"yes", "no"};
    CHECK_H5(H5Dwrite(labels, vlen, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts));
    const hid_t dataset = column("c", H5T_STD_I8LE, H5T_NATIVE_INT64, &fill, codes, 2);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attr =
        H5Acreate2(dataset, "CATEGORIES", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT);
    H5R_ref_t reference;
    CHECK_H5(H5Rcreate_object(file, "/t/CATEGORIES/any name", H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, &reference));
    H5Rdestroy(&reference);
    H5Aclose(attr);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Dclose(labels);
    H5Sclose(labels_space);
    H5Tclose(vlen);
    H5Gclose(categories);

    stoa_table *table = open_table();
    struct ArrowArray array;
    EXPECT(table, "c", "c", "'yes'");
    CHECK_STATUS(STOA_EDATA, stoa_column_read(stoa_table_find(table, "c"), 0, 2, &array, &err));
    CHECK_CONTAINS(err.message, "code 5");
    stoa_table_close(table);
    end();
}

TEST_MAIN(TEST(integers_of_every_width_and_byte_order_are_read),
          TEST(a_nan_fill_makes_every_nan_missing_and_another_fill_none),
          TEST(strings_of_every_storage_are_read_without_their_padding),
          TEST(enumerations_show_their_names_and_codes_without_one),
          TEST(labels_are_appended_to_an_enumeration_of_either_byte_order),
          TEST(opaque_values_come_as_their_bytes),
          TEST(compounds_arrays_and_ragged_values_become_nested_arrays),
          TEST(a_type_without_a_counterpart_is_shown_raw_not_left_out),
          TEST(uint8_is_a_boolean_only_where_its_range_says_so),
          TEST(times_of_any_unit_and_epoch_are_presented_since_1970),
          TEST(rows_beyond_nrows_are_not_seen), TEST(an_extent_below_nrows_is_refused),
          TEST(versions_are_compared_as_numbers),
          TEST(a_code_without_a_label_is_an_error_not_a_crash))
