/* Journal records: written page by page, and valid only as a whole. */
#include "hdf/journal/journal_record.h"

#include <stdlib.h>
#include <string.h>

#include "codec/bytes.h"
#include "core/memory.h"
#include "core/min_of.h"
#include "hdf/journal/crc64.h"
#include "hdf/journal/disk.h"
#include "hdf/journal/superblock.h"

#define HEADER_SIZE ((uint64_t)32)
#define RUN_SIZE ((uint64_t)16)
#define FOOTER_SIZE ((uint64_t)32)
#define VERSION 1

static const uint8_t header_magic[8] = {'S', 'T', 'O', 'A', 'J', 'R', 'N', 'L'};
static const uint8_t footer_magic[8] = {'S', 'T', 'O', 'A', 'J', 'E', 'N', 'D'};

/* ---- Pages as runs -------------------------------------------------------------------------- */

/* Number of contiguous pages from `first` on. */
static size_t run_count(const stoa_journal_record_pages *pages, size_t first)
{
    size_t n = 1;

    while (first + n < pages->count && pages->pages[first + n]->address ==
                                           pages->pages[first + n - 1]->address + STOA_PAGE_SIZE) {
        n++;
    }
    return n;
}

/* Bytes of `n` pages from `first` on, as far as they are below the end of the file. */
static uint64_t run_length(const stoa_journal_record_pages *pages, size_t first, size_t n)
{
    const uint64_t left = pages->end - pages->pages[first]->address;

    return n * STOA_PAGE_SIZE < left ? n * STOA_PAGE_SIZE : left;
}

void stoa_journal_record_set_superblock(stoa_journal_record_pages *pages, uint64_t base)
{
    pages->base = base;
    pages->superblock = NULL;
    for (size_t i = 0; i < pages->count; i++) {
        if (pages->pages[i]->address == stoa_page_of(base)) {
            pages->superblock = pages->pages[i];
        }
    }
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Buffered output in large writes. */
typedef struct sink {
    int fd;
    int failed;
    uint64_t at; /* file offset of the buffer */
    uint8_t *buffer;
    size_t used;
    uint64_t crc; /* of all bytes passed to put() */
    stoa_crc64_table table;
} sink;

static void drain(sink *out)
{
    if (out->failed == 0 && out->used != 0) {
        out->failed = stoa_disk_write(out->fd, out->at, out->buffer, out->used);
    }
    out->at += out->used;
    out->used = 0;
}

static void push(sink *out, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;

    while (n != 0) {
        const size_t room = STOA_JOURNAL_RECORD_BUFFER - out->used;
        const size_t part = n < room ? n : room;
        memcpy(out->buffer + out->used, from, part);
        out->used += part;
        from += part;
        n -= part;
        if (out->used == STOA_JOURNAL_RECORD_BUFFER) {
            drain(out);
        }
    }
}

static void put(sink *out, const void *bytes, size_t n)
{
    out->crc = stoa_crc64(&out->table, out->crc, bytes, n);
    push(out, bytes, n);
}

static void put_run(sink *out, const stoa_journal_record_pages *pages, size_t first, size_t n)
{
    uint8_t head[RUN_SIZE];
    uint64_t left = run_length(pages, first, n);

    stoa_put_le64(head, pages->pages[first]->address);
    stoa_put_le64(head + 8, left);
    put(out, head, sizeof head);
    for (size_t i = first; i < first + n; i++) {
        const uint64_t part = left < STOA_PAGE_SIZE ? left : STOA_PAGE_SIZE;
        put(out, pages->pages[i]->bytes, (size_t)part);
        left -= part;
    }
}

int stoa_journal_record_write(int fd, uint64_t start, const stoa_journal_record_pages *pages,
                              uint8_t *buffer, stoa_journal_record_footer *footer)
{
    sink out = {.fd = fd, .at = start};
    uint8_t header[HEADER_SIZE] = {0};
    uint64_t n_runs = 0;

    out.buffer = buffer;
    stoa_crc64_init(&out.table);
    for (size_t i = 0; i < pages->count; i += run_count(pages, i)) {
        n_runs++;
    }
    memcpy(header, header_magic, sizeof header_magic);
    header[8] = VERSION;
    stoa_put_le64(header + 16, pages->end);
    stoa_put_le64(header + 24, n_runs);
    put(&out, header, sizeof header);
    for (size_t i = 0; i < pages->count; i += run_count(pages, i)) {
        put_run(&out, pages, i, run_count(pages, i));
    }
    *footer = (stoa_journal_record_footer){out.at + out.used, start, out.crc};
    push(&out, (const uint8_t[FOOTER_SIZE]){0}, FOOTER_SIZE);
    drain(&out);
    return out.failed;
}

int stoa_journal_record_sign(int fd, const stoa_journal_record_footer *footer)
{
    uint8_t bytes[FOOTER_SIZE];
    stoa_crc64_table table;

    stoa_crc64_init(&table);
    stoa_put_le64(bytes, footer->start);
    stoa_put_le64(bytes + 8, footer->crc);
    stoa_put_le64(bytes + 16, stoa_crc64(&table, 0, bytes, 16));
    memcpy(bytes + 24, footer_magic, sizeof footer_magic);
    return stoa_disk_write(fd, footer->at, bytes, sizeof bytes);
}

int stoa_journal_record_reserve(int fd, const stoa_journal_record_pages *pages)
{
    int failed = 0;

    for (size_t i = 0; i < pages->count && failed == 0; i += run_count(pages, i)) {
        const uint64_t length = run_length(pages, i, run_count(pages, i));
        failed = stoa_disk_reserve(fd, pages->pages[i]->address, length);
    }
    return failed;
}

/* ---- Overwriting ---------------------------------------------------------------------------- */

/* A gap of at most this size between two runs is rewritten with the file's own bytes, which saves a
 * write. */
#define NEAR_BYTES (4 * STOA_PAGE_SIZE)

static bool push_from_file(sink *out, uint64_t from, uint64_t n)
{
    uint8_t page[STOA_PAGE_SIZE];

    for (; n != 0; n -= sizeof page, from += sizeof page) {
        if (stoa_disk_read(out->fd, from, page, sizeof page) != 0) {
            return false; /* then two writes: past the commit, nothing may depend on reads */
        }
        push(out, page, sizeof page);
    }
    return true;
}

static int overwrite(int fd, const stoa_journal_record_pages *pages, uint8_t *buffer)
{
    sink out = {.fd = fd, .buffer = buffer};

    for (size_t i = 0; i < pages->count && out.failed == 0; i++) {
        const uint64_t address = pages->pages[i]->address;
        const uint64_t after = out.at + out.used; /* end of the page before */
        if (out.used == 0 || address - after > NEAR_BYTES ||
            !push_from_file(&out, after, address - after)) {
            drain(&out);
            out.at = address;
        }
        push(&out, pages->pages[i]->bytes, (size_t)run_length(pages, i, 1));
    }
    drain(&out);
    return out.failed;
}

/* Set or remove the bar of the superblock in the file. */
static int change_bar(int fd, const stoa_journal_record_pages *pages, bool is_barred)
{
    uint8_t sector[STOA_SECTOR_SIZE];
    uint64_t size = 0;

    if (pages->superblock == NULL) {
        return 0;
    }
    int failed = stoa_disk_size(fd, &size);
    if (failed == 0) {
        failed = stoa_disk_read(fd, pages->base, sector, sizeof sector);
    }
    if (failed == 0 && (is_barred ? stoa_superblock_bar(sector)
                                  : stoa_superblock_unbar(sector, size - pages->base))) {
        const uint64_t n = stoa_min_of(sizeof sector, size - pages->base);
        failed = stoa_disk_write(fd, pages->base, sector, (size_t)n);
    }
    return failed;
}

int stoa_journal_record_bar(int fd, const stoa_journal_record_pages *pages)
{
    return change_bar(fd, pages, true);
}

int stoa_journal_record_unbar(int fd, const stoa_journal_record_pages *pages)
{
    return change_bar(fd, pages, false);
}

int stoa_journal_record_apply(int fd, const stoa_journal_record_pages *pages, uint8_t *buffer)
{
    if (pages->superblock == NULL) {
        return overwrite(fd, pages, buffer);
    }

    uint8_t *const superblock =
        pages->superblock->bytes + (pages->base - stoa_page_of(pages->base));
    const size_t n = (size_t)stoa_min_of(STOA_SECTOR_SIZE, pages->end - pages->base);
    uint8_t sector[STOA_SECTOR_SIZE];

    memcpy(sector, superblock, sizeof sector);
    (void)stoa_superblock_bar(superblock);
    int failed = overwrite(fd, pages, buffer);
    memcpy(superblock, sector, sizeof sector);
    if (failed == 0) {
        failed = stoa_disk_sync(fd);
    }
    return failed == 0 ? stoa_disk_write(fd, pages->base, sector, n) : failed;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Check the footer's own checksum first. The record's checksum is meaningful only if that
 * matches. */
static bool read_footer(const uint8_t *footer, uint64_t size, uint64_t *start, uint64_t *crc)
{
    stoa_crc64_table table;

    stoa_crc64_init(&table);
    *start = stoa_get_le64(footer);
    *crc = stoa_get_le64(footer + 8);
    return memcmp(footer + 24, footer_magic, sizeof footer_magic) == 0 &&
           stoa_get_le64(footer + 16) == stoa_crc64(&table, 0, footer, 16) &&
           size >= HEADER_SIZE + FOOTER_SIZE && *start <= size - HEADER_SIZE - FOOTER_SIZE;
}

static stoa_status checksum(int fd, uint64_t first, uint64_t end, uint64_t *crc, stoa_error *err)
{
    uint8_t *buffer = stoa_alloc(STOA_JOURNAL_RECORD_BUFFER, 1);
    stoa_crc64_table table;
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, buffer);
    stoa_crc64_init(&table);
    *crc = 0;
    while (status == STOA_OK && first < end) {
        const uint64_t n =
            end - first < STOA_JOURNAL_RECORD_BUFFER ? end - first : STOA_JOURNAL_RECORD_BUFFER;
        const int failed = stoa_disk_read(fd, first, buffer, (size_t)n);
        if (failed != 0) {
            status = stoa_fail_errno(err, failed, "cannot read the journal");
        }
        *crc = stoa_crc64(&table, *crc, buffer, (size_t)n);
        first += n;
    }
    free(buffer);
    return status;
}

/* Read the header of the run at `*at` and skip the run. False: it does not fit. */
static bool next_run(int fd, const stoa_journal_record *record, uint64_t *at, uint64_t *address,
                     uint64_t *length)
{
    const uint64_t end = record->size - FOOTER_SIZE;
    uint8_t head[RUN_SIZE];

    if (end - *at < RUN_SIZE || stoa_disk_read(fd, *at, head, sizeof head) != 0) {
        return false;
    }
    *at += RUN_SIZE;
    *address = stoa_get_le64(head);
    *length = stoa_get_le64(head + 8);
    if (*length > end - *at || *address > record->end || *length > record->end - *address ||
        *address % STOA_PAGE_SIZE != 0 ||
        (*length % STOA_PAGE_SIZE != 0 && *address + *length != record->end)) {
        return false;
    }
    *at += *length;
    return true;
}

static bool runs_fit(int fd, const stoa_journal_record *record)
{
    uint64_t at = record->start + HEADER_SIZE;
    uint64_t address;
    uint64_t length;

    for (uint64_t i = 0; i < record->n_runs; i++) {
        if (!next_run(fd, record, &at, &address, &length)) {
            return false;
        }
    }
    return at == record->size - FOOTER_SIZE;
}

static stoa_status find_whole(int fd, bool *found, stoa_journal_record *record, stoa_error *err)
{
    uint8_t footer[FOOTER_SIZE];
    uint8_t header[HEADER_SIZE];
    uint64_t size;
    uint64_t said;
    uint64_t is = 0;

    *found = false;
    int failed = stoa_disk_size(fd, &size);
    if (failed == 0 && size >= FOOTER_SIZE) {
        failed = stoa_disk_read(fd, size - FOOTER_SIZE, footer, sizeof footer);
    }
    if (failed != 0) {
        return stoa_fail_errno(err, failed, "cannot read the end of the file");
    }
    if (size < FOOTER_SIZE || !read_footer(footer, size, &record->start, &said)) {
        return STOA_OK;
    }

    const stoa_status status = checksum(fd, record->start, size - FOOTER_SIZE, &is, err);
    if (status != STOA_OK || is != said) {
        return status;
    }
    failed = stoa_disk_read(fd, record->start, header, sizeof header);
    if (failed != 0) {
        return stoa_fail_errno(err, failed, "cannot read the journal");
    }
    record->size = size;
    record->end = stoa_get_le64(header + 16);
    record->n_runs = stoa_get_le64(header + 24);
    if (memcmp(header, header_magic, sizeof header_magic) != 0 || record->end > record->start) {
        return STOA_OK;
    }
    if (header[8] != VERSION) {
        return stoa_fail(err, STOA_EVERSION,
                         "holds an unfinished change of a newer Stoa; open it with that version");
    }
    *found = runs_fit(fd, record);
    return STOA_OK;
}

/* The unbarred superblock of a barred file. `page` receives the bytes of its page. */
static bool find_barred(int fd, uint8_t *page, stoa_journal_record *record, uint64_t *address)
{
    uint64_t size = 0;
    uint64_t base = 0;

    if (stoa_disk_size(fd, &size) != 0 || !stoa_superblock_find(fd, size, &base)) {
        return false;
    }
    *address = stoa_page_of(base);
    *record = (stoa_journal_record){.start = size, .size = size, .end = size};
    return stoa_disk_read(fd, *address, page, STOA_PAGE_SIZE) == 0 &&
           stoa_superblock_unbar(page + (base - *address), size - base);
}

stoa_status stoa_journal_record_find(int fd, bool *found, stoa_journal_record *record,
                                     stoa_error *err)
{
    const stoa_status status = find_whole(fd, found, record, err);

    if (status == STOA_OK && !*found) {
        uint8_t page[STOA_PAGE_SIZE];
        uint64_t address;
        *found = find_barred(fd, page, record, &address);
    }
    return status;
}

/* Load one page of a run. */
static stoa_status load_page(int fd, uint64_t from, uint64_t address, uint64_t length,
                             stoa_pages *pages, stoa_error *err)
{
    stoa_page *page = stoa_pages_find(pages, address);

    if (page == NULL) {
        page = stoa_pages_add(pages, address);
        STOA_RETURN_NO_MEMORY(err, page);
        memset(page->bytes, 0, sizeof page->bytes);
    }
    const int failed = stoa_disk_read(fd, from, page->bytes, (size_t)length);
    return failed == 0 ? STOA_OK : stoa_fail_errno(err, failed, "cannot read the journal");
}

static stoa_status load_barred(int fd, stoa_pages *pages, stoa_error *err)
{
    uint8_t bytes[STOA_PAGE_SIZE];
    stoa_journal_record ignored;
    uint64_t address;

    if (find_barred(fd, bytes, &ignored, &address)) {
        stoa_page *const page = stoa_pages_add(pages, address);
        STOA_RETURN_NO_MEMORY(err, page);
        memcpy(page->bytes, bytes, sizeof bytes);
    }
    return STOA_OK;
}

stoa_status stoa_journal_record_load(int fd, const stoa_journal_record *record, stoa_pages *pages,
                                     stoa_error *err)
{
    uint64_t at = record->start + HEADER_SIZE;
    stoa_status status = STOA_OK;

    for (uint64_t i = 0; i < record->n_runs; i++) {
        uint64_t address;
        uint64_t length;
        if (!next_run(fd, record, &at, &address, &length)) {
            return stoa_fail(err, STOA_EIO, "the journal changed while it was read");
        }
        for (uint64_t done = 0; done < length && status == STOA_OK; done += STOA_PAGE_SIZE) {
            const uint64_t left = length - done;
            status = load_page(fd, at - length + done, address + done,
                               left < STOA_PAGE_SIZE ? left : STOA_PAGE_SIZE, pages, err);
        }
    }
    return status == STOA_OK && record->n_runs == 0 ? load_barred(fd, pages, err) : status;
}

stoa_status stoa_journal_record_replay(int fd, const stoa_journal_record *record, stoa_error *err)
{
    uint8_t *buffer = stoa_alloc(STOA_JOURNAL_RECORD_BUFFER, 1);
    stoa_pages pages = {0};
    stoa_journal_record_pages changed = {.end = record->end};
    uint64_t base;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_journal_record_load(fd, record, &pages, err));
    changed.pages = stoa_pages_sorted(&pages);
    changed.count = pages.count;
    STOA_TRY(buffer != NULL && changed.pages != NULL ? STOA_OK : stoa_fail_memory(err));
    if (stoa_superblock_find(fd, record->size, &base)) {
        stoa_journal_record_set_superblock(&changed, base);
    }
    int failed = stoa_journal_record_bar(fd, &changed);
    if (failed == 0) {
        failed = stoa_disk_sync(fd);
    }
    if (failed == 0) {
        failed = stoa_journal_record_apply(fd, &changed, buffer);
    }
    /* The record is cut off only when its pages are durable. */
    if (failed == 0) {
        failed = stoa_disk_sync(fd);
    }
    if (failed == 0) {
        failed = stoa_disk_truncate(fd, record->end);
    }
    if (failed == 0) {
        failed = stoa_disk_sync(fd);
    }
    if (failed != 0) {
        status = stoa_fail_errno(err, failed, "cannot complete an interrupted change");
    }

done:
    free(changed.pages);
    free(buffer);
    stoa_pages_clear(&pages);
    return status;
}
