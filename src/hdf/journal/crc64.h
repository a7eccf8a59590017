/* CRC-64/XZ, the checksum of journal records. */
#ifndef STOA_HDF_CRC64_H
#define STOA_HDF_CRC64_H

#include <stddef.h>
#include <stdint.h>

/* Built on the stack by each user: no global state, no initialisation order. */
typedef struct stoa_crc64_table {
    uint64_t of[8][256]; /* CRC of a byte that is followed by 0 to 7 zero bytes */
} stoa_crc64_table;

void stoa_crc64_init(stoa_crc64_table *table);

/* Continue a checksum; the first call starts from 0. */
uint64_t stoa_crc64(const stoa_crc64_table *table, uint64_t crc, const void *bytes, size_t n);

#endif
