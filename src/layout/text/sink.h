/* An output for text: a buffer before a FILE, or a buffer alone. */
#ifndef STOA_LAYOUT_SINK_H
#define STOA_LAYOUT_SINK_H

#include <stdio.h>
#include <string.h>

#include "core/memory.h"

/* Zero-initialise all but `out` and `err`; free by stoa_sink_clear(). The first failure is kept in
 * `status`, and what later calls write is lost. So a writer checks the status once a row, and not
 * after each value. */
typedef struct stoa_sink {
    FILE *out; /* NULL: the output stays in `text` */
    stoa_buffer text;
    stoa_status status;
    stoa_error *err;
} stoa_sink;

/* What the calls below do where the buffer is full. */
char *stoa_sink_make_room(stoa_sink *sink, size_t n);
void stoa_sink_put_far(stoa_sink *sink, const void *bytes, size_t n);

/* Where up to n bytes can be written; stoa_sink_took() then says how many were. NULL after a
 * failure. */
static inline char *stoa_sink_room(stoa_sink *sink, size_t n)
{
    return sink->text.capacity - sink->text.size >= n ? (char *)sink->text.data + sink->text.size
                                                      : stoa_sink_make_room(sink, n);
}
static inline void stoa_sink_took(stoa_sink *sink, size_t n)
{
    sink->text.size += n;
}
static inline void stoa_sink_put(stoa_sink *sink, const void *bytes, size_t n)
{
    if (sink->text.capacity - sink->text.size > n) { /* then there is a buffer, even if n is 0 */
        memcpy(sink->text.data + sink->text.size, bytes, n);
        sink->text.size += n;
    } else {
        stoa_sink_put_far(sink, bytes, n);
    }
}
static inline void stoa_sink_char(stoa_sink *sink, char c)
{
    stoa_sink_put(sink, &c, 1);
}
static inline void stoa_sink_text(stoa_sink *sink, const char *text)
{
    stoa_sink_put(sink, text, strlen(text));
}
/* Write everything to the operating system, so that a full disk is noticed now. */
stoa_status stoa_sink_flush(stoa_sink *sink);
void stoa_sink_clear(stoa_sink *sink);

#endif
