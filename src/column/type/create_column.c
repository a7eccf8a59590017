#include "column/type/create_column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/cast/original.h"
#include "column/type/cf_attributes.h"
#include "column/type/codec.h"
#include "column/type/dataset.h"
#include "column/type/datatype.h"
#include "column/type/item_units.h"
#include "column/type/parse_value.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"

/* Write field metadata that HEP001 has attributes for (§8.6). Times and durations get their
 * units. */
static stoa_status write_notes(hid_t dataset, const struct ArrowSchema *field,
                               const stoa_type *arrow, stoa_error *err)
{
    static const char *const names[] = {"units", "units_vocabulary", "description"};
    stoa_status status = STOA_OK;
    char *text = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        STOA_TRY(stoa_schema_get_text(field, names[i], &text, err));
        if (i == 0 && stoa_kind_is_ticks(arrow->kind)) {
            free(text);
            text = stoa_strdup(arrow->kind == STOA_KIND_DURATION
                                   ? stoa_duration_units_text(arrow->unit)
                                   : stoa_time_units_text(arrow->unit, arrow->utc));
            STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
        }
        if (text != NULL) {
            STOA_TRY(stoa_attribute_write_mended(dataset, names[i], text, err));
        }
        free(text);
        text = NULL;
    }

done:
    free(text);
    return status;
}

/* Longer texts are data, which does not belong into an attribute. */
enum { MAX_EXTENSION = 4096 };

static bool is_note(const char *text)
{
    return strlen(text) <= MAX_EXTENSION && stoa_is_utf8(text);
}

/* Write a field's extension type and the storage type that it extends. */
static stoa_status write_note(hid_t dataset, const struct ArrowSchema *field, const char *prefix,
                              const char *attribute, const char *of_metadata, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = NULL;
    char *metadata = NULL;
    char *note = NULL;

    STOA_TRY(stoa_schema_get_text(field, "ARROW:extension:name", &name, err));
    STOA_TRY(stoa_schema_get_text(field, "ARROW:extension:metadata", &metadata, err));
    if (name == NULL || field->dictionary != NULL || !is_note(name) ||
        (metadata != NULL && !is_note(metadata))) {
        goto done;
    }
    note = stoa_format("%s%s %s", prefix, field->format, name);
    STOA_TRY(note != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_attribute_write_utf8(dataset, attribute, note, err));
    if (metadata != NULL && metadata[0] != '\0') {
        STOA_TRY(stoa_attribute_write_utf8(dataset, of_metadata, metadata, err));
    }

done:
    free(name);
    free(metadata);
    free(note);
    return status;
}

/* Write the extension types of the field and of a list's items. If only the items have one, it goes
 * into the field's attribute with a prefix. */
static stoa_status write_extension(hid_t dataset, const struct ArrowSchema *column, stoa_error *err)
{
    const bool is_list =
        column->n_children == 1 && column->format[0] == '+' && column->format[1] != 's';

    if (!is_list ||
        stoa_schema_get(column, "ARROW:extension:name", &(const char *){NULL}, &(size_t){0})) {
        STOA_RETURN_NOT_OK(write_note(dataset, column, "", STOA_COLUMN_EXTENSION,
                                      STOA_COLUMN_EXTENSION_METADATA, err));
        if (is_list) {
            STOA_RETURN_NOT_OK(write_note(dataset, column->children[0], "",
                                          STOA_COLUMN_ITEM_EXTENSION,
                                          STOA_COLUMN_ITEM_EXTENSION_METADATA, err));
        }
    } else {
        STOA_RETURN_NOT_OK(write_note(dataset, column->children[0], STOA_COLUMN_EXTENSION_ITEM,
                                      STOA_COLUMN_EXTENSION, STOA_COLUMN_EXTENSION_METADATA, err));
    }
    return STOA_OK;
}

/* Write the time zone of a format as "tsn:Europe/Berlin". UTC is already in the units. */
static stoa_status write_zone(hid_t dataset, const struct ArrowSchema *field,
                              const stoa_type *arrow, stoa_error *err)
{
    const char *const colon = strchr(field->format, ':');

    if (arrow->kind != STOA_KIND_TIMESTAMP || !arrow->utc || colon == NULL ||
        strcmp(colon + 1, "UTC") == 0) {
        return STOA_OK;
    }
    return stoa_attribute_write_utf8(dataset, STOA_COLUMN_TIME_ZONE, colon + 1, err);
}

/* Whether values of a kind are stored as integers of any width. */
static bool is_counted(stoa_kind kind)
{
    return stoa_kind_is_integer(kind) || kind == STOA_KIND_BOOL || stoa_kind_is_ticks(kind) ||
           kind == STOA_KIND_DICTIONARY;
}

/* Sample floats of which some are missing. */
static stoa_status take_floats(const stoa_element *element, const stoa_view *view, size_t n,
                               void **own, int64_t *fill, stoa_sample *sample, stoa_error *err)
{
    const size_t size = element->size;

    if (stoa_kind_width(view->type.kind) != (int32_t)size) {
        return STOA_OK;
    }
    uint8_t *elements = stoa_alloc(n, size);
    STOA_RETURN_NO_MEMORY(err, elements);
    memcpy(elements, (const uint8_t *)view->values + (size_t)view->offset * size, n * size);
    stoa_float_put((uint8_t *)fill, element->kind, (double)NAN);
    for (size_t i = 0; i < n; i++) {
        if (stoa_view_is_null(view, (int64_t)i)) {
            memcpy(elements + i * size, fill, size);
        }
    }
    *own = elements;
    *sample = (stoa_sample){.elements = elements, .n = n, .fill = fill};
    return STOA_OK;
}

/*
 * Get the first values as the dataset will hold them, as far as that is known before it exists.
 * Missing values get the recommended fill.
 *
 * @param[out] own  memory of the sample or NULL; the caller frees it
 */
static stoa_status take_sample(const stoa_element *element, const stoa_view *view,
                               uint64_t chunk_rows, void **own, int64_t *fill, stoa_sample *sample,
                               stoa_error *err)
{
    const size_t size = element->size;
    const int64_t n = (uint64_t)view->length < chunk_rows ? view->length : (int64_t)chunk_rows;

    *sample = (stoa_sample){.elements = NULL};
    if (view->values == NULL) {
        return STOA_OK;
    }
    if (element->class == STOA_ELEMENT_FLOAT && view->null_count != 0) {
        return take_floats(element, view, (size_t)n, own, fill, sample, err);
    }
    if (element->class != STOA_ELEMENT_INTEGER || !is_counted(view->type.kind)) {
        if (stoa_kind_width(view->type.kind) == (int32_t)size) {
            *sample = (stoa_sample){.elements =
                                        (const uint8_t *)view->values + (size_t)view->offset * size,
                                    .n = (size_t)n};
        }
        return STOA_OK;
    }
    uint8_t *elements = stoa_alloc((size_t)n, size);
    STOA_RETURN_NO_MEMORY(err, elements);
    const int64_t missing = stoa_kind_sentinel(element->kind);
    stoa_integer_put((uint8_t *)fill, size, missing);
    for (int64_t i = 0; i < n; i++) {
        stoa_integer_put(elements + (size_t)i * size, size,
                         stoa_view_is_null(view, i) ? missing : stoa_view_i64(view, i));
    }
    *own = elements;
    *sample = (stoa_sample){.elements = elements, .n = (size_t)n, .fill = fill};
    return STOA_OK;
}

/* Write the type that numbers had before widening, here or in the HEP001 column that they come
 * from. */
static stoa_status write_narrower(hid_t dataset, const struct ArrowSchema *field,
                                  const stoa_type *arrow, const stoa_domain *domain,
                                  stoa_kind stored, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_type was = {.kind = arrow->kind};
    char name[64];
    char *said = NULL;

    if (!stoa_kind_is_integer(arrow->kind) && !stoa_kind_is_float(arrow->kind)) {
        return STOA_OK;
    }
    STOA_TRY(stoa_schema_get_text(field, STOA_COLUMN_ARROW_TYPE, &said, err));
    const stoa_kind original = stoa_original_kind(said, arrow->kind);
    if (stoa_domain_fits(domain, original)) { /* else the values have changed since */
        was.kind = original;
    }
    if (was.kind != stored) {
        STOA_TRY(stoa_attribute_write_utf8(dataset, STOA_COLUMN_ARROW_TYPE,
                                           stoa_type_name(&was, name), err));
    }

done:
    free(said);
    return status;
}

/* Whether the field comes from a column of bitfields, which has the numbers of unsigned integers.
 */
static bool was_bitfield(const struct ArrowSchema *field)
{
    static const char bits[] = "bitfield";
    const char *text = NULL;
    size_t length = 0;

    return stoa_schema_get(field, "stoa.datatype", &text, &length) && length > sizeof bits - 1 &&
           memcmp(text, bits, sizeof bits - 1) == 0;
}

/* Choose the datatype, and the kind of numbers if they are any. `domain` is that of the codes if
 * these are stored. */
static stoa_status choose_type(const struct ArrowSchema *field, const stoa_type *arrow,
                               const stoa_domain *domain, const stoa_storage *storage,
                               stoa_kind *kind, hid_t *type, stoa_error *err)
{
    stoa_fill ignored;

    *kind = STOA_KIND_INT64; /* holds every code, even if no narrower type does */
    if (arrow->kind == STOA_KIND_BOOL && (storage->is_truth || storage->has_no_fill) &&
        storage->fill == NULL && !domain->has_missing) {
        return stoa_boolean_type(type, err);
    }
    if (arrow->kind == STOA_KIND_DICTIONARY || storage->is_coded) {
        (void)stoa_choose_integer(domain, STOA_KIND_INT8, kind, &ignored);
    } else if (storage->has_no_fill && stoa_standard_type(arrow->kind) >= 0) {
        *kind = arrow->kind;
    } else if (stoa_kind_is_integer(arrow->kind)) {
        if (!stoa_choose_integer(domain, arrow->kind, kind, &ignored)) {
            *kind = arrow->kind; /* a free value is searched when these are written */
        }
    } else if (stoa_kind_is_float(arrow->kind)) {
        *kind = stoa_choose_float(domain, arrow->kind);
    } else {
        return stoa_field_type(field, domain, storage->prefers_ascii, type, err);
    }
    const bool is_bits = !storage->is_coded && was_bitfield(field);
    STOA_RETURN_HDF_ERROR(
        err, *type = H5Tcopy(is_bits ? stoa_bits_type(*kind) : stoa_standard_type(*kind)),
        "copy a datatype");
    return STOA_OK;
}

/* Write the attributes for all that the dataset's type does not tell of the field. */
static stoa_status write_all_notes(hid_t dataset, const struct ArrowSchema *field,
                                   const stoa_type *arrow, const stoa_domain *domain,
                                   stoa_kind kind, bool is_coded, stoa_error *err)
{
    STOA_RETURN_NOT_OK(write_notes(dataset, field, arrow, err));
    STOA_RETURN_NOT_OK(write_extension(dataset, field, err));
    STOA_RETURN_NOT_OK(write_zone(dataset, field, arrow, err));
    STOA_RETURN_NOT_OK(stoa_item_units_write(dataset, field, err));
    STOA_RETURN_NOT_OK(write_narrower(dataset, field, arrow, domain, kind, err));
    if (is_coded || arrow->kind == STOA_KIND_DURATION) {
        STOA_RETURN_NOT_OK(stoa_attribute_write_utf8(
            dataset, STOA_COLUMN_ARROW_TYPE, is_coded ? "utf8" : STOA_COLUMN_DURATION, err));
    }
    return STOA_OK;
}

stoa_status stoa_field_notes_write(hid_t dataset, const struct ArrowSchema *field, stoa_error *err)
{
    static const stoa_domain nothing = {0};
    stoa_type arrow;

    STOA_RETURN_NOT_OK(stoa_type_of(field, &arrow, err));
    return write_all_notes(dataset, field, &arrow, &nothing, arrow.kind, false, err);
}

/* The field of the innermost values of lists. */
static const struct ArrowSchema *innermost(const struct ArrowSchema *field)
{
    while (field->n_children == 1 && (field->format[1] == 'l' || field->format[1] == 'L')) {
        field = field->children[0];
    }
    return field->dictionary != NULL ? field->dictionary : field;
}

stoa_status stoa_list_notes_write(hid_t group, const struct ArrowSchema *field, stoa_error *err)
{
    const bool is_cell = stoa_field_is_large_cell(field);
    stoa_type type;
    char name[64];

    STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
    if (is_cell) {
        STOA_RETURN_NOT_OK(stoa_attribute_write_utf8(group, STOA_COLUMN_ARROW_TYPE,
                                                     stoa_type_name(&type, name), err));
    }
    STOA_RETURN_NOT_OK(stoa_type_of(innermost(is_cell ? field->children[0] : field), &type, err));
    STOA_RETURN_NOT_OK(write_notes(group, field, &type, err));
    return write_note(group, field, "", STOA_COLUMN_EXTENSION, STOA_COLUMN_EXTENSION_METADATA, err);
}

/* Parse the fill value that was chosen, if one was. A code or a boolean must not be a value. */
static stoa_status parse_fill(const struct ArrowSchema *field, const stoa_type *arrow,
                              const stoa_element *element, uint64_t n_labels,
                              const stoa_storage *storage, uint8_t *fill, stoa_error *err)
{
    const bool is_bool = arrow->kind == STOA_KIND_BOOL;
    const bool is_coded = arrow->kind == STOA_KIND_DICTIONARY;
    const char *const units =
        arrow->kind == STOA_KIND_DURATION
            ? stoa_duration_units_text(arrow->unit)
            : (stoa_kind_is_ticks(arrow->kind) ? stoa_time_units_text(arrow->unit, arrow->utc)
                                               : NULL);
    const stoa_time_units ticks = {.unit = arrow->unit, .utc = arrow->utc, .ticks_per = 1};
    const stoa_value_form form = {.element = element,
                                  .type = arrow,
                                  .time = units != NULL ? &ticks : NULL,
                                  .units = units,
                                  .name = field->name};

    if (storage->fill == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_parse_value(&form, storage->fill, fill, err));
    if (is_coded || is_bool) {
        const stoa_domain value = stoa_domain_of(element->kind, fill);
        if (!value.has_negative && value.high < (is_coded ? n_labels : 2)) {
            return stoa_fail(err, STOA_EINVAL,
                             "%s stands for a value of '%s'; choose another fill value",
                             storage->fill, field->name);
        }
    }
    return STOA_OK;
}

/* Strings must have room for a fill value that was chosen. */
static stoa_domain domain_with_fill(const stoa_domain *domain, const stoa_storage *storage)
{
    stoa_domain own = *domain;
    const size_t length = storage->fill != NULL ? strlen(storage->fill) : 0;

    own.longest = length > own.longest ? length : own.longest;
    return own;
}

uint64_t stoa_chunk_rows_limited(uint64_t n_rows, size_t size)
{
    while (n_rows > 1 && n_rows > STOA_CHUNK_BYTES / size) {
        n_rows /= 2;
    }
    return n_rows;
}

static stoa_storage limit_chunk(const stoa_storage *storage, size_t size)
{
    stoa_storage own = *storage;

    own.chunk_rows =
        own.is_limited ? stoa_chunk_rows_limited(own.chunk_rows, size) : own.chunk_rows;
    return own;
}

/* If the domain leaves no fill value, the recommended one is taken for now. The first values that
 * equal it have a free one searched (find_fill.h). */
static stoa_status create_dataset(hid_t group, hid_t type, const stoa_element *element,
                                  const stoa_domain *domain, const stoa_fill_wish *wish,
                                  const stoa_storage *storage, hid_t dcpl, hid_t *dataset,
                                  stoa_error *err)
{
    static const stoa_domain nothing = {0};
    stoa_error failed = STOA_ERROR_INIT;
    const stoa_status status = stoa_dataset_create(group, type, element, domain, wish,
                                                   storage->extent, dcpl, dataset, &failed);

    if (status == STOA_ELOSS) {
        return stoa_dataset_create(group, type, element, &nothing, wish, storage->extent, dcpl,
                                   dataset, err);
    }
    if (err != NULL && status != STOA_OK) {
        *err = failed;
    }
    return status;
}

stoa_status stoa_column_create(hid_t group, const struct ArrowSchema *field,
                               const stoa_domain *domain, const stoa_view *sample,
                               uint64_t n_labels, const stoa_storage *storage, hid_t *dataset,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_sample values = {.elements = NULL};
    void *own = NULL;
    int64_t fill = 0;
    uint8_t *chosen = NULL;
    stoa_type arrow;
    stoa_kind kind = STOA_KIND_INT64;
    stoa_domain codes = {.n_values = n_labels, .has_positive = n_labels > 0};

    *dataset = H5I_INVALID_HID;
    codes.high = n_labels > 0 ? n_labels - 1 : 0;
    STOA_TRY(stoa_type_of(field, &arrow, err));
    const bool is_coded = arrow.kind == STOA_KIND_DICTIONARY || storage->is_coded;
    const stoa_domain with_fill = domain_with_fill(domain, storage);
    domain = is_coded ? &codes : &with_fill;
    STOA_TRY(choose_type(field, &arrow, domain, storage, &kind, &type, err));
    STOA_TRY(stoa_element_of(type, &element, err));
    const stoa_storage limited = limit_chunk(storage, element.size);
    storage = &limited;
    STOA_TRY(stoa_storage_plist(storage, &dcpl, err));
    if (storage->chunk_rows != 0) {
        if (sample != NULL) {
            STOA_TRY(take_sample(&element, sample, storage->chunk_rows, &own, &fill, &values, err));
        }
        values.is_looked_up = storage->is_looked_up;
        STOA_TRY(
            stoa_codec_apply(dcpl, storage->codec, &element, storage->chunk_rows, &values, err));
    }
    chosen = stoa_alloc_zero(1, element.size);
    STOA_TRY(chosen != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(parse_fill(field, &arrow, &element, n_labels, storage, chosen, err));
    const stoa_fill_wish wish = {.fill = storage->fill != NULL ? chosen : NULL,
                                 .is_bool = arrow.kind == STOA_KIND_BOOL,
                                 .is_none = storage->has_no_fill && storage->fill == NULL};
    STOA_TRY(create_dataset(group, type, &element, domain, &wish, storage, dcpl, dataset, err));
    STOA_TRY(write_all_notes(*dataset, field, &arrow, domain, kind, storage->is_coded, err));
    STOA_TRY(stoa_cf_write(*dataset, &element, is_coded ? STOA_KIND_DICTIONARY : arrow.kind,
                           domain->has_missing, err));

done:
    free(own);
    free(chosen);
    stoa_element_clear(&element);
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&type, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(dataset, status, NULL);
    }
    return stoa_at(err, status, "%s", field->name != NULL ? field->name : "");
}

stoa_status stoa_column_keep_original(stoa_column *column, const struct ArrowSchema *field,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = NULL;
    char *note = NULL;
    const char *const own = column->extension != NULL ? strchr(column->extension, ' ') : NULL;

    if (own == NULL || strcmp(own + 1, STOA_ORIGINAL) != 0) {
        return STOA_OK;
    }
    if (field != NULL) {
        STOA_TRY(stoa_schema_get_text(field, "ARROW:extension:name", &name, err));
        STOA_TRY(stoa_schema_get_text(field, "ARROW:extension:metadata", &note, err));
    }
    if (!stoa_original_takes(column->extension_metadata,
                             name != NULL && strcmp(name, STOA_ORIGINAL) == 0 ? note : NULL)) {
        STOA_TRY(stoa_attribute_delete(column->dataset, STOA_COLUMN_EXTENSION, err));
        STOA_TRY(stoa_attribute_delete(column->dataset, STOA_COLUMN_EXTENSION_METADATA, err));
        free(column->extension);
        column->extension = NULL;
    }

done:
    free(name);
    free(note);
    return status;
}
