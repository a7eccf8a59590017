/*
 * HDF5 ids: opened as H5I_INVALID_HID, closed once, in silence.
 *
 * Stoa never changes libhdf5's error printing for longer than one call: STOA_HDF switches the
 * automatic printing off around the call and turns a failure into one line with libhdf5's own
 * words.
 */
#ifndef STOA_HDF_IDS_H
#define STOA_HDF_IDS_H

#include <stdbool.h>

#include "core/error.h"
#include "hdf/hdf5.h"

/* Silence for a stretch of calls, which holds the lock of libhdf5 (hdf5.h), so that the error stack
 * is this thread's: `const stoa_quiet q = stoa_quiet_begin(); ...; stoa_quiet_end(&q);`. Short, and
 * nothing of a caller's runs within it: a visitor, a listener, a stream. One in another switches
 * nothing. */
stoa_quiet stoa_quiet_begin(void);
void stoa_quiet_end(const stoa_quiet *quiet);
/* The same where nobody asks why something failed: clears libhdf5's stack. */
void stoa_quiet_drop(const stoa_quiet *quiet);

/* Silence for work that calls visitors, or is long: libhdf5 is kept from printing during each call
 * of this thread, which holds the lock for itself. Why one failed is known only within a quiet. */
void stoa_silence_begin(void);
void stoa_silence_end(void);

/* Fill `err` with the message and libhdf5's deepest description; clears libhdf5's stack. Within the
 * silence of the call that failed: after it, the description may be of another thread's call. */
stoa_status stoa_hdf_fail(stoa_error *err, const char *format, ...) STOA_PRINTF(2, 3);

/* STOA_HDF(err, call, "open '%s'", name): leave by `done` if the call returns a negative value. The
 * message reads "cannot open 'x': <libhdf5's words>". Assignments are fine inside `call`. */
#define STOA_HDF(err, call, ...)                                                                   \
    do {                                                                                           \
        const stoa_quiet quiet_ = stoa_quiet_begin();                                              \
        const bool failed_ = (call) < 0;                                                           \
        if (failed_) {                                                                             \
            status = stoa_hdf_fail(err, __VA_ARGS__);                                              \
        }                                                                                          \
        stoa_quiet_end(&quiet_);                                                                   \
        if (failed_) {                                                                             \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* STOA_RETURN_HDF_ERROR(err, call, "open '%s'", name): the same for functions that own nothing at
 * that point: they return the failure. */
#define STOA_RETURN_HDF_ERROR(err, call, ...)                                                      \
    do {                                                                                           \
        const stoa_quiet quiet_ = stoa_quiet_begin();                                              \
        const stoa_status status_ = (call) < 0 ? stoa_hdf_fail(err, __VA_ARGS__) : STOA_OK;        \
        stoa_quiet_end(&quiet_);                                                                   \
        if (status_ != STOA_OK) {                                                                  \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

/* What H5Iget_name() or H5Fget_name() says of an object, "" if nothing; fresh (free()), NULL when
 * memory runs out. */
char *stoa_hdf_name(hid_t object, ssize_t (*get)(hid_t, char *, size_t));

/* Close an id of any kind and set it to H5I_INVALID_HID. A close that fails after success is a
 * failure (HDF5 may write cached chunks there): returns the first error. */
stoa_status stoa_hdf_close(hid_t *id, stoa_status status, stoa_error *err);

/* --- by what elsewhere.h says of other files (elsewhere.c, elsewhere_paths.c) ---------------- */

/* H5Fflush(), of a file that a program opened itself. In one that Stoa opened nothing counts before
 * the commit, which flushes once: each flush looks at all that libhdf5 has in memory. */
herr_t stoa_flush(hid_t object);

/* An object that may not be there, opened without a word: H5I_INVALID_HID where it is not; whether
 * it is. */
hid_t stoa_object_open(hid_t loc, const char *path);
/* H5Oopen(), but no name leads into another file: see elsewhere.h. */
hid_t stoa_open_here(hid_t loc, const char *path);
/* H5Oget_info_by_name3() alike, of what H5O_INFO_BASIC asks for. */
herr_t stoa_look_here(hid_t loc, const char *path, H5O_info2_t *info);
bool stoa_object_exists(hid_t loc, const char *path);
/* Whether an open object is the one at `path`, by its token: where it was opened by that, libhdf5
 * looks for its name all over the file. */
bool stoa_object_is_at(hid_t object, const char *path);

#endif
