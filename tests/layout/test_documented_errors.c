/*
 * Each status that the headers promise of some calls, provoked.
 * tests/house/test_documented_errors.py reads the headers and this file, and says which promise has
 * no PROVOKE() here.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/stoa.h>
#include <string.h>
#include <unistd.h>

#include "hdf/metadata/attributes.h"
#include "sparse/format/format.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"

#define PROVOKE(expected, call, ...)                                                               \
    do {                                                                                           \
        stoa_error err_ = STOA_ERROR_INIT;                                                         \
        CHECK_STATUS(expected, call(__VA_ARGS__, &err_), &err_);                                   \
        CHECK(err_.status == (expected) && err_.message[0] != '\0');                               \
    } while (0)

static const int64_t three[] = {3, 1, 2};

static void stream_of_integers(const char *name, struct ArrowArrayStream *stream)
{
    batch b = batch_begin(1, 3);

    batch_integers(&b, 0, name, "l", three, NULL);
    stream_of(&b, 1, stream);
}

static void put_table(hid_t file, const char *path)
{
    static const char *const texts[] = {"a", "b", "c"};
    static const int64_t rows[] = {0, 1, 2};
    static const bool valid[] = {true, false, true};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_options packed = {.codec = "deflate"};
    struct ArrowArrayStream stream;
    batch b = batch_begin(3, 3);

    batch_integers(&b, 0, "n", "l", three, NULL);
    batch_strings(&b, 1, "s", texts);
    batch_integers(&b, 2, "holes", "l", rows, valid);
    stream_of(&b, 1, &stream);
    options.columns = &packed;
    options.n_columns = 1;
    CHECK_OK(stoa_table_write(file, path, &stream, &options, NULL, NULL));
    stoa_stream_release(&stream);
}

static stoa_table *open_table(hid_t file, const char *path)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    CHECK_OK(stoa_table_open(file, path, &table, &err), &err);
    return table;
}

static void put_bytes(const char *path, const char *bytes, size_t n)
{
    FILE *const file = fopen(path, "wb");

    CHECK(file != NULL && fwrite(bytes, 1, n, file) == n);
    CHECK(fclose(file) == 0);
}

/* --- sparse arrays --------------------------------------------------------------------------- */

static void put_array(hid_t file, const char *path)
{
    const uint64_t extent[] = {3, 2};
    stoa_sparse *array = NULL;

    CHECK_OK(stoa_sparse_create(file, path, H5T_NATIVE_INT, 2, extent, NULL, NULL, &array, NULL));
    CHECK_OK(stoa_sparse_commit(array, NULL));
}

/* Before Stoa's filter is registered, which would not let it be made. */
static void put_wrong_array(hid_t file, const char *path)
{
    const hsize_t shape[] = {3, 2};
    const unsigned words[] = {~0U, ~0U};
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(2, shape, NULL));

    CHECK_H5(H5Pset_chunk(dcpl, 2, shape));
    CHECK_H5(H5Pset_filter(dcpl, STOA_SPARSE_FILTER, H5Z_FLAG_OPTIONAL, 2, words));
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, path, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
}

static void sparse_arrays_fail_as_documented(void)
{
    const hid_t file = memory_file("a.h5", false);
    stoa_sparse *array = NULL;

    put_wrong_array(file, "/wrong");
    put_array(file, "/a");
    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, "/g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Lcreate_soft("/a", file, "/soft", H5P_DEFAULT, H5P_DEFAULT));
    PROVOKE(STOA_ENOTFOUND, stoa_sparse_open, file, "/none", NULL, &array);
    PROVOKE(STOA_ELAYOUT, stoa_sparse_open, file, "/g", NULL, &array);
    PROVOKE(STOA_EDATA, stoa_sparse_open, file, "/wrong", NULL, &array);
    PROVOKE(STOA_ENOTFOUND, stoa_sparse_move, file, "/none", "/b");
    PROVOKE(STOA_ELAYOUT, stoa_sparse_move, file, "/g", "/b");
    PROVOKE(STOA_EINVAL, stoa_sparse_move, file, "/soft", "/b");
    PROVOKE(STOA_EEXISTS, stoa_sparse_move, file, "/a", "/g");
    CHECK_H5(H5Fclose(file));
}

/* --- files ----------------------------------------------------------------------------------- */

static void files_fail_as_documented(void)
{
    char path[512];
    char directory[512];
    stoa_file *file = NULL;
    stoa_csv *csv = NULL;
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    const stoa_csv_pair type = {"b", "int8"};
    const stoa_csv_options typed = {sizeof typed, .types = &type, .n_types = 1};
    struct ArrowArrayStream stream;

    (void)snprintf(path, sizeof path, "%s", check_path("a.h5"));
    (void)snprintf(directory, sizeof directory, "%s", path);
    *strrchr(directory, '/') = '\0';
    PROVOKE(STOA_ENOTFOUND, stoa_file_open, path, STOA_FILE_READ, &file);
    PROVOKE(STOA_EIO, stoa_file_open, directory, STOA_FILE_READ, &file);
    put_bytes(path, "no HDF5", 7);
    PROVOKE(STOA_ELAYOUT, stoa_file_open, path, STOA_FILE_READ, &file);
    PROVOKE(STOA_EEXISTS, stoa_file_open, path, STOA_FILE_CREATE, &file);
    const hid_t made = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    put_table(made, "/t");
    CHECK_H5(H5Fclose(made));
    CHECK(truncate(path, 1000) == 0);
    PROVOKE(STOA_EDATA, stoa_file_open, path, STOA_FILE_READ, &file);

    put_bytes(path, "a,b\n1\n", 6);
    PROVOKE(STOA_ESYNTAX, stoa_csv_open, path, NULL, &csv);
    put_bytes(path, "", 0);
    PROVOKE(STOA_EDATA, stoa_csv_open, path, NULL, &csv);
    options.delimiter = '"';
    PROVOKE(STOA_EINVAL, stoa_csv_open, path, &options, &csv);

    PROVOKE(STOA_EDATA, stoa_jsonl_open, path, NULL, &stream);
    put_bytes(path, "[1]", 3);
    PROVOKE(STOA_ESYNTAX, stoa_jsonl_open, path, NULL, &stream);
    put_bytes(path, "{\"a\":[1,\"x\"]}", 13);
    PROVOKE(STOA_ETYPE, stoa_jsonl_open, path, NULL, &stream);
    put_bytes(path, "{\"a\":1}", 7);
    PROVOKE(STOA_EINVAL, stoa_jsonl_open, path, &typed, &stream);
}

/* --- tables ---------------------------------------------------------------------------------- */

static void set_version(hid_t file, const char *path, const char *version)
{
    const hid_t group = CHECK_H5(H5Gopen2(file, path, H5P_DEFAULT));

    CHECK_OK(stoa_attribute_delete(group, "VERSION", NULL));
    CHECK_OK(stoa_attribute_write_ascii(group, "VERSION", version, NULL));
    CHECK_H5(H5Gclose(group));
}

static void tables_open_or_fail_as_documented(void)
{
    const hid_t file = memory_file("a.h5", false);
    stoa_table *table = NULL;
    char *path = NULL;

    PROVOKE(STOA_ENOTFOUND, stoa_place_only_table, file, &path);
    put_table(file, "/t");
    put_table(file, "/later");
    put_table(file, "/odd");
    PROVOKE(STOA_EINVAL, stoa_place_only_table, file, &path);
    set_version(file, "/later", "99.0");
    set_version(file, "/odd", "one");
    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, "/g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    PROVOKE(STOA_ENOTFOUND, stoa_table_open, file, "/none", &table);
    PROVOKE(STOA_ELAYOUT, stoa_table_open, file, "/g", &table);
    PROVOKE(STOA_EVERSION, stoa_table_open, file, "/later", &table);
    PROVOKE(STOA_EDATA, stoa_table_open, file, "/odd", &table);
    CHECK_H5(H5Fclose(file));
}

static void tables_are_written_or_fail_as_documented(void)
{
    const hid_t file = memory_file("a.h5", false);
    struct ArrowArrayStream stream;

    put_table(file, "/t");
    stream_of_integers("n", &stream);
    PROVOKE(STOA_EEXISTS, stoa_table_write, file, "/t", &stream, NULL, NULL);
    stoa_stream_release(&stream);
    stream_of_integers("CATEGORIES", &stream);
    PROVOKE(STOA_EINVAL, stoa_table_write, file, "/u", &stream, NULL, NULL);
    stoa_stream_release(&stream);

    batch nothing = batch_begin(1, 0);
    batch_integers(&nothing, 0, "n", "l", NULL, NULL);
    nothing.schema.children[0]->format = "tiM"; /* which HEP001 does not have */
    stream_of(&nothing, 1, &stream);
    PROVOKE(STOA_ETYPE, stoa_table_write, file, "/u", &stream, NULL, NULL);
    stoa_stream_release(&stream);

    stoa_table *const table = open_table(file, "/t");
    stream_of_integers("n", &stream);
    PROVOKE(STOA_ETYPE, stoa_table_append, table, &stream, NULL, NULL);
    stoa_stream_release(&stream);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void columns_are_read_or_fail_as_documented(void)
{
    static const char garbage[] = "no deflate stream";
    const hsize_t offset = 0;
    const hid_t file = memory_file("a.h5", false);
    struct ArrowArray array;

    put_table(file, "/t");
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/n", H5P_DEFAULT));
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, sizeof garbage, garbage));
    CHECK_H5(H5Dclose(dataset));
    stoa_table *const table = open_table(file, "/t");
    PROVOKE(STOA_ERANGE, stoa_column_read, stoa_table_find(table, "n"), 1, 3, &array);
    PROVOKE(STOA_EDATA, stoa_column_read, stoa_table_find(table, "n"), 0, 3, &array);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void rows_are_picked_or_fail_as_documented(void)
{
    const hid_t file = memory_file("a.h5", false);
    stoa_table *table = NULL;
    stoa_table *picked = NULL;

    put_table(file, "/t");
    table = open_table(file, "/t");
    PROVOKE(STOA_ETYPE, stoa_layout_select_rows, table, stoa_table_find(table, "s"), 3, &picked);
    PROVOKE(STOA_ERANGE, stoa_layout_select_rows, table, stoa_table_find(table, "n"), 3, &picked);
    PROVOKE(STOA_EDATA, stoa_layout_select_rows, table, stoa_table_find(table, "holes"), 3,
            &picked);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* --- queries and indexes --------------------------------------------------------------------- */

static void queries_fail_as_documented(void)
{
    static const stoa_parameter one = {.kind = STOA_VALUE_INT64, .as = {.int64 = 1}};
    const hid_t file = memory_file("a.h5", false);
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_query *query = NULL;

    put_table(file, "/t");
    stoa_table *const table = open_table(file, "/t");
    options.where = "n >";
    PROVOKE(STOA_ESYNTAX, stoa_query_open, table, &options, &query);
    options.where = "n > 'a'";
    PROVOKE(STOA_ETYPE, stoa_query_open, table, &options, &query);
    options.where = "none > 1";
    PROVOKE(STOA_ENOTFOUND, stoa_query_open, table, &options, &query);
    options.where = "n > 1";
    options.parameters = &one;
    options.n_parameters = 1;
    PROVOKE(STOA_EINVAL, stoa_query_open, table, &options, &query);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* More distinct values than a bitmap takes. */
static void put_long_table(hid_t file, const char *path)
{
    enum { N_ROWS = 70000 };
    int64_t *const numbers = malloc(N_ROWS * sizeof *numbers);
    struct ArrowArrayStream stream;
    batch b = batch_begin(1, N_ROWS);

    CHECK(numbers != NULL);
    for (int64_t i = 0; i < N_ROWS; i++) {
        numbers[i] = i;
    }
    batch_integers(&b, 0, "n", "l", numbers, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, path, &stream, NULL, NULL, NULL));
    stoa_stream_release(&stream);
    free(numbers);
}

/* Pairs have no order. */
static void put_pairs(hid_t file, const char *path)
{
    static const int64_t numbers[] = {1, 2, 3, 4, 5, 6};
    static const int64_t lengths[] = {2, 2, 2};
    struct ArrowArrayStream stream;
    batch items = batch_begin(1, 6);
    batch b = batch_begin(1, 3);

    batch_integers(&items, 0, "item", "l", numbers, NULL);
    batch_lists(&b, 0, "pair", "+w:2", &items, lengths, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, path, &stream, NULL, NULL, NULL));
    stoa_stream_release(&stream);
}

static void indexes_fail_as_documented(void)
{
    const hid_t file = memory_file("a.h5", false);
    stoa_table *table = NULL;

    put_table(file, "/t");
    put_long_table(file, "/long");
    put_pairs(file, "/pairs");
    table = open_table(file, "/t");
    PROVOKE(STOA_EINVAL, stoa_index_add, table, "n", "nosuch", NULL);
    CHECK_OK(stoa_index_add(table, "n", "minmax", NULL, NULL));
    PROVOKE(STOA_EEXISTS, stoa_index_add, table, "n", "minmax", NULL);
    stoa_table_close(table);
    table = open_table(file, "/pairs");
    PROVOKE(STOA_ETYPE, stoa_index_add, table, "pair", "minmax", NULL);
    stoa_table_close(table);
    table = open_table(file, "/long");
    PROVOKE(STOA_ERANGE, stoa_index_add, table, "n", "bitmap", NULL);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(sparse_arrays_fail_as_documented), TEST(files_fail_as_documented),
          TEST(tables_open_or_fail_as_documented), TEST(tables_are_written_or_fail_as_documented),
          TEST(columns_are_read_or_fail_as_documented), TEST(rows_are_picked_or_fail_as_documented),
          TEST(queries_fail_as_documented), TEST(indexes_fail_as_documented))
