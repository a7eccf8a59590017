/* Ticks on axes of numbers, of powers of ten and of times. See cli/plot/chart.h. */
#include <math.h>
#include <string.h>

#include "cli/plot/chart.h"
#include "core/calendar.h"

void cli_chart_number(double value, char *out, size_t size)
{
    (void)snprintf(out, size, "%.10g", value == 0 ? 0 : value);
}

static void add(cli_tick *ticks, size_t *n, long double at)
{
    if (*n < CLI_MAX_TICKS) {
        ticks[(*n)++].at = (double)at;
    }
}

/* --- numbers --------------------------------------------------------------------------------- */

/* "×10⁶" */
static void put_power(int power, char *out)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char text[16];

    (void)snprintf(text, sizeof text, "%d", power < 0 ? -power : power);
    (void)snprintf(out, CLI_TICK_SIZE, "×10%s", power < 0 ? "⁻" : "");
    for (const char *c = text; *c != '\0'; c++) {
        (void)strncat(out, digits[*c - '0'], CLI_TICK_SIZE - strlen(out) - 1);
    }
}

static size_t linear_ticks(const cli_chart_axis *axis, unsigned about, cli_tick *ticks,
                           char *common)
{
    const long double least = axis->range.least;
    const long double greatest = axis->range.greatest;
    const long double step = cli_round_step((greatest - least) / about);
    const long double first = ceill(least / step - 1e-9L);
    size_t n = 0;

    while (n < CLI_MAX_TICKS && (first + (long double)n) * step <= greatest + step * 1e-9L) {
        add(ticks, &n, (first + (long double)n) * step);
    }
    /* Very large and very small numbers share a power of ten, a multiple of three. */
    const long double most = fmaxl(fabsl(least), fabsl(greatest));
    const int power = most > 0 ? 3 * (int)floorl(log10l(most) / 3) : 0;
    const bool has_power = most >= 1e5L || most < 1e-3L;
    if (has_power && power != 0) {
        put_power(power, common);
    }
    for (size_t i = 0; i < n; i++) {
        cli_chart_number(has_power && power != 0 ? (double)(ticks[i].at / powl(10, power))
                                                 : ticks[i].at,
                         ticks[i].text, CLI_TICK_SIZE);
    }
    return n;
}

/* --- powers of ten --------------------------------------------------------------------------- */

static void put_decade(int power, bool is_plain, char *out)
{
    if (is_plain) {
        cli_chart_number((double)powl(10, power), out, CLI_TICK_SIZE);
    } else {
        put_power(power, out);
        memmove(out, out + strlen("×"), strlen(out + strlen("×")) + 1);
    }
}

static size_t log_ticks(const cli_chart_axis *axis, unsigned about, cli_tick *ticks)
{
    const int first = (int)ceill(log10l(axis->range.least) - 1e-9L);
    const int last = (int)floorl(log10l(axis->range.greatest) + 1e-9L);
    size_t n = 0;

    if (last - first < 1) { /* less than two decades: 1, 2, 5 of each */
        for (int power = first - 1; power <= last; power++) {
            static const int within[] = {1, 2, 5};
            for (int k = 0; k < 3; k++) {
                const long double at = within[k] * powl(10, power);
                if (at >= axis->range.least * (1 - 1e-9L) &&
                    at <= axis->range.greatest * (1 + 1e-9L)) {
                    add(ticks, &n, at);
                    cli_chart_number((double)at, ticks[n - 1].text, CLI_TICK_SIZE);
                }
            }
        }
        return n;
    }
    const int step = (last - first) / (int)about + 1;
    const bool are_plain = first >= -3 && last <= 4;
    for (int power = first; power <= last && n < CLI_MAX_TICKS; power += step) {
        add(ticks, &n, powl(10, power));
        put_decade(power, are_plain, ticks[n - 1].text);
    }
    return n;
}

/* --- times ----------------------------------------------------------------------------------- */

enum { DAY = 86400 };

static int64_t day_of_month(int64_t year, int64_t month) /* since 1970; month from 0, any number */
{
    const int64_t y = year + stoa_floor_div(month, 12) - (stoa_floor_mod(month, 12) < 2);
    const int64_t m = (stoa_floor_mod(month, 12) + 10) % 12; /* from March */
    const int64_t era = stoa_floor_div(y, 400);
    const int64_t of_era = y - era * 400;

    return era * STOA_DAYS_PER_ERA + of_era * 365 + of_era / 4 - of_era / 100 + (153 * m + 2) / 5 -
           719468;
}

/* Ticks every `step` months. */
static size_t month_ticks(const cli_chart_axis *axis, int64_t step, cli_tick *ticks)
{
    const stoa_date from = stoa_date_of((int64_t)floorl(axis->range.least / DAY));
    const int64_t first = (from.year * 12 + from.month - 1) / step * step;
    size_t n = 0;

    for (int64_t month = first; n < CLI_MAX_TICKS; month += step) {
        const int64_t day = day_of_month(stoa_floor_div(month, 12), stoa_floor_mod(month, 12));
        if ((long double)day * DAY > axis->range.greatest) {
            break;
        }
        if ((long double)day * DAY >= axis->range.least) {
            const stoa_date date = stoa_date_of(day);
            add(ticks, &n, (long double)day * DAY);
            (void)snprintf(ticks[n - 1].text, CLI_TICK_SIZE,
                           step % 12 == 0 ? "%lld" : "%lld-%02lld", (long long)date.year,
                           (long long)date.month);
        }
    }
    return n;
}

static void put_time(long double at, long double step, char *out)
{
    const int64_t days = (int64_t)floorl(at / DAY + 1e-12L);
    const stoa_date date = stoa_date_of(days);
    const long double rest = at - (long double)days * DAY;
    const int minutes = (int)floorl(rest / 60 + 1e-9L);
    const long double seconds = fmaxl(rest - minutes * 60.0L, 0);
    const int decimals = step >= 1 ? 0 : (int)ceill(-log10l(step) - 1e-9L);

    if (step >= DAY || (step >= 60 && minutes == 0)) {
        (void)snprintf(out, CLI_TICK_SIZE, "%02d-%02d", (int)date.month, (int)date.day);
    } else if (step >= 60) {
        (void)snprintf(out, CLI_TICK_SIZE, "%02d:%02d", minutes / 60, minutes % 60);
    } else {
        (void)snprintf(out, CLI_TICK_SIZE, "%02d:%02d:%0*.*Lf", minutes / 60, minutes % 60,
                       decimals > 0 ? decimals + 3 : 2, decimals > 9 ? 9 : decimals, seconds);
    }
}

static size_t time_ticks(const cli_chart_axis *axis, unsigned about, cli_tick *ticks, char *common)
{
    static const int round[] = {1,     2,     5,     10,  15,      30,      60,
                                120,   300,   600,   900, 1800,    3600,    7200,
                                10800, 21600, 43200, DAY, 2 * DAY, 7 * DAY, 14 * DAY};
    const long double length = axis->range.greatest - axis->range.least;
    const long double least = length / about;
    const stoa_date from = stoa_date_of((int64_t)floorl(axis->range.least / DAY));
    const stoa_date to = stoa_date_of((int64_t)floorl(axis->range.greatest / DAY));
    const size_t n_round = sizeof round / sizeof *round;
    long double step = 0;
    size_t n = 0;

    if (least > 14.0L * DAY) {
        static const int months[] = {1, 2, 3, 6, 12};
        for (size_t i = 0; i < 5; i++) {
            if (least <= months[i] * 30.5L * DAY) {
                return month_ticks(axis, months[i], ticks);
            }
        }
        return month_ticks(axis, 12 * (int64_t)cli_round_step(least / (365.2425L * DAY)), ticks);
    }
    for (size_t i = 0; i < n_round && step == 0; i++) {
        step = round[i] >= least ? round[i] : 0;
    }
    step = least < 1 ? cli_round_step(least) : step;
    const long double first = ceill(axis->range.least / step - 1e-9L);
    while (n < CLI_MAX_TICKS && (first + (long double)n) * step <= axis->range.greatest) {
        const long double at = (first + (long double)n) * step;
        add(ticks, &n, at);
        put_time(at, step, ticks[n - 1].text);
    }
    if (from.year == to.year && from.day_of_year == to.day_of_year) {
        (void)snprintf(common, CLI_TICK_SIZE, "%lld-%02d-%02d", (long long)from.year,
                       (int)from.month, (int)from.day);
    } else if (from.year == to.year) {
        (void)snprintf(common, CLI_TICK_SIZE, "%lld", (long long)from.year);
    } else {
        (void)snprintf(common, CLI_TICK_SIZE, "%lld to %lld", (long long)from.year,
                       (long long)to.year);
    }
    return n;
}

size_t cli_chart_ticks(const cli_chart_axis *axis, unsigned about, cli_tick *ticks,
                       char common[CLI_TICK_SIZE])
{
    common[0] = '\0';
    switch (axis->scale) {
    case CLI_SCALE_LOG:
        return log_ticks(axis, about, ticks);
    case CLI_SCALE_TIME:
        return time_ticks(axis, about, ticks, common);
    case CLI_SCALE_NAMES:
        return 0; /* the categories have names of their own */
    default:
        return linear_ticks(axis, about, ticks, common);
    }
}
