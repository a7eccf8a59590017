/* Decompresses buffers of Arrow's IPC format: LZ4 frames and Zstandard. */
#ifndef STOA_ARROW_IPC_DECOMPRESS_H
#define STOA_ARROW_IPC_DECOMPRESS_H

#include "core/memory.h"

typedef struct stoa_decompressor stoa_decompressor;

stoa_status stoa_decompressor_open(stoa_decompressor **unpacker, stoa_error *err);
void stoa_decompressor_close(stoa_decompressor *unpacker); /* may be NULL */

/* Choose the codec for the next stoa_unpack() calls: a CompressionType of Message.fbs.
 * STOA_EVERSION if it is unknown. */
stoa_status stoa_decompressor_choose(stoa_decompressor *unpacker, uint64_t codec, stoa_error *err);

/*
 * Decompress one buffer.
 * @param size      declared decompressed size; memory is allocated as output comes
 * @param[out] out  must be empty
 * @return STOA_EDATA if the bytes are damaged, or decompress to another size
 */
stoa_status stoa_unpack(stoa_decompressor *unpacker, const uint8_t *bytes, size_t n_bytes,
                        size_t size, stoa_buffer *out, stoa_error *err);

#endif
