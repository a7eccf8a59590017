/* The first lines of a text: the delimiter, and where the header ends. */
#ifndef STOA_LAYOUT_CSV_HEAD_H
#define STOA_LAYOUT_CSV_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include "layout/input/input.h"

enum { STOA_CSV_HEAD_BYTES = 65536 };

/* Read the first bytes of an input, which is at its start before and after. */
stoa_status stoa_csv_head_read(stoa_input *input, char *head, size_t *n, stoa_error *err);
/* The one of `,`, `;`, tab and `|` that occurs equally often in all lines, else the one that is
 * most frequent in the first line. `except` is not considered. A comma if none occurs. */
char stoa_csv_head_delimiter(const char *head, size_t n, char except);
/* The first line that is not blank: its length, without the line break, and how many lines end with
 * it. */
const char *stoa_csv_head_line(const char *head, size_t n, size_t *length, uint64_t *n_lines);

#endif
