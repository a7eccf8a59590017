/* Columns of strings that are kept as categories, and show it to nobody (docs/hep001.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/kit.h"
#include "table/write/string_categories.h"

/* What a model of a column holds. */
typedef struct strings {
    char **texts; /* NULL: missing */
    size_t n;
} strings;

static void add(strings *s, const char *text)
{
    if ((s->n & (s->n - 1)) == 0) { /* as many as there is room for */
        s->texts = realloc(s->texts, (s->n != 0 ? 2 * s->n : 1) * sizeof *s->texts);
        CHECK(s->texts != NULL);
    }
    s->texts[s->n++] = text != NULL ? strdup(text) : NULL;
}

static void clear(strings *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->texts[i]);
    }
    free(s->texts);
    *s = (strings){NULL, 0};
}

/* Column "s" of rows [first, first + n). */
static batch batch_of(const strings *s, size_t first, size_t n)
{
    batch b = batch_begin(1, (int64_t)n);

    batch_strings(&b, 0, "s", (const char *const *)s->texts + first);
    return b;
}

/* All of it, in batches of so many rows. */
static void write_strings(hid_t file, const strings *s, size_t rows,
                          const stoa_table_options *options)
{
    batch batches[64];
    size_t n = 0;

    for (size_t first = 0; first < s->n; first += rows) {
        CHECK(n < 64);
        batches[n++] = batch_of(s, first, s->n - first < rows ? s->n - first : rows);
    }
    write_batches(file, "/t", batches, n, options);
}

static void expect_strings(stoa_table *table, const strings *s)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
    stoa_error err = STOA_ERROR_INIT;
    stoa_column *column = stoa_table_find(table, "s");

    CHECK_U64(stoa_table_n_rows(table), s->n);
    CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
    CHECK_STR(schema.format, "u");
    CHECK(schema.dictionary == NULL);
    CHECK_OK(stoa_column_read(column, 0, s->n, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    for (size_t i = 0; i < s->n; i++) {
        size_t length = 0;
        CHECK(stoa_view_is_null(&view, (int64_t)i) == (s->texts[i] == NULL));
        if (s->texts[i] != NULL) {
            const char *text = stoa_view_bytes(&view, (int64_t)i, &length);
            CHECK_U64(length, strlen(s->texts[i]));
            CHECK(memcmp(text, s->texts[i], length) == 0);
        }
    }
    stoa_array_release(&array);
    stoa_schema_release(&schema);
}

/* Whether the file has codes and labels: a foreign reader's view of it. */
static bool is_coded_in(hid_t file)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/s", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    const bool has_codes = H5Tget_class(type) == H5T_INTEGER;

    CHECK((H5Lexists(file, "/t/CATEGORIES", H5P_DEFAULT) > 0) == has_codes);
    CHECK((H5Aexists(dataset, "CATEGORIES") > 0) == has_codes);
    CHECK((H5Aexists(dataset, "stoa_arrow_type") > 0) == has_codes);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
    return has_codes;
}

static hsize_t n_labels_in(hid_t file)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/CATEGORIES/s__CATEGORIES", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hssize_t n = H5Sget_simple_extent_npoints(space);

    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    return (hsize_t)n;
}

/* What is written is read; whether it was coded. */
static bool is_coded(const strings *s, size_t rows, const stoa_table_options *options)
{
    const hid_t file = new_file();
    stoa_table *table;

    write_strings(file, s, rows, options);
    const bool coded = is_coded_in(file);
    table = open_table(file, "/t");
    expect_strings(table, s);
    check_conformant(file, "/t");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
    return coded;
}

static strings repeated(const char *const *labels, size_t n_labels, size_t n)
{
    strings s = {NULL, 0};

    for (size_t i = 0; i < n; i++) {
        add(&s, labels[i % n_labels]);
    }
    return s;
}

/* Numbers as texts, from `low` on. */
static void add_numbers(strings *s, unsigned low, unsigned n)
{
    char text[32];

    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, "%u", low + i);
        add(s, text);
    }
}

static void few_strings_are_codes_in_the_file_and_strings_to_arrow(void)
{
    static const char *const labels[] = {"b", "a", "", NULL, "ünï"};
    strings s = repeated(labels, 5, 20); /* each four times: the least that pays */
    strings less = repeated(labels, 5, 19);

    CHECK(is_coded(&s, 20, NULL));
    CHECK(is_coded(&s, 7, NULL));
    CHECK(!is_coded(&less, 19, NULL));
    CHECK(!is_coded(&less, 7, NULL));
    clear(&less);
    clear(&s);
}

static void nothing_but_missing_values_is_plain(void)
{
    static const char *const labels[] = {NULL};
    strings s = repeated(labels, 1, 20);

    CHECK(!is_coded(&s, 20, NULL));
    CHECK(!is_coded(&s, 6, NULL));
    add_numbers(&s, 1, 1);
    add_numbers(&s, 1, 1);
    add_numbers(&s, 1, 1);
    add_numbers(&s, 1, 1);
    CHECK(is_coded(&s, 6, NULL)); /* the labels come in the last batch */
    clear(&s);
}

static void a_table_without_rows_is_plain(void)
{
    strings s = {NULL, 0};
    const hid_t file = new_file();
    batch b = batch_of(&s, 0, 0);

    write_batches(file, "/t", &b, 1, NULL);
    CHECK(!is_coded_in(file));
    CHECK_H5(H5Fclose(file));
}

static void whoever_wants_plain_strings_gets_them(void)
{
    static const char *const labels[] = {"muon", "electron"};
    strings s = repeated(labels, 2, 40);
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    stoa_column_options column = {.column = "s"};

    options.plain_strings = true;
    CHECK(!is_coded(&s, 40, &options));
    CHECK(!is_coded(&s, 9, &options));
    options.size = offsetof(stoa_table_options, plain_strings); /* of a caller who knows no such */
    CHECK(is_coded(&s, 40, &options));
    options = (stoa_table_options)STOA_TABLE_OPTIONS_INIT;
    options.columns = &column;
    options.n_columns = 1;
    column.codec = "none";
    CHECK(!is_coded(&s, 40, &options));
    column.codec = "deflate";
    CHECK(is_coded(&s, 40, &options));
    column.codec = "small";
    CHECK(is_coded(&s, 40, &options));
    column.codec = "auto";
    CHECK(is_coded(&s, 40, &options));
    column.chunk_rows = STOA_CONTIGUOUS;
    CHECK(!is_coded(&s, 40, &options));
    clear(&s);
}

static void a_column_whose_strings_come_to_differ_goes_on_as_strings(void)
{
    static const char *const labels[] = {"few", NULL, "", "labels"};
    strings s = repeated(labels, 4, 3000);

    add_numbers(&s, 0, STOA_CATEGORIES_LABELS - 3); /* as many as may be, less one */
    add_numbers(&s, 5, 3);
    CHECK(!is_coded(&s, 30000, NULL)); /* too rare, at the end */
    add_numbers(&s, STOA_CATEGORIES_LABELS, 20);
    add_numbers(&s, 5, 3);
    CHECK(!is_coded(&s, 30000, NULL)); /* too many, before that */
    clear(&s);
}

static void a_book_takes_as_many_labels_as_it_may(void)
{
    strings s = {NULL, 0};
    stoa_categories book;
    stoa_stored_form codes = {.validity = NULL};
    stoa_view rows;
    stoa_view values;
    stoa_error err = STOA_ERROR_INIT;

    add_numbers(&s, 0, 3);
    add_numbers(&s, 0, 3);
    for (uint64_t most = 2; most < 4; most++) {
        batch b = batch_of(&s, 0, s.n);
        CHECK_OK(stoa_view_of(&b.schema, &b.array, &rows, &err), &err);
        CHECK_OK(stoa_view_child(&rows, 0, &values, &err), &err);
        CHECK_OK(stoa_categories_start(values.schema, &book, &err), &err);
        stoa_categories_limit(&book, most, UINT64_MAX);
        CHECK_OK(stoa_stored_form_of(NULL, &values, &book, &codes, &err), &err);
        CHECK(book.is_over == (most == 2));
        CHECK_U64(book.labels.count, most);
        stoa_stored_form_clear(&codes);
        stoa_categories_clear(&book);
        CHECK_OK(stoa_categories_start(values.schema, &book, &err), &err);
        stoa_categories_limit(&book, UINT64_MAX, most); /* bytes: each label is one */
        CHECK_OK(stoa_stored_form_of(NULL, &values, &book, &codes, &err), &err);
        CHECK(book.is_over == (most == 2));
        stoa_stored_form_clear(&codes);
        stoa_categories_clear(&book);
        batch_end(&b);
    }
    clear(&s);
}

static void long_strings_are_counted_by_their_bytes(void)
{
    strings s = {NULL, 0};
    enum { LENGTH = 65536, N = 130 }; /* of 128 that fit into 8 MiB */
    char *text = malloc(LENGTH + 1);

    CHECK(text != NULL);
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    for (int k = 0; k < 4 * N; k++) {
        text[0] = (char)('a' + k % N % 26);
        text[1] = (char)('a' + k % N / 26);
        add(&s, text);
        if (k == 4 * 26 - 1) {
            CHECK(is_coded(&s, 10, NULL) == false); /* 104 different ones, each once */
        }
    }
    CHECK(!is_coded(&s, 40, NULL));
    clear(&s);
    for (int k = 0; k < 4 * 26; k++) {
        text[0] = (char)('a' + k % 26);
        add(&s, text);
    }
    CHECK(is_coded(&s, 40, NULL));
    free(text);
    clear(&s);
}

/* `n` strings of `width` bytes each, which may be any. */
static batch batch_of_bytes(const char *bytes, int64_t n, int32_t width)
{
    batch b = batch_begin(1, n);
    int32_t *offsets = stoa_alloc((size_t)n + 1, sizeof *offsets);
    char *values = stoa_alloc((size_t)n, (size_t)width);

    for (int64_t i = 0; i <= n; i++) {
        offsets[i] = (int32_t)i * width;
    }
    memcpy(values, bytes, (size_t)n * (size_t)width);
    void *const buffers[] = {NULL, offsets, values};
    CHECK_OK(stoa_schema_make(b.schema.children[0], "s", "u", NULL));
    CHECK_OK(stoa_array_make(b.array.children[0], n, 0, 3, buffers, NULL));
    return b;
}

static void bytes_that_labels_cannot_have_stay_as_they_were(void)
{
    static const char inside[] = "a\0ba\0ba\0ba\0b";
    static const char last[] = "a\0a\0a\0a";
    const hid_t file = new_file();
    batch b = batch_of_bytes(inside, 4, 3);
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    write_batches(file, "/t", &b, 1, NULL);
    CHECK(!is_coded_in(file));
    stoa_table *table = open_table(file, "/t");
    EXPECT(table, "s", "'a'", "'a'", "'a'", "'a'"); /* as far as a C string goes */
    stoa_table_close(table);
    b = batch_of_bytes(last, 4, 2);
    stream_of(&b, 1, &stream);
    CHECK_U64(stoa_table_write(file, "/u", &stream, NULL, NULL, &err), STOA_ELOSS);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(file));
}

static void appended_strings_are_added_to_the_labels(void)
{
    static const char *const labels[] = {"b", "a", NULL};
    strings s = repeated(labels, 3, 30);
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;

    write_strings(file, &s, 30, NULL);
    stoa_table *table = open_table(file, "/t");
    const size_t n_old = s.n;
    add(&s, "c");
    add(&s, NULL);
    add(&s, "a");
    add(&s, "a label longer than those before");
    batch b = batch_of(&s, n_old, s.n - n_old);
    CHECK_OK(append(table, &b, &err), &err);
    expect_strings(table, &s);
    CHECK(is_coded_in(file));
    CHECK_U64(n_labels_in(file), 4);
    check_conformant(file, "/t");

    /* However many they become: a table that is appended to keeps its form. */
    const size_t n_before = s.n;
    add_numbers(&s, 0, STOA_CATEGORIES_LABELS + 10);
    b = batch_of(&s, n_before, s.n - n_before);
    CHECK_OK(append(table, &b, &err), &err);
    expect_strings(table, &s);
    CHECK(is_coded_in(file));
    CHECK_U64(n_labels_in(file), 4 + STOA_CATEGORIES_LABELS + 10);
    stoa_table_close(table);

    table = open_table(file, "/t");
    expect_strings(table, &s);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
    clear(&s);
}

/* Append what no categories dataset is to take in; `max_labels` stands for what a file can hold. */
static stoa_status append_past(stoa_table *table, const strings *s, size_t first,
                               uint64_t max_labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_appender appender = {.table = table};
    batch b = batch_of(s, first, s->n - first);

    STOA_TRY(stoa_appender_begin(table, &appender, err));
    stoa_texts_limit(&appender);
    stoa_categories_limit(&appender.books[0].book, max_labels, UINT64_MAX);
    STOA_TRY(stoa_appender_match(&appender, &b.schema, err));
    STOA_TRY(stoa_appender_add(&appender, &b.schema, &b.array, err));
    STOA_TRY(stoa_appender_finish(&appender, 0, err));
    STOA_TRY(stoa_table_commit(table, appender.n_rows, err));

done:
    if (status != STOA_OK) {
        stoa_appender_abort(&appender);
    }
    stoa_appender_clear(&appender);
    batch_end(&b);
    return status;
}

static void a_code_book_that_no_file_could_hold_ends_an_appended_column(void)
{
    static const char *const labels[] = {"b", "a", NULL};
    strings s = repeated(labels, 3, 30);
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    static const stoa_column_index index = {"s", "minmax"};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;

    options.indexes = &index;
    options.n_indexes = 1;
    options.index_columns = (const char *[]){"s"};
    options.n_index_columns = 1;
    write_strings(file, &s, 30, &options);
    CHECK(is_coded_in(file));
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_table_annotate(table, "s", "description", "who", &err), &err);
    add_numbers(&s, 0, 10);
    CHECK_OK(append_past(table, &s, 30, 7, &err), &err);
    CHECK(!is_coded_in(file));
    expect_strings(table, &s);
    check_conformant(file, "/t");
    stoa_table_close(table);
    table = open_table(file, "/t");
    expect_strings(table, &s);
    struct ArrowSchema schema;
    const char *text;
    size_t length;
    CHECK_OK(stoa_column_schema(stoa_table_find(table, "s"), &schema, &err), &err);
    CHECK(stoa_schema_get(&schema, "description", &text, &length) && length == 3);
    stoa_schema_release(&schema);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
    clear(&s);
}

static void the_command_makes_them_categories_and_plain_strings(void)
{
    static const char *const labels[] = {"b", "a", NULL, ""};
    strings s = repeated(labels, 4, 40);
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema schema;

    write_strings(file, &s, 40, NULL);
    stoa_table *table = open_table(file, "/t");
    CHECK_U64(stoa_column_relabel(table, "s", (const char *[]){"a", "b", ""}, 3, true, NULL, &err),
              STOA_ETYPE);
    CHECK_OK(stoa_column_categorize(table, "s", true, NULL, &err), &err);
    CHECK_OK(stoa_column_schema(stoa_table_find(table, "s"), &schema, &err), &err);
    CHECK(schema.dictionary != NULL);
    stoa_schema_release(&schema);
    check_conformant(file, "/t");
    CHECK_OK(stoa_column_categorize(table, "s", false, NULL, &err), &err);
    expect_strings(table, &s);
    CHECK(!is_coded_in(file));
    stoa_table_close(table);

    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    options.replace = true;
    write_strings(file, &s, 40, &options);
    CHECK(is_coded_in(file));
    table = open_table(file, "/t");
    CHECK_OK(stoa_column_categorize(table, "s", false, NULL, &err), &err);
    expect_strings(table, &s);
    CHECK(!is_coded_in(file));
    check_conformant(file, "/t");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
    clear(&s);
}

static void rows_are_updated_and_deleted_as_those_of_strings(void)
{
    static const char *const labels[] = {"b", "a", NULL, "c"};
    strings s = repeated(labels, 4, 16);
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    uint64_t n = 0;

    write_strings(file, &s, 16, NULL);
    stoa_table *table = open_table(file, "/t");
    const stoa_assignment fresh = {"s", "'not seen before'"};
    const stoa_assignment known = {"s", "'a'"};
    const stoa_assignment number = {"s", "1"};
    CHECK_OK(stoa_table_update(table, "s = 'b'", &fresh, 1, NULL, &n, &err), &err);
    CHECK_U64(n, 4);
    CHECK_OK(stoa_table_update(table, "s is null", &known, 1, NULL, &n, &err), &err);
    CHECK_U64(n, 4);
    CHECK_U64(stoa_table_update(table, NULL, &number, 1, NULL, &n, &err), STOA_ETYPE);
    CHECK(strstr(err.message, "of string") != NULL);
    for (size_t i = 0; i < s.n; i++) {
        free(s.texts[i]);
        s.texts[i] = strdup(i % 4 == 0 ? "not seen before" : i % 4 == 3 ? "c" : "a");
    }
    expect_strings(table, &s);
    CHECK(is_coded_in(file));
    CHECK_OK(stoa_table_delete(table, "s = 'a'", NULL, &n, &err), &err);
    CHECK_U64(n, 8);
    clear(&s);
    s = repeated((const char *[]){"not seen before", "c"}, 2, 8);
    expect_strings(table, &s);
    check_conformant(file, "/t");
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
    clear(&s);
}

static void a_foreign_word_for_the_type_says_nothing(void)
{
    static const char *const labels[] = {"b", "a"};
    strings s = repeated(labels, 2, 16);
    const hid_t file = new_file();
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowSchema schema;

    write_strings(file, &s, 16, NULL);
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/s", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    CHECK_H5(H5Tset_size(type, 5));
    CHECK_H5(H5Adelete(dataset, "stoa_arrow_type"));
    const hid_t attr =
        CHECK_H5(H5Acreate2(dataset, "stoa_arrow_type", type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attr, type, "utf9"));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
    stoa_table *table = open_table(file, "/t");
    CHECK_OK(stoa_column_schema(stoa_table_find(table, "s"), &schema, &err), &err);
    CHECK(schema.dictionary != NULL);
    stoa_schema_release(&schema);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
    clear(&s);
}

/* Memory -------------------------------------------------------------------------------------- */

/* Two batches of which the second has what no label can hold, or labels that are rare. */
static stoa_status write_failing_at(hid_t file, bool is_rare, uint64_t n, stoa_error *err)
{
    static const char *const labels[] = {"b", "a", NULL, "c", "d", "e", "f", "g"};
    struct ArrowArrayStream stream;
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b[2] = {batch_begin(1, 8)};

    options.replace = true;
    options.threads = 1;
    batch_strings(&b[0], 0, "s", labels);
    b[1] = is_rare ? batch_of_bytes("xy", 2, 1) : batch_of_bytes("a\0ba\0b", 2, 3);
    stream_of(b, 2, &stream);
    stoa_memory_fail_after(n);
    const stoa_status status = stoa_table_write(file, "/t", &stream, &options, NULL, err);
    stoa_memory_fail_after(UINT64_MAX);
    stoa_stream_release(&stream);
    return status;
}

static stoa_status read_failing_at(stoa_table *table, uint64_t n, stoa_error *err)
{
    struct ArrowArray array = {.release = NULL};

    stoa_memory_fail_after(n);
    const stoa_status status =
        stoa_column_read(stoa_table_find(table, "s"), 0, stoa_table_n_rows(table), &array, err);
    stoa_memory_fail_after(UINT64_MAX);
    stoa_array_release(&array);
    return status;
}

static void the_way_out_and_the_reading_fail_whole_where_memory_runs_out(void)
{
    static const char *const labels[] = {"b", "a", NULL};
    strings s = repeated(labels, 3, 30);
    const hid_t file = new_file();
    uint64_t n = 0;

    for (int k = 0; k < 2; k++) {
        stoa_status status = STOA_ENOMEM;
        write_strings(file, &s, 30,
                      &(stoa_table_options){.size = sizeof(stoa_table_options), .replace = true});
        for (n = 0; status != STOA_OK; n++) {
            stoa_error err = STOA_ERROR_INIT;
            status = write_failing_at(file, k == 1, n, &err);
            if (status != STOA_OK) {
                CHECK_STATUS(STOA_ENOMEM, status, &err);
                stoa_table *table = open_table(file, "/t");
                expect_strings(table, &s);
                stoa_table_close(table);
            }
        }
        CHECK(n > 100);
        CHECK(!is_coded_in(file));
        check_conformant(file, "/t");
    }

    write_strings(file, &s, 30,
                  &(stoa_table_options){.size = sizeof(stoa_table_options), .replace = true});
    stoa_table *table = open_table(file, "/t");
    size_t n_failed = 0;
    for (n = 0; n < 100; n++) { /* some it does without */
        stoa_error err = STOA_ERROR_INIT;
        const stoa_status status = read_failing_at(table, n, &err);
        n_failed += status != STOA_OK;
        CHECK(status == STOA_OK || status == STOA_ENOMEM);
    }
    CHECK(n_failed > 5);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
    clear(&s);
}

TEST_MAIN(TEST(few_strings_are_codes_in_the_file_and_strings_to_arrow),
          TEST(nothing_but_missing_values_is_plain), TEST(a_table_without_rows_is_plain),
          TEST(whoever_wants_plain_strings_gets_them),
          TEST(a_column_whose_strings_come_to_differ_goes_on_as_strings),
          TEST(a_book_takes_as_many_labels_as_it_may),
          TEST(long_strings_are_counted_by_their_bytes),
          TEST(bytes_that_labels_cannot_have_stay_as_they_were),
          TEST(appended_strings_are_added_to_the_labels),
          TEST(a_code_book_that_no_file_could_hold_ends_an_appended_column),
          TEST(the_command_makes_them_categories_and_plain_strings),
          TEST(rows_are_updated_and_deleted_as_those_of_strings),
          TEST(a_foreign_word_for_the_type_says_nothing),
          TEST(the_way_out_and_the_reading_fail_whole_where_memory_runs_out))
