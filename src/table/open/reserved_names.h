/*
 * The names that HEP001 reserves (§13.2, HEP001-2026-07 §14.2), in the words of the caller's macro:
 *
 *     NAME(name, revision, roles)
 *
 * The revision is BOTH, or JULY where June leaves the name free. The roles are the objects
 * that may have it as an attribute (stoa_role in check/checker.h); 0: none.
 */
#ifndef STOA_TABLE_RESERVED_NAMES_H
#define STOA_TABLE_RESERVED_NAMES_H

#define STOA_RESERVED_NAMES(NAME)                                                                  \
    NAME("CATEGORIES", BOTH, STOA_ROLE_COLUMN)                                                     \
    NAME("SEARCH_INDEXES", BOTH, 0)                                                                \
    NAME("CLASS", BOTH, STOA_ROLE_TABLE | STOA_ROLE_LIST | STOA_ROLE_STRINGS)                      \
    NAME("VERSION", BOTH, STOA_ROLE_TABLE)                                                         \
    NAME("NROWS", BOTH, STOA_ROLE_TABLE)                                                           \
    NAME("TITLE", BOTH, STOA_ROLE_TABLE)                                                           \
    NAME("INDEX_COLUMNS", BOTH, STOA_ROLE_TABLE)                                                   \
    NAME("SEARCH_INDEX_LIST", BOTH, STOA_ROLE_COLUMN | STOA_ROLE_LIST) /* J9.6 */                  \
    NAME("valid_min", BOTH, STOA_ROLE_COLUMN | STOA_ROLE_LEAF)                                     \
    NAME("valid_max", BOTH, STOA_ROLE_COLUMN | STOA_ROLE_LEAF)                                     \
    NAME("KIND", BOTH, STOA_ROLE_INDEX | STOA_ROLE_BITMAP | STOA_ROLE_LIST)                        \
    NAME("VALUES", BOTH, STOA_ROLE_BITMAP)                                                         \
    NAME("CHUNK_MINMAX", BOTH, 0)                                                                  \
    NAME("SORTED_ROWS", BOTH, 0)                                                                   \
    NAME("BITMAP", BOTH, 0)                                                                        \
    NAME("CHUNK_BLOOM", BOTH, 0)                                                                   \
    NAME("GENERATION", JULY, STOA_ROLE_TABLE)                                                      \
    NAME("SOURCE_GENERATION", JULY, STOA_ROLE_INDEX | STOA_ROLE_BITMAP)                            \
    NAME("SOURCE_NROWS", JULY, STOA_ROLE_INDEX | STOA_ROLE_BITMAP)                                 \
    NAME("MASK", JULY, STOA_ROLE_COLUMN) /* J8.5-MASK */                                           \
    NAME("OFFSETS", JULY, 0)                                                                       \
    NAME("CHARS", JULY, 0)                                                                         \
    NAME("COLUMN_TABLE", JULY, 0)                                                                  \
    NAME("LIST_COLUMN", JULY, 0)                                                                   \
    NAME("STRING_VALUES", JULY, 0)

#endif
