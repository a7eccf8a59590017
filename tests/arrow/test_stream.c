/* Streams and the way of errors through them, for src/arrow/stream.c */
#include <errno.h>
#include <string.h>

#include "arrow/build.h"
#include "support/check.h"
#include "support/sweep.h"

/* A producer of `n_left` one-row batches, which then ends or fails. */
typedef struct counter {
    int n_left;
    stoa_status at_end;
    int n_released;
} counter;

static stoa_status counter_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    (void)self;
    return stoa_schema_make(out, "x", "i", err);
}

static stoa_status counter_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    counter *state = self;

    if (state->n_left == 0) {
        if (state->at_end == STOA_OK) {
            return STOA_OK;
        }
        (void)stoa_at(err, state->at_end, "run.h5:/events/ts");
        return stoa_fail(err, state->at_end, "chunk 3 is damaged");
    }
    state->n_left--;
    int32_t *value = stoa_alloc_zero(1, sizeof *value);
    return value != NULL ? stoa_array_make(out, 1, 0, 2, (void *[]){NULL, value}, err)
                         : stoa_fail_memory(err);
}

static void counter_release(void *self)
{
    counter *state = self;

    state->n_released++;
}

static const stoa_producer counter_producer = {counter_schema, counter_next, counter_release};

static void a_stream_ends_with_a_released_array(void)
{
    counter state = {.n_left = 2};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;

    CHECK_OK(stoa_stream_make(&stream, &counter_producer, &state, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    CHECK_STR(schema.format, "i");
    stoa_schema_release(&schema);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
        CHECK_I64(array.length, 1);
        stoa_array_release(&array);
    }
    CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
    CHECK(array.release == NULL);
    stoa_stream_release(&stream);
    CHECK_I64(state.n_released, 1);
    CHECK(stream.release == NULL);
}

static void our_own_error_survives_the_trip_whole(void)
{
    counter state = {.at_end = STOA_EDATA};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray array;

    CHECK_OK(stoa_stream_make(&stream, &counter_producer, &state, &err), &err);
    CHECK_STATUS(STOA_EDATA, stoa_stream_next(&stream, &array, &err));
    CHECK_U64(err.status, STOA_EDATA);
    CHECK_STR(err.where, "run.h5:/events/ts");
    CHECK_STR(err.message, "chunk 3 is damaged");
    CHECK(array.release == NULL);
    stoa_stream_release(&stream);
}

static void strangers_get_an_errno_and_one_line(void)
{
    counter state = {.at_end = STOA_EDATA};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray array;

    CHECK_OK(stoa_stream_make(&stream, &counter_producer, &state, &err), &err);
    CHECK(stream.get_last_error(&stream) == NULL);
    CHECK_I64(stream.get_next(&stream, &array), EIO);
    CHECK_STR(stream.get_last_error(&stream), "run.h5:/events/ts: chunk 3 is damaged");
    state.at_end = STOA_ENOMEM;
    CHECK_I64(stream.get_next(&stream, &array), ENOMEM);
    state.at_end = STOA_ETYPE;
    CHECK_I64(stream.get_next(&stream, &array), EINVAL);
    state.at_end = STOA_OK;
    CHECK_I64(stream.get_next(&stream, &array), 0);
    CHECK(stream.get_last_error(&stream) == NULL);
    stoa_stream_release(&stream);
}

/* A stream of somebody else's: private_data is the errno to answer with. */
static const char *foreign_text;
static int foreign_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    (void)out;
    return *(int *)stream->private_data;
}
static const char *foreign_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return foreign_text;
}
static void foreign_release(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static void foreign_errors_keep_their_text(void)
{
    int answer = 0;
    struct ArrowArrayStream stream = {.get_next = foreign_next,
                                      .get_last_error = foreign_last_error,
                                      .release = foreign_release,
                                      .private_data = &answer};
    static const struct {
        int error_number;
        stoa_status status;
    } rows[] = {{ENOMEM, STOA_ENOMEM}, {EINVAL, STOA_EINVAL}, {EIO, STOA_EIO}, {EPIPE, STOA_EIO}};

    foreign_text = "the cat sat on the socket";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArray array;
        answer = rows[i].error_number;
        CHECK_U64(stoa_stream_next(&stream, &array, &err), rows[i].status);
        CHECK(strstr(err.message, foreign_text) != NULL);
    }
    foreign_text = NULL;
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray array;
    CHECK_STATUS(STOA_EIO, stoa_stream_next(&stream, &array, &err));
    CHECK(strstr(err.message, strerror(EPIPE)) != NULL);
}

static void a_released_stream_is_refused(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray array;

    CHECK_STATUS(STOA_EINVAL, stoa_stream_next(&stream, &array, &err));
}

static stoa_status read_all(stoa_error *err)
{
    stoa_status status = STOA_OK;
    counter state = {.n_left = 2};
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};

    STOA_TRY(stoa_stream_make(&stream, &counter_producer, &state, err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, err));
    do {
        stoa_array_release(&array);
        STOA_TRY(stoa_stream_next(&stream, &array, err));
    } while (array.release != NULL);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    CHECK_I64(state.n_released, 1);
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    CHECK(sweep_memory(read_all) > 5);
}

TEST_MAIN(TEST(a_stream_ends_with_a_released_array), TEST(our_own_error_survives_the_trip_whole),
          TEST(strangers_get_an_errno_and_one_line), TEST(foreign_errors_keep_their_text),
          TEST(a_released_stream_is_refused), TEST(no_allocation_is_taken_for_granted))
