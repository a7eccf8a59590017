/*
 * How fast LH5's two codecs of waveforms are undone, beside a plain copy of the samples.
 *
 *     cmake --build build --target bench_waveforms
 *     build/bench/bench_waveforms ROWS
 *
 * Rows are pulses of 1400 samples of 16 bits: noise, a step, a slow decay. One thread; the least of
 * 7 interleaved times each. One line of JSON a figure on stdout: GB/s are 10^9 bytes of decoded
 * samples (int32), `of_copy` is the ratio to the copy. $STOA_SIMD chooses lesser instructions.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/kernels/waveform.h"
#include "kit.h"

enum { N_SAMPLES = 1400, N_TIMES = 7, N_WAYS = 3, SHIFT = -32768 };
static const char *const names[N_WAYS] = {"copy", "uleb128_zigzag_diff", "radware_sigcompress"};

typedef struct rows {
    size_t n;
    int32_t *samples;
    int32_t *out; /* of one row: it stays in the processor's caches */
    uint8_t *packed[N_WAYS];
    size_t *ends[N_WAYS];
} rows;

static void *memory(size_t n, size_t size)
{
    void *const block = calloc(n, size);

    if (block == NULL) {
        perror("bench_waveforms");
        exit(1);
    }
    return block;
}

static void make_pulse(int32_t *samples, uint32_t *seed)
{
    for (int i = 0; i < N_SAMPLES; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        const double pulse = i < 400 ? 0 : 4000 * exp(-(i - 400) / 3000.0);
        samples[i] = (int32_t)(13700 + pulse + (double)(*seed >> 24) / 16);
    }
}

static void make(rows *r)
{
    const size_t room = stoa_uleb128_bound(N_SAMPLES);
    uint32_t seed = 1;

    r->samples = memory(r->n * N_SAMPLES, sizeof *r->samples);
    r->out = memory(N_SAMPLES, sizeof *r->out);
    for (int way = 1; way < N_WAYS; way++) {
        r->packed[way] = memory(r->n, room);
        r->ends[way] = memory(r->n + 1, sizeof(size_t));
    }
    for (size_t i = 0; i < r->n; i++) {
        int32_t *const row = r->samples + i * N_SAMPLES;
        size_t n_bytes = 0;
        make_pulse(row, &seed);
        r->ends[1][i + 1] =
            r->ends[1][i] + stoa_uleb128_do(row, N_SAMPLES, r->packed[1] + r->ends[1][i]);
        if (stoa_sigcompress_do(row, N_SAMPLES, SHIFT, r->packed[2] + r->ends[2][i], &n_bytes)) {
            exit(1);
        }
        r->ends[2][i + 1] = r->ends[2][i] + n_bytes;
    }
}

static double take_time(const rows *r, int way, const stoa_waveform_kernels *kernels)
{
    const double begin = now();

    for (size_t i = 0; i < r->n; i++) {
        const int32_t *const row = r->samples + i * N_SAMPLES;
        const char *wrong = NULL;
        if (way == 0) {
            memcpy(r->out, row, N_SAMPLES * sizeof *row);
            __asm__ volatile("" ::: "memory");
            continue;
        }
        const uint8_t *const at = r->packed[way] + r->ends[way][i];
        const size_t n_bytes = r->ends[way][i + 1] - r->ends[way][i];
        wrong = way == 1 ? kernels->undo_uleb128(at, n_bytes, r->out, N_SAMPLES)
                         : kernels->undo_sigcompress(at, n_bytes, SHIFT, r->out, N_SAMPLES);
        if (wrong != NULL || r->out[N_SAMPLES - 1] != row[N_SAMPLES - 1]) {
            exit(1);
        }
    }
    return now() - begin;
}

int main(int argc, char **argv)
{
    rows r = {.n = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000};
    const stoa_waveform_kernels *const kernels = stoa_waveform_kernels_of(stoa_simd_of_cpu());
    double least[N_WAYS] = {1e9, 1e9, 1e9};

    make(&r);
    for (int round = 0; round < N_TIMES; round++) {
        for (int way = 0; way < N_WAYS; way++) {
            const double took = take_time(&r, way, kernels);
            least[way] = took < least[way] ? took : least[way];
        }
    }
    for (int way = 0; way < N_WAYS; way++) {
        const double bytes = (double)(r.n * N_SAMPLES * sizeof(int32_t));
        (void)printf("{\"codec\": \"%s\", \"gb_per_s\": %.2f, \"of_copy\": %.3f, "
                     "\"bytes_a_sample\": %.2f}\n",
                     names[way], bytes / least[way] * 1e-9, least[0] / least[way],
                     way == 0 ? 4 : (double)r.ends[way][r.n] / (double)(r.n * N_SAMPLES));
    }
    for (int way = 1; way < N_WAYS; way++) {
        free(r.packed[way]);
        free(r.ends[way]);
    }
    free(r.samples);
    free(r.out);
    return 0;
}
