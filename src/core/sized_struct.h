/*
 * Public structs that begin with their size.
 *
 * The size is the one that the caller was compiled with, so a struct can grow at its end
 * (docs/api-stability.md). Members unknown to the caller keep their defaults. Members unknown to
 * the library are left alone.
 */
#ifndef STOA_CORE_SIZED_STRUCT_H
#define STOA_CORE_SIZED_STRUCT_H

#include <stddef.h>
#include <stoa/error.h>

/* STOA_SIZED_COPY(&own, given, last, "STOA_X_INIT", err): overwrite the defaults in `own` with the
 * members of `given`, which may be NULL. Fails with STOA_EINVAL if `given` does not reach the
 * member `last`. It was then not initialised by the macro that the message names. */
#define STOA_SIZED_COPY(own, given, last, init, err)                                               \
    stoa_sized_copy((own), sizeof *(own), (given), STOA_SIZED_THROUGH((own), last), (init), (err))

/* STOA_SIZED_CHECK(given, last, "STOA_X_INIT", err): the same check for an output struct. Call it
 * before any work is done. */
#define STOA_SIZED_CHECK(given, last, init, err)                                                   \
    stoa_sized_check((given), STOA_SIZED_THROUGH((given), last), (init), (err))

/* Fill the caller's struct, which must have been checked, and keep its size member. NULL is
 * fine. */
#define STOA_SIZED_GIVE(own, given) stoa_sized_give((own), sizeof *(own), (given))

#define STOA_SIZED_THROUGH(sized, last)                                                            \
    (size_t)((const char *)(&(sized)->last + 1) - (const char *)(sized))

stoa_status stoa_sized_copy(void *own, size_t size, const void *given, size_t least,
                            const char *init, stoa_error *err);
stoa_status stoa_sized_check(const void *given, size_t least, const char *init, stoa_error *err);
void stoa_sized_give(const void *own, size_t size, void *given);

#endif
