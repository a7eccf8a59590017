/* The user's attributes of a table: those that belong neither to the layout nor to HEP001. */
#ifndef STOA_LAYOUT_USER_ATTRIBUTE_H
#define STOA_LAYOUT_USER_ATTRIBUTE_H

#include "arrow/read.h"
#include "table/open/table.h"

/* Borrowed for the call. */
typedef struct stoa_user_attribute {
    const char *name;
    const stoa_view *values; /* `n` of them; NULL if `text` is set */
    int64_t n;
    bool is_scalar;
    /* The value of a pickle, as JSON. A value that cannot be shown, as 0x and hexadecimal bytes. */
    const char *text;
} stoa_user_attribute;

typedef stoa_status (*stoa_user_attribute_visit)(void *context, const stoa_user_attribute *note,
                                                 stoa_error *err);

/* encoding-type and encoding-version, NULL-ended: AnnData's, which HEP001 lets through as texts
 * (§13.3). */
extern const char *const stoa_attribute_encodings[];

/* Whether HEP001 gives the name a meaning on a table or column (§7, §13), or Stoa does. */
bool stoa_attribute_is_of_hep001(const char *name);

#endif
