/*
 * Preloaded: the allocation after $STOA_FAIL_AT more ones fails, once or, with $STOA_FAIL_ON, from
 * then on. $STOA_FAIL_COUNT names a file that gets the number of all of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);

static atomic_ullong n_asked;
static unsigned long long fails_at;
static bool goes_on;
static atomic_bool is_begun;

static bool fails(void)
{
    if (!atomic_load(&is_begun)) {
        return false;
    }
    const unsigned long long n = atomic_fetch_add(&n_asked, 1) + 1;
    const bool is_so = fails_at != 0 && (goes_on ? n >= fails_at : n == fails_at);

    if (is_so) {
        errno = ENOMEM;
    }
    return is_so;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

__attribute__((visibility("default"))) void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}

static __attribute__((constructor)) void begin(void)
{
    const char *const at = getenv("STOA_FAIL_AT");

    fails_at = at != NULL ? strtoull(at, NULL, 10) : 0;
    goes_on = getenv("STOA_FAIL_ON") != NULL;
    atomic_store(&is_begun, true);
}

static __attribute__((destructor)) void end(void)
{
    const char *const name = getenv("STOA_FAIL_COUNT");
    FILE *const out = name != NULL ? fopen(name, "w") : NULL;

    if (out != NULL) {
        (void)fprintf(out, "%llu\n", (unsigned long long)atomic_load(&n_asked));
        (void)fclose(out);
    }
}
