/* See cli/plot/spread.h. */
#include "cli/plot/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 65536, FEWEST = 20, USUAL_MOST = 100 };

/* --- one pass -------------------------------------------------------------------------------- */

/* The upper half of a float32, in the order of the numbers. */
static size_t key_of(long double value)
{
    const float rounded = (float)value;
    uint32_t bits;

    memcpy(&bits, &rounded, sizeof bits);
    bits = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
    return bits >> 16;
}

/* A number of a key: its least (0), its greatest (0xffff), or one between them. */
static long double of_key(size_t key, uint32_t within)
{
    uint32_t bits = (uint32_t)key << 16 | within;
    float value;

    bits = (bits & 0x80000000U) != 0 ? bits & 0x7fffffffU : ~bits;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? (long double)value : 0;
}

void cli_spread_add(cli_spread *spread, long double value)
{
    if (!isfinite((double)value) || (spread->is_log && value <= 0)) {
        spread->n_odd++;
        return;
    }
    if (spread->counts[0] == NULL) {
        for (int i = 0; i < 2; i++) {
            spread->counts[i] = cli_resize(NULL, KEYS, sizeof **spread->counts);
            memset(spread->counts[i], 0, KEYS * sizeof **spread->counts);
        }
        spread->base = value;
    }
    spread->is_falling = spread->is_falling || (spread->n > 0 && value < spread->last);
    spread->last = value;
    spread->n++;
    cli_range_add(&spread->range, value);
    spread->counts[0][key_of(value)]++;
    spread->counts[1][key_of(value - spread->base)]++;
}

/* The key that the value of a rank has. */
static size_t key_at(const uint64_t *counts, uint64_t rank)
{
    uint64_t n_below = counts[0];
    size_t key = 0;

    while (n_below <= rank && key + 1 < KEYS) {
        n_below += counts[++key];
    }
    return key;
}

long double cli_spread_quantile(const cli_spread *spread, double fraction)
{
    const uint64_t rank = (uint64_t)(fraction * (double)(spread->n > 0 ? spread->n - 1 : 0));
    long double found = 0;
    long double least = INFINITY;

    for (int i = 0; i < 2 && spread->n > 0; i++) {
        const size_t key = key_at(spread->counts[i], rank);
        const long double off = key == key_of(0) ? 0 : of_key(key, 0x8000);
        if (fabsl(off) < least) { /* keys are the finer, the nearer they are to 0 */
            least = fabsl(off);
            found = off + (i == 1 ? spread->base : 0);
        }
    }
    return found < spread->range.least      ? spread->range.least
           : found > spread->range.greatest ? spread->range.greatest
                                            : found;
}

void cli_spread_clear(cli_spread *spread)
{
    free(spread->counts[0]);
    free(spread->counts[1]);
    *spread = (cli_spread){.is_log = spread->is_log};
}

/* --- bins ------------------------------------------------------------------------------------ */

/* The last value before a fence, to within 1 % on the side of the fence. */
static long double last_before(const cli_spread *spread, long double fence, bool is_above)
{
    long double found = fence;
    long double least = INFINITY;

    for (int i = 0; i < 2; i++) {
        const long double base = i == 1 ? spread->base : 0;
        size_t key = key_of(fence - base);
        while (spread->counts[i][key] == 0 && key > 0 && key + 1 < KEYS) {
            key += is_above ? (size_t)-1 : 1;
        }
        const long double off = of_key(key, is_above ? 0xffff : 0);
        if (fabsl(off) < least) {
            least = fabsl(off);
            found = off + base;
        }
    }
    if (found <= spread->range.least || found >= spread->range.greatest) {
        return fence; /* numbers beyond those of float32 have no key of their own */
    }
    return is_above ? fminl(found, fence) : fmaxl(found, fence);
}

void cli_spread_usual_range(const cli_spread *spread, cli_range *range)
{
    const long double median = cli_spread_quantile(spread, 0.5);
    const long double low = cli_spread_quantile(spread, 0.01);
    const long double high = cli_spread_quantile(spread, 0.99);
    const long double above = high + 2 * (high - median);
    const long double below = low - 2 * (median - low);

    *range = spread->range;
    if (range->greatest > above && high > median) { /* else nearly all values are the same */
        range->greatest = last_before(spread, above, true);
    }
    if (range->least < below && low < median) {
        range->least = last_before(spread, below, false);
    }
}

static long double usual_width(const cli_spread *spread, const long double range[2])
{
    const long double iqr = cli_spread_quantile(spread, 0.75) - cli_spread_quantile(spread, 0.25);
    const long double length = range[1] - range[0];
    const long double n = (long double)(spread->n > 0 ? spread->n : 1);
    const long double width = iqr > 0 ? 2 * iqr / cbrtl(n) : length / sqrtl(n);
    const long double least = length / USUAL_MOST;
    const long double greatest = length / FEWEST;

    return width < least ? least : width > greatest ? greatest : width;
}

static void space_evenly(cli_edges *edges, const long double range[2], size_t n, bool is_float)
{
    edges->n = n;
    edges->at = cli_resize(NULL, n + 1, sizeof *edges->at);
    for (size_t i = 0; i <= n; i++) {
        const long double part = (long double)i / (long double)n;
        const long double at = edges->is_log ? range[0] * powl(range[1] / range[0], part)
                                             : range[0] + (range[1] - range[0]) * part;
        /* Edges are doubles, as they are written; so each count is true for what is written.
         * Between integers that are no doubles, an edge is the next integer. */
        edges->at[i] = i == n ? range[1]
                       : fabsl(at) >= 9007199254740992.0L && !is_float
                           ? range[0] + ceill((range[1] - range[0]) * part)
                           : (long double)(double)at;
    }
}

/* Round edges at multiples of a round width. */
static void space_roundly(cli_edges *edges, const long double range[2], long double width,
                          bool is_whole)
{
    const long double step = is_whole && width <= 1 ? 1 : cli_round_step(width);
    const long double half = is_whole && step == 1 ? 0.5L : 0; /* around the whole numbers */
    const long double first = floorl(range[0] / step + (half > 0 ? 0 : 1e-9L));
    /* A greatest value on an edge is in the bin that ends there, which is the last. */
    const long double last =
        half > 0 ? floorl(range[1] / step) + 1 : fmaxl(ceill(range[1] / step - 1e-9L), first + 1);

    edges->n = (size_t)(last - first);
    edges->at = cli_resize(NULL, edges->n + 1, sizeof *edges->at);
    for (size_t i = 0; i <= edges->n; i++) {
        const long double at = (first + (long double)i) * step - half;
        edges->at[i] = is_whole ? at : (long double)(double)at;
    }
}

void cli_edges_choose(cli_edges *edges, const cli_spread *spread, const stoa_type *type,
                      const cli_bins_wanted *wanted)
{
    const bool is_ticks = stoa_kind_is_ticks(type->kind);
    const bool is_whole = !stoa_kind_is_float(type->kind);
    const long double most = wanted->about != 0 ? (long double)wanted->about : USUAL_MOST;
    long double range[2] = {wanted->range[0], wanted->range[1]};

    *edges = (cli_edges){.is_log = spread->is_log};
    if (!wanted->has_range) {
        if (spread->is_log || wanted->n != 0) {
            range[0] = spread->range.least;
            range[1] = spread->range.greatest;
        } else {
            cli_range usual;
            cli_spread_usual_range(spread, &usual);
            range[0] = usual.least;
            range[1] = usual.greatest;
        }
    }
    if (spread->n == 0 && !wanted->has_range) {
        range[0] = spread->is_log ? 1 : 0;
        range[1] = range[0] + 1;
    }
    if (range[0] >= range[1]) { /* one value alone */
        const long double room = spread->is_log ? 0 : fmaxl(0.5L, fabsl(range[0]) * 1e-6L);
        range[0] = spread->is_log ? range[0] / 2 : range[0] - room;
        range[1] = spread->is_log ? range[1] * 2 : range[1] + room;
    }
    if (wanted->n != 0) {
        space_evenly(edges, range, (size_t)wanted->n, !is_whole);
    } else if (spread->is_log) { /* about twenty a decade, or as the number of values allows */
        const long double decades = log10l(range[1] / range[0]);
        const long double by_n = fminl(fmaxl(sqrtl((long double)spread->n), FEWEST), most);
        space_evenly(edges, range, (size_t)fmaxl(fminl(by_n, ceill(decades * 20)), 2), true);
    } else {
        const long double width =
            wanted->about != 0 ? (range[1] - range[0]) / most : usual_width(spread, range);
        if (is_ticks || wanted->has_range) {
            const long double n = ceill((range[1] - range[0]) / width);
            space_evenly(edges, range, (size_t)fmaxl(fminl(n, most), 1), !is_whole);
        } else {
            space_roundly(edges, range, width, is_whole);
        }
    }
}

size_t cli_edges_find(const cli_edges *edges, long double value)
{
    const long double first = edges->at[0];
    const long double last = edges->at[edges->n];

    if (isnan((double)value) || value < first) {
        return SIZE_MAX;
    }
    if (value >= last) {
        return value == last ? edges->n - 1 : SIZE_MAX - 1;
    }
    const long double part = edges->is_log ? log10l(value / first) / log10l(last / first)
                                           : (value - first) / (last - first);
    size_t at = (size_t)(part * (long double)edges->n);
    at = at < edges->n ? at : edges->n - 1;
    while (value < edges->at[at]) { /* the guess is off by one at most, but for roundings */
        at--;
    }
    while (at + 1 < edges->n && value >= edges->at[at + 1]) {
        at++;
    }
    return at;
}

void cli_edges_clear(cli_edges *edges)
{
    free(edges->at);
    *edges = (cli_edges){.n = 0};
}
