/* CRC-64 with the ECMA-182 polynomial, reflected, all ones in and out ("CRC-64/XZ"). */
#include "hdf/journal/crc64.h"

#define REFLECTED_POLYNOMIAL UINT64_C(0xC96C5795D7870F42)

void stoa_crc64_init(stoa_crc64_table *table)
{
    for (uint64_t byte = 0; byte < 256; byte++) {
        uint64_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? REFLECTED_POLYNOMIAL : 0);
        }
        table->of[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++) {
        for (int byte = 0; byte < 256; byte++) {
            const uint64_t crc = table->of[k - 1][byte];
            table->of[k][byte] = table->of[0][crc & 0xff] ^ (crc >> 8);
        }
    }
}

/* Eight bytes at once: unlike a byte-wise loop, the table lookups are independent of each other. */
static uint64_t add_eight(const stoa_crc64_table *table, uint64_t crc, const uint8_t *byte)
{
    uint64_t sum = 0;

    for (int k = 0; k < 8; k++) {
        sum ^= table->of[7 - k][((crc >> (8 * k)) ^ byte[k]) & 0xff];
    }
    return sum;
}

uint64_t stoa_crc64(const stoa_crc64_table *table, uint64_t crc, const void *bytes, size_t n)
{
    const uint8_t *byte = bytes;
    size_t i = 0;

    crc = ~crc;
    for (; n - i >= 8; i += 8) {
        crc = add_eight(table, crc, byte + i);
    }
    for (; i < n; i++) {
        crc = table->of[0][(crc ^ byte[i]) & 0xff] ^ (crc >> 8);
    }
    return ~crc;
}
