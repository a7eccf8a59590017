/* Where text goes: a buffer in front of a FILE, or a buffer alone. */
#ifndef STOA_LAYOUT_SINK_H
#define STOA_LAYOUT_SINK_H

#include <stdio.h>

#include "core/memory.h"

/*
 * Zero-initialise, but for `out` and `err`; free with stoa_sink_clear(). The first failure is kept
 * in `status` and makes every later call do nothing, so that writers of values need not look at
 * each comma's fate: they are asked once a row.
 */
typedef struct stoa_sink {
    FILE *out; /* NULL: the text stays in `text` */
    stoa_buffer text;
    stoa_status status;
    stoa_error *err;
} stoa_sink;

void stoa_sink_put(stoa_sink *sink, const void *bytes, size_t n);
void stoa_sink_char(stoa_sink *sink, char c);
void stoa_sink_text(stoa_sink *sink, const char *text);
/* Hand everything to the operating system, so that a full disk is known now. */
stoa_status stoa_sink_flush(stoa_sink *sink);
void stoa_sink_clear(stoa_sink *sink);

#endif
