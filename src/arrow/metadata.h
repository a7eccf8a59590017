/* Key-value metadata of the Arrow C data interface. It is an int32 count of pairs in native byte
 * order. For each pair follow an int32 length and the key, then an int32 length and the value. NULL
 * means no pairs. */
#ifndef STOA_ARROW_METADATA_H
#define STOA_ARROW_METADATA_H

#include "core/memory.h"

/* Size of the encoded metadata in bytes; 0 for NULL. */
size_t stoa_metadata_size(const char *metadata);
/* Find the value of a key; false if absent. The value is borrowed. */
bool stoa_metadata_find(const char *metadata, const char *key, const char **value, size_t *length);
/* Called for each pair in turn until a call fails. Texts are NUL-terminated, and borrowed for the
 * call. */
typedef stoa_status stoa_metadata_visitor(void *context, const char *key, const char *value,
                                          stoa_error *err);
stoa_status stoa_metadata_visit(const char *metadata, stoa_metadata_visitor *visit, void *context,
                                stoa_error *err);
/* Append to `out` the metadata with one pair added, or replaced in its place. */
stoa_status stoa_metadata_with(const char *metadata, const char *key, const char *value,
                               stoa_buffer *out, stoa_error *err);

#endif
