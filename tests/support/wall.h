/* Bytes before an inaccessible page: access past their end is detected without a sanitizer. */
#ifndef STOA_TESTS_WALL_H
#define STOA_TESTS_WALL_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/check.h"

typedef struct walled {
    uint8_t *bytes; /* n bytes that end at an inaccessible page */
    size_t n;
    uint8_t *map;
    size_t n_map;
} walled;

/* The bytes are copied from `from`, unless it is NULL. */
static inline walled wall(const uint8_t *from, size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t n_pages = (n + page - 1) / page + 1;
    walled g = {.n = n, .n_map = n_pages * page};

    g.map = mmap(NULL, g.n_map, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(g.map != MAP_FAILED);
    CHECK(mprotect(g.map + g.n_map - page, page, PROT_NONE) == 0);
    g.bytes = g.map + g.n_map - page - n;
    if (from != NULL && n > 0) {
        memcpy(g.bytes, from, n);
    }
    return g;
}

static inline void wall_end(const walled *g)
{
    (void)munmap(g->map, g->n_map);
}

static sigjmp_buf wall_back;

static inline void wall_hit(int number)
{
    (void)number;
    siglongjmp(wall_back, 1);
}

/* Whether a call accesses memory that it must not. */
static inline bool wall_is_touched(void (*call)(void *context), void *context)
{
    const struct sigaction ours = {.sa_handler = wall_hit, .sa_flags = SA_NODEFER};
    struct sigaction segv;
    struct sigaction bus;
    volatile bool is_touched = true;

    CHECK(sigaction(SIGSEGV, &ours, &segv) == 0 && sigaction(SIGBUS, &ours, &bus) == 0);
    if (sigsetjmp(wall_back, 1) == 0) {
        call(context);
        is_touched = false;
    }
    CHECK(sigaction(SIGSEGV, &segv, NULL) == 0 && sigaction(SIGBUS, &bus, NULL) == 0);
    return is_touched;
}

#endif
