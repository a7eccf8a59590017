/* Columns whose values have no order of HEP001 §10.5, and indexes that somebody built on them all
 * the same; and how large an index is with its company. */
#include <stdio.h>
#include <string.h>

#include "one_column.h"
#include "support/check.h"

enum { N_ROWS = 6, N_OLD = 4 };

/* Column x: pairs of bytes, smaller than any number an element could be taken for. Column y: the
 * same bytes as numbers, with an index of the kind, which x refers to alone. */
static one_column make_stolen(const char *kind, bool bare)
{
    static const int8_t fill[2] = {-1, -1};
    static const int8_t rows[2 * N_ROWS] = {1, 2, 3, 4, 1, 2, 5, 6, -1, -1, 7, 8};
    const hid_t pair = CHECK_H5(H5Tcreate(H5T_COMPOUND, 2));
    const hid_t number = CHECK_H5(H5Tcopy(H5T_STD_I16LE));
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Tinsert(pair, "a", 0, H5T_STD_I8LE));
    CHECK_H5(H5Tinsert(pair, "b", 1, H5T_STD_I8LE));
    one_column_spec spec = {.file_type = number,
                            .fill = fill,
                            .values = rows,
                            .extent = N_ROWS,
                            .n_rows = N_OLD,
                            .chunk_rows = 2};
    one_column made = one_column_make(&spec);
    options.bare = bare;
    CHECK_OK(stoa_index_add(made.table, "x", kind, &options, &err), &err);

    /* The list moves to a column of pairs, which takes the name. */
    const hid_t space =
        CHECK_H5(H5Screate_simple(1, &(hsize_t){N_ROWS}, &(hsize_t){H5S_UNLIMITED}));
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_chunk(creation, 1, &(hsize_t){2}));
    CHECK_H5(H5Pset_fill_value(creation, pair, fill));
    CHECK_H5(H5Lmove(made.group, "x", made.group, "y", H5P_DEFAULT, H5P_DEFAULT));
    const hid_t x =
        CHECK_H5(H5Dcreate2(made.group, "x", pair, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(x, pair, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    H5R_ref_t reference;
    const hid_t from =
        CHECK_H5(H5Aopen_by_name(made.group, "y", "SEARCH_INDEX_LIST", H5P_DEFAULT, H5P_DEFAULT));
    const hid_t one = CHECK_H5(H5Aget_space(from));
    const hid_t to =
        CHECK_H5(H5Acreate2(x, "SEARCH_INDEX_LIST", H5T_STD_REF, one, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Aread(from, H5T_STD_REF, &reference));
    CHECK_H5(H5Awrite(to, H5T_STD_REF, &reference));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Aclose(to));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Aclose(from));
    CHECK_H5(H5Adelete_by_name(made.group, "y", "SEARCH_INDEX_LIST", H5P_DEFAULT));
    CHECK_H5(H5Dclose(x));
    CHECK_H5(H5Pclose(creation));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(number));
    CHECK_H5(H5Tclose(pair));
    one_column_reopen(&made, N_OLD);
    return made;
}

static void check_goes_with_an_append(one_column *made)
{
    stoa_error err = STOA_ERROR_INIT;

    one_column_reopen(made, N_ROWS);
    CHECK_OK(stoa_index_extend_all(made->group, made->column, N_OLD, N_ROWS, &err), &err);
    CHECK(H5Aexists(made->column->dataset, "SEARCH_INDEX_LIST") == 0);
    CHECK(H5Lexists(made->group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
}

static void an_index_of_what_has_no_order_is_wrong_and_goes(void)
{
    static const char *const kinds[] = {"minmax", "sorted", "sorted", "bloom"};

    for (size_t i = 0; i < 4; i++) {
        one_column made = make_stolen(kinds[i], i == 2);
        stoa_error err = STOA_ERROR_INIT;
        bool same = true;

        CHECK_OK(stoa_index_verify(made.table, "x", kinds[i], &same, &err), &err);
        CHECK(!same);
        CHECK_CONTAINS(err.message, "'x'");
        check_goes_with_an_append(&made);
        one_column_free(&made);
    }
}

/* What stoa_index_visit() says of the last index. */
typedef struct last {
    uint64_t n_bytes;
    bool usable;
    char problem[1024];
} last;

static bool keep(void *context, const stoa_index_info *info)
{
    last *seen = context;

    seen->n_bytes = info->n_bytes;
    seen->usable = info->usable;
    (void)snprintf(seen->problem, sizeof seen->problem, "%s", info->problem);
    return true;
}

static void a_bitmap_of_what_no_query_compares_is_not_judged(void)
{
    one_column made = make_stolen("bitmap", false);
    stoa_error err = STOA_ERROR_INIT;
    last seen = {.usable = true};
    bool same = false;

    CHECK_OK(stoa_index_verify(made.table, "x", "bitmap", &same, &err), &err);
    CHECK(same);
    CHECK_STR(err.message, "");
    CHECK_OK(stoa_index_visit(made.table, keep, &seen, &err), &err);
    CHECK(!seen.usable);
    CHECK_CONTAINS(seen.problem, "10.6");
    check_goes_with_an_append(&made);
    one_column_free(&made);
}

/* Notes D10: of floats, binary16, binary32 and binary64 have an order; bfloat16 has none. */
static void floats_of_other_formats_have_no_order(void)
{
    static const char *const ordering[] = {"minmax", "sorted", "bloom"};
    const hid_t brain = CHECK_H5(H5Tcopy(H5T_IEEE_F32LE));
    const float fill = -1;
    const float rows[N_ROWS] = {1, 2, 1, 2, 3, -1};
    stoa_error err = STOA_ERROR_INIT;
    const char *kind = "something";
    bool same = false;

    CHECK_H5(H5Tset_fields(brain, 15, 7, 8, 0, 7));
    CHECK_H5(H5Tset_precision(brain, 16));
    CHECK_H5(H5Tset_size(brain, 2));
    one_column made = one_column_make(&(one_column_spec){.file_type = brain,
                                                         .mem_type = H5T_NATIVE_FLOAT,
                                                         .fill = &fill,
                                                         .values = rows,
                                                         .extent = N_ROWS,
                                                         .n_rows = N_ROWS,
                                                         .chunk_rows = 2});
    for (size_t i = 0; i < 3; i++) {
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_STATUS(STOA_ETYPE, stoa_index_add(made.table, "x", ordering[i], NULL, &err));
    }
    CHECK_OK(stoa_index_advise(made.table, "x", &kind, &err));
    CHECK(kind == NULL);
    /* They can be equal (notes D6). */
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_OK(stoa_index_add(made.table, "x", "bitmap", NULL, &err), &err);
    CHECK_OK(stoa_index_verify(made.table, "x", NULL, &same, &err), &err);
    CHECK(same);
    one_column_free(&made);
    CHECK_H5(H5Tclose(brain));
}

static uint64_t storage(const one_column *made, const char *path)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(made->group, path, H5P_DEFAULT));
    const uint64_t n = H5Dget_storage_size(dataset);

    CHECK_H5(H5Dclose(dataset));
    CHECK(n > 0);
    return n;
}

static void the_size_of_an_index_is_that_of_its_company_too(void)
{
    const int32_t fill = -1;
    const int32_t rows[N_ROWS] = {1, 2, 1, 2, 3, -1};
    one_column made = one_column_make(&(one_column_spec){.file_type = H5T_NATIVE_INT32,
                                                         .fill = &fill,
                                                         .values = rows,
                                                         .extent = N_ROWS,
                                                         .n_rows = N_ROWS,
                                                         .chunk_rows = 2});
    stoa_error err = STOA_ERROR_INIT;
    last seen = {.n_bytes = 0};

    CHECK_OK(stoa_index_add(made.table, "x", "bitmap", NULL, &err), &err);
    CHECK_OK(stoa_index_visit(made.table, keep, &seen, &err), &err);
    CHECK_U64(seen.n_bytes, storage(&made, "SEARCH_INDEXES/x__bitmap") +
                                storage(&made, "SEARCH_INDEXES/x__bitmap_values"));
    CHECK_OK(stoa_index_add(made.table, "x", "sorted", NULL, &err), &err);
    CHECK_OK(stoa_index_drop(made.table, "x", "bitmap", &err), &err);
    one_column_cover(&made); /* as older Stoa did */
    CHECK_OK(stoa_index_visit(made.table, keep, &seen, &err), &err);
    CHECK_U64(seen.n_bytes, storage(&made, "SEARCH_INDEXES/x__sorted_rows") +
                                storage(&made, "SEARCH_INDEXES/x__sorted_rows__sorted_values") +
                                storage(&made, "SEARCH_INDEXES/x__sorted_rows__fence_keys"));
    one_column_free(&made);
}

TEST_MAIN(TEST(an_index_of_what_has_no_order_is_wrong_and_goes),
          TEST(a_bitmap_of_what_no_query_compares_is_not_judged),
          TEST(floats_of_other_formats_have_no_order),
          TEST(the_size_of_an_index_is_that_of_its_company_too))
