/*
 * Damaged list columns give an answer or an error. Bytes of a sound file are changed at random, and
 * in half of the cases in what its members hold: offsets and masks that lie.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "support/damage.h"
#include "table/list_kit.h"

enum { ROWS = 40 };
/* No honest read of these few rows is larger. */
#define MAX_ROWS UINT64_C(100000)

/* Lists of floats with missing ones; lists of lists of strings. */
static size_t whole_table(uint8_t **bytes)
{
    const hid_t file = damage_new_file();
    const float fill = -1;
    uint64_t offsets[ROWS + 1] = {0};
    int8_t mask[ROWS];
    float values[ROWS * 2];
    batch b = batch_begin(1, ROWS);
    int64_t ids[ROWS];

    for (int i = 0; i < ROWS; i++) {
        ids[i] = i;
        mask[i] = i % 5 != 0;
        offsets[i + 1] = offsets[i] + (uint64_t)(mask[i] != 0 ? i % 3 : 0);
    }
    for (int i = 0; i < ROWS * 2; i++) {
        values[i] = i % 7 == 0 ? fill : (float)i;
    }
    batch_integers(&b, 0, "id", "l", ids, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    list_column(file, "/t/f");
    list_offsets(file, "/t/f", ROWS + 1, offsets);
    list_mask(file, "/t/f", ROWS, mask);
    list_dataset(file, "/t/f/VALUES", H5T_IEEE_F32LE, ROWS * 2, values, &fill);
    list_column(file, "/t/s");
    list_offsets(file, "/t/s", ROWS + 1, offsets);
    list_column(file, "/t/s/VALUES");
    list_offsets(file, "/t/s/VALUES", ROWS + 1, offsets); /* more than are needed */
    list_group(file, "/t/s/VALUES/VALUES", "STRING_VALUES", NULL);
    list_offsets(file, "/t/s/VALUES/VALUES", ROWS + 1, offsets);
    list_mask(file, "/t/s/VALUES/VALUES", ROWS, mask);
    list_dataset(file, "/t/s/VALUES/VALUES/CHARS", H5T_STD_U8LE, ROWS * 2, values, NULL);
    return damage_take_image(file, bytes);
}

/* Change one element of the offsets, or of the mask, that the file holds. */
static void make_it_lie(uint8_t *bytes, size_t n)
{
    const uint64_t begin[] = {0, 0, 1, 3, 3, 4}; /* of the offsets */
    uint8_t *found[8];
    size_t n_found = 0;

    for (size_t at = 0; at + sizeof begin <= n && n_found < 8; at++) {
        if (memcmp(bytes + at, begin, sizeof begin) == 0) {
            found[n_found++] = bytes + at;
        }
    }
    CHECK(n_found > 2);
    uint64_t value = check_random() >> check_random_below(64);
    memcpy(found[check_random_below(n_found)] + 8 * check_random_below(ROWS + 1), &value,
           sizeof value);
}

/* How many columns could be read. */
static uint64_t read_all(stoa_table *table)
{
    uint64_t n = 0;

    for (size_t i = 0; stoa_table_n_rows(table) <= MAX_ROWS && i < stoa_table_n_columns(table);
         i++) {
        struct ArrowArray array = {.release = NULL};
        struct ArrowSchema schema = {.release = NULL};
        stoa_column *const column = stoa_table_column(table, i);
        stoa_view view;
        if (stoa_column_schema(column, &schema, NULL) == STOA_OK &&
            stoa_column_read(column, 0, stoa_table_n_rows(table), &array, NULL) == STOA_OK) {
            CHECK_OK(stoa_view_of(&schema, &array, &view, NULL)); /* what is read is sound */
            n++;
        }
        stoa_array_release(&array);
        stoa_schema_release(&schema);
    }
    return n;
}

static void damage_gives_lists_or_an_error(void)
{
    uint8_t *whole = NULL;
    const size_t n = whole_table(&whole);
    uint8_t *bytes = malloc(n);
    uint64_t n_read = 0;
    uint64_t n_columns = 0;

    CHECK(bytes != NULL);
    for (uint64_t i = check_n_cases(600); i > 0; i--) {
        stoa_table *table = NULL;
        memcpy(bytes, whole, n);
        (i % 2 == 0 ? damage_bytes : make_it_lie)(bytes, n);
        const hid_t file = damage_open(bytes, n, H5F_ACC_RDONLY);
        if (file >= 0 && stoa_hep001_open(file, "/t", &table, NULL) == STOA_OK) {
            n_columns += stoa_table_n_columns(table);
            n_read += read_all(table);
        }
        stoa_table_close(table);
        damage_close(file);
    }
    CHECK(n_read > 0 && n_read < n_columns); /* otherwise this looked at nothing */
    free(bytes);
    free(whole);
}

TEST_MAIN(TEST(damage_gives_lists_or_an_error))
