/*
 * Memory that runs out, everywhere: a scenario is run with its first allocation failing, then its
 * second, and so on, until it comes through. Every failure must be STOA_ENOMEM; that nothing leaks
 * or is used twice is what the sanitizer build sees.
 */
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

/*
 * The same for a scenario that may come through without one of its allocations, since what is not
 * kept can be read again: it goes on until none of them fails. The scenario checks that it gives
 * the same as ever, and leaves stoa_memory_fail_after() alone.
 */
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
