/* Arrow streams: makes them over producers, and reads from any stream. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"

/* The private data of a stream made here. It keeps the whole error, because the interface passes
 * only an errno and a text. */
typedef struct stream_owner {
    stoa_producer producer;
    void *self;
    stoa_error err;
    char text[sizeof(((stoa_error *)0)->where) + sizeof(((stoa_error *)0)->message) + 2];
} stream_owner;

/* The errno for a status. */
static int status_errno(stoa_status status)
{
    switch (status) {
    case STOA_OK:
        return 0;
    case STOA_ENOMEM:
        return ENOMEM;
    case STOA_ECANCELLED:
        return ECANCELED;
    case STOA_ENOTFOUND:
        return ENOENT;
    case STOA_EEXISTS:
        return EEXIST;
    case STOA_EINVAL:
    case STOA_ELAYOUT:
    case STOA_EVERSION:
    case STOA_ETYPE:
    case STOA_ERANGE:
    case STOA_ELOSS:
    case STOA_ESYNTAX:
        return EINVAL;
    case STOA_EDATA:
    case STOA_EIO:
    case STOA_EHDF5:
        break;
    }
    return EIO;
}

static stoa_status errno_status(int error_number)
{
    switch (error_number) {
    case ENOMEM:
        return STOA_ENOMEM;
    case EINVAL:
        return STOA_EINVAL;
    case ECANCELED:
        return STOA_ECANCELLED;
    default:
        return STOA_EIO;
    }
}

/* Save the result of a producer's call for get_last_error and stoa_stream_next(). */
static int stream_keep(stream_owner *owner, stoa_status status)
{
    if (status != STOA_OK) {
        (void)stoa_fail(&owner->err, status, "%s", stoa_status_name(status));
        (void)snprintf(owner->text, sizeof owner->text, "%s%s%s", owner->err.where,
                       owner->err.where[0] != '\0' ? ": " : "", owner->err.message);
        owner->err.status = status;
    }
    return status_errno(status);
}

static void stream_begin(stream_owner *owner)
{
    owner->err = (stoa_error)STOA_ERROR_INIT;
    owner->text[0] = '\0';
}

static int stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_owner *owner = stream->private_data;

    *out = (struct ArrowSchema){0};
    stream_begin(owner);
    const stoa_status status = owner->producer.schema(owner->self, out, &owner->err);
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return stream_keep(owner, status);
}

static int stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_owner *owner = stream->private_data;

    *out = (struct ArrowArray){0};
    stream_begin(owner);
    const stoa_status status = owner->producer.next(owner->self, out, &owner->err);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return stream_keep(owner, status);
}

static const char *stream_get_last_error(struct ArrowArrayStream *stream)
{
    const stream_owner *owner = stream->private_data;

    return owner->text[0] != '\0' ? owner->text : NULL;
}

static void stream_free(struct ArrowArrayStream *stream)
{
    stream_owner *owner = stream->private_data;

    if (owner->producer.release != NULL) {
        owner->producer.release(owner->self);
    }
    free(owner);
    stream->private_data = NULL;
    stream->release = NULL;
}

stoa_status stoa_stream_make(struct ArrowArrayStream *stream, const stoa_producer *producer,
                             void *self, stoa_error *err)
{
    stream_owner *owner = stoa_alloc_zero(1, sizeof *owner);

    *stream = (struct ArrowArrayStream){0};
    if (owner == NULL) {
        if (producer->release != NULL) {
            producer->release(self);
        }
        return stoa_fail_memory(err);
    }
    owner->producer = *producer;
    owner->self = self;
    *stream = (struct ArrowArrayStream){
        .get_schema = stream_get_schema,
        .get_next = stream_get_next,
        .get_last_error = stream_get_last_error,
        .release = stream_free,
        .private_data = owner,
    };
    return STOA_OK;
}

/* The failure of the last call, for a stream of any producer. */
static stoa_status stream_failure(struct ArrowArrayStream *stream, int error_number,
                                  stoa_error *err)
{
    if (stream->release == stream_free) {
        const stream_owner *owner = stream->private_data;
        if (err != NULL && err->status == STOA_OK) {
            *err = owner->err;
        }
        return owner->err.status;
    }

    const char *text = stream->get_last_error != NULL ? stream->get_last_error(stream) : NULL;
    return stoa_fail(err, errno_status(error_number), "the Arrow stream failed: %s",
                     text != NULL && text[0] != '\0' ? text : strerror(error_number));
}

static stoa_status stream_is_open(const struct ArrowArrayStream *stream, stoa_error *err)
{
    return stream->release != NULL
               ? STOA_OK
               : stoa_fail(err, STOA_EINVAL, "the Arrow stream has been released already");
}

stoa_status stoa_stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out,
                               stoa_error *err)
{
    *out = (struct ArrowSchema){0};
    STOA_RETURN_NOT_OK(stream_is_open(stream, err));
    const int error_number = stream->get_schema(stream, out);
    if (error_number != 0) {
        out->release = NULL; /* a failed call returns no array */
        STOA_RETURN_NOT_OK(stream_failure(stream, error_number, err));
    }
    if (out->release == NULL) {
        return stoa_fail(err, STOA_EDATA,
                         "the Arrow stream gave a schema that is released already");
    }
    return STOA_OK;
}

stoa_status stoa_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                             stoa_error *err)
{
    *out = (struct ArrowArray){0};
    STOA_RETURN_NOT_OK(stream_is_open(stream, err));
    const int error_number = stream->get_next(stream, out);
    if (error_number != 0) {
        out->release = NULL;
        STOA_RETURN_NOT_OK(stream_failure(stream, error_number, err));
    }
    return STOA_OK;
}
