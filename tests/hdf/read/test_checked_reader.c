/* Filtered chunks: read right, and refused where they are too short
 * (src/hdf/read/checked_reader.c). */
#include "hdf/read/checked_reader.h"

#include <stdlib.h>
#include <zlib.h>

#include "support/check.h"
#include "support/damage.h"

enum { N = 1000, CHUNK = 96 };

/* Row i of every dataset here. */
static int32_t value(uint64_t i)
{
    return (int32_t)(i * 7919 - 1000000);
}

static hid_t plist_of(bool shuffle, bool deflate, bool checksum)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(plist, 1, &(hsize_t){CHUNK}));
    if (shuffle) {
        CHECK_H5(H5Pset_shuffle(plist));
    }
    if (deflate) {
        CHECK_H5(H5Pset_deflate(plist, 4));
    }
    if (checksum) {
        CHECK_H5(H5Pset_fletcher32(plist));
    }
    return plist;
}

static void write_rows(hid_t dataset, uint64_t first, uint64_t count, int32_t add)
{
    int32_t rows[N];
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hid_t memory = CHECK_H5(H5Screate_simple(1, &(hsize_t){count}, NULL));

    for (uint64_t i = 0; i < count; i++) {
        rows[i] = value(first + i) + add;
    }
    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){first}, NULL, &(hsize_t){count},
                                 NULL));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, rows));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
}

/* All N rows but those of the third chunk, which are never written. Closes the list. */
static hid_t dataset_of(hid_t file, hid_t type, hid_t plist)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, plist, H5P_DEFAULT));

    write_rows(dataset, 0, 2 * CHUNK, 0);
    write_rows(dataset, 3 * CHUNK, N - 3 * CHUNK, 0);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(plist));
    return dataset;
}

static int32_t expected(uint64_t i)
{
    return i / CHUNK == 2 ? 0 : value(i);
}

/* Runs of every kind: short, long, within a chunk, along its borders, whole. */
static void check_runs(hid_t dataset)
{
    static const uint64_t runs[][2] = {{0, N},    {0, 1},    {5, 3},   {90, 12},
                                       {96, 96},  {96, 192}, {7, 80},  {150, 0},
                                       {180, 30}, {960, 40}, {1, 998}, {192, 96}};
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_checked_reader_open(&reader, dataset, H5T_NATIVE_INT32, NULL, &err), &err);
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        int32_t found[N + 1] = {0};
        found[runs[r][1]] = 77;
        CHECK_OK(stoa_checked_reader_read(&reader, runs[r][0], runs[r][1], NULL, NULL, found, &err),
                 &err);
        for (uint64_t i = 0; i < runs[r][1]; i++) {
            CHECK_I64(found[i], expected(runs[r][0] + i));
        }
        CHECK_I64(found[runs[r][1]], 77);
    }
    stoa_checked_reader_close(&reader);
}

/* In a file that is written to, and in one that is not. */
static void check_pipeline(hid_t type, hid_t plist)
{
    hid_t file = damage_new_file();
    hid_t dataset = dataset_of(file, type, plist);
    uint8_t *bytes = NULL;

    check_runs(dataset);
    CHECK_H5(H5Dclose(dataset));
    const size_t n = damage_take_image(file, &bytes);
    file = damage_open(bytes, n, H5F_ACC_RDONLY);
    dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    check_runs(dataset);
    CHECK_H5(H5Dclose(dataset));
    damage_close(file);
    free(bytes);
}

/* In a file of the system past libhdf5, too, with a shelf of its own or a shared one. */
static void rows_are_read_past_libhdf5_where_they_can_be(void)
{
    const char *const path = check_path("packed.h5");
    hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Dclose(dataset_of(file, H5T_STD_I32LE, plist_of(true, true, false))));
    CHECK_H5(H5Fclose(file));
    for (unsigned i = 0; i < 4; i++) {
        file = CHECK_H5(H5Fopen(path, i < 2 ? H5F_ACC_RDONLY : H5F_ACC_RDWR, H5P_DEFAULT));
        const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
        stoa_read_context *read_context = NULL;
        int32_t row = 0;
        CHECK_OK(i % 2 == 0 ? STOA_OK : stoa_read_context_open(&read_context, NULL));
        CHECK_OK(stoa_checked_reader_open(&reader, dataset, H5T_NATIVE_INT32, read_context, NULL));
        CHECK((reader.direct != NULL) == (i < 2) && (reader.own != NULL) == (i % 2 == 0));
        CHECK_OK(stoa_checked_reader_read(&reader, 5, 1, NULL, NULL, &row, NULL));
        CHECK_I64(row, value(5));
        CHECK_OK(stoa_checked_reader_read(&reader, N, 0, NULL, NULL, &row, NULL));
        stoa_checked_reader_close(&reader);
        CHECK(reader.direct == NULL && reader.own == NULL && reader.dcpl == H5I_INVALID_HID);
        check_runs(dataset);
        stoa_read_context_close(read_context);
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Fclose(file));
    }
}

/* To be compared with, where nobody writes. */
static void libhdf5_does_it_all_where_that_is_asked_for(void)
{
    const char *const path = check_path("packed.h5");
    hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Dclose(dataset_of(file, H5T_STD_I32LE, plist_of(true, true, false))));
    CHECK_H5(H5Fclose(file));
    for (int i = 0; i < 4; i++) {
        const bool is_slow = i % 2 != 0;
        stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
        file = CHECK_H5(H5Fopen(path, i < 2 ? H5F_ACC_RDONLY : H5F_ACC_RDWR, H5P_DEFAULT));
        const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        CHECK_I64(setenv("STOA_SLOW", is_slow ? "1" : "0", 1), 0);
        CHECK_OK(stoa_checked_reader_open_checked(&reader, dataset, NULL));
        CHECK(reader.is_ours == (i >= 2 || !is_slow));
        stoa_checked_reader_close(&reader);
        check_runs(dataset);
        CHECK_I64(unsetenv("STOA_SLOW"), 0);
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Fclose(file));
    }
}

/* Few rows of a chunk are looked up, so that they are kept; whole chunks are not. */
static void few_rows_are_kept_and_many_are_not(void)
{
    const char *const path = check_path("packed.h5");
    hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    int32_t rows[CHUNK];

    CHECK_H5(H5Dclose(dataset_of(file, H5T_STD_I32LE, plist_of(true, true, false))));
    CHECK_H5(H5Fclose(file));
    file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK_OK(stoa_checked_reader_open(&reader, dataset, H5T_NATIVE_INT32, NULL, NULL));
    CHECK_OK(stoa_checked_reader_read(&reader, 0, CHUNK, NULL, NULL, rows, NULL));
    CHECK_U64(stoa_chunk_cache_bytes(stoa_read_context_cache(reader.own)), 0);
    CHECK_OK(stoa_checked_reader_read(&reader, 3 * CHUNK, CHUNK - 1, NULL, NULL, rows, NULL));
    CHECK_U64(stoa_chunk_cache_bytes(stoa_read_context_cache(reader.own)), CHUNK * sizeof *rows);
    stoa_checked_reader_close(&reader);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

/* What is unpacked here needs no filter of libhdf5's. */
static void a_filter_is_lacking_where_nobody_has_it(void)
{
    static const struct {
        int filter;
        bool is_list, lacks;
    } cases[] = {{700, false, true},
                 {700, true, true},
                 {H5Z_FILTER_DEFLATE, true, false},
                 {H5Z_FILTER_DEFLATE, false, false},
                 {0, false, false}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hid_t file = damage_new_file();
        const hid_t list = CHECK_H5(H5Tvlen_create(H5T_STD_I32LE));
        const hid_t plist = plist_of(false, false, false);
        const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N}, NULL));
        char word[32] = "";
        CHECK_H5(cases[i].filter != 0
                     ? H5Pset_filter(plist, cases[i].filter, H5Z_FLAG_OPTIONAL, 1, &(unsigned){1})
                     : 0);
        const hid_t dataset =
            CHECK_H5(H5Dcreate2(file, "d", cases[i].is_list ? list : H5T_STD_I32LE, space,
                                H5P_DEFAULT, plist, H5P_DEFAULT));
        CHECK(stoa_checked_reader_lacks_filter(dataset, word, sizeof word) == cases[i].lacks);
        CHECK_STR(word, cases[i].lacks ? "filter 700" : "");
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Pclose(plist));
        CHECK_H5(H5Tclose(list));
        damage_close(file);
    }
}

/* Chunks of more than 64 MiB are libhdf5's to unpack. */
static void chunks_are_unpacked_here_up_to_a_size(void)
{
    for (hsize_t n = 16 << 20; n <= (16 << 20) + 1; n++) {
        const hid_t file = damage_new_file();
        const hid_t plist = plist_of(false, true, false);
        const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){n}, NULL));
        stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
        CHECK_H5(H5Pset_chunk(plist, 1, &n));
        const hid_t dataset =
            CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
        CHECK_OK(stoa_checked_reader_open_checked(&reader, dataset, NULL));
        CHECK(reader.is_ours == (n == 16 << 20) && !reader.is_ours_alone);
        CHECK_U64(reader.chunk_bytes, 4 * n);
        stoa_checked_reader_close(&reader);
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Pclose(plist));
        damage_close(file);
    }
}

static void rows_are_read_through_every_pipeline(void)
{
    for (unsigned filters = 0; filters < 8; filters++) {
        check_pipeline(H5T_STD_I32LE, plist_of(filters & 1, filters & 2, filters & 4));
    }
}

static void rows_are_converted(void)
{
    check_pipeline(H5T_STD_I32BE, plist_of(true, true, false));
    check_pipeline(H5T_STD_I64LE, plist_of(true, true, false));
    check_pipeline(H5T_IEEE_F64BE, plist_of(true, true, false));
}

/* H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS: the last chunk is stored as it is, and no mask says so. */
static void edge_chunks_may_be_left_unfiltered(void)
{
    for (unsigned checksum = 0; checksum < 2; checksum++) {
        const hid_t plist = plist_of(true, true, checksum != 0);
        CHECK_H5(H5Pset_chunk_opts(plist, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
        check_pipeline(H5T_STD_I32LE, plist);
    }
}

/* libhdf5's scale-offset leaves such chunks as they are. */
static void integers_of_which_all_bits_are_kept_are_read(void)
{
    const hid_t file = damage_new_file();
    const hid_t plist = plist_of(false, false, false);
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;

    CHECK_H5(H5Pset_scaleoffset(plist, H5Z_SO_INT, 32));
    const hid_t dataset = dataset_of(file, H5T_STD_I32LE, plist);
    write_rows(dataset, 0, CHUNK, 0);
    CHECK_OK(stoa_checked_reader_open(&reader, dataset, H5I_INVALID_HID, NULL, NULL), NULL);
    CHECK_OK(stoa_checked_reader_check(&reader, &(hsize_t){3}, &(hsize_t){1}, NULL));
    CHECK_H5(
        H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){CHUNK}, CHUNK, (uint8_t[CHUNK]){0}));
    CHECK_I64(stoa_checked_reader_check(&reader, &(hsize_t){CHUNK + 3}, &(hsize_t){1}, NULL),
              STOA_EDATA);
    stoa_checked_reader_close(&reader);
    CHECK_H5(H5Dclose(dataset));
    damage_close(file);
}

static void what_was_written_since_is_read(void)
{
    const hid_t file = damage_new_file();
    const hid_t dataset = dataset_of(file, H5T_STD_I32LE, plist_of(true, true, false));
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    int32_t found[2 * CHUNK];

    CHECK_OK(stoa_checked_reader_open(&reader, dataset, H5T_NATIVE_INT32, NULL, NULL), NULL);
    for (int32_t add = 0; add < 3; add++) {
        write_rows(dataset, 0, CHUNK, add);
        CHECK_OK(stoa_checked_reader_read(&reader, 0, 2 * CHUNK, NULL, NULL, found, NULL), NULL);
        CHECK_I64(found[3], value(3) + add);
        CHECK_OK(stoa_checked_reader_read(&reader, 4, 2, NULL, NULL, found, NULL), NULL);
        CHECK_I64(found[0], value(4) + add);
    }
    stoa_checked_reader_close(&reader);
    CHECK_H5(H5Dclose(dataset));
    damage_close(file);
}

/* A dataset of 2 MiB, more than is unpacked when it is opened, whose chunk `at` has half the rows.
 */
static hid_t damaged_dataset(hid_t file, bool checksum, uint64_t at)
{
    enum { ROWS = 1 << 18, CHUNK_ROWS = 1 << 12 };
    const hid_t plist = plist_of(false, true, checksum);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ROWS}, NULL));
    uint64_t *rows = calloc(ROWS, sizeof *rows);
    uint8_t chunk[1024];
    uLongf n = sizeof chunk;

    CHECK(rows != NULL);
    CHECK_H5(H5Pset_chunk(plist, 1, &(hsize_t){CHUNK_ROWS}));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_U64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_I64(compress(chunk, &n, (const Bytef *)rows, CHUNK_ROWS / 2 * sizeof *rows), Z_OK);
    /* Mask 2: the checksum, which would be wrong, is left out. */
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, checksum ? 2 : 0, &(hsize_t){at * CHUNK_ROWS}, n,
                            chunk));
    free(rows);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(plist));
    return dataset;
}

static void a_short_chunk_is_refused_and_no_other(void)
{
    static const uint64_t counts[] = {1, 4096, 5000};
    static uint64_t found[5000];

    for (unsigned i = 0; i < 12; i++) {
        hid_t file = damage_new_file();
        hid_t dataset = damaged_dataset(file, i % 2 != 0, 40);
        stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
        uint8_t *bytes = NULL;

        CHECK_H5(H5Dclose(dataset));
        const size_t n = damage_take_image(file, &bytes);
        file = damage_open(bytes, n, i % 4 < 2 ? H5F_ACC_RDONLY : H5F_ACC_RDWR);
        dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        CHECK_OK(stoa_checked_reader_open(&reader, dataset, H5T_NATIVE_UINT64, NULL, NULL), NULL);
        const uint64_t count = counts[i / 4];
        CHECK_OK(stoa_checked_reader_read(&reader, 0, count, NULL, NULL, found, NULL), NULL);
        CHECK_I64(
            stoa_checked_reader_read(&reader, UINT64_C(40) << 12, count, NULL, NULL, found, NULL),
            STOA_EDATA);
        CHECK_I64(stoa_chunks_read(dataset, true, H5T_NATIVE_UINT64, &(hsize_t){(40 << 12) + 5},
                                   &(hsize_t){1}, H5P_DEFAULT, found, NULL),
                  STOA_EDATA);
        CHECK_OK(stoa_chunks_read(dataset, true, H5T_NATIVE_UINT64, &(hsize_t){41 << 12},
                                  &(hsize_t){1}, H5P_DEFAULT, found, NULL),
                 NULL);
        stoa_checked_reader_close(&reader);
        CHECK_H5(H5Dclose(dataset));
        damage_close(file);
        free(bytes);
    }
}

/* Texts of which one, "x", was written, in a file that is open for reading. */
typedef struct one_text {
    hid_t file;
    hid_t type;
    hid_t dataset;
} one_text;

static one_text with_one_text(int rank, const hsize_t *extent, const hsize_t *chunk,
                              const hsize_t *at, const char *fill)
{
    static const hsize_t one[] = {1, 1};
    const char *const text = "x";
    one_text t = {
        .file = CHECK_H5(H5Fcreate(check_path("f.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        .type = CHECK_H5(H5Tcopy(H5T_C_S1))};
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, NULL));
    const hid_t memory = CHECK_H5(H5Screate_simple(rank, one, NULL));

    CHECK_H5(H5Tset_size(t.type, H5T_VARIABLE));
    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(dcpl, t.type, &fill));
    }
    CHECK_H5(H5Pset_chunk(dcpl, rank, chunk));
    t.dataset = CHECK_H5(H5Dcreate2(t.file, "t", t.type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL));
    CHECK_H5(H5Dwrite(t.dataset, t.type, memory, space, H5P_DEFAULT, &text));
    CHECK_H5(H5Dclose(t.dataset));
    CHECK_H5(H5Fclose(t.file));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    t.file = CHECK_H5(H5Fopen(check_path("f.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    t.dataset = CHECK_H5(H5Dopen2(t.file, "t", H5P_DEFAULT));
    return t;
}

static void close_text(const one_text *t)
{
    CHECK_H5(H5Dclose(t->dataset));
    CHECK_H5(H5Fclose(t->file));
    CHECK_H5(H5Tclose(t->type));
}

/* Read where nothing may be written: libhdf5 would put such fill values into the file. */
static void texts_that_were_never_written_are_the_fill_value(void)
{
    const hsize_t start[] = {0, 1};
    const hsize_t count[] = {5, 5};
    char *texts[25];
    stoa_error err = STOA_ERROR_INIT;
    const one_text t =
        with_one_text(2, (hsize_t[]){5, 6}, (hsize_t[]){2, 4}, (hsize_t[]){1, 5}, "none");

    CHECK_OK(stoa_chunks_read(t.dataset, true, t.type, start, count, H5P_DEFAULT, texts, &err),
             &err);
    for (size_t i = 0; i < 25; i++) {
        CHECK_STR(texts[i], i == 9 ? "x" : "none"); /* row 1, column 5 */
        CHECK_H5(H5free_memory(texts[i]));
    }
    close_text(&t);
}

/* What libhdf5 makes up for a chunk stays in its cache, as if it were stored. */
static void texts_that_were_never_written_may_be_read_twice(void)
{
    const hsize_t extent[] = {4};
    const hsize_t start[] = {0};
    char *texts[4];
    stoa_error err = STOA_ERROR_INIT;
    const one_text t = with_one_text(1, extent, (hsize_t[]){2}, start, NULL);

    for (int round = 0; round < 2; round++) {
        CHECK_OK(stoa_chunks_read(t.dataset, true, t.type, start, extent, H5P_DEFAULT, texts, &err),
                 &err);
        CHECK_STR(texts[0], "x");
        CHECK_H5(H5free_memory(texts[0]));
        for (int i = 1; i < 4; i++) {
            CHECK(texts[i] == NULL || texts[i][0] == '\0');
            CHECK_H5(H5free_memory(texts[i]));
        }
    }
    close_text(&t);
}

TEST_MAIN(TEST(texts_that_were_never_written_may_be_read_twice),
          TEST(texts_that_were_never_written_are_the_fill_value),
          TEST(rows_are_read_past_libhdf5_where_they_can_be),
          TEST(few_rows_are_kept_and_many_are_not),
          TEST(libhdf5_does_it_all_where_that_is_asked_for),
          TEST(a_filter_is_lacking_where_nobody_has_it),
          TEST(chunks_are_unpacked_here_up_to_a_size), TEST(rows_are_read_through_every_pipeline),
          TEST(rows_are_converted), TEST(edge_chunks_may_be_left_unfiltered),
          TEST(integers_of_which_all_bits_are_kept_are_read), TEST(what_was_written_since_is_read),
          TEST(a_short_chunk_is_refused_and_no_other))
