/* Columns of lists whose file says that one of them is huge: told of, not made room for. */
#include <stdlib.h>
#include <string.h>

#include "table/kit.h"

/* Three lists, under a codec; the first one's length is UINT32_MAX afterwards. */
static void write_huge(hid_t file, const char *codec)
{
    const stoa_column_options storage = {NULL, codec, 4};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch items = batch_begin(1, 6);
    batch lists = batch_begin(1, 3);
    batch b = batch_begin(1, 3);
    hsize_t chunk = 0;

    options.columns = &storage;
    options.n_columns = 1;
    batch_integers(&items, 0, "item", "l", (const int64_t[]){1, 2, 3, 4, 5, 6}, NULL);
    batch_lists(&lists, 0, "item", "+l", &items, (const int64_t[]){2, 2, 2}, NULL);
    /* Lists in lists of one length are sequences of HDF5, not list columns. */
    batch_lists(&b, 0, "v", "+w:1", &lists, (const int64_t[]){1, 1, 1}, NULL);
    write_batches(file, "/t", &b, 1, &options);

    const hid_t column = CHECK_H5(H5Dopen2(file, "/t/v", H5P_DEFAULT));
    const hid_t dcpl = CHECK_H5(H5Dget_create_plist(column));
    CHECK_H5(H5Pget_chunk(dcpl, 1, &chunk));
    /* libhdf5 2.2 keeps the old mask of a chunk that is overwritten by one of the same size. */
    CHECK_H5(H5Dset_extent(column, &(hsize_t){0}));
    CHECK_H5(H5Dset_extent(column, &(hsize_t){3}));
    uint8_t *const bytes = calloc((size_t)chunk, 16);
    CHECK(bytes != NULL);
    memset(bytes, 0xff, 4);
    /* Filters are passed over by the mask, as a writer may whose chunk did not shrink. */
    CHECK_H5(H5Dwrite_chunk(column, H5P_DEFAULT, H5Pget_nfilters(dcpl) > 0 ? UINT32_MAX : 0,
                            &(hsize_t){0}, (size_t)chunk * 16, bytes));
    free(bytes);
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Dclose(column));
}

static void a_huge_list_is_told_of(void)
{
    static const char *const codecs[] = {"none", "deflate", "zstd", "auto"};

    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArray rows = {.release = NULL};
        const hid_t file = new_file();
        write_huge(file, codecs[i]);
        stoa_table *const table = open_table(file, "/t");
        stoa_column *const column = stoa_table_column(table, 0);
        CHECK_STATUS(STOA_EDATA, stoa_column_read(column, 0, 3, &rows, &err));
        CHECK_CONTAINS(err.message, "row 0 is damaged");
        CHECK_STATUS(STOA_EDATA, stoa_column_read(column, 2, 1, &rows, &err));
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

TEST_MAIN(TEST(a_huge_list_is_told_of))
