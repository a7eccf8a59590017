/* Where a file begins and ends, as src/hdf/journal/superblock.c reads it, seen through
 * stoa_file_open(). */
#include <stoa/file.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hdf/journal/superblock.h"
#include "support/check.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

static const uint8_t signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

static const char *write_bytes(const uint8_t *bytes, size_t n)
{
    const char *path = check_path("a.h5");
    FILE *file = fopen(path, "wb");

    CHECK(file != NULL && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
    return path;
}

/* Opening a file of these bytes fails, with that in the message. */
static void refuse(const uint8_t *bytes, size_t n, const char *says)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    CHECK_STATUS(strstr(says, "is empty") != NULL || strstr(says, "not an HDF5") != NULL
                     ? STOA_ELAYOUT
                     : STOA_EDATA,
                 stoa_file_open(write_bytes(bytes, n), STOA_FILE_READ, &file, &err));
    CHECK_CONTAINS(err.message, says);
}

static bool opens(const uint8_t *bytes, size_t n)
{
    stoa_file *file = NULL;
    const bool does = stoa_file_open(write_bytes(bytes, n), STOA_FILE_READ, &file, NULL) == STOA_OK;

    stoa_file_close(file);
    return does;
}

/* A file that libhdf5 makes, whole, in memory that is the caller's. */
static uint8_t *make(unsigned address_size, unsigned istore_k, H5F_libver_t low, hsize_t user_block,
                     size_t *n)
{
    const char *path = check_path("made.h5");
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    CHECK_H5(H5Pset_sizes(creation, address_size, address_size));
    CHECK_H5(H5Pset_userblock(creation, user_block));
    CHECK_H5(istore_k != 0 ? H5Pset_istore_k(creation, istore_k) : 0);
    CHECK_H5(H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST));
    H5Fclose((hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, creation, access)));
    H5Pclose(access);
    H5Pclose(creation);

    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 16);
    CHECK(file != NULL && bytes != NULL);
    *n = fread(bytes, 1, 1 << 16, file);
    (void)fclose(file);
    return bytes;
}

/* ---- Tests ---------------------------------------------------------------------------------- */

static void a_signature_stands_at_the_start_or_at_a_power_of_two_from_512_on(void)
{
    static uint8_t bytes[5000];

    refuse(bytes, 0, "is empty");
    refuse(signature, 7, "is not an HDF5 file");
    refuse(signature, 8, "ends inside its superblock");
    for (size_t at = 256; at <= 4096; at *= 2) {
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes + at, signature, 8);
        refuse(bytes, at + 7, "is not an HDF5 file");
        refuse(bytes, at + 8, at == 256 ? "is not an HDF5 file" : "ends inside its superblock");
    }
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes + 1536, signature, 8);
    refuse(bytes, sizeof bytes, "is not an HDF5 file");
}

static void a_superblock_has_48_bytes_at_least(void)
{
    uint8_t bytes[600] = {0};

    memcpy(bytes, signature, 8);
    refuse(bytes, 47, "ends inside its superblock");
    refuse(bytes, 48, "addresses of 0 bytes");
    memmove(bytes + 512, bytes, 48);
    memset(bytes, 0, 8);
    refuse(bytes, 512 + 47, "ends inside its superblock, after 559 bytes");
    refuse(bytes, 512 + 48, "addresses of 0 bytes");
}

static void addresses_have_two_four_or_eight_bytes(void)
{
    uint8_t bytes[256] = {0};

    memcpy(bytes, signature, 8);
    for (unsigned version = 0; version < 4; version++) {
        for (unsigned size = 0; size < 20; size++) {
            char says[64];
            memset(bytes + 8, 0, sizeof bytes - 8);
            bytes[8] = (uint8_t)version;
            bytes[version < 2 ? 13 : 9] = (uint8_t)size;
            (void)snprintf(says, sizeof says, "addresses of %u bytes", size);
            if (size != 2 && size != 4 && size != 8) {
                refuse(bytes, sizeof bytes, says);
            }
        }
    }
}

/* Of each version, size of addresses, and place: whole, a byte longer, a byte shorter. */
static void the_end_is_where_the_superblock_says(void)
{
    static const struct {
        unsigned address_size;
        unsigned istore_k;
        H5F_libver_t low;
        unsigned version;
    } kinds[] = {{8, 0, H5F_LIBVER_EARLIEST, 0}, {8, 64, H5F_LIBVER_EARLIEST, 1},
                 {8, 0, H5F_LIBVER_V18, 2},      {8, 0, H5F_LIBVER_V110, 3},
                 {4, 0, H5F_LIBVER_EARLIEST, 0}, {4, 64, H5F_LIBVER_EARLIEST, 1},
                 {4, 0, H5F_LIBVER_V18, 2},      {2, 0, H5F_LIBVER_EARLIEST, 0}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (hsize_t user_block = 0; user_block <= 1024; user_block += 512) {
            size_t n = 0;
            char says[64];
            uint8_t *bytes =
                make(kinds[i].address_size, kinds[i].istore_k, kinds[i].low, user_block, &n);
            CHECK_U64(bytes[user_block + 8], kinds[i].version);
            (void)snprintf(says, sizeof says, "it has %zu of its %zu bytes", n - 1, n);
            refuse(bytes, n - 1, says);
            CHECK(opens(bytes, n));
            bytes[n] = 0;
            CHECK(opens(bytes, n + 1));
            free(bytes);
        }
    }
}

static void put(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static void an_end_that_cannot_be_is_damage(void)
{
    size_t n = 0;
    uint8_t *bytes = make(8, 0, H5F_LIBVER_EARLIEST, 0, &n);

    put(bytes + 40, UINT64_MAX);
    refuse(bytes, n, "damaged superblock: it says the file ends at 18446744073709551615");
    put(bytes + 40, (uint64_t)INT64_MAX + 1);
    refuse(bytes, n, "damaged superblock: it says the file ends at 9223372036854775808");
    put(bytes + 40, INT64_MAX);
    refuse(bytes, n, "of its 9223372036854775807 bytes");
    put(bytes + 24, 2000); /* the base, past the end */
    put(bytes + 40, 1999);
    refuse(bytes, n, "damaged superblock: it says the file ends at 1999");
    free(bytes);

    /* A user block counts. */
    bytes = make(8, 0, H5F_LIBVER_EARLIEST, 512, &n);
    put(bytes + 512 + 40, INT64_MAX);
    refuse(bytes, n, "of its 9223372036854775807 bytes");
    put(bytes + 512 + 24, 0);
    put(bytes + 512 + 40, INT64_MAX - 511);
    refuse(bytes, n, "damaged superblock");
    put(bytes + 512 + 40, INT64_MAX - 512);
    refuse(bytes, n, "of its 9223372036854775807 bytes");
    free(bytes);
}

/* ---- What else it says ----------------------------------------------------------------------- */

static stoa_superblock read_bytes(const uint8_t *bytes, size_t n)
{
    const int fd = open(write_bytes(bytes, n), O_RDONLY);
    stoa_superblock found;
    stoa_error err = STOA_ERROR_INIT;

    CHECK(fd >= 0);
    CHECK_OK(stoa_superblock_read_fd(fd, n, &found, &err), &err);
    CHECK_I64(close(fd), 0);
    return found;
}

static void sizes_and_places_are_those_the_file_was_made_with(void)
{
    static const struct {
        unsigned address_size, istore_k;
        H5F_libver_t low;
        unsigned version, k;
    } kinds[] = {{8, 0, H5F_LIBVER_EARLIEST, 0, 32},
                 {4, 300, H5F_LIBVER_EARLIEST, 1, 300},
                 {8, 64, H5F_LIBVER_EARLIEST, 1, 64},
                 {4, 0, H5F_LIBVER_V18, 2, 32},
                 {8, 0, H5F_LIBVER_V110, 3, 32}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (hsize_t user_block = 0; user_block <= 2048; user_block += 2048) {
            size_t n = 0;
            uint8_t *bytes =
                make(kinds[i].address_size, kinds[i].istore_k, kinds[i].low, user_block, &n);
            stoa_superblock found = read_bytes(bytes, n);
            CHECK_U64(found.version, kinds[i].version);
            CHECK_U64(found.base, user_block);
            CHECK_U64(found.end, n);
            CHECK_U64(found.address_size, kinds[i].address_size);
            CHECK_U64(found.length_size, kinds[i].address_size);
            CHECK_U64(found.chunk_tree_k, kinds[i].k);
            CHECK(!found.is_extended && !found.open_to_write);
            /* The extension's address, where there may be one: behind the base. */
            const size_t at =
                (size_t)user_block + (kinds[i].version < 2 ? 24 + 4 * kinds[i].version : 12);
            for (size_t k = 0; k < kinds[i].address_size; k++) {
                bytes[at + kinds[i].address_size + k] ^= 1;
                found = read_bytes(bytes, n);
                CHECK(found.is_extended == (kinds[i].version >= 2));
                bytes[at + kinds[i].address_size + k] ^= 1;
            }
            for (unsigned flags = 1; flags < 16; flags++) { /* in use, of a writer, for readers */
                const uint8_t kept = bytes[user_block + 11];
                bytes[user_block + 11] = (uint8_t)flags;
                found = read_bytes(bytes, n);
                CHECK(found.open_to_write == (kinds[i].version == 3 && (flags & 5) != 0));
                CHECK(found.is_swmr == (kinds[i].version == 3 && (flags & 5) == 5));
                bytes[user_block + 11] = kept;
            }
            bytes[user_block + 8] = 4;
            found = read_bytes(bytes, n);
            CHECK_U64(found.version, 4); /* of which nothing else is known */
            CHECK_U64(found.base, user_block);
            CHECK(found.end == 0 && found.address_size == 0 && found.length_size == 0);
            free(bytes);
        }
    }
}

/* Lengths have a size of their own. */
static void lengths_are_not_addresses(void)
{
    const size_t places[] = {14, 14, 10, 10};

    for (unsigned version = 0; version < 4; version++) {
        uint8_t bytes[200] = {0};
        memcpy(bytes, signature, 8);
        bytes[8] = (uint8_t)version;
        bytes[version < 2 ? 13 : 9] = 8;
        bytes[places[version]] = 4;
        const stoa_superblock found = read_bytes(bytes, sizeof bytes);
        CHECK_U64(found.length_size, 4);
        CHECK_U64(found.address_size, 8);
    }
}

/* A user block put in front of a finished file moves it without rewriting the addresses. */
static void a_file_that_was_moved_ends_further_on(void)
{
    size_t n = 0;
    uint8_t *bytes = make(8, 0, H5F_LIBVER_V18, 0, &n);
    uint8_t *moved = calloc(1, n + 512);

    CHECK(moved != NULL);
    memcpy(moved + 512, bytes, n);
    const stoa_superblock found = read_bytes(moved, n + 512);
    CHECK_U64(found.base, 512);
    CHECK_U64(found.end, n + 512);
    refuse(moved, n + 511, "is truncated");
    free(moved);
    free(bytes);
}

/* ---- The bar ----------------------------------------------------------------------------------
 */

/* Bit 62 of an end of eight bytes, else the top bit of the version; the other bytes stay. */
static void a_bar_is_one_bit_and_goes_without_a_trace(void)
{
    for (unsigned version = 0; version < 4; version++) {
        for (unsigned size = 2; size <= 8; size *= 2) {
            const size_t base_at = version == 0 ? 24 : version == 1 ? 28 : 12;
            const size_t bit_at = size == 8 ? base_at + 23 : 8;
            uint8_t old[128];
            uint8_t bytes[128];
            for (size_t i = 0; i < sizeof old; i++) {
                old[i] = (uint8_t)(i & 0x3f);
            }
            old[8] = (uint8_t)version;
            old[version < 2 ? 13 : 9] = (uint8_t)size;
            memset(old + base_at, 0, 3 * (size_t)size);
            old[base_at] = 16;                     /* the base, */
            old[base_at + 2 * (size_t)size] = 116; /* and the end: 100 bytes */
            memcpy(bytes, old, sizeof old);
            CHECK(!stoa_superblock_unbar(bytes, 101));
            CHECK_MEM(bytes, old, sizeof old);
            CHECK(stoa_superblock_bar(bytes));
            old[bit_at] ^= size == 8 ? 0x40 : 0x80;
            CHECK_MEM(bytes, old, sizeof old);
            CHECK(stoa_superblock_bar(bytes));
            CHECK_MEM(bytes, old, sizeof old);
            CHECK(!stoa_superblock_unbar(bytes, 100)); /* it must be longer than it says */
            CHECK(!stoa_superblock_unbar(bytes, 0));
            CHECK_MEM(bytes, old, sizeof old);
            bytes[base_at] = 117; /* it ends before it begins */
            CHECK(!stoa_superblock_unbar(bytes, 1000));
            bytes[base_at] = 16;
            if (size == 8) { /* both at once are of no bar of ours */
                bytes[8] |= 0x80;
                CHECK(!stoa_superblock_unbar(bytes, 101));
                bytes[8] &= 0x7f;
            }
            CHECK(stoa_superblock_unbar(bytes, 101));
            old[bit_at] ^= size == 8 ? 0x40 : 0x80;
            CHECK_MEM(bytes, old, sizeof old);
        }
    }
}

static void what_is_not_known_is_not_barred(void)
{
    uint8_t bytes[128] = {0};

    bytes[8] = 4;
    bytes[9] = 8;
    CHECK(!stoa_superblock_bar(bytes) && !stoa_superblock_unbar(bytes, 1000));
    bytes[8] = 2;
    bytes[9] = 3;
    CHECK(!stoa_superblock_bar(bytes) && !stoa_superblock_unbar(bytes, 1000));
    CHECK(bytes[8] == 2 && bytes[35] == 0);
}

TEST_MAIN(TEST(sizes_and_places_are_those_the_file_was_made_with), TEST(lengths_are_not_addresses),
          TEST(a_file_that_was_moved_ends_further_on),
          TEST(a_bar_is_one_bit_and_goes_without_a_trace), TEST(what_is_not_known_is_not_barred),
          TEST(a_signature_stands_at_the_start_or_at_a_power_of_two_from_512_on),
          TEST(a_superblock_has_48_bytes_at_least), TEST(addresses_have_two_four_or_eight_bytes),
          TEST(the_end_is_where_the_superblock_says), TEST(an_end_that_cannot_be_is_damage))
