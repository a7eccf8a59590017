/* stoa_error: the caller owns it, the first failure wins, and the message is one line. */
#include "core/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *stoa_status_name(stoa_status status)
{
    static const char *const names[] = {
        "ok",           "invalid argument", "not found",     "exists already",
        "other layout", "newer version",    "type mismatch", "out of range",
        "damaged data", "would lose data",  "syntax error",  "input/output error",
        "HDF5 error",   "out of memory",    "cancelled",
    };

    return (size_t)status < sizeof names / sizeof names[0] ? names[status] : "unknown status";
}

/* Replace control characters, which may come from names in damaged files, by '?'. */
static void keep_one_line(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            *text = '?';
        }
    }
}

static void set_message(stoa_error *err, stoa_status status, const char *format, va_list args)
{
    if (err->status != STOA_OK) {
        return;
    }
    err->status = status;
    (void)vsnprintf(err->message, sizeof err->message, format, args);
    keep_one_line(err->message);
}

stoa_status stoa_fail(stoa_error *err, stoa_status status, const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        set_message(err, status, format, args);
        va_end(args);
    }
    return status;
}

stoa_status stoa_fail_errno(stoa_error *err, int error_number, const char *format, ...)
{
    const stoa_status status = error_number == ENOENT   ? STOA_ENOTFOUND
                               : error_number == ENOMEM ? STOA_ENOMEM
                                                        : STOA_EIO;

    if (err != NULL && err->status == STOA_OK) {
        va_list args;
        va_start(args, format);
        set_message(err, status, format, args);
        va_end(args);
        stoa_advise(err, ": %s", strerror(error_number));
    }
    return status;
}

stoa_status stoa_fail_memory(stoa_error *err)
{
    return stoa_fail(err, STOA_ENOMEM, "out of memory");
}

stoa_status stoa_at(stoa_error *err, stoa_status status, const char *format, ...)
{
    if (err != NULL && status != STOA_OK && err->where[0] == '\0') {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(err->where, sizeof err->where, format, args);
        va_end(args);
        keep_one_line(err->where);
    }
    return status;
}

/* Whether a place names an object of the file that another place names. */
static bool is_in_same_file(const char *place, const char *other)
{
    const char *const path = strstr(place, ":/");
    const size_t length = path != NULL ? (size_t)(path - place) + 2 : 0;

    return length > 0 && strncmp(place, other, length) == 0;
}

stoa_status stoa_within(stoa_error *err, stoa_status status, const char *format, ...)
{
    if (err != NULL && status != STOA_OK) {
        char inner[sizeof err->where];
        va_list args;
        memcpy(inner, err->where, sizeof inner);
        va_start(args, format);
        (void)vsnprintf(err->where, sizeof err->where, format, args);
        va_end(args);
        const size_t length = strlen(err->where);
        const size_t n_inner = strlen(inner);
        if (n_inner < length && strcmp(err->where + length - n_inner, inner) == 0) {
            inner[0] = '\0';
        }
        if (strncmp(inner, err->where, length) == 0 || is_in_same_file(inner, err->where)) {
            memcpy(err->where, inner, sizeof inner);
        } else if (inner[0] != '\0') {
            (void)snprintf(err->where + length, sizeof err->where - length, ": %s", inner);
        }
        keep_one_line(err->where);
    }
    return status;
}

void stoa_advise(stoa_error *err, const char *format, ...)
{
    if (err != NULL) {
        const size_t length = strlen(err->message);
        va_list args;
        va_start(args, format);
        (void)vsnprintf(err->message + length, sizeof err->message - length, format, args);
        va_end(args);
        keep_one_line(err->message);
    }
}
