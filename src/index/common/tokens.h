/*
 * Validity tokens (HEP001-2026-07 §12.2): GENERATION of a table, and SOURCE_GENERATION and
 * SOURCE_NROWS of each search index.
 *
 * An index whose tokens do not equal the table's GENERATION and NROWS is ignored. Which number is
 * larger means nothing. A table that shows no token at all was written by the revision of June
 * 2026, which has none; its indexes are not judged by tokens.
 *
 * Invariant of every edit: at any instant, an index that does not describe the committed table has
 * tokens that differ from the table's, in the file. Hence the flushes.
 */
#ifndef STOA_INDEX_TOKENS_H
#define STOA_INDEX_TOKENS_H

#include "column/column.h"

#define STOA_GENERATION "GENERATION"
#define STOA_SOURCE_GENERATION "SOURCE_GENERATION"
#define STOA_SOURCE_NROWS "SOURCE_NROWS"

/* The tokens of an index. */
typedef struct stoa_tokens {
    bool is_shown;       /* it has one of the attributes, of whatever type */
    bool has_generation; /* SOURCE_GENERATION is a scalar uint64 */
    bool has_n_rows;     /* and so is SOURCE_NROWS */
    uint64_t generation;
    uint64_t n_rows;
} stoa_tokens;

/* The generation of a table, which its columns share. Columns of no table have none. */
struct stoa_generation {
    hid_t group;     /* of the table; borrowed */
    bool is_shown;   /* it has a GENERATION, or else an index has tokens, if `has_looked` */
    bool has_looked; /* for tokens of indexes, since there is no GENERATION */
    bool is_known;   /* GENERATION is a scalar uint64 */
    uint64_t value;
    uint64_t n_rows; /* NROWS */
    /* During an edit that changes rows, what the next commit publishes. Until then an index is
     * valid if it has either pair of tokens. */
    bool has_next;
    bool is_raised; /* the file has the next GENERATION already */
    uint64_t next;
    uint64_t next_n_rows;
};

/* Read the GENERATION of a table with n_rows rows. */
stoa_status stoa_generation_read(hid_t group, uint64_t n_rows, stoa_generation *generation,
                                 stoa_error *err);
/* Whether the table or one of its indexes shows a token, so that indexes are judged by tokens.
 * NULL is no table. */
stoa_status stoa_generation_is_shown(stoa_generation *generation, bool *is_shown, stoa_error *err);
/*
 * Give a table that has no valid GENERATION one, and flush it. It exceeds every SOURCE_GENERATION,
 * so that no old index becomes valid; without any it is 0.
 */
stoa_status stoa_generation_start(stoa_generation *generation, stoa_error *err);
/* Decide what the next commit publishes. A table that shows no token gets none. */
stoa_status stoa_generation_advance(stoa_generation *generation, uint64_t n_rows, stoa_error *err);
/* Note that this was published, or that it will not be. */
void stoa_generation_settle(stoa_generation *generation, bool is_published);

/* Fails only if memory runs out. */
stoa_status stoa_tokens_read(hid_t index, stoa_tokens *tokens, stoa_error *err);
stoa_status stoa_tokens_write(hid_t index, uint64_t generation, uint64_t n_rows, stoa_error *err);
/* Give an index tokens that are valid in no table. One write does it, and the attribute stays, as
 * every index must have it. */
stoa_status stoa_tokens_void(hid_t index, stoa_error *err);
/* Give an index that replaces another one its tokens. */
stoa_status stoa_tokens_copy(hid_t from, hid_t to, stoa_error *err);
bool stoa_tokens_are(const stoa_tokens *tokens, uint64_t generation, uint64_t n_rows);
/* Whether an index with these tokens describes the table, as far as tokens tell. `generation` may
 * be NULL. */
stoa_status stoa_tokens_pass(const stoa_tokens *tokens, stoa_generation *generation, bool *pass,
                             stoa_error *err);
/* Say why an index with these tokens is not used. */
void stoa_tokens_explain(const stoa_tokens *tokens, const stoa_generation *generation, char *out,
                         size_t size);
/* Mark an index as right once its content is complete: flush, then write the tokens for n_rows
 * rows. Nothing happens in a table that shows none. */
stoa_status stoa_tokens_date(hid_t index, stoa_generation *generation, uint64_t n_rows,
                             stoa_error *err);

#endif
