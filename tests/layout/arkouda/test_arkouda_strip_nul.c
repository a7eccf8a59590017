/* Strings without their NULs, by each instruction set that this processor has, for
 * src/layout/arkouda/read/offsets_simd_*.c. */
#include <stdlib.h>
#include <string.h>

#include "layout/arkouda/read/offsets_simd.h"
#include "support/check.h"

enum { MOST = 300, LONGEST = 200 };

/* Every table that can be called here. */
static size_t find_all(const stoa_arkouda_offsets_simd **all)
{
    size_t n = 0;

    for (int simd = STOA_SIMD_SCALAR; simd <= (int)stoa_simd_of_cpu(); simd++) {
        all[n++] = stoa_arkouda_offsets_simd_of((stoa_simd)simd);
    }
    return n;
}

/* Random strings, made together with what they are without NULs, a byte at a time. */
typedef struct sample {
    uint8_t bytes[MOST * (LONGEST + 1) + STOA_ARKOUDA_SLACK];
    uint8_t wanted[MOST * (LONGEST + 1)];
    int64_t starts[MOST + 1];
    uint64_t n;
    size_t n_wanted;
} sample;

static void fill(sample *s, uint64_t longest)
{
    int64_t at = 0;
    const int64_t base = (int64_t)check_random_below(1000000);

    s->n = check_random_below(MOST + 1);
    s->n_wanted = 0;
    memset(s->bytes, 0, sizeof s->bytes);
    for (uint64_t i = 0; i < s->n; i++) {
        s->starts[i] = base + at;
        for (uint64_t left = check_random_below(longest + 1); left > 0; left--) {
            const uint8_t byte = (uint8_t)(1 + check_random_below(255));
            s->bytes[at++] = byte;
            s->wanted[s->n_wanted++] = byte;
        }
        at++;
    }
    s->starts[s->n] = base + at;
}

static void strings_lose_their_nuls_and_nothing_else(void)
{
    static sample s;
    static uint8_t out[sizeof s.wanted + STOA_ARKOUDA_SLACK];
    const stoa_arkouda_offsets_simd *all[8];
    const size_t n_all = find_all(all);

    for (uint64_t i = check_n_cases(300); i > 0; i--) {
        fill(&s, i % 3 == 0 ? LONGEST : i % 3 == 1 ? 14 : 1);
        for (size_t k = 0; k < n_all; k++) {
            memset(out, 0xee, sizeof out);
            CHECK_U64(all[k]->strip_nul(s.bytes, s.starts, s.n, out), s.n);
            CHECK(memcmp(out, s.wanted, s.n_wanted) == 0);
            for (size_t b = s.n_wanted + STOA_ARKOUDA_SLACK; b < sizeof out; b++) {
                CHECK_U64(out[b], 0xee); /* beyond the slack nothing is written */
            }
        }
    }
}

static void nuls_inside_of_strings_are_counted(void)
{
    static sample s;
    static uint8_t out[sizeof s.wanted + STOA_ARKOUDA_SLACK];
    const stoa_arkouda_offsets_simd *all[8];
    const size_t n_all = find_all(all);

    for (uint64_t i = check_n_cases(100); i > 0; i--) {
        fill(&s, 40);
        const uint64_t n_bytes = (uint64_t)(s.starts[s.n] - s.starts[0]);
        uint64_t n_nuls = 0;
        for (uint64_t b = 0; b < n_bytes; b++) {
            s.bytes[b] = check_random_below(50) == 0 ? 0 : s.bytes[b];
            n_nuls += s.bytes[b] == 0;
        }
        for (size_t k = 0; k < n_all; k++) {
            CHECK_U64(all[k]->strip_nul(s.bytes, s.starts, s.n, out), n_nuls);
        }
    }
}

/* More bytes than a byte can count to, of each lane. */
static void many_nuls_are_counted(void)
{
    enum { N = 200000 };
    uint8_t *const bytes = calloc(N + STOA_ARKOUDA_SLACK, 1);
    uint8_t *const out = malloc(N + STOA_ARKOUDA_SLACK);
    int64_t *const starts = calloc(N + 1, sizeof *starts);
    const stoa_arkouda_offsets_simd *all[8];
    const size_t n_all = find_all(all);

    for (int64_t i = 0; i <= N; i++) {
        starts[i] = i;
    }
    for (size_t k = 0; k < n_all; k++) {
        CHECK_U64(all[k]->strip_nul(bytes, starts, N, out), N);
    }
    free(bytes);
    free(out);
    free(starts);
}

TEST_MAIN(TEST(strings_lose_their_nuls_and_nothing_else), TEST(nuls_inside_of_strings_are_counted),
          TEST(many_nuls_are_counted))
