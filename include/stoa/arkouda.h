/* Arkouda's files: one, or one a locale, written as a whole (docs/layouts/arkouda.md). */
#ifndef STOA_ARKOUDA_H
#define STOA_ARKOUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/file.h>
#include <stoa/layout.h>

STOA_BEGIN_DECLS

/** Which files. Start from STOA_ARKOUDA_OPTIONS_INIT; NULL stands for the defaults. */
typedef struct stoa_arkouda_options {
    size_t size;      /**< of this struct, as the caller's compiler knows it */
    uint64_t locales; /**< 0: one file; else so many: "run_LOCALE0000.h5" ... of "run.h5" */
    bool truncate;    /**< new files take the place of those that are there; else objects are added
                           to these, which must be as many as there are locales */
    bool safe;        /**< add to a copy of a file that is there, which replaces it at commit; sets
                           of files always are */
    const stoa_file_patience *patience; /**< as in stoa_file_options */
} stoa_arkouda_options;

#define STOA_ARKOUDA_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(stoa_arkouda_options), 0, 0, 0, 0                                                   \
    }

/** Files that are being written. Nobody sees anything of it before the commit. */
typedef struct stoa_arkouda_files stoa_arkouda_files;

/**
 * Make the files, or open those that are there.
 *
 * @param[out] files  the caller's, ended by stoa_arkouda_files_commit() or _close()
 * @return STOA_EINVAL if there are files of another number of locales; as stoa_file_open() else
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_arkouda_files_open(const char *file,
                                                             const stoa_arkouda_options *options,
                                                             stoa_arkouda_files **files,
                                                             stoa_error *err);

/**
 * Write a table as the objects that options->form says. It is read two or three times.
 *
 * @param from         borrowed; of another file
 * @param name         of the object; NULL: Arkouda's own ("DataFrame", "index" ...). Columns have
 *                     their own names, but for a table of one
 * @param options      layout may be NULL; codec, chunk_rows and title have no meaning here
 * @param[out] n_rows  rows written; may be NULL
 * @return STOA_EEXISTS if a name is taken and options->replace is not set; STOA_ETYPE, STOA_ELOSS
 *         as stoa_layout_write_table(). After a failure the files can only be closed
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_arkouda_files_write_table(
    stoa_arkouda_files *files, stoa_table *from, const char *name,
    const stoa_layout_options *options, uint64_t *n_rows, stoa_error *err);
/** The same for everything a stream holds, as stoa_layout_write() does it. */
STOA_MUST_CHECK STOA_API stoa_status stoa_arkouda_files_write(stoa_arkouda_files *files,
                                                              struct ArrowArrayStream *stream,
                                                              const char *name,
                                                              const stoa_layout_options *options,
                                                              uint64_t *n_rows, stoa_error *err);

/** Publish all of it, and end the handle in every case. Everything that takes room on the disk
 *  happens before the first file gets its name. */
STOA_MUST_CHECK STOA_API stoa_status stoa_arkouda_files_commit(stoa_arkouda_files *files,
                                                               stoa_error *err);
/** End a handle; what was not committed is discarded. NULL is fine. */
STOA_API void stoa_arkouda_files_close(stoa_arkouda_files *files);

STOA_END_DECLS

#endif
