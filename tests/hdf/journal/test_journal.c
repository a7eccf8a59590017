/* The parts of a transaction: checksum, pages, journal records, reads and writes, new files. */
#include "hdf/journal/journal.h"

#include <stoa/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/exit_cleanup.h"
#include "core/memory.h"
#include "hdf/edited_file.h"
#include "hdf/file/new_file.h"
#include "hdf/journal/crc64.h"
#include "hdf/journal/disk.h"
#include "hdf/journal/pages.h"
#include "hdf/journal/superblock.h"
#include "support/check.h"

static int make_file(const char *path, const void *bytes, size_t n)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);

    CHECK(fd >= 0);
    CHECK_I64(pwrite(fd, bytes, n, 0), (int64_t)n);
    return fd;
}

static uint64_t size_of(const char *path)
{
    struct stat about;

    CHECK_I64(stat(path, &about), 0);
    return (uint64_t)about.st_size;
}

static void fill_random(uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)check_random();
    }
}

/* ---- The checksum --------------------------------------------------------------------------- */

/* The check value of the CRC catalogue's CRC-64/XZ. */
static void the_checksum_is_crc64_xz(void)
{
    stoa_crc64_table table;

    stoa_crc64_init(&table);
    CHECK_U64(stoa_crc64(&table, 0, "123456789", 9), UINT64_C(0x995DC9BBDF1939FA));
    CHECK_U64(stoa_crc64(&table, stoa_crc64(&table, 0, "1234", 4), "56789", 5),
              UINT64_C(0x995DC9BBDF1939FA));
    CHECK_U64(stoa_crc64(&table, 0, "", 0), 0);
}

/* By the definition: a polynomial divided bit by bit. */
static uint64_t slow_crc64(const uint8_t *bytes, size_t n)
{
    uint64_t crc = UINT64_MAX;

    for (size_t i = 0; i < 8 * n; i++) {
        crc ^= (uint64_t)((bytes[i / 8] >> (i % 8)) & 1);
        crc = (crc >> 1) ^ ((crc & 1) != 0 ? UINT64_C(0xC96C5795D7870F42) : 0);
    }
    return ~crc;
}

static void the_checksum_is_the_same_in_pieces_of_any_length(void)
{
    uint8_t bytes[70];
    stoa_crc64_table table;

    stoa_crc64_init(&table);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)check_random_below(256);
    }
    for (size_t n = 0; n <= sizeof bytes; n++) {
        const uint64_t expected = slow_crc64(bytes, n);
        for (size_t first = 0; first <= n; first++) {
            const uint64_t crc = stoa_crc64(&table, 0, bytes, first);
            CHECK_U64(stoa_crc64(&table, crc, bytes + first, n - first), expected);
        }
    }
}

/* ---- Pages ---------------------------------------------------------------------------------- */

static void every_page_is_found_again_and_in_order(void)
{
    stoa_pages pages = {0};
    enum { N = 3000 };

    CHECK(stoa_pages_find(&pages, 0) == NULL);
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t address = (i * 7919 % N) * STOA_PAGE_SIZE;
        stoa_page *page = stoa_pages_add(&pages, address);
        CHECK(page != NULL);
        page->bytes[0] = (uint8_t)(address / STOA_PAGE_SIZE % 251);
    }
    CHECK_U64(pages.count, N);
    for (uint64_t i = 0; i < N; i++) {
        const stoa_page *page = stoa_pages_find(&pages, i * STOA_PAGE_SIZE);
        CHECK(page != NULL);
        CHECK_U64(page->bytes[0], i % 251);
    }
    CHECK(stoa_pages_find(&pages, N * STOA_PAGE_SIZE) == NULL);
    stoa_page **sorted = stoa_pages_sorted(&pages);
    for (uint64_t i = 0; i < N; i++) {
        CHECK_U64(sorted[i]->address, i * STOA_PAGE_SIZE);
    }
    free(sorted);
    stoa_pages_clear(&pages);
}

/* ---- Reading and writing in a transaction --------------------------------------------------- */

enum { OLD_SIZE = 50001, SPACE = 90000 };

/* Requests of any size and place read back what was last written, and the published bytes of the
 * file stay as they were. */
static void a_transaction_reads_what_it_wrote(void)
{
    const char *path = check_path("bytes");
    static uint8_t old[OLD_SIZE];
    static uint8_t model[SPACE];
    static uint8_t request[SPACE];
    const uint64_t n_cases = check_n_cases(3000);
    stoa_error err = STOA_ERROR_INIT;
    stoa_journal *journal = NULL;

    fill_random(old, sizeof old);
    memcpy(model, old, sizeof old);
    const int fd = make_file(path, old, sizeof old);
    CHECK_OK(stoa_journal_begin(fd, OLD_SIZE, &journal, &err), &err);
    for (uint64_t k = 0; k < n_cases; k++) {
        const size_t at = check_random_below(SPACE);
        const size_t most = k % 3 == 0 ? SPACE - at : (SPACE - at < 6000 ? SPACE - at : 6000);
        const size_t n = check_random_below(most + 1);
        if (check_random_below(2) == 0) {
            fill_random(request, n < 64 ? n : 64);
            memcpy(model + at, request, n);
            CHECK_I64(stoa_journal_write(journal, at, request, n), 0);
        } else {
            static uint8_t found[SPACE];
            CHECK_I64(stoa_journal_read(journal, at, found, n), 0);
            CHECK_MEM(found, model + at, n);
        }
    }
    CHECK_I64(pread(fd, request, OLD_SIZE, 0), OLD_SIZE);
    CHECK_MEM(request, old, OLD_SIZE);
    stoa_journal_end_transaction(journal);
    CHECK_U64(size_of(path), OLD_SIZE);
    CHECK_I64(close(fd), 0);
}

static void a_commit_writes_exactly_what_was_written(void)
{
    const char *path = check_path("bytes");
    static uint8_t model[SPACE];
    static uint8_t found[SPACE];
    const uint64_t n_cases = check_n_cases(60);

    for (uint64_t k = 0; k < n_cases; k++) {
        const size_t new_size = 30000 + check_random_below(SPACE - 30000);
        stoa_error err = STOA_ERROR_INIT;
        stoa_journal *journal = NULL;
        memset(model, 0, sizeof model);
        fill_random(model, OLD_SIZE);
        const int fd = make_file(path, model, OLD_SIZE);
        CHECK_OK(stoa_journal_begin(fd, OLD_SIZE, &journal, &err), &err);
        for (int i = 0; i < 12; i++) {
            const size_t at = i == 0 ? 0 : check_random_below(new_size - 1);
            const size_t n = check_random_below(new_size - at) % 9000 + 1;
            fill_random(model + at, n);
            CHECK_I64(stoa_journal_write(journal, at, model + at, n), 0);
        }
        stoa_journal_set_end(journal, new_size);
        CHECK_OK(stoa_journal_commit(journal, &err), &err);
        stoa_journal_end_transaction(journal);
        CHECK_U64(size_of(path), new_size);
        CHECK_I64(pread(fd, found, new_size, 0), (int64_t)new_size);
        CHECK_MEM(found, model, new_size);
        CHECK_I64(close(fd), 0);
    }
}

static int count_reads(void *context, const stoa_disk_call *call)
{
    *(uint64_t *)context += call->op == STOA_DISK_READ;
    return 0;
}

/* 100 pages, of which the first and the last are written in part, and one differs. */
static void whole_pages_are_compared_in_few_reads_and_not_read_before(void)
{
    enum { PAGES = 100, AT = 4000, N = PAGES * STOA_PAGE_SIZE - AT - 1 };
    static uint8_t model[PAGES * STOA_PAGE_SIZE];
    static uint8_t found[sizeof model];
    const char *path = check_path("pages");
    stoa_error err = STOA_ERROR_INIT;

    fill_random(model, sizeof model);
    for (int changes = 0; changes < 2; changes++) {
        stoa_journal *journal = NULL;
        uint64_t n_reads = 0;
        const int fd = make_file(path, model, sizeof model);
        CHECK_OK(stoa_journal_begin(fd, sizeof model, &journal, &err), &err);
        stoa_journal_set_end(journal, sizeof model);
        stoa_disk_watch_reads(count_reads, &n_reads);
        model[50 * STOA_PAGE_SIZE] ^= (uint8_t)changes;
        CHECK_I64(stoa_journal_write(journal, AT, model + AT, N), 0);
        CHECK_U64(n_reads, 2);
        CHECK_OK(stoa_journal_prepare(journal, &err), &err);
        CHECK(n_reads <= PAGES / 4);
        CHECK_I64(stoa_journal_has_changes(journal), changes);
        CHECK_OK(stoa_journal_publish(journal, &err), &err);
        CHECK_OK(stoa_journal_finish(journal, &err), &err);
        stoa_disk_watch_reads(NULL, NULL);
        stoa_journal_end_transaction(journal);
        CHECK_I64(pread(fd, found, sizeof found, 0), (int64_t)sizeof found);
        CHECK_MEM(found, model, sizeof model);
        CHECK_I64(close(fd), 0);
    }
}

static int refuse_writes(void *context, const stoa_disk_call *call)
{
    (void)context;
    return call->op == STOA_DISK_WRITE ? ENOSPC : 0;
}

static void a_doomed_transaction_goes_on_for_a_while_and_then_says_so(void)
{
    enum { BLOCK = 1 << 20 };
    const char *path = check_path("bytes");
    uint8_t *block = calloc(1, BLOCK);
    uint8_t back[16];
    stoa_error err = STOA_ERROR_INIT;
    stoa_journal *journal = NULL;
    uint64_t n_taken = 0;

    CHECK(block != NULL);
    memset(block, 'b', BLOCK);
    const int fd = make_file(path, "0123456789", 10);
    CHECK_OK(stoa_journal_begin(fd, 10, &journal, &err), &err);
    stoa_disk_watch(refuse_writes, NULL);
    while (stoa_journal_write(journal, 10 + n_taken * BLOCK, block, BLOCK) == 0) {
        n_taken++;
    }
    CHECK_U64(n_taken * BLOCK, STOA_JOURNAL_SPARE);
    CHECK_I64(stoa_journal_read(journal, 10, back, sizeof back), 0);
    CHECK_MEM(back, block, sizeof back);
    /* While libhdf5 closes, it is never told. */
    stoa_journal_closing(journal);
    for (uint64_t i = 0; i < 70; i++) {
        CHECK_I64(stoa_journal_write(journal, 10 + i * BLOCK, block, BLOCK), 0);
    }
    CHECK_STATUS(STOA_EIO, stoa_journal_commit(journal, &err), &err);
    CHECK_CONTAINS(err.message, "No space left on device");
    stoa_journal_end_transaction(journal);
    stoa_disk_watch(NULL, NULL);
    CHECK_U64(size_of(path), 10);
    CHECK_I64(close(fd), 0);
    free(block);
}

/* A process that a signal ends cuts off what it has added, were it a single write. */
static void what_is_added_is_cut_off_by_who_is_interrupted(void)
{
    const char *path = check_path("bytes");
    static const uint8_t block[STOA_PAGE_SIZE];
    stoa_journal *journal = NULL;
    int ended = -1;
    const int fd = make_file(path, "0123456789", 10);
    const pid_t child = fork();

    if (child == 0) {
        const bool is_added =
            stoa_journal_begin(fd, 10, &journal, NULL) == STOA_OK &&
            stoa_journal_write(journal, 2 * STOA_PAGE_SIZE, block, sizeof block) == 0 &&
            lseek(fd, 0, SEEK_END) == 3 * STOA_PAGE_SIZE;
        stoa_exit_cleanup_undo();
        _exit(is_added ? 0 : 1);
    }
    CHECK_I64(waitpid(child, &ended, 0), child);
    CHECK_I64(ended, 0);
    CHECK_U64(size_of(path), 10);
    CHECK_I64(close(fd), 0);
}

/* ---- Records -------------------------------------------------------------------------------- */

/* Write a file with a record after its first `n_old` bytes; the record's size. */
static uint64_t make_record(const char *path, uint64_t n_old, int *fd)
{
    static uint8_t old[3 * STOA_PAGE_SIZE];
    static uint8_t buffer[STOA_JOURNAL_RECORD_BUFFER];
    stoa_page first = {.address = 0};
    stoa_page third = {.address = 2 * STOA_PAGE_SIZE};
    stoa_page *pages[] = {&first, &third};
    const stoa_journal_record_pages changed = {pages, 2, n_old, NULL, 0};
    stoa_journal_record_footer footer;

    memset(first.bytes, '1', sizeof first.bytes);
    memset(third.bytes, '3', sizeof third.bytes);
    CHECK(n_old <= sizeof old);
    memset(old, 'o', sizeof old);
    *fd = make_file(path, old, n_old);
    CHECK_I64(stoa_journal_record_write(*fd, n_old, &changed, buffer, &footer), 0);
    CHECK_I64(stoa_journal_record_sign(*fd, &footer), 0);
    return size_of(path) - n_old;
}

static void a_record_has_the_bytes_the_manual_draws(void)
{
    const uint64_t n_old = 2 * STOA_PAGE_SIZE + 100;
    stoa_crc64_table table;
    uint8_t all[5000];
    uint64_t number;
    int fd;

    const uint64_t size = make_record(check_path("record"), n_old, &fd);
    CHECK_U64(size, 32 + 16 + 4096 + 16 + 100 + 32); /* the last page is cut at the end */
    CHECK_I64(pread(fd, all, size, (off_t)n_old), (int64_t)size);
    CHECK_MEM(all, "STOAJRNL\1\0\0\0\0\0\0\0", 16);
    CHECK_MEM(all + 16, "\x64\x20\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16); /* 8292 and 2 runs */
    CHECK_MEM(all + 32,
              "\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0"
              "1",
              17);
    CHECK_MEM(all + 48 + 4096,
              "\0\x20\0\0\0\0\0\0\x64\0\0\0\0\0\0\0"
              "3",
              17);
    CHECK_MEM(all + size - 32, "\x64\x20\0\0\0\0\0\0", 8);
    stoa_crc64_init(&table);
    number = stoa_crc64(&table, 0, all, size - 32);
    for (int i = 0; i < 8; i++) {
        CHECK_U64(all[size - 24 + (unsigned)i], (number >> (8 * i)) & 0xff);
    }
    number = stoa_crc64(&table, 0, all + size - 32, 16);
    for (int i = 0; i < 8; i++) {
        CHECK_U64(all[size - 16 + (unsigned)i], (number >> (8 * i)) & 0xff);
    }
    CHECK_MEM(all + size - 8, "STOAJEND", 8);
    CHECK_I64(close(fd), 0);
}

static void a_record_with_any_byte_changed_is_no_record(void)
{
    const uint64_t n_old = 2 * STOA_PAGE_SIZE + 100;
    stoa_error err = STOA_ERROR_INIT;
    stoa_journal_record record;
    bool found = false;
    int fd;

    const uint64_t size = make_record(check_path("record"), n_old, &fd);
    CHECK_OK(stoa_journal_record_find(fd, &found, &record, &err), &err);
    CHECK(found);
    CHECK_U64(record.start, n_old);
    CHECK_U64(record.end, n_old);
    CHECK_U64(record.n_runs, 2);
    for (uint64_t i = 0; i < size; i += i >= 128 && i + 128 < size ? 61 : 1) {
        const off_t at = (off_t)(n_old + i);
        uint8_t byte;
        CHECK_I64(pread(fd, &byte, 1, at), 1);
        const uint8_t wrong = byte ^ (uint8_t)(1u << check_random_below(8));
        CHECK_I64(pwrite(fd, &wrong, 1, at), 1);
        CHECK_OK(stoa_journal_record_find(fd, &found, &record, &err), &err);
        CHECK(!found);
        CHECK_I64(pwrite(fd, &byte, 1, at), 1);
    }
    for (uint64_t i = 1; i < 200; i++) {
        CHECK_I64(ftruncate(fd, (off_t)(n_old + size - i)), 0);
        CHECK_OK(stoa_journal_record_find(fd, &found, &record, &err), &err);
        CHECK(!found);
    }
    CHECK_I64(close(fd), 0);
}

static void put_number(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

/* A record whose checksums are right but whose numbers are not: somebody forged it. */
static bool forged_is_found(const uint8_t *body, size_t n, uint64_t start, stoa_status *status)
{
    static const char magic[] = "STOAJEND";
    const char *path = check_path("forged");
    stoa_crc64_table table;
    uint8_t footer[32];
    stoa_journal_record record;
    bool found = false;

    stoa_crc64_init(&table);
    put_number(footer, start);
    put_number(footer + 8, stoa_crc64(&table, 0, body, n));
    put_number(footer + 16, stoa_crc64(&table, 0, footer, 16));
    for (size_t i = 0; i < 8; i++) {
        footer[24 + i] = (uint8_t)magic[i];
    }
    const int fd = make_file(path, body, n);
    CHECK_I64(pwrite(fd, footer, sizeof footer, (off_t)n), sizeof footer);
    *status = stoa_journal_record_find(fd, &found, &record, NULL);
    CHECK_I64(close(fd), 0);
    return found;
}

static void a_forged_record_is_believed_only_if_its_numbers_fit(void)
{
    /* A header alone, at 0: no runs, the file ends at 0. */
    uint8_t body[32 + 16 + 8] = "STOAJRNL\1";
    stoa_status status;

    CHECK(forged_is_found(body, 32, 0, &status));
    put_number(body + 16, 1); /* an end past the record's start */
    CHECK(!forged_is_found(body, 32, 0, &status));
    put_number(body + 16, 0);
    put_number(body + 24, UINT64_MAX); /* runs that are not there */
    CHECK(!forged_is_found(body, 32, 0, &status));
    put_number(body + 24, 1);
    put_number(body + 32, 0);
    put_number(body + 40, UINT64_MAX - 8); /* a run of a length that wraps around */
    CHECK(!forged_is_found(body, sizeof body, 0, &status));
    put_number(body + 40, 8); /* a run past the end */
    CHECK(!forged_is_found(body, sizeof body, 0, &status));
    put_number(body + 24, 0); /* bytes that belong to no run */
    CHECK(!forged_is_found(body, sizeof body, 0, &status));
    CHECK_U64(status, STOA_OK);
    body[8] = 2;
    CHECK(!forged_is_found(body, 32, 0, &status));
    CHECK_U64(status, STOA_EVERSION);
}

/* ---- Commits that were interrupted ---------------------------------------------------------- */

/* Lets everything happen up to the commit point, and nothing after it. */
static int stop_after_commit(void *context, const stoa_disk_call *call)
{
    int *left = context; /* calls to let through; -1: not known yet */
    const uint8_t *bytes = call->bytes;

    if (*left < 0 && call->op == STOA_DISK_WRITE && call->n >= 8 &&
        memcmp(bytes + call->n - 8, "STOAJEND", 8) == 0) {
        *left = 2; /* this write and the sync after it */
    }
    if (*left == 0) {
        return EIO;
    }
    *left -= *left > 0;
    return 0;
}

/* A file so long that its superblock has a sector of its own. */
static void make_empty(const char *path, unsigned address_size, H5F_libver_t low,
                       hsize_t user_block)
{
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    CHECK_H5(H5Pset_sizes(creation, address_size, address_size));
    CHECK_H5(H5Pset_userblock(creation, user_block));
    CHECK_H5(H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST));
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, creation, access));
    for (char name[] = "a"; name[0] < 'k'; name[0]++) {
        H5Gclose((hid_t)CHECK_H5(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    }
    H5Fclose(file);
    H5Pclose(access);
    H5Pclose(creation);
}

/* A file with an unfinished commit; the digests of its old and new content. */
static void make_unfinished(const char *path, uint64_t *before, uint64_t *after)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    int left = -1;

    CHECK(edited_file_make(path, H5F_LIBVER_V18, 0));
    CHECK_OK(stoa_file_open(path, STOA_FILE_EDIT, &file, &err), &err);
    CHECK(edited_file_digest(stoa_file_id(file), before));
    CHECK(edited_file_edit(stoa_file_id(file)));
    CHECK(edited_file_digest(stoa_file_id(file), after));
    stoa_disk_watch(stop_after_commit, &left);
    const stoa_status status = stoa_file_commit(file, &err);
    stoa_disk_watch(NULL, NULL);
    CHECK_STATUS(STOA_EIO, status, &err);
    CHECK_CONTAINS(err.message, "opening the file with Stoa completes it");
}

static uint64_t digest_of(stoa_file *file)
{
    uint64_t digest = 0;

    CHECK(edited_file_digest(stoa_file_id(file), &digest));
    return digest;
}

static void a_reader_that_may_not_write_sees_the_new_content(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    uint64_t before;
    uint64_t after;

    make_unfinished(path, &before, &after);
    const uint64_t size = size_of(path);
    const int other = open(path, O_RDONLY); /* another reader, who must not see it change */
    CHECK_I64(flock(other, LOCK_SH | LOCK_NB), 0);
    CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &file, &err), &err);
    CHECK_U64(digest_of(file), after);
    CHECK_U64(size_of(path), size);
    stoa_file_close(file);

    CHECK_I64(close(other), 0);
    CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &file, &err), &err);
    CHECK_U64(digest_of(file), after);
    stoa_file_close(file);
    CHECK(size_of(path) < size);
}

static void an_edit_completes_the_commit_before_it(void)
{
    const char *path = check_path("a.h5");
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    uint64_t before;
    uint64_t after;

    make_unfinished(path, &before, &after);
    CHECK_OK(stoa_file_open(path, STOA_FILE_EDIT, &file, &err), &err);
    CHECK_U64(digest_of(file), after);
    stoa_file_close(file);
    const hid_t stock = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    uint64_t digest = 0;
    CHECK(edited_file_digest(stock, &digest));
    CHECK_U64(digest, after);
    CHECK_H5(H5Fclose(stock));
}

static void a_stock_reader_is_refused_before_completion(void)
{
    const char *path = check_path("a.h5");
    uint64_t before;
    uint64_t after;

    make_unfinished(path, &before, &after);
    H5E_BEGIN_TRY
    {
        CHECK(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    }
    H5E_END_TRY
}

/* Power may fail when the bar is on the medium and the footer is not. */
static void a_file_barred_without_a_record_has_its_old_content(void)
{
    static const H5F_libver_t bounds[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110};
    const char *path = check_path("a.h5");

    for (size_t i = 0; i < 12; i++) {
        const hsize_t user_block = i % 2 * 1024;
        stoa_error err = STOA_ERROR_INIT;
        stoa_file *file = NULL;
        uint8_t old[STOA_SECTOR_SIZE];
        uint8_t bytes[STOA_SECTOR_SIZE];
        uint8_t there[STOA_SECTOR_SIZE];

        make_empty(path, i < 6 ? 8 : 4, bounds[i % 3], user_block);
        const int fd = open(path, O_RDWR);
        CHECK_I64(pread(fd, old, sizeof old, (off_t)user_block), sizeof old);
        memcpy(bytes, old, sizeof old);
        CHECK(!stoa_superblock_unbar(bytes, size_of(path) - user_block));
        for (int n = 0; n < 2; n++) { /* twice is as once */
            CHECK(stoa_superblock_bar(bytes));
        }
        CHECK_I64(pwrite(fd, bytes, sizeof bytes, (off_t)user_block), sizeof bytes);
        H5E_BEGIN_TRY
        {
            CHECK(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
        }
        H5E_END_TRY

        /* Without a change under way it is a damaged file, and left alone. */
        CHECK(stoa_file_open(path, STOA_FILE_READ, &file, &err) != STOA_OK);
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_I64(pread(fd, there, sizeof there, (off_t)user_block), sizeof there);
        CHECK(memcmp(bytes, there, sizeof there) == 0);
        CHECK_I64(ftruncate(fd, (off_t)size_of(path) + 1), 0);

        CHECK_I64(flock(fd, LOCK_SH | LOCK_NB), 0); /* another reader, who must see no change */
        CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &file, &err), &err);
        stoa_file_close(file);
        CHECK_I64(pread(fd, bytes, sizeof bytes, (off_t)user_block), sizeof bytes);
        CHECK(memcmp(bytes, old, sizeof old) != 0);
        CHECK_I64(flock(fd, LOCK_UN), 0);

        CHECK_OK(stoa_file_open(path, i % 4 < 2 ? STOA_FILE_READ : STOA_FILE_EDIT, &file, &err),
                 &err);
        stoa_file_close(file);
        CHECK_I64(pread(fd, bytes, sizeof bytes, (off_t)user_block), sizeof bytes);
        CHECK(memcmp(bytes, old, sizeof old) == 0);
        CHECK_I64(close(fd), 0);
    }
}

/* ---- Memory that runs out ------------------------------------------------------------------- */

static void memory_that_runs_out_changes_nothing(void)
{
    const char *path = check_path("a.h5");
    uint64_t before = 0;
    uint64_t digest;
    bool through = false;
    uint64_t n = 0;

    for (; !through; n++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_file *file = NULL;
        if (n == 0 || before == 0) {
            CHECK(edited_file_make(path, H5F_LIBVER_V18, 0));
            CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &file, &err), &err);
            before = digest_of(file);
            stoa_file_close(file);
        }
        stoa_memory_fail_after(n);
        stoa_status status = stoa_file_open(path, STOA_FILE_EDIT, &file, &err);
        if (status == STOA_OK) {
            CHECK(edited_file_edit(stoa_file_id(file)));
            status = stoa_file_commit(file, &err);
        }
        stoa_memory_fail_after(UINT64_MAX);
        through = status == STOA_OK;
        CHECK(through || status == STOA_ENOMEM || status == STOA_EHDF5);
        CHECK(through || strstr(err.message, "memory") != NULL);

        stoa_file *after = NULL;
        CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &after, &err), &err);
        digest = digest_of(after);
        stoa_file_close(after);
        CHECK((digest == before) == !through);
    }
    CHECK(n > 10);
}

/* ---- New files where the file system has less to offer -------------------------------------- */

static int without_nameless_files(void *context, const stoa_disk_call *call)
{
    const bool *without_rename = context;

    return call->op == STOA_DISK_NAMELESS || (*without_rename && call->op == STOA_DISK_RENAME)
               ? ENOSYS
               : 0;
}

static void check_new_file(bool without_rename)
{
    const char *path = check_path("new");
    stoa_error err = STOA_ERROR_INIT;
    stoa_new_file file = STOA_NEW_FILE_INIT;

    stoa_disk_watch(without_nameless_files, &without_rename);
    CHECK_OK(stoa_new_file_open(path, &file, &err), &err);
    CHECK(file.temporary != NULL);
    CHECK_CONTAINS(file.temporary, "/.new.stoa-");
    CHECK_I64(access(path, F_OK), -1);
    CHECK_I64(pwrite(file.fd, "x", 1, 0), 1);
    CHECK_OK(stoa_new_file_publish(&file, &err), &err);
    stoa_new_file_close(&file);
    CHECK_U64(size_of(path), 1);

    /* Again: the name is free at first, and taken at the end. */
    CHECK_I64(unlink(path), 0);
    CHECK_OK(stoa_new_file_open(path, &file, &err), &err);
    char *temporary = strdup(file.temporary);
    CHECK(temporary != NULL);
    CHECK_I64(close(make_file(path, "yy", 2)), 0);
    const stoa_status status = stoa_new_file_publish(&file, &err);
    stoa_new_file_close(&file);
    stoa_disk_watch(NULL, NULL);
    CHECK_STATUS(STOA_EEXISTS, status, &err);
    CHECK_U64(size_of(path), 2);
    CHECK_I64(access(temporary, F_OK), -1);
    free(temporary);
    CHECK_I64(unlink(path), 0);
}

static void a_temporary_name_serves_where_files_must_have_one(void)
{
    check_new_file(false);
}

static void a_link_serves_where_rename_cannot_be_exclusive(void)
{
    check_new_file(true);
}

TEST_MAIN(TEST(the_checksum_is_crc64_xz), TEST(the_checksum_is_the_same_in_pieces_of_any_length),
          TEST(every_page_is_found_again_and_in_order), TEST(a_transaction_reads_what_it_wrote),
          TEST(a_commit_writes_exactly_what_was_written),
          TEST(whole_pages_are_compared_in_few_reads_and_not_read_before),
          TEST(a_doomed_transaction_goes_on_for_a_while_and_then_says_so),
          TEST(what_is_added_is_cut_off_by_who_is_interrupted),
          TEST(a_record_has_the_bytes_the_manual_draws),
          TEST(a_record_with_any_byte_changed_is_no_record),
          TEST(a_forged_record_is_believed_only_if_its_numbers_fit),
          TEST(a_reader_that_may_not_write_sees_the_new_content),
          TEST(an_edit_completes_the_commit_before_it),
          TEST(a_stock_reader_is_refused_before_completion),
          TEST(a_file_barred_without_a_record_has_its_old_content),
          TEST(memory_that_runs_out_changes_nothing),
          TEST(a_temporary_name_serves_where_files_must_have_one),
          TEST(a_link_serves_where_rename_cannot_be_exclusive))
