/* How a call of the RFC's API (stoa/h5sparse.h) returns: as calls of HDF5 do. */
#ifndef STOA_SPARSE_FORMAT_RFC_RESULT_H
#define STOA_SPARSE_FORMAT_RFC_RESULT_H

#include "core/error.h"
#include "hdf/ids.h"

/* The return value of an HDF5 function: >= 0, or -1 with the error pushed onto libhdf5's error
 * stack. The stack is printed as the program has configured it. */
herr_t stoa_rfc_result(stoa_status status, const stoa_error *err);

#endif
