/* Columns as LH5 arrays of one or more dimensions, and as scalars (LH5 notes §4). */
#include <stdlib.h>
#include <string.h>

#include "column/type/tensor.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/writer.h"

stoa_status stoa_lh5_sink_spell(const stoa_lh5_sink *sink, char **text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *before = NULL;

    *text = NULL;
    STOA_TRY(stoa_schema_get_text(sink->field, "lh5.datatype", &before, err));
    STOA_TRY(stoa_lh5_datatype_spell(&sink->is, before, text, err));

done:
    free(before);
    return status;
}

/* Determine the shape of a row: the dimensions in the metadata, otherwise one dimension for each
 * level of lists. */
static stoa_status find_shape(const struct ArrowSchema *field, hsize_t *shape, int *rank,
                              const struct ArrowSchema **item, stoa_error *err)
{
    hsize_t said[H5S_MAX_RANK];
    int n = 0;
    stoa_type type;

    *rank = 1;
    for (*item = field;; *item = (*item)->children[0]) {
        STOA_RETURN_NOT_OK(stoa_type_of(*item, &type, err));
        if (type.kind != STOA_KIND_FIXED_LIST || *rank >= STOA_LH5_HIGHEST_RANK) {
            break;
        }
        shape[(*rank)++ - 1] = (hsize_t)type.width;
    }
    if (*rank == 2) {
        STOA_RETURN_NOT_OK(stoa_tensor_shape(field, shape[0], said, &n, err));
    }
    if (n > 0 && n < STOA_LH5_HIGHEST_RANK) {
        memcpy(shape, said, (size_t)n * sizeof *shape);
        *rank = n + 1;
    }
    return STOA_OK;
}

/* Keep the original kind of array if the rank still fits; otherwise choose the kind that the Python
 * writer uses. */
static void choose_kind(stoa_lh5_sink *sink, int rank)
{
    const stoa_lh5_datatype *const said = &sink->said;
    const bool is_array = said->kind == STOA_LH5_ARRAY || said->kind == STOA_LH5_FIXED_ARRAY ||
                          said->kind == STOA_LH5_EQUAL_ARRAYS;

    if (is_array && said->rank + said->inner == (unsigned)rank) {
        sink->is.kind = said->kind;
        sink->is.rank = said->rank;
        sink->is.inner = said->inner;
    } else {
        sink->is.kind = rank > 1 ? STOA_LH5_EQUAL_ARRAYS : STOA_LH5_ARRAY;
        sink->is.rank = 1;
        sink->is.inner = (unsigned)rank - 1;
    }
}

stoa_status stoa_lh5_array_make(stoa_lh5_sink *sink, hid_t parent, const char *name,
                                const char *path, const stoa_column_stats *stats, uint64_t n_rows,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_storage storage = sink->target->storage;
    const struct ArrowSchema *item = NULL;
    const stoa_column_stats *of_items = stats;
    hsize_t shape[H5S_MAX_RANK];
    char *text = NULL;
    int rank = 1;

    STOA_TRY(find_shape(sink->field, shape, &rank, &item, err));
    for (const struct ArrowSchema *at = sink->field; at != item; at = at->children[0]) {
        of_items = of_items->fields;
    }
    storage.most_rows = n_rows;
    if (sink->target->is_scalar && rank == 1) {
        rank = 0;
        sink->is.kind = STOA_LH5_SCALAR;
    } else {
        choose_kind(sink, rank);
    }
    STOA_TRY(
        stoa_lh5_items_choose(item, sink->field, path, of_items, &sink->said, &sink->items, err));
    sink->is.element = sink->items.element;
    if (sink->is.element == STOA_LH5_ENUM) {
        sink->is.names = sink->said.names;
        sink->is.values = sink->said.values;
        sink->is.n_names = sink->said.n_names;
    }
    STOA_TRY(stoa_lh5_sink_spell(sink, &text, err));
    STOA_TRY(stoa_lh5_rows_make(parent, name, sink->items.stored, rank, shape, text, &storage,
                                &sink->rows, err));

done:
    free(text);
    return status;
}

stoa_status stoa_lh5_array_put(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_view items = *view;
    stoa_buffer texts = {0};
    void *bytes = NULL;

    while (items.type.kind == STOA_KIND_FIXED_LIST) {
        const stoa_view lists = items;
        int64_t first = 0;
        int64_t width = 0;
        stoa_view_range(&lists, 0, &first, &width);
        STOA_TRY(stoa_view_child(&lists, 0, &items, err));
        items.offset += first;
        items.length = lists.length * width;
    }
    STOA_TRY(stoa_lh5_items_convert(&sink->items, &items, &texts, &bytes, err));
    STOA_TRY(
        stoa_lh5_rows_put(&sink->rows, sink->items.memory, (uint64_t)view->length, bytes, err));

done:
    free(bytes);
    stoa_buffer_clear(&texts);
    return status;
}
