/* What is packed here, how often, and what is libhdf5's: src/hdf/chunk/chunk_writer.c. */
#include "hdf/chunk/chunk_writer.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/read/checked_reader.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/packs.h"
#include "support/raw_chunk.h"
#include "support/sweep.h"

enum { N = 1000, CHUNK = 100 };

/* --- a dataset ------------------------------------------------------------------------------- */

typedef struct opened {
    hid_t file;
    hid_t dataset;
    hid_t mem_type;
    stoa_chunk_writer writer;
} opened;

static hid_t deflated(hsize_t n)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &n));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    return dcpl;
}

static hid_t make_in(hid_t file, const char *name, hid_t type, uint64_t n, hid_t dcpl)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){n}, &(hsize_t){H5S_UNLIMITED}));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    return dataset;
}

/* Closes the list. */
static opened open_new(hid_t type, hid_t mem_type, uint64_t n, hid_t dcpl)
{
    opened o = {.file = memory_file(check_path("w.h5"), true),
                .mem_type = mem_type,
                .writer = STOA_CHUNK_WRITER_INIT};
    stoa_error err = STOA_ERROR_INIT;

    o.dataset = make_in(o.file, "d", type, n, dcpl);
    CHECK_OK(stoa_chunk_writer_open(&o.writer, o.dataset, mem_type, &err), &err);
    return o;
}

/* Flushed; then the file is opened anew. */
static void open_again(opened *o)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_chunk_writer_flush(&o->writer, &err), &err);
    stoa_chunk_writer_close(&o->writer);
    CHECK(o->writer.fill == NULL && o->writer.chunk == NULL && !o->writer.is_held);
    CHECK(o->writer.type == H5I_INVALID_HID && o->writer.dcpl == H5I_INVALID_HID);
    CHECK_H5(H5Dclose(o->dataset));
    CHECK_H5(H5Fclose(o->file));
    o->file = CHECK_H5(H5Fopen(check_path("w.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    o->dataset = CHECK_H5(H5Dopen2(o->file, "d", H5P_DEFAULT));
}

static void close_all(opened *o)
{
    stoa_chunk_writer_close(&o->writer);
    CHECK_H5(H5Dclose(o->dataset));
    CHECK_H5(H5Fclose(o->file));
}

static void write_some(opened *o, uint64_t first, uint64_t count, int32_t add)
{
    static int32_t rows[N];
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t i = 0; i < count; i++) {
        rows[i] = (int32_t)(first + i) % 50 + add;
    }
    CHECK_OK(stoa_chunk_writer_write(&o->writer, first, count, rows, &err), &err);
}

static void check_rows(const opened *o, uint64_t first, uint64_t count, int32_t add)
{
    static int32_t rows[N];

    CHECK_H5(H5Dread(o->dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    for (uint64_t i = first; i < first + count; i++) {
        CHECK_I64(rows[i], (int32_t)i % 50 + add);
    }
}

static uint32_t mask_of(const opened *o, uint64_t chunk, size_t *n_bytes)
{
    static uint8_t bytes[1 << 16];
    uint32_t mask = 0;

    *n_bytes = raw_chunk(o->dataset, &(hsize_t){chunk * CHUNK}, bytes, sizeof bytes, &mask);
    return mask;
}

/* --- how often ------------------------------------------------------------------------------- */

static void expect_packs(uint64_t n)
{
    CHECK(!check_counts_packs() || check_n_packs() == n);
    check_forget_packs();
}

static void a_chunk_is_packed_once_however_many_writes_make_it_up(void)
{
    opened o = open_new(H5T_STD_I32LE, H5T_NATIVE_INT32, N, deflated(CHUNK));
    stoa_error err = STOA_ERROR_INIT;

    CHECK(o.writer.is_ours && o.writer.is_same && !o.writer.is_enum);
    CHECK(stoa_chunk_writer_packs(&o.writer));
    check_forget_packs();
    for (uint64_t i = 0; i < CHUNK; i += 10) {
        write_some(&o, i, 10, 3);
    }
    expect_packs(0);
    CHECK(o.writer.is_held && o.writer.held == 0);
    write_some(&o, CHUNK, 10, 3); /* another one is wanted */
    expect_packs(1);
    CHECK_U64(o.writer.held, 1);
    write_some(&o, 2 * CHUNK, 3 * CHUNK, 3); /* whole ones are not held */
    expect_packs(3);
    CHECK(o.writer.is_held && o.writer.held == 1);
    write_some(&o, CHUNK, CHUNK, 3); /* all of the one that is */
    expect_packs(1);
    CHECK(!o.writer.is_held);
    CHECK_OK(stoa_chunk_writer_flush(&o.writer, &err), &err);
    expect_packs(0);
    write_some(&o, 5 * CHUNK + 10, 2 * CHUNK, 3); /* the parts of two, and one between */
    expect_packs(2);
    CHECK_U64(o.writer.held, 7);
    CHECK_OK(stoa_chunk_writer_flush(&o.writer, &err), &err);
    expect_packs(1);
    CHECK(!o.writer.is_held);
    for (int i = 0; i < 4; i++) {
        CHECK_U64(o.writer.scratch.sizes[i], 0); /* tables may have thousands of columns */
    }
    write_some(&o, 0, 0, 3);
    expect_packs(0);
    write_some(&o, 8 * CHUNK, 10, 7);
    stoa_chunk_writer_discard(&o.writer);
    CHECK_OK(stoa_chunk_writer_flush(&o.writer, &err), &err);
    expect_packs(0);
    open_again(&o);
    check_rows(&o, 0, 5 * CHUNK, 3);
    check_rows(&o, 5 * CHUNK + 10, 2 * CHUNK, 3);
    close_all(&o);
}

static void write_and_flush(opened *o, uint64_t first, uint64_t count)
{
    stoa_error err = STOA_ERROR_INIT;

    write_some(o, first, count, 1);
    CHECK_OK(stoa_chunk_writer_flush(&o->writer, &err), &err);
}

/* Rows from a chunk's first to the last of all are a chunk, whatever was there. */
static void what_will_be_written_over_is_not_read(void)
{
    static const uint8_t damaged[9] = "no zlib!";
    opened o = open_new(H5T_STD_I32LE, H5T_NATIVE_INT32, 250, deflated(CHUNK));
    stoa_error err = STOA_ERROR_INIT;
    int32_t rows[CHUNK] = {0};

    for (hsize_t i = 0; i < 3; i++) {
        CHECK_H5(H5Dwrite_chunk(o.dataset, H5P_DEFAULT, 0, &(hsize_t){i * CHUNK}, 9, damaged));
    }
    CHECK_STATUS(STOA_EDATA, stoa_chunk_writer_write(&o.writer, 1, CHUNK - 1, rows, &err), &err);
    CHECK(!o.writer.is_held);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EDATA, stoa_chunk_writer_write(&o.writer, 200, 49, rows, &err), &err);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EDATA, stoa_chunk_writer_write(&o.writer, 201, 49, rows, &err), &err);
    write_and_flush(&o, 0, 2 * CHUNK);
    write_and_flush(&o, 200, 50);
    open_again(&o);
    check_rows(&o, 0, 250, 1);
    close_all(&o);
}

/* --- masks ----------------------------------------------------------------------------------- */

static void fill_randomly(int32_t *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rows[i] = (int32_t)check_random();
    }
}

/* Of a dataset's only chunk libhdf5 may remember a mask that it had: it has none. */
static void what_does_not_shrink_is_stored_as_it_is_but_for_an_only_chunk(void)
{
    for (uint64_t n = CHUNK; n <= CHUNK + 1; n++) {
        opened o = open_new(H5T_STD_I32LE, H5T_NATIVE_INT32, n, deflated(CHUNK));
        stoa_error err = STOA_ERROR_INIT;
        int32_t rows[CHUNK + 1];
        int32_t found[CHUNK + 1];
        size_t n_bytes = 0;

        fill_randomly(rows, CHUNK + 1);
        CHECK_OK(stoa_chunk_writer_write(&o.writer, 0, n, rows, &err), &err);
        open_again(&o);
        CHECK_U64(mask_of(&o, 0, &n_bytes), n > CHUNK ? 1 : 0);
        CHECK(n_bytes == sizeof(int32_t) * CHUNK || n == CHUNK);
        CHECK_H5(H5Dread(o.dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_MEM(found, rows, n * sizeof *rows);
        close_all(&o);
    }
}

/* A chunk that keeps its size keeps its mask in the index, unless it has another size between. */
static void a_mask_changes_though_the_size_stays(void)
{
    opened o = open_new(H5T_STD_I32LE, H5T_NATIVE_INT32, N, deflated(CHUNK));
    stoa_error err = STOA_ERROR_INIT;
    static uint8_t bytes[4 * CHUNK];
    size_t n = 0;

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    for (uint32_t mask = 0; mask < 6; mask++) {
        const stoa_packed_chunk packed = {3, sizeof bytes, mask % 2};
        CHECK_OK(stoa_chunk_put(&o.writer, &packed, bytes, &err), &err);
        CHECK_OK(stoa_chunk_writer_settle(&o.writer, &err), &err);
        CHECK(!o.writer.is_stale);
        CHECK_U64(mask_of(&o, 3, &n), mask % 2);
        CHECK_U64(n, sizeof bytes);
    }
    const stoa_packed_chunk one = {4, 1, 0};
    for (uint32_t mask = 0; mask < 2; mask++) { /* of a byte there is none smaller */
        CHECK_OK(stoa_chunk_put(&o.writer, &one, bytes, &err), &err);
    }
    open_again(&o);
    CHECK_U64(mask_of(&o, 3, &n), 1);
    CHECK_U64(n, sizeof bytes);
    close_all(&o);
}

/* What is put in the place of the chunk that is held is newer. */
static void a_chunk_that_is_put_is_not_held_any_more(void)
{
    opened o = open_new(H5T_STD_I32LE, H5T_NATIVE_INT32, N, deflated(CHUNK));
    stoa_error err = STOA_ERROR_INIT;
    stoa_scratch scratch = {.sizes = {0}};
    stoa_buffer bytes = {.data = NULL};
    stoa_packed_chunk packed = {.number = 2};
    int32_t rows[CHUNK];

    for (int32_t i = 0; i < CHUNK; i++) {
        rows[i] = (2 * CHUNK + i) % 50 + 9;
    }
    CHECK_OK(stoa_chunk_pack(&o.writer, rows, CHUNK, &scratch, &packed, &bytes, &err), &err);
    write_some(&o, 3 * CHUNK, 10, 1);
    CHECK_OK(stoa_chunk_put(&o.writer, &packed, bytes.data, &err), &err);
    CHECK(o.writer.is_held && o.writer.is_stale == false);
    CHECK_U64(o.writer.last, 2);
    write_some(&o, 2 * CHUNK, 10, 1);
    CHECK_OK(stoa_chunk_put(&o.writer, &packed, bytes.data, &err), &err);
    CHECK(!o.writer.is_held && o.writer.is_stale);
    open_again(&o);
    check_rows(&o, 2 * CHUNK, CHUNK, 9);
    check_rows(&o, 3 * CHUNK, 10, 1);
    stoa_buffer_clear(&bytes);
    stoa_scratch_clear(&scratch);
    close_all(&o);
}

/* --- rows behind ----------------------------------------------------------------------------- */

static void rows_past_the_extent_are_refused(void)
{
    opened o = open_new(H5T_STD_I32LE, H5T_NATIVE_INT32, 250, deflated(CHUNK));
    static int32_t rows[N];
    static const struct {
        uint64_t first, count;
    } bad[] = {{250, 1}, {251, 1}, {240, 11}, {0, 251}};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        stoa_error err = STOA_ERROR_INIT;
        CHECK_STATUS(STOA_ERANGE,
                     stoa_chunk_writer_write(&o.writer, bad[i].first, bad[i].count, rows, &err),
                     &err);
        CHECK_CONTAINS(err.message, "pass the extent 250");
    }
    write_some(&o, 240, 10, 0);
    close_all(&o);
}

/* Behind what is written of a chunk, and behind the end after a cut, there are fill values. */
static void elements_behind_the_extent_are_the_fill_value(void)
{
    hid_t dcpl = deflated(CHUNK);
    stoa_error err = STOA_ERROR_INIT;
    static int32_t rows[N];

    CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, &(int32_t){-5}));
    opened o = open_new(H5T_STD_I32BE, H5T_NATIVE_INT32, 250, dcpl);
    CHECK(!o.writer.is_same && o.writer.is_ours && !stoa_chunk_writer_packs(&o.writer));
    CHECK_MEM(o.writer.fill, "\xff\xff\xff\xfb", 4); /* as it is stored */
    write_some(&o, 200, 50, 0);
    write_some(&o, 0, 200, 0);
    CHECK_OK(stoa_chunk_writer_resize(&o.writer, 120, &err), &err);
    CHECK_OK(stoa_chunk_writer_resize(&o.writer, 300, &err), &err);
    open_again(&o);
    check_rows(&o, 0, 120, 0);
    CHECK_H5(H5Dread(o.dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    for (int i = 120; i < 300; i++) {
        CHECK_I64(rows[i], -5);
    }
    close_all(&o);
}

/* A cut at the end of a chunk packs nothing, one within it that chunk alone. */
static void a_cut_packs_the_chunk_that_it_goes_through(void)
{
    static const struct {
        uint64_t from, to, packs;
    } cuts[] = {{250, 200, 0}, {250, 201, 1}, {250, 300, 0},
                {250, 250, 0}, {250, 0, 0},   {90, 40, 1}};

    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        opened o = open_new(H5T_STD_I32LE, H5T_NATIVE_INT32, cuts[i].from, deflated(CHUNK));
        stoa_error err = STOA_ERROR_INIT;
        write_some(&o, 0, cuts[i].from, 2);
        CHECK_OK(stoa_chunk_writer_flush(&o.writer, &err), &err);
        check_forget_packs();
        CHECK_OK(stoa_chunk_writer_resize(&o.writer, cuts[i].to, &err), &err);
        expect_packs(cuts[i].packs);
        open_again(&o);
        const uint64_t n = cuts[i].from < cuts[i].to ? cuts[i].from : cuts[i].to;
        check_rows(&o, 0, n, 2);
        hid_t space = CHECK_H5(H5Dget_space(o.dataset));
        CHECK_I64(H5Sget_simple_extent_npoints(space), (int64_t)cuts[i].to);
        CHECK_H5(H5Sclose(space));
        close_all(&o);
    }
    /* Of a chunk that was never written there is nothing to pack. */
    opened o = open_new(H5T_STD_I32LE, H5T_NATIVE_INT32, 250, deflated(CHUNK));
    stoa_error err = STOA_ERROR_INIT;
    check_forget_packs();
    CHECK_OK(stoa_chunk_writer_resize(&o.writer, 220, &err), &err);
    expect_packs(0);
    close_all(&o);
}

/* --- whose they are -------------------------------------------------------------------------- */

static void check_ours(hid_t type, hid_t mem_type, hid_t dcpl, bool is_ours)
{
    opened o = open_new(type, mem_type, N, dcpl);

    CHECK(o.writer.is_ours == is_ours);
    CHECK((o.writer.fill != NULL) == is_ours);
    close_all(&o);
}

static void datasets_that_need_libhdf5_are_written_by_it(void)
{
    hid_t dcpl = deflated(CHUNK);
    const hid_t list = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT32));
    const hid_t pair = CHECK_H5(H5Tcreate(H5T_COMPOUND, 8));
    const hid_t turned = CHECK_H5(H5Tcreate(H5T_COMPOUND, 8));

    CHECK_H5(H5Tinsert(pair, "a", 0, H5T_STD_I32LE));
    CHECK_H5(H5Tinsert(pair, "b", 4, H5T_STD_I32LE));
    CHECK_H5(H5Tinsert(turned, "a", 0, H5T_STD_I32BE));
    CHECK_H5(H5Tinsert(turned, "b", 4, H5T_STD_I32BE));
    check_ours(H5T_STD_I32LE, H5T_NATIVE_INT32, dcpl, true);
    check_ours(H5T_STD_I32LE, H5T_NATIVE_DOUBLE, deflated(CHUNK), true);
    check_ours(pair, pair, deflated(CHUNK), true);
    check_ours(pair, turned, deflated(CHUNK), false);
    check_ours(list, list, deflated(CHUNK), false);
    dcpl = deflated(CHUNK);
    CHECK_H5(H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    check_ours(H5T_STD_I32LE, H5T_NATIVE_INT32, dcpl, false);
    dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){CHUNK}));
    check_ours(H5T_STD_I32LE, H5T_NATIVE_INT32, dcpl, false);
    dcpl = deflated(CHUNK);
    CHECK_H5(H5Pset_nbit(dcpl));
    check_ours(H5T_STD_I32LE, H5T_NATIVE_INT32, dcpl, false);
    CHECK_H5(H5Tclose(turned));
    CHECK_H5(H5Tclose(pair));
    CHECK_H5(H5Tclose(list));
}

/* A grid has no rows for a writer: libhdf5 has it. */
static void a_dataset_of_two_dimensions_is_libhdf5s(void)
{
    const hid_t file = memory_file("w.h5", false);
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(2, (const hsize_t[]){20, 20}, NULL));
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;

    CHECK_H5(H5Pset_chunk(dcpl, 2, (const hsize_t[]){10, 10}));
    CHECK_H5(H5Pset_deflate(dcpl, 1));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_OK(stoa_chunk_writer_open(&writer, dataset, H5T_NATIVE_INT32, NULL));
    CHECK(!writer.is_ours);
    stoa_chunk_writer_close(&writer);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
}

static void values_elsewhere_are_refused(void)
{
    const hid_t file = memory_file("w.h5", false);
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){20}, NULL));
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_external(dcpl, check_path("outside"), 0, 80));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_STATUS(STOA_EINVAL, stoa_chunk_writer_open(&writer, dataset, H5T_NATIVE_INT32, &err),
                 &err);
    stoa_chunk_writer_close(&writer);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
}

/* --- conversions ----------------------------------------------------------------------------- */

static hid_t enum_of(hid_t base)
{
    const hid_t type = CHECK_H5(H5Tenum_create(base));

    for (int16_t i = 0; i < 3; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        int16_t code = i;
        CHECK_H5(H5Tconvert(H5T_NATIVE_INT16, base, 1, &code, NULL, H5P_DEFAULT));
        CHECK_H5(H5Tenum_insert(type, name, &code));
    }
    return type;
}

/* Integers that are the codes; one that has no name, too. */
static void enumerations_are_given_as_integers(void)
{
    const hid_t bases[] = {H5T_STD_I16LE, H5T_STD_I16BE};
    static const int16_t codes[] = {0, 1, 2, 1, 77, -3, 0};
    static const int64_t wide[] = {0, 1, 2, 1, 77, -3, 0};

    for (int i = 0; i < 8; i++) {
        const hid_t type = enum_of(bases[i % 2]);
        hid_t dcpl = deflated(CHUNK);
        const bool is_wide = i / 2 % 2 != 0;
        const bool is_ours = i < 4;
        int16_t found[7] = {0};
        stoa_error err = STOA_ERROR_INIT;

        if (!is_ours) {
            CHECK_H5(H5Pclose(dcpl));
            dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
            CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){CHUNK}));
        }
        opened o = open_new(type, is_wide ? H5T_NATIVE_INT64 : H5T_NATIVE_INT16, 7, dcpl);
        CHECK(o.writer.is_enum && o.writer.is_ours == is_ours);
        CHECK(o.writer.is_same == (i % 2 == 0 && !is_wide));
        CHECK_OK(
            stoa_chunk_writer_write(&o.writer, 0, 3, is_wide ? (const void *)wide : codes, &err),
            &err);
        CHECK_OK(stoa_chunk_writer_write(&o.writer, 3, 4,
                                         is_wide ? (const void *)(wide + 3) : codes + 3, &err),
                 &err);
        open_again(&o);
        CHECK_H5(H5Dread(o.dataset, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_MEM(found, codes, sizeof codes);
        close_all(&o);
        CHECK_H5(H5Tclose(type));
    }
}

/* To less and to more bytes than they are given in. */
static void elements_are_converted_to_what_is_stored(void)
{
    const hid_t types[] = {H5T_STD_I8LE, H5T_STD_I64BE, H5T_IEEE_F32LE, H5T_STD_I32LE};
    const hid_t mems[] = {H5T_NATIVE_INT32, H5T_NATIVE_INT32, H5T_NATIVE_INT32, H5T_NATIVE_INT32};

    for (size_t i = 0; i < 4; i++) {
        opened o = open_new(types[i], mems[i], N, deflated(CHUNK));
        write_some(&o, 30, 500, -7);
        open_again(&o);
        check_rows(&o, 30, 500, -7);
        close_all(&o);
    }
}

/* --- memory ---------------------------------------------------------------------------------- */

static stoa_status write_a_little(stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t file = memory_file("swept.h5", false);
    const hid_t dataset = make_in(file, "d", H5T_STD_I64BE, 250, deflated(CHUNK));
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;
    static int32_t rows[250];

    STOA_TRY(stoa_chunk_writer_open(&writer, dataset, H5T_NATIVE_INT32, err));
    STOA_TRY(stoa_chunk_writer_write(&writer, 30, 200, rows, err));
    STOA_TRY(stoa_chunk_writer_flush(&writer, err));
    STOA_TRY(stoa_chunk_writer_write(&writer, 30, 3, rows, err));
    STOA_TRY(stoa_chunk_writer_resize(&writer, 110, err));

done:
    stoa_chunk_writer_close(&writer);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    return status;
}

static void memory_may_run_out(void)
{
    CHECK(sweep_memory_throughout(write_a_little) >= 5);
}

TEST_MAIN(TEST(a_chunk_is_packed_once_however_many_writes_make_it_up),
          TEST(what_will_be_written_over_is_not_read),
          TEST(what_does_not_shrink_is_stored_as_it_is_but_for_an_only_chunk),
          TEST(a_mask_changes_though_the_size_stays),
          TEST(a_chunk_that_is_put_is_not_held_any_more), TEST(rows_past_the_extent_are_refused),
          TEST(elements_behind_the_extent_are_the_fill_value),
          TEST(a_cut_packs_the_chunk_that_it_goes_through),
          TEST(datasets_that_need_libhdf5_are_written_by_it),
          TEST(a_dataset_of_two_dimensions_is_libhdf5s), TEST(values_elsewhere_are_refused),
          TEST(enumerations_are_given_as_integers), TEST(elements_are_converted_to_what_is_stored),
          TEST(memory_may_run_out))
