/* Properties of whole tables: whatever is written, in however many batches and appends, is read
 * back (HEP001 §8.5, §11.2), and the table stays conformant. */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "support/batches.h"
#include "support/check.h"

enum { MAX_ROWS = 300, N_COLUMNS = 9 };

/* The model: what each cell should say, as value_text() says it. */
typedef struct model {
    char cells[N_COLUMNS][MAX_ROWS][STOA_NUMBER_SIZE];
    int64_t n_rows;
} model;

static const char *const names[N_COLUMNS] = {"i8", "i64", "u8", "u64", "f4", "f8", "s", "c", "b"};

/* Values that touch every edge: sentinels, extremes, zeros of both signs, NaN, infinities. */
static int64_t edgy_integer(int64_t low, int64_t high)
{
    switch (check_random_below(6)) {
    case 0:
        return low;
    case 1:
        return high;
    case 2:
        return low + 1;
    case 3:
        return high - 1;
    default:
        return low + (int64_t)(check_random() % (((uint64_t)high - (uint64_t)low) / 2 + 1));
    }
}

static double edgy_float(void)
{
    static const double edges[] = {0.0, -0.0, NAN, INFINITY, 9.9692099683868690e+36, 1.5, -1e30};

    return edges[check_random_below(sizeof edges / sizeof edges[0])];
}

static const char *edgy_string(void)
{
    static const char *const edges[] = {
        "",      "a",         "\x1a", "\x15",
        "ab cd", "trailing ", "ünï",  "a much longer string than all the others"};

    return edges[check_random_below(sizeof edges / sizeof edges[0])];
}

/* How wild a run is: tame ones never need a rewrite. */
static batch random_batch(model *m, int64_t n, unsigned wildness)
{
    batch b = batch_begin(N_COLUMNS, n);
    int64_t integers[MAX_ROWS];
    double floats[MAX_ROWS];
    const char *strings[MAX_ROWS];
    bool valid[MAX_ROWS];
    static const char *const formats[] = {"c", "l", "C", "L", "f", "g", "u", "i", "b"};

    for (int c = 0; c < N_COLUMNS; c++) {
        for (int64_t i = 0; i < n; i++) {
            char *cell = m->cells[c][m->n_rows + i];
            const bool is_wild = wildness > 0 && check_random_below(8) < wildness;
            valid[i] = check_random_below(5) != 0;
            integers[i] = (int64_t)check_random_below(100);
            floats[i] = is_wild ? edgy_float() : (double)check_random_below(1000) / 4;
            strings[i] = valid[i] ? (is_wild ? edgy_string() : "plain") : NULL;
            if (is_wild) {
                /* The 64-bit columns keep one end free: without any, no fill value is left. */
                static const int64_t lows[] = {INT8_MIN, INT64_MIN + 1, 0, 1};
                static const int64_t highs[] = {INT8_MAX, INT64_MAX, UINT8_MAX, INT64_MAX};
                integers[i] = c < 4 ? edgy_integer(lows[c], highs[c]) : integers[i];
            }
            if (c == 3 && is_wild) {
                integers[i] = -1; /* uint64's sentinel */
            } else if (c == 3) {
                integers[i]++; /* 0 stays free to be the fill */
            }
            if (c == 8) {
                integers[i] &= 1;
            }
            if (!valid[i]) {
                (void)snprintf(cell, sizeof m->cells[0][0], "null");
            } else if (c < 4 || c == 8) {
                char text[STOA_NUMBER_SIZE];
                (void)(c == 3 ? stoa_format_u64((uint64_t)integers[i], text)
                              : stoa_format_i64(integers[i], text));
                (void)snprintf(cell, sizeof m->cells[0][0], "%s", text);
            } else if (c < 6) {
                char text[STOA_NUMBER_SIZE];
                (void)stoa_format_f64(c == 4 ? (double)(float)floats[i] : floats[i], text);
                (void)snprintf(cell, sizeof m->cells[0][0], "%s", text);
            } else {
                (void)snprintf(cell, sizeof m->cells[0][0], "'%.36s'", strings[i]);
            }
        }
        if (c < 4 || c == 8) {
            batch_integers(&b, c, names[c], formats[c], integers, valid);
        } else if (c < 6) {
            batch_floats(&b, c, names[c], formats[c], floats, valid);
        } else if (c == 6) {
            batch_strings(&b, c, names[c], strings);
        } else {
            batch_categories(&b, c, names[c], strings);
        }
    }
    m->n_rows += n;
    return b;
}

static void compare(stoa_table *table, const model *m)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_U64(stoa_table_n_rows(table), (uint64_t)m->n_rows);
    for (int c = 0; c < N_COLUMNS; c++) {
        stoa_column *column = stoa_table_find(table, names[c]);
        CHECK(column != NULL);
        CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
        CHECK_OK(stoa_column_read(column, 0, (uint64_t)m->n_rows, &array, &err), &err);
        CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
        for (int64_t i = 0; i < m->n_rows; i++) {
            char text[64];
            const char *found = value_text(&view, i);
            if (c >= 6 && c < 8 && found[0] == '\'') {
                (void)snprintf(text, sizeof text, "'%.*s'",
                               (int)(strlen(found) - 2 < 36 ? strlen(found) - 2 : 36), found + 1);
                found = text;
            }
            if (strcmp(found, m->cells[c][i]) != 0) {
                FAIL("column %s, row %lld: %s where %s was written", names[c], (long long)i, found,
                     m->cells[c][i]);
            }
        }
        stoa_array_release(&array);
        stoa_schema_release(&schema);
    }
}

static bool print_finding(void *context, const stoa_finding *finding)
{
    (void)context;
    if (strcmp(finding->level, "MUST") == 0) {
        (void)fprintf(stderr, "%s: %s §%s: %s\n", finding->path, finding->level, finding->section,
                      finding->message);
    }
    return true;
}

static void what_is_written_and_appended_is_read_back(void)
{
    const uint64_t n_cases = check_n_cases(150);
    static model m;

    for (uint64_t k = 0; k < n_cases; k++) {
        const unsigned wildness = (unsigned)check_random_below(4);
        const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
        struct ArrowArrayStream stream;
        stoa_error err = STOA_ERROR_INIT;
        stoa_table *table = NULL;
        stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
        const char *const index_columns[] = {"s", "i8"};
        const stoa_column_index indexes[] = {
            {"i64", NULL}, {"f8", "minmax"}, {"s", "minmax"}, {"c", "CHUNK_MINMAX"}};
        const stoa_column_options storage[] = {
            {NULL, check_random_below(2) ? "none" : "auto", 1 + check_random_below(80)},
            {"f8", NULL, STOA_CONTIGUOUS}};
        batch batches[4];
        const size_t n_batches = 1 + check_random_below(3);

        memset(&m, 0, sizeof m);
        CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
        const hid_t file = H5Fcreate(check_path("p.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        H5Pclose(fapl);
        for (size_t i = 0; i < n_batches; i++) {
            batches[i] = random_batch(&m, (int64_t)check_random_below(40), wildness);
        }
        options.index_columns = index_columns;
        options.n_index_columns = check_random_below(3);
        options.indexes = indexes;
        options.n_indexes = check_random_below(5);
        options.columns = storage;
        options.n_columns = check_random_below(3);
        options.preallocate_rows = check_random_below(2) * 100;
        stream_of(batches, n_batches, &stream);
        CHECK_OK(stoa_table_write(file, "/t", &stream, &options, NULL, &err), &err);
        stoa_stream_release(&stream);
        CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
        compare(table, &m);
        for (uint64_t a = check_random_below(4); a > 0; a--) {
            batch b = random_batch(&m, (int64_t)check_random_below(40), wildness);
            stream_of(&b, 1, &stream);
            CHECK_OK(stoa_table_append(table, &stream, NULL, NULL, &err), &err);
            stoa_stream_release(&stream);
            compare(table, &m);
        }
        stoa_table_close(table);
        CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
        compare(table, &m);
        stoa_table_close(table);
        stoa_check_options check = STOA_CHECK_OPTIONS_INIT;
        check.indexes = true;
        uint64_t n_must = 0;
        CHECK_OK(stoa_check(file, "/t", &check, print_finding, NULL, &n_must, NULL, &err), &err);
        CHECK_U64(n_must, 0);
        H5Fclose(file);
    }
}

TEST_MAIN(TEST(what_is_written_and_appended_is_read_back))
