/*
 * The limits that a scan of a column has: how fast this machine copies memory and reads a file that
 * it holds in memory, and how fast each codec unpacks columns like those of the bench.
 *
 *     cmake --build build --target bench_decoders
 *     build/bench/bench_decoders ROWS THREADS FILE
 *
 * FILE is made and removed again. One line of JSON a figure on stdout; GB/s are 10^9 bytes of
 * values, unpacked; encode_gb_per_s is of one thread, once. Chunks are unpacked into a buffer that
 * stays in the processor's caches, and come from memory where ROWS are many. $STOA_SIMD chooses
 * lesser instructions.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec/pipeline.h"
#include "core/threads.h"
#include "kit.h"

enum { CHUNK_ROWS = 1 << 17, N_TIMES = 7, BLOCK = 1 << 18, MAX_THREADS = 64, WIDEST = 8 };

static void must(stoa_status status, const stoa_error *err)
{
    if (status != STOA_OK) {
        (void)fprintf(stderr, "bench_decoders: %s\n", err->message);
        exit(1);
    }
}

static _Noreturn void stop(const char *what)
{
    (void)fprintf(stderr, "bench_decoders: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint8_t *memory(size_t size)
{
    uint8_t *block = stoa_alloc_aligned(64, size);

    if (block == NULL) {
        stop("memory");
    }
    memset(block, 0, size); /* the pages are there before anything is timed */
    return block;
}

/* --- columns --------------------------------------------------------------------------------- */

/* A number of a row that has no pattern: the mixing function of splitmix64. */
static uint64_t mixed(uint64_t row)
{
    uint64_t z = (row + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In no order, of 38 bits, another in each row: every step can be undone. */
static uint64_t id_of(uint64_t row)
{
    const uint64_t mask = (UINT64_C(1) << 38) - 1;
    uint64_t id = row * UINT64_C(0x9e3779b97f4a7c15) & mask;

    id ^= id >> 19;
    id = id * UINT64_C(0xbf58476d1ce4e5b9) & mask;
    return id ^ id >> 17;
}

/* Increasing, a thousand on average from row to row. */
static uint64_t time_of(uint64_t row)
{
    return UINT64_C(1700000000000000) + row * 1000 + mixed(row) % 1000;
}

/* Exponential, one in a thousand missing. */
static uint64_t energy_of(uint64_t row)
{
    const double uniform = (double)((mixed(row) >> 11) + 1) * 0x1p-53;
    const float energy = mixed(row) % 1000 == 0 ? NAN : (float)(-1000 * log(uniform));
    uint32_t bits;

    memcpy(&bits, &energy, sizeof bits);
    return bits;
}

static uint64_t detector_of(uint64_t row)
{
    return mixed(row) % 64;
}

static uint64_t label_of(uint64_t row)
{
    return mixed(row) % 4;
}

static uint64_t name_of(uint64_t row)
{
    return mixed(row) % 200000;
}

/* Minutes, most of them few, some below 0. */
static uint64_t delay_of(uint64_t row)
{
    const double uniform = (double)((mixed(row) >> 11) + 1) * 0x1p-53;

    return (uint64_t)(int64_t)(-40 * log(uniform)) - 30;
}

typedef struct bench_column {
    const char *name;
    const char *type;
    uint32_t size;
    bool is_float;
    uint64_t (*value)(uint64_t row);
} bench_column;

static const bench_column columns[] = {
    {"id", "int64", 8, false, id_of},          {"time", "int64", 8, false, time_of},
    {"energy", "float32", 4, true, energy_of}, {"detector", "int16", 2, false, detector_of},
    {"label", "int8", 1, false, label_of},     {"name code", "int32", 4, false, name_of},
    {"delay", "int16", 2, false, delay_of},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static void fill_column(const bench_column *column, uint64_t n_rows, uint8_t *values)
{
    for (uint64_t row = 0; row < n_rows; row++) {
        const uint64_t value = column->value(row);
        for (uint32_t i = 0; i < column->size; i++) { /* little-endian */
            *values++ = (uint8_t)(value >> (8 * i));
        }
    }
}

/* --- codecs ---------------------------------------------------------------------------------- */

static stoa_filter shuffle(const bench_column *column)
{
    return (stoa_filter){STOA_FILTER_SHUFFLE, 1, {column->size}};
}

static void no_codec(const bench_column *column, stoa_pipeline *pipeline)
{
    (void)column;
    pipeline->n_filters = 0;
}

static void scaleoffset(const bench_column *column, stoa_pipeline *pipeline)
{
    pipeline->n_filters = 1; /* the fill is 0, as it is by default */
    pipeline->filters[0] =
        (stoa_filter){STOA_FILTER_SCALEOFFSET, 20, {2, 0, CHUNK_ROWS, 0, column->size, 1, 0, 1}};
}

static void deflate(const bench_column *column, uint32_t level, stoa_pipeline *pipeline)
{
    pipeline->n_filters = 2;
    pipeline->filters[0] = shuffle(column);
    pipeline->filters[1] = (stoa_filter){STOA_FILTER_DEFLATE, 1, {level}};
}

static void fast_deflate(const bench_column *column, stoa_pipeline *pipeline)
{
    deflate(column, 1, pipeline);
}

static void usual_deflate(const bench_column *column, stoa_pipeline *pipeline)
{
    deflate(column, 4, pipeline);
}

static void zstd(const bench_column *column, stoa_pipeline *pipeline)
{
    pipeline->n_filters = 2;
    pipeline->filters[0] = shuffle(column);
    pipeline->filters[1] = (stoa_filter){STOA_FILTER_ZSTD, 1, {3}};
}

static void lz4(const bench_column *column, stoa_pipeline *pipeline)
{
    pipeline->n_filters = 2;
    pipeline->filters[0] = shuffle(column);
    pipeline->filters[1] = (stoa_filter){STOA_FILTER_LZ4, 1, {0}};
}

static void bitshuffle(const bench_column *column, stoa_pipeline *pipeline)
{
    pipeline->n_filters = 1;
    pipeline->filters[0] = (stoa_filter){STOA_FILTER_BITSHUFFLE, 5, {0, 5, column->size, 0, 2}};
}

static void blosc(const bench_column *column, stoa_pipeline *pipeline)
{
    pipeline->n_filters = 1;
    pipeline->filters[0] = (stoa_filter){
        STOA_FILTER_BLOSC, 7, {2, 2, column->size, CHUNK_ROWS * column->size, 5, 1, 1}};
}

static const struct {
    const char *name;
    void (*describe)(const bench_column *column, stoa_pipeline *pipeline);
} codecs[] = {
    {"none", no_codec},
    {"scale-offset", scaleoffset},
    {"shuffle+deflate1", fast_deflate},
    {"shuffle+deflate4", usual_deflate},
    {"shuffle+zstd3", zstd},
    {"shuffle+lz4", lz4},
    {"bitshuffle+lz4", bitshuffle},
    {"blosc lz4 shuffle", blosc},
};
enum { N_CODECS = sizeof codecs / sizeof codecs[0] };

/* --- what is timed --------------------------------------------------------------------------- */

/* A column's chunks, packed, and what each thread has for unpacking them. */
typedef struct bench_job {
    stoa_pipeline pipeline;
    const uint8_t *values; /* as they were */
    const uint8_t *stored;
    uint64_t *begins; /* of each chunk, and the end of the last one */
    uint32_t *masks;
    stoa_scratch scratches[MAX_THREADS];
    uint8_t *blocks[MAX_THREADS];
    bool is_checked;
    int file;
    uint8_t *copy;
} bench_job;

static stoa_status decode_part(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    bench_job *job = context;
    const size_t size = job->pipeline.chunk_bytes;
    const uint8_t *stored = job->stored + job->begins[part];
    const size_t n_stored = (size_t)(job->begins[part + 1] - job->begins[part]);
    const uint8_t *chunk = NULL;
    stoa_status status = STOA_OK;

    if (job->pipeline.n_filters == 0) { /* it would be left where it is */
        memcpy(job->blocks[worker], stored, n_stored);
        return STOA_OK;
    }
    STOA_TRY(stoa_pipeline_undo(&job->pipeline, job->masks[part], stored, n_stored,
                                &job->scratches[worker], job->blocks[worker], &chunk, err));
    if (job->is_checked && memcmp(chunk, job->values + part * size, size) != 0) {
        STOA_FAIL(err, STOA_EDATA, "chunk %llu is not what it was", (unsigned long long)part);
    }

done:
    return status;
}

static stoa_status copy_part(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const bench_job *job = context;

    (void)worker;
    (void)err;
    memcpy(job->copy + part * BLOCK, job->values + part * BLOCK, BLOCK);
    return STOA_OK;
}

static stoa_status read_part(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    const bench_job *job = context;

    if (pread(job->file, job->blocks[worker], BLOCK, (off_t)(part * BLOCK)) != BLOCK) {
        return stoa_fail(err, STOA_EIO, "pread: %s", strerror(errno));
    }
    return STOA_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Seconds that `n_parts` take; sorted, the least first. */
static void take_times(stoa_workers *workers, uint64_t n_parts, stoa_part part, bench_job *job,
                       double *times)
{
    stoa_error err = STOA_ERROR_INIT;

    must(stoa_workers_run(workers, n_parts, part, job, &err), &err); /* warms up */
    job->is_checked = false;
    for (int i = 0; i < N_TIMES; i++) {
        const double since = now();
        must(stoa_workers_run(workers, n_parts, part, job, &err), &err);
        times[i] = now() - since;
    }
    qsort(times, N_TIMES, sizeof *times, compare);
}

/* --- lines ----------------------------------------------------------------------------------- */

static const char *simd_name(stoa_simd simd)
{
    return simd == STOA_SIMD_AVX512 ? "avx512"
           : simd == STOA_SIMD_AVX2 ? "avx2"
           : simd == STOA_SIMD_NEON ? "neon"
                                    : "scalar";
}

static void say_limit(const char *what, unsigned n_threads, double bytes, const double *times)
{
    (void)printf("{\"limit\": \"%s\", \"threads\": %u, \"gb_per_s\": %.2f, "
                 "\"median_gb_per_s\": %.2f}\n",
                 what, n_threads, bytes / times[0] * 1e-9, bytes / times[N_TIMES / 2] * 1e-9);
    (void)fflush(stdout);
}

/* `packed`: bytes stored; `packing`: seconds that it took one thread. */
static void say_decoder(const bench_column *column, const char *codec, const bench_job *job,
                        unsigned n_threads, uint64_t n_values, uint64_t packed, double packing,
                        const double *times)
{
    const double bytes = (double)n_values * column->size;

    (void)printf("{\"decoder\": \"%s\", \"column\": \"%s\", \"type\": \"%s\", \"simd\": \"%s\", "
                 "\"threads\": %u, \"bytes_per_value\": %.3f, \"gb_per_s\": %.2f, "
                 "\"median_gb_per_s\": %.2f, \"encode_gb_per_s\": ",
                 codec, column->name, column->type, simd_name(job->pipeline.simd), n_threads,
                 (double)packed / (double)n_values, bytes / times[0] * 1e-9,
                 bytes / times[N_TIMES / 2] * 1e-9);
    if (job->pipeline.n_filters > 0) {
        (void)printf("%.2f}\n", bytes / packing * 1e-9);
    } else {
        (void)printf("null}\n");
    }
    (void)fflush(stdout);
}

/* --- measured -------------------------------------------------------------------------------- */

static void measure_limits(bench_job *job, stoa_workers *workers, uint64_t n_bytes,
                           const char *path)
{
    const uint64_t n_parts = n_bytes / BLOCK;
    const unsigned n_threads = stoa_workers_count(workers);
    double times[N_TIMES];

    job->copy = memory(n_bytes);
    take_times(workers, n_parts, copy_part, job, times);
    say_limit("memcpy", n_threads, (double)n_bytes, times);
    free(job->copy);

    job->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (job->file < 0) {
        stop(path);
    }
    (void)unlink(path); /* its pages stay as long as it is open */
    for (uint64_t i = 0; i < n_parts; i++) {
        if (write(job->file, job->values + i * BLOCK, BLOCK) != BLOCK) {
            stop(path);
        }
    }
    take_times(workers, n_parts, read_part, job, times);
    say_limit("pread of cached pages", n_threads, (double)n_bytes, times);
    (void)close(job->file);
}

/* All chunks of a column, one after the other; the seconds it took. */
static double pack(bench_job *job, uint64_t n_chunks, uint8_t *stored)
{
    const size_t size = job->pipeline.chunk_bytes;
    double seconds = 0;
    stoa_error err = STOA_ERROR_INIT;

    job->begins[0] = 0;
    for (uint64_t i = 0; i < n_chunks; i++) {
        const uint8_t *packed = NULL;
        size_t n = 0;
        const double since = now();
        must(stoa_pipeline_apply(&job->pipeline, job->values + i * size, &job->scratches[0],
                                 &packed, &n, &job->masks[i], &err),
             &err);
        seconds += now() - since;
        memcpy(stored + job->begins[i], packed, n);
        job->begins[i + 1] = job->begins[i] + n;
    }
    return seconds;
}

static void measure_column(bench_job *job, stoa_workers *workers, const bench_column *column,
                           uint64_t n_chunks, uint8_t *stored)
{
    double times[N_TIMES];

    for (size_t i = 0; i < N_CODECS; i++) {
        job->pipeline = (stoa_pipeline){.chunk_bytes = (size_t)CHUNK_ROWS * column->size,
                                        .element_size = column->size,
                                        .simd = stoa_simd_of_cpu()};
        codecs[i].describe(column, &job->pipeline);
        if (column->is_float && codecs[i].describe == scaleoffset) {
            continue;
        }
        if (!stoa_pipeline_is_known(&job->pipeline)) {
            (void)fprintf(stderr, "bench_decoders: this build has no %s\n", codecs[i].name);
            continue;
        }
        const double packing = pack(job, n_chunks, stored);
        job->stored = stored;
        job->is_checked = true;
        take_times(workers, n_chunks, decode_part, job, times);
        say_decoder(column, codecs[i].name, job, stoa_workers_count(workers), n_chunks * CHUNK_ROWS,
                    job->begins[n_chunks], packing, times);
    }
}

static void measure(bench_job *job, stoa_workers *workers, uint64_t n_chunks, const char *path)
{
    const size_t n_values = (size_t)n_chunks * CHUNK_ROWS;
    uint8_t *values = memory(n_values * WIDEST);
    uint8_t *stored = memory(n_values * WIDEST);

    job->values = values;
    job->begins = calloc(n_chunks + 1, sizeof *job->begins);
    job->masks = calloc(n_chunks, sizeof *job->masks);
    if (job->begins == NULL || job->masks == NULL) {
        stop("memory");
    }
    for (unsigned i = 0; i < stoa_workers_count(workers); i++) {
        job->blocks[i] = memory((size_t)CHUNK_ROWS * WIDEST);
    }
    for (size_t i = 0; i < N_COLUMNS; i++) {
        fill_column(&columns[i], n_values, values);
        if (i == 0) {
            measure_limits(job, workers, n_values * WIDEST, path);
        }
        measure_column(job, workers, &columns[i], n_chunks, stored);
    }
    for (unsigned i = 0; i < stoa_workers_count(workers); i++) {
        stoa_scratch_clear(&job->scratches[i]);
        free(job->blocks[i]);
    }
    free(job->begins);
    free(job->masks);
    free(values);
    free(stored);
}

int main(int argc, char **argv)
{
    static bench_job job;
    stoa_workers *workers = NULL;
    stoa_error err = STOA_ERROR_INIT;

    if (argc != 4) {
        (void)fprintf(stderr, "usage: bench_decoders ROWS THREADS FILE\n");
        return 2;
    }
    const uint64_t n_chunks = strtoull(argv[1], NULL, 10) / CHUNK_ROWS;
    const unsigned n_threads = (unsigned)strtoul(argv[2], NULL, 10);
    if (n_chunks == 0 || n_threads == 0 || n_threads > MAX_THREADS) {
        (void)fprintf(stderr, "bench_decoders: %d rows or more, 1 to %d threads\n", CHUNK_ROWS,
                      MAX_THREADS);
        return 2;
    }
    must(stoa_workers_open(n_threads, &workers, &err), &err);
    measure(&job, workers, n_chunks, argv[3]);
    stoa_workers_close(workers);
    return 0;
}
