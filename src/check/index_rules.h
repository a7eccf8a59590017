/*
 * Shared by the files that each check one kind of search index (HEP001 §10.4 to §10.7).
 *
 * Nothing here uses the code that builds indexes: the checker implements the specification
 * independently.
 */
#ifndef STOA_CHECK_INDEX_RULES_H
#define STOA_CHECK_INDEX_RULES_H

#include "check/attributes.h"
#include "check/column_rules.h"

/* An index whose KIND is known. */
typedef struct stoa_checked_index {
    stoa_subject subject;
    const stoa_checked_table *table;
    /* The column that it describes; NULL if unknown or unreadable. Then only the index itself is
     * checked. */
    const stoa_checked_column *column;
    const stoa_member *values; /* BITMAP: the target of VALUES; NULL if there is none */
    bool is_stale; /* its tokens fail: neither its length nor its contents are judged (July) */
} stoa_checked_index;

/* Contents of more rows are not compared, because a bit is kept or a hash computed for each row. */
#define STOA_CHECK_MAX_ROWS ((uint64_t)1 << 30)

/* GENERATION of the table, and whether the tokens of an index say that it describes the table. Both
 * are true of every table of June. (HEP001-2026-07 §12.2) */
void stoa_check_generation(stoa_checker *checker, stoa_checked_table *table);
bool stoa_check_tokens(stoa_checker *checker, const stoa_checked_table *table,
                       const stoa_subject *index);

/* One function per kind. Contents are compared only if checker->indexes is set. */
void stoa_check_minmax(stoa_checker *checker, const stoa_checked_index *index); /* §10.4 */
void stoa_check_sorted(stoa_checker *checker, const stoa_checked_index *index); /* §10.5 */
void stoa_check_bitmap(stoa_checker *checker, const stoa_checked_index *index); /* §10.6 */
void stoa_check_bloom(stoa_checker *checker, const stoa_checked_index *index);  /* §10.7 */

/* Number of chunks that hold rows [0, n_rows). A dataset that is not chunked counts as one chunk
 * (notes in docs/conformance.md). */
uint64_t stoa_chunks_needed(const stoa_rows *rows, uint64_t n_rows);
/* The rows of a chunk that are below `n_rows`; *first is its first one. */
uint64_t stoa_rows_of_chunk(const stoa_rows *rows, uint64_t chunk, uint64_t n_rows,
                            uint64_t *first);
/* Whether a chunk has storage. Chunks are asked for in ascending order, with *next 0 at first. */
bool stoa_rows_are_stored(const stoa_rows *rows, uint64_t chunk, size_t *next);

/* A dataset's rank, and its first two dimensions; -1 if its dataspace is null or unreadable. */
int stoa_check_shape(hid_t dataset, uint64_t dims[2]);

/* Apply one rule to an index that is too short, and another to residue past NROWS. */
void stoa_check_length(stoa_checker *checker, const char *path, const char *unit, uint64_t length,
                       uint64_t needed, stoa_rule_id too_short, stoa_rule_id residue);

/* --- two-dimensional bytes: the bits of BITMAP and CHUNK_BLOOM ------------------------------- */

/* Whether the index is of uint8, as the rule says. */
bool stoa_check_bytes(stoa_checker *checker, const stoa_subject *index, stoa_rule_id rule);
/* Whether a dataset of uint8 and rank 2 can be read in pieces, and if not, why. */
stoa_rows_status stoa_grid_check(stoa_checker *checker, hid_t dataset);
/* Read a rectangle of it, row by row. */
stoa_rows_status stoa_grid_read(hid_t dataset, uint64_t first_row, uint64_t n_rows,
                                uint64_t first_byte, uint64_t n_bytes, uint8_t *bytes);

#endif
