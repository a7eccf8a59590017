/*
 * What no reader of deflated datasets that uses libdeflate can be faster than: all their chunks are
 * put into memory, and libdeflate unpacks one after the other into a buffer that stays in the
 * processor's caches. Nothing is read, unshuffled or handed over.
 *
 *     bench_inflate FILE DATASET...
 *
 * The least seconds of several times go to stdout.
 */
#include <fcntl.h>
#include <hdf5.h>
#include <libdeflate.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kit.h"

enum { N_TIMES = 7 };

typedef struct chunk {
    size_t n_bytes;
    uint8_t *bytes;
} chunk;

typedef struct chunks {
    int fd;
    chunk *all;
    size_t n;
    size_t n_unpacked; /* bytes of the largest */
} chunks;

static _Noreturn void stop(const char *what)
{
    (void)fprintf(stderr, "bench_inflate: %s\n", what);
    exit(EXIT_FAILURE);
}

static int add(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *context)
{
    chunks *const c = context;

    (void)offset;
    if (mask == 0) {
        c->all = realloc(c->all, (c->n + 1) * sizeof *c->all);
        uint8_t *const bytes = malloc((size_t)size);
        if (c->all == NULL || bytes == NULL ||
            pread(c->fd, bytes, (size_t)size, (off_t)address) != (ssize_t)size) {
            stop("a chunk cannot be read");
        }
        c->all[c->n++] = (chunk){(size_t)size, bytes};
    }
    return 0;
}

static void add_dataset(chunks *c, hid_t file, const char *path)
{
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t dcpl = dataset >= 0 ? H5Dget_create_plist(dataset) : H5I_INVALID_HID;
    const hid_t type = dataset >= 0 ? H5Dget_type(dataset) : H5I_INVALID_HID;
    hsize_t rows = 0;

    if (dcpl < 0 || H5Pget_chunk(dcpl, 1, &rows) != 1 ||
        H5Dchunk_iter(dataset, H5P_DEFAULT, add, c) < 0) {
        stop(path);
    }
    const size_t n_bytes = (size_t)rows * H5Tget_size(type);
    c->n_unpacked = n_bytes > c->n_unpacked ? n_bytes : c->n_unpacked;
    (void)H5Tclose(type);
    (void)H5Pclose(dcpl);
    (void)H5Dclose(dataset);
}

static double inflate_all(const chunks *c, struct libdeflate_decompressor *inflater, uint8_t *out)
{
    const double began = now();
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (libdeflate_zlib_decompress(inflater, c->all[i].bytes, c->all[i].n_bytes, out,
                                       c->n_unpacked, &n) != LIBDEFLATE_SUCCESS) {
            stop("a chunk is not deflated, or damaged");
        }
    }
    return now() - began;
}

int main(int argc, char **argv)
{
    struct libdeflate_decompressor *const inflater = libdeflate_alloc_decompressor();
    chunks c = {.fd = argc > 1 ? open(argv[1], O_RDONLY) : -1};
    const hid_t file = argc > 2 ? H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT) : H5I_INVALID_HID;
    double least = 0;

    if (c.fd < 0 || file < 0 || inflater == NULL) {
        stop("usage: bench_inflate FILE DATASET...");
    }
    for (int i = 2; i < argc; i++) {
        add_dataset(&c, file, argv[i]);
    }
    uint8_t *const out = malloc(c.n_unpacked);
    if (out == NULL) {
        stop("memory");
    }
    for (int i = 0; i < N_TIMES; i++) {
        const double seconds = inflate_all(&c, inflater, out);
        least = i == 0 || seconds < least ? seconds : least;
    }
    (void)printf("%.9f\n", least);
    free(out);
    for (size_t i = 0; i < c.n; i++) {
        free(c.all[i].bytes);
    }
    free(c.all);
    libdeflate_free_decompressor(inflater);
    (void)H5Fclose(file);
    (void)close(c.fd);
    return EXIT_SUCCESS;
}
