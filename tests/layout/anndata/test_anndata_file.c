/* All of an AnnData file in the other form, and back; memory may run out on the way. For
 * src/layout/anndata/; real files are in tests/interop. */
#include <hdf5.h>
#include <stoa/anndata.h>
#include <stoa/matrix_group.h>
#include <stoa/subset.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/sweep.h"

/* A table of three rows: numbers, texts one of which is missing, and labels. */
static stoa_table *make_table(hid_t file)
{
    static const int64_t numbers[] = {3, 1, 2};
    static const char *const texts[] = {"a", NULL, "c"};
    static const char *const labels[] = {"x", "y", "x"};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_table *table = NULL;
    batch b = batch_begin(3, 3);

    batch_integers(&b, 0, "n", "l", numbers, NULL);
    batch_strings(&b, 1, "s", texts);
    batch_categories(&b, 2, "c", labels);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    return table;
}

/* A matrix of 3 x 2 as CSC, and the same once more under another name. */
static void put_matrix(hid_t file)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;
    const uint64_t extent[] = {3, 2};

    CHECK_OK(stoa_sparse_create(file, "/a", H5T_IEEE_F32LE, 2, extent, NULL, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_sparse_write(array, 1, (const uint64_t[]){2, 1}, &(float){1.5F}, H5T_NATIVE_FLOAT,
                               &err),
             &err);
    CHECK_OK(stoa_matrix_group_export(array, STOA_MATRIX_CSC, file, "/uns/m", NULL, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Ldelete(file, "/a", H5P_DEFAULT));
    CHECK_H5(H5Lcreate_hard(file, "/uns/m", file, "/uns/again", H5P_DEFAULT, H5P_DEFAULT));
}

static hid_t make_anndata(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    const hid_t scratch = memory_file("scratch.h5", false);
    const hid_t file = memory_file("a.h5ad", false);
    stoa_table *const table = make_table(scratch);
    uint64_t n_rows = 0;

    options.layout = "anndata";
    options.threads = 1;
    CHECK_OK(stoa_anndata_of_table(table, file, &options, &n_rows, &err), &err);
    CHECK_U64(n_rows, 3);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(scratch));
    put_matrix(file);
    return file;
}

static stoa_status convert(hid_t from, hid_t to, const char *layout, stoa_anndata_counts *counts,
                           stoa_error *err)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;

    options.layout = layout;
    options.threads = 1;
    return stoa_anndata_convert(from, to, &options, NULL, NULL, counts, err);
}

static void a_file_goes_there_and_back(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_anndata_counts counts = STOA_ANNDATA_COUNTS_INIT;
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;
    stoa_table *table = NULL;
    const hid_t file = make_anndata();
    const hid_t own = memory_file("own.h5", false);
    const hid_t back = memory_file("back.h5ad", false);

    CHECK(stoa_anndata_is_one(file));
    CHECK_OK(convert(file, own, "hep001", &counts, &err), &err);
    CHECK_U64(counts.n_tables, 2);
    CHECK_U64(counts.n_rows, 3);
    CHECK_U64(counts.n_matrices, 1);
    CHECK(stoa_anndata_is_one(own));
    CHECK_OK(stoa_hep001_open(own, "/obs", &table, &err), &err);
    CHECK_U64(stoa_table_n_rows(table), 3);
    stoa_table_close(table);

    CHECK_OK(convert(own, back, "anndata", NULL, &err), &err);
    CHECK_OK(stoa_matrix_group_describe(back, "/uns/again", &info, &err), &err);
    CHECK_U64(info.form, STOA_MATRIX_CSC);
    CHECK_U64(info.n_rows, 3);
    CHECK_U64(info.n_columns, 2);
    CHECK(stoa_attribute_is(back, "encoding-type", "anndata"));
    CHECK_H5(H5Fclose(back));
    CHECK_H5(H5Fclose(own));
    CHECK_H5(H5Fclose(file));
}

static void other_layouts_take_no_whole_file(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = make_anndata();
    const hid_t own = memory_file("own.h5", false);

    CHECK_U64(convert(file, own, "pytables", NULL, &err), STOA_EINVAL);
    CHECK_H5(H5Fclose(own));
    CHECK_H5(H5Fclose(file));
}

/* Rows of one integer, as AnnData before 0.7 had its frames. */
static void put_rows(hid_t file, const char *path)
{
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 4));
    CHECK_H5(H5Tinsert(type, "index", 0, H5T_STD_I32LE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, (const hsize_t[]){2}, NULL));
    const hid_t rows =
        CHECK_H5(H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Dclose(rows));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

typedef struct listed {
    char text[256];
} listed;

static bool note_object(void *context, const stoa_object *object)
{
    listed *const list = context;
    const size_t n = strlen(list->text);

    (void)snprintf(list->text + n, sizeof list->text - n, "%s %s\n", object->path, object->layout);
    return true;
}

/* A frame is known by what it is, not by the name that somebody finds first. */
static void old_frames_have_any_names(void)
{
    stoa_error err = STOA_ERROR_INIT;
    listed list = {""};
    const hid_t file = memory_file("old.h5ad", false);

    put_rows(file, "/obs");
    put_rows(file, "/rows");
    CHECK_H5(H5Lcreate_hard(file, "/obs", file, "/cells", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_OK(stoa_layout_visit(file, note_object, &list, &err), &err);
    CHECK_STR(list.text, "/cells compound\n/rows compound\n");
    put_rows(file, "/var");
    list.text[0] = '\0';
    CHECK_OK(stoa_layout_visit(file, note_object, &list, &err), &err);
    CHECK_STR(list.text, "/cells anndata\n/rows compound\n/var anndata\n");
    CHECK_H5(H5Fclose(file));
}

static stoa_status take_subset(hid_t from, const stoa_subset_filter *filters, size_t n,
                               stoa_subset_counts *counts, stoa_error *err)
{
    stoa_subset_options options = STOA_SUBSET_OPTIONS_INIT;
    const hid_t to = memory_file("part.h5ad", false);

    options.filters = filters;
    options.n_filters = n;
    options.threads = 1;
    const stoa_status status = stoa_subset(from, to, &options, counts, err);
    CHECK(status != STOA_OK || stoa_anndata_is_one(to));
    CHECK_H5(H5Fclose(to));
    return status;
}

static void a_subset_has_the_rows_that_pass(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_subset_counts counts = STOA_SUBSET_COUNTS_INIT;
    const stoa_subset_filter filter = {"/obs", "n > 1", NULL, 0};
    const hid_t file = make_anndata();

    CHECK_OK(take_subset(file, &filter, 1, &counts, &err), &err);
    CHECK_U64(counts.n_rows, 2);
    CHECK_U64(counts.of_rows, 3);
    CHECK_U64(counts.n_columns, 0);
    CHECK_H5(H5Fclose(file));
}

static void a_subset_needs_one_filter_of_an_axis(void)
{
    const stoa_subset_filter filters[] = {
        {"/obs", "n > 1", NULL, 0}, {"obs", "n > 2", NULL, 0}, {"/uns/m", "n > 1", NULL, 0}};
    const hid_t file = make_anndata();

    for (int i = 0; i < 3; i++) {
        stoa_error err = STOA_ERROR_INIT;
        static const size_t counts[] = {0, 2, 1};
        CHECK_U64(take_subset(file, i == 2 ? filters + 2 : filters, counts[i], NULL, &err),
                  STOA_EINVAL);
    }
    CHECK_H5(H5Fclose(file));
}

static hid_t source = H5I_INVALID_HID;
static const char *layout;

static stoa_status into_new_file(stoa_error *err)
{
    const hid_t to = memory_file("new.h5", false);
    const stoa_status status = convert(source, to, layout, NULL, err);

    CHECK_H5(H5Fclose(to));
    return status;
}

static stoa_status into_subset(stoa_error *err)
{
    const stoa_subset_filter filter = {"/obs", "n > 1", NULL, 0};

    return take_subset(source, &filter, 1, NULL, err);
}

static void memory_may_run_out(void)
{
    static const char *const layouts[] = {"hep001", "anndata"};

    source = make_anndata();
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        layout = layouts[i];
        CHECK(sweep_memory_throughout(into_new_file) > 100);
    }
    CHECK(sweep_memory_throughout(into_subset) > 100);
    CHECK_H5(H5Fclose(source));
}

TEST_MAIN(TEST(a_file_goes_there_and_back), TEST(other_layouts_take_no_whole_file),
          TEST(old_frames_have_any_names), TEST(a_subset_has_the_rows_that_pass),
          TEST(a_subset_needs_one_filter_of_an_axis), TEST(memory_may_run_out))
