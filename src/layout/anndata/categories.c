/* Categories of AnnData that are numbers or booleans. Labels are always strings in Stoa (HEP001
 * §8.7), so they are converted. The original kind is looked up, or recorded for the way back. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/anndata/frame.h"
#include "layout/common/missing.h"
#include "table/open/table.h"

static bool is_number(stoa_kind kind)
{
    return stoa_kind_is_integer(kind) || stoa_kind_is_float(kind) || kind == STOA_KIND_BOOL;
}

/* --- as strings ------------------------------------------------------------------------------ */

static size_t format(const stoa_view *view, int64_t i, char *text)
{
    const stoa_kind kind = view->type.kind;

    if (kind == STOA_KIND_BOOL) {
        const char *const word = stoa_view_i64(view, i) != 0 ? "True" : "False";
        memcpy(text, word, strlen(word) + 1);
        return strlen(word);
    }
    if (stoa_kind_is_float(kind)) {
        return stoa_format_f64(stoa_view_f64(view, i), text);
    }
    return stoa_kind_is_signed(kind) ? stoa_format_i64(stoa_view_i64(view, i), text)
                                     : stoa_format_u64((uint64_t)stoa_view_i64(view, i), text);
}

static stoa_status make_texts(const stoa_view *view, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)view->length;
    stoa_buffer bytes = {0};
    int64_t *offsets = stoa_alloc_zero(n + 1, sizeof *offsets);
    char text[STOA_NUMBER_SIZE];

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(stoa_buffer_append(&bytes, text, format(view, (int64_t)i, text), err));
        offsets[i + 1] = (int64_t)bytes.size;
    }
    void *const buffers[] = {NULL, offsets, stoa_buffer_detach(&bytes)};
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)n, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&bytes);
    return status;
}

stoa_status stoa_anndata_labels_as_texts(struct ArrowSchema *schema, struct ArrowArray *labels,
                                         stoa_error *err)
{
    struct ArrowArray texts = {.release = NULL};
    stoa_view view;

    STOA_RETURN_NOT_OK(stoa_view_of(schema, labels, &view, err));
    if (is_number(view.type.kind)) {
        STOA_RETURN_NOT_OK(make_texts(&view, &texts, err));
        stoa_array_release(labels);
        stoa_schema_release(schema);
        *labels = texts;
        STOA_RETURN_NOT_OK(stoa_schema_make(schema, "labels", "U", err));
    }
    return STOA_OK;
}

/* --- original kinds -------------------------------------------------------------------------- */

static stoa_kind kind_named(const char *name)
{
    char text[64];

    for (stoa_kind kind = STOA_KIND_BOOL; kind <= STOA_KIND_FLOAT64; kind++) {
        if (strcmp(stoa_type_name(&(stoa_type){.kind = kind}, text), name) == 0) {
            return kind;
        }
    }
    return STOA_KIND_STRING;
}

/* The kind of the categories dataset in a frame. */
static stoa_kind kind_in_frame(hid_t frame, const char *path)
{
    stoa_column *labels = NULL;
    stoa_kind kind = STOA_KIND_STRING;

    if (path != NULL && stoa_object_exists(frame, path) &&
        stoa_anndata_values(frame, path, "labels", &labels, NULL) == STOA_OK) {
        kind = is_number(labels->type.kind) ? labels->type.kind : STOA_KIND_STRING;
    }
    stoa_column_close(labels);
    return kind;
}

static stoa_kind kind_noted(hid_t table, const char *column)
{
    hid_t object = stoa_object_open(table, column);
    char *const name =
        object >= 0 ? stoa_attribute_optional(object, STOA_ANNDATA_CATEGORIES) : NULL;
    const stoa_kind kind = name != NULL ? kind_named(name) : STOA_KIND_STRING;

    free(name);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return kind;
}

stoa_kind stoa_anndata_categories_kind(const stoa_table *table, const char *column)
{
    char *today = NULL;
    char *old = NULL;
    stoa_kind kind = STOA_KIND_STRING;

    if (table == NULL || H5Iget_type(table->group) != H5I_GROUP) {
        return kind;
    }
    if (table->layout == NULL) {
        return kind_noted(table->group, column);
    }
    today = stoa_format("%s/categories", column);
    old = stoa_format("__categories/%s", column);
    kind = kind_in_frame(table->group, today);
    kind = kind != STOA_KIND_STRING ? kind : kind_in_frame(table->group, old);
    free(today);
    free(old);
    return kind;
}

/* --- parsing --------------------------------------------------------------------------------- */

static bool parse(stoa_kind kind, const char *text, size_t length, uint8_t *value)
{
    if (kind == STOA_KIND_BOOL) {
        *value = length == 4 && memcmp(text, "True", 4) == 0;
        return *value != 0 || (length == 5 && memcmp(text, "False", 5) == 0);
    }
    return stoa_number_of_text(text, length, kind, value);
}

stoa_status stoa_anndata_parse_labels(const stoa_view *labels, stoa_kind kind, void **values,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t width = kind == STOA_KIND_BOOL ? 1 : (size_t)stoa_kind_width(kind);
    uint8_t *made = stoa_alloc((size_t)labels->length, width);

    *values = NULL;
    STOA_TRY(made != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < labels->length; i++) {
        size_t length = 0;
        const char *const text = stoa_view_bytes(labels, i, &length);
        if (stoa_view_is_null(labels, i) || !parse(kind, text, length, made + (size_t)i * width)) {
            goto done; /* the labels were changed, and stay strings */
        }
    }
    *values = made;
    made = NULL;

done:
    free(made);
    return status;
}
