/* Encoded rows of LH5, src/layout/lh5/read/encoded.c; codecs are tested with src/codec/. */
#include <hdf5.h>
#include <stdlib.h>
#include <stoa/layout.h>
#include <stoa/query.h>
#include <string.h>

#include "arrow/build.h"
#include "hdf/ids.h"
#include "layout/lh5_kit.h"
#include "support/check.h"

enum { SAMPLES = 1000, EQUAL_ROWS = 20000, ROWS = 150000 };

/* Each byte of 1 is a step of -1: zigzag, then the difference to the sample before. */
static void bytes_that_are_said_to_be_truths_are_bytes_all_the_same(void)
{
    static uint8_t bytes[2 * SAMPLES];
    static const uint32_t ends[] = {SAMPLES, 2 * SAMPLES};
    static const int64_t size = SAMPLES;
    const char *const name = check_path("truths.lh5");
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    struct ArrowArray rows;
    hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    memset(bytes, 1, sizeof bytes);
    lh5_group(file, "t", "table{w}");
    lh5_group(file, "t/w", "array_of_encoded_equalsized_arrays<1,1>{real}");
    const hid_t group = CHECK_H5(H5Gopen2(file, "t/w", H5P_DEFAULT));
    lh5_say(group, "codec", "uleb128_zigzag_diff");
    CHECK_H5(H5Gclose(group));
    lh5_group(file, "t/w/encoded_data", "array<1>{array<1>{bool}}");
    lh5_put(file, "t/w/encoded_data/cumulative_length", "array<1>{real}", H5T_NATIVE_UINT32, 2,
            ends);
    lh5_put(file, "t/w/encoded_data/flattened_data", "array<1>{bool}", H5T_NATIVE_UINT8,
            sizeof bytes, bytes);
    lh5_put(file, "t/w/decoded_size", "real", H5T_NATIVE_INT64, 0, &size);
    CHECK_H5(H5Fclose(file));

    file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    CHECK_OK(stoa_table_open(file, "/t", &table, &err), &err);
    CHECK_OK(stoa_column_read(stoa_table_column(table, 0), 0, 2, &rows, &err), &err);
    const int32_t *const samples = rows.children[0]->buffers[1];
    for (int32_t i = 0; i < SAMPLES; i++) {
        CHECK_I64(samples[i], -1 - i);
        CHECK_I64(samples[SAMPLES + i], -1 - i);
    }
    rows.release(&rows);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

/* Samples of a row: all have as many, or it depends on the row. */
static int64_t samples_of(int64_t row, bool is_equal)
{
    return is_equal ? SAMPLES : row % 7 * 3;
}

static int64_t rows_of(bool is_equal)
{
    return is_equal ? EQUAL_ROWS : ROWS;
}

/* Row i is i, i - 1, i - 2, ...: the first step, i, zigzag, as 7 bits a byte, and steps of -1. */
static size_t encode_row(int64_t row, int64_t n_samples, uint8_t *out)
{
    size_t n = 0;
    uint64_t left = 2 * (uint64_t)row;

    if (n_samples == 0) {
        return 0;
    }
    for (; left > 127; left >>= 7) {
        out[n++] = (uint8_t)(left | 128);
    }
    out[n++] = (uint8_t)left;
    memset(out + n, 1, (size_t)n_samples - 1);
    return n + (size_t)n_samples - 1;
}

static void write_encoded(const char *name, bool is_equal)
{
    static uint32_t ends[ROWS];
    static int64_t sizes[ROWS];
    const int64_t size = SAMPLES;
    const int64_t n_rows = rows_of(is_equal);
    uint8_t *const bytes = malloc((size_t)n_rows * (size_t)(is_equal ? SAMPLES + 4 : 24));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    size_t n = 0;

    CHECK(bytes != NULL);
    for (int64_t i = 0; i < n_rows; i++) {
        sizes[i] = samples_of(i, is_equal);
        n += encode_row(i, sizes[i], bytes + n);
        ends[i] = (uint32_t)n;
    }
    lh5_group(file, "t", "table{w}");
    lh5_group(file, "t/w",
              is_equal ? "array_of_encoded_equalsized_arrays<1,1>{real}"
                       : "array<1>{encoded_array<1>{real}}");
    const hid_t group = CHECK_H5(H5Gopen2(file, "t/w", H5P_DEFAULT));
    lh5_say(group, "codec", "uleb128_zigzag_diff");
    CHECK_H5(H5Gclose(group));
    lh5_group(file, "t/w/encoded_data", "array<1>{array<1>{real}}");
    lh5_put(file, "t/w/encoded_data/cumulative_length", "array<1>{real}", H5T_NATIVE_UINT32,
            (hsize_t)n_rows, ends);
    lh5_put(file, "t/w/encoded_data/flattened_data", "array<1>{real}", H5T_NATIVE_UINT8, n, bytes);
    if (is_equal) {
        lh5_put(file, "t/w/decoded_size", "real", H5T_NATIVE_INT64, 0, &size);
    } else {
        lh5_put(file, "t/w/decoded_size", "array<1>{real}", H5T_NATIVE_INT64, (hsize_t)n_rows,
                sizes);
    }
    free(bytes);
    CHECK_H5(H5Fclose(file));
}

/* Whether the lists of a batch are rows `first` and those that follow. */
static bool has_rows(const struct ArrowArray *lists, int64_t first, bool is_equal)
{
    const int32_t *sample = lists->children[0]->buffers[1];
    const int32_t *const offsets = is_equal ? NULL : lists->buffers[1];
    bool has = true;

    for (int64_t i = 0; i < lists->length; i++) {
        const int64_t n = samples_of(first + i, is_equal);
        has = has && (is_equal || offsets[i + 1] - offsets[i] == n);
        for (int64_t k = 0; has && k < n; k++) {
            has = *sample++ == first + i - k;
        }
    }
    return has;
}

/* Kept until all are read, so that none lies where another one does. */
static void rows_are_decoded_by_all_threads_of_a_query(void)
{
    enum { MOST = 64 };

    for (unsigned turn = 0; turn < 8; turn++) {
        const bool is_equal = turn % 2 == 0;
        const char *const name = check_path("rows.lh5");
        stoa_open_options opening = STOA_OPEN_OPTIONS_INIT;
        stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArrayStream stream;
        struct ArrowArray batches[MOST];
        stoa_table *table = NULL;
        stoa_query *query = NULL;
        int64_t row = 0;
        size_t n = 0;

        write_encoded(name, is_equal);
        const unsigned flags = turn < 6 ? H5F_ACC_RDONLY : H5F_ACC_RDWR; /* past libhdf5, or not */
        const hid_t file = CHECK_H5(H5Fopen(name, flags, H5P_DEFAULT));
        opening.map = turn / 2 == 1;
        options.threads = turn / 2 == 2 ? 1 : 3;
        CHECK_OK(stoa_table_open_with(file, "/t", &opening, &table, &err), &err);
        CHECK_OK(stoa_query_open(table, &options, &query, &err), &err);
        CHECK_OK(stoa_query_run(query, &stream, &err), &err);
        do {
            CHECK(n < MOST);
            CHECK_OK(stoa_stream_next(&stream, &batches[n], &err), &err);
        } while (batches[n++].release != NULL);
        stoa_stream_release(&stream);
        stoa_query_close(query);
        stoa_table_close(table);
        CHECK_H5(H5Fclose(file));
        CHECK(n > 2);
        for (size_t i = 0; i + 1 < n; i++) {
            CHECK(has_rows(batches[i].children[0], row, is_equal));
            row += batches[i].length;
            batches[i].release(&batches[i]);
        }
        CHECK_I64(row, rows_of(is_equal));
    }
}

TEST_MAIN(TEST(rows_are_decoded_by_all_threads_of_a_query),
          TEST(bytes_that_are_said_to_be_truths_are_bytes_all_the_same))
