#include "layout/common/changed_columns.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

typedef struct changing {
    struct ArrowArrayStream from;
    struct ArrowSchema before;
    struct ArrowSchema after;
    stoa_column_change change;
    const void *context;
} changing;

static stoa_status write_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((changing *)self)->after, out, err);
}

static stoa_status change_batch(const changing *c, struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray made = {.release = NULL};
    stoa_view rows;
    stoa_view column;

    STOA_TRY(stoa_view_of(&c->before, batch, &rows, err));
    for (int64_t i = 0; i < c->before.n_children; i++) {
        STOA_TRY(stoa_view_child(&rows, i, &column, err));
        STOA_TRY(c->change(c->context, (size_t)i, &column, c->after.children[i], &made, err));
        if (made.release == NULL) {
            continue;
        }
        if (batch->offset != 0) {
            STOA_FAIL(err, STOA_EINVAL, "the columns of a slice cannot be changed");
        }
        stoa_array_release(batch->children[i]);
        stoa_array_move(&made, batch->children[i]);
    }

done:
    stoa_array_release(&made);
    return status;
}

static stoa_status next_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    changing *const c = self;

    STOA_TRY(stoa_stream_next(&c->from, out, err));
    STOA_TRY(out->release != NULL ? change_batch(c, out, err) : STOA_OK);
    return STOA_OK;

done:
    stoa_array_release(out);
    out->release = NULL;
    return status;
}

static void end(void *self)
{
    changing *const c = self;

    stoa_stream_release(&c->from);
    stoa_schema_release(&c->before);
    stoa_schema_release(&c->after);
    free(c);
}

stoa_status stoa_stream_change_columns(struct ArrowArrayStream *stream,
                                       const struct ArrowSchema *schema, stoa_column_change change,
                                       const void *context, stoa_error *err)
{
    static const stoa_producer producer = {write_schema, next_batch, end};
    stoa_status status = STOA_OK;
    changing *c = stoa_alloc_zero(1, sizeof *c);

    if (c == NULL) {
        stoa_stream_release(stream);
        return stoa_fail_memory(err);
    }
    c->from = *stream;
    stream->release = NULL;
    c->change = change;
    c->context = context;
    STOA_TRY(stoa_stream_schema(&c->from, &c->before, err));
    STOA_TRY(stoa_schema_copy(schema, &c->after, err));
    return stoa_stream_make(stream, &producer, c, err);

done:
    end(c);
    return status;
}

stoa_status stoa_lists_with_items(const stoa_view *lists, struct ArrowArray *items,
                                  struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t width = stoa_kind_is_wide(lists->type.kind) ? sizeof(int64_t) : sizeof(int32_t);
    uint8_t *offsets = stoa_alloc_zero((size_t)lists->length + 1, width);
    uint8_t *valid = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)lists->length) + 1, 1);

    STOA_TRY(offsets != NULL && valid != NULL ? STOA_OK : stoa_fail_memory(err));
    if (lists->length > 0) {
        memcpy(offsets, (const uint8_t *)lists->offsets + (size_t)lists->offset * width,
               ((size_t)lists->length + 1) * width);
    }
    for (int64_t i = 0; i < lists->length; i++) {
        if (!stoa_view_is_null(lists, i)) {
            stoa_bit_set(valid, (uint64_t)i);
        }
    }
    void *const buffers[] = {valid, offsets};
    valid = offsets = NULL;
    STOA_TRY(stoa_array_list(out, lists->length, lists->null_count, 2, buffers, items, err));

done:
    free(offsets);
    free(valid);
    stoa_array_release(items);
    return status;
}

stoa_status stoa_field_keep_units(struct ArrowSchema *field, const struct ArrowSchema *from,
                                  stoa_error *err)
{
    static const char *const keys[] = {"units", "units_vocabulary", "description"};
    stoa_status status = STOA_OK;
    char *text = NULL;
    const char *own = NULL;
    size_t length = 0;

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!stoa_schema_get(field, keys[i], &own, &length)) {
            STOA_TRY(stoa_schema_get_text(from, keys[i], &text, err));
            STOA_TRY(text != NULL ? stoa_schema_set(field, keys[i], text, err) : STOA_OK);
            free(text);
            text = NULL;
        }
    }

done:
    free(text);
    return status;
}
