/* Memory that runs out while strings are copied; for connector_copy*.c. */
#include <stoa/h5sparse.h>
#include <stoa/sparse.h>

#include "support/check.h"
#include "support/sweep.h"

/* libhdf5 lets go of no object that it could not wrap. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

static hid_t source, target;

/* A file with two words of three in "d". */
static hid_t words_file(const char *name, bool in_global_heap)
{
    const uint64_t extent = 9;
    const uint64_t at[3] = {1, 2, 7};
    const char *words[3] = {"walk", "", "of columns"};
    const hid_t type = (hid_t)CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t file =
        (hid_t)CHECK_H5(H5Fcreate(check_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    options.in_global_heap = in_global_heap;
    CHECK_OK(stoa_sparse_create(file, "d", type, 1, &extent, &options, NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_write(array, 3, at, words, type, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Tclose(type));
    return file;
}

static stoa_status copy_once(stoa_error *err)
{
    const stoa_status copied = stoa_sparse_copy(source, "d", target, "copy", NULL);

    if (copied != STOA_OK) { /* libhdf5 does not say of what */
        CHECK(H5Lexists(target, "copy", H5P_DEFAULT) == 0);
        return stoa_fail_memory(err);
    }
    CHECK_H5(H5Ldelete(target, "copy", H5P_DEFAULT));
    return STOA_OK;
}

static void a_copy_that_runs_out_of_memory_leaves_nothing(void)
{
    const char *const names[2][2] = {{"section.h5", "of-section.h5"}, {"heap.h5", "of-heap.h5"}};

    for (int i = 0; i < 2; i++) {
        source = words_file(names[i][0], i == 1);
        target = (hid_t)CHECK_H5(
            H5Fcreate(check_path(names[i][1]), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        CHECK(sweep_memory(copy_once) > 10);
        CHECK_H5(H5Fclose(target));
        CHECK_H5(H5Fclose(source));
    }
}

TEST_MAIN(TEST(a_copy_that_runs_out_of_memory_leaves_nothing))
