#include "sparse/rfc/encoded_selection.h"

#include <stdlib.h>

#include "sparse/store/selection.h"

enum {
    DATASPACE = 1, /* message type of an encoded dataspace */
    VERSION = 0,   /* version of its encoding */
    SIZES = 8,     /* bytes of each size */

    HAS_MAXIMUM = 1,
    IS_REGULAR = 1,
    MAX_BLOCKS = 4096 /* H5Sdecode() takes time proportional to its square */
};

/* --- writing --------------------------------------------------------------------------------- */

static stoa_status put(stoa_buffer *out, uint64_t value, size_t n_bytes, stoa_error *err)
{
    uint8_t bytes[8];

    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
    return stoa_buffer_append(out, bytes, n_bytes, err);
}

/* Write the extent of the dataspace, which precedes the selection. */
static stoa_status put_extent(const stoa_shape *shape, stoa_buffer *out, stoa_error *err)
{
    const uint8_t head[] = {DATASPACE, VERSION, SIZES};
    const uint8_t extent[] = {1, (uint8_t)shape->rank, HAS_MAXIMUM, 0, 0, 0, 0, 0};

    STOA_RETURN_NOT_OK(stoa_buffer_append(out, head, sizeof head, err));
    STOA_RETURN_NOT_OK(put(out, sizeof extent + (size_t)shape->rank * 16, 4, err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(out, extent, sizeof extent, err));
    for (unsigned i = 0; i < 2 * shape->rank;
         i++) { /* the current extent, then the maximal extent, which is equal */
        STOA_RETURN_NOT_OK(put(out, shape->extent[i % shape->rank], SIZES, err));
    }
    return STOA_OK;
}

static bool is_wide(const stoa_shape *shape)
{
    for (unsigned i = 0; i < shape->rank; i++) {
        if (shape->extent[i] > UINT32_MAX) {
            return true;
        }
    }
    return false;
}

/* Write what precedes the coordinates. The wide forms use 8 bytes per coordinate. */
static stoa_status put_head(H5S_sel_type type, const stoa_shape *shape, size_t n,
                            size_t n_coordinates, stoa_buffer *out, stoa_error *err)
{
    const bool wide = is_wide(shape);

    if (n_coordinates > (UINT32_MAX - 8) / 4) {
        return stoa_fail(err, STOA_ERANGE,
                         "a chunk has too many elements for an encoded selection");
    }
    STOA_RETURN_NOT_OK(put(out, (uint64_t)type, 4, err));
    if (wide && type == H5S_SEL_POINTS) {
        STOA_RETURN_NOT_OK(put(out, 2, 4, err));
        STOA_RETURN_NOT_OK(put(out, 8, 1, err));
    } else if (wide) {
        STOA_RETURN_NOT_OK(put(out, 3, 4, err));
        STOA_RETURN_NOT_OK(put(out, 0, 1, err)); /* not regular */
        STOA_RETURN_NOT_OK(put(out, 8, 1, err));
    } else {
        STOA_RETURN_NOT_OK(put(out, 1, 4, err));
        STOA_RETURN_NOT_OK(put(out, 0, 4, err));
        STOA_RETURN_NOT_OK(put(out, 8 + n_coordinates * 4, 4, err)); /* bytes that follow */
    }
    STOA_RETURN_NOT_OK(put(out, shape->rank, 4, err));
    return put(out, n, wide ? 8 : 4, err);
}

static stoa_status put_points(const stoa_shape *shape, const uint64_t *elements, size_t n,
                              stoa_buffer *out, stoa_error *err)
{
    const size_t width = is_wide(shape) ? 8 : 4;

    STOA_RETURN_NOT_OK(put_head(H5S_SEL_POINTS, shape, n, n * shape->rank, out, err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(out, n * shape->rank * width, err));
    for (size_t i = 0; i < n; i++) {
        uint64_t at[H5S_MAX_RANK];
        stoa_coordinates_of((int)shape->rank, shape->extent, elements[i], at);
        for (unsigned k = 0; k < shape->rank; k++) {
            STOA_RETURN_NOT_OK(put(out, at[k], width, err));
        }
    }
    return STOA_OK;
}

static stoa_status put_blocks(const stoa_shape *shape, const stoa_block *blocks, size_t n,
                              stoa_buffer *out, stoa_error *err)
{
    const size_t width = is_wide(shape) ? 8 : 4;

    STOA_RETURN_NOT_OK(put_head(H5S_SEL_HYPERSLABS, shape, n, n * 2 * shape->rank, out, err));
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < shape->rank; k++) {
            STOA_RETURN_NOT_OK(put(out, blocks[i].first[k], width, err));
        }
        for (unsigned k = 0; k < shape->rank; k++) {
            STOA_RETURN_NOT_OK(put(out, blocks[i].first[k] + blocks[i].count[k] - 1, width, err));
        }
    }
    return STOA_OK;
}

static stoa_status put_none(stoa_buffer *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(put(out, H5S_SEL_NONE, 4, err));
    STOA_RETURN_NOT_OK(put(out, 1, 4, err));
    return put(out, 0, 8, err);
}

stoa_status stoa_encoded_selection_write(const stoa_shape *shape, const uint64_t *offset,
                                         const uint32_t *positions, size_t n, stoa_buffer *out,
                                         stoa_error *err)
{
    uint64_t *elements = stoa_alloc(n, sizeof *elements);
    stoa_block *blocks = NULL;
    size_t n_blocks = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(elements != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        uint64_t at[H5S_MAX_RANK];
        stoa_shape_element(shape, offset, positions[i], at);
        elements[i] = stoa_shape_number(shape, at);
    }
    STOA_TRY(put_extent(shape, out, err));
    if (n == 0) {
        STOA_TRY(put_none(out, err));
        goto done;
    }
    const size_t most = n / 2 < MAX_BLOCKS ? n / 2 : MAX_BLOCKS;
    STOA_TRY(stoa_blocks_of((int)shape->rank, shape->extent, elements, n, most, &blocks, &n_blocks,
                            err));
    if (n_blocks <= most) {
        STOA_TRY(put_blocks(shape, blocks, n_blocks, out, err));
    } else {
        STOA_TRY(put_points(shape, elements, n, out, err));
    }

done:
    free(blocks);
    free(elements);
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

/* The remaining bytes, and the chunk that they describe. */
typedef struct reader {
    const uint8_t *at;
    size_t n;
    bool is_short;
    const stoa_shape *shape;
    const uint64_t *offset;
    uint32_t *found; /* positions; allocated */
    size_t n_found;
} reader;

static uint64_t get(reader *from, size_t n_bytes)
{
    uint64_t value = 0;

    if (from->n < n_bytes) {
        from->is_short = true;
        from->n = 0;
        return 0;
    }
    for (size_t i = 0; i < n_bytes; i++) {
        value |= (uint64_t)from->at[i] << 8 * i;
    }
    from->at += n_bytes;
    from->n -= n_bytes;
    return value;
}

static stoa_status broken(stoa_error *err, const char *what)
{
    return stoa_fail(err, STOA_EDATA,
                     "section 0 is no encoded selection of the dataset's dataspace: %s; it is what "
                     "H5Sencode2() makes",
                     what);
}

/* Allocate n positions. Fails if that is more than the chunk has. */
static stoa_status room_for(reader *from, uint64_t n, stoa_error *err)
{
    if (n > from->shape->n_elements) {
        return stoa_fail(err, STOA_ERANGE, "section 0 selects more elements than a chunk has");
    }
    from->found = stoa_alloc((size_t)n, sizeof *from->found);
    return from->found == NULL ? stoa_fail_memory(err) : STOA_OK;
}

static bool is_in_chunk(const reader *from, unsigned k, uint64_t first, uint64_t last)
{
    const uint64_t offset = from->offset[k];

    return first >= offset && first <= last && last - offset < from->shape->chunk[k] &&
           last < from->shape->extent[k];
}

static stoa_status outside(stoa_error *err)
{
    return stoa_fail(err, STOA_ERANGE,
                     "section 0 selects elements outside of the chunk or the dataset; coordinates "
                     "are those of the dataset");
}

/* Read the extent of the dataspace, which must have the dataset's rank. */
static stoa_status read_extent(reader *from, stoa_error *err)
{
    const uint64_t id = get(from, 1);
    const uint64_t version = get(from, 1);
    const uint64_t sizes = get(from, 1);
    const uint64_t n_bytes = get(from, 4);

    if (id != DATASPACE || version != VERSION || sizes == 0 || sizes > 8 || n_bytes > from->n) {
        return broken(err, "its head");
    }
    reader extent = {.at = from->at, .n = (size_t)n_bytes};
    const uint64_t message = get(&extent, 1);
    const uint64_t rank = get(&extent, 1);
    from->at += n_bytes;
    from->n -= (size_t)n_bytes;
    if (message < 1 || message > 2 || rank != from->shape->rank) {
        return broken(err, "another rank");
    }
    return STOA_OK;
}

/* Read the size of numbers, if the encoding specifies it. */
static stoa_status read_width(reader *from, size_t *width, stoa_error *err)
{
    *width = (size_t)get(from, 1);
    return *width == 2 || *width == 4 || *width == 8 ? STOA_OK : broken(err, "the size of numbers");
}

static stoa_status read_points(reader *from, uint64_t version, stoa_error *err)
{
    size_t width = 4;

    if (version == 1) {
        (void)get(from, 8); /* reserved, and the length */
    } else if (version == 2) {
        STOA_RETURN_NOT_OK(read_width(from, &width, err));
    } else {
        return broken(err, "points of an unknown version");
    }
    const uint64_t rank = get(from, 4);
    const uint64_t n = get(from, width);
    if (from->is_short || rank != from->shape->rank || n > from->n / (width * rank)) {
        return broken(err, "its points");
    }
    /* The same element may occur more than once. */
    from->found = stoa_alloc((size_t)n, sizeof *from->found);
    STOA_RETURN_NO_MEMORY(err, from->found);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t position = 0;
        for (unsigned k = 0; k < rank; k++) {
            const uint64_t at = get(from, width);
            if (!is_in_chunk(from, k, at, at)) {
                return outside(err);
            }
            position = position * from->shape->chunk[k] + (at - from->offset[k]);
        }
        from->found[from->n_found++] = (uint32_t)position;
    }
    return STOA_OK;
}

/* Append the elements of a block. There is space for them. */
static void add_block(reader *from, const stoa_block *block)
{
    const stoa_shape *shape = from->shape;
    const unsigned last = shape->rank - 1;
    uint64_t at[H5S_MAX_RANK] = {0}; /* relative to the block */

    for (;;) {
        uint64_t position = 0;
        for (unsigned k = 0; k <= last; k++) {
            position = position * shape->chunk[k] + (block->first[k] + at[k] - from->offset[k]);
        }
        for (uint64_t i = 0; i < block->count[last]; i++) {
            from->found[from->n_found++] = (uint32_t)(position + i);
        }
        unsigned k = last;
        while (k > 0 && ++at[k - 1] == block->count[k - 1]) {
            at[--k] = 0;
        }
        if (k == 0) {
            return;
        }
    }
}

static uint64_t volume(const stoa_block *block, unsigned rank)
{
    uint64_t n = 1; /* the block is inside of a chunk, so it has fewer than 2^32 elements */

    for (unsigned k = 0; k < rank; k++) {
        n *= block->count[k];
    }
    return n;
}

static stoa_status read_block(reader *from, size_t width, stoa_block *block, stoa_error *err)
{
    const unsigned rank = from->shape->rank;

    for (unsigned k = 0; k < rank; k++) {
        block->first[k] = get(from, width);
    }
    for (unsigned k = 0; k < rank; k++) {
        const uint64_t end = get(from, width);
        if (from->is_short || !is_in_chunk(from, k, block->first[k], end)) {
            return outside(err);
        }
        block->count[k] = end - block->first[k] + 1;
    }
    return STOA_OK;
}

/* Read a list of blocks in two passes, because the elements are counted before memory is
 * allocated. */
static stoa_status read_irregular(reader *from, size_t width, stoa_error *err)
{
    const unsigned rank = from->shape->rank;
    const uint64_t n_blocks = get(from, width);
    stoa_block block = {.count = {0}};
    uint64_t n = 0;

    if (from->is_short || n_blocks > from->n / (2 * width * rank)) {
        return broken(err, "its blocks");
    }
    reader again = *from;
    for (uint64_t i = 0; i < n_blocks; i++) {
        STOA_RETURN_NOT_OK(read_block(&again, width, &block, err));
        n += volume(&block, rank);
        if (n > from->shape->n_elements) {
            break; /* room_for() reports it */
        }
    }
    STOA_RETURN_NOT_OK(room_for(from, n, err));
    for (uint64_t i = 0; i < n_blocks; i++) {
        STOA_RETURN_NOT_OK(read_block(from, width, &block, err));
        add_block(from, &block);
    }
    return STOA_OK;
}

/* A regular hyperslab in one dimension. */
typedef struct stride {
    uint64_t start;
    uint64_t stride;
    uint64_t count;
    uint64_t block;
} stride;

static stoa_status read_stride(reader *from, unsigned k, size_t width, stride *s, stoa_error *err)
{
    s->start = get(from, width);
    s->stride = get(from, width);
    s->count = get(from, width);
    s->block = get(from, width);
    if (from->is_short || s->count == 0 || s->block == 0 ||
        (s->count > 1 && s->stride < s->block)) {
        return broken(err, "its strides");
    }
    /* Check the sizes first, so that nothing overflows. */
    const uint64_t most = from->shape->chunk[k];
    if (s->count > most || s->block > most || (s->count > 1 && s->stride > most) ||
        !is_in_chunk(from, k, s->start, s->start) ||
        !is_in_chunk(from, k, s->start,
                     s->start + (s->count - 1) * (s->count > 1 ? s->stride : 0) + s->block - 1)) {
        return outside(err);
    }
    return STOA_OK;
}

static stoa_status read_regular(reader *from, size_t width, stoa_error *err)
{
    const unsigned rank = from->shape->rank;
    stride strides[H5S_MAX_RANK];
    uint64_t turn[H5S_MAX_RANK] = {0}; /* index of the current block in each dimension */
    stoa_block block;
    uint64_t n = 1;
    unsigned k = 0;

    for (k = 0; k < rank; k++) {
        STOA_RETURN_NOT_OK(read_stride(from, k, width, &strides[k], err));
        block.count[k] = strides[k].block;
        n *= strides[k].count * strides[k].block;
    }
    STOA_RETURN_NOT_OK(room_for(from, n, err));
    do {
        for (k = 0; k < rank; k++) {
            block.first[k] = strides[k].start + turn[k] * strides[k].stride;
        }
        add_block(from, &block);
        k = rank;
        while (k > 0 && ++turn[k - 1] == strides[k - 1].count) {
            turn[--k] = 0;
        }
    } while (k > 0);
    return STOA_OK;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t *one = a;
    const uint32_t *other = b;

    return (*one > *other) - (*one < *other);
}

static stoa_status read_hyperslabs(reader *from, uint64_t version, stoa_error *err)
{
    size_t width = version == 2 ? 8 : 4;
    uint64_t flags = 0;

    if (version < 1 || version > 3) {
        return broken(err, "blocks of an unknown version");
    }
    if (version == 1) {
        (void)get(from, 8); /* reserved, and the length */
    } else {
        flags = get(from, 1);
    }
    if (version == 2) {
        (void)get(from, 4); /* the length */
    } else if (version == 3) {
        STOA_RETURN_NOT_OK(read_width(from, &width, err));
    }
    const uint64_t rank = get(from, 4);
    if (from->is_short || rank != from->shape->rank || flags > IS_REGULAR) {
        return broken(err, "its blocks");
    }
    STOA_RETURN_NOT_OK(flags == IS_REGULAR ? read_regular(from, width, err)
                                           : read_irregular(from, width, err));
    for (size_t i = 1; i < from->n_found; i++) {
        if (from->found[i] <= from->found[i - 1]) {
            qsort(from->found, from->n_found, sizeof *from->found, ascending);
            break;
        }
    }
    for (size_t i = 1; i < from->n_found; i++) {
        if (from->found[i] == from->found[i - 1]) {
            return broken(err, "blocks that overlap");
        }
    }
    return STOA_OK;
}

/* Select everything, which must not exceed the chunk. */
static stoa_status read_all(reader *from, stoa_error *err)
{
    stoa_block block;

    for (unsigned k = 0; k < from->shape->rank; k++) {
        block.first[k] = 0;
        block.count[k] = from->shape->extent[k];
        if (block.count[k] == 0 || !is_in_chunk(from, k, 0, block.count[k] - 1)) {
            return outside(err);
        }
    }
    STOA_RETURN_NOT_OK(room_for(from, volume(&block, from->shape->rank), err));
    add_block(from, &block);
    return STOA_OK;
}

stoa_status stoa_encoded_selection_read(const stoa_shape *shape, const uint64_t *offset,
                                        const uint8_t *bytes, size_t n_bytes, uint32_t **positions,
                                        size_t *n, stoa_error *err)
{
    reader from = {.at = bytes, .n = n_bytes, .shape = shape, .offset = offset};
    stoa_status status = STOA_OK;

    *positions = NULL;
    *n = 0;
    STOA_TRY(read_extent(&from, err));
    const uint64_t type = get(&from, 4);
    const uint64_t version = get(&from, 4);
    if (from.is_short) {
        STOA_TRY(broken(err, "it ends early"));
    }
    switch (type) {
    case H5S_SEL_NONE:
        STOA_TRY(room_for(&from, 0, err));
        break;
    case H5S_SEL_POINTS:
        STOA_TRY(read_points(&from, version, err));
        break;
    case H5S_SEL_HYPERSLABS:
        STOA_TRY(read_hyperslabs(&from, version, err));
        break;
    case H5S_SEL_ALL:
        STOA_TRY(read_all(&from, err));
        break;
    default:
        STOA_TRY(broken(err, "an unknown kind"));
    }
    *positions = from.found;
    *n = from.n_found;
    from.found = NULL;

done:
    free(from.found);
    return status;
}
