/* What the programs that measure share: the clock, and an end with a message. */
#ifndef STOA_BENCH_KIT_H
#define STOA_BENCH_KIT_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Seconds since some moment. */
static inline double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline _Noreturn void fail(const char *what, const char *message)
{
    (void)fprintf(stderr, "bench: %s: %s\n", what, message);
    exit(EXIT_FAILURE);
}

#endif
