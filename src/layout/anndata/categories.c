/* Categories that are numbers or booleans in AnnData, and texts in HEP001 tables of earlier
 * versions of Stoa, which recorded their kind. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/anndata/frame.h"
#include "layout/common/missing.h"
#include "table/open/table.h"

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

stoa_kind stoa_anndata_categories_kind(const stoa_table *table, const char *column)
{
    hid_t object = H5I_INVALID_HID;
    char *name = NULL;
    stoa_kind kind = STOA_KIND_STRING;

    if (table != NULL && table->layout == NULL && H5Iget_type(table->group) == H5I_GROUP) {
        object = stoa_object_open(table->group, column);
        name = object >= 0 ? stoa_attribute_optional(object, STOA_ANNDATA_CATEGORIES) : NULL;
        kind = name != NULL ? kind_named(name) : STOA_KIND_STRING;
    }
    free(name);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
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
