#include "sparse/format/chunk.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "codec/bytes.h"
#include "sparse/format/libhdf5_filter.h"
#include "sparse/format/positions.h"
#include "sparse/format/varint.h"

enum { HAS_FILL = 1, IS_LONG = 2, HAS_ALL_SUMS = 4, CHECKSUM = 4, ALIGNMENT = 64 };
enum {
    MAX_PACKED = 1024
}; /* maximal compression ratio of a plausible chunk, unless all values are equal */
static const uint8_t magic[4] = {'S', 'C', 'H', 1}; /* the last byte is the version */

/* Varints of a header: chunk size, number of defined elements, and three per section. */
#define HEADER_BYTES (sizeof magic + 1 + (size_t)(2 + 3 * STOA_MAX_SECTIONS) * STOA_VARINT_BYTES)

static const char *const section_names[] = {"positions", "values", "variable-length data"};

/* --- memory ---------------------------------------------------------------------------------- */

void stoa_sparse_coder_clear(stoa_sparse_coder *coder)
{
    stoa_scratch_clear(&coder->scratch);
    stoa_buffer_clear(&coder->packed);
}

stoa_status stoa_sparse_coder_open(const stoa_sparse_format *format, stoa_sparse_coder *coder,
                                   stoa_error *err)
{
    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        if (!stoa_sparse_section_is_ours(format, (stoa_section)i)) {
            return stoa_libhdf5_filter_open(&coder->foreign, err);
        }
    }
    return STOA_OK;
}

void stoa_sparse_coder_close(stoa_sparse_coder *coder)
{
    stoa_libhdf5_filter_close(coder->foreign);
    stoa_sparse_coder_clear(coder);
}

stoa_status stoa_room_for(stoa_room *room, size_t size, stoa_error *err)
{
    if (room->data == NULL || room->size < size) {
        free(room->data);
        *room = (stoa_room){.data = stoa_alloc_aligned(ALIGNMENT, size), .size = size};
        if (room->data == NULL) {
            room->size = 0;
            return stoa_fail_memory(err);
        }
    }
    return STOA_OK;
}

stoa_status stoa_sparse_chunk_room(stoa_sparse_chunk *chunk, size_t n, size_t value_size,
                                   stoa_error *err)
{
    STOA_RETURN_NOT_OK(
        stoa_room_for(&chunk->rooms[STOA_SECTION_POSITIONS], n * sizeof(uint32_t), err));
    STOA_RETURN_NOT_OK(stoa_room_for(&chunk->rooms[STOA_SECTION_VALUES], n * value_size, err));
    chunk->positions = (uint32_t *)(void *)chunk->rooms[STOA_SECTION_POSITIONS].data;
    chunk->values = chunk->rooms[STOA_SECTION_VALUES].data;
    return STOA_OK;
}

void stoa_sparse_chunk_clear(stoa_sparse_chunk *chunk)
{
    for (unsigned i = 0; i < STOA_MAX_SECTIONS; i++) {
        free(chunk->rooms[i].data);
    }
    *chunk = (stoa_sparse_chunk){.n = 0};
}

/* --- one section ----------------------------------------------------------------------------- */

static size_t section_element_size(const stoa_sparse_format *format, stoa_section which)
{
    return which == STOA_SECTION_VALUES ? stoa_sparse_value_size(format) : 1;
}

/* Build the pipeline of a section if src/codec has every filter. Its results equal those of
 * libhdf5's own filters. */
static bool pipeline_of(const stoa_sparse_format *format, stoa_section which, size_t n_bytes,
                        stoa_pipeline *pipeline)
{
    const stoa_section_filters *filters = &format->sections[which];

    *pipeline = (stoa_pipeline){.n_filters = filters->n,
                                .chunk_bytes = n_bytes,
                                .element_size = section_element_size(format, which),
                                .simd = stoa_simd_of_cpu()};
    for (size_t i = 0; i < filters->n; i++) {
        stoa_filter *filter = &pipeline->filters[i];
        *filter = filters->filters[i];
        switch (filter->id) {
        case STOA_FILTER_SHUFFLE: /* element size, as libhdf5 sets it for a dataset */
            filter->n_values = 1;
            filter->values[0] = (uint32_t)pipeline->element_size;
            break;
        case STOA_FILTER_DEFLATE:
        case STOA_FILTER_FLETCHER32:
        case STOA_FILTER_LZ4:
        case STOA_FILTER_ZSTD:
            break;
        default:
            return false;
        }
    }
    return stoa_pipeline_is_known(pipeline);
}

bool stoa_sparse_section_is_ours(const stoa_sparse_format *format, stoa_section which)
{
    stoa_pipeline pipeline;

    return pipeline_of(format, which, section_element_size(format, which), &pipeline);
}

static stoa_elements elements_of(const stoa_sparse_format *format, stoa_section which)
{
    const bool are_values = which == STOA_SECTION_VALUES && format->n_slots == 0;

    return (stoa_elements){.size = section_element_size(format, which),
                           .number = are_values ? format->number : STOA_NUMBER_UNSIGNED,
                           .is_big_endian = are_values && format->is_big_endian};
}

static stoa_status no_foreign(const stoa_sparse_format *format, stoa_section which, stoa_error *err)
{
    return stoa_fail(err, STOA_EHDF5,
                     "the filters of section %d (%s), the first being %u, are not all known",
                     (int)which, section_names[which], format->sections[which].filters[0].id);
}

stoa_status stoa_sparse_section_undo(const stoa_sparse_format *format, stoa_section which,
                                     const stoa_stored_section *section, stoa_sparse_coder *coder,
                                     uint8_t *out, const uint8_t **found, stoa_error *err)
{
    stoa_pipeline pipeline;
    stoa_status status = STOA_OK;

    *found = section->bytes;
    if (section->n_original == 0 || format->sections[which].n == 0) {
        return section->n_bytes == section->n_original
                   ? STOA_OK
                   : stoa_fail(err, STOA_EDATA,
                               "section %d (%s) of a structured chunk is damaged: it has %zu bytes "
                               "where %zu belong",
                               (int)which, section_names[which], section->n_bytes,
                               section->n_original);
    }
    if (pipeline_of(format, which, section->n_original, &pipeline)) {
        status = stoa_pipeline_undo(&pipeline, section->mask, section->bytes, section->n_bytes,
                                    &coder->scratch, out, found, err);
    } else if (coder->foreign != NULL) {
        const stoa_elements elements = elements_of(format, which);
        *found = out;
        status = stoa_libhdf5_filter_undo(coder->foreign, &format->sections[which], &elements,
                                          section->mask, section->bytes, section->n_bytes, out,
                                          section->n_original, err);
    } else {
        status = no_foreign(format, which, err);
    }
    return stoa_at(err, status, "section %d (%s)", (int)which, section_names[which]);
}

stoa_status stoa_sparse_section_apply(const stoa_sparse_format *format, stoa_section which,
                                      const uint8_t *bytes, size_t n_bytes,
                                      stoa_sparse_coder *coder, stoa_stored_section *section,
                                      stoa_error *err)
{
    stoa_pipeline pipeline;
    stoa_status status = STOA_OK;

    *section = (stoa_stored_section){.bytes = bytes, .n_bytes = n_bytes, .n_original = n_bytes};
    if (n_bytes == 0 || format->sections[which].n == 0) {
        return STOA_OK;
    }
    if (pipeline_of(format, which, n_bytes, &pipeline)) {
        status = stoa_pipeline_apply(&pipeline, bytes, &coder->scratch, &section->bytes,
                                     &section->n_bytes, &section->mask, err);
    } else if (coder->foreign != NULL) {
        const stoa_elements elements = elements_of(format, which);
        status = stoa_libhdf5_filter_apply(coder->foreign, &format->sections[which], &elements,
                                           bytes, n_bytes, &section->bytes, &section->n_bytes,
                                           &section->mask, err);
    } else {
        status = no_foreign(format, which, err);
    }
    return stoa_at(err, status, "section %d (%s)", (int)which, section_names[which]);
}

/* --- splitting and joining ------------------------------------------------------------------- */

static stoa_status damaged(const char *what, stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA, "a structured chunk is damaged: %s", what);
}

/* Parse a header after the magic bytes. */
static bool get_header(const stoa_sparse_format *format, const uint8_t **at, const uint8_t *end,
                       stoa_split_chunk *chunk)
{
    uint64_t n_elements = 0;
    uint64_t n = 0;

    if (*at == end) {
        return false;
    }
    const uint8_t flags = *(*at)++;
    const int known = HAS_FILL | HAS_ALL_SUMS | (format->has_heap ? IS_LONG : 0);
    if ((flags & ~known) != 0 || !stoa_varint_get(at, end, &n_elements) ||
        !stoa_varint_get(at, end, &n) || n_elements != format->n_elements || n > n_elements) {
        return false;
    }
    chunk->n = (size_t)n;
    chunk->is_long = (flags & IS_LONG) != 0;
    chunk->n_sums = stoa_sparse_n_sections(format) - ((flags & HAS_ALL_SUMS) != 0 ? 0 : 1);
    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        uint64_t sizes[2];
        uint64_t mask = 0;
        if (!stoa_varint_get(at, end, &sizes[0]) || !stoa_varint_get(at, end, &sizes[1]) ||
            !stoa_varint_get(at, end, &mask) || sizes[0] > UINT32_MAX || sizes[1] > UINT32_MAX ||
            mask > UINT32_MAX) {
            return false;
        }
        chunk->sections[i].n_bytes = (size_t)sizes[0];
        chunk->sections[i].n_original = (size_t)sizes[1];
        chunk->sections[i].mask = (uint32_t)mask;
    }
    if ((flags & HAS_FILL) != 0) {
        if (!format->fill_is_elsewhere || (size_t)(end - *at) < format->element_size) {
            return false;
        }
        chunk->fill = *at;
        *at += format->element_size;
    }
    return true;
}

/* Whether positions and values have a plausible size for the number of elements. */
static bool sizes_make_sense(const stoa_sparse_format *format, const stoa_split_chunk *chunk)
{
    return chunk->sections[0].n_original <= stoa_positions_bound(format->n_elements) &&
           (chunk->n == 0) == (chunk->sections[0].n_original == 0) &&
           (format->is_sparse || chunk->n == format->n_elements) &&
           chunk->sections[1].n_original == chunk->n * stoa_sparse_value_size(format);
}

static uint32_t checksum_of(const uint8_t *header, size_t n_header,
                            const stoa_stored_section *positions)
{
    const uint32_t first = libdeflate_crc32(0, header, n_header);

    return positions->n_bytes == 0 ? first
                                   : libdeflate_crc32(first, positions->bytes, positions->n_bytes);
}

/* Locate the sections as the header says. Checks nothing except their sizes. */
static stoa_status place_sections(const stoa_sparse_format *format, const uint8_t *at,
                                  const uint8_t *end, stoa_split_chunk *chunk, stoa_error *err)
{
    const unsigned n_sections = stoa_sparse_n_sections(format);
    const uint64_t rest = (uint64_t)(end - at);
    uint64_t wanted = (uint64_t)CHECKSUM * chunk->n_sums;

    for (unsigned i = 0; i < n_sections; i++) {
        wanted += chunk->sections[i].n_bytes;
    }
    if (wanted != rest) {
        return damaged("its sections do not add up to its size", err);
    }
    at += (size_t)CHECKSUM * chunk->n_sums;
    for (unsigned i = 0; i < n_sections; i++) {
        chunk->sections[i].bytes = at;
        at += chunk->sections[i].n_bytes;
    }
    return STOA_OK;
}

static const char *const wrong_sums[] = {"the checksum of its positions is another",
                                         "the checksum of its values is another",
                                         "the checksum of its variable-length data is another"};

/* Split a chunk and verify the checksums of the first n sections. */
static stoa_status split(const stoa_sparse_format *format, const uint8_t *bytes, size_t n_bytes,
                         unsigned n, stoa_split_chunk *chunk, stoa_error *err)
{
    const uint8_t *at = bytes + sizeof magic;

    *chunk = (stoa_split_chunk){.n = 0};
    if (n_bytes < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
        return damaged("it does not begin as one of version 1", err);
    }
    if (!get_header(format, &at, bytes + n_bytes, chunk) || !sizes_make_sense(format, chunk)) {
        return damaged("its header does not fit the dataset", err);
    }
    const uint8_t *sums = at;
    STOA_RETURN_NOT_OK(place_sections(format, at, bytes + n_bytes, chunk, err));
    for (unsigned i = 0; i < n && i < chunk->n_sums; i++) {
        const stoa_stored_section *section = &chunk->sections[i];
        const uint32_t sum = i == 0 ? checksum_of(bytes, (size_t)(sums - bytes), section)
                                    : libdeflate_crc32(0, section->bytes, section->n_bytes);
        if (stoa_get_le32(sums + (size_t)CHECKSUM * i) != sum) {
            return damaged(wrong_sums[i], err);
        }
    }
    return STOA_OK;
}

stoa_status stoa_sparse_chunk_split(const stoa_sparse_format *format, const uint8_t *bytes,
                                    size_t n_bytes, stoa_split_chunk *chunk, stoa_error *err)
{
    return split(format, bytes, n_bytes, STOA_MAX_SECTIONS, chunk, err);
}

bool stoa_sparse_chunk_is_marked_long(const uint8_t *bytes, size_t n_bytes)
{
    return n_bytes > sizeof magic && memcmp(bytes, magic, sizeof magic) == 0 &&
           (bytes[sizeof magic] & IS_LONG) != 0;
}

bool stoa_sparse_chunk_claim(const stoa_sparse_format *format, const uint8_t *head, size_t n_head,
                             uint64_t n_bytes, uint64_t *n)
{
    const uint8_t *at = head + sizeof magic;
    stoa_split_chunk chunk = {.n = 0};
    uint64_t rest = 0;

    if (n_head <= sizeof magic || memcmp(head, magic, sizeof magic) != 0 ||
        !get_header(format, &at, head + n_head, &chunk) || !sizes_make_sense(format, &chunk)) {
        return false;
    }
    const stoa_stored_section *values = &chunk.sections[STOA_SECTION_VALUES];
    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        rest += chunk.sections[i].n_bytes;
    }
    *n = chunk.n;
    return rest < n_bytes && values->n_original / MAX_PACKED <= values->n_bytes &&
           (format->sections[STOA_SECTION_VALUES].n > 0 || values->n_bytes == values->n_original);
}

static uint8_t *put_header(const stoa_sparse_format *format, const stoa_split_chunk *chunk,
                           uint8_t *to)
{
    memcpy(to, magic, sizeof magic);
    to += sizeof magic;
    *to++ = (uint8_t)(HAS_ALL_SUMS | (chunk->fill != NULL ? HAS_FILL : 0) |
                      (chunk->is_long ? IS_LONG : 0));
    to += stoa_varint_put(to, format->n_elements);
    to += stoa_varint_put(to, chunk->n);
    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        to += stoa_varint_put(to, chunk->sections[i].n_bytes);
        to += stoa_varint_put(to, chunk->sections[i].n_original);
        to += stoa_varint_put(to, chunk->sections[i].mask);
    }
    return to;
}

stoa_status stoa_sparse_chunk_join(const stoa_sparse_format *format, const stoa_split_chunk *chunk,
                                   stoa_buffer *out, stoa_error *err)
{
    const unsigned n_sections = stoa_sparse_n_sections(format);
    const size_t fill_size = chunk->fill != NULL ? format->element_size : 0;
    const size_t begin = out->size;
    uint64_t n_bytes = HEADER_BYTES + fill_size + (uint64_t)CHECKSUM * n_sections;
    uint8_t header[HEADER_BYTES];
    uint8_t sums[STOA_MAX_SECTIONS * CHECKSUM];
    stoa_status status = STOA_OK;

    for (unsigned i = 0; i < n_sections; i++) {
        n_bytes += chunk->sections[i].n_bytes;
    }
    if (n_bytes > UINT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE,
                  "a structured chunk would have %llu bytes; HDF5 stores chunks "
                  "of less than 4 GiB",
                  (unsigned long long)n_bytes);
    }
    STOA_TRY(stoa_buffer_reserve(out, (size_t)n_bytes, err));
    const uint8_t *end = put_header(format, chunk, header);
    STOA_TRY(stoa_buffer_append(out, header, (size_t)(end - header), err));
    if (fill_size > 0) {
        STOA_TRY(stoa_buffer_append(out, chunk->fill, fill_size, err));
    }
    stoa_put_le32(sums, checksum_of(out->data + begin, out->size - begin, &chunk->sections[0]));
    for (unsigned i = 1; i < n_sections; i++) {
        const stoa_stored_section *section = &chunk->sections[i];
        stoa_put_le32(sums + (size_t)CHECKSUM * i,
                      libdeflate_crc32(0, section->bytes, section->n_bytes));
    }
    STOA_TRY(stoa_buffer_append(out, sums, (size_t)CHECKSUM * n_sections, err));
    for (unsigned i = 0; i < n_sections; i++) {
        STOA_TRY(
            stoa_buffer_append(out, chunk->sections[i].bytes, chunk->sections[i].n_bytes, err));
    }

done:
    if (status != STOA_OK) {
        out->size = begin;
    }
    return status;
}

/* --- whole chunks ---------------------------------------------------------------------------- */

stoa_status stoa_sparse_chunk_pack(const stoa_sparse_format *format, const stoa_sparse_chunk *chunk,
                                   const uint8_t *fill, stoa_sparse_coder *coder, stoa_buffer *out,
                                   stoa_error *err)
{
    stoa_split_chunk stored = {.n = chunk->n, .fill = format->fill_is_elsewhere ? fill : NULL};
    stoa_buffer kept[STOA_MAX_SECTIONS] = {{.data = NULL}};
    stoa_status status = STOA_OK;

    coder->packed.size = 0;
    STOA_TRY(
        stoa_positions_encode(chunk->positions, chunk->n, format->n_elements, &coder->packed, err));
    const uint8_t *bytes[] = {coder->packed.data, chunk->values, chunk->heap};
    const size_t sizes[] = {coder->packed.size, chunk->n * stoa_sparse_value_size(format),
                            chunk->n_heap};
    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        stoa_stored_section *section = &stored.sections[i];
        STOA_TRY(stoa_sparse_section_apply(format, (stoa_section)i, bytes[i], sizes[i], coder,
                                           section, err));
        if (section->bytes != bytes[i] && i + 1 < stoa_sparse_n_sections(format)) {
            /* The next section overwrites the scratch. */
            STOA_TRY(stoa_buffer_append(&kept[i], section->bytes, section->n_bytes, err));
            section->bytes = kept[i].data;
        }
    }
    STOA_TRY(stoa_sparse_chunk_join(format, &stored, out, err));

done:
    for (unsigned i = 0; i < STOA_MAX_SECTIONS; i++) {
        stoa_buffer_clear(&kept[i]);
    }
    return status;
}

/* Unpack a section into its buffer. */
static stoa_status unpack_section(const stoa_sparse_format *format, stoa_section which,
                                  const stoa_stored_section *section, stoa_sparse_coder *coder,
                                  stoa_room *room, stoa_error *err)
{
    const uint8_t *found = NULL;

    STOA_RETURN_NOT_OK(stoa_room_for(room, section->n_original, err));
    STOA_RETURN_NOT_OK(
        stoa_sparse_section_undo(format, which, section, coder, room->data, &found, err));
    if (found != room->data && section->n_original > 0) {
        memcpy(room->data, found, section->n_original);
    }
    return STOA_OK;
}

static stoa_status unpack_positions(const stoa_sparse_format *format,
                                    const stoa_split_chunk *stored, stoa_sparse_coder *coder,
                                    stoa_sparse_chunk *chunk, stoa_error *err)
{
    const stoa_stored_section *section = &stored->sections[STOA_SECTION_POSITIONS];
    stoa_room *room = &chunk->rooms[STOA_SECTION_POSITIONS];
    const uint8_t *found = NULL;
    uint8_t *packed = NULL;
    stoa_status status = STOA_OK;

    if (format->sections[STOA_SECTION_POSITIONS].n > 0) {
        packed = stoa_alloc_aligned(ALIGNMENT, section->n_original);
        if (packed == NULL) {
            status = stoa_fail_memory(err);
            goto done;
        }
    }
    STOA_TRY(stoa_sparse_section_undo(format, STOA_SECTION_POSITIONS, section, coder, packed,
                                      &found, err));
    STOA_TRY(stoa_room_for(room, stored->n * sizeof *chunk->positions, err));
    chunk->positions = (uint32_t *)(void *)room->data;
    STOA_TRY(stoa_positions_decode(found, section->n_original, stored->n, format->n_elements,
                                   chunk->positions, err));
    chunk->n = stored->n;

done:
    free(packed);
    return status;
}

stoa_status stoa_sparse_chunk_unpack(const stoa_sparse_format *format, const uint8_t *bytes,
                                     size_t n_bytes, unsigned n_sections, stoa_sparse_coder *coder,
                                     stoa_sparse_chunk *chunk, stoa_error *err)
{
    stoa_split_chunk stored;
    stoa_status status = STOA_OK;

    chunk->n = 0;
    chunk->n_heap = 0;
    /* Values determine the length of variable-length data. */
    STOA_TRY(split(format, bytes, n_bytes, n_sections, &stored, err));
    if (stored.is_long && n_sections > STOA_SECTION_HEAP) {
        STOA_TRY(damaged("its variable-length data lie elsewhere", err));
    }
    STOA_TRY(unpack_positions(format, &stored, coder, chunk, err));
    for (unsigned i = 1; i < n_sections && i < stoa_sparse_n_sections(format); i++) {
        STOA_TRY(unpack_section(format, (stoa_section)i, &stored.sections[i], coder,
                                &chunk->rooms[i], err));
    }
    chunk->values = chunk->rooms[STOA_SECTION_VALUES].data;
    chunk->heap = chunk->rooms[STOA_SECTION_HEAP].data;
    chunk->n_heap = n_sections == 3 ? stored.sections[STOA_SECTION_HEAP].n_original : 0;

done:
    if (status != STOA_OK) {
        chunk->n = 0;
        chunk->n_heap = 0;
    }
    return status;
}

stoa_status stoa_sparse_chunk_view(const stoa_sparse_format *format, uint8_t *bytes, size_t n_bytes,
                                   bool wants_values, stoa_sparse_coder *coder,
                                   stoa_sparse_chunk *chunk, stoa_error *err)
{
    const stoa_section which = STOA_SECTION_VALUES;
    stoa_room *room = &chunk->rooms[STOA_SECTION_VALUES];
    const uint8_t *found = NULL;
    stoa_split_chunk stored;
    stoa_status status = STOA_OK;

    chunk->n = 0;
    chunk->n_heap = 0;
    STOA_TRY(split(format, bytes, n_bytes, wants_values ? 2 : 1, &stored, err));
    STOA_TRY(unpack_positions(format, &stored, coder, chunk, err));
    if (wants_values && format->sections[which].n == 0) { /* only checks the size */
        STOA_TRY(stoa_sparse_section_undo(format, which, &stored.sections[which], coder, NULL,
                                          &found, err));
        chunk->values = bytes + (found - bytes);
    } else if (wants_values) {
        STOA_TRY(unpack_section(format, which, &stored.sections[which], coder, room, err));
        chunk->values = room->data;
    }

done:
    chunk->n = status == STOA_OK ? chunk->n : 0;
    return status;
}
