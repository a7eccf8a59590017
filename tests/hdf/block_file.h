/* Files with a block of HDF5 metadata, and the verdict of src/hdf/format/blocks.c on it. */
#ifndef STOA_TESTS_HDF_BLOCK_FILE_H
#define STOA_TESTS_HDF_BLOCK_FILE_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hdf/format/blocks.h"
#include "support/check.h"

static inline void put(uint8_t *bytes, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static const stoa_superblock wide = {.version = 0,
                                     .length_size = 8,
                                     .address_size = 8,
                                     .chunk_tree_k = 32};

/* Create the file. It is in memory if possible, because a test makes a thousand of them. */
static inline int block_file(const uint8_t *file, size_t size)
{
#if defined(__linux__)
    const int fd = memfd_create("blocks", MFD_CLOEXEC);
#else
    const int fd = open(check_path("blocks"), O_RDWR | O_CREAT | O_TRUNC, 0666);
#endif
    CHECK(fd >= 0 && pwrite(fd, file, size, 0) == (ssize_t)size);
    return fd;
}

/* Whether stoa_block_fault() accepts the `n` bytes at `at` of a file. */
static inline bool is_fit(const uint8_t *file, size_t size, size_t at, size_t n,
                          const stoa_superblock *how, bool is_data)
{
    stoa_journal *journal = NULL;
    const int fd = block_file(file, size);

    CHECK_OK(stoa_journal_plain(fd, &journal, NULL));
    const stoa_block block = {.file = how,
                              .journal = journal,
                              .address = at,
                              .bytes = file + at,
                              .n = n,
                              .is_data = is_data,
                              .is_object = !is_data};
    const bool fit = stoa_block_fault(&block) == NULL;
    stoa_journal_end_transaction(journal);
    CHECK(close(fd) == 0);
    return fit;
}

#endif
