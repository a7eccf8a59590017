/* Convert variable-length elements between datatypes in memory. */
#include "hdf/ids.h"
#include "sparse/format/vlen.h"

stoa_status stoa_vlen_convert(const stoa_vlen_conversion *conversion, size_t n, uint8_t *elements,
                              uint8_t *background, stoa_error *err)
{
    const stoa_vlen_conversion *c = conversion;
    const stoa_buffer *kept = NULL;
    const uint8_t *held = elements; /* the old elements */
    stoa_buffer before = {NULL, 0, 0};
    stoa_buffer pointers = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_buffer_append(&before, elements, n * c->from_layout->size, err));
    /* The new elements have no more pointers than the old ones, so appending theirs cannot fail. */
    STOA_TRY(stoa_vlen_collect(c->from_layout, n, elements, &pointers, err));
    held = before.data;
    STOA_HDF(err, H5Tconvert(c->from, c->to, n, elements, background, c->dxpl), "convert elements");
    pointers.size = 0;
    STOA_TRY(stoa_vlen_collect(c->to_layout, n, elements, &pointers, err));
    kept = &pointers;

done:
    stoa_vlen_release(c->from_layout, c->memory, n, held, kept);
    stoa_buffer_clear(&before);
    stoa_buffer_clear(&pointers);
    return status;
}
