/* Reading past libhdf5; see direct.h. */
#include "hdf/direct.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "codec/byteswap.h"
#include "codec/scaleoffset.h"
#include "core/compact.h"
#include "hdf/direct_parts.h"
#include "hdf/disk.h"

/* Blocks of a scratch: what lies in the file, and what it becomes. The pipeline has the third. */
enum { STORED_BLOCK = 0, CHUNK_BLOCK = 1 };
/* Rows are picked out of a chunk if they are at most this part of it. */
enum { PICKED_PART = 8 };
/* A packed chunk is hardly longer than an unpacked one. */
static const uint64_t spare_bytes = UINT64_C(1) << 20;
/* Chunks further apart are no neighbours, to those who read ahead. */
static const uint64_t max_gap = UINT64_C(1) << 16;

uint64_t stoa_direct_extent(const stoa_direct *direct)
{
    return direct->extent;
}

uint64_t stoa_direct_chunk_rows(const stoa_direct *direct)
{
    return direct->chunk_rows;
}

size_t stoa_direct_element_size(const stoa_direct *direct)
{
    return direct->element_size;
}

bool stoa_direct_is_raw(const stoa_direct *direct, uint64_t chunk, uint32_t mask)
{
    const size_t n = direct->pipeline.n_filters;
    const uint32_t all = n >= 32 ? ~UINT32_C(0) : (UINT32_C(1) << n) - 1;

    return (mask & all) == all || chunk >= direct->first_unfiltered;
}

/* --- places ---------------------------------------------------------------------------------- */

/* Rows of a chunk that lie before the extent; 0 past it. */
static uint64_t rows_in(const stoa_direct *direct, uint64_t chunk)
{
    const uint64_t first =
        chunk <= direct->extent / direct->chunk_rows ? chunk * direct->chunk_rows : direct->extent;
    const uint64_t left = direct->extent - first;

    return left < direct->chunk_rows ? left : direct->chunk_rows;
}

/* Where a chunk lies; false where it was never written. The last one of a contiguous dataset is as
 * long as its rows. */
static bool locate(const stoa_direct *direct, uint64_t chunk, stoa_chunk_place *place)
{
    if (direct->is_chunked) {
        const stoa_chunk_place *found = stoa_chunk_map_find(&direct->map, chunk);
        *place = found != NULL ? *found : (stoa_chunk_place){0, 0, 0};
        return found != NULL;
    }
    const uint64_t n_rows = rows_in(direct, chunk);
    *place = (stoa_chunk_place){0, (uint32_t)(n_rows * direct->element_size), 0};
    if (n_rows == 0 || direct->address == HADDR_UNDEF) {
        return false;
    }
    place->address = direct->address + chunk * direct->chunk_rows * direct->element_size;
    return true;
}

uint64_t stoa_direct_stored_bytes(const stoa_direct *direct, uint64_t chunk)
{
    stoa_chunk_place place;

    return locate(direct, chunk, &place) ? place.n_bytes : 0;
}

/* --- bytes ----------------------------------------------------------------------------------- */

/* Name the chunk; the caller knows the dataset. */
static stoa_status blame(const stoa_direct *direct, uint64_t chunk, stoa_status status,
                         const stoa_error *why, stoa_error *err)
{
    const unsigned long long row = chunk * direct->chunk_rows;

    return stoa_fail(err, status, "chunk %llu (rows from %llu on): %s", (unsigned long long)chunk,
                     row, why->message);
}

/* n bytes from byte `skip` of the chunk on. */
static stoa_status load(const stoa_direct *direct, const stoa_chunk_place *place, uint64_t skip,
                        uint64_t n, void *out, stoa_error *err)
{
    if (skip > place->n_bytes || n > place->n_bytes - skip || place->address > direct->file.size ||
        place->n_bytes > direct->file.size - place->address) {
        return stoa_fail(err, STOA_EDATA,
                         "its %u bytes from %llu on pass the end of the file at %llu: the file is "
                         "damaged or was cut off",
                         place->n_bytes, (unsigned long long)place->address,
                         (unsigned long long)direct->file.size);
    }
    const int failed = stoa_disk_read_whole(direct->file.fd, place->address + skip, out, (size_t)n);
    if (failed == ENODATA) {
        return stoa_fail(err, STOA_EIO, "the file has been cut off while it was read");
    }
    return failed == 0 ? STOA_OK : stoa_fail_errno(err, failed, "it cannot be read");
}

/* Swapped where that is what stands between the file and memory. */
static void turn(const stoa_direct *direct, void *elements, uint64_t n)
{
    if (direct->swaps) {
        stoa_byteswap(elements, elements, (size_t)n, direct->element_size, direct->pipeline.simd);
    }
}

static void fill(const stoa_direct *direct, uint64_t n, uint8_t *out)
{
    const size_t size = direct->element_size;

    if (direct->fill == NULL) {
        memset(out, 0, (size_t)n * size);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        memcpy(out + i * size, direct->fill, size);
    }
}

static bool is_too_large(const stoa_direct *direct, const stoa_chunk_place *place)
{
    return place->n_bytes > 2 * (uint64_t)direct->pipeline.chunk_bytes + spare_bytes;
}

/* A filtered chunk as it lies in the file. */
static stoa_status load_stored(const stoa_direct *direct, const stoa_chunk_place *place,
                               stoa_scratch *scratch, uint8_t **stored, stoa_error *err)
{
    if (is_too_large(direct, place)) {
        return stoa_fail(err, STOA_EDATA,
                         "its %u bytes are more than a filter makes of its rows: the file is "
                         "damaged",
                         place->n_bytes);
    }
    *stored = stoa_scratch_block(scratch, STORED_BLOCK, place->n_bytes);
    return *stored != NULL ? load(direct, place, 0, place->n_bytes, *stored, err)
                           : stoa_fail_memory(err);
}

/* A whole chunk in memory form: in `out`, which is aligned, or elsewhere in the scratch. */
static stoa_status unpack(const stoa_direct *direct, uint64_t chunk, const stoa_chunk_place *place,
                          stoa_scratch *scratch, uint8_t *out, const uint8_t **elements,
                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    const size_t n_bytes = direct->pipeline.chunk_bytes;
    uint8_t *stored = NULL;

    *elements = out;
    if (stoa_direct_is_raw(direct, chunk, place->mask)) {
        STOA_TRY(load(direct, place, 0, place->n_bytes, out, &why));
        memset(out + place->n_bytes, 0, n_bytes - place->n_bytes);
    } else {
        STOA_TRY(load_stored(direct, place, scratch, &stored, &why));
        STOA_TRY(stoa_pipeline_undo(&direct->pipeline, place->mask, stored, place->n_bytes, scratch,
                                    out, elements, &why));
    }
    turn(direct, (void *)(uintptr_t)*elements, direct->chunk_rows);

done:
    return status == STOA_OK ? STOA_OK : blame(direct, chunk, status, &why, err);
}

/* --- whole chunks ---------------------------------------------------------------------------- */

stoa_status stoa_direct_chunk(const stoa_direct *direct, uint64_t chunk, stoa_scratch *scratch,
                              const void **elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_chunk_place place;
    const uint8_t *found = NULL;
    uint8_t *out = stoa_scratch_block(scratch, CHUNK_BLOCK, direct->pipeline.chunk_bytes);

    *elements = NULL;
    if (out == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (locate(direct, chunk, &place)) {
        STOA_TRY(unpack(direct, chunk, &place, scratch, out, &found, err));
        *elements = found;
    } else {
        fill(direct, direct->chunk_rows, out);
        *elements = out;
    }

done:
    return status;
}

/* Into room of its own, which others may hold from then on. */
static stoa_status unpack_kept(const stoa_direct *direct, uint64_t chunk,
                               const stoa_chunk_place *place, stoa_scratch *scratch,
                               stoa_held_chunk *made, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *const out = stoa_held_bytes(made);
    const uint8_t *found = NULL;

    STOA_TRY(unpack(direct, chunk, place, scratch, out, &found, err));
    if (found != out) {
        memcpy(out, found, direct->pipeline.chunk_bytes);
    }
    stoa_chunk_cache_keep(direct->cache, (stoa_chunk_key){direct->owner, chunk}, made);

done:
    return status;
}

stoa_status stoa_direct_hold(const stoa_direct *direct, uint64_t chunk, stoa_scratch *scratch,
                             const void **elements, stoa_held_chunk **held, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_chunk_key key = {direct->owner, chunk};
    const size_t n_bytes = direct->pipeline.chunk_bytes;
    stoa_held_chunk *made = NULL;
    stoa_chunk_place place;

    *held = direct->cache != NULL ? stoa_chunk_cache_hold(direct->cache, key) : NULL;
    if (*held == NULL) {
        if (direct->cache != NULL && locate(direct, chunk, &place) &&
            stoa_chunk_cache_wants(direct->cache, key, n_bytes)) {
            made = stoa_chunk_cache_make(n_bytes);
        }
        if (made == NULL) {
            return stoa_direct_chunk(direct, chunk, scratch, elements, err);
        }
        STOA_TRY(unpack_kept(direct, chunk, &place, scratch, made, err));
        *held = made;
        made = NULL;
    }
    *elements = stoa_held_bytes(*held);

done:
    stoa_direct_release(direct, made);
    return status;
}

void stoa_direct_release(const stoa_direct *direct, stoa_held_chunk *held)
{
    if (held != NULL) {
        stoa_chunk_cache_release(direct->cache, held);
    }
}

/* --- some rows ------------------------------------------------------------------------------- */

/* n rows of one chunk. */
typedef struct part {
    uint64_t chunk;
    uint64_t skip;
    uint64_t n;
    uint8_t *out;
    bool keeps; /* the chunk, if it has to be unpacked */
} part;

/* Of a chunk that is packed by scale-offset alone, the bytes that some rows are in, at their places
 * in the block; false where they are not so easily told. */
static stoa_status load_bits(const stoa_direct *direct, const part *p,
                             const stoa_chunk_place *place, stoa_scratch *scratch, uint8_t **stored,
                             bool *found, stoa_error *err)
{
    enum { HEADER = 21, SLACK = 64 };
    stoa_status status = STOA_OK;
    stoa_scaleoffset so;

    *found = place->mask == 0 && place->n_bytes > HEADER &&
             direct->pipeline.filters[0].id == STOA_FILTER_SCALEOFFSET &&
             stoa_scaleoffset_of(&direct->pipeline.filters[0], direct->pipeline.chunk_bytes,
                                 direct->pipeline.simd, &so) &&
             so.bits != 8 * so.size;
    if (!*found) {
        return STOA_OK;
    }
    *stored = stoa_scratch_block(scratch, STORED_BLOCK, place->n_bytes);
    if (*stored == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    const stoa_chunk_key key = {direct->head_owner, p->chunk};
    if (!p->keeps || !stoa_chunk_cache_get(direct->cache, key, 0, HEADER, *stored)) {
        STOA_TRY(load(direct, place, 0, HEADER, *stored, err));
        if (p->keeps) {
            stoa_chunk_cache_put(direct->cache, key, *stored, HEADER);
        }
    }
    const uint64_t width = (*stored)[0]; /* of 4 bytes, little-endian; at most 64 */
    const uint64_t from = HEADER + p->skip * width / 8;
    const uint64_t to = HEADER + (p->skip + p->n) * width / 8 + SLACK;
    const uint64_t end = to < place->n_bytes ? to : place->n_bytes;
    if (from < end) {
        STOA_TRY(load(direct, place, from, end - from, *stored + from, err));
    }

done:
    return status;
}

/* Few rows of a packed chunk, where that is less work than unpacking it. */
static stoa_status pick(const stoa_direct *direct, const part *p, const stoa_chunk_place *place,
                        stoa_scratch *scratch, bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    uint8_t *stored = NULL;

    *found = false;
    if (direct->pipeline.n_filters != 1 || p->n > direct->chunk_rows / PICKED_PART ||
        is_too_large(direct, place)) {
        return STOA_OK;
    }
    STOA_TRY(load_bits(direct, p, place, scratch, &stored, found, &why));
    if (*found) {
        STOA_TRY(stoa_pipeline_pick(&direct->pipeline, place->mask, stored, place->n_bytes, p->skip,
                                    p->n, p->out, found, &why));
    }
    if (*found) {
        turn(direct, p->out, p->n);
    }

done:
    return status == STOA_OK ? STOA_OK : blame(direct, p->chunk, status, &why, err);
}

static bool is_aligned(const void *address)
{
    return (uintptr_t)address % 64 == 0;
}

static stoa_chunk_key key_of(const stoa_direct *direct, const part *p)
{
    return (stoa_chunk_key){direct->owner, p->chunk};
}

/* Through the whole chunk, in place where there is room for it. */
static stoa_status unpack_part(const stoa_direct *direct, const part *p,
                               const stoa_chunk_place *place, stoa_scratch *scratch,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = direct->element_size;
    const size_t n_bytes = direct->pipeline.chunk_bytes;
    const bool is_whole = p->n == direct->chunk_rows && is_aligned(p->out);
    const uint8_t *elements = NULL;
    uint8_t *out = is_whole ? p->out : stoa_scratch_block(scratch, CHUNK_BLOCK, n_bytes);

    if (out == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    STOA_TRY(unpack(direct, p->chunk, place, scratch, out, &elements, err));
    if (elements != p->out) {
        memcpy(p->out, elements + p->skip * size, (size_t)p->n * size);
    }
    if (p->keeps) {
        stoa_chunk_cache_put(direct->cache, key_of(direct, p), elements, n_bytes);
    }

done:
    return status;
}

static bool is_cached(const stoa_direct *direct, const part *p)
{
    const size_t size = direct->element_size;

    return p->keeps && stoa_chunk_cache_get(direct->cache, key_of(direct, p),
                                            (size_t)p->skip * size, (size_t)p->n * size, p->out);
}

/* Rows that can be had without the rest of their chunk; `found` is false where they cannot. */
static stoa_status read_few(const stoa_direct *direct, const part *p, const stoa_chunk_place *place,
                            stoa_scratch *scratch, bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    const size_t size = direct->element_size;

    *found = stoa_direct_is_raw(direct, p->chunk, place->mask);
    if (!*found) {
        return pick(direct, p, place, scratch, found, err);
    }
    status = load(direct, place, p->skip * size, p->n * size, p->out, &why);
    STOA_TRY(status == STOA_OK ? status : blame(direct, p->chunk, status, &why, err));
    turn(direct, p->out, p->n);

done:
    return status;
}

/* One row of a cell, or some: the cell is read whole, unless it is here. */
static stoa_status read_in_cell(const stoa_direct *direct, const part *p,
                                const stoa_chunk_place *place, uint64_t n_rows,
                                stoa_scratch *scratch, bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = direct->element_size;
    const uint64_t cell = p->skip / direct->cell_rows;
    const uint64_t first = cell * direct->cell_rows;
    const uint64_t n = n_rows - first < direct->cell_rows ? n_rows - first : direct->cell_rows;
    const uint64_t cells = (direct->chunk_rows - 1) / direct->cell_rows + 1; /* of a chunk */
    const stoa_chunk_key key = {direct->cell_owner, p->chunk * cells + cell};
    const size_t offset = (size_t)(p->skip - first) * size;

    *found = stoa_chunk_cache_get(direct->cache, key, offset, (size_t)p->n * size, p->out);
    if (*found) {
        return STOA_OK;
    }
    const part whole = {p->chunk, first, n,
                        stoa_scratch_block(scratch, CHUNK_BLOCK, (size_t)n * size), true};
    STOA_TRY(whole.out != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(read_few(direct, &whole, place, scratch, found, err));
    if (*found) {
        memcpy(p->out, whole.out + offset, (size_t)p->n * size);
        stoa_chunk_cache_put(direct->cache, key, whole.out, (size_t)n * size);
    }

done:
    return status;
}

/* Rows that are looked up, of one or two cells. */
static stoa_status look_up_few(const stoa_direct *direct, const part *p,
                               const stoa_chunk_place *place, stoa_scratch *scratch, bool *found,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_rows = direct->is_chunked ? direct->chunk_rows : rows_in(direct, p->chunk);
    part some = *p;

    *found = false;
    if (!p->keeps || p->n > direct->cell_rows) {
        return STOA_OK;
    }
    const uint64_t left = direct->cell_rows - p->skip % direct->cell_rows;
    some.n = left < p->n ? left : p->n;
    STOA_TRY(read_in_cell(direct, &some, place, n_rows, scratch, found, err));
    if (*found && some.n < p->n) {
        some.skip += some.n;
        some.out += some.n * direct->element_size;
        some.n = p->n - some.n;
        STOA_TRY(read_in_cell(direct, &some, place, n_rows, scratch, found, err));
    }

done:
    return status;
}

static stoa_status read_part(const stoa_direct *direct, const part *p, stoa_scratch *scratch,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_chunk_place place;
    bool found = false;

    if (!locate(direct, p->chunk, &place)) {
        fill(direct, p->n, p->out);
        goto done;
    }
    if (is_cached(direct, p)) {
        goto done;
    }
    STOA_TRY(look_up_few(direct, p, &place, scratch, &found, err));
    if (!found) {
        STOA_TRY(read_few(direct, p, &place, scratch, &found, err));
    }
    if (!found) {
        STOA_TRY(unpack_part(direct, p, &place, scratch, err));
    }

done:
    return status;
}

/* From the chunk itself, held meanwhile. */
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

typedef stoa_status (*part_reader)(const stoa_direct *direct, const part *p, stoa_scratch *scratch,
                                   stoa_error *err);

static stoa_status read_parts(const stoa_direct *direct, uint64_t first, uint64_t count,
                              part_reader reader, bool keeps, stoa_scratch *scratch, void *out,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *to = out;

    if (first > direct->extent || count > direct->extent - first) {
        STOA_FAIL(err, STOA_ERANGE, "rows %llu to %llu pass the extent %llu",
                  (unsigned long long)first, (unsigned long long)(first + count),
                  (unsigned long long)direct->extent);
    }
    while (count > 0) {
        const uint64_t skip = first % direct->chunk_rows;
        const uint64_t left = direct->chunk_rows - skip;
        const part p = {first / direct->chunk_rows, skip, left < count ? left : count, to, keeps};
        STOA_TRY(reader(direct, &p, scratch, err));
        to += p.n * direct->element_size;
        first += p.n;
        count -= p.n;
    }

done:
    return status;
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
    return read_parts(direct, first, count, read_part, direct->cache != NULL, scratch, out, err);
}

/* --- chosen rows ----------------------------------------------------------------------------- */

/* Bytes of rows that are unpacked at a time, to be chosen from while they are in the nearest cache.
 * Fewer than one row of so many are unpacked one by one. */
enum { CHOICE_BYTES = 16384, FEW_OF = 128 };

/* Rows of a chunk packed by scale-offset alone, of which those of the bits are wanted. */
typedef struct choice {
    stoa_scaleoffset so;
    const uint8_t *stored;
    size_t n_stored;
    uint64_t skip; /* the row of bit 0 */
    uint64_t count;
    const uint8_t *bits;
} choice;

static bool choose_few(const choice *c, uint8_t *out)
{
    for (uint64_t byte = 0; byte < stoa_bit_bytes(c->count); byte++) {
        for (unsigned left = c->bits[byte]; left != 0; left &= left - 1) {
            const uint64_t i = byte * 8 + (unsigned)__builtin_ctz(left);
            if (i < c->count) {
                if (!stoa_scaleoffset_pick(&c->so, c->stored, c->n_stored, c->skip + i, 1, out)) {
                    return false;
                }
                out += c->so.size;
            }
        }
    }
    return true;
}

/* `rows` has room for CHOICE_BYTES. */
static bool choose_many(const choice *c, uint8_t *rows, uint8_t *out)
{
    const size_t size = c->so.size;
    const uint64_t step = CHOICE_BYTES / size;
    stoa_compact *compact = stoa_compact_kernels_of(c->so.simd)->by_width[stoa_compact_place(size)];

    for (uint64_t at = 0; at < c->count; at += step) {
        const uint64_t n = c->count - at < step ? c->count - at : step;
        if (!stoa_scaleoffset_pick(&c->so, c->stored, c->n_stored, c->skip + at, n, rows)) {
            return false;
        }
        out += compact(rows, c->bits + at / 8, n, out) * size;
    }
    return true;
}

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
    const stoa_pipeline *pipeline = &direct->pipeline;
    const uint64_t chunk = first / direct->chunk_rows;
    choice c = {.skip = first % direct->chunk_rows, .count = count, .bits = bits};
    stoa_error why = STOA_ERROR_INIT;
    stoa_chunk_place place;
    uint8_t *stored = NULL;

    *found =
        is_one_chunk(direct, first, count) && pipeline->n_filters == 1 &&
        pipeline->filters[0].id == STOA_FILTER_SCALEOFFSET && locate(direct, chunk, &place) &&
        !stoa_direct_is_raw(direct, chunk, place.mask) &&
        stoa_scaleoffset_of(&pipeline->filters[0], pipeline->chunk_bytes, pipeline->simd, &c.so);
    if (!*found) {
        return STOA_OK;
    }
    uint8_t *rows = stoa_scratch_block(scratch, CHUNK_BLOCK, CHOICE_BYTES);
    if (rows == NULL) {
        STOA_TRY(stoa_fail_memory(&why));
    }
    STOA_TRY(load_stored(direct, &place, scratch, &stored, &why));
    c.stored = stored;
    c.n_stored = place.n_bytes;
    if (!(n < count / FEW_OF ? choose_few(&c, out) : choose_many(&c, rows, out))) {
        STOA_FAIL(&why, STOA_EDATA, "a chunk is damaged: scale-offset cannot be undone");
    }
    turn(direct, out, n);

done:
    return status == STOA_OK ? STOA_OK : blame(direct, chunk, status, &why, err);
}

/* --- ahead ----------------------------------------------------------------------------------- */

bool stoa_direct_is_at_hand(const stoa_direct *direct, uint64_t chunk)
{
    stoa_chunk_place place;

    return !locate(direct, chunk, &place) || place.n_bytes == 0 ||
           stoa_disk_is_at_hand(direct->file.fd, place.address + place.n_bytes - 1);
}

/* No promise, so that no failure matters. */
static void want(const stoa_direct *direct, uint64_t start, uint64_t end)
{
#ifdef POSIX_FADV_WILLNEED
    if (end > start && end <= INT64_MAX) {
        (void)posix_fadvise(direct->file.fd, (off_t)start, (off_t)(end - start),
                            POSIX_FADV_WILLNEED);
    }
#endif
}

void stoa_direct_announce(const stoa_direct *direct, uint64_t first, uint64_t n)
{
    uint64_t start = 0;
    uint64_t end = 0;
    stoa_chunk_place place;

    for (uint64_t chunk = first; chunk < first + n; chunk++) {
        if (!locate(direct, chunk, &place)) {
            continue;
        }
        if (place.address < end || place.address - end > max_gap) {
            want(direct, start, end);
            start = place.address;
        }
        end = place.address + place.n_bytes;
    }
    want(direct, start, end);
}
