/* Cells that hold all that is stored of random datasets; what lies between them is fill values. For
 * src/sparse/tools/stored_extent.c. */
#include "sparse/tools/stored_extent.h"

#include <string.h>

#include "support/check.h"
#include "support/memory_file.h"

enum { MAX_RANK = 3, MOST = 12 * 12 * 12, FILL = 7, N_DATASETS = 2 };

typedef struct model {
    int rank;
    hsize_t extent[MAX_RANK];
    uint64_t n;
    int values[N_DATASETS][MOST];
} model;

static void place_of(const model *m, uint64_t i, hsize_t *at)
{
    for (int d = m->rank; d-- > 0;) {
        at[d] = i % m->extent[d];
        i /= m->extent[d];
    }
}

static void write_element(hid_t dataset, const hsize_t *at, int value)
{
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hid_t one = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, at));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT, one, space, H5P_DEFAULT, &value));
    CHECK_H5(H5Sclose(one));
    CHECK_H5(H5Sclose(space));
}

/* Chunked, or contiguous; with some elements, or none. */
static hid_t any_dataset(model *m, hid_t file, int i)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(m->rank, m->extent, NULL));
    hsize_t chunk[MAX_RANK];
    const int fill = FILL;

    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill));
    if (check_random_below(4) > 0) {
        for (int d = 0; d < m->rank; d++) {
            chunk[d] = 1 + check_random_below(m->extent[d]);
        }
        CHECK_H5(H5Pset_chunk(dcpl, m->rank, chunk));
    }
    const hid_t dataset = CHECK_H5(H5Dcreate2(file, i == 0 ? "a" : "b", H5T_NATIVE_INT, space,
                                              H5P_DEFAULT, dcpl, H5P_DEFAULT));
    for (uint64_t k = 0; k < m->n; k++) {
        m->values[i][k] = FILL;
    }
    for (uint64_t n = check_random_below(4); n > 0; n--) {
        const uint64_t k = check_random_below(m->n);
        hsize_t at[MAX_RANK];
        place_of(m, k, at);
        m->values[i][k] = (int)n;
        write_element(dataset, at, (int)n);
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    return dataset;
}

static void check_cells(const model *m, const stoa_stored_extent *stored)
{
    static bool is_in[MOST];
    uint64_t n = 0;
    uint64_t first = m->n;
    hsize_t at[MAX_RANK];
    hsize_t start[H5S_MAX_RANK];
    hsize_t count[H5S_MAX_RANK];

    memset(is_in, false, sizeof is_in);
    for (size_t c = 0; c < stoa_stored_extent_n(stored); c++) {
        const uint64_t *number = (const uint64_t *)(const void *)stored->numbers.data + c;
        CHECK(c == 0 || number[-1] < number[0]);
        stoa_stored_extent_cell(stored, c, start, count);
        for (uint64_t k = 0; k < m->n; k++) {
            bool is = true;
            place_of(m, k, at);
            for (int d = 0; d < m->rank; d++) {
                is = is && at[d] >= start[d] && at[d] - start[d] < count[d];
            }
            CHECK(!is || !is_in[k]); /* each once */
            is_in[k] = is_in[k] || is;
        }
    }
    for (uint64_t k = m->n; k-- > 0;) {
        if (!is_in[k]) {
            CHECK_I64(m->values[0][k], FILL);
            CHECK_I64(m->values[1][k], FILL);
            first = k;
            n++;
        }
    }
    CHECK_U64(stored->n_elsewhere, n);
    if (n > 0) {
        stoa_stored_extent_elsewhere(stored, start);
        place_of(m, first, at);
        CHECK_MEM(start, at, (size_t)m->rank * sizeof *at);
    }
}

static void what_lies_between_the_cells_is_fill_values(void)
{
    for (uint64_t c = check_n_cases(300); c > 0; c--) {
        static model m;
        hid_t datasets[N_DATASETS];
        stoa_stored_extent stored = {.rank = 0};
        stoa_error err = STOA_ERROR_INIT;
        const hid_t file = memory_file("stored.h5", false);

        m.rank = 1 + (int)check_random_below(MAX_RANK);
        m.n = 1;
        for (int d = 0; d < m.rank; d++) {
            m.extent[d] = 1 + check_random_below(12);
            m.n *= m.extent[d];
        }
        for (int i = 0; i < N_DATASETS; i++) {
            datasets[i] = any_dataset(&m, file, i);
        }
        CHECK_OK(stoa_stored_extent_find(datasets, N_DATASETS, &stored, &err), &err);
        check_cells(&m, &stored);
        stoa_stored_extent_clear(&stored);
        for (int i = 0; i < N_DATASETS; i++) {
            CHECK_H5(H5Dclose(datasets[i]));
        }
        CHECK_H5(H5Fclose(file));
    }
}

TEST_MAIN(TEST(what_lies_between_the_cells_is_fill_values))
