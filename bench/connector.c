/*
 * Sparse arrays through the connector, as programs written to the RFC use them, against the direct
 * calls, and what a million elements take:
 *
 *     cmake --build build --target bench_connector
 *     build/bench/bench_connector FOLDER ROUNDS
 *
 * One line of JSON a figure; seconds are the shortest of the rounds. The array and its elements are
 * those of sparse_kit.h, 1 % at random, values not compressed. FOLDER/connector.h5 is made and
 * removed again.
 */
#include <unistd.h>

#include <stoa/h5sparse.h>

#include "sparse_kit.h"

enum {
    MILLION = 1000000,
    FEW = 50000,
    N_COLUMNS = 4096,
    BAND = CHUNK,
    N_ROWS = 2048,
    PORTION = 1 << 14
};

typedef struct measured {
    const char *file;
    double direct_write, direct_read;
    double write, read;       /* by H5Dwrite() and H5Dread() of a point selection */
    double select;            /* what it took to make that */
    double walk;              /* and to be told its elements by libhdf5, no more */
    double direct_rows, rows; /* some rows as a dense array, directly and by H5Dread() */
    double get_defined, erase, read_defined; /* of a million elements, by the RFC's calls */
    double get_few;                          /* the first of these, of fewer */
    double box;                              /* that of a box, and the read of what it found */
    double columns, whole;                   /* a band written by columns, and at once */
    double stock; /* by columns into stock chunks, which stay in libhdf5's cache */
} measured;

static hid_t extent_space(void)
{
    const hsize_t extent[] = {SIDE, SIDE};

    return H5Screate_simple(2, extent, NULL);
}

static hid_t make_dataset(hid_t file, const char *name, bool is_sparse)
{
    const hsize_t chunk[] = {CHUNK, CHUNK};
    const hid_t space = extent_space();
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);

    if (is_sparse) {
        hdf(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK));
    } else {
        hdf(H5Pset_chunk(dcpl, 2, chunk));
        hdf(H5Pset_chunk_cache(dapl, 521, (size_t)256 << 20, 1));
    }
    const hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, dcpl, dapl);
    hdf(dataset);
    hdf(H5Pclose(dapl));
    hdf(H5Pclose(dcpl));
    hdf(H5Sclose(space));
    return dataset;
}

static hid_t make_file(const measured *m)
{
    const hid_t file = H5Fcreate(m->file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    hdf(file);
    return file;
}

/* --- points ---------------------------------------------------------------------------------- */

static hid_t select_points(const points *p)
{
    const hid_t space = extent_space();

    /* hsize_t is uint64_t by another name, maybe */
    hsize_t *coordinates = need(malloc(2 * p->n * sizeof *coordinates));
    for (uint64_t i = 0; i < 2 * p->n; i++) {
        coordinates[i] = p->coordinates[i];
    }
    hdf(H5Sselect_elements(space, H5S_SELECT_SET, p->n, coordinates));
    free(coordinates);
    return space;
}

static void measure_direct(const points *p, measured *m)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse_points found;
    const hid_t file = (H5Fcreate)(m->file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    double start = now();
    stoa_sparse *array = make_array(file, "x", "none");

    succeed(stoa_sparse_write(array, p->n, p->coordinates, p->values, STOA_FILE_NATIVE, &err),
            &err);
    close_array(array);
    better(&m->direct_write, now() - start);
    start = now();
    array = open_array(file, "x");
    succeed(stoa_sparse_read(array, NULL, NULL, STOA_FILE_NATIVE, &found, &err), &err);
    close_array(array);
    better(&m->direct_read, now() - start);
    stoa_sparse_points_clear(&found);
    hdf(H5Fclose(file));
}

static void measure_walk(hid_t space, uint64_t n, measured *m)
{
    hsize_t *coordinates = need(malloc((size_t)2 * PORTION * sizeof *coordinates));
    const double start = now();

    for (uint64_t at = 0; at < n; at += PORTION) {
        const uint64_t some = n - at < PORTION ? n - at : PORTION;
        hdf(H5Sget_select_elem_pointlist(space, at, some, coordinates));
    }
    better(&m->walk, now() - start);
    free(coordinates);
}

static void measure_points(const points *p, measured *m)
{
    const hsize_t n[] = {p->n};
    float *found = need(malloc(p->n * sizeof *found));
    const hid_t file = make_file(m);
    const hid_t memory = H5Screate_simple(1, n, NULL);
    double start = now();
    const hid_t space = select_points(p);

    better(&m->select, now() - start);
    measure_walk(space, p->n, m);
    start = now();
    hid_t dataset = make_dataset(file, "x", true);
    hdf(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, p->values));
    hdf(H5Dclose(dataset));
    better(&m->write, now() - start);
    memset(found, 0, p->n * sizeof *found);
    start = now();
    dataset = H5Dopen2(file, "x", H5P_DEFAULT);
    hdf(H5Dread(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, found));
    hdf(H5Dclose(dataset));
    better(&m->read, now() - start);
    if (memcmp(found, p->values, p->n * sizeof *found) != 0) {
        stop("points come back as others");
    }
    hdf(H5Sclose(space));
    hdf(H5Sclose(memory));
    hdf(H5Fclose(file));
    free(found);
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Of the array that measure_points() has left. */
static void measure_rows(measured *m)
{
    const uint64_t at[] = {N_ROWS / 3, 0};
    const uint64_t count[] = {N_ROWS, SIDE};
    const hsize_t first[] = {N_ROWS / 3, 0};
    const hsize_t n[] = {N_ROWS, SIDE};
    const size_t n_bytes = (size_t)N_ROWS * SIDE * sizeof(float);
    stoa_error err = STOA_ERROR_INIT;
    float *direct = need(calloc(1, n_bytes));
    float *found = need(calloc(1, n_bytes));
    hid_t file = (H5Fopen)(m->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t space = extent_space();
    const hid_t memory = H5Screate_simple(2, n, NULL);
    double start = now();
    stoa_sparse *array = open_array(file, "x");

    succeed(stoa_sparse_read_dense(array, at, count, STOA_FILE_NATIVE, direct, NULL, &err), &err);
    close_array(array);
    better(&m->direct_rows, now() - start);
    hdf(H5Fclose(file));
    file = H5Fopen(m->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    hdf(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, n, NULL));
    start = now();
    const hid_t dataset = H5Dopen2(file, "x", H5P_DEFAULT);
    hdf(H5Dread(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, found));
    hdf(H5Dclose(dataset));
    better(&m->rows, now() - start);
    if (memcmp(found, direct, n_bytes) != 0) {
        stop("rows come back as others");
    }
    hdf(H5Sclose(memory));
    hdf(H5Sclose(space));
    hdf(H5Fclose(file));
    free(direct);
    free(found);
}

/* --- a million elements ---------------------------------------------------------------------- */

/* A file with these points, opened again under the connector, and its dataset. */
static hid_t file_of(const points *p, const measured *m, hid_t *dataset)
{
    stoa_error err = STOA_ERROR_INIT;
    hid_t file = (H5Fcreate)(m->file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    stoa_sparse *array = make_array(file, "x", "none");

    succeed(stoa_sparse_write(array, p->n, p->coordinates, p->values, STOA_FILE_NATIVE, &err),
            &err);
    close_array(array);
    hdf(H5Fclose(file));
    file = H5Fopen(m->file, H5F_ACC_RDWR, H5P_DEFAULT);
    *dataset = H5Dopen2(file, "x", H5P_DEFAULT);
    hdf(*dataset);
    return file;
}

static hid_t measure_get(const points *p, hid_t dataset, double *seconds)
{
    const double start = now();
    const hid_t defined = H5Dget_defined(dataset, H5S_ALL, H5P_DEFAULT);

    hdf(defined);
    better(seconds, now() - start);
    if ((uint64_t)H5Sget_select_npoints(defined) != p->n) {
        stop("other elements are defined");
    }
    return defined;
}

static void measure_few(const points *p, measured *m)
{
    hid_t dataset = H5I_INVALID_HID;
    const hid_t file = file_of(p, m, &dataset);

    hdf(H5Sclose(measure_get(p, dataset, &m->get_few)));
    hdf(H5Dclose(dataset));
    hdf(H5Fclose(file));
}

static void measure_million(const points *p, measured *m)
{
    float *found = need(malloc(p->n * sizeof *found));
    hid_t dataset = H5I_INVALID_HID;
    const hid_t file = file_of(p, m, &dataset);
    const hid_t defined = measure_get(p, dataset, &m->get_defined);
    const hsize_t n[] = {p->n};
    const hid_t memory = H5Screate_simple(1, n, NULL);
    double start = now();

    hdf(H5Dread(dataset, H5T_NATIVE_FLOAT, memory, defined, H5P_DEFAULT, found));
    better(&m->read_defined, now() - start);
    if (memcmp(found, p->values, p->n * sizeof *found) != 0) {
        stop("defined elements come back as others");
    }
    start = now();
    hdf(H5Derase(dataset, defined, H5P_DEFAULT));
    better(&m->erase, now() - start);
    hdf(H5Sclose(memory));
    hdf(H5Sclose(defined));
    hdf(H5Dclose(dataset));
    hdf(H5Fclose(file));
    free(found);
}

static void measure_box(const points *p, measured *m)
{
    const hsize_t first[] = {5000, 7000}, size[] = {SIDE / 10, SIDE / 10};
    hid_t dataset = H5I_INVALID_HID;
    const hid_t file = file_of(p, m, &dataset);
    const hid_t box = extent_space();
    double sum = 0;

    hdf(H5Sselect_hyperslab(box, H5S_SELECT_SET, first, NULL, size, NULL));
    const double start = now();
    const hid_t defined = H5Dget_defined(dataset, box, H5P_DEFAULT);
    hdf(defined);
    const hsize_t n[] = {(hsize_t)H5Sget_select_npoints(defined)};
    const hid_t memory = H5Screate_simple(1, n, NULL);
    float *found = need(malloc(n[0] * sizeof *found));
    hdf(H5Dread(dataset, H5T_NATIVE_FLOAT, memory, defined, H5P_DEFAULT, found));
    better(&m->box, now() - start);
    for (uint64_t i = 0; i < p->n; i++) {
        const bool is_in = p->coordinates[2 * i] - first[0] < size[0] &&
                           p->coordinates[2 * i + 1] - first[1] < size[1];
        sum += is_in ? p->values[i] : 0; /* multiples of 2^-24: exact in any order */
    }
    for (uint64_t i = 0; i < n[0]; i++) {
        sum -= found[i];
    }
    if (n[0] == 0 || sum != 0) {
        stop("a box has other elements");
    }
    free(found);
    hdf(H5Sclose(memory));
    hdf(H5Sclose(defined));
    hdf(H5Sclose(box));
    hdf(H5Dclose(dataset));
    hdf(H5Fclose(file));
}

/* --- columns --------------------------------------------------------------------------------- */

/* A band of the array, one column a call into chunks that stay in the cache. */
static void write_columns(hid_t dataset, const float *band)
{
    const hsize_t count[] = {BAND, 1};
    const hsize_t all[] = {BAND, N_COLUMNS};
    const hid_t space = extent_space();
    const hid_t memory = H5Screate_simple(2, all, NULL);

    for (hsize_t i = 0; i < N_COLUMNS; i++) {
        const hsize_t at[] = {0, i};
        hdf(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL));
        hdf(H5Sselect_hyperslab(memory, H5S_SELECT_SET, at, NULL, count, NULL));
        hdf(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, band));
    }
    hdf(H5Sclose(memory));
    hdf(H5Sclose(space));
}

static void write_whole(hid_t dataset, const float *band)
{
    const hsize_t at[] = {0, 0};
    const hsize_t count[] = {BAND, N_COLUMNS};
    const hid_t space = extent_space();
    const hid_t memory = H5Screate_simple(2, count, NULL);

    hdf(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, count, NULL));
    hdf(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, band));
    hdf(H5Sclose(memory));
    hdf(H5Sclose(space));
}

static void measure_columns(measured *m)
{
    const size_t n = (size_t)BAND * N_COLUMNS;
    float *band = need(malloc(n * sizeof *band));
    const hid_t file = make_file(m);
    double *const times[] = {&m->columns, &m->stock, &m->whole};

    for (size_t i = 0; i < n; i++) {
        band[i] = value_of(i);
    }
    for (int k = 0; k < 3; k++) {
        const double start = now();
        const hid_t dataset = make_dataset(file, "x", k != 1);
        (k == 2 ? write_whole : write_columns)(dataset, band);
        hdf(H5Dclose(dataset));
        better(times[k], now() - start);
        hdf(H5Ldelete(file, "x", H5P_DEFAULT));
    }
    hdf(H5Fclose(file));
    free(band);
}

/* --------------------------------------------------------------------------------------------- */

/* Every so many-th point. */
static points some_of(const points *p, uint64_t n)
{
    points some = {.n = n};

    some.coordinates = need(malloc(2 * some.n * sizeof *some.coordinates));
    some.values = need(malloc(some.n * sizeof *some.values));
    for (uint64_t i = 0; i < some.n; i++) {
        const uint64_t from = (uint64_t)((double)i * (double)p->n / (double)n);
        memcpy(some.coordinates + 2 * i, p->coordinates + 2 * from, 2 * sizeof *p->coordinates);
        some.values[i] = p->values[from];
    }
    return some;
}

static void show(const char *what, double seconds)
{
    (void)printf("{\"kind\": \"connector\", \"what\": \"%s\", \"seconds\": %.6f}\n", what, seconds);
}

int main(int argc, char **argv)
{
    char path[4096];
    measured m = {.file = path};

    if (argc != 3) {
        (void)fprintf(stderr, "bench_connector FOLDER ROUNDS\n");
        return 2;
    }
    (void)snprintf(path, sizeof path, "%s/connector.h5", argv[1]);
    points p = make_points(RANDOM, 0.01);
    points some = some_of(&p, MILLION);
    points few = some_of(&p, FEW);
    for (int i = 0; i < atoi(argv[2]); i++) {
        measure_direct(&p, &m);
        measure_points(&p, &m);
        measure_rows(&m);
        measure_million(&some, &m);
        measure_few(&few, &m);
        measure_box(&p, &m);
        measure_columns(&m);
    }
    show("direct write", m.direct_write);
    show("direct read", m.direct_read);
    show("select", m.select);
    show("walk", m.walk);
    show("write", m.write);
    show("read", m.read);
    show("direct rows", m.direct_rows);
    show("rows", m.rows);
    show("get_defined", m.get_defined);
    show("get_defined of 50,000", m.get_few);
    show("get_defined of a box", m.box);
    show("erase", m.erase);
    show("read defined", m.read_defined);
    show("columns", m.columns);
    show("whole", m.whole);
    show("stock columns", m.stock);
    (void)unlink(path);
    clear_points(&p);
    clear_points(&some);
    clear_points(&few);
    return 0;
}
