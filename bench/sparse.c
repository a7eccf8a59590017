/*
 * How fast a sparse array is written from coordinates and read back, and how small it is, against
 * the same elements in stock dense chunks, deflated with and without shuffle; all in one run, as
 * ratios:
 *
 *     cmake --build build --target bench_sparse
 *     build/bench/bench_sparse FILE [PERCENT]
 *
 * 16384 x 16384 float32, chunks of 1024 x 1024, PERCENT (1) of the elements, scattered at random.
 * "read" of a dense array is H5Dread() and finding what is not 0. FILE is made, and left there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stoa/stoa.h>

enum { SIDE = 16384, CHUNK = 1024, MOST_TIMES = 3 };

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* splitmix64 */
static uint64_t mix(uint64_t z)
{
    z = (z + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void *need(void *block)
{
    if (block == NULL) {
        (void)fprintf(stderr, "memory ran out\n");
        exit(1);
    }
    return block;
}

static void succeed(stoa_status status, const stoa_error *err)
{
    if (status != STOA_OK) {
        (void)fprintf(stderr, "%s: %s\n", err->where, err->message);
        exit(1);
    }
}

static void hdf(int64_t result)
{
    if (result < 0) {
        exit(1); /* libhdf5 has said why */
    }
}

/* What is written: in row-major order. */
typedef struct points {
    uint64_t n;
    uint64_t *coordinates;
    float *values;
} points;

static points make_points(double percent)
{
    const uint64_t limit = (uint64_t)(percent / 100 * 18446744073709549568.0);
    const uint64_t all = (uint64_t)SIDE * SIDE;
    points p = {.n = 0};
    size_t room = (size_t)((double)all * percent / 100 * 1.1) + 1000;

    p.coordinates = need(malloc(2 * room * sizeof *p.coordinates));
    p.values = need(malloc(room * sizeof *p.values));
    for (uint64_t i = 0; i < all && p.n < room; i++) {
        const uint64_t z = mix(i);
        if (z < limit) {
            p.coordinates[2 * p.n] = i / SIDE;
            p.coordinates[2 * p.n + 1] = i % SIDE;
            p.values[p.n++] = (float)(mix(z) >> 40) * 0x1p-24F + 0x1p-30F;
        }
    }
    return p;
}

/* Of several times the shortest. */
typedef struct result {
    double write;
    double read;
    double bytes;
} result;

static void better(double *best, double time)
{
    *best = *best == 0 || time < *best ? time : *best;
}

/* --- stock ----------------------------------------------------------------------------------- */

static result stock(hid_t file, const char *name, const points *p, bool shuffles)
{
    const hsize_t extent[] = {SIDE, SIDE};
    const hsize_t chunk[] = {CHUNK, CHUNK};
    float *dense = need(calloc((size_t)SIDE * SIDE, sizeof *dense));
    uint64_t *coordinates = need(malloc(2 * p->n * sizeof *coordinates));
    float *values = need(malloc(p->n * sizeof *values));
    const hid_t space = H5Screate_simple(2, extent, NULL);
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    result r = {.write = 0};
    uint64_t n = 0;

    hdf(H5Pset_chunk(dcpl, 2, chunk));
    if (shuffles) {
        hdf(H5Pset_shuffle(dcpl));
    }
    hdf(H5Pset_deflate(dcpl, 1));
    for (uint64_t i = 0; i < p->n; i++) {
        dense[p->coordinates[2 * i] * SIDE + p->coordinates[2 * i + 1]] = p->values[i];
    }
    double start = now();
    hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    hdf(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, dense));
    r.bytes = (double)H5Dget_storage_size(dataset);
    hdf(H5Dclose(dataset));
    r.write = now() - start;
    start = now();
    dataset = H5Dopen2(file, name, H5P_DEFAULT);
    hdf(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, dense));
    hdf(H5Dclose(dataset));
    for (uint64_t i = 0; i < (uint64_t)SIDE * SIDE; i++) {
        if (dense[i] != 0) {
            coordinates[2 * n] = i / SIDE;
            coordinates[2 * n + 1] = i % SIDE;
            values[n++] = dense[i];
        }
    }
    r.read = now() - start;
    if (n != p->n || memcmp(values, p->values, n * sizeof *values) != 0) {
        exit(1);
    }
    hdf(H5Pclose(dcpl));
    hdf(H5Sclose(space));
    free(dense);
    free(coordinates);
    free(values);
    return r;
}

/* --- ours ------------------------------------------------------------------------------------ */

static result sparse(hid_t file, const char *name, const points *p, const char *positions,
                     const char *values)
{
    const uint64_t extent[] = {SIDE, SIDE};
    const uint64_t chunk[] = {CHUNK, CHUNK};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    result r = {.write = 0};

    options.chunk = chunk;
    options.positions = positions;
    options.values = values;
    for (int i = 0; i < MOST_TIMES; i++) {
        char own[64];
        stoa_sparse *array = NULL;
        stoa_sparse_points found;
        stoa_sparse_info info;
        (void)snprintf(own, sizeof own, "%s-%d", name, i);
        double start = now();
        succeed(
            stoa_sparse_create(file, own, H5T_IEEE_F32LE, 2, extent, &options, NULL, &array, &err),
            &err);
        succeed(stoa_sparse_write(array, p->n, p->coordinates, p->values, STOA_FILE_NATIVE, &err),
                &err);
        succeed(stoa_sparse_close(array, &err), &err);
        better(&r.write, now() - start);
        start = now();
        succeed(stoa_sparse_open(file, own, NULL, &array, &err), &err);
        succeed(stoa_sparse_read(array, NULL, NULL, STOA_FILE_NATIVE, &found, &err), &err);
        better(&r.read, now() - start);
        if (found.n != p->n || memcmp(found.values, p->values, p->n * sizeof *p->values) != 0 ||
            memcmp(found.coordinates, p->coordinates, 2 * p->n * sizeof(uint64_t)) != 0) {
            exit(1);
        }
        stoa_sparse_points_clear(&found);
        succeed(stoa_sparse_describe(array, &info, &err), &err);
        r.bytes = (double)info.n_stored_bytes;
        succeed(stoa_sparse_close(array, &err), &err);
    }
    return r;
}

static void show(const char *name, const result *r, const result *best)
{
    (void)printf("%-28s write %7.0f ms %6.1fx   read %7.0f ms %6.1fx   %7.2f MB %5.2fx\n", name,
                 1e3 * r->write, best->write / r->write, 1e3 * r->read, best->read / r->read,
                 1e-6 * r->bytes, best->bytes / r->bytes);
}

int main(int argc, char **argv)
{
    const char *const codecs[] = {"none", "lz4", "zstd:1", "deflate:1"};

    if (argc < 2) {
        (void)fprintf(stderr, "bench_sparse FILE [PERCENT]\n");
        return 2;
    }
    const points p = make_points(argc > 2 ? strtod(argv[2], NULL) : 1);
    const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hdf(file);
    const result plain = stock(file, "deflate", &p, false);
    const result shuffled = stock(file, "shuffle", &p, true);
    /* The better of both in each. */
    const result best = {.write = plain.write < shuffled.write ? plain.write : shuffled.write,
                         .read = plain.read < shuffled.read ? plain.read : shuffled.read,
                         .bytes = plain.bytes < shuffled.bytes ? plain.bytes : shuffled.bytes};
    (void)printf("%llu elements\n", (unsigned long long)p.n);
    show("dense, deflate:1", &plain, &best);
    show("dense, shuffle, deflate:1", &shuffled, &best);
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "sparse, values %s", codecs[i]);
        const result r = sparse(file, codecs[i], &p, "none", codecs[i]);
        show(name, &r, &best);
    }
    hdf(H5Fclose(file));
    free(p.coordinates);
    free(p.values);
    return 0;
}
