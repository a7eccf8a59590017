/* Elements in memory: comparison (HEP001 §8.5, notes C6, C7), copy and reclaim. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/types.h"
#include "hdf/metadata/vlen_memory.h"

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

static bool sequences_equal(const stoa_element *item, const uint8_t *a, const uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!stoa_element_equal(item, a + i * item->size, b + i * item->size)) {
            return false;
        }
    }
    return true;
}

/* Path of a reference's target: the object's path, a NUL, and the attribute's name if there is one.
 * Returns the length. */
static size_t name_of(H5R_ref_t *reference, char *name, size_t room)
{
    const ssize_t object = H5Rget_obj_name(reference, H5P_DEFAULT, name, room);
    const size_t length = object > 0 && (size_t)object < room ? (size_t)object + 1 : 1;
    const ssize_t attribute = H5Rget_type(reference) == H5R_ATTR
                                  ? H5Rget_attr_name(reference, name + length, room - length)
                                  : 0;

    return length + (attribute > 0 ? strlen(name + length) : 0);
}

/* Start, stride, count and block of a regular hyperslab. Adjacent blocks are merged. */
static bool slab_of(hid_t space, hsize_t slab[4][H5S_MAX_RANK])
{
    if (H5Sis_regular_hyperslab(space) <= 0 ||
        H5Sget_regular_hyperslab(space, slab[0], slab[1], slab[2], slab[3]) < 0) {
        return false;
    }
    for (int i = 0; i < H5Sget_simple_extent_ndims(space); i++) {
        if (slab[1][i] == slab[3][i] || slab[2][i] == 1) {
            slab[3][i] *= slab[2][i];
            slab[1][i] = slab[2][i] = 1;
        }
    }
    return true;
}

/* Serialise a selection without a regular form: its points, or its blocks. NULL on failure; the
 * caller frees it. */
static uint8_t *encode_selection(hid_t space, size_t *size)
{
    uint8_t *bytes = NULL;

    *size = 0;
    if (H5Sencode2(space, NULL, size, H5P_DEFAULT) >= 0) {
        bytes = stoa_alloc_zero(*size, 1);
    }
    if (bytes != NULL && H5Sencode2(space, bytes, size, H5P_DEFAULT) < 0) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

/* The extents of the two datasets may differ. */
static bool selections_equal(hid_t a, hid_t b)
{
    hsize_t slabs[2][4][H5S_MAX_RANK] = {{{0}}};
    hid_t moved = H5I_INVALID_HID;
    uint8_t *bytes[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    bool same = H5Sget_simple_extent_ndims(a) == H5Sget_simple_extent_ndims(b);
    const bool are_regular[] = {slab_of(a, slabs[0]), slab_of(b, slabs[1])};

    if (!same || are_regular[0] != are_regular[1]) {
        return false;
    }
    if (are_regular[0]) {
        return memcmp(slabs[0], slabs[1], sizeof slabs[0]) == 0;
    }
    moved = H5Scopy(a);
    if (moved >= 0 && H5Sselect_copy(moved, b) >= 0) {
        bytes[0] = encode_selection(a, &sizes[0]);
        bytes[1] = encode_selection(moved, &sizes[1]);
    }
    same = bytes[0] != NULL && bytes[1] != NULL && sizes[0] == sizes[1] &&
           memcmp(bytes[0], bytes[1], sizes[0]) == 0;
    free(bytes[1]);
    free(bytes[0]);
    (void)stoa_hdf_close(&moved, STOA_OK, NULL);
    return same;
}

/* For two references to the same path. Other kinds than region references are equal. */
static bool regions_equal(H5R_ref_t references[2])
{
    hid_t spaces[] = {H5I_INVALID_HID, H5I_INVALID_HID};
    bool same = true;

    if (H5Rget_type(&references[0]) == H5R_DATASET_REGION2) {
        for (int i = 0; i < 2; i++) {
            spaces[i] = H5Ropen_region(&references[i], H5P_DEFAULT, H5P_DEFAULT);
        }
        same = spaces[0] >= 0 && spaces[1] >= 0 ? selections_equal(spaces[0], spaces[1])
                                                : spaces[0] < 0 && spaces[1] < 0;
        (void)stoa_hdf_close(&spaces[0], STOA_OK, NULL);
        (void)stoa_hdf_close(&spaces[1], STOA_OK, NULL);
    }
    return same;
}

/* Compare references by the paths of their targets, since their bytes hold pointers of this
 * process. The two may be in different files. */
static bool references_equal(const void *a, const void *b)
{
    H5R_ref_t references[2];
    char names[2][2048] = {"", ""};
    size_t lengths[2];
    const stoa_error_stack errors = stoa_error_stack_begin();

    memcpy(&references[0], a, sizeof *references);
    memcpy(&references[1], b, sizeof *references);
    const bool are_of_a_kind = H5Rget_type(&references[0]) == H5Rget_type(&references[1]);
    for (int i = 0; i < 2; i++) {
        lengths[i] = name_of(&references[i], names[i], sizeof names[i]);
    }
    const bool same = are_of_a_kind && lengths[0] == lengths[1] &&
                      memcmp(names[0], names[1], lengths[0]) == 0 && regions_equal(references);
    stoa_error_stack_discard(&errors);
    return same;
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
        return strcmp(stoa_vlen_string(a), stoa_vlen_string(b)) == 0;
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
        const hvl_t sequence_a = stoa_vlen_sequence(a);
        const hvl_t sequence_b = stoa_vlen_sequence(b);
        return sequence_a.len == sequence_b.len &&
               sequences_equal(&element->items[0], sequence_a.p, sequence_b.p, sequence_a.len);
    }
    case STOA_ELEMENT_INTEGER:
    case STOA_ELEMENT_FLOAT:
    case STOA_ELEMENT_ENUM:
    case STOA_ELEMENT_OPAQUE:
        break;
    }
    if (element->is_reference) {
        return references_equal(a, b);
    }
    return memcmp(a, b, element->size) == 0;
}

static stoa_status copy_sequence(const stoa_element *item, const uint8_t *from, uint8_t *to,
                                 size_t n, stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(
            stoa_element_copy(item, from + i * item->size, to + i * item->size, err));
    }
    return STOA_OK;
}

stoa_status stoa_element_copy(const stoa_element *element, const void *from, void *to,
                              stoa_error *err)
{
    switch (element->class) {
    case STOA_ELEMENT_STRING: {
        char *text = stoa_strdup(stoa_vlen_string(from));
        STOA_RETURN_NO_MEMORY(err, text);
        memcpy(to, &text, sizeof text);
        return STOA_OK;
    }
    case STOA_ELEMENT_VLEN: {
        const stoa_element *item = &element->items[0];
        const hvl_t given = stoa_vlen_sequence(from);
        if (given.len == 0) {
            return STOA_OK;
        }
        const hvl_t made = {given.len, stoa_alloc_zero(given.len, item->size)};
        STOA_RETURN_NO_MEMORY(err, made.p);
        memcpy(to, &made, sizeof made);
        return copy_sequence(item, given.p, made.p, given.len, err);
    }
    case STOA_ELEMENT_COMPOUND:
        for (size_t i = 0; i < element->n_members; i++) {
            const size_t offset = element->offsets[i];
            STOA_RETURN_NOT_OK(stoa_element_copy(&element->items[i], (const uint8_t *)from + offset,
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
    return STOA_OK;
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
    const stoa_error_stack errors = stoa_error_stack_begin();
    const hid_t space = H5Screate_simple(1, &(hsize_t){n}, NULL);

    (void)H5Treclaim(element->mem_type, space, H5P_DEFAULT, elements);
    (void)H5Sclose(space);
    stoa_error_stack_end(&errors);
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
