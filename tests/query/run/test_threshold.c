/* src/query/run/threshold.c: the first rows of an order are found by a test of stored values, and
 * are those that a sort of all rows puts first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/tables.h"

/* Several morsels, each of several chunks; the last chunk is not full. */
enum { CHUNK = 16384, ROWS = 32 * CHUNK + 1000, MOST = 260, TEXT = 16 };

typedef enum shape { AT_RANDOM, RISING, FALLING, FEW_VALUES, N_SHAPES } shape;

/* `x` with missing rows and NaNs, `s` its text in another order, and `v`, the row. */
typedef struct data {
    double *x;
    bool *valid;
    char (*text)[TEXT];
    int64_t *v;
} data;

static data made;

static double value_at(shape form, int64_t row)
{
    const double random = (double)check_random_below(1000000);

    return form == AT_RANDOM ? random - 500000
           : form == RISING  ? (double)row / 4
           : form == FALLING ? -(double)row / 4
                             : (double)(row % 3);
}

static home table_of(shape form, const char *const *indexed, size_t n_indexed)
{
    const char **texts = malloc(ROWS * sizeof *texts);
    batch b = batch_begin(3, ROWS);

    made = (data){malloc(ROWS * sizeof(double)), malloc(ROWS * sizeof(bool)), malloc(ROWS * TEXT),
                  malloc(ROWS * sizeof(int64_t))};
    CHECK(texts != NULL && made.x != NULL && made.valid != NULL && made.text != NULL &&
          made.v != NULL);
    for (int64_t i = 0; i < ROWS; i++) {
        made.x[i] = check_random_below(50) == 0 ? NAN : value_at(form, i);
        made.valid[i] = check_random_below(20) != 0;
        (void)snprintf(made.text[i], TEXT, "user-%07lld",
                       (long long)(i * 7919 % (form == FEW_VALUES ? 5 : 1000003)));
        texts[i] = check_random_below(20) != 0 ? made.text[i] : NULL;
        if (texts[i] == NULL) {
            made.text[i][0] = '\0';
        }
        made.v[i] = i;
    }
    batch_floats(&b, 0, "x", "g", made.x, made.valid);
    batch_strings(&b, 1, "s", texts);
    batch_integers(&b, 2, "v", "l", made.v, NULL);
    free(texts);
    return home_of(&b, CHUNK, indexed, n_indexed);
}

static void leave(home *h)
{
    home_leave(h);
    free(made.x);
    free(made.valid);
    free(made.text);
    free(made.v);
}

/* The expected order ------------------------------------------------------------------------- */

static int sign; /* 1: ascending */

/* Values, then NaNs, then missing rows; equal ones by their row. */
static int class_of(int64_t row)
{
    return !made.valid[row] ? 2 : isnan(made.x[row]) ? 1 : 0;
}

static int by_number(const void *a, const void *b)
{
    const int64_t i = *(const int64_t *)a;
    const int64_t j = *(const int64_t *)b;

    if (class_of(i) != class_of(j)) {
        return class_of(i) - class_of(j);
    }
    if (class_of(i) == 0 && made.x[i] != made.x[j]) {
        return made.x[i] < made.x[j] ? -sign : sign;
    }
    return i < j ? -1 : 1;
}

static int by_text(const void *a, const void *b)
{
    const int64_t i = *(const int64_t *)a;
    const int64_t j = *(const int64_t *)b;
    const bool has_i = made.text[i][0] != '\0';
    const bool has_j = made.text[j][0] != '\0';
    const int order = has_i && has_j ? strcmp(made.text[i], made.text[j]) : 0;

    return has_i != has_j ? (has_i ? -1 : 1) : order != 0 ? sign * order : i < j ? -1 : 1;
}

/* By the text, then by the row in descending order. */
static int by_text_and_row(const void *a, const void *b)
{
    const int64_t i = *(const int64_t *)a;
    const int64_t j = *(const int64_t *)b;

    return strcmp(made.text[i], made.text[j]) == 0 ? (i > j ? -1 : 1) : by_text(a, b);
}

/* The first rows that pass v % step = 0, as ask() writes them. */
static const char *first_rows(int (*order)(const void *, const void *), int64_t step, int64_t limit)
{
    static char out[MOST * 10];
    int64_t *rows = malloc(ROWS * sizeof *rows);
    size_t n = 0;
    size_t at = 0;

    CHECK(rows != NULL);
    for (int64_t i = 0; i < ROWS; i += step) {
        rows[n++] = i;
    }
    qsort(rows, n, sizeof *rows, order);
    for (int64_t i = 0; i < limit; i++) {
        at += (size_t)snprintf(out + at, sizeof out - at, "%s%lld", i > 0 ? " | " : "",
                               (long long)rows[i]);
    }
    free(rows);
    return out;
}

/* The tests ---------------------------------------------------------------------------------- */

static void ask_all(home *h, int64_t limit, unsigned threads)
{
    for (sign = -1; sign <= 1; sign += 2) {
        const bool down = sign < 0;
        CHECK_STR(ASK_FIRST(limit, h, .columns = "v", .sort = down ? "x:desc" : "x",
                            .threads = threads, .use_indexes = true),
                  first_rows(by_number, 1, limit));
        CHECK_STR(ASK_FIRST(limit, h, .columns = "v", .sort = down ? "s:desc" : "s",
                            .threads = threads, .use_indexes = true),
                  first_rows(by_text, 1, limit));
        CHECK_STR(ASK_FIRST(limit, h, .columns = "v", .where = "v % 7 = 0",
                            .sort = down ? "x:desc" : "x", .threads = threads, .use_indexes = true),
                  first_rows(by_number, 7, limit));
        CHECK_STR(ASK_FIRST(limit, h, .columns = "v", .sort = down ? "s:desc, v:desc" : "s, v:desc",
                            .threads = threads),
                  first_rows(by_text_and_row, 1, limit));
    }
}

static void the_first_rows_are_those_of_a_sort_of_all_rows(void)
{
    for (int form = 0; form < N_SHAPES; form++) {
        home h = table_of((shape)form, NULL, 0);
        ask_all(&h, 10, 1 + (unsigned)form % 3);
        leave(&h);
    }
}

static void bounds_of_an_index_drop_none_of_the_first_rows(void)
{
    static const char *const indexed[] = {"x", "s"};

    for (int form = AT_RANDOM; form < N_SHAPES; form += FEW_VALUES) {
        home h = table_of((shape)form, indexed, 2);
        ask_all(&h, form == AT_RANDOM ? 5 : 41, 2);
        CHECK_CONTAINS(EXPLAIN_FIRST(5, &h, .columns = "v", .sort = "x", .use_indexes = true),
                       "rows may be the first, by bounds of 'x'");
        leave(&h);
    }
}

/* How many rows passed, as the plan says after the run. */
static unsigned long long passed(home *h, const char *sort)
{
    const char *plan = EXPLAIN_FIRST(10, h, .columns = "v", .sort = sort, .threads = 2);
    const char *said = strstr(plan, "skipped, ");
    unsigned long long n = 0;

    CHECK(said != NULL && sscanf(said, "skipped, %llu rows passed", &n) == 1);
    return n;
}

static void few_rows_pass_whatever_the_order_of_the_file(void)
{
    for (int form = 0; form < FEW_VALUES; form++) {
        home h = table_of((shape)form, NULL, 0);
        CHECK(passed(&h, "x") < ROWS / 3);
        CHECK(passed(&h, "x:desc") < ROWS / 3);
        CHECK(passed(&h, "s") < ROWS / 3);
        leave(&h);
    }
}

/* 263 rows pass, of which one in 20 is missing and some are NaN. */
static void values_that_are_too_few_are_followed_by_nans_and_missing_rows(void)
{
    home h = table_of(AT_RANDOM, NULL, 0);

    for (sign = -1; sign <= 1; sign += 2) {
        CHECK_STR(ASK_FIRST(MOST, &h, .columns = "v", .threads = 2, .where = "v % 2000 = 0",
                            .sort = sign < 0 ? "x:desc" : "x"),
                  first_rows(by_number, 2000, MOST));
    }
    leave(&h);
}

static void a_predicate_that_fails_for_a_late_row_fails_as_it_does_without_a_limit(void)
{
    home h = table_of(RISING, NULL, 0);

    CHECK_CONTAINS(ASK_FIRST(3, &h, .columns = "v", .sort = "x", .threads = 2,
                             .where = "v * (v * 9223372036854 - v) >= 0"),
                   "overflow");
    CHECK_CONTAINS(
        ASK_FIRST(3, &h, .columns = "v", .sort = "x, v * (v * 9223372036854 - v)", .threads = 2),
        "overflow");
    leave(&h);
}

TEST_MAIN(TEST(the_first_rows_are_those_of_a_sort_of_all_rows),
          TEST(bounds_of_an_index_drop_none_of_the_first_rows),
          TEST(few_rows_pass_whatever_the_order_of_the_file),
          TEST(values_that_are_too_few_are_followed_by_nans_and_missing_rows),
          TEST(a_predicate_that_fails_for_a_late_row_fails_as_it_does_without_a_limit))
