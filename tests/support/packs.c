/* Counts calls of stoa_pipeline_apply(), which the linker redirects here; see open_ids.c. */
#include "support/packs.h"

#include <stdatomic.h>

#include "codec/pipeline.h"

static atomic_uint_fast64_t n_packs; /* chunks are compressed in any thread */

#ifdef STOA_WRAPPED

stoa_status __real_stoa_pipeline_apply(const stoa_pipeline *pipeline, const uint8_t *chunk,
                                       stoa_scratch *scratch, const uint8_t **stored,
                                       size_t *n_stored, uint32_t *mask, stoa_error *err);
stoa_status __wrap_stoa_pipeline_apply(const stoa_pipeline *pipeline, const uint8_t *chunk,
                                       stoa_scratch *scratch, const uint8_t **stored,
                                       size_t *n_stored, uint32_t *mask, stoa_error *err);

stoa_status __wrap_stoa_pipeline_apply(const stoa_pipeline *pipeline, const uint8_t *chunk,
                                       stoa_scratch *scratch, const uint8_t **stored,
                                       size_t *n_stored, uint32_t *mask, stoa_error *err)
{
    (void)atomic_fetch_add(&n_packs, 1);
    return __real_stoa_pipeline_apply(pipeline, chunk, scratch, stored, n_stored, mask, err);
}

bool check_counts_packs(void)
{
    return true;
}

#else

bool check_counts_packs(void)
{
    return false;
}

#endif

uint64_t check_n_packs(void)
{
    return atomic_load(&n_packs);
}

void check_forget_packs(void)
{
    atomic_store(&n_packs, 0);
}
