/*
 * Arrays as bytes of a temporary file, and back: their buffers, one after the other. Dictionaries
 * stay in memory. Only this process writes the file, so the bytes read are trusted.
 */
#ifndef STOA_QUERY_SORT_BLOCK_H
#define STOA_QUERY_SORT_BLOCK_H

#include "arrow/build.h"

/* Memory used by the array's rows, estimated in bytes. */
stoa_status stoa_array_bytes(const struct ArrowSchema *schema, const struct ArrowArray *array,
                             uint64_t *n_bytes, stoa_error *err);
/* Append an array with an offset of 0, as stoa_take() makes them. */
stoa_status stoa_array_pack(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            stoa_buffer *out, stoa_error *err);
/*
 * Unpack the array at *from, which is advanced past it.
 *
 * @param frame  any array of the type; the new array shares its dictionaries
 */
stoa_status stoa_array_unpack(const struct ArrowSchema *schema, struct ArrowArray *frame,
                              const uint8_t **from, struct ArrowArray *out, stoa_error *err);

#endif
