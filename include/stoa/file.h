/* HDF5 files, opened so that an edit takes effect completely or not at all. */
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
    STOA_FILE_EDIT,   /**< an existing file; commit publishes all changes at once */
    STOA_FILE_CREATE, /**< a new file, created beside its place and moved there at commit */
    STOA_FILE_SAFE,   /**< an existing file; a copy is edited and replaces it at commit */
    STOA_FILE_REPLACE /**< a new file, which replaces an existing one at commit */
} stoa_file_mode;

/** An HDF5 file that Stoa opened. Use a handle, and everything opened through it, from one thread
 * at a time. Different threads may use different handles at the same time, even of the same
 * file. */
typedef struct stoa_file stoa_file;

/** How long a call waits while other programs use a file. Start from STOA_FILE_PATIENCE_INIT. */
typedef struct stoa_file_patience {
    size_t size;    /**< of this struct, as the caller's compiler knows it */
    double seconds; /**< 0: do not wait */
    /** Called once per wait, after one second. `holder` is "another program: process 12 (cat)" if
     * the system knows it. May be NULL. */
    void (*tell)(void *context, const char *file, const char *holder);
    bool (*stop)(void *context); /**< called repeatedly: true ends the wait. May be NULL. */
    void *context;
} stoa_file_patience;

#define STOA_FILE_PATIENCE_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_file_patience), 60, 0, 0, 0                                                    \
    }

/**
 * Open an HDF5 file.
 *
 * STOA_FILE_EDIT uses a file driver that keeps the old bytes of the file until stoa_file_commit().
 * A kill, a full disk or a discard before that leaves the old file. The next stoa_file_open()
 * completes an interrupted commit. Other programs may read the file while you edit it.
 * stoa_file_commit() waits for them, as set in stoa_file_options.
 *
 * STOA_FILE_SAFE never writes to the file itself. At any moment other programs see the old file or
 * the new one, and the commit does not wait for readers. It needs space for a second file. Other
 * hard links keep the old file.
 *
 * Other files that this one refers to are not opened: see stoa_file_options.
 *
 * @param[out] file  yours, ended by stoa_file_commit() or stoa_file_close()
 * @return STOA_ENOTFOUND if there is no such file; STOA_EEXISTS if the file to create exists;
 *         STOA_ELAYOUT if it is not an HDF5 file; STOA_EDATA if it is truncated; STOA_EIO for a
 *         directory, without permission, or if it is locked
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_open(const char *name, stoa_file_mode mode,
                                                    stoa_file **file, stoa_error *err);

/** Options of a file. Start from STOA_FILE_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_file_options {
    size_t size;          /**< of this struct, as the caller's compiler knows it */
    bool follow_external; /**< with STOA_FILE_READ: also open other files that this one refers to
                               (external links, external storage, virtual datasets), read-only. They
                               must be regular files below its directory, after symbolic links are
                               resolved. Stoa never writes to them */
    const stoa_file_patience *patience; /**< for every call with this handle, and for files of the
                                             same set; copied. NULL: 60 s */
    bool holds_edits; /**< with STOA_FILE_READ: edits by Stoa wait at their start, not only at their
                           commit, so that the file's size and times stay the same */
    bool map; /**< with STOA_FILE_READ: tables of this file, and of files of the same set, are read
                   from memory maps; see `map` of stoa_open_options */
} stoa_file_options;

#define STOA_FILE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(stoa_file_options), 0, 0, 0, 0                                                      \
    }

/** As stoa_file_open(), with options; STOA_EINVAL if these, or their patience, have no size. */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_open_with(const char *name, stoa_file_mode mode,
                                                         const stoa_file_options *options,
                                                         stoa_file **file, stoa_error *err);

/** The HDF5 file id; borrowed, valid until commit or close. */
STOA_API hid_t stoa_file_id(const stoa_file *file);

/** The file's name as it was given to stoa_file_open(); borrowed. */
STOA_API const char *stoa_file_name(const stoa_file *file);

/**
 * Release the lock of a file that is open for reading, until stoa_file_lock(). So a program that
 * keeps idle files open blocks no writer. Do not use any object of the file meanwhile.
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_unlock(stoa_file *file, stoa_error *err);

/**
 * Take the lock again. If the file has changed, or another file has its name now, it is reopened.
 * Older ids, tables and queries are then closed, or you must close them, and stoa_file_id() returns
 * another id.
 *
 * @param[out] changed  whether the file was reopened
 * @return after a failure the handle remains at rest: try again, or close it
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_lock(stoa_file *file, bool *changed,
                                                    stoa_error *err);

/**
 * Publish every change since the file was opened, durably. Ends the handle in every case.
 *
 * Close all other ids in the file first. On failure the file has its old content (with
 * STOA_FILE_CREATE: it does not exist).
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_commit(stoa_file *file, stoa_error *err);

/**
 * The same, and returns the state of the file before its lock is released, for stoa_trust_record().
 * Later changes by other programs can then be told from this edit. The call waits until a change
 * would give the file another time stamp. That is some milliseconds, or 2 s if stamps are whole
 * seconds.
 *
 * @param[out] stamp  yours, released by stoa_free(), also after a failure; NULL if the name refers
 *                    to another file now, or its time is in the future
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_file_commit_stamped(stoa_file *file, char **stamp,
                                                              stoa_error *err);

/** End a handle. Uncommitted changes are discarded. NULL is allowed. */
STOA_API void stoa_file_close(stoa_file *file);
/** The same, and returns the stamp of the file as stoa_file_commit_stamped() does. */
STOA_API void stoa_file_close_stamped(stoa_file *file, char **stamp);

STOA_END_DECLS

#endif
