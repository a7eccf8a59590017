/* Edits of rows (HEP001 §11.2 to §11.5, §12): truncated, preallocated, updated, deleted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "hdf/attributes.h"
#include "hdf/references.h"
#include "index/kind.h"
#include "support/sweep.h"
#include "table/kit.h"

/* --- A table to edit ---------------------------------------------------------------------------
 */

/* i int8, x float32, s strings, c categories, b bool, t times; the third row is missing. */
static batch sample(void)
{
    batch b = batch_begin(6, 6);
    const bool valid[] = {true, true, false, true, true, true};

    batch_integers(&b, 0, "i", "c", (int64_t[]){5, 1, 0, 3, 2, 4}, valid);
    batch_floats(&b, 1, "x", "f", (double[]){0.5, 1, 0, 2, 3, 4}, valid);
    batch_strings(&b, 2, "s", (const char *[]){"b", "a", NULL, "b", "", "c"});
    batch_categories(&b, 3, "c", (const char *[]){"u", "v", NULL, "u", "w", "v"});
    batch_integers(&b, 4, "b", "b", (int64_t[]){1, 0, 0, 1, 0, 1}, valid);
    batch_integers(&b, 5, "t", "tss:UTC", (int64_t[]){0, 60, 120, 180, 240, 300}, valid);
    return b;
}

/* Chunks of four rows, indexes on i, s, t; `contiguous`: x cannot grow. */
static stoa_table *sample_table(hid_t file, bool contiguous)
{
    static const char *const labels[] = {"i", "s"};
    static const stoa_column_index indexed[] = {{"i", NULL}, {"s", NULL}, {"t", NULL}};
    const stoa_column_options storage[] = {{.chunk_rows = 4},
                                           {.column = "x", .chunk_rows = STOA_CONTIGUOUS}};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = sample();

    options.index_columns = labels;
    options.n_index_columns = 2;
    options.indexes = indexed;
    options.n_indexes = 3;
    options.columns = storage;
    options.n_columns = contiguous ? 2 : 1;
    write_batches(file, "/t", &b, 1, &options);
    return open_table(file, "/t");
}

static void expect_as_made(stoa_table *table)
{
    EXPECT(table, "i", "5", "1", "null", "3", "2", "4");
    EXPECT(table, "x", "0.5", "1.0", "null", "2.0", "3.0", "4.0");
    EXPECT(table, "s", "'b'", "'a'", "null", "'b'", "''", "'c'");
    EXPECT(table, "c", "'u'", "'v'", "null", "'u'", "'w'", "'v'");
    EXPECT(table, "b", "1", "0", "null", "1", "0", "1");
    EXPECT(table, "t", "0", "60", "null", "180", "240", "300");
}

static void close_table(stoa_table *table, hid_t file)
{
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

/* Set one column, and say how many rows that changed. */
static uint64_t update(stoa_table *table, const char *where, const char *column, const char *value)
{
    const stoa_assignment assignment = {column, value};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 99;

    CHECK_OK(stoa_table_update(table, where, &assignment, 1, NULL, &n, &err), &err);
    return n;
}

static uint64_t delete_rows(stoa_table *table, const char *where)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 99;

    CHECK_OK(stoa_table_delete(table, where, NULL, &n, &err), &err);
    return n;
}

static void refuse_update(stoa_table *table, const char *column, const char *value,
                          stoa_status expected, const char *part)
{
    const stoa_assignment assignment = {column, value};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 99;

    CHECK_STATUS(expected, stoa_table_update(table, NULL, &assignment, 1, NULL, &n, &err), &err);
    CHECK_CONTAINS(err.message, part);
    CHECK_U64(n, 0);
}

static bool count_index(void *context, const stoa_index_info *info)
{
    (void)info;
    ++*(unsigned *)context;
    return true;
}

static unsigned n_indexes(const stoa_table *table)
{
    unsigned n = 0;

    CHECK_OK(stoa_index_list(table, count_index, &n, NULL));
    return n;
}

static uint64_t extent(stoa_table *table, const char *column)
{
    return stoa_table_find(table, column)->extent;
}

/* Which object a column's name leads to. */
static H5O_token_t token_of(hid_t file, const char *path)
{
    H5O_info2_t info;

    CHECK_H5(H5Oget_info_by_name3(file, path, &info, H5O_INFO_BASIC, H5P_DEFAULT));
    return info.token;
}

#define CHECK_SAME_OBJECT(a, b) CHECK(memcmp(&(a), &(b), sizeof(H5O_token_t)) == 0)
#define CHECK_OTHER_OBJECT(a, b) CHECK(memcmp(&(a), &(b), sizeof(H5O_token_t)) != 0)

/* --- Truncate, preallocate ---------------------------------------------------------------------
 */

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

/* --- Update ------------------------------------------------------------------------------------
 */

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
    CHECK_U64(stoa_table_info_of(table).n_index_columns, 2);
    stoa_table_close(table);
    table = open_table(file, "/t");
    CHECK_U64(stoa_table_info_of(table).n_index_columns, 2);
    CHECK_STR(stoa_column_name(stoa_table_info_of(table).index_columns[0]), "i");
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

/* --- Categories --------------------------------------------------------------------------------
 */

enum { N_LABELS = 126 };

/* Columns c and d of one code book: 126 labels, the most that int8 numbers beside its fill
 * -127..., and one more. */
static stoa_table *shared_table(hid_t file)
{
    batch b = batch_begin(2, N_LABELS);
    static char texts[N_LABELS][16];
    const char *labels[N_LABELS];
    stoa_table *table = NULL;

    for (int i = 0; i < N_LABELS; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "l%d", i);
        labels[i] = texts[i];
    }
    batch_categories(&b, 0, "c", labels);
    batch_categories(&b, 1, "d", labels);
    write_batches(file, "/t", &b, 1, NULL);
    /* What a producer who shares code books has: d refers to c's. */
    const hid_t c = CHECK_H5(H5Dopen2(file, "/t/c", H5P_DEFAULT));
    const hid_t d = CHECK_H5(H5Dopen2(file, "/t/d", H5P_DEFAULT));
    const hid_t from = CHECK_H5(H5Aopen(c, "CATEGORIES", H5P_DEFAULT));
    const hid_t to = CHECK_H5(H5Aopen(d, "CATEGORIES", H5P_DEFAULT));
    H5R_ref_t reference;
    CHECK_H5(H5Aread(from, H5T_STD_REF, &reference));
    CHECK_H5(H5Awrite(to, H5T_STD_REF, &reference));
    H5Rdestroy(&reference);
    H5Aclose(to);
    H5Aclose(from);
    H5Dclose(d);
    H5Dclose(c);
    CHECK_H5(H5Ldelete(file, "/t/CATEGORIES/d__CATEGORIES", H5P_DEFAULT));
    table = open_table(file, "/t");
    check_conformant(file, "/t");
    return table;
}

static const char *cell(stoa_table *table, const char *name, uint64_t row)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;

    CHECK_OK(stoa_column_schema(stoa_table_find(table, name), &schema, NULL));
    CHECK_OK(stoa_column_read(stoa_table_find(table, name), row, 1, &array, NULL));
    CHECK_OK(stoa_view_of(&schema, &array, &view, NULL));
    const char *text = value_text(&view, 0);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return text;
}

static int64_t stored_code(stoa_table *table, const char *name, uint64_t row)
{
    int64_t codes[N_LABELS];

    CHECK_H5(H5Dread(stoa_table_find(table, name)->dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL,
                     H5P_DEFAULT, codes));
    return codes[row];
}

static void new_labels_leave_codes_alone_and_books_shared(void)
{
    const hid_t file = new_file();
    stoa_table *table = shared_table(file);

    CHECK_U64(update(table, "c = 'l7'", "c", "'new'"), 1);
    CHECK_STR(cell(table, "c", 7), "'new'");
    CHECK_I64(stored_code(table, "c", 7), N_LABELS);
    CHECK_I64(stored_code(table, "c", 8), 8);
    CHECK_I64(stored_code(table, "d", 7), 7);
    CHECK_STR(stoa_table_find(table, "d")->element.text, "int8");
    check_conformant(file, "/t");
    /* The codes 127 and 128 do not fit beside it: both columns are widened, d for c's sake. */
    CHECK_U64(update(table, "c = 'l8' or c = 'l9'", "c", "lower(d)"), 2);
    CHECK_U64(update(table, "d = 'l8'", "c", "'one more, and a longer one'"), 1);
    CHECK_U64(update(table, "d = 'l9'", "c", "'the last'"), 1);
    CHECK_STR(cell(table, "c", 8), "'one more, and a longer one'");
    CHECK_STR(cell(table, "d", 8), "'l8'");
    CHECK_STR(cell(table, "c", 125), "'l125'");
    CHECK_I64(stored_code(table, "c", 9), N_LABELS + 2);
    CHECK_STR(stoa_table_find(table, "c")->element.text, "int16");
    CHECK_STR(stoa_table_find(table, "d")->element.text, "int16");
    CHECK(stoa_same_object(stoa_table_find(table, "c")->categories,
                           stoa_table_find(table, "d")->categories));
    close_table(table, file);
}

/* --- Delete ------------------------------------------------------------------------------------
 */

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

/* --- Foreign columns ---------------------------------------------------------------------------
 */

/* A column v of variable-length strings of foreign make, beside i. */
static void add_foreign(hid_t file, const char *path, hid_t type, hid_t dcpl, const void *values)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){6}, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, path, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(dataset);
    H5Sclose(space);
    CHECK_H5(H5Adelete_by_name(file, "/t", "column-order", H5P_DEFAULT));
}

static void variable_length_cells_are_overwritten_and_moved(void)
{
    static const char *const texts[] = {"zero", "one", "two", "three", "four", "five"};
    const char *const fill = "-";
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    stoa_table_close(table);
    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    CHECK_H5(H5Tset_cset(type, H5T_CSET_UTF8));
    CHECK_H5(H5Pset_fill_value(dcpl, type, &fill));
    add_foreign(file, "/t/v", type, dcpl, texts);
    H5Pclose(dcpl);
    H5Tclose(type);
    table = open_table(file, "/t");
    CHECK_U64(update(table, "i = 5 or i = 3", "v", "upper(v)"), 2);
    EXPECT(table, "v", "'ZERO'", "'one'", "'two'", "'THREE'", "'four'", "'five'");
    CHECK_U64(delete_rows(table, "i = 1 or i = 3"), 2);
    EXPECT(table, "v", "'ZERO'", "'two'", "'four'", "'five'");
    close_table(table, file);
}

/* Data in another file would not be put back with the table's own. */
static void data_in_other_files_is_left_alone(void)
{
    const int32_t values[] = {0, 1, 2, 3, 4, 5};
    int32_t found[6];
    hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const char *raw = check_path("raw.bin");

    stoa_table_close(table);
    CHECK_H5(H5Pset_external(dcpl, raw, 0, sizeof values));
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, &(int32_t){-1}));
    add_foreign(file, "/t/e", H5T_NATIVE_INT32, dcpl, values);
    H5Pclose(dcpl);
    table = open_table(file, "/t");
    CHECK_U64(update(table, "i = 5", "e", "77"), 1);
    EXPECT(table, "e", "77", "1", "2", "3", "4", "5");
    CHECK_U64(delete_rows(table, "i = 1"), 1);
    EXPECT(table, "e", "77", "2", "3", "4", "5");
    close_table(table, file);
    FILE *stream = fopen(raw, "rb");
    CHECK(stream != NULL && fread(found, sizeof found, 1, stream) == 1);
    CHECK(fclose(stream) == 0);
    CHECK_MEM(found, values, sizeof values);
}

/* --- Failures ----------------------------------------------------------------------------------
 */

/* Lets `n` calls pass, and stops the next one. */
static bool stop_after(void *context, const stoa_progress *progress)
{
    unsigned *n = context;

    (void)progress;
    return (*n)-- > 0;
}

typedef stoa_status (*edit_call)(stoa_table *table, const stoa_edit_options *options,
                                 stoa_error *err);

static stoa_status update_in_place(stoa_table *table, const stoa_edit_options *options,
                                   stoa_error *err)
{
    const stoa_assignment assignments[] = {{"i", "9"}, {"c", "'new'"}, {"t", "null"}};

    return stoa_table_update(table, "i >= 3", assignments, 3, options, NULL, err);
}

static stoa_status update_anew(stoa_table *table, const stoa_edit_options *options, stoa_error *err)
{
    const stoa_assignment assignments[] = {
        {"i", "90000"}, {"s", "'a longer one'"}, {"c", "'a much longer label'"}, {"x", "-1"}};

    return stoa_table_update(table, "i >= 3", assignments, 4, options, NULL, err);
}

static stoa_status delete_some(stoa_table *table, const stoa_edit_options *options, stoa_error *err)
{
    return stoa_table_delete(table, "i = 1 or i = 2", options, NULL, err);
}

static stoa_status truncate_some(stoa_table *table, const stoa_edit_options *options,
                                 stoa_error *err)
{
    return stoa_table_truncate(table, 3, options, err);
}

static stoa_status preallocate_some(stoa_table *table, const stoa_edit_options *options,
                                    stoa_error *err)
{
    return stoa_table_preallocate(table, 50, options, err);
}

static const edit_call edits[] = {update_in_place, update_anew, delete_some, truncate_some,
                                  preallocate_some};
enum { N_EDITS = sizeof edits / sizeof edits[0] };

static void an_edit_that_is_stopped_leaves_the_table(void)
{
    for (size_t k = 0; k < N_EDITS; k++) {
        stoa_status status = STOA_ECANCELLED;
        for (unsigned n = 0; status != STOA_OK; n++) {
            const hid_t file = new_file();
            stoa_table *table = sample_table(file, true);
            stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
            stoa_error err = STOA_ERROR_INIT;
            unsigned left = n;

            options.listener = (stoa_listener){stop_after, &left};
            status = edits[k](table, &options, &err);
            if (status != STOA_OK) {
                CHECK_STATUS(STOA_ECANCELLED, status, &err);
                expect_as_made(table);
                stoa_table_close(table);
                check_conformant(file, "/t");
                table = open_table(file, "/t");
                expect_as_made(table);
                CHECK_OK(edits[k](table, NULL, &err), &err);
            }
            close_table(table, file);
        }
    }
}

static stoa_status edit_failing_at(uint64_t n, edit_call edit, stoa_table *table, stoa_error *err)
{
    stoa_memory_fail_after(n);
    const stoa_status status = edit(table, NULL, err);
    stoa_memory_fail_after(UINT64_MAX);
    return status;
}

static void an_edit_that_memory_does_not_suffice_for_leaves_the_table(void)
{
    uint64_t total = 0;

    for (size_t k = 0; k < N_EDITS; k++) {
        stoa_status status = STOA_ENOMEM;
        uint64_t n = 0;
        for (; status != STOA_OK; n++) {
            const hid_t file = new_file();
            stoa_table *table = sample_table(file, true);
            stoa_error err = STOA_ERROR_INIT;

            status = edit_failing_at(n, edits[k], table, &err);
            if (status != STOA_OK) {
                CHECK_STATUS(STOA_ENOMEM, status, &err);
                expect_as_made(table);
            }
            stoa_table_close(table);
            if (n % 8 == k) { /* the checker takes its time; these are all stages */
                check_conformant(file, "/t");
            }
            H5Fclose(file);
        }
        total += n;
    }
    CHECK(total > 500);
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
          TEST(options_without_a_size_are_refused),
          TEST(new_labels_leave_codes_alone_and_books_shared),
          TEST(rows_behind_deleted_ones_move_up), TEST(an_update_spans_blocks_in_place_and_anew),
          TEST(a_deletion_spans_blocks_in_place_and_anew),
          TEST(variable_length_cells_are_overwritten_and_moved),
          TEST(data_in_other_files_is_left_alone), TEST(an_edit_that_is_stopped_leaves_the_table),
          TEST(an_edit_that_memory_does_not_suffice_for_leaves_the_table))
