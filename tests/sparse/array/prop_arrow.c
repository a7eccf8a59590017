/*
 * Elements in any order and twice, in batches of any length, indices of any integer type, into
 * arrays whose shape is given, said, or not known, against a dense array and a mask in memory; then
 * boxes of these as streams against the same. For src/sparse/array/arrow_*.c.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <stoa/sparse_arrow.h>
#include <string.h>

#include "support/batches.h"
#include "support/check.h"

enum { MAX_RANK = 4, MAX_BATCHES = 4, MAX_ROWS = 200, MOST = 12 * 12 * 12 * 12 };

typedef struct model {
    unsigned rank;
    uint64_t extent[MAX_RANK];
    uint64_t needed[MAX_RANK]; /* by what is defined */
    double values[MOST];
    bool defined[MOST];
} model;

static uint64_t place_of(const model *m, const int64_t *at)
{
    uint64_t place = 0;

    for (unsigned d = 0; d < m->rank; d++) {
        place = place * m->extent[d] + (uint64_t)at[d];
    }
    return place;
}

static batch any_batch(model *m, const char *const *formats, const char *value_format)
{
    const int64_t n = (int64_t)check_random_below(MAX_ROWS);
    int64_t columns[MAX_RANK][MAX_ROWS];
    double values[MAX_ROWS];
    batch b = batch_begin(m->rank + 1, n);

    for (int64_t i = 0; i < n; i++) {
        int64_t at[MAX_RANK];
        for (unsigned d = 0; d < m->rank; d++) {
            at[d] = columns[d][i] = (int64_t)check_random_below(m->extent[d]);
            m->needed[d] = (uint64_t)at[d] + 1 > m->needed[d] ? (uint64_t)at[d] + 1 : m->needed[d];
        }
        values[i] = (double)check_random_below(40) - 20.0;
        m->values[place_of(m, at)] = values[i];
        m->defined[place_of(m, at)] = true;
    }
    for (unsigned d = 0; d < m->rank; d++) {
        batch_integers(&b, d, "i", formats[d], columns[d], NULL);
    }
    batch_floats(&b, m->rank, "x", value_format, values, NULL);
    return b;
}

/* An array of some batches. Its extent may be smaller than the model's where no shape is known. */
static stoa_sparse *any_array(hid_t file, model *m)
{
    static const char *const all[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    const char *const value_format = check_random_below(2) == 0 ? "f" : "g";
    const unsigned knows = (unsigned)check_random_below(3);
    const size_t n = 1 + check_random_below(MAX_BATCHES);
    const char *formats[MAX_RANK];
    batch batches[MAX_BATCHES];
    uint64_t chunk[MAX_RANK];
    char shape[100] = "";
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    struct ArrowArrayStream stream;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    for (unsigned d = 0; d < m->rank; d++) {
        formats[d] = all[check_random_below(8)];
        chunk[d] = 1 + check_random_below(8);
        (void)snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%d",
                       d == 0 ? "[" : " ,", (int)m->extent[d]);
    }
    for (size_t i = 0; i < n; i++) {
        batches[i] = any_batch(m, formats, value_format);
    }
    if (knows == 1) {
        (void)strcat(shape, "]");
        CHECK_OK(stoa_schema_set(&batches[0].schema, "stoa.sparse.shape", shape, NULL));
    }
    options.chunk = chunk;
    access.threads = 1 + (unsigned)check_random_below(2);
    access.cache_bytes = check_random_below(2) == 0 ? 1 + check_random_below(3000) : 0;
    stream_of(batches, n, &stream);
    CHECK_OK(stoa_sparse_from_stream(file, "x", &stream, knows == 2 ? m->extent : NULL, &options,
                                     &access, NULL, &array, &err),
             &err);
    stoa_stream_release(&stream);
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    CHECK_OK(stoa_sparse_describe(array, &info, &err), &err);
    for (unsigned d = 0; d < m->rank; d++) {
        CHECK_U64(info.extent[d], knows == 0 ? m->needed[d] : m->extent[d]);
    }
    return array;
}

static bool is_inside(const model *m, const int64_t *at, const uint64_t *start,
                      const uint64_t *count)
{
    for (unsigned d = 0; d < m->rank; d++) {
        if ((uint64_t)at[d] < start[d] || (uint64_t)at[d] - start[d] >= count[d]) {
            return false;
        }
    }
    return true;
}

/* Each defined element of the box comes once. */
static void look_at_box(stoa_sparse *array, const model *m, const uint64_t *start,
                        const uint64_t *count)
{
    bool *seen = calloc(MOST, 1);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray rows;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_stream(array, start, count, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    for (;;) {
        stoa_view view, columns[MAX_RANK + 1];
        CHECK_OK(stoa_stream_next(&stream, &rows, &err), &err);
        if (rows.release == NULL) {
            break;
        }
        CHECK_OK(stoa_view_of(&schema, &rows, &view, &err), &err);
        for (unsigned d = 0; d <= m->rank; d++) {
            CHECK_OK(stoa_view_child(&view, d, &columns[d], &err), &err);
        }
        for (int64_t i = 0; i < view.length; i++) {
            int64_t at[MAX_RANK];
            for (unsigned d = 0; d < m->rank; d++) {
                at[d] = stoa_view_i64(&columns[d], i);
            }
            CHECK(is_inside(m, at, start, count));
            const uint64_t place = place_of(m, at);
            CHECK(m->defined[place] && !seen[place]);
            CHECK_F64(stoa_view_f64(&columns[m->rank], i), m->values[place]);
            seen[place] = true;
        }
        stoa_array_release(&rows);
    }
    uint64_t n = m->rank == 0 ? 0 : 1;
    for (unsigned d = 0; d < m->rank; d++) {
        n *= m->extent[d];
    }
    for (uint64_t place = 0; place < n; place++) {
        int64_t at[MAX_RANK];
        uint64_t rest = place;
        for (unsigned d = m->rank; d-- > 0;) {
            at[d] = (int64_t)(rest % m->extent[d]);
            rest /= m->extent[d];
        }
        CHECK(seen[place] == (m->defined[place] && is_inside(m, at, start, count)));
    }
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    free(seen);
}

static void one_case(void)
{
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    model *m = calloc(1, sizeof *m);
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_error err = STOA_ERROR_INIT;

    m->rank = 1 + (unsigned)check_random_below(MAX_RANK);
    for (unsigned d = 0; d < m->rank; d++) {
        m->extent[d] = 1 + check_random_below(12);
    }
    stoa_sparse *array = any_array(file, m);
    CHECK_OK(stoa_sparse_describe(array, &info, &err), &err);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t start[MAX_RANK] = {0}, count[MAX_RANK];
        memcpy(count, info.extent, m->rank * sizeof *count);
        for (unsigned d = 0; i > 0 && d < m->rank; d++) {
            start[d] = check_random_below(info.extent[d] + 1);
            count[d] = check_random_below(info.extent[d] - start[d] + 1);
        }
        look_at_box(array, m, start, count);
    }
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
    free(m);
}

static void streams_in_and_out_agree_with_a_dense_model(void)
{
    for (uint64_t i = 0, n = check_n_cases(300); i < n; i++) {
        one_case();
    }
}

TEST_MAIN(TEST(streams_in_and_out_agree_with_a_dense_model))
