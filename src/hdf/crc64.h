/* CRC-64/XZ: the checksum of journal records. */
#ifndef STOA_HDF_CRC64_H
#define STOA_HDF_CRC64_H

#include <stddef.h>
#include <stdint.h>

/* Made where it is used, on the stack: no global, no initialisation order. */
typedef struct stoa_crc64_table {
    uint64_t of[8][256]; /* of a byte that 0 to 7 bytes of zeros follow */
} stoa_crc64_table;

void stoa_crc64_init(stoa_crc64_table *table);

/* Continue a checksum; the first call starts from 0. */
uint64_t stoa_crc64(const stoa_crc64_table *table, uint64_t crc, const void *bytes, size_t n);

#endif
