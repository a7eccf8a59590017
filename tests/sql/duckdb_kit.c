#include "sql/duckdb_kit.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"

/* Name the peers' library, if nothing else is named. */
static void name_library(void)
{
    const char *const peers = getenv("STOA_PEERS");
    char pattern[4096];
    glob_t found = {0};

    if (getenv("STOA_DUCKDB") != NULL || peers == NULL) {
        return;
    }
    (void)snprintf(pattern, sizeof pattern, "%s/lib/libduckdb-*.so", peers);
    if (glob(pattern, 0, NULL, &found) == 0) { /* the newest is the last */
        (void)setenv("STOA_DUCKDB", found.gl_pathv[found.gl_pathc - 1], 1);
    }
    globfree(&found);
}

void sql_kit_open(stoa_sql *sql)
{
    stoa_error err = STOA_ERROR_INIT;

    name_library();
    const stoa_status status = stoa_sql_open(sql, NULL, &err);
    if (status == STOA_ENOTFOUND) {
        SKIP("DuckDB's library is not there; make peers, and name them in STOA_PEERS");
    }
    CHECK_OK(status, &err);
}
