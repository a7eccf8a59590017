/*
 * Vectors of vectors (LH5, "Vector of vectors"; LH5 notes §4.3): cumulative_length says where each
 * vector ends in flattened_data, which may be vectors again.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "core/memory.h"
#include "layout/lh5/lh5.h"

typedef struct vectors {
    stoa_column *lengths;
    stoa_column *items;
    stoa_scratch scratch; /* for ends */
    bool is_large;        /* there are more items than 32 bits count */
} vectors;

/* --- where they lie -------------------------------------------------------------------------- */

/* Ends that are stored side by side, counted from the first item, which may take the place of what
 * is stored; false where they descend. What is negative is beyond every item. */
#define TAKE_ENDS(type)                                                                            \
    do {                                                                                           \
        const type *const stored_ = stored;                                                        \
        last = from > 0 ? (uint64_t)stored_[0] : 0;                                                \
        out->first = last;                                                                         \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const uint64_t end = (uint64_t)stored_[from + i];                                      \
            ascends &= end >= last;                                                                \
            out->ends[i] = end - out->first;                                                       \
            last = end;                                                                            \
        }                                                                                          \
    } while (0)

static stoa_status take_ends(stoa_kind kind, const void *stored, uint64_t from, uint64_t count,
                             uint64_t n_items, stoa_lh5_ends *out, stoa_error *err)
{
    uint64_t last = 0;
    bool ascends = true;

    switch (kind) {
    case STOA_KIND_INT8:
        TAKE_ENDS(int8_t);
        break;
    case STOA_KIND_UINT8:
        TAKE_ENDS(uint8_t);
        break;
    case STOA_KIND_INT16:
        TAKE_ENDS(int16_t);
        break;
    case STOA_KIND_UINT16:
        TAKE_ENDS(uint16_t);
        break;
    case STOA_KIND_INT32:
        TAKE_ENDS(int32_t);
        break;
    case STOA_KIND_UINT32:
        TAKE_ENDS(uint32_t);
        break;
    default:
        TAKE_ENDS(uint64_t);
        break;
    }
    if (!ascends || last > n_items) {
        return stoa_fail(err, STOA_EDATA, "cumulative_length %s (LH5, vector of vectors)",
                         !ascends ? "descends" : "goes beyond the end of the data");
    }
    return STOA_OK;
}

stoa_status stoa_lh5_read_ends(stoa_column *lengths, uint64_t first, uint64_t count,
                               uint64_t n_items, stoa_scratch *scratch, stoa_lh5_ends *ends,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t from = first > 0 ? 1 : 0; /* the end of the vector before is needed, too */
    const size_t width = lengths->element.size;
    const uint64_t n = count + from;

    *ends = (stoa_lh5_ends){.ends = NULL};
    if (n > SIZE_MAX / 16 || (size_t)stoa_kind_width(lengths->element.kind) != width) {
        STOA_FAIL(err, STOA_ERANGE, "lengths cannot be read as %s", lengths->element.text);
    }
    /* Narrow ones are read behind the ends, the others in their place. */
    const size_t size = (size_t)n * sizeof *ends->ends;
    const bool is_narrow = width < sizeof *ends->ends;
    uint8_t *const block =
        stoa_scratch_block(scratch, 0, size + (is_narrow ? (size_t)n * width : 0));
    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    ends->ends = (uint64_t *)(void *)block;
    void *const stored = block + (is_narrow ? size : 0);
    STOA_TRY(stoa_column_read_into(lengths, first - from, n, stored, err));
    STOA_TRY(take_ends(lengths->element.kind, stored, from, count, n_items, ends, err));

done:
    return status;
}

void stoa_lh5_leave_ends(stoa_scratch *scratch)
{
    enum { MOST_KEPT = 8 << 20 };

    if (scratch->sizes[0] > MOST_KEPT) {
        stoa_scratch_clear(scratch);
    }
}

/* --- reading --------------------------------------------------------------------------------- */

/* Arrow's offsets, one more than there are lists. */
static void *offsets_of(const vectors *is, const stoa_lh5_ends *ends, uint64_t count)
{
    const size_t width = is->is_large ? sizeof(int64_t) : sizeof(int32_t);
    void *const offsets = stoa_alloc((size_t)count + 1, width);
    int64_t *const large = offsets;
    int32_t *const small = offsets;

    if (offsets == NULL) {
        return NULL;
    }
    memset(offsets, 0, width);
    if (is->is_large) {
        memcpy(large + 1, ends->ends, (size_t)count * sizeof *large);
        return offsets;
    }
    for (uint64_t i = 0; i < count; i++) {
        small[i + 1] = (int32_t)ends->ends[i];
    }
    return offsets;
}

static stoa_status read_lists(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    vectors *const is = context;
    struct ArrowArray items = {.release = NULL};
    stoa_lh5_ends ends = {.ends = NULL};

    out->release = NULL;
    STOA_TRY(
        stoa_lh5_read_ends(is->lengths, first, count, is->items->n_rows, &is->scratch, &ends, err));
    STOA_TRY(
        stoa_column_read(is->items, ends.first, count > 0 ? ends.ends[count - 1] : 0, &items, err));
    void *const buffers[] = {NULL, offsets_of(is, &ends, count)};
    STOA_TRY(buffers[1] != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_array_list(out, (int64_t)count, 0, 2, buffers, &items, err));

done:
    stoa_lh5_leave_ends(&is->scratch);
    stoa_array_release(&items);
    return status;
}

static void close_vectors(void *context)
{
    vectors *const is = context;

    stoa_column_close(is->lengths);
    stoa_column_close(is->items);
    stoa_scratch_clear(&is->scratch);
    free(is);
}

/* --- opening --------------------------------------------------------------------------------- */

/* The items must be what is left of the type; of the same depth each time, there would be no end.
 */
static stoa_status check_items(hid_t group, const stoa_lh5_datatype *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t items = stoa_object_open(group, STOA_LH5_ITEMS);
    stoa_lh5_datatype inner = {0};
    char *text = NULL;

    STOA_TRY(items >= 0 ? stoa_lh5_type_of(items, &inner, &text, err) : STOA_OK);
    const unsigned depth = inner.kind == STOA_LH5_VECTORS ? inner.depth : 1;
    if (text != NULL && (depth != type->depth - 1 || inner.element != type->element)) {
        STOA_FAIL(err, STOA_EDATA,
                  "flattened_data is of '%.60s', which are not the items of these vectors (LH5)",
                  text);
    }

done:
    stoa_lh5_datatype_clear(&inner);
    free(text);
    return stoa_hdf_close(&items, status, err);
}

static stoa_status open_parts(hid_t group, const stoa_lh5_datatype *type, vectors *is,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(check_items(group, type, err));

    STOA_TRY(stoa_lh5_open_numbers(group, STOA_LH5_LENGTHS, &is->lengths, err));
    if (is->lengths->element.class != STOA_ELEMENT_INTEGER) {
        STOA_FAIL(err, STOA_EDATA, "cumulative_length is of %s, not integers",
                  is->lengths->element.text);
    }
    STOA_TRY(stoa_lh5_open_member(group, STOA_LH5_ITEMS, "item", &is->items, err));
    is->is_large = is->items->n_rows > INT32_MAX;

done:
    return status;
}

stoa_status stoa_lh5_open_vectors(hid_t group, const char *name, const stoa_lh5_datatype *type,
                                  stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    vectors *is = stoa_alloc_zero(1, sizeof *is);
    struct ArrowSchema schema = {.release = NULL};

    *column = NULL;
    STOA_TRY(is != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(open_parts(group, type, is, err));
    STOA_TRY(stoa_schema_make(&schema, name, is->is_large ? "+L" : "+l", err));
    STOA_TRY(stoa_schema_children(&schema, 1, err));
    STOA_TRY(stoa_column_schema(is->items, schema.children[0], err));
    const stoa_column_source source = {
        .read_array = read_lists, .close = close_vectors, .context = is};
    const uint64_t n_rows = is->lengths->n_rows;
    char stored[sizeof is->lengths->element.text];
    memcpy(stored, is->lengths->element.text, sizeof stored);
    is = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));
    STOA_TRY(stoa_column_remark_on(*column, "lh5.lengths", stored, err));

done:
    if (is != NULL) {
        close_vectors(is);
    }
    stoa_schema_release(&schema);
    return status;
}
