/* Formats one value of a column for people. */
#ifndef STOA_CLI_CELL_H
#define STOA_CLI_CELL_H

#include "layout/text/text_format.h"

/* Write item `i`. A missing value is `-`. Numbers and times are formatted as in all text formats of
 * Stoa. Strings are unchanged, but in double quotes if they would be ambiguous (empty, `-`, blanks
 * at an end). Lists are [a, b] and structs {x: 1}. Nothing is escaped: the code that prints does
 * that (terminal.h). */
void cli_cell(stoa_sink *sink, const stoa_view *view, int64_t i);
/* Write it as JSON: a list or struct as the text of cli_cell(). */
void cli_cell_write_json(stoa_sink *sink, const stoa_view *view, int64_t i);
/* The same as texts that the caller frees. */
stoa_status cli_cell_text(const stoa_view *view, int64_t i, char **text, stoa_error *err);
stoa_status cli_cell_json(const stoa_view *view, int64_t i, char **text, stoa_error *err);

#endif
