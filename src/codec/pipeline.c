/*
 * Filter pipelines: filters are applied and undone between the blocks of a scratch.
 *
 * Invariants
 *
 * 1. No filter writes to a block that holds its input or the caller's chunk.
 * 2. When undoing, each filter has as much room as its encoder may have been given. The last one to
 *    be undone writes into the caller's chunk and has room for that alone.
 */
#include "codec/pipeline.h"

#include <math.h>
#include <string.h>

#include "codec/filter.h"
#include "codec/kernels/scaleoffset.h"

enum { N_BLOCKS = sizeof((stoa_scratch *)0)->blocks / sizeof(uint8_t *) };

static const stoa_codec *const codecs[] = {
    &stoa_codec_deflate, &stoa_codec_shuffle, &stoa_codec_fletcher32, &stoa_codec_scaleoffset,
    &stoa_codec_blosc,   &stoa_codec_lz4,     &stoa_codec_bitshuffle, &stoa_codec_zstd,
    &stoa_codec_bzip2,   &stoa_codec_lzo,     &stoa_codec_blosc2,     &stoa_codec_lzf,
};

static const stoa_codec *codec_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        if (codecs[i]->id == id) {
            return codecs[i];
        }
    }
    return NULL;
}

const char *stoa_filter_name(uint32_t id)
{
    const stoa_codec *const codec = codec_of(id);

    return codec != NULL ? codec->name : NULL;
}

/* Whether the filter maps n bytes to n bytes in both directions. */
static bool keeps_size(const stoa_filter *filter, size_t n)
{
    return codec_of(filter->id)->bound(filter, n) == n;
}

bool stoa_pipeline_is_known(const stoa_pipeline *pipeline)
{
    bool is_whole = true; /* still the size of a chunk */

    if (pipeline->n_filters > STOA_MAX_FILTERS || pipeline->chunk_bytes == 0 ||
        pipeline->element_size == 0 || pipeline->chunk_bytes % pipeline->element_size != 0) {
        return false;
    }
    for (size_t i = 0; i < pipeline->n_filters; i++) {
        const stoa_filter *filter = &pipeline->filters[i];
        const stoa_codec *codec = codec_of(filter->id);

        if (codec == NULL || filter->n_values > STOA_MAX_FILTER_VALUES ||
            !codec->is_known(pipeline, filter)) {
            return false;
        }
        if (codec == &stoa_codec_scaleoffset && !is_whole) {
            return false; /* it would encode other data of the same size as a chunk */
        }
        is_whole = is_whole && keeps_size(filter, pipeline->chunk_bytes);
    }
    return true;
}

static bool is_left_out(uint32_t mask, size_t step)
{
    return (mask >> step & 1) != 0;
}

/* The most bytes that a chunk can have before step `end`. */
static size_t bound_before(const stoa_pipeline *pipeline, uint32_t mask, size_t end)
{
    size_t n = pipeline->chunk_bytes;

    for (size_t i = 0; i < end; i++) {
        if (!is_left_out(mask, i)) {
            n = codec_of(pipeline->filters[i].id)->bound(&pipeline->filters[i], n);
        }
    }
    return n;
}

size_t stoa_pipeline_bound(const stoa_pipeline *pipeline)
{
    const size_t n = bound_before(pipeline, 0, pipeline->n_filters);

    /* If compression does not pay, checksums are added to the uncompressed chunk. */
    return n > pipeline->chunk_bytes + 4 * pipeline->n_filters
               ? n
               : pipeline->chunk_bytes + 4 * pipeline->n_filters;
}

/* --- steps ----------------------------------------------------------------------------------- */

static bool lies_in(const stoa_scratch *scratch, int block, const uint8_t *bytes)
{
    return scratch->blocks[block] != NULL &&
           (uintptr_t)bytes - (uintptr_t)scratch->blocks[block] < scratch->sizes[block];
}

/*
 * Prepare a step from `in` to `out`, or to a block of the scratch if `out` is NULL.
 *
 * @param keep  the caller's chunk, whose block must not be used
 */
static stoa_status begin_step(const stoa_pipeline *pipeline, size_t i, const uint8_t *in,
                              size_t n_in, const uint8_t *keep, uint8_t *out, size_t room,
                              stoa_scratch *scratch, stoa_step *step)
{
    int free_blocks[N_BLOCKS];
    int n = 0;

    for (int k = 0; k < N_BLOCKS; k++) { /* leaves at least two */
        if (!lies_in(scratch, k, in) && !lies_in(scratch, k, keep)) {
            free_blocks[n++] = k;
        }
    }
    uint8_t *const target = out != NULL ? out : stoa_scratch_block(scratch, free_blocks[0], room);
    *step = (stoa_step){
        .pipeline = pipeline,
        .filter = &pipeline->filters[i],
        .in = in,
        .n_in = n_in,
        .out = target,
        .room = room,
        .scratch = scratch,
        .spare = free_blocks[1],
    };
    return step->out != NULL ? STOA_OK : STOA_ENOMEM;
}

/* --- undoing --------------------------------------------------------------------------------- */

static stoa_status blame(const stoa_codec *codec, stoa_status status, stoa_error *err)
{
    if (status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    return status == STOA_EDATA
               ? stoa_fail(err, status, "a chunk is damaged: %s cannot be undone", codec->name)
               : status;
}

static stoa_status undo_steps(const stoa_pipeline *pipeline, uint32_t mask, stoa_scratch *scratch,
                              uint8_t *out, const uint8_t **bytes, size_t *n, stoa_error *err)
{
    for (size_t i = pipeline->n_filters; i-- > 0;) {
        stoa_step step;
        bool is_last = true;

        if (is_left_out(mask, i)) {
            continue;
        }
        for (size_t k = 0; k < i; k++) {
            is_last = is_last && is_left_out(mask, k);
        }
        stoa_status status = begin_step(pipeline, i, *bytes, *n, out, is_last ? out : NULL,
                                        bound_before(pipeline, mask, i), scratch, &step);
        const stoa_codec *codec = codec_of(step.filter->id);
        if (status == STOA_OK) {
            status = codec->undo(&step);
        }
        STOA_RETURN_NOT_OK(blame(codec, status, err));
        *bytes = step.result;
        *n = step.n_result;
    }
    return STOA_OK;
}

stoa_status stoa_pipeline_undo(const stoa_pipeline *pipeline, uint32_t mask, const uint8_t *stored,
                               size_t n_stored, stoa_scratch *scratch, uint8_t *out,
                               const uint8_t **chunk, stoa_error *err)
{
    const uint8_t *bytes = stored;
    size_t n = n_stored;

    scratch->kept = NULL;
    STOA_RETURN_NOT_OK(undo_steps(pipeline, mask, scratch, out, &bytes, &n, err));
    if (n != pipeline->chunk_bytes) {
        return stoa_fail(err, STOA_EDATA,
                         "a chunk is damaged: it unpacks to %zu bytes, its rows take up %zu", n,
                         pipeline->chunk_bytes);
    }
    if (bytes != stored && bytes != out) { /* the last filter undone was a checksum */
        memcpy(out, bytes, n);
        bytes = out;
    }
    *chunk = bytes;
    return STOA_OK;
}

bool stoa_pipeline_has_parts(const stoa_pipeline *pipeline)
{
    return pipeline->n_filters == 1 && codec_of(pipeline->filters[0].id)->undo_part != NULL;
}

stoa_status stoa_pipeline_undo_part(const stoa_pipeline *pipeline, const uint8_t *stored,
                                    size_t n_stored, const stoa_loader *loader,
                                    stoa_scratch *scratch, size_t first, size_t n, uint8_t *out,
                                    stoa_error *err)
{
    const stoa_codec *const codec = codec_of(pipeline->filters[0].id);
    stoa_step step;

    scratch->kept = NULL;
    stoa_status status = begin_step(pipeline, 0, stored, n_stored, out, out, n, scratch, &step);
    if (status == STOA_OK) {
        step.loader = loader;
        status = codec->undo_part(&step, first, n);
    }
    return blame(codec, status, err);
}

stoa_status stoa_filter_undo(const stoa_filter *filter, const uint8_t *in, size_t n_in,
                             stoa_scratch *scratch, uint8_t *out, size_t room, size_t *n)
{
    stoa_pipeline pipeline = {
        .n_filters = 1, .chunk_bytes = room, .element_size = 1, .simd = stoa_simd_of_cpu()};
    const stoa_codec *const codec = codec_of(filter->id);
    stoa_status status = STOA_EDATA;
    stoa_step step;

    *n = 0;
    pipeline.filters[0] = *filter;
    if (codec != NULL) {
        status = begin_step(&pipeline, 0, in, n_in, out, out, room, scratch, &step);
        status = status == STOA_OK ? codec->undo(&step) : status;
    }
    if (status == STOA_OK && step.n_result > room) {
        status = STOA_EDATA;
    }
    if (status == STOA_OK) {
        memmove(out, step.result, step.n_result);
        *n = step.n_result;
    }
    return status;
}

/* Whether all steps were skipped. */
static bool is_stored_as_it_is(const stoa_pipeline *pipeline, uint32_t mask)
{
    for (size_t i = 0; i < pipeline->n_filters; i++) {
        if (!is_left_out(mask, i)) {
            return false;
        }
    }
    return true;
}

stoa_status stoa_pipeline_decode_range(const stoa_pipeline *pipeline, uint32_t mask,
                                       const uint8_t *stored, size_t n_stored, uint64_t first,
                                       uint64_t n, uint8_t *out, bool *found, stoa_error *err)
{
    const size_t size = pipeline->element_size;
    const uint64_t n_elements = pipeline->chunk_bytes / size;
    stoa_scaleoffset so;

    *found = false;
    if (first > n_elements || n > n_elements - first) {
        return stoa_fail(err, STOA_ERANGE, "elements past the end of a chunk");
    }
    if (is_stored_as_it_is(pipeline, mask)) {
        if (n_stored != pipeline->chunk_bytes) {
            return stoa_fail(err, STOA_EDATA,
                             "a chunk is damaged: it has %zu bytes, its rows take up %zu", n_stored,
                             pipeline->chunk_bytes);
        }
        memcpy(out, stored + first * size, (size_t)n * size);
        *found = true;
    } else if (stoa_scaleoffset_alone(pipeline, mask, &so)) {
        if (!stoa_scaleoffset_decode_range(&so, stored, n_stored, first, n, out)) {
            return stoa_fail(err, STOA_EDATA, "a chunk is damaged: %s cannot be undone",
                             stoa_codec_scaleoffset.name);
        }
        *found = true;
    }
    return STOA_OK;
}

/* --- applying -------------------------------------------------------------------------------- */

/* Apply all filters not in the mask, and add those that this chunk must skip to the mask. */
static stoa_status apply_steps(const stoa_pipeline *pipeline, stoa_scratch *scratch,
                               const uint8_t **bytes, size_t *n, uint32_t *mask, stoa_error *err)
{
    const uint8_t *chunk = *bytes;

    for (size_t i = 0; i < pipeline->n_filters; i++) {
        const stoa_codec *codec = codec_of(pipeline->filters[i].id);
        stoa_step step;

        if (is_left_out(*mask, i)) {
            continue;
        }
        const size_t room = codec->bound(&pipeline->filters[i], *n);
        stoa_status status = begin_step(pipeline, i, *bytes, *n, chunk, NULL, room, scratch, &step);
        if (status == STOA_OK) {
            step.mask = *mask;
            status = codec->apply(&step);
        }
        if (status == STOA_ERANGE) {
            *mask |= UINT32_C(1) << i;
        } else if (status != STOA_OK) {
            return stoa_fail_memory(err);
        } else {
            *bytes = step.result;
            *n = step.n_result;
        }
    }
    return STOA_OK;
}

/* The filters that compress. Filters that keep the size are never skipped, as in libhdf5. When
 * libhdf5 rewrites a chunk in the same size, it does not update the mask. */
static uint32_t mask_of_packing(const stoa_pipeline *pipeline, size_t *n_checksums)
{
    uint32_t mask = 0;

    *n_checksums = 0;
    for (size_t i = 0; i < pipeline->n_filters; i++) {
        if (pipeline->filters[i].id == STOA_FILTER_FLETCHER32) {
            *n_checksums += 1;
        } else if (!keeps_size(&pipeline->filters[i], pipeline->chunk_bytes)) {
            mask |= UINT32_C(1) << i;
        }
    }
    return mask;
}

/* --- which filters a chunk takes ---------------------------------------------------------------
 */

/* The filters behind scale-offset that compress, or rearrange bytes for one that does. 0: there is
 * no scale-offset, or nothing behind it. */
static uint32_t mask_behind_scaleoffset(const stoa_pipeline *pipeline)
{
    uint32_t mask = 0;
    bool packs = false;

    if (pipeline->n_filters == 0 || pipeline->filters[0].id != STOA_FILTER_SCALEOFFSET) {
        return 0;
    }
    for (size_t i = 1; i < pipeline->n_filters; i++) {
        const uint32_t id = pipeline->filters[i].id;
        mask |= id != STOA_FILTER_FLETCHER32 ? UINT32_C(1) << i : 0;
        packs = packs || (id != STOA_FILTER_FLETCHER32 && id != STOA_FILTER_SHUFFLE);
    }
    return packs ? mask : 0;
}

static uint32_t mask_of_shuffles(const stoa_pipeline *pipeline)
{
    uint32_t mask = 0;

    for (size_t i = 0; i < pipeline->n_filters; i++) {
        mask |= pipeline->filters[i].id == STOA_FILTER_SHUFFLE ? UINT32_C(1) << i : 0;
    }
    return mask;
}

/* Whether the last filter is deflate of the level that is for speed. */
static bool is_for_speed(const stoa_pipeline *pipeline)
{
    const stoa_filter *const last = &pipeline->filters[pipeline->n_filters - 1];

    return last->id == STOA_FILTER_DEFLATE && stoa_filter_value(last, 0, 0) == 1;
}

/* The same filters for the first rows of a chunk, with deflate of a level that takes little time:
 * the order of the choices hardly depends on it. */
static stoa_pipeline pipeline_of_piece(const stoa_pipeline *pipeline)
{
    enum { LEAST_ROWS = 4096, TRIAL_LEVEL = 5 };
    const size_t n = pipeline->chunk_bytes / pipeline->element_size;
    const size_t first = n / (is_for_speed(pipeline) ? 8 : 4);
    const size_t part = first > LEAST_ROWS ? first : LEAST_ROWS;
    stoa_pipeline piece = *pipeline;

    if (part < n) {
        piece.chunk_bytes = part * pipeline->element_size;
        stoa_scaleoffset_shorten(&piece.filters[0], (uint32_t)part);
    }
    for (size_t i = 0; i < piece.n_filters; i++) {
        stoa_filter *const filter = &piece.filters[i];
        if (filter->id == STOA_FILTER_DEFLATE && filter->values[0] > TRIAL_LEVEL) {
            filter->values[0] = TRIAL_LEVEL;
        }
    }
    return piece;
}

/* What a byte costs if more bytes must be decoded for it. */
#define MORE_BYTES 1.02

/*
 * Choose the filters of a chunk. Scale-offset alone is judged by what it makes of the chunk. The
 * other choices are judged by what they make of its first rows: all but shuffle, all, and both of
 * these without scale-offset.
 *
 * Without scale-offset, deflate has several times as many bytes to undo, which must save something.
 * For speed, the others must save a good deal: scale-offset alone is decoded at least five times as
 * fast. Of one byte a value they must save more, since there are as many values in each byte.
 */
static stoa_status choose_mask(const stoa_pipeline *pipeline, const uint8_t *chunk,
                               stoa_scratch *scratch, uint32_t *mask, stoa_error *err)
{
    enum { N_BEHIND = 2 }; /* choices with scale-offset */
    const uint32_t behind = mask_behind_scaleoffset(pipeline);
    const uint32_t shuffles = mask_of_shuffles(pipeline);
    const uint32_t choices[] = {shuffles, 0, 1 | shuffles, 1};
    const stoa_pipeline piece = pipeline_of_piece(pipeline);
    const double share = !is_for_speed(pipeline) ? 1.0 : pipeline->element_size == 1 ? 0.6 : 0.85;
    const uint8_t *bytes = chunk;
    size_t n = pipeline->chunk_bytes;
    uint32_t best = 1;
    double best_cost = INFINITY;
    size_t n_best = 0;

    *mask = behind;
    STOA_RETURN_NOT_OK(apply_steps(pipeline, scratch, &bytes, &n, mask, err));
    const bool is_packable = *mask == behind;
    const double alone =
        share * (double)n * (double)piece.chunk_bytes / (double)pipeline->chunk_bytes;
    for (size_t i = is_packable ? 0 : N_BEHIND; i < sizeof choices / sizeof choices[0]; i++) {
        uint32_t left_out = choices[i];
        if (i % 2 == 1 && shuffles == 0) {
            continue;
        }
        bytes = chunk;
        n = piece.chunk_bytes;
        STOA_RETURN_NOT_OK(apply_steps(&piece, scratch, &bytes, &n, &left_out, err));
        const double cost = (double)n * (i < N_BEHIND ? 1.0 : MORE_BYTES);
        if (cost < best_cost) {
            best_cost = cost;
            best = choices[i];
            n_best = n;
        }
    }
    *mask = is_packable && alone <= (double)n_best ? behind : best;
    return STOA_OK;
}

stoa_status stoa_pipeline_apply(const stoa_pipeline *pipeline, const uint8_t *chunk,
                                stoa_scratch *scratch, const uint8_t **stored, size_t *n_stored,
                                uint32_t *mask, stoa_error *err)
{
    size_t n_checksums = 0;
    const uint32_t packing = mask_of_packing(pipeline, &n_checksums);
    const size_t unpacked = pipeline->chunk_bytes + 4 * n_checksums;

    *mask = 0;
    if (mask_behind_scaleoffset(pipeline) != 0 && !pipeline->packs_always) {
        STOA_RETURN_NOT_OK(choose_mask(pipeline, chunk, scratch, mask, err));
    }
    *stored = chunk;
    *n_stored = pipeline->chunk_bytes;
    STOA_RETURN_NOT_OK(apply_steps(pipeline, scratch, stored, n_stored, mask, err));
    if (*n_stored >= unpacked && packing != 0 && !pipeline->packs_always) {
        *mask = packing;
        *stored = chunk;
        *n_stored = pipeline->chunk_bytes;
        STOA_RETURN_NOT_OK(apply_steps(pipeline, scratch, stored, n_stored, mask, err));
    }
    return STOA_OK;
}
