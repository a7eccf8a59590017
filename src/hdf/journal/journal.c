/* The transaction. Changed bytes below the published end are pages in memory; bytes above it go to
 * the file. At the commit, a journal record connects the two (docs/crash-safety.md). */
#include "hdf/journal/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/exit_cleanup.h"
#include "core/memory.h"
#include "core/min_of.h"
#include "hdf/journal/disk.h"
#include "hdf/journal/superblock.h"

/* Writeback starts after this many new bytes, while the edit continues. */
#define HURRY_BYTES ((uint64_t)8 << 20)
/* Blocks that a new file gets at a time, ahead of its bytes, once writeback has started. The system
 * then has less work for each page, at the write and at the writeback. */
#define RESERVED_BYTES ((uint64_t)32 << 20)

struct stoa_journal {
    int fd;
    int published_fd;   /* holds the published bytes: fd, or the file that it is a copy of */
    uint64_t published; /* bytes below are published: never written before the commit (1) */
    uint64_t in_memory; /* bytes below are looked up in `pages` first; == published until doomed */
    uint64_t old_size;  /* of the file, to restore */
    uint64_t size;      /* of the file as libhdf5 sees it */
    uint64_t end;       /* of libhdf5's address space */
    stoa_pages pages;   /* whole pages: bytes at or after in_memory equal the file's */
    bool touched;       /* something was written past the published end */
    bool unsynced;      /* bytes were written since the last sync */
    uint64_t waiting;   /* new bytes without writeback so far */
    uint64_t reserved;  /* a new file has blocks up to here; 0: as many as it needs */
    bool closing;
    bool committed;
    bool is_unlocked;
    stoa_journal_record_pages changed; /* prepared: the pages that the commit overwrites, */
    stoa_journal_record_footer footer; /* the footer of its record, */
    uint8_t *buffer; /* and an I/O buffer: nothing is allocated past the commit point */
    unsigned n_holders;
    int doom;            /* errno of the first call that failed; 0: none */
    bool doomed_reading; /* it was a read */
    uint64_t spared;     /* bytes written since then, or since the failure was last reported */
};

static stoa_status begin(int fd, stoa_journal **out, stoa_error *err)
{
    stoa_journal *journal = stoa_alloc_zero(1, sizeof *journal);

    *out = NULL;
    STOA_RETURN_NO_MEMORY(err, journal);
    const int failed = stoa_disk_size(fd, &journal->old_size);
    if (failed != 0) {
        free(journal);
        return stoa_fail_errno(err, failed, "cannot find out the size of the file");
    }
    journal->fd = fd;
    journal->published_fd = fd;
    journal->n_holders = 1;
    journal->size = journal->old_size;
    *out = journal;
    return STOA_OK;
}

stoa_status stoa_journal_begin(int fd, uint64_t published, stoa_journal **journal, stoa_error *err)
{
    const stoa_status status = begin(fd, journal, err);

    if (status == STOA_OK) {
        (*journal)->published = published;
        (*journal)->in_memory = published;
        if (published == 0) {
            (*journal)->unsynced = (*journal)->old_size != 0;
            (*journal)->old_size = 0; /* nothing to restore */
        }
    }
    return status;
}

void stoa_journal_copied(stoa_journal *journal, int from)
{
    journal->published_fd = from;
}

stoa_status stoa_journal_view(int fd, const stoa_journal_record *record, stoa_journal **journal,
                              stoa_error *err)
{
    stoa_status status = begin(fd, journal, err);

    if (status == STOA_OK) {
        (*journal)->published = UINT64_MAX;
        (*journal)->in_memory = UINT64_MAX;
        (*journal)->size = record->end;
        status = stoa_journal_record_load(fd, record, &(*journal)->pages, err);
    }
    if (status != STOA_OK) {
        stoa_journal_end_transaction(*journal);
        *journal = NULL;
    }
    return status;
}

stoa_status stoa_journal_plain(int fd, stoa_journal **journal, stoa_error *err)
{
    const stoa_status status = begin(fd, journal, err);

    if (status == STOA_OK) {
        (*journal)->old_size = 0; /* nothing to restore, nothing to cut off */
        (*journal)->committed = true;
    }
    return status;
}

bool stoa_journal_is_plain(const stoa_journal *journal)
{
    return journal->in_memory == 0 && journal->committed && journal->pages.count == 0;
}

uint64_t stoa_journal_end(const stoa_journal *journal)
{
    return journal->end;
}

void stoa_journal_set_end(stoa_journal *journal, uint64_t end)
{
    journal->end = end;
}

int stoa_journal_follow(stoa_journal *journal)
{
    return stoa_disk_size(journal->fd, &journal->size);
}

uint64_t stoa_journal_size(const stoa_journal *journal)
{
    return journal->size;
}

int stoa_journal_fd(const stoa_journal *journal)
{
    return journal->fd;
}

void stoa_journal_closing(stoa_journal *journal)
{
    journal->closing = true;
}

/* ---- Reading and writing -------------------------------------------------------------------- */

/* The part of one page that a request covers. */
typedef struct piece {
    uint64_t page;  /* its address */
    size_t in_page; /* offset of the piece in the page */
    size_t n;
} piece;

static piece first_piece(uint64_t address, uint64_t n)
{
    const uint64_t page = stoa_page_of(address);
    const uint64_t in_page = address - page;

    return (piece){page, (size_t)in_page, (size_t)stoa_min_of(n, STOA_PAGE_SIZE - in_page)};
}

/* After a failed read, what the caller built on it may be wrong. libhdf5 mistakes some failures for
 * answers, and so may its callers. So the transaction is doomed, and the commit reports it. */
static int read_file(stoa_journal *journal, int fd, uint64_t address, void *out, size_t n)
{
    const int failed = journal->is_unlocked ? ESTALE : stoa_disk_read(fd, address, out, n);

    if (failed != 0 && !journal->committed && journal->doom == 0) {
        journal->doom = failed;
        journal->doomed_reading = true;
        journal->in_memory = UINT64_MAX;
    }
    return failed;
}

int stoa_journal_read(stoa_journal *journal, uint64_t address, void *out, size_t n)
{
    const int failed = read_file(journal, journal->fd, address, out, n);

    if (failed != 0 || journal->pages.count == 0 || address >= journal->in_memory) {
        return failed;
    }
    for (size_t done = 0; done < n;) {
        const piece part = first_piece(address + done, n - done);
        const stoa_page *page = stoa_pages_find(&journal->pages, part.page);
        if (page != NULL) {
            memcpy((uint8_t *)out + done, page->bytes + part.in_page, part.n);
        }
        done += part.n;
    }
    return 0;
}

int stoa_journal_read_published(stoa_journal *journal, uint64_t address, void *out, size_t n)
{
    const bool is_view = journal->published == UINT64_MAX;

    return is_view ? stoa_journal_read(journal, address, out, n)
                   : read_file(journal, journal->published_fd, address, out, n);
}

/* Update the pages that are in memory already. */
static void patch_pages(stoa_journal *journal, uint64_t address, const uint8_t *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const piece part = first_piece(address + done, n - done);
        stoa_page *page = stoa_pages_find(&journal->pages, part.page);
        if (page != NULL) {
            memcpy(page->bytes + part.in_page, bytes + done, part.n);
        }
        done += part.n;
    }
}

static int write_to_pages(stoa_journal *journal, uint64_t address, const uint8_t *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const piece part = first_piece(address + done, n - done);
        stoa_page *page = stoa_pages_find(&journal->pages, part.page);
        if (page == NULL) {
            uint8_t old[STOA_PAGE_SIZE];
            const bool is_whole = part.n == sizeof old;
            const int failed =
                is_whole ? 0 : stoa_disk_read(journal->fd, part.page, old, sizeof old);
            if (failed != 0) {
                return failed;
            }
            page = stoa_pages_add(&journal->pages, part.page);
            if (page == NULL) {
                return ENOMEM;
            }
            if (!is_whole) {
                memcpy(page->bytes, old, sizeof old);
            }
        }
        memcpy(page->bytes + part.in_page, bytes + done, part.n);
        done += part.n;
    }
    return 0;
}

/* Start writeback while the edit continues, so that its final sync waits less. */
static void hurry(stoa_journal *journal, uint64_t end, uint64_t n)
{
    journal->waiting += n;
    if (journal->waiting < HURRY_BYTES) {
        return;
    }
    stoa_disk_hurry(journal->fd);
    journal->waiting = 0;
    if (journal->published == 0 && journal->reserved < end + HURRY_BYTES) {
        const uint64_t from = journal->reserved > end ? journal->reserved : end;
        (void)stoa_disk_reserve(journal->fd, from, RESERVED_BYTES); /* a write says what fails */
        journal->reserved = from + RESERVED_BYTES;
    }
}

/* Without a commit, everything past the published end must be cut off again. */
static void touch(stoa_journal *journal)
{
    if (!journal->touched && journal->published != 0) {
        stoa_exit_cleanup_cut(journal->fd, journal->old_size);
    }
    journal->touched = true;
}

/* Bytes past the published end: the superblock on disk does not reach there (2). */
static int write_to_file(stoa_journal *journal, uint64_t address, const uint8_t *bytes, size_t n)
{
    int failed = 0;

    if (!journal->touched && journal->old_size > journal->published) {
        /* What a killed process left there would look like our data. */
        failed = stoa_disk_truncate(journal->fd, journal->published);
        journal->old_size = failed == 0 ? journal->published : journal->old_size;
    }
    touch(journal);
    if (failed == 0) {
        failed = stoa_disk_write(journal->fd, address, bytes, n);
    }
    if (failed == 0) {
        journal->unsynced = true;
        hurry(journal, address + n, n);
        patch_pages(journal, address, bytes,
                    (size_t)stoa_min_of(n, STOA_PAGE_SIZE - (address - stoa_page_of(address))));
    }
    return failed;
}

static int write_split(stoa_journal *journal, uint64_t address, const uint8_t *bytes, size_t n)
{
    const uint64_t room = address < journal->in_memory ? journal->in_memory - address : 0;
    const size_t below = (size_t)stoa_min_of(n, room);
    const int failed = write_to_pages(journal, address, bytes, below);

    return failed != 0 || below == n
               ? failed
               : write_to_file(journal, address + below, bytes + below, n - below);
}

/* Keep the bytes of a failed write in memory as if it had succeeded: after a failed write below its
 * caches, libhdf5 loses memory and cannot shut down properly. The commit reports the failure. If
 * the caller continues for long, its writes fail before memory fills up. */
static int doom(stoa_journal *journal, int failed, uint64_t address, const void *bytes, size_t n)
{
    if (journal->doom == 0) {
        journal->doom = failed;
        journal->in_memory = UINT64_MAX;
    }
    journal->spared += n;
    if (write_to_pages(journal, address, bytes, n) != 0 || journal->spared > STOA_JOURNAL_SPARE) {
        journal->spared = 0;
        return journal->closing ? 0 : journal->doom;
    }
    return 0;
}

int stoa_journal_write(stoa_journal *journal, uint64_t address, const void *bytes, size_t n)
{
    if (n > INT64_MAX || address > INT64_MAX - n) {
        return EFBIG;
    }

    const int failed = journal->doom != 0 ? journal->doom : write_split(journal, address, bytes, n);
    if (address + n > journal->size) {
        journal->size = address + n;
    }
    return failed == 0 ? 0 : doom(journal, failed, address, bytes, n);
}

/* ---- Ending --------------------------------------------------------------------------------- */

/* Keep only pages that differ from the file, so that an edit without changes writes nothing. Pages
 * past the end belong to freed objects. */
static int drop_unchanged(const stoa_journal *journal, stoa_journal_record_pages *changed)
{
    enum { AT_ONCE = 16 };
    uint8_t old[AT_ONCE][STOA_PAGE_SIZE];
    stoa_page **const pages = changed->pages;
    size_t count = changed->count;
    size_t kept = 0;

    while (count > 0 && pages[count - 1]->address >= changed->end) {
        count--;
    }
    for (size_t i = 0, n = 0; i < count; i += n) {
        for (n = 1; n < AT_ONCE && i + n < count &&
                    pages[i + n]->address == pages[i]->address + n * STOA_PAGE_SIZE;
             n++) {
        }
        const int failed = stoa_disk_read(journal->fd, pages[i]->address, old, n * STOA_PAGE_SIZE);
        if (failed != 0) {
            return failed;
        }
        for (size_t k = 0; k < n; k++) {
            if (memcmp(old[k], pages[i + k]->bytes, STOA_PAGE_SIZE) != 0) {
                pages[kept++] = pages[i + k];
            }
        }
    }
    changed->count = kept;
    return 0;
}

/* The superblock's page is added even if it is unchanged, since it bars the file meanwhile. */
static int add_superblock(stoa_journal *journal, stoa_journal_record_pages *changed)
{
    uint64_t base = 0;

    if (changed->count == 0 || !stoa_superblock_find(journal->fd, journal->published, &base)) {
        return 0;
    }
    const uint64_t address = stoa_page_of(base);
    size_t at = 0;
    while (at < changed->count && changed->pages[at]->address < address) {
        at++;
    }
    if (at == changed->count || changed->pages[at]->address != address) {
        stoa_page *page = stoa_pages_find(&journal->pages, address);
        if (page == NULL) {
            page = stoa_pages_add(&journal->pages, address);
            if (page == NULL) {
                return ENOMEM;
            }
            const int failed =
                stoa_disk_read(journal->fd, address, page->bytes, sizeof page->bytes);
            if (failed != 0) {
                return failed;
            }
        }
        memmove(changed->pages + at + 1, changed->pages + at,
                (changed->count - at) * sizeof *changed->pages);
        changed->pages[at] = page;
        changed->count++;
    }
    stoa_journal_record_set_superblock(changed, base);
    return 0;
}

/* New bytes and the file's length are durable before anything can refer to them (3). */
static int settle(stoa_journal *journal, uint64_t length)
{
    uint64_t size = 0;
    int failed = stoa_disk_size(journal->fd, &size);

    if (failed == 0 && (size != length || journal->reserved > length)) {
        journal->old_size = stoa_min_of(journal->old_size, length);
        touch(journal);
        journal->unsynced = true;
        failed = stoa_disk_truncate(journal->fd, length); /* and give back what was reserved */
        journal->reserved = 0;
    }
    if (failed == 0 && journal->unsynced) {
        failed = stoa_disk_sync(journal->fd);
        journal->unsynced = failed != 0;
    }
    return failed;
}

/* Cut off the added bytes, durably, so that they cannot reappear. */
static void withdraw(stoa_journal *journal)
{
    if (!journal->committed && journal->touched) {
        (void)stoa_disk_truncate(journal->fd, journal->old_size);
        (void)stoa_disk_sync(journal->fd);
        journal->touched = false;
    }
}

static stoa_status cannot_write(int failed, stoa_error *err)
{
    return failed == 0 ? STOA_OK : stoa_fail_errno(err, failed, "cannot write the change");
}

/* Withdraw a record durably, since a failed sync may have written it. If the bar cannot be removed,
 * the record stays, too: the bytes past the published end tell a barred file from a damaged one. */
static stoa_status withdraw_record(stoa_journal *journal, int failed, stoa_error *err)
{
    if (stoa_journal_record_unbar(journal->fd, &journal->changed) == 0 &&
        stoa_disk_sync(journal->fd) == 0) {
        withdraw(journal);
        return cannot_write(failed, err);
    }
    journal->touched = false;
    return stoa_fail_errno(err, failed,
                           "cannot write the change, nor withdraw it; the next open of the "
                           "file completes it or drops it");
}

/* Write the record without its footer, so it is not valid yet. */
static int write_record(stoa_journal *journal)
{
    const stoa_journal_record_pages *const changed = &journal->changed;
    const uint64_t start = changed->end > journal->published ? changed->end : journal->published;
    uint64_t size = 0;
    int failed = stoa_disk_size(journal->fd, &size);

    if (failed == 0 && size != start) {
        journal->old_size = stoa_min_of(journal->old_size, start);
        touch(journal);
        failed = stoa_disk_truncate(journal->fd, start);
    }
    if (failed == 0) {
        failed = stoa_journal_record_reserve(journal->fd, changed);
    }
    if (failed == 0) {
        touch(journal);
        failed = stoa_journal_record_write(journal->fd, start, changed, journal->buffer,
                                           &journal->footer);
    }
    return failed == 0 ? stoa_disk_sync(journal->fd) : failed;
}

stoa_status stoa_journal_prepare(stoa_journal *journal, stoa_error *err)
{
    stoa_journal_record_pages *const changed = &journal->changed;
    int failed = journal->doom;

    if (failed != 0) {
        return journal->doomed_reading ? stoa_fail_errno(err, failed, "cannot be read")
                                       : cannot_write(failed, err);
    }
    changed->pages = stoa_pages_sorted(&journal->pages);
    changed->count = journal->pages.count;
    changed->end = journal->end;
    journal->buffer = stoa_alloc(STOA_JOURNAL_RECORD_BUFFER, 1);
    STOA_RETURN_NO_MEMORY(err, changed->pages != NULL && journal->buffer != NULL);
    failed = drop_unchanged(journal, changed);
    if (failed == 0 && journal->published == 0) {
        changed->count = 0;
        failed = settle(journal, journal->end);
        journal->committed = failed == 0;
    } else if (failed == 0) {
        failed = add_superblock(journal, changed);
    }
    /* If no published byte changed, all additions are unreachable and are cut off again. */
    if (failed == 0 && changed->count != 0) {
        failed = write_record(journal);
        /* From here on another program may change the file before the commit does. */
        stoa_exit_cleanup_keep(journal->fd);
    }
    return cannot_write(failed, err);
}

bool stoa_journal_has_changes(const stoa_journal *journal)
{
    return journal->changed.count != 0;
}

static stoa_status unfinished(int failed, stoa_error *err)
{
    return failed == 0
               ? STOA_OK
               : stoa_fail_errno(err, failed,
                                 "the change is safe in the file's journal but could not be "
                                 "finished; opening the file with Stoa completes it");
}

stoa_status stoa_journal_publish(stoa_journal *journal, stoa_error *err)
{
    if (journal->changed.count == 0) {
        return STOA_OK;
    }
    stoa_exit_cleanup_enter(STOA_COMMITTING); /* from here on the record may be valid */
    int failed = stoa_journal_record_bar(journal->fd, &journal->changed); /* (11) */
    if (failed == 0) {
        failed = stoa_journal_record_sign(journal->fd, &journal->footer);
    }
    if (failed == 0) {
        failed = stoa_disk_sync(journal->fd); /* the commit point (4) */
    }
    if (failed != 0) {
        stoa_exit_cleanup_enter(STOA_UNCHANGED);
        return withdraw_record(journal, failed, err);
    }
    journal->committed = true;
    /* From here on only overwriting in place and cutting off, which need no space or memory (5). */
    return unfinished(stoa_journal_record_apply(journal->fd, &journal->changed, journal->buffer),
                      err);
}

stoa_status stoa_journal_finish(stoa_journal *journal, stoa_error *err)
{
    if (journal->changed.count == 0) {
        return STOA_OK;
    }
    int failed = stoa_disk_sync(journal->fd);
    if (failed == 0) {
        failed = stoa_disk_truncate(journal->fd, journal->changed.end);
    }
    if (failed == 0) {
        failed = stoa_disk_sync(journal->fd);
    }
    if (failed == 0) {
        stoa_exit_cleanup_enter(STOA_CHANGED);
    }
    return unfinished(failed, err);
}

stoa_status stoa_journal_commit(stoa_journal *journal, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_journal_prepare(journal, err));
    STOA_RETURN_NOT_OK(stoa_journal_publish(journal, err));
    return stoa_journal_finish(journal, err);
}

void stoa_journal_abandon(stoa_journal *journal)
{
    journal->touched = false;
}

void stoa_journal_set_unlocked(stoa_journal *journal, bool is_unlocked)
{
    journal->is_unlocked = is_unlocked;
}

void stoa_journal_hold(stoa_journal *journal)
{
    journal->n_holders++;
}

void stoa_journal_release(stoa_journal *journal)
{
    if (--journal->n_holders == 0) {
        stoa_pages_clear(&journal->pages);
        free(journal->changed.pages);
        free(journal->buffer);
        free(journal);
    }
}

void stoa_journal_end_transaction(stoa_journal *journal)
{
    if (journal == NULL) {
        return;
    }
    withdraw(journal);
    journal->fd = -1; /* the caller closes it; later writes of libhdf5 are dropped */
    journal->doom = EBADF;
    journal->closing = true;
    stoa_journal_release(journal);
}
