/* Scale-offset in plain C: the reference for the other instruction sets. */
#include "codec/kernels/scaleoffset_kernels.h"

static inline void unpack_as(unsigned size, const stoa_so_code *code, const uint8_t *bits,
                             size_t n_bytes, uint64_t n, uint8_t *values)
{
    const unsigned width = code->width;
    const uint64_t fill_code = code->has_fill ? stoa_so_ones(width) : UINT64_MAX;
    const uint64_t least = code->least;
    const uint64_t fill = code->fill;
    const bool swap = code->swap;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t x = stoa_so_code_at(bits, n_bytes, i * width, width);
        stoa_so_store(values + i * size, size, swap, x == fill_code ? fill : least + x);
    }
}

static void unpack(const stoa_so_code *code, const uint8_t *bits, size_t n_bytes, uint64_t n,
                   uint8_t *values)
{
    STOA_SO_BY_SIZE(unpack_as, code, bits, n_bytes, n, values);
}

static inline stoa_so_bounds bounds_as(unsigned size, const stoa_so_code *code, uint64_t flip,
                                       const uint8_t *values, uint64_t n)
{
    const bool swap = code->swap;
    const bool has_fill = code->has_fill;
    const uint64_t fill = code->fill;
    stoa_so_bounds bounds = {UINT64_MAX, 0};

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t x = stoa_so_load(values + i * size, size, swap);
        const uint64_t y = x ^ flip;
        if (has_fill && x == fill) {
            continue;
        }
        bounds.least = y < bounds.least ? y : bounds.least;
        bounds.greatest = y > bounds.greatest ? y : bounds.greatest;
    }
    return bounds;
}

static stoa_so_bounds bounds_of(const stoa_so_code *code, uint64_t flip, const uint8_t *values,
                                uint64_t n)
{
    return STOA_SO_BY_SIZE(bounds_as, code, flip, values, n);
}

static inline void pack_as(unsigned size, const stoa_so_code *code, const uint8_t *values,
                           uint64_t n, uint8_t *bits)
{
    const unsigned width = code->width;
    const uint64_t ones = stoa_so_ones(width);
    const uint64_t least = code->least;
    const uint64_t fill = code->fill;
    const bool has_fill = code->has_fill;
    const bool swap = code->swap;
    stoa_so_writer writer = {.next = NULL};

    writer.next = bits;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t x = stoa_so_load(values + i * size, size, swap);
        stoa_so_append(&writer, has_fill && x == fill ? ones : (x - least) & ones, width);
    }
    stoa_so_flush(&writer);
}

static void pack(const stoa_so_code *code, const uint8_t *values, uint64_t n, uint8_t *bits)
{
    STOA_SO_BY_SIZE(pack_as, code, values, n, bits);
}

const stoa_so_kernels stoa_so_scalar = {unpack, bounds_of, pack};
