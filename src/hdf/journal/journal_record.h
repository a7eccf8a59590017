/*
 * The journal record holds the new bytes of the pages that a transaction is about to overwrite. It
 * is written past the end of the file, so that an interrupted commit can be repeated
 * (docs/crash-safety.md).
 *
 * All numbers are little-endian:
 *
 *      header   "STOAJRNL"; u32 version = 1; u32 zero; u64 new end of the file; u64 number of runs
 *      a run    u64 address; u64 length; `length` bytes, page after page
 *      footer   u64 start of the header; u64 CRC-64 of header and runs;
 *               u64 CRC-64 of these two numbers; "STOAJEND"
 *
 * The footer ends the file. A record whose checksums all match is a commit. The footer is written
 * separately, once everything else is durable.
 */
#ifndef STOA_HDF_JOURNAL_RECORD_H
#define STOA_HDF_JOURNAL_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "hdf/journal/pages.h"

/* Size of the I/O buffer. Callers of the functions below provide it, so that nothing is allocated
 * past the commit point. */
#define STOA_JOURNAL_RECORD_BUFFER ((size_t)1 << 20)

/* Pages below `end`, sorted by address. */
typedef struct stoa_journal_record_pages {
    stoa_page **pages;
    size_t count;
    uint64_t end;          /* new end of the file */
    stoa_page *superblock; /* the page that holds the superblock; NULL: the file cannot be barred */
    uint64_t base;         /* address of the superblock */
} stoa_journal_record_pages;

/* Content and address of a footer. */
typedef struct stoa_journal_record_footer {
    uint64_t at;
    uint64_t start;
    uint64_t crc;
} stoa_journal_record_footer;

/* A record found in a file. */
typedef struct stoa_journal_record {
    uint64_t start; /* of its header */
    uint64_t size;  /* size of the file it was found in, which is the end of its footer */
    uint64_t end;   /* new end of the file */
    uint64_t n_runs;
} stoa_journal_record;

/* Write a record at `start`, with zeros for its footer. So writing the footer later needs neither
 * space nor a longer file. Returns 0 or an errno value. Not yet durable. */
int stoa_journal_record_write(int fd, uint64_t start, const stoa_journal_record_pages *pages,
                              uint8_t *buffer, stoa_journal_record_footer *footer);
/* Write the footer, which makes the record valid. Not yet durable. */
int stoa_journal_record_sign(int fd, const stoa_journal_record_footer *footer);
/* Allocate the blocks of the pages in case the file has holes, so that overwriting needs no
 * space. */
int stoa_journal_record_reserve(int fd, const stoa_journal_record_pages *pages);
/* While pages are overwritten, the file may hold old and new content. Bar its superblock so that no
 * HDF5 library opens it. unbar() undoes this if the pages are not overwritten after all. Not yet
 * durable. */
int stoa_journal_record_bar(int fd, const stoa_journal_record_pages *pages);
int stoa_journal_record_unbar(int fd, const stoa_journal_record_pages *pages);
/* Overwrite the pages in the barred file; 0 or an errno value. All but the last sector, that of the
 * superblock, are durable afterwards. Writing that sector removes the bar. */
int stoa_journal_record_apply(int fd, const stoa_journal_record_pages *pages, uint8_t *buffer);
/* Note the location of the superblock, if its page is among the pages. */
void stoa_journal_record_set_superblock(stoa_journal_record_pages *pages, uint64_t base);

/* Look for a valid record at the end of the file; torn records are ignored. A barred file without a
 * record has its old content. It is reported as a record of its unbarred superblock. */
stoa_status stoa_journal_record_find(int fd, bool *found, stoa_journal_record *record,
                                     stoa_error *err);
/* Apply the record durably and cut it off. May be repeated after any interruption. */
stoa_status stoa_journal_record_replay(int fd, const stoa_journal_record *record, stoa_error *err);
/* Load the pages of the record, for a file that must not be written. */
stoa_status stoa_journal_record_load(int fd, const stoa_journal_record *record, stoa_pages *pages,
                                     stoa_error *err);

#endif
