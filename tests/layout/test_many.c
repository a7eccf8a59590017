/* Many tables in one file: nothing is done for each of them that costs as much as all of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/csv.h>
#include <stoa/file.h>
#include <stoa/layout.h>
#include <stoa/table.h>

#include "hdf/journal/disk.h"
#include "hdf/metadata/attributes.h"
#include "support/batches.h"
#include "support/check.h"

enum { N_TABLES = 20 };

static stoa_table *source;
static hid_t memory = H5I_INVALID_HID;

static void open_source(void)
{
    static const int64_t numbers[] = {3, 1, 2};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    batch b = batch_begin(1, 3);

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 16, false));
    memory = CHECK_H5(H5Fcreate("many.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    batch_integers(&b, 0, "n", "l", numbers, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(memory, "/source", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(memory, "/source", &source, &err), &err);
}

static void close_source(void)
{
    stoa_table_close(source);
    CHECK_H5(H5Fclose(memory));
}

static int count_writes(void *context, const stoa_disk_call *call)
{
    *(unsigned *)context += call->op == STOA_DISK_WRITE;
    return 0;
}

/* So many writes before the commit, for each of the tables. */
static double writes_each(const char *layout)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    unsigned n = 0;

    options.layout = layout;
    CHECK_OK(stoa_file_open(check_path("many.h5"), STOA_FILE_CREATE, &file, &err), &err);
    stoa_disk_watch(count_writes, &n);
    for (int i = 0; i < N_TABLES; i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "/t%d", i);
        CHECK_OK(stoa_layout_write_table(source, stoa_file_id(file), path, &options, NULL, &err),
                 &err);
    }
    stoa_disk_watch(NULL, NULL);
    CHECK_OK(stoa_file_commit(file, &err), &err);
    CHECK(remove(check_path("many.h5")) == 0);
    return (double)n / N_TABLES;
}

/* The rows are written, and nothing is flushed before the commit. */
static void nothing_is_flushed_for_each_table(void)
{
    static const char *const layouts[] = {"hep001", "pytables", "h5tb", "lh5"};

    open_source();
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const double n = writes_each(layouts[i]);
        if (n > 3) {
            FAIL("%s: %g writes for a table", layouts[i], n);
        }
    }
    close_source();
}

static char *listed(hid_t group)
{
    stoa_error err = STOA_ERROR_INIT;
    char *text = NULL;

    CHECK_OK(stoa_attribute_read_text(group, "datatype", &text, &err), &err);
    return text;
}

static void check_list(const char *path, const char *wanted)
{
    const hid_t group = CHECK_H5(H5Gopen2(memory, path, H5P_DEFAULT));
    char *const text = listed(group);

    CHECK_STR(text, wanted);
    free(text);
    CHECK_H5(H5Gclose(group));
}

static void groups_of_lh5_list_many_tables_at_once(void)
{
    static const char *const paths[] = {"/b/t", "/b/deep/t", "a", "/b/s"};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    open_source();
    options.layout = "lh5";
    options.unlisted = true;
    for (size_t i = 0; i < 4; i++) {
        CHECK_OK(stoa_layout_write_table(source, memory, paths[i], &options, NULL, &err), &err);
    }
    CHECK(!stoa_attribute_exists(memory, "datatype"));
    CHECK_OK(stoa_layout_list_written(memory, paths, 4, &options, &err), &err);
    check_list("/", "struct{a,b}");
    check_list("/b", "struct{deep,s,t}");
    check_list("/b/deep", "struct{t}");
    CHECK_OK(stoa_layout_list_written(memory, paths, 4, &options, &err), &err);
    check_list("/b", "struct{deep,s,t}");
    options.unlisted = false;
    CHECK_OK(stoa_layout_write_table(source, memory, "/b/q", &options, NULL, &err), &err);
    check_list("/b", "struct{deep,q,s,t}");
    close_source();
}

static void layouts_without_lists_have_none_to_write(void)
{
    static const char *const paths[] = {"/none"};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    open_source();
    options.layout = "pytables";
    CHECK_OK(stoa_layout_list_written(memory, paths, 1, &options, &err), &err);
    options.layout = "lh5";
    CHECK(stoa_layout_list_written(memory, paths, 0, &options, &err) == STOA_OK);
    close_source();
}

enum { N_COLUMNS = 5000, N_TYPES = 10000 };

/* Open a CSV file with so many columns, of which one is given a type again and again. */
static void open_csv(void *column)
{
    static stoa_csv_pair types[N_TYPES];
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_csv *csv = NULL;

    for (size_t i = 0; i < N_TYPES; i++) {
        types[i] = (stoa_csv_pair){column, "int32"};
    }
    options.types = types;
    options.n_types = N_TYPES;
    CHECK_OK(stoa_csv_open(check_path("wide.csv"), &options, &csv, &err), &err);
    stoa_csv_close(csv);
}

static void the_type_of_a_column_of_csv_is_taken_no_later_for_its_being_the_last(void)
{
    FILE *const out = fopen(check_path("wide.csv"), "w");
    char first[] = "c0000";
    char last[] = "c4999";

    CHECK(out != NULL);
    for (int i = 0; i < N_COLUMNS; i++) {
        (void)fprintf(out, "c%04d%c", i, i + 1 < N_COLUMNS ? ',' : '\n');
    }
    CHECK_I64(fclose(out), 0);
    CHECK(check_cpu_seconds(open_csv, last) < 3 * check_cpu_seconds(open_csv, first));
}

TEST_MAIN(TEST(nothing_is_flushed_for_each_table), TEST(groups_of_lh5_list_many_tables_at_once),
          TEST(layouts_without_lists_have_none_to_write),
          TEST(the_type_of_a_column_of_csv_is_taken_no_later_for_its_being_the_last))
