/* Reads Matrix Market files line by line: a banner, comments, sizes, entries (market.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/progress.h"
#include "core/text.h"
#include "hdf/ids.h"
#include "hdf/metadata/attributes.h"
#include "layout/input/input_lines.h"
#include "layout/matrix/market.h"

#define BANNER "%%MatrixMarket"

enum { TELL = 1 << 16 }; /* entries between two progress reports */

typedef enum field { REAL, INTEGER, COMPLEX, PATTERN, N_FIELDS } field;
typedef enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN, N_SYMMETRIES } symmetry;

typedef union number {
    double real;
    int64_t integer;
    stoa_complex complex;
    uint8_t pattern;
} number;

typedef struct reading {
    stoa_lines lines;
    bool is_array;
    field field;
    symmetry symmetry;
    uint64_t n_rows;
    uint64_t n_columns;
    uint64_t n_announced; /* lines of entries */
    size_t size;          /* of a value */
    stoa_buffer rows;     /* of int64_t */
    stoa_buffer columns;
    stoa_buffer values;
} reading;

/* The length of a word in a message. */
static int shown(const stoa_word *word)
{
    return word->length < 40 ? (int)word->length : 40;
}

/* Words of the banner are case-insensitive. */
static bool is_word(const stoa_word *word, const char *text)
{
    return stoa_is_word(word->text, word->length, text);
}

/* The index of the word among n texts; n if it is none of them. */
static unsigned find_word(const stoa_word *word, const char *const *texts, unsigned n)
{
    unsigned i = 0;

    while (i < n && !is_word(word, texts[i])) {
        i++;
    }
    return i;
}

/* --- before the entries ---------------------------------------------------------------------- */

static bool has_banner(const stoa_lines *l)
{
    return l->length >= strlen(BANNER) && memcmp(l->text, BANNER, strlen(BANNER)) == 0;
}

static stoa_status combine(const reading *r, stoa_error *err)
{
    if (r->field == PATTERN && r->is_array) {
        return stoa_fail(err, STOA_EDATA, "an array has values: 'array pattern' says nothing");
    }
    if (r->field == PATTERN && r->symmetry == SKEW) {
        return stoa_fail(err, STOA_EDATA, "a pattern has no signs: it is not skew-symmetric");
    }
    if (r->field != COMPLEX && r->symmetry == HERMITIAN) {
        return stoa_fail(err, STOA_EDATA, "only complex matrices are hermitian");
    }
    return STOA_OK;
}

static stoa_status read_banner(reading *r, stoa_error *err)
{
    static const char *const fields[] = {"real", "integer", "complex", "pattern"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    stoa_lines *l = &r->lines;
    const stoa_word *w = l->words;
    bool has_line = false;

    STOA_RETURN_NOT_OK(stoa_lines_next(l, &has_line, err));
    if (!has_line || !has_banner(l)) {
        return stoa_fail(err, STOA_EDATA, "no Matrix Market file: it does not begin with %s",
                         BANNER);
    }
    if (l->n_words != 5 || !is_word(&w[1], "matrix")) {
        return stoa_fail(err, STOA_EDATA, "the banner is not '%s matrix FORMAT FIELD SYMMETRY'",
                         BANNER);
    }
    r->is_array = is_word(&w[2], "array");
    if (!r->is_array && !is_word(&w[2], "coordinate")) {
        return stoa_fail(err, STOA_EDATA, "the format '%.*s' is neither coordinate nor array",
                         shown(&w[2]), w[2].text);
    }
    r->field = is_word(&w[3], "double") ? REAL : (field)find_word(&w[3], fields, N_FIELDS);
    if (r->field == N_FIELDS) {
        return stoa_fail(err, STOA_EDATA,
                         "the field '%.*s' is none of real, integer, complex and pattern",
                         shown(&w[3]), w[3].text);
    }
    r->symmetry = (symmetry)find_word(&w[4], symmetries, N_SYMMETRIES);
    if (r->symmetry == N_SYMMETRIES) {
        return stoa_fail(
            err, STOA_EDATA,
            "the symmetry '%.*s' is none of general, symmetric, skew-symmetric and hermitian",
            shown(&w[4]), w[4].text);
    }
    return combine(r, err);
}

/* Read the next line that is neither blank nor a comment. */
static stoa_status next_line(reading *r, bool *has_line, stoa_error *err)
{
    do {
        STOA_RETURN_NOT_OK(stoa_lines_next(&r->lines, has_line, err));
    } while (*has_line && (r->lines.n_words == 0 || r->lines.words[0].text[0] == '%'));
    return STOA_OK;
}

/* The number of values that the array format lists: all, or the lower half with or without the
 * diagonal. */
static stoa_status count_array(reading *r, stoa_error *err)
{
    const uint64_t n = r->n_rows;

    if (n != 0 && r->n_columns > (uint64_t)INT64_MAX / n) {
        return stoa_fail(err, STOA_EDATA, "more elements than any array has");
    }
    const uint64_t all = n * r->n_columns;
    const uint64_t diagonal = r->symmetry == GENERAL ? 0 : n;
    r->n_announced = r->symmetry == GENERAL ? all
                     : r->symmetry == SKEW  ? (all - diagonal) / 2
                                            : (all - diagonal) / 2 + diagonal;
    return STOA_OK;
}

static stoa_status read_sizes(reading *r, stoa_error *err)
{
    const size_t n_wanted = r->is_array ? 2 : 3;
    uint64_t *const to[] = {&r->n_rows, &r->n_columns, &r->n_announced};
    const stoa_word *w = r->lines.words;
    bool has_line = false;

    STOA_RETURN_NOT_OK(next_line(r, &has_line, err));
    if (!has_line || r->lines.n_words != n_wanted) {
        return stoa_fail(err, STOA_EDATA, "the sizes are missing: %s",
                         r->is_array ? "rows, columns" : "rows, columns, entries");
    }
    for (size_t i = 0; i < n_wanted; i++) {
        if (!stoa_parse_u64(w[i].text, w[i].length, to[i]) || *to[i] > INT64_MAX) {
            return stoa_fail(err, STOA_EDATA, "'%.*s' is no size", shown(&w[i]), w[i].text);
        }
    }
    if (r->symmetry != GENERAL && r->n_rows != r->n_columns) {
        return stoa_fail(err, STOA_EDATA,
                         "%llu x %llu is not square, but the banner says symmetric",
                         (unsigned long long)r->n_rows, (unsigned long long)r->n_columns);
    }
    if (r->is_array) {
        STOA_RETURN_NOT_OK(count_array(r, err));
    }
    return STOA_OK;
}

/* --- entries --------------------------------------------------------------------------------- */

static stoa_status read_real(const stoa_word *word, double *value, stoa_error *err)
{
    return stoa_parse_f64(word->text, word->length, value)
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "'%.*s' is not a number", shown(word), word->text);
}

static stoa_status read_value(const reading *r, const stoa_word *word, number *value,
                              stoa_error *err)
{
    switch (r->field) {
    case REAL:
        STOA_RETURN_NOT_OK(read_real(word, &value->real, err));
        break;
    case COMPLEX:
        STOA_RETURN_NOT_OK(read_real(word, &value->complex.r, err));
        STOA_RETURN_NOT_OK(read_real(word + 1, &value->complex.i, err));
        break;
    case INTEGER:
        if (!stoa_parse_i64(word->text, word->length, &value->integer)) {
            return stoa_fail(err, STOA_EDATA, "'%.*s' is not an integer of 64 bits", shown(word),
                             word->text);
        }
        break;
    default:
        value->pattern = 1;
        break;
    }
    return STOA_OK;
}

/* Compute the element on the other side of the diagonal. */
static stoa_status mirror(const reading *r, number *value, stoa_error *err)
{
    if (r->symmetry == HERMITIAN) {
        value->complex.i = -value->complex.i;
    } else if (r->symmetry == SKEW && r->field == COMPLEX) {
        value->complex.r = -value->complex.r;
        value->complex.i = -value->complex.i;
    } else if (r->symmetry == SKEW && r->field == REAL) {
        value->real = -value->real;
    } else if (r->symmetry == SKEW) {
        if (value->integer == INT64_MIN) {
            return stoa_fail(err, STOA_EDATA, "%lld has no negative", (long long)INT64_MIN);
        }
        value->integer = -value->integer;
    }
    return STOA_OK;
}

static stoa_status add_one(reading *r, uint64_t row, uint64_t column, const number *value,
                           stoa_error *err)
{
    const int64_t at[] = {(int64_t)row, (int64_t)column};

    STOA_RETURN_NOT_OK(stoa_buffer_append(&r->rows, &at[0], sizeof at[0], err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(&r->columns, &at[1], sizeof at[1], err));
    return stoa_buffer_append(&r->values, value, r->size, err);
}

static stoa_status add_entry(reading *r, uint64_t row, uint64_t column, number *value,
                             stoa_error *err)
{
    if (row == column && r->symmetry == SKEW) {
        return stoa_fail(err, STOA_EDATA, "a skew-symmetric matrix has no entry in the diagonal");
    }
    STOA_RETURN_NOT_OK(add_one(r, row, column, value, err));
    if (row != column && r->symmetry != GENERAL) {
        STOA_RETURN_NOT_OK(mirror(r, value, err));
        STOA_RETURN_NOT_OK(add_one(r, column, row, value, err));
    }
    return STOA_OK;
}

static stoa_status read_index(const stoa_word *word, uint64_t limit, const char *what,
                              uint64_t *index, stoa_error *err)
{
    if (!stoa_parse_u64(word->text, word->length, index)) {
        return stoa_fail(err, STOA_EDATA, "'%.*s' is no %s", shown(word), word->text, what);
    }
    if (*index == 0 || *index > limit) {
        return stoa_fail(err, STOA_EDATA, "%s %llu is outside of 1 to %llu", what,
                         (unsigned long long)*index, (unsigned long long)limit);
    }
    *index -= 1;
    return STOA_OK;
}

/* A line of the coordinate format. */
static stoa_status read_entry(reading *r, stoa_error *err)
{
    const stoa_word *w = r->lines.words;
    uint64_t row = 0;
    uint64_t column = 0;
    number value;

    STOA_RETURN_NOT_OK(read_index(&w[0], r->n_rows, "row", &row, err));
    STOA_RETURN_NOT_OK(read_index(&w[1], r->n_columns, "column", &column, err));
    STOA_RETURN_NOT_OK(read_value(r, &w[2], &value, err));
    return add_entry(r, row, column, &value, err);
}

static bool is_zero(const reading *r, const number *value)
{
    static const number zero = {.complex = {0.0, 0.0}};

    return memcmp(value, &zero, r->size) == 0;
}

/* A line of the array format, in column-major order. *row and *column are its position, and advance
 * to the next. */
static stoa_status read_element(reading *r, uint64_t *row, uint64_t *column, stoa_error *err)
{
    number value;

    STOA_RETURN_NOT_OK(read_value(r, r->lines.words, &value, err));
    if (!is_zero(r, &value)) {
        STOA_RETURN_NOT_OK(add_entry(r, *row, *column, &value, err));
    }
    if (++*row == r->n_rows) {
        ++*column;
        *row = r->symmetry == GENERAL ? 0 : *column + (r->symmetry == SKEW);
    }
    return STOA_OK;
}

static stoa_status tell(const reading *r, uint64_t n, const stoa_listener *listener,
                        stoa_error *err)
{
    const stoa_progress progress = {.stage = "reading",
                                    .rows = n,
                                    .bytes = stoa_input_used(r->lines.input),
                                    .total_bytes = stoa_input_total(r->lines.input)};

    return stoa_report_progress(listener, &progress, err);
}

static stoa_status read_entries(reading *r, const stoa_listener *listener, stoa_error *err)
{
    const size_t n_values = r->field == COMPLEX ? 2 : r->field == PATTERN ? 0 : 1;
    const size_t n_words = r->is_array ? n_values : n_values + 2;
    uint64_t row = r->symmetry == SKEW ? 1 : 0;
    uint64_t column = 0;
    bool has_line = false;

    for (uint64_t i = 0; i < r->n_announced; i++) {
        if (i % TELL == 0) {
            STOA_RETURN_NOT_OK(tell(r, i, listener, err));
        }
        STOA_RETURN_NOT_OK(next_line(r, &has_line, err));
        if (!has_line) {
            return stoa_fail(err, STOA_EDATA, "the file ends after %llu of %llu entries",
                             (unsigned long long)i, (unsigned long long)r->n_announced);
        }
        if (r->lines.n_words != n_words) {
            return stoa_fail(err, STOA_EDATA, "an entry has %zu numbers, this line %zu words",
                             n_words, r->lines.n_words);
        }
        STOA_RETURN_NOT_OK(r->is_array ? read_element(r, &row, &column, err) : read_entry(r, err));
    }
    STOA_RETURN_NOT_OK(next_line(r, &has_line, err));
    if (has_line) {
        return stoa_fail(err, STOA_EDATA, "'%.*s' follows the %llu entries that were announced",
                         shown(&r->lines.words[0]), r->lines.words[0].text,
                         (unsigned long long)r->n_announced);
    }
    return STOA_OK;
}

/* --- entry points ---------------------------------------------------------------------------- */

static stoa_status make_type(field which, hid_t *type, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err,
                          *type = which == COMPLEX   ? stoa_complex_type(H5T_NATIVE_DOUBLE)
                                  : which == REAL    ? H5Tcopy(H5T_NATIVE_DOUBLE)
                                  : which == INTEGER ? H5Tcopy(H5T_NATIVE_INT64)
                                                     : H5Tcopy(H5T_NATIVE_UINT8),
                          "make the type of entries");
    return STOA_OK;
}

static stoa_status read_all(reading *r, const stoa_listener *listener, stoa_error *err)
{
    static const size_t sizes[] = {sizeof(double), sizeof(int64_t), sizeof(stoa_complex), 1};

    STOA_RETURN_NOT_OK(read_banner(r, err));
    r->size = sizes[r->field];
    STOA_RETURN_NOT_OK(read_sizes(r, err));
    return read_entries(r, listener, err);
}

stoa_status stoa_mtx_read(const char *name, const stoa_listener *listener, stoa_matrix *matrix,
                          hid_t *type, stoa_error *err)
{
    reading r = {.is_array = false};
    stoa_status status = STOA_OK;

    *matrix = (stoa_matrix){.n = 0};
    *type = H5I_INVALID_HID;
    STOA_TRY(stoa_input_open(name, listener, &r.lines.input, err));
    status = read_all(&r, listener, err);
    STOA_TRY(stoa_at(err, status, "%s:%llu", name, (unsigned long long)r.lines.line));
    STOA_TRY(make_type(r.field, type, err));
    *matrix = (stoa_matrix){.form = STOA_MATRIX_COO,
                            .index_size = sizeof(int64_t),
                            .n_rows = r.n_rows,
                            .n_columns = r.n_columns,
                            .n = r.rows.size / sizeof(int64_t)};
    matrix->rows = stoa_buffer_detach(&r.rows);
    matrix->columns = stoa_buffer_detach(&r.columns);
    matrix->values = stoa_buffer_detach(&r.values);

done:
    stoa_lines_clear(&r.lines);
    stoa_input_close(r.lines.input);
    stoa_buffer_clear(&r.rows);
    stoa_buffer_clear(&r.columns);
    stoa_buffer_clear(&r.values);
    return status;
}

bool stoa_mtx_is_one(const char *name)
{
    reading r = {.is_array = false};
    bool has_line = false;

    if (stoa_input_open(name, NULL, &r.lines.input, NULL) != STOA_OK) {
        return false;
    }
    const stoa_status status = stoa_lines_next(&r.lines, &has_line, NULL);
    const bool is = status == STOA_OK && has_line && has_banner(&r.lines);
    stoa_lines_clear(&r.lines);
    stoa_input_close(r.lines.input);
    return is;
}

stoa_status stoa_mtx_import(const char *name, hid_t loc, const char *path,
                            const stoa_mtx_options *options, uint64_t *n_rows, uint64_t *n_columns,
                            uint64_t *n_entries, stoa_error *err)
{
    stoa_sparse_options how = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    hid_t type = H5I_INVALID_HID;
    stoa_matrix matrix;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_mtx_read(name, &options->listener, &matrix, &type, err));
    const uint64_t extent[] = {matrix.n_rows, matrix.n_columns};
    const bool is_pattern = H5Tget_size(type) == 1;
    how.chunk = options->chunk;
    how.values = options->codec;
    STOA_TRY(stoa_sparse_create(loc, path, type, 2, extent, &how, NULL, &array, err));
    STOA_TRY(stoa_matrix_write(array, &matrix, type,
                               is_pattern ? STOA_MATRIX_LAST : STOA_MATRIX_SUM, err));
    STOA_TRY(stoa_matrix_count(array, STOA_MATRIX_ALL, n_entries, err));
    *n_rows = matrix.n_rows;
    *n_columns = matrix.n_columns;

done : {
    const stoa_status closed = stoa_sparse_commit(array, status == STOA_OK ? err : NULL);
    status = status == STOA_OK ? closed : status;
    stoa_matrix_clear(&matrix);
    return stoa_hdf_close(&type, status, err);
}
}
