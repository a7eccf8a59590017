/* Edits of rows in columns of foreign make: shared categories datasets, enumerations, declared
 * ranges, data in other files (HEP001 §8.5, §8.7, §11.5). */
#include <stdio.h>
#include <stdlib.h>

#include "column/column.h"
#include "hdf/metadata/references.h"
#include "table/edited.h"

/* --- Categories ------------------------------------------------------------------------------- */

enum { N_LABELS = 126 };

/* Columns c and d of one categories dataset: 126 labels, the most that int8 numbers beside its fill
 * -127..., and one more. */
static stoa_table *shared_table(hid_t file)
{
    batch b = batch_begin(2, N_LABELS);
    static char texts[N_LABELS][16];
    const char *labels[N_LABELS];
    stoa_table *table = NULL;

    for (int i = 0; i < N_LABELS; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "l%d", i);
        labels[i] = texts[i];
    }
    batch_categories(&b, 0, "c", labels);
    batch_categories(&b, 1, "d", labels);
    write_batches(file, "/t", &b, 1, NULL);
    /* What a producer who shares categories datasets has: d refers to c's. */
    const hid_t c = CHECK_H5(H5Dopen2(file, "/t/c", H5P_DEFAULT));
    const hid_t d = CHECK_H5(H5Dopen2(file, "/t/d", H5P_DEFAULT));
    const hid_t from = CHECK_H5(H5Aopen(c, "CATEGORIES", H5P_DEFAULT));
    const hid_t to = CHECK_H5(H5Aopen(d, "CATEGORIES", H5P_DEFAULT));
    H5R_ref_t reference;
    CHECK_H5(H5Aread(from, H5T_STD_REF, &reference));
    CHECK_H5(H5Awrite(to, H5T_STD_REF, &reference));
    H5Rdestroy(&reference);
    H5Aclose(to);
    H5Aclose(from);
    H5Dclose(d);
    H5Dclose(c);
    CHECK_H5(H5Ldelete(file, "/t/CATEGORIES/d__CATEGORIES", H5P_DEFAULT));
    table = open_table(file, "/t");
    check_conformant(file, "/t");
    return table;
}

static const char *cell(stoa_table *table, const char *name, uint64_t row)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;

    CHECK_OK(stoa_column_schema(stoa_table_find(table, name), &schema, NULL));
    CHECK_OK(stoa_column_read(stoa_table_find(table, name), row, 1, &array, NULL));
    CHECK_OK(stoa_view_of(&schema, &array, &view, NULL));
    const char *text = value_text(&view, 0);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return text;
}

static int64_t stored_code(stoa_table *table, const char *name, uint64_t row)
{
    int64_t codes[N_LABELS];

    CHECK_H5(H5Dread(stoa_table_find(table, name)->dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL,
                     H5P_DEFAULT, codes));
    return codes[row];
}

static void new_labels_leave_codes_alone_and_books_shared(void)
{
    const hid_t file = new_file();
    stoa_table *table = shared_table(file);

    CHECK_U64(update(table, "c = 'l7'", "c", "'new'"), 1);
    CHECK_STR(cell(table, "c", 7), "'new'");
    CHECK_I64(stored_code(table, "c", 7), N_LABELS);
    CHECK_I64(stored_code(table, "c", 8), 8);
    CHECK_I64(stored_code(table, "d", 7), 7);
    CHECK_STR(stoa_table_find(table, "d")->element.text, "int8");
    check_conformant(file, "/t");
    /* The codes 127 and 128 do not fit beside it: both columns are widened, d for c's sake. */
    CHECK_U64(update(table, "c = 'l8' or c = 'l9'", "c", "lower(d)"), 2);
    CHECK_U64(update(table, "d = 'l8'", "c", "'one more, and a longer one'"), 1);
    CHECK_U64(update(table, "d = 'l9'", "c", "'the last'"), 1);
    CHECK_STR(cell(table, "c", 8), "'one more, and a longer one'");
    CHECK_STR(cell(table, "d", 8), "'l8'");
    CHECK_STR(cell(table, "c", 125), "'l125'");
    CHECK_I64(stored_code(table, "c", 9), N_LABELS + 2);
    CHECK_STR(stoa_table_find(table, "c")->element.text, "int16");
    CHECK_STR(stoa_table_find(table, "d")->element.text, "int16");
    CHECK(stoa_same_object(stoa_table_find(table, "c")->categories,
                           stoa_table_find(table, "d")->categories));
    close_table(table, file);
}

/* --- Foreign columns -------------------------------------------------------------------------- */

/* A column v of variable-length strings of foreign make, beside i. */
static void add_foreign(hid_t file, const char *path, hid_t type, hid_t dcpl, const void *values)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){6}, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, path, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(dataset);
    H5Sclose(space);
    CHECK_H5(H5Adelete_by_name(file, "/t", "column-order", H5P_DEFAULT));
}

static void variable_length_cells_are_overwritten_and_moved(void)
{
    static const char *const texts[] = {"zero", "one", "two", "three", "four", "five"};
    const char *const fill = "-";
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    stoa_table_close(table);
    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    CHECK_H5(H5Tset_cset(type, H5T_CSET_UTF8));
    CHECK_H5(H5Pset_fill_value(dcpl, type, &fill));
    add_foreign(file, "/t/v", type, dcpl, texts);
    H5Pclose(dcpl);
    H5Tclose(type);
    table = open_table(file, "/t");
    CHECK_U64(update(table, "i = 5 or i = 3", "v", "upper(v)"), 2);
    EXPECT(table, "v", "'ZERO'", "'one'", "'two'", "'THREE'", "'four'", "'five'");
    CHECK_U64(delete_rows(table, "i = 1 or i = 3"), 2);
    EXPECT(table, "v", "'ZERO'", "'two'", "'four'", "'five'");
    close_table(table, file);
}

/* Neither written, nor read where that was not asked for. */
static void data_in_other_files_is_left_alone(void)
{
    const int32_t values[] = {0, 1, 2, 3, 4, 5};
    int32_t found[6];
    hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const char *raw = check_path("raw.bin");

    stoa_table_close(table);
    CHECK_H5(H5Pset_external(dcpl, raw, 0, sizeof values));
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, &(int32_t){-1}));
    add_foreign(file, "/t/e", H5T_NATIVE_INT32, dcpl, values);
    H5Pclose(dcpl);
    table = open_table(file, "/t");
    refuse_update(table, "e", "77", STOA_EINVAL, "where Stoa never writes");
    refuse_update(table, "i", "e", STOA_EIO, "raw.bin");
    close_table(table, file);
    FILE *stream = fopen(raw, "rb");
    CHECK(stream != NULL && fread(found, sizeof found, 1, stream) == 1);
    CHECK(fclose(stream) == 0);
    CHECK_MEM(found, values, sizeof values);
}

/* An enumeration says 'missing' by its member MISSING alone (§8.5). */
static void members_of_an_enumeration_are_set_by_name(void)
{
    const int8_t values[] = {1, 2, 9, 1, 2, 1};
    const int8_t fill = 9;
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const hid_t type = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    stoa_table_close(table);
    CHECK_H5(H5Tenum_insert(type, "ON", &(int8_t){1}));
    CHECK_H5(H5Tenum_insert(type, "OFF", &(int8_t){2}));
    CHECK_H5(H5Tenum_insert(type, "MISSING", &fill));
    CHECK_H5(H5Pset_fill_value(dcpl, type, &fill));
    add_foreign(file, "/t/e", type, dcpl, values);
    H5Pclose(dcpl);
    H5Tclose(type);
    table = open_table(file, "/t");
    CHECK_U64(update(table, "e = 'ON'", "e", "'OFF'"), 3);
    CHECK_U64(update(table, "i = 1", "e", "null"), 1);
    CHECK_U64(update(table, "i = 5", "e", "'ON'"), 1);
    EXPECT(table, "e", "'ON'", "null", "null", "'OFF'", "'OFF'", "'OFF'");
    refuse_update(table, "e", "'BROKEN'", STOA_ETYPE, "BROKEN");
    refuse_update(table, "e", "'MISSING'", STOA_ELOSS, "stands for missing");
    refuse_update(table, "e", "1", STOA_ETYPE, "does not go into column 'e'");
    CHECK_U64(delete_rows(table, "e is null"), 2);
    EXPECT(table, "e", "'ON'", "'OFF'", "'OFF'", "'OFF'");
    close_table(table, file);
}

static void opaque_values_are_set_by_their_bytes(void)
{
    const uint8_t values[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6};
    const uint8_t fill[] = {0xff, 0xff};
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const hid_t type = CHECK_H5(H5Tcreate(H5T_OPAQUE, 2));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    uint8_t found[12];

    stoa_table_close(table);
    CHECK_H5(H5Pset_fill_value(dcpl, type, fill));
    add_foreign(file, "/t/o", type, dcpl, values);
    H5Pclose(dcpl);
    table = open_table(file, "/t");
    CHECK_U64(update(table, "o = X'0001' or o = X'0003'", "o", "X'abcd'"), 2);
    CHECK_U64(update(table, "i = 4", "o", "null"), 1);
    refuse_update(table, "o", "X'ab'", STOA_ETYPE, "have 2 bytes, not 1");
    refuse_update(table, "o", "'ab'", STOA_ETYPE, "does not go into column 'o'");
    CHECK_H5(
        H5Dread(stoa_table_find(table, "o")->dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, ((const uint8_t[]){0xab, 0xcd, 0, 2, 0xab, 0xcd, 0, 4, 0, 5, 0xff, 0xff}), 12);
    H5Tclose(type);
    close_table(table, file);
}

static void put_bound(hid_t dataset, const char *name, int32_t value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attr =
        CHECK_H5(H5Acreate2(dataset, name, H5T_NATIVE_INT32, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attr, H5T_NATIVE_INT32, &value));
    H5Aclose(attr);
    H5Sclose(space);
}

/* valid_min and valid_max never lie (§8.5). */
static void a_declared_range_is_kept_while_it_is_true(void)
{
    const int32_t values[] = {0, 1, 2, 3, 4, 5};
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    stoa_table_close(table);
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, &(int32_t){-1}));
    add_foreign(file, "/t/r", H5T_NATIVE_INT32, dcpl, values);
    H5Pclose(dcpl);
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/r", H5P_DEFAULT));
    put_bound(dataset, "valid_min", 0);
    put_bound(dataset, "valid_max", 100);
    H5Dclose(dataset);
    table = open_table(file, "/t");
    CHECK_U64(update(table, "r = 3", "r", "100"), 1);
    CHECK(stoa_table_find(table, "r")->valid_max != NULL);
    CHECK_U64(update(table, "r = 4", "r", "101"), 1);
    CHECK(stoa_table_find(table, "r")->valid_max == NULL);
    CHECK_U64(update(table, "r = 5", "r", "-1"), 1); /* what was the fill */
    EXPECT(table, "r", "0", "1", "2", "100", "101", "-1");
    close_table(table, file);
}

static void one_dataset_under_two_names_is_refused(void)
{
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);
    stoa_error err = STOA_ERROR_INIT;

    stoa_table_close(table);
    CHECK_H5(H5Lcreate_hard(file, "/t/x", file, "/t/y", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Adelete_by_name(file, "/t", "column-order", H5P_DEFAULT));
    table = open_table(file, "/t");
    refuse_update(table, "x", "1", STOA_EDATA, "one dataset under two names");
    CHECK_STATUS(STOA_EDATA, stoa_table_delete(table, "i = 1", NULL, NULL, &err), &err);
    CHECK_U64(update(table, "i = 5", "i", "6"), 1); /* others may change */
    EXPECT(table, "y", "0.5", "1.0", "null", "2.0", "3.0", "4.0");
    stoa_table_close(table);
    CHECK_H5(H5Lcreate_hard(file, "/t/x", file, "/t/a", H5P_DEFAULT, H5P_DEFAULT));
    table = open_table(file, "/t"); /* by their names: "a" is the first one */
    refuse_update(table, "a", "1", STOA_EDATA, "one dataset under two names");
    stoa_table_close(table);
    H5Fclose(file);
}

/* An index that lies would hide rows (§16): edits look at the rows themselves. */
static void an_index_does_not_decide_what_is_edited(void)
{
    const int8_t values[] = {77, 1, 2, 3, 77, 5};
    const hid_t file = new_file();
    stoa_table *table = sample_table(file, false);

    CHECK_H5(H5Dwrite(stoa_table_find(table, "i")->dataset, H5T_NATIVE_INT8, H5S_ALL, H5S_ALL,
                      H5P_DEFAULT, values));
    CHECK_U64(update(table, "i = 77", "x", "7"), 2);
    EXPECT(table, "x", "7.0", "1.0", "null", "2.0", "7.0", "4.0");
    CHECK_U64(delete_rows(table, "i = 77"), 2);
    EXPECT(table, "i", "1", "2", "3", "5");
    stoa_table_close(table);
    H5Fclose(file);
}

TEST_MAIN(TEST(new_labels_leave_codes_alone_and_books_shared),
          TEST(variable_length_cells_are_overwritten_and_moved),
          TEST(data_in_other_files_is_left_alone), TEST(members_of_an_enumeration_are_set_by_name),
          TEST(opaque_values_are_set_by_their_bytes),
          TEST(a_declared_range_is_kept_while_it_is_true),
          TEST(one_dataset_under_two_names_is_refused),
          TEST(an_index_does_not_decide_what_is_edited))
