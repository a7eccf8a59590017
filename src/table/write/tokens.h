/*
 * The validity tokens of a table and its indexes during an edit (HEP001-2026-07 §12.3, §12.5,
 * §12.6).
 *
 * There are two orders. Each keeps the invariant of index/common/tokens.h.
 *
 *     ahead, for rows that are added or removed at the end: the tokens of the indexes become those
 * of the next commit, so that they fail; then the indexes change; then the commit writes GENERATION
 *     and NROWS.
 *
 *     behind, for rows that change in place: GENERATION is raised, so that all tokens fail; then
 * rows and indexes change; then the indexes get their tokens.
 *
 * A table that shows no token at all keeps none (index/common/tokens.h).
 */
#ifndef STOA_TABLE_TOKENS_H
#define STOA_TABLE_TOKENS_H

#include "table/open/table.h"

/* Begin a commit of n_rows rows, before the first index changes. */
stoa_status stoa_table_tokens_ahead(const stoa_table *table, uint64_t n_rows, stoa_error *err);

/* Raise GENERATION, before the first row or dataset changes. Later calls of the same edit do
 * nothing. */
stoa_status stoa_table_generation_raise(const stoa_table *table, stoa_error *err);
/* Give the indexes of `table` that were valid before `generation` was raised, and were updated if
 * they had to be, their tokens. */
stoa_status stoa_table_tokens_behind(const stoa_table *table, const stoa_generation *generation,
                                     stoa_error *err);

#endif
