/* Boxes of datasets of any rank, unpacked here (stoa_checked_reader_read_box in
 * src/hdf/read/checked_reader.c), filters in words (src/hdf/chunk/filters.c) and bytes of chunks
 * within their file (src/hdf/read/direct.c). */
#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/filters.h"
#include "hdf/metadata/links.h"
#include "hdf/read/checked_reader.h"
#include "support/check.h"
#include "support/damage.h"
#include "support/sweep.h"

enum { MOST = 6 * 10 * 14, FILL = -77 };

/* By rank; chunks do not divide extents. */
static const hsize_t extents[][3] = {{0}, {840, 0, 0}, {28, 30, 0}, {6, 10, 14}};
static const hsize_t chunks[][3] = {{0}, {100, 0, 0}, {5, 7, 0}, {4, 3, 5}};

static int32_t value_at(int rank, const hsize_t *at)
{
    int32_t value = 1;

    for (int i = 0; i < rank; i++) {
        value = value * 31 + (int32_t)at[i];
    }
    return value;
}

/* Elements of the second chunk along the last dimension are not written. */
static bool is_written(int rank, const hsize_t *at)
{
    return at[rank - 1] / chunks[rank][rank - 1] != 1;
}

static bool next_of(int rank, const hsize_t *start, const hsize_t *count, hsize_t *at)
{
    for (int i = rank - 1; i >= 0; i--) {
        if (++at[i] < start[i] + count[i]) {
            return true;
        }
        at[i] = start[i];
    }
    return false;
}

static hid_t make_dataset(hid_t file, int rank, hid_t type)
{
    static const hsize_t zeros[3] = {0};
    const hid_t space = CHECK_H5(H5Screate_simple(rank, extents[rank], NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    hsize_t at[3] = {0};
    int32_t *values = calloc(MOST, sizeof *values);
    size_t n = 0;

    CHECK(values != NULL);
    CHECK_H5(H5Pset_chunk(dcpl, rank, chunks[rank]));
    CHECK_H5(H5Pset_shuffle(dcpl));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, &(int32_t){FILL}));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    do {
        values[n++] = value_at(rank, at);
    } while (next_of(rank, zeros, extents[rank], at));
    for (int part = 0; part < 2; part++) { /* what lies before that chunk, and behind it */
        hsize_t start[3] = {0};
        hsize_t count[3];
        memcpy(count, extents[rank], sizeof count);
        start[rank - 1] = part == 0 ? 0 : 2 * chunks[rank][rank - 1];
        count[rank - 1] = part == 0 ? chunks[rank][rank - 1]
                                    : extents[rank][rank - 1] - 2 * chunks[rank][rank - 1];
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, space, space, H5P_DEFAULT, values));
    }
    free(values);
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    return dataset;
}

static void check_box(stoa_checked_reader *reader, int rank, const hsize_t *start,
                      const hsize_t *count)
{
    hsize_t at[3];
    size_t n = 1;
    stoa_error err = STOA_ERROR_INIT;

    for (int i = 0; i < rank; i++) {
        n *= (size_t)count[i];
    }
    int32_t *found = malloc((n + 1) * sizeof *found); /* of its own length: its ends are seen */
    CHECK(found != NULL);
    found[n] = 55;
    CHECK_OK(stoa_checked_reader_read_box(reader, H5T_NATIVE_INT32, start, count, NULL, NULL, found,
                                          &err),
             &err);
    CHECK_I64(found[n], 55);
    memcpy(at, start, sizeof at);
    for (size_t i = 0; i < n; i++) {
        CHECK_I64(found[i], is_written(rank, at) ? value_at(rank, at) : FILL);
        (void)next_of(rank, start, count, at);
    }
    free(found);
}

static void boxes_are_read_wherever_they_lie(void)
{
    const hid_t types[] = {H5T_STD_I32LE, H5T_STD_I64BE};

    for (int rank = 1; rank <= 3; rank++) {
        for (size_t k = 0; k < 2; k++) {
            const hid_t file = damage_new_file();
            const hid_t dataset = make_dataset(file, rank, types[k]);
            stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
            stoa_error err = STOA_ERROR_INIT;
            hsize_t start[3] = {0};
            hsize_t count[3] = {0};

            CHECK_OK(stoa_checked_reader_open_checked(&reader, dataset, &err), &err);
            CHECK(reader.is_ours);
            check_box(&reader, rank, start, extents[rank]);
            check_box(&reader, rank, start, count); /* nothing */
            for (uint64_t n = check_n_cases(100); n > 0; n--) {
                for (int i = 0; i < rank; i++) {
                    start[i] = check_random_below(extents[rank][i]);
                    count[i] = 1 + check_random_below(extents[rank][i] - start[i]);
                }
                check_box(&reader, rank, start, count);
            }
            stoa_checked_reader_close(&reader);
            CHECK_H5(H5Dclose(dataset));
            damage_close(file);
        }
    }
}

/* A dataset of 20 by 20 elements, of which one chunk of four is written with ones, or none is. */
static hid_t without_fill(hid_t file, const void *fill, H5D_fill_time_t time, bool is_written_to)
{
    static const hsize_t extent[] = {20, 20};
    static const hsize_t chunk[] = {10, 10};
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));
    const hid_t memory = CHECK_H5(H5Screate_simple(2, chunk, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    int32_t ones[100];

    for (size_t i = 0; i < 100; i++) {
        ones[i] = 1;
    }
    CHECK_H5(H5Pset_chunk(dcpl, 2, chunk));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, fill));
    CHECK_H5(H5Pset_fill_time(dcpl, time));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    if (is_written_to) {
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, chunk, NULL, chunk, NULL));
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, ones));
    }
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    return dataset;
}

static void elements_that_nothing_stands_for_are_zeros(void)
{
    static const int32_t value = FILL;
    static const struct {
        const void *fill;
        H5D_fill_time_t time;
        bool is_written;
    } cases[] = {{NULL, H5D_FILL_TIME_IFSET, true},
                 {NULL, H5D_FILL_TIME_NEVER, true},
                 {NULL, H5D_FILL_TIME_NEVER, false},
                 {&value, H5D_FILL_TIME_NEVER, true}};

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const hid_t file = damage_new_file();
        const hid_t dataset = without_fill(file, cases[k].fill, cases[k].time, cases[k].is_written);
        stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
        stoa_error err = STOA_ERROR_INIT;
        int32_t found[400];
        memset(found, 0x55, sizeof found);
        CHECK_OK(stoa_checked_reader_open_checked(&reader, dataset, &err), &err);
        CHECK_OK(stoa_checked_reader_read_any(&reader, H5T_NATIVE_INT32, (hsize_t[]){0, 0},
                                              (hsize_t[]){20, 20}, H5P_DEFAULT, found, &err),
                 &err);
        for (size_t i = 0; i < 400; i++) {
            CHECK_I64(found[i], cases[k].is_written && i / 20 >= 10 && i % 20 >= 10);
        }
        stoa_checked_reader_close(&reader);
        CHECK_H5(H5Dclose(dataset));
        damage_close(file);
    }
}

/* Nothing is stored, and no value stands for it: what libhdf5 says of that. */
static void elements_that_are_nowhere_are_refused(void)
{
    const hid_t file = damage_new_file();
    const hid_t dataset = without_fill(file, NULL, H5D_FILL_TIME_IFSET, false);
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    stoa_error err = STOA_ERROR_INIT;
    int32_t found[400];

    CHECK_OK(stoa_checked_reader_open_checked(&reader, dataset, &err), &err);
    CHECK_STATUS(STOA_EHDF5,
                 stoa_checked_reader_read_any(&reader, H5T_NATIVE_INT32, (hsize_t[]){0, 0},
                                              (hsize_t[]){20, 20}, H5P_DEFAULT, found, &err),
                 &err);
    CHECK_CONTAINS(err.message, "cannot read elements");
    stoa_checked_reader_close(&reader);
    CHECK_H5(H5Dclose(dataset));
    damage_close(file);
}

/* Where a chunk ends and the dataset does not, too. */
static void a_box_past_the_extent_is_refused(void)
{
    const hid_t file = damage_new_file();
    const hid_t dataset = make_dataset(file, 1, H5T_STD_I32LE);
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    stoa_error err = STOA_ERROR_INIT;
    int32_t found[200];

    CHECK_OK(stoa_checked_reader_open_checked(&reader, dataset, &err), &err);
    CHECK_STATUS(STOA_EHDF5,
                 stoa_checked_reader_read_any(&reader, H5T_NATIVE_INT32, &(hsize_t){800},
                                              &(hsize_t){100}, H5P_DEFAULT, found, &err),
                 &err);
    CHECK_CONTAINS(err.message, "read rows 800 to 900");
    stoa_checked_reader_close(&reader);
    CHECK_H5(H5Dclose(dataset));
    damage_close(file);
}

/* Read by libhdf5 some chunks at a time, as a box has no whole chunk. */
static void a_box_of_parts_of_thousands_of_chunks_is_read(void)
{
    enum { N = 5000 };
    const hid_t file = damage_new_file();
    const hid_t space = CHECK_H5(H5Screate_simple(3, (const hsize_t[]){N, 2, 2}, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    int32_t *const values = calloc((size_t)4 * N, sizeof *values);
    int32_t *const found = calloc(N, sizeof *found);
    stoa_error err = STOA_ERROR_INIT;

    CHECK(values != NULL && found != NULL);
    for (int32_t i = 0; i < 4 * N; i++) {
        values[i] = i;
    }
    CHECK_H5(H5Pset_chunk(dcpl, 3, (const hsize_t[]){1, 2, 2}));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_OK(stoa_chunks_read(dataset, false, H5T_NATIVE_INT32, (const hsize_t[]){0, 1, 1},
                              (const hsize_t[]){N, 1, 1}, H5P_DEFAULT, found, &err),
             &err);
    for (int32_t i = 0; i < N; i++) {
        CHECK_I64(found[i], 4 * i + 3);
    }
    free(found);
    free(values);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    damage_close(file);
}

static hid_t swept;

static stoa_status read_a_box(stoa_error *err)
{
    int32_t found[12 * 10];
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_checked_reader_open_checked(&reader, swept, err));
    STOA_TRY(stoa_checked_reader_read_box(&reader, H5T_NATIVE_INT32, (hsize_t[]){3, 4},
                                          (hsize_t[]){12, 10}, NULL, NULL, found, err));
    CHECK_I64(found[0], value_at(2, (hsize_t[]){3, 4}));

done:
    stoa_checked_reader_close(&reader);
    return status;
}

static void no_allocation_is_taken_for_granted(void)
{
    const hid_t file = damage_new_file();

    swept = make_dataset(file, 2, H5T_STD_I64LE);
    CHECK(sweep_memory(read_a_box) >= 3);
    CHECK_H5(H5Dclose(swept));
    damage_close(file);
}

/* --- filters in words ------------------------------------------------------------------------- */

static void filters_are_written_as_people_write_them(void)
{
    static const char *const words[] = {"shuffle", "deflate:6",   "fletcher32", "nbit",
                                        "lzf",     "scaleoffset", "filter 700"};
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    char word[64];

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){10}));
    CHECK_H5(H5Pset_shuffle(dcpl));
    CHECK_H5(H5Pset_deflate(dcpl, 6));
    CHECK_H5(H5Pset_fletcher32(dcpl));
    CHECK_H5(H5Pset_nbit(dcpl));
    CHECK(!stoa_filter_is_lacking(dcpl, word, sizeof word));
    CHECK_H5(H5Pset_filter(dcpl, STOA_FILTER_LZF, H5Z_FLAG_OPTIONAL, 0, NULL));
    CHECK_H5(H5Pset_scaleoffset(dcpl, H5Z_SO_INT, 0));
    CHECK_H5(H5Pset_filter(dcpl, 700, H5Z_FLAG_OPTIONAL, 0, NULL));
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        stoa_filter_words(dcpl, i, word, sizeof word);
        CHECK_CONTAINS(word, words[i]);
    }
    CHECK(stoa_filter_is_lacking(dcpl, word, sizeof word));
    if (H5Pset_filter(dcpl, H5Z_FILTER_SZIP, H5Z_FLAG_OPTIONAL, 2, (unsigned[]){4, 8}) >= 0) {
        stoa_filter_words(dcpl, sizeof words / sizeof words[0], word, sizeof word);
        CHECK_STR(word, "szip");
    }
    CHECK_H5(H5Pclose(dcpl));
}

/* The filter that is lacking is named, in place of what libhdf5 says; other failures stay. */
static void a_filter_that_is_lacking_is_named(void)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){10}));
    CHECK_H5(H5Pset_deflate(dcpl, 6));
    (void)stoa_fail(&err, STOA_EHDF5, "words of libhdf5");
    CHECK_STATUS(STOA_EHDF5, stoa_filter_named(dcpl, STOA_EHDF5, &err));
    CHECK_STR(err.message, "words of libhdf5");
    CHECK_H5(H5Pset_filter(dcpl, 700, H5Z_FLAG_OPTIONAL, 0, NULL));
    CHECK_OK(stoa_filter_named(dcpl, STOA_OK, &err));
    CHECK_STATUS(STOA_EDATA, stoa_filter_named(dcpl, STOA_EDATA, &err));
    CHECK_STR(err.message, "words of libhdf5");
    CHECK_STATUS(STOA_EHDF5, stoa_filter_named(dcpl, STOA_EHDF5, &err));
    CHECK_CONTAINS(err.message, "packed by the filter 'filter 700', which this libhdf5 does not");
    CHECK_H5(H5Pclose(dcpl));
}

/* A pipeline has as many bytes as a size can count, or is none. */
static void a_chunk_that_no_memory_holds_has_no_pipeline(void)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    stoa_pipeline pipeline;

    CHECK(stoa_pipeline_of(dcpl, 8, 100, &pipeline));
    CHECK(pipeline.n_filters == 0 && pipeline.chunk_bytes == 800 && pipeline.element_size == 8);
    CHECK(!stoa_pipeline_of(dcpl, 0, 100, &pipeline));
    CHECK(!stoa_pipeline_of(dcpl, 8, 0, &pipeline));
    CHECK(stoa_pipeline_of(dcpl, 8, SIZE_MAX / 8, &pipeline));
    CHECK(!stoa_pipeline_of(dcpl, 8, SIZE_MAX / 8 + 1, &pipeline));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){100}));
    CHECK_H5(H5Pset_shuffle(dcpl));
    CHECK_H5(H5Pset_filter(dcpl, 700, H5Z_FLAG_OPTIONAL, 0, NULL));
    CHECK(!stoa_pipeline_of(dcpl, 8, 100, &pipeline));
    CHECK_H5(H5Pclose(dcpl));
}

/* --- links ------------------------------------------------------------------------------------ */

static void only_a_hard_link_is_the_place_of_an_object(void)
{
    const hid_t file = damage_new_file();
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Lcreate_soft("/g", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external("a.h5", "/", file, "far", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_OK(stoa_link_must_be_hard(file, "/g", "table", &err), &err);
    CHECK_STATUS(STOA_EINVAL, stoa_link_must_be_hard(file, "/soft", "table", &err), &err);
    CHECK_CONTAINS(err.message, "'/soft' is a soft link; name the place where the table is");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EINVAL, stoa_link_must_be_hard(file, "/far", "array", &err), &err);
    CHECK_CONTAINS(err.message, "'/far' is");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EHDF5, stoa_link_must_be_hard(file, "/none", "table", &err), &err);
    CHECK_CONTAINS(err.message, "cannot look at the link '/none'");
    damage_close(file);
}

TEST_MAIN(TEST(boxes_are_read_wherever_they_lie),
          TEST(a_box_of_parts_of_thousands_of_chunks_is_read),
          TEST(elements_that_nothing_stands_for_are_zeros),
          TEST(elements_that_are_nowhere_are_refused), TEST(a_box_past_the_extent_is_refused),
          TEST(no_allocation_is_taken_for_granted), TEST(filters_are_written_as_people_write_them),
          TEST(a_filter_that_is_lacking_is_named),
          TEST(a_chunk_that_no_memory_holds_has_no_pipeline),
          TEST(only_a_hard_link_is_the_place_of_an_object))
