/* Numbers and booleans, possibly padded with missing values; and nodes as columns. */
#include <stdlib.h>
#include <string.h>

#include "column/read/validity.h"
#include "layout/arkouda/read/column.h"

void stoa_arkouda_node_close(stoa_arkouda_node *node)
{
    if (node != NULL) {
        node->close(node);
        free(node->starts);
        free(node);
    }
}

stoa_status stoa_arkouda_node_make(size_t size, const stoa_arkouda_set *set,
                                   void (*close)(stoa_arkouda_node *node), void *out,
                                   stoa_error *err)
{
    stoa_arkouda_node *const node = stoa_alloc_zero(1, size);

    memcpy(out, &node, sizeof node);
    STOA_RETURN_NO_MEMORY(err, node);
    node->close = close;
    node->n_files = set->n;
    node->starts = stoa_alloc_zero(set->n + 1, sizeof *node->starts);
    return node->starts != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* --- numbers --------------------------------------------------------------------------------- */

/* Booleans converted at a time: a multiple of 8 that fits in the L2 cache. */
enum { BLOCK = 1 << 16 };

typedef struct numbers {
    stoa_arkouda_node node;
    stoa_arkouda_array *array;
    const stoa_validity_kernels *marks; /* converts bytes to bits */
} numbers;

static stoa_status numbers_schema(const stoa_arkouda_node *node, const char *name,
                                  struct ArrowSchema *out, stoa_error *err)
{
    const stoa_arkouda_array *const array = ((const numbers *)node)->array;

    return array->is_bool ? stoa_schema_make(out, name, stoa_kind_format(STOA_KIND_BOOL), err)
                          : stoa_element_schema(&array->element, name, out, err);
}

/* Read bytes as bits, without keeping the bytes. */
static stoa_status read_bits(const numbers *is, uint64_t first, uint64_t count, uint8_t *bits,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_read_context *const read_context = is->array->set->read_context;
    stoa_scratch scratch = stoa_read_context_borrow(read_context);
    uint8_t *const block = stoa_scratch_block(&scratch, 0, BLOCK);

    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t at = 0, n; at < count; at += n) {
        n = count - at < BLOCK ? count - at : BLOCK;
        STOA_TRY(stoa_arkouda_array_read(is->array, first + at, n, block, err));
        (void)is->marks->unequal[0](block, n, 0, bits + at / 8);
    }

done:
    stoa_read_context_return(read_context, &scratch);
    return status;
}

static stoa_status numbers_read(const stoa_arkouda_node *node, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const numbers *const is = (const numbers *)node;
    const stoa_arkouda_array *const array = is->array;
    void *values = array->is_bool ? stoa_alloc((size_t)stoa_bit_bytes(count), 1)
                                  : stoa_alloc((size_t)count, array->element.size);

    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(array->is_bool ? read_bits(is, first, count, values, err)
                            : stoa_arkouda_array_read(array, first, count, values, err));
    void *const buffers[] = {NULL, values};
    values = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)count, 0, 2, buffers, err));

done:
    free(values);
    return status;
}

static void numbers_close(stoa_arkouda_node *node)
{
    stoa_arkouda_array_close(((numbers *)node)->array);
}

stoa_status stoa_arkouda_numbers_open(stoa_arkouda_set *set, const char *path,
                                      const stoa_arkouda_requirements *wish,
                                      stoa_arkouda_node **node, stoa_error *err)
{
    stoa_status status = STOA_OK;
    numbers *made = NULL;

    *node = NULL;
    STOA_TRY(stoa_arkouda_node_make(sizeof *made, set, numbers_close, &made, err));
    STOA_TRY(stoa_arkouda_array_open(set, path, wish, &made->array, err));
    made->marks = stoa_validity_kernels_of(stoa_simd_of_cpu());
    memcpy(made->node.starts, made->array->starts, (set->n + 1) * sizeof *made->node.starts);
    made->node.is_free = made->array->is_free;
    made->node.schema = numbers_schema;
    made->node.read = numbers_read;
    *node = &made->node;
    made = NULL;

done:
    stoa_arkouda_node_close((stoa_arkouda_node *)made);
    return status;
}

const stoa_arkouda_array *stoa_arkouda_numbers_of(const stoa_arkouda_node *node)
{
    return node->close == numbers_close ? ((const numbers *)node)->array : NULL;
}

/* --- padded rows ----------------------------------------------------------------------------- */

typedef struct padded {
    stoa_arkouda_node node;
    stoa_arkouda_node *inner; /* of numbers */
} padded;

static stoa_status padded_schema(const stoa_arkouda_node *node, const char *name,
                                 struct ArrowSchema *out, stoa_error *err)
{
    const stoa_arkouda_node *const inner = ((const padded *)node)->inner;

    return inner->schema(inner, name, out, err);
}

static stoa_status padded_read(const stoa_arkouda_node *node, uint64_t first, uint64_t count,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_arkouda_array *const array = stoa_arkouda_numbers_of(((const padded *)node)->inner);
    const uint64_t end = stoa_arkouda_array_length(array);
    const uint64_t left = first < end ? end - first : 0;
    const uint64_t n = left < count ? left : count;
    uint8_t *values = stoa_alloc_zero((size_t)count, array->element.size);
    uint8_t *validity = stoa_alloc_zero((size_t)stoa_bit_bytes(count), 1);

    STOA_TRY(values != NULL && validity != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_array_read(array, first, n, values, err));
    for (uint64_t i = 0; i < n; i++) {
        stoa_bit_set(validity, i);
    }
    void *const buffers[] = {validity, values};
    validity = NULL;
    values = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)count, (int64_t)(count - n), 2, buffers, err));

done:
    free(validity);
    free(values);
    return status;
}

static void padded_close(stoa_arkouda_node *node)
{
    stoa_arkouda_node_close(((padded *)node)->inner);
}

stoa_status stoa_arkouda_padded_open(stoa_arkouda_set *set, stoa_arkouda_node *node,
                                     uint64_t n_rows, stoa_arkouda_node **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    padded *made = NULL;

    *out = NULL;
    STOA_TRY(stoa_arkouda_node_make(sizeof *made, set, padded_close, &made, err));
    made->inner = node;
    made->node.starts[set->n] = n_rows;
    made->node.is_free = node->is_free;
    made->node.schema = padded_schema;
    made->node.read = padded_read;
    node = NULL;
    *out = &made->node;
    made = NULL;

done:
    stoa_arkouda_node_close(node);
    stoa_arkouda_node_close((stoa_arkouda_node *)made);
    return status;
}

/* --- nodes as columns ------------------------------------------------------------------------- */

static stoa_status read_array(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                              stoa_error *err)
{
    const stoa_arkouda_node *const node = context;

    out->release = NULL;
    return node->read(node, first, count, out, err);
}

static void close_node(void *context)
{
    stoa_arkouda_node_close(context);
}

stoa_status stoa_arkouda_column_of(stoa_arkouda_node *node, const char *name, stoa_column **column,
                                   stoa_error *err)
{
    struct ArrowSchema schema = {.release = NULL};
    const stoa_status status = node->schema(node, name, &schema, err);

    *column = NULL;
    if (status != STOA_OK) {
        stoa_arkouda_node_close(node);
        return status;
    }
    const stoa_column_source source = {.read_array = read_array,
                                       .close = close_node,
                                       .context = node,
                                       .is_free = node->is_free,
                                       .is_sound = true};
    return stoa_column_of_source(&schema, stoa_arkouda_rows(node), &source, column, err);
}

static stoa_status read_numbers(void *context, uint64_t first, uint64_t count, void *out,
                                stoa_error *err)
{
    return stoa_arkouda_array_read(stoa_arkouda_numbers_of(context), first, count, out, err);
}

stoa_status stoa_arkouda_column_of_numbers(stoa_arkouda_node *node, const char *name,
                                           stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_arkouda_array *const array = stoa_arkouda_numbers_of(node);
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    const stoa_column_source source = {.read_elements = read_numbers,
                                       .close = close_node,
                                       .context = node,
                                       .is_free = node->is_free,
                                       .is_sound = true};

    *column = NULL;
    if (array->is_bool) {
        return stoa_arkouda_column_of(node, name, column, err);
    }
    STOA_TRY(stoa_element_of(array->element.mem_type, &element, err));
    const uint64_t n_rows = stoa_arkouda_rows(node);
    node = NULL;
    STOA_TRY(stoa_column_of_elements(name, &element, n_rows, &source, column, err));

done:
    stoa_arkouda_node_close(node);
    stoa_element_clear(&element);
    return status;
}
