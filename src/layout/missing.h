/*
 * Values that stand for missing ones, where the caller named them: put into the rows before a
 * writer sees them.
 */
#ifndef STOA_LAYOUT_MISSING_H
#define STOA_LAYOUT_MISSING_H

#include "layout/writer.h"

typedef struct stoa_stand_ins stoa_stand_ins;

/* What the options want of a column's missing values. */
typedef enum stoa_missing_way {
    STOA_MISSING_KEPT, /* nothing is said, or the layout holds them */
    STOA_MISSING_FILLED,
    STOA_MISSING_MASKED, /* where the rules know it, */
    STOA_MISSING_DROPPED /* and this */
} stoa_missing_way;

stoa_missing_way stoa_missing_way_of(const stoa_layout_options *options,
                                     const stoa_missing_rules *rules,
                                     const struct ArrowSchema *field);

/*
 * Which columns get one, by the options: those named; others with missing values that the layout
 * cannot hold, where the text is a value of their type.
 *
 * @param facts       of the columns, which have no missing values there any more afterwards
 * @param[in,out] schema  columns of numbers become float64 where NaN stands in
 * @param[out] made   the caller's; NULL: there are none
 * @return STOA_ENOTFOUND for a column that there is not, STOA_EINVAL for a text that is no value of
 *         its type, STOA_ELOSS where float64 cannot hold the others
 */
stoa_status stoa_stand_ins_make(const stoa_layout_options *options, const stoa_missing_rules *rules,
                                struct ArrowSchema *schema, stoa_facts *facts,
                                stoa_stand_ins **made, stoa_error *err);
void stoa_stand_ins_free(stoa_stand_ins *ins);
/* The same rows with them; `from` is borrowed, as `ins` is. */
stoa_status stoa_stand_ins_stream(const stoa_stand_ins *ins, struct ArrowArrayStream *from,
                                  struct ArrowArrayStream *out, stoa_error *err);

#endif
