/* Reads an input line by line, and splits each line into words. */
#ifndef STOA_LAYOUT_INPUT_LINES_H
#define STOA_LAYOUT_INPUT_LINES_H

#include "layout/input/input.h"

enum { STOA_LINE_BYTES = 1 << 16, STOA_LINE_WORDS = 8 };

typedef struct stoa_word {
    const char *text; /* not terminated */
    size_t length;
} stoa_word;

/* Set `input` and zero the rest. Free by stoa_lines_clear(), which leaves the input open. */
typedef struct stoa_lines {
    stoa_input *input; /* borrowed */
    char *buffer;
    size_t start;
    size_t end;
    bool is_over;  /* the rest of the input is in the buffer */
    uint64_t line; /* number of the current line, from 1 */
    const char *text;
    size_t length;                    /* without the line end */
    stoa_word words[STOA_LINE_WORDS]; /* the first ones */
    size_t n_words;                   /* all, including those that do not fit in `words` */
} stoa_lines;

/* Read the next line. *has_line is false at the end. STOA_EDATA if it is longer than
 * STOA_LINE_BYTES. */
stoa_status stoa_lines_next(stoa_lines *lines, bool *has_line, stoa_error *err);
void stoa_lines_clear(stoa_lines *lines);

#endif
