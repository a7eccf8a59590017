#include "layout/lh5/common/write_items.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/common/column_datasets.h"

enum { MAX_WORD_LENGTH = 64 };

/* --- kinds of items --------------------------------------------------------------------------- */

static bool is_pair(const struct ArrowSchema *field)
{
    return strcmp(field->format, "+s") == 0 && field->n_children == 2 &&
           strcmp(field->children[0]->name, "r") == 0 &&
           strcmp(field->children[1]->name, "i") == 0 &&
           strcmp(field->children[0]->format, field->children[1]->format) == 0 &&
           (strcmp(field->children[0]->format, "f") == 0 ||
            strcmp(field->children[0]->format, "g") == 0);
}

/* Structs of numbers that were a compound type. Other structs are tables. */
static bool is_record(const struct ArrowSchema *field)
{
    static const char end[] = "{blob}";
    const char *text = NULL;
    size_t length = 0;
    stoa_type type;
    bool is = strcmp(field->format, "+s") == 0 && field->n_children > 0 &&
              stoa_schema_get(field, "lh5.datatype", &text, &length) && length >= sizeof end - 1 &&
              memcmp(text + length - (sizeof end - 1), end, sizeof end - 1) == 0;

    for (int64_t i = 0; is && i < field->n_children; i++) {
        is = stoa_type_of(field->children[i], &type, NULL) == STOA_OK &&
             (stoa_kind_is_integer(type.kind) || stoa_kind_is_float(type.kind));
    }
    return is;
}

bool stoa_lh5_is_item(const struct ArrowSchema *field)
{
    stoa_type type;

    return stoa_type_of(field, &type, NULL) == STOA_OK &&
           (stoa_kind_is_integer(type.kind) || stoa_kind_is_float(type.kind) ||
            stoa_kind_is_ticks(type.kind) || stoa_kind_is_string(type.kind) ||
            type.kind == STOA_KIND_BOOL || type.kind == STOA_KIND_DICTIONARY ||
            type.kind == STOA_KIND_FIXED_BINARY || is_pair(field) || is_record(field));
}

/* --- storage ---------------------------------------------------------------------------------- */

static stoa_status make_number(const char *stored, stoa_kind kind, hid_t *type, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_dataset_stored(kind, type, err));
    if (strstr(stored, " big-endian") != NULL) {
        STOA_RETURN_HDF_ERROR(err, H5Tset_order(*type, H5T_ORDER_BE), "make a datatype");
    }
    return STOA_OK;
}

stoa_status stoa_lh5_number_type(const char *stored, stoa_kind kind, hid_t *type, stoa_error *err)
{
    const char *text = stored;

    text += strncmp(text, "enum ", 5) == 0 ? 5 : 0;
    for (stoa_kind k = STOA_KIND_INT8; k <= STOA_KIND_FLOAT64; k++) {
        char name[64];
        const char *const wanted = stoa_type_name(&(stoa_type){.kind = k}, name);
        const size_t length = strlen(wanted);
        if (strncmp(text, wanted, length) == 0 && (text[length] == '\0' || text[length] == ' ')) {
            return make_number(stored, k, type, err);
        }
    }
    return make_number(stored, kind, type, err);
}

static stoa_status choose_number(const stoa_type *type, const char *stored, stoa_lh5_items *items,
                                 stoa_error *err)
{
    const bool is_integer = stoa_kind_is_integer(type->kind);
    const stoa_kind kind = type->kind == STOA_KIND_DATE     ? STOA_KIND_INT32
                           : stoa_kind_is_ticks(type->kind) ? STOA_KIND_INT64
                                                            : type->kind;
    const stoa_lh5_element said = items->said->element;

    items->how = STOA_LH5_NUMBERS;
    items->element = said == STOA_LH5_DETECTOR_ID && is_integer ? said
                     : said == STOA_LH5_ENUM && is_integer && items->said->n_names > 0
                         ? said
                         : STOA_LH5_REAL;
    items->size = (size_t)stoa_kind_width(kind);
    STOA_RETURN_NOT_OK(stoa_column_dataset_stored(kind, &items->memory, err));
    return make_number(stored, kind, &items->stored, err);
}

/* Size of the fixed-length strings in the stored type; 0 if it is another type. */
static size_t stored_words(const char *stored)
{
    const size_t before = strlen("string[");
    uint64_t size = 0;

    return strncmp(stored, "string[", before) == 0 &&
                   stoa_parse_u64(stored + before, strcspn(stored + before, "]"), &size) &&
                   size <= UINT16_MAX
               ? (size_t)size
               : 0;
}

/* Size for fixed-length strings; 0 for variable length. The stored size is kept if it suffices;
 * otherwise short strings get a fixed length. Only ASCII gets one. */
static size_t word_size(const stoa_column_stats *stats, const char *stored)
{
    const size_t longest = stats->domain.longest > 0 ? stats->domain.longest : 1;
    const size_t was = stored_words(stored);

    if (stats->has_high_bytes || strncmp(stored, "vlen", 4) == 0) {
        return 0;
    }
    return was >= longest ? was : longest <= MAX_WORD_LENGTH ? longest : 0;
}

static stoa_status choose_text(const char *path, const stoa_column_stats *stats, const char *stored,
                               stoa_lh5_items *items, stoa_error *err)
{
    const size_t size = word_size(stats, stored);
    const bool is_ascii = size > 0 || strcmp(stored, "vlen string ascii") == 0;

    items->element = items->said->element == STOA_LH5_SYMBOL ? STOA_LH5_SYMBOL : STOA_LH5_STRING;
    if (stats->domain.has_nul) {
        return stoa_fail(err, STOA_ELOSS,
                         "column '%s' has a string with a NUL, which ends strings in LH5", path);
    }
    STOA_RETURN_HDF_ERROR(err, items->stored = H5Tcopy(H5T_C_S1), "make a datatype");
    STOA_RETURN_HDF_ERROR(err, H5Tset_size(items->stored, size > 0 ? size : H5T_VARIABLE),
                          "make a datatype");
    STOA_RETURN_HDF_ERROR(err,
                          H5Tset_cset(items->stored, is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8),
                          "make a datatype");
    if (size > 0) {
        STOA_RETURN_HDF_ERROR(err, H5Tset_strpad(items->stored, H5T_STR_NULLPAD),
                              "make a datatype");
    }
    STOA_RETURN_HDF_ERROR(err, items->memory = H5Tcopy(items->stored), "make a datatype");
    items->how = size > 0 ? STOA_LH5_WORDS : STOA_LH5_TEXTS;
    items->size = size > 0 ? size : sizeof(char *);
    return STOA_OK;
}

/* Whether the declared enum has all labels. */
static bool has_labels(const stoa_lh5_datatype *said, const stoa_column_stats *stats)
{
    bool all = said->element == STOA_LH5_ENUM && said->n_names > 0;

    for (uint32_t i = 0; all && i < stats->labels.count; i++) {
        size_t length = 0;
        const char *const label = stoa_string_set_get(&stats->labels, i, &length);
        bool found = false;
        for (size_t k = 0; k < said->n_names && !found; k++) {
            found = strlen(said->names[k]) == length && memcmp(said->names[k], label, length) == 0;
        }
        all = found;
    }
    return all;
}

static stoa_status choose_codes(const char *stored, stoa_lh5_items *items, stoa_error *err)
{
    items->how = STOA_LH5_CODES;
    items->element = STOA_LH5_ENUM;
    items->size = sizeof(int64_t);
    STOA_RETURN_NOT_OK(stoa_lh5_number_type(stored, STOA_KIND_INT32, &items->stored, err));
    STOA_RETURN_HDF_ERROR(err, items->memory = H5Tcopy(H5T_NATIVE_INT64), "make a datatype");
    return STOA_OK;
}

static stoa_status choose_truth(const char *stored, stoa_lh5_items *items, stoa_error *err)
{
    items->how = STOA_LH5_TRUTHS;
    items->element = STOA_LH5_BOOL;
    items->size = 1;
    if (items->said->kind == STOA_LH5_SCALAR && strncmp(stored, "enum", 4) == 0) {
        STOA_RETURN_NOT_OK(stoa_boolean_type(&items->stored, err));
        STOA_RETURN_HDF_ERROR(err, items->memory = H5Tcopy(items->stored), "make a datatype");
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_lh5_number_type(stored, STOA_KIND_UINT8, &items->stored, err));
    STOA_RETURN_HDF_ERROR(err, items->memory = H5Tcopy(H5T_NATIVE_UINT8), "make a datatype");
    return STOA_OK;
}

/* Make a packed compound of the fields. It is little-endian in the file. */
static stoa_status make_compound(const struct ArrowSchema *field, bool is_stored, hid_t *made,
                                 size_t *size, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_type type;
    hid_t part = H5I_INVALID_HID;
    size_t at = 0;

    *size = 0;
    for (int64_t i = 0; i < field->n_children; i++) {
        STOA_TRY(stoa_type_of(field->children[i], &type, err));
        *size += (size_t)stoa_kind_width(type.kind);
    }
    STOA_HDF(err, *made = H5Tcreate(H5T_COMPOUND, *size), "make a datatype");
    for (int64_t i = 0; i < field->n_children; i++) {
        STOA_TRY(stoa_type_of(field->children[i], &type, err));
        STOA_TRY(stoa_column_dataset_stored(type.kind, &part, err));
        if (!is_stored) {
            STOA_HDF(err, H5Tset_order(part, H5Tget_order(H5T_NATIVE_INT)), "make a datatype");
        }
        STOA_HDF(err, H5Tinsert(*made, field->children[i]->name, at, part), "make a datatype");
        at += (size_t)stoa_kind_width(type.kind);
        STOA_TRY(stoa_hdf_close(&part, STOA_OK, err));
    }

done:
    return stoa_hdf_close(&part, status, err);
}

/* Complex numbers as h5py stores them, and other records of numbers that are declared as blobs. */
static stoa_status choose_record(const struct ArrowSchema *field, stoa_lh5_items *items,
                                 stoa_error *err)
{
    items->how = STOA_LH5_RECORDS;
    items->element =
        is_pair(field) && items->said->element != STOA_LH5_BLOB ? STOA_LH5_COMPLEX : STOA_LH5_BLOB;
    STOA_RETURN_NOT_OK(make_compound(field, true, &items->stored, &items->size, err));
    return make_compound(field, false, &items->memory, &items->size, err);
}

static stoa_status choose_blob(const stoa_type *type, stoa_lh5_items *items, stoa_error *err)
{
    items->how = STOA_LH5_BLOBS;
    items->element = STOA_LH5_BLOB;
    items->size = (size_t)type->width;
    STOA_RETURN_HDF_ERROR(err, items->stored = H5Tcreate(H5T_OPAQUE, items->size),
                          "make a datatype");
    STOA_RETURN_HDF_ERROR(err, items->memory = H5Tcopy(items->stored), "make a datatype");
    return STOA_OK;
}

static stoa_status choose(const struct ArrowSchema *field, const char *path,
                          const stoa_column_stats *stats, const char *stored, stoa_lh5_items *items,
                          stoa_error *err)
{
    stoa_type type;
    stoa_type labels = {.kind = STOA_KIND_OTHER};
    char text[64];
    const stoa_status status = stoa_type_of(field, &type, err);

    if (status != STOA_OK) {
        return status;
    }
    switch (type.kind) {
    case STOA_KIND_BOOL:
        return choose_truth(stored, items, err);
    case STOA_KIND_STRUCT:
        return choose_record(field, items, err);
    case STOA_KIND_FIXED_BINARY:
        return choose_blob(&type, items, err);
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING: /* several files and conversions turn labels into strings */
        return items->said->element == STOA_LH5_ENUM && items->said->n_names > 0
                   ? choose_codes(stored, items, err)
                   : choose_text(path, stats, stored, items, err);
    case STOA_KIND_DICTIONARY:
        if (stoa_type_of(field->dictionary, &labels, NULL) != STOA_OK ||
            !stoa_kind_is_string(labels.kind)) {
            return stoa_fail(err, STOA_ETYPE,
                             "column '%s' has labels of %s, which LH5 has no place for", path,
                             stoa_type_name(&labels, text));
        }
        return has_labels(items->said, stats) ? choose_codes(stored, items, err)
                                              : choose_text(path, stats, stored, items, err);
    default:
        return choose_number(&type, stored, items, err);
    }
}

stoa_status stoa_lh5_items_choose(const struct ArrowSchema *field, const struct ArrowSchema *notes,
                                  const char *path, const stoa_column_stats *stats,
                                  const stoa_lh5_datatype *said, stoa_lh5_items *items,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *stored = NULL;

    items->said = said;
    STOA_TRY(stoa_schema_get_text(notes, "lh5.stored", &stored, err));
    STOA_TRY(choose(field, path, stats, stored != NULL ? stored : "", items, err));

done:
    free(stored);
    return status;
}

stoa_status stoa_lh5_items_close(stoa_lh5_items *items, stoa_status status, stoa_error *err)
{
    status = stoa_hdf_close(&items->stored, status, err);
    return stoa_hdf_close(&items->memory, status, err);
}

/* --- values ---------------------------------------------------------------------------------- */

static stoa_status convert_texts(const stoa_view *view, stoa_buffer *texts, void **bytes,
                                 stoa_error *err)
{
    char **pointers = NULL;
    const stoa_status status = stoa_column_dataset_texts(view, texts, &pointers, err);

    *bytes = pointers;
    return status;
}

/* Copy strings into zeroed memory. */
static stoa_status copy_words(const stoa_lh5_items *items, const stoa_view *view, char *words,
                              stoa_error *err)
{
    stoa_view labels = {.length = 0};

    if (view->type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    }
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        const char *const text = stoa_column_dataset_text(view, &labels, i, &length);
        if (length > items->size) {
            return stoa_fail(err, STOA_EDATA, "a string has grown while it was read");
        }
        if (text != NULL && length > 0) {
            memcpy(words + (size_t)i * items->size, text, length);
        }
    }
    return STOA_OK;
}

/* Convert labels, or strings that are labels, to the integers of the enum. */
static stoa_status convert_codes(const stoa_lh5_datatype *said, const stoa_view *view,
                                 int64_t *codes, stoa_error *err)
{
    stoa_view labels = {.length = 0};

    if (view->type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    }
    for (int64_t i = 0; i < view->length; i++) {
        size_t length = 0;
        size_t k = 0;
        const char *const text = stoa_column_dataset_text(view, &labels, i, &length);
        while (text != NULL && k < said->n_names &&
               (strlen(said->names[k]) != length || memcmp(said->names[k], text, length) != 0)) {
            k++;
        }
        if (text == NULL || k == said->n_names) {
            return stoa_fail(err, STOA_ELOSS,
                             "'%.*s' is no label of the enum that they are said to be of",
                             (int)length, text != NULL ? text : "");
        }
        codes[i] = said->values[k];
    }
    return STOA_OK;
}

static stoa_status convert_records(const stoa_view *view, size_t size, uint8_t *records,
                                   stoa_error *err)
{
    size_t at = 0;

    for (int64_t part = 0; part < view->schema->n_children; part++) {
        stoa_view numbers;
        STOA_RETURN_NOT_OK(stoa_view_child(view, part, &numbers, err));
        const size_t width = (size_t)stoa_kind_width(numbers.type.kind);
        const uint8_t *const from =
            (const uint8_t *)numbers.values + (size_t)numbers.offset * width;
        for (int64_t i = 0; i < view->length; i++) {
            memcpy(records + (size_t)i * size + at, from + (size_t)i * width, width);
        }
        at += width;
    }
    return STOA_OK;
}

stoa_status stoa_lh5_items_convert(const stoa_lh5_items *items, const stoa_view *view,
                                   stoa_buffer *texts, void **bytes, stoa_error *err)
{
    if (items->how == STOA_LH5_TEXTS) {
        return convert_texts(view, texts, bytes, err);
    }
    *bytes = stoa_alloc_zero((size_t)view->length, items->size);
    STOA_RETURN_NO_MEMORY(err, *bytes);
    switch (items->how) {
    case STOA_LH5_TRUTHS:
        stoa_column_dataset_bools(view, *bytes);
        return STOA_OK;
    case STOA_LH5_WORDS:
        return copy_words(items, view, *bytes, err);
    case STOA_LH5_CODES:
        return convert_codes(items->said, view, *bytes, err);
    case STOA_LH5_RECORDS:
        return convert_records(view, items->size, *bytes, err);
    default:
        if (view->length > 0) {
            memcpy(*bytes, (const uint8_t *)view->values + (size_t)view->offset * items->size,
                   (size_t)view->length * items->size);
        }
        return STOA_OK;
    }
}
