/* Reserved names (HEP001 §13.2, HEP001-2026-07 §14.2): src/table/open/names.c. */
#include <string.h>

#include "support/check.h"
#include "table/open/names.h"

/* As the specifications list them. */
static const char *const of_june[] = {
    "CATEGORIES",    "SEARCH_INDEXES",    "CLASS",     "VERSION",    "NROWS", "TITLE",
    "INDEX_COLUMNS", "SEARCH_INDEX_LIST", "valid_min", "valid_max",  "KIND",  "VALUES",
    "CHUNK_MINMAX",  "SORTED_ROWS",       "BITMAP",    "CHUNK_BLOOM"};
static const char *const of_july[] = {"GENERATION",   "SOURCE_GENERATION", "SOURCE_NROWS",
                                      "MASK",         "OFFSETS",           "CHARS",
                                      "COLUMN_TABLE", "LIST_COLUMN",       "STRING_VALUES"};

static void check_reserved(const char *name)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK(stoa_name_is_reserved(name));
    CHECK_STATUS(STOA_EINVAL, stoa_column_name_check(name, &err));
    CHECK_CONTAINS(err.message, name);
    CHECK_CONTAINS(err.message, "§14.2");
}

static void no_column_has_a_name_that_a_revision_reserves(void)
{
    for (size_t i = 0; i < sizeof of_june / sizeof of_june[0]; i++) {
        check_reserved(of_june[i]);
    }
    for (size_t i = 0; i < sizeof of_july / sizeof of_july[0]; i++) {
        check_reserved(of_july[i]);
    }
}

static void other_names_are_free(void)
{
    static const char *const free_names[] = {"mask", "Offsets", "description", "column-order", "x"};
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < sizeof free_names / sizeof free_names[0]; i++) {
        CHECK(!stoa_name_is_reserved(free_names[i]));
        CHECK_OK(stoa_column_name_check(free_names[i], &err), &err);
    }
}

TEST_MAIN(TEST(no_column_has_a_name_that_a_revision_reserves), TEST(other_names_are_free))
