/* Strings that are kept as categories answer every question as plain strings do, whichever index
 * they have, and whatever was appended to them. */
#include <stdio.h>
#include <string.h>

#include "query/answers.h"
#include "query/tables.h"

enum { N_ROWS = 3000, N_VOCABULARY = 9, N_APPENDED = 40 };

static const char *const vocabulary[N_VOCABULARY] = {
    "muon", "electron", "", NULL, "a", "ab", "zürich", "A", "a label of some length"};

/* Words that the first rows have not. */
static const char *const news[] = {"tau", "aa", NULL, "muon", "zz"};

static batch rows_of(int64_t n, const char *const *words, size_t n_words, uint64_t seed)
{
    batch b = batch_begin(2, n);
    const char *s[N_ROWS];
    int64_t i[N_ROWS];

    for (int64_t r = 0; r < n; r++) {
        /* The same in both tables: no common source of random numbers. */
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        s[r] = words[(seed >> 33) % n_words];
        i[r] = (int64_t)(seed >> 40) % 50;
    }
    batch_strings(&b, 0, "s", s);
    batch_integers(&b, 1, "i", "s", i, NULL);
    return b;
}

static home make_home(bool plain, const char *index, uint64_t seed)
{
    static unsigned n_homes;
    char name[32];
    home h = {.table = NULL};
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    const stoa_column_options storage = {.chunk_rows = 512};
    const stoa_column_index indexed = {"s", index};
    batch b = rows_of(N_ROWS, vocabulary, N_VOCABULARY, seed);

    options.plain_strings = plain;
    options.columns = &storage;
    options.n_columns = 1;
    options.indexes = &indexed;
    options.n_indexes = index != NULL;
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 20, false));
    (void)snprintf(name, sizeof name, "texts-%u.h5", ++n_homes);
    h.file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(h.file, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    CHECK((H5Lexists(h.file, "/t/CATEGORIES", H5P_DEFAULT) > 0) == !plain);
    return h;
}

static void append_rows(home *h, uint64_t seed)
{
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    batch b = rows_of(N_APPENDED, news, sizeof news / sizeof news[0], seed);

    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_append(h->table, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
}

static const char *const predicates[] = {
    NULL,
    "s = 'muon'",
    "s = 'tau'",
    "s != 'a'",
    "s < 'b'",
    "s >= 'electron' and i < 25",
    "s between 'a' and 'm'",
    "s in ('a', 'zz', 'nobody')",
    "not (s in ('a', 'muon'))",
    "s like 'a%'",
    "s like '%n'",
    "s is null",
    "s is not null and i > 40",
    "s = ''",
    "length(s) > 3",
    "upper(s) = 'A'",
    "lower(s) = s or i = 7",
    "s > 'no such word'",
    "s = 'zürich' or s is missing",
};

static void compare(home *coded, home *plain, const stoa_query_options *options)
{
    const answer ours = answer_of(coded->table, options);
    const answer theirs = answer_of(plain->table, options);

    if (theirs.failed || ours.failed || ours.content != theirs.content ||
        ours.n_rows != theirs.n_rows) {
        FAIL("where %s, columns %s, aggregates %s, by %s, sort %s: %lld rows of %s for %lld of %s",
             options->where != NULL ? options->where : "-",
             options->columns != NULL ? options->columns : "-",
             options->aggregates != NULL ? options->aggregates : "-",
             options->by != NULL ? options->by : "-", options->sort != NULL ? options->sort : "-",
             (long long)ours.n_rows, ours.text, (long long)theirs.n_rows, theirs.text);
    }
}

static void ask_both(home *coded, home *plain, const char *where, bool use_indexes)
{
    static const char *const columns[] = {NULL, "s", "i, s", "s, s", "length(s), s", "upper(s)"};
    static const char *const orders[] = {NULL, "s, i", "s:desc, i", "i, s:desc"};
    static const char *const aggregates[] = {"count(), count(s), min(s), max(s), distinct(s)",
                                             "first(s), last(s), min(length(s))"};
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;

    options.where = where;
    options.use_indexes = use_indexes;
    options.columns = columns[check_random_below(6)];
    options.sort = orders[check_random_below(4)];
    options.limit = options.sort != NULL && check_random_below(2) == 0 ? 70 : -1;
    options.threads = 1 + (unsigned)check_random_below(2);
    compare(coded, plain, &options);

    options.columns = NULL;
    options.sort = NULL;
    options.limit = -1;
    options.aggregates = aggregates[check_random_below(2)];
    compare(coded, plain, &options);
    options.by = check_random_below(2) == 0 ? "s" : "i, s";
    options.sort = options.by;
    compare(coded, plain, &options);
}

static void coded_strings_answer_as_plain_ones(void)
{
    static const char *const kinds[] = {NULL, "minmax", "sorted", "bitmap", "bloom"};

    for (uint64_t k = 0; k < check_n_cases(10); k++) {
        const uint64_t seed = check_random();
        home coded = make_home(false, kinds[k % 5], seed);
        home plain = make_home(true, NULL, seed);
        for (int round = 0; round < 2; round++) {
            for (size_t p = 0; p < sizeof predicates / sizeof predicates[0]; p++) {
                ask_both(&coded, &plain, predicates[p], true);
                ask_both(&coded, &plain, predicates[p], false);
            }
            append_rows(&coded, seed + 1);
            append_rows(&plain, seed + 1);
        }
        home_leave(&coded);
        home_leave(&plain);
    }
}

TEST_MAIN(TEST(coded_strings_answer_as_plain_ones))
