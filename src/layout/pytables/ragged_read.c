/* Reads groups of a Table and VLArrays as one table (ragged.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/extent.h"
#include "layout/pytables/ragged.h"
#include "layout/pytables/rows.h"
#include "layout/pytables/vlarray.h"

/* A group that is being opened or looked at. */
typedef struct opening {
    hid_t group;
    hid_t table; /* the Table; invalid until a column is in it */
} opening;

/* --- members --------------------------------------------------------------------------------- */

/* The name of column i that the group lists; NULL past the last. The caller frees it. */
static stoa_status read_name(hid_t group, size_t i, char **name, stoa_error *err)
{
    char attribute[32];

    (void)snprintf(attribute, sizeof attribute, "FIELD_%zu_NAME", i);
    return stoa_attribute_read_optional(group, attribute, name, err);
}

static stoa_status has_class(hid_t object, const char *class, bool *has, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *said = NULL;

    *has = false;
    STOA_TRY(stoa_attribute_read_optional(object, "CLASS", &said, err));
    *has = said != NULL && strcmp(said, class) == 0;

done:
    free(said);
    return status;
}

/* Open a member that is a VLArray; *dataset is invalid if there is none of that name. Names with a
 * slash are those of a Table's columns. */
static stoa_status open_vlarray(hid_t group, const char *name, hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t member = strchr(name, '/') == NULL ? stoa_object_open(group, name) : H5I_INVALID_HID;
    bool is_one = false;

    *dataset = H5I_INVALID_HID;
    if (member >= 0 && H5Iget_type(member) == H5I_DATASET) {
        STOA_TRY(has_class(member, "VLARRAY", &is_one, err));
    }
    if (is_one) {
        *dataset = member;
        member = H5I_INVALID_HID;
    }

done:
    return stoa_hdf_close(&member, status, err);
}

/* Open the Table: "table", or that with underscores behind it if a VLArray has the name. */
static stoa_status open_table(opening *o, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer name = {0};
    hid_t vlarray = H5I_INVALID_HID;

    STOA_TRY(stoa_buffer_append(&name, STOA_RAGGED_TABLE, sizeof STOA_RAGGED_TABLE, err));
    for (;;) {
        STOA_TRY(open_vlarray(o->group, (char *)name.data, &vlarray, err));
        if (vlarray < 0) {
            break;
        }
        STOA_TRY(stoa_hdf_close(&vlarray, status, err));
        name.data[name.size - 1] = '_';
        STOA_TRY(stoa_buffer_append(&name, "", 1, err));
    }
    o->table = stoa_object_open(o->group, (char *)name.data);
    if (o->table < 0 || H5Iget_type(o->table) != H5I_DATASET ||
        stoa_class_of(o->table) != H5T_COMPOUND) {
        STOA_FAIL(err, STOA_EDATA,
                  "the group lists columns (FIELD_n_NAME), but has no Table '%s' for them",
                  (char *)name.data);
    }

done:
    stoa_buffer_clear(&name);
    return stoa_hdf_close(&vlarray, status, err);
}

static stoa_status end(opening *o, stoa_status status, stoa_error *err)
{
    return stoa_hdf_close(&o->table, status, err);
}

/* --- recognising ----------------------------------------------------------------------------- */

/* Add the rows and bytes of a dataset to what is shown. */
static stoa_status measure(hid_t dataset, stoa_object *shown, stoa_error *err)
{
    stoa_object one = {.path = NULL};
    bool is_one = false;

    STOA_RETURN_NOT_OK(stoa_pytables_rows.identify(dataset, H5I_DATASET, &is_one, &one, err));
    if (!is_one) {
        STOA_RETURN_NOT_OK(stoa_pytables_arrays.identify(dataset, H5I_DATASET, &is_one, &one, err));
    }
    shown->n_rows = is_one ? one.n_rows : shown->n_rows;
    shown->n_bytes += is_one ? one.n_bytes : 0;
    return STOA_OK;
}

static stoa_status identify(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    opening o = {object, H5I_INVALID_HID};
    hid_t vlarray = H5I_INVALID_HID;
    char *name = NULL;

    *is_one = false;
    if (type == H5I_GROUP && stoa_attribute_exists(object, "FIELD_0_NAME")) {
        STOA_RETURN_NOT_OK(has_class(object, "GROUP", is_one, err));
    }
    if (!*is_one) {
        return STOA_OK;
    }
    shown->layout = "pytables";
    shown->kind = "table";
    if (shown->path == NULL) {
        return STOA_OK;
    }
    shown->n_columns = 0;
    shown->n_bytes = 0;
    for (;; shown->n_columns++) {
        free(name);
        STOA_TRY(read_name(object, (size_t)shown->n_columns, &name, err));
        if (name == NULL) {
            break;
        }
        STOA_TRY(open_vlarray(object, name, &vlarray, err));
        if (vlarray >= 0) {
            STOA_TRY(measure(vlarray, shown, err));
            STOA_TRY(stoa_hdf_close(&vlarray, STOA_OK, err));
        } else if (o.table < 0 && open_table(&o, NULL) == STOA_OK) {
            STOA_TRY(measure(o.table, shown, err));
        }
    }

done:
    free(name);
    status = stoa_hdf_close(&vlarray, status, err);
    return end(&o, status, err);
}

/* --- opening --------------------------------------------------------------------------------- */

/* Add a column, all of which must have as many rows as the first. Takes it over in every case. */
static stoa_status add_column(stoa_table *table, stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (table->n_columns == 0) {
        table->n_rows = column->n_rows;
    }
    if (column->n_rows != table->n_rows) {
        STOA_FAIL(err, STOA_EDATA,
                  "column '%s' has %llu rows, and '%s' %llu; what adds rows has to add them to the "
                  "Table and to each VLArray",
                  column->name, (unsigned long long)column->n_rows, table->columns[0]->name,
                  (unsigned long long)table->n_rows);
    }
    status = stoa_foreign_add(table, column, err);
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

static stoa_status add_member(stoa_table *table, stoa_rows *rows, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    const stoa_error_stack errors = stoa_error_stack_begin();
    const int at = H5Tget_member_index(stoa_rows_type(rows), name);
    stoa_error_stack_discard(&errors);
    if (at < 0) {
        STOA_FAIL(err, STOA_EDATA,
                  "the group lists a column '%s', which is neither a VLArray nor in its Table",
                  name);
    }
    STOA_TRY(stoa_column_of_member(name, rows, (unsigned)at, STOA_WHOLE_MEMBER, &column, err));
    STOA_TRY(stoa_pytables_present_member(rows, (unsigned)at, column, err));
    status = add_column(table, column, err);
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

static stoa_status add_one(opening *o, stoa_table *table, stoa_rows **rows, const char *name,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    hid_t vlarray = H5I_INVALID_HID;

    STOA_TRY(open_vlarray(o->group, name, &vlarray, err));
    if (vlarray >= 0) {
        STOA_TRY(stoa_pytables_open_array(vlarray, name, &column, err));
        STOA_TRY(add_column(table, column, err));
        goto done;
    }
    if (*rows == NULL) {
        STOA_TRY(open_table(o, err));
        const hid_t dataset = o->table;
        o->table = H5I_INVALID_HID; /* the rows take it over */
        STOA_TRY(stoa_rows_open(dataset, table->read_context, rows, err));
    }
    STOA_TRY(add_member(table, *rows, name, err));

done:
    return stoa_hdf_close(&vlarray, status, err);
}

static stoa_status open_group(hid_t group, const char *path, const char *file, stoa_table **out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    opening o = {group, H5I_INVALID_HID};
    stoa_table *table = NULL;
    stoa_rows *rows = NULL;
    char *name = NULL;

    *out = NULL;
    STOA_TRY(stoa_foreign_begin(group, path, file, "pytables", 0, &table, err));
    table->has_user_attributes = true;
    STOA_TRY(stoa_attribute_read_optional(group, "TITLE", &table->title, err));
    for (size_t i = 0;; i++) {
        STOA_TRY(read_name(group, i, &name, err));
        if (name == NULL) {
            break;
        }
        STOA_TRY(add_one(&o, table, &rows, name, err));
        free(name);
        name = NULL;
    }
    *out = table;
    table = NULL;

done:
    free(name);
    stoa_rows_close(rows);
    stoa_table_close(table);
    return end(&o, status, err);
}

const stoa_layout_class stoa_ragged_groups = {.identify = identify, .open = open_group};

/* --- pseudo-atoms ---------------------------------------------------------------------------- */

static stoa_status save_atom(const stoa_column *column, hid_t table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;

    for (size_t i = 0; i < column->n_metadata; i++) {
        if (strcmp(column->metadata[i].key, STOA_PYTABLES_ATOM) == 0) {
            object = stoa_object_open(table, column->name);
            STOA_TRY(object >= 0 ? stoa_attribute_write_utf8(object, STOA_PYTABLES_ATOM_ATTRIBUTE,
                                                             column->metadata[i].value, err)
                                 : STOA_OK);
            STOA_TRY(stoa_hdf_close(&object, STOA_OK, err));
        }
    }

done:
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_ragged_save_atoms(const stoa_table *from, hid_t loc, const char *path, hid_t table,
                                   stoa_error *err)
{
    const bool is_own = from->layout != NULL && strcmp(from->layout, "pytables") == 0;

    (void)loc;
    (void)path;
    for (size_t i = 0; is_own && i < from->n_columns; i++) {
        STOA_RETURN_NOT_OK(save_atom(from->columns[i], table, err));
    }
    return STOA_OK;
}

stoa_status stoa_ragged_recall_atoms(const stoa_table *from, struct ArrowSchema *schema,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;
    char *atom = NULL;

    for (int64_t i = 0; from->layout == NULL && i < schema->n_children; i++) {
        struct ArrowSchema *const field = schema->children[i];
        object = stoa_object_open(from->group, field->name);
        atom = object >= 0 ? stoa_attribute_optional(object, STOA_PYTABLES_ATOM_ATTRIBUTE) : NULL;
        STOA_TRY(atom != NULL ? stoa_schema_set(field, STOA_PYTABLES_ATOM, atom, err) : STOA_OK);
        free(atom);
        atom = NULL;
        STOA_TRY(stoa_hdf_close(&object, STOA_OK, err));
    }

done:
    free(atom);
    return stoa_hdf_close(&object, status, err);
}
