/* A file that a program opened itself: what Stoa reads of it opens no other file either. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include <stoa/check.h>
#include <stoa/layout.h>
#include <stoa/query.h>
#include <stoa/sparse.h>
#include <stoa/table.h>

#include "support/check.h"

enum { N_ROWS = 100 };

#ifdef __linux__
static int watch(const char *path)
{
    const int queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    CHECK(queue >= 0 && inotify_add_watch(queue, path, IN_OPEN) >= 0);
    return queue;
}
#else
static int watch(const char *path)
{
    (void)path;
    SKIP("only Linux tells who opens a file");
    return -1;
}
#endif

static bool was_opened(int queue)
{
    char events[4096];

    return read(queue, events, sizeof events) > 0;
}

static void put_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Tset_size(type, strlen(text) + 1));
    const hid_t made = CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(made, type, text));
    CHECK_H5(H5Aclose(made));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

static void put_number(hid_t object, const char *name, uint64_t value)
{
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t made =
        CHECK_H5(H5Acreate2(object, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(made, H5T_NATIVE_UINT64, &value));
    CHECK_H5(H5Aclose(made));
    CHECK_H5(H5Sclose(space));
}

/* A dataset that lies in `other`: external, virtual, or virtual and unlimited. */
static void put_far(hid_t group, const char *name, const char *other, int how)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t whole = CHECK_H5(
        H5Screate_simple(1, &(hsize_t){N_ROWS}, how == 2 ? &(hsize_t){H5S_UNLIMITED} : NULL));
    const hid_t source = CHECK_H5(
        H5Screate_simple(1, &(hsize_t){N_ROWS}, how == 2 ? &(hsize_t){H5S_UNLIMITED} : NULL));

    if (how == 0) {
        CHECK_H5(H5Pset_external(dcpl, other, 0, N_ROWS * 4));
    } else {
        if (how == 2) {
            const hsize_t start = 0;
            const hsize_t one = 1;
            const hsize_t all = H5S_UNLIMITED;
            CHECK_H5(H5Sselect_hyperslab(whole, H5S_SELECT_SET, &start, NULL, &one, &all));
            CHECK_H5(H5Sselect_hyperslab(source, H5S_SELECT_SET, &start, NULL, &one, &all));
        }
        CHECK_H5(H5Pset_virtual(dcpl, whole, other, "/y", source));
    }
    CHECK_H5(H5Dclose((hid_t)CHECK_H5(
        H5Dcreate2(group, name, H5T_STD_I32LE, whole, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(source));
    CHECK_H5(H5Sclose(whole));
    CHECK_H5(H5Pclose(dcpl));
}

/* /t, a table whose column does. */
static void make_table(hid_t file, const char *other, int how)
{
    const hid_t group = CHECK_H5(H5Gcreate2(file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    put_text(group, "CLASS", "COLUMN_TABLE");
    put_text(group, "VERSION", "1.0");
    put_number(group, "NROWS", N_ROWS);
    put_far(group, "y", other, how);
    CHECK_H5(H5Gclose(group));
}

static void values_of_other_files_are_refused(void)
{
    char *const other = strdup(check_path("other.h5"));
    const hid_t there = CHECK_H5(H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Fclose(there));
    const int queue = watch(other);
    for (int how = 0; how < 3; how++) {
        const hid_t file =
            CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        stoa_error err = STOA_ERROR_INIT;
        stoa_table *table = NULL;

        make_table(file, other, how);
        CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
        CHECK_U64(stoa_table_n_columns(table), 1);
        struct ArrowArrayStream stream;
        stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
        stoa_query *query = NULL;
        options.columns = "y";
        stoa_status status = stoa_query_open(table, &options, &query, &err);
        if (status == STOA_OK) {
            status = stoa_query_run(query, &stream, &err);
        }
        if (status == STOA_OK) {
            struct ArrowArray batch;
            CHECK(stream.get_next(&stream, &batch) != 0);
            CHECK_CONTAINS(stream.get_last_error(&stream), "another file");
            stream.release(&stream);
        } else {
            CHECK_CONTAINS(err.message, "another file");
        }
        stoa_query_close(query);
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
        CHECK(!was_opened(queue));
    }
    (void)close(queue);
    free(other);
}

static bool count_object(void *context, const stoa_object *object)
{
    (void)object;
    ++*(int *)context;
    return true;
}

/* libhdf5 opens the sources of a virtual dataset without an end when it is asked for the extent. */
static void virtual_datasets_of_any_layout_are_not_asked_for_their_extent(void)
{
    char *const other = strdup(check_path("other.h5"));
    const char *const paths[] = {"/t", "/g", "/g/y", "/v", "/group/v"};
    int n = 0;

    CHECK_H5(H5Fclose(CHECK_H5(H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT))));
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t lh5 = CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    make_table(file, other, 2);
    put_text(lh5, "datatype", "table{y}");
    put_far(lh5, "y", other, 2);
    const hid_t column = CHECK_H5(H5Dopen2(lh5, "y", H5P_DEFAULT));
    put_text(column, "datatype", "array<1>{real}");
    CHECK_H5(H5Dclose(column));
    put_far(file, "v", other, 2);
    put_far(group, "v", other, 2);
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Gclose(lh5));
    const int queue = watch(other);
    CHECK_OK(stoa_layout_visit(file, count_object, &n, NULL), NULL);
    CHECK(!was_opened(queue));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_table *table = NULL;
        stoa_sparse *array = NULL;

        if (stoa_table_open(file, paths[i], &table, &err) == STOA_OK) {
            stoa_table_close(table); /* its other columns can be asked */
        }
        CHECK(!was_opened(queue));
        CHECK(stoa_sparse_open(file, paths[i], NULL, &array, NULL) != STOA_OK);
        const bool is_table =
            stoa_check(file, paths[i], NULL, NULL, NULL, NULL, NULL, NULL) == STOA_OK;
        CHECK(is_table == (i == 0));
        CHECK(!was_opened(queue));
    }
    CHECK_OK(stoa_check(file, NULL, NULL, NULL, NULL, NULL, NULL, NULL), NULL);
    CHECK(!was_opened(queue));
    CHECK_H5(H5Fclose(file));
    (void)close(queue);
    free(other);
}

static void external_links_are_not_followed(void)
{
    char *const other = strdup(check_path("other.h5"));
    const hid_t there = CHECK_H5(H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const char *const paths[] = {"/far", "/soft", "/far/t"};

    CHECK_H5(H5Fclose(there));
    CHECK_H5(H5Lcreate_external(other, "/", file, "/far", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("/far/t", file, "/soft", H5P_DEFAULT, H5P_DEFAULT));
    const int queue = watch(other);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_table *table = NULL;

        CHECK(stoa_hep001_open(file, paths[i], &table, &err) != STOA_OK);
        CHECK_CONTAINS(err.message, "another file");
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK(stoa_table_open(file, paths[i], &table, &err) != STOA_OK);
        CHECK_CONTAINS(err.message, "another file");
        CHECK(!was_opened(queue));
    }
    CHECK_H5(H5Fclose(file));
    (void)close(queue);
    free(other);
}

TEST_MAIN(TEST(values_of_other_files_are_refused),
          TEST(virtual_datasets_of_any_layout_are_not_asked_for_their_extent),
          TEST(external_links_are_not_followed))
