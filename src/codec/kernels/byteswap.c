#include "codec/kernels/byteswap.h"

#include <string.h>

static void swap2(uint8_t *out, const uint8_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t x;
        memcpy(&x, in + 2 * i, sizeof x);
        x = __builtin_bswap16(x);
        memcpy(out + 2 * i, &x, sizeof x);
    }
}

static void swap4(uint8_t *out, const uint8_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x;
        memcpy(&x, in + 4 * i, sizeof x);
        x = __builtin_bswap32(x);
        memcpy(out + 4 * i, &x, sizeof x);
    }
}

static void swap8(uint8_t *out, const uint8_t *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x;
        memcpy(&x, in + 8 * i, sizeof x);
        x = __builtin_bswap64(x);
        memcpy(out + 8 * i, &x, sizeof x);
    }
}

static void swap_any(uint8_t *out, const uint8_t *in, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++, out += size, in += size) {
        for (size_t k = 0; k < (size + 1) / 2; k++) {
            const uint8_t first = in[k];
            out[k] = in[size - 1 - k];
            out[size - 1 - k] = first;
        }
    }
}

void stoa_byteswap(void *out, const void *in, size_t n, size_t size, stoa_simd simd)
{
    uint8_t *to = out;
    const uint8_t *from = in;
    size_t done = 0;

#if defined(__x86_64__)
    if (simd != STOA_SIMD_SCALAR && (size == 2 || size == 4 || size == 8)) {
        done = stoa_byteswap_avx2(to, from, n, size);
    }
#endif
    (void)simd;
    to += done * size;
    from += done * size;
    n -= done;
    if (size == 2) {
        swap2(to, from, n);
    } else if (size == 4) {
        swap4(to, from, n);
    } else if (size == 8) {
        swap8(to, from, n);
    } else {
        swap_any(to, from, n, size);
    }
}
