/* Property: what a column reader shows of any rows, in any order, are the values that were written
 * (src/column/read/reader.c), whatever type, chunk length and codec they have, read past libhdf5 or
 * by it. */
#include <stdlib.h>
#include <string.h>

#include "column/read/reader.h"
#include "table/kit.h"
#include "table/open/table.h"

enum { N_COLUMNS = 17, MAX_ROWS = 3000, N_READS = 60 };

static const char *const formats[] = {"c", "C", "s", "S",          "i",    "I",
                                      "l", "L", "b", "tdD",        "tsm:", "tss:UTC",
                                      "f", "g", "u", "dictionary", "tDn"};

/* Few different values, small and extreme ones. */
static int64_t some_integer(const char *format)
{
    const int64_t small = rand() % 7 - (strchr("CSILb", format[0]) != NULL ? 0 : 3);

    if (format[0] == 'b') {
        return rand() % 2;
    }
    if (rand() % 20 == 0 && strcmp(format, "l") == 0) {
        return rand() % 2 ? INT64_MAX : INT64_MIN;
    }
    return small < 0 && strchr("CSIL", format[0]) != NULL ? -small : small;
}

static void add_column(batch *b, int64_t i, const char *name, int64_t n)
{
    static int64_t integers[MAX_ROWS];
    static double floats[MAX_ROWS];
    static const char *texts[MAX_ROWS];
    static bool valid[MAX_ROWS];
    static const char *const words[] = {"ada", "grace", "", "emmy", NULL};
    const int holes = rand() % 3; /* none, some, many missing */

    for (int64_t row = 0; row < n; row++) {
        valid[row] = holes == 0 || rand() % (holes == 1 ? 50 : 2) != 0;
        integers[row] = some_integer(formats[i]);
        floats[row] = (rand() % 1000 - 500) / 4.0;
        texts[row] = valid[row] ? words[rand() % 4] : NULL;
    }
    if (formats[i][0] == 'f' || formats[i][0] == 'g') {
        batch_floats(b, i, name, formats[i], floats, valid);
    } else if (formats[i][0] == 'u') {
        batch_strings(b, i, name, texts);
    } else if (strcmp(formats[i], "dictionary") == 0) {
        batch_categories(b, i, name, texts);
    } else {
        batch_integers(b, i, name, formats[i], integers, valid);
    }
}

/* A table of every type, in a file that is closed again; the values, the caller's. */
static batch make_table(int64_t n, uint64_t chunk_rows, const char *codec)
{
    batch written[2];
    const unsigned seed = (unsigned)check_random_below(1000000);
    stoa_column_options storage = {.chunk_rows = chunk_rows, .codec = codec};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;

    for (int k = 0; k < 2; k++) { /* one to write, one to keep */
        srand(seed);
        written[k] = batch_begin(N_COLUMNS, n);
        for (int64_t i = 0; i < N_COLUMNS; i++) {
            add_column(&written[k], i, (char[]){'c', (char)('a' + i), '\0'}, n);
        }
    }
    options.columns = &storage;
    options.n_columns = 1;
    const hid_t file = new_file();
    write_batches(file, "/t", &written[0], 1, &options);
    H5Fclose(file);
    return written[1];
}

static void check_column(stoa_column *column, const stoa_view *expected, int64_t n, bool slow)
{
    stoa_column_reader reader = {0};
    stoa_error err = STOA_ERROR_INIT;
    stoa_view view;

    CHECK_OK(stoa_column_reader_open(&reader, column, NULL, false, NULL, &err), &err);
    CHECK((reader.direct == NULL) == slow);
    for (int k = 0; k < N_READS; k++) {
        const int64_t first = (int64_t)check_random_below((uint64_t)n);
        const uint64_t left = (uint64_t)(n - first);
        const int64_t count =
            1 + (int64_t)check_random_below(check_random_below(2) != 0 ? left : (left + 9) / 10);
        int64_t n_null = 0;
        CHECK_OK(stoa_column_reader_rows(&reader, (uint64_t)first, (uint64_t)count, &view, &err),
                 &err);
        CHECK_I64(view.length, count);
        for (int64_t i = 0; i < count; i++) {
            n_null += stoa_view_is_null(&view, i);
            CHECK_STR(value_text(&view, i), value_text(expected, first + i));
        }
        CHECK_I64(view.null_count, n_null);
    }
    CHECK_STATUS(STOA_ERANGE, stoa_column_reader_rows(&reader, (uint64_t)n, 1, &view, &err), &err);
    stoa_column_reader_close(&reader);
}

/* Every column against what was written: past libhdf5, then by it. */
static void check_file(const batch *expected, int64_t n, bool slow)
{
    const hid_t file = H5Fopen(check_path("t.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    stoa_table *table = open_table(file, "/t");
    stoa_error err = STOA_ERROR_INIT;
    stoa_view rows;
    stoa_view values;

    CHECK_OK(stoa_view_of(&expected->schema, &expected->array, &rows, &err), &err);
    for (int64_t i = 0; i < N_COLUMNS; i++) {
        CHECK_OK(stoa_view_child(&rows, i, &values, &err), &err);
        check_column(table->columns[i], &values, n, slow);
    }
    stoa_table_close(table);
    H5Fclose(file);
}

static void check_table(int64_t n, uint64_t chunk_rows, const char *codec)
{
    batch expected = make_table(n, chunk_rows, codec);

    check_file(&expected, n, false);
    CHECK(setenv("STOA_SLOW", "1", 1) == 0);
    check_file(&expected, n, true);
    CHECK(unsetenv("STOA_SLOW") == 0);
    stoa_schema_release(&expected.schema);
    stoa_array_release(&expected.array);
}

static void a_reader_shows_what_was_written(void)
{
    static const char *const codecs[] = {"auto", "none", "deflate"};

    for (uint64_t k = 0; k < check_n_cases(6); k++) {
        const int64_t n = 1 + (int64_t)check_random_below(MAX_ROWS);
        check_table(n, 1 + check_random_below(700), codecs[k % 3]);
    }
}

TEST_MAIN(TEST(a_reader_shows_what_was_written))
