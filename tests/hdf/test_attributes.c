/* Attributes that are larger than the earliest format's headers, and copies of them
 * (src/hdf/attributes.c, src/hdf/kept.c). */
#include "hdf/attributes.h"

#include "support/check.h"

enum { N = 10000 }; /* float64: 80000 bytes */

/* A file of format versions from `least` on, in memory. */
static hid_t make_file(const char *name, H5F_libver_t least)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_H5(H5Pset_fapl_core(fapl, 1 << 16, false));
    CHECK_H5(H5Pset_libver_bounds(fapl, least, H5F_LIBVER_LATEST));
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

static stoa_status make_large(hid_t object, hsize_t n, stoa_error *err)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    hid_t attribute = H5I_INVALID_HID;
    const stoa_status status =
        stoa_attribute_make(object, "wave", H5T_IEEE_F64LE, space, &attribute, err);

    CHECK(status == STOA_OK ? attribute >= 0 : attribute < 0);
    if (attribute >= 0) {
        CHECK_H5(H5Aclose(attribute));
    }
    CHECK_H5(H5Sclose(space));
    return status;
}

static void one_that_the_earliest_format_has_no_room_for_is_refused_by_name(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t old = make_file("old.h5", H5F_LIBVER_EARLIEST);
    const hid_t group = CHECK_H5(H5Gcreate2(old, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_STATUS(STOA_ERANGE, make_large(group, N, &err));
    CHECK_CONTAINS(err.message, "attribute 'wave' of /run takes 80000 bytes");
    CHECK_CONTAINS(err.message, "less than 64 KiB");
    CHECK_CONTAINS(err.message, "libver='v108'");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_OK(make_large(group, 8000, &err), &err);
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(old));
}

static void objects_of_later_formats_have_room(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t new = make_file("new.h5", H5F_LIBVER_V18);

    CHECK_OK(make_large(new, N, &err), &err);
    CHECK_H5(H5Fclose(new));
}

static void a_copy_into_the_earliest_format_says_so_too(void)
{
    static const char *const none[] = {NULL};
    static const char *const wave[] = {"wave", NULL};
    stoa_error err = STOA_ERROR_INIT;
    const hid_t new = make_file("new.h5", H5F_LIBVER_V18);
    const hid_t old = make_file("old.h5", H5F_LIBVER_EARLIEST);

    CHECK_OK(make_large(new, N, &err), &err);
    CHECK_OK(stoa_attribute_write_utf8(new, "units", "keV", &err), &err);
    CHECK_OK(stoa_attributes_copy(new, old, wave, &err), &err);
    CHECK(stoa_attribute_is(old, "units", "keV"));
    CHECK_STATUS(STOA_ERANGE, stoa_attributes_copy(new, old, none, &err));
    CHECK_CONTAINS(err.message, "attribute 'wave' of / takes 80000 bytes");
    CHECK(!stoa_attribute_exists(old, "wave"));
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_ERANGE, stoa_attributes_copy_readable(new, old, none, &err));
    CHECK_H5(H5Fclose(old));
    CHECK_H5(H5Fclose(new));
}

TEST_MAIN(TEST(one_that_the_earliest_format_has_no_room_for_is_refused_by_name),
          TEST(objects_of_later_formats_have_room),
          TEST(a_copy_into_the_earliest_format_says_so_too))
