/* The linker redirects every call of malloc() and related functions here (CMakeLists.txt). */
#include "cli/common/allocations.h"

#ifdef STOA_WRAPPED_MALLOC

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"

enum { MAX_SIZE = 64 << 20 };

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
char *__wrap_strndup(const char *text, size_t n);
char *__real_realpath(const char *name, char *real);
char *__wrap_realpath(const char *name, char *real);
DIR *__real_opendir(const char *name);
DIR *__wrap_opendir(const char *name);
FILE *__real_fopen(const char *name, const char *mode);
FILE *__wrap_fopen(const char *name, const char *mode);
FILE *__real_fopen64(const char *name, const char *mode);
FILE *__wrap_fopen64(const char *name, const char *mode);
FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
int __real_vasprintf(char **text, const char *format, va_list values);
int __wrap_vasprintf(char **text, const char *format, va_list values) STOA_PRINTF(2, 0);

static atomic_bool ran_out;

static void *seen(void *block, size_t size)
{
    if (block == NULL && size != 0 && size <= MAX_SIZE) {
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
    return seen(__real_calloc(n, size), n > MAX_SIZE ? SIZE_MAX : n * size);
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

/* For memory that libc allocates internally, without calling this program's malloc(). */
static void *seen_there(void *made)
{
    if (made == NULL && errno == ENOMEM) {
        atomic_store(&ran_out, true);
    }
    return made;
}

char *__wrap_strndup(const char *text, size_t n)
{
    return seen_there(__real_strndup(text, n));
}

char *__wrap_realpath(const char *name, char *real)
{
    return seen_there(__real_realpath(name, real));
}

DIR *__wrap_opendir(const char *name)
{
    return seen_there(__real_opendir(name));
}

FILE *__wrap_fopen(const char *name, const char *mode)
{
    return seen_there(__real_fopen(name, mode));
}

FILE *__wrap_fopen64(const char *name, const char *mode)
{
    return seen_there(__real_fopen64(name, mode));
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
    return seen_there(__real_fdopen(fd, mode));
}

int __wrap_vasprintf(char **text, const char *format, va_list values)
{
    const int length = __real_vasprintf(text, format, values);

    if (length < 0 && errno == ENOMEM) {
        atomic_store(&ran_out, true);
    }
    return length;
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
