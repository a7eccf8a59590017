/* List columns are made, and appended to (HEP001-2026-07 §9, §12.3):
 * src/column/write/list_writer.c, src/column/list/create.c. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "column/members.h"
#include "hdf/metadata/attributes.h"
#include "table/list_kit.h"
#include "table/open/table.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

static batch numbers(const char *format, int64_t n, const int64_t *values, const bool *valid)
{
    batch b = batch_begin(1, n);

    batch_integers(&b, 0, "item", format, values, valid);
    return b;
}

static batch texts(int64_t n, const char *const *values)
{
    batch b = batch_begin(1, n);

    batch_strings(&b, 0, "item", values);
    return b;
}

/* Lists of the items in one column "item", to be items themselves. */
static batch lists_in(int64_t n, batch *items, const int64_t *lengths, const bool *valid)
{
    batch b = batch_begin(1, n);

    batch_lists(&b, 0, "item", "+l", items, lengths, valid);
    return b;
}

/* A batch with the column "v" of lists. */
static batch lists_of(const char *format, int64_t n, batch *items, const int64_t *lengths,
                      const bool *valid)
{
    batch b = batch_begin(1, n);

    batch_lists(&b, 0, "v", format, items, lengths, valid);
    return b;
}

#define INTEGERS(...) ((const int64_t[]){__VA_ARGS__})
#define TRUTHS(...) ((const bool[]){__VA_ARGS__})
#define TEXTS(...) ((const char *const[]){__VA_ARGS__})

/* [1,2] [] [3], as int32. */
static batch three(void)
{
    batch items = numbers("i", 3, INTEGERS(1, 2, 3), NULL);

    return lists_of("+l", 3, &items, INTEGERS(2, 0, 1), NULL);
}

static hid_t written(batch *b, const stoa_table_options *options)
{
    const hid_t file = new_file();

    write_batches(file, "/t", b, 1, options);
    check_conformant(file, "/t");
    return file;
}

static void expect_rows(hid_t file, const char *rows)
{
    stoa_table *const table = open_table(file, "/t");
    stoa_column *const column = stoa_table_find(table, "v");

    CHECK(column != NULL && stoa_column_is_list_group(column));
    CHECK_STR(list_text(column, 0, stoa_table_n_rows(table)), rows);
    stoa_table_close(table);
}

static void append_to(hid_t file, batch *b)
{
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(append(table, b, &err), &err);
    stoa_table_close(table);
    check_conformant(file, "/t");
}

/* A dataset of numbers as libhdf5 reads it. */
static void expect_numbers(hid_t file, const char *path, size_t n, const uint64_t *values)
{
    uint64_t found[32] = {0};
    hsize_t extent = 0;
    const hid_t dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));

    CHECK_H5(H5Sget_simple_extent_dims(space, &extent, NULL));
    CHECK_U64(extent, n);
    CHECK(n <= 32);
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (size_t i = 0; i < n; i++) {
        CHECK_U64(found[i], values[i]);
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
}
#define EXPECT_NUMBERS(file, path, ...)                                                            \
    expect_numbers((file), (path), sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t),             \
                   (const uint64_t[]){__VA_ARGS__})

static bool is_there(hid_t file, const char *path)
{
    return CHECK_H5(H5Lexists(file, path, H5P_DEFAULT)) > 0;
}

static void expect_text(hid_t file, const char *path, const char *name, const char *value)
{
    const hid_t object = CHECK_H5(H5Oopen(file, path, H5P_DEFAULT));
    char *found = NULL;

    CHECK_OK(stoa_attribute_read_optional(object, name, &found, NULL));
    CHECK(found != NULL);
    CHECK_STR(found, value);
    free(found);
    CHECK_H5(H5Oclose(object));
}

/* ---- What is made --------------------------------------------------------------------------- */

static void lists_are_written_as_offsets_and_values(void)
{
    batch b = three();
    const hid_t file = written(&b, NULL);

    expect_rows(file, "[1,2] [] [3]");
    EXPECT_NUMBERS(file, "/t/v/OFFSETS", 0, 2, 2, 3);
    EXPECT_NUMBERS(file, "/t/v/VALUES", 1, 2, 3);
    CHECK(!is_there(file, "/t/v/MASK"));
    expect_text(file, "/t/v", "CLASS", "LIST_COLUMN");
    expect_text(file, "/t/v", "KIND", "OFFSETS");
    H5Fclose(file);
}

/* A missing list of Arrow may have items; here it has none (§9.3). */
static void missing_lists_have_a_mask_and_no_items(void)
{
    batch items = numbers("s", 6, INTEGERS(1, 2, 3, 4, 5, 6), TRUTHS(1, 1, 1, 0, 1, 1));
    batch b = lists_of("+L", 4, &items, INTEGERS(1, 2, 2, 1), TRUTHS(1, 0, 1, 0));
    const hid_t file = written(&b, NULL);

    expect_rows(file, "[1] null [null,5] null");
    EXPECT_NUMBERS(file, "/t/v/OFFSETS", 0, 1, 1, 3, 3);
    EXPECT_NUMBERS(file, "/t/v/MASK", 1, 0, 1, 0);
    H5Fclose(file);
}

static void lists_of_lists_are_groups_in_groups(void)
{
    batch items = numbers("l", 6, INTEGERS(1, 2, 3, 4, 5, 6), NULL);
    batch middle = lists_in(5, &items, INTEGERS(1, 2, 0, 2, 1), TRUTHS(1, 0, 1, 1, 1));
    batch b = lists_of("+l", 4, &middle, INTEGERS(3, 1, 0, 1), TRUTHS(1, 0, 1, 1));
    const hid_t file = written(&b, NULL);

    expect_rows(file, "[[1],null,[]] null [] [[6]]");
    EXPECT_NUMBERS(file, "/t/v/OFFSETS", 0, 3, 3, 3, 4);
    EXPECT_NUMBERS(file, "/t/v/VALUES/OFFSETS", 0, 1, 1, 1, 2);
    EXPECT_NUMBERS(file, "/t/v/VALUES/MASK", 1, 0, 1, 1);
    EXPECT_NUMBERS(file, "/t/v/VALUES/VALUES", 1, 6);
    H5Fclose(file);
}

/* §9.4: the empty string and the missing one differ. */
static void strings_are_written_as_offsets_and_bytes(void)
{
    batch items = texts(5, TEXTS("ab", "", NULL, "\xc3\xa9", "z"));
    batch b = lists_of("+l", 3, &items, INTEGERS(3, 1, 1), TRUTHS(1, 0, 1));
    const hid_t file = written(&b, NULL);

    expect_rows(file, "['ab','',null] null ['z']");
    EXPECT_NUMBERS(file, "/t/v/VALUES/OFFSETS", 0, 2, 2, 2, 3);
    EXPECT_NUMBERS(file, "/t/v/VALUES/CHARS", 'a', 'b', 'z');
    expect_text(file, "/t/v/VALUES", "CLASS", "STRING_VALUES");
    H5Fclose(file);
}

static void dictionaries_become_their_values(void)
{
    batch items = batch_begin(1, 4);
    batch labels = batch_begin(1, 2);
    batch codes = batch_begin(1, 4);

    batch_categories(&items, 0, "item", TEXTS("b", "a", NULL, "b"));
    batch b = lists_of("+l", 2, &items, INTEGERS(1, 3), NULL);
    hid_t file = written(&b, NULL);
    expect_rows(file, "['b'] ['a',null,'b']");
    H5Fclose(file);

    batch_integers(&labels, 0, "", "s", INTEGERS(2024, 2025), NULL);
    batch_labelled(&codes, 0, "item", &labels, INTEGERS(1, -1, 0, 1));
    b = lists_of("+l", 2, &codes, INTEGERS(1, 3), TRUTHS(0, 1));
    file = written(&b, NULL);
    expect_rows(file, "null [null,2024,2025]");
    H5Fclose(file);
}

static void values_are_written_as_a_column_has_them(void)
{
    batch items = numbers("b", 4, INTEGERS(1, 0, 1, 1), TRUTHS(1, 1, 0, 1));
    batch b = lists_of("+l", 2, &items, INTEGERS(3, 1), NULL);
    hid_t file = written(&b, NULL);

    expect_rows(file, "[1,0,null] [1]");
    H5Fclose(file);
    items = numbers("tsm:UTC", 2, INTEGERS(1500, -1), TRUTHS(1, 0));
    b = lists_of("+l", 1, &items, INTEGERS(2), NULL);
    file = written(&b, NULL);
    expect_rows(file, "[1500,null]");
    expect_text(file, "/t/v", "units", "milliseconds since 1970-01-01T00:00:00Z");
    expect_text(file, "/t/v/VALUES", "units", "milliseconds since 1970-01-01T00:00:00Z");
    H5Fclose(file);
    /* All values of a type leave none for missing ones: it is widened. */
    int64_t all[256];
    for (int64_t i = 0; i < 256; i++) {
        all[i] = i - 128;
    }
    items = numbers("c", 256, all, NULL);
    b = lists_of("+l", 1, &items, INTEGERS(256), NULL);
    file = written(&b, NULL);
    stoa_table *const table = open_table(file, "/t");
    CHECK_OK(stoa_column_load(stoa_table_find(table, "v"), NULL));
    CHECK(stoa_table_find(table, "v")->list->values->element.size == 2);
    stoa_table_close(table);
    H5Fclose(file);
}

/* Structs of numbers, and lists of one length, are elements of VALUES. Those of missing lists are
 * left out. */
static void structs_and_arrays_are_elements(void)
{
    batch fields = batch_begin(2, 4);
    batch items = batch_begin(1, 4);

    batch_integers(&fields, 0, "x", "i", INTEGERS(1, 2, 3, 4), NULL);
    batch_integers(&fields, 1, "y", "C", INTEGERS(5, 6, 7, 8), NULL);
    CHECK_OK(stoa_schema_rename(&fields.schema, "item", NULL));
    stoa_schema_move(&fields.schema, items.schema.children[0]);
    stoa_array_move(&fields.array, items.array.children[0]);
    batch b = lists_of("+l", 3, &items, INTEGERS(1, 2, 1), TRUTHS(1, 0, 1));
    hid_t file = written(&b, NULL);
    expect_rows(file, "[{x:1,y:5}] null [{x:4,y:8}]");
    H5Fclose(file);

    batch cells = numbers("s", 8, INTEGERS(1, 2, 3, 4, 5, 6, 7, 8), NULL);
    batch pairs = batch_begin(1, 4);
    batch_lists(&pairs, 0, "item", "+w:2", &cells, INTEGERS(2, 2, 2, 2), TRUTHS(1, 1, 0, 1));
    b = lists_of("+l", 3, &pairs, INTEGERS(1, 1, 2), TRUTHS(1, 0, 1));
    file = written(&b, NULL);
    expect_rows(file, "[[1,2]] null [null,[7,8]]");
    H5Fclose(file);
}

/* §9.5: no variable-length datatype is below a list column, so these stay sequences. */
static void lists_of_structs_with_strings_are_sequences(void)
{
    batch fields = batch_begin(1, 2);
    batch items = batch_begin(1, 2);

    batch_strings(&fields, 0, "s", TEXTS("a", "bc"));
    CHECK_OK(stoa_schema_rename(&fields.schema, "item", NULL));
    stoa_schema_move(&fields.schema, items.schema.children[0]);
    stoa_array_move(&fields.array, items.array.children[0]);
    batch b = lists_of("+l", 2, &items, INTEGERS(0, 2), NULL);
    const hid_t file = written(&b, NULL);
    stoa_table *const table = open_table(file, "/t");
    stoa_column *const column = stoa_table_find(table, "v");
    CHECK(column->list == NULL && stoa_column_is_dataset(column));
    CHECK_STR(list_text(column, 0, 2), "[] [{s:'a'},{s:'bc'}]");
    stoa_table_close(table);
    H5Fclose(file);
}

static void notes_of_the_field_are_on_its_group(void)
{
    batch b = three();

    CHECK_OK(stoa_schema_set(b.schema.children[0], "units", "GeV", NULL));
    CHECK_OK(stoa_schema_set(b.schema.children[0], "description", "energies", NULL));
    const hid_t file = written(&b, NULL);
    expect_text(file, "/t/v", "units", "GeV");
    expect_text(file, "/t/v", "description", "energies");
    H5Fclose(file);
}

static void no_rows_are_one_offset(void)
{
    batch items = texts(0, NULL);
    batch b = lists_of("+l", 0, &items, NULL, NULL);
    hid_t file = written(&b, NULL);

    expect_rows(file, "");
    EXPECT_NUMBERS(file, "/t/v/OFFSETS", 0);
    EXPECT_NUMBERS(file, "/t/v/VALUES/OFFSETS", 0);
    batch first = three();
    H5Fclose(file);
    file = new_file();
    struct ArrowArrayStream stream;
    stream_of(&first, 1, &stream); /* its only batch is taken from it: no batch comes */
    struct ArrowArray taken;
    CHECK_OK(stoa_stream_next(&stream, &taken, NULL));
    stoa_array_release(&taken);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, NULL));
    stoa_stream_release(&stream);
    check_conformant(file, "/t");
    expect_rows(file, "");
    batch more = three();
    append_to(file, &more);
    expect_rows(file, "[1,2] [] [3]");
    H5Fclose(file);
}

static void lists_that_are_all_missing_need_no_type(void)
{
    batch items = numbers("i", 0, NULL, NULL);
    batch b = lists_of("+l", 2, &items, INTEGERS(0, 0), TRUTHS(0, 0));
    const hid_t file = written(&b, NULL);
    batch other = batch_begin(1, 2);

    expect_rows(file, "null null");
    batch_strings(&other, 0, "v", TEXTS(NULL, NULL));
    append_to(file, &other);
    batch more = three();
    append_to(file, &more);
    expect_rows(file, "null null null null [1,2] [] [3]");
    EXPECT_NUMBERS(file, "/t/v/MASK", 0, 0, 0, 0, 1, 1, 1);
    H5Fclose(file);
}

/* Arrow arrays may begin anywhere in their buffers. */
static void sliced_arrays_are_their_rows(void)
{
    batch items = texts(6, TEXTS("a", "bb", NULL, "dd", "", "f"));
    batch b = lists_of("+l", 4, &items, INTEGERS(1, 2, 1, 2), TRUTHS(1, 1, 0, 1));

    b.array.children[0]->offset = 1;
    b.array.children[0]->length = 3;
    b.array.length = 3;
    hid_t file = written(&b, NULL);
    expect_rows(file, "['bb',null] null ['','f']");
    H5Fclose(file);

    items = numbers("i", 6, INTEGERS(0, 1, 2, 3, 4, 5), NULL);
    items.array.children[0]->offset = 2;
    items.array.children[0]->length = 4;
    items.array.length = 4;
    b = lists_of("+l", 3, &items, INTEGERS(1, 1, 2), NULL);
    b.array.offset = 1; /* of the struct: all its children begin later */
    b.array.length = 2;
    file = written(&b, NULL);
    expect_rows(file, "[3] [4,5]");
    H5Fclose(file);
}

static void members_are_stored_as_the_options_say(void)
{
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_column_options storage = {"v", "deflate:2", 2};
    stoa_column_storage found = STOA_COLUMN_STORAGE_INIT;
    batch b = three();

    options.columns = &storage;
    options.n_columns = 1;
    options.preallocate_rows = 100;
    hid_t file = written(&b, &options);
    expect_rows(file, "[1,2] [] [3]");
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_column_storage_of(stoa_table_find(table, "v"), &found, NULL));
    CHECK_U64(found.chunk_rows, 2);
    CHECK_STR(found.filters, "shuffle,deflate:2");
    stoa_table_close(table);
    H5Fclose(file);

    storage.chunk_rows = STOA_CONTIGUOUS;
    storage.codec = NULL;
    batch items = texts(3, TEXTS("a", NULL, "c"));
    b = lists_of("+l", 3, &items, INTEGERS(2, 1, 0), TRUTHS(1, 1, 0));
    file = written(&b, &options);
    table = open_table(file, "/t");
    CHECK_OK(stoa_column_storage_of(stoa_table_find(table, "v"), &found, NULL));
    CHECK_STR(found.layout, "contiguous");
    stoa_table_close(table);
    EXPECT_NUMBERS(file, "/t/v/OFFSETS", 0, 2, 3, 3);
    items = texts(1, TEXTS("d"));
    b = lists_of("+l", 1, &items, INTEGERS(1), NULL);
    append_to(file, &b);
    expect_rows(file, "['a',null] ['c'] null ['d']");
    H5Fclose(file);
}

static void a_chosen_fill_value_is_that_of_the_values(void)
{
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const stoa_missing_value fill = {"v", "99"};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch items = numbers("i", 3, INTEGERS(1, 2, 3), TRUTHS(1, 0, 1));
    batch b = lists_of("+l", 1, &items, INTEGERS(3), NULL);

    options.fills = &fill;
    options.n_fills = 1;
    hid_t file = written(&b, &options);
    expect_rows(file, "[1,null,3]");
    EXPECT_NUMBERS(file, "/t/v/VALUES", 1, 99, 3);
    H5Fclose(file);

    file = new_file();
    items = texts(1, TEXTS("a"));
    b = lists_of("+l", 1, &items, INTEGERS(1), NULL);
    stream_of(&b, 1, &stream);
    CHECK_STATUS(STOA_EINVAL, stoa_table_write(file, "/t", &stream, &options, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "no fill value");
    stoa_stream_release(&stream);
    H5Fclose(file);
}

/* ---- Appending ------------------------------------------------------------------------------ */

static void rows_are_appended_to_each_member(void)
{
    batch items = numbers("l", 6, INTEGERS(1, 2, 3, 4, 5, 6), NULL);
    batch middle = lists_in(3, &items, INTEGERS(3, 0, 3), NULL);
    batch b = lists_of("+l", 2, &middle, INTEGERS(2, 1), NULL);
    const hid_t file = written(&b, NULL);

    items = numbers("l", 3, INTEGERS(7, 8, 9), TRUTHS(1, 0, 1));
    middle = lists_in(4, &items, INTEGERS(1, 0, 0, 2), TRUTHS(1, 0, 1, 1));
    b = lists_of("+L", 3, &middle, INTEGERS(2, 0, 2), TRUTHS(1, 0, 1));
    append_to(file, &b);
    expect_rows(file, "[[1,2,3],[]] [[4,5,6]] [[7],null] null [[],[null,9]]");
    EXPECT_NUMBERS(file, "/t/v/OFFSETS", 0, 2, 3, 5, 5, 7);
    EXPECT_NUMBERS(file, "/t/v/MASK", 1, 1, 1, 0, 1);
    EXPECT_NUMBERS(file, "/t/v/VALUES/MASK", 1, 1, 1, 1, 0, 1, 1);
    EXPECT_NUMBERS(file, "/t/v/VALUES/OFFSETS", 0, 3, 3, 6, 7, 7, 7, 9);
    H5Fclose(file);
}

/* The handle that appended reads what it appended, and appends again. */
static void a_table_that_was_appended_to_has_the_rows(void)
{
    batch b = three();
    const hid_t file = written(&b, NULL);
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STR(list_text(stoa_table_find(table, "v"), 0, 3), "[1,2] [] [3]");
    for (int i = 0; i < 2; i++) {
        b = three();
        CHECK_OK(append(table, &b, &err), &err);
    }
    CHECK_STR(list_text(stoa_table_find(table, "v"), 0, 9),
              "[1,2] [] [3] [1,2] [] [3] [1,2] [] [3]");
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

static void values_that_do_not_fit_widen_the_values(void)
{
    batch b = three();
    const hid_t file = written(&b, NULL);
    batch items = numbers("l", 2, INTEGERS(INT64_C(1) << 40, INT32_MIN), NULL);

    b = lists_of("+l", 1, &items, INTEGERS(2), NULL);
    append_to(file, &b);
    expect_rows(file, "[1,2] [] [3] [1099511627776,-2147483648]");
    H5Fclose(file);
}

/* Many rows fill many chunks of each member. */
static void many_batches_are_many_chunks(void)
{
    enum { ROWS = 3000, BATCHES = 4 };
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_options storage = {NULL, NULL, 512};
    batch batches[BATCHES];
    int64_t *const values = calloc(ROWS * 3, sizeof *values);
    int64_t *const lengths = calloc(ROWS, sizeof *lengths);
    bool *const valid = calloc(ROWS, sizeof *valid);
    int64_t next = 0;

    CHECK(values != NULL && lengths != NULL && valid != NULL);
    for (int k = 0; k < BATCHES; k++) {
        int64_t n = 0;
        for (int64_t i = 0; i < ROWS; i++) {
            lengths[i] = i % 4;
            valid[i] = k < 2 || i % 7 != 0; /* the first is missing in the third batch */
            for (int64_t j = 0; j < lengths[i]; j++) {
                values[n++] = valid[i] ? next++ : -9;
            }
        }
        batch items = numbers("i", n, values, NULL);
        batches[k] = lists_of("+l", ROWS, &items, lengths, valid);
    }
    options.columns = &storage;
    options.n_columns = 1;
    const hid_t file = new_file();
    write_batches(file, "/t", batches, BATCHES, &options);
    check_conformant(file, "/t");
    stoa_table *const table = open_table(file, "/t");
    int64_t expected = 0;
    for (uint64_t row = 0; row < ROWS * BATCHES; row++) {
        struct ArrowSchema schema;
        struct ArrowArray rows;
        stoa_view view;
        stoa_view item;
        int64_t first = 0;
        int64_t count = 0;
        if (row % 97 != 0 && row % ROWS != 0 && row % ROWS != ROWS - 1) {
            const bool is_valid = row < 2 * ROWS || row % ROWS % 7 != 0;
            expected += is_valid ? (int64_t)(row % ROWS % 4) : 0;
            continue;
        }
        CHECK_OK(stoa_column_schema(stoa_table_find(table, "v"), &schema, NULL));
        CHECK_OK(stoa_column_read(stoa_table_find(table, "v"), row, 1, &rows, NULL));
        CHECK_OK(stoa_view_of(&schema, &rows, &view, NULL));
        CHECK_OK(stoa_view_child(&view, 0, &item, NULL));
        const bool is_valid = row < 2 * ROWS || row % ROWS % 7 != 0;
        CHECK(stoa_view_is_null(&view, 0) == !is_valid);
        stoa_view_range(&view, 0, &first, &count);
        CHECK_I64(count, is_valid ? (int64_t)(row % ROWS % 4) : 0);
        for (int64_t j = 0; j < count; j++) {
            CHECK_I64(stoa_view_i64(&item, first + j), expected++);
        }
        stoa_array_release(&rows);
        stoa_schema_release(&schema);
    }
    CHECK_I64(expected, next);
    stoa_table_close(table);
    free(values);
    free(lengths);
    free(valid);
    H5Fclose(file);
}

/* Contiguous members with reserved tails, offsets of the other byte order, units on the group. */
static void lists_of_other_programs_are_appended_to(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 3);

    batch_integers(&b, 0, "id", "l", INTEGERS(1, 2, 3), NULL);
    write_batches(file, "/t", &b, 1, NULL);
    list_column(file, "/t/v");
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));
    CHECK_OK(stoa_attribute_write_names(group, "column-order", TEXTS("id", "v"), 2, NULL));
    CHECK_H5(H5Gclose(group));
    const hid_t list = CHECK_H5(H5Gopen2(file, "/t/v", H5P_DEFAULT));
    CHECK_OK(stoa_attribute_write_utf8(list, "units", "seconds since 1970-01-01T00:00:00Z", NULL));
    CHECK_H5(H5Gclose(list));
    list_dataset(file, "/t/v/OFFSETS", H5T_STD_U64BE, 6,
                 (const uint64_t[]){0, UINT64_C(2) << 56, UINT64_C(2) << 56, UINT64_C(3) << 56,
                                    UINT64_C(9) << 56, UINT64_C(1) << 56},
                 NULL);
    LIST_MASK(file, "/t/v", 1, 0, 1, 1);
    list_dataset(file, "/t/v/VALUES", H5T_STD_I16LE, 5, (const int16_t[]){10, 20, 30, 40, 50},
                 &(int16_t){-32767});
    check_conformant(file, "/t");

    b = batch_begin(2, 2);
    batch items = numbers("tss:UTC", 3, INTEGERS(60, 100000, 80), TRUTHS(1, 1, 0));
    batch_integers(&b, 0, "id", "l", INTEGERS(4, 5), NULL);
    batch_lists(&b, 1, "v", "+l", &items, INTEGERS(1, 2), NULL);
    append_to(file, &b);
    expect_rows(file, "[10,20] null [30] [60] [100000,null]");
    b = batch_begin(2, 1);
    items = numbers("tss:UTC", 1, INTEGERS(7), NULL);
    batch_integers(&b, 0, "id", "l", INTEGERS(6), NULL);
    batch_lists(&b, 1, "v", "+l", &items, INTEGERS(1), NULL);
    append_to(file, &b);
    expect_rows(file, "[10,20] null [30] [60] [100000,null] [7]");
    H5Fclose(file);
}

/* Stoa wrote variable-length columns before, as June's revision has them. */
static void sequences_of_older_files_stay_sequences(void)
{
    const hid_t file = new_file();
    batch b = batch_begin(1, 2);
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_STD_I32LE));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){2}, &(hsize_t){H5S_UNLIMITED}));
    int32_t item = 7;
    const hvl_t rows[] = {{1, &item}, {0, NULL}};

    batch_integers(&b, 0, "id", "l", INTEGERS(1, 2), NULL);
    write_batches(file, "/t", &b, 1, NULL);
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){4}));
    CHECK_H5(H5Pset_fill_value(dcpl, type, &(hvl_t){0, NULL}));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "/t/v", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));
    CHECK_OK(stoa_attribute_write_names(group, "column-order", TEXTS("id", "v"), 2, NULL));
    CHECK_H5(H5Gclose(group));

    b = batch_begin(2, 2);
    batch items = numbers("i", 3, INTEGERS(1, 2, 3), NULL);
    batch_integers(&b, 0, "id", "l", INTEGERS(3, 4), NULL);
    batch_lists(&b, 1, "v", "+l", &items, INTEGERS(2, 1), TRUTHS(1, 1));
    append_to(file, &b);
    stoa_table *const table = open_table(file, "/t");
    stoa_column *const column = stoa_table_find(table, "v");
    CHECK(column->list == NULL);
    CHECK_STR(list_text(column, 0, 4), "[7] null [1,2] [3]");
    stoa_table_close(table);
    H5Fclose(file);
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void expect_refused(batch *b, const stoa_table_options *options, stoa_status status,
                           const char *says)
{
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;

    stream_of(b, 1, &stream);
    CHECK_STATUS(status, stoa_table_write(file, "/t", &stream, options, NULL, &err), &err);
    CHECK_CONTAINS(err.message, says);
    CHECK_CONTAINS(err.message, "'v'");
    CHECK(!is_there(file, "/t"));
    stoa_stream_release(&stream);
    H5Fclose(file);
}

static void june_has_no_lists(void)
{
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = three();

    options.revision = STOA_REVISION_2026_06;
    expect_refused(&b, &options, STOA_ETYPE, "no list columns");
}

static void lists_neither_label_rows_nor_have_indexes(void)
{
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_index index = {"v", "sorted"};
    const char *const label = "v";
    batch b = three();

    options.indexes = &index;
    options.n_indexes = 1;
    expect_refused(&b, &options, STOA_EINVAL, "no search index");
    b = three();
    options.n_indexes = 0;
    options.index_columns = &label;
    options.n_index_columns = 1;
    expect_refused(&b, &options, STOA_EINVAL, "label no rows");
}

/* What is written can be read: 32 levels are, strings among them. */
static void lists_are_nested_up_to_the_deepest_that_is_read(void)
{
    for (int depth = 30; depth <= 34; depth++) {
        const hid_t file = new_file();
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArrayStream stream;
        batch b = texts(1, TEXTS("a"));
        for (int i = 0; i < depth - 2; i++) {
            b = lists_in(1, &b, INTEGERS(1), NULL);
        }
        b = lists_of("+l", 1, &b, INTEGERS(1), NULL);
        stream_of(&b, 1, &stream);
        const stoa_status status = stoa_table_write(file, "/t", &stream, NULL, NULL, &err);
        stoa_stream_release(&stream);
        if (depth <= 32) {
            CHECK_OK(status, &err);
            stoa_table *const table = open_table(file, "/t");
            CHECK_CONTAINS(list_text(stoa_table_find(table, "v"), 0, 1), "[['a']]");
            stoa_table_close(table);
        } else {
            CHECK_STATUS(STOA_ETYPE, status, &err);
            CHECK_CONTAINS(err.message, "nested deeper");
        }
        H5Fclose(file);
    }
}

static void other_types_do_not_go_into_lists(void)
{
    batch b = three();
    const hid_t file = written(&b, NULL);
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;
    batch items = texts(1, TEXTS("a"));

    b = lists_of("+l", 1, &items, INTEGERS(1), NULL);
    CHECK_STATUS(STOA_ETYPE, append(table, &b, &err), &err);
    CHECK_CONTAINS(err.where, "v");
    CHECK_CONTAINS(err.message, "string does not go into it");
    err = (stoa_error)STOA_ERROR_INIT;
    b = batch_begin(1, 1);
    batch_integers(&b, 0, "v", "i", INTEGERS(1), NULL);
    CHECK_STATUS(STOA_ETYPE, append(table, &b, &err), &err);
    CHECK_CONTAINS(err.message, "int32 does not go into it");
    stoa_table_close(table);
    expect_rows(file, "[1,2] [] [3]");
    check_conformant(file, "/t");
    H5Fclose(file);
}

/* Two list columns may have one dataset of offsets, or be one group. An append to one would change
 * the other. */
static void lists_with_two_links_are_not_appended_to(void)
{
    static const char *const linked[] = {"/t/v", "/t/v/OFFSETS", "/t/v/VALUES"};

    for (size_t i = 0; i < sizeof linked / sizeof linked[0]; i++) {
        batch b = three();
        const hid_t file = written(&b, NULL);
        stoa_error err = STOA_ERROR_INIT;
        CHECK_H5(H5Lcreate_hard(file, linked[i], file, "/same", H5P_DEFAULT, H5P_DEFAULT));
        stoa_table *const table = open_table(file, "/t");
        b = three();
        CHECK_STATUS(STOA_ELAYOUT, append(table, &b, &err), &err);
        CHECK_CONTAINS(err.message, strrchr(linked[i], '/') + 1);
        CHECK_CONTAINS(err.message, "has a second link");
        CHECK_CONTAINS(err.where, "v");
        stoa_table_close(table);
        expect_rows(file, "[1,2] [] [3]");
        H5Fclose(file);
    }
}

/* ---- Failures ------------------------------------------------------------------------------- */

/* The second batch is of another type. The first has brought a MASK and more rows. */
static void a_stream_that_fails_leaves_the_table_as_it_was(void)
{
    batch b = three();
    const hid_t file = written(&b, NULL);
    stoa_table *const table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;
    batch items = numbers("l", 2, INTEGERS(7, INT64_MAX), NULL);
    batch more[2];

    more[0] = lists_of("+l", 2, &items, INTEGERS(2, 0), TRUTHS(1, 0));
    items = numbers("l", 1, INTEGERS(5), NULL);
    more[1] = lists_of("+l", 1, &items, INTEGERS(1), NULL);
    ((int32_t *)(uintptr_t)more[1].array.children[0]->buffers[1])[0] = 5; /* offsets descend */
    CHECK_STATUS(STOA_EDATA, append_all(table, more, 2, &err), &err);
    CHECK_STR(list_text(stoa_table_find(table, "v"), 0, 3), "[1,2] [] [3]");
    CHECK(!is_there(file, "/t/v/MASK"));
    EXPECT_NUMBERS(file, "/t/v/OFFSETS", 0, 2, 2, 3);
    b = three();
    CHECK_OK(append(table, &b, &err), &err);
    stoa_table_close(table);
    expect_rows(file, "[1,2] [] [3] [1,2] [] [3]");
    check_conformant(file, "/t");
    H5Fclose(file);
}

/* Each allocation fails once: no table is there, or the whole one. */
static void memory_that_runs_out_leaves_no_table(void)
{
    const hid_t file = new_file();
    bool is_done = false;

    for (uint64_t n = 0; n < 5000 && !is_done; n += 5) {
        stoa_error err = STOA_ERROR_INIT;
        batch items = batch_begin(1, 3);
        struct ArrowArrayStream stream;
        batch_categories(&items, 0, "item", TEXTS("b", NULL, "a"));
        batch middle = lists_in(2, &items, INTEGERS(2, 1), TRUTHS(1, 0));
        batch b = lists_of("+l", 3, &middle, INTEGERS(1, 0, 1), TRUTHS(1, 0, 1));
        stream_of(&b, 1, &stream);
        stoa_memory_fail_after(n);
        const stoa_status status = stoa_table_write(file, "/t", &stream, NULL, NULL, &err);
        stoa_memory_fail_after(UINT64_MAX);
        is_done = status == STOA_OK;
        if (!is_done) {
            CHECK_STATUS(STOA_ENOMEM, status, &err);
        }
        CHECK(is_there(file, "/t") == is_done);
        stoa_stream_release(&stream);
    }
    CHECK(is_done);
    expect_rows(file, "[['b',null]] null [null]");
    check_conformant(file, "/t");
    H5Fclose(file);
}

/* Each allocation fails once: the table has its rows, or those and the new ones. */
static void memory_that_runs_out_leaves_the_rows(void)
{
    batch b = three();
    const hid_t file = written(&b, NULL);
    bool is_done = false;

    for (uint64_t n = 0; n < 5000 && !is_done; n += 7) {
        stoa_table *const table = open_table(file, "/t");
        stoa_error err = STOA_ERROR_INIT;
        batch items = numbers("i", 2, INTEGERS(1, 2), TRUTHS(1, 0));
        b = lists_of("+l", 2, &items, INTEGERS(2, 0), TRUTHS(1, 0));
        struct ArrowArrayStream stream;
        stream_of(&b, 1, &stream);
        stoa_memory_fail_after(n);
        const stoa_status status = stoa_table_append(table, &stream, NULL, NULL, &err);
        stoa_memory_fail_after(UINT64_MAX);
        is_done = status == STOA_OK;
        if (!is_done) {
            CHECK_STATUS(STOA_ENOMEM, status, &err);
        }
        stoa_stream_release(&stream);
        stoa_table_close(table);
        expect_rows(file, is_done ? "[1,2] [] [3] [1,null] null" : "[1,2] [] [3]");
    }
    CHECK(is_done);
    check_conformant(file, "/t");
    H5Fclose(file);
}

TEST_MAIN(TEST(lists_are_written_as_offsets_and_values),
          TEST(missing_lists_have_a_mask_and_no_items), TEST(lists_of_lists_are_groups_in_groups),
          TEST(strings_are_written_as_offsets_and_bytes), TEST(dictionaries_become_their_values),
          TEST(values_are_written_as_a_column_has_them), TEST(structs_and_arrays_are_elements),
          TEST(lists_of_structs_with_strings_are_sequences),
          TEST(notes_of_the_field_are_on_its_group), TEST(no_rows_are_one_offset),
          TEST(lists_that_are_all_missing_need_no_type), TEST(sliced_arrays_are_their_rows),
          TEST(members_are_stored_as_the_options_say),
          TEST(a_chosen_fill_value_is_that_of_the_values), TEST(rows_are_appended_to_each_member),
          TEST(a_table_that_was_appended_to_has_the_rows),
          TEST(values_that_do_not_fit_widen_the_values), TEST(many_batches_are_many_chunks),
          TEST(lists_of_other_programs_are_appended_to),
          TEST(sequences_of_older_files_stay_sequences), TEST(june_has_no_lists),
          TEST(lists_neither_label_rows_nor_have_indexes), TEST(other_types_do_not_go_into_lists),
          TEST(lists_are_nested_up_to_the_deepest_that_is_read),
          TEST(lists_with_two_links_are_not_appended_to),
          TEST(a_stream_that_fails_leaves_the_table_as_it_was),
          TEST(memory_that_runs_out_leaves_no_table), TEST(memory_that_runs_out_leaves_the_rows))
