/* Scale-offset on arm64: vectorized bounds, codes in plain C. */
#include "codec/kernels/scaleoffset_bounds.h"

static void unpack(const stoa_so_code *code, const uint8_t *bits, size_t n_bytes, uint64_t n,
                   uint8_t *values)
{
    stoa_so_scalar.unpack(code, bits, n_bytes, n, values);
}

static void pack(const stoa_so_code *code, const uint8_t *values, uint64_t n, uint8_t *bits)
{
    stoa_so_scalar.pack(code, values, n, bits);
}

const stoa_so_kernels stoa_so_neon = {unpack, bounds_of, pack};
