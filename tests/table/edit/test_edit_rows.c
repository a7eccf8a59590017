/* Edits of rows (HEP001 §11.2 to §11.5, §12): truncated, preallocated, updated, deleted. */
#include <stdio.h>
#include <stdlib.h>

#include "column/column.h"
#include "column/type/fill.h"
#include "hdf/metadata/attributes.h"
#include "table/edited.h"

/* --- Truncate, preallocate -------------------------------------------------------------------- */

static void a_truncated_table_keeps_its_first_rows_and_its_extent(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const uint64_t before = extent(table, "s");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_truncate(table, 6, NULL, &err), &err); /* nothing to do */
    CHECK_OK(stoa_table_truncate(table, 3, NULL, &err), &err);
    EXPECT(table, "i", "5", "1", "null");
    EXPECT(table, "s", "'b'", "'a'", "null");
    CHECK_U64(extent(table, "s"), before);
    CHECK_U64(n_indexes(table), 3);
    check_conformant(file, "/t");
    CHECK_STATUS(STOA_ERANGE, stoa_table_truncate(table, 4, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "3 rows");
    CHECK_OK(stoa_table_truncate(table, 0, NULL, NULL));
    CHECK_U64(stoa_table_n_rows(table), 0);
    batch b = sample();
    CHECK_OK(append(table, &b, NULL));
    expect_as_made(table);
    close_table(table, file);
}

static void an_edit_can_let_the_indexes_of_changed_columns_go(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    const stoa_assignment assignment = {"i", "i + 1"};
    struct ArrowArrayStream stream;
    batch b = sample();

    options.drop_indexes = true;
    CHECK_OK(stoa_table_preallocate(table, 100, &options, NULL));
    CHECK_U64(n_indexes(table), 3); /* no column has changed */
    CHECK_OK(stoa_table_update(table, "i > 1", &assignment, 1, &options, NULL, NULL));
    CHECK_U64(n_indexes(table), 2);
    CHECK(!stoa_attribute_exists(stoa_table_find(table, "i")->dataset, "SEARCH_INDEX_LIST"));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_append(table, &stream, &options, NULL, NULL));
    stoa_stream_release(&stream);
    CHECK_U64(n_indexes(table), 0);
    CHECK(H5Lexists(stoa_table_id(table), "SEARCH_INDEXES", H5P_DEFAULT) == 0);
    close_table(table, file);
}

static void every_column_has_the_preallocated_extent(void)
{
    static const char *const names[] = {"i", "x", "s", "c", "b", "t"};
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, true);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_add(table, "x", "minmax", NULL, &err), &err);
    CHECK_OK(stoa_table_preallocate(table, 1000, NULL, &err), &err);
    for (size_t i = 0; i < 6; i++) {
        CHECK_U64(extent(table, names[i]), 1000);
    }
    CHECK_OK(stoa_table_preallocate(table, 10, NULL, &err), &err); /* there is more already */
    CHECK_U64(extent(table, "x"), 1000);
    expect_as_made(table);
    CHECK_U64(n_indexes(table), 4);
    CHECK_STATUS(STOA_ERANGE, stoa_table_preallocate(table, UINT64_MAX, NULL, &err), &err);
    close_table(table, file);
}

/* --- Update ----------------------------------------------------------------------------------- */

static void cells_that_fit_are_overwritten_in_place(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, true);
    const H5O_token_t i_before = token_of(file, "/t/i");
    const H5O_token_t x_before = token_of(file, "/t/x");

    CHECK_U64(update(table, "i >= 3", "i", "i * 10"), 3);
    CHECK_U64(update(table, "s = 'b'", "x", "null"), 2);
    CHECK_U64(update(table, "i is null", "s", "'a'"), 1);
    CHECK_U64(update(table, "i > 1000", "s", "'z'"), 0);
    EXPECT(table, "i", "50", "1", "null", "30", "2", "40");
    EXPECT(table, "x", "null", "1.0", "null", "null", "3.0", "4.0");
    EXPECT(table, "s", "'b'", "'a'", "'a'", "'b'", "''", "'c'");
    const H5O_token_t i_after = token_of(file, "/t/i");
    const H5O_token_t x_after = token_of(file, "/t/x");
    CHECK_SAME_OBJECT(i_before, i_after);
    CHECK_SAME_OBJECT(x_before, x_after);
    CHECK_U64(n_indexes(table), 3);
    close_table(table, file);
}

static void new_values_are_computed_from_the_old_ones(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const stoa_assignment swap[] = {{"i", "length(s)"}, {"s", "c"}, {"c", "s"}, {"x", "i"}};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;

    CHECK_OK(stoa_table_update(table, NULL, swap, 4, NULL, &n, &err), &err);
    CHECK_U64(n, 6);
    EXPECT(table, "i", "1", "1", "null", "1", "0", "1");
    EXPECT(table, "x", "5.0", "1.0", "null", "3.0", "2.0", "4.0");
    EXPECT(table, "s", "'u'", "'v'", "null", "'u'", "'w'", "'v'");
    EXPECT(table, "c", "'b'", "'a'", "null", "'b'", "''", "'c'");
    /* A row is chosen by what it was, too. */
    CHECK_U64(update(table, "x > 2", "x", "x - 2"), 3);
    EXPECT(table, "x", "3.0", "1.0", "null", "1.0", "2.0", "2.0");
    close_table(table, file);
}

static void values_that_do_not_fit_get_a_column_that_holds_them(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const H5O_token_t before = token_of(file, "/t/i");

    CHECK_U64(update(table, "i = 5", "i", "70000"), 1);
    CHECK_U64(update(table, "i = 1", "s", "'much longer than b'"), 1);
    EXPECT(table, "i", "70000", "1", "null", "3", "2", "4");
    EXPECT(table, "s", "'b'", "'much longer than b'", "null", "'b'", "''", "'c'");
    const H5O_token_t after = token_of(file, "/t/i");
    CHECK_OTHER_OBJECT(before, after);
    CHECK_STR(stoa_table_find(table, "i")->element.text, "int32");
    /* INDEX_COLUMNS refers to the new datasets: the row labels are still i and s. */
    CHECK_U64(stoa_table_n_index_columns(table), 2);
    stoa_table_close(table);
    table = open_table(file, "/t");
    CHECK_U64(stoa_table_n_index_columns(table), 2);
    CHECK_STR(stoa_column_name(stoa_table_index_column(table, 0)), "i");
    CHECK_U64(n_indexes(table), 3);
    close_table(table, file);
}

/* The fill of int8 is -127, of strings U+001A where the empty one is a value (Table 1, §8.5). */
static void a_value_that_equals_the_fill_stays_a_value(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);

    CHECK_U64(update(table, "i = 1", "i", "-127"), 1);
    CHECK_U64(update(table, "i = 2", "s", "'\x1a'"), 1);
    CHECK_U64(update(table, "i = 4", "x", "9.9692099683868690e+36"), 1);
    EXPECT(table, "i", "5", "-127", "null", "3", "2", "4");
    EXPECT(table, "s", "'b'", "'a'", "null", "'b'", "'\x1a'", "'c'");
    EXPECT(table, "x", "0.5", "1.0", "null", "2.0", "3.0", "9.969209968386869e+36");
    close_table(table, file);
}

/* Computed numbers go into a column of float32 as text does; another column's values are kept
 * whole. */
static void computed_numbers_are_rounded_to_float32(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);

    CHECK_U64(update(table, "i = 5", "x", "x * 0.2"), 1);
    EXPECT(table, "x", "0.10000000149011612", "1.0", "null", "2.0", "3.0", "4.0");
    CHECK_STR(stoa_table_find(table, "x")->element.text, "float32");
    CHECK_U64(update(table, "i = 5", "x", "1e300"), 1); /* float32 has an infinity for it */
    EXPECT(table, "x", "1e+300", "1.0", "null", "2.0", "3.0", "4.0");
    CHECK_STR(stoa_table_find(table, "x")->element.text, "float64");
    close_table(table, file);
}

static void times_are_given_as_text(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);

    CHECK_U64(update(table, "i = 5", "t", "'1970-01-02'"), 1);
    CHECK_U64(update(table, "t < '1970-01-01T00:02:00'", "t", "null"), 1);
    CHECK_U64(update(table, "i = 3", "t", "t"), 1);
    EXPECT(table, "t", "86400", "null", "null", "180", "240", "300");
    refuse_update(table, "t", "'1970-01-01T00:00:00.5'", STOA_ELOSS, "finer");
    refuse_update(table, "t", "'soon'", STOA_ETYPE, "is no time");
    refuse_update(table, "t", "s", STOA_ETYPE, "does not go into column 't'");
    close_table(table, file);
}

static void values_of_another_kind_are_refused_at_their_place(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const stoa_assignment twice[] = {{"i", "1"}, {"i", "2"}};
    stoa_error err = STOA_ERROR_INIT;

    refuse_update(table, "i", "'one'", STOA_ETYPE, "value of i, column 1: 'one' is text");
    refuse_update(table, "i", "x", STOA_ETYPE, "'x' is float32");
    refuse_update(table, "s", "1", STOA_ETYPE, "does not go into column 's'");
    refuse_update(table, "b", "1", STOA_ETYPE, "does not go into column 'b'");
    refuse_update(table, "c", "1", STOA_ETYPE, "does not go into column 'c' of categories");
    refuse_update(table, "i", "1 +", STOA_ESYNTAX, "value of i");
    refuse_update(table, "i", "count()", STOA_ESYNTAX, "value of i");
    refuse_update(table, "ii", "1", STOA_ENOTFOUND, "did you mean 'i'?");
    refuse_update(table, "i", "j", STOA_ENOTFOUND, "value of i");
    CHECK_STATUS(STOA_EINVAL, stoa_table_update(table, NULL, twice, 2, NULL, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "twice");
    CHECK_STATUS(STOA_EINVAL, stoa_table_update(table, NULL, NULL, 0, NULL, NULL, NULL));
    expect_as_made(table);
    close_table(table, file);
}

/* An addition that overflows is found before anything is written. */
static void a_value_that_cannot_be_computed_leaves_the_table(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const stoa_assignment assignments[] = {{"s", "'new'"}, {"i", "i * 9223372036854775807"}};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ERANGE, stoa_table_update(table, NULL, assignments, 2, NULL, NULL, &err),
                 &err);
    expect_as_made(table);
    close_table(table, file);
}

static void options_without_a_size_are_refused(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const stoa_edit_options options = {0};
    const stoa_assignment assignment = {"i", "1"};

    CHECK_STATUS(STOA_EINVAL, stoa_table_truncate(table, 1, &options, NULL));
    CHECK_STATUS(STOA_EINVAL, stoa_table_preallocate(table, 1, &options, NULL));
    CHECK_STATUS(STOA_EINVAL, stoa_table_delete(table, "i = 1", &options, NULL, NULL));
    CHECK_STATUS(STOA_EINVAL, stoa_table_update(table, NULL, &assignment, 1, &options, NULL, NULL));
    CHECK_STATUS(STOA_EINVAL, stoa_table_delete(table, NULL, NULL, NULL, NULL));
    expect_as_made(table);
    close_table(table, file);
}

/* --- Delete ----------------------------------------------------------------------------------- */

static void rows_behind_deleted_ones_move_up(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, true);
    const uint64_t before = extent(table, "x");

    CHECK_U64(delete_rows(table, "i > 1000"), 0);
    CHECK_U64(delete_rows(table, "i = 1 or i = 2"), 2);
    EXPECT(table, "i", "5", "null", "3", "4");
    EXPECT(table, "x", "0.5", "null", "2.0", "4.0");
    EXPECT(table, "s", "'b'", "null", "'b'", "'c'");
    EXPECT(table, "c", "'u'", "null", "'u'", "'v'");
    EXPECT(table, "b", "1", "null", "1", "1");
    EXPECT(table, "t", "0", "null", "180", "300");
    CHECK_U64(extent(table, "x"), before);
    CHECK_U64(n_indexes(table), 3);
    check_conformant(file, "/t");
    CHECK_U64(delete_rows(table, "t >= '1970-01-01T00:03:00'"), 2); /* the last ones */
    EXPECT(table, "i", "5", "null");
    CHECK_U64(delete_rows(table, "i is null or true"), 2);
    CHECK_U64(stoa_table_n_rows(table), 0);
    CHECK_U64(delete_rows(table, "i is null"), 0);
    close_table(table, file);
}

enum { N_MANY = 200000 };

/* n = 0, 1, 2, ...; v: variable-length texts of it. */
static stoa_table *long_table(hid_t file)
{
    batch b = batch_begin(2, N_MANY);
    int64_t *n = stoa_alloc(N_MANY, sizeof *n);
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_options storage = {.codec = "none", .chunk_rows = 5000};
    static const stoa_column_index indexed[] = {{"n", NULL}};

    for (int i = 0; i < N_MANY; i++) {
        n[i] = i;
    }
    batch_integers(&b, 0, "n", "l", n, NULL);
    batch_integers(&b, 1, "m", "l", n, NULL);
    free(n);
    options.columns = &storage;
    options.n_columns = 1;
    options.indexes = indexed;
    options.n_indexes = 1;
    write_batches(file, "/t", &b, 1, &options);
    return open_table(file, "/t");
}

/* Is every value of the column what the rule says? `rule` gets the row. */
static void check_integers(stoa_table *table, const char *name, int64_t (*rule)(int64_t row))
{
    const uint64_t n = stoa_table_n_rows(table);
    int64_t *values = stoa_alloc(N_MANY, sizeof *values);

    CHECK_U64(stoa_table_find(table, name)->extent, N_MANY);
    CHECK_H5(H5Dread(stoa_table_find(table, name)->dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL,
                     H5P_DEFAULT, values));
    for (uint64_t i = 0; i < n; i++) {
        if (values[i] != rule((int64_t)i)) {
            FAIL("row %llu of %s is %lld", (unsigned long long)i, name, (long long)values[i]);
        }
    }
    free(values);
}

static int64_t itself(int64_t row)
{
    return row;
}

static int64_t negated_thousands(int64_t row)
{
    return row % 1000 == 7 ? -row : row;
}

static int64_t doubled(int64_t row)
{
    return 2 * negated_thousands(row);
}

/* Blocks and units are of 65536 rows. Few cells change in place; most of a column, and a megabyte
 * of it, is written to another dataset. */
static void an_update_spans_blocks_in_place_and_anew(void)
{
    const hid_t file = new_file();
    stoa_table *table = long_table(file);
    const H5O_token_t before = token_of(file, "/t/n");

    CHECK_U64(update(table, "n % 1000 = 7", "n", "-n"), N_MANY / 1000);
    const H5O_token_t few = token_of(file, "/t/n");
    CHECK_SAME_OBJECT(before, few);
    check_integers(table, "n", negated_thousands);
    CHECK_U64(update(table, NULL, "n", "2 * n"), N_MANY);
    const H5O_token_t many = token_of(file, "/t/n");
    CHECK_OTHER_OBJECT(before, many);
    check_integers(table, "n", doubled);
    check_integers(table, "m", itself);
    close_table(table, file);
}

static int64_t without_thirds(int64_t row)
{
    return row / 2 * 3 + 1 + row % 2; /* 1, 2, 4, 5, 7, ... */
}

static int64_t without_a_late_block(int64_t row)
{
    return row < 130000 ? row : row + 30000;
}

static void a_deletion_spans_blocks_in_place_and_anew(void)
{
    hid_t file = new_file();
    stoa_table *table = long_table(file);
    const H5O_token_t before = token_of(file, "/t/m");

    CHECK_U64(delete_rows(table, "n >= 130000 and n < 160000"), 30000);
    const H5O_token_t after = token_of(file, "/t/m");
    CHECK_SAME_OBJECT(before, after);
    check_integers(table, "m", without_a_late_block);
    close_table(table, file);

    file = new_file();
    table = long_table(file);
    const H5O_token_t first = token_of(file, "/t/m");
    CHECK_U64(delete_rows(table, "n % 3 = 0"), N_MANY / 3 + 1);
    const H5O_token_t second = token_of(file, "/t/m");
    CHECK_OTHER_OBJECT(first, second);
    check_integers(table, "n", without_thirds);
    check_integers(table, "m", without_thirds);
    close_table(table, file);
}

/* Another fill is searched among the rows that stay and the new values (§8.5). */
static void values_that_equal_the_fill_of_an_array_get_another_one(void)
{
    const int64_t values[] = {1, 2, 3, -INT32_MAX,     -INT32_MAX,     -INT32_MAX,
                              0, 0, 0, STOA_FILL_ONES, STOA_FILL_ONES, STOA_FILL_ONES};
    const hid_t file = new_file();
    batch old = batch_begin(1, 12);
    batch fresh = batch_begin(1, 12);
    batch b = batch_begin(2, 4);
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
    stoa_view items;

    batch_integers(&old, 0, "item", "i", (int64_t[]){5, 6, 7, 0, 0, 0, 8, 9, 10, 11, 12, 13}, NULL);
    batch_integers(&fresh, 0, "item", "i", values, NULL);
    batch_lists(&b, 0, "x", "+w:3", &old, (int64_t[]){3, 3, 3, 3},
                (bool[]){true, false, true, true});
    batch_lists(&b, 1, "y", "+w:3", &fresh, (int64_t[]){3, 3, 3, 3},
                (bool[]){true, true, false, true});
    write_batches(file, "/t", &b, 1, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_U64(update(table, NULL, "x", "y"), 4);
    stoa_column *const x = stoa_table_find(table, "x");
    CHECK_OK(stoa_column_schema(x, &schema, &err), &err);
    CHECK_OK(stoa_column_read(x, 0, 4, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK_OK(stoa_view_child(&view, 0, &items, &err), &err);
    for (int i = 0; i < 12; i++) {
        CHECK(stoa_view_is_null(&view, i / 3) == (i / 3 == 2));
        CHECK(i / 3 == 2 || stoa_view_i64(&items, i) == values[i]);
    }
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    close_table(table, file);
}

TEST_MAIN(TEST(a_truncated_table_keeps_its_first_rows_and_its_extent),
          TEST(an_edit_can_let_the_indexes_of_changed_columns_go),
          TEST(every_column_has_the_preallocated_extent),
          TEST(cells_that_fit_are_overwritten_in_place),
          TEST(new_values_are_computed_from_the_old_ones),
          TEST(values_that_do_not_fit_get_a_column_that_holds_them),
          TEST(a_value_that_equals_the_fill_stays_a_value),
          TEST(computed_numbers_are_rounded_to_float32), TEST(times_are_given_as_text),
          TEST(values_of_another_kind_are_refused_at_their_place),
          TEST(a_value_that_cannot_be_computed_leaves_the_table),
          TEST(options_without_a_size_are_refused), TEST(rows_behind_deleted_ones_move_up),
          TEST(an_update_spans_blocks_in_place_and_anew),
          TEST(a_deletion_spans_blocks_in_place_and_anew),
          TEST(values_that_equal_the_fill_of_an_array_get_another_one))
