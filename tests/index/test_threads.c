/* Indexes that are built by several threads: those that one thread builds, byte for byte. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stoa/stoa.h>

#include "index/common/block_scan.h"
#include "support/batches.h"
#include "support/check.h"
#include "table/open/table.h"

enum { N = 600000, CHUNK = 4096 };

/* --- a table ---------------------------------------------------------------------------------- */

static batch make_rows(void)
{
    static const char *const words[] = {"ada", "grace", "", "emmy", NULL};
    batch b = batch_begin(4, N);
    int64_t *integers = malloc(N * sizeof *integers);
    double *floats = malloc(N * sizeof *floats);
    const char **texts = malloc(N * sizeof *texts);
    bool *valid = malloc(N * sizeof *valid);

    CHECK(integers != NULL && floats != NULL && texts != NULL && valid != NULL);
    for (int64_t i = 0; i < N; i++) {
        integers[i] = i * 7919 % 600011 - 300000;
        floats[i] = i % 31 == 0 ? NAN : (double)(i * 31 % 1999) / 7 - 100;
        texts[i] = words[i * i % 5];
        valid[i] = i % 11 != 3;
    }
    batch_integers(&b, 0, "i", "l", integers, valid);
    batch_floats(&b, 1, "f", "f", floats, valid);
    batch_strings(&b, 2, "s", texts);
    for (int64_t i = 0; i < N; i++) {
        integers[i] = i / 3 % 60 - 30;
    }
    batch_integers(&b, 3, "few", "s", integers, valid);
    free(integers);
    free(floats);
    free(texts);
    free(valid);
    return b;
}

static hid_t make_table(const char *codec, const stoa_table_options *how)
{
    const char *name = check_path("threads.h5");
    const stoa_column_options all = {NULL, codec, CHUNK};
    stoa_table_options options = *how;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    batch b = make_rows();

    options.columns = &all;
    options.n_columns = 1;
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    return file;
}

/* --- what an index is made of ----------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static herr_t add_dataset(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    uint64_t *hash = context;
    const hid_t dataset = CHECK_H5(H5Dopen2(group, name, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const size_t n_bytes =
        (size_t)CHECK_H5(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type);
    uint8_t *elements = calloc(n_bytes + 1, 1);

    (void)info;
    CHECK(elements != NULL);
    CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
    *hash = mix(mix(*hash, name, strlen(name)), elements, n_bytes);
    free(elements);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
    return 0;
}

static uint64_t content_of(hid_t file)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const hid_t group = CHECK_H5(H5Gopen2(file, "/t/SEARCH_INDEXES", H5P_DEFAULT));

    CHECK_H5(H5Literate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_dataset, &hash));
    CHECK_H5(H5Gclose(group));
    return hash;
}

/* Rows are looked at by all threads before the listener hears again. */
static bool count_calls(void *context, const stoa_progress *progress)
{
    (void)progress;
    ++*(unsigned *)context;
    return true;
}

typedef struct built {
    uint64_t content;
    unsigned n_calls;
} built;

static built build(hid_t file, const char *column, const char *kind, unsigned threads)
{
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;
    built made = {.n_calls = 0};
    bool same = false;

    options.threads = threads;
    options.listener = (stoa_listener){count_calls, &made.n_calls};
    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    CHECK_OK(stoa_index_add(table, column, kind, &options, &err), &err);
    made.content = content_of(file);
    CHECK_OK(stoa_index_verify(table, column, kind, &same, &err), &err);
    CHECK(same);
    CHECK_OK(stoa_index_drop(table, column, kind, &err), &err);
    stoa_table_close(table);
    return made;
}

/* --- the tests -------------------------------------------------------------------------------- */

static const struct {
    const char *column;
    const char *kind;
} cases[] = {
    {"i", "minmax"},   {"i", "sorted"},   {"i", "bloom"},    {"f", "minmax"}, {"f", "sorted"},
    {"f", "bloom"},    {"s", "minmax"},   {"s", "sorted"},   {"s", "bloom"},  {"s", "bitmap"},
    {"few", "minmax"}, {"few", "sorted"}, {"few", "bitmap"},
};

static void an_index_is_the_same_however_many_threads_build_it(void)
{
    static const unsigned counts[] = {2, 7};
    const stoa_table_options plain = STOA_TABLE_OPTIONS_INIT;

    for (const char *const *codec = (const char *const[]){"none", "auto", "deflate:1", NULL};
         *codec != NULL; codec++) {
        const hid_t file = make_table(*codec, &plain);
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            const built alone = build(file, cases[c].column, cases[c].kind, 1);
            for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
                const built now = build(file, cases[c].column, cases[c].kind, counts[k]);
                if (now.content != alone.content) {
                    FAIL("a %s index on %s (%s) is another one, built by %u threads", cases[c].kind,
                         cases[c].column, *codec, counts[k]);
                }
                if (counts[k] == 7 && now.n_calls >= alone.n_calls) {
                    FAIL("a %s index on %s (%s) is built by one thread: %u, %u", cases[c].kind,
                         cases[c].column, *codec, now.n_calls, alone.n_calls);
                }
            }
        }
        CHECK_H5(H5Fclose(file));
    }
}

/* Of the filters of all chunks from one on nothing is left. Whichever thread sees it first, the
 * first row that is not in its filter is named. */
static void the_first_wrong_row_is_named_however_many_threads_compare(void)
{
    enum { FIRST_WRONG = 37 };
    const stoa_table_options plain = STOA_TABLE_OPTIONS_INIT;
    const hid_t file = make_table("auto", &plain);
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    stoa_table *table = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    CHECK_OK(stoa_index_add(table, "i", "bloom", NULL, &err), &err);
    const hid_t bloom = CHECK_H5(H5Dopen2(file, "/t/SEARCH_INDEXES/i__chunk_bloom", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(bloom));
    hsize_t shape[2];
    CHECK_H5(H5Sget_simple_extent_dims(space, shape, NULL));
    CHECK_H5(H5Dset_extent(bloom, (const hsize_t[]){FIRST_WRONG, shape[1]}));
    CHECK_H5(H5Dset_extent(bloom, shape)); /* with zeros */
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(bloom));
    for (options.threads = 1; options.threads <= 5; options.threads += 2) {
        bool same = true;
        CHECK_OK(stoa_index_verify_with(table, "i", "bloom", &options, &same, &err), &err);
        CHECK(!same);
        CHECK_CONTAINS(err.message, "chunk 37: ");
        CHECK_CONTAINS(err.message, "row 151552 "); /* 37 * 4096, which is not missing */
    }
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

static void indexes_of_a_new_table_are_the_same_as_well(void)
{
    static const stoa_column_index indexes[] = {
        {"i", "minmax"}, {"f", "sorted"}, {"few", "bitmap"}, {"s", "bloom"}};
    uint64_t contents[2];
    unsigned n_calls[2] = {0, 0};

    for (unsigned k = 0; k < 2; k++) {
        stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
        options.indexes = indexes;
        options.n_indexes = sizeof indexes / sizeof indexes[0];
        options.threads = k == 0 ? 1 : 5;
        options.listener = (stoa_listener){count_calls, &n_calls[k]};
        const hid_t file = make_table("auto", &options);
        contents[k] = content_of(file);
        CHECK_H5(H5Fclose(file));
    }
    CHECK_U64(contents[0], contents[1]);
    CHECK(n_calls[1] < n_calls[0]);
}

/* Two runs, each of which ends when the other one has begun. */
typedef struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t met;
    unsigned n_there;
} meeting;

static stoa_status wait_for_the_other(void *context, uint64_t place, uint64_t first,
                                      const stoa_block *slice, stoa_error *err)
{
    meeting *m = context;
    struct timespec late;
    int failed = 0;

    (void)place;
    (void)first;
    (void)slice;
    CHECK(clock_gettime(CLOCK_REALTIME, &late) == 0);
    late.tv_sec += 120; /* only where there is no other */
    (void)pthread_mutex_lock(&m->mutex);
    m->n_there++;
    (void)pthread_cond_broadcast(&m->met);
    while (m->n_there < 2 && failed == 0) {
        failed = pthread_cond_timedwait(&m->met, &m->mutex, &late);
    }
    (void)pthread_mutex_unlock(&m->mutex);
    return failed == 0 ? STOA_OK : stoa_fail(err, STOA_EINVAL, "nobody else came");
}

static stoa_status take_nothing(void *context, uint64_t n, uint64_t first, uint64_t end,
                                stoa_error *err)
{
    (void)context;
    (void)n;
    (void)first;
    (void)end;
    (void)err;
    return STOA_OK;
}

static void runs_are_looked_at_side_by_side(void)
{
    const stoa_table_options plain = STOA_TABLE_OPTIONS_INIT;
    const hid_t file = make_table("auto", &plain);
    meeting m = {.mutex = PTHREAD_MUTEX_INITIALIZER, .met = PTHREAD_COND_INITIALIZER};
    stoa_table *table = NULL;
    stoa_workers *workers = NULL;
    stoa_runs runs = {.first = 0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    CHECK_OK(stoa_workers_open(2, &workers, &err), &err);
    stoa_column *column = stoa_table_find(table, "i");
    column->workers = workers;
    CHECK_OK(stoa_runs_open(&runs, column, CHUNK, 0, 0, 0, 2 * CHUNK, &err), &err);
    CHECK_U64(runs.n_places, 2);
    CHECK_OK(stoa_runs_visit(&runs, "testing", NULL, wait_for_the_other, take_nothing, &m, &err),
             &err);
    stoa_runs_close(&runs);
    column->workers = NULL;
    stoa_workers_close(workers);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Sixty-four threads have no more of what is made of rows than the 64 MiB that all may have. */
static void many_threads_keep_no_more_than_few(void)
{
    static const struct {
        uint64_t chunk_bytes;
        uint64_t run_bytes;
        uint64_t n_places;
    } made[] = {{0, 1 << 10, 49},      /* all runs: 147 chunks, 3 a run */
                {0, (8 << 20) - 1, 8}, /* 64 MiB of 8 MiB */
                {0, 100 << 20, 1},     /* one there must be */
                {8 << 20, 0, 2},       /* of 24 MiB */
                {4 << 20, 8 << 20, 3}, /* of 20 MiB */
                {1, 1, 49}};
    const stoa_table_options plain = STOA_TABLE_OPTIONS_INIT;
    const hid_t file = make_table("auto", &plain);
    stoa_table *table = NULL;
    stoa_workers *workers = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    CHECK_OK(stoa_workers_open(64, &workers, &err), &err);
    stoa_column *column = stoa_table_find(table, "i");
    column->workers = workers;
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        stoa_runs runs = {.first = 0};
        CHECK_OK(stoa_runs_open(&runs, column, CHUNK, made[i].chunk_bytes, made[i].run_bytes, 0, N,
                                &err),
                 &err);
        CHECK_U64(runs.run_chunks, 3);
        CHECK_U64(runs.n_places, made[i].n_places);
        stoa_runs_close(&runs);
    }
    column->workers = NULL;
    stoa_workers_close(workers);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(an_index_is_the_same_however_many_threads_build_it),
          TEST(the_first_wrong_row_is_named_however_many_threads_compare),
          TEST(indexes_of_a_new_table_are_the_same_as_well), TEST(runs_are_looked_at_side_by_side),
          TEST(many_threads_keep_no_more_than_few))
