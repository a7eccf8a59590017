/* Elements in memory: compared (HEP001 §8.5, notes C6, C7), and turned into Arrow arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/fixed_texts.h"
#include "hdf/types.h"

/* A variable-length value longer than this is damage. */
#define MAX_VLEN_ITEMS ((size_t)1 << 31)

size_t stoa_fixed_string_length(const char *text, size_t size, H5T_str_t padding)
{
    size_t length = size;

    if (padding == H5T_STR_NULLTERM) {
        return strnlen(text, size);
    }
    const char filler = padding == H5T_STR_SPACEPAD ? ' ' : '\0';
    while (length > 0 && text[length - 1] == filler) {
        length--;
    }
    return length;
}

bool stoa_element_is_nan(const stoa_element *element, const void *value)
{
    if (element->class != STOA_ELEMENT_FLOAT) {
        return false;
    }
    if (element->kind == STOA_KIND_FLOAT16) {
        uint16_t bits;
        memcpy(&bits, value, sizeof bits);
        return (bits & 0x7fff) > 0x7c00;
    }
    if (element->kind == STOA_KIND_FLOAT32) {
        float number;
        memcpy(&number, value, sizeof number);
        return isnan(number);
    }
    double number;
    memcpy(&number, value, sizeof number);
    return isnan(number);
}

static const char *variable_string(const void *value)
{
    const char *text;

    memcpy(&text, value, sizeof text);
    return text != NULL ? text : "";
}

static hvl_t variable_sequence(const void *value)
{
    hvl_t sequence;

    memcpy(&sequence, value, sizeof sequence);
    if (sequence.p == NULL) {
        sequence.len = 0;
    }
    return sequence;
}

static bool sequences_equal(const stoa_element *item, const uint8_t *a, const uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!stoa_element_equal(item, a + i * item->size, b + i * item->size)) {
            return false;
        }
    }
    return true;
}

bool stoa_element_equal(const stoa_element *element, const void *a, const void *b)
{
    switch (element->class) {
    case STOA_ELEMENT_FIXED_STRING: {
        const size_t length_a = stoa_fixed_string_length(a, element->size, element->padding);
        const size_t length_b = stoa_fixed_string_length(b, element->size, element->padding);
        return length_a == length_b && memcmp(a, b, length_a) == 0;
    }
    case STOA_ELEMENT_STRING:
        return strcmp(variable_string(a), variable_string(b)) == 0;
    case STOA_ELEMENT_COMPOUND:
        for (size_t i = 0; i < element->n_members; i++) {
            const size_t offset = element->offsets[i];
            if (!stoa_element_equal(&element->items[i], (const uint8_t *)a + offset,
                                    (const uint8_t *)b + offset)) {
                return false;
            }
        }
        return true;
    case STOA_ELEMENT_ARRAY:
        return sequences_equal(&element->items[0], a, b, element->n_items);
    case STOA_ELEMENT_VLEN: {
        const hvl_t sequence_a = variable_sequence(a);
        const hvl_t sequence_b = variable_sequence(b);
        return sequence_a.len == sequence_b.len &&
               sequences_equal(&element->items[0], sequence_a.p, sequence_b.p, sequence_a.len);
    }
    case STOA_ELEMENT_INTEGER:
    case STOA_ELEMENT_FLOAT:
    case STOA_ELEMENT_ENUM:
    case STOA_ELEMENT_OPAQUE:
        break;
    }
    return memcmp(a, b, element->size) == 0;
}

static stoa_status copy_sequence(const stoa_element *item, const uint8_t *from, uint8_t *to,
                                 size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < n; i++) {
        STOA_TRY(stoa_element_copy(item, from + i * item->size, to + i * item->size, err));
    }

done:
    return status;
}

stoa_status stoa_element_copy(const stoa_element *element, const void *from, void *to,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;

    switch (element->class) {
    case STOA_ELEMENT_STRING: {
        char *text = stoa_strdup(variable_string(from));
        if (text == NULL) {
            return stoa_fail_memory(err);
        }
        memcpy(to, &text, sizeof text);
        return STOA_OK;
    }
    case STOA_ELEMENT_VLEN: {
        const stoa_element *item = &element->items[0];
        const hvl_t given = variable_sequence(from);
        if (given.len == 0) {
            return STOA_OK;
        }
        const hvl_t made = {given.len, stoa_alloc_zero(given.len, item->size)};
        if (made.p == NULL) {
            return stoa_fail_memory(err);
        }
        memcpy(to, &made, sizeof made);
        return copy_sequence(item, given.p, made.p, given.len, err);
    }
    case STOA_ELEMENT_COMPOUND:
        for (size_t i = 0; i < element->n_members; i++) {
            const size_t offset = element->offsets[i];
            STOA_TRY(stoa_element_copy(&element->items[i], (const uint8_t *)from + offset,
                                       (uint8_t *)to + offset, err));
        }
        break;
    case STOA_ELEMENT_ARRAY:
        return copy_sequence(&element->items[0], from, to, element->n_items, err);
    case STOA_ELEMENT_INTEGER:
    case STOA_ELEMENT_FLOAT:
    case STOA_ELEMENT_FIXED_STRING:
    case STOA_ELEMENT_ENUM:
    case STOA_ELEMENT_OPAQUE:
        memcpy(to, from, element->size);
        break;
    }

done:
    return status;
}

bool stoa_element_is_variable(const stoa_element *element)
{
    if (element->class == STOA_ELEMENT_STRING || element->class == STOA_ELEMENT_VLEN ||
        element->is_reference) {
        return true;
    }
    const size_t n = element->class == STOA_ELEMENT_COMPOUND ? element->n_members
                     : element->class == STOA_ELEMENT_ARRAY  ? 1
                                                             : 0;
    for (size_t i = 0; i < n; i++) {
        if (stoa_element_is_variable(&element->items[i])) {
            return true;
        }
    }
    return false;
}

void stoa_element_reclaim(const stoa_element *element, void *elements, size_t n)
{
    if (elements == NULL || n == 0 || !stoa_element_is_variable(element)) {
        return;
    }
    const stoa_quiet quiet = stoa_quiet_begin();
    const hid_t space = H5Screate_simple(1, &(hsize_t){n}, NULL);

    (void)H5Treclaim(element->mem_type, space, H5P_DEFAULT, elements);
    (void)H5Sclose(space);
    stoa_quiet_end(&quiet);
}

void stoa_integer_put(uint8_t *out, size_t size, int64_t value)
{
    const uint64_t bits = (uint64_t)value;
    const uint8_t u8 = (uint8_t)bits;
    const uint16_t u16 = (uint16_t)bits;
    const uint32_t u32 = (uint32_t)bits;

    switch (size) {
    case 1:
        *out = u8;
        break;
    case 2:
        memcpy(out, &u16, sizeof u16);
        break;
    case 4:
        memcpy(out, &u32, sizeof u32);
        break;
    default:
        memcpy(out, &bits, sizeof bits);
        break;
    }
}

/* Missing bits turned into Arrow validity, in place; NULL stays NULL. */
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

/* Texts back to back, and where each begins: n + 1 offsets. */
typedef struct texts {
    int32_t *offsets;
    stoa_buffer bytes;
} texts;

static stoa_status fail_length(int64_t n, stoa_error *err)
{
    return stoa_fail(err, STOA_ERANGE, "%lld strings are over 2 GiB; read fewer rows at once",
                     (long long)n);
}

static stoa_status take_fixed(const stoa_element *element, const uint8_t *elements, int64_t n,
                              const uint8_t *missing, texts *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_fixed_texts fixed = {elements, n, element->size, element->padding, missing};

    STOA_TRY(stoa_buffer_reserve(&out->bytes, (size_t)n * element->size + STOA_TEXTS_SLACK, err));
    STOA_TRY(stoa_fixed_texts_take(&fixed, out->bytes.data, out->offsets) ? STOA_OK
                                                                          : fail_length(n, err));
    out->bytes.size = (size_t)out->offsets[n];

done:
    return status;
}

static stoa_status take_variable(const stoa_element *element, const uint8_t *elements, int64_t n,
                                 const uint8_t *missing, texts *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (int64_t i = 0; i < n; i++) {
        if (missing == NULL || !stoa_bit_get(missing, (uint64_t)i)) {
            const char *text = variable_string(elements + (size_t)i * element->size);
            const size_t length = strlen(text);
            if (length > (size_t)INT32_MAX - out->bytes.size) {
                STOA_TRY(fail_length(n, err));
            }
            STOA_TRY(stoa_buffer_append(&out->bytes, text, length, err));
        }
        out->offsets[i + 1] = (int32_t)out->bytes.size;
    }

done:
    return status;
}

/* Strings of either storage as Arrow utf8: bytes as they are, without padding. */
static stoa_status decode_strings(const stoa_element *element, const uint8_t *elements, int64_t n,
                                  uint8_t *missing, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    texts taken = {.offsets = stoa_alloc((size_t)n + 1, sizeof *taken.offsets)};

    if (taken.offsets == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    taken.offsets[0] = 0;
    STOA_TRY((element->class == STOA_ELEMENT_FIXED_STRING ? take_fixed : take_variable)(
        element, elements, n, missing, &taken, err));
    const int64_t n_missing = to_validity(missing, n);
    void *const buffers[] = {missing, taken.offsets, stoa_buffer_take(&taken.bytes)};
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

/* Position of a code among the members and the strays behind them; strays are codes without a name.
 */
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

/* Member names, then stray codes as decimal numbers: nothing a file holds is hidden. */
static stoa_status enum_labels(const stoa_element *element, const stoa_buffer *strays,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t *extra = (const int64_t *)(const void *)strays->data;
    const size_t n = element->n_members + strays->size / sizeof *extra;
    stoa_buffer bytes = {0};
    int32_t *offsets = stoa_alloc(n + 1, sizeof *offsets);

    if (offsets == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
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
    void *const buffers[] = {NULL, offsets, stoa_buffer_take(&bytes)};
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

    if (positions == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
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

/* Truth values a bit each; what is not 1 is false (HEP001 §6). */
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

/* One field of each element, gathered, as an array. */
static stoa_status decode_field(const stoa_element *field, const uint8_t *first, size_t stride,
                                int64_t n, struct ArrowArray *out, stoa_error *err)
{
    uint8_t *values = stoa_alloc((size_t)n, field->size);

    if (values == NULL) {
        return stoa_fail_memory(err);
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(values + (size_t)i * field->size, first + (size_t)i * stride, field->size);
    }
    return stoa_element_decode(field, values, n, NULL, out, err);
}

static stoa_status decode_compounds(const stoa_element *element, const uint8_t *elements, int64_t n,
                                    uint8_t *missing, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t n_missing = to_validity(missing, n);
    void *const buffers[] = {missing};

    STOA_TRY(stoa_array_make(out, n, n_missing, 1, buffers, err));
    STOA_TRY(stoa_array_children(out, (int64_t)element->n_members, err));
    for (size_t i = 0; i < element->n_members; i++) {
        STOA_TRY(decode_field(&element->items[i], elements + element->offsets[i], element->size, n,
                              out->children[i], err));
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
    void *const buffers[] = {missing};

    struct ArrowArray items = {.release = NULL};

    STOA_TRY(decode_field(&element->items[0], elements, element->items[0].size,
                          n * (int64_t)element->n_items, &items, err));
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

    if (offsets == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        const hvl_t sequence = variable_sequence(elements + (size_t)i * element->size);
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
    STOA_TRY(stoa_element_decode(item, stoa_buffer_take(&values), (int64_t)total, NULL,
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
        if (element->show != STOA_SHOW_STORED) { /* within another: none is missing */
            free(missing);
            status = stoa_element_decode_shown(element, elements, n, out, err);
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
