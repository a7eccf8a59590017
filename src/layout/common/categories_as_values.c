#include "layout/common/categories_as_values.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

typedef struct plain {
    struct ArrowArrayStream from;
    struct ArrowSchema schema; /* schema of `from` */
    bool *is_plain;            /* for each column, whether it is decoded */
} plain;

/* --- choosing columns ------------------------------------------------------------------------ */

bool stoa_categories_all(const stoa_type *labels)
{
    return labels->kind == STOA_KIND_BOOL || stoa_kind_is_integer(labels->kind) ||
           stoa_kind_is_float(labels->kind) || stoa_kind_is_ticks(labels->kind);
}

bool stoa_categories_times(const stoa_type *labels)
{
    return stoa_kind_is_ticks(labels->kind);
}

static stoa_status choose(plain *p, stoa_categories_which *which, stoa_error *err)
{
    const size_t n = (size_t)p->schema.n_children;
    stoa_type labels;

    p->is_plain = stoa_alloc_zero(n, sizeof *p->is_plain);
    STOA_RETURN_NOT_OK(p->is_plain != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        const struct ArrowSchema *const dictionary = p->schema.children[i]->dictionary;
        if (dictionary != NULL) {
            STOA_RETURN_NOT_OK(stoa_type_of(dictionary, &labels, err));
            p->is_plain[i] = which(&labels);
        }
    }
    return STOA_OK;
}

/* --- schema ---------------------------------------------------------------------------------- */

/* The field keeps its metadata, except where that of its labels says otherwise. */
static stoa_status make_field(const struct ArrowSchema *field, struct ArrowSchema *out,
                              stoa_error *err)
{
    static const char *const keys[] = {"units", "units_vocabulary", "description"};
    stoa_status status = STOA_OK;
    char *text = NULL;

    STOA_TRY(stoa_schema_make(out, field->name, field->dictionary->format, err));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        STOA_TRY(stoa_schema_get_text(field->dictionary, keys[i], &text, err));
        if (text == NULL) {
            STOA_TRY(stoa_schema_get_text(field, keys[i], &text, err));
        }
        if (text != NULL) {
            STOA_TRY(stoa_schema_set(out, keys[i], text, err));
        }
        free(text);
        text = NULL;
    }

done:
    free(text);
    return status;
}

static stoa_status make_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const plain *const p = self;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_schema_make(out, "", "+s", err));
    STOA_TRY(stoa_schema_children(out, p->schema.n_children, err));
    for (int64_t i = 0; i < p->schema.n_children; i++) {
        const struct ArrowSchema *const field = p->schema.children[i];
        STOA_TRY(p->is_plain[i] ? make_field(field, out->children[i], err)
                                : stoa_schema_copy(field, out->children[i], err));
    }

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}

/* --- values ---------------------------------------------------------------------------------- */

/* Index of the label of item i; -1 if it is missing. */
static int64_t place_of(const stoa_view *codes, const stoa_view *labels, int64_t i)
{
    const int64_t code = stoa_view_is_null(codes, i) ? -1 : stoa_view_i64(codes, i);

    return code < 0 || code >= labels->length || stoa_view_is_null(labels, code) ? -1 : code;
}

typedef struct labelled {
    const stoa_view *codes;
    const stoa_view *labels;
} labelled;

static bool put_label(const void *context, int64_t i, uint8_t *values)
{
    const labelled *const from = context;
    const stoa_view *const labels = from->labels;
    const int64_t place = place_of(from->codes, labels, i);

    if (place < 0) {
        return false;
    }
    if (labels->type.kind != STOA_KIND_BOOL) {
        const size_t width = (size_t)stoa_kind_width(labels->type.kind);
        memcpy(values + (size_t)i * width,
               (const uint8_t *)labels->values + (size_t)(labels->offset + place) * width, width);
    } else if (stoa_view_i64(labels, place) != 0) {
        stoa_bit_set(values, (uint64_t)i);
    }
    return true;
}

static stoa_status make_values(const stoa_view *codes, struct ArrowArray *out, stoa_error *err)
{
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(codes, &labels, err));
    const bool are_bits = labels.type.kind == STOA_KIND_BOOL;
    return stoa_array_put(out, codes->length,
                          are_bits ? 1 : (size_t)stoa_kind_width(labels.type.kind), put_label,
                          &(labelled){codes, &labels}, err);
}

static stoa_status make_batch(const plain *p, struct ArrowArray *from, struct ArrowArray *out,
                              stoa_error *err)
{
    void *const none[] = {NULL};
    stoa_view rows;

    STOA_RETURN_NOT_OK(stoa_view_of(&p->schema, from, &rows, err));
    STOA_RETURN_NOT_OK(stoa_array_make(out, rows.length, 0, 1, none, err));
    STOA_RETURN_NOT_OK(stoa_array_children(out, p->schema.n_children, err));
    for (int64_t i = 0; i < p->schema.n_children; i++) {
        stoa_view view;
        if (p->is_plain[i]) {
            STOA_RETURN_NOT_OK(stoa_view_child(&rows, i, &view, err));
            STOA_RETURN_NOT_OK(make_values(&view, out->children[i], err));
        } else {
            stoa_array_move(from->children[i], out->children[i]);
        }
    }
    return STOA_OK;
}

static stoa_status next_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    plain *const p = self;
    struct ArrowArray batch = {.release = NULL};

    out->release = NULL;
    STOA_TRY(stoa_stream_next(&p->from, &batch, err));
    if (batch.release != NULL) {
        STOA_TRY(make_batch(p, &batch, out, err));
    }

done:
    stoa_array_release(&batch);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static void close_plain(void *self)
{
    plain *const p = self;

    stoa_stream_release(&p->from);
    stoa_schema_release(&p->schema);
    free(p->is_plain);
    free(p);
}

stoa_status stoa_categories_as_values(struct ArrowArrayStream *from, stoa_categories_which *which,
                                      struct ArrowArrayStream *out, stoa_error *err)
{
    static const stoa_producer producer = {make_schema, next_batch, close_plain};
    stoa_status status = STOA_OK;
    plain *p = stoa_alloc_zero(1, sizeof *p);

    out->release = NULL;
    if (p == NULL) {
        stoa_stream_release(from);
        return stoa_fail_memory(err);
    }
    p->from = *from;
    from->release = NULL;
    STOA_TRY(stoa_stream_schema(&p->from, &p->schema, err));
    STOA_TRY(choose(p, which, err));
    plain *const taken = p;
    p = NULL;
    STOA_TRY(stoa_stream_make(out, &producer, taken, err));

done:
    if (p != NULL) {
        close_plain(p);
    }
    return status;
}
