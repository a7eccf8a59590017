/* One thread, two, three and eight give the same answer to the bit, the same plan and the same
 * failure (design.md §4.2); and the answer is the one that a loop over the rows gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "tables.h"

static const unsigned counts[] = {1, 2, 3, 8};
enum { N_COUNTS = sizeof counts / sizeof counts[0], N_LABELS = 5 };

/* What the rows hold; NULL and false are missing. */
typedef struct model {
    int64_t n;
    int64_t *u;
    int64_t *i;
    bool *has_i;
    double *x;
    bool *has_x;
    const char **c;
    const char **s;
    char (*texts)[12];
} model;

static const char *const labels[N_LABELS] = {"muon", "pion", NULL, "kaon", "electron"};

static model make_model(int64_t n)
{
    model m = {.n = n};

    m.u = malloc((size_t)n * sizeof *m.u);
    m.i = malloc((size_t)n * sizeof *m.i);
    m.has_i = malloc((size_t)n * sizeof *m.has_i);
    m.x = malloc((size_t)n * sizeof *m.x);
    m.has_x = malloc((size_t)n * sizeof *m.has_x);
    m.c = malloc((size_t)n * sizeof *m.c);
    m.s = malloc((size_t)n * sizeof *m.s);
    m.texts = malloc((size_t)n * sizeof *m.texts);
    CHECK(m.u != NULL && m.i != NULL && m.has_i != NULL && m.x != NULL && m.has_x != NULL &&
          m.c != NULL && m.s != NULL && m.texts != NULL);
    for (int64_t r = 0; r < n; r++) {
        m.u[r] = (r * 7368787 + 5) % (2 * n + 1);
        m.i[r] = (int64_t)check_random_below(40) - 20;
        m.has_i[r] = check_random_below(50) != 0;
        /* Sums of numbers so unlike depend on the order they are added in. */
        m.x[r] = ((double)check_random_below(1000000) - 300000.0) *
                 (check_random_below(100) == 0 ? 1e13 : 1e-3);
        m.has_x[r] = check_random_below(200) != 0;
        m.c[r] = labels[check_random_below(N_LABELS)];
        (void)snprintf(m.texts[r], sizeof m.texts[r], "s%llu",
                       (unsigned long long)check_random_below(3000));
        m.s[r] = check_random_below(300) != 0 ? m.texts[r] : NULL;
    }
    return m;
}

static void model_free(model *m)
{
    free(m->u);
    free(m->i);
    free(m->has_i);
    free(m->x);
    free(m->has_x);
    free(m->c);
    free(m->s);
    free(m->texts);
}

/* Narrow floats whose sums are exact in most windows, and not in those that have a tiny one. */
static void add_narrow(batch *b, const model *m)
{
    double *e = malloc((size_t)m->n * sizeof *e);

    CHECK(e != NULL);
    for (int64_t r = 0; r < m->n; r++) {
        e[r] = r % 20011 == 0 ? 1e-30 : (double)(m->i[r] * 1000 + r % 977) / 64;
    }
    batch_floats(b, 5, "e", "f", e, m->has_x);
    free(e);
}

static batch batch_of(const model *m)
{
    batch b = batch_begin(6, m->n);

    batch_integers(&b, 0, "u", "l", m->u, NULL);
    batch_integers(&b, 1, "i", "s", m->i, m->has_i);
    batch_floats(&b, 2, "x", "g", m->x, m->has_x);
    batch_categories(&b, 3, "c", m->c);
    batch_strings(&b, 4, "s", m->s);
    add_narrow(&b, m);
    return b;
}

/* The same table where it lies in a file, opened for nothing but reading. */
typedef struct place {
    stoa_file *file;
    home home;
} place;

static place place_of(batch *b, uint64_t chunk_rows, const char *codec)
{
    const char *name = check_path("threads.h5");
    const stoa_column_options all = {NULL, codec, chunk_rows};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    place p = {.file = NULL};
    stoa_error err = STOA_ERROR_INIT;

    (void)remove(name);
    options.columns = &all;
    options.n_columns = 1;
    CHECK_OK(stoa_file_open(name, STOA_FILE_CREATE, &p.file, &err), &err);
    stream_of(b, 1, &stream);
    CHECK_OK(stoa_table_write(stoa_file_id(p.file), "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_file_commit(p.file, &err), &err);
    CHECK_OK(stoa_file_open(name, STOA_FILE_READ, &p.file, &err), &err);
    p.home.file = stoa_file_id(p.file);
    CHECK_OK(stoa_hep001_open(p.home.file, "/t", &p.home.table, &err), &err);
    return p;
}

static void place_leave(place *p)
{
    stoa_table_close(p->home.table);
    stoa_file_close(p->file);
}

/* Answers ----------------------------------------------------------------------------------- */

/* Ask with each number of threads; returns the one answer. */
static answer same_answer(stoa_table *table, stoa_query_options options)
{
    answer first = {.n_rows = 0};

    for (size_t k = 0; k < N_COUNTS; k++) {
        options.size = sizeof options;
        options.threads = counts[k];
        const answer now = answer_of(table, &options);
        if (k == 0) {
            first = now;
        } else if (now.n_rows != first.n_rows || now.hash != first.hash ||
                   strcmp(now.text, first.text) != 0) {
            FAIL("where %s by %s sort %s limit %lld: with %u threads %lld rows (%llx)\n%s\nwith "
                 "one %lld rows (%llx)\n%s",
                 options.where != NULL ? options.where : "-", options.by != NULL ? options.by : "-",
                 options.sort != NULL ? options.sort : "-", (long long)options.limit, counts[k],
                 (long long)now.n_rows, (unsigned long long)now.hash, now.text,
                 (long long)first.n_rows, (unsigned long long)first.hash, first.text);
        }
    }
    return first;
}

/* The questions ----------------------------------------------------------------------------- */

static void ask_everything(stoa_table *table, const char *where)
{
    static const char aggregates[] =
        "count(), count(x), sum(x), mean(x), stddev(x), min(x), max(s), first(u), last(s), "
        "median(i), distinct(s), sum(i * 2), sum(e), count(e), mean(e), max(e), min(e), mean(i), "
        "max(i), min(i), mode(s), mode(i), corr(x, i), covar_samp(x, i * 2), arg_max(s, x), "
        "arg_min(x, s), string_agg(s, '|' order by i), sum(distinct x), bool_and(i > 0)";
    static const char *const by[] = {NULL, "c", "c, i", "s", "i % 3, length(s)"};
    static const char *const columns[] = {NULL, "u", "s, x * 2, c, upper(s)", "x"};
    static const int64_t limits[] = {-1, 1, 5000, 100000};

    for (size_t k = 0; k < sizeof by / sizeof by[0]; k++) {
        (void)same_answer(table,
                          (stoa_query_options){
                              .where = where, .aggregates = aggregates, .by = by[k], .limit = -1});
    }
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        const int64_t limit = limits[check_random_below(4)];
        (void)same_answer(
            table, (stoa_query_options){.where = where, .columns = columns[k], .limit = limit});
    }
    (void)same_answer(table, (stoa_query_options){.where = where,
                                                  .columns = "u, s",
                                                  .sort = "i desc, s",
                                                  .limit = 1 + (int64_t)check_random_below(300)});
    (void)same_answer(table,
                      (stoa_query_options){.where = where, .row_numbers = true, .limit = -1});
}

static void expect_model(stoa_table *table, const model *m, int64_t least)
{
    char where[128];
    uint64_t hash = ANSWER_SEED;
    int64_t n = 0;
    const bool no_null = false;

    (void)snprintf(where, sizeof where, "u %% 7 = 3 and i > %lld", (long long)least);
    for (int64_t r = 0; r < m->n; r++) {
        if (m->u[r] % 7 == 3 && m->has_i[r] && m->i[r] > least) {
            answer_mix(&hash, &no_null, sizeof no_null);
            answer_mix(&hash, &r, sizeof r);
            n++;
        }
    }
    const answer rows =
        same_answer(table, (stoa_query_options){.where = where, .row_numbers = true, .limit = -1});
    CHECK_I64(rows.n_rows, n);
    CHECK_U64(rows.hash, hash);
}

/* Groups in the order of their first rows, with what they begin and end with. */
static void expect_groups(stoa_table *table, const model *m)
{
    struct {
        int64_t n, sum, first, last;
    } groups[N_LABELS] = {{0}};
    size_t order[N_LABELS];
    size_t n_groups = 0;
    uint64_t hash = ANSWER_SEED;
    const bool no_null = false;
    const bool null = true;

    for (int64_t r = 0; r < m->n; r++) {
        size_t g = 0;
        while (labels[g] != m->c[r]) {
            g++;
        }
        if (groups[g].n++ == 0) {
            order[n_groups++] = g;
            groups[g].first = m->u[r];
        }
        groups[g].last = m->u[r];
        groups[g].sum += m->u[r];
    }
    for (size_t k = 0; k < n_groups; k++) {
        const char *text = labels[order[k]];
        const size_t length = text != NULL ? strlen(text) : 0;
        answer_mix(&hash, text != NULL ? &no_null : &null, sizeof null);
        if (text != NULL) {
            answer_mix(&hash, text, length);
            answer_mix(&hash, &length, sizeof length);
        }
    }
    for (int field = 0; field < 4; field++) {
        for (size_t k = 0; k < n_groups; k++) {
            answer_mix(&hash, &no_null, sizeof no_null);
            answer_mix(&hash, (const int64_t *)&groups[order[k]] + field, sizeof(int64_t));
        }
    }
    const answer found = same_answer(
        table, (stoa_query_options){
                   .aggregates = "count(), sum(u), first(u), last(u)", .by = "c", .limit = -1});
    CHECK_I64(found.n_rows, (int64_t)n_groups);
    CHECK_U64(found.hash, hash);
}

/* The order of "c desc, x, u desc" with the row number as the last resort; missing values last. */
static const model *ordered;

static int order_texts(const char *a, const char *b)
{
    return a == NULL || b == NULL ? (a == NULL) - (b == NULL) : -strcmp(a, b);
}

static int order_rows(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    const model *m = ordered;
    const int by_text = order_texts(m->c[x], m->c[y]);

    if (by_text != 0) {
        return by_text;
    }
    if (m->has_x[x] != m->has_x[y]) {
        return m->has_x[x] ? -1 : 1;
    }
    if (m->has_x[x] && m->x[x] != m->x[y]) {
        return m->x[x] < m->x[y] ? -1 : 1;
    }
    return m->u[x] != m->u[y] ? (m->u[x] > m->u[y] ? -1 : 1) : x < y ? -1 : x > y;
}

/* Sorted rows, all or the first of them, in much memory or in little. */
static void expect_sorted(stoa_table *table, const model *m)
{
    static const uint64_t memories[] = {0, 1, 3000000};
    const int64_t limits[] = {-1, 1, (int64_t)check_random_below((uint64_t)m->n) + 1, 700};
    int64_t *rows = malloc((size_t)m->n * sizeof *rows);
    const bool no_null = false;

    CHECK(rows != NULL);
    for (int64_t r = 0; r < m->n; r++) {
        rows[r] = r;
    }
    ordered = m;
    qsort(rows, (size_t)m->n, sizeof *rows, order_rows);
    for (size_t k = 0; k < 4; k++) {
        const int64_t n = limits[k] >= 0 && limits[k] < m->n ? limits[k] : m->n;
        stoa_query_options options = {.sort = "c desc, x, u desc",
                                      .limit = limits[k],
                                      .memory = memories[check_random_below(3)]};
        uint64_t numbers = 0xcbf29ce484222325u;
        uint64_t values = 0xcbf29ce484222325u;
        for (int64_t r = 0; r < n; r++) {
            answer_mix(&numbers, &no_null, sizeof no_null);
            answer_mix(&numbers, &rows[r], sizeof *rows);
            answer_mix(&values, &no_null, sizeof no_null);
            answer_mix(&values, &m->u[rows[r]], sizeof *m->u);
        }
        options.row_numbers = k % 2 == 0;
        options.columns = k % 2 == 0 ? NULL : "u";
        const answer found = same_answer(table, options);
        CHECK_I64(found.n_rows, n);
        CHECK_U64(found.hash, k % 2 == 0 ? numbers : values);
    }
    (void)same_answer(table, (stoa_query_options){.sort = "s, i", .limit = -1, .memory = 9000000});
    free(rows);
}

static void the_number_of_threads_changes_no_bit_of_an_answer(void)
{
    static const char *const predicates[] = {
        NULL,
        "x > 200",
        "c = 'kaon' and i = 3",
        "s like 's1%' or u % 7 = 3",
        "i is null",
        "u between 1000 and 41000",
        "x > 1e30",
        "i * i > 100 and not (c = 'muon')",
    };
    static const uint64_t chunks[] = {1000, 4096, 30000, 65536, 100000, 300000};
    static const char *const codecs[] = {"none", "deflate"};

    for (uint64_t k = check_n_cases(3); k > 0; k--) {
        model m = make_model(k % 3 == 1 ? 1 + (int64_t)check_random_below(70000)
                                        : 300000 + (int64_t)check_random_below(400000));
        const uint64_t chunk_rows = chunks[check_random_below(6)];
        batch b = batch_of(&m);
        place p = {.file = NULL};
        if (k % 2 == 1) {
            p = place_of(&b, chunk_rows, codecs[check_random_below(2)]);
        } else {
            p.home = home_of(&b, chunk_rows, NULL, 0);
        }
        stoa_table *table = p.home.table;
        for (int q = 0; q < 3; q++) {
            ask_everything(table, predicates[check_random_below(8)]);
            expect_model(table, &m, (int64_t)check_random_below(40) - 20);
        }
        expect_groups(table, &m);
        expect_sorted(table, &m);
        if (p.file != NULL) {
            place_leave(&p);
        } else {
            home_leave(&p.home);
        }
        model_free(&m);
    }
}

/* Indexes leave morsels with few candidates, or with none, and certain ones among them. */
static void scattered_candidates_make_no_difference_either(void)
{
    model m = make_model(400000);
    batch b = batch_of(&m);
    static const char *const indexed[] = {"i", "u"};
    home h = home_of(&b, 5000, indexed, 2);
    stoa_error err = STOA_ERROR_INIT;
    static const char *const predicates[] = {"u in (5, 77, 70000, 399999)", "u < 3000", "i >= 19",
                                             "u between 100 and 90000 and i > 2", "u >= 0"};

    CHECK_OK(stoa_index_add(h.table, "u", "sorted", NULL, &err), &err);
    for (size_t k = 0; k < sizeof predicates / sizeof predicates[0]; k++) {
        stoa_query_options options = {
            .where = predicates[k], .columns = "u, s", .limit = -1, .use_indexes = true};
        const answer with = same_answer(h.table, options);
        options.use_indexes = false;
        const answer without = same_answer(h.table, options);
        CHECK_I64(with.n_rows, without.n_rows);
        CHECK_U64(with.hash, without.hash);
        options.use_indexes = true;
        options.columns = NULL;
        options.aggregates = "sum(x), last(s), count(c)";
        options.by = "i";
        (void)same_answer(h.table, options);
    }
    home_leave(&h);
    model_free(&m);
}

/* Failures ---------------------------------------------------------------------------------- */

/* A column of `n` rows in chunks of 65536 with a broken one, and one that is whole. */
static home damaged_table(int64_t n, hsize_t broken, const char *codec)
{
    int64_t *values = calloc((size_t)n, sizeof *values);
    batch b = batch_begin(2, n);
    uint8_t junk[64];

    CHECK(values != NULL);
    for (int64_t r = 0; r < n; r++) {
        values[r] = r;
    }
    batch_integers(&b, 0, "x", "l", values, NULL);
    batch_integers(&b, 1, "y", "l", values, NULL);
    free(values);
    place p = place_of(&b, 65536, codec);
    place_leave(&p);
    const hid_t file = CHECK_H5(H5Fopen(check_path("threads.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/x", H5P_DEFAULT));
    const hsize_t offset = broken * 65536;
    memset(junk, 0x5a, sizeof junk);
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, sizeof junk, junk));
    CHECK_H5(H5Dclose(dataset));
    home h = {.file = file};
    CHECK_OK(stoa_hep001_open(file, "/t", &h.table, NULL));
    return h;
}

static void a_damaged_chunk_fails_the_query_in_the_same_words(void)
{
    home h = damaged_table(1000000, 9, "deflate");
    const answer sum =
        same_answer(h.table, (stoa_query_options){.aggregates = "sum(x)", .limit = -1});
    const answer rows =
        same_answer(h.table, (stoa_query_options){.where = "x >= 0", .columns = "y", .limit = -1});
    const answer few =
        same_answer(h.table, (stoa_query_options){.where = "x >= 0", .columns = "y", .limit = 9});
    const answer others =
        same_answer(h.table, (stoa_query_options){.aggregates = "sum(y)", .limit = -1});

    CHECK(strstr(sum.text, "looked at") == NULL);
    CHECK_CONTAINS(sum.text, "damaged");
    CHECK_STR(rows.text, sum.text);
    CHECK(rows.n_rows >= 65536 && rows.n_rows <= 9 * 65536);
    /* What needs no more than the rows before it does not see it. */
    CHECK_I64(few.n_rows, 9);
    CHECK_CONTAINS(few.text, "looked at");
    CHECK_CONTAINS(others.text, "looked at 1000000 rows");
    home_leave(&h);
}

/* Chosen by their bits and read in whole. */
static void a_damaged_chunk_fails_those_who_choose_from_it(void)
{
    static const char *const codecs[] = {"scaleoffset", "deflate"};

    for (int i = 0; i < 2; i++) {
        home written = damaged_table(1000000, 9, codecs[i]);
        home_leave(&written);
        home h = {.file = CHECK_H5(H5Fopen(check_path("threads.h5"), H5F_ACC_RDONLY, H5P_DEFAULT))};
        CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, NULL));
        const answer sum =
            same_answer(h.table, (stoa_query_options){.aggregates = "sum(x)", .limit = -1});
        const answer half = same_answer(
            h.table, (stoa_query_options){.where = "y % 2 = 0", .columns = "x", .limit = -1});
        const answer others = same_answer(
            h.table, (stoa_query_options){.where = "y % 2 = 0", .columns = "y", .limit = -1});

        CHECK_CONTAINS(sum.text, "damaged");
        CHECK_STR(half.text, sum.text);
        CHECK(half.n_rows >= 32768 && half.n_rows <= 9 * 32768);
        CHECK_I64(others.n_rows, 500000);
        home_leave(&h);
    }
}

static void the_first_row_that_overflows_is_the_one_that_is_told_of(void)
{
    model m = make_model(600000);
    batch b = batch_of(&m);
    home h = home_of(&b, 65536, NULL, 0);
    const answer sum = same_answer(
        h.table, (stoa_query_options){.aggregates = "sum(u * 9223372036854775807)", .limit = -1});
    /* Rows that do not pass are not computed. */
    const answer none = same_answer(
        h.table, (stoa_query_options){
                     .where = "u < 2", .aggregates = "sum(u * 9223372036854775807)", .limit = -1});

    CHECK_CONTAINS(sum.text, "overflows int64");
    CHECK_CONTAINS(none.text, "looked at 600000 rows");
    CHECK_I64(none.n_rows, 1);
    home_leave(&h);
    model_free(&m);
}

typedef struct listening {
    unsigned n_calls;
    unsigned stop_at;
    uint64_t rows;
    bool went_back;
} listening;

static bool listen_in(void *context, const stoa_progress *progress)
{
    listening *l = context;

    l->went_back =
        l->went_back || progress->rows < l->rows || progress->rows > progress->total_rows;
    l->rows = progress->rows;
    return ++l->n_calls < l->stop_at;
}

static void a_listener_stops_a_query_on_any_number_of_threads(void)
{
    model m = make_model(700000);
    batch b = batch_of(&m);
    home h = home_of(&b, 65536, NULL, 0);

    for (size_t k = 0; k < N_COUNTS; k++) {
        listening l = {.stop_at = 1};
        stoa_query_options options = {.size = sizeof options,
                                      .aggregates = "sum(x)",
                                      .by = "c",
                                      .limit = -1,
                                      .listener = {listen_in, &l},
                                      .threads = counts[k]};
        answer a = answer_of(h.table, &options);
        CHECK_STR(a.text, "interrupted");
        l = (listening){.stop_at = UINT32_MAX};
        a = answer_of(h.table, &options);
        CHECK_CONTAINS(a.text, "looked at 700000 rows");
        CHECK(l.n_calls > 0 && !l.went_back);
        options.aggregates = options.by = NULL;
        l = (listening){.stop_at = 1};
        a = answer_of(h.table, &options);
        CHECK_STR(a.text, "interrupted");
    }
    home_leave(&h);
    model_free(&m);
}

/* Two streams of one table share its threads, whatever each asked for. */
static void streams_of_one_table_take_turns(void)
{
    model m = make_model(400000);
    batch b = batch_of(&m);
    home h = home_of(&b, 65536, NULL, 0);
    stoa_query *queries[2] = {NULL, NULL};
    struct ArrowArrayStream streams[2] = {{0}, {0}};
    int64_t n[2] = {0, 0};
    bool goes_on = true;

    for (unsigned k = 0; k < 2; k++) {
        const stoa_query_options options = {.size = sizeof options, .limit = -1, .threads = k + 2};
        CHECK_OK(stoa_query_open(h.table, &options, &queries[k], NULL));
        CHECK_OK(stoa_query_run(queries[k], &streams[k], NULL));
    }
    while (goes_on) {
        goes_on = false;
        for (int k = 0; k < 2; k++) {
            struct ArrowArray array = {0};
            CHECK_OK(stoa_stream_next(&streams[k], &array, NULL));
            goes_on = goes_on || array.release != NULL;
            n[k] += array.release != NULL ? array.length : 0;
            stoa_array_release(&array);
        }
    }
    CHECK_I64(n[0], 400000);
    CHECK_I64(n[1], 400000);
    for (int k = 0; k < 2; k++) {
        stoa_stream_release(&streams[k]);
        stoa_query_close(queries[k]);
    }
    home_leave(&h);
    model_free(&m);
}

TEST_MAIN(TEST(the_number_of_threads_changes_no_bit_of_an_answer),
          TEST(scattered_candidates_make_no_difference_either),
          TEST(a_damaged_chunk_fails_the_query_in_the_same_words),
          TEST(a_damaged_chunk_fails_those_who_choose_from_it),
          TEST(the_first_row_that_overflows_is_the_one_that_is_told_of),
          TEST(a_listener_stops_a_query_on_any_number_of_threads),
          TEST(streams_of_one_table_take_turns))
