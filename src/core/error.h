/* Filling a stoa_error, and leaving a function when a call has failed. */
#ifndef STOA_CORE_ERROR_H
#define STOA_CORE_ERROR_H

#include <stdarg.h>
#include <stoa/error.h>

/* Fill `err` (NULL is fine) unless it holds a failure already: the first one says most. Returns
 * `status`, so that `return stoa_fail(err, STOA_EINVAL, "...")` reads as it works. */
stoa_status stoa_fail(stoa_error *err, stoa_status status, const char *format, ...)
    STOA_PRINTF(3, 4);

/* STOA_EIO (or STOA_ENOENT -> STOA_ENOTFOUND) with strerror(errno) at the end of the message. */
stoa_status stoa_fail_errno(stoa_error *err, int error_number, const char *format, ...)
    STOA_PRINTF(3, 4);

stoa_status stoa_fail_memory(stoa_error *err);

/* Say where: kept only if no deeper call has said it. Returns `status`. */
stoa_status stoa_at(stoa_error *err, stoa_status status, const char *format, ...) STOA_PRINTF(3, 4);

/* Say where, before what a deeper call has said: "run.h5:/t: attribute 'x'"; but once where that
 * begins so, or is the end of it. Returns `status`. */
stoa_status stoa_within(stoa_error *err, stoa_status status, const char *format, ...)
    STOA_PRINTF(3, 4);

/* Append advice ("; see stoa check") to the message. */
void stoa_advise(stoa_error *err, const char *format, ...) STOA_PRINTF(2, 3);

/* STOA_RETURN_NOT_OK(call): return the status of a call that fails. For functions that own nothing
 * at that point. */
#define STOA_RETURN_NOT_OK(call)                                                                   \
    do {                                                                                           \
        const stoa_status status_ = (call);                                                        \
        if (status_ != STOA_OK) {                                                                  \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

/* STOA_TRY(call): the same for functions that own something, by way of `status` and the label
 * `done`. Everything that `done` touches has a value from its declaration on. */
#define STOA_TRY(call)                                                                             \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != STOA_OK) {                                                                   \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* The analyzer sees one file at a time, hence not that no failure is STOA_OK. */
#ifdef __clang_analyzer__
#define STOA_IS_FAILURE(status) ((status) != STOA_OK ? (void)0 : __builtin_unreachable())
#else
#define STOA_IS_FAILURE(status) ((void)0)
#endif

/* STOA_FAIL(err, STOA_EDATA, "...") : fill the error and leave. */
#define STOA_FAIL(...)                                                                             \
    do {                                                                                           \
        status = stoa_fail(__VA_ARGS__);                                                           \
        STOA_IS_FAILURE(status);                                                                   \
        goto done;                                                                                 \
    } while (0)

#endif
