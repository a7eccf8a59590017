/* See checksums.h. H5F_get_checksums() is internal to libhdf5 1.14 and 2.x. */
#include "fuzz/driver/checksums.h"

#include <string.h>

static struct {
    uint8_t *bytes;
    size_t n;
} sealed;

int __real_H5F_get_checksums(const uint8_t *block, size_t size, uint32_t *stored,
                             uint32_t *computed);
int __wrap_H5F_get_checksums(const uint8_t *block, size_t size, uint32_t *stored,
                             uint32_t *computed);

void fuzz_seal_into(uint8_t *bytes, size_t n)
{
    sealed.bytes = bytes;
    sealed.n = n;
}

/* The block as it lies in the file gets its checksum, which is its last four bytes. */
static void seal(const uint8_t *block, size_t size, uint32_t checksum)
{
    for (size_t at = 0; at + size <= sealed.n; at++) {
        if (memcmp(sealed.bytes + at, block, size) == 0) {
            for (size_t i = 0; i < 4; i++) {
                sealed.bytes[at + size - 4 + i] = (uint8_t)(checksum >> (8 * i));
            }
        }
    }
}

int __wrap_H5F_get_checksums(const uint8_t *block, size_t size, uint32_t *stored,
                             uint32_t *computed)
{
    const int result = __real_H5F_get_checksums(block, size, stored, computed);

    if (stored != NULL && computed != NULL && size >= 4 && *stored != *computed) {
        seal(block, size, *computed);
        *computed = *stored;
    }
    return result;
}
