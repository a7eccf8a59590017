/* src/column/read/learned_dictionary.c beneath src/query/: a column of fixed-length strings that a
 * table has learned answers as one of a table that was just opened does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/read/learned_dictionary.h"
#include "column/read/reader.h"
#include "foreign.h"
#include "support/sweep.h"
#include "table/open/table.h"
#include "tables.h"

/* Three chunks and a half; rows of the dataset behind those of the table, and a chunk of which
 * nothing was ever written. */
enum { CHUNK = 2000, N = 3 * CHUNK + 500, EXTENT = N + 700, UNWRITTEN = 1, LONGEST = 20 };

/* Files -------------------------------------------------------------------------------------- */

typedef struct texts {
    size_t size;
    H5T_str_t padding;
    size_t n_labels;
    bool has_fill;
    bool has_garbage; /* behind the end of NULLTERM texts */
} texts;

/* Labels are numbers in words of two letters, from the front: "", "a", "b", "ab" and the like, and
 * not too long for the column. */
static void write_label(const texts *t, size_t label, char *to)
{
    const size_t last = t->padding == H5T_STR_NULLTERM ? t->size - 1 : t->size;
    size_t n = 0;

    memset(to, t->padding == H5T_STR_SPACEPAD ? ' ' : 0, t->size);
    for (size_t left = label; left > 0 && n < last; left = (left - 1) / 10) {
        to[n++] = (char)('a' + (left - 1) % 10);
    }
    if (t->has_garbage && n + 1 < t->size) {
        to[t->size - 1] = (char)('p' + check_random_below(3));
    }
}

static void put_rows(hid_t dataset, hid_t type, const char *rows, size_t size)
{
    for (hsize_t first = 0; first < EXTENT; first += CHUNK) {
        const hsize_t n = EXTENT - first < CHUNK ? EXTENT - first : CHUNK;
        const hid_t file = CHECK_H5(H5Dget_space(dataset));
        const hid_t memory = CHECK_H5(H5Screate_simple(1, &n, NULL));
        if (first != (hsize_t)UNWRITTEN * CHUNK) {
            CHECK_H5(H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &n, NULL));
            CHECK_H5(H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, rows + first * size));
        }
        CHECK_H5(H5Sclose(memory));
        CHECK_H5(H5Sclose(file));
    }
}

static void put_column(hid_t group, const char *name, hid_t type, const char *fill,
                       const char *rows)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){EXTENT}, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){CHUNK}));
    CHECK_H5(H5Pset_shuffle(dcpl));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(dcpl, type, fill));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    put_rows(dataset, type, rows, H5Tget_size(type));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

static void put_texts(hid_t group, const char *name, const texts *t)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    char *rows = malloc(EXTENT * t->size);
    char fill[LONGEST];

    CHECK(rows != NULL);
    for (size_t i = 0; i < EXTENT; i++) {
        write_label(t, check_random_below(t->n_labels), rows + i * t->size);
    }
    write_label(t, check_random_below(t->n_labels), fill);
    CHECK_H5(H5Tset_size(type, t->size));
    CHECK_H5(H5Tset_strpad(type, t->padding));
    put_column(group, name, type, t->has_fill ? fill : NULL, rows);
    free(rows);
    CHECK_H5(H5Tclose(type));
}

/* Columns `a` and `b` of texts, and `v` of numbers. */
static const char *write_table(const texts *a, const texts *b)
{
    const char *path = check_path("lexicon.h5");
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    int32_t *v = malloc(EXTENT * sizeof *v);

    CHECK(v != NULL);
    for (int32_t i = 0; i < EXTENT; i++) {
        v[i] = (int32_t)check_random_below(1000);
    }
    foreign_put_ascii(group, "CLASS", "COLUMN_TABLE");
    foreign_put_ascii(group, "VERSION", "1.0");
    foreign_put(group, "NROWS", H5T_NATIVE_UINT64, &(uint64_t){N});
    put_texts(group, "a", a);
    put_texts(group, "b", b);
    put_column(group, "v", H5T_NATIVE_INT32, NULL, (const char *)v);
    free(v);
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
    return path;
}

static home open_home(const char *path, unsigned flags)
{
    stoa_error err = STOA_ERROR_INIT;
    home h = {.file = CHECK_H5(H5Fopen(path, flags, H5P_DEFAULT))};

    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    return h;
}

static bool has_learned(const home *h, size_t column)
{
    const stoa_learned_dictionary *learned_dictionary = NULL;

    CHECK_OK(stoa_learned_dictionary_of(h->table->columns[column], &learned_dictionary, NULL));
    return learned_dictionary != NULL;
}

/* Which columns are learned ------------------------------------------------------------------ */

static const texts few = {6, H5T_STR_NULLPAD, 30, true, false};
static const texts many = {8, H5T_STR_NULLPAD, 100000, false, false};

static void a_column_is_learned_when_it_is_read_for_the_second_time(void)
{
    home h = open_home(write_table(&few, &few), H5F_ACC_RDONLY);

    CHECK(!has_learned(&h, 0));
    for (int i = 0; i < 2; i++) {
        CHECK(!has_learned(&h, 0));
        (void)ASK(&h, .aggregates = "count()", .where = "a = 'ab'", .threads = 2);
    }
    CHECK(has_learned(&h, 0));
    CHECK(!has_learned(&h, 1)); /* nobody has read it */
    home_leave(&h);
}

static void rows_that_are_not_read_are_not_learned(void)
{
    home h = open_home(write_table(&few, &few), H5F_ACC_RDONLY);

    for (int i = 0; i < 4; i++) {
        (void)ASK_FIRST(3, &h, .columns = "a");
        CHECK(!has_learned(&h, 0));
    }
    home_leave(&h);
}

/* More than a quarter of the rows have a text of their own. */
static void a_column_of_many_texts_is_not_learned(void)
{
    home h = open_home(write_table(&many, &few), H5F_ACC_RDONLY);

    for (int i = 0; i < 4; i++) {
        (void)ASK(&h, .aggregates = "count(a), count(b)", .by = "a, b");
    }
    CHECK(!has_learned(&h, 0));
    CHECK(has_learned(&h, 1));
    home_leave(&h);
}

static void a_table_that_may_change_learns_nothing(void)
{
    home h = open_home(write_table(&few, &few), H5F_ACC_RDWR);

    for (int i = 0; i < 4; i++) {
        (void)ASK(&h, .aggregates = "count()", .by = "a");
    }
    CHECK(!has_learned(&h, 0));
    home_leave(&h);
}

/* An index of its texts knows nothing of codes. */
static void a_column_that_has_an_index_is_not_learned(void)
{
    stoa_error err = STOA_ERROR_INIT;
    home h = open_home(write_table(&few, &few), H5F_ACC_RDWR);

    CHECK_OK(stoa_index_add(h.table, "a", "bitmap", NULL, &err), &err);
    home_leave(&h);
    h = open_home(check_path("lexicon.h5"), H5F_ACC_RDONLY);
    for (int i = 0; i < 4; i++) {
        CHECK_CONTAINS(
            EXPLAIN(&h, .aggregates = "count()", .where = "a = 'ab'", .use_indexes = true),
            "BITMAP");
        (void)ASK(&h, .aggregates = "count()", .by = "a, b");
    }
    CHECK(!has_learned(&h, 0));
    CHECK(has_learned(&h, 1));
    home_leave(&h);
}

/* What they answer --------------------------------------------------------------------------- */

/* Each with one order of its rows. */
static const stoa_query_options questions[] = {
    {.aggregates = "count(), sum(v)", .where = "a = 'ab'"},
    {.aggregates = "count(), sum(v)", .where = "not a < 'c' or b in ('a', 'b', 'cb')"},
    {.aggregates = "count()", .where = "a is null"},
    {.aggregates = "count()", .where = "b is not null and a like '%b%' and v > 300"},
    {.aggregates = "count()", .where = "a = b"},
    {.aggregates = "count()", .where = "lower(a) = 'ab' or length(b) > 2"},
    {.aggregates = "count(a), count(b), distinct(a), min(a), max(b), first(a), last(b)"},
    {.aggregates = "count(b), distinct(b), min(b), max(b), first(b), last(b)",
     .by = "a",
     .sort = "a"},
    {.aggregates = "count(), mean(v)", .by = "a, b", .sort = "a desc, b"},
    {.aggregates = "count()", .by = "length(a) as n", .sort = "n"},
    {.aggregates = "count()", .by = "a", .where = "b > 'b' and v < 100", .sort = "a"},
    {.columns = "a, b, v", .where = "v < 10"},
    {.columns = "b, a, b as again", .where = "a >= 'b'", .sort = "b, a desc, v"},
    {.columns = "v, upper(a), length(b)", .sort = "a, v desc"},
    {.columns = "a", .sort = "a desc"},
};

static stoa_query_options some_question(void)
{
    const size_t n = sizeof questions / sizeof questions[0];
    stoa_query_options q = questions[check_random_below(n)];

    q.size = sizeof q;
    return q;
}

static void check_question(const char *path, home *kept)
{
    stoa_query_options q = some_question();
    home fresh = open_home(path, H5F_ACC_RDONLY);
    const int64_t limit = check_random_below(3) == 0 ? 17 : -1;

    q.threads = 1;
    char *expected = strdup(ask(&fresh, &q, limit));
    CHECK(expected != NULL);
    home_leave(&fresh);
    CHECK_STR(ask(kept, &q, limit), expected);
    q.threads = 8;
    CHECK_STR(ask(kept, &q, limit), expected);
    free(expected);
}

static texts some_texts(void)
{
    static const H5T_str_t paddings[] = {H5T_STR_NULLTERM, H5T_STR_NULLPAD, H5T_STR_SPACEPAD};
    static const size_t n_labels[] = {1, 5, 200, 700, 100000};
    texts t = {.size = 1 + check_random_below(check_random_below(2) == 0 ? 8 : LONGEST),
               .padding = paddings[check_random_below(3)],
               .n_labels = n_labels[check_random_below(5)],
               .has_fill = check_random_below(2) == 0};

    t.has_garbage = t.padding == H5T_STR_NULLTERM && check_random_below(3) == 0;
    return t;
}

static void answers_are_those_of_a_table_that_was_just_opened(void)
{
    for (uint64_t k = 0; k < check_n_cases(10); k++) {
        const texts a = some_texts();
        const texts b = some_texts();
        const char *path = write_table(&a, &b);
        home kept = open_home(path, H5F_ACC_RDONLY);
        for (int i = 0; i < 25; i++) {
            check_question(path, &kept);
        }
        home_leave(&kept);
    }
}

/* Codes of two bytes from the chunk on in which the texts become too many for one. */
static void codes_grow_as_texts_are_learned(void)
{
    const texts more = {7, H5T_STR_SPACEPAD, 1200, false, false};
    home h = open_home(write_table(&more, &few), H5F_ACC_RDONLY);
    const stoa_learned_dictionary *learned_dictionary = NULL;

    (void)ASK(&h, .aggregates = "distinct(a)", .threads = 8);
    (void)ASK(&h, .aggregates = "distinct(a)", .threads = 8);
    CHECK_OK(stoa_learned_dictionary_of(h.table->columns[0], &learned_dictionary, NULL));
    CHECK(learned_dictionary != NULL);
    CHECK_U64(stoa_learned_dictionary_width(learned_dictionary), 2);
    home_leave(&h);
}

static void read_at_random(home *h, const stoa_learned_dictionary *learned_dictionary, bool keeps)
{
    stoa_column *column = h->table->columns[0];
    stoa_column_reader plain = {.column = NULL};
    stoa_column_reader coded = {.column = NULL};
    stoa_error err = STOA_ERROR_INIT;
    stoa_view a;
    stoa_view b;

    CHECK_OK(stoa_column_reader_open(&plain, column, NULL, false, NULL, &err), &err);
    CHECK_OK(stoa_column_reader_open(&coded, column, learned_dictionary, false, NULL, &err), &err);
    coded.keeps_codes = keeps;
    for (int k = 0; k < 60; k++) {
        const uint64_t first = check_random_below(N);
        const uint64_t left = N - first;
        const uint64_t n =
            1 + check_random_below(check_random_below(2) != 0 ? left : left / 10 + 1);
        CHECK_OK(stoa_column_reader_rows(&plain, first, n, &a, &err), &err);
        CHECK_OK(stoa_column_reader_rows(&coded, first, n, &b, &err), &err);
        CHECK_I64(b.length, a.length);
        CHECK_I64(b.null_count, a.null_count);
        for (int64_t i = 0; i < a.length; i++) {
            CHECK_STR(value_text(&b, i), value_text(&a, i));
        }
    }
    stoa_column_reader_close(&coded);
    stoa_column_reader_close(&plain);
}

/* Where there is no room for them, or where they were driven out. */
static void codes_that_are_not_kept_are_found_anew(void)
{
    for (uint64_t k = 0; k < check_n_cases(6); k++) {
        const texts some = {1 + k * 3 % LONGEST, H5T_STR_NULLPAD, k % 2 == 0 ? 900 : 40, k < 3,
                            false};
        const char *path = write_table(&some, &few);
        home learned = open_home(path, H5F_ACC_RDONLY);
        const stoa_learned_dictionary *learned_dictionary = NULL;
        (void)ASK(&learned, .aggregates = "distinct(a)");
        (void)ASK(&learned, .aggregates = "distinct(a)");
        CHECK_OK(stoa_learned_dictionary_of(learned.table->columns[0], &learned_dictionary, NULL));
        CHECK(learned_dictionary != NULL);
        read_at_random(&learned, learned_dictionary, false);
        read_at_random(&learned, learned_dictionary, true);
        /* Another table's readers have none of them. */
        home other = open_home(path, H5F_ACC_RDONLY);
        (void)ASK(&other, .aggregates = "distinct(a)");
        home_leave(&other);
        home_leave(&learned);
    }
}

/* A table of rows as HDF5's own library keeps them: members of a compound, picked out of chunks. */
static home open_rows(const texts *t)
{
    const char *path = check_path("rows.h5");
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    const size_t size = t->size + sizeof(int32_t);
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, size));
    char *rows = calloc(N, size);
    home h = {.table = NULL};
    stoa_error err = STOA_ERROR_INIT;

    CHECK(rows != NULL);
    for (int32_t i = 0; i < N; i++) {
        const int32_t v = i % 1000;
        write_label(t, check_random_below(t->n_labels), rows + (size_t)i * size);
        memcpy(rows + (size_t)i * size + t->size, &v, sizeof v);
    }
    CHECK_H5(H5Tset_size(text, t->size));
    CHECK_H5(H5Tset_strpad(text, t->padding));
    CHECK_H5(H5Tinsert(type, "a", 0, text));
    CHECK_H5(H5Tinsert(type, "v", t->size, H5T_NATIVE_INT32));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){CHUNK}));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "t", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    foreign_put_ascii(dataset, "CLASS", "TABLE");
    foreign_put_ascii(dataset, "VERSION", "3.0");
    foreign_put_ascii(dataset, "TITLE", "rows");
    free(rows);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    h.file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_OK(stoa_table_open(h.file, "/t", &h.table, &err), &err);
    return h;
}

static void rows_of_compounds_are_learned_too(void)
{
    const texts t = {9, H5T_STR_NULLTERM, 150, false, true};
    home h = open_rows(&t);
    char *expected = strdup(ASK(&h, .aggregates = "count(), sum(v)", .by = "a", .sort = "a"));

    CHECK(expected != NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_STR(ASK(&h, .aggregates = "count(), sum(v)", .by = "a", .sort = "a", .threads = 8),
                  expected);
    }
    CHECK(has_learned(&h, 0));
    free(expected);
    home_leave(&h);
}

static const char *swept;

/* Rows of all groups together. */
static int64_t count_rows(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    stoa_view counts;
    int64_t n = 0;

    CHECK_OK(stoa_view_of(schema->children[1], array->children[1], &counts, NULL));
    for (int64_t i = 0; i < counts.length; i++) {
        n += stoa_view_i64(&counts, i);
    }
    return n;
}

static stoa_status count_by_text(stoa_table *table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_query *query = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    int64_t n = 0;

    STOA_TRY(stoa_query_open(table,
                             OPTIONS(.aggregates = "count()", .by = "a", .limit = -1, .threads = 1),
                             &query, err));
    STOA_TRY(stoa_query_run(query, &stream, err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, err));
    do {
        stoa_array_release(&array);
        STOA_TRY(stoa_stream_next(&stream, &array, err));
        n += array.release != NULL ? count_rows(&schema, &array) : 0;
    } while (array.release != NULL);
    CHECK_I64(n, N);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
    return status;
}

static stoa_status ask_again_and_again(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    const hid_t file = CHECK_H5(H5Fopen(swept, H5F_ACC_RDONLY, H5P_DEFAULT));

    STOA_TRY(stoa_hep001_open(file, "/t", &table, err));
    for (int i = 0; i < 3; i++) {
        STOA_TRY(count_by_text(table, err));
    }

done:
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
    return status;
}

/* What is not learned for want of memory is read as it is. */
static void memory_that_runs_out_costs_no_answer(void)
{
    swept = write_table(&few, &few);
    CHECK(sweep_memory_throughout(ask_again_and_again) > 50);
}

/* It is no label's fault that no row that passes has it. */
static void what_would_fail_for_other_rows_does_not(void)
{
    const texts words = {4, H5T_STR_NULLPAD, 300, false, false};
    home h = open_home(write_table(&words, &few), H5F_ACC_RDONLY);

    for (int i = 0; i < 4; i++) {
        CHECK_STR(ASK(&h, .aggregates = "max(length(a) * 4000000000000000000)",
                      .where = "a = 'b' or a = 'c'"),
                  "4000000000000000000");
        CHECK_CONTAINS(ASK(&h, .aggregates = "max(length(a) * 4000000000000000000)"), "overflow");
    }
    CHECK(has_learned(&h, 0));
    home_leave(&h);
}

TEST_MAIN(TEST(a_column_is_learned_when_it_is_read_for_the_second_time),
          TEST(rows_that_are_not_read_are_not_learned), TEST(a_column_of_many_texts_is_not_learned),
          TEST(a_table_that_may_change_learns_nothing),
          TEST(a_column_that_has_an_index_is_not_learned),
          TEST(answers_are_those_of_a_table_that_was_just_opened),
          TEST(codes_grow_as_texts_are_learned), TEST(codes_that_are_not_kept_are_found_anew),
          TEST(rows_of_compounds_are_learned_too), TEST(memory_that_runs_out_costs_no_answer),
          TEST(what_would_fail_for_other_rows_does_not))
