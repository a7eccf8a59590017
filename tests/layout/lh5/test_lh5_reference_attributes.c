/* References from LH5 objects to others, in a file that they are copied to
 * (src/layout/lh5/write/reference_attributes.c). */
#include "layout/lh5/write/reference_attributes.h"

#include <stdlib.h>
#include <string.h>

#include <stoa/layout.h>

#include "hdf/metadata/attributes.h"
#include "support/memory_file.h"
#include "support/sweep.h"

static hid_t from = H5I_INVALID_HID;
static hid_t to = H5I_INVALID_HID;

static void put(hid_t object, const char *name, hid_t type, hsize_t n, const void *value)
{
    const hid_t space = CHECK_H5(n == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attribute, type, value));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

static hid_t new_group(hid_t file, const char *path)
{
    return CHECK_H5(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

/* /a refers to /b: once, as a list, in the new type, and to nothing. The copy has just /a, with
 * what a plain copy of these would be. */
static void begin(void)
{
    hobj_ref_t old[2] = {0, 0};
    H5R_ref_t new;
    const hobj_ref_t none = 0;

    from = memory_file("lh5-pointing-from", false);
    to = memory_file("lh5-pointing-to", false);
    const hid_t a = new_group(from, "a");
    const hid_t b = new_group(from, "b");
    const hid_t copy = new_group(to, "a");
    CHECK_H5(H5Rcreate(&old[0], from, "/b", H5R_OBJECT, H5I_INVALID_HID));
    CHECK_H5(H5Rcreate_object(from, "/b", H5P_DEFAULT, &new));
    put(a, "one", H5T_STD_REF_OBJ, 0, old);
    put(a, "list", H5T_STD_REF_OBJ, 2, old);
    put(a, "new", H5T_STD_REF, 0, &new);
    put(a, "none", H5T_STD_REF_OBJ, 0, &none);
    put(a, "number", H5T_STD_I32LE, 0, &(int32_t){7});
    put(copy, "one", H5T_STD_REF_OBJ, 0, &none);
    put(copy, "list", H5T_STD_REF_OBJ, 2, (hobj_ref_t[]){0, 0});
    put(copy, "none", H5T_STD_REF_OBJ, 0, &none);
    CHECK_H5(H5Rdestroy(&new));
    CHECK_H5(H5Gclose(copy));
    CHECK_H5(H5Gclose(b));
    CHECK_H5(H5Gclose(a));
}

static void end(void)
{
    CHECK_H5(H5Fclose(from));
    CHECK_H5(H5Fclose(to));
}

static stoa_status refer_again(stoa_error *err)
{
    const hid_t old = CHECK_H5(H5Gopen2(from, "/", H5P_DEFAULT));
    const hid_t copy = CHECK_H5(H5Gopen2(to, "/", H5P_DEFAULT));
    const stoa_status status = stoa_lh5_refer_again(old, copy, err);

    CHECK_H5(H5Gclose(copy));
    CHECK_H5(H5Gclose(old));
    return status;
}

static bool has(const char *name)
{
    return CHECK_H5(H5Aexists_by_name(to, "/a", name, H5P_DEFAULT)) > 0;
}

static void the_path_is_told_of_one_reference_to_an_object_alone(void)
{
    static const char *const others[] = {"list", "new", "none", "number", "nowhere"};
    stoa_error err = STOA_ERROR_INIT;
    char *path = NULL;
    bool is_one = false;

    begin();
    const hid_t a = CHECK_H5(H5Gopen2(from, "a", H5P_DEFAULT));
    CHECK_OK(stoa_lh5_referred(a, "one", &path, &err), &err);
    CHECK_STR(path, "/b");
    free(path);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK_OK(stoa_lh5_referred(a, others[i], &path, &err), &err);
        CHECK(path == NULL);
    }
    CHECK(stoa_lh5_refers(a, "one", &is_one) && is_one);
    CHECK(stoa_lh5_refers(a, "list", &is_one) && !is_one);
    CHECK(stoa_lh5_refers(a, "new", &is_one) && !is_one);
    CHECK(!stoa_lh5_refers(a, "number", &is_one) && !is_one);
    CHECK_H5(H5Gclose(a));
    end();
}

static void see_lost(void *context, const char *path, const char *attribute, const char *target)
{
    char *const seen = context;

    (void)strcat(strcat(strcat(seen, path), " "), attribute);
    (void)strcat(strcat(seen, " "), target);
}

static void references_wait_until_there_is_what_they_are_to(void)
{
    stoa_error err = STOA_ERROR_INIT;
    char lost[100] = "";
    char *path = NULL;

    begin();
    CHECK_OK(refer_again(&err), &err);
    CHECK(has("stoa_lh5_reference.one"));
    CHECK(!has("one") && !has("list") && !has("none"));
    CHECK(!has("stoa_lh5_reference.list") && !has("stoa_lh5_reference.none"));

    CHECK_OK(stoa_lh5_point(to, "/", see_lost, lost, &err), &err);
    CHECK_STR(lost, "/a one /b");
    CHECK(has("stoa_lh5_reference.one") && !has("one"));

    CHECK_H5(H5Gclose(new_group(to, "b")));
    CHECK_OK(stoa_lh5_point(to, "/a", see_lost, lost, &err), &err);
    CHECK_STR(lost, "/a one /b");
    CHECK(!has("stoa_lh5_reference.one"));
    const hid_t a = CHECK_H5(H5Gopen2(to, "a", H5P_DEFAULT));
    CHECK_OK(stoa_lh5_referred(a, "one", &path, &err), &err);
    CHECK_STR(path, "/b");
    free(path);
    CHECK_H5(H5Gclose(a));
    end();
}

/* Texts that wait are anybody's. */
static void what_is_no_path_from_the_root_waits_on(void)
{
    static const char *const texts[] = {"a", "", "reference \"/a\"", "/nowhere"};
    stoa_error err = STOA_ERROR_INIT;

    begin();
    const hid_t a = CHECK_H5(H5Gopen2(to, "a", H5P_DEFAULT));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char lost[100] = "";
        CHECK_OK(stoa_attribute_write_utf8(a, "stoa_lh5_reference.x", texts[i], &err), &err);
        CHECK_OK(stoa_lh5_point(to, "/a", see_lost, lost, &err), &err);
        CHECK(strncmp(lost, "/a x ", 5) == 0);
        CHECK_STR(lost + 5, texts[i]);
        CHECK(!has("x"));
    }
    CHECK_OK(stoa_attribute_write_utf8(a, "stoa_lh5_reference.units", "/a", &err), &err);
    CHECK_OK(stoa_attribute_write_utf8(a, "stoa_lh5_reference.datatype", "/a", &err), &err);
    CHECK_OK(stoa_lh5_point(to, "/a", NULL, NULL, &err), &err);
    CHECK(!has("units") && !has("datatype"));
    CHECK_H5(H5Gclose(a));
    end();
}

static stoa_status everything(stoa_error *err)
{
    STOA_RETURN_NOT_OK(refer_again(err));
    return stoa_lh5_point(to, "/", NULL, NULL, err);
}

static void memory_that_runs_out_is_told(void)
{
    begin();
    CHECK_H5(H5Gclose(new_group(to, "b")));
    CHECK(sweep_memory(everything) > 10);
    CHECK(has("one"));
    end();
}

TEST_MAIN(TEST(the_path_is_told_of_one_reference_to_an_object_alone),
          TEST(references_wait_until_there_is_what_they_are_to),
          TEST(what_is_no_path_from_the_root_waits_on), TEST(memory_that_runs_out_is_told))
