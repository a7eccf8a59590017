/* Files that Stoa opened: what is looked at in every mode, and what ends with them
 * (src/hdf/file/file.c); bytes of one page that an edit reads back (src/hdf/journal/journal.c). */
#include <stoa/file.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hdf/ids.h"
#include "hdf/journal/journal.h"
#include "support/check.h"

/* --- blocks ----------------------------------------------------------------------------------- */

/* A file whose root has a text of variable length, in a heap whose first object, if `is_damaged`,
 * leads to itself: libhdf5 alone would go round for ever. */
static const char *make_file(bool is_damaged)
{
    const char *path = check_path(is_damaged ? "damaged.h5" : "sound.h5");
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const char *const text = "of variable length";
    static uint8_t bytes[1 << 16];

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(file, "text", type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, type, &text));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
    if (is_damaged) {
        const int fd = open(path, O_RDWR);
        const ssize_t n = pread(fd, bytes, sizeof bytes, 0);
        uint8_t *heap = n > 0 ? memmem(bytes, (size_t)n, "GCOL", 4) : NULL;
        CHECK(heap != NULL);
        memset(heap + 16, 0, 16);
        CHECK(pwrite(fd, heap, 32, heap - bytes) == 32 && close(fd) == 0);
    }
    return path;
}

static bool is_read(hid_t file)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const hid_t attribute = H5Aopen(file, "text", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    char *text = NULL;
    const bool is = H5Aread(attribute, type, &text) >= 0;

    if (is) {
        CHECK_STR(text, "of variable length");
        CHECK_H5(H5free_memory(text));
    }
    (void)H5Eclear2(H5E_DEFAULT);
    (void)H5Tclose(type);
    (void)H5Aclose(attribute);
    stoa_error_stack_end(&errors);
    return is;
}

static void blocks_are_looked_at_in_every_mode(void)
{
    static const stoa_file_mode modes[] = {STOA_FILE_READ, STOA_FILE_EDIT, STOA_FILE_SAFE};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
            stoa_file *file = NULL;
            stoa_error err = STOA_ERROR_INIT;
            CHECK_OK(stoa_file_open(make_file(is_damaged != 0), modes[i], &file, &err), &err);
            CHECK(is_read(stoa_file_id(file)) == (is_damaged == 0));
            stoa_file_close(file);
        }
    }
}

/* --- ids -------------------------------------------------------------------------------------- */

/* However many times a program asked for the file again. */
static void ids_of_a_file_end_with_it(void)
{
    enum { MOST = 40 };

    for (int n = 0; n <= MOST; n += 8) {
        stoa_file *file = NULL;
        stoa_error err = STOA_ERROR_INIT;
        hid_t ids[MOST];
        CHECK_OK(stoa_file_open(make_file(false), STOA_FILE_EDIT, &file, &err), &err);
        for (int i = 0; i < n; i++) {
            ids[i] = CHECK_H5(H5Freopen(stoa_file_id(file)));
        }
        stoa_file_close(file);
        for (int i = 0; i < n; i++) {
            CHECK(H5Iis_valid(ids[i]) == 0);
        }
    }
}

/* --- pages ------------------------------------------------------------------------------------ */

static void one_page_that_was_written_is_read_back(void)
{
    enum { SIZE = 20000 };
    static uint8_t model[SIZE];
    static uint8_t found[SIZE];

    for (size_t n_pages = 0; n_pages <= 3; n_pages++) {
        stoa_journal *journal = NULL;
        stoa_error err = STOA_ERROR_INIT;
        const int fd = open(check_path("bytes"), O_RDWR | O_CREAT | O_TRUNC, 0644);
        memset(model, 7, sizeof model);
        CHECK(fd >= 0 && pwrite(fd, model, sizeof model, 0) == SIZE);
        CHECK_OK(stoa_journal_begin(fd, SIZE, &journal, &err), &err);
        for (size_t i = 0; i < n_pages; i++) {
            memcpy(model + 5000 * i + 100, "written", 7);
            CHECK_I64(stoa_journal_write(journal, 5000 * i + 100, "written", 7), 0);
            CHECK_I64(stoa_journal_read(journal, 0, found, SIZE), 0);
            CHECK_MEM(found, model, SIZE);
        }
        stoa_journal_end_transaction(journal);
        CHECK(close(fd) == 0);
    }
}

TEST_MAIN(TEST(blocks_are_looked_at_in_every_mode), TEST(ids_of_a_file_end_with_it),
          TEST(one_page_that_was_written_is_read_back))
