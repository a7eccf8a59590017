/* Where lists end, read in blocks of lists that follow each other. */
#ifndef STOA_LAYOUT_SUBSET_ENDS_H
#define STOA_LAYOUT_SUBSET_ENDS_H

#include "hdf/read/checked_reader.h"
#include "index/common/rowset.h"

typedef struct stoa_ends {
    stoa_read_context *context;
    stoa_checked_reader ends;
    bool has_start;
    uint64_t n;     /* lists */
    uint64_t first; /* of the block in memory */
    uint64_t count;
    int64_t *at; /* shape (count + 1,): where list `first` begins, and where each one ends */
} stoa_ends;

/* Open the dataset of n lists. Close it in every case.
 *
 * @param has_start  the dataset has one number more, where the first list begins; else that is 0 */
stoa_status stoa_ends_open(stoa_ends *ends, hid_t dataset, uint64_t n, bool has_start,
                           stoa_error *err);
void stoa_ends_close(stoa_ends *ends);
/*
 * Read the first lists of a run, which is not empty.
 *
 * @param[out] n   how many, 1 or more
 * @param[out] at  shape (n + 1,): where the first begins, and where each one ends; borrowed until
 *                 the next call
 * @return STOA_EDATA if a list ends before it begins
 */
stoa_status stoa_ends_read(stoa_ends *ends, stoa_range run, uint64_t *n, const int64_t **at,
                           stoa_error *err);

#endif
