/*
 * However a CSV file is cut into blocks and whoever reads them, what it says is the same; and it is
 * what a parser says that knows no blocks. For src/layout/csv/text.c, csv/read.c, csv/grid.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "layout/csv_kit.h"
#include "support/check.h"

enum { ROOM = 16384, MAX_CELLS = 4096, N_COLUMNS = 3 };

/* A text in the making. */
typedef struct writing {
    char text[ROOM];
    size_t n;
} writing;

static void put(writing *w, const char *bytes, size_t n)
{
    CHECK(w->n + n <= sizeof w->text);
    memcpy(w->text + w->n, bytes, n);
    w->n += n;
}

static const char *pick(const char *const *items, size_t n)
{
    return items[check_random_below(n)];
}
#define PICK(items) pick(items, sizeof(items) / sizeof *(items))

/* Values for one column each: some kinds mix, and then the whole column is something else. */
static const char *const kinds[][12] = {
    {"0", "1", "-1", "127", "-127", "-128", "100000", "-32767", "7", "8", "9", ""},
    {"1.5", "0.1", "-2.25", "3", "", "1e5", "nan", "-0", "100", "5.", ".5", "0.000001"},
    {"2001-01-01", "1969-12-31", "2001-01-02", "", "2000-02-29", "1900-01-01", "2001-01-01",
     "2001-01-01", "2001-01-01", "2001-01-01", "2001-01-01", "2001-01-01"},
    {"2001-01-01T00:00:00", "1969-12-31 23:59:59", "2001-01-01T00:00:00.5", "", "2001-01-01",
     "2001-01-01T00:00", "2001-01-01T00:00:00", "2001-01-01T00:00:00.123456", "2001-01-01",
     "2001-01-01", "2001-01-01", "2001-01-01"},
    {"true", "false", "", "TRUE", "true", "true", "true", "true", "true", "true", "true", "true"},
    {"muon", "electron", "photon", "tau", "\"\"", "", "\"a,b\"", "\"x\"\"y\"", "\"l\nf\"",
     "\"c\r\nl\"", "gr\xc3\xbcn", "a text of more than sixteen bytes"},
    {"NA", "na", "\"NA\"", "-999", "1", "2", "3", "4", "5", "6", "7", ""},
    {"9007199254740992", "9007199254740993", "0.5", "18446744073709551615", "-9223372036854775808",
     "9223372036854775807", "1", "1", "007", "+5", "2", "3"},
    {"2001-01-01T00:00:00Z", "2001-01-01T00:00:00", "2001-01-01T01:00:00+01:00",
     "2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "", "2001-01-01T00:00:00Z",
     "2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z",
     "2001-01-01T00:00:00Z"},
    {"nan", "inf", "-inf", "9.969209968386869e+36", "1.5", "2.5", "", "nan", "inf", "-inf", "1",
     "2"},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* What goes wrong in files, one time in many. */
static const char *const faults[] = {
    "x\"y", "\"x\"y", "1,2", "\xff", "\"\xff\"", "\"open", "\xc3",
};

/* Rows, mostly sound. `n_used`: only so many values of each kind occur, so that columns differ. */
static void draw_file(writing *w, unsigned fault_in)
{
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    const char *end = PICK(ends);
    size_t kind[N_COLUMNS];
    size_t n_used[N_COLUMNS];

    w->n = 0;
    for (int k = 0; k < N_COLUMNS; k++) {
        kind[k] = check_random_below(N_KINDS);
        n_used[k] = 1 + check_random_below(12);
    }
    if (check_random_below(4) == 0) {
        put(w, "\xef\xbb\xbf", 3);
    }
    put(w, "a,b,c", 5);
    put(w, end, strlen(end));
    for (uint64_t rows = check_random_below(120); rows > 0; rows--) {
        const char *this_end = check_random_below(50) == 0 ? PICK(ends) : end;
        if (check_random_below(60) == 0) {
            put(w, end, strlen(end)); /* a blank line */
        }
        for (int k = 0; k < N_COLUMNS; k++) {
            const char *value = kinds[kind[k]][check_random_below(n_used[k])];
            if (fault_in != 0 && check_random_below(fault_in) == 0) {
                value = PICK(faults);
            }
            put(w, value, strlen(value));
            if (k + 1 < N_COLUMNS) {
                put(w, ",", 1);
            }
        }
        if (rows > 1 || check_random_below(2) == 0) {
            put(w, this_end, strlen(this_end));
        }
    }
}

static const char *nulls[] = {"NA", "-999"};

static stoa_csv_options base_options(void)
{
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;

    options.null_texts = nulls;
    options.n_null_texts = 2;
    options.on_error = (stoa_csv_on_error)check_random_below(3);
    options.batch_rows = 1 + check_random_below(100);
    return options;
}

/* Schema, rows and errors as one text, or the failure. */
static char *outcome(const char *path, const stoa_csv_options *options)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_csv *csv;
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    CHECK(out != NULL);
    if (stoa_csv_open(path, options, &csv, &err) != STOA_OK) {
        /* Where fields may be shorter, a broken quote is rather a field that is too long. */
        char *cut = strstr(err.message, "quote") != NULL ? strrchr(err.message, ':') : NULL;
        if (cut != NULL) {
            *cut = '\0';
        }
        (void)fprintf(out, "%d %s", (int)err.status, err.message);
        CHECK(fclose(out) == 0);
        return text;
    }
    CHECK_OK(stoa_csv_stream(csv, &stream, &err), &err);
    const char *rows = kit_stream_text(&stream, STOA_TEXT_JSONL);
    (void)fprintf(out, "%llu errors\n%s", (unsigned long long)stoa_csv_n_errors(csv), rows);
    stoa_csv_close(csv);
    (void)fprintf(out, "%s", kit_schema(path, options));
    CHECK(fclose(out) == 0);
    return text;
}

static void check_same(const writing *w, const char *expected, const char *path,
                       const stoa_csv_options *options)
{
    char *found = outcome(path, options);

    if (strcmp(found, expected) != 0) {
        FAIL("blocks of %zu, %u threads, fields of %zu:\n%.*s\nbecame\n%s\ninstead of\n%s",
             options->block_bytes, options->threads, options->max_field_bytes, (int)w->n, w->text,
             found, expected);
    }
    free(found);
}

/* The one-block reader with a longest field takes the slow way: a block is longer than that. */
static void check_file(const writing *w)
{
    const char *path = kit_file("t.csv", w->text, w->n);
    stoa_csv_options options = base_options();

    options.threads = 1;
    options.block_bytes = ROOM;
    options.max_field_bytes = 64;
    char *expected = outcome(path, &options);
    options.max_field_bytes = 0;
    check_same(w, expected, path, &options);
    options.block_bytes = 1 + check_random_below(64);
    check_same(w, expected, path, &options);
    options.threads = 8;
    check_same(w, expected, path, &options);
    options.block_bytes = 1 + check_random_below(1000);
    check_same(w, expected, path, &options);
    options.max_field_bytes = 64;
    check_same(w, expected, path, &options);
    free(expected);
}

static void sound_files_read_the_same_in_any_blocks(void)
{
    static writing w;

    for (uint64_t left = check_n_cases(300); left > 0; left--) {
        draw_file(&w, 0);
        check_file(&w);
    }
}

static void broken_files_read_the_same_in_any_blocks(void)
{
    static writing w;

    for (uint64_t left = check_n_cases(300); left > 0; left--) {
        draw_file(&w, 1 + (unsigned)check_random_below(300));
        check_file(&w);
    }
}

/* Against a naive parser ---------------------------------------------------------------------- */

typedef struct cell {
    char text[64];
    bool is_missing;
} cell;

/* The cells behind the header, or the line where the first thing is wrong. */
typedef struct reference {
    cell cells[MAX_CELLS];
    size_t n;
    size_t bad_line; /* 0: none */
} reference;

/* A field of `text` from `*i` on: false if its quotes are wrong. */
static bool read_cell(const writing *w, size_t *i, cell *c, size_t *line)
{
    size_t n = 0;

    c->is_missing = false;
    if (*i < w->n && w->text[*i] == '"') {
        for (++*i;; ++*i) {
            if (*i == w->n) {
                return false;
            }
            if (w->text[*i] == '"' && (*i + 1 == w->n || w->text[*i + 1] != '"')) {
                ++*i;
                break;
            }
            *i += w->text[*i] == '"';
            *line += w->text[*i] == '\n' ||
                     (w->text[*i] == '\r' && (*i + 1 == w->n || w->text[*i + 1] != '\n'));
            c->text[n++] = w->text[*i];
        }
    } else {
        while (*i < w->n && strchr(",\r\n\"", w->text[*i]) == NULL) {
            c->text[n++] = w->text[(*i)++];
        }
        c->is_missing = n == 0;
    }
    c->text[n] = '\0';
    return *i == w->n || strchr(",\r\n", w->text[*i]) != NULL;
}

static void skip_line_end(const writing *w, size_t *i, size_t *line)
{
    if (*i < w->n) {
        *i += w->text[*i] == '\r' && *i + 1 < w->n && w->text[*i + 1] == '\n' ? 2 : 1;
        ++*line;
    }
}

static void read_reference(const writing *w, reference *r)
{
    size_t i = w->n >= 3 && memcmp(w->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t line = 1;

    r->n = 0;
    r->bad_line = 0;
    i += 5; /* a,b,c */
    skip_line_end(w, &i, &line);
    while (i < w->n) {
        const size_t first_line = line;
        size_t n = 0;
        if (w->text[i] == '\n' || w->text[i] == '\r') {
            skip_line_end(w, &i, &line);
            continue;
        }
        for (;; i++) {
            const size_t field_line = line;
            if (!read_cell(w, &i, &r->cells[r->n + n], &line)) {
                r->bad_line = field_line;
                return;
            }
            n++;
            if (i == w->n || w->text[i] != ',') {
                break;
            }
        }
        if (n != N_COLUMNS) {
            r->bad_line = first_line;
            return;
        }
        r->n += n;
        skip_line_end(w, &i, &line);
    }
}

/* All columns as strings: cell by cell. */
static void compare(const reference *r, struct ArrowArrayStream *stream)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray batch;
    size_t row = 0;

    for (;;) {
        CHECK_OK(stoa_stream_next(stream, &batch, &err), &err);
        if (batch.release == NULL) {
            break;
        }
        for (int64_t i = 0; i < batch.length; i++, row++) {
            for (int k = 0; k < N_COLUMNS; k++) {
                const struct ArrowArray *column = batch.children[k];
                const cell *c = &r->cells[row * N_COLUMNS + (size_t)k];
                const int32_t *offsets = column->buffers[1];
                const bool is_missing =
                    column->null_count > 0 && !stoa_bit_get(column->buffers[0], (uint64_t)i);
                CHECK(is_missing == c->is_missing);
                CHECK_U64((uint64_t)(offsets[i + 1] - offsets[i]), strlen(c->text));
                CHECK_MEM((const char *)column->buffers[2] + offsets[i], c->text, strlen(c->text));
            }
        }
        stoa_array_release(&batch);
    }
    CHECK_U64(row * N_COLUMNS, r->n);
}

static void check_against_reference(const writing *w, const reference *r)
{
    static const stoa_csv_pair types[] = {{"a", "string"}, {"b", "string"}, {"c", "string"}};
    const char *path = kit_file("t.csv", w->text, w->n);
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_csv *csv;

    options.types = types;
    options.n_types = N_COLUMNS;
    options.block_bytes = 1 + check_random_below(200);
    options.threads = 1 + (unsigned)check_random_below(3);
    if (r->bad_line != 0) {
        char wanted[32];
        (void)snprintf(wanted, sizeof wanted, "line %zu", r->bad_line);
        CHECK_STATUS(STOA_ESYNTAX, stoa_csv_open(path, &options, &csv, &err), &err);
        CHECK_CONTAINS(err.message, wanted);
        return;
    }
    CHECK_OK(stoa_csv_open(path, &options, &csv, &err), &err);
    CHECK_OK(stoa_csv_stream(csv, &stream, &err), &err);
    compare(r, &stream);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
}

/* Faults of quotes and of the number of fields alone: the rest is not what a parser sees. */
static void draw_syntax(writing *w)
{
    static const char *const values[] = {"",           "x",  "\"\"",   "\"a,b\"",
                                         "\"q\"\"q\"", "yz", "\"\n\"", "\"\r\n\"",
                                         "\"\r\"",     "12", "\"x\""};
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    static const char *const bad[] = {"x\"", "\"x\"y", "1,2", "\"open"};
    const bool has_faults = check_random_below(2) == 0;

    w->n = 0;
    put(w, "a,b,c\n", 6);
    for (uint64_t fields = N_COLUMNS * check_random_below(100); fields > 0; fields--) {
        const char *value = has_faults && check_random_below(200) == 0 ? PICK(bad) : PICK(values);
        put(w, value, strlen(value));
        const char *end = fields % N_COLUMNS != 1 ? "," : PICK(ends);
        if (fields > 1 || check_random_below(2) == 0) {
            put(w, end, strlen(end));
        }
        if (fields % N_COLUMNS == 1 && check_random_below(20) == 0) {
            put(w, "\n", 1);
        }
    }
}

static void what_is_read_is_what_a_plain_parser_reads(void)
{
    static writing w;
    static reference r;

    for (uint64_t left = check_n_cases(1500); left > 0; left--) {
        draw_syntax(&w);
        read_reference(&w, &r);
        check_against_reference(&w, &r);
    }
}

TEST_MAIN(TEST(sound_files_read_the_same_in_any_blocks),
          TEST(broken_files_read_the_same_in_any_blocks),
          TEST(what_is_read_is_what_a_plain_parser_reads))
