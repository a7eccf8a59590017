/* PNG files of eight-bit RGB without interlace (ISO/IEC 15948), and Base64 (RFC 4648 §4). */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/plot/pen.h"

static unsigned char *put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(value >> (24 - 8 * i));
    }
    return at + 4;
}

/* A chunk, whose data lie at `at + 8` already. Returns its end. */
static unsigned char *close_chunk(unsigned char *at, const char *type, size_t n)
{
    (void)put_u32(at, (uint32_t)n);
    memcpy(at + 4, type, 4);
    return put_u32(at + 8 + n, (uint32_t)crc32(0, at + 4, (uInt)(n + 4)));
}

unsigned char *cli_png(const unsigned char *rgb, size_t n_x, size_t n_y, size_t *n_bytes)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const size_t line = 3 * n_x + 1; /* with the filter's number before it */
    unsigned char *const raw = cli_resize(NULL, n_y * line + 1, 1);
    uLongf packed = compressBound((uLong)(n_y * line));
    unsigned char *const png = cli_resize(NULL, 100 + packed, 1);
    unsigned char *at = png;

    for (size_t y = 0; y < n_y; y++) { /* each byte less the one of the pixel to the left */
        raw[y * line] = 1;
        for (size_t i = 0; i < 3 * n_x; i++) {
            const unsigned char *const pixel = rgb + y * 3 * n_x + i;
            raw[y * line + 1 + i] = (unsigned char)(pixel[0] - (i < 3 ? 0 : pixel[-3]));
        }
    }
    memcpy(at, signature, sizeof signature);
    at += sizeof signature;
    (void)put_u32(at + 8, (uint32_t)n_x);
    (void)put_u32(at + 12, (uint32_t)n_y);
    memcpy(at + 16, "\x08\x02\x00\x00\x00", 5); /* eight bits, RGB */
    at = close_chunk(at, "IHDR", 13);
    const bool is_done =
        compress2(at + 8, &packed, raw, (uLong)(n_y * line), Z_DEFAULT_COMPRESSION) == Z_OK;
    free(raw);
    if (!is_done) {
        free(png);
        return NULL;
    }
    at = close_chunk(at, "IDAT", packed);
    at = close_chunk(at, "IEND", 0);
    *n_bytes = (size_t)(at - png);
    return png;
}

void cli_base64(FILE *out, const unsigned char *bytes, size_t n)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        fputc(letters[three >> 18], out);
        fputc(letters[three >> 12 & 63], out);
        fputc(left > 1 ? letters[three >> 6 & 63] : '=', out);
        fputc(left > 2 ? letters[three & 63] : '=', out);
    }
}
