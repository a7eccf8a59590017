#include "layout/input/arrow_file.h"

#include "arrow/ipc.h"
#include "layout/input/arrow_lgdo.h"
#include "layout/input/input.h"

static stoa_status read_input(void *context, void *bytes, size_t capacity, size_t *n,
                              stoa_error *err)
{
    return stoa_input_read(context, bytes, capacity, n, err);
}

static void close_input(void *context)
{
    stoa_input_close(context);
}

bool stoa_arrow_is_one(const char *name)
{
    stoa_input *input = NULL;
    char bytes[8];
    size_t n = 0;

    if (stoa_input_open(name, NULL, &input, NULL) != STOA_OK) {
        return false;
    }
    const stoa_status status = stoa_input_read(input, bytes, sizeof bytes, &n, NULL);
    stoa_input_close(input);
    return status == STOA_OK && n == sizeof bytes && stoa_ipc_is_claimed(bytes);
}

stoa_status stoa_arrow_open(const char *name, const stoa_listener *listener,
                            struct ArrowArrayStream *stream, stoa_error *err)
{
    stoa_ipc_source source = {.name = name, .read = read_input, .close = close_input};
    stoa_input *input = NULL;

    *stream = (struct ArrowArrayStream){.release = NULL};
    STOA_RETURN_NOT_OK(stoa_input_open(name, listener, &input, err));
    source.context = input;
    STOA_RETURN_NOT_OK(stoa_ipc_open(&source, stream, err));
    const stoa_status status = stoa_arrow_plain_texts(stream, err);
    if (status != STOA_OK) {
        stoa_stream_release(stream);
    }
    return status;
}
