/* Rows of a table that a column lists. For src/layout/open/row_selection.c; what they hold is in
 * tests/cli. */
#include <hdf5.h>
#include <stoa/stoa.h>

#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"

static stoa_table *make_table(hid_t file, const char *path, const int64_t *numbers)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_table *table = NULL;
    batch b = batch_begin(1, 3);

    batch_integers(&b, 0, "n", "l", numbers, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, path, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_table_open(file, path, &table, &err), &err);
    return table;
}

static void the_table_picked_from_stays_the_callers(void)
{
    static const int64_t numbers[] = {30, 10, 20};
    static const int64_t rows[] = {2, 0, 2};
    static const int64_t beyond[] = {2, 0, 3};
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = memory_file("a.h5", false);
    stoa_table *const from = make_table(file, "/from", numbers);
    stoa_table *const list = make_table(file, "/list", rows);
    stoa_table *const wrong = make_table(file, "/wrong", beyond);
    struct ArrowArray array;
    stoa_column_storage storage = STOA_COLUMN_STORAGE_INIT;
    stoa_table *picked = NULL;

    CHECK_STATUS(STOA_ERANGE,
                 stoa_layout_select_rows(from, stoa_table_column(wrong, 0), 3, &picked, &err),
                 &err);
    CHECK(picked == NULL);
    CHECK_OK(stoa_layout_select_rows(from, stoa_table_column(list, 0), 3, &picked, NULL));
    CHECK_OK(stoa_column_read(stoa_table_column(picked, 0), 0, 3, &array, NULL));
    CHECK_MEM(array.buffers[1], ((const int64_t[]){20, 30, 20}), 3 * sizeof(int64_t));
    array.release(&array);
    CHECK_OK(stoa_column_storage_of(stoa_table_column(picked, 0), &storage, NULL));
    CHECK_STR(storage.layout, "made");
    stoa_table_close(picked);
    CHECK_OK(stoa_column_read(stoa_table_column(from, 0), 0, 3, &array, NULL));
    CHECK_MEM(array.buffers[1], numbers, sizeof numbers);
    array.release(&array);
    stoa_table_close(wrong);
    stoa_table_close(list);
    stoa_table_close(from);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(the_table_picked_from_stays_the_callers))
