/* Groups that are nearly as many as the rows: each is what a loop over the rows says, they come in
 * the order of their first rows, and neither threads nor files for want of memory show in any bit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/answers.h"
#include "query/tables.h"

enum { N_ROWS = 300000, N_KEYS = 100000, MISSING = N_KEYS, WIDTH = 12 };

/* What the rows hold. */
typedef struct model {
    int64_t k[N_ROWS]; /* MISSING: none */
    bool has_k[N_ROWS];
    char texts[N_ROWS][WIDTH];
    const char *t[N_ROWS];
    const char *c[N_ROWS];
    int64_t v[N_ROWS];
    double x[N_ROWS]; /* multiples of 1/4, whose sums are exact */
    bool has_x[N_ROWS];
    double wild[N_ROWS]; /* whose sums depend on their order */
} model;

/* What a loop over the rows finds in the groups, in the order of their first rows. */
typedef struct found {
    int64_t n_groups;
    int64_t key[N_KEYS + 1];
    int64_t n[N_KEYS + 1];
    int64_t n_x[N_KEYS + 1];
    double sum[N_KEYS + 1];
    int64_t least[N_KEYS + 1];
    int64_t last[N_KEYS + 1];
    double median[N_KEYS + 1];
} found;

static model *m;
static found *wanted;
static home h;

static void make_rows(void)
{
    static const char *const labels[] = {"muon", "pion", NULL, "kaon", "electron"};

    m = malloc(sizeof *m);
    CHECK(m != NULL);
    for (int64_t i = 0; i < N_ROWS; i++) {
        m->has_k[i] = i % 97 != 3;
        m->k[i] = m->has_k[i] ? i * 7368787 % N_KEYS : MISSING;
        (void)snprintf(m->texts[i], WIDTH, "t%lld", (long long)m->k[i]);
        m->t[i] = m->has_k[i] ? m->texts[i] : NULL;
        m->c[i] = labels[check_random_below(5)];
        m->v[i] = (int64_t)check_random_below(1000) - 500;
        m->x[i] = (double)((int64_t)check_random_below(4000) - 2000) / 4;
        m->has_x[i] = check_random_below(30) != 0;
        m->wild[i] = m->x[i] * (check_random_below(10) == 0 ? 1e14 : 1e-3);
    }
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static double median_of(int64_t *values, int64_t n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return n % 2 != 0 ? (double)values[n / 2]
                      : ((double)values[n / 2 - 1] + (double)values[n / 2]) / 2;
}

static void find_medians(const int64_t *groups)
{
    int64_t *const starts = calloc(N_KEYS + 2, sizeof *starts);
    int64_t *const values = malloc(N_ROWS * sizeof *values);

    CHECK(starts != NULL && values != NULL);
    for (int64_t g = 0; g < wanted->n_groups; g++) {
        starts[g + 1] = starts[g] + wanted->n[g];
    }
    for (int64_t i = 0; i < N_ROWS; i++) {
        values[starts[groups[i]]++] = m->v[i];
    }
    for (int64_t g = 0; g < wanted->n_groups; g++) {
        wanted->median[g] = median_of(values + starts[g] - wanted->n[g], wanted->n[g]);
    }
    free(starts);
    free(values);
}

static void find_groups(void)
{
    int64_t *const group_of = malloc((N_KEYS + 1) * sizeof *group_of);
    int64_t *const groups = malloc(N_ROWS * sizeof *groups);

    wanted = calloc(1, sizeof *wanted);
    CHECK(group_of != NULL && groups != NULL && wanted != NULL);
    memset(group_of, 0xff, (N_KEYS + 1) * sizeof *group_of);
    for (int64_t i = 0; i < N_ROWS; i++) {
        int64_t *const g = &group_of[m->k[i]];
        if (*g < 0) {
            *g = wanted->n_groups++;
            wanted->key[*g] = m->k[i];
            wanted->least[*g] = m->v[i];
        }
        groups[i] = *g;
        wanted->n[*g]++;
        wanted->n_x[*g] += m->has_x[i];
        wanted->sum[*g] += m->has_x[i] ? m->x[i] : 0;
        wanted->least[*g] = m->v[i] < wanted->least[*g] ? m->v[i] : wanted->least[*g];
        wanted->last[*g] = m->v[i];
    }
    find_medians(groups);
    free(group_of);
    free(groups);
}

static void make_table(void)
{
    batch b = batch_begin(6, N_ROWS);

    make_rows();
    find_groups();
    batch_integers(&b, 0, "k", "l", m->k, m->has_k);
    batch_strings(&b, 1, "t", m->t);
    batch_categories(&b, 2, "c", m->c);
    batch_integers(&b, 3, "v", "i", m->v, NULL);
    batch_floats(&b, 4, "x", "g", m->x, m->has_x);
    batch_floats(&b, 5, "wild", "g", m->wild, NULL);
    h = home_of(&b, 16384, NULL, 0);
}

static void leave_table(void)
{
    home_leave(&h);
    free(m);
    free(wanted);
}

/* The values of a column of 64 bits. */
static const void *values_of(const struct ArrowArray *got, int64_t column)
{
    const struct ArrowArray *const array = got->children[column];

    return (const uint8_t *)array->buffers[1] + array->offset * 8;
}

static void check_batch(const struct ArrowArray *got, int64_t first)
{
    const int64_t *const n = values_of(got, 1);
    const int64_t *const n_x = values_of(got, 2);
    const double *const sum = values_of(got, 3);
    const double *const median = values_of(got, 6);

    for (int64_t i = 0; i < got->length; i++) {
        const int64_t g = first + i;
        CHECK_I64(n[i], wanted->n[g]);
        CHECK_I64(n_x[i], wanted->n_x[g]);
        if (n_x[i] > 0) {
            CHECK_F64(sum[i], wanted->sum[g]);
        }
        CHECK_F64(median[i], wanted->median[g]);
    }
}

static int64_t of_int32(const struct ArrowSchema *schema, const struct ArrowArray *got,
                        int64_t column, int64_t row)
{
    stoa_view view;

    CHECK_OK(stoa_view_of(schema->children[column], got->children[column], &view, NULL));
    return stoa_view_is_null(&view, row) ? MISSING : stoa_view_i64(&view, row);
}

static void check_ends(const struct ArrowSchema *schema, const struct ArrowArray *got,
                       int64_t first)
{
    for (int64_t i = 0; i < got->length; i += 37) {
        CHECK_I64(of_int32(schema, got, 0, i), wanted->key[first + i]);
        CHECK_I64(of_int32(schema, got, 4, i), wanted->least[first + i]);
        CHECK_I64(of_int32(schema, got, 5, i), wanted->last[first + i]);
    }
}

static void check_groups(const stoa_query_options *options)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArray got = {0};
    int64_t n = 0;

    CHECK_OK(stoa_query_open(h.table, options, &query, &err), &err);
    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    for (;;) {
        CHECK_OK(stoa_stream_next(&stream, &got, &err), &err);
        if (got.release == NULL) {
            break;
        }
        check_batch(&got, n);
        check_ends(&schema, &got, n);
        n += got.length;
        stoa_array_release(&got);
    }
    CHECK_I64(n, wanted->n_groups);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
}

#define ALL "count(), count(x), sum(x), min(v), last(v), median(v)"

static void groups_are_those_of_a_loop_in_the_order_of_their_first_rows(void)
{
    make_table();
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        check_groups(OPTIONS(.by = "k", .aggregates = ALL, .threads = threads, .limit = -1));
    }
    leave_table();
}

static void values_in_files_change_nothing(void)
{
    make_table();
    check_groups(OPTIONS(.by = "k", .aggregates = ALL ", distinct(wild), median(wild)",
                         .threads = 2, .memory = 1, .limit = -1));
    leave_table();
}

/* The same to the bit with 1 thread and with `threads`. */
static void check_threads(const char *by, const char *aggregates, const char *where)
{
    static answer one;
    static answer more;

    one = answer_of(h.table, OPTIONS(.by = by, .aggregates = aggregates, .where = where,
                                     .threads = 1, .limit = -1));
    CHECK(!one.failed);
    CHECK(one.n_rows > N_KEYS / 4);
    for (unsigned threads = 2; threads <= 5; threads += 3) {
        more = answer_of(h.table, OPTIONS(.by = by, .aggregates = aggregates, .where = where,
                                          .threads = threads, .limit = -1));
        CHECK_I64(more.n_rows, one.n_rows);
        CHECK_U64(more.hash, one.hash);
    }
}

static void the_number_of_threads_shows_in_no_bit(void)
{
    make_table();
    check_threads("k", "sum(wild), mean(wild), stddev(wild)", NULL);
    check_threads("t", "sum(wild), min(wild), max(wild), count(wild)", NULL);
    check_threads("t, c", "sum(wild), distinct(v), mode(v)", "v > -400");
    check_threads("k % 100000", "sum(wild), first(v)", "v + 1 > -400"); /* rows are gathered */
    leave_table();
}

/* Texts are the keys of the same groups. */
static void texts_make_the_same_groups_as_numbers(void)
{
    static answer of[2];
    static const char *const keys[] = {"k", "t"};

    make_table();
    for (int i = 0; i < 2; i++) {
        of[i] = answer_of(h.table, OPTIONS(.by = keys[i], .aggregates = ALL, .columns = NULL,
                                           .threads = 2, .having = "count() > 2", .limit = -1));
        CHECK(!of[i].failed);
    }
    CHECK_I64(of[0].n_rows, of[1].n_rows);
    CHECK(of[0].n_rows > 1000);
    leave_table();
}

static void failures_end_all_threads(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray got = {0};

    make_table();
    for (unsigned threads = 1; threads <= 3; threads++) {
        const stoa_query_options *const options =
            OPTIONS(.by = "k",
                    .aggregates = "sum(cast(case when k = 77 then 1e300 else x end as "
                                  "int16))",
                    .threads = threads, .limit = -1);
        CHECK_OK(stoa_query_open(h.table, options, &query, &err), &err);
        CHECK_OK(stoa_query_run(query, &stream, &err), &err);
        CHECK_STATUS(STOA_ERANGE, stoa_stream_next(&stream, &got, &err));
        stoa_stream_release(&stream);
        stoa_query_close(query);
    }
    leave_table();
}

/* Different numbers of the rows with v > `above`; `of` gives that of a row, of which NaN says that
 * it is missing. */
static int64_t count_different(double (*of)(int64_t), int64_t above)
{
    int64_t *const seen = malloc(N_ROWS * sizeof *seen);
    int64_t n = 0;
    int64_t n_different = 0;

    CHECK(seen != NULL);
    for (int64_t i = 0; i < N_ROWS; i++) {
        const double value = of(i);
        if (m->v[i] > above && !isnan(value)) {
            memcpy(&seen[n++], &value, sizeof value);
        }
    }
    qsort(seen, (size_t)n, sizeof *seen, compare);
    for (int64_t i = 0; i < n; i++) {
        n_different += i == 0 || seen[i] != seen[i - 1];
    }
    free(seen);
    return n_different;
}

static double key_of(int64_t i)
{
    return m->has_k[i] ? (double)m->k[i] : NAN;
}

static double wild_of(int64_t i)
{
    return m->wild[i] + 0.0; /* no -0 */
}

/* The float of FLOATS: all NaNs are alike (-1 here), and so are both zeros. */
static double float_of(int64_t i)
{
    return m->v[i] > 450 ? -1 : m->v[i] > 400 ? 0 : key_of(i) + 0.5;
}

#define FLOATS "case when v > 450 then wild * 0 / 0 when v > 400 then wild * 0 else k + 0.5 end"

static void different_values_of_partitions_add_up(void)
{
    make_table();
    const long long keys = count_different(key_of, -1000);
    const long long some = count_different(key_of, -400);
    char of_all[128];
    char of_some[128];

    (void)snprintf(of_all, sizeof of_all, "%lld %lld %lld %lld", keys, keys,
                   (long long)count_different(wild_of, -1000),
                   (long long)count_different(float_of, -1000));
    (void)snprintf(of_some, sizeof of_some, "%lld %lld", some, some);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        for (uint64_t memory = 0; memory <= 1; memory++) {
            CHECK_STR(
                ASK(&h,
                    .aggregates = "distinct(k), distinct(t), distinct(wild), distinct(" FLOATS ")",
                    .threads = threads, .memory = memory),
                of_all);
            CHECK_STR(ASK(&h, .aggregates = "distinct(t), distinct(k * 2)", .where = "v > -400",
                          .threads = threads, .memory = memory),
                      of_some);
        }
    }
    leave_table();
}

TEST_MAIN(TEST(groups_are_those_of_a_loop_in_the_order_of_their_first_rows),
          TEST(values_in_files_change_nothing), TEST(the_number_of_threads_shows_in_no_bit),
          TEST(texts_make_the_same_groups_as_numbers), TEST(failures_end_all_threads),
          TEST(different_values_of_partitions_add_up))
