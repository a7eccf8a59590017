/* SEARCH_INDEXES and SEARCH_INDEX_LIST (HEP001 §10.1-§10.3, §11.2), for src/index/links.c,
 * maintain.c and src/table/indexes/indexes.c */
#include <stdio.h>
#include <string.h>

#include "index/index_set.h"
#include "one_column.h"
#include "support/sweep.h"

static one_column make_numbers(void)
{
    static const int32_t fill = -1;
    static const int32_t rows[] = {5, 3, 8, 1, 9, 2};
    const one_column_spec spec = {.file_type = H5T_STD_I32LE,
                                  .mem_type = H5T_NATIVE_INT32,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 6,
                                  .n_rows = 6,
                                  .chunk_rows = 2};

    return one_column_make(&spec);
}

static void add_index(one_column *made)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_index_add(made->table, "x", "minmax", NULL, &err), &err);
}

static bool has_group(const one_column *made)
{
    return H5Lexists(made->group, "SEARCH_INDEXES", H5P_DEFAULT) > 0;
}

static bool has_list(const one_column *made)
{
    return H5Aexists(made->column->dataset, "SEARCH_INDEX_LIST") > 0;
}

static bool has_dataset(const one_column *made, const char *path)
{
    return H5Lexists(made->group, path, H5P_DEFAULT) > 0;
}

/* A dataset in SEARCH_INDEXES with the given KIND (NULL: none), of one byte. */
static hid_t add_foreign(const one_column *made, const char *name, const char *kind)
{
    const hid_t indexes = has_group(made)
                              ? CHECK_H5(H5Gopen2(made->group, "SEARCH_INDEXES", H5P_DEFAULT))
                              : CHECK_H5(H5Gcreate2(made->group, "SEARCH_INDEXES", H5P_DEFAULT,
                                                    H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){1}, NULL));
    const hid_t dataset = CHECK_H5(
        H5Dcreate2(indexes, name, H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    if (kind != NULL) {
        const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
        const hid_t scalar = CHECK_H5(H5Screate(H5S_SCALAR));
        CHECK_H5(H5Tset_size(type, strlen(kind) + 1));
        const hid_t attr =
            CHECK_H5(H5Acreate2(dataset, "KIND", type, scalar, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Awrite(attr, type, kind));
        CHECK_H5(H5Aclose(attr));
        CHECK_H5(H5Sclose(scalar));
        CHECK_H5(H5Tclose(type));
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Gclose(indexes));
    return dataset;
}

/* Write an attribute of references to n objects, by plain HDF5 calls. */
static void write_references(hid_t object, const char *name, const hid_t *targets, hsize_t n)
{
    H5R_ref_t references[16] = {0};
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t attr =
        CHECK_H5(H5Acreate2(object, name, H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT));

    for (hsize_t i = 0; i < n; i++) {
        CHECK_H5(H5Rcreate_object(targets[i], ".", H5P_DEFAULT, &references[i]));
    }
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, references));
    for (hsize_t i = 0; i < n; i++) {
        CHECK_H5(H5Rdestroy(&references[i]));
    }
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(space));
}

/* What stoa_index_visit() showed last, and how many. */
typedef struct listing {
    size_t n;
    stoa_index_info last;
    char kind[64], path[256], problem[512], description[256];
} listing;

static bool keep(void *context, const stoa_index_info *info)
{
    listing *seen = context;

    seen->n++;
    seen->last = *info;
    (void)snprintf(seen->kind, sizeof seen->kind, "%s", info->kind);
    (void)snprintf(seen->path, sizeof seen->path, "%s", info->path);
    (void)snprintf(seen->problem, sizeof seen->problem, "%s", info->problem);
    (void)snprintf(seen->description, sizeof seen->description, "%s", info->description);
    return true;
}

static listing list(const one_column *made)
{
    stoa_error err = STOA_ERROR_INIT;
    listing seen = {.n = 0};

    CHECK_OK(stoa_index_visit(made->table, keep, &seen, &err), &err);
    return seen;
}

static void an_added_index_is_listed_with_its_provenance(void)
{
    one_column made = make_numbers();

    add_index(&made);
    const listing seen = list(&made);
    CHECK_U64(seen.n, 1);
    CHECK_STR(seen.kind, "CHUNK_MINMAX");
    CHECK_STR(seen.path, "/t/SEARCH_INDEXES/x__chunk_minmax");
    CHECK_STR(seen.problem, "");
    CHECK(seen.last.usable);
    CHECK_U64(seen.last.n_entries, 3);
    CHECK(seen.last.n_bytes >= 3 * (2 * 4 + 24));
    CHECK_CONTAINS(seen.description, "Stoa ");
    CHECK(strchr(seen.description, ';') == NULL); /* nothing behind it: there are no parameters */
    one_column_free(&made);
}

static void a_second_index_of_the_kind_is_refused(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;

    add_index(&made);
    CHECK_STATUS(STOA_EEXISTS, stoa_index_add(made.table, "x", "CHUNK_MINMAX", NULL, &err));
    CHECK_CONTAINS(err.where, ".h5:/t");
    one_column_free(&made);
}

static void what_does_not_exist_is_named(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ENOTFOUND, stoa_index_add(made.table, "y", "minmax", NULL, &err));
    CHECK_CONTAINS(err.message, "'y'");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EINVAL, stoa_index_add(made.table, "x", "btree", NULL, &err));
    CHECK_CONTAINS(err.message, "btree");
    CHECK_CONTAINS(err.message, "minmax");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ENOTFOUND, stoa_index_drop(made.table, "x", NULL, &err));
    err = (stoa_error)STOA_ERROR_INIT;
    bool same;
    CHECK_STATUS(STOA_ENOTFOUND, stoa_index_verify(made.table, "x", NULL, &same, &err));
    one_column_free(&made);
}

static void a_dropped_index_leaves_no_trace(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;

    add_index(&made);
    CHECK_OK(stoa_index_drop(made.table, "x", "minmax", &err), &err);
    CHECK(!has_group(&made));
    CHECK(!has_list(&made));
    CHECK_U64(list(&made).n, 0);
    add_index(&made); /* and may be built again */
    CHECK_U64(list(&made).n, 1);
    one_column_free(&made);
}

static void an_unknown_kind_is_shown_kept_and_not_used(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    const hid_t foreign = add_foreign(&made, "theirs", "chunk_minmax"); /* case counts */

    write_references(made.column->dataset, "SEARCH_INDEX_LIST", &foreign, 1);
    listing seen = list(&made);
    CHECK_U64(seen.n, 1);
    CHECK(!seen.last.usable);
    CHECK_CONTAINS(seen.problem, "chunk_minmax");
    add_index(&made);
    CHECK_U64(list(&made).n, 2);
    CHECK_OK(stoa_index_drop(made.table, "x", "minmax", &err), &err);
    CHECK(has_dataset(&made, "SEARCH_INDEXES/theirs"));
    CHECK_U64(list(&made).n, 1);
    CHECK_OK(stoa_index_drop(made.table, "x", NULL, &err), &err);
    CHECK_H5(H5Dclose(foreign));
    CHECK(!has_group(&made));
    one_column_free(&made);
}

static void the_command_line_name_is_no_kind_attribute(void)
{
    one_column made = make_numbers();
    const hid_t foreign = add_foreign(&made, "theirs", "minmax");

    write_references(made.column->dataset, "SEARCH_INDEX_LIST", &foreign, 1);
    CHECK_CONTAINS(list(&made).problem, "unknown");
    CHECK_H5(H5Dclose(foreign));
    one_column_free(&made);
}

static void an_append_drops_what_it_cannot_extend(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    /* One of unknown kind, one that says it is ours but is not. */
    const hid_t foreign[] = {add_foreign(&made, "theirs", "FUTURE"),
                             add_foreign(&made, "broken", "CHUNK_MINMAX")};

    write_references(made.column->dataset, "SEARCH_INDEX_LIST", foreign, 2);
    CHECK_H5(H5Dclose(foreign[0]));
    CHECK_H5(H5Dclose(foreign[1]));
    CHECK_CONTAINS(list(&made).problem, "10.4");
    CHECK_OK(stoa_index_build(made.group, made.column, &stoa_index_minmax, 4, NULL, &err), &err);
    CHECK_OK(stoa_index_extend_all(made.group, made.column, 4, 6, &err), &err);
    CHECK(!has_dataset(&made, "SEARCH_INDEXES/theirs"));
    CHECK(!has_dataset(&made, "SEARCH_INDEXES/broken"));
    CHECK(has_dataset(&made, "SEARCH_INDEXES/x__chunk_minmax"));

    bool same = false;
    CHECK_OK(stoa_index_verify(made.table, "x", NULL, &same, &err), &err);
    CHECK(same);
    CHECK_U64(list(&made).n, 1);
    one_column_free(&made);
}

static void an_append_builds_anew_what_is_damaged(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    const hid_t foreign = add_foreign(&made, "broken", "CHUNK_MINMAX");
    bool same = false;

    write_references(made.column->dataset, "SEARCH_INDEX_LIST", &foreign, 1);
    CHECK_H5(H5Dclose(foreign));
    CHECK_OK(stoa_index_extend_all(made.group, made.column, 4, 6, &err), &err);
    CHECK(!has_dataset(&made, "SEARCH_INDEXES/broken"));
    CHECK_STR(list(&made).problem, "");
    CHECK_OK(stoa_index_verify(made.table, "x", "minmax", &same, &err), &err);
    CHECK(same);
    one_column_free(&made);
}

static void of_many_damaged_indexes_one_of_each_kind_is_built_anew(void)
{
    enum { N = 10 };
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    hid_t foreign[N];
    bool same = false;

    for (int i = 0; i < N; i++) {
        foreign[i] = add_foreign(&made, (char[]){(char)('a' + i), '\0'},
                                 i < N - 1 ? "CHUNK_MINMAX" : "BITMAP");
    }
    write_references(made.column->dataset, "SEARCH_INDEX_LIST", foreign, N);
    for (int i = 0; i < N; i++) {
        CHECK_H5(H5Dclose(foreign[i]));
    }
    CHECK_OK(stoa_index_extend_all(made.group, made.column, 4, 6, &err), &err);
    CHECK_U64(list(&made).n, 2);
    CHECK_OK(stoa_index_verify(made.table, "x", "minmax", &same, &err), &err);
    CHECK(same);
    CHECK_OK(stoa_index_verify(made.table, "x", "bitmap", &same, &err), &err);
    CHECK(same);
    one_column_free(&made);
}

static void what_has_a_kind_is_nobodys_company(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    const hid_t bitmap = add_foreign(&made, "a", "BITMAP");
    const hid_t other = add_foreign(&made, "other", "FUTURE");
    const hid_t company = add_foreign(&made, "company", NULL);

    write_references(bitmap, "values_of_mine", &company, 1);
    write_references(bitmap, "neighbour", &other, 1);
    write_references(made.column->dataset, "SEARCH_INDEX_LIST", &bitmap, 1);
    CHECK_H5(H5Dclose(bitmap));
    CHECK_H5(H5Dclose(other));
    CHECK_H5(H5Dclose(company));
    CHECK_OK(stoa_index_drop(made.table, "x", NULL, &err), &err);
    CHECK(!has_dataset(&made, "SEARCH_INDEXES/a"));
    CHECK(!has_dataset(&made, "SEARCH_INDEXES/company"));
    CHECK(has_dataset(&made, "SEARCH_INDEXES/other"));
    one_column_free(&made);
}

static void broken_references_are_shown_and_go_with_the_next_write(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    /* The first leads to a group, the second to a dataset that is deleted then. */
    const hid_t gone = add_foreign(&made, "gone", "CHUNK_MINMAX");
    const hid_t targets[] = {made.group, gone};

    write_references(made.column->dataset, "SEARCH_INDEX_LIST", targets, 2);
    CHECK_H5(H5Dclose(gone));
    CHECK_H5(H5Ldelete(made.group, "SEARCH_INDEXES/gone", H5P_DEFAULT));
    const listing seen = list(&made);
    CHECK_U64(seen.n, 2);
    CHECK(!seen.last.usable);
    CHECK_CONTAINS(seen.problem, "10.2");
    CHECK_OK(stoa_index_extend_all(made.group, made.column, 6, 6, &err), &err);
    CHECK(!has_list(&made));
    CHECK(!has_group(&made));
    one_column_free(&made);
}

static void a_reference_to_a_group_leads_to_no_index(void)
{
    one_column made = make_numbers();

    write_references(made.column->dataset, "SEARCH_INDEX_LIST", &made.group, 1);
    const listing seen = list(&made);
    CHECK_U64(seen.n, 1);
    CHECK_STR(seen.path, "");
    CHECK_CONTAINS(seen.problem, "leads to no dataset");
    one_column_free(&made);
}

static void a_list_of_another_type_is_a_problem_not_a_failure(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attr = CHECK_H5(H5Acreate2(made.column->dataset, "SEARCH_INDEX_LIST",
                                           H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(space));
    const listing seen = list(&made);
    CHECK_U64(seen.n, 1);
    CHECK(!seen.last.usable);
    CHECK_OK(stoa_index_drop(made.table, "x", NULL, &err), &err);
    CHECK(!has_list(&made));
    one_column_free(&made);
}

static void a_values_dataset_goes_with_its_last_bitmap(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    const hid_t bitmaps[] = {add_foreign(&made, "a", "BITMAP"), add_foreign(&made, "b", "BITMAP")};
    const hid_t values = add_foreign(&made, "values", NULL);

    /* Two bitmaps may share their values (notes D6). */
    write_references(bitmaps[0], "VALUES", &values, 1);
    write_references(bitmaps[1], "VALUES", &values, 1);
    write_references(made.column->dataset, "SEARCH_INDEX_LIST", bitmaps, 1);
    CHECK_H5(H5Dclose(values));
    CHECK_OK(stoa_index_drop(made.table, "x", NULL, &err), &err);
    CHECK(!has_dataset(&made, "SEARCH_INDEXES/a"));
    CHECK(has_dataset(&made, "SEARCH_INDEXES/values"));

    write_references(made.column->dataset, "SEARCH_INDEX_LIST", &bitmaps[1], 1);
    CHECK_H5(H5Dclose(bitmaps[0]));
    CHECK_H5(H5Dclose(bitmaps[1]));
    CHECK_OK(stoa_index_drop(made.table, "x", NULL, &err), &err);
    CHECK(!has_group(&made));
    one_column_free(&made);
}

static void a_taken_name_is_walked_around(void)
{
    one_column made = make_numbers();
    const hid_t squatter = add_foreign(&made, "x__chunk_minmax", NULL);

    add_index(&made);
    CHECK(has_dataset(&made, "SEARCH_INDEXES/x__chunk_minmax_2"));
    CHECK_H5(H5Dclose(squatter));
    one_column_free(&made);
}

static void a_rewritten_column_gets_its_index_anew(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    const int32_t rows[] = {50, 30, 80, 10, 90, 20};
    bool same = true;

    add_index(&made);
    CHECK_H5(H5Dwrite(made.column->dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_OK(stoa_index_verify(made.table, "x", NULL, &same, &err), &err);
    CHECK(!same);
    CHECK_OK(stoa_index_rebuild_all(made.group, made.column, 6, &err), &err);
    CHECK_OK(stoa_index_verify(made.table, "x", NULL, &same, &err), &err);
    CHECK(same);
    CHECK_U64(list(&made).n, 1);
    one_column_free(&made);
}

static bool stop_at_once(void *context, const stoa_index_info *info)
{
    (void)info;
    ++*(int *)context;
    return false;
}

static void a_visitor_can_stop_the_walk(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    const hid_t foreign = add_foreign(&made, "theirs", "FUTURE");
    int n = 0;

    write_references(made.column->dataset, "SEARCH_INDEX_LIST", &foreign, 1);
    CHECK_H5(H5Dclose(foreign));
    add_index(&made);
    CHECK_OK(stoa_index_visit(made.table, stop_at_once, &n, &err), &err);
    CHECK_I64(n, 1);
    one_column_free(&made);
}

static stoa_table *swept;

static stoa_status add_verify_drop(stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool same = false;

    STOA_TRY(stoa_index_add(swept, "x", "minmax", NULL, err));
    status = stoa_index_verify(swept, "x", NULL, &same, err);
    CHECK(status != STOA_OK || same);

done:
    stoa_memory_fail_after(UINT64_MAX);
    if (H5Aexists_by_name(swept->group, "x", "SEARCH_INDEX_LIST", H5P_DEFAULT) > 0) {
        CHECK_OK(stoa_index_drop(swept, "x", NULL, NULL));
    }
    CHECK(H5Lexists(swept->group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
    return status;
}

static void a_build_without_memory_leaves_nothing(void)
{
    one_column made = make_numbers();

    swept = made.table;
    CHECK(sweep_memory(add_verify_drop) > 10);
    one_column_free(&made);
}

/* The column becomes a window on another dataset, which may change without its index. */
static void move_values_away(one_column *made, hid_t index)
{
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){6}, NULL));

    CHECK_H5(H5Lmove(made->group, "x", made->file, "y", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Pset_virtual(creation, space, ".", "/y", space));
    CHECK_H5(H5Pset_fill_value(creation, H5T_NATIVE_INT32, &(int32_t){-1}));
    const hid_t window = CHECK_H5(
        H5Dcreate2(made->group, "x", H5T_STD_I32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    write_references(window, "SEARCH_INDEX_LIST", &index, 1);
    CHECK_H5(H5Dclose(window));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(creation));
    one_column_reopen(made, 6);
}

static void an_index_of_values_that_lie_elsewhere_is_listed_as_of_no_use(void)
{
    one_column made = make_numbers();
    stoa_error err = STOA_ERROR_INIT;
    stoa_index_set set = {.column = NULL};
    stoa_index *index = NULL;

    add_index(&made);
    CHECK_OK(stoa_index_set_open(made.column, &set, &err), &err);
    CHECK_OK(stoa_index_set_get(&set, 0, 6, &index, &err), &err);
    stoa_index_set_close(&set);
    const hid_t dataset = one_column_index(&made);
    move_values_away(&made, dataset);
    CHECK_H5(H5Dclose(dataset));
    CHECK_OK(stoa_index_set_open(made.column, &set, &err), &err);
    CHECK_U64(set.n_links, 1);
    CHECK_STATUS(STOA_EDATA, stoa_index_set_get(&set, 0, 6, &index, &err));
    CHECK_CONTAINS(err.message, "may have changed");
    CHECK(index == NULL);
    stoa_index_set_close(&set);
    const listing seen = list(&made);
    CHECK(!seen.last.usable);
    CHECK_CONTAINS(seen.problem, "may have changed");
    one_column_free(&made);
}

TEST_MAIN(TEST(an_added_index_is_listed_with_its_provenance),
          TEST(a_second_index_of_the_kind_is_refused), TEST(what_does_not_exist_is_named),
          TEST(a_dropped_index_leaves_no_trace), TEST(an_unknown_kind_is_shown_kept_and_not_used),
          TEST(the_command_line_name_is_no_kind_attribute),
          TEST(an_append_drops_what_it_cannot_extend), TEST(an_append_builds_anew_what_is_damaged),
          TEST(of_many_damaged_indexes_one_of_each_kind_is_built_anew),
          TEST(what_has_a_kind_is_nobodys_company),
          TEST(broken_references_are_shown_and_go_with_the_next_write),
          TEST(a_reference_to_a_group_leads_to_no_index),
          TEST(a_list_of_another_type_is_a_problem_not_a_failure),
          TEST(a_values_dataset_goes_with_its_last_bitmap), TEST(a_taken_name_is_walked_around),
          TEST(a_rewritten_column_gets_its_index_anew), TEST(a_visitor_can_stop_the_walk),
          TEST(an_index_of_values_that_lie_elsewhere_is_listed_as_of_no_use),
          TEST(a_build_without_memory_leaves_nothing))
