/* Collects the blocks of chunk indexes that are arrays (HDF5 file format, III.C and III.D); see
 * footprint.h. */
#include <string.h>

#include "core/min_of.h"
#include "hdf/format/footprint.h"

enum { KIND = 5, ELEMENT = 6, CHECKSUM = 4 };

typedef struct array {
    stoa_footprint_object *o;
    size_t element;
    bool is_filtered;
    unsigned page_bits;    /* bits of the number of elements in a page */
    const char *signature; /* of a data block */
    uint64_t prefix; /* bytes of a data block except its elements and its page bitmap; includes a
                        checksum */
    uint64_t offset_size; /* bytes of an offset in an extensible array */
} array;

/* An address. For filtered chunks, a length and a filter mask (4 bytes) follow. */
static bool collect_element(const array *a, const uint8_t *element)
{
    const size_t address = a->o->footprint->file.file->address_size;

    return stoa_footprint_collect(
        a->o, stoa_little_endian(element, address),
        a->is_filtered ? stoa_little_endian(element + address, a->element - address - 4)
                       : a->o->chunk_bytes);
}

/* `n` contiguous elements. Unreadable ones are skipped. */
static bool collect_elements(const array *a, uint64_t at, uint64_t n)
{
    uint8_t some[2048];
    const uint64_t n_at_once = sizeof some / a->element;
    bool goes_on = true;

    for (uint64_t i = 0; goes_on && i < n; i += n_at_once) {
        const uint64_t n_here = stoa_min_of(n - i, n_at_once);
        if (!stoa_footprint_read(a->o, at + i * a->element, some, (size_t)n_here * a->element)) {
            return true;
        }
        for (uint64_t k = 0; goes_on && k < n_here; k++) {
            goes_on = collect_element(a, some + k * a->element);
        }
    }
    return goes_on;
}

/* Whether a page was written, from a bitmap at `bits` in the file. The first bit of a byte is its
 * highest one. */
static bool is_written(const array *a, uint64_t bits, uint64_t page)
{
    uint8_t byte = 0;

    return stoa_footprint_read(a->o, bits + page / 8, &byte, 1) && (byte & 0x80 >> page % 8) != 0;
}

/* Elements in pages, each followed by a checksum. */
static bool collect_pages(const array *a, uint64_t at, uint64_t n, uint64_t bits,
                          uint64_t first_bit)
{
    const uint64_t in_page = UINT64_C(1) << a->page_bits;
    bool goes_on = true;

    for (uint64_t i = 0; goes_on && i * in_page < n; i++) {
        if (is_written(a, bits, first_bit + i)) {
            goes_on = collect_elements(a, at + i * (in_page * a->element + CHECKSUM),
                                       stoa_min_of(n - i * in_page, in_page));
        }
    }
    return goes_on;
}

/* Number of pages for `n` elements; 0 if they are not paged. */
static uint64_t pages_of(const array *a, uint64_t n)
{
    const uint64_t in_page = UINT64_C(1) << a->page_bits;

    return n > in_page ? n / in_page + (n % in_page != 0) : 0;
}

/* A data block of `n` elements. */
static bool collect_data_block(const array *a, uint64_t block, uint64_t n, uint64_t bits,
                               uint64_t first_bit)
{
    const uint64_t n_pages = pages_of(a, n);
    const uint64_t head = a->prefix + (bits == 0 ? (n_pages + 7) / 8 : 0);

    if (!stoa_footprint_finds(a->o, block, a->signature)) {
        return true;
    }
    if (n > a->o->footprint->end / a->element ||
        !stoa_footprint_collect(a->o, block, head + n * a->element + n_pages * CHECKSUM)) {
        return false;
    }
    return n_pages == 0 ? collect_elements(a, block + head - CHECKSUM, n)
                        : collect_pages(a, block + head, n,
                                        bits != 0 ? bits : block + a->prefix - CHECKSUM, first_bit);
}

/* Parse the start of both kinds of headers: signature, version, client, size of an element. */
static bool open_header(array *a, stoa_footprint_object *o, uint64_t header, uint8_t *bytes,
                        size_t n)
{
    const size_t address = o->footprint->file.file->address_size;

    if (!stoa_footprint_read(o, header, bytes, n)) {
        return false;
    }
    a->o = o;
    a->element = bytes[ELEMENT];
    a->is_filtered = bytes[KIND] == 1;
    return a->is_filtered ? a->element > address + 4 && a->element <= address + 12
                          : a->element == address;
}

bool stoa_footprint_fixed_array(stoa_footprint_object *o, uint64_t header)
{
    enum { PAGE_BITS = 7, LENGTHS };
    const size_t length = o->footprint->file.file->length_size;
    const size_t address = o->footprint->file.file->address_size;
    uint8_t b[LENGTHS + 2 * 8];
    array a;

    if (!stoa_footprint_finds(o, header, "FAHD")) {
        return true;
    }
    if (!open_header(&a, o, header, b, LENGTHS + length + address) || b[PAGE_BITS] >= 64) {
        return stoa_footprint_pass_over(o);
    }
    a.page_bits = b[PAGE_BITS];
    a.prefix = 6 + address + CHECKSUM;
    a.signature = "FADB";
    return stoa_footprint_collect(o, header, LENGTHS + length + address + CHECKSUM) &&
           collect_data_block(&a, stoa_little_endian(b + LENGTHS + length, address),
                              stoa_little_endian(b + LENGTHS, length), 0, 0);
}

/* Number of elements in each data block of super block `u`, and number of its data blocks. */
static uint64_t elements_of(unsigned u, uint64_t least)
{
    return least << (u + 1) / 2;
}

static uint64_t blocks_of(unsigned u)
{
    return UINT64_C(1) << u / 2;
}

/* The data blocks of super block `u`. `at` is the location of their addresses, `bits` of the bitmap
 * of written pages. */
static bool collect_data_blocks(const array *a, uint64_t at, unsigned u, uint64_t least,
                                uint64_t bits)
{
    const size_t address = a->o->footprint->file.file->address_size;
    const uint64_t n = elements_of(u, least);
    uint8_t bytes[8];
    bool goes_on = true;

    for (uint64_t i = 0; goes_on && i < blocks_of(u); i++) {
        goes_on =
            stoa_footprint_read(a->o, at + i * address, bytes, address) &&
            collect_data_block(a, stoa_little_endian(bytes, address), n, bits, i * pages_of(a, n));
    }
    return goes_on;
}

/* "EASB", version, client, address of the header, an offset, bitmap of written pages, addresses of
 * the data blocks, checksum. */
static bool collect_super_block(const array *a, uint64_t block, unsigned u, uint64_t least)
{
    const size_t address = a->o->footprint->file.file->address_size;
    const uint64_t bits = block + 6 + address + a->offset_size;
    const uint64_t n_bits = blocks_of(u) * ((pages_of(a, elements_of(u, least)) + 7) / 8);
    const uint64_t n = bits - block + n_bits + blocks_of(u) * address + CHECKSUM;

    return !stoa_footprint_finds(a->o, block, "EASB") ||
           (stoa_footprint_collect(a->o, block, n) &&
            collect_data_blocks(a, bits + n_bits, u, least, bits));
}

/* The index block: "EAIB", version, client, address of the header, the first elements, addresses of
 * the data blocks of the first super blocks, addresses of the other super blocks, checksum. */
static bool collect_index_block(const array *a, const uint8_t *b, uint64_t block)
{
    enum { BITS = 7, INDEX_ELEMENTS, MIN_ELEMENTS, MIN_BLOCKS };
    const size_t address = a->o->footprint->file.file->address_size;
    const uint64_t least = b[MIN_ELEMENTS];
    const unsigned n_super = 1 + b[BITS] - stoa_log2_of(least);
    const unsigned n_first = 2 * stoa_log2_of(b[MIN_BLOCKS]);
    const uint64_t n_data = 2 * ((uint64_t)b[MIN_BLOCKS] - 1);
    uint8_t bytes[8];

    if (!stoa_footprint_finds(a->o, block, "EAIB")) {
        return true;
    }
    if (n_first > n_super) {
        return stoa_footprint_pass_over(a->o);
    }
    const uint64_t elements = block + 6 + address;
    uint64_t at = elements + b[INDEX_ELEMENTS] * (uint64_t)a->element;
    bool goes_on =
        stoa_footprint_collect(a->o, block,
                               at - block + (n_data + n_super - n_first) * address + CHECKSUM) &&
        collect_elements(a, elements, b[INDEX_ELEMENTS]);
    for (unsigned u = 0; goes_on && u < n_first; u++) {
        goes_on = collect_data_blocks(a, at, u, least, at);
        at += blocks_of(u) * address;
    }
    for (unsigned u = n_first; goes_on && u < n_super; u++) {
        goes_on = stoa_footprint_read(a->o, at, bytes, address) &&
                  collect_super_block(a, stoa_little_endian(bytes, address), u, least);
        at += address;
    }
    return goes_on;
}

bool stoa_footprint_extensible_array(stoa_footprint_object *o, uint64_t header)
{
    enum { BITS = 7, MIN_ELEMENTS = 9, MIN_BLOCKS, PAGE_BITS, LENGTHS };
    const size_t length = o->footprint->file.file->length_size;
    const size_t address = o->footprint->file.file->address_size;
    const size_t n = LENGTHS + 6 * length + address;
    uint8_t b[LENGTHS + 7 * 8];
    array a;

    if (!stoa_footprint_finds(o, header, "EAHD")) {
        return true;
    }
    if (!open_header(&a, o, header, b, n) || b[BITS] > 64 || b[PAGE_BITS] > b[BITS] ||
        b[PAGE_BITS] >= 64 || !stoa_is_power_of_two(b[MIN_ELEMENTS]) ||
        !stoa_is_power_of_two(b[MIN_BLOCKS]) || stoa_log2_of(b[MIN_ELEMENTS]) > b[BITS]) {
        return stoa_footprint_pass_over(o);
    }
    a.page_bits = b[PAGE_BITS];
    a.offset_size = (b[BITS] + 7u) / 8;
    a.signature = "EADB";
    a.prefix = 6 + address + a.offset_size + CHECKSUM;
    return stoa_footprint_collect(o, header, n + CHECKSUM) &&
           collect_index_block(&a, b, stoa_little_endian(b + LENGTHS + 6 * length, address));
}
