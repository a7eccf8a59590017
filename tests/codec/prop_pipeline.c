/*
 * Pipelines of libhdf5's own filters, in every order: what it writes is undone here, what is
 * applied here it reads, for src/codec/pipeline.c.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "codec/kit.h"
#include "support/memory_file.h"
#include "support/raw_chunk.h"

enum { MAX_FILTERS = 4 };

/* One dataset of one chunk. */
typedef struct dataset {
    hid_t file, id;
    hsize_t n; /* elements */
    stoa_pipeline pipeline;
    uint8_t *chunk;
} dataset;

static void add_to_plist(hid_t plist, unsigned which, bool optional)
{
    const unsigned flags = optional ? H5Z_FLAG_OPTIONAL : H5Z_FLAG_MANDATORY;
    const unsigned level = (unsigned)check_random_below(10);

    switch (which) {
    case 0:
        CHECK_H5(H5Pset_filter(plist, H5Z_FILTER_SHUFFLE, flags, 0, NULL));
        break;
    case 1:
        CHECK_H5(H5Pset_filter(plist, H5Z_FILTER_DEFLATE, flags, 1, &level));
        break;
    default:
        CHECK_H5(H5Pset_filter(plist, H5Z_FILTER_FLETCHER32, H5Z_FLAG_MANDATORY, 0, NULL));
        break;
    }
}

/* The pipeline as the file says it. */
static void read_pipeline(hid_t id, stoa_pipeline *pipeline)
{
    const hid_t plist = CHECK_H5(H5Dget_create_plist(id));
    const int n = (int)CHECK_H5(H5Pget_nfilters(plist));

    for (int i = 0; i < n; i++) {
        unsigned values[STOA_MAX_FILTER_VALUES];
        size_t n_values = STOA_MAX_FILTER_VALUES;
        unsigned flags = 0;
        const H5Z_filter_t filter = (H5Z_filter_t)CHECK_H5(
            H5Pget_filter2(plist, (unsigned)i, &flags, &n_values, values, 0, NULL, NULL));
        add_filter(pipeline, (uint32_t)filter, (uint32_t)n_values, values);
    }
    CHECK_H5(H5Pclose(plist));
}

/* Opaque elements, or integers where these are packed by scale-offset. */
static hid_t new_type(size_t element_size, bool is_integer)
{
    const hid_t type =
        CHECK_H5(is_integer ? H5Tcopy(H5T_NATIVE_INT64) : H5Tcreate(H5T_OPAQUE, element_size));

    if (is_integer) {
        CHECK_H5(H5Tset_size(type, element_size));
        CHECK_H5(H5Tset_order(type, check_random_below(2) == 0 ? H5T_ORDER_LE : H5T_ORDER_BE));
        CHECK_H5(H5Tset_sign(type, check_random_below(2) == 0 ? H5T_SGN_2 : H5T_SGN_NONE));
    }
    return type;
}

/* Filters by the base-4 digits of `order`: shuffle, deflate, fletcher32, none. Of several shuffles
 * libhdf5 tells only the first how long elements are, and takes the others for broken: once only.
 * `packed`: and scale-offset, before them or behind a shuffle that is the first. */
static hid_t new_plist(hsize_t n, unsigned order, bool optional, bool packed)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    bool is_shuffled = false;

    CHECK_H5(H5Pset_chunk(plist, 1, &n));
    if (packed && check_random_below(3) == 0) {
        add_to_plist(plist, 0, optional);
        is_shuffled = true;
    }
    if (packed) {
        CHECK_H5(H5Pset_scaleoffset(plist, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT));
    }
    for (unsigned digits = order, i = 0; i < MAX_FILTERS; i++, digits /= 4) {
        if (digits % 4 != 3 && !(digits % 4 == 0 && is_shuffled)) {
            add_to_plist(plist, digits % 4, optional);
        }
        is_shuffled = is_shuffled || digits % 4 == 0;
    }
    return plist;
}

static dataset dataset_of(size_t element_size, hsize_t n, unsigned order, bool packed)
{
    dataset d = {.file = memory_file("codec.h5", false), .n = n};
    const hid_t type = new_type(element_size, packed);
    const hid_t plist = new_plist(n, order, true, packed);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));

    d.id = CHECK_H5(H5Dcreate2(d.file, "d", type, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    d.pipeline = pipeline_of(n * element_size, element_size,
                             (stoa_simd)check_random_below((uint64_t)stoa_simd_of_cpu() + 1));
    read_pipeline(d.id, &d.pipeline);
    d.chunk = malloc(d.pipeline.chunk_bytes);
    CHECK(d.chunk != NULL);
    random_chunk(d.chunk, d.pipeline.chunk_bytes, element_size);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(plist));
    CHECK_H5(H5Tclose(type));
    return d;
}

static hid_t type_of(const dataset *d)
{
    return (hid_t)CHECK_H5(H5Dget_type(d->id));
}

/* Write the chunk as it is to be stored, and read it; by libhdf5, which forgets the mask of a chunk
 * that it replaces by one of the same size, and that of the last one until the dataset is opened
 * again. */
static void write_and_read(const dataset *d, uint32_t mask, const uint8_t *stored, size_t n_stored,
                           uint8_t *out)
{
    const hid_t type = type_of(d);
    const hid_t plist = CHECK_H5(H5Dget_create_plist(d->id));
    const hid_t space = CHECK_H5(H5Dget_space(d->id));
    hid_t id = CHECK_H5(H5Dcreate2(d->file, "e", type, space, H5P_DEFAULT, plist, H5P_DEFAULT));

    CHECK_H5(H5Dwrite_chunk(id, H5P_DEFAULT, mask, &(hsize_t){0}, n_stored, stored));
    CHECK_H5(H5Dclose(id));
    id = CHECK_H5(H5Dopen2(d->file, "e", H5P_DEFAULT));
    CHECK_H5(H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    CHECK_H5(H5Dclose(id));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(plist));
    CHECK_H5(H5Tclose(type));
}

static void dataset_end(dataset *d)
{
    free(d->chunk);
    CHECK_H5(H5Dclose(d->id));
    CHECK_H5(H5Fclose(d->file));
}

/* What libhdf5 stored is undone to what it was given. */
static void check_undo(const dataset *d)
{
    const size_t room = stoa_pipeline_bound(&d->pipeline);
    uint8_t *stored = malloc(room);
    guarded out = guarded_new(d->pipeline.chunk_bytes);
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *chunk = NULL;
    uint32_t mask = 0;
    const hid_t type = type_of(d);

    CHECK(stored != NULL);
    CHECK(stoa_pipeline_is_known(&d->pipeline));
    CHECK_H5(H5Dwrite(d->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, d->chunk));
    CHECK_H5(H5Dflush(d->id));
    const size_t n = raw_chunk(d->id, &(hsize_t){0}, stored, room, &mask);
    uint8_t *exact = exact_copy(stored, n);
    CHECK_OK(stoa_pipeline_undo(&d->pipeline, mask, exact, n, &scratch, out.bytes, &chunk, &err),
             &err);
    CHECK_MEM(chunk, d->chunk, d->pipeline.chunk_bytes);
    CHECK_H5(H5Tclose(type));
    stoa_scratch_clear(&scratch);
    guarded_end(&out);
    free(exact);
    free(stored);
}

/* What is stored here libhdf5 reads. */
static void check_apply(const dataset *d)
{
    uint8_t *back = malloc(d->pipeline.chunk_bytes);
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *stored = NULL;
    size_t n_stored = 0;
    uint32_t mask = 0;

    CHECK(back != NULL);
    CHECK_OK(stoa_pipeline_apply(&d->pipeline, d->chunk, &scratch, &stored, &n_stored, &mask, &err),
             &err);
    CHECK(n_stored <= stoa_pipeline_bound(&d->pipeline));
    CHECK(n_stored <= d->pipeline.chunk_bytes + 4 * MAX_FILTERS);
    write_and_read(d, mask, stored, n_stored, back);
    CHECK_MEM(back, d->chunk, d->pipeline.chunk_bytes);
    stoa_scratch_clear(&scratch);
    free(back);
}

static size_t random_size(void)
{
    static const size_t sizes[] = {1, 2, 4, 8, 3, 5, 7, 12, 14, 16, 41};

    return sizes[check_random_below(sizeof sizes / sizeof sizes[0])];
}

static hsize_t random_length(void)
{
    return 1 + check_random_below(UINT64_C(1) << (1 + check_random_below(13)));
}

static void libhdf5s_chunks_are_undone_and_ours_are_read_by_it(void)
{
    for (unsigned order = 0; order < 256; order++) {
        for (uint64_t i = check_n_cases(3); i > 0; i--) {
            dataset d = dataset_of(random_size(), random_length(), order, false);
            check_undo(&d);
            check_apply(&d);
            dataset_end(&d);
        }
    }
}

static void every_element_size_comes_back(void)
{
    for (size_t size = 1; size <= 40; size++) {
        dataset d = dataset_of(size, random_length(), 0 + 4 * 1 + 16 * 2 + 64 * 3, false);
        check_undo(&d);
        check_apply(&d);
        dataset_end(&d);
    }
}

/* Every set of steps left out: the others are taken by hand, then all are undone and read. */
static void steps_that_were_left_out_are_not_undone(void)
{
    for (uint64_t i = check_n_cases(200); i > 0; i--) {
        dataset d =
            dataset_of(random_size(), random_length(), (unsigned)check_random_below(256), false);
        const uint32_t mask =
            (uint32_t)check_random() & ((UINT32_C(1) << d.pipeline.n_filters) - 1);
        stoa_pipeline taken = d.pipeline;
        stoa_scratch scratch = {.blocks = {NULL}};
        stoa_error err = STOA_ERROR_INIT;
        const uint8_t *stored = NULL;
        const uint8_t *chunk = NULL;
        size_t n_stored = 0;
        uint32_t left_out = 0;

        taken.n_filters = 0;
        for (size_t k = 0; k < d.pipeline.n_filters; k++) {
            if ((mask >> k & 1) == 0) {
                taken.filters[taken.n_filters++] = d.pipeline.filters[k];
            }
        }
        CHECK_OK(
            stoa_pipeline_apply(&taken, d.chunk, &scratch, &stored, &n_stored, &left_out, &err),
            &err);
        if (left_out == 0) {
            guarded out = guarded_new(d.pipeline.chunk_bytes);
            uint8_t *exact = exact_copy(stored, n_stored);
            write_and_read(&d, mask, exact, n_stored, out.bytes);
            CHECK_MEM(out.bytes, d.chunk, d.pipeline.chunk_bytes);
            memset(out.bytes, 0, d.pipeline.chunk_bytes);
            CHECK_OK(stoa_pipeline_undo(&d.pipeline, mask, exact, n_stored, &scratch, out.bytes,
                                        &chunk, &err),
                     &err);
            CHECK_MEM(chunk, d.chunk, d.pipeline.chunk_bytes);
            guarded_end(&out);
            free(exact);
        }
        stoa_scratch_clear(&scratch);
        dataset_end(&d);
    }
}

/* Values that libhdf5 1.14 can read back: at most half of their type (HDFGroup/hdf5 5861). */
static void halve(dataset *d)
{
    const hid_t type = type_of(d);
    const size_t size = d->pipeline.element_size;
    const size_t high = H5Tget_order(type) == H5T_ORDER_BE ? 0 : size - 1;

    for (size_t i = 0; i < d->pipeline.chunk_bytes; i += size) {
        d->chunk[i + high] &= 0x3f;
    }
    CHECK_H5(H5Tclose(type));
}

static void check_pick(const dataset *d)
{
    stoa_scratch scratch = {.blocks = {NULL}};
    stoa_error err = STOA_ERROR_INIT;
    const uint8_t *stored = NULL;
    size_t n_stored = 0;
    uint32_t mask = 0;

    CHECK_OK(stoa_pipeline_apply(&d->pipeline, d->chunk, &scratch, &stored, &n_stored, &mask, &err),
             &err);
    for (unsigned i = 0; i < 20; i++) {
        const uint64_t first = check_random_below(d->n);
        const uint64_t n = check_random_below(d->n - first + 1);
        const size_t size = d->pipeline.element_size;
        guarded out = guarded_new((size_t)n * size);
        bool found = false;

        CHECK_OK(stoa_pipeline_decode_range(&d->pipeline, mask, stored, n_stored, first, n,
                                            out.bytes, &found, &err),
                 &err);
        CHECK(found || d->pipeline.n_filters > 1);
        if (found) {
            CHECK_MEM(out.bytes, d->chunk + first * size, (size_t)n * size);
        }
        guarded_end(&out);
    }
    stoa_scratch_clear(&scratch);
}

static void packed_integers_pass_the_other_filters(void)
{
    for (unsigned order = 0; order < 256; order++) {
        for (uint64_t i = check_n_cases(2); i > 0; i--) {
            dataset d = dataset_of((size_t)1 << check_random_below(4), random_length(),
                                   check_random_below(4) == 0 ? 255 : order, true);
            halve(&d);
            check_undo(&d);
            if (d.pipeline.filters[0].id == STOA_FILTER_SCALEOFFSET) {
                check_apply(&d);
                check_pick(&d);
            }
            dataset_end(&d);
        }
    }
}

TEST_MAIN(TEST(packed_integers_pass_the_other_filters),
          TEST(libhdf5s_chunks_are_undone_and_ours_are_read_by_it),
          TEST(every_element_size_comes_back), TEST(steps_that_were_left_out_are_not_undone))
