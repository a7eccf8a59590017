/* src/column/read/zones.c beneath src/query/: what is learned of a table that stays open changes
 * what is read, and no answer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

/* Several chunks are a unit of a scan, and the last one is not full. */
enum { CHUNK = 16384, ROWS = 24 * CHUNK + 1000 };

/* Tables ------------------------------------------------------------------------------------- */

/* `x` goes up from chunk to chunk and jumps about within; every seventh row or so is missing. */
static double value_at(int64_t row, const char *format)
{
    const bool is_unsigned = strchr("CSIL", format[0]) != NULL;
    const int64_t step = format[0] == 'c' || format[0] == 'C' ? 8 : 1000;
    const int64_t jump = (int64_t)check_random_below((uint64_t)step);

    return (double)((row / CHUNK - (is_unsigned ? 0 : 12)) * step + jump);
}

typedef struct data {
    double *values; /* exactly what the column holds */
    bool *valid;
} data;

static data make_data(const char *format)
{
    data d = {malloc(ROWS * sizeof *d.values), malloc(ROWS * sizeof *d.valid)};

    CHECK(d.values != NULL && d.valid != NULL);
    for (int64_t i = 0; i < ROWS; i++) {
        d.values[i] = value_at(i, format);
        d.valid[i] = check_random_below(7) != 0;
        if (format[0] == 'g' && check_random_below(50) == 0) {
            d.values[i] = check_random_below(2) == 0 ? NAN : -INFINITY;
        }
    }
    return d;
}

static void free_data(data *d)
{
    free(d->values);
    free(d->valid);
}

/* `x` of the data, packed, and `v` that counts the rows; open for reading. */
static home table_of(const data *d, const char *format, const char *codec)
{
    const stoa_column_options all = {NULL, codec, CHUNK};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    int64_t *numbers = malloc(ROWS * sizeof *numbers);
    batch b = batch_begin(2, ROWS);

    CHECK(numbers != NULL);
    if (format[0] == 'f' || format[0] == 'g') {
        batch_floats(&b, 0, "x", format, d->values, d->valid);
    } else {
        for (int64_t i = 0; i < ROWS; i++) {
            numbers[i] = (int64_t)d->values[i];
        }
        batch_integers(&b, 0, "x", format, numbers, d->valid);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        numbers[i] = i;
    }
    batch_integers(&b, 1, "v", "l", numbers, NULL);
    free(numbers);
    options.columns = &all;
    options.n_columns = 1;
    return home_on_disk("zones.h5", &b, &options);
}

/* How many rows a question looked at, as its plan says after the run. */
static unsigned long long looked_at(home *h, const char *where)
{
    const char *plan = EXPLAIN(h, .aggregates = "count()", .where = where, .threads = 2);
    const char *said = strstr(plan, "looked at ");
    unsigned long long n = 0;

    CHECK(said != NULL && sscanf(said, "looked at %llu rows", &n) == 1);
    return n;
}

/* The tests ---------------------------------------------------------------------------------- */

static void chunks_in_which_no_row_can_pass_are_looked_at_twice_and_no_more(void)
{
    data d = make_data("l");
    home h = table_of(&d, "l", "deflate");

    CHECK_U64(looked_at(&h, "x >= 11000"), ROWS);
    CHECK_U64(looked_at(&h, "x < -11000"), ROWS);
    /* Chunk 0 has the values from -12000 to -11001, and lies in the first unit of 65,536 rows. */
    CHECK_U64(looked_at(&h, "x < -11000"), 65536);
    CHECK_U64(looked_at(&h, "x between -500 and 2500 and v > 5"), 2 * 65536);
    CHECK_U64(looked_at(&h, "x > 13000"), 0);
    CHECK_U64(looked_at(&h, "x != 70000"), ROWS); /* no value is one chunk's alone */
    home_leave(&h);
    free_data(&d);
}

/* Nobody else's answers depend on what one question came to. */
static void a_table_that_may_change_learns_nothing(void)
{
    data d = make_data("l");
    home h = table_of(&d, "l", "deflate");
    stoa_error err = STOA_ERROR_INIT;

    home_leave(&h);
    h.file = CHECK_H5(H5Fopen(check_path("zones.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    for (int i = 0; i < 3; i++) {
        CHECK_U64(looked_at(&h, "x > 13000"), ROWS);
    }
    home_leave(&h);
    free_data(&d);
}

static bool passes(double value, const char *sign, double bound)
{
    if (isnan(value)) {
        return sign[0] == '!';
    }
    return strcmp(sign, "<") == 0    ? value < bound
           : strcmp(sign, "<=") == 0 ? value <= bound
           : strcmp(sign, ">") == 0  ? value > bound
           : strcmp(sign, ">=") == 0 ? value >= bound
           : strcmp(sign, "=") == 0  ? value == bound
                                     : value != bound;
}

static void ask_at_random(home *h, const data *d)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "=", "!="};

    for (int i = 0; i < 30; i++) {
        const char *sign = signs[check_random_below(6)];
        const double bound = d->values[check_random_below(ROWS)];
        char where[96];
        char expected[32];
        unsigned n = 0;
        if (!isfinite(bound)) {
            continue;
        }
        for (int64_t row = 0; row < ROWS; row++) {
            n += d->valid[row] && passes(d->values[row], sign, bound);
        }
        snprintf(where, sizeof where, "x %s %.0f", sign, bound);
        snprintf(expected, sizeof expected, "%u", n);
        CHECK_STR(ASK(h, .aggregates = "count()", .where = where, .threads = 2), expected);
    }
}

static void answers_stay_what_they_are(void)
{
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L", "f", "g"};

    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        data d = make_data(formats[f]);
        home h = table_of(&d, formats[f], f % 2 == 0 ? "deflate" : "auto");
        ask_at_random(&h, &d);
        home_leave(&h);
        free_data(&d);
    }
}

/* The sum overflows in the last rows, whether or not any row could pass what stands behind it. */
static void a_part_that_fails_goes_on_failing(void)
{
    data d = make_data("l");
    home h = table_of(&d, "l", "deflate");

    for (int i = 0; i < 4; i++) {
        const char *answer =
            ASK(&h, .aggregates = "count()", .where = "v + 9223372036854775000 > 0 and x > 13000");
        CHECK_CONTAINS(answer, "overflow");
    }
    home_leave(&h);
    free_data(&d);
}

TEST_MAIN(TEST(chunks_in_which_no_row_can_pass_are_looked_at_twice_and_no_more),
          TEST(a_table_that_may_change_learns_nothing), TEST(answers_stay_what_they_are),
          TEST(a_part_that_fails_goes_on_failing))
