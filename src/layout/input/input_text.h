/* Text of an input before it is parsed: other encodings become UTF-8, and lines are left out. */
#ifndef STOA_LAYOUT_INPUT_TEXT_H
#define STOA_LAYOUT_INPUT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/memory.h"

/* What is done with the text. Zero: nothing. */
typedef struct stoa_input_text {
    const char *encoding; /* a name that iconv knows; NULL: UTF-8. Borrowed */
    uint64_t n_skipped;   /* lines left out at the start */
    char comment;         /* lines that begin with it are left out; 0: none */
    uint64_t n_header;    /* lines left out then, of those that are no comment */
} stoa_input_text;

typedef struct stoa_text_filter stoa_text_filter;

/* Read bytes as stoa_input_read() does. */
typedef stoa_status (*stoa_text_read)(void *context, void *bytes, size_t capacity, size_t *n,
                                      stoa_error *err);

/* STOA_EINVAL for an encoding that is not known. */
stoa_status stoa_text_filter_open(const stoa_input_text *text, stoa_text_filter **filter,
                                  stoa_error *err);
void stoa_text_filter_rewind(stoa_text_filter *filter);
/* STOA_ESYNTAX for bytes that the encoding does not have. */
stoa_status stoa_text_filter_read(stoa_text_filter *filter, stoa_text_read read, void *context,
                                  void *bytes, size_t capacity, size_t *n, stoa_error *err);
/* The line of the input that a line of the text comes from. */
uint64_t stoa_text_filter_line(const stoa_text_filter *filter, uint64_t line);
void stoa_text_filter_close(stoa_text_filter *filter);

#endif
