/* Several tables of a file as one, when memory runs out: src/layout/open/chain*.c. What they hold
 * is in tests/cli/test_files.py. */
#include <hdf5.h>
#include <stoa/stoa.h>

#include "support/batches.h"
#include "support/memory_file.h"
#include "support/sweep.h"
#include "table/open/table.h"

static hid_t file = H5I_INVALID_HID;

static void make_table(const char *path, const char *format, const char *const *labels)
{
    static const int64_t numbers[] = {3, 1, 2};
    static const char *const names[] = {"a", NULL, "b"};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch b = batch_begin(3, 3);

    batch_integers(&b, 0, "n", format, numbers, NULL);
    batch_categories(&b, 1, "c", labels);
    batch_strings(&b, 2, format[0] == 'c' ? "one" : "other", names);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, path, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
}

static stoa_status read_all(stoa_error *err)
{
    static const char *const files[] = {"a.h5"};
    stoa_files_options options = STOA_FILES_OPTIONS_INIT;
    stoa_query_options asks = STOA_QUERY_OPTIONS_INIT;
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray rows = {.release = NULL};

    options.by_name = true;
    asks.where = "n > 1 and object like '/t%'";
    asks.columns = "n, c, one, other, object, file";
    asks.use_indexes = true;
    asks.threads = 1;
    STOA_TRY(stoa_table_open_files_with(file, files, 1, "/t?", &options, &table, err));
    STOA_TRY(stoa_query_open(table, &asks, &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_next(&stream, &rows, err));
    CHECK_U64(rows.length, 4);

done:
    stoa_array_release(&rows);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    stoa_table_close(table);
    return status;
}

static void memory_may_run_out_anywhere(void)
{
    static const char *const first[] = {"x", "y", "x"};
    static const char *const second[] = {"y", "z", NULL};

    file = memory_file("a.h5", false);
    make_table("/t1", "c", first);
    make_table("/t2", "i", second);
    CHECK(sweep_memory(read_all) > 100);
    (void)H5Fclose(file);
}

static void a_pattern_without_options_is_an_error_of_its_own(void)
{
    static const char *const files[] = {"b.h5"};
    static const char *const labels[] = {"x", "y", "x"};
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    file = memory_file("b.h5", false);
    make_table("/t1", "c", labels);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_table_open_files(file, files, 1, "/u*", &table, &err));
    CHECK_CONTAINS(err.message, "matches no table");
    CHECK(table == NULL);
    CHECK_OK(stoa_table_open_files(file, files, 1, "/t*", &table, &err), &err);
    CHECK_U64(stoa_table_n_rows(table), 3);
    CHECK_STR(stoa_table_layout(table), "files");
    stoa_table_close(table);
    (void)H5Fclose(file);
}

/* Tables without indexes are not opened once more to be asked. */
static void only_tables_with_indexes_are_asked(void)
{
    static const char *const files[] = {"c.h5"};
    static const char *const labels[] = {"x", "y", "x"};
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    file = memory_file("c.h5", false);
    make_table("/t1", "c", labels);
    make_table("/t2", "c", labels);
    CHECK_OK(stoa_table_open(file, "/t2", &table, &err), &err);
    CHECK_OK(stoa_index_add(table, "n", "minmax", NULL, &err), &err);
    stoa_table_close(table);
    CHECK_OK(stoa_table_open_files(file, files, 1, "/t*", &table, &err), &err);
    CHECK(!table->parts->items[0].has_indexes);
    CHECK(table->parts->items[1].has_indexes);
    stoa_table_close(table);
    (void)H5Fclose(file);
}

TEST_MAIN(TEST(memory_may_run_out_anywhere), TEST(a_pattern_without_options_is_an_error_of_its_own),
          TEST(only_tables_with_indexes_are_asked))
