#include "sparse/format/long_chunk.h"

#include <libdeflate.h>
#include <string.h>

#include "codec/bytes.h"

enum { LENGTH_SIZE = 4, CHECKSUM = 4, MAX_REFERENCE = LENGTH_SIZE + 16 + 4 + CHECKSUM };

uint64_t stoa_long_chunk_from(const stoa_sparse_format *format)
{
    const uint64_t n_dense = format->n_elements * format->element_size;
    unsigned n_bits = 0;

    while (n_dense >> n_bits > 1) {
        n_bits++;
    }
    const unsigned n_bytes = 1 + (n_bits + 8) / 8;
    return n_bytes < sizeof(uint32_t) ? (UINT64_C(1) << 8 * n_bytes) - 1 : UINT32_MAX;
}

/* Size of the reference to section 2: a slot of libhdf5 that refers to a sequence of bytes, and
 * their checksum. */
static size_t reference_size(const stoa_sparse_format *format)
{
    return format->slot_size + CHECKSUM;
}

bool stoa_long_chunk_is(const stoa_sparse_format *format, const uint8_t *bytes, size_t n_bytes)
{
    return format->has_heap && stoa_sparse_chunk_is_marked_long(bytes, n_bytes);
}

stoa_status stoa_long_chunk_shorten(const stoa_sparse_format *format, const stoa_chunk_io *io,
                                    const uint8_t *bytes, size_t n_bytes, stoa_buffer *out,
                                    stoa_error *err)
{
    uint8_t reference[MAX_REFERENCE];
    const size_t size = reference_size(format);
    stoa_split_chunk chunk;

    out->size = 0;
    if (io->put_blob == NULL || size > sizeof reference || size <= LENGTH_SIZE + CHECKSUM) {
        return stoa_fail(err, STOA_ERANGE, "a chunk of %zu bytes is too long for HDF5", n_bytes);
    }
    STOA_RETURN_NOT_OK(stoa_sparse_chunk_split(format, bytes, n_bytes, &chunk, err));
    stoa_stored_section *heap = &chunk.sections[STOA_SECTION_HEAP];
    stoa_put_le32(reference, (uint32_t)heap->n_bytes);
    stoa_put_le32(reference + format->slot_size, libdeflate_crc32(0, heap->bytes, heap->n_bytes));
    STOA_RETURN_NOT_OK(
        io->put_blob(io->context, heap->bytes, heap->n_bytes, reference + LENGTH_SIZE, err));
    heap->bytes = reference;
    heap->n_bytes = size;
    chunk.is_long = true;
    return stoa_sparse_chunk_join(format, &chunk, out, err);
}

/* The reference to section 2 of a chunk; NULL if it has none. */
static const uint8_t *reference_of(const stoa_sparse_format *format, const stoa_split_chunk *chunk)
{
    const stoa_stored_section *heap = &chunk->sections[STOA_SECTION_HEAP];

    return chunk->is_long && heap->n_bytes == reference_size(format) &&
                   heap->n_bytes <= MAX_REFERENCE
               ? heap->bytes
               : NULL;
}

stoa_status stoa_long_chunk_complete(const stoa_sparse_format *format, const stoa_chunk_io *io,
                                     stoa_buffer *bytes, stoa_error *err)
{
    stoa_buffer heap = {NULL, 0, 0};
    stoa_buffer whole = {NULL, 0, 0};
    stoa_split_chunk chunk;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_chunk_split(format, bytes->data, bytes->size, &chunk, err));
    const uint8_t *reference = reference_of(format, &chunk);
    if (reference == NULL || io->get_blob == NULL) {
        STOA_FAIL(err, STOA_EDATA,
                  "a structured chunk is damaged: nothing refers to its section 2");
    }
    heap.size = 0;
    STOA_TRY(stoa_buffer_reserve(&heap, stoa_get_le32(reference), err));
    heap.size = stoa_get_le32(reference);
    STOA_TRY(io->get_blob(io->context, reference + LENGTH_SIZE, heap.data, heap.size, err));
    if (libdeflate_crc32(0, heap.data, heap.size) != stoa_get_le32(reference + format->slot_size)) {
        STOA_FAIL(err, STOA_EDATA,
                  "a structured chunk is damaged: the checksum of its variable-length data is "
                  "another");
    }
    chunk.is_long = false;
    chunk.sections[STOA_SECTION_HEAP].bytes = heap.data;
    chunk.sections[STOA_SECTION_HEAP].n_bytes = heap.size;
    STOA_TRY(stoa_sparse_chunk_join(format, &chunk, &whole, err));
    stoa_buffer_clear(bytes);
    *bytes = whole;
    whole = (stoa_buffer){NULL, 0, 0};

done:
    stoa_buffer_clear(&whole);
    stoa_buffer_clear(&heap);
    return status;
}

void stoa_long_chunk_release(const stoa_sparse_format *format, const stoa_chunk_io *io,
                             const uint8_t *bytes, size_t n_bytes)
{
    stoa_split_chunk chunk;
    const uint8_t *reference = NULL;

    if (io->drop_blob != NULL && stoa_long_chunk_is(format, bytes, n_bytes) &&
        stoa_sparse_chunk_split(format, bytes, n_bytes, &chunk, NULL) == STOA_OK) {
        reference = reference_of(format, &chunk);
    }
    if (reference != NULL) {
        uint8_t id[MAX_REFERENCE];
        memcpy(id, reference + LENGTH_SIZE, format->slot_size - LENGTH_SIZE);
        io->drop_blob(io->context, id);
    }
}
