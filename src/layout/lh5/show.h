/* What an LH5 object is, in a few words, for listings. */
#ifndef STOA_LAYOUT_LH5_SHOW_H
#define STOA_LAYOUT_LH5_SHOW_H

#include "layout/lh5/lh5.h"

typedef struct stoa_lh5_shown {
    stoa_lh5_datatype type; /* empty where the object says nothing */
    char *words;            /* "array<1>{real} · 40 · units ns"; NULL: for want of memory */
    bool is_opened;         /* what is in it are objects of their own: a struct, a table, or a group
                               that says nothing; the parts of others are none */
} stoa_lh5_shown;

/*
 * @param[out] shown  the caller's, cleared by stoa_lh5_shown_clear(), also after a failure
 * @return STOA_EDATA, and others, where the object cannot be read, and why
 */
stoa_status stoa_lh5_show(hid_t object, stoa_lh5_shown *shown, stoa_error *err);
void stoa_lh5_shown_clear(stoa_lh5_shown *shown);

/* The extent of a dataset, "13 x 10", appended; "scalar" where it has none. */
stoa_status stoa_extent_print(hid_t dataset, stoa_buffer *out, stoa_error *err);

#endif
