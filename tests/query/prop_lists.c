/* For random lists, of more items than are looked at at once, functions of lists say what a loop
 * over each row says. */
#include <stdio.h>
#include <string.h>

#include "asking.h"

enum { MAX_ROWS = 300, MAX_LENGTH = 120, MAX_ITEMS = MAX_ROWS * MAX_LENGTH };

typedef struct model {
    int64_t n;
    int64_t lengths[MAX_ROWS];
    bool valid[MAX_ROWS];
    int64_t x[MAX_ROWS];
    int64_t items[MAX_ITEMS];
    bool known[MAX_ITEMS];
} model;

static batch make(model *m)
{
    static const char *const formats[] = {"+l", "+L", "+w:7"};
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
            m->known[n_items++] = check_random_below(30) != 0;
        }
    }
    batch b = batch_begin(2, m->n);
    batch items = batch_begin(1, n_items);
    batch_integers(&items, 0, "item", "s", m->items, m->known);
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

static void put(char *out, bool is_there, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)value);
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
        batch b = make(&m);

        lengths[0] = sums[0] = extremes[0] = places[0] = '\0';
        for (int64_t r = 0; r < m.n; first += m.lengths[r++]) {
            const found f = look(&m, r, first);
            const int64_t at = first + (place < 0 ? place + m.lengths[r] : place);
            const bool is_in = at >= first && at < first + m.lengths[r];
            put(lengths, m.valid[r], m.lengths[r]);
            put(sums, m.valid[r] && f.n > 0, f.sum + f.n * m.x[r]);
            put(extremes, m.valid[r] && f.n > 0, f.n > 0 ? f.greatest - f.least : 0);
            put(places, m.valid[r] && is_in && m.known[at], is_in ? m.items[at] : 0);
        }
        snprintf(text, sizeof text, "v[%lld]", (long long)place);
        CHECK_STR(values_of(&b, "length(v)"), lengths);
        CHECK_STR(values_of(&b, "sum(v + x)"), sums);
        CHECK_STR(values_of(&b, "max(v) - min(v)"), extremes);
        CHECK_STR(values_of(&b, text), places);
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
        batch b = make(&m);

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

TEST_MAIN(TEST(numbers_of_lists_are_those_of_a_loop_over_each),
          TEST(verdicts_on_lists_are_those_of_a_loop_over_each))
