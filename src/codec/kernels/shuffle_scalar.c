/* Joins and splits planes byte by byte: the reference for the kernels of shuffle.h. */
#include "codec/kernels/shuffle_loops.h"

static void join4(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    (void)stride;
    join_loop(elements, 4, planes, distance, n, 4);
}

static void join8(uint8_t *elements, size_t stride, const uint8_t *planes, size_t distance,
                  size_t n)
{
    join_loop(elements, stride, planes, distance, n, 8);
}

static void split4(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    (void)stride;
    split_loop(planes, distance, elements, 4, n, 4);
}

static void split8(uint8_t *planes, size_t distance, const uint8_t *elements, size_t stride,
                   size_t n)
{
    split_loop(planes, distance, elements, stride, n, 8);
}

static void transpose_bits(uint8_t *bytes, size_t n_bytes)
{
    transpose_loop(bytes, n_bytes);
}

const stoa_shuffle_kernels stoa_shuffle_scalar = STOA_SHUFFLE_TABLE;
