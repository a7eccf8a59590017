#include "cli/common/heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void cli_heap_settle(void)
{
#if defined __GLIBC__ && defined MADV_HUGEPAGE
    enum { HUGE_PAGE = 2 << 20, AHEAD = 32 << 20, BEYOND_FIRST = 256 << 10 };
    static uintptr_t first = 0; /* where the heap began at the first call */

    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 64 << 20);
    (void)mallopt(M_TOP_PAD, AHEAD);
    first = first != 0 ? first : (uintptr_t)sbrk(0);
    void *volatile block = malloc(BEYOND_FIRST); /* extends the heap; compilers leave it alone */
    free(block);
    const uintptr_t from = (first + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    const uintptr_t end = (uintptr_t)sbrk(0) / HUGE_PAGE * HUGE_PAGE;
    if (end > from) {
        (void)madvise((void *)from, end - from, MADV_HUGEPAGE); /* fails if unsupported */
    }
#endif
}
