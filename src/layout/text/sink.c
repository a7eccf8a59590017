/* Buffers output to a file, 64 KiB at a time. */
#include "layout/text/sink.h"

#include <errno.h>
#include <string.h>

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

void stoa_sink_put(stoa_sink *sink, const void *bytes, size_t n)
{
    if (sink->status != STOA_OK) {
        return;
    }
    if (sink->out != NULL && sink->text.size + n > SINK_BYTES) {
        empty_buffer(sink);
        if (n > SINK_BYTES) {
            write_out(sink, bytes, n);
            return;
        }
    }
    sink->status = stoa_buffer_append(&sink->text, bytes, n, sink->err);
}

void stoa_sink_char(stoa_sink *sink, char c)
{
    stoa_sink_put(sink, &c, 1);
}

void stoa_sink_text(stoa_sink *sink, const char *text)
{
    stoa_sink_put(sink, text, strlen(text));
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
