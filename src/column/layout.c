/* Arrow fields as HDF5 column datasets (HEP001 §8.3-§8.6). */
#include "column/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "column/codec.h"
#include "column/encode.h"
#include "core/memory.h"
#include "hdf/attributes.h"

stoa_status stoa_string_type(const stoa_domain *domain, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t mean = domain->n_values != 0 ? (size_t)(domain->n_bytes / domain->n_values) : 0;
    const bool is_variable =
        domain->longest > 4096 || (domain->longest > 256 && domain->longest > 4 * mean);

    *type = H5I_INVALID_HID;
    if (domain->has_nul && (is_variable || domain->has_last_nul)) {
        STOA_FAIL(err, STOA_ELOSS, "a string holds a NUL byte where an HDF5 string would end");
    }
    STOA_HDF(err, *type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err,
             H5Tset_size(*type,
                         is_variable ? H5T_VARIABLE : (domain->longest != 0 ? domain->longest : 1)),
             "size a string type");
    STOA_HDF(err, H5Tset_cset(*type, H5T_CSET_UTF8), "set a character set");
    if (!is_variable) {
        STOA_HDF(err, H5Tset_strpad(*type, H5T_STR_NULLPAD), "set a padding");
    }

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(type, status, NULL);
    }
    return status;
}

/* The little-endian standard type of a number; H5I_INVALID_HID for other kinds. Library types: not
 * to be closed, only copied. */
static hid_t standard_type(stoa_kind kind)
{
    switch (kind) {
    case STOA_KIND_INT8:
        return H5T_STD_I8LE;
    case STOA_KIND_INT16:
        return H5T_STD_I16LE;
    case STOA_KIND_INT32:
        return H5T_STD_I32LE;
    case STOA_KIND_INT64:
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
        return H5T_STD_I64LE;
    case STOA_KIND_UINT8:
    case STOA_KIND_BOOL:
        return H5T_STD_U8LE;
    case STOA_KIND_UINT16:
        return H5T_STD_U16LE;
    case STOA_KIND_UINT32:
        return H5T_STD_U32LE;
    case STOA_KIND_UINT64:
        return H5T_STD_U64LE;
    case STOA_KIND_FLOAT16:
        return H5T_IEEE_F16LE;
    case STOA_KIND_FLOAT32:
        return H5T_IEEE_F32LE;
    case STOA_KIND_FLOAT64:
        return H5T_IEEE_F64LE;
    default:
        return H5I_INVALID_HID;
    }
}

/* Items of a sequence that is a fill, where the empty one is not. */
#define SEQUENCE_FILL 8

static stoa_status make_type(const struct ArrowSchema *field, const stoa_domain *domain, int depth,
                             hid_t *type, stoa_error *err);

/* A struct's fields, packed. Strings inside are of variable length: their longest is not known. */
static stoa_status make_compound(const struct ArrowSchema *field, int depth, hid_t *type,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t n = field->n_children;
    hid_t *types = stoa_alloc((size_t)n, sizeof *types);
    size_t size = 0;
    size_t offset = 0;
    int64_t n_made = 0;

    if (types == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (; n_made < n; n_made++) {
        if (field->children[n_made]->name == NULL || field->children[n_made]->name[0] == '\0') {
            STOA_FAIL(err, STOA_ETYPE, "a field of a struct has no name");
        }
        STOA_TRY(make_type(field->children[n_made], NULL, depth + 1, &types[n_made], err));
        size += H5Tget_size(types[n_made]);
    }
    STOA_HDF(err, *type = H5Tcreate(H5T_COMPOUND, size != 0 ? size : 1), "make a compound type");
    for (int64_t i = 0; i < n; i++) {
        STOA_HDF(err, H5Tinsert(*type, field->children[i]->name, offset, types[i]),
                 "make a compound type with field '%s'", field->children[i]->name);
        offset += H5Tget_size(types[i]);
    }

done:
    for (int64_t i = 0; i < n_made; i++) {
        (void)stoa_hdf_close(&types[i], STOA_OK, NULL);
    }
    free(types);
    return status;
}

static stoa_status make_sequence(const struct ArrowSchema *field, const stoa_type *arrow, int depth,
                                 hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t item = H5I_INVALID_HID;

    STOA_TRY(make_type(field->children[0], NULL, depth + 1, &item, err));
    if (arrow->kind == STOA_KIND_FIXED_LIST) {
        STOA_HDF(err, *type = H5Tarray_create2(item, 1, &(hsize_t){(hsize_t)arrow->width}),
                 "make an array type");
    } else {
        STOA_HDF(err, *type = H5Tvlen_create(item), "make a variable-length type");
    }

done:
    return stoa_hdf_close(&item, status, err);
}

/* The stored datatype of a field (not of dictionaries: their codes depend on the code book). */
static stoa_status make_type(const struct ArrowSchema *field, const stoa_domain *domain, int depth,
                             hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_type arrow;
    char name[64];
    /* Nested strings: an unknown domain is a long and uneven one. */
    static const stoa_domain unknown = {.n_values = 1, .longest = 8192};

    *type = H5I_INVALID_HID;
    STOA_TRY(stoa_type_of(field, &arrow, err));
    if (depth > 30) {
        STOA_FAIL(err, STOA_ETYPE, "a type is nested deeper than 30 levels");
    }
    const hid_t standard = standard_type(arrow.kind);
    if (standard >= 0) {
        STOA_HDF(err, *type = H5Tcopy(standard), "copy a datatype");
        goto done;
    }
    if ((arrow.kind == STOA_KIND_FIXED_BINARY || arrow.kind == STOA_KIND_FIXED_LIST) &&
        arrow.width == 0) {
        STOA_FAIL(err, STOA_ETYPE, "an Arrow type of no bytes, %s, has no HDF5 datatype",
                  stoa_type_name(&arrow, name));
    }
    switch (arrow.kind) {
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        STOA_TRY(stoa_string_type(domain != NULL ? domain : &unknown, type, err));
        break;
    case STOA_KIND_FIXED_BINARY:
        STOA_HDF(err, *type = H5Tcreate(H5T_OPAQUE, (size_t)arrow.width), "make an opaque type");
        STOA_HDF(err, H5Tset_tag(*type, ""), "tag an opaque type");
        break;
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_BINARY:
        STOA_HDF(err, *type = H5Tvlen_create(H5T_STD_U8LE), "make a variable-length type");
        break;
    case STOA_KIND_STRUCT:
        STOA_TRY(make_compound(field, depth, type, err));
        break;
    case STOA_KIND_FIXED_LIST:
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        STOA_TRY(make_sequence(field, &arrow, depth, type, err));
        break;
    default:
        STOA_FAIL(err, STOA_ETYPE, "a column of Arrow type %s has no HDF5 datatype",
                  stoa_type_name(&arrow, name));
    }

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(type, status, NULL);
    }
    return status;
}

/* Integer kind of an element that is to hold a domain: the given one, or the narrowest wider one of
 * either sign that holds it and has a fill value left. */
static bool choose_integer(const stoa_domain *domain, stoa_kind kind, stoa_kind *chosen,
                           stoa_fill *fill)
{
    const int32_t width = stoa_kind_width(kind);
    const bool was_signed = stoa_kind_is_signed(kind);

    for (int pass = 0; pass < 2; pass++) {
        const bool is_signed = pass == 0 ? was_signed : !was_signed;
        for (int k = 0; k < 4; k++) {
            const stoa_kind wider = (stoa_kind)((is_signed ? STOA_KIND_INT8 : STOA_KIND_UINT8) + k);
            if (stoa_kind_width(wider) >= width && stoa_fill_integer(domain, wider, fill)) {
                *chosen = wider;
                return true;
            }
        }
    }
    return false;
}

/* Float kind of an element that is to hold a domain: the given one or a wider one. A float16 column
 * of both infinities and NaN has no fill left; float32 has a recommended one that no float16 is. */
static stoa_kind choose_float(const stoa_domain *domain, stoa_kind kind)
{
    stoa_fill ignored;

    if (domain->n_values == 0) {
        return kind;
    }
    if (kind == STOA_KIND_FLOAT16 &&
        (!domain->is_float16 || !stoa_fill_float(domain, kind, &ignored))) {
        kind = STOA_KIND_FLOAT32;
    }
    return kind == STOA_KIND_FLOAT32 && !domain->is_float32 ? STOA_KIND_FLOAT64 : kind;
}

/* The recommended fill of each part of a nested element (Table 1). */
static void fill_nested(const stoa_element *element, uint8_t *out)
{
    static const stoa_domain nothing = {0};
    stoa_fill fill = {0};

    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
    case STOA_ELEMENT_ENUM:
        (void)stoa_fill_integer(&nothing, element->kind, &fill);
        memcpy(out, fill.value, element->size);
        break;
    case STOA_ELEMENT_FLOAT:
        (void)stoa_fill_float(&nothing, element->kind, &fill);
        memcpy(out, fill.value, element->size);
        break;
    case STOA_ELEMENT_COMPOUND:
        for (size_t i = 0; i < element->n_members; i++) {
            fill_nested(&element->items[i], out + element->offsets[i]);
        }
        break;
    case STOA_ELEMENT_ARRAY:
        for (size_t i = 0; i < element->n_items; i++) {
            fill_nested(&element->items[0], out + i * element->items[0].size);
        }
        break;
    case STOA_ELEMENT_OPAQUE:
        memset(out, 0xff, element->size);
        break;
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
    case STOA_ELEMENT_VLEN:
        /* the empty string, the empty sequence: all zero bytes */
        memset(out, 0, element->size);
        break;
    }
}

/* The empty sequence, unless that is a value: then one of a few fills, long enough to be no value
 * by chance. */
static stoa_status choose_sequence(const stoa_element *element, const stoa_domain *domain,
                                   uint8_t *fill, stoa_error *err)
{
    const stoa_element *item = &element->items[0];

    if (!domain->has_empty || stoa_element_is_variable(item)) {
        return STOA_OK; /* zero bytes are the empty sequence */
    }
    const hvl_t sequence = {SEQUENCE_FILL, stoa_alloc_zero(SEQUENCE_FILL, item->size)};
    if (sequence.p == NULL) {
        return stoa_fail_memory(err);
    }
    for (size_t i = 0; i < sequence.len; i++) {
        fill_nested(item, (uint8_t *)sequence.p + i * item->size);
    }
    memcpy(fill, &sequence, sizeof sequence);
    return STOA_OK;
}

/* A fill value for an element that is to hold a domain. `fill` is element->size zero bytes; `text`
 * is what a variable-length string's fill points to. What a sequence's fill points to is the
 * caller's to free. */
static stoa_status choose_fill(const stoa_element *element, const stoa_domain *domain,
                               uint8_t *fill, char text[2], stoa_fill *range, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool found = true;

    *range = (stoa_fill){0};
    text[0] = text[1] = '\0';
    switch (element->class) {
    case STOA_ELEMENT_INTEGER:
        found = stoa_fill_integer(domain, element->kind, range);
        memcpy(fill, range->value, element->size);
        break;
    case STOA_ELEMENT_FLOAT:
        found = stoa_fill_float(domain, element->kind, range);
        memcpy(fill, range->value, element->size);
        break;
    case STOA_ELEMENT_FIXED_STRING:
        found = stoa_fill_string(domain, text);
        memset(fill, element->padding == H5T_STR_SPACEPAD ? ' ' : 0, element->size);
        if (text[0] != '\0') {
            fill[0] = (uint8_t)text[0];
        }
        break;
    case STOA_ELEMENT_OPAQUE: {
        uint8_t byte = 0;
        found = stoa_fill_opaque(domain, &byte);
        memset(fill, byte, element->size);
        break;
    }
    case STOA_ELEMENT_VLEN:
        STOA_TRY(choose_sequence(element, domain, fill, err));
        break;
    case STOA_ELEMENT_STRING: {
        const char *pointer = text;
        found = stoa_fill_string(domain, text);
        memcpy(fill, &pointer, sizeof pointer);
        break;
    }
    default:
        fill_nested(element, fill);
        break;
    }
    if (!found) {
        STOA_FAIL(err, STOA_ELOSS,
                  "%s has no value left to stand for 'missing' (HEP001 §8.5); store it as strings",
                  element->text);
    }

done:
    return status;
}

static stoa_status write_range(hid_t dataset, const stoa_element *element, const void *low,
                               const void *high, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    /* "Each a scalar of the column's element datatype" (§8.5): the stored one, byte order and all.
     */
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_TRY(stoa_attribute_write_scalar(dataset, "valid_min", type, element->mem_type, low, err));
    STOA_TRY(stoa_attribute_write_scalar(dataset, "valid_max", type, element->mem_type, high, err));

done:
    return stoa_hdf_close(&type, status, err);
}

/* A chunked or contiguous creation property list without filters and fill. */
static stoa_status make_plist(const stoa_storage *storage, hid_t *dcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_HDF(err, *dcpl = H5Pcreate(H5P_DATASET_CREATE), "make creation properties");
    STOA_HDF(err, H5Pset_obj_track_times(*dcpl, false), "set time tracking");
    if (storage->chunk_rows != 0) {
        STOA_HDF(err, H5Pset_chunk(*dcpl, 1, &(hsize_t){storage->chunk_rows}),
                 "set a chunk length of %llu rows", (unsigned long long)storage->chunk_rows);
    }

done:
    return status;
}

/* Create an unlinked dataset of an element type with a fill for the domain; declares the range
 * where the fill is not the recommended one. */
static stoa_status create(hid_t loc, hid_t type, const stoa_element *element,
                          const stoa_domain *domain, bool is_bool, uint64_t extent, hid_t dcpl,
                          hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    uint8_t *fill = stoa_alloc_zero(1, element->size);
    char text[2];
    stoa_fill range;

    *dataset = H5I_INVALID_HID;
    if (fill == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (is_bool) {
        /* Widened to uint8 with a fill above 1, the range says so (§8.5, last list). */
        *fill = 2;
        range = (stoa_fill){.has_range = true, .valid_max = {1}};
    } else {
        STOA_TRY(choose_fill(element, domain, fill, text, &range, err));
    }
    if (element->class != STOA_ELEMENT_ENUM) { /* which keeps the one it has, its MISSING */
        STOA_HDF(err, H5Pset_fill_value(dcpl, element->mem_type, fill), "set the fill value");
    }
    const bool is_chunked = H5Pget_layout(dcpl) == H5D_CHUNKED;
    STOA_HDF(err,
             space = H5Screate_simple(1, &(hsize_t){extent},
                                      is_chunked ? &(hsize_t){H5S_UNLIMITED} : NULL),
             "make a dataspace");
    STOA_HDF(err, *dataset = H5Dcreate_anon(loc, type, space, dcpl, H5P_DEFAULT),
             "create a dataset of %s", element->text);
    if (range.has_range) {
        STOA_TRY(write_range(*dataset, element, range.valid_min, range.valid_max, err));
    }

done:
    if (fill != NULL && element->class == STOA_ELEMENT_VLEN) {
        hvl_t sequence;
        memcpy(&sequence, fill, sizeof sequence);
        free(sequence.p);
    }
    free(fill);
    status = stoa_hdf_close(&space, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(dataset, status, NULL);
    }
    return status;
}

/* Field metadata that HEP001 has attributes for (§8.6); times get their units. */
static stoa_status write_notes(hid_t dataset, const struct ArrowSchema *field,
                               const stoa_type *arrow, stoa_error *err)
{
    static const char *const names[] = {"units", "units_vocabulary", "description"};
    stoa_status status = STOA_OK;
    char *text = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        STOA_TRY(stoa_schema_get_text(field, names[i], &text, err));
        if (i == 0 && stoa_kind_is_time(arrow->kind)) {
            free(text);
            text = stoa_strdup(stoa_time_units_text(arrow->unit, arrow->utc));
            if (text == NULL) {
                STOA_TRY(stoa_fail_memory(err));
            }
        }
        if (text != NULL) {
            STOA_TRY(stoa_attribute_write_utf8(dataset, names[i], text, err));
        }
        free(text);
        text = NULL;
    }

done:
    free(text);
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
    stoa_type arrow;
    stoa_kind kind = STOA_KIND_INT64; /* holds every code, were nothing narrower to do */
    stoa_fill ignored;
    stoa_domain codes = {.n_values = n_labels, .has_positive = n_labels > 0};

    *dataset = H5I_INVALID_HID;
    codes.high = n_labels > 0 ? n_labels - 1 : 0;
    STOA_TRY(stoa_type_of(field, &arrow, err));
    if (arrow.kind == STOA_KIND_DICTIONARY) {
        (void)choose_integer(&codes, STOA_KIND_INT8, &kind, &ignored);
        domain = &codes;
        STOA_HDF(err, type = H5Tcopy(standard_type(kind)), "copy a datatype");
    } else if (stoa_kind_is_integer(arrow.kind)) {
        if (!choose_integer(domain, arrow.kind, &kind, &ignored)) {
            STOA_FAIL(err, STOA_ELOSS,
                      "no integer type has a value left to stand for 'missing' (HEP001 §8.5); "
                      "store the column as strings");
        }
        STOA_HDF(err, type = H5Tcopy(standard_type(kind)), "copy a datatype");
    } else if (stoa_kind_is_float(arrow.kind)) {
        kind = choose_float(domain, arrow.kind);
        STOA_HDF(err, type = H5Tcopy(standard_type(kind)), "copy a datatype");
    } else {
        STOA_TRY(make_type(field, domain, 0, &type, err));
    }
    STOA_TRY(stoa_element_of(type, &element, err));
    STOA_TRY(make_plist(storage, &dcpl, err));
    if (storage->chunk_rows != 0) {
        const bool as_it_is = sample != NULL && sample->values != NULL &&
                              stoa_kind_width(sample->type.kind) == (int32_t)element.size;
        STOA_TRY(stoa_codec_apply(dcpl, storage->codec, &element,
                                  as_it_is ? (const uint8_t *)sample->values +
                                                 (size_t)sample->offset * element.size
                                           : NULL,
                                  as_it_is ? (size_t)sample->length : 0, err));
    }
    STOA_TRY(create(group, type, &element, domain, arrow.kind == STOA_KIND_BOOL, storage->extent,
                    dcpl, dataset, err));
    STOA_TRY(write_notes(*dataset, field, &arrow, err));

done:
    stoa_element_clear(&element);
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&type, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(dataset, status, NULL);
    }
    return stoa_at(err, status, "%s", field->name != NULL ? field->name : "");
}

/* The stored type that holds the column's values and the domain, at least as wide as it is. */
static stoa_status widen(const stoa_column *column, const stoa_domain *domain, uint64_t n_labels,
                         hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &column->element;
    stoa_kind kind = element->kind;
    stoa_fill ignored;
    stoa_domain codes = {.n_values = n_labels, .has_positive = n_labels > 0};
    hid_t old = H5I_INVALID_HID;

    codes.high = n_labels > 0 ? n_labels - 1 : 0;
    STOA_HDF(err, old = H5Dget_type(column->dataset), "get the datatype");
    if (element->class == STOA_ELEMENT_INTEGER) {
        const stoa_domain *span = stoa_column_is_categorical(column) ? &codes : domain;
        if (!choose_integer(span, element->kind, &kind, &ignored)) {
            STOA_FAIL(err, STOA_ELOSS,
                      "no integer type holds all values and leaves one to stand for 'missing' "
                      "(HEP001 §8.5)");
        }
    } else if (element->class == STOA_ELEMENT_FLOAT) {
        kind = choose_float(domain, kind);
    } else if (element->class == STOA_ELEMENT_FIXED_STRING) {
        STOA_TRY(stoa_string_type(domain, type, err));
        goto done;
    }
    if (kind == element->kind && !element->is_odd) {
        *type = old;
        old = H5I_INVALID_HID;
    } else {
        STOA_HDF(err, *type = H5Tcopy(standard_type(kind)), "copy a datatype");
    }

done:
    return stoa_hdf_close(&old, status, err);
}

/* The fill of a dataset in the stored type itself: libhdf5 turns no integer into an enumeration. */
static stoa_status keep_fill(hid_t dataset, hid_t type, hid_t dcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t old = H5I_INVALID_HID;
    void *fill = stoa_alloc_zero(1, H5Tget_size(type));

    if (fill == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_HDF(err, old = H5Dget_create_plist(dataset), "get the creation properties");
    STOA_HDF(err, H5Pget_fill_value(old, type, fill), "get the fill value");
    STOA_HDF(err, H5Pset_fill_value(dcpl, type, fill), "set the fill value");

done:
    free(fill);
    return stoa_hdf_close(&old, status, err);
}

/* The range that the column declared stays if it is still true of the values and of the fill. */
static stoa_status keep_range(const stoa_column *column, const stoa_domain *domain, hid_t dataset,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &column->element;
    hid_t dcpl = H5I_INVALID_HID;
    uint8_t fill[8] = {0};
    struct ArrowSchema schema = {.release = NULL};
    stoa_domain of_fill = {0};
    const stoa_view view = {
        .type = {.kind = element->kind}, .length = 1, .values = fill, .schema = &schema};

    if ((element->class != STOA_ELEMENT_INTEGER && element->class != STOA_ELEMENT_FLOAT) ||
        column->valid_min == NULL || column->valid_max == NULL ||
        !stoa_column_spans(column, domain)) {
        return STOA_OK;
    }
    /* In the old type, whose ends an odd fill of the new one is brought to: then it is within. */
    STOA_HDF(err, dcpl = H5Dget_create_plist(dataset), "get the creation properties");
    STOA_HDF(err, H5Pget_fill_value(dcpl, element->mem_type, fill), "get the fill value");
    STOA_TRY(stoa_domain_add(&of_fill, &view, err));
    if (!of_fill.has_nan && !stoa_column_spans(column, &of_fill)) {
        STOA_TRY(write_range(dataset, element, column->valid_min, column->valid_max, err));
    }

done:
    return stoa_hdf_close(&dcpl, status, err);
}

stoa_status stoa_column_recreate(const stoa_column *column, const stoa_domain *domain,
                                 uint64_t n_labels, uint64_t extent, const stoa_storage *storage,
                                 hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_domain codes = {.n_values = n_labels, .has_positive = n_labels > 0};
    /* They follow the fill. */
    static const char *const range[] = {"valid_min", "valid_max", NULL};

    *dataset = H5I_INVALID_HID;
    codes.high = n_labels > 0 ? n_labels - 1 : 0;
    STOA_TRY(widen(column, domain, n_labels, &type, err));
    STOA_TRY(stoa_element_of(type, &element, err));
    if (storage != NULL) {
        STOA_TRY(make_plist(storage, &dcpl, err));
    } else if (column->chunk_rows == 0) {
        /* A dataset that cannot grow becomes one that can. */
        STOA_TRY(make_plist(&(stoa_storage){.chunk_rows = STOA_CHUNK_ROWS}, &dcpl, err));
    } else {
        STOA_HDF(err, dcpl = H5Dget_create_plist(column->dataset), "get the creation properties");
        /* Set anew, because the layout carries the old element size, which HDF5 2 compares. */
        STOA_HDF(err, H5Pset_chunk(dcpl, 1, &(hsize_t){column->chunk_rows}),
                 "set the chunk length");
    }
    if (element.class == STOA_ELEMENT_ENUM) {
        STOA_TRY(keep_fill(column->dataset, type, dcpl, err));
    }
    STOA_TRY(create(column->dataset, type, &element,
                    stoa_column_is_categorical(column) ? &codes : domain,
                    column->type.kind == STOA_KIND_BOOL, extent, dcpl, dataset, err));
    STOA_TRY(stoa_attributes_copy(column->dataset, *dataset, range, err));
    STOA_TRY(keep_range(column, domain, *dataset, err));

done:
    stoa_element_clear(&element);
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&type, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(dataset, status, NULL);
    }
    return status;
}
