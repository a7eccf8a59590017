/* What a file holds, told in one walk: tables, arrays, links. For src/layout/open/listing.c; links
 * between real files are in tests/interop. */
#include <hdf5.h>
#include <stoa/layout.h>
#include <stoa/matrix_group.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/sweep.h"

static void put_sparse(hid_t file, const char *path)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;
    const uint64_t extent[] = {3, 2};

    CHECK_OK(stoa_sparse_create(file, path, H5T_IEEE_F32LE, 2, extent, NULL, NULL, &array, &err),
             &err);
    CHECK_OK(stoa_matrix_group_export(array, STOA_MATRIX_CSC, file, "/a/m", NULL, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
}

static void put_dense(hid_t file, const char *path, int rank)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t space = CHECK_H5(H5Screate_simple(rank, (const hsize_t[]){4, 5}, NULL));
    const hid_t dataset = CHECK_H5(
        H5Dcreate2(file, path, H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_OK(stoa_attribute_write_utf8(dataset, "encoding-type", "array", &err), &err);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
}

static void put_table(hid_t file, const char *path)
{
    static const int64_t numbers[] = {3, 1, 2};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    batch b = batch_begin(1, 3);

    batch_integers(&b, 0, "n", "l", numbers, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, path, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
}

static void put_soft(hid_t file, const char *target, const char *path)
{
    CHECK_H5(H5Lcreate_soft(target, file, path, H5P_DEFAULT, H5P_DEFAULT));
}

/* In /a one of each kind that is listed, and a vector, which is no matrix; in /b links alone. */
static hid_t make_file(void)
{
    const hid_t file = memory_file("all.h5", false);

    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, "/a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, "/b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    put_sparse(file, "/a/s");
    put_dense(file, "/a/d", 2);
    put_dense(file, "/a/v", 1);
    put_table(file, "/a/t");
    put_soft(file, "/a/s", "/b/array");
    put_soft(file, "/nowhere", "/b/gone");
    put_soft(file, "/a/m", "/b/matrix");
    put_soft(file, "/a/t", "/b/table");
    return file;
}

/* --- what is told ---------------------------------------------------------------------------- */

typedef struct told {
    char text[512];
    size_t n_most; /* lines */
    size_t n;
} told;

#define TELL(to, ...)                                                                              \
    (void)snprintf((to)->text + strlen((to)->text), sizeof(to)->text - strlen((to)->text),         \
                   __VA_ARGS__)

static bool tell_table(void *context, const stoa_object *table)
{
    told *const to = context;

    TELL(to, "%s %s %d\n", table->path, table->layout, (int)table->n_rows);
    return ++to->n < to->n_most;
}

static bool tell_array(void *context, const stoa_array_object *array)
{
    told *const to = context;

    TELL(to, "%s %s %s %u: %d x %d\n", array->path, array->layout, array->kind, array->rank,
         (int)array->extent[0], (int)array->extent[1]);
    return ++to->n < to->n_most;
}

static bool tell_link(void *context, const stoa_link *link)
{
    told *const to = context;

    TELL(to, "%s -> %s%s\n", link->path, link->target, link->is_dangling ? " gone" : "");
    return ++to->n < to->n_most;
}

static void check_told(hid_t file, const char *below, stoa_layout_visitors visitors, size_t n_most,
                       const char *wanted)
{
    stoa_error err = STOA_ERROR_INIT;
    told is = {.n_most = n_most};
    const hid_t group = CHECK_H5(H5Gopen2(file, below, H5P_DEFAULT));

    CHECK_OK(stoa_layout_visit_all(group, &visitors, &is, &err), &err);
    CHECK_STR(is.text, wanted);
    CHECK_H5(H5Gclose(group));
}

static const stoa_layout_visitors all = {sizeof all, tell_table, tell_array, tell_link, NULL};

#define ARRAYS                                                                                     \
    "/a/d anndata array 2: 4 x 5\n/a/m anndata csc 2: 3 x 2\n/a/s sparse array 2: 3 x 2\n"         \
    "/a/v plain array 1: 4 x 0\n"
#define LINKS "/b/array -> /a/s\n/b/gone -> /nowhere gone\n/b/matrix -> /a/m\n/b/table -> /a/t\n"

static void tables_come_before_arrays_and_links(void)
{
    const hid_t file = make_file();

    check_told(file, "/", all, 99, "/a/t hep001 3\n" ARRAYS LINKS);
    check_told(file, "/", (stoa_layout_visitors){.size = sizeof all, .array = tell_array}, 99,
               ARRAYS);
    check_told(file, "/", (stoa_layout_visitors){.size = sizeof all, .link = tell_link}, 99, LINKS);
    check_told(file, "/", all, 2, "/a/t hep001 3\n/a/d anndata array 2: 4 x 5\n");
    CHECK_H5(H5Fclose(file));
}

static void what_links_alone_lead_to_has_their_paths(void)
{
    const hid_t file = make_file();

    check_told(file, "/b", all, 99,
               "/b/table hep001 3\n/b/array sparse array 2: 3 x 2\n"
               "/b/matrix anndata csc 2: 3 x 2\n" LINKS);
    CHECK_H5(H5Fclose(file));
}

static hid_t listed = H5I_INVALID_HID;

static stoa_status list_everything(stoa_error *err)
{
    told is = {.n_most = 99};

    return stoa_layout_visit_all(listed, &all, &is, err);
}

static void memory_may_run_out(void)
{
    listed = make_file();
    CHECK(sweep_memory_throughout(list_everything) > 20);
    CHECK_H5(H5Fclose(listed));
}

TEST_MAIN(TEST(tables_come_before_arrays_and_links), TEST(what_links_alone_lead_to_has_their_paths),
          TEST(memory_may_run_out))
