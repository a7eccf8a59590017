#include "foreign.h"

#include <string.h>

#include "support/check.h"

void foreign_put(hid_t object, const char *name, hid_t type, const void *value)
{
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attr = CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attr, type, value));
    CHECK_H5(H5Aclose(attr));
    CHECK_H5(H5Sclose(space));
}

void foreign_put_ascii(hid_t object, const char *name, const char *text)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, strlen(text) + 1));
    foreign_put(object, name, type, text);
    CHECK_H5(H5Tclose(type));
}
