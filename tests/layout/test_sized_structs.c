/* Structs of the public API that begin with their size (docs/api-stability.md): each call that
 * takes one refuses it without. For src/core/sized_struct.h where it is used. */
#include <hdf5.h>
#include <stoa/stoa.h>
#include <string.h>

#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"

/* A struct of zeros is none that a macro made. */
#define CHECK_REFUSED(call, init)                                                                  \
    do {                                                                                           \
        stoa_error refused = STOA_ERROR_INIT;                                                      \
        stoa_error *const err = &refused;                                                          \
        CHECK_STATUS(STOA_EINVAL, call, err);                                                      \
        CHECK_CONTAINS(refused.message, init);                                                     \
    } while (0)

static void put_table(hid_t file, const stoa_table_options *options, stoa_status expected)
{
    static const int64_t numbers[] = {3, 1, 2};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch b = batch_begin(1, 3);

    batch_integers(&b, 0, "n", "l", numbers, NULL);
    stream_of(&b, 1, &stream);
    CHECK_STATUS(expected, stoa_table_write(file, "/t", &stream, options, NULL, &err), &err);
    stoa_stream_release(&stream);
}

static void tables_refuse_structs_without_a_size(void)
{
    const hid_t file = memory_file("a.h5", false);
    stoa_table *table = NULL;
    stoa_query *query = NULL;

    put_table(file, &(stoa_table_options){0}, STOA_EINVAL);
    put_table(file, NULL, STOA_OK);
    CHECK_REFUSED(stoa_hep001_open_with(file, "/t", &(stoa_open_options){0}, &table, err),
                  "STOA_OPEN_OPTIONS_INIT");
    CHECK_REFUSED(stoa_table_open_with(file, "/t", &(stoa_open_options){0}, &table, err),
                  "STOA_OPEN_OPTIONS_INIT");
    CHECK_OK(stoa_hep001_open(file, "/t", &table, NULL));
    CHECK_REFUSED(stoa_table_truncate(table, 1, &(stoa_edit_options){0}, err),
                  "STOA_EDIT_OPTIONS_INIT");
    CHECK_REFUSED(stoa_index_add(table, "n", "minmax", &(stoa_index_options){0}, err),
                  "STOA_INDEX_OPTIONS_INIT");
    CHECK_REFUSED(stoa_query_open(table, &(stoa_query_options){0}, &query, err),
                  "STOA_QUERY_OPTIONS_INIT");
    CHECK_REFUSED(
        stoa_column_storage_of(stoa_table_column(table, 0), &(stoa_column_storage){0}, err),
        "STOA_COLUMN_STORAGE_INIT");
    CHECK_REFUSED(stoa_check(file, NULL, &(stoa_check_options){0}, NULL, NULL, NULL, NULL, err),
                  "STOA_CHECK_OPTIONS_INIT");
    CHECK_REFUSED(stoa_layout_visit_all(file, &(stoa_layout_visitors){0}, NULL, err),
                  "STOA_LAYOUT_VISITORS_INIT");
    CHECK_REFUSED(stoa_layout_write_table(table, file, "/u", &(stoa_layout_options){0}, NULL, err),
                  "STOA_LAYOUT_OPTIONS_INIT");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void files_refuse_structs_without_a_size(void)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    stoa_file *file = NULL;
    stoa_csv *csv = NULL;
    struct ArrowArrayStream stream;
    stoa_arkouda_files *files = NULL;

    CHECK_REFUSED(stoa_file_open_with("a.h5", STOA_FILE_READ, &(stoa_file_options){0}, &file, err),
                  "STOA_FILE_OPTIONS_INIT");
    options.patience = &(stoa_file_patience){.seconds = 1};
    CHECK_REFUSED(stoa_file_open_with("a.h5", STOA_FILE_READ, &options, &file, err),
                  "STOA_FILE_PATIENCE_INIT");
    CHECK_REFUSED(stoa_csv_open("a.csv", &(stoa_csv_options){0}, &csv, err),
                  "STOA_CSV_OPTIONS_INIT");
    CHECK_REFUSED(stoa_jsonl_open("a.jsonl", &(stoa_csv_options){0}, &stream, err),
                  "STOA_CSV_OPTIONS_INIT");
    CHECK_REFUSED(stoa_arkouda_files_open("a.h5", &(stoa_arkouda_options){0}, &files, err),
                  "STOA_ARKOUDA_OPTIONS_INIT");
}

static void arrays_refuse_structs_without_a_size(void)
{
    const hid_t file = memory_file("a.h5", false);
    const uint64_t extent[] = {3, 2};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_sparse *array = NULL;

    CHECK_REFUSED(stoa_sparse_create(file, "/a", H5T_NATIVE_INT, 2, extent,
                                     &(stoa_sparse_options){0}, NULL, &array, err),
                  "STOA_SPARSE_OPTIONS_INIT");
    CHECK_REFUSED(stoa_sparse_create(file, "/a", H5T_NATIVE_INT, 2, extent, NULL,
                                     &(stoa_sparse_access){0}, &array, err),
                  "STOA_SPARSE_ACCESS_INIT");
    CHECK_OK(stoa_sparse_create(file, "/a", H5T_NATIVE_INT, 2, extent, NULL, NULL, &array, NULL));
    CHECK_REFUSED(stoa_sparse_describe(array, &(stoa_sparse_info){0}, err),
                  "STOA_SPARSE_INFO_INIT");
    CHECK_OK(stoa_matrix_group_export(array, STOA_MATRIX_CSR, file, "/m", NULL, NULL));
    CHECK_REFUSED(stoa_matrix_group_describe(file, "/m", &(stoa_matrix_group_info){0}, err),
                  "STOA_MATRIX_GROUP_INFO_INIT");
    options.layout = "hep001";
    CHECK_REFUSED(
        stoa_anndata_convert(file, file, &options, NULL, NULL, &(stoa_anndata_counts){0}, err),
        "STOA_ANNDATA_COUNTS_INIT");
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
}

/* A description of a later release: what this library does not know stays as it was. */
static void a_longer_description_is_filled_as_far_as_it_is_known(void)
{
    const hid_t file = memory_file("a.h5", false);
    struct {
        stoa_column_storage storage;
        uint64_t later;
    } given = {STOA_COLUMN_STORAGE_INIT, 77};
    stoa_table *table = NULL;

    given.storage.size = sizeof given;
    put_table(file, NULL, STOA_OK);
    CHECK_OK(stoa_hep001_open(file, "/t", &table, NULL));
    CHECK_OK(stoa_column_storage_of(stoa_table_column(table, 0), &given.storage, NULL));
    CHECK_U64(given.storage.size, sizeof given);
    CHECK_U64(given.storage.extent, 3);
    CHECK_STR(given.storage.datatype, "int64");
    CHECK_U64(given.later, 77);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(tables_refuse_structs_without_a_size), TEST(files_refuse_structs_without_a_size),
          TEST(arrays_refuse_structs_without_a_size),
          TEST(a_longer_description_is_filled_as_far_as_it_is_known))
