/* Allocation failures everywhere: a scenario runs with its first allocation failing, then its
 * second, and so on, until it succeeds. Every failure must be STOA_ENOMEM. The sanitizer build
 * detects leaks and use after free. */
#ifndef STOA_TESTS_SWEEP_H
#define STOA_TESTS_SWEEP_H

#include <stdlib.h>

#include "core/memory.h"
#include "support/check.h"

typedef stoa_status (*sweep_scenario)(stoa_error *err);

/* Returns how many allocations the scenario makes when all goes well. */
static inline uint64_t sweep_memory(sweep_scenario scenario)
{
    for (uint64_t n = 0; n < 100000; n++) {
        stoa_error err = STOA_ERROR_INIT;

        stoa_memory_fail_after(n);
        const stoa_status status = scenario(&err);
        stoa_memory_fail_after(UINT64_MAX);
        if (status == STOA_OK) {
            return n;
        }
        CHECK_U64(status, STOA_ENOMEM);
        CHECK_U64(err.status, STOA_ENOMEM);
    }
    CHECK(!"the scenario comes through in 100000 allocations");
    return 0;
}

/* Whether the pending failure, due within n + 1 allocations, has not happened yet. It is consumed
 * by allocations made here. */
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

/* The same for a scenario that may succeed although an allocation failed, because what was not
 * cached can be read again. It runs until no allocation fails. The scenario checks that its results
 * are always the same, and must not call stoa_memory_fail_after(). */
static inline uint64_t sweep_memory_throughout(sweep_scenario scenario)
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
        CHECK(status == STOA_OK || status == STOA_ENOMEM);
    }
    CHECK(!"the scenario comes through in 100000 allocations");
    return 0;
}

#endif
