/* stoa_file_repack() of files with sparse arrays, which it keeps as they are; for
 * src/layout/convert/repack.c. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/edit.h>
#include <stoa/sparse.h>
#include <string.h>

#include "sparse/tools/storage.h"
#include "support/check.h"

static const uint64_t extent[] = {6, 5};
static const uint64_t chunk[] = {4, 2};
static const uint64_t places[] = {0, 0, 0, 4, 3, 1, 5, 4};
enum { N = 4 };

static hid_t text_type(void)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    return type;
}

static void make(hid_t file, const char *name, hid_t type, bool in_global_heap, const void *values)
{
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    options.positions = "zstd";
    options.values = "deflate:4";
    options.heap = in_global_heap ? NULL : "zstd:2";
    options.in_global_heap = in_global_heap;
    CHECK_OK(stoa_sparse_create(file, name, type, 2, extent, &options, NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_write(array, N, places, values, type, &err), &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
}

static void make_file(const char *path)
{
    static const int numbers[N] = {7, 0, -1, 2}; /* an explicit fill value among them */
    static const char *const words[N] = {"a walk", NULL, "", "of columns"};
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t text = text_type();

    make(file, "numbers", H5T_NATIVE_INT, false, numbers);
    make(file, "words", text, false, words);
    make(file, "group/heap", text, true, words);
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Fclose(file));
}

static void check_values(hid_t file, const char *name)
{
    static const char *const words[N] = {"a walk", NULL, "", "of columns"};
    static const int numbers[N] = {7, 0, -1, 2};
    const hid_t text = text_type();
    const bool is_text = strcmp(name, "numbers") != 0;
    stoa_sparse *array = NULL;
    stoa_sparse_points points = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_open(file, name, NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_read(array, NULL, NULL, is_text ? text : H5T_NATIVE_INT, &points, &err),
             &err);
    CHECK_U64(points.n, N);
    CHECK_MEM(points.coordinates, places, sizeof places);
    for (size_t i = 0; i < N && is_text; i++) {
        const char *const found = ((char **)points.values)[i];
        CHECK((found == NULL) == (words[i] == NULL));
        if (found != NULL) {
            CHECK_STR(found, words[i]);
        }
    }
    if (is_text) {
        CHECK_OK(stoa_sparse_reclaim(array, text, points.n, points.values, &err), &err);
    } else {
        CHECK_MEM(points.values, numbers, sizeof numbers);
    }
    stoa_sparse_points_clear(&points);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Tclose(text));
}

/* Chunks, sections and filters. */
static stoa_sparse_storage storage_of(const char *path, const char *name)
{
    const hid_t file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, name, H5P_DEFAULT));
    stoa_sparse_storage storage;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_storage_of(dataset, &storage, &err), &err);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    return storage;
}

static void check_same(const char *path, const char *other)
{
    static const char *const names[] = {"numbers", "words", "group/heap"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const stoa_sparse_storage was = storage_of(path, names[i]);
        const stoa_sparse_storage is = storage_of(other, names[i]);

        CHECK_MEM(&is.format, &was.format, sizeof is.format);
        CHECK_MEM(is.shape.chunk, was.shape.chunk, 2 * sizeof *is.shape.chunk);
        CHECK_U64(is.n_chunks, was.n_chunks);
        CHECK_MEM(is.sections, was.sections, sizeof is.sections);
        const hid_t file = CHECK_H5(H5Fopen(other, H5F_ACC_RDONLY, H5P_DEFAULT));
        check_values(file, names[i]);
        CHECK_H5(H5Fclose(file));
    }
}

static void sparse_arrays_are_kept_as_they_are(void)
{
    char from[4096];
    char to[4096];
    stoa_error err = STOA_ERROR_INIT;

    (void)snprintf(from, sizeof from, "%s", check_path("a.h5"));
    (void)snprintf(to, sizeof to, "%s", check_path("b.h5"));
    make_file(from);
    CHECK_OK(stoa_file_repack(from, to, NULL, &err), &err);
    check_same(from, to);
    CHECK_OK(stoa_file_repack(to, to, NULL, &err), &err);
    check_same(from, to);
}

TEST_MAIN(TEST(sparse_arrays_are_kept_as_they_are))
