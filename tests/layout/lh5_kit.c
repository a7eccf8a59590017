/* See lh5_kit.h. */
#include "layout/lh5_kit.h"

#include "support/check.h"

void lh5_say(hid_t object, const char *name, const char *text)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    const hid_t made = CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(made, type, &text));
    CHECK_H5(H5Aclose(made));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

void lh5_group(hid_t file, const char *path, const char *datatype)
{
    const hid_t made = CHECK_H5(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    lh5_say(made, "datatype", datatype);
    CHECK_H5(H5Gclose(made));
}

void lh5_put(hid_t file, const char *path, const char *datatype, hid_t type, hsize_t n,
             const void *values)
{
    const hid_t space = CHECK_H5(n > 0 ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR));
    const hid_t set =
        CHECK_H5(H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    lh5_say(set, "datatype", datatype);
    CHECK_H5(H5Dclose(set));
    CHECK_H5(H5Sclose(space));
}
