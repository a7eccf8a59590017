/* Opening a table that nobody writes to: its datasets are opened when they are needed. */
#include <stdio.h>

#include "table/kit.h"
#include "table/table.h"

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
    const stoa_table_info info = stoa_table_info_of(table);

    CHECK_U64(stoa_table_n_columns(table), N_COLUMNS);
    CHECK_I64(n_datasets(file), n_at_first);
    CHECK_U64(info.n_index_columns, 2);
    CHECK_STR(stoa_column_name(info.index_columns[0]), "c07");
    CHECK_STR(stoa_column_name(info.index_columns[1]), "c03");
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

/* c00 has an index, and c01 a list of them that cannot be read. */
static void a_table_that_nobody_changes_keeps_its_indexes_open(void)
{
    const char *name = check_path("wide.h5");
    hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stoa_index_set *sets[2] = {NULL, NULL};
    stoa_error err = STOA_ERROR_INIT;

    write_wide(file);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_index_add(table, "c00", "minmax", NULL, &err), &err);
    const hid_t column = CHECK_H5(H5Dopen2(file, "/t/c01", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t list = CHECK_H5(
        H5Acreate2(column, "SEARCH_INDEX_LIST", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT));
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
        stoa_index_set *none = sets[0];
        CHECK_STATUS(STOA_EDATA, stoa_table_indexes_of(table, broken, &none, NULL));
        CHECK(none == NULL);
    }
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

typedef struct listed {
    size_t n;
    size_t n_usable;
} listed;

static bool count_usable(void *context, const stoa_index_info *info)
{
    listed *seen = context;

    seen->n++;
    seen->n_usable += info->usable;
    CHECK((info->problem[0] == '\0') == info->usable);
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
    CHECK_OK(stoa_index_list(table, count_usable, &seen, &err), &err);
    CHECK_U64(seen.n, 3);
    CHECK_U64(seen.n_usable, 3);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(indexes_that_queries_can_use_are_listed_as_usable),
          TEST(columns_are_opened_when_they_are_needed),
          TEST(columns_that_nobody_opened_are_copied),
          TEST(a_table_that_nobody_changes_keeps_its_indexes_open))
