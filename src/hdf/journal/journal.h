/*
 * A transaction on one open file: changes to published bytes wait in memory until the commit.
 *
 * The rules that make this safe are the numbered invariants of docs/crash-safety.md. The code
 * refers to the numbers.
 */
#ifndef STOA_HDF_JOURNAL_H
#define STOA_HDF_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "hdf/journal/journal_record.h"

typedef struct stoa_journal stoa_journal;

/*
 * Begin a transaction on a file whose published content ends at `published`. 0 means a new file
 * that is not visible yet, whatever it contains.
 *
 * `fd` is borrowed. It must stay open and locked until the transaction ends.
 */
stoa_status stoa_journal_begin(int fd, uint64_t published, stoa_journal **journal, stoa_error *err);
/* The file began as a copy of the file `from`, which holds the published state. `from` is borrowed
 * and must stay open until the commit. */
void stoa_journal_copied(stoa_journal *journal, int from);
/* A read-only view of a file with an unfinished commit that this process may not complete. */
stoa_status stoa_journal_view(int fd, const stoa_journal_record *record, stoa_journal **journal,
                              stoa_error *err);

/* No transaction: every byte goes directly to the file, as with libhdf5's own driver. */
stoa_status stoa_journal_plain(int fd, stoa_journal **journal, stoa_error *err);
bool stoa_journal_is_plain(const stoa_journal *journal);

/* 0 or an errno value. A call that fails dooms the transaction: it can only be discarded. libhdf5
 * handles failed writes badly. So a write failure is reported at the commit. Before that, it is
 * reported only each time another STOA_JOURNAL_SPARE bytes were written in vain. */
#define STOA_JOURNAL_SPARE ((uint64_t)64 << 20)
int stoa_journal_read(stoa_journal *journal, uint64_t address, void *out, size_t n);
/* Read the file as it was before this transaction wrote to it. Without a transaction: the same as
 * above. */
int stoa_journal_read_published(stoa_journal *journal, uint64_t address, void *out, size_t n);
int stoa_journal_write(stoa_journal *journal, uint64_t address, const void *bytes, size_t n);

/* The end of libhdf5's address space, which libhdf5 sets, and the size of the file as libhdf5 sees
 * it. */
uint64_t stoa_journal_end(const stoa_journal *journal);
void stoa_journal_set_end(stoa_journal *journal, uint64_t end);
uint64_t stoa_journal_size(const stoa_journal *journal);
/* Take over the size that the file has now, because another program makes it longer. Returns 0 or
 * an errno value. */
int stoa_journal_follow(stoa_journal *journal);
int stoa_journal_fd(const stoa_journal *journal);

/* libhdf5 is closing the file. From now on, write failures are reported only at the commit. */
void stoa_journal_closing(stoa_journal *journal);

/*
 * Publish everything durably. On failure before the commit point the file is unchanged.
 *
 * Call the steps in this order. Other programs must be excluded only during stoa_journal_publish().
 * If no published byte changes, the second and third step do nothing.
 */
stoa_status stoa_journal_prepare(stoa_journal *journal, stoa_error *err);
bool stoa_journal_has_changes(const stoa_journal *journal);
stoa_status stoa_journal_publish(stoa_journal *journal, stoa_error *err);
stoa_status stoa_journal_finish(stoa_journal *journal, stoa_error *err);
/* All three steps. */
stoa_status stoa_journal_commit(stoa_journal *journal, stoa_error *err);
/* Another program changed the file, so do not restore its old size. */
void stoa_journal_abandon(stoa_journal *journal);
/* Restore the file's old size unless committed, and free the transaction. NULL is allowed. */
void stoa_journal_end_transaction(stoa_journal *journal);

/* Reads fail while the file's lock is released, since the content may have changed. */
void stoa_journal_set_unlocked(stoa_journal *journal, bool is_unlocked);

/* References of the driver: libhdf5 may call it again for a file that it failed to close. */
void stoa_journal_hold(stoa_journal *journal);
void stoa_journal_release(stoa_journal *journal);

#endif
