/*
 * Elements of variable length: strings and sequences, in members of compounds, in arrays, and in
 * each other, between the form libhdf5 has them in memory (char *, hvl_t) and that of sections 1
 * and 2 (docs/sparse-format.md §3).
 *
 * A layout is a datatype's tree with all but its branches taken out: which bytes of an element
 * refer to other data, and what those are.
 */
#ifndef STOA_SPARSE_VLEN_H
#define STOA_SPARSE_VLEN_H

#include "core/memory.h"
#include "hdf/hdf5.h"
#include "sparse/format.h"

typedef struct stoa_vlen_layout stoa_vlen_layout;

/* Where an element refers to data of variable length. */
typedef struct stoa_vlen_slot {
    size_t offset;           /* in an element in memory */
    stoa_vlen_layout *items; /* of a sequence; NULL: a string */
} stoa_vlen_slot;

struct stoa_vlen_layout {
    size_t size;        /* bytes of an element in memory */
    size_t packed_size; /* the same, each slot a length of 4 bytes */
    size_t n_slots;
    stoa_vlen_slot slots[STOA_SPARSE_MAX_SLOTS]; /* by offset */
};

/*
 * @param type  as in memory
 * @param like  members of compounds that this type lacks do not count: libhdf5 converts only those
 *              that both have. A negative id: all count
 * @return STOA_ETYPE for more than STOA_SPARSE_MAX_SLOTS slots, types nested too deep, references
 */
stoa_status stoa_vlen_layout_of(hid_t type, hid_t like, stoa_vlen_layout **layout, stoa_error *err);
/* NULL is fine. */
void stoa_vlen_layout_free(stoa_vlen_layout *layout);
/* Whether elements of a type, or parts of them, are of variable length. */
bool stoa_vlen_is_in(hid_t type);

/*
 * The size of an element in the file where each slot has `slot_size` bytes there.
 *
 * @param[out] offsets  of the slots in it, layout->n_slots of them; may be NULL
 */
size_t stoa_vlen_file_size(const stoa_vlen_layout *layout, size_t slot_size, uint32_t *offsets);
/* Whether a bound format is that of such elements. */
bool stoa_vlen_fits(const stoa_vlen_layout *layout, const stoa_sparse_format *format);

/* --- in the sections ------------------------------------------------------------------------- */

/* Bytes that the data of one value take up in section 2, where `n_heap` are left of it. STOA_EDATA
 * where they do not suffice. A stoa_heap_measure, the layout its context. */
stoa_status stoa_vlen_measure(const void *layout, const uint8_t *value, const uint8_t *heap,
                              size_t n_heap, size_t *n_bytes, stoa_error *err);

/* The lengths of a value's slots, layout->n_slots of them, as section 1 has them. */
void stoa_vlen_lengths(const stoa_vlen_layout *layout, const uint8_t *value, uint32_t *lengths);

/* What holds data in memory; NULL functions are malloc() and free(). */
typedef struct stoa_vlen_memory {
    H5MM_allocate_t allocate;
    void *allocate_info;
    H5MM_free_t free;
    void *free_info;
} stoa_vlen_memory;

/*
 * Elements out of the sections.
 *
 * @param heap           the data of all of them, one after the other
 * @param[out] elements  n of layout->size bytes; after a failure, too, stoa_vlen_release() takes
 *                       back what was allocated
 */
stoa_status stoa_vlen_unpack(const stoa_vlen_layout *layout, const stoa_vlen_memory *memory,
                             size_t n, const uint8_t *values, const uint8_t *heap, size_t n_heap,
                             uint8_t *elements, stoa_error *err);
/*
 * Elements into the sections.
 *
 * @param[out] values   n of layout->packed_size bytes
 * @param[out] lengths  n, bytes of each one's data, which are appended to `heap`
 * @return STOA_ERANGE where one has 2^32 - 1 characters or items, or more
 */
stoa_status stoa_vlen_pack(const stoa_vlen_layout *layout, size_t n, const uint8_t *elements,
                           uint8_t *values, uint64_t *lengths, stoa_buffer *heap, stoa_error *err);

/* A user's fill value in the form of the sections. */
typedef struct stoa_vlen_fill {
    uint8_t *value; /* layout->packed_size bytes */
    stoa_buffer heap;
    bool has_data; /* a slot is not nothing */
} stoa_vlen_fill;

/*
 * @param type  as in memory, of this layout
 * @param[out] fill  zero-initialised before; nothing where the list has none. Clear it, also after
 *                   a failure
 */
stoa_status stoa_vlen_fill_of(hid_t dcpl, hid_t type, const stoa_vlen_layout *layout,
                              stoa_vlen_fill *fill, stoa_error *err);
void stoa_vlen_fill_clear(stoa_vlen_fill *fill);

/* --- what they hold in memory ---------------------------------------------------------------- */

/*
 * Append every pointer in the elements, and in what these lead to (void *), and sort them all.
 * libhdf5 converts by copying pointers where nothing has to change: so two sets of elements may
 * hold the same data.
 */
stoa_status stoa_vlen_collect(const stoa_vlen_layout *layout, size_t n, const uint8_t *elements,
                              stoa_buffer *pointers, stoa_error *err);
/* Free all that elements hold. `kept`: pointers that stay, with all they lead to; may be NULL. */
void stoa_vlen_release(const stoa_vlen_layout *layout, const stoa_vlen_memory *memory, size_t n,
                       const uint8_t *elements, const stoa_buffer *kept);

/* From one datatype in memory to another. */
typedef struct stoa_vlen_conversion {
    const stoa_vlen_layout *from_layout;
    const stoa_vlen_layout *to_layout;
    hid_t from;
    hid_t to;
    hid_t dxpl;
    const stoa_vlen_memory *memory; /* the one that the list asks for */
} stoa_vlen_conversion;

/*
 * Elements in place; what the old ones held and the new ones do not is released. After a failure
 * nothing is held any more.
 *
 * @param elements    room for the longer ones
 * @param background  the same, what is in their place; may be NULL where neither is compound
 */
stoa_status stoa_vlen_convert(const stoa_vlen_conversion *conversion, size_t n, uint8_t *elements,
                              uint8_t *background, stoa_error *err);

#endif
