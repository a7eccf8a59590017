/*
 * Long SORTED_ROWS indexes that an append writes anew (HEP001 §10.5, §11.2 step 4), against a naive
 * model: rows are sorted by qsort(), and the index is read by plain HDF5 calls.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/references.h"
#include "one_column.h"

enum { EXTENT = 110000, LEAST_OLD = 70000, LEAST_NEW = 4000, MAX_NEW = 10000 };
/* Fences: how many there may be, and four times their distance in the longest new index. */
enum { MOST_FENCES = 2048, FARTHEST = 1500 };
/* Ranks that are merged at a time. */
enum { MERGED = 8 * 32768, LARGEST = LEAST_OLD + MERGED };
/* An old index of which a part is left when as many ranks were merged, and what is appended to it.
 */
enum { LONG_OLD = LARGEST, LONG_NEW = 40000 };

/* --- columns --------------------------------------------------------------------------------- */

typedef struct variety {
    hid_t (*file_type)(void);
    hid_t (*mem_type)(void);
    uint64_t (*value)(uint64_t random); /* its bits in memory */
    double (*rank)(uint64_t bits);      /* orders as the values do; they have few bits */
} variety;

static hid_t i64_type(void)
{
    return H5T_NATIVE_INT64;
}
static hid_t i64be_type(void)
{
    return H5T_STD_I64BE;
}
static hid_t u64_type(void)
{
    return H5T_NATIVE_UINT64;
}
static hid_t f64_type(void)
{
    return H5T_NATIVE_DOUBLE;
}

/* The fill of all of them is the value of random 0. */
static uint64_t wide_value(uint64_t random)
{
    return (uint64_t)(((int64_t)(random >> 16) - (INT64_C(1) << 47)) / 16 * 16);
}
static uint64_t few_values(uint64_t random)
{
    return (uint64_t)((int64_t)(random % 97) - 48);
}
/* Chunks of these span the whole type, so that scale-offset cannot pack them. */
static uint64_t far_values(uint64_t random)
{
    return random % 2 == 0 ? random % 1000 : UINT64_MAX - (random >> 32) % 1000 * 4096;
}
static uint64_t float_value(uint64_t random)
{
    const double value = random == 0        ? -1e300
                         : random % 50 == 0 ? NAN
                         : random % 50 == 1 ? -0.0
                                            : (double)(random >> 40) / 64 - 4096;
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double signed_rank(uint64_t bits)
{
    return (double)(int64_t)bits;
}
static double unsigned_rank(uint64_t bits)
{
    return (double)bits;
}
static double float_rank(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static const variety varieties[] = {
    {i64_type, i64_type, wide_value, signed_rank}, {i64be_type, i64_type, wide_value, signed_rank},
    {i64_type, i64_type, few_values, signed_rank}, {u64_type, u64_type, far_values, unsigned_rank},
    {f64_type, f64_type, float_value, float_rank},
};
enum { N_VARIETIES = sizeof varieties / sizeof varieties[0] };

/* --- the model ------------------------------------------------------------------------------- */

typedef struct ranked {
    int class; /* 0: a value, 1: missing, 2: NaN */
    double rank;
    uint64_t row;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;

    if (x->class != y->class) {
        return x->class - y->class;
    }
    if (x->class == 0 && x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return (x->row > y->row) - (x->row < y->row);
}

static uint64_t rows_of[LONG_OLD + LONG_NEW]; /* bits */
static ranked model[LONG_OLD + LONG_NEW];
static uint64_t read_rows[LONG_OLD + LONG_NEW];

static uint64_t make_model(const variety *of, uint64_t n_rows)
{
    uint64_t n_ordered = 0;

    for (uint64_t row = 0; row < n_rows; row++) {
        const double rank = of->rank(rows_of[row]);
        const bool is_missing = rows_of[row] == of->value(0);
        model[row] = (ranked){isnan(rank) ? 2 : is_missing ? 1 : 0, rank, row};
        n_ordered += model[row].class == 0;
    }
    qsort(model, n_rows, sizeof *model, compare_ranked);
    return n_ordered;
}

static void read_all(hid_t dataset, hid_t type, uint64_t n, void *out)
{
    hsize_t extent = 0;
    const hid_t space = CHECK_H5(H5Dget_space(dataset));

    CHECK_H5(H5Sget_simple_extent_dims(space, &extent, NULL));
    CHECK_U64(extent, n);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
}

/* The key of a value: in the order of the values (src/index/common/order_keys.h). */
static uint64_t key_of(const variety *of, uint64_t bits)
{
    const uint64_t sign = UINT64_C(1) << 63;

    if (of->value == float_value) {
        return bits == sign ? sign : (bits & sign) != 0 ? ~bits : bits | sign;
    }
    return of->rank == signed_rank ? bits ^ sign : bits;
}

/* Each fence has a key between those before and at its rank, and none is far from the next one. */
static void check_fences(const variety *of, hid_t dataset, uint64_t n_ordered)
{
    static uint64_t fences[MOST_FENCES][2];
    const hid_t attr = CHECK_H5(H5Aopen(dataset, "stoa_fences", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Aget_space(attr));
    const uint64_t n = (uint64_t)CHECK_H5(H5Sget_simple_extent_npoints(space)) / 2;
    uint64_t before = 0;

    CHECK(n <= MOST_FENCES);
    CHECK_H5(H5Aread(attr, H5T_NATIVE_UINT64, fences));
    for (uint64_t i = 0; i < n && fences[i][1] != UINT64_MAX; i++) {
        const uint64_t rank = fences[i][1];
        CHECK(rank < n_ordered && rank - before <= FARTHEST);
        CHECK(fences[i][0] <= key_of(of, rows_of[model[rank].row]));
        CHECK(rank == 0 || fences[i][0] >= key_of(of, rows_of[model[rank - 1].row]));
        before = rank;
    }
    CHECK(n_ordered - before <= FARTHEST);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Aclose(attr));
}

/* What is in the dataset, as libhdf5 unpacks it. */
static void check_content(const variety *of, const one_column *made, uint64_t n_rows)
{
    const uint64_t n_ordered = make_model(of, n_rows);
    const hid_t dataset = one_column_index(made);

    read_all(dataset, H5T_NATIVE_UINT64, n_rows, read_rows);
    for (uint64_t i = 0; i < n_rows; i++) {
        CHECK_U64(read_rows[i], model[i].row);
    }
    check_fences(of, dataset, n_ordered);
    CHECK_H5(H5Dclose(dataset));
}

/* --- the table ------------------------------------------------------------------------------- */

static one_column make_column(const variety *of, uint64_t n_old, uint64_t n_rows)
{
    const uint64_t fill = of->value(0);
    one_column made = one_column_make(&(one_column_spec){.file_type = of->file_type(),
                                                         .mem_type = of->mem_type(),
                                                         .fill = &fill,
                                                         .values = rows_of,
                                                         .extent = n_rows,
                                                         .n_rows = n_old,
                                                         .chunk_rows = 10000});

    CHECK_OK(stoa_index_add(made.table, "x", "sorted", NULL, NULL));
    return made;
}

static void draw_rows(const variety *of)
{
    for (uint64_t row = 0; row < EXTENT; row++) {
        rows_of[row] = of->value(check_random_below(20) == 0 ? 0 : check_random());
    }
}

/* Not by way of stoa_index_extend_all(), which would sort again what cannot be merged. */
static stoa_status extend(one_column *made, uint64_t n_old, uint64_t n_rows, stoa_workers *workers)
{
    one_column_reopen(made, n_rows);
    CHECK_OK(stoa_column_load(made->column, NULL));
    made->column->workers = workers;
    const hid_t indexes = CHECK_H5(H5Gopen2(made->group, "SEARCH_INDEXES", H5P_DEFAULT));
    const hid_t dataset = one_column_index(made);
    const stoa_status status =
        stoa_index_sorted.extend(made->column, dataset, n_old, n_rows, indexes, NULL);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Gclose(indexes));
    made->column->workers = NULL;
    return status;
}

static void check_names(const one_column *made)
{
    H5G_info_t info;

    CHECK_H5(H5Gget_info_by_name(made->group, "SEARCH_INDEXES", &info, H5P_DEFAULT));
    CHECK_U64(info.nlinks, 1);
    CHECK(H5Lexists(made->group, "SEARCH_INDEXES/x__sorted_rows", H5P_DEFAULT) > 0);
}

static bool is_same_dataset(const one_column *made, hid_t old)
{
    const hid_t now = one_column_index(made);
    const bool same = stoa_same_object(now, old);

    CHECK_H5(H5Dclose(now));
    return same;
}

/* --- tests ----------------------------------------------------------------------------------- */

static void what_an_append_writes_anew_is_what_a_sort_gives(void)
{
    const uint64_t n_cases = check_n_cases(N_VARIETIES);

    for (uint64_t i = 0; i < n_cases; i++) {
        const variety *of = &varieties[i % N_VARIETIES];
        const uint64_t n_old = LEAST_OLD + check_random_below(EXTENT - LEAST_OLD - MAX_NEW);
        const uint64_t n_rows = n_old + LEAST_NEW + check_random_below(MAX_NEW - LEAST_NEW);
        const unsigned n_threads = (unsigned)check_random_below(4);
        stoa_workers *workers = NULL;

        draw_rows(of);
        one_column made = make_column(of, n_old, EXTENT);
        const hid_t old = one_column_index(&made);
        if (n_threads > 0) {
            CHECK_OK(stoa_workers_open(n_threads, &workers, NULL));
        }
        CHECK_OK(extend(&made, n_old, n_rows, workers));
        stoa_workers_close(workers);
        CHECK(!is_same_dataset(&made, old));
        CHECK_H5(H5Dclose(old));
        check_names(&made);
        check_content(of, &made, n_rows);
        one_column_free(&made);
    }
}

static void an_append_behind_all_others_stays_in_place(void)
{
    const variety *of = &varieties[0];
    const uint64_t n_old = LEAST_OLD;

    draw_rows(of);
    for (uint64_t row = n_old; row < EXTENT; row++) {
        rows_of[row] = (uint64_t)INT64_MAX - 16 * EXTENT + 16 * row;
    }
    one_column made = make_column(of, n_old, EXTENT);
    const hid_t old = one_column_index(&made);
    CHECK_OK(extend(&made, n_old, EXTENT, NULL));
    CHECK(is_same_dataset(&made, old));
    CHECK_H5(H5Dclose(old));
    check_content(of, &made, EXTENT);
    one_column_free(&made);
}

/* An index in whose place another one is put leaves its space unused: not for a few rows. */
static void a_few_rows_go_into_the_index_that_is_there(void)
{
    const variety *of = &varieties[0];
    const uint64_t n_rows = LEAST_OLD + LEAST_OLD / 40;

    draw_rows(of);
    one_column made = make_column(of, LEAST_OLD, EXTENT);
    const hid_t old = one_column_index(&made);
    CHECK_OK(extend(&made, LEAST_OLD, n_rows, NULL));
    CHECK(is_same_dataset(&made, old));
    CHECK_H5(H5Dclose(old));
    check_content(of, &made, n_rows);
    one_column_free(&made);
}

/* All that is merged at first is new, but for one rank. */
static void new_rows_come_between_the_first_old_one_and_the_others(void)
{
    const variety *of = &varieties[0];

    for (uint64_t row = 0; row < LARGEST; row++) {
        const bool is_new = row >= LEAST_OLD;
        rows_of[row] = 16 * (row == 0 ? 1 : is_new ? LARGEST - row + 1 : LARGEST + row);
    }
    one_column made = make_column(of, LEAST_OLD, LARGEST);
    const hid_t old = one_column_index(&made);
    CHECK_OK(extend(&made, LEAST_OLD, LARGEST - 1, NULL));
    CHECK(!is_same_dataset(&made, old));
    CHECK_H5(H5Dclose(old));
    check_content(of, &made, LARGEST - 1);
    one_column_free(&made);
}

static void an_index_longer_than_what_is_merged_at_a_time_is_merged(void)
{
    const variety *of = &varieties[0];
    const uint64_t n_rows = LONG_OLD + LONG_NEW;

    for (uint64_t row = 0; row < n_rows; row++) {
        rows_of[row] = of->value(check_random());
    }
    one_column made = make_column(of, LONG_OLD, n_rows);
    const hid_t old = one_column_index(&made);
    CHECK_OK(extend(&made, LONG_OLD, n_rows, NULL));
    CHECK(!is_same_dataset(&made, old));
    CHECK_H5(H5Dclose(old));
    check_content(of, &made, n_rows);
    one_column_free(&made);
}

/* The index is not what it says, so nothing can be merged with it: it is sorted again. */
static void what_is_out_of_order_is_sorted_again(void)
{
    for (size_t i = 0; i < N_VARIETIES; i++) {
        const variety *of = &varieties[i];
        const bool is_nan = of->value == float_value;

        draw_rows(of);
        const uint64_t n_ordered = make_model(of, LEAST_OLD);
        const hsize_t at = is_nan ? n_ordered - 1 : 0;
        const uint64_t wrong = model[is_nan ? LEAST_OLD - 1 : n_ordered - 1].row;
        one_column made = make_column(of, LEAST_OLD, EXTENT);
        const hid_t old = one_column_index(&made);
        const hid_t space = CHECK_H5(H5Dget_space(old));
        const hid_t one = CHECK_H5(H5Screate(H5S_SCALAR));
        CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, &at));
        CHECK_H5(H5Dwrite(old, H5T_NATIVE_UINT64, one, space, H5P_DEFAULT, &wrong));
        CHECK_H5(H5Sclose(one));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(old));
        CHECK(extend(&made, LEAST_OLD, LEAST_OLD + LEAST_NEW, NULL) != STOA_OK);
        CHECK_OK(
            stoa_index_extend_all(made.group, made.column, LEAST_OLD, LEAST_OLD + LEAST_NEW, NULL));
        check_names(&made);
        check_content(of, &made, LEAST_OLD + LEAST_NEW);
        one_column_free(&made);
    }
}

/* Of allocations that fail, the first ones and some of the others. */
static void without_memory_no_wrong_index_is_left(void)
{
    const variety *of = &varieties[0];
    const uint64_t n_rows = LEAST_OLD + LEAST_NEW;

    draw_rows(of);
    for (uint64_t n = 0; n < 2000; n += 1 + n / 8) {
        one_column made = make_column(of, LEAST_OLD, EXTENT);
        stoa_error err = STOA_ERROR_INIT;

        one_column_reopen(&made, n_rows);
        CHECK_OK(stoa_column_load(made.column, &err), &err);
        stoa_memory_fail_after(n);
        const stoa_status status =
            stoa_index_extend_all(made.group, made.column, LEAST_OLD, n_rows, &err);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(status == STOA_OK || status == STOA_ENOMEM);
        if (status == STOA_OK && H5Aexists(made.column->dataset, "SEARCH_INDEX_LIST") > 0) {
            check_names(&made);
            check_content(of, &made, n_rows);
        } else if (status == STOA_OK) {
            CHECK(H5Lexists(made.group, "SEARCH_INDEXES", H5P_DEFAULT) == 0);
        }
        one_column_free(&made);
    }
}

TEST_MAIN(TEST(what_an_append_writes_anew_is_what_a_sort_gives),
          TEST(an_append_behind_all_others_stays_in_place),
          TEST(a_few_rows_go_into_the_index_that_is_there),
          TEST(new_rows_come_between_the_first_old_one_and_the_others),
          TEST(an_index_longer_than_what_is_merged_at_a_time_is_merged),
          TEST(what_is_out_of_order_is_sorted_again), TEST(without_memory_no_wrong_index_is_left))
