/* Tables of other layouts, column by column, for src/table/open/foreign.c. */
#include "table/open/foreign.h"

#include <stdlib.h>

#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"
#include "table/kit.h"

enum { ROWS = 3, MANY = 20000 };

/* A column of 10, 11, 12. */
static stoa_status make_column(const char *name, stoa_column **column, stoa_error *err)
{
    static const bool valid[ROWS] = {true, true, true};
    batch b = batch_begin(1, ROWS);

    batch_integers(&b, 0, name, "l", (int64_t[]){10, 11, 12}, valid);
    const stoa_status status =
        stoa_column_of_array(b.schema.children[0], b.array.children[0], column, err);
    batch_end(&b);
    return status;
}

static stoa_status add(stoa_table *table, const char *name, stoa_error *err)
{
    stoa_column *column = NULL;
    const stoa_status status = make_column(name, &column, err);

    return status == STOA_OK ? stoa_foreign_add(table, column, err) : status;
}

static stoa_status begin(hid_t file, stoa_table **table, stoa_error *err)
{
    const hid_t group = H5Gopen2(file, "/", H5P_DEFAULT);

    return stoa_foreign_begin(group, "/g/t", "f.h5", "theirs", ROWS, table, err);
}

static void columns_are_in_order_and_know_their_place(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    const hid_t file = new_file();

    CHECK_OK(begin(file, &table, &err), &err);
    CHECK_OK(add(table, "b", &err), &err);
    CHECK_OK(add(table, "a", &err), &err);
    CHECK_OK(add(table, "", &err), &err);
    CHECK_U64(stoa_table_n_rows(table), ROWS);
    CHECK_U64(stoa_table_n_columns(table), 3);
    CHECK_STR(table->columns[0]->name, "b");
    CHECK_STR(table->columns[1]->name, "a");
    CHECK_STR(table->columns[1]->place, "f.h5:/g/t/a");
    CHECK(table->columns[1]->read_context == table->read_context);
    CHECK_OK(stoa_foreign_label_rows(table, 1, &err), &err);
    CHECK_OK(stoa_foreign_label_rows(table, 0, &err), &err);
    CHECK_U64(table->n_index_columns, 2);
    CHECK(table->index_columns[0] == table->columns[1]);
    EXPECT(table, "b", "10", "11", "12");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void a_name_is_given_once(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    const hid_t file = new_file();

    CHECK_OK(begin(file, &table, &err), &err);
    CHECK_OK(add(table, "a", &err), &err);
    CHECK_OK(add(table, "A", &err), &err);
    CHECK_OK(add(table, "aa", &err), &err);
    CHECK_STATUS(STOA_EDATA, add(table, "a", &err));
    CHECK_CONTAINS(err.message, "there are two columns 'a'");
    CHECK_U64(stoa_table_n_columns(table), 3);
    CHECK_OK(add(table, "b", &err), &err); /* the table is as it was */
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Quadratic, this would be 200 million comparisons of names that differ in their last letters. */
static void wide_tables_are_tables(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    const hid_t file = new_file();
    char name[64];

    CHECK_OK(begin(file, &table, &err), &err);
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof name, "a name that begins as the others do %d", i);
        CHECK_OK(add(table, name, &err), &err);
    }
    CHECK_U64(stoa_table_n_columns(table), MANY);
    CHECK_STATUS(STOA_EDATA, add(table, "a name that begins as the others do 12345", &err));
    CHECK_STR(table->columns[MANY - 1]->name, name);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void they_are_not_edited(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    const hid_t file = new_file();

    CHECK_OK(begin(file, &table, &err), &err);
    CHECK_STATUS(STOA_ELAYOUT, stoa_table_may_change(table, &err));
    CHECK_CONTAINS(err.message, "'theirs'");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* --- memory ---------------------------------------------------------------------------------- */

static stoa_table *swept;
static stoa_column *waiting;

static stoa_status add_waiting(stoa_error *err)
{
    stoa_column *const column = waiting;

    waiting = NULL;
    return stoa_foreign_add(swept, column, err);
}

/* What fails leaves the table without the column, and takes that one with it. */
static void memory_may_run_out_between_columns(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = new_file();
    uint64_t n = 0;

    CHECK_OK(begin(file, &swept, &err), &err);
    CHECK_OK(add(swept, "first", &err), &err);
    for (stoa_status status = STOA_ENOMEM; status != STOA_OK; n++) {
        CHECK_OK(make_column("second", &waiting, &err), &err);
        stoa_memory_fail_after(n);
        status = add_waiting(&err);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(status == STOA_OK || status == STOA_ENOMEM);
        CHECK_U64(stoa_table_n_columns(swept), status == STOA_OK ? 2 : 1);
    }
    CHECK(n > 2);
    EXPECT(swept, "second", "10", "11", "12");
    stoa_table_close(swept);
    CHECK_H5(H5Fclose(file));
}

static hid_t swept_file;

static stoa_status begin_and_label(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    STOA_TRY(begin(swept_file, &table, err));
    table->n_columns = 0;
    table->columns = stoa_alloc_zero(1, sizeof(stoa_column *));
    STOA_TRY(table->columns != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_foreign_label_rows(table, 0, err));

done:
    stoa_table_close(table);
    return status;
}

static void memory_may_run_out_at_the_beginning(void)
{
    swept_file = new_file();
    CHECK(sweep_memory(begin_and_label) > 3);
    CHECK_H5(H5Fclose(swept_file));
}

TEST_MAIN(TEST(columns_are_in_order_and_know_their_place), TEST(a_name_is_given_once),
          TEST(wide_tables_are_tables), TEST(they_are_not_edited),
          TEST(memory_may_run_out_between_columns), TEST(memory_may_run_out_at_the_beginning))
