/* Chunks of records that threads pack and encode: src/layout/pytables/row_writer.c. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/common/column_stats.h"
#include "layout/pytables/pytables.h"
#include "layout/pytables/row_writer.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/raw_chunk.h"
#include "support/sweep.h"

enum { N = 100, N_BATCHES = 6, N_COLUMNS = 3, CHUNK_ROWS = 7 };

/* Batches that end within chunks, with their ends, and in a chunk that the one before began. */
static const int64_t lengths[N_BATCHES] = {20, 1, 0, 42, 3, 34};

static const char *label_of(int64_t row)
{
    static const char *const labels[] = {"red", "green", "blue"};

    return labels[(row / 11) % 3];
}

/* Each batch has its labels in another order: the order of their appearance. */
static batch make_batch(int64_t first, int64_t n)
{
    batch b = batch_begin(N_COLUMNS, n);
    int64_t squares[N] = {0};
    double quarters[N] = {0};
    bool are_there[N] = {false};
    const char *labels[N] = {NULL};

    for (int64_t i = 0; i < n; i++) {
        squares[i] = (first + i) * (first + i);
        quarters[i] = (double)(first + i) / 4;
        are_there[i] = (first + i) % 5 != 0;
        labels[i] = label_of(first + i);
    }
    batch_integers(&b, 0, "square", "l", squares, NULL);
    batch_floats(&b, 1, "quarter", "f", quarters, are_there);
    batch_categories(&b, 2, "colour", labels);
    return b;
}

static stoa_status write_rows(hid_t file, unsigned threads, const char *codec, hid_t *object,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    batch batches[N_BATCHES];
    batch whole = make_batch(0, N);
    stoa_column_stats *stats = NULL;
    struct ArrowArrayStream stream = {.release = NULL};
    int64_t first = 0;

    *object = H5I_INVALID_HID;
    for (size_t i = 0; i < N_BATCHES; i++) {
        batches[i] = make_batch(first, lengths[i]);
        first += lengths[i];
    }
    stream_of(batches, N_BATCHES, &stream);
    options.threads = threads;
    options.chunk_rows = CHUNK_ROWS;
    options.codec = codec;
    STOA_TRY(stoa_column_stats_make(&whole.schema, &stats, err));
    STOA_TRY(stoa_column_stats_add(stats, &whole.schema, &whole.array, NULL, err));
    const stoa_layout_source source = {.schema = &whole.schema,
                                       .columns = stats,
                                       .stream = &stream,
                                       .n_rows = N,
                                       .options = &options};
    STOA_TRY(stoa_pytables_write(&source, file, object, err));

done:
    stoa_stream_release(&stream);
    stoa_column_stats_free(stats, N_COLUMNS);
    batch_end(&whole);
    return status;
}

/* --- values ---------------------------------------------------------------------------------- */

typedef struct record {
    int64_t square;
    float quarter;
    uint8_t colour;
} record;

/* Read all rows by libhdf5. */
static void read_rows(hid_t dataset, hid_t colours, record rows[N])
{
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(record)));

    CHECK_H5(H5Tinsert(type, "square", HOFFSET(record, square), H5T_NATIVE_INT64));
    CHECK_H5(H5Tinsert(type, "quarter", HOFFSET(record, quarter), H5T_NATIVE_FLOAT));
    CHECK_H5(H5Tinsert(type, "colour", HOFFSET(record, colour), colours));
    CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Tclose(type));
}

static void expect_values(hid_t dataset)
{
    record rows[N];
    const hid_t type = CHECK_H5(H5Dget_type(dataset));
    const hid_t colours = CHECK_H5(H5Tget_member_type(type, 2));

    CHECK_U64(H5Tget_size(colours), sizeof(uint8_t));
    read_rows(dataset, colours, rows);
    for (int64_t i = 0; i < N; i++) {
        char name[16];
        CHECK_I64(rows[i].square, i * i);
        CHECK(i % 5 == 0 ? rows[i].quarter != rows[i].quarter /* NaN */
                         : rows[i].quarter * 4 == (float)i);
        CHECK_H5(H5Tenum_nameof(colours, &rows[i].colour, name, sizeof name));
        CHECK_STR(name, label_of(i));
    }
    CHECK_H5(H5Tclose(colours));
    CHECK_H5(H5Tclose(type));
}

static void rows_of_batches_are_written_in_order(void)
{
    static const char *const codecs[] = {"deflate", "none"};

    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        for (unsigned threads = 1; threads <= 5; threads++) {
            const hid_t file = memory_file("rows.h5", false);
            stoa_error err = STOA_ERROR_INIT;
            hid_t dataset = H5I_INVALID_HID;
            CHECK_OK(write_rows(file, threads, codecs[i], &dataset, &err), &err);
            expect_values(dataset);
            CHECK_H5(H5Dclose(dataset));
            CHECK_H5(H5Fclose(file));
        }
    }
}

/* --- threads --------------------------------------------------------------------------------- */

enum { N_CHUNKS = (N + CHUNK_ROWS - 1) / CHUNK_ROWS, MAX_BYTES = 512 };

typedef struct stored {
    haddr_t address;
    size_t n;
    uint8_t bytes[MAX_BYTES];
} stored;

/* The chunks of a dataset, as they are in the file. */
static void read_chunks(unsigned threads, stored chunks[N_CHUNKS])
{
    const hid_t file = memory_file("rows.h5", false);
    stoa_error err = STOA_ERROR_INIT;
    hid_t dataset = H5I_INVALID_HID;

    CHECK_OK(write_rows(file, threads, "deflate", &dataset, &err), &err);
    for (hsize_t i = 0; i < N_CHUNKS; i++) {
        const hsize_t offset = i * CHUNK_ROWS;
        uint32_t mask = 0;
        unsigned flags = 0;
        hsize_t n = 0;
        CHECK_H5(H5Dget_chunk_info_by_coord(dataset, &offset, &flags, &chunks[i].address, &n));
        chunks[i].n = raw_chunk(dataset, &offset, chunks[i].bytes, MAX_BYTES, &mask);
        CHECK_U64(mask, 0);
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void the_file_does_not_depend_on_the_number_of_threads(void)
{
    stored *const by_one = calloc(N_CHUNKS, sizeof *by_one);
    stored *const by_many = calloc(N_CHUNKS, sizeof *by_many);

    CHECK(by_one != NULL && by_many != NULL);
    read_chunks(1, by_one);
    for (unsigned threads = 2; threads <= 5; threads++) {
        read_chunks(threads, by_many);
        for (size_t i = 0; i < N_CHUNKS; i++) {
            CHECK_U64(by_many[i].address, by_one[i].address);
            CHECK_U64(by_many[i].n, by_one[i].n);
            CHECK_MEM(by_many[i].bytes, by_one[i].bytes, by_one[i].n);
            CHECK(i == 0 || by_one[i].address > by_one[i - 1].address);
        }
    }
    free(by_one);
    free(by_many);
}

/* --- failures -------------------------------------------------------------------------------- */

static hid_t swept_file;
static batch swept[N_BATCHES];

static stoa_status put_swept(const stoa_layout_source *source, stoa_pack *rows, hid_t dataset,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_row_writer w = {.workers = NULL};
    uint64_t first = 0;

    STOA_TRY(stoa_row_writer_open(&w, rows, dataset, rows->stored, 0, 2, err));
    for (size_t i = 0; i < N_BATCHES; i++) {
        stoa_view view;
        STOA_TRY(stoa_view_of(source->schema, &swept[i].array, &view, err));
        STOA_TRY(stoa_row_writer_put(&w, &view, first, err));
        first += (uint64_t)lengths[i];
    }
    STOA_TRY(stoa_chunk_writer_flush(&w.writer, err));

done:
    stoa_row_writer_close(&w);
    return status;
}

static stoa_status write_swept(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_pack rows = {.stored = H5I_INVALID_HID};
    hid_t dataset = H5I_INVALID_HID;
    stoa_layout_source source = {.schema = &swept[0].schema, .n_rows = N, .options = &options};
    stoa_column_stats *stats = NULL;

    options.chunk_rows = CHUNK_ROWS;
    STOA_TRY(stoa_column_stats_make(source.schema, &stats, err));
    for (size_t i = 0; i < N_BATCHES; i++) {
        STOA_TRY(stoa_column_stats_add(stats, source.schema, &swept[i].array, NULL, err));
    }
    source.columns = stats;
    STOA_TRY(stoa_pytables_begin(&source, swept_file, &rows, &dataset, err));
    STOA_TRY(put_swept(&source, &rows, dataset, err));

done:
    stoa_pack_clear(&rows);
    stoa_column_stats_free(stats, N_COLUMNS);
    return stoa_hdf_close(&dataset, status, err);
}

static void memory_may_run_out(void)
{
    int64_t first = 0;

    swept_file = memory_file("rows.h5", false);
    for (size_t i = 0; i < N_BATCHES; i++) {
        swept[i] = make_batch(first, lengths[i]);
        first += lengths[i];
    }
    CHECK(sweep_memory(write_swept) > 10);
    for (size_t i = 0; i < N_BATCHES; i++) {
        batch_end(&swept[i]);
    }
    CHECK_H5(H5Fclose(swept_file));
}

TEST_MAIN(TEST(rows_of_batches_are_written_in_order),
          TEST(the_file_does_not_depend_on_the_number_of_threads), TEST(memory_may_run_out))
