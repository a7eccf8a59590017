#include <stdlib.h>
#include <string.h>

#include "codec/bytes.h"
#include "sparse/format/positions.h"
#include "sparse/format/positions_gaps.h"
#include "sparse/format/varint.h"

/* The first byte of section 0. */
typedef enum form {
    FORM_ALL = 1, /* every element; no data follow */
    FORM_RUNS,    /* pairs of gap and length */
    FORM_GAPS,    /* Rice-coded distances between positions */
    FORM_HOLES,   /* Rice-coded distances between undefined elements */
    FORM_BITMAP   /* one bit per element */
} form;

/* What the sizes of the forms follow from. */
typedef struct costs {
    uint64_t n_runs;
    uint64_t quotients[3]; /* sums of gap >> k, for k from `low` on */
    unsigned low;
} costs;

size_t stoa_positions_bound(uint64_t n_elements)
{
    return 1 + (size_t)stoa_bit_bytes(n_elements);
}

/* --- cost of each form ----------------------------------------------------------------------- */

static unsigned log2_floor(uint64_t value)
{
    return value == 0 ? 0 : 63 - (unsigned)__builtin_clzll(value);
}

/* The Rice parameter is close to log2 of the mean gap. Three values are tried, beginning one below
 * it. */
static unsigned lowest_parameter(uint64_t span, uint64_t n)
{
    const unsigned k = log2_floor((span - n) / n);

    return k > 0 ? k - 1 : 0;
}

/* Measure gaps and runs of `n` > 0 positions. */
STOA_CLONES static costs cost_of(const uint32_t *positions, size_t n)
{
    const uint64_t first = positions[0];
    const unsigned low = lowest_parameter((uint64_t)positions[n - 1] + 1, n);
    uint64_t n_runs = 1;
    uint64_t sums[] = {first >> low, first >> (low + 1), first >> (low + 2)};

    for (size_t i = 1; i < n; i++) {
        const uint64_t gap = positions[i] - positions[i - 1] - 1;
        n_runs += gap > 0;
        sums[0] += gap >> low;
        sums[1] += gap >> (low + 1);
        sums[2] += gap >> (low + 2);
    }
    return (costs){.n_runs = n_runs, .quotients = {sums[0], sums[1], sums[2]}, .low = low};
}

static uint64_t rice_bytes(const costs *found, size_t n, unsigned j)
{
    return 2 + stoa_bit_bytes((uint64_t)n * (found->low + j)) +
           stoa_bit_bytes(n + found->quotients[j]);
}

/* The best parameter and its cost. */
static unsigned best_parameter(const costs *found, size_t n, uint64_t *bytes)
{
    unsigned best = 0;

    for (unsigned j = 1; j < 3; j++) {
        if (rice_bytes(found, n, j) < rice_bytes(found, n, best)) {
            best = j;
        }
    }
    *bytes = rice_bytes(found, n, best);
    return found->low + best;
}

/* --- writing --------------------------------------------------------------------------------- */

/* The run that begins with element i: its length, and the gap before it as it is written. `*next`
 * is the element after the run before, and becomes that after this one. */
static size_t next_run(const uint32_t *positions, size_t n, size_t i, uint64_t *next, uint64_t *gap)
{
    const uint32_t first = positions[i];
    size_t length = 1;

    while (i + length < n && positions[i + length] == first + length) {
        length++;
    }
    *gap = first - *next - (i > 0);
    *next = (uint64_t)first + length;
    return length;
}

static uint64_t run_bytes(const uint32_t *positions, size_t n, uint64_t n_runs)
{
    uint64_t n_bytes = stoa_varint_size(n_runs);
    uint64_t next = 0;
    uint64_t gap = 0;

    for (size_t i = 0; i < n;) {
        const size_t length = next_run(positions, n, i, &next, &gap);
        n_bytes += stoa_varint_size(gap) + stoa_varint_size(length - 1);
        i += length;
    }
    return n_bytes;
}

static uint8_t *put_runs(const uint32_t *positions, size_t n, uint64_t n_runs, uint8_t *to)
{
    uint64_t next = 0;
    uint64_t gap = 0;

    to += stoa_varint_put(to, n_runs);
    for (size_t i = 0; i < n;) {
        const size_t length = next_run(positions, n, i, &next, &gap);
        to += stoa_varint_put(to, gap);
        to += stoa_varint_put(to, length - 1);
        i += length;
    }
    return to;
}

/* Writes bits, starting with the low bits of each byte. */
typedef struct bit_writer {
    uint8_t *to;
    uint64_t word; /* pending bits */
    unsigned n;    /* number of pending bits; below 64 */
} bit_writer;

/* `value` has at most n_bits bits; n_bits is at most 32. */
static inline void put_bits(bit_writer *w, uint64_t value, unsigned n_bits)
{
    w->word |= value << w->n;
    w->n += n_bits;
    if (w->n >= 64) {
        stoa_put_le64(w->to, w->word);
        w->to += 8;
        w->n -= 64;
        w->word = w->n > 0 ? value >> (n_bits - w->n) : 0;
    }
}

/* That many zeros and a one. */
static inline void put_unary(bit_writer *w, uint64_t n_zeros)
{
    for (; n_zeros > 31; n_zeros -= 32) {
        put_bits(w, 0, 32);
    }
    put_bits(w, UINT64_C(1) << n_zeros, (unsigned)n_zeros + 1);
}

static uint8_t *end_bits(const bit_writer *w)
{
    uint8_t *to = w->to;

    for (unsigned i = 0; i < w->n; i += 8) {
        *to++ = (uint8_t)(w->word >> i);
    }
    return to;
}

/* Write the k low bits of every gap, then the rest of every gap in unary. */
STOA_CLONES static uint8_t *put_gaps(const uint32_t *positions, size_t n, unsigned k, uint8_t *to)
{
    const uint64_t mask = (UINT64_C(1) << k) - 1;
    bit_writer lows = {.to = to + 1};
    bit_writer highs = {.to = lows.to + stoa_bit_bytes((uint64_t)n * k)};
    uint64_t next = 0;

    *to = (uint8_t)k;
    for (size_t i = 0; i < n; i++) {
        const uint64_t gap = positions[i] - next;
        put_bits(&lows, gap & mask, k);
        put_unary(&highs, gap >> k);
        next = (uint64_t)positions[i] + 1;
    }
    (void)end_bits(&lows);
    return end_bits(&highs);
}

static uint8_t *put_bitmap(const uint32_t *positions, size_t n, uint64_t n_elements, uint8_t *to)
{
    const size_t n_bytes = (size_t)stoa_bit_bytes(n_elements);

    memset(to, 0, n_bytes);
    for (size_t i = 0; i < n; i++) {
        stoa_bit_set(to, positions[i]);
    }
    return to + n_bytes;
}

/* The complement of `positions`. The caller frees it. */
static uint32_t *holes_of(const uint32_t *positions, size_t n, uint64_t n_elements)
{
    uint32_t *holes = stoa_alloc((size_t)(n_elements - n), sizeof *holes);
    uint64_t next = 0;
    size_t n_holes = 0;

    for (size_t i = 0; holes != NULL && i <= n; i++) {
        const uint64_t end = i < n ? positions[i] : n_elements;
        while (next < end) {
            holes[n_holes++] = (uint32_t)next++;
        }
        next = end + 1;
    }
    return holes;
}

stoa_status stoa_positions_encode(const uint32_t *positions, size_t n, uint64_t n_elements,
                                  stoa_buffer *out, stoa_error *err)
{
    const size_t most = stoa_positions_bound(n_elements);
    const size_t n_holes = (size_t)(n_elements - n);
    const bool by_holes = n_holes > 0 && n_holes < n;
    uint32_t *holes = NULL;
    stoa_status status = STOA_OK;

    if (n == 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_buffer_reserve(out, most + 16,
                                 err)); /* 16: a word of bits may extend beyond the end */
    uint8_t *to = out->data + out->size;
    const uint8_t *from = to;
    if (n_holes == 0) {
        *to++ = FORM_ALL;
        goto done;
    }
    if (by_holes) {
        holes = holes_of(positions, n, n_elements);
        if (holes == NULL) {
            status = stoa_fail_memory(err);
            goto done;
        }
    }
    const costs of_runs = cost_of(positions, n);
    const costs of_gaps = by_holes ? cost_of(holes, n_holes) : of_runs;
    uint64_t gap_bytes = 0;
    const unsigned k = best_parameter(&of_gaps, by_holes ? n_holes : n, &gap_bytes);
    const uint64_t least = gap_bytes < most ? gap_bytes : most;

    /* A run takes two bytes or more. */
    if (2 * of_runs.n_runs < least && 1 + run_bytes(positions, n, of_runs.n_runs) <= least) {
        *to++ = FORM_RUNS;
        to = put_runs(positions, n, of_runs.n_runs, to);
    } else if (gap_bytes < most) {
        *to++ = by_holes ? FORM_HOLES : FORM_GAPS;
        to = by_holes ? put_gaps(holes, n_holes, k, to) : put_gaps(positions, n, k, to);
    } else {
        *to++ = FORM_BITMAP;
        to = put_bitmap(positions, n, n_elements, to);
    }

done:
    if (status == STOA_OK) {
        out->size += (size_t)(to - from);
    }
    free(holes);
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

static bool get_runs(const uint8_t *at, const uint8_t *end, size_t n, uint64_t n_elements,
                     uint32_t *positions)
{
    uint64_t n_runs = 0;
    uint64_t next = 0;
    size_t i = 0;

    if (!stoa_varint_get(&at, end, &n_runs)) {
        return false;
    }
    for (uint64_t run = 0; run < n_runs; run++) {
        uint64_t gap = 0;
        uint64_t length = 0;
        if (!stoa_varint_get(&at, end, &gap) || !stoa_varint_get(&at, end, &length) ||
            gap >= n_elements || length >= n - i) {
            return false;
        }
        next += gap + (run > 0);
        length++;
        if (next + length > n_elements) {
            return false;
        }
        for (uint64_t j = 0; j < length; j++) {
            positions[i++] = (uint32_t)(next + j);
        }
        next += length;
    }
    return i == n && at == end;
}

/* Load eight bytes from `at`. Bytes after `end` are 0. */
static inline uint64_t load_bits(const uint8_t *at, const uint8_t *end)
{
    uint8_t last[8] = {0};

    if (end - at >= 8) {
        return stoa_get_le64(at);
    }
    if (at < end) {
        memcpy(last, at, (size_t)(end - at));
    }
    return stoa_get_le64(last);
}

/* Decode the elements of one word, up to `n` in total. Used near the end, where whole words of low
 * bits cannot be read. */
static void get_last_word(stoa_gaps *g, uint64_t base, uint64_t word, size_t n, uint32_t *positions)
{
    const uint64_t mask = (UINT64_C(1) << g->k) - 1;

    for (; word != 0 && g->i < n; word &= word - 1, g->i++) {
        const uint64_t from = (uint64_t)g->i * g->k;
        g->sum += load_bits(g->lows + from / 8, g->end) >> (from & 7) & mask;
        g->bit = base + (unsigned)__builtin_ctzll(word);
        positions[g->i] = (uint32_t)(g->sum + ((g->bit - g->i) << g->k) + g->i);
    }
}

static bool get_gaps(const uint8_t *at, const uint8_t *end, size_t n, uint64_t n_elements,
                     uint32_t *positions)
{
    if (at == end || *at > 31) {
        return false;
    }
    stoa_gaps g = {.lows = at + 1, .end = end, .k = *at};
    const uint64_t n_lows = stoa_bit_bytes((uint64_t)n * g.k);
    const uint64_t n_there = (uint64_t)(end - g.lows);
    if (n_lows > n_there) {
        return false;
    }
    const uint8_t *highs = g.lows + n_lows;
    const uint64_t n_bits = (n_there - n_lows) * 8;
    /* Prevents overflow below. Elements ascend, so if the last one is in range, all are. */
    if (n_bits < n || n_bits - n > (n_elements >> g.k) + 7) {
        return false;
    }
    uint64_t base = stoa_gaps_words_of(stoa_simd_of_cpu())(&g, highs, 0, n_bits, n, positions);
    for (; base < n_bits && g.i < n; base += 64) {
        get_last_word(&g, base, load_bits(highs + base / 8, end), n, positions);
    }
    /* The last byte contains the last 1, and only zeros after it. */
    const uint64_t n_used = g.bit + 1;
    return g.i == n && g.sum + ((g.bit - (n - 1)) << g.k) + (n - 1) < n_elements &&
           stoa_bit_bytes(n_used) * 8 == n_bits &&
           ((n_used & 7) == 0 || end[-1] >> (n_used & 7) == 0);
}

static bool get_bitmap(const uint8_t *at, const uint8_t *end, size_t n, uint64_t n_elements,
                       uint32_t *positions)
{
    const uint64_t n_bytes = stoa_bit_bytes(n_elements);
    size_t i = 0;

    if ((uint64_t)(end - at) != n_bytes ||
        ((n_elements & 7) != 0 && end[-1] >> (n_elements & 7) != 0) ||
        stoa_bit_count(at, 0, n_elements) != n) {
        return false;
    }
    for (uint64_t base = 0; base < n_bytes; base += 8) {
        for (uint64_t word = load_bits(at + base, end); word != 0; word &= word - 1) {
            positions[i++] = (uint32_t)(base * 8 + (unsigned)__builtin_ctzll(word));
        }
    }
    return true;
}

/* The complement of the holes. */
static void fill_between(const uint32_t *holes, size_t n_holes, uint64_t n_elements,
                         uint32_t *positions)
{
    uint64_t next = 0;

    for (size_t i = 0; i <= n_holes; i++) {
        const uint64_t end = i < n_holes ? holes[i] : n_elements;
        while (next < end) {
            *positions++ = (uint32_t)next++;
        }
        next = end + 1;
    }
}

static bool get_holes(const uint8_t *at, const uint8_t *end, size_t n, uint64_t n_elements,
                      uint32_t *positions, stoa_status *status, stoa_error *err)
{
    const size_t n_holes = (size_t)(n_elements - n);

    if (n_holes == 0 || n_holes >= n) {
        return false;
    }
    uint32_t *holes = stoa_alloc(n_holes, sizeof *holes);
    if (holes == NULL) {
        *status = stoa_fail_memory(err);
        return false;
    }
    const bool is_sound = get_gaps(at, end, n_holes, n_elements, holes);
    if (is_sound) {
        fill_between(holes, n_holes, n_elements, positions);
    }
    free(holes);
    return is_sound;
}

stoa_status stoa_positions_decode(const uint8_t *bytes, size_t n_bytes, size_t n,
                                  uint64_t n_elements, uint32_t *positions, stoa_error *err)
{
    const uint8_t *end = bytes + n_bytes;
    bool is_sound = false;
    stoa_status status = STOA_OK;

    if (n == 0 || n_bytes == 0 || n > n_elements) {
        is_sound = n == 0 && n_bytes == 0;
    } else if (bytes[0] == FORM_ALL) {
        is_sound = n == n_elements && n_bytes == 1;
        for (size_t i = 0; is_sound && i < n; i++) {
            positions[i] = (uint32_t)i;
        }
    } else if (bytes[0] == FORM_RUNS) {
        is_sound = get_runs(bytes + 1, end, n, n_elements, positions);
    } else if (bytes[0] == FORM_GAPS) {
        is_sound = get_gaps(bytes + 1, end, n, n_elements, positions);
    } else if (bytes[0] == FORM_HOLES) {
        is_sound = get_holes(bytes + 1, end, n, n_elements, positions, &status, err);
    } else if (bytes[0] == FORM_BITMAP) {
        is_sound = get_bitmap(bytes + 1, end, n, n_elements, positions);
    }
    if (status == STOA_OK && !is_sound) {
        status = stoa_fail(err, STOA_EDATA, "the positions of a structured chunk are damaged");
    }
    return status;
}
