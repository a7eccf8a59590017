/* HDF5's scale-offset filter (6) as a pipeline step; the encoding is in scaleoffset.h. */
#include "codec/filter.h"
#include "codec/kernels/scaleoffset.h"

/* It encodes whole chunks: the pipeline ensures that only filters that keep the size come before
 * it. */
static bool scaleoffset_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    stoa_scaleoffset so;

    return stoa_scaleoffset_of(filter, pipeline->chunk_bytes, pipeline->simd, &so) &&
           so.n * so.size == pipeline->chunk_bytes;
}

/* If values span their type, libhdf5 stores them unchanged after the header. */
static size_t scaleoffset_bound(const stoa_filter *filter, size_t n)
{
    stoa_scaleoffset so;
    const size_t ours =
        stoa_scaleoffset_of(filter, n, STOA_SIMD_SCALAR, &so) ? stoa_scaleoffset_bound(&so) : 0;

    return ours > stoa_packed_bound(n) ? ours : stoa_packed_bound(n);
}

static stoa_status scaleoffset_undo(stoa_step *step)
{
    const stoa_pipeline *pipeline = step->pipeline;
    stoa_scaleoffset so;

    if (step->room < pipeline->chunk_bytes ||
        !stoa_scaleoffset_of(step->filter, pipeline->chunk_bytes, pipeline->simd, &so) ||
        !stoa_scaleoffset_decode(&so, step->in, step->n_in, step->out)) {
        return STOA_EDATA;
    }
    return stoa_step_done(step, step->out, pipeline->chunk_bytes);
}

/* The filters that this chunk takes afterwards decide how wide codes are. */
static stoa_so_width widening_of(const stoa_step *step)
{
    const stoa_pipeline *pipeline = step->pipeline;
    stoa_so_width widening = STOA_SO_NARROW;

    for (size_t i = (size_t)(step->filter - pipeline->filters) + 1; i < pipeline->n_filters; i++) {
        const uint32_t id = pipeline->filters[i].id;
        if ((step->mask >> i & 1) != 0 || id == STOA_FILTER_FLETCHER32) {
            continue;
        }
        if (id == STOA_FILTER_SHUFFLE) {
            return STOA_SO_IN_WORDS;
        }
        widening = STOA_SO_IN_BYTES;
    }
    return widening;
}

static stoa_status scaleoffset_apply(stoa_step *step)
{
    const stoa_pipeline *pipeline = step->pipeline;
    stoa_scaleoffset so;

    if (!stoa_scaleoffset_of(step->filter, pipeline->chunk_bytes, pipeline->simd, &so)) {
        return STOA_ERANGE;
    }
    so.widening = widening_of(step);
    const size_t n = stoa_scaleoffset_encode(&so, step->in, step->out);
    return n != 0 ? stoa_step_done(step, step->out, n) : STOA_ERANGE;
}

const stoa_codec stoa_codec_scaleoffset = {
    .id = STOA_FILTER_SCALEOFFSET,
    .name = "scale-offset",
    .is_known = scaleoffset_is_known,
    .bound = scaleoffset_bound,
    .undo = scaleoffset_undo,
    .apply = scaleoffset_apply,
};
