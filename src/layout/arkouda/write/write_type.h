/* Chooses the Arkouda type of a column (docs/layouts/arkouda.md, "Written"). */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_TYPE_H
#define STOA_LAYOUT_ARKOUDA_WRITE_TYPE_H

#include "layout/arkouda/read/arkouda.h"
#include "layout/common/writer.h"

typedef enum stoa_arkouda_as {
    STOA_ARKOUDA_AS_NUMBERS, /* an array */
    STOA_ARKOUDA_AS_LIMBS,   /* bigint: a group of arrays */
    STOA_ARKOUDA_AS_TEXTS,   /* Strings */
    STOA_ARKOUDA_AS_CODES,   /* Categorical */
    STOA_ARKOUDA_AS_LISTS    /* SegArray of one of the first three */
} stoa_arkouda_as;

/* The type of elements: of rows, or of the items of lists. */
typedef struct stoa_arkouda_column_type {
    stoa_arkouda_as as;
    stoa_arkouda_kind kind; /* ObjType of the whole */
    stoa_type type;         /* in Arrow */
    stoa_kind stored;       /* NUMBERS: BOOL, INT64, UINT64 or FLOAT64 */
    int64_t per;            /* NUMBERS: nanoseconds per tick of times; else 0 */
    uint32_t n_limbs;       /* LIMBS */
    int64_t max_bits;
} stoa_arkouda_column_type;

typedef struct stoa_arkouda_column {
    const struct ArrowSchema *field; /* borrowed, as are the facts */
    const stoa_column_stats *stats;
    stoa_arkouda_column_type shape;
    stoa_arkouda_column_type items; /* LISTS */
} stoa_arkouda_column;

/*
 * Choose by type and metadata.
 *
 * @return STOA_ETYPE, naming the column, for a type that Arkouda lacks; STOA_ELOSS for values that
 *         it cannot hold, apart from missing ones
 */
stoa_status stoa_arkouda_column_type_of(const struct ArrowSchema *field,
                                        const stoa_column_stats *stats, stoa_arkouda_column *column,
                                        stoa_error *err);
/* Whether missing values can be stored: as NaN, NaT or N/A. */
bool stoa_arkouda_holds_missing(const struct ArrowSchema *field);
extern const stoa_missing_rules stoa_arkouda_missing;

#endif
