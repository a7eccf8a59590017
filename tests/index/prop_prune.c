/* What an index may leave out (HEP001 §10: "still return correct answers"): for random columns and
 * random tests, no row that passes is ever out of the candidates, and no chunk is in without need.
 * The rows are judged here one by one, by plain C. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "one_column.h"

enum { MAX_ROWS = 60, MAX_INTERVALS = 3 };

/* One kind of column: values of a small alphabet, so that everything collides. */
typedef struct variety {
    const char *name;
    hid_t (*file_type)(void);
    hid_t (*mem_type)(void);
    size_t size;
    void (*value)(uint64_t letter, void *element); /* letter 0 is the fill */
    stoa_scalar (*scalar)(const void *element);
} variety;

enum { N_LETTERS = 12 };

static hid_t i16be(void)
{
    return H5T_STD_I16BE;
}
static hid_t i16(void)
{
    return H5T_NATIVE_INT16;
}
static void i16_value(uint64_t letter, void *element)
{
    const int16_t value = letter == 0 ? -32767 : (int16_t)((int)letter * 7 - 40);
    memcpy(element, &value, sizeof value);
}
static stoa_scalar i16_scalar(const void *element)
{
    int16_t value;
    memcpy(&value, element, sizeof value);
    return (stoa_scalar){.kind = STOA_SCALAR_I64, .as.i64 = value};
}

static hid_t u64le(void)
{
    return H5T_STD_U64LE;
}
static hid_t u64(void)
{
    return H5T_NATIVE_UINT64;
}
static void u64_value(uint64_t letter, void *element)
{
    const uint64_t value = UINT64_MAX - (letter % 2 != 0 ? letter : letter << 40);
    memcpy(element, &value, sizeof value);
}
static stoa_scalar u64_scalar(const void *element)
{
    uint64_t value;
    memcpy(&value, element, sizeof value);
    return (stoa_scalar){.kind = STOA_SCALAR_U64, .as.u64 = value};
}

static hid_t f32be(void)
{
    return H5T_IEEE_F32BE;
}
static hid_t f32(void)
{
    return H5T_NATIVE_FLOAT;
}
static void float_of(uint64_t letter, float fill, void *element)
{
    static const float values[N_LETTERS] = {0,    -INFINITY, -1.5f, -0.0f, 0.0f,     0.1f,
                                            1.0f, NAN,       NAN,   3e38f, INFINITY, 2.0f};
    const float value = letter == 0 ? fill : values[letter];
    memcpy(element, &value, sizeof value);
}
static void f32_value(uint64_t letter, void *element)
{
    float_of(letter, 9.96921e+36f, element);
}
static void nan_fill_value(uint64_t letter, void *element)
{
    float_of(letter, NAN, element);
}
static stoa_scalar f32_scalar(const void *element)
{
    float value;
    memcpy(&value, element, sizeof value);
    return (stoa_scalar){.kind = STOA_SCALAR_F64, .as.f64 = (double)value};
}

static hid_t opaque3(void)
{
    static hid_t type = H5I_INVALID_HID; /* made once, for the whole program */
    if (type < 0) {
        type = CHECK_H5(H5Tcreate(H5T_OPAQUE, 3));
        CHECK_H5(H5Tset_tag(type, "three"));
    }
    return type;
}
static void opaque_value(uint64_t letter, void *element)
{
    const uint8_t bytes[3] = {(uint8_t)(letter / 3 * 100), (uint8_t)(letter % 3 * 127), 0};
    memcpy(element, bytes, sizeof bytes);
}
static stoa_scalar opaque_scalar(const void *element)
{
    return (stoa_scalar){.kind = STOA_SCALAR_BYTES, .as.bytes = {element, 3}};
}

static const variety varieties[] = {
    {"int16", i16be, i16, 2, i16_value, i16_scalar},
    {"uint64", u64le, u64, 8, u64_value, u64_scalar},
    {"float32", f32be, f32, 4, f32_value, f32_scalar},
    {"float32 with NaN fill", f32be, f32, 4, nan_fill_value, f32_scalar},
    {"opaque", opaque3, opaque3, 3, opaque_value, opaque_scalar},
};

/* Order in plain C: <0, 0, >0, or 2 where there is none. */
static int plain_order(const stoa_scalar *a, const stoa_scalar *b)
{
    switch (a->kind) {
    case STOA_SCALAR_I64:
        return (a->as.i64 > b->as.i64) - (a->as.i64 < b->as.i64);
    case STOA_SCALAR_U64:
        return (a->as.u64 > b->as.u64) - (a->as.u64 < b->as.u64);
    case STOA_SCALAR_BYTES: {
        const int order = memcmp(a->as.bytes.data, b->as.bytes.data, 3);
        return (order > 0) - (order < 0);
    }
    default:
        return isnan(a->as.f64) || isnan(b->as.f64)
                   ? 2
                   : (a->as.f64 > b->as.f64) - (a->as.f64 < b->as.f64);
    }
}

static bool lies_in(const stoa_scalar *value, const stoa_interval *interval)
{
    if (interval->has_low) {
        const int order = plain_order(value, &interval->low);
        if (order == 2 || order < 0 || (order == 0 && interval->low_open)) {
            return false;
        }
    }
    if (interval->has_high) {
        const int order = plain_order(value, &interval->high);
        if (order > 0 || (order == 0 && interval->high_open)) {
            return false;
        }
    }
    return !(value->kind == STOA_SCALAR_F64 && isnan(value->as.f64));
}

static bool passes(const stoa_scalar *value, bool is_missing, const stoa_test *test)
{
    if (is_missing) {
        return test->missing;
    }
    if (value->kind == STOA_SCALAR_F64 && isnan(value->as.f64)) {
        return test->nan;
    }
    for (size_t i = 0; i < test->n_intervals; i++) {
        if (lies_in(value, &test->intervals[i])) {
            return true;
        }
    }
    return false;
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

/* The column's rows, and what each of them is. */
typedef struct sample {
    uint8_t elements[MAX_ROWS * 8];
    uint8_t bounds[2 * MAX_INTERVALS * 8];
    uint8_t fill[8];
    uint64_t n_rows;
    uint64_t chunk_rows;
} sample;

static void random_test(const variety *kind, sample *made, stoa_interval *intervals,
                        stoa_test *test)
{
    *test = (stoa_test){.intervals = intervals,
                        .n_intervals = (size_t)check_random_below(MAX_INTERVALS + 1),
                        .missing = check_random_below(4) == 0,
                        .nan = check_random_below(4) == 0};
    for (size_t i = 0; i < test->n_intervals; i++) {
        uint8_t *low = made->bounds + 2 * i * kind->size;
        uint8_t *high = low + kind->size;
        kind->value(check_random_below(N_LETTERS), low);
        kind->value(check_random_below(N_LETTERS), high);
        intervals[i] = (stoa_interval){.has_low = check_random_below(4) != 0,
                                       .has_high = check_random_below(4) != 0,
                                       .low_open = check_random_below(2) != 0,
                                       .high_open = check_random_below(2) != 0,
                                       .low = kind->scalar(low),
                                       .high = kind->scalar(high)};
    }
}

static bool has_nan_bound(const stoa_test *test)
{
    for (size_t i = 0; i < test->n_intervals; i++) {
        const stoa_interval *at = &test->intervals[i];
        if (at->low.kind == STOA_SCALAR_F64 &&
            ((at->has_low && isnan(at->low.as.f64)) || (at->has_high && isnan(at->high.as.f64)))) {
            return true;
        }
    }
    return false;
}

/* What passes is a candidate, what is certain passes; a bitmap knows which rows those are, unless
 * NaN and missing rows are to be told apart. */
static void check_prune(const stoa_index_kind *by, const variety *kind, const sample *made,
                        const stoa_index *index, const stoa_test *test, bool fill_is_nan)
{
    const bool is_exact = strcmp(by->kind, "BITMAP") == 0 && !fill_is_nan &&
                          test->missing == test->nan && !has_nan_bound(test);
    stoa_rowset rows = {0};
    stoa_rowset certain = {0};
    uint64_t estimate = 0;

    CHECK_OK(by->prune(index, test, &rows, &certain, NULL));
    if (by->estimate != NULL) {
        CHECK_OK(by->estimate(index, test, &estimate, NULL));
        CHECK(estimate <= made->n_rows);
        if (strcmp(by->kind, "CHUNK_MINMAX") == 0) {
            CHECK_U64(estimate, stoa_rowset_count(&rows));
        }
    }
    for (uint64_t row = 0; row < made->n_rows; row++) {
        const uint8_t *element = made->elements + row * kind->size;
        const stoa_scalar value = kind->scalar(element);
        const bool is_missing =
            fill_is_nan ? isnan(value.as.f64) : memcmp(element, made->fill, kind->size) == 0;
        const bool is_right = passes(&value, is_missing, test);
        if (is_right ? !in_set(&rows, row) : in_set(&certain, row)) {
            FAIL("%s of %s: row %llu %s", by->name, kind->name, (unsigned long long)row,
                 is_right ? "passes the test but is not a candidate"
                          : "is certain but does not pass the test");
        }
        if (is_exact && (in_set(&rows, row) != is_right || in_set(&certain, row) != is_right)) {
            FAIL("%s of %s: row %llu is not exactly known", by->name, kind->name,
                 (unsigned long long)row);
        }
    }
    CHECK(stoa_rowset_count(&rows) <= made->n_rows);
    stoa_rowset_clear(&rows);
    stoa_rowset_clear(&certain);
}

static void try_index(const stoa_index_kind *by, const variety *kind, bool fill_is_nan)
{
    sample made = {.n_rows = check_random_below(MAX_ROWS + 1),
                   .chunk_rows = check_random_below(12)};
    /* Most of a column's rows come from a window of the alphabet that moves, so that chunks
     * differ. */
    for (uint64_t row = 0; row < made.n_rows; row++) {
        const uint64_t window = row / 8 % N_LETTERS;
        const uint64_t letter =
            check_random_below(8) == 0 ? 0 : (window + check_random_below(3)) % N_LETTERS;
        kind->value(letter, made.elements + row * kind->size);
    }
    kind->value(0, made.fill);

    const one_column_spec spec = {.file_type = kind->file_type(),
                                  .mem_type = kind->mem_type(),
                                  .fill = made.fill,
                                  .values = made.elements,
                                  .extent = made.n_rows,
                                  .n_rows = made.n_rows,
                                  .chunk_rows = made.chunk_rows};
    one_column table = one_column_make(&spec);
    stoa_error err = STOA_ERROR_INIT;
    stoa_index *index = NULL;
    bool same = false;

    CHECK_OK(stoa_index_add(table.table, "x", by->name, NULL, &err), &err);
    CHECK_OK(stoa_index_verify(table.table, "x", by->name, &same, &err), &err);
    CHECK(same);
    const hid_t dataset = one_column_index(&table);
    CHECK_OK(by->open(table.column, dataset, made.n_rows, &index, &err), &err);
    for (int i = 0; i < 20; i++) {
        stoa_interval intervals[MAX_INTERVALS];
        stoa_test test;
        random_test(kind, &made, intervals, &test);
        check_prune(by, kind, &made, index, &test, fill_is_nan);
    }
    by->close(index);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&table);
}

static void try_variety(const variety *kind, bool fill_is_nan)
{
    for (size_t i = 0; stoa_index_kind_at(i) != NULL; i++) {
        try_index(stoa_index_kind_at(i), kind, fill_is_nan);
    }
}

static void no_row_that_passes_is_left_out(void)
{
    const uint64_t n_cases = check_n_cases(60);

    (void)opaque3();
    for (uint64_t i = 0; i < n_cases; i++) {
        for (size_t k = 0; k < sizeof varieties / sizeof varieties[0]; k++) {
            try_variety(&varieties[k], k == 3);
        }
    }
    CHECK_H5(H5Tclose(opaque3()));
}

/* A chunk that holds one value is a candidate exactly where that value passes. */
static void chunks_of_one_value_are_judged_exactly(void)
{
    double rows[24];
    const double fill = -1e9;
    const uint64_t n_cases = check_n_cases(300);

    for (int i = 0; i < 24; i++) {
        rows[i] = (double)(i / 4);
    }
    const one_column_spec spec = {.file_type = H5T_IEEE_F64LE,
                                  .mem_type = H5T_NATIVE_DOUBLE,
                                  .fill = &fill,
                                  .values = rows,
                                  .extent = 24,
                                  .n_rows = 24,
                                  .chunk_rows = 4};
    one_column table = one_column_make(&spec);
    stoa_index *index = NULL;

    CHECK_OK(stoa_index_add(table.table, "x", "minmax", NULL, NULL));
    const hid_t dataset = one_column_index(&table);
    CHECK_OK(stoa_index_minmax.open(table.column, dataset, 24, &index, NULL));
    for (uint64_t n = 0; n < n_cases; n++) {
        const stoa_interval interval = {
            .has_low = check_random_below(3) != 0,
            .has_high = check_random_below(3) != 0,
            .low_open = check_random_below(2) != 0,
            .high_open = check_random_below(2) != 0,
            .low = {.kind = STOA_SCALAR_F64, .as.f64 = (double)check_random_below(14) / 2 - 0.5},
            .high = {.kind = STOA_SCALAR_F64, .as.f64 = (double)check_random_below(14) / 2 - 0.5}};
        const stoa_test test = {.intervals = &interval, .n_intervals = 1};
        stoa_rowset found = {0};
        stoa_rowset certain = {0};

        CHECK_OK(stoa_index_minmax.prune(index, &test, &found, &certain, NULL));
        for (uint64_t row = 0; row < 24; row++) {
            const stoa_scalar value = {.kind = STOA_SCALAR_F64, .as.f64 = rows[row]};
            CHECK(in_set(&found, row) == lies_in(&value, &interval));
        }
        stoa_rowset_clear(&found);
        stoa_rowset_clear(&certain);
    }
    stoa_index_minmax.close(index);
    CHECK_H5(H5Dclose(dataset));
    one_column_free(&table);
}

TEST_MAIN(TEST(no_row_that_passes_is_left_out), TEST(chunks_of_one_value_are_judged_exactly))
