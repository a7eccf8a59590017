/*
 * Stoa: columnar tables that live inside HDF5 files.
 *
 * This header is all of the public API. Rules that hold everywhere:
 *
 * - A call that can fail returns stoa_status and fills a caller-owned stoa_error (NULL is allowed).
 * - What arrives through an out parameter is the caller's to release; what is returned directly
 *   is borrowed from its parent. Out parameters are NULL (or, for Arrow
 *   structs, have release == NULL) after a failure.
 * - Calls that end in _close end a handle and return nothing; NULL is fine. What must be written is
 *   written by _commit or _flush, which say whether it was. stoa_free() releases texts.
 * - Names of objects are UTF-8. Option structs are initialised by their *_INIT macro.
 * - Any number of threads may use the library, each with handles of its own. One thread at a time
 *   uses a handle and what was opened through it. That holds for every libhdf5: hdf5_lock.h has the
 *   lock that the library holds around its calls, for programs that call libhdf5 themselves.
 * - Visitors, listeners and streams of the caller are never called within that lock.
 * - The library prints nothing, installs no signal handler and leaves libhdf5's error stack
 *   settings as it found them.
 */
#ifndef STOA_STOA_H
#define STOA_STOA_H

#define STOA_VERSION_MAJOR 0
#define STOA_VERSION_MINOR 2
#define STOA_VERSION_PATCH 0
#define STOA_VERSION "0.2.0"
/* What this header is of; stoa_version_number() says what the library is. */
#define STOA_VERSION_NUMBER                                                                        \
    (STOA_VERSION_MAJOR * 10000 + STOA_VERSION_MINOR * 100 + STOA_VERSION_PATCH)

#include <stoa/anndata.h>
#include <stoa/arkouda.h>
#include <stoa/arrays.h>
#include <stoa/arrow.h>
#include <stoa/check.h>
#include <stoa/column.h>
#include <stoa/csv.h>
#include <stoa/edit.h>
#include <stoa/error.h>
#include <stoa/export.h>
#include <stoa/file.h>
#include <stoa/hdf5_lock.h>
#include <stoa/index.h>
#include <stoa/layout.h>
#include <stoa/matrix_group.h>
#include <stoa/memory.h>
#include <stoa/parameter.h>
#include <stoa/place.h>
#include <stoa/progress.h>
#include <stoa/query.h>
#include <stoa/sparse.h>
#include <stoa/sparse_arrow.h>
#include <stoa/sparse_matrix.h>
#include <stoa/table.h>
#include <stoa/version.h>

#endif
