/*
 * Preloaded: the system refuses an allocation or, with $STOA_REFUSE=read, a pread(). It is the one
 * after $STOA_REFUSE_AT - 1 others or, with $STOA_REFUSE_ON, each from then on. $STOA_REFUSE_COUNT
 * names a file that gets the number of all of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);

static atomic_ullong n_asked;
static unsigned long long fails_at;
static bool goes_on;
static bool is_read; /* what is refused */
static atomic_bool is_begun;

static bool fails(bool reads)
{
    if (reads != is_read || !atomic_load(&is_begun)) {
        return false;
    }
    const unsigned long long n = atomic_fetch_add(&n_asked, 1) + 1;
    const bool is_so = fails_at != 0 && (goes_on ? n >= fails_at : n == fails_at);

    if (is_so) {
        errno = reads ? EIO : ENOMEM;
    }
    return is_so;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return fails(false) ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t n, size_t size)
{
    return fails(false) ? NULL : __libc_calloc(n, size);
}

__attribute__((visibility("default"))) void *realloc(void *block, size_t size)
{
    return fails(false) ? NULL : __libc_realloc(block, size);
}

__attribute__((visibility("default"))) ssize_t pread64(int fd, void *to, size_t n, off64_t offset)
{
    static ssize_t (*next)(int, void *, size_t, off64_t);

    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "pread64");
    }
    return fails(true) ? -1 : next(fd, to, n, offset);
}

static __attribute__((constructor)) void begin(void)
{
    const char *const at = getenv("STOA_REFUSE_AT");
    const char *const what = getenv("STOA_REFUSE");

    fails_at = at != NULL ? strtoull(at, NULL, 10) : 0;
    is_read = what != NULL && strcmp(what, "read") == 0;
    goes_on = getenv("STOA_REFUSE_ON") != NULL;
    atomic_store(&is_begun, true);
}

static __attribute__((destructor)) void end(void)
{
    const char *const name = getenv("STOA_REFUSE_COUNT");
    FILE *const out = name != NULL ? fopen(name, "w") : NULL;

    if (out != NULL) {
        (void)fprintf(out, "%llu\n", (unsigned long long)atomic_load(&n_asked));
        (void)fclose(out);
    }
}
