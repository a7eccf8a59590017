/* The version of the library, and the names that it knows, for shells and bindings. */
#ifndef STOA_VERSION_H
#define STOA_VERSION_H

#include <stddef.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/** The library's version, "MAJOR.MINOR.PATCH"; static storage. */
STOA_API const char *stoa_version(void);
/** The version as a number that grows: MAJOR * 10000 + MINOR * 100 + PATCH. */
STOA_API unsigned stoa_version_number(void);

/* Each call returns name number `i`, counted from 0, in static storage; NULL after the last. */

/** Codecs of columns for stoa_column_options.codec. "deflate" and "zstd" accept a level, "zstd:9"
 * (docs/codecs.md). */
STOA_API const char *stoa_codec_name(size_t i);
/** Layouts that can be written, for stoa_layout_options.layout. */
STOA_API const char *stoa_layout_name(size_t i);
/** Kinds of search index, for stoa_index_add(). */
STOA_API const char *stoa_index_kind_name(size_t i);
/** Types of columns of text, for stoa_csv_options.types. */
STOA_API const char *stoa_csv_type_name(size_t i);
/** Functions of expressions: those of rows, and those of lists (docs/query.md). */
STOA_API const char *stoa_function_name(size_t i);
/** Aggregates, for stoa_query_options.aggregates. */
STOA_API const char *stoa_aggregate_name(size_t i);

/** What there is to say of a function or aggregate, for help and completion; static storage. */
typedef struct stoa_function_text {
    const char *name;
    const char *also;    /**< other spellings, with blanks between them; NULL if there are none */
    const char *usage;   /**< "round(x, digits)" */
    const char *help;    /**< its result, in a phrase */
    const char *example; /**< an expression that is true; NULL for those of lists and aggregates */
} stoa_function_text;

/**
 * Text number `i` of all functions, those of lists, and aggregates.
 *
 * @param subject  receives the title of the group that it belongs to: "Numbers"; may be NULL
 * @return NULL after the last
 */
STOA_API const stoa_function_text *stoa_function_text_at(size_t i, const char **subject);

STOA_END_DECLS

#endif
