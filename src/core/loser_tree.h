/*
 * A loser tree (tournament tree): tells which of n sorted runs has the next record.
 *
 * The leaves are the runs. Each inner node holds the loser of its match; the overall winner is
 * next. Once the winner has advanced, it replays only against the losers on its path to the root.
 * The code is in a header so that the caller's comparison is inlined.
 */
#ifndef STOA_CORE_LOSER_TREE_H
#define STOA_CORE_LOSER_TREE_H

#include <stdlib.h>

#include "core/memory.h"

/* Whether the next record of run a comes before that of run b. An exhausted run comes last. Of
 * equal records, that of the lower run comes first. */
typedef bool (*stoa_comes_first)(const void *context, size_t a, size_t b);

/* Zero-initialise; free with stoa_loser_tree_clear(). */
typedef struct stoa_loser_tree {
    size_t n; /* number of runs, at least one */
    size_t winner;
    size_t *losers; /* inner nodes [1, n) */
} stoa_loser_tree;

static inline stoa_status stoa_loser_tree_open(stoa_loser_tree *tree, size_t n, stoa_error *err)
{
    *tree = (stoa_loser_tree){.n = n, .losers = stoa_alloc_zero(n, sizeof *tree->losers)};
    return tree->losers != NULL ? STOA_OK : stoa_fail_memory(err);
}

static inline void stoa_loser_tree_clear(stoa_loser_tree *tree)
{
    free(tree->losers);
    *tree = (stoa_loser_tree){.n = 0};
}

/* Play the matches below a node, record their losers, and return the winner. */
static inline size_t stoa_loser_tree_play_below(stoa_loser_tree *tree, size_t node,
                                                stoa_comes_first first, const void *context)
{
    if (node >= tree->n) {
        return node - tree->n;
    }
    const size_t a = stoa_loser_tree_play_below(tree, 2 * node, first, context);
    const size_t b = stoa_loser_tree_play_below(tree, 2 * node + 1, first, context);
    const bool a_wins = first(context, a, b);
    tree->losers[node] = a_wins ? b : a;
    return a_wins ? a : b;
}

/* Play all matches. Call it once, when every run has its first record. */
static inline void stoa_loser_tree_play(stoa_loser_tree *tree, stoa_comes_first first,
                                        const void *context)
{
    tree->winner = stoa_loser_tree_play_below(tree, 1, first, context);
}

/* Call it after the winner has advanced to its next record. */
static inline void stoa_loser_tree_replay(stoa_loser_tree *tree, stoa_comes_first first,
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
