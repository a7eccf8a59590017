/* Different categories, and the least and the largest one, are what a loop over the rows says: of
 * all rows, of few groups, and of so many that no bitmap holds their pairs, in memory and in files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/tables.h"

enum { N_ROWS = 300000, N_LABELS = 5000, MOST_GROUPS = 20000, WIDTH = 8 };

static char texts[N_LABELS][WIDTH];
static const char *labels[N_ROWS]; /* NULL: missing */
static int64_t codes[N_ROWS];
static int64_t keys[3][N_ROWS]; /* of one, 64, and MOST_GROUPS groups */
static home h;

static void make_table(void)
{
    static const uint64_t counts[] = {1, 64, MOST_GROUPS};
    batch b = batch_begin(4, N_ROWS);

    for (int64_t i = 0; i < N_LABELS; i++) {
        (void)snprintf(texts[i], WIDTH, "%lld", (long long)(i * 4999 % 7919)); /* all different */
    }
    for (int64_t i = 0; i < N_ROWS; i++) {
        codes[i] = (int64_t)check_random_below(N_LABELS);
        labels[i] = check_random_below(50) != 0 ? texts[codes[i]] : NULL;
        for (int k = 0; k < 3; k++) {
            keys[k][i] = (int64_t)check_random_below(counts[k]);
        }
    }
    batch_categories(&b, 0, "c", labels);
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"one", "few", "many"};
        batch_integers(&b, k + 1, names[k], "i", keys[k], NULL);
    }
    h = home_of(&b, 16384, NULL, 0);
}

/* The answer "key distinct least largest | ..." in the order of the keys; NULL: of all rows. */
static char *expected(const int64_t *key, int64_t n_groups, bool has_key)
{
    uint8_t *const met = calloc((size_t)n_groups * N_LABELS, 1);
    const size_t size = (size_t)n_groups * 64 + 1;
    char *const out = malloc(size);
    size_t length = 0;

    CHECK(met != NULL && out != NULL);
    for (int64_t i = 0; i < N_ROWS; i++) {
        if (labels[i] != NULL) {
            met[key[i] * N_LABELS + codes[i]] = 1;
        }
    }
    for (int64_t g = 0; g < n_groups; g += n_groups / 64 + 1) {
        const char *least = NULL;
        const char *most = NULL;
        int n = 0;
        for (int64_t code = 0; code < N_LABELS; code++) {
            if (met[g * N_LABELS + code] != 0) {
                const char *const text = texts[code];
                least = least == NULL || strcmp(text, least) < 0 ? text : least;
                most = most == NULL || strcmp(text, most) > 0 ? text : most;
                n++;
            }
        }
        CHECK(n > 0);
        length += (size_t)snprintf(out + length, size - length, g > 0 ? " | " : "");
        if (has_key) {
            length += (size_t)snprintf(out + length, size - length, "%lld ", (long long)g);
        }
        length += (size_t)snprintf(out + length, size - length, "%d '%s' '%s'", n, least, most);
    }
    free(met);
    return out;
}

#define ALL "distinct(c), min(c), max(c)"

static void check(const char *by, const int64_t *key, int64_t n_groups, uint64_t memory)
{
    char *const wanted = expected(key, n_groups, by != NULL);
    char having[64];

    (void)snprintf(having, sizeof having, "%s %% %lld = 0", by, (long long)(n_groups / 64 + 1));

    for (unsigned threads = 1; threads <= 3; threads += 2) {
        CHECK_STR(
            ask(&h,
                OPTIONS(.by = by, .aggregates = ALL, .sort = by,
                        .having = by != NULL ? having : NULL, .threads = threads, .memory = memory),
                -1),
            wanted);
    }
    free(wanted);
}

static void categories_of_all_rows_and_of_few_groups_are_found(void)
{
    make_table();
    check(NULL, keys[0], 1, 0);
    check("few", keys[1], 64, 0);
    home_leave(&h);
}

/* Their pairs are in no bitmap, and with little memory in files. Some groups are looked at. */
static void categories_of_many_groups_are_found(void)
{
    make_table();
    check("many", keys[2], MOST_GROUPS, 0);
    check("many", keys[2], MOST_GROUPS, 1);
    home_leave(&h);
}

/* The largest label is that of the first row, the least one that of the last row. */
static void the_best_of_all_labels_ends_a_scan_and_no_other_one(void)
{
    enum { N_LONG = 1 << 20 };
    const char **const rows = malloc(N_LONG * sizeof *rows);
    int64_t *const numbers = malloc(N_LONG * sizeof *numbers);
    batch b = batch_begin(2, N_LONG);

    CHECK(rows != NULL && numbers != NULL);
    for (int64_t i = 0; i < N_LONG; i++) {
        numbers[i] = i;
        rows[i] = i == 0 ? "z" : i == N_LONG - 1 ? "a" : i % 3 == 0 ? NULL : i % 3 == 1 ? "m" : "n";
    }
    batch_categories(&b, 0, "c", rows);
    batch_integers(&b, 1, "i", "i", numbers, NULL);
    free((void *)rows);
    free(numbers);
    h = home_of(&b, 65536, NULL, 0);
    for (unsigned threads = 1; threads <= 3; threads++) {
        CHECK_STR(ASK(&h, .aggregates = "max(c), max(c)", .threads = threads), "'z' 'z'");
        CHECK_STR(ASK(&h, .aggregates = "min(c), max(c)", .threads = threads), "'a' 'z'");
        CHECK_STR(ASK(&h, .aggregates = "max(c), count(c)", .threads = threads), "'z' 699052");
        CHECK_STR(ASK(&h, .aggregates = "min(c), max(c)", .where = "i > 0 and i < 1048575",
                      .threads = threads),
                  "'m' 'n'");
        CHECK_STR(ASK(&h, .aggregates = "max(c)", .where = "i % 3 = 0 and i > 0 and i < 1048575",
                      .threads = threads),
                  "null");
        CHECK(strstr(EXPLAIN(&h, .aggregates = "max(c)", .threads = threads),
                     "looked at 262144 rows in 4 chunks, 12 chunks skipped") != NULL);
        CHECK(strstr(EXPLAIN(&h, .aggregates = "min(c), max(c)", .threads = threads),
                     "looked at 1048576 rows in 16 chunks") != NULL);
    }
    home_leave(&h);
}

TEST_MAIN(TEST(categories_of_all_rows_and_of_few_groups_are_found),
          TEST(categories_of_many_groups_are_found),
          TEST(the_best_of_all_labels_ends_a_scan_and_no_other_one))
