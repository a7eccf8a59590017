/*
 * Memory that runs out, everywhere: a scenario is run with its first allocation failing, then its
 * second, and so on, until none of them fails. A scenario that comes through without one of them
 * (what is not kept can be read again) has to give the same as ever, which it checks itself; every
 * failure must be STOA_ENOMEM; that nothing leaks or is used twice is what the sanitizer build
 * sees.
 */
#ifndef STOA_TESTS_SWEEP_H
#define STOA_TESTS_SWEEP_H

#include <stdlib.h>

#include "core/memory.h"
#include "support/check.h"

typedef stoa_status (*sweep_scenario)(stoa_error *err);

/* Whether an allocation, of n + 1 at most, was to fail and has not yet; one of these here then
 * does.
 */
static inline bool sweep_is_over(uint64_t n)
{
    for (uint64_t i = 0; i <= n; i++) {
        void *block = stoa_alloc(1, 1);
        if (block == NULL) {
            return true;
        }
        free(block);
    }
    return false;
}

/* Returns how many allocations the scenario makes when all goes well. */
static inline uint64_t sweep_memory(sweep_scenario scenario)
{
    for (uint64_t n = 0; n < 100000; n++) {
        stoa_error err = STOA_ERROR_INIT;

        stoa_memory_fail_after(n);
        const stoa_status status = scenario(&err);
        const bool is_over = status == STOA_OK && sweep_is_over(n);
        stoa_memory_fail_after(UINT64_MAX);
        if (is_over) {
            return n;
        }
        if (status == STOA_OK) {
            continue;
        }
        CHECK_U64(status, STOA_ENOMEM);
        CHECK_U64(err.status, STOA_ENOMEM);
    }
    CHECK(!"the scenario comes through in 100000 allocations");
    return 0;
}

#endif
