/* Columns of lists as VLArrays of PyTables, alone and beside a Table: src/layout/pytables/ragged.c,
 * vlarray.c and ragged_read.c. tests/interop/test_ragged.py asks PyTables. */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/stoa.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/common/column_stats.h"
#include "layout/pytables/ragged.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/sweep.h"

enum { N = 4 };

static const int64_t lengths[N] = {2, 0, 1, 3};

/* Lists of 2, 0, 1 and 3 of the numbers from 1 on. */
static void add_lists(batch *b, int64_t i, const char *name, const char *format, const bool *valid,
                      const bool *items_valid)
{
    batch items = batch_begin(1, 6);

    batch_integers(&items, 0, "item", format, (const int64_t[]){1, 2, 3, 4, 5, 6}, items_valid);
    batch_lists(b, i, name, "+l", &items, lengths, valid);
}

static batch one_column(const char *format)
{
    batch b = batch_begin(1, N);

    add_lists(&b, 0, "v", format, NULL, NULL);
    return b;
}

/* Write the batch, which is used up, as /t. */
static stoa_status write_with(hid_t file, batch *b, const stoa_missing_value *missing, size_t n,
                              uint64_t *n_rows, stoa_error *err)
{
    struct ArrowArrayStream stream;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;

    options.layout = "pytables";
    options.missing = missing;
    options.n_missing = n;
    options.title = "Tracks";
    stream_of(b, 1, &stream);
    const stoa_status status = stoa_layout_write(file, "/t", &stream, &options, n_rows, err);
    stoa_stream_release(&stream);
    return status;
}

static void write(hid_t file, batch *b)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(write_with(file, b, NULL, 0, NULL, &err), &err);
}

/* "[1 2]", of any items that value_text() knows. */
static const char *list_text(const stoa_view *lists, int64_t i)
{
    static char text[200];
    stoa_view items;
    int64_t at = 0;
    int64_t count = 0;
    size_t n = 0;

    if (stoa_view_is_null(lists, i)) {
        return "null";
    }
    CHECK_OK(stoa_view_child(lists, 0, &items, NULL));
    stoa_view_range(lists, i, &at, &count);
    text[0] = '\0';
    for (int64_t k = 0; k < count; k++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", k > 0 ? " " : "",
                              value_text(&items, at + k));
    }
    return text;
}

/* A table that was read whole. */
typedef struct whole {
    stoa_table *table;
    struct ArrowSchema schema;
    struct ArrowArray rows;
    stoa_view view;
} whole;

/* The view has pointers into `w`. */
static void read_whole(hid_t file, const char *path, whole *w)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream;

    *w = (whole){.table = NULL};
    CHECK_OK(stoa_table_open(file, path, &w->table, &err), &err);
    CHECK_OK(stoa_query_open(w->table, NULL, &query, &err), &err);
    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &w->schema, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &w->rows, &err), &err);
    CHECK(w->rows.release != NULL);
    CHECK_OK(stoa_view_of(&w->schema, &w->rows, &w->view, &err), &err);
    stoa_stream_release(&stream);
    stoa_query_close(query);
}

static void end_whole(whole *w)
{
    stoa_array_release(&w->rows);
    stoa_schema_release(&w->schema);
    stoa_table_close(w->table);
}

static void expect_lists(const whole *w, int64_t column, const char *const texts[N])
{
    stoa_view lists;

    CHECK_OK(stoa_view_child(&w->view, column, &lists, NULL));
    CHECK_I64(lists.length, N);
    for (int64_t i = 0; i < N; i++) {
        CHECK_STR(list_text(&lists, i), texts[i]);
    }
}

static const char *const counted[N] = {"1 2", "", "3", "4 5 6"};

/* --- one column ------------------------------------------------------------------------------ */

static void expect_text(hid_t object, const char *attribute, const char *text)
{
    if (!stoa_attribute_is(object, attribute, text)) {
        FAIL("%s is not '%s'", attribute, text);
    }
}

static void a_column_of_lists_is_a_vlarray(void)
{
    static const struct {
        const char *format;
        hid_t *stored;
    } kinds[] = {{"c", &H5T_STD_I8LE_g},  {"S", &H5T_STD_U16LE_g}, {"i", &H5T_STD_I32LE_g},
                 {"L", &H5T_STD_U64LE_g}, {"b", &H5T_STD_B8LE_g},  {"tss:UTC", &H5T_UNIX_D32LE_g}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const hid_t file = memory_file("ragged.h5", false);
        batch b = one_column(kinds[i].format);
        write(file, &b);
        const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t", H5P_DEFAULT));
        const hid_t type = CHECK_H5(H5Dget_type(dataset));
        const hid_t item = CHECK_H5(H5Tget_super(type));
        CHECK(H5Tget_class(type) == H5T_VLEN);
        CHECK(H5Tequal(item, *kinds[i].stored) > 0);
        expect_text(dataset, "CLASS", "VLARRAY");
        expect_text(dataset, "VERSION", "1.4");
        expect_text(dataset, "TITLE", "Tracks");
        CHECK_H5(H5Tclose(item));
        CHECK_H5(H5Tclose(type));
        CHECK_H5(H5Dclose(dataset));
        whole w;
        read_whole(file, "/t", &w);
        CHECK_STR(w.schema.children[0]->name, "v"); /* not that of the object */
        CHECK_STR(w.schema.children[0]->children[0]->format, kinds[i].format);
        CHECK_STR(stoa_table_title(w.table), "Tracks");
        static const char *const truths[N] = {"1 1", "", "1", "1 1 1"};
        expect_lists(&w, 0, strcmp(kinds[i].format, "b") == 0 ? truths : counted);
        end_whole(&w);
        CHECK_H5(H5Fclose(file));
    }
}

static void times_and_durations_are_known_by_their_units(void)
{
    static const char *const formats[] = {"tsn:", "tsu:", "tdD", "tDm", "tDn"};

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const hid_t file = memory_file("ragged.h5", false);
        batch b = one_column(formats[i]);
        write(file, &b);
        whole w;
        read_whole(file, "/t", &w);
        CHECK_STR(w.schema.children[0]->children[0]->format, formats[i]);
        expect_lists(&w, 0, counted);
        end_whole(&w);
        CHECK_H5(H5Fclose(file));
    }
}

static void units_and_descriptions_are_attributes_of_the_vlarray(void)
{
    const hid_t file = memory_file("ragged.h5", false);
    batch b = one_column("i");
    char *text = NULL;

    CHECK_OK(stoa_schema_set(b.schema.children[0], "units", "MeV", NULL));
    CHECK_OK(stoa_schema_set(b.schema.children[0], "description", "of hits", NULL));
    write(file, &b);
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t", H5P_DEFAULT));
    expect_text(dataset, "units", "MeV");
    expect_text(dataset, "description", "of hits");
    CHECK_H5(H5Dclose(dataset));
    whole w;
    read_whole(file, "/t", &w);
    CHECK_OK(stoa_schema_get_text(w.schema.children[0], "units", &text, NULL));
    CHECK_STR(text, "MeV");
    free(text);
    CHECK_OK(stoa_schema_get_text(w.schema.children[0], "description", &text, NULL));
    CHECK_STR(text, "of hits");
    free(text);
    end_whole(&w);
    CHECK_H5(H5Fclose(file));
}

/* More rows than are packed at a time, and lists of more bytes than that. */
static void long_lists_and_many_are_written_in_parts(void)
{
    enum { ROWS = 10000, LONG = 300000 };
    const hid_t file = memory_file("ragged.h5", false);
    batch b = batch_begin(1, ROWS);
    batch items = batch_begin(1, 2 * LONG + ROWS - 2);
    int64_t *const counts = calloc(ROWS, sizeof *counts);
    int64_t *const numbers = calloc((size_t)items.array.length, sizeof *numbers);

    CHECK(counts != NULL && numbers != NULL);
    for (int64_t i = 0; i < ROWS; i++) {
        counts[i] = i == 1 || i == 5000 ? LONG : 1;
    }
    for (int64_t i = 0; i < items.array.length; i++) {
        numbers[i] = i % 251 - 100;
    }
    batch_integers(&items, 0, "item", "l", numbers, NULL);
    batch_lists(&b, 0, "v", "+l", &items, counts, NULL);
    write(file, &b);
    whole w;
    read_whole(file, "/t", &w);
    stoa_view lists;
    stoa_view found;
    CHECK_OK(stoa_view_child(&w.view, 0, &lists, NULL));
    CHECK_OK(stoa_view_child(&lists, 0, &found, NULL));
    CHECK_I64(lists.length, ROWS);
    for (int64_t i = 0, n = 0; i < ROWS; n += counts[i++]) {
        int64_t at = 0;
        int64_t count = 0;
        stoa_view_range(&lists, i, &at, &count);
        CHECK_I64(at, n);
        CHECK_I64(count, counts[i]);
    }
    CHECK_MEM(found.values, numbers, (size_t)items.array.length * sizeof *numbers);
    end_whole(&w);
    free(counts);
    free(numbers);
    CHECK_H5(H5Fclose(file));
}

/* --- several columns ------------------------------------------------------------------------- */

static batch three_columns(const char *list)
{
    batch b = batch_begin(3, N);

    batch_integers(&b, 0, "id", "i", (const int64_t[]){7, 8, 9, 10}, NULL);
    add_lists(&b, 1, list, "l", NULL, NULL);
    batch_strings(&b, 2, "name", (const char *[]){"a", "bc", "", "d"});
    return b;
}

static void other_columns_are_in_a_table_beside(void)
{
    const hid_t file = memory_file("ragged.h5", false);
    batch b = three_columns("hits");
    stoa_view cells;

    write(file, &b);
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));
    expect_text(group, "CLASS", "GROUP");
    expect_text(group, "TITLE", "Tracks");
    CHECK_H5(H5Gclose(group));
    whole w;
    read_whole(file, "/t", &w);
    const char *const names[] = {"id", "hits", "name"};
    for (int64_t i = 0; i < 3; i++) {
        CHECK_STR(w.schema.children[i]->name, names[i]);
    }
    expect_lists(&w, 1, counted);
    CHECK_OK(stoa_view_child(&w.view, 2, &cells, NULL));
    CHECK_STR(value_text(&cells, 1), "'bc'");
    CHECK_OK(stoa_view_child(&w.view, 0, &cells, NULL));
    CHECK_STR(value_text(&cells, 3), "10");
    end_whole(&w);
    read_whole(file, "/t/hits", &w); /* its parts are tables, too */
    expect_lists(&w, 0, counted);
    end_whole(&w);
    read_whole(file, "/t/table", &w);
    CHECK_I64(w.schema.n_children, 2);
    end_whole(&w);
    CHECK_H5(H5Fclose(file));
}

static void the_table_gives_way_to_a_list_of_its_name(void)
{
    const hid_t file = memory_file("ragged.h5", false);
    batch b = three_columns("table");

    write(file, &b);
    whole w;
    read_whole(file, "/t", &w);
    expect_lists(&w, 1, counted);
    end_whole(&w);
    read_whole(file, "/t/table_", &w);
    CHECK_I64(w.schema.n_children, 2);
    end_whole(&w);
    CHECK_H5(H5Fclose(file));
}

static void lists_alone_need_no_table(void)
{
    const hid_t file = memory_file("ragged.h5", false);
    batch b = batch_begin(2, N);

    add_lists(&b, 0, "b", "l", NULL, NULL);
    add_lists(&b, 1, "a", "C", NULL, NULL);
    write(file, &b);
    whole w;
    read_whole(file, "/t", &w);
    CHECK_STR(w.schema.children[0]->name, "b");
    expect_lists(&w, 0, counted);
    expect_lists(&w, 1, counted);
    end_whole(&w);
    CHECK(H5Lexists(file, "/t/table", H5P_DEFAULT) == 0);
    CHECK_H5(H5Fclose(file));
}

/* --- what is refused ------------------------------------------------------------------------- */

static void expect_refused(batch *b, const stoa_missing_value *missing, size_t n,
                           stoa_status status, const char *what)
{
    const hid_t file = memory_file("ragged.h5", false);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(status, write_with(file, b, missing, n, NULL, &err), &err);
    CHECK_CONTAINS(err.message, what);
    CHECK(H5Lexists(file, "t", H5P_DEFAULT) == 0);
    CHECK_H5(H5Fclose(file));
}

static const bool third_is_missing[N] = {true, true, false, true};
static const bool last_item_is_missing[] = {true, true, true, true, true, false};

static void missing_lists_and_items_are_refused_with_the_way_out(void)
{
    batch b = batch_begin(1, N);

    add_lists(&b, 0, "v", "l", third_is_missing, NULL);
    expect_refused(&b, NULL, 0, STOA_ELOSS,
                   "column 'v' has 1 missing value, which a VLArray of PyTables cannot hold; "
                   "--missing 'v=[]|drop' says");
    b = batch_begin(1, N);
    add_lists(&b, 0, "v", "l", NULL, last_item_is_missing);
    expect_refused(&b, NULL, 0, STOA_ELOSS,
                   "column 'v' has 1 missing value, which pytables cannot hold; --missing "
                   "'v=VALUE' says");
}

static void missing_lists_become_empty_or_their_rows_are_left_out(void)
{
    static const char *const emptied[N] = {"1 2", "", "", "4 5 6"};
    const stoa_missing_value values[] = {{"v", "[]"}, {"v", "drop"}};

    for (size_t i = 0; i < 2; i++) {
        const hid_t file = memory_file("ragged.h5", false);
        stoa_error err = STOA_ERROR_INIT;
        uint64_t n_rows = 0;
        batch b = batch_begin(1, N);
        stoa_view lists;
        add_lists(&b, 0, "v", "l", third_is_missing, NULL);
        CHECK_OK(write_with(file, &b, &values[i], 1, &n_rows, &err), &err);
        CHECK_U64(n_rows, i == 0 ? N : N - 1);
        whole w;
        read_whole(file, "/t", &w);
        if (i == 0) {
            expect_lists(&w, 0, emptied);
        } else {
            CHECK_OK(stoa_view_child(&w.view, 0, &lists, NULL));
            CHECK_STR(list_text(&lists, 2), "4 5 6");
        }
        end_whole(&w);
        CHECK_H5(H5Fclose(file));
    }
}

static void values_stand_for_missing_items(void)
{
    static const char *const filled[N] = {"1 2", "", "3", "4 5 -1"};
    static const char *const with_nan[N] = {"1.0 2.0", "", "3.0", "4.0 5.0 nan"};
    const stoa_missing_value values[] = {{"v", "-1"}, {NULL, "nan"}};

    for (size_t i = 0; i < 2; i++) {
        const hid_t file = memory_file("ragged.h5", false);
        stoa_error err = STOA_ERROR_INIT;
        batch b = batch_begin(1, N);
        add_lists(&b, 0, "v", "s", NULL, last_item_is_missing);
        CHECK_OK(write_with(file, &b, &values[i], 1, NULL, &err), &err);
        whole w;
        read_whole(file, "/t", &w);
        CHECK_STR(w.schema.children[0]->children[0]->format, i == 0 ? "s" : "g");
        expect_lists(&w, 0, i == 0 ? filled : with_nan);
        end_whole(&w);
        CHECK_H5(H5Fclose(file));
    }
}

static void lists_of_lists_are_refused(void)
{
    batch b = batch_begin(1, 2);
    batch inner = batch_begin(1, N);

    add_lists(&inner, 0, "item", "l", NULL, NULL);
    batch_lists(&b, 0, "deep", "+l", &inner, (const int64_t[]){3, 1}, NULL);
    expect_refused(&b, NULL, 0, STOA_ETYPE, "column 'deep' has lists of lists");
}

static void names_that_pytables_refuses_are_refused(void)
{
    static const char *const names[] = {"a/b", "_v_a", "_i_a", ".", "__members__"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        batch b = batch_begin(2, N);
        batch_integers(&b, 0, "id", "i", (const int64_t[]){7, 8, 9, 10}, NULL);
        add_lists(&b, 1, names[i], "l", NULL, NULL);
        const hid_t file = memory_file("ragged.h5", false);
        stoa_error err = STOA_ERROR_INIT;
        CHECK(write_with(file, &b, NULL, 0, NULL, &err) != STOA_OK); /* some already as columns */
        CHECK(H5Lexists(file, "t", H5P_DEFAULT) == 0);
        CHECK_H5(H5Fclose(file));
    }
}

/* --- memory ---------------------------------------------------------------------------------- */

static batch swept;
static hid_t swept_file;
static stoa_column_stats *swept_stats;
static bool is_fed;

static stoa_status feed_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    (void)self;
    return stoa_schema_copy(&swept.schema, out, err);
}

static stoa_status feed(void *self, struct ArrowArray *out, stoa_error *err)
{
    (void)self;
    out->release = NULL;
    if (is_fed) {
        return STOA_OK;
    }
    is_fed = true;
    return stoa_array_share(&swept.array, out, err);
}

static stoa_status write_swept(stoa_error *err)
{
    static const stoa_producer producer = {feed_schema, feed, NULL};
    stoa_status status = STOA_OK;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    hid_t object = H5I_INVALID_HID;

    is_fed = false;
    STOA_TRY(stoa_stream_make(&stream, &producer, NULL, err));
    const stoa_layout_source source = {.schema = &swept.schema,
                                       .columns = swept_stats,
                                       .stream = &stream,
                                       .n_rows = N,
                                       .options = &options};
    STOA_TRY(stoa_ragged_write(&source, swept_file, &object, err));

done:
    stoa_stream_release(&stream);
    return stoa_hdf_close(&object, status, err);
}

static stoa_status open_swept(stoa_error *err)
{
    const hid_t group = CHECK_H5(H5Gopen2(swept_file, "/t", H5P_DEFAULT));
    stoa_table *table = NULL;
    const stoa_status status = stoa_ragged_groups.open(group, "/t", "ragged.h5", &table, err);

    stoa_table_close(table);
    return status;
}

static void memory_may_run_out(void)
{
    swept_file = memory_file("ragged.h5", false);
    batch b = three_columns("hits");
    write(swept_file, &b);
    swept = three_columns("table");
    CHECK_OK(stoa_column_stats_make(&swept.schema, &swept_stats, NULL));
    CHECK_OK(stoa_column_stats_add(swept_stats, &swept.schema, &swept.array, NULL, NULL));
    CHECK(sweep_memory(write_swept) > 10);
    CHECK(sweep_memory(open_swept) > 10);
    stoa_column_stats_free(swept_stats, 3);
    batch_end(&swept);
    CHECK_H5(H5Fclose(swept_file));
}

/* --- damage ---------------------------------------------------------------------------------- */

static void expect_closed(hid_t file, const char *what)
{
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EDATA, stoa_table_open(file, "/t", &table, &err), &err);
    CHECK_CONTAINS(err.message, what);
    CHECK_H5(H5Fclose(file));
}

static hid_t written(const char *list)
{
    const hid_t file = memory_file("ragged.h5", false);
    batch b = three_columns(list);

    write(file, &b);
    return file;
}

static void rows_that_were_added_to_one_part_alone_are_told(void)
{
    const hid_t file = written("hits");
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/hits", H5P_DEFAULT));

    CHECK_H5(H5Dset_extent(dataset, &(hsize_t){N + 1}));
    CHECK_H5(H5Dclose(dataset));
    expect_closed(file, "column 'hits' has 5 rows, and 'id' 4");
}

static void columns_that_are_listed_and_not_there_are_told(void)
{
    hid_t file = written("hits");

    CHECK_H5(H5Ldelete(file, "/t/hits", H5P_DEFAULT));
    expect_closed(file, "lists a column 'hits', which is neither a VLArray nor in its Table");
    file = written("hits");
    CHECK_H5(H5Ldelete(file, "/t/table", H5P_DEFAULT));
    expect_closed(file, "has no Table 'table'");
}

TEST_MAIN(TEST(a_column_of_lists_is_a_vlarray), TEST(times_and_durations_are_known_by_their_units),
          TEST(units_and_descriptions_are_attributes_of_the_vlarray),
          TEST(long_lists_and_many_are_written_in_parts), TEST(other_columns_are_in_a_table_beside),
          TEST(the_table_gives_way_to_a_list_of_its_name), TEST(lists_alone_need_no_table),
          TEST(missing_lists_and_items_are_refused_with_the_way_out),
          TEST(missing_lists_become_empty_or_their_rows_are_left_out),
          TEST(values_stand_for_missing_items), TEST(lists_of_lists_are_refused),
          TEST(names_that_pytables_refuses_are_refused), TEST(memory_may_run_out),
          TEST(rows_that_were_added_to_one_part_alone_are_told),
          TEST(columns_that_are_listed_and_not_there_are_told))
