/* Edits of tables that have list columns (HEP001-2026-07 §9, §12.5):
 * src/column/write/rewrite_list.c, copy_list.c, src/table/edit. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "table/edited.h"
#include "table/list_kit.h"
#include "table/open/table.h"

/* ---- A table -------------------------------------------------------------------------------- */

enum { N_ROWS = 5 };

static const char *const v_rows[] = {"[1,2]", "null", "[]", "[3,null,4]", "[5]"};
static const char *const w_rows[] = {"[[1],[]]", "[null,[2,3]]", "null", "[]", "[[4,5,6]]"};
static const char *const s_rows[] = {"['a','bc']", "[]", "[null,'']", "['d']", "null"};

static void put_order(hid_t file, const char *const *names, size_t n)
{
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));

    CHECK_OK(stoa_attribute_write_names(group, "column-order", names, n, NULL));
    CHECK_H5(H5Gclose(group));
    check_conformant(file, "/t");
}

static hid_t table_in(hid_t file)
{
    batch b = batch_begin(1, N_ROWS);

    batch_integers(&b, 0, "id", "l", (int64_t[]){0, 1, 2, 3, 4}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    list_column(file, "/t/v");
    LIST_OFFSETS(file, "/t/v", 0, 2, 2, 2, 5, 6, 99, 1); /* and two that are reserved */
    LIST_MASK(file, "/t/v", 1, 0, 1, 1, 1);
    list_dataset(
        file, "/t/v/VALUES", H5T_STD_I32BE, 8,
        (const int32_t[]){0x01000000, 0x02000000, 0x03000000, 0x80, 0x04000000, 0x05000000, 7, 7},
        &(int32_t){0x80});
    list_column(file, "/t/w");
    LIST_OFFSETS(file, "/t/w", 0, 2, 4, 4, 4, 5);
    LIST_MASK(file, "/t/w", 1, 1, 0, 1, 1);
    list_column(file, "/t/w/VALUES");
    LIST_OFFSETS(file, "/t/w/VALUES", 0, 1, 1, 1, 3, 6);
    LIST_MASK(file, "/t/w/VALUES", 1, 1, 0, 1, 1);
    list_dataset(file, "/t/w/VALUES/VALUES", H5T_STD_I64LE, 6, (const int64_t[]){1, 2, 3, 4, 5, 6},
                 &(int64_t){-1});
    list_column(file, "/t/s");
    LIST_OFFSETS(file, "/t/s", 0, 2, 2, 4, 5, 5);
    LIST_MASK(file, "/t/s", 1, 1, 1, 1, 0);
    list_group(file, "/t/s/VALUES", "STRING_VALUES", NULL);
    LIST_OFFSETS(file, "/t/s/VALUES", 0, 1, 3, 3, 3, 4);
    LIST_MASK(file, "/t/s/VALUES", 1, 1, 0, 1, 1);
    list_dataset(file, "/t/s/VALUES/CHARS", H5T_STD_U8LE, 4, "abcd", NULL);
    put_order(file, (const char *const[]){"id", "v", "w", "s"}, 4);
    return file;
}

static hid_t new_table(void)
{
    return table_in(new_file());
}

/* The texts of the rows whose numbers are given, as list_text() puts them together. */
static const char *texts_of(const char *const *rows, const size_t *numbers, size_t n)
{
    static char text[400];

    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        (void)strcat(strcat(text, i > 0 ? " " : ""), rows[numbers[i]]);
    }
    return text;
}

static void expect_lists(stoa_table *table, const char *name, const char *const *rows,
                         const size_t *numbers, size_t n)
{
    CHECK_STR(list_text(stoa_table_find(table, name), 0, n), texts_of(rows, numbers, n));
}

/* The list columns have these rows of those that were made, in this handle and in another one. */
static void expect_rows(stoa_table *table, const size_t *numbers, size_t n)
{
    CHECK_U64(stoa_table_n_rows(table), n);
    expect_lists(table, "v", v_rows, numbers, n);
    expect_lists(table, "w", w_rows, numbers, n);
    expect_lists(table, "s", s_rows, numbers, n);
}
#define EXPECT_ROWS(table, ...)                                                                    \
    expect_rows((table), (const size_t[]){__VA_ARGS__},                                            \
                sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))

static const size_t all_rows[] = {0, 1, 2, 3, 4};

/* The same in a new handle; then both are closed. */
static void close_lists(stoa_table *table, hid_t file, const size_t *numbers, size_t n)
{
    stoa_table_close(table);
    table = open_table(file, "/t");
    expect_rows(table, numbers, n);
    close_table(table, file);
}
#define CLOSE_LISTS(table, file, ...)                                                              \
    close_lists((table), (file), (const size_t[]){__VA_ARGS__},                                    \
                sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))

static hsize_t extent_of(hid_t file, const char *path)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    hsize_t extent = 0;

    CHECK_H5(H5Sget_simple_extent_dims(space, &extent, NULL));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    return extent;
}

/* ---- Edits of other columns ----------------------------------------------------------------- */

static void other_columns_are_edited_and_lists_stay(void)
{
    const hid_t file = new_table();
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;
    const H5O_token_t lists = token_of(file, "/t/v");
    const H5O_token_t values = token_of(file, "/t/v/VALUES");
    struct ArrowArrayStream stream;
    batch more = batch_begin(1, N_ROWS);
    const stoa_column_options chunks = {.column = "x", .codec = "zstd", .chunk_rows = 2};

    CHECK_U64(update(table, "length(v) > 1", "id", "id + 10"), 2);
    EXPECT(table, "id", "10", "1", "2", "13", "4");
    batch_floats(&more, 0, "x", "g", (double[]){1, 2, 3, 4, 5}, NULL);
    stream_of(&more, 1, &stream);
    CHECK_OK(stoa_column_add(table, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_U64(extent(table, "x"), N_ROWS);
    CHECK_OK(stoa_index_add(table, "id", "minmax", NULL, &err), &err);
    CHECK_OK(stoa_column_set_storage(table, &chunks, NULL, &err), &err);
    CHECK_OK(stoa_column_rename(table, "x", "y", &err), &err);
    CHECK_OK(stoa_table_annotate(table, NULL, "TITLE", "lists", &err), &err);
    CHECK_OK(stoa_table_label_rows(table, (const char *const[]){"id"}, 1, &err), &err);
    CHECK_OK(stoa_column_reorder(table, (const char *const[]){"w", "y"}, 2, &err), &err);
    CHECK_STR(stoa_column_name(stoa_table_column(table, 0)), "w");
    CHECK_OK(stoa_column_drop(table, "y", &err), &err);
    CHECK_U64(update(table, "id = 13", "id", "null"), 1);
    EXPECT(table, "id", "10", "1", "2", "null", "4");
    CHECK_U64(n_indexes(table), 1);
    CHECK_OK(stoa_index_drop(table, "id", NULL, &err), &err);
    const H5O_token_t lists_now = token_of(file, "/t/v");
    const H5O_token_t values_now = token_of(file, "/t/v/VALUES");
    CHECK_SAME_OBJECT(lists, lists_now);
    CHECK_SAME_OBJECT(values, values_now);
    expect_rows(table, all_rows, N_ROWS);
    close_lists(table, file, all_rows, N_ROWS);
}

static void list_columns_are_renamed_ordered_described_and_dropped(void)
{
    const hid_t file = new_table();
    stoa_table *table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_column_rename(table, "v", "hits", &err), &err);
    CHECK_OK(stoa_column_reorder(table, (const char *const[]){"s", "hits"}, 2, &err), &err);
    CHECK_OK(stoa_table_annotate(table, "hits", "description", "of a run", &err), &err);
    CHECK_OK(stoa_table_annotate(table, "hits", "units", "mm", &err), &err);
    CHECK_OK(stoa_column_drop(table, "w", &err), &err);
    CHECK(H5Lexists(file, "/t/w", H5P_DEFAULT) == 0);
    for (unsigned turn = 0; turn < 2; turn++) {
        CHECK_U64(stoa_table_n_columns(table), 3);
        CHECK_STR(stoa_column_name(stoa_table_column(table, 0)), "s");
        CHECK_STR(stoa_column_name(stoa_table_column(table, 1)), "hits");
        expect_lists(table, "hits", v_rows, all_rows, N_ROWS);
        CHECK_STR(stoa_table_find(table, "hits")->description, "of a run");
        CHECK_STR(stoa_table_find(table, "hits")->units, "mm");
        stoa_table_close(table);
        table = open_table(file, "/t");
    }
    close_table(table, file);
}

/* Units on the values are those that count for a program that looks only there. */
static void units_of_a_list_column_are_changed_on_its_values_too(void)
{
    const hid_t file = new_table();
    const hid_t values = CHECK_H5(H5Dopen2(file, "/t/w/VALUES/VALUES", H5P_DEFAULT));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_attribute_write_utf8(values, "units", "mm", NULL));
    stoa_table *const table = open_table(file, "/t");
    CHECK_OK(stoa_table_annotate(table, "w", "units", "km", &err), &err);
    CHECK(stoa_attribute_is(values, "units", "km"));
    CHECK_STR(stoa_table_find(table, "w")->units, "km");
    CHECK_OK(stoa_table_annotate(table, "w", "units", NULL, &err), &err);
    CHECK(!stoa_attribute_exists(values, "units"));
    CHECK(stoa_table_find(table, "w")->units == NULL);
    CHECK_H5(H5Dclose(values));
    close_lists(table, file, all_rows, N_ROWS);
}

static void what_no_list_column_can_have_is_refused(void)
{
    const hid_t file = new_table();
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;
    const stoa_column_options contiguous = {.column = "v", .chunk_rows = STOA_CONTIGUOUS};

    CHECK_STATUS(STOA_ETYPE,
                 stoa_table_label_rows(table, (const char *const[]){"id", "v"}, 2, &err), &err);
    CHECK_CONTAINS(err.message, "'v' is a list column");
    CHECK_STATUS(STOA_EINVAL, stoa_index_add(table, "v", "bloom", NULL, &err), &err);
    CHECK_STATUS(STOA_ETYPE, stoa_column_categorize(table, "v", true, NULL, &err), &err);
    CHECK_STATUS(STOA_ETYPE, stoa_table_annotate(table, "v", "valid_min", "0", &err), &err);
    CHECK_STATUS(STOA_EINVAL, stoa_table_annotate(table, "v", "SEARCH_INDEX_LIST", "0", &err),
                 &err);
    CHECK_STATUS(STOA_EINVAL, stoa_column_set_storage(table, &contiguous, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "list column");
    close_lists(table, file, all_rows, N_ROWS);
}

static void all_members_get_another_storage(void)
{
    static const char *const members[] = {"/t/w/OFFSETS", "/t/w/MASK", "/t/w/VALUES/OFFSETS",
                                          "/t/w/VALUES/MASK", "/t/w/VALUES/VALUES"};
    const hid_t file = new_table();
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;
    const stoa_column_options chunks = {.column = "w", .codec = "deflate", .chunk_rows = 3};

    CHECK_OK(stoa_column_set_storage(table, &chunks, NULL, &err), &err);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const hid_t dataset = CHECK_H5(H5Dopen2(file, members[i], H5P_DEFAULT));
        const hid_t dcpl = CHECK_H5(H5Dget_create_plist(dataset));
        hsize_t rows = 0;
        CHECK_I64(H5Pget_chunk(dcpl, 1, &rows), 1);
        CHECK_U64(rows, 3);
        CHECK(H5Pget_nfilters(dcpl) > 0);
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Dclose(dataset));
    }
    close_lists(table, file, all_rows, N_ROWS);
}

/* ---- Fewer rows ----------------------------------------------------------------------------- */

static void a_truncation_writes_nothing_but_nrows(void)
{
    const hid_t file = new_table();
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_truncate(table, 4, NULL, &err), &err);
    EXPECT_ROWS(table, 0, 1, 2, 3);
    CHECK_U64(extent_of(file, "/t/v/OFFSETS"), 8);
    CHECK_U64(delete_rows(table, "id = 0"), 1);
    EXPECT_ROWS(table, 1, 2, 3);
    CHECK_OK(stoa_table_truncate(table, 1, NULL, &err), &err);
    EXPECT_ROWS(table, 1);
    CLOSE_LISTS(table, file, 1);
}

static void a_table_without_rows_keeps_its_list_columns(void)
{
    const hid_t file = new_table();
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_truncate(table, 0, NULL, &err), &err);
    close_lists(table, file, all_rows, 0);
}

static void lists_of_rows_that_stay_move_up(void)
{
    static const struct {
        const char *where;
        size_t n;
        size_t rows[N_ROWS];
    } cases[] = {
        {"id = 0", 4, {1, 2, 3, 4}},
        {"id = 2", 4, {0, 1, 3, 4}},
        {"id = 4", 4, {0, 1, 2, 3}},
        {"id % 2 = 1", 3, {0, 2, 4}},
        {"id % 2 = 0", 2, {1, 3}},
        {"v is null or length(w) = 0", 3, {0, 2, 4}},
        {"any(v = 3) or s is null", 3, {0, 1, 2}},
        {"id >= 0", 0, {0}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hid_t file = new_table();
        stoa_table *const table = open_table(file, "/t");
        CHECK_U64(delete_rows(table, cases[i].where), N_ROWS - cases[i].n);
        expect_rows(table, cases[i].rows, cases[i].n);
        close_lists(table, file, cases[i].rows, cases[i].n);
    }
}

/* The datatypes, fill values and attributes of members stay, and their extents are what they hold.
 */
static void members_stay_what_they_are(void)
{
    const hid_t file = new_table();
    stoa_error err = STOA_ERROR_INIT;
    int32_t fill = 0;

    stoa_table *const table = open_table(file, "/t");
    CHECK_OK(stoa_table_annotate(table, "v", "description", "kept", &err), &err);
    CHECK_U64(delete_rows(table, "id = 1"), 1);
    CHECK_STR(stoa_table_find(table, "v")->description, "kept");
    const hid_t values = CHECK_H5(H5Dopen2(file, "/t/v/VALUES", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(values));
    const hid_t dcpl = CHECK_H5(H5Dget_create_plist(values));
    CHECK(H5Tequal(type, H5T_STD_I32BE) > 0);
    CHECK_H5(H5Pget_fill_value(dcpl, H5T_STD_I32BE, &fill));
    CHECK_I64(fill, 0x80);
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(values));
    CHECK_U64(extent_of(file, "/t/v/OFFSETS"), 6);
    CHECK_U64(extent_of(file, "/t/v/MASK"), 5);
    CHECK_U64(extent_of(file, "/t/v/VALUES"), 6);
    CLOSE_LISTS(table, file, 0, 2, 3, 4);
}

/* Whoever looks between the change of a list column and the commit of NROWS can read it. */
static void a_column_can_be_read_before_its_rows_are_committed(void)
{
    const hid_t file = new_table();
    stoa_table *table = open_table(file, "/t");

    CHECK_U64(delete_rows(table, "id < 2"), 2);
    stoa_table_close(table);
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));
    CHECK_OK(stoa_attribute_write_u64(group, "NROWS", N_ROWS, NULL));
    CHECK_H5(H5Gclose(group));
    check_conformant(file, "/t");
    table = open_table(file, "/t");
    CHECK_STR(list_text(stoa_table_find(table, "v"), 0, N_ROWS), "[] [3,null,4] [5] [] []");
    CHECK_STR(list_text(stoa_table_find(table, "w"), 0, N_ROWS), "null [] [[4,5,6]] [] []");
    close_table(table, file);
}

/* ---- Other lists ---------------------------------------------------------------------------- */

/* Columns whose lists go into v, w and s. */
static void put_others(hid_t file)
{
    list_column(file, "/t/u");
    LIST_OFFSETS(file, "/t/u", 0, 1, 1, 4, 6, 6);
    list_dataset(file, "/t/u/VALUES", H5T_STD_I16LE, 6, (const int16_t[]){9, -1, 300, 7, 5, 6},
                 &(int16_t){-1});
    list_column(file, "/t/x");
    LIST_OFFSETS(file, "/t/x", 0, 0, 0, 1, 1, 3);
    list_column(file, "/t/x/VALUES");
    LIST_OFFSETS(file, "/t/x/VALUES", 0, 2, 2, 3);
    list_dataset(file, "/t/x/VALUES/VALUES", H5T_STD_I64LE, 3, (const int64_t[]){7, 8, -1}, NULL);
    list_column(file, "/t/r");
    LIST_OFFSETS(file, "/t/r", 0, 0, 1, 1, 3, 3);
    list_group(file, "/t/r/VALUES", "STRING_VALUES", NULL);
    LIST_OFFSETS(file, "/t/r/VALUES", 0, 3, 3, 5);
    list_dataset(file, "/t/r/VALUES/CHARS", H5T_STD_U8LE, 5, "xyz\303\244", NULL);
    put_order(file, (const char *const[]){"id", "v", "w", "s", "u", "x", "r"}, 7);
}

static stoa_table *open_others(hid_t file)
{
    put_others(file);
    return open_table(file, "/t");
}

static void expect_text(stoa_table *table, const char *name, const char *text)
{
    CHECK_STR(list_text(stoa_table_find(table, name), 0, stoa_table_n_rows(table)), text);
}

static void lists_are_replaced_by_those_of_another_column(void)
{
    const hid_t file = new_table();
    stoa_table *table = open_others(file);
    const stoa_assignment all[] = {{"v", "u"}, {"w", "x"}, {"s", "r"}, {"id", "id + 100"}};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;

    CHECK_OK(stoa_index_add(table, "id", "minmax", NULL, &err), &err);
    CHECK_OK(stoa_table_update(table, "id >= 3 or v is null", all, 4, NULL, &n, &err), &err);
    CHECK_U64(n, 3);
    for (unsigned turn = 0; turn < 2; turn++) {
        EXPECT(table, "id", "0", "101", "2", "103", "104");
        expect_text(table, "v", "[1,2] [] [] [5,6] []");
        expect_text(table, "w", "[[1],[]] [] null [] [[],[-1]]");
        expect_text(table, "s", "['a','bc'] ['xyz'] [null,''] ['','\303\244'] []");
        expect_text(table, "u", "[9] [] [null,300,7] [5,6] []");
        CHECK_U64(n_indexes(table), 1);
        stoa_table_close(table);
        table = open_table(file, "/t");
    }
    close_table(table, file);
}

static void columns_exchange_their_lists(void)
{
    const hid_t file = new_table();
    stoa_table *table = open_others(file);
    const stoa_assignment both[] = {{"w", "x"}, {"x", "w"}};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_update(table, "id > 0", both, 2, NULL, NULL, &err), &err);
    expect_text(table, "w", "[[1],[]] [] [[7,8]] [] [[],[-1]]");
    expect_text(table, "x", "[] [null,[2,3]] null [] [[4,5,6]]");
    close_table(table, file);
}

/* -1 is the fill value of the lists of w, and a value of x. */
static void a_value_that_was_the_fill_gets_another_one(void)
{
    const hid_t file = new_table();
    stoa_table *table = open_others(file);

    CHECK_U64(update(table, NULL, "w", "x"), N_ROWS);
    expect_text(table, "w", "[] [] [[7,8]] [] [[],[-1]]");
    CHECK_U64(update(table, NULL, "x", "w"), N_ROWS);
    expect_text(table, "x", "[] [] [[7,8]] [] [[],[-1]]");
    close_table(table, file);
}

static void values_that_do_not_fit_widen_the_others(void)
{
    const hid_t file = new_table();
    stoa_table *table = open_others(file);

    CHECK_U64(update(table, "id < 4", "u", "v"), 4); /* the fill of v is no int16 */
    expect_text(table, "u", "[1,2] null [] [3,null,4] []");
    close_table(table, file);
}

static void write_bound(hid_t file, const char *path, const char *name, uint8_t value)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));

    CHECK_OK(
        stoa_attribute_write_scalar(dataset, name, H5T_STD_U8LE, H5T_NATIVE_UINT8, &value, NULL));
    CHECK_H5(H5Dclose(dataset));
}

/* FALSE and TRUE become bytes, and numbers get a fill value. */
static void values_without_a_fill_become_missing(void)
{
    const hid_t file = new_table();
    hid_t boolean = H5I_INVALID_HID;

    list_column(file, "/t/y");
    LIST_OFFSETS(file, "/t/y", 0, 1, 1, 3, 3, 3);
    list_dataset(file, "/t/y/VALUES", H5T_STD_I16LE, 3, (const int16_t[]){1, 2, INT16_MIN}, NULL);
    list_column(file, "/t/b");
    LIST_OFFSETS(file, "/t/b", 0, 2, 2, 2, 2, 3);
    CHECK_OK(stoa_boolean_type(&boolean, NULL));
    list_dataset(file, "/t/b/VALUES", boolean, 3, (const int8_t[]){1, 0, 1}, NULL);
    CHECK_H5(H5Tclose(boolean));
    list_column(file, "/t/c");
    LIST_OFFSETS(file, "/t/c", 0, 1, 1, 3, 3, 3);
    list_dataset(file, "/t/c/VALUES", H5T_STD_U8LE, 3, (const uint8_t[]){0, 255, 1},
                 &(uint8_t){255});
    write_bound(file, "/t/c/VALUES", "valid_min", 0);
    write_bound(file, "/t/c/VALUES", "valid_max", 1);
    put_order(file, (const char *const[]){"id", "v", "w", "s", "y", "b", "c"}, 7);
    stoa_table *table = open_table(file, "/t");
    CHECK_U64(update(table, "id = 0 or id = 3", "y", "v"), 2);
    expect_text(table, "y", "[1,2] [] [2,-32768] [3,null,4] []");
    CHECK_U64(update(table, "id = 2", "b", "c"), 1);
    expect_text(table, "b", "[1,0] [] [null,1] [] [1]");
    close_table(table, file);
}

static void a_missing_list_makes_a_mask(void)
{
    const hid_t file = new_table();
    stoa_table *table = open_others(file);

    CHECK(H5Lexists(file, "/t/u/MASK", H5P_DEFAULT) == 0);
    CHECK_U64(update(table, "id = 2 or id = 4", "u", "null"), 2);
    expect_text(table, "u", "[9] [] null [5,6] null");
    CHECK(H5Lexists(file, "/t/u/MASK", H5P_DEFAULT) > 0);
    CHECK_U64(update(table, NULL, "r", "null"), N_ROWS);
    expect_text(table, "r", "null null null null null");
    CHECK_U64(update(table, "id = 0", "r", "s"), 1);
    expect_text(table, "r", "['a','bc'] null null null null");
    close_table(table, file);
}

static void what_is_no_list_of_the_kind_is_refused(void)
{
    const hid_t file = new_table();
    stoa_table *const table = open_others(file);

    refuse_update(table, "v", "id", STOA_ETYPE, "does not go into column 'v'");
    refuse_update(table, "v", "3", STOA_ETYPE, "does not go into column 'v'");
    refuse_update(table, "v", "s", STOA_ETYPE, "");
    refuse_update(table, "s", "v", STOA_ETYPE, "");
    refuse_update(table, "v", "w", STOA_ETYPE, "");
    refuse_update(table, "w", "v", STOA_ETYPE, "");
    refuse_update(table, "id", "v", STOA_ETYPE, "does not go into column 'id'");
    close_lists(table, file, all_rows, N_ROWS);
}

/* ---- Many rows, and long lists ----------------------------------------------------------------
 */

enum { MANY = 150000, LONG = 300000, LONG_ROW = 70001 };

/* Lists of v have i % 4 values, but one is very long; those of u have one each. They count on. */
static int64_t length_of(int64_t i)
{
    return i == LONG_ROW ? LONG : i % 4;
}

static void put_many(hid_t file)
{
    batch b = batch_begin(1, MANY);
    int64_t *const ids = calloc(MANY, sizeof *ids);
    uint64_t *const offsets = calloc(MANY + 1, sizeof *offsets);
    int32_t *const values = calloc((size_t)MANY * 4 + LONG, sizeof *values);

    CHECK(ids != NULL && offsets != NULL && values != NULL);
    for (int64_t i = 0; i < MANY; i++) {
        ids[i] = i;
        offsets[i + 1] = offsets[i] + (uint64_t)length_of(i);
    }
    for (uint64_t k = 0; k < offsets[MANY]; k++) {
        values[k] = (int32_t)k;
    }
    batch_integers(&b, 0, "id", "l", ids, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    list_column(file, "/t/v");
    list_offsets(file, "/t/v", MANY + 1, offsets);
    list_dataset(file, "/t/v/VALUES", H5T_STD_I32LE, offsets[MANY], values, NULL);
    for (uint64_t i = 0; i <= MANY; i++) {
        offsets[i] = i;
    }
    list_column(file, "/t/u");
    list_offsets(file, "/t/u", MANY + 1, offsets);
    list_dataset(file, "/t/u/VALUES", H5T_STD_I32LE, MANY, values, NULL);
    put_order(file, (const char *const[]){"id", "v", "u"}, 3);
    free(ids);
    free(offsets);
    free(values);
}

/* Whether v has the lists of the rows of which `stays` says so, those of u where `is_u` does. */
static void expect_many(stoa_table *table, bool (*stays)(int64_t), bool (*is_u)(int64_t))
{
    struct ArrowArray rows;
    stoa_error err = STOA_ERROR_INIT;
    int64_t at = 0;
    int32_t first = 0;

    CHECK_OK(
        stoa_column_read(stoa_table_find(table, "v"), 0, stoa_table_n_rows(table), &rows, &err),
        &err);
    const int32_t *const offsets = rows.buffers[1];
    const int32_t *const values = rows.children[0]->buffers[1];
    for (int64_t i = 0; i < MANY; first += (int32_t)length_of(i), i++) {
        if (!stays(i)) {
            continue;
        }
        const int64_t count = is_u(i) ? 1 : length_of(i);
        CHECK_I64(offsets[at + 1] - offsets[at], count);
        for (int64_t k = 0; k < count; k++) {
            CHECK_I64(values[offsets[at] + k], is_u(i) ? i : first + k);
        }
        at++;
    }
    CHECK_I64(at, rows.length);
    rows.release(&rows);
}

static bool always(int64_t i)
{
    (void)i;
    return true;
}

static bool never(int64_t i)
{
    (void)i;
    return false;
}

static bool is_third(int64_t i)
{
    return i % 3 == 1 && i > 1000;
}

static bool is_no_third(int64_t i)
{
    return !is_third(i);
}

static void lists_of_many_rows_are_moved_in_pieces(void)
{
    const hid_t file = new_file();

    put_many(file);
    stoa_table *table = open_table(file, "/t");
    expect_many(table, always, never);
    CHECK_U64(update(table, "id % 3 = 1 and id > 1000", "v", "u"), (MANY - 1001) / 3);
    expect_many(table, always, is_third);
    CHECK_U64(delete_rows(table, "id % 3 = 1 and id > 1000"), (MANY - 1001) / 3);
    expect_many(table, is_no_third, never);
    close_table(table, file);
}

/* ---- More rows, and reserved ones ------------------------------------------------------------ */

static void reserved_elements_are_released(void)
{
    static const char *const contiguous[] = {"/t/w/OFFSETS", "/t/v/OFFSETS", "/t/v/VALUES"};
    const hid_t file = new_table();
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_repack(table, NULL, &err), &err); /* v has some */
    CHECK_U64(extent_of(file, "/t/v/OFFSETS"), 6);
    CHECK_U64(extent_of(file, "/t/v/VALUES"), 6);
    expect_rows(table, all_rows, N_ROWS);
    CHECK_U64(delete_rows(table, "id = 0"), 1); /* all are chunked now */
    CHECK_OK(stoa_table_truncate(table, 2, NULL, &err), &err);
    const H5O_token_t before = token_of(file, "/t/w");
    CHECK_OK(stoa_table_repack(table, NULL, &err), &err);
    const H5O_token_t after = token_of(file, "/t/w");
    CHECK_SAME_OBJECT(before, after);
    for (size_t i = 0; i < 2; i++) {
        CHECK_U64(extent_of(file, contiguous[i]), 3);
    }
    CHECK_U64(extent_of(file, "/t/w/VALUES/OFFSETS"), 3);
    CHECK_U64(extent_of(file, "/t/w/VALUES/VALUES"), 2);
    EXPECT_ROWS(table, 1, 2);
    CLOSE_LISTS(table, file, 1, 2);
}

/* Two columns have their values in one dataset, of which each needs another part. */
static void values_of_two_columns_are_not_cut_for_one(void)
{
    const hid_t file = new_table();
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(file, "/t");

    CHECK_U64(delete_rows(table, "id = 1"), 1); /* the values can be cut now */
    stoa_table_close(table);
    list_column(file, "/t/z");
    LIST_OFFSETS(file, "/t/z", 0, 0, 1, 3, 5);
    CHECK_H5(H5Lcreate_hard(file, "/t/v/VALUES", file, "/t/z/VALUES", H5P_DEFAULT, H5P_DEFAULT));
    put_order(file, (const char *const[]){"id", "v", "w", "s", "z"}, 5);
    table = open_table(file, "/t");
    CHECK_OK(stoa_table_truncate(table, 2, NULL, &err), &err);
    CHECK_OK(stoa_table_repack(table, NULL, &err), &err);
    CHECK_STR(list_text(stoa_table_find(table, "v"), 0, 2), "[1,2] []");
    CHECK_STR(list_text(stoa_table_find(table, "z"), 0, 2), "[] [1]");
    close_table(table, file);
}

static void rows_are_reserved_for_other_columns_only(void)
{
    const hid_t file = new_table();
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_preallocate(table, 100, NULL, &err), &err);
    CHECK_U64(extent(table, "id"), 100);
    CHECK_U64(extent_of(file, "/t/v/OFFSETS"), 8);
    CHECK_U64(delete_rows(table, "id = 3"), 1);
    CLOSE_LISTS(table, file, 0, 1, 2, 4);
}

/* Rows of the table go behind what an edit has left of it. */
static void edited_lists_are_appended_to(void)
{
    const hid_t file = new_table();
    const hid_t other = table_in(other_file(file));
    stoa_table *const table = open_table(file, "/t");
    stoa_table *const more = open_table(other, "/t");
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_query *query = NULL;

    for (unsigned turn = 0; turn < 2; turn++) {
        CHECK_U64(delete_rows(table, turn == 0 ? "id = 0" : "id = 4"), 1);
        CHECK_OK(stoa_table_truncate(table, 3 + turn, NULL, &err), &err);
        CHECK_OK(stoa_query_open(more, NULL, &query, &err), &err);
        CHECK_OK(stoa_query_run(query, &stream, &err), &err);
        CHECK_OK(stoa_table_append(table, &stream, NULL, NULL, &err), &err);
        stoa_stream_release(&stream);
        stoa_query_close(query);
    }
    stoa_table_close(more);
    H5Fclose(other);
    EXPECT_ROWS(table, 1, 2, 3, 0, 0, 1, 2, 3, 4);
    CLOSE_LISTS(table, file, 1, 2, 3, 0, 0, 1, 2, 3, 4);
}

/* ---- What goes wrong ------------------------------------------------------------------------ */

static void a_column_that_would_lose_something_is_not_edited(void)
{
    const hid_t file = new_table();
    stoa_error err = STOA_ERROR_INIT;

    list_dataset(file, "/t/w/VALUES/NOTES", H5T_STD_I8LE, 0, NULL, NULL);
    stoa_table *const table = open_table(file, "/t");
    CHECK_STATUS(STOA_EDATA, stoa_table_delete(table, "id = 1", NULL, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "/t/w/VALUES' holds objects that are no members");
    expect_rows(table, all_rows, N_ROWS);
    EXPECT(table, "id", "0", "1", "2", "3", "4");
    CHECK_H5(H5Ldelete(file, "/t/w/VALUES/NOTES", H5P_DEFAULT));
    close_lists(table, file, all_rows, N_ROWS);
}

static void a_column_of_unknown_kind_prevents_edits_of_rows(void)
{
    const hid_t file = new_table();
    stoa_error err = STOA_ERROR_INIT;

    list_group(file, "/t/z", "LIST_COLUMN", "RAGGED");
    stoa_table *const table = open_table(file, "/t");
    CHECK_STATUS(STOA_EDATA, stoa_table_truncate(table, 2, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "KIND 'RAGGED'");
    CHECK_STATUS(STOA_EDATA, stoa_table_delete(table, "id = 1", NULL, NULL, &err), &err);
    CHECK_CONTAINS(err.where, "/t/z");
    CHECK_U64(stoa_table_n_rows(table), N_ROWS);
    stoa_table_close(table);
    H5Fclose(file);
}

static void offsets_that_lie_stop_a_deletion(void)
{
    const hid_t file = new_table();
    stoa_error err = STOA_ERROR_INIT;
    const hid_t offsets = CHECK_H5(H5Dopen2(file, "/t/s/OFFSETS", H5P_DEFAULT));

    stoa_table *const table = open_table(file, "/t");
    CHECK_H5(H5Dwrite(offsets, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                      (const uint64_t[]){0, 2, 1, 4, 5, 5}));
    CHECK_STATUS(STOA_EDATA, stoa_table_delete(table, "id = 3", NULL, NULL, &err), &err);
    CHECK_CONTAINS(err.where, "/t/s");
    CHECK_CONTAINS(err.message, "descends");
    CHECK_H5(H5Dwrite(offsets, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                      (const uint64_t[]){0, 2, 2, 4, 5, 5}));
    CHECK_H5(H5Dclose(offsets));
    expect_rows(table, all_rows, N_ROWS);
    EXPECT(table, "id", "0", "1", "2", "3", "4");
    close_lists(table, file, all_rows, N_ROWS);
}

/* Lets `n` calls pass, and stops the next one. */
static bool stop_after(void *context, const stoa_progress *progress)
{
    unsigned *n = context;

    (void)progress;
    return (*n)-- > 0;
}

static stoa_status delete_one(stoa_table *table, const stoa_edit_options *options, stoa_error *err)
{
    return stoa_table_delete(table, "id = 1", options, NULL, err);
}

/* The fill value and the masks of all three change. */
static stoa_status update_some(stoa_table *table, const stoa_edit_options *options, stoa_error *err)
{
    const stoa_assignment all[] = {{"v", "u"}, {"w", "x"}, {"s", "r"}, {"u", "null"}};

    return stoa_table_update(table, "id != 2", all, 4, options, NULL, err);
}

static stoa_status store_otherwise(stoa_table *table, const stoa_edit_options *options,
                                   stoa_error *err)
{
    const stoa_column_options chunks = {.column = "w", .codec = "deflate", .chunk_rows = 3};

    return stoa_column_set_storage(table, &chunks, options, err);
}

static stoa_status release_reserved(stoa_table *table, const stoa_edit_options *options,
                                    stoa_error *err)
{
    return stoa_table_repack(table, options, err);
}

static const edit_call edits[] = {delete_one, update_some, store_otherwise, release_reserved};
enum { N_EDITS = sizeof edits / sizeof *edits };

/* The table is as it was made, and after another edit as that leaves it. */
static void expect_unchanged(stoa_table *table, hid_t file)
{
    for (unsigned turn = 0; turn < 2; turn++) {
        EXPECT(table, "id", "0", "1", "2", "3", "4");
        expect_rows(table, all_rows, N_ROWS);
        expect_text(table, "u", "[9] [] [null,300,7] [5,6] []");
        if (turn == 0) {
            stoa_table_close(table);
            check_conformant(file, "/t");
            table = open_table(file, "/t");
        }
    }
    CHECK_U64(delete_rows(table, "id = 1 or id = 4"), 2);
    EXPECT_ROWS(table, 0, 2, 3);
    close_table(table, file);
}

static void an_edit_that_is_stopped_leaves_the_lists(void)
{
    for (size_t i = 0; i < N_EDITS; i++) {
        stoa_status status = STOA_ECANCELLED;
        for (unsigned n = 0; status != STOA_OK; n++) {
            const hid_t file = new_table();
            stoa_table *const table = open_others(file);
            stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
            stoa_error err = STOA_ERROR_INIT;
            unsigned left = n;
            options.listener = (stoa_listener){stop_after, &left};
            status = edits[i](table, &options, &err);
            if (status != STOA_OK) {
                CHECK_U64(status, STOA_ECANCELLED);
                expect_unchanged(table, file);
            } else {
                close_table(table, file);
            }
        }
    }
}

static void an_edit_without_memory_leaves_the_lists(void)
{
    for (size_t i = 0; i < N_EDITS; i++) {
        for (uint64_t n = 0;; n += 1 + n / 6) {
            const hid_t file = new_table();
            stoa_table *const table = open_others(file);
            stoa_error err = STOA_ERROR_INIT;
            stoa_memory_fail_after(n);
            const stoa_status status = edits[i](table, NULL, &err);
            stoa_memory_fail_after(UINT64_MAX);
            if (status == STOA_OK) {
                close_table(table, file);
                CHECK(n > 50);
                break;
            }
            CHECK_U64(status, STOA_ENOMEM);
            expect_unchanged(table, file);
        }
    }
}

static void an_edit_with_a_refused_read_leaves_the_lists(void)
{
    const char *const path = check_path("t.h5");
    const uint64_t most = 600 / check_n_cases(20);

    for (size_t i = 0; i < N_EDITS; i++) {
        unsigned n_told = 0;
        bool was_refused = true;
        for (uint64_t n = 0; was_refused; n += 1 + check_random_below(most + 1)) {
            const hid_t made = new_table();
            stoa_status status = STOA_OK;
            stoa_error err = STOA_ERROR_INIT;

            stoa_table_close(open_others(made));
            H5Fclose(made);
            was_refused = edit_with_read_refused(path, edits[i], n, &status, &err);
            CHECK(was_refused || status == STOA_OK);
            const hid_t file = CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
            stoa_table *const table = open_table(file, "/t");
            if (status != STOA_OK) {
                expect_unchanged(table, file);
            } else {
                close_table(table, file);
            }
            n_told += status != STOA_OK;
        }
        CHECK(n_told > 3);
    }
}

TEST_MAIN(TEST(other_columns_are_edited_and_lists_stay),
          TEST(list_columns_are_renamed_ordered_described_and_dropped),
          TEST(units_of_a_list_column_are_changed_on_its_values_too),
          TEST(what_no_list_column_can_have_is_refused), TEST(all_members_get_another_storage),
          TEST(a_truncation_writes_nothing_but_nrows),
          TEST(a_table_without_rows_keeps_its_list_columns), TEST(lists_of_rows_that_stay_move_up),
          TEST(members_stay_what_they_are),
          TEST(a_column_can_be_read_before_its_rows_are_committed),
          TEST(lists_are_replaced_by_those_of_another_column), TEST(columns_exchange_their_lists),
          TEST(a_value_that_was_the_fill_gets_another_one),
          TEST(values_that_do_not_fit_widen_the_others), TEST(values_without_a_fill_become_missing),
          TEST(a_missing_list_makes_a_mask), TEST(what_is_no_list_of_the_kind_is_refused),
          TEST(lists_of_many_rows_are_moved_in_pieces), TEST(reserved_elements_are_released),
          TEST(values_of_two_columns_are_not_cut_for_one),
          TEST(rows_are_reserved_for_other_columns_only), TEST(edited_lists_are_appended_to),
          TEST(a_column_that_would_lose_something_is_not_edited),
          TEST(a_column_of_unknown_kind_prevents_edits_of_rows),
          TEST(offsets_that_lie_stop_a_deletion), TEST(an_edit_that_is_stopped_leaves_the_lists),
          TEST(an_edit_without_memory_leaves_the_lists),
          TEST(an_edit_with_a_refused_read_leaves_the_lists))
