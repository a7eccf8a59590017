/* Opens awkward arrays (awkward_read.h): a group with the attributes `length` and `form`, and a
 * dataset for each buffer. */
#include "layout/anndata/awkward_read.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/anndata/awkward_nodes.h"
#include "layout/common/extent.h"

/* --- recognising arrays ---------------------------------------------------------------------- */

stoa_status stoa_awkward_read_length(hid_t group, uint64_t *n, stoa_error *err)
{
    bool found = false;

    STOA_RETURN_NOT_OK(stoa_attribute_read_u64(group, "length", n, &found, err));
    if (!found || *n >= INT64_MAX) {
        return stoa_fail(err, STOA_EDATA, "attribute 'length' does not say how many values it has");
    }
    return STOA_OK;
}

/* Columns of an array: those of its form, or one if that is damaged. */
static stoa_status count_columns(hid_t group, uint64_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_awkward_form form = {0};
    char *text = NULL;

    *n = 1;
    STOA_TRY(stoa_attribute_read_optional(group, "form", &text, err));
    if (text != NULL) {
        status = stoa_awkward_form_parse(text, &form, NULL);
        *n = status == STOA_OK && form.class == STOA_AWKWARD_RECORDS ? form.n_contents : 1;
        status = status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
    }

done:
    stoa_awkward_form_clear(&form);
    free(text);
    return status;
}

static stoa_status identify(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    char *encoding = NULL;

    *is_one = false;
    if (type != H5I_GROUP) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(object, "encoding-type", &encoding, err));
    *is_one = encoding != NULL && strcmp(encoding, STOA_AWKWARD_ENCODING) == 0;
    free(encoding);
    if (!*is_one) {
        return STOA_OK;
    }
    shown->layout = "anndata";
    shown->kind = "awkward";
    if (stoa_awkward_read_length(object, &shown->n_rows, &ignored) != STOA_OK) {
        shown->n_rows = 0;
    }
    if (shown->path != NULL) {
        STOA_RETURN_NOT_OK(count_columns(object, &shown->n_columns, err));
        shown->n_bytes = stoa_bytes_within(object, 0);
    }
    return STOA_OK;
}

/* --- tables ---------------------------------------------------------------------------------- */

static stoa_status read_form(hid_t group, stoa_awkward_form *form, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    STOA_TRY(stoa_attribute_read_text(group, "form", &text, err));
    if (text == NULL) {
        STOA_FAIL(err, STOA_EDATA, "attribute 'form' does not say what the array is made of");
    }
    STOA_TRY(stoa_awkward_form_parse(text, form, err));

done:
    free(text);
    return status;
}

/* The notes that Stoa writes beside an array are those of its column. */
static stoa_status read_notes(hid_t group, stoa_column *column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(column->units == NULL
                           ? stoa_attribute_read_optional(group, "units", &column->units, err)
                           : STOA_OK);
    return column->description == NULL
               ? stoa_attribute_read_optional(group, "description", &column->description, err)
               : STOA_OK;
}

/* The table names the place of its columns. */
static stoa_status add_column(stoa_table *table, stoa_column *column, stoa_error *err)
{
    free(column->place);
    column->place = NULL;
    return stoa_foreign_add(table, column, err);
}

static stoa_status add_columns(stoa_table *table, const stoa_awkward_form *form, const char *name,
                               stoa_error *err)
{
    stoa_column *column = NULL;

    if (form->class != STOA_AWKWARD_RECORDS) {
        STOA_RETURN_NOT_OK(
            stoa_awkward_open_node(table->group, form, name, table->n_rows, &column, err));
        const stoa_status status = read_notes(table->group, column, err);
        if (status != STOA_OK) {
            stoa_column_close(column);
            return status;
        }
        return add_column(table, column, err);
    }
    for (size_t i = 0; i < form->n_contents; i++) {
        STOA_RETURN_NOT_OK(
            stoa_awkward_open_field(table->group, form, i, table->n_rows, &column, err));
        STOA_RETURN_NOT_OK(add_column(table, column, err));
    }
    return STOA_OK;
}

static stoa_status open_array(hid_t group, const char *path, const char *file, stoa_table **out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_awkward_form form = {0};
    stoa_table *table = NULL;
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL && slash[1] != '\0' ? slash + 1 : "value";

    *out = NULL;
    STOA_TRY(stoa_foreign_begin(group, path, file, "anndata", 0, &table, err));
    STOA_TRY(stoa_awkward_read_length(group, &table->n_rows, err));
    STOA_TRY(read_form(group, &form, err));
    STOA_TRY(add_columns(table, &form, name, err));
    *out = table;
    table = NULL;

done:
    stoa_awkward_form_clear(&form);
    stoa_table_close(table);
    return status;
}

const stoa_layout_class stoa_awkward_arrays = {.identify = identify, .open = open_array};
