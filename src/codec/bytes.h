/* Reads and writes numbers in chunk headers, independent of this machine's byte order. */
#ifndef STOA_CODEC_BYTES_H
#define STOA_CODEC_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint32_t stoa_get_be32(const uint8_t *from)
{
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static inline uint64_t stoa_get_be64(const uint8_t *from)
{
    return (uint64_t)stoa_get_be32(from) << 32 | stoa_get_be32(from + 4);
}

static inline void stoa_put_be32(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 24);
    to[1] = (uint8_t)(value >> 16);
    to[2] = (uint8_t)(value >> 8);
    to[3] = (uint8_t)value;
}

static inline void stoa_put_be64(uint8_t *to, uint64_t value)
{
    stoa_put_be32(to, (uint32_t)(value >> 32));
    stoa_put_be32(to + 4, (uint32_t)value);
}

static inline uint32_t stoa_get_le32(const uint8_t *from)
{
    return (uint32_t)from[3] << 24 | (uint32_t)from[2] << 16 | (uint32_t)from[1] << 8 | from[0];
}

static inline uint64_t stoa_get_le64(const uint8_t *from)
{
    return (uint64_t)stoa_get_le32(from + 4) << 32 | stoa_get_le32(from);
}

/* One store: compilers do not merge four of them. */
static inline void stoa_put_le32(uint8_t *to, uint32_t value)
{
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) {
        value = __builtin_bswap32(value);
    }
    memcpy(to, &value, sizeof value);
}

static inline void stoa_put_le64(uint8_t *to, uint64_t value)
{
    stoa_put_le32(to, (uint32_t)value);
    stoa_put_le32(to + 4, (uint32_t)(value >> 32));
}

#endif
