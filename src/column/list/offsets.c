#include "column/list/offsets.h"

#include <string.h>

#include "column/read/decode.h"
#include "core/memory.h"

/* State of the conversion of ends of entries to offsets. */
typedef struct ends {
    stoa_kind kind;
    bool is_large;
    uint64_t first; /* index of the first value */
    uint64_t last;  /* end of the previous entry */
    uint64_t odd;   /* highest bit is set if an end is negative or below the previous one */
} ends;

/* Convert contiguous stored ends to offsets from the first value. */
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

/* Convert the ends of n entries, n > 0. */
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

/* --- reading --------------------------------------------------------------------------------- */

stoa_status stoa_list_numbers_find(stoa_column *column, stoa_read_context *read_context,
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

stoa_status stoa_list_numbers_read(const stoa_list_numbers *numbers, uint64_t first, uint64_t count,
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
static const uint8_t *mapped_numbers(const stoa_list_numbers *numbers, uint64_t first,
                                     uint64_t count)
{
    return numbers->scratch != NULL
               ? stoa_direct_mapped(numbers->column->reader.direct, first, count)
               : NULL;
}

/* Fail, and name the first entry that is wrong. `stored` has the ends of `count` entries. */
static stoa_status blame(const stoa_list *list, const ends *e, const uint8_t *stored,
                         uint64_t first, uint64_t count, stoa_error *err)
{
    const bool descends = e->odd >> 63 != 0;
    uint64_t last = e->first;
    uint64_t i = 0;

    for (; i + 1 < count; i++) {
        const uint64_t end = end_of(e->kind, stored + i * list->offsets->element.size);
        if (descends ? end < last || end >> 63 != 0 : end > list->values->n_rows) {
            break;
        }
        last = end;
    }
    return stoa_fail(err, STOA_EDATA, "%s %s at entry %llu (%s)", list->offsets->name,
                     descends ? "descends, or is negative" : "goes beyond the end of the data",
                     (unsigned long long)(first + i), list->rule);
}

static stoa_status check_type(const stoa_column *offsets, stoa_error *err)
{
    const stoa_element *const element = &offsets->element;

    if (element->class != STOA_ELEMENT_INTEGER || element->is_bitfield ||
        (size_t)stoa_kind_width(element->kind) != element->size) {
        return stoa_fail(err, STOA_EDATA, "%s is of %s, not integers", offsets->name,
                         element->text);
    }
    return STOA_OK;
}

stoa_status stoa_list_offsets_read(const stoa_list *list, stoa_scratch *scratch, uint64_t first,
                                   uint64_t count, stoa_buffer_pool *blocks, bool is_large,
                                   void *offsets, stoa_list_span *span, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_list_numbers numbers = {list->offsets, scratch};
    const stoa_element *const element = &list->offsets->element;
    const size_t width = is_large ? sizeof(int64_t) : sizeof(int32_t);
    /* the end of the previous entry is needed, too */
    const uint64_t from = list->is_ends && first == 0 ? 0 : 1;
    const uint64_t at = list->is_ends ? first - from : first;
    const uint64_t n = count + from;
    ends e = {.kind = element->kind, .is_large = is_large};
    void *copy = NULL;

    *span = (stoa_list_span){0, 0};
    memset(offsets, 0, width);
    if (count == 0) {
        return STOA_OK;
    }
    STOA_TRY(n <= SIZE_MAX / 16 ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(check_type(list->offsets, err));
    const uint8_t *const mapped = mapped_numbers(&numbers, at, n);
    const uint8_t *stored = mapped;
    if (mapped == NULL) {
        copy = stoa_buffer_pool_get(blocks, (size_t)n * element->size);
        STOA_TRY(copy != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_list_numbers_read(&numbers, at, n, copy, err));
        stored = copy;
    }
    e.first = e.last = e.odd = from > 0 ? end_of(element->kind, stored) : 0;
    stored += from * element->size;
    if (mapped != NULL) {
        convert_mapped_ends(&e, stored, element->size, count, (uint8_t *)offsets + width);
    } else {
        convert_ends(&e, stored, count, (uint8_t *)offsets + width);
    }
    *span = (stoa_list_span){e.first, e.last - e.first};
    if (e.odd >> 63 != 0 || e.last > list->values->n_rows) {
        STOA_TRY(blame(list, &e, stored, first, count, err));
    }

done:
    stoa_buffer_pool_put(copy);
    return status;
}

stoa_status stoa_list_offset_at(const stoa_list *list, uint64_t i, uint64_t *offset,
                                stoa_error *err)
{
    stoa_column *const offsets = list->offsets;
    uint64_t stored = 0;

    STOA_RETURN_NOT_OK(check_type(offsets, err));
    STOA_RETURN_NOT_OK(stoa_column_read_into(offsets, i, 1, &stored, err));
    *offset = end_of(offsets->element.kind, &stored);
    return STOA_OK;
}

stoa_status stoa_list_offsets_end(const stoa_list *list, uint64_t n, uint64_t *end, stoa_error *err)
{
    uint64_t first = 0;

    STOA_RETURN_NOT_OK(stoa_list_offset_at(list, 0, &first, err));
    if (first != 0) {
        return stoa_fail(err, STOA_EDATA, "%s begins with %llu, not 0 (%s)", list->offsets->name,
                         (unsigned long long)first, list->rule);
    }
    return stoa_list_offset_at(list, n, end, err);
}
