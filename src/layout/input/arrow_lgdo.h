/* Arrow data of LEGEND's lgdo: the attributes of a field are its metadata, each encoded as JSON, so
 * that a unit is "keV" with its quotes. `datatype` is among them. */
#ifndef STOA_LAYOUT_ARROW_LGDO_H
#define STOA_LAYOUT_ARROW_LGDO_H

#include "arrow/build.h"

/* Whether a field, or one within it, has such metadata. */
bool stoa_arrow_is_of_lgdo(const struct ArrowSchema *schema);
/* Let a stream of such fields give texts without their quotes. The stream is replaced. */
stoa_status stoa_arrow_plain_texts(struct ArrowArrayStream *stream, stoa_error *err);

#endif
