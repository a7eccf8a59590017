/* How long chunks are, filter by filter: src/hdf/chunk/unpack.c. */
#include "hdf/chunk/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "hdf/chunk/filters.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/sweep.h"

enum { ROWS = 10, BYTES = 4 * ROWS };

/* --- chunks ---------------------------------------------------------------------------------- */

typedef struct opened {
    hid_t file;
    hid_t dataset;
    hid_t dcpl;
} opened;

/* Filters by number, in the order that they are passed; 0 ends them. */
static opened make(hid_t type, hsize_t extent, hsize_t chunk, const int *filters, unsigned options)
{
    static const unsigned values[] = {4, 8};
    opened o = {.file = memory_file("unpack.h5", false)};
    const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &chunk));
    for (size_t i = 0; filters[i] != 0; i++) {
        if (filters[i] == H5Z_FILTER_SCALEOFFSET) {
            CHECK_H5(H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 0));
        } else {
            CHECK_H5(H5Pset_filter(dcpl, filters[i], H5Z_FLAG_OPTIONAL,
                                   filters[i] == H5Z_FILTER_DEFLATE ? 1
                                   : filters[i] == H5Z_FILTER_SZIP  ? 2
                                                                    : 0,
                                   values));
        }
    }
    CHECK_H5(options != 0 ? H5Pset_chunk_opts(dcpl, options) : 0);
    o.dataset = CHECK_H5(H5Dcreate2(o.file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    o.dcpl = CHECK_H5(H5Dget_create_plist(o.dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    return o;
}

static void close_all(opened *o)
{
    CHECK_H5(H5Pclose(o->dcpl));
    CHECK_H5(H5Dclose(o->dataset));
    CHECK_H5(H5Fclose(o->file));
}

static stoa_unpacked look(const opened *o, hsize_t offset, uint64_t chunk_bytes)
{
    stoa_unpacked unpacked = STOA_UNPACKED_UNKNOWN;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_chunk_unpacks(o->dataset, o->dcpl, &offset, chunk_bytes, &unpacked, &err), &err);
    return unpacked;
}

static void put(const opened *o, hsize_t offset, uint32_t mask, const void *bytes, size_t n)
{
    CHECK_H5(H5Dwrite_chunk(o->dataset, H5P_DEFAULT, mask, &offset, n, bytes));
}

/* The first chunk of a dataset of int32 that has passed these filters. */
static void check_chunk(const int *filters, uint32_t mask, const void *bytes, size_t n,
                        stoa_unpacked expected)
{
    opened o = make(H5T_STD_I32LE, 3 * ROWS, ROWS, filters, 0);

    put(&o, 0, mask, bytes, n);
    CHECK_U64(look(&o, ROWS, BYTES), STOA_UNPACKED_SHORT); /* there is none */
    CHECK_U64(look(&o, 0, BYTES), expected);
    close_all(&o);
}

#define WHOLE STOA_UNPACKED_WHOLE
#define SHORT STOA_UNPACKED_SHORT
#define UNKNOWN STOA_UNPACKED_UNKNOWN
#define HUGE_CHUNK STOA_UNPACKED_HUGE

static const uint8_t zeros[100];

static void checksums_are_four_bytes_behind(void)
{
    static const int filters[] = {H5Z_FILTER_FLETCHER32, 0};
    static const int both[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32, 0};

    check_chunk(filters, 0, zeros, BYTES + 4, WHOLE);
    check_chunk(filters, 0, zeros, BYTES + 5, WHOLE);
    check_chunk(filters, 0, zeros, BYTES + 3, SHORT);
    check_chunk(filters, 0, zeros, 4, SHORT);
    check_chunk(filters, 0, zeros, 3, SHORT);
    check_chunk(filters, 1, zeros, BYTES, WHOLE); /* it was left out */
    check_chunk(filters, 1, zeros, BYTES - 1, SHORT);
    check_chunk(both, 0, zeros, BYTES + 4, WHOLE);
    check_chunk(both, 0, zeros, BYTES + 3, SHORT);
    check_chunk(both, 1, zeros, BYTES + 3, SHORT);
    check_chunk(both, 2, zeros, BYTES, WHOLE);
}

static size_t deflate_bytes(uint8_t *out, size_t room, size_t n)
{
    uint8_t *in = calloc(1, n + 1);
    uLongf size = room;

    CHECK(in != NULL);
    for (size_t i = 0; i < n; i++) {
        in[i] = (uint8_t)(i / 7);
    }
    CHECK_I64(compress2(out, &size, in, n, 6), Z_OK);
    free(in);
    return size;
}

static void deflated_bytes_are_counted(void)
{
    static const int filters[] = {H5Z_FILTER_DEFLATE, 0};
    static const int checked[] = {H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32, 0};
    uint8_t packed[256];

    for (size_t n = BYTES - 1; n <= BYTES + 1; n++) {
        const size_t size = deflate_bytes(packed, sizeof packed, n);
        check_chunk(filters, 0, packed, size, n >= BYTES ? WHOLE : SHORT);
        check_chunk(checked, 0, packed, size + 4, n >= BYTES ? WHOLE : SHORT);
        packed[6] ^= 0xff;
        packed[7] ^= 0xff;
        packed[0] = 0;
        check_chunk(filters, 0, packed, size, SHORT);
    }
    check_chunk(filters, 0, packed, 1, SHORT);
    check_chunk(filters, 1, zeros, BYTES, WHOLE);
}

/* As many bytes as a filter before it has made are looked for, whatever a block of them is. */
static void deflated_bytes_may_be_more_than_the_rows(void)
{
    static const int before[] = {H5Z_FILTER_FLETCHER32, H5Z_FILTER_DEFLATE, 0};
    static const int alone[] = {H5Z_FILTER_DEFLATE, 0};
    static const size_t lengths[] = {40, 4092, 4096, 8192, 12288, 16000};
    uint8_t packed[20000];

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const size_t n = lengths[i];
        opened o = make(H5T_STD_I32LE, n / 4, n / 4, before, 0);
        put(&o, 0, 0, packed, deflate_bytes(packed, sizeof packed, n + 4));
        CHECK_U64(look(&o, 0, n), WHOLE);
        put(&o, 0, 0, packed, deflate_bytes(packed, sizeof packed, n + 3));
        CHECK_U64(look(&o, 0, n), SHORT);
        close_all(&o);
        o = make(H5T_STD_I32LE, n / 4, n / 4, alone, 0);
        put(&o, 0, 0, packed, deflate_bytes(packed, sizeof packed, n));
        CHECK_U64(look(&o, 0, n), WHOLE);
        put(&o, 0, 0, packed, deflate_bytes(packed, sizeof packed, n - 1));
        CHECK_U64(look(&o, 0, n), SHORT);
        close_all(&o);
    }
}

/* Each of those before it may have put four bytes behind. */
static void as_many_checksums_as_there_are_come_before_deflate(void)
{
    static const int filters[] = {H5Z_FILTER_FLETCHER32, H5Z_FILTER_FLETCHER32,
                                  H5Z_FILTER_FLETCHER32, H5Z_FILTER_DEFLATE, 0};
    uint8_t packed[8192];

    for (size_t n = 4080; n <= 4100; n++) { /* around a block of what is inflated at a time */
        opened o = make(H5T_STD_U8LE, n, n, filters, 0);
        put(&o, 0, 0, packed, deflate_bytes(packed, sizeof packed, n + 12));
        CHECK_U64(look(&o, 0, n), WHOLE);
        put(&o, 0, 0, packed, deflate_bytes(packed, sizeof packed, n + 11));
        CHECK_U64(look(&o, 0, n), SHORT);
        close_all(&o);
    }
}

static void szip_says_how_long_it_is(void)
{
    static const int filters[] = {H5Z_FILTER_SZIP, 0};
    static const int behind[] = {H5Z_FILTER_DEFLATE, H5Z_FILTER_SZIP, 0};
    static const int before[] = {H5Z_FILTER_SZIP, H5Z_FILTER_DEFLATE, 0};

    check_chunk(filters, 0, "\x28\0\0\0", 4, WHOLE);
    check_chunk(filters, 0, "\x27\0\0\0", 4, SHORT);
    check_chunk(filters, 0, "\0\1\0\0", 4, WHOLE);
    check_chunk(filters, 0, "\0\0\1\0", 4, WHOLE);
    check_chunk(filters, 0, "\0\0\0\1", 4, WHOLE);
    check_chunk(filters, 0, "\x28\0\0", 3, SHORT);
    check_chunk(behind, 0, "\x28\0\0\0", 4, UNKNOWN); /* what deflate made is not known then */
    check_chunk(before, 0, "\x28\0\0\0", 4, UNKNOWN);
    check_chunk(behind, 1, "\x28\0\0\0", 4, WHOLE);
}

static void nbit_makes_its_elements_whole(void)
{
    static const int filters[] = {H5Z_FILTER_NBIT, 0};
    const hid_t narrow = CHECK_H5(H5Tcopy(H5T_STD_I32LE));

    check_chunk(filters, 0, zeros, BYTES, WHOLE); /* every bit counts: left as they were */
    check_chunk(filters, 0, zeros, BYTES - 1, SHORT);
    CHECK_H5(H5Tset_precision(narrow, 17));
    opened o = make(narrow, 3 * ROWS, ROWS, filters, 0);
    put(&o, 0, 0, zeros, 5);
    CHECK_U64(look(&o, 0, BYTES), WHOLE);
    CHECK_U64(look(&o, 0, BYTES + 1), SHORT);
    close_all(&o);
    CHECK_H5(H5Tclose(narrow));
}

static void scale_offset_needs_the_bits_of_all_elements(void)
{
    enum { HEAD = 21 };
    static const int filters[] = {H5Z_FILTER_SCALEOFFSET, 0};
    static const int packed_as_well[] = {H5Z_FILTER_SCALEOFFSET, H5Z_FILTER_DEFLATE, 0};
    uint8_t bytes[200] = {0};

    for (unsigned bits = 0; bits <= 33; bits++) {
        const size_t n = HEAD + (ROWS * bits + 7) / 8;
        bytes[0] = (uint8_t)bits;
        check_chunk(filters, 0, bytes, n, bits <= 32 ? WHOLE : SHORT);
        check_chunk(filters, 0, bytes, n - 1, SHORT);
    }
    for (size_t i = 1; i < 4; i++) {
        memset(bytes, 0, sizeof bytes);
        bytes[i] = 1;
        check_chunk(filters, 0, bytes, sizeof bytes, SHORT);
    }
    uint8_t packed[100];
    check_chunk(packed_as_well, 0, packed, deflate_bytes(packed, sizeof packed, 5), WHOLE);
    opened o = make(H5T_STD_I32LE, 3 * ROWS, ROWS, filters, 0);
    put(&o, 0, 0, zeros, HEAD);
    CHECK_U64(look(&o, 0, BYTES), WHOLE);
    CHECK_U64(look(&o, 0, BYTES + 1), SHORT);
    close_all(&o);
}

static void filters_of_plugins_know_what_they_do(void)
{
    static const int alone[] = {700, 0};
    static const int checked[] = {700, H5Z_FILTER_FLETCHER32, 0};
    static const int before[] = {H5Z_FILTER_FLETCHER32, 700, 0};

    check_chunk(alone, 0, zeros, 1, WHOLE);
    check_chunk(alone, 1, zeros, BYTES, WHOLE);
    check_chunk(alone, 1, zeros, BYTES - 1, SHORT);
    check_chunk(checked, 0, zeros, 4, WHOLE);
    check_chunk(checked, 0, zeros, 3, SHORT);
    check_chunk(before, 0, zeros, 1, WHOLE);
    check_chunk(before, 2, zeros, BYTES + 4, WHOLE);
    check_chunk(before, 2, zeros, BYTES + 3, SHORT);
}

/* Twice the rows, and a MiB. */
static void chunks_that_no_filter_makes_are_not_read(void)
{
    static const int filters[] = {H5Z_FILTER_FLETCHER32, 0};
    enum { MANY = 20000, LONG = 4 * MANY };
    const size_t most = 2 * LONG + ((size_t)1 << 20);
    uint8_t *bytes = calloc(1, most + 1);
    const uint8_t *unpacked = NULL;
    stoa_scratch scratch = {.sizes = {0}};
    stoa_pipeline pipeline;
    stoa_loaded_chunk chunk;
    stoa_error err = STOA_ERROR_INIT;

    CHECK(bytes != NULL);
    opened o = make(H5T_STD_I32LE, 3 * MANY, MANY, filters, 0);
    for (size_t n = most; n <= most + 1; n++) {
        put(&o, 0, 0, bytes, n);
        CHECK_U64(look(&o, 0, LONG), n == most ? WHOLE : HUGE_CHUNK);
        CHECK_OK(stoa_chunk_load(o.dataset, o.dcpl, &(hsize_t){0}, LONG, &chunk, &err), &err);
        CHECK(chunk.is_huge == (n > most) && (chunk.bytes == NULL) == (n > most));
        CHECK_U64(chunk.n_bytes, n);
        free(chunk.bytes);
    }
    CHECK_STATUS(STOA_EDATA, stoa_chunk_check(o.dataset, o.dcpl, &(hsize_t){0}, MANY, LONG, &err),
                 &err);
    CHECK_CONTAINS(err.message, "chunk 0 (rows from 0 on) is damaged: its 1208577 bytes are more "
                                "than a filter makes of its rows");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK(stoa_pipeline_of(o.dcpl, 4, MANY, &pipeline));
    CHECK_STATUS(STOA_EDATA,
                 stoa_chunk_decode(o.dataset, o.dcpl, &(hsize_t){0}, &pipeline, &scratch, NULL,
                                   &unpacked, &err),
                 &err);
    CHECK_CONTAINS(err.message, "a chunk cannot be read");
    CHECK(unpacked == NULL);
    close_all(&o);
    free(bytes);
}

/* Of a chunk over the edge, where the list says so, no mask tells that it passed no filter. */
static void chunks_over_the_edge_may_pass_no_filter(void)
{
    static const int filters[] = {H5Z_FILTER_DEFLATE, 0};
    static const hsize_t extents[] = {25, 30, 21, 29};

    for (size_t i = 0; i < 4; i++) {
        opened o =
            make(H5T_STD_I32LE, extents[i], ROWS, filters, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
        put(&o, 10, 0, zeros, BYTES);
        put(&o, 20, 0, zeros, BYTES);
        CHECK_U64(look(&o, 10, BYTES), SHORT);
        CHECK_U64(look(&o, 20, BYTES), extents[i] == 30 ? SHORT : WHOLE);
        close_all(&o);
    }
    opened o = make(H5T_STD_I32LE, 25, ROWS, filters, 0);
    put(&o, 20, 0, zeros, BYTES);
    CHECK_U64(look(&o, 20, BYTES), SHORT);
    close_all(&o);
}

/* --- in full --------------------------------------------------------------------------------- */

static void a_chunk_is_decoded_into_the_scratch(void)
{
    static const int none[] = {H5Z_FILTER_FLETCHER32, 0};
    static const int deflated[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, 0};
    const int *const filters[] = {none, deflated};
    int32_t rows[3 * ROWS];

    for (int32_t i = 0; i < 3 * ROWS; i++) {
        rows[i] = 7 * i - 40;
    }
    for (size_t i = 0; i < 2; i++) {
        opened o = make(H5T_STD_I32LE, 3 * ROWS, ROWS, filters[i], 0);
        stoa_scratch scratch = {.sizes = {0}};
        stoa_pipeline pipeline;
        stoa_error err = STOA_ERROR_INIT;
        const uint8_t *bytes = zeros;

        CHECK(stoa_pipeline_of(o.dcpl, 4, ROWS, &pipeline));
        CHECK_OK(stoa_chunk_decode(o.dataset, o.dcpl, &(hsize_t){ROWS}, &pipeline, &scratch, NULL,
                                   &bytes, &err),
                 &err);
        CHECK(bytes == NULL); /* never written */
        CHECK_H5(H5Dwrite(o.dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
        CHECK_H5(H5Dflush(o.dataset));
        CHECK_OK(stoa_chunk_decode(o.dataset, o.dcpl, &(hsize_t){ROWS}, &pipeline, &scratch, NULL,
                                   &bytes, &err),
                 &err);
        CHECK_MEM(bytes, rows + ROWS, BYTES);
        put(&o, 2 * ROWS, i == 0 ? 1 : 3, rows, BYTES);
        CHECK_U64(look(&o, 0, BYTES), WHOLE); /* libhdf5 remembers the mask of what it saw last */
        CHECK_OK(stoa_chunk_decode(o.dataset, o.dcpl, &(hsize_t){2 * ROWS}, &pipeline, &scratch,
                                   NULL, &bytes, &err),
                 &err);
        CHECK_MEM(bytes, rows, BYTES);
        put(&o, ROWS, 0, zeros + 1, 9);
        CHECK_STATUS(STOA_EDATA,
                     stoa_chunk_decode(o.dataset, o.dcpl, &(hsize_t){ROWS}, &pipeline, &scratch,
                                       NULL, &bytes, &err),
                     &err);
        CHECK_CONTAINS(err.message, "the chunk from row 10 on: ");
        stoa_scratch_clear(&scratch);
        close_all(&o);
    }
}

static opened swept;

static stoa_status decode_one(stoa_error *err)
{
    stoa_scratch scratch = {.sizes = {0}};
    stoa_pipeline pipeline;
    const uint8_t *bytes = NULL;

    CHECK(stoa_pipeline_of(swept.dcpl, 4, ROWS, &pipeline));
    const stoa_status status = stoa_chunk_decode(swept.dataset, swept.dcpl, &(hsize_t){0},
                                                 &pipeline, &scratch, NULL, &bytes, err);
    CHECK(status != STOA_OK || bytes[4] == 1);
    stoa_scratch_clear(&scratch);
    return status;
}

static stoa_status look_at_one(stoa_error *err)
{
    stoa_unpacked unpacked = STOA_UNPACKED_SHORT;
    const stoa_status status =
        stoa_chunk_unpacks(swept.dataset, swept.dcpl, &(hsize_t){0}, BYTES, &unpacked, err);

    CHECK(status != STOA_OK || unpacked == STOA_UNPACKED_WHOLE);
    return status == STOA_OK
               ? stoa_chunk_look_up(swept.dataset, swept.dcpl, &(hsize_t){0}, BYTES, err)
               : status;
}

static void memory_may_run_out(void)
{
    static const int filters[] = {H5Z_FILTER_DEFLATE, 0};
    int32_t rows[3 * ROWS] = {0, 1};

    swept = make(H5T_STD_I32LE, 3 * ROWS, ROWS, filters, 0);
    CHECK_H5(H5Dwrite(swept.dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Dflush(swept.dataset));
    CHECK(sweep_memory(decode_one) >= 2);
    CHECK_U64(sweep_memory(look_at_one), 2);
    close_all(&swept);
}

TEST_MAIN(TEST(checksums_are_four_bytes_behind), TEST(deflated_bytes_are_counted),
          TEST(deflated_bytes_may_be_more_than_the_rows),
          TEST(as_many_checksums_as_there_are_come_before_deflate), TEST(szip_says_how_long_it_is),
          TEST(nbit_makes_its_elements_whole), TEST(scale_offset_needs_the_bits_of_all_elements),
          TEST(filters_of_plugins_know_what_they_do),
          TEST(chunks_that_no_filter_makes_are_not_read),
          TEST(chunks_over_the_edge_may_pass_no_filter), TEST(a_chunk_is_decoded_into_the_scratch),
          TEST(memory_may_run_out))
