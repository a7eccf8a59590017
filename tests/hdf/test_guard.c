/* What elements take up in a file: src/hdf/guard.c. */
#include "hdf/guard.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "hdf/chunks.h"
#include "hdf/kept.h"
#include "support/check.h"
#include "support/damage.h"
#include "support/memory_file.h"

/* A dataset of ten elements in one chunk without filters. Closes the type. */
static hid_t dataset_of(hid_t file, hid_t type, const void *fill)
{
    const hsize_t n = 10;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    hid_t dataset = H5I_INVALID_HID;

    CHECK_H5(H5Pset_chunk(plist, 1, &n));
    CHECK_H5(H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY));
    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(plist, type, fill));
    }
    dataset = CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    CHECK_H5(H5Pclose(plist));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    return dataset;
}

/* The one chunk holds ten elements of the size, and the fill is of it. */
static void expect_sound(hid_t type, const void *fill)
{
    const hid_t file = memory_file("guard.h5", false);
    const hid_t dataset = dataset_of(file, type, fill);
    const hid_t plist = CHECK_H5(H5Dget_create_plist(dataset));
    const hid_t stored = CHECK_H5(H5Dget_type(dataset));
    bool fits = false;

    CHECK_U64(10 * stoa_stored_size(stored), H5Dget_storage_size(dataset));
    CHECK_OK(stoa_fill_fits(plist, stored, &fits, NULL));
    CHECK(fits);
    CHECK_H5(H5Tclose(stored));
    CHECK_H5(H5Pclose(plist));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static hid_t text_type(size_t size)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, size));
    return type;
}

typedef struct named {
    char *name;
    double value;
    hvl_t list;
} named;

static hid_t named_type(void)
{
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(named)));
    const hid_t text = text_type(H5T_VARIABLE);
    const hid_t list = CHECK_H5(H5Tvlen_create(H5T_STD_I16LE));

    CHECK_H5(H5Tinsert(type, "name", HOFFSET(named, name), text));
    CHECK_H5(H5Tinsert(type, "value", HOFFSET(named, value), H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(type, "list", HOFFSET(named, list), list));
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Tclose(list));
    return type;
}

static void plain_elements_take_up_what_they_take_up_in_memory(void)
{
    const int32_t number = 7;

    expect_sound(CHECK_H5(H5Tcopy(H5T_STD_I32BE)), &number);
    expect_sound(text_type(5), "four");
}

static void elements_of_variable_length_take_up_sixteen_bytes(void)
{
    const char *text = "a fill";

    expect_sound(text_type(H5T_VARIABLE), &text);
    expect_sound(CHECK_H5(H5Tvlen_create(H5T_STD_I16LE)), NULL);
}

static void members_of_compounds_and_arrays_are_counted_one_by_one(void)
{
    const named fill = {(char[]){"a fill"}, 1.5, {0, NULL}};
    const hid_t text = text_type(H5T_VARIABLE);
    const hid_t inner = named_type();

    expect_sound(named_type(), NULL);
    expect_sound(named_type(), &fill);
    expect_sound(CHECK_H5(H5Tarray_create2(text, 1, &(hsize_t){3})), NULL);
    expect_sound(CHECK_H5(H5Tarray_create2(inner, 2, (hsize_t[]){2, 2})), NULL);
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Tclose(inner));
}

/* One chunk of ten integers, deflated; `n` of them are there. */
static stoa_status check_deflated(int n)
{
    const int32_t values[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const hsize_t extent = 10;
    const hsize_t zero = 0;
    uint8_t packed[256];
    uLongf size = sizeof packed;
    const hid_t file = memory_file("guard.h5", false);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, NULL));
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    hid_t dataset = H5I_INVALID_HID;

    CHECK_H5(H5Pset_chunk(plist, 1, &extent));
    CHECK_H5(H5Pset_deflate(plist, 6));
    dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    CHECK(compress2(packed, &size, (const Bytef *)values, (uLong)n * sizeof *values, 6) == Z_OK);
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &zero, size, packed));
    const stoa_status status = stoa_chunks_check(dataset, NULL);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(plist));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    return status;
}

static void a_chunk_that_unpacks_too_short_is_found(void)
{
    CHECK_OK(check_deflated(10));
    CHECK_STATUS(STOA_EDATA, check_deflated(9));
}

/* The bytes of a file with a list of numbers in an attribute, its datatype changed from a sequence
 * (the low half of the type's second byte: 0) to something that HDF5 does not have. */
static size_t file_with_unknown_list(uint8_t **bytes)
{
    static const uint8_t sequence[] = {0x19, 0, 0, 0, 16, 0, 0, 0};
    const hid_t file = damage_new_file();
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_STD_I16LE));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(file, "list", type, space, H5P_DEFAULT, H5P_DEFAULT));
    size_t n_changed = 0;

    CHECK_H5(H5Awrite(attribute, type, &(hvl_t){2, (int16_t[]){1, 2}}));
    CHECK(stoa_type_is_sound(type));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    const size_t n = damage_take_image(file, bytes);
    for (size_t at = 0; at + sizeof sequence <= n; at++) {
        if (memcmp(*bytes + at, sequence, sizeof sequence) == 0) {
            (*bytes)[at + 1] = 5;
            n_changed++;
        }
    }
    CHECK_U64(n_changed, 1);
    return n;
}

static void a_list_of_no_kind_is_refused(void)
{
    uint8_t *bytes = NULL;
    const size_t n = file_with_unknown_list(&bytes);
    const hid_t file = damage_open(bytes, n, H5F_ACC_RDONLY);
    stoa_kept kept = STOA_KEPT_INIT;
    stoa_error err = STOA_ERROR_INIT;

    CHECK(file >= 0);
    const stoa_status status = stoa_attribute_keep(file, "list", &kept, &err);
    CHECK(status != STOA_OK || kept.type < 0); /* libhdf5 2 does not see it at all */
    stoa_kept_clear(&kept);
    damage_close(file);
    free(bytes);
}

TEST_MAIN(TEST(a_list_of_no_kind_is_refused),
          TEST(plain_elements_take_up_what_they_take_up_in_memory),
          TEST(elements_of_variable_length_take_up_sixteen_bytes),
          TEST(members_of_compounds_and_arrays_are_counted_one_by_one),
          TEST(a_chunk_that_unpacks_too_short_is_found))
