/* Replacement values for missing ones, as the caller's options give them. They are put into the
 * rows before a writer sees them. In a column of lists they stand for missing items. */
#ifndef STOA_LAYOUT_MISSING_H
#define STOA_LAYOUT_MISSING_H

#include "layout/common/writer.h"

typedef struct stoa_stand_ins stoa_stand_ins;

/* The treatment of a column's missing values that the options ask for. */
typedef enum stoa_missing_way {
    STOA_MISSING_KEPT, /* no option applies, or the layout can store them */
    STOA_MISSING_FILLED,
    STOA_MISSING_MASKED,  /* if the rules allow it */
    STOA_MISSING_DROPPED, /* if the rules allow it */
    STOA_MISSING_EMPTIED  /* if the rules allow it: the writer does so */
} stoa_missing_way;

stoa_missing_way stoa_missing_way_of(const stoa_layout_options *options,
                                     const stoa_missing_rules *rules,
                                     const struct ArrowSchema *field);

/* Parse a text as a value of a numeric kind, in memory form. False if the kind has no such value.
 */
bool stoa_number_of_text(const char *text, size_t length, stoa_kind kind, uint8_t *value);

/*
 * Choose the columns that get a replacement: those that the options name, and others whose missing
 * values the layout cannot hold, if the text is a value of their type.
 *
 * @param stats           of the columns; updated to have no missing values in these columns
 * @param[in,out] schema  columns of numbers become float64 if the replacement is NaN
 * @param[out] made       the caller frees it; NULL if no column gets one
 * @return STOA_ENOTFOUND for a column that does not exist, STOA_EINVAL for a text that is no value
 *         of its type, STOA_ELOSS if float64 cannot hold the other values
 */
stoa_status stoa_stand_ins_make(const stoa_layout_options *options, const stoa_missing_rules *rules,
                                struct ArrowSchema *schema, stoa_column_stats *stats,
                                stoa_stand_ins **made, stoa_error *err);
void stoa_stand_ins_free(stoa_stand_ins *ins);
/* Replace a stream by one with the replacements. `ins` is borrowed; `stream` is released on
 * failure. */
stoa_status stoa_stand_ins_stream(const stoa_stand_ins *ins, struct ArrowArrayStream *stream,
                                  stoa_error *err);

#endif
