/*
 * The Blosc2 filter (32026): a contiguous Blosc2 frame that holds one chunk (c-blosc2's
 * README_CFRAME_FORMAT). Its client data: revision, bytes per block, bytes per element, bytes per
 * chunk, level, kind of shuffle, codec. For two or more dimensions, the rank and the chunk's shape
 * follow.
 *
 * Frames are decoded here and not by the library, because they come from untrusted files. Every
 * number in them is checked; c-blosc2's issues 639, 738 and 801 show what happens otherwise.
 * Written chunks skip the filter, which every reader knows from the chunk's filter mask.
 *
 * A frame has a header of at least 87 bytes in big-endian MessagePack, the chunk, and an offset
 * chunk. The offset chunk holds the chunk's offset, or says that all its values are the same.
 * Multidimensional chunks are split into blocks along each dimension, as the metalayer "b2nd" in
 * the header says.
 */
#include <string.h>

#include "codec/blosc2_chunk.h"
#include "codec/bytes.h"

enum { CODEC = 6, SNAPPY = 3, LAST_CODEC = 5 };
/* Offsets in a frame. */
enum { HEADER_BYTES = 11, FRAME_BYTES = 16, KIND = 26, CHUNK_BYTES = 39, LAYERS = 87, LEAST = 97 };
enum { CONTIGUOUS = 0, KIND_MASK = 15 };
enum { MAX_RANK = 8, OFFSET = 8 }; /* c-blosc2's limit; bytes of the chunk's offset */
enum { CHUNK_HEAD = 32 };          /* bytes of the chunk's header */

static const uint8_t magic[] = "\x9e\xa8"
                               "b2frame\0\xd2";

/* How a chunk is split into blocks. */
typedef struct tiling {
    size_t rank; /* 1: linear */
    size_t chunk[MAX_RANK];
    size_t block[MAX_RANK];
} tiling;

typedef struct frame {
    const uint8_t *bytes;
    size_t n_bytes;
    size_t n_header;
    stoa_blosc2_chunk chunk;
} frame;

static bool blosc2_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    const uint32_t codec = stoa_filter_value(filter, CODEC, 0);

    return pipeline->chunk_bytes <= INT32_MAX && codec <= LAST_CODEC && codec != SNAPPY;
}

static size_t blosc2_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return stoa_packed_bound(n);
}

/* --- the frame ------------------------------------------------------------------------------- */

/* Read the offset from the offset chunk. */
static stoa_status read_offset(stoa_step *step, const uint8_t *bytes, size_t n, uint64_t *offset)
{
    stoa_status status = STOA_OK;
    stoa_blosc2_chunk index;
    stoa_blosc2_tools tools;
    uint8_t value[OFFSET];

    if (!stoa_blosc2_chunk_of(bytes, n, &index) || index.n_unpacked != OFFSET) {
        return STOA_EDATA;
    }
    if (stoa_blosc2_prepare(step, OFFSET, &tools) == NULL) {
        return STOA_ENOMEM;
    }
    if (index.special != STOA_BLOSC2_BLOCKS) {
        status = stoa_blosc2_fill(&index, 0, value, OFFSET);
    }
    for (size_t i = 0; status == STOA_OK && i < index.n_blocks; i++) {
        if (index.special == STOA_BLOSC2_BLOCKS) {
            status = stoa_blosc2_block(&index, &tools, i, value + i * index.block_bytes);
        }
    }
    *offset = status == STOA_OK ? stoa_get_le64(value) : 0;
    return status;
}

static stoa_status read_frame(stoa_step *step, frame *f)
{
    uint64_t offset = 0;

    if (step->n_in < LEAST) {
        return STOA_EDATA;
    }
    STOA_RETURN_NOT_OK(stoa_step_load(step, 0, LEAST));
    if (memcmp(step->in, magic, HEADER_BYTES) != 0 || (step->in[KIND] & KIND_MASK) != CONTIGUOUS) {
        return STOA_EDATA;
    }
    const uint64_t n_frame = stoa_get_be64(step->in + FRAME_BYTES);
    const uint64_t n_header = stoa_get_be32(step->in + HEADER_BYTES);
    const uint64_t n_chunk = stoa_get_be64(step->in + CHUNK_BYTES);
    if (n_frame > step->n_in || n_header < LEAST || n_header > n_frame ||
        n_chunk > n_frame - n_header) {
        return STOA_EDATA;
    }
    const uint8_t *const chunk = step->in + n_header;
    const size_t n_index = (size_t)(n_frame - n_header - n_chunk);
    STOA_RETURN_NOT_OK(stoa_step_load(step, 0, (size_t)n_header));
    STOA_RETURN_NOT_OK(stoa_step_load(step, (size_t)(n_header + n_chunk), n_index));
    STOA_RETURN_NOT_OK(read_offset(step, chunk + n_chunk, n_index, &offset));
    *f = (frame){.bytes = step->in, .n_bytes = (size_t)n_frame, .n_header = (size_t)n_header};
    if (offset >> 63 != 0) { /* one repeated value, encoded in the offset's upper byte */
        const unsigned special = offset >> 56 & 7;
        f->chunk = (stoa_blosc2_chunk){.n_unpacked = step->pipeline->chunk_bytes, .item_bytes = 1};
        f->chunk.special = special == STOA_BLOSC2_UNSET ? STOA_BLOSC2_UNSET : STOA_BLOSC2_ZEROS;
        return special == STOA_BLOSC2_NANS || special == STOA_BLOSC2_VALUE ? STOA_EDATA : STOA_OK;
    }
    if (offset > n_chunk) {
        return STOA_EDATA;
    }
    const size_t left = (size_t)(n_chunk - offset);
    STOA_RETURN_NOT_OK(
        stoa_step_load(step, (size_t)(n_header + offset), left < CHUNK_HEAD ? left : CHUNK_HEAD));
    return stoa_blosc2_chunk_of(chunk + offset, left, &f->chunk) ? STOA_OK : STOA_EDATA;
}

/* --- multidimensional chunks ----------------------------------------------------------------- */

/* Read an array of `rank` numbers of 8 or 4 bytes, each preceded by its type byte. Returns the
 * bytes read; 0 if it is invalid. */
static size_t read_shape(const uint8_t *at, size_t left, size_t rank, size_t size, size_t *shape)
{
    const size_t n = 1 + rank * (1 + size);

    if (left < n || at[0] != (0x90 | rank)) {
        return 0;
    }
    for (size_t i = 0; i < rank; i++) {
        const uint8_t *number = at + 1 + i * (1 + size);
        if (number[0] != (size == 8 ? 0xd3 : 0xd2)) {
            return 0;
        }
        shape[i] = size == 8 ? (size_t)stoa_get_be64(number + 1) : stoa_get_be32(number + 1);
        if (shape[i] == 0 || shape[i] > INT32_MAX) {
            return 0;
        }
    }
    return n;
}

static bool read_tiling(const uint8_t *at, size_t left, tiling *t)
{
    size_t shape[MAX_RANK];

    if (left < 3 || (at[0] & 0xf0) != 0x90 || at[2] == 0 || at[2] > MAX_RANK) {
        return false;
    }
    t->rank = at[2];
    const size_t a = read_shape(at + 3, left - 3, t->rank, 8, shape);
    const size_t b = a != 0 ? read_shape(at + 3 + a, left - 3 - a, t->rank, 4, t->chunk) : 0;
    if (b == 0 || read_shape(at + 3 + a + b, left - 3 - a - b, t->rank, 4, t->block) == 0) {
        return false;
    }
    for (size_t i = 0; i < t->rank; i++) {
        if (t->block[i] > t->chunk[i]) {
            return false;
        }
    }
    return true;
}

/* Find the metalayer "b2nd", if there is one. After the fixed part of the header come names, each
 * with the offset of its content (5 bytes). */
static bool find_tiling(const frame *f, tiling *t)
{
    const uint8_t *const bytes = f->bytes;
    size_t at = LAYERS + 4;

    *t = (tiling){.rank = 1};
    if (bytes[LAYERS] != 0x93 || bytes[at] != 0xde) {
        return false;
    }
    at += 3;
    for (unsigned n = bytes[at - 2] * 256u + bytes[at - 1]; n > 0; n--) {
        const size_t n_name = at < f->n_header ? bytes[at] & 31 : 0;
        if (at + 1 + n_name + 5 > f->n_header) {
            return false;
        }
        const size_t content = stoa_get_be32(bytes + at + 1 + n_name + 1);
        if (n_name == 4 && memcmp(bytes + at + 1, "b2nd", 4) == 0) {
            return content < f->n_header && f->n_header - content > 5 &&
                   read_tiling(bytes + content + 5, f->n_header - content - 5, t);
        }
        at += 1 + n_name + 5;
    }
    return true;
}

/* Whether the blocks match the shape of a chunk of these elements. */
static bool is_tiled(const stoa_pipeline *pipeline, const stoa_blosc2_chunk *chunk, const tiling *t)
{
    size_t n_chunk = pipeline->element_size;
    size_t n_block = pipeline->element_size;
    size_t n_blocks = 1;

    for (size_t i = 0; i < t->rank; i++) {
        if (t->chunk[i] > pipeline->chunk_bytes / n_chunk) {
            return false;
        }
        n_chunk *= t->chunk[i];
        n_block *= t->block[i];
        n_blocks *= (t->chunk[i] + t->block[i] - 1) / t->block[i];
    }
    return n_chunk == pipeline->chunk_bytes &&
           (chunk->special != STOA_BLOSC2_BLOCKS ||
            (n_block == chunk->block_bytes && n_blocks == chunk->n_blocks &&
             chunk->n_unpacked % n_block == 0));
}

/* Copy the part of a block that is inside the chunk to its place. */
static void place(const tiling *t, size_t size, size_t number, const uint8_t *block, uint8_t *out)
{
    const size_t last = t->rank - 1;
    size_t start[MAX_RANK];
    size_t count[MAX_RANK];
    size_t at[MAX_RANK] = {0};

    for (size_t i = t->rank; i-- > 0;) {
        const size_t n = (t->chunk[i] + t->block[i] - 1) / t->block[i];
        start[i] = number % n * t->block[i];
        count[i] = t->chunk[i] - start[i] < t->block[i] ? t->chunk[i] - start[i] : t->block[i];
        number /= n;
    }
    for (bool is_done = false; !is_done;) {
        size_t from = 0;
        size_t to = 0;
        for (size_t i = 0; i < t->rank; i++) {
            from = from * t->block[i] + at[i];
            to = to * t->chunk[i] + start[i] + at[i];
        }
        memcpy(out + to * size, block + from * size, count[last] * size);
        size_t i = last;
        while (i > 0 && ++at[i - 1] == count[i - 1]) {
            at[--i] = 0;
        }
        is_done = i == 0;
    }
}

/* --- the filter ------------------------------------------------------------------------------ */

static stoa_status undo_tiled(stoa_step *step, const frame *f, const tiling *t)
{
    stoa_blosc2_tools tools;
    stoa_status status = STOA_OK;

    if (!is_tiled(step->pipeline, &f->chunk, t) || step->room < step->pipeline->chunk_bytes) {
        return STOA_EDATA;
    }
    uint8_t *const block = stoa_blosc2_prepare(step, f->chunk.block_bytes, &tools);
    if (block == NULL) {
        return STOA_ENOMEM;
    }
    for (size_t i = 0; status == STOA_OK && i < f->chunk.n_blocks; i++) {
        status = stoa_blosc2_block(&f->chunk, &tools, i, block);
        if (status == STOA_OK) {
            place(t, step->pipeline->element_size, i, block, step->out);
        }
    }
    return status == STOA_OK ? stoa_step_done(step, step->out, step->pipeline->chunk_bytes)
                             : status;
}

static stoa_status blosc2_undo(stoa_step *step)
{
    frame f;
    tiling t;
    stoa_status status = read_frame(step, &f);

    if (status != STOA_OK) {
        return status;
    }
    if (!find_tiling(&f, &t)) {
        return STOA_EDATA;
    }
    if (f.chunk.special != STOA_BLOSC2_BLOCKS) {
        if (step->room < step->pipeline->chunk_bytes) {
            return STOA_EDATA;
        }
        status = stoa_blosc2_fill(&f.chunk, 0, step->out, step->pipeline->chunk_bytes);
        return status == STOA_OK ? stoa_step_done(step, step->out, step->pipeline->chunk_bytes)
                                 : status;
    }
    return t.rank > 1 ? undo_tiled(step, &f, &t) : stoa_blosc2_blocks(step, &f.chunk);
}

/* --- parts of a chunk ------------------------------------------------------------------------- */

/* Where the stored bytes of a block end at the latest. The next block in the file may be any other,
 * since the writer has threads. A stream is never longer than its part of the block's n bytes. */
static size_t end_of_block(const stoa_blosc2_chunk *chunk, size_t start, size_t n)
{
    const size_t most = n + 5 * chunk->item_bytes; /* with the size and a token of each stream */
    size_t end = chunk->n_bytes;

    if (start < end && most < end - start) {
        end = start + most;
    }
    for (size_t i = 0; i < chunk->n_blocks; i++) {
        const size_t other = stoa_get_le32(chunk->bytes + chunk->n_header + 4 * i);
        end = other > start && other < end ? other : end;
    }
    return end;
}

/* Load a block. `limited` is the chunk as far as it was loaded. */
static stoa_status load_block(const stoa_step *step, const stoa_blosc2_chunk *chunk, size_t block,
                              stoa_blosc2_chunk *limited)
{
    const size_t base = (size_t)(chunk->bytes - step->in);
    const size_t n = stoa_blosc2_block_bytes(chunk, block);
    size_t start = chunk->n_header + block * chunk->block_bytes;
    size_t end = start + n;

    if (!chunk->is_plain) {
        start = stoa_get_le32(chunk->bytes + chunk->n_header + 4 * block);
        end = end_of_block(chunk, start, n);
    }
    if (start > end || end > chunk->n_bytes) {
        return STOA_EDATA;
    }
    *limited = *chunk;
    limited->n_bytes = end;
    return stoa_step_load(step, base + start, end - start);
}

/* Load what is needed before single blocks: their places. If it would take long to find where they
 * end, load everything. */
static stoa_status load_places(const stoa_step *step, const stoa_blosc2_chunk *chunk,
                               size_t n_wanted, bool *is_whole)
{
    enum { MANY = 1 << 24 };
    const size_t base = (size_t)(chunk->bytes - step->in);

    *is_whole = n_wanted > MANY / chunk->n_blocks;
    if (*is_whole) {
        return stoa_step_load(step, base, chunk->n_bytes);
    }
    return chunk->is_plain ? STOA_OK
                           : stoa_step_load(step, base + chunk->n_header, 4 * chunk->n_blocks);
}

/* Decode blocks, those of which only a part is wanted into a buffer. */
static stoa_status undo_blocks(stoa_step *step, const stoa_blosc2_chunk *chunk, size_t first,
                               size_t n)
{
    const size_t size = chunk->block_bytes;
    const size_t end = (first + n - 1) / size + 1;
    stoa_blosc2_tools tools;
    stoa_blosc2_chunk limited = *chunk;
    bool is_whole = false;

    STOA_RETURN_NOT_OK(load_places(step, chunk, end - first / size, &is_whole));
    uint8_t *const buffer = stoa_blosc2_prepare(step, size, &tools);
    if (buffer == NULL) {
        return STOA_ENOMEM;
    }
    for (size_t i = first / size; i < end; i++) {
        const size_t at = i * size;
        const size_t n_block = stoa_blosc2_block_bytes(chunk, i);
        const size_t from = at > first ? at : first;
        const size_t to = at + n_block < first + n ? at + n_block : first + n;
        uint8_t *const out = to - from == n_block ? step->out + (at - first) : buffer;
        STOA_RETURN_NOT_OK(is_whole ? STOA_OK : load_block(step, chunk, i, &limited));
        STOA_RETURN_NOT_OK(stoa_blosc2_block(&limited, &tools, i, out));
        if (out == buffer) {
            memcpy(step->out + (from - first), buffer + (from - at), to - from);
        }
    }
    return STOA_OK;
}

static stoa_status blosc2_undo_part(stoa_step *step, size_t first, size_t n)
{
    frame f;
    tiling t;

    STOA_RETURN_NOT_OK(read_frame(step, &f));
    if (!find_tiling(&f, &t) || t.rank > 1 || f.chunk.n_unpacked != step->pipeline->chunk_bytes ||
        n == 0 || n > f.chunk.n_unpacked || first > f.chunk.n_unpacked - n) {
        return STOA_EDATA;
    }
    if (f.chunk.special == STOA_BLOSC2_BLOCKS) {
        return undo_blocks(step, &f.chunk, first, n);
    }
    if (f.chunk.bytes != NULL) { /* else the frame says the value */
        STOA_RETURN_NOT_OK(
            stoa_step_load(step, (size_t)(f.chunk.bytes - step->in), f.chunk.n_bytes));
    }
    return stoa_blosc2_fill(&f.chunk, first, step->out, n);
}

/* Never encodes: written chunks skip this filter. */
static stoa_status blosc2_apply(stoa_step *step)
{
    (void)step;
    return STOA_ERANGE;
}

const stoa_codec stoa_codec_blosc2 = {
    .id = STOA_FILTER_BLOSC2,
    .name = "blosc2",
    .is_known = blosc2_is_known,
    .bound = blosc2_bound,
    .undo = blosc2_undo,
    .undo_part = blosc2_undo_part,
    .apply = blosc2_apply,
};
