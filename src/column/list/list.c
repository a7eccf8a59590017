#include "column/list/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/list/offsets.h"
#include "column/list/reader.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"

static const char rule[] = "HEP001-2026-07 §9.2";

stoa_status stoa_list_is_group(hid_t group, bool *is, stoa_error *err)
{
    char *class = NULL;
    const stoa_status status = stoa_attribute_read_optional(group, "CLASS", &class, err);

    *is = class != NULL && strcmp(class, STOA_LIST_CLASS) == 0;
    free(class);
    return status;
}

const stoa_column *stoa_list_leaf(const stoa_column *column)
{
    while (column->list != NULL && !column->list->is_text) {
        column = column->list->values;
    }
    return column;
}

/* --- members --------------------------------------------------------------------------------- */

/* Note a member of a column, with what it shares with the column. */
static stoa_status settle_member(const stoa_column *column, stoa_column *member, stoa_error *err)
{
    member->read_context = column->read_context;
    member->is_one_of_many = column->is_one_of_many;
    member->place = column->place != NULL ? stoa_format("%s/%s", column->place, member->name)
                                          : stoa_strdup(member->name);
    return member->place != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Open a member that must be a dataset. The number of its rows is set by the caller. */
static stoa_status open_dataset(const stoa_column *column, const char *name, stoa_column **member,
                                stoa_error *err)
{
    const bool is_link = column->group >= 0; /* nothing changes: it can be reopened by its name */
    hid_t dataset = stoa_object_open(column->dataset, name);

    *member = NULL;
    if (dataset < 0 && stoa_object_exists(column->dataset, name)) { /* again, for the reason */
        STOA_RETURN_HDF_ERROR(err, dataset = stoa_open_here(column->dataset, name), "open %s",
                              name);
    }
    if (dataset < 0 || H5Iget_type(dataset) != H5I_DATASET) {
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
        return stoa_fail(err, STOA_EDATA, "it has no dataset %s (%s)", name, rule);
    }
    if (is_link) {
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    }
    STOA_RETURN_NOT_OK(is_link ? stoa_column_note_link(column->dataset, name, 0, NULL, member, err)
                               : stoa_column_note(dataset, name, 0, NULL, member, err));
    (*member)->outer_units = strcmp(name, STOA_LIST_VALUES) == 0 ? column->units : NULL;
    STOA_RETURN_NOT_OK(settle_member(column, *member, err));
    return stoa_column_load(*member, err);
}

/* Open a member of which every element counts (§9.2): it has no fill value, whatever it says. */
static stoa_status open_numbers(const stoa_column *column, const char *name, stoa_column **member,
                                stoa_error *err)
{
    STOA_RETURN_NOT_OK(open_dataset(column, name, member, err));
    stoa_list_ignore_fill(*member);
    return STOA_OK;
}

void stoa_list_ignore_fill(stoa_column *member)
{
    stoa_element_reclaim(&member->element, member->fill, member->fill != NULL ? 1 : 0);
    free(member->fill);
    free(member->valid_min);
    free(member->valid_max);
    member->fill = member->valid_min = member->valid_max = NULL;
}

/* Set how many elements of a member belong to the table. */
static stoa_status set_rows(stoa_column *member, uint64_t n_rows, stoa_error *err)
{
    if (member->extent < n_rows) {
        return stoa_column_at(member,
                              stoa_fail(err, STOA_EDATA,
                                        "it has %llu elements, and %llu are needed (%s); see stoa "
                                        "check",
                                        (unsigned long long)member->extent,
                                        (unsigned long long)n_rows, rule),
                              err);
    }
    member->n_rows = n_rows;
    return STOA_OK;
}

static stoa_status open_offsets(stoa_column *column, uint64_t *n_values, stoa_error *err)
{
    stoa_list *const list = column->list;

    if (column->n_rows == UINT64_MAX) {
        return stoa_fail(err, STOA_EDATA, "there are more rows than offsets can be (%s)", rule);
    }
    STOA_RETURN_NOT_OK(open_numbers(column, STOA_LIST_OFFSETS, &list->offsets, err));
    STOA_RETURN_NOT_OK(set_rows(list->offsets, column->n_rows + 1, err));
    return stoa_list_offsets_end(list, column->n_rows, n_values, err);
}

stoa_status stoa_list_open_mask(stoa_column *column, uint64_t n_rows, stoa_error *err)
{
    stoa_list *const list = column->list;

    STOA_RETURN_NOT_OK(open_numbers(column, STOA_LIST_MASK, &list->mask, err));
    if (!list->mask->element.is_truth) {
        return stoa_column_at(list->mask,
                              stoa_fail(err, STOA_EDATA,
                                        "it is of %s, not of the boolean datatype (HEP001-2026-07 "
                                        "§9.3)",
                                        list->mask->element.text),
                              err);
    }
    return set_rows(list->mask, n_rows, err);
}

stoa_status stoa_list_check_written(const stoa_column *values, stoa_error *err)
{
    const double n_bytes = (double)values->n_rows * (double)values->element.size;

    if (n_bytes <= 0x1p26 || (double)stoa_column_stored_bytes(values) >= n_bytes * 0x1p-20) {
        return STOA_OK;
    }
    return stoa_column_at(values,
                          stoa_fail(err, STOA_ERANGE,
                                    "it has %llu elements, and hardly any was ever written",
                                    (unsigned long long)values->n_rows),
                          err);
}

static stoa_status open_values(stoa_column *column, const char *name, uint64_t n_values,
                               stoa_error *err)
{
    stoa_list *const list = column->list;

    STOA_RETURN_NOT_OK(list->is_text ? open_numbers(column, name, &list->values, err)
                                     : open_dataset(column, name, &list->values, err));
    STOA_RETURN_NOT_OK(set_rows(list->values, n_values, err));
    if (list->is_text &&
        (list->values->element.class != STOA_ELEMENT_INTEGER || list->values->element.size != 1)) {
        return stoa_column_at(list->values,
                              stoa_fail(err, STOA_EDATA,
                                        "it is of %s, not uint8 (HEP001-2026-07 §9.4)",
                                        list->values->element.text),
                              err);
    }
    return stoa_list_check_written(list->values, err);
}

/* --- levels ---------------------------------------------------------------------------------- */

static stoa_status load(stoa_column *column, stoa_error *err);

static stoa_status note(hid_t object, hid_t group, const char *name, uint64_t n_rows,
                        const char *vocabulary, const stoa_list *list, stoa_column **column,
                        stoa_error *err)
{
    stoa_list *own = NULL;
    const stoa_status status =
        object >= 0 ? stoa_column_note(object, name, n_rows, vocabulary, column, err)
                    : stoa_column_note_link(group, name, n_rows, vocabulary, column, err);

    STOA_RETURN_NOT_OK(status);
    own = stoa_alloc(1, sizeof *own);
    if (own == NULL) {
        stoa_column_close(*column);
        *column = NULL;
        return stoa_fail_memory(err);
    }
    *own = *list;
    (*column)->list = own;
    return STOA_OK;
}

stoa_status stoa_list_note(hid_t object, hid_t group, const char *name, uint64_t n_rows,
                           const char *vocabulary, stoa_column **column, stoa_error *err)
{
    const stoa_list list = {.rule = rule, .load = load};

    return note(object, group, name, n_rows, vocabulary, &list, column, err);
}

/* Open VALUES that are a group: the lists of the next level, or strings. */
static stoa_status open_level(stoa_column *column, hid_t group, uint64_t n_values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_list *const list = column->list;
    stoa_list inner = {.rule = rule, .load = load, .depth = list->depth + 1};
    char *class = NULL;

    STOA_TRY(stoa_attribute_read_optional(group, "CLASS", &class, err));
    inner.is_text = class != NULL && strcmp(class, STOA_LIST_TEXT_CLASS) == 0;
    if (class == NULL || (!inner.is_text && strcmp(class, STOA_LIST_CLASS) != 0)) {
        STOA_FAIL(err, STOA_EDATA,
                  "VALUES is a group, and its CLASS is neither LIST_COLUMN nor STRING_VALUES (%s)",
                  rule);
    }
    if (inner.depth >= STOA_LIST_MAX_LEVELS) {
        STOA_FAIL(err, STOA_EDATA, "lists are nested deeper than %d levels", STOA_LIST_MAX_LEVELS);
    }
    STOA_HDF(err, H5Iinc_ref(group), "hold VALUES");
    STOA_TRY(
        note(group, H5I_INVALID_HID, STOA_LIST_VALUES, n_values, NULL, &inner, &list->values, err));
    list->values->group = column->group >= 0 ? column->dataset : H5I_INVALID_HID;
    list->values->outer_units = column->units;
    STOA_TRY(settle_member(column, list->values, err));
    STOA_TRY(stoa_column_load(list->values, err));

done:
    free(class);
    return status;
}

static stoa_status load_values(stoa_column *column, uint64_t n_values, stoa_error *err)
{
    hid_t object = stoa_object_open(column->dataset, STOA_LIST_VALUES);
    const bool is_group = object >= 0 && H5Iget_type(object) == H5I_GROUP;
    const stoa_status status = is_group ? open_level(column, object, n_values, err)
                                        : open_values(column, STOA_LIST_VALUES, n_values, err);

    return stoa_hdf_close(&object, status, err);
}

/* KIND tells how the lists are stored (§9.1). A group of strings has none (§9.4). */
static stoa_status check_kind(const stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *kind = NULL;

    if (column->list->is_text) {
        return STOA_OK;
    }
    STOA_TRY(stoa_attribute_read_optional(column->dataset, "KIND", &kind, err));
    if (kind == NULL || strcmp(kind, STOA_LIST_KIND) != 0) {
        STOA_FAIL(err, STOA_EDATA,
                  "a list column of KIND '%.60s', and only OFFSETS is known (HEP001-2026-07 §9.1)",
                  kind != NULL ? kind : "");
    }

done:
    free(kind);
    return status;
}

/* Read whether the rows are cells of one size (create.h). A size that the values cannot have is
 * ignored, and the rows are lists. */
static stoa_status read_width(stoa_column *column, uint64_t n_values, stoa_error *err)
{
    static const char prefix[] = "fixed_list[";
    stoa_status status = STOA_OK;
    stoa_list *const list = column->list;
    const uint64_t n_rows = column->n_rows;
    char *type = NULL;
    uint64_t width = 0;

    if (list->is_text || list->depth > 0) {
        return STOA_OK;
    }
    STOA_TRY(stoa_attribute_read_optional(column->dataset, STOA_COLUMN_ARROW_TYPE, &type, err));
    if (type == NULL || strncmp(type, prefix, sizeof prefix - 1) != 0) {
        goto done;
    }
    const char *const digits = type + sizeof prefix - 1;
    const size_t length = strspn(digits, "0123456789");
    if (strcmp(digits + length, "]") == 0 && stoa_parse_u64(digits, length, &width) && width > 0 &&
        width <= INT32_MAX && n_values % width == 0 &&
        (list->mask != NULL ? n_values / width <= n_rows : n_values / width == n_rows)) {
        list->width = (int32_t)width;
    }

done:
    free(type);
    return status;
}

/* Describe the lists as the type of an element. */
static void describe(stoa_column *column)
{
    const stoa_column *const values = column->list->values;

    if (column->list->is_text) {
        (void)snprintf(column->element.text, sizeof column->element.text, "string utf8");
    } else if (column->list->width > 0) {
        (void)snprintf(column->element.text, sizeof column->element.text, "list of %d %.40s",
                       (int)column->list->width, values->element.text);
    } else {
        (void)snprintf(column->element.text, sizeof column->element.text, "list of %.50s",
                       values->element.text);
    }
}

static stoa_status load(stoa_column *column, stoa_error *err)
{
    stoa_list *const list = column->list;
    uint64_t n_values = 0;

    STOA_RETURN_NOT_OK(check_kind(column, err));
    STOA_RETURN_NOT_OK(open_offsets(column, &n_values, err));
    if (stoa_object_exists(column->dataset, STOA_LIST_MASK)) {
        STOA_RETURN_NOT_OK(stoa_list_open_mask(column, column->n_rows, err));
    }
    STOA_RETURN_NOT_OK(list->is_text ? open_values(column, STOA_LIST_CHARS, n_values, err)
                                     : load_values(column, n_values, err));
    column->extent = list->offsets->extent - 1;
    if (list->mask != NULL && list->mask->extent < column->extent) {
        column->extent = list->mask->extent;
    }
    if (column->units == NULL && list->values->units != NULL && !list->is_text) {
        column->units = stoa_strdup(list->values->units);
        STOA_RETURN_NO_MEMORY(err, column->units);
    }
    STOA_RETURN_NOT_OK(read_width(column, n_values, err));
    describe(column);
    return stoa_list_present(column, err);
}
