/* Opens DuckDB's library and finds its functions. */
#include "sql/duckdb.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/library.h"

#define NAME_OF(type, name, parameters) "duckdb_" #name,
static const char *const calls[] = {STOA_DUCKDB_CALLS(NAME_OF)};
static const char *const calls_of_some[] = {STOA_DUCKDB_CALLS_OF_SOME(NAME_OF)};
#undef NAME_OF

enum {
    N_CALLS = sizeof calls / sizeof *calls,
    N_OF_SOME = sizeof calls_of_some / sizeof *calls_of_some
};

_Static_assert(sizeof(stoa_duckdb) == (N_CALLS + N_OF_SOME) * sizeof(stoa_library_call),
               "the struct is an array of functions");

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static stoa_duckdb opened; /* without functions until it is open */

/* Whether a version, as "v1.5.6", is one of 1.2 or later. */
static bool is_new_enough(const char *version)
{
    int major = 0;
    int minor = 0;

    /* A build from source may have no number. It has the functions that were looked for. */
    return sscanf(version, "v%d.%d", &major, &minor) != 2 || major > 1 ||
           (major == 1 && minor >= 2);
}

static stoa_status open_now(stoa_error *err)
{
    static const char *const usual[] = {"libduckdb.so", "libduckdb.dylib", NULL};
    const char *const named = getenv("STOA_DUCKDB");
    const bool is_named = named != NULL && named[0] != '\0';
    const char *const files[] = {named, NULL};
    stoa_library_call found[N_CALLS + N_OF_SOME] = {NULL};
    stoa_duckdb duckdb;

    if (stoa_library_find(is_named ? files : usual, NULL, 0, NULL) == NULL) {
        return stoa_fail(err, STOA_ENOTFOUND,
                         "DuckDB's library libduckdb is not there%s%s; get it from duckdb.org (C "
                         "API), and put it where the system's loader looks, or name the file in "
                         "STOA_DUCKDB",
                         is_named ? ", though STOA_DUCKDB names " : "", is_named ? named : "");
    }
    const bool is_whole =
        stoa_library_find(is_named ? files : usual, calls, N_CALLS, found) != NULL;
    for (size_t i = 0; i < N_OF_SOME; i++) { /* those that are not there stay NULL */
        (void)stoa_library_find(is_named ? files : usual, &calls_of_some[i], 1,
                                &found[N_CALLS + i]);
    }
    memcpy(&duckdb, found, sizeof duckdb);
    const char *const version = duckdb.library_version != NULL ? duckdb.library_version() : "?";
    if (!is_whole || !is_new_enough(version) ||
        (duckdb.data_chunk_to_arrow == NULL && duckdb.execute_prepared_arrow == NULL)) {
        return stoa_fail(err, STOA_EVERSION,
                         "libduckdb is of version %s; Stoa needs DuckDB " STOA_DUCKDB_OLDEST
                         " or later (duckdb.org, C API)",
                         version);
    }
    opened = duckdb;
    return STOA_OK;
}

stoa_status stoa_duckdb_open(const stoa_duckdb **duckdb, stoa_error *err)
{
    (void)pthread_mutex_lock(&opening);
    const stoa_status status = opened.library_version == NULL ? open_now(err) : STOA_OK;
    (void)pthread_mutex_unlock(&opening);
    *duckdb = status == STOA_OK ? &opened : NULL;
    return status;
}

const stoa_duckdb *stoa_duckdb_opened(void)
{
    return &opened;
}
