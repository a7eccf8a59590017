/* Filling a stoa_error, and returning early when a call fails. */
#ifndef STOA_CORE_ERROR_H
#define STOA_CORE_ERROR_H

#include <stdarg.h>
#include <stoa/error.h>

/* Fill `err` unless it already holds an error: the first one is the most specific. `err` may be
 * NULL. Returns `status`, for `return stoa_fail(err, STOA_EINVAL, "...")`. */
stoa_status stoa_fail(stoa_error *err, stoa_status status, const char *format, ...)
    STOA_PRINTF(3, 4);

/* Append strerror(error_number) to the message. Returns STOA_ENOTFOUND for ENOENT, STOA_ENOMEM for
 * ENOMEM and STOA_EIO otherwise. */
stoa_status stoa_fail_errno(stoa_error *err, int error_number, const char *format, ...)
    STOA_PRINTF(3, 4);

stoa_status stoa_fail_memory(stoa_error *err);

/* Set the location, unless a deeper call has set it. Returns `status`. */
stoa_status stoa_at(stoa_error *err, stoa_status status, const char *format, ...) STOA_PRINTF(3, 4);

/* Put a location before that of a deeper call: "run.h5:/t: attribute 'x'". Does not repeat a part
 * that the deeper location begins with or that this one ends with. Returns `status`. */
stoa_status stoa_within(stoa_error *err, stoa_status status, const char *format, ...)
    STOA_PRINTF(3, 4);

/* Append a hint ("; see stoa check") to the message. */
void stoa_advise(stoa_error *err, const char *format, ...) STOA_PRINTF(2, 3);

/* STOA_RETURN_NO_MEMORY(err, p): return STOA_ENOMEM if `p`, the result of an allocation, is NULL.
 * For functions that own nothing at that point. */
#define STOA_RETURN_NO_MEMORY(err, p)                                                              \
    do {                                                                                           \
        if (!(p)) {                                                                                \
            return stoa_fail_memory(err);                                                          \
        }                                                                                          \
    } while (0)

/* STOA_RETURN_NOT_OK(call): return the status of a failed call. For functions that own nothing at
 * that point. */
#define STOA_RETURN_NOT_OK(call)                                                                   \
    do {                                                                                           \
        const stoa_status status_ = (call);                                                        \
        if (status_ != STOA_OK) {                                                                  \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

/* STOA_TRY(call): on failure, set `status` and jump to the label `done`. For functions that own
 * resources. Everything that `done` releases must be initialised at its declaration. */
#define STOA_TRY(call)                                                                             \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != STOA_OK) {                                                                   \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* The analyzer sees one file at a time, so it has to be told that a failure is never STOA_OK. */
#ifdef __clang_analyzer__
#define STOA_IS_FAILURE(status) ((status) != STOA_OK ? (void)0 : __builtin_unreachable())
#else
#define STOA_IS_FAILURE(status) ((void)0)
#endif

/* STOA_FAIL(err, STOA_EDATA, "..."): fill the error and jump to `done`. */
#define STOA_FAIL(...)                                                                             \
    do {                                                                                           \
        status = stoa_fail(__VA_ARGS__);                                                           \
        STOA_IS_FAILURE(status);                                                                   \
        goto done;                                                                                 \
    } while (0)

#endif
