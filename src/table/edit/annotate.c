/* Setting and removing descriptive attributes (HEP001 §7.4, §8.5, §8.6, §13). */
#include <string.h>

#include "column/type/cf_attributes.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "table/edit/bounds.h"
#include "table/edit/columns.h"
#include "table/open/names.h"

/* Why an attribute cannot be set by hand. */
typedef struct purpose {
    const char *name;
    const char *reason;
} purpose;

static const purpose purposes[] = {
    {"CLASS", "it says that the group is a table (HEP001 §7.1)"},
    {"VERSION", "it is the revision of HEP001 that the table follows (§7.2)"},
    {"NROWS", "it counts the table's rows (HEP001 §7.3)"},
    {"GENERATION", "it counts the changes of the table's rows (HEP001-2026-07 §12.2)"},
    {"INDEX_COLUMNS", "it refers to the columns that label the rows (HEP001 §9); choose those"},
    {"_index", "it names the column that labels the rows (HEP001 §9); choose that"},
    {"column-order", "it lists the columns (HEP001 §7.4); put those in order"},
    {"SEARCH_INDEX_LIST", "it refers to the column's search indexes (HEP001 §10.2); add or drop "
                          "those"},
    {"CATEGORIES", "it refers to the column's categories (HEP001 §8.7); change those"},
    {"ordered", "it is said of categories (HEP001 §8.7); change those"},
    {STOA_CF_FILL, "it is the fill value of the column, for other programs"},
    {STOA_CF_FLAG_VALUES, "they are the codes of the column's categories; change those"},
    {STOA_CF_FLAG_MEANINGS, "they are the labels of the column's categories; change those"},
    {STOA_COLUMN_CATEGORIES_PATH, "it leads to the column's categories; change those"},
};

static bool is_bound(const char *name)
{
    return strcmp(name, "valid_min") == 0 || strcmp(name, "valid_max") == 0;
}

/* Whether a user may write the attribute of a column, or of the table if `column` is NULL. */
static stoa_status check_name(const stoa_column *column, const char *name, stoa_error *err)
{
    const size_t length = strlen(name);

    if (length == 0 || stoa_utf8_valid(name, length) != length) {
        return stoa_fail(err, STOA_EINVAL, "an attribute's name must be UTF-8, and not empty");
    }
    for (size_t i = 0; i < sizeof purposes / sizeof purposes[0]; i++) {
        if (strcmp(name, purposes[i].name) == 0) {
            return stoa_fail(err, STOA_EINVAL, "attribute '%s' cannot be set by hand: %s", name,
                             purposes[i].reason);
        }
    }
    if (strcmp(name, "TITLE") == 0 && column != NULL) {
        return stoa_fail(err, STOA_EINVAL,
                         "TITLE is the table's (HEP001 §7.4, §13.1); a column "
                         "has a description");
    }
    if (is_bound(name) && column == NULL) {
        return stoa_fail(err, STOA_EINVAL, "%s is said of a column (HEP001 §8.5); name one", name);
    }
    if (stoa_name_is_reserved(name) && !is_bound(name) && strcmp(name, "TITLE") != 0) {
        return stoa_fail(err, STOA_EINVAL, "HEP001 reserves the name '%s' (§13.2); choose another",
                         name);
    }
    return STOA_OK;
}

static stoa_status remove_note(hid_t object, stoa_column *column, uint64_t n_rows, const char *name,
                               stoa_error *err)
{
    if (!stoa_attribute_exists(object, name)) {
        return stoa_fail(err, STOA_ENOTFOUND, "there is no attribute '%s' to remove", name);
    }
    if (column != NULL && is_bound(name)) {
        STOA_RETURN_NOT_OK(stoa_bound_may_go(column, n_rows, err));
    }
    return stoa_attribute_delete(object, name, err);
}

static stoa_status set_note(hid_t object, stoa_column *column, uint64_t n_rows, const char *name,
                            const char *value, stoa_error *err)
{
    const size_t length = strlen(value);

    if (column != NULL && is_bound(name)) {
        return stoa_bound_write(column, n_rows, strcmp(name, "valid_min") == 0, value, err);
    }
    if (stoa_utf8_valid(value, length) != length) {
        return stoa_fail(err, STOA_EINVAL, "the value of '%s' is not UTF-8", name);
    }
    return stoa_attribute_write_utf8(object, name, value, err);
}

/* Units of a list column are those of its values, which may have the attribute as well. */
static stoa_status note_units_within(stoa_column_edit *edit, const stoa_column *column,
                                     const char *value, stoa_error *err)
{
    for (const stoa_list *list = column->list; list != NULL && !list->is_text;
         list = list->values->list) {
        const hid_t object = list->values->dataset;
        if (!stoa_attribute_exists(object, "units")) {
            continue;
        }
        STOA_RETURN_NOT_OK(stoa_snapshot_keep(&edit->before, object, "units", err));
        STOA_RETURN_NOT_OK(value == NULL ? stoa_attribute_delete(object, "units", err)
                                         : stoa_attribute_write_utf8(object, "units", value, err));
    }
    return STOA_OK;
}

/* Units make integers times, and times have `calendar` and `_FillValue`. */
static stoa_status follow_units(stoa_column_edit *edit, stoa_column *column, stoa_error *err)
{
    static const char *const names[] = {STOA_CF_FILL, STOA_CF_CALENDAR};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        STOA_RETURN_NOT_OK(stoa_snapshot_keep(&edit->before, column->dataset, names[i], err));
    }
    STOA_RETURN_NOT_OK(stoa_column_edit_reopen(edit, err));
    STOA_RETURN_NOT_OK(stoa_column_edit_find(edit->after, column->name, &column, err));
    return stoa_cf_write(column->dataset, &column->element, column->type.kind,
                         stoa_attribute_exists(column->dataset, STOA_CF_FILL), err);
}

stoa_status stoa_table_annotate(stoa_table *table, const char *column_name, const char *attribute,
                                const char *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column_edit edit = STOA_COLUMN_EDIT_INIT;
    stoa_column *column = NULL;
    hid_t object = table->group;

    STOA_TRY(stoa_column_edit_begin(table, &edit, err));
    if (column_name != NULL) {
        STOA_TRY(stoa_column_edit_find(table, column_name, &column, err));
        object = column->dataset;
    }
    STOA_TRY(check_name(column, attribute, err));
    STOA_TRY(stoa_snapshot_keep(&edit.before, object, attribute, err));
    STOA_TRY(value == NULL ? remove_note(object, column, table->n_rows, attribute, err)
                           : set_note(object, column, table->n_rows, attribute, value, err));
    if (column != NULL && strcmp(attribute, "units") == 0) {
        STOA_TRY(stoa_column_is_list_group(column) ? note_units_within(&edit, column, value, err)
                                                   : follow_units(&edit, column, err));
    }

done:
    return stoa_column_edit_end(&edit, status, err);
}
