/* stoa_file_repack: what a random file does not hold, and what is refused (src/hdf/copy/repack.c).
 */
#include <stoa/edit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hdf/tree.h"
#include "support/check.h"
#include "support/raw_chunk.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

static hid_t new_file(const char *path, hid_t creation)
{
    const hid_t access = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, creation, access));
    H5Pclose(access);
    return file;
}

static hid_t open_file(const char *path)
{
    return (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
}

/* A dataset of 1000 numbers, chunked by 100 where `list` does not say otherwise. */
static void put_numbers(hid_t file, const char *name, hid_t list)
{
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &(hsize_t){1000}, NULL));
    const hid_t dataset = (hid_t)CHECK_H5(
        H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
    int values[1000];

    for (int i = 0; i < 1000; i++) {
        values[i] = i * 7;
    }
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(dataset);
    H5Sclose(space);
}

static void repack_ok(const char *path)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_repack(path, path, NULL, &err), &err);
}

static char *tree_at(const char *path)
{
    const hid_t file = open_file(path);
    char *text = tree_of(file);

    H5Fclose(file);
    return text;
}

static off_t size_of(const char *path)
{
    struct stat about;

    CHECK_I64(stat(path, &about), 0);
    return about.st_size;
}

/* Repacking in place keeps the tree. */
static void check_kept(const char *path)
{
    char *before = tree_at(path);

    repack_ok(path);
    char *after = tree_at(path);
    CHECK_STR(after, before);
    free(after);
    free(before);
}

/* ---- What is kept --------------------------------------------------------------------------- */

static void space_that_nothing_uses_goes(void)
{
    char *path = strdup(check_path("a.h5"));
    const hid_t file = new_file(path, H5P_DEFAULT);

    put_numbers(file, "a", H5P_DEFAULT);
    put_numbers(file, "b", H5P_DEFAULT);
    put_numbers(file, "c", H5P_DEFAULT);
    CHECK_H5(H5Ldelete(file, "b", H5P_DEFAULT));
    H5Fclose(file);
    const off_t before = size_of(path);
    check_kept(path);
    CHECK(size_of(path) <= before - 4000);
    free(path);
}

/* Filters are neither undone nor needed. */
static size_t flip(unsigned flags, size_t n_values, const unsigned *values, size_t n, size_t *size,
                   void **buffer)
{
    uint8_t *bytes = *buffer;

    (void)flags;
    (void)n_values;
    (void)values;
    (void)size;
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)~bytes[i];
    }
    return n;
}

static void chunks_of_an_unknown_filter_are_kept(void)
{
    enum { FILTER = 300 };
    static const H5Z_class2_t class = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "flip", NULL, NULL, flip};
    char *path = strdup(check_path("a.h5"));
    const hid_t list = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    uint32_t old[100];
    uint32_t found[100];
    uint32_t mask = 0;

    CHECK_H5(H5Zregister(&class));
    CHECK_H5(H5Pset_chunk(list, 1, &(hsize_t){100}));
    CHECK_H5(H5Pset_filter(list, FILTER, H5Z_FLAG_MANDATORY, 0, NULL));
    hid_t file = new_file(path, H5P_DEFAULT);
    put_numbers(file, "a", list);
    H5Fclose(file);
    H5Pclose(list);
    CHECK_H5(H5Zunregister(FILTER));
    for (int pass = 0; pass < 2; pass++) {
        file = open_file(path);
        const hid_t dataset = (hid_t)CHECK_H5(H5Dopen2(file, "a", H5P_DEFAULT));
        (void)raw_chunk(dataset, &(hsize_t){300}, pass == 0 ? old : found, sizeof old, &mask);
        H5Dclose(dataset);
        H5Fclose(file);
        if (pass == 0) {
            repack_ok(path);
        }
    }
    CHECK_MEM(found, old, sizeof old);
    CHECK_U64(old[1], ~(300u * 7 + 7));
    free(path);
}

static void large_groups_keep_the_order_of_their_links_and_attributes(void)
{
    char *path = strdup(check_path("a.h5"));
    const hid_t list = (hid_t)CHECK_H5(H5Pcreate(H5P_GROUP_CREATE));
    const hid_t space = (hid_t)CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t file = new_file(path, H5P_DEFAULT);
    char name[32];

    CHECK_H5(H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    CHECK_H5(H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    const hid_t group = (hid_t)CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, list, H5P_DEFAULT));
    for (int i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof name, "%d", i * 37 % 100);
        CHECK_H5(H5Lcreate_hard(file, "/", group, name, H5P_DEFAULT, H5P_DEFAULT));
        H5Aclose((hid_t)CHECK_H5(
            H5Acreate2(group, name, H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT)));
    }
    H5Gclose(group);
    H5Fclose(file);
    H5Sclose(space);
    H5Pclose(list);
    check_kept(path);
    free(path);
}

static void the_way_a_file_manages_its_space_is_kept(void)
{
    char *path = strdup(check_path("a.h5"));
    hid_t list = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_CREATE));
    H5F_fspace_strategy_t strategy;
    hbool_t persist = false;
    hsize_t threshold = 0;
    hsize_t page = 0;

    CHECK_H5(H5Pset_file_space_strategy(list, H5F_FSPACE_STRATEGY_PAGE, true, 1));
    CHECK_H5(H5Pset_file_space_page_size(list, 8192));
    CHECK_H5(H5Pset_sizes(list, 4, 4));
    hid_t file = new_file(path, list);
    put_numbers(file, "a", H5P_DEFAULT);
    H5Fclose(file);
    H5Pclose(list);
    check_kept(path);
    file = open_file(path);
    list = (hid_t)CHECK_H5(H5Fget_create_plist(file));
    CHECK_H5(H5Pget_file_space_strategy(list, &strategy, &persist, &threshold));
    CHECK_H5(H5Pget_file_space_page_size(list, &page));
    CHECK_I64(strategy, H5F_FSPACE_STRATEGY_PAGE);
    CHECK(persist);
    CHECK_U64(page, 8192);
    H5Pclose(list);
    H5Fclose(file);
    free(path);
}

static void storage_that_lies_elsewhere_stays_there(void)
{
    char *path = strdup(check_path("a.h5"));
    char *raw = strdup(check_path("raw.bin"));
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &(hsize_t){1000}, NULL));
    const hid_t outside = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t virtual = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t file = new_file(path, H5P_DEFAULT);

    CHECK_H5(H5Pset_external(outside, raw, 0, 4000));
    put_numbers(file, "outside", outside);
    CHECK_H5(H5Pset_virtual(virtual, space, ".", "outside", space));
    H5Dclose((hid_t)CHECK_H5(
        H5Dcreate2(file, "virtual", H5T_STD_I32LE, space, H5P_DEFAULT, virtual, H5P_DEFAULT)));
    H5Fclose(file);
    H5Pclose(virtual);
    H5Pclose(outside);
    H5Sclose(space);
    const off_t before = size_of(path);
    check_kept(path);
    CHECK_I64(size_of(raw), 4000);
    CHECK(size_of(path) <= before);
    free(raw);
    free(path);
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void check_refused(const char *path, const char *name, const char *reason)
{
    stoa_error err = STOA_ERROR_INIT;
    char *before = tree_at(path);

    CHECK_STATUS(STOA_ELOSS, stoa_file_repack(path, path, NULL, &err), &err);
    CHECK_CONTAINS(err.message, name);
    CHECK_CONTAINS(err.message, reason);
    CHECK_STR(err.where, path);
    char *after = tree_at(path);
    CHECK_STR(after, before);
    free(after);
    free(before);
}

static void a_reference_into_another_file_is_refused(void)
{
    char *path = strdup(check_path("a.h5"));
    char *other = strdup(check_path("b.h5"));
    const hid_t space = (hid_t)CHECK_H5(H5Screate(H5S_SCALAR));
    H5R_ref_t reference;

    const hid_t second = new_file(other, H5P_DEFAULT);
    put_numbers(second, "there", H5P_DEFAULT);
    CHECK_H5(H5Rcreate_object(second, "there", H5P_DEFAULT, &reference));
    const hid_t file = new_file(path, H5P_DEFAULT);
    const hid_t attribute =
        (hid_t)CHECK_H5(H5Acreate2(file, "far", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, H5T_STD_REF, &reference));
    CHECK_H5(H5Rdestroy(&reference));
    H5Aclose(attribute);
    H5Fclose(file);
    H5Fclose(second);
    H5Sclose(space);
    stoa_error err = STOA_ERROR_INIT;
    const off_t before = size_of(path);
    CHECK_STATUS(STOA_ELOSS, stoa_file_repack(path, path, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "'far'");
    CHECK_CONTAINS(err.message, "in another file");
    CHECK_STR(err.where, path);
    CHECK_I64(size_of(path), before);
    /* Also where that file is away, so that it cannot be asked. */
    CHECK_I64(remove(other), 0);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ELOSS, stoa_file_repack(path, path, NULL, &err), &err);
    CHECK_CONTAINS(err.message, "in another file");
    free(other);
    free(path);
}

static herr_t follow_nothing(const char *name, hid_t group, const void *value, size_t size,
                             hid_t lapl)
{
    (void)name;
    (void)group;
    (void)value;
    (void)size;
    (void)lapl;
    return -1;
}

static hid_t traverse_nothing(const char *name, hid_t group, const void *value, size_t size,
                              hid_t lapl, hid_t dxpl)
{
    (void)dxpl;
    return follow_nothing(name, group, value, size, lapl);
}

static void a_link_of_an_unknown_class_is_refused(void)
{
    enum { CLASS = 200 };
    static const H5L_class_t class = {H5L_LINK_CLASS_T_VERS,
                                      (H5L_type_t)CLASS,
                                      "nowhere",
                                      NULL,
                                      NULL,
                                      NULL,
                                      traverse_nothing,
                                      NULL,
                                      NULL};
    char *path = strdup(check_path("a.h5"));
    const hid_t file = new_file(path, H5P_DEFAULT);

    CHECK_H5(H5Lregister(&class));
    CHECK_H5(H5Lcreate_ud(file, "odd", (H5L_type_t)CLASS, "value", 6, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    check_kept(path);
    CHECK_H5(H5Lunregister((H5L_type_t)CLASS));
    check_refused(path, "/odd", "class");
    free(path);
}

static bool stop(void *context, const stoa_progress *progress)
{
    (void)context;
    (void)progress;
    return false;
}

static void a_repack_that_is_stopped_leaves_the_old_file(void)
{
    char *path = strdup(check_path("a.h5"));
    const hid_t file = new_file(path, H5P_DEFAULT);
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    struct stat before;
    struct stat after;

    put_numbers(file, "a", H5P_DEFAULT);
    H5Fclose(file);
    options.listener.on_progress = stop;
    CHECK_I64(stat(path, &before), 0);
    CHECK_STATUS(STOA_ECANCELLED, stoa_file_repack(path, path, &options, NULL));
    CHECK_I64(stat(path, &after), 0);
    CHECK(before.st_ino == after.st_ino && before.st_size == after.st_size);
    free(path);
}

/* The most that libhdf5 may keep of one file, of those that are open. */
static bool see_bound(void *context, const stoa_progress *progress)
{
    size_t *const most = context;
    hid_t files[8];
    const ssize_t n = H5Fget_obj_ids((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE, 8, files);

    (void)progress;
    CHECK_I64(n, 2);
    for (ssize_t i = 0; i < n; i++) {
        H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
        CHECK_H5(H5Fget_mdc_config(files[i], &config));
        *most = config.max_size > *most ? config.max_size : *most;
    }
    return true;
}

/* Its cache grows with the objects that come, each of which comes a few times: 20,000 tables took
 * 680 MB of memory, of a file of 100. */
static void libhdf5_keeps_little_of_what_was_copied(void)
{
    enum { MOST = 4 << 20 };
    char *path = strdup(check_path("a.h5"));
    const hid_t file = new_file(path, H5P_DEFAULT);
    stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    size_t most = 0;

    put_numbers(file, "a", H5P_DEFAULT);
    H5Fclose(file);
    options.listener.on_progress = see_bound;
    options.listener.context = &most;
    CHECK_OK(stoa_file_repack(path, path, &options, &err), &err);
    CHECK(most > 0 && most <= MOST);
    free(path);
}

TEST_MAIN(TEST(space_that_nothing_uses_goes), TEST(chunks_of_an_unknown_filter_are_kept),
          TEST(large_groups_keep_the_order_of_their_links_and_attributes),
          TEST(the_way_a_file_manages_its_space_is_kept),
          TEST(storage_that_lies_elsewhere_stays_there),
          TEST(a_reference_into_another_file_is_refused),
          TEST(a_link_of_an_unknown_class_is_refused),
          TEST(a_repack_that_is_stopped_leaves_the_old_file),
          TEST(libhdf5_keeps_little_of_what_was_copied))
