/*
 * BITMAP indexes (HEP001 §10.6): form, and contents compared with the column.
 *
 * Each value becomes a numbered key. The rows are compared in windows: the expected bits are set in
 * memory and compared with those in the file. A window needs at most checker->memory.
 */
#include <stdlib.h>
#include <string.h>

#include "check/index_rules.h"

/* Values are held in memory. Contents with more values or bytes than this are not checked. */
#define MAX_VALUES ((uint64_t)1 << 22)
#define VALUE_BYTES ((size_t)64 << 20)
/* An index that would take hours to read is not checked. */
#define MAX_WORK ((uint64_t)1 << 35)

/* --- form ------------------------------------------------------------------------------------ */

/* The values dataset: one value per row of the index, stored as in the column. */
static bool check_values(stoa_checker *checker, const stoa_checked_index *index, bool has_rows,
                         uint64_t n_values)
{
    const stoa_member *const values = index->values;
    const char *const path = index->subject.path;
    hid_t id = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    bool is_sound = values != NULL;

    if (values == NULL) {
        return false;
    }
    if (values->rank != 1) {
        stoa_check_report(checker, path, STOA_RULE_BITMAP_VALUES_RANK,
                          "the values dataset '%s' must be one-dimensional", values->path);
        is_sound = false;
    } else if (has_rows && !index->is_stale && values->extent != n_values) {
        stoa_check_report(checker, path, STOA_RULE_BITMAP_VALUES_LENGTH,
                          "the values dataset holds %llu values, the index %llu rows",
                          (unsigned long long)values->extent, (unsigned long long)n_values);
        is_sound = false;
    }
    if (index->column != NULL) {
        id = stoa_member_open(checker, index->table->group.id, values);
        type = id < 0 ? H5I_INVALID_HID : H5Dget_type(id);
        if (id >= 0 && H5Tequal(type, index->column->type) <= 0) {
            stoa_check_report(checker, path, STOA_RULE_BITMAP_VALUES_TYPE,
                              "the values do not have the datatype of the column '%s'",
                              index->column->subject.path);
            is_sound = false;
        }
        (void)stoa_hdf_close(&type, STOA_OK, NULL);
        (void)stoa_hdf_close(&id, STOA_OK, NULL);
    }
    return is_sound;
}

/* --- contents -------------------------------------------------------------------------------- */

/* NaN equals nothing. So the row of a NaN may mark no table row at all, or all rows that are NaN
 * (notes D6). */
typedef struct nan_entry {
    size_t k;
    bool marks_other_than_none;
    bool marks_other_than_all;
} nan_entry;

typedef struct comparison {
    stoa_checker *checker;
    const stoa_checked_index *index;
    const stoa_checked_column *column;
    stoa_datum_type datum;
    void *fill;
    uint64_t n_rows;
    uint64_t n_values;
    stoa_string_set keys; /* of the values, except NaN */
    stoa_buffer first_of; /* uint64_t: first entry with this key */
    stoa_buffer nans;     /* of nan_entry */
    size_t n_value_bytes;
    uint64_t first_byte; /* of each row in the window */
    uint64_t n_bytes;
    uint8_t *found;
    uint8_t *expected;
    uint8_t *nan_rows;  /* one bit per row of the window */
    bool is_large;      /* more values than can be held */
    bool repeats;       /* a value is indexed twice */
    bool is_exhaustive; /* says that every value is indexed */
    bool covers_not;    /* set by the first finding of its rule */
    bool has_nan;
    bool has_residue;
} comparison;

static bool visit_entries(void *context, uint64_t first, const void *elements, size_t n)
{
    comparison *c = context;
    const char *value = elements;
    char text[STOA_DATUM_TEXT];
    uint64_t room = 0;
    size_t length = 0;

    for (uint64_t k = first; k < first + n; k++, value += c->datum.size) {
        const uint32_t n_before = c->keys.count;
        const nan_entry nan = {.k = (size_t)k};
        uint32_t number = 0;
        stoa_status status = STOA_OK;

        if (stoa_datum_is_nan(&c->datum, value)) {
            status = stoa_buffer_append(&c->nans, &nan, sizeof nan, NULL);
        } else {
            const void *key = stoa_datum_key(&c->datum, value, &room, &length);
            c->n_value_bytes += length;
            status = stoa_string_set_add(&c->keys, key, length, &number, NULL);
            if (status == STOA_OK && number == n_before) {
                status = stoa_buffer_append(&c->first_of, &k, sizeof k, NULL);
            } else if (status == STOA_OK) {
                stoa_check_report(c->checker, c->index->subject.path, STOA_RULE_BITMAP_DISTINCT,
                                  "value %llu, %s, is indexed before", (unsigned long long)k,
                                  stoa_datum_text(&c->datum, value, text));
                c->repeats = true; /* its bits are ambiguous */
                return false;
            }
        }
        if (status != STOA_OK) {
            stoa_check_memory(c->checker);
            return false;
        }
        if (c->n_value_bytes > VALUE_BYTES) {
            c->is_large = true;
            return false;
        }
    }
    return true;
}

/* Make keys of the values; false (after a finding) if the contents cannot be checked. */
static bool read_values(comparison *c)
{
    const stoa_member *const values = c->index->values;
    hid_t id = stoa_member_open(c->checker, c->index->table->group.id, values);
    stoa_rows rows = {0};
    stoa_rows_status status = STOA_ROWS_OK;

    if (id < 0) {
        return false;
    }
    status = stoa_rows_of(c->checker, id, &rows);
    if (status == STOA_ROWS_OK && c->n_values > 0) {
        status = stoa_rows_read(c->checker, id, &rows, c->datum.memory_type, c->datum.size, 0,
                                c->n_values, visit_entries, c);
    }
    if (status == STOA_ROWS_OK && c->is_large) {
        status = STOA_ROWS_TOO_LARGE;
    }
    stoa_rows_report(c->checker, values->path, status);
    stoa_rows_clear(&rows);
    (void)stoa_hdf_close(&id, STOA_OK, NULL);
    return status == STOA_ROWS_OK && !c->repeats && !stoa_check_over(c->checker);
}

/* If the fill value is one of the two zeros, a missing row equals the other zero as well. Whether
 * that row is marked there is undefined (notes D6), because it matches no comparison. */
static bool is_open(const comparison *c, const void *value, uint64_t key)
{
    return c->datum.kind == STOA_DATUM_FLOAT && key == 0 &&
           stoa_datum_is_missing(&c->datum, c->fill, value);
}

/* NaN equals nothing, so it cannot be said to be indexed (docs/conformance.md). */
static void report_nan(comparison *c, uint64_t row, const void *value)
{
    if (c->is_exhaustive && !c->has_nan && !stoa_datum_is_missing(&c->datum, c->fill, value)) {
        c->has_nan = true;
        stoa_check_report(c->checker, c->index->subject.path, STOA_RULE_BITMAP_EXHAUSTIVE_NAN,
                          "exhaustive is TRUE, and row %llu is NaN", (unsigned long long)row);
    }
}

/* Set the bit expected of each row. */
static bool visit_rows(void *context, uint64_t first, const void *elements, size_t n)
{
    comparison *c = context;
    const char *value = elements;
    char text[STOA_DATUM_TEXT];
    uint64_t room = 0;
    size_t length = 0;

    for (uint64_t row = first; row < first + n; row++, value += c->datum.size) {
        const uint64_t bit = row - 8 * c->first_byte;
        const void *key = stoa_datum_key(&c->datum, value, &room, &length);
        uint32_t number = 0;
        uint64_t k = 0;

        if (stoa_datum_is_nan(&c->datum, value)) {
            stoa_bit_set(c->nan_rows, bit);
            report_nan(c, row, value);
        } else if (stoa_string_set_find(&c->keys, key, length, &number)) {
            memcpy(&k, c->first_of.data + number * sizeof k, sizeof k);
            if (!is_open(c, value, room) || stoa_bit_get(c->found + k * c->n_bytes, bit)) {
                stoa_bit_set(c->expected + k * c->n_bytes, bit);
            }
        } else if (!c->covers_not && !stoa_datum_is_missing(&c->datum, c->fill, value)) {
            c->covers_not = true;
            stoa_check_report(c->checker, c->index->subject.path,
                              c->is_exhaustive ? STOA_RULE_BITMAP_EXHAUSTIVE
                                               : STOA_RULE_BITMAP_COVERAGE,
                              "row %llu holds %s, which is not among the indexed values",
                              (unsigned long long)row, stoa_datum_text(&c->datum, value, text));
        }
    }
    return true;
}

/* Bits for rows past NROWS, in the last byte, have no meaning. June lets them be, July wants
 * zeros. */
static void strip_residue(comparison *c)
{
    const uint64_t end = c->first_byte + c->n_bytes;
    const uint8_t keep = (uint8_t)((1u << (c->n_rows & 7)) - 1);

    if (end != stoa_bit_bytes(c->n_rows) || keep == 0) {
        return;
    }
    for (uint64_t k = 0; k < c->n_values; k++) {
        uint8_t *const last = &c->found[(k + 1) * c->n_bytes - 1];
        if ((*last & ~keep) != 0 && !c->has_residue) {
            c->has_residue = true;
            stoa_check_report(c->checker, c->index->subject.path,
                              stoa_check_is_july(c->checker) ? STOA_RULE_BITMAP_PADDING
                                                             : STOA_RULE_BITMAP_RESIDUE,
                              "row %llu of the index has bits set for rows past NROWS",
                              (unsigned long long)k);
        }
        *last &= keep;
    }
}

/* Make one finding for the whole index: the first wrong bit. */
static void report_bit(const comparison *c, uint64_t k, const uint8_t *found,
                       const uint8_t *expected)
{
    uint64_t bit = 0;
    uint64_t row = 0;

    while (stoa_bit_get(found, bit) == stoa_bit_get(expected, bit)) {
        bit++;
    }
    row = 8 * c->first_byte + bit;
    stoa_check_report(c->checker, c->index->subject.path, STOA_RULE_BITMAP_BITS,
                      "bit %llu of value %llu is %d; the row says otherwise",
                      (unsigned long long)row, (unsigned long long)k, stoa_bit_get(found, bit));
}

/* Compare one window; false ends the comparison. */
static bool compare_window(comparison *c)
{
    nan_entry *const nans = (nan_entry *)(void *)c->nans.data;
    const size_t n_nans = c->nans.size / sizeof *nans;
    const size_t n_bytes = (size_t)c->n_bytes;
    size_t next_nan = 0;

    strip_residue(c);
    for (uint64_t k = 0; k < c->n_values; k++) {
        const uint8_t *const found = c->found + k * n_bytes;
        const uint8_t *const expected = c->expected + k * n_bytes;
        const bool differs = memcmp(found, expected, n_bytes) != 0;

        if (next_nan < n_nans && nans[next_nan].k == k) {
            nan_entry *const nan = &nans[next_nan++];
            nan->marks_other_than_none = nan->marks_other_than_none || differs;
            nan->marks_other_than_all =
                nan->marks_other_than_all || memcmp(found, c->nan_rows, n_bytes) != 0;
            if (nan->marks_other_than_none && nan->marks_other_than_all) {
                stoa_check_report(c->checker, c->index->subject.path, STOA_RULE_BITMAP_BITS,
                                  "value %llu is NaN and marks neither no row nor every NaN",
                                  (unsigned long long)k);
                return false;
            }
        } else if (differs) {
            report_bit(c, k, found, expected);
            return false;
        }
    }
    return true;
}

static void compare_bits(comparison *c, const stoa_rows *rows, stoa_rows_status *status)
{
    const uint64_t width = stoa_bit_bytes(c->n_rows);
    const uint64_t n_rows_of_bits = c->n_values == 0 ? 1 : c->n_values;
    uint64_t most = c->checker->memory / 8 / n_rows_of_bits + 1;
    stoa_rows_status column_status = STOA_ROWS_OK;
    bool goes_on = true;

    most = most < width ? most : width;
    c->found = stoa_alloc_zero((size_t)n_rows_of_bits, (size_t)most);
    c->expected = stoa_alloc_zero((size_t)n_rows_of_bits, (size_t)most);
    c->nan_rows = stoa_alloc_zero(1, (size_t)most);
    if (c->found == NULL || c->expected == NULL || c->nan_rows == NULL) {
        stoa_check_memory(c->checker);
    }
    while (goes_on && c->first_byte < width && !stoa_check_over(c->checker)) {
        const uint64_t left = c->n_rows - 8 * c->first_byte;
        c->n_bytes = width - c->first_byte < most ? width - c->first_byte : most;
        memset(c->expected, 0, (size_t)(n_rows_of_bits * c->n_bytes));
        memset(c->nan_rows, 0, (size_t)c->n_bytes);
        if (c->n_values > 0) {
            *status = stoa_grid_read(c->index->subject.id, 0, c->n_values, c->first_byte,
                                     c->n_bytes, c->found);
        }
        column_status = stoa_rows_read(
            c->checker, c->column->subject.id, rows, c->datum.memory_type, c->datum.size,
            8 * c->first_byte, left < 8 * c->n_bytes ? left : 8 * c->n_bytes, visit_rows, c);
        goes_on = *status == STOA_ROWS_OK && column_status == STOA_ROWS_OK &&
                  !stoa_check_over(c->checker) && compare_window(c);
        c->first_byte += c->n_bytes;
    }
    stoa_rows_report(c->checker, c->column->subject.path, column_status);
    free(c->nan_rows);
    free(c->expected);
    free(c->found);
}

static void compare_contents(stoa_checker *checker, const stoa_checked_index *index,
                             uint64_t n_values, bool is_exhaustive)
{
    comparison c = {.checker = checker,
                    .is_exhaustive = is_exhaustive,
                    .index = index,
                    .column = index->column,
                    .n_rows = index->table->n_rows,
                    .n_values = n_values};
    stoa_rows rows;
    stoa_rows_status status = stoa_grid_check(checker, index->subject.id);
    stoa_rows_status column_status = stoa_rows_of(checker, index->column->subject.id, &rows);

    stoa_datum_type_of_any(index->column->type, &c.datum);
    if (index->column->fill != NULL || index->column->datum.kind == STOA_DATUM_NONE) {
        (void)stoa_datum_fill(checker, &c.datum, index->column->subject.id, &c.fill);
    } /* else a boolean's fill, which marks no row */
    if (status == STOA_ROWS_OK && (n_values > MAX_VALUES || c.n_rows > STOA_CHECK_MAX_ROWS ||
                                   n_values * stoa_bit_bytes(c.n_rows) > MAX_WORK)) {
        status = STOA_ROWS_TOO_LARGE;
    }
    if (c.datum.kind == STOA_DATUM_NONE && column_status == STOA_ROWS_OK) {
        column_status = STOA_ROWS_TOO_LARGE;
    }
    /* A short column has a finding of its own. */
    if (status == STOA_ROWS_OK && column_status == STOA_ROWS_OK && rows.extent >= c.n_rows &&
        !stoa_check_over(checker) && read_values(&c)) {
        compare_bits(&c, &rows, &status);
    }
    stoa_rows_report(checker, index->subject.path, status);
    stoa_rows_report(checker, index->column->subject.path, column_status);
    stoa_string_set_clear(&c.keys);
    stoa_buffer_clear(&c.first_of);
    stoa_buffer_clear(&c.nans);
    stoa_datum_free(&c.datum, c.fill);
    stoa_datum_type_clear(&c.datum);
    stoa_rows_clear(&rows);
}

/* --- entry point ----------------------------------------------------------------------------- */

void stoa_check_bitmap(stoa_checker *checker, const stoa_checked_index *index)
{
    const char *const path = index->subject.path;
    const uint64_t needed = stoa_bit_bytes(index->table->n_rows);
    uint64_t dims[2] = {0, 0};
    const bool is_grid = stoa_check_shape(index->subject.id, dims) == 2;
    const bool is_bytes = stoa_check_bytes(checker, &index->subject, STOA_RULE_BITMAP_DATATYPE);
    const bool has_values = check_values(checker, index, is_grid, dims[0]);

    (void)stoa_check_bool(checker, &index->subject, "ordered", STOA_RULE_BITMAP_ORDERED_SHAPE);
    const bool is_exhaustive =
        stoa_check_is_july(checker) && stoa_check_bool(checker, &index->subject, "exhaustive",
                                                       STOA_RULE_BITMAP_EXHAUSTIVE_SHAPE) == 1;
    if (!is_grid) {
        stoa_check_report(checker, path, STOA_RULE_BITMAP_SHAPE,
                          "the index must be two-dimensional: values by bytes");
    } else if (index->table->has_n_rows && !index->is_stale) {
        stoa_check_length(checker, path, "bytes a value", dims[1], needed, STOA_RULE_BITMAP_LENGTH,
                          STOA_RULE_BITMAP_RESIDUE);
        if (checker->indexes && is_bytes && has_values && index->column != NULL &&
            dims[1] >= needed && needed > 0) {
            compare_contents(checker, index, dims[0], is_exhaustive);
        }
    }
}
