/*
 * Writes a column of lists as a VLArray of PyTables (PyTables notes §6).
 *
 * Items are what cells of a Table are. Byte strings are a VLArray of `vlstring`, and strings can be
 * one of `vlunicode`. A VLArray has no missing rows, and no lists in lists.
 */
#ifndef STOA_LAYOUT_PYTABLES_VLARRAY_H
#define STOA_LAYOUT_PYTABLES_VLARRAY_H

#include "layout/pytables/pytables.h"

/* Metadata of a field that was a VLArray of a pseudo-atom, which is its value: "vlstring",
 * "vlunicode" or "object". HEP001 keeps it as an attribute of the column. */
#define STOA_PYTABLES_ATOM "pytables.atom"
#define STOA_PYTABLES_ATOM_ATTRIBUTE "stoa_pytables_atom"

/* What a row of the VLArray is made of. */
typedef enum stoa_vlarray_form {
    STOA_VLARRAY_NONE,   /* not for a VLArray */
    STOA_VLARRAY_ITEMS,  /* cells */
    STOA_VLARRAY_BYTES,  /* the bytes of a binary string */
    STOA_VLARRAY_POINTS, /* the code points of a string */
} stoa_vlarray_form;

/* The form for the column of a field, which a Table cannot hold. `alone`: for the only column of a
 * source, strings that were in a VLArray are for one, too. */
stoa_vlarray_form stoa_vlarray_form_of(const struct ArrowSchema *field, bool alone);

/* Start from STOA_VLARRAY_INIT. Close it also after a failure. */
typedef struct stoa_vlarray {
    stoa_vlarray_form form;
    struct ArrowSchema items; /* shallow: the field of the items, with the column's name */
    stoa_pack item;
    hid_t dataset; /* unnamed; it has the rows of the source */
    hid_t type;    /* of a row */
    stoa_chunk_writer writer;
    stoa_buffer packed; /* items of some rows */
    hvl_t *rows;
} stoa_vlarray;

#define STOA_VLARRAY_INIT                                                                          \
    {                                                                                              \
        .item = {.stored = H5I_INVALID_HID}, .dataset = H5I_INVALID_HID, .type = H5I_INVALID_HID,  \
        .writer = STOA_CHUNK_WRITER_INIT                                                           \
    }

/*
 * Make an unnamed VLArray for column i of the source.
 *
 * @param file   any object of the target file
 * @param title  its TITLE
 * @return STOA_ETYPE or STOA_ELOSS, naming the column that a VLArray cannot hold
 */
stoa_status stoa_vlarray_open(stoa_vlarray *to, const stoa_layout_source *source, size_t i,
                              hid_t file, const char *title, stoa_error *err);
/* Write a batch of the column. Its first row is row `first` of the source. */
stoa_status stoa_vlarray_put(stoa_vlarray *to, const stoa_view *column, uint64_t first,
                             stoa_error *err);
stoa_status stoa_vlarray_close(stoa_vlarray *to, stoa_status status, stoa_error *err);

#endif
