/* Writing and appending tables (HEP001 §7-§9, §11, §12), for src/table/write/write.c and append.c.
 */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "support/small_cache.h"
#include "table/kit.h"

/* The column's fill as 64 bits, read as `type`. */
static uint64_t fill_bits(hid_t file, const char *path, hid_t type)
{
    uint64_t bits = 0;
    H5D_fill_value_t defined;
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t dcpl = H5Dget_create_plist(dataset);

    CHECK_H5(H5Pfill_value_defined(dcpl, &defined));
    CHECK_U64(defined, H5D_FILL_VALUE_USER_DEFINED);
    CHECK_H5(H5Pget_fill_value(dcpl, type, &bits));
    H5Pclose(dcpl);
    H5Dclose(dataset);
    return bits;
}

static void check_string_attribute(hid_t object, const char *name, size_t size, H5T_cset_t charset,
                                   const char *value)
{
    char text[256] = "";
    const hid_t attr = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attr);
    const hid_t space = H5Aget_space(attr);

    CHECK_U64(H5Tget_class(type), H5T_STRING);
    CHECK(!H5Tis_variable_str(type));
    CHECK_U64(H5Tget_size(type), size);
    CHECK_U64(H5Tget_cset(type), charset);
    CHECK_U64(H5Tget_strpad(type), H5T_STR_NULLTERM);
    CHECK_U64(H5Sget_simple_extent_type(space), H5S_SCALAR);
    CHECK_H5(H5Aread(attr, type, text));
    CHECK_STR(text, value);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attr);
}

static void identification_is_byte_for_byte_what_section_7_says(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(2, 2);
    batch_integers(&b, 0, "id", "l", (int64_t[]){1, 2}, NULL);
    batch_strings(&b, 1, "name", (const char *[]){"a", "bc"});
    const char *const index_columns[] = {"id"};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    options.title = "Täst";
    options.index_columns = index_columns;
    options.n_index_columns = 1;
    write_batches(file, "/a/b/t", &b, 1, &options);

    const hid_t group = H5Gopen2(file, "/a/b/t", H5P_DEFAULT);
    check_string_attribute(group, "CLASS", 13, H5T_CSET_ASCII, "COLUMN_TABLE");
    check_string_attribute(group, "VERSION", 4, H5T_CSET_ASCII, "1.0");
    check_string_attribute(group, "TITLE", 6, H5T_CSET_UTF8, "Täst");
    check_string_attribute(group, "_index", 3, H5T_CSET_UTF8, "id");
    hid_t attr = H5Aopen(group, "NROWS", H5P_DEFAULT);
    hid_t type = H5Aget_type(attr);
    CHECK(H5Tequal(type, H5T_STD_U64LE) > 0);
    H5Tclose(type);
    H5Aclose(attr);
    attr = H5Aopen(group, "INDEX_COLUMNS", H5P_DEFAULT);
    type = H5Aget_type(attr);
    CHECK(H5Tequal(type, H5T_STD_REF) > 0);
    H5Tclose(type);
    H5Aclose(attr);
    attr = H5Aopen(group, "column-order", H5P_DEFAULT);
    type = H5Aget_type(attr);
    CHECK_U64(H5Tget_size(type), 4);
    CHECK_U64(H5Tget_cset(type), H5T_CSET_UTF8);
    char names[8];
    CHECK_H5(H5Aread(attr, type, names));
    CHECK_MEM(names, "id\0\0name", 8);
    H5Tclose(type);
    H5Aclose(attr);
    H5Gclose(group);

    stoa_table *table = open_table(file, "/a/b/t");
    CHECK_STR(stoa_table_path(table), "/a/b/t");
    CHECK_U64(stoa_table_n_index_columns(table), 1);
    CHECK_STR(stoa_column_name(stoa_table_index_column(table, 0)), "id");
    stoa_table_close(table);
    H5Fclose(file);
}

static void fills_are_those_of_table_1(void)
{
    /* the "Hex" column of HEP001 Table 1 */
    static const struct {
        const char *format;
        uint64_t bits;
    } cases[] = {
        {"c", 0x81},       {"s", 0x8001},
        {"i", 0x80000001}, {"l", 0x8000000000000001},
        {"C", 0xff},       {"S", 0xffff},
        {"I", 0xffffffff}, {"L", 0xffffffffffffffff},
        {"f", 0x7cf00000}, {"g", 0x479e000000000000},
    };
    const hid_t file = new_file();

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[8] = "/t0";
        path[2] = (char)('0' + i);
        batch b = batch_begin(1, 2);
        if (cases[i].format[0] == 'f' || cases[i].format[0] == 'g') {
            batch_floats(&b, 0, "x", cases[i].format, (double[]){1.5, 0}, (bool[]){true, false});
        } else {
            batch_integers(&b, 0, "x", cases[i].format, (int64_t[]){7, 0}, (bool[]){true, false});
        }
        write_batches(file, path, &b, 1, NULL);
        char column[16];
        (void)snprintf(column, sizeof column, "%s/x", path);
        const hid_t dataset = H5Dopen2(file, column, H5P_DEFAULT);
        const hid_t type = H5Dget_type(dataset);
        CHECK_U64(fill_bits(file, column, type), cases[i].bits);
        uint64_t stored[2] = {0};
        CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored));
        const size_t size = H5Tget_size(type);
        CHECK_MEM((const char *)stored + size, &cases[i].bits, size);
        H5Tclose(type);
        H5Dclose(dataset);
        stoa_table *table = open_table(file, path);
        EXPECT(table, "x", cases[i].format[0] == 'f' || cases[i].format[0] == 'g' ? "1.5" : "7",
               "null");
        stoa_table_close(table);
    }
    H5Fclose(file);
}

static void a_sentinel_among_the_values_moves_the_fill_and_declares_the_range(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(2, 3);
    batch_integers(&b, 0, "i", "s", (int64_t[]){-32767, 0, 5}, (bool[]){true, false, true});
    batch_floats(&b, 1, "f", "g", (double[]){9.9692099683868690e+36, 0, NAN},
                 (bool[]){true, false, true});
    write_batches(file, "/t", &b, 1, NULL);

    CHECK_U64(fill_bits(file, "/t/i", H5T_NATIVE_INT16), 0x8000);
    const hid_t dataset = H5Dopen2(file, "/t/i", H5P_DEFAULT);
    int16_t bound = 0;
    hid_t attr = H5Aopen(dataset, "valid_min", H5P_DEFAULT);
    CHECK_H5(H5Aread(attr, H5T_NATIVE_INT16, &bound));
    CHECK_I64(bound, -32767);
    H5Aclose(attr);
    attr = H5Aopen(dataset, "valid_max", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attr);
    CHECK(H5Tequal(type, H5T_STD_I16LE) > 0);
    H5Tclose(type);
    CHECK_H5(H5Aread(attr, H5T_NATIVE_INT16, &bound));
    CHECK_I64(bound, 32767);
    H5Aclose(attr);
    H5Dclose(dataset);

    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "i", "-32767", "null", "5");
    EXPECT(table, "f", "9.969209968386869e+36", "null", "nan");
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_sentinel_in_a_later_batch_rewrites_the_column(void)
{
    const hid_t file = new_file();
    batch b[2] = {batch_begin(2, 2), batch_begin(2, 2)};
    batch_integers(&b[0], 0, "i", "c", (int64_t[]){1, 0}, (bool[]){true, false});
    batch_strings(&b[0], 1, "s", (const char *[]){"x", NULL});
    batch_integers(&b[1], 0, "i", "c", (int64_t[]){-127, -128}, NULL);
    batch_strings(&b[1], 1, "s", (const char *[]){"", "\x1a"});
    write_batches(file, "/t", b, 2, NULL);

    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "i", "1", "null", "-127", "-128");
    EXPECT(table, "s", "'x'", "null", "''", "'\x1a'");
    stoa_table_close(table);
    H5Fclose(file);
}

static void an_append_that_does_not_fit_widens_the_column(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(4, 2);
    batch_integers(&b, 0, "i", "c", (int64_t[]){1, 0}, (bool[]){true, false});
    batch_strings(&b, 1, "s", (const char *[]){"ab", NULL});
    batch_floats(&b, 2, "f", "f", (double[]){0.5, 0}, (bool[]){true, false});
    batch_categories(&b, 3, "c", (const char *[]){"one", NULL});
    const char *const index_columns[] = {"i", "s"};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    options.index_columns = index_columns;
    options.n_index_columns = 2;
    write_batches(file, "/t", &b, 1, &options);

    stoa_table *table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;
    b = batch_begin(4, 3);
    batch_integers(&b, 0, "i", "l", (int64_t[]){40000, -2, 0}, (bool[]){true, true, false});
    batch_strings(&b, 1, "s", (const char *[]){"a longer one", "", NULL});
    batch_floats(&b, 2, "f", "g", (double[]){0.1, INFINITY, 0}, (bool[]){true, true, false});
    batch_strings(&b, 3, "c", (const char *[]){"a very long new label", "one", NULL});
    CHECK_OK(append(table, &b, &err), &err);

    for (int pass = 0; pass < 2; pass++) {
        EXPECT(table, "i", "1", "null", "40000", "-2", "null");
        EXPECT(table, "s", "'ab'", "null", "'a longer one'", "''", "null");
        EXPECT(table, "f", "0.5", "null", "0.1", "inf", "null");
        EXPECT(table, "c", "'one'", "null", "'a very long new label'", "'one'", "null");
        CHECK_U64(stoa_table_n_index_columns(table), 2);
        stoa_table_close(table);
        table = open_table(file, "/t");
    }
    stoa_table_close(table);
    uint64_t n_must = 99;
    stoa_check_options check = STOA_CHECK_OPTIONS_INIT;
    CHECK_OK(stoa_check(file, "/t", &check, NULL, NULL, &n_must, NULL, &err), &err);
    CHECK_U64(n_must, 0);
    H5Fclose(file);
}

static void codes_widen_when_the_code_book_outgrows_them(void)
{
    enum { N = 200 };
    const hid_t file = new_file();
    char names[N][16];
    const char *values[N];
    for (int i = 0; i < N; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%d", i);
        values[i] = names[i];
    }
    batch b = batch_begin(1, 2);
    batch_categories(&b, 0, "c", values);
    write_batches(file, "/t", &b, 1, NULL);
    hid_t dataset = H5Dopen2(file, "/t/c", H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    CHECK(H5Tequal(type, H5T_STD_I8LE) > 0);
    H5Tclose(type);
    H5Dclose(dataset);

    stoa_table *table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;
    b = batch_begin(1, N);
    batch_categories(&b, 0, "c", values);
    CHECK_OK(append(table, &b, &err), &err);
    dataset = H5Dopen2(file, "/t/c", H5P_DEFAULT);
    type = H5Dget_type(dataset);
    CHECK(H5Tequal(type, H5T_STD_I16LE) > 0);
    H5Tclose(type);
    H5Dclose(dataset);
    struct ArrowArray array;
    struct ArrowSchema schema;
    stoa_view view;
    CHECK_OK(stoa_column_schema(stoa_table_column(table, 0), &schema, &err), &err);
    CHECK_OK(stoa_column_read(stoa_table_column(table, 0), 2, N, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK_STR(value_text(&view, 0), "'n0'");
    CHECK_STR(value_text(&view, 199), "'n199'");
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_table_close(table);
    H5Fclose(file);
}

static void bools_and_times_keep_their_type(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(4, 3);
    const bool valid[] = {true, false, true};
    batch_integers(&b, 0, "b", "b", (int64_t[]){1, 0, 0}, valid);
    batch_integers(&b, 1, "d", "tdD", (int64_t[]){11323, 0, -1}, valid);
    batch_integers(&b, 2, "t", "tsm:UTC", (int64_t[]){978307440123, 0, -5}, valid);
    batch_integers(&b, 3, "u", "tss:", (int64_t[]){978307440, 0, 0}, valid);
    write_batches(file, "/t", &b, 1, NULL);

    const hid_t dataset = H5Dopen2(file, "/t/t", H5P_DEFAULT);
    check_string_attribute(dataset, "units", 40, H5T_CSET_UTF8,
                           "milliseconds since 1970-01-01T00:00:00Z");
    H5Dclose(dataset);
    CHECK_U64(fill_bits(file, "/t/b", H5T_NATIVE_UINT8), 255);
    stoa_table *table = open_table(file, "/t");
    struct ArrowSchema schema;
    CHECK_OK(stoa_table_schema(table, &schema, NULL));
    CHECK_STR(schema.children[0]->format, "b");
    CHECK_STR(schema.children[1]->format, "tdD");
    CHECK_STR(schema.children[2]->format, "tsm:UTC");
    CHECK_STR(schema.children[3]->format, "tss:");
    stoa_schema_release(&schema);
    EXPECT(table, "b", "1", "null", "0");
    EXPECT(table, "d", "11323", "null", "-1");
    EXPECT(table, "t", "978307440123", "null", "-5");
    EXPECT(table, "u", "978307440", "null", "0");
    stoa_table_close(table);
    H5Fclose(file);
}

static void an_append_of_other_columns_changes_nothing(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(2, 1);
    batch_integers(&b, 0, "a", "i", (int64_t[]){1}, NULL);
    batch_integers(&b, 1, "b", "i", (int64_t[]){2}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");

    stoa_error err = STOA_ERROR_INIT;
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "a", "i", (int64_t[]){3}, NULL);
    CHECK_STATUS(STOA_ETYPE, append(table, &b, &err));
    CHECK_CONTAINS(err.message, "lack column 'b'");

    err = (stoa_error)STOA_ERROR_INIT;
    b = batch_begin(3, 1);
    batch_integers(&b, 0, "a", "i", (int64_t[]){3}, NULL);
    batch_integers(&b, 1, "b", "i", (int64_t[]){3}, NULL);
    batch_integers(&b, 2, "zz", "i", (int64_t[]){3}, NULL);
    CHECK_STATUS(STOA_ETYPE, append(table, &b, &err));
    CHECK_CONTAINS(err.message, "'zz'");

    err = (stoa_error)STOA_ERROR_INIT;
    b = batch_begin(2, 1);
    batch_integers(&b, 0, "a", "i", (int64_t[]){3}, NULL);
    batch_strings(&b, 1, "b", (const char *[]){"three"});
    CHECK_STATUS(STOA_ETYPE, append(table, &b, &err));
    CHECK_CONTAINS(err.message, "'b'");

    EXPECT(table, "a", "1");
    EXPECT(table, "b", "2");
    const hid_t dataset = H5Dopen2(file, "/t/a", H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    CHECK_U64(H5Sget_simple_extent_npoints(space), 1); /* §12: extents are equal again */
    H5Sclose(space);
    H5Dclose(dataset);
    stoa_table_close(table);
    H5Fclose(file);
}

static void an_existing_table_is_replaced_only_on_request(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 1);
    batch_integers(&b, 0, "a", "i", (int64_t[]){1}, NULL);
    write_batches(file, "/t", &b, 1, NULL);

    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "a", "i", (int64_t[]){2}, NULL);
    stream_of(&b, 1, &stream);
    CHECK_STATUS(STOA_EEXISTS, stoa_table_write(file, "/t", &stream, NULL, NULL, &err));
    stoa_stream_release(&stream);
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "a", "1");
    stoa_table_close(table);

    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    options.replace = true;
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "a", "i", (int64_t[]){2}, NULL);
    write_batches(file, "/t", &b, 1, &options);
    table = open_table(file, "/t");
    EXPECT(table, "a", "2");
    stoa_table_close(table);
    H5Fclose(file);
}

static void reserved_and_impossible_names_are_refused(void)
{
    const char *const names[] = {"CATEGORIES", "BITMAP", "valid_min", "a/b", "", "."};
    const hid_t file = new_file();

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct ArrowArrayStream stream;
        batch b = batch_begin(1, 1);
        batch_integers(&b, 0, names[i], "i", (int64_t[]){1}, NULL);
        stream_of(&b, 1, &stream);
        CHECK_STATUS(STOA_EINVAL, stoa_table_write(file, "/t", &stream, NULL, NULL, NULL));
        stoa_stream_release(&stream);
        CHECK(H5Lexists(file, "t", H5P_DEFAULT) == 0);
    }
    H5Fclose(file);
}

static void storage_is_as_the_options_say(void)
{
    const hid_t file = new_file();
    int64_t numbers[5000];
    for (int i = 0; i < 5000; i++) {
        numbers[i] = i;
    }
    batch b = batch_begin(3, 5000);
    batch_integers(&b, 0, "a", "l", numbers, NULL);
    batch_integers(&b, 1, "b", "l", numbers, NULL);
    batch_integers(&b, 2, "c", "l", numbers, NULL);
    const stoa_column_options columns[] = {
        {"a", "none", STOA_CONTIGUOUS},
        {"b", "deflate:3", 700},
    };
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    options.columns = columns;
    options.n_columns = 2;
    options.preallocate_rows = 6000;
    write_batches(file, "/t", &b, 1, &options);

    stoa_table *table = open_table(file, "/t");
    stoa_column_storage storage = STOA_COLUMN_STORAGE_INIT;
    CHECK_OK(stoa_column_storage_of(stoa_table_find(table, "a"), &storage, NULL));
    CHECK_STR(storage.layout, "contiguous");
    CHECK_U64(storage.extent, 6000);
    CHECK_OK(stoa_column_storage_of(stoa_table_find(table, "b"), &storage, NULL));
    CHECK_U64(storage.chunk_rows, 700);
    CHECK_STR(storage.filters, "shuffle,deflate:3");
    CHECK_U64(storage.extent, 6000);
    CHECK_OK(stoa_column_storage_of(stoa_table_find(table, "c"), &storage, NULL));
    CHECK_U64(storage.chunk_rows, 8192);
    CHECK_STR(storage.filters, "shuffle,deflate:1");
    CHECK_U64(stoa_table_n_rows(table), 5000);

    stoa_error err = STOA_ERROR_INIT;
    b = batch_begin(3, 2000);
    batch_integers(&b, 0, "a", "l", numbers, NULL);
    batch_integers(&b, 1, "b", "l", numbers, NULL);
    batch_integers(&b, 2, "c", "l", numbers, NULL);
    CHECK_OK(append(table, &b, &err), &err);
    struct ArrowArray array;
    CHECK_OK(stoa_column_read(stoa_table_find(table, "a"), 6999, 1, &array, &err), &err);
    CHECK_I64(((const int64_t *)array.buffers[1])[0], 1999);
    stoa_array_release(&array);
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_reader_that_knows_the_longest_string_spares_the_rewrite(void)
{
    const hid_t file = new_file();
    batch b[2] = {batch_begin(1, 1), batch_begin(1, 1)};
    batch_strings(&b[0], 0, "s", (const char *[]){"a"});
    batch_strings(&b[1], 0, "s", (const char *[]){"twelve bytes"});
    CHECK_OK(stoa_schema_set(b[0].schema.children[0], "stoa.max_bytes", "20", NULL));
    write_batches(file, "/t", b, 2, NULL);

    const hid_t dataset = H5Dopen2(file, "/t/s", H5P_DEFAULT);
    const hid_t type = H5Dget_type(dataset);
    CHECK_U64(H5Tget_size(type), 20);
    H5Tclose(type);
    H5Dclose(dataset);
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "s", "'a'", "'twelve bytes'");
    stoa_table_close(table);
    H5Fclose(file);
}

static void an_unknown_codec_is_named(void)
{
    const hid_t file = new_file();
    const stoa_column_options columns[] = {{NULL, "gzip99", 0}};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    options.columns = columns;
    options.n_columns = 1;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 1);
    batch_integers(&b, 0, "x", "i", (int64_t[]){1}, NULL);
    stream_of(&b, 1, &stream);
    CHECK_STATUS(STOA_EINVAL, stoa_table_write(file, "/t", &stream, &options, NULL, &err));
    CHECK_CONTAINS(err.message, "gzip99");
    stoa_stream_release(&stream);
    H5Fclose(file);
}

static void storage_of_a_column_that_is_not_there_is_refused(void)
{
    const hid_t file = new_file();
    const stoa_column_options columns[] = {{"y", "none", 0}};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 1);

    options.columns = columns;
    options.n_columns = 1;
    batch_integers(&b, 0, "x", "i", (int64_t[]){1}, NULL);
    stream_of(&b, 1, &stream);
    CHECK(stoa_table_write(file, "/t", &stream, &options, NULL, &err) != STOA_OK);
    CHECK_CONTAINS(err.message, "'y'");
    stoa_stream_release(&stream);
    H5Fclose(file);
}

static void an_impossible_request_for_indexes_is_refused_before_anything_is_written(void)
{
    const stoa_column_index wrong[][2] = {{{"x", "btree"}, {"x", NULL}},
                                          {{"x", "minmax"}, {"y", NULL}},
                                          {{"x", NULL}, {"x", "CHUNK_MINMAX"}}};
    const char *const says[] = {"unknown index kind 'btree'; there is minmax", "'y'",
                                "two minmax indexes"};
    const stoa_status statuses[] = {STOA_EINVAL, STOA_ENOTFOUND, STOA_EINVAL};
    const hid_t file = new_file();

    for (size_t i = 0; i < 3; i++) {
        stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
        struct ArrowArrayStream stream;
        stoa_error err = STOA_ERROR_INIT;
        batch b = batch_begin(1, 1);

        options.indexes = wrong[i];
        options.n_indexes = 2;
        batch_integers(&b, 0, "x", "i", (int64_t[]){1}, NULL);
        stream_of(&b, 1, &stream);
        CHECK_STATUS(statuses[i], stoa_table_write(file, "/t", &stream, &options, NULL, &err));
        CHECK_CONTAINS(err.message, says[i]);
        stoa_stream_release(&stream);
        CHECK_I64(H5Lexists(file, "/t", H5P_DEFAULT), 0);
    }
    H5Fclose(file);
}

static void a_table_of_no_rows_and_one_of_no_columns_are_tables(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(2, 0);
    batch_integers(&b, 0, "a", "i", NULL, NULL);
    batch_strings(&b, 1, "s", NULL);
    write_batches(file, "/empty", &b, 1, NULL);
    b = batch_begin(0, 0);
    write_batches(file, "/none", &b, 1, NULL);

    stoa_table *table = open_table(file, "/empty");
    CHECK_U64(stoa_table_n_rows(table), 0);
    CHECK_U64(stoa_table_n_columns(table), 2);
    stoa_error err = STOA_ERROR_INIT;
    b = batch_begin(2, 1);
    batch_integers(&b, 0, "a", "l", (int64_t[]){1}, NULL);
    batch_strings(&b, 1, "s", (const char *[]){"now long"});
    CHECK_OK(append(table, &b, &err), &err);
    EXPECT(table, "s", "'now long'");
    stoa_table_close(table);
    table = open_table(file, "/none");
    CHECK_U64(stoa_table_n_columns(table), 0);
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_file_may_be_nothing_but_a_table_at_its_root(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 1);
    batch_integers(&b, 0, "a", "i", (int64_t[]){4}, NULL);
    write_batches(file, "/", &b, 1, NULL);
    stoa_table *table = open_table(file, "/");
    EXPECT(table, "a", "4");
    stoa_table_close(table);
    H5Fclose(file);
}

/* What has no name while it is written must not be lost to a libhdf5 that forgets so. */
static void a_table_larger_than_the_metadata_cache_is_written_and_edited(void)
{
    enum { N = 500 };
    const hid_t file = new_file();
    const char *labels[N];
    int64_t values[N];
    char texts[N][16];
    for (int i = 0; i < N; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "l%d", i);
        labels[i] = texts[i];
        values[i] = i % 100;
    }
    shrink_metadata_cache(file);
    batch b = batch_begin(2, N);
    batch_integers(&b, 0, "a", "c", values, NULL);
    batch_categories(&b, 1, "s", labels);
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    options.columns = &(stoa_column_options){.chunk_rows = 1};
    options.n_columns = 1;
    options.indexes = (stoa_column_index[]){{"a", "sorted"}, {"s", NULL}};
    options.n_indexes = 2;
    write_batches(file, "/t", &b, 1, &options);
    stoa_table_close(open_table(file, "/t"));

    stoa_table *table = open_table(file, "/t");
    batch more = batch_begin(2, 1);
    batch_integers(&more, 0, "a", "i", (int64_t[]){100000}, NULL); /* a wider column */
    batch_categories(&more, 1, "s", (const char *[]){"a longer label"});
    stoa_error err = STOA_ERROR_INIT;
    CHECK_OK(append(table, &more, &err), &err);
    stoa_table_close(table);
    table = open_table(file, "/t");
    CHECK_U64(stoa_table_n_rows(table), N + 1);
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

static void the_name_of_a_new_table_is_utf8(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 1);
    H5L_info2_t info;

    batch_integers(&b, 0, "i", "l", (int64_t[]){1}, NULL);
    write_batches(file, "/g/größe", &b, 1, NULL);
    CHECK_H5(H5Lget_info2(file, "/g/größe", &info, H5P_DEFAULT));
    CHECK(info.cset == H5T_CSET_UTF8);
    H5Fclose(file);
}

static void a_caller_is_told_how_many_rows_were_written_or_where_that_failed(void)
{
    const hid_t file = new_file();
    batch batches[2];
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n_rows = UINT64_MAX;

    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 2; i++) {
            batches[i] = batch_begin(1, 2);
            batch_integers(&batches[i], 0, "i", "l", (int64_t[]){1, 2}, NULL);
        }
        stream_of(batches, 2, &stream);
        CHECK_STATUS(turn == 0 ? STOA_OK : STOA_EEXISTS,
                     stoa_table_write(file, "/t", &stream, NULL, &n_rows, &err));
        CHECK_U64(n_rows, turn == 0 ? 4 : 0);
        stoa_stream_release(&stream);
    }
    CHECK_CONTAINS(err.where, "t.h5:/t");
    H5Fclose(file);
}

TEST_MAIN(TEST(the_name_of_a_new_table_is_utf8),
          TEST(a_caller_is_told_how_many_rows_were_written_or_where_that_failed),
          TEST(identification_is_byte_for_byte_what_section_7_says),
          TEST(fills_are_those_of_table_1),
          TEST(a_sentinel_among_the_values_moves_the_fill_and_declares_the_range),
          TEST(a_sentinel_in_a_later_batch_rewrites_the_column),
          TEST(an_append_that_does_not_fit_widens_the_column),
          TEST(codes_widen_when_the_code_book_outgrows_them), TEST(bools_and_times_keep_their_type),
          TEST(an_append_of_other_columns_changes_nothing),
          TEST(an_existing_table_is_replaced_only_on_request),
          TEST(reserved_and_impossible_names_are_refused), TEST(storage_is_as_the_options_say),
          TEST(a_reader_that_knows_the_longest_string_spares_the_rewrite),
          TEST(an_unknown_codec_is_named), TEST(storage_of_a_column_that_is_not_there_is_refused),
          TEST(an_impossible_request_for_indexes_is_refused_before_anything_is_written),
          TEST(a_table_of_no_rows_and_one_of_no_columns_are_tables),
          TEST(a_file_may_be_nothing_but_a_table_at_its_root),
          TEST(a_table_larger_than_the_metadata_cache_is_written_and_edited))
