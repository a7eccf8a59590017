/* Attributes kept and put back, or copied: src/hdf/metadata/saved_attribute.c. */
#include "hdf/metadata/saved_attribute.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "support/check.h"
#include "support/damage.h"
#include "support/memory_file.h"
#include "support/sweep.h"

static void put_number(hid_t object, const char *name, int32_t value)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(
        stoa_attribute_write_scalar(object, name, H5T_STD_I32BE, H5T_NATIVE_INT32, &value, &err),
        &err);
}

static int64_t number_of(hid_t object, const char *name)
{
    int64_t value = -1;
    bool found = false;

    CHECK_OK(stoa_attribute_read_number(object, name, &value, &found, NULL));
    return found ? value : -1;
}

/* A list of texts, one of them empty. */
static void put_texts(hid_t object, const char *name)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){3}, NULL));
    const char *texts[] = {"one", "", "three"};

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, type, texts));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

static void check_texts(hid_t object, const char *name)
{
    char **values = NULL;
    size_t n = 0;

    CHECK_OK(stoa_attribute_read_names(object, name, &values, &n, NULL));
    CHECK_U64(n, 3);
    CHECK_STR(values[0], "one");
    CHECK_STR(values[1], "");
    CHECK_STR(values[2], "three");
    free(values);
}

static void put_empty(hid_t object, const char *name)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){0}, NULL));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, H5T_STD_I16LE, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

static hid_t make_group(hid_t file, const char *name)
{
    return CHECK_H5(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void what_was_kept_is_put_back_as_it_was(void)
{
    const hid_t file = memory_file("kept.h5", false);
    stoa_error err = STOA_ERROR_INIT;
    static const char *const names[] = {"number", "texts", "empty", "none"};

    put_number(file, "number", 7);
    put_texts(file, "texts");
    put_empty(file, "empty");
    for (size_t i = 0; i < 4; i++) {
        stoa_saved_attribute kept = STOA_SAVED_ATTRIBUTE_INIT;
        CHECK_OK(stoa_attribute_save(file, names[i], &kept, &err), &err);
        CHECK((kept.type < 0) == (i == 3));
        CHECK((kept.value == NULL) == (i >= 2));
        put_number(file, names[i], 8); /* meanwhile */
        CHECK_OK(stoa_attribute_put_back(file, names[i], &kept, &err), &err);
        stoa_saved_attribute_clear(&kept);
        CHECK(kept.type < 0 && kept.space < 0 && kept.value == NULL);
    }
    CHECK_I64(number_of(file, "number"), 7);
    check_texts(file, "texts");
    CHECK(!stoa_attribute_exists(file, "none"));
    const hid_t attribute = CHECK_H5(H5Aopen(file, "empty", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(attribute));
    CHECK_U64(H5Aget_storage_size(attribute), 0);
    CHECK(H5Tequal(type, H5T_STD_I16LE) > 0);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Fclose(file));
}

static void all_but_those_that_are_excepted_are_copied(void)
{
    static const char *const except[] = {"b", "d", NULL};

    for (int is_lax = 0; is_lax < 2; is_lax++) {
        const hid_t file = memory_file("kept.h5", false);
        const hid_t from = make_group(file, "from");
        const hid_t to = make_group(file, "to");
        stoa_error err = STOA_ERROR_INIT;

        put_number(from, "a", 1);
        put_number(from, "b", 2);
        put_texts(from, "c");
        put_number(from, "d", 4);
        put_number(from, "e", 5);
        put_number(to, "a", 9); /* it takes its place */
        put_number(to, "b", 9);
        CHECK_OK(
            (is_lax ? stoa_attributes_copy_readable : stoa_attributes_copy)(from, to, except, &err),
            &err);
        CHECK_I64(number_of(to, "a"), 1);
        CHECK_I64(number_of(to, "b"), 9);
        CHECK_I64(number_of(to, "e"), 5);
        check_texts(to, "c");
        CHECK(!stoa_attribute_exists(to, "d"));
        CHECK_STATUS(STOA_EHDF5, stoa_attributes_copy(-1, to, except, &err), &err);
        CHECK_CONTAINS(err.message, "cannot list the attributes");
        CHECK_H5(H5Gclose(to));
        CHECK_H5(H5Gclose(from));
        CHECK_H5(H5Fclose(file));
    }
}

/* A list's items lie in a heap; its address becomes one past the end of the file. */
static hid_t open_damaged(uint8_t **bytes)
{
    const hid_t file = damage_new_file();
    const hid_t type = CHECK_H5(H5Tvlen_create(H5T_STD_I32LE));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t from = make_group(file, "from");
    int32_t items[] = {1, 2, 3};
    size_t n_changed = 0;

    put_number(from, "a", 1);
    put_number(from, "z", 26);
    const hid_t attribute =
        CHECK_H5(H5Acreate2(from, "list", type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, type, &(hvl_t){3, items}));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Gclose(from));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    const size_t n = damage_take_image(file, bytes);
    for (size_t at = 0; at + 4 <= n; at++) {
        if (memcmp(*bytes + at, "GCOL", 4) == 0) {
            memset(*bytes + at, 'x', 4);
            n_changed++;
        }
    }
    CHECK_U64(n_changed, 1);
    const hid_t again = damage_open(*bytes, n, H5F_ACC_RDWR);
    CHECK(again >= 0);
    return again;
}

static void one_that_cannot_be_read_is_an_error_or_stays_behind(void)
{
    uint8_t *bytes = NULL;
    const hid_t file = open_damaged(&bytes);
    const hid_t from = CHECK_H5(H5Gopen2(file, "from", H5P_DEFAULT));
    const hid_t to = make_group(file, "to");
    static const char *const except[] = {NULL};
    stoa_saved_attribute kept = STOA_SAVED_ATTRIBUTE_INIT;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_EHDF5, stoa_attribute_save(from, "list", &kept, &err), &err);
    CHECK_CONTAINS(err.message, "cannot read attribute 'list'");
    CHECK(kept.value == NULL);
    stoa_saved_attribute_clear(&kept);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EHDF5, stoa_attributes_copy(from, to, except, &err), &err);
    CHECK_CONTAINS(err.message, "cannot read attribute 'list'");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_OK(stoa_attributes_copy_readable(from, to, except, &err), &err);
    CHECK_STR(err.message, "");
    CHECK_I64(number_of(to, "a"), 1);
    CHECK_I64(number_of(to, "z"), 26);
    CHECK(!stoa_attribute_exists(to, "list"));
    CHECK_H5(H5Gclose(to));
    CHECK_H5(H5Gclose(from));
    damage_close(file);
    free(bytes);
}

static stoa_status copy_one(stoa_error *err)
{
    const hid_t file = memory_file("swept.h5", false);
    const hid_t from = make_group(file, "from");
    const hid_t to = make_group(file, "to");
    static const char *const except[] = {NULL};

    stoa_memory_fail_after(UINT64_MAX);
    put_number(from, "a", 1);
    stoa_memory_fail_after(0);
    const stoa_status status = stoa_attributes_copy_readable(from, to, except, err);
    stoa_memory_fail_after(UINT64_MAX);
    CHECK_H5(H5Gclose(to));
    CHECK_H5(H5Gclose(from));
    CHECK_H5(H5Fclose(file));
    return status;
}

/* What cannot be read stays behind; what memory was lacking for does not. */
static void memory_may_run_out(void)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(STOA_ENOMEM, copy_one(&err), &err);
}

TEST_MAIN(TEST(what_was_kept_is_put_back_as_it_was),
          TEST(all_but_those_that_are_excepted_are_copied),
          TEST(one_that_cannot_be_read_is_an_error_or_stays_behind), TEST(memory_may_run_out))
