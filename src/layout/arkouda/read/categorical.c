/* Categoricals: codes, their categories, and which of these stands for missing rows (Arkouda notes
 * §G). */
#include <stdlib.h>

#include "core/memory.h"
#include "layout/arkouda/read/column.h"

void stoa_arkouda_parts_clear(stoa_arkouda_parts *parts)
{
    free(parts->codes);
    free(parts->categories);
    free(parts->na_codes);
}

static stoa_status show_labels(stoa_column *codes, const stoa_arkouda_node *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    STOA_TRY(labels->schema(labels, "labels", &schema, err));
    STOA_TRY(labels->read(labels, 0, stoa_arkouda_rows(labels), &array, err));
    stoa_column_show_labels(codes, &schema, &array, false);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* The first of NA_Codes is the category of missing rows (§G.1). */
static stoa_status show_missing(stoa_column *codes, stoa_arkouda_set *set, const char *path,
                                uint64_t n_labels, stoa_error *err)
{
    static const stoa_arkouda_wish integers = {.is_int64 = true, .may_lack = true};
    stoa_status status = STOA_OK;
    stoa_arkouda_array *array = NULL;
    int64_t code = -1;

    STOA_TRY(stoa_arkouda_array_open(set, path, &integers, &array, err));
    if (stoa_arkouda_array_length(array) == 0) {
        goto done;
    }
    STOA_TRY(stoa_arkouda_array_read(array, 0, 1, &code, err));
    if (code < 0 || (uint64_t)code >= n_labels) {
        STOA_FAIL(err, STOA_EDATA, "holds code %lld, but there are %llu categories",
                  (long long)code, (unsigned long long)n_labels);
    }
    STOA_TRY(stoa_column_show_missing(codes, &code, err));

done:
    (void)stoa_arkouda_set_at(set, 0, path, status, err);
    stoa_arkouda_array_close(array);
    return status;
}

stoa_status stoa_arkouda_column_of_codes(stoa_arkouda_set *set, const stoa_arkouda_parts *parts,
                                         const char *name, stoa_column **column, stoa_error *err)
{
    static const stoa_arkouda_wish integers = {.is_int64 = true};
    stoa_status status = STOA_OK;
    stoa_arkouda_node *labels = NULL;
    stoa_arkouda_node *codes = NULL;

    *column = NULL;
    STOA_TRY(stoa_arkouda_strings_open(set, parts->categories, false, &labels, err));
    STOA_TRY(stoa_arkouda_numbers_open(set, parts->codes, &integers, &codes, err));
    STOA_TRY(stoa_arkouda_column_of_numbers(codes, name, column, err));
    STOA_TRY(show_labels(*column, labels, err));
    STOA_TRY(show_missing(*column, set, parts->na_codes, stoa_arkouda_rows(labels), err));

done:
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    stoa_arkouda_node_close(labels);
    return status;
}

stoa_status stoa_arkouda_categorical_open(stoa_arkouda_set *set, const char *path, const char *name,
                                          stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arkouda_parts parts = {
        .codes = stoa_format("%s/%s", path, STOA_ARKOUDA_CODES),
        .categories = stoa_format("%s/%s", path, STOA_ARKOUDA_CATEGORIES),
        .na_codes = stoa_format("%s/%s", path, STOA_ARKOUDA_NA_CODES),
    };

    STOA_TRY(parts.codes != NULL && parts.categories != NULL && parts.na_codes != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_column_of_codes(set, &parts, name, column, err));

done:
    stoa_arkouda_parts_clear(&parts);
    return status;
}
