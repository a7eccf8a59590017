/*
 * A zone map in memory: the least and the greatest value of a column's chunks, as far as a scan has
 * seen them.
 *
 * A table that is open is asked again and again, and its columns may have no search index, as those
 * of other programs' files have none. From the second scan on, chunks in which no row can pass are
 * not unpacked any more (learned.h).
 */
#ifndef STOA_COLUMN_ZONES_H
#define STOA_COLUMN_ZONES_H

#include "column/learned.h"

/* Where the values of some rows lie, NaNs left out; those of missing rows may be among them. A zone
 * of no values has low > high. By the kind: signed integers and times, unsigned integers, floats.
 */
typedef struct stoa_zone {
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
    } low, high;
} stoa_zone;

/* The column's zones, borrowed (stoa_learned_ask); NULL: it has none, or they would not help. */
stoa_status stoa_column_zones(stoa_column *column, stoa_zones **zones, stoa_error *err);
/* Rows of the column from `first` on were read: note the zones of the chunks that are whole in
 * them. Any thread may, for views of the column's own type. */
void stoa_zones_learn(stoa_zones *zones, uint64_t first, const stoa_view *view);
/* The zone of rows [first, first + n), some; false unless all their chunks are known. */
bool stoa_zones_of(const stoa_zones *zones, uint64_t first, uint64_t n, stoa_zone *zone);

#endif
