#include "sql/files.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

stoa_status stoa_sql_files_add(stoa_sql_files *files, char *const *names, size_t n, stoa_error *err)
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

void stoa_sql_files_clear(stoa_sql_files *files)
{
    for (size_t i = 0; i < files->n; i++) {
        free(files->names[i]);
    }
    free(files->names);
    *files = (stoa_sql_files){.n = 0};
}
