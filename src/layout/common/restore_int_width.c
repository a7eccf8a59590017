#include "layout/common/restore_int_width.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/read.h"
#include "column/column.h"
#include "core/memory.h"
#include "core/text.h"

/* --- choosing types -------------------------------------------------------------------------- */

/* The kind that a field declares as its original one, if it is narrower and all values fit; else
 * `kind`. */
static stoa_status find_kind(const struct ArrowSchema *field, const stoa_column_stats *stats,
                             stoa_kind *kind, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *said = NULL;
    char name[64];

    STOA_TRY(stoa_schema_get_text(field, STOA_COLUMN_ARROW_TYPE, &said, err));
    for (stoa_kind k = STOA_KIND_INT8; said != NULL && k <= STOA_KIND_FLOAT64; k++) {
        if (stoa_kind_is_float(k) == stoa_kind_is_float(*kind) &&
            stoa_kind_width(k) <= stoa_kind_width(*kind) &&
            (stats->domain.n_values == 0 || stoa_domain_fits(&stats->domain, k)) &&
            strcmp(stoa_type_name(&(stoa_type){.kind = k}, name), said) == 0) {
            *kind = k;
            break;
        }
    }

done:
    free(said);
    return status;
}

/* Change the type of a field. */
static stoa_status retype(struct ArrowSchema *field, stoa_kind kind, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema made = {.release = NULL};

    STOA_TRY(stoa_schema_make(&made, field->name, stoa_kind_format(kind), err));
    STOA_TRY(stoa_schema_set_more(&made, field, err));
    made.flags = field->flags;
    stoa_schema_release(field);
    stoa_schema_move(&made, field);

done:
    stoa_schema_release(&made);
    return status;
}

stoa_status stoa_restore_int_width_fields(struct ArrowSchema *schema,
                                          const stoa_column_stats *stats, bool *any,
                                          stoa_error *err)
{
    stoa_type type;

    *any = false;
    for (int64_t i = 0; i < schema->n_children; i++) {
        STOA_RETURN_NOT_OK(stoa_type_of(schema->children[i], &type, err));
        stoa_kind kind = type.kind;
        if (stoa_kind_is_integer(kind) || stoa_kind_is_float(kind)) {
            STOA_RETURN_NOT_OK(find_kind(schema->children[i], &stats[i], &kind, err));
        }
        if (kind != type.kind) {
            STOA_RETURN_NOT_OK(retype(schema->children[i], kind, err));
            *any = true;
        }
    }
    return STOA_OK;
}

/* --- values ---------------------------------------------------------------------------------- */

/* Owns copies of both schemas; `from` is borrowed. */
typedef struct narrowing {
    struct ArrowArrayStream *from;
    struct ArrowSchema wide;
    struct ArrowSchema narrow;
} narrowing;

typedef struct wide_numbers {
    const stoa_view *view;
    stoa_kind kind; /* target kind */
} wide_numbers;

static bool put_number(const void *context, int64_t i, uint8_t *values)
{
    const wide_numbers *const from = context;
    const size_t width = (size_t)stoa_kind_width(from->kind);
    uint8_t *const cell = values + (size_t)i * width;

    if (stoa_view_is_null(from->view, i)) {
        return false;
    }
    if (stoa_kind_is_integer(from->kind)) {
        stoa_integer_put(cell, width, stoa_view_i64(from->view, i));
        return true;
    }
    const float single = (float)stoa_view_f64(from->view, i);
    const uint16_t half = stoa_f32_to_f16(single);
    memcpy(cell, from->kind == STOA_KIND_FLOAT16 ? (const void *)&half : (const void *)&single,
           width);
    return true;
}

static stoa_status narrow_batch(const narrowing *n, struct ArrowArray *batch, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray made = {.release = NULL};
    stoa_view rows;
    stoa_view column;
    stoa_type type;

    STOA_TRY(stoa_view_of(&n->wide, batch, &rows, err));
    for (int64_t i = 0; i < n->wide.n_children; i++) {
        STOA_TRY(stoa_type_of(n->narrow.children[i], &type, err));
        STOA_TRY(stoa_view_child(&rows, i, &column, err));
        if (type.kind == column.type.kind) {
            continue;
        }
        if (batch->offset != 0) {
            STOA_FAIL(err, STOA_EINVAL, "a batch that is a slice cannot be narrowed");
        }
        const wide_numbers numbers = {&column, type.kind};
        STOA_TRY(stoa_array_put(&made, column.length, (size_t)stoa_kind_width(type.kind),
                                put_number, &numbers, err));
        stoa_array_release(batch->children[i]);
        stoa_array_move(&made, batch->children[i]);
    }

done:
    stoa_array_release(&made);
    return status;
}

/* --- the stream ------------------------------------------------------------------------------ */

static stoa_status say_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((narrowing *)self)->narrow, out, err);
}

static stoa_status next_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const narrowing *const n = self;

    STOA_TRY(stoa_stream_next(n->from, out, err));
    STOA_TRY(out->release != NULL ? narrow_batch(n, out, err) : STOA_OK);
    return STOA_OK;

done:
    stoa_array_release(out);
    out->release = NULL;
    return status;
}

static void end(void *self)
{
    narrowing *const n = self;

    stoa_schema_release(&n->wide);
    stoa_schema_release(&n->narrow);
    free(n);
}

stoa_status stoa_restore_int_width_stream(struct ArrowArrayStream *from,
                                          const struct ArrowSchema *to,
                                          struct ArrowArrayStream *out, stoa_error *err)
{
    static const stoa_producer producer = {say_schema, next_batch, end};
    stoa_status status = STOA_OK;
    narrowing *n = stoa_alloc_zero(1, sizeof *n);

    out->release = NULL;
    if (n == NULL) {
        return stoa_fail_memory(err);
    }
    n->from = from;
    STOA_TRY(stoa_stream_schema(from, &n->wide, err));
    STOA_TRY(stoa_schema_copy(to, &n->narrow, err));
    narrowing *const taken = n;
    n = NULL;
    STOA_TRY(stoa_stream_make(out, &producer, taken, err));

done:
    if (n != NULL) {
        end(n);
    }
    return status;
}
