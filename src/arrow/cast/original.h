/*
 * What type a column had before arrow/cast/normalize.h, where the stored type does not tell: times
 * of day, decimals, binary, and durations within structs.
 *
 * The field has an extension type of this name. Its metadata are the formats of the Arrow C data
 * interface, level by level: "ttu", "d:9,2", "+s(|tDm)". A level that is as stored is empty.
 *
 * Numbers may be stored in a wider type, to have room for a fill value (HEP001 §8.5). Then their
 * own type's name is in the field's metadata instead. Items of lists have such fields, too.
 */
#ifndef STOA_ARROW_ORIGINAL_H
#define STOA_ARROW_ORIGINAL_H

#include "arrow/build.h"
#include "arrow/read.h"
#include "core/memory.h"

#define STOA_ORIGINAL "stoa.original"
#define STOA_ORIGINAL_NUMBER "stoa_arrow_type" /* "int8" */

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

/* The kind of numbers that `name` says, if its values are of the same sort as those of `kind` and
 * no wider; else `kind`. NULL: nothing is said. */
stoa_kind stoa_original_kind(const char *name, stoa_kind kind);

/* Whether a field of these notes takes all values of another one: decimals and times of day do not
 * take all numbers. NULL: no note. */
bool stoa_original_takes(const char *note, const char *other);

#endif
