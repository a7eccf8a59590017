/* Calls to HDF5, or with its conventions, that must fail. */
#ifndef STOA_TESTS_SPARSE_FAILS_H
#define STOA_TESTS_SPARSE_FAILS_H

#include <hdf5.h>

#include "support/check.h"

/* Check that a call fails. libhdf5 prints no errors. */
#define CHECK_FAILS(call)                                                                          \
    do {                                                                                           \
        long long result_ = 0;                                                                     \
        H5E_BEGIN_TRY                                                                              \
        {                                                                                          \
            result_ = (long long)(call);                                                           \
        }                                                                                          \
        H5E_END_TRY                                                                                \
        CHECK_I64(result_ < 0, 1);                                                                 \
    } while (0)

#endif
