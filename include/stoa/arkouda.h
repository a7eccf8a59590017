/* Arkouda files: a single file, or one for each locale, written as a whole
 * (docs/layouts/arkouda.md). */
#ifndef STOA_ARKOUDA_H
#define STOA_ARKOUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/file.h>
#include <stoa/layout.h>

STOA_BEGIN_DECLS

/** The files to write. Start from STOA_ARKOUDA_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_arkouda_options {
    size_t size;      /**< of this struct, as the caller's compiler knows it */
    uint64_t locales; /**< number of files, "run_LOCALE0000.h5" ... for "run.h5"; 0: one file */
    bool truncate;    /**< new files replace existing ones; else objects are added to the existing
                           files, whose number must equal `locales` */
    bool safe;        /**< edit a copy of an existing file, which replaces it at commit; always done
                           for sets of files */
    const stoa_file_patience *patience; /**< as in stoa_file_options */
} stoa_arkouda_options;

#define STOA_ARKOUDA_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(stoa_arkouda_options), 0, 0, 0, 0                                                   \
    }

/** Files that are being written. Other programs see nothing before the commit. Use a handle from
 * one thread at a time. Different threads may use different handles at the same time. */
typedef struct stoa_arkouda_files stoa_arkouda_files;

/**
 * Create the files, or open existing ones.
 *
 * @param[out] files  yours, ended by stoa_arkouda_files_commit() or _close()
 * @return STOA_EINVAL if existing files have another number of locales; else as stoa_file_open()
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_arkouda_files_open(const char *file,
                                                             const stoa_arkouda_options *options,
                                                             stoa_arkouda_files **files,
                                                             stoa_error *err);

/**
 * Write a table as Arkouda objects; the setting "as" in the options selects their form. The table
 * is read two or three times.
 *
 * @param from         borrowed; of another file
 * @param name         name of the object; NULL: Arkouda's own ("DataFrame", "index" ...). Columns
 *                     keep their own names, except in a table of one column
 * @param options      layout may be NULL; codec, chunk_rows and title are ignored
 * @param[out] n_rows  rows written; may be NULL
 * @return STOA_EEXISTS if the name exists and options->replace is not set; STOA_ETYPE, STOA_ELOSS
 *         as stoa_layout_write_table(). After a failure you can only close the files
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_arkouda_files_write_table(
    stoa_arkouda_files *files, stoa_table *from, const char *name,
    const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err);
/** The same for all rows of a stream, as in stoa_layout_write(). */
STOA_MUST_CHECK STOA_API stoa_status stoa_arkouda_files_write(stoa_arkouda_files *files,
                                                              struct ArrowArrayStream *stream,
                                                              const char *name,
                                                              const stoa_layout_options *options,
                                                              uint64_t *n_rows, stoa_error *err);

/** Publish all files. Ends the handle in every case. All data is on disk before the first file gets
 * its name. */
STOA_MUST_CHECK STOA_API stoa_status stoa_arkouda_files_commit(stoa_arkouda_files *files,
                                                               stoa_error *err);
/** End a handle. Uncommitted changes are discarded. NULL is allowed. */
STOA_API void stoa_arkouda_files_close(stoa_arkouda_files *files);

STOA_END_DECLS

#endif
