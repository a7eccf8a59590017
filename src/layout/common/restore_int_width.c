#include "layout/common/restore_int_width.h"

#include <stdlib.h>

#include "column/column.h"

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
