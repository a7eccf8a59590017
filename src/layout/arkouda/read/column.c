/* Opens Arkouda objects that are one column. */
#include "layout/arkouda/read/column.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"

stoa_status stoa_arkouda_class_in_set(const stoa_arkouda_set *set, const char *path, bool trusts,
                                      stoa_arkouda_class *sort, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t k = 0; k < set->n && status == STOA_OK; k++) {
        hid_t object = stoa_arkouda_set_object(set, k, path);
        const stoa_arkouda_class found = stoa_arkouda_class_of(object, trusts);
        if (object < 0) {
            status = stoa_fail(err, STOA_EDATA, "is missing%s",
                               set->n > 1 ? ", which the other files of the set hold" : "");
        } else if (k > 0 && (found.kind != sort->kind || found.is_group != sort->is_group)) {
            status = stoa_fail(err, STOA_EDATA, "is a %s, and a %s in %s",
                               stoa_arkouda_class_name(&found), stoa_arkouda_class_name(sort),
                               set->names[0]);
        } else {
            *sort = found;
            status = stoa_arkouda_class_check(sort, err);
        }
        (void)stoa_arkouda_set_at(set, k, path, status, err);
        status = stoa_hdf_close(&object, status, err);
    }
    return status;
}

/* --- numbers --------------------------------------------------------------------------------- */

static stoa_status expect(const stoa_column *column, const char *path, stoa_kind kind,
                          const char *word, stoa_error *err)
{
    if (column->element.kind == kind && column->type.kind == kind) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_EDATA, "%s: says that it is a %s, but holds %s", path, word,
                     column->element.text);
}

/* Times are nanoseconds. The smallest value stands for a missing one. */
static stoa_status present_special(stoa_column *column, const char *path, int64_t kind,
                                   stoa_error *err)
{
    static const stoa_time_units nanoseconds = {.unit = STOA_TIME_NANO, .ticks_per = 1};
    static const int64_t nat = STOA_ARKOUDA_NAT;

    if (kind == STOA_ARKOUDA_IPV4) {
        STOA_RETURN_NOT_OK(expect(column, path, STOA_KIND_UINT64, "ipv4", err));
        STOA_RETURN_NOT_OK(stoa_column_add_metadata(column, "ARROW:extension:name",
                                                    STOA_ARKOUDA_EXTENSION_IPV4, err));
    } else if (kind == STOA_ARKOUDA_DATETIME) {
        STOA_RETURN_NOT_OK(expect(column, path, STOA_KIND_INT64, "datetime", err));
        stoa_column_as_times(column, &nanoseconds);
        STOA_RETURN_NOT_OK(stoa_column_set_missing(column, &nat, err));
    } else if (kind == STOA_ARKOUDA_TIMEDELTA) {
        STOA_RETURN_NOT_OK(expect(column, path, STOA_KIND_INT64, "timedelta", err));
        stoa_column_as_durations(column, STOA_TIME_NANO);
        STOA_RETURN_NOT_OK(stoa_column_set_missing(column, &nat, err));
    }
    return STOA_OK;
}

static stoa_status open_numbers(stoa_arkouda_set *set, const char *path, int64_t kind,
                                const char *name, stoa_column **column, stoa_error *err)
{
    stoa_arkouda_node *node = NULL;

    STOA_RETURN_NOT_OK(stoa_arkouda_numbers_open(set, path, NULL, &node, err));
    STOA_RETURN_NOT_OK(stoa_arkouda_column_of_numbers(node, name, column, err));
    return present_special(*column, path, kind, err);
}

/* The boolean bytes of versions 0 and 1 have no isBool. */
static stoa_status open_booleans(stoa_arkouda_set *set, const char *path, const char *name,
                                 stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    static const stoa_arkouda_requirements bools = {.is_bool = true};
    stoa_arkouda_node *node = NULL;
    char *inner = stoa_format("%s/%s", path, STOA_ARKOUDA_BOOLEANS);

    STOA_TRY(inner != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_numbers_open(set, inner, &bools, &node, err));
    STOA_TRY(stoa_arkouda_column_of_numbers(node, name, column, err));

done:
    free(inner);
    return status;
}

/* --- lists ----------------------------------------------------------------------------------- */

/* The values of a SegArray: numbers, strings or big integers. Files without rows do not tell which
 * (§F.3, §F.4). */
static stoa_status open_items(stoa_arkouda_set *set, const char *path, stoa_arkouda_node **node,
                              stoa_error *err)
{
    bool is_group = false;
    bool is_bigint = false;

    for (size_t k = 0; k < set->n; k++) {
        hid_t values = stoa_arkouda_set_object(set, k, path);
        if (values >= 0 && H5Iget_type(values) == H5I_GROUP) {
            is_group = true;
            is_bigint = is_bigint || stoa_arkouda_number(values, STOA_ARKOUDA_IS_BIGINT, 0) == 1;
        }
        (void)stoa_hdf_close(&values, STOA_OK, NULL);
    }
    if (is_bigint) {
        return stoa_arkouda_bigint_open(set, path, node, err);
    }
    return is_group ? stoa_arkouda_strings_open(set, path, true, node, err)
                    : stoa_arkouda_numbers_open(set, path, NULL, node, err);
}

stoa_status stoa_arkouda_column_of_lists(stoa_arkouda_set *set, const char *segments,
                                         const char *values, bool is_global, const char *name,
                                         stoa_column **column, stoa_error *err)
{
    stoa_arkouda_node *items = NULL;
    stoa_arkouda_node *node = NULL;

    *column = NULL;
    STOA_RETURN_NOT_OK(open_items(set, values, &items, err));
    STOA_RETURN_NOT_OK(stoa_arkouda_lists_open(set, segments, items, is_global, &node, err));
    return stoa_arkouda_column_of(node, name, column, err);
}

static stoa_status open_lists(stoa_arkouda_set *set, const char *path, const char *name,
                              stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *values = stoa_format("%s/%s", path, STOA_ARKOUDA_VALUES);
    char *segments = stoa_format("%s/%s", path, STOA_ARKOUDA_SEGMENTS);

    STOA_TRY(values != NULL && segments != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_column_of_lists(set, segments, values, false, name, column, err));

done:
    free(values);
    free(segments);
    return status;
}

/* --- categoricals (§G) ----------------------------------------------------------------------- */

void stoa_arkouda_parts_clear(stoa_arkouda_parts *parts)
{
    free(parts->codes);
    free(parts->categories);
    free(parts->na_codes);
}

static stoa_status present_labels(stoa_column *codes, const stoa_arkouda_node *labels,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    STOA_TRY(labels->schema(labels, "labels", &schema, err));
    STOA_TRY(labels->read(labels, 0, stoa_arkouda_rows(labels), &array, err));
    stoa_column_as_codes(codes, &schema, &array, false);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* The first of NA_Codes is the category of missing rows (§G.1). */
static stoa_status present_missing(stoa_column *codes, stoa_arkouda_set *set, const char *path,
                                   uint64_t n_labels, stoa_error *err)
{
    static const stoa_arkouda_requirements integers = {.is_int64 = true, .may_lack = true};
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
    STOA_TRY(stoa_column_set_missing(codes, &code, err));

done:
    (void)stoa_arkouda_set_at(set, 0, path, status, err);
    stoa_arkouda_array_close(array);
    return status;
}

stoa_status stoa_arkouda_column_of_codes(stoa_arkouda_set *set, const stoa_arkouda_parts *parts,
                                         const char *name, stoa_column **column, stoa_error *err)
{
    static const stoa_arkouda_requirements integers = {.is_int64 = true};
    stoa_status status = STOA_OK;
    stoa_arkouda_node *labels = NULL;
    stoa_arkouda_node *codes = NULL;

    *column = NULL;
    STOA_TRY(stoa_arkouda_strings_open(set, parts->categories, false, &labels, err));
    STOA_TRY(stoa_arkouda_numbers_open(set, parts->codes, &integers, &codes, err));
    STOA_TRY(stoa_arkouda_column_of_numbers(codes, name, column, err));
    STOA_TRY(present_labels(*column, labels, err));
    STOA_TRY(present_missing(*column, set, parts->na_codes, stoa_arkouda_rows(labels), err));

done:
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    stoa_arkouda_node_close(labels);
    return status;
}

static stoa_status open_categorical(stoa_arkouda_set *set, const char *path, const char *name,
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

/* --- any object ------------------------------------------------------------------------------ */

static stoa_status open_strings(stoa_arkouda_set *set, const char *path, const char *name,
                                stoa_column **column, stoa_error *err)
{
    stoa_arkouda_node *node = NULL;

    STOA_RETURN_NOT_OK(stoa_arkouda_strings_open(set, path, false, &node, err));
    return stoa_arkouda_column_of(node, name, column, err);
}

static stoa_status open_bigint(stoa_arkouda_set *set, const char *path, const char *name,
                               stoa_column **column, stoa_error *err)
{
    stoa_arkouda_node *node = NULL;

    STOA_RETURN_NOT_OK(stoa_arkouda_bigint_open(set, path, &node, err));
    return stoa_arkouda_column_of(node, name, column, err);
}

static stoa_status open_any(stoa_arkouda_set *set, const char *path, const stoa_arkouda_class *sort,
                            const char *name, stoa_column **column, stoa_error *err)
{
    switch (sort->kind) {
    case STOA_ARKOUDA_STRINGS:
        return open_strings(set, path, name, column, err);
    case STOA_ARKOUDA_SEGARRAY:
        return open_lists(set, path, name, column, err);
    case STOA_ARKOUDA_CATEGORICAL:
        return open_categorical(set, path, name, column, err);
    case STOA_ARKOUDA_ARRAYVIEW:
        return stoa_arkouda_view_open(set, path, sort, name, column, err);
    default:
        break;
    }
    if (sort->is_bigint) {
        return open_bigint(set, path, name, column, err);
    }
    return sort->is_booleans ? open_booleans(set, path, name, column, err)
                             : open_numbers(set, path, sort->kind, name, column, err);
}

stoa_status stoa_arkouda_column_open(stoa_arkouda_set *set, const char *path,
                                     const stoa_arkouda_class *sort, const char *name,
                                     stoa_column **column, stoa_error *err)
{
    *column = NULL;
    const stoa_status status = open_any(set, path, sort, name, column, err);
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return status;
}
