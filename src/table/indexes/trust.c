/*
 * The ledger of tables whose indexes this user's Stoa built or verified (HEP001 §16).
 *
 * Each table has one line: "v2", device, inode, size, mtime, ctime (seconds and nanoseconds),
 * GENERATION or "-", and path. In the path, control characters, blanks and '%' are written as %XX.
 * Lines of other versions are ignored and dropped by the next write.
 *
 * Invariants:
 * 1. A line holds only for the exact state of the file when it was written. No line is written
 *    while another change could leave the same timestamps (git calls such entries racy).
 * 2. A reader sees the ledger before or after a write, never in between: a new file is renamed over
 *    it.
 * 3. Two writers do not lose each other's lines: they use a lock file beside the ledger.
 * 4. A ledger that other users could have written is ignored.
 */
#include "table/indexes/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/exit_cleanup.h"
#include "core/memory.h"
#include "hdf/file/lock.h"
#include "hdf/metadata/attributes.h"

/* Limits of a ledger: lines (the newest are kept) and bytes. */
enum { MAX_LINES = 65536, MAX_BYTES = 16 << 20 };

#define SECOND INT64_C(1000000000)

/* Longest wait for timestamps to settle: in a record, and in a stamp, whose caller expects to wait.
 * MAX_TRIES limits how often the file may change meanwhile. */
#define RECORD_WAITS (SECOND / 10)
#define STAMP_WAITS (2 * SECOND)
enum { MAX_TRIES = 8 };

static const char version[] = "v2 ";

/* Path of the ledger's directory (`name` is "") or of a file in it. Fails if memory runs out or no
 * state directory is known. */
static stoa_status state_path(const char *name, char **path, stoa_error *err)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");

    *path = NULL;
    if (state != NULL && state[0] == '/') { /* XDG requires relative paths to be ignored */
        *path = stoa_format("%s/stoa%s", state, name);
    } else if (home != NULL && home[0] == '/') {
        *path = stoa_format("%s/.local/state/stoa%s", home, name);
    } else {
        return stoa_fail(err, STOA_ENOTFOUND,
                         "no place for the ledger of trusted files: neither XDG_STATE_HOME nor "
                         "HOME is an absolute path");
    }
    return *path != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Create the directory and its parents with access for this user only. */
static stoa_status make_directories(char *path, stoa_error *err)
{
    for (char *slash = path + 1;; slash++) {
        if (*slash != '/' && *slash != '\0') {
            continue;
        }
        const char kept = *slash;
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            return stoa_fail_errno(err, errno, "cannot make the directory '%s'", path);
        }
        *slash = kept;
        if (kept == '\0') {
            return STOA_OK;
        }
    }
}

/* --- Timestamps ------------------------------------------------------------------------------ */

/* Time until a timestamp is older than the clock granularity of the file system. That is 1 to 10
 * ms, or one to two seconds if there is no fraction. */
static int64_t until_settled(const struct timespec *stamp, const struct timespec *now)
{
    const int64_t granularity = stamp->tv_nsec == 0 ? 2 * SECOND : SECOND / 50;
    const int64_t seconds = (int64_t)now->tv_sec - (int64_t)stamp->tv_sec;

    if (seconds > 3) {
        return 0;
    }
    if (seconds < -3) {
        return 5 * SECOND;
    }
    const int64_t age = seconds * SECOND + ((int64_t)now->tv_nsec - (int64_t)stamp->tv_nsec);
    return age < granularity ? granularity - age : 0;
}

int64_t stoa_trust_unsettled(const struct timespec *modified, const struct timespec *changed,
                             const struct timespec *now)
{
    const bool is_set = modified->tv_sec > now->tv_sec; /* set explicitly to a future time */
    const int64_t a = is_set ? 0 : until_settled(modified, now);
    const int64_t b = until_settled(changed, now);

    return a > b ? a : b;
}

/* Describe the file's present state, without the version (invariant 1). */
static stoa_status describe_file(const char *file, char **text, int64_t *unsettled, stoa_error *err)
{
    struct stat info;
    struct timespec now = {0};

    *text = NULL;
    if (stat(file, &info) != 0) {
        return stoa_fail_errno(err, errno, "cannot look at '%s'", file);
    }
    (void)clock_gettime(CLOCK_REALTIME, &now);
    *unsettled = stoa_trust_unsettled(&STOA_STAT_MODIFIED(&info), &STOA_STAT_CHANGED(&info), &now);
    *text = stoa_lock_stamp(&info);
    return *text != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* The same, after waiting until the timestamps have settled. */
static stoa_status settle(const char *file, int64_t waits, char **text, stoa_error *err)
{
    int64_t unsettled = 0;

    for (int i = 0; i < MAX_TRIES; i++) {
        STOA_RETURN_NOT_OK(describe_file(file, text, &unsettled, err));
        if (unsettled == 0) {
            return STOA_OK;
        }
        free(*text);
        *text = NULL;
        if (unsettled > waits) {
            break;
        }
        const struct timespec pause = {(time_t)(unsettled / SECOND), (long)(unsettled % SECOND)};
        (void)nanosleep(&pause, NULL);
    }
    return stoa_fail(
        err, STOA_EIO,
        "the file changed so shortly ago that its time stamps would not show another change; "
        "'stoa index verify' a little later notes it");
}

stoa_status stoa_trust_stamp(const char *file, char **stamp, stoa_error *err)
{
    return settle(file, STAMP_WAITS, stamp, err);
}

bool stoa_trust_generation(hid_t loc, const char *path, uint64_t *generation)
{
    bool found = false;
    hid_t group = H5I_INVALID_HID;
    const stoa_error_stack errors = stoa_error_stack_begin();

    group = stoa_open_here(loc, path);
    found = group >= 0 && stoa_attribute_exists(group, "GENERATION") &&
            stoa_attribute_read_u64(group, "GENERATION", generation, &found, NULL) == STOA_OK &&
            found;
    (void)stoa_hdf_close(&group, STOA_OK, NULL);
    stoa_error_stack_discard(&errors);
    return found;
}

/* --- Lines ----------------------------------------------------------------------------------- */

/* A line of the ledger, and where its parts end. */
typedef struct entry {
    stoa_buffer line;
    size_t file;  /* end of version, device, inode: identifies the file */
    size_t mtime; /* end of size, mtime */
    size_t ctime; /* end of the file's state */
    size_t path;  /* position of the blank before the path */
} entry;

/* Position after the n-th word and the blank behind it. */
static size_t end_of_word(const stoa_buffer *line, unsigned n)
{
    size_t at = 0;

    while (n > 0 && at < line->size) {
        n -= line->data[at++] == ' ';
    }
    return at;
}

/* Make the line of a table in a file with this state. */
static stoa_status make_entry(const char *state, const char *path, const uint64_t *generation,
                              entry *made, stoa_error *err)
{
    stoa_buffer *const line = &made->line;

    STOA_RETURN_NOT_OK(stoa_buffer_print(line, err, "%s%s", version, state));
    made->file = end_of_word(line, 3);
    made->mtime = end_of_word(line, 5);
    made->ctime = line->size;
    if (generation != NULL) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(line, err, "%llu", (unsigned long long)*generation));
    } else {
        STOA_RETURN_NOT_OK(stoa_buffer_print(line, err, "-"));
    }
    made->path = line->size;
    STOA_RETURN_NOT_OK(stoa_buffer_append(line, " ", 1, err));
    for (const char *c = path; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        STOA_RETURN_NOT_OK(byte <= ' ' || byte == '%' || byte == 0x7f
                               ? stoa_buffer_print(line, err, "%%%02X", byte)
                               : stoa_buffer_append(line, &byte, 1, err));
    }
    return stoa_buffer_append(line, "\n", 1, err);
}

/* Read the whole ledger. The result is empty if the file does not exist, is too large, or could be
 * written by others (invariant 4). */
static stoa_status read_ledger(const char *path, stoa_buffer *text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0) {
        return STOA_OK;
    }
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
        (info.st_mode & (S_IWGRP | S_IWOTH)) != 0 || info.st_size > MAX_BYTES) {
        goto done;
    }
    STOA_TRY(stoa_buffer_grow(text, (size_t)info.st_size, err));
    text->size = 0;
    while (text->size < (size_t)info.st_size) {
        const ssize_t n = read(fd, text->data + text->size, (size_t)info.st_size - text->size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        text->size += (size_t)n;
    }

done:
    (void)close(fd);
    return status;
}

/* Get the next complete line; false at the end. */
static bool next_line(const stoa_buffer *text, size_t *at, const char **line, size_t *length)
{
    if (*at >= text->size) {
        return false;
    }
    const char *start = (const char *)text->data + *at;
    const char *end = memchr(start, '\n', text->size - *at);
    if (end == NULL) {
        return false;
    }
    *line = start;
    *length = (size_t)(end - start) + 1;
    *at += *length;
    return true;
}

static bool begins_with(const char *line, size_t length, const uint8_t *prefix, size_t n)
{
    return length >= n && memcmp(line, prefix, n) == 0;
}

static bool ends_with(const char *line, size_t length, const uint8_t *suffix, size_t n)
{
    return length >= n && memcmp(line + length - n, suffix, n) == 0;
}

/* Whether a line is of another version, or of the file of the new lines, but of another state or of
 * one of their tables. */
static bool is_replaced(const char *text, size_t length, const entry *new, size_t n)
{
    const uint8_t *const state = new[0].line.data;

    if (!begins_with(text, length, state, new[0].file)) {
        return !begins_with(text, length, (const uint8_t *)version, sizeof version - 1);
    }
    if (!begins_with(text, length, state, new[0].ctime)) {
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        const stoa_buffer *const line = &new[i].line;
        if (ends_with(text, length, line->data + new[i].path, line->size - new[i].path)) {
            return true;
        }
    }
    return false;
}

/* Copy the ledger and add the new lines, n of them, of tables in one file. The oldest lines are
 * dropped at the limits. */
static stoa_status merge(const stoa_buffer *old, const entry *new, size_t n, stoa_buffer *out,
                         stoa_error *err)
{
    const char *text;
    size_t length;
    size_t n_lines = n;
    size_t n_bytes = old->size;

    for (size_t at = 0; next_line(old, &at, &text, &length);) {
        n_lines++;
    }
    for (size_t i = 0; i < n; i++) {
        n_bytes += new[i].line.size;
    }
    for (size_t at = 0; next_line(old, &at, &text, &length); n_lines--, n_bytes -= length) {
        if (n_lines <= MAX_LINES && n_bytes <= MAX_BYTES && !is_replaced(text, length, new, n)) {
            STOA_RETURN_NOT_OK(stoa_buffer_append(out, text, length, err));
        }
    }
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_append(out, new[i].line.data, new[i].line.size, err));
    }
    return STOA_OK;
}

/* --- The ledger ------------------------------------------------------------------------------ */

/* Write a new file and rename it over the ledger (invariant 2). */
static stoa_status replace_ledger(const char *path, const stoa_buffer *text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t written = 0;
    int fd = -1;
    char *fresh = stoa_format("%s.new", path);

    STOA_TRY(fresh != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_exit_cleanup_note(fresh);
    fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        STOA_TRY(stoa_fail_errno(err, errno, "cannot write '%s'", fresh));
    }
    while (written < text->size) {
        const ssize_t n = write(fd, text->data + written, text->size - written);
        if (n < 0 && errno != EINTR) {
            STOA_TRY(stoa_fail_errno(err, errno, "cannot write '%s'", fresh));
        }
        written += n > 0 ? (size_t)n : 0;
    }
    if (rename(fresh, path) != 0) {
        STOA_TRY(stoa_fail_errno(err, errno, "cannot replace '%s'", path));
    }

done:
    if (fd >= 0) {
        (void)close(fd);
    }
    if (status != STOA_OK && fresh != NULL) {
        (void)unlink(fresh);
    }
    stoa_exit_cleanup_forget(fresh);
    free(fresh);
    return status;
}

/* Lock the ledger for one writer (invariant 3). Closing the descriptor unlocks it. */
static stoa_status lock_ledger(const char *path, int *fd, stoa_error *err)
{
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0) {
        return stoa_fail_errno(err, errno, "cannot open '%s'", path);
    }
    while (flock(*fd, LOCK_EX) != 0) {
        if (errno != EINTR) {
            return stoa_fail_errno(err, errno, "cannot lock '%s'", path);
        }
    }
    return STOA_OK;
}

static stoa_status add_entries(const char *ledger, const entry *new, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *directory = NULL;
    char *lock = NULL;
    int fd = -1;
    stoa_buffer old = {0};
    stoa_buffer merged = {0};

    STOA_TRY(state_path("", &directory, err));
    STOA_TRY(state_path("/ledger.lock", &lock, err));
    STOA_TRY(make_directories(directory, err));
    STOA_TRY(lock_ledger(lock, &fd, err));
    STOA_TRY(read_ledger(ledger, &old, err));
    STOA_TRY(merge(&old, new, n, &merged, err));
    STOA_TRY(replace_ledger(ledger, &merged, err));

done:
    if (fd >= 0) {
        (void)close(fd);
    }
    stoa_buffer_clear(&merged);
    stoa_buffer_clear(&old);
    free(lock);
    free(directory);
    return stoa_at(err, status, "the ledger of trusted files '%s' cannot be written", ledger);
}

stoa_status stoa_trust_record_all(const char *file, const stoa_trust_table *tables, size_t n,
                                  const char *stamp, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *ledger = NULL;
    char *state = NULL;
    int64_t ignored = 0;
    entry *new = stoa_alloc_zero(n, sizeof *new);

    STOA_TRY(new != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(state_path("/ledger", &ledger, err));
    STOA_TRY(stamp == NULL ? settle(file, RECORD_WAITS, &state, err)
                           : describe_file(file, &state, &ignored, err));
    if (stamp != NULL && strcmp(stamp, state) != 0) {
        STOA_FAIL(err, STOA_EIO,
                  "the file changed after its indexes were made or while they were compared; "
                  "'stoa index verify' compares them");
    }
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(make_entry(state, tables[i].path, tables[i].generation, &new[i], err));
    }
    STOA_TRY(add_entries(ledger, new, n, err));

done:
    for (size_t i = 0; new != NULL &&i < n; i++) {
        stoa_buffer_clear(&new[i].line);
    }
    free(new);
    free(state);
    free(ledger);
    return status;
}

stoa_status stoa_trust_record(const char *file, const char *path, const uint64_t *generation,
                              const char *stamp, stoa_error *err)
{
    return stoa_trust_record_all(file, &(stoa_trust_table){path, generation}, 1, stamp, err);
}

/* Make the line that holds for a table now, and read the ledger. The caller clears both, also after
 * a failure. */
static stoa_status look_up(const char *file, const char *path, const uint64_t *generation,
                           entry *now, stoa_buffer *text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *ledger = NULL;
    char *state = NULL;
    int64_t ignored = 0;

    STOA_TRY(state_path("/ledger", &ledger, err));
    STOA_TRY(describe_file(file, &state, &ignored, err));
    STOA_TRY(make_entry(state, path, generation, now, err));
    STOA_TRY(read_ledger(ledger, text, err));

done:
    free(state);
    free(ledger);
    return status;
}

/* Undo what make_entry() does to a path, in place. */
static void decode_path(char *path)
{
    char *to = path;

    for (const char *from = path; *from != '\0'; to++) {
        const char digits[] = {from[0] == '%' ? from[1] : '\0', from[1] != '\0' ? from[2] : '\0',
                               0};
        char *end = NULL;
        const unsigned long byte = from[0] == '%' ? strtoul(digits, &end, 16) : 0;
        const bool is_escape = end == digits + 2;
        *to = is_escape ? (char)byte : *from;
        from += is_escape ? 3 : 1;
    }
    *to = '\0';
}

/* Tell of the table in the rest of a line, "GENERATION path\n". */
static stoa_status visit_line(const char *rest, size_t length, stoa_trust_visitor *visitor,
                              void *context, stoa_error *err)
{
    char *const text = stoa_format("%.*s", (int)length - 1, rest);
    char *const blank = text != NULL ? strchr(text, ' ') : NULL;
    char *end = NULL;
    stoa_status status = STOA_OK;

    STOA_RETURN_NO_MEMORY(err, text);
    if (blank != NULL) {
        *blank = '\0';
        const uint64_t generation = strtoull(text, &end, 10);
        decode_path(blank + 1);
        status =
            visitor(context, &(stoa_trust_table){blank + 1, end != text ? &generation : NULL}, err);
    }
    free(text);
    return status;
}

stoa_status stoa_trust_visit(const char *file, stoa_trust_visitor *visitor, void *context,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    entry now = {.file = 0};
    stoa_buffer text = {0};
    const char *line;
    size_t length;

    STOA_TRY(look_up(file, "", NULL, &now, &text, err));
    for (size_t at = 0; next_line(&text, &at, &line, &length);) {
        if (begins_with(line, length, now.line.data, now.ctime)) {
            STOA_TRY(visit_line(line + now.ctime, length - now.ctime, visitor, context, err));
        }
    }

done:
    stoa_buffer_clear(&text);
    stoa_buffer_clear(&now.line);
    return status;
}

/* What one line says about the table's present state. */
static stoa_trust read_line(const char *text, size_t length, const entry *now)
{
    const stoa_buffer *const line = &now->line;

    if (length == line->size && begins_with(text, length, line->data, length)) {
        return STOA_TRUST_HOLDS;
    }
    if (!begins_with(text, length, line->data, now->file) ||
        !ends_with(text, length, line->data + now->path, line->size - now->path)) {
        return STOA_TRUST_NONE;
    }
    /* The tail is GENERATION and path, with the blank before them. */
    const size_t tail = now->ctime - 1;
    return begins_with(text, length, line->data, now->mtime) &&
                   ends_with(text, length, line->data + tail, line->size - tail)
               ? STOA_TRUST_TOUCHED
               : STOA_TRUST_CHANGED;
}

stoa_trust stoa_trust_get(const char *file, const char *path, const uint64_t *generation)
{
    entry now = {.file = 0};
    stoa_buffer text = {0};
    stoa_trust trust = STOA_TRUST_NONE;
    const char *found;
    size_t length;
    const stoa_status status = look_up(file, path, generation, &now, &text, NULL);

    for (size_t at = 0; status == STOA_OK && trust != STOA_TRUST_HOLDS &&
                        next_line(&text, &at, &found, &length);) {
        const stoa_trust said = read_line(found, length, &now);
        trust = said != STOA_TRUST_NONE ? said : trust;
    }
    stoa_buffer_clear(&text);
    stoa_buffer_clear(&now.line);
    return trust;
}
