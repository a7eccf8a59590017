/*
 * Zone map in memory: the minimum and maximum of each chunk of a column that scans have seen.
 *
 * An open table is queried many times, and its columns may lack a search index, as those in other
 * programs' files do. From the second scan on, chunks in which no row can match are not
 * decompressed (learned.h).
 */
#ifndef STOA_COLUMN_ZONES_H
#define STOA_COLUMN_ZONES_H

#include "column/read/learned.h"

/* Minimum and maximum of some rows without NaNs. Values of missing rows may be included. A zone
 * without values has low > high. The kind selects the member: signed integers and times, unsigned
 * integers, floats. */
typedef struct stoa_zone {
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
    } low, high;
} stoa_zone;

/* The column's zone map, borrowed (see stoa_learned_ask). NULL: it has none, or it would not
 * help. */
stoa_status stoa_column_zones(stoa_column *column, stoa_zones **zones, stoa_error *err);
/* Learn the zones of the chunks that lie entirely in the rows of a view. The view begins at row
 * `first` and has the column's own type. May be called on any thread. */
void stoa_zones_learn(stoa_zones *zones, uint64_t first, const stoa_view *view);
/* The zone of rows [first, first + n), n > 0. False unless all their chunks are known. */
bool stoa_zones_of(const stoa_zones *zones, uint64_t first, uint64_t n, stoa_zone *zone);

#endif
