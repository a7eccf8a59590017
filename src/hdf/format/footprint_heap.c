/* Collects the blocks of fractal heaps and of their free space (HDF5 file format, III.G and III.H);
 * see footprint.h. */
#include <string.h>

#include "hdf/format/footprint.h"

enum { CHECKSUM = 4 };

/* Fields of its header. */
typedef struct heap {
    stoa_footprint_object *o;
    stoa_heap_shape shape;
    unsigned first_bits;  /* bits of the size of the first row */
    unsigned direct_rows; /* rows of direct blocks, before those of indirect blocks */
    uint64_t offset_size;
    bool is_filtered;
} heap;

static uint64_t size_in(const heap *h, unsigned row)
{
    return row < 2 ? h->shape.first : h->shape.first << (row - 1);
}

static bool collect_table(const heap *h, uint64_t block, unsigned n_rows);

/* A direct block. A filtered one has no signature, and its size is at `packed`. */
static bool collect_objects(const heap *h, uint64_t block, uint64_t n, const uint8_t *packed)
{
    const size_t length = h->o->footprint->file.file->length_size;

    if (h->is_filtered) {
        return stoa_footprint_collect(h->o, block, stoa_little_endian(packed, length));
    }
    return !stoa_footprint_finds(h->o, block, "FHDB") || stoa_footprint_collect(h->o, block, n);
}

/* The blocks of a row: direct blocks, or indirect blocks with fewer rows. */
static bool collect_row(const heap *h, unsigned row, const uint8_t *entries, size_t entry)
{
    const size_t address = h->o->footprint->file.file->address_size;
    const unsigned bits = stoa_log2_of(size_in(h, row));
    bool goes_on = true;

    if (row >= h->direct_rows && bits < h->first_bits) {
        return stoa_footprint_pass_over(h->o); /* smaller than its own first row */
    }
    for (uint64_t i = 0; goes_on && i < h->shape.width; i++) {
        const uint8_t *const e = entries + i * entry;
        const uint64_t block = stoa_little_endian(e, address);
        if (!stoa_is_nowhere(&h->o->footprint->file, block)) {
            goes_on = row < h->direct_rows ? collect_objects(h, block, size_in(h, row), e + address)
                                           : collect_table(h, block, bits - h->first_bits + 1);
        }
    }
    return goes_on;
}

/* An indirect block: "FHIB", version, address of the header, an offset, the rows, checksum. */
static bool collect_table(const heap *h, uint64_t block, unsigned n_rows)
{
    const size_t address = h->o->footprint->file.file->address_size;
    const size_t length = h->o->footprint->file.file->length_size;
    const size_t direct = address + (h->is_filtered ? length + 4 : 0);
    const uint64_t n_direct = h->shape.width * (n_rows < h->direct_rows ? n_rows : h->direct_rows);
    const uint64_t head = 5 + address + h->offset_size;
    const uint64_t n =
        head + n_direct * direct + (n_rows * h->shape.width - n_direct) * address + CHECKSUM;
    stoa_buffer row = {0};

    if (!stoa_footprint_finds(h->o, block, "FHIB")) {
        return true;
    }
    if (!stoa_footprint_collect(h->o, block, n) ||
        stoa_buffer_grow(&row, (size_t)h->shape.width * direct, NULL) != STOA_OK) {
        return false;
    }
    bool goes_on = true;
    uint64_t at = block + head;
    for (unsigned i = 0; goes_on && i < n_rows; i++) {
        const size_t entry = i < h->direct_rows ? direct : address;
        goes_on = stoa_footprint_read(h->o, at, row.data, (size_t)h->shape.width * entry) &&
                  collect_row(h, i, row.data, entry);
        at += h->shape.width * entry;
    }
    stoa_buffer_clear(&row);
    return goes_on;
}

/*
 * Header of the free space:
 *
 *     "FSHD"; version; client; four counts (lengths); section classes (2);
 *     two percentages (2 each); bits of an address (2); largest section (a length);
 *     address of the list of sections; its used and allocated size (lengths)
 */
static bool collect_free_space(stoa_footprint_object *o, uint64_t header)
{
    const size_t length = o->footprint->file.file->length_size;
    const size_t address = o->footprint->file.file->address_size;
    const size_t at = 6 + 4 * length + 8 + length;
    const size_t n = at + address + 2 * length;
    uint8_t b[14 + 8 * 8];

    return !stoa_footprint_finds(o, header, "FSHD") || !stoa_footprint_read(o, header, b, n) ||
           (stoa_footprint_collect(o, header, n + CHECKSUM) &&
            stoa_footprint_collect(o, stoa_little_endian(b + at, address),
                                   stoa_little_endian(b + at + address + length, length)));
}

/* A huge object: its address and length come first. */
static bool collect_huge(void *context, const uint8_t *record, size_t n)
{
    stoa_footprint_object *const o = context;
    const size_t length = o->footprint->file.file->length_size;
    const size_t address = o->footprint->file.file->address_size;

    return n < address + length ||
           stoa_footprint_collect(o, stoa_little_endian(record, address),
                                  stoa_little_endian(record + address, length));
}

static bool collect_root(const heap *h, const uint8_t *table, const uint8_t *filtered)
{
    const size_t length = h->o->footprint->file.file->length_size;
    const size_t address = h->o->footprint->file.file->address_size;
    const uint64_t root = stoa_little_endian(table + 6 + 2 * length, address);

    return h->shape.rows != 0 ? collect_table(h, root, (unsigned)h->shape.rows)
                              : collect_objects(h, root, h->shape.first, filtered);
}

bool stoa_footprint_fractal_heap(stoa_footprint_object *o, uint64_t header)
{
    enum { FILTERS = 7, HUGE_ID = 14 };
    const size_t length = o->footprint->file.file->length_size;
    const size_t address = o->footprint->file.file->address_size;
    const size_t table_at = HUGE_ID + 10 * length + 2 * address;
    const size_t n = table_at + 8 + 2 * length + address; /* plus a filtered root's size */
    uint8_t b[HUGE_ID + 10 * 8 + 2 * 8 + 8 + 3 * 8 + 8];
    const stoa_block block = {.file = o->footprint->file.file,
                              .journal = o->footprint->file.journal,
                              .address = o->footprint->file.file->base + header,
                              .bytes = b,
                              .n = n};

    if (!stoa_footprint_finds(o, header, "FRHP") ||
        !stoa_footprint_read(o, header, b, n + length)) {
        return true;
    }
    if (!stoa_fractal_heap_is_sound(&block)) {
        return stoa_footprint_pass_over(o);
    }
    const uint8_t *const table = b + table_at;
    const uint64_t n_filters = stoa_little_endian(b + FILTERS, 2);
    heap h = {.o = o,
              .shape = stoa_heap_shape_of(o->footprint->file.file, b),
              .is_filtered = n_filters != 0};
    h.first_bits = stoa_log2_of(h.shape.first) + stoa_log2_of(h.shape.width);
    h.direct_rows = stoa_log2_of(h.shape.greatest) - stoa_log2_of(h.shape.first) + 2;
    h.offset_size = (h.shape.bits + 7) / 8;
    const uint64_t of_huge = stoa_little_endian(b + HUGE_ID + length, address);
    const stoa_tree_seen huge = {stoa_footprint_collect, collect_huge, o};
    return stoa_footprint_collect(o, header,
                                  n + (h.is_filtered ? length + 4 + n_filters : 0) + CHECKSUM) &&
           collect_root(&h, table, b + n) &&
           (!stoa_footprint_finds(o, of_huge, "BTHD") ||
            stoa_tree_visit(&o->footprint->file, of_huge, &huge)) &&
           collect_free_space(o, stoa_little_endian(b + HUGE_ID + 2 * length + address, address));
}
