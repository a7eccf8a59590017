/* Reads chunks of datasets without libhdf5, and announces reads to the system. */
#include "hdf/read/direct.h"

#include <fcntl.h>
#include <string.h>

#include "codec/kernels/byteswap.h"
#include "hdf/chunk/unpack.h"
#include "hdf/journal/disk.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/read/direct_parts.h"

/* Chunks further apart than this are announced separately. */
static const uint64_t max_gap = UINT64_C(1) << 16;

uint64_t stoa_direct_extent(const stoa_direct *direct)
{
    return direct->extent;
}

uint64_t stoa_direct_chunk_rows(const stoa_direct *direct)
{
    return direct->chunk_rows;
}

bool stoa_direct_is_packed(const stoa_direct *direct)
{
    return direct->pipeline.n_filters > 0;
}

bool stoa_direct_picks(const stoa_direct *direct)
{
    const stoa_pipeline *pipeline = &direct->pipeline;

    return pipeline->n_filters == 0 ||
           (pipeline->n_filters == 1 && pipeline->filters[0].id == STOA_FILTER_SCALEOFFSET);
}

size_t stoa_direct_element_size(const stoa_direct *direct)
{
    return direct->element_size;
}

void stoa_direct_share(stoa_direct *direct)
{
    direct->is_shared = true;
}

bool stoa_direct_is_raw(const stoa_direct *direct, uint64_t chunk, uint32_t mask)
{
    const size_t n = direct->pipeline.n_filters;
    const uint32_t all = n >= 32 ? ~UINT32_C(0) : (UINT32_C(1) << n) - 1;

    return !direct->is_cut && ((mask & all) == all || chunk >= direct->first_unfiltered);
}

/* --- addresses ------------------------------------------------------------------------------- */

uint64_t stoa_direct_rows_in(const stoa_direct *direct, uint64_t chunk)
{
    const uint64_t first =
        chunk <= direct->extent / direct->chunk_rows ? chunk * direct->chunk_rows : direct->extent;
    const uint64_t left = direct->extent - first;

    return left < direct->chunk_rows ? left : direct->chunk_rows;
}

/* The chunk; if it is a part, the first chunk of which it has rows. */
static const stoa_chunk_place *find_stored(const stoa_direct *direct, uint64_t chunk)
{
    if (!direct->is_cut) {
        return stoa_chunk_map_find(&direct->map, chunk);
    }
    const uint64_t first = chunk * direct->chunk_rows;
    const uint64_t n = stoa_direct_rows_in(direct, chunk);
    const stoa_chunk_place *found = stoa_chunk_map_find(&direct->map, first / direct->stored_rows);

    return found != NULL || n == 0
               ? found
               : stoa_chunk_map_find(&direct->map, (first + n - 1) / direct->stored_rows);
}

bool stoa_direct_locate(const stoa_direct *direct, uint64_t chunk, stoa_chunk_place *place)
{
    if (direct->is_chunked) {
        const stoa_chunk_place *found = find_stored(direct, chunk);
        *place = found != NULL ? *found : (stoa_chunk_place){0, 0, 0};
        return found != NULL;
    }
    const uint64_t n_rows = stoa_direct_rows_in(direct, chunk);
    *place = (stoa_chunk_place){0, (uint32_t)(n_rows * direct->element_size), 0};
    if (n_rows == 0 || direct->address == HADDR_UNDEF) {
        return false;
    }
    place->address = direct->address + chunk * direct->chunk_rows * direct->element_size;
    return true;
}

/* --- bytes ----------------------------------------------------------------------------------- */

stoa_status stoa_direct_blame(const stoa_direct *direct, uint64_t chunk, stoa_status status,
                              const stoa_error *why, stoa_error *err)
{
    const unsigned long long row = chunk * direct->chunk_rows;

    return stoa_fail(err, status, "chunk %llu (rows from %llu on): %s", (unsigned long long)chunk,
                     row, why->message);
}

/* Check that the file has bytes [skip, skip + n) of a chunk. */
static stoa_status check_bytes(const stoa_direct *direct, const stoa_chunk_place *place,
                               uint64_t skip, uint64_t n, stoa_error *err)
{
    if (skip > place->n_bytes || n > place->n_bytes - skip ||
        !stoa_descriptor_has(direct->file, place->address, place->n_bytes)) {
        return stoa_fail(err, STOA_EDATA,
                         "its %u bytes from %llu on pass the end of the file at %llu: the file is "
                         "damaged or was cut off",
                         place->n_bytes, (unsigned long long)place->address,
                         (unsigned long long)direct->file->size);
    }
    return STOA_OK;
}

stoa_status stoa_direct_load(const stoa_direct *direct, const stoa_chunk_place *place,
                             uint64_t skip, uint64_t n, void *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(check_bytes(direct, place, skip, n, err));
    return stoa_descriptor_read(direct->file, place->address + skip, n, out, err);
}

void stoa_direct_turn(const stoa_direct *direct, void *elements, uint64_t n)
{
    if (direct->swaps) {
        stoa_byteswap(elements, elements, (size_t)n, direct->element_size, direct->pipeline.simd);
    }
}

bool stoa_direct_is_too_large(const stoa_direct *direct, const stoa_chunk_place *place)
{
    return stoa_chunk_is_huge(place->n_bytes, direct->pipeline.chunk_bytes);
}

/* Check the bytes of a filtered chunk before they are read. */
static stoa_status check_stored(const stoa_direct *direct, const stoa_chunk_place *place,
                                stoa_error *err)
{
    if (stoa_direct_is_too_large(direct, place)) {
        return stoa_fail(err, STOA_EDATA,
                         "its %u bytes are more than a filter makes of its rows: the file is "
                         "damaged",
                         place->n_bytes);
    }
    return check_bytes(direct, place, 0, place->n_bytes, err);
}

stoa_status stoa_direct_load_stored(const stoa_direct *direct, const stoa_chunk_place *place,
                                    stoa_scratch *scratch, uint8_t **stored, stoa_error *err)
{
    STOA_RETURN_NOT_OK(check_stored(direct, place, err));
    *stored = stoa_scratch_block(scratch, STOA_STORED_BLOCK, place->n_bytes);
    return *stored != NULL
               ? stoa_descriptor_read(direct->file, place->address, place->n_bytes, *stored, err)
               : stoa_fail_memory(err);
}

/* What load_part() needs. */
typedef struct part_source {
    const stoa_direct *direct;
    const stoa_chunk_place *place;
    uint8_t *stored;
    stoa_error *err;
} part_source;

static stoa_status load_part(void *context, size_t first, size_t n)
{
    const part_source *const from = context;

    return stoa_descriptor_read(from->direct->file, from->place->address + first, n,
                                from->stored + first, from->err);
}

/* Decode rows [skip, skip + n) of a stored chunk. */
static stoa_status unpack_rows(const stoa_direct *direct, const stoa_chunk_place *place,
                               uint64_t skip, uint64_t n, stoa_scratch *scratch, uint8_t *out,
                               stoa_error *err)
{
    const size_t size = direct->element_size;

    if ((place->mask & 1) != 0) {
        return stoa_direct_load(direct, place, skip * size, n * size, out, err);
    }
    STOA_RETURN_NOT_OK(check_stored(direct, place, err));
    uint8_t *const stored = stoa_scratch_block(scratch, STOA_STORED_BLOCK, place->n_bytes);
    STOA_RETURN_NO_MEMORY(err, stored);
    part_source from = {direct, place, stored, err};
    return stoa_pipeline_undo_part(&direct->pipeline, stored, place->n_bytes,
                                   &(stoa_loader){load_part, &from}, scratch, (size_t)skip * size,
                                   (size_t)n * size, out, err);
}

/* Decode a part of one chunk, or of two, to memory form. Rows past the extent are zeros. */
static stoa_status unpack_cut(const stoa_direct *direct, uint64_t chunk, stoa_scratch *scratch,
                              uint8_t *out, stoa_error *err)
{
    const size_t size = direct->element_size;
    const uint64_t first = chunk * direct->chunk_rows;
    const uint64_t n_rows = stoa_direct_rows_in(direct, chunk);

    for (uint64_t done = 0, n = 0; done < n_rows; done += n) {
        const uint64_t number = (first + done) / direct->stored_rows;
        const uint64_t skip = (first + done) % direct->stored_rows;
        const uint64_t left = direct->stored_rows - skip;
        const stoa_chunk_place *const place = stoa_chunk_map_find(&direct->map, number);
        n = left < n_rows - done ? left : n_rows - done;
        if (place != NULL) {
            STOA_RETURN_NOT_OK(
                unpack_rows(direct, place, skip, n, scratch, out + done * size, err));
            stoa_direct_turn(direct, out + done * size, n);
        } else { /* in memory form already */
            stoa_fill_put(direct->fill, size, n, out + done * size);
        }
    }
    memset(out + n_rows * size, 0, (size_t)(direct->chunk_rows - n_rows) * size);
    return STOA_OK;
}

stoa_status stoa_direct_unpack(const stoa_direct *direct, uint64_t chunk,
                               const stoa_chunk_place *place, stoa_scratch *scratch, uint8_t *out,
                               const uint8_t **elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    const size_t n_bytes = direct->pipeline.chunk_bytes;
    uint8_t *stored = NULL;

    *elements = out;
    if (direct->is_cut) {
        STOA_TRY(unpack_cut(direct, chunk, scratch, out, &why));
        goto done;
    }
    if (stoa_direct_is_raw(direct, chunk, place->mask)) {
        STOA_TRY(stoa_direct_load(direct, place, 0, place->n_bytes, out, &why));
        memset(out + place->n_bytes, 0, n_bytes - place->n_bytes);
    } else {
        STOA_TRY(stoa_direct_load_stored(direct, place, scratch, &stored, &why));
        STOA_TRY(stoa_pipeline_undo(&direct->pipeline, place->mask, stored, place->n_bytes, scratch,
                                    out, elements, &why));
    }
    stoa_direct_turn(direct, (void *)(uintptr_t)*elements, direct->chunk_rows);

done:
    return status == STOA_OK ? STOA_OK : stoa_direct_blame(direct, chunk, status, &why, err);
}

/* --- whole chunks ---------------------------------------------------------------------------- */

stoa_status stoa_direct_chunk(const stoa_direct *direct, uint64_t chunk, stoa_scratch *scratch,
                              const void **elements, stoa_error *err)
{
    stoa_chunk_place place;
    const uint8_t *found = NULL;
    uint8_t *out = stoa_scratch_block(scratch, STOA_CHUNK_BLOCK, stoa_direct_chunk_bytes(direct));

    *elements = NULL;
    STOA_RETURN_NO_MEMORY(err, out);
    if (stoa_direct_locate(direct, chunk, &place)) {
        STOA_RETURN_NOT_OK(stoa_direct_unpack(direct, chunk, &place, scratch, out, &found, err));
        *elements = found;
    } else {
        stoa_fill_put(direct->fill, direct->element_size, direct->chunk_rows, out);
        *elements = out;
    }
    return STOA_OK;
}

/* Decode a chunk into `made`, and put that into the cache. */
static stoa_status unpack_kept(const stoa_direct *direct, uint64_t chunk,
                               const stoa_chunk_place *place, stoa_scratch *scratch,
                               stoa_held_chunk *made, stoa_error *err)
{
    uint8_t *const out = stoa_held_bytes(made);
    const uint8_t *found = NULL;

    STOA_RETURN_NOT_OK(stoa_direct_unpack(direct, chunk, place, scratch, out, &found, err));
    if (found != out) {
        memcpy(out, found, stoa_direct_chunk_bytes(direct));
    }
    stoa_chunk_cache_keep(direct->cache, (stoa_chunk_key){direct->owner, chunk}, made);
    return STOA_OK;
}

stoa_status stoa_direct_hold(const stoa_direct *direct, uint64_t chunk, stoa_scratch *scratch,
                             const void **elements, stoa_held_chunk **held, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_chunk_key key = {direct->owner, chunk};
    const size_t n_bytes = stoa_direct_chunk_bytes(direct);
    stoa_held_chunk *made = NULL;
    stoa_chunk_place place;

    *held = stoa_chunk_cache_hold(direct->cache, key);
    if (*held == NULL) {
        if (stoa_direct_locate(direct, chunk, &place) &&
            (direct->is_shared || stoa_chunk_cache_wants(direct->cache, key, n_bytes))) {
            made = stoa_chunk_cache_make(direct->cache, n_bytes);
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

/* --- read-ahead ------------------------------------------------------------------------------ */

bool stoa_direct_is_at_hand(const stoa_direct *direct, uint64_t chunk)
{
    stoa_chunk_place place;

    return !stoa_direct_locate(direct, chunk, &place) || place.n_bytes == 0 ||
           stoa_disk_is_at_hand(direct->file->fd, place.address + place.n_bytes - 1);
}

/* Errors are ignored: this is only advice to the system. */
static void want(const stoa_direct *direct, uint64_t start, uint64_t end)
{
#ifdef POSIX_FADV_WILLNEED
    if (end > start && end <= INT64_MAX) {
        (void)posix_fadvise(direct->file->fd, (off_t)start, (off_t)(end - start),
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
        const bool begins = /* for the first of its parts */
            !direct->is_cut ||
            chunk * direct->chunk_rows % direct->stored_rows < direct->chunk_rows;
        if (!begins || !stoa_direct_locate(direct, chunk, &place)) {
            continue;
        }
        if (end == 0 || place.address < end || place.address - end > max_gap) {
            want(direct, start, end);
            start = place.address;
        }
        end = place.address + place.n_bytes;
    }
    want(direct, start, end);
}
