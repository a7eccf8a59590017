/* Finds the files of a set of locales by their common name (Arkouda notes §D). */
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <stoa/layout.h>

#include "core/file_names.h"
#include "core/memory.h"
#include "core/text.h"
#include "layout/arkouda/read/file_set.h"

enum { MARK = sizeof STOA_ARKOUDA_LOCALE - 1 };

/* The name that is searched for in a directory. */
typedef struct wanted {
    const char *text; /* without the directory */
    size_t stem;      /* length of `text` before the extension */
    bool is_pattern;
} wanted;

static bool begins(const char *text, const char *with, size_t n)
{
    return strncmp(text, with, n) == 0 && strncmp(text + n, STOA_ARKOUDA_LOCALE, MARK) == 0;
}

/* Whether a file belongs to a set that matches the name. "run" matches run_LOCALE0000 with any
 * extension, "run.h5" only with that one. */
static bool is_wanted(const wanted *w, const char *entry)
{
    size_t at = 0;
    size_t n_digits = 0;

    if (!stoa_arkouda_is_locale_file(entry, &at, &n_digits)) {
        return false;
    }
    if (w->is_pattern) {
        return fnmatch(w->text, entry, FNM_PERIOD) == 0;
    }
    return begins(entry, w->text, strlen(w->text)) ||
           (begins(entry, w->text, w->stem) &&
            stoa_ends_with(entry, strlen(entry), w->text + w->stem));
}

/* Whether two files belong to one set: their names differ only in the number. */
static bool are_one_set(const char *a, const char *b)
{
    size_t at[2] = {0};
    size_t n[2] = {0};

    return stoa_arkouda_is_locale_file(a, &at[0], &n[0]) &&
           stoa_arkouda_is_locale_file(b, &at[1], &n[1]) && at[0] == at[1] &&
           strncmp(a, b, at[0]) == 0 &&
           strcmp(a + at[0] + MARK + n[0], b + at[1] + MARK + n[1]) == 0;
}

/* The first match by name; *found is NULL if there is none. */
static stoa_status search(DIR *directory, const wanted *w, char **found, stoa_error *err)
{
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!is_wanted(w, entry->d_name)) {
            continue;
        }
        if (*found != NULL && !are_one_set(*found, entry->d_name)) {
            return stoa_fail(err, STOA_EINVAL,
                             "is no one set of files: %s and %s belong to different ones", *found,
                             entry->d_name);
        }
        if (*found == NULL || strcmp(entry->d_name, *found) < 0) {
            free(*found);
            *found = stoa_strdup(entry->d_name);
            STOA_RETURN_NO_MEMORY(err, *found);
        }
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_find_file(const char *name, char **found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct stat about;
    const char *const slash = strrchr(name, '/');
    const char *const base = slash != NULL ? slash + 1 : name;
    const wanted w = {base, stoa_arkouda_stem(base), stoa_file_is_pattern(base)};
    char *where = NULL;
    char *entry = NULL;
    DIR *directory = NULL;

    *found = NULL;
    if (stat(name, &about) == 0) {
        return STOA_OK;
    }
    where = slash != NULL ? stoa_strndup(name, (size_t)(base - name)) : stoa_strdup("");
    STOA_TRY(where != NULL ? STOA_OK : stoa_fail_memory(err));
    directory = opendir(where[0] != '\0' ? where : ".");
    if (directory != NULL) {
        STOA_TRY(search(directory, &w, &entry, err));
    }
    if (entry != NULL) {
        *found = stoa_format("%s%s", where, entry);
        STOA_TRY(*found != NULL ? STOA_OK : stoa_fail_memory(err));
    }

done:
    if (directory != NULL) {
        (void)closedir(directory);
    }
    free(entry);
    free(where);
    return stoa_at(err, status, "%s", name);
}
