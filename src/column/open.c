/* Loading a column: datatype, fill, attributes, categories (HEP001 §8). */
#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "column/labels.h"
#include "column/type/item_units.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"
#include "hdf/metadata/references.h"

stoa_status stoa_column_read_shape(stoa_column *column, hid_t *dcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hsize_t chunk = 0;
    hsize_t extent = 0;

    if (!stoa_extent_is_here(column->dataset)) {
        STOA_TRY(stoa_dataset_may_be_read(column->dataset, err));
    }
    STOA_HDF(err, space = H5Dget_space(column->dataset), "get the shape");
    if (H5Sget_simple_extent_type(space) != H5S_SIMPLE || H5Sget_simple_extent_ndims(space) != 1) {
        STOA_FAIL(err, STOA_EDATA, "a column dataset must have one dimension (HEP001 §8.1)");
    }
    (void)H5Sget_simple_extent_dims(space, &extent, NULL);
    column->extent = extent;
    STOA_HDF(err, *dcpl = stoa_dataset_properties(column->dataset), "get the creation properties");
    if (H5Pget_layout(*dcpl) == H5D_CHUNKED) {
        STOA_HDF(err, H5Pget_chunk(*dcpl, 1, &chunk), "get the chunk length");
    }
    column->chunk_rows = chunk;

done:
    return stoa_hdf_close(&space, status, err);
}

/* Read the user-defined fill value in memory form (§8.5). If none is defined, no row is missing. */
static stoa_status read_fill(stoa_column *column, hid_t dcpl, hid_t type, stoa_error *err)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    bool fits = false;

    STOA_RETURN_HDF_ERROR(err, H5Pfill_value_defined(dcpl, &defined), "look for the fill value");
    if (defined != H5D_FILL_VALUE_USER_DEFINED) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_fill_fits(dcpl, type, &fits, err));
    if (!fits) {
        return stoa_fail(err, STOA_EDATA,
                         "the fill value is not of the size of an element: the file is damaged");
    }
    column->fill = stoa_alloc_zero(1, column->element.size);
    STOA_RETURN_NO_MEMORY(err, column->fill);
    STOA_RETURN_HDF_ERROR(err, H5Pget_fill_value(dcpl, column->element.mem_type, column->fill),
                          "read the fill value");
    column->fill_is_nan = stoa_element_is_nan(&column->element, column->fill);
    return STOA_OK;
}

static stoa_status read_bound(stoa_column *column, const char *name, uint8_t **bound,
                              stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    bool found = false;

    if (stoa_element_is_variable(&column->element) ||
        !stoa_attribute_exists(column->dataset, name)) {
        return STOA_OK;
    }
    *bound = stoa_alloc_zero(1, column->element.size);
    STOA_RETURN_NO_MEMORY(err, *bound);
    /* A malformed bound does not change which rows are missing, so it is left to the checker. */
    if (stoa_attribute_read_scalar(column->dataset, name, column->element.mem_type, *bound, &found,
                                   &ignored) != STOA_OK ||
        !found) {
        free(*bound);
        *bound = NULL;
    }
    return STOA_OK;
}

/*
 * Present an enumeration of FALSE and TRUE as integers, which is_bool() then takes for booleans
 * (HEP001-2026-07 §8.8). With MISSING it is one only if that is the fill value.
 *
 * June demands a fill value for every column. That of a column of FALSE and TRUE cannot be one of
 * the two: every row that holds it would be missing.
 */
static void resolve_boolean(stoa_column *column)
{
    const stoa_truth_form form = stoa_element_truth_form(&column->element);

    if (form == STOA_TRUTH_NULLABLE ? column->fill != NULL && *column->fill == 2
                                    : form == STOA_TRUTH_PLAIN) {
        stoa_element_as_boolean(&column->element);
    }
    if (form == STOA_TRUTH_PLAIN && column->fill != NULL && *column->fill <= 1) {
        free(column->fill);
        column->fill = NULL;
    }
}

/* Whether the column is a boolean: such an enumeration, or uint8 with the declared range [0, 1]
 * (§8.5, notes C4). */
static bool is_bool(const stoa_column *column)
{
    if (column->element.is_truth) {
        return column->element.class == STOA_ELEMENT_INTEGER;
    }
    return column->element.class == STOA_ELEMENT_INTEGER &&
           column->element.kind == STOA_KIND_UINT8 && !column->element.is_bitfield &&
           column->valid_min != NULL && column->valid_max != NULL && *column->valid_min == 0 &&
           *column->valid_max == 1 && column->fill != NULL && *column->fill > 1;
}

void stoa_column_resolve_time(stoa_column *column)
{
    stoa_type *type = &column->type;

    column->is_time = true;
    type->unit = column->time.unit;
    type->utc = column->time.utc;
    type->kind = type->unit == STOA_TIME_DAY ? STOA_KIND_DATE : STOA_KIND_TIMESTAMP;
    type->width = type->unit == STOA_TIME_DAY ? 4 : 8;
}

void stoa_column_resolve_duration(stoa_column *column, stoa_time_unit unit)
{
    column->is_time = true;
    column->time = (stoa_time_units){.unit = unit, .ticks_per = 1};
    column->type = (stoa_type){.kind = STOA_KIND_DURATION, .width = sizeof(int64_t), .unit = unit};
}

void stoa_column_resolve_type(stoa_column *column)
{
    const stoa_element *element = &column->element;
    stoa_type *type = &column->type;

    *type = (stoa_type){.kind = element->kind, .width = stoa_kind_width(element->kind)};
    if (element->class == STOA_ELEMENT_OPAQUE && !element->is_reference) {
        type->width = (int32_t)element->size;
    } else if (element->class == STOA_ELEMENT_ARRAY) {
        type->width = (int32_t)element->n_items;
    } else if (element->class == STOA_ELEMENT_ENUM) {
        type->kind = STOA_KIND_DICTIONARY;
        type->index = STOA_KIND_INT32;
    } else if (is_bool(column)) {
        type->kind = STOA_KIND_BOOL;
        type->width = 0;
    } else if (element->class == STOA_ELEMENT_INTEGER && !element->is_bitfield &&
               element->kind != STOA_KIND_UINT64 && column->units != NULL &&
               stoa_parse_time_units(column->units, &column->time)) {
        stoa_column_resolve_time(column);
    }
}

/* Read all labels of the categories dataset (§8.7) as the column's dictionary. */
static stoa_status read_labels(stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *labels = NULL;

    STOA_TRY(stoa_labels_open(column->categories, column->name, &labels, err));
    STOA_TRY(stoa_labels_read(labels, &column->dictionary_schema, &column->dictionary, err));
    column->has_distinct_labels = false;
    column->has_label_ends = false;

done:
    stoa_column_close(labels);
    return status;
}

/* Read `ordered` of a categories dataset (§8.7): one byte, by the enumeration of §6. Any other form
 * is ignored. */
static stoa_status read_ordered(stoa_column *column, stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;

    if (stoa_attribute_read_bool(column->categories, "ordered", &column->is_ordered, &ignored) ==
        STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    return STOA_OK;
}

/* Read whether the column is presented as strings. */
static stoa_status read_declared(stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *declared = NULL;
    stoa_type labels;

    STOA_TRY(stoa_attribute_read_optional(column->dataset, STOA_COLUMN_ARROW_TYPE, &declared, err));
    STOA_TRY(stoa_type_of(&column->dictionary_schema, &labels, err));
    column->is_text =
        declared != NULL && strcmp(declared, "utf8") == 0 && labels.kind == STOA_KIND_STRING;

done:
    free(declared);
    return status;
}

/* §12: labels lie in the group CATEGORIES of the table. Their usual name is tried first, so that
 * not every column goes through all of them. */
static stoa_status check_home_of_labels(const stoa_column *column, hid_t labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = stoa_object_exists(column->home, "CATEGORIES")
                      ? stoa_open_here(column->home, "CATEGORIES")
                      : H5I_INVALID_HID;
    hid_t usual = H5I_INVALID_HID;
    char *name = stoa_format("%s__CATEGORIES", column->name);
    bool is_there = false;

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    if (group >= 0 && stoa_object_exists(group, name)) {
        usual = stoa_open_here(group, name);
        is_there = usual >= 0 && stoa_same_object(usual, labels);
    }
    if (group >= 0 && !is_there) {
        free(name);
        name = NULL;
        STOA_TRY(stoa_link_name(group, labels, &name, err));
        is_there = name != NULL;
    }
    if (!is_there) {
        STOA_FAIL(err, STOA_EDATA,
                  "CATEGORIES leads to no dataset of the table's group CATEGORIES (HEP001 §12): it "
                  "is not followed; see stoa check");
    }

done:
    free(name);
    (void)stoa_hdf_close(&usual, STOA_OK, NULL);
    (void)stoa_hdf_close(&group, STOA_OK, NULL);
    return status;
}

/* Follow CATEGORIES (§8.7). */
static stoa_status read_categories(stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t *targets = NULL;
    size_t n = 0;

    STOA_TRY(stoa_references_read(column->dataset, "CATEGORIES", &targets, &n, err));
    if (n == 0) {
        goto done;
    }
    if (n != 1 || targets[0] < 0 || H5Iget_type(targets[0]) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA,
                  "CATEGORIES does not lead to one categories dataset (HEP001 §8.7)");
    }
    if (column->element.class != STOA_ELEMENT_INTEGER || column->element.is_bitfield) {
        STOA_FAIL(err, STOA_EDATA, "a categorical column must be of integers, not %s (HEP001 §8.7)",
                  column->element.text);
    }
    if (column->home >= 0) {
        STOA_TRY(check_home_of_labels(column, targets[0], err));
    }
    column->categories = targets[0];
    targets[0] = H5I_INVALID_HID;
    column->is_time = false;
    column->type = (stoa_type){.kind = STOA_KIND_DICTIONARY, .index = column->element.kind};
    STOA_TRY(read_ordered(column, err));
    STOA_TRY(read_labels(column, err));
    STOA_TRY(read_declared(column, err));
    if (column->is_one_of_many) { /* only its labels are needed */
        column->has_read_categories = true;
        STOA_TRY(stoa_hdf_close(&column->categories, status, err));
    }

done:
    for (size_t i = 0; i < n; i++) {
        (void)stoa_hdf_close(&targets[i], STOA_OK, NULL);
    }
    free(targets);
    return status;
}

hid_t stoa_column_dataset_open(hid_t group, const char *name)
{
    enum { SLOTS = 31 };
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t dataset = H5I_INVALID_HID;

    if (access >= 0 && H5Pset_chunk_cache(access, SLOTS, H5D_CHUNK_CACHE_NBYTES_DEFAULT,
                                          H5D_CHUNK_CACHE_W0_DEFAULT) >= 0) {
        dataset = H5Dopen2(group, name, access);
    }
    (void)H5Pclose(access);
    return dataset;
}

stoa_status stoa_column_reach(const stoa_column *column, stoa_error *err)
{
    stoa_column *own = (stoa_column *)(uintptr_t)column; /* as in stoa_column_load() */

    if (column->dataset >= 0 || column->group < 0) {
        return STOA_OK;
    }
    if (column->list != NULL) {
        STOA_RETURN_HDF_ERROR(err,
                              own->dataset = H5Gopen2(column->group, column->name, H5P_DEFAULT),
                              "open column '%s'", column->name);
        return STOA_OK;
    }
    own->dataset = stoa_column_dataset_open(column->group, column->name);
    if (own->dataset < 0) { /* again, for the reasons, which closing the properties has dropped */
        STOA_RETURN_HDF_ERROR(err,
                              own->dataset = H5Dopen2(column->group, column->name, H5P_DEFAULT),
                              "open column '%s'", column->name);
    }
    return STOA_OK;
}

/* The column's own vocabulary takes precedence over the table's (§7.4, §8.6). */
static stoa_status read_vocabulary(stoa_column *column, stoa_error *err)
{
    char *own = NULL;
    const stoa_status status =
        stoa_attribute_read_optional(column->dataset, "units_vocabulary", &own, err);

    if (own != NULL) {
        free(column->units_vocabulary);
        column->units_vocabulary = own;
    }
    return status;
}

/* Read the time zone. A text that cannot be a zone is ignored. */
static stoa_status read_zone(stoa_column *column, stoa_error *err)
{
    enum { MAX_LENGTH = 64 };
    stoa_status status = STOA_OK;
    char *zone = NULL;

    if (column->type.kind != STOA_KIND_TIMESTAMP || !column->type.utc) {
        return STOA_OK;
    }
    STOA_TRY(stoa_attribute_read_optional(column->dataset, STOA_COLUMN_TIME_ZONE, &zone, err));
    if (zone != NULL && zone[0] != '\0' && strlen(zone) <= MAX_LENGTH &&
        strspn(zone, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/+-:") ==
            strlen(zone)) {
        column->zone = zone;
        zone = NULL;
    }

done:
    free(zone);
    return status;
}

bool stoa_column_has_duration_units(const stoa_column *column, stoa_time_unit *unit)
{
    const stoa_element *element = &column->element;

    return element->class == STOA_ELEMENT_INTEGER && !element->is_bitfield &&
           element->kind != STOA_KIND_UINT64 && column->type.kind != STOA_KIND_BOOL &&
           !column->is_time && column->units != NULL &&
           stoa_parse_duration_units(column->units, unit);
}

/* Integers with units of time need not be durations. Only an attribute by their writer tells. */
static void resolve_declared_duration(stoa_column *column)
{
    stoa_time_unit unit;

    if (stoa_column_has_duration_units(column, &unit) &&
        stoa_attribute_is(column->dataset, STOA_COLUMN_ARROW_TYPE, STOA_COLUMN_DURATION)) {
        stoa_column_resolve_duration(column, unit);
    }
}

/* Descriptive attributes carry no contract (§13.1): a malformed one is not an error. */
static stoa_status read_texts(stoa_column *column, stoa_error *err)
{
    const hid_t object = column->dataset;

    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(object, "units", &column->units, err));
    if (column->units == NULL && column->outer_units != NULL) {
        column->units = stoa_strdup(column->outer_units);
        STOA_RETURN_NO_MEMORY(err, column->units);
    }
    STOA_RETURN_NOT_OK(read_vocabulary(column, err));
    STOA_RETURN_NOT_OK(
        stoa_attribute_read_optional(object, "description", &column->description, err));
    STOA_RETURN_NOT_OK(
        stoa_attribute_read_optional(object, STOA_COLUMN_EXTENSION, &column->extension, err));
    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(object, STOA_COLUMN_EXTENSION_METADATA,
                                                    &column->extension_metadata, err));
    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(object, STOA_COLUMN_ITEM_EXTENSION,
                                                    &column->item_extension, err));
    return stoa_attribute_read_optional(object, STOA_COLUMN_ITEM_EXTENSION_METADATA,
                                        &column->item_extension_metadata, err);
}

static stoa_status load_list(stoa_column *column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_reach(column, err));
    STOA_RETURN_NOT_OK(read_texts(column, err));
    return column->list->load(column, err);
}

/* Read everything but the categories: the shape, the type, the fill value unless there is none, and
 * the attributes. */
static stoa_status load_values(stoa_column *column, bool has_fill, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;

    column->is_time = false;
    column->is_ordered = false;
    column->is_text = false;
    STOA_TRY(stoa_column_reach(column, err));
    STOA_TRY(stoa_column_read_shape(column, &dcpl, err));
    STOA_HDF(err, type = H5Dget_type(column->dataset), "get the datatype");
    STOA_TRY(stoa_element_of(type, &column->element, err));
    STOA_TRY(stoa_item_units_read(column->dataset, &column->element, err));
    STOA_TRY(has_fill ? read_fill(column, dcpl, type, err) : STOA_OK);
    resolve_boolean(column);
    STOA_TRY(read_bound(column, "valid_min", &column->valid_min, err));
    STOA_TRY(read_bound(column, "valid_max", &column->valid_max, err));
    STOA_TRY(read_texts(column, err));
    stoa_column_resolve_type(column);
    resolve_declared_duration(column);
    if (stoa_kind_is_integer(column->type.kind) || stoa_kind_is_float(column->type.kind)) {
        STOA_TRY(stoa_attribute_read_optional(column->dataset, STOA_COLUMN_ARROW_TYPE,
                                              &column->narrower, err));
    }
    STOA_TRY(read_zone(column, err));

done:
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_labels_open(hid_t dataset, const char *name, stoa_column **labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;

    *labels = NULL;
    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape of the categories");
    if (H5Sget_simple_extent_type(space) != H5S_SIMPLE || H5Sget_simple_extent_ndims(space) != 1) {
        STOA_FAIL(err, STOA_EDATA, "a categories dataset must have one dimension (HEP001 §8.7)");
    }
    STOA_HDF(err, H5Iinc_ref(dataset), "hold the categories");
    STOA_TRY(stoa_column_note(dataset, name, 0, NULL, labels, err));
    STOA_TRY(load_values(*labels, false, err)); /* every label is one (§8.7) */
    (*labels)->n_rows = (*labels)->extent;
    (*labels)->is_loaded = true;

done:
    if (status != STOA_OK) {
        stoa_column_close(*labels);
        *labels = NULL;
    }
    return stoa_hdf_close(&space, status, err);
}

static stoa_status load(stoa_column *column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(load_values(column, true, err));
    STOA_RETURN_NOT_OK(read_categories(column, err));
    if (column->extent < column->n_rows) {
        /* The extent of a virtual dataset depends on its sources. */
        STOA_RETURN_NOT_OK(stoa_dataset_may_be_read(column->dataset, err));
        return stoa_fail(err, STOA_EDATA,
                         "extent %llu is below NROWS %llu (HEP001 §12); see stoa check",
                         (unsigned long long)column->extent, (unsigned long long)column->n_rows);
    }
    return STOA_OK;
}

/* Let a column become the one that was opened for it. Others know it by its address, and by that of
 * its name. */
static void become(stoa_column *column, stoa_column *opened)
{
    stoa_column was = *column;

    *column = *opened;
    column->name = was.name;
    column->place = was.place;
    column->home = was.home;
    column->read_context = was.read_context;
    column->generation = was.generation;
    column->idle = was.idle;
    column->workers = was.workers;
    column->n_rows = was.n_rows;
    was.name = opened->name;
    was.place = NULL;
    *opened = was;
}

static stoa_status open_noted(stoa_column *column, stoa_error *err)
{
    stoa_column *opened = NULL;
    stoa_error why = STOA_ERROR_INIT;
    stoa_status status = column->opener.open(column->opener.context, &opened, &why);

    if (status == STOA_OK && opened->n_rows != column->n_rows) {
        status = stoa_fail(&why, STOA_EDATA, "it has %llu rows, the table %llu",
                           (unsigned long long)opened->n_rows, (unsigned long long)column->n_rows);
    }
    if (status == STOA_OK) {
        become(column, opened);
    } else if (status != STOA_ENOMEM) {
        column->damage = stoa_strdup(why.message);
    }
    stoa_column_close(opened);
    return status == STOA_OK        ? STOA_OK
           : column->damage != NULL ? stoa_fail(err, STOA_EDATA, "%s", column->damage)
                                    : stoa_fail_memory(err);
}

stoa_status stoa_column_load(const stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    /* The column is const to callers, who do not change it. Loading only caches what the file
     * says. */
    stoa_column *own = (stoa_column *)(uintptr_t)column;

    if (column->is_loaded) {
        return STOA_OK;
    }
    status = column->damage != NULL              ? stoa_fail(err, STOA_EDATA, "%s", column->damage)
             : column->opener.close != NULL      ? open_noted(own, err)
             : stoa_column_is_list_group(column) ? load_list(own, err)
                                                 : load(own, err);
    own->is_loaded = status == STOA_OK;
    if (status != STOA_OK) {
        stoa_column_unload(own);
    }
    return stoa_column_at(column, status, err);
}

stoa_status stoa_column_open(hid_t dataset, const char *name, uint64_t n_rows,
                             const char *vocabulary, stoa_column **column, stoa_error *err)
{
    stoa_status status = stoa_column_note(dataset, name, n_rows, vocabulary, column, err);

    if (status == STOA_OK) {
        status = stoa_column_load(*column, err);
    }
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return status;
}
