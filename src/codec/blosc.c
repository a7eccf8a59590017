/* The Blosc filter (32001): one c-blosc 1 buffer with its header. Its client data: revision,
 * format, bytes per element, bytes per chunk, level, kind of shuffle, codec. */
#include <limits.h>

#include "codec/blosc2_chunk.h"

enum { ELEMENT = 2, LEVEL = 4, SHUFFLE = 5, CODEC = 6 };

/* Constants of a buffer, from blosc.h. */
enum { OVERHEAD = 16, MAX_BUFFER = INT_MAX - OVERHEAD, MAX_TYPE = 255, IS_COPY = 2 };
enum { BYTE_SHUFFLE = 1, BIT_SHUFFLE = 2 };
enum { BLOSCLZ = 0, LZ4 = 1, SNAPPY = 3, ZLIB = 4, ZSTD = 5 };

static const stoa_library_name libblosc = {
    .files = {"libblosc.so.1", "libblosc.1.dylib"},
    .calls = {"blosc_compcode_to_compname", "blosc_cbuffer_validate", "blosc_decompress_ctx",
              "blosc_compress_ctx"},
};

/* The calls, as blosc.h declares them. */
typedef struct blosc_calls {
    int (*name_of)(int codec, const char **name);
    int (*validate)(const void *packed, size_t n_packed, size_t *n);
    int (*unpack)(const void *packed, void *out, size_t room, int n_threads);
    int (*pack)(int level, int shuffle, size_t size, size_t n, const void *in, void *out,
                size_t room, const char *codec, size_t block, int n_threads);
} blosc_calls;

static blosc_calls calls_of(const stoa_library *library)
{
    return (blosc_calls){
        .name_of = (int (*)(int, const char **))library->calls[0],
        .validate = (int (*)(const void *, size_t, size_t *))library->calls[1],
        .unpack = (int (*)(const void *, void *, size_t, int))library->calls[2],
        .pack = (int (*)(int, int, size_t, size_t, const void *, void *, size_t, const char *,
                         size_t, int))library->calls[3],
    };
}

/* The name of the codec; NULL if this libblosc lacks it. */
static const char *codec_of(const blosc_calls *blosc, const stoa_filter *filter)
{
    const char *name = NULL;

    return blosc->name_of((int)stoa_filter_value(filter, CODEC, BLOSCLZ), &name) >= 0 ? name : NULL;
}

static bool blosc_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    stoa_library library = {.handle = NULL};
    bool is_known = pipeline->chunk_bytes <= MAX_BUFFER / 2 &&
                    stoa_filter_value(filter, LEVEL, 5) <= 9 &&
                    stoa_filter_value(filter, SHUFFLE, BYTE_SHUFFLE) <= BIT_SHUFFLE &&
                    stoa_library_open(&library, &libblosc);

    if (is_known) {
        const blosc_calls blosc = calls_of(&library);
        is_known = codec_of(&blosc, filter) != NULL;
    }
    stoa_library_close(&library);
    return is_known;
}

static size_t blosc_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return stoa_packed_bound(n) + OVERHEAD;
}

/* Whether this libblosc has the codec of a header. If it lacks the codec, libblosc prints an error
 * to stderr. */
static bool can_unpack(const blosc_calls *blosc, const uint8_t *header)
{
    static const int of_format[8] = {BLOSCLZ, LZ4, SNAPPY, ZLIB, ZSTD, -1, -1, -1};
    const uint8_t flags = header[2];
    const char *name = NULL;

    return (flags & IS_COPY) != 0 || blosc->name_of(of_format[flags >> 5], &name) >= 0;
}

static bool open_blosc(stoa_scratch *scratch, blosc_calls *blosc)
{
    stoa_coders *const coders = stoa_scratch_coders(scratch);

    if (coders == NULL || !stoa_library_open(&coders->blosc, &libblosc)) {
        return false;
    }
    *blosc = calls_of(&coders->blosc);
    return true;
}

/* Decode in Stoa if possible, because the library allocates and frees memory for each chunk. The
 * library decodes the rest, such as Snappy streams. blosc_decompress_ctx() depends only on its
 * arguments, and uses one thread here. */
static stoa_status blosc_undo(stoa_step *step)
{
    size_t n = 0;
    blosc_calls blosc;
    stoa_blosc2_chunk chunk;

    if (stoa_blosc_chunk_of(step->in, step->n_in, &chunk)) {
        return stoa_blosc2_blocks(step, &chunk);
    }

    if (!open_blosc(step->scratch, &blosc)) {
        return STOA_ENOMEM;
    }
    if (step->n_in < OVERHEAD || blosc.validate(step->in, step->n_in, &n) != 0 || n > step->room ||
        n == 0 || !can_unpack(&blosc, step->in)) {
        return STOA_EDATA;
    }
    if (blosc.unpack(step->in, step->out, n, 1) != (int)n) {
        return STOA_EDATA;
    }
    return stoa_step_done(step, step->out, n);
}

static stoa_status blosc_apply(stoa_step *step)
{
    const stoa_filter *filter = step->filter;
    uint32_t size = stoa_filter_value(filter, ELEMENT, (uint32_t)step->pipeline->element_size);
    blosc_calls blosc;

    if (!open_blosc(step->scratch, &blosc)) {
        return STOA_ENOMEM;
    }
    if (size == 0 || size > MAX_TYPE) {
        size = 1;
    }
    const int n =
        blosc.pack((int)stoa_filter_value(filter, LEVEL, 5),
                   (int)stoa_filter_value(filter, SHUFFLE, BYTE_SHUFFLE), size, step->n_in,
                   step->in, step->out, step->room, codec_of(&blosc, filter), 0, 1);
    return n > 0 ? stoa_step_done(step, step->out, (size_t)n) : STOA_ERANGE;
}

const stoa_codec stoa_codec_blosc = {
    .id = STOA_FILTER_BLOSC,
    .name = "blosc",
    .is_known = blosc_is_known,
    .bound = blosc_bound,
    .undo = blosc_undo,
    .apply = blosc_apply,
};
