/* A table to edit, and what plain libhdf5 says of it. */
#include "table/columns_kit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/sweep.h"

/* --- A table to edit -------------------------------------------------------------------------- */

/* i int8, x float32, s strings, c and d categories, t times; the third row is missing in i, s, c.
 */
batch six_columns(void)
{
    batch b = batch_begin(6, N_ROWS);
    const bool valid[] = {true, true, false, true, true, true};

    batch_integers(&b, 0, "i", "c", (int64_t[]){5, 1, 0, 3, 2, 4}, valid);
    batch_floats(&b, 1, "x", "f", (double[]){0.5, NAN, -1.5, 2, 3, 4}, NULL);
    batch_strings(&b, 2, "s", (const char *[]){"b", "a", NULL, "b", "", "c"});
    batch_categories(&b, 3, "c", (const char *[]){"u", "v", NULL, "u", "w", "v"});
    batch_categories(&b, 4, "d", (const char *[]){"v", "y", "y", "u", "u", "u"});
    batch_integers(&b, 5, "t", "tss:UTC", (int64_t[]){0, 60, 120, 180, 240, 300}, NULL);
    return b;
}

/* Row labels i, t, x; indexes on i, s and c. */
stoa_table *edited_table(hid_t file)
{
    static const char *const labels[] = {"i", "t", "x"};
    static const stoa_column_index indexed[] = {{"i", NULL}, {"s", NULL}, {"c", NULL}};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_options storage = {.chunk_rows = 4};
    batch b = six_columns();

    options.index_columns = labels;
    options.n_index_columns = 3;
    options.indexes = indexed;
    options.n_indexes = 3;
    options.columns = &storage;
    options.n_columns = 1;
    options.preallocate_rows = 10;
    options.units_vocabulary = "UDUNITS-2";
    write_batches(file, "/t", &b, 1, &options);
    return open_table(file, "/t");
}

/* The table as it was made: nothing of a failed edit is left, in the handle or in the file. */
void expect_unchanged(stoa_table *table, hid_t file)
{
    static const char *const order[] = {"i", "x", "s", "c", "d", "t"};

    CHECK_U64(stoa_table_n_columns(table), 6);
    for (size_t i = 0; i < 6; i++) {
        CHECK_STR(stoa_column_name(stoa_table_column(table, i)), order[i]);
    }
    CHECK_U64(stoa_table_n_index_columns(table), 3);
    EXPECT(table, "i", "5", "1", "null", "3", "2", "4");
    EXPECT(table, "s", "'b'", "'a'", "null", "'b'", "''", "'c'");
    EXPECT(table, "c", "'u'", "'v'", "null", "'u'", "'w'", "'v'");
    EXPECT(table, "d", "'v'", "'y'", "'y'", "'u'", "'u'", "'u'");
    check_conformant(file, "/t");
}

/* --- Plain libhdf5 ---------------------------------------------------------------------------- */

/* column-order as one text with spaces, read by libhdf5 alone. */
const char *order_text(hid_t file, const char *path)
{
    static char text[256];
    char names[16][16];
    const hid_t attr = H5Aopen_by_name(file, path, "column-order", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Aget_space(attr);
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hssize_t n = H5Sget_simple_extent_npoints(space);

    CHECK_H5(attr);
    CHECK(n <= 16);
    CHECK_H5(H5Tset_size(type, 16));
    CHECK_H5(H5Tset_cset(type, H5T_CSET_UTF8));
    CHECK_H5(H5Aread(attr, type, names));
    text[0] = '\0';
    for (hssize_t i = 0; i < n; i++) {
        (void)strcat(strcat(text, i > 0 ? " " : ""), names[i]);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attr);
    return text;
}

/* A scalar string attribute; "" if there is none. */
const char *text_of(hid_t file, const char *path, const char *name)
{
    static char text[256];

    text[0] = '\0';
    if (H5Aexists_by_name(file, path, name, H5P_DEFAULT) <= 0) {
        return text;
    }
    const hid_t attr = H5Aopen_by_name(file, path, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attr);
    CHECK(H5Tget_size(type) < sizeof text);
    CHECK(H5Tget_class(type) == H5T_STRING && H5Tget_cset(type) == H5T_CSET_UTF8);
    CHECK(H5Tis_variable_str(type) == 0);
    memset(text, 0, sizeof text);
    CHECK_H5(H5Aread(attr, type, text));
    H5Tclose(type);
    H5Aclose(attr);
    return text;
}

/* Names of the datasets that an attribute of references leads to. */
const char *targets_text(hid_t file, const char *path, const char *name)
{
    static char text[256];
    H5R_ref_t references[16];
    const hid_t attr = H5Aopen_by_name(file, path, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Aget_space(attr);
    const hssize_t n = H5Sget_simple_extent_npoints(space);

    CHECK_H5(attr);
    CHECK_H5(H5Aread(attr, H5T_STD_REF, references));
    text[0] = '\0';
    for (hssize_t i = 0; i < n; i++) {
        char target[64] = "";
        CHECK_H5(H5Rget_obj_name(&references[i], H5P_DEFAULT, target, sizeof target));
        (void)strcat(strcat(text, i > 0 ? " " : ""), strrchr(target, '/') + 1);
        H5Rdestroy(&references[i]);
    }
    H5Sclose(space);
    H5Aclose(attr);
    return text;
}

uint64_t n_links(hid_t file, const char *path)
{
    H5G_info_t info = {.nlinks = 0};

    if (H5Lexists(file, path, H5P_DEFAULT) > 0) {
        CHECK_H5(H5Gget_info_by_name(file, path, &info, H5P_DEFAULT));
    }
    return info.nlinks;
}

/* Layout, chunk length and number of filters, as libhdf5 says. */
const char *layout_text(hid_t file, const char *path)
{
    static char text[64];
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t dcpl = H5Dget_create_plist(dataset);
    hsize_t chunk = 0;

    if (H5Pget_layout(dcpl) == H5D_CHUNKED) {
        CHECK_H5(H5Pget_chunk(dcpl, 1, &chunk));
    }
    (void)snprintf(text, sizeof text, "chunk %d, %d filters", (int)chunk, H5Pget_nfilters(dcpl));
    H5Pclose(dcpl);
    H5Dclose(dataset);
    return text;
}

void expect_verified(stoa_table *table, const char *column)
{
    stoa_error err = STOA_ERROR_INIT;
    bool same = false;

    CHECK_OK(stoa_index_verify(table, column, NULL, &same, &err), &err);
    CHECK(same);
}

stoa_status restore(stoa_table *table, const char *column, const char *codec, uint64_t chunk_rows,
                    stoa_error *err)
{
    const stoa_column_options storage = {column, codec, chunk_rows};

    return stoa_column_set_storage(table, &storage, NULL, err);
}

void sweep_edit(edit_of_table edit)
{
    stoa_status status = STOA_ENOMEM;
    const hid_t file = new_file();
    stoa_table *table = edited_table(file);
    uint64_t n = 0;

    for (; status != STOA_OK; n++) {
        stoa_error err = STOA_ERROR_INIT;

        stoa_memory_fail_after(n);
        status = edit(table, &err);
        stoa_memory_fail_after(UINT64_MAX);
        if (status != STOA_OK) {
            CHECK_STATUS(STOA_ENOMEM, status, &err);
            CHECK_U64(stoa_table_n_columns(table), 6);
            CHECK_STR(order_text(file, "/t"), "i x s c d t");
            if (n % 16 == 0) {
                expect_unchanged(table, file);
            }
        }
    }
    CHECK(n > 20);
    check_conformant(file, "/t");
    stoa_table_close(table);
    H5Fclose(file);
}
