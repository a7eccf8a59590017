/* A table whose rows are edited; see edited.h. */
#include "table/edited.h"

#include <errno.h>
#include <string.h>

#include "column/column.h"
#include "hdf/journal/disk.h"

batch sample(void)
{
    batch b = batch_begin(6, 6);
    const bool valid[] = {true, true, false, true, true, true};

    batch_integers(&b, 0, "i", "c", (int64_t[]){5, 1, 0, 3, 2, 4}, valid);
    batch_floats(&b, 1, "x", "f", (double[]){0.5, 1, 0, 2, 3, 4}, valid);
    batch_strings(&b, 2, "s", (const char *[]){"b", "a", NULL, "b", "", "c"});
    batch_categories(&b, 3, "c", (const char *[]){"u", "v", NULL, "u", "w", "v"});
    batch_integers(&b, 4, "b", "b", (int64_t[]){1, 0, 0, 1, 0, 1}, valid);
    batch_integers(&b, 5, "t", "tss:UTC", (int64_t[]){0, 60, 120, 180, 240, 300}, valid);
    return b;
}

stoa_table *sample_table(hid_t file, bool contiguous)
{
    static const char *const labels[] = {"i", "s"};
    static const stoa_column_index indexed[] = {{"i", NULL}, {"s", NULL}, {"t", NULL}};
    const stoa_column_options storage[] = {{.chunk_rows = 4},
                                           {.column = "x", .chunk_rows = STOA_CONTIGUOUS}};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = sample();

    options.index_columns = labels;
    options.n_index_columns = 2;
    options.indexes = indexed;
    options.n_indexes = 3;
    options.columns = storage;
    options.n_columns = contiguous ? 2 : 1;
    write_batches(file, "/t", &b, 1, &options);
    return open_table(file, "/t");
}

void expect_as_made(stoa_table *table)
{
    EXPECT(table, "i", "5", "1", "null", "3", "2", "4");
    EXPECT(table, "x", "0.5", "1.0", "null", "2.0", "3.0", "4.0");
    EXPECT(table, "s", "'b'", "'a'", "null", "'b'", "''", "'c'");
    EXPECT(table, "c", "'u'", "'v'", "null", "'u'", "'w'", "'v'");
    EXPECT(table, "b", "1", "0", "null", "1", "0", "1");
    EXPECT(table, "t", "0", "60", "null", "180", "240", "300");
    /* No label more than these three have. */
    const hid_t labels =
        (hid_t)CHECK_H5(H5Dopen2(stoa_table_id(table), "CATEGORIES/c__CATEGORIES", H5P_DEFAULT));
    const hid_t space = H5Dget_space(labels);
    CHECK_I64(H5Sget_simple_extent_npoints(space), 3);
    H5Sclose(space);
    H5Dclose(labels);
}

void close_table(stoa_table *table, hid_t file)
{
    stoa_table_close(table);
    check_conformant(file, "/t");
    H5Fclose(file);
}

uint64_t update(stoa_table *table, const char *where, const char *column, const char *value)
{
    const stoa_assignment assignment = {column, value};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 99;

    CHECK_OK(stoa_table_update(table, where, &assignment, 1, NULL, &n, &err), &err);
    return n;
}

uint64_t delete_rows(stoa_table *table, const char *where)
{
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 99;

    CHECK_OK(stoa_table_delete(table, where, NULL, &n, &err), &err);
    return n;
}

void refuse_update(stoa_table *table, const char *column, const char *value, stoa_status expected,
                   const char *part)
{
    const stoa_assignment assignment = {column, value};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 99;

    CHECK_STATUS(expected, stoa_table_update(table, NULL, &assignment, 1, NULL, &n, &err), &err);
    CHECK_CONTAINS(err.message, part);
    CHECK_U64(n, 0);
}

static bool count_index(void *context, const stoa_index_info *info)
{
    (void)info;
    ++*(unsigned *)context;
    return true;
}

unsigned n_indexes(const stoa_table *table)
{
    unsigned n = 0;

    CHECK_OK(stoa_index_visit(table, count_index, &n, NULL));
    return n;
}

uint64_t extent(stoa_table *table, const char *column)
{
    return stoa_table_find(table, column)->extent;
}

H5O_token_t token_of(hid_t file, const char *path)
{
    H5O_info2_t info;

    CHECK_H5(H5Oget_info_by_name3(file, path, &info, H5O_INFO_BASIC, H5P_DEFAULT));
    return info.token;
}

/* Lets `n` reads pass, and refuses the next one: a quota, a flaky disk. */
static int refuse_one_read(void *context, const stoa_disk_call *call)
{
    uint64_t *left = context;

    (void)call;
    return (*left)-- == 0 ? EDQUOT : 0;
}

bool edit_with_read_refused(const char *path, edit_call edit, uint64_t n, stoa_status *status,
                            stoa_error *err)
{
    stoa_file *file = NULL;
    stoa_table *table = NULL;
    uint64_t left = n;

    CHECK_OK(stoa_file_open(path, STOA_FILE_EDIT, &file, err), err);
    stoa_disk_watch_reads(refuse_one_read, &left);
    *status = stoa_hep001_open(stoa_file_id(file), "/t", &table, err);
    if (*status == STOA_OK) {
        *status = edit(table, NULL, err);
    }
    stoa_table_close(table);
    if (*status == STOA_OK) {
        *status = stoa_file_commit(file, err);
    } else {
        stoa_file_close(file);
    }
    stoa_disk_watch_reads(NULL, NULL);
    return left > n;
}
