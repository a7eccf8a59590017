/* Strings and sequences through the RFC's calls: what is in the sections, what direct chunk calls
 * take, what programs without the connector see (RFC §2.2, docs/sparse.md). */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <stoa/sparse.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf/copy/repack.h"
#include "sparse/fails.h"
#include "sparse/tools/relayout.h"
#include "support/check.h"

static const hsize_t TEN = 10, FOUR = 4;

static hid_t text_type(void)
{
    const hid_t type = (hid_t)CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    return type;
}

static hid_t list_of(unsigned flag)
{
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_struct_chunk(dcpl, 1, &FOUR, flag));
    return dcpl;
}

/* Ten elements that may grow, called "d". */
static hid_t make(hid_t file, hid_t type, hid_t dcpl)
{
    const hsize_t most = H5S_UNLIMITED;
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &TEN, &most));
    const hid_t dset =
        (hid_t)CHECK_H5(H5Dcreate(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK_H5(H5Sclose(space));
    return dset;
}

static hid_t select_run(hsize_t first, hsize_t n)
{
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &TEN, NULL));

    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &n, NULL));
    return space;
}

static void write_texts(hid_t dset, hsize_t first, hsize_t n, const char *const *texts)
{
    const hid_t type = text_type();
    const hid_t space = select_run(first, n);

    CHECK_H5(H5Dwrite(dset, type, H5S_BLOCK, space, H5P_DEFAULT, texts));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

/* All ten; "-" stands for a string that is not there. */
static void texts_are(hid_t dset, const char *const *expected)
{
    const hid_t type = text_type();
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &TEN, NULL));
    char *found[10];

    CHECK_H5(H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (int i = 0; i < 10; i++) {
        CHECK_STR(found[i] != NULL ? found[i] : "-", expected[i]);
    }
    CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, found));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

static const char *const words[3] = {"walk", "", "of columns"};

/* A file with words in elements 1 to 3 of "d". */
static const char *words_file(stoa_vl_storage storage)
{
    const char *path = check_path("words.h5");
    const hid_t type = text_type();
    const hid_t dcpl = list_of(H5D_SPARSE_CHUNK);
    stoa_vl_storage found = STOA_VL_GLOBAL_HEAP;

    CHECK_H5(stoa_h5p_set_vl_storage(dcpl, storage));
    CHECK_H5(stoa_h5p_get_vl_storage(dcpl, &found));
    CHECK_I64(found, storage);
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dset = make(file, type, dcpl);
    write_texts(dset, 1, 3, words);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
    return path;
}

/* --- chunks ---------------------------------------------------------------------------------- */

static const uint8_t lengths[] = {5, 0, 0, 0, 1, 0, 0, 0, 11, 0, 0, 0};

static void sections_are_as_the_format_says(void)
{
    const hid_t file =
        (hid_t)CHECK_H5(H5Fopen(words_file(STOA_VL_SECTION), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    const hsize_t offset = 0;
    uint16_t masks[3];
    size_t sizes[3];
    size_t originals[3];
    H5D_struct_chunk_info_t info = {
        .filter_mask = masks, .section_size = sizes, .section_orig_size = originals};
    uint8_t selection[200];
    uint8_t values[32];
    uint8_t heap[32];
    void *buffers[3] = {selection, values, heap};

    CHECK_H5(H5Dread_struct_chunk(dset, H5P_DEFAULT, &offset, &info, NULL));
    CHECK_U64(info.num_sections, 3);
    CHECK(sizes[0] <= sizeof selection);
    CHECK_U64(sizes[1], sizeof lengths);
    CHECK_U64(sizes[2], 14);
    CHECK_H5(H5Dread_struct_chunk(dset, H5P_DEFAULT, &offset, &info, buffers));
    CHECK_MEM(values, lengths, sizeof lengths);
    CHECK_MEM(heap, "walkof columns", 14);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
}

/* A chunk of three words in elements 5 to 7. */
static herr_t write_chunk(hid_t dset, const uint8_t *values, const char *heap, size_t n_heap)
{
    const hsize_t offset = 4;
    const hid_t space = select_run(5, 3);
    uint8_t selection[200];
    size_t sizes[3] = {sizeof selection, 12, n_heap};
    uint16_t masks[3] = {0, 0, 0};
    const H5D_struct_chunk_info_t info = {.type = H5D_STRUCT_CHUNK,
                                          .num_sections = 3,
                                          .filter_mask = masks,
                                          .section_size = sizes,
                                          .section_orig_size = sizes};
    const void *buffers[3] = {selection, values, heap};

    CHECK_H5(H5Sencode2(space, selection, sizes, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    return H5Dwrite_struct_chunk(dset, H5P_DEFAULT, &offset, &info, buffers);
}

static void a_chunk_can_be_written_with_its_heap(void)
{
    const char *const expected[10] = {"-",    "walk", "",           "of columns", "-",
                                      "walk", "",     "of columns", "-",          "-"};
    const hid_t file =
        (hid_t)CHECK_H5(H5Fopen(words_file(STOA_VL_SECTION), H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    CHECK_H5(write_chunk(dset, lengths, "walkof columns", 14));
    texts_are(dset, expected);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
}

static void a_heap_that_does_not_fit_is_refused(void)
{
    const char *const expected[10] = {"-", "walk", "", "of columns", "-", "-", "-", "-", "-", "-"};
    static const uint8_t huge[12] = {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 11, 0, 0, 0};
    const hid_t file =
        (hid_t)CHECK_H5(H5Fopen(words_file(STOA_VL_SECTION), H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    for (size_t n = 0; n < 14; n++) { /* each truncation */
        CHECK_FAILS(write_chunk(dset, lengths, "walkof columns", n));
    }
    CHECK_FAILS(write_chunk(dset, lengths, "walkof columns!", 15));
    CHECK_FAILS(write_chunk(dset, huge, "walkof columns", 14));
    texts_are(dset, expected);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
}

/* --- programs without the connector ---------------------------------------------------------- */

static void in_the_global_heap_every_program_reads_them(void)
{
    const char *const expected[10] = {"-", "walk", "", "of columns", "-", "-", "-", "-", "-", "-"};
    const char *path = words_file(STOA_VL_GLOBAL_HEAP);
    const hid_t file = (hid_t)CHECK_H5((H5Fopen)(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    texts_are(dset, expected);
    const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
    CHECK_I64(H5Sget_select_npoints(space), 3);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
}

static herr_t use_natively(hid_t file, bool writes)
{
    const char *texts[10] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    const hid_t type = text_type();
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    const hid_t space = select_run(2, 1);
    char *found[10];
    herr_t result = 0;

    H5E_BEGIN_TRY
    {
        result = writes ? H5Dwrite(dset, type, H5S_BLOCK, space, H5P_DEFAULT, texts)
                        : H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found);
    }
    H5E_END_TRY
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    return result;
}

/* Neither lost nor made up. */
static void in_section_2_others_cannot_read_copy_or_write_over_them(void)
{
    const char *const expected[10] = {"-", "walk", "", "of columns", "-", "-", "-", "-", "-", "-"};
    const char *path = words_file(STOA_VL_SECTION);
    hid_t file = (hid_t)CHECK_H5((H5Fopen)(path, H5F_ACC_RDWR, H5P_DEFAULT));

    CHECK(use_natively(file, false) < 0);
    CHECK(use_natively(file, true) < 0);
    CHECK_FAILS(H5Ocopy(file, "d", file, "copy", H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
    CHECK_I64(H5Sget_select_npoints(space), 3);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t again = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    texts_are(again, expected);
    CHECK_H5(H5Dclose(again));
    CHECK_H5(H5Fclose(file));
}

/* A chunk that is not there yet others can write; it is dense. */
static void what_others_wrote_is_found_and_goes_on_in_section_2(void)
{
    const char *const expected[10] = {"-", "walk", "", "of columns", "x", "new", "", "-", "-", "-"};
    const char *const more[3] = {"x", "y", ""};
    const char *const one[1] = {"new"};
    const char *path = words_file(STOA_VL_SECTION);
    hid_t file = (hid_t)CHECK_H5((H5Fopen)(path, H5F_ACC_RDWR, H5P_DEFAULT));
    hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    write_texts(dset, 4, 3, more);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    for (int i = 0; i < 2; i++) {
        file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
        dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        write_texts(dset, 5, 1, one);
        texts_are(dset, expected);
        const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
        CHECK_I64(H5Sget_select_npoints(space), 6);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
    }
}

static void early_allocation_with_a_fill_value_works(void)
{
    const char *const expected[10] = {"none", "walk", "",     "of columns", "none",
                                      "none", "none", "none", "none",       "none"};
    const char *fill = "none";
    const hid_t type = text_type();

    for (int early = 0; early < 2; early++) {
        const hid_t dcpl = list_of(H5D_SPARSE_CHUNK);
        const hid_t file = (hid_t)CHECK_H5(
            H5Fcreate(check_path("early.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Pset_fill_value(dcpl, type, &fill));
        CHECK_H5(H5Pset_alloc_time(dcpl, early == 1 ? H5D_ALLOC_TIME_EARLY : H5D_ALLOC_TIME_INCR));
        const hid_t dset = make(file, type, dcpl);
        write_texts(dset, 1, 3, words);
        texts_are(dset, expected);
        const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
        CHECK_I64(H5Sget_select_npoints(space), 3);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
        CHECK_H5(H5Pclose(dcpl));
    }
    CHECK_H5(H5Tclose(type));
}

static void a_fill_value_in_the_global_heap_is_refused(void)
{
    const char *fill = "none";
    const hid_t type = text_type();
    const hid_t dcpl = list_of(H5D_SPARSE_CHUNK);
    const hid_t file =
        (hid_t)CHECK_H5(H5Fcreate(check_path("fill.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &TEN, NULL));

    CHECK_H5(stoa_h5p_set_vl_storage(dcpl, STOA_VL_GLOBAL_HEAP));
    CHECK_FAILS(stoa_h5p_set_vl_storage(dcpl, (stoa_vl_storage)7));
    CHECK_H5(H5Pset_fill_value(dcpl, type, &fill));
    CHECK_FAILS(H5Dcreate(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
}

/* A compound made without the connector: its strings are in the global heap for ever. */
static void datasets_made_without_the_connector_keep_to_the_global_heap(void)
{
    const char *path = check_path("native.h5");
    const hid_t text = text_type();
    const hid_t type = (hid_t)CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(char *)));
    const hid_t dcpl = list_of(H5D_SPARSE_CHUNK);
    const char *given[10] = {NULL, "a", "b"};
    stoa_vl_storage storage = STOA_VL_SECTION;

    CHECK_H5(H5Tinsert(type, "text", 0, text));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    for (int connected = 0; connected < 2; connected++) {
        const hid_t file = (hid_t)CHECK_H5(
            connected == 0 ? (H5Fcreate)(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                           : H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
        const hid_t dset = connected == 0 ? make(file, type, dcpl)
                                          : (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        const hid_t made = (hid_t)CHECK_H5(H5Dget_create_plist(dset));
        CHECK_H5(H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, given));
        CHECK_H5(stoa_h5p_get_vl_storage(made, &storage));
        CHECK_I64(storage, STOA_VL_GLOBAL_HEAP);
        const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
        CHECK_I64(H5Sget_select_npoints(space), connected == 0 ? 2 : 10);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Pclose(made));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(text));
}

/* --- the fast calls -------------------------------------------------------------------------- */

static void points_are_texts(const stoa_sparse_points *points)
{
    char *const *texts = points->values;

    CHECK_U64(points->n, 3);
    for (uint64_t i = 0; i < 3; i++) {
        CHECK_U64(points->coordinates[i], i + 1);
        CHECK_STR(texts[i], words[i]);
    }
}

static void reclaim(hid_t type, hsize_t n, void *values)
{
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &n, NULL));

    CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, values));
    CHECK_H5(H5Sclose(space));
}

static void the_fast_calls_read_and_erase_them(void)
{
    static const stoa_vl_storage storages[] = {STOA_VL_SECTION, STOA_VL_GLOBAL_HEAP};
    const uint64_t start = 0;
    const uint64_t count = 5;
    const uint64_t two = 2;
    const uint64_t ten = 10;
    const hid_t type = text_type();

    for (int i = 0; i < 2; i++) {
        const char *path = words_file(storages[i]);
        const hid_t file = (hid_t)CHECK_H5((H5Fopen)(path, H5F_ACC_RDWR, H5P_DEFAULT));
        stoa_sparse *array = NULL;
        stoa_sparse_points points;
        char *dense[5] = {NULL};
        uint8_t defined[5];
        stoa_error err = STOA_ERROR_INIT;
        CHECK_OK(stoa_sparse_open(file, "d", NULL, &array, &err), &err);
        CHECK_OK(stoa_sparse_read(array, NULL, NULL, STOA_FILE_NATIVE, &points, &err), &err);
        points_are_texts(&points);
        reclaim(type, points.n, points.values);
        stoa_sparse_points_clear(&points);
        CHECK_OK(stoa_sparse_read_dense(array, &start, &count, type, dense, defined, &err), &err);
        CHECK_MEM(defined, "\0\1\1\1\0", 5);
        CHECK(dense[0] == NULL && dense[4] == NULL);
        CHECK_STR(dense[1], "walk");
        CHECK_STR(dense[2], "");
        reclaim(type, 5, dense);
        CHECK_STATUS(STOA_ERANGE, stoa_sparse_erase(array, 1, &ten, &err));
        CHECK_OK(stoa_sparse_erase(array, 1, &two, &err), &err);
        CHECK_OK(stoa_sparse_defined(array, NULL, NULL, &points, &err), &err);
        CHECK_U64(points.n, 2);
        CHECK_U64(points.coordinates[0], 1);
        CHECK_U64(points.coordinates[1], 3);
        stoa_sparse_points_clear(&points);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Tclose(type));
}

static void the_fast_calls_write_into_what_the_connector_has_made(void)
{
    static const stoa_vl_storage storages[] = {STOA_VL_SECTION, STOA_VL_GLOBAL_HEAP};
    const char *const expected[10] = {"x", "walk", "", "of columns", "-", "-", "-", "-", "-", ""};
    const hid_t type = text_type();
    const uint64_t at[] = {9, 0};
    const char *texts[] = {"", "x"};

    for (int i = 0; i < 4; i++) {
        const char *path = words_file(storages[i % 2]);
        hid_t file = (hid_t)CHECK_H5(i < 2 ? (H5Fopen)(path, H5F_ACC_RDWR, H5P_DEFAULT)
                                           : H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
        stoa_sparse *array = NULL;
        stoa_error err = STOA_ERROR_INIT;
        CHECK_OK(stoa_sparse_open(file, "d", NULL, &array, &err), &err);
        CHECK_OK(stoa_sparse_write(array, 2, at, texts, type, &err), &err);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
        file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
        const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        texts_are(dset, expected);
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Tclose(type));
}

/* --- memory and types ------------------------------------------------------------------------ */

static void what_libhdf5_does_not_convert_is_refused(void)
{
    const hid_t file =
        (hid_t)CHECK_H5(H5Fopen(words_file(STOA_VL_SECTION), H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    int found[10];

    memset(found, 0x55, sizeof found);
    CHECK_FAILS(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_FAILS(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (int i = 0; i < 10; i++) {
        CHECK_I64(found[i], 0x55555555);
    }
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
}

static void the_size_of_what_will_be_read_is_known(void)
{
    const hid_t type = text_type();
    const hid_t file =
        (hid_t)CHECK_H5(H5Fopen(words_file(STOA_VL_SECTION), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    const hid_t space = select_run(0, 4);
    hsize_t n_bytes = 0;

    CHECK_H5(H5Dvlen_get_buf_size(dset, type, space, &n_bytes));
    CHECK_U64(n_bytes, 5 + 1 + 11); /* with their ends */
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Tclose(type));
}

static void every_section_has_its_own_filters(void)
{
    enum { N = 2000 };
    const unsigned level = 9;
    const hsize_t n = N;
    const hid_t type = text_type();
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t file = (hid_t)CHECK_H5(
        H5Fcreate(check_path("filters.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const char *texts[N];
    char *found[N];
    const hsize_t offset = 0;
    H5D_struct_chunk_info_t info;

    for (int i = 0; i < N; i++) {
        texts[i] = i % 2 == 0 ? "the same words again and again" : "some others";
    }
    CHECK_H5(H5Pset_struct_chunk(dcpl, 1, &n, H5D_SPARSE_CHUNK));
    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_VL, H5Z_FILTER_DEFLATE, 0, 1, &level));
    const hid_t dset =
        (hid_t)CHECK_H5(H5Dcreate(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts));
    CHECK_H5(H5Dget_struct_chunk_info_by_coord(dset, &offset, &info, NULL, NULL));
    CHECK_U64(info.section_size[1], 4 * N);
    CHECK_U64(info.section_orig_size[2], (30 + 11) * N / 2);
    CHECK(info.section_size[2] < 1000);
    CHECK_H5(H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (int i = 0; i < N; i++) {
        CHECK_STR(found[i], texts[i]);
    }
    CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, found));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
}

static void a_program_that_ends_without_closing_loses_nothing(void)
{
    const char *const expected[10] = {"-", "walk", "", "of columns", "-", "-", "-", "-", "-", "-"};
    const char *path = check_path("words.h5");
    const pid_t child = fork();

    if (child == 0) {
        const hid_t type = text_type();
        const hid_t file =
            (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        write_texts(make(file, type, list_of(H5D_SPARSE_CHUNK)), 1, 3, words);
        exit(0);
    }
    int how = 0;
    CHECK(child > 0 && waitpid(child, &how, 0) == child);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    texts_are(dset, expected);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
}

/* --- copies ---------------------------------------------------------------------------------- */

static void put_attributes(hid_t dset)
{
    const char *text = "of columns";
    const int numbers[] = {1, 2, 3};
    const hsize_t three = 3;
    const hid_t type = text_type();
    const hid_t scalar = (hid_t)CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t row = (hid_t)CHECK_H5(H5Screate_simple(1, &three, NULL));
    const hid_t null = (hid_t)CHECK_H5(H5Screate(H5S_NULL));
    hid_t attr = (hid_t)CHECK_H5(H5Acreate2(dset, "text", type, scalar, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attr, type, &text));
    CHECK_H5(H5Aclose(attr));
    attr =
        (hid_t)CHECK_H5(H5Acreate2(dset, "numbers", H5T_STD_I16BE, row, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attr, H5T_NATIVE_INT, numbers));
    CHECK_H5(H5Aclose(attr));
    attr = (hid_t)CHECK_H5(H5Acreate2(dset, "none", H5T_STD_I16BE, null, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(null));
    CHECK_H5(H5Sclose(row));
    CHECK_H5(H5Sclose(scalar));
    CHECK_H5(H5Tclose(type));
}

static void attributes_are(hid_t dset)
{
    const int expected[] = {1, 2, 3};
    const hid_t type = text_type();
    char *text = NULL;
    int numbers[3];
    hid_t attr = (hid_t)CHECK_H5(H5Aopen(dset, "text", H5P_DEFAULT));

    CHECK_H5(H5Aread(attr, type, &text));
    CHECK_STR(text, "of columns");
    free(text);
    CHECK_H5(H5Aclose(attr));
    attr = (hid_t)CHECK_H5(H5Aopen(dset, "numbers", H5P_DEFAULT));
    CHECK_H5(H5Aread(attr, H5T_NATIVE_INT, numbers));
    CHECK_MEM(numbers, expected, sizeof expected);
    CHECK_H5(H5Aclose(attr));
    CHECK(H5Aexists(dset, "none") > 0);
    CHECK_H5(H5Tclose(type));
}

/* The copy "c" of words_file(), with a chunk that another program wrote. */
static void copy_is_whole(hid_t file, bool has_attributes)
{
    const char *const expected[10] = {"-", "walk", "", "of columns", "-", "-", "-", "-", "x", "y"};
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "c", H5P_DEFAULT));
    const hid_t dcpl = (hid_t)CHECK_H5(H5Dget_create_plist(dset));
    H5O_info2_t info;
    stoa_vl_storage storage = STOA_VL_GLOBAL_HEAP;

    texts_are(dset, expected);
    const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
    CHECK_I64(H5Sget_select_npoints(space), 5);
    CHECK_H5(stoa_h5p_get_vl_storage(dcpl, &storage));
    CHECK_I64(storage, STOA_VL_SECTION);
    CHECK_H5(H5Oget_info3(dset, &info, H5O_INFO_NUM_ATTRS));
    CHECK_U64(info.num_attrs, has_attributes ? 3 : 0);
    if (has_attributes) {
        attributes_are(dset);
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Dclose(dset));
}

static const char *words_of_two_programs(void)
{
    const char *path = words_file(STOA_VL_SECTION);
    const char *const more[2] = {"x", "y"};
    const hid_t file = (hid_t)CHECK_H5((H5Fopen)(path, H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    write_texts(dset, 8, 2, more);
    put_attributes(dset);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    return path;
}

static void under_the_connector_a_dataset_is_copied(void)
{
    const char *path = words_of_two_programs();
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t other =
        (hid_t)CHECK_H5(H5Fcreate(check_path("copy.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t bare = (hid_t)CHECK_H5(H5Pcreate(H5P_OBJECT_COPY));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    CHECK_H5(H5Ocopy(file, "d", file, "c", H5P_DEFAULT, H5P_DEFAULT));
    copy_is_whole(file, true);
    CHECK_H5(H5Ocopy(dset, ".", other, "c", H5P_DEFAULT, H5P_DEFAULT));
    copy_is_whole(other, true);
    CHECK_FAILS(H5Ocopy(file, "d", other, "c", H5P_DEFAULT, H5P_DEFAULT));
    copy_is_whole(other, true); /* as it was */
    CHECK_H5(H5Ldelete(other, "c", H5P_DEFAULT));
    CHECK_H5(H5Pset_copy_object(bare, H5O_COPY_WITHOUT_ATTR_FLAG));
    CHECK_H5(H5Ocopy(file, "d", other, "c", bare, H5P_DEFAULT));
    copy_is_whole(other, false);
    CHECK_FAILS(H5Ocopy(file, "none", other, "n", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Pclose(bare));
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

/* In "g" of the file: "d" as "c", and again below by another name; a dataset in the global heap
 * with an element that is defined and empty, a dense one, a sparse one of numbers, links of other
 * kinds, and an attribute. */
static void put_group(hid_t file)
{
    const char *const nothing[1] = {NULL};
    const int zero = 0;
    const hid_t type = text_type();
    const hid_t dcpl = list_of(H5D_SPARSE_CHUNK);
    const hid_t group =
        (hid_t)CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t deep =
        (hid_t)CHECK_H5(H5Gcreate2(group, "deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t numbers = make(deep, H5T_NATIVE_INT, dcpl);
    const hid_t one = select_run(3, 1);
    const hid_t scalar = (hid_t)CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Dwrite(numbers, H5T_NATIVE_INT, scalar, one, H5P_DEFAULT, &zero));
    CHECK_H5(H5Lmove(deep, "d", deep, "numbers", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(stoa_h5p_set_vl_storage(dcpl, STOA_VL_GLOBAL_HEAP));
    const hid_t heap = make(deep, type, dcpl);
    write_texts(heap, 1, 3, words);
    write_texts(heap, 6, 1, nothing);
    CHECK_H5(H5Lmove(deep, "d", deep, "heap", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_hard(file, "d", group, "c", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_hard(file, "d", deep, "again", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("deep/again", group, "soft", H5P_DEFAULT, H5P_DEFAULT));
    put_attributes(group);
    CHECK_H5(H5Sclose(scalar));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Dclose(heap));
    CHECK_H5(H5Dclose(numbers));
    CHECK_H5(H5Gclose(deep));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
}

static void n_defined_is(hid_t loc, const char *name, hssize_t n)
{
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(loc, name, H5P_DEFAULT));
    const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));

    CHECK_I64(H5Sget_select_npoints(space), n);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dset));
}

static void group_is_whole(hid_t loc, const char *name)
{
    const char *const heap[10] = {"-", "walk", "", "of columns", "-", "-", "-", "-", "-", "-"};
    const hid_t group = (hid_t)CHECK_H5(H5Gopen2(loc, name, H5P_DEFAULT));
    H5O_info2_t one;
    H5O_info2_t other;
    H5L_info2_t link;

    copy_is_whole(group, true);
    attributes_are(group);
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(group, "deep/heap", H5P_DEFAULT));
    texts_are(dset, heap);
    CHECK_H5(H5Dclose(dset));
    n_defined_is(group, "deep/heap", 4);
    n_defined_is(group, "deep/numbers", 1);
    CHECK_H5(H5Lget_info2(group, "soft", &link, H5P_DEFAULT));
    CHECK_I64(link.type, H5L_TYPE_SOFT);
    CHECK_H5(H5Oget_info_by_name3(group, "c", &one, H5O_INFO_BASIC, H5P_DEFAULT));
    CHECK_H5(H5Oget_info_by_name3(group, "deep/again", &other, H5O_INFO_BASIC, H5P_DEFAULT));
    CHECK_MEM(&one.token, &other.token, sizeof one.token); /* one dataset of two names */
    CHECK_H5(H5Gclose(group));
}

static void under_the_connector_a_group_is_copied_with_what_is_in_it(void)
{
    const char *path = words_of_two_programs();
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t other =
        (hid_t)CHECK_H5(H5Fcreate(check_path("copy.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t expand = (hid_t)CHECK_H5(H5Pcreate(H5P_OBJECT_COPY));

    put_group(file);
    CHECK_H5(H5Ocopy(file, "g", file, "h", H5P_DEFAULT, H5P_DEFAULT));
    group_is_whole(file, "h");
    CHECK_H5(H5Ocopy(file, "h", other, "i", H5P_DEFAULT, H5P_DEFAULT));
    group_is_whole(other, "i");
    CHECK_FAILS(H5Ocopy(file, "g", other, "i", H5P_DEFAULT, H5P_DEFAULT));
    group_is_whole(other, "i"); /* as it was */
    CHECK_H5(H5Ocopy(file, "/", other, "all", H5P_DEFAULT, H5P_DEFAULT));
    group_is_whole(other, "all/g");
    group_is_whole(other, "all/h");
    CHECK_H5(H5Lcreate_soft("/g", file, "h/soft group", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Pset_copy_object(expand, H5O_COPY_EXPAND_SOFT_LINK_FLAG));
    CHECK_H5(H5Ocopy(file, "h/soft group", other, "j", H5P_DEFAULT, H5P_DEFAULT));
    group_is_whole(other, "j");
    CHECK_H5(H5Ldelete(file, "g/soft", H5P_DEFAULT));
    /* Of a shorter path libhdf5 makes a hard link that is longer than its place in the header. */
    CHECK_H5(H5Lcreate_soft("/./././d", file, "g/soft", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Ocopy(file, "g", other, "k", expand, H5P_DEFAULT));
    n_defined_is(other, "k/soft", 5); /* a dataset now */
    CHECK_H5(H5Pset_copy_object(expand, H5O_COPY_EXPAND_REFERENCE_FLAG));
    CHECK_FAILS(H5Ocopy(file, "g", other, "l", expand, H5P_DEFAULT));
    CHECK_H5(H5Pclose(expand));
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

/* libhdf5 copies the fill value as bytes, which refer to the heap of the source. */
static void a_fill_value_of_variable_length_goes_along_with_a_group(void)
{
    const char *fill = "none";
    const char *const expected[10] = {"none", "walk", "",     "of columns", "none",
                                      "none", "none", "none", "none",       "none"};
    const hid_t file =
        (hid_t)CHECK_H5(H5Fcreate(check_path("fill.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t other =
        (hid_t)CHECK_H5(H5Fcreate(check_path("copy.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = text_type();
    const hid_t dcpl = list_of(H5D_SPARSE_CHUNK);
    const hid_t group =
        (hid_t)CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Pset_fill_value(dcpl, type, &fill));
    hid_t dset = make(group, type, dcpl);
    write_texts(dset, 1, 3, words);
    put_attributes(dset);
    CHECK_H5(H5Dclose(dset));
    for (int i = 0; i < 2; i++) {
        const hid_t to = i == 0 ? file : other;
        CHECK_H5(H5Ocopy(file, "g", to, "h", H5P_DEFAULT, H5P_DEFAULT));
        dset = (hid_t)CHECK_H5(H5Dopen2(to, "h/d", H5P_DEFAULT));
        texts_are(dset, expected);
        attributes_are(dset);
        CHECK_H5(H5Dclose(dset));
    }
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

static void in_the_global_heap_too_empty_elements_are_copied(void)
{
    const char *const expected[10] = {"-", "walk", "", "of columns", "-", "-", "-", "-", "-", "-"};
    const char *const nothing[1] = {NULL};
    const hid_t file =
        (hid_t)CHECK_H5(H5Fopen(words_file(STOA_VL_GLOBAL_HEAP), H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t other =
        (hid_t)CHECK_H5(H5Fcreate(check_path("copy.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    write_texts(dset, 6, 1, nothing);
    put_attributes(dset);
    for (int i = 0; i < 2; i++) {
        const hid_t to = i == 0 ? file : other;
        CHECK_H5(H5Ocopy(file, "d", to, "c", H5P_DEFAULT, H5P_DEFAULT));
        const hid_t copy = (hid_t)CHECK_H5(H5Dopen2(to, "c", H5P_DEFAULT));
        texts_are(copy, expected);
        attributes_are(copy);
        const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(copy, H5S_ALL, H5P_DEFAULT));
        CHECK_I64(H5Sget_select_npoints(space), 4);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(copy));
    }
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

/* References into the heap of the one file would lead nowhere in the other. */
static void a_repacked_file_has_what_two_programs_wrote(void)
{
    const char *path = words_of_two_programs();
    const char *to = check_path("repacked.h5");
    const char *const expected[10] = {"-", "walk", "", "of columns", "-", "-", "-", "-", "x", "y"};
    stoa_relayouts all = {.file = path};
    const stoa_other_storage other = stoa_relayout_storage(&all);
    stoa_error err = STOA_ERROR_INIT;

    (void)remove(to);
    CHECK_OK(stoa_hdf_repack(path, to, &other, NULL, NULL, NULL, &err), &err);
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(to, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    texts_are(dset, expected);
    attributes_are(dset);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
}

static void a_damaged_dataset_leaves_no_copy(void)
{
    static const uint8_t garbage[] = "no structured chunk at all";
    const char *path = words_of_two_programs();
    const hsize_t offset = 0;
    hid_t file = (hid_t)CHECK_H5((H5Fopen)(path, H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dset = (hid_t)CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    CHECK_H5((H5Dwrite_chunk)(dset, H5P_DEFAULT, 0, &offset, sizeof garbage, garbage));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    CHECK_FAILS(H5Ocopy(file, "d", file, "c", H5P_DEFAULT, H5P_DEFAULT));
    CHECK(H5Lexists(file, "c", H5P_DEFAULT) == 0);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(sections_are_as_the_format_says), TEST(a_chunk_can_be_written_with_its_heap),
          TEST(a_heap_that_does_not_fit_is_refused),
          TEST(in_the_global_heap_every_program_reads_them),
          TEST(in_section_2_others_cannot_read_copy_or_write_over_them),
          TEST(what_others_wrote_is_found_and_goes_on_in_section_2),
          TEST(early_allocation_with_a_fill_value_works),
          TEST(a_fill_value_in_the_global_heap_is_refused),
          TEST(datasets_made_without_the_connector_keep_to_the_global_heap),
          TEST(the_fast_calls_read_and_erase_them),
          TEST(the_fast_calls_write_into_what_the_connector_has_made),
          TEST(what_libhdf5_does_not_convert_is_refused),
          TEST(the_size_of_what_will_be_read_is_known), TEST(every_section_has_its_own_filters),
          TEST(a_program_that_ends_without_closing_loses_nothing),
          TEST(under_the_connector_a_dataset_is_copied),
          TEST(under_the_connector_a_group_is_copied_with_what_is_in_it),
          TEST(a_fill_value_of_variable_length_goes_along_with_a_group),
          TEST(in_the_global_heap_too_empty_elements_are_copied),
          TEST(a_repacked_file_has_what_two_programs_wrote), TEST(a_damaged_dataset_leaves_no_copy))
