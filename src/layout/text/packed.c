/* gzip (RFC 1952) by zlib, Zstandard (RFC 8878) by libzstd, both at their usual level. */
#include "layout/text/packed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <zlib.h>
#include <zstd.h>

#include "core/memory.h"
#include "core/text.h"

enum { OUT_BYTES = 65536, GZIP_WINDOW = 15 + 16 };

typedef struct packer {
    FILE *to;
    ZSTD_CStream *zstd; /* NULL: gzip */
    z_stream gzip;
    bool has_failed;
    uint8_t out[OUT_BYTES];
} packer;

static bool ends_with(const char *name, const char *suffix)
{
    return stoa_ends_with(name, strlen(name), suffix);
}

bool stoa_packed_is_one(const char *name)
{
    return ends_with(name, ".gz") || ends_with(name, ".zst");
}

static bool put(packer *p, size_t n)
{
    return fwrite(p->out, 1, n, p->to) == n;
}

static bool pack_gzip(packer *p, const char *bytes, size_t length, bool is_end)
{
    int result = Z_OK;

    p->gzip.next_in = (Bytef *)(uintptr_t)bytes;
    p->gzip.avail_in = (uInt)length;
    do {
        p->gzip.next_out = p->out;
        p->gzip.avail_out = OUT_BYTES;
        result = deflate(&p->gzip, is_end ? Z_FINISH : Z_NO_FLUSH);
        if (result == Z_STREAM_ERROR || !put(p, OUT_BYTES - p->gzip.avail_out)) {
            return false;
        }
    } while (p->gzip.avail_out == 0 || (is_end && result != Z_STREAM_END));
    return true;
}

static bool pack_zstd(packer *p, const char *bytes, size_t length, bool is_end)
{
    ZSTD_inBuffer in = {bytes, length, 0};
    size_t left = 1;

    while (is_end ? left > 0 : in.pos < in.size) {
        ZSTD_outBuffer out = {p->out, OUT_BYTES, 0};
        left = is_end ? ZSTD_endStream(p->zstd, &out) : ZSTD_compressStream(p->zstd, &out, &in);
        if (ZSTD_isError(left) || !put(p, out.pos)) {
            return false;
        }
    }
    return true;
}

static bool pack(packer *p, const char *bytes, size_t length, bool is_end)
{
    p->has_failed = p->has_failed || !(p->zstd != NULL ? pack_zstd(p, bytes, length, is_end)
                                                       : pack_gzip(p, bytes, length, is_end));
    return !p->has_failed;
}

static int close_packer(void *cookie)
{
    packer *const p = cookie;
    const bool is_whole = pack(p, NULL, 0, true);

    if (p->zstd != NULL) {
        (void)ZSTD_freeCStream(p->zstd);
    } else {
        (void)deflateEnd(&p->gzip);
    }
    free(p);
    return is_whole ? 0 : -1;
}

#if defined(__APPLE__)
static int write_cookie(void *cookie, const char *bytes, int length)
{
    return pack(cookie, bytes, (size_t)length, false) ? length : -1;
}

static FILE *open_stream(packer *p)
{
    return funopen(p, NULL, write_cookie, NULL, close_packer);
}
#else
static ssize_t write_cookie(void *cookie, const char *bytes, size_t length)
{
    return length > 0 && pack(cookie, bytes, length, false) ? (ssize_t)length : 0;
}

static FILE *open_stream(packer *p)
{
    return fopencookie(p, "w",
                       (cookie_io_functions_t){.write = write_cookie, .close = close_packer});
}
#endif

stoa_status stoa_packed_open(FILE *to, const char *name, FILE **packed, stoa_error *err)
{
    packer *p = stoa_alloc_zero(1, sizeof *p);
    bool is_open = false;

    *packed = NULL;
    STOA_RETURN_NO_MEMORY(err, p);
    p->to = to;
    if (ends_with(name, ".zst")) {
        p->zstd = ZSTD_createCStream();
        is_open = p->zstd != NULL && !ZSTD_isError(ZSTD_initCStream(p->zstd, ZSTD_CLEVEL_DEFAULT));
    } else {
        is_open = deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                               Z_DEFAULT_STRATEGY) == Z_OK;
    }
    *packed = is_open ? open_stream(p) : NULL;
    if (*packed == NULL) {
        if (p->zstd != NULL) {
            (void)ZSTD_freeCStream(p->zstd);
        } else if (is_open) {
            (void)deflateEnd(&p->gzip);
        }
        free(p);
        return stoa_fail_memory(err);
    }
    return STOA_OK;
}
