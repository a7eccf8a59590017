/* Memory that runs out at every allocation of writing, appending, opening and reading a table: the
 * failure is STOA_ENOMEM, nothing leaks, and the table that was there is there. */
#include <stdlib.h>

#include "support/sweep.h"
#include "table/kit.h"

static hid_t file = H5I_INVALID_HID;

/* A column of each kind, three rows; `wide` needs what a tame table has not. */
static batch every_kind(bool wide)
{
    batch b = batch_begin(6, 3);
    const bool valid[] = {true, false, true};

    batch_integers(&b, 0, "i", wide ? "i" : "c",
                   wide ? (int64_t[]){70000, 0, -127} : (int64_t[]){1, 2, 3}, valid);
    batch_floats(&b, 1, "x", "f",
                 wide ? (double[]){9.9692099683868690e+36, 1, 2} : (double[]){1, 2, 3}, valid);
    batch_strings(&b, 2, "s",
                  wide ? (const char *[]){"", NULL, "quite long"}
                       : (const char *[]){"a", NULL, "b"});
    batch_categories(&b, 3, "c",
                     wide ? (const char *[]){"a much longer label", NULL, "u"}
                          : (const char *[]){"u", NULL, "v"});
    batch_integers(&b, 4, "b", "b", (int64_t[]){1, 0, 0}, valid);
    batch_integers(&b, 5, "t", "tsm:UTC", (int64_t[]){5, 6, 7}, valid);
    return b;
}

static const stoa_table_options *options(void)
{
    static const char *const columns[] = {"i"};
    static const stoa_column_index index = {"i", "minmax"};
    static stoa_table_options made = STOA_TABLE_OPTIONS_INIT;

    made.index_columns = columns;
    made.indexes = &index;
    made.n_index_columns = made.n_indexes = 1;
    made.title = "title";
    made.replace = true;
    return &made;
}

static stoa_status read_table(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    STOA_TRY(stoa_hep001_open(file, "/t", &table, err));
    STOA_TRY(stoa_table_schema(table, &schema, err));
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        STOA_TRY(stoa_column_read(stoa_table_column(table, i), 0, 3, &array, err));
        stoa_array_release(&array);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_table_close(table);
    return status;
}

static void begin(void)
{
    batch b = every_kind(false);

    file = new_file();
    write_batches(file, "/t", &b, 1, options());
}

/* The n-th allocation of a call fails. What goes into the call is made before. */
static stoa_status write_failing_at(uint64_t n, stoa_error *err)
{
    struct ArrowArrayStream stream;
    batch b = every_kind(true);

    stream_of(&b, 1, &stream);
    stoa_memory_fail_after(n);
    const stoa_status status = stoa_table_write(file, "/t", &stream, options(), NULL, err);
    stoa_memory_fail_after(UINT64_MAX);
    stoa_stream_release(&stream);
    return status;
}

static stoa_status append_failing_at(uint64_t n, stoa_table *table, stoa_error *err)
{
    struct ArrowArrayStream stream;
    batch b = every_kind(true);

    stream_of(&b, 1, &stream);
    stoa_memory_fail_after(n);
    const stoa_status status = stoa_table_append(table, &stream, NULL, NULL, err);
    stoa_memory_fail_after(UINT64_MAX);
    stoa_stream_release(&stream);
    return status;
}

static void expect_old_rows(stoa_table *table)
{
    EXPECT(table, "i", "1", "null", "3");
    EXPECT(table, "x", "1.0", "null", "3.0");
    EXPECT(table, "s", "'a'", "null", "'b'");
    EXPECT(table, "c", "'u'", "null", "'v'");
    EXPECT(table, "b", "1", "null", "0");
    EXPECT(table, "t", "5", "null", "7");
}

static void a_table_is_replaced_or_memory_ran_out(void)
{
    stoa_status status = STOA_ENOMEM;
    uint64_t n = 0;

    begin();
    for (; status != STOA_OK; n++) {
        stoa_error err = STOA_ERROR_INIT;
        status = write_failing_at(n, &err);
        if (status != STOA_OK) {
            CHECK_STATUS(STOA_ENOMEM, status, &err);
            stoa_table *table = open_table(file, "/t");
            expect_old_rows(table);
            stoa_table_close(table);
        }
    }
    CHECK(n > 100);
    check_conformant(file, "/t");
    H5Fclose(file);
}

static void a_table_is_read_or_memory_ran_out(void)
{
    begin();
    CHECK(sweep_memory(read_table) > 50);
    H5Fclose(file);
}

static void an_append_that_memory_does_not_suffice_for_leaves_the_old_table(void)
{
    stoa_status status = STOA_ENOMEM;
    uint64_t n = 0;

    for (; status != STOA_OK; n++) {
        stoa_error err = STOA_ERROR_INIT;

        begin();
        stoa_table *table = open_table(file, "/t");
        status = append_failing_at(n, table, &err);
        if (status != STOA_OK) {
            CHECK_STATUS(STOA_ENOMEM, status, &err);
            expect_old_rows(table);
            if (n % 8 == 0) { /* the checker takes its time; these are all stages */
                check_conformant(file, "/t");
                batch b = every_kind(true);
                CHECK_OK(append(table, &b, NULL));
                EXPECT(table, "i", "1", "null", "3", "70000", "null", "-127");
            }
        }
        stoa_table_close(table);
        H5Fclose(file);
    }
    CHECK(n > 100);
}

TEST_MAIN(TEST(a_table_is_replaced_or_memory_ran_out), TEST(a_table_is_read_or_memory_ran_out),
          TEST(an_append_that_memory_does_not_suffice_for_leaves_the_old_table))
