/* Columns of fixed-length strings that another program wrote, deflated: tests and groups of them,
 * against counts taken here, whatever way the bytes go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foreign.h"
#include "tables.h"

enum { N = 6000, LONGEST = 24, MAX_LABELS = 1200, N_TENS = 3, ROOM = 1 << 18 };

typedef struct example {
    size_t size;
    H5T_str_t padding;
    size_t n_labels;
    char labels[MAX_LABELS][LONGEST + 1]; /* distinct, in order; label 0 is what is missing */
    bool has_fill;
    uint16_t label_of[N];
    int16_t number_of[N];
} example;

static int compare_labels(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Labels of up to the column's size, the empty one perhaps among them. */
static void make_labels(example *x)
{
    const size_t wanted = 1 + check_random_below(check_random_below(4) == 0 ? MAX_LABELS : 40);
    size_t n = 0;

    for (size_t i = 0; i < wanted; i++) {
        char *label = x->labels[i];
        const size_t length =
            check_random_below(3) != 0 ? x->size : check_random_below(x->size + 1);
        memset(label, 0, sizeof x->labels[i]);
        for (size_t k = 0; k < length; k++) {
            label[k] = (char)('a' + check_random_below(k + 8 < length ? 2 : 26));
        }
        if (i % 2 == 1 && strlen(x->labels[i - 1]) > 16) { /* another one in the middle alone */
            memcpy(label, x->labels[i - 1], sizeof x->labels[i]);
            label[8] = label[8] == 'z' ? 'y' : 'z';
        }
    }
    qsort(x->labels, wanted, sizeof x->labels[0], compare_labels);
    for (size_t i = 0; i < wanted; i++) {
        if (n == 0 || strcmp(x->labels[n - 1], x->labels[i]) != 0) {
            memmove(x->labels[n++], x->labels[i], sizeof x->labels[0]);
        }
    }
    x->n_labels = n;
}

static void make_rows(example *x)
{
    uint16_t label = 0;

    for (size_t i = 0; i < N; i++) {
        if (check_random_below(4) != 0) { /* runs of one label, too */
            label = (uint16_t)check_random_below(x->n_labels);
        }
        x->label_of[i] = label;
        x->number_of[i] = (int16_t)check_random_below(N_TENS);
    }
}

static void put_column(hid_t group, const char *name, hid_t type, const void *fill,
                       const void *values)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, &(hsize_t){H5S_UNLIMITED}));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){500 + check_random_below(2000)}));
    CHECK_H5(H5Pset_shuffle(dcpl));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(dcpl, type, fill));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

static void write_table(const char *path, const example *x)
{
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    char *texts = malloc(N * x->size);
    char fill[LONGEST];

    CHECK(texts != NULL);
    for (size_t i = 0; i <= N; i++) {
        const char *label = x->labels[i < N ? x->label_of[i] : 0];
        char *text = i < N ? texts + i * x->size : fill;
        memset(text, x->padding == H5T_STR_SPACEPAD ? ' ' : 0, x->size);
        memcpy(text, label, strlen(label));
    }
    CHECK_H5(H5Tset_size(type, x->size));
    CHECK_H5(H5Tset_strpad(type, x->padding));
    foreign_put_ascii(group, "CLASS", "COLUMN_TABLE");
    foreign_put_ascii(group, "VERSION", "1.0");
    foreign_put(group, "NROWS", H5T_NATIVE_UINT64, &(uint64_t){N});
    put_column(group, "a", type, x->has_fill ? fill : NULL, texts);
    put_column(group, "b", H5T_NATIVE_INT16, NULL, x->number_of);
    free(texts);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
}

/* What is expected --------------------------------------------------------------------------- */

static const char *shown(const example *x, size_t label)
{
    static char text[LONGEST + 3];

    (void)snprintf(text, sizeof text, "'%s'", x->labels[label]);
    return x->has_fill && label == 0 ? "null" : text;
}

/* A line a group, missing ones last. `number` is -1 where nobody groups by it. */
static void add_group(const example *x, size_t label, int number, char *out, size_t *at)
{
    unsigned n = 0;
    int sum = 0;
    char digits[16] = "";

    for (size_t i = 0; i < N; i++) {
        if (x->label_of[i] == label && (number < 0 || x->number_of[i] == number)) {
            n++;
            sum += x->number_of[i];
        }
    }
    if (number >= 0) {
        (void)snprintf(digits, sizeof digits, " %d", number);
    }
    if (n > 0) {
        *at += (size_t)snprintf(out + *at, ROOM - *at, "%s%s%s %u %d", *at > 0 ? " | " : "",
                                shown(x, label), digits, n, sum);
    }
}

static const char *groups_of(const example *x, bool by_number)
{
    static char out[ROOM];
    size_t at = 0;

    out[0] = '\0';
    for (size_t k = 1; k <= x->n_labels; k++) {
        const size_t label = x->has_fill ? k % x->n_labels : k - 1;
        for (int number = 0; number < (by_number ? N_TENS : 1); number++) {
            add_group(x, label, by_number ? number : -1, out, &at);
        }
    }
    return out;
}

static const char *count_of(const example *x, size_t label, bool unequal)
{
    static char out[16];
    unsigned n = 0;

    for (size_t i = 0; i < N; i++) {
        const bool is_missing = x->has_fill && x->label_of[i] == 0;
        n += !is_missing && (x->label_of[i] == label) != unequal;
    }
    (void)snprintf(out, sizeof out, "%u", n);
    return out;
}

/* The ways ------------------------------------------------------------------------------------ */

static void ask_everything(home *h, const example *x)
{
    const size_t label = check_random_below(x->n_labels);
    char where[2][LONGEST + 16];

    (void)snprintf(where[0], sizeof where[0], "a = '%s'", x->labels[label]);
    (void)snprintf(where[1], sizeof where[1], "a != '%s'", x->labels[label]);
    for (int k = 0; k < 2; k++) {
        CHECK_STR(ASK(h, .aggregates = "count()", .where = where[k]), count_of(x, label, k == 1));
    }
    CHECK_STR(ASK(h, .aggregates = "count(), sum(b)", .by = "a", .sort = "a"), groups_of(x, false));
    CHECK_STR(ASK(h, .aggregates = "count(), sum(b)", .by = "a,b", .sort = "a,b"),
              groups_of(x, true));
}

/* A table that stays open knows the texts when it is asked for the second time. */
static void check_answers(const char *path, const example *x)
{
    stoa_error err = STOA_ERROR_INIT;
    home h = {.file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT))};

    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    ask_everything(&h, x);
    ask_everything(&h, x);
    home_leave(&h);
}

static void say(const char *name, const char *value)
{
    CHECK((value != NULL ? setenv(name, value, 1) : unsetenv(name)) == 0);
}

static void every_way_counts_the_same_texts(void)
{
    static const H5T_str_t paddings[] = {H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD};
    static const char *const simd[] = {"scalar", "avx2", NULL};
    example *x = malloc(sizeof *x);

    CHECK(x != NULL);
    for (uint64_t k = 0; k < check_n_cases(12); k++) {
        const char *path = check_path("t.h5");
        x->padding = paddings[k % 3];
        x->size = 1 + check_random_below(k % 2 == 0 ? 8 : LONGEST);
        x->has_fill = check_random_below(2) == 0;
        make_labels(x);
        make_rows(x);
        write_table(path, x);
        for (int s = 0; s < 3; s++) {
            say("STOA_SIMD", simd[s]);
            check_answers(path, x);
        }
        say("STOA_SLOW", "1");
        check_answers(path, x);
        say("STOA_SLOW", NULL);
    }
    free(x);
}

TEST_MAIN(TEST(every_way_counts_the_same_texts))
