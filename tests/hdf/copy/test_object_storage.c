/* What is not deleted, and not copied, for where its bytes lie: src/hdf/copy/object_storage.c. */
#include "hdf/copy/object_storage.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/ids.h"
#include "support/check.h"
#include "support/damage.h"

enum { ROWS = 100 };

/* --- a file ---------------------------------------------------------------------------------- */

static hid_t make_dataset(hid_t group, const char *name, hsize_t chunk)
{
    static const int8_t rows[ROWS] = {1, 2, 3};
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ROWS}, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(chunk != 0 ? H5Pset_chunk(dcpl, 1, &chunk) : 0);
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, name, H5T_STD_I8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
    return dataset;
}

static void put(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

/* Every address that is said to be `from` becomes `to`. */
static void move(uint8_t *bytes, size_t n, uint64_t from, uint64_t to)
{
    uint8_t old[8];
    size_t n_moved = 0;

    put(old, from);
    for (size_t at = 0; at + 8 <= n; at++) {
        if (memcmp(bytes + at, old, 8) == 0) {
            put(bytes + at, to);
            n_moved++;
        }
    }
    CHECK_U64(n_moved, 1);
}

static haddr_t address_of(hid_t dataset, hsize_t chunk)
{
    hsize_t n = 0;
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;

    if (chunk == 0) {
        return H5Dget_offset(dataset);
    }
    CHECK_H5(H5Dget_chunk_info_by_coord(dataset, &(hsize_t){0}, &mask, &address, &n));
    return address;
}

typedef struct sample {
    uint8_t *bytes;
    size_t n;
    haddr_t a; /* of /g/a, */
    haddr_t b; /* and of /g/h/b */
} sample;

/* In two groups two datasets, in one piece each, or in chunks of as many rows. */
static sample make_sample(hsize_t chunk)
{
    sample s = {.bytes = NULL};
    const hid_t file = damage_new_file();
    const hid_t g = CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t h = CHECK_H5(H5Gcreate2(g, "h", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t a = make_dataset(g, "a", chunk);
    const hid_t b = make_dataset(h, "b", chunk);
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I16LE));

    CHECK_H5(H5Tcommit2(g, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("/g", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("/none", file, "nowhere", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
    s.a = address_of(a, chunk);
    s.b = address_of(b, chunk);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(a));
    CHECK_H5(H5Dclose(b));
    CHECK_H5(H5Gclose(h));
    CHECK_H5(H5Gclose(g));
    s.n = damage_take_image(file, &s.bytes);
    return s;
}

/* What is said of unlinking or copying `name`; "" where that is done. */
static void check_said(hid_t file, const char *name, bool is_copied, const char *words)
{
    stoa_error err = STOA_ERROR_INIT;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const herr_t done = is_copied
                            ? stoa_object_copy(file, name, file, "copy", H5P_DEFAULT, H5P_DEFAULT)
                            : stoa_unlink(file, name);

    stoa_error_stack_end(&errors);
    CHECK((done >= 0) == (words[0] == '\0'));
    if (done < 0) {
        CHECK_STATUS(STOA_EHDF5, stoa_hdf_fail(&err, "do it"), &err);
        CHECK_CONTAINS(err.message, words);
    }
    CHECK((H5Lexists(file, name, H5P_DEFAULT) > 0) == (is_copied || done < 0));
}

/* In a copy of the sample, in which dataset b lies elsewhere. */
static void check_moved(const sample *s, haddr_t b, const char *name, bool is_copied,
                        const char *words)
{
    uint8_t *bytes = malloc(s->n);

    CHECK(bytes != NULL);
    memcpy(bytes, s->bytes, s->n);
    if (b != s->b) {
        move(bytes, s->n, s->b, b);
    }
    const hid_t file = damage_open(bytes, s->n, H5F_ACC_RDWR);
    CHECK(file >= 0);
    check_said(file, name, is_copied, words);
    damage_close(file);
    free(bytes);
}

/* --- tests ----------------------------------------------------------------------------------- */

static const char outside[] = "it is damaged: a part of it lies outside of the file";
static const char overlap[] = " overlap";

static void storage_that_is_shared_is_not_given_back(void)
{
    for (hsize_t chunk = 0; chunk <= ROWS; chunk += ROWS) {
        sample s = make_sample(chunk);
        check_moved(&s, s.b, "g", false, "");
        check_moved(&s, s.b, "g", true, "");
        check_moved(&s, s.a + ROWS - 1, "g", false, overlap);
        check_moved(&s, s.a, "g", false, overlap);
        check_moved(&s, s.a - 1, "g", false, overlap);
        check_moved(&s, s.a, "g", true, "");    /* what is only read may be */
        check_moved(&s, s.a, "g/a", false, ""); /* of one it cannot be told */
        check_moved(&s, s.a, "g/h", false, "");
        check_moved(&s, s.a, "soft", false, ""); /* the group stays */
        check_moved(&s, s.a, "g/type", false, "");
        free(s.bytes);
    }
}

/* The link goes, and new bytes come nowhere near what it led to. */
static void what_nobody_needs_may_stay_without_a_name(void)
{
    sample s = make_sample(0);

    move(s.bytes, s.n, s.b, s.a);
    const hid_t file = damage_open(s.bytes, s.n, H5F_ACC_RDWR);
    CHECK_H5(stoa_unlink_or_leave(file, "g"));
    CHECK(H5Lexists(file, "g", H5P_DEFAULT) == 0);
    for (int i = 0; i < 5; i++) {
        const char name[] = {(char)('p' + i), '\0'};
        const hid_t dataset = make_dataset(file, name, 0);
        const haddr_t at = H5Dget_offset(dataset);
        CHECK(at >= s.a + ROWS || at + ROWS <= s.a);
        CHECK_H5(H5Dclose(dataset));
    }
    damage_close(file);
    free(s.bytes);
}

static void storage_that_touches_is_apart(void)
{
    sample s = make_sample(0);

    check_moved(&s, s.a + ROWS, "g", false, "");
    free(s.bytes);
}

/* Layout messages before version 3 do not say how many bytes there are: version, rank, class, five
 * bytes, the address, the extent of 32 bits. */
static void storage_of_old_layouts_is_as_long_as_its_extent(void)
{
    sample s = make_sample(0);
    uint8_t message[24] = {1, 1, 1};
    uint8_t now[10] = {3, 1};

    put(message + 8, s.a);
    message[16] = ROWS;
    put(now + 2, s.a);
    uint8_t *const at = memmem(s.bytes, s.n, now, sizeof now);
    CHECK(at != NULL);
    memcpy(at, message, sizeof message);
    check_moved(&s, s.a + ROWS - 1, "g", false, overlap);
    check_moved(&s, s.a + ROWS, "g", false, "");
    free(s.bytes);
}

static void storage_outside_of_the_file_is_neither_read_nor_given_back(void)
{
    for (hsize_t chunk = 0; chunk <= ROWS; chunk += ROWS) {
        sample s = make_sample(chunk);
        static const char *const names[] = {"g/h/b", "g/h", "g"};
        const haddr_t ends[] = {0, s.n - ROWS + 1, s.n, s.n + 1, INT64_MAX};
        /* libhdf5 opens no dataset in one piece that lies past the end. */
        for (size_t i = 0; i < (chunk != 0 ? sizeof ends / sizeof ends[0] : 1); i++) {
            for (size_t k = 0; k < 3; k++) {
                check_moved(&s, ends[i], names[k], false, outside);
                check_moved(&s, ends[i], names[k], true, outside);
            }
        }
        check_moved(&s, s.n - ROWS, "g/h/b", true, "");
        check_moved(&s, 1, "g/h/b", true, "");
        check_moved(&s, 0, "soft", true, outside); /* what the link leads to is copied */
        check_moved(&s, 0, "soft", false, "");
        check_moved(&s, 0, "g/a", true, "");
        free(s.bytes);
    }
}

static void what_has_no_storage_of_its_own_is_not_looked_at(void)
{
    const hid_t file = damage_new_file();
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ROWS}, NULL));
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I16LE));

    CHECK_H5(H5Dclose(CHECK_H5(
        H5Dcreate2(file, "late", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_H5(H5Pset_external(dcpl, check_path("outside"), 0, ROWS));
    CHECK_H5(H5Dclose(CHECK_H5(
        H5Dcreate2(file, "external", H5T_STD_I8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external("none.h5", "/", file, "far", H5P_DEFAULT, H5P_DEFAULT));
    check_said(file, "late", false, "");
    check_said(file, "external", false, "");
    check_said(file, "far", false, "");
    check_said(file, "type", true, "");
    check_said(file, "type", false, "");
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    damage_close(file);
}

/* Half of an edit would be left, were it not gone; a copy is made again. */
static void without_memory_what_is_deleted_goes_unseen_and_nothing_is_copied(void)
{
    sample s = make_sample(0);
    herr_t copied = -1;
    uint64_t n = 0;

    for (; copied < 0; n++) {
        stoa_error err = STOA_ERROR_INIT;
        const hid_t file = damage_open(s.bytes, s.n, H5F_ACC_RDWR);
        const stoa_error_stack errors = stoa_error_stack_begin();
        stoa_memory_fail_after(n);
        copied = stoa_object_copy(file, "g", file, "copy", H5P_DEFAULT, H5P_DEFAULT);
        stoa_memory_fail_after(UINT64_MAX);
        CHECK(copied >= 0 || stoa_hdf_fail(&err, "copy it") == STOA_ENOMEM);
        stoa_memory_fail_after(n);
        CHECK_H5(stoa_unlink(file, "g"));
        stoa_memory_fail_after(UINT64_MAX);
        stoa_error_stack_end(&errors);
        damage_close(file);
    }
    CHECK(n > 3);
    free(s.bytes);
}

TEST_MAIN(TEST(storage_that_is_shared_is_not_given_back), TEST(storage_that_touches_is_apart),
          TEST(storage_of_old_layouts_is_as_long_as_its_extent),
          TEST(what_nobody_needs_may_stay_without_a_name),
          TEST(storage_outside_of_the_file_is_neither_read_nor_given_back),
          TEST(what_has_no_storage_of_its_own_is_not_looked_at),
          TEST(without_memory_what_is_deleted_goes_unseen_and_nothing_is_copied))
