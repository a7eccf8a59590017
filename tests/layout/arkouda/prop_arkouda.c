/* Strings, lists, categories and numbers over random sets of files are those of a naive model,
 * however they are cut into files, batches and threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stoa/stoa.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "support/arkouda.h"
#include "support/check.h"

enum { MAX_FILES = 5, LONG = 300000 };

/* All rows of a set. A row's number makes its bool, its wide integer and its category, too. */
typedef struct model {
    size_t n;
    int64_t *numbers;
    char **texts;
    size_t *lengths;
    size_t *n_items; /* of the list of a row: the numbers row, row + 1 ... */
} model;

static model random_model(size_t n)
{
    model m = {.n = n};

    m.numbers = calloc(n + 8, sizeof *m.numbers);
    m.texts = calloc(n + 1, sizeof *m.texts);
    m.lengths = calloc(n + 1, sizeof *m.lengths);
    m.n_items = calloc(n + 1, sizeof *m.n_items);
    for (size_t i = 0; i < n; i++) {
        const uint64_t chance = check_random_below(20000);
        m.numbers[i] = (int64_t)check_random();
        m.n_items[i] = check_random_below(4);
        m.lengths[i] = chance == 0 ? LONG + chance : check_random_below(3) * check_random_below(20);
        m.texts[i] = malloc(m.lengths[i] + 1);
        memset(m.texts[i], 'a' + (int)(i % 26), m.lengths[i]);
    }
    return m;
}

static void free_model(model *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->texts[i]);
    }
    free(m->numbers);
    free(m->texts);
    free(m->lengths);
    free(m->n_items);
}

static void put_texts(hid_t file, const model *m, size_t first, size_t n, bool has_offsets)
{
    int64_t *const starts = calloc(n + 1, sizeof *starts);
    size_t n_text = 0;

    for (size_t i = 0; i < n; i++) {
        starts[i] = (int64_t)n_text;
        n_text += m->lengths[first + i] + 1;
    }
    char *const text = calloc(n_text + 1, 1);
    for (size_t i = 0; i < n; i++) {
        memcpy(text + starts[i], m->texts[first + i], m->lengths[first + i]);
    }
    arkouda_put_strings(file, "s", n, has_offsets ? starts : NULL, text, n_text);
    free(starts);
    free(text);
}

static void put_lists(hid_t file, const model *m, size_t first, size_t n)
{
    int64_t *const starts = calloc(n + 1, sizeof *starts);
    int64_t *const items = calloc(4 * n + 1, sizeof *items);
    const hid_t group = arkouda_group(file, "l", 3);
    size_t n_items = 0;

    for (size_t i = 0; i < n; i++) {
        starts[i] = (int64_t)n_items;
        for (size_t k = 0; k < m->n_items[first + i]; k++) {
            items[n_items++] = m->numbers[first + i + k];
        }
    }
    arkouda_put_i64(group, "values", n_items, items);
    arkouda_put_i64(group, "segments", n, starts);
    CHECK_H5(H5Gclose(group));
    free(starts);
    free(items);
}

enum { LABELS = 3 }; /* and one for none */

static void put_wide(hid_t file, const uint64_t *numbers, size_t n)
{
    uint64_t *const high = calloc(n + 1, sizeof *high);
    const hid_t group = arkouda_group(file, "w", 1);

    for (size_t i = 0; i < n; i++) {
        high[i] = ~numbers[i];
    }
    arkouda_say(group, "isBigInt", 1);
    arkouda_say(group, "NumLimbs", 2);
    arkouda_put_u64(group, "Limb_0", n, numbers);
    arkouda_put_u64(group, "Limb_1", n, high);
    CHECK_H5(H5Gclose(group));
    free(high);
}

static void put_categories(hid_t file, const uint64_t *numbers, size_t n, bool has_labels)
{
    static const int64_t none = LABELS;
    static const int64_t starts[] = {0, 2, 3, 7};
    int64_t *const codes = calloc(n + 1, sizeof *codes);
    const hid_t group = arkouda_group(file, "c", 4);

    for (size_t i = 0; i < n; i++) {
        codes[i] = (int64_t)(numbers[i] % (LABELS + 1));
    }
    arkouda_put_i64(group, "codes", n, codes);
    arkouda_put_i64(group, "NA_Codes", has_labels, &none);
    arkouda_put_strings(group, "categories", has_labels ? LABELS + 1 : 0, starts, "a\0\0ccc\0N/A",
                        has_labels ? 11 : 0);
    CHECK_H5(H5Gclose(group));
    free(codes);
}

static void put_bools(hid_t file, const uint64_t *numbers, size_t n)
{
    uint8_t *const bools = calloc(n + 1, 1);

    for (size_t i = 0; i < n; i++) {
        bools[i] = numbers[i] % 2 == 1;
    }
    arkouda_put_bools(file, "b", n, bools);
    free(bools);
}

/* Rows [first, first + n) as a file of the set; the first file has the labels. */
static void put_file(const char *name, const model *m, size_t first, size_t n, bool has_offsets,
                     bool is_first)
{
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    CHECK_H5(file);
    arkouda_say(file, "File_Format", 1);
    arkouda_put_i64(file, "i", n, m->numbers + first);
    put_texts(file, m, first, n, has_offsets);
    put_lists(file, m, first, n);
    const uint64_t *const numbers = (const uint64_t *)m->numbers + first;
    put_wide(file, numbers, n);
    put_categories(file, numbers, n, is_first);
    put_bools(file, numbers, n);
    CHECK_H5(H5Fclose(file));
}

/* Any cuts, empty files among them; the name of the first file. */
static const char *make_set(const model *m, size_t n_files)
{
    static char name[4096];
    const bool has_offsets = check_random_below(3) > 0;
    size_t first = 0;

    for (size_t k = 0; k < n_files; k++) {
        const size_t left = m->n - first;
        const size_t n = k + 1 == n_files ? left : (size_t)check_random_below(left + 1);
        (void)snprintf(name, sizeof name, "set_LOCALE%04zu.h5", k);
        put_file(check_path(name), m, first, n, has_offsets, k == 0);
        first += n;
    }
    for (size_t k = n_files; k < MAX_FILES; k++) { /* of the set before */
        (void)snprintf(name, sizeof name, "set_LOCALE%04zu.h5", k);
        (void)unlink(check_path(name));
    }
    return check_path("set_LOCALE0000.h5");
}

enum { NUMBERS, TEXTS, LISTS, WIDE, CATEGORIES, BOOLS, N_COLUMNS };

/* What a row's number makes. */
static void check_made(uint64_t number, const stoa_view *columns, int64_t i)
{
    static const char *const labels[] = {"a", "", "ccc"};
    const uint64_t wide[] = {number, ~number};
    const uint64_t code = number % (LABELS + 1);
    stoa_view names;
    size_t length = 0;

    CHECK(stoa_view_i64(&columns[BOOLS], i) == (int64_t)(number % 2));
    const uint8_t *const bytes = columns[WIDE].values;
    CHECK(memcmp(bytes + (size_t)(columns[WIDE].offset + i) * sizeof wide, wide, sizeof wide) == 0);
    CHECK(stoa_view_is_null(&columns[CATEGORIES], i) == (code == LABELS));
    if (code != LABELS) {
        CHECK_OK(stoa_view_dictionary(&columns[CATEGORIES], &names, NULL));
        const int64_t at = stoa_view_i64(&columns[CATEGORIES], i);
        const char *const label = stoa_view_bytes(&names, at, &length);
        CHECK_U64(length, strlen(labels[code]));
        CHECK(memcmp(label, labels[code], length) == 0);
    }
}

static void check_row(const model *m, size_t row, const stoa_view *columns, int64_t i)
{
    stoa_view items;
    size_t length = 0;
    int64_t first = 0;
    int64_t n = 0;

    CHECK_I64(stoa_view_i64(&columns[NUMBERS], i), m->numbers[row]);
    const char *const text = stoa_view_bytes(&columns[TEXTS], i, &length);
    CHECK_U64(length, m->lengths[row]);
    CHECK(memcmp(text, m->texts[row], length) == 0);
    stoa_view_range(&columns[LISTS], i, &first, &n);
    CHECK_U64((uint64_t)n, m->n_items[row]);
    CHECK_OK(stoa_view_child(&columns[LISTS], 0, &items, NULL));
    for (int64_t k = 0; k < n; k++) {
        CHECK_I64(stoa_view_i64(&items, first + k), m->numbers[row + (size_t)k]);
    }
    check_made((uint64_t)m->numbers[row], columns, i);
}

/* A batch of a struct of them all; the rows after it. */
static size_t check_batch(const model *m, size_t row, const struct ArrowSchema *schema,
                          const struct ArrowArray *batch)
{
    stoa_view whole;
    stoa_view columns[N_COLUMNS];

    CHECK_OK(stoa_view_of(schema, batch, &whole, NULL));
    for (int64_t c = 0; c < N_COLUMNS; c++) {
        CHECK_OK(stoa_view_child(&whole, c, &columns[c], NULL));
    }
    for (int64_t i = 0; i < whole.length; i++) {
        check_row(m, row++, columns, i);
    }
    return row;
}

static void check_query(stoa_table *table, const model *m, unsigned threads)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_query *query = NULL;
    stoa_error err = STOA_ERROR_INIT;
    size_t row = 0;

    options.threads = threads;
    CHECK_OK(stoa_query_open(table, &options, &query, &err), &err);
    CHECK_OK(stoa_query_run(query, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    for (;;) {
        CHECK_OK(stoa_stream_next(&stream, &batch, &err), &err);
        if (batch.release == NULL) {
            break;
        }
        row = check_batch(m, row, &schema, &batch);
        stoa_array_release(&batch);
    }
    CHECK_U64(row, m->n);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_query_close(query);
}

/* Any rows of a column, by themselves. */
static void check_texts(stoa_column *column, const model *m)
{
    const size_t first = (size_t)check_random_below(m->n + 1);
    const size_t n = (size_t)check_random_below(m->n - first + 1);
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;

    CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
    CHECK_OK(stoa_column_read(column, first, n, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    for (size_t i = 0; i < n; i++) {
        size_t length = 0;
        const char *const text = stoa_view_bytes(&view, (int64_t)i, &length);
        CHECK_U64(length, m->lengths[first + i]);
        CHECK(memcmp(text, m->texts[first + i], length) == 0);
    }
    stoa_array_release(&array);
    stoa_schema_release(&schema);
}

static void sets_of_files_are_their_rows_in_order(void)
{
    for (uint64_t i = check_n_cases(12); i > 0; i--) {
        const size_t n = (size_t)check_random_below(i % 3 == 0 ? 150000 : 300);
        model m = random_model(n);
        const char *const name = make_set(&m, 1 + (size_t)check_random_below(MAX_FILES));
        stoa_file *file = NULL;
        stoa_table *table = NULL;
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(stoa_file_open(name, STOA_FILE_READ, &file, &err), &err);
        CHECK_OK(stoa_table_open(stoa_file_id(file), "/i,s,l,w,c,b", &table, &err), &err);
        CHECK_U64(stoa_table_n_rows(table), n);
        check_query(table, &m, 1);
        check_query(table, &m, 3);
        check_texts(stoa_table_column(table, 1), &m);
        stoa_table_close(table);
        stoa_file_close(file);
        free_model(&m);
    }
}

TEST_MAIN(TEST(sets_of_files_are_their_rows_in_order))
