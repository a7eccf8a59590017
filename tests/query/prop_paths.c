/* Property: whatever way the bytes take from the file to the answer, it is the same to the bit:
 * past libhdf5, by pread() or from a map of the file, or by it (STOA_SLOW), on one thread or eight,
 * with scalar kernels, AVX2 or AVX-512, with indexes or without; over all types, codecs, chunk
 * lengths and byte orders, in files that were appended to and in those of others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "foreign.h"
#include "oracle.h"
#include "table/open/table.h"
#include "tables.h"

/* --- ways ------------------------------------------------------------------------------------ */

typedef struct way {
    const char *slow; /* what STOA_SLOW and STOA_SIMD are; NULL: not set */
    const char *simd;
    unsigned threads;
    bool maps;
} way;

static const way ways[] = {
    {NULL, NULL, 1, false},     {NULL, NULL, 2, false},   {NULL, NULL, 8, false},
    {NULL, "scalar", 2, false}, {NULL, "avx2", 1, false}, {NULL, "avx512", 8, false},
    {"1", NULL, 1, false},      {"1", "scalar", 8, true}, {NULL, NULL, 1, true},
    {NULL, "scalar", 8, true},  {NULL, "avx2", 2, true},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static void say(const char *name, const char *value)
{
    CHECK((value != NULL ? setenv(name, value, 1) : unsetenv(name)) == 0);
}

/* The table as it lies in its file, which is read by another program's means. */
static home go(const way *w)
{
    home h = {.file = H5I_INVALID_HID};
    stoa_error err = STOA_ERROR_INIT;
    const stoa_direct *direct = NULL;
    stoa_open_options options = STOA_OPEN_OPTIONS_INIT;

    options.map = w->maps;
    say("STOA_SLOW", w->slow);
    say("STOA_SIMD", w->simd);
    h.file = CHECK_H5(H5Fopen(check_path("paths.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_OK(stoa_hep001_open_with(h.file, "/t", &options, &h.table, &err), &err);
    for (size_t i = 0; i < h.table->n_columns; i++) {
        if (!stoa_column_is_dataset(h.table->columns[i])) {
            continue;
        }
        CHECK_OK(stoa_column_direct(h.table->columns[i], &direct, &err), &err);
        CHECK((direct == NULL) == (w->slow != NULL));
    }
    return h;
}

static void leave(home *h)
{
    home_leave(h);
    say("STOA_SLOW", NULL);
    say("STOA_SIMD", NULL);
}

/* --- questions ------------------------------------------------------------------------------- */

enum { MAX_QUESTIONS = 96 };

typedef struct questions {
    size_t n;
    stoa_query_options list[MAX_QUESTIONS];
    answer answers[MAX_QUESTIONS]; /* of the first way, without indexes */
} questions;

static void ask_all(questions *asked, size_t k, const char *what)
{
    home h = go(&ways[k]);

    for (size_t q = 0; q < asked->n; q++) {
        for (int with = 0; with < 2; with++) {
            stoa_query_options options = asked->list[q];
            answer *first = &asked->answers[q];
            options.size = sizeof options;
            options.threads = ways[k].threads;
            options.use_indexes = with != 0;
            const answer now = answer_of(h.table, &options);
            if (k == 0 && with == 0) {
                *first = now;
            }
            if (now.n_rows != first->n_rows || now.content != first->content || now.failed) {
                FAIL("%s, way %zu, %s indexes: where %s columns %s aggregates %s by %s sort %s: "
                     "%lld rows (%llx)\n%s\nfirst %lld rows (%llx)\n%s",
                     what, k, with ? "with" : "without", options.where ? options.where : "-",
                     options.columns ? options.columns : "-",
                     options.aggregates ? options.aggregates : "-", options.by ? options.by : "-",
                     options.sort ? options.sort : "-", (long long)now.n_rows,
                     (unsigned long long)now.content, now.text, (long long)first->n_rows,
                     (unsigned long long)first->content, first->text);
            }
        }
    }
    leave(&h);
}

static void all_ways_agree(questions *asked, const char *what)
{
    for (size_t k = 0; k < N_WAYS; k++) {
        ask_all(asked, k, what);
    }
}

static void question(questions *asked, stoa_query_options options)
{
    CHECK(asked->n < MAX_QUESTIONS);
    options.limit = options.limit == 0 ? -1 : options.limit;
    asked->list[asked->n++] = options;
}

/* Columns are named after their types. */
static questions *questions_to_numbers(void)
{
    static const char *const predicates[] = {
        NULL,
        "i1 > 0",
        "u1 in (1, 3)",
        "i2 between -1 and 2",
        "u2 = 2",
        "i4 is null",
        "u4 != 1",
        "i8 < -2 or i8 > 3",
        "u8 > 2",
        "f8 > 0.5",
        "f4 <= 0 or isnan(f4)",
        "not (i2 = 1) and u4 < 3",
    };
    static const char *const by[] = {"i1", "u2", "i4, u1", "f4"};
    questions *asked = calloc(1, sizeof *asked);

    CHECK(asked != NULL);
    for (size_t p = 0; p < sizeof predicates / sizeof predicates[0]; p++) {
        question(asked, (stoa_query_options){.where = predicates[p], .row_numbers = true});
        question(asked, (stoa_query_options){
                            .where = predicates[p],
                            .aggregates = "count(), count(i1), sum(i1), mean(u1), stddev(i2), "
                                          "min(u2), max(i4), first(u4), last(i8), min(u8), "
                                          "sum(f4), mean(f8), stddev(f8), sum(f8), max(f8)"});
    }
    for (size_t k = 0; k < sizeof by / sizeof by[0]; k++) {
        question(asked, (stoa_query_options){.where = predicates[k * 3],
                                             .aggregates = "count(), sum(f8), mean(f4), max(i8)",
                                             .by = by[k]});
    }
    question(asked, (stoa_query_options){.sort = "f8 desc, i2", .columns = "i4, u8", .limit = 17});
    question(asked, (stoa_query_options){.sort = "i2", .limit = 5});
    question(asked, (stoa_query_options){.where = "u4 > 1"});
    question(asked, (stoa_query_options){.columns = "f8 * 2, i1 + u1"});
    question(asked, (stoa_query_options){.limit = 3});
    return asked;
}

static void ask_of_texts_and_times(questions *asked)
{
    static const char *const predicates[] = {"s = 'ada'",
                                             "s like 'g%' or s = ''",
                                             "k = 'emmy'",
                                             "k in ('ada', '') and b",
                                             "not b",
                                             "d > '1970-01-02'",
                                             "tm < '1970-01-01T00:00:00.003'",
                                             "ts is null"};

    for (size_t p = 0; p < sizeof predicates / sizeof predicates[0]; p++) {
        question(asked,
                 (stoa_query_options){.where = predicates[p],
                                      .aggregates = "count(), max(s), min(k), count(ts), max(d), "
                                                    "first(tm), last(k), sum(f8), distinct(s)"});
        question(asked, (stoa_query_options){.where = predicates[p], .columns = "s, k, b, ts, f8"});
    }
    question(asked, (stoa_query_options){.aggregates = "count(), sum(f8)", .by = "k"});
    question(asked, (stoa_query_options){.aggregates = "count(), mean(f4)", .by = "s, b"});
    question(asked,
             (stoa_query_options){.aggregates = "count(f4), mean(f4), sum(f4), min(f4), "
                                                "max(f4), sum(i2), mean(u1), max(i4), min(i4)",
                                  .by = "k, i1"});
    question(asked, (stoa_query_options){.where = "i2 > 0",
                                         .aggregates = "count(), count(i2), mean(i2), sum(u4)",
                                         .by = "u1, k, b"});
    question(asked, (stoa_query_options){.aggregates = "median(i2), quantile(f8, 0.1)", .by = "d"});
    question(asked,
             (stoa_query_options){.aggregates = "mode(k), corr(f4, i2), covar_pop(f8, u1), "
                                                "arg_max(tm, f8), string_agg(k order by tm), "
                                                "sum(distinct i1)",
                                  .by = "u2"});
    question(asked, (stoa_query_options){.sort = "s, k desc, tm", .limit = 40});
    question(asked, (stoa_query_options){.sort = "k desc, f8, s",
                                         .columns = "s, f8, i4, k, f8, i4 + u1, k",
                                         .limit = 23,
                                         .offset = 4});
    question(asked, (stoa_query_options){.sort = "f8 * 2, tm", .columns = "f8, tm", .limit = 9});
}

/* --- tables of Stoa -------------------------------------------------------------------------- */

enum { MAX_ROWS = 2000, MANY_ROWS = 20000 };

typedef struct kind_of_column {
    const char *name;
    const char *format;
} kind_of_column;

static const kind_of_column kinds[] = {
    {"i1", "c"}, {"u1", "C"}, {"i2", "s"}, {"u2", "S"},         {"i4", "i"},    {"u4", "I"},
    {"i8", "l"}, {"u8", "L"}, {"b", "b"},  {"d", "tdD"},        {"tm", "tsm:"}, {"ts", "tss:UTC"},
    {"f4", "f"}, {"f8", "g"}, {"s", "u"},  {"k", "dictionary"},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static double some_float(void)
{
    const uint64_t roll = check_random_below(40);

    /* Sums of numbers so unlike depend on the order they are added in. */
    return roll == 0   ? NAN
           : roll == 1 ? -0.0
           : roll == 2 ? 1e15
                       : ((double)check_random_below(4000) - 1500.0) / 1e3;
}

static batch some_rows(int64_t n)
{
    static int64_t integers[MANY_ROWS];
    static double floats[MANY_ROWS];
    static const char *texts[MANY_ROWS];
    static bool valid[MANY_ROWS];
    static const char *const words[] = {"ada", "grace", "", "emmy"};
    batch b = batch_begin(N_KINDS, n);

    for (int64_t c = 0; c < N_KINDS; c++) {
        const char *format = kinds[c].format;
        const bool is_signed = strchr("CSIL", format[0]) == NULL;
        const uint64_t holes = check_random_below(3) * 10;
        for (int64_t row = 0; row < n; row++) {
            valid[row] = check_random_below(100) >= holes;
            integers[row] = format[0] == 'b' ? (int64_t)check_random_below(2)
                                             : (int64_t)check_random_below(9) - (is_signed ? 4 : 0);
            floats[row] = some_float();
            texts[row] = valid[row] ? words[check_random_below(4)] : NULL;
        }
        if (format[0] == 'f' || format[0] == 'g') {
            batch_floats(&b, c, kinds[c].name, format, floats, valid);
        } else if (format[0] == 'u') {
            batch_strings(&b, c, kinds[c].name, texts);
        } else if (strcmp(format, "dictionary") == 0) {
            batch_categories(&b, c, kinds[c].name, texts);
        } else {
            batch_integers(&b, c, kinds[c].name, format, integers, valid);
        }
    }
    return b;
}

static void write_file(batch *b, const char *codec, uint64_t chunk_rows)
{
    const stoa_column_options all = {NULL, codec, chunk_rows};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_file *file = NULL;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    options.columns = &all;
    options.n_columns = 1;
    (void)remove(check_path("paths.h5"));
    CHECK_OK(stoa_file_open(check_path("paths.h5"), STOA_FILE_CREATE, &file, &err), &err);
    stream_of(b, 1, &stream);
    CHECK_OK(stoa_table_write(stoa_file_id(file), "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_OK(stoa_file_commit(file, &err), &err);
}

typedef struct wanted_index {
    const char *column;
    const char *kind;
} wanted_index;

/* Indexes, and then rows, so that the indexes are brought along. */
static void edit_file(const wanted_index *indexes, size_t n_indexes, batch *batches, size_t n)
{
    stoa_file *file = NULL;
    stoa_table *table = NULL;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_open(check_path("paths.h5"), STOA_FILE_EDIT, &file, &err), &err);
    CHECK_OK(stoa_hep001_open(stoa_file_id(file), "/t", &table, &err), &err);
    for (size_t i = 0; i < n_indexes; i++) {
        CHECK_OK(stoa_index_add(table, indexes[i].column, indexes[i].kind, NULL, &err), &err);
    }
    for (size_t i = 0; i < n; i++) {
        stream_of(&batches[i], 1, &stream);
        CHECK_OK(stoa_table_append(table, &stream, NULL, NULL, &err), &err);
        stoa_stream_release(&stream);
    }
    stoa_table_close(table);
    CHECK_OK(stoa_file_commit(file, &err), &err);
}

/* From a row a chunk to chunks that the table does not fill. */
static uint64_t some_chunk_rows(void)
{
    static const uint64_t lengths[] = {1, 7, 64, 500, 1024, 5000};

    return lengths[check_random_below(6)];
}

static const char *const codecs[] = {"none", "scaleoffset", "deflate", "small",
                                     "zstd", "lz4",         "blosc",   "auto"};
enum { N_CODECS = sizeof codecs / sizeof codecs[0] };

static void every_way_to_an_answer_gives_the_same_one(void)
{
    static const wanted_index indexes[] = {
        {"i2", "minmax"}, {"i2", "sorted"}, {"u4", "bitmap"}, {"f8", "sorted"}, {"s", "bloom"},
        {"k", "bitmap"},  {"d", "minmax"},  {"i8", "sorted"}, {"u1", "bloom"},
    };
    questions *asked = questions_to_numbers();
    char what[64];

    ask_of_texts_and_times(asked);
    for (uint64_t k = 0; k < check_n_cases(N_CODECS); k++) {
        const uint64_t chunk_rows = some_chunk_rows();
        const uint64_t most = chunk_rows == 1 ? 60 : MAX_ROWS;
        batch b = some_rows(1 + (int64_t)check_random_below(most));
        batch more[2] = {some_rows(1 + (int64_t)check_random_below(most)),
                         some_rows(1 + (int64_t)check_random_below(40))};
        write_file(&b, codecs[k % N_CODECS], chunk_rows);
        edit_file(indexes, sizeof indexes / sizeof indexes[0], more, 2);
        (void)snprintf(what, sizeof what, "%s, chunks of %llu", codecs[k % N_CODECS],
                       (unsigned long long)chunk_rows);
        all_ways_agree(asked, what);
    }
    free(asked);
}

/* Bitmaps say of most of their parts what passes: by then a few rows of a window, whose values are
 * looked at where they lie. The same again and again, since an index's bits are not given at once.
 */
static void ask_for_few_of_many(questions *asked)
{
    static const char *const predicates[] = {
        "u4 = 1 and k = 'ada' and i1 = 2",
        "u4 in (1, 3) and not (k = 'ada' or k = '') and u1 = 2",
        "not (u4 <> 1) and k = 'emmy' and i4 between 1 and 1",
        "(u4 = 2 or k = 'grace') and i2 = 1 and u2 = 3",
    };

    for (size_t p = 0; p < 2 * sizeof predicates / sizeof predicates[0]; p++) {
        question(asked, (stoa_query_options){
                            .where = predicates[p / 2],
                            .aggregates = "count(), count(f4), sum(f4), mean(f8), sum(f8), min(f8),"
                                          "max(f4), stddev(f4), first(f8), sum(i8), median(f4)"});
        question(asked, (stoa_query_options){.where = predicates[p / 2],
                                             .aggregates = "sum(f4), sum(f8), count(f8)",
                                             .by = "u2"});
        question(asked, (stoa_query_options){.where = predicates[p / 2], .columns = "f4, f8, i8"});
    }
}

/* So many rows pass that they are chosen by bits, where the bytes are read past libhdf5; by it they
 * are listed, as they are where their numbers are asked for. */
static questions *questions_that_many_rows_pass(void)
{
    static const char *const predicates[] = {"u4 > 0",           "i4 > 1", "u1 > 2 or k is null",
                                             "f8 > 0.2",         "not b",  "tm is not null",
                                             "i8 > 0 and u2 > 0"};
    questions *asked = calloc(1, sizeof *asked);

    CHECK(asked != NULL);
    for (size_t p = 0; p < sizeof predicates / sizeof predicates[0]; p++) {
        const char *where = predicates[p];
        question(asked, (stoa_query_options){.where = where});
        question(asked,
                 (stoa_query_options){.where = where, .columns = "i1, u2, i4, u8, b, d, tm"});
        question(asked, (stoa_query_options){.where = where, .columns = "k, ts, f4, f8, u4"});
        question(asked, (stoa_query_options){.where = where, .row_numbers = true});
        question(asked, (stoa_query_options){.where = where, .columns = "i8, k", .limit = 6000});
        question(asked, (stoa_query_options){
                            .where = where, .columns = "i2", .sort = "f8 desc, tm", .limit = 50});
        question(asked, (stoa_query_options){.where = where,
                                             .aggregates = "median(f8), sum(i8), distinct(k)",
                                             .by = "u1"});
    }
    ask_for_few_of_many(asked);
    return asked;
}

/* Whether a column is looked at where it lies; so that it is one of the ways. */
static bool are_shown_in_the_map(const char *column)
{
    const way w = {NULL, NULL, 1, true};
    home h = go(&w);
    stoa_error err = STOA_ERROR_INIT;
    const stoa_direct *direct = NULL;

    CHECK_OK(stoa_column_direct(stoa_table_find(h.table, column), &direct, &err), &err);
    const bool are_shown = stoa_direct_mapped(direct, 0, 1000) != NULL;
    leave(&h);
    return are_shown;
}

static void many_rows_that_pass_are_the_same_by_bits_and_by_lists(void)
{
    static const uint64_t lengths[] = {500, 4096, 6000, 8192, 65536};
    static const wanted_index indexes[] = {{"u4", "bitmap"}, {"k", "bitmap"}};
    questions *asked = questions_that_many_rows_pass();
    char what[64];

    for (uint64_t k = 0; k < check_n_cases(3); k++) {
        const uint64_t chunk_rows = lengths[(check_random_below(2) + 2 * k) % 5];
        const char *codec = k % 3 == 0   ? "auto"
                            : k % 3 == 1 ? "none" /* nothing is to be done about them */
                                         : codecs[check_random_below(N_CODECS)];
        batch b = some_rows(MANY_ROWS - (int64_t)check_random_below(3000));
        write_file(&b, codec, chunk_rows);
        edit_file(indexes, sizeof indexes / sizeof indexes[0], NULL, 0);
        (void)snprintf(what, sizeof what, "%s, chunks of %llu", codec,
                       (unsigned long long)chunk_rows);
        all_ways_agree(asked, what);
        CHECK(k != 1 || are_shown_in_the_map("f8"));
    }
    free(asked);
}

/* --- as a judge has it ----------------------------------------------------------------------- */

enum { N_PREDICATES = 12 };

typedef struct judged {
    char where[8192];
    char rows[8192];
} judged;

/* A predicate, and the rows it leaves, decided one by one. */
static void judge(const oracle_rows *rows, judged *out)
{
    oracle_node *predicate = oracle_make((int)check_random_below(3), out->where, sizeof out->where);
    size_t at = 0;

    out->rows[0] = '\0';
    for (int64_t i = 0; i < rows->n; i++) {
        if (oracle_judge(predicate, &rows->rows[i]) == '1') {
            at += (size_t)snprintf(out->rows + at, sizeof out->rows - at, "%s%lld",
                                   at > 0 ? " | " : "", (long long)i);
        }
    }
    oracle_free(predicate);
}

static void every_way_finds_the_rows_that_a_judge_lets_pass(void)
{
    static const wanted_index indexes[] = {{"i", "minmax"}, {"t", "sorted"}, {"c", "bitmap"},
                                           {"s", "bloom"},  {"f", "minmax"}, {"u", "sorted"}};
    static oracle_rows rows;
    static judged cases[N_PREDICATES];

    for (uint64_t k = 0; k < check_n_cases(N_CODECS); k++) {
        oracle_make_rows(&rows, 1 + (int64_t)check_random_below(ORACLE_MAX_ROWS),
                         (int)check_random_below(3));
        batch b = oracle_batch(&rows);
        write_file(&b, codecs[k % N_CODECS], 1 + check_random_below(2 * ORACLE_MAX_ROWS));
        edit_file(indexes, sizeof indexes / sizeof indexes[0], NULL, 0);
        for (size_t q = 0; q < N_PREDICATES; q++) {
            judge(&rows, &cases[q]);
        }
        for (size_t w = 0; w < N_WAYS; w++) {
            home h = go(&ways[w]);
            for (size_t q = 0; q < 2 * N_PREDICATES; q++) {
                const judged *j = &cases[q / 2];
                CHECK_STR(ASK(&h, .where = j->where, .row_numbers = true, .use_indexes = q % 2 == 1,
                              .threads = ways[w].threads),
                          j->rows);
            }
            leave(&h);
        }
    }
}

/* --- tables of others ------------------------------------------------------------------------ */

/* How a foreign column is stored; chunk_rows of 0: contiguous. */
typedef struct storage {
    hsize_t chunk_rows;
    bool fletcher_first, scaleoffset, shuffle, deflate, fletcher;
} storage;

static hid_t creation_of(const storage *s, bool is_float)
{
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    if (s->chunk_rows == 0) {
        return creation;
    }
    CHECK_H5(H5Pset_chunk(creation, 1, &s->chunk_rows));
    if (s->fletcher_first) {
        CHECK_H5(H5Pset_fletcher32(creation));
    }
    if (s->scaleoffset && !is_float) { /* of floats it keeps some digits alone */
        CHECK_H5(H5Pset_scaleoffset(creation, H5Z_SO_INT, 0));
    }
    if (s->shuffle) {
        CHECK_H5(H5Pset_shuffle(creation));
    }
    if (s->deflate) {
        CHECK_H5(H5Pset_deflate(creation, 4));
    }
    if (s->fletcher) {
        CHECK_H5(H5Pset_fletcher32(creation));
    }
    return creation;
}

static void foreign_column(hid_t group, const char *name, hid_t type, const double *values,
                           hsize_t n, const storage *s)
{
    const bool is_float = H5Tget_class(type) == H5T_FLOAT;
    const hid_t creation = creation_of(s, is_float);
    const hid_t space =
        CHECK_H5(H5Screate_simple(1, &n, s->chunk_rows == 0 ? NULL : &(hsize_t){H5S_UNLIMITED}));
    const double fill = 3;

    CHECK_H5(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &fill));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(creation));
}

/* A table of whole numbers, in either byte order or now this, now that. */
static void write_foreign(const storage *s, int order)
{
    const hid_t types[][2] = {
        {H5T_STD_I8LE, H5T_STD_I8BE},     {H5T_STD_U8LE, H5T_STD_U8BE},
        {H5T_STD_I16LE, H5T_STD_I16BE},   {H5T_STD_U16LE, H5T_STD_U16BE},
        {H5T_STD_I32LE, H5T_STD_I32BE},   {H5T_STD_U32LE, H5T_STD_U32BE},
        {H5T_STD_I64LE, H5T_STD_I64BE},   {H5T_STD_U64LE, H5T_STD_U64BE},
        {H5T_IEEE_F32LE, H5T_IEEE_F32BE}, {H5T_IEEE_F64LE, H5T_IEEE_F64BE},
    };
    static const char *const names[] = {"i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"};
    static double values[MAX_ROWS];
    const uint64_t n = 1 + check_random_below(s->chunk_rows == 1 ? 60 : MAX_ROWS);
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_libver_bounds(fapl,
                                  check_random_below(2) == 0 ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V18,
                                  H5F_LIBVER_LATEST));
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("paths.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    foreign_put_ascii(group, "CLASS", "COLUMN_TABLE");
    foreign_put_ascii(group, "VERSION", "1.0");
    foreign_put(group, "NROWS", H5T_NATIVE_UINT64, &n);
    for (size_t c = 0; c < sizeof names / sizeof names[0]; c++) {
        const bool is_float = names[c][0] == 'f';
        const double shift = names[c][0] == 'u' ? 0 : 4;
        for (uint64_t i = 0; i < n; i++) {
            values[i] = is_float ? some_float() : (double)check_random_below(9) - shift;
        }
        foreign_column(group, names[c], types[c][order < 2 ? order : (int)(c % 2)], values, n, s);
    }
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(fapl));
}

static void tables_of_others_are_no_exception(void)
{
    static const storage stored[] = {
        {.chunk_rows = 0},
        {.chunk_rows = 100},
        {.chunk_rows = 64, .fletcher = true},
        {.chunk_rows = 100, .scaleoffset = true},
        {.chunk_rows = 333, .scaleoffset = true, .fletcher = true},
        {.chunk_rows = 77, .shuffle = true, .deflate = true, .fletcher = true},
        {.chunk_rows = 1, .deflate = true},
        {.chunk_rows = 5000, .fletcher_first = true, .shuffle = true, .deflate = true},
        {.chunk_rows = 256, .scaleoffset = true, .deflate = true},
    };
    questions *asked = questions_to_numbers();
    char what[64];

    for (uint64_t k = 0; k < check_n_cases(sizeof stored / sizeof stored[0]); k++) {
        const size_t which = k % (sizeof stored / sizeof stored[0]);
        const int order = (int)((k + 1) % 3); /* big-endian first */
        write_foreign(&stored[which], order);
        (void)snprintf(what, sizeof what, "foreign %zu, byte order %d", which, order);
        all_ways_agree(asked, what);
    }
    free(asked);
}

/* --- lists ----------------------------------------------------------------------------------- */

enum { MAX_LISTS = 10000, MAX_LENGTH = 20 };

/* A list column of n rows, without a mask: where some_float() is the fill, an item is missing. */
static void foreign_lists(hid_t table, const char *name, hid_t type, hsize_t n, const storage *s)
{
    static double offsets[MAX_LISTS + 1];
    static double values[MAX_LISTS * MAX_LENGTH + 1];
    const hid_t group = CHECK_H5(H5Gcreate2(table, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hsize_t n_values = 0;

    for (hsize_t i = 0; i < n; i++) {
        offsets[i] = (double)n_values;
        n_values += check_random_below(MAX_LENGTH + 1);
    }
    offsets[n] = (double)n_values;
    for (hsize_t i = 0; i <= n_values; i++) {
        values[i] = check_random_below(300) == 0 ? 3 : some_float();
    }
    foreign_put_ascii(group, "CLASS", "LIST_COLUMN");
    foreign_put_ascii(group, "KIND", "OFFSETS");
    foreign_column(group, "OFFSETS", H5T_STD_U64LE, offsets, n + 1, s);
    foreign_column(group, "VALUES", type, values, n_values + 1, s); /* one that is of no list */
    CHECK_H5(H5Gclose(group));
}

static void write_lists(const storage *s)
{
    static double rows[MAX_LISTS];
    const uint64_t n = 1 + check_random_below(MAX_LISTS);
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("paths.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    for (uint64_t i = 0; i < n; i++) {
        rows[i] = (double)check_random_below(9) - 4;
    }
    foreign_put_ascii(group, "CLASS", "COLUMN_TABLE");
    foreign_put_ascii(group, "VERSION", "1.0");
    foreign_put(group, "NROWS", H5T_NATIVE_UINT64, &n);
    foreign_column(group, "i4", H5T_STD_I32LE, rows, n, s);
    foreign_lists(group, "l4", H5T_IEEE_F32LE, n, s);
    foreign_lists(group, "l8", H5T_IEEE_F64LE, n, s);
    foreign_lists(group, "b8", H5T_IEEE_F64BE, n, s);
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
}

static void lists_are_the_same_by_every_way(void)
{
    static const storage stored[] = {
        {.chunk_rows = 0},
        {.chunk_rows = 4096},
        {.chunk_rows = 777, .shuffle = true, .deflate = true},
    };
    static const char *const predicates[] = {
        NULL,
        "sum(l8) > 0",
        "any(l4 > 0.5) and i4 > 0",
        "mean(b8) < 0 or length(l4) > 10",
        "max(l8) < i4",
    };
    questions *asked = calloc(1, sizeof *asked);
    char what[64];

    CHECK(asked != NULL);
    for (size_t p = 0; p < sizeof predicates / sizeof predicates[0]; p++) {
        question(asked, (stoa_query_options){
                            .where = predicates[p],
                            .columns = "sum(l4), sum(l8), mean(l8), sum(b8), max(l4), min(b8), "
                                       "sum(l4 * i4), length(l8), count(l4), any(l8 > i4), l4[0]"});
        question(asked, (stoa_query_options){
                            .where = predicates[p],
                            .aggregates = "count(), count(sum(l4)), max(sum(l8)), min(mean(b8))"});
    }
    for (uint64_t k = 0; k < check_n_cases(3); k++) {
        write_lists(&stored[k % 3]);
        (void)snprintf(what, sizeof what, "lists, chunks of %llu",
                       (unsigned long long)stored[k % 3].chunk_rows);
        all_ways_agree(asked, what);
    }
    free(asked);
}

TEST_MAIN(TEST(many_rows_that_pass_are_the_same_by_bits_and_by_lists),
          TEST(every_way_to_an_answer_gives_the_same_one),
          TEST(every_way_finds_the_rows_that_a_judge_lets_pass),
          TEST(tables_of_others_are_no_exception), TEST(lists_are_the_same_by_every_way))
