/*
 * Creates, opens and commits Arkouda files: stoa_arkouda_files_open(), _commit(), _close().
 *
 * 1. No file is published before all are on the disk. After that only renames remain.
 * 2. Files of a set that are extended are copies until then. A single file is edited in place,
 *    through the journal, which has its own commit point (docs/crash-safety.md).
 * 3. Files of locales beyond a truncated set are removed last. Until then, the files with lower
 *    numbers are complete.
 */
#include "layout/arkouda/write/write_files.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/sized_struct.h"
#include "hdf/file/file.h"
#include "hdf/metadata/attributes.h"
#include "layout/arkouda/read/arkouda.h"
#include "layout/arkouda/read/file_set.h"
#include "layout/arkouda/write/write_parts.h"

/* A higher number is taken for a mistake, since Arkouda's locales are computers. */
#define MAX_LOCALES 65536

/* --- existing files -------------------------------------------------------------------------- */

/* Parse the locale: 3 for "run_LOCALE0003.h5" of "run.h5". */
static bool is_member(const char *entry, const char *base, uint64_t *locale)
{
    static const char mark[] = "_LOCALE";
    const size_t stem = stoa_arkouda_stem(base);
    const char *digits = entry + stem + sizeof mark - 1;
    size_t n = 0;

    if (strncmp(entry, base, stem) != 0 || strncmp(entry + stem, mark, sizeof mark - 1) != 0) {
        return false;
    }
    while (digits[n] >= '0' && digits[n] <= '9') {
        n++;
    }
    return n >= 4 && strcmp(digits + n, base + stem) == 0 && stoa_parse_u64(digits, n, locale);
}

static stoa_status note_stale(stoa_arkouda_files *files, const char *directory, const char *entry,
                              stoa_error *err)
{
    char **const more = stoa_one_more(files->stale, files->n_stale, sizeof *files->stale);
    char *const name = more != NULL ? stoa_format("%s/%s", directory, entry) : NULL;

    files->stale = more != NULL ? more : files->stale;
    STOA_RETURN_NO_MEMORY(err, name);
    files->stale[files->n_stale++] = name;
    return STOA_OK;
}

/* Count the existing files of locales, and note those beyond the last. */
static stoa_status count_files(stoa_arkouda_files *files, uint64_t *n_there, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const slash = strrchr(files->name, '/');
    const char *const base = slash != NULL ? slash + 1 : files->name;
    char *directory =
        slash == NULL
            ? stoa_strdup(".")
            : stoa_strndup(files->name, (size_t)(slash - files->name) + (slash == files->name));
    DIR *open = NULL;

    *n_there = 0;
    STOA_TRY(directory != NULL ? STOA_OK : stoa_fail_memory(err));
    open = opendir(directory);
    if (open == NULL) {
        status = errno == ENOENT ? stoa_fail(err, STOA_ENOTFOUND,
                                             "cannot be created: no directory '%s'", directory)
                                 : stoa_fail_errno(err, errno, "cannot be created");
        goto done;
    }
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        uint64_t locale = 0;
        if (is_member(entry->d_name, base, &locale)) {
            ++*n_there;
            STOA_TRY(locale >= files->n ? note_stale(files, directory, entry->d_name, err)
                                        : STOA_OK);
        }
    }

done:
    if (open != NULL) {
        (void)closedir(open);
    }
    free(directory);
    return status;
}

/* Arkouda only counts the files (§O). Here, each must also exist. */
static stoa_status check_count(const stoa_arkouda_files *files, uint64_t n_there, stoa_error *err)
{
    if (n_there != 0 && n_there != files->n) {
        return stoa_fail(err, STOA_EINVAL,
                         "there are files of %llu locales, not %llu; truncate them, or add to as "
                         "many",
                         (unsigned long long)n_there, (unsigned long long)files->n);
    }
    return STOA_OK;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status create_like(stoa_arkouda_file *one, const stoa_file_options *how,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;

    STOA_TRY(stoa_file_open_oldest(one->name, STOA_FILE_EDIT, how, &one->old, err));
    STOA_HDF(err, creation = H5Pcreate(H5P_FILE_CREATE), "make a creation list");
    STOA_HDF(err, H5Pset_obj_track_times(creation, false), "leave out times");
    STOA_TRY(stoa_file_create_like(one->old, NULL, creation, &one->file, err));

done:
    return stoa_hdf_close(&creation, status, err);
}

static stoa_status open_one(stoa_arkouda_file *one, bool is_there, bool safe,
                            const stoa_arkouda_options *options, stoa_error *err)
{
    stoa_file_options how = STOA_FILE_OPTIONS_INIT;

    how.patience = options->patience;
    return !is_there ? stoa_file_open_oldest(one->name, STOA_FILE_CREATE, &how, &one->file, err)
           : options->truncate
               ? create_like(one, &how, err)
               : stoa_file_open_oldest(one->name, safe ? STOA_FILE_SAFE : STOA_FILE_EDIT, &how,
                                       &one->file, err);
}

/* Number the write in one of several files. They must be of the same write before. */
static stoa_status number_write(stoa_arkouda_files *files, const stoa_arkouda_file *one, hid_t root,
                                stoa_error *err)
{
    const int64_t before = stoa_arkouda_write_of(root);

    if (one == files->all) {
        files->before = before;
    } else if (files->before != before) {
        return stoa_arkouda_other_write(one->name, files->all->name, err);
    }
    STOA_RETURN_NOT_OK(before != 0 ? stoa_attribute_delete(root, STOA_ARKOUDA_WRITE, err)
                                   : STOA_OK);
    return stoa_arkouda_write_number(root, STOA_ARKOUDA_WRITE, files->write, err);
}

/* Write File_Format: a single file, or one per locale (§C). An old file may lack it. */
static stoa_status mark(stoa_arkouda_files *files, const stoa_arkouda_file *one, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t root = H5I_INVALID_HID;
    int64_t format = files->is_distributed;
    bool found = false;

    STOA_HDF(err, root = H5Gopen2(stoa_file_id(one->file), "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(stoa_attribute_read_scalar(root, STOA_ARKOUDA_FILE_FORMAT, H5T_NATIVE_INT64, &format,
                                        &found, err));
    if (found && format != (int64_t)files->is_distributed) {
        STOA_FAIL(err, STOA_EINVAL, "is %s",
                  format == 1 ? "one of several, a file a locale"
                              : "a single file, not that of a locale");
    }
    if (!found) {
        STOA_TRY(
            stoa_arkouda_write_number(root, STOA_ARKOUDA_FILE_FORMAT, files->is_distributed, err));
    }
    STOA_TRY(files->n > 1 ? number_write(files, one, root, err) : STOA_OK);

done:
    return stoa_at(err, stoa_hdf_close(&root, status, err), "%s", one->name);
}

static stoa_status open_all(stoa_arkouda_files *files, const stoa_arkouda_options *options,
                            stoa_error *err)
{
    uint64_t n_there = 0;
    struct stat about;

    if (files->is_distributed) {
        STOA_RETURN_NOT_OK(count_files(files, &n_there, err));
        STOA_RETURN_NOT_OK(options->truncate ? STOA_OK : check_count(files, n_there, err));
    }
    for (uint64_t k = 0; k < files->n; k++) {
        stoa_arkouda_file *const one = &files->all[k];
        one->name = files->is_distributed ? stoa_arkouda_locale_file(files->name, k)
                                          : stoa_strdup(files->name);
        STOA_RETURN_NO_MEMORY(err, one->name);
        const bool is_there = stat(one->name, &about) == 0;
        if (!is_there && n_there > 0 && !options->truncate) {
            return stoa_fail(err, STOA_ENOTFOUND, "'%s' is missing of the files of %llu locales",
                             one->name, (unsigned long long)files->n);
        }
        STOA_RETURN_NOT_OK(
            open_one(one, is_there, options->safe || files->is_distributed, options, err));
        STOA_RETURN_NOT_OK(mark(files, one, err));
    }
    return STOA_OK;
}

static stoa_status take(const stoa_arkouda_options *options, stoa_arkouda_options *own,
                        stoa_error *err)
{
    *own = (stoa_arkouda_options)STOA_ARKOUDA_OPTIONS_INIT;
    STOA_RETURN_NOT_OK(STOA_SIZED_COPY(own, options, truncate, "STOA_ARKOUDA_OPTIONS_INIT", err));
    if (own->locales > MAX_LOCALES) {
        return stoa_fail(err, STOA_EINVAL, "%llu are too many locales; there may be %d",
                         (unsigned long long)own->locales, MAX_LOCALES);
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_files_open(const char *file, const stoa_arkouda_options *options,
                                    stoa_arkouda_files **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arkouda_options own;
    stoa_arkouda_files *files = NULL;
    struct timespec now = {0};

    *out = NULL;
    STOA_TRY(take(options, &own, err));
    files = stoa_alloc_zero(1, sizeof *files);
    STOA_TRY(files != NULL ? STOA_OK : stoa_fail_memory(err));
    files->is_distributed = own.locales > 0;
    files->n = files->is_distributed ? own.locales : 1;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    files->write = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    files->name = stoa_strdup(file);
    files->all = stoa_alloc_zero((size_t)files->n, sizeof *files->all);
    STOA_TRY(files->name != NULL && files->all != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(open_all(files, &own, err));
    *out = files;
    files = NULL;

done:
    stoa_arkouda_files_close(files);
    return stoa_at(err, status, "%s", file);
}

/* --- committing and closing ------------------------------------------------------------------ */

void stoa_arkouda_files_close(stoa_arkouda_files *files)
{
    if (files == NULL) {
        return;
    }
    for (uint64_t k = 0; files->all != NULL && k < files->n; k++) {
        stoa_file_close(files->all[k].file);
        stoa_file_close(files->all[k].old);
        free(files->all[k].name);
    }
    for (size_t i = 0; i < files->n_stale; i++) {
        free(files->stale[i]);
    }
    free(files->stale);
    free(files->all);
    free(files->name);
    free(files);
}

/* Remove new files if a later one could not be published. Files that replaced others stay. Such a
 * failure is unlikely, since of consecutive renames only permissions can make one fail. */
static void take_back(stoa_arkouda_files *files, uint64_t n, const bool *was_new)
{
    for (uint64_t k = 0; k < n; k++) {
        if (was_new[k]) {
            (void)unlink(files->all[k].name);
        }
    }
}

static stoa_status publish_one(stoa_arkouda_file *one, stoa_error *err)
{
    stoa_file *const file = one->file;

    one->file = NULL;
    const stoa_status status = stoa_file_commit(file, err);
    stoa_file_close(one->old);
    one->old = NULL;
    return status;
}

static stoa_status publish(stoa_arkouda_files *files, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct stat about;
    uint64_t n_done = 0;
    bool *was_new = stoa_alloc((size_t)files->n, sizeof *was_new);

    STOA_TRY(was_new != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t k = 0; k < files->n; k++) {
        was_new[k] = stat(files->all[k].name, &about) != 0;
    }
    for (; n_done < files->n; n_done++) {
        STOA_TRY(publish_one(&files->all[n_done], err));
    }
    for (size_t i = 0; i < files->n_stale; i++) {
        if (unlink(files->stale[i]) != 0 && errno != ENOENT) {
            status = stoa_fail_errno(err, errno, "is written, but '%s', of more locales, is left",
                                     files->stale[i]);
            goto done;
        }
    }

done:
    if (status != STOA_OK && was_new != NULL && n_done < files->n) {
        take_back(files, n_done, was_new);
    }
    free(was_new);
    return status;
}

stoa_status stoa_arkouda_files_commit(stoa_arkouda_files *files, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (files->has_failed) {
        STOA_FAIL(err, STOA_EINVAL, "something was not written; the files can only be closed");
    }
    for (uint64_t k = 0; k < files->n && files->n > 1; k++) {
        STOA_TRY(stoa_file_settle(files->all[k].file, err)); /* (1) */
    }
    STOA_TRY(publish(files, err));

done:
    status = stoa_at(err, status, "%s", files->name);
    stoa_arkouda_files_close(files);
    return status;
}
