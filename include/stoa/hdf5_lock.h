/** The lock that Stoa holds around its calls of libhdf5. */
#ifndef STOA_HDF5_LOCK_H
#define STOA_HDF5_LOCK_H

#include <stoa/error.h>

STOA_BEGIN_DECLS

/**
 * Take the lock of libhdf5, for calls of your own.
 *
 * Any number of threads may use Stoa, each with handles of its own: Stoa holds this lock around its
 * calls of libhdf5, and nowhere else. It never holds it while your code runs: visitors, listeners
 * and streams are called without it. A program whose threads also call libhdf5 themselves takes it
 * around these calls. The lock is recursive. Do not hold it while you wait for a thread that uses
 * Stoa, and give it back before a long call of Stoa, which others would wait for.
 *
 * What libhdf5 calls of yours is called within it: filters, drivers, the callbacks of your own
 * H5Literate2().
 *
 * Where libhdf5 was built to be thread-safe it has such a lock itself, and this one does nothing.
 */
STOA_API void stoa_hdf5_lock(void);

/** Give it back, once for each time that it was taken. */
STOA_API void stoa_hdf5_unlock(void);

STOA_END_DECLS

#endif
