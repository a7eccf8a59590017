/* Memory that runs out while datasets get another storage; for src/sparse/tools/relayout*.c. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>

#include "hdf/copy/repack.h"
#include "sparse/format/filter.h"
#include "sparse/repacks.h"
#include "sparse/tools/relayout.h"
#include "support/check.h"
#include "support/sweep.h"

static char from[4096];
static char to[4096];
static bool is_listed;

static void make_dataset(hid_t file, const char *name, hid_t stored, hid_t space, hid_t type,
                         const void *values)
{
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(dataset));
}

static void make_file(void)
{
    static const char *const digits[] = {"0", "1", NULL};
    const hsize_t extent[] = {6, 5};
    int values[30];
    const char *words[30];

    for (int i = 0; i < 30; i++) {
        values[i] = i % 3;
        words[i] = digits[i % 3];
    }
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    const hid_t file = CHECK_H5(H5Fcreate(from, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));
    make_dataset(file, "x", H5T_STD_I32LE, space, H5T_NATIVE_INT, values);
    make_dataset(file, "y", text, space, text, words);
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
}

/* Dense to sparse, by a list or without the zeros. */
static stoa_status repack_it(stoa_error *err)
{
    static char path[] = "/x";
    static char variable[] = "/y";
    static const char list[] = "BLOCK (1,1)-(4,3) POINT (0,0), (5,4)";
    stoa_relayout some[] = {
        {.path = path, .layout = STOA_LAYOUT_SPARSE, .rank = 2, .chunk = {2, 2}},
        {.path = variable, .layout = STOA_LAYOUT_SPARSE, .rank = 2, .chunk = {3, 5}}};
    stoa_relayouts all = {.file = from, .items = some, .n = 2};
    stoa_other_storage other = stoa_relayout_storage(&all);
    stoa_regions regions = {0};
    hid_t file = CHECK_H5(H5Fopen(from, H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_status status = STOA_OK;

    (void)remove(to);
    if (is_listed) {
        STOA_TRY(stoa_regions_parse(list, sizeof list - 1, &regions, err));
        all.defined = &regions;
    } else {
        all.exclude = "0";
    }
    STOA_TRY(stoa_relayout_resolve(&all, file, err));
    CHECK_H5(H5Fclose(file));
    file = H5I_INVALID_HID;
    STOA_TRY(stoa_hdf_repack(from, to, &other, NULL, NULL, NULL, err));

done:
    if (file >= 0) {
        CHECK_H5(H5Fclose(file));
    }
    if (status != STOA_OK) {
        CHECK(fopen(to, "rb") == NULL); /* no half file */
    }
    stoa_regions_clear(&regions);
    return status;
}

/* Not sweep_memory(): where a callback of libhdf5 lacks memory, libhdf5 says what it could not do.
 */
static void starve(void)
{
    bool is_over = false;

    for (uint64_t n = 0; !is_over; n++) {
        stoa_error err = STOA_ERROR_INIT;

        CHECK(n < 100000);
        stoa_memory_fail_after(n);
        const stoa_status status = repack_it(&err);
        is_over = status == STOA_OK && sweep_is_over(n);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(status == STOA_OK || err.message[0] != '\0');
    }
}

/* Where an open fails, libhdf5 2.2 looks for a connector on the plugin path, and then believes that
 * it has one: it stops the program, or reads from nowhere. */
static void forget_plugins(void)
{
    unsigned n = 0;

    for (CHECK_H5(H5PLsize(&n)); n > 0; n--) {
        CHECK_H5(H5PLremove(0));
    }
}

static void memory_may_run_out_anywhere(void)
{
    forget_plugins();
    (void)snprintf(from, sizeof from, "%s", check_path("a.h5"));
    (void)snprintf(to, sizeof to, "%s", check_path("b.h5"));
    CHECK_OK(stoa_sparse_filter_register(NULL));
    make_file();
    is_listed = false;
    starve();
    is_listed = true;
    starve();
}

/* --- larger than what is taken at a time ------------------------------------------------------ */

enum { ROWS = 2300, COLUMNS = 2000 }; /* bytes, of which 4 MiB are taken at most */

/* Few bytes are not zero, and all differ from those around them. */
static void make_bytes(uint8_t *bytes)
{
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
        bytes[i] = i % 61 == 0 ? (uint8_t)(1 + i / 61 % 251) : 0;
    }
}

/* The array of one file in another one, in another layout. */
static void check_layout(const char *source, const char *copy, stoa_new_layout layout,
                         const uint8_t *bytes, uint8_t *found)
{
    static char path[] = "/x";
    stoa_relayout one = {.path = path, .layout = layout, .rank = 2, .chunk = {70, 130}};
    stoa_relayouts all = {.file = source, .items = &one, .n = 1};

    if (layout == STOA_LAYOUT_SPARSE) {
        all.exclude = "0";
    }
    repacks_run(source, copy, &all);
    const hid_t file = CHECK_H5(H5Fopen(copy, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    memset(found, 0xff, (size_t)ROWS * COLUMNS);
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, bytes, (size_t)ROWS * COLUMNS);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void elements_stay_in_their_place_where_they_are_taken_in_several_boxes(void)
{
    static char names[4][4096];
    uint8_t *const bytes = malloc((size_t)ROWS * COLUMNS);
    uint8_t *const found = malloc((size_t)ROWS * COLUMNS);

    CHECK(bytes != NULL && found != NULL);
    CHECK_OK(stoa_sparse_filter_register(NULL));
    make_bytes(bytes);
    for (int i = 0; i < 4; i++) {
        (void)snprintf(names[i], sizeof names[i], "%s",
                       check_path((const char[]){(char)('a' + i), 0}));
    }
    const hid_t file = CHECK_H5(H5Fcreate(names[0], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(2, (hsize_t[]){ROWS, COLUMNS}, NULL));
    make_dataset(file, "x", H5T_STD_U8LE, space, H5T_NATIVE_UINT8, bytes);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    check_layout(names[0], names[1], STOA_LAYOUT_CHUNKED, bytes, found);
    check_layout(names[1], names[2], STOA_LAYOUT_SPARSE, bytes, found);
    check_layout(names[2], names[3], STOA_LAYOUT_CHUNKED, bytes, found);
    free(found);
    free(bytes);
}

/* An index of chunks may be made for all that the maximal extent allows. */
static void a_maximal_extent_takes_no_room_in_any_format(void)
{
    static const H5F_libver_t lows[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST};
    static const stoa_new_layout layouts[] = {STOA_LAYOUT_AS_IS, STOA_LAYOUT_CHUNKED,
                                              STOA_LAYOUT_SPARSE};
    static char path[] = "/x";
    static char copy[4096];
    const hsize_t extent = 20;
    const hsize_t most = (hsize_t)1 << 20;
    int values[20];
    int found[20];

    CHECK_OK(stoa_sparse_filter_register(NULL));
    (void)snprintf(from, sizeof from, "%s", check_path("from.h5"));
    (void)snprintf(copy, sizeof copy, "%s", check_path("copy.h5"));
    for (int i = 0; i < 2; i++) {
        const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
        const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        CHECK_H5(H5Pset_libver_bounds(fapl, lows[i], H5F_LIBVER_LATEST));
        CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){10}));
        const hid_t file = CHECK_H5(H5Fcreate(from, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
        const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, &most));
        const hid_t dataset =
            CHECK_H5(H5Dcreate2(file, path, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        for (int k = 0; k < 20; k++) {
            values[k] = k + 1;
        }
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Fclose(file));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Pclose(fapl));
        for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
            stoa_relayout one = {.path = path, .layout = layouts[k], .has_filters = {false, true}};
            stoa_relayouts all = {.file = from, .items = &one, .n = 1};
            hsize_t size = 0;
            hsize_t is_most = 0;
            repacks_run(from, copy, &all);
            const hid_t new_file = CHECK_H5(H5Fopen(copy, H5F_ACC_RDONLY, H5P_DEFAULT));
            const hid_t x = CHECK_H5(H5Dopen2(new_file, path, H5P_DEFAULT));
            const hid_t shape = CHECK_H5(H5Dget_space(x));
            CHECK_H5(H5Sget_simple_extent_dims(shape, NULL, &is_most));
            CHECK_U64(is_most, most);
            CHECK_H5(H5Dread(x, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
            CHECK_MEM(found, values, sizeof values);
            CHECK_H5(H5Fget_filesize(new_file, &size));
            CHECK(size < 16384);
            CHECK_H5(H5Sclose(shape));
            CHECK_H5(H5Dclose(x));
            CHECK_H5(H5Fclose(new_file));
            CHECK_I64(remove(copy), 0);
        }
    }
}

/* The value becomes the fill value, of an enumeration as of a number. */
static void what_is_excluded_from_an_enumeration_reads_as_before(void)
{
    static char path[] = "/x";
    static const char *const names[] = {"a", "b", "c"};
    const int16_t codes[] = {7, 9, 300};
    const hsize_t extent[] = {3, 4};
    stoa_relayout one = {.path = path, .layout = STOA_LAYOUT_SPARSE, .rank = 2, .chunk = {2, 2}};
    stoa_relayouts all = {.file = from, .items = &one, .n = 1, .exclude = "b"};
    int16_t values[12];
    int16_t found[12] = {0};
    hssize_t n_defined = 0;

    (void)snprintf(from, sizeof from, "%s", check_path("a.h5"));
    (void)snprintf(to, sizeof to, "%s", check_path("b.h5"));
    CHECK_OK(stoa_sparse_filter_register(NULL));
    for (int i = 0; i < 12; i++) {
        values[i] = codes[i % 3];
        n_defined += i % 3 != 1;
    }
    const hid_t stored = CHECK_H5(H5Tenum_create(H5T_STD_I16BE));
    const hid_t native = CHECK_H5(H5Tenum_create(H5T_NATIVE_INT16));
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));
    hid_t file = CHECK_H5(H5Fcreate(from, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    for (int i = 0; i < 3; i++) {
        int16_t code = codes[i];
        CHECK_H5(H5Tenum_insert(native, names[i], &code));
        CHECK_H5(H5Tconvert(H5T_NATIVE_INT16, H5T_STD_I16BE, 1, &code, NULL, H5P_DEFAULT));
        CHECK_H5(H5Tenum_insert(stored, names[i], &code));
    }
    make_dataset(file, "x", stored, space, native, values);
    CHECK_H5(H5Fclose(file));
    repacks_run(from, to, &all);
    file = CHECK_H5(H5Fopen(to, H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_sparse *array = NULL;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    CHECK_OK(stoa_sparse_open(file, path, NULL, &array, NULL));
    CHECK_OK(stoa_sparse_describe(array, &info, NULL));
    CHECK_U64(info.n_defined, (uint64_t)n_defined);
    CHECK_H5(H5Dread(info.dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, values, sizeof values);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(native));
    CHECK_H5(H5Tclose(stored));
}

TEST_MAIN(TEST(what_is_excluded_from_an_enumeration_reads_as_before),
          TEST(memory_may_run_out_anywhere), TEST(a_maximal_extent_takes_no_room_in_any_format),
          TEST(elements_stay_in_their_place_where_they_are_taken_in_several_boxes))
