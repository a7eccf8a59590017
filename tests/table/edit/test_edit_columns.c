/* Columns added, dropped, renamed, put in order; row labels (HEP001 §8, §9, §12). */
#include <string.h>

#include "column/column.h"
#include "core/memory.h"
#include "table/columns_kit.h"

/* --- Dropping --------------------------------------------------------------------------------- */

static void a_dropped_column_leaves_nothing_behind(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_U64(n_links(file, "/t/CATEGORIES"), 2);
    CHECK_U64(n_links(file, "/t/SEARCH_INDEXES"), 3);
    CHECK_OK(stoa_column_drop(table, "c", &err), &err);
    CHECK_U64(stoa_table_n_columns(table), 5);
    CHECK(stoa_table_find(table, "c") == NULL);
    CHECK_U64(n_links(file, "/t/CATEGORIES"), 1);
    CHECK_U64(n_links(file, "/t/SEARCH_INDEXES"), 2);
    CHECK_STR(order_text(file, "/t"), "i x s d t");
    check_conformant(file, "/t");

    CHECK_OK(stoa_column_drop(table, "d", &err), &err);
    CHECK(H5Lexists(file, "/t/CATEGORIES", H5P_DEFAULT) == 0);
    CHECK_OK(stoa_column_drop(table, "s", &err), &err);
    CHECK_OK(stoa_column_drop(table, "i", &err), &err);
    CHECK(H5Lexists(file, "/t/SEARCH_INDEXES", H5P_DEFAULT) == 0);
    CHECK_STR(text_of(file, "/t", "_index"), "t");
    CHECK_STR(targets_text(file, "/t", "INDEX_COLUMNS"), "t x");
    CHECK_U64(stoa_table_n_index_columns(table), 2);
    EXPECT(table, "t", "0", "60", "120", "180", "240", "300");
    check_conformant(file, "/t");

    CHECK_OK(stoa_column_drop(table, "x", &err), &err);
    CHECK_OK(stoa_column_drop(table, "t", &err), &err);
    CHECK(H5Aexists_by_name(file, "/t", "INDEX_COLUMNS", H5P_DEFAULT) == 0);
    CHECK(H5Aexists_by_name(file, "/t", "_index", H5P_DEFAULT) == 0);
    CHECK_U64(stoa_table_n_rows(table), N_ROWS);
    CHECK_U64(stoa_table_n_columns(table), 0);
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_column_that_is_not_there_is_named_and_nothing_happens(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    const char *const nope[] = {"nope"};

    CHECK_STATUS(STOA_ENOTFOUND, stoa_column_drop(table, "nope", &err));
    CHECK_CONTAINS(err.message, "'nope'");
    CHECK_CONTAINS(err.where, "/t");
    CHECK_STATUS(STOA_ENOTFOUND, stoa_column_rename(table, "nope", "new", NULL));
    CHECK_STATUS(STOA_ENOTFOUND, stoa_column_reorder(table, nope, 1, NULL));
    CHECK_STATUS(STOA_ENOTFOUND, stoa_table_label_rows(table, nope, 1, NULL));
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void of_two_names_for_one_dataset_either_can_be_dropped(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);

    stoa_table_close(table);
    CHECK_H5(H5Lcreate_hard(file, "/t/i", file, "/t/twin", H5P_DEFAULT, H5P_DEFAULT));
    table = open_table(file, "/t");
    CHECK_OK(stoa_column_drop(table, "twin", NULL));
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

/* --- Names and order -------------------------------------------------------------------------- */

static void a_new_name_stands_wherever_the_old_one_stood(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_column_rename(table, "i", "größe", &err), &err);
    CHECK(H5Lexists(file, "/t/i", H5P_DEFAULT) == 0);
    CHECK_STR(order_text(file, "/t"), "größe x s c d t");
    CHECK_STR(text_of(file, "/t", "_index"), "größe");
    CHECK_STR(targets_text(file, "/t", "INDEX_COLUMNS"), "größe t x");
    CHECK_STR(stoa_column_name(stoa_table_column(table, 0)), "größe");
    CHECK_STR(stoa_column_name(stoa_table_index_column(table, 0)), "größe");
    EXPECT(table, "größe", "5", "1", "null", "3", "2", "4");
    bool same = false;
    CHECK_OK(stoa_index_verify(table, "größe", "minmax", &same, &err), &err);
    CHECK(same);
    CHECK_OK(stoa_column_rename(table, "größe", "größe", &err), &err);
    CHECK_OK(stoa_column_rename(table, "größe", "i", &err), &err);
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_name_that_is_taken_or_reserved_is_refused(void)
{
    static const char *const bad[] = {"", "a/b", ".", "NROWS", "CATEGORIES", "BITMAP", "\xff"};
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EEXISTS, stoa_column_rename(table, "i", "x", &err));
    CHECK_CONTAINS(err.message, "'x'");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK_STATUS(STOA_EINVAL, stoa_column_rename(table, "i", bad[k], NULL));
    }
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void named_columns_come_first_and_the_others_stay_in_order(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_column_reorder(table, (const char *[]){"t", "c"}, 2, &err), &err);
    CHECK_STR(order_text(file, "/t"), "t c i x s d");
    CHECK_STR(stoa_column_name(stoa_table_column(table, 5)), "d");
    CHECK_STATUS(STOA_EINVAL, stoa_column_reorder(table, (const char *[]){"t", "t"}, 2, &err));
    CHECK_STR(order_text(file, "/t"), "t c i x s d");
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void renaming_keeps_the_order_of_a_table_that_has_no_column_order(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);

    stoa_table_close(table);
    CHECK_H5(H5Adelete_by_name(file, "/t", "column-order", H5P_DEFAULT));
    table = open_table(file, "/t");
    CHECK_STR(stoa_column_name(stoa_table_column(table, 0)), "c");
    CHECK_OK(stoa_column_rename(table, "c", "z", NULL));
    CHECK_STR(stoa_column_name(stoa_table_column(table, 0)), "z");
    CHECK_STR(order_text(file, "/t"), "z d i s t x");
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void row_labels_have_up_to_three_levels_and_more(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_label_rows(table, (const char *[]){"c", "d", "i"}, 3, &err), &err);
    CHECK_STR(targets_text(file, "/t", "INDEX_COLUMNS"), "c d i");
    CHECK_STR(text_of(file, "/t", "_index"), "c");
    CHECK_U64(stoa_table_n_index_columns(table), 3);
    CHECK(stoa_table_index_column(table, 1) == stoa_table_find(table, "d"));
    CHECK_OK(stoa_table_label_rows(table, (const char *[]){"c", "d", "i", "s"}, 4, &err), &err);
    CHECK_STR(targets_text(file, "/t", "INDEX_COLUMNS"), "c d i s");
    CHECK_STATUS(STOA_EINVAL, stoa_table_label_rows(table, (const char *[]){"c", "c"}, 2, &err));
    CHECK_STR(targets_text(file, "/t", "INDEX_COLUMNS"), "c d i s");
    check_conformant(file, "/t");
    CHECK_OK(stoa_table_label_rows(table, NULL, 0, &err), &err);
    CHECK_U64(stoa_table_n_index_columns(table), 0);
    CHECK(H5Aexists_by_name(file, "/t", "INDEX_COLUMNS", H5P_DEFAULT) == 0);
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

/* --- Adding ----------------------------------------------------------------------------------- */

static stoa_status add(stoa_table *table, batch *batches, size_t n,
                       const stoa_column_options *storage, stoa_error *err)
{
    struct ArrowArrayStream stream;

    stream_of(batches, n, &stream);
    const stoa_status status = stoa_column_add(table, &stream, storage, NULL, err);
    stoa_stream_release(&stream);
    return status;
}

static bool refuse(void *context, const stoa_progress *progress)
{
    (void)progress;
    ++*(int *)context;
    return false;
}

static void a_listener_stops_columns_that_are_added(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch b = batch_begin(1, N_ROWS);
    int n_calls = 0;

    batch_integers(&b, 0, "n", "l", (int64_t[]){1, 2, 3, 4, 5, 6}, NULL);
    stream_of(&b, 1, &stream);
    options.listener = (stoa_listener){refuse, &n_calls};
    CHECK_STATUS(STOA_ECANCELLED, stoa_column_add(table, &stream, NULL, &options, &err));
    CHECK_I64(n_calls, 1);
    stoa_stream_release(&stream);
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void added_columns_are_the_last_ones_and_of_the_same_extent(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(3, N_ROWS);

    batch_integers(&b, 0, "n", "l", (int64_t[]){1, 2, 3, 4, 5, INT64_MIN + 1}, NULL);
    batch_categories(&b, 1, "e", (const char *[]){"p", "q", "p", NULL, "p", "q"});
    batch_strings(&b, 2, "z", (const char *[]){"", NULL, "z", "z", "z", "z"});
    CHECK_OK(stoa_schema_set(b.schema.children[0], "units", "m", NULL));
    CHECK_OK(add(table, &b, 1, &(stoa_column_options){.codec = "none", .chunk_rows = 3}, &err),
             &err);
    CHECK_STR(order_text(file, "/t"), "i x s c d t n e z");
    CHECK_STR(stoa_column_name(stoa_table_column(table, 8)), "z");
    EXPECT(table, "n", "1", "2", "3", "4", "5", "-9223372036854775807");
    EXPECT(table, "e", "'p'", "'q'", "'p'", "null", "'p'", "'q'");
    EXPECT(table, "z", "''", "null", "'z'", "'z'", "'z'", "'z'");
    EXPECT(table, "i", "5", "1", "null", "3", "2", "4");
    CHECK_STR(text_of(file, "/t/n", "units"), "m");
    CHECK_STR(stoa_table_find(table, "n")->units_vocabulary, "UDUNITS-2");
    CHECK(H5Aexists_by_name(file, "/t/n", "units_vocabulary", H5P_DEFAULT) == 0);
    CHECK_U64(stoa_table_find(table, "n")->extent, 10);
    CHECK_U64(stoa_table_find(table, "z")->chunk_rows, 3);
    CHECK_U64(n_links(file, "/t/CATEGORIES"), 3);
    check_conformant(file, "/t");

    /* It takes rows like any other table. */
    b = six_columns();
    batch more = batch_begin(9, N_ROWS);
    batch extra = batch_begin(3, N_ROWS);
    batch_integers(&extra, 0, "n", "l", (int64_t[]){7, 7, 7, 7, 7, 7}, NULL);
    batch_strings(&extra, 1, "e", (const char *[]){"r", "r", "r", "r", "r", "r"});
    batch_strings(&extra, 2, "z", (const char *[]){"a", "a", "a", "a", "a", "a"});
    for (int64_t i = 0; i < 9; i++) {
        batch *from = i < 6 ? &b : &extra;
        stoa_schema_move(from->schema.children[i % 6], more.schema.children[i]);
        stoa_array_move(from->array.children[i % 6], more.array.children[i]);
    }
    batch_end(&b);
    batch_end(&extra);
    CHECK_OK(append(table, &more, &err), &err);
    CHECK_U64(stoa_table_n_rows(table), 2 * N_ROWS);
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void contiguous_columns_can_be_added_and_several_batches_too(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    batch batches[3];

    for (int i = 0; i < 3; i++) {
        batches[i] = batch_begin(1, 2);
        batch_strings(&batches[i], 0, "w",
                      i == 2 ? (const char *[]){"long text", NULL} : (const char *[]){"a", "b"});
    }
    CHECK_OK(add(table, batches, 3, &(stoa_column_options){.chunk_rows = STOA_CONTIGUOUS}, &err),
             &err);
    EXPECT(table, "w", "'a'", "'b'", "'a'", "'b'", "'long text'", "null");
    CHECK_U64(stoa_table_find(table, "w")->chunk_rows, 0);
    CHECK_U64(stoa_table_find(table, "w")->extent, 10);
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

static void columns_of_another_length_or_with_a_taken_name_are_refused(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, 5);

    batch_integers(&b, 0, "n", "l", (int64_t[]){1, 2, 3, 4, 5}, NULL);
    CHECK_STATUS(STOA_ERANGE, add(table, &b, 1, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "5 values for the table's 6 rows");
    CHECK_CONTAINS(err.where, "t.h5:/t");
    b = batch_begin(1, 7);
    batch_integers(&b, 0, "n", "l", (int64_t[]){1, 2, 3, 4, 5, 6, 7}, NULL);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ERANGE, add(table, &b, 1, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "more values than the table's 6 rows");
    for (int turn = 0; turn < 4; turn++) {
        static const char *const names[] = {"i", "CATEGORIES", "VALUES", "n"};
        b = batch_begin(2, 6);
        batch_integers(&b, 0, names[turn], "l", (int64_t[]){1, 2, 3, 4, 5, 6}, NULL);
        batch_integers(&b, 1, "n", "l", (int64_t[]){1, 2, 3, 4, 5, 6}, NULL);
        CHECK_STATUS(turn == 0 ? STOA_EEXISTS : STOA_EINVAL, add(table, &b, 1, NULL, NULL));
    }
    b = batch_begin(1, 6);
    batch_integers(&b, 0, "n", "l", (int64_t[]){1, 2, 3, 4, 5, 6}, NULL);
    CHECK_STATUS(STOA_EINVAL, add(table, &b, 1, &(stoa_column_options){.codec = "nope"}, NULL));
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void columns_are_the_fields_of_structs_each_of_its_own_name(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(1, N_ROWS);
    batch plain = {.n_columns = 0};

    batch_integers(&b, 0, "n", "l", (int64_t[]){1, 2, 3, 4, 5, 6}, NULL);
    stoa_schema_move(b.schema.children[0], &plain.schema);
    stoa_array_move(b.array.children[0], &plain.array);
    batch_end(&b);
    CHECK_STATUS(STOA_ETYPE, add(table, &plain, 1, NULL, &err));
    CHECK_CONTAINS(err.message, "stream of structs");
    CHECK_CONTAINS(err.where, "t.h5:/t");
    expect_unchanged(table, file);

    b = batch_begin(2, N_ROWS);
    batch_integers(&b, 0, "n", "l", (int64_t[]){1, 2, 3, 4, 5, 6}, NULL);
    batch_integers(&b, 1, "n", "l", (int64_t[]){1, 2, 3, 4, 5, 6}, NULL);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EINVAL, add(table, &b, 1, NULL, &err));
    CHECK_CONTAINS(err.message, "called 'n'");
    expect_unchanged(table, file);
    stoa_table_close(table);
    H5Fclose(file);
}

static void columns_come_into_a_table_without_columns(void)
{
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    static const char *const names[] = {"i", "x", "s", "c", "d", "t"};
    batch b = six_columns();

    for (int i = 0; i < 6; i++) {
        CHECK_OK(stoa_column_drop(table, names[i], NULL));
    }
    CHECK_OK(add(table, &b, 1, NULL, NULL));
    EXPECT(table, "i", "5", "1", "null", "3", "2", "4");
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static stoa_status drop_c(stoa_table *table, stoa_error *err)
{
    return stoa_column_drop(table, "c", err);
}

static stoa_status rename_i(stoa_table *table, stoa_error *err)
{
    return stoa_column_rename(table, "i", "new", err);
}

static stoa_status reorder(stoa_table *table, stoa_error *err)
{
    return stoa_column_reorder(table, (const char *[]){"t", "c"}, 2, err);
}

static stoa_status label_rows(stoa_table *table, stoa_error *err)
{
    return stoa_table_label_rows(table, (const char *[]){"c", "d"}, 2, err);
}

static void edits_of_links_happen_or_memory_ran_out(void)
{
    sweep_edit(drop_c);
    sweep_edit(rename_i);
    sweep_edit(reorder);
    sweep_edit(label_rows);
}

static void columns_are_added_or_memory_ran_out(void)
{
    stoa_status status = STOA_ENOMEM;
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    uint64_t n = 0;

    for (; status != STOA_OK; n++) {
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArrayStream stream;
        batch b = batch_begin(2, N_ROWS);

        batch_strings(&b, 0, "z", (const char *[]){"", NULL, "z", "z", "z", "z"});
        batch_categories(&b, 1, "e", (const char *[]){"p", "q", "p", NULL, "p", "q"});
        stream_of(&b, 1, &stream);
        stoa_memory_fail_after(n);
        status = stoa_column_add(table, &stream, NULL, NULL, &err);
        stoa_memory_fail_after(UINT64_MAX);
        stoa_stream_release(&stream);
        if (status != STOA_OK) {
            CHECK_STATUS(STOA_ENOMEM, status, &err);
            CHECK_STR(order_text(file, "/t"), "i x s c d t");
            if (n % 32 == 0) {
                expect_unchanged(table, file);
            }
        }
    }
    EXPECT(table, "e", "'p'", "'q'", "'p'", "null", "'p'", "'q'");
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}

TEST_MAIN(TEST(a_dropped_column_leaves_nothing_behind),
          TEST(a_column_that_is_not_there_is_named_and_nothing_happens),
          TEST(of_two_names_for_one_dataset_either_can_be_dropped),
          TEST(a_new_name_stands_wherever_the_old_one_stood),
          TEST(a_name_that_is_taken_or_reserved_is_refused),
          TEST(named_columns_come_first_and_the_others_stay_in_order),
          TEST(renaming_keeps_the_order_of_a_table_that_has_no_column_order),
          TEST(row_labels_have_up_to_three_levels_and_more),
          TEST(a_listener_stops_columns_that_are_added),
          TEST(added_columns_are_the_last_ones_and_of_the_same_extent),
          TEST(contiguous_columns_can_be_added_and_several_batches_too),
          TEST(columns_of_another_length_or_with_a_taken_name_are_refused),
          TEST(columns_are_the_fields_of_structs_each_of_its_own_name),
          TEST(columns_come_into_a_table_without_columns),
          TEST(edits_of_links_happen_or_memory_ran_out), TEST(columns_are_added_or_memory_ran_out))
