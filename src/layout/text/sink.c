/* Buffers output to a file, 64 KiB at a time. */
#include "layout/text/sink.h"

#include <errno.h>

enum { SINK_BYTES = 64 * 1024 };

static void write_out(stoa_sink *sink, const void *bytes, size_t n)
{
    if (sink->status == STOA_OK && n != 0 && fwrite(bytes, 1, n, sink->out) != n) {
        sink->status = stoa_fail_errno(sink->err, errno, "cannot write the output");
    }
}

static void empty_buffer(stoa_sink *sink)
{
    write_out(sink, sink->text.data, sink->text.size);
    sink->text.size = 0;
}

char *stoa_sink_make_room(stoa_sink *sink, size_t n)
{
    if (sink->out != NULL) {
        empty_buffer(sink);
    }
    if (sink->status == STOA_OK) {
        const size_t least = sink->out != NULL && n < SINK_BYTES ? SINK_BYTES : n;
        sink->status = stoa_buffer_reserve(&sink->text, least, sink->err);
    }
    return sink->status == STOA_OK ? (char *)sink->text.data + sink->text.size : NULL;
}

void stoa_sink_put_far(stoa_sink *sink, const void *bytes, size_t n)
{
    if (n == 0) { /* there may be no buffer */
        return;
    }
    if (sink->status == STOA_OK && sink->out != NULL && n > SINK_BYTES) {
        empty_buffer(sink);
        write_out(sink, bytes, n);
        return;
    }
    char *const to = stoa_sink_make_room(sink, n);
    if (to != NULL) {
        memcpy(to, bytes, n);
        sink->text.size += n;
    }
}

stoa_status stoa_sink_flush(stoa_sink *sink)
{
    if (sink->out != NULL) {
        empty_buffer(sink);
        if (sink->status == STOA_OK && fflush(sink->out) != 0) {
            sink->status = stoa_fail_errno(sink->err, errno, "cannot write the output");
        }
    }
    return sink->status;
}

void stoa_sink_clear(stoa_sink *sink)
{
    stoa_buffer_clear(&sink->text);
}
