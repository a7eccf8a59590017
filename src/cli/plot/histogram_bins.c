#include "cli/plot/histogram_bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ABOUT = 20 };

void cli_range_add(cli_range *range, long double value)
{
    if (!range->any || value < range->least) {
        range->least = value;
    }
    if (!range->any || value > range->greatest) {
        range->greatest = value;
    }
    range->any = true;
}

long double cli_round_step(long double least)
{
    const long double power = powl(10, floorl(log10l(least)));

    return least <= power       ? power
           : least <= 2 * power ? 2 * power
           : least <= 5 * power ? 5 * power
                                : 10 * power;
}

long double cli_ticks_a_second(const stoa_type *type)
{
    if (type->kind == STOA_KIND_DATE) {
        return 1.0L / 86400;
    }
    switch (type->unit) {
    case STOA_TIME_DAY:
        return 1.0L / 86400;
    case STOA_TIME_MILLI:
        return 1e3L;
    case STOA_TIME_MICRO:
        return 1e6L;
    case STOA_TIME_NANO:
        return 1e9L;
    default:
        return 1;
    }
}

/* A step that is round in clock or calendar units. Below a second, and above some weeks, steps are
 * powers of ten. */
static long double round_time_step(long double least, const stoa_type *type)
{
    static const long double seconds[] = {1,     2,     5,     10,    15,     30,     60,
                                          120,   300,   600,   900,   1800,   3600,   7200,
                                          10800, 21600, 43200, 86400, 172800, 604800, 1209600};
    const long double scale = cli_ticks_a_second(type);
    const size_t n = sizeof seconds / sizeof *seconds;

    if (least < scale) {
        return cli_round_step(least);
    }
    for (size_t i = 0; i < n; i++) {
        if (seconds[i] * scale >= least && seconds[i] * scale >= 1) {
            return seconds[i] * scale;
        }
    }
    return cli_round_step(least / (86400 * scale)) * 86400 * scale;
}

void cli_bins_choose(cli_bins *bins, const cli_range *range, const stoa_type *type, uint64_t n)
{
    const bool is_whole = !stoa_kind_is_float(type->kind);
    const bool is_time = stoa_kind_is_ticks(type->kind);
    const long double spread = range->greatest - range->least + (is_whole ? 1 : 0);

    *bins = (cli_bins){.first = range->least, .step = 1, .n = range->any ? 1 : 0, .type = *type};
    if (type->kind == STOA_KIND_DATE) {
        bins->type.unit = STOA_TIME_DAY;
    }
    if (!range->any || spread <= 0) {
        return;
    }
    if (n != 0) {
        bins->step = is_whole ? ceill(spread / (long double)n) : spread / (long double)n;
        bins->n = is_whole ? (size_t)ceill(spread / bins->step) : (size_t)n;
        return;
    }
    const long double about = spread / ABOUT < 1 && is_whole ? 1 : spread / ABOUT;

    bins->step = is_time ? round_time_step(about, &bins->type) : cli_round_step(about);
    bins->first = floorl(range->least / bins->step) * bins->step;
    bins->n = (size_t)((range->greatest - bins->first) / bins->step) + 1;
}

bool cli_bins_are_named_by_start(const cli_bins *bins)
{
    return stoa_kind_is_ticks(bins->type.kind) && !cli_bins_hold_one_value(bins);
}

bool cli_bins_hold_one_value(const cli_bins *bins)
{
    return bins->step == 1 && !stoa_kind_is_float(bins->type.kind);
}

size_t cli_bins_find(const cli_bins *bins, long double value)
{
    const long double at = (value - bins->first) / bins->step;

    if (at < 0) {
        return 0;
    }
    return at >= (long double)bins->n ? bins->n - 1 : (size_t)at; /* the last bin is closed */
}

static void print_edge(const cli_bins *bins, long double edge, char out[STOA_NUMBER_SIZE])
{
    if (bins->type.kind == STOA_KIND_DURATION) {
        (void)stoa_type_format_ticks(&bins->type, (int64_t)edge, out);
    } else if (stoa_kind_is_time(bins->type.kind)) {
        const long double day = 86400 * cli_ticks_a_second(&bins->type);

        stoa_format_time((int64_t)edge, bins->type.unit, bins->type.utc, out);
        if (fmodl(bins->step, day) == 0 && fmodl(bins->first, day) == 0) {
            out[strcspn(out, "T")] = '\0'; /* all edges are midnight */
        }
    } else if (stoa_kind_is_float(bins->type.kind)) {
        /* Edges are multiples of the step, so digits below the step's are rounding errors. A step
         * that is not round gets one more digit. */
        const long double exponent = floorl(log10l(bins->step));
        const bool is_round = fabsl(bins->step / powl(10, exponent) - 5) < 1e-9L ||
                              bins->step / powl(10, exponent) < 2 + 1e-9L;
        const int decimals = (exponent < 0 ? (int)-exponent : 0) + (is_round ? 0 : 1);

        if (decimals > 9 || fabsl(edge) >= 1e9L) {
            snprintf(out, STOA_NUMBER_SIZE, "%.9Lg", edge);
        } else {
            snprintf(out, STOA_NUMBER_SIZE, "%.*Lf", decimals,
                     fabsl(edge) < bins->step / 100 ? 0 : edge);
        }
    } else {
        snprintf(out, STOA_NUMBER_SIZE, "%.0Lf", edge);
    }
}

char *cli_bins_label(const cli_bins *bins, size_t i)
{
    const long double edge = bins->first + bins->step * (long double)i;
    char from[STOA_NUMBER_SIZE];
    char to[STOA_NUMBER_SIZE];

    print_edge(bins, edge, from);
    if (cli_bins_are_named_by_start(bins) || cli_bins_hold_one_value(bins)) {
        return cli_copy(from);
    }
    print_edge(bins, edge + bins->step, to);
    return cli_sprintf("%s … %s", from, to);
}
