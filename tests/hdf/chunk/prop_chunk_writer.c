/*
 * Whatever is written through a chunk writer, in whatever pieces, into whatever was there, libhdf5
 * reads back when the file is opened again, and checked_reader.h before that
 * (src/hdf/chunk/chunk_writer.h).
 */
#include "hdf/chunk/chunk_writer.h"

#include <string.h>

#include "hdf/read/checked_reader.h"
#include "support/check.h"

enum { MAX_ROWS = 700, N_STEPS = 25, N_KINDS = 8, N_FILTERS = 9 };

/* A dataset and what it ought to hold, as int64. */
typedef struct shadow {
    hid_t file;
    hid_t dataset;
    hid_t type;   /* stored */
    hid_t memory; /* given */
    size_t size;
    bool is_signed;
    int64_t fill;
    uint64_t chunk;
    uint64_t extent;
    int64_t rows[MAX_ROWS];
} shadow;

static hid_t type_of(int kind, bool is_big)
{
    const hid_t little[] = {H5T_STD_I8LE,  H5T_STD_U8LE,  H5T_STD_I16LE, H5T_STD_U16LE,
                            H5T_STD_I32LE, H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_U64LE};
    const hid_t big[] = {H5T_STD_I8BE,  H5T_STD_U8BE,  H5T_STD_I16BE, H5T_STD_U16BE,
                         H5T_STD_I32BE, H5T_STD_U32BE, H5T_STD_I64BE, H5T_STD_U64BE};

    return is_big ? big[kind] : little[kind];
}

static void set_filters(hid_t plist, int which)
{
    const bool has_scaleoffset = which == 0 || which == 1 || which == 2 || which == 8;

    if (has_scaleoffset) {
        CHECK_H5(H5Pset_scaleoffset(plist, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT));
    }
    if (which == 3 || which == 4 || which == 5) {
        CHECK_H5(H5Pset_shuffle(plist));
    }
    if (which == 1 || which == 3 || which == 6) {
        CHECK_H5(H5Pset_deflate(plist, 1));
    }
    if (which == 2 || which == 3 || which == 5) {
        CHECK_H5(H5Pset_fletcher32(plist));
    }
    if (which == 7) {
        CHECK_H5(H5Pset_nbit(plist)); /* not one of src/codec */
    }
}

/* One of the type's values: of few, of many, its ends. */
static int64_t any_value(const shadow *s)
{
    const unsigned bits = 8 * (unsigned)s->size;
    int64_t value = 0;

    switch (check_random_below(8)) {
    case 0:
        value = s->is_signed ? (int64_t)(UINT64_C(1) << (bits - 1)) : 0;
        break;
    case 1:
        value = s->is_signed ? (int64_t)((UINT64_C(1) << (bits - 1)) - 1) : -1;
        break;
    case 2:
        value = s->fill;
        break;
    default:
        value = (int64_t)check_random_below(10);
        break;
    }
    const unsigned unused = 64 - bits; /* as the type has it */
    return s->is_signed ? (int64_t)((uint64_t)value << unused) >> unused
                        : (int64_t)((uint64_t)value << unused >> unused);
}

static void make(shadow *s, const char *path)
{
    const int kind = (int)check_random_below(N_KINDS);
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    uint8_t fill[8];

    memset(s, 0, sizeof *s);
    s->is_signed = kind % 2 == 0;
    s->type = type_of(kind, check_random_below(3) == 0);
    s->memory = s->is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    s->size = H5Tget_size(s->type);
    s->chunk = 1 + check_random_below(200);
    s->extent = check_random_below(MAX_ROWS + 1);
    s->fill = any_value(s);
    CHECK_H5(H5Pset_chunk(plist, 1, &(hsize_t){s->chunk}));
    if (check_random_below(4) != 0) {
        memcpy(fill, &s->fill, sizeof fill);
        CHECK_H5(H5Pset_fill_value(plist, s->memory, fill));
    } else {
        s->fill = 0;
    }
    set_filters(plist, (int)check_random_below(N_FILTERS));
    for (uint64_t i = 0; i < MAX_ROWS; i++) {
        s->rows[i] = s->fill;
    }
    s->file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space =
        CHECK_H5(H5Screate_simple(1, &(hsize_t){s->extent}, &(hsize_t){H5S_UNLIMITED}));
    s->dataset =
        CHECK_H5(H5Dcreate2(s->file, "d", s->type, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(plist));
}

static void write_some(shadow *s, stoa_chunk_writer *writer)
{
    stoa_error err = STOA_ERROR_INIT;
    const uint64_t first = check_random_below(s->extent + 1);
    const uint64_t count = check_random_below(s->extent - first + 1);
    const bool is_full = check_random_below(2) == 0;

    for (uint64_t i = first; i < first + count; i++) {
        s->rows[i] = is_full ? any_value(s) : (int64_t)check_random_below(4);
    }
    CHECK_OK(stoa_chunk_writer_write(writer, first, count, s->rows + first, &err), &err);
}

static void resize(shadow *s, stoa_chunk_writer *writer)
{
    stoa_error err = STOA_ERROR_INIT;

    s->extent = check_random_below(MAX_ROWS + 1);
    CHECK_OK(stoa_chunk_writer_resize(writer, s->extent, &err), &err);
    for (uint64_t i = s->extent; i < MAX_ROWS; i++) {
        s->rows[i] = s->fill;
    }
}

/* Whole chunks, as an appender packs them. */
static void pack_some(shadow *s, stoa_chunk_writer *writer)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_packed_chunk packed;
    stoa_buffer bytes = {.data = NULL};
    stoa_scratch scratch = {.sizes = {0}};
    uint64_t extent = 0;
    uint8_t elements[MAX_ROWS * 8];

    if (!stoa_chunk_writer_packs(writer) || s->extent == 0) {
        return;
    }
    CHECK_OK(stoa_chunk_writer_begin(writer, &extent, &err), &err);
    CHECK_U64(extent, s->extent);
    packed.number = check_random_below((s->extent - 1) / s->chunk + 1);
    const uint64_t first = packed.number * s->chunk;
    const uint64_t count = s->extent - first < s->chunk ? s->extent - first : s->chunk;
    for (uint64_t i = first; i < first + count; i++) {
        s->rows[i] = any_value(s);
    }
    memcpy(elements, s->rows + first, count * 8);
    CHECK_H5(H5Tconvert(s->memory, s->type, count, elements, NULL, H5P_DEFAULT));
    CHECK_OK(stoa_chunk_pack(writer, elements, count, &scratch, &packed, &bytes, &err), &err);
    CHECK_OK(stoa_chunk_put(writer, &packed, bytes.data, &err), &err);
    CHECK_OK(stoa_chunk_writer_settle(writer, &err), &err);
    stoa_buffer_clear(&bytes);
    stoa_scratch_clear(&scratch);
}

/* Behind rows that are there: into the chunk that was begun. */
static void complete_some(shadow *s, stoa_chunk_writer *writer, stoa_chunk_writer *other)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_packed_chunk packed;
    stoa_buffer bytes = {.data = NULL};
    stoa_scratch scratch = {.sizes = {0}};
    uint64_t extent = 0;
    uint64_t n_taken = 0;
    bool is_packed = false;
    const bool is_last = check_random_below(2) != 0;
    uint8_t elements[MAX_ROWS * 8];
    const uint64_t first = check_random_below(s->extent + 1);

    if (!stoa_chunk_writer_packs(writer) || first % s->chunk == 0 || first == s->extent) {
        return;
    }
    CHECK_OK(stoa_chunk_writer_flush(other, &err), &err);
    CHECK_OK(stoa_chunk_writer_begin(writer, &extent, &err), &err);
    CHECK_OK(stoa_chunk_writer_hold(writer, first, &err), &err);
    const uint64_t count = 1 + check_random_below(s->extent - first);
    const uint64_t left = s->chunk - first % s->chunk;
    for (uint64_t i = first; i < first + (count < left ? count : left); i++) {
        s->rows[i] = any_value(s);
    }
    memcpy(elements, s->rows + first, count * 8);
    CHECK_H5(H5Tconvert(s->memory, s->type, count, elements, NULL, H5P_DEFAULT));
    CHECK_OK(stoa_chunk_complete(writer, first, elements, count, is_last, &scratch, &packed, &bytes,
                                 &n_taken, &is_packed, &err),
             &err);
    CHECK_U64(n_taken, count < left ? count : left);
    CHECK(is_packed == (is_last || count >= left));
    if (is_packed) {
        CHECK_OK(stoa_chunk_put(writer, &packed, bytes.data, &err), &err);
        CHECK_OK(stoa_chunk_writer_settle(writer, &err), &err);
        CHECK(!writer->is_held);
    }
    CHECK_OK(stoa_chunk_writer_flush(writer, &err), &err);
    stoa_buffer_clear(&bytes);
    stoa_scratch_clear(&scratch);
}

static void check_rows(const shadow *s, const int64_t *found)
{
    for (uint64_t i = 0; i < s->extent; i++) {
        CHECK_I64(found[i], s->rows[i]);
    }
}

/* In the session that wrote them. */
static void check_here(const shadow *s)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_checked_reader packed = STOA_CHECKED_READER_INIT;
    int64_t found[MAX_ROWS];

    CHECK_OK(stoa_checked_reader_open(&packed, s->dataset, s->memory, NULL, &err), &err);
    CHECK_OK(stoa_checked_reader_read(&packed, 0, s->extent, NULL, NULL, found, &err), &err);
    check_rows(s, found);
    stoa_checked_reader_close(&packed);
}

static void check_there(shadow *s, const char *path)
{
    int64_t found[MAX_ROWS];

    CHECK_H5(H5Dclose(s->dataset));
    CHECK_H5(H5Fclose(s->file));
    s->file = CHECK_H5(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    s->dataset = CHECK_H5(H5Dopen2(s->file, "d", H5P_DEFAULT));
    CHECK_H5(H5Dread(s->dataset, s->memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    check_rows(s, found);
}

static void open_writer(const shadow *s, stoa_chunk_writer *writer, bool as_stored)
{
    stoa_error err = STOA_ERROR_INIT;

    *writer = (stoa_chunk_writer)STOA_CHUNK_WRITER_INIT;
    CHECK_OK(stoa_chunk_writer_open(writer, s->dataset, as_stored ? s->type : s->memory, &err),
             &err);
}

static void libhdf5_reads_what_is_written_in_pieces(void)
{
    const char *path = check_path("w.h5");
    shadow s;
    stoa_error err = STOA_ERROR_INIT;
    stoa_chunk_writer writer;
    stoa_chunk_writer as_stored;

    for (uint64_t round = 0; round < check_n_cases(60); round++) {
        make(&s, path);
        for (int session = 0; session < 3; session++) {
            open_writer(&s, &writer, false);
            open_writer(&s, &as_stored, true);
            for (int step = 0; step < N_STEPS; step++) {
                switch (check_random_below(5)) {
                case 0:
                    resize(&s, &writer);
                    break;
                case 1:
                    CHECK_OK(stoa_chunk_writer_flush(&writer, &err), &err);
                    pack_some(&s, &as_stored);
                    break;
                case 2:
                    complete_some(&s, &as_stored, &writer);
                    break;
                default:
                    write_some(&s, &writer);
                    break;
                }
                if (check_random_below(3) == 0) {
                    CHECK_OK(stoa_chunk_writer_flush(&writer, &err), &err);
                    check_here(&s);
                }
            }
            CHECK_OK(stoa_chunk_writer_flush(&writer, &err), &err);
            stoa_chunk_writer_close(&as_stored);
            stoa_chunk_writer_close(&writer);
            check_there(&s, path);
        }
        CHECK_H5(H5Dclose(s.dataset));
        CHECK_H5(H5Fclose(s.file));
    }
}

TEST_MAIN(TEST(libhdf5_reads_what_is_written_in_pieces))
