/* The superblock of an HDF5 file, as far as it is needed to open the file safely. */
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
/* Bytes needed to store numbers up to `most`. */
unsigned stoa_bytes_of(uint64_t most);

/* --- the superblock -------------------------------------------------------------------------- */

/* A superblock lies within one sector, which a medium writes atomically. */
#define STOA_SECTOR_SIZE ((uint64_t)512)

/* The newest version whose fields are known here. */
#define STOA_SUPERBLOCK_MAX 3

typedef struct stoa_superblock {
    unsigned version;
    uint64_t base; /* where the superblock starts: the size of the user block */
    uint64_t end;  /* one past the last byte of the file's content; 0 if version is unknown */
    unsigned length_size;  /* bytes of a length anywhere in the file; 0 if version is unknown */
    unsigned address_size; /* bytes of an address anywhere in the file; 0 likewise */
    unsigned chunk_tree_k; /* half the entries of a node in version 1 B-trees of chunks: from the
                              superblock, or libhdf5's default */
    bool is_extended;      /* it has an extension, for example with shared messages */
    bool is_swmr;          /* marked as open for SWMR writing, too: it may be read meanwhile */
    bool open_to_write;    /* marked as open for writing: by a running program or a killed one */
} stoa_superblock;

/* Reads from a file of `size` bytes; zeros past its end. Returns 0 or an errno value. */
typedef struct stoa_superblock_source {
    int (*read)(void *from, uint64_t at, void *out, size_t n);
    void *from;
    uint64_t size;
} stoa_superblock_source;

/* STOA_ELAYOUT: not an HDF5 file. STOA_EDATA: damaged, or the file is shorter than its superblock
 * says. A version that is too new is not a failure here. */
stoa_status stoa_superblock_read(const stoa_superblock_source *source, stoa_superblock *superblock,
                                 stoa_error *err);
stoa_status stoa_superblock_read_fd(int fd, uint64_t size, stoa_superblock *superblock,
                                    stoa_error *err);

/* Find the superblock of a file. False: it has none, or cannot be read. */
bool stoa_superblock_find(int fd, uint64_t size, uint64_t *base);
/* Change a superblock in memory so that no HDF5 library opens its file. Bit 62 of the end-of-file
 * address is set, so the file seems truncated. With shorter addresses, the top bit of the version
 * is set. The superblock's checksum, if it has one, does not match. False: the superblock is not
 * known here. */
bool stoa_superblock_bar(uint8_t *superblock);
/* Undo that. `room` is the number of bytes from the superblock to the end of the file. During a
 * change they exceed the end that the superblock states. False: it is not barred. */
bool stoa_superblock_unbar(uint8_t *superblock, uint64_t room);

#endif
