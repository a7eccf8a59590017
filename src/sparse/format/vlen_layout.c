/* Build layouts from datatypes: which bytes of an element refer to variable-length data. */
#include <stdlib.h>
#include <string.h>

#include "hdf/ids.h"
#include "sparse/format/vlen.h"

enum { MAX_DEPTH = 16 /* of nested datatypes */ };

static size_t size_in_memory(const stoa_vlen_slot *slot)
{
    return slot->items != NULL ? sizeof(hvl_t) : sizeof(char *);
}

void stoa_vlen_layout_free(stoa_vlen_layout *layout)
{
    for (size_t i = 0; layout != NULL && i < layout->n_slots; i++) {
        stoa_vlen_layout_free(layout->slots[i].items);
    }
    free(layout);
}

/* Whether a type is a variable-length string or sequence itself, rather than containing one. */
static bool is_variable(hid_t type)
{
    return H5Tget_class(type) == H5T_VLEN ||
           (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0);
}

bool stoa_vlen_is_in(hid_t type)
{
    hid_t part = H5I_INVALID_HID;
    bool found = false;

    switch (H5Tget_class(type)) {
    case H5T_ARRAY:
        part = H5Tget_super(type);
        found = stoa_vlen_is_in(part);
        break;
    case H5T_COMPOUND:
        for (int i = 0; i < H5Tget_nmembers(type) && !found; i++) {
            (void)stoa_hdf_close(&part, STOA_OK, NULL);
            part = H5Tget_member_type(type, (unsigned)i);
            found = stoa_vlen_is_in(part);
        }
        break;
    default:
        found = is_variable(type);
    }
    (void)stoa_hdf_close(&part, STOA_OK, NULL);
    return found;
}

/* --- layouts --------------------------------------------------------------------------------- */

static stoa_status layout_of(hid_t type, hid_t like, int depth, stoa_vlen_layout **layout,
                             stoa_error *err);
static stoa_status add_type(stoa_vlen_layout *to, hid_t type, hid_t like, size_t at, int depth,
                            stoa_error *err);

/* The base type of `like`, if it has the same class; a negative id means that all members count. */
static hid_t super_of(hid_t like, H5T_class_t class)
{
    return like >= 0 && H5Tget_class(like) == class ? H5Tget_super(like) : H5I_INVALID_HID;
}

static stoa_status add_slot(stoa_vlen_layout *to, hid_t type, hid_t like, size_t at, int depth,
                            stoa_error *err)
{
    hid_t item = H5I_INVALID_HID;
    hid_t item_like = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    if (to->n_slots == STOA_SPARSE_MAX_SLOTS) {
        STOA_FAIL(err, STOA_ETYPE, "elements of variable length in more than %d places",
                  STOA_SPARSE_MAX_SLOTS);
    }
    stoa_vlen_slot *slot = &to->slots[to->n_slots];
    *slot = (stoa_vlen_slot){.offset = at};
    if (H5Tget_class(type) == H5T_VLEN) {
        STOA_HDF(err, item = H5Tget_super(type), "look at the items of a sequence");
        item_like = super_of(like, H5T_VLEN);
        STOA_TRY(layout_of(item, item_like, depth + 1, &slot->items, err));
    }
    to->n_slots++;

done:
    (void)stoa_hdf_close(&item_like, STOA_OK, NULL);
    return stoa_hdf_close(&item, status, err);
}

static stoa_status add_array(stoa_vlen_layout *to, hid_t type, hid_t like, size_t at, int depth,
                             stoa_error *err)
{
    hid_t item = H5I_INVALID_HID;
    hid_t item_like = super_of(like, H5T_ARRAY);
    stoa_status status = STOA_OK;

    STOA_HDF(err, item = H5Tget_super(type), "look at an array's elements");
    const size_t size = H5Tget_size(item);
    const size_t n = size > 0 ? H5Tget_size(type) / size : 0;
    const size_t before = to->n_slots;
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(add_type(to, item, item_like, at + i * size, depth + 1, err));
        if (to->n_slots == before) {
            break; /* the first item has no slots, so no item has */
        }
    }

done:
    (void)stoa_hdf_close(&item_like, STOA_OK, NULL);
    return stoa_hdf_close(&item, status, err);
}

/* The member of `like` with the same name, as a type; false if it has none. */
static bool has_counterpart(hid_t like, hid_t type, unsigned member, hid_t *counterpart)
{
    *counterpart = H5I_INVALID_HID;
    if (like < 0 || H5Tget_class(like) != H5T_COMPOUND) {
        return true;
    }
    const stoa_error_stack errors = stoa_error_stack_begin();
    char *name = H5Tget_member_name(type, member);
    const int index = name != NULL ? H5Tget_member_index(like, name) : -1;

    (void)H5free_memory(name);
    if (index >= 0) {
        *counterpart = H5Tget_member_type(like, (unsigned)index);
    }
    stoa_error_stack_discard(&errors);
    return index >= 0;
}

static stoa_status add_compound(stoa_vlen_layout *to, hid_t type, hid_t like, size_t at, int depth,
                                stoa_error *err)
{
    const int n = H5Tget_nmembers(type);
    hid_t member = H5I_INVALID_HID;
    hid_t counterpart = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    for (int i = 0; i < n; i++) {
        if (has_counterpart(like, type, (unsigned)i, &counterpart)) {
            const size_t offset = H5Tget_member_offset(type, (unsigned)i);
            STOA_HDF(err, member = H5Tget_member_type(type, (unsigned)i), "look at a member");
            STOA_TRY(add_type(to, member, counterpart, at + offset, depth + 1, err));
            STOA_TRY(stoa_hdf_close(&member, STOA_OK, err));
        }
        (void)stoa_hdf_close(&counterpart, STOA_OK, NULL);
    }

done:
    (void)stoa_hdf_close(&counterpart, STOA_OK, NULL);
    return stoa_hdf_close(&member, status, err);
}

/* Append the slots of a type at offset `at` of the element. */
static stoa_status add_type(stoa_vlen_layout *to, hid_t type, hid_t like, size_t at, int depth,
                            stoa_error *err)
{
    if (depth > MAX_DEPTH) {
        return stoa_fail(err, STOA_ETYPE, "a datatype of more than %d types in each other",
                         MAX_DEPTH);
    }
    if (is_variable(type)) {
        return add_slot(to, type, like, at, depth, err);
    }
    switch (H5Tget_class(type)) {
    case H5T_COMPOUND:
        return add_compound(to, type, like, at, depth, err);
    case H5T_ARRAY:
        return add_array(to, type, like, at, depth, err);
    case H5T_REFERENCE:
        return stoa_fail(err, STOA_ETYPE,
                         "references beside data of variable length; keep both in the file's "
                         "global heap");
    default:
        return STOA_OK;
    }
}

static int by_offset(const void *a, const void *b)
{
    const stoa_vlen_slot *one = a;
    const stoa_vlen_slot *other = b;

    return (one->offset > other->offset) - (one->offset < other->offset);
}

static stoa_status layout_of(hid_t type, hid_t like, int depth, stoa_vlen_layout **layout,
                             stoa_error *err)
{
    stoa_vlen_layout *made = stoa_alloc_zero(1, sizeof *made);
    stoa_status status = STOA_OK;

    *layout = NULL;
    STOA_RETURN_NO_MEMORY(err, made);
    made->size = H5Tget_size(type);
    if (made->size == 0) {
        STOA_HDF(err, -1, "look up the size of elements");
    }
    STOA_TRY(add_type(made, type, like, 0, depth, err));
    if (made->n_slots > 1) {
        qsort(made->slots, made->n_slots, sizeof *made->slots, by_offset);
    }
    made->packed_size = stoa_vlen_file_size(made, sizeof(uint32_t), NULL);
    *layout = made;
    made = NULL;

done:
    stoa_vlen_layout_free(made);
    return status;
}

stoa_status stoa_vlen_layout_of(hid_t type, hid_t like, stoa_vlen_layout **layout, stoa_error *err)
{
    return layout_of(type, like, 0, layout, err);
}

/* --- in the file ----------------------------------------------------------------------------- */

size_t stoa_vlen_file_size(const stoa_vlen_layout *layout, size_t slot_size, uint32_t *offsets)
{
    size_t size = layout->size; /* changes by each slot */

    for (size_t i = 0; i < layout->n_slots; i++) {
        if (offsets != NULL) {
            offsets[i] = (uint32_t)(layout->slots[i].offset + (size - layout->size));
        }
        size += slot_size;
        size -= size_in_memory(&layout->slots[i]);
    }
    return size;
}

bool stoa_vlen_fits(const stoa_vlen_layout *layout, const stoa_sparse_format *format)
{
    uint32_t offsets[STOA_SPARSE_MAX_SLOTS];

    return format->n_slots == layout->n_slots &&
           stoa_vlen_file_size(layout, format->slot_size, offsets) == format->element_size &&
           memcmp(offsets, format->slots, layout->n_slots * sizeof *offsets) == 0;
}

/* --- fill values ----------------------------------------------------------------------------- */

void stoa_vlen_fill_clear(stoa_vlen_fill *fill)
{
    free(fill->value);
    stoa_buffer_clear(&fill->heap);
    *fill = (stoa_vlen_fill){.value = NULL};
}

/* Pack the fill value. libhdf5 allocates its copy of the data with malloc(). */
static stoa_status pack_fill(hid_t dcpl, hid_t type, const stoa_vlen_layout *layout,
                             stoa_vlen_fill *fill, stoa_error *err)
{
    const stoa_vlen_memory memory = {.allocate = NULL};
    uint8_t *element = stoa_alloc_zero(1, layout->size);
    uint64_t length = 0;
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, element);
    STOA_HDF(err, H5Pget_fill_value(dcpl, type, element), "read the fill value");
    status = stoa_vlen_pack(layout, 1, element, fill->value, &length, &fill->heap, err);
    stoa_vlen_release(layout, &memory, 1, element, NULL);

done:
    free(element);
    return status;
}

stoa_status stoa_vlen_fill_of(hid_t dcpl, hid_t type, const stoa_vlen_layout *layout,
                              stoa_vlen_fill *fill, stoa_error *err)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    uint32_t lengths[STOA_SPARSE_MAX_SLOTS];

    fill->value = stoa_alloc_zero(1, layout->packed_size);
    STOA_RETURN_NO_MEMORY(err, fill->value);
    STOA_RETURN_HDF_ERROR(err, H5Pfill_value_defined(dcpl, &defined), "look for a fill value");
    if (defined == H5D_FILL_VALUE_USER_DEFINED) {
        STOA_RETURN_NOT_OK(pack_fill(dcpl, type, layout, fill, err));
    }
    stoa_vlen_lengths(layout, fill->value, lengths);
    for (size_t i = 0; i < layout->n_slots; i++) {
        fill->has_data = fill->has_data || lengths[i] > 0;
    }
    return STOA_OK;
}
