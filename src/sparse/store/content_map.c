#include "sparse/store/content_map.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 64,        /* elements */
    MIN_BYTES = 32,   /* minimal bytes of records; smaller steps are not worth a reallocation */
    GARBAGE = 1 << 16 /* bytes of unused heap before it is compacted */
};

/* Location of an element's variable-length data. */
typedef struct heap_place {
    uint64_t offset;
    uint64_t length;
} heap_place;

/* --- bits ------------------------------------------------------------------------------------ */

static uint64_t bits_below(unsigned i)
{
    return i < PAGE ? (UINT64_C(1) << i) - 1 : UINT64_MAX;
}

static unsigned count(uint64_t bits)
{
    return (unsigned)__builtin_popcountll(bits);
}

/* --- pages ----------------------------------------------------------------------------------- */

static stoa_status reserve(stoa_content_map *c, stoa_content_map_page *p, unsigned n,
                           stoa_error *err)
{
    if (n > p->capacity) {
        unsigned capacity = p->capacity != 0 ? p->capacity : (unsigned)(MIN_BYTES / c->record_size);
        capacity = capacity != 0 ? capacity : 1;
        while (capacity < n) {
            capacity *= 2;
        }
        capacity = capacity < PAGE ? capacity : PAGE;
        uint8_t *records = stoa_realloc(p->records, capacity, c->record_size);
        STOA_RETURN_NO_MEMORY(err, records);
        c->n_bytes += (capacity - p->capacity) * c->record_size;
        p->records = records;
        p->capacity = capacity;
    }
    return STOA_OK;
}

static heap_place place_of(const stoa_content_map *c, const uint8_t *record)
{
    heap_place place = {0, 0};

    if (c->record_size != c->value_size) {
        memcpy(&place, record + c->value_size, sizeof place);
    }
    return place;
}

/* Mark the data of these records as unused. */
static void forget_heap(stoa_content_map *c, const uint8_t *records, unsigned n)
{
    if (c->record_size != c->value_size) {
        for (unsigned i = 0; i < n; i++) {
            c->n_heap -= place_of(c, records + i * c->record_size).length;
        }
    }
}

/* The elements to put: values and, with a heap, the lengths of their data, which begin at
 * `offset`. */
typedef struct source {
    const uint8_t *values;
    const uint64_t *lengths; /* NULL if no element has data */
    uint64_t offset;
} source;

static void copy_in(stoa_content_map *c, uint8_t *records, unsigned n, source *from)
{
    if (c->record_size == c->value_size) {
        if (n == 1) {
            stoa_value_copy(records, from->values, c->value_size);
        } else {
            memcpy(records, from->values, n * c->value_size);
        }
        from->values += n * c->value_size;
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        const heap_place place = {from->offset, from->lengths != NULL ? from->lengths[i] : 0};
        memcpy(records, from->values, c->value_size);
        memcpy(records + c->value_size, &place, sizeof place);
        records += c->record_size;
        from->values += c->value_size;
        from->offset += place.length;
        c->n_heap += place.length;
    }
    from->lengths = from->lengths != NULL ? from->lengths + n : NULL;
}

/* Put the elements first .. first + n - 1 of a page. Most often they come after all others. */
static stoa_status put_in_page(stoa_content_map *c, stoa_content_map_page *p, unsigned first,
                               unsigned n, source *from, stoa_error *err)
{
    const uint64_t mask = bits_below(n) << first;
    const bool is_behind = p->bits >> first == 0;
    const unsigned before = is_behind ? p->n : count(p->bits & bits_below(first));
    const unsigned there = is_behind ? 0 : count(p->bits & mask);
    const size_t size = c->record_size;

    STOA_RETURN_NOT_OK(reserve(c, p, p->n - there + n, err));
    uint8_t *at = p->records + before * size;
    if (!is_behind) {
        forget_heap(c, at, there);
        memmove(at + n * size, at + there * size, (p->n - before - there) * size);
    }
    p->bits |= mask;
    p->n += n - there;
    c->n += n - there;
    copy_in(c, at, n, from);
    return STOA_OK;
}

static void erase_in_page(stoa_content_map *c, stoa_content_map_page *p, unsigned first, unsigned n)
{
    const uint64_t mask = bits_below(n) << first;
    const unsigned before = count(p->bits & bits_below(first));
    const unsigned there = count(p->bits & mask);
    const size_t size = c->record_size;

    if (there == 0) {
        return;
    }
    uint8_t *at = p->records + before * size;
    forget_heap(c, at, there);
    memmove(at, at + there * size, (p->n - before - there) * size);
    p->bits &= ~mask;
    p->n -= there;
    c->n -= there;
    if (p->bits == 0) {
        free(p->records);
        c->n_bytes -= p->capacity * size;
        *p = (stoa_content_map_page){.bits = 0};
    }
}

void stoa_content_map_set(stoa_content_map *map, const stoa_sparse_format *format)
{
    *map = (stoa_content_map){.value_size = stoa_sparse_value_size(format),
                              .n_pages = (size_t)(format->n_elements / PAGE + 1)};
    map->record_size = map->value_size + (format->has_heap ? sizeof(heap_place) : 0);
}

stoa_status stoa_content_map_open(stoa_content_map *map, stoa_error *err)
{
    if (map->pages == NULL) {
        map->pages = stoa_alloc_zero(map->n_pages, sizeof *map->pages);
    }
    return map->pages != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_content_map_clear(stoa_content_map *map)
{
    for (size_t i = 0; map->pages != NULL && i < map->n_pages; i++) {
        free(map->pages[i].records);
    }
    free(map->pages);
    stoa_buffer_clear(&map->heap);
    map->pages = NULL;
    map->n = 0;
    map->n_bytes = 0;
    map->n_heap = 0;
}

size_t stoa_content_map_bytes(const stoa_content_map *map)
{
    return map->heap.capacity + map->n_bytes +
           (map->pages != NULL ? map->n_pages * sizeof *map->pages : 0);
}

size_t stoa_content_map_bytes_of(const stoa_content_map *map, uint64_t n)
{
    return map->n_pages * sizeof *map->pages + (size_t)n * map->record_size;
}

/* Put a run that may cross pages. */
static stoa_status put_in_pages(stoa_content_map *c, uint32_t first, uint32_t n, source *from,
                                stoa_error *err)
{
    while (n > 0) {
        const unsigned in_page = first % PAGE;
        const uint32_t some = n < PAGE - in_page ? n : PAGE - in_page;
        STOA_RETURN_NOT_OK(put_in_page(c, &c->pages[first / PAGE], in_page, some, from, err));
        first += some;
        n -= some;
    }
    return STOA_OK;
}

/* Put ascending positions run by run. */
static stoa_status put_positions(stoa_content_map *c, const uint32_t *positions, size_t n,
                                 source *from, stoa_error *err)
{
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && positions[end] == positions[end - 1] + 1) {
            end++;
        }
        STOA_RETURN_NOT_OK(put_in_pages(c, positions[i], (uint32_t)(end - i), from, err));
        i = end;
    }
    return STOA_OK;
}

/* Copy the used parts of the heap in the order of elements. `to` has enough space. */
static void gather_heap(const stoa_content_map *c, uint8_t *to)
{
    for (size_t i = 0; i < c->n_pages; i++) {
        const unsigned n = count(c->pages[i].bits);
        for (unsigned j = 0; j < n; j++) {
            const heap_place place = place_of(c, c->pages[i].records + j * c->record_size);
            if (place.length > 0) {
                memcpy(to, c->heap.data + place.offset, (size_t)place.length);
                to += place.length;
            }
        }
    }
}

/* Compact the heap once most of it is unused. */
static stoa_status tidy_heap(stoa_content_map *c, stoa_error *err)
{
    stoa_buffer kept = {NULL, 0, 0};

    if (c->heap.size - c->n_heap < GARBAGE || c->heap.size / 2 < c->n_heap) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&kept, (size_t)c->n_heap, err));
    gather_heap(c, kept.data);
    kept.size = (size_t)c->n_heap;
    uint64_t offset = 0;
    for (size_t i = 0; i < c->n_pages; i++) {
        const unsigned n = count(c->pages[i].bits);
        for (unsigned j = 0; j < n; j++) {
            uint8_t *record = c->pages[i].records + j * c->record_size;
            heap_place place = place_of(c, record);
            place.offset = offset;
            offset += place.length;
            memcpy(record + c->value_size, &place, sizeof place);
        }
    }
    stoa_buffer_clear(&c->heap);
    c->heap = kept;
    return STOA_OK;
}

/* Append data to the heap, and set the offset at which the values refer to them. */
static stoa_status append_heap(stoa_content_map *c, size_t n, const stoa_heap_run *heap,
                               source *from, stoa_error *err)
{
    uint64_t n_bytes = 0;

    if (heap == NULL || c->record_size == c->value_size) {
        return STOA_OK;
    }
    for (size_t i = 0; i < n; i++) {
        n_bytes += heap->lengths[i];
    }
    from->lengths = heap->lengths;
    from->offset = c->heap.size;
    return n_bytes == 0 ? STOA_OK : stoa_buffer_append(&c->heap, heap->bytes, (size_t)n_bytes, err);
}

stoa_status stoa_content_map_put(stoa_content_map *map, uint32_t first, uint32_t n,
                                 const uint8_t *values, const stoa_heap_run *heap, stoa_error *err)
{
    source from = {.values = values};

    STOA_RETURN_NOT_OK(append_heap(map, n, heap, &from, err));
    STOA_RETURN_NOT_OK(put_in_pages(map, first, n, &from, err));
    return tidy_heap(map, err);
}

stoa_status stoa_content_map_put_all(stoa_content_map *map, const uint32_t *positions, size_t n,
                                     const uint8_t *values, const stoa_heap_run *heap,
                                     stoa_error *err)
{
    source from = {.values = values};

    STOA_RETURN_NOT_OK(append_heap(map, n, heap, &from, err));
    return put_positions(map, positions, n, &from, err);
}

void stoa_content_map_erase(stoa_content_map *map, uint32_t first, uint32_t n)
{
    while (n > 0) {
        const unsigned in_page = first % PAGE;
        const uint32_t some = n < PAGE - in_page ? n : PAGE - in_page;
        erase_in_page(map, &map->pages[first / PAGE], in_page, some);
        first += some;
        n -= some;
    }
}

const uint8_t *stoa_content_map_find(const stoa_content_map *map, uint32_t position)
{
    const stoa_content_map_page *p = &map->pages[position / PAGE];
    const unsigned bit = position % PAGE;

    return (p->bits >> bit & 1) != 0
               ? p->records + count(p->bits & bits_below(bit)) * map->record_size
               : NULL;
}

stoa_status stoa_content_map_heap_of(const stoa_content_map *map, const uint8_t *value,
                                     uint64_t *length, stoa_buffer *bytes, stoa_error *err)
{
    const heap_place place = place_of(map, value);

    *length = place.length;
    return place.length == 0 ? STOA_OK
                             : stoa_buffer_append(bytes, map->heap.data + place.offset,
                                                  (size_t)place.length, err);
}

void stoa_content_map_list(const stoa_content_map *map, uint32_t *positions, uint8_t *values,
                           uint8_t *heap)
{
    const size_t size = map->value_size;

    for (size_t i = 0; i < map->n_pages; i++) {
        const uint8_t *record = map->pages[i].records;
        for (uint64_t bits = map->pages[i].bits; bits != 0; bits &= bits - 1) {
            *positions++ = (uint32_t)(i * PAGE) + (uint32_t)__builtin_ctzll(bits);
            memcpy(values, record, size);
            values += size;
            record += map->record_size;
        }
    }
    if (map->record_size != map->value_size) {
        gather_heap(map, heap);
    }
}
