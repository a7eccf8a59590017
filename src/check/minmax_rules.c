/*
 * CHUNK_MINMAX indexes (HEP001 §10.4): form, and contents recomputed from the column.
 *
 * Nothing here uses the code that builds such indexes.
 */
#include <stdlib.h>
#include <string.h>

#include "check/index_rules.h"

/* Longer indexes are not recomputed: a file may claim any number of entries. */
#define MAX_ENTRIES ((uint64_t)1 << 28)

/* Layout of an entry in memory: min and max, then the counts. */
typedef struct entry_layout {
    size_t max;
    size_t nan_count; /* fill_count and n follow it */
    size_t size;
} entry_layout;

static entry_layout lay_out(const stoa_datum_type *datum)
{
    const size_t counts = (2 * datum->size + 7) / 8 * 8;

    return (entry_layout){datum->size, counts, counts + 3 * sizeof(uint64_t)};
}

static const char *const count_names[] = {"nan_count", "fill_count", "n"};

/* --- form ------------------------------------------------------------------------------------ */

static bool has_fields(hid_t type)
{
    static const char *const names[] = {"min", "max", "nan_count", "fill_count", "n"};
    bool all = H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 5;

    for (unsigned i = 0; all && i < 5; i++) {
        char *name = H5Tget_member_name(type, i);
        all = name != NULL && strcmp(name, names[i]) == 0;
        (void)H5free_memory(name);
    }
    return all;
}

static void report_fields(stoa_checker *checker, const char *path)
{
    stoa_check_report(checker, path, STOA_RULE_MINMAX_FIELDS,
                      "the datatype is not a compound of min, max, nan_count, fill_count, n in "
                      "this order");
}

/* Whether the dataset can be read as entries. */
static bool check_type(stoa_checker *checker, const char *path, hid_t type, hid_t column_type)
{
    bool has_bounds = true;
    bool has_counts = true;

    if (!has_fields(type)) {
        report_fields(checker, path);
        return false;
    }
    for (unsigned i = 0; i < 5; i++) {
        hid_t field = H5Tget_member_type(type, i);
        if (i < 2) {
            has_bounds = has_bounds && H5Tequal(field, column_type) > 0;
        } else {
            has_counts = has_counts && stoa_check_is_unsigned(field, 8);
        }
        (void)stoa_hdf_close(&field, STOA_OK, NULL);
    }
    if (!has_bounds) {
        stoa_check_report(checker, path, STOA_RULE_MINMAX_BOUND_TYPE,
                          "min and max do not both have the column's datatype");
    }
    if (!has_counts) {
        stoa_check_report(checker, path, STOA_RULE_MINMAX_COUNT_TYPE,
                          "nan_count, fill_count and n are not all uint64");
    }
    return has_bounds && has_counts;
}

/* --- contents -------------------------------------------------------------------------------- */

/* The expected values of an entry. */
typedef struct summary {
    const stoa_checked_column *column;
    uint64_t counts[3]; /* nan_count, fill_count, n */
    bool has_bounds;
    void *min; /* one element each; variable-length strings are copies */
    void *max;
} summary;

typedef struct comparison {
    stoa_checker *checker;
    const char *path;
    const stoa_checked_column *column;
    const stoa_rows *rows;
    uint64_t n_rows;
    entry_layout layout;
    size_t next_chunk; /* in rows->chunks */
    stoa_rows_status column_status;
    bool counts_differ[3]; /* set by the first finding of its rule */
    bool min_differs;
    bool max_differs;
    bool empty_differs;
} comparison;

/* Replace a saved bound; false if memory runs out. */
static bool keep(const stoa_datum_type *datum, void *kept, const void *value)
{
    char *text = NULL;

    if (datum->kind != STOA_DATUM_VARIABLE) {
        memcpy(kept, value, datum->size);
        return true;
    }
    memcpy(&text, value, sizeof text);
    text = stoa_strdup(text == NULL ? "" : text);
    if (text == NULL) {
        return false;
    }
    char *old = NULL;
    memcpy(&old, kept, sizeof old);
    free(old);
    memcpy(kept, &text, sizeof text);
    return true;
}

static void release(const stoa_datum_type *datum, void *kept)
{
    if (kept != NULL && datum->kind == STOA_DATUM_VARIABLE) {
        char *text = NULL;
        memcpy(&text, kept, sizeof text);
        free(text);
    }
    free(kept);
}

/* §10.4 "Semantics": NaN and missing values are counted and never used as bounds. */
static bool add_to_summary(summary *s, const void *value)
{
    const stoa_datum_type *const datum = &s->column->datum;
    const bool is_nan = stoa_datum_is_nan(datum, value);
    const bool is_missing = stoa_datum_is_missing(datum, s->column->fill, value);

    s->counts[0] += is_nan;
    s->counts[1] += is_missing;
    s->counts[2]++;
    if (is_nan || is_missing) {
        return true;
    }
    if ((!s->has_bounds || stoa_datum_compare(datum, value, s->min) < 0) &&
        !keep(datum, s->min, value)) {
        return false;
    }
    if ((!s->has_bounds || stoa_datum_compare(datum, value, s->max) > 0) &&
        !keep(datum, s->max, value)) {
        return false;
    }
    s->has_bounds = true;
    return true;
}

typedef struct summing {
    stoa_checker *checker;
    summary *summary;
} summing;

static bool visit_values(void *context, uint64_t first, const void *elements, size_t n)
{
    const summing *s = context;
    const char *value = elements;

    (void)first;
    for (size_t i = 0; i < n; i++, value += s->summary->column->datum.size) {
        if (!add_to_summary(s->summary, value)) {
            stoa_check_memory(s->checker);
            return false;
        }
    }
    return true;
}

static void summarise(comparison *c, uint64_t chunk, summary *s)
{
    const stoa_checked_column *const column = c->column;
    uint64_t first = 0;
    const uint64_t n = stoa_rows_of_chunk(c->rows, chunk, c->n_rows, &first);
    summing context = {c->checker, s};

    if (!stoa_rows_are_stored(c->rows, chunk, &c->next_chunk) && column->fill != NULL) {
        s->counts[0] = stoa_datum_is_nan(&column->datum, column->fill) ? n : 0;
        s->counts[1] = n;
        s->counts[2] = n;
        return;
    }
    c->column_status =
        stoa_rows_read(c->checker, column->subject.id, c->rows, column->datum.memory_type,
                       column->datum.size, first, n, visit_values, &context);
}

/* As bounds, -0.0 equals 0.0, and all NaNs are equal (notes D7). */
static bool is_bound(const stoa_datum_type *datum, const void *found, const void *expected)
{
    const bool is_nan = stoa_datum_is_nan(datum, found);

    if (is_nan || stoa_datum_is_nan(datum, expected)) {
        return is_nan && stoa_datum_is_nan(datum, expected);
    }
    return stoa_datum_compare(datum, found, expected) == 0;
}

static void compare_counts(comparison *c, uint64_t chunk, const char *entry, const summary *s)
{
    static const stoa_rule_id count_rules[] = {STOA_RULE_MINMAX_NAN_COUNT,
                                               STOA_RULE_MINMAX_FILL_COUNT, STOA_RULE_MINMAX_N};

    for (size_t i = 0; i < 3; i++) {
        uint64_t found = 0;
        memcpy(&found, entry + c->layout.nan_count + i * sizeof found, sizeof found);
        if (found != s->counts[i] && !c->counts_differ[i]) {
            c->counts_differ[i] = true;
            stoa_check_report(c->checker, c->path, count_rules[i],
                              "entry %llu says %s %llu; the rows say %llu",
                              (unsigned long long)chunk, count_names[i], (unsigned long long)found,
                              (unsigned long long)s->counts[i]);
        }
    }
}

static void compare_bound(comparison *c, uint64_t chunk, const char *name, stoa_rule_id rule,
                          const void *found, const void *expected, bool *differs)
{
    const stoa_datum_type *const datum = &c->column->datum;
    char found_text[STOA_DATUM_TEXT];
    char expected_text[STOA_DATUM_TEXT];

    if (!*differs && !is_bound(datum, found, expected)) {
        *differs = true;
        stoa_check_report(c->checker, c->path, rule, "entry %llu says %s %s; %s %s",
                          (unsigned long long)chunk, name,
                          stoa_datum_text(datum, found, found_text),
                          rule == STOA_RULE_MINMAX_EMPTY ? "the chunk is empty and the fill value"
                                                         : "the rows say",
                          stoa_datum_text(datum, expected, expected_text));
    }
}

static void compare_entry(comparison *c, uint64_t chunk, const char *entry)
{
    const stoa_datum_type *const datum = &c->column->datum;
    summary s = {.column = c->column};

    s.min = stoa_alloc_zero(1, datum->size);
    s.max = stoa_alloc_zero(1, datum->size);
    if (s.min == NULL || s.max == NULL) {
        stoa_check_memory(c->checker);
    } else {
        summarise(c, chunk, &s);
    }
    if (c->column_status == STOA_ROWS_OK && !stoa_check_over(c->checker)) {
        compare_counts(c, chunk, entry, &s);
        if (s.has_bounds) {
            compare_bound(c, chunk, "min", STOA_RULE_MINMAX_MIN, entry, s.min, &c->min_differs);
            compare_bound(c, chunk, "max", STOA_RULE_MINMAX_MAX, entry + c->layout.max, s.max,
                          &c->max_differs);
        } else if (c->column->fill != NULL) {
            compare_bound(c, chunk, "min", STOA_RULE_MINMAX_EMPTY, entry, c->column->fill,
                          &c->empty_differs);
            compare_bound(c, chunk, "max", STOA_RULE_MINMAX_EMPTY, entry + c->layout.max,
                          c->column->fill, &c->empty_differs);
        }
    }
    release(datum, s.min);
    release(datum, s.max);
}

static bool visit_entries(void *context, uint64_t first, const void *elements, size_t n)
{
    comparison *c = context;
    const char *entry = elements;

    for (size_t i = 0; i < n; i++, entry += c->layout.size) {
        compare_entry(c, first + i, entry);
        if (c->column_status != STOA_ROWS_OK || stoa_check_over(c->checker)) {
            return false;
        }
    }
    return true;
}

/* The memory type that an entry is read with. */
static hid_t entry_memory_type(const stoa_datum_type *datum, const entry_layout *layout)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, layout->size);
    bool is_whole = type >= 0 && H5Tinsert(type, "min", 0, datum->memory_type) >= 0 &&
                    H5Tinsert(type, "max", layout->max, datum->memory_type) >= 0;

    for (size_t i = 0; i < 3; i++) {
        is_whole = is_whole && H5Tinsert(type, count_names[i], layout->nan_count + 8 * i,
                                         H5T_NATIVE_UINT64) >= 0;
    }
    if (!is_whole) {
        (void)stoa_hdf_close(&type, STOA_OK, NULL);
    }
    return type;
}

static void compare_contents(stoa_checker *checker, const stoa_subject *index,
                             const stoa_checked_column *column, const stoa_rows *rows,
                             uint64_t n_rows, uint64_t needed)
{
    comparison c = {checker,
                    index->path,
                    column,
                    rows,
                    n_rows,
                    lay_out(&column->datum),
                    .column_status = STOA_ROWS_OK};
    stoa_rows entries;
    stoa_rows_status status = stoa_rows_of(checker, index->id, &entries);
    hid_t memory_type = entry_memory_type(&column->datum, &c.layout);

    if (needed > entries.extent) {
        needed = entries.extent;
    }
    if (needed > MAX_ENTRIES) {
        status = STOA_ROWS_TOO_LARGE;
    }
    if (memory_type < 0) {
        status = STOA_ROWS_BROKEN;
    }
    if (status == STOA_ROWS_OK && needed > 0) {
        status = stoa_rows_read(checker, index->id, &entries, memory_type, c.layout.size, 0, needed,
                                visit_entries, &c);
    }
    stoa_rows_report(checker, index->path, status);
    stoa_rows_report(checker, column->subject.path, c.column_status);
    (void)stoa_hdf_close(&memory_type, STOA_OK, NULL);
    stoa_rows_clear(&entries);
}

/* --- entry point ----------------------------------------------------------------------------- */

/* Check the length, and the contents if requested; the form is known to be right. */
static void check_entries(stoa_checker *checker, const stoa_checked_table *table,
                          const stoa_subject *index, uint64_t length,
                          const stoa_checked_column *column)
{
    stoa_rows rows;
    stoa_rows_status status = stoa_rows_of(checker, column->subject.id, &rows);
    const uint64_t needed = stoa_chunks_needed(&rows, table->n_rows);

    stoa_check_length(checker, index->path, "entries", length, needed, STOA_RULE_MINMAX_LENGTH,
                      STOA_RULE_MINMAX_RESIDUE);
    /* A short column has a finding of its own. */
    if (checker->indexes && rows.extent >= table->n_rows) {
        if (column->datum.kind == STOA_DATUM_NONE) {
            status = STOA_ROWS_TOO_LARGE;
        }
        if (status == STOA_ROWS_OK) {
            compare_contents(checker, index, column, &rows, table->n_rows, needed);
        } else {
            stoa_rows_report(checker, column->subject.path, status);
        }
    }
    stoa_rows_clear(&rows);
}

void stoa_check_minmax(stoa_checker *checker, const stoa_checked_index *index)
{
    const stoa_subject *const subject = &index->subject;
    const stoa_checked_column *const column = index->column;
    hid_t type = H5Dget_type(subject->id);
    uint64_t dims[2] = {0, 0};
    const bool is_list = stoa_check_shape(subject->id, dims) == 1;

    if (column != NULL && !column->datum.is_ordered) {
        stoa_check_report(checker, subject->path, STOA_RULE_MINMAX_ORDERABLE,
                          "the datatype of the column '%s' has no order (§10.5)",
                          column->subject.path);
    } else if (!is_list) {
        stoa_check_report(checker, subject->path, STOA_RULE_MINMAX_SHAPE,
                          "the index must be one-dimensional");
    } else if (column == NULL) {
        if (!has_fields(type)) {
            report_fields(checker, subject->path);
        }
    } else if (check_type(checker, subject->path, type, column->type) && index->table->has_n_rows &&
               !index->is_stale) {
        check_entries(checker, index->table, subject, dims[0], column);
    }
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
}
