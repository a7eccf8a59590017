/*
 * Any bytes as a structured chunk of a sparse dataset: the filter, the library and the connector
 * read it within its bounds, and all of them the same, or all refuse it; what was read can be
 * edited.
 *
 * First what the dataset is (a byte each: datatype, chunk's two lengths, extent, filters of the
 * positions, those of the values, fill value, what a sound chunk holds), then the chunk. It is read
 * as it is, and once more with checksums that are true.
 */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>
#include <zlib.h>

#include "fuzz/fuzz.h"
#include "hdf/ids.h"
#include "sparse/connector/connector.h"
#include "sparse/format/chunk.h"
#include "sparse/format/filter.h"
#include "sparse/format/libhdf5_filter.h"
#include "support/check.h"

enum { BIG = FUZZ_SPARSE_SIZE, N_TYPES = 6, N_PIPELINES = 8, LONGEST = 40, MOST = FUZZ_SPARSE_MAX };
_Static_assert(MOST == LONGEST * LONGEST, "two lengths");
static const size_t head = FUZZ_SPARSE_HEAD;

/* What cannot fail whatever the chunk is. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        if (!(call)) {                                                                             \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #call);               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* --- the dataset ----------------------------------------------------------------------------- */

typedef struct recipe {
    hid_t type;
    hid_t dcpl;
    size_t size; /* of an element */
    hsize_t chunk[2];
    hsize_t extent[2];
    stoa_sparse_format format; /* bound */
} recipe;

static hid_t type_of(unsigned which)
{
    const hid_t numbers[] = {H5T_STD_I16LE, H5T_STD_I32BE, H5T_IEEE_F64LE, H5T_STD_U8LE,
                             H5T_IEEE_F32BE};

    return which < 5 ? H5Tcopy(numbers[which]) : H5Tcreate(H5T_OPAQUE, BIG);
}

static void add_filters(stoa_section_filters *filters, unsigned which)
{
    static const stoa_filter known[] = {
        {.id = STOA_FILTER_DEFLATE, .n_values = 1, .values = {1}},
        {.id = STOA_FILTER_ZSTD, .n_values = 1, .values = {1}},
        {.id = STOA_FILTER_LZ4},
        {.id = STOA_FILTER_FLETCHER32},
        {.id = STOA_FILTER_SCALEOFFSET, .n_values = 2, .values = {2, 0}},
        {.id = H5Z_FILTER_NBIT}, /* libhdf5 must run it */
    };

    if (which == N_PIPELINES - 1) {
        filters->filters[filters->n++] = (stoa_filter){.id = STOA_FILTER_SHUFFLE};
        filters->filters[filters->n++] = known[0];
    } else if (which > 0) {
        filters->optional = which > 4 ? 1 : 0;
        filters->filters[filters->n++] = known[which - 1];
    }
}

/* The whole format, as libhdf5 has it made when a dataset is. */
static void bind(recipe *r)
{
    uint32_t words[STOA_SPARSE_MAX_WORDS];
    size_t n_words = STOA_SPARSE_MAX_WORDS;
    unsigned flags = 0;
    const hid_t space = H5Screate_simple(2, r->chunk, NULL);

    MUST(stoa_sparse_filter_class.set_local(r->dcpl, r->type, space) >= 0);
    MUST(H5Pget_filter_by_id2(r->dcpl, STOA_SPARSE_FILTER, &flags, &n_words, words, 0, NULL,
                              NULL) >= 0);
    MUST(stoa_sparse_format_unpack(words, n_words, &r->format, NULL) == STOA_OK);
    MUST(H5Sclose(space) >= 0);
}

static recipe recipe_of(const uint8_t *bytes)
{
    recipe r = {.type = type_of(bytes[0] % N_TYPES)};
    uint8_t fill[BIG];

    r.size = H5Tget_size(r.type);
    for (unsigned i = 0; i < 2; i++) {
        r.chunk[i] = 1 + bytes[1 + i] % LONGEST;
        r.extent[i] = r.chunk[i] > (bytes[3] >> (2 * i)) % 4u
                          ? r.chunk[i] - (bytes[3] >> (2 * i)) % 4u
                          : r.chunk[i];
    }
    r.format.is_sparse = true;
    add_filters(&r.format.sections[STOA_SECTION_POSITIONS], bytes[4] % 5u);
    add_filters(&r.format.sections[STOA_SECTION_VALUES], bytes[5] % N_PIPELINES);
    r.dcpl = H5Pcreate(H5P_DATASET_CREATE);
    MUST(r.type >= 0 && r.dcpl >= 0 && H5Pset_chunk(r.dcpl, 2, r.chunk) >= 0);
    if (bytes[6] % 2 == 1) {
        memset(fill, bytes[6], sizeof fill);
        MUST(H5Pset_fill_value(r.dcpl, r.type, fill) >= 0);
    }
    MUST(stoa_sparse_format_to_list(r.dcpl, &r.format, NULL) == STOA_OK);
    bind(&r);
    return r;
}

static void forget(recipe *r)
{
    MUST(H5Pclose(r->dcpl) >= 0 && H5Tclose(r->type) >= 0);
}

/* --- a sound chunk --------------------------------------------------------------------------- */

/* Patterns for which each form of section 0 is the smallest. */
static bool is_chosen(unsigned pattern, size_t e)
{
    const uint32_t h = (uint32_t)(e * 2654435761U) >> 16;

    switch (pattern) {
    case 0:
        return true;
    case 1: /* runs */
        return e % 32 < 16;
    case 2: /* gaps */
        return h % 16 == 0;
    case 3: /* holes */
        return h % 16 != 0;
    case 4: /* a bitmap */
        return h % 2 == 0;
    default:
        return false;
    }
}

size_t fuzz_sparse_input(uint8_t *bytes, size_t room)
{
    recipe r = recipe_of(bytes);
    stoa_sparse_coder coder = {.foreign = NULL};
    uint32_t positions[MOST];
    uint8_t *values = malloc(MOST * r.size);
    uint8_t fill[BIG];
    stoa_sparse_chunk chunk = {.positions = positions, .values = values};
    stoa_buffer out = {0};
    size_t n = 0;

    MUST(values != NULL && stoa_libhdf5_filter_open(&coder.foreign, NULL) == STOA_OK);
    for (size_t e = 0; e < r.format.n_elements; e++) {
        if (is_chosen(bytes[7] % 6u, e)) {
            memset(values + chunk.n * r.size, (uint8_t)(3 + chunk.n % 5), r.size);
            positions[chunk.n++] = (uint32_t)e;
        }
    }
    memset(fill, bytes[6], sizeof fill);
    MUST(stoa_sparse_chunk_pack(&r.format, &chunk, r.format.fill_is_elsewhere ? fill : NULL, &coder,
                                &out, NULL) == STOA_OK);
    if (out.size <= room - head) {
        n = head + out.size;
        memcpy(bytes + head, out.data, out.size);
    }
    stoa_buffer_clear(&out);
    stoa_libhdf5_filter_close(coder.foreign);
    stoa_sparse_coder_clear(&coder);
    free(values);
    forget(&r);
    return n;
}

/* --- checksums ------------------------------------------------------------------------------- */

/* Give a chunk of two sections its true checksums, as docs/sparse-format.md §3 says; false where it
 * is too short for them. */
static bool seal(uint8_t *chunk, size_t n, size_t element_size)
{
    uint64_t fields[8]; /* elements, defined; bytes, original bytes and mask of each section */
    const uint8_t *at = chunk + 5;
    const uint8_t *const end = chunk + n;

    if (n < 5) {
        return false;
    }
    for (unsigned i = 0; i < 8; i++) {
        fields[i] = 0;
        for (unsigned shift = 0; at < end; shift += 7) {
            fields[i] |= shift < 64 ? (uint64_t)(*at & 0x7f) << shift : 0;
            if ((*at++ & 0x80) == 0) {
                break;
            }
        }
    }
    const size_t fill = (chunk[4] & 1) != 0 ? element_size : 0;
    const size_t n_sums = (chunk[4] & 4) != 0 ? 8 : 4;
    if ((size_t)(end - at) < fill + n_sums || fields[2] > (size_t)(end - at) - fill - n_sums) {
        return false;
    }
    uint8_t *const sum = chunk + (at - chunk) + fill;
    uint8_t *const values = sum + n_sums + fields[2];
    const uint32_t sums[2] = {
        (uint32_t)crc32(crc32(0, chunk, (uInt)(sum - chunk)), sum + n_sums, (uInt)fields[2]),
        (uint32_t)crc32(0, values, (uInt)(end - values))};
    for (size_t i = 0; i < n_sums; i++) {
        sum[i] = (uint8_t)(sums[i / 4] >> (8 * (i % 4)));
    }
    return true;
}

/* --- readers --------------------------------------------------------------------------------- */

/* The filter by itself; the dense chunk, or NULL. */
static uint8_t *by_filter(const recipe *r, const uint8_t *bytes, size_t n)
{
    uint32_t words[STOA_SPARSE_MAX_WORDS];
    size_t n_words = 0;
    size_t size = n;
    void *buf = H5allocate_memory(n, false);

    MUST(buf != NULL);
    MUST(stoa_sparse_format_pack(&r->format, words, &n_words, NULL) == STOA_OK);
    memcpy(buf, bytes, n);
    const size_t n_out =
        stoa_sparse_filter_class.filter(H5Z_FLAG_REVERSE, n_words, words, n, &size, &buf);
    MUST(n_out == 0 || (n_out == r->size * r->format.n_elements && size >= n_out));
    uint8_t *dense = n_out != 0 ? malloc(n_out) : NULL;
    if (dense != NULL) {
        memcpy(dense, buf, n_out);
    }
    MUST(H5free_memory(buf) >= 0);
    return dense;
}

/* A file in memory, with the chunk in it, opened natively. */
static hid_t file_with(const recipe *r, const uint8_t *bytes, size_t n)
{
    const hsize_t origin[2] = {0, 0};
    const hsize_t most[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    MUST(fapl >= 0 && H5Pset_fapl_core(fapl, 1 << 14, false) >= 0);
    const hid_t file = H5Fcreate("fuzz_sparse.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    const hid_t space = H5Screate_simple(2, r->extent, most);
    const hid_t dataset = H5Dcreate2(file, "d", r->type, space, H5P_DEFAULT, r->dcpl, H5P_DEFAULT);
    MUST(dataset >= 0 && H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, origin, n, bytes) >= 0);
    MUST(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0 && H5Pclose(fapl) >= 0);
    return file;
}

/* H5Dread() of everything; whether it succeeds. */
static bool by_hdf5(hid_t file, const recipe *r, uint8_t *out)
{
    const hid_t dataset = H5Dopen2(file, "d", H5P_DEFAULT);

    MUST(dataset >= 0);
    const herr_t read = H5Dread(dataset, r->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
    MUST(H5Dclose(dataset) >= 0);
    return read >= 0;
}

/* The library; then it edits an element, and reads again. */
static bool by_library(hid_t file, const recipe *r, uint8_t *out, uint8_t *defined)
{
    stoa_sparse *array = NULL;
    stoa_sparse_points points = {.n = 0};
    const uint64_t whole[2] = {0, 0};
    const uint64_t extent[2] = {r->extent[0], r->extent[1]};
    const uint64_t last[2] = {extent[0] - 1, extent[1] - 1};
    uint64_t n_defined = 0;

    MUST(stoa_sparse_open(file, "d", NULL, &array, NULL) == STOA_OK);
    const bool is_read =
        stoa_sparse_read_dense(array, whole, extent, r->type, out, defined, NULL) == STOA_OK;
    if (is_read) {
        for (uint64_t i = 0; i < extent[0] * extent[1]; i++) {
            n_defined += defined[i];
        }
        MUST(stoa_sparse_read(array, NULL, NULL, r->type, &points, NULL) == STOA_OK);
        MUST(points.n == n_defined);
        stoa_sparse_points_clear(&points);
        MUST(stoa_sparse_write(array, 1, last, out, r->type, NULL) == STOA_OK);
        MUST(stoa_sparse_flush(array, NULL) == STOA_OK);
        MUST(stoa_sparse_read(array, NULL, NULL, r->type, &points, NULL) == STOA_OK);
        MUST(points.n == n_defined + (defined[extent[0] * extent[1] - 1] == 0));
        MUST(memcmp((uint8_t *)points.values + (points.n - 1) * r->size, out, r->size) == 0);
        stoa_sparse_points_clear(&points);
    }
    /* Nothing was changed where it could not be read: closing succeeds. */
    MUST(stoa_sparse_commit(array, NULL) == STOA_OK);
    return is_read;
}

/* The same file under the connector, from its image. */
static hid_t connected(hid_t file)
{
    hid_t connector = H5I_INVALID_HID;
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    MUST(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    const ssize_t n = H5Fget_file_image(file, NULL, 0);
    uint8_t *image = malloc((size_t)n);
    MUST(image != NULL && H5Fget_file_image(file, image, (size_t)n) == n);
    MUST(H5Pset_fapl_core(fapl, 1 << 14, false) >= 0);
    MUST(H5Pset_file_image(fapl, image, (size_t)n) >= 0);
    MUST(stoa_connector_register(&connector, NULL) == STOA_OK);
    MUST(H5Pset_vol(fapl, connector, NULL) >= 0 && H5VLclose(connector) >= 0);
    const hid_t opened = H5Fopen("fuzz_sparse_connected.h5", H5F_ACC_RDWR, fapl);
    MUST(opened >= 0 && H5Pclose(fapl) >= 0);
    free(image);
    return opened;
}

/* The first element, written and read back; fails where the chunk cannot be read. */
static bool edit_connected(hid_t file, const recipe *r)
{
    uint8_t value[BIG];
    uint8_t found[BIG] = {0};
    const hsize_t first[2] = {0, 0};
    const hid_t dataset = H5Dopen2(file, "d", H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    const hid_t one = H5Screate(H5S_SCALAR);

    memset(value, 0x2a, sizeof value);
    MUST(H5Sselect_elements(space, H5S_SELECT_SET, 1, first) >= 0);
    const bool is_written = H5Dwrite(dataset, r->type, one, space, H5P_DEFAULT, value) >= 0;
    const bool is_read = H5Dread(dataset, r->type, one, space, H5P_DEFAULT, found) >= 0;
    MUST(!is_written || (is_read && memcmp(found, value, r->size) == 0));
    MUST(H5Sclose(one) >= 0 && H5Sclose(space) >= 0 && H5Dclose(dataset) >= 0);
    return is_written;
}

/* --- all of them ----------------------------------------------------------------------------- */

/* What the filter made of the whole chunk, within the extent. */
static bool is_same(const recipe *r, const uint8_t *dense, const uint8_t *clipped)
{
    bool is = true;

    for (hsize_t i = 0; i < r->extent[0]; i++) {
        is = is && memcmp(dense + i * r->chunk[1] * r->size, clipped + i * r->extent[1] * r->size,
                          r->extent[1] * r->size) == 0;
    }
    return is;
}

/* Where the fill value stands in the chunk, only the filter, which knows no other, believes it. */
static bool is_alike(const recipe *r, const uint8_t *natively, const uint8_t *values,
                     const uint8_t *defined)
{
    bool is = true;

    for (size_t i = 0; i < r->extent[0] * r->extent[1]; i++) {
        is = is && ((r->format.fill_is_elsewhere && defined[i] == 0) ||
                    memcmp(natively + i * r->size, values + i * r->size, r->size) == 0);
    }
    return is;
}

/* A chunk that should hold the fill value and does not is nothing to the filter. */
static bool read_everywhere(const recipe *r, const uint8_t *bytes, size_t n, uint8_t *values,
                            uint8_t *defined)
{
    const size_t n_dense = (size_t)(r->extent[0] * r->extent[1]) * r->size;
    uint8_t *natively = malloc(n_dense);
    uint8_t *below = malloc(n_dense);
    uint8_t *dense = by_filter(r, bytes, n);
    const hid_t file = file_with(r, bytes, n);

    MUST(natively != NULL && below != NULL);
    MUST(by_hdf5(file, r, natively) == (dense != NULL));
    MUST(dense == NULL || is_same(r, dense, natively));
    const hid_t other = connected(file);
    const bool is_read = by_hdf5(other, r, below);
    MUST(is_read == (dense != NULL) || (is_read && r->format.fill_is_elsewhere));
    (void)edit_connected(other, r);
    MUST(H5Fclose(other) >= 0);
    MUST(by_library(file, r, values, defined) == is_read);
    MUST(!is_read || memcmp(below, values, n_dense) == 0);
    MUST(dense == NULL || is_alike(r, natively, values, defined));
    MUST(H5Fclose(file) >= 0);
    free(dense);
    free(below);
    free(natively);
    return is_read;
}

bool fuzz_sparse_read(const uint8_t *bytes, size_t n, bool is_sealed, uint8_t *values,
                      uint8_t *defined)
{
    if (n <= head) {
        return false;
    }
    recipe r = recipe_of(bytes);
    uint8_t *chunk = malloc(n - head);
    MUST(chunk != NULL && stoa_sparse_filter_register(NULL) == STOA_OK);
    memcpy(chunk, bytes + head, n - head);
    const bool is_read = (!is_sealed || seal(chunk, n - head, r.size)) &&
                         read_everywhere(&r, chunk, n - head, values, defined);
    free(chunk);
    forget(&r);
    return is_read;
}

void fuzz_sparse(const uint8_t *bytes, size_t n)
{
    uint8_t *values = malloc(MOST * BIG);
    uint8_t *defined = malloc(MOST);

    MUST(values != NULL && defined != NULL);
    const stoa_error_stack errors = stoa_error_stack_begin();
    (void)fuzz_sparse_read(bytes, n, false, values, defined);
    (void)fuzz_sparse_read(bytes, n, true, values, defined);
    stoa_error_stack_end(&errors);
    free(defined);
    free(values);
}
