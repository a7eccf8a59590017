/* Reads the row labels of a frame in pandas' fixed format: an array, or the levels of a MultiIndex
 * (fixed_read.h). */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/pandas/fixed_read.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/period.h"
#include "layout/pandas/shape.h"
#include "table/open/foreign.h"

typedef struct row_axis {
    hid_t group;
    const char *name;
    stoa_table *table;
    stoa_pandas_metadata *notes;
} row_axis;

stoa_status stoa_pandas_check_rows(const stoa_table *table, const stoa_column *column,
                                   stoa_error *err)
{
    return column->n_rows == table->n_rows
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "column '%s' has %llu rows, the frame %llu",
                           column->name, (unsigned long long)column->n_rows,
                           (unsigned long long)table->n_rows);
}

/* Takes ownership of the column, also on failure. */
static stoa_status add_labels(const row_axis *f, stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (f->table->n_columns == 0) {
        f->table->n_rows = column->n_rows;
    }
    STOA_TRY(stoa_pandas_check_rows(f->table, column, err));
    status = stoa_foreign_add(f->table, column, err);
    column = NULL;
    STOA_TRY(status);
    STOA_TRY(stoa_foreign_label_rows(f->table, f->table->n_columns - 1, err));

done:
    stoa_column_close(column);
    return status;
}

/* Note the dtype of row labels where their values do not show it. Replace periods by their
 * starts. */
static stoa_status add_dtype(const row_axis *f, const char *node, const char *name,
                             stoa_column **labels, stoa_error *err)
{
    const stoa_type *const type = &(*labels)->type;
    stoa_pandas_freq freq;
    bool are_periods = false;
    char period[STOA_PANDAS_DTYPE_SIZE];
    const char *dtype = NULL;

    const bool has_freq = stoa_pandas_freq_at(f->group, node, &freq, &are_periods);
    if (are_periods && has_freq && type->kind == STOA_KIND_INT64) {
        stoa_pandas_period_dtype(&freq, period);
        dtype = period;
        STOA_RETURN_NOT_OK(stoa_pandas_as_periods(labels, &freq, err));
    } else if (type->kind == STOA_KIND_DATE) {
        dtype = "date";
    } else {
        dtype = stoa_pandas_dtype_of_unit(type);
    }
    return dtype != NULL ? stoa_pandas_add_dtype(f->notes, name, dtype, err) : STOA_OK;
}

/* Note that texts of the row labels may be missing, as they may in pandas' dtype `str` alone. */
static stoa_status add_strings(const row_axis *f, const char *node, const char *name,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;
    char *nan_rep = NULL;

    STOA_HDF(err, dataset = stoa_open_here(f->group, node), "open '%s'", node);
    STOA_TRY(stoa_pandas_nan_rep(dataset, "nan_rep", NULL, &nan_rep, err));
    if (nan_rep != NULL && nan_rep[0] != '\0') {
        STOA_TRY(stoa_pandas_add_strings(f->notes, name, "str", err));
    }

done:
    free(nan_rep);
    return stoa_hdf_close(&dataset, status, err);
}

/* Add a level without rows. pandas does not store its codes as integers. */
static stoa_status add_no_labels(const row_axis *f, stoa_column *labels, const char *name,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_column *column = NULL;
    char *const own = stoa_strdup(name);

    STOA_TRY(own != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_schema(labels, &schema, err));
    STOA_TRY(stoa_column_read(labels, 0, 0, &array, err));
    STOA_TRY(stoa_column_of_array(&schema, &array, &column, err));
    free(column->name);
    column->name = own;
    return add_labels(f, column, err);

done:
    free(own);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* Add a level of a MultiIndex: codes of its distinct labels, where -1 is missing. */
static stoa_status add_level(const row_axis *f, unsigned i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *level = stoa_format("%s_level%u", f->name, i);
    char *codes = stoa_format("%s_label%u", f->name, i);
    char *otherwise = stoa_format("level_%u", i);
    stoa_pandas_label_text label = {NULL, NULL, false};
    stoa_column *labels = NULL;
    stoa_column *column = NULL;

    STOA_TRY(level != NULL && codes != NULL && otherwise != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_name_of(f->group, level, otherwise, &label, err));
    STOA_TRY(stoa_pandas_add_index(f->notes, f->table, &label, otherwise, err));
    STOA_TRY(
        stoa_pandas_open_line(f->group, level, "kind", 0, STOA_WHOLE_ROWS, "labels", &labels, err));
    STOA_TRY(add_dtype(f, level, label.name, &labels, err));
    STOA_TRY(stoa_pandas_open_line(f->group, codes, "kind", 0, STOA_WHOLE_ROWS, label.name, &column,
                                   err));
    if (column->n_rows == 0) {
        STOA_TRY(add_no_labels(f, labels, label.name, err));
        goto done;
    }
    if (column->element.class != STOA_ELEMENT_INTEGER || column->source.read_array != NULL) {
        STOA_FAIL(err, STOA_EDATA, "'%s' does not hold codes", codes);
    }
    STOA_TRY(stoa_column_as_codes_of(column, labels, false, err));
    STOA_TRY(stoa_pandas_set_missing_code(column, err));
    status = add_labels(f, column, err);
    column = NULL;

done:
    stoa_column_close(labels);
    stoa_column_close(column);
    free(level);
    free(codes);
    free(otherwise);
    stoa_pandas_label_clear(&label);
    return status;
}

stoa_status stoa_pandas_add_row_labels(hid_t group, const char *axis, stoa_table *table,
                                       stoa_pandas_metadata *notes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const row_axis f = {group, axis, table, notes};
    stoa_pandas_label_text label = {NULL, NULL, false};
    stoa_column *column = NULL;
    uint64_t n_levels = 0;
    stoa_pandas_freq freq;
    bool are_periods = false;

    STOA_TRY(stoa_pandas_axis_levels(group, axis, &n_levels, err));
    for (unsigned i = 0; i < n_levels; i++) {
        STOA_TRY(add_level(&f, i, err));
    }
    if (n_levels == 0) {
        STOA_TRY(stoa_pandas_name_of(group, axis, "index", &label, err));
        STOA_TRY(stoa_pandas_add_index(notes, table, &label, "index", err));
        STOA_TRY(stoa_pandas_open_line(group, axis, "kind", 0, STOA_WHOLE_ROWS, label.name, &column,
                                       err));
        STOA_TRY(add_dtype(&f, axis, label.name, &column, err));
        STOA_TRY(add_strings(&f, axis, label.name, err));
        if (stoa_pandas_freq_at(group, axis, &freq, &are_periods) && !are_periods) {
            STOA_TRY(stoa_pandas_add_freq(notes, &freq, column, err));
        }
        status = add_labels(&f, column, err);
        column = NULL;
        STOA_TRY(status);
    }

done:
    stoa_column_close(column);
    stoa_pandas_label_clear(&label);
    return status;
}
