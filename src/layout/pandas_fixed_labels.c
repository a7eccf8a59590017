/* What the columns of a frame are called in pandas' fixed format; see pandas_fixed_write.h. */
#include "layout/pandas_fixed_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/attributes.h"
#include "layout/lines.h"
#include "layout/pandas_frame.h"
#include "layout/pickle_write.h"
#include "layout/pytables.h"

/* --- labels of columns ----------------------------------------------------------------------- */

/* An axis of names, as fixed strings. */
static stoa_status put_names(const stoa_pandas_fixed *f, const char *axis, const char *const *names,
                             size_t n, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t width = 1;
    hid_t type = H5I_INVALID_HID;
    char *block = NULL;

    for (size_t i = 0; i < n; i++) {
        width = strlen(names[i]) > width ? strlen(names[i]) : width;
    }
    block = stoa_alloc_zero(n, width);
    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        memcpy(block + i * width, names[i], strlen(names[i]));
    }
    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, width), "size a string type");
    STOA_TRY(stoa_line_make(f->group, axis, type, n, 0, NULL, dataset, err));
    STOA_TRY(stoa_pandas_mark_array(*dataset, "ARRAY", "2.4", err));
    STOA_TRY(stoa_line_write(*dataset, type, 0, n, block, err));
    STOA_TRY(stoa_pytables_write_text(*dataset, "kind", "string", err));

done:
    free(block);
    return stoa_hdf_close(&type, status, err);
}

/* --- labels that are no texts ----------------------------------------------------------------- */

static stoa_pickle_kind kind_of_label(const stoa_pandas_fixed *f, const char *name)
{
    const stoa_pickled *const label = stoa_pandas_label_of(f->source, name);

    return label == NULL ? STOA_PICKLE_TEXT : label->kind;
}

/* The kind that all labels are of; that of texts, their names, where pandas' fixed format has no
 * other way: of several levels, and of labels that are alike. */
stoa_status stoa_pandas_fixed_plan_labels(stoa_pandas_fixed *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_strings said = {0};
    stoa_buffer label = {0};
    bool is_first = true;
    bool is_unique = true;

    f->label_kind = STOA_PICKLE_TEXT;
    for (size_t i = 0; i < f->n_columns; i++) {
        const char *const name = f->columns[i].shape.field->name;
        const stoa_pickle_kind kind = kind_of_label(f, name);
        const uint32_t n_before = said.count;
        uint32_t number = 0;
        if (f->columns[i].is_index) {
            continue;
        }
        label.size = 0;
        STOA_TRY(stoa_pandas_put_label(&label, f->source, name, err));
        STOA_TRY(stoa_strings_add(&said, label.data, label.size, &number, err));
        is_unique = is_unique && number == n_before;
        f->label_kind = is_first || kind == f->label_kind ? kind : STOA_PICKLE_OBJECT;
        is_first = false;
    }
    f->has_labels = is_unique && stoa_pickled_count(stoa_pandas_names(f->source)) < 2;
    f->label_kind = f->has_labels ? f->label_kind : STOA_PICKLE_TEXT;

done:
    stoa_buffer_clear(&label);
    stoa_strings_clear(&said);
    return status;
}

/* Integers or floats. */
static stoa_status put_numbers(const stoa_pandas_fixed *f, const char *axis,
                               const char *const *names, size_t n, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_float = f->label_kind == STOA_PICKLE_FLOAT;
    const stoa_kind kind = is_float ? STOA_KIND_FLOAT64 : STOA_KIND_INT64;
    int64_t *values = stoa_alloc(n, sizeof *values);

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        const stoa_pickled *const label = stoa_pandas_label_of(f->source, names[i]);
        memcpy(&values[i], is_float ? (const void *)&label->as.number : &label->as.integer,
               sizeof *values);
    }
    STOA_TRY(stoa_pandas_fixed_make(f, axis, kind, is_float ? "float64" : "int64", n, false,
                                    dataset, err));
    STOA_TRY(stoa_pandas_fixed_put(*dataset, kind, 0, n, values, err));
    STOA_TRY(stoa_pytables_write_text(*dataset, "kind", is_float ? "float" : "integer", err));

done:
    free(values);
    return status;
}

/* Of several kinds. */
static stoa_status put_objects(const stoa_pandas_fixed *f, const char *axis,
                               const char *const *names, size_t n, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer pickle = {0};

    STOA_TRY(stoa_pickle_begin_objects(&pickle, n, false, err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(stoa_pandas_put_label(&pickle, f->source, names[i], err));
    }
    STOA_TRY(stoa_pickle_end_objects(&pickle, err));
    STOA_TRY(stoa_pandas_fixed_objects(f, axis, &pickle, dataset, err));
    STOA_TRY(stoa_pytables_write_text(*dataset, "kind", "object", err));

done:
    stoa_buffer_clear(&pickle);
    return status;
}

/* What the axis of columns is called, as far as that is a text. */
static stoa_status say_axis_name(const stoa_pandas_fixed *f, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_pickled *const names = stoa_pandas_names(f->source);
    char *name =
        stoa_pickled_count(names) == 1 ? stoa_pickled_text(stoa_pickled_item(names, 0)) : NULL;

    if (name != NULL) {
        STOA_TRY(stoa_pytables_write_text(dataset, "name", name, err));
    }

done:
    free(name);
    return status;
}

/* Texts: the labels, where these are used. */
static stoa_status put_texts_of(const stoa_pandas_fixed *f, const char *axis,
                                const char *const *names, size_t n, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char **texts = stoa_alloc_zero(n, sizeof *texts);

    STOA_TRY(texts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        texts[i] =
            f->has_labels ? stoa_pickled_text(stoa_pandas_label_of(f->source, names[i])) : NULL;
        texts[i] = texts[i] != NULL ? texts[i] : stoa_strdup(names[i]);
        STOA_TRY(texts[i] != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    STOA_TRY(put_names(f, axis, (const char *const *)texts, n, dataset, err));

done:
    for (size_t i = 0; texts != NULL && i < n; i++) {
        free(texts[i]);
    }
    free(texts);
    return status;
}

static stoa_status put_labels(const stoa_pandas_fixed *f, const char *axis,
                              const char *const *names, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;

    if (n == 0) { /* what pandas has where there are no columns: a RangeIndex of none */
        STOA_TRY(
            stoa_pandas_fixed_make(f, axis, STOA_KIND_INT64, "int64", 0, false, &dataset, err));
        STOA_TRY(stoa_pytables_write_text(dataset, "kind", "integer", err));
    } else if (f->label_kind == STOA_PICKLE_TEXT) {
        STOA_TRY(put_texts_of(f, axis, names, n, &dataset, err));
    } else if (f->label_kind == STOA_PICKLE_INT || f->label_kind == STOA_PICKLE_FLOAT) {
        STOA_TRY(put_numbers(f, axis, names, n, &dataset, err));
    } else {
        STOA_TRY(put_objects(f, axis, names, n, &dataset, err));
    }
    STOA_TRY(say_axis_name(f, dataset, err));
    STOA_TRY(stoa_pandas_say_regular(f, axis, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

stoa_status stoa_pandas_fixed_labels(const stoa_pandas_fixed *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **names = stoa_alloc(f->n_columns, sizeof *names);
    size_t n = 0;
    char items[48];

    STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < f->n_columns; i++) {
        const stoa_pandas_putting *const column = &f->columns[i];
        const char *const name = column->shape.field->name;
        if (strcmp(name, "nan") == 0) {
            STOA_FAIL(err, STOA_ETYPE, "a column called 'nan' has no name in pandas' files");
        }
        if (!column->is_index) {
            names[n++] = name;
            (void)snprintf(items, sizeof items, "block%zu_items", column->number);
            STOA_TRY(put_labels(f, items, &name, 1, err));
        }
    }
    STOA_TRY(put_labels(f, "axis0", names, n, err));
    STOA_TRY(stoa_pandas_say_count(f->group, "nblocks", (int64_t)n, err));

done:
    free(names);
    return status;
}

stoa_status stoa_pandas_say_label(hid_t object, const stoa_pickled *label, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    stoa_buffer pickle = {0};
    bool is_plain = true;

    STOA_TRY(stoa_pickle_put_node(&pickle, label, &is_plain, err));
    STOA_TRY(stoa_pickle_put(&pickle, ".", err));
    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, pickle.size), "size a string type");
    STOA_TRY(stoa_attribute_write_scalar(object, "name", type, type, pickle.data, err));

done:
    stoa_buffer_clear(&pickle);
    return stoa_hdf_close(&type, status, err);
}

/* "values" is what a Series without a name is read as: pandas reads none where nothing is said. */
stoa_status stoa_pandas_say_series_name(const stoa_pandas_fixed *f, stoa_error *err)
{
    const char *name = "values";

    for (size_t i = 0; i < f->n_columns; i++) {
        name = f->columns[i].is_index ? name : f->columns[i].shape.field->name;
    }
    const stoa_pickled *const label = stoa_pandas_label_of(f->source, name);
    if (label != NULL) {
        return stoa_pandas_say_label(f->group, label, err);
    }
    return strcmp(name, "values") == 0 ? STOA_OK
                                       : stoa_pytables_write_text(f->group, "name", name, err);
}
