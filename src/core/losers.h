/*
 * A tree of losers: which of n sorted runs has the next record.
 *
 * Its leaves are the runs, and each inner node holds the loser of the match below it; the winner of
 * all is next. Once that one has moved on it plays again, against the losers on its way up alone.
 * Written out in a header so that the comparison of whoever merges is compiled into it.
 */
#ifndef STOA_CORE_LOSERS_H
#define STOA_CORE_LOSERS_H

#include <stdlib.h>

#include "core/memory.h"

/* Does the next record of run a come before that of run b? A run that is over comes last; of equal
 * records the lower run's comes first. */
typedef bool (*stoa_comes_first)(const void *context, size_t a, size_t b);

/* Zero-initialise; free with stoa_losers_clear(). */
typedef struct stoa_losers {
    size_t n; /* runs, at least one */
    size_t winner;
    size_t *losers; /* nodes [1, n) */
} stoa_losers;

static inline stoa_status stoa_losers_open(stoa_losers *tree, size_t n, stoa_error *err)
{
    *tree = (stoa_losers){.n = n, .losers = stoa_alloc_zero(n, sizeof *tree->losers)};
    return tree->losers != NULL ? STOA_OK : stoa_fail_memory(err);
}

static inline void stoa_losers_clear(stoa_losers *tree)
{
    free(tree->losers);
    *tree = (stoa_losers){.n = 0};
}

/* The winner below a node; the losers stay where they lost. */
static inline size_t stoa_losers_play_below(stoa_losers *tree, size_t node, stoa_comes_first first,
                                            const void *context)
{
    if (node >= tree->n) {
        return node - tree->n;
    }
    const size_t a = stoa_losers_play_below(tree, 2 * node, first, context);
    const size_t b = stoa_losers_play_below(tree, 2 * node + 1, first, context);
    const bool a_wins = first(context, a, b);
    tree->losers[node] = a_wins ? b : a;
    return a_wins ? a : b;
}

/* All matches; once, when every run has its first record. */
static inline void stoa_losers_play(stoa_losers *tree, stoa_comes_first first, const void *context)
{
    tree->winner = stoa_losers_play_below(tree, 1, first, context);
}

/* The winner has moved on. */
static inline void stoa_losers_replay(stoa_losers *tree, stoa_comes_first first,
                                      const void *context)
{
    size_t winner = tree->winner;

    for (size_t node = (winner + tree->n) / 2; node >= 1; node /= 2) {
        const size_t other = tree->losers[node];
        if (first(context, other, winner)) {
            tree->losers[node] = winner;
            winner = other;
        }
    }
    tree->winner = winner;
}

#endif
