/* An output for text: a buffer before a FILE, or a buffer alone. */
#ifndef STOA_LAYOUT_SINK_H
#define STOA_LAYOUT_SINK_H

#include <stdio.h>

#include "core/memory.h"

/* Zero-initialise all but `out` and `err`; free by stoa_sink_clear(). The first failure is kept in
 * `status`, and later calls do nothing. So a writer checks the status once a row, and not after
 * each value. */
typedef struct stoa_sink {
    FILE *out; /* NULL: the output stays in `text` */
    stoa_buffer text;
    stoa_status status;
    stoa_error *err;
} stoa_sink;

void stoa_sink_put(stoa_sink *sink, const void *bytes, size_t n);
void stoa_sink_char(stoa_sink *sink, char c);
void stoa_sink_text(stoa_sink *sink, const char *text);
/* Write everything to the operating system, so that a full disk is noticed now. */
stoa_status stoa_sink_flush(stoa_sink *sink);
void stoa_sink_clear(stoa_sink *sink);

#endif
