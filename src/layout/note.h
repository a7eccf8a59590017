/* What users noted of a table: attributes that are neither the layout's nor HEP001's. */
#ifndef STOA_LAYOUT_NOTE_H
#define STOA_LAYOUT_NOTE_H

#include "arrow/read.h"
#include "table/table.h"

/* Borrowed for the call. */
typedef struct stoa_note {
    const char *name;
    const stoa_view *values; /* `n` of them; NULL: see text */
    int64_t n;
    bool is_scalar;
    const char *text; /* a pickle's value, as JSON; what cannot be said, as 0x and bytes */
} stoa_note;

typedef stoa_status (*stoa_note_visit)(void *context, const stoa_note *note, stoa_error *err);

/* Names that mean something on a HEP001 table or column (§7, §13), and Stoa's own. */
bool stoa_note_is_of_hep001(const char *name);

#endif
