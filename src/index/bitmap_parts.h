/* Between the files that ask a BITMAP index. */
#ifndef STOA_INDEX_BITMAP_PARTS_H
#define STOA_INDEX_BITMAP_PARTS_H

#include "hdf/packed.h"
#include "index/bitmap.h"

/* Bytes of each row of the bitmap that are read together, and how many such strips at a time. */
enum { STOA_BITMAP_STRIP_BYTES = 65536, STOA_BITMAP_STRIPS = 16 };
/* Tests whose answers are remembered. */
enum { STOA_BITMAP_ANSWERS = 8 };

/* The part that a row of the bitmap plays for a test. */
typedef enum stoa_role {
    ROLE_NONE,
    ROLE_CANDIDATE, /* rows it marks may pass */
    ROLE_CERTAIN    /* they do */
} stoa_role;

/* What was found out about a test that no unmarked row passes. */
typedef struct stoa_bitmap_answer {
    uint8_t *roles; /* of each value: what the test is known by; NULL: there is none */
    uint64_t estimate;
    bool was_wanted;     /* its rows were asked for once */
    stoa_row_bits *rows; /* NULL: not known */
} stoa_bitmap_answer;

/* What is found out on the way and kept. */
typedef struct stoa_bitmap_memo {
    uint8_t *unmarked; /* a bit for each row that no value marks; NULL: not known yet */
    stoa_packed packed;
    stoa_bitmap_answer answers[STOA_BITMAP_ANSWERS];
    size_t next; /* the one that is forgotten for another */
} stoa_bitmap_memo;

struct stoa_index {
    const stoa_column *column;
    hid_t dataset;
    stoa_bitmap_values values;
    uint64_t n_rows;
    uint64_t n_bytes;
    bool complete;
    stoa_bitmap_memo *memo;
};

/* The roles of all values, the caller's, and how many of them play one. */
stoa_status stoa_bitmap_roles(const stoa_index *index, const stoa_test *test, uint8_t **roles,
                              uint64_t *n_matching, stoa_error *err);
/* What rows without a bit are, for a test: nothing, or possible, or sure to pass. */
stoa_role stoa_bitmap_role_of_unmarked(const stoa_index *index, const stoa_test *test);
/* Where more bits would be read than the column has bytes, the column is the better index. */
bool stoa_bitmap_is_worth_it(const stoa_index *index, uint64_t n_matching);
/* What a thread reads bits with. */
typedef struct stoa_bitmap_hand {
    uint8_t *buffer;       /* STOA_BITMAP_STRIPS */
    stoa_scratch scratch;  /* used by workers alone */
    stoa_workers *workers; /* whose part this is; NULL: no other thread runs */
} stoa_bitmap_hand;

/* Or the bits of the rows of the bitmap that play `wanted` or more (roles NULL: all) into `bits`:
 * bytes [byte, byte + n) of each, a strip at most. */
stoa_status stoa_bitmap_unite(const stoa_index *index, const uint8_t *roles, stoa_role wanted,
                              uint64_t byte, uint64_t n, uint8_t *bits, stoa_bitmap_hand *hand,
                              stoa_error *err);

/* What is remembered of a test by these roles; NULL: nothing. */
stoa_bitmap_answer *stoa_bitmap_recall(const stoa_index *index, const uint8_t *roles);
/* Remember an estimate; the roles are taken (*roles becomes NULL) unless there are too many. */
void stoa_bitmap_remember(const stoa_index *index, uint8_t **roles, uint64_t estimate);
void stoa_bitmap_forget(stoa_bitmap_memo *memo);

#endif
