/* Where a file begins and ends, as src/hdf/superblock.c reads it, seen through stoa_file_open(). */
#include <stoa/file.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

TEST_MAIN(TEST(a_signature_stands_at_the_start_or_at_a_power_of_two_from_512_on),
          TEST(a_superblock_has_48_bytes_at_least), TEST(addresses_have_two_four_or_eight_bytes),
          TEST(the_end_is_where_the_superblock_says), TEST(an_end_that_cannot_be_is_damage))
