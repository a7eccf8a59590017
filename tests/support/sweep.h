/*
 * Memory that runs out, everywhere: a scenario is run with its first allocation failing, then its
 * second, and so on, until it comes through. Every failure must be STOA_ENOMEM; that nothing leaks
 * or is used twice is what the sanitizer build sees.
 */
#ifndef STOA_TESTS_SWEEP_H
#define STOA_TESTS_SWEEP_H

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

#endif
