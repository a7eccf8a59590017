/*
 * How fast a sparse array is written from coordinates and read back, and how small it is, against
 * the same elements in stock dense chunks, deflated with and without shuffle:
 *
 *     cmake --build build --target bench_sparse
 *     build/bench/bench_sparse FOLDER PATTERN PERCENT ROUNDS DENSE_ROUNDS
 *
 * One line of JSON a figure; seconds are the shortest of the rounds. In FOLDER, elements.indptr,
 * .indices and .data are left, the same elements as CSR: int32, int32, float32 without header,
 * which in_scipy.py goes on with; and `boxes`, a line of start and count each. "read" of a dense
 * array is H5Dread() and finding what is not 0. As in_scipy.py does, a file is created to be
 * written and closed then, and opened to be read; boxes are of one that is open. "touch" is what a
 * box would take if nothing were to be done: the bytes of its chunks are read, and as many are
 * written as it has coordinates and values. See sparse_kit.h for the elements.
 */
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "sparse_kit.h"

#include "sparse/format/positions.h"

enum { N_BOXES = 8, BOX = SIDE / 10 }; /* 1 % of the elements each */

/* Where boxes begin. */
static void box_at(unsigned i, uint64_t *start)
{
    start[0] = mix(2 * i + 1) % (SIDE - BOX);
    start[1] = mix(2 * i + 2) % (SIDE - BOX);
}

/* --- what others are given ------------------------------------------------------------------- */

static FILE *create_in(const char *folder, const char *name)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return need(fopen(path, "wb"));
}

static void put(const char *folder, const char *name, const void *bytes, size_t n)
{
    FILE *file = create_in(folder, name);

    if (fwrite(bytes, 1, n, file) != n || fclose(file) != 0) {
        stop("the elements cannot be written");
    }
}

static void put_csr(const char *folder, const points *p)
{
    int32_t *pointers = need(calloc(SIDE + 1, sizeof *pointers));
    int32_t *indices = need(malloc(p->n * sizeof *indices));
    FILE *boxes = create_in(folder, "boxes");

    for (uint64_t i = 0; i < p->n; i++) {
        pointers[p->coordinates[2 * i] + 1]++;
        indices[i] = (int32_t)p->coordinates[2 * i + 1];
    }
    for (int i = 0; i < SIDE; i++) {
        pointers[i + 1] += pointers[i];
    }
    put(folder, "elements.indptr", pointers, (SIDE + 1) * sizeof *pointers);
    put(folder, "elements.indices", indices, p->n * sizeof *indices);
    put(folder, "elements.data", p->values, p->n * sizeof *p->values);
    for (unsigned i = 0; i < N_BOXES; i++) {
        uint64_t at[2];
        box_at(i, at);
        (void)fprintf(boxes, "%d %d %d %d\n", (int)at[0], (int)at[1], BOX, BOX);
    }
    if (fclose(boxes) != 0) {
        stop("the boxes cannot be written");
    }
    free(pointers);
    free(indices);
}

/* --- positions ------------------------------------------------------------------------------- */

/* Bits that k of n elements take at least: log2 of how many choices there are. */
static double bound_of(double n, double k)
{
    return (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / log(2);
}

/* What section 0 of all chunks takes, and how fast it is made and read, by one thread. */
static void measure_positions(pattern kind, double percent, const points *p)
{
    uint32_t *positions = need(malloc(p->n * sizeof *positions));
    size_t firsts[GRID * GRID + 1] = {0};
    size_t filled[GRID * GRID];
    stoa_buffer out = {NULL, 0, 0};
    stoa_error err = STOA_ERROR_INIT;
    double encode = 0;
    double decode = 0;
    double bound = 0;
    uint64_t n_bytes = 0;

    for (uint64_t i = 0; i < p->n; i++) {
        const uint64_t *at = p->coordinates + 2 * i;
        firsts[at[0] / CHUNK * GRID + at[1] / CHUNK + 1]++;
    }
    for (int i = 0; i < GRID * GRID; i++) {
        bound += bound_of(CHUNK * CHUNK, (double)firsts[i + 1]);
        firsts[i + 1] += firsts[i];
        filled[i] = firsts[i];
    }
    for (uint64_t i = 0; i < p->n; i++) {
        const uint64_t *at = p->coordinates + 2 * i;
        positions[filled[at[0] / CHUNK * GRID + at[1] / CHUNK]++] =
            (uint32_t)(at[0] % CHUNK * CHUNK + at[1] % CHUNK);
    }
    uint32_t *found = need(malloc(p->n * sizeof *found));
    memset(found, 1, p->n * sizeof *found); /* pages come before the clock runs */
    for (int i = 0; i < GRID * GRID; i++) {
        const size_t n = firsts[i + 1] - firsts[i];
        out.size = 0;
        double start = now();
        succeed(stoa_positions_encode(positions + firsts[i], n, CHUNK * CHUNK, &out, &err), &err);
        encode += now() - start;
        n_bytes += out.size;
        start = now();
        succeed(stoa_positions_decode(out.data, out.size, n, CHUNK * CHUNK, found, &err), &err);
        decode += now() - start;
        if (memcmp(found, positions + firsts[i], n * sizeof *found) != 0) {
            stop("positions come back as others");
        }
    }
    (void)printf("{\"kind\": \"positions\", \"pattern\": \"%s\", \"percent\": %g, "
                 "\"elements\": %llu, \"bits\": %.4f, \"bound\": %.4f, \"encode\": %.6f, "
                 "\"decode\": %.6f}\n",
                 pattern_names[kind], percent, (unsigned long long)p->n,
                 8 * (double)n_bytes / (double)p->n, bound / (double)p->n, encode, decode);
    stoa_buffer_clear(&out);
    free(found);
    free(positions);
}

/* --- stock ----------------------------------------------------------------------------------- */

static hid_t dense_list(bool shuffles)
{
    const hsize_t chunk[] = {CHUNK, CHUNK};
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);

    hdf(H5Pset_chunk(dcpl, 2, chunk));
    if (shuffles) {
        hdf(H5Pset_shuffle(dcpl));
    }
    hdf(H5Pset_deflate(dcpl, 1));
    return dcpl;
}

/* The elements of a dense array that are not 0. */
static void find_points(const float *dense, const points *p)
{
    uint64_t *coordinates = need(malloc(2 * p->n * sizeof *coordinates));
    float *values = need(malloc(p->n * sizeof *values));
    uint64_t n = 0;

    for (uint64_t i = 0; i < (uint64_t)SIDE * SIDE; i++) {
        if (dense[i] != 0) {
            coordinates[2 * n] = i / SIDE;
            coordinates[2 * n + 1] = i % SIDE;
            values[n++] = dense[i];
        }
    }
    if (n != p->n || memcmp(values, p->values, n * sizeof *values) != 0) {
        stop("a dense array comes back as another");
    }
    free(coordinates);
    free(values);
}

static void measure_dense(hid_t file, const points *p, bool shuffles, int rounds)
{
    const hsize_t extent[] = {SIDE, SIDE};
    float *dense = need(calloc((size_t)SIDE * SIDE, sizeof *dense));
    const hid_t space = H5Screate_simple(2, extent, NULL);
    const hid_t dcpl = dense_list(shuffles);
    double write = 0;
    double read = 0;
    double n_bytes = 0;

    for (uint64_t i = 0; i < p->n; i++) {
        dense[p->coordinates[2 * i] * SIDE + p->coordinates[2 * i + 1]] = p->values[i];
    }
    for (int i = 0; i < rounds; i++) {
        double start = now();
        hid_t dataset =
            H5Dcreate2(file, "dense", H5T_IEEE_F32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        hdf(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, dense));
        n_bytes = (double)H5Dget_storage_size(dataset);
        hdf(H5Dclose(dataset));
        better(&write, now() - start);
        start = now();
        dataset = H5Dopen2(file, "dense", H5P_DEFAULT);
        hdf(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, dense));
        hdf(H5Dclose(dataset));
        find_points(dense, p);
        better(&read, now() - start);
        hdf(H5Ldelete(file, "dense", H5P_DEFAULT));
    }
    (void)printf("{\"kind\": \"dense\", \"codec\": \"%s\", \"write\": %.6f, \"read\": %.6f, "
                 "\"bytes\": %.0f}\n",
                 shuffles ? "shuffle+deflate:1" : "deflate:1", write, read, n_bytes);
    hdf(H5Pclose(dcpl));
    hdf(H5Sclose(space));
    free(dense);
}

/* --- ours ------------------------------------------------------------------------------------ */

typedef struct result {
    double write;
    double read; /* as coordinates */
    double csr;  /* as CSR */
    double box;  /* one of the boxes, the array being open */
    double touch;
    double chunks; /* that a box has any of */
    double bytes;
} result;

static void write_points(const char *path, const points *p, const char *codec, result *r)
{
    stoa_error err = STOA_ERROR_INIT;
    const double start = now();
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    hdf(file);
    stoa_sparse *array = make_array(file, "sparse", codec);
    succeed(stoa_sparse_write(array, p->n, p->coordinates, p->values, STOA_FILE_NATIVE, &err),
            &err);
    close_array(array);
    hdf(H5Fclose(file));
    better(&r->write, now() - start);
}

static hid_t open_file(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);

    hdf(file);
    return file;
}

static void read_points(const char *path, const points *p, result *r)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse_points found;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    const double start = now();
    const hid_t file = open_file(path);
    stoa_sparse *array = open_array(file, "sparse");

    succeed(stoa_sparse_read(array, NULL, NULL, STOA_FILE_NATIVE, &found, &err), &err);
    better(&r->read, now() - start);
    if (found.n != p->n || memcmp(found.values, p->values, p->n * sizeof *p->values) != 0 ||
        memcmp(found.coordinates, p->coordinates, 2 * p->n * sizeof *p->coordinates) != 0) {
        stop("a sparse array comes back as another");
    }
    stoa_sparse_points_clear(&found);
    succeed(stoa_sparse_describe(array, &info, &err), &err);
    r->bytes = (double)info.n_stored_bytes;
    close_array(array);
    hdf(H5Fclose(file));
}

static void read_csr(const char *path, const points *p, result *r)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_matrix found;
    const double start = now();
    const hid_t file = open_file(path);
    stoa_sparse *array = open_array(file, "sparse");

    succeed(stoa_matrix_read(array, STOA_MATRIX_CSR, 4, STOA_FILE_NATIVE, &found, &err), &err);
    better(&r->csr, now() - start);
    if (found.n != p->n || memcmp(found.values, p->values, p->n * sizeof *p->values) != 0) {
        stop("a matrix comes back as another");
    }
    stoa_matrix_clear(&found);
    close_array(array);
    hdf(H5Fclose(file));
}

/* One box: what it takes to read, and how many elements it has. */
static double read_box(stoa_sparse *array, const uint64_t *at, uint64_t *n)
{
    const uint64_t count[] = {BOX, BOX};
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse_points found;
    const double start = now();

    succeed(stoa_sparse_read(array, at, count, STOA_FILE_NATIVE, &found, &err), &err);
    const double took = now() - start;
    *n = found.n;
    stoa_sparse_points_clear(&found);
    return took;
}

/* A box's bytes, in and out, `out` having room for them. */
static double touch_box(hid_t dataset, int fd, const uint64_t *at, uint64_t n, uint8_t *out,
                        unsigned *n_chunks)
{
    static uint8_t bytes[1 << 20];
    double took = 0;

    for (uint64_t i = at[0] / CHUNK; i <= (at[0] + BOX - 1) / CHUNK; i++) {
        for (uint64_t j = at[1] / CHUNK; j <= (at[1] + BOX - 1) / CHUNK; j++) {
            const hsize_t offset[] = {i * CHUNK, j * CHUNK};
            haddr_t address = 0;
            hsize_t size = 0;
            hdf(H5Dget_chunk_info_by_coord(dataset, offset, NULL, &address, &size));
            const double start = now();
            if (size > 0 &&
                pread(fd, bytes, size < sizeof bytes ? size : sizeof bytes, (off_t)address) < 0) {
                stop("a chunk cannot be read");
            }
            took += now() - start;
            ++*n_chunks;
        }
    }
    const double start = now();
    memset(out, 1, n * (2 * sizeof(uint64_t) + sizeof(float)));
    return took + now() - start;
}

/* What boxes take, and how many elements they have. */
static void read_boxes(hid_t file, uint64_t *n, result *r)
{
    stoa_sparse *array = open_array(file, "sparse");
    double all = 0;

    for (unsigned i = 0; i <= N_BOXES;
         i++) { /* the first once more: it finds out where chunks are */
        uint64_t at[2];
        box_at(i % N_BOXES, at);
        const double took = read_box(array, at, &n[i % N_BOXES]);
        all += i > 0 ? took : 0;
    }
    better(&r->box, all / N_BOXES);
    close_array(array);
}

static void touch_boxes(const char *path, hid_t file, const uint64_t *n, result *r)
{
    const hid_t dataset = H5Dopen2(file, "sparse", H5P_DEFAULT);
    const int fd = open(path, O_RDONLY);
    uint8_t *out = need(calloc((size_t)BOX * BOX, 2 * sizeof(uint64_t) + sizeof(float)));
    unsigned n_chunks = 0;
    double all = 0;

    for (unsigned i = 0; i <= N_BOXES; i++) {
        uint64_t at[2];
        unsigned n_touched = 0;
        box_at(i % N_BOXES, at);
        const double took = touch_box(dataset, fd, at, n[i % N_BOXES], out, &n_touched);
        all += i > 0 ? took : 0;
        n_chunks += i > 0 ? n_touched : 0;
    }
    better(&r->touch, all / N_BOXES);
    r->chunks = (double)n_chunks / N_BOXES;
    (void)close(fd);
    free(out);
    hdf(H5Dclose(dataset));
}

static void measure_boxes(const char *path, result *r)
{
    const hid_t file = open_file(path);
    uint64_t n[N_BOXES];

    read_boxes(file, n, r);
    touch_boxes(path, file, n, r);
    hdf(H5Fclose(file));
}

static void measure_codecs(const char *path, const points *p, int rounds)
{
    static const char *const codecs[] = {"none", "lz4", "zstd:1", "deflate:1"};
    enum { N_CODECS = sizeof codecs / sizeof codecs[0] };
    result r[N_CODECS] = {{0}};

    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < N_CODECS; k++) {
            write_points(path, p, codecs[k], &r[k]);
            read_points(path, p, &r[k]);
            read_csr(path, p, &r[k]);
            measure_boxes(path, &r[k]);
        }
    }
    for (int k = 0; k < N_CODECS; k++) {
        (void)printf("{\"kind\": \"sparse\", \"codec\": \"%s\", \"write\": %.6f, \"read\": %.6f, "
                     "\"csr\": %.6f, \"box\": %.6f, \"touch\": %.6f, \"chunks\": %g, "
                     "\"bytes\": %.0f}\n",
                     codecs[k], r[k].write, r[k].read, r[k].csr, r[k].box, r[k].touch, r[k].chunks,
                     r[k].bytes);
    }
}

int main(int argc, char **argv)
{
    char path[4096];
    int kind = 0;

    while (argc == 6 && kind < N_PATTERNS && strcmp(argv[2], pattern_names[kind]) != 0) {
        kind++;
    }
    if (argc != 6 || kind == N_PATTERNS) {
        (void)fprintf(stderr,
                      "bench_sparse FOLDER random|blocks|runs PERCENT ROUNDS DENSE_ROUNDS\n");
        return 2;
    }
    const double percent = strtod(argv[3], NULL);
    points p = make_points((pattern)kind, percent / 100);
    (void)snprintf(path, sizeof path, "%s/sparse.h5", argv[1]);
    put_csr(argv[1], &p);
    measure_positions((pattern)kind, percent, &p);
    measure_codecs(path, &p, atoi(argv[4]));
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hdf(file);
    measure_dense(file, &p, false, atoi(argv[5]));
    measure_dense(file, &p, true, atoi(argv[5]));
    hdf(H5Fclose(file));
    (void)unlink(path);
    clear_points(&p);
    return 0;
}
