/** The lock that Stoa holds around its calls of libhdf5. */
#ifndef STOA_HDF5_LOCK_H
#define STOA_HDF5_LOCK_H

#include <stoa/error.h>

STOA_BEGIN_DECLS

/**
 * Lock libhdf5, for calls of your own.
 *
 * Any number of threads may use Stoa, each with handles of its own. Stoa holds this lock around its
 * calls of libhdf5, and nowhere else. It never holds it while your code runs: visitors, listeners
 * and streams are called without it. If threads of your program call libhdf5 themselves, hold the
 * lock around these calls. The lock is recursive. Do not hold it while you wait for a thread that
 * uses Stoa. Release it before a long call of Stoa, because other threads would wait.
 *
 * Code of yours that libhdf5 calls runs while the lock is held: filters, drivers, the callbacks of
 * your own H5Literate2().
 *
 * A libhdf5 that was built thread-safe has such a lock of its own; then this call does nothing.
 */
STOA_API void stoa_hdf5_lock(void);

/** Unlock libhdf5, once for each stoa_hdf5_lock(). */
STOA_API void stoa_hdf5_unlock(void);

STOA_END_DECLS

#endif
