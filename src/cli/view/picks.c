#include "cli/view/picks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"

enum { WORDS = CLI_PICKS_BLOCK / 64 };

void cli_picks_add(cli_picks *picks, uint64_t row)
{
    const size_t number = (size_t)(row / CLI_PICKS_BLOCK);

    while (picks->n_blocks <= number) {
        const size_t n = picks->n_blocks;
        picks->blocks = cli_one_more(picks->blocks, n, sizeof *picks->blocks);
        picks->before = cli_one_more(picks->before, n, sizeof *picks->before);
        picks->blocks[n] = NULL;
        picks->before[n] = picks->n;
        picks->n_blocks++;
    }
    if (picks->blocks[number] == NULL) {
        picks->blocks[number] = cli_resize(NULL, WORDS, sizeof(uint64_t));
        memset(picks->blocks[number], 0, WORDS * sizeof(uint64_t));
    }
    picks->blocks[number][row % CLI_PICKS_BLOCK / 64] |= UINT64_C(1) << row % 64;
    picks->n++;
}

static unsigned count(uint64_t word)
{
    return (unsigned)__builtin_popcountll(word);
}

uint64_t cli_picks_at(const cli_picks *picks, uint64_t i)
{
    size_t low = 0; /* the last block with at most i rows before it */
    size_t high = picks->n_blocks;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(picks->before[middle] <= i ? &low : &high) = middle;
    }
    const uint64_t *const words = picks->blocks[low];
    uint64_t left = i - picks->before[low];
    size_t at = 0;
    while (left >= count(words[at])) {
        left -= count(words[at++]);
    }
    uint64_t word = words[at];
    for (; left > 0; left--) {
        word &= word - 1; /* without its lowest bit */
    }
    return (uint64_t)low * CLI_PICKS_BLOCK + at * 64 + (uint64_t)__builtin_ctzll(word);
}

uint64_t cli_picks_before(const cli_picks *picks, uint64_t row)
{
    const uint64_t number = row / CLI_PICKS_BLOCK;
    uint64_t n = 0;

    if (number >= picks->n_blocks) {
        return picks->n;
    }
    const uint64_t *const words = picks->blocks[number];
    const size_t at = (size_t)(row % CLI_PICKS_BLOCK / 64);
    for (size_t i = 0; words != NULL && i < at; i++) {
        n += count(words[i]);
    }
    n += words != NULL ? count(words[at] & ((UINT64_C(1) << row % 64) - 1)) : 0;
    return picks->before[number] + n;
}

bool cli_picks_has(const cli_picks *picks, uint64_t row)
{
    const uint64_t number = row / CLI_PICKS_BLOCK;

    return number < picks->n_blocks && picks->blocks[number] != NULL &&
           (picks->blocks[number][row % CLI_PICKS_BLOCK / 64] >> row % 64 & 1) != 0;
}

void cli_picks_clear(cli_picks *picks)
{
    for (size_t i = 0; i < picks->n_blocks; i++) {
        free(picks->blocks[i]);
    }
    free(picks->blocks);
    free(picks->before);
    *picks = (cli_picks){.n = 0};
}
