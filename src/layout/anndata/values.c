/* Datasets of an AnnData frame, and its values, batch by batch (frame.h). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "layout/anndata/frame.h"
#include "layout/common/column_datasets.h"

/* --- datasets -------------------------------------------------------------------------------- */

stoa_status stoa_frame_array(const stoa_frame *f, hid_t group, const char *name, hid_t type,
                             uint64_t n_rows, hid_t *dataset, stoa_error *err)
{
    /* Filters do not help strings, of which a dataset only holds references. */
    const char *codec = type != f->text ? f->source->options->codec : NULL;

    STOA_RETURN_NOT_OK(stoa_column_dataset_make(group, name, type, n_rows, 0, codec, dataset, err));
    return stoa_anndata_encode(*dataset, type == f->text ? "string-array" : "array", "0.2.0", err);
}

stoa_status stoa_frame_type(const stoa_frame *f, stoa_kind kind, hid_t *type, stoa_error *err)
{
    if (stoa_kind_is_integer(kind) || stoa_kind_is_float(kind)) {
        return stoa_column_dataset_stored(kind, type, err);
    }
    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(kind == STOA_KIND_BOOL ? f->truth : f->text),
                          "make a datatype");
    return STOA_OK;
}

bool stoa_frame_is_text(const stoa_frame *f, const stoa_frame_column *column)
{
    const stoa_kind kind = column->type.kind;

    return stoa_kind_is_string(kind) || kind == STOA_KIND_DICTIONARY ||
           (f->is_axis && column->is_index && stoa_kind_is_integer(kind));
}

/* --- values ---------------------------------------------------------------------------------- */

static stoa_status put_texts(const stoa_frame *f, hid_t dataset, const stoa_view *view,
                             uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer texts = {0};
    char **pointers = NULL;

    STOA_TRY(stoa_column_dataset_texts(view, &texts, &pointers, err));
    STOA_TRY(
        stoa_column_dataset_write(dataset, f->text, first, (uint64_t)view->length, pointers, err));

done:
    free(pointers);
    stoa_buffer_clear(&texts);
    return status;
}

static stoa_status put_plain(const stoa_frame *f, hid_t dataset, const stoa_view *view,
                             uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_bool = view->type.kind == STOA_KIND_BOOL;
    void *values = stoa_alloc((size_t)view->length, sizeof(uint64_t));
    hid_t float16 = H5I_INVALID_HID;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    if (is_bool) {
        stoa_column_dataset_bools(view, values);
    } else {
        stoa_column_dataset_numbers(view, values);
    }
    if (view->type.kind == STOA_KIND_FLOAT16) {
        STOA_TRY(stoa_column_dataset_stored(STOA_KIND_FLOAT16, &float16, err));
    }
    STOA_TRY(stoa_column_dataset_write(dataset,
                                       is_bool        ? f->truth
                                       : float16 >= 0 ? float16
                                                      : stoa_column_dataset_native(view->type.kind),
                                       first, (uint64_t)view->length, values, err));

done:
    free(values);
    return stoa_hdf_close(&float16, status, err);
}

/* Integers as decimal strings. */
static stoa_status put_numbers_as_text(const stoa_frame *f, hid_t dataset, const stoa_view *view,
                                       uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_signed = stoa_kind_is_signed(view->type.kind);
    char(*texts)[STOA_NUMBER_SIZE] = stoa_alloc((size_t)view->length, sizeof *texts);
    char **pointers = stoa_alloc((size_t)view->length, sizeof *pointers);

    STOA_TRY(texts != NULL && pointers != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < view->length; i++) {
        const int64_t number = stoa_view_i64(view, i);
        (void)(is_signed ? stoa_format_i64(number, texts[i])
                         : stoa_format_u64((uint64_t)number, texts[i]));
        pointers[i] = texts[i];
    }
    STOA_TRY(
        stoa_column_dataset_write(dataset, f->text, first, (uint64_t)view->length, pointers, err));

done:
    free(pointers);
    free(texts);
    return status;
}

static stoa_status put_values(const stoa_frame *f, hid_t dataset, const stoa_view *view,
                              uint64_t first, stoa_error *err)
{
    return stoa_kind_is_string(view->type.kind) || view->type.kind == STOA_KIND_DICTIONARY
               ? put_texts(f, dataset, view, first, err)
               : put_plain(f, dataset, view, first, err);
}

/* Write categories: as the given numbers of a kind, or as the labels are if it is NULL. */
static stoa_status put_categories(const stoa_frame *f, hid_t group, const stoa_view *labels,
                                  stoa_kind kind, const void *numbers, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n = (uint64_t)labels->length;
    const bool are_texts = numbers == NULL && stoa_kind_is_string(labels->type.kind);
    hid_t type = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(stoa_frame_type(f, numbers != NULL ? kind : labels->type.kind, &type, err));
    STOA_TRY(
        stoa_frame_array(f, group, "categories", are_texts ? f->text : type, n, &dataset, err));
    STOA_TRY(numbers != NULL ? stoa_column_dataset_write(dataset, type, 0, n, numbers, err)
                             : put_values(f, dataset, labels, 0, err));

done:
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_hdf_close(&type, status, err);
}

/* Write the categories, which are the same in every batch. */
static stoa_status put_labels(const stoa_frame *f, stoa_frame_column *column,
                              const stoa_view *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    void *numbers = NULL;

    column->is_labelled = true;
    STOA_HDF(err, group = stoa_open_here(f->group, column->field->name), "open a group");
    if (column->categories != STOA_KIND_STRING && stoa_kind_is_string(labels->type.kind)) {
        STOA_TRY(stoa_anndata_parse_labels(labels, column->categories, &numbers, err));
    }
    STOA_TRY(put_categories(f, group, labels, column->categories, numbers, err));

done:
    free(numbers);
    return stoa_hdf_close(&group, status, err);
}

static stoa_status put_codes(const stoa_frame *f, stoa_frame_column *column, const stoa_view *view,
                             uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view labels;
    int32_t *codes = stoa_alloc((size_t)view->length, sizeof *codes);

    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_view_dictionary(view, &labels, err));
    if (!column->is_labelled) {
        STOA_TRY(put_labels(f, column, &labels, err));
    }
    for (int64_t i = 0; i < view->length; i++) {
        const int64_t code = stoa_view_is_null(view, i) ? -1 : stoa_view_i64(view, i);
        codes[i] = code >= 0 && stoa_view_is_null(&labels, code) ? -1 : (int32_t)code;
    }
    STOA_TRY(stoa_column_dataset_write(column->values, H5T_NATIVE_INT32, first,
                                       (uint64_t)view->length, codes, err));

done:
    free(codes);
    return status;
}

static stoa_status put_mask(const stoa_frame *f, const stoa_frame_column *column,
                            const stoa_view *view, uint64_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *mask = stoa_alloc((size_t)view->length, 1);

    STOA_TRY(mask != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_column_dataset_mask(view, mask);
    STOA_TRY(stoa_column_dataset_write(column->mask, f->truth, first, (uint64_t)view->length, mask,
                                       err));

done:
    free(mask);
    return status;
}

static stoa_status put_batch(void *context, const stoa_view *rows, uint64_t first, stoa_error *err)
{
    const stoa_frame *const f = context;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < f->n_columns; i++) {
        stoa_frame_column *const column = &f->columns[i];
        stoa_view view;
        STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)i, &view, err));
        if (column->lists != NULL) {
            status = stoa_awkward_writer_put(column->lists, &view, err);
        } else if (view.type.kind == STOA_KIND_DICTIONARY && !column->is_index) {
            status = put_codes(f, column, &view, first, err);
        } else if (stoa_frame_is_text(f, column) && stoa_kind_is_integer(view.type.kind)) {
            status = put_numbers_as_text(f, column->values, &view, first, err);
        } else {
            status = put_values(f, column->values, &view, first, err);
        }
        STOA_RETURN_NOT_OK(status);
        if (column->mask >= 0) {
            STOA_RETURN_NOT_OK(put_mask(f, column, &view, first, err));
        }
    }
    return status;
}

/* Without any batch, write categoricals without categories. */
static stoa_status put_no_labels(const stoa_frame *f, stoa_error *err)
{
    const stoa_view none = {.type = {.kind = STOA_KIND_STRING}};

    for (size_t i = 0; i < f->n_columns; i++) {
        stoa_frame_column *const column = &f->columns[i];
        if (column->type.kind == STOA_KIND_DICTIONARY && !column->is_index &&
            !column->is_labelled) {
            STOA_RETURN_NOT_OK(put_labels(f, column, &none, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_frame_put(stoa_frame *f, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_layout_each_batch(f->source, put_batch, f, err));
    return put_no_labels(f, err);
}

stoa_status stoa_frame_number_rows(const stoa_frame *f, uint64_t n, stoa_error *err)
{
    enum { AT_ONCE = 4096 };
    stoa_status status = STOA_OK;
    char(*texts)[STOA_NUMBER_SIZE] = stoa_alloc(AT_ONCE, sizeof *texts);
    char **pointers = stoa_alloc(AT_ONCE, sizeof *pointers);
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(texts != NULL && pointers != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_frame_array(f, f->group, "_index", f->text, n, &dataset, err));
    for (uint64_t i = 0; i < n; i += AT_ONCE) {
        const uint64_t now = n - i < AT_ONCE ? n - i : AT_ONCE;
        for (uint64_t k = 0; k < now; k++) {
            (void)stoa_format_u64(i + k, texts[k]);
            pointers[k] = texts[k];
        }
        STOA_TRY(stoa_column_dataset_write(dataset, f->text, i, now, pointers, err));
    }

done:
    free(pointers);
    free(texts);
    return stoa_hdf_close(&dataset, status, err);
}
