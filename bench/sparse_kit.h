/*
 * What the programs that measure sparse arrays share: the clock, the elements, and what is done
 * where something fails, which is to say so and stop.
 *
 * 16384 x 16384 float32 in chunks of 1024 x 1024. Elements come in three patterns: scattered at
 * random, in blocks of 16 x 16, and in runs of 33 to 96 along the rows. Values are random multiples
 * of 2^-24 in (0, 1], as most generators of random floats make them; no codec saves more of them
 * than 8 of their 32 bits.
 */
#ifndef STOA_BENCH_SPARSE_KIT_H
#define STOA_BENCH_SPARSE_KIT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "kit.h"

enum { SIDE = 16384, CHUNK = 1024, GRID = SIDE / CHUNK, BLOCK = 16, CELL = 128 };

/* Of several times the shortest; 0 is none yet. */
static inline void better(double *best, double time)
{
    *best = *best == 0 || time < *best ? time : *best;
}

static inline _Noreturn void stop(const char *what)
{
    (void)fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static inline void *need(void *block)
{
    if (block == NULL) {
        stop("memory ran out");
    }
    return block;
}

static inline void succeed(stoa_status status, const stoa_error *err)
{
    if (status != STOA_OK) {
        (void)fprintf(stderr, "bench: %s: %s\n", err->where, err->message);
        exit(1);
    }
}

static inline void hdf(int64_t result)
{
    if (result < 0) {
        stop("libhdf5 has said why");
    }
}

/* splitmix64 */
static inline uint64_t mix(uint64_t z)
{
    z = (z + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline float value_of(uint64_t i)
{
    return (float)((mix(~i) >> 40) + 1) * 0x1p-24F;
}

/* --- elements -------------------------------------------------------------------------------- */

/* In row-major order. */
typedef struct points {
    uint64_t n;
    uint64_t *coordinates; /* shape (n, 2) */
    float *values;
} points;

typedef enum pattern { RANDOM, BLOCKS, RUNS, N_PATTERNS } pattern;
static const char *const pattern_names[] = {"random", "blocks", "runs"};

static inline bool is_chosen(uint64_t z, double share)
{
    return (double)(z >> 11) * 0x1p-53 < share;
}

/* Whether an element is there. Cells of a row hold a run or none. */
static inline bool is_there(pattern kind, double share, uint64_t row, uint64_t column)
{
    if (kind == RANDOM) {
        return is_chosen(mix(row * SIDE + column), share);
    }
    if (kind == BLOCKS) {
        return is_chosen(mix(row / BLOCK * SIDE + column / BLOCK), share);
    }
    const uint64_t z = mix(row * SIDE + column / CELL);
    const uint64_t first = z & 31;
    return is_chosen(z, share * CELL / 64.5) && column % CELL >= first &&
           column % CELL < first + 33 + mix(z) % 64;
}

static inline points make_points(pattern kind, double share)
{
    points p = {.n = 0};
    size_t room = (size_t)((double)SIDE * SIDE * share * 1.2) + 100000;

    p.coordinates = need(malloc(2 * room * sizeof *p.coordinates));
    p.values = need(malloc(room * sizeof *p.values));
    for (uint64_t row = 0; row < SIDE; row++) {
        for (uint64_t column = 0; column < SIDE; column++) {
            if (is_there(kind, share, row, column)) {
                if (p.n == room) {
                    stop("more elements than expected");
                }
                p.coordinates[2 * p.n] = row;
                p.coordinates[2 * p.n + 1] = column;
                p.values[p.n++] = value_of(row * SIDE + column);
            }
        }
    }
    return p;
}

static inline void clear_points(points *p)
{
    free(p->coordinates);
    free(p->values);
}

static inline stoa_sparse *make_array(hid_t file, const char *name, const char *values)
{
    const uint64_t extent[] = {SIDE, SIDE};
    const uint64_t chunk[] = {CHUNK, CHUNK};
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;

    options.chunk = chunk;
    options.values = values;
    succeed(stoa_sparse_create(file, name, H5T_IEEE_F32LE, 2, extent, &options, NULL, &array, &err),
            &err);
    return array;
}

static inline stoa_sparse *open_array(hid_t file, const char *name)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;

    succeed(stoa_sparse_open(file, name, NULL, &array, &err), &err);
    return array;
}

static inline void close_array(stoa_sparse *array)
{
    stoa_error err = STOA_ERROR_INIT;

    succeed(stoa_sparse_commit(array, &err), &err);
}

#endif
