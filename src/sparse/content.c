/*
 * A list is what comes out of a chunk and goes into one. The bitmap is cut into pages of 64
 * elements, each with the values of its defined elements side by side: an edit moves at most 63 of
 * them, and memory follows what is defined.
 */
#include "sparse/content.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 64,        /* elements */
    FEW = 8,          /* so many times shorter, and a batch is a few small edits */
    SHORT = 4096,     /* elements of a list that may move at an edit */
    GARBAGE = 1 << 16 /* bytes of heap that nobody refers to, at least, before it is tidied */
};

/* Where an element's data of variable length lie. */
typedef struct heap_place {
    uint64_t offset;
    uint64_t length;
} heap_place;

typedef struct page {
    uint64_t bits;    /* bit i: element i is defined */
    uint8_t *records; /* of those, in order: a value and, where there is a heap, a heap_place */
    unsigned capacity;
} page;

struct stoa_content {
    const stoa_sparse_format *format;
    size_t value_size;
    size_t record_size;
    uint64_t n;
    /* The list: the elements where there are no pages, else what stoa_content_list() made of them.
     */
    stoa_sparse_chunk list;
    bool is_listed;
    page *pages; /* NULL: there is a list only */
    size_t n_pages;
    size_t record_bytes; /* that pages have allocated */
    stoa_buffer heap;
    uint64_t n_heap; /* bytes of it that elements refer to */
};

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

static stoa_status reserve(stoa_content *c, page *p, unsigned n, stoa_error *err)
{
    if (n > p->capacity) {
        unsigned capacity = p->capacity != 0 ? p->capacity : 1;
        while (capacity < n) {
            capacity *= 2;
        }
        uint8_t *records = stoa_realloc(p->records, capacity, c->record_size);
        if (records == NULL) {
            return stoa_fail_memory(err);
        }
        c->record_bytes += (capacity - p->capacity) * c->record_size;
        p->records = records;
        p->capacity = capacity;
    }
    return STOA_OK;
}

static heap_place place_of(const stoa_content *c, const uint8_t *record)
{
    heap_place place = {0, 0};

    if (c->record_size != c->value_size) {
        memcpy(&place, record + c->value_size, sizeof place);
    }
    return place;
}

/* The data of these records are garbage from now on. */
static void forget_heap(stoa_content *c, const uint8_t *records, unsigned n)
{
    if (c->record_size != c->value_size) {
        for (unsigned i = 0; i < n; i++) {
            c->n_heap -= place_of(c, records + i * c->record_size).length;
        }
    }
}

/* What is put: values, and with a heap the lengths of data that begin at `offset` in it. */
typedef struct source {
    const uint8_t *values;
    const uint64_t *lengths; /* NULL: none has any */
    uint64_t offset;
} source;

static void copy_in(stoa_content *c, uint8_t *records, unsigned n, source *from)
{
    if (c->record_size == c->value_size) {
        memcpy(records, from->values, n * c->value_size);
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

/* Elements first .. first + n - 1 of a page. */
static stoa_status put_in_page(stoa_content *c, page *p, unsigned first, unsigned n, source *from,
                               stoa_error *err)
{
    const uint64_t mask = bits_below(n) << first;
    const unsigned all = count(p->bits);
    const unsigned before = count(p->bits & bits_below(first));
    const unsigned there = count(p->bits & mask);
    const size_t size = c->record_size;
    stoa_status status = STOA_OK;

    STOA_TRY(reserve(c, p, all - there + n, err));
    uint8_t *at = p->records + before * size;
    forget_heap(c, at, there);
    if (there != n) {
        memmove(at + n * size, at + there * size, (all - before - there) * size);
        p->bits |= mask;
        c->n += n - there;
    }
    copy_in(c, at, n, from);

done:
    return status;
}

static void erase_in_page(stoa_content *c, page *p, unsigned first, unsigned n)
{
    const uint64_t mask = bits_below(n) << first;
    const unsigned all = count(p->bits);
    const unsigned before = count(p->bits & bits_below(first));
    const unsigned there = count(p->bits & mask);
    const size_t size = c->record_size;

    if (there == 0) {
        return;
    }
    uint8_t *at = p->records + before * size;
    forget_heap(c, at, there);
    memmove(at, at + there * size, (all - before - there) * size);
    p->bits &= ~mask;
    c->n -= there;
    if (p->bits == 0) {
        free(p->records);
        c->record_bytes -= p->capacity * size;
        *p = (page){.bits = 0};
    }
}

static void free_pages(stoa_content *c)
{
    for (size_t i = 0; c->pages != NULL && i < c->n_pages; i++) {
        free(c->pages[i].records);
    }
    free(c->pages);
    c->pages = NULL;
    c->record_bytes = 0;
}

/* A run that may cross pages. */
static stoa_status put_in_pages(stoa_content *c, uint32_t first, uint32_t n, source *from,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;

    while (n > 0) {
        const unsigned in_page = first % PAGE;
        const uint32_t some = n < PAGE - in_page ? n : PAGE - in_page;
        STOA_TRY(put_in_page(c, &c->pages[first / PAGE], in_page, some, from, err));
        first += some;
        n -= some;
    }

done:
    return status;
}

/* Ascending positions, run by run. */
static stoa_status put_all(stoa_content *c, const uint32_t *positions, size_t n, source *from,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && positions[end] == positions[end - 1] + 1) {
            end++;
        }
        STOA_TRY(put_in_pages(c, positions[i], (uint32_t)(end - i), from, err));
        i = end;
    }

done:
    return status;
}

/* The list as pages, for small edits; nothing where they are there already. */
static stoa_status turn_to_pages(stoa_content *c, stoa_error *err)
{
    source from = {.values = c->list.values};
    stoa_status status = STOA_OK;

    c->is_listed = false;
    if (c->pages != NULL) {
        return STOA_OK;
    }
    c->pages = stoa_alloc_zero(c->n_pages, sizeof *c->pages);
    if (c->pages == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    c->n = 0;
    STOA_TRY(put_all(c, c->list.positions, c->list.n, &from, err));
    stoa_sparse_chunk_clear(&c->list);

done:
    if (status != STOA_OK) { /* it stays a list */
        free_pages(c);
        c->n = c->list.n;
    }
    return status;
}

/* --- the list -------------------------------------------------------------------------------- */

/* The place of the first position from `position` on. */
static size_t lower_bound(const stoa_sparse_chunk *list, uint32_t position)
{
    size_t low = 0;
    size_t high = list->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->positions[middle] < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static stoa_status set_room(stoa_sparse_chunk *list, size_t n, size_t value_size, stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_room_for(&list->rooms[STOA_SECTION_POSITIONS], n * sizeof(uint32_t), err));
    STOA_TRY(stoa_room_for(&list->rooms[STOA_SECTION_VALUES], n * value_size, err));
    list->positions = (uint32_t *)(void *)list->rooms[STOA_SECTION_POSITIONS].data;
    list->values = list->rooms[STOA_SECTION_VALUES].data;

done:
    return status;
}

/* Room for n more at the list's end. */
static stoa_status grow_list(stoa_content *c, size_t n, stoa_error *err)
{
    stoa_sparse_chunk bigger = {.n = 0};
    stoa_sparse_chunk *list = &c->list;
    const size_t wanted = list->n + n;
    stoa_status status = STOA_OK;

    if (list->rooms[0].size >= wanted * sizeof(uint32_t) &&
        list->rooms[1].size >= wanted * c->value_size) {
        return STOA_OK;
    }
    STOA_TRY(set_room(&bigger, wanted + wanted / 2 + PAGE, c->value_size, err));
    if (list->n > 0) {
        memcpy(bigger.positions, list->positions, list->n * sizeof *list->positions);
        memcpy(bigger.values, list->values, list->n * c->value_size);
    }
    bigger.n = list->n;
    stoa_sparse_chunk_clear(list);
    *list = bigger;
    bigger = (stoa_sparse_chunk){.n = 0};

done:
    stoa_sparse_chunk_clear(&bigger);
    return status;
}

static bool is_behind(const stoa_content *c, uint32_t position)
{
    return c->list.n == 0 || c->list.positions[c->list.n - 1] < position;
}

/* Two lists into one; of two elements at one place that of the batch stays. */
static void merge_lists(const stoa_sparse_chunk *old, const uint32_t *positions, size_t n,
                        const uint8_t *values, size_t size, stoa_sparse_chunk *out)
{
    size_t i = 0;
    size_t j = 0;
    size_t k = 0;

    while (i < old->n || j < n) {
        const bool takes_new = j < n && (i == old->n || positions[j] <= old->positions[i]);
        if (takes_new) {
            i += i < old->n && old->positions[i] == positions[j];
            out->positions[k] = positions[j];
            memcpy(out->values + k * size, values + j * size, size);
            j++;
        } else {
            out->positions[k] = old->positions[i];
            memcpy(out->values + k * size, old->values + i * size, size);
            i++;
        }
        k++;
    }
    out->n = k;
}

/* --- whole contents -------------------------------------------------------------------------- */

stoa_status stoa_content_open(const stoa_sparse_format *format, stoa_content **content,
                              stoa_error *err)
{
    stoa_content *c = stoa_alloc_zero(1, sizeof *c);

    *content = c;
    if (c == NULL) {
        return stoa_fail_memory(err);
    }
    c->format = format;
    c->value_size = stoa_sparse_value_size(format);
    c->record_size = c->value_size + (format->has_heap ? sizeof(heap_place) : 0);
    c->n_pages = (size_t)(format->n_elements / PAGE + 1);
    return STOA_OK;
}

void stoa_content_close(stoa_content *content)
{
    if (content != NULL) {
        free_pages(content);
        stoa_sparse_chunk_clear(&content->list);
        stoa_buffer_clear(&content->heap);
        free(content);
    }
}

/* Whose data lie where in section 2: only the values tell. */
static stoa_status measure_all(const stoa_sparse_chunk *chunk, size_t value_size,
                               const stoa_heap_measure *measure, uint64_t *lengths, stoa_error *err)
{
    size_t used = 0;
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < chunk->n; i++) {
        size_t n = 0;
        STOA_TRY(measure->measure(measure->context, chunk->values + i * value_size,
                                  chunk->heap + used, chunk->n_heap - used, &n, err));
        if (n > chunk->n_heap - used) {
            STOA_FAIL(err, STOA_EDATA, "a structured chunk is damaged: section 2 is too short");
        }
        lengths[i] = n;
        used += n;
    }
    if (used != chunk->n_heap) {
        STOA_FAIL(err, STOA_EDATA, "a structured chunk is damaged: section 2 is too long");
    }

done:
    return status;
}

stoa_status stoa_content_take(stoa_content *content, stoa_sparse_chunk *chunk,
                              const stoa_heap_measure *measure, stoa_error *err)
{
    stoa_content *c = content;
    uint64_t *lengths = NULL;
    stoa_status status = STOA_OK;

    free_pages(c);
    stoa_sparse_chunk_clear(&c->list);
    c->heap.size = 0;
    c->n_heap = 0;
    c->n = 0;
    c->is_listed = false;
    if (!c->format->has_heap) {
        c->list = *chunk;
        c->n = chunk->n;
        *chunk = (stoa_sparse_chunk){.n = 0};
        return STOA_OK;
    }
    lengths = stoa_alloc_zero(chunk->n, sizeof *lengths);
    if (lengths == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(measure_all(chunk, c->value_size, measure, lengths, err));
    STOA_TRY(turn_to_pages(c, err));
    STOA_TRY(stoa_buffer_append(&c->heap, chunk->heap, chunk->n_heap, err));
    source from = {.values = chunk->values, .lengths = lengths};
    STOA_TRY(put_all(c, chunk->positions, chunk->n, &from, err));
    stoa_sparse_chunk_clear(chunk);

done:
    free(lengths);
    return status;
}

/* The heap without what nobody refers to, in the order of elements. `to` has room. */
static void gather_heap(const stoa_content *c, uint8_t *to)
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

stoa_status stoa_content_list(stoa_content *content, const stoa_sparse_chunk **chunk,
                              stoa_error *err)
{
    stoa_content *c = content;
    stoa_status status = STOA_OK;

    *chunk = &c->list;
    if (c->pages == NULL || c->is_listed) {
        return STOA_OK;
    }
    STOA_TRY(set_room(&c->list, (size_t)c->n, c->value_size, err));
    size_t n = 0;
    for (size_t i = 0; i < c->n_pages; i++) {
        const uint8_t *record = c->pages[i].records;
        for (uint64_t bits = c->pages[i].bits; bits != 0; bits &= bits - 1) {
            c->list.positions[n] = (uint32_t)(i * PAGE) + (uint32_t)__builtin_ctzll(bits);
            memcpy(c->list.values + n * c->value_size, record, c->value_size);
            record += c->record_size;
            n++;
        }
    }
    c->list.n = n;
    if (c->format->has_heap) {
        STOA_TRY(stoa_room_for(&c->list.rooms[STOA_SECTION_HEAP], (size_t)c->n_heap, err));
        c->list.heap = c->list.rooms[STOA_SECTION_HEAP].data;
        c->list.n_heap = (size_t)c->n_heap;
        gather_heap(c, c->list.heap);
    }
    c->is_listed = true;

done:
    return status;
}

uint64_t stoa_content_n(const stoa_content *content)
{
    return content->n;
}

size_t stoa_content_bytes(const stoa_content *content)
{
    size_t n = sizeof *content + content->record_bytes + content->heap.capacity;

    for (unsigned i = 0; i < STOA_MAX_SECTIONS; i++) {
        n += content->list.rooms[i].size;
    }
    return n + (content->pages != NULL ? content->n_pages * sizeof *content->pages : 0);
}

/* --- edits ----------------------------------------------------------------------------------- */

/* Replaced data are let go of once they are most of the heap. */
static stoa_status tidy_heap(stoa_content *c, stoa_error *err)
{
    stoa_buffer kept = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    if (c->heap.size - c->n_heap < GARBAGE || c->heap.size / 2 < c->n_heap) {
        return STOA_OK;
    }
    STOA_TRY(stoa_buffer_reserve(&kept, (size_t)c->n_heap, err));
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

done:
    return status;
}

stoa_status stoa_content_put(stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *values, const stoa_heap_run *heap, stoa_error *err)
{
    stoa_content *c = content;
    stoa_sparse_chunk *list = &c->list;
    source from = {.values = values};
    uint64_t n_heap = 0;
    stoa_status status = STOA_OK;

    if (c->pages == NULL && !c->format->has_heap && is_behind(c, first)) {
        STOA_TRY(grow_list(c, n, err));
        for (uint32_t i = 0; i < n; i++) {
            list->positions[list->n + i] = first + i;
        }
        memcpy(list->values + list->n * c->value_size, values, n * c->value_size);
        list->n += n;
        c->n = list->n;
        goto done;
    }
    STOA_TRY(turn_to_pages(c, err));
    if (heap != NULL && c->format->has_heap) {
        for (uint32_t i = 0; i < n; i++) {
            n_heap += heap->lengths[i];
        }
        from.lengths = heap->lengths;
        from.offset = c->heap.size;
        if (n_heap > 0) {
            STOA_TRY(stoa_buffer_append(&c->heap, heap->bytes, (size_t)n_heap, err));
        }
    }
    STOA_TRY(put_in_pages(c, first, n, &from, err));
    STOA_TRY(tidy_heap(c, err));

done:
    return status;
}

/* Entries [low, high) of the list, out of it. */
static void cut_list(stoa_content *c, size_t low, size_t high)
{
    stoa_sparse_chunk *list = &c->list;
    const size_t tail = list->n - high;

    memmove(list->positions + low, list->positions + high, tail * sizeof *list->positions);
    memmove(list->values + low * c->value_size, list->values + high * c->value_size,
            tail * c->value_size);
    list->n = low + tail;
    c->n = list->n;
}

stoa_status stoa_content_erase(stoa_content *content, uint32_t first, uint32_t n, stoa_error *err)
{
    stoa_content *c = content;
    stoa_status status = STOA_OK;

    if (c->pages == NULL) {
        const size_t low = lower_bound(&c->list, first);
        size_t high = low;
        while (high < c->list.n && c->list.positions[high] - first < n) {
            high++;
        }
        if (low == high) {
            return STOA_OK;
        }
        if (c->list.n - high <= SHORT) {
            cut_list(c, low, high);
            return STOA_OK;
        }
    }
    STOA_TRY(turn_to_pages(c, err));
    while (n > 0) {
        const unsigned in_page = first % PAGE;
        const uint32_t some = n < PAGE - in_page ? n : PAGE - in_page;
        erase_in_page(c, &c->pages[first / PAGE], in_page, some);
        first += some;
        n -= some;
    }

done:
    return status;
}

stoa_status stoa_content_merge(stoa_content *content, const uint32_t *positions, size_t n,
                               const uint8_t *values, stoa_error *err)
{
    stoa_content *c = content;
    stoa_sparse_chunk merged = {.n = 0};
    source from = {.values = values};
    stoa_status status = STOA_OK;

    if (n == 0) {
        return STOA_OK;
    }
    if (c->pages != NULL || (n < c->list.n / FEW && !is_behind(c, positions[0]))) {
        STOA_TRY(turn_to_pages(c, err));
        STOA_TRY(put_all(c, positions, n, &from, err));
    } else if (is_behind(c, positions[0])) {
        STOA_TRY(grow_list(c, n, err));
        memcpy(c->list.positions + c->list.n, positions, n * sizeof *positions);
        memcpy(c->list.values + c->list.n * c->value_size, values, n * c->value_size);
        c->list.n += n;
        c->n = c->list.n;
    } else {
        STOA_TRY(set_room(&merged, c->list.n + n, c->value_size, err));
        merge_lists(&c->list, positions, n, values, c->value_size, &merged);
        stoa_sparse_chunk_clear(&c->list);
        c->list = merged;
        c->n = merged.n;
        merged = (stoa_sparse_chunk){.n = 0};
    }

done:
    stoa_sparse_chunk_clear(&merged);
    return status;
}

stoa_status stoa_content_remove(stoa_content *content, const uint32_t *positions, size_t n,
                                stoa_error *err)
{
    stoa_content *c = content;
    stoa_sparse_chunk *list = &c->list;
    stoa_status status = STOA_OK;

    if (c->pages != NULL || n < list->n / FEW) {
        STOA_TRY(turn_to_pages(c, err));
        for (size_t i = 0; i < n; i++) {
            erase_in_page(c, &c->pages[positions[i] / PAGE], positions[i] % PAGE, 1);
        }
        goto done;
    }
    size_t kept = 0;
    for (size_t i = 0, j = 0; i < list->n; i++) {
        while (j < n && positions[j] < list->positions[i]) {
            j++;
        }
        if (j < n && positions[j] == list->positions[i]) {
            continue;
        }
        if (kept != i) {
            list->positions[kept] = list->positions[i];
            memcpy(list->values + kept * c->value_size, list->values + i * c->value_size,
                   c->value_size);
        }
        kept++;
    }
    list->n = kept;
    c->n = kept;

done:
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

static void fill_with(uint8_t *values, size_t n, const uint8_t *fill, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(values + i * size, fill, size);
    }
}

/* Where the elements of a run go, one after the other. */
typedef struct target {
    size_t size;
    const uint8_t *fill;
    uint8_t *values;
    uint8_t *defined;
} target;

static void give_nothing(target *to, size_t n)
{
    if (to->values != NULL) {
        fill_with(to->values, n, to->fill, to->size);
        to->values += n * to->size;
    }
    if (to->defined != NULL) {
        memset(to->defined, 0, n);
        to->defined += n;
    }
}

/* n defined elements whose values lie side by side. */
static void give(target *to, const uint8_t *values, size_t n)
{
    if (to->values != NULL) {
        memcpy(to->values, values, n * to->size);
        to->values += n * to->size;
    }
    if (to->defined != NULL) {
        memset(to->defined, 1, n);
        to->defined += n;
    }
}

static void get_from_list(const stoa_content *c, uint32_t first, uint32_t n, target *to)
{
    const stoa_sparse_chunk *list = &c->list;
    size_t i = lower_bound(list, first);
    uint32_t done = 0;

    while (done < n) {
        const uint32_t next =
            i < list->n && list->positions[i] - first < n ? list->positions[i] - first : n;
        if (next > done) {
            give_nothing(to, next - done);
            done = next;
        }
        size_t end = i;
        while (done < n && end < list->n && list->positions[end] == first + done) {
            end++;
            done++;
        }
        if (end > i) {
            give(to, list->values + i * c->value_size, end - i);
            i = end;
        }
    }
}

static stoa_status give_heap(const stoa_content *c, const uint8_t *record,
                             const stoa_heap_sink *heap, size_t at, stoa_error *err)
{
    const heap_place place = record != NULL ? place_of(c, record) : (heap_place){0, 0};

    heap->lengths[at] = place.length;
    return place.length == 0 ? STOA_OK
                             : stoa_buffer_append(heap->bytes, c->heap.data + place.offset,
                                                  (size_t)place.length, err);
}

static stoa_status get_from_pages(const stoa_content *c, uint32_t first, uint32_t n, target *to,
                                  const stoa_heap_sink *heap, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (uint32_t i = 0; i < n; i++) {
        const page *p = &c->pages[(first + i) / PAGE];
        const unsigned bit = (first + i) % PAGE;
        const uint8_t *record = NULL;
        if ((p->bits >> bit & 1) != 0) {
            record = p->records + count(p->bits & bits_below(bit)) * c->record_size;
            give(to, record, 1);
        } else {
            give_nothing(to, 1);
        }
        if (heap != NULL) {
            STOA_TRY(give_heap(c, record, heap, i, err));
        }
    }

done:
    return status;
}

stoa_status stoa_content_get(const stoa_content *content, uint32_t first, uint32_t n,
                             const uint8_t *fill, uint8_t *values, uint8_t *defined,
                             const stoa_heap_sink *heap, stoa_error *err)
{
    target to = {.size = content->value_size, .fill = fill, .values = values, .defined = defined};

    if (content->pages != NULL) {
        return get_from_pages(content, first, n, &to, content->format->has_heap ? heap : NULL, err);
    }
    get_from_list(content, first, n, &to);
    if (heap != NULL) { /* a list with a heap is empty */
        memset(heap->lengths, 0, n * sizeof *heap->lengths);
    }
    return STOA_OK;
}
