/* Encoded selections, against H5Sencode2() and H5Sdecode() themselves. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/rfc/encoded_selection.h"
#include "support/check.h"

enum { MOST = 4096 };

/* A dataset's shape, and one of its chunks. */
typedef struct place {
    stoa_shape shape;
    uint64_t offset[4];
    hsize_t end[4]; /* of the chunk, inside of the extent */
    hid_t space;
} place;

static place any_place(bool is_far)
{
    place p = {.space = H5I_INVALID_HID};
    const unsigned rank = 1 + (unsigned)check_random_below(4);
    uint64_t extent[4];
    uint64_t chunk[4];

    for (unsigned i = 0; i < rank; i++) {
        const uint64_t base = is_far && i == 0 ? UINT64_C(5000000000) : 0;
        extent[i] = base + 1 + check_random_below(rank == 1 ? 100 : 12);
        chunk[i] = 1 + check_random_below(rank == 1 ? 60 : 7);
    }
    CHECK_OK(stoa_shape_make(rank, extent, chunk, &p.shape, NULL));
    for (unsigned i = 0; i < rank; i++) {
        const uint64_t n = p.shape.grid[i];
        p.offset[i] = (is_far && i == 0 ? n - 1 : check_random_below(n)) * chunk[i];
        p.end[i] = p.offset[i] + chunk[i] < extent[i] ? p.offset[i] + chunk[i] : extent[i];
    }
    CHECK_H5(p.space = H5Screate_simple((int)rank, extent, NULL));
    return p;
}

/* Elements of a selection in libhdf5's order, as positions in the chunk. */
static size_t positions_of(const place *p, hid_t space, uint32_t *positions)
{
    static hsize_t firsts[MOST];
    static size_t lengths[MOST];
    size_t n_runs = 0;
    size_t n_elements = 0;
    size_t n = 0;
    const hid_t iterator = (hid_t)CHECK_H5(H5Ssel_iter_create(space, 1, 0));

    CHECK_H5(H5Ssel_iter_get_seq_list(iterator, MOST, MOST, &n_runs, &n_elements, firsts, lengths));
    for (size_t i = 0; i < n_runs; i++) {
        for (size_t j = 0; j < lengths[i]; j++) {
            uint64_t element = firsts[i] + j;
            uint64_t at[4];
            uint64_t position = 0;
            for (unsigned k = p->shape.rank; k-- > 0;) {
                at[k] = element % p->shape.extent[k];
                element /= p->shape.extent[k];
            }
            for (unsigned k = 0; k < p->shape.rank; k++) {
                position = position * p->shape.chunk[k] + (at[k] - p->offset[k]);
            }
            positions[n++] = (uint32_t)position;
        }
    }
    CHECK_H5(H5Ssel_iter_close(iterator));
    return n;
}

static void any_box(const place *p, H5S_seloper_t how)
{
    hsize_t start[4], stride[4], count[4], block[4];

    for (unsigned i = 0; i < p->shape.rank; i++) {
        start[i] = p->offset[i] + check_random_below(p->end[i] - p->offset[i]);
        block[i] = 1 + check_random_below(p->end[i] - start[i]);
        stride[i] = block[i] + check_random_below(3);
        count[i] = 1 + check_random_below((p->end[i] - start[i] - block[i]) / stride[i] + 1);
    }
    CHECK_H5(H5Sselect_hyperslab(p->space, how, start, stride, count, block));
}

static void any_points(const place *p)
{
    const size_t n = 1 + check_random_below(40);
    hsize_t points[40 * 4];

    for (size_t i = 0; i < n * p->shape.rank; i++) {
        const size_t k = i % p->shape.rank;
        points[i] = p->offset[k] + check_random_below(p->end[k] - p->offset[k]);
    }
    CHECK_H5(H5Sselect_elements(p->space, H5S_SELECT_SET, n, points));
}

static void any_selection(const place *p)
{
    switch (check_random_below(4)) {
    case 0:
        CHECK_H5(H5Sselect_none(p->space));
        break;
    case 1:
        any_points(p);
        break;
    case 2:
        any_box(p, H5S_SELECT_SET);
        break;
    default:
        any_box(p, H5S_SELECT_SET);
        any_box(p, H5S_SELECT_OR);
        any_box(p, H5S_SELECT_NOTB);
        any_box(p, H5S_SELECT_OR);
        break;
    }
}

/* As some version of libhdf5 writes it: the bounds of an access list choose the form. */
static size_t encoded(hid_t space, uint8_t *bytes)
{
    static const H5F_libver_t lows[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110,
                                        H5F_LIBVER_V112};
    const hid_t fapl = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    size_t n = 0;

    CHECK_H5(H5Pset_libver_bounds(fapl, lows[check_random_below(4)], H5F_LIBVER_LATEST));
    CHECK_H5(H5Sencode2(space, NULL, &n, fapl));
    CHECK(n <= MOST * 16);
    CHECK_H5(H5Sencode2(space, bytes, &n, fapl));
    CHECK_H5(H5Pclose(fapl));
    return n;
}

static void what_libhdf5_encodes_is_read(void)
{
    uint8_t *bytes = malloc(MOST * 16);
    uint32_t *expected = malloc(MOST * sizeof *expected);

    for (uint64_t i = 0; i < check_n_cases(3000); i++) {
        const place p = any_place(i % 3 == 0);
        stoa_error err = STOA_ERROR_INIT;
        uint32_t *found = NULL;
        size_t n = 0;
        any_selection(&p);
        const size_t n_expected = positions_of(&p, p.space, expected);
        const size_t n_bytes = encoded(p.space, bytes);
        uint8_t *exact = malloc(n_bytes); /* so that a memory checker sees its end */
        memcpy(exact, bytes, n_bytes);
        CHECK_OK(stoa_encoded_selection_read(&p.shape, p.offset, exact, n_bytes, &found, &n, &err),
                 &err);
        CHECK_U64(n, n_expected);
        CHECK_MEM(found, expected, n * sizeof *found);
        free(found);
        free(exact);
        CHECK_H5(H5Sclose(p.space));
    }
    free(expected);
    free(bytes);
}

static void what_is_written_libhdf5_decodes(void)
{
    uint32_t *expected = malloc(MOST * sizeof *expected);
    uint32_t *found = malloc(MOST * sizeof *found);

    for (uint64_t i = 0; i < check_n_cases(3000); i++) {
        const place p = any_place(i % 3 == 0);
        const uint64_t in_10 = check_random_below(11);
        stoa_buffer blob = {NULL, 0, 0};
        stoa_error err = STOA_ERROR_INIT;
        uint32_t *again = NULL;
        size_t n = 0;
        size_t n_again = 0;
        hsize_t extent[4];
        for (uint32_t at = 0; at < p.shape.n_elements; at++) {
            uint64_t rest = at;
            bool is_inside = true;
            for (unsigned k = p.shape.rank; k-- > 0;) {
                is_inside = is_inside && p.offset[k] + rest % p.shape.chunk[k] < p.end[k];
                rest /= p.shape.chunk[k];
            }
            if (is_inside && check_random_below(10) < in_10) {
                expected[n++] = at;
            }
        }
        CHECK_OK(stoa_encoded_selection_write(&p.shape, p.offset, expected, n, &blob, &err), &err);
        const hid_t space = (hid_t)CHECK_H5(H5Sdecode(blob.data));
        CHECK_I64(H5Sget_simple_extent_dims(space, extent, NULL), (int)p.shape.rank);
        CHECK_MEM(extent, p.shape.extent, p.shape.rank * sizeof *extent);
        CHECK(H5Sselect_valid(space) > 0);
        CHECK_U64(positions_of(&p, space, found), n);
        CHECK_MEM(found, expected, n * sizeof *found);
        CHECK_OK(stoa_encoded_selection_read(&p.shape, p.offset, blob.data, blob.size, &again,
                                             &n_again, &err),
                 &err);
        CHECK_U64(n_again, n);
        CHECK_MEM(again, expected, n * sizeof *again);
        free(again);
        stoa_buffer_clear(&blob);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Sclose(p.space));
    }
    free(found);
    free(expected);
}

/* Byte for byte what libhdf5 makes of the same points. */
static void points_are_encoded_as_libhdf5_does(void)
{
    const uint64_t extent[2] = {13, 10};
    const uint64_t chunk[2] = {4, 5};
    const uint64_t offset[2] = {4, 5};
    const uint32_t positions[2] = {3, 9}; /* (4, 8), (5, 9) */
    const hsize_t points[2][2] = {{4, 8}, {5, 9}};
    uint8_t expected[256];
    size_t n_expected = 0;
    stoa_shape shape;
    stoa_buffer blob = {NULL, 0, 0};
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, (const hsize_t[]){13, 10}, NULL));

    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 2, points[0]));
    CHECK_H5(H5Sencode2(space, NULL, &n_expected, H5P_DEFAULT));
    CHECK(n_expected <= sizeof expected);
    CHECK_H5(H5Sencode2(space, expected, &n_expected, H5P_DEFAULT));
    CHECK_OK(stoa_shape_make(2, extent, chunk, &shape, NULL));
    CHECK_OK(stoa_encoded_selection_write(&shape, offset, positions, 2, &blob, NULL));
    CHECK_U64(blob.size, n_expected);
    CHECK_MEM(blob.data, expected, n_expected);
    stoa_buffer_clear(&blob);
    CHECK_H5(H5Sclose(space));
}

/* Elements of an extent that lies within one chunk, row by row of the chunk. */
static void all_is_read_where_there_is_one_chunk(void)
{
    const uint64_t extent[2] = {2, 3};
    const uint64_t chunk[2] = {4, 5};
    const uint64_t offset[2] = {0, 0};
    stoa_shape shape;
    uint8_t bytes[512];
    uint32_t *found = NULL;
    size_t n = 0;
    stoa_error err = STOA_ERROR_INIT;
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, (const hsize_t[]){2, 3}, NULL));

    CHECK_OK(stoa_shape_make(2, extent, chunk, &shape, NULL));
    const size_t n_bytes = encoded(space, bytes);
    CHECK_OK(stoa_encoded_selection_read(&shape, offset, bytes, n_bytes, &found, &n, &err), &err);
    CHECK_U64(n, 6);
    CHECK_MEM(found, ((const uint32_t[]){0, 1, 2, 5, 6, 7}), 6 * sizeof *found);
    free(found);
    CHECK_H5(H5Sclose(space));
}

static void elements_of_other_chunks_are_refused(void)
{
    const uint64_t extent[2] = {13, 10};
    const uint64_t chunk[2] = {4, 5};
    const uint64_t offset[2] = {4, 5};
    stoa_shape shape;
    uint8_t bytes[512];
    uint32_t *found = NULL;
    size_t n = 0;
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, (const hsize_t[]){13, 10}, NULL));

    CHECK_OK(stoa_shape_make(2, extent, chunk, &shape, NULL));
    for (int i = 0; i < 4; i++) {
        const hsize_t point[2] = {3, 5};
        const hsize_t start[2] = {4, 4};
        const hsize_t count[2] = {2, 2};
        size_t n_bytes = sizeof bytes;
        switch (i) {
        case 0:
            CHECK_H5(H5Sselect_all(space));
            break;
        case 1:
            CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, point));
            break;
        default:
            CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
            break;
        }
        const hid_t fapl = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
        CHECK_H5(H5Pset_libver_bounds(fapl, i == 3 ? H5F_LIBVER_V112 : H5F_LIBVER_EARLIEST,
                                      H5F_LIBVER_LATEST));
        CHECK_H5(H5Sencode2(space, bytes, &n_bytes, fapl));
        CHECK_H5(H5Pclose(fapl));
        CHECK_STATUS(STOA_ERANGE,
                     stoa_encoded_selection_read(&shape, offset, bytes, n_bytes, &found, &n, NULL));
        CHECK(found == NULL);
    }
    CHECK_H5(H5Sclose(space));
}

/* Two blocks as H5Sencode2() writes them, in 32 bits each; then the first is all of the chunk. */
static void blocks_of_more_elements_than_a_chunk_has_are_refused(void)
{
    const uint64_t extent = 8;
    const uint64_t offset = 0;
    stoa_shape shape;
    uint8_t bytes[512];
    size_t n_bytes = 0;
    uint32_t *found = NULL;
    size_t n = 0;
    stoa_error err = STOA_ERROR_INIT;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){8}, NULL));
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_OK(stoa_shape_make(1, &extent, &extent, &shape, NULL));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST));
    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){0}, NULL, &(hsize_t){2}, NULL));
    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_OR, &(hsize_t){4}, NULL, &(hsize_t){1}, NULL));
    CHECK_H5(H5Sencode2(space, NULL, &n_bytes, fapl));
    CHECK(n_bytes <= sizeof bytes);
    CHECK_H5(H5Sencode2(space, bytes, &n_bytes, fapl));
    CHECK_OK(stoa_encoded_selection_read(&shape, &offset, bytes, n_bytes, &found, &n, &err), &err);
    CHECK_U64(n, 3);
    free(found);
    found = NULL;
    CHECK_MEM(bytes + n_bytes - 16, "\0\0\0\0\1\0\0\0\4\0\0\0\4\0\0\0", 16);
    bytes[n_bytes - 12] = 7; /* where the first block ends */
    CHECK_STATUS(STOA_ERANGE,
                 stoa_encoded_selection_read(&shape, &offset, bytes, n_bytes, &found, &n, &err));
    CHECK_CONTAINS(err.message, "more elements than a chunk has");
    CHECK(found == NULL);
    CHECK_H5(H5Pclose(fapl));
    CHECK_H5(H5Sclose(space));
}

/* Cut off and changed bytes: an error, or elements of the chunk. */
static void no_bytes_do_harm(void)
{
    uint8_t *bytes = malloc(MOST * 16);

    for (uint64_t i = 0; i < check_n_cases(3000); i++) {
        const place p = any_place(i % 3 == 0);
        uint32_t *found = NULL;
        size_t n = 0;
        any_selection(&p);
        const size_t n_all = encoded(p.space, bytes);
        const size_t n_bytes = i % 2 == 0 ? check_random_below(n_all) : n_all;
        uint8_t *exact = malloc(n_bytes + (n_bytes == 0));
        memcpy(exact, bytes, n_bytes);
        for (uint64_t j = 0; i % 2 != 0 && j < 1 + check_random_below(4); j++) {
            exact[check_random_below(n_bytes)] = (uint8_t)check_random();
        }
        const stoa_status status =
            stoa_encoded_selection_read(&p.shape, p.offset, exact, n_bytes, &found, &n, NULL);
        CHECK(status == STOA_OK || status == STOA_EDATA || status == STOA_ERANGE);
        if (i % 2 == 0 && status == STOA_OK) { /* of "nothing", the last bytes say nothing */
            CHECK_U64(n, 0);
        }
        for (size_t j = 0; j < n; j++) {
            CHECK(found[j] < p.shape.n_elements);
        }
        free(found);
        free(exact);
        CHECK_H5(H5Sclose(p.space));
    }
    free(bytes);
}

TEST_MAIN(TEST(what_libhdf5_encodes_is_read), TEST(what_is_written_libhdf5_decodes),
          TEST(points_are_encoded_as_libhdf5_does), TEST(all_is_read_where_there_is_one_chunk),
          TEST(elements_of_other_chunks_are_refused),
          TEST(blocks_of_more_elements_than_a_chunk_has_are_refused), TEST(no_bytes_do_harm))
