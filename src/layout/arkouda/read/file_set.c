#include "layout/arkouda/read/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/other_files.h"

enum { MARK = sizeof STOA_ARKOUDA_LOCALE - 1, MIN_DIGITS = 4, MAX_DIGITS = 18 };

/* --- names ----------------------------------------------------------------------------------- */

bool stoa_arkouda_is_locale_file(const char *file, size_t *at, size_t *n_digits)
{
    const char *const slash = strrchr(file, '/');
    const char *from = slash != NULL ? slash + 1 : file;
    bool found = false;

    for (; (from = strstr(from, STOA_ARKOUDA_LOCALE)) != NULL; from += MARK) {
        const size_t n = strspn(from + MARK, "0123456789");
        if (n >= MIN_DIGITS && n <= MAX_DIGITS) {
            *at = (size_t)(from - file);
            *n_digits = n;
            found = true; /* the last match, since anything before it is the user's */
        }
    }
    return found;
}

static bool file_format(hid_t root, int64_t *format)
{
    stoa_error ignored = STOA_ERROR_INIT;
    bool found = false;

    return stoa_attribute_read_number(root, STOA_ARKOUDA_FILE_FORMAT, format, &found, &ignored) ==
               STOA_OK &&
           found;
}

bool stoa_arkouda_is_distributed(hid_t root, const char *file)
{
    int64_t format = -1;
    size_t at = 0;
    size_t n_digits = 0;

    if (file_format(root, &format) && (format == 0 || format == 1)) {
        return format == 1;
    }
    return stoa_arkouda_is_locale_file(file, &at, &n_digits);
}

int64_t stoa_arkouda_write_of(hid_t root)
{
    int64_t number = 0;
    bool found = false;

    return stoa_attribute_read_number(root, STOA_ARKOUDA_WRITE, &number, &found, NULL) == STOA_OK &&
                   found
               ? number
               : 0;
}

stoa_status stoa_arkouda_other_write(const char *file, const char *first, stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA,
                     "%s is of another write than %s: the program that replaced the files of the "
                     "locales was stopped; restore them, or write them anew with --mode truncate",
                     file, first);
}

/* --- finding the files ----------------------------------------------------------------------- */

/* A name split at its number: "dir/", "run_LOCALE", ".h5". */
typedef struct cut_name {
    char *directory; /* with its slash; "" if there is none */
    char *before;
    const char *after;
} cut_name;

static stoa_status cut(const char *file, cut_name *name, stoa_error *err)
{
    const char *const slash = strrchr(file, '/');
    const size_t n_directory = slash != NULL ? (size_t)(slash + 1 - file) : 0;
    size_t at = 0;
    size_t n_digits = 0;

    *name = (cut_name){.directory = NULL};
    if (!stoa_arkouda_is_locale_file(file, &at, &n_digits)) {
        return stoa_fail(err, STOA_EDATA,
                         "says that it is one of the files of several locales (File_Format 1), but "
                         "its name has no _LOCALE0000 by which the others could be found");
    }
    name->directory = stoa_strndup(file, n_directory);
    name->before = stoa_strndup(file + n_directory, at + MARK - n_directory);
    name->after = file + at + MARK + n_digits;
    return name->directory != NULL && name->before != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* The number of a file of the set; false for other files. */
static bool number_of(const cut_name *name, const char *entry, uint64_t *number)
{
    const size_t n_before = strlen(name->before);
    const char *const digits = entry + n_before;
    const size_t n_digits =
        strncmp(entry, name->before, n_before) == 0 ? strspn(digits, "0123456789") : 0;

    if (n_digits < MIN_DIGITS || n_digits > MAX_DIGITS ||
        (n_digits > MIN_DIGITS && digits[0] == '0') ||
        strcmp(digits + n_digits, name->after) != 0) {
        return false;
    }
    *number = strtoull(digits, NULL, 10);
    return true;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

static stoa_status list_numbers(const cut_name *name, stoa_buffer *numbers, stoa_error *err)
{
    stoa_status status = STOA_OK;
    DIR *const directory = opendir(name->directory[0] != '\0' ? name->directory : ".");

    if (directory == NULL) {
        return stoa_fail_errno(err, errno, "its directory cannot be searched for the others");
    }
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        uint64_t number = 0;
        if (number_of(name, entry->d_name, &number)) {
            STOA_TRY(stoa_buffer_append(numbers, &number, sizeof number, err));
        }
    }
    if (numbers->size > 0) {
        qsort(numbers->data, numbers->size / sizeof(uint64_t), sizeof(uint64_t), ascending);
    }

done:
    (void)closedir(directory);
    return status;
}

static stoa_status check_complete(const cut_name *name, const uint64_t *numbers, size_t n,
                                  stoa_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (numbers[i] != i) {
            return stoa_fail(err, STOA_EDATA,
                             "is one of the files of several locales, of which %s%s%04zu%s is "
                             "missing",
                             name->directory, name->before, i, name->after);
        }
    }
    return STOA_OK;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status make(size_t n, stoa_arkouda_set **out, stoa_error *err)
{
    stoa_arkouda_set *set = stoa_alloc_zero(1, sizeof *set);

    *out = set;
    STOA_RETURN_NO_MEMORY(err, set);
    set->n_holders = 1;
    set->roots = stoa_alloc(n, sizeof *set->roots);
    set->names = stoa_alloc_zero(n, sizeof *set->names);
    set->opened = stoa_alloc_zero(n, sizeof(stoa_file *));
    STOA_RETURN_NO_MEMORY(err, set->roots != NULL && set->names != NULL && set->opened != NULL);
    set->n = n;
    for (size_t i = 0; i < n; i++) {
        set->roots[i] = H5I_INVALID_HID;
    }
    return stoa_read_context_open(&set->read_context, err);
}

/* Add the file that the caller has open. */
static stoa_status add_own(stoa_arkouda_set *set, size_t k, hid_t object, const char *file,
                           stoa_error *err)
{
    set->names[k] = stoa_strdup(file);
    STOA_RETURN_NO_MEMORY(err, set->names[k]);
    STOA_RETURN_HDF_ERROR(err, set->roots[k] = H5Oopen(object, "/", H5P_DEFAULT), "open the root");
    return STOA_OK;
}

static stoa_status add_other(stoa_arkouda_set *set, size_t k, const cut_name *name,
                             const stoa_file_options *how, stoa_error *err)
{
    stoa_status status = STOA_OK;

    set->names[k] = stoa_format("%s%s%04zu%s", name->directory, name->before, k, name->after);
    STOA_TRY(set->names[k] != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_file_open_with(set->names[k], STOA_FILE_READ, how, &set->opened[k], err));
    STOA_HDF(err, set->roots[k] = H5Oopen(stoa_file_id(set->opened[k]), "/", H5P_DEFAULT),
             "open the root");

done:
    return stoa_at(err, status, "%s", set->names[k]);
}

static stoa_status open_all(hid_t object, const char *file, stoa_arkouda_set **set, stoa_error *err)
{
    stoa_status status = STOA_OK;
    cut_name name = {.directory = NULL};
    const stoa_file_patience patience = stoa_patience_of(object);
    stoa_file_options how = STOA_FILE_OPTIONS_INIT;
    stoa_buffer numbers = {0};
    uint64_t own = 0;

    how.patience = &patience;
    STOA_TRY(cut(file, &name, err));
    STOA_TRY(list_numbers(&name, &numbers, err));
    const size_t n = numbers.size / sizeof(uint64_t);
    STOA_TRY(check_complete(&name, (const uint64_t *)(const void *)numbers.data, n, err));
    if (!number_of(&name, file + strlen(name.directory), &own) || own >= n) {
        STOA_FAIL(err, STOA_EDATA, "has a name that no file of a locale has");
    }
    STOA_TRY(make(n, set, err));
    for (size_t k = 0; k < n; k++) {
        STOA_TRY(k == own ? add_own(*set, k, object, file, err)
                          : add_other(*set, k, &name, &how, err));
        if (stoa_arkouda_write_of((*set)->roots[k]) != stoa_arkouda_write_of((*set)->roots[0])) {
            status = stoa_arkouda_other_write((*set)->names[k], (*set)->names[0], err);
            goto done;
        }
    }

done:
    stoa_buffer_clear(&numbers);
    free(name.directory);
    free(name.before);
    return status;
}

stoa_status stoa_arkouda_set_open(hid_t object, const char *file, stoa_arkouda_set **set,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t root = H5I_INVALID_HID;

    *set = NULL;
    STOA_HDF(err, root = H5Oopen(object, "/", H5P_DEFAULT), "open the root");
    if (stoa_arkouda_is_distributed(root, file)) {
        STOA_TRY(open_all(object, file, set, err));
    } else {
        STOA_TRY(make(1, set, err));
        STOA_TRY(add_own(*set, 0, object, file, err));
    }

done:
    if (status != STOA_OK) {
        stoa_arkouda_set_release(*set);
        *set = NULL;
    }
    return stoa_hdf_close(&root, status, err);
}

stoa_arkouda_set *stoa_arkouda_set_hold(stoa_arkouda_set *set)
{
    set->n_holders++;
    return set;
}

void stoa_arkouda_set_release(stoa_arkouda_set *set)
{
    if (set == NULL || --set->n_holders > 0) {
        return;
    }
    stoa_read_context_close(set->read_context);
    for (size_t i = 0; i < set->n; i++) {
        (void)stoa_hdf_close(&set->roots[i], STOA_OK, NULL);
        stoa_file_close(set->opened[i]);
        free(set->names[i]);
    }
    free(set->roots);
    free(set->names);
    free(set->opened);
    free(set);
}

hid_t stoa_arkouda_set_object(const stoa_arkouda_set *set, size_t k, const char *path)
{
    return stoa_object_open(set->roots[k], path);
}

stoa_status stoa_arkouda_set_at(const stoa_arkouda_set *set, size_t k, const char *path,
                                stoa_status status, stoa_error *err)
{
    return stoa_at(err, status, "%s:%s", set->names[k], path);
}
