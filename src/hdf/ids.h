/*
 * HDF5 ids: initialised to H5I_INVALID_HID and closed once. libhdf5 prints no errors.
 *
 * Stoa never disables libhdf5's error printing for longer than one call. STOA_HDF switches it off
 * around the call, and turns a failure into one line with libhdf5's description.
 */
#ifndef STOA_HDF_IDS_H
#define STOA_HDF_IDS_H

#include <stdbool.h>

#include "core/error.h"
#include "hdf/hdf5.h"

/* Disable error printing for a sequence of calls. This also holds the lock of libhdf5 (hdf5.h), so
 * the error stack belongs to this thread: `const stoa_error_stack errors =
 * stoa_error_stack_begin(); ...; stoa_error_stack_end(&errors);`. Keep it short, and call no user
 * code within it: no visitor, listener or stream. Nesting is allowed and changes nothing. */
stoa_error_stack stoa_error_stack_begin(void);
void stoa_error_stack_end(const stoa_error_stack *errors);
/* The same, and clear libhdf5's error stack, if the reason of a failure is not needed. */
void stoa_error_stack_discard(const stoa_error_stack *errors);

/* Disable error printing for work that is long or calls visitors. libhdf5 is kept from printing
 * during each call of this thread, and each call takes the lock itself. The reason of a failure is
 * known only within stoa_error_stack_begin(). */
void stoa_error_printing_off(void);
void stoa_error_printing_on(void);

/* Fill `err` with the message and libhdf5's innermost description, and clear libhdf5's stack. Call
 * this before stoa_error_stack_end(): later the stack may belong to another thread's call. */
stoa_status stoa_hdf_fail(stoa_error *err, const char *format, ...) STOA_PRINTF(2, 3);

/* STOA_HDF(err, call, "open '%s'", name): go to `done` if the call returns a negative value. The
 * message reads "cannot open 'x': <libhdf5's description>". `call` may be an assignment. */
#define STOA_HDF(err, call, ...)                                                                   \
    do {                                                                                           \
        const stoa_error_stack errors_ = stoa_error_stack_begin();                                 \
        const bool failed_ = (call) < 0;                                                           \
        if (failed_) {                                                                             \
            status = stoa_hdf_fail(err, __VA_ARGS__);                                              \
        }                                                                                          \
        stoa_error_stack_end(&errors_);                                                            \
        if (failed_) {                                                                             \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* STOA_RETURN_HDF_ERROR(err, call, "open '%s'", name): the same for functions that own nothing at
 * that point. They return the failure. */
#define STOA_RETURN_HDF_ERROR(err, call, ...)                                                      \
    do {                                                                                           \
        const stoa_error_stack errors_ = stoa_error_stack_begin();                                 \
        const stoa_status status_ = (call) < 0 ? stoa_hdf_fail(err, __VA_ARGS__) : STOA_OK;        \
        stoa_error_stack_end(&errors_);                                                            \
        if (status_ != STOA_OK) {                                                                  \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

/* The name of an object, from H5Iget_name() or H5Fget_name(); "" if it has none. NULL if memory
 * runs out. The caller frees it. */
char *stoa_hdf_name(hid_t object, ssize_t (*get)(hid_t, char *, size_t));

/* Close an id of any kind and set it to H5I_INVALID_HID. If a close fails after success, that is a
 * failure, since HDF5 may write cached chunks then. Returns the first error. */
stoa_status stoa_hdf_close(hid_t *id, stoa_status status, stoa_error *err);

/* --- as other_files.h allows other files (other_files.c, other_files_paths.c)
 * ---------------------- */

/* H5Fflush() of a file that a program opened itself. Files that Stoa opened are not flushed: the
 * commit does that once, and each flush walks through libhdf5's whole cache. */
herr_t stoa_flush(hid_t object);

/* Open an object that may not exist, without printing errors: H5I_INVALID_HID if it does not.
 * stoa_object_exists() only tells whether it exists. */
hid_t stoa_object_open(hid_t loc, const char *path);
/* H5Oopen(), but names do not lead into other files: see other_files.h. */
hid_t stoa_open_here(hid_t loc, const char *path);
/* H5Oget_info_by_name3() with the same restriction, for the fields of H5O_INFO_BASIC. */
herr_t stoa_info_here(hid_t loc, const char *path, H5O_info2_t *info);
bool stoa_object_exists(hid_t loc, const char *path);
/* Whether an open object is the one at `path`. It compares tokens: asking libhdf5 for the name of
 * an object that was opened by token would search the whole file. */
bool stoa_object_is_at(hid_t object, const char *path);

#endif
