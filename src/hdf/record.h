/*
 * The journal record: the new bytes of pages that a transaction is about to overwrite, written
 * after the end of the file, so that an interrupted overwriting can be done again
 * (docs/crash-safety.md).
 *
 * All numbers are little-endian:
 *
 *      header   "STOAJRNL"  u32 version = 1  u32 zero  u64 new end of the file  u64 number of runs
 *      a run    u64 address  u64 length  `length` bytes, page after page
 *      footer   u64 where the header starts  u64 CRC-64 of header and runs
 *               u64 CRC-64 of those two numbers  "STOAJEND"
 *
 * The footer is the last of the file; a record that is whole in every checksum is a commit. It is
 * written for itself, once everything else is on the medium.
 */
#ifndef STOA_HDF_RECORD_H
#define STOA_HDF_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "hdf/pages.h"

/* Bytes that move through memory at a time. Whoever calls the functions below brings a buffer of
 * that size: past the commit point nothing is allocated. */
#define STOA_RECORD_BUFFER ((size_t)1 << 20)

/* Pages below `end` in the order of their addresses. */
typedef struct stoa_record_pages {
    stoa_page **pages;
    size_t count;
    uint64_t end;          /* the new end of the file */
    stoa_page *superblock; /* the one where the superblock lies; NULL: it cannot be barred */
    uint64_t base;         /* of the superblock */
} stoa_record_pages;

/* What a footer says, and where it goes. */
typedef struct stoa_record_footer {
    uint64_t at;
    uint64_t start;
    uint64_t crc;
} stoa_record_footer;

/* A record found in a file. */
typedef struct stoa_record {
    uint64_t start; /* of its header */
    uint64_t size;  /* of the file it was found in: one past its footer */
    uint64_t end;   /* the new end of the file */
    uint64_t n_runs;
} stoa_record;

/* Write a record at `start`, with zeros for its footer, so that the footer will need neither space
 * nor a longer file; 0 or an errno value. Not yet durable. */
int stoa_record_write(int fd, uint64_t start, const stoa_record_pages *pages, uint8_t *buffer,
                      stoa_record_footer *footer);
/* Write the footer: from here on the record counts. Not yet durable. */
int stoa_record_sign(int fd, const stoa_record_footer *footer);
/* Make sure that overwriting the pages will not need space: a file may have holes. */
int stoa_record_reserve(int fd, const stoa_record_pages *pages);
/* While pages are overwritten the file may hold a mixture: bar its superblock, so that no HDF5
 * library opens it, and let them in again, where the pages are not overwritten after all. Not yet
 * durable. */
int stoa_record_bar(int fd, const stoa_record_pages *pages);
int stoa_record_unbar(int fd, const stoa_record_pages *pages);
/* Overwrite the pages in the file, which is barred, durably; 0 or an errno value. All but the last
 * sector, the superblock's, are durable afterwards; that lets HDF5 in again. */
int stoa_record_apply(int fd, const stoa_record_pages *pages, uint8_t *buffer);
/* Note where the superblock lies, if its page is among them. */
void stoa_record_set_superblock(stoa_record_pages *pages, uint64_t base);

/* Look for a whole record at the end of the file; a torn one counts as none. A file that is barred
 * without one has its old content, and that counts as a record of its superblock as it was. */
stoa_status stoa_record_find(int fd, bool *found, stoa_record *record, stoa_error *err);
/* Do what the record says, durably, and cut it off. May be repeated after any interruption. */
stoa_status stoa_record_replay(int fd, const stoa_record *record, stoa_error *err);
/* The pages of the record, for a file that must not be written. */
stoa_status stoa_record_load(int fd, const stoa_record *record, stoa_pages *pages, stoa_error *err);

#endif
