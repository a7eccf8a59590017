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

/* X(identifier, section, name, level, object, text): the rule is called section-name. */
#define STOA_RULES(X)                                                                              \
    X(UNREADABLE, "2", "UNREADABLE", MUST, "any object",                                           \
      "every object and attribute of the table can be read")                                       \
    X(NOT_READ, "2", "NOT-READ", INFO, "any object",                                               \
      "contents that are too large, lie in other files or are packed by a filter that this "       \
      "libhdf5 lacks are not judged")                                                              \
    X(REF_TYPE, "5", "REF-TYPE", MUST, "reference attribute",                                      \
      "references are stored as H5T_STD_REF, never as the deprecated H5T_STD_REF_OBJ")             \
    X(REF_OBJECT_KIND, "5", "REF-OBJECT-KIND", MUST, "reference attribute",                        \
      "references point to objects, not to regions or attributes")                                 \
    X(REF_COLUMN, "5", "REF-COLUMN", INFO, "column",                                               \
      "the deprecated reference datatypes are not meant for columns either")                       \
    X(BOOL_TYPE, "6", "BOOL-TYPE", MUST, "boolean attribute",                                      \
      "a boolean is an enumeration, not a plain integer, bitfield or string")                      \
    X(BOOL_BASE, "6", "BOOL-BASE", MUST, "boolean attribute",                                      \
      "a boolean's base type is H5T_STD_I8LE")                                                     \
    X(BOOL_MEMBERS, "6", "BOOL-MEMBERS", MUST, "boolean attribute",                                \
      "a boolean has exactly the members FALSE = 0 and TRUE = 1")                                  \
    X(BOOL_VALUE, "6", "BOOL-VALUE", MUST, "boolean attribute",                                    \
      "a boolean's stored value is 0 or 1")                                                        \
    X(CLASS_TYPE, "7.1", "CLASS-TYPE", MUST, "table group", "CLASS is a fixed-length string")      \
    X(CLASS_SIZE, "7.1", "CLASS-SIZE", MUST, "table group", "CLASS takes up exactly 13 bytes")     \
    X(CLASS_PADDING, "7.1", "CLASS-PADDING", MUST, "table group", "CLASS is null-terminated")      \
    X(CLASS_CHARSET, "7.1", "CLASS-CHARSET", MUST, "table group", "CLASS is ASCII")                \
    X(CLASS_SHAPE, "7.1", "CLASS-SHAPE", MUST, "table group", "CLASS is scalar")                   \
    X(VERSION_PRESENT, "7.2", "VERSION-PRESENT", MUST, "table group",                              \
      "the table group has a VERSION")                                                             \
    X(VERSION_TYPE, "7.2", "VERSION-TYPE", MUST, "table group",                                    \
      "VERSION is a fixed-length string")                                                          \
    X(VERSION_SHAPE, "7.2", "VERSION-SHAPE", MUST, "table group", "VERSION is scalar")             \
    X(VERSION_CHARSET, "7.2", "VERSION-CHARSET", MUST, "table group", "VERSION is ASCII")          \
    X(VERSION_SIZE, "7.2", "VERSION-SIZE", MUST, "table group",                                    \
      "VERSION is sized to hold its value and, if null-terminated, the NUL")                       \
    X(VERSION_VALUE, "7.2", "VERSION-VALUE", MUST, "table group",                                  \
      "VERSION reads MAJOR.MINOR, in digits, MAJOR at least 1")                                    \
    X(VERSION_MAJOR, "7.2", "VERSION-MAJOR", MUST, "table group",                                  \
      "a table of a later MAJOR than 1 is refused: its rules are not these")                       \
    X(VERSION_MINOR, "7.2", "VERSION-MINOR", INFO, "table group",                                  \
      "a later MINOR than 0 may have added what these rules do not know")                          \
    X(NROWS_PRESENT, "7.3", "NROWS-PRESENT", MUST, "table group", "the table group has NROWS")     \
    X(NROWS_TYPE, "7.3", "NROWS-TYPE", MUST, "table group", "NROWS is an unsigned 64-bit integer") \
    X(NROWS_SHAPE, "7.3", "NROWS-SHAPE", MUST, "table group", "NROWS is scalar")                   \
    X(TABLE_TEXT_TYPE, "7.4", "TEXT-TYPE", MUST, "table group",                                    \
      "TITLE, description, units_vocabulary, _index and encoding-* are fixed-length strings")      \
    X(TABLE_TEXT_SHAPE, "7.4", "TEXT-SHAPE", MUST, "table group",                                  \
      "the text attributes of a table are scalar")                                                 \
    X(TABLE_TEXT_CHARSET, "7.4", "TEXT-CHARSET", MUST, "table group",                              \
      "the text attributes of a table are UTF-8")                                                  \
    X(TABLE_TEXT_UTF8, "7.4", "TEXT-UTF8", MUST, "table group",                                    \
      "the bytes of a table's text attributes are valid UTF-8")                                    \
    X(INDEX_COLUMNS_SHAPE, "7.4", "INDEX-COLUMNS-SHAPE", MUST, "table group",                      \
      "INDEX_COLUMNS is one-dimensional")                                                          \
    X(INDEX_COLUMNS_NULL, "7.4", "INDEX-COLUMNS-NULL", MUST, "table group",                        \
      "INDEX_COLUMNS holds no null reference")                                                     \
    X(INDEX_COLUMNS_TARGET, "7.4", "INDEX-COLUMNS-TARGET", MUST, "table group",                    \
      "every reference of INDEX_COLUMNS resolves to a column of this table")                       \
    X(INDEX_NAME, "7.4", "INDEX-NAME", MUST, "table group",                                        \
      "_index is the name of the column that INDEX_COLUMNS[0] references")                         \
    X(INDEX_NAME_COLUMN, "7.4", "INDEX-NAME-COLUMN", MUST, "table group",                          \
      "_index names a column of the table")                                                        \
    X(COLUMN_ORDER_PRESENT, "7.4", "COLUMN-ORDER-PRESENT", SHOULD, "table group",                  \
      "a table of more than one column has column-order")                                          \
    X(COLUMN_ORDER_TYPE, "7.4", "COLUMN-ORDER-TYPE", MUST, "table group",                          \
      "column-order holds fixed-length strings")                                                   \
    X(COLUMN_ORDER_SHAPE, "7.4", "COLUMN-ORDER-SHAPE", MUST, "table group",                        \
      "column-order is one-dimensional")                                                           \
    X(COLUMN_ORDER_CHARSET, "7.4", "COLUMN-ORDER-CHARSET", MUST, "table group",                    \
      "column-order is UTF-8")                                                                     \
    X(GROUP, "7.6", "GROUP", MUST, "descendant",                                                   \
      "the only groups below a table are CATEGORIES and SEARCH_INDEXES")                           \
    X(NESTED_TABLE, "7.6", "NESTED-TABLE", MUST, "descendant", "no table lies inside a table")     \
    X(NAMED_TYPE, "7.6", "NAMED-TYPE", MUST, "descendant", "no named datatype lies below a table") \
    X(SOFT_LINK, "7.6", "SOFT-LINK", MUST, "descendant", "no soft link lies below a table")        \
    X(EXTERNAL_LINK, "7.6", "EXTERNAL-LINK", MUST, "descendant",                                   \
      "no external or user-defined link lies below a table")                                       \
    X(UNDESCRIBED, "7.6", "UNDESCRIBED", UNDESCRIBED, "descendant",                                \
      "in a table of a later MINOR than 0, what 1.0 does not describe may be described there")     \
    X(RANK, "8.1", "RANK", MUST, "column", "a column has rank 1")                                  \
    X(NAME_UNDERSCORE, "8.1", "NAME-UNDERSCORE", SHOULD, "column",                                 \
      "no column name begins with an underscore")                                                  \
    X(NAME_UTF8, "8.1", "NAME-UTF8", MUST, "column", "a column name is valid UTF-8")               \
    X(VLEN, "8.3", "VLEN", INFO, "column",                                                         \
      "fixed-length datatypes are preferred where they are possible")                              \
    X(COMPOUND_ATOMIC, "8.3", "COMPOUND-ATOMIC", INFO, "column",                                   \
      "the fields of a compound column are atomic")                                                \
    X(FILL_DEFINED, "8.5", "FILL-DEFINED", MUST, "column",                                         \
      "a column's fill value is set explicitly (H5D_FILL_VALUE_USER_DEFINED)")                     \
    X(FILL_IN_RANGE, "8.5", "FILL-IN-RANGE", MUST, "column",                                       \
      "the fill value lies strictly outside [valid_min, valid_max]")                               \
    X(VALID_TYPE, "8.5", "VALID-TYPE", MUST, "column",                                             \
      "valid_min and valid_max have the column's datatype")                                        \
    X(VALID_SHAPE, "8.5", "VALID-SHAPE", MUST, "column", "valid_min and valid_max are scalar")     \
    X(VALID_PAIR, "8.5", "VALID-PAIR", INFO, "column",                                             \
      "valid_min and valid_max come together, in order, and are no NaN")                           \
    X(VALID_VALUE, "8.5", "VALID-VALUE", INFO, "column",                                           \
      "values that are not missing lie inside [valid_min, valid_max]")                             \
    X(OVERRIDE_RANGE, "8.5", "OVERRIDE-RANGE", MUST, "column",                                     \
      "a numeric column that holds the recommended fill value as data declares both bounds")       \
    X(ENUM_MISSING, "8.5", "ENUM-MISSING", MUST, "column",                                         \
      "an enumeration with missing rows has a member MISSING")                                     \
    X(ENUM_FILL, "8.5", "ENUM-FILL", MUST, "column",                                               \
      "an enumeration's fill value is its member MISSING, or none of its members")                 \
    X(BOOL_WIDEN, "8.5", "BOOL-WIDEN", MUST, "column",                                             \
      "a 1-bit column is widened to uint8 with a fill value above 1")                              \
    X(COLUMN_TEXT_TYPE, "8.6", "TEXT-TYPE", MUST, "column",                                        \
      "units, units_vocabulary and description are fixed-length strings")                          \
    X(COLUMN_TEXT_SHAPE, "8.6", "TEXT-SHAPE", MUST, "column",                                      \
      "the text attributes of a column are scalar")                                                \
    X(COLUMN_TEXT_CHARSET, "8.6", "TEXT-CHARSET", MUST, "column",                                  \
      "the text attributes of a column are UTF-8")                                                 \
    X(COLUMN_TEXT_UTF8, "8.6", "TEXT-UTF8", MUST, "column",                                        \
      "the bytes of a column's text attributes are valid UTF-8")                                   \
    X(INDEX_LIST_SHAPE, "8.6", "INDEX-LIST-SHAPE", MUST, "column",                                 \
      "SEARCH_INDEX_LIST is one-dimensional")                                                      \
    X(CATEGORIES_SHAPE, "8.7", "CATEGORIES-SHAPE", MUST, "column",                                 \
      "a column's CATEGORIES attribute is scalar")                                                 \
    X(CODE_TYPE, "8.7", "CODE-TYPE", MUST, "column",                                               \
      "a categorical column has an integer datatype")                                              \
    X(CODE_RANGE, "8.7", "CODE-RANGE", MUST, "column",                                             \
      "a categorical code is the position of a label")                                             \
    X(CATEGORIES_RANK, "8.7", "CATEGORIES-RANK", MUST, "categories dataset",                       \
      "a categories dataset has rank 1")                                                           \
    X(ORDERED_SHAPE, "8.7", "ORDERED-SHAPE", MUST, "categories dataset",                           \
      "a categories dataset's ordered attribute is scalar")                                        \
    X(INDEX_COLUMNS_EMPTY, "9.2", "INDEX-COLUMNS-EMPTY", INFO, "table group",                      \
      "a table without row labels leaves INDEX_COLUMNS out")                                       \
    X(INDEX_CONTENTS, "10.1", "CONTENTS", MUST, "descendant",                                      \
      "SEARCH_INDEXES holds datasets only")                                                        \
    X(ACCOMPANYING_KIND, "10.1", "ACCOMPANYING-KIND", MUST, "accompanying dataset",                \
      "an accompanying dataset carries no KIND")                                                   \
    X(UNREQUIRED, "10.1", "UNREQUIRED", MUST, "accompanying dataset",                              \
      "every dataset of SEARCH_INDEXES is an index or is required by one")                         \
    X(UNREQUIRED_UNKNOWN, "10.1", "UNREQUIRED-UNKNOWN", UNDESCRIBED, "accompanying dataset",       \
      "a dataset that nothing references may belong to an index of an unknown KIND")               \
    X(REFERENCED, "10.2", "REFERENCED", MUST, "search index",                                      \
      "a search index is referenced by the column it describes")                                   \
    X(ONE_COLUMN, "10.2", "ONE-COLUMN", MUST, "search index",                                      \
      "a search index describes exactly one column")                                               \
    X(KIND_PRESENT, "10.3", "KIND-PRESENT", MUST, "search index", "a search index has a KIND")     \
    X(KIND_TYPE, "10.3", "KIND-TYPE", MUST, "search index", "KIND is a fixed-length string")       \
    X(KIND_SHAPE, "10.3", "KIND-SHAPE", MUST, "search index", "KIND is scalar")                    \
    X(KIND_CHARSET, "10.3", "KIND-CHARSET", MUST, "search index", "KIND is ASCII")                 \
    X(KIND_UNKNOWN, "10.3", "KIND-UNKNOWN", UNDESCRIBED, "search index",                           \
      "an index of an unknown KIND is ignored")                                                    \
    X(DESCRIPTION, "10.3", "DESCRIPTION", SHOULD, "search index",                                  \
      "a search index's description records its provenance")                                       \
    X(INDEX_TEXT_TYPE, "10.3", "TEXT-TYPE", MUST, "search index",                                  \
      "a search index's description is a fixed-length string")                                     \
    X(INDEX_TEXT_SHAPE, "10.3", "TEXT-SHAPE", MUST, "search index",                                \
      "a search index's description is scalar")                                                    \
    X(INDEX_TEXT_CHARSET, "10.3", "TEXT-CHARSET", MUST, "search index",                            \
      "a search index's description is UTF-8")                                                     \
    X(INDEX_TEXT_UTF8, "10.3", "TEXT-UTF8", MUST, "search index",                                  \
      "the bytes of a search index's description are valid UTF-8")                                 \
    X(MINMAX_ORDERABLE, "10.4", "ORDERABLE", MUST, "CHUNK_MINMAX index",                           \
      "the column's datatype has an order (§10.5)")                                                \
    X(MINMAX_SHAPE, "10.4", "SHAPE", MUST, "CHUNK_MINMAX index", "the index has rank 1")           \
    X(MINMAX_LENGTH, "10.4", "LENGTH", MUST, "CHUNK_MINMAX index",                                 \
      "the index has an entry for every chunk that holds rows")                                    \
    X(MINMAX_RESIDUE, "10.4", "RESIDUE", INFO, "CHUNK_MINMAX index",                               \
      "entries past the last chunk that holds rows are residue")                                   \
    X(MINMAX_FIELDS, "10.4", "FIELDS", MUST, "CHUNK_MINMAX index",                                 \
      "the fields are min, max, nan_count, fill_count, n, in this order")                          \
    X(MINMAX_BOUND_TYPE, "10.4", "BOUND-TYPE", MUST, "CHUNK_MINMAX index",                         \
      "min and max have the column's datatype")                                                    \
    X(MINMAX_COUNT_TYPE, "10.4", "COUNT-TYPE", MUST, "CHUNK_MINMAX index",                         \
      "nan_count, fill_count and n are unsigned 64-bit integers")                                  \
    X(MINMAX_N, "10.4", "N", MUST, "CHUNK_MINMAX index",                                           \
      "n is the number of rows below NROWS that the chunk holds")                                  \
    X(MINMAX_NAN_COUNT, "10.4", "NAN-COUNT", MUST, "CHUNK_MINMAX index",                           \
      "nan_count is the number of NaN values in the chunk, 0 if the column has none")              \
    X(MINMAX_FILL_COUNT, "10.4", "FILL-COUNT", MUST, "CHUNK_MINMAX index",                         \
      "fill_count is the number of missing values in the chunk")                                   \
    X(MINMAX_MIN, "10.4", "MIN", MUST, "CHUNK_MINMAX index",                                       \
      "min is the smallest value of the chunk that is neither missing nor NaN")                    \
    X(MINMAX_MAX, "10.4", "MAX", MUST, "CHUNK_MINMAX index",                                       \
      "max is the largest value of the chunk that is neither missing nor NaN")                     \
    X(MINMAX_EMPTY, "10.4", "EMPTY", MUST, "CHUNK_MINMAX index",                                   \
      "min and max of a chunk without orderable values are the fill value")                        \
    X(SORTED_ORDERABLE, "10.5", "ORDERABLE", MUST, "SORTED_ROWS index",                            \
      "the column's datatype has an order")                                                        \
    X(SORTED_SHAPE, "10.5", "SHAPE", MUST, "SORTED_ROWS index", "the index has rank 1")            \
    X(SORTED_LENGTH, "10.5", "LENGTH", MUST, "SORTED_ROWS index",                                  \
      "the index has an entry for every row below NROWS")                                          \
    X(SORTED_RESIDUE, "10.5", "RESIDUE", INFO, "SORTED_ROWS index",                                \
      "entries past NROWS are residue")                                                            \
    X(SORTED_DATATYPE, "10.5", "DATATYPE", MUST, "SORTED_ROWS index",                              \
      "the entries are unsigned integers")                                                         \
    X(SORTED_WIDTH, "10.5", "WIDTH", MUST, "SORTED_ROWS index",                                    \
      "the entries are wide enough for the number of every row")                                   \
    X(SORTED_TAIL_PRESENT, "10.5", "TAIL-PRESENT", MUST, "SORTED_ROWS index",                      \
      "the index has nan_tail_length and fill_tail_length")                                        \
    X(SORTED_TAIL_TYPE, "10.5", "TAIL-TYPE", MUST, "SORTED_ROWS index",                            \
      "nan_tail_length and fill_tail_length are unsigned 64-bit integers")                         \
    X(SORTED_TAIL_SHAPE, "10.5", "TAIL-SHAPE", MUST, "SORTED_ROWS index",                          \
      "nan_tail_length and fill_tail_length are scalar")                                           \
    X(SORTED_ORDERED_PRESENT, "10.5", "ORDERED-PRESENT", MUST, "SORTED_ROWS index",                \
      "the index has ordered")                                                                     \
    X(SORTED_ORDERED_SHAPE, "10.5", "ORDERED-SHAPE", MUST, "SORTED_ROWS index",                    \
      "ordered is scalar")                                                                         \
    X(SORTED_ORDERED_TRUE, "10.5", "ORDERED-TRUE", MUST, "SORTED_ROWS index", "ordered is true")   \
    X(SORTED_PERMUTATION, "10.5", "PERMUTATION", MUST, "SORTED_ROWS index",                        \
      "the first NROWS entries name every row below NROWS exactly once")                           \
    X(SORTED_INTERLEAVED, "10.5", "INTERLEAVED", INFO, "SORTED_ROWS index",                        \
      "rows past NROWS, of an append that was never committed, stand behind those below it")       \
    X(SORTED_ORDER, "10.5", "ORDER", MUST, "SORTED_ROWS index",                                    \
      "values ascend in the order of their datatype")                                              \
    X(SORTED_TIES, "10.5", "TIES", MUST, "SORTED_ROWS index",                                      \
      "rows with equal values stand in increasing order")                                          \
    X(SORTED_FILL_TAIL, "10.5", "FILL-TAIL", MUST, "SORTED_ROWS index",                            \
      "missing rows follow all values, in increasing order")                                       \
    X(SORTED_FILL_TAIL_LENGTH, "10.5", "FILL-TAIL-LENGTH", MUST, "SORTED_ROWS index",              \
      "fill_tail_length is the number of missing rows that are not NaN")                           \
    X(SORTED_NAN_TAIL, "10.5", "NAN-TAIL", MUST, "SORTED_ROWS index",                              \
      "rows that are NaN stand at the very end, in increasing order")                              \
    X(SORTED_NAN_TAIL_LENGTH, "10.5", "NAN-TAIL-LENGTH", MUST, "SORTED_ROWS index",                \
      "nan_tail_length is the number of rows that are NaN")                                        \
    X(BITMAP_SHAPE, "10.6", "SHAPE", MUST, "BITMAP index", "the index has rank 2")                 \
    X(BITMAP_LENGTH, "10.6", "LENGTH", MUST, "BITMAP index",                                       \
      "every row of the index has a bit for every row of the table below NROWS")                   \
    X(BITMAP_RESIDUE, "10.6", "RESIDUE", INFO, "BITMAP index",                                     \
      "bytes and set bits past NROWS are residue")                                                 \
    X(BITMAP_DATATYPE, "10.6", "DATATYPE", MUST, "BITMAP index", "the index is of uint8")          \
    X(BITMAP_VALUES_PRESENT, "10.6", "VALUES-PRESENT", MUST, "BITMAP index",                       \
      "a BITMAP index has a VALUES reference")                                                     \
    X(BITMAP_VALUES_SHAPE, "10.6", "VALUES-SHAPE", MUST, "BITMAP index", "VALUES is scalar")       \
    X(BITMAP_VALUES_TARGET, "10.6", "VALUES-TARGET", MUST, "BITMAP index",                         \
      "VALUES resolves to a dataset of SEARCH_INDEXES")                                            \
    X(BITMAP_VALUES_RANK, "10.6", "VALUES-RANK", MUST, "BITMAP index",                             \
      "the values dataset has rank 1")                                                             \
    X(BITMAP_VALUES_LENGTH, "10.6", "VALUES-LENGTH", MUST, "BITMAP index",                         \
      "the values dataset holds one value for each row of the index")                              \
    X(BITMAP_VALUES_TYPE, "10.6", "VALUES-TYPE", MUST, "BITMAP index",                             \
      "the values dataset has the column's datatype")                                              \
    X(BITMAP_ORDERED_SHAPE, "10.6", "ORDERED-SHAPE", MUST, "BITMAP index",                         \
      "ordered, where it is there, is scalar")                                                     \
    X(BITMAP_BITS, "10.6", "BITS", MUST, "BITMAP index",                                           \
      "a bit is set if and only if the row holds the indexed value")                               \
    X(BITMAP_DISTINCT, "10.6", "DISTINCT", MUST, "BITMAP index",                                   \
      "the indexed values are distinct")                                                           \
    X(BITMAP_COVERAGE, "10.6", "COVERAGE", INFO, "BITMAP index",                                   \
      "a value of the column that is not indexed is found by a scan only")                         \
    X(BLOOM_COLUMN_TYPE, "10.7", "COLUMN-TYPE", MUST, "CHUNK_BLOOM index",                         \
      "the column's datatype has a canonical byte representation")                                 \
    X(BLOOM_SHAPE, "10.7", "SHAPE", MUST, "CHUNK_BLOOM index", "the index has rank 2")             \
    X(BLOOM_LENGTH, "10.7", "LENGTH", MUST, "CHUNK_BLOOM index",                                   \
      "the index has a filter for every chunk that holds rows")                                    \
    X(BLOOM_RESIDUE, "10.7", "RESIDUE", INFO, "CHUNK_BLOOM index",                                 \
      "filters past the last chunk that holds rows are residue")                                   \
    X(BLOOM_DATATYPE, "10.7", "DATATYPE", MUST, "CHUNK_BLOOM index", "the index is of uint8")      \
    X(BLOOM_PARAMETER_PRESENT, "10.7", "PARAMETER-PRESENT", MUST, "CHUNK_BLOOM index",             \
      "the index has k, m_bits, hash_family and seed")                                             \
    X(BLOOM_PARAMETER_SHAPE, "10.7", "PARAMETER-SHAPE", MUST, "CHUNK_BLOOM index",                 \
      "k, m_bits, hash_family and seed are scalar")                                                \
    X(BLOOM_K_TYPE, "10.7", "K-TYPE", MUST, "CHUNK_BLOOM index",                                   \
      "k is an unsigned 16-bit integer")                                                           \
    X(BLOOM_M_BITS_TYPE, "10.7", "M-BITS-TYPE", MUST, "CHUNK_BLOOM index",                         \
      "m_bits is an unsigned 64-bit integer")                                                      \
    X(BLOOM_M_BITS, "10.7", "M-BITS", MUST, "CHUNK_BLOOM index",                                   \
      "m_bits is 8 times the bytes of a filter, and so a multiple of 8")                           \
    X(BLOOM_SEED_TYPE, "10.7", "SEED-TYPE", MUST, "CHUNK_BLOOM index",                             \
      "seed is an unsigned 32-bit integer")                                                        \
    X(BLOOM_HASH_TYPE, "10.7", "HASH-FAMILY-TYPE", MUST, "CHUNK_BLOOM index",                      \
      "hash_family is a fixed-length string")                                                      \
    X(BLOOM_HASH_CHARSET, "10.7", "HASH-FAMILY-CHARSET", MUST, "CHUNK_BLOOM index",                \
      "hash_family is ASCII")                                                                      \
    X(BLOOM_HASH, "10.7", "HASH-FAMILY", MUST, "CHUNK_BLOOM index",                                \
      "hash_family is murmur3_x64_128_double")                                                     \
    X(BLOOM_BITS, "10.7", "BITS", MUST, "CHUNK_BLOOM index",                                       \
      "the bits of every value of a chunk are set in its filter")                                  \
    X(BLOOM_MOD_READING, "10.7", "MOD-READING", INFO, "CHUNK_BLOOM index",                         \
      "h_a + i * h_b is computed in 64 bits, not in whole numbers without bound")                  \
    X(BLOOM_NAN_INSERTED, "10.7", "NAN-INSERTED", MUST, "CHUNK_BLOOM index",                       \
      "no NaN is inserted into a filter")                                                          \
    X(BLOOM_SUPERFLUOUS, "10.7", "SUPERFLUOUS", INFO, "CHUNK_BLOOM index",                         \
      "bits of no value of the chunk, which make a filter less sharp, are not set")                \
    X(EXTENT_NROWS, "12", "EXTENT-NROWS", MUST, "column", "a column's extent is at least NROWS")   \
    X(EXTENT_EQUAL, "12", "EXTENT-EQUAL", MUST, "table group",                                     \
      "all columns of a table have the same extent")                                               \
    X(INDEX_LIST_TARGET, "12", "INDEX-LIST-TARGET", MUST, "column",                                \
      "every reference of SEARCH_INDEX_LIST resolves to a dataset of SEARCH_INDEXES")              \
    X(CATEGORIES_TARGET, "12", "CATEGORIES-TARGET", MUST, "column",                                \
      "a column's CATEGORIES reference resolves to a dataset of the CATEGORIES group")             \
    X(CATEGORIES_CONTENTS, "12", "CATEGORIES-CONTENTS", MUST, "descendant",                        \
      "CATEGORIES holds categories datasets only")                                                 \
    X(CATEGORIES_REFERENCED, "12", "CATEGORIES-REFERENCED", MUST, "categories dataset",            \
      "every categories dataset is referenced by a categorical column")                            \
    X(COLUMN_ORDER_MISSING, "12", "COLUMN-ORDER-MISSING", MUST, "table group",                     \
      "column-order lists every column")                                                           \
    X(COLUMN_ORDER_TWICE, "12", "COLUMN-ORDER-TWICE", MUST, "table group",                         \
      "column-order lists no column twice")                                                        \
    X(COLUMN_ORDER_UNKNOWN, "12", "COLUMN-ORDER-UNKNOWN", MUST, "table group",                     \
      "column-order lists nothing but columns")                                                    \
    X(FILL_CODE, "12", "FILL-CODE", MUST, "column",                                                \
      "a categorical column's fill value is no valid code")                                        \
    X(COLUMN_NAME, "13.1", "COLUMN-NAME", MUST, "column", "a column has no reserved name")         \
    X(INDEX_DATASET_NAME, "13.1", "INDEX-NAME", MUST, "search index",                              \
      "a search index has no reserved name")                                                       \
    X(OTHER_NAME, "13.1", "OTHER-NAME", INFO, "categories or accompanying dataset",                \
      "any name is allowed here (§8.7, §10.1), but this one is reserved")                          \
    X(ATTRIBUTE, "13.1", "ATTRIBUTE", MUST, "any object",                                          \
      "a reserved attribute name is used only where it is assigned")                               \
    X(CASE, "13.1", "CASE", INFO, "any object",                                                    \
      "an attribute whose name nearly is one of the specification's has no meaning")               \
    X(REPURPOSED, "13.3", "REPURPOSED", INFO, "any object",                                        \
      "column-order, _index and ordered keep the meaning Anndata gives them")

typedef enum stoa_rule_id {
#define STOA_RULE_ID(name, section, text, level, object, meaning) STOA_RULE_##name,
    STOA_RULES(STOA_RULE_ID)
#undef STOA_RULE_ID
        STOA_N_RULES
} stoa_rule_id;

/* The entry of a rule; rules are numbered 0 to STOA_N_RULES - 1, in order of their sections. */
const stoa_rule_info *stoa_rule_at(size_t id);
/* Whether a finding under this rule refuses the table. */
bool stoa_rule_refuses(stoa_rule_id id, bool strict);

#endif
