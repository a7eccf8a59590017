/* Variable-length elements between memory and sections. vlen_layout.c has the layouts,
 * vlen_convert.c conversions in memory. */
#include "sparse/format/vlen.h"

#include <stdlib.h>
#include <string.h>

#include "codec/bytes.h"

enum { LENGTH_SIZE = 4 /* of a slot in section 1 */ };

/* --- slots in memory ------------------------------------------------------------------------- */

/* The data of a slot: `n` characters or items at `data`. */
typedef struct referred {
    void *data; /* NULL if there are none; an empty string has data of 0 bytes */
    size_t n;
} referred;

static referred look(const stoa_vlen_slot *slot, const uint8_t *element)
{
    referred r = {NULL, 0};

    if (slot->items == NULL) {
        memcpy(&r.data, element + slot->offset, sizeof(char *));
        r.n = r.data != NULL ? strlen(r.data) : 0;
    } else {
        hvl_t sequence;
        memcpy(&sequence, element + slot->offset, sizeof sequence);
        /* As in libhdf5, a length without a pointer, or the reverse, is empty. */
        r.data = sequence.len > 0 ? sequence.p : NULL;
        r.n = r.data != NULL ? sequence.len : 0;
    }
    return r;
}

static void refer(const stoa_vlen_slot *slot, uint8_t *element, referred r)
{
    if (slot->items == NULL) {
        memcpy(element + slot->offset, &r.data, sizeof(char *));
    } else {
        const hvl_t sequence = {.len = r.n, .p = r.data};
        memcpy(element + slot->offset, &sequence, sizeof sequence);
    }
}

static size_t slot_end(const stoa_vlen_slot *slot)
{
    return slot->offset + (slot->items != NULL ? sizeof(hvl_t) : sizeof(char *));
}

/* The length of a slot's data in section 1. For a string it is one more than the number of
 * characters, and 0 means NULL. */
static uint64_t stored_length(const stoa_vlen_slot *slot, referred r)
{
    return slot->items == NULL && r.data != NULL ? (uint64_t)r.n + 1 : r.n;
}

/* --- section 2 ------------------------------------------------------------------------------- */

typedef struct cursor {
    const uint8_t *at;
    size_t n; /* bytes left */
} cursor;

static stoa_status too_short(stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA, "a structured chunk is damaged: section 2 is too short");
}

void stoa_vlen_lengths(const stoa_vlen_layout *layout, const uint8_t *value, uint32_t *lengths)
{
    size_t at = 0; /* in an element in memory */

    for (size_t i = 0; i < layout->n_slots; i++) {
        value += layout->slots[i].offset - at;
        lengths[i] = stoa_get_le32(value);
        value += LENGTH_SIZE;
        at = slot_end(&layout->slots[i]);
    }
}

/* Bytes of a slot's data without nested data. STOA_EDATA if fewer are left. */
static stoa_status flat_bytes(const stoa_vlen_slot *slot, uint32_t length, const cursor *heap,
                              size_t *n_bytes, stoa_error *err)
{
    const uint64_t size = slot->items != NULL ? slot->items->packed_size : 1;
    const uint64_t n = slot->items == NULL && length > 0 ? length - 1 : length;

    if (n > heap->n / size) {
        return too_short(err);
    }
    *n_bytes = (size_t)(n * size);
    return STOA_OK;
}

static void skip(cursor *heap, size_t n)
{
    heap->at += n;
    heap->n -= n;
}

static bool nests(const stoa_vlen_slot *slot)
{
    return slot->items != NULL && slot->items->n_slots > 0;
}

/* Skip the data of one value. */
static stoa_status skip_value(const stoa_vlen_layout *layout, const uint8_t *value, cursor *heap,
                              stoa_error *err)
{
    uint32_t lengths[STOA_SPARSE_MAX_SLOTS];

    stoa_vlen_lengths(layout, value, lengths);
    for (size_t i = 0; i < layout->n_slots; i++) {
        const stoa_vlen_slot *slot = &layout->slots[i];
        size_t n = 0;
        STOA_RETURN_NOT_OK(flat_bytes(slot, lengths[i], heap, &n, err));
        if (!nests(slot)) {
            skip(heap, n);
            continue;
        }
        for (uint32_t k = 0; k < lengths[i]; k++) {
            const uint8_t *item = heap->at;
            if (heap->n < slot->items->packed_size) {
                return too_short(err);
            }
            skip(heap, slot->items->packed_size);
            STOA_RETURN_NOT_OK(skip_value(slot->items, item, heap, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_vlen_measure(const void *layout, const uint8_t *value, const uint8_t *heap,
                              size_t n_heap, size_t *n_bytes, stoa_error *err)
{
    cursor c = {.at = heap, .n = n_heap};

    STOA_RETURN_NOT_OK(skip_value(layout, value, &c, err));
    *n_bytes = n_heap - c.n;
    return STOA_OK;
}

/* --- reading from the sections --------------------------------------------------------------- */

static void *allocate(const stoa_vlen_memory *memory, size_t n, size_t size)
{
    if (memory->allocate == NULL) {
        return stoa_alloc(n, size);
    }
    return n > SIZE_MAX / size ? NULL : memory->allocate(n * size, memory->allocate_info);
}

/* Copy the bytes outside of slots, and clear the slots. */
static void unpack_plain(const stoa_vlen_layout *layout, const uint8_t *value, uint8_t *element)
{
    size_t at = 0;

    for (size_t i = 0; i < layout->n_slots; i++) {
        const stoa_vlen_slot *slot = &layout->slots[i];
        memcpy(element + at, value, slot->offset - at);
        value += slot->offset - at + LENGTH_SIZE;
        refer(slot, element, (referred){NULL, 0});
        at = slot_end(slot);
    }
    memcpy(element + at, value, layout->size - at);
}

static stoa_status unpack_slots(const stoa_vlen_layout *layout, const stoa_vlen_memory *memory,
                                const uint8_t *value, cursor *heap, uint8_t *element,
                                stoa_error *err);

static stoa_status unpack_text(const stoa_vlen_memory *memory, size_t n, cursor *heap,
                               referred *made, stoa_error *err)
{
    char *text = allocate(memory, n + 1, 1);

    STOA_RETURN_NO_MEMORY(err, text);
    if (n > 0) {
        memcpy(text, heap->at, n);
    }
    text[n] = '\0';
    skip(heap, n);
    *made = (referred){text, n};
    return STOA_OK;
}

/* Unpack items that contain variable-length data. All items are valid for release before the first
 * one can fail. */
static stoa_status unpack_items(const stoa_vlen_layout *items, const stoa_vlen_memory *memory,
                                size_t n, cursor *heap, uint8_t *to, stoa_error *err)
{
    memset(to, 0, n * items->size);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *value = heap->at;
        if (heap->n < items->packed_size) {
            return too_short(err);
        }
        skip(heap, items->packed_size);
        unpack_plain(items, value, to + i * items->size);
        STOA_RETURN_NOT_OK(unpack_slots(items, memory, value, heap, to + i * items->size, err));
    }
    return STOA_OK;
}

static stoa_status unpack_slot(const stoa_vlen_slot *slot, const stoa_vlen_memory *memory,
                               uint32_t length, cursor *heap, uint8_t *element, stoa_error *err)
{
    referred made = {NULL, length};
    size_t n_bytes = 0;

    STOA_RETURN_NOT_OK(flat_bytes(slot, length, heap, &n_bytes, err));
    if (length == 0) {
        return STOA_OK;
    }
    if (slot->items == NULL) {
        STOA_RETURN_NOT_OK(unpack_text(memory, n_bytes, heap, &made, err));
        refer(slot, element, made);
        return STOA_OK;
    }
    made.data = allocate(memory, length, slot->items->size);
    STOA_RETURN_NO_MEMORY(err, made.data);
    refer(slot, element, made);
    if (nests(slot)) {
        STOA_RETURN_NOT_OK(unpack_items(slot->items, memory, length, heap, made.data, err));
    } else {
        memcpy(made.data, heap->at, n_bytes);
        skip(heap, n_bytes);
    }
    return STOA_OK;
}

static stoa_status unpack_slots(const stoa_vlen_layout *layout, const stoa_vlen_memory *memory,
                                const uint8_t *value, cursor *heap, uint8_t *element,
                                stoa_error *err)
{
    uint32_t lengths[STOA_SPARSE_MAX_SLOTS];

    stoa_vlen_lengths(layout, value, lengths);
    for (size_t i = 0; i < layout->n_slots; i++) {
        STOA_RETURN_NOT_OK(unpack_slot(&layout->slots[i], memory, lengths[i], heap, element, err));
    }
    return STOA_OK;
}

stoa_status stoa_vlen_unpack(const stoa_vlen_layout *layout, const stoa_vlen_memory *memory,
                             size_t n, const uint8_t *values, const uint8_t *heap, size_t n_heap,
                             uint8_t *elements, stoa_error *err)
{
    cursor c = {.at = heap, .n = n_heap};

    for (size_t i = 0; i < n; i++) {
        unpack_plain(layout, values + i * layout->packed_size, elements + i * layout->size);
    }
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(unpack_slots(layout, memory, values + i * layout->packed_size, &c,
                                        elements + i * layout->size, err));
    }
    return STOA_OK;
}

/* --- writing to the sections ----------------------------------------------------------------- */

static stoa_status pack_value(const stoa_vlen_layout *layout, const uint8_t *element,
                              uint8_t *value, stoa_error *err)
{
    size_t at = 0;

    for (size_t i = 0; i < layout->n_slots; i++) {
        const stoa_vlen_slot *slot = &layout->slots[i];
        const uint64_t length = stored_length(slot, look(slot, element));
        if (length > UINT32_MAX) {
            return stoa_fail(err, STOA_ERANGE,
                             "a string or sequence of %llu is too long for section 2",
                             (unsigned long long)length);
        }
        memcpy(value, element + at, slot->offset - at);
        value += slot->offset - at;
        stoa_put_le32(value, (uint32_t)length);
        value += LENGTH_SIZE;
        at = slot_end(slot);
    }
    memcpy(value, element + at, layout->size - at);
    return STOA_OK;
}

static stoa_status pack_data(const stoa_vlen_layout *layout, const uint8_t *element,
                             stoa_buffer *heap, stoa_error *err)
{
    for (size_t i = 0; i < layout->n_slots; i++) {
        const stoa_vlen_slot *slot = &layout->slots[i];
        const stoa_vlen_layout *items = slot->items;
        const referred r = look(slot, element);
        if (!nests(slot)) {
            const size_t size = items != NULL ? items->size : 1;
            if (r.n > SIZE_MAX / size) {
                return stoa_fail_memory(err);
            }
            STOA_RETURN_NOT_OK(r.n > 0 ? stoa_buffer_append(heap, r.data, r.n * size, err)
                                       : STOA_OK);
            continue;
        }
        for (size_t k = 0; k < r.n; k++) {
            const uint8_t *item = (const uint8_t *)r.data + k * items->size;
            STOA_RETURN_NOT_OK(stoa_buffer_grow(heap, items->packed_size, err));
            STOA_RETURN_NOT_OK(
                pack_value(items, item, heap->data + heap->size - items->packed_size, err));
            STOA_RETURN_NOT_OK(pack_data(items, item, heap, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_vlen_pack(const stoa_vlen_layout *layout, size_t n, const uint8_t *elements,
                           uint8_t *values, uint64_t *lengths, stoa_buffer *heap, stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *element = elements + i * layout->size;
        const size_t before = heap->size;
        STOA_RETURN_NOT_OK(pack_value(layout, element, values + i * layout->packed_size, err));
        STOA_RETURN_NOT_OK(pack_data(layout, element, heap, err));
        lengths[i] = heap->size - before;
    }
    return STOA_OK;
}

/* --- data in memory -------------------------------------------------------------------------- */

static stoa_status collect(const stoa_vlen_layout *layout, size_t n, const uint8_t *elements,
                           stoa_buffer *pointers, stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t s = 0; s < layout->n_slots; s++) {
            const stoa_vlen_slot *slot = &layout->slots[s];
            const referred r = look(slot, elements + i * layout->size);
            if (r.data != NULL) {
                STOA_RETURN_NOT_OK(stoa_buffer_append(pointers, &r.data, sizeof r.data, err));
            }
            if (nests(slot)) {
                STOA_RETURN_NOT_OK(collect(slot->items, r.n, r.data, pointers, err));
            }
        }
    }
    return STOA_OK;
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t one = (uintptr_t) * (void *const *)a;
    const uintptr_t other = (uintptr_t) * (void *const *)b;

    return (one > other) - (one < other);
}

stoa_status stoa_vlen_collect(const stoa_vlen_layout *layout, size_t n, const uint8_t *elements,
                              stoa_buffer *pointers, stoa_error *err)
{
    const stoa_status status = collect(layout, n, elements, pointers, err);

    if (pointers->size > 0) {
        qsort(pointers->data, pointers->size / sizeof(void *), sizeof(void *), by_address);
    }
    return status;
}

static bool is_kept(const stoa_buffer *kept, void *data)
{
    return kept != NULL && kept->size > 0 &&
           bsearch(&data, kept->data, kept->size / sizeof(void *), sizeof(void *), by_address) !=
               NULL;
}

void stoa_vlen_release(const stoa_vlen_layout *layout, const stoa_vlen_memory *memory, size_t n,
                       const uint8_t *elements, const stoa_buffer *kept)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t s = 0; s < layout->n_slots; s++) {
            const stoa_vlen_slot *slot = &layout->slots[s];
            const referred r = look(slot, elements + i * layout->size);
            if (r.data == NULL || is_kept(kept, r.data)) {
                continue;
            }
            if (nests(slot)) {
                stoa_vlen_release(slot->items, memory, r.n, r.data, kept);
            }
            if (memory->free != NULL) {
                memory->free(r.data, memory->free_info);
            } else {
                free(r.data);
            }
        }
    }
}
