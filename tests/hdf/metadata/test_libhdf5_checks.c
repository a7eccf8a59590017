/* What elements take up in a file: src/hdf/metadata/libhdf5_checks.c. */
#include "hdf/metadata/libhdf5_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/saved_attribute.h"
#include "support/check.h"
#include "support/damage.h"
#include "support/memory_file.h"
#include "support/sweep.h"

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
    stoa_saved_attribute kept = STOA_SAVED_ATTRIBUTE_INIT;
    stoa_error err = STOA_ERROR_INIT;

    CHECK(file >= 0);
    const stoa_status status = stoa_attribute_save(file, "list", &kept, &err);
    CHECK(status != STOA_OK || kept.type < 0); /* libhdf5 2 does not see it at all */
    stoa_saved_attribute_clear(&kept);
    damage_close(file);
    free(bytes);
}

/* --- types ----------------------------------------------------------------------------------- */

static hid_t pair_of(hid_t a, hid_t b)
{
    const size_t at = H5Tget_size(a);
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, at + H5Tget_size(b)));

    CHECK_H5(H5Tinsert(type, "a", 0, a));
    CHECK_H5(H5Tinsert(type, "b", at, b));
    return type;
}

/* Takes the type. */
static void check_type(hid_t type, bool is_plain, bool is_flat, size_t stored)
{
    CHECK(stoa_type_is_plain(type) == is_plain);
    CHECK(stoa_type_is_flat(type) == is_flat);
    CHECK(stoa_type_is_sound(type));
    CHECK_U64(stoa_stored_size(type), stored);
    CHECK_H5(H5Tclose(type));
}

static void types_are_plain_flat_or_neither(void)
{
    const hid_t text = text_type(H5T_VARIABLE);
    const hid_t list = CHECK_H5(H5Tvlen_create(H5T_STD_I16LE));
    const hid_t flat = pair_of(H5T_STD_I16LE, H5T_IEEE_F64LE);
    const hid_t mixed = pair_of(H5T_STD_I16LE, text);
    const hid_t first = pair_of(list, H5T_STD_I16LE);

    check_type(CHECK_H5(H5Tcopy(H5T_STD_I32BE)), true, true, 4);
    check_type(CHECK_H5(H5Tcopy(H5T_IEEE_F64LE)), true, true, 8);
    check_type(CHECK_H5(H5Tcopy(H5T_STD_B16LE)), true, true, 2);
    check_type(CHECK_H5(H5Tcreate(H5T_OPAQUE, 7)), true, true, 7);
    check_type(CHECK_H5(H5Tenum_create(H5T_STD_I8LE)), true, true, 1);
    check_type(text_type(9), true, true, 9);
    check_type(CHECK_H5(H5Tcopy(H5T_UNIX_D32LE)), false, true, 4);
    check_type(CHECK_H5(H5Tcopy(H5T_STD_REF_OBJ)), false, false, 8);
    check_type(CHECK_H5(H5Tcopy(H5T_STD_REF)), false, false, 18);
    check_type(CHECK_H5(H5Tcopy(text)), false, false, 16);
    check_type(CHECK_H5(H5Tcopy(list)), false, false, 16);
    check_type(CHECK_H5(H5Tcopy(flat)), false, true, 10);
    check_type(CHECK_H5(H5Tcopy(mixed)), false, false, 18);
    check_type(CHECK_H5(H5Tcopy(first)), false, false, 18);
    check_type(pair_of(flat, H5T_UNIX_D64BE), false, true, 18);
    check_type(pair_of(flat, mixed), false, false, 28);
    check_type(pair_of(mixed, flat), false, false, 28);
    check_type(pair_of(H5T_STD_REF, H5T_STD_I16LE), false, false, 20);
    check_type(CHECK_H5(H5Tarray_create2(flat, 2, (hsize_t[]){2, 3})), false, true, 60);
    check_type(CHECK_H5(H5Tarray_create2(text, 1, (hsize_t[]){3})), false, false, 48);
    check_type(CHECK_H5(H5Tarray_create2(first, 1, (hsize_t[]){3})), false, false, 54);
    check_type(CHECK_H5(H5Tcreate(H5T_COMPOUND, 5)), false, false, 5); /* of no fields */
    CHECK_H5(H5Tclose(first));
    CHECK_H5(H5Tclose(mixed));
    CHECK_H5(H5Tclose(flat));
    CHECK_H5(H5Tclose(list));
    CHECK_H5(H5Tclose(text));
}

/* The message behind a kind and a version: class and bits (4 bytes), size (4), offset and precision
 * (2 each), and of a float where its exponent and its mantissa are, and of how many bits. */
static void a_number_has_bytes_for_its_bits(void)
{
    static const struct {
        bool is_float;
        size_t at;
        uint8_t value;
    } faults[] = {{false, 10, 1},  {true, 10, 1},   {false, 12, 33},
                  {true, 12, 33},  {true, 14, 255}, {true, 15, 255},
                  {true, 16, 255}, {true, 17, 255}, {true, 4, 32}};

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const hid_t whole = faults[i].is_float ? H5T_IEEE_F32LE : H5T_STD_I32LE;
        uint8_t encoded[256];
        size_t n = sizeof encoded;
        CHECK_H5(H5Tencode(whole, encoded, &n));
        CHECK(stoa_type_is_sound(whole));
        encoded[faults[i].at] = faults[i].value;
        const stoa_error_stack errors = stoa_error_stack_begin();
#if H5_VERSION_GE(2, 0, 0)
        const hid_t type = H5Tdecode2(encoded, n);
#else
        const hid_t type = H5Tdecode(encoded);
#endif
        stoa_error_stack_end(&errors);
        CHECK(type < 0 || !stoa_type_is_sound(type)); /* some libhdf5 itself refuses */
        CHECK(type < 0 || H5Tclose(type) >= 0);
    }
}

static void a_type_is_flat_down_to_32_levels(void)
{
    hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I8LE));

    for (int depth = 1; depth <= 33; depth++) {
        const hid_t outer = CHECK_H5(H5Tarray_create2(type, 1, &(hsize_t){1}));
        CHECK_H5(H5Tclose(type));
        type = outer;
        CHECK(stoa_type_is_flat(type) == (depth <= 32));
    }
    CHECK_H5(H5Tclose(type));
}

/* What is encoded of a type of many fields is more than a few bytes. */
static void types_of_any_length_are_looked_into(void)
{
    const hid_t list = CHECK_H5(H5Tvlen_create(H5T_STD_I16LE));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 100 * sizeof(hvl_t)));

    for (size_t i = 0; i < 100; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "field %zu", i);
        CHECK_H5(H5Tinsert(type, name, i * sizeof(hvl_t), list));
    }
    const hid_t outer = CHECK_H5(H5Tvlen_create(type));
    CHECK(stoa_type_is_sound(type) && stoa_type_is_sound(outer));
    stoa_memory_fail_after(0);
    const bool is_sound = stoa_type_is_sound(outer);
    stoa_memory_fail_after(UINT64_MAX);
    CHECK(!is_sound); /* what cannot be looked at is not believed */
    CHECK_H5(H5Tclose(outer));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(list));
}

/* --- sizes ----------------------------------------------------------------------------------- */

/* The bytes of a fill value are unlike any others; before them is their number. */
static void a_fill_value_of_another_size_is_found(void)
{
    static const uint8_t fill[] = {0xde, 0xad, 0xbe, 0xef, 0xfa, 0xce, 0xca, 0xfe};

    for (uint8_t size = 1; size <= 8; size++) {
        hid_t file = damage_new_file();
        uint8_t *bytes = NULL;
        bool fits = false;
        size_t n_changed = 0;
        hid_t dataset = dataset_of(file, CHECK_H5(H5Tcreate(H5T_OPAQUE, 8)), fill);
        CHECK_H5(H5Dclose(dataset));
        const size_t n = damage_take_image(file, &bytes);
        for (size_t at = 8; at + 8 <= n; at++) {
            if (memcmp(bytes + at, fill, 8) == 0 && bytes[at - 4] == 8) {
                bytes[at - 4] = size;
                n_changed++;
            }
        }
        CHECK(n_changed == 1 || n_changed == 2); /* there is an old message of it, too */
        file = damage_open(bytes, n, H5F_ACC_RDONLY);
        dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        const hid_t plist = CHECK_H5(H5Dget_create_plist(dataset));
        const hid_t type = CHECK_H5(H5Dget_type(dataset));
        CHECK_OK(stoa_fill_fits(plist, type, &fits, NULL));
        CHECK(fits == (size == 8));
        CHECK_STATUS(fits ? STOA_OK : STOA_EDATA, stoa_chunks_check(dataset, NULL));
        CHECK_H5(H5Tclose(type));
        CHECK_H5(H5Pclose(plist));
        CHECK_H5(H5Dclose(dataset));
        damage_close(file);
        free(bytes);
    }
}

static void a_list_without_a_fill_value_fits_every_type(void)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    bool fits = false;

    CHECK_OK(stoa_fill_fits(plist, H5T_STD_I64LE, &fits, NULL));
    CHECK(fits);
    CHECK_H5(H5Pset_fill_value(plist, H5T_STD_I32LE, NULL));
    CHECK_OK(stoa_fill_fits(plist, H5T_STD_I64LE, &fits, NULL));
    CHECK(fits);
    CHECK_H5(H5Pset_fill_value(plist, H5T_STD_I32LE, &(int32_t){5}));
    CHECK_OK(stoa_fill_fits(plist, H5T_STD_I64LE, &fits, NULL));
    CHECK(!fits);
    CHECK_OK(stoa_fill_fits(plist, H5T_STD_I32BE, &fits, NULL));
    CHECK(fits);
    CHECK_H5(H5Pclose(plist));
}

static void a_mask_has_a_bit_for_each_filter(void)
{
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    for (unsigned n = 0; n <= 32; n++) {
        CHECK_U64(stoa_mask_of_all(plist), n == 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1);
        if (n < 32) {
            CHECK_H5(H5Pset_filter(plist, (H5Z_filter_t)(400 + n), H5Z_FLAG_OPTIONAL, 0, NULL));
        }
    }
    CHECK_H5(H5Pclose(plist));
}

static void only_unfiltered_chunks_have_a_length_that_is_known(void)
{
    static const struct {
        unsigned all, mask;
        uint64_t n_stored, chunk_bytes;
        bool fits;
    } cases[] = {{0, 0, 40, 40, true}, {0, 0, 39, 40, false}, {0, 0, 41, 40, false},
                 {0, 0, 39, 0, true},  {0, 0, 0, 40, false},  {0, 0, 0, 0, false},
                 {3, 0, 5, 40, true},  {3, 1, 5, 40, true},   {3, 2, 5, 40, true},
                 {3, 3, 5, 40, false}, {3, 3, 40, 40, true},  {3, 7, 39, 40, false},
                 {3, 0, 0, 40, false}, {3, 3, 5, 0, true}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(stoa_chunk_fits(cases[i].all, cases[i].mask, cases[i].n_stored,
                              cases[i].chunk_bytes) == cases[i].fits);
    }
}

/* Of each kind of value, and of files with short addresses: as many as it holds, and no more. */
static void an_attribute_has_the_bytes_of_its_values(void)
{
    for (size_t address = 4; address <= 8; address += 4) {
        const hid_t fcpl = CHECK_H5(H5Pcreate(H5P_FILE_CREATE));
        CHECK_H5(H5Pset_sizes(fcpl, address, address));
        const hid_t file =
            CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, fcpl, H5P_DEFAULT));
        const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){3}, NULL));
        const hid_t types[] = {CHECK_H5(H5Tcopy(H5T_STD_I32LE)), text_type(5),
                               CHECK_H5(H5Tcopy(H5T_STD_REF)),
                               pair_of(H5T_STD_I16LE, H5T_IEEE_F64LE)};
        for (size_t i = 0; i < 4; i++) {
            const char name[] = {(char)('a' + i), '\0'};
            const hid_t attribute =
                CHECK_H5(H5Acreate2(file, name, types[i], space, H5P_DEFAULT, H5P_DEFAULT));
            const hid_t type = CHECK_H5(H5Aget_type(attribute));
            CHECK(stoa_attribute_fits(attribute, type, 0));
            CHECK(stoa_attribute_fits(attribute, type, 3));
            CHECK(!stoa_attribute_fits(attribute, type, 4));
            CHECK_H5(H5Tclose(type));
            CHECK_H5(H5Aclose(attribute));
            CHECK_H5(H5Tclose(types[i]));
        }
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Fclose(file));
        CHECK_H5(H5Pclose(fcpl));
    }
}

static hid_t swept;

static stoa_status look_at_fill(stoa_error *err)
{
    bool fits = false;

    return stoa_fill_fits(swept, H5T_STD_I32LE, &fits, err);
}

static void memory_may_run_out(void)
{
    swept = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    CHECK_U64(sweep_memory(look_at_fill), 1);
    CHECK_H5(H5Pclose(swept));
}

TEST_MAIN(TEST(types_are_plain_flat_or_neither), TEST(a_number_has_bytes_for_its_bits),
          TEST(a_type_is_flat_down_to_32_levels), TEST(types_of_any_length_are_looked_into),
          TEST(a_fill_value_of_another_size_is_found),
          TEST(a_list_without_a_fill_value_fits_every_type), TEST(a_mask_has_a_bit_for_each_filter),
          TEST(only_unfiltered_chunks_have_a_length_that_is_known),
          TEST(an_attribute_has_the_bytes_of_its_values), TEST(memory_may_run_out),
          TEST(a_list_of_no_kind_is_refused),
          TEST(plain_elements_take_up_what_they_take_up_in_memory),
          TEST(elements_of_variable_length_take_up_sixteen_bytes),
          TEST(members_of_compounds_and_arrays_are_counted_one_by_one),
          TEST(a_chunk_that_unpacks_too_short_is_found))
