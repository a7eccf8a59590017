/*
 * Indexes over the life of a column (HEP001 §11.2 step 4, §11.4): after every one of a random
 * series of appends and truncations, an index of any kind describes its column, by its own verify
 * and by the rows that it leaves for each value, which are judged here one by one.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "one_column.h"

enum { EXTENT = 400, N_LETTERS = 40, ELEMENT = 8 };

typedef struct variety {
    const char *name;
    hid_t type;
    size_t size;
    void (*value)(uint64_t letter, void *element); /* letter 0 is the fill */
    stoa_scalar (*scalar)(const void *element);
} variety;

static void int_value(uint64_t letter, void *element)
{
    const int64_t value = letter == 0 ? INT64_MIN : ((int64_t)letter - 20) * 1000003;
    memcpy(element, &value, sizeof value);
}
static stoa_scalar int_scalar(const void *element)
{
    int64_t value;
    memcpy(&value, element, sizeof value);
    return (stoa_scalar){.kind = STOA_SCALAR_I64, .as.i64 = value};
}

static void float_value(uint64_t letter, void *element)
{
    const double value = letter == 0   ? -1e300
                         : letter == 1 ? NAN
                         : letter == 2 ? -0.0
                                       : ((double)letter - 3) / 8;
    memcpy(element, &value, sizeof value);
}
static stoa_scalar float_scalar(const void *element)
{
    double value;
    memcpy(&value, element, sizeof value);
    return (stoa_scalar){.kind = STOA_SCALAR_F64, .as.f64 = value};
}

static void text_value(uint64_t letter, void *element)
{
    memset(element, 0, ELEMENT);
    if (letter != 0) {
        (void)snprintf(element, ELEMENT, "%.*s", (int)(letter % 6 + 1),
                       letter % 2 != 0 ? "abcdefg" : "zyxwvut");
    }
}
static stoa_scalar text_scalar(const void *element)
{
    return (stoa_scalar){.kind = STOA_SCALAR_BYTES,
                         .as.bytes = {element, strnlen(element, ELEMENT)}};
}

/* Equal in plain C; NaN equals nothing. */
static bool equal(const stoa_scalar *a, const stoa_scalar *b)
{
    switch (a->kind) {
    case STOA_SCALAR_F64:
        return a->as.f64 == b->as.f64;
    case STOA_SCALAR_I64:
        return a->as.i64 == b->as.i64;
    default:
        return a->as.bytes.length == b->as.bytes.length &&
               memcmp(a->as.bytes.data, b->as.bytes.data, a->as.bytes.length) == 0;
    }
}

static bool in_set(const stoa_rowset *set, uint64_t row)
{
    for (size_t i = 0; i < set->n_ranges; i++) {
        if (row >= set->ranges[i].first && row - set->ranges[i].first < set->ranges[i].count) {
            return true;
        }
    }
    return false;
}

/* `= letter`: every row that holds it is a candidate, none that does not is certain. */
static void check_letter(const stoa_index_kind *kind, const variety *of, const uint8_t *rows,
                         uint64_t n_rows, const stoa_index *index, uint64_t letter)
{
    uint8_t element[ELEMENT];
    stoa_rowset candidates = {0};
    stoa_rowset certain = {0};

    of->value(letter, element);
    const stoa_scalar value = of->scalar(element);
    const stoa_interval interval = {.has_low = true, .has_high = true, .low = value, .high = value};
    const stoa_test test = {.intervals = &interval, .n_intervals = 1};
    CHECK_OK(kind->prune(index, &test, &candidates, &certain, NULL));
    for (uint64_t row = 0; row < n_rows; row++) {
        uint8_t fill[ELEMENT];
        const stoa_scalar found = of->scalar(rows + row * of->size);
        of->value(0, fill);
        const bool holds =
            memcmp(rows + row * of->size, fill, of->size) != 0 && equal(&found, &value);
        if (holds ? !in_set(&candidates, row) : in_set(&certain, row)) {
            FAIL("%s of %s: row %llu of %llu, letter %llu", kind->name, of->name,
                 (unsigned long long)row, (unsigned long long)n_rows, (unsigned long long)letter);
        }
    }
    stoa_rowset_clear(&candidates);
    stoa_rowset_clear(&certain);
}

static void check_index(const stoa_index_kind *kind, const variety *of, const one_column *made,
                        hid_t dataset, const uint8_t *rows, uint64_t n_rows)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_index *index = NULL;
    bool same = false;
    char problem[256] = "";

    CHECK_OK(kind->verify(made->column, dataset, n_rows, NULL, &same, problem, &err), &err);
    CHECK_STR(problem, "");
    CHECK(same);
    CHECK_OK(kind->open(made->column, dataset, n_rows, &index, &err), &err);
    for (int i = 0; i < 4; i++) {
        check_letter(kind, of, rows, n_rows, index, check_random_below(N_LETTERS));
    }
    kind->close(index);
}

static void try_series(const stoa_index_kind *kind, const variety *of)
{
    uint8_t rows[EXTENT * ELEMENT];
    uint8_t fill[ELEMENT];
    uint64_t n_rows = check_random_below(EXTENT + 1);
    const uint64_t n_letters = 2 + check_random_below(N_LETTERS - 1);

    for (uint64_t row = 0; row < EXTENT; row++) {
        /* The alphabet grows along the column, so that appends bring new values. */
        of->value(check_random_below(1 + n_letters * (row + 1) / EXTENT), rows + row * of->size);
    }
    of->value(0, fill);
    one_column made = one_column_make(&(one_column_spec){.file_type = of->type,
                                                         .fill = fill,
                                                         .values = rows,
                                                         .extent = EXTENT,
                                                         .n_rows = n_rows,
                                                         .chunk_rows = check_random_below(40)});
    stoa_error err = STOA_ERROR_INIT;
    CHECK_OK(stoa_index_add(made.table, "x", kind->name, NULL, &err), &err);
    const hid_t dataset = one_column_index(&made);
    for (int step = 0; step < 6; step++) {
        const uint64_t next = check_random_below(EXTENT + 1);
        check_index(kind, of, &made, dataset, rows, n_rows);
        CHECK_OK(kind->append(made.column, dataset, n_rows, next, &err), &err);
        n_rows = next;
    }
    check_index(kind, of, &made, dataset, rows, n_rows);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&made);
}

static void an_index_describes_its_column_after_every_step(void)
{
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    const uint64_t n_cases = check_n_cases(15);

    CHECK_H5(H5Tset_size(text, ELEMENT));
    const variety varieties[] = {
        {"int64", H5T_NATIVE_INT64, 8, int_value, int_scalar},
        {"float64", H5T_NATIVE_DOUBLE, 8, float_value, float_scalar},
        {"string", text, ELEMENT, text_value, text_scalar},
    };
    for (uint64_t n = 0; n < n_cases; n++) {
        for (size_t k = 0; stoa_index_kind_at(k) != NULL; k++) {
            for (size_t v = 0; v < sizeof varieties / sizeof varieties[0]; v++) {
                if (stoa_index_kind_at(k)->append != NULL) {
                    try_series(stoa_index_kind_at(k), &varieties[v]);
                }
            }
        }
    }
    CHECK_H5(H5Tclose(text));
}

TEST_MAIN(TEST(an_index_describes_its_column_after_every_step))
