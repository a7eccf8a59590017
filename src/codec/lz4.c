/* The LZ4 filter (32004). The header has the decoded bytes (8, big-endian) and the bytes per block
 * (4). Each block follows its compressed size (4 bytes). If that equals the block's own size, the
 * block is stored uncompressed. */
#include <lz4.h>
#include <string.h>

#include "codec/bytes.h"
#include "codec/filter.h"

enum { HEADER = 12 };
static const uint32_t usual_block = UINT32_C(1) << 30;

static bool lz4_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    (void)pipeline;
    (void)filter;
    return true;
}

static uint32_t block_of(const stoa_filter *filter, size_t n)
{
    uint32_t block = stoa_filter_value(filter, 0, 0);

    if (block == 0 || block > LZ4_MAX_INPUT_SIZE) {
        block = usual_block;
    }
    return block < n ? block : (uint32_t)n;
}

static size_t lz4_bound(const stoa_filter *filter, size_t n)
{
    const uint32_t block = block_of(filter, n);

    return HEADER + (block != 0 ? (n / block + 1) * 4 : 0) + stoa_packed_bound(n);
}

/* Decode one block of `n` bytes from *in; false if it is damaged. */
static bool undo_block(const uint8_t **in, const uint8_t *end, uint8_t *out, uint32_t n)
{
    if (end - *in < 4) {
        return false;
    }
    const uint32_t n_packed = stoa_get_be32(*in);
    *in += 4;
    if (n_packed > (uint64_t)(end - *in) || n_packed > INT32_MAX || n > INT32_MAX) {
        return false;
    }
    if (n_packed == n) {
        memcpy(out, *in, n);
    } else if (LZ4_decompress_safe((const char *)*in, (char *)out, (int)n_packed, (int)n) !=
               (int)n) {
        return false;
    }
    *in += n_packed;
    return true;
}

static stoa_status lz4_undo(stoa_step *step)
{
    const uint8_t *in = step->in;
    const uint8_t *const end = in + step->n_in;

    if (step->n_in < HEADER) {
        return STOA_EDATA;
    }
    const uint64_t n = stoa_get_be64(in);
    const uint32_t block = stoa_get_be32(in + 8);
    in += HEADER;
    if (n > step->room || (block == 0 && n != 0)) {
        return STOA_EDATA;
    }
    for (uint64_t at = 0; at < n; at += block) {
        const uint32_t n_block = n - at < block ? (uint32_t)(n - at) : block;
        if (!undo_block(&in, end, step->out + at, n_block)) {
            return STOA_EDATA;
        }
    }
    return in == end ? stoa_step_done(step, step->out, (size_t)n) : STOA_EDATA;
}

/* Encode one block after its size, in at most 4 + n bytes. Returns the bytes written. */
static size_t apply_block(const uint8_t *in, uint32_t n, uint8_t *out)
{
    /* One byte less than the block: if compression does not shrink it, it is stored. */
    const int n_packed =
        LZ4_compress_default((const char *)in, (char *)out + 4, (int)n, (int)n - 1);

    if (n_packed <= 0) {
        memcpy(out + 4, in, n);
    }
    stoa_put_be32(out, n_packed > 0 ? (uint32_t)n_packed : n);
    return 4 + (n_packed > 0 ? (size_t)n_packed : n);
}

static stoa_status lz4_apply(stoa_step *step)
{
    const uint32_t block = block_of(step->filter, step->n_in);
    size_t n = HEADER;

    stoa_put_be64(step->out, step->n_in);
    stoa_put_be32(step->out + 8, block);
    for (size_t at = 0; at < step->n_in; at += block) {
        const size_t left = step->n_in - at;
        n += apply_block(step->in + at, left < block ? (uint32_t)left : block, step->out + n);
    }
    return stoa_step_done(step, step->out, n);
}

const stoa_codec stoa_codec_lz4 = {
    .id = STOA_FILTER_LZ4,
    .name = "lz4",
    .is_known = lz4_is_known,
    .bound = lz4_bound,
    .undo = lz4_undo,
    .apply = lz4_apply,
};
