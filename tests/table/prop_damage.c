/*
 * A damaged file gives an answer or an error: opening, reading and editing never crash, hang, or
 * leave an id open (the fixture looks). Bytes of a sound file, made by Stoa, are changed at random.
 * The file is of HDF5's earliest format, whose headers have no checksums to find that out.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "support/damage.h"
#include "table/kit.h"

/* No honest read of these few rows is larger. */
#define MAX_ROWS UINT64_C(100000)

static batch rows(void)
{
    batch b = batch_begin(5, 3);
    const bool valid[] = {true, false, true};

    batch_integers(&b, 0, "i", "s", (int64_t[]){1, 2, 300}, valid);
    batch_floats(&b, 1, "x", "g", (double[]){1, 2, 3}, valid);
    batch_strings(&b, 2, "s", (const char *[]){"a", NULL, "long enough"});
    batch_categories(&b, 3, "c", (const char *[]){"u", NULL, "v"});
    batch_integers(&b, 4, "t", "tsm:UTC", (int64_t[]){5, 6, 7}, valid);
    return b;
}

static size_t whole_table(uint8_t **bytes)
{
    const hid_t file = damage_new_file();
    static const char *const columns[] = {"i", "x"};
    static const stoa_column_index indexes[] = {
        {"i", "minmax"}, {"x", "sorted"}, {"c", "bitmap"}, {"s", "bloom"}};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = rows();

    options.index_columns = columns;
    options.n_index_columns = 2;
    options.indexes = indexes;
    options.n_indexes = sizeof indexes / sizeof indexes[0];
    write_batches(file, "/t", &b, 1, &options);
    return damage_take_image(file, bytes);
}

/* Whether every column could be read. */
static bool read_all(stoa_table *table)
{
    bool all = stoa_table_n_rows(table) <= MAX_ROWS;

    for (size_t i = 0; all && i < stoa_table_n_columns(table); i++) {
        struct ArrowArray array;
        all = stoa_column_read(stoa_table_column(table, i), 0, stoa_table_n_rows(table), &array,
                               NULL) == STOA_OK;
        stoa_array_release(&array);
    }
    return all;
}

/* An edit of each sort. */
static stoa_status edit(hid_t file, stoa_table *table)
{
    static const char *const labels[] = {"v", "w", "u"};
    const stoa_assignment set[] = {{"i", "i * 300"}, {"c", "'new'"}, {"s", "null"}};
    const stoa_column_options storage = {"s", "deflate", 2};
    batch b;

    switch (check_random_below(14)) {
    case 0:
    case 1:
        b = rows();
        return append(table, &b, NULL);
    case 2:
        return stoa_table_update(table, "x > 1", set, 3, NULL, NULL, NULL);
    case 3:
        return stoa_table_delete(table, "i = 1", NULL, NULL, NULL);
    case 4:
        return stoa_table_truncate(table, 1, NULL, NULL);
    case 5:
        return stoa_table_preallocate(table, 50, NULL, NULL);
    case 6:
        return stoa_column_drop(table, "c", NULL);
    case 7:
        return stoa_column_rename(table, "x", "y", NULL);
    case 8:
        return stoa_column_set_storage(table, &storage, NULL, NULL);
    case 9:
        return stoa_column_relabel(table, "c", labels, 3, true, NULL, NULL);
    case 10:
        return stoa_column_categorize(table, "s", true, NULL, NULL);
    case 11:
        return stoa_table_annotate(table, "i", "valid_min", "0", NULL);
    case 12:
        return stoa_table_copy(table, file, "/u", NULL, NULL);
    default:
        return stoa_table_repack(table, NULL, NULL);
    }
}

static void damage_gives_an_answer_or_an_error(void)
{
    uint8_t *whole = NULL;
    const size_t n = whole_table(&whole);
    uint8_t *bytes = malloc(n);
    uint64_t n_read = 0;
    uint64_t n_edited = 0;

    CHECK(bytes != NULL);
    for (uint64_t i = check_n_cases(300); i > 0; i--) {
        stoa_table *table = NULL;
        memcpy(bytes, whole, n);
        damage_bytes(bytes, n);
        const hid_t file = damage_open(bytes, n, H5F_ACC_RDWR);
        if (file >= 0 && stoa_hep001_open(file, "/t", &table, NULL) == STOA_OK && read_all(table)) {
            n_read++;
            n_edited += edit(file, table) == STOA_OK;
        }
        stoa_table_close(table);
        damage_close(file);
    }
    /* Otherwise this looked at nothing. */
    CHECK(n_read > 0);
    CHECK(n_edited > 0);
    free(bytes);
    free(whole);
}

TEST_MAIN(TEST(damage_gives_an_answer_or_an_error))
