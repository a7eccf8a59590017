/* Which chunks are looked at before libhdf5 reads them, and how often:
 * src/hdf/read/checked_reader_checks.c.
 */
#include <stoa/file.h>

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "hdf/journal/disk.h"
#include "hdf/read/checked_reader.h"
#include "support/check.h"

enum { ROWS = 50, CHUNK = 10, BYTES = 16 };

/* --- datasets of texts, which libhdf5 reads -------------------------------------------------- */

/* `rank` dimensions of ROWS, in chunks of CHUNK; 0: without chunks. */
static void make(int rank, hsize_t chunk)
{
    const hsize_t extent[] = {ROWS, ROWS};
    const hsize_t chunks[] = {chunk, chunk};
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("look.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    static const char *texts[ROWS * ROWS];

    for (size_t i = 0; i < ROWS * ROWS; i++) {
        texts[i] = "text";
    }
    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    if (chunk != 0) {
        CHECK_H5(H5Pset_chunk(dcpl, rank, chunks));
        CHECK_H5(H5Pset_deflate(dcpl, 1));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
}

typedef struct opened {
    stoa_file *file;
    hid_t dataset;
    stoa_checked_reader reader;
} opened;

static opened open_it(void)
{
    opened o = {.reader = STOA_CHECKED_READER_INIT};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_file_open(check_path("look.h5"), STOA_FILE_READ, &o.file, &err), &err);
    o.dataset = CHECK_H5(H5Dopen2(stoa_file_id(o.file), "d", H5P_DEFAULT));
    CHECK_OK(stoa_checked_reader_open_checked(&o.reader, o.dataset, &err), &err);
    CHECK(!o.reader.is_ours && o.reader.has_lengths);
    return o;
}

static void close_it(opened *o)
{
    stoa_checked_reader_close(&o->reader);
    CHECK_H5(H5Dclose(o->dataset));
    stoa_file_close(o->file);
}

/* --- what is looked at ----------------------------------------------------------------------- */

static uint64_t read_from[64];
static size_t n_reads;

static int note(void *context, const stoa_disk_call *call)
{
    (void)context;
    if (n_reads < 64) {
        read_from[n_reads++] = call->offset;
    }
    return 0;
}

/* Whether a chunk's bytes were read. */
static bool is_read(const opened *o, const hsize_t *offset)
{
    unsigned mask = 0;
    haddr_t address = 0;
    hsize_t n = 0;

    CHECK_H5(H5Dget_chunk_info_by_coord(o->dataset, offset, &mask, &address, &n));
    for (size_t i = 0; i < n_reads; i++) {
        if (read_from[i] == address) {
            return true;
        }
    }
    return false;
}

static void look(opened *o, const hsize_t *start, const hsize_t *count)
{
    stoa_error err = STOA_ERROR_INIT;

    n_reads = 0;
    stoa_disk_watch_reads(note, NULL);
    CHECK_OK(stoa_checked_reader_check(&o->reader, start, count, &err), &err);
    stoa_disk_watch_reads(NULL, NULL);
}

/* Of each chunk with rows in [first, first + count), the bytes are read once. */
static void check_look(opened *o, hsize_t first, hsize_t count, hsize_t expected_first,
                       hsize_t expected_end)
{
    look(o, &first, &count);
    const size_t n = n_reads;
    for (hsize_t at = 0; at < ROWS; at += CHUNK) {
        n_reads = n;
        CHECK(is_read(o, &at) == (at >= expected_first && at < expected_end));
    }
}

static void a_chunk_is_looked_at_once_and_only_where_rows_of_it_are_read(void)
{
    make(1, CHUNK);
    opened o = open_it();

    check_look(&o, 12, 0, 0, 0);
    check_look(&o, 12, 8, 10, 20); /* to the last of one */
    check_look(&o, 12, 8, 0, 0);   /* not again */
    check_look(&o, 10, 11, 20, 30);
    check_look(&o, 19, 31, 30, 50);
    check_look(&o, 9, 1, 0, 10);
    check_look(&o, 0, ROWS, 0, 0);
    close_it(&o);
}

static void a_box_is_looked_at_chunk_by_chunk(void)
{
    static const hsize_t start[] = {19, 25};
    static const hsize_t count[] = {2, 6};
    static const hsize_t none[] = {0, 5};
    make(2, CHUNK);
    opened o = open_it();

    look(&o, start, none);
    CHECK_U64(n_reads, 0);
    look(&o, start, count);
    for (hsize_t row = 0; row < ROWS; row += CHUNK) {
        for (hsize_t column = 0; column < ROWS; column += CHUNK) {
            const hsize_t at[] = {row, column};
            CHECK(is_read(&o, at) == ((row == 10 || row == 20) && (column == 20 || column == 30)));
        }
    }
    close_it(&o);
}

/* Elements are looked at 4,096 at a time, in the order of the file. */
static void elements_without_chunks_are_looked_at_in_parts(void)
{
    enum { PART = 4096 };
    const hsize_t extent[] = {100, 100};
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("look.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));
    static const char *texts[10000];

    for (size_t i = 0; i < 10000; i++) {
        texts[i] = "text";
    }
    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));

    opened o = open_it();
    const uint64_t address = H5Dget_offset(o.dataset);
    static const struct {
        hsize_t start[2], count[2];
        size_t n; /* parts that are new */
        uint64_t first;
    } looks[] = {{{0, 0}, {1, 1}, 1, 0},      {{40, 90}, {1, 6}, 0, 0},        /* 4090 to 4095 */
                 {{40, 90}, {1, 7}, 1, PART},                                  /* and 4096 */
                 {{0, 0}, {81, 92}, 0, 0},                                     /* to 8091 */
                 {{81, 92}, {0, 1}, 0, 0},    {{81, 92}, {1, 1}, 1, 2 * PART}, /* 8192 */
                 {{99, 99}, {1, 1}, 0, 0}};
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        look(&o, looks[i].start, looks[i].count);
        CHECK_U64(n_reads, looks[i].n);
        CHECK(n_reads == 0 || read_from[0] == address + looks[i].first * BYTES);
    }
    close_it(&o);
}

/* --- what is said ---------------------------------------------------------------------------- */

static void damage_chunk(hsize_t offset, const void *bytes, size_t n)
{
    const hid_t file = CHECK_H5(H5Fopen(check_path("look.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, n, bytes));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

/* A chunk that is refused is refused the next time as well. */
static void a_damaged_chunk_is_named_each_time(void)
{
    uint8_t reader[100];
    uint8_t zeros[CHUNK * BYTES] = {0};

    make(1, CHUNK);
    for (int i = 0; i < 2; i++) { /* a byte too short, and of a text longer than the file */
        uLongf n = sizeof reader;
        zeros[3 * BYTES + 3] = 0x7f;
        CHECK_I64(compress2(reader, &n, zeros, sizeof zeros - (i == 0), 6), Z_OK);
        damage_chunk(30, reader, n);
        opened o = open_it();
        for (int k = 0; k < 2; k++) {
            stoa_error err = STOA_ERROR_INIT;
            CHECK_STATUS(STOA_EDATA,
                         stoa_checked_reader_check(&o.reader, &(hsize_t){5}, &(hsize_t){40}, &err),
                         &err);
            CHECK_CONTAINS(err.message, i == 0
                                            ? "chunk 3 (rows from 30 on) is damaged: it is shorter"
                                            : "row 33 is damaged");
        }
        CHECK_OK(stoa_checked_reader_check(&o.reader, &(hsize_t){0}, &(hsize_t){30}, NULL));
        CHECK_OK(stoa_checked_reader_check(&o.reader, &(hsize_t){40}, &(hsize_t){10}, NULL));
        close_it(&o);
    }
}

static void numbers_in_one_piece_need_no_look(void)
{
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("n.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ROWS}, NULL));
    const hid_t dataset = CHECK_H5(
        H5Dcreate2(file, "d", H5T_NATIVE_INT32, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;

    CHECK_OK(stoa_checked_reader_open_checked(&reader, dataset, NULL));
    CHECK_OK(stoa_checked_reader_check(&reader, &(hsize_t){0}, &(hsize_t){ROWS}, NULL));
    CHECK(reader.checked == NULL && reader.rank == 0 && !reader.has_lengths);
    stoa_checked_reader_close(&reader);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(a_chunk_is_looked_at_once_and_only_where_rows_of_it_are_read),
          TEST(a_box_is_looked_at_chunk_by_chunk),
          TEST(elements_without_chunks_are_looked_at_in_parts),
          TEST(a_damaged_chunk_is_named_each_time), TEST(numbers_in_one_piece_need_no_look))
