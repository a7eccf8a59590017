/* Filters lent to libhdf5: src/hdf/chunk/filter_fallback.c. */
#include "hdf/chunk/filter_fallback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/pipeline.h"
#include "hdf/chunk/filters.h"
#include "support/check.h"
#include "support/memory_file.h"

static const struct {
    uint32_t id;
    unsigned n;
    unsigned values[8];
} kinds[] = {{STOA_FILTER_ZSTD, 1, {3}},
             {STOA_FILTER_LZ4, 1, {0}},
             {STOA_FILTER_LZF, 3, {4, 0x0105, 4096}},
             {STOA_FILTER_BLOSC, 7, {2, 2, 1, 4096, 5, 1, 1}},
             {STOA_FILTER_BZIP2, 1, {9}},
             {STOA_FILTER_LZO, 3, {1, 0, 0}}};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static hid_t list_of(size_t kind, hsize_t n_bytes)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    unsigned values[8];

    memcpy(values, kinds[kind].values, sizeof values);
    values[3] = kinds[kind].id == STOA_FILTER_BLOSC ? (unsigned)n_bytes : values[3];
    values[2] = kinds[kind].id == STOA_FILTER_LZF ? (unsigned)n_bytes : values[2];
    CHECK_H5(H5Pset_chunk(dcpl, 1, &n_bytes));
    CHECK_H5(H5Pset_filter(dcpl, (H5Z_filter_t)kinds[kind].id, H5Z_FLAG_OPTIONAL, kinds[kind].n,
                           values));
    return dcpl;
}

/* Whether Stoa lends it here: libhdf5 has no plugin of it, and the system has what it takes. */
static bool is_lent(size_t kind)
{
    const hid_t dcpl = list_of(kind, 4096);
    stoa_pipeline pipeline;
    const bool is_known = stoa_pipeline_of(dcpl, 1, 4096, &pipeline);

    CHECK_H5(H5Pclose(dcpl));
    return is_known && !stoa_filter_is_installed(kinds[kind].id);
}

static void lend(hid_t dcpl)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_filter_fallback_for(dcpl, &err), &err);
}

/* Bytes that pack well. */
static uint8_t *some_bytes(size_t n)
{
    uint8_t *bytes = malloc(n);

    CHECK(bytes != NULL);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)(i % 251 / 5 + i / 4096);
    }
    return bytes;
}

/* A chunk of n bytes, packed here, is what libhdf5 reads, or refuses. */
static void check_read(size_t kind, size_t n, bool is_read)
{
    const hid_t file = memory_file("lent.h5", false);
    const hid_t dcpl = list_of(kind, n);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){n}, NULL));
    uint8_t *bytes = some_bytes(n);
    uint8_t *found = calloc(1, n);
    stoa_pipeline pipeline;
    stoa_scratch scratch = {.sizes = {0}};
    const uint8_t *stored = NULL;
    size_t n_stored = 0;
    uint32_t mask = 0;
    stoa_error err = STOA_ERROR_INIT;

    CHECK(found != NULL);
    CHECK(stoa_pipeline_of(dcpl, 1, n, &pipeline));
    CHECK_OK(stoa_pipeline_apply(&pipeline, bytes, &scratch, &stored, &n_stored, &mask, &err),
             &err);
    if (mask == 0) {
        lend(dcpl);
        const hid_t dataset =
            CHECK_H5(H5Dcreate2(file, "d", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){0}, n_stored, stored));
        const stoa_error_stack errors = stoa_error_stack_begin();
        const herr_t read =
            H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, found);
        stoa_error_stack_discard(&errors);
        CHECK((read >= 0) == is_read);
        CHECK(!is_read || memcmp(found, bytes, n) == 0);
        CHECK_H5(H5Dclose(dataset));
    }
    stoa_scratch_clear(&scratch);
    free(found);
    free(bytes);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
}

/* The first block is of 16 KiB, and each next one of twice that. */
static void libhdf5_reads_through_a_filter_that_is_lent(void)
{
    static const size_t lengths[] = {100, 16383, 16384, 16385, 32768, 40000, 300000};
    size_t n = 0;

    for (size_t kind = 0; kind < N_KINDS; kind++) {
        for (size_t i = 0; is_lent(kind) && i < sizeof lengths / sizeof lengths[0]; i++, n++) {
            check_read(kind, lengths[i], true);
        }
    }
    CHECK(n > 0 || !is_lent(0));
}

/* What a damaged chunk could ask for is bounded. */
static void a_filter_that_is_lent_unpacks_64_mib_and_no_more(void)
{
    if (!is_lent(0)) {
        SKIP("this filter is not lent here");
    }
    check_read(0, (size_t)64 << 20, true);
    check_read(0, ((size_t)64 << 20) + 1, false);
}

/* It only undoes: what a program writes passes by, where the filter may be left out. */
static void a_filter_that_is_lent_does_not_pack(void)
{
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        const hid_t file = memory_file("lent.h5", false);
        const hid_t dcpl = list_of(kind, 4096);
        const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){4096}, NULL));
        uint8_t *bytes = some_bytes(4096);
        uint8_t found[4096] = {0};
        hsize_t n = 0;

        if (is_lent(kind)) {
            lend(dcpl);
            const hid_t dataset = CHECK_H5(
                H5Dcreate2(file, "d", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
            CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes));
            CHECK_H5(H5Dflush(dataset));
            CHECK_H5(H5Dget_chunk_storage_size(dataset, &(hsize_t){0}, &n));
            CHECK_U64(n, 4096);
            CHECK_H5(H5Dclose(dataset));
            const hid_t again = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
            CHECK_H5(H5Dread(again, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
            CHECK_MEM(found, bytes, 4096);
            CHECK_H5(H5Dclose(again));
        }
        free(bytes);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Fclose(file));
    }
}

/* A chunk that no block holds, or none at all. */
static void damaged_chunks_are_refused(void)
{
    static const char *const damage[] = {"no such chunk", "\x28\xb5\x2f\xfd\x04", ""};

    for (size_t kind = 0; kind < N_KINDS; kind++) {
        for (size_t i = 0; is_lent(kind) && i < 3; i++) {
            const hid_t file = memory_file("lent.h5", false);
            const hid_t dcpl = list_of(kind, 4096);
            const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){4096}, NULL));
            uint8_t found[4096] = {0};
            lend(dcpl);
            const hid_t dataset = CHECK_H5(
                H5Dcreate2(file, "d", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
            CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){0}, strlen(damage[i]) + 1,
                                    damage[i]));
            const stoa_error_stack errors = stoa_error_stack_begin();
            CHECK(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) < 0);
            stoa_error_stack_end(&errors);
            CHECK_H5(H5Eclear2(H5E_DEFAULT));
            CHECK_H5(H5Dclose(dataset));
            CHECK_H5(H5Sclose(space));
            CHECK_H5(H5Pclose(dcpl));
            CHECK_H5(H5Fclose(file));
        }
    }
}

static void what_is_lent_is_not_installed(void)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK(stoa_filter_is_installed(STOA_FILTER_DEFLATE));
    CHECK(stoa_filter_is_installed(STOA_FILTER_SHUFFLE));
    CHECK(!stoa_filter_is_installed(999));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    CHECK_H5(H5Pset_filter(dcpl, 999, H5Z_FLAG_OPTIONAL, 0, NULL));
    lend(dcpl); /* one is there, and the other one nobody knows */
    CHECK(H5Zfilter_avail(999) == 0);
    CHECK_H5(H5Pclose(dcpl));
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        if (is_lent(kind)) {
            const hid_t list = list_of(kind, 4096);
            lend(list);
            lend(list);
            CHECK(H5Zfilter_avail((H5Z_filter_t)kinds[kind].id) > 0);
            CHECK(!stoa_filter_is_installed(kinds[kind].id));
            CHECK_H5(H5Pclose(list));
        }
    }
}

static size_t pass_by(unsigned flags, size_t n_values, const unsigned *values, size_t n,
                      size_t *room, void **bytes)
{
    (void)flags;
    (void)n_values;
    (void)values;
    (void)room;
    (void)bytes;
    return n;
}

static void a_filter_that_a_program_brings_stays_its_own(void)
{
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        const H5Z_class2_t own = {.version = H5Z_CLASS_T_VERS,
                                  .id = (H5Z_filter_t)kinds[kind].id,
                                  .encoder_present = 1,
                                  .decoder_present = 1,
                                  .name = "of a program",
                                  .filter = pass_by};
        const hid_t dcpl = list_of(kind, 4096);
        if (is_lent(kind)) {
            CHECK_H5(H5Zregister(&own));
            CHECK(stoa_filter_is_installed(kinds[kind].id));
            lend(dcpl);
            CHECK(stoa_filter_is_installed(kinds[kind].id));
            CHECK_H5(H5Zunregister((H5Z_filter_t)kinds[kind].id));
        }
        CHECK_H5(H5Pclose(dcpl));
    }
}

/* Behind others, too. */
static void each_filter_of_a_list_is_lent(void)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_shuffle(dcpl));
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        CHECK_H5(H5Pset_filter(dcpl, (H5Z_filter_t)kinds[kind].id, H5Z_FLAG_OPTIONAL, kinds[kind].n,
                               kinds[kind].values));
    }
    lend(dcpl);
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        CHECK(!is_lent(kind) || H5Zfilter_avail((H5Z_filter_t)kinds[kind].id) > 0);
    }
    CHECK_H5(H5Pclose(dcpl));
}

TEST_MAIN(TEST(a_filter_that_is_lent_unpacks_64_mib_and_no_more),
          TEST(a_filter_that_a_program_brings_stays_its_own), TEST(each_filter_of_a_list_is_lent),
          TEST(libhdf5_reads_through_a_filter_that_is_lent),
          TEST(a_filter_that_is_lent_does_not_pack), TEST(damaged_chunks_are_refused),
          TEST(what_is_lent_is_not_installed))
