#include <stdlib.h>
#include <stoa/arrays.h>
#include <string.h>

#include "arrow/cast/cast.h"
#include "arrow/cast/cast_values.h"
#include "arrow/cast/original.h"

typedef struct casting {
    struct ArrowArrayStream from;
    struct ArrowSchema before;
    struct ArrowSchema after;
} casting;

static stoa_status write_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((casting *)self)->after, out, err);
}

static stoa_status next_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    casting *const c = self;

    STOA_RETURN_NOT_OK(stoa_stream_next(&c->from, out, err));
    return out->release != NULL ? stoa_batch_cast(&c->before, &c->after, out, err) : STOA_OK;
}

static void end(void *self)
{
    casting *const c = self;

    stoa_stream_release(&c->from);
    stoa_schema_release(&c->before);
    stoa_schema_release(&c->after);
    free(c);
}

static const struct ArrowSchema *field_of(const struct ArrowSchema *rows, const char *name)
{
    for (int64_t i = 0; rows != NULL && i < rows->n_children; i++) {
        if (rows->children[i]->name != NULL && strcmp(rows->children[i]->name, name) == 0) {
            return rows->children[i];
        }
    }
    return NULL;
}

/* The field's type is that which is wanted, else that which it had, else its own. */
static stoa_status choose(const struct ArrowSchema *field, const struct ArrowSchema *wanted,
                          struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema noted = {.release = NULL};

    STOA_TRY(stoa_original_of(field, &noted, err));
    if (noted.release != NULL && !stoa_cast_is_known(field, &noted)) {
        stoa_schema_release(&noted);
    }
    /* Times of day and the like are stored as integers. They are not cast to floats. */
    const bool is_float = wanted != NULL && stoa_count_of(wanted->format).is_float &&
                          !stoa_count_of(field->format).is_float;
    if (wanted != NULL && stoa_cast_is_known(field, wanted) &&
        !(is_float && noted.release != NULL)) {
        STOA_TRY(stoa_schema_copy(wanted, out, err));
        STOA_TRY(stoa_schema_set_more(out, noted.release != NULL ? &noted : field, err));
        out->flags = field->flags;
    } else if (noted.release != NULL) {
        stoa_schema_move(&noted, out);
    } else {
        STOA_TRY(stoa_schema_copy(field, out, err));
    }

done:
    stoa_schema_release(&noted);
    return status;
}

stoa_status stoa_schema_cast(const struct ArrowSchema *rows, const struct ArrowSchema *requested,
                             struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_schema_copy(rows, out, err));
    for (int64_t i = 0; i < rows->n_children; i++) {
        stoa_schema_release(out->children[i]);
        STOA_TRY(choose(rows->children[i], field_of(requested, rows->children[i]->name),
                        out->children[i], err));
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}

stoa_status stoa_batch_cast(const struct ArrowSchema *rows, const struct ArrowSchema *cast,
                            struct ArrowArray *batch, stoa_error *err)
{
    if (batch->n_children != rows->n_children || cast->n_children != rows->n_children) {
        return stoa_fail(err, STOA_EINVAL, "an Arrow batch has other columns than its schema");
    }
    for (int64_t i = 0; i < rows->n_children; i++) {
        STOA_RETURN_NOT_OK(
            stoa_array_cast(rows->children[i], cast->children[i], batch->children[i], err));
    }
    return STOA_OK;
}

static bool is_same(const struct ArrowSchema *one, const struct ArrowSchema *other)
{
    bool same = strcmp(one->format, other->format) == 0 && one->n_children == other->n_children &&
                (one->dictionary == NULL) == (other->dictionary == NULL);

    for (int64_t i = 0; same && i < one->n_children; i++) {
        same = is_same(one->children[i], other->children[i]);
    }
    return same && (one->dictionary == NULL || is_same(one->dictionary, other->dictionary));
}

stoa_status stoa_stream_cast(struct ArrowArrayStream *stream, const struct ArrowSchema *requested,
                             stoa_error *err)
{
    static const stoa_producer producer = {write_schema, next_batch, end};
    stoa_status status = STOA_OK;
    casting *c = stoa_alloc_zero(1, sizeof *c);

    if (c == NULL) {
        stoa_stream_release(stream);
        return stoa_fail_memory(err);
    }
    c->from = *stream;
    stream->release = NULL;
    STOA_TRY(stoa_stream_schema(&c->from, &c->before, err));
    STOA_TRY(stoa_schema_cast(&c->before, requested, &c->after, err));
    if (is_same(&c->before, &c->after)) {
        *stream = c->from;
        c->from.release = NULL;
        goto done;
    }
    return stoa_stream_make(stream, &producer, c, err);

done:
    end(c);
    return status;
}
