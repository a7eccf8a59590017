/* What items of LH5's arrays are stored as, and Arrow's values as such items (LH5 notes §4). */
#ifndef STOA_LAYOUT_LH5_WRITE_ITEMS_H
#define STOA_LAYOUT_LH5_WRITE_ITEMS_H

#include "core/memory.h"
#include "hdf/ids.h"
#include "layout/common/writer.h"
#include "layout/lh5/common/datatype.h"

typedef enum stoa_lh5_item_how {
    STOA_LH5_NUMBERS, /* as they are; times are their ticks */
    STOA_LH5_TRUTHS,  /* a byte each (LH5 notes §4.1) */
    STOA_LH5_TEXTS,   /* of varying length */
    STOA_LH5_WORDS,   /* of fixed length, ASCII padded with NULs, as real files have them (§4.2) */
    STOA_LH5_CODES,   /* labels as the integers of an enum */
    STOA_LH5_RECORDS, /* complex numbers, and other compounds of numbers */
    STOA_LH5_BLOBS    /* bytes of fixed length */
} stoa_lh5_item_how;

typedef struct stoa_lh5_items {
    stoa_lh5_item_how how;
    stoa_lh5_element element;
    const stoa_lh5_datatype *said; /* borrowed; of codes */
    hid_t stored;                  /* types; closed by stoa_lh5_items_close() */
    hid_t memory;
    size_t size; /* of an item in memory */
} stoa_lh5_items;

/* The type of numbers that a stored type is or is made of, "int8", "enum uint16 of 3"; the
 * caller's. Else that of `kind`. */
stoa_status stoa_lh5_number_type(const char *stored, stoa_kind kind, hid_t *type, stoa_error *err);

/* Whether values of the type are items of an array, and not rows of something else. */
bool stoa_lh5_is_item(const struct ArrowSchema *field);

/*
 * @param field  of the items
 * @param notes  the field whose metadata say how they were stored
 * @param path   of the column, for messages
 * @param said   what they say of the type; empty: nothing
 * @return STOA_ETYPE, STOA_ELOSS naming the column
 */
stoa_status stoa_lh5_items_choose(const struct ArrowSchema *field, const struct ArrowSchema *notes,
                                  const char *path, const stoa_column_stats *stats,
                                  const stoa_lh5_datatype *said, stoa_lh5_items *items,
                                  stoa_error *err);
/* All values of a view; *bytes (free()) are view->length items in memory form, which lead into
 * `texts` where they are such. */
stoa_status stoa_lh5_items_take(const stoa_lh5_items *items, const stoa_view *view,
                                stoa_buffer *texts, void **bytes, stoa_error *err);
stoa_status stoa_lh5_items_close(stoa_lh5_items *items, stoa_status status, stoa_error *err);

#endif
