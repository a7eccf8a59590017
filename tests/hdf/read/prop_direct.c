/* src/hdf/read/direct.c: whatever libhdf5 has written is read past it as H5Dread() reads it, by
 * pread() and from a map of the file. */
#include "hdf/read/direct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/file.h>
#include <string.h>

#include "support/check.h"

/* One dataset to be. */
typedef struct example {
    hid_t type; /* stored */
    hid_t mem;
    size_t size;
    uint64_t n_rows;
    uint64_t chunk_rows; /* 0: contiguous */
    hid_t dcpl;
} example;

static bool maybe(uint64_t one_in)
{
    return check_random_below(one_in) == 0;
}

/* A stored type and what it is in memory; `mem` is a copy. */
static hid_t a_type(hid_t *mem)
{
    const hid_t stored[] = {
        H5T_STD_I8LE,   H5T_STD_I8BE,   H5T_STD_U16LE, H5T_STD_U16BE,  H5T_STD_I32LE,
        H5T_STD_I32BE,  H5T_STD_U64LE,  H5T_STD_U64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE,
        H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_STD_B16LE, H5T_STD_B32BE,
    };
    const hid_t native[] = {
        H5T_NATIVE_INT8,  H5T_NATIVE_INT8,  H5T_NATIVE_UINT16, H5T_NATIVE_UINT16,
        H5T_NATIVE_INT32, H5T_NATIVE_INT32, H5T_NATIVE_UINT64, H5T_NATIVE_UINT64,
        H5T_NATIVE_FLOAT, H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE,
        H5T_NATIVE_B16,   H5T_NATIVE_B32,
    };
    const size_t n = sizeof stored / sizeof stored[0];
    const uint64_t which = check_random_below(n + 3);
    hid_t type;

    if (which < n) {
        *mem = CHECK_H5(H5Tcopy(native[which]));
        return CHECK_H5(H5Tcopy(stored[which]));
    }
    if (which == n) {
        type = CHECK_H5(H5Tcopy(H5T_C_S1));
        CHECK_H5(H5Tset_size(type, 1 + check_random_below(20)));
    } else if (which == n + 1) {
        type = CHECK_H5(H5Tcreate(H5T_OPAQUE, 1 + check_random_below(20)));
    } else {
        type = CHECK_H5(H5Tenum_create(maybe(2) ? H5T_STD_I16LE : H5T_STD_I16BE));
        for (int16_t i = 0; i < 4; i++) {
            char name[8];
            (void)snprintf(name, sizeof name, "m%d", i);
            int16_t value = i;
            CHECK_H5(H5Tconvert(H5T_NATIVE_INT16,
                                H5Tget_order(type) == H5T_ORDER_BE ? H5T_STD_I16BE : H5T_STD_I16LE,
                                1, &value, NULL, H5P_DEFAULT));
            CHECK_H5(H5Tenum_insert(type, name, &value));
        }
        *mem = CHECK_H5(H5Tcopy(H5T_NATIVE_INT16));
        return type;
    }
    *mem = CHECK_H5(H5Tcopy(type));
    return type;
}

static void add_filters(const example *e)
{
    const H5T_class_t class = H5Tget_class(e->type);

    if (class == H5T_INTEGER && maybe(4)) {
        CHECK_H5(H5Pset_scaleoffset(e->dcpl, H5Z_SO_INT, 0));
    }
    if (maybe(2)) {
        CHECK_H5(H5Pset_shuffle(e->dcpl));
    }
    if (maybe(2)) {
        CHECK_H5(H5Pset_deflate(e->dcpl, (unsigned)check_random_below(10)));
    }
    if (maybe(3)) {
        CHECK_H5(H5Pset_fletcher32(e->dcpl));
    }
    if (maybe(4)) {
        CHECK_H5(H5Pset_chunk_opts(e->dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    }
}

static void fill_randomly(uint8_t *bytes, size_t n)
{
    const uint64_t range = maybe(2) ? 256 : 3;

    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)check_random_below(range);
    }
}

static void set_fill(const example *e)
{
    uint8_t value[32];

    fill_randomly(value, sizeof value);
    if (maybe(2)) {
        CHECK_H5(H5Pset_fill_value(e->dcpl, e->type, value));
    }
    if (maybe(3)) {
        CHECK_H5(H5Pset_fill_time(e->dcpl, maybe(2) ? H5D_FILL_TIME_NEVER : H5D_FILL_TIME_ALLOC));
    }
    if (maybe(3)) {
        CHECK_H5(H5Pset_alloc_time(e->dcpl, maybe(2)             ? H5D_ALLOC_TIME_EARLY
                                            : e->chunk_rows != 0 ? H5D_ALLOC_TIME_INCR
                                                                 : H5D_ALLOC_TIME_LATE));
    }
}

static example an_example(void)
{
    example e = {.n_rows = check_random_below(3000)};

    e.type = a_type(&e.mem);
    e.size = H5Tget_size(e.type);
    e.dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    if (!maybe(5)) {
        e.chunk_rows = 1 + check_random_below(maybe(3) ? 5000 : 200);
        CHECK_H5(H5Pset_chunk(e.dcpl, 1, &(hsize_t){e.chunk_rows}));
        if (!maybe(4)) {
            add_filters(&e);
        }
    }
    set_fill(&e);
    return e;
}

static void clear(example *e)
{
    CHECK_H5(H5Tclose(e->type));
    CHECK_H5(H5Tclose(e->mem));
    CHECK_H5(H5Pclose(e->dcpl));
}

/* Some runs of rows, so that chunks are missing. */
static void write_some(hid_t dataset, const example *e)
{
    uint8_t *bytes = malloc((size_t)e->n_rows * e->size + 1);

    CHECK(bytes != NULL);
    for (uint64_t i = check_random_below(6); i > 0 && e->n_rows > 0; i--) {
        const uint64_t first = maybe(3) ? 0 : check_random_below(e->n_rows);
        const uint64_t n = maybe(3) ? e->n_rows - first : check_random_below(e->n_rows - first);
        const hid_t space = CHECK_H5(H5Dget_space(dataset));
        const hid_t memory = CHECK_H5(H5Screate_simple(1, &(hsize_t){n}, NULL));
        fill_randomly(bytes, (size_t)n * e->size);
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){first}, NULL, &(hsize_t){n},
                                     NULL));
        if (n > 0) {
            CHECK_H5(H5Dwrite(dataset, e->type, memory, space, H5P_DEFAULT, bytes));
        }
        CHECK_H5(H5Sclose(memory));
        CHECK_H5(H5Sclose(space));
    }
    free(bytes);
}

/* A chunk stored as it is, by its mask. */
static void write_raw(hid_t dataset, const example *e)
{
    const int n = e->chunk_rows == 0 ? 0 : H5Pget_nfilters(e->dcpl);
    const size_t n_bytes = (size_t)e->chunk_rows * e->size;
    uint8_t *bytes = malloc(n_bytes + 1);

    CHECK(bytes != NULL);
    fill_randomly(bytes, n_bytes);
    if (n > 0 && e->n_rows > e->chunk_rows && maybe(2)) {
        const hsize_t at = check_random_below(e->n_rows / e->chunk_rows) * e->chunk_rows;
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, (1u << n) - 1, &at, n_bytes, bytes));
    }
    free(bytes);
}

/* Every kind of chunk index: by the format's version, the shape's limit, and the filters. */
static void write_file(const char *name, const example *e)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    const hid_t fcpl = CHECK_H5(H5Pcreate(H5P_FILE_CREATE));
    const hsize_t most[] = {e->n_rows, H5S_UNLIMITED, e->n_rows + 1 + check_random_below(1000)};
    const bool is_free =
        e->chunk_rows <= e->n_rows; /* else only an unlimited shape has such chunks */
    const hsize_t *max = &most[e->chunk_rows == 0 ? 0 : is_free ? check_random_below(3) : 1];

    CHECK_H5(H5Pset_libver_bounds(fapl, maybe(2) ? H5F_LIBVER_EARLIEST : H5F_LIBVER_LATEST,
                                  H5F_LIBVER_LATEST));
    CHECK_H5(H5Pset_userblock(fcpl, maybe(3) ? 512u << check_random_below(3) : 0));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, fcpl, fapl));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){e->n_rows}, max));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", e->type, space, H5P_DEFAULT, e->dcpl, H5P_DEFAULT));
    write_some(dataset, e);
    write_raw(dataset, e);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(fcpl));
    CHECK_H5(H5Pclose(fapl));
}

/* Rows as libhdf5 reads them; where it cannot, neither may be asked. */
static uint8_t *read_there(hid_t dataset, const example *e)
{
    uint8_t *rows = calloc((size_t)e->n_rows + 1, e->size);
    H5E_auto2_t print;
    void *context;

    CHECK(rows != NULL);
    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &print, &context));
    CHECK_H5(H5Eset_auto2(H5E_DEFAULT, NULL, NULL));
    const bool is_read = H5Dread(dataset, e->mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0;
    CHECK_H5(H5Eset_auto2(H5E_DEFAULT, print, context));
    CHECK_H5(H5Eclear2(H5E_DEFAULT));
    if (!is_read) {
        free(rows);
        rows = NULL;
    }
    return rows;
}

static void check_chunks(const stoa_direct *direct, const example *e, const uint8_t *expected,
                         stoa_scratch *scratch)
{
    const uint64_t rows = stoa_direct_chunk_rows(direct);
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t chunk = 0; chunk * rows < e->n_rows; chunk++) {
        const uint64_t first = chunk * rows;
        const uint64_t n = e->n_rows - first < rows ? e->n_rows - first : rows;
        const void *elements = NULL;
        CHECK_OK(stoa_direct_chunk(direct, chunk, scratch, &elements, &err), &err);
        CHECK_MEM(elements, expected + first * e->size, (size_t)n * e->size);
    }
}

static void check_runs(const stoa_direct *direct, const example *e, const uint8_t *expected,
                       stoa_scratch *scratch)
{
    uint8_t *out = malloc((size_t)e->n_rows * e->size + 1);
    stoa_error err = STOA_ERROR_INIT;

    CHECK(out != NULL);
    for (int i = 0; i < 12; i++) {
        const uint64_t first = i == 0 ? 0 : check_random_below(e->n_rows + 1);
        const uint64_t left = e->n_rows - first;
        const uint64_t n =
            i == 0 ? left : check_random_below((maybe(2) && left > 9 ? 9 : left) + 1);
        memset(out, 0x55, (size_t)e->n_rows * e->size + 1);
        CHECK_OK(stoa_direct_read(direct, first, n, scratch, out, &err), &err);
        CHECK_MEM(out, expected + first * e->size, (size_t)n * e->size);
        CHECK_U64(out[n * e->size], 0x55);
    }
    CHECK_STATUS(STOA_ERANGE, stoa_direct_read(direct, e->n_rows, 1, scratch, out, NULL));
    free(out);
}

/* Chosen rows of a chunk, few or many, where they can be chosen: libhdf5's, one after the other. */
static void check_choices(const stoa_direct *direct, const example *e, const uint8_t *expected,
                          stoa_scratch *scratch)
{
    const uint64_t rows = stoa_direct_chunk_rows(direct);
    stoa_error err = STOA_ERROR_INIT;

    for (int i = 0; i < 12 && e->n_rows > 0; i++) {
        const uint64_t first = check_random_below(e->n_rows);
        const uint64_t in_chunk = rows - first % rows;
        const uint64_t most = in_chunk < e->n_rows - first ? in_chunk : e->n_rows - first;
        const uint64_t count = maybe(2) ? most : check_random_below(most + 1);
        const uint64_t one_in = maybe(2) ? 1 + check_random_below(8) : 200;
        uint8_t *bits = calloc(1, (size_t)stoa_bit_bytes(count) + 1);
        uint8_t *chosen = malloc((size_t)count * e->size + 1);
        uint64_t n = 0;
        bool found = false;

        CHECK(bits != NULL && chosen != NULL);
        for (uint64_t k = 0; k < 8 * stoa_bit_bytes(count); k++) { /* those behind do not count */
            if (k >= count || maybe(one_in)) {
                stoa_bit_set(bits, k);
            }
            if (k < count && stoa_bit_get(bits, k)) {
                memcpy(chosen + n++ * e->size, expected + (first + k) * e->size, e->size);
            }
        }
        uint8_t *out = malloc((size_t)n * e->size + 1);
        CHECK(out != NULL);
        out[n * e->size] = 0x55;
        CHECK_OK(stoa_direct_choose(direct, first, count, bits, n, scratch, out, &found, &err),
                 &err);
        if (found) {
            CHECK_MEM(out, chosen, (size_t)n * e->size);
        }
        CHECK_U64(out[n * e->size], 0x55);
        free(bits);
        free(chosen);
        free(out);
    }
}

/* Rows that are shown in the map are libhdf5's, where numbers of their size may lie. */
static void check_mapped(const stoa_direct *direct, const example *e, const uint8_t *expected)
{
    for (int i = 0; i < 12; i++) {
        const uint64_t first = i == 0 ? 0 : check_random_below(e->n_rows + 1);
        const uint64_t n = i == 0 ? e->n_rows : check_random_below(e->n_rows - first + 1);
        const uint8_t *rows = stoa_direct_mapped(direct, first, n);
        if (rows != NULL) {
            CHECK_MEM(rows, expected + first * e->size, (size_t)n * e->size);
            CHECK(e->size > 8 || (e->size & (e->size - 1)) != 0 || (uintptr_t)rows % e->size == 0);
        }
    }
    CHECK(stoa_direct_mapped(direct, e->n_rows, 1) == NULL);
    CHECK(stoa_direct_mapped(direct, UINT64_MAX, UINT64_MAX) == NULL);
}

static void check_dataset(hid_t file, const example *e)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    uint8_t *expected = read_there(dataset, e);
    stoa_read_context *read_context = NULL;
    stoa_direct *direct = NULL;
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_read_context_open(&read_context, &err), &err);
    if (maybe(2)) {
        stoa_read_context_map(read_context);
    }
    CHECK_OK(stoa_direct_open(read_context, dataset, e->mem, &direct, &err), &err);
    /* libhdf5 1.14 cannot read what its scale-offset made of values that span the whole type
     * (HDFGroup/hdf5 5861). */
    CHECK((direct != NULL) == (expected != NULL) || H5Pget_nfilters(e->dcpl) != 0);
    if (direct != NULL && expected != NULL) {
        CHECK_U64(stoa_direct_extent(direct), e->n_rows);
        CHECK_U64(stoa_direct_element_size(direct), e->size);
        check_chunks(direct, e, expected, &scratch);
        check_runs(direct, e, expected, &scratch);
        check_choices(direct, e, expected, &scratch);
        check_mapped(direct, e, expected);
        stoa_direct_announce(direct, 0, e->n_rows / stoa_direct_chunk_rows(direct) + 1);
    }
    stoa_direct_close(direct);
    stoa_read_context_close(read_context);
    stoa_scratch_clear(&scratch);
    free(expected);
    CHECK_H5(H5Dclose(dataset));
}

/* By libhdf5's drivers and by ours. */
static void check_file(const char *name, const example *e)
{
    if (maybe(2)) {
        const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
        CHECK_H5(maybe(2) ? H5Pset_fapl_stdio(fapl) : H5Pset_fapl_sec2(fapl));
        const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, fapl));
        check_dataset(file, e);
        CHECK_H5(H5Fclose(file));
        CHECK_H5(H5Pclose(fapl));
    } else {
        stoa_file *file = NULL;
        stoa_error err = STOA_ERROR_INIT;
        CHECK_OK(stoa_file_open(name, STOA_FILE_READ, &file, &err), &err);
        check_dataset(stoa_file_id(file), e);
        stoa_file_close(file);
    }
}

static void rows_are_those_that_libhdf5_reads(void)
{
    for (uint64_t i = check_n_cases(400); i > 0; i--) {
        const char *name = check_path("p.h5");
        example e = an_example();
        write_file(name, &e);
        check_file(name, &e);
        clear(&e);
    }
}

TEST_MAIN(TEST(rows_are_those_that_libhdf5_reads))
