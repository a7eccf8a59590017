/* See allocations.h. The linker sends every call of malloc() and its kin here (CMakeLists.txt). */
#include "cli/allocations.h"

#ifdef STOA_WRAPPED_MALLOC

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 64 << 20 };

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);

static atomic_bool ran_out;

static void *seen(void *block, size_t size)
{
    if (block == NULL && size != 0 && size <= MOST) {
        atomic_store(&ran_out, true);
    }
    return block;
}

void *__wrap_malloc(size_t size)
{
    return seen(__real_malloc(size), size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return seen(__real_calloc(n, size), n > MOST ? SIZE_MAX : n * size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return seen(__real_realloc(block, size), size);
}

char *__wrap_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *const copy = __wrap_malloc(size);

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

bool cli_memory_ran_out(void)
{
    return atomic_load(&ran_out);
}

#else

bool cli_memory_ran_out(void)
{
    return false;
}

#endif
