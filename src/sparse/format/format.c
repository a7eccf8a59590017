#include "sparse/format/format.h"

#include <string.h>

#include "codec/bytes.h"

enum {
    VERSION = 1,
    IS_SPARSE = 1 << 8, /* in word 0, above the version */
    HAS_HEAP = 1 << 9,
    HAS_REFERENCES = 1 << 10,
    IS_BOUND = 1 << 11,
    HAS_FILL = 1 << 12,
    FILL_IS_ELSEWHERE = 1 << 13,
    IS_BIG_ENDIAN = 1 << 14,
    FILL_IS_VARIABLE = 1 << 15,
    NUMBER_SHIFT = 16, /* two bits */
    NUMBER_BITS = 3,
    ASKS_FOR_PLAIN_EDGES = 1 << 18,
    KNOWN_BITS = 0x7ffff,
    OPTIONAL =
        1 << 16, /* in the word of a filter, above its id and below the number of its values */
    VALUES_SHIFT = 24,
    LENGTH_SIZE = 4 /* of a slot in section 1 */
};

size_t stoa_sparse_value_size(const stoa_sparse_format *format)
{
    return format->element_size - format->n_slots * (format->slot_size - LENGTH_SIZE);
}

/* Whether all bytes of the fill value are 0. */
static bool fill_is_zero(const stoa_sparse_format *format)
{
    static const uint8_t zeros[STOA_SPARSE_MAX_FILL];

    return !format->fill_is_elsewhere && (format->element_size > sizeof zeros ||
                                          memcmp(format->fill, zeros, format->element_size) == 0);
}

/* --- packing --------------------------------------------------------------------------------- */

typedef struct packer {
    uint32_t *words;
    size_t n;
    bool is_full;
} packer;

static void put(packer *to, uint64_t word)
{
    if (to->n == STOA_SPARSE_MAX_WORDS) {
        to->is_full = true;
        return;
    }
    to->words[to->n++] = (uint32_t)word;
}

static void put_filters(packer *to, const stoa_section_filters *section)
{
    put(to, section->n);
    for (size_t i = 0; i < section->n; i++) {
        const stoa_filter *filter = &section->filters[i];
        put(to, filter->id | ((section->optional >> i & 1) != 0 ? OPTIONAL : 0) |
                    filter->n_values << VALUES_SHIFT);
        for (uint32_t j = 0; j < filter->n_values; j++) {
            put(to, filter->values[j]);
        }
    }
}

static void put_dataset(packer *to, const stoa_sparse_format *format, bool has_fill)
{
    put(to, format->element_size);
    put(to, format->n_elements);
    if (format->has_heap) {
        put(to, format->n_slots | format->slot_size << 16);
        for (size_t i = 0; i < format->n_slots; i++) {
            put(to, format->slots[i]);
        }
    }
    for (size_t i = 0; has_fill && i < format->element_size; i += 4) {
        uint8_t bytes[4] = {0};
        for (size_t j = 0; j < 4 && i + j < format->element_size; j++) {
            bytes[j] = format->fill[i + j];
        }
        put(to, stoa_get_le32(bytes));
    }
}

stoa_status stoa_sparse_format_pack(const stoa_sparse_format *format, uint32_t *words,
                                    size_t *n_words, stoa_error *err)
{
    const bool has_fill = format->is_bound && !format->fill_is_elsewhere && !fill_is_zero(format);
    packer to = {.words = words};

    put(&to, VERSION | (format->is_sparse ? IS_SPARSE : 0) | (format->has_heap ? HAS_HEAP : 0) |
                 (format->has_references ? HAS_REFERENCES : 0) | (format->is_bound ? IS_BOUND : 0) |
                 (has_fill ? HAS_FILL : 0) | (format->fill_is_elsewhere ? FILL_IS_ELSEWHERE : 0) |
                 (format->is_big_endian ? IS_BIG_ENDIAN : 0) |
                 (format->fill_is_variable ? FILL_IS_VARIABLE : 0) |
                 (format->asks_for_plain_edges ? ASKS_FOR_PLAIN_EDGES : 0) |
                 (uint32_t)format->number << NUMBER_SHIFT);
    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        put_filters(&to, &format->sections[i]);
    }
    if (format->is_bound) {
        put_dataset(&to, format, has_fill);
    }
    *n_words = to.n;
    return to.is_full ? stoa_fail(err, STOA_ERANGE,
                                  "the filters of a structured dataset need more than %d words of "
                                  "parameters; use fewer filters or parameters",
                                  STOA_SPARSE_MAX_WORDS)
                      : STOA_OK;
}

/* --- unpacking ------------------------------------------------------------------------------- */

typedef struct unpacker {
    const uint32_t *words;
    size_t n; /* words left */
    bool is_short;
} unpacker;

static uint32_t get(unpacker *from)
{
    if (from->n == 0) {
        from->is_short = true;
        return 0;
    }
    from->n--;
    return *from->words++;
}

static bool get_filters(unpacker *from, stoa_section_filters *section)
{
    section->n = get(from);
    if (section->n > STOA_MAX_FILTERS) {
        return false;
    }
    for (size_t i = 0; i < section->n && !from->is_short; i++) {
        const uint32_t word = get(from);
        stoa_filter *filter = &section->filters[i];
        filter->id = word & 0xffff;
        filter->n_values = word >> VALUES_SHIFT;
        if ((word & OPTIONAL) != 0) {
            section->optional |= UINT32_C(1) << i;
        }
        if (filter->n_values > STOA_MAX_FILTER_VALUES) {
            return false;
        }
        for (uint32_t j = 0; j < filter->n_values; j++) {
            filter->values[j] = get(from);
        }
    }
    return true;
}

static bool get_slots(unpacker *from, stoa_sparse_format *format)
{
    const uint32_t word = get(from);
    uint64_t end = 0; /* of the previous slot */

    format->n_slots = word & 0xffff;
    format->slot_size = word >> 16;
    if (format->n_slots > STOA_SPARSE_MAX_SLOTS || format->slot_size < LENGTH_SIZE) {
        return false;
    }
    for (size_t i = 0; i < format->n_slots; i++) {
        format->slots[i] = get(from);
        if (format->slots[i] < end) {
            return false;
        }
        end = (uint64_t)format->slots[i] + format->slot_size;
    }
    return end <= format->element_size;
}

static bool get_dataset(unpacker *from, stoa_sparse_format *format, bool has_fill)
{
    format->element_size = get(from);
    format->n_elements = get(from);
    if (format->element_size == 0 || format->n_elements == 0 ||
        format->n_elements * format->element_size > UINT32_MAX) {
        return false;
    }
    if (format->has_heap && !get_slots(from, format)) {
        return false;
    }
    if (has_fill && format->element_size > STOA_SPARSE_MAX_FILL) {
        return false;
    }
    for (size_t i = 0; has_fill && i < format->element_size; i += 4) {
        uint8_t bytes[4];
        stoa_put_le32(bytes, get(from));
        for (size_t j = 0; j < 4 && i + j < format->element_size; j++) {
            format->fill[i + j] = bytes[j];
        }
    }
    return true;
}

static bool get_format(unpacker *from, stoa_sparse_format *format)
{
    const uint32_t flags = get(from);

    if ((flags & 0xff) != VERSION || (flags & ~(uint32_t)KNOWN_BITS) != 0) {
        return false;
    }
    format->is_sparse = (flags & IS_SPARSE) != 0;
    format->has_heap = (flags & HAS_HEAP) != 0;
    format->has_references = (flags & HAS_REFERENCES) != 0;
    format->is_bound = (flags & IS_BOUND) != 0;
    format->fill_is_elsewhere = (flags & FILL_IS_ELSEWHERE) != 0;
    format->is_big_endian = (flags & IS_BIG_ENDIAN) != 0;
    format->fill_is_variable = (flags & FILL_IS_VARIABLE) != 0;
    format->asks_for_plain_edges = (flags & ASKS_FOR_PLAIN_EDGES) != 0;
    format->number = (stoa_number_class)(flags >> NUMBER_SHIFT & NUMBER_BITS);
    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        if (!get_filters(from, &format->sections[i])) {
            return false;
        }
    }
    if (format->is_bound && !get_dataset(from, format, (flags & HAS_FILL) != 0)) {
        return false;
    }
    return !from->is_short && from->n == 0;
}

stoa_status stoa_sparse_format_unpack(const uint32_t *words, size_t n_words,
                                      stoa_sparse_format *format, stoa_error *err)
{
    unpacker from = {.words = words, .n = n_words};

    *format = (stoa_sparse_format){.n_elements = 0};
    if (n_words == 0) { /* from a program that only knows the filter's number */
        format->is_sparse = true;
        return STOA_OK;
    }
    if (!get_format(&from, format)) {
        return stoa_fail(err, STOA_EDATA,
                         "the parameters of filter %d (%s) make no sense, or are of a later "
                         "version than %d",
                         STOA_SPARSE_FILTER, STOA_SPARSE_FILTER_NAME, VERSION);
    }
    return STOA_OK;
}
