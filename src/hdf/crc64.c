/* CRC-64 with the ECMA-182 polynomial, reflected, all ones in and out ("CRC-64/XZ"). */
#include "hdf/crc64.h"

#define REFLECTED_POLYNOMIAL UINT64_C(0xC96C5795D7870F42)

void stoa_crc64_init(stoa_crc64_table *table)
{
    for (uint64_t byte = 0; byte < 256; byte++) {
        uint64_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? REFLECTED_POLYNOMIAL : 0);
        }
        table->of[byte] = crc;
    }
}

uint64_t stoa_crc64(const stoa_crc64_table *table, uint64_t crc, const void *bytes, size_t n)
{
    const uint8_t *byte = bytes;

    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc = table->of[(crc ^ byte[i]) & 0xff] ^ (crc >> 8);
    }
    return ~crc;
}
