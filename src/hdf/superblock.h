/* The first structure of an HDF5 file, as far as opening it safely needs it. */
#ifndef STOA_HDF_SUPERBLOCK_H
#define STOA_HDF_SUPERBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* --- numbers of the file format -------------------------------------------------------------- */

/* The number in the first `size` bytes, at most 8. */
uint64_t stoa_little_endian(const uint8_t *bytes, size_t size);
bool stoa_is_power_of_two(uint64_t n);
unsigned stoa_log2_of(uint64_t power);
/* Bytes that a number up to `most` takes up. */
unsigned stoa_bytes_of(uint64_t most);

/* --- the superblock -------------------------------------------------------------------------- */

/* Where a superblock lies, it lies within one of these: a medium writes one wholly or not at all.
 */
#define STOA_SECTOR_SIZE ((uint64_t)512)

/* The newest version we know the fields of. */
#define STOA_SUPERBLOCK_MAX 3

typedef struct stoa_superblock {
    unsigned version;
    uint64_t base; /* where the superblock starts: the size of the user block */
    uint64_t end;  /* one past the last byte that belongs to the file; 0 if version is unknown */
    unsigned length_size;  /* bytes of a length anywhere in the file; 0 if version is unknown */
    unsigned address_size; /* bytes of an address anywhere in the file; 0 likewise */
    unsigned chunk_tree_k; /* half the entries of a node in version 1 B-trees of chunks, if the
                              superblock says it; else as libhdf5 has it by default */
    bool is_extended;      /* it may have a heap of messages that objects share, and more */
    bool open_to_write;    /* a program has, or had when it was killed, the file open to write */
} stoa_superblock;

/* Bytes of a file of `size` bytes, wherever they come from; zeros past its end. 0 or an errno. */
typedef struct stoa_superblock_source {
    int (*read)(void *from, uint64_t at, void *out, size_t n);
    void *from;
    uint64_t size;
} stoa_superblock_source;

/* STOA_ELAYOUT: no HDF5 file; STOA_EDATA: damaged, or the file is shorter than its superblock says.
 * A version that is too new is no failure here. */
stoa_status stoa_superblock_read(const stoa_superblock_source *source, stoa_superblock *superblock,
                                 stoa_error *err);
stoa_status stoa_superblock_read_fd(int fd, uint64_t size, stoa_superblock *superblock,
                                    stoa_error *err);

/* Where the superblock of a file lies; false: it has none, or cannot be read. */
bool stoa_superblock_find(int fd, uint64_t size, uint64_t *base);
/*
 * Change a superblock in memory so that no HDF5 library opens its file: bit 62 of its end-of-file
 * address is set, so that the file seems truncated; where addresses are shorter, the top bit of its
 * version. Its checksum, where it has one, does not hold. False: not known how.
 */
bool stoa_superblock_bar(uint8_t *superblock);
/* ... and back; `room` bytes of the file begin with it, more than it says while a change is under
 * way. False: it is not barred. */
bool stoa_superblock_unbar(uint8_t *superblock, uint64_t room);

#endif
