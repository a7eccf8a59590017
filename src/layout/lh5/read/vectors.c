/* Vectors of vectors (LH5, "Vector of vectors"; LH5 notes §4.3). cumulative_length holds the end of
 * each vector in flattened_data, which may itself hold vectors. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/decode.h"
#include "core/memory.h"
#include "layout/lh5/read/lh5.h"

typedef struct vectors {
    stoa_column *lengths;
    stoa_column *items;
    stoa_buffer_pool *blocks; /* buffers of batches */
    bool is_large;            /* there are more items than 32 bits can count */
    bool has_values;          /* stored items have Arrow's memory form */
} vectors;

/* Upper bound of the memory kept from released batches for later ones. Each column has a pool of
 * its own, because a pool keeps 16 buffers, which several columns would take from each other. It is
 * not in the budget of the read context, which a column knows only once a query prepares it. */
static const size_t most_idle = (size_t)8 << 20;

/* --- offsets ---------------------------------------------------------------------------------- */

/* State of the conversion of vector ends to offsets. */
typedef struct ends {
    stoa_kind kind;
    bool is_large;
    uint64_t first; /* index of the first item */
    uint64_t last;  /* end of the previous vector */
    uint64_t odd;   /* highest bit is set if an end is negative or below the previous one */
} ends;

/* Convert contiguous stored ends to offsets from the first item. */
#define TAKE_ENDS(stored_type, offset_type)                                                        \
    do {                                                                                           \
        const stored_type *const restrict ends_ = stored;                                          \
        offset_type *const restrict out_ = offsets;                                                \
        uint64_t odd_ = (uint64_t)ends_[0] | ((uint64_t)ends_[0] - e->last);                       \
        out_[0] = (offset_type)((uint64_t)ends_[0] - e->first);                                    \
        for (uint64_t i = 1; i < n; i++) {                                                         \
            odd_ |= (uint64_t)ends_[i] | ((uint64_t)ends_[i] - (uint64_t)ends_[i - 1]);            \
            out_[i] = (offset_type)((uint64_t)ends_[i] - e->first);                                \
        }                                                                                          \
        e->odd |= odd_;                                                                            \
        e->last = (uint64_t)ends_[n - 1];                                                          \
    } while (0)

#define TAKE_ENDS_OF(stored_type)                                                                  \
    do {                                                                                           \
        if (e->is_large) {                                                                         \
            TAKE_ENDS(stored_type, int64_t);                                                       \
        } else {                                                                                   \
            TAKE_ENDS(stored_type, int32_t);                                                       \
        }                                                                                          \
    } while (0)

/* Convert the ends of n vectors, n > 0. */
static void convert_ends(ends *e, const void *stored, uint64_t n, void *offsets)
{
    switch (e->kind) {
    case STOA_KIND_INT8:
        TAKE_ENDS_OF(int8_t);
        break;
    case STOA_KIND_UINT8:
        TAKE_ENDS_OF(uint8_t);
        break;
    case STOA_KIND_INT16:
        TAKE_ENDS_OF(int16_t);
        break;
    case STOA_KIND_UINT16:
        TAKE_ENDS_OF(uint16_t);
        break;
    case STOA_KIND_INT32:
        TAKE_ENDS_OF(int32_t);
        break;
    case STOA_KIND_UINT32:
        TAKE_ENDS_OF(uint32_t);
        break;
    default:
        TAKE_ENDS_OF(uint64_t);
        break;
    }
}

/* Decode one stored end. */
static uint64_t end_of(stoa_kind kind, const void *stored)
{
    int64_t end = 0;
    ends e = {.kind = kind, .is_large = true};

    convert_ends(&e, stored, 1, &end);
    return e.last;
}

/* Convert ends from the file map. The file may change meanwhile, so the ends are first copied in
 * small pieces that fit the L1 cache. */
static void convert_mapped_ends(ends *e, const uint8_t *mapped, size_t size, uint64_t n,
                                uint8_t *offsets)
{
    enum { FEW = 256 };
    const size_t width = e->is_large ? sizeof(int64_t) : sizeof(int32_t);
    uint64_t few[FEW];

    for (uint64_t at = 0, n_here; at < n; at += n_here) {
        n_here = n - at < FEW ? n - at : FEW;
        memcpy(few, mapped + at * size, (size_t)n_here * size);
        for (size_t i = 0; i < n_here * size && at + n_here < n; i += 64) {
            __builtin_prefetch(mapped + (at + n_here) * size + i);
        }
        convert_ends(e, few, n_here, offsets + at * width);
    }
}

stoa_status stoa_lh5_read_numbers(const stoa_lh5_numbers *numbers, uint64_t first, uint64_t count,
                                  void *out, stoa_error *err)
{
    stoa_column *const column = numbers->column;

    if (numbers->scratch == NULL) {
        return stoa_column_read_into(column, first, count, out, err);
    }
    const stoa_status status =
        stoa_checked_reader_read(&column->reader, first, count, numbers->scratch, NULL, out, err);
    return stoa_column_at(column, status, err);
}

/* Rows [first, first + count) in the file map; NULL if they are not mapped. */
static const uint8_t *mapped_numbers(const stoa_lh5_numbers *numbers, uint64_t first,
                                     uint64_t count)
{
    return numbers->scratch != NULL
               ? stoa_direct_mapped(numbers->column->reader.direct, first, count)
               : NULL;
}

stoa_status stoa_lh5_read_offsets(const stoa_lh5_numbers *lengths, uint64_t first, uint64_t count,
                                  uint64_t n_items, stoa_buffer_pool *blocks, bool is_large,
                                  void *offsets, stoa_lh5_span *span, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_element *const element = &lengths->column->element;
    const size_t width = is_large ? sizeof(int64_t) : sizeof(int32_t);
    const uint64_t from = first > 0 ? 1 : 0; /* the end of the previous vector is needed, too */
    const uint64_t n = count + from;
    ends e = {.kind = element->kind, .is_large = is_large};
    void *stored = NULL;

    *span = (stoa_lh5_span){0, 0};
    memset(offsets, 0, width);
    if (count == 0) {
        return STOA_OK;
    }
    if (n > SIZE_MAX / 16 || (size_t)stoa_kind_width(element->kind) != element->size) {
        STOA_FAIL(err, STOA_ERANGE, "lengths cannot be read as %s", element->text);
    }
    const uint8_t *const mapped = mapped_numbers(lengths, first - from, n);
    const uint8_t *numbers = mapped;
    if (mapped == NULL) {
        stored = stoa_buffer_pool_get(blocks, (size_t)n * element->size);
        STOA_TRY(stored != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_lh5_read_numbers(lengths, first - from, n, stored, err));
        numbers = stored;
    }
    e.first = e.last = e.odd = from > 0 ? end_of(element->kind, numbers) : 0;
    numbers += from * element->size;
    if (mapped != NULL) {
        convert_mapped_ends(&e, numbers, element->size, count, (uint8_t *)offsets + width);
    } else {
        convert_ends(&e, numbers, count, (uint8_t *)offsets + width);
    }
    const bool ascends = e.odd >> 63 == 0;
    *span = (stoa_lh5_span){e.first, e.last - e.first};
    if (!ascends || e.last > n_items) {
        STOA_FAIL(err, STOA_EDATA, "cumulative_length %s (LH5, vector of vectors)",
                  ascends ? "goes beyond the end of the data" : "descends, or is negative");
    }

done:
    stoa_buffer_pool_put(stored);
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

static void give_back_map(void *map)
{
    stoa_file_map_release(map);
}

/* The scratches are NULL if libhdf5 may be called. */
static stoa_status read_items(const vectors *is, stoa_scratch *inner, stoa_scratch *scratch,
                              const stoa_lh5_span *span, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_lh5_numbers items = {is->items, scratch};
    const stoa_column_source *const source = &is->items->source;
    stoa_file_map *map = NULL;
    void *values = NULL;

    if (!is->has_values && scratch != NULL) { /* nested vectors */
        return source->read_free(source->context, inner, scratch, span->first, span->count, out,
                                 err);
    }
    if (!is->has_values) {
        return stoa_column_read(is->items, span->first, span->count, out, err);
    }
    if (scratch != NULL && stoa_column_may_change(is->items)) {
        const void *const lent =
            stoa_direct_lend(is->items->reader.direct, span->first, span->count, &map);
        if (lent != NULL) {
            return stoa_array_make_lent(out, (int64_t)span->count, lent, give_back_map, map, err);
        }
    }
    values = stoa_buffer_pool_get(is->blocks, (size_t)span->count * is->items->element.size);
    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lh5_read_numbers(&items, span->first, span->count, values, err));
    void *const buffers[] = {NULL, values};
    values = NULL;
    STOA_TRY(stoa_array_make_of_blocks(out, (int64_t)span->count, 0, 2, buffers, err));

done:
    stoa_buffer_pool_put(values);
    return status;
}

static stoa_status read_free(void *context, stoa_scratch *for_lengths, stoa_scratch *for_items,
                             uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const vectors *const is = context;
    const stoa_lh5_numbers lengths = {is->lengths, for_lengths};
    const size_t width = is->is_large ? sizeof(int64_t) : sizeof(int32_t);
    struct ArrowArray items = {.release = NULL};
    stoa_lh5_span span;
    void *offsets = NULL;

    out->release = NULL;
    STOA_TRY(count < SIZE_MAX / 16 ? STOA_OK : stoa_fail_memory(err));
    offsets = stoa_buffer_pool_get(is->blocks, ((size_t)count + 1) * width);
    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lh5_read_offsets(&lengths, first, count, is->items->n_rows, is->blocks,
                                   is->is_large, offsets, &span, err));
    STOA_TRY(read_items(is, for_lengths, for_items, &span, &items, err));
    void *const buffers[] = {NULL, offsets};
    offsets = NULL;
    STOA_TRY(stoa_array_make_of_blocks(out, (int64_t)count, 0, 2, buffers, err));
    STOA_TRY(stoa_array_children(out, 1, err));
    stoa_array_move(&items, out->children[0]);

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    stoa_array_release(&items);
    stoa_buffer_pool_put(offsets);
    return status;
}

static stoa_status read_lists(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                              stoa_error *err)
{
    return read_free(context, NULL, NULL, first, count, out, err);
}

stoa_status stoa_lh5_find_numbers(stoa_column *column, stoa_read_context *read_context,
                                  bool *is_free, stoa_error *err)
{
    const stoa_direct *direct = NULL;

    if (!column->is_guarded) {
        column->read_context = read_context;
    }
    STOA_RETURN_NOT_OK(stoa_column_is_dataset(column) ? stoa_column_direct(column, &direct, err)
                                                      : STOA_OK);
    *is_free = direct != NULL;
    return STOA_OK;
}

static stoa_status prepare(void *context, stoa_read_context *read_context, bool *is_free,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    const vectors *const is = context;
    const stoa_column_source *const inner = &is->items->source;

    *is_free = is->has_values || (inner->prepare != NULL && inner->is_sound);
    STOA_RETURN_NOT_OK(*is_free ? stoa_lh5_find_numbers(is->lengths, read_context, is_free, err)
                                : STOA_OK);
    if (*is_free) {
        status = is->has_values ? stoa_lh5_find_numbers(is->items, read_context, is_free, err)
                                : inner->prepare(inner->context, read_context, is_free, err);
        STOA_RETURN_NOT_OK(status);
    }
    return status;
}

static void close_vectors(void *context)
{
    vectors *const is = context;

    stoa_column_close(is->lengths);
    stoa_column_close(is->items);
    stoa_buffer_pool_close(is->blocks);
    free(is);
}

/* --- opening --------------------------------------------------------------------------------- */

/* Check that the items have the remaining type. Without a smaller depth at each level, nesting
 * could be endless. */
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

static stoa_status open_parts(hid_t group, const stoa_lh5_datatype *type, stoa_lh5_opener *open,
                              vectors *is, stoa_error *err)
{
    STOA_RETURN_NOT_OK(check_items(group, type, err));
    STOA_RETURN_NOT_OK(stoa_buffer_pool_open(most_idle, &is->blocks, err));
    STOA_RETURN_NOT_OK(open(group, STOA_LH5_LENGTHS, STOA_LH5_LENGTHS, true, &is->lengths, err));
    if (is->lengths->element.class != STOA_ELEMENT_INTEGER) {
        return stoa_fail(err, STOA_EDATA, "cumulative_length is of %s, not integers",
                         is->lengths->element.text);
    }
    STOA_RETURN_NOT_OK(open(group, STOA_LH5_ITEMS, "item", false, &is->items, err));
    is->is_large = is->items->n_rows > INT32_MAX;
    is->has_values = stoa_column_is_values(is->items);
    return STOA_OK;
}

stoa_status stoa_lh5_open_vectors(hid_t group, const char *name, const stoa_lh5_datatype *type,
                                  stoa_lh5_opener *open, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    vectors *is = stoa_alloc_zero(1, sizeof *is);
    struct ArrowSchema schema = {.release = NULL};

    *column = NULL;
    STOA_TRY(is != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(open_parts(group, type, open, is, err));
    STOA_TRY(stoa_schema_make(&schema, name, is->is_large ? "+L" : "+l", err));
    STOA_TRY(stoa_schema_children(&schema, 1, err));
    STOA_TRY(stoa_column_schema(is->items, schema.children[0], err));
    const stoa_column_source source = {.read_array = read_lists,
                                       .prepare = prepare,
                                       .read_free = read_free,
                                       .close = close_vectors,
                                       .context = is,
                                       .is_sound = is->has_values || is->items->source.is_sound};
    const uint64_t n_rows = is->lengths->n_rows;
    char stored[sizeof is->lengths->element.text];
    memcpy(stored, is->lengths->element.text, sizeof stored);
    is = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));
    STOA_TRY(stoa_column_add_metadata(*column, "lh5.lengths", stored, err));

done:
    if (is != NULL) {
        close_vectors(is);
    }
    stoa_schema_release(&schema);
    return status;
}
