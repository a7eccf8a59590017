/*
 * Stoa: columnar tables that live inside HDF5 files.
 *
 * This header includes the whole public API, except h5sparse.h. Rules that hold everywhere:
 *
 * - A call that can fail returns stoa_status and fills a stoa_error that you own (NULL is allowed).
 * - You release what an out parameter returns. What a call returns directly is borrowed from its
 *   parent. After a failure, out parameters are NULL; Arrow structs have release == NULL.
 * - Calls that end in _close end a handle and return nothing; NULL is allowed. Changes are written
 *   by _commit or _flush, which report whether they were. stoa_free() releases texts.
 * - Names of objects are UTF-8. Initialise option structs with their *_INIT macro.
 * - Any number of threads may use the library, each with handles of its own. Only one thread at a
 *   time may use a handle and what was opened through it. That holds for every libhdf5. The library
 *   holds a lock around its calls of libhdf5; programs that call libhdf5 themselves find it in
 *   hdf5_lock.h.
 * - The library never holds that lock while it calls your visitors, listeners and streams.
 * - The library prints nothing, installs no signal handler and leaves libhdf5's error stack
 *   settings unchanged.
 */
#ifndef STOA_STOA_H
#define STOA_STOA_H

#define STOA_VERSION_MAJOR 0
#define STOA_VERSION_MINOR 2
#define STOA_VERSION_PATCH 0
#define STOA_VERSION "0.2.0"
/* The version of this header; stoa_version_number() returns that of the library. */
#define STOA_VERSION_NUMBER                                                                        \
    (STOA_VERSION_MAJOR * 10000 + STOA_VERSION_MINOR * 100 + STOA_VERSION_PATCH)

#include <stoa/anndata.h>
#include <stoa/arkouda.h>
#include <stoa/arrays.h>
#include <stoa/arrow.h>
#include <stoa/check.h>
#include <stoa/column.h>
#include <stoa/concat.h>
#include <stoa/csv.h>
#include <stoa/edit.h>
#include <stoa/error.h>
#include <stoa/export.h>
#include <stoa/file.h>
#include <stoa/hdf5_lock.h>
#include <stoa/index.h>
#include <stoa/jsonl.h>
#include <stoa/layout.h>
#include <stoa/matrix_group.h>
#include <stoa/memory.h>
#include <stoa/parameter.h>
#include <stoa/place.h>
#include <stoa/progress.h>
#include <stoa/query.h>
#include <stoa/revision.h>
#include <stoa/sparse.h>
#include <stoa/sparse_arrow.h>
#include <stoa/sparse_matrix.h>
#include <stoa/subset.h>
#include <stoa/table.h>
#include <stoa/version.h>

#endif
