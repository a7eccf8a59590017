/* Rules that depend on a column's values (HEP001 §8.5, §8.7). */
#include <string.h>

#include "check/column_rules.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/filters.h"
#include "hdf/chunk/unpack.h"
#include "hdf/metadata/libhdf5_checks.h"

typedef struct scan {
    stoa_checker *checker;
    const stoa_checked_column *column;
    bool wants_codes;    /* 8.7-CODE-RANGE */
    bool wants_override; /* 8.5-OVERRIDE-RANGE */
    bool wants_range;    /* 8.5-VALID-VALUE */
    bool wants_missing;  /* 8.5-ENUM-MISSING */
    bool wants_boolean;  /* J8.8-VALUE */
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
    } sentinel; /* the recommended fill value (Table 1) */
} scan;

/* Table 1: the recommended fill value of the column's type; false if it has none. */
static bool find_sentinel(const stoa_checked_column *column, scan *s)
{
    const size_t size = H5Tget_size(column->type);
    const bool is_whole = H5Tget_precision(column->type) == 8 * size;

    if (column->class == H5T_FLOAT) {
        s->sentinel.f64 = 0x1.ep+122; /* 9.9692099683868690e+36 */
        return column->datum.kind == STOA_DATUM_FLOAT && size >= 4;
    }
    if (column->class != H5T_INTEGER || !is_whole ||
        (size != 1 && size != 2 && size != 4 && size != 8)) {
        return false;
    }
    if (column->datum.kind == STOA_DATUM_SIGNED) {
        s->sentinel.i64 = -(INT64_MAX >> (64 - 8 * size));
        return true;
    }
    s->sentinel.u64 = UINT64_MAX >> (64 - 8 * size);
    return column->datum.kind == STOA_DATUM_UNSIGNED;
}

static bool is_code(const stoa_checked_column *column, const void *value)
{
    uint64_t code = 0; /* a negative code exceeds any extent */

    memcpy(&code, value, sizeof code);
    return code < column->labels->extent;
}

static bool is_boolean(const void *value)
{
    uint64_t code = 0;

    memcpy(&code, value, sizeof code);
    return code <= 1;
}

/* NaN has no order, so it is outside no range. As data it needs no finding. */
static bool is_in_range(const stoa_checked_column *column, const void *value)
{
    const stoa_datum_type *datum = &column->datum;

    return stoa_datum_is_nan(datum, value) ||
           (stoa_datum_compare(datum, column->valid_min, value) <= 0 &&
            stoa_datum_compare(datum, value, column->valid_max) <= 0);
}

/* One finding per rule is enough: each finding disables its own check. */
static void judge(scan *s, uint64_t row, const void *value)
{
    const stoa_checked_column *const column = s->column;
    const char *const path = column->subject.path;
    char text[STOA_DATUM_TEXT];

    if (s->wants_boolean && !is_boolean(value)) {
        s->wants_boolean = false;
        stoa_check_report(s->checker, path, STOA_RULE_BOOLEAN_VALUE,
                          "%s %llu holds %s, which is neither FALSE nor TRUE", column->unit,
                          (unsigned long long)row, stoa_datum_text(&column->datum, value, text));
    }
    if (stoa_datum_is_missing(&column->datum, column->fill, value)) {
        if (s->wants_missing) {
            s->wants_missing = false;
            stoa_check_report(s->checker, path, STOA_RULE_ENUM_MISSING,
                              "%s %llu is missing, and the enumeration has no member MISSING",
                              column->unit, (unsigned long long)row);
        }
        return;
    }
    if (s->wants_codes && !is_code(column, value)) {
        s->wants_codes = false;
        stoa_check_report(s->checker, path, STOA_RULE_CODE_RANGE,
                          "%s %llu holds the code %s; there are %llu labels", column->unit,
                          (unsigned long long)row, stoa_datum_text(&column->datum, value, text),
                          (unsigned long long)column->labels->extent);
    }
    if (s->wants_override && stoa_datum_same(&column->datum, value, &s->sentinel)) {
        s->wants_override = false;
        stoa_check_report(s->checker, path, STOA_RULE_OVERRIDE_RANGE,
                          "%s %llu holds the recommended fill value %s as data; declare the "
                          "column's range by valid_min and valid_max",
                          column->unit, (unsigned long long)row,
                          stoa_datum_text(&column->datum, value, text));
    }
    if (s->wants_range && !is_in_range(column, value)) {
        s->wants_range = false;
        stoa_check_report(s->checker, path, STOA_RULE_VALID_VALUE,
                          "%s %llu holds %s, outside [valid_min, valid_max]; it remains a value",
                          column->unit, (unsigned long long)row,
                          stoa_datum_text(&column->datum, value, text));
    }
}

static bool wants_anything(const scan *s)
{
    return (s->wants_codes || s->wants_override || s->wants_range || s->wants_missing ||
            s->wants_boolean) &&
           !stoa_check_over(s->checker);
}

static bool visit_values(void *context, uint64_t first, const void *elements, size_t n)
{
    scan *s = context;
    const char *value = elements;

    for (size_t i = 0; i < n && wants_anything(s); i++, value += s->column->datum.size) {
        judge(s, first + i, value);
    }
    return wants_anything(s);
}

/* --- floats in scale-offset ------------------------------------------------------------------- */

/* Report the first chunk that libhdf5 packed, which rounds, if Stoa packed another one, without
 * loss. A column that its writer rounded as a whole is as it was meant. */
static void find_rounded(stoa_checker *checker, const stoa_checked_column *column, hid_t dcpl,
                         const stoa_pipeline *pipeline, const stoa_rows *rows)
{
    const hid_t dataset = column->subject.id;
    stoa_scratch scratch = {.sizes = {0}};
    stoa_float_packing packing = STOA_FLOATS_OTHERWISE;
    uint64_t rounded = UINT64_MAX;
    bool is_exact = false;

    for (size_t i = 0; i < rows->n_chunks && !(is_exact && rounded != UINT64_MAX); i++) {
        const hsize_t offset = rows->chunks[i] * rows->chunk_rows;
        if (stoa_chunk_float_packing(dataset, dcpl, &offset, pipeline, &scratch, &packing, NULL) !=
            STOA_OK) {
            stoa_check_memory(checker);
            break;
        }
        is_exact = is_exact || packing == STOA_FLOATS_EXACT;
        rounded = packing == STOA_FLOATS_ROUNDED && rounded == UINT64_MAX ? offset : rounded;
    }
    if (is_exact && rounded != UINT64_MAX) {
        stoa_check_report(checker, column->subject.path, STOA_RULE_ROUNDED,
                          "the chunk of %s %llu was written by another program, which rounds its "
                          "values to %u decimals; write them again by Stoa",
                          column->unit, (unsigned long long)rounded,
                          pipeline->filters[0].values[1]);
    }
    stoa_scratch_clear(&scratch);
}

static void check_rounding(stoa_checker *checker, const stoa_checked_column *column)
{
    hid_t dcpl = stoa_dataset_properties(column->subject.id);
    hsize_t chunk_rows = 0;
    stoa_pipeline pipeline;
    stoa_rows rows;

    if (column->class == H5T_FLOAT && H5Pget_layout(dcpl) == H5D_CHUNKED &&
        H5Pget_chunk(dcpl, 1, &chunk_rows) == 1 &&
        stoa_pipeline_of(dcpl, stoa_stored_size(column->type), chunk_rows, &pipeline) &&
        pipeline.n_filters > 0 && pipeline.filters[0].id == STOA_FILTER_SCALEOFFSET) {
        if (stoa_rows_of(checker, column->subject.id, &rows) == STOA_ROWS_OK) {
            find_rounded(checker, column, dcpl, &pipeline, &rows);
        }
        stoa_rows_clear(&rows);
    }
    (void)stoa_hdf_close(&dcpl, STOA_OK, NULL);
}

void stoa_check_column_values(stoa_checker *checker, const stoa_checked_column *column,
                              uint64_t n_rows)
{
    scan s = {checker, column, .wants_codes = false};
    stoa_rows rows;
    stoa_rows_status status = STOA_ROWS_OK;
    uint64_t n_visited = 0;

    if (n_rows == 0) {
        return;
    }
    check_rounding(checker, column);
    s.wants_codes = column->labels != NULL && column->class == H5T_INTEGER;
    /* A sentinel that is the fill value is not data. Codes have a narrower rule of their own. */
    s.wants_override = find_sentinel(column, &s) && column->fill != NULL &&
                       !stoa_datum_same(&column->datum, column->fill, &s.sentinel) &&
                       !column->is_categorical &&
                       (H5Aexists(column->subject.id, "valid_min") == 0 ||
                        H5Aexists(column->subject.id, "valid_max") == 0);
    s.wants_range = column->valid_min != NULL && column->valid_max != NULL;
    s.wants_missing = column->wants_missing_member;
    s.wants_boolean = column->is_boolean;
    if (column->datum.kind == STOA_DATUM_NONE || !wants_anything(&s)) {
        /* Nothing to check. A missing filter is reported anyway. */
        stoa_rows_report(checker, column->subject.path,
                         stoa_rows_check_filters(checker, column->subject.id));
        return;
    }

    status = stoa_rows_of(checker, column->subject.id, &rows);
    n_rows = n_rows < rows.extent ? n_rows : rows.extent;
    if (status == STOA_ROWS_OK) {
        status =
            stoa_rows_read_stored(checker, column->subject.id, &rows, column->datum.memory_type,
                                  column->datum.size, n_rows, visit_values, &s, &n_visited);
    }
    stoa_rows_report(checker, column->subject.path, status);
    if (status == STOA_ROWS_OK && s.wants_missing && n_visited < n_rows) {
        stoa_check_report(checker, column->subject.path, STOA_RULE_ENUM_MISSING,
                          "rows that were never written are missing, and the enumeration has no "
                          "member MISSING");
    }
    stoa_rows_clear(&rows);
}
