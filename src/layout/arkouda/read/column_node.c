/* Nodes as columns (column.h). */
#include "layout/arkouda/read/column.h"

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
