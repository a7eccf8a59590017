/*
 * Key-value metadata of the Arrow C data interface: a native int32 count of pairs, then for every
 * pair an int32 length and the key, an int32 length and the value. NULL is "no pairs".
 */
#ifndef STOA_ARROW_METADATA_H
#define STOA_ARROW_METADATA_H

#include "core/memory.h"

/* Bytes of the encoded metadata, 0 for NULL. */
size_t stoa_metadata_size(const char *metadata);
/* The value of a key; false if absent. Borrowed. */
bool stoa_metadata_find(const char *metadata, const char *key, const char **value, size_t *length);
/* Every pair in turn, until a call fails. Texts are terminated, and borrowed for the call. */
typedef stoa_status stoa_metadata_visitor(void *context, const char *key, const char *value,
                                          stoa_error *err);
stoa_status stoa_metadata_visit(const char *metadata, stoa_metadata_visitor *visit, void *context,
                                stoa_error *err);
/* Append to `out` the metadata with one pair added, or replaced where it stood. */
stoa_status stoa_metadata_with(const char *metadata, const char *key, const char *value,
                               stoa_buffer *out, stoa_error *err);

#endif
