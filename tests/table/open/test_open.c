/* Opening a table that nobody writes to: its datasets are opened when they are needed. */
#include <stdio.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "table/kit.h"
#include "table/open/table.h"

enum { N_COLUMNS = 40 };

/* Columns c00, c01, ... with the values 100 + i, 200 + i; c07 and c03 are the index columns. */
static void write_wide(hid_t file)
{
    static const char *const keys[] = {"c07", "c03"};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = batch_begin(N_COLUMNS, 2);

    for (int i = 0; i < N_COLUMNS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "c%02d", i);
        batch_integers(&b, i, name, "i", (int64_t[]){100 + i, 200 + i}, NULL);
    }
    options.index_columns = keys;
    options.n_index_columns = 2;
    write_batches(file, "/t", &b, 1, &options);
}

static long long n_datasets(hid_t file)
{
    return (long long)CHECK_H5(H5Fget_obj_count(file, H5F_OBJ_DATASET));
}

static void check_wide(hid_t file, long long n_at_first)
{
    stoa_table *table = open_table(file, "/t");

    CHECK_STR(stoa_table_layout(table), "hep001");
    CHECK_U64(stoa_table_n_columns(table), N_COLUMNS);
    for (size_t i = 0; i < N_COLUMNS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "c%02zu", i);
        CHECK_STR(stoa_table_column_name(table, i), name);
    }
    CHECK(stoa_table_column_name(table, N_COLUMNS) == NULL);
    CHECK_I64(n_datasets(file), n_at_first);
    CHECK_U64(stoa_table_n_index_columns(table), 2);
    CHECK_STR(stoa_column_name(stoa_table_index_column(table, 0)), "c07");
    CHECK_STR(stoa_column_name(stoa_table_index_column(table, 1)), "c03");
    EXPECT(table, "c39", "139", "239");
    EXPECT(table, "c00", "100", "200");
    CHECK_I64(n_datasets(file), n_at_first > 0 ? n_at_first : 2);
    stoa_table_close(table);
    CHECK_I64(n_datasets(file), 0);
}

static void columns_are_opened_when_they_are_needed(void)
{
    const char *name = check_path("wide.h5");
    hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    write_wide(file);
    check_wide(file, N_COLUMNS); /* it may change: the names may be others' soon */
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    check_wide(file, 0);
    CHECK_H5(H5Fclose(file));
}

/* A copy takes what nobody has opened. */
static void columns_that_nobody_opened_are_copied(void)
{
    const char *name = check_path("wide.h5");
    stoa_error err = STOA_ERROR_INIT;
    hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    write_wide(file);
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t other = other_file(file);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_table_copy(table, other, "/copy", NULL, &err), &err);
    stoa_table_close(table);
    table = open_table(other, "/copy");
    EXPECT(table, "c21", "121", "221");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

/* c00 and c02 have an index, and c01 a list of them that cannot be read. */
static void a_table_that_nobody_changes_keeps_its_indexes_open(void)
{
    const char *name = check_path("wide.h5");
    hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stoa_index_set *sets[2] = {NULL, NULL};
    stoa_error err = STOA_ERROR_INIT;

    write_wide(file);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_index_add(table, "c00", "minmax", NULL, &err), &err);
    CHECK_OK(stoa_index_add(table, "c02", "minmax", NULL, &err), &err);
    const hid_t column = CHECK_H5(H5Dopen2(file, "/t/c01", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t list = CHECK_H5(
        H5Acreate2(column, "SEARCH_INDEX_LIST", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Aclose(list));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(column));
    CHECK_OK(stoa_table_indexes_of(table, stoa_table_find(table, "c00"), &sets[0], &err), &err);
    CHECK(sets[0] == NULL); /* it may change */
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));

    file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    table = open_table(file, "/t");
    for (int i = 0; i < 2; i++) {
        stoa_column *indexed = stoa_table_find(table, "c00");
        stoa_column *broken = stoa_table_find(table, "c01");
        CHECK_OK(stoa_table_load(table, &err), &err);
        CHECK_OK(stoa_table_indexes_of(table, indexed, &sets[i], &err), &err);
        CHECK(sets[i] != NULL && sets[i] == sets[0]);
        CHECK_U64(sets[i]->n_links, 1);
        stoa_index_set *other = NULL;
        CHECK_OK(stoa_table_indexes_of(table, stoa_table_find(table, "c02"), &other, &err), &err);
        CHECK(other != NULL && other != sets[i]);
        stoa_index_set *none = sets[0];
        CHECK_STATUS(STOA_EDATA, stoa_table_indexes_of(table, broken, &none, NULL));
        bool same = false;
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_STATUS(STOA_EDATA, stoa_index_verify(table, "c01", NULL, &same, &err));
        CHECK_CONTAINS(err.where, name);
        CHECK_CONTAINS(err.where, ":/t/c01");
        CHECK(none == NULL);
    }
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void put_version(hid_t file, const char *version)
{
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t", H5P_DEFAULT));

    CHECK_OK(stoa_attribute_write_ascii(group, "VERSION", version, NULL));
    CHECK_H5(H5Gclose(group));
}

static void check_refused(hid_t file, stoa_status expected, const char *words)
{
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(expected, stoa_hep001_open(file, "/t", &table, &err));
    CHECK_CONTAINS(err.message, words);
    CHECK(table == NULL);
}

static void a_table_of_a_later_version_or_without_a_number_of_rows_is_refused(void)
{
    const hid_t file = new_file();

    write_wide(file);
    put_version(file, "2.0");
    check_refused(file, STOA_EVERSION, "'2.0' is newer");
    put_version(file, "1.7");
    stoa_table_close(open_table(file, "/t"));
    CHECK_H5(H5Adelete_by_name(file, "/t", "NROWS", H5P_DEFAULT));
    check_refused(file, STOA_EDATA, "without NROWS");
    CHECK_H5(H5Fclose(file));
}

/* It loads the columns, which nobody has looked at. */
static void the_schema_of_a_table_names_all_columns_and_their_types(void)
{
    const char *name = check_path("wide.h5");
    struct ArrowSchema schema;
    stoa_error err = STOA_ERROR_INIT;
    hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    write_wide(file);
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_table_schema(table, &schema, &err), &err);
    CHECK_I64(schema.n_children, N_COLUMNS);
    for (int i = 0; i < N_COLUMNS; i++) {
        char expected[16];
        (void)snprintf(expected, sizeof expected, "c%02d", i);
        CHECK_STR(schema.children[i]->name, expected);
        CHECK_STR(schema.children[i]->format, "i");
    }
    stoa_schema_release(&schema);
    CHECK(stoa_table_column(table, N_COLUMNS) == NULL);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

typedef struct listed {
    size_t n;
    size_t n_usable;
    uint64_t n_bytes;
    uint64_t n_sorted; /* rows of sorted indexes */
} listed;

static bool count_usable(void *context, const stoa_index_info *info)
{
    listed *seen = context;

    seen->n++;
    seen->n_usable += info->usable;
    seen->n_bytes += info->n_bytes;
    seen->n_sorted += strcmp(info->kind, "SORTED_ROWS") == 0 ? info->n_entries : 0;
    CHECK((info->problem[0] == '\0') == info->usable);
    CHECK(!info->usable || info->path[0] == '/');
    return true;
}

static void indexes_that_queries_can_use_are_listed_as_usable(void)
{
    const hid_t file = new_file();
    listed seen = {0};
    stoa_error err = STOA_ERROR_INIT;

    write_wide(file);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_index_add(table, "c00", "minmax", NULL, &err), &err);
    CHECK_OK(stoa_index_add(table, "c00", "sorted", NULL, &err), &err);
    CHECK_OK(stoa_index_add(table, "c05", "bloom", NULL, &err), &err);
    CHECK_OK(stoa_index_visit(table, count_usable, &seen, &err), &err);
    CHECK_U64(seen.n, 3);
    CHECK_U64(seen.n_usable, 3);
    CHECK_U64(seen.n_sorted, 2);
    bool same = false;
    CHECK_STATUS(STOA_ENOTFOUND, stoa_index_verify(table, "c05", "sorted", &same, &err));
    CHECK_CONTAINS(err.message, "column 'c05' has no sorted index to verify");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EINVAL, stoa_index_add(table, "c06", NULL, NULL, &err));
    CHECK_CONTAINS(err.message, "no kind of index was given");
    CHECK_STATUS(STOA_ENOTFOUND, stoa_index_drop(table, "c05", "sorted", NULL));
    CHECK_STATUS(STOA_ENOTFOUND, stoa_index_drop(table, "c06", NULL, NULL));
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static uint64_t storage(hid_t file, const char *path)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    const uint64_t n_bytes = H5Dget_storage_size(dataset);

    CHECK(n_bytes > 0);
    CHECK_H5(H5Dclose(dataset));
    return n_bytes;
}

static void an_index_is_added_once_and_counted_with_its_values(void)
{
    const hid_t file = new_file();
    listed seen = {0};
    stoa_error err = STOA_ERROR_INIT;

    write_wide(file);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_index_add(table, "c00", "bitmap", NULL, &err), &err);
    CHECK_STATUS(STOA_EEXISTS, stoa_index_add(table, "c00", "bitmap", NULL, &err));
    CHECK_CONTAINS(err.message, "has a bitmap index already");
    CHECK_OK(stoa_index_visit(table, count_usable, &seen, NULL));
    CHECK_U64(seen.n, 1);
    CHECK_U64(seen.n_bytes, storage(file, "/t/SEARCH_INDEXES/c00__bitmap") +
                                storage(file, "/t/SEARCH_INDEXES/c00__bitmap_values"));
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Another program edits the file between two calls, without waiting. */
static void an_idle_table_holds_no_lock_after_it_was_copied(void)
{
    const char *const name = check_path("idle.h5");
    const stoa_file_patience none = {.size = sizeof none};
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    stoa_file *edited = NULL;

    write_wide(file);
    CHECK_H5(H5Fclose(file));
    CHECK_OK(stoa_table_open_file(name, "/t", NULL, &table, &err), &err);
    file = new_file();
    CHECK_OK(stoa_table_copy(table, file, "/copy", NULL, &err), &err);
    CHECK_H5(H5Fclose(file));
    options.patience = &none;
    CHECK_OK(stoa_file_open_with(name, STOA_FILE_EDIT, &options, &edited, &err), &err);
    CHECK_OK(stoa_table_remove(stoa_file_id(edited), "/t", &err), &err);
    CHECK_OK(stoa_file_commit(edited, &err), &err);
    stoa_table_close(table);
}

/* What libhdf5 keeps in memory is not on the disk. */
static void a_written_table_is_in_the_file_while_that_is_still_open(void)
{
    const char *const name = check_path("open.h5");
    const char *const copy = check_path("as_it_is.h5");
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    static char bytes[1 << 20];

    write_wide(file);
    FILE *const from = fopen(name, "rb");
    FILE *const to = fopen(copy, "wb");
    CHECK(from != NULL && to != NULL);
    const size_t n = fread(bytes, 1, sizeof bytes, from);
    CHECK(n > 0 && n < sizeof bytes);
    CHECK_U64(fwrite(bytes, 1, n, to), n);
    CHECK_I64(fclose(from), 0);
    CHECK_I64(fclose(to), 0);
    const hid_t copied = CHECK_H5(H5Fopen(copy, H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_table *table = open_table(copied, "/t");
    EXPECT(table, "c21", "121", "221");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(copied));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(an_idle_table_holds_no_lock_after_it_was_copied),
          TEST(a_written_table_is_in_the_file_while_that_is_still_open),
          TEST(indexes_that_queries_can_use_are_listed_as_usable),
          TEST(columns_are_opened_when_they_are_needed),
          TEST(columns_that_nobody_opened_are_copied),
          TEST(a_table_that_nobody_changes_keeps_its_indexes_open),
          TEST(a_table_of_a_later_version_or_without_a_number_of_rows_is_refused),
          TEST(the_schema_of_a_table_names_all_columns_and_their_types),
          TEST(an_index_is_added_once_and_counted_with_its_values))
