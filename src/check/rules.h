/*
 * The HEP001 rule table: one entry per rule.
 *
 * Every finding names a rule of this table (stoa_check_report()), so no check can exist without an
 * entry. An entry gives the rule's name, section, level, object and text. The level is the keyword
 * of the sentence that the rule comes from. A definition without a keyword binds (MUST). INFO is
 * for what the specification leaves open, or a file alone cannot decide. UNDESCRIBED is INFO that a
 * strict check refuses: an object that this revision does not describe (§7.6).
 *
 * Sentences that no file can break are in unchecked.c. The two tables together cover the whole
 * specification.
 */
#ifndef STOA_CHECK_RULES_H
#define STOA_CHECK_RULES_H

#include <stddef.h>
#include <stoa/check.h>

/*
 * BOTH(identifier, section in June, section in July, name, level, object, text)
 * JUNE(identifier, section, name, level, object, text)
 * JULY(identifier, section, name, level, object, text)
 *
 * They say in which revision the rule holds: that of June 2026, that of July 2026, or both. A rule
 * of July alone is called Jsection-name, any other section-name by its section in June. Rules are
 * in the order of July's sections.
 */
#define STOA_RULES(BOTH, JUNE, JULY)                                                               \
    BOTH(UNREADABLE, "2", "2", "UNREADABLE", MUST, "any object",                                   \
         "every object and attribute of the table can be read")                                    \
    BOTH(NOT_READ, "2", "2", "NOT-READ", INFO, "any object",                                       \
         "contents that are too large, lie in other files or are packed by a filter "              \
         "that this libhdf5 lacks are not judged")                                                 \
    BOTH(REF_TYPE, "5", "5", "REF-TYPE", MUST, "reference attribute",                              \
         "references are stored as H5T_STD_REF, never as the deprecated H5T_STD_REF_OBJ")          \
    BOTH(REF_OBJECT_KIND, "5", "5", "REF-OBJECT-KIND", MUST, "reference attribute",                \
         "references point to objects, not to regions or attributes")                              \
    BOTH(REF_COLUMN, "5", "5", "REF-COLUMN", INFO, "column",                                       \
         "the deprecated reference datatypes are not meant for columns either")                    \
    BOTH(BOOL_TYPE, "6", "6", "BOOL-TYPE", MUST, "boolean attribute",                              \
         "a boolean is an enumeration, not a plain integer, bitfield or string")                   \
    BOTH(BOOL_BASE, "6", "6", "BOOL-BASE", MUST, "boolean attribute",                              \
         "a boolean's base type is H5T_STD_I8LE")                                                  \
    BOTH(BOOL_MEMBERS, "6", "6", "BOOL-MEMBERS", MUST, "boolean attribute",                        \
         "a boolean has exactly the members FALSE = 0 and TRUE = 1")                               \
    BOTH(BOOL_VALUE, "6", "6", "BOOL-VALUE", MUST, "boolean attribute",                            \
         "a boolean's stored value is 0 or 1")                                                     \
    BOTH(CLASS_TYPE, "7.1", "7.1", "CLASS-TYPE", MUST, "table group",                              \
         "CLASS is a fixed-length string")                                                         \
    BOTH(CLASS_SIZE, "7.1", "7.1", "CLASS-SIZE", MUST, "table group",                              \
         "CLASS takes up exactly 13 bytes")                                                        \
    BOTH(CLASS_PADDING, "7.1", "7.1", "CLASS-PADDING", MUST, "table group",                        \
         "CLASS is null-terminated")                                                               \
    BOTH(CLASS_CHARSET, "7.1", "7.1", "CLASS-CHARSET", MUST, "table group", "CLASS is ASCII")      \
    BOTH(CLASS_SHAPE, "7.1", "7.1", "CLASS-SHAPE", MUST, "table group", "CLASS is scalar")         \
    BOTH(VERSION_PRESENT, "7.2", "7.2", "VERSION-PRESENT", MUST, "table group",                    \
         "the table group has a VERSION")                                                          \
    BOTH(VERSION_TYPE, "7.2", "7.2", "VERSION-TYPE", MUST, "table group",                          \
         "VERSION is a fixed-length string")                                                       \
    BOTH(VERSION_SHAPE, "7.2", "7.2", "VERSION-SHAPE", MUST, "table group", "VERSION is scalar")   \
    BOTH(VERSION_CHARSET, "7.2", "7.2", "VERSION-CHARSET", MUST, "table group",                    \
         "VERSION is ASCII")                                                                       \
    BOTH(VERSION_SIZE, "7.2", "7.2", "VERSION-SIZE", MUST, "table group",                          \
         "VERSION is sized to hold its value and, if null-terminated, the NUL")                    \
    BOTH(VERSION_VALUE, "7.2", "7.2", "VERSION-VALUE", MUST, "table group",                        \
         "VERSION reads MAJOR.MINOR, in digits, MAJOR at least 1")                                 \
    BOTH(VERSION_MAJOR, "7.2", "7.2", "VERSION-MAJOR", MUST, "table group",                        \
         "a table of a later MAJOR than 1 is refused: its rules are not these")                    \
    BOTH(VERSION_MINOR, "7.2", "7.2", "VERSION-MINOR", INFO, "table group",                        \
         "a later MINOR than 0 may have added what these rules do not know")                       \
    BOTH(NROWS_PRESENT, "7.3", "7.3", "NROWS-PRESENT", MUST, "table group",                        \
         "the table group has NROWS")                                                              \
    BOTH(NROWS_TYPE, "7.3", "7.3", "NROWS-TYPE", MUST, "table group",                              \
         "NROWS is an unsigned 64-bit integer")                                                    \
    BOTH(NROWS_SHAPE, "7.3", "7.3", "NROWS-SHAPE", MUST, "table group", "NROWS is scalar")         \
    BOTH(TABLE_TEXT_TYPE, "7.4", "7.4", "TEXT-TYPE", MUST, "table group",                          \
         "TITLE, description, units_vocabulary, _index and encoding-* are fixed-length "           \
         "strings")                                                                                \
    BOTH(TABLE_TEXT_SHAPE, "7.4", "7.4", "TEXT-SHAPE", MUST, "table group",                        \
         "the text attributes of a table are scalar")                                              \
    BOTH(TABLE_TEXT_CHARSET, "7.4", "7.4", "TEXT-CHARSET", MUST, "table group",                    \
         "the text attributes of a table are UTF-8")                                               \
    BOTH(TABLE_TEXT_UTF8, "7.4", "7.4", "TEXT-UTF8", MUST, "table group",                          \
         "the bytes of a table's text attributes are valid UTF-8")                                 \
    BOTH(INDEX_COLUMNS_SHAPE, "7.4", "7.4", "INDEX-COLUMNS-SHAPE", MUST, "table group",            \
         "INDEX_COLUMNS is one-dimensional")                                                       \
    BOTH(INDEX_COLUMNS_NULL, "7.4", "7.4", "INDEX-COLUMNS-NULL", MUST, "table group",              \
         "INDEX_COLUMNS holds no null reference")                                                  \
    BOTH(INDEX_COLUMNS_TARGET, "7.4", "7.4", "INDEX-COLUMNS-TARGET", MUST, "table group",          \
         "every reference of INDEX_COLUMNS resolves to a column of this table")                    \
    BOTH(INDEX_NAME, "7.4", "7.4", "INDEX-NAME", MUST, "table group",                              \
         "_index is the name of the column that INDEX_COLUMNS[0] references")                      \
    BOTH(INDEX_NAME_COLUMN, "7.4", "7.4", "INDEX-NAME-COLUMN", MUST, "table group",                \
         "_index names a column of the table")                                                     \
    JULY(INDEX_COLUMNS_LIST, "7.4", "INDEX-COLUMNS-LIST", MUST, "table group",                     \
         "INDEX_COLUMNS references no list column")                                                \
    BOTH(COLUMN_ORDER_PRESENT, "7.4", "7.4", "COLUMN-ORDER-PRESENT", SHOULD, "table group",        \
         "a table of more than one column has column-order")                                       \
    BOTH(COLUMN_ORDER_TYPE, "7.4", "7.4", "COLUMN-ORDER-TYPE", MUST, "table group",                \
         "column-order holds fixed-length strings")                                                \
    BOTH(COLUMN_ORDER_SHAPE, "7.4", "7.4", "COLUMN-ORDER-SHAPE", MUST, "table group",              \
         "column-order is one-dimensional")                                                        \
    BOTH(COLUMN_ORDER_CHARSET, "7.4", "7.4", "COLUMN-ORDER-CHARSET", MUST, "table group",          \
         "column-order is UTF-8")                                                                  \
    BOTH(GROUP, "7.6", "7.6", "GROUP", MUST, "descendant",                                         \
         "the only groups below a table are CATEGORIES, SEARCH_INDEXES and, since July, "          \
         "list columns")                                                                           \
    BOTH(NESTED_TABLE, "7.6", "7.6", "NESTED-TABLE", MUST, "descendant",                           \
         "no table lies inside a table")                                                           \
    BOTH(NAMED_TYPE, "7.6", "7.6", "NAMED-TYPE", MUST, "descendant",                               \
         "no named datatype lies below a table")                                                   \
    BOTH(SOFT_LINK, "7.6", "7.6", "SOFT-LINK", MUST, "descendant",                                 \
         "no soft link lies below a table")                                                        \
    BOTH(EXTERNAL_LINK, "7.6", "7.6", "EXTERNAL-LINK", MUST, "descendant",                         \
         "no external or user-defined link lies below a table")                                    \
    BOTH(UNDESCRIBED, "7.6", "7.6", "UNDESCRIBED", UNDESCRIBED, "descendant",                      \
         "in a table of a later MINOR than 0, what 1.0 does not describe may be "                  \
         "described there")                                                                        \
    BOTH(RANK, "8.1", "8.1", "RANK", MUST, "column", "a column has rank 1")                        \
    BOTH(NAME_UNDERSCORE, "8.1", "8.1", "NAME-UNDERSCORE", SHOULD, "column",                       \
         "no column name begins with an underscore")                                               \
    BOTH(NAME_UTF8, "8.1", "8.1", "NAME-UTF8", MUST, "column", "a column name is valid UTF-8")     \
    BOTH(VLEN, "8.3", "8.3", "VLEN", INFO, "column",                                               \
         "fixed-length datatypes are preferred where they are possible")                           \
    BOTH(COMPOUND_ATOMIC, "8.3", "8.3", "COMPOUND-ATOMIC", INFO, "column",                         \
         "the fields of a compound column are atomic")                                             \
    BOTH(ROUNDED, "8.4", "8.4", "ROUNDED", INFO, "column",                                         \
         "no other program has rounded values of a column that is packed without loss")            \
    BOTH(FILL_DEFINED, "8.5", "8.5", "FILL-DEFINED", MUST, "column",                               \
         "a column's fill value is set explicitly (H5D_FILL_VALUE_USER_DEFINED), but "             \
         "for boolean columns since July")                                                         \
    BOTH(FILL_IN_RANGE, "8.5", "8.5", "FILL-IN-RANGE", MUST, "column",                             \
         "the fill value lies strictly outside [valid_min, valid_max]")                            \
    BOTH(VALID_TYPE, "8.5", "8.5", "VALID-TYPE", MUST, "column",                                   \
         "valid_min and valid_max have the column's datatype")                                     \
    BOTH(VALID_SHAPE, "8.5", "8.5", "VALID-SHAPE", MUST, "column",                                 \
         "valid_min and valid_max are scalar")                                                     \
    BOTH(VALID_PAIR, "8.5", "8.5", "VALID-PAIR", INFO, "column",                                   \
         "valid_min and valid_max come together, in order, and are no NaN")                        \
    BOTH(VALID_VALUE, "8.5", "8.5", "VALID-VALUE", INFO, "column",                                 \
         "values that are not missing lie inside [valid_min, valid_max]")                          \
    BOTH(OVERRIDE_RANGE, "8.5", "8.5", "OVERRIDE-RANGE", MUST, "column",                           \
         "a numeric column that holds the recommended fill value as data declares both "           \
         "bounds")                                                                                 \
    BOTH(ENUM_MISSING, "8.5", "8.5", "ENUM-MISSING", MUST, "column",                               \
         "an enumeration with missing rows has a member MISSING")                                  \
    BOTH(ENUM_FILL, "8.5", "8.5", "ENUM-FILL", MUST, "column",                                     \
         "an enumeration's fill value is its member MISSING, or none of its members")              \
    JUNE(BOOL_WIDEN, "8.5", "BOOL-WIDEN", MUST, "column",                                          \
         "a 1-bit column is widened to uint8 with a fill value above 1")                           \
    JULY(MASK_ATTRIBUTE, "8.5", "MASK", MUST, "column",                                            \
         "a column carries no MASK, which is reserved for later revisions")                        \
    BOTH(COLUMN_TEXT_TYPE, "8.6", "8.6", "TEXT-TYPE", MUST, "column",                              \
         "units, units_vocabulary and description are fixed-length strings")                       \
    BOTH(COLUMN_TEXT_SHAPE, "8.6", "8.6", "TEXT-SHAPE", MUST, "column",                            \
         "the text attributes of a column are scalar")                                             \
    BOTH(COLUMN_TEXT_CHARSET, "8.6", "8.6", "TEXT-CHARSET", MUST, "column",                        \
         "the text attributes of a column are UTF-8")                                              \
    BOTH(COLUMN_TEXT_UTF8, "8.6", "8.6", "TEXT-UTF8", MUST, "column",                              \
         "the bytes of a column's text attributes are valid UTF-8")                                \
    BOTH(INDEX_LIST_SHAPE, "8.6", "8.6", "INDEX-LIST-SHAPE", MUST, "column",                       \
         "SEARCH_INDEX_LIST is one-dimensional")                                                   \
    BOTH(CATEGORIES_SHAPE, "8.7", "8.7", "CATEGORIES-SHAPE", MUST, "column",                       \
         "a column's CATEGORIES attribute is scalar")                                              \
    BOTH(CODE_TYPE, "8.7", "8.7", "CODE-TYPE", MUST, "column",                                     \
         "a categorical column has an integer datatype")                                           \
    BOTH(CODE_RANGE, "8.7", "8.7", "CODE-RANGE", MUST, "column",                                   \
         "a categorical code is the position of a label")                                          \
    BOTH(CATEGORIES_RANK, "8.7", "8.7", "CATEGORIES-RANK", MUST, "categories dataset",             \
         "a categories dataset has rank 1")                                                        \
    BOTH(ORDERED_SHAPE, "8.7", "8.7", "ORDERED-SHAPE", MUST, "categories dataset",                 \
         "a categories dataset's ordered attribute is scalar")                                     \
    JULY(BOOLEAN_BASE, "8.8", "BASE", MUST, "boolean column",                                      \
         "the base type of a boolean column is H5T_STD_I8LE")                                      \
    JULY(BOOLEAN_VALUE, "8.8", "VALUE", MUST, "boolean column",                                    \
         "the values of rows below NROWS, and of list elements, are 0 or 1")                       \
    JULY(BOOLEAN_FILL, "8.8", "FILL", MUST, "boolean column",                                      \
         "a boolean column has no user-defined fill value")                                        \
    JULY(BOOLEAN_NULLABLE, "8.8", "NULLABLE", MUST, "column",                                      \
         "an enumeration of FALSE, TRUE and MISSING has the codes 0, 1 and 2, and the "            \
         "fill value 2")                                                                           \
    JULY(BOOLEAN_MINMAX, "8.8", "MINMAX", SHOULD, "CHUNK_MINMAX index",                            \
         "a boolean column is indexed by a BITMAP instead")                                        \
    JULY(BOOLEAN_BITMAP, "8.8", "BITMAP", MUST, "BITMAP index",                                    \
         "the bitmap of a boolean column has at most two values")                                  \
    JULY(LIST_CLASS, "9.1", "CLASS", MUST, "list column",                                          \
         "CLASS of a list is a scalar, null-terminated, fixed-length ASCII string")                \
    JULY(LIST_KIND_PRESENT, "9.1", "KIND-PRESENT", MUST, "list column", "a list has a KIND")       \
    JULY(LIST_KIND, "9.1", "KIND", MUST, "list column",                                            \
         "KIND of a list is a scalar, null-terminated, fixed-length ASCII string")                 \
    JULY(LIST_KIND_UNKNOWN, "9.1", "KIND-UNKNOWN", UNDESCRIBED, "list column",                     \
         "a list of an unknown KIND cannot be read")                                               \
    JULY(LIST_MEMBERS, "9.2", "MEMBERS", MUST, "list column",                                      \
         "a list holds OFFSETS, VALUES and, if it likes, MASK, and nothing else")                  \
    JULY(LIST_OFFSETS, "9.2", "OFFSETS", MUST, "list member",                                      \
         "OFFSETS is a dataset of rank 1 and of unsigned 64-bit integers")                         \
    JULY(LIST_OFFSETS_EXTENT, "9.2", "OFFSETS-EXTENT", MUST, "list member",                        \
         "OFFSETS has one element more than its level has entries")                                \
    JULY(LIST_OFFSETS_FIRST, "9.2", "OFFSETS-FIRST", MUST, "list member", "OFFSETS[0] is 0")       \
    JULY(LIST_OFFSETS_ORDER, "9.2", "OFFSETS-ORDER", MUST, "list member",                          \
         "OFFSETS never decrease")                                                                 \
    JULY(LIST_VALUES, "9.2", "VALUES", MUST, "list member",                                        \
         "VALUES is a dataset of rank 1, a list, or a group of strings")                           \
    JULY(LIST_VALUES_EXTENT, "9.2", "VALUES-EXTENT", MUST, "list member",                          \
         "VALUES has all elements that OFFSETS speak of")                                          \
    JULY(LIST_MASK, "9.2", "MASK", MUST, "list member",                                            \
         "MASK is a dataset of rank 1 and of the boolean datatype")                                \
    JULY(LIST_MASK_EXTENT, "9.2", "MASK-EXTENT", MUST, "list member",                              \
         "MASK has an element for each entry of its level")                                        \
    JULY(LIST_MASK_VALUE, "9.2", "MASK-VALUE", MUST, "list member",                                \
         "the elements of MASK are 0 or 1")                                                        \
    JULY(LIST_NULL_SLICE, "9.2", "NULL-SLICE", MUST, "list member",                                \
         "an entry that is null has no elements")                                                  \
    JULY(LIST_LEAF_FILL, "9.3", "LEAF-FILL", INFO, "list member",                                  \
         "without a user-defined fill value no element of a leaf is missing")                      \
    JULY(STRINGS_CLASS, "9.4", "CLASS", MUST, "list member",                                       \
         "CLASS of a group of strings is a scalar, null-terminated, fixed-length ASCII "           \
         "string")                                                                                 \
    JULY(STRINGS_MEMBERS, "9.4", "MEMBERS", MUST, "list member",                                   \
         "a group of strings holds OFFSETS, CHARS and, if it likes, MASK, and nothing else")       \
    JULY(STRINGS_CHARS, "9.4", "CHARS", MUST, "list member",                                       \
         "CHARS is a dataset of rank 1 and of uint8")                                              \
    JULY(STRINGS_CHARS_EXTENT, "9.4", "CHARS-EXTENT", MUST, "list member",                         \
         "CHARS has all bytes that OFFSETS speak of")                                              \
    JULY(STRINGS_UTF8, "9.4", "UTF8", MUST, "list member", "each string is valid UTF-8")           \
    JULY(LIST_VLEN, "9.5", "VLEN", MUST, "list member",                                            \
         "nothing below a list column has a variable-length datatype")                             \
    JULY(LIST_INDEX_LIST, "9.6", "SEARCH_INDEX_LIST", MUST, "list column",                         \
         "a list column has no SEARCH_INDEX_LIST")                                                 \
    BOTH(INDEX_COLUMNS_EMPTY, "9.2", "10.2", "INDEX-COLUMNS-EMPTY", INFO, "table group",           \
         "a table without row labels leaves INDEX_COLUMNS out")                                    \
    BOTH(INDEX_CONTENTS, "10.1", "11.1", "CONTENTS", MUST, "descendant",                           \
         "SEARCH_INDEXES holds datasets only")                                                     \
    BOTH(ACCOMPANYING_KIND, "10.1", "11.1", "ACCOMPANYING-KIND", MUST, "accompanying dataset",     \
         "an accompanying dataset carries no KIND")                                                \
    BOTH(UNREQUIRED, "10.1", "11.1", "UNREQUIRED", MUST, "accompanying dataset",                   \
         "every dataset of SEARCH_INDEXES is an index or is required by one")                      \
    BOTH(UNREQUIRED_UNKNOWN, "10.1", "11.1", "UNREQUIRED-UNKNOWN", UNDESCRIBED,                    \
         "accompanying dataset",                                                                   \
         "a dataset that nothing references may belong to an index of an unknown KIND")            \
    BOTH(REFERENCED, "10.2", "11.2", "REFERENCED", MUST, "search index",                           \
         "a search index is referenced by the column it describes")                                \
    BOTH(ONE_COLUMN, "10.2", "11.2", "ONE-COLUMN", MUST, "search index",                           \
         "a search index describes exactly one column")                                            \
    BOTH(KIND_PRESENT, "10.3", "11.3", "KIND-PRESENT", MUST, "search index",                       \
         "a search index has a KIND")                                                              \
    BOTH(KIND_TYPE, "10.3", "11.3", "KIND-TYPE", MUST, "search index",                             \
         "KIND is a fixed-length string")                                                          \
    BOTH(KIND_SHAPE, "10.3", "11.3", "KIND-SHAPE", MUST, "search index", "KIND is scalar")         \
    BOTH(KIND_CHARSET, "10.3", "11.3", "KIND-CHARSET", MUST, "search index", "KIND is ASCII")      \
    BOTH(KIND_UNKNOWN, "10.3", "11.3", "KIND-UNKNOWN", UNDESCRIBED, "search index",                \
         "an index of an unknown KIND is ignored")                                                 \
    BOTH(DESCRIPTION, "10.3", "11.3", "DESCRIPTION", SHOULD, "search index",                       \
         "a search index's description records its provenance")                                    \
    BOTH(INDEX_TEXT_TYPE, "10.3", "11.3", "TEXT-TYPE", MUST, "search index",                       \
         "a search index's description is a fixed-length string")                                  \
    BOTH(INDEX_TEXT_SHAPE, "10.3", "11.3", "TEXT-SHAPE", MUST, "search index",                     \
         "a search index's description is scalar")                                                 \
    BOTH(INDEX_TEXT_CHARSET, "10.3", "11.3", "TEXT-CHARSET", MUST, "search index",                 \
         "a search index's description is UTF-8")                                                  \
    BOTH(INDEX_TEXT_UTF8, "10.3", "11.3", "TEXT-UTF8", MUST, "search index",                       \
         "the bytes of a search index's description are valid UTF-8")                              \
    JULY(INDEX_GROWTH, "11.3", "GROWTH", SHOULD, "search index",                                   \
         "the index is chunked, and the dimension that grows is unlimited")                        \
    BOTH(MINMAX_ORDERABLE, "10.4", "11.4", "ORDERABLE", MUST, "CHUNK_MINMAX index",                \
         "the column's datatype has an order (§10.5)")                                             \
    BOTH(MINMAX_SHAPE, "10.4", "11.4", "SHAPE", MUST, "CHUNK_MINMAX index",                        \
         "the index has rank 1")                                                                   \
    BOTH(MINMAX_LENGTH, "10.4", "11.4", "LENGTH", MUST, "CHUNK_MINMAX index",                      \
         "the index has an entry for every chunk that holds rows")                                 \
    BOTH(MINMAX_RESIDUE, "10.4", "11.4", "RESIDUE", INFO, "CHUNK_MINMAX index",                    \
         "entries past the last chunk that holds rows are residue")                                \
    BOTH(MINMAX_FIELDS, "10.4", "11.4", "FIELDS", MUST, "CHUNK_MINMAX index",                      \
         "the fields are min, max, nan_count, fill_count, n, in this order")                       \
    BOTH(MINMAX_BOUND_TYPE, "10.4", "11.4", "BOUND-TYPE", MUST, "CHUNK_MINMAX index",              \
         "min and max have the column's datatype")                                                 \
    BOTH(MINMAX_COUNT_TYPE, "10.4", "11.4", "COUNT-TYPE", MUST, "CHUNK_MINMAX index",              \
         "nan_count, fill_count and n are unsigned 64-bit integers")                               \
    BOTH(MINMAX_N, "10.4", "11.4", "N", MUST, "CHUNK_MINMAX index",                                \
         "n is the number of rows below NROWS that the chunk holds")                               \
    BOTH(MINMAX_NAN_COUNT, "10.4", "11.4", "NAN-COUNT", MUST, "CHUNK_MINMAX index",                \
         "nan_count is the number of NaN values in the chunk, 0 if the column has none")           \
    BOTH(MINMAX_FILL_COUNT, "10.4", "11.4", "FILL-COUNT", MUST, "CHUNK_MINMAX index",              \
         "fill_count is the number of missing values in the chunk")                                \
    BOTH(MINMAX_MIN, "10.4", "11.4", "MIN", MUST, "CHUNK_MINMAX index",                            \
         "min is the smallest value of the chunk that is neither missing nor NaN")                 \
    BOTH(MINMAX_MAX, "10.4", "11.4", "MAX", MUST, "CHUNK_MINMAX index",                            \
         "max is the largest value of the chunk that is neither missing nor NaN")                  \
    BOTH(MINMAX_EMPTY, "10.4", "11.4", "EMPTY", MUST, "CHUNK_MINMAX index",                        \
         "min and max of a chunk without orderable values are the fill value")                     \
    BOTH(SORTED_ORDERABLE, "10.5", "11.5", "ORDERABLE", MUST, "SORTED_ROWS index",                 \
         "the column's datatype has an order")                                                     \
    BOTH(SORTED_SHAPE, "10.5", "11.5", "SHAPE", MUST, "SORTED_ROWS index", "the index has rank 1") \
    BOTH(SORTED_LENGTH, "10.5", "11.5", "LENGTH", MUST, "SORTED_ROWS index",                       \
         "the index has an entry for every row below NROWS")                                       \
    BOTH(SORTED_RESIDUE, "10.5", "11.5", "RESIDUE", INFO, "SORTED_ROWS index",                     \
         "entries past NROWS are residue")                                                         \
    BOTH(SORTED_DATATYPE, "10.5", "11.5", "DATATYPE", MUST, "SORTED_ROWS index",                   \
         "the entries are unsigned integers")                                                      \
    BOTH(SORTED_WIDTH, "10.5", "11.5", "WIDTH", MUST, "SORTED_ROWS index",                         \
         "the entries are wide enough for the number of every row")                                \
    BOTH(SORTED_TAIL_PRESENT, "10.5", "11.5", "TAIL-PRESENT", MUST, "SORTED_ROWS index",           \
         "the index has nan_tail_length and fill_tail_length")                                     \
    BOTH(SORTED_TAIL_TYPE, "10.5", "11.5", "TAIL-TYPE", MUST, "SORTED_ROWS index",                 \
         "nan_tail_length and fill_tail_length are unsigned 64-bit integers")                      \
    BOTH(SORTED_TAIL_SHAPE, "10.5", "11.5", "TAIL-SHAPE", MUST, "SORTED_ROWS index",               \
         "nan_tail_length and fill_tail_length are scalar")                                        \
    BOTH(SORTED_ORDERED_PRESENT, "10.5", "11.5", "ORDERED-PRESENT", MUST, "SORTED_ROWS index",     \
         "the index has ordered")                                                                  \
    BOTH(SORTED_ORDERED_SHAPE, "10.5", "11.5", "ORDERED-SHAPE", MUST, "SORTED_ROWS index",         \
         "ordered is scalar")                                                                      \
    BOTH(SORTED_ORDERED_TRUE, "10.5", "11.5", "ORDERED-TRUE", MUST, "SORTED_ROWS index",           \
         "ordered is true")                                                                        \
    BOTH(SORTED_PERMUTATION, "10.5", "11.5", "PERMUTATION", MUST, "SORTED_ROWS index",             \
         "the first NROWS entries name every row below NROWS exactly once")                        \
    BOTH(SORTED_INTERLEAVED, "10.5", "11.5", "INTERLEAVED", INFO, "SORTED_ROWS index",             \
         "rows past NROWS, of an append that was never committed, stand behind those "             \
         "below it")                                                                               \
    BOTH(SORTED_ORDER, "10.5", "11.5", "ORDER", MUST, "SORTED_ROWS index",                         \
         "values ascend in the order of their datatype")                                           \
    BOTH(SORTED_TIES, "10.5", "11.5", "TIES", MUST, "SORTED_ROWS index",                           \
         "rows with equal values stand in increasing order")                                       \
    BOTH(SORTED_FILL_TAIL, "10.5", "11.5", "FILL-TAIL", MUST, "SORTED_ROWS index",                 \
         "missing rows follow all values, in increasing order")                                    \
    BOTH(SORTED_FILL_TAIL_LENGTH, "10.5", "11.5", "FILL-TAIL-LENGTH", MUST, "SORTED_ROWS index",   \
         "fill_tail_length is the number of missing rows that are not NaN")                        \
    BOTH(SORTED_NAN_TAIL, "10.5", "11.5", "NAN-TAIL", MUST, "SORTED_ROWS index",                   \
         "rows that are NaN stand at the very end, in increasing order")                           \
    BOTH(SORTED_NAN_TAIL_LENGTH, "10.5", "11.5", "NAN-TAIL-LENGTH", MUST, "SORTED_ROWS index",     \
         "nan_tail_length is the number of rows that are NaN")                                     \
    BOTH(BITMAP_SHAPE, "10.6", "11.6", "SHAPE", MUST, "BITMAP index", "the index has rank 2")      \
    BOTH(BITMAP_LENGTH, "10.6", "11.6", "LENGTH", MUST, "BITMAP index",                            \
         "every row of the index has a bit for every row of the table below NROWS")                \
    BOTH(BITMAP_RESIDUE, "10.6", "11.6", "RESIDUE", INFO, "BITMAP index",                          \
         "bytes past NROWS are residue, and in June set bits, too")                                \
    BOTH(BITMAP_DATATYPE, "10.6", "11.6", "DATATYPE", MUST, "BITMAP index",                        \
         "the index is of uint8")                                                                  \
    BOTH(BITMAP_VALUES_PRESENT, "10.6", "11.6", "VALUES-PRESENT", MUST, "BITMAP index",            \
         "a BITMAP index has a VALUES reference")                                                  \
    BOTH(BITMAP_VALUES_SHAPE, "10.6", "11.6", "VALUES-SHAPE", MUST, "BITMAP index",                \
         "VALUES is scalar")                                                                       \
    BOTH(BITMAP_VALUES_TARGET, "10.6", "11.6", "VALUES-TARGET", MUST, "BITMAP index",              \
         "VALUES resolves to a dataset of SEARCH_INDEXES")                                         \
    BOTH(BITMAP_VALUES_RANK, "10.6", "11.6", "VALUES-RANK", MUST, "BITMAP index",                  \
         "the values dataset has rank 1")                                                          \
    BOTH(BITMAP_VALUES_LENGTH, "10.6", "11.6", "VALUES-LENGTH", MUST, "BITMAP index",              \
         "the values dataset holds one value for each row of the index")                           \
    BOTH(BITMAP_VALUES_TYPE, "10.6", "11.6", "VALUES-TYPE", MUST, "BITMAP index",                  \
         "the values dataset has the column's datatype")                                           \
    BOTH(BITMAP_ORDERED_SHAPE, "10.6", "11.6", "ORDERED-SHAPE", MUST, "BITMAP index",              \
         "ordered, where it is there, is scalar")                                                  \
    BOTH(BITMAP_BITS, "10.6", "11.6", "BITS", MUST, "BITMAP index",                                \
         "a bit is set if and only if the row holds the indexed value")                            \
    BOTH(BITMAP_DISTINCT, "10.6", "11.6", "DISTINCT", MUST, "BITMAP index",                        \
         "the indexed values are distinct")                                                        \
    BOTH(BITMAP_COVERAGE, "10.6", "11.6", "COVERAGE", INFO, "BITMAP index",                        \
         "a value of the column that is not indexed is found by a scan only")                      \
    JULY(BITMAP_PADDING, "11.6", "PADDING", MUST, "BITMAP index",                                  \
         "bits past NROWS in the last byte of a row are 0")                                        \
    JULY(BITMAP_EXHAUSTIVE_SHAPE, "11.6", "EXHAUSTIVE-SHAPE", MUST, "BITMAP index",                \
         "exhaustive, where it is there, is scalar")                                               \
    JULY(BITMAP_EXHAUSTIVE, "11.6", "EXHAUSTIVE", MUST, "BITMAP index",                            \
         "where exhaustive is true, every value of the column that is not missing is indexed")     \
    JULY(BITMAP_EXHAUSTIVE_NAN, "11.6", "EXHAUSTIVE-NAN", INFO, "BITMAP index",                    \
         "where exhaustive is true, the column holds no NaN as a value")                           \
    BOTH(BLOOM_COLUMN_TYPE, "10.7", "11.7", "COLUMN-TYPE", MUST, "CHUNK_BLOOM index",              \
         "the column's datatype has a canonical byte representation, as enumerations "             \
         "have since July")                                                                        \
    BOTH(BLOOM_SHAPE, "10.7", "11.7", "SHAPE", MUST, "CHUNK_BLOOM index", "the index has rank 2")  \
    BOTH(BLOOM_LENGTH, "10.7", "11.7", "LENGTH", MUST, "CHUNK_BLOOM index",                        \
         "the index has a filter for every chunk that holds rows")                                 \
    BOTH(BLOOM_RESIDUE, "10.7", "11.7", "RESIDUE", INFO, "CHUNK_BLOOM index",                      \
         "filters past the last chunk that holds rows are residue")                                \
    BOTH(BLOOM_DATATYPE, "10.7", "11.7", "DATATYPE", MUST, "CHUNK_BLOOM index",                    \
         "the index is of uint8")                                                                  \
    BOTH(BLOOM_PARAMETER_PRESENT, "10.7", "11.7", "PARAMETER-PRESENT", MUST, "CHUNK_BLOOM index",  \
         "the index has k, m_bits, hash_family and seed")                                          \
    BOTH(BLOOM_PARAMETER_SHAPE, "10.7", "11.7", "PARAMETER-SHAPE", MUST, "CHUNK_BLOOM index",      \
         "k, m_bits, hash_family and seed are scalar")                                             \
    BOTH(BLOOM_K_TYPE, "10.7", "11.7", "K-TYPE", MUST, "CHUNK_BLOOM index",                        \
         "k is an unsigned 16-bit integer")                                                        \
    BOTH(BLOOM_M_BITS_TYPE, "10.7", "11.7", "M-BITS-TYPE", MUST, "CHUNK_BLOOM index",              \
         "m_bits is an unsigned 64-bit integer")                                                   \
    BOTH(BLOOM_M_BITS, "10.7", "11.7", "M-BITS", MUST, "CHUNK_BLOOM index",                        \
         "m_bits is 8 times the bytes of a filter, and so a multiple of 8")                        \
    BOTH(BLOOM_SEED_TYPE, "10.7", "11.7", "SEED-TYPE", MUST, "CHUNK_BLOOM index",                  \
         "seed is an unsigned 32-bit integer")                                                     \
    BOTH(BLOOM_HASH_TYPE, "10.7", "11.7", "HASH-FAMILY-TYPE", MUST, "CHUNK_BLOOM index",           \
         "hash_family is a fixed-length string")                                                   \
    BOTH(BLOOM_HASH_CHARSET, "10.7", "11.7", "HASH-FAMILY-CHARSET", MUST, "CHUNK_BLOOM index",     \
         "hash_family is ASCII")                                                                   \
    BOTH(BLOOM_HASH, "10.7", "11.7", "HASH-FAMILY", MUST, "CHUNK_BLOOM index",                     \
         "hash_family is murmur3_x64_128_double")                                                  \
    BOTH(BLOOM_BITS, "10.7", "11.7", "BITS", MUST, "CHUNK_BLOOM index",                            \
         "the bits of every value of a chunk are set in its filter")                               \
    BOTH(BLOOM_MOD_READING, "10.7", "11.7", "MOD-READING", INFO, "CHUNK_BLOOM index",              \
         "h_a + i * h_b is computed in 64 bits, not in whole numbers without bound")               \
    BOTH(BLOOM_NAN_INSERTED, "10.7", "11.7", "NAN-INSERTED", MUST, "CHUNK_BLOOM index",            \
         "no NaN is inserted into a filter")                                                       \
    BOTH(BLOOM_SUPERFLUOUS, "10.7", "11.7", "SUPERFLUOUS", INFO, "CHUNK_BLOOM index",              \
         "bits of no value of the chunk, which make a filter less sharp, are not set")             \
    JULY(GENERATION_PRESENT, "12.2", "GENERATION-PRESENT", MUST, "table group",                    \
         "a table with a search index has GENERATION")                                             \
    JULY(GENERATION_TYPE, "12.2", "GENERATION-TYPE", MUST, "table group",                          \
         "GENERATION is an unsigned 64-bit integer")                                               \
    JULY(GENERATION_SHAPE, "12.2", "GENERATION-SHAPE", MUST, "table group",                        \
         "GENERATION is scalar")                                                                   \
    JULY(SOURCE_PRESENT, "12.2", "SOURCE-PRESENT", MUST, "search index",                           \
         "a search index has SOURCE_GENERATION and SOURCE_NROWS")                                  \
    JULY(SOURCE_TYPE, "12.2", "SOURCE-TYPE", MUST, "search index",                                 \
         "SOURCE_GENERATION and SOURCE_NROWS are unsigned 64-bit integers")                        \
    JULY(SOURCE_SHAPE, "12.2", "SOURCE-SHAPE", MUST, "search index",                               \
         "SOURCE_GENERATION and SOURCE_NROWS are scalar")                                          \
    JULY(STALE, "12.2", "STALE", INFO, "search index",                                             \
         "the tokens are those of the table; else no reader uses the index, and its "              \
         "contents are not judged")                                                                \
    BOTH(EXTENT_NROWS, "12", "13", "EXTENT-NROWS", MUST, "column",                                 \
         "a column's extent is at least NROWS")                                                    \
    BOTH(EXTENT_EQUAL, "12", "13", "EXTENT-EQUAL", MUST, "table group",                            \
         "all column datasets of a table have the same extent")                                    \
    BOTH(INDEX_LIST_TARGET, "12", "13", "INDEX-LIST-TARGET", MUST, "column",                       \
         "every reference of SEARCH_INDEX_LIST resolves to a dataset of SEARCH_INDEXES")           \
    BOTH(CATEGORIES_TARGET, "12", "13", "CATEGORIES-TARGET", MUST, "column",                       \
         "a column's CATEGORIES reference resolves to a dataset of the CATEGORIES group")          \
    BOTH(CATEGORIES_CONTENTS, "12", "13", "CATEGORIES-CONTENTS", MUST, "descendant",               \
         "CATEGORIES holds categories datasets only")                                              \
    BOTH(CATEGORIES_REFERENCED, "12", "13", "CATEGORIES-REFERENCED", MUST, "categories dataset",   \
         "every categories dataset is referenced by a categorical column")                         \
    BOTH(COLUMN_ORDER_MISSING, "12", "13", "COLUMN-ORDER-MISSING", MUST, "table group",            \
         "column-order lists every column")                                                        \
    BOTH(COLUMN_ORDER_TWICE, "12", "13", "COLUMN-ORDER-TWICE", MUST, "table group",                \
         "column-order lists no column twice")                                                     \
    BOTH(COLUMN_ORDER_UNKNOWN, "12", "13", "COLUMN-ORDER-UNKNOWN", MUST, "table group",            \
         "column-order lists nothing but columns")                                                 \
    BOTH(FILL_CODE, "12", "13", "FILL-CODE", MUST, "column",                                       \
         "a categorical column's fill value is no valid code")                                     \
    BOTH(COLUMN_NAME, "13.1", "14.1", "COLUMN-NAME", MUST, "column",                               \
         "a column has no reserved name")                                                          \
    BOTH(INDEX_DATASET_NAME, "13.1", "14.1", "INDEX-NAME", MUST, "search index",                   \
         "a search index has no reserved name")                                                    \
    BOTH(OTHER_NAME, "13.1", "14.1", "OTHER-NAME", INFO, "categories or accompanying dataset",     \
         "any name is allowed here (§8.7, §10.1), but this one is reserved")                       \
    BOTH(ATTRIBUTE, "13.1", "14.1", "ATTRIBUTE", MUST, "any object",                               \
         "a reserved attribute name is used only where it is assigned")                            \
    BOTH(CASE, "13.1", "14.1", "CASE", INFO, "any object",                                         \
         "an attribute whose name nearly is one of the specification's has no meaning")            \
    BOTH(REPURPOSED, "13.3", "14.3", "REPURPOSED", INFO, "any object",                             \
         "column-order, _index and ordered keep the meaning Anndata gives them")

typedef enum stoa_rule_id {
#define STOA_RULE_OF_BOTH(name, june, july, text, level, object, meaning) STOA_RULE_##name,
#define STOA_RULE_OF_ONE(name, section, text, level, object, meaning) STOA_RULE_##name,
    STOA_RULES(STOA_RULE_OF_BOTH, STOA_RULE_OF_ONE, STOA_RULE_OF_ONE)
#undef STOA_RULE_OF_BOTH
#undef STOA_RULE_OF_ONE
        STOA_N_RULES
} stoa_rule_id;

/* The entry of a rule; rules are numbered 0 to STOA_N_RULES - 1, in the order of July's
 * sections. */
const stoa_rule_info *stoa_rule_at(size_t id);
/* The section of a rule in a revision; NULL if it does not hold there. */
const char *stoa_rule_section(stoa_rule_id id, stoa_revision revision);
/* Whether a finding under this rule refuses the table. */
bool stoa_rule_refuses(stoa_rule_id id, bool strict);

#endif
