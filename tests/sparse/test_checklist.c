/*
 * What of the sparse fact sheet's checklist (§11) no other file of this directory tests: the same
 * chunks with and without the connector (1), filters that fail (5), every state of the fill value
 * (7), a stock reader after a flush (8), a million elements (10).
 */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <stoa/sparse.h>
#include <string.h>

#include "hdf/chunk/chunk_list.h"
#include "sparse/fails.h"
#include "support/check.h"

static const hsize_t extent[2] = {20, 30};
static const hsize_t chunk[2] = {8, 7};

static hid_t structured(void)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK));
    return dcpl;
}

static hid_t made(const char *path, bool connected)
{
    return CHECK_H5(connected ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                              : (H5Fcreate)(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

static hid_t dataset_of(hid_t file, hid_t dcpl)
{
    const hsize_t most[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, most));
    const hid_t dset =
        CHECK_H5(H5Dcreate(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK_H5(H5Sclose(space));
    return dset;
}

static size_t n_defined(hid_t dset)
{
    const hid_t space = CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
    const hssize_t n = CHECK_H5(H5Sget_select_npoints(space));

    CHECK_H5(H5Sclose(space));
    return (size_t)n;
}

/* A box of values; every seventh is 0, the fill value, where `has_fill`. */
static void write_box(hid_t dset, bool has_fill)
{
    const hsize_t start[2] = {3, 5};
    const hsize_t count[2] = {12, 20};
    const hid_t space = CHECK_H5(H5Dget_space(dset));
    const hid_t memory = CHECK_H5(H5Screate_simple(2, count, NULL));
    int values[240];

    for (int i = 0; i < 240; i++) {
        values[i] = has_fill && i % 7 == 0 ? 0 : i + 1;
    }
    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    CHECK_H5(H5Dwrite(dset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
}

/* --- with and without the connector ---------------------------------------------------------- */

/* A chunk's bytes as they lie in the file; empty where it is not stored. */
static size_t bytes_of(hid_t dset, hsize_t row, hsize_t column, uint8_t *bytes)
{
    const hsize_t offset[2] = {row, column};
    hsize_t n = 0;
    uint32_t mask = 0;
    herr_t known = 0;

    H5E_BEGIN_TRY
    {
        known = H5Dget_chunk_storage_size(dset, offset, &n);
    }
    H5E_END_TRY
    if (known < 0 || n == 0) {
        return 0;
    }
    CHECK(n < 4096);
    CHECK_H5(stoa_raw_chunk_read(dset, offset, (size_t)n, bytes, &mask));
    return (size_t)n;
}

static void a_plain_program_writes_the_same_chunks_with_and_without_the_connector(void)
{
    const char *paths[2] = {check_path("with.h5"), check_path("without.h5")};

    for (unsigned i = 0; i < 2; i++) {
        const hid_t file = made(paths[i], i == 0);
        const hid_t dcpl = structured();
        const hid_t dset = dataset_of(file, dcpl);
        write_box(dset, false);
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Fclose(file));
    }
    const hid_t one = CHECK_H5((H5Fopen)(paths[0], H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t other = CHECK_H5((H5Fopen)(paths[1], H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t a = CHECK_H5(H5Dopen(one, "d", H5P_DEFAULT));
    const hid_t b = CHECK_H5(H5Dopen(other, "d", H5P_DEFAULT));
    size_t n_stored = 0;
    for (hsize_t row = 0; row < extent[0]; row += chunk[0]) {
        for (hsize_t column = 0; column < extent[1]; column += chunk[1]) {
            uint8_t of_a[4096];
            uint8_t of_b[4096];
            const size_t n = bytes_of(a, row, column, of_a);
            CHECK_U64(bytes_of(b, row, column, of_b), n);
            CHECK_MEM(of_a, of_b, n);
            n_stored += n > 0;
        }
    }
    CHECK_U64(n_stored, 8); /* two rows of four; not the last row and column */
    CHECK_H5(H5Dclose(b));
    CHECK_H5(H5Dclose(a));
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(one));
}

static void explicit_fill_values_are_kept_with_the_connector_alone(void)
{
    for (unsigned connected = 0; connected < 2; connected++) {
        const char *path = check_path("a.h5");
        hid_t file = made(path, connected != 0);
        const hid_t dcpl = structured();
        hid_t dset = dataset_of(file, dcpl);
        write_box(dset, true);
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Fclose(file));
        file = CHECK_H5((H5Fopen)(path, H5F_ACC_RDONLY, H5P_DEFAULT));
        dset = CHECK_H5(H5Dopen(file, "d", H5P_DEFAULT));
        CHECK_U64(n_defined(dset), connected != 0 ? 240 : 240 - 35);
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
    }
}

/* As the file lies there: libhdf5 1.14 cannot close a file that one process has open natively and
 * under a connector that passes through. */
static void a_stock_reader_sees_what_was_flushed(void)
{
    const char *path = check_path("a.h5");
    const char *copy = check_path("copy.h5");
    const hid_t file = made(path, true);
    const hid_t dcpl = structured();
    const hid_t dset = dataset_of(file, dcpl);
    int found[20][30];

    for (unsigned i = 0; i < 2; i++) {
        write_box(dset, i == 1);
        CHECK_H5(H5Fflush(file, i == 0 ? H5F_SCOPE_GLOBAL : H5F_SCOPE_LOCAL));
        check_copy_file(path, copy);
        const hid_t stock = CHECK_H5((H5Fopen)(copy, H5F_ACC_RDONLY, H5P_DEFAULT));
        const hid_t seen = CHECK_H5((H5Dopen2)(stock, "d", H5P_DEFAULT));
        CHECK_H5((H5Dread)(seen, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_I64(found[3][5], i == 1 ? 0 : 1);
        CHECK_I64(found[14][24], 240);
        CHECK_I64(found[15][24], 0);
        CHECK_H5((H5Dclose)(seen));
        CHECK_H5((H5Fclose)(stock));
    }
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
}

/* --- filters that fail ----------------------------------------------------------------------- */

enum { FAILING = 301 };

static size_t fail(unsigned flags, size_t n_values, const unsigned values[], size_t n_bytes,
                   size_t *size, void **buf)
{
    (void)n_values;
    (void)values;
    (void)size;
    (void)buf;
    return (flags & H5Z_FLAG_REVERSE) != 0 ? n_bytes : 0;
}

static const H5Z_class2_t failing = {
    H5Z_CLASS_T_VERS, FAILING, 1, 1, "fails", NULL, NULL, fail,
};

static hid_t failing_list(unsigned flags)
{
    const unsigned level = 1;
    const hid_t dcpl = structured();

    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_SHUFFLE, 0U, 0, NULL));
    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, FAILING, flags, 0, NULL));
    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, 0U, 1, &level));
    return dcpl;
}

static void an_optional_filter_that_fails_is_left_out(void)
{
    const hsize_t offset[2] = {8, 7};
    const char *path = check_path("a.h5");

    CHECK_H5(H5Zregister(&failing));
    for (unsigned connected = 0; connected < 2; connected++) {
        hid_t file = made(path, connected != 0);
        const hid_t dcpl = failing_list(H5Z_FLAG_OPTIONAL);
        hid_t dset = dataset_of(file, dcpl);
        int found[20][30];
        H5D_struct_chunk_info_t info;
        haddr_t address = 0;
        hsize_t n = 0;
        write_box(dset, false);
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Fclose(file));
        file = CHECK_H5((H5Fopen)(path, H5F_ACC_RDONLY, H5P_DEFAULT));
        dset = CHECK_H5(H5Dopen(file, "d", H5P_DEFAULT));
        CHECK_H5(H5Dget_struct_chunk_info_by_coord(dset, offset, &info, &address, &n));
        CHECK_U64(info.filter_mask[1], 2);
        CHECK_H5(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_I64(found[14][24], 240);
        CHECK_U64(n_defined(dset), 240);
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Zunregister(FAILING));
}

static void a_mandatory_filter_that_fails_is_an_error(void)
{
    const uint64_t place[2] = {3, 3};
    const int value = 3;
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;
    const hid_t dcpl = failing_list(H5Z_FLAG_MANDATORY);

    CHECK_H5(H5Zregister(&failing));
    const hid_t file = made(check_path("a.h5"), false);
    const hid_t dset = dataset_of(file, dcpl);
    CHECK_OK(stoa_sparse_open_dataset(dset, NULL, &array, &err), &err);
    stoa_status status = stoa_sparse_write(array, 1, place, &value, H5T_NATIVE_INT, &err);
    if (status == STOA_OK) {
        status = stoa_sparse_flush(array, &err);
    }
    CHECK_STATUS(STOA_EHDF5, status);
    stoa_sparse_close(array);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Zunregister(FAILING));
}

/* --- filters of HDF5 (5) --------------------------------------------------------------------- */

/* Every one that libhdf5 has of its own, and those that Stoa knows besides (sparse fact sheet
 * §2.6), as H5Pset_filter2() takes them. */
typedef struct pipeline {
    H5Z_filter_t first;
    H5Z_filter_t second; /* 0: none */
    size_t n_values;     /* of the last one */
    unsigned values[2];
} pipeline;

static const pipeline pipelines[] = {
    {0, 0, 0, {0}},
    {H5Z_FILTER_DEFLATE, 0, 1, {6}},
    {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, 1, {1}},
    {H5Z_FILTER_FLETCHER32, 0, 0, {0}},
    {H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32, 0, {0}},
    {H5Z_FILTER_SZIP, 0, 2, {H5_SZIP_NN_OPTION_MASK, 4}},
    {H5Z_FILTER_SHUFFLE, H5Z_FILTER_SZIP, 2, {H5_SZIP_EC_OPTION_MASK, 8}},
    {H5Z_FILTER_SCALEOFFSET, 0, 2, {H5Z_SO_INT, 0}},
    {H5Z_FILTER_NBIT, 0, 0, {0}},
    {32015, 0, 1, {3}}, /* zstd */
    {32004, 0, 0, {0}}, /* lz4 */
};

static const unsigned deflate_level = 6;

/* szip takes no section of fewer elements than its blocks have, and the plain H5Pset_szip() makes
 * it optional, too. */
static hid_t filtered_list(const pipeline *p, H5_section_type_t section)
{
    const hid_t dcpl = structured();
    const H5Z_filter_t last = p->second != 0 ? p->second : p->first;
    const unsigned flags = last == H5Z_FILTER_SZIP ? H5Z_FLAG_OPTIONAL : 0;
    const bool has_level = p->first == H5Z_FILTER_DEFLATE;

    if (p->second != 0) {
        CHECK_H5(H5Pset_filter2(dcpl, section, p->first, 0U, has_level ? 1 : 0,
                                has_level ? &deflate_level : NULL));
    }
    if (last != 0) {
        CHECK_H5(H5Pset_filter2(dcpl, section, last, flags, p->n_values, p->values));
    }
    return dcpl;
}

static hid_t words_of(hid_t file, hid_t dcpl, hid_t type)
{
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));
    const hid_t dset = CHECK_H5(H5Dcreate(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK_H5(H5Sclose(space));
    return dset;
}

/* What is read is what was written, by the file's bytes alone. */
static void numbers_pass(const pipeline *p, H5_section_type_t section, bool connected)
{
    const char *path = check_path("a.h5");
    const hid_t dcpl = filtered_list(p, section);
    hid_t file = made(path, connected);
    hid_t dset = dataset_of(file, dcpl);
    int found[20][30];

    write_box(dset, true);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5((H5Fopen)(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    dset = CHECK_H5(H5Dopen(file, "d", H5P_DEFAULT));
    CHECK_H5(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (int i = 0; i < 240; i++) {
        CHECK_I64(found[3 + i / 20][5 + i % 20], i % 7 == 0 ? 0 : i + 1);
    }
    CHECK_U64(n_defined(dset), connected ? 240 : 240 - 35);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(dcpl));
}

static void words_pass(const pipeline *p)
{
    const char *path = check_path("a.h5");
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t dcpl = filtered_list(p, H5_SECTION_VL);
    static const char *given[600];
    char *found[600];
    hid_t file = made(path, true);

    for (int i = 0; i < 600; i++) {
        given[i] = i % 3 == 0 ? "a walk of columns" : i % 3 == 1 ? "stoa" : "";
    }
    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    hid_t dset = words_of(file, dcpl, type);
    CHECK_H5(H5Dwrite(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, given));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    dset = CHECK_H5(H5Dopen(file, "d", H5P_DEFAULT));
    CHECK_H5(H5Dread(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (int i = 0; i < 600; i++) {
        CHECK_STR(found[i], given[i]);
        free(found[i]);
    }
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
}

/* Where libhdf5 is built without szip, all sections are stored without: it is optional here. */
static void every_filter_acts_on_every_section(void)
{
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
        for (int connected = 0; connected < 2; connected++) {
            numbers_pass(&pipelines[i], H5_SECTION_SELECTION, connected == 1);
            numbers_pass(&pipelines[i], H5_SECTION_FIXED, connected == 1);
        }
        words_pass(&pipelines[i]);
    }
}

/* As with dense datasets it is H5Dcreate() that fails, not the write that would lose the data. */
static void a_mandatory_filter_that_is_not_there_makes_no_dataset(void)
{
    const unsigned packing[2] = {H5_SZIP_NN_OPTION_MASK, 4};
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));

    for (unsigned i = 0; i < 4; i++) {
        const hid_t file = made(check_path("a.h5"), i % 2 == 0);
        const hid_t dcpl = structured();
        const bool is_there = i >= 2 && H5Zfilter_avail(H5Z_FILTER_SZIP) > 0;
        if (i < 2) {
            CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, FAILING, 0U, 0, NULL));
        } else { /* as builds of libhdf5 differ in szip */
            CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_SZIP, 0U, 2, packing));
        }
        if (!is_there) {
            CHECK_FAILS(H5Dcreate(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
            CHECK(H5Lexists(file, "d", H5P_DEFAULT) == 0);
        }
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Sclose(space));
}

static size_t turn(unsigned flags, size_t n_values, const unsigned values[], size_t n_bytes,
                   size_t *size, void **buf)
{
    uint8_t *bytes = *buf;

    (void)flags;
    (void)n_values;
    (void)values;
    (void)size;
    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] ^= 0x55;
    }
    return n_bytes;
}

static const H5Z_class2_t turning = {
    H5Z_CLASS_T_VERS, FAILING, 1, 1, "turns", NULL, NULL, turn,
};

static void a_filter_that_is_gone_is_named_by_who_reads(void)
{
    const char *path = check_path("a.h5");
    const hid_t dcpl = structured();
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;
    stoa_sparse_points points;

    CHECK_H5(H5Zregister(&turning));
    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, FAILING, 0U, 0, NULL));
    hid_t file = made(path, true);
    const hid_t dset = dataset_of(file, dcpl);
    write_box(dset, true);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Zunregister(FAILING));
    file = CHECK_H5((H5Fopen)(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_OK(stoa_sparse_open(file, "d", NULL, &array, &err), &err);
    CHECK_STATUS(STOA_EHDF5, stoa_sparse_read(array, NULL, NULL, H5T_NATIVE_INT, &points, &err));
    CHECK_CONTAINS(err.message, "no filter 301");
    CHECK_OK(stoa_sparse_defined(array, NULL, NULL, &points, NULL)); /* section 0 passes none */
    CHECK_U64(points.n, 240);
    stoa_sparse_points_clear(&points);
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(dcpl));
}

/* --- fill values ----------------------------------------------------------------------------- */

/* Nothing was written: the fill value everywhere, and nothing is defined. libhdf5 says what cannot
 * be: fill values that are to be written and are undefined. */
static void check_fill(bool connected, unsigned value, H5D_fill_time_t when, H5D_alloc_time_t alloc)
{
    const char *path = check_path("a.h5");
    const int fill = 5;
    /* Else the rest of a chunk is anything to libhdf5, and what differs from the fill value
     * defined. */
    const bool is_certain = connected || (value != 1 && when != H5D_FILL_TIME_NEVER);
    const hid_t dcpl = structured();
    hid_t file = made(path, connected);
    int found[20][30];

    if (value > 0) {
        CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, value == 1 ? NULL : &fill));
    }
    CHECK_H5(H5Pset_fill_time(dcpl, when));
    CHECK_H5(H5Pset_alloc_time(dcpl, alloc));
    if (value == 1 && when == H5D_FILL_TIME_ALLOC) {
        const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));
        CHECK_FAILS(H5Dcreate(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        CHECK_H5(H5Sclose(space));
        goto done;
    }
    hid_t dset = dataset_of(file, dcpl);
    CHECK_U64(n_defined(dset), 0);
    if (value != 1) { /* else libhdf5 has nothing to show where nothing is stored */
        CHECK_H5(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK(found[19][29] == (value == 2 ? fill : 0) || when == H5D_FILL_TIME_NEVER);
    }
    write_box(dset, false);
    if (is_certain) {
        CHECK_U64(n_defined(dset), connected || value != 2 ? 240 : 239); /* one of them is 5 */
    }
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5((H5Fopen)(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    dset = CHECK_H5((H5Dopen2)(file, "d", H5P_DEFAULT));
    CHECK_H5((H5Dread)(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_I64(found[14][24], 240);
    CHECK(!is_certain || found[15][24] == (value == 2 ? fill : 0)); /* in a chunk that is stored */
    CHECK_H5((H5Dclose)(dset));

done:
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
}

static void every_state_of_the_fill_value_is_as_in_a_dense_dataset(void)
{
    static const H5D_fill_time_t times[] = {H5D_FILL_TIME_IFSET, H5D_FILL_TIME_ALLOC,
                                            H5D_FILL_TIME_NEVER};
    static const H5D_alloc_time_t allocations[] = {H5D_ALLOC_TIME_INCR, H5D_ALLOC_TIME_EARLY,
                                                   H5D_ALLOC_TIME_LATE};

    for (unsigned i = 0; i < 2 * 3 * 3 * 3; i++) {
        check_fill(i % 2 == 0, i / 2 % 3, times[i / 6 % 3], allocations[i / 18]);
    }
}

/* --- many ------------------------------------------------------------------------------------ */

static void a_million_scattered_elements_are_found_read_and_erased(void)
{
    enum { SIDE = 8192, N = 1000000 };
    const hsize_t most[2] = {SIDE, SIDE};
    const hsize_t large[2] = {1024, 1024};
    const hid_t file = made(check_path("a.h5"), true);
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    hsize_t *points = malloc(N * 2 * sizeof *points);
    int *values = malloc(N * sizeof *values);
    int *found = malloc(N * sizeof *found);

    CHECK(points != NULL && values != NULL && found != NULL);
    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, large, H5D_SPARSE_CHUNK));
    const hid_t space = CHECK_H5(H5Screate_simple(2, most, NULL));
    const hid_t dset =
        CHECK_H5(H5Dcreate(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    for (uint64_t i = 0; i < N; i++) { /* rising, no two in one place */
        const uint64_t e = i * (SIDE * (uint64_t)SIDE / N) + i * 2654435761U % 60;
        points[2 * i] = e / SIDE;
        points[2 * i + 1] = e % SIDE;
        values[i] = (int)(e % 1000003);
    }
    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, N, points));
    const hid_t memory = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));
    CHECK_H5(H5Dwrite(dset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values));
    const hid_t defined = CHECK_H5(H5Dget_defined(dset, H5S_ALL, H5P_DEFAULT));
    CHECK_I64(H5Sget_select_npoints(defined), N);
    CHECK_H5(H5Dread(dset, H5T_NATIVE_INT, memory, defined, H5P_DEFAULT, found));
    CHECK_MEM(found, values, N * sizeof *found);
    CHECK_H5(H5Derase(dset, defined, H5P_DEFAULT));
    CHECK_U64(n_defined(dset), 0);
    CHECK_H5(H5Sclose(defined));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
    free(found);
    free(values);
    free(points);
}

TEST_MAIN(TEST(a_plain_program_writes_the_same_chunks_with_and_without_the_connector),
          TEST(explicit_fill_values_are_kept_with_the_connector_alone),
          TEST(a_stock_reader_sees_what_was_flushed),
          TEST(an_optional_filter_that_fails_is_left_out),
          TEST(a_mandatory_filter_that_fails_is_an_error), TEST(every_filter_acts_on_every_section),
          TEST(a_mandatory_filter_that_is_not_there_makes_no_dataset),
          TEST(a_filter_that_is_gone_is_named_by_who_reads),
          TEST(every_state_of_the_fill_value_is_as_in_a_dense_dataset),
          TEST(a_million_scattered_elements_are_found_read_and_erased))
