/* SegArrays: lists of numbers, strings or big integers (Arkouda notes §F.2 to §F.5). */
#include <stdlib.h>
#include <string.h>

#include "layout/arkouda/read/node.h"

/* Offsets that are converted at a time, so that they stay in the L1 cache. */
enum { PART = 1 << 12 };

typedef struct lists {
    stoa_arkouda_node node;
    stoa_arkouda_array *segments;
    stoa_arkouda_node *items;
    bool is_global;
} lists;

static stoa_status lists_schema(const stoa_arkouda_node *node, const char *name,
                                struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_arkouda_node *const items = ((const lists *)node)->items;

    STOA_TRY(stoa_schema_make(out, name, "+l", err));
    STOA_TRY(stoa_schema_children(out, 1, err));
    STOA_TRY(items->schema(items, "item", out->children[0], err));

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}

/* Read the offsets of lists. Their items are [*begin, *end). The offsets are read in parts that
 * stay in the cache. */
static stoa_status read_offsets(const lists *is, uint64_t first, uint64_t count,
                                stoa_scratch *scratch, int32_t *offsets, int64_t *begin,
                                int64_t *end, stoa_error *err)
{
    int64_t *const starts =
        (int64_t *)(void *)stoa_scratch_block(scratch, 0, (PART + 1) * sizeof *starts);

    STOA_RETURN_NO_MEMORY(err, starts);
    for (uint64_t at = 0, n; at < count; at += n) {
        n = count - at < PART ? count - at : PART;
        STOA_RETURN_NOT_OK(stoa_arkouda_offsets_read(is->segments, is->items->starts, is->is_global,
                                                     first + at, n, starts, err));
        if (at > 0 && starts[0] != *end) {
            return stoa_fail(err, STOA_EDATA, "%s: has changed while it was read",
                             is->segments->path);
        }
        *begin = at > 0 ? *begin : starts[0];
        *end = starts[n];
        if (*end - *begin > INT32_MAX) {
            return stoa_fail(err, STOA_ERANGE,
                             "%llu lists have over 2^31 items; read fewer rows at once",
                             (unsigned long long)count);
        }
        is->segments->turn->place_small(starts, n + 1, 0, starts[0] - *begin, offsets + at);
    }
    return STOA_OK;
}

static stoa_status lists_read(const stoa_arkouda_node *node, uint64_t first, uint64_t count,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const lists *const is = (const lists *)node;
    stoa_read_context *const read_context = is->segments->set->read_context;
    stoa_scratch scratch = stoa_read_context_borrow(read_context);
    struct ArrowArray items = {.release = NULL};
    int32_t *offsets = stoa_alloc((size_t)count + 1, sizeof *offsets);
    int64_t begin = 0;
    int64_t end = 0;

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    offsets[0] = 0;
    STOA_TRY(read_offsets(is, first, count, &scratch, offsets, &begin, &end, err));
    STOA_TRY(is->items->read(is->items, (uint64_t)begin, (uint64_t)(end - begin), &items, err));
    void *const buffers[] = {NULL, offsets};
    offsets = NULL;
    STOA_TRY(stoa_array_list(out, (int64_t)count, 0, 2, buffers, &items, err));

done:
    stoa_read_context_return(read_context, &scratch);
    free(offsets);
    return status;
}

static void lists_close(stoa_arkouda_node *node)
{
    lists *const is = (lists *)node;

    stoa_arkouda_node_close(is->items);
    stoa_arkouda_array_close(is->segments);
}

stoa_status stoa_arkouda_lists_open(stoa_arkouda_set *set, const char *segments,
                                    stoa_arkouda_node *items, bool is_global,
                                    stoa_arkouda_node **node, stoa_error *err)
{
    static const stoa_arkouda_requirements integers = {.is_int64 = true};
    stoa_status status = STOA_OK;
    lists *made = NULL;

    *node = NULL;
    STOA_TRY(stoa_arkouda_node_make(sizeof *made, set, lists_close, &made, err));
    made->items = items;
    items = NULL;
    STOA_TRY(stoa_arkouda_array_open(set, segments, &integers, &made->segments, err));
    STOA_TRY(stoa_arkouda_offsets_check(made->segments, made->items->starts, is_global, err));
    memcpy(made->node.starts, made->segments->starts, (set->n + 1) * sizeof *made->node.starts);
    made->is_global = is_global;
    made->node.is_free = made->segments->is_free && made->items->is_free;
    made->node.schema = lists_schema;
    made->node.read = lists_read;
    *node = &made->node;
    made = NULL;

done:
    stoa_arkouda_node_close(items);
    stoa_arkouda_node_close((stoa_arkouda_node *)made);
    return status;
}
