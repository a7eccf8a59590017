/* Shared by the files that query a BITMAP index. */
#ifndef STOA_INDEX_BITMAP_PARTS_H
#define STOA_INDEX_BITMAP_PARTS_H

#include "hdf/read/checked_reader.h"
#include "index/bitmap/bitmap.h"

/* Bytes per value that are read at a time (a strip), and how many strips a buffer holds. */
enum { STOA_BITMAP_STRIP_BYTES = 65536, STOA_BITMAP_STRIPS = 16 };
/* Number of tests whose answers are cached. */
enum { STOA_BITMAP_ANSWERS = 8 };

/* What a value of the bitmap means for a test. */
typedef enum stoa_role {
    ROLE_NONE,
    ROLE_CANDIDATE, /* rows that have it may pass */
    ROLE_CERTAIN    /* rows that have it pass */
} stoa_role;

/* The cached answer for a test that no unmarked row passes. */
typedef struct stoa_bitmap_answer {
    uint8_t *roles; /* role of each value, which identifies the test; NULL if the entry is free */
    uint64_t estimate;
    bool was_wanted;     /* its rows were requested once */
    stoa_row_bits *rows; /* NULL if not known */
} stoa_bitmap_answer;

/* Cached results. */
typedef struct stoa_bitmap_cache {
    uint8_t *unmarked; /* bitmap of the rows that no value marks; NULL if not computed yet */
    stoa_checked_reader reader;
    stoa_bitmap_answer answers[STOA_BITMAP_ANSWERS];
    size_t next; /* the next entry to evict */
} stoa_bitmap_cache;

struct stoa_index {
    const stoa_column *column;
    hid_t dataset;
    stoa_bitmap_values values;
    uint64_t n_rows;
    uint64_t n_bytes;
    bool complete;
    stoa_bitmap_cache *memo;
};

/* Determine the roles of all values, and how many have one. The caller frees *roles. */
stoa_status stoa_bitmap_roles(const stoa_index *index, const stoa_test *test, uint8_t **roles,
                              uint64_t *n_matching, stoa_error *err);
/* The role of rows without a bit: no match, a possible match or a certain one. */
stoa_role stoa_bitmap_role_of_unmarked(const stoa_index *index, const stoa_test *test);
/* Whether to use the bitmap. If its bits take more bytes than the column, scanning the column is
 * faster. */
bool stoa_bitmap_is_worth_it(const stoa_index *index, uint64_t n_matching);
/* State of a thread that reads bits. */
typedef struct stoa_bitmap_hand {
    uint8_t *buffer;       /* STOA_BITMAP_STRIPS strips */
    stoa_scratch scratch;  /* used by worker threads only */
    stoa_workers *workers; /* the workers that run this part; NULL on the calling thread alone */
} stoa_bitmap_hand;

/* Set `bits` to the union of the bits of all values with a role of at least `wanted`. NULL `roles`
 * stands for all values. The range is bytes [byte, byte + n), at most one strip. */
stoa_status stoa_bitmap_unite(const stoa_index *index, const uint8_t *roles, stoa_role wanted,
                              uint64_t byte, uint64_t n, uint8_t *bits, stoa_bitmap_hand *hand,
                              stoa_error *err);

/* The cached answer for these roles, or NULL. */
stoa_bitmap_answer *stoa_bitmap_recall(const stoa_index *index, const uint8_t *roles);
/* Cache an estimate. Takes over the roles (*roles becomes NULL), unless there are too many. */
void stoa_bitmap_remember(const stoa_index *index, uint8_t **roles, uint64_t estimate);
void stoa_bitmap_forget(stoa_bitmap_cache *memo);

#endif
