/*
 * Structured chunks, packed and unpacked with every kind of section filter, damaged in every way,
 * and the parameters that describe them, for src/sparse/{format,chunk,foreign}.c.
 */
#include <hdf5.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "codec/bytes.h"
#include "sparse/format/chunk.h"
#include "sparse/format/libhdf5_filter.h"
#include "sparse/format/varint.h"
#include "support/check.h"
#include "support/sweep.h"
#include "support/wall.h"

/* --- anything -------------------------------------------------------------------------------- */

static void add(stoa_section_filters *section, uint32_t id, uint32_t n_values, uint32_t value)
{
    section->filters[section->n++] =
        (stoa_filter){.id = id, .n_values = n_values, .values = {value}};
}

static void any_filters(stoa_section_filters *section, bool with_foreign)
{
    switch (check_random_below(with_foreign ? 8 : 5)) {
    case 0:
        break;
    case 1:
        add(section, STOA_FILTER_DEFLATE, 1, (uint32_t)check_random_below(10));
        break;
    case 2:
        add(section, STOA_FILTER_SHUFFLE, 0, 0);
        add(section, STOA_FILTER_DEFLATE, 1, 1);
        break;
    case 3:
        add(section, STOA_FILTER_ZSTD, 1, 1);
        add(section, STOA_FILTER_FLETCHER32, 0, 0);
        break;
    case 4:
        add(section, STOA_FILTER_LZ4, 0, 0);
        break;
    case 5: /* by libhdf5: of integers with the least bits, as H5Pset_scaleoffset has it */
        section->filters[section->n++] =
            (stoa_filter){.id = H5Z_FILTER_SCALEOFFSET, .n_values = 2, .values = {2, 0}};
        section->optional = 1;
        break;
    case 6:
        add(section, H5Z_FILTER_NBIT, 0, 0);
        section->optional = 1;
        add(section, STOA_FILTER_DEFLATE, 1, 4);
        break;
    default:
        add(section, STOA_FILTER_SHUFFLE, 0, 0);
        add(section, H5Z_FILTER_NBIT, 0, 0);
        section->optional = 2;
        break;
    }
}

static stoa_sparse_format any_format(bool with_foreign)
{
    static const size_t sizes[] = {1, 2, 4, 8, 3, 24, 100};
    stoa_sparse_format made = {.is_sparse = check_random_below(8) != 0, .is_bound = true};

    made.has_heap = check_random_below(3) == 0;
    made.n_elements = 1 + check_random_below(check_random_below(2) == 0 ? 30 : 20000);
    made.element_size = sizes[check_random_below(7)];
    made.number = (stoa_number_class)check_random_below(4);
    made.is_big_endian = check_random_below(2) == 0;
    made.fill_is_elsewhere = made.element_size > STOA_SPARSE_MAX_FILL;
    for (size_t i = 0; i < made.element_size && !made.fill_is_elsewhere; i++) {
        made.fill[i] = (uint8_t)(check_random_below(2) * 17);
    }
    if (made.has_heap) {
        made.element_size = 40;
        made.fill_is_elsewhere = false;
        made.slot_size = 16;
        made.n_slots = 2;
        made.slots[0] = 4;
        made.slots[1] = 20;
    }
    for (unsigned i = 0; i < stoa_sparse_n_sections(&made); i++) {
        any_filters(&made.sections[i], with_foreign);
    }
    return made;
}

static void make_chunk(const stoa_sparse_format *format, stoa_sparse_chunk *chunk)
{
    const uint64_t in_1000 = check_random_below(1001);
    const size_t value_size = stoa_sparse_value_size(format);
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_room_for(&chunk->rooms[0], (size_t)format->n_elements * 4, &err), &err);
    chunk->positions = (uint32_t *)(void *)chunk->rooms[0].data;
    chunk->n = 0;
    for (uint64_t i = 0; i < format->n_elements; i++) {
        if (!format->is_sparse || check_random_below(1000) < in_1000) {
            chunk->positions[chunk->n++] = (uint32_t)i;
        }
    }
    CHECK_OK(stoa_room_for(&chunk->rooms[1], chunk->n * value_size, &err), &err);
    chunk->values = chunk->rooms[1].data;
    for (size_t i = 0; i < chunk->n * value_size; i++) {
        chunk->values[i] = (uint8_t)(check_random_below(4) == 0 ? check_random() : 7);
    }
    chunk->n_heap = format->has_heap ? check_random_below(5000) : 0;
    CHECK_OK(stoa_room_for(&chunk->rooms[2], chunk->n_heap, &err), &err);
    chunk->heap = chunk->rooms[2].data;
    for (size_t i = 0; i < chunk->n_heap; i++) {
        chunk->heap[i] = (uint8_t)('a' + check_random_below(3));
    }
}

static void is_same(const stoa_sparse_format *format, const stoa_sparse_chunk *found,
                    const stoa_sparse_chunk *expected)
{
    CHECK_U64(found->n, expected->n);
    CHECK_MEM(found->positions, expected->positions, expected->n * 4);
    CHECK_MEM(found->values, expected->values, expected->n * stoa_sparse_value_size(format));
    CHECK_U64(found->n_heap, expected->n_heap);
    CHECK_MEM(found->heap, expected->heap, expected->n_heap);
}

/* --- there and back -------------------------------------------------------------------------- */

static void comes_back(const stoa_sparse_format *format, stoa_sparse_coder *coder)
{
    static const uint8_t fill[100] = {1, 2, 3};
    stoa_sparse_chunk chunk = {.n = 0};
    stoa_sparse_chunk found = {.n = 0};
    stoa_split_chunk split;
    stoa_buffer out = {0};
    stoa_error err = STOA_ERROR_INIT;

    make_chunk(format, &chunk);
    CHECK_OK(stoa_sparse_chunk_pack(format, &chunk, fill, coder, &out, &err), &err);
    CHECK_OK(stoa_sparse_chunk_unpack(format, out.data, out.size, 3, coder, &found, &err), &err);
    is_same(format, &found, &chunk);
    CHECK_OK(stoa_sparse_chunk_split(format, out.data, out.size, &split, &err), &err);
    CHECK((split.fill != NULL) == format->fill_is_elsewhere);
    if (split.fill != NULL) {
        CHECK_MEM(split.fill, fill, format->element_size);
    }
    CHECK_OK(stoa_sparse_chunk_unpack(format, out.data, out.size, 1, coder, &found, &err), &err);
    CHECK_MEM(found.positions, chunk.positions, chunk.n * 4);
    stoa_buffer_clear(&out);
    stoa_sparse_chunk_clear(&chunk);
    stoa_sparse_chunk_clear(&found);
}

static void every_chunk_comes_back(void)
{
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_libhdf5_filter *foreign = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_libhdf5_filter_open(&foreign, &err), &err);
    coder.foreign = foreign;
    for (uint64_t i = 0; i < check_n_cases(600); i++) {
        const stoa_sparse_format format = any_format(true);
        comes_back(&format, &coder);
    }
    stoa_sparse_coder_clear(&coder);
    stoa_libhdf5_filter_close(foreign);
}

static void filters_that_nobody_has_are_an_error(void)
{
    stoa_sparse_format format = {.is_sparse = true, .n_elements = 5, .element_size = 1};
    uint32_t positions[] = {3};
    uint8_t values[] = {9};
    const stoa_sparse_chunk chunk = {.n = 1, .positions = positions, .values = values};
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_buffer out = {0};
    stoa_error err = STOA_ERROR_INIT;

    add(&format.sections[1], 300, 0, 0);
    CHECK_STATUS(STOA_EHDF5, stoa_sparse_chunk_pack(&format, &chunk, NULL, &coder, &out, &err));
    CHECK_CONTAINS(err.message, "300");
    CHECK_OK(stoa_libhdf5_filter_open(&coder.foreign, NULL));
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EHDF5, stoa_sparse_chunk_pack(&format, &chunk, NULL, &coder, &out, &err));
    CHECK_U64(out.size, 0);
    stoa_libhdf5_filter_close(coder.foreign);
    stoa_sparse_coder_clear(&coder);
}

/* Worked by hand, docs/sparse-format.md §5; the checksum is that of Python's zlib.crc32(). */
static void a_chunk_is_as_documented(void)
{
    const stoa_sparse_format format = {.is_sparse = true, .n_elements = 20, .element_size = 2};
    uint32_t positions[] = {12, 13, 14, 17, 18, 19};
    uint8_t values[] = {66, 0, 69, 0, 72, 0, 96, 0, 99, 0, 102, 0};
    const stoa_sparse_chunk chunk = {.n = 6, .positions = positions, .values = values};
    static const uint8_t expected[] = {
        'S',  'C',  'H',  1,    4,    20,   6,    4,    4,  0, 12,  12, 0, /* header */
        0xd8, 0xcb, 0x87, 0x73, 0x2a, 0x61, 0xa6, 0x37,                    /* checksums */
        5,    0x00, 0x70, 0x0e,                                            /* bitmap */
        66,   0,    69,   0,    72,   0,    96,   0,    99, 0, 102, 0,
    };
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_buffer out = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_chunk_pack(&format, &chunk, NULL, &coder, &out, &err), &err);
    CHECK_U64(out.size, sizeof expected);
    CHECK_MEM(out.data, expected, sizeof expected);
    stoa_buffer_clear(&out);
    stoa_sparse_coder_clear(&coder);
}

/* The same as Stoa wrote it before the last section had a checksum: bit 2 of the flags tells. */
static void a_chunk_without_a_checksum_of_its_values_is_read(void)
{
    const stoa_sparse_format format = {.is_sparse = true, .n_elements = 20, .element_size = 2};
    static const uint8_t values[] = {66, 0, 69, 0, 72, 0, 96, 0, 99, 0, 102, 0};
    uint8_t old[] = {
        'S',  'C',  'H',  1,    0,  20, 6,  4, 4,  0, 12,  12, 0, /* header */
        0x4e, 0xa1, 0x3e, 0xb3,                                   /* checksum */
        5,    0x00, 0x70, 0x0e,                                   /* bitmap */
        66,   0,    69,   0,    72, 0,  96, 0, 99, 0, 102, 0,
    };
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_sparse_chunk found = {.n = 0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_chunk_unpack(&format, old, sizeof old, 3, &coder, &found, &err), &err);
    CHECK_U64(found.n, 6);
    CHECK_MEM(found.values, values, sizeof values);
    old[4] = 4; /* it has none, whatever it says */
    CHECK_STATUS(STOA_EDATA,
                 stoa_sparse_chunk_unpack(&format, old, sizeof old, 3, &coder, &found, &err), &err);
    stoa_sparse_chunk_clear(&found);
    stoa_sparse_coder_clear(&coder);
}

/* --- damage ---------------------------------------------------------------------------------- */

static stoa_status unpack_copy(const stoa_sparse_format *format, const uint8_t *bytes, size_t n,
                               stoa_sparse_coder *coder, stoa_sparse_chunk *found)
{
    uint8_t *copy = malloc(n + (n == 0)); /* a sanitizer sees every step beyond it */
    stoa_error err = STOA_ERROR_INIT;

    if (n > 0) {
        memcpy(copy, bytes, n);
    }
    const stoa_status status = stoa_sparse_chunk_unpack(format, copy, n, 3, coder, found, &err);
    free(copy);
    return status;
}

static void damage_of(const stoa_sparse_format *format, stoa_sparse_coder *coder)
{
    static const uint8_t fill[100] = {1, 2, 3};
    stoa_sparse_chunk chunk = {.n = 0};
    stoa_sparse_chunk found = {.n = 0};
    stoa_buffer out = {0};
    stoa_error err = STOA_ERROR_INIT;

    make_chunk(format, &chunk);
    CHECK_OK(stoa_sparse_chunk_pack(format, &chunk, fill, coder, &out, &err), &err);
    for (size_t cut = 0; cut < out.size; cut += 1 + cut / 64) {
        CHECK_STATUS(STOA_EDATA, unpack_copy(format, out.data, cut, coder, &found));
    }
    for (unsigned i = 0; i < 200; i++) {
        const size_t at = check_random_below(2) == 0 && out.size > 60
                              ? check_random_below(60)
                              : check_random_below(out.size);
        const uint8_t was = out.data[at];
        out.data[at] ^= (uint8_t)(1 + check_random_below(255));
        const stoa_status status = unpack_copy(format, out.data, out.size, coder, &found);
        CHECK_STATUS(status, STOA_EDATA);
        out.data[at] = was;
    }
    stoa_buffer_clear(&out);
    stoa_sparse_chunk_clear(&chunk);
    stoa_sparse_chunk_clear(&found);
}

static void damage_is_an_error(void)
{
    stoa_sparse_coder coder = {.foreign = NULL};

    for (uint64_t i = 0; i < check_n_cases(100); i++) {
        stoa_sparse_format format = any_format(false);
        format.n_elements = 1 + format.n_elements % 700;
        damage_of(&format, &coder);
    }
    stoa_sparse_coder_clear(&coder);
}

/* Lengths that lie, under a checksum that does not. */
static void what_does_not_fit_is_an_error(void)
{
    const stoa_sparse_format format = {.is_sparse = true, .n_elements = 20, .element_size = 2};
    stoa_sparse_format other = format;
    uint8_t section_0[] = {1};
    uint8_t section_1[40] = {0};
    stoa_split_chunk chunk = {.n = 20, .sections = {{section_0, 1, 1, 0}, {section_1, 40, 40, 0}}};
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_sparse_chunk found = {.n = 0};
    stoa_buffer out = {0};

    CHECK_OK(stoa_sparse_chunk_join(&format, &chunk, &out, NULL));
    CHECK_OK(unpack_copy(&format, out.data, out.size, &coder, &found));
    other.n_elements = 21;
    CHECK_STATUS(STOA_EDATA, unpack_copy(&other, out.data, out.size, &coder, &found));
    other = format;
    other.element_size = 4;
    CHECK_STATUS(STOA_EDATA, unpack_copy(&other, out.data, out.size, &coder, &found));

    const struct {
        size_t n, n_original;
    } lies[] = {{19, 38}, {20, 38}, {20, 42}, {19, 40}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        out.size = 0;
        chunk.n = lies[i].n;
        chunk.sections[1].n_original = lies[i].n_original;
        CHECK_OK(stoa_sparse_chunk_join(&format, &chunk, &out, NULL));
        CHECK_STATUS(STOA_EDATA, unpack_copy(&format, out.data, out.size, &coder, &found));
    }
    stoa_buffer_clear(&out);
    stoa_sparse_chunk_clear(&found);
    stoa_sparse_coder_clear(&coder);
}

/* What a header may say, each thing wrong by itself under true checksums: which bound notices. */
typedef struct header {
    uint8_t flags;
    uint64_t n_elements;
    uint64_t n;
    uint64_t sections[2][3];
    size_t n_values; /* bytes that are there of section 1 */
} header;

/* A chunk of 20 elements of 2 bytes, all defined. */
static const header sound = {4, 20, 20, {{1, 1, 0}, {40, 40, 0}}, 40};

static size_t put_chunk(const header *h, uint8_t *out)
{
    size_t n = 5;

    memcpy(out, "SCH\1", 4);
    out[4] = h->flags;
    n += stoa_varint_put(out + n, h->n_elements);
    n += stoa_varint_put(out + n, h->n);
    for (int i = 0; i < 6; i++) {
        n += stoa_varint_put(out + n, h->sections[i / 3][i % 3]);
    }
    uint8_t *const sums = out + n;
    memset(out + n, 0, 8 + 1 + h->n_values);
    out[n + 8] = 1; /* all are defined */
    stoa_put_le32(sums, libdeflate_crc32(libdeflate_crc32(0, out, n), out + n + 8, 1));
    stoa_put_le32(sums + 4, libdeflate_crc32(0, out + n + 9, h->n_values));
    return n + 8 + 1 + h->n_values;
}

static void says(const stoa_sparse_format *format, const header *h, const char *what)
{
    uint8_t bytes[200];
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_sparse_chunk found = {.n = 0};
    stoa_error err = STOA_ERROR_INIT;
    const size_t n = put_chunk(h, bytes);
    const stoa_status status = stoa_sparse_chunk_unpack(format, bytes, n, 3, &coder, &found, &err);

    CHECK_STATUS(status, what != NULL ? STOA_EDATA : STOA_OK, &err);
    if (what != NULL) {
        CHECK_CONTAINS(err.message, what);
        CHECK_U64(found.n, 0);
    }
    stoa_sparse_chunk_clear(&found);
    stoa_sparse_coder_clear(&coder);
}

static void each_bound_of_a_header_holds(void)
{
    const char *const wrong = "header does not fit";
    const stoa_sparse_format format = {.is_sparse = true, .n_elements = 20, .element_size = 2};
    stoa_sparse_format other = format;
    header h = sound;

    says(&format, &h, NULL);
    h.flags = 4 | 1; /* a fill value, which the parameters have */
    says(&format, &h, wrong);
    h.flags = 4 | 2; /* section 2 elsewhere, and there is none */
    says(&format, &h, wrong);
    h.flags = 4 | 8;
    says(&format, &h, wrong);
    h = sound;
    h.n_elements = 21;
    says(&format, &h, wrong);
    h.n_elements = 20 + (UINT64_C(1) << 32);
    says(&format, &h, wrong);
    h = sound;
    h.n = 21;
    h.sections[1][1] = 42;
    says(&format, &h, wrong);
    h = sound;
    h.n = 19; /* dense data are all there */
    h.sections[1][1] = 38;
    other.is_sparse = false;
    says(&other, &h, wrong);
    h = sound;
    h.sections[1][1] = 42;
    says(&format, &h, wrong);
    h = sound;
    h.n = 0; /* nothing is defined, and positions there are */
    h.sections[1][1] = 0;
    says(&format, &h, wrong);
    h = sound;
    h.sections[0][1] = 0; /* and the other way round */
    says(&format, &h, wrong);
    h.sections[0][1] = 1000; /* more than positions ever take up */
    says(&format, &h, wrong);
    for (int i = 0; i < 6; i++) { /* sizes and masks have 32 bits */
        h = sound;
        h.sections[i / 3][i % 3] += UINT64_C(1) << 32;
        says(&format, &h, wrong);
    }
    for (int i = 0; i < 2; i++) { /* less, and more, than there is */
        h = sound;
        h.sections[i][0]--;
        says(&format, &h, "do not add up");
        h.sections[i][0] += 2;
        says(&format, &h, "do not add up");
    }
    h = sound;
    h.sections[1][0] = 38; /* without filters bytes are as many as before them */
    h.n_values = 38;
    says(&format, &h, "38 bytes where 40 belong");
}

/* The same of what only some chunks have: a fill value, and a section 2. */
static void each_bound_of_the_rest_of_a_header_holds(void)
{
    static const uint8_t fill[100] = {1};
    stoa_sparse_format format = {
        .is_sparse = true, .n_elements = 20, .element_size = 100, .fill_is_elsewhere = true};
    stoa_split_chunk chunk = {.fill = fill};
    stoa_buffer out = {0};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_chunk_join(&format, &chunk, &out, &err), &err);
    CHECK_OK(stoa_sparse_chunk_split(&format, out.data, out.size, &chunk, &err), &err);
    CHECK_STATUS(STOA_EDATA, stoa_sparse_chunk_split(&format, out.data, 60, &chunk, &err), &err);
    CHECK_CONTAINS(err.message, "header does not fit"); /* its fill value is cut through */
    format = (stoa_sparse_format){.is_sparse = true,
                                  .has_heap = true,
                                  .n_elements = 20,
                                  .element_size = 16,
                                  .n_slots = 1,
                                  .slot_size = 16};
    chunk = (stoa_split_chunk){.n = 0};
    for (int i = 0; i < 2; i++) {
        out.size = 0;
        CHECK_OK(stoa_sparse_chunk_join(&format, &chunk, &out, &err), &err);
        const stoa_status status =
            stoa_sparse_chunk_split(&format, out.data, out.size, &chunk, &err);
        CHECK_STATUS(status, i == 0 ? STOA_OK : STOA_EDATA);
        chunk.sections[STOA_SECTION_HEAP].n_original = (size_t)UINT32_MAX + 1;
    }
    CHECK_CONTAINS(err.message, "header does not fit");
    stoa_buffer_clear(&out);
}

/* What is believed of a chunk before it is read whole. */
static void a_claim_is_held_against_the_bytes(void)
{
    stoa_sparse_format format = {.is_sparse = true, .n_elements = 20, .element_size = 2};
    uint8_t bytes[200];
    header h = sound;
    size_t n_bytes = put_chunk(&h, bytes);
    uint64_t n = 0;

    CHECK(stoa_sparse_chunk_claim(&format, bytes, n_bytes, n_bytes, &n));
    CHECK_U64(n, 20);
    CHECK(!stoa_sparse_chunk_claim(&format, bytes, n_bytes, 41, &n)); /* the sections alone */
    CHECK(!stoa_sparse_chunk_claim(&format, bytes, 10, n_bytes, &n));
    CHECK(!stoa_sparse_chunk_claim(&format, bytes, 4, n_bytes, &n));
    format.element_size = 3; /* than which 20 values have fewer bytes */
    CHECK(!stoa_sparse_chunk_claim(&format, bytes, n_bytes, n_bytes, &n));
    format.element_size = 2;
    h.sections[1][0] = 39; /* no filters */
    n_bytes = put_chunk(&h, bytes);
    CHECK(!stoa_sparse_chunk_claim(&format, bytes, n_bytes, n_bytes, &n));
    add(&format.sections[1], STOA_FILTER_DEFLATE, 1, 1);
    CHECK(stoa_sparse_chunk_claim(&format, bytes, n_bytes, n_bytes, &n));
    format.n_elements = 10000; /* packed better than filters do */
    h.n_elements = 10000;
    h.n = 10000;
    h.sections[1][1] = 20000;
    h.sections[1][0] = 18;
    n_bytes = put_chunk(&h, bytes);
    CHECK(!stoa_sparse_chunk_claim(&format, bytes, n_bytes, n_bytes, &n));
}

/* A chunk that ends where it should not, with nothing behind it. */
typedef struct cut_call {
    const stoa_sparse_format *format;
    walled bytes;
    stoa_status status;
} cut_call;

static void read_cut(void *context)
{
    cut_call *call = context;
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_sparse_chunk found = {.n = 0};
    uint64_t n = 0;

    (void)stoa_sparse_chunk_claim(call->format, call->bytes.bytes, call->bytes.n, call->bytes.n,
                                  &n);
    call->status = stoa_sparse_chunk_unpack(call->format, call->bytes.bytes, call->bytes.n, 3,
                                            &coder, &found, NULL);
    (void)stoa_sparse_chunk_is_marked_long(call->bytes.bytes, call->bytes.n);
    stoa_sparse_chunk_clear(&found);
    stoa_sparse_coder_clear(&coder);
}

static void nothing_behind_a_chunk_is_touched(void)
{
    static const uint8_t fill[100] = {1, 2, 3};
    stoa_sparse_coder coder = {.foreign = NULL};

    for (uint64_t i = 0; i < 12; i++) {
        stoa_sparse_format format = any_format(false);
        stoa_sparse_chunk chunk = {.n = 0};
        stoa_buffer out = {0};
        stoa_error err = STOA_ERROR_INIT;
        format.n_elements = 1 + format.n_elements % 60;
        make_chunk(&format, &chunk);
        CHECK_OK(stoa_sparse_chunk_pack(&format, &chunk, fill, &coder, &out, &err), &err);
        for (size_t cut = 0; cut <= out.size; cut += cut < 200 ? 1 : 37) {
            cut_call call = {.format = &format, .bytes = wall(out.data, cut)};
            CHECK(!wall_is_touched(read_cut, &call));
            CHECK_STATUS(call.status, cut == out.size ? STOA_OK : STOA_EDATA);
            wall_end(&call.bytes);
        }
        stoa_buffer_clear(&out);
        stoa_sparse_chunk_clear(&chunk);
    }
    stoa_sparse_coder_clear(&coder);
}

/* --- parameters ------------------------------------------------------------------------------ */

static void parameters_come_back(void)
{
    for (uint64_t i = 0; i < check_n_cases(2000); i++) {
        stoa_sparse_format format = any_format(true);
        stoa_sparse_format found;
        uint32_t words[STOA_SPARSE_MAX_WORDS];
        size_t n_words = 0;
        stoa_error err = STOA_ERROR_INIT;

        format.has_references = check_random_below(2) == 0;
        if (check_random_below(4) == 0) { /* as the user made it, before it meets a dataset */
            const stoa_sparse_format whole = format;
            format = (stoa_sparse_format){.is_sparse = whole.is_sparse, .has_heap = whole.has_heap};
            memcpy(format.sections, whole.sections, sizeof whole.sections);
        }
        CHECK_OK(stoa_sparse_format_pack(&format, words, &n_words, &err), &err);
        CHECK_OK(stoa_sparse_format_unpack(words, n_words, &found, &err), &err);
        CHECK(found.is_sparse == format.is_sparse && found.has_heap == format.has_heap &&
              found.has_references == format.has_references && found.is_bound == format.is_bound &&
              found.is_big_endian == format.is_big_endian && found.number == format.number &&
              found.fill_is_elsewhere == format.fill_is_elsewhere);
        CHECK_U64(found.n_elements, format.n_elements);
        CHECK_U64(found.element_size, format.element_size);
        CHECK_MEM(found.fill, format.fill, sizeof format.fill);
        CHECK_MEM(found.sections, format.sections, sizeof format.sections);
        CHECK_U64(found.n_slots, format.n_slots);
        CHECK_MEM(found.slots, format.slots, sizeof format.slots);
        for (size_t cut = 1; cut < n_words; cut++) {
            CHECK_STATUS(STOA_EDATA, stoa_sparse_format_unpack(words, cut, &found, NULL));
        }
    }
}

static void slots_lie_one_behind_the_other_inside_of_the_element(void)
{
    static const struct {
        uint32_t slots[3];
        bool is_sound;
    } cases[] = {{{4, 20, 40}, true},  {{0, 16, 48}, true},
                 {{4, 19, 40}, false}, /* begins before the first one ends */
                 {{20, 4, 40}, false}, {{4, 20, 20}, false},
                 {{4, 20, 49}, false}}; /* ends behind the element */

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stoa_sparse_format format = {.is_sparse = true,
                                     .has_heap = true,
                                     .is_bound = true,
                                     .n_elements = 10,
                                     .element_size = 64,
                                     .n_slots = 3,
                                     .slot_size = 16};
        stoa_sparse_format found;
        uint32_t words[STOA_SPARSE_MAX_WORDS];
        size_t n_words = 0;

        memcpy(format.slots, cases[i].slots, sizeof cases[i].slots);
        CHECK_OK(stoa_sparse_format_pack(&format, words, &n_words, NULL));
        CHECK_STATUS(cases[i].is_sound ? STOA_OK : STOA_EDATA,
                     stoa_sparse_format_unpack(words, n_words, &found, NULL));
    }
}

/* docs/sparse-format.md §5. */
static void parameters_are_as_documented(void)
{
    const stoa_sparse_format format = {.is_sparse = true,
                                       .is_bound = true,
                                       .n_elements = 20,
                                       .element_size = 2,
                                       .number = STOA_NUMBER_SIGNED};
    static const uint32_t expected[] = {0x20901, 0, 0, 2, 20};
    uint32_t words[STOA_SPARSE_MAX_WORDS];
    size_t n_words = 0;

    CHECK_OK(stoa_sparse_format_pack(&format, words, &n_words, NULL));
    CHECK_U64(n_words, 5);
    CHECK_MEM(words, expected, sizeof expected);
}

/* h5dump of 1.14 has room for twenty. */
static void usual_parameters_are_few(void)
{
    stoa_sparse_format format = {.is_sparse = true,
                                 .is_bound = true,
                                 .n_elements = 1 << 20,
                                 .element_size = 8,
                                 .fill = {1, 2, 3, 4, 5, 6, 7, 8}};
    uint32_t words[STOA_SPARSE_MAX_WORDS];
    size_t n_words = 0;

    for (unsigned i = 0; i < 2; i++) {
        add(&format.sections[i], STOA_FILTER_SHUFFLE, 0, 0);
        add(&format.sections[i], STOA_FILTER_DEFLATE, 1, 9);
    }
    CHECK_OK(stoa_sparse_format_pack(&format, words, &n_words, NULL));
    CHECK(n_words <= 20);
}

static void too_many_parameters_are_an_error(void)
{
    stoa_sparse_format format = {.is_sparse = true};
    uint32_t words[STOA_SPARSE_MAX_WORDS];
    size_t n_words = 0;

    for (unsigned i = 0; i < STOA_MAX_FILTERS; i++) {
        add(&format.sections[1], 300, 20, 1);
    }
    CHECK_STATUS(STOA_ERANGE, stoa_sparse_format_pack(&format, words, &n_words, NULL));
}

static void noise_is_no_format(void)
{
    for (uint64_t i = 0; i < check_n_cases(5000); i++) {
        stoa_sparse_format format = any_format(true);
        stoa_sparse_format found;
        uint32_t words[STOA_SPARSE_MAX_WORDS];
        size_t n_words = 0;

        CHECK_OK(stoa_sparse_format_pack(&format, words, &n_words, NULL));
        words[check_random_below(n_words)] ^= UINT32_C(1) << check_random_below(32);
        if (stoa_sparse_format_unpack(words, n_words, &found, NULL) == STOA_OK) {
            CHECK(!found.is_bound || (found.element_size > 0 && found.n_elements > 0 &&
                                      found.element_size * found.n_elements <= UINT32_MAX &&
                                      stoa_sparse_value_size(&found) <= found.element_size));
        }
    }
}

/* --- memory ---------------------------------------------------------------------------------- */

static stoa_status both_ways(stoa_error *err)
{
    static uint32_t positions[] = {3, 4, 5, 90};
    static uint8_t values[16] = {1, 2, 3};
    stoa_sparse_format format = {.is_sparse = true, .n_elements = 100, .element_size = 4};
    const stoa_sparse_chunk chunk = {.n = 4, .positions = positions, .values = values};
    stoa_sparse_chunk found = {.n = 0};
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_buffer out = {0};

    add(&format.sections[0], STOA_FILTER_DEFLATE, 1, 1);
    add(&format.sections[0], STOA_FILTER_FLETCHER32, 0, 0);
    add(&format.sections[1], STOA_FILTER_SHUFFLE, 0, 0);
    add(&format.sections[1], STOA_FILTER_FLETCHER32, 0, 0);
    stoa_status status = stoa_sparse_chunk_pack(&format, &chunk, NULL, &coder, &out, err);
    if (status == STOA_OK) {
        status = stoa_sparse_chunk_unpack(&format, out.data, out.size, 2, &coder, &found, err);
    }
    stoa_buffer_clear(&out);
    stoa_sparse_chunk_clear(&found);
    stoa_sparse_coder_clear(&coder);
    return status;
}

/* Through a filter that libhdf5 runs. */
static void memory_may_run_out_where_libhdf5_unpacks(void)
{
    static uint32_t positions[] = {3, 4, 5, 90};
    static uint8_t values[16] = {1, 2, 3};
    stoa_sparse_format format = {.is_sparse = true, .n_elements = 100, .element_size = 4};
    const stoa_sparse_chunk chunk = {.n = 4, .positions = positions, .values = values};
    stoa_sparse_chunk found = {.n = 0};
    stoa_sparse_coder coder = {.foreign = NULL};
    stoa_buffer out = {0};
    stoa_status status = STOA_ENOMEM;

    CHECK_OK(stoa_libhdf5_filter_open(&coder.foreign, NULL));
    add(&format.sections[0], H5Z_FILTER_NBIT, 0, 0);
    format.sections[0].optional = 1;
    add(&format.sections[0], STOA_FILTER_DEFLATE, 1, 4);
    CHECK_OK(stoa_sparse_chunk_pack(&format, &chunk, NULL, &coder, &out, NULL));
    for (uint64_t n = 0; status != STOA_OK; n++) {
        stoa_error err = STOA_ERROR_INIT;
        CHECK(n < 1000);
        stoa_memory_fail_after(n);
        status = stoa_sparse_chunk_unpack(&format, out.data, out.size, 2, &coder, &found, &err);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(status == STOA_OK || (status == STOA_ENOMEM && err.status == STOA_ENOMEM));
    }
    CHECK_U64(found.n, 4);
    CHECK_MEM(found.positions, positions, sizeof positions);
    stoa_buffer_clear(&out);
    stoa_sparse_chunk_clear(&found);
    stoa_libhdf5_filter_close(coder.foreign);
    coder.foreign = NULL;
    stoa_sparse_coder_clear(&coder);
}

static void memory_may_run_out(void)
{
    CHECK(sweep_memory(both_ways) > 5);
}

TEST_MAIN(TEST(every_chunk_comes_back), TEST(filters_that_nobody_has_are_an_error),
          TEST(a_chunk_is_as_documented), TEST(a_chunk_without_a_checksum_of_its_values_is_read),
          TEST(damage_is_an_error), TEST(what_does_not_fit_is_an_error),
          TEST(each_bound_of_a_header_holds), TEST(each_bound_of_the_rest_of_a_header_holds),
          TEST(a_claim_is_held_against_the_bytes), TEST(nothing_behind_a_chunk_is_touched),
          TEST(parameters_come_back), TEST(slots_lie_one_behind_the_other_inside_of_the_element),
          TEST(parameters_are_as_documented), TEST(usual_parameters_are_few),
          TEST(too_many_parameters_are_an_error), TEST(noise_is_no_format),
          TEST(memory_may_run_out), TEST(memory_may_run_out_where_libhdf5_unpacks))
