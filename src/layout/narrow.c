/* See narrow.h. */
#include "layout/narrow.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/read.h"
#include "column/column.h"
#include "core/memory.h"
#include "core/text.h"

/* --- which ----------------------------------------------------------------------------------- */

static bool fits(const stoa_domain *domain, stoa_kind kind)
{
    return domain->n_values == 0 || (stoa_kind_is_integer(kind)  ? stoa_domain_fits(domain, kind)
                                     : kind == STOA_KIND_FLOAT16 ? domain->is_float16
                                                                 : domain->is_float32);
}

/* The kind that a field says it was of, if that is narrower and will do; else `kind`. */
static stoa_status find_kind(const struct ArrowSchema *field, const stoa_facts *facts,
                             stoa_kind *kind, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *said = NULL;
    char name[64];

    STOA_TRY(stoa_schema_get_text(field, STOA_COLUMN_ARROW_TYPE, &said, err));
    for (stoa_kind k = STOA_KIND_INT8; said != NULL && k <= STOA_KIND_FLOAT64; k++) {
        if (stoa_kind_is_float(k) == stoa_kind_is_float(*kind) &&
            stoa_kind_width(k) <= stoa_kind_width(*kind) && fits(&facts->domain, k) &&
            strcmp(stoa_type_name(&(stoa_type){.kind = k}, name), said) == 0) {
            *kind = k;
            break;
        }
    }

done:
    free(said);
    return status;
}

/* The same field, of another type. */
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

stoa_status stoa_narrow_fields(struct ArrowSchema *schema, const stoa_facts *facts, bool *any,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_type type;

    *any = false;
    for (int64_t i = 0; i < schema->n_children; i++) {
        STOA_TRY(stoa_type_of(schema->children[i], &type, err));
        stoa_kind kind = type.kind;
        if (stoa_kind_is_integer(kind) || stoa_kind_is_float(kind)) {
            STOA_TRY(find_kind(schema->children[i], &facts[i], &kind, err));
        }
        if (kind != type.kind) {
            STOA_TRY(retype(schema->children[i], kind, err));
            *any = true;
        }
    }

done:
    return status;
}

/* --- values ---------------------------------------------------------------------------------- */

/* Both own copies of their schemas; `from` is borrowed. */
typedef struct narrowing {
    struct ArrowArrayStream *from;
    struct ArrowSchema wide;
    struct ArrowSchema narrow;
} narrowing;

static void put(uint8_t *cell, stoa_kind kind, const stoa_view *view, int64_t i)
{
    const size_t width = (size_t)stoa_kind_width(kind);

    if (stoa_kind_is_integer(kind)) {
        stoa_integer_put(cell, width, stoa_view_i64(view, i));
        return;
    }
    const float single = (float)stoa_view_f64(view, i);
    const uint16_t half = stoa_f32_to_f16(single);
    memcpy(cell, kind == STOA_KIND_FLOAT16 ? (const void *)&half : (const void *)&single, width);
}

static stoa_status make_numbers(const stoa_view *view, stoa_kind kind, struct ArrowArray *out,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)view->length;
    const size_t width = (size_t)stoa_kind_width(kind);
    uint8_t *validity = stoa_alloc_zero((size_t)stoa_bit_bytes(n) + 1, 1);
    uint8_t *values = stoa_alloc_zero(n + 1, width);
    int64_t n_missing = 0;

    STOA_TRY(validity != NULL && values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        if (stoa_view_is_null(view, (int64_t)i)) {
            n_missing++;
            continue;
        }
        stoa_bit_set(validity, i);
        put(values + i * width, kind, view, (int64_t)i);
    }
    void *const buffers[] = {validity, values};
    validity = NULL;
    values = NULL;
    STOA_TRY(stoa_array_make(out, view->length, n_missing, 2, buffers, err));

done:
    free(validity);
    free(values);
    return status;
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
        STOA_TRY(make_numbers(&column, type.kind, &made, err));
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

stoa_status stoa_narrow_stream(struct ArrowArrayStream *from, const struct ArrowSchema *to,
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
