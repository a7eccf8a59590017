#include "core/file_names.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

stoa_status stoa_file_names_add(stoa_file_names *files, char *const *names, size_t n,
                                stoa_error *err)
{
    char **const more = realloc(files->names, (files->n + n) * sizeof *more);

    STOA_RETURN_NO_MEMORY(err, more);
    files->names = more;
    for (size_t i = 0; i < n; i++) {
        more[files->n] = strdup(names[i]);
        STOA_RETURN_NO_MEMORY(err, more[files->n]);
        files->n++;
    }
    return STOA_OK;
}

bool stoa_file_is_pattern(const char *name)
{
    return strpbrk(name, "*?[") != NULL;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

stoa_status stoa_file_names_match(stoa_file_names *files, const char *pattern, stoa_error *err)
{
    glob_t found = {.gl_pathc = 0};
    const int failed = glob(pattern, GLOB_NOSORT, NULL, &found);
    stoa_status status = STOA_OK;

    if (failed != 0) {
        status = stoa_fail(err, failed == GLOB_NOSPACE ? STOA_ENOMEM : STOA_ENOTFOUND,
                           "no file has a name of this pattern");
    } else {
        qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_bytes);
        status = stoa_file_names_add(files, found.gl_pathv, found.gl_pathc, err);
    }
    globfree(&found);
    return status;
}

void stoa_file_names_clear(stoa_file_names *files)
{
    for (size_t i = 0; i < files->n; i++) {
        free(files->names[i]);
    }
    free(files->names);
    *files = (stoa_file_names){.n = 0};
}
