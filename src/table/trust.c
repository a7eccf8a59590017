/*
 * The ledger of tables whose indexes this user's Stoa built or verified (HEP001 §16).
 *
 * One line a table: device, inode, size, seconds and nanoseconds of the modification time, path;
 * the path last, with control characters, blanks and '%' as %XX. What must stay true:
 *
 *   1. A line holds only for the file exactly as it was when the line was written.
 *   2. A reader sees the ledger before or after a record, never in between (a new file, renamed).
 *   3. Two recorders do not lose each other's line (a lock beside the ledger).
 *   4. A ledger that others could have written is not believed.
 */
#include <stoa/index.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/unfinished.h"

/* The newest lines that are kept, and the most bytes a ledger can have. */
enum { MAX_LINES = 4096, MAX_BYTES = 16 << 20 };

#if defined(__APPLE__)
#define MODIFIED(info) ((info).st_mtimespec)
#else
#define MODIFIED(info) ((info).st_mtim)
#endif

/* Of the ledger: a directory, or a file in it; NULL (and err) if memory or $HOME is missing. */
static stoa_status state_path(const char *name, char **path, stoa_error *err)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");

    *path = NULL;
    if (state != NULL && state[0] == '/') { /* relative ones are to be ignored (XDG) */
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

/* The directory and those above it, each for this user alone if it has to be made. */
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

/* What a line says of the file (invariant 1), up to and including the blank before the path. */
static stoa_status identity_of(const char *file, stoa_buffer *line, size_t *identity_length,
                               stoa_error *err)
{
    struct stat info;
    stoa_status status = STOA_OK;

    if (stat(file, &info) != 0) {
        return stoa_fail_errno(err, errno, "cannot look at '%s'", file);
    }
    STOA_TRY(stoa_buffer_print(line, err, "%llu %llu ", (unsigned long long)info.st_dev,
                               (unsigned long long)info.st_ino));
    *identity_length = line->size;
    STOA_TRY(stoa_buffer_print(line, err, "%lld %lld.%09ld ", (long long)info.st_size,
                               (long long)MODIFIED(info).tv_sec, (long)MODIFIED(info).tv_nsec));

done:
    return status;
}

/* The line of a table. Two lines that begin with the same `identity_length` bytes are of one
 * file. */
static stoa_status line_of(const char *file, const char *path, stoa_buffer *line,
                           size_t *identity_length, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(identity_of(file, line, identity_length, err));
    for (const char *c = path; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        STOA_TRY(byte <= ' ' || byte == '%' || byte == 0x7f
                     ? stoa_buffer_print(line, err, "%%%02X", byte)
                     : stoa_buffer_append(line, &byte, 1, err));
    }
    STOA_TRY(stoa_buffer_append(line, "\n", 1, err));

done:
    return status;
}

/* All of the ledger; nothing if there is none, if it is not this user's alone to write (invariant
 * 4), or absurdly large. */
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

/* The next whole line of a text; false at its end. */
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

/* Length of the part of a line that says how the file was: all before the path. */
static size_t state_length(const stoa_buffer *line)
{
    size_t length = line->size;

    while (length > 0 && line->data[length - 1] != ' ') {
        length--;
    }
    return length;
}

/* The ledger with the new line: lines of the same file in another state are stale and go. */
static stoa_status merge(const stoa_buffer *old, const stoa_buffer *line, size_t identity_length,
                         stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t same_state = state_length(line);
    const char *text;
    size_t length;
    size_t n_lines = 0;

    for (size_t at = 0; next_line(old, &at, &text, &length);) {
        n_lines++;
    }
    for (size_t at = 0; next_line(old, &at, &text, &length); n_lines--) {
        const bool is_this_file = begins_with(text, length, line->data, identity_length);
        const bool is_stale = is_this_file && !begins_with(text, length, line->data, same_state);
        const bool is_this_line =
            length == line->size && begins_with(text, length, line->data, length);
        if (!is_stale && !is_this_line && n_lines < MAX_LINES) {
            STOA_TRY(stoa_buffer_append(out, text, length, err));
        }
    }
    STOA_TRY(stoa_buffer_append(out, line->data, line->size, err));

done:
    return status;
}

/* Write a new file and move it over the ledger (invariant 2). */
static stoa_status replace_ledger(const char *path, const stoa_buffer *text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t written = 0;
    int fd = -1;
    char *fresh = stoa_format("%s.new", path);

    if (fresh == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    stoa_unfinished_note(fresh);
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
    stoa_unfinished_forget(fresh);
    free(fresh);
    return status;
}

/* One recorder at a time (invariant 3). The lock goes with the descriptor. */
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

stoa_status stoa_trust_record(const char *file, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *directory = NULL;
    char *ledger = NULL;
    char *lock = NULL;
    int fd = -1;
    size_t identity_length = 0;
    stoa_buffer line = {0};
    stoa_buffer old = {0};
    stoa_buffer merged = {0};

    STOA_TRY(state_path("", &directory, err));
    STOA_TRY(state_path("/ledger", &ledger, err));
    STOA_TRY(state_path("/ledger.lock", &lock, err));
    STOA_TRY(line_of(file, path, &line, &identity_length, err));
    STOA_TRY(make_directories(directory, err));
    STOA_TRY(lock_ledger(lock, &fd, err));
    STOA_TRY(read_ledger(ledger, &old, err));
    STOA_TRY(merge(&old, &line, identity_length, &merged, err));
    STOA_TRY(replace_ledger(ledger, &merged, err));

done:
    if (fd >= 0) {
        (void)close(fd);
    }
    stoa_buffer_clear(&merged);
    stoa_buffer_clear(&old);
    stoa_buffer_clear(&line);
    free(lock);
    free(ledger);
    free(directory);
    return status;
}

bool stoa_trust_holds(const char *file, const char *path)
{
    stoa_status status = STOA_OK;
    char *ledger = NULL;
    size_t identity_length = 0;
    stoa_buffer line = {0};
    stoa_buffer text = {0};
    bool holds = false;
    const char *found;
    size_t length;

    STOA_TRY(state_path("/ledger", &ledger, NULL));
    STOA_TRY(line_of(file, path, &line, &identity_length, NULL));
    STOA_TRY(read_ledger(ledger, &text, NULL));
    for (size_t at = 0; !holds && next_line(&text, &at, &found, &length);) {
        holds = length == line.size && begins_with(found, length, line.data, length);
    }

done:
    stoa_buffer_clear(&text);
    stoa_buffer_clear(&line);
    free(ledger);
    return status == STOA_OK && holds;
}
