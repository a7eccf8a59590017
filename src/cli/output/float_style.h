/* Floats of a column as people read them: all with the same number of decimals, at most four. Very
 * small and very large values are in scientific notation. */
#ifndef STOA_CLI_FLOAT_STYLE_H
#define STOA_CLI_FLOAT_STYLE_H

#include "arrow/read.h"

/* Learned from some values of the column. Zero-initialise, but for `is_float`. */
typedef struct cli_float_style {
    bool is_float; /* else nothing is learned */
    bool is_scientific;
    int decimals;
} cli_float_style;

/* Learn what the shortest text of value `i` needs. */
void cli_float_learn(cli_float_style *style, const stoa_view *view, int64_t i);
/* A value as text, which the caller frees. NULL for those that need no style, as NaN. */
char *cli_float_text(const cli_float_style *style, double value);

#endif
