/* Encoded rows of LH5, src/layout/lh5/encoded.c; codecs are tested with src/codec/. */
#include <hdf5.h>
#include <stoa/layout.h>
#include <string.h>

#include "hdf/ids.h"
#include "layout/lh5_kit.h"
#include "support/check.h"

enum { SAMPLES = 1000 };

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
    CHECK_OK(stoa_layout_open(file, "/t", &table, &err), &err);
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

TEST_MAIN(TEST(bytes_that_are_said_to_be_truths_are_bytes_all_the_same))
