#include "core/memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/memory.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/min_of.h"

/* Fault injection for tests; never written otherwise. */
static atomic_uint_fast64_t fuse = UINT64_MAX;

void stoa_memory_fail_after(uint64_t n)
{
    atomic_store(&fuse, n);
}

void stoa_free(void *memory)
{
    free(memory);
}

/* Set once, before there are threads. */
static bool (*watch)(void);

void stoa_memory_watch(bool (*ran_out)(void))
{
    watch = ran_out;
}

bool stoa_memory_ran_out(void)
{
    return watch != NULL && watch();
}

static bool may_allocate(size_t n, size_t size)
{
    if (size != 0 && n > SIZE_MAX / 2 / size) {
        return false;
    }
    if (atomic_load_explicit(&fuse, memory_order_relaxed) == UINT64_MAX) {
        return true;
    }
    return atomic_fetch_sub(&fuse, 1) != 0;
}

uint64_t stoa_machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 30;
}

uint64_t stoa_sort_memory(void)
{
    return stoa_min_of(stoa_machine_memory() / 4, UINT64_C(768) << 20);
}

void *stoa_alloc(size_t n, size_t size)
{
    return may_allocate(n, size) ? malloc(n * size != 0 ? n * size : 1) : NULL;
}

void *stoa_alloc_zero(size_t n, size_t size)
{
    return may_allocate(n, size) ? calloc(n * size != 0 ? n * size : 1, 1) : NULL;
}

void *stoa_realloc(void *block, size_t n, size_t size)
{
    return may_allocate(n, size) ? realloc(block, n * size != 0 ? n * size : 1) : NULL;
}

void *stoa_one_more(void *block, size_t n, size_t size)
{
    return (n & (n - 1)) == 0 ? stoa_realloc(block, n == 0 ? 1 : 2 * n, size) : block;
}

/* Filling a block of huge pages causes a few page faults instead of hundreds. */
enum { HUGE_PAGE = 2 << 20 };

static void want_huge_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(block, size - size % HUGE_PAGE, MADV_HUGEPAGE); /* fails if unsupported */
#else
    (void)block;
    (void)size;
#endif
}

void *stoa_alloc_aligned(size_t alignment, size_t size)
{
    const bool is_huge = size >= HUGE_PAGE;
    void *block = NULL;

    if (!may_allocate(1, size) ||
        posix_memalign(&block, is_huge ? HUGE_PAGE : alignment, size != 0 ? size : 1) != 0) {
        return NULL;
    }
    if (is_huge) {
        want_huge_pages(block, size);
    }
    return block;
}

void *stoa_alloc_large(size_t n, size_t size)
{
    return size != 0 && n > SIZE_MAX / 2 / size ? NULL
                                                : stoa_alloc_aligned(sizeof(void *), n * size);
}

char *stoa_strndup(const char *text, size_t length)
{
    char *copy = stoa_alloc(length + 1, 1);

    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *stoa_strdup(const char *text)
{
    return stoa_strndup(text, strlen(text));
}

char *stoa_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);

    char *text = length < 0 ? NULL : stoa_alloc((size_t)length + 1, 1);
    if (text != NULL) {
        va_start(args, format);
        (void)vsnprintf(text, (size_t)length + 1, format, args);
        va_end(args);
    }
    return text;
}

stoa_status stoa_buffer_reserve(stoa_buffer *buffer, size_t extra, stoa_error *err)
{
    if (extra <= buffer->capacity - buffer->size) {
        return STOA_OK;
    }
    if (extra > SIZE_MAX / 4 - buffer->size) {
        return stoa_fail_memory(err);
    }

    size_t capacity = buffer->size + extra;
    if (capacity < buffer->capacity * 2) {
        capacity = buffer->capacity * 2;
    }
    if (capacity < 64) {
        capacity = 64;
    }
    uint8_t *data = stoa_realloc(buffer->data, capacity, 1);
    STOA_RETURN_NO_MEMORY(err, data);
    buffer->data = data;
    buffer->capacity = capacity;
    return STOA_OK;
}

stoa_status stoa_buffer_append(stoa_buffer *buffer, const void *bytes, size_t n, stoa_error *err)
{
    const stoa_status status = stoa_buffer_reserve(buffer, n, err);

    if (status == STOA_OK && n != 0) {
        memcpy(buffer->data + buffer->size, bytes, n);
        buffer->size += n;
    }
    return status;
}

stoa_status stoa_buffer_grow(stoa_buffer *buffer, size_t n, stoa_error *err)
{
    const stoa_status status = stoa_buffer_reserve(buffer, n, err);

    if (status == STOA_OK && n != 0) {
        memset(buffer->data + buffer->size, 0, n);
        buffer->size += n;
    }
    return status;
}

stoa_status stoa_buffer_print(stoa_buffer *buffer, stoa_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);

    const stoa_status status = length < 0 ? stoa_fail(err, STOA_EINVAL, "text cannot be formatted")
                                          : stoa_buffer_reserve(buffer, (size_t)length + 1, err);
    if (status == STOA_OK) {
        va_start(args, format);
        (void)vsnprintf((char *)buffer->data + buffer->size, (size_t)length + 1, format, args);
        va_end(args);
        buffer->size += (size_t)length;
    }
    return status;
}

stoa_status stoa_buffer_quote(stoa_buffer *buffer, char mark, const char *text, size_t length,
                              stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_append(buffer, &mark, 1, err));
    for (size_t i = 0; i < length; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_append(buffer, &text[i], 1, err));
        STOA_RETURN_NOT_OK(text[i] == mark ? stoa_buffer_append(buffer, &mark, 1, err) : STOA_OK);
    }
    return stoa_buffer_print(buffer, err, "%c", mark);
}

void *stoa_buffer_detach(stoa_buffer *buffer)
{
    void *data = buffer->data;

    *buffer = (stoa_buffer){0};
    return data;
}

stoa_status stoa_buffer_detach_text(stoa_buffer *buffer, char **out, stoa_error *err)
{
    const stoa_status status = stoa_buffer_append(buffer, "", 1, err);

    if (status == STOA_OK) {
        *out = stoa_buffer_detach(buffer);
    }
    return status;
}

void stoa_buffer_clear(stoa_buffer *buffer)
{
    free(buffer->data);
    *buffer = (stoa_buffer){0};
}

uint64_t stoa_bit_count(const uint8_t *bits, uint64_t first, uint64_t n)
{
    uint64_t count = 0;
    uint64_t i = first;
    const uint64_t end = first + n;

    while (i < end) {
        const uint64_t left = 8 - (i & 7) < end - i ? 8 - (i & 7) : end - i; /* in the byte */
        uint64_t word = (uint64_t)bits[i >> 3] >> (i & 7) & ((1u << left) - 1);
        if (left == 8 && end - i >= 64) {
            memcpy(&word, bits + (i >> 3), sizeof word);
        }
        count += stoa_word_count(word);
        i += left == 8 && end - i >= 64 ? 64 : left;
    }
    return count;
}
