#include "arrow/ipc_flat.h"

#include <string.h>

/* --- reading --------------------------------------------------------------------------------- */

uint64_t stoa_flat_number(stoa_flat *flat, size_t at, unsigned n)
{
    uint64_t number = 0;

    if (flat->is_bad || at > flat->size || n > flat->size - at) {
        flat->is_bad = true;
        return 0;
    }
    for (unsigned i = n; i-- > 0;) {
        number = number << 8 | flat->bytes[at + i];
    }
    return number;
}

static stoa_flat_table open_table(stoa_flat *flat, size_t at)
{
    const stoa_flat_table none = {.at = 0};
    const int64_t back = (int32_t)stoa_flat_number(flat, at, 4);
    const int64_t slots = (int64_t)at - back;

    if (flat->is_bad || slots < 0 || slots > (int64_t)flat->size) {
        flat->is_bad = true;
        return none;
    }
    const size_t n_bytes = (size_t)stoa_flat_number(flat, (size_t)slots, 2);
    const size_t size = (size_t)stoa_flat_number(flat, (size_t)slots + 2, 2);
    if (n_bytes < 4 || n_bytes > flat->size - (size_t)slots || size < 4 || size > flat->size - at) {
        flat->is_bad = true;
        return none;
    }
    return (stoa_flat_table){
        .at = at, .size = size, .slots = (size_t)slots + 4, .n_slots = (unsigned)(n_bytes - 4) / 2};
}

stoa_flat_table stoa_flat_table_at(stoa_flat *flat, size_t at)
{
    const uint64_t forward = stoa_flat_number(flat, at, 4);

    return open_table(flat, at + (size_t)forward);
}

stoa_flat_table stoa_flat_root(stoa_flat *flat)
{
    return stoa_flat_table_at(flat, 0);
}

/* Find a field of n bytes; false if the table does not have it. */
static bool find_field(stoa_flat *flat, const stoa_flat_table *table, unsigned slot, size_t n,
                       size_t *at)
{
    if (flat->is_bad || slot >= table->n_slots) {
        return false;
    }
    const size_t offset = (size_t)stoa_flat_number(flat, table->slots + 2 * (size_t)slot, 2);
    if (offset == 0) {
        return false;
    }
    if (offset > table->size || n > table->size - offset) {
        flat->is_bad = true;
        return false;
    }
    *at = table->at + offset;
    return true;
}

bool stoa_flat_has(stoa_flat *flat, const stoa_flat_table *table, unsigned slot)
{
    size_t at = 0;

    return find_field(flat, table, slot, 1, &at);
}

uint64_t stoa_flat_field(stoa_flat *flat, const stoa_flat_table *table, unsigned slot, unsigned n,
                         uint64_t absent)
{
    size_t at = 0;

    return find_field(flat, table, slot, n, &at) ? stoa_flat_number(flat, at, n) : absent;
}

stoa_flat_table stoa_flat_child(stoa_flat *flat, const stoa_flat_table *table, unsigned slot)
{
    size_t at = 0;

    return find_field(flat, table, slot, 4, &at) ? stoa_flat_table_at(flat, at)
                                                 : (stoa_flat_table){.at = 0};
}

uint32_t stoa_flat_vector(stoa_flat *flat, const stoa_flat_table *table, unsigned slot,
                          size_t element, size_t *at)
{
    if (!find_field(flat, table, slot, 4, at)) {
        return 0;
    }
    *at += (size_t)stoa_flat_number(flat, *at, 4);
    const uint64_t n = stoa_flat_number(flat, *at, 4);
    *at += 4;
    if (flat->is_bad || n > (flat->size - *at) / element) {
        flat->is_bad = true;
        return 0;
    }
    return (uint32_t)n;
}

const char *stoa_flat_string(stoa_flat *flat, const stoa_flat_table *table, unsigned slot,
                             size_t *length)
{
    size_t at = 0;

    *length = stoa_flat_vector(flat, table, slot, 1, &at);
    return *length > 0 ? (const char *)flat->bytes + at : "";
}

/* --- writing --------------------------------------------------------------------------------- */

/* Append n zero bytes at a position `shift` beyond a multiple of `alignment`. */
static size_t extend(stoa_flat_writer *w, size_t n, size_t alignment, size_t shift)
{
    const size_t over = (w->bytes.size + alignment - shift) % alignment;
    const size_t padding = over == 0 ? 0 : alignment - over;

    if (w->status == STOA_OK) {
        w->status = stoa_buffer_grow(&w->bytes, padding + n, w->err);
    }
    return w->status == STOA_OK ? w->bytes.size - n : 0;
}

void stoa_flat_put(stoa_flat_writer *w, size_t at, unsigned n, uint64_t value)
{
    for (unsigned i = 0; w->status == STOA_OK && i < n; i++) {
        w->bytes.data[at + i] = (uint8_t)(value >> (8 * i));
    }
}

void stoa_flat_refer(stoa_flat_writer *w, size_t at, size_t to)
{
    stoa_flat_put(w, at, 4, to - at);
}

void stoa_flat_begin(stoa_flat_writer *w, stoa_error *err)
{
    w->status = STOA_OK;
    w->err = err;
    w->bytes.size = 0;
    (void)extend(w, 4, 1, 0);
}

size_t stoa_flat_put_table(stoa_flat_writer *w, const uint8_t *sizes, unsigned n, size_t *where)
{
    const bool is_root = w->bytes.size == 4;
    size_t size = 4;

    for (unsigned i = 0; i < n; i++) {
        if (sizes[i] > 0) {
            size += (sizes[i] - size % sizes[i]) % sizes[i];
            where[i] = size;
            size += sizes[i];
        }
    }
    const size_t slots = extend(w, 4 + 2 * (size_t)n, 2, 0);
    const size_t at = extend(w, size, 8, 0);
    stoa_flat_put(w, slots, 2, 4 + 2 * (uint64_t)n);
    stoa_flat_put(w, slots + 2, 2, size);
    stoa_flat_put(w, at, 4, at - slots);
    for (unsigned i = 0; i < n; i++) {
        if (sizes[i] > 0) {
            stoa_flat_put(w, slots + 4 + 2 * (size_t)i, 2, where[i]);
            where[i] += at;
        }
    }
    if (is_root) {
        stoa_flat_refer(w, 0, at);
    }
    return at;
}

void stoa_flat_put_string(stoa_flat_writer *w, size_t at, const char *text, size_t length)
{
    const size_t to = extend(w, 4 + length + 1, 4, 0);

    stoa_flat_put(w, to, 4, length);
    stoa_flat_refer(w, at, to);
    if (w->status == STOA_OK) {
        memcpy(w->bytes.data + to + 4, text, length);
    }
}

size_t stoa_flat_put_vector(stoa_flat_writer *w, size_t at, size_t n, size_t size)
{
    const size_t to = extend(w, 4 + n * size, size > 4 ? 8 : 4, size > 4 ? 4 : 0);

    stoa_flat_put(w, to, 4, n);
    stoa_flat_refer(w, at, to);
    return to + 4;
}
