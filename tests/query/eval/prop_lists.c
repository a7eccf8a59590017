/* For random lists, of more items than are looked at at once, functions of lists say what a loop
 * over each row says. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "query/asking.h"

enum { MAX_ROWS = 300, MAX_LENGTH = 120, MAX_ITEMS = MAX_ROWS * MAX_LENGTH };

typedef struct model {
    int64_t n;
    int64_t lengths[MAX_ROWS];
    bool valid[MAX_ROWS];
    int64_t x[MAX_ROWS];
    int64_t items[MAX_ITEMS];
    bool known[MAX_ITEMS];
} model;

static batch make(model *m, const char *item_format)
{
    static const char *const formats[] = {"+l", "+L", "+w:7"};
    static double floats[MAX_ITEMS];
    const char *const format = formats[check_random_below(3)];
    int64_t n_items = 0;

    m->n = 1 + (int64_t)check_random_below(MAX_ROWS);
    for (int64_t r = 0; r < m->n; r++) {
        m->valid[r] = check_random_below(6) != 0;
        m->x[r] = (int64_t)check_random_below(40) - 20;
        m->lengths[r] = format[1] == 'w' ? 7 : (int64_t)check_random_below(MAX_LENGTH);
        m->lengths[r] = format[1] != 'w' && check_random_below(4) == 0 ? 0 : m->lengths[r];
        for (int64_t i = 0; i < m->lengths[r]; i++) {
            m->items[n_items] = (int64_t)check_random_below(40) - 20;
            floats[n_items] = (double)m->items[n_items];
            m->known[n_items++] = check_random_below(30) != 0;
        }
    }
    batch b = batch_begin(2, m->n);
    batch items = batch_begin(1, n_items);
    if (item_format[0] == 'f' || item_format[0] == 'g') {
        batch_floats(&items, 0, "item", item_format, floats, m->known);
    } else {
        batch_integers(&items, 0, "item", item_format, m->items, m->known);
    }
    batch_lists(&b, 0, "v", format, &items, m->lengths, m->valid);
    batch_integers(&b, 1, "x", "i", m->x, NULL);
    return b;
}

/* What a row's loop has found. */
typedef struct found {
    int64_t n;
    int64_t n_unknown;
    int64_t sum;
    int64_t least;
    int64_t greatest;
    int64_t n_above; /* x of the row */
} found;

static found look(const model *m, int64_t row, int64_t first)
{
    found f = {.least = INT64_MAX, .greatest = INT64_MIN};

    for (int64_t i = first; i < first + m->lengths[row]; i++) {
        const int64_t value = m->items[i];
        if (!m->known[i]) {
            f.n_unknown++;
            continue;
        }
        f.n++;
        f.sum += value;
        f.least = value < f.least ? value : f.least;
        f.greatest = value > f.greatest ? value : f.greatest;
        f.n_above += value > m->x[row];
    }
    return f;
}

static void put(char *out, bool is_there, int64_t value, const char *point)
{
    char text[32];

    snprintf(text, sizeof text, "%lld%s", (long long)value, point);
    strcat(out, out[0] != '\0' ? " " : "");
    strcat(out, is_there ? text : "null");
}

static void numbers_of_lists_are_those_of_a_loop_over_each(void)
{
    static model m;

    for (uint64_t k = check_n_cases(150); k > 0; k--) {
        static char lengths[MAX_ROWS * 32];
        static char sums[MAX_ROWS * 32];
        static char extremes[MAX_ROWS * 32];
        static char places[MAX_ROWS * 32];
        const int64_t place = (int64_t)check_random_below(20) - 10;
        char text[32];
        int64_t first = 0;
        batch b = make(&m, "s");

        lengths[0] = sums[0] = extremes[0] = places[0] = '\0';
        for (int64_t r = 0; r < m.n; first += m.lengths[r++]) {
            const found f = look(&m, r, first);
            const int64_t at = first + (place < 0 ? place + m.lengths[r] : place);
            const bool is_in = at >= first && at < first + m.lengths[r];
            put(lengths, m.valid[r], m.lengths[r], "");
            put(sums, m.valid[r] && f.n > 0, f.sum + f.n * m.x[r], "");
            put(extremes, m.valid[r] && f.n > 0, f.n > 0 ? f.greatest - f.least : 0, "");
            put(places, m.valid[r] && is_in && m.known[at], is_in ? m.items[at] : 0, "");
        }
        snprintf(text, sizeof text, "v[%lld]", (long long)place);
        CHECK_STR(values_of(&b, "length(v)"), lengths);
        CHECK_STR(values_of(&b, "sum(v + x)"), sums);
        CHECK_STR(values_of(&b, "max(v) - min(v)"), extremes);
        CHECK_STR(values_of(&b, text), places);
        batch_end(&b);
    }
}

static void sums_of_items_of_any_kind_are_those_of_a_loop_over_each(void)
{
    static const char *const formats[] = {"c", "s", "i", "l", "f", "g"};
    static model m;

    for (uint64_t k = check_n_cases(60); k > 0; k--) {
        static char sums[MAX_ROWS * 32];
        static char counts[MAX_ROWS * 32];
        const char *const format = formats[k % 6];
        const char *const point = format[0] == 'f' || format[0] == 'g' ? ".0" : "";
        int64_t first = 0;
        batch b = make(&m, format);

        sums[0] = counts[0] = '\0';
        for (int64_t r = 0; r < m.n; first += m.lengths[r++]) {
            const found f = look(&m, r, first);
            put(sums, m.valid[r] && f.n > 0, f.sum, point);
            put(counts, m.valid[r], f.n, "");
        }
        CHECK_STR(values_of(&b, "sum(v)"), sums);
        CHECK_STR(values_of(&b, "count(v)"), counts);
        batch_end(&b);
    }
}

/* Floats of which some are NaN, infinite, or zeros of either sign. */
static double some_float(void)
{
    static const double edges[] = {-0.0, 0.0, NAN, INFINITY, -(double)INFINITY};

    return check_random_below(12) == 0 ? edges[check_random_below(5)]
                                       : (double)(int64_t)check_random() * 0x1p-40;
}

static void put_float(char *out, bool is_there, double value)
{
    char text[STOA_NUMBER_SIZE] = "null";

    if (is_there) {
        stoa_format_f64(isnan(value) ? (double)NAN : value, text);
    }
    strcat(out, out[0] != '\0' ? " " : "");
    strcat(out, text);
}

static void floats_that_are_no_numbers_are_those_of_a_loop_over_each(void)
{
    static model m;
    static double floats[MAX_ITEMS];

    for (uint64_t k = check_n_cases(100); k > 0; k--) {
        static char sums[MAX_ROWS * 32];
        static char means[MAX_ROWS * 32];
        static char greatest[MAX_ROWS * 32];
        static char any[MAX_ROWS + 1];
        int64_t at = 0;
        batch old = make(&m, "s");
        batch_end(&old);
        batch b = batch_begin(1, m.n);
        batch items = batch_begin(1, MAX_ITEMS);
        for (int64_t i = 0; i < MAX_ITEMS; i++) {
            floats[i] = some_float();
        }
        batch_floats(&items, 0, "item", "g", floats, k % 2 == 0 ? m.known : NULL);
        batch_lists(&b, 0, "v", k % 3 == 0 ? "+L" : "+l", &items, m.lengths, m.valid);
        sums[0] = means[0] = greatest[0] = any[0] = '\0';
        for (int64_t r = 0; r < m.n; r++) {
            double sum = 0;
            double lost = 0;
            double most = NAN;
            int64_t n = 0;
            bool is_above = false;
            bool has_unknown = false;
            for (const int64_t end = at + m.lengths[r]; at < end; at++) {
                const double before = sum;
                const double x = floats[at];
                if (k % 2 == 0 && !m.known[at]) {
                    has_unknown = true;
                    continue;
                }
                sum += x;
                lost += (before - (sum - (sum - before))) + (x - (sum - before));
                most = x > most || isnan(most) ? x : most;
                is_above = is_above || x > 0;
                n++;
            }
            sum = isfinite(sum) ? sum + lost : sum;
            put_float(sums, m.valid[r] && n > 0, sum);
            put_float(means, m.valid[r] && n > 0, sum / (double)n);
            put_float(greatest, m.valid[r] && n > 0, most);
            strcat(any, !m.valid[r] ? "-" : is_above ? "1" : has_unknown ? "-" : "0");
        }
        CHECK_STR(values_of(&b, "sum(v)"), sums);
        CHECK_STR(values_of(&b, "sum(v + 0.0)"), sums);
        CHECK_STR(values_of(&b, "mean(v)"), means);
        CHECK_STR(values_of(&b, "max(v)"), greatest);
        CHECK_STR(values_of(&b, "-min(-v)"), greatest);
        CHECK_STR(verdicts(&b, "any(v > 0)"), any);
        batch_end(&b);
    }
}

static void verdicts_on_lists_are_those_of_a_loop_over_each(void)
{
    static model m;

    for (uint64_t k = check_n_cases(150); k > 0; k--) {
        char any[MAX_ROWS + 1] = "";
        char all[MAX_ROWS + 1] = "";
        int64_t first = 0;
        batch b = make(&m, "s");

        for (int64_t r = 0; r < m.n; first += m.lengths[r++]) {
            const found f = look(&m, r, first);
            any[r] = !m.valid[r] ? '-' : f.n_above > 0 ? '1' : f.n_unknown > 0 ? '-' : '0';
            all[r] = !m.valid[r] ? '-' : f.n_above < f.n ? '0' : f.n_unknown > 0 ? '-' : '1';
        }
        CHECK_STR(verdicts(&b, "any(v > x)"), any);
        CHECK_STR(verdicts(&b, "all(v > x)"), all);
        batch_end(&b);
    }
}

/* Lists of three levels, cut out of the same items as a model's lists; level by level, how many of
 * the level below each holds, and whether it is there. */
typedef struct forest {
    int64_t n[2];
    int64_t lengths[2][MAX_ROWS];
    bool valid[2][MAX_ROWS];
} forest;

/* Groups of lists, of which the last holds what is left. */
static void group(int64_t n_below, forest *f, int64_t level)
{
    int64_t left = n_below;

    for (f->n[level] = 0; left > 0; f->n[level]++) {
        const int64_t most = left < 5 ? left : 5;
        const int64_t i = f->n[level];
        const bool is_last = i == MAX_ROWS - 1;
        f->lengths[level][i] = is_last ? left : (int64_t)check_random_below((uint64_t)most + 1);
        f->valid[level][i] = check_random_below(5) != 0;
        left -= f->lengths[level][i];
    }
}

static void lists_in_lists_are_gone_through_level_by_level(void)
{
    static model m;
    static forest f;

    for (uint64_t k = check_n_cases(100); k > 0; k--) {
        static char sums[MAX_ROWS * 32];
        static char firsts[MAX_ROWS * 32];
        static char counts[MAX_ROWS * 32];
        int64_t list = 0;
        int64_t middle = 0;
        int64_t first = 0;
        batch inner = make(&m, "s");
        batch_end(&inner);
        for (int64_t r = 0; r < m.n; r++) {
            m.lengths[r] %= 30;
        }
        group(m.n, &f, 0);
        group(f.n[0], &f, 1);
        batch items = batch_begin(1, MAX_ITEMS);
        batch lists = batch_begin(1, m.n);
        batch groups = batch_begin(1, f.n[0]);
        batch b = batch_begin(1, f.n[1]);
        batch_integers(&items, 0, "item", "s", m.items, m.known);
        batch_lists(&lists, 0, "item", "+l", &items, m.lengths, m.valid);
        batch_lists(&groups, 0, "item", "+L", &lists, f.lengths[0], f.valid[0]);
        batch_lists(&b, 0, "w", "+l", &groups, f.lengths[1], f.valid[1]);

        sums[0] = firsts[0] = counts[0] = '\0';
        for (int64_t r = 0; r < f.n[1]; r++) {
            int64_t n = 0;
            int64_t sum = 0;
            int64_t n_of_first = -1;
            for (int64_t g = 0; g < f.lengths[1][r]; g++, middle++) {
                for (int64_t l = 0; l < f.lengths[0][middle]; l++, first += m.lengths[list++]) {
                    const found here = look(&m, list, first);
                    const bool is_there = f.valid[1][r] && f.valid[0][middle] && m.valid[list];
                    n += is_there ? here.n : 0;
                    sum += is_there ? here.sum : 0;
                    n_of_first = is_there && g == 0 && l == 0 ? here.n : n_of_first;
                }
            }
            put(sums, n > 0, sum, "");
            put(counts, f.valid[1][r], n, "");
            put(firsts, n_of_first >= 0, n_of_first, "");
        }
        CHECK_STR(values_of(&b, "sum(w)"), sums);
        CHECK_STR(values_of(&b, "count(w)"), counts);
        CHECK_STR(values_of(&b, "count(w[0][0])"), firsts);
        batch_end(&b);
    }
}

TEST_MAIN(TEST(numbers_of_lists_are_those_of_a_loop_over_each),
          TEST(sums_of_items_of_any_kind_are_those_of_a_loop_over_each),
          TEST(floats_that_are_no_numbers_are_those_of_a_loop_over_each),
          TEST(verdicts_on_lists_are_those_of_a_loop_over_each),
          TEST(lists_in_lists_are_gone_through_level_by_level))
