/* See edited_table.h. */
#include "edited_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoa/stoa.h>

#include "support/batches.h"
#include "support/check.h"

/* Rows [first, first + n) of a table without end, in one batch. */
static void make_rows(int64_t first, int64_t n, const char *const *labels,
                      struct ArrowArrayStream *stream)
{
    int64_t *integers = malloc((size_t)n * sizeof *integers);
    double *floats = malloc((size_t)n * sizeof *floats);
    const char **words = malloc((size_t)n * sizeof *words);
    batch b = batch_begin(4, n);

    CHECK(integers != NULL && floats != NULL && words != NULL);
    for (int64_t i = 0; i < n; i++) {
        integers[i] = first + i;
        floats[i] = (double)((first + i) * 7919 % 104729) * 0.37;
        words[i] = labels[i % 4];
    }
    batch_integers(&b, 0, "id", "l", integers, NULL);
    batch_floats(&b, 1, "energy", "g", floats, NULL);
    batch_categories(&b, 2, "label", words);
    batch_integers(&b, 3, "time", "tss:UTC", integers, NULL);
    free(integers);
    free(floats);
    free(words);
    stream_of(&b, 1, stream);
}

bool edited_table_make(const char *path, H5F_libver_t low, hsize_t user_block)
{
    static const char *const labels[] = {"aaa", "bbb", "ccc", "ddd"};
    static const stoa_column_index indexes[] = {
        {"id", "minmax"}, {"energy", "sorted"}, {"label", "bitmap"}};
    static const stoa_column_options storage = {.chunk_rows = 2048};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    const hid_t access = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    const hid_t creation = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_CREATE));

    CHECK_H5(H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST));
    CHECK_H5(H5Pset_userblock(creation, user_block));
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, creation, access));
    options.indexes = indexes;
    options.n_indexes = 3;
    options.columns = &storage;
    options.n_columns = 1;
    make_rows(0, 20000, labels, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Pclose(access));
    return true;
}

static bool append(hid_t file, int64_t n)
{
    static const char *const labels[] = {"aaa", "eee", "fff", "ddd"};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_table *table = NULL;

    make_rows(20000, n, labels, &stream);
    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    CHECK_OK(stoa_table_append(table, &stream, NULL, NULL, &err), &err);
    stoa_table_close(table);
    stoa_stream_release(&stream);
    return true;
}

bool edited_table_append(hid_t file)
{
    return append(file, 9000);
}

bool edited_table_append_many(hid_t file)
{
    return append(file, 100000);
}
