/*
 * Conversion of variable-length elements between libhdf5's form in memory (char *, hvl_t) and that
 * of sections 1 and 2 (docs/sparse-format.md §3). They are strings and sequences, also in members
 * of compounds, in arrays, and nested.
 *
 * A layout is the tree of a datatype, reduced to the bytes of an element that refer to other data,
 * and the type of these data.
 */
#ifndef STOA_SPARSE_VLEN_H
#define STOA_SPARSE_VLEN_H

#include "core/memory.h"
#include "hdf/hdf5.h"
#include "sparse/format/format.h"

typedef struct stoa_vlen_layout stoa_vlen_layout;

/* Where an element refers to variable-length data. */
typedef struct stoa_vlen_slot {
    size_t offset;           /* in an element in memory */
    stoa_vlen_layout *items; /* layout of a sequence's items; NULL for a string */
} stoa_vlen_slot;

struct stoa_vlen_layout {
    size_t size;        /* bytes of an element in memory */
    size_t packed_size; /* bytes in section 1, where each slot is a length of 4 bytes */
    size_t n_slots;
    stoa_vlen_slot slots[STOA_SPARSE_MAX_SLOTS]; /* by offset */
};

/*
 * @param type  in memory
 * @param like  only members of compounds that this type has too are included, because libhdf5
 *              converts no others. A negative id includes all
 * @return STOA_ETYPE for more than STOA_SPARSE_MAX_SLOTS slots, for types nested too deep, and for
 *         references
 */
stoa_status stoa_vlen_layout_of(hid_t type, hid_t like, stoa_vlen_layout **layout, stoa_error *err);
/* NULL is allowed. */
void stoa_vlen_layout_free(stoa_vlen_layout *layout);
/* Whether a type is, or contains, a variable-length type. */
bool stoa_vlen_is_in(hid_t type);

/*
 * The size of an element in the file, if each slot has `slot_size` bytes there.
 *
 * @param[out] offsets  of the slots, layout->n_slots of them; may be NULL
 */
size_t stoa_vlen_file_size(const stoa_vlen_layout *layout, size_t slot_size, uint32_t *offsets);
/* Whether a bound format matches this layout. */
bool stoa_vlen_fits(const stoa_vlen_layout *layout, const stoa_sparse_format *format);

/* --- in the sections ------------------------------------------------------------------------- */

/* Bytes of section 2 that belong to one value, if `n_heap` bytes are left of it. STOA_EDATA if
 * these do not suffice. It is a stoa_heap_measure with the layout as its context. */
stoa_status stoa_vlen_measure(const void *layout, const uint8_t *value, const uint8_t *heap,
                              size_t n_heap, size_t *n_bytes, stoa_error *err);

/* The lengths of a value's slots in section 1, layout->n_slots of them. */
void stoa_vlen_lengths(const stoa_vlen_layout *layout, const uint8_t *value, uint32_t *lengths);

/* Allocator of data in memory. NULL functions mean malloc() and free(). */
typedef struct stoa_vlen_memory {
    H5MM_allocate_t allocate;
    void *allocate_info;
    H5MM_free_t free;
    void *free_info;
} stoa_vlen_memory;

/*
 * Convert elements from the sections to memory.
 *
 * @param heap           the data of all elements, one after the other
 * @param[out] elements  n of layout->size bytes; free their data with stoa_vlen_release(), also
 *                       after a failure
 */
stoa_status stoa_vlen_unpack(const stoa_vlen_layout *layout, const stoa_vlen_memory *memory,
                             size_t n, const uint8_t *values, const uint8_t *heap, size_t n_heap,
                             uint8_t *elements, stoa_error *err);
/*
 * Convert elements from memory to the sections.
 *
 * @param[out] values   n of layout->packed_size bytes
 * @param[out] lengths  n; bytes of each element's data, which are appended to `heap`
 * @return STOA_ERANGE if a string or sequence has 2^32 - 1 characters or items, or more
 */
stoa_status stoa_vlen_pack(const stoa_vlen_layout *layout, size_t n, const uint8_t *elements,
                           uint8_t *values, uint64_t *lengths, stoa_buffer *heap, stoa_error *err);

/* A user's fill value in the form of the sections. */
typedef struct stoa_vlen_fill {
    uint8_t *value; /* layout->packed_size bytes */
    stoa_buffer heap;
    bool has_data; /* at least one slot is not empty */
} stoa_vlen_fill;

/*
 * @param type       in memory, with this layout
 * @param[out] fill  zero-initialised by the caller; empty if the list has no fill value. Clear it,
 *                   also after a failure
 */
stoa_status stoa_vlen_fill_of(hid_t dcpl, hid_t type, const stoa_vlen_layout *layout,
                              stoa_vlen_fill *fill, stoa_error *err);
void stoa_vlen_fill_clear(stoa_vlen_fill *fill);

/* --- data in memory -------------------------------------------------------------------------- */

/*
 * Append every pointer (void *) in the elements and in the data they lead to, then sort all. When
 * nothing has to change, libhdf5 converts by copying pointers. Two sets of elements may therefore
 * share data.
 */
stoa_status stoa_vlen_collect(const stoa_vlen_layout *layout, size_t n, const uint8_t *elements,
                              stoa_buffer *pointers, stoa_error *err);
/* Free all data of the elements. Pointers in `kept`, with all they lead to, are not freed; may be
 * NULL. */
void stoa_vlen_release(const stoa_vlen_layout *layout, const stoa_vlen_memory *memory, size_t n,
                       const uint8_t *elements, const stoa_buffer *kept);

/* A conversion between two datatypes in memory. */
typedef struct stoa_vlen_conversion {
    const stoa_vlen_layout *from_layout;
    const stoa_vlen_layout *to_layout;
    hid_t from;
    hid_t to;
    hid_t dxpl;
    const stoa_vlen_memory *memory; /* the allocator of the transfer property list */
} stoa_vlen_conversion;

/*
 * Convert elements in place. Data that only the old elements held are freed. After a failure all
 * data are freed.
 *
 * @param elements    space for the longer elements
 * @param background  same size, the current destination values; may be NULL if neither type is
 *                    compound
 */
stoa_status stoa_vlen_convert(const stoa_vlen_conversion *conversion, size_t n, uint8_t *elements,
                              uint8_t *background, stoa_error *err);

#endif
