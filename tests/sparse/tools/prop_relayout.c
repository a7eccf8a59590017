/*
 * Chains of repacks between dense and sparse storage, with lists of defined elements, excluded
 * values and filters, against a dense array and a mask in memory (sparse RFC §4.6); for
 * src/sparse/tools/relayout*.c.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>

#include "sparse/format/filter.h"
#include "sparse/repacks.h"
#include "sparse/tools/storage.h"
#include "support/check.h"

enum { MAX_RANK = REPACKS_MAX_RANK, MOST = 12 * 12 * 12 };

typedef struct model {
    int rank;
    hsize_t extent[MAX_RANK];
    uint64_t n;
    int values[MOST];
    bool defined[MOST];
    bool is_sparse;
    bool has_fill;
    int fill;
    hid_t type;
} model;

static int a_value(void)
{
    return (int)check_random_below(5) - 1; /* few of them, so that some are excluded */
}

static hid_t a_type(void)
{
    const hid_t types[] = {H5T_STD_I16BE, H5T_STD_I32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE,
                           H5T_STD_I8LE};

    return types[check_random_below(sizeof types / sizeof *types)];
}

/* --- the first file -------------------------------------------------------------------------- */

static void write_first(model *m, const char *path)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const bool is_chunked = check_random_below(2) == 0;
    hsize_t most[MAX_RANK];
    hsize_t chunk[MAX_RANK];

    for (int i = 0; i < m->rank; i++) {
        most[i] = check_random_below(2) == 0 ? H5S_UNLIMITED : m->extent[i] + check_random_below(9);
    }
    if (check_random_below(2) == 0) {
        CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    }
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    const hid_t space = CHECK_H5(H5Screate_simple(m->rank, m->extent, is_chunked ? most : NULL));

    if (m->has_fill) {
        CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &m->fill));
    }
    if (is_chunked) {
        repacks_chunk(m->rank, m->extent, chunk);
        CHECK_H5(H5Pset_chunk(dcpl, m->rank, chunk));
        CHECK_H5(H5Pset_deflate(dcpl, 1));
    }
    const hid_t group = CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, "x", m->type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, m->values));
    const hid_t one = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(dataset, "a", H5T_STD_I32LE, one, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_INT, &m->rank));
    CHECK_H5(H5Lcreate_hard(group, "x", file, "other", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Pclose(fapl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
}

/* --- what is asked --------------------------------------------------------------------------- */

static void some_filters(stoa_relayout *one)
{
    static const stoa_filter filters[] = {{.id = H5Z_FILTER_SHUFFLE},
                                          {.id = H5Z_FILTER_DEFLATE, .n_values = 1, .values = {3}},
                                          {.id = H5Z_FILTER_FLETCHER32}};

    for (unsigned i = 0; i < STOA_MAX_SECTIONS; i++) {
        one->has_filters[i] = true;
        for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
            if (check_random_below(2) == 0) {
                one->filters[i].filters[one->filters[i].n++] = filters[f];
            }
        }
    }
    if (one->layout != STOA_LAYOUT_SPARSE) {
        one->filters[0] = one->filters[1]; /* there are no sections to tell apart */
    }
}

/* --- and done -------------------------------------------------------------------------------- */

static void check_defined(const model *m, hid_t dataset)
{
    stoa_sparse *array = NULL;
    stoa_sparse_points points = {0};
    uint64_t at[MAX_RANK];
    uint64_t n = 0;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_open_dataset(dataset, NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_defined(array, NULL, NULL, &points, &err), &err);
    for (uint64_t i = 0; i < m->n; i++) {
        if (m->defined[i]) {
            CHECK(n < points.n);
            repacks_coordinates(m->rank, m->extent, i, at);
            CHECK_MEM(points.coordinates + n * (size_t)m->rank, at, (size_t)m->rank * sizeof *at);
            n++;
        }
    }
    CHECK_U64(points.n, n);
    stoa_sparse_points_clear(&points);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
}

static void check_file(const model *m, const char *path)
{
    const hid_t file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/g/x", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    int values[MOST];
    int rank = 0;

    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_MEM(values, m->values, m->n * sizeof *values);
    CHECK(H5Tequal(type, m->type) > 0);
    CHECK(stoa_is_structured(dataset) == m->is_sparse);
    if (m->is_sparse) {
        check_defined(m, dataset);
    }
    const hid_t attribute = CHECK_H5(H5Aopen(dataset, "a", H5P_DEFAULT));
    H5O_info2_t info;
    CHECK_H5(H5Aread(attribute, H5T_NATIVE_INT, &rank));
    CHECK_I64(rank, m->rank);
    CHECK_H5(H5Oget_info3(dataset, &info, H5O_INFO_BASIC));
    CHECK_U64(info.rc, 2); /* both names lead to it */
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

/* One repack of the chain; the model follows. */
static void one_step(void *context, const char *from, const char *to)
{
    model *const m = context;
    static char path[] = "/other"; /* by another name than it is looked up by */
    static const stoa_new_layout layouts[] = {STOA_LAYOUT_SPARSE, STOA_LAYOUT_SPARSE,
                                              STOA_LAYOUT_CHUNKED, STOA_LAYOUT_CONTIGUOUS,
                                              STOA_LAYOUT_COMPACT};
    stoa_relayout one = {.path = path, .layout = layouts[check_random_below(5)]};
    stoa_relayouts all = {.items = &one, .n = 1};
    stoa_regions regions = {0};
    const bool was_sparse = m->is_sparse;
    char text[4096] = "";
    char excluded[16] = "";
    stoa_error err = STOA_ERROR_INIT;

    m->is_sparse = one.layout == STOA_LAYOUT_SPARSE;
    if (m->is_sparse || one.layout == STOA_LAYOUT_CHUNKED) {
        one.rank = (unsigned)m->rank;
        repacks_chunk(m->rank, m->extent, one.chunk);
        if (check_random_below(2) == 0) {
            some_filters(&one);
        }
    }
    if (m->is_sparse && check_random_below(3) == 0) {
        repacks_list(m->rank, m->extent, m->defined, text, sizeof text);
        CHECK_OK(stoa_regions_parse(text, strlen(text), &regions, &err), &err);
        all.defined = &regions;
    } else if (!was_sparse) {
        memset(m->defined, true, sizeof m->defined);
    }
    if (m->is_sparse && check_random_below(3) == 0) {
        const int value = a_value();

        (void)snprintf(excluded, sizeof excluded, "%d", value);
        all.exclude = excluded;
        if (!was_sparse && !m->has_fill) {
            m->has_fill = true;
            m->fill = value;
        }
        for (uint64_t i = 0; i < m->n; i++) {
            m->defined[i] = m->defined[i] && m->values[i] != value;
        }
    }
    for (uint64_t i = 0; i < m->n && m->is_sparse; i++) {
        m->values[i] = m->defined[i] ? m->values[i] : m->fill;
    }
    repacks_run(from, to, &all);
    stoa_regions_clear(&regions);
    check_file(m, to);
}

static void a_chain_of_repacks_keeps_values_and_what_is_defined(void)
{
    static model m;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_filter_register(&err), &err);
    for (uint64_t c = check_n_cases(60); c > 0; c--) {
        memset(&m, 0, sizeof m);
        m.type = a_type();
        m.rank = 1 + (int)check_random_below(MAX_RANK);
        m.n = 1;
        for (int d = 0; d < m.rank; d++) {
            m.extent[d] = 1 + check_random_below(12);
            m.n *= m.extent[d];
        }
        m.has_fill = check_random_below(2) == 0;
        m.fill = m.has_fill ? a_value() : 0;
        for (uint64_t i = 0; i < m.n; i++) {
            m.values[i] = a_value();
        }
        write_first(&m, check_path("0.h5"));
        repacks_chain(5, one_step, &m);
    }
}

TEST_MAIN(TEST(a_chain_of_repacks_keeps_values_and_what_is_defined))
