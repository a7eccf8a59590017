/*
 * A damaged file gives an answer or an error: opening, reading and appending never crash, hang, or
 * leave an id open (the fixture looks). Bytes of a sound file, made by Stoa, are changed at random.
 * The file is of HDF5's earliest format, whose headers have no checksums to find that out.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "support/open_ids.h"
#include "table/kit.h"

/* libhdf5 asks malloc() for what a damaged header says; it must hear no, not be killed. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/* What libhdf5 leaks over a damaged header is its own; our ids are counted by the fixture. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

/* No honest read of these few rows is larger. */
#define MAX_ROWS UINT64_C(100000)

static hid_t open_image(void *bytes, size_t n)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    hid_t file = H5I_INVALID_HID;

    CHECK_H5(H5Pset_fapl_core(fapl, (size_t)1 << 16, false));
    if (bytes != NULL) {
        CHECK_H5(H5Pset_file_image(fapl, bytes, n));
    }
    H5E_BEGIN_TRY
    {
        file = bytes == NULL ? H5Fcreate("whole.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl)
                             : H5Fopen("damaged.h5", H5F_ACC_RDWR, fapl);
    }
    H5E_END_TRY
    CHECK_H5(H5Pclose(fapl));
    return file;
}

/* libhdf5 fails to flush what it cannot make sense of; the id is gone all the same, which the
 * fixture does not see. */
static void close_damaged(hid_t file)
{
    herr_t closed = 0;

    H5E_BEGIN_TRY
    {
        closed = file >= 0 ? H5Fclose(file) : 0;
    }
    H5E_END_TRY
    if (closed < 0) {
        check_forget_ids();
    }
}

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
    const hid_t file = open_image(NULL, 0);
    static const char *const columns[] = {"i", "x"};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    batch b = rows();

    options.index_columns = columns;
    options.indexes = (const stoa_column_index[]){{"i", "minmax"}, {"x", "minmax"}};
    options.n_index_columns = options.n_indexes = 2;
    write_batches(file, "/t", &b, 1, &options);
    CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
    const ssize_t n = (ssize_t)CHECK_H5(H5Fget_file_image(file, NULL, 0));
    *bytes = malloc((size_t)n);
    CHECK(*bytes != NULL);
    CHECK_H5(H5Fget_file_image(file, *bytes, (size_t)n));
    CHECK_H5(H5Fclose(file));
    return (size_t)n;
}

static void damage(uint8_t *bytes, size_t n)
{
    /* Most of a young file is empty space, which is not worth damaging. */
    for (uint64_t hits = 1 + check_random_below(3); hits > 0;) {
        const size_t at = (size_t)check_random_below(n);
        if (bytes[at] != 0 || check_random_below(16) == 0) {
            bytes[at] = check_random_below(2) == 0
                            ? (uint8_t)check_random()
                            : (uint8_t)(bytes[at] ^ (1u << check_random_below(8)));
            hits--;
        }
    }
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

static void damage_gives_an_answer_or_an_error(void)
{
    uint8_t *whole = NULL;
    const size_t n = whole_table(&whole);
    uint8_t *bytes = malloc(n);
    uint64_t n_read = 0;
    uint64_t n_appended = 0;

    CHECK(bytes != NULL);
    for (uint64_t i = check_n_cases(300); i > 0; i--) {
        stoa_table *table = NULL;
        memcpy(bytes, whole, n);
        damage(bytes, n);
        const hid_t file = open_image(bytes, n);
        if (file >= 0 && stoa_table_open(file, "/t", &table, NULL) == STOA_OK && read_all(table)) {
            batch b = rows();
            n_read++;
            n_appended += append(table, &b, NULL) == STOA_OK;
        }
        stoa_table_close(table);
        close_damaged(file);
    }
    /* Otherwise this looked at nothing. */
    CHECK(n_read > 0);
    CHECK(n_appended > 0);
    free(bytes);
    free(whole);
}

TEST_MAIN(TEST(damage_gives_an_answer_or_an_error))
