/* Datasets filled batch by batch, and Arrow columns as plain elements:
 * src/layout/common/column_datasets.c.
 */
#include "layout/common/column_datasets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"

enum { ROWS = 3 };

static void lines_are_filled_piece_by_piece(void)
{
    static const char *const codecs[] = {NULL, "none", "deflate", "deflate:9"};
    const hid_t file = memory_file("lines.h5", false);

    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        const char name[] = {'d', (char)('0' + i), '\0'};
        stoa_error err = STOA_ERROR_INIT;
        hid_t line = H5I_INVALID_HID;
        int16_t out[5] = {0};
        CHECK_OK(stoa_column_dataset_make(file, name, H5T_STD_I16BE, 5, 0, codecs[i], &line, &err),
                 &err);
        CHECK_OK(stoa_column_dataset_write(line, H5T_NATIVE_INT16, 3, 2, (int16_t[]){4, 5}, &err),
                 &err);
        CHECK_OK(
            stoa_column_dataset_write(line, H5T_NATIVE_INT16, 0, 3, (int16_t[]){1, 2, 3}, &err),
            &err);
        CHECK_H5(H5Dread(line, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
        for (int16_t k = 0; k < 5; k++) {
            CHECK_I64(out[k], k + 1);
        }
        CHECK_H5(H5Dclose(line));
    }
    CHECK_H5(H5Fclose(file));
}

static void an_unknown_codec_is_refused(void)
{
    static const char *const codecs[] = {"zstd",     "deflate:0", "deflate:10",
                                         "deflate:", "deflated",  ""};
    const hid_t file = memory_file("lines.h5", false);

    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        stoa_error err = STOA_ERROR_INIT;
        hid_t line = H5I_INVALID_HID;
        CHECK_STATUS(STOA_EINVAL, stoa_column_dataset_make(file, "d", H5T_STD_I8LE, 5, 0, codecs[i],
                                                           &line, &err));
        CHECK(line < 0 && H5Lexists(file, "d", H5P_DEFAULT) == 0);
    }
    CHECK_H5(H5Fclose(file));
}

static void missing_values_become_zero_nan_or_nothing(void)
{
    static const bool valid[ROWS] = {true, false, true};
    stoa_error err = STOA_ERROR_INIT;
    batch b = batch_begin(4, ROWS);
    stoa_view rows;
    stoa_view view;
    stoa_buffer texts = {0};
    char **pointers = NULL;
    int16_t numbers[ROWS];
    double floats[ROWS];
    uint8_t bytes[ROWS];

    batch_integers(&b, 0, "n", "s", (int64_t[]){-7, 5, 300}, valid);
    batch_floats(&b, 1, "f", "g", (double[]){0.5, 1, -2}, valid);
    batch_integers(&b, 2, "b", "b", (int64_t[]){1, 1, 0}, valid);
    batch_categories(&b, 3, "c", (const char *[]){"x", NULL, "yz"});
    CHECK_OK(stoa_view_of(&b.schema, &b.array, &rows, &err), &err);
    CHECK_OK(stoa_view_child(&rows, 0, &view, &err), &err);
    stoa_column_dataset_numbers(&view, numbers);
    CHECK(numbers[0] == -7 && numbers[1] == 0 && numbers[2] == 300);
    stoa_column_dataset_mask(&view, bytes);
    CHECK(bytes[0] == 0 && bytes[1] == 1 && bytes[2] == 0);
    CHECK_OK(stoa_view_child(&rows, 1, &view, &err), &err);
    stoa_column_dataset_numbers(&view, floats);
    CHECK(floats[0] == 0.5 && isnan(floats[1]) && floats[2] == -2);
    CHECK_OK(stoa_view_child(&rows, 2, &view, &err), &err);
    stoa_column_dataset_bools(&view, bytes);
    CHECK(bytes[0] == 1 && bytes[1] == 0 && bytes[2] == 0);
    CHECK_OK(stoa_view_child(&rows, 3, &view, &err), &err);
    CHECK_OK(stoa_column_dataset_texts(&view, &texts, &pointers, &err), &err);
    CHECK_STR(pointers[0], "x");
    CHECK_STR(pointers[1], "");
    CHECK_STR(pointers[2], "yz");
    free(pointers);
    stoa_buffer_clear(&texts);
    batch_end(&b);
}

TEST_MAIN(TEST(lines_are_filled_piece_by_piece), TEST(an_unknown_codec_is_refused),
          TEST(missing_values_become_zero_nan_or_nothing))
