/*
 * Row-wise tables: PyTables' Table, H5TB's tables, and other compound datasets.
 *
 * The dataset decides, not the attributes. Its extent is the number of rows, and the members of its
 * type are the columns (PyTables format, "Table"). Attributes only describe them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/extent.h"
#include "layout/common/tensor.h"
#include "layout/pytables/rows.h"

/* --- telling layouts apart ------------------------------------------------------------------- */

/* H5TB and PyTables both write CLASS "TABLE". Only PyTables writes NROWS, and H5TB writes VERSION
 * "3.0" (PyTables notes §10). */
static const char *layout_of(hid_t dataset)
{
    if (!stoa_attribute_is(dataset, "CLASS", "TABLE")) {
        return "compound";
    }
    return stoa_attribute_exists(dataset, "NROWS") || !stoa_attribute_is(dataset, "VERSION", "3.0")
               ? "pytables"
               : "h5tb";
}

static stoa_status identify(hid_t object, H5I_type_t object_type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    *is_one = object_type == H5I_DATASET && stoa_class_of(object) == H5T_COMPOUND &&
              stoa_extent_read(object, &rank, extent, NULL) == STOA_OK && rank == 1;
    if (!*is_one) {
        (void)H5Eclear2(H5E_DEFAULT); /* damaged, or another kind of object */
        return STOA_OK;
    }
    hid_t type = H5Dget_type(object);
    shown->layout = layout_of(object);
    shown->kind = "table";
    shown->n_rows = extent[0];
    shown->n_columns = (uint64_t)H5Tget_nmembers(type);
    shown->n_bytes = H5Dget_storage_size(object);
    return stoa_hdf_close(&type, STOA_OK, err);
}

/* --- columns --------------------------------------------------------------------------------- */

static const stoa_time_units seconds = {.unit = STOA_TIME_SECOND, .ticks_per = 1, .utc = true};
/* The 64-bit times of PyTables pack seconds and microseconds (notes §4). */
static const stoa_time_units split = {.unit = STOA_TIME_MICRO,
                                      .ticks_per = 1,
                                      .utc = true,
                                      .is_split = true};

/* Present the items of cells, nested columns and lists. Times are raw bytes there, in the stored
 * order. */
static void present_within(stoa_element *element)
{
    const size_t n = element->class == STOA_ELEMENT_COMPOUND ? element->n_members : 1;

    for (size_t i = 0; element->items != NULL && i < n; i++) {
        stoa_element *const item = &element->items[i];
        const bool is_time = item->class == STOA_ELEMENT_OPAQUE && item->is_raw &&
                             H5Tget_class(item->mem_type) == H5T_TIME;
        if (item->class == STOA_ELEMENT_INTEGER && item->is_bitfield && item->size == 1) {
            item->logical = STOA_LOGICAL_BOOL;
        } else if (is_time && (item->size == 4 || item->size == 8)) {
            item->class = STOA_ELEMENT_INTEGER;
            item->kind = item->size == 8 ? STOA_KIND_INT64 : STOA_KIND_INT32;
            item->is_raw = false;
            item->logical = STOA_LOGICAL_TIME;
            item->units = item->size == 8 ? split : seconds;
            item->turns = H5Tget_order(item->mem_type) != H5Tget_order(H5T_NATIVE_INT);
        }
        present_within(item);
    }
}

void stoa_pytables_present(stoa_column *column, hid_t stored)
{
    const H5T_class_t class = H5Tget_class(stored);

    present_within(&column->element);
    if (class == H5T_BITFIELD && column->element.size == 1) {
        stoa_column_as_bools(column);
    } else if (class == H5T_TIME && column->element.class == STOA_ELEMENT_INTEGER) {
        stoa_column_as_times(column, column->element.size == 8 ? &split : &seconds);
    }
}

/* The items of lists, and of cells in them: times and durations are known by their units there,
 * too. */
static void present_units(stoa_element *item, const char *units, bool is_duration)
{
    stoa_time_units times;

    while (item->class == STOA_ELEMENT_ARRAY) {
        item = &item->items[0];
    }
    if (item->class != STOA_ELEMENT_INTEGER || item->is_bitfield || units == NULL ||
        item->logical != STOA_LOGICAL_NONE) {
        return;
    }
    if (is_duration && item->size == sizeof(int64_t) &&
        stoa_parse_duration_units(units, &item->units.unit)) {
        item->logical = STOA_LOGICAL_DURATION;
    } else if ((item->size == sizeof(int64_t) || item->size == sizeof(int32_t)) &&
               stoa_parse_time_units(units, &times) && times.ticks_per == 1 &&
               times.epoch_ticks == 0) {
        item->logical = STOA_LOGICAL_TIME;
        item->units = times;
    }
}

stoa_status stoa_pytables_read_notes(hid_t object, const char *prefix, stoa_column *column,
                                     stoa_error *err)
{
    char name[64];
    stoa_time_units times;
    stoa_time_unit unit;

    (void)snprintf(name, sizeof name, "%sunits", prefix);
    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(object, name, &column->units, err));
    (void)snprintf(name, sizeof name, "%sdescription", prefix);
    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(object, name, &column->description, err));
    (void)snprintf(name, sizeof name, "%s" STOA_COLUMN_ARROW_TYPE, prefix);
    const bool is_duration = stoa_attribute_is(object, name, STOA_COLUMN_DURATION);
    if (column->element.class == STOA_ELEMENT_VLEN) {
        present_units(&column->element.items[0], column->units, is_duration);
    }
    if (column->units != NULL && column->element.class == STOA_ELEMENT_INTEGER &&
        !column->element.is_bitfield && !column->is_time &&
        stoa_parse_time_units(column->units, &times)) {
        stoa_column_as_times(column, &times);
    }
    if (is_duration && stoa_column_has_duration_units(column, &unit)) {
        stoa_column_as_durations(column, unit);
    }
    return STOA_OK;
}

/* Multidimensional cells are one list of their items, and the shape is metadata. The same is true
 * of the items of lists. */
stoa_status stoa_pytables_note_shape(stoa_column *column, stoa_error *err)
{
    const bool are_items = column->element.class == STOA_ELEMENT_VLEN;
    const stoa_element *const cell = are_items ? &column->element.items[0] : &column->element;
    hsize_t dims[H5S_MAX_RANK];
    int rank = 0;

    if (cell->class == STOA_ELEMENT_ARRAY) {
        STOA_RETURN_HDF_ERROR(err, rank = H5Tget_array_dims2(cell->mem_type, dims),
                              "read an array type");
    }
    if (rank <= 1) {
        return STOA_OK;
    }
    if (!are_items) {
        return stoa_tensor_add_metadata(column, rank, dims, err);
    }
    column->extension =
        stoa_format(STOA_COLUMN_EXTENSION_ITEM "+w:%zu " STOA_TENSOR, cell->n_items);
    STOA_RETURN_NO_MEMORY(err, column->extension);
    return stoa_tensor_metadata(rank, dims, &column->extension_metadata, err);
}

stoa_status stoa_pytables_present_member(stoa_rows *rows, unsigned i, stoa_column *column,
                                         stoa_error *err)
{
    char prefix[32];

    stoa_pytables_present(column, column->member.type);
    STOA_RETURN_NOT_OK(stoa_pytables_note_shape(column, err));
    (void)snprintf(prefix, sizeof prefix, "FIELD_%u_ATTR_", i);
    return stoa_pytables_read_notes(stoa_rows_dataset(rows), prefix, column, err);
}

bool stoa_pytables_is_row_wise(const stoa_table *table)
{
    hid_t type = H5I_INVALID_HID;
    bool is = false;

    if (table->layout != NULL && H5Iget_type(table->group) == H5I_DATASET) {
        type = H5Dget_type(table->group);
        is = type >= 0 && H5Tget_class(type) == H5T_COMPOUND;
    }
    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    return is;
}

stoa_status stoa_pytables_may_append(const stoa_table *table, stoa_error *err)
{
    return stoa_pytables_is_row_wise(table)
               ? STOA_OK
               : stoa_fail(err, STOA_ELAYOUT,
                           "of %s, only tables of rows are appended to; write both into a new "
                           "table (stoa concat)",
                           table->layout);
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status add_member(stoa_table *table, stoa_rows *rows, unsigned i,
                              stoa_member_type_setter *show, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    char *name = NULL;

    STOA_HDF(err, (name = H5Tget_member_name(stoa_rows_type(rows), i)) != NULL ? 0 : -1,
             "read a field's name");
    STOA_TRY(stoa_column_of_member(name, rows, i, STOA_WHOLE_MEMBER, &column, err));
    STOA_TRY(show(rows, i, column, err));
    status = stoa_foreign_add(table, column, err);
    column = NULL;

done:
    stoa_column_close(column);
    (void)H5free_memory(name);
    return status;
}

stoa_status stoa_pytables_open_rows(hid_t dataset, const char *path, const char *file,
                                    const char *layout, stoa_member_type_setter *show,
                                    stoa_table **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    stoa_rows *rows = NULL;
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    *out = NULL;
    status = stoa_extent_read(dataset, &rank, extent, err);
    if (status != STOA_OK) {
        return stoa_hdf_close(&dataset, status, NULL);
    }
    STOA_TRY(
        stoa_foreign_begin(dataset, path, file, layout, rank == 1 ? extent[0] : 0, &table, err));
    STOA_HDF(err, H5Iinc_ref(dataset), "hold the table");
    STOA_TRY(stoa_rows_open(dataset, table->read_context, &rows, err));
    for (int i = 0; i < H5Tget_nmembers(stoa_rows_type(rows)); i++) {
        STOA_TRY(add_member(table, rows, (unsigned)i, show, err));
    }
    *out = table;
    table = NULL;

done:
    stoa_rows_close(rows);
    stoa_table_close(table);
    return status;
}

static stoa_status open_rows(hid_t dataset, const char *path, const char *file, stoa_table **out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    *out = NULL;
    STOA_TRY(stoa_pytables_open_rows(dataset, path, file, layout_of(dataset),
                                     stoa_pytables_present_member, &table, err));
    table->has_user_attributes = true;
    STOA_TRY(stoa_attribute_read_optional(table->group, "TITLE", &table->title, err));
    *out = table;
    table = NULL;

done:
    stoa_table_close(table);
    return status;
}

const stoa_layout_class stoa_pytables_rows = {.identify = identify,
                                              .open = open_rows,
                                              .is_vague = true};
