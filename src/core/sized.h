/*
 * Structs of the public API that begin with their size, as the caller's compiler knows it, so that
 * they can grow at their end (docs/api-stability.md). What the caller does not know keeps its
 * default; what the library does not know is left alone.
 */
#ifndef STOA_CORE_SIZED_H
#define STOA_CORE_SIZED_H

#include <stddef.h>
#include <stoa/error.h>

/* STOA_SIZED_TAKE(&own, given, last, "STOA_X_INIT", err): overwrite the defaults in `own` with what
 * the caller has given; NULL gives nothing. STOA_EINVAL where `given` does not reach as far as the
 * member `last`: it was not made by the macro, which the message names. */
#define STOA_SIZED_TAKE(own, given, last, init, err)                                               \
    stoa_sized_take((own), sizeof *(own), (given), STOA_SIZED_THROUGH((own), last), (init), (err))

/* STOA_SIZED_CHECK(given, last, "STOA_X_INIT", err): the same rule for a struct to be filled,
 * before any work is done for it. */
#define STOA_SIZED_CHECK(given, last, init, err)                                                   \
    stoa_sized_check((given), STOA_SIZED_THROUGH((given), last), (init), (err))

/* Fill the caller's struct, which was checked. Its size stays; NULL is fine. */
#define STOA_SIZED_GIVE(own, given) stoa_sized_give((own), sizeof *(own), (given))

#define STOA_SIZED_THROUGH(sized, last)                                                            \
    (size_t)((const char *)(&(sized)->last + 1) - (const char *)(sized))

stoa_status stoa_sized_take(void *own, size_t size, const void *given, size_t least,
                            const char *init, stoa_error *err);
stoa_status stoa_sized_check(const void *given, size_t least, const char *init, stoa_error *err);
void stoa_sized_give(const void *own, size_t size, void *given);

#endif
