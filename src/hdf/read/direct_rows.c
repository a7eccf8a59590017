/* Reads rows of chunks, with as few bytes read and decoded as possible. */
#include <string.h>

#include "codec/kernels/scaleoffset.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/read/direct_parts.h"

/* --- rows of one chunk ----------------------------------------------------------------------- */

/* Rows are decoded alone if they are at most 1/PICKED_PART of a chunk. */
enum { PICKED_PART = 8 };

/* n rows of one chunk, from its row `skip` on. */
typedef struct part {
    uint64_t chunk;
    uint64_t skip;
    uint64_t n;
    uint8_t *out;
    bool keeps; /* cache the chunk if it must be decoded */
} part;

/* Of a chunk with the scale-offset filter alone, load the bytes that contain the rows, at their
 * offsets in the block. `found` is false if their position is unknown. */
static stoa_status load_bits(const stoa_direct *direct, const part *p,
                             const stoa_chunk_place *place, stoa_scratch *scratch, uint8_t **stored,
                             bool *found, stoa_error *err)
{
    enum { HEADER = 21, SLACK = 64 };
    stoa_scaleoffset so;

    *found = place->n_bytes > HEADER &&
             stoa_scaleoffset_alone(&direct->pipeline, place->mask, &so) && so.bits != 8 * so.size;
    if (!*found) {
        return STOA_OK;
    }
    *stored = stoa_scratch_block(scratch, STOA_STORED_BLOCK, place->n_bytes);
    STOA_RETURN_NO_MEMORY(err, *stored);
    const stoa_chunk_key key = {direct->head_owner, p->chunk};
    if (!p->keeps || !stoa_chunk_cache_get(direct->cache, key, 0, HEADER, *stored)) {
        STOA_RETURN_NOT_OK(stoa_direct_load(direct, place, 0, HEADER, *stored, err));
        if (p->keeps) {
            stoa_chunk_cache_put(direct->cache, key, *stored, HEADER);
        }
    }
    const uint64_t width = (*stored)[0]; /* the lowest of 4 bytes, little-endian; at most 64 */
    const uint64_t from = HEADER + p->skip * width / 8;
    const uint64_t to = HEADER + (p->skip + p->n) * width / 8 + SLACK;
    const uint64_t end = to < place->n_bytes ? to : place->n_bytes;
    if (from < end) {
        STOA_RETURN_NOT_OK(stoa_direct_load(direct, place, from, end - from, *stored + from, err));
    }
    return STOA_OK;
}

/* Decode few rows of a filtered chunk alone, if that costs less than the whole chunk. */
static stoa_status decode_few(const stoa_direct *direct, const part *p,
                              const stoa_chunk_place *place, stoa_scratch *scratch, bool *found,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    uint8_t *stored = NULL;

    *found = false;
    if (p->n > direct->chunk_rows / PICKED_PART || stoa_direct_is_too_large(direct, place)) {
        return STOA_OK;
    }
    STOA_TRY(load_bits(direct, p, place, scratch, &stored, found, &why));
    if (*found) {
        STOA_TRY(stoa_pipeline_decode_range(&direct->pipeline, place->mask, stored, place->n_bytes,
                                            p->skip, p->n, p->out, found, &why));
    }
    if (*found) {
        stoa_direct_turn(direct, p->out, p->n);
    }

done:
    return status == STOA_OK ? STOA_OK : stoa_direct_blame(direct, p->chunk, status, &why, err);
}

static stoa_chunk_key key_of(const stoa_direct *direct, const part *p)
{
    return (stoa_chunk_key){direct->owner, p->chunk};
}

/* Decode the whole chunk, directly into `out` if the part covers it. */
static stoa_status unpack_part(const stoa_direct *direct, const part *p,
                               const stoa_chunk_place *place, stoa_scratch *scratch,
                               stoa_error *err)
{
    const size_t size = direct->element_size;
    const size_t n_bytes = stoa_direct_chunk_bytes(direct);
    const bool is_whole = p->n == direct->chunk_rows;
    const uint8_t *elements = NULL;
    uint8_t *out = is_whole ? p->out : stoa_scratch_block(scratch, STOA_CHUNK_BLOCK, n_bytes);

    STOA_RETURN_NO_MEMORY(err, out);
    STOA_RETURN_NOT_OK(stoa_direct_unpack(direct, p->chunk, place, scratch, out, &elements, err));
    if (elements != p->out) {
        memcpy(p->out, elements + p->skip * size, (size_t)p->n * size);
    }
    if (p->keeps) {
        stoa_chunk_cache_put(direct->cache, key_of(direct, p), elements, n_bytes);
    }
    if (elements == out && !is_whole) { /* the next read often continues in this chunk */
        scratch->kept = direct;
        scratch->kept_chunk = p->chunk;
    }
    return STOA_OK;
}

static bool is_kept(const stoa_direct *direct, const part *p, const stoa_scratch *scratch)
{
    const size_t size = direct->element_size;
    const bool is = scratch->kept == direct && scratch->kept_chunk == p->chunk;

    if (is) {
        memcpy(p->out, scratch->blocks[STOA_CHUNK_BLOCK] + p->skip * size, (size_t)p->n * size);
    }
    return is;
}

static bool is_cached(const stoa_direct *direct, const part *p)
{
    const size_t size = direct->element_size;

    return p->keeps && stoa_chunk_cache_get(direct->cache, key_of(direct, p),
                                            (size_t)p->skip * size, (size_t)p->n * size, p->out);
}

/* Read rows without the rest of their chunk; `found` is false if that is impossible. */
static stoa_status read_few(const stoa_direct *direct, const part *p, const stoa_chunk_place *place,
                            stoa_scratch *scratch, bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    const size_t size = direct->element_size;

    *found = stoa_direct_is_raw(direct, p->chunk, place->mask);
    if (!*found) {
        return decode_few(direct, p, place, scratch, found, err);
    }
    status = stoa_direct_load(direct, place, p->skip * size, p->n * size, p->out, &why);
    STOA_RETURN_NOT_OK(status == STOA_OK ? status
                                         : stoa_direct_blame(direct, p->chunk, status, &why, err));
    stoa_direct_turn(direct, p->out, p->n);
    return status;
}

/* Read rows of one cell. The whole cell is read and cached, unless it is cached already. */
static stoa_status read_in_cell(const stoa_direct *direct, const part *p,
                                const stoa_chunk_place *place, uint64_t n_rows,
                                stoa_scratch *scratch, bool *found, stoa_error *err)
{
    const size_t size = direct->element_size;
    const uint64_t cell = p->skip / direct->cell_rows;
    const uint64_t first = cell * direct->cell_rows;
    const uint64_t n = n_rows - first < direct->cell_rows ? n_rows - first : direct->cell_rows;
    const uint64_t cells = (direct->chunk_rows - 1) / direct->cell_rows + 1; /* cells per chunk */
    const stoa_chunk_key key = {direct->cell_owner, p->chunk * cells + cell};
    const size_t offset = (size_t)(p->skip - first) * size;

    *found = stoa_chunk_cache_get(direct->cache, key, offset, (size_t)p->n * size, p->out);
    if (*found) {
        return STOA_OK;
    }
    const part whole = {p->chunk, first, n,
                        stoa_scratch_block(scratch, STOA_CHUNK_BLOCK, (size_t)n * size), true};
    STOA_RETURN_NO_MEMORY(err, whole.out);
    STOA_RETURN_NOT_OK(read_few(direct, &whole, place, scratch, found, err));
    if (*found) {
        memcpy(p->out, whole.out + offset, (size_t)p->n * size);
        stoa_chunk_cache_put(direct->cache, key, whole.out, (size_t)n * size);
    }
    return STOA_OK;
}

/* Read rows that span one or two cells. */
static stoa_status look_up_few(const stoa_direct *direct, const part *p,
                               const stoa_chunk_place *place, stoa_scratch *scratch, bool *found,
                               stoa_error *err)
{
    const uint64_t n_rows =
        direct->is_chunked ? direct->chunk_rows : stoa_direct_rows_in(direct, p->chunk);
    part some = *p;

    *found = false;
    if (!p->keeps || p->n > direct->cell_rows) {
        return STOA_OK;
    }
    const uint64_t left = direct->cell_rows - p->skip % direct->cell_rows;
    some.n = left < p->n ? left : p->n;
    STOA_RETURN_NOT_OK(read_in_cell(direct, &some, place, n_rows, scratch, found, err));
    if (*found && some.n < p->n) {
        some.skip += some.n;
        some.out += some.n * direct->element_size;
        some.n = p->n - some.n;
        STOA_RETURN_NOT_OK(read_in_cell(direct, &some, place, n_rows, scratch, found, err));
    }
    return STOA_OK;
}

static stoa_status read_part(const stoa_direct *direct, const part *p, stoa_scratch *scratch,
                             stoa_error *err)
{
    stoa_chunk_place place;
    bool found = false;

    if (!stoa_direct_locate(direct, p->chunk, &place)) {
        stoa_fill_put(direct->fill, direct->element_size, p->n, p->out);
        return STOA_OK;
    }
    if (is_kept(direct, p, scratch) || is_cached(direct, p)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(look_up_few(direct, p, &place, scratch, &found, err));
    if (!found) {
        STOA_RETURN_NOT_OK(read_few(direct, p, &place, scratch, &found, err));
    }
    if (!found) {
        STOA_RETURN_NOT_OK(unpack_part(direct, p, &place, scratch, err));
    }
    return STOA_OK;
}

/* Copy the rows from the chunk, which is held meanwhile. */
static stoa_status copy_part(const stoa_direct *direct, const part *p, stoa_scratch *scratch,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = direct->element_size;
    stoa_held_chunk *held = NULL;
    const void *elements = NULL;

    STOA_TRY(stoa_direct_hold(direct, p->chunk, scratch, &elements, &held, err));
    memcpy(p->out, (const uint8_t *)elements + p->skip * size, (size_t)p->n * size);

done:
    stoa_direct_release(direct, held);
    return status;
}

/* --- several chunks -------------------------------------------------------------------------- */

/* Bytes per request. */
static const uint64_t most_side_by_side = UINT64_C(1) << 22;

/* Count the rows from `first` on, at most `count`, that are unfiltered and contiguous in the file.
 * Unfiltered chunks are often neighbours. *start is their address, if there are any. Counting stops
 * soon after `most` bytes. */
static uint64_t side_by_side(const stoa_direct *direct, uint64_t first, uint64_t count,
                             uint64_t most, uint64_t *start)
{
    const size_t size = direct->element_size;
    uint64_t n = 0;

    while (n < count && n * size < most) {
        const uint64_t chunk = (first + n) / direct->chunk_rows;
        const uint64_t skip = (first + n) % direct->chunk_rows;
        const uint64_t left = direct->chunk_rows - skip;
        const uint64_t wanted = left < count - n ? left : count - n;
        stoa_chunk_place place;
        if (!stoa_direct_locate(direct, chunk, &place) ||
            !stoa_direct_is_raw(direct, chunk, place.mask) ||
            !stoa_descriptor_has(direct->file, place.address, place.n_bytes) ||
            (skip + wanted) * size > place.n_bytes ||
            (n > 0 && place.address != *start + n * size)) {
            break;
        }
        *start = n > 0 ? *start : place.address + skip * size;
        n += wanted;
    }
    return n;
}

/* Read as many rows of several chunks as one request allows. Returns 0 if they are in one chunk, or
 * if the request fails: then the caller reads by chunk, to name the one that fails. */
static uint64_t read_side_by_side(const stoa_direct *direct, uint64_t first, uint64_t count,
                                  void *out)
{
    const uint64_t left = direct->chunk_rows - first % direct->chunk_rows;
    uint64_t start = 0;
    const uint64_t n =
        count > left ? side_by_side(direct, first, count, most_side_by_side, &start) : 0;

    if (n <= left ||
        stoa_descriptor_read(direct->file, start, n * direct->element_size, out, NULL) != STOA_OK) {
        return 0;
    }
    stoa_direct_turn(direct, out, n);
    return n;
}

typedef stoa_status (*part_reader)(const stoa_direct *direct, const part *p, stoa_scratch *scratch,
                                   stoa_error *err);

static stoa_status read_parts(const stoa_direct *direct, uint64_t first, uint64_t count,
                              part_reader reader, bool keeps, stoa_scratch *scratch, void *out,
                              stoa_error *err)
{
    uint8_t *to = out;
    uint64_t n = 0;

    if (first > direct->extent || count > direct->extent - first) {
        return stoa_fail(err, STOA_ERANGE, "rows %llu to %llu pass the extent %llu",
                         (unsigned long long)first, (unsigned long long)(first + count),
                         (unsigned long long)direct->extent);
    }
    for (; count > 0; to += n * direct->element_size, first += n, count -= n) {
        const uint64_t skip = first % direct->chunk_rows;
        const uint64_t left = direct->chunk_rows - skip;
        n = reader == read_part && !keeps ? read_side_by_side(direct, first, count, to) : 0;
        if (n == 0) {
            n = left < count ? left : count;
            const part p = {first / direct->chunk_rows, skip, n, to, keeps};
            STOA_RETURN_NOT_OK(reader(direct, &p, scratch, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_direct_read(const stoa_direct *direct, uint64_t first, uint64_t count,
                             stoa_scratch *scratch, void *out, stoa_error *err)
{
    return read_parts(direct, first, count, read_part, false, scratch, out, err);
}

stoa_status stoa_direct_read_again(const stoa_direct *direct, uint64_t first, uint64_t count,
                                   stoa_scratch *scratch, void *out, stoa_error *err)
{
    return read_parts(direct, first, count, copy_part, false, scratch, out, err);
}

stoa_status stoa_direct_look_up(const stoa_direct *direct, uint64_t first, uint64_t count,
                                stoa_scratch *scratch, void *out, stoa_error *err)
{
    return read_parts(direct, first, count, read_part, true, scratch, out, err);
}

/* --- the file's map -------------------------------------------------------------------------- */

/* The alignment that the processor requires: the size of a number. */
static size_t alignment_of(size_t size)
{
    const size_t largest = size & (~size + 1); /* the largest power of two that divides it */

    return largest < sizeof(uint64_t) ? largest : sizeof(uint64_t);
}

const void *stoa_direct_mapped(const stoa_direct *direct, uint64_t first, uint64_t count)
{
    enum { SLACK = 64 }; /* vector loads may read past the end */
    const size_t size = direct->element_size;
    uint64_t start = 0;

    if (direct->file->map == NULL || direct->swaps || first > direct->extent ||
        count > direct->extent - first || count > SIZE_MAX / size || count == 0 ||
        side_by_side(direct, first, count, UINT64_MAX, &start) < count ||
        start % alignment_of(size) != 0) {
        return NULL;
    }
    /* the slack must exist, but does not count towards the least size of a mapped read */
    return start + count * size + SLACK <= direct->file->size
               ? stoa_descriptor_mapped(direct->file, start, count * size)
               : NULL;
}

const void *stoa_direct_lend(const stoa_direct *direct, uint64_t first, uint64_t count,
                             stoa_file_map **map)
{
    const void *const rows = stoa_direct_mapped(direct, first, count);

    *map = rows != NULL ? stoa_file_map_hold(direct->file->map) : NULL;
    return rows;
}

/* --- selected rows --------------------------------------------------------------------------- */

static bool is_one_chunk(const stoa_direct *direct, uint64_t first, uint64_t count)
{
    return first <= direct->extent && count <= direct->extent - first &&
           count <= direct->chunk_rows - first % direct->chunk_rows;
}

stoa_status stoa_direct_choose(const stoa_direct *direct, uint64_t first, uint64_t count,
                               const uint8_t *bits, uint64_t n, stoa_scratch *scratch, void *out,
                               bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t chunk = first / direct->chunk_rows;
    stoa_scaleoffset so;
    stoa_error why = STOA_ERROR_INIT;
    stoa_chunk_place place;
    uint8_t *stored = NULL;

    *found = is_one_chunk(direct, first, count) && stoa_direct_locate(direct, chunk, &place) &&
             !stoa_direct_is_raw(direct, chunk, place.mask) &&
             stoa_scaleoffset_alone(&direct->pipeline, place.mask, &so);
    if (!*found) {
        return STOA_OK;
    }
    STOA_TRY(stoa_direct_load_stored(direct, &place, scratch, &stored, &why));
    if (!stoa_scaleoffset_choose(&so, stored, place.n_bytes, first % direct->chunk_rows, count,
                                 bits, n, out)) {
        STOA_FAIL(&why, STOA_EDATA, "a chunk is damaged: scale-offset cannot be undone");
    }
    stoa_direct_turn(direct, out, n);

done:
    return status == STOA_OK ? STOA_OK : stoa_direct_blame(direct, chunk, status, &why, err);
}
