/*
 * An edit happens wholly or not at all, wherever it is interrupted (docs/crash-safety.md).
 *
 * One edit is recorded call by call. Then the file is put into every state a crash can leave: after
 * each call, in the middle of each call, and with what was not yet synced kept, lost or torn at
 * random. Stoa must find the old content or the new one, and the new one once the commit point has
 * passed. Stock readers, which know nothing of the journal, are counted.
 */
#include <stoa/file.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hdf/edited_file.h"
#include "hdf/edited_table.h"
#include "hdf/journal/disk.h"
#include "support/check.h"

/* ---- Files as bytes ------------------------------------------------------------------------- */

typedef struct image {
    uint8_t *bytes;
    size_t size;
} image;

static image read_image(const char *path)
{
    FILE *stream = fopen(path, "rb");
    struct stat about;

    CHECK(stream != NULL);
    CHECK_I64(stat(path, &about), 0);
    image copy = {malloc((size_t)about.st_size + 1), (size_t)about.st_size};
    CHECK(copy.bytes != NULL);
    CHECK_U64(fread(copy.bytes, 1, copy.size, stream), copy.size);
    CHECK_I64(fclose(stream), 0);
    return copy;
}

static void write_image(const char *path, const image *content)
{
    FILE *stream = fopen(path, "wb");

    CHECK(stream != NULL);
    CHECK_U64(fwrite(content->bytes, 1, content->size, stream), content->size);
    CHECK_I64(fclose(stream), 0);
}

static image copy_image(const image *from)
{
    image copy = {malloc(from->size + 1), from->size};

    CHECK(copy.bytes != NULL);
    memcpy(copy.bytes, from->bytes, from->size);
    return copy;
}

static void resize_image(image *content, size_t size)
{
    image resized = {calloc(size + 1, 1), size};

    CHECK(resized.bytes != NULL);
    memcpy(resized.bytes, content->bytes, size < content->size ? size : content->size);
    free(content->bytes);
    *content = resized;
}

/* ---- A recorded edit ------------------------------------------------------------------------ */

typedef struct trace {
    stoa_disk_call calls[4000]; /* the bytes are copies */
    size_t n;
    size_t commit;   /* the file is committed once so many calls are done and durable */
    double at[4000]; /* when each call began */
    double began;
    double ended;
} trace;

static trace recorded; /* too large for a stack */

static double now_seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int record_call(void *context, const stoa_disk_call *call)
{
    trace *to = context;

    if (to->n < sizeof to->calls / sizeof to->calls[0]) {
        to->at[to->n] = now_seconds();
        stoa_disk_call *copy = &to->calls[to->n++];
        *copy = *call;
        copy->bytes = malloc(call->n + 1);
        if (copy->bytes != NULL && call->n != 0) {
            memcpy((uint8_t *)(uintptr_t)copy->bytes, call->bytes, call->n);
        }
    }
    return 0;
}

static void forget(trace *what)
{
    for (size_t i = 0; i < what->n; i++) {
        free((void *)(uintptr_t)what->calls[i].bytes);
    }
    what->n = 0;
}

/* The commit point is the sync right after the record's footer, known by its last eight bytes. */
static void find_commit(trace *what)
{
    what->commit = SIZE_MAX;
    for (size_t i = 0; i + 1 < what->n; i++) {
        const stoa_disk_call *call = &what->calls[i];
        const uint8_t *bytes = call->bytes;
        if (call->op == STOA_DISK_WRITE && call->n >= 8 &&
            memcmp(bytes + call->n - 8, "STOAJEND", 8) == 0) {
            CHECK_U64(what->calls[i + 1].op, STOA_DISK_SYNC);
            what->commit = i + 2;
        }
    }
    CHECK(what->commit != SIZE_MAX);
}

typedef enum fate { KEPT, LOST, TORN } fate;

static void put_bytes(image *content, uint64_t offset, const void *bytes, size_t n)
{
    if (offset + n > content->size) {
        resize_image(content, (size_t)offset + n);
    }
    memcpy(content->bytes + offset, bytes, n);
}

/* What one call does to the file. A torn write reaches the disk in some of its sectors. */
static void apply(image *content, const stoa_disk_call *call, fate what)
{
    if (call->op == STOA_DISK_TRUNCATE && what == KEPT) {
        resize_image(content, (size_t)call->offset);
    }
    if (call->op != STOA_DISK_WRITE || what == LOST) {
        return;
    }
    if (what == KEPT) {
        put_bytes(content, call->offset, call->bytes, call->n);
        return;
    }
    for (size_t done = 0; done < call->n;) {
        const size_t sector = 512 - (size_t)((call->offset + done) % 512);
        const size_t part = call->n - done < sector ? call->n - done : sector;
        if (check_random_below(2) == 0) {
            put_bytes(content, call->offset + done, (const uint8_t *)call->bytes + done, part);
        }
        done += part;
    }
}

/* ---- What readers find ---------------------------------------------------------------------- */

typedef struct contents {
    uint64_t before;
    uint64_t after;
} contents;

static uint64_t digest_with_stoa(const char *path)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    uint64_t digest = 0;

    CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &file, &err), &err);
    const bool good = edited_file_digest(stoa_file_id(file), &digest);
    stoa_file_close(file);
    CHECK(good);
    return digest;
}

typedef enum finding { OLD, NEW, REFUSED, MIXED, N_FINDINGS } finding;

/* In a child: libhdf5 may not survive what it finds. Only what it reads to the end without an error
 * can be a mixture that is believed. */
static finding stock_reader_finds(const char *path, const contents *expected)
{
    (void)fflush(stdout); /* or the child may say it again */
    const pid_t child = fork();

    if (child == 0) {
        uint64_t digest = 0;
        (void)alarm(20);
        (void)close(STDERR_FILENO); /* a sanitizer's report on libhdf5 */
        (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        if (file < 0 || !edited_file_digest(file, &digest)) {
            _exit(REFUSED);
        }
        _exit(digest == expected->before ? OLD : digest == expected->after ? NEW : MIXED);
    }
    int how = -1;
    CHECK(waitpid(child, &how, 0) == child);
    return WIFEXITED(how) && WEXITSTATUS(how) < N_FINDINGS ? (finding)WEXITSTATUS(how) : REFUSED;
}

/* The file in one state: is it as it should be? */
static void check_state(const char *path, const image *content, const contents *expected,
                        bool is_committed, const char *state, size_t call)
{
    write_image(path, content);
    const uint64_t digest = digest_with_stoa(path);
    if (digest != expected->after && (is_committed || digest != expected->before)) {
        FAIL("%s call %zu: the content is %s", state, call,
             digest == expected->before ? "old, but the commit was durable"
                                        : "neither old nor new");
    }
}

/* ---- The sweeps ----------------------------------------------------------------------------- */

/* A file that is made, and an edit of it. */
typedef struct sample {
    bool (*make)(const char *path, H5F_libver_t low, hsize_t user_block);
    bool (*edit)(hid_t file);
} sample;

static const sample everything = {edited_file_make, edited_file_edit};

/* Make a file, record its edit; leaves the two contents and the old bytes. */
static image record_edit_of(const char *path, H5F_libver_t low, hsize_t user_block, sample what,
                            contents *expected)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    CHECK(what.make(path, low, user_block));
    const image old = read_image(path);
    expected->before = digest_with_stoa(path);
    CHECK_OK(stoa_file_open(path, STOA_FILE_EDIT, &file, &err), &err);
    forget(&recorded);
    recorded.began = now_seconds();
    stoa_disk_watch(record_call, &recorded);
    const bool edited = what.edit(stoa_file_id(file));
    const stoa_status status = stoa_file_commit(file, &err);
    stoa_disk_watch(NULL, NULL);
    recorded.ended = now_seconds();
    CHECK(edited);
    CHECK_OK(status, &err);
    CHECK(recorded.n < sizeof recorded.calls / sizeof recorded.calls[0]);
    find_commit(&recorded);
    expected->after = digest_with_stoa(path);
    CHECK(expected->before != expected->after);
    return old;
}

static image record_edit(const char *path, H5F_libver_t low, contents *expected)
{
    return record_edit_of(path, low, 0, everything, expected);
}

typedef struct stock_count {
    size_t n;
    size_t of[N_FINDINGS];
} stock_count;

static void visit_state(const char *path, const image *content, const contents *expected, size_t i,
                        stock_count *stock)
{
    write_image(path, content);
    stock->n++;
    stock->of[stock_reader_finds(path, expected)]++;
    check_state(path, content, expected, i >= recorded.commit, "killed in or before", i);
}

/* A kill tears a write between two pages of memory. */
static void visit_torn_states(const char *path, const image *content, const contents *expected,
                              size_t i, stock_count *stock)
{
    const stoa_disk_call *call = &recorded.calls[i];

    for (size_t n = 4096 - call->offset % 4096; n < call->n; n += 4096) {
        image torn = copy_image(content);
        stoa_disk_call part = *call;
        part.n = n;
        apply(&torn, &part, KEPT);
        visit_state(path, &torn, expected, i, stock);
        free(torn.bytes);
    }
}

static void sweep_kills(H5F_libver_t low, hsize_t user_block, const char *name)
{
    const char *path = check_path("a.h5");
    contents expected;
    image old = record_edit_of(path, low, user_block, everything, &expected);
    image now = copy_image(&old);
    stock_count stock = {0};

    for (size_t i = 0; i <= recorded.n; i++) {
        visit_state(path, &now, &expected, i, &stock);
        if (i < recorded.n) {
            visit_torn_states(path, &now, &expected, i, &stock);
            apply(&now, &recorded.calls[i], KEPT);
        }
    }
    printf(
        "  %s: %zu calls, the commit point after %zu; of %zu states after a kill Stoa reads all, "
        "stock readers all but %zu, which they refuse\n",
        name, recorded.n, recorded.commit, stock.n, stock.of[REFUSED]);
    CHECK_U64(stock.of[MIXED], 0);
    CHECK(stock.of[REFUSED] * 2 < stock.n);
    free(now.bytes);
    free(old.bytes);
    forget(&recorded);
}

static void a_kill_at_any_call_leaves_the_old_content_or_the_new(void)
{
    sweep_kills(H5F_LIBVER_EARLIEST, 0, "superblock 0");
    sweep_kills(H5F_LIBVER_V18, 0, "superblock 2");
    sweep_kills(H5F_LIBVER_V110, 2048, "superblock 3 behind a user block");
}

static size_t last_sync_before(size_t call)
{
    while (call > 0 && recorded.calls[call - 1].op != STOA_DISK_SYNC) {
        call--;
    }
    return call;
}

/* The file after a power cut before a call: what was synced is there, the rest at random. */
static image cut_power(const image *old, size_t at)
{
    const size_t synced = last_sync_before(at);
    image now = copy_image(old);

    for (size_t i = 0; i < at; i++) {
        const uint64_t dice = check_random_below(4);
        apply(&now, &recorded.calls[i], i < synced || dice < 2 ? KEPT : (dice == 2 ? LOST : TORN));
    }
    return now;
}

static void a_power_cut_at_any_call_leaves_the_old_content_or_the_new(void)
{
    const char *path = check_path("a.h5");
    const uint64_t n_cases = check_n_cases(600);
    contents expected;
    image old = record_edit(path, H5F_LIBVER_V18, &expected);

    for (uint64_t k = 0; k < n_cases; k++) {
        /* Half of the cases around the commit, where it matters. */
        const size_t at =
            k % 2 == 0 || recorded.commit < 4
                ? check_random_below(recorded.n + 1)
                : recorded.commit - 4 + check_random_below(recorded.n - recorded.commit + 5);
        image now = cut_power(&old, at);
        check_state(path, &now, &expected, last_sync_before(at) >= recorded.commit,
                    "power cut before", at);
        free(now.bytes);
    }
    free(old.bytes);
    forget(&recorded);
}

/* The call that is under way at a random moment of the edit, from its opening to its end. */
static size_t call_at_a_random_moment(void)
{
    const double share = (double)check_random_below(1000000) / 1e6;
    const double moment = recorded.began + share * (recorded.ended - recorded.began);
    size_t i = 0;

    while (i < recorded.n && recorded.at[i] <= moment) {
        i++;
    }
    return i;
}

static stock_count cut_power_again_and_again(H5F_libver_t low, hsize_t user_block, sample what,
                                             const char *name)
{
    const char *path = check_path("a.h5");
    const uint64_t n_cases = check_n_cases(60);
    contents expected;
    image old = {0};
    stock_count by_call = {0};
    stock_count by_time = {0};

    for (uint64_t k = 0; k < n_cases; k++) {
        if (k % 60 == 0) { /* anew: how long a sync takes is chance */
            free(old.bytes);
            old = record_edit_of(path, low, user_block, what, &expected);
        }
        stock_count *const count = k % 2 == 0 ? &by_call : &by_time;
        const size_t at =
            k % 2 == 0 ? check_random_below(recorded.n + 1) : call_at_a_random_moment();
        image now = cut_power(&old, at);
        write_image(path, &now);
        count->n++;
        count->of[stock_reader_finds(path, &expected)]++;
        free(now.bytes);
    }
    printf("  %s (%zu calls, %.1f ms): of %zu power cuts before a random call, stock readers find "
           "the old content %zu times, the new %zu, refuse %zu, mix %zu; of %zu at a random moment "
           "%zu, %zu, %zu, %zu\n",
           name, recorded.n, (recorded.ended - recorded.began) * 1000, by_call.n, by_call.of[OLD],
           by_call.of[NEW], by_call.of[REFUSED], by_call.of[MIXED], by_time.n, by_time.of[OLD],
           by_time.of[NEW], by_time.of[REFUSED], by_time.of[MIXED]);
    free(old.bytes);
    forget(&recorded);
    by_call.of[MIXED] += by_time.of[MIXED];
    return by_call;
}

static void no_power_cut_leaves_a_mixture_that_stock_readers_believe(void)
{
    static const sample little = {edited_file_make, edited_file_append};
    static const sample rows = {edited_table_make, edited_table_append};
    static const sample many_rows = {edited_table_make, edited_table_append_many};
    static const struct {
        H5F_libver_t low;
        hsize_t user_block;
        const sample *what;
        const char *name;
    } cases[] = {
        {H5F_LIBVER_EARLIEST, 0, &everything, "edit of everything, superblock 0"},
        {H5F_LIBVER_V18, 512, &everything, "the same, superblock 2 behind a user block"},
        {H5F_LIBVER_V110, 0, &little, "a few rows to two datasets, superblock 3"},
        {H5F_LIBVER_V18, 0, &rows, "append of 9,000 rows to a table, superblock 2"},
        {H5F_LIBVER_V18, 0, &many_rows, "append of 100,000 rows, superblock 2"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const stock_count count = cut_power_again_and_again(cases[i].low, cases[i].user_block,
                                                            *cases[i].what, cases[i].name);
        CHECK_U64(count.of[MIXED], 0);
    }
}

static void an_interrupted_recovery_is_recovered_from(void)
{
    const char *path = check_path("a.h5");
    contents expected;
    image old = record_edit(path, H5F_LIBVER_V18, &expected);
    image now = copy_image(&old);

    /* Killed half-way through overwriting. */
    for (size_t i = 0; i < recorded.commit; i++) {
        apply(&now, &recorded.calls[i], KEPT);
    }
    forget(&recorded);
    write_image(path, &now);
    stoa_disk_watch(record_call, &recorded);
    const uint64_t digest = digest_with_stoa(path);
    stoa_disk_watch(NULL, NULL);
    CHECK(digest == expected.after);
    CHECK(recorded.n > 3);
    for (size_t i = 0; i < recorded.n; i++) {
        image torn = copy_image(&now);
        apply(&torn, &recorded.calls[i], TORN);
        check_state(path, &now, &expected, true, "recovery killed before", i);
        check_state(path, &torn, &expected, true, "recovery killed inside", i);
        free(torn.bytes);
        apply(&now, &recorded.calls[i], KEPT);
    }
    check_state(path, &now, &expected, true, "recovery killed after", recorded.n);
    free(now.bytes);
    free(old.bytes);
    forget(&recorded);
}

/* A process that really dies, and takes its locks along. */
static int die_at(void *context, const stoa_disk_call *call)
{
    size_t *left = context;

    (void)call;
    if ((*left)-- == 0) {
        (void)kill(getpid(), SIGKILL);
    }
    return 0;
}

/* True if the child came through before its n-th call. */
static bool edit_in_child(const char *path, stoa_file_mode mode, size_t n)
{
    (void)fflush(stdout); /* or the child may say it again */
    const pid_t child = fork();

    if (child == 0) {
        stoa_file *file = NULL;
        size_t left = n;
        if (stoa_file_open(path, mode, &file, NULL) != STOA_OK) {
            _exit(2);
        }
        stoa_disk_watch(die_at, &left);
        const bool good = mode == STOA_FILE_CREATE || edited_file_edit(stoa_file_id(file));
        _exit(good && stoa_file_commit(file, NULL) == STOA_OK ? 0 : 3);
    }
    int how = -1;
    CHECK(waitpid(child, &how, 0) == child);
    CHECK(WIFSIGNALED(how) ? WTERMSIG(how) == SIGKILL : WEXITSTATUS(how) == 0);
    return !WIFSIGNALED(how);
}

static void a_killed_process_leaves_the_old_content_or_the_new(void)
{
    const char *path = check_path("a.h5");
    contents expected;
    image old = record_edit(path, H5F_LIBVER_V18, &expected);
    const size_t step = recorded.n / check_n_cases(40) + 1;
    bool through = false;

    forget(&recorded);
    for (size_t n = 0; !through; n += step) {
        write_image(path, &old);
        through = edit_in_child(path, STOA_FILE_EDIT, n);
        const uint64_t digest = digest_with_stoa(path);
        CHECK(digest == expected.after || (!through && digest == expected.before));
    }
    free(old.bytes);
}

static size_t n_names(const char *directory)
{
    DIR *stream = opendir(directory);
    size_t n = 0;

    CHECK(stream != NULL);
    while (readdir(stream) != NULL) {
        n++;
    }
    CHECK_I64(closedir(stream), 0);
    return n - 2;
}

static void a_killed_creation_leaves_nothing_or_a_whole_file(void)
{
    const char *directory = check_path("in");
    const char *path = check_path("in/new.h5");
    bool through = false;

    CHECK_I64(mkdir(directory, 0755), 0);
    for (size_t n = 0; !through; n++) {
        through = edit_in_child(path, STOA_FILE_CREATE, n);
        if (!through && access(path, F_OK) == 0) { /* killed between its name and the sync of it */
            CHECK_H5(H5Fclose((hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT))));
            CHECK_I64(unlink(path), 0);
        }
#if defined(__linux__)
        CHECK_U64(n_names(directory), through ? 1 : 0);
#endif
    }
    CHECK_U64(n_names(directory), 1);
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_H5(H5Fclose(file));
}

/* ---- Calls that fail ------------------------------------------------------------------------ */

typedef struct fuse {
    size_t left; /* the call that fails: 1 is the next one */
    int error_number;
    bool only_once;
} fuse;

static int fail_at(void *context, const stoa_disk_call *call)
{
    fuse *at = context;

    (void)call;
    if (at->left > 1) {
        at->left--;
        return 0;
    }
    at->left = at->only_once ? SIZE_MAX : 1;
    return at->error_number;
}

/* The disk refuses one call, or each from then on. Before the commit point that must be an error
 * with the old content left; after it, the content is new whatever the status says. */
static void sweep_failures(bool only_once)
{
    const char *path = check_path("a.h5");
    contents expected;
    image old = record_edit(path, H5F_LIBVER_V18, &expected);
    const size_t n_calls = recorded.n;
    const size_t commit = recorded.commit;

    forget(&recorded);
    for (size_t n = 1; n <= n_calls; n++) {
        fuse at = {n, ENOSPC, only_once};
        stoa_error err = STOA_ERROR_INIT;
        stoa_file *file = NULL;
        write_image(path, &old);
        CHECK_OK(stoa_file_open(path, STOA_FILE_EDIT, &file, &err), &err);
        stoa_disk_watch(fail_at, &at);
        const bool edited = edited_file_edit(stoa_file_id(file));
        const stoa_status status = stoa_file_commit(file, &err);
        stoa_disk_watch(NULL, NULL);
        CHECK(edited);
        CHECK_U64(status, STOA_EIO);
        CHECK_CONTAINS(err.message, "No space left on device");
        const uint64_t digest = digest_with_stoa(path);
        /* The call that makes the commit durable may fail and still have been done. */
        CHECK(digest == (n > commit ? expected.after : expected.before) ||
              (n == commit && digest == expected.after));
    }
    free(old.bytes);
}

static void a_refused_call_is_an_error_and_changes_nothing(void)
{
    sweep_failures(true);
}

static void a_disk_that_refuses_everything_changes_nothing(void)
{
    sweep_failures(false);
}

TEST_MAIN(TEST(a_kill_at_any_call_leaves_the_old_content_or_the_new),
          TEST(a_power_cut_at_any_call_leaves_the_old_content_or_the_new),
          TEST(no_power_cut_leaves_a_mixture_that_stock_readers_believe),
          TEST(an_interrupted_recovery_is_recovered_from),
          TEST(a_killed_process_leaves_the_old_content_or_the_new),
          TEST(a_killed_creation_leaves_nothing_or_a_whole_file),
          TEST(a_refused_call_is_an_error_and_changes_nothing),
          TEST(a_disk_that_refuses_everything_changes_nothing))
