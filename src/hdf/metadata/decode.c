/* Converts elements in memory to Arrow arrays. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/fixed_texts.h"
#include "hdf/metadata/types.h"
#include "hdf/metadata/vlen_memory.h"

/* Longer variable-length values are damage. */
#define MAX_VLEN_ITEMS ((size_t)1 << 31)

/* Invert a bitmap of missing values to Arrow validity, in place. NULL stays NULL. Returns the
 * number of missing values. */
static int64_t to_validity(uint8_t *missing, int64_t n)
{
    if (missing == NULL) {
        return 0;
    }
    const int64_t n_missing = (int64_t)stoa_bit_count(missing, 0, (uint64_t)n);
    for (uint64_t i = 0; i < stoa_bit_bytes((uint64_t)n); i++) {
        missing[i] = (uint8_t)~missing[i];
    }
    return n_missing;
}

/* Texts back to back, with n + 1 offsets. */
typedef struct texts {
    int32_t *offsets;
    stoa_buffer bytes;
} texts;

static stoa_status fail_length(int64_t n, stoa_error *err)
{
    return stoa_fail(err, STOA_ERANGE, "%lld strings are over 2 GiB; read fewer rows at once",
                     (long long)n);
}

static stoa_status decode_fixed(const stoa_element *element, const uint8_t *elements, int64_t n,
                                const uint8_t *missing, texts *out, stoa_error *err)
{
    const stoa_fixed_texts fixed = {elements, n, element->size, element->padding, missing};

    STOA_RETURN_NOT_OK(
        stoa_buffer_reserve(&out->bytes, (size_t)n * element->size + STOA_TEXTS_SLACK, err));
    STOA_RETURN_NOT_OK(stoa_fixed_texts_decode(&fixed, out->bytes.data, out->offsets)
                           ? STOA_OK
                           : fail_length(n, err));
    out->bytes.size = (size_t)out->offsets[n];
    return STOA_OK;
}

static stoa_status decode_variable(const stoa_element *element, const uint8_t *elements, int64_t n,
                                   const uint8_t *missing, texts *out, stoa_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        if (missing == NULL || !stoa_bit_get(missing, (uint64_t)i)) {
            const char *text = stoa_vlen_string(elements + (size_t)i * element->size);
            const size_t length = strlen(text);
            if (length > (size_t)INT32_MAX - out->bytes.size) {
                return fail_length(n, err);
            }
            STOA_RETURN_NOT_OK(stoa_buffer_append(&out->bytes, text, length, err));
        }
        out->offsets[i + 1] = (int32_t)out->bytes.size;
    }
    return STOA_OK;
}

/* Paths of the targets of references; for attributes, followed by '@' and the attribute's name.
 * Null references are missing. */
static stoa_status decode_references(const stoa_element *element, const uint8_t *elements,
                                     int64_t n, uint8_t *missing, texts *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_error_stack errors = stoa_error_stack_begin();

    for (int64_t i = 0; i < n; i++) {
        H5R_ref_t reference;
        char path[2048] = "";
        memcpy(&reference, elements + (size_t)i * element->size, sizeof reference);
        const H5R_type_t type = H5Rget_type(&reference);
        ssize_t length = type > H5R_BADTYPE && type < H5R_MAXTYPE
                             ? H5Rget_obj_name(&reference, H5P_DEFAULT, path, sizeof path)
                             : -1;
        if (type == H5R_ATTR && length >= 0 && (size_t)length + 2 < sizeof path) {
            path[length++] = '@';
            const ssize_t more =
                H5Rget_attr_name(&reference, path + length, sizeof path - (size_t)length);
            length += more > 0 ? more : 0;
        }
        if (length < 0 && missing != NULL) {
            missing[i / 8] = (uint8_t)(missing[i / 8] | 1u << (i % 8));
        }
        STOA_TRY(stoa_buffer_append(&out->bytes, path, strlen(path), err));
        if (out->bytes.size > INT32_MAX) {
            STOA_TRY(fail_length(n, err));
        }
        out->offsets[i + 1] = (int32_t)out->bytes.size;
    }

done:
    stoa_error_stack_discard(&errors);
    return status;
}

/* Strings, and references as paths, as Arrow utf8: bytes unchanged, padding removed. */
static stoa_status decode_strings(const stoa_element *element, const uint8_t *elements, int64_t n,
                                  uint8_t *missing, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    texts taken = {.offsets = stoa_alloc((size_t)n + 1, sizeof *taken.offsets)};

    STOA_TRY(taken.offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    taken.offsets[0] = 0;
    if (element->is_reference && missing == NULL) {
        missing = stoa_alloc_zero(stoa_bit_bytes((uint64_t)n), 1);
        STOA_TRY(missing != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    if (element->is_reference) {
        STOA_TRY(decode_references(element, elements, n, missing, &taken, err));
    } else {
        STOA_TRY((element->class == STOA_ELEMENT_FIXED_STRING ? decode_fixed : decode_variable)(
            element, elements, n, missing, &taken, err));
    }
    const int64_t n_missing = to_validity(missing, n);
    void *const buffers[] = {missing, taken.offsets, stoa_buffer_detach(&taken.bytes)};
    missing = NULL;
    taken.offsets = NULL;
    STOA_TRY(stoa_array_make(out, n, n_missing, 3, buffers, err));

done:
    free(missing);
    free(taken.offsets);
    stoa_buffer_clear(&taken.bytes);
    return status;
}

static int64_t enum_value(const stoa_element *element, const uint8_t *value)
{
    switch (element->kind) {
    case STOA_KIND_INT8:
        return (int8_t)*value;
    case STOA_KIND_UINT8:
        return *value;
    case STOA_KIND_INT16: {
        int16_t code;
        memcpy(&code, value, sizeof code);
        return code;
    }
    case STOA_KIND_UINT16: {
        uint16_t code;
        memcpy(&code, value, sizeof code);
        return code;
    }
    case STOA_KIND_INT32: {
        int32_t code;
        memcpy(&code, value, sizeof code);
        return code;
    }
    case STOA_KIND_UINT32: {
        uint32_t code;
        memcpy(&code, value, sizeof code);
        return code;
    }
    default: {
        int64_t code;
        memcpy(&code, value, sizeof code);
        return code;
    }
    }
}

/* Position of a code among the members, followed by the strays; -1 if there is none. Strays are
 * codes that are not members. */
static int64_t enum_position(const stoa_element *element, const stoa_buffer *strays, int64_t code)
{
    const int64_t *extra = (const int64_t *)(const void *)strays->data;
    const size_t n_extra = strays->size / sizeof *extra;

    for (size_t i = 0; i < element->n_members; i++) {
        if (element->codes[i] == code) {
            return (int64_t)i;
        }
    }
    for (size_t i = 0; i < n_extra; i++) {
        if (extra[i] == code) {
            return (int64_t)(element->n_members + i);
        }
    }
    return -1;
}

/* Labels are the member names, then stray codes as decimal numbers, so no value is hidden. */
static stoa_status enum_labels(const stoa_element *element, const stoa_buffer *strays,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t *extra = (const int64_t *)(const void *)strays->data;
    const size_t n = element->n_members + strays->size / sizeof *extra;
    stoa_buffer bytes = {0};
    int32_t *offsets = stoa_alloc(n + 1, sizeof *offsets);

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    offsets[0] = 0;
    for (size_t i = 0; i < n; i++) {
        char number[STOA_NUMBER_SIZE];
        const char *label = number;
        if (i < element->n_members) {
            label = element->names[i];
        } else if (element->kind == STOA_KIND_UINT64) {
            (void)stoa_format_u64((uint64_t)extra[i - element->n_members], number);
        } else {
            (void)stoa_format_i64(extra[i - element->n_members], number);
        }
        STOA_TRY(stoa_buffer_append(&bytes, label, strlen(label), err));
        offsets[i + 1] = (int32_t)bytes.size;
    }
    void *const buffers[] = {NULL, offsets, stoa_buffer_detach(&bytes)};
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)n, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&bytes);
    return status;
}

static stoa_status decode_enums(const stoa_element *element, const uint8_t *elements, int64_t n,
                                uint8_t *missing, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray labels = {.release = NULL};
    stoa_buffer strays = {0};
    int32_t *positions = stoa_alloc_zero((size_t)n, sizeof *positions);
    int64_t last_code = 0;
    int64_t last_position = -1;

    STOA_TRY(positions != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < n; i++) {
        if (missing != NULL && stoa_bit_get(missing, (uint64_t)i)) {
            continue;
        }
        const int64_t code = enum_value(element, elements + (size_t)i * element->size);
        if (last_position < 0 || code != last_code) {
            last_code = code;
            last_position = enum_position(element, &strays, code);
            if (last_position < 0) {
                last_position = (int64_t)(element->n_members + strays.size / sizeof code);
                STOA_TRY(stoa_buffer_append(&strays, &code, sizeof code, err));
            }
        }
        positions[i] = (int32_t)last_position;
    }
    STOA_TRY(enum_labels(element, &strays, &labels, err));
    const int64_t n_missing = to_validity(missing, n);
    void *const buffers[] = {missing, positions};
    missing = NULL;
    positions = NULL;
    STOA_TRY(stoa_array_make(out, n, n_missing, 2, buffers, err));
    STOA_TRY(stoa_array_dictionary(out, &labels, err));

done:
    free(missing);
    free(positions);
    stoa_buffer_clear(&strays);
    stoa_array_release(&labels);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

/* Booleans, one bit each; values other than 1 are false (HEP001 §6). */
static stoa_status decode_truths(const uint8_t *elements, int64_t n, uint8_t *missing,
                                 struct ArrowArray *out, stoa_error *err)
{
    uint8_t *const bits = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)n), 1);

    if (bits == NULL) {
        free(missing);
        return stoa_fail_memory(err);
    }
    for (int64_t i = 0; i < n; i++) {
        bits[i / 8] |= (uint8_t)((elements[i] == 1) << (i % 8));
    }
    const int64_t n_missing = to_validity(missing, n);
    void *const buffers[] = {missing, bits};
    return stoa_array_make(out, n, n_missing, 2, buffers, err);
}

/* Which elements that fields are gathered from are there. */
typedef struct elements_there {
    const uint8_t *bits; /* NULL: all */
    int64_t n_fields;    /* in each */
} elements_there;

/* Gather one field of each element into an array. Those of a missing element are zeros: what is
 * stored there need be no value of the field, such as a day beyond Arrow's range. */
static stoa_status decode_field(const stoa_element *field, const uint8_t *first, size_t stride,
                                int64_t n, const elements_there *there, struct ArrowArray *out,
                                stoa_error *err)
{
    uint8_t *values = stoa_alloc((size_t)n, field->size);

    STOA_RETURN_NO_MEMORY(err, values);
    for (int64_t i = 0; i < n; i++) {
        uint8_t *const value = values + (size_t)i * field->size;

        if (there->bits == NULL || stoa_bit_get(there->bits, (uint64_t)(i / there->n_fields))) {
            memcpy(value, first + (size_t)i * stride, field->size);
        } else {
            memset(value, 0, field->size);
        }
    }
    return stoa_element_decode(field, values, n, NULL, out, err);
}

static stoa_status decode_compounds(const stoa_element *element, const uint8_t *elements, int64_t n,
                                    uint8_t *missing, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t n_missing = to_validity(missing, n);
    const elements_there there = {missing, 1};
    void *const buffers[] = {missing};

    STOA_TRY(stoa_array_make(out, n, n_missing, 1, buffers, err));
    STOA_TRY(stoa_array_children(out, (int64_t)element->n_members, err));
    for (size_t i = 0; i < element->n_members; i++) {
        STOA_TRY(decode_field(&element->items[i], elements + element->offsets[i], element->size, n,
                              &there, out->children[i], err));
    }

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static stoa_status decode_arrays(const stoa_element *element, const uint8_t *elements, int64_t n,
                                 uint8_t *missing, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t n_missing = to_validity(missing, n);
    const elements_there there = {missing, (int64_t)element->n_items};
    void *const buffers[] = {missing};

    struct ArrowArray items = {.release = NULL};

    STOA_TRY(decode_field(&element->items[0], elements, element->items[0].size,
                          n * (int64_t)element->n_items, &there, &items, err));
    missing = NULL;
    STOA_TRY(stoa_array_list(out, n, n_missing, 1, buffers, &items, err));

done:
    free(missing);
    return status;
}

static stoa_status decode_sequences(const stoa_element *element, const uint8_t *elements, int64_t n,
                                    uint8_t *missing, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *item = &element->items[0];
    stoa_buffer values = {0};
    int32_t *offsets = stoa_alloc((size_t)n + 1, sizeof *offsets);
    size_t total = 0;

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        const hvl_t sequence = stoa_vlen_sequence(elements + (size_t)i * element->size);
        if (missing == NULL || !stoa_bit_get(missing, (uint64_t)i)) {
            total += sequence.len;
            if (sequence.len > MAX_VLEN_ITEMS || total > INT32_MAX) {
                STOA_FAIL(err, STOA_ERANGE, "variable-length values hold over 2^31 items");
            }
            STOA_TRY(stoa_buffer_append(&values, sequence.p, sequence.len * item->size, err));
        }
        offsets[i + 1] = (int32_t)total;
    }
    STOA_TRY(stoa_buffer_reserve(&values, 1, err));
    const int64_t n_missing = to_validity(missing, n);
    void *const buffers[] = {missing, offsets};
    missing = NULL;
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, n, n_missing, 2, buffers, err));
    STOA_TRY(stoa_array_children(out, 1, err));
    STOA_TRY(stoa_element_decode(item, stoa_buffer_detach(&values), (int64_t)total, NULL,
                                 out->children[0], err));

done:
    free(missing);
    free(offsets);
    stoa_buffer_clear(&values);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

stoa_status stoa_element_decode(const stoa_element *element, void *elements, int64_t n,
                                uint8_t *missing, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    out->release = NULL;
    if (element->is_reference) {
        status = decode_strings(element, elements, n, missing, out, err);
        free(elements);
        return status;
    }
    switch (element->class) {
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_STRING:
        status = decode_strings(element, elements, n, missing, out, err);
        break;
    case STOA_ELEMENT_ENUM:
        status = element->is_truth ? decode_truths(elements, n, missing, out, err)
                                   : decode_enums(element, elements, n, missing, out, err);
        break;
    case STOA_ELEMENT_COMPOUND:
        status = decode_compounds(element, elements, n, missing, out, err);
        break;
    case STOA_ELEMENT_ARRAY:
        status = decode_arrays(element, elements, n, missing, out, err);
        break;
    case STOA_ELEMENT_VLEN:
        status = decode_sequences(element, elements, n, missing, out, err);
        break;
    case STOA_ELEMENT_INTEGER:
        if (element->logical != STOA_LOGICAL_NONE) { /* nested: no missing values */
            free(missing);
            status = stoa_element_decode_logical(element, elements, n, out, err);
            break;
        }
        /* fall through */
    case STOA_ELEMENT_FLOAT:
    case STOA_ELEMENT_OPAQUE: {
        const int64_t n_missing = to_validity(missing, n);
        void *const buffers[] = {missing, elements};
        return stoa_array_make(out, n, n_missing, 2, buffers, err);
    }
    }
    free(elements);
    return status;
}
