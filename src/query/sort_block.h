/*
 * Arrays as bytes of a temporary file, and back: buffers one after the other. Dictionaries stay in
 * memory. The file is ours alone, so what is read back is what was written.
 */
#ifndef STOA_QUERY_SORT_BLOCK_H
#define STOA_QUERY_SORT_BLOCK_H

#include "arrow/build.h"

/* Bytes of memory that the array's rows take up, roughly. */
stoa_status stoa_array_bytes(const struct ArrowSchema *schema, const struct ArrowArray *array,
                             uint64_t *n_bytes, stoa_error *err);
/* Append an array that begins with its buffers, as stoa_take() makes them. */
stoa_status stoa_array_pack(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            stoa_buffer *out, stoa_error *err);
/*
 * The array that was packed at *from, which moves on behind it.
 *
 * @param frame  any array of the type; the new one shares its dictionaries
 */
stoa_status stoa_array_unpack(const struct ArrowSchema *schema, struct ArrowArray *frame,
                              const uint8_t **from, struct ArrowArray *out, stoa_error *err);

#endif
