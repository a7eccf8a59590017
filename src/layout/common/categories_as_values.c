#include "layout/common/categories_as_values.h"

#include "arrow/decode_dictionary.h"
#include "layout/common/changed_columns.h"

bool stoa_categories_all(const stoa_type *labels)
{
    return labels->kind == STOA_KIND_BOOL || stoa_kind_is_integer(labels->kind) ||
           stoa_kind_is_float(labels->kind) || stoa_kind_is_ticks(labels->kind);
}

bool stoa_categories_times(const stoa_type *labels)
{
    return stoa_kind_is_ticks(labels->kind);
}

/* --- schema ---------------------------------------------------------------------------------- */

/* The field keeps its metadata, except where that of its labels says otherwise. */
static stoa_status make_field(const struct ArrowSchema *field, struct ArrowSchema *out,
                              stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(out, field->name, field->dictionary->format, err));
    STOA_RETURN_NOT_OK(stoa_field_keep_units(out, field->dictionary, err));
    return stoa_field_keep_units(out, field, err);
}

static stoa_status make_schema(const struct ArrowSchema *from, stoa_categories_which *which,
                               struct ArrowSchema *out, stoa_error *err)
{
    stoa_type labels;

    STOA_RETURN_NOT_OK(stoa_schema_make(out, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, from->n_children, err));
    for (int64_t i = 0; i < from->n_children; i++) {
        const struct ArrowSchema *const field = from->children[i];
        bool is_decoded = field->dictionary != NULL;
        if (is_decoded) {
            STOA_RETURN_NOT_OK(stoa_type_of(field->dictionary, &labels, err));
            is_decoded = which(&labels);
        }
        STOA_RETURN_NOT_OK(is_decoded ? make_field(field, out->children[i], err)
                                      : stoa_schema_copy(field, out->children[i], err));
    }
    return STOA_OK;
}

/* --- values ---------------------------------------------------------------------------------- */

static stoa_status decode(const void *context, size_t i, const stoa_view *codes,
                          const struct ArrowSchema *field, struct ArrowArray *out, stoa_error *err)
{
    stoa_view labels;

    (void)context;
    (void)i;
    if (codes->type.kind != STOA_KIND_DICTIONARY || field->dictionary != NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_view_dictionary(codes, &labels, err));
    return stoa_decode_values(codes, &labels, out, err);
}

stoa_status stoa_categories_as_values(struct ArrowArrayStream *stream, stoa_categories_which *which,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema coded = {.release = NULL};
    struct ArrowSchema plain = {.release = NULL};

    STOA_TRY(stoa_stream_schema(stream, &coded, err));
    STOA_TRY(make_schema(&coded, which, &plain, err));
    STOA_TRY(stoa_stream_change_columns(stream, &plain, decode, NULL, err));

done:
    stoa_schema_release(&plain);
    stoa_schema_release(&coded);
    return status;
}
