/* A set of rows that tells which is the i-th: one bit for each row of a block that has some. */
#ifndef STOA_CLI_VIEW_PICKS_H
#define STOA_CLI_VIEW_PICKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLI_PICKS_BLOCK = 65536 }; /* rows */

/* Zero-initialise. */
typedef struct cli_picks {
    uint64_t **blocks; /* each CLI_PICKS_BLOCK bits; NULL: no row of it */
    uint64_t *before;  /* for each block: rows of the set before it */
    size_t n_blocks;
    uint64_t n; /* rows of the set */
} cli_picks;

/* Add a row after all others of the set. */
void cli_picks_add(cli_picks *picks, uint64_t row);
/* Row number `i`, which is below picks->n. */
uint64_t cli_picks_at(const cli_picks *picks, uint64_t i);
/* How many rows of the set are before a row. */
uint64_t cli_picks_before(const cli_picks *picks, uint64_t row);
bool cli_picks_has(const cli_picks *picks, uint64_t row);
void cli_picks_clear(cli_picks *picks);

#endif
