/*
 * A transaction on one open file: changes to published bytes wait in memory until the commit.
 *
 * The rules that make it safe are numbered in docs/crash-safety.md; the code refers to the numbers.
 */
#ifndef STOA_HDF_JOURNAL_H
#define STOA_HDF_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "hdf/record.h"

typedef struct stoa_journal stoa_journal;

/*
 * Begin a transaction on a file whose published content ends at `published` (0 for a new file that
 * nobody sees, whatever it holds by now).
 * `fd` is borrowed and must stay open, and locked, as long as the transaction.
 */
stoa_status stoa_journal_begin(int fd, uint64_t published, stoa_journal **journal, stoa_error *err);
/* The file began as a copy of another one, which is its published state: that is borrowed, and must
 * stay open until the commit. */
void stoa_journal_copied(stoa_journal *journal, int from);
/* A view of a file with an unfinished commit that we may not complete: reading only. */
stoa_status stoa_journal_view(int fd, const stoa_record *record, stoa_journal **journal,
                              stoa_error *err);

/* No transaction: every byte goes straight to the file, as with libhdf5's own driver. */
stoa_status stoa_journal_plain(int fd, stoa_journal **journal, stoa_error *err);
bool stoa_journal_is_plain(const stoa_journal *journal);

/* 0 or an errno value. A call that fails dooms the transaction: it can only be discarded. To spare
 * libhdf5 errors it does not survive well, a write's failure is told at commit, and before that
 * only each time STOA_JOURNAL_SPARE more bytes were written in vain. */
#define STOA_JOURNAL_SPARE ((uint64_t)64 << 20)
int stoa_journal_read(stoa_journal *journal, uint64_t address, void *out, size_t n);
/* As the file was before this transaction wrote to it; the same as above where nothing is written.
 */
int stoa_journal_read_published(stoa_journal *journal, uint64_t address, void *out, size_t n);
int stoa_journal_write(stoa_journal *journal, uint64_t address, const void *bytes, size_t n);

/* Where the library's address space ends (set by it), and where the file seems to end. */
uint64_t stoa_journal_end(const stoa_journal *journal);
void stoa_journal_set_end(stoa_journal *journal, uint64_t end);
uint64_t stoa_journal_size(const stoa_journal *journal);
int stoa_journal_fd(const stoa_journal *journal);

/* From here on no failure is told before the commit: libhdf5 is ending the file. */
void stoa_journal_closing(stoa_journal *journal);

/*
 * Publish everything, durably. On failure before the commit point the file is as it was.
 *
 * The steps, each after the one before, so that others need to be kept away in the second alone.
 * Where nothing published changes, the second and the third do nothing.
 */
stoa_status stoa_journal_prepare(stoa_journal *journal, stoa_error *err);
bool stoa_journal_has_changes(const stoa_journal *journal);
stoa_status stoa_journal_publish(stoa_journal *journal, stoa_error *err);
stoa_status stoa_journal_finish(stoa_journal *journal, stoa_error *err);
/* All three. */
stoa_status stoa_journal_commit(stoa_journal *journal, stoa_error *err);
/* Another program changed the file: it is not ours to put back. */
void stoa_journal_abandon(stoa_journal *journal);
/* Put the file back to its old size unless committed, and let go of it. NULL is fine. */
void stoa_journal_end_transaction(stoa_journal *journal);

/* While the file's lock is let go of, nothing is read: it would be of another content. */
void stoa_journal_rest(stoa_journal *journal, bool is_resting);

/* The driver's hold on the memory: libhdf5 may come back to a file that it failed to close. */
void stoa_journal_hold(stoa_journal *journal);
void stoa_journal_release(stoa_journal *journal);

#endif
