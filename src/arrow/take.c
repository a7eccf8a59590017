/* Picks rows by the kind of their type. For nested types the rows below them are picked. */
#include "arrow/take.h"

#include <stdlib.h>
#include <string.h>

/* The arguments of every step. */
typedef struct gathering {
    const stoa_view *const *sources;
    size_t n_sources;
    const stoa_row_source *picks;
    int64_t n;
} gathering;

static const stoa_view *source_of(const gathering *g, int64_t i)
{
    return g->sources[g->picks[i].source];
}

/* *validity is NULL if no picked row is missing. */
static stoa_status take_validity(const gathering *g, uint8_t **validity, int64_t *null_count,
                                 stoa_error *err)
{
    bool any = false;

    *validity = NULL;
    *null_count = 0;
    for (size_t s = 0; s < g->n_sources; s++) {
        any = any || g->sources[s]->null_count > 0;
    }
    if (!any) {
        return STOA_OK;
    }
    *validity = stoa_alloc_zero(stoa_bit_bytes((uint64_t)g->n), 1);
    STOA_RETURN_NO_MEMORY(err, *validity);
    for (int64_t i = 0; i < g->n; i++) {
        if (stoa_view_is_null(source_of(g, i), g->picks[i].row)) {
            ++*null_count;
        } else {
            stoa_bit_set(*validity, (uint64_t)i);
        }
    }
    return STOA_OK;
}

#define TAKE_WIDTH(ctype)                                                                          \
    do {                                                                                           \
        ctype *to = values;                                                                        \
        for (int64_t i = 0; i < g->n; i++) {                                                       \
            to[i] = ((const ctype *)bases[g->picks[i].source])[g->picks[i].row];                   \
        }                                                                                          \
    } while (0)

/* `bases` has space for the sources' first values, so that a pick is two loads, and many of them
 * are under way at a time. */
static void take_fixed(const gathering *g, size_t width, const void **bases, void *values)
{
    for (size_t s = 0; s < g->n_sources; s++) {
        const stoa_view *from = g->sources[s];
        bases[s] = from->values == NULL
                       ? NULL
                       : (const uint8_t *)from->values + (size_t)from->offset * width;
    }
    switch (width) {
    case 1:
        TAKE_WIDTH(uint8_t);
        break;
    case 2:
        TAKE_WIDTH(uint16_t);
        break;
    case 4:
        TAKE_WIDTH(uint32_t);
        break;
    case 8:
        TAKE_WIDTH(uint64_t);
        break;
    default:
        for (int64_t i = 0; width != 0 && i < g->n; i++) {
            const uint8_t *base = bases[g->picks[i].source];
            memcpy((uint8_t *)values + (size_t)i * width, base + (size_t)g->picks[i].row * width,
                   width);
        }
    }
}

static void take_bits(const gathering *g, uint8_t *values)
{
    for (int64_t i = 0; i < g->n; i++) {
        const stoa_view *from = source_of(g, i);
        if (stoa_bit_get(from->values, (uint64_t)(from->offset + g->picks[i].row))) {
            stoa_bit_set(values, (uint64_t)i);
        }
    }
}

/* Fixed-width values, bits and dictionary codes. `buffers[0]` is the validity. */
static stoa_status take_values(const gathering *g, void *buffers[3], stoa_error *err)
{
    const stoa_type *type = &g->sources[0]->type;
    const stoa_kind kind = type->kind == STOA_KIND_DICTIONARY ? type->index : type->kind;
    const bool bits = kind == STOA_KIND_BOOL;
    const size_t width =
        (size_t)(kind == STOA_KIND_FIXED_BINARY ? type->width : stoa_kind_width(kind));

    buffers[1] =
        bits ? stoa_alloc_zero(stoa_bit_bytes((uint64_t)g->n), 1) : stoa_alloc((size_t)g->n, width);
    STOA_RETURN_NO_MEMORY(err, buffers[1]);
    if (bits) {
        take_bits(g, buffers[1]);
        return STOA_OK;
    }
    const void **bases = stoa_alloc(g->n_sources, sizeof *bases);
    STOA_RETURN_NO_MEMORY(err, bases);
    take_fixed(g, width, bases, buffers[1]);
    free(bases);
    return STOA_OK;
}

/* Make n + 1 ascending offsets in the kind's width; `length_of` returns the lengths. */
static stoa_status take_offsets(const gathering *g,
                                int64_t (*length_of)(const stoa_view *, int64_t), void **offsets,
                                int64_t *total, stoa_error *err)
{
    const bool wide = stoa_kind_is_wide(g->sources[0]->type.kind);
    int32_t *narrow = NULL;
    int64_t *large = NULL;

    *total = 0;
    *offsets = stoa_alloc_zero((size_t)g->n + 1, wide ? sizeof *large : sizeof *narrow);
    STOA_RETURN_NO_MEMORY(err, *offsets);
    narrow = *offsets;
    large = *offsets;
    for (int64_t i = 0; i < g->n; i++) {
        const stoa_view *from = source_of(g, i);
        const int64_t row = g->picks[i].row;
        *total += stoa_view_is_null(from, row) ? 0 : length_of(from, row);
        if (wide) {
            large[i + 1] = *total;
        } else if (*total <= INT32_MAX) {
            narrow[i + 1] = (int32_t)*total;
        } else {
            return stoa_fail(err, STOA_ERANGE,
                             "%lld rows of column '%s' hold more than 2 GiB, the most one batch "
                             "can; ask for fewer rows at a time",
                             (long long)g->n, g->sources[0]->schema->name);
        }
    }
    return STOA_OK;
}

static int64_t text_length(const stoa_view *view, int64_t row)
{
    size_t length;

    __builtin_prefetch(stoa_view_bytes(view, row, &length)); /* it is copied next */
    return (int64_t)length;
}

static int64_t list_length(const stoa_view *view, int64_t row)
{
    int64_t first;
    int64_t count;

    stoa_view_range(view, row, &first, &count);
    return count;
}

static stoa_status take_texts(const gathering *g, void *buffers[3], stoa_error *err)
{
    int64_t total = 0;

    STOA_RETURN_NOT_OK(take_offsets(g, text_length, &buffers[1], &total, err));
    uint8_t *to = stoa_alloc((size_t)total, 1);
    STOA_RETURN_NO_MEMORY(err, to);
    buffers[2] = to;
    for (int64_t i = 0; i < g->n; i++) {
        const stoa_view *from = source_of(g, i);
        if (!stoa_view_is_null(from, g->picks[i].row)) {
            size_t length;
            const char *bytes = stoa_view_bytes(from, g->picks[i].row, &length);
            memcpy(to, bytes, length);
            to += length;
        }
    }
    return STOA_OK;
}

/* Nested types ------------------------------------------------------------------------------ */

/* Take the rows of child `c` that belong to the picks (for lists: all their items). */
static stoa_status take_child(const gathering *g, int64_t c, const stoa_row_source *picks,
                              int64_t n, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view *views = stoa_alloc(g->n_sources, sizeof *views);
    const stoa_view **sources = stoa_alloc(g->n_sources, sizeof *sources);

    STOA_TRY(views != NULL && sources != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t s = 0; s < g->n_sources; s++) {
        STOA_TRY(stoa_view_child(g->sources[s], c, &views[s], err));
        sources[s] = &views[s];
    }
    STOA_TRY(stoa_take(sources, g->n_sources, picks, n, out, err));

done:
    free(views);
    free(sources);
    return status;
}

/* Picks for all items of the picked lists. Fixed-size lists have items for missing rows too. */
static stoa_status item_picks(const gathering *g, stoa_row_source **picks, int64_t *n,
                              stoa_error *err)
{
    const bool fixed = g->sources[0]->type.kind == STOA_KIND_FIXED_LIST;
    int64_t total = 0;

    for (int64_t i = 0; i < g->n; i++) {
        const stoa_view *from = source_of(g, i);
        if (fixed || !stoa_view_is_null(from, g->picks[i].row)) {
            total += list_length(from, g->picks[i].row);
        }
    }
    *picks = stoa_alloc((size_t)total, sizeof **picks);
    STOA_RETURN_NO_MEMORY(err, *picks);
    *n = 0;
    for (int64_t i = 0; i < g->n; i++) {
        const stoa_view *from = source_of(g, i);
        int64_t first;
        int64_t count;
        if (fixed || !stoa_view_is_null(from, g->picks[i].row)) {
            stoa_view_range(from, g->picks[i].row, &first, &count);
            for (int64_t j = 0; j < count; j++) {
                (*picks)[(*n)++] = (stoa_row_source){first + j, g->picks[i].source};
            }
        }
    }
    return STOA_OK;
}

static stoa_status take_children(const gathering *g, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_view *first = g->sources[0];
    stoa_row_source *items = NULL;
    const stoa_row_source *picks = g->picks;
    int64_t n = g->n;

    if (first->type.kind != STOA_KIND_STRUCT) {
        STOA_TRY(item_picks(g, &items, &n, err));
        picks = items;
    }
    STOA_TRY(stoa_array_children(out, first->array->n_children, err));
    for (int64_t c = 0; c < first->array->n_children; c++) {
        STOA_TRY(take_child(g, c, picks, n, out->children[c], err));
    }

done:
    free(items);
    return status;
}

/* All types --------------------------------------------------------------------------------- */

static stoa_status take_buffers(const gathering *g, void *buffers[3], int64_t *n_buffers,
                                stoa_error *err)
{
    int64_t total;

    switch (g->sources[0]->type.kind) {
    case STOA_KIND_STRUCT:
    case STOA_KIND_FIXED_LIST:
        *n_buffers = 1;
        return STOA_OK;
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        *n_buffers = 2;
        return take_offsets(g, list_length, &buffers[1], &total, err);
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_BINARY:
        *n_buffers = 3;
        return take_texts(g, buffers, err);
    default:
        *n_buffers = 2;
        return take_values(g, buffers, err);
    }
}

stoa_status stoa_take(const stoa_view *const *sources, size_t n_sources,
                      const stoa_row_source *picks, int64_t n, struct ArrowArray *out,
                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    const gathering g = {sources, n_sources, picks, n};
    const stoa_kind kind = sources[0]->type.kind;
    void *buffers[3] = {NULL, NULL, NULL};
    int64_t n_buffers = 0;
    int64_t null_count = 0;
    uint8_t *validity = NULL;

    *out = (struct ArrowArray){0};
    if (kind == STOA_KIND_NULL) {
        return stoa_array_make(out, n, n, 0, NULL, err);
    }
    STOA_TRY(take_validity(&g, &validity, &null_count, err));
    buffers[0] = validity;
    STOA_TRY(take_buffers(&g, buffers, &n_buffers, err));
    status = stoa_array_make(out, n, null_count, n_buffers, buffers, err);
    memset(buffers, 0, sizeof buffers); /* taken over even on failure */
    STOA_TRY(status);
    if (kind == STOA_KIND_DICTIONARY) {
        struct ArrowArray dictionary = {0};
        STOA_TRY(stoa_array_share(sources[0]->array->dictionary, &dictionary, err));
        STOA_TRY(stoa_array_dictionary(out, &dictionary, err));
    } else if (n_buffers == 1 || kind == STOA_KIND_LIST || kind == STOA_KIND_LARGE_LIST) {
        STOA_TRY(take_children(&g, out, err));
    }

done:
    for (int i = 0; i < 3; i++) {
        free(buffers[i]);
    }
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

/* Missing values ---------------------------------------------------------------------------- */

stoa_status stoa_array_missing(const struct ArrowSchema *schema, int64_t n, struct ArrowArray *out,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray labels = {.release = NULL};
    void *buffers[3] = {NULL, NULL, NULL};
    int64_t n_buffers = 2;
    stoa_type type;

    STOA_RETURN_NOT_OK(stoa_type_of(schema, &type, err));
    if (type.kind == STOA_KIND_NULL) {
        return stoa_array_make(out, n, n, 0, NULL, err);
    }
    const bool is_fixed = type.kind == STOA_KIND_FIXED_LIST;
    const bool is_nested = is_fixed || type.kind == STOA_KIND_STRUCT;
    const size_t width = type.kind == STOA_KIND_FIXED_BINARY ? (size_t)type.width : 8;
    n_buffers = is_nested ? 1 : stoa_kind_is_bytes(type.kind) ? 3 : 2;
    for (int64_t i = 0; i < n_buffers; i++) {
        buffers[i] = stoa_alloc_zero((size_t)n + 1, i == 1 && width > 8 ? width : 8);
        STOA_TRY(buffers[i] != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    status = stoa_array_make(out, n, n, n_buffers, buffers, err);
    buffers[0] = buffers[1] = buffers[2] = NULL;
    STOA_TRY(status);
    STOA_TRY(schema->n_children > 0 ? stoa_array_children(out, schema->n_children, err) : STOA_OK);
    for (int64_t i = 0; i < schema->n_children; i++) {
        const int64_t n_here = !is_nested ? 0 : is_fixed ? n * type.width : n;
        STOA_TRY(stoa_array_missing(schema->children[i], n_here, out->children[i], err));
    }
    if (schema->dictionary != NULL) {
        STOA_TRY(stoa_array_missing(schema->dictionary, 0, &labels, err));
        STOA_TRY(stoa_array_dictionary(out, &labels, err));
    }

done:
    for (int i = 0; i < 3; i++) {
        free(buffers[i]);
    }
    return status;
}

stoa_status stoa_take_all(const struct ArrowSchema *schema, const struct ArrowArray *parts,
                          size_t n_parts, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view *const views = stoa_alloc_zero(n_parts, sizeof *views);
    const stoa_view **const sources = stoa_alloc_zero(n_parts, sizeof(stoa_view *));
    stoa_row_source *picks = NULL;
    size_t n = 0;

    out->release = NULL;
    for (size_t i = 0; i < n_parts; i++) {
        n += (size_t)parts[i].length;
    }
    picks = stoa_alloc(n, sizeof *picks);
    STOA_TRY(views != NULL && sources != NULL && picks != NULL ? STOA_OK : stoa_fail_memory(err));
    n = 0;
    for (size_t i = 0; i < n_parts; i++) {
        STOA_TRY(stoa_view_of(schema, &parts[i], &views[i], err));
        sources[i] = &views[i];
        for (int64_t row = 0; row < parts[i].length; row++) {
            picks[n++] = (stoa_row_source){row, (uint32_t)i};
        }
    }
    STOA_TRY(stoa_take(sources, n_parts, picks, (int64_t)n, out, err));

done:
    free(views);
    free(sources);
    free(picks);
    return status;
}

stoa_status stoa_take_rows(const stoa_view *from, const int64_t *at, int64_t n,
                           struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray array = {.release = NULL};
    stoa_view missing;
    const stoa_view *const sources[] = {from, &missing};
    stoa_row_source *const picks = stoa_alloc((size_t)n, sizeof *picks);

    out->release = NULL;
    STOA_TRY(picks != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_array_missing(from->schema, 1, &array, err));
    STOA_TRY(stoa_view_of_sound(from->schema, &array, &missing, err));
    for (int64_t i = 0; i < n; i++) {
        picks[i] = at[i] < 0 ? (stoa_row_source){0, 1} : (stoa_row_source){at[i], 0};
    }
    STOA_TRY(stoa_take(sources, 2, picks, n, out, err));

done:
    stoa_array_release(&array);
    free(picks);
    return status;
}

stoa_status stoa_take_labels(const struct ArrowSchema *schema, const struct ArrowArray *array,
                             const stoa_view *labels, const char *column, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t *const at = stoa_alloc((size_t)array->length + 1, sizeof *at);
    struct ArrowSchema plain = *schema; /* the codes alone */
    struct ArrowArray codes = *array;
    stoa_view view;

    out->release = NULL;
    STOA_TRY(at != NULL ? STOA_OK : stoa_fail_memory(err));
    plain.dictionary = NULL;
    codes.dictionary = NULL;
    STOA_TRY(stoa_view_of(&plain, &codes, &view, err));
    for (int64_t i = 0; i < view.length; i++) {
        at[i] = stoa_view_is_null(&view, i) ? -1 : stoa_view_i64(&view, i);
        if (at[i] < -1 || at[i] >= labels->length) {
            STOA_FAIL(err, STOA_EDATA, "column '%s': code %lld is outside its dictionary", column,
                      (long long)at[i]);
        }
    }
    STOA_TRY(stoa_take_rows(labels, at, view.length, out, err));

done:
    free(at);
    return status;
}
