#include "layout/common/restore_int_width.h"

#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "core/text.h"
#include "layout/common/changed_columns.h"

/* --- choosing types -------------------------------------------------------------------------- */

/* The kind that a field declares as its original one, if it is narrower and all values fit; else
 * `kind`. */
static stoa_status find_kind(const struct ArrowSchema *field, const stoa_column_stats *stats,
                             stoa_kind *kind, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *said = NULL;

    STOA_TRY(stoa_schema_get_text(field, STOA_COLUMN_ARROW_TYPE, &said, err));
    const stoa_kind original = stoa_original_kind(said, *kind);
    if (stoa_domain_fits(&stats->domain, original)) {
        *kind = original;
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

static bool is_of_lists(stoa_kind kind)
{
    return kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST;
}

/* Set `any` if a field changed. */
static stoa_status restore(struct ArrowSchema *schema, const stoa_column_stats *stats, bool *any,
                           stoa_error *err)
{
    stoa_type type;

    for (int64_t i = 0; i < schema->n_children; i++) {
        STOA_RETURN_NOT_OK(stoa_type_of(schema->children[i], &type, err));
        stoa_kind kind = type.kind;
        if (stoa_kind_is_integer(kind) || stoa_kind_is_float(kind)) {
            STOA_RETURN_NOT_OK(find_kind(schema->children[i], &stats[i], &kind, err));
        } else if (is_of_lists(kind)) {
            STOA_RETURN_NOT_OK(restore(schema->children[i], stats[i].fields, any, err));
        }
        if (kind != type.kind) {
            STOA_RETURN_NOT_OK(retype(schema->children[i], kind, err));
            *any = true;
        }
    }
    return STOA_OK;
}

stoa_status stoa_restore_int_width_fields(struct ArrowSchema *schema,
                                          const stoa_column_stats *stats, bool *any,
                                          stoa_error *err)
{
    *any = false;
    return restore(schema, stats, any, err);
}

/* --- values ---------------------------------------------------------------------------------- */

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

/* `out` stays released if the values have their type already. */
static stoa_status narrow_values(const stoa_view *values, const struct ArrowSchema *field,
                                 struct ArrowArray *out, stoa_error *err)
{
    struct ArrowArray narrow = {.release = NULL};
    stoa_view items;
    stoa_type type;

    STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
    if (is_of_lists(type.kind)) {
        STOA_RETURN_NOT_OK(stoa_view_child(values, 0, &items, err));
        STOA_RETURN_NOT_OK(narrow_values(&items, field->children[0], &narrow, err));
        return narrow.release != NULL ? stoa_lists_with_items(values, &narrow, out, err) : STOA_OK;
    }
    const wide_numbers numbers = {values, type.kind};
    return type.kind != values->type.kind
               ? stoa_array_put(out, values->length, (size_t)stoa_kind_width(type.kind), put_number,
                                &numbers, err)
               : STOA_OK;
}

static stoa_status narrow(const void *context, size_t i, const stoa_view *column,
                          const struct ArrowSchema *field, struct ArrowArray *out, stoa_error *err)
{
    (void)context;
    (void)i;
    return narrow_values(column, field, out, err);
}

stoa_status stoa_restore_int_width_stream(struct ArrowArrayStream *stream,
                                          const struct ArrowSchema *schema, stoa_error *err)
{
    return stoa_stream_change_columns(stream, schema, narrow, NULL, err);
}
