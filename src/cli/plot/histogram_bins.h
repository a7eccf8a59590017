/* Bins for a histogram: with round edges, or a given number of them. */
#ifndef STOA_CLI_HISTOGRAM_BINS_H
#define STOA_CLI_HISTOGRAM_BINS_H

#include "arrow/type.h"
#include "cli/common/cli.h"

/* The minimum and maximum of the values; zeroed if there are none. */
typedef struct cli_range {
    bool any;
    long double least;
    long double greatest;
} cli_range;

void cli_range_add(cli_range *range, long double value);

/* How many ticks of a time or a duration are a second. */
long double cli_ticks_a_second(const stoa_type *type);

/* The smallest of 1, 2, 5 times a power of ten that is at least `least`. */
long double cli_round_step(long double least);

/* Bin i is [first + i * step, first + (i + 1) * step). */
typedef struct cli_bins {
    long double first;
    long double step;
    size_t n;
    stoa_type type;
} cli_bins;

/* Choose bins for values of `type` in a range: `n` bins of equal width, or about twenty with round
 * edges if `n` is 0. */
void cli_bins_choose(cli_bins *bins, const cli_range *range, const stoa_type *type, uint64_t n);
size_t cli_bins_find(const cli_bins *bins, long double value);
/* The edges of a bin as "10 … 20", or its only value. A bin of times is labelled by its start only,
 * to be short. The caller frees it. */
char *cli_bins_label(const cli_bins *bins, size_t i);
bool cli_bins_are_named_by_start(const cli_bins *bins);
bool cli_bins_hold_one_value(const cli_bins *bins);

#endif
