/*
 * Rows sorted in little memory, by several keys of any type, come as a plain stable sort of the
 * rows gives them; whatever fails on the way is told, and leaves no file.
 */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "query/sort/sort.h"
#include "support/batches.h"
#include "support/sweep.h"

enum {
    USUAL_ROWS = 6000,
    MANY_ROWS = 40000,
    MAX_ROWS = 80000,
    N_KINDS = 7,
    MAX_KEYS = 3,
    LITTLE = 1
};

/* What a row has; each kind may be a key. */
typedef struct plain {
    int64_t number, i, u, day;
    double x;
    bool has_i, has_u, has_x, flag;
    const char *s; /* NULL: missing */
    const char *c;
} plain;

enum { KEY_I, KEY_U, KEY_DAY, KEY_X, KEY_FLAG, KEY_S, KEY_C };

static plain rows[MAX_ROWS];
static size_t n_keys;
static int kinds[MAX_KEYS];
static bool descending[MAX_KEYS];

static void make_rows(int64_t n)
{
    /* Texts that agree in their first eight bytes, and texts that end in them. */
    static const char *const texts[] = {
        "",          "a",         "abcdefg",    "abcdefgh", "abcdefghi", "abcdefghij",
        "abcdefgha", "\xff\xff",  "abcdefgh\1", NULL,       "zebra",     "abcdefghi and so on",
        "abcdefga",  "abcdefghb", "b",
    };
    static const double floats[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.5, -1.5, 1e300, -1e-300};
    static const char *const labels[] = {"muon", "pion", NULL, "kaon", "electron", "ion"};
    const uint64_t spread = 1 + check_random_below(2) * 5000; /* many ties, or few */

    for (int64_t r = 0; r < n; r++) {
        rows[r] = (plain){
            .number = r,
            .i = (int64_t)check_random_below(7 * spread) - 3,
            .u = (int64_t)(check_random() >> check_random_below(64)),
            .day = (int64_t)check_random_below(20) - 10,
            .x = check_random_below(3) == 0 ? floats[check_random_below(9)]
                                            : (double)check_random_below(9 * spread) - 4,
            .has_i = check_random_below(10) != 0,
            .has_u = check_random_below(10) != 0,
            .has_x = check_random_below(10) != 0,
            .flag = check_random_below(2) != 0,
            .s = texts[check_random_below(15)],
            .c = labels[check_random_below(6)],
        };
    }
}

/* The oracle -------------------------------------------------------------------------------- */

/* -1, 0, 1 for values; classes come first: 0 a value, 1 NaN, 2 missing. */
static int order_values(int class_a, int class_b, int order, bool backwards)
{
    if (class_a != class_b || class_a != 0) {
        return (class_a > class_b) - (class_a < class_b);
    }
    return backwards ? -order : order;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int order_by(int kind, bool backwards, const plain *a, const plain *b)
{
    const uint64_t ua = (uint64_t)a->u;
    const uint64_t ub = (uint64_t)b->u;
    const char *ta = kind == KEY_S ? a->s : a->c;
    const char *tb = kind == KEY_S ? b->s : b->c;

    switch (kind) {
    case KEY_I:
        return order_values(a->has_i ? 0 : 2, b->has_i ? 0 : 2, ORDER(a->i, b->i), backwards);
    case KEY_U:
        return order_values(a->has_u ? 0 : 2, b->has_u ? 0 : 2, ORDER(ua, ub), backwards);
    case KEY_DAY:
        return order_values(0, 0, ORDER(a->day, b->day), backwards);
    case KEY_FLAG:
        return order_values(0, 0, ORDER(a->flag, b->flag), backwards);
    case KEY_X:
        return order_values(!a->has_x ? 2 : isnan(a->x), !b->has_x ? 2 : isnan(b->x),
                            ORDER(a->x, b->x), backwards);
    default: {
        const int order = ta != NULL && tb != NULL ? strcmp(ta, tb) : 0;
        return order_values(ta != NULL ? 0 : 2, tb != NULL ? 0 : 2, (order > 0) - (order < 0),
                            backwards);
    }
    }
}

static int order_rows(const void *a, const void *b)
{
    const plain *x = a;
    const plain *y = b;

    for (size_t k = 0; k < n_keys; k++) {
        const int order = order_by(kinds[k], descending[k], x, y);
        if (order != 0) {
            return order;
        }
    }
    return ORDER(x->number, y->number);
}

/* Batches ----------------------------------------------------------------------------------- */

static void integer_column(batch *b, int64_t column, int kind, int64_t n)
{
    static const char *const formats[] = {"i", "L", "tdD", "g", "b"};
    static int64_t values[MAX_ROWS];
    static bool has[MAX_ROWS];

    for (int64_t r = 0; r < n; r++) {
        const plain *row = &rows[r];
        values[r] = kind == KEY_I     ? row->i
                    : kind == KEY_U   ? row->u
                    : kind == KEY_DAY ? row->day
                                      : row->flag;
        has[r] = (kind != KEY_I || row->has_i) && (kind != KEY_U || row->has_u);
    }
    batch_integers(b, column, "k", formats[kind], values, has);
}

static void key_column(batch *b, int64_t column, int kind, int64_t n)
{
    static double floats[MAX_ROWS];
    static const char *texts[MAX_ROWS];
    static bool has[MAX_ROWS];

    for (int64_t r = 0; r < n; r++) {
        floats[r] = rows[r].x;
        has[r] = rows[r].has_x;
        texts[r] = kind == KEY_S ? rows[r].s : rows[r].c;
    }
    if (kind == KEY_X) {
        batch_floats(b, column, "k", "g", floats, has);
    } else if (kind == KEY_S) {
        batch_strings(b, column, "k", texts);
    } else if (kind == KEY_C) {
        batch_categories(b, column, "k", texts);
    } else {
        integer_column(b, column, kind, n);
    }
}

/* Lists of r % 4 numbers 10 r, 10 r + 1, ...; missing for every fifth row. */
static void list_column(batch *b, int64_t column, int64_t n)
{
    struct ArrowSchema *schema = b->schema.children[column];
    struct ArrowArray *array = b->array.children[column];
    int32_t *offsets = stoa_alloc_zero((size_t)n + 1, sizeof *offsets);
    int32_t *items = stoa_alloc((size_t)n * 4, sizeof *items);
    uint8_t *validity = stoa_alloc_zero((size_t)n / 8 + 1, 1);
    int32_t n_items = 0;

    CHECK(offsets != NULL && items != NULL && validity != NULL);
    for (int64_t r = 0; r < n; r++) {
        for (int32_t i = 0; r % 5 != 0 && i < r % 4; i++) {
            items[n_items++] = (int32_t)(10 * r + i);
        }
        if (r % 5 != 0) {
            stoa_bit_set(validity, (uint64_t)r);
        }
        offsets[r + 1] = n_items;
    }
    CHECK_OK(stoa_schema_make(schema, "list", "+l", NULL));
    CHECK_OK(stoa_schema_children(schema, 1, NULL));
    CHECK_OK(stoa_schema_make(schema->children[0], "item", "i", NULL));
    CHECK_OK(stoa_array_make(array, n, -1, 2, (void *[]){validity, offsets}, NULL));
    CHECK_OK(stoa_array_children(array, 1, NULL));
    CHECK_OK(stoa_array_make(array->children[0], n_items, 0, 2, (void *[]){NULL, items}, NULL));
}

enum { OUT_NUMBER, OUT_TEXT, OUT_LABEL, OUT_FLAG, OUT_LIST, N_OUTPUTS };

/* All rows: the outputs, then the keys. */
static batch whole_batch(int64_t n)
{
    static int64_t numbers[MAX_ROWS];
    batch b = batch_begin(N_OUTPUTS + (int64_t)n_keys, n);

    for (int64_t r = 0; r < n; r++) {
        numbers[r] = rows[r].number;
    }
    batch_integers(&b, OUT_NUMBER, "number", "l", numbers, NULL);
    key_column(&b, OUT_TEXT, KEY_S, n);
    key_column(&b, OUT_LABEL, KEY_C, n);
    key_column(&b, OUT_FLAG, KEY_FLAG, n);
    list_column(&b, OUT_LIST, n);
    for (size_t k = 0; k < n_keys; k++) {
        key_column(&b, N_OUTPUTS + (int64_t)k, kinds[k], n);
    }
    return b;
}

/* Rows [first, first + n) as a batch of their own; dictionaries are the same. */
static stoa_status part_of(const stoa_sort_source *all, size_t n_columns, int64_t first, int64_t n,
                           struct ArrowArray *out, stoa_error *err)
{
    stoa_row_source *picks = malloc((size_t)n * sizeof *picks);

    CHECK(picks != NULL);
    for (int64_t i = 0; i < n; i++) {
        picks[i] = (stoa_row_source){first + i, 0};
    }
    const stoa_status status = stoa_sort_take(all, 1, n_columns, picks, n, out, err);
    free(picks);
    return status;
}

/* Sorting ----------------------------------------------------------------------------------- */

static stoa_status feed(stoa_sorter *sorter, const stoa_sort_source *all, int64_t batch_rows,
                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t n = all->array.length;
    const size_t n_columns = (size_t)all->array.n_children;
    struct ArrowArray part = {0};

    for (int64_t at = 0; at < n; at += batch_rows) {
        const int64_t here = n - at < batch_rows ? n - at : batch_rows;
        STOA_TRY(part_of(all, n_columns, at, here, &part, err));
        STOA_TRY(stoa_sorter_add(sorter, &part, err));
        CHECK(part.release == NULL);
    }
    STOA_TRY(stoa_sorter_finish(sorter, err));

done:
    return status;
}

/* One row of the answer against the row that it must be. */
static void expect_row(const stoa_view *found, int64_t at, const stoa_view *all, const plain *row)
{
    int64_t first;
    int64_t count;

    CHECK_I64(stoa_view_i64(&found[OUT_NUMBER], at), row->number);
    for (int c = OUT_TEXT; c < OUT_LIST; c++) {
        CHECK_STR(value_text(&found[c], at), value_text(&all[c], row->number));
    }
    CHECK(stoa_view_is_null(&found[OUT_LIST], at) == (row->number % 5 == 0));
    if (row->number % 5 != 0) {
        stoa_view items;
        CHECK_OK(stoa_view_child(&found[OUT_LIST], 0, &items, NULL));
        stoa_view_range(&found[OUT_LIST], at, &first, &count);
        CHECK_I64(count, row->number % 4);
        for (int64_t i = 0; i < count; i++) {
            CHECK_I64(stoa_view_i64(&items, first + i), 10 * row->number + i);
        }
    }
}

/* The sorter gives the first `limit` of `expected`, and nothing else. */
static void expect_order(stoa_sorter *sorter, const struct ArrowSchema *schema,
                         const stoa_view *all, const plain *expected, int64_t n)
{
    struct ArrowArray out = {0};
    stoa_error err = STOA_ERROR_INIT;
    int64_t at = 0;

    for (;;) {
        stoa_view found[N_OUTPUTS];
        CHECK_OK(stoa_sorter_next(sorter, 1 + (int64_t)check_random_below(900), &out, &err), &err);
        if (out.release == NULL) {
            break;
        }
        CHECK(out.length > 0 && at + out.length <= n);
        for (int c = 0; c < N_OUTPUTS; c++) {
            CHECK_OK(stoa_view_of(schema->children[c], out.children[c], &found[c], &err), &err);
        }
        for (int64_t i = 0; i < out.length; i++) {
            expect_row(found, i, all, &expected[at++]);
        }
        stoa_array_release(&out);
    }
    CHECK_I64(at, n);
}

static void choose_keys(void)
{
    n_keys = 1 + check_random_below(MAX_KEYS);
    for (size_t k = 0; k < n_keys; k++) {
        kinds[k] = (int)check_random_below(N_KINDS);
        descending[k] = check_random_below(2) != 0;
    }
}

static stoa_sort_request request_of(const batch *b, uint64_t limit, uint64_t memory)
{
    return (stoa_sort_request){.schema = &b->schema,
                               .n_outputs = N_OUTPUTS,
                               .descending = descending,
                               .limit = limit,
                               .memory = memory};
}

static void sorted_rows_are_those_of_a_plain_stable_sort(void)
{
    static plain expected[MAX_ROWS];
    uint64_t n_merged = 0;

    for (uint64_t c = check_n_cases(150); c > 0; c--) {
        const int64_t n = (int64_t)check_random_below(check_random_below(3) == 0 ? 90 : USUAL_ROWS);
        const int64_t batch_rows = 1 + (int64_t)check_random_below(400);
        const uint64_t limits[] = {UINT64_MAX, 1, check_random_below(50), check_random_below(4000)};
        const uint64_t limit = limits[check_random_below(4)];
        const uint64_t memory = check_random_below(4) == 0 ? UINT64_MAX : LITTLE;
        stoa_sorter sorter = {.is_open = false};
        stoa_sort_source all;
        stoa_error err = STOA_ERROR_INIT;

        make_rows(n);
        choose_keys();
        memcpy(expected, rows, (size_t)n * sizeof *rows);
        qsort(expected, (size_t)n, sizeof *expected, order_rows);
        batch b = whole_batch(n);
        const stoa_sort_request request = request_of(&b, limit, memory);
        CHECK_OK(stoa_sort_source_open(&all, &b.schema, &b.array, &err), &err);
        CHECK_OK(stoa_sorter_open(&sorter, &request, &err), &err);
        CHECK_OK(feed(&sorter, &all, batch_rows, &err), &err);
        n_merged += sorter.is_merged;
        expect_order(&sorter, &b.schema, all.views, expected,
                     (uint64_t)n < limit ? n : (int64_t)limit);
        stoa_sorter_clear(&sorter);
        stoa_sort_source_clear(&all);
        batch_end(&b);
    }
    CHECK(n_merged > 0);
}

/* Each range of the first key is merged by one thread, and none of them loses or repeats a row. */
static void threads_merge_ranges_of_runs(void)
{
    static plain expected[MAX_ROWS];
    static const int first_keys[] = {KEY_I, KEY_X, KEY_S, KEY_C};
    stoa_workers *workers = NULL;
    stoa_error err = STOA_ERROR_INIT;
    size_t most_ranges = 0;

    CHECK_OK(stoa_workers_open(3, &workers, &err), &err);
    for (int c = 0; c < 8; c++) {
        const uint64_t n_wanted = c < 4 ? MAX_ROWS : MAX_ROWS - 20000;
        stoa_sorter sorter = {.is_open = false};
        stoa_sort_source all;

        make_rows(MAX_ROWS);
        choose_keys();
        kinds[0] = first_keys[c % 4];
        memcpy(expected, rows, sizeof expected);
        qsort(expected, MAX_ROWS, sizeof *expected, order_rows);
        batch b = whole_batch(MAX_ROWS);
        stoa_sort_request request = request_of(&b, n_wanted, 6 << 20);
        request.workers = workers;
        CHECK_OK(stoa_sort_source_open(&all, &b.schema, &b.array, &err), &err);
        CHECK_OK(stoa_sorter_open(&sorter, &request, &err), &err);
        CHECK_OK(feed(&sorter, &all, 7000, &err), &err);
        most_ranges = sorter.merge.n_ranges > most_ranges ? sorter.merge.n_ranges : most_ranges;
        expect_order(&sorter, &b.schema, all.views, expected, (int64_t)n_wanted);
        stoa_sorter_clear(&sorter);
        stoa_sort_source_clear(&all);
        batch_end(&b);
    }
    CHECK(most_ranges > 3);
    stoa_workers_close(workers);
}

/* Beside the batches: what sorting needs, and no cell of each row. */
static void rows_that_are_all_sorted_take_little_memory(void)
{
    const int64_t n = MANY_ROWS;
    stoa_sorter sorter = {.is_open = false};
    stoa_sort_source all;
    stoa_error err = STOA_ERROR_INIT;

    make_rows(n);
    n_keys = 3;
    for (size_t k = 0; k < n_keys; k++) {
        kinds[k] = KEY_I;
        descending[k] = false;
    }
    batch b = whole_batch(n);
    stoa_sort_request request = request_of(&b, UINT64_MAX, UINT64_MAX);
    CHECK_OK(stoa_sort_source_open(&all, &b.schema, &b.array, &err), &err);
    CHECK_OK(stoa_sorter_open(&sorter, &request, &err), &err);
    CHECK_OK(feed(&sorter, &all, 1000, &err), &err);
    CHECK(stoa_sort_rows_bytes(&sorter.rows) <
          sorter.rows.n_bytes + (STOA_SORT_ROW_BYTES + 1) * (uint64_t)n);
    stoa_sorter_clear(&sorter);
    stoa_sort_source_clear(&all);
    batch_end(&b);
}

/* Texts that agree in their first `common` bytes, and then differ soon or late. */
static void make_long_texts(int64_t n, size_t common)
{
    static char texts[MAX_ROWS][320];

    for (int64_t r = 0; r < n; r++) {
        const int last = (int)check_random_below(3) == 0 ? 7 : 100000;
        memset(texts[r], 'x', common);
        (void)snprintf(texts[r] + common, sizeof texts[r] - common, "%0*d%s",
                       (int)check_random_below(12), (int)check_random_below((uint64_t)last),
                       check_random_below(4) == 0 ? "-and-so-on" : "");
        rows[r].s = rows[r].s != NULL || check_random_below(2) == 0 ? texts[r] : NULL;
    }
}

/* So many that they are parted into buckets. */
static void many_rows_are_sorted_by_any_number_of_threads(void)
{
    static plain expected[MAX_ROWS];

    for (uint64_t c = check_n_cases(10); c > 0; c--) {
        const int64_t n = MANY_ROWS + (int64_t)check_random_below(MAX_ROWS - MANY_ROWS);
        stoa_workers *workers = NULL;
        stoa_sorter sorter = {.is_open = false};
        stoa_sort_source all;
        stoa_error err = STOA_ERROR_INIT;

        make_rows(n);
        choose_keys();
        if (check_random_below(2) != 0) {
            kinds[0] = KEY_S;
            make_long_texts(n, check_random_below(2) == 0 ? 13 : check_random_below(280));
        }
        memcpy(expected, rows, (size_t)n * sizeof *rows);
        qsort(expected, (size_t)n, sizeof *expected, order_rows);
        batch b = whole_batch(n);
        const int64_t n_wanted =
            check_random_below(2) == 0 ? n : 16000 + (int64_t)check_random_below(20000);
        stoa_sort_request request = request_of(&b, n_wanted == n ? UINT64_MAX : (uint64_t)n_wanted,
                                               check_random_below(3) == 0 ? 4 << 20 : UINT64_MAX);
        CHECK_OK(stoa_workers_open(1 + (unsigned)check_random_below(3), &workers, &err), &err);
        request.workers = check_random_below(4) == 0 ? NULL : workers;
        CHECK_OK(stoa_sort_source_open(&all, &b.schema, &b.array, &err), &err);
        CHECK_OK(stoa_sorter_open(&sorter, &request, &err), &err);
        CHECK_OK(feed(&sorter, &all, 1 + (int64_t)check_random_below(9000), &err), &err);
        expect_order(&sorter, &b.schema, all.views, expected, n_wanted);
        stoa_sorter_clear(&sorter);
        stoa_workers_close(workers);
        stoa_sort_source_clear(&all);
        batch_end(&b);
    }
}

/* A row that is no better than the last of somebody's best rows before it is not taken in. */
static void rows_too_late_for_the_sorter_before_are_left_out(void)
{
    enum { N = 2000, LIMIT = 7 };
    static plain expected[N];
    stoa_sorter before = {.is_open = false};
    stoa_sorter after = {.is_open = false};
    stoa_sort_source all;
    struct ArrowArray part = {0};
    struct ArrowArray best = {0};
    stoa_error err = STOA_ERROR_INIT;
    for (int round = 0; round < 20; round++) {
        make_rows(N);
        choose_keys();
        memcpy(expected, rows, sizeof expected);
        qsort(expected, N, sizeof *expected, order_rows);
        batch b = whole_batch(N);
        stoa_sort_request request = request_of(&b, LIMIT, UINT64_MAX);
        CHECK_OK(stoa_sort_source_open(&all, &b.schema, &b.array, &err), &err);
        CHECK_OK(stoa_sorter_open(&before, &request, &err), &err);
        request.before = &before;
        CHECK_OK(stoa_sorter_open(&after, &request, &err), &err);
        for (int64_t at = 0; at < N; at += 250) {
            CHECK_OK(part_of(&all, (size_t)all.array.n_children, at, 250, &part, &err), &err);
            CHECK_OK(stoa_sorter_add(&after, &part, &err), &err);
            CHECK_OK(stoa_sorter_drain(&after, &best, &err), &err);
            if (best.release != NULL) {
                CHECK(best.length <= LIMIT);
                CHECK_OK(stoa_sorter_add(&before, &best, &err), &err);
            }
        }
        CHECK_OK(stoa_sorter_finish(&before, &err), &err);
        expect_order(&before, &b.schema, all.views, expected, LIMIT);
        stoa_sorter_clear(&after);
        stoa_sorter_clear(&before);
        stoa_sort_source_clear(&all);
        batch_end(&b);
    }
}

/* Failures ---------------------------------------------------------------------------------- */

static batch made;
static stoa_sort_source made_rows;
static stoa_listener ear;

static void make_all(int64_t n)
{
    make_rows(n);
    made = whole_batch(n);
    CHECK_OK(stoa_sort_source_open(&made_rows, &made.schema, &made.array, NULL));
}

static void drop_all(void)
{
    stoa_sort_source_clear(&made_rows);
    batch_end(&made);
}

static stoa_status sort_in_little_memory(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sorter sorter = {.is_open = false};
    struct ArrowArray out = {0};

    stoa_sort_request request = request_of(&made, UINT64_MAX, LITTLE);
    request.listener = &ear;
    STOA_TRY(stoa_sorter_open(&sorter, &request, err));
    STOA_TRY(feed(&sorter, &made_rows, 100, err));
    CHECK(sorter.is_merged);
    do {
        stoa_array_release(&out);
        STOA_TRY(stoa_sorter_next(&sorter, 500, &out, err));
    } while (out.release != NULL);

done:
    stoa_array_release(&out);
    stoa_sorter_clear(&sorter);
    return status;
}

/* The sorts' temporary directory, until the test says otherwise. */
static char *usual_directory;

static void go_to(const char *directory)
{
    const char *now = getenv("TMPDIR");

    CHECK(usual_directory == NULL);
    usual_directory = strdup(now != NULL ? now : "/tmp");
    CHECK(usual_directory != NULL);
    CHECK(setenv("TMPDIR", directory, 1) == 0);
}

static void go_back(void)
{
    CHECK(setenv("TMPDIR", usual_directory, 1) == 0);
    free(usual_directory);
    usual_directory = NULL;
}

/* A directory of one's own, and how many names it holds. */
static const char *own_directory(void)
{
    const char *directory = check_path("spills");

    CHECK(mkdir(directory, 0700) == 0);
    go_to(directory);
    return directory;
}

static int n_names(const char *directory)
{
    DIR *open = opendir(directory);
    int n = 0;

    CHECK(open != NULL);
    for (const struct dirent *entry = readdir(open); entry != NULL; entry = readdir(open)) {
        n += entry->d_name[0] != '.';
    }
    closedir(open);
    return n;
}

static void a_full_disk_is_told_and_no_file_is_left(void)
{
    const char *directory = own_directory();
    stoa_error err = STOA_ERROR_INIT;
    struct rlimit old;

    choose_keys();
    make_all(2500);
    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
    const struct rlimit little = {16384, old.rlim_max};
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    CHECK(setrlimit(RLIMIT_FSIZE, &little) == 0);
    const stoa_status status = sort_in_little_memory(&err);
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK_U64(status, STOA_EIO);
    CHECK_CONTAINS(err.message, "cannot write the temporary file of a sort");
    CHECK_CONTAINS(err.message, "TMPDIR");
    CHECK_I64(n_names(directory), 0);
    go_back();
    drop_all();
}

static void a_directory_that_is_not_there_is_told(void)
{
    stoa_error err = STOA_ERROR_INIT;

    choose_keys();
    make_all(2500);
    go_to("/nowhere/at/all");
    CHECK(sort_in_little_memory(&err) != STOA_OK);
    CHECK_CONTAINS(err.message, "/nowhere/at/all/stoa-sort-");
    go_back();
    drop_all();
}

/* A listener that stops the n-th time it is asked. */
static bool count_down(void *context, const stoa_progress *progress)
{
    int *left = context;

    CHECK(strcmp(progress->stage, "sorting") == 0 || strcmp(progress->stage, "merging") == 0);
    return --*left > 0;
}

static void a_sort_that_is_stopped_leaves_no_file(void)
{
    const char *directory = own_directory();
    int n_stopped = 0;

    choose_keys();
    make_all(2500);
    for (int n = 1;; n++) {
        stoa_error err = STOA_ERROR_INIT;
        int left = n;
        ear = (stoa_listener){count_down, &left};
        const stoa_status status = sort_in_little_memory(&err);
        CHECK_I64(n_names(directory), 0);
        if (status == STOA_OK) {
            break;
        }
        CHECK_U64(status, STOA_ECANCELLED);
        n_stopped++;
    }
    ear = (stoa_listener){NULL, NULL};
    CHECK(n_stopped > 5);
    go_back();
    drop_all();
}

static void memory_may_run_out_at_any_allocation(void)
{
    n_keys = 2;
    kinds[0] = KEY_C;
    kinds[1] = KEY_S;
    make_all(1200);
    (void)sweep_memory(sort_in_little_memory);
    drop_all();
}

TEST_MAIN(TEST(sorted_rows_are_those_of_a_plain_stable_sort),
          TEST(many_rows_are_sorted_by_any_number_of_threads), TEST(threads_merge_ranges_of_runs),
          TEST(rows_that_are_all_sorted_take_little_memory),
          TEST(rows_too_late_for_the_sorter_before_are_left_out),
          TEST(a_full_disk_is_told_and_no_file_is_left),
          TEST(a_directory_that_is_not_there_is_told), TEST(a_sort_that_is_stopped_leaves_no_file),
          TEST(memory_may_run_out_at_any_allocation))
