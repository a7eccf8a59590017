/*
 * Sparse arrays through the public calls: points in any order and twice, boxes, appended rows,
 * merged arrays, converted types, in windows as small as the cache allows and on several threads,
 * against a dense array and a mask in memory; then libhdf5 alone must read the dense truth. For
 * src/sparse/array/array*.c and points*.c.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>

#include "support/check.h"

enum { MAX_RANK = 3, FILL = 7 };

/* Values are whole numbers that every type holds. */
typedef struct model {
    unsigned rank;
    uint64_t extent[MAX_RANK];
    int *values;
    uint8_t *defined;
} model;

static uint64_t n_of(const model *m)
{
    uint64_t n = 1;

    for (unsigned i = 0; i < m->rank; i++) {
        n *= m->extent[i];
    }
    return n;
}

static void coordinates_of(const model *m, uint64_t place, uint64_t *at)
{
    for (unsigned i = m->rank; i-- > 0;) {
        at[i] = place % m->extent[i];
        place /= m->extent[i];
    }
}

static void make_arrays(model *m)
{
    const uint64_t n = n_of(m);

    m->values = malloc((n + 1) * sizeof *m->values);
    m->defined = calloc(n + 1, 1);
    for (uint64_t i = 0; i < n; i++) {
        m->values[i] = FILL;
    }
}

static void set_model_extent(model *m, const uint64_t *extent)
{
    model old = *m;

    memcpy(m->extent, extent, m->rank * sizeof *extent);
    make_arrays(m);
    for (uint64_t i = 0; i < n_of(m); i++) {
        uint64_t at[MAX_RANK];
        uint64_t from = 0;
        bool was_there = true;
        coordinates_of(m, i, at);
        for (unsigned j = 0; j < m->rank; j++) {
            was_there = was_there && at[j] < old.extent[j];
            from = from * old.extent[j] + at[j];
        }
        if (was_there) {
            m->values[i] = old.values[from];
            m->defined[i] = old.defined[from];
        }
    }
    free(old.values);
    free(old.defined);
}

static bool is_in(const uint64_t *start, const uint64_t *count, unsigned rank, const uint64_t *at)
{
    for (unsigned i = 0; i < rank; i++) {
        if (at[i] < start[i] || at[i] - start[i] >= count[i]) {
            return false;
        }
    }
    return true;
}

static hid_t any_type(void)
{
    const hid_t types[] = {H5T_STD_I8LE,   H5T_STD_I16BE,  H5T_STD_I32LE,
                           H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_I64LE};

    return types[check_random_below(6)];
}

static const char *any_codec(void)
{
    const char *const codecs[] = {NULL, "none", "deflate:1", "zstd", "lz4", "small"};

    return codecs[check_random_below(6)];
}

static void any_extent(const model *m, uint64_t *extent)
{
    const uint64_t most[] = {2000, 60, 16};

    for (unsigned i = 0; i < m->rank; i++) {
        extent[i] = check_random_below(most[m->rank - 1]);
    }
}

static stoa_sparse_access any_access(void)
{
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;

    access.threads = 1 + (unsigned)check_random_below(3);
    access.cache_bytes = check_random_below(2) == 0 ? 1 + check_random_below(3000) : 0;
    return access;
}

/* Of either bounds: they choose how libhdf5 keeps the places of chunks, as the limits of extents
 * do. */
static hid_t any_file(const char *name)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    if (check_random_below(3) > 0) {
        CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    }
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

static stoa_sparse *any_array(hid_t file, const char *name, const model *m, hid_t *type)
{
    const uint64_t most[] = {300, 30, 8};
    const uint64_t most_rows[] = {2200, 260, 120};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    const stoa_sparse_access access = any_access();
    uint64_t chunk[MAX_RANK];
    uint64_t most_extent[MAX_RANK];
    uint8_t fill[8];
    int number = FILL;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    *type = any_type();
    for (unsigned i = 0; i < m->rank; i++) {
        chunk[i] = 1 + check_random_below(most[m->rank - 1]);
        most_extent[i] = check_random_below(2) == 0 ? H5S_UNLIMITED : most_rows[m->rank - 1];
    }
    memcpy(fill, &number, sizeof number);
    CHECK_H5(H5Tconvert(H5T_NATIVE_INT, *type, 1, fill, NULL, H5P_DEFAULT));
    options.chunk = chunk;
    options.max_extent = check_random_below(4) > 0 ? most_extent : NULL;
    options.fill = fill;
    options.positions = any_codec();
    options.values = any_codec();
    CHECK_OK(
        stoa_sparse_create(file, name, *type, m->rank, m->extent, &options, &access, &array, &err),
        &err);
    return array;
}

/* --- edits ----------------------------------------------------------------------------------- */

/* Some points, the same ones more than once; ascending or not. */
static uint64_t any_points(const model *m, uint64_t *coordinates, uint64_t most)
{
    const uint64_t all = n_of(m);
    const uint64_t n = all > 0 ? check_random_below(most) : 0;
    const bool ascends = check_random_below(2) == 0;
    uint64_t place = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (ascends) {
            place += check_random_below(1 + 2 * all / n);
            if (place >= all) {
                return i;
            }
        } else {
            place = check_random_below(all);
        }
        coordinates_of(m, place, coordinates + i * m->rank);
    }
    return n;
}

static uint64_t place_of(const model *m, const uint64_t *at)
{
    uint64_t place = 0;

    for (unsigned i = 0; i < m->rank; i++) {
        place = place * m->extent[i] + at[i];
    }
    return place;
}

static void write_points(stoa_sparse *array, model *m)
{
    enum { MOST = 800 };
    uint64_t coordinates[MOST * MAX_RANK];
    int values[MOST];
    double doubles[MOST];
    const uint64_t n = any_points(m, coordinates, MOST);
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t i = 0; i < n; i++) {
        values[i] = (int)check_random_below(20) - 10; /* FILL now and then */
        doubles[i] = values[i];
        const uint64_t place = place_of(m, coordinates + i * m->rank);
        m->values[place] = values[i];
        m->defined[place] = 1;
    }
    if (check_random_below(2) == 0) {
        CHECK_OK(stoa_sparse_write(array, n, coordinates, values, H5T_NATIVE_INT, &err), &err);
    } else {
        CHECK_OK(stoa_sparse_write(array, n, coordinates, doubles, H5T_NATIVE_DOUBLE, &err), &err);
    }
}

static void erase_points(stoa_sparse *array, model *m)
{
    enum { MOST = 400 };
    uint64_t coordinates[MOST * MAX_RANK];
    const uint64_t n = any_points(m, coordinates, MOST);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_erase(array, n, coordinates, &err), &err);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t place = place_of(m, coordinates + i * m->rank);
        m->values[place] = FILL;
        m->defined[place] = 0;
    }
}

static void any_box(const model *m, uint64_t *start, uint64_t *count)
{
    for (unsigned i = 0; i < m->rank; i++) {
        start[i] = check_random_below(m->extent[i] + 1);
        count[i] = check_random_below(m->extent[i] - start[i] + 1);
    }
}

static void erase_box(stoa_sparse *array, model *m)
{
    uint64_t start[MAX_RANK], count[MAX_RANK];
    stoa_error err = STOA_ERROR_INIT;

    any_box(m, start, count);
    CHECK_OK(stoa_sparse_erase_box(array, start, count, &err), &err);
    for (uint64_t i = 0; i < n_of(m); i++) {
        uint64_t at[MAX_RANK];
        coordinates_of(m, i, at);
        if (is_in(start, count, m->rank, at)) {
            m->values[i] = FILL;
            m->defined[i] = 0;
        }
    }
}

static void append_rows(stoa_sparse *array, model *m)
{
    const uint64_t n_rows = check_random_below(6);
    const uint64_t before = m->extent[0];
    model added = *m;
    uint64_t coordinates[20 * MAX_RANK];
    int values[20];
    uint64_t extent[MAX_RANK];
    stoa_error err = STOA_ERROR_INIT;

    added.extent[0] = n_rows;
    const uint64_t n = any_points(&added, coordinates, 20);
    memcpy(extent, m->extent, sizeof extent);
    extent[0] += n_rows;
    set_model_extent(m, extent);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at[MAX_RANK];
        memcpy(at, coordinates + i * m->rank, m->rank * sizeof *at);
        at[0] += before;
        values[i] = (int)i;
        m->values[place_of(m, at)] = values[i];
        m->defined[place_of(m, at)] = 1;
    }
    CHECK_OK(stoa_sparse_append(array, n_rows, n, coordinates, values, H5T_NATIVE_INT, &err), &err);
}

static void merge_another(hid_t file, stoa_sparse *array, model *m)
{
    model other = *m;
    hid_t type = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;

    make_arrays(&other);
    stoa_sparse *from = any_array(file, "other", &other, &type);
    write_points(from, &other);
    CHECK_OK(stoa_sparse_merge(array, from, &err), &err);
    for (uint64_t i = 0; i < n_of(m); i++) {
        if (other.defined[i]) {
            m->defined[i] = 1;
            m->values[i] = other.values[i];
        }
    }
    CHECK_OK(stoa_sparse_commit(from, &err), &err);
    CHECK_H5(H5Ldelete(file, "other", H5P_DEFAULT));
    free(other.values);
    free(other.defined);
}

/* --- what is seen ---------------------------------------------------------------------------- */

static void read_box(stoa_sparse *array, const model *m)
{
    uint64_t start[MAX_RANK], count[MAX_RANK];
    const bool has_values = check_random_below(3) > 0;
    stoa_sparse_points points;
    uint64_t n = 0;
    stoa_error err = STOA_ERROR_INIT;

    any_box(m, start, count);
    if (has_values) {
        CHECK_OK(stoa_sparse_read(array, start, count, H5T_NATIVE_INT, &points, &err), &err);
    } else {
        CHECK_OK(stoa_sparse_defined(array, start, count, &points, &err), &err);
        CHECK(points.values == NULL);
    }
    for (uint64_t i = 0; i < n_of(m); i++) {
        uint64_t at[MAX_RANK];
        coordinates_of(m, i, at);
        if (m->defined[i] && is_in(start, count, m->rank, at)) {
            CHECK(n < points.n);
            CHECK_MEM(points.coordinates + n * m->rank, at, m->rank * sizeof *at);
            if (has_values) {
                CHECK_I64(((const int *)points.values)[n], m->values[i]);
            }
            n++;
        }
    }
    CHECK_U64(points.n, n);
    stoa_sparse_points_clear(&points);
}

static void read_dense(stoa_sparse *array, const model *m)
{
    uint64_t start[MAX_RANK], count[MAX_RANK];
    double *values = malloc((n_of(m) + 1) * sizeof *values);
    uint8_t *defined = malloc(n_of(m) + 1);
    uint64_t n = 0;
    stoa_error err = STOA_ERROR_INIT;

    any_box(m, start, count);
    CHECK_OK(stoa_sparse_read_dense(array, start, count, H5T_NATIVE_DOUBLE, values, defined, &err),
             &err);
    for (uint64_t i = 0; i < n_of(m); i++) {
        uint64_t at[MAX_RANK];
        coordinates_of(m, i, at);
        if (is_in(start, count, m->rank, at)) {
            CHECK_F64(values[n], m->values[i]);
            CHECK_U64(defined[n], m->defined[i]);
            n++;
        }
    }
    free(values);
    free(defined);
}

typedef struct visit {
    const model *model;
    uint64_t n;
    uint64_t first; /* of the last chunk, linear */
} visit;

static bool see_chunk(void *context, const stoa_sparse_part *part)
{
    visit *v = context;
    const model *m = v->model;

    CHECK(part->n > 0);
    for (uint64_t i = 0; i < part->n; i++) {
        const uint64_t place = place_of(m, part->coordinates + i * m->rank);
        CHECK_U64(m->defined[place], 1);
        CHECK_F64(((const double *)part->values)[i], m->values[place]);
        CHECK(i == 0 || place_of(m, part->coordinates + (i - 1) * m->rank) < place);
    }
    CHECK(v->n == 0 || v->first < place_of(m, part->offset));
    v->first = place_of(m, part->offset);
    v->n += part->n;
    return true;
}

static uint64_t n_defined(const model *m)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < n_of(m); i++) {
        n += m->defined[i];
    }
    return n;
}

static void see_all(stoa_sparse *array, const model *m)
{
    visit v = {.model = m};
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_visit(array, NULL, NULL, H5T_NATIVE_DOUBLE, see_chunk, &v, &err), &err);
    CHECK_U64(v.n, n_defined(m));
    CHECK_OK(stoa_sparse_describe(array, &info, &err), &err);
    CHECK_U64(info.n_defined, n_defined(m));
    CHECK_U64(info.rank, m->rank);
    CHECK_MEM(info.extent, m->extent, m->rank * sizeof *m->extent);
    CHECK_U64(info.n_stored_bytes, H5Dget_storage_size(info.dataset));
}

/* Programs that know nothing of us. */
static void libhdf5_agrees(hid_t file, const model *m)
{
    int *values = malloc((n_of(m) + 1) * sizeof *values);
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "x", H5P_DEFAULT));

    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_MEM(values, m->values, n_of(m) * sizeof *values);
    CHECK_H5(H5Dclose(dataset));
    free(values);
}

static void change_extent(stoa_sparse *array, model *m)
{
    uint64_t extent[MAX_RANK];
    stoa_error err = STOA_ERROR_INIT;

    any_extent(m, extent);
    CHECK_OK(stoa_sparse_set_extent(array, extent, &err), &err);
    set_model_extent(m, extent);
}

static void one_step(hid_t file, stoa_sparse **array, model *m)
{
    const stoa_sparse_access access = any_access();
    stoa_error err = STOA_ERROR_INIT;

    switch (check_random_below(12)) {
    case 0:
        change_extent(*array, m);
        break;
    case 1:
        erase_box(*array, m);
        break;
    case 2:
        append_rows(*array, m);
        break;
    case 3:
        merge_another(file, *array, m);
        break;
    case 4:
        CHECK_OK(stoa_sparse_commit(*array, &err), &err);
        CHECK_OK(stoa_sparse_open(file, "x", &access, array, &err), &err);
        break;
    case 5:
        erase_points(*array, m);
        break;
    case 6:
    case 7:
        read_box(*array, m);
        break;
    case 8:
        read_dense(*array, m);
        break;
    default:
        write_points(*array, m);
        break;
    }
}

/* As nobody can write to the file, it is read past libhdf5. */
static void see_again(const char *name, const model *m)
{
    const stoa_sparse_access access = any_access();
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_open(file, "x", &access, &array, &err), &err);
    for (int i = 0; i < 4; i++) {
        read_box(array, m);
        read_dense(array, m);
    }
    see_all(array, m);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    CHECK_H5(H5Fclose(file));
}

static void an_array_is_what_was_written_into_it(void)
{
    const char *name = check_path("array.h5");

    for (uint64_t i = 0; i < check_n_cases(150); i++) {
        model m = {.rank = 1 + (unsigned)check_random_below(MAX_RANK)};
        hid_t type = H5I_INVALID_HID;
        const uint64_t n = 1 + check_random_below(20);
        stoa_error err = STOA_ERROR_INIT;

        any_extent(&m, m.extent);
        make_arrays(&m);
        const hid_t file = any_file(name);
        stoa_sparse *array = any_array(file, "x", &m, &type);
        for (uint64_t j = 0; j < n; j++) {
            one_step(file, &array, &m);
        }
        read_box(array, &m);
        read_dense(array, &m);
        see_all(array, &m);
        CHECK_OK(stoa_sparse_flush(array, &err), &err);
        libhdf5_agrees(file, &m);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
        see_again(name, &m);
        free(m.values);
        free(m.defined);
    }
}

TEST_MAIN(TEST(an_array_is_what_was_written_into_it))
