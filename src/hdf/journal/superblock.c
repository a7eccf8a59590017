/*
 * HDF5 File Format Specification 3.0, section II.A "Disk Format: Level 0A - Format Signature and
 * Superblock".
 */
#include "hdf/journal/superblock.h"

#include <inttypes.h>
#include <string.h>

#include "hdf/journal/disk.h"

static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* Enough to reach the end-of-file address in every version. */
#define HEAD_SIZE 128

/* The signature is at 0, or at a power of two from 512 on. */
static stoa_status find_signature(const stoa_superblock_source *source, uint64_t *base,
                                  stoa_error *err)
{
    const uint64_t size = source->size;

    for (uint64_t at = 0; at + sizeof signature <= size; at = at == 0 ? 512 : at * 2) {
        uint8_t bytes[sizeof signature];
        const int failed = source->read(source->from, at, bytes, sizeof bytes);
        if (failed != 0) {
            return stoa_fail_errno(err, failed, "cannot read the file");
        }
        if (memcmp(bytes, signature, sizeof signature) == 0) {
            *base = at;
            return STOA_OK;
        }
    }
    return stoa_fail(err, STOA_ELAYOUT,
                     size == 0 ? "is empty, not an HDF5 file" : "is not an HDF5 file");
}

/* Location of the addresses: base, free space (or extension), end of file. False: unsupported
 * size. */
static bool find_addresses(const uint8_t *head, size_t *at, unsigned *size)
{
    const unsigned version = head[8] & 0x7fu; /* without the bar */
    const bool is_old = version < 2;

    *at = !is_old ? 12 : version == 0 ? 24 : 28;
    *size = is_old ? head[13] : head[9];
    return *size == 2 || *size == 4 || *size == 8;
}

/* Whether the address is undefined. */
static bool is_all_ones(const uint8_t *bytes, unsigned n)
{
    bool is = true;

    for (unsigned i = 0; i < n; i++) {
        is = is && bytes[i] == 0xff;
    }
    return is;
}

/* ---- Barring -------------------------------------------------------------------------------- */

#define BARRED_VERSION 0x80u
#define BARRED_END 0x40u /* in the top byte of an 8-byte end of file: no file is that long */

bool stoa_superblock_bar(uint8_t *superblock)
{
    const unsigned version = superblock[8] & ~BARRED_VERSION;
    size_t at;
    unsigned size;

    if (version > STOA_SUPERBLOCK_MAX || !find_addresses(superblock, &at, &size)) {
        return false;
    }
    if (size == 8) {
        superblock[at + 23] |= BARRED_END;
    } else {
        superblock[8] |= BARRED_VERSION;
    }
    return true;
}

bool stoa_superblock_unbar(uint8_t *superblock, uint64_t room)
{
    const unsigned version = superblock[8] & ~BARRED_VERSION;
    size_t at;
    unsigned size;

    if (version > STOA_SUPERBLOCK_MAX || !find_addresses(superblock, &at, &size)) {
        return false;
    }
    const uint64_t base = stoa_little_endian(superblock + at, size);
    const uint64_t said = stoa_little_endian(superblock + at + 2 * (size_t)size, size);
    const uint64_t end = size == 8 ? said & ~((uint64_t)BARRED_END << 56) : said;
    const bool is_barred =
        size == 8 ? end != said && superblock[8] == version : superblock[8] != version;
    if (!is_barred || end < base || end - base >= room) {
        return false; /* damage, not a bar */
    }
    superblock[8] = (uint8_t)version;
    if (size == 8) {
        superblock[at + 23] &= (uint8_t)~BARRED_END;
    }
    return true;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static int read_fd(void *from, uint64_t at, void *out, size_t n)
{
    return stoa_disk_read(*(const int *)from, at, out, n);
}

bool stoa_superblock_find(int fd, uint64_t size, uint64_t *base)
{
    const stoa_superblock_source source = {read_fd, &fd, size};

    return find_signature(&source, base, NULL) == STOA_OK;
}

stoa_status stoa_superblock_read_fd(int fd, uint64_t size, stoa_superblock *superblock,
                                    stoa_error *err)
{
    const stoa_superblock_source source = {read_fd, &fd, size};

    return stoa_superblock_read(&source, superblock, err);
}

stoa_status stoa_superblock_read(const stoa_superblock_source *source, stoa_superblock *superblock,
                                 stoa_error *err)
{
    const uint64_t size = source->size;
    uint8_t head[HEAD_SIZE];
    stoa_superblock found = {0};

    *superblock = found;
    const stoa_status status = find_signature(source, &found.base, err);
    if (status != STOA_OK) {
        return status;
    }
    const int failed = source->read(source->from, found.base, head, sizeof head);
    if (failed != 0) {
        return stoa_fail_errno(err, failed, "cannot read the superblock");
    }
    if (size - found.base < 48) { /* the smallest complete superblock with 8-byte addresses */
        return stoa_fail(err, STOA_EDATA,
                         "is truncated: it ends inside its superblock, after %" PRIu64 " bytes",
                         size);
    }

    found.version = head[8];
    if (found.version > STOA_SUPERBLOCK_MAX) {
        *superblock = found;
        return STOA_OK;
    }
    const bool is_old = found.version < 2;
    size_t addresses;
    unsigned address_size;
    if (!find_addresses(head, &addresses, &address_size)) {
        return stoa_fail(err, STOA_EDATA, "has a damaged superblock: addresses of %u bytes",
                         address_size);
    }
    const uint64_t base = stoa_little_endian(head + addresses, address_size);
    const uint64_t end =
        stoa_little_endian(head + addresses + 2 * (size_t)address_size, address_size);
    if (end < base || end - base > INT64_MAX - found.base) {
        return stoa_fail(err, STOA_EDATA,
                         "has a damaged superblock: it says the file ends at %" PRIu64, end);
    }
    /* A user block that was added to a finished file moves it without changing the addresses. */
    found.end = end - base + found.base;
    found.length_size = is_old ? head[14] : head[10];
    found.address_size = address_size;
    found.chunk_tree_k = found.version == 1 ? (unsigned)stoa_little_endian(head + 24, 2) : 32;
    found.is_extended = !is_old && !is_all_ones(head + addresses + address_size, address_size);
    found.open_to_write = found.version == 3 && (head[11] & 0x05) != 0;
    found.is_swmr = found.open_to_write && (head[11] & 0x05) == 0x05;
    if (found.end > size && !found.is_swmr) { /* a SWMR writer writes this before the data */
        return stoa_fail(err, STOA_EDATA,
                         "is truncated: it has %" PRIu64 " of its %" PRIu64 " bytes", size,
                         found.end);
    }
    *superblock = found;
    return STOA_OK;
}

/* --- numbers --------------------------------------------------------------------------------- */

uint64_t stoa_little_endian(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;

    for (size_t i = size; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

bool stoa_is_power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

unsigned stoa_log2_of(uint64_t power)
{
    unsigned n = 0;

    while (power > 1) {
        power >>= 1;
        n++;
    }
    return n;
}

unsigned stoa_bytes_of(uint64_t most)
{
    unsigned n = 1;

    while (most > UINT8_MAX) {
        most >>= 8;
        n++;
    }
    return n;
}
