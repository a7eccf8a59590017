/* An input line by line, each cut into words. */
#ifndef STOA_LAYOUT_INPUT_LINES_H
#define STOA_LAYOUT_INPUT_LINES_H

#include "layout/input.h"

enum { STOA_LINE_BYTES = 1 << 16, STOA_LINE_WORDS = 8 };

typedef struct stoa_word {
    const char *text; /* not terminated */
    size_t length;
} stoa_word;

/* Set `input`, the rest zero; free with stoa_lines_clear(), which leaves the input open. */
typedef struct stoa_lines {
    stoa_input *input; /* borrowed */
    char *buffer;
    size_t start;
    size_t end;
    bool is_over;  /* nothing is left of the input but what is in the buffer */
    uint64_t line; /* the last one's number, from 1 */
    const char *text;
    size_t length;                    /* without its end */
    stoa_word words[STOA_LINE_WORDS]; /* the first ones */
    size_t n_words;                   /* all of them, also those that are not in `words` */
} stoa_lines;

/* The next line; false in has_line: there is none. STOA_EDATA for one longer than
 * STOA_LINE_BYTES. */
stoa_status stoa_lines_next(stoa_lines *lines, bool *has_line, stoa_error *err);
void stoa_lines_clear(stoa_lines *lines);

#endif
