/* Codes are stable: labels are only appended. */
#include "column/write/categories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/labels.h"
#include "column/type/cf_attributes.h"
#include "column/type/create_column.h"
#include "column/type/datatype.h"
#include "column/write/encode.h"
#include "column/write/plain_form.h"
#include "core/text.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/chunk/chunk_writer.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"
#include "hdf/read/checked_reader.h"

/* Chunk lengths of categories datasets: at least the first; longer for many labels, up to the
 * second. */
#define MIN_LABEL_CHUNK 1024
#define MAX_LABEL_CHUNK 65536

static stoa_status load_labels(stoa_categories *book, hsize_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *element = &book->element;
    uint8_t *block = stoa_alloc_zero((size_t)n, element->size);

    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_chunks_read(book->dataset, false, element->mem_type, &(hsize_t){0}, &n,
                              H5P_DEFAULT, block, err));
    for (hsize_t i = 0; i < n; i++) {
        const uint8_t *value = block + i * element->size;
        const char *text = (const char *)value;
        size_t length = element->size;
        uint32_t code;
        if (element->class == STOA_ELEMENT_STRING) {
            memcpy(&text, value, sizeof text);
            text = text != NULL ? text : "";
            length = strlen(text);
        } else if (element->class == STOA_ELEMENT_FIXED_STRING) {
            length = stoa_fixed_string_length(text, element->size, element->padding);
        }
        const uint32_t before = book->labels.count;
        STOA_TRY(stoa_string_set_add(&book->labels, text, length, &code, err));
        if (book->labels.count == before) {
            /* A duplicate label (allowed, notes C8). A stand-in that no lookup finds keeps the
             * numbering. It is of another length than a number. */
            char stand_in[32];
            int n_bytes =
                snprintf(stand_in, sizeof stand_in, "%c%llu.", '\0', (unsigned long long)i);
            n_bytes -= (size_t)n_bytes != element->size + 1;
            STOA_TRY(stoa_string_set_add(&book->labels, stand_in, (size_t)n_bytes, &code, err));
            book->has_duplicates = true;
        }
    }
    book->n_stored = book->labels.count;

done:
    stoa_element_reclaim(element, block, (size_t)n);
    free(block);
    return status;
}

/* Open the dataset as a column, which encodes labels that are no strings. */
static stoa_status open_values(stoa_categories *book, const char *name, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_labels_open(book->dataset, name, &book->values, err));
    book->values->fill = stoa_alloc_zero(1, book->element.size); /* in place of missing labels */
    return book->values->fill != NULL ? STOA_OK : stoa_fail_memory(err);
}

stoa_status stoa_categories_open(hid_t dataset, const char *name, stoa_categories *book,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hssize_t n = 0;

    *book = (stoa_categories){.dataset = dataset, .element = {.mem_type = H5I_INVALID_HID}};
    STOA_HDF(err, H5Iinc_ref(dataset), "hold the categories");
    STOA_HDF(err, type = H5Dget_type(dataset), "get the type of the categories");
    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape of the categories");
    STOA_HDF(err, n = H5Sget_simple_extent_npoints(space), "get the shape of the categories");
    STOA_TRY(stoa_element_of(type, &book->element, err));
    book->is_string = book->element.class == STOA_ELEMENT_STRING ||
                      book->element.class == STOA_ELEMENT_FIXED_STRING;
    if (stoa_element_is_variable(&book->element) && !book->is_string) {
        STOA_FAIL(err, STOA_ETYPE, "categories of %s cannot be added to", book->element.text);
    }
    STOA_TRY(book->is_string ? STOA_OK : open_values(book, name, err));
    if (n > 0) {
        STOA_TRY(load_labels(book, (hsize_t)n, err));
    }

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    if (status != STOA_OK) {
        stoa_categories_clear(book);
    }
    return status;
}

stoa_status stoa_categories_start(const struct ArrowSchema *labels, stoa_categories *book,
                                  stoa_error *err)
{
    stoa_type type;

    *book = (stoa_categories){.dataset = H5I_INVALID_HID, .element = {.mem_type = H5I_INVALID_HID}};
    const stoa_status status = stoa_type_of(labels, &type, err);
    if (status != STOA_OK) {
        return status;
    }
    if (!stoa_kind_is_string(type.kind)) {
        char name[64];
        return stoa_fail(err, STOA_ETYPE, "categories must be strings, not %s",
                         stoa_type_name(&type, name));
    }
    book->is_string = true;
    return STOA_OK;
}

static hsize_t chunk_of(hsize_t n_labels)
{
    hsize_t n = MIN_LABEL_CHUNK;

    while (n < MAX_LABEL_CHUNK && n < n_labels) {
        n *= 2;
    }
    return n;
}

/* Create a dataset without a name for n labels, and any number of others. */
static stoa_status create_dataset(hid_t loc, hid_t type, hsize_t n, bool is_packed, hid_t *dataset,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;

    STOA_HDF(err, space = H5Screate_simple(1, &n, &(hsize_t){H5S_UNLIMITED}), "make a dataspace");
    STOA_HDF(err, dcpl = H5Pcreate(H5P_DATASET_CREATE), "make creation properties");
    STOA_HDF(err, H5Pset_chunk(dcpl, 1, &(hsize_t){chunk_of(n)}), "set the chunk length");
    STOA_HDF(err, H5Pset_obj_track_times(dcpl, false), "set time tracking");
    if (is_packed) {
        STOA_HDF(err, H5Pset_shuffle(dcpl), "set the shuffle filter");
        STOA_HDF(err, H5Pset_deflate(dcpl, 4), "set the deflate filter");
    }
    STOA_HDF(err, *dataset = H5Dcreate_anon(loc, type, space, dcpl, H5P_DEFAULT),
             "create categories");

done:
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&space, status, err);
}

/* The datatype of labels that are no strings. None of them is missing, so no value is set aside. */
static stoa_status value_type(const struct ArrowSchema *labels, hid_t *type, stoa_error *err)
{
    stoa_type arrow;
    char name[64];

    STOA_RETURN_NOT_OK(stoa_type_of(labels, &arrow, err));
    if (arrow.kind == STOA_KIND_BOOL) {
        return stoa_boolean_type(type, err);
    }
    if (!stoa_kind_is_integer(arrow.kind) && !stoa_kind_is_float(arrow.kind) &&
        !stoa_kind_is_ticks(arrow.kind)) {
        return stoa_fail(err, STOA_ETYPE,
                         "categories must be strings, numbers, times or booleans, not %s",
                         stoa_type_name(&arrow, name));
    }
    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(stoa_standard_type(arrow.kind)), "copy a datatype");
    return STOA_OK;
}

stoa_status stoa_categories_start_any(hid_t loc, const char *name, const struct ArrowSchema *labels,
                                      stoa_categories *book, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;
    stoa_type arrow;

    *book = (stoa_categories){.dataset = H5I_INVALID_HID, .element = {.mem_type = H5I_INVALID_HID}};
    STOA_TRY(stoa_type_of(labels, &arrow, err));
    if (stoa_kind_is_string(arrow.kind)) {
        return stoa_categories_start(labels, book, err);
    }
    STOA_TRY(value_type(labels, &type, err));
    STOA_TRY(create_dataset(loc, type, 0, true, &dataset, err));
    STOA_TRY(stoa_field_notes_write(dataset, labels, err));
    STOA_TRY(stoa_categories_open(dataset, name, book, err));
    book->is_unlinked = true;

done:
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_categories_add(stoa_categories *book, const char *const *labels, size_t n,
                                stoa_error *err)
{
    uint32_t code = 0;

    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(labels[i]);
        const uint32_t before = book->labels.count;
        if (stoa_utf8_valid(labels[i], length) != length) {
            return stoa_fail(err, STOA_EINVAL, "label %zu is not UTF-8", i + 1);
        }
        STOA_RETURN_NOT_OK(stoa_string_set_add(&book->labels, labels[i], length, &code, err));
        if (book->labels.count == before) {
            return stoa_fail(err, STOA_EINVAL, "label '%.200s' stands twice", labels[i]);
        }
    }
    return STOA_OK;
}

bool stoa_categories_begins_with(const stoa_categories *book, const stoa_view *labels)
{
    const uint64_t *starts = (const uint64_t *)(const void *)book->labels.offsets.data;
    const char *bytes = labels->values;
    uint64_t differences = 0;

    if (labels->type.kind != STOA_KIND_STRING || !book->is_string || labels->null_count != 0 ||
        labels->length == 0 || labels->length > (int64_t)book->labels.count) {
        return false;
    }
    const int32_t *offsets = (const int32_t *)labels->offsets + labels->offset;
    for (int64_t i = 0; i <= labels->length; i++) {
        differences |= starts[i] ^ (uint64_t)(offsets[i] - offsets[0]);
    }
    const uint64_t n_bytes = starts[labels->length]; /* 0: the only label is empty */
    return differences == 0 &&
           (n_bytes == 0 || memcmp(book->labels.bytes.data, bytes + offsets[0], n_bytes) == 0);
}

/* The domain of the labels from `first` on, as far as it decides their type. */
static stoa_domain label_domain(const stoa_categories *book, uint32_t first)
{
    stoa_domain domain = {0};

    for (uint32_t code = first; code < book->labels.count; code++) {
        size_t length;
        const char *label = stoa_string_set_get(&book->labels, code, &length);
        domain.n_values++;
        domain.n_bytes += length;
        domain.longest = length > domain.longest ? length : domain.longest;
        domain.has_wide |= !stoa_is_ascii(label, length);
        if (length > 0) {
            domain.has_nul |= memchr(label, '\0', length) != NULL;
            domain.has_last_nul |= label[length - 1] == '\0';
            domain.has_last_space |= label[length - 1] == ' ';
        }
    }
    return domain;
}

void stoa_categories_limit(stoa_categories *book, uint64_t max_labels, uint64_t max_bytes)
{
    book->is_limited = true;
    book->max_labels = max_labels;
    book->max_bytes = max_bytes;
    book->longest = label_domain(book, 0).longest;
}

/* Get the code of a label, adding it if it is new. Sets is_over if it is beyond the limits. */
static stoa_status add_label(stoa_categories *book, const char *text, size_t length, uint32_t *code,
                             stoa_error *err)
{
    const size_t longest = length > book->longest ? length : book->longest;
    const uint64_t count = (uint64_t)book->labels.count + 1;

    if (book->is_limited && !stoa_string_set_find(&book->labels, text, length, code)) {
        if (count > book->max_labels || book->labels.bytes.size + length > book->max_bytes ||
            count > STOA_CATEGORIES_MAX_LABELS ||
            count > STOA_CATEGORIES_MAX_BYTES / (longest + 1) ||
            (length > 0 && memchr(text, '\0', length) != NULL)) {
            book->is_over = true;
            return STOA_OK;
        }
        book->longest = longest;
    }
    return stoa_string_set_add(&book->labels, text, length, code, err);
}

/* Look up labels [first, first + n) in one batch, and add new ones. `elements` has those that are
 * no strings. */
static stoa_status number_some(stoa_categories *book, const stoa_view *labels,
                               const uint8_t *elements, int64_t first, size_t n, int64_t *codes,
                               stoa_error *err)
{
    const char *bytes[STOA_STRING_SET_AT_ONCE] = {NULL};
    size_t lengths[STOA_STRING_SET_AT_ONCE] = {0};
    int64_t places[STOA_STRING_SET_AT_ONCE];
    uint32_t found[STOA_STRING_SET_AT_ONCE];
    const size_t size = book->element.size;
    size_t n_there = 0;

    for (size_t i = 0; i < n; i++) {
        const int64_t at = first + (int64_t)i;
        codes[i] = -1;
        if (!stoa_view_is_null(labels, at)) {
            bytes[n_there] = elements != NULL ? (const char *)elements + (size_t)at * size
                                              : stoa_view_bytes(labels, at, &lengths[n_there]);
            lengths[n_there] = elements != NULL ? size : lengths[n_there];
            places[n_there++] = (int64_t)i;
        }
    }
    stoa_string_set_find_many(&book->labels, bytes, lengths, n_there, found);
    for (size_t i = 0; i < n_there && !book->is_over; i++) {
        if (found[i] == STOA_STRING_SET_NONE) {
            STOA_RETURN_NOT_OK(add_label(book, bytes[i], lengths[i], &found[i], err));
        }
        codes[places[i]] = found[i];
    }
    return STOA_OK;
}

/* Look up all labels, and add new ones. */
static stoa_status number_all(stoa_categories *book, const stoa_view *labels,
                              const uint8_t *elements, int64_t *codes, stoa_error *err)
{
    if (book->labels.count == 0) { /* otherwise few of them are usually new */
        STOA_RETURN_NOT_OK(stoa_string_set_reserve(&book->labels, (size_t)labels->length, err));
    }
    for (int64_t i = 0; i < labels->length && !book->is_over; i += STOA_STRING_SET_AT_ONCE) {
        const int64_t left = labels->length - i;
        const size_t n = left < STOA_STRING_SET_AT_ONCE ? (size_t)left : STOA_STRING_SET_AT_ONCE;
        STOA_RETURN_NOT_OK(number_some(book, labels, elements, i, n, codes + i, err));
    }
    return STOA_OK;
}

/* Number labels that are no strings, by their stored elements. */
static stoa_status number_values(stoa_categories *book, const stoa_view *labels, int64_t *codes,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_stored_form plain = {.validity = NULL};
    void *elements = NULL;

    STOA_TRY(stoa_column_accepts(book->values, labels, err));
    STOA_TRY(stoa_plain_form_of(book->values, labels, &plain, err));
    STOA_TRY(stoa_column_encode(book->values, &plain.view, &elements, err));
    STOA_TRY(number_all(book, labels, elements, codes, err));

done:
    free(elements);
    stoa_stored_form_clear(&plain);
    return status;
}

stoa_status stoa_categories_codes(stoa_categories *book, const stoa_view *labels, int64_t *codes,
                                  stoa_error *err)
{
    char name[64];

    if (labels->length == 0) {
        return STOA_OK;
    }
    if (!book->is_string) {
        return number_values(book, labels, codes, err);
    }
    if (stoa_categories_begins_with(book, labels)) {
        for (int64_t i = 0; i < labels->length; i++) {
            codes[i] = i;
        }
        return STOA_OK;
    }
    if (!stoa_kind_is_string(labels->type.kind)) {
        return stoa_fail(err, STOA_ETYPE, "the column's categories are strings, not %s",
                         stoa_type_name(&labels->type, name));
    }
    if (stoa_label_cache_recall(&book->known, labels, codes)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(number_all(book, labels, NULL, codes, err));
    if (!book->is_limited) { /* otherwise they are values, not a dictionary's labels */
        stoa_label_cache_keep(&book->known, labels, codes);
    }
    return STOA_OK;
}

/* Convert labels [first, count) to elements of the dataset's type. */
static stoa_status pack_labels(const stoa_categories *book, uint32_t first, uint8_t **block,
                               stoa_error *err)
{
    const size_t size = book->element.size;

    *block = stoa_alloc_zero(book->labels.count - first, size);
    STOA_RETURN_NO_MEMORY(err, *block);
    for (uint32_t code = first; code < book->labels.count; code++) {
        size_t length;
        const char *label = stoa_string_set_get(&book->labels, code, &length);
        uint8_t *out = *block + (size_t)(code - first) * size;
        if (book->element.class == STOA_ELEMENT_STRING) {
            char *text = stoa_strndup(label, length);
            STOA_RETURN_NO_MEMORY(err, text);
            memcpy(out, &text, sizeof text);
        } else {
            if (book->element.class == STOA_ELEMENT_FIXED_STRING &&
                book->element.padding == H5T_STR_SPACEPAD) {
                memset(out, ' ', size);
            }
            memcpy(out, label, length);
        }
    }
    return STOA_OK;
}

static void free_packed(const stoa_categories *book, uint8_t *block, uint32_t n)
{
    for (uint32_t i = 0; block != NULL && book->element.class == STOA_ELEMENT_STRING && i < n;
         i++) {
        char *text;
        memcpy(&text, block + (size_t)i * book->element.size, sizeof text);
        free(text);
    }
    free(block);
}

static stoa_status write_labels(stoa_categories *book, uint32_t first, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;
    uint8_t *block = NULL;
    const uint32_t count = book->labels.count - first;

    if (count == 0) {
        return STOA_OK;
    }
    STOA_TRY(pack_labels(book, first, &block, err));
    STOA_TRY(stoa_chunk_writer_open(&writer, book->dataset, book->element.mem_type, err));
    STOA_TRY(stoa_chunk_writer_write(&writer, first, count, block, err));
    STOA_TRY(stoa_chunk_writer_flush(&writer, err));

done:
    stoa_chunk_writer_close(&writer);
    free_packed(book, block, count);
    return stoa_at(err, status, "the categories");
}

/* The datatype for all labels. */
static stoa_status label_type(const stoa_categories *book, hid_t *type, stoa_error *err)
{
    const stoa_domain domain = label_domain(book, 0);
    const bool was_ascii = book->dataset >= 0 && book->element.charset == H5T_CSET_ASCII;

    if (book->is_string) {
        return stoa_string_type(&domain, book->prefers_ascii || was_ascii, type, err);
    }
    STOA_RETURN_HDF_ERROR(err, *type = H5Dget_type(book->dataset),
                          "get the type of the categories");
    return STOA_OK;
}

stoa_status stoa_categories_create(stoa_categories *book, hid_t loc, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t old = book->dataset;
    stoa_element element = {.mem_type = H5I_INVALID_HID};

    if (book->has_duplicates) {
        return stoa_fail(err, STOA_ELOSS,
                         "a label stands twice in the categories, which therefore cannot be "
                         "rewritten");
    }
    STOA_TRY(label_type(book, &type, err));
    STOA_TRY(stoa_element_of(type, &element, err));
    book->dataset = H5I_INVALID_HID;
    STOA_TRY(create_dataset(loc, type, book->labels.count, element.class != STOA_ELEMENT_STRING,
                            &book->dataset, err));
    stoa_element_clear(&book->element);
    book->element = element;
    element = (stoa_element){.mem_type = H5I_INVALID_HID};
    STOA_TRY(write_labels(book, 0, err));
    if (old >= 0) {
        static const char *const none[] = {NULL};
        STOA_TRY(stoa_attributes_copy(old, book->dataset, none, err));
    }
    book->n_stored = book->labels.count;

done:
    stoa_element_clear(&element);
    if (old != book->dataset) {
        status = stoa_hdf_close(&old, status, err);
    }
    return stoa_hdf_close(&type, status, err);
}

/* Replace the dataset by one for all labels. Labels are only appended, so `ordered` remains
 * valid. */
static stoa_status replace_dataset(stoa_categories *book, hid_t categories, const char *name,
                                   stoa_error *err)
{
    const bool had_dataset = book->dataset >= 0;

    STOA_RETURN_NOT_OK(stoa_categories_create(book, categories, err));
    if (had_dataset) {
        STOA_RETURN_HDF_ERROR(err, stoa_unlink(categories, name), "unlink categories '%s'", name);
    }
    STOA_RETURN_HDF_ERROR(err, stoa_link_nameless(book->dataset, categories, name, H5P_DEFAULT),
                          "link categories '%s'", name);
    book->was_replaced = had_dataset;
    return STOA_OK;
}

/* Whether the new labels fit into the dataset's type and maximum extent. */
static bool has_room(const stoa_categories *book)
{
    const stoa_domain domain = label_domain(book, book->n_stored);
    hsize_t max = 0;
    const hid_t space = H5Dget_space(book->dataset);
    const bool is_open = space >= 0 && H5Sget_simple_extent_dims(space, NULL, &max) == 1;

    (void)H5Sclose(space);
    if (!is_open || (max != H5S_UNLIMITED && max < book->labels.count)) {
        return false;
    }
    if (book->is_string && book->element.charset == H5T_CSET_ASCII && domain.has_wide) {
        return false;
    }
    switch (book->element.class) {
    case STOA_ELEMENT_FIXED_STRING:
        return stoa_string_fits(&domain, book->element.size, book->element.padding);
    case STOA_ELEMENT_STRING:
        return !domain.has_nul;
    default:
        return true;
    }
}

stoa_status stoa_categories_store(stoa_categories *book, hid_t categories, const char *name,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (book->is_unlinked) {
        STOA_HDF(err, stoa_link_nameless(book->dataset, categories, name, H5P_DEFAULT),
                 "link categories '%s'", name);
        book->is_unlinked = false;
    }
    if (book->dataset >= 0 && book->n_stored == book->labels.count) {
        return STOA_OK;
    }
    book->has_grown = book->dataset >= 0;
    if (book->dataset >= 0 && has_room(book)) {
        STOA_TRY(stoa_dataset_resize(book->dataset, &(hsize_t){book->labels.count}, err));
        STOA_TRY(write_labels(book, book->n_stored, err));
    } else {
        STOA_TRY(replace_dataset(book, categories, name, err));
    }
    book->n_stored = book->labels.count;

done:
    return stoa_at(err, status, "%s", name);
}

void stoa_categories_text(const stoa_categories *book, uint32_t code, char out[STOA_LABEL_TEXT])
{
    size_t length = 0;
    const char *const label = stoa_string_set_get(&book->labels, code, &length);

    if (book->values != NULL) {
        stoa_label_text(book->values, label, out);
    } else {
        (void)snprintf(out, STOA_LABEL_TEXT, "%.*s", (int)(length < 200 ? length : 200), label);
    }
}

stoa_status stoa_categories_tell_path(hid_t column, const char *name, stoa_error *err)
{
    char *const path = stoa_format("CATEGORIES/%s", name);
    const stoa_status status =
        path != NULL ? stoa_attribute_write_utf8(column, STOA_COLUMN_CATEGORIES_PATH, path, err)
                     : stoa_fail_memory(err);

    free(path);
    return status;
}

stoa_status stoa_categories_refer(const stoa_categories *book, hid_t column, const char *name,
                                  bool is_old, stoa_error *err)
{
    STOA_RETURN_NOT_OK(
        stoa_references_write(column, "CATEGORIES", &book->dataset, 1, true, is_old, err));
    STOA_RETURN_NOT_OK(stoa_categories_tell_path(column, name, err));
    return stoa_cf_write_flags(
        column, book->is_string && !book->has_duplicates ? &book->labels : NULL, err);
}

void stoa_categories_clear(stoa_categories *book)
{
    stoa_column_close(book->values);
    stoa_element_clear(&book->element);
    stoa_string_set_clear(&book->labels);
    stoa_label_cache_clear(&book->known);
    (void)stoa_hdf_close(&book->dataset, STOA_OK, NULL);
    *book = (stoa_categories){.dataset = H5I_INVALID_HID, .element = {.mem_type = H5I_INVALID_HID}};
}
