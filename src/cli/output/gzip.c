#include "cli/output/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum { OUT_SIZE = 1 << 16, LEVEL = 6, GZIP = 15 + 16 };

typedef struct packing {
    FILE *out;
    z_stream stream;
    uint8_t bytes[OUT_SIZE];
} packing;

/* Compress what is in the stream's input; false with errno. */
static bool pack(packing *p, int flush)
{
    do {
        p->stream.next_out = p->bytes;
        p->stream.avail_out = OUT_SIZE;
        (void)deflate(&p->stream, flush);
        const size_t n = OUT_SIZE - p->stream.avail_out;
        if (fwrite(p->bytes, 1, n, p->out) != n) {
            return false;
        }
    } while (p->stream.avail_out == 0);
    return true;
}

static ssize_t write_some(void *cookie, const char *bytes, size_t n)
{
    packing *const p = cookie;

    p->stream.next_in = (z_const Bytef *)(uintptr_t)bytes;
    p->stream.avail_in = (uInt)n;
    return pack(p, Z_NO_FLUSH) ? (ssize_t)n : 0;
}

static int finish(void *cookie)
{
    packing *const p = cookie;
    const bool is_whole = pack(p, Z_FINISH);
    const int number = errno;

    (void)deflateEnd(&p->stream);
    free(p);
    errno = number;
    return is_whole ? 0 : -1;
}

FILE *cli_gzip_open(FILE *out)
{
    packing *const p = cli_resize(NULL, 1, sizeof *p);

    p->out = out;
    p->stream = (z_stream){.zalloc = Z_NULL};
    if (deflateInit2(&p->stream, LEVEL, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p);
        errno = ENOMEM;
        return NULL;
    }
    FILE *const file =
        fopencookie(p, "w", (cookie_io_functions_t){.write = write_some, .close = finish});
    if (file == NULL) {
        (void)deflateEnd(&p->stream);
        free(p);
    }
    return file;
}
