/* Opening HDF5 files so that an edit happens wholly or not at all. */
#ifndef STOA_FILE_H
#define STOA_FILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/** How a file is opened. */
typedef enum stoa_file_mode {
    STOA_FILE_READ,   /**< an existing file, for reading */
    STOA_FILE_EDIT,   /**< an existing file; changes reach it all at once, at commit */
    STOA_FILE_CREATE, /**< a new file, made beside its place and moved there at commit */
    STOA_FILE_SAFE,   /**< an existing file; a copy is changed, which takes its place at commit */
    STOA_FILE_REPLACE /**< a new file, which takes the place of an existing one at commit */
} stoa_file_mode;

/** An HDF5 file that Stoa opened. One handle, one thread at a time. */
typedef struct stoa_file stoa_file;

/** How long a call waits where other programs have a file. */
typedef struct stoa_file_patience {
    double seconds; /**< 0: not at all */
    /** Called once a wait, after a second of it; `holder` is "another program: process 12 (cat)"
     *  where the system tells. May be NULL. */
    void (*tell)(void *context, const char *file, const char *holder);
    bool (*stop)(void *context); /**< asked again and again: true ends the wait. May be NULL. */
    void *context;
} stoa_file_patience;

/**
 * Open an HDF5 file.
 *
 * STOA_FILE_EDIT works through a file driver that keeps the old bytes of the file untouched until
 * stoa_file_commit(): a process killed, a disk full or a discard before it leave the old file.
 * An interrupted commit is completed by the next stoa_file_open(). Others may read the file while
 * it is edited; stoa_file_commit() waits for them, as stoa_file_options says.
 *
 * STOA_FILE_SAFE never writes to the file itself: other programs, too, see the old file or the new
 * one, at every moment, and no reader is waited for. It needs room for a second file; further hard
 * links keep the old one.
 *
 * No other file that this one leads to is opened: see stoa_file_options.
 *
 * @param[out] file  the caller's, ended by stoa_file_commit() or stoa_file_close()
 * @return STOA_ENOTFOUND no such file; STOA_EEXISTS the file to create is there; STOA_ELAYOUT not
 *         an HDF5 file; STOA_EDATA a truncated one; STOA_EIO a directory, no permission, or locked
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_open(const char *name, stoa_file_mode mode,
                                                    stoa_file **file, stoa_error *err);

/** How a file is opened. Start from STOA_FILE_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_file_options {
    size_t size;          /**< of this struct, as the caller's compiler knows it */
    bool follow_external; /**< with STOA_FILE_READ: other files that this one leads to (external
                               links, external storage, virtual datasets) are opened, read-only,
                               where they are regular files below its directory once symbolic links
                               are resolved. Otherwise none ever is, and none is ever written to */
    const stoa_file_patience *patience; /**< of every call with this handle, and of files that
                                             belong to the same set; copied. NULL: 60 s */
    bool holds_edits; /**< with STOA_FILE_READ: edits by Stoa wait from their beginning, not only
                           with their commit, so that the file's size and times stay, too */
} stoa_file_options;

#define STOA_FILE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(stoa_file_options), 0, 0, 0                                                         \
    }

/** As stoa_file_open(), with options; STOA_EINVAL if these have no size. */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_open_with(const char *name, stoa_file_mode mode,
                                                         const stoa_file_options *options,
                                                         stoa_file **file, stoa_error *err);

/** The HDF5 file id; borrowed, valid until commit or close. */
STOA_API hid_t stoa_file_id(const stoa_file *file);

/** The file's name as it was given to stoa_file_open(); borrowed. */
STOA_API const char *stoa_file_name(const stoa_file *file);

/**
 * Let go of the lock of a file that is open for reading, until stoa_file_wake(): a program that
 * keeps files open but idle hinders no writer. Meanwhile nothing in the file may be used.
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_rest(stoa_file *file, stoa_error *err);

/**
 * Take the lock again. Where the file has changed, or another one has its name now, it is opened
 * anew: every id, table and query of before is closed or must be, and stoa_file_id() is another
 * one.
 *
 * @param[out] changed  whether that happened
 * @return after a failure the handle rests on: try again, or close it
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_wake(stoa_file *file, bool *changed,
                                                    stoa_error *err);

/**
 * Publish every change since the file was opened, durably, and end the handle in every case.
 *
 * All other ids into the file must be closed. On failure the file is as it was before it was opened
 * (for STOA_FILE_CREATE: does not exist).
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_commit(stoa_file *file, stoa_error *err);

/**
 * The same, and how the file is before its lock is let go of, for stoa_trust_record(): what others
 * write from then on is not taken for this edit. Waits until a change would give the file another
 * time stamp, some milliseconds, or 2 s where these are whole seconds.
 *
 * @param[out] stamp  the caller's, released by free(), after a failure, too; NULL if the name leads
 *                    to another file now, or its time lies in the future
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_commit_stamped(stoa_file *file, char **stamp,
                                                              stoa_error *err);

/** End a handle; changes that were not committed are discarded. NULL is fine. */
STOA_API void stoa_file_close(stoa_file *file);
/** The same, with the stamp that the file has then. */
STOA_API void stoa_file_close_stamped(stoa_file *file, char **stamp);

STOA_END_DECLS

#endif
