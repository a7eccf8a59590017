/* A SORTED_ROWS index under check, shared by sorted_rules.c and sorted_order.c (HEP001 §10.5). */
#ifndef STOA_CHECK_SORTED_RULES_H
#define STOA_CHECK_SORTED_RULES_H

#include "check/index_rules.h"

/* The lengths that its attributes give. */
typedef struct stoa_sorted_tails {
    bool has_nan;
    bool has_fill;
    uint64_t nan;
    uint64_t fill;
} stoa_sorted_tails;

/* The index and its column. */
typedef struct stoa_sorted_check {
    stoa_checker *checker;
    const stoa_checked_index *index;
    const stoa_checked_column *column;
    stoa_rows entries; /* of the index */
    stoa_rows rows;    /* of the column */
    uint64_t n_rows;
    uint64_t n_slots; /* number of entries to read */
    bool skips;       /* entries past NROWS are skipped, wherever they are (notes A1) */
} stoa_sorted_check;

/* Visit the entries that are read, as uint64_t. */
stoa_rows_status stoa_sorted_read(stoa_sorted_check *c, stoa_rows_visitor visitor, void *context);
/* Whether the rows of a permutation are in order, and its tails have the right lengths. */
void stoa_check_sorted_order(stoa_sorted_check *c, const stoa_sorted_tails *tails,
                             stoa_rows_status *status);

#endif
