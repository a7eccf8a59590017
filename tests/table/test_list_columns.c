/* List columns (HEP001-2026-07 §9): src/column/list, src/table/open. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/query.h>

#include "column/list/list.h"
#include "hdf/metadata/attributes.h"
#include "index/common/kind.h"
#include "table/list_kit.h"
#include "table/open/table.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

/* A table of n rows with the column id: 10, 11, ... */
static hid_t table_of(int64_t n)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, n);
    int64_t *const values = calloc((size_t)n + 1, sizeof *values);

    CHECK(values != NULL);
    for (int64_t i = 0; i < n; i++) {
        values[i] = 10 + i;
    }
    batch_integers(&b, 0, "id", "l", values, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    free(values);
    return file;
}

static void write_text(hid_t file, const char *path, const char *name, const char *value)
{
    const hid_t object = CHECK_H5(H5Oopen(file, path, H5P_DEFAULT));

    CHECK_OK(stoa_attribute_write_utf8(object, name, value, NULL));
    CHECK_H5(H5Oclose(object));
}

/* Three lists of int32: [1,2] [] [3], and reserved elements behind them. */
static void put_numbers(hid_t file, const char *path)
{
    char values[200];

    list_column(file, path);
    LIST_OFFSETS(file, path, 0, 2, 2, 3, 9, 1);
    (void)snprintf(values, sizeof values, "%s/VALUES", path);
    list_dataset(file, values, H5T_STD_I32LE, 5, (const int32_t[]){1, 2, 3, 4, 5}, NULL);
}

static const char *rows_of(hid_t file, const char *name, uint64_t n)
{
    stoa_table *const table = open_table(file, "/t");
    const char *const text = list_text(stoa_table_find(table, name), 0, n);

    stoa_table_close(table);
    return text;
}

/* Reading the column fails and names it; the other column answers, and so does `info`. */
static void expect_refused(hid_t file, const char *name, const char *says)
{
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray rows = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    char path[100];

    CHECK(stoa_table_find(table, name) != NULL);
    CHECK(stoa_column_schema(stoa_table_find(table, name), &schema, &err) != STOA_OK ||
          stoa_column_read(stoa_table_find(table, name), 0, stoa_table_n_rows(table), &rows,
                           &err) != STOA_OK);
    (void)snprintf(path, sizeof path, "/t/%s", name);
    CHECK_CONTAINS(err.where, path);
    CHECK_CONTAINS(err.message, says);
    CHECK(rows.release == NULL);
    stoa_schema_release(&schema);
    CHECK_STR(list_text(stoa_table_find(table, "id"), 0, 2), "10 11");
    stoa_table_close(table);
}

/* ---- What is a column ----------------------------------------------------------------------- */

static void list_columns_are_columns_in_their_order(void)
{
    const hid_t file = table_of(3);

    put_numbers(file, "/t/b");
    put_numbers(file, "/t/z");
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));
    CHECK_OK(stoa_attribute_delete(group, "column-order", NULL));
    stoa_table *table = open_table(file, "/t");
    CHECK_U64(stoa_table_n_columns(table), 3);
    CHECK_U64(stoa_table_n_left_out(table), 0);
    CHECK_STR(stoa_column_name(stoa_table_column(table, 0)), "b");
    CHECK_STR(stoa_column_name(stoa_table_column(table, 1)), "id");
    CHECK_STR(stoa_column_name(stoa_table_column(table, 2)), "z");
    stoa_table_close(table);

    CHECK_OK(stoa_attribute_write_names(group, "column-order",
                                        (const char *const[]){"z", "id", "b"}, 3, NULL));
    CHECK_H5(H5Gclose(group));
    table = open_table(file, "/t");
    CHECK_STR(stoa_column_name(stoa_table_column(table, 0)), "z");
    CHECK_STR(stoa_column_name(stoa_table_column(table, 2)), "b");
    stoa_table_close(table);
    H5Fclose(file);
}

/* CLASS is a string of variable length, KIND one that is padded with blanks (§7.1). */
static void classes_are_recognized_in_any_form_of_string(void)
{
    const hid_t file = table_of(3);
    const hid_t variable = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t padded = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const char *const class = "LIST_COLUMN";

    put_numbers(file, "/t/v");
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t/v", H5P_DEFAULT));
    CHECK_H5(H5Adelete(group, "CLASS"));
    CHECK_H5(H5Adelete(group, "KIND"));
    CHECK_H5(H5Tset_size(variable, H5T_VARIABLE));
    CHECK_H5(H5Tset_size(padded, 20));
    CHECK_H5(H5Tset_strpad(padded, H5T_STR_SPACEPAD));
    hid_t made = CHECK_H5(H5Acreate2(group, "CLASS", variable, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(made, variable, &class));
    CHECK_H5(H5Aclose(made));
    made = CHECK_H5(H5Acreate2(group, "KIND", padded, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(made, padded, "OFFSETS             "));
    CHECK_H5(H5Aclose(made));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Tclose(variable));
    CHECK_H5(H5Tclose(padded));
    CHECK_H5(H5Sclose(space));
    CHECK_STR(rows_of(file, "v", 3), "[1,2] [] [3]");
    H5Fclose(file);
}

static bool count_columns(void *context, const stoa_object *object)
{
    *(stoa_object *)context = *object;
    return true;
}

static void a_listing_counts_them_and_the_bytes_of_their_members(void)
{
    const hid_t file = table_of(3);
    stoa_object before;
    stoa_object after;

    CHECK_OK(stoa_place_visit(file, count_columns, &before, NULL));
    put_numbers(file, "/t/v");
    CHECK_OK(stoa_place_visit(file, count_columns, &after, NULL));
    CHECK_U64(after.n_columns, before.n_columns + 1);
    CHECK_U64(after.n_bytes, before.n_bytes + 6 * 8 + 5 * 4);
    CHECK(after.left_out == NULL);
    H5Fclose(file);
}

/* ---- What they hold ------------------------------------------------------------------------- */

static void rows_are_read_from_any_row_on(void)
{
    const hid_t file = table_of(3);

    put_numbers(file, "/t/v");
    stoa_table *const table = open_table(file, "/t");
    stoa_column *const column = stoa_table_find(table, "v");
    struct ArrowArray rows = {.release = NULL};
    CHECK_STR(list_text(column, 0, 3), "[1,2] [] [3]");
    CHECK_STR(list_text(column, 1, 2), "[] [3]");
    CHECK_STR(list_text(column, 2, 1), "[3]");
    CHECK_STR(list_text(column, 3, 0), "");
    CHECK_STATUS(STOA_ERANGE, stoa_column_read(column, 2, 2, &rows, NULL));
    stoa_table_close(table);
    H5Fclose(file);
}

/* MASK wins over a slice that should be empty, and its elements count (fact sheet, A1). */
static void missing_lists_and_elements_are_nulls(void)
{
    const hid_t file = table_of(4);
    const float fill = NAN;

    list_column(file, "/t/v");
    LIST_OFFSETS(file, "/t/v", 0, 2, 2, 3, 4);
    LIST_MASK(file, "/t/v", 1, 0, 0, 1, 0);
    list_dataset(file, "/t/v/VALUES", H5T_IEEE_F32LE, 4, (const float[]){1.5f, NAN, 7, -2}, &fill);
    CHECK_STR(rows_of(file, "v", 4), "[1.5,null] null null [-2.0]");
    H5Fclose(file);
}

static void lists_of_lists_have_a_mask_at_each_level(void)
{
    const hid_t file = table_of(4);

    list_column(file, "/t/v");
    LIST_OFFSETS(file, "/t/v", 0, 2, 2, 2, 5);
    LIST_MASK(file, "/t/v", 1, 1, 0, 1);
    list_column(file, "/t/v/VALUES");
    LIST_OFFSETS(file, "/t/v/VALUES", 0, 1, 3, 3, 3, 4);
    LIST_MASK(file, "/t/v/VALUES", 1, 1, 0, 1, 1);
    list_dataset(file, "/t/v/VALUES/VALUES", H5T_STD_I16BE, 4, (const int16_t[]){1, 2, 3, 4}, NULL);
    const hid_t values = CHECK_H5(H5Dopen2(file, "/t/v/VALUES/VALUES", H5P_DEFAULT));
    CHECK_H5(H5Dwrite(values, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                      (const int16_t[]){1, 2, 3, 4}));
    CHECK_H5(H5Dclose(values));
    CHECK_STR(rows_of(file, "v", 4), "[[1],[2,3]] [] null [null,[],[4]]");
    H5Fclose(file);
}

static void strings_are_offsets_and_bytes(void)
{
    const hid_t file = table_of(3);

    list_column(file, "/t/v");
    LIST_OFFSETS(file, "/t/v", 0, 3, 3, 5);
    list_group(file, "/t/v/VALUES", "STRING_VALUES", NULL);
    LIST_OFFSETS(file, "/t/v/VALUES", 0, 2, 2, 2, 3, 6);
    LIST_MASK(file, "/t/v/VALUES", 1, 1, 0, 1, 1);
    list_dataset(file, "/t/v/VALUES/CHARS", H5T_STD_U8LE, 9, "ab?\xe6\x9d\x8e___", NULL);
    stoa_table *const table = open_table(file, "/t");
    stoa_column *const column = stoa_table_find(table, "v");
    CHECK_STR(list_text(column, 0, 3), "['ab','',null] [] ['?','\xe6\x9d\x8e']");
    CHECK_STR(list_text(column, 2, 1), "['?','\xe6\x9d\x8e']");
    CHECK(stoa_list_leaf(column)->list->is_text);
    stoa_table_close(table);
    H5Fclose(file);
}

/* §12.3: an append writes the values first and the OFFSETS of the rows last. */
static void members_come_in_the_order_of_an_append(void)
{
    const hid_t file = table_of(2);
    static const char *const names[] = {"CHARS", "MASK", "OFFSETS", "MASK", "OFFSETS"};
    stoa_members members;

    list_column(file, "/t/v");
    LIST_OFFSETS(file, "/t/v", 0, 1, 1);
    LIST_MASK(file, "/t/v", 1, 0);
    list_group(file, "/t/v/VALUES", "STRING_VALUES", NULL);
    LIST_OFFSETS(file, "/t/v/VALUES", 0, 2);
    LIST_MASK(file, "/t/v/VALUES", 1);
    list_dataset(file, "/t/v/VALUES/CHARS", H5T_STD_U8LE, 2, "ab", NULL);
    stoa_table *const table = open_table(file, "/t");
    stoa_column *const column = stoa_table_find(table, "v");
    stoa_members_of(column, &members);
    CHECK_U64(members.n, 5);
    for (size_t i = 0; i < members.n; i++) {
        CHECK_STR(members.items[i].column->name, names[i]);
        CHECK(members.items[i].level == (i < 3 ? column->list->values : column));
    }
    stoa_column *const id = stoa_table_find(table, "id");
    stoa_members_of(id, &members);
    CHECK(members.n == 1 && members.items[0].column == id && members.items[0].level == NULL);
    stoa_table_close(table);
    H5Fclose(file);
}

static void values_are_presented_as_columns_are(void)
{
    typedef struct point {
        int32_t x;
        double y;
    } point;
    const hid_t file = table_of(2);
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(point)));
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    hid_t boolean = H5I_INVALID_HID;

    CHECK_H5(H5Tinsert(type, "x", offsetof(point, x), H5T_NATIVE_INT32));
    CHECK_H5(H5Tinsert(type, "y", offsetof(point, y), H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tset_size(text, 2));
    CHECK_OK(stoa_boolean_type(&boolean, NULL));
    for (const char *const *name = (const char *const[]){"p", "s", "b", "w", NULL}; *name != NULL;
         name++) {
        char path[20];
        (void)snprintf(path, sizeof path, "/t/%s", *name);
        list_column(file, path);
        LIST_OFFSETS(file, path, 0, 1, 2);
    }
    list_dataset(file, "/t/p/VALUES", type, 2, (const point[]){{1, 2}, {0, 0}}, &(point){0, 0});
    list_dataset(file, "/t/s/VALUES", text, 2, "a\0\0\0", "\0\0");
    list_dataset(file, "/t/b/VALUES", boolean, 2, (const int8_t[]){1, 0}, &(int8_t){0});
    list_dataset(file, "/t/w/VALUES", H5T_STD_I64LE, 2, (const int64_t[]){60, -1}, NULL);
    write_text(file, "/t/w", "units", "seconds since 1970-01-01T00:00:00Z");
    stoa_table *const table = open_table(file, "/t");
    CHECK_STR(list_text(stoa_table_find(table, "p"), 0, 2), "[{x:1,y:2.0}] [null]");
    CHECK_STR(list_text(stoa_table_find(table, "s"), 0, 2), "['a'] [null]");
    CHECK_STR(list_text(stoa_table_find(table, "b"), 0, 2), "[1] [0]"); /* FALSE is not missing */
    CHECK_STR(list_text(stoa_table_find(table, "w"), 0, 2), "[60] [-1]");
    struct ArrowSchema schema;
    CHECK_OK(stoa_column_schema(stoa_table_find(table, "w"), &schema, NULL));
    CHECK_STR(schema.format, "+l");
    CHECK_STR(schema.children[0]->format, "tss:UTC");
    stoa_schema_release(&schema);
    CHECK_OK(stoa_column_schema(stoa_table_find(table, "b"), &schema, NULL));
    CHECK_STR(schema.children[0]->format, "b");
    stoa_schema_release(&schema);
    stoa_table_close(table);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Tclose(boolean));
    H5Fclose(file);
}

/* Units are those of the elements (§9.6), and may be on the group or on the innermost values. */
static void units_of_values_are_those_of_the_column(void)
{
    const hid_t file = table_of(3);
    char *units = NULL;
    struct ArrowSchema schema;

    put_numbers(file, "/t/v");
    put_numbers(file, "/t/w");
    write_text(file, "/t/v/VALUES", "units", "mm");
    write_text(file, "/t/w", "units", "cm");
    write_text(file, "/t/w", "description", "hits");
    stoa_table *const table = open_table(file, "/t");
    for (int i = 0; i < 2; i++) {
        CHECK_OK(stoa_column_schema(stoa_table_find(table, i == 0 ? "v" : "w"), &schema, NULL));
        CHECK_OK(stoa_schema_get_text(&schema, "units", &units, NULL));
        CHECK_STR(units, i == 0 ? "mm" : "cm");
        free(units);
        /* What is on the group is not repeated. */
        CHECK_OK(stoa_schema_get_text(schema.children[0], "units", &units, NULL));
        CHECK(i == 0 ? strcmp(units, "mm") == 0 : units == NULL);
        free(units);
        stoa_schema_release(&schema);
    }
    stoa_table_close(table);
    H5Fclose(file);
}

static void no_rows_are_one_offset(void)
{
    const hid_t file = table_of(0);

    list_column(file, "/t/v");
    LIST_OFFSETS(file, "/t/v", 0);
    list_dataset(file, "/t/v/VALUES", H5T_STD_I8LE, 0, NULL, NULL);
    CHECK_STR(rows_of(file, "v", 0), "");
    H5Fclose(file);
}

static void storage_is_that_of_all_members(void)
{
    const hid_t file = table_of(3);
    stoa_column_storage storage = STOA_COLUMN_STORAGE_INIT;

    put_numbers(file, "/t/v");
    stoa_table *const table = open_table(file, "/t");
    CHECK_OK(stoa_column_storage_of(stoa_table_find(table, "v"), &storage, NULL));
    CHECK_STR(storage.datatype, "list of int32");
    CHECK_STR(storage.layout, "contiguous");
    CHECK_U64(storage.extent, 5);
    CHECK_U64(storage.chunk_rows, 0);
    CHECK_U64(storage.n_stored_bytes, 6 * 8 + 5 * 4);
    CHECK_U64(storage.n_raw_bytes, 6 * 8 + 5 * 4);
    stoa_table_close(table);
    H5Fclose(file);
}

static void they_have_no_search_index(void)
{
    static const char *const kinds[] = {"minmax", "sorted", "bitmap", "bloom"};
    const hid_t file = table_of(3);
    const char *advice = "";

    put_numbers(file, "/t/v");
    stoa_table *const table = open_table(file, "/t");
    stoa_column *const column = stoa_table_find(table, "v");
    CHECK_OK(stoa_index_advise(table, "v", &advice, NULL));
    CHECK(advice == NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        stoa_error err = STOA_ERROR_INIT;
        CHECK_STATUS(
            STOA_EINVAL,
            stoa_index_build(table->group, column, stoa_index_kind_find(kinds[i]), 3, NULL, &err),
            &err);
        CHECK_CONTAINS(err.message, "a list column has no search index");
    }
    stoa_table_close(table);
    H5Fclose(file);
}

/* ---- What is wrong -------------------------------------------------------------------------- */

static void offsets_that_lie_are_refused_by_entry(void)
{
    const struct {
        uint64_t offsets[4];
        const char *says;
    } lies[] = {{{0, 2, 1, 3}, "OFFSETS descends, or is negative at entry 1"},
                {{0, 2, 6, 3}, "OFFSETS descends, or is negative at entry 2"},
                {{0, UINT64_MAX, 2, 3}, "OFFSETS descends, or is negative at entry 0"},
                {{0, UINT64_C(1) << 40, UINT64_C(1) << 40, 3}, "at entry 2"},
                {{1, 2, 3, 3}, "OFFSETS begins with 1, not 0"},
                {{0, 2, 3, 6}, "it has 5 elements, and 6 are needed"},
                {{0, 2, 3, UINT64_MAX}, "18446744073709551615 are needed"}};

    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        const hid_t file = table_of(3);
        list_column(file, "/t/v");
        list_offsets(file, "/t/v", 4, lies[i].offsets);
        list_dataset(file, "/t/v/VALUES", H5T_STD_I32LE, 5, (const int32_t[]){1, 2, 3, 4, 5}, NULL);
        expect_refused(file, "v", lies[i].says);
        H5Fclose(file);
    }
}

static void members_that_are_short_missing_or_of_another_type_are_refused(void)
{
    enum {
        SHORT_OFFSETS,
        NO_OFFSETS,
        FLOATS,
        NO_VALUES,
        MATRIX,
        SHORT_MASK,
        BYTES,
        STRUCTS,
        N_CASES
    };
    static const char *const says[] = {"3 elements, and 4 are needed",
                                       "no dataset OFFSETS",
                                       "not integers",
                                       "no dataset VALUES",
                                       "one dimension",
                                       "2 elements, and 3 are needed",
                                       "not of the boolean datatype",
                                       "not of the boolean datatype"};

    for (int i = 0; i < N_CASES; i++) {
        const hid_t file = table_of(3);
        const uint64_t offsets[] = {0, 2, 2, 3};
        const int32_t values[] = {1, 2, 3};
        list_column(file, "/t/v");
        if (i == FLOATS) {
            list_dataset(file, "/t/v/OFFSETS", H5T_IEEE_F64LE, 4, (const double[]){0, 2, 2, 3},
                         NULL);
        } else if (i != NO_OFFSETS) {
            list_offsets(file, "/t/v", i == SHORT_OFFSETS ? 3 : 4, offsets);
        }
        if (i == MATRIX) {
            const hid_t space = CHECK_H5(H5Screate_simple(2, (const hsize_t[]){3, 1}, NULL));
            const hid_t made = CHECK_H5(H5Dcreate2(file, "/t/v/VALUES", H5T_STD_I32LE, space,
                                                   H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            CHECK_H5(H5Dclose(made));
            CHECK_H5(H5Sclose(space));
        } else if (i != NO_VALUES) {
            list_dataset(file, "/t/v/VALUES", H5T_STD_I32LE, 3, values, NULL);
        }
        if (i == BYTES) {
            list_dataset(file, "/t/v/MASK", H5T_STD_I8LE, 3, (const int8_t[]){1, 1, 1}, NULL);
        } else if (i == STRUCTS) {
            const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 1));
            CHECK_H5(H5Tinsert(type, "TRUE", 0, H5T_STD_I8LE));
            list_dataset(file, "/t/v/MASK", type, 3, (const int8_t[]){1, 1, 1}, NULL);
            CHECK_H5(H5Tclose(type));
        } else if (i == SHORT_MASK) {
            LIST_MASK(file, "/t/v", 1, 1);
        }
        expect_refused(file, "v", says[i]);
        H5Fclose(file);
    }
}

static void a_mask_of_another_number_is_refused_by_entry(void)
{
    const hid_t file = table_of(3);

    put_numbers(file, "/t/v");
    LIST_MASK(file, "/t/v", 1, 1, 3);
    expect_refused(file, "v", "MASK is 3 at entry 2");
    H5Fclose(file);
}

static void other_kinds_and_classes_are_refused_by_name(void)
{
    const hid_t file = table_of(2);

    list_group(file, "/t/k", "LIST_COLUMN", "RAGGED");
    list_group(file, "/t/n", "LIST_COLUMN", NULL);
    list_column(file, "/t/v");
    LIST_OFFSETS(file, "/t/v", 0, 0, 0);
    list_group(file, "/t/v/VALUES", "STRINGS", NULL);
    expect_refused(file, "k", "KIND 'RAGGED'");
    expect_refused(file, "n", "KIND ''");
    expect_refused(file, "v", "neither LIST_COLUMN nor STRING_VALUES");
    H5Fclose(file);
}

/* A hard link makes it hold itself. */
static void endless_nesting_ends(void)
{
    const hid_t file = table_of(2);
    stoa_object listed;

    list_column(file, "/t/v");
    LIST_OFFSETS(file, "/t/v", 0, 0, 0);
    CHECK_H5(H5Lcreate_hard(file, "/t/v", file, "/t/v/VALUES", H5P_DEFAULT, H5P_DEFAULT));
    expect_refused(file, "v", "nested deeper than 32 levels");
    CHECK_OK(stoa_place_visit(file, count_columns, &listed, NULL));
    CHECK_H5(H5Ldelete(file, "/t/v/VALUES", H5P_DEFAULT));
    H5Fclose(file);
}

/* One list claims 2^40 values, of which none was written. */
static void values_that_were_never_written_are_not_allocated(void)
{
    const hid_t file = table_of(2);
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hsize_t extent = (hsize_t)1 << 40;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, NULL));

    list_column(file, "/t/v");
    LIST_OFFSETS(file, "/t/v", 0, 0, (uint64_t)1 << 40);
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){1 << 20}));
    const hid_t made = CHECK_H5(
        H5Dcreate2(file, "/t/v/VALUES", H5T_STD_I64LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dclose(made));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    expect_refused(file, "v", "hardly any was ever written");
    H5Fclose(file);
}

/* ---- Threads -------------------------------------------------------------------------------- */

enum { ROWS = 200000 };

/* Row i has i % 4 values, which count on through the file; those that are 5 of 7 are missing, and
 * so is every 11th list, which is empty. */
static void write_long(const char *name)
{
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    batch b = batch_begin(1, ROWS);
    int64_t *const ids = calloc(ROWS, sizeof *ids);
    uint64_t *const offsets = calloc(ROWS + 1, sizeof *offsets);
    int8_t *const mask = calloc(ROWS, sizeof *mask);
    int32_t *const values = calloc((size_t)ROWS * 4, sizeof *values);
    const int32_t fill = INT32_MIN;

    CHECK(ids != NULL && offsets != NULL && mask != NULL && values != NULL);
    for (int i = 0; i < ROWS; i++) {
        mask[i] = i % 11 != 0;
        offsets[i + 1] = offsets[i] + (uint64_t)(mask[i] != 0 ? i % 4 : 0);
    }
    for (uint64_t i = 0; i < offsets[ROWS]; i++) {
        values[i] = i % 7 == 5 ? fill : (int32_t)i;
    }
    batch_integers(&b, 0, "id", "l", ids, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    list_column(file, "/t/v");
    list_offsets(file, "/t/v", ROWS + 1, offsets);
    list_mask(file, "/t/v", ROWS, mask);
    list_dataset(file, "/t/v/VALUES", H5T_STD_I32LE, offsets[ROWS], values, &fill);
    CHECK_H5(H5Fclose(file));
    free(ids);
    free(offsets);
    free(mask);
    free(values);
}

/* Check rows from *row on, whose values begin with *value. */
static bool has_rows(const struct ArrowArray *rows, int64_t *row, int64_t *value)
{
    const int32_t *const offsets = rows->buffers[1];
    const struct ArrowArray *const items = rows->children[0];
    const int32_t *const values = items->buffers[1];
    bool has = true;

    for (int64_t i = rows->offset; has && i < rows->offset + rows->length; i++, ++*row) {
        const bool is_missing = *row % 11 == 0;
        has = offsets[i + 1] - offsets[i] == (is_missing ? 0 : *row % 4) &&
              stoa_bit_get(rows->buffers[0], (uint64_t)i) == !is_missing;
        for (int32_t k = offsets[i]; has && k < offsets[i + 1]; k++, ++*value) {
            const bool is_null =
                items->buffers[0] != NULL && !stoa_bit_get(items->buffers[0], (uint64_t)k);
            has = is_null == (*value % 7 == 5) && (is_null || values[k] == *value);
        }
    }
    return has;
}

static void lists_are_read_past_libhdf5_by_all_threads(void)
{
    const char *const name = check_path("long.h5");
    struct ArrowArray part;

    write_long(name);
    for (unsigned turn = 0; turn < 3; turn++) {
        stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
        stoa_open_options how = STOA_OPEN_OPTIONS_INIT;
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArrayStream stream;
        stoa_table *table = NULL;
        stoa_query *query = NULL;
        int64_t row = 0;
        int64_t value = 0;
        const hid_t file =
            CHECK_H5(H5Fopen(name, turn == 2 ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT));
        how.map = turn == 1;
        CHECK_OK(stoa_table_open_with(file, "/t", &how, &table, &err), &err);
        const stoa_column_source *const source = &stoa_table_find(table, "v")->source;
        bool is_free = turn == 2;
        CHECK_OK(source->prepare(source->context, table->read_context, &is_free, &err), &err);
        CHECK(is_free == (turn != 2));
        options.columns = "v";
        options.threads = 3;
        CHECK_OK(stoa_query_open(table, &options, &query, &err), &err);
        CHECK_OK(stoa_query_run(query, &stream, &err), &err);
        for (;;) {
            CHECK_OK(stoa_stream_next(&stream, &part, &err), &err);
            if (part.release == NULL) {
                break;
            }
            CHECK(has_rows(part.children[0], &row, &value));
            part.release(&part);
        }
        CHECK_I64(row, ROWS);
        stoa_stream_release(&stream);
        stoa_query_close(query);
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

TEST_MAIN(TEST(list_columns_are_columns_in_their_order),
          TEST(classes_are_recognized_in_any_form_of_string),
          TEST(a_listing_counts_them_and_the_bytes_of_their_members),
          TEST(rows_are_read_from_any_row_on), TEST(missing_lists_and_elements_are_nulls),
          TEST(lists_of_lists_have_a_mask_at_each_level), TEST(strings_are_offsets_and_bytes),
          TEST(members_come_in_the_order_of_an_append), TEST(values_are_presented_as_columns_are),
          TEST(units_of_values_are_those_of_the_column), TEST(no_rows_are_one_offset),
          TEST(storage_is_that_of_all_members), TEST(they_have_no_search_index),
          TEST(offsets_that_lie_are_refused_by_entry),
          TEST(members_that_are_short_missing_or_of_another_type_are_refused),
          TEST(a_mask_of_another_number_is_refused_by_entry),
          TEST(other_kinds_and_classes_are_refused_by_name), TEST(endless_nesting_ends),
          TEST(values_that_were_never_written_are_not_allocated),
          TEST(lists_are_read_past_libhdf5_by_all_threads))
