/* What is said where DuckDB's library is not there, or is another one. */
#include <stdlib.h>

#include "sql/session.h"
#include "support/check.h"

static void a_library_that_is_not_there_is_named_with_the_way_to_get_it(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sql sql = {0};

    CHECK_I64(setenv("STOA_DUCKDB", "/nowhere/libduckdb.so", 1), 0);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_sql_open(&sql, NULL, &err));
    CHECK_CONTAINS(err.message, "STOA_DUCKDB names /nowhere/libduckdb.so");
    CHECK_CONTAINS(err.message, "duckdb.org");
    CHECK(sql.duckdb == NULL);
    stoa_sql_close(&sql);
}

static void another_library_is_no_duckdb(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_sql sql = {0};

    CHECK_I64(setenv("STOA_DUCKDB", "libz.so.1", 1), 0);
    CHECK_STATUS(STOA_EVERSION, stoa_sql_open(&sql, NULL, &err));
    CHECK_CONTAINS(err.message, "needs DuckDB 1.2 or later");
}

TEST_MAIN(TEST(a_library_that_is_not_there_is_named_with_the_way_to_get_it),
          TEST(another_library_is_no_duckdb))
