/* Booleans that a layout stores as numbers, alone or in arrays. */
#include <stdlib.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/rows.h"
#include "core/memory.h"
#include "layout/layout.h"

/* Convert numbers to bits. */
static uint8_t *bits_of(const stoa_view *numbers)
{
    uint8_t *const bits = stoa_alloc_zero(stoa_bit_bytes((uint64_t)numbers->length), 1);

    for (int64_t i = 0; bits != NULL && i < numbers->length; i++) {
        if (stoa_view_i64(numbers, i) != 0) {
            stoa_bit_set(bits, (uint64_t)i);
        }
    }
    return bits;
}

static stoa_status make_truth(const stoa_view *numbers, struct ArrowArray *out, stoa_error *err)
{
    void *const buffers[] = {NULL, bits_of(numbers)};

    return buffers[1] != NULL ? stoa_array_make(out, numbers->length, 0, 2, buffers, err)
                              : stoa_fail_memory(err);
}

/* Fixed-size lists keep their shape; only the items change. */
static stoa_status make_lists(const stoa_view *lists, struct ArrowArray *out, stoa_error *err)
{
    stoa_view numbers;
    struct ArrowArray items = {.release = NULL};

    STOA_RETURN_NOT_OK(stoa_view_child(lists, 0, &numbers, err));
    STOA_RETURN_NOT_OK(make_truth(&numbers, &items, err));
    return stoa_array_list(out, lists->length, 0, 1, (void *const[]){NULL}, &items, err);
}

static stoa_status read_truth(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const numbers = context;
    stoa_column_rows rows = {.array.release = NULL};

    out->release = NULL;
    STOA_TRY(stoa_column_rows_read(numbers, first, count, &rows, err));
    STOA_TRY((rows.view.type.kind == STOA_KIND_FIXED_LIST ? make_lists : make_truth)(&rows.view,
                                                                                     out, err));

done:
    stoa_column_rows_clear(&rows);
    return status;
}

static void close_truth(void *context)
{
    stoa_column_close(context);
}

stoa_status stoa_layout_ints_as_bool(stoa_column *numbers, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    const stoa_column_source source = {
        .read_array = read_truth, .close = close_truth, .context = numbers};
    const bool is_list = numbers->type.kind == STOA_KIND_FIXED_LIST;

    *column = NULL;
    STOA_TRY(is_list ? stoa_column_schema(numbers, &schema, err)
                     : stoa_schema_make(&schema, numbers->name, "b", err));
    if (is_list) {
        stoa_schema_release(schema.children[0]);
        STOA_TRY(stoa_schema_make(schema.children[0], "item", "b", err));
    }
    const uint64_t n_rows = numbers->n_rows;
    numbers = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));

done:
    stoa_column_close(numbers);
    stoa_schema_release(&schema);
    return status;
}
