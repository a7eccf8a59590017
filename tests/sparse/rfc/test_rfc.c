/* Datasets through the RFC's calls: under the connector, and opened by libhdf5 itself. The data is
 * the RFC's matrix of 13 x 10 elements, in chunks of 4 x 5 (RFC §1, figures 1 to 3). */
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <string.h>

#include "sparse/fails.h"
#include "support/check.h"

static const hsize_t extent[2] = {13, 10};
static const hsize_t chunk[2] = {4, 5};

/* Row-major, as RFC §4.1 tells: two blocks and three points; (6, 1) is defined, and 0. */
enum { N = 24 };
static const unsigned elements[N] = {22, 23, 24, 25, 26, 27, 32, 33, 34, 35, 36,  37,
                                     42, 43, 44, 45, 46, 47, 59, 60, 61, 62, 111, 128};
static const short values[N] = {66,  69,  72,  75,  78,  81,  96, 99,  102, 105,  108, 111,
                                126, 129, 132, 135, 138, 141, 2,  100, 0,   -100, 1,   3};

static hid_t file_space(void)
{
    hsize_t points[N][2];
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, extent, NULL));

    for (int i = 0; i < N; i++) {
        points[i][0] = elements[i] / 10;
        points[i][1] = elements[i] % 10;
    }
    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, N, points[0]));
    return space;
}

static hid_t new_dataset(hid_t file, const char *name, hid_t dcpl)
{
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, extent, NULL));
    const hid_t dset = (hid_t)CHECK_H5(
        H5Dcreate(file, name, H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK_H5(H5Sclose(space));
    return dset;
}

static hid_t filtered_list(void)
{
    const unsigned level = 6;
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK));
    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_SELECTION, H5Z_FILTER_DEFLATE, 0, 1, &level));
    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_SHUFFLE, 0, 0, NULL));
    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, 0, 1, &level));
    return dcpl;
}

/* The matrix in a file, by H5Dwrite() under the connector. */
static const char *matrix_file(void)
{
    const char *path = check_path("matrix.h5");
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dcpl = filtered_list();
    const hid_t dset = new_dataset(file, "Sparse", dcpl);
    const hid_t space = file_space();
    const hid_t memory = (hid_t)CHECK_H5(H5Screate_simple(1, (const hsize_t[]){N}, NULL));

    CHECK_H5(H5Dwrite(dset, H5T_NATIVE_SHORT, memory, space, H5P_DEFAULT, values));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
    return path;
}

static hid_t opened(const char *path, bool connected)
{
    return (hid_t)CHECK_H5(connected ? H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT)
                                     : (H5Fopen)(path, H5F_ACC_RDWR, H5P_DEFAULT));
}

/* A selection's elements, as row-major numbers. */
static size_t elements_of(hid_t space, unsigned *found)
{
    unsigned numbers[130];
    const hssize_t n = (hssize_t)CHECK_H5(H5Sget_select_npoints(space));

    for (unsigned i = 0; i < 130; i++) {
        numbers[i] = i;
    }
    if (n > 0) {
        CHECK_H5(H5Dgather(space, numbers, H5T_NATIVE_UINT, (size_t)n * sizeof *found, found, NULL,
                           NULL));
    }
    return (size_t)n;
}

static void check_defined(hid_t dset, hid_t among, const unsigned *expected, size_t n)
{
    unsigned found[130];
    const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(dset, among, H5P_DEFAULT));

    CHECK_U64(elements_of(space, found), n);
    CHECK_MEM(found, expected, n * sizeof *found);
    CHECK_H5(H5Sclose(space));
}

static void the_defined_elements_are_those_written(void)
{
    const char *path = matrix_file();

    for (int connected = 0; connected < 2; connected++) {
        const hid_t file = opened(path, connected);
        const hid_t dset = (hid_t)CHECK_H5(H5Dopen(file, "Sparse", H5P_DEFAULT));
        const hid_t box = (hid_t)CHECK_H5(H5Screate_simple(2, extent, NULL));
        const hsize_t start[2] = {3, 5};
        const hsize_t count[2] = {4, 5};
        const hsize_t points[3][2] = {{12, 8}, {0, 0}, {2, 2}};
        short found[N];
        check_defined(dset, H5S_ALL, elements, N);
        CHECK_H5(H5Sselect_hyperslab(box, H5S_SELECT_SET, start, NULL, count, NULL));
        check_defined(dset, box, (const unsigned[]){35, 36, 37, 45, 46, 47, 59}, 7);
        CHECK_H5(H5Sselect_elements(box, H5S_SELECT_SET, 3, points[0]));
        check_defined(dset, box, (const unsigned[]){22, 128}, 2);
        CHECK_H5(H5Sselect_none(box));
        check_defined(dset, box, NULL, 0);
        CHECK_H5(H5Sclose(box));

        /* Read through it, as RFC §2 lays out. */
        const hid_t space = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
        const hid_t memory = (hid_t)CHECK_H5(H5Screate_simple(1, (const hsize_t[]){N}, NULL));
        CHECK_H5(H5Dread(dset, H5T_NATIVE_SHORT, memory, space, H5P_DEFAULT, found));
        CHECK_MEM(found, values, sizeof values);
        CHECK_H5(H5Sclose(memory));
        CHECK_H5(H5Sclose(space));
        for (int kind = STOA_DEFINED_BLOCKS; kind <= STOA_DEFINED_POINTS; kind++) {
            const hid_t made = (hid_t)CHECK_H5(
                stoa_h5d_get_defined(dset, H5S_ALL, H5P_DEFAULT, (stoa_defined_kind)kind));
            CHECK(H5Sget_select_type(made) ==
                  (kind == STOA_DEFINED_BLOCKS ? H5S_SEL_HYPERSLABS : H5S_SEL_POINTS));
            CHECK_I64(H5Sget_select_npoints(made), N);
            CHECK_H5(H5Sclose(made));
        }
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
    }
}

static void erased_elements_read_as_the_fill_value(void)
{
    for (int connected = 0; connected < 2; connected++) {
        const hid_t file = opened(matrix_file(), connected);
        hid_t dset = (hid_t)CHECK_H5(H5Dopen(file, "Sparse", H5P_DEFAULT));
        const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, extent, NULL));
        const hsize_t start[2] = {0, 0};
        const hsize_t count[2] = {5, 10};
        const hsize_t points[3][2] = {{12, 8}, {0, 0}, {6, 1}};
        short found[13][10];
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
        CHECK_H5(H5Derase(dset, space, H5P_DEFAULT));
        CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 3, points[0]));
        CHECK_H5(H5Derase(dset, space, H5P_DEFAULT));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(dset = H5Dopen(file, "Sparse", H5P_DEFAULT));
        check_defined(dset, H5S_ALL, (const unsigned[]){59, 60, 62, 111}, 4);
        CHECK_H5(H5Dread(dset, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        for (int i = 0; i < 130; i++) {
            const short expected =
                i == 59 ? 2 : (i == 60 ? 100 : (i == 62 ? -100 : (i == 111 ? 1 : 0)));
            CHECK_I64(found[i / 10][i % 10], expected);
        }
        CHECK_H5(H5Derase(dset, H5S_ALL, H5P_DEFAULT));
        check_defined(dset, H5S_ALL, NULL, 0);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
    }
}

static void dense_datasets_are_all_defined_and_not_erased(void)
{
    for (int connected = 0; connected < 2; connected++) {
        const hid_t file = opened(matrix_file(), connected);
        const hid_t dset = new_dataset(file, "dense", H5P_DEFAULT);
        const hid_t space = file_space();
        hid_t defined = (hid_t)CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
        unsigned found[130];
        CHECK_I64(H5Sget_select_npoints(defined), 130);
        CHECK_H5(H5Sclose(defined));
        CHECK_H5(defined = H5Dget_defined(dset, space, H5P_DEFAULT));
        CHECK_U64(elements_of(defined, found), N);
        CHECK_MEM(found, elements, sizeof elements);
        CHECK_H5(H5Sclose(defined));
        CHECK_FAILS(H5Derase(dset, H5S_ALL, H5P_DEFAULT));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
    }
}

/* --- structured chunks as such --------------------------------------------------------------- */

/* Read by the sizes that are told first, and written into another dataset. */
static void copy_chunk(hid_t from, hid_t to, const hsize_t *offset, bool as_revision_18)
{
    uint16_t mask[2];
    size_t size[2];
    size_t original[2];
    H5D_struct_chunk_info_t info = {
        .filter_mask = mask, .section_size = size, .section_orig_size = original};
    void *buffers[2] = {NULL, NULL};

    CHECK_H5(H5Dread_struct_chunk(from, H5P_DEFAULT, offset, &info, NULL));
    CHECK_U64(info.num_sections, 2);
    for (int i = 0; i < 2; i++) {
        CHECK(size[i] > 0);
        buffers[i] = malloc(size[i]);
    }
    CHECK_H5(H5Dread_struct_chunk(from, H5P_DEFAULT, offset, &info, buffers));
    if (as_revision_18) {
        CHECK_H5(H5Dwrite_struct_chunk(to, H5P_DEFAULT, &info, offset, buffers));
    } else {
        CHECK_H5(H5Dwrite_struct_chunk(to, H5P_DEFAULT, offset, &info, buffers));
    }
    free(buffers[0]);
    free(buffers[1]);
}

/* What the iterator saw. */
typedef struct seen {
    unsigned n;
    hsize_t offsets[16][2];
    size_t original[16][2];
    haddr_t addresses[16];
    hsize_t sizes[16];
} seen;

static int see(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *address,
               hsize_t *size, void *op_data)
{
    seen *s = op_data;

    CHECK(s->n < 16);
    CHECK(info->type == H5D_STRUCT_CHUNK);
    CHECK_U64(info->num_sections, 2);
    memcpy(s->offsets[s->n], offset, 2 * sizeof *offset);
    memcpy(s->original[s->n], info->section_orig_size, 2 * sizeof(size_t));
    s->addresses[s->n] = *address;
    s->sizes[s->n++] = *size;
    return 0;
}

static int stop(const hsize_t *offset, H5D_struct_chunk_info_t *info, haddr_t *address,
                hsize_t *size, void *op_data)
{
    (void)offset, (void)info, (void)address, (void)size;
    return ++*(int *)op_data == 2 ? 42 : 0;
}

static void chunks_are_copied_with_their_filters(void)
{
    for (int connected = 0; connected < 2; connected++) {
        const hid_t file = opened(matrix_file(), connected);
        const hid_t from = (hid_t)CHECK_H5(H5Dopen(file, "Sparse", H5P_DEFAULT));
        const hid_t dcpl = filtered_list();
        const hid_t to = new_dataset(file, "copy", dcpl);
        short one[130];
        short other[130];
        seen s = {.n = 0};
        CHECK_H5(H5Dstruct_chunk_iter(from, H5P_DEFAULT, see, &s));
        CHECK_U64(s.n, 6); /* none at (8, 5) and (12, 0) */
        for (unsigned i = 0; i < s.n; i++) {
            copy_chunk(from, to, s.offsets[i], i % 2 == 0);
        }
        check_defined(to, H5S_ALL, elements, N);
        CHECK_H5(H5Dread(from, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, one));
        CHECK_H5(H5Dread(to, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, other));
        CHECK_MEM(other, one, sizeof one);
        CHECK_H5(H5Dclose(to));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Dclose(from));
        CHECK_H5(H5Fclose(file));
    }
}

static void chunks_are_looked_up_in_every_way(void)
{
    for (int connected = 0; connected < 2; connected++) {
        const hid_t file = opened(matrix_file(), connected);
        const hid_t dset = (hid_t)CHECK_H5(H5Dopen(file, "Sparse", H5P_DEFAULT));
        const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, extent, NULL));
        const hsize_t nowhere[2] = {8, 5};
        const hsize_t start[2] = {5, 0};
        const hsize_t count[2] = {8, 1};
        H5D_struct_chunk_info_t info; /* as the RFC's callers have it: nothing set */
        H5D_struct_chunk_info_t untouched = {.num_sections = 77};
        haddr_t address = 0;
        hsize_t size = 0;
        hsize_t offset[2];
        hsize_t n_chunks = 0;
        int n_calls = 0;
        seen s = {.n = 0};
        CHECK_H5(H5Dstruct_chunk_iter(dset, H5P_DEFAULT, see, &s));
        CHECK_H5(H5Dget_num_chunks(dset, H5S_ALL, &n_chunks));
        CHECK_U64(n_chunks, s.n);
        for (unsigned i = 0; i < s.n; i++) {
            CHECK_H5(H5Dget_struct_chunk_info_by_coord(dset, s.offsets[i], &info, &address, &size));
            CHECK_U64(info.num_sections, 2);
            CHECK_MEM(info.section_orig_size, s.original[i], 2 * sizeof(size_t));
            CHECK_U64(info.filter_mask[1] & ~2u, 0); /* deflate may be left out: 12 bytes */
            CHECK_U64(address, s.addresses[i]);
            CHECK_U64(size, s.sizes[i]);
            CHECK_H5(H5Dget_chunk_storage_size(dset, s.offsets[i], &n_chunks));
            CHECK_U64(size, n_chunks);
        }
        /* In row-major order; the first is the RFC's table 2: 6 values of 2 bytes. */
        CHECK_H5(H5Dget_struct_chunk_info(dset, H5S_ALL, 0, offset, &info, &address, &size));
        CHECK_U64(offset[0], 0);
        CHECK_U64(offset[1], 0);
        CHECK_U64(info.section_orig_size[1], 12);
        CHECK_H5(H5Dget_struct_chunk_info(dset, H5S_ALL, 5, offset, NULL, NULL, NULL));
        CHECK_U64(offset[0], 12);
        CHECK_U64(offset[1], 5);
        CHECK_FAILS(H5Dget_struct_chunk_info(dset, H5S_ALL, 6, offset, &info, &address, &size));
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
        CHECK_H5(H5Dget_struct_chunk_info(dset, space, 1, offset, NULL, NULL, NULL));
        CHECK_U64(offset[0], 8);
        CHECK_U64(offset[1], 0);
        CHECK_FAILS(H5Dget_struct_chunk_info(dset, space, 2, offset, NULL, NULL, NULL));

        CHECK_H5(H5Dget_struct_chunk_info_by_coord(dset, nowhere, &untouched, &address, &size));
        CHECK_U64(untouched.num_sections, 77);
        CHECK(address == HADDR_UNDEF);
        CHECK_U64(size, 0);
        CHECK_FAILS(H5Dread_struct_chunk(dset, H5P_DEFAULT, nowhere, &untouched, NULL));
        CHECK_I64(H5Dstruct_chunk_iter(dset, H5P_DEFAULT, stop, &n_calls), 42);
        CHECK_I64(n_calls, 2);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
    }
}

/* Points in any order, with repetitions: the later value wins, as in H5Dwrite(). */
static void a_chunk_is_written_from_an_encoded_selection(void)
{
    const hsize_t points[4][2] = {{6, 7}, {4, 5}, {6, 7}, {5, 9}};
    const short given[4] = {1, 2, 3, 4};
    const hsize_t offset[2] = {4, 5};
    const uint16_t no_mask[2] = {0, 0};

    for (int connected = 0; connected < 2; connected++) {
        const hid_t file = opened(matrix_file(), connected);
        const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        CHECK_H5(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK));
        const hid_t dset = new_dataset(file, "direct", dcpl);
        const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, extent, NULL));
        uint8_t blob[512];
        size_t size[2] = {0, sizeof given};
        short found[13][10];
        void *buffers[2] = {blob, (void *)(uintptr_t)given};
        H5D_struct_chunk_info_t info = {.type = H5D_STRUCT_CHUNK,
                                        .num_sections = 2,
                                        .filter_mask = (uint16_t *)(uintptr_t)no_mask,
                                        .section_size = size,
                                        .section_orig_size = size};
        CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 4, points[0]));
        CHECK_H5(H5Sencode2(space, NULL, &size[0], H5P_DEFAULT));
        CHECK(size[0] <= sizeof blob);
        CHECK_H5(H5Sencode2(space, blob, &size[0], H5P_DEFAULT));
        CHECK_H5(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &info, buffers));
        check_defined(dset, H5S_ALL, (const unsigned[]){45, 59, 67}, 3);
        CHECK_H5(H5Dread(dset, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_I64(found[4][5], 2);
        CHECK_I64(found[5][9], 4);
        CHECK_I64(found[6][7], 3);

        /* What makes no sense is refused, and changes nothing. */
        const hsize_t elsewhere[2] = {0, 0};
        const hsize_t between[2] = {4, 4};
        const hsize_t beyond[2] = {16, 0};
        CHECK_FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, elsewhere, &info, buffers));
        CHECK_FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, between, &info, buffers));
        CHECK_FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, beyond, &info, buffers));
        size[1] = 6;
        CHECK_FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &info, buffers));
        size[1] = sizeof given;
        info.num_sections = 3;
        CHECK_FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &info, buffers));
        info.num_sections = 2;
        size[0] = 20;
        CHECK_FAILS(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &info, buffers));
        check_defined(dset, H5S_ALL, (const unsigned[]){45, 59, 67}, 3);
        size[0] = 0;
        size[1] = 0; /* no element */
        CHECK_H5(H5Dwrite_struct_chunk(dset, H5P_DEFAULT, offset, &info, buffers));
        check_defined(dset, H5S_ALL, NULL, 0);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Fclose(file));
    }
}

static int see_nothing(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size,
                       void *op_data)
{
    (void)offset, (void)mask, (void)address, (void)size, (void)op_data;
    return 0;
}

/* RFC §2.2.7. */
static void calls_on_dense_chunks_fail(void)
{
    for (int connected = 0; connected < 2; connected++) {
        const hid_t file = opened(matrix_file(), connected);
        const hid_t dset = (hid_t)CHECK_H5(H5Dopen(file, "Sparse", H5P_DEFAULT));
        const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        CHECK_H5(H5Pset_chunk(dcpl, 2, chunk));
        const hid_t dense = new_dataset(file, "dense", dcpl);
        const hsize_t offset[2] = {0, 0};
        short bytes[20] = {7};
        hsize_t found[2];
        unsigned mask = 0;
        haddr_t address = 0;
        hsize_t size = 0;
        CHECK_FAILS(H5Dwrite_chunk(dset, H5P_DEFAULT, 0, offset, sizeof bytes, bytes));
        CHECK_FAILS(H5Dget_chunk_info(dset, H5S_ALL, 0, found, &mask, &address, &size));
        CHECK_FAILS(H5Dget_chunk_info_by_coord(dset, offset, &mask, &address, &size));
        CHECK_FAILS(H5Dchunk_iter(dset, H5P_DEFAULT, see_nothing, NULL));
        check_defined(dset, H5S_ALL, elements, N);
        CHECK_H5(H5Dwrite_chunk(dense, H5P_DEFAULT, 0, offset, sizeof bytes, bytes));
        CHECK_H5(H5Dget_chunk_info(dense, H5S_ALL, 0, found, &mask, &address, &size));
        CHECK_H5(H5Dget_chunk_info_by_coord(dense, offset, &mask, &address, &size));
        CHECK_U64(size, sizeof bytes);
        CHECK_H5(H5Dchunk_iter(dense, H5P_DEFAULT, see_nothing, NULL));
        CHECK_H5(H5Dclose(dense));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
    }
}

static void what_is_no_dataset_is_an_error(void)
{
    const hsize_t offset[2] = {0, 0};
    H5D_struct_chunk_info_t info = {.num_sections = 2};
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, extent, NULL));

    CHECK_FAILS(H5Dget_defined(space, H5S_ALL, H5P_DEFAULT));
    CHECK_FAILS(H5Derase(H5I_INVALID_HID, H5S_ALL, H5P_DEFAULT));
    CHECK_FAILS(H5Dread_struct_chunk(space, H5P_DEFAULT, offset, &info, NULL));
    CHECK_FAILS(H5Dstruct_chunk_iter(space, H5P_DEFAULT, see, NULL));
    CHECK_FAILS(H5Fopen("/nowhere/at/all.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
}

TEST_MAIN(TEST(the_defined_elements_are_those_written),
          TEST(erased_elements_read_as_the_fill_value),
          TEST(dense_datasets_are_all_defined_and_not_erased),
          TEST(chunks_are_copied_with_their_filters), TEST(chunks_are_looked_up_in_every_way),
          TEST(a_chunk_is_written_from_an_encoded_selection), TEST(calls_on_dense_chunks_fail),
          TEST(what_is_no_dataset_is_an_error))
