/* Presents the columns of pandas' table format (table.c). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/period.h"
#include "layout/pandas/shape.h"
#include "layout/pandas/table_read.h"

stoa_status stoa_pandas_text_of(hid_t object, const char *member, const char *suffix, char **text,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = stoa_format("%s%s", member, suffix);

    *text = NULL;
    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_read_text(object, name, text, err));

done:
    free(name);
    return status;
}

stoa_status stoa_pandas_nan_rep_of(const stoa_pandas_opening *f, const char *member, bool is_index,
                                   char **text, stoa_error *err)
{
    const char *const of_all = f->nan_rep == NULL && is_index ? "nan" : f->nan_rep;
    char *const name = stoa_format("%s_nan_rep", member);
    stoa_status status = name != NULL ? STOA_OK : stoa_fail_memory(err);

    if (status == STOA_OK) {
        status = stoa_pandas_nan_rep(f->dataset, name, of_all, text, err);
    }
    free(name);
    return status;
}

/* Read all categories from the series meta/<member>/meta; none if it does not exist. */
static stoa_status present_categories(stoa_pandas_opening *f, const stoa_pandas_found *is,
                                      stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *path = stoa_format("meta/%s/meta", is->member);
    hid_t group = H5I_INVALID_HID;
    stoa_table *series = NULL;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray labels = {.release = NULL};
    const stoa_pickled *const ordered =
        stoa_pickled_get(stoa_pickled_get(stoa_pandas_root(f->info), is->member), "ordered");
    const bool is_ordered =
        ordered != NULL && ordered->kind == STOA_PICKLE_BOOL && ordered->as.truth;

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    if (f->is_of_labels) {
        STOA_FAIL(err, STOA_EDATA, "categories have categories, of '%s'", is->label.name);
    }
    const stoa_error_stack errors = stoa_error_stack_begin();
    group = stoa_open_here(f->group, path);
    stoa_error_stack_discard(&errors);
    if (group < 0) {
        STOA_TRY(stoa_pandas_no_labels(&schema, &labels, err));
        stoa_column_as_codes(column, &schema, &labels, is_ordered);
    } else {
        const hid_t taken = group;
        group = H5I_INVALID_HID;
        STOA_TRY(f->open(taken, path, f->table->file, true, &series, err));
        const size_t n = stoa_table_n_columns(series);
        if (n == 0) {
            STOA_FAIL(err, STOA_EDATA, "the categories at '%s' have no values", path);
        }
        stoa_column *const values = stoa_table_column(series, n - 1);
        STOA_TRY(stoa_column_as_codes_of(column, values, is_ordered, err));
        STOA_TRY(stoa_pandas_add_categories(&f->notes, is->label.name, is_ordered, values, err));
    }
    if (is->labels_rows) { /* the dictionaries of other columns show this */
        STOA_TRY(stoa_pandas_add_dtype(&f->notes, is->label.name, "category", err));
    }

done:
    stoa_table_close(series);
    free(path);
    return stoa_hdf_close(&group, status, err);
}

/* Note the dtype of a column that its values do not show: its unit or frequency. */
static stoa_status note_type(stoa_pandas_opening *f, const stoa_pandas_found *is,
                             stoa_column **column, const char *dtype, stoa_error *err)
{
    const stoa_type *const type = &(*column)->type;
    const bool is_index = is->labels_rows && !f->is_multi;
    const bool is_wide =
        stoa_pandas_dtype_of_unit(type) != NULL && (is_index || type->kind == STOA_KIND_DURATION);
    stoa_pandas_freq freq;
    char period[STOA_PANDAS_DTYPE_SIZE];

    if (is_wide && !(is->labels_rows && f->is_multi)) {
        STOA_RETURN_NOT_OK(stoa_pandas_add_dtype(&f->notes, is->label.name, dtype, err));
    }
    if (!is_index ||
        !stoa_pandas_freq_of(
            stoa_pickled_get(stoa_pickled_get(stoa_pandas_root(f->info), "index"), "freq"),
            &freq)) {
        return STOA_OK;
    }
    if (type->kind == STOA_KIND_INT64 && stoa_pandas_is_of_periods(&freq)) {
        stoa_pandas_period_dtype(&freq, period);
        STOA_RETURN_NOT_OK(stoa_pandas_add_dtype(&f->notes, is->label.name, period, err));
        STOA_RETURN_NOT_OK(stoa_pandas_as_periods(column, &freq, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_pandas_add_freq(&f->notes, &freq, *column, err));
    }
    return STOA_OK;
}

stoa_status stoa_pandas_present(stoa_pandas_opening *f, const stoa_pandas_found *is,
                                stoa_column **shown, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const column = *shown;
    const bool is_index = strcmp(is->member, "index") == 0;
    char *dtype = NULL;
    char *meta = NULL;
    char *zone = NULL;
    char *nan_rep = NULL;

    STOA_TRY(
        stoa_pandas_text_of(f->dataset, is->member, is_index ? "_kind" : "_dtype", &dtype, err));
    STOA_TRY(stoa_pandas_text_of(f->dataset, is->member, "_meta", &meta, err));
    zone = stoa_pandas_zone(
        stoa_pickled_get(stoa_pickled_get(stoa_pandas_root(f->info), is->member), "tz"));
    if (meta != NULL && strcmp(meta, "category") == 0 &&
        column->element.class == STOA_ELEMENT_INTEGER) {
        STOA_TRY(present_categories(f, is, column, err));
        STOA_TRY(stoa_pandas_set_missing_code(column, err));
    } else {
        STOA_TRY(stoa_pandas_nan_rep_of(f, is->member, is_index, &nan_rep, err));
        STOA_TRY(stoa_pandas_set_type(column, dtype, zone, nan_rep, err));
        if (stoa_kind_is_string(column->type.kind) && !is->labels_rows) {
            free(meta); /* for strings, pandas looks for it by label */
            meta = NULL;
            STOA_TRY(stoa_pandas_text_of(f->dataset, is->label.name, "_meta", &meta, err));
            STOA_TRY(stoa_pandas_add_strings(&f->notes, is->label.name, meta, err));
        }
        STOA_TRY(note_type(f, is, shown, dtype, err));
    }

done:
    free(nan_rep);
    free(zone);
    free(meta);
    free(dtype);
    return status;
}
