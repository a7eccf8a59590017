/* Columns of booleans: which datasets are read as such, and what is written (HEP001 §8.5, §8.8 of
 * July 2026). */
#include <string.h>

#include "table/kit.h"

enum { N = 4 };

/* One column "b" of booleans. */
static batch booleans(const int64_t *values, const bool *valid, int64_t n)
{
    batch b = batch_begin(1, n);

    batch_integers(&b, 0, "b", "b", values, valid);
    return b;
}

static hid_t written(const int64_t *values, const bool *valid, stoa_revision revision)
{
    const hid_t file = new_file();
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = booleans(values, valid, N);

    options.revision = revision;
    write_batches(file, "/t", &b, 1, &options);
    return file;
}

/* --- what others write ------------------------------------------------------------------------ */

/* An enumeration of the first `n` names, with codes from 0 on. */
static hid_t make_enum(hid_t base, const char *const *names, int n)
{
    const hid_t type = CHECK_H5(H5Tenum_create(base));

    for (int8_t code = 0; code < n; code++) {
        CHECK_H5(H5Tenum_insert(type, names[code], &code)); /* one byte in any of the bases */
    }
    return type;
}

static const char *const truths[] = {"FALSE", "TRUE", "MISSING"};

/* Put a dataset of the type in the place of column "b". A negative fill is none. */
static void replace(hid_t file, hid_t type, int fill, const int8_t *values)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    if (fill >= 0) {
        CHECK_H5(H5Pset_fill_value(dcpl, type, &(int8_t){(int8_t)fill}));
    }
    CHECK_H5(H5Ldelete(file, "/t/b", H5P_DEFAULT));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "/t/b", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

static stoa_kind kind_of(stoa_table *table)
{
    struct ArrowSchema schema;
    stoa_error err = STOA_ERROR_INIT;
    stoa_type type;

    CHECK_OK(stoa_column_schema(stoa_table_find(table, "b"), &schema, &err), &err);
    CHECK_OK(stoa_type_of(&schema, &type, &err), &err);
    stoa_schema_release(&schema);
    return type.kind;
}

static void false_and_true_over_any_byte_are_booleans(void)
{
    const hid_t bases[] = {H5T_STD_I8LE, H5T_STD_U8LE, H5T_STD_I8BE, H5T_STD_U8BE};

    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        const hid_t file = written((int64_t[]){0, 0, 0, 0}, NULL, STOA_REVISION_TOLD);
        replace(file, make_enum(bases[i], truths, 2), -1, (int8_t[]){1, 0, 0, 1});
        stoa_table *table = open_table(file, "/t");
        CHECK(kind_of(table) == STOA_KIND_BOOL);
        EXPECT(table, "b", "1", "0", "0", "1");
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

/* June demands a fill value, and FALSE is the one that libhdf5 would take. */
static void a_fill_that_is_false_or_true_makes_no_row_missing(void)
{
    for (int fill = 0; fill <= 1; fill++) {
        const hid_t file = written((int64_t[]){0, 0, 0, 0}, NULL, STOA_REVISION_TOLD);
        replace(file, make_enum(H5T_STD_I8LE, truths, 2), fill, (int8_t[]){1, 0, 0, 1});
        stoa_table *table = open_table(file, "/t");
        EXPECT(table, "b", "1", "0", "0", "1");
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

static void a_fill_that_is_neither_marks_missing_rows(void)
{
    const hid_t file = written((int64_t[]){0, 0, 0, 0}, NULL, STOA_REVISION_TOLD);

    replace(file, make_enum(H5T_STD_I8LE, truths, 2), 2, (int8_t[]){1, 2, 0, 2});
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "b", "1", "null", "0", "null");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void a_value_that_is_neither_is_an_error(void)
{
    const hid_t file = written((int64_t[]){0, 0, 0, 0}, NULL, STOA_REVISION_TOLD);
    struct ArrowArray array;
    stoa_error err = STOA_ERROR_INIT;

    replace(file, make_enum(H5T_STD_I8LE, truths, 2), -1, (int8_t[]){1, 0, 2, 1});
    stoa_table *table = open_table(file, "/t");
    CHECK_STATUS(STOA_EDATA, stoa_column_read(stoa_table_find(table, "b"), 0, N, &array, &err),
                 &err);
    CHECK_CONTAINS(err.message, "'b' holds 2, which is neither FALSE nor TRUE");
    CHECK_OK(stoa_column_read(stoa_table_find(table, "b"), 0, 2, &array, &err), &err);
    stoa_array_release(&array);

    /* To hold a missing value, the column would become numbers, of which 2 is one. */
    batch b = booleans((int64_t[]){1}, (bool[]){false}, 1);
    CHECK_STATUS(STOA_EDATA, append(table, &b, &err), &err);
    CHECK_CONTAINS(err.message, "neither FALSE nor TRUE");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void a_third_member_that_is_the_fill_makes_booleans_nullable(void)
{
    const hid_t file = written((int64_t[]){0, 0, 0, 0}, NULL, STOA_REVISION_TOLD);
    stoa_error err = STOA_ERROR_INIT;

    replace(file, make_enum(H5T_STD_I8LE, truths, 3), 2, (int8_t[]){1, 2, 0, 1});
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "b", "1", "null", "0", "1");
    batch b = booleans((int64_t[]){1, 0, 0}, (bool[]){true, false, true}, 3);
    CHECK_OK(append(table, &b, &err), &err);
    EXPECT(table, "b", "1", "null", "0", "1", "1", "null", "0");
    stoa_table_close(table);

    /* The column cannot grow, so it was written anew, of the same type. */
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/b", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    CHECK_I64(H5Tget_nmembers(type), 3);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void other_enumerations_stay_enumerations(void)
{
    static const char *const swapped[] = {"TRUE", "FALSE"};
    static const char *const lower[] = {"False", "True"};
    static const char *const other[] = {"FALSE", "TRUE", "UNKNOWN"};
    const struct {
        const char *const *names;
        int n;
        int fill;
    } cases[] = {{swapped, 2, -1}, {lower, 2, -1}, {other, 3, 2},
                 {truths, 1, -1},  {truths, 3, 0}, {truths, 3, -1}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hid_t file = written((int64_t[]){0, 0, 0, 0}, NULL, STOA_REVISION_TOLD);
        replace(file, make_enum(H5T_STD_I8LE, cases[i].names, cases[i].n), cases[i].fill,
                (int8_t[]){0, 0, 0, 0});
        stoa_table *table = open_table(file, "/t");
        CHECK(kind_of(table) == STOA_KIND_DICTIONARY);
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
    }
}

/* Tables that Stoa wrote before July's revision. */
static void numbers_with_a_range_from_0_to_1_are_booleans_whatever_their_fill(void)
{
    const hid_t file =
        written((int64_t[]){1, 0, 0, 1}, (bool[]){true, true, false, true}, STOA_REVISION_TOLD);

    for (int fill = 2; fill <= 255; fill += 253) {
        const hid_t scalar = CHECK_H5(H5Screate(H5S_SCALAR));
        replace(file, CHECK_H5(H5Tcopy(H5T_STD_U8LE)), fill, (int8_t[]){1, 0, (int8_t)fill, 1});
        const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/b", H5P_DEFAULT));
        for (uint8_t bound = 0; bound < 2; bound++) {
            const hid_t attribute =
                CHECK_H5(H5Acreate2(dataset, bound == 0 ? "valid_min" : "valid_max", H5T_STD_U8LE,
                                    scalar, H5P_DEFAULT, H5P_DEFAULT));
            CHECK_H5(H5Awrite(attribute, H5T_STD_U8LE, &bound));
            CHECK_H5(H5Aclose(attribute));
        }
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Sclose(scalar));
        stoa_table *table = open_table(file, "/t");
        EXPECT(table, "b", "1", "0", "null", "1");
        stoa_table_close(table);
    }
    CHECK_H5(H5Fclose(file));
}

/* --- what Stoa writes ------------------------------------------------------------------------- */

/* "uint8, fill 255, 0 to 1", or "FALSE, TRUE". */
static void check_stored(hid_t file, bool is_enum)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/b", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    const hid_t dcpl = CHECK_H5(H5Dget_create_plist(dataset));
    H5D_fill_value_t defined;
    uint8_t byte = 0;

    CHECK_H5(H5Pfill_value_defined(dcpl, &defined));
    CHECK(H5Aexists(dataset, "valid_min") == !is_enum);
    CHECK(H5Aexists(dataset, "valid_max") == !is_enum);
    if (is_enum) {
        const hid_t expected = make_enum(H5T_STD_I8LE, truths, 2);
        CHECK(H5Tequal(type, expected) > 0);
        CHECK(defined != H5D_FILL_VALUE_USER_DEFINED);
        CHECK_H5(H5Tclose(expected));
    } else {
        CHECK(H5Tequal(type, H5T_STD_U8LE) > 0);
        CHECK(defined == H5D_FILL_VALUE_USER_DEFINED);
        CHECK_H5(H5Pget_fill_value(dcpl, H5T_NATIVE_UINT8, &byte));
        CHECK_U64(byte, 255);
        for (uint8_t bound = 0; bound < 2; bound++) {
            const hid_t attribute =
                CHECK_H5(H5Aopen(dataset, bound == 0 ? "valid_min" : "valid_max", H5P_DEFAULT));
            CHECK_H5(H5Aread(attribute, H5T_NATIVE_UINT8, &byte));
            CHECK_U64(byte, bound);
            CHECK_H5(H5Aclose(attribute));
        }
    }
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
}

static void new_columns_are_numbers_that_both_revisions_allow(void)
{
    const stoa_revision revisions[] = {STOA_REVISION_TOLD, STOA_REVISION_2026_06};

    for (size_t i = 0; i < 2; i++) {
        const hid_t file = written((int64_t[]){1, 0, 0, 1}, NULL, revisions[i]);
        check_stored(file, false);
        check_conformant(file, "/t");
        CHECK_H5(H5Fclose(file));
    }
}

static void july_has_false_and_true_while_no_value_is_missing(void)
{
    const bool valid[] = {true, true, false, true};
    hid_t file = written((int64_t[]){1, 0, 0, 1}, NULL, STOA_REVISION_2026_07);
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(file, "/t");

    check_stored(file, true);
    EXPECT(table, "b", "1", "0", "0", "1");
    batch more = booleans((int64_t[]){1, 0}, NULL, 2);
    CHECK_OK(append(table, &more, &err), &err);
    check_stored(file, true);
    batch missing = booleans((int64_t[]){0, 1}, (bool[]){false, true}, 2);
    CHECK_OK(append(table, &missing, &err), &err);
    check_stored(file, false);
    EXPECT(table, "b", "1", "0", "0", "1", "1", "0", "null", "1");
    stoa_table_close(table);
    check_conformant(file, "/t");
    CHECK_H5(H5Fclose(file));

    file = written((int64_t[]){1, 0, 0, 1}, valid, STOA_REVISION_2026_07);
    check_stored(file, false);
    CHECK_H5(H5Fclose(file));
}

static void a_missing_value_in_a_later_batch_makes_numbers_of_them(void)
{
    const hid_t file = new_file();
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch batches[] = {booleans((int64_t[]){1, 0}, NULL, 2),
                       booleans((int64_t[]){0, 0}, (bool[]){false, false}, 2),
                       booleans((int64_t[]){1, 1}, NULL, 2)};

    options.revision = STOA_REVISION_2026_07;
    write_batches(file, "/t", batches, 3, &options);
    check_stored(file, false);
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "b", "1", "0", "null", "null", "1", "1");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void an_update_to_missing_makes_numbers_of_false_and_true(void)
{
    const hid_t file = written((int64_t[]){1, 0, 0, 1}, NULL, STOA_REVISION_2026_07);
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(file, "/t");

    CHECK_OK(stoa_table_update(table, "b", &(stoa_assignment){"b", "false"}, 1, NULL, NULL, &err),
             &err);
    check_stored(file, true);
    CHECK_OK(stoa_table_update(table, NULL, &(stoa_assignment){"b", "null"}, 1, NULL, NULL, &err),
             &err);
    check_stored(file, false);
    EXPECT(table, "b", "null", "null", "null", "null");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void every_kind_of_index_takes_false_and_true(void)
{
    static const char *const kinds[] = {"minmax", "bitmap", "sorted", "bloom"};
    const hid_t file = written((int64_t[]){1, 0, 0, 1}, NULL, STOA_REVISION_2026_07);
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(file, "/t");

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        CHECK_OK(stoa_index_add(table, "b", kinds[i], NULL, &err), &err);
    }
    batch more = booleans((int64_t[]){0, 1}, NULL, 2);
    CHECK_OK(append(table, &more, &err), &err);
    batch missing = booleans((int64_t[]){0, 1}, (bool[]){false, true}, 2);
    CHECK_OK(append(table, &missing, &err), &err);
    EXPECT(table, "b", "1", "0", "0", "1", "0", "1", "null", "1");
    stoa_table_close(table);
    check_conformant(file, "/t");
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(false_and_true_over_any_byte_are_booleans),
          TEST(a_fill_that_is_false_or_true_makes_no_row_missing),
          TEST(a_fill_that_is_neither_marks_missing_rows),
          TEST(a_value_that_is_neither_is_an_error),
          TEST(a_third_member_that_is_the_fill_makes_booleans_nullable),
          TEST(other_enumerations_stay_enumerations),
          TEST(numbers_with_a_range_from_0_to_1_are_booleans_whatever_their_fill),
          TEST(new_columns_are_numbers_that_both_revisions_allow),
          TEST(july_has_false_and_true_while_no_value_is_missing),
          TEST(a_missing_value_in_a_later_batch_makes_numbers_of_them),
          TEST(an_update_to_missing_makes_numbers_of_false_and_true),
          TEST(every_kind_of_index_takes_false_and_true))
