/* Queries to tables that another program wrote: types that Stoa would not choose, read from HDF5 as
 * they are (HEP001 §8.3; notes E5). */
#include <stdio.h>
#include <string.h>

#include "foreign.h"
#include "tables.h"

enum { N = 6, CHUNK = 2 };

/* A column of N elements; the type is closed. */
static void column(hid_t group, const char *name, hid_t type, hid_t mem_type, const void *fill,
                   const void *values)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, &(hsize_t){H5S_UNLIMITED}));
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(creation, 1, &(hsize_t){CHUNK}));
    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(creation, mem_type, fill));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, mem_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Sclose(space));
}

/* Members whose codes are in another order than their names. */
static void enum_column(hid_t group)
{
    const int16_t codes[] = {300, -5, 7};
    const char *const names[] = {"red", "green", "MISSING"};
    const int16_t values[N] = {300, -5, 7, -5, 300, -5};
    const hid_t type = CHECK_H5(H5Tenum_create(H5T_STD_I16BE));

    for (int i = 0; i < 3; i++) {
        int16_t code = codes[i];
        CHECK_H5(H5Tconvert(H5T_NATIVE_INT16, H5T_STD_I16BE, 1, &code, NULL, H5P_DEFAULT));
        CHECK_H5(H5Tenum_insert(type, names[i], &code));
    }
    const hid_t native = CHECK_H5(H5Tget_native_type(type, H5T_DIR_DEFAULT));
    column(group, "e", type, native, &codes[2], values);
    CHECK_H5(H5Tclose(native));
    CHECK_H5(H5Tclose(type));
}

static void opaque_column(hid_t group)
{
    const uint8_t values[N][2] = {{0, 0}, {0, 255}, {1, 0}, {1, 2}, {255, 0}, {9, 9}};
    const hid_t type = CHECK_H5(H5Tcreate(H5T_OPAQUE, 2));

    CHECK_H5(H5Tset_tag(type, "pair"));
    column(group, "o", type, type, values[5], values);
    CHECK_H5(H5Tclose(type));
}

/* {int32 a; float b[2]}, and lists of int32 of different lengths. */
static void nested_columns(hid_t group)
{
    typedef struct pair {
        int32_t a;
        float b[2];
    } pair;
    pair pairs[N];
    int32_t items[N] = {10, 11, 12, 13, 14, 15};
    hvl_t lists[N];
    const hid_t array = CHECK_H5(H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &(hsize_t){2}));
    const hid_t compound = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(pair)));
    const hid_t list = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));

    for (int i = 0; i < N; i++) {
        pairs[i] = (pair){i, {(float)i / 2, -(float)i}};
        lists[i] = (hvl_t){(size_t)i % 3, items + i / 2};
    }
    CHECK_H5(H5Tinsert(compound, "a", HOFFSET(pair, a), H5T_NATIVE_INT32));
    CHECK_H5(H5Tinsert(compound, "b", HOFFSET(pair, b), array));
    column(group, "p", compound, compound, &(pair){-1, {0, 0}}, pairs);
    column(group, "l", list, list, NULL, lists);
    CHECK_H5(H5Tclose(list));
    CHECK_H5(H5Tclose(compound));
    CHECK_H5(H5Tclose(array));
}

static home foreign_table(void)
{
    static const int32_t hours[N] = {0, 1, 24, -1, 48, 0x7fffffff};
    static unsigned n_homes;
    char name[32];
    home h = {.table = NULL};
    stoa_error err = STOA_ERROR_INIT;
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 20, false));
    (void)snprintf(name, sizeof name, "foreign-%u.h5", ++n_homes);
    h.file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    const hid_t group = CHECK_H5(H5Gcreate2(h.file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    foreign_put_ascii(group, "CLASS", "COLUMN_TABLE");
    foreign_put_ascii(group, "VERSION", "1.0");
    foreign_put(group, "NROWS", H5T_NATIVE_UINT64, &(uint64_t){N});
    enum_column(group);
    opaque_column(group);
    nested_columns(group);
    column(group, "h", H5T_STD_I32BE, H5T_NATIVE_INT32, &hours[5], hours);
    const hid_t dataset = CHECK_H5(H5Dopen2(group, "h", H5P_DEFAULT));
    foreign_put_ascii(dataset, "units", "hours since 2000-01-01T00:00:00Z");
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Gclose(group));
    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    return h;
}

static void enums_compare_by_the_names_of_their_members(void)
{
    home h = foreign_table();

    CHECK_STR(ASK(&h, .columns = "e"), "'red' | 'green' | null | 'green' | 'red' | 'green'");
    CHECK_STR(ASK(&h, .where = "e > 'h'", .row_numbers = true), "0 | 4");
    CHECK_STR(ASK(&h, .where = "e in ('green', 'blue')", .row_numbers = true), "1 | 3 | 5");
    CHECK_STR(ASK(&h, .aggregates = "count()", .by = "e", .sort = "e"),
              "'green' 3 | 'red' 2 | null 1");
    CHECK_STR(ASK(&h, .columns = "e", .sort = "e desc"),
              "'red' | 'red' | 'green' | 'green' | 'green' | null");
    home_leave(&h);
}

static void opaque_values_compare_with_hexadecimal(void)
{
    home h = foreign_table();

    CHECK_STR(ASK(&h, .where = "o = X'0102'", .row_numbers = true), "3");
    CHECK_STR(ASK(&h, .where = "o > X'00FF'", .row_numbers = true), "2 | 3 | 4");
    CHECK_STR(ASK(&h, .where = "o in (X'0000', X'00')", .row_numbers = true), "0");
    CHECK_STR(ASK(&h, .where = "o is null", .row_numbers = true), "5");
    CHECK_STR(ASK(&h, .aggregates = "count(o), distinct(o)"), "5 5");
    home_leave(&h);
}

/* The leaves of the answer's nested columns, checked where they lie. */
static void nested_columns_are_carried_along_by_filters_and_sorts(void)
{
    static const stoa_query_options cases[] = {
        {.where = "o >= X'0100'", .columns = "p, l"},
        {.where = "o >= X'0100'", .columns = "p, l", .sort = "o desc"},
    };
    static const int32_t rows[][3] = {{2, 3, 4}, {4, 3, 2}};
    home h = foreign_table();

    for (int k = 0; k < 2; k++) {
        stoa_query *query = NULL;
        struct ArrowArrayStream stream = {0};
        struct ArrowSchema schema = {0};
        struct ArrowArray array = {0};
        stoa_view p, a, b, floats, l, items;
        stoa_query_options options = cases[k];

        options.size = sizeof options;
        options.limit = -1;
        CHECK_OK(stoa_query_open(h.table, &options, &query, NULL));
        CHECK_OK(stoa_query_run(query, &stream, NULL));
        CHECK_OK(stoa_stream_schema(&stream, &schema, NULL));
        CHECK_OK(stoa_stream_next(&stream, &array, NULL));
        CHECK_I64(array.length, 3);
        CHECK_OK(stoa_view_of(schema.children[0], array.children[0], &p, NULL));
        CHECK_OK(stoa_view_child(&p, 0, &a, NULL));
        CHECK_OK(stoa_view_child(&p, 1, &b, NULL));
        CHECK_OK(stoa_view_child(&b, 0, &floats, NULL));
        CHECK_OK(stoa_view_of(schema.children[1], array.children[1], &l, NULL));
        CHECK_OK(stoa_view_child(&l, 0, &items, NULL));
        for (int64_t i = 0; i < 3; i++) {
            const int32_t row = rows[k][i];
            int64_t first;
            int64_t count;
            CHECK_I64(stoa_view_i64(&a, i), row);
            stoa_view_range(&b, i, &first, &count);
            CHECK_F64(stoa_view_f64(&floats, first), row / 2.0);
            CHECK_F64(stoa_view_f64(&floats, first + 1), -row);
            stoa_view_range(&l, i, &first, &count);
            CHECK_I64(count, row % 3);
            for (int64_t j = 0; j < count; j++) {
                CHECK_I64(stoa_view_i64(&items, first + j), 10 + row / 2 + j);
            }
        }
        stoa_array_release(&array);
        stoa_schema_release(&schema);
        stoa_stream_release(&stream);
        stoa_query_close(query);
    }
    CHECK_STR(ASK(&h, .aggregates = "count(p), count(l)"), "6 6");
    CHECK_CONTAINS(ASK(&h, .where = "p > 3"), "'p' is");
    CHECK_CONTAINS(ASK(&h, .sort = "l"), "have no order");
    CHECK_CONTAINS(ASK(&h, .aggregates = "count()", .by = "l"), "makes no groups");
    CHECK_CONTAINS(ASK(&h, .aggregates = "max(p)"), "a list or a struct");
    home_leave(&h);
}

/* Times count hours, enums have codes in another order than labels: the index knows only what is
 * stored. */
static void indexes_are_asked_for_what_is_stored(void)
{
    static const struct {
        const char *where;
        const char *rows;
        const char *left;
    } cases[] = {
        {"h > '2000-01-02'", "4", "1 of 3 chunks"},
        {"h >= '2000-01-01T00:30:00Z' and h < '2000-01-01T01:30:00Z'", "1", "2 of 3 chunks"},
        {"h <= '1999-12-31T23:59:59'", "3", "1 of 3 chunks"},
        {"h = '1999-12-31T23:00:00'", "3", "1 of 3 chunks"},
        {"h = '1999-12-31T23:00:01'", "", "1 of 3 chunks"},
        {"h is null", "5", "1 of 3 chunks"},
        {"h > '9999-01-01'", "", "0 of 3 chunks"},
        {"e is null", "2", "3 of 3 chunks"}, /* codes between members' codes would be missing */
        {"e is not null and e != 'green'", "0 | 4", "2 of 3 chunks"},
        {"e = 'blue'", "", "0 of 3 chunks"},
        {"e = 'red' and h = '2000-01-03'", "4", "1 of 3 chunks"},
        {"o >= X'0100' and o < X'0101'", "2", "1 of 3 chunks"},
    };
    static const char *const columns[] = {"h", "e", "o"};
    home h = foreign_table();
    stoa_error err = STOA_ERROR_INIT;

    for (int i = 0; i < 3; i++) {
        CHECK_OK(stoa_index_add(h.table, columns[i], "minmax", NULL, &err), &err);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_STR(ASK(&h, .where = cases[i].where, .row_numbers = true), cases[i].rows);
        CHECK_STR(ASK(&h, .where = cases[i].where, .row_numbers = true, .use_indexes = true),
                  cases[i].rows);
        CHECK_CONTAINS(EXPLAIN(&h, .where = cases[i].where, .use_indexes = true), cases[i].left);
    }
    home_leave(&h);
}

TEST_MAIN(TEST(enums_compare_by_the_names_of_their_members),
          TEST(opaque_values_compare_with_hexadecimal),
          TEST(nested_columns_are_carried_along_by_filters_and_sorts),
          TEST(indexes_are_asked_for_what_is_stored))
