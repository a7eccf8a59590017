/* Vectors of vectors (LH5, "Vector of vectors"; LH5 notes §4.3). cumulative_length holds the end of
 * each vector in flattened_data, which may itself hold vectors. column/list reads them. */
#include <stdlib.h>

#include "column/list/reader.h"
#include "layout/lh5/read/lh5.h"

/* Check that the items have the remaining type. Without a smaller depth at each level, nesting
 * could be endless. */
static stoa_status check_items(hid_t group, const stoa_lh5_datatype *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t items = stoa_object_open(group, STOA_LH5_ITEMS);
    stoa_lh5_datatype inner = {0};
    char *text = NULL;

    STOA_TRY(items >= 0 ? stoa_lh5_type_of(items, &inner, &text, err) : STOA_OK);
    const unsigned depth = inner.kind == STOA_LH5_VECTORS ? inner.depth : 1;
    if (text != NULL && (depth != type->depth - 1 || inner.element != type->element)) {
        STOA_FAIL(err, STOA_EDATA,
                  "flattened_data is of '%.60s', which are not the items of these vectors (LH5)",
                  text);
    }

done:
    stoa_lh5_datatype_clear(&inner);
    free(text);
    return stoa_hdf_close(&items, status, err);
}

static stoa_status open_parts(hid_t group, const stoa_lh5_datatype *type, stoa_lh5_opener *open,
                              stoa_list *list, stoa_error *err)
{
    STOA_RETURN_NOT_OK(check_items(group, type, err));
    STOA_RETURN_NOT_OK(open(group, STOA_LH5_LENGTHS, STOA_LH5_LENGTHS, true, &list->offsets, err));
    if (list->offsets->element.class != STOA_ELEMENT_INTEGER) {
        return stoa_fail(err, STOA_EDATA, "cumulative_length is of %s, not integers",
                         list->offsets->element.text);
    }
    return open(group, STOA_LH5_ITEMS, "item", false, &list->values, err);
}

stoa_status stoa_lh5_open_vectors(hid_t group, const char *name, const stoa_lh5_datatype *type,
                                  stoa_lh5_opener *open, stoa_column **column, stoa_error *err)
{
    stoa_list list = {.is_ends = true, .rule = STOA_LH5_VECTORS_RULE};
    const stoa_status status = open_parts(group, type, open, &list, err);

    *column = NULL;
    if (status != STOA_OK) {
        stoa_column_close(list.offsets);
        stoa_column_close(list.values);
        return status;
    }
    STOA_RETURN_NOT_OK(stoa_list_of_members(name, &list, list.offsets->n_rows, column, err));
    return stoa_column_add_metadata(*column, "lh5.lengths", (*column)->list->offsets->element.text,
                                    err);
}
