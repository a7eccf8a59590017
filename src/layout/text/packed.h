/* Text that is compressed as it is written. */
#ifndef STOA_LAYOUT_PACKED_H
#define STOA_LAYOUT_PACKED_H

#include <stdbool.h>
#include <stdio.h>

#include "core/error.h"

/* Whether a file of that name is compressed: it ends in .gz or .zst. */
bool stoa_packed_is_one(const char *name);
/*
 * Open a stream that writes compressed bytes into another one, which stays the caller's. Closing it
 * writes the end; fclose() fails if that, or a write before, has failed.
 *
 * @param name  of the file, whose suffix says how
 */
stoa_status stoa_packed_open(FILE *to, const char *name, FILE **packed, stoa_error *err);

#endif
