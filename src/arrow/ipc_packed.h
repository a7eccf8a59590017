/* Compressed buffers of Arrow's IPC format: LZ4 frames and Zstandard. */
#ifndef STOA_ARROW_IPC_PACKED_H
#define STOA_ARROW_IPC_PACKED_H

#include "core/memory.h"

typedef struct stoa_unpacker stoa_unpacker;

stoa_status stoa_unpacker_open(stoa_unpacker **unpacker, stoa_error *err);
void stoa_unpacker_close(stoa_unpacker *unpacker); /* NULL is fine */

/* What stoa_unpack() undoes from now on, a CompressionType of Message.fbs. STOA_EVERSION where it
 * is none that is known. */
stoa_status stoa_unpacker_choose(stoa_unpacker *unpacker, uint64_t codec, stoa_error *err);

/*
 * @param size      that is said to come out: memory is asked for as it comes
 * @param[out] out  empty before
 * @return STOA_EDATA where the bytes are damaged, or another number comes out
 */
stoa_status stoa_unpack(stoa_unpacker *unpacker, const uint8_t *bytes, size_t n_bytes, size_t size,
                        stoa_buffer *out, stoa_error *err);

#endif
