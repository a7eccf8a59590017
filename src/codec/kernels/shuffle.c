/* HDF5's shuffle filter (2): the first bytes of all elements, then the second ones, and so on.
 * Bytes after the last whole element stay in place. */
#include "codec/kernels/shuffle.h"

#include <string.h>

#include "codec/filter.h"

const stoa_shuffle_kernels *stoa_shuffle_kernels_of(stoa_simd simd)
{
    return STOA_SIMD_OF(simd, &stoa_shuffle);
}

/* Elements per step when planes are joined in groups. They must remain in the cache until the next
 * group needs them. */
static size_t at_a_time(size_t size)
{
    const size_t n = 16384 / size;

    return n < 64 ? 64 : n - n % 64;
}

/* The first plane of the next group. The last group ends with the last plane, so it may repeat
 * planes of the one before. */
static size_t next_group(size_t plane, size_t size)
{
    return plane + 8 < size && plane + 16 > size ? size - 8 : plane + 8;
}

static void unshuffle_wide(uint8_t *elements, const uint8_t *planes, size_t n, size_t size,
                           const stoa_shuffle_kernels *kernels)
{
    const size_t step = at_a_time(size);

    for (size_t i = 0; i < n; i += step) {
        const size_t count = n - i < step ? n - i : step;
        for (size_t k = 0; k < size; k = next_group(k, size)) {
            kernels->join8(elements + i * size + k, size, planes + k * n + i, n, count);
        }
    }
}

static void shuffle_wide(uint8_t *planes, const uint8_t *elements, size_t n, size_t size,
                         const stoa_shuffle_kernels *kernels)
{
    const size_t step = at_a_time(size);

    for (size_t i = 0; i < n; i += step) {
        const size_t count = n - i < step ? n - i : step;
        for (size_t k = 0; k < size; k = next_group(k, size)) {
            kernels->split8(planes + k * n + i, n, elements + i * size + k, size, count);
        }
    }
}

void stoa_unshuffle(uint8_t *elements, const uint8_t *planes, size_t n, size_t size, stoa_simd simd)
{
    const stoa_shuffle_kernels *kernels = stoa_shuffle_kernels_of(simd);

    if (size == 1) {
        memcpy(elements, planes, n);
    } else if (size == 2) {
        kernels->join2(elements, 2, planes, n, n);
    } else if (size == 4) {
        kernels->join4(elements, 4, planes, n, n);
    } else if (size >= 8) {
        unshuffle_wide(elements, planes, n, size, kernels);
    } else { /* 3, 5, 6, 7: rare */
        for (size_t k = 0; k < size; k++) {
            for (size_t i = 0; i < n; i++) {
                elements[i * size + k] = planes[k * n + i];
            }
        }
    }
}

void stoa_shuffle(uint8_t *planes, const uint8_t *elements, size_t n, size_t size, stoa_simd simd)
{
    const stoa_shuffle_kernels *kernels = stoa_shuffle_kernels_of(simd);

    if (size == 1) {
        memcpy(planes, elements, n);
    } else if (size == 2) {
        kernels->split2(planes, n, elements, 2, n);
    } else if (size == 4) {
        kernels->split4(planes, n, elements, 4, n);
    } else if (size >= 8) {
        shuffle_wide(planes, elements, n, size, kernels);
    } else {
        for (size_t k = 0; k < size; k++) {
            for (size_t i = 0; i < n; i++) {
                planes[k * n + i] = elements[i * size + k];
            }
        }
    }
}

/* --- the filter ------------------------------------------------------------------------------ */

static bool shuffle_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    (void)pipeline;
    return filter->n_values == 1 && filter->values[0] != 0; /* as libhdf5 requires */
}

static size_t shuffle_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return n;
}

/* Elements of one byte, or a single element, do not move. */
static bool is_idle(const stoa_step *step)
{
    return step->filter->values[0] == 1 || step->n_in / step->filter->values[0] <= 1;
}

static stoa_status move(stoa_step *step,
                        void (*mover)(uint8_t *, const uint8_t *, size_t, size_t, stoa_simd))
{
    const size_t size = step->filter->values[0];
    const size_t n = step->n_in / size;

    if (is_idle(step)) {
        return stoa_step_done(step, step->in, step->n_in);
    }
    if (step->n_in > step->room) {
        return STOA_EDATA;
    }
    mover(step->out, step->in, n, size, step->pipeline->simd);
    memcpy(step->out + n * size, step->in + n * size, step->n_in - n * size);
    return stoa_step_done(step, step->out, step->n_in);
}

static stoa_status shuffle_undo(stoa_step *step)
{
    return move(step, stoa_unshuffle);
}

static stoa_status shuffle_apply(stoa_step *step)
{
    return move(step, stoa_shuffle);
}

const stoa_codec stoa_codec_shuffle = {
    .id = STOA_FILTER_SHUFFLE,
    .name = "shuffle",
    .is_known = shuffle_is_known,
    .bound = shuffle_bound,
    .undo = shuffle_undo,
    .apply = shuffle_apply,
};
