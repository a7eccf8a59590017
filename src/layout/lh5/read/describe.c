#include "layout/lh5/read/describe.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/type.h"
#include "layout/common/extent.h"
#include "layout/lh5/read/histogram.h"

/* Long lists of a struct's fields are cut, because the fields are listed below it. */
enum { MAX_LIST_LENGTH = 60 };

static stoa_status put_type(const stoa_lh5_datatype *type, const char *text, stoa_buffer *out,
                            stoa_error *err)
{
    const bool has_fields = type->kind == STOA_LH5_STRUCT || type->kind == STOA_LH5_TABLE;
    size_t length = strlen(text);

    if (!has_fields || length <= MAX_LIST_LENGTH) {
        return stoa_buffer_print(out, err, "%s", text);
    }
    for (length = MAX_LIST_LENGTH; length > 0 && text[length] != ','; length--) {
    }
    if (length == 0) { /* the first name alone is too long */
        length = strcspn(text, "{");
    }
    return stoa_buffer_print(out, err, "%.*s…}", (int)length + 1, text);
}

static stoa_status put_histogram(hid_t group, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_histogram histogram;

    STOA_TRY(stoa_lh5_histogram_open(group, &histogram, err));
    STOA_TRY(stoa_buffer_print(out, err, " · "));
    for (unsigned i = 0; i < histogram.n_axes; i++) {
        STOA_TRY(stoa_buffer_print(out, err, "%s%llu", i > 0 ? " x " : "",
                                   (unsigned long long)histogram.axes[i].n_bins));
    }
    STOA_TRY(stoa_buffer_print(out, err, " bins"));
    for (unsigned i = 0; i < histogram.n_axes; i++) {
        if (histogram.axes[i].units != NULL && histogram.axes[i].units[0] != '\0') {
            STOA_TRY(stoa_buffer_print(out, err, " · axis_%u in %s", i, histogram.axes[i].units));
        }
    }

done:
    stoa_histogram_close(&histogram);
    return status;
}

/* Print the number of rows of a group, and the number of items in a row if it is fixed. */
static stoa_status put_rows(const stoa_column *column, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    stoa_type type;

    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_type_of(&schema, &type, err));
    const unsigned long long n = (unsigned long long)column->n_rows;
    STOA_TRY(type.kind == STOA_KIND_FIXED_LIST
                 ? stoa_buffer_print(out, err, "%llu x %d", n, type.width)
                 : stoa_buffer_print(out, err, "%llu rows", n));

done:
    stoa_schema_release(&schema);
    return status;
}

/* Print an object that is a column of its own. Opening it reports why it cannot be read. */
static stoa_status put_column(hid_t object, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    STOA_TRY(stoa_lh5_open_column(object, "value", &column, err));
    const char *const codec = stoa_lh5_remark_of(column, "lh5.codec");
    const char *const shift = stoa_lh5_remark_of(column, "lh5.codec_shift");
    STOA_TRY(stoa_buffer_print(out, err, " · "));
    STOA_TRY(H5Iget_type(object) == H5I_DATASET ? stoa_extent_print(object, out, err)
                                                : put_rows(column, out, err));
    if (codec != NULL) {
        STOA_TRY(stoa_buffer_print(out, err, " · codec %s", codec));
    }
    if (shift != NULL) {
        STOA_TRY(stoa_buffer_print(out, err, ", shift %s", shift));
    }
    if (column->units != NULL && column->units[0] != '\0') {
        STOA_TRY(stoa_buffer_print(out, err, " · in %s", column->units));
    }

done:
    stoa_column_close(column);
    return status;
}

static stoa_status put_words(hid_t object, stoa_layout_description *shown,
                             const stoa_lh5_datatype *type, const char *text, stoa_buffer *out,
                             stoa_error *err)
{
    const bool is_group = H5Iget_type(object) == H5I_GROUP;
    const stoa_lh5_kind kind = type->kind;

    if (text == NULL) {
        shown->is_opened = is_group;
        STOA_RETURN_NOT_OK(is_group ? STOA_OK : stoa_buffer_print(out, err, "no datatype · "));
        return is_group ? STOA_OK : stoa_extent_print(object, out, err);
    }
    STOA_RETURN_NOT_OK(put_type(type, text, out, err));
    if (is_group && stoa_lh5_is_histogram(type)) {
        return put_histogram(object, out, err);
    }
    if (!is_group || (kind != STOA_LH5_STRUCT && kind != STOA_LH5_TABLE)) {
        return put_column(object, out, err);
    }
    shown->is_opened = true;
    shown->is_table = kind == STOA_LH5_TABLE;
    if (shown->is_table) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, " · %llu rows",
                                             (unsigned long long)stoa_lh5_count_rows(object)));
    }
    return STOA_OK;
}

stoa_status stoa_lh5_describe(hid_t object, stoa_layout_description *shown, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    stoa_buffer out = {0};
    char *text = NULL;

    *shown = (stoa_layout_description){.words = NULL};
    STOA_TRY(stoa_lh5_type_of(object, &type, &text, err));
    STOA_TRY(stoa_buffer_print(&out, err, "%s", ""));
    STOA_TRY(put_words(object, shown, &type, text, &out, err));
    if (shown->is_opened) {
        stoa_lh5_move_names(&type, &shown->names);
    }

done:
    stoa_lh5_datatype_clear(&type);
    free(text);
    shown->words = stoa_buffer_detach(&out); /* on failure, what was found so far */
    return status;
}
