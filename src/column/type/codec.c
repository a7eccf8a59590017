/* Sizes are measured by compressing a sample with each candidate. */
#include "column/type/codec.h"

#include <stdlib.h>
#include <stoa/version.h>
#include <string.h>

#include "codec/kernels/scaleoffset.h"
#include "codec/pipeline.h"
#include "core/memory.h"
#include "hdf/chunk/filter_fallback.h"

/* Shares of the bytes that a codec must save. Scale-offset is decoded as fast as bytes are copied,
 * so a small saving is enough. Deflate is at least ten times slower. */
#define LITTLE 0.05
#define A_LOT 0.15
/* Floats without pattern gain up to 17 % by deflate, in a form that takes ten times as long. */
#define OF_FLOATS 0.20
/* Deflate must come to less than this share of scale-offset's size, or of the raw size without
 * it. */
#define MUCH_SMALLER 0.60
#define SAMPLE_BYTES ((size_t)512 << 10)
/* A smaller sample tells nothing. */
#define MIN_SAMPLE 64
/* For shuffled columns, higher levels compress hardly better and are much slower. */
#define AUTO_LEVEL 1
#define ZSTD_LEVEL 3
#define DEFLATE_LEVEL 4
/* Texts gain more: a tenth of their bytes, in twice the time. */
#define TEXT_LEVEL 3
/* Higher ones take up to ten times as long. */
#define SMALL_LEVEL 6
/* Values that "small" chooses filters by. */
#define SMALL_SAMPLE 16384
/* Floats of a shorter column are tried by their first ones: a table may have thousands of such. */
#define FIRST_FLOATS 1024
/* In a shorter chunk the compressed form may be as long as the values. This needs invariant 1 of
 * hdf/chunk/chunk_writer.h, which not every program keeps. */
#define MIN_PACKED_ROWS 169
/* Most rows of a chunk that is decoded as a whole, of columns whose rows are looked up. */
#define LOOKED_UP_ROWS UINT64_C(2048)

/* What a codec is chosen for. */
typedef struct packing {
    const stoa_element *element;
    uint64_t chunk_rows;
    const stoa_sample *sample;
    size_t n; /* elements of the sample that are tried; 0: too few to tell */
    stoa_scratch *scratch;
} packing;

/* --- filters --------------------------------------------------------------------------------- */

static stoa_status set_plain_deflate(hid_t dcpl, unsigned level, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5Pset_deflate(dcpl, level), "set the deflate filter");
    return STOA_OK;
}

static stoa_status set_deflate(hid_t dcpl, const stoa_element *element, unsigned level,
                               stoa_error *err)
{
    if (element->size > 1) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_shuffle(dcpl), "set the shuffle filter");
    }
    return set_plain_deflate(dcpl, level, err);
}

stoa_status stoa_codec_pack_integers(hid_t dcpl, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5Pset_scaleoffset(dcpl, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT),
                          "set the scale-offset filter");
    return STOA_OK;
}

static stoa_status pack_decimals(hid_t dcpl, uint32_t decimals, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5Pset_scaleoffset(dcpl, H5Z_SO_FLOAT_DSCALE, (int)decimals),
                          "set the scale-offset filter");
    return STOA_OK;
}

/* The filter is optional, so that libhdf5 creates the dataset without the plugin. */
static stoa_status set_plugin(hid_t dcpl, uint32_t filter, const unsigned *values, size_t n,
                              stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err,
                          H5Pset_filter(dcpl, (H5Z_filter_t)filter, H5Z_FLAG_OPTIONAL, n, values),
                          "set filter %u", filter);
    return STOA_OK;
}

static stoa_status set_shuffled(hid_t dcpl, const stoa_element *element, uint32_t filter,
                                const unsigned *values, size_t n, stoa_error *err)
{
    if (element->size > 1) {
        STOA_RETURN_HDF_ERROR(err, H5Pset_shuffle(dcpl), "set the shuffle filter");
    }
    return set_plugin(dcpl, filter, values, n, err);
}

/* Set all client data, which the plugin would fill in if it were installed. */
static stoa_status set_blosc(hid_t dcpl, const packing *p, stoa_error *err)
{
    enum { REVISION = 2, FORMAT = 2, LEVEL = 5, BYTE_SHUFFLE = 1, LZ4 = 1, MAX_TYPE = 255 };
    const size_t size = p->element->size;
    const unsigned values[] = {REVISION,
                               FORMAT,
                               size <= MAX_TYPE ? (unsigned)size : 1,
                               (unsigned)(p->chunk_rows * size),
                               LEVEL,
                               BYTE_SHUFFLE,
                               LZ4};

    stoa_pipeline pipeline = {
        .n_filters = 1,
        .filters = {{.id = STOA_FILTER_BLOSC, .n_values = sizeof values / sizeof values[0]}},
        .chunk_bytes = size,
        .element_size = size};

    memcpy(pipeline.filters[0].values, values, sizeof values);
    if (!stoa_pipeline_is_known(&pipeline)) {
        return stoa_fail(err, STOA_EINVAL,
                         "codec 'blosc' needs libblosc, which this system does not have; install "
                         "it, or take another, as lz4");
    }
    return set_plugin(dcpl, STOA_FILTER_BLOSC, values, sizeof values / sizeof values[0], err);
}

/* --- sizes ----------------------------------------------------------------------------------- */

/* Get the size of a sample compressed by a pipeline, and what it left out. */
static stoa_status measure(const packing *p, const stoa_pipeline *pipeline, size_t *n_packed,
                           uint32_t *left_out, stoa_error *err)
{
    const uint8_t *stored = NULL;

    return stoa_pipeline_apply(pipeline, p->sample->elements, p->scratch, &stored, n_packed,
                               left_out, err);
}

/* Measure deflate or zstd of the given level. */
static stoa_status measure_by(const packing *p, uint32_t filter, unsigned level, bool is_shuffled,
                              size_t *n_packed, stoa_error *err)
{
    const uint32_t size = (uint32_t)p->element->size;
    stoa_pipeline pipeline = {.chunk_bytes = p->n * size,
                              .element_size = size,
                              .simd = stoa_simd_of_cpu(),
                              .packs_always = true};
    uint32_t left_out = 0;

    if (is_shuffled && size > 1) {
        pipeline.filters[pipeline.n_filters++] =
            (stoa_filter){.id = STOA_FILTER_SHUFFLE, .n_values = 1, .values = {size}};
    }
    pipeline.filters[pipeline.n_filters++] =
        (stoa_filter){.id = filter, .n_values = 1, .values = {level}};
    return measure(p, &pipeline, n_packed, &left_out, err);
}

/* Scale-offset for the sample. */
static stoa_scaleoffset scaleoffset_of(const packing *p)
{
    const size_t size = p->element->size;
    const uint16_t one = 1;
    stoa_scaleoffset so = {.n = p->n,
                           .size = (uint32_t)size,
                           .is_signed = !stoa_kind_is_unsigned(p->element->kind),
                           .is_decimal = p->element->class == STOA_ELEMENT_FLOAT,
                           .is_big_endian = *(const uint8_t *)&one == 0,
                           .has_fill = p->sample->fill != NULL,
                           .simd = stoa_simd_of_cpu()};

    if (so.has_fill) { /* the fill's bits as a number */
        memcpy((uint8_t *)&so.fill + (so.is_big_endian ? sizeof so.fill - size : 0),
               p->sample->fill, size);
    }
    return so;
}

/* Measure scale-offset, and with a level shuffle and deflate behind it, of which the sample takes
 * what a chunk would. `left_out` is its filter mask. */
static stoa_status measure_packed(const packing *p, const stoa_scaleoffset *so, unsigned level,
                                  size_t *n_packed, uint32_t *left_out, stoa_error *err)
{
    stoa_pipeline pipeline = {.n_filters = 1,
                              .filters = {stoa_scaleoffset_filter(so)},
                              .chunk_bytes = p->n * so->size,
                              .element_size = so->size,
                              .simd = so->simd};

    if (level != 0 && so->size > 1) {
        pipeline.filters[pipeline.n_filters++] =
            (stoa_filter){.id = STOA_FILTER_SHUFFLE, .n_values = 1, .values = {so->size}};
    }
    if (level != 0) {
        pipeline.filters[pipeline.n_filters++] =
            (stoa_filter){.id = STOA_FILTER_DEFLATE, .n_values = 1, .values = {level}};
    }
    return measure(p, &pipeline, n_packed, left_out, err);
}

/* --- choices --------------------------------------------------------------------------------- */

bool stoa_codec_packs(const stoa_element *element, uint64_t chunk_rows)
{
    return element->class == STOA_ELEMENT_INTEGER && !element->is_bitfield && !element->is_odd &&
           !element->is_truth && chunk_rows >= MIN_PACKED_ROWS;
}

static bool is_packable(const packing *p)
{
    return stoa_codec_packs(p->element, p->chunk_rows);
}

/* Whether scale-offset can pack such floats. */
static bool may_be_decimal(const packing *p)
{
    return p->element->class == STOA_ELEMENT_FLOAT && !p->element->is_odd &&
           (p->element->size == 4 || p->element->size == 8) && p->chunk_rows >= MIN_PACKED_ROWS;
}

/* Find scale-offset for the sample. False if it would change a value. */
static bool find_scaleoffset(const packing *p, stoa_scaleoffset *so)
{
    if (p->n == 0 || !(is_packable(p) || may_be_decimal(p))) {
        return false;
    }
    *so = scaleoffset_of(p);
    return !so->is_decimal || stoa_scaleoffset_decimals(so, p->sample->elements, &so->decimals);
}

static bool is_looked_up(const packing *p)
{
    return p->sample != NULL && p->sample->is_looked_up;
}

static bool saves(size_t n_packed, size_t n_bytes, double share)
{
    return (double)n_packed <= (1.0 - share) * (double)n_bytes;
}

static unsigned auto_level(const packing *p)
{
    return p->element->class == STOA_ELEMENT_FIXED_STRING ? TEXT_LEVEL : AUTO_LEVEL;
}

/* Measure shuffle and deflate. zstd replaces deflate if it saves a lot more and libhdf5 here can
 * decode it. */
static stoa_status measure_general(const packing *p, size_t *n_packed, bool *is_zstd,
                                   stoa_error *err)
{
    size_t by_zstd = 0;

    STOA_RETURN_NOT_OK(measure_by(p, STOA_FILTER_DEFLATE, auto_level(p), true, n_packed, err));
    *is_zstd = false;
    if (stoa_filter_is_installed(STOA_FILTER_ZSTD)) {
        STOA_RETURN_NOT_OK(measure_by(p, STOA_FILTER_ZSTD, ZSTD_LEVEL, true, &by_zstd, err));
        *is_zstd = saves(by_zstd, *n_packed, A_LOT);
        *n_packed = *is_zstd ? by_zstd : *n_packed;
    }
    return STOA_OK;
}

static stoa_status set_general(hid_t dcpl, const packing *p, bool is_zstd, stoa_error *err)
{
    static const unsigned level = ZSTD_LEVEL;

    return is_zstd ? set_shuffled(dcpl, p->element, STOA_FILTER_ZSTD, &level, 1, err)
                   : set_deflate(dcpl, p->element, auto_level(p), err);
}

static stoa_status set_scaleoffset(hid_t dcpl, const stoa_scaleoffset *so, stoa_error *err)
{
    return so->is_decimal ? pack_decimals(dcpl, so->decimals, err)
                          : stoa_codec_pack_integers(dcpl, err);
}

/* Scale-offset, shuffle and deflate, of which each chunk takes what suits it: see
 * codec/pipeline.h. */
static stoa_status set_all(hid_t dcpl, const packing *p, const stoa_scaleoffset *so, unsigned level,
                           stoa_error *err)
{
    STOA_RETURN_NOT_OK(set_scaleoffset(dcpl, so, err));
    return set_deflate(dcpl, p->element, level, err);
}

/* Whether a sample took scale-offset and no other filter. */
static bool is_alone(const packing *p, uint32_t left_out)
{
    return left_out == (p->element->size > 1 ? 6 : 2);
}

/* The filters that a sample took of these, or more of them for other chunks. */
static stoa_status set_what_was_taken(hid_t dcpl, const packing *p, const stoa_scaleoffset *so,
                                      unsigned level, uint32_t left_out, stoa_error *err)
{
    const bool has_shuffle = p->element->size > 1;

    if ((left_out & 1) == 0) {
        return set_all(dcpl, p, so, level, err);
    }
    return has_shuffle && (left_out & 2) == 0 ? set_deflate(dcpl, p->element, level, err)
                                              : set_plain_deflate(dcpl, level, err);
}

/* Choose filters for values that scale-offset can pack. Others behind it are needed also for floats
 * of later chunks, which it may have to leave as they are. */
static stoa_status choose_for_packable(hid_t dcpl, const packing *p, const stoa_scaleoffset *so,
                                       stoa_error *err)
{
    const size_t n_bytes = p->n * so->size;
    const bool is_looked_up = p->sample->is_looked_up;
    bool is_zstd = false;
    uint32_t left_out = 0;
    size_t general = 0;
    size_t packed = 0;

    STOA_RETURN_NOT_OK(
        measure_packed(p, so, is_looked_up ? 0 : AUTO_LEVEL, &packed, &left_out, err));
    if (!is_looked_up && stoa_filter_is_installed(STOA_FILTER_ZSTD)) {
        STOA_RETURN_NOT_OK(measure_general(p, &general, &is_zstd, err));
        if (is_zstd && saves(general, packed, is_alone(p, left_out) ? 1.0 - MUCH_SMALLER : A_LOT)) {
            return set_general(dcpl, p, true, err);
        }
    }
    if (!saves(packed, n_bytes, LITTLE)) {
        return STOA_OK;
    }
    return is_looked_up || (is_alone(p, left_out) && !so->is_decimal)
               ? set_scaleoffset(dcpl, so, err)
               : set_what_was_taken(dcpl, p, so, AUTO_LEVEL, left_out, err);
}

static stoa_status choose_for_floats(hid_t dcpl, const packing *all, stoa_error *err)
{
    packing part = *all;
    const packing *const p = &part;
    bool is_zstd = false;
    size_t shuffled = 0;
    size_t plain = 0;

    if (p->n == 0) {
        return STOA_OK;
    }
    if (part.n > FIRST_FLOATS && part.n < SMALL_SAMPLE) {
        part.n = FIRST_FLOATS;
    }
    STOA_RETURN_NOT_OK(measure_general(p, &shuffled, &is_zstd, err));
    STOA_RETURN_NOT_OK(measure_by(p, STOA_FILTER_DEFLATE, AUTO_LEVEL, false, &plain, err));
    if (!saves(plain < shuffled ? plain : shuffled, p->n * p->element->size, OF_FLOATS)) {
        return STOA_OK;
    }
    return saves(plain, shuffled, LITTLE) ? set_plain_deflate(dcpl, AUTO_LEVEL, err)
                                          : set_general(dcpl, p, is_zstd, err);
}

static stoa_status choose(hid_t dcpl, const packing *p, stoa_error *err)
{
    bool is_zstd = false;
    size_t n_packed = 0;

    stoa_scaleoffset so;

    if (find_scaleoffset(p, &so)) {
        return choose_for_packable(dcpl, p, &so, err);
    }
    if (is_packable(p)) { /* without a sample */
        return stoa_codec_pack_integers(dcpl, err);
    }
    if (p->element->class == STOA_ELEMENT_FLOAT) {
        return choose_for_floats(dcpl, p, err);
    }
    if (p->n != 0) {
        STOA_RETURN_NOT_OK(measure_general(p, &n_packed, &is_zstd, err));
    }
    switch (p->element->class) {
    case STOA_ELEMENT_INTEGER:
    case STOA_ELEMENT_OPAQUE:
        if (saves(n_packed, p->n * p->element->size, A_LOT)) {
            STOA_RETURN_NOT_OK(set_general(dcpl, p, is_zstd, err));
        }
        break;
    default:
        if (!stoa_element_is_variable(p->element)) {
            STOA_RETURN_NOT_OK(set_general(dcpl, p, is_zstd, err));
        }
        break;
    }
    return STOA_OK;
}

/* The filters that make a sample smallest. */
typedef struct smallest {
    bool is_packable; /* scale-offset is one of those that were tried */
    bool is_shuffled;
    uint32_t left_out;
    stoa_scaleoffset so;
} smallest;

/* Find them for the first values of a sample; shuffle and deflate if there are none. */
static stoa_status find_smallest(const packing *all, smallest *found, stoa_error *err)
{
    packing part = *all;
    size_t n_packed = 0;
    size_t plain = 0;

    part.n = all->n < SMALL_SAMPLE ? all->n : SMALL_SAMPLE;
    *found = (smallest){.is_shuffled = true};
    found->is_packable = find_scaleoffset(&part, &found->so);
    if (found->is_packable) {
        return measure_packed(&part, &found->so, SMALL_LEVEL, &n_packed, &found->left_out, err);
    }
    if (part.n != 0) {
        STOA_RETURN_NOT_OK(
            measure_by(&part, STOA_FILTER_DEFLATE, SMALL_LEVEL, true, &n_packed, err));
        STOA_RETURN_NOT_OK(measure_by(&part, STOA_FILTER_DEFLATE, SMALL_LEVEL, false, &plain, err));
        found->is_shuffled = plain >= n_packed;
    }
    return STOA_OK;
}

/* Choose the smallest result. The only chunk of a small table takes all filters, so that
 * scale-offset is set alone for it if it was taken alone. */
static stoa_status choose_smallest(hid_t dcpl, const packing *p, stoa_error *err)
{
    smallest found;

    STOA_RETURN_NOT_OK(find_smallest(p, &found, err));
    if (found.is_packable) {
        return is_alone(p, found.left_out) && (p->sample->n < p->chunk_rows || is_looked_up(p))
                   ? set_scaleoffset(dcpl, &found.so, err)
                   : set_what_was_taken(dcpl, p, &found.so, SMALL_LEVEL, found.left_out, err);
    }
    return found.is_shuffled ? set_deflate(dcpl, p->element, SMALL_LEVEL, err)
                             : set_plain_deflate(dcpl, SMALL_LEVEL, err);
}

/* --- names ----------------------------------------------------------------------------------- */

/* Level 0: none was given. */
static stoa_status apply_none(hid_t dcpl, const packing *p, unsigned level, stoa_error *err)
{
    (void)dcpl;
    (void)p;
    (void)level;
    (void)err;
    return STOA_OK;
}

static stoa_status apply_auto(hid_t dcpl, const packing *p, unsigned level, stoa_error *err)
{
    (void)level;
    return choose(dcpl, p, err);
}

static stoa_status apply_small(hid_t dcpl, const packing *p, unsigned level, stoa_error *err)
{
    (void)level;
    return choose_smallest(dcpl, p, err);
}

static stoa_status apply_scaleoffset(hid_t dcpl, const packing *p, unsigned level, stoa_error *err)
{
    (void)level;
    return is_packable(p) ? stoa_codec_pack_integers(dcpl, err) : choose(dcpl, p, err);
}

/* The level is the number of decimals. */
static stoa_status apply_decimal(hid_t dcpl, const packing *p, unsigned level, stoa_error *err)
{
    stoa_scaleoffset so = {.is_decimal = true, .decimals = level};

    return may_be_decimal(p) && (level > 0 || find_scaleoffset(p, &so))
               ? set_all(dcpl, p, &so, AUTO_LEVEL, err)
               : choose(dcpl, p, err);
}

static stoa_status apply_deflate(hid_t dcpl, const packing *p, unsigned level, stoa_error *err)
{
    return set_deflate(dcpl, p->element, level > 0 ? level : DEFLATE_LEVEL, err);
}

static stoa_status apply_zstd(hid_t dcpl, const packing *p, unsigned level, stoa_error *err)
{
    const unsigned values[] = {level > 0 ? level : ZSTD_LEVEL};

    return set_shuffled(dcpl, p->element, STOA_FILTER_ZSTD, values, 1, err);
}

static stoa_status apply_lz4(hid_t dcpl, const packing *p, unsigned level, stoa_error *err)
{
    (void)level;
    return set_shuffled(dcpl, p->element, STOA_FILTER_LZ4, NULL, 0, err);
}

static stoa_status apply_blosc(hid_t dcpl, const packing *p, unsigned level, stoa_error *err)
{
    (void)level;
    return set_blosc(dcpl, p, err);
}

typedef struct codec_kind {
    const char *name;
    unsigned highest; /* highest level; 0: the codec has no levels */
    stoa_status (*apply)(hid_t dcpl, const packing *p, unsigned level, stoa_error *err);
} codec_kind;

/* The registry: a new codec adds one line. */
static const codec_kind kinds[] = {
    {"auto", 0, apply_auto},        {"none", 0, apply_none},
    {"small", 0, apply_small},      {"scaleoffset", 0, apply_scaleoffset},
    {"decimal", 10, apply_decimal}, {"deflate", 9, apply_deflate},
    {"zstd", 19, apply_zstd},       {"lz4", 0, apply_lz4},
    {"blosc", 0, apply_blosc},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

const char *stoa_codec_name(size_t i)
{
    return i < N_KINDS ? kinds[i].name : NULL;
}

/* Whether `codec` names this kind, optionally with a level after a colon. */
static bool is_named(const char *codec, const codec_kind *kind, unsigned *level)
{
    const size_t length = strlen(kind->name);
    const char *digits = codec + length + 1;

    if (strncmp(codec, kind->name, length) != 0) {
        return false;
    }
    if (codec[length] == '\0') {
        return true;
    }
    if (codec[length] != ':' || *digits < '1' || *digits > '9' || strlen(digits) > 2) {
        return false;
    }
    *level = (unsigned)(digits[0] - '0');
    if (digits[1] != '\0') {
        *level = *level * 10 + (unsigned)(digits[1] - '0');
    }
    return (digits[1] == '\0' || (digits[1] >= '0' && digits[1] <= '9')) && *level <= kind->highest;
}

bool stoa_codec_is_portable(const char *codec)
{
    unsigned level = 0;

    for (size_t i = 0; codec != NULL && i < N_KINDS; i++) {
        if (is_named(codec, &kinds[i], &level)) {
            return kinds[i].apply == apply_none || kinds[i].apply == apply_deflate;
        }
    }
    return true; /* of an unknown one, stoa_codec_apply() says so */
}

bool stoa_codec_packs_any(const char *codec)
{
    unsigned level = 0;

    for (size_t i = 0; codec != NULL && i < N_KINDS; i++) {
        if (is_named(codec, &kinds[i], &level)) {
            return kinds[i].apply != apply_none;
        }
    }
    return false;
}

static stoa_status fail_name(const char *codec, stoa_error *err)
{
    (void)stoa_fail(err, STOA_EINVAL, "'%s' is no codec; there are", codec);
    for (size_t i = 0; i < N_KINDS; i++) {
        stoa_advise(err, "%s %s", i == 0 ? "" : i + 1 < N_KINDS ? "," : " and", kinds[i].name);
        if (kinds[i].highest > 0) {
            stoa_advise(err, "[:1-%u]", kinds[i].highest);
        }
    }
    return STOA_EINVAL;
}

/* A chunk is decoded for the sake of each row, unless its only filter packs rows one by one. */
static stoa_status shorten_chunks(hid_t dcpl, uint64_t chunk_rows, stoa_error *err)
{
    const int n_filters = H5Pget_nfilters(dcpl);
    unsigned flags = 0;
    size_t n_values = 0;

    if (chunk_rows <= LOOKED_UP_ROWS || n_filters == 0 ||
        (n_filters == 1 && H5Pget_filter2(dcpl, 0, &flags, &n_values, NULL, 0, NULL, NULL) ==
                               H5Z_FILTER_SCALEOFFSET)) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(dcpl, 1, &(hsize_t){LOOKED_UP_ROWS}),
                          "set the chunk length");
    return STOA_OK;
}

stoa_status stoa_codec_apply(hid_t dcpl, const char *codec, const stoa_element *element,
                             uint64_t chunk_rows, const stoa_sample *sample, stoa_error *err)
{
    const size_t most = SAMPLE_BYTES / element->size;
    stoa_scratch scratch = {.sizes = {0}};
    packing p = {element, chunk_rows, sample, 0, &scratch};
    unsigned level = 0;

    if (sample != NULL && sample->elements != NULL && !stoa_element_is_variable(element)) {
        p.n = sample->n < most ? sample->n : most;
        p.n = p.n < chunk_rows ? p.n : (size_t)chunk_rows;
        p.n = p.n < MIN_SAMPLE ? 0 : p.n;
    }
    for (size_t i = 0; i < N_KINDS; i++) {
        if (is_named(codec != NULL ? codec : "auto", &kinds[i], &level)) {
            const stoa_status status = kinds[i].apply(dcpl, &p, level, err);
            stoa_scratch_clear(&scratch);
            STOA_RETURN_NOT_OK(status);
            return sample != NULL && sample->is_looked_up ? shorten_chunks(dcpl, chunk_rows, err)
                                                          : STOA_OK;
        }
    }
    return fail_name(codec, err);
}
