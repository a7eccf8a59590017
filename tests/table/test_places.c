/* Copying, moving, removing and repacking tables: src/table/write/copy.c, move.c and repack.c. */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/memory.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/references.h"
#include "support/raw_chunk.h"
#include "support/sweep.h"
#include "table/kit.h"
#include "table/write/target.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

/* Five rows with a row index, a search index on two columns, categories that two columns have. */
static void write_table(hid_t file, const char *path)
{
    static const stoa_column_index indexed[] = {{.column = "i"}, {.column = "x"}};
    static const char *const labels[] = {"i", "c"};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = batch_begin(4, 5);

    batch_integers(&b, 0, "i", "l", (int64_t[]){5, 4, 3, 2, 1}, NULL);
    batch_floats(&b, 1, "x", "g", (double[]){1, 2, 3, 4, 5},
                 (bool[]){true, true, false, true, true});
    batch_strings(&b, 2, "s", (const char *[]){"a", NULL, "ccc", "", "e"});
    batch_categories(&b, 3, "c", (const char *[]){"u", "v", "u", NULL, "w"});
    options.index_columns = labels;
    options.n_index_columns = 2;
    options.indexes = indexed;
    options.n_indexes = 2;
    options.title = "a title";
    options.preallocate_rows = 5000;
    write_batches(file, path, &b, 1, &options);
}

static void check_rows(stoa_table *table)
{
    EXPECT(table, "i", "5", "4", "3", "2", "1");
    EXPECT(table, "x", "1.0", "2.0", "null", "4.0", "5.0");
    EXPECT(table, "s", "'a'", "null", "'ccc'", "''", "'e'");
    EXPECT(table, "c", "'u'", "'v'", "'u'", "null", "'w'");
}

/* A reference attribute on `object`, to what `path` leads to. */
static void put_reference(hid_t file, const char *object, const char *name, const char *path)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attr = (hid_t)CHECK_H5(H5Acreate_by_name(file, object, name, H5T_STD_REF, space,
                                                         H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5R_ref_t reference;

    CHECK_H5(H5Rcreate_object(file, path, H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attr, H5T_STD_REF, &reference));
    H5Rdestroy(&reference);
    H5Aclose(attr);
    H5Sclose(space);
}

/* Whether the i-th reference of the attribute leads to what `path` leads to. */
static bool leads_to(hid_t file, const char *object, const char *name, size_t i, const char *path)
{
    const hid_t from = (hid_t)CHECK_H5(H5Oopen(file, object, H5P_DEFAULT));
    const hid_t to = (hid_t)CHECK_H5(H5Oopen(file, path, H5P_DEFAULT));
    hid_t *targets = NULL;
    size_t n = 0;

    CHECK_OK(stoa_references_read(from, name, &targets, &n, NULL));
    CHECK(i < n);
    const bool same = targets[i] >= 0 && stoa_same_object(targets[i], to);
    for (size_t k = 0; k < n; k++) {
        if (targets[k] >= 0) {
            H5Oclose(targets[k]);
        }
    }
    free(targets);
    H5Oclose(to);
    H5Oclose(from);
    return same;
}

static bool exists(hid_t file, const char *path)
{
    H5O_info2_t info;
    herr_t found;

    H5E_BEGIN_TRY
    {
        found = H5Oget_info_by_name3(file, path, &info, H5O_INFO_BASIC, H5P_DEFAULT);
    }
    H5E_END_TRY
    return found >= 0;
}

static void copy_ok(hid_t from, const char *path, hid_t to, const char *new_path)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = open_table(from, path);

    CHECK_OK(stoa_table_copy(table, to, new_path, NULL, &err), &err);
    stoa_table_close(table);
}

static void check_table(hid_t file, const char *path)
{
    stoa_table *table = open_table(file, path);

    check_rows(table);
    CHECK_STR(stoa_table_title(table), "a title");
    CHECK_U64(stoa_table_n_index_columns(table), 2);
    stoa_table_close(table);
    check_conformant(file, path);
}

/* The bytes of a column's chunk as they lie in the file. */
static size_t chunk_of_column(hid_t file, const char *path, uint8_t *bytes, size_t size)
{
    const hid_t dataset = (hid_t)CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    uint32_t mask = 0;
    const size_t n = raw_chunk(dataset, (hsize_t[]){0}, bytes, size, &mask);

    H5Dclose(dataset);
    return n;
}

/* ---- Copying -------------------------------------------------------------------------------- */

static void a_copy_has_the_rows_and_its_references_lead_into_itself(void)
{
    const hid_t file = new_file();

    write_table(file, "/t");
    copy_ok(file, "/t", file, "/deep/er/u");
    CHECK(leads_to(file, "/deep/er/u", "INDEX_COLUMNS", 0, "/deep/er/u/i"));
    CHECK(leads_to(file, "/deep/er/u", "INDEX_COLUMNS", 1, "/deep/er/u/c"));
    CHECK(leads_to(file, "/deep/er/u/c", "CATEGORIES", 0, "/deep/er/u/CATEGORIES/c__CATEGORIES"));
    CHECK(leads_to(file, "/deep/er/u/x", "SEARCH_INDEX_LIST", 0,
                   "/deep/er/u/SEARCH_INDEXES/x__chunk_minmax"));
    CHECK(leads_to(file, "/t", "INDEX_COLUMNS", 0, "/t/i"));
    check_table(file, "/deep/er/u");
    check_table(file, "/t");
    /* The copy owes the original nothing. */
    CHECK_OK(stoa_table_remove(file, "/t", NULL));
    CHECK(!exists(file, "/t"));
    check_table(file, "/deep/er/u");
    H5Fclose(file);
}

static void a_copy_in_another_file_has_the_same_chunks(void)
{
    const hid_t file = new_file();
    const hid_t other = other_file(file);
    uint8_t old[1 << 16];
    uint8_t found[1 << 16];

    write_table(file, "/t");
    copy_ok(file, "/t", other, "/u");
    const size_t n = chunk_of_column(file, "/t/i", old, sizeof old);
    CHECK_U64(chunk_of_column(other, "/u/i", found, sizeof found), n);
    CHECK_MEM(found, old, n);
    H5Fclose(file);
    CHECK(leads_to(other, "/u", "INDEX_COLUMNS", 1, "/u/c"));
    check_table(other, "/u");
    H5Fclose(other);
}

static void a_table_moves_between_the_root_and_a_path_by_copying(void)
{
    const hid_t file = new_file();
    const hid_t other = other_file(file);
    stoa_error err = STOA_ERROR_INIT;

    write_table(file, "/t");
    copy_ok(file, "/t", other, "/");
    check_table(other, "/");
    copy_ok(other, "/", file, "/back");
    check_table(file, "/back");
    stoa_table *table = open_table(file, "/t");
    CHECK_STATUS(STOA_EEXISTS, stoa_table_copy(table, other, "/", NULL, &err), &err);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EINVAL, stoa_table_copy(table, other, "/u", NULL, &err), &err);
    CHECK_CONTAINS(err.message, "§7.6");
    check_table(other, "/");
    stoa_table_close(table);
    H5Fclose(other);
    H5Fclose(file);
}

static bool note_place(void *context, const stoa_object *object)
{
    char *text = context;
    const size_t length = strlen(text);

    (void)snprintf(text + length, 64 - length, "%s %s %s %d; ", object->path, object->layout,
                   object->kind, (int)object->n_rows);
    return true;
}

static void tables_are_listed_and_the_only_one_is_found(void)
{
    const hid_t file = new_file();
    char *only = NULL;
    char text[64] = "";
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ENOTFOUND, stoa_place_only_table(file, &only, &err));
    write_table(file, "/a/t");
    CHECK_OK(stoa_place_only_table(file, &only, &err), &err);
    CHECK_STR(only, "/a/t");
    stoa_free(only);
    write_table(file, "/b");
    CHECK_OK(stoa_place_visit(file, note_place, text, &err), &err);
    CHECK_STR(text, "/a/t hep001 table 5; /b hep001 table 5; ");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EINVAL, stoa_place_only_table(file, &only, &err));
    CHECK_CONTAINS(err.message, "2 tables (/a/t, /b)");
    CHECK(only == NULL);
    H5Fclose(file);
}

/* HDF5 links no object into another file. */
static void a_table_that_cannot_be_linked_leaves_the_one_that_has_its_name(void)
{
    const hid_t file = new_file();
    const hid_t other = other_file(file);
    stoa_error err = STOA_ERROR_INIT;

    write_table(file, "/t");
    write_table(other, "/u");
    const hid_t stranger = CHECK_H5(H5Gopen2(other, "/u", H5P_DEFAULT));
    CHECK_STATUS(STOA_EHDF5, stoa_table_link(stranger, file, "/t", &err));
    CHECK_H5(H5Gclose(stranger));
    check_table(file, "/t");
    H5Fclose(other);
    H5Fclose(file);
}

static void what_is_there_is_not_overwritten(void)
{
    const hid_t file = new_file();
    const hid_t other = other_file(file);
    const hid_t space = H5Screate(H5S_SCALAR);
    stoa_error err = STOA_ERROR_INIT;

    write_table(file, "/t");
    H5Gclose((hid_t)CHECK_H5(H5Gcreate2(file, "/g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    stoa_table *table = open_table(file, "/t");
    CHECK_STATUS(STOA_EEXISTS, stoa_table_copy(table, file, "/g", NULL, &err), &err);
    CHECK_STATUS(STOA_EEXISTS, stoa_table_copy(table, file, "/t", NULL, NULL));
    CHECK_STATUS(STOA_EINVAL, stoa_table_copy(table, file, "/t/u", NULL, NULL));
    H5Aclose(
        (hid_t)CHECK_H5(H5Acreate2(other, "TITLE", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT)));
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EEXISTS, stoa_table_copy(table, other, "/", NULL, &err), &err);
    CHECK_CONTAINS(err.message, "root group has an attribute");
    CHECK_H5(H5Adelete(other, "TITLE"));
    CHECK_OK(stoa_table_copy(table, other, "/", NULL, NULL));
    stoa_table_close(table);
    H5Sclose(space);
    H5Fclose(other);
    H5Fclose(file);
}

static void references_of_users_go_along_or_the_copy_is_refused(void)
{
    const hid_t file = new_file();
    const hid_t other = other_file(file);
    stoa_error err = STOA_ERROR_INIT;

    write_table(file, "/t");
    H5Gclose((hid_t)CHECK_H5(H5Gcreate2(file, "/images", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    put_reference(file, "/t/x", "calibrated_by", "/t/i");
    copy_ok(file, "/t", other, "/inside");
    CHECK(leads_to(other, "/inside/x", "calibrated_by", 0, "/inside/i"));
    put_reference(file, "/t/x", "taken_from", "/images");
    copy_ok(file, "/t", file, "/u");
    CHECK(leads_to(file, "/u/x", "calibrated_by", 0, "/u/i"));
    CHECK(leads_to(file, "/u/x", "taken_from", 0, "/images"));
    stoa_table *table = open_table(file, "/t");
    CHECK_STATUS(STOA_ELOSS, stoa_table_copy(table, other, "/u", NULL, &err), &err);
    CHECK_CONTAINS(err.message, "/t/x");
    CHECK_CONTAINS(err.message, "taken_from");
    CHECK_CONTAINS(err.message, "/images");
    CHECK(!exists(other, "/u"));
    stoa_table_close(table);
    H5Fclose(other);
    H5Fclose(file);
}

static bool stop(void *context, const stoa_progress *progress)
{
    (void)progress;
    return --*(int *)context > 0;
}

static void a_place_is_a_file_and_a_path(void)
{
    stoa_place place;

    CHECK_OK(stoa_place_parse("run.h5:/a/b", &place, NULL));
    CHECK_STR(place.file, "run.h5");
    CHECK_STR(place.path, "/a/b");
    stoa_place_clear(&place);
    CHECK_OK(stoa_place_parse("run.h5", &place, NULL));
    CHECK_STR(place.file, "run.h5");
    CHECK(place.path == NULL);
    stoa_place_clear(&place);
    CHECK_STATUS(STOA_EINVAL, stoa_place_parse(":/a", &place, NULL));
}

static bool hear_bytes(void *context, const stoa_progress *progress)
{
    *(uint64_t *)context = progress->total_bytes;
    return true;
}

static void a_copy_tells_how_many_bytes_the_columns_take_up(void)
{
    static const char *const columns[] = {"/t/i", "/t/x", "/t/s", "/t/c"};
    const hid_t file = new_file();
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t expected = 0;
    uint64_t heard = 0;

    write_table(file, "/t");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const hid_t dataset = (hid_t)CHECK_H5(H5Dopen2(file, columns[i], H5P_DEFAULT));
        expected += H5Dget_storage_size(dataset);
        H5Dclose(dataset);
    }
    stoa_table *table = open_table(file, "/t");
    options.listener = (stoa_listener){hear_bytes, &heard};
    CHECK_OK(stoa_table_copy(table, file, "/u", &options, &err), &err);
    CHECK(expected > 0);
    CHECK_U64(heard, expected);
    stoa_table_close(table);
    H5Fclose(file);
}

static void a_copy_that_is_stopped_leaves_nothing(void)
{
    const hid_t file = new_file();
    const hid_t other = other_file(file);
    H5G_info_t links;
    H5O_info2_t root;

    CHECK_OK(stoa_attribute_write_utf8(other, "author", "somebody", NULL));
    write_table(file, "/t");
    stoa_table *table = open_table(file, "/t");
    for (int n = 1; n < 4; n++) {
        int left = n;
        stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
        options.listener = (stoa_listener){stop, &left};
        CHECK_STATUS(STOA_ECANCELLED, stoa_table_copy(table, file, "/u", &options, NULL));
        CHECK(!exists(file, "/u"));
        left = n;
        CHECK_STATUS(STOA_ECANCELLED, stoa_table_copy(table, other, "/", &options, NULL));
        CHECK_H5(H5Gget_info(other, &links));
        CHECK_U64(links.nlinks, 0);
        CHECK_H5(H5Oget_info3(other, &root, H5O_INFO_NUM_ATTRS));
        CHECK_U64(root.num_attrs, 1);
        CHECK(stoa_attribute_exists(other, "author"));
    }
    check_rows(table);
    stoa_table_close(table);
    H5Fclose(other);
    H5Fclose(file);
}

static void a_committed_datatype_stays_one(void)
{
    const hid_t file = new_file();
    const hid_t other = other_file(file);
    const hid_t type = H5Tcopy(H5T_STD_I32LE);
    hid_t types[2];

    write_table(file, "/t");
    CHECK_H5(H5Tcommit2(file, "/type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = H5Screate_simple(1, &(hsize_t){5000}, NULL);
    for (int i = 0; i < 2; i++) {
        H5Dclose((hid_t)CHECK_H5(H5Dcreate2(file, i == 0 ? "/t/p" : "/t/q", type, space,
                                            H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    }
    CHECK_H5(H5Adelete_by_name(file, "/t", "column-order", H5P_DEFAULT));
    copy_ok(file, "/t", other, "/u");
    copy_ok(file, "/t", file, "/u");
    for (int k = 0; k < 2; k++) {
        const hid_t in = k == 0 ? other : file;
        H5G_info_t links;
        for (int i = 0; i < 2; i++) {
            const hid_t dataset =
                (hid_t)CHECK_H5(H5Dopen2(in, i == 0 ? "/u/p" : "/u/q", H5P_DEFAULT));
            types[i] = (hid_t)CHECK_H5(H5Dget_type(dataset));
            CHECK(H5Tcommitted(types[i]) > 0);
            H5Dclose(dataset);
        }
        CHECK(stoa_same_object(types[0], types[1]));
        CHECK_I64(stoa_same_object(types[0], type), k == 1);
        H5Tclose(types[0]);
        H5Tclose(types[1]);
        CHECK_H5(H5Gget_info(in, &links)); /* nothing was left beside the tables */
        CHECK_U64(links.nlinks, k == 0 ? 1 : 3);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(other);
    H5Fclose(file);
}

/* ---- Moving and removing -------------------------------------------------------------------- */

static void a_moved_table_is_the_same_table(void)
{
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;

    write_table(file, "/t");
    H5Gclose((hid_t)CHECK_H5(H5Gcreate2(file, "/g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    put_reference(file, "/g", "table", "/t");
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_table_move(table, "/a/b/u", &err), &err);
    CHECK_STR(stoa_table_path(table), "/a/b/u");
    check_rows(table);
    batch b = batch_begin(4, 1);
    batch_integers(&b, 0, "i", "l", (int64_t[]){9}, NULL);
    batch_floats(&b, 1, "x", "g", (double[]){9}, NULL);
    batch_strings(&b, 2, "s", (const char *[]){"n"});
    batch_categories(&b, 3, "c", (const char *[]){"n"});
    CHECK_OK(append(table, &b, &err), &err);
    CHECK_OK(stoa_table_move(table, "/a/v", &err), &err);
    stoa_table_close(table);
    CHECK(!exists(file, "/t"));
    CHECK(!exists(file, "/a/b/u"));
    CHECK(leads_to(file, "/g", "table", 0, "/a/v"));
    check_conformant(file, "/a/v");
    H5Fclose(file);
}

static void a_move_that_makes_no_sense_is_refused(void)
{
    const hid_t file = new_file();
    const hid_t other = other_file(file);
    stoa_error err = STOA_ERROR_INIT;

    write_table(file, "/t");
    write_table(other, "/");
    H5Gclose((hid_t)CHECK_H5(H5Gcreate2(file, "/g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    CHECK_H5(H5Lcreate_soft("/t", file, "/soft", H5P_DEFAULT, H5P_DEFAULT));
    stoa_table *table = open_table(file, "/t");
    CHECK_STATUS(STOA_EEXISTS, stoa_table_move(table, "/g", &err), &err);
    CHECK_STATUS(STOA_EINVAL, stoa_table_move(table, "/t/u", NULL));
    CHECK_STATUS(STOA_EINVAL, stoa_table_move(table, "/", NULL));
    CHECK_STR(stoa_table_path(table), "/t");
    stoa_table_close(table);
    table = open_table(other, "/");
    CHECK_STATUS(STOA_EINVAL, stoa_table_move(table, "/u", NULL));
    stoa_table_close(table);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EINVAL, stoa_table_remove(file, "/soft", &err), &err);
    CHECK_CONTAINS(err.message, "soft link");
    CHECK_STATUS(STOA_ELAYOUT, stoa_table_remove(file, "/g", NULL));
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ENOTFOUND, stoa_table_remove(file, "/nothing", &err));
    CHECK_CONTAINS(err.where, "t.h5:/nothing");
    check_table(file, "/t");
    H5Fclose(other);
    H5Fclose(file);
}

static void a_removed_table_is_gone_also_from_the_root(void)
{
    const hid_t file = new_file();
    H5G_info_t links;
    H5O_info2_t root;

    write_table(file, "/");
    CHECK_OK(stoa_table_remove(file, "/", NULL));
    CHECK_H5(H5Gget_info(file, &links));
    CHECK_U64(links.nlinks, 0);
    CHECK_H5(H5Oget_info3(file, &root, H5O_INFO_NUM_ATTRS));
    CHECK_U64(root.num_attrs, 0);
    write_table(file, "/t");
    /* One that cannot even be opened can be removed. */
    CHECK_H5(H5Adelete_by_name(file, "/t", "NROWS", H5P_DEFAULT));
    CHECK_OK(stoa_table_remove(file, "/t", NULL));
    CHECK(!exists(file, "/t"));
    H5Fclose(file);
}

/* ---- Repacking ------------------------------------------------------------------------------ */

static uint64_t extent_of(hid_t file, const char *path)
{
    const hid_t dataset = (hid_t)CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    const hid_t space = (hid_t)CHECK_H5(H5Dget_space(dataset));
    hsize_t extent = 0;

    CHECK_H5(H5Sget_simple_extent_dims(space, &extent, NULL));
    H5Sclose(space);
    H5Dclose(dataset);
    return extent;
}

/* The last that is said of the rows of all columns, and how many there are. */
static bool hear(void *context, const stoa_progress *progress)
{
    uint64_t *heard = context;

    CHECK_STR(progress->stage, "repacking");
    heard[0] = progress->rows;
    heard[1] = progress->total_rows;
    return true;
}

static void a_repacked_table_has_no_tail(void)
{
    static const char *const columns[] = {"/t/i", "/t/x", "/t/s", "/t/c"};
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;

    write_table(file, "/t");
    stoa_table *table = open_table(file, "/t");
    CHECK_U64(extent_of(file, "/t/i"), 5000);
    uint64_t heard[2] = {0, 0};
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    options.listener = (stoa_listener){hear, heard};
    CHECK_OK(stoa_table_repack(table, &options, &err), &err);
    CHECK_U64(heard[0], 20); /* five rows of each of four columns */
    CHECK_U64(heard[1], 20);
    check_rows(table);
    stoa_table_close(table);
    for (size_t i = 0; i < 4; i++) {
        CHECK_U64(extent_of(file, columns[i]), 5);
    }
    check_table(file, "/t");
    H5Fclose(file);
}

/* libhdf5 looks for every chunk that goes, written or not: here years, if it were asked to. */
static void a_tail_of_very_many_chunks_goes_at_once(void)
{
    static const char *const columns[] = {"/t/i", "/t/x", "/t/s", "/t/c"};
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;

    write_table(file, "/t");
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_table_preallocate(table, INT64_MAX, NULL, &err), &err);
    CHECK_U64(extent_of(file, "/t/i"), INT64_MAX);
    CHECK_OK(stoa_table_repack(table, NULL, &err), &err);
    check_rows(table);
    stoa_table_close(table);
    for (size_t i = 0; i < 4; i++) {
        CHECK_U64(extent_of(file, columns[i]), 5);
    }
    check_table(file, "/t");
    H5Fclose(file);
}

/* A contiguous dataset cannot shrink: it is another one afterwards, and references follow. */
static void a_column_that_cannot_shrink_is_written_anew(void)
{
    const hid_t file = new_file();
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_options storage = {.column = "i", .chunk_rows = STOA_CONTIGUOUS};
    const char *const labels[] = {"i"};
    const stoa_column_index indexed = {.column = "i"};
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(2, 3);

    batch_integers(&b, 0, "i", "l", (int64_t[]){3, 1, 2}, NULL);
    batch_integers(&b, 1, "k", "l", (int64_t[]){7, 8, 9}, NULL);
    options.columns = &storage;
    options.n_columns = 1;
    options.index_columns = labels;
    options.n_index_columns = 1;
    options.indexes = &indexed;
    options.n_indexes = 1;
    options.preallocate_rows = 100;
    write_batches(file, "/t", &b, 1, &options);
    CHECK_U64(extent_of(file, "/t/i"), 100);
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_table_repack(table, NULL, &err), &err);
    EXPECT(table, "i", "3", "1", "2");
    EXPECT(table, "k", "7", "8", "9");
    stoa_table_close(table);
    CHECK_U64(extent_of(file, "/t/i"), 3);
    CHECK_U64(extent_of(file, "/t/k"), 3);
    CHECK(leads_to(file, "/t", "INDEX_COLUMNS", 0, "/t/i"));
    CHECK(exists(file, "/t/SEARCH_INDEXES/i__chunk_minmax"));
    check_conformant(file, "/t");
    H5Fclose(file);
}

/* ---- Memory --------------------------------------------------------------------------------- */

static hid_t swept_file;
static stoa_table *swept_table;

static stoa_status swept_copy(stoa_error *err)
{
    CHECK(!exists(swept_file, "/u"));
    return stoa_table_copy(swept_table, swept_file, "/u", NULL, err);
}

static stoa_status swept_move(stoa_error *err)
{
    return stoa_table_move(swept_table, "/v", err);
}

static stoa_status swept_repack(stoa_error *err)
{
    return stoa_table_repack(swept_table, NULL, err);
}

static void memory_that_runs_out_leaves_the_table(void)
{
    swept_file = new_file();
    write_table(swept_file, "/t");
    swept_table = open_table(swept_file, "/t");
    CHECK(sweep_memory(swept_copy) > 10);
    CHECK(sweep_memory(swept_move) > 0);
    CHECK(sweep_memory(swept_repack) > 0);
    stoa_table_close(swept_table);
    check_table(swept_file, "/u");
    check_table(swept_file, "/v");
    H5Fclose(swept_file);
}

static herr_t add_storage(hid_t loc, const char *name, const H5O_info2_t *info, void *context)
{
    uint64_t *const n_bytes = context;

    if (info->type == H5O_TYPE_DATASET) {
        const hid_t dataset = CHECK_H5(H5Dopen2(loc, name, H5P_DEFAULT));
        *n_bytes += H5Dget_storage_size(dataset);
        CHECK_H5(H5Dclose(dataset));
    }
    return 0;
}

static bool note_bytes(void *context, const stoa_object *object)
{
    *(uint64_t *)context = object->n_bytes;
    return true;
}

/* Categories and search indexes are parts of the table (§7.6). */
static void a_listed_table_has_the_bytes_of_all_its_parts(void)
{
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    uint64_t expected = 0;
    uint64_t n_bytes = 0;

    write_table(file, "/t");
    CHECK_H5(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, add_storage, &expected, H5O_INFO_BASIC));
    CHECK_OK(stoa_place_visit(file, note_bytes, &n_bytes, &err), &err);
    CHECK(expected > 0);
    CHECK_U64(n_bytes, expected);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(a_listed_table_has_the_bytes_of_all_its_parts),
          TEST(a_copy_has_the_rows_and_its_references_lead_into_itself),
          TEST(a_copy_in_another_file_has_the_same_chunks),
          TEST(a_table_moves_between_the_root_and_a_path_by_copying),
          TEST(tables_are_listed_and_the_only_one_is_found),
          TEST(a_table_that_cannot_be_linked_leaves_the_one_that_has_its_name),
          TEST(what_is_there_is_not_overwritten),
          TEST(references_of_users_go_along_or_the_copy_is_refused),
          TEST(a_place_is_a_file_and_a_path), TEST(a_copy_tells_how_many_bytes_the_columns_take_up),
          TEST(a_copy_that_is_stopped_leaves_nothing), TEST(a_committed_datatype_stays_one),
          TEST(a_moved_table_is_the_same_table), TEST(a_move_that_makes_no_sense_is_refused),
          TEST(a_removed_table_is_gone_also_from_the_root), TEST(a_repacked_table_has_no_tail),
          TEST(a_tail_of_very_many_chunks_goes_at_once),
          TEST(a_column_that_cannot_shrink_is_written_anew),
          TEST(memory_that_runs_out_leaves_the_table))
