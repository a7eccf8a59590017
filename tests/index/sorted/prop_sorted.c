/* SORTED_ROWS against a naive model (HEP001 §10.5): for random columns of every ordered type, with
 * missing rows, NaN and few distinct values, built in next to no memory. The model sorts rows by
 * comparing elements as C does and looks at every row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "index/one_column.h"

enum { MAX_ROWS = 30000, MAX_SIZE = 16, MAX_INTERVALS = 3, N_WORDS = 600 };

/* --- kinds of columns ------------------------------------------------------------------------ */

typedef enum sort_of { SIGNED, UNSIGNED, HALF, SINGLE, DOUBLE, TEXT, VARIABLE, OPAQUE } sort_of;

typedef struct variety {
    const char *name;
    sort_of sort;
    size_t size;  /* of an element in memory */
    bool swapped; /* stored big-endian */
    bool nan_fill;
    char padding; /* TEXT */
} variety;

static const variety varieties[] = {
    {"int8", SIGNED, 1, false, false, 0},
    {"int16 be", SIGNED, 2, true, false, 0},
    {"int32", SIGNED, 4, false, false, 0},
    {"int64 be", SIGNED, 8, true, false, 0},
    {"uint8", UNSIGNED, 1, false, false, 0},
    {"uint16", UNSIGNED, 2, false, false, 0},
    {"uint32 be", UNSIGNED, 4, true, false, 0},
    {"uint64", UNSIGNED, 8, false, false, 0},
    {"float16", HALF, 2, false, false, 0},
    {"float16 nan", HALF, 2, false, true, 0},
    {"float32 be", SINGLE, 4, true, false, 0},
    {"float32 nan", SINGLE, 4, false, true, 0},
    {"float64", DOUBLE, 8, false, false, 0},
    {"float64 nan", DOUBLE, 8, true, true, 0},
    {"string", TEXT, 12, false, false, '\0'},
    {"spaced string", TEXT, 12, false, false, ' '},
    {"variable string", VARIABLE, sizeof(char *), false, false, 0},
    {"opaque", OPAQUE, 5, false, false, 0},
};

static hid_t number_type(const variety *kind, bool in_file)
{
    const bool big = in_file && kind->swapped;

    switch (kind->sort) {
    case SIGNED:
        return kind->size == 1   ? H5T_STD_I8LE
               : kind->size == 2 ? (big ? H5T_STD_I16BE : H5T_NATIVE_INT16)
               : kind->size == 4 ? (big ? H5T_STD_I32BE : H5T_NATIVE_INT32)
                                 : (big ? H5T_STD_I64BE : H5T_NATIVE_INT64);
    case UNSIGNED:
        return kind->size == 1   ? H5T_STD_U8LE
               : kind->size == 2 ? (big ? H5T_STD_U16BE : H5T_NATIVE_UINT16)
               : kind->size == 4 ? (big ? H5T_STD_U32BE : H5T_NATIVE_UINT32)
                                 : (big ? H5T_STD_U64BE : H5T_NATIVE_UINT64);
    case SINGLE:
        return big ? H5T_IEEE_F32BE : H5T_NATIVE_FLOAT;
    case DOUBLE:
        return big ? H5T_IEEE_F64BE : H5T_NATIVE_DOUBLE;
    default: /* HALF: the machine's order, so that bits stay */
        return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? H5T_IEEE_F16BE : H5T_IEEE_F16LE;
    }
}

/* The type of a column, to be closed. */
static hid_t make_type(const variety *kind, bool in_file)
{
    if (kind->sort == OPAQUE) {
        const hid_t type = CHECK_H5(H5Tcreate(H5T_OPAQUE, kind->size));
        CHECK_H5(H5Tset_tag(type, "five"));
        return type;
    }
    if (kind->sort == TEXT || kind->sort == VARIABLE) {
        const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
        CHECK_H5(H5Tset_size(type, kind->sort == TEXT ? kind->size : H5T_VARIABLE));
        CHECK_H5(H5Tset_cset(type, H5T_CSET_UTF8));
        if (kind->sort == TEXT) {
            CHECK_H5(
                H5Tset_strpad(type, kind->padding == ' ' ? H5T_STR_SPACEPAD : H5T_STR_NULLPAD));
        }
        return type;
    }
    return CHECK_H5(H5Tcopy(number_type(kind, in_file)));
}

/* --- values ---------------------------------------------------------------------------------- */

/* Words that share beginnings of more than eight bytes. */
static char words[N_WORDS][MAX_SIZE];

static void make_words(void)
{
    for (unsigned i = 0; i < N_WORDS; i++) {
        (void)snprintf(words[i], sizeof words[i], i % 2 != 0 ? "prefixed%u" : "%u", i / 3);
    }
}

static double random_float(void)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 1.0, -1.0};

    if (check_random_below(8) == 0) {
        return special[check_random_below(8)];
    }
    return (double)((int64_t)check_random_below(4001) - 2000) / 8.0;
}

static void put_text(const variety *kind, const char *word, uint8_t *element)
{
    memset(element, kind->padding, kind->size);
    memcpy(element, word, strlen(word) < kind->size ? strlen(word) : kind->size);
}

/* The fill is a value that random ones rarely are: 77 of numbers, "fill" of texts. */
static void make_value(const variety *kind, bool is_fill, uint64_t n_letters, uint8_t *element)
{
    const uint64_t letter = check_random_below(n_letters);
    const double real = !is_fill ? random_float() : kind->nan_fill ? NAN : 77.0;
    const uint64_t bits = is_fill ? 77 : check_random() >> (8 * check_random_below(8));
    const uint64_t whole = is_fill ? 77 : n_letters > 1000 ? bits : letter * 3;
    const float single = (float)real;
    const uint16_t half = stoa_f32_to_f16(single);
    const char *word = is_fill ? "fill" : words[letter % N_WORDS];

    switch (kind->sort) {
    case HALF:
        memcpy(element, &half, sizeof half);
        break;
    case SINGLE:
        memcpy(element, &single, sizeof single);
        break;
    case DOUBLE:
        memcpy(element, &real, sizeof real);
        break;
    case TEXT:
        put_text(kind, word, element);
        break;
    case VARIABLE:
        memcpy(element, &word, sizeof word);
        break;
    case OPAQUE:
        memcpy(element, &whole, kind->size);
        break;
    default:
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        memcpy(element, &whole, kind->size);
#else
        memcpy(element, (const uint8_t *)&whole + 8 - kind->size, kind->size);
#endif
        break;
    }
}

/* --- the model ------------------------------------------------------------------------------- */

typedef struct model {
    const variety *kind;
    uint64_t n_rows;
    uint8_t *elements;
    uint8_t fill[MAX_SIZE];
    uint64_t *order; /* rows by rank */
    uint64_t n_fill;
    uint64_t n_nan;
} model;

static model m; /* qsort has no context */

static const uint8_t *element_at(uint64_t row)
{
    return m.elements + row * m.kind->size;
}

static double float_of(const uint8_t *element)
{
    double real = 0;
    float single = 0;
    uint16_t half = 0;

    if (m.kind->sort == DOUBLE) {
        memcpy(&real, element, sizeof real);
        return real;
    }
    if (m.kind->sort == SINGLE) {
        memcpy(&single, element, sizeof single);
        return (double)single;
    }
    memcpy(&half, element, sizeof half);
    /* binary16, by its definition */
    const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
    const int exponent = (half >> 10) & 31;
    const double mantissa = half & 1023;
    return exponent == 31  ? (mantissa != 0 ? NAN : sign * INFINITY)
           : exponent == 0 ? sign * ldexp(mantissa, -24)
                           : sign * ldexp(1024 + mantissa, exponent - 25);
}

static stoa_scalar scalar_of(const uint8_t *element)
{
    stoa_scalar scalar = {.kind = STOA_SCALAR_BYTES};
    int64_t number = 0;

    switch (m.kind->sort) {
    case SIGNED:
    case UNSIGNED:
        for (size_t i = 0; i < m.kind->size; i++) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            number |= (int64_t)((uint64_t)element[i] << (8 * i));
#else
            number = (int64_t)((uint64_t)number << 8 | element[i]);
#endif
        }
        if (m.kind->sort == SIGNED && m.kind->size < 8) {
            const int64_t half = INT64_C(1) << (8 * m.kind->size - 1);
            number = (number ^ half) - half;
        }
        scalar.kind = m.kind->sort == SIGNED ? STOA_SCALAR_I64 : STOA_SCALAR_U64;
        scalar.as.i64 = number;
        return scalar;
    case TEXT:
        scalar.as.bytes.data = (const char *)element;
        scalar.as.bytes.length = m.kind->size;
        while (scalar.as.bytes.length > 0 &&
               element[scalar.as.bytes.length - 1] == (uint8_t)m.kind->padding) {
            scalar.as.bytes.length--;
        }
        return scalar;
    case VARIABLE:
        memcpy(&scalar.as.bytes.data, element, sizeof(char *));
        scalar.as.bytes.length = strlen(scalar.as.bytes.data);
        return scalar;
    case OPAQUE:
        scalar.as.bytes.data = (const char *)element;
        scalar.as.bytes.length = m.kind->size;
        return scalar;
    default:
        scalar.kind = STOA_SCALAR_F64;
        scalar.as.f64 = float_of(element);
        return scalar;
    }
}

static bool is_nan(uint64_t row)
{
    const stoa_scalar value = scalar_of(element_at(row));

    return value.kind == STOA_SCALAR_F64 && isnan(value.as.f64);
}

static bool is_missing(uint64_t row)
{
    const char *word = NULL;

    if (m.kind->nan_fill) {
        return is_nan(row);
    }
    if (m.kind->sort == VARIABLE) {
        memcpy(&word, element_at(row), sizeof word);
        return strcmp(word, "fill") == 0;
    }
    return memcmp(element_at(row), m.fill, m.kind->size) == 0;
}

/* Values alone; NaN does not come here. */
static int plain_order(const stoa_scalar *a, const stoa_scalar *b)
{
    switch (a->kind) {
    case STOA_SCALAR_I64:
        return (a->as.i64 > b->as.i64) - (a->as.i64 < b->as.i64);
    case STOA_SCALAR_U64:
        return (a->as.u64 > b->as.u64) - (a->as.u64 < b->as.u64);
    case STOA_SCALAR_F64:
        return (a->as.f64 > b->as.f64) - (a->as.f64 < b->as.f64);
    default: {
        const size_t n_a = a->as.bytes.length;
        const size_t n_b = b->as.bytes.length;
        const int order = memcmp(a->as.bytes.data, b->as.bytes.data, n_a < n_b ? n_a : n_b);
        return order != 0 ? order : (n_a > n_b) - (n_a < n_b);
    }
    }
}

/* Which part of the permutation a row belongs to. */
static int part_of(uint64_t row)
{
    return is_nan(row) ? 2 : is_missing(row) ? 1 : 0;
}

static int order_rows(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x;
    const uint64_t b = *(const uint64_t *)y;
    const int part = part_of(a);

    if (part != part_of(b)) {
        return part - part_of(b);
    }
    if (part == 0) {
        const stoa_scalar u = scalar_of(element_at(a));
        const stoa_scalar v = scalar_of(element_at(b));
        const int order = plain_order(&u, &v);
        if (order != 0) {
            return order;
        }
    }
    return (a > b) - (a < b);
}

static void sort_model(uint64_t n_rows)
{
    m.n_rows = n_rows;
    m.n_fill = m.n_nan = 0;
    for (uint64_t row = 0; row < n_rows; row++) {
        m.order[row] = row;
        m.n_nan += part_of(row) == 2;
        m.n_fill += part_of(row) == 1;
    }
    qsort(m.order, (size_t)n_rows, sizeof *m.order, order_rows);
}

/* --- the file -------------------------------------------------------------------------------- */

static one_column make_column(uint64_t extent, uint64_t chunk_rows)
{
    const hid_t file_type = make_type(m.kind, true);
    const hid_t mem_type = make_type(m.kind, false);
    const one_column_spec spec = {.file_type = file_type,
                                  .mem_type = mem_type,
                                  .fill = m.fill,
                                  .values = m.elements,
                                  .extent = extent,
                                  .n_rows = m.n_rows,
                                  .chunk_rows = chunk_rows};
    const one_column made = one_column_make(&spec);

    CHECK_H5(H5Tclose(mem_type));
    CHECK_H5(H5Tclose(file_type));
    return made;
}

static void make_model(const variety *kind, uint64_t n_rows)
{
    const uint64_t n_letters = check_random_below(2) != 0 ? 5 : 100000;
    const uint64_t gap = 2 + check_random_below(30);

    m.kind = kind;
    m.elements = calloc((size_t)n_rows + 1, kind->size);
    m.order = calloc((size_t)n_rows + 1, sizeof *m.order);
    CHECK(m.elements != NULL && m.order != NULL);
    make_value(kind, true, 1, m.fill);
    for (uint64_t row = 0; row < n_rows; row++) {
        make_value(kind, check_random_below(gap) == 0, n_letters, m.elements + row * kind->size);
    }
}

static void free_model(void)
{
    free(m.elements);
    free(m.order);
}

static uint64_t read_count(hid_t object, const char *name)
{
    const hid_t attr = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));
    uint64_t value = 0;

    CHECK_H5(H5Aread(attr, H5T_NATIVE_UINT64, &value));
    CHECK_H5(H5Aclose(attr));
    return value;
}

/* The file holds the model's permutation, and says itself that it is right. */
static void check_stored(const one_column *made)
{
    const hid_t dataset = one_column_index(made);
    uint64_t *rows = calloc((size_t)m.n_rows + 1, sizeof *rows);
    stoa_error err = STOA_ERROR_INIT;
    bool same = false;

    CHECK(rows != NULL);
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    CHECK_U64((uint64_t)CHECK_H5(H5Sget_simple_extent_npoints(space)), m.n_rows);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    for (uint64_t i = 0; i < m.n_rows; i++) {
        if (rows[i] != m.order[i]) {
            FAIL("%s: rank %llu is row %llu, not %llu", m.kind->name, (unsigned long long)i,
                 (unsigned long long)rows[i], (unsigned long long)m.order[i]);
        }
    }
    CHECK_U64(read_count(dataset, "fill_tail_length"), m.n_fill);
    CHECK_U64(read_count(dataset, "nan_tail_length"), m.n_nan);
    CHECK_OK(stoa_index_verify(made->table, "x", "sorted", &same, &err), &err);
    if (!same) {
        FAIL("%s: %s", m.kind->name, err.message);
    }
    free(rows);
    CHECK_H5(H5Dclose(dataset));
}

static void add_index(const one_column *made, uint64_t memory, bool bare)
{
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;

    options.memory = memory;
    options.bare = bare;
    CHECK_OK(stoa_index_add(made->table, "x", "sorted", &options, &err), &err);
}

/* --- look-ups -------------------------------------------------------------------------------- */

static bool lies_in(const stoa_scalar *value, const stoa_interval *interval)
{
    const int to_low = interval->has_low ? plain_order(value, &interval->low) : 1;
    const int to_high = interval->has_high ? plain_order(value, &interval->high) : -1;

    return (to_low > 0 || (to_low == 0 && !interval->low_open)) &&
           (to_high < 0 || (to_high == 0 && !interval->high_open));
}

static bool passes(uint64_t row, const stoa_test *test)
{
    const stoa_scalar value = scalar_of(element_at(row));

    if (is_missing(row)) {
        return test->missing;
    }
    if (is_nan(row)) {
        return test->nan;
    }
    for (size_t i = 0; i < test->n_intervals; i++) {
        if (lies_in(&value, &test->intervals[i])) {
            return true;
        }
    }
    return false;
}

/* A bound: a value of the column as a rule, of which it may have none. */
static stoa_scalar random_bound(uint8_t *element)
{
    for (;;) {
        if (m.n_rows > 0 && check_random_below(4) != 0) {
            memcpy(element, element_at(check_random_below(m.n_rows)), m.kind->size);
        } else {
            make_value(m.kind, false, 1000, element);
        }
        const stoa_scalar bound = scalar_of(element);
        if (bound.kind != STOA_SCALAR_F64 || !isnan(bound.as.f64)) {
            return bound;
        }
    }
}

static void random_test(stoa_interval *intervals, uint8_t (*bounds)[MAX_SIZE], stoa_test *test)
{
    *test = (stoa_test){.intervals = intervals,
                        .n_intervals = (size_t)check_random_below(MAX_INTERVALS + 1),
                        .missing = check_random_below(4) == 0,
                        .nan = check_random_below(4) == 0};
    for (size_t i = 0; i < test->n_intervals; i++) {
        const bool is_point = check_random_below(3) == 0;
        intervals[i] = (stoa_interval){.has_low = check_random_below(5) != 0,
                                       .has_high = check_random_below(5) != 0,
                                       .low_open = check_random_below(2) != 0,
                                       .high_open = check_random_below(2) != 0};
        intervals[i].low = random_bound(bounds[2 * i]);
        intervals[i].high = is_point ? intervals[i].low : random_bound(bounds[2 * i + 1]);
    }
}

static bool next_in(const stoa_rowset *set, size_t *at, uint64_t row)
{
    while (*at < set->n_ranges && set->ranges[*at].first + set->ranges[*at].count <= row) {
        ++*at;
    }
    return *at < set->n_ranges && row >= set->ranges[*at].first;
}

static void check_answers(const stoa_index *index, const stoa_test *test)
{
    stoa_rowset rows = {0};
    stoa_rowset certain = {0};
    stoa_error err = STOA_ERROR_INIT;
    uint64_t estimate = 0;
    uint64_t n_passing = 0;
    size_t at = 0;
    size_t at_certain = 0;

    CHECK_OK(stoa_index_sorted.estimate(index, test, &estimate, &err), &err);
    CHECK_OK(stoa_index_sorted.prune(index, test, &rows, &certain, &err), &err);
    CHECK_U64(stoa_rowset_count(&rows), estimate);
    const bool is_all = estimate == m.n_rows && stoa_rowset_count(&certain) == 0;
    for (uint64_t row = 0; row < m.n_rows; row++) {
        const bool is_in = next_in(&rows, &at, row);
        const bool is_certain = next_in(&certain, &at_certain, row);
        const bool is_right = passes(row, test);
        n_passing += is_right;
        /* Either every row that passes and no other, or all. */
        if (is_all ? is_certain : is_in != is_right || is_certain != is_right) {
            FAIL("%s: row %llu is %s, %s, and %s", m.kind->name, (unsigned long long)row,
                 is_in ? "in" : "out", is_certain ? "certain" : "uncertain",
                 is_right ? "passes" : "does not pass");
        }
    }
    /* All is said only of many (an eighth, and over a thousand), or where all do pass. */
    CHECK(!is_all || n_passing > m.n_rows / 8 || n_passing == m.n_rows);
    stoa_rowset_clear(&rows);
    stoa_rowset_clear(&certain);
}

static void check_look_ups(const one_column *made)
{
    const hid_t dataset = one_column_index(made);
    stoa_index *index = NULL;
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n[3] = {0};

    CHECK_OK(stoa_index_sorted.open(made->column, dataset, m.n_rows, &index, &err), &err);
    CHECK_H5(H5Dclose(dataset));
    for (int i = 0; i < 12; i++) {
        stoa_interval intervals[MAX_INTERVALS];
        uint8_t bounds[2 * MAX_INTERVALS][MAX_SIZE];
        stoa_test test;
        random_test(intervals, bounds, &test);
        check_answers(index, &test);
    }
    stoa_index_sorted.ranks(index, &n[0], &n[1], &n[2]);
    CHECK_U64(n[0], m.n_rows - m.n_fill - m.n_nan);
    CHECK_U64(n[1], m.kind->nan_fill ? m.n_nan : m.n_fill);
    CHECK_U64(n[2], m.kind->nan_fill ? 0 : m.n_nan);
    if (m.n_rows > 0) {
        const uint64_t first = check_random_below(m.n_rows);
        uint64_t row = 0;
        CHECK_OK(stoa_index_sorted.ranked(index, first, 1, &row, &err), &err);
        CHECK_U64(row, m.order[first]);
    }
    stoa_index_sorted.close(index);
}

/* --- properties ------------------------------------------------------------------------------ */

static void try_build(const variety *kind, uint64_t n_rows, uint64_t memory)
{
    const bool bare = check_random_below(3) == 0;

    make_model(kind, n_rows);
    sort_model(n_rows);
    one_column made = make_column(n_rows, n_rows > 1000 ? 1000 : check_random_below(20));
    add_index(&made, memory, bare);
    check_stored(&made);
    check_look_ups(&made);
    one_column_free(&made);
    free_model();
}

static void small_columns_are_sorted_and_searched(void)
{
    const uint64_t n_cases = check_n_cases(8);

    make_words();
    for (uint64_t i = 0; i < n_cases; i++) {
        for (size_t k = 0; k < sizeof varieties / sizeof varieties[0]; k++) {
            try_build(&varieties[k], check_random_below(200), check_random_below(2));
        }
    }
}

/* The least memory holds about 2000 numbers and merges 4 runs at a time: 30000 rows are 15 runs
 * and two rounds. */
static void columns_beyond_memory_are_merged(void)
{
    make_words();
    for (size_t k = 0; k < sizeof varieties / sizeof varieties[0]; k++) {
        try_build(&varieties[k], MAX_ROWS / 2 + check_random_below(MAX_ROWS / 2), 1);
    }
}

/* Whatever was appended or cut off: the index is the one that a build would make. */
static void try_change(const variety *kind, uint64_t most)
{
    const uint64_t before = check_random_below(most + 1);
    const uint64_t after = check_random_below(most + 1);
    stoa_error err = STOA_ERROR_INIT;

    make_model(kind, most);
    sort_model(before);
    one_column made = make_column(most, most > 1000 ? 1000 : 16);
    add_index(&made, 0, check_random_below(4) == 0);
    const hid_t dataset = one_column_index(&made);
    CHECK_OK(stoa_index_sorted.append(made.column, dataset, before, after, &err), &err);
    CHECK_H5(H5Dclose(dataset));
    sort_model(after);
    one_column_reopen(&made, after);
    check_stored(&made);
    check_look_ups(&made);
    one_column_free(&made);
    free_model();
}

static void a_changed_index_is_as_if_built_anew(void)
{
    const uint64_t n_cases = check_n_cases(8);

    make_words();
    for (uint64_t i = 0; i < n_cases; i++) {
        for (size_t k = 0; k < sizeof varieties / sizeof varieties[0]; k++) {
            try_change(&varieties[k], i == 0 ? MAX_ROWS : 100);
        }
    }
}

TEST_MAIN(TEST(small_columns_are_sorted_and_searched), TEST(columns_beyond_memory_are_merged),
          TEST(a_changed_index_is_as_if_built_anew))
