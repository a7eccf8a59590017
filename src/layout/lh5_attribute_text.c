/* See lh5_attribute_text.h. */
#include "layout/lh5_attribute_text.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "hdf/attributes.h"
#include "hdf/guard.h"
#include "hdf/types.h"
#include "layout/lh5_writer.h"

/* Of an array: attributes hold less than 64 KiB, and it may become one again (lh5_notes.c). */
enum { MOST_BYTES = 60000 };

typedef struct shape {
    int rank; /* 0 of a scalar */
    hsize_t extent[H5S_MAX_RANK];
    size_t n;
} shape;

/* --- printing -------------------------------------------------------------------------------- */

static bool is_truth(const stoa_element *element)
{
    return element->class == STOA_ELEMENT_ENUM && element->n_members == 2 && element->size == 1 &&
           strcmp(element->names[0], "FALSE") == 0 && strcmp(element->names[1], "TRUE") == 0;
}

/* False: it has no values, or more than are printed. */
static bool find_shape(hid_t space, shape *is)
{
    const H5S_class_t class = H5Sget_simple_extent_type(space);
    const hssize_t n = H5Sget_simple_extent_npoints(space);

    *is = (shape){.n = n >= 0 ? (size_t)n : 0};
    is->rank = H5Sget_simple_extent_dims(space, is->extent, NULL);
    return (class == H5S_SCALAR || class == H5S_SIMPLE) && is->rank >= 0 && n >= 0 &&
           n <= MOST_BYTES / 2;
}

static stoa_status print_type(const char *type, const shape *is, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_buffer_print(out, err, "%s", type));
    for (int i = 0; i < is->rank; i++) {
        STOA_TRY(stoa_buffer_print(out, err, "%c%llu", i == 0 ? '[' : ',',
                                   (unsigned long long)is->extent[i]));
    }
    STOA_TRY(stoa_buffer_print(out, err, "%s", is->rank > 0 ? "]" : ""));

done:
    return status;
}

/* A text of an array, in quotes. */
static stoa_status print_quoted(const char *text, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_buffer_append(out, " \"", 2, err));
    for (const char *at = text; *at != '\0'; at++) {
        STOA_TRY(*at == '"' || *at == '\\' ? stoa_buffer_append(out, "\\", 1, err) : STOA_OK);
        STOA_TRY(stoa_buffer_append(out, at, 1, err));
    }
    STOA_TRY(stoa_buffer_print(out, err, "\"")); /* which ends it with a NUL, too */

done:
    return status;
}

static stoa_status print_texts(hid_t object, const char *name, const shape *is, stoa_buffer *out,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    char **texts = NULL;
    size_t n = 0;

    STOA_TRY(stoa_attribute_read_names(object, name, &texts, &n, err));
    STOA_TRY(print_type("string", is, out, err));
    if (is->rank == 0) {
        STOA_TRY(stoa_buffer_print(out, err, " %s", n == 1 ? texts[0] : ""));
        goto done;
    }
    for (size_t i = 0; i < n && out->size <= MOST_BYTES; i++) {
        STOA_TRY(print_quoted(texts[i], out, err));
    }

done:
    free(texts);
    return status;
}

/* Bools, and numbers as they are stored. */
static stoa_status print_numbers(hid_t attribute, const stoa_element *element, const shape *is,
                                 stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_bool = is_truth(element);
    const bool is_float = element->class == STOA_ELEMENT_FLOAT;
    const bool is_signed = stoa_kind_is_signed(element->kind);
    hid_t type = H5I_INVALID_HID;
    int64_t *const values = stoa_alloc_zero(is->n, sizeof *values);
    char digits[STOA_NUMBER_SIZE];
    double real = 0;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, type = H5Aget_type(attribute), "get the type of an attribute");
    const hid_t memory = is_bool     ? type
                         : is_float  ? H5T_NATIVE_DOUBLE
                         : is_signed ? H5T_NATIVE_INT64
                                     : H5T_NATIVE_UINT64;
    if (!stoa_attribute_fits(attribute, type, is->n)) {
        STOA_FAIL(err, STOA_EDATA, "an attribute is not of the size it claims");
    }
    if (is->n > 0) {
        STOA_HDF(err, H5Aread(attribute, memory, values), "read an attribute");
    }
    STOA_TRY(print_type(is_bool ? "bool" : element->text, is, out, err));
    for (size_t i = 0; i < is->n && out->size <= MOST_BYTES; i++) {
        if (is_bool) {
            const bool is_true = ((const uint8_t *)values)[i] != 0;
            STOA_TRY(stoa_buffer_print(out, err, " %s", is_true ? "true" : "false"));
            continue;
        }
        memcpy(&real, &values[i], sizeof real);
        (void)(is_float    ? stoa_format_f64(real, digits)
               : is_signed ? stoa_format_i64(values[i], digits)
                           : stoa_format_u64((uint64_t)values[i], digits));
        STOA_TRY(stoa_buffer_print(out, err, " %s", digits));
    }

done:
    free(values);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_lh5_attribute_print(hid_t object, const char *name, stoa_buffer *out,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hid_t attribute = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    shape is;

    STOA_HDF(err, attribute = H5Aopen(object, name, H5P_DEFAULT), "open attribute '%s'", name);
    STOA_HDF(err, space = H5Aget_space(attribute), "get the shape of attribute '%s'", name);
    STOA_HDF(err, type = H5Aget_type(attribute), "get the type of attribute '%s'", name);
    if (!find_shape(space, &is)) {
        goto done;
    }
    if (H5Tget_class(type) == H5T_STRING) {
        STOA_TRY(print_texts(object, name, &is, out, err));
    } else {
        STOA_TRY(stoa_element_of(type, &element, err));
        if (is_truth(&element) || element.class == STOA_ELEMENT_FLOAT ||
            (element.class == STOA_ELEMENT_INTEGER && !element.is_bitfield)) {
            STOA_TRY(print_numbers(attribute, &element, &is, out, err));
        }
    }
    if (is.rank > 0 && out->size > MOST_BYTES) {
        out->size = 0;
    }

done:
    stoa_element_clear(&element);
    status = stoa_hdf_close(&type, status, err);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&attribute, status, err);
}

/* --- saying ---------------------------------------------------------------------------------- */

/* `[2,2]`, behind which *at is left; nothing of the kind is a scalar's. False: it is no shape. */
static bool parse_shape(const char **at, shape *is)
{
    uint64_t extent = 0;

    *is = (shape){.n = 1};
    if (**at != '[') {
        return true;
    }
    do {
        const char *const from = ++*at;
        *at += strspn(from, "0123456789");
        if (is->rank == H5S_MAX_RANK || !stoa_parse_u64(from, (size_t)(*at - from), &extent) ||
            __builtin_mul_overflow(is->n, extent, &is->n) || is->n > MOST_BYTES / 2) {
            return false;
        }
        is->extent[is->rank++] = extent;
    } while (**at == ',');
    return *(*at)++ == ']';
}

/* `values` of the type in memory. */
static stoa_status put(hid_t object, const char *name, hid_t stored, hid_t memory, const shape *is,
                       const void *values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attribute = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;

    STOA_TRY(stoa_attribute_delete(object, name, err));
    STOA_HDF(err, space = H5Screate_simple(is->rank, is->extent, NULL), "make a shape");
    STOA_HDF(err, attribute = H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT),
             "create attribute '%s'", name);
    if (is->n > 0) {
        STOA_HDF(err, H5Awrite(attribute, memory, values), "write attribute '%s'", name);
    }

done:
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&attribute, status, err);
}

/* The next text in quotes, in place of what stood there; false: there is none. */
static bool unquote(char **at, char **text)
{
    char *to = *at + 2;

    if (strncmp(*at, " \"", 2) != 0) {
        return false;
    }
    *text = to;
    for (char *from = to;; from++) {
        if (*from == '"') {
            *to = '\0';
            *at = from + 1;
            return true;
        }
        from += *from == '\\' ? 1 : 0;
        if (*from == '\0') {
            return false;
        }
        *to++ = *from;
    }
}

static stoa_status say_texts(hid_t object, const char *name, const shape *is, const char *from,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    char *const all = stoa_strdup(from);
    char **const texts = stoa_alloc(is->n, sizeof *texts);
    char *at = all;
    size_t n = 0;

    STOA_TRY(all != NULL && texts != NULL ? STOA_OK : stoa_fail_memory(err));
    while (n < is->n && unquote(&at, &texts[n])) {
        n++;
    }
    if (n < is->n || *at != '\0') {
        goto done;
    }
    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a type of texts");
    STOA_HDF(err, H5Tset_size(type, H5T_VARIABLE), "make a type of texts");
    STOA_HDF(err, H5Tset_cset(type, H5T_CSET_UTF8), "make a type of texts");
    STOA_TRY(put(object, name, type, type, is, texts, err));

done:
    free(all);
    free(texts);
    return stoa_hdf_close(&type, status, err);
}

static stoa_status say_bools(hid_t object, const char *name, const shape *is, const char *from,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    int8_t *const values = stoa_alloc(is->n, sizeof *values);
    size_t n = 0;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (const char *at = from; n < is->n; n++) {
        values[n] = strncmp(at, " true", 5) == 0;
        if (values[n] == 0 && strncmp(at, " false", 6) != 0) {
            goto done;
        }
        at += values[n] != 0 ? 5 : 6;
    }
    STOA_TRY(stoa_boolean_type(&type, err));
    STOA_TRY(put(object, name, type, type, is, values, err));

done:
    free(values);
    return stoa_hdf_close(&type, status, err);
}

/* One of them, of 8 bytes; false: it does not fit, or is none. */
static bool parse_number(const char *text, size_t length, bool is_float, bool is_signed, void *out)
{
    return is_float    ? stoa_parse_f64(text, length, out)
           : is_signed ? stoa_parse_i64(text, length, out)
                       : stoa_parse_u64(text, length, out);
}

/* `stored`: the type as stoa_element has it in words. */
static stoa_status say_numbers(hid_t object, const char *name, const char *stored, const shape *is,
                               const char *from, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    uint64_t *const values = stoa_alloc(is->n, sizeof *values);
    size_t n = 0;

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lh5_number_type(stored, STOA_KIND_FLOAT64, &type, err));
    const bool is_float = H5Tget_class(type) == H5T_FLOAT;
    const bool is_signed = !is_float && H5Tget_sign(type) == H5T_SGN_2;
    for (; n < is->n && *from == ' '; n++) {
        const size_t length = strcspn(++from, " ");
        if (!parse_number(from, length, is_float, is_signed, &values[n])) {
            break;
        }
        from += length;
    }
    if (n == is->n && *from == '\0') {
        STOA_TRY(put(object, name, type,
                     is_float    ? H5T_NATIVE_DOUBLE
                     : is_signed ? H5T_NATIVE_INT64
                                 : H5T_NATIVE_UINT64,
                     is, values, err));
    }

done:
    free(values);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_lh5_attribute_say(hid_t object, const char *name, const char *text,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *type = NULL;
    shape is;

    if (strncmp(text, "string ", 7) == 0) {
        return stoa_lh5_say(object, name, text + 7, err);
    }
    const size_t length = strcspn(text, "[");
    const char *const space = strrchr(text, ' ');
    const char *at = text[length] == '[' ? text + length : space;
    if (at == NULL) {
        return STOA_OK;
    }
    type = stoa_strndup(text, (size_t)(at - text));
    STOA_TRY(type != NULL ? STOA_OK : stoa_fail_memory(err));
    if (!parse_shape(&at, &is)) {
        goto done;
    }
    STOA_TRY(strcmp(type, "string") == 0 ? say_texts(object, name, &is, at, err)
             : strcmp(type, "bool") == 0 ? say_bools(object, name, &is, at, err)
                                         : say_numbers(object, name, type, &is, at, err));

done:
    free(type);
    return status;
}
