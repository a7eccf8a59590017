/* One value of a column as people read it. */
#ifndef STOA_CLI_CELL_H
#define STOA_CLI_CELL_H

#include "layout/text_format.h"

/*
 * Write item `i`: `-` where it is missing; numbers and times as every text format of Stoa spells
 * them; strings as they are, but in double quotes where they would be mistaken for something else
 * (empty, `-`, blanks at an end); lists as [a, b], structs as {x: 1}. Nothing is escaped: that is
 * for where it is printed (terminal.h).
 */
void cli_cell(stoa_sink *sink, const stoa_view *view, int64_t i);

#endif
