/*
 * What type a column had before arrow/cast/normalize.h, where the stored type does not tell: times
 * of day, decimals, binary, and durations within structs.
 *
 * The field has an extension type of this name. Its metadata are the formats of the Arrow C data
 * interface, level by level: "ttu", "d:9,2", "+s(|tDm)". A level that is as stored is empty.
 */
#ifndef STOA_ARROW_ORIGINAL_H
#define STOA_ARROW_ORIGINAL_H

#include "arrow/build.h"
#include "core/memory.h"

#define STOA_ORIGINAL "stoa.original"

/* Whether the type would be noted. */
bool stoa_original_is_needed(const struct ArrowSchema *field);
/* Note in the field `to` what type `from` is. Does nothing if `to` tells that itself. */
stoa_status stoa_original_note(const struct ArrowSchema *from, struct ArrowSchema *to,
                               stoa_error *err);

/*
 * Make the field of the noted type.
 *
 * @param[out] out  released if nothing is noted, or if it is for another type
 */
stoa_status stoa_original_of(const struct ArrowSchema *field, struct ArrowSchema *out,
                             stoa_error *err);

/* Whether a field of these notes takes all values of another one: decimals and times of day do not
 * take all numbers. NULL: no note. */
bool stoa_original_takes(const char *note, const char *other);

#endif
