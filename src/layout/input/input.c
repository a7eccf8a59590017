/* Input files: opening, spooling of inputs that cannot be read twice, and decompression by the
 * codec that the first bytes show. */
#include "layout/input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/progress.h"
#include "core/text.h"
#include "layout/input/input_codec.h"

enum { BLOCK_BYTES = 256 * 1024 };

struct stoa_input {
    int file;
    struct stat seen;              /* state of the file when it was opened */
    const stoa_input_codec *codec; /* NULL if not compressed */
    void *state;                   /* state of the codec */
    uint8_t *block;                /* BLOCK_BYTES of the file; window.in points into it */
    stoa_codec_window window;
    uint64_t n_fetched;       /* bytes read from the file so far */
    bool at_end;              /* the file has ended */
    stoa_text_filter *filter; /* NULL: the text is read as it is */
    stoa_field_filter *fields;

    char *name;              /* of an input that follows another one; else NULL */
    struct stoa_input *next; /* which follows; owned */
    struct stoa_input *now;  /* of the first: the input that is being read */
    uint64_t n_lines;        /* line breaks of it so far, if others follow */
    uint8_t last;            /* byte that was read */
};

static const stoa_input_codec *const codecs[] = {&stoa_input_gzip, &stoa_input_zstd};

/* Spooling ---------------------------------------------------------------------------------- */

static stoa_status write_all(int file, const uint8_t *bytes, size_t n, const char *folder,
                             stoa_error *err)
{
    while (n > 0) {
        const ssize_t written = write(file, bytes, n);
        if (written < 0 && errno != EINTR) {
            return stoa_fail_errno(
                err, errno, "cannot keep a copy of the input in '%s' (another place: TMPDIR)",
                folder);
        }
        bytes += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return STOA_OK;
}

/* Create a file that is unlinked at once, so that it is gone when it is closed. */
static stoa_status open_nameless(const char *folder, int *file, stoa_error *err)
{
    char *name = stoa_format("%s/stoa-XXXXXX", folder);

    STOA_RETURN_NO_MEMORY(err, name);
    *file = mkostemp(name, O_CLOEXEC);
    const int error_number = errno;
    if (*file >= 0) {
        (void)unlink(name);
    }
    free(name);
    return *file >= 0 ? STOA_OK
                      : stoa_fail_errno(err, error_number,
                                        "cannot make a temporary file in '%s' (another place: "
                                        "TMPDIR)",
                                        folder);
}

/* Replace a descriptor that can be read only once by one of a copy. */
static stoa_status spool(stoa_input *input, const stoa_listener *listener, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *folder = getenv("TMPDIR");
    int copy = -1;
    uint64_t n_bytes = 0;

    folder = folder != NULL && folder[0] != '\0' ? folder : "/tmp";
    STOA_TRY(open_nameless(folder, &copy, err));
    for (;;) {
        const ssize_t n = read(input->file, input->block, BLOCK_BYTES);
        if (n == 0) {
            break;
        }
        if (n < 0 && errno != EINTR) {
            status = stoa_fail_errno(err, errno, "cannot be read");
            goto done;
        }
        if (n > 0) {
            STOA_TRY(write_all(copy, input->block, (size_t)n, folder, err));
            n_bytes += (uint64_t)n;
        }
        STOA_TRY(stoa_report_progress(
            listener, &(stoa_progress){.stage = "receiving", .bytes = n_bytes}, err));
    }
    (void)close(input->file);
    input->file = copy;
    copy = -1;
    if (fstat(input->file, &input->seen) != 0) {
        status = stoa_fail_errno(err, errno, "cannot be examined");
    }

done:
    if (copy >= 0) {
        (void)close(copy);
    }
    return status;
}

/* Reading ----------------------------------------------------------------------------------- */

/* Read the next block of the file, once the last one is used up. */
static stoa_status fetch(stoa_input *input, stoa_error *err)
{
    ssize_t n;

    do {
        n = read(input->file, input->block, BLOCK_BYTES);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return stoa_fail_errno(err, errno, "cannot be read");
    }
    input->window.in = input->block;
    input->window.n_in = (size_t)n;
    input->n_fetched += (uint64_t)n;
    input->at_end = n == 0;
    return STOA_OK;
}

/* Read straight into the caller's buffer, since data that is not compressed needs no block. */
static stoa_status fetch_plain(stoa_input *input, stoa_codec_window *window, stoa_error *err)
{
    ssize_t n;

    do {
        n = read(input->file, window->out, window->n_out);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return stoa_fail_errno(err, errno, "cannot be read");
    }
    window->out += n;
    window->n_out -= (size_t)n;
    input->n_fetched += (uint64_t)n;
    input->at_end = n == 0;
    return STOA_OK;
}

static void copy_plain(stoa_codec_window *window)
{
    const size_t n = window->n_in < window->n_out ? window->n_in : window->n_out;

    memcpy(window->out, window->in, n);
    window->in += n;
    window->n_in -= n;
    window->out += n;
    window->n_out -= n;
}

static stoa_status read_bytes(void *context, void *bytes, size_t capacity, size_t *n,
                              stoa_error *err)
{
    stoa_input *const input = context;
    stoa_codec_window *window = &input->window;

    window->out = bytes;
    window->n_out = capacity;
    while (window->n_out > 0) {
        const size_t room = window->n_out;
        if (window->n_in == 0 && !input->at_end) {
            STOA_RETURN_NOT_OK(input->codec != NULL ? fetch(input, err)
                                                    : fetch_plain(input, window, err));
        }
        const size_t n_in = window->n_in;
        if (input->codec == NULL) {
            copy_plain(window);
        } else {
            STOA_RETURN_NOT_OK(input->codec->decode(input->state, window, err));
        }
        if (window->n_out == room && window->n_in == n_in && input->at_end) {
            if (input->codec != NULL && !input->codec->is_complete(input->state)) {
                return stoa_fail(err, STOA_EDATA, "the file is cut off: its %s data has no end",
                                 input->codec->name);
            }
            break;
        }
    }
    *n = capacity - window->n_out;
    return STOA_OK;
}

static stoa_status read_lines(void *context, void *bytes, size_t capacity, size_t *n,
                              stoa_error *err)
{
    stoa_input *const input = context;

    return input->filter != NULL
               ? stoa_text_filter_read(input->filter, read_bytes, input, bytes, capacity, n, err)
               : read_bytes(input, bytes, capacity, n, err);
}

static stoa_status read_text(stoa_input *input, void *bytes, size_t capacity, size_t *n,
                             stoa_error *err)
{
    return input->fields != NULL
               ? stoa_field_filter_read(input->fields, read_lines, input, bytes, capacity, n, err)
               : read_lines(input, bytes, capacity, n, err);
}

/* Read of several inputs in turn. Their line breaks are counted. */
static stoa_status read_all(stoa_input *input, uint8_t *bytes, size_t capacity, size_t *n,
                            stoa_error *err)
{
    *n = 0;
    while (*n < capacity && input->now != NULL) {
        stoa_input *const now = input->now;
        size_t some = 0;
        const stoa_status status = read_text(now, bytes + *n, capacity - *n, &some, err);
        STOA_RETURN_NOT_OK(now->name != NULL ? stoa_at(err, status, "%s", now->name) : status);
        for (size_t i = *n; i < *n + some; i++) {
            now->n_lines += bytes[i] == '\n';
        }
        *n += some;
        now->last = some > 0 ? bytes[*n - 1] : now->last;
        if (*n < capacity && now->last != '\n' && now->last != 0) {
            bytes[(*n)++] = now->last = '\n';
            now->n_lines++;
        } else if (*n < capacity) {
            input->now = now->next;
        }
    }
    return STOA_OK;
}

stoa_status stoa_input_read(stoa_input *input, void *bytes, size_t capacity, size_t *n,
                            stoa_error *err)
{
    return input->next == NULL ? read_text(input, bytes, capacity, n, err)
                               : read_all(input, bytes, capacity, n, err);
}

stoa_status stoa_input_use_text(stoa_input *input, const stoa_input_text *text, stoa_error *err)
{
    if (text->encoding == NULL && text->n_skipped == 0 && text->comment == 0 &&
        text->n_header == 0) {
        return STOA_OK;
    }
    stoa_text_filter_close(input->filter);
    input->filter = NULL;
    STOA_RETURN_NOT_OK(stoa_text_filter_open(text, &input->filter, err));
    return stoa_input_rewind(input, err);
}

stoa_status stoa_input_use_fields(stoa_input *input, const stoa_field_order *order, stoa_error *err)
{
    stoa_field_filter_close(input->fields);
    return stoa_field_filter_open(order, &input->fields, err);
}

stoa_status stoa_input_append(stoa_input *input, stoa_input *next, const char *name,
                              stoa_error *err)
{
    stoa_input *last = input;

    while (last->next != NULL) {
        last = last->next;
    }
    last->next = next;
    next->name = stoa_strdup(name);
    STOA_RETURN_NO_MEMORY(err, next->name);
    return STOA_OK;
}

stoa_input *stoa_input_next(const stoa_input *input)
{
    return input->next;
}

const char *stoa_input_locate(const stoa_input *input, uint64_t *line)
{
    const stoa_input *at = input;

    while (at->next != NULL && *line > at->n_lines && at != input->now) {
        *line -= at->n_lines;
        at = at->next;
    }
    if (at->filter != NULL) {
        *line = stoa_text_filter_line(at->filter, *line);
    }
    return at->name;
}

stoa_status stoa_input_skip(stoa_input *input, uint64_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *passed = NULL;

    if (input->codec == NULL && input->filter == NULL && input->next == NULL &&
        n > input->window.n_in) {
        const uint64_t far = n - input->window.n_in;
        input->window.n_in = 0;
        if (far > INT64_MAX || lseek(input->file, (off_t)far, SEEK_CUR) < 0) {
            status = stoa_fail_errno(err, errno, "cannot be read from further on");
            goto done;
        }
        input->n_fetched += far;
        goto done;
    }
    passed = stoa_alloc(BLOCK_BYTES, 1);
    STOA_TRY(passed != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t some = 1; n > 0 && some > 0; n -= some) {
        STOA_TRY(
            stoa_input_read(input, passed, n < BLOCK_BYTES ? (size_t)n : BLOCK_BYTES, &some, err));
    }

done:
    free(passed);
    return status;
}

/* Read the first block, and choose the codec by it. */
static stoa_status begin(stoa_input *input, stoa_error *err)
{
    STOA_RETURN_NOT_OK(fetch(input, err));
    input->codec = NULL;
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        if (codecs[i]->knows(input->window.in, input->window.n_in)) {
            input->codec = codecs[i];
            STOA_RETURN_NOT_OK(input->codec->open(&input->state, err));
            break;
        }
    }
    return STOA_OK;
}

stoa_status stoa_input_rewind(stoa_input *input, stoa_error *err)
{
    if (input->next != NULL) {
        STOA_RETURN_NOT_OK(stoa_input_rewind(input->next, err));
    }
    if (input->filter != NULL) {
        stoa_text_filter_rewind(input->filter);
    }
    if (input->fields != NULL) {
        stoa_field_filter_rewind(input->fields);
    }
    input->now = input;
    input->n_lines = 0;
    input->last = 0;
    input->at_end = false;
    if (input->codec != NULL) {
        input->codec->close(input->state);
        input->state = NULL;
    }
    if (lseek(input->file, 0, SEEK_SET) != 0) {
        return stoa_fail_errno(err, errno, "cannot be read a second time");
    }
    input->n_fetched = 0;
    return begin(input, err);
}

stoa_status stoa_input_open(const char *name, const stoa_listener *listener, stoa_input **input,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_input *self = stoa_alloc_zero(1, sizeof *self);

    *input = NULL;
    STOA_RETURN_NO_MEMORY(err, self);
    self->file = -1;
    self->block = stoa_alloc(BLOCK_BYTES, 1);
    if (self->block == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    self->file = strcmp(name, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                        : open(name, O_RDONLY | O_CLOEXEC);
    if (self->file < 0 || fstat(self->file, &self->seen) != 0) {
        status = stoa_fail_errno(err, errno, "cannot be opened");
        goto done;
    }
    if (S_ISDIR(self->seen.st_mode)) {
        STOA_FAIL(err, STOA_EIO, "is a directory, not a file");
    }
    if (!S_ISREG(self->seen.st_mode) || strcmp(name, "-") == 0) {
        STOA_TRY(spool(self, listener, err));
    }
    STOA_TRY(stoa_input_rewind(self, err));
    *input = self;
    self = NULL;

done:
    stoa_input_close(self);
    return status;
}

bool stoa_input_has_changed(const stoa_input *input)
{
    struct stat now;

    return fstat(input->file, &now) != 0 || now.st_size != input->seen.st_size ||
           now.st_mtime != input->seen.st_mtime ||
           (input->next != NULL && stoa_input_has_changed(input->next));
}

uint64_t stoa_input_used(const stoa_input *input)
{
    return input->n_fetched - input->window.n_in +
           (input->next != NULL ? stoa_input_used(input->next) : 0);
}

uint64_t stoa_input_total(const stoa_input *input)
{
    return (uint64_t)input->seen.st_size +
           (input->next != NULL ? stoa_input_total(input->next) : 0);
}

void stoa_input_close(stoa_input *input)
{
    if (input == NULL) {
        return;
    }
    stoa_input_close(input->next);
    stoa_text_filter_close(input->filter);
    stoa_field_filter_close(input->fields);
    free(input->name);
    if (input->codec != NULL) {
        input->codec->close(input->state);
    }
    if (input->file >= 0) {
        (void)close(input->file);
    }
    free(input->block);
    free(input);
}

size_t stoa_input_stem(const char *name)
{
    static const char *const packed[] = {".gz", ".zst"};
    const size_t length = strlen(name);

    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (stoa_ends_with(name, length, packed[i])) {
            return length - strlen(packed[i]);
        }
    }
    return length;
}
