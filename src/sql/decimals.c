#include "sql/decimals.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/cast/normalize_values.h"

enum { KEPT_DIGITS = 15, WIDTH = 16 };

typedef struct rounding {
    struct ArrowArrayStream from;
    struct ArrowSchema before;
    struct ArrowSchema after;
} rounding;

static bool is_rounded(const struct ArrowSchema *field, stoa_decimal *decimal)
{
    return stoa_decimal_of(field->format, decimal) && decimal->precision > KEPT_DIGITS &&
           decimal->scale > 0 && decimal->width == WIDTH;
}

static stoa_status round_one(const void *context, const uint8_t *from, void *to, stoa_error *err)
{
    const stoa_decimal *const decimal = context;
    uint64_t low = 0;
    int64_t high = 0;
    long double ten = 1;

    (void)err;
    memcpy(&low, from, sizeof low);
    memcpy(&high, from + sizeof low, sizeof high);
    for (int i = 0; i < decimal->scale; i++) {
        ten *= 10;
    }
    const double value = (double)(((long double)high * 0x1p64L + (long double)low) / ten);
    memcpy(to, &value, sizeof value);
    return STOA_OK;
}

static stoa_status rounding_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((rounding *)self)->after, out, err);
}

static stoa_status rounding_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    rounding *const r = self;

    STOA_RETURN_NOT_OK(stoa_stream_next(&r->from, out, err));
    for (int64_t i = 0; out->release != NULL && i < r->before.n_children; i++) {
        stoa_decimal decimal;
        struct ArrowArray rounded = {.release = NULL};

        if (is_rounded(r->before.children[i], &decimal)) {
            STOA_RETURN_NOT_OK(stoa_convert_values(out->children[i], WIDTH, sizeof(double),
                                                   round_one, &decimal, NULL,
                                                   r->before.children[i]->name, &rounded, err));
            stoa_array_release(out->children[i]);
            stoa_array_move(&rounded, out->children[i]);
        }
    }
    return STOA_OK;
}

static void rounding_free(void *self)
{
    rounding *const r = self;

    stoa_stream_release(&r->from);
    stoa_schema_release(&r->before);
    stoa_schema_release(&r->after);
    free(r);
}

stoa_status stoa_sql_round_decimals(struct ArrowArrayStream *stream, stoa_error *err)
{
    static const stoa_producer producer = {rounding_schema, rounding_next, rounding_free};
    stoa_status status = STOA_OK;
    rounding *r = stoa_alloc_zero(1, sizeof *r);

    if (r == NULL) {
        stoa_stream_release(stream);
        return stoa_fail_memory(err);
    }
    r->from = *stream;
    stream->release = NULL;
    STOA_TRY(stoa_stream_schema(&r->from, &r->before, err));
    STOA_TRY(stoa_schema_copy(&r->before, &r->after, err));
    for (int64_t i = 0; i < r->before.n_children; i++) {
        stoa_decimal decimal;
        STOA_TRY(is_rounded(r->before.children[i], &decimal)
                     ? stoa_schema_retype(r->after.children[i], "g", err)
                     : STOA_OK);
    }
    return stoa_stream_make(stream, &producer, r, err);

done:
    rounding_free(r);
    return status;
}
