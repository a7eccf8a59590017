/* A number in a file, as its attribute "value", which tests of whole edits write and check. */
#ifndef STOA_TESTS_VALUE_H
#define STOA_TESTS_VALUE_H

#include <hdf5.h>

#include "support/check.h"

static inline void put_value(hid_t file, int value)
{
    const hid_t scalar = (hid_t)CHECK_H5(H5Screate(H5S_SCALAR));

    if (CHECK_H5(H5Aexists(file, "value")) > 0) {
        CHECK_H5(H5Adelete(file, "value"));
    }
    const hid_t attribute =
        (hid_t)CHECK_H5(H5Acreate2(file, "value", H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_INT, &value));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(scalar));
}

static inline int get_value(hid_t file)
{
    int value = -1;
    const hid_t attribute = (hid_t)CHECK_H5(H5Aopen(file, "value", H5P_DEFAULT));

    CHECK_H5(H5Aread(attribute, H5T_NATIVE_INT, &value));
    CHECK_H5(H5Aclose(attribute));
    return value;
}

#endif
