/*
 * Programs that know nothing of structured chunks, with the filter alone: whatever they write, grow
 * and cut reads as from a dataset without it; what lies in the file are structured chunks, or, if
 * damaged, an error, for src/sparse/{filter,dense}.c (sparse fact sheet §11, 1, 2, 4, 6, 7).
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_list.h"
#include "sparse/format/chunk.h"
#include "sparse/format/filter.h"
#include "support/check.h"

enum { MAX_RANK = 4, N_TYPES = 7, BIG = 100 };

/* --- two datasets that should be one --------------------------------------------------------- */

typedef struct pair {
    hid_t file, type;
    hid_t sparse, dense;
    int rank;
    hsize_t extent[MAX_RANK], chunk[MAX_RANK];
    size_t size;         /* of an element */
    bool leaves_garbage; /* what was never written is anything */
} pair;

static hid_t any_type(void)
{
    const hid_t made[N_TYPES] = {H5T_STD_U8LE,   H5T_STD_I16BE,  H5T_STD_I32LE, H5T_STD_U64BE,
                                 H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_U8LE};
    const unsigned which = (unsigned)check_random_below(N_TYPES + 2);

    if (which < N_TYPES) {
        return CHECK_H5(H5Tcopy(made[which]));
    }
    if (which == N_TYPES) { /* longer than a fill value that fits the parameters */
        return CHECK_H5(H5Tcreate(H5T_OPAQUE, BIG));
    }
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 11));
    CHECK_H5(H5Tinsert(type, "a", 0, H5T_STD_I64LE));
    CHECK_H5(H5Tinsert(type, "b", 8, H5T_STD_I16BE));
    return type;
}

static void any_fill(hid_t dcpl, pair *p)
{
    uint8_t fill[BIG];

    for (size_t i = 0; i < p->size; i++) {
        fill[i] = (uint8_t)(check_random_below(3) * 5);
    }
    switch (check_random_below(4)) {
    case 0:
        break;
    case 1:
        CHECK_H5(H5Pset_fill_value(dcpl, p->type, NULL));
        CHECK_H5(H5Pset_fill_time(dcpl, H5D_FILL_TIME_IFSET));
        p->leaves_garbage = true;
        break;
    default:
        CHECK_H5(H5Pset_fill_value(dcpl, p->type, fill));
        break;
    }
    if (check_random_below(3) == 0) {
        CHECK_H5(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    }
}

static void add_filters(hid_t dcpl)
{
    stoa_sparse_format format = {.is_sparse = true};
    stoa_error err = STOA_ERROR_INIT;

    if (check_random_below(2) == 0) {
        format.sections[0].filters[format.sections[0].n++] =
            (stoa_filter){.id = STOA_FILTER_DEFLATE, .n_values = 1, .values = {3}};
    }
    switch (check_random_below(4)) {
    case 0:
        format.sections[1].filters[format.sections[1].n++] =
            (stoa_filter){.id = STOA_FILTER_SHUFFLE};
        format.sections[1].filters[format.sections[1].n++] =
            (stoa_filter){.id = STOA_FILTER_DEFLATE, .n_values = 1, .values = {1}};
        break;
    case 1: /* one that libhdf5 must run, inside of its own filter */
        format.sections[1].filters[format.sections[1].n++] = (stoa_filter){.id = H5Z_FILTER_NBIT};
        format.sections[1].optional = 1;
        break;
    default:
        break;
    }
    CHECK_OK(stoa_sparse_format_to_list(dcpl, &format, &err), &err);
}

static pair any_pair(const char *name)
{
    pair p = {.rank = 1 + (int)check_random_below(MAX_RANK), .type = any_type()};
    hsize_t most[MAX_RANK];
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    p.size = H5Tget_size(p.type);
    for (int i = 0; i < p.rank; i++) {
        p.chunk[i] = 1 + check_random_below(7);
        p.extent[i] = check_random_below(16);
        most[i] = H5S_UNLIMITED;
    }
    any_fill(dcpl, &p);
    CHECK_H5(H5Pset_chunk(dcpl, p.rank, p.chunk));
    p.file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(p.rank, p.extent, most));
    p.dense = CHECK_H5(H5Dcreate2(p.file, "dense", p.type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    add_filters(dcpl);
    p.sparse =
        CHECK_H5(H5Dcreate2(p.file, "sparse", p.type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    return p;
}

static void close_datasets(pair *p)
{
    CHECK_H5(H5Dclose(p->sparse));
    CHECK_H5(H5Dclose(p->dense));
}

static void close_pair(pair *p)
{
    close_datasets(p);
    CHECK_H5(H5Tclose(p->type));
    CHECK_H5(H5Fclose(p->file));
}

static size_t n_elements(const pair *p)
{
    size_t n = 1;

    for (int i = 0; i < p->rank; i++) {
        n *= p->extent[i];
    }
    return n;
}

static void is_same(const pair *p)
{
    const size_t n = n_elements(p) * p->size;
    uint8_t *found = malloc(n + 1);
    uint8_t *expected = malloc(n + 1);

    CHECK_H5(H5Dread(p->sparse, p->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_H5(H5Dread(p->dense, p->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, expected));
    CHECK_MEM(found, expected, n);
    free(found);
    free(expected);
}

/* --- what a program does --------------------------------------------------------------------- */

/* Few of the bytes are not 0, or all. */
static void write_box(const pair *p)
{
    hsize_t start[MAX_RANK], count[MAX_RANK];
    const hid_t space = CHECK_H5(H5Dget_space(p->sparse));
    size_t n = 1;

    for (int i = 0; i < p->rank; i++) {
        start[i] = p->extent[i] > 0 && !p->leaves_garbage ? check_random_below(p->extent[i]) : 0;
        count[i] = p->extent[i] > 0 ? 1 + check_random_below(p->extent[i] - start[i]) : 0;
        count[i] = p->leaves_garbage ? p->extent[i] : count[i];
        n *= count[i];
    }
    if (n > 0) {
        uint8_t *bytes = calloc(n, p->size);
        const uint64_t every = 1 + check_random_below(2) * 15;
        for (size_t i = 0; i < n; i++) {
            if (check_random_below(every) == 0) {
                memset(bytes + i * p->size, (int)check_random_below(256), p->size);
            }
        }
        const hid_t memory = CHECK_H5(H5Screate_simple(p->rank, count, NULL));
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
        CHECK_H5(H5Dwrite(p->sparse, p->type, memory, space, H5P_DEFAULT, bytes));
        CHECK_H5(H5Dwrite(p->dense, p->type, memory, space, H5P_DEFAULT, bytes));
        CHECK_H5(H5Sclose(memory));
        free(bytes);
    }
    CHECK_H5(H5Sclose(space));
}

static void change_extent(pair *p)
{
    for (int i = 0; i < p->rank; i++) {
        p->extent[i] = check_random_below(16);
    }
    CHECK_H5(H5Dset_extent(p->sparse, p->extent));
    CHECK_H5(H5Dset_extent(p->dense, p->extent));
}

static void open_again(pair *p, const char *name)
{
    close_datasets(p);
    CHECK_H5(H5Fclose(p->file));
    p->file = CHECK_H5(H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT));
    p->sparse = CHECK_H5(H5Dopen2(p->file, "sparse", H5P_DEFAULT));
    p->dense = CHECK_H5(H5Dopen2(p->file, "dense", H5P_DEFAULT));
}

static void programs_see_a_dense_dataset(void)
{
    const char *name = check_path("t.h5");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_filter_register(&err), &err);
    for (uint64_t i = 0; i < check_n_cases(150); i++) {
        pair p = any_pair(name);
        write_box(&p);
        for (unsigned step = 0; step < 12; step++) {
            switch (check_random_below(5)) {
            case 0:
                change_extent(&p);
                if (p.leaves_garbage) {
                    write_box(&p);
                }
                break;
            case 1:
                open_again(&p, name);
                break;
            default:
                write_box(&p);
                break;
            }
            is_same(&p);
        }
        close_pair(&p);
    }
}

/* --- what lies in the file ------------------------------------------------------------------- */

/* The only chunk of a dataset of 4 x 5 numbers; fresh. */
static uint8_t *chunk_of(hid_t dataset, hsize_t *n_bytes)
{
    const hsize_t origin[2] = {0, 0};
    uint32_t mask = 1;

    CHECK_H5(H5Dget_chunk_storage_size(dataset, origin, n_bytes));
    uint8_t *bytes = malloc(*n_bytes);
    CHECK_H5(stoa_raw_chunk_read(dataset, origin, (size_t)*n_bytes, bytes, &mask));
    CHECK_U64(mask, 0);
    return bytes;
}

/* The upper left chunk of the RFC's figure 2; docs/sparse-format.md §5. */
static hid_t figure_2(hid_t file, const char *name)
{
    static const int16_t values[20] = {0, 0, 0,  0,  0,  0, 0, 0,  0,  0,
                                       0, 0, 66, 69, 72, 0, 0, 96, 99, 102};
    const hsize_t shape[2] = {4, 5};
    const stoa_sparse_format format = {.is_sparse = true};
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(2, shape, NULL));

    CHECK_H5(H5Pset_chunk(dcpl, 2, shape));
    CHECK_OK(stoa_sparse_format_to_list(dcpl, &format, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, name, H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dflush(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    return dataset;
}

static void a_chunk_is_as_documented(void)
{
    static const uint8_t expected[] = {'S',  'C', 'H', 1,    4,    20,   6,    4,    4,    0,
                                       12,   12,  0,   0xd8, 0xcb, 0x87, 0x73, 0x2a, 0x61, 0xa6,
                                       0x37, 5,   0,   0x70, 0x0e, 66,   0,    69,   0,    72,
                                       0,    96,  0,   99,   0,    102,  0};
    hsize_t n_bytes = 0;

    CHECK_OK(stoa_sparse_filter_register(NULL));
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("t.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dataset = figure_2(file, "d");
    uint8_t *bytes = chunk_of(dataset, &n_bytes);
    CHECK_U64(n_bytes, sizeof expected);
    CHECK_MEM(bytes, expected, sizeof expected);
    free(bytes);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

/* Every length and every byte of a chunk. */
static void damaged_chunks_are_errors(void)
{
    const hsize_t origin[2] = {0, 0};
    hsize_t n_bytes = 0;
    int16_t found[20];

    CHECK_OK(stoa_sparse_filter_register(NULL));
    for (unsigned round = 0; round < 37 + 37; round++) {
        const hid_t file =
            CHECK_H5(H5Fcreate(check_path("t.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        hid_t dataset = figure_2(file, "d");
        uint8_t *bytes = chunk_of(dataset, &n_bytes);
        CHECK_U64(n_bytes, 37);
        if (round < 37) {
            bytes[round] ^= 0x55;
        } else {
            n_bytes = round == 37 ? 1 : round - 37;
        }
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, origin, (size_t)n_bytes, bytes));
        CHECK_H5(H5Dclose(dataset));
        dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        H5E_BEGIN_TRY
        {
            const herr_t read =
                H5Dread(dataset, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, found);
            CHECK(read < 0);
        }
        H5E_END_TRY
        free(bytes);
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Fclose(file));
    }
}

static void a_filter_without_memory_says_so(void)
{
    size_t size = 20;
    void *chunk = calloc(1, size);

    CHECK_H5(H5Eclear2(H5E_DEFAULT));
    stoa_memory_fail_after(0);
    CHECK_U64(stoa_sparse_filter_class.filter(0, 0, NULL, size, &size, &chunk), 0);
    stoa_memory_fail_after(UINT64_MAX);
    CHECK_I64(H5Eget_num(H5E_DEFAULT), 1);
    CHECK_H5(H5Eclear2(H5E_DEFAULT));
    free(chunk);
}

/* As h5py does it: compression=53131, with options or without. */
static void the_number_of_the_filter_is_enough(void)
{
    static const unsigned deflated[] = {257, 0, 1, 1 << 24 | 1, 6}; /* as docs/sparse.md has it */
    const hsize_t shape[2] = {4, 5};
    int16_t values[20] = {0};
    int16_t found[20];

    CHECK_OK(stoa_sparse_filter_register(NULL));
    values[7] = 70;
    for (int i = 0; i < 2; i++) {
        const hid_t file =
            CHECK_H5(H5Fcreate(check_path("t.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        const hid_t space = CHECK_H5(H5Screate_simple(2, shape, NULL));
        stoa_sparse_format format;
        CHECK_H5(H5Pset_chunk(dcpl, 2, shape));
        CHECK_H5(H5Pset_filter(dcpl, STOA_SPARSE_FILTER, 0, i == 0 ? 0 : 5, deflated));
        const hid_t dataset =
            CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        CHECK_H5(H5Dflush(dataset));
        CHECK_H5(H5Pclose(dcpl));
        const hid_t made = CHECK_H5(H5Dget_create_plist(dataset));
        CHECK_OK(stoa_sparse_format_of_list(made, &format, NULL));
        CHECK(format.is_sparse && format.is_bound && format.n_elements == 20);
        CHECK_U64(format.sections[1].n, (uint64_t)i);
        CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_MEM(found, values, sizeof values);
        CHECK_H5(H5Pclose(made));
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Fclose(file));
    }
}

static void parameters_of_another_dataset_are_computed_anew(void)
{
    const hsize_t wider[2] = {10, 10};
    const hsize_t other[2] = {2, 10};
    stoa_sparse_format format;

    CHECK_OK(stoa_sparse_filter_register(NULL));
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("t.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t first = figure_2(file, "first");
    hid_t dcpl = CHECK_H5(H5Dget_create_plist(first));
    CHECK_OK(stoa_sparse_format_of_list(dcpl, &format, NULL));
    CHECK_U64(format.n_elements, 20);
    CHECK_U64(format.element_size, 2);
    const double fill = 1.5;
    CHECK_H5(H5Pset_chunk(dcpl, 2, other));
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_DOUBLE, &fill));
    const hid_t space = CHECK_H5(H5Screate_simple(2, wider, NULL));
    const hid_t second =
        CHECK_H5(H5Dcreate2(file, "second", H5T_IEEE_F64BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Pclose(dcpl));
    dcpl = CHECK_H5(H5Dget_create_plist(second));
    CHECK_OK(stoa_sparse_format_of_list(dcpl, &format, NULL));
    CHECK_U64(format.n_elements, 20);
    CHECK_U64(format.element_size, 8);
    CHECK(format.number == STOA_NUMBER_FLOAT && format.is_big_endian);
    static const uint8_t big_endian[] = {0x3f, 0xf8, 0, 0, 0, 0, 0, 0};
    CHECK_MEM(format.fill, big_endian, 8);
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(first));
    CHECK_H5(H5Dclose(second));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(programs_see_a_dense_dataset), TEST(a_chunk_is_as_documented),
          TEST(damaged_chunks_are_errors), TEST(a_filter_without_memory_says_so),
          TEST(the_number_of_the_filter_is_enough),
          TEST(parameters_of_another_dataset_are_computed_anew))
