/* What a commit does, call by call: the steps of docs/crash-safety.md, of src/hdf/journal/journal.c
 * and journal_record.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/exit_cleanup.h"
#include "hdf/journal/disk.h"
#include "hdf/journal/journal.h"
#include "hdf/journal/superblock.h"
#include "support/check.h"

enum { PAGE = 4096, SIZE = 30 * PAGE + 100, SECTOR = 512, MAX_CALLS = 64 };

/* ---- A file --------------------------------------------------------------------------------- */

static void put(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* A superblock of version 2 behind `base` bytes, which says that the file ends at SIZE. */
static void fill_file(uint8_t bytes[SIZE], size_t base)
{
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / PAGE);
    }
    memcpy(bytes + base, "\x89HDF\r\n\x1a\n\2\10\10\0", 12);
    put(bytes + base + 12, base);
    put(bytes + base + 20, UINT64_MAX);
    put(bytes + base + 28, SIZE);
}

static int make_file(const char *name, const void *bytes, size_t n)
{
    const int fd = open(check_path(name), O_RDWR | O_CREAT | O_TRUNC, 0644);

    CHECK(fd >= 0);
    CHECK_I64(pwrite(fd, bytes, n, 0), (int64_t)n);
    return fd;
}

static void check_file(int fd, const uint8_t *expected, size_t n)
{
    uint8_t *found = malloc(n + 1);
    uint64_t size = 0;

    CHECK_I64(stoa_disk_size(fd, &size), 0);
    CHECK_U64(size, n);
    CHECK(found != NULL);
    CHECK_I64(pread(fd, found, n, 0), (int64_t)n);
    CHECK_MEM(found, expected, n);
    free(found);
}

/* ---- Its calls ------------------------------------------------------------------------------ */

typedef struct step {
    stoa_disk_op op;
    uint64_t offset;
    size_t n;
    stoa_exit_cleanup_state state; /* when it began */
} step;

typedef struct log {
    step steps[MAX_CALLS];
    size_t n;
    size_t fails_at; /* SIZE_MAX: none */
} log;

static int note(void *context, const stoa_disk_call *call)
{
    log *const l = context;

    CHECK(l->n < MAX_CALLS);
    l->steps[l->n] = (step){call->op, call->offset, call->n, stoa_exit_cleanup_is()};
    return l->n++ == l->fails_at ? ENOSPC : 0;
}

static void check_steps(const log *l, const step *expected, size_t n)
{
    for (size_t i = 0; i < n && i < l->n; i++) {
        if (l->steps[i].op != expected[i].op || l->steps[i].offset != expected[i].offset ||
            l->steps[i].n != expected[i].n || l->steps[i].state != expected[i].state) {
            FAIL("call %zu is of kind %d, %zu bytes at %llu, in state %d", i, (int)l->steps[i].op,
                 l->steps[i].n, (unsigned long long)l->steps[i].offset, (int)l->steps[i].state);
        }
    }
    CHECK_U64(l->n, n);
}

/* ---- An edit -------------------------------------------------------------------------------- */

/* Bytes of published pages, and new ones behind them; 5 of these are not needed in the end. */
static void edit(stoa_journal *journal, uint8_t bytes[SIZE + 300])
{
    memset(bytes + SIZE, 'n', 300);
    memset(bytes + PAGE + 10, 'x', 5);
    memset(bytes + SIZE - 3, 'y', 3);
    CHECK_I64(stoa_journal_write(journal, SIZE - 3, bytes + SIZE - 3, 103), 0);
    CHECK_I64(stoa_journal_write(journal, SIZE + 100, bytes + SIZE + 100, 105), 0);
    CHECK_I64(stoa_journal_write(journal, PAGE + 10, bytes + PAGE + 10, 5), 0);
    CHECK_I64(stoa_journal_write(journal, 2 * PAGE, bytes + 2 * PAGE, 50), 0); /* as it was */
    stoa_journal_set_end(journal, SIZE + 200);
}

/* Header, a run of the superblock's page and its neighbour, one of the last two, a footer. */
enum { END = SIZE + 200, RECORD = 32 + 16 + 2 * PAGE + 16 + 300 + 32 };

#define W STOA_DISK_WRITE
#define S STOA_DISK_SYNC
#define T STOA_DISK_TRUNCATE
#define OLD STOA_UNCHANGED
#define MID STOA_COMMITTING
#define NEW STOA_CHANGED

static const step whole_edit[] = {
    {W, SIZE, 100, OLD},
    {W, SIZE + 100, 105, OLD},
    {T, END, 0, OLD}, /* 1: the new length, the record, both on the medium */
    {W, END, RECORD, OLD},
    {S, 0, 0, OLD},
    {W, 0, SECTOR, MID}, /* 3: the bar and the footer */
    {W, END + RECORD - 32, 32, MID},
    {S, 0, 0, MID},
    {W, 0, 2 * PAGE, MID}, /* 4: the pages */
    {W, 30 * PAGE, 300, MID},
    {S, 0, 0, MID},
    {W, 0, SECTOR, MID}, /* 5: the superblock as it should be */
    {S, 0, 0, MID},      /* 7: the record goes */
    {T, END, 0, MID},
    {S, 0, 0, MID},
};
enum { N_STEPS = sizeof whole_edit / sizeof whole_edit[0], COMMIT = 7 };

static void a_commit_goes_step_by_step(void)
{
    static uint8_t bytes[SIZE + 300];
    stoa_error err = STOA_ERROR_INIT;
    stoa_journal *journal = NULL;
    log l = {.fails_at = SIZE_MAX};

    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    stoa_exit_cleanup_enter(STOA_UNCHANGED);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, &err), &err);
    stoa_disk_watch(note, &l);
    edit(journal, bytes);
    CHECK(!stoa_journal_has_changes(journal));
    CHECK_OK(stoa_journal_prepare(journal, &err), &err);
    CHECK(stoa_journal_has_changes(journal));
    CHECK_OK(stoa_journal_publish(journal, &err), &err);
    CHECK_OK(stoa_journal_finish(journal, &err), &err);
    CHECK_U64(stoa_exit_cleanup_is(), STOA_CHANGED);
    check_steps(&l, whole_edit, N_STEPS);
    stoa_journal_end_transaction(journal);
    stoa_disk_watch(NULL, NULL);
    CHECK_U64(l.n, N_STEPS);
    check_file(fd, bytes, END);
    CHECK_I64(close(fd), 0);
}

/* However often it fails, the file has its old bytes, or a record that says the new ones. */
static void a_commit_that_fails_is_withdrawn_until_it_is_durable(void)
{
    static uint8_t old[SIZE];
    static uint8_t bytes[SIZE + 300];

    for (size_t i = 0; i < N_STEPS; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_journal *journal = NULL;
        stoa_journal_record record;
        bool found = false;
        log l = {.fails_at = i};
        fill_file(old, 0);
        memcpy(bytes, old, SIZE);
        const int fd = make_file("a", bytes, SIZE);
        stoa_exit_cleanup_enter(STOA_UNCHANGED);
        CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, &err), &err);
        stoa_disk_watch(note, &l);
        edit(journal, bytes);
        CHECK_STATUS(STOA_EIO, stoa_journal_commit(journal, &err), &err);
        CHECK_CONTAINS(err.message,
                       i > COMMIT ? "safe in the file's journal" : "cannot write the change: No");
        stoa_journal_end_transaction(journal);
        stoa_disk_watch(NULL, NULL);
        CHECK_U64(stoa_exit_cleanup_is(), i > COMMIT ? STOA_COMMITTING : STOA_UNCHANGED);
        if (i <= COMMIT) {
            check_file(fd, old, SIZE);
            CHECK(i < 2 || l.steps[l.n - 1].op == S); /* what was added must not come back */
        } else {
            CHECK_OK(stoa_journal_record_find(fd, &found, &record, &err), &err);
            CHECK(found || i == N_STEPS - 1);
            CHECK_OK(found ? stoa_journal_record_replay(fd, &record, &err) : STOA_OK, &err);
            check_file(fd, bytes, END);
        }
        CHECK_I64(close(fd), 0);
    }
}

/* Where the bar cannot be taken away, the record stays: who opens the file next finds out. */
static int fail_from(void *context, const stoa_disk_call *call)
{
    log *const l = context;

    (void)call;
    return l->n++ >= l->fails_at ? ENOSPC : 0;
}

static void what_cannot_be_withdrawn_is_left_as_it_is(void)
{
    static uint8_t bytes[SIZE + 300];
    stoa_error err = STOA_ERROR_INIT;
    stoa_journal *journal = NULL;
    stoa_journal_record record;
    bool found = false;
    log l = {.fails_at = COMMIT};

    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, &err), &err);
    stoa_disk_watch(fail_from, &l);
    edit(journal, bytes);
    CHECK_STATUS(STOA_EIO, stoa_journal_commit(journal, &err), &err);
    CHECK_CONTAINS(err.message, "nor withdraw it");
    stoa_disk_watch(NULL, NULL);
    stoa_journal_end_transaction(journal);
    CHECK_OK(stoa_journal_record_find(fd, &found, &record, &err), &err);
    CHECK(found);
    CHECK_OK(stoa_journal_record_replay(fd, &record, &err), &err);
    check_file(fd, bytes, END);
    CHECK_I64(close(fd), 0);
}

/* An interrupted commit is done again, with the same care: bar, pages, superblock, cut. */
static void a_commit_that_was_interrupted_is_completed_step_by_step(void)
{
    static const step expected[] = {
        {W, 0, SECTOR, OLD},      {S, 0, 0, OLD},   {W, 0, 2 * PAGE, OLD},
        {W, 30 * PAGE, 300, OLD}, {S, 0, 0, OLD},   {W, 0, SECTOR, OLD},
        {S, 0, 0, OLD},           {T, END, 0, OLD}, {S, 0, 0, OLD},
    };
    enum { N_EXPECTED = sizeof expected / sizeof expected[0] };
    static uint8_t bytes[SIZE + 300];

    for (size_t i = 0; i <= N_EXPECTED; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_journal *journal = NULL;
        stoa_journal_record record;
        bool found = false;
        log l = {.fails_at = COMMIT + 1};
        fill_file(bytes, 0);
        const int fd = make_file("a", bytes, SIZE);
        CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, &err), &err);
        stoa_disk_watch(note, &l);
        edit(journal, bytes);
        CHECK_STATUS(STOA_EIO, stoa_journal_commit(journal, &err), &err);
        stoa_journal_end_transaction(journal);
        stoa_disk_watch(NULL, NULL);
        stoa_exit_cleanup_enter(STOA_UNCHANGED);
        CHECK_OK(stoa_journal_record_find(fd, &found, &record, &err));
        CHECK(found);
        l = (log){.fails_at = i};
        err = (stoa_error)STOA_ERROR_INIT;
        stoa_disk_watch(note, &l);
        const stoa_status status = stoa_journal_record_replay(fd, &record, &err);
        stoa_disk_watch(NULL, NULL);
        CHECK_STATUS(i < N_EXPECTED ? STOA_EIO : STOA_OK, status, &err);
        if (i < N_EXPECTED) {
            CHECK_U64(l.n, i + 1); /* what failed is the end */
            CHECK_CONTAINS(err.message, "cannot complete an interrupted change: No space");
            CHECK_OK(stoa_journal_record_find(fd, &found, &record, &err));
            CHECK(found == (i < N_EXPECTED - 1));
            CHECK_OK(found ? stoa_journal_record_replay(fd, &record, NULL) : STOA_OK);
        } else {
            check_steps(&l, expected, N_EXPECTED);
        }
        check_file(fd, bytes, END);
        CHECK_I64(close(fd), 0);
    }
}

/* Through a buffer of a MiB, which pages do not fill evenly. */
static void a_record_may_be_longer_than_its_buffer(void)
{
    enum { LONG = 700 * PAGE + 50 };
    uint8_t *bytes = malloc(LONG);
    uint8_t *found = malloc(LONG);

    CHECK(bytes != NULL && found != NULL);
    for (int is_completed = 0; is_completed < 2; is_completed++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_journal *journal = NULL;
        stoa_journal_record record;
        bool is_there = false;
        log l = {.fails_at = is_completed ? 7 : SIZE_MAX}; /* the first of the pages */
        memset(bytes, 'o', LONG);
        fill_file(bytes, 0);
        put(bytes + 28, LONG);
        const int fd = make_file("a", bytes, LONG);
        for (size_t i = 100; i < LONG; i++) {
            bytes[i] = (uint8_t)(i * 31 + i / 255);
        }
        CHECK_OK(stoa_journal_begin(fd, LONG, &journal, NULL));
        CHECK_I64(stoa_journal_write(journal, 100, bytes + 100, LONG - 100), 0);
        stoa_journal_set_end(journal, LONG);
        stoa_disk_watch(note, &l);
        CHECK_STATUS(is_completed ? STOA_EIO : STOA_OK, stoa_journal_commit(journal, &err), &err);
        stoa_journal_end_transaction(journal);
        stoa_disk_watch(NULL, NULL);
        CHECK_OK(stoa_journal_record_find(fd, &is_there, &record, &err), &err);
        CHECK(is_there == (is_completed != 0));
        if (is_there) { /* read through it, and completed */
            CHECK_OK(stoa_journal_view(fd, &record, &journal, &err), &err);
            CHECK_I64(stoa_journal_read(journal, 0, found, LONG), 0);
            CHECK_MEM(found, bytes, LONG);
            stoa_journal_end_transaction(journal);
            CHECK_OK(stoa_journal_record_replay(fd, &record, &err), &err);
        }
        check_file(fd, bytes, LONG);
        CHECK_I64(close(fd), 0);
    }
    free(found);
    free(bytes);
}

/* ---- A process that ends -------------------------------------------------------------------- */

static int end_at(void *context, const stoa_disk_call *call)
{
    log *const l = context;

    (void)call;
    if (l->n++ == l->fails_at) {
        const int state = (int)stoa_exit_cleanup_is();
        stoa_exit_cleanup_undo();
        _exit(10 + state);
    }
    return 0;
}

/* By a signal: what it told of itself, as its handler ends it before call `i`. */
static int ended_at(int fd, uint8_t *bytes, size_t i)
{
    int how = 0;
    const pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        stoa_journal *journal = NULL;
        log l = {.fails_at = i};
        stoa_exit_cleanup_enter(STOA_UNCHANGED);
        if (stoa_journal_begin(fd, SIZE, &journal, NULL) != STOA_OK) {
            _exit(1);
        }
        stoa_disk_watch(end_at, &l);
        edit(journal, bytes);
        _exit(stoa_journal_commit(journal, NULL) == STOA_OK ? 0 : 1);
    }
    CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how));
    return WEXITSTATUS(how);
}

static void a_process_that_ends_cuts_off_what_is_not_committed(void)
{
    static uint8_t old[SIZE];
    static uint8_t bytes[SIZE + 300];

    for (size_t i = 0; i <= N_STEPS; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_journal_record record;
        uint64_t size = 0;
        bool found = false;
        fill_file(old, 0);
        memcpy(bytes, old, SIZE);
        const int fd = make_file("a", old, SIZE);
        CHECK_I64(ended_at(fd, bytes, i), i == N_STEPS ? 0 : 10 + (int)whole_edit[i].state);
        memset(bytes + SIZE, 'n', 300); /* as the child's edit does */
        memset(bytes + PAGE + 10, 'x', 5);
        memset(bytes + SIZE - 3, 'y', 3);
        CHECK_OK(stoa_journal_record_find(fd, &found, &record, &err), &err);
        CHECK_OK(found ? stoa_journal_record_replay(fd, &record, &err) : STOA_OK, &err);
        CHECK_I64(stoa_disk_size(fd, &size), 0);
        if (i <= 4) {
            check_file(fd, old, SIZE);
        } else if (i <= 6) { /* the lock is the commit's: who opens it next cuts it off */
            CHECK(size >= SIZE);
            CHECK_I64(ftruncate(fd, SIZE), 0);
            check_file(fd, old, SIZE);
        } else {
            check_file(fd, bytes, END);
        }
        CHECK_I64(close(fd), 0);
    }
}

/* ---- Other edits ---------------------------------------------------------------------------- */

static void commit_and_end(stoa_journal *journal, log *l)
{
    stoa_error err = STOA_ERROR_INIT;

    stoa_disk_watch(note, l);
    CHECK_OK(stoa_journal_commit(journal, &err), &err);
    stoa_journal_end_transaction(journal);
    stoa_disk_watch(NULL, NULL);
}

static void a_change_of_nothing_published_is_cut_off_again(void)
{
    static uint8_t bytes[SIZE];
    static const step expected[] = {{T, SIZE, 0, OLD}, {S, 0, 0, OLD}};

    for (int adds = 0; adds < 2; adds++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_journal *journal = NULL;
        log l = {.fails_at = SIZE_MAX};
        fill_file(bytes, 0);
        const int fd = make_file("a", bytes, SIZE);
        stoa_exit_cleanup_enter(STOA_UNCHANGED);
        CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, &err), &err);
        CHECK_I64(stoa_journal_write(journal, 5, bytes + 5, 6000), 0); /* as it was */
        if (adds) {
            CHECK_I64(stoa_journal_write(journal, SIZE, "new", 3), 0);
        }
        stoa_journal_set_end(journal, SIZE + 3);
        commit_and_end(journal, &l);
        check_steps(&l, expected, adds ? 2 : 0);
        check_file(fd, bytes, SIZE);
        CHECK_I64(close(fd), 0);
    }
}

/* A page that lies past the new end belongs to what was freed. */
static void a_file_may_become_shorter(void)
{
    static uint8_t bytes[SIZE];
    enum { SHORT = 20 * PAGE };
    stoa_error err = STOA_ERROR_INIT;
    stoa_journal *journal = NULL;
    log l = {.fails_at = SIZE_MAX};

    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, &err), &err);
    CHECK_I64(stoa_journal_write(journal, 10, "freed", 5), 0);
    CHECK_I64(stoa_journal_write(journal, SHORT, "freed", 5), 0);
    CHECK_I64(stoa_journal_write(journal, SHORT + 3 * PAGE, "freed", 5), 0);
    stoa_journal_set_end(journal, SHORT);
    commit_and_end(journal, &l);
    CHECK_U64(l.steps[0].op, W); /* behind all that is published, which needs no other length */
    CHECK_U64(l.steps[0].offset, SIZE);
    CHECK_U64(l.steps[0].n, 32 + 16 + PAGE + 32);
    memcpy(bytes + 10, "freed", 5);
    check_file(fd, bytes, SHORT);
    CHECK_I64(close(fd), 0);
}

/* Nobody sees it before it has a name: no record, no pages in memory. */
static void a_new_file_is_written_as_it_comes(void)
{
    static const step expected[] = {{T, 5000, 0, OLD}, {S, 0, 0, OLD}};
    static uint8_t bytes[5000];

    for (int had_bytes = 0; had_bytes < 2; had_bytes++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_journal *journal = NULL;
        log l = {.fails_at = SIZE_MAX};
        memset(bytes, 0, sizeof bytes);
        const int fd = make_file("a", "0123456789", had_bytes ? 10 : 0);
        memcpy(bytes, "0123456789", had_bytes ? 10 : 0);
        stoa_exit_cleanup_enter(STOA_UNCHANGED);
        CHECK_OK(stoa_journal_begin(fd, 0, &journal, &err), &err);
        CHECK_U64(stoa_journal_size(journal), had_bytes ? 10 : 0);
        if (!had_bytes) {
            CHECK_I64(stoa_journal_write(journal, 100, "abc", 3), 0);
            memcpy(bytes + 100, "abc", 3);
            check_file(fd, bytes, 103);
        }
        stoa_journal_set_end(journal, 5000);
        CHECK(!stoa_journal_is_plain(journal));
        commit_and_end(journal, &l);
        check_steps(&l, expected, 2);
        check_file(fd, bytes, 5000);
        CHECK_I64(close(fd), 0);
    }
    /* Discarded: nothing was there to keep. */
    stoa_journal *journal = NULL;
    const int fd = make_file("a", "0123456789", 10);
    CHECK_OK(stoa_journal_begin(fd, 0, &journal, NULL));
    CHECK_I64(stoa_journal_write(journal, 20, "abc", 3), 0);
    stoa_journal_end_transaction(journal);
    check_file(fd, bytes, 0);
    CHECK_I64(close(fd), 0);
}

/* A long new file gets blocks ahead of its bytes, and gives back those that it does not need. */
static void blocks_ahead_of_a_new_file_are_given_back(void)
{
    enum { BLOCK = 1 << 20, N = 12, SLACK = 1 << 18 };
    static uint8_t bytes[BLOCK];
    stoa_error err = STOA_ERROR_INIT;
    stoa_journal *journal = NULL;
    struct stat about;
    const int fd = make_file("a", "", 0);

    memset(bytes, 'x', sizeof bytes);
    stoa_exit_cleanup_enter(STOA_UNCHANGED);
    CHECK_OK(stoa_journal_begin(fd, 0, &journal, &err), &err);
    for (uint64_t i = 0; i < N; i++) {
        CHECK_I64(stoa_journal_write(journal, i * BLOCK, bytes, BLOCK), 0);
    }
    stoa_journal_set_end(journal, N * BLOCK);
    CHECK_OK(stoa_journal_commit(journal, &err), &err);
    stoa_journal_end_transaction(journal);
    CHECK_I64(fstat(fd, &about), 0);
    CHECK_I64(about.st_size, N * BLOCK);
    CHECK(512 * (uint64_t)about.st_blocks <= N * BLOCK + SLACK);
    CHECK_I64(close(fd), 0);
}

/* A copy that has its bytes and its length needs nothing but to be on the medium. */
static void bytes_that_were_there_are_synced_as_well(void)
{
    static const step expected[] = {{S, 0, 0, OLD}};
    stoa_journal *journal = NULL;
    log l = {.fails_at = SIZE_MAX};
    const int fd = make_file("a", "0123456789", 10);

    stoa_exit_cleanup_enter(STOA_UNCHANGED);
    CHECK_OK(stoa_journal_begin(fd, 0, &journal, NULL));
    stoa_journal_set_end(journal, 10);
    commit_and_end(journal, &l);
    check_steps(&l, expected, 1);
    check_file(fd, (const uint8_t *)"0123456789", 10);
    CHECK_I64(close(fd), 0);
}

/* What a killed process left behind the published end would look like ours. */
static void what_lies_behind_the_published_end_goes_first(void)
{
    static uint8_t bytes[SIZE];
    stoa_journal *journal = NULL;
    log l = {.fails_at = SIZE_MAX};

    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    CHECK_I64(pwrite(fd, "left", 4, SIZE + 50), 4);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, NULL));
    stoa_disk_watch(note, &l);
    CHECK_I64(stoa_journal_write(journal, SIZE + 10, "new", 3), 0);
    CHECK_I64(stoa_journal_write(journal, SIZE + 20, "new", 3), 0);
    stoa_disk_watch(NULL, NULL);
    CHECK_U64(l.n, 3);
    CHECK_U64(l.steps[0].op, T);
    CHECK_U64(l.steps[0].offset, SIZE);
    stoa_journal_end_transaction(journal);
    check_file(fd, bytes, SIZE);
    CHECK_I64(close(fd), 0);
}

static void an_abandoned_edit_leaves_the_file_to_others(void)
{
    static uint8_t bytes[SIZE + 3];
    stoa_journal *journal = NULL;

    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, NULL));
    CHECK_I64(stoa_journal_write(journal, SIZE, "new", 3), 0);
    stoa_journal_abandon(journal);
    stoa_journal_end_transaction(journal);
    memcpy(bytes + SIZE, "new", 3);
    check_file(fd, bytes, SIZE + 3);
    CHECK_I64(close(fd), 0);
    stoa_journal_end_transaction(NULL);
}

/* ---- Few large writes ----------------------------------------------------------------------- */

static size_t first_page_write(const log *l)
{
    size_t i = 0;
    size_t n_syncs = 0;

    while (n_syncs < 2) {
        n_syncs += l->steps[i++].op == S;
    }
    return i;
}

static void commit_pages(const uint64_t *pages, size_t n, log *l)
{
    static uint8_t bytes[SIZE];
    stoa_journal *journal = NULL;

    *l = (log){.fails_at = SIZE_MAX};
    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, NULL));
    for (size_t i = 0; i < n; i++) {
        memset(bytes + pages[i] * PAGE + 40, 'c', 9);
        CHECK_I64(stoa_journal_write(journal, pages[i] * PAGE + 40, "ccccccccc", 9), 0);
    }
    stoa_journal_set_end(journal, SIZE);
    commit_and_end(journal, l);
    check_file(fd, bytes, SIZE);
    CHECK_I64(close(fd), 0);
}

/* Pages that are at most four others apart are one write, with those between as they are. */
static void pages_near_each_other_are_one_write(void)
{
    for (uint64_t gap = 0; gap < 8; gap++) {
        const uint64_t pages[] = {0, 3, 4 + gap, 25};
        log l;
        commit_pages(pages, 4, &l);
        const size_t i = first_page_write(&l);
        CHECK_U64(l.steps[i].offset, 0);
        CHECK_U64(l.steps[i].n, (gap <= 4 ? 5 + gap : 4) * PAGE);
        CHECK_U64(l.steps[i + 1].offset, (gap <= 4 ? 25 : 4 + gap) * PAGE);
        CHECK_U64(l.steps[i + 1].n, PAGE);
        CHECK_U64(l.steps[i + 2].op, gap <= 4 ? S : W);
    }
}

static int refuse(void *context, const stoa_disk_call *call)
{
    const log *const l = context;

    (void)call;
    return l->n > 2 && l->steps[l->n - 1].op == S && l->steps[l->n - 2].n == 32 ? EIO : 0;
}

/* Past the commit nothing depends on reads. */
static void where_those_between_cannot_be_read_there_are_two_writes(void)
{
    static uint8_t bytes[SIZE];
    stoa_journal *journal = NULL;
    log l = {.fails_at = SIZE_MAX};

    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, NULL));
    CHECK_I64(stoa_journal_write(journal, 3 * PAGE, "cc", 2), 0);
    memcpy(bytes + 3 * PAGE, "cc", 2);
    stoa_journal_set_end(journal, SIZE);
    stoa_disk_watch_reads(refuse, &l);
    commit_and_end(journal, &l);
    stoa_disk_watch_reads(NULL, NULL);
    const size_t i = first_page_write(&l);
    CHECK_U64(l.steps[i].n, PAGE);
    CHECK_U64(l.steps[i + 1].offset, 3 * PAGE);
    CHECK_U64(l.steps[i + 1].n, PAGE);
    check_file(fd, bytes, SIZE);
    CHECK_I64(close(fd), 0);
}

/* ---- User blocks, and files that are no HDF5 ------------------------------------------------ */

static void the_superblock_is_barred_where_it_lies(void)
{
    static const size_t bases[] = {512, 1024, 4096, 8192};
    static uint8_t bytes[SIZE];

    for (size_t i = 0; i < 4; i++) {
        stoa_journal *journal = NULL;
        log l = {.fails_at = SIZE_MAX};
        fill_file(bytes, bases[i]);
        const int fd = make_file("a", bytes, SIZE);
        CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, NULL));
        CHECK_I64(stoa_journal_write(journal, 10 * PAGE, "cc", 2), 0);
        memcpy(bytes + 10 * PAGE, "cc", 2);
        stoa_journal_set_end(journal, SIZE);
        commit_and_end(journal, &l);
        CHECK_U64(l.steps[2].op, W); /* after the record and its sync */
        CHECK_U64(l.steps[2].offset, bases[i]);
        CHECK_U64(l.steps[2].n, SECTOR);
        check_file(fd, bytes, SIZE);
        CHECK_I64(close(fd), 0);
    }
}

static void without_a_superblock_pages_are_overwritten_unbarred(void)
{
    static uint8_t bytes[SIZE];
    stoa_journal *journal = NULL;
    log l = {.fails_at = SIZE_MAX};

    const int fd = make_file("a", bytes, SIZE);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, NULL));
    CHECK_I64(stoa_journal_write(journal, 10 * PAGE, "cc", 2), 0);
    stoa_journal_set_end(journal, SIZE);
    commit_and_end(journal, &l);
    CHECK_U64(l.steps[2].offset, SIZE + 32 + 16 + PAGE); /* the footer */
    CHECK_U64(l.steps[4].offset, 10 * PAGE);
    CHECK_U64(l.n, 8);
    memcpy(bytes + 10 * PAGE, "cc", 2);
    check_file(fd, bytes, SIZE);
    memset(bytes, 0, sizeof bytes);
    CHECK_I64(close(fd), 0);
}

/* A superblock whose sector is not whole: the file ends in it. */
static void a_superblock_at_the_end_of_its_file_is_barred_no_further(void)
{
    enum { SMALL = 100 };
    static uint8_t bytes[SIZE];
    stoa_journal *journal = NULL;
    log l = {.fails_at = SIZE_MAX};

    fill_file(bytes, 0);
    put(bytes + 28, SMALL);
    const int fd = make_file("a", bytes, SMALL);
    CHECK_OK(stoa_journal_begin(fd, SMALL, &journal, NULL));
    CHECK_I64(stoa_journal_write(journal, 60, "cc", 2), 0);
    memcpy(bytes + 60, "cc", 2);
    stoa_journal_set_end(journal, SMALL);
    commit_and_end(journal, &l);
    CHECK_U64(l.steps[l.n - 4].op, W); /* the superblock as it should be */
    CHECK_U64(l.steps[l.n - 4].n, SMALL);
    check_file(fd, bytes, SMALL);
    CHECK_I64(close(fd), 0);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static void a_view_shows_a_commit_that_others_must_complete(void)
{
    static uint8_t bytes[SIZE + 300];
    static uint8_t found[SIZE + 300];
    stoa_error err = STOA_ERROR_INIT;
    stoa_journal *journal = NULL;
    stoa_journal_record record;
    bool is_there = false;
    log l = {.fails_at = COMMIT + 1};

    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, &err), &err);
    stoa_disk_watch(note, &l);
    edit(journal, bytes);
    CHECK_STATUS(STOA_EIO, stoa_journal_commit(journal, &err), &err);
    stoa_journal_end_transaction(journal);
    stoa_disk_watch(NULL, NULL);
    CHECK_OK(stoa_journal_record_find(fd, &is_there, &record, &err), &err);
    CHECK(is_there);
    CHECK_OK(stoa_journal_view(fd, &record, &journal, &err), &err);
    CHECK_U64(stoa_journal_size(journal), END);
    CHECK(!stoa_journal_is_plain(journal));
    CHECK_I64(stoa_journal_read(journal, 0, found, END), 0);
    CHECK_MEM(found, bytes, END);
    memset(found, 0, END);
    CHECK_I64(stoa_journal_read_published(journal, 0, found, END), 0);
    CHECK_MEM(found, bytes, END); /* to a reader, this is what was published */
    stoa_journal_end_transaction(journal);
    CHECK_I64(stoa_disk_size(fd, &record.size), 0);
    CHECK_U64(record.size, END + RECORD); /* and nothing is cut off */
    record.n_runs++;
    CHECK_STATUS(STOA_EIO, stoa_journal_view(fd, &record, &journal, &err));
    CHECK(journal == NULL);
    CHECK_I64(close(fd), 0);
    CHECK_STATUS(STOA_EIO, stoa_journal_view(fd, &record, &journal, NULL));
    CHECK(journal == NULL);
    CHECK_STATUS(STOA_EIO, stoa_journal_begin(fd, 0, &journal, NULL));
    CHECK(journal == NULL);
    CHECK_STATUS(STOA_EIO, stoa_journal_plain(fd, &journal, NULL));
    CHECK(journal == NULL);
}

/* The bytes of the file, and none while it rests; a failure there is no edit's doom. */
static void a_plain_journal_is_the_file_itself(void)
{
    stoa_journal *journal = NULL;
    char found[8] = "";
    const int fd = make_file("a", "0123456789", 10);

    CHECK_OK(stoa_journal_plain(fd, &journal, NULL));
    CHECK(stoa_journal_is_plain(journal));
    CHECK_I64(stoa_journal_fd(journal), fd);
    CHECK_I64(stoa_journal_read(journal, 3, found, 4), 0);
    CHECK_MEM(found, "3456", 4);
    stoa_journal_set_unlocked(journal, true);
    CHECK_I64(stoa_journal_read(journal, 3, found, 4), ESTALE);
    CHECK_I64(stoa_journal_read_published(journal, 3, found, 4), ESTALE);
    stoa_journal_set_unlocked(journal, false);
    CHECK_I64(stoa_journal_read_published(journal, 4, found, 4), 0);
    CHECK_MEM(found, "4567", 4);
    CHECK(stoa_journal_is_plain(journal));
    CHECK_I64(stoa_journal_write(journal, 9, "xy", 2), 0);
    CHECK_U64(stoa_journal_size(journal), 11);
    CHECK_I64(stoa_journal_write(journal, 2, "z", 1), 0);
    CHECK_U64(stoa_journal_size(journal), 11);
    stoa_journal_end_transaction(journal);
    check_file(fd, (const uint8_t *)"01z345678xy", 11);
    CHECK_I64(close(fd), 0);
}

static int refuse_reads(void *context, const stoa_disk_call *call)
{
    (void)context;
    (void)call;
    return EIO;
}

/* libhdf5 may take it for an answer: what is built on it is not committed. */
static void a_read_that_failed_dooms_the_edit(void)
{
    static uint8_t bytes[SIZE];
    stoa_error err = STOA_ERROR_INIT;
    stoa_journal *journal = NULL;
    char found[4];

    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, NULL));
    stoa_disk_watch_reads(refuse_reads, NULL);
    CHECK_I64(stoa_journal_read(journal, 3, found, 4), EIO);
    stoa_disk_watch_reads(NULL, NULL);
    CHECK_I64(stoa_journal_write(journal, SIZE + 5, "new", 3), 0); /* in memory only */
    CHECK_I64(stoa_journal_read(journal, SIZE + 5, found, 3), 0);
    CHECK_MEM(found, "new", 3);
    check_file(fd, bytes, SIZE);
    CHECK_STATUS(STOA_EIO, stoa_journal_prepare(journal, &err), &err);
    CHECK_CONTAINS(err.message, "cannot be read");
    stoa_journal_end_transaction(journal);
    check_file(fd, bytes, SIZE);
    CHECK_I64(close(fd), 0);
}

/* What others keep of it after its end reads and writes nothing. */
static void a_journal_that_has_ended_is_of_no_file(void)
{
    static uint8_t bytes[SIZE];
    stoa_journal *journal = NULL;

    fill_file(bytes, 0);
    const int fd = make_file("a", bytes, SIZE);
    CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, NULL));
    stoa_journal_hold(journal);
    stoa_journal_end_transaction(journal);
    CHECK_I64(stoa_journal_fd(journal), -1);
    CHECK_I64(stoa_journal_write(journal, SIZE, "new", 3), 0);
    stoa_journal_release(journal);
    check_file(fd, bytes, SIZE);
    CHECK_I64(close(fd), 0);
}

static void what_lies_beyond_every_file_is_not_written(void)
{
    stoa_journal *journal = NULL;
    const int fd = make_file("a", "0123456789", 10);

    CHECK_OK(stoa_journal_begin(fd, 10, &journal, NULL));
    CHECK_I64(stoa_journal_write(journal, INT64_MAX, "x", 1), EFBIG);
    CHECK_I64(stoa_journal_write(journal, UINT64_MAX, "x", 1), EFBIG);
    CHECK_I64(stoa_journal_write(journal, 0, "x", (size_t)INT64_MAX + 1), EFBIG);
    CHECK_U64(stoa_journal_size(journal), 10);
    CHECK_I64(stoa_journal_write(journal, INT64_MAX, "x", 0), 0);
    stoa_journal_end_transaction(journal);
    CHECK_I64(close(fd), 0);
}

TEST_MAIN(TEST(a_commit_goes_step_by_step),
          TEST(a_commit_that_fails_is_withdrawn_until_it_is_durable),
          TEST(what_cannot_be_withdrawn_is_left_as_it_is),
          TEST(a_commit_that_was_interrupted_is_completed_step_by_step),
          TEST(a_record_may_be_longer_than_its_buffer),
          TEST(a_process_that_ends_cuts_off_what_is_not_committed),
          TEST(a_change_of_nothing_published_is_cut_off_again), TEST(a_file_may_become_shorter),
          TEST(a_new_file_is_written_as_it_comes), TEST(blocks_ahead_of_a_new_file_are_given_back),
          TEST(bytes_that_were_there_are_synced_as_well),
          TEST(what_lies_behind_the_published_end_goes_first),
          TEST(an_abandoned_edit_leaves_the_file_to_others),
          TEST(pages_near_each_other_are_one_write),
          TEST(where_those_between_cannot_be_read_there_are_two_writes),
          TEST(the_superblock_is_barred_where_it_lies),
          TEST(without_a_superblock_pages_are_overwritten_unbarred),
          TEST(a_superblock_at_the_end_of_its_file_is_barred_no_further),
          TEST(a_view_shows_a_commit_that_others_must_complete),
          TEST(a_plain_journal_is_the_file_itself), TEST(a_read_that_failed_dooms_the_edit),
          TEST(a_journal_that_has_ended_is_of_no_file),
          TEST(what_lies_beyond_every_file_is_not_written))
