/* Elements of variable length from one datatype in memory to another. */
#include "hdf/ids.h"
#include "sparse/vlen.h"

stoa_status stoa_vlen_convert(const stoa_vlen_conversion *conversion, size_t n, uint8_t *elements,
                              uint8_t *background, stoa_error *err)
{
    const stoa_vlen_conversion *c = conversion;
    const stoa_buffer *kept = NULL;
    stoa_buffer before = {NULL, 0, 0};
    stoa_buffer pointers = {NULL, 0, 0};
    stoa_status status = stoa_buffer_append(&before, elements, n * c->from_layout->size, err);

    if (status != STOA_OK) {
        stoa_vlen_release(c->from_layout, c->memory, n, elements, NULL);
        return status;
    }
    STOA_HDF(err, H5Tconvert(c->from, c->to, n, elements, background, c->dxpl), "convert elements");
    kept = &pointers;
    STOA_TRY(stoa_vlen_collect(c->to_layout, n, elements, &pointers, err));

done:
    /* Where memory runs out meanwhile, what is shared is not known: it is left alone. */
    if (status == STOA_OK || kept == NULL) {
        stoa_vlen_release(c->from_layout, c->memory, n, before.data, kept);
    }
    stoa_buffer_clear(&before);
    stoa_buffer_clear(&pointers);
    return status;
}
