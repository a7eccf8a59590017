/* How the items of LH5 arrays are stored, and how Arrow values become such items (LH5 notes §4). */
#ifndef STOA_LAYOUT_LH5_WRITE_ITEMS_H
#define STOA_LAYOUT_LH5_WRITE_ITEMS_H

#include "core/memory.h"
#include "hdf/ids.h"
#include "layout/common/writer.h"
#include "layout/lh5/common/datatype.h"

typedef enum stoa_lh5_item_how {
    STOA_LH5_NUMBERS, /* unchanged; times become ticks */
    STOA_LH5_TRUTHS,  /* one byte each (LH5 notes §4.1) */
    STOA_LH5_TEXTS,   /* variable length */
    STOA_LH5_WORDS,   /* fixed length, ASCII padded with NULs, as in real files (§4.2) */
    STOA_LH5_CODES,   /* labels, stored as the integers of an enum */
    STOA_LH5_RECORDS, /* complex numbers and other compounds of numbers */
    STOA_LH5_BLOBS    /* bytes of fixed length */
} stoa_lh5_item_how;

typedef struct stoa_lh5_items {
    stoa_lh5_item_how how;
    stoa_lh5_element element;
    const stoa_lh5_datatype *said; /* borrowed; the enum of STOA_LH5_CODES */
    hid_t stored; /* datatypes in the file and in memory; closed by stoa_lh5_items_close() */
    hid_t memory;
    size_t size; /* bytes of an item in memory */
} stoa_lh5_items;

/* The number type that a stored type is, or is based on: "int8", "enum uint16 of 3". If `stored`
 * names none, the type of `kind`. The caller closes it. */
stoa_status stoa_lh5_number_type(const char *stored, stoa_kind kind, hid_t *type, stoa_error *err);

/* Whether values of the type are array items. Other types need an object of their own. */
bool stoa_lh5_is_item(const struct ArrowSchema *field);

/*
 * Choose how items are stored.
 *
 * @param field  field of the items
 * @param notes  field whose metadata say how the items were stored
 * @param path   path of the column, for messages
 * @param said   datatype that the metadata declare; empty if they declare none
 * @return STOA_ETYPE or STOA_ELOSS naming the column
 */
stoa_status stoa_lh5_items_choose(const struct ArrowSchema *field, const struct ArrowSchema *notes,
                                  const char *path, const stoa_column_stats *stats,
                                  const stoa_lh5_datatype *said, stoa_lh5_items *items,
                                  stoa_error *err);
/* Convert all values of a view. *bytes holds view->length items in memory form; free it with
 * free(). Texts point into `texts`. */
stoa_status stoa_lh5_items_convert(const stoa_lh5_items *items, const stoa_view *view,
                                   stoa_buffer *texts, void **bytes, stoa_error *err);
stoa_status stoa_lh5_items_close(stoa_lh5_items *items, stoa_status status, stoa_error *err);

#endif
