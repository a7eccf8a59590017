/*
 * What the files that judge one kind of search index each share (HEP001 §10.4 to §10.7).
 *
 * Nothing in this room comes from the code that builds indexes: it is a second reading of the
 * specification.
 */
#ifndef STOA_CHECK_INDEX_RULES_H
#define STOA_CHECK_INDEX_RULES_H

#include "check/attributes.h"
#include "check/column_rules.h"

/* An index whose KIND says which file judges it. */
typedef struct stoa_checked_index {
    stoa_subject subject;
    const stoa_checked_table *table;
    /* The column it describes; NULL where it is not one, or cannot be opened: only what the index
     * says by itself is judged then. */
    const stoa_checked_column *column;
    const stoa_member *values; /* BITMAP: what VALUES leads to, NULL if nowhere */
} stoa_checked_index;

/* Contents that describe more rows are not compared: a bit or a hash a row is kept or made. */
#define STOA_CHECK_MAX_ROWS ((uint64_t)1 << 30)

/* One kind each. Contents are compared only where checker->indexes asks for it. */
void stoa_check_minmax(stoa_checker *checker, const stoa_checked_index *index); /* §10.4 */
void stoa_check_sorted(stoa_checker *checker, const stoa_checked_index *index); /* §10.5 */
void stoa_check_bitmap(stoa_checker *checker, const stoa_checked_index *index); /* §10.6 */
void stoa_check_bloom(stoa_checker *checker, const stoa_checked_index *index);  /* §10.7 */

/* Chunks that hold rows [0, n_rows); a dataset that is not chunked is one chunk (notes in
 * docs/conformance.md). */
uint64_t stoa_chunks_needed(const stoa_rows *rows, uint64_t n_rows);

/* A dataset's rank, and its first two dimensions; -1: it has a null dataspace or none. */
int stoa_check_shape(hid_t dataset, uint64_t dims[2]);

/* A rule for an index that is too short, and one for residue past what NROWS needs. */
void stoa_check_length(stoa_checker *checker, const char *path, const char *unit, uint64_t length,
                       uint64_t needed, stoa_rule_id too_short, stoa_rule_id residue);

/* --- bytes in two dimensions: the bits of BITMAP and CHUNK_BLOOM ----------------------------- */

/* Why, if at all, a dataset of rank 2 and of uint8 cannot be read piece by piece. */
stoa_rows_status stoa_grid_look(stoa_checker *checker, hid_t dataset);
/* A rectangle of it, row by row. */
stoa_rows_status stoa_grid_read(hid_t dataset, uint64_t first_row, uint64_t n_rows,
                                uint64_t first_byte, uint64_t n_bytes, uint8_t *bytes);

#endif
